//! What the tests share: what was recorded from Gymnasium (`record.py`), statistics, and the heuristic pilot.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::path::Path;

/// The lines of a recorded file.
pub(crate) fn recorded(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/recorded")
        .join(name);
    let text = fs::read_to_string(&path).expect("it lies beside the tests");
    text.lines().map(str::to_string).collect()
}

/// A number as Python's `float.hex` writes it.
pub(crate) fn from_hex(text: &str) -> f64 {
    let (sign, text) = text.strip_prefix('-').map_or((1.0, text), |rest| (-1.0, rest));
    let (digits, power) = text
        .strip_prefix("0x")
        .and_then(|rest| rest.split_once('p'))
        .expect("a hexadecimal number");
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let mantissa = u64::from_str_radix(&format!("{whole}{fraction}"), 16).expect("digits");
    let power: i32 = power.parse().expect("a power");
    sign * mantissa as f64 * 2.0_f64.powi(power - 4 * fraction.len() as i32)
}

/// FNV-1a over the bytes of numbers.
pub(crate) fn fold(digest: u64, numbers: &[f64]) -> u64 {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .fold(digest, |digest, byte| {
            (digest ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3)
        })
}

/// Mean and standard deviation.
pub(crate) fn mean_and_deviation(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / count;
    (mean, variance.sqrt())
}

/// The probability that two samples of one distribution are at least as far apart as these (Kolmogorov and Smirnov, with
/// Stephens' correction for small samples).
pub(crate) fn same_distribution(a: &[f64], b: &[f64]) -> f64 {
    let sorted = |numbers: &[f64]| {
        let mut numbers = numbers.to_vec();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let (a, b) = (sorted(a), sorted(b));
    let share = |numbers: &[f64], at: f64| {
        numbers.partition_point(|&number| number <= at) as f64 / numbers.len() as f64
    };
    let gap = |&at: &f64| (share(&a, at) - share(&b, at)).abs();
    let distance = a.iter().chain(&b).map(gap).fold(0.0, f64::max);
    let root = (a.len() as f64 * b.len() as f64 / (a.len() + b.len()) as f64).sqrt();
    let scaled = (root + 0.12 + 0.11 / root) * distance;
    let term = |k: i32| {
        let sign = if k % 2 == 0 { -1.0 } else { 1.0 };
        2.0 * sign * (-2.0 * f64::from(k * k) * scaled * scaled).exp()
    };
    if scaled < 0.2 {
        1.0
    } else {
        (1..=100).map(term).sum::<f64>().clamp(0.0, 1.0)
    }
}

/// The lander's pilot: leans against its drift, and slows down near the ground. The rule that Gymnasium ships as the
/// environment's heuristic, stated anew; the two demands for angle and height.
fn lander_demands(seen: &[f32]) -> [f64; 2] {
    let s: Vec<f64> = seen.iter().map(|&number| f64::from(number)).collect();
    let lean = (0.5 * s[0] + s[2]).clamp(-0.4, 0.4);
    if s[6] != 0.0 || s[7] != 0.0 {
        return [0.0, -0.5 * s[3]];
    }
    [
        0.5 * (lean - s[4]) - s[5],
        0.5 * (0.55 * s[0].abs() - s[1]) - 0.5 * s[3],
    ]
}

/// The pilot's choice.
pub(crate) fn pilot(seen: &[f32]) -> i64 {
    let [turn, rise] = lander_demands(seen);
    if rise > turn.abs() && rise > 0.05 {
        2
    } else if turn < -0.05 {
        3
    } else {
        i64::from(turn > 0.05)
    }
}

/// The pilot's numbers.
pub(crate) fn smooth_pilot(seen: &[f32]) -> [f32; 2] {
    let [turn, rise] = lander_demands(seen);
    [20.0 * rise - 1.0, -20.0 * turn].map(|number| number.clamp(-1.0, 1.0) as f32)
}
