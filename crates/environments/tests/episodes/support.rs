//! What the tests share: what was recorded from Gymnasium (`record.py`), statistics, and the heuristic pilot.
#![allow(clippy::disallowed_methods)]

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

/// The walker's guide: three phases, in which one leg swings forward, is put down, and the other one pushes off. The rule
/// that Gymnasium ships as the environment's heuristic, stated anew. It has no notion of balance.
#[derive(Default)]
pub(crate) struct Guide {
    phase: Phase,
    /// The leg that swings.
    swings: usize,
    /// Where the knee of the other leg is held.
    held_knee: Option<f64>,
}

#[derive(Default, PartialEq)]
enum Phase {
    #[default]
    Swing,
    PutDown,
    PushOff,
}

impl Guide {
    /// What to do about an observation.
    pub(crate) fn action(&mut self, seen: &[f32]) -> [f32; 4] {
        const KNEE: f64 = 0.1;
        const SPEED: f64 = 0.29;
        let s: Vec<f64> = seen.iter().map(|&number| f64::from(number)).collect();
        let (swings, holds) = (self.swings, 1 - self.swings);
        let (swinging, holding) = (4 + 5 * swings, 4 + 5 * holds);
        // Where hip and knee of each leg should be, if anywhere.
        let mut targets = [[None; 2]; 2];
        let mut held = self.held_knee.unwrap_or(KNEE);
        if self.phase == Phase::Swing {
            targets[swings] = [Some(1.1), Some(-0.6)];
            held = (held + if s[2] > SPEED { 0.06 } else { 0.03 }).min(KNEE);
            targets[holds][1] = Some(held);
            if s[holding] < 0.1 {
                self.phase = Phase::PutDown;
            }
        }
        if self.phase == Phase::PutDown {
            targets[swings] = [Some(0.1), Some(KNEE)];
            targets[holds][1] = Some(held);
            if s[swinging + 4] != 0.0 {
                self.phase = Phase::PushOff;
                held = s[swinging + 2].min(KNEE);
            }
        }
        if self.phase == Phase::PushOff {
            targets[swings][1] = Some(held);
            targets[holds][1] = Some(1.0);
            if s[holding + 2] > 0.88 || s[2] > 1.2 * SPEED {
                self.phase = Phase::Swing;
                self.swings = holds;
            }
        }
        self.held_knee = Some(held);
        let upright = 0.9 * s[0] + 1.5 * s[1];
        let mut action = [0.0; 4];
        for (leg, [hip, knee]) in targets.into_iter().enumerate() {
            let at = 4 + 5 * leg;
            // A target of zero is none, as in the original.
            let toward = |target: Option<f64>, gain: f64, at: usize| match target {
                Some(target) if target != 0.0 => gain * (target - s[at]) - 0.25 * s[at + 1],
                _ => 0.0,
            };
            let wanted = [
                toward(hip, 0.9, at) + upright,
                toward(knee, 4.0, at + 2) - 15.0 * s[3],
            ];
            for (part, wanted) in wanted.into_iter().enumerate() {
                action[2 * leg + part] = (0.5 * wanted).clamp(-1.0, 1.0) as f32;
            }
        }
        action
    }
}
