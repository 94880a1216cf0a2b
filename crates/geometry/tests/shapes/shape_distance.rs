//! Distance, shape casts and time of impact, against brute force and dense sampling.

use crate::shape_oracle::{any_pose, any_shape, cases, core, core_distance, point, point_to_core};
use glam::Vec2;
use proptest::prelude::*;
use tombolo_geometry::distance::{
    Distance, IMPACT_TARGET, IMPACT_TOLERANCE, ImpactState, Sweep, are_overlapping, cast_shape,
    closest_point, distance, time_of_impact,
};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Rot};

fn surface_distance(a: &Shape, b: &Shape, b_in_a: Pose) -> f64 {
    let cores = core_distance(&core(a, Pose::IDENTITY), &core(b, b_in_a));
    cores - f64::from(a.radius()) - f64::from(b.radius())
}

#[test]
fn needles_and_crumbs_do_not_overlap_before_they_touch() {
    // Edges far below the 3.5 mm at which iterative distance functions report false overlaps.
    let crumb = Shape::polygon(&[(0.0, 0.0), (0.002, 0.0), (0.001, 0.002)].map(Vec2::from), 0.0).unwrap();
    let needle = Shape::polygon(&[(-5.0, 0.0), (5.0, -0.001), (5.0, 0.001)].map(Vec2::from), 0.0).unwrap();
    let dash = Shape::segment(Vec2::ZERO, Vec2::new(0.001, 0.0)).unwrap();
    for small in [crumb, dash] {
        for gap in [1.0, 0.1, 0.01, 0.001, 0.000_1] {
            let found = distance(&needle, &small, Pose::new(Vec2::new(5.0 + gap, 0.0), 0.0));
            assert!(
                (found.distance - gap).abs() < 1.0e-5,
                "{} instead of {gap}",
                found.distance
            );
            let twin = distance(&small, &small, Pose::new(Vec2::new(0.0, 0.002 + gap), 0.0));
            assert!(twin.distance > 0.9 * gap);
        }
    }
}

#[test]
fn crossing_lines_share_the_point_where_they_cross() {
    let line = Shape::segment(Vec2::NEG_X, Vec2::X).unwrap();
    let found = distance(
        &line,
        &line,
        Pose::new(Vec2::new(0.5, 0.0), core::f32::consts::FRAC_PI_2),
    );
    assert_eq!(found.distance, 0.0);
    assert_eq!(found.normal, Vec2::ZERO);
    assert!(found.point_a.distance(Vec2::new(0.5, 0.0)) < 1.0e-6);
    let in_line = distance(&line, &line, Pose::new(Vec2::new(3.0, 0.0), 0.0));
    assert_eq!((in_line.distance, in_line.normal), (1.0, Vec2::X));
}

#[test]
fn a_cast_that_begins_in_overlap_ends_there() {
    let square = Shape::new_box(2.0, 2.0).unwrap();
    let hit = cast_shape(
        &square,
        &square,
        Pose::new(Vec2::new(0.5, 0.0), 0.3),
        Vec2::X,
        1.0,
    )
    .unwrap();
    assert_eq!((hit.fraction, hit.normal), (0.0, Vec2::ZERO));
    let apart = Pose::new(Vec2::new(5.0, 0.0), 0.0);
    assert!(cast_shape(&square, &square, apart, Vec2::X, 1.0).is_none());
    assert!(cast_shape(&square, &square, apart, Vec2::ZERO, 1.0).is_none());
    assert!(cast_shape(&square, &square, apart, Vec2::new(f32::NAN, 0.0), 1.0).is_none());
}

fn straight(from: (f32, f32), to: (f32, f32)) -> Sweep {
    Sweep {
        c0: Vec2::from(from),
        c1: Vec2::from(to),
        ..Sweep::default()
    }
}

#[test]
fn a_fast_box_stops_at_the_target_before_a_thin_wall() {
    let wall = Shape::segment(Vec2::new(0.0, -5.0), Vec2::new(0.0, 5.0)).unwrap();
    let bullet = Shape::new_box(0.2, 0.2).unwrap();
    let impact = time_of_impact(
        &wall,
        &Sweep::default(),
        &bullet,
        &straight((-50.0, 0.0), (50.0, 0.0)),
        1.0,
    );
    assert_eq!(impact.state, ImpactState::Hit);
    assert!((100.0 * impact.fraction - (50.0 - 0.1 - IMPACT_TARGET)).abs() < 2.0 * IMPACT_TOLERANCE);
    assert!(impact.normal.distance(Vec2::NEG_X) < 1.0e-3);
    assert!(impact.point.distance(Vec2::ZERO) < 0.2);
}

