//! Runs the rays and characters of the runner programs: one after the other in turns, each in its own process.

use std::process::Command;

use anyhow::{Context, ensure};
use tombolo_bench_protocol::ground::{GroundAnswer, GroundOrder, Task};

use super::super::Run;
use super::super::physics::builds::{self, Build};
use crate::report::{Progress, print_note};

/// A task: its case, metric and unit, the nanoseconds of its unit, and the tolerance of its figures.
struct Case {
    order: GroundOrder,
    name: String,
    metric: &'static str,
    /// The relative difference that the first figure of a peer may have from ours: rays graze corners; each engine's
    /// characters get on a stair differently.
    difference: f64,
}

/// Builds the runners and compares each engine's rays and characters with ours.
pub(super) fn compare(run: &mut Run, engines: &[&str]) -> anyhow::Result<()> {
    let ours = builds::find("tombolo")?;
    let peers: Vec<&Build> = engines
        .iter()
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<_>>()?;
    for build in [ours].iter().chain(&peers) {
        builds::build(build, 1)?;
    }
    let (rays, characters, steps) = if run.smoke {
        (1000, 50, 60)
    } else {
        (100_000, 1000, 600)
    };
    let order = |task, count, rounds| GroundOrder { task, count, rounds };
    let cases = [
        Case {
            order: order(Task::Rays, rays, if run.smoke { 1 } else { 21 }),
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
    ];
    for case in &cases {
        compare_case(run, case, ours, &peers)?;
    }
    Ok(())
}

fn compare_case(run: &mut Run, case: &Case, ours: &Build, peers: &[&Build]) -> anyhow::Result<()> {
    let rounds = if run.smoke { 1 } else { 3 };
    let progress = Progress::start(&case.name, rounds * (1 + peers.len()));
    let mut answers: Vec<Vec<GroundAnswer>> = vec![Vec::new(); 1 + peers.len()];
    for _ in 0..rounds {
        for (build, answers) in [ours].iter().chain(peers).zip(&mut answers) {
            answers.push(ask(build, &case.order)?);
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

/// The shortest time of rounds of the same work, or the mean of steps that differ.
fn least_disturbed(task: Task, round_ns: &[u64]) -> f64 {
    let numbers = round_ns.iter().map(|&ns| ns as f64);
    match task {
        Task::Rays => numbers.fold(f64::INFINITY, f64::min),
        Task::Characters => numbers.sum::<f64>() / round_ns.len().max(1) as f64,
    }
}

fn ask(build: &Build, order: &GroundOrder) -> anyhow::Result<GroundAnswer> {
    let program = build.program(1);
    let output = Command::new(&program)
        .args(order.to_arguments())
        .output()
        .with_context(|| format!("starting {}", program.display()))?;
    ensure!(
        output.status.success(),
        "{} ended with {}: {}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).context("reading what the runner found")
}
