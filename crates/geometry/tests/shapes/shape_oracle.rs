//! Shared by the shape tests: random shapes and slow, plainly right answers in double precision.
#![allow(dead_code, reason = "each test program uses its own part")]

use crate::scale::scaled;
use glam::{DVec2, Vec2};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use tombolo_geometry::{Pose, shape::Shape};

/// So many random cases of a property, times the scale, from a fixed seed.
pub(crate) fn cases(usual: usize) -> ProptestConfig {
    ProptestConfig {
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::with_cases(scaled(usual) as u32)
    }
}

pub(crate) fn coordinate() -> impl Strategy<Value = f32> {
    -2.0f32..2.0
}

pub(crate) fn point() -> impl Strategy<Value = Vec2> {
    (coordinate(), coordinate()).prop_map(Vec2::from)
}

/// Every kind of shape, about two meters large, somewhere near the origin.
pub(crate) fn any_shape() -> impl Strategy<Value = Shape> {
    let polygon = (
        prop::collection::vec(point(), 3..=8),
        prop_oneof![Just(0.0f32), 0.05f32..0.6],
    );
    prop_oneof![
        1 => (point(), 0.01f32..1.5).prop_map(|(c, r)| Shape::circle(c, r).unwrap()),
        1 => (point(), point(), 0.01f32..1.0).prop_filter_map("short", |(a, b, r)| Shape::capsule(a, b, r).ok()),
        1 => (point(), point()).prop_filter_map("short", |(a, b)| Shape::segment(a, b).ok()),
        1 => (0.05f32..1.5, 0.05f32..1.5, point(), -3.2f32..3.2)
            .prop_map(|(w, h, c, angle)| Shape::box_at(2.0 * w, 2.0 * h, c, angle).unwrap()),
        3 => polygon.prop_filter_map("flat", |(points, radius)| Shape::polygon(&points, radius).ok()),
    ]
}

pub(crate) fn any_pose() -> impl Strategy<Value = Pose> {
    (-4.0f32..4.0, -4.0f32..4.0, -3.2f32..3.2).prop_map(|(x, y, angle)| Pose::new(Vec2::new(x, y), angle))
}

/// The core of a shape in double precision, moved.
pub(crate) fn core(shape: &Shape, pose: Pose) -> Vec<DVec2> {
    shape
        .vertices()
        .iter()
        .map(|v| pose.transform_point(*v).as_dvec2())
        .collect()
}

fn edges(core: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> + '_ {
    (0..core.len()).map(|i| (core[i], core[(i + 1) % core.len()]))
}

pub(crate) fn point_to_segment(p: DVec2, a: DVec2, b: DVec2) -> f64 {
    let along = b - a;
    if along.length_squared() == 0.0 {
        return p.distance(a);
    }
    p.distance(a + ((p - a).dot(along) / along.length_squared()).clamp(0.0, 1.0) * along)
}

pub(crate) fn inside(core: &[DVec2], p: DVec2) -> bool {
    core.len() >= 3 && edges(core).all(|(a, b)| (b - a).perp_dot(p - a) >= 0.0)
}

/// The distance from a point to a core, 0 inside.
pub(crate) fn point_to_core(p: DVec2, core: &[DVec2]) -> f64 {
    if inside(core, p) {
        return 0.0;
    }
    edges(core)
        .map(|(a, b)| point_to_segment(p, a, b))
        .fold(f64::INFINITY, f64::min)
}

fn cross_each_other((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0
}

/// The distance of two cores by all pairs of features, 0 if they overlap.
pub(crate) fn core_distance(a: &[DVec2], b: &[DVec2]) -> f64 {
    if edges(a).any(|e| edges(b).any(|f| cross_each_other(e, f))) {
        return 0.0;
    }
    let from_a = a.iter().map(|p| point_to_core(*p, b));
    let from_b = b.iter().map(|p| point_to_core(*p, a));
    from_a.chain(from_b).fold(f64::INFINITY, f64::min)
}

/// How far two overlapping cores must be moved apart: the best of all edge normals, by support functions.
pub(crate) fn core_penetration(a: &[DVec2], b: &[DVec2]) -> f64 {
    let best = |p: &[DVec2], q: &[DVec2]| {
        edges(p)
            .filter(|(s, t)| s != t)
            .map(|(s, t)| {
                let along = (t - s).normalize();
                let normal = DVec2::new(along.y, -along.x);
                q.iter().map(|v| normal.dot(*v - s)).fold(f64::INFINITY, f64::min)
            })
            .fold(f64::NEG_INFINITY, f64::max)
    };
    best(a, b).max(best(b, a))
}

/// Distance of the surfaces if the cores are apart, else minus the way to part them.
pub(crate) fn signed_distance(a: &Shape, b: &Shape, b_in_a: Pose) -> f64 {
    let core_a = core(a, Pose::IDENTITY);
    let core_b = core(b, b_in_a);
    let distance = core_distance(&core_a, &core_b);
    let between_cores = if distance > 0.0 || (core_a.len() == 1 && core_b.len() == 1) {
        distance
    } else {
        core_penetration(&core_a, &core_b)
    };
    between_cores - f64::from(a.radius()) - f64::from(b.radius())
}