#[test]
fn a_turning_rod_hits_a_post_that_its_end_poses_miss() {
    let rod = Shape::new_box(4.0, 0.1).unwrap();
    let post = Shape::circle(Vec2::new(1.5, 0.5), 0.1).unwrap();
    let turn = Sweep {
        q1: Rot::from_angle(1.2),
        ..Sweep::default()
    };
    let impact = time_of_impact(&post, &Sweep::default(), &rod, &turn, 1.0);
    assert_eq!(impact.state, ImpactState::Hit);
    assert!(impact.fraction > 0.05 && impact.fraction < 0.5);
}

#[test]
fn states_at_the_edges_of_the_search() {
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let rest = Sweep::default();
    let state = |from, to, max| time_of_impact(&ball, &rest, &ball, &straight(from, to), max).state;
    assert_eq!(state((0.5, 0.0), (9.0, 0.0), 1.0), ImpactState::Overlapped);
    assert_eq!(state((1.004, 0.0), (9.0, 0.0), 1.0), ImpactState::Hit);
    assert_eq!(state((3.0, 0.0), (9.0, 0.0), 1.0), ImpactState::Separated);
    assert_eq!(state((3.0, 0.0), (0.0, 0.0), 0.5), ImpactState::Separated);
    assert_eq!(state((3.0, 0.0), (0.0, 0.0), 1.0), ImpactState::Hit);
    assert_eq!(state((f32::NAN, 0.0), (0.0, 0.0), 1.0), ImpactState::Unresolved);
}

fn any_sweep() -> impl Strategy<Value = Sweep> {
    (any_pose(), any_pose(), point(), -0.8f32..0.8).prop_map(|(from, to, local_center, turn)| Sweep {
        local_center,
        c0: from.position,
        c1: to.position,
        q0: from.rotation,
        q1: from.rotation.then(Rot::from_angle(turn)),
    })
}

/// Floors of a hundred meters and a kilometer, level and sloping, whose middle may be far away.
fn wide_floors() -> Vec<(Shape, f32)> {
    let mut floors = Vec::new();
    for half in [50.0, 500.0] {
        for slope in [0.0, 0.1, -0.7] {
            floors.push((Shape::box_at(2.0 * half, 2.0, Vec2::ZERO, slope).unwrap(), half));
            let along = half * Rot::from_angle(slope).rotate(Vec2::X);
            floors.push((Shape::segment(-along, along).unwrap(), half));
        }
    }
    floors
}

#[test]
fn the_normal_of_a_wide_floor_is_that_of_its_face() {
    let rods = [
        Shape::new_box(2.0, 0.04).unwrap(),
        Shape::capsule(Vec2::NEG_X, Vec2::X, 0.02).unwrap(),
        Shape::circle(Vec2::ZERO, 0.02).unwrap(),
    ];
    for (floor, half) in wide_floors() {
        for rod in &rods {
            for step in -40..40 {
                let (place, lean) = (half * (step as f32 + 0.37) / 42.0, 0.9 * step as f32);
                let up = floor.normals()[floor.normals().len() / 2];
                let up = if up.y > 0.0 { up } else { -up };
                let along = Vec2::new(up.y, -up.x);
                let lift = floor
                    .vertices()
                    .iter()
                    .map(|v| up.dot(*v))
                    .fold(f32::MIN, f32::max);
                let pose = Pose::new(place * along + (lift + 1.08) * up, lean);
                for found in [distance(&floor, rod, pose), {
                    let back = distance(rod, &floor, pose.to(Pose::IDENTITY));
                    Distance {
                        normal: -pose.rotation.rotate(back.normal),
                        ..back
                    }
                }] {
                    assert!(found.distance > 0.03);
                    assert!(
                        (found.normal - up).length() < 1.0e-6,
                        "{} instead of {up} at {place} of {half}, leaning by {lean}",
                        found.normal
                    );
                }
            }
        }
    }
}

