//! Area `entities`: the entity index beside the designs that it descends from, properties by name beside a field that
//! is written directly, spawning from a resource beside `bevy_ecs` and `hecs`, and whole worlds beside their physics alone.
//!
//! The index runs the synthetic test of "Rebuilding the Entity Index" (Stingray blog, 2017): entities of 75
//! compositions of 1 to 11 components are created, registered one component at a time, looked up, deleted and
//! collected. The source gives no code; its text is followed, and the rest is stated here.

mod spawning;
mod worlds;

use std::hint::black_box;

use clap::{Args, FromArgMatches, ValueEnum};
use tombolo_bench_designs::entity_index::{ChainIndex, FullEntries, LegacyIndex, Linked};
use tombolo_entity::{
    Accessor, Component, ComponentEntry, Dense, Entities, Entity, EntityIndex, EntitySystem, IndexMemory,
    InstanceId, ManagerId, NameHash, PrototypeIndex, Schema, Value,
};

use super::{Area, Run};
use crate::measure::{Contender, Timing, interleave};
use crate::plot::{self, Axes, Line, Scale};

pub(super) const AREA: Area = Area {
    name: "entities",
    description: "The entity index beside other designs, properties, spawning beside bevy_ecs, worlds beside their physics",
    options: Options::augment_args,
    run: |matches, run| compare(&Options::from_arg_matches(matches)?, run),
};

