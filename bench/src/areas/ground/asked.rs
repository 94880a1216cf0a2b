//! Runs the rays, characters and grids of the runner programs: one after the other in turns, each in its own process.

use anyhow::ensure;
use tombolo_bench_protocol::ground::{GroundAnswer, GroundOrder, Task};
use tombolo_bench_protocol::tiles::{Kind, ROWS};

use super::super::Run;
use super::super::physics::builds::{self, Build};
use crate::report::{Progress, print_note};

/// The engines with a grid of cells as a collider.
const WITH_GRIDS: [&str; 1] = ["rapier"];

/// A task: its case, metric and unit, the nanoseconds of its unit, and the tolerance of its figures.
struct Case {
    order: GroundOrder,
    name: String,
    metric: &'static str,
    /// The relative difference that the first figure of a peer may have from ours: rays graze corners; each engine's
    /// characters get on a stair differently.
    difference: f64,
}

/// Builds the runners and compares each engine's rays, characters and grids with ours.
pub(super) fn compare(run: &mut Run, engines: &[&str]) -> anyhow::Result<()> {
    let ours = builds::find("tombolo")?;
    let peers: Vec<&Build> = engines
        .iter()
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<_>>()?;
    for build in [ours].iter().chain(&peers) {
        builds::build(build, 1)?;
    }
    for case in &cases(run.smoke) {
        compare_case(run, case, ours, &peers)?;
    }
    let has_grid = |name: &&&str| WITH_GRIDS.contains(*name);
    let with_grids: Vec<&Build> = engines
        .iter()
        .filter(has_grid)
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<_>>()?;
    if with_grids.is_empty() {
        return Ok(());
    }
    for case in &cases_of_tiles(run.smoke) {
        compare_case(run, case, ours, &with_grids)?;
    }
    Ok(())
}

/// Rays and characters.
fn cases(smoke: bool) -> Vec<Case> {
    let (rays, characters, steps) = if smoke {
        (1000, 50, 60)
    } else {
        (100_000, 1000, 600)
    };
    let order = |task, count, rounds| GroundOrder {
        task,
        count,
        rounds,
        kind: Kind::Ragged,
    };
    vec![
        Case {
            order: order(Task::Rays, rays, if smoke { 1 } else { 21 }),
            name: format!("{rays} rays among 4,000 boxes"),
            metric: "all of them",
            difference: 1.0e-3,
        },
        Case {
            order: order(Task::Characters, characters, steps),
            name: format!("{characters} characters on stairs"),
            metric: "a step",
            difference: 0.5,
        },
    ]
}

/// Grounds that are loaded and edited, and boxes that fall on tiles.
fn cases_of_tiles(smoke: bool) -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in [Kind::Full, Kind::Ragged, Kind::Noise] {
        let columns = match (smoke, kind) {
            (true, _) => 100,
            (false, Kind::Noise) => 1000,
            (false, _) => 10_000,
        };
        let name = format!("{columns} by {ROWS} cells, {}", kind.name());
        let rounds = if smoke { 1 } else { 3 };
        let edits = if smoke { 20 } else { 2000 };
        for (task, rounds, metric) in [
            (Task::Load, rounds, "load and first step"),
            (Task::Edits, edits, "an edit, median"),
        ] {
            cases.push(Case {
                order: GroundOrder {
                    task,
                    count: columns,
                    rounds,
                    kind,
                },
                name: name.clone(),
                metric,
                difference: 0.0,
            });
        }
    }
    let (count, rounds) = if smoke { (60, 90) } else { (5000, 300) };
    cases.push(Case {
        order: GroundOrder {
            task: Task::Boxes,
            count,
            rounds,
            kind: Kind::Hills,
        },
        name: format!("{count} boxes fall on tiles"),
        metric: "a step",
        difference: 1.0e-3,
    });
    cases
}

fn compare_case(run: &mut Run, case: &Case, ours: &Build, peers: &[&Build]) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 3 };
    let progress = Progress::start(&case.name, rounds * (1 + peers.len()));
    let mut answers: Vec<Vec<GroundAnswer>> = vec![Vec::new(); 1 + peers.len()];
    for _ in 0..rounds {
        for (build, answers) in [ours].iter().chain(peers).zip(&mut answers) {
            answers.push(build.ask(case.order.to_arguments())?);
            progress.advance();
        }
    }
    let best = |answers: &[GroundAnswer]| {
        answers
            .iter()
            .map(|answer| least_disturbed(case.order.task, &answer.round_ns))
            .fold(f64::INFINITY, f64::min)
    };
    let our_figures = answers[0][0].figures;
    for peer in &answers[1..] {
        let name = &peer[0].engine;
        run.report.push(
            &case.name,
            case.metric,
            "µs",
            best(&answers[0]) * 1e-3,
            Some((name, best(peer) * 1e-3)),
        );
        if case.order.task == Task::Load {
            let theirs = peer[0].figures[1];
            run.report.push(
                &case.name,
                "bytes a cell",
                "B",
                our_figures[1],
                Some((name, theirs)),
            );
        }
        let [a, b] = [our_figures[0], peer[0].figures[0]];
        ensure!(
            (a - b).abs() <= case.difference * a.max(b),
            "{}: ours gives {our_figures:?}, {name} {:?}: they do not do the same work",
            case.name,
            peer[0].figures
        );
        print_note(&format!(
            "{}: ours {our_figures:?}, {name} {:?}",
            case.name, peer[0].figures
        ));
    }
    Ok(())
}

/// The shortest time of rounds of the same work, the mean of steps that differ, or the median of edits.
fn least_disturbed(task: Task, round_ns: &[u64]) -> f64 {
    let numbers = round_ns.iter().map(|&ns| ns as f64);
    match task {
        Task::Rays | Task::Load => numbers.fold(f64::INFINITY, f64::min),
        Task::Characters | Task::Boxes => numbers.sum::<f64>() / round_ns.len().max(1) as f64,
        Task::Edits => {
            let mut sorted: Vec<f64> = numbers.collect();
            sorted.sort_by(f64::total_cmp);
            sorted.get(sorted.len() / 2).copied().unwrap_or_default()
        }
    }
}
