//! The timing of contenders: they take turns within each round, so that a disturbance of the machine affects all of
//! them alike, and each round gives a ratio of its own.
//!
//! Figures to report: the minimum of a contender's rounds (the least disturbed run of the same work) and the median of
//! the rounds' ratios (unmoved by a few disturbed rounds). A mean of either is not offered.

use std::time::{Duration, Instant};

use anyhow::ensure;

use crate::report::Progress;

/// A named piece of work. It returns a checksum of its result, which keeps the compiler from removing the work and lets
/// the bench refuse to compare different results.
pub(crate) struct Contender<'a> {
    name: String,
    work: Box<dyn FnMut() -> u64 + 'a>,
}

impl<'a> Contender<'a> {
    /// `work` is timed as a whole, once a round.
    pub(crate) fn new(name: &str, work: impl FnMut() -> u64 + 'a) -> Self {
        Self {
            name: name.to_owned(),
            work: Box::new(work),
        }
    }
}

/// The times of one contender.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    /// The contender's name.
    pub name: String,
    /// Nanoseconds of each round, in order; never empty.
    pub rounds_ns: Vec<f64>,
}

impl Timing {
    /// The least disturbed round, in nanoseconds.
    pub(crate) fn minimum_ns(&self) -> f64 {
        self.rounds_ns.iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// This contender's time divided by the other's, round by round.
    pub(crate) fn ratios_to(&self, other: &Self) -> Vec<f64> {
        self.rounds_ns
            .iter()
            .zip(&other.rounds_ns)
            .map(|(ours, theirs)| ours / theirs)
            .collect()
    }

    /// The median over rounds of this contender's time divided by the other's.
    pub(crate) fn median_ratio_to(&self, other: &Self) -> f64 {
        median(self.ratios_to(other))
    }
}

/// Runs each contender once a round for `rounds` rounds (at least one), after one untimed round that warms caches and
/// checks that all give one result.
///
/// # Errors
/// Two contenders gave different results.
pub(crate) fn interleave<const N: usize>(
    case: &str,
    rounds: usize,
    contenders: [Contender<'_>; N],
) -> anyhow::Result<[Timing; N]> {
    let mut contenders = contenders;
    let progress = Progress::start(case, rounds + 1);
    let answers: Vec<u64> = contenders
        .iter_mut()
        .map(|contender| (contender.work)())
        .collect();
    for (contender, answer) in contenders.iter().zip(&answers).skip(1) {
        ensure!(
            *answer == answers[0],
            "{case}: `{}` answers {answer}, `{}` answers {}: they do not do the same work",
            contender.name,
            contenders[0].name,
            answers[0],
        );
    }
    progress.advance();
    let mut timings = contenders.each_ref().map(|contender| Timing {
        name: contender.name.clone(),
        rounds_ns: Vec::new(),
    });
    for _ in 0..rounds.max(1) {
        for (contender, timing) in contenders.iter_mut().zip(&mut timings) {
            let (elapsed, _) = time(&mut contender.work);
            timing.rounds_ns.push(elapsed.as_secs_f64() * 1e9);
        }
        progress.advance();
    }
    Ok(timings)
}

/// Runs `work` once and returns its time.
// Clocks are banned so that results of the engine do not depend on time; here time is the result.
#[allow(clippy::disallowed_methods)]
pub(crate) fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let start = Instant::now();
    let value = work();
    (start.elapsed(), value)
}

/// The middle value, or the mean of the two middle ones; NaN for none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => f64::NAN,
        count if count % 2 == 1 => values[count / 2],
        count => (values[count / 2 - 1] + values[count / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_none_one_even_and_odd() {
        assert!(median(Vec::new()).is_nan());
        assert_eq!(median(vec![7.0]), 7.0);
        assert_eq!(median(vec![9.0, 1.0, 5.0]), 5.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 9.0]), 3.0);
    }

    #[test]
    fn contenders_take_turns_and_every_round_is_kept() {
        let order = std::cell::RefCell::new(Vec::new());
        let turn = |name: &'static str| {
            let order = &order;
            move || {
                order.borrow_mut().push(name);
                1
            }
        };
        let [a, b] = interleave(
            "turns",
            3,
            [Contender::new("a", turn("a")), Contender::new("b", turn("b"))],
        )
        .unwrap();
        assert_eq!(*order.borrow(), ["a", "b", "a", "b", "a", "b", "a", "b"]);
        assert_eq!((a.rounds_ns.len(), b.rounds_ns.len()), (3, 3));
    }

    #[test]
    fn unlike_answers_are_refused() {
        let error = interleave("sum", 1, [Contender::new("a", || 1), Contender::new("b", || 2)]).unwrap_err();
        assert!(
            error.to_string().contains("`b` answers 2, `a` answers 1"),
            "{error}"
        );
    }

    #[test]
    fn ratios_are_taken_round_by_round() {
        let ours = Timing {
            name: "ours".into(),
            rounds_ns: vec![1.0, 2.0, 30.0],
        };
        let theirs = Timing {
            name: "theirs".into(),
            rounds_ns: vec![2.0, 4.0, 40.0],
        };
        assert_eq!(ours.ratios_to(&theirs), [0.5, 0.5, 0.75]);
        assert_eq!(ours.median_ratio_to(&theirs), 0.5);
        assert_eq!(ours.minimum_ns(), 1.0);
    }
}
