//! Area `calls`: what users call between steps, in nanoseconds a call, beside Box2D and Rapier: creating, destroying, moving
//! and pushing bodies, and queries, in worlds of 100 and of 10,000 bodies. Queries are asked one by one, and ours in a batch of
//! one worker as well, beside the others' single calls. Steps with 200 bodies that are created and as many destroyed, and with 200 that
//! are moved, have what an engine puts off until then.
//!
//! The target: each call in 0.8 times the time of the faster peer.

use anyhow::ensure;
use clap::{ArgMatches, Args, FromArgMatches};
use tombolo_bench_protocol::calls::{Call, CallsAnswer, CallsOrder};

use super::physics::builds::{self, Build};
use super::{Area, Run};
use crate::report::Progress;

pub(super) const AREA: Area = Area {
    name: "calls",
    description: "Creating, destroying, moving and pushing bodies, and queries, beside Box2D and Rapier: time a call",
    options: Options::augment_args,
    run,
};

#[derive(Debug, Args)]
struct Options {
    /// Engines whose calls stand beside ours
    #[arg(long, value_delimiter = ',', default_value = "box2d,rapier")]
    engines: Vec<String>,
    /// The numbers of bodies of the worlds, multiples of ten
    #[arg(long, value_delimiter = ',', default_value = "100,10000")]
    bodies: Vec<u32>,
}

/// What is asked of every engine, and what its rows are called.
const CASES: [(Call, &str); 10] = [
    (Call::Create, "create a body with a box"),
    (Call::Destroy, "destroy it"),
    (Call::Move, "move a body, contacts are kept"),
    (Call::Impulse, "an impulse"),
    (Call::Read, "read a place, of all bodies"),
    (Call::Ray, "a ray"),
    (Call::Overlap, "an overlap"),
    (Call::Cast, "a cast of a circle"),
    (Call::Churn, "a step, 200 bodies created, 200 destroyed"),
    (Call::Nudges, "a step, 200 bodies are moved"),
];

fn run(matches: &ArgMatches, run: &mut Run) -> anyhow::Result<()> {
    let options = Options::from_arg_matches(matches)?;
    let ours = builds::find("tombolo")?;
    let peers: Vec<&Build> = options
        .engines
        .iter()
        .map(|name| builds::find(name))
        .collect::<anyhow::Result<_>>()?;
    for bodies in &options.bodies {
        ensure!(
            *bodies >= 10 && bodies % 10 == 0,
            "--bodies takes multiples of ten, not {bodies}"
        );
    }
    for build in [ours].iter().chain(&peers) {
        builds::build(build, 1)?;
    }
    for &bodies in &options.bodies {
        for (call, metric) in CASES {
            compare(run, ours, &peers, bodies, call, metric)?;
        }
    }
    Ok(())
}

/// The orders' number of calls and of rounds.
fn order(smoke: bool, bodies: u32, call: Call) -> CallsOrder {
    let (count, rounds) = match call {
        Call::Create | Call::Destroy => (bodies.clamp(100, 1000), 50),
        Call::Move | Call::Impulse => (bodies, 50),
        Call::Read => (bodies, 200),
        Call::Ray | Call::Overlap | Call::Cast => (10_000, 9),
        Call::Churn | Call::Nudges => (200, 60),
    };
    CallsOrder {
        call,
        bodies,
        count: if smoke { count.min(100) } else { count },
        rounds: if smoke { 2 } else { rounds },
        batch: false,
    }
}

