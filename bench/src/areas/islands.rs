//! Area `islands`: the cost of maintaining the islands in every step, under each algorithm, on the same events.
//!
//! A trace is replayed by all contenders at once, step by step, several times; the time of a step is its least
//! disturbed round. Steps in which bodies are created are a line of their own. The cost of a step is that of the
//! events, the finding and the splitting; all contenders decide alike which bodies fall asleep, and that is not timed.
//! The exact replay gives the peers the awake nodes, and all islands are compared with its own.

mod ablation;
mod deferred;
mod lateness;
mod peers;
mod recorded;
mod traces;

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::ensure;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use tombolo_bench_designs::islands::{Replay, SplitChoice, TraceEvent};
use tombolo_physics::island::{IslandAlgorithm, WorkBudget};
use tombolo_threads::{Executor, Inline, Pool, parallel_for};

use super::{Area, Run};
use crate::measure::time;
use crate::plot;
use crate::report::Progress;
use deferred::DeferredMerge;
use peers::{CompactDepthFirst, CompactUnionFind, SwapUnionFind};
use traces::Case;

pub(super) const AREA: Area = Area {
    name: "islands",
    description: "Upkeep of islands under each algorithm, beside a compact union-find and depth-first search",
    options: |command: Command| Options::augment_args(command),
    run,
};

const ROUNDS: usize = 5;

/// The lines of a plot and the columns of the table, in their order.
const NAMES: [&str; 9] = [
    "persistent",
    "exact every step",
    "deferred merge",
    "dfs",
    "union-find",
    "parallel-union-find, 2 workers",
    "compact union-find",
    "compact dfs",
    "compact compare-and-swap, 2 workers",
];
const PERSISTENT: usize = 0;
const EXACT: usize = 1;
const DEFERRED_MERGE: usize = 2;
const DEPTH_FIRST: usize = 3;
const UNION_FIND: usize = 4;
const PARALLEL: usize = 5;
const COMPACT_UNION_FIND: usize = 6;
const COMPACT_DEPTH_FIRST: usize = 7;
const COMPACT_SWAP: usize = 8;

#[derive(Args)]
struct Options {
    /// Steps these scene files 600 times and replays what was recorded, in place of the area's own traces.
    #[arg(long, value_name = "FILE")]
    scene: Vec<PathBuf>,
    /// Replays only those of the area's own traces whose name contains this.
    #[arg(long, value_name = "WORDS", default_value = "")]
    only: String,
}

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { ROUNDS };
    let options = Options::from_arg_matches(matches)?;
    let cases = match options.scene.as_slice() {
        [] => traces::all(run.smoke, &options.only)?,
        files => files
            .iter()
            .map(|file| recorded::scene_file(file))
            .collect::<Result<_, _>>()?,
    };
    for case in cases {
        let progress = Progress::start(&case.name, rounds);
        let mut best = replay(&case, 0)?;
        progress.advance();
        for round in 1..rounds {
            best.keep_least(replay(&case, round)?);
            progress.advance();
        }
        report_times(run, &case, &best);
        lateness::report_lateness(run, &case)?;
        ablation::report(run, &case, rounds)?;
        plot_steps(run, &case, &best)?;
    }
    Ok(())
}

/// Whether a step creates bodies.
fn creates(step: &[TraceEvent]) -> bool {
    step.iter().any(|event| matches!(event, TraceEvent::Add(_)))
}

/// The steps that a figure is of.
#[derive(Clone, Copy)]
enum Steps {
    /// Steps that create bodies.
    Creating,
    /// The other steps.
    Others,
    /// All steps.
    All,
}

impl Steps {
    fn has(self, step: &[TraceEvent]) -> bool {
        match self {
            Self::Creating => creates(step),
            Self::Others => !creates(step),
            Self::All => true,
        }
    }
}

/// Nanoseconds of each step for each of [`NAMES`].
struct Times([Vec<f64>; NAMES.len()]);

impl Times {
    fn keep_least(&mut self, other: Self) {
        for (mine, theirs) in self.0.iter_mut().flatten().zip(other.0.iter().flatten()) {
            *mine = mine.min(*theirs);
        }
    }

    /// The times of a contender in some of the steps, in microseconds.
    fn select_us(&self, contender: usize, case: &Case, wanted: Steps) -> Vec<f64> {
        let steps = case.trace.steps().zip(&self.0[contender]);
        steps
            .filter(|(step, _)| wanted.has(step))
            .map(|(_, ns)| ns / 1000.0)
            .collect()
    }
}

