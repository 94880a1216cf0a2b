//! Compares every back end with the scalar one, bit for bit, on the hardest numbers: NaN, both zeros, denormals,
//! infinities.
#![cfg_attr(
    not(any(target_arch = "x86_64", target_arch = "aarch64", target_feature = "simd128")),
    allow(dead_code, reason = "the scalar form alone has nothing to be compared with")
)]

use super::scalar::F1;
use super::{BLOCK, BodyStateLanes, Lanes, SimdIndexRow, SimdRow};
use crate::body::BodyState;
use glam::Vec2;
use tombolo_threads::ClaimedSlice;

const HARD: [f32; BLOCK] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    f32::NAN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::MIN_POSITIVE,
    1.0e-40,
    -1.0e-40,
    f32::MAX,
    f32::MIN,
    0.1,
    -3.5,
    16_777_217.0,
    1.0e-8,
];

/// The results of every operation on two SIMD rows, as bits; NaNs of any payload count as equal.
fn operations<V: Lanes>(a: &SimdRow, b: &SimdRow) -> Vec<[u32; BLOCK]> {
    let mut results = vec![SimdRow::ZERO; 9];
    for at in (0..BLOCK).step_by(V::WIDTH) {
        let (x, y) = (V::load(a, at), V::load(b, at));
        let outcomes = [
            x + y,
            x - y,
            x * y,
            x / y,
            x.min(y),
            x.max(y),
            x.sqrt(),
            V::select(x.less(y), x, y),
            V::select(y.less(V::splat(0.5)), V::splat(-0.0), x),
        ];
        for (outcome, row) in outcomes.into_iter().zip(&mut results) {
            outcome.store(row, at);
        }
    }
    let bits = |value: f32| if value.is_nan() { u32::MAX } else { value.to_bits() };
    results.iter().map(|row| row.0.map(bits)).collect()
}

/// The results of gathering and scattering shuffled bodies, except in the lanes of these bits: those of which four words are
/// scattered, and those of which eight are.
fn exchange<V: Lanes>(unwritten: [u32; 2]) -> Vec<u32> {
    let mut states: Vec<BodyState> = (0..56)
        .map(|i| BodyState {
            linear_velocity: Vec2::new(i as f32, 100.0 + i as f32),
            angular_velocity: 200.0 + i as f32,
            delta_sin: 300.0 + i as f32,
            delta_position: Vec2::new(400.0 + i as f32, 500.0 + i as f32),
            delta_cos: 600.0 + i as f32,
            colors: i,
        })
        .collect();
    let indices = SimdIndexRow(core::array::from_fn(|lane| (lane as u32 * 7) % 40));
    // Other bodies than those of `indices`: no lane reads what another one writes.
    let backwards = SimdIndexRow(core::array::from_fn(|lane| 55 - lane as u32));
    let mut seen = Vec::new();
    let claimed = ClaimedSlice::new(&mut states);
    let body_states = BodyStateLanes::new(&claimed);
    for at in (0..BLOCK).step_by(V::WIDTH) {
        // SAFETY: the indices are below 56, and there is one thread.
        unsafe {
            let four = body_states.gather4::<V>(&indices, at);
            let eight = body_states.gather8::<V>(&indices, at);
            for word in four.into_iter().chain(eight) {
                let mut row = SimdRow::ZERO;
                word.store(&mut row, at);
                seen.push(row);
            }
            let half = four.map(|word| word * V::splat(-2.0));
            body_states.scatter4((&indices, unwritten[0]), at, half);
            let [a, b, c, d, e, f, g, h] = eight;
            body_states.scatter8((&backwards, unwritten[1]), at, [h, g, f, e, d, c, b, a]);
        }
    }
    let mut gathered = vec![0; 12 * BLOCK];
    for (i, row) in seen.iter().enumerate() {
        let at = i / 12 * V::WIDTH;
        for lane in at..at + V::WIDTH {
            gathered[i % 12 * BLOCK + lane] = row.0[lane].to_bits();
        }
    }
    let states = bytemuck::cast_slice::<BodyState, u32>(&states);
    gathered.into_iter().chain(states.iter().copied()).collect()
}

fn rotated(by: usize) -> SimdRow {
    SimdRow(core::array::from_fn(|lane| HARD[(lane + by) % BLOCK]))
}

fn same_as_scalar<V: Lanes>() {
    for by in 0..BLOCK {
        let (a, b) = (rotated(0), rotated(by));
        assert_eq!(
            operations::<V>(&a, &b),
            operations::<F1>(&a, &b),
            "rotated by {by}"
        );
    }
    // Some lanes of each group of eight, all, none, whole groups, and bits above the lanes.
    for unwritten in [
        [0x9249, 0x1111],
        [0, 0],
        [0xffff, u32::MAX],
        [0xff00, 0xf0f1],
        [0xffff_0000, 0xffff_fff8],
    ] {
        assert_eq!(
            exchange::<V>(unwritten),
            exchange::<F1>(unwritten),
            "{unwritten:x?}"
        );
    }
}

#[test]
fn minimum_and_maximum_of_the_scalar_form_are_those_of_the_contract() {
    let pick = |v: F1| v.0.to_bits();
    assert_eq!(
        pick(F1(0.0).min(F1(-0.0))),
        (-0.0f32).to_bits(),
        "equal: the second"
    );
    assert_eq!(pick(F1(-0.0).max(F1(0.0))), 0.0f32.to_bits(), "equal: the second");
    assert_eq!(
        pick(F1(f32::NAN).max(F1(1.0))),
        1.0f32.to_bits(),
        "not comparable: the second"
    );
    assert!(F1(1.0).min(F1(f32::NAN)).0.is_nan(), "not comparable: the second");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn four_lanes_are_the_scalar_form() {
    same_as_scalar::<super::sse2::F4>();
}

#[cfg(target_arch = "aarch64")]
#[test]
fn four_lanes_are_the_scalar_form() {
    same_as_scalar::<super::neon::N4>();
}

#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[test]
fn four_lanes_are_the_scalar_form() {
    same_as_scalar::<super::wasm::W4>();
}

#[cfg(target_arch = "x86_64")]
#[test]
fn eight_lanes_are_the_scalar_form() {
    if super::LaneWidth::Eight.is_available() {
        same_as_scalar::<super::avx2::F8>();
    } else {
        eprintln!("skipped: this machine has no AVX2");
    }
}

#[cfg(target_arch = "x86_64")]
#[test]
fn sixteen_lanes_are_the_scalar_form() {
    if super::LaneWidth::Sixteen.is_available() {
        same_as_scalar::<super::avx512::F16>();
    } else {
        eprintln!("skipped: this machine has no AVX-512");
    }
}