fn compare(
    run: &mut Run,
    ours: &Build,
    peers: &[&Build],
    bodies: u32,
    call: Call,
    metric: &str,
) -> anyhow::Result<()> {
    let single = order(run.smoke, bodies, call);
    let batch = CallsOrder {
        batch: true,
        ..single.clone()
    };
    // Our batch comes last, so that it stands beside the peers of the same turn.
    let mut programs: Vec<(&Build, &CallsOrder)> = vec![(ours, &single)];
    programs.extend(peers.iter().map(|&peer| (peer, &single)));
    programs.extend(call.has_batch().then_some((ours, &batch)));
    let turns = if run.smoke { 1 } else { 3 };
    let case = format!("{bodies} bodies");
    let progress = Progress::start(&format!("{case}, {metric}"), turns * programs.len());
    let mut answers: Vec<Vec<CallsAnswer>> = vec![Vec::new(); programs.len()];
    for _ in 0..turns {
        for ((build, order), answers) in programs.iter().zip(&mut answers) {
            answers.push(build.ask(order.to_arguments())?);
            progress.advance();
        }
    }
    let figures = answers[0][0].figures;
    for answer in answers.iter().flatten() {
        ensure!(
            are_alike(call, figures, answer.figures),
            "{case}, {metric}: ours gives {figures:?}, {} {:?}: they do not do the same work",
            answer.engine,
            answer.figures
        );
    }
    let [ours, theirs] = [0, 1].map(|first| &answers[first..]);
    for peer in &theirs[..peers.len()] {
        let name = &peer[0].engine;
        let beside = Some((name.as_str(), time_of_one(&single, peer)));
        let unit = if call.is_step() { "µs" } else { "ns" };
        run.report
            .push(&case, metric, unit, time_of_one(&single, &ours[0]), beside);
        if call.has_batch() {
            let batched = time_of_one(&batch, &answers[programs.len() - 1]);
            run.report.push(
                &case,
                &format!("{metric}, ours in a batch"),
                unit,
                batched,
                beside,
            );
        }
    }
    Ok(())
}

/// Whether the figures of two engines are as near as those of a call have to be.
fn are_alike(call: Call, ours: [f64; 2], theirs: [f64; 2]) -> bool {
    let allowed = call.likeness();
    (0..2).all(|place| {
        let [a, b] = [ours[place], theirs[place]];
        allowed[place].is_infinite() || (a - b).abs() <= allowed[place] * a.abs().max(b.abs())
    })
}

/// Nanoseconds of a call in the least of the rounds; microseconds of a step in the median of those of the least turn.
fn time_of_one(order: &CallsOrder, turns: &[CallsAnswer]) -> f64 {
    let least = |of: &dyn Fn(&CallsAnswer) -> f64| turns.iter().map(of).fold(f64::INFINITY, f64::min);
    if order.call.is_step() {
        return least(&|answer| {
            let mut sorted = answer.round_ns.clone();
            sorted.sort_unstable();
            sorted.get(sorted.len() / 2).map_or(0.0, |&ns| ns as f64 * 1e-3)
        });
    }
    least(&|answer| answer.round_ns.iter().min().map_or(0.0, |&ns| ns as f64)) / f64::from(order.count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_that_do_not_do_the_same_are_told_apart() {
        // Ten bodies too few among twenty thousand.
        assert!(are_alike(
            Call::Create,
            [22_002.0, 20_002.0],
            [22_002.0, 20_002.0]
        ));
        assert!(!are_alike(
            Call::Create,
            [22_002.0, 20_002.0],
            [20_002.0, 20_002.0]
        ));
        assert!(!are_alike(
            Call::Destroy,
            [22_002.0, 20_002.0],
            [22_002.0, 20_012.0]
        ));
        // Moves that do nothing.
        assert!(are_alike(Call::Move, [5.0, 0.04], [5.01, 0.041]));
        assert!(!are_alike(Call::Move, [5.0, 0.04], [5.0, 0.0]));
        // As many hits, elsewhere.
        assert!(!are_alike(Call::Ray, [900.0, 0.4], [900.0, 0.5]));
        assert!(!are_alike(Call::Cast, [900.0, f64::NAN], [900.0, 0.5]));
        // Sums of both signs say nothing.
        assert!(are_alike(Call::Impulse, [100.0, 0.01], [100.0, -0.02]));
    }

    #[test]
    fn a_call_has_the_time_of_the_shortest_round() {
        let answer = |round_ns| CallsAnswer {
            engine: String::new(),
            round_ns,
            figures: [0.0; 2],
        };
        let turns = [answer(vec![900, 600]), answer(vec![700, 800])];
        let ray = CallsOrder {
            count: 3,
            ..order(false, 100, Call::Ray)
        };
        assert_eq!(time_of_one(&ray, &turns), 200.0);
        let steps = [answer(vec![9000, 1000, 5000]), answer(vec![7000, 6000, 8000])];
        assert_eq!(time_of_one(&order(false, 100, Call::Churn), &steps), 5.0);
    }
}