/// Replays a trace with all contenders side by side, in another order in each round: the first one finds the caches
/// full of the peers' memory.
fn replay(case: &Case, round: usize) -> anyhow::Result<Times> {
    let exact = |algorithm| Replay::new(algorithm, WorkBudget::UNLIMITED, SplitChoice::All);
    let pool = Pool::new(2)?;
    let mut replays: [(usize, Replay, &dyn Executor); 5] = [
        (
            PERSISTENT,
            Replay::new(
                IslandAlgorithm::Persistent,
                WorkBudget::default(),
                SplitChoice::InTurn,
            ),
            &Inline,
        ),
        (EXACT, exact(IslandAlgorithm::Persistent), &Inline),
        (DEPTH_FIRST, exact(IslandAlgorithm::DepthFirst), &Inline),
        (UNION_FIND, exact(IslandAlgorithm::UnionFind), &Inline),
        (PARALLEL, exact(IslandAlgorithm::ParallelUnionFind), &pool),
    ];
    let contenders = replays.len();
    replays.rotate_left(round % contenders);
    let mut times = Times(Default::default());
    let mut deferred = DeferredMerge::default();
    let mut compact = Compact::default();
    for step in case.trace.steps() {
        // Read once before anything is timed: in a world the narrow phase has just had these contacts in the cache.
        let step = &step.to_vec();
        for (contender, replay, executor) in &mut replays {
            let (applying, result) = time(|| replay.apply(step));
            result?;
            replay.list_awake();
            wake_workers(*executor);
            let (finding, result) = time(|| replay.find(*executor));
            result?;
            replay.choose();
            let (settling, _) = time(|| replay.split_islands());
            times.0[*contender].push((applying + finding + settling).as_secs_f64() * 1e9);
        }
        let (merging, ()) = time(|| {
            deferred.apply(step);
            deferred.merge();
        });
        deferred.choose();
        let (splitting, ()) = time(|| deferred.split());
        times.0[DEFERRED_MERGE].push((merging + splitting).as_secs_f64() * 1e9);
        deferred.fall_asleep();
        // Its islands are exact in every step, without gaps to search.
        let reference = replays.iter().find(|(contender, ..)| *contender == PARALLEL);
        let (_, reference, _) = reference.expect("it is among them");
        compact.find(case, reference, &pool, &mut times)?;
        for (_, replay, _) in &mut replays {
            replay.fall_asleep()?;
        }
    }
    Ok(times)
}

/// The peers that get packed edges.
#[derive(Default)]
struct Compact {
    packed: Packed,
    union_find: CompactUnionFind,
    depth_first: CompactDepthFirst,
    swap: SwapUnionFind,
}

impl Compact {
    /// Times all of them in a step, and compares their islands with those of the reference.
    fn find(
        &mut self,
        case: &Case,
        reference: &Replay,
        pool: &Pool,
        times: &mut Times,
    ) -> anyhow::Result<()> {
        self.packed.pack(reference);
        let (count, edges) = (self.packed.node_count, &self.packed.edges);
        let mut push = |contender: usize, elapsed: Duration| {
            times.0[contender].push(elapsed.as_secs_f64() * 1e9);
        };
        let (elapsed, ()) = time(|| self.union_find.find_islands(count, edges));
        push(COMPACT_UNION_FIND, elapsed);
        let (elapsed, ()) = time(|| self.depth_first.find_islands(count, edges));
        push(COMPACT_DEPTH_FIRST, elapsed);
        wake_workers(pool);
        let (elapsed, ()) = time(|| self.swap.find_islands(pool, count, edges));
        push(COMPACT_SWAP, elapsed);
        let islands = reference.islands().awake_islands().len();
        let found = [
            self.union_find.sorted.count(),
            self.depth_first.starts.len(),
            self.swap.sorted.count(),
        ];
        ensure!(
            found.iter().all(|&count| count == islands),
            "{}: the peers find {found:?} islands, there are {islands}",
            &case.name,
        );
        Ok(())
    }
}

/// Returns when every worker takes part in runs, or after a while. In a world the narrow phase, which all workers run,
/// ends just before; here the workers fall asleep between two steps, and waking one takes as long as finding the
/// islands.
fn wake_workers(executor: &dyn Executor) {
    const TRIES: usize = 1_000;
    let workers = executor.worker_count();
    for _ in 0..TRIES {
        let arrived = AtomicUsize::new(0);
        parallel_for(executor, workers, 1, &|worker, _| {
            arrived.fetch_or(1 << worker, Ordering::Relaxed);
            std::hint::spin_loop();
        });
        if arrived.into_inner() == (1 << workers) - 1 {
            return;
        }
    }
}