/// A rod that falls and turns a few centimeters above a wide floor: the search gets on, and finds the impact.
#[test]
fn a_rod_above_a_wide_floor_is_followed_until_it_hits() {
    let rods = [
        Shape::new_box(2.0, 0.04).unwrap(),
        Shape::new_box(1.0, 0.1).unwrap(),
        Shape::capsule(Vec2::NEG_X, Vec2::X, 0.02).unwrap(),
    ];
    for (floor, half) in wide_floors() {
        let up = floor.normals().iter().copied().find(|n| n.y > 0.5).unwrap();
        let along = Vec2::new(up.y, -up.x);
        let lift = floor
            .vertices()
            .iter()
            .map(|v| up.dot(*v))
            .fold(f32::MIN, f32::max);
        for rod in &rods {
            for step in 0..400 {
                let place = half * (step as f32 - 200.0) / 210.0;
                let (lean, gap) = (0.017 * step as f32, 0.007 + 0.001 * (step % 60) as f32);
                let q0 = Rot::from_angle(lean);
                let lowest = rod
                    .vertices()
                    .iter()
                    .map(|v| up.dot(q0.rotate(*v)))
                    .fold(f32::MAX, f32::min)
                    - rod.radius();
                let c0 = place * along + (lift + gap - lowest) * up;
                let fall = Sweep {
                    c0,
                    c1: c0 - 0.2 * up + 0.1 * along,
                    q0,
                    q1: q0.then(Rot::from_angle(0.003 * (step % 9 - 4) as f32)),
                    ..Sweep::default()
                };
                let still = Sweep::default();
                for impact in [
                    time_of_impact(&floor, &still, rod, &fall, 1.0),
                    time_of_impact(rod, &fall, &floor, &still, 1.0),
                ] {
                    assert_eq!(
                        impact.state,
                        ImpactState::Hit,
                        "{place} of {half}, {lean} {gap}: {impact:?}"
                    );
                    let expected = (gap - IMPACT_TARGET) / 0.2;
                    assert!(
                        impact.fraction > 0.0 && (impact.fraction - expected).abs() < 0.03,
                        "{place} of {half}, {lean} {gap}: {impact:?}, not {expected}"
                    );
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    #[test]
    fn distance_is_the_least_of_all_pairs_of_features(a in any_shape(), b in any_shape(), pose in any_pose()) {
        let expected = surface_distance(&a, &b, pose).max(0.0);
        let found = distance(&a, &b, pose);
        prop_assert_eq!(are_overlapping(&a, &b, pose), found.distance <= 0.0);
        prop_assert!((f64::from(found.distance) - expected).abs() < 1.0e-4, "{} instead of {}", found.distance, expected);
        if found.distance > 0.0 {
            prop_assert!((found.point_b - found.point_a - found.distance * found.normal).length() < 1.0e-4);
            prop_assert!((found.normal.length() - 1.0).abs() < 1.0e-5);
        } else {
            prop_assert_eq!(found.point_a, found.point_b);
        }
        for (point, shape, pose) in [(found.point_a, &a, Pose::IDENTITY), (found.point_b, &b, pose)] {
            let off = point_to_core(point.as_dvec2(), &core(shape, pose)) - f64::from(shape.radius());
            prop_assert!(off < 1.0e-4, "{} outside", off);
        }
    }

    #[test]
    fn distance_is_the_same_from_both_sides(a in any_shape(), b in any_shape(), pose in any_pose()) {
        let there = distance(&a, &b, pose);
        let back = distance(&b, &a, pose.to(Pose::IDENTITY));
        prop_assert!((there.distance - back.distance).abs() < 1.0e-4);
        if there.distance > 1.0e-2 {
            prop_assert!((there.normal + pose.rotation.rotate(back.normal)).length() < 1.0e-2);
        }
    }

    #[test]
    fn the_closest_point_is_on_the_shape_and_as_far_as_the_distance(shape in any_shape(), p in point()) {
        let found = closest_point(&shape, 2.0 * p);
        let corners = core(&shape, Pose::IDENTITY);
        let radius = f64::from(shape.radius());
        prop_assert!(point_to_core(found.as_dvec2(), &corners) - radius < 1.0e-5);
        let expected = (point_to_core((2.0 * p).as_dvec2(), &corners) - radius).max(0.0);
        prop_assert!((f64::from(found.distance(2.0 * p)) - expected).abs() < 1.0e-5);
    }

    /// Steps of the distance that is left never pass the first contact, and arrive at it.
    #[test]
    fn a_cast_hits_where_a_march_by_distance_arrives(
        a in any_shape(), b in any_shape(), pose in any_pose(), toward in point()
    ) {
        let translation = 2.0 * (toward - pose.position);
        prop_assume!(translation.length() > 0.1);
        let gap = |fraction: f32| {
            let pose = Pose { position: pose.position + fraction * translation, ..pose };
            surface_distance(&a, &b, pose)
        };
        match cast_shape(&a, &b, pose, translation, 1.0) {
            Some(hit) if hit.normal == Vec2::ZERO => {
                prop_assert_eq!(hit.fraction, 0.0);
                prop_assert!(gap(0.0) < 1.0e-4);
            }
            Some(hit) => {
                prop_assert!(gap(hit.fraction).abs() < 1.0e-3, "{} apart at the hit", gap(hit.fraction));
                prop_assert!((hit.normal.length() - 1.0).abs() < 1.0e-4);
                for step in 0..100 {
                    let before = hit.fraction * step as f32 / 100.0;
                    prop_assert!(gap(before) > -1.0e-3, "overlap at {} before {}", before, hit.fraction);
                }
                let at_hit = Pose { position: pose.position + hit.fraction * translation, ..pose };
                for (shape, pose) in [(&a, Pose::IDENTITY), (&b, at_hit)] {
                    let off = point_to_core(hit.point.as_dvec2(), &core(shape, pose)) - f64::from(shape.radius());
                    prop_assert!(off.abs() < 2.0e-3, "the point is {} off", off);
                }
            }
            None => {
                for step in 0..=200 {
                    prop_assert!(gap(step as f32 / 200.0) > -1.0e-3);
                }
            }
        }
    }

    /// No moment before the impact has an overlap, and at the impact the shapes are as near as the target says.
    #[test]
    fn nothing_overlaps_before_the_time_of_impact(
        a in any_shape(), b in any_shape(), sweep_a in any_sweep(), sweep_b in any_sweep()
    ) {
        let gap = |fraction: f32| {
            surface_distance(&a, &b, sweep_a.pose_at(fraction).to(sweep_b.pose_at(fraction)))
        };
        let impact = time_of_impact(&a, &sweep_a, &b, &sweep_b, 1.0);
        let target = f64::from(IMPACT_TARGET);
        match impact.state {
            ImpactState::Overlapped => prop_assert!(impact.fraction == 0.0 && gap(0.0) < 1.0e-4),
            ImpactState::Hit => {
                let at = gap(impact.fraction);
                prop_assert!(at < target + f64::from(IMPACT_TOLERANCE) + 1.0e-4);
                prop_assert!(at > target - 1.0e-3 || impact.fraction == 0.0);
            }
            ImpactState::Separated => prop_assert_eq!(impact.fraction, 1.0),
            ImpactState::Unresolved => prop_assert!(false, "gave up at {}", impact.fraction),
        }
        for step in 0..100 {
            let before = impact.fraction * step as f32 / 100.0;
            if impact.fraction > 0.0 {
                prop_assert!(gap(before) > target - 1.0e-3);
            }
        }
    }
}

/// Straight motion, where the end of an advance can be computed exactly but for rounding: that once made the search give
/// up at the start.
#[test]
fn an_advance_is_not_lost_to_rounding() {
    let tile = Shape::new_box(1.0, 1.0).unwrap();
    let still = Sweep {
        c0: Vec2::new(1.0, -0.5),
        c1: Vec2::new(1.0, -0.5),
        ..Sweep::default()
    };
    let mut radius = 0.3;
    while radius < 0.4 {
        let ball = Shape::circle(Vec2::ZERO, radius).unwrap();
        let slide = Sweep {
            c0: Vec2::new(0.0, radius + 0.02),
            c1: Vec2::new(0.683, radius + 0.02),
            ..Sweep::default()
        };
        let impact = time_of_impact(&tile, &still, &ball, &slide, 1.0);
        assert_eq!(
            impact.state,
            ImpactState::Separated,
            "radius {radius}: {impact:?}"
        );
        radius += 0.0003;
    }
}
