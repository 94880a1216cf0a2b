//! The engine's space: interest sets beside full queries, and a path through a maze beside the `pathfinding` crate.

use anyhow::ensure;
use pathfinding::prelude::astar;
use tombolo::entity::{Accessor, Entity, Value};
use tombolo::geometry::orthtree::{Bounds, Linear, Orthtree, Settings as TreeSettings, Smallest};
use tombolo::physics::Vec2;
use tombolo::{Interest, Scene, Settings, World};

use super::super::Run;
use super::scene::Random;
use crate::measure::{Contender, Timing, interleave, time};

/// A server's step: all entities move, observers look around, some of them moving too.
pub(super) fn interest(run: &mut Run) -> anyhow::Result<()> {
    let (entity_count, observer_count, side) = if run.smoke {
        (2_000, 50, 150.0)
    } else {
        (100_000, 1_000, 1024.0)
    };
    for (what, moving) in [("observers rest", false), ("observers move", true)] {
        let random = &mut Random(21);
        let mut world = World::new(&Settings::default())?;
        let mut place = Accessor::new("transform.position")?;
        let mut entities: Vec<(Entity, Vec2)> = Vec::new();
        for _ in 0..entity_count {
            let entity = world.create(None)?;
            let at = Vec2::from(random.place::<2>(side));
            world.set_with(&mut place, entity, Value::Vec2(at))?;
            entities.push((entity, at));
        }
        world.update_space();
        let mut interest = Interest::new();
        let mut observers: Vec<(_, Bounds<2>, Vec<Entity>)> = (0..observer_count)
            .map(|_| {
                let area = Bounds::around(random.place::<2>(side), 0.1 * side);
                (interest.add(area), area, Vec::new())
            })
            .collect();
        let rounds = if run.smoke { 3 } else { 12 };
        let [mut ours, mut full] = ["tombolo", "full queries"].map(|name| Timing {
            name: name.to_owned(),
            rounds_ns: Vec::new(),
        });
        for round in 0..rounds {
            for (entity, at) in &mut entities {
                *at += 0.1 * Vec2::new(random.sign(), random.sign());
                world.set_with(&mut place, *entity, Value::Vec2(*at))?;
            }
            world.update_space();
            if moving {
                for (id, area, _) in &mut observers {
                    let way = [0.1 * random.sign(), 0.1 * random.sign()];
                    *area = Bounds::new(
                        [area.min[0] + way[0], area.min[1] + way[1]],
                        [area.max[0] + way[0], area.max[1] + way[1]],
                    );
                    interest.set_area(*id, *area);
                }
            }
            let (our_time, ()) = time(|| interest.update(world.space()));
            let (full_time, changes) = time(|| {
                let mut changes = Vec::new();
                for (_, area, before) in &mut observers {
                    let now = world.space().find(area);
                    changes.push(differences(before, &now));
                    *before = now;
                }
                changes
            });
            for ((id, ..), expected) in observers.iter().zip(changes) {
                let found = (interest.entered(*id).len(), interest.left(*id).len());
                ensure!(
                    found == expected,
                    "{what}: {found:?} told, {expected:?} by queries"
                );
            }
            // In the first round everybody enters.
            if round > 0 {
                ours.rounds_ns.push(our_time.as_secs_f64() * 1e9);
                full.rounds_ns.push(full_time.as_secs_f64() * 1e9);
            }
        }
        let case = format!("{observer_count} observers, {entity_count} moving entities, {what}");
        run.report
            .compare(&case, "interest sets", "ms", 1e6, &ours, &[&full]);
    }
    Ok(())
}