/// The awake nodes numbered from 0, and the edges between them.
#[derive(Default)]
struct Packed {
    node_count: usize,
    numbers: Vec<u32>,
    edges: Vec<[u32; 2]>,
}

impl Packed {
    fn pack(&mut self, replay: &Replay) {
        let (islands, awake) = (replay.islands(), replay.awake());
        self.node_count = awake.len();
        self.numbers.resize(
            awake
                .iter()
                .max()
                .map_or(0, |&node| node as usize + 1)
                .max(self.numbers.len()),
            0,
        );
        for (number, &node) in awake.iter().enumerate() {
            self.numbers[node as usize] = number as u32;
        }
        self.edges.clear();
        let edges = islands
            .awake_islands()
            .iter()
            .flat_map(|&island| islands.edges(island));
        let ends = edges.filter_map(|edge| islands.edge_nodes(edge));
        self.edges
            .extend(ends.map(|ends| ends.map(|node| self.numbers[node as usize])));
    }
}

fn average(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

fn maximum(values: &[f64]) -> f64 {
    values.iter().copied().fold(0.0, f64::max)
}

/// The 99th percentile of some values.
fn percentile_99(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
        .get((sorted.len() * 99).div_ceil(100).saturating_sub(1))
        .copied()
        .unwrap_or(0.0)
}

/// A statistic of the times of steps, with its name.
type Figure = (&'static str, fn(&[f64]) -> f64);

/// Pushes a row for each peer: a statistic of the steps in which bodies are created, of the others, or of all.
fn report_figure(
    run: &mut Run,
    case: &Case,
    times: &Times,
    metric: &str,
    figure: fn(&[f64]) -> f64,
    steps: Steps,
) {
    let of = |contender| figure(&times.select_us(contender, case, steps));
    for (peer, name) in NAMES.into_iter().enumerate().skip(1) {
        run.report
            .push(&case.name, metric, "µs", of(PERSISTENT), Some((name, of(peer))));
    }
}

fn report_times(run: &mut Run, case: &Case, times: &Times) {
    let figures: [Figure; 3] = [("average", average), ("p99", percentile_99), ("max", maximum)];
    for (metric, figure) in figures {
        report_figure(run, case, times, metric, figure, Steps::Others);
    }
    let of = |contender| average(&times.select_us(contender, case, Steps::Others));
    for peer in [UNION_FIND, COMPACT_SWAP] {
        let metric = "average of parallel-union-find";
        run.report.push(
            &case.name,
            metric,
            "µs",
            of(PARALLEL),
            Some((NAMES[peer], of(peer))),
        );
    }
    let longest = maximum(&times.select_us(PERSISTENT, case, Steps::Others));
    let bound = ("union-find, average", of(UNION_FIND));
    run.report
        .push(&case.name, "max against an average", "µs", longest, Some(bound));
    for (metric, figure) in figures {
        let metric = format!("{metric} of steps that create");
        report_figure(run, case, times, &metric, figure, Steps::Creating);
    }
    report_figure(run, case, times, "max of all steps", maximum, Steps::All);
}

fn plot_steps(run: &Run, case: &Case, times: &Times) -> anyhow::Result<()> {
    let lines: Vec<plot::Line> = NAMES
        .iter()
        .enumerate()
        .map(|(contender, name)| {
            let times = case.trace.steps().zip(&times.0[contender]).enumerate();
            let points = times
                .filter(|(_, (step, _))| !creates(step))
                .map(|(number, (_, ns))| (number as f64, ns / 1000.0))
                .collect();
            plot::Line {
                name: (*name).to_owned(),
                points,
            }
        })
        .collect();
    let stem: String = case
        .name
        .chars()
        .filter(|c| c.is_ascii_alphanumeric() || *c == ' ')
        .map(|c| if c == ' ' { '-' } else { c })
        .collect();
    let axes = plot::Axes {
        title: &case.name,
        x: "step; those that create bodies are left out",
        y: "µs",
        scale: plot::Scale::LogarithmicHeight,
    };
    plot::lines(&run.out.join(format!("islands-{stem}")), &axes, &lines)
}