#[derive(Args)]
struct Options {
    /// Run one part only; the whole takes minutes
    #[arg(long, value_enum)]
    only: Option<Part>,
    /// Worlds: scenes by name; `all` stands for the ten that are timed
    #[arg(long, value_delimiter = ',', default_value = "all")]
    scenes: Vec<String>,
    /// Worlds: steps of each scene, the first of which is left out
    #[arg(long, default_value_t = 300)]
    steps: u32,
    /// Worlds: how often each scene is repeated; each step counts with its least time
    #[arg(long, default_value_t = 4)]
    rounds: usize,
    /// Worlds: the numbers of workers
    #[arg(long, value_delimiter = ',', default_value = "1,2")]
    threads: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Part {
    /// The synthetic test of the four indexes
    Index,
    /// Look-ups by name in the four indexes
    LookUp,
    /// A property set by accessor, by path and directly
    Properties,
    /// Spawning from a resource
    Spawning,
    /// Worlds of entities beside their physics alone
    Worlds,
}

/// A row of the source's table: for its new index and its legacy one, microseconds an entity and megabytes.
struct SourceRow {
    /// The number of all entities, in thousands of 1,024.
    thousands: usize,
    times_us: [f64; 2],
    memory_mb: [f64; 2],
}

const fn source(thousands: usize, times_us: [f64; 2], memory_mb: [f64; 2]) -> SourceRow {
    SourceRow {
        thousands,
        times_us,
        memory_mb,
    }
}

const SOURCE: [SourceRow; 11] = [
    source(10, [0.977, 0.977], [0.26, 5.79]),
    source(20, [0.488, 0.488], [0.51, 5.79]),
    source(40, [0.832, 0.732], [0.99, 11.88]),
    source(80, [0.610, 0.732], [0.99, 11.88]),
    source(160, [0.671, 0.793], [0.99, 25.69]),
    source(320, [0.702, 0.977], [0.99, 31.04]),
    source(640, [0.702, 1.648], [0.99, 55.90]),
    source(1280, [0.700, 1.922], [0.99, 65.82]),
    source(2560, [0.700, 2.366], [0.99, 65.55]),
    source(5120, [0.704, 2.500], [0.99, 120.55]),
    source(10240, [0.705, 2.393], [0.99, 130.55]),
];
/// The name of the source's own figures in both areas' rows.
const SOURCE_NAME: &str = "the source's, 2017";
/// The greatest number of entities alive at a time: the source's figure of memory suggests about this.
const LIVE_FEW: usize = 40_000;
const LIVE_MANY: usize = 400_000;
/// Unused prototypes are collected after this many creations, and this many are visited at a time.
const COLLECT_EVERY: usize = 64;
const COLLECT_BUDGET: usize = 16;

fn compare(options: &Options, run: &mut Run) -> anyhow::Result<()> {
    let wanted = |part| options.only.is_none_or(|only| only == part);
    if wanted(Part::Index) {
        let sizes: Vec<&SourceRow> = SOURCE.iter().collect();
        let few = if run.smoke { &sizes[..1] } else { &sizes[..] };
        synthetic_sizes(run, "40k live", LIVE_FEW, few)?;
        if !run.smoke {
            synthetic_sizes(run, "400k live", LIVE_MANY, &[sizes[7], sizes[10]])?;
        }
    }
    if wanted(Part::LookUp) {
        look_ups(
            run,
            "of one composition, in order",
            &compositions()[9..10],
            |_, number, count| number % count,
        )?;
        look_ups(
            run,
            "of 75 compositions, shuffled",
            &compositions(),
            |random, _, count| random.below(count),
        )?;
    }
    if wanted(Part::Properties) {
        properties(run)?;
    }
    if wanted(Part::Spawning) {
        spawning::run(run)?;
    }
    if wanted(Part::Worlds) {
        worlds::run(options, run)?;
    }
    Ok(())
}

/// A small generator with a fixed seed: every contender sees the same numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        // Knuth's MMIX constants; the high bits are the good ones.
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// 75 lists of 1 to 11 components out of 40, in a fixed order within each list, as resources have them.
fn compositions() -> Vec<Vec<ComponentEntry>> {
    let random = &mut Random(7);
    let entry = |number: usize| ComponentEntry {
        name: NameHash::of(&format!("component {number}")),
        manager: ManagerId((number % 20) as u16),
    };
    let list = |list: usize| {
        let mut numbers: Vec<usize> = Vec::new();
        while numbers.len() < 1 + list % 11 {
            let number = random.below(40);
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        numbers.sort_unstable();
        numbers.into_iter().map(entry).collect()
    };
    (0..75).map(list).collect()
}

/// Runs the test: `total` entities in all, `live` at most at a time; returns the look-ups' sum and the index's bytes at
/// the end.
fn synthetic<I: EntityIndex + Default>(
    lists: &[Vec<ComponentEntry>],
    total: usize,
    live: usize,
) -> (u64, IndexMemory) {
    let (mut entities, mut index) = (Entities::new(), I::default());
    let mut living: Vec<Entity> = Vec::with_capacity(live);
    let random = &mut Random(1);
    let mut found = 0;
    for number in 0..total {
        if living.len() == live {
            let dead = living.swap_remove(random.below(live));
            index.forget(dead);
            entities.destroy(dead);
        }
        let entity = entities.create();
        living.push(entity);
        let list = &lists[random.below(lists.len())];
        for &entry in list {
            if index.add(entity, entry).is_err() {
                found = u64::MAX / 2; // never, or the answers differ
            }
        }
        let wanted = list[random.below(list.len())].name;
        found += index
            .find(entity, wanted)
            .map_or(0, |located| 1 + u64::from(located.manager.0));
        if number % COLLECT_EVERY == 0 {
            index.collect(COLLECT_BUDGET);
        }
    }
    (found, index.memory())
}

fn synthetic_sizes(run: &mut Run, name: &str, live: usize, sizes: &[&SourceRow]) -> anyhow::Result<()> {
    let lists = compositions();
    let names = [
        "shared prototypes",
        "legacy",
        "hash chain, linked",
        "hash chain, full rows",
    ];
    let mut lines: Vec<Line> = names
        .map(|name| Line {
            name: name.to_owned(),
            points: Vec::new(),
        })
        .into();
    for &source in sizes {
        let thousands = source.thousands;
        let total = thousands * 1024;
        let case = format!("{thousands}k in all, {name}");
        let rounds = if run.smoke || thousands > 1280 { 1 } else { 5 };
        let mut memories = [IndexMemory::default(); 4];
        let [a, b, c, d] = &mut memories;
        let timings = interleave(
            &case,
            rounds,
            [
                contender::<PrototypeIndex>(names[0], &lists, total, live, a),
                contender::<LegacyIndex>(names[1], &lists, total, live, b),
                contender::<ChainIndex<Linked>>(names[2], &lists, total, live, c),
                contender::<ChainIndex<FullEntries>>(names[3], &lists, total, live, d),
            ],
        )?;
        let peers: Vec<&Timing> = timings[1..].iter().collect();
        let operations = total as f64 * 1e3;
        run.report
            .compare(&case, "time per entity", "µs", operations, &timings[0], &peers);
        let names_of_ours = ["time per entity", "legacy, time per entity"];
        for ((metric, timing), theirs) in names_of_ours.into_iter().zip(&timings).zip(source.times_us) {
            let time = timing.minimum_ns() / operations;
            run.report
                .push(&case, metric, "µs", time, Some((SOURCE_NAME, theirs)));
        }
        push_memory(run, &case, &names, &memories, source);
        for (line, timing) in lines.iter_mut().zip(&timings) {
            line.points
                .push(((thousands as f64).log2(), timing.minimum_ns() / operations));
        }
    }
    for (name, column) in [("the source's new, 2017", 0), ("the source's legacy, 2017", 1)] {
        let point = |source: &&SourceRow| ((source.thousands as f64).log2(), source.times_us[column]);
        lines.push(Line {
            name: name.to_owned(),
            points: sizes.iter().map(point).collect(),
        });
    }
    let axes = Axes {
        title: &format!("Create, register, look up, delete, collect: {name}"),
        x: "entities in all, log2 of thousands",
        y: "µs an entity",
        scale: Scale::Linear,
    };
    plot::lines(
        &run.out.join(format!("entities-{}", name.replace(' ', "-"))),
        &axes,
        &lines,
    )
}

fn contender<'a, I: EntityIndex + Default>(
    name: &str,
    lists: &'a [Vec<ComponentEntry>],
    total: usize,
    live: usize,
    memory: &'a mut IndexMemory,
) -> Contender<'a> {
    Contender::new(name, move || {
        let (found, weight) = synthetic::<I>(black_box(lists), total, live);
        *memory = weight;
        found
    })
}