/// How many came and how many left, of two sorted lists.
fn differences(before: &[Entity], now: &[Entity]) -> (usize, usize) {
    let (mut old, mut new) = (before.iter().peekable(), now.iter().peekable());
    let (mut came, mut left) = (0, 0);
    loop {
        match (old.peek(), new.peek()) {
            (None, None) => return (came, left),
            (Some(_), None) => {
                left += 1;
                old.next();
            }
            (None, Some(_)) => {
                came += 1;
                new.next();
            }
            (Some(a), Some(b)) => match a.cmp(b) {
                std::cmp::Ordering::Less => {
                    left += 1;
                    old.next();
                }
                std::cmp::Ordering::Greater => {
                    came += 1;
                    new.next();
                }
                std::cmp::Ordering::Equal => {
                    old.next();
                    new.next();
                }
            },
        }
    }
}

/// A maze of walls with one gate each, at the far end of the one before.
fn maze(half: f32, wall_count: usize) -> anyhow::Result<World> {
    let height = 2.0 * half;
    let step = height / (wall_count as f32 + 1.0);
    let text = format!(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {{
                "border": {{
                    "body": Body(),
                    "south": Collider(shape: Box(width: {height}, height: 1), position: (0, -{half})),
                    "north": Collider(shape: Box(width: {height}, height: 1), position: (0, {half})),
                    "west": Collider(shape: Box(width: 1, height: {height}), position: (-{half}, 0)),
                    "east": Collider(shape: Box(width: 1, height: {height}), position: ({half}, 0)),
                }},
                "high": {{"body": Body(), "stone": Collider(shape: Box(width: 0.5, height: {long}), position: (0, 3))}},
                "low": {{"body": Body(), "stone": Collider(shape: Box(width: 0.5, height: {long}), position: (0, -3))}},
            }},
            place: [
                One(name: "border", entity: "border"),
                Row(name: "high", entity: "high", at: ({first}, 0), count: {half_count}, step: ({two_steps}, 0)),
                Row(name: "low", entity: "low", at: ({second}, 0), count: {half_count}, step: ({two_steps}, 0)),
            ],
        )"#,
        long = height - 6.0,
        first = step - half,
        second = 2.0 * step - half,
        half_count = wall_count / 2,
        two_steps = 2.0 * step,
    );
    Ok(World::from_scene(&Scene::parse("maze.ron", &text)?)?)
}

/// A path from corner to corner of a maze.
pub(super) fn path(run: &mut Run) -> anyhow::Result<()> {
    let (half, wall_count) = if run.smoke { (30.0, 6) } else { (250.0, 64) };
    let clearance = 0.5;
    let mut world = maze(half, wall_count)?;
    let start = Vec2::splat(2.0 - half);
    let goal = Vec2::splat(half - 2.0);
    let (build, leaf_count) = time(|| world.free_space(clearance).map(|free| free.leaf_count()));
    let leaf_count = leaf_count?;
    let path = world.find_path(start, goal, clearance)?;
    let ours_length = length(start, &path);

    let area = world.free_space(clearance)?;
    let mut cells: Vec<Bounds<2>> = Vec::new();
    area.cells(&Bounds::around([0.0; 2], half), |cell| {
        if cell.is_free {
            cells.push(cell.bounds);
        }
    });
    let graph = Graph::new(cells, half)?;
    let (first, last) = (graph.cell_at(start)?, graph.cell_at(goal)?);
    let rounds = if run.smoke { 1 } else { 15 };
    let mut their_length = 0.0;
    let [ours, theirs] = interleave(
        "path",
        rounds,
        [
            Contender::new("tombolo", || {
                world.find_path(start, goal, clearance).map_or(0, |_| 1)
            }),
            Contender::new("pathfinding", || {
                let found = astar(
                    &first,
                    |cell| graph.beside[*cell as usize].iter().copied(),
                    |cell| graph.estimate(*cell, last),
                    |cell| *cell == last,
                );
                found.map_or(0, |(cells, _)| {
                    let corners: Vec<Vec2> = cells.iter().map(|cell| graph.middle(*cell)).collect();
                    their_length = length(start, &corners);
                    1
                })
            }),
        ],
    )?;
    let case = format!("a maze of {leaf_count} leaves");
    let report = &mut run.report;
    report.compare(&case, "path, corner to corner", "ms", 1e6, &ours, &[&theirs]);
    let metric = "length of the path (the peer's goes by middles)";
    report.push(
        &case,
        metric,
        "m",
        f64::from(ours_length),
        Some(("pathfinding", f64::from(their_length))),
    );
    report.push(&case, "making free space", "ms", build.as_secs_f64() * 1e3, None);
    ensure!(
        run.smoke || leaf_count >= 100_000,
        "the maze has {leaf_count} leaves only"
    );
    wall_moves(run, &case, &mut world, clearance)
}

