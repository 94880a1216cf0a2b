//! Overlap of regions and boxes against exact answers, for the smallest, the largest and equal numbers.

use crate::model::Random;
use tombolo_geometry::orthtree::{Bounds, Region, Segment};

/// Numbers that make trouble together: planes, a step beside them, the smallest, the largest.
const NUMBERS: [f32; 16] = [
    0.0,
    f32::from_bits(1),
    f32::from_bits(2),
    f32::from_bits(3),
    f32::MIN_POSITIVE,
    1.0e-30,
    1.0 / 16_777_216.0,
    0.25,
    1.0 - f32::EPSILON / 2.0,
    1.0,
    1.0 + f32::EPSILON,
    2.0,
    1.0e8,
    1.0e16,
    1.0e30,
    0.25 * f32::MAX,
];

fn number(random: &mut Random) -> f32 {
    let number = NUMBERS[random.below(NUMBERS.len() as u64) as usize];
    match random.below(2) {
        0 => number,
        _ => -number,
    }
}

fn sorted(a: f32, b: f32) -> (f32, f32) {
    if a <= b { (a, b) } else { (b, a) }
}

fn a_box<const D: usize>(mut number: impl FnMut() -> f32) -> Bounds<D> {
    let mut bounds = Bounds::point([0.0; D]);
    for axis in 0..D {
        (bounds.min[axis], bounds.max[axis]) = sorted(number(), number());
    }
    bounds
}

/// The rule for one segment and one box: where it enters is said if and only if they overlap, a tree that prunes by the
/// segment's box misses nothing, a greater box overlaps too, and turned around all is the same.
fn check<const D: usize>(segment: &Segment<D>, bounds: &Bounds<D>, greater: &Bounds<D>) -> bool {
    let overlaps = segment.overlaps(bounds);
    let fraction = segment.enter(bounds);
    assert_eq!(
        fraction.is_some(),
        overlaps,
        "{segment:?}, {bounds:?}: {fraction:?}"
    );
    assert!(
        fraction.is_none_or(|fraction| (0.0..=1.0).contains(&fraction)),
        "{segment:?}, {bounds:?}: {fraction:?}"
    );
    if overlaps {
        let around = segment.bounds().expect("a segment is bounded");
        assert!(around.overlaps(bounds), "{segment:?}, {bounds:?}: {around:?}");
        assert!(
            segment.overlaps(greater),
            "{segment:?}, {bounds:?} but not {greater:?}"
        );
    }
    for turned in 0..D {
        let (mut segment, mut bounds) = (*segment, *bounds);
        segment.origin[turned] *= -1.0;
        segment.translation[turned] *= -1.0;
        (bounds.min[turned], bounds.max[turned]) = (-bounds.max[turned], -bounds.min[turned]);
        assert_eq!(
            segment.overlaps(&bounds),
            overlaps,
            "{segment:?}, {bounds:?}, turned"
        );
        assert_eq!(
            segment.enter(&bounds),
            fraction,
            "{segment:?}, {bounds:?}, turned"
        );
    }
    overlaps
}

fn denormals_and_planes<const D: usize>() {
    let random = &mut Random(18);
    let mut overlapping = 0;
    for _ in 0..200_000 {
        let segment = Segment {
            origin: std::array::from_fn(|_| number(random)),
            translation: std::array::from_fn(|_| number(random)),
        };
        let bounds = a_box(|| number(random));
        let mut greater: Bounds<D> = a_box(|| number(random));
        for axis in 0..D {
            greater.min[axis] = greater.min[axis].min(bounds.min[axis]);
            greater.max[axis] = greater.max[axis].max(bounds.max[axis]);
        }
        overlapping += u32::from(check(&segment, &bounds, &greater));
    }
    assert!(overlapping > 5000, "{overlapping} overlap");
}

#[test]
fn a_segment_enters_what_it_overlaps_down_to_denormals_and_on_planes() {
    denormals_and_planes::<2>();
    denormals_and_planes::<3>();
}

/// Whether a segment and a box share a point, in whole numbers: for each two planes, whether what is entered is entered
/// before what is left is left.
fn exactly<const D: usize>(segment: &Segment<D>, bounds: &Bounds<D>) -> bool {
    // Times as fractions of positive numbers, of entering and of leaving; the way's start and end first.
    let (mut entering, mut leaving) = (vec![(0, 1)], vec![(1, 1)]);
    for axis in 0..D {
        let [origin, way, min, max] = [
            segment.origin[axis],
            segment.translation[axis],
            bounds.min[axis],
            bounds.max[axis],
        ]
        .map(|number| number as i64);
        if way == 0 {
            if origin < min || origin > max {
                return false;
            }
            continue;
        }
        let [near, far] = if way > 0 {
            [min - origin, max - origin]
        } else {
            [origin - max, origin - min]
        };
        entering.push((near, way.abs()));
        leaving.push((far, way.abs()));
    }
    entering
        .iter()
        .all(|near| leaving.iter().all(|far| near.0 * far.1 <= far.0 * near.1))
}

#[test]
fn a_segment_between_whole_numbers_is_answered_exactly() {
    fn check_whole<const D: usize>() {
        let random = &mut Random(81);
        let mut overlapping = 0;
        for _ in 0..50_000 {
            let mut whole = || random.below(13) as f32 - 6.0;
            let segment = Segment {
                origin: std::array::from_fn(|_| whole()),
                translation: std::array::from_fn(|_| whole()),
            };
            let bounds: Bounds<D> = a_box(whole);
            let expected = exactly(&segment, &bounds);
            assert_eq!(
                check(&segment, &bounds, &bounds),
                expected,
                "{segment:?}, {bounds:?}"
            );
            overlapping += u32::from(expected);
        }
        assert!(overlapping > 2000, "{overlapping} overlap");
    }
    check_whole::<2>();
    check_whole::<3>();
}