fn push_memory(
    run: &mut Run,
    case: &str,
    names: &[&str; 4],
    memories: &[IndexMemory; 4],
    source: &SourceRow,
) {
    let total = |memory: &IndexMemory| (memory.entities_bytes + memory.prototypes_bytes) as f64 / 1e6;
    for (name, memory) in names.iter().zip(memories).skip(1) {
        let peer = Some((*name, total(memory)));
        run.report.push(case, "memory", "MB", total(&memories[0]), peer);
    }
    for ((metric, memory), theirs) in ["memory", "legacy, memory"]
        .into_iter()
        .zip(memories)
        .zip(source.memory_mb)
    {
        run.report
            .push(case, metric, "MB", total(memory), Some((SOURCE_NAME, theirs)));
    }
    let kilobytes = |memory: &IndexMemory| memory.prototypes_bytes as f64 / 1e3;
    for (name, memory) in names.iter().zip(memories).skip(2) {
        let peer = Some((*name, kilobytes(memory)));
        run.report
            .push(case, "prototypes alone", "KB", kilobytes(&memories[0]), peer);
    }
}

/// Look-ups by name in 40,000 living entities; `place` chooses the entity of each look-up.
fn look_ups(
    run: &mut Run,
    case: &str,
    lists: &[Vec<ComponentEntry>],
    place: impl Fn(&mut Random, usize, usize) -> usize,
) -> anyhow::Result<()> {
    const FINDS: usize = 200_000;
    let mut entities = Entities::new();
    let list = entities.create_many(LIVE_FEW);
    let random = &mut Random(3);
    let kinds: Vec<usize> = list.iter().map(|_| random.below(lists.len())).collect();
    let questions: Vec<(Entity, NameHash)> = (0..FINDS)
        .map(|number| {
            let place = place(random, number, list.len());
            let entries = &lists[kinds[place]];
            (list[place], entries[random.below(entries.len())].name)
        })
        .collect();
    let (mut ours, mut legacy) = (PrototypeIndex::new(), LegacyIndex::new());
    let (mut linked, mut full) = (
        ChainIndex::<Linked>::default(),
        ChainIndex::<FullEntries>::default(),
    );
    let all: [&mut dyn EntityIndex; 4] = [&mut ours, &mut legacy, &mut linked, &mut full];
    for index in all {
        for (&entity, &kind) in list.iter().zip(&kinds) {
            index.add_many(&[entity], &lists[kind])?;
        }
    }
    let timings = interleave(
        "look-up by name",
        if run.smoke { 1 } else { 31 },
        [
            Contender::new("shared prototypes", || ask(&ours, &questions)),
            Contender::new("legacy", || ask(&legacy, &questions)),
            Contender::new("hash chain, linked", || ask(&linked, &questions)),
            Contender::new("hash chain, full rows", || ask(&full, &questions)),
        ],
    )?;
    let peers: Vec<&Timing> = timings[1..].iter().collect();
    run.report
        .compare(case, "look-up by name", "ns", FINDS as f64, &timings[0], &peers);
    Ok(())
}

