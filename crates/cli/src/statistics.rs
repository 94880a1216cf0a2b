//! Mean, percentiles and maximum of a list of times, for the summaries of runs.

use serde::Serialize;

/// The statistics of a list of times, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Times {
    pub(crate) mean_ms: f64,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) max_ms: f64,
}

impl Times {
    /// The statistics of times in seconds; all zero for none. A percentile is the least time that at least that share
    /// of the times do not exceed (the nearest rank).
    pub(crate) fn of_seconds(seconds: &[f64]) -> Self {
        let mut sorted = seconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let Some(&max) = sorted.last() else {
            return Self::default();
        };
        let count = sorted.len();
        let percentile = |percent: usize| sorted[(count * percent).div_ceil(100).max(1) - 1];
        Self {
            mean_ms: 1e3 * sorted.iter().sum::<f64>() / count as f64,
            p50_ms: 1e3 * percentile(50),
            p99_ms: 1e3 * percentile(99),
            max_ms: 1e3 * max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_nearest_ranks() {
        let seconds: Vec<f64> = (1..=200).rev().map(f64::from).collect();
        let times = Times::of_seconds(&seconds);
        assert_eq!(
            times,
            Times {
                mean_ms: 100_500.0,
                p50_ms: 100_000.0,
                p99_ms: 198_000.0,
                max_ms: 200_000.0
            }
        );
    }

    #[test]
    fn percentiles_of_one_time_are_that_time_and_of_none_zero() {
        let times = Times::of_seconds(&[0.25]);
        assert_eq!(
            times,
            Times {
                mean_ms: 250.0,
                p50_ms: 250.0,
                p99_ms: 250.0,
                max_ms: 250.0
            }
        );
        assert_eq!(Times::of_seconds(&[]), Times::default());
    }
}
