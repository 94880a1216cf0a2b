//! The delay of sleep compared with exact islands, and the time that other bodies stay awake for it.

use tombolo_bench_designs::islands::{Replay, SplitChoice, TraceEvent};
use tombolo_physics::island::{IslandAlgorithm, WorkBudget};
use tombolo_threads::Inline;

use super::traces::Case;
use super::{maximum, percentile_99};
use crate::areas::Run;

/// Budgets so small that the choice of the first island to split matters.
const SHORT_BUDGETS: [WorkBudget; 2] = [WorkBudget { units: 100 }, WorkBudget { units: 1_000 }];

/// Reports how much later than exact islands the lazy ones sleep, and how the choice of the first island to split
/// changes that when the budget is small.
pub(super) fn report_lateness(run: &mut Run, case: &Case) -> anyhow::Result<()> {
    let persistent = |budget, choice| Replay::new(IslandAlgorithm::Persistent, budget, choice);
    let found = lateness(case, persistent(WorkBudget::default(), SplitChoice::InTurn))?;
    let mut push = |metric: &str, unit, value| run.report.push(&case.name, metric, unit, value, None);
    push("steps late, max", "steps", maximum(&found.steps));
    push("steps late, p99", "steps", percentile_99(&found.steps));
    push("body-steps awake in excess", "%", found.excess * 100.0);
    push("work per step", "units", found.units_per_step);
    let choices = [
        (SplitChoice::InTurn, "in turn by index"),
        (SplitChoice::SleepiestInTurn, "in turn, sleepiest first"),
        (SplitChoice::Sleepiest, "sleepiest first"),
        (SplitChoice::Largest, "largest first"),
        (SplitChoice::MostLost, "most lost first"),
    ];
    for budget in SHORT_BUDGETS {
        for (choice, name) in choices {
            let found = lateness(case, persistent(budget, choice))?;
            let case = format!("with {} units, {name}", budget.units);
            push(&format!("excess {case}"), "%", found.excess * 100.0);
            push(
                &format!("steps late, p99, {case}"),
                "steps",
                percentile_99(&found.steps),
            );
            push(
                &format!("steps late, max, {case}"),
                "steps",
                maximum(&found.steps),
            );
        }
    }
    Ok(())
}

/// The cost of laziness on a trace.
pub(super) struct Lateness {
    /// For each sleep of a body: the number of steps after it could have slept.
    pub(super) steps: Vec<f64>,
    /// Body-steps awake, beyond those of exact islands.
    pub(super) excess: f64,
    pub(super) units_per_step: f64,
}

/// Replays a trace with islands that are exact in every step beside `lazy`.
pub(super) fn lateness(case: &Case, mut lazy: Replay) -> anyhow::Result<Lateness> {
    let mut exact = Replay::new(
        IslandAlgorithm::UnionFind,
        WorkBudget::UNLIMITED,
        SplitChoice::All,
    );
    let (mut bodies, mut steps) = (Vec::new(), Vec::new());
    let (mut exact_awake, mut lazy_awake, mut units, mut count) = (0, 0, 0, 0);
    for step in case.trace.steps() {
        exact.step(step, &Inline)?;
        units += lazy.step(step, &Inline)?.units;
        count += 1;
        exact_awake += exact.awake().len();
        lazy_awake += lazy.awake().len();
        let nodes = step.iter().filter_map(|event| match event {
            TraceEvent::Add(node) => Some(*node as usize + 1),
            _ => None,
        });
        bodies.resize(nodes.max().unwrap_or(0).max(bodies.len()), (0_u32, false));
        for (node, (late, was_awake)) in bodies.iter_mut().enumerate() {
            let is_awake = lazy.is_awake(node as u32);
            if is_awake && !exact.is_awake(node as u32) {
                *late += 1;
            } else if *late > 0 || (*was_awake && !is_awake) {
                // The body sleeps late, or in time, or was woken before it could sleep.
                steps.push(f64::from(std::mem::take(late)));
            }
            *was_awake = is_awake;
        }
    }
    steps.extend(
        bodies
            .into_iter()
            .filter(|(late, _)| *late > 0)
            .map(|(late, _)| f64::from(late)),
    );
    Ok(Lateness {
        steps,
        excess: lazy_awake as f64 / exact_awake.max(1) as f64 - 1.0,
        units_per_step: units as f64 / f64::from(count.max(1)),
    })
}