fn ask<I: EntityIndex>(index: &I, questions: &[(Entity, NameHash)]) -> u64 {
    let found = questions
        .iter()
        .map(|&(entity, name)| index.find(black_box(entity), name));
    found
        .map(|located| located.map_or(0, |located| 1 + u64::from(located.manager.0)))
        .sum()
}

#[derive(Clone, Default)]
struct Fog {
    density: f32,
}

impl Component for Fog {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property(
                "density",
                |fog: &Fog| fog.density,
                |fog, density| fog.density = density,
            )
            .range(0.0..=1.0)
    }
}

/// One property of 10,000 entities: written by a field of the manager's value, by accessor, by path; and read.
fn properties(run: &mut Run) -> anyhow::Result<()> {
    const COUNT: usize = 10_000;
    let mut system = EntitySystem::new();
    let fogs = system.register("Fog", Dense::<Fog>::new())?;
    let list: Vec<Entity> = (0..COUNT).map(|_| system.create()).collect();
    for &entity in &list {
        system.add(entity, fogs, "Mist")?;
    }
    let mist: InstanceId = NameHash::of("Mist").into();
    let system = std::cell::RefCell::new(system);
    let timings = interleave(
        "properties",
        if run.smoke { 1 } else { 101 },
        [
            Contender::new("by accessor", || {
                let (mut density, system) = (Accessor::new("Mist.density").ok(), &mut *system.borrow_mut());
                let mut set = 0;
                for &entity in &list {
                    let done = density
                        .as_mut()
                        .map(|density| system.set_with(density, entity, Value::F32(0.5)));
                    set += u64::from(done.is_some_and(|done| done.is_ok()));
                }
                set
            }),
            Contender::new("by path", || {
                let system = &mut *system.borrow_mut();
                let set = |&&entity: &&Entity| {
                    system
                        .set(entity, black_box("Mist.density"), Value::F32(0.5))
                        .is_ok()
                };
                list.iter().filter(set).count() as u64
            }),
            Contender::new("a field through the manager", || {
                let system = &mut *system.borrow_mut();
                let Some(fogs) = system.manager_mut::<Dense<Fog>>(fogs) else {
                    return 0;
                };
                let mut set = 0;
                for &entity in &list {
                    if let Some(fog) = fogs.value_mut(black_box(entity), mist) {
                        fog.density = black_box(0.5);
                        set += 1;
                    }
                }
                set
            }),
        ],
    )?;
    let [accessor, path, field] = &timings;
    run.report.compare(
        "10k entities",
        "set by accessor",
        "ns",
        COUNT as f64,
        accessor,
        &[field],
    );
    run.report
        .compare("10k entities", "set by path", "ns", COUNT as f64, path, &[field]);
    Ok(())
}
