//! Decides which of our figures fall short, and lists the reasons for those that may.
//!
//! A figure is compared with the better peer. One that is no worse than Box2D's, whose solver has the same equations,
//! is marked if Rapier's is better, and does not fail the run.

use super::super::Run;
use super::cases::{Case, Measure};
use crate::report::Verdict;

/// The greatest allowed ratio of our figure to the better peer's.
const ALLOWED: f64 = 1.2;

/// Figures that fall short for a known reason: case, metric, reason. Any other figure that falls short fails the run.
const KNOWN: &[(&str, &str, &str)] = &[
    ("6 boxes in turn 1 : 1000", "mean speed", FALLS_IN_ALL),
    ("6 boxes in turn 1 : 1000", "jitter", FALLS_IN_ALL),
];

const FALLS_IN_ALL: &str = "falls over in all three";

/// Pushes the figures of all engines, ours first, and notes whether ours falls short.
pub(super) fn push(
    run: &mut Run,
    case: &Case,
    measure: &Measure,
    engines: &[String],
    figures: &[Option<f64>],
) {
    let Some((&Some(ours), theirs)) = figures.split_first() else {
        return;
    };
    let verdict = judge(ours, theirs, measure.least);
    let box2d = engines[1..].iter().position(|engine| engine == "box2d");
    let as_box2d = box2d
        .and_then(|index| judge(ours, &theirs[index..=index], measure.least))
        .is_some_and(|verdict| !verdict.falls_short)
        .then_some("as Box2D");
    let is_row = |name: &str, metric: &str| name == case.name && metric == measure.metric;
    let reason = KNOWN
        .iter()
        .find(|(name, metric, _)| is_row(name, metric))
        .map(|(_, _, reason)| *reason)
        .or(as_box2d)
        .filter(|_| verdict.is_some_and(|verdict| verdict.falls_short));
    if verdict.is_some_and(|verdict| verdict.falls_short) && reason.is_none() {
        run.short.push(format!("{}, {}", case.name, measure.metric));
    }
    let peers: Vec<(&str, Option<f64>)> = engines[1..]
        .iter()
        .map(String::as_str)
        .zip(theirs.iter().copied())
        .collect();
    let verdict = verdict.map(|verdict| Verdict {
        note: reason.or(case.note).unwrap_or_default(),
        ..verdict
    });
    run.report
        .push_judged(&case.name, measure.metric, measure.unit, ours, &peers, verdict);
}

/// Compares with the better peer; values below `least` count as `least`. `None` without a peer.
fn judge(ours: f64, theirs: &[Option<f64>], least: f64) -> Option<Verdict> {
    let better = theirs.iter().flatten().copied().reduce(f64::min)?;
    let to_better = ours.max(least) / better.max(least);
    Some(Verdict {
        to_better,
        falls_short: to_better > ALLOWED,
        note: "",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn falls_short(ours: f64, theirs: &[Option<f64>]) -> bool {
        judge(ours, theirs, 0.1).unwrap().falls_short
    }

    #[test]
    fn what_is_a_fifth_worse_than_the_better_peer_falls_short() {
        assert!(!falls_short(1.2, &[Some(1.0), Some(7.0)]));
        assert!(falls_short(1.21, &[Some(1.0), Some(7.0)]));
        assert!(falls_short(1.21, &[None, Some(1.0)]));
        assert!(!falls_short(0.5, &[Some(1.0), None]));
    }

    #[test]
    fn what_is_next_to_nothing_is_not_compared() {
        assert!(!falls_short(0.11, &[Some(0.0)]));
        assert!(falls_short(0.13, &[Some(0.0)]));
        assert_eq!(judge(1.0, &[None], 0.1), None);
        assert_eq!(judge(0.0, &[Some(0.0)], 0.1).unwrap().to_better, 1.0);
    }

    #[test]
    fn known_reasons_name_lines_that_exist() {
        for (name, metric, _) in KNOWN {
            let case = super::super::cases::all()
                .into_iter()
                .find(|case| case.name == *name);
            let case = case.unwrap_or_else(|| panic!("there is no case `{name}`"));
            assert!(
                case.measures.iter().any(|measure| measure.metric == *metric),
                "{name}, {metric}"
            );
        }
    }
}