fn length(start: Vec2, corners: &[Vec2]) -> f32 {
    let from = std::iter::once(&start).chain(corners);
    from.zip(corners).map(|(a, b)| a.distance(*b)).sum()
}

/// One wall moves, and free space follows.
fn wall_moves(run: &mut Run, case: &str, world: &mut World, clearance: f32) -> anyhow::Result<()> {
    let wall = world.find("high[1]").expect("the maze has it");
    let at = world.pose(wall).expect("it has a place").position;
    let rounds = if run.smoke { 1 } else { 9 };
    let mut times = Vec::new();
    for round in 0..rounds {
        let way = Vec2::new(if round % 2 == 0 { 0.25 } else { 0.0 }, 0.0);
        world.set(wall, "transform.position", Value::Vec2(at + way))?;
        let (elapsed, free) = time(|| world.free_space(clearance).map(|free| free.clearance()));
        free?;
        times.push(elapsed.as_secs_f64() * 1e3);
    }
    let least = times.into_iter().fold(f64::INFINITY, f64::min);
    run.report.push(
        case,
        "free space after one wall of 500 m moved",
        "ms",
        least,
        None,
    );
    Ok(())
}

/// The free leaves as the peer needs them: who is beside whom, made beforehand and not timed, costs in millimetres.
struct Graph {
    cells: Vec<Bounds<2>>,
    beside: Vec<Vec<(u32, u64)>>,
    tree: Orthtree<2, Linear, Smallest>,
}

impl Graph {
    fn new(cells: Vec<Bounds<2>>, half: f32) -> anyhow::Result<Self> {
        let settings = TreeSettings {
            depth_max: 9,
            growth_max: 3,
            ..TreeSettings::default()
        };
        let mut tree = Orthtree::new(Bounds::around([0.0; 2], half + 16.0), Smallest, settings)?;
        for (index, cell) in cells.iter().enumerate() {
            tree.insert(*cell, index as u64)?;
        }
        let mut graph = Self {
            cells,
            beside: Vec::new(),
            tree,
        };
        for index in 0..graph.cells.len() as u32 {
            let cell = graph.cells[index as usize];
            let mut beside = Vec::new();
            graph.tree.query(&cell, |hit| {
                let common = |axis: usize| {
                    let low = cell.min[axis].max(hit.bounds.min[axis]);
                    cell.max[axis].min(hit.bounds.max[axis]) - low
                };
                if hit.key != u64::from(index) && common(0).max(common(1)) > 0.0 {
                    let other = hit.key as u32;
                    beside.push((other, graph.estimate(index, other)));
                }
            });
            graph.beside.push(beside);
        }
        Ok(graph)
    }

    fn middle(&self, cell: u32) -> Vec2 {
        let bounds = &self.cells[cell as usize];
        0.5 * (Vec2::from(bounds.min) + Vec2::from(bounds.max))
    }

    fn estimate(&self, from: u32, to: u32) -> u64 {
        (self.middle(from).distance(self.middle(to)) * 1000.0) as u64
    }

    fn cell_at(&self, point: Vec2) -> anyhow::Result<u32> {
        let mut found = None;
        self.tree.query(&Bounds::point(point.to_array()), |hit| {
            found = Some(hit.key as u32)
        });
        found.ok_or_else(|| anyhow::anyhow!("no free cell at {point}"))
    }
}
