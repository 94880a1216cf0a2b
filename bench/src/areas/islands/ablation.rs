//! The value of each technique of the persistent algorithm: it is switched off alone, and the trace replayed.

use tombolo_bench_designs::islands::{Replay, SplitChoice};
use tombolo_physics::island::{AblationSwitches, IslandAlgorithm, WorkBudget};

use super::lateness::lateness;
use super::traces::Case;
use super::{average, maximum};
use crate::areas::Run;
use crate::measure::time;

const VARIANTS: [(&str, AblationSwitches); 5] = [
    ("all means", AblationSwitches::ALL),
    (
        "without the filter",
        AblationSwitches {
            filter: false,
            ..AblationSwitches::ALL
        },
    ),
    (
        "without leaving at once",
        AblationSwitches {
            leave: false,
            ..AblationSwitches::ALL
        },
    ),
    (
        "without walks",
        AblationSwitches {
            walk: false,
            ..AblationSwitches::ALL
        },
    ),
    (
        "without sweeps",
        AblationSwitches {
            sweep: false,
            ..AblationSwitches::ALL
        },
    ),
];

fn lazy(switches: AblationSwitches) -> Replay {
    let mut replay = Replay::new(
        IslandAlgorithm::Persistent,
        WorkBudget::default(),
        SplitChoice::InTurn,
    );
    replay.set_ablation(switches);
    replay
}

/// Times, work and lateness of each variant, side by side. The first step, which makes all or most nodes, is left out.
pub(super) fn report(run: &mut Run, case: &Case, rounds: usize) -> anyhow::Result<()> {
    let mut best: [Vec<f64>; VARIANTS.len()] = Default::default();
    for round in 0..rounds {
        let times = replay(case, round)?;
        for (best, times) in best.iter_mut().zip(times) {
            if best.is_empty() {
                *best = times;
            } else {
                best.iter_mut()
                    .zip(times)
                    .for_each(|(least, us)| *least = least.min(us));
            }
        }
    }
    for ((name, switches), us) in VARIANTS.into_iter().zip(&best) {
        let found = lateness(case, lazy(switches))?;
        let mut push = |metric: &str, unit, value| {
            run.report
                .push(&case.name, &format!("{name}: {metric}"), unit, value, None);
        };
        push("average", "µs", average(us));
        push("max", "µs", maximum(us));
        push("work per step", "units", found.units_per_step);
        push("steps late, max", "steps", maximum(&found.steps));
        push("body-steps awake in excess", "%", found.excess * 100.0);
    }
    Ok(())
}

/// Microseconds of each step but the first, for each variant.
fn replay(case: &Case, round: usize) -> anyhow::Result<[Vec<f64>; VARIANTS.len()]> {
    let mut replays = VARIANTS.map(|(_, switches)| (lazy(switches), Vec::new()));
    for step in case.trace.steps() {
        let step = &step.to_vec();
        for turn in 0..VARIANTS.len() {
            let (replay, us) = &mut replays[(turn + round) % VARIANTS.len()];
            let (applying, result) = time(|| replay.apply(step));
            result?;
            replay.list_awake();
            replay.choose();
            let (settling, _) = time(|| replay.split_islands());
            us.push((applying + settling).as_secs_f64() * 1e6);
            replay.fall_asleep()?;
        }
    }
    Ok(replays.map(|(_, us): (Replay, Vec<f64>)| us.into_iter().skip(1).collect()))
}
