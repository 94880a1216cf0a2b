//! Contact manifolds: values by hand, every pair of kinds against a slow oracle, symmetry and degenerate poses.

use crate::shape_oracle::{any_pose, any_shape, cases, signed_distance};
use glam::DVec2;
use proptest::prelude::*;
use tombolo_geometry::collide::{Manifold, collide};
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Vec2};

fn at(x: f32, y: f32) -> Pose {
    Pose::new(Vec2::new(x, y), 0.0)
}

fn square() -> Shape {
    Shape::new_box(1.0, 1.0).unwrap()
}

fn deepest(manifold: &Manifold) -> f32 {
    manifold
        .active_points()
        .iter()
        .fold(f32::INFINITY, |m, p| m.min(p.separation))
}

fn assert_near(actual: f32, expected: f32) {
    assert!(
        (actual - expected).abs() < 1.0e-5,
        "{actual} instead of {expected}"
    );
}

#[test]
fn box_on_box_gives_two_points_with_different_ids() {
    let manifold = collide(&square(), &square(), at(0.25, 0.99), 0.02);
    assert_eq!(manifold.normal, Vec2::Y);
    assert_eq!(manifold.count, 2);
    let [right, left] = manifold.points;
    assert_near(right.separation, -0.01);
    assert_near(left.separation, -0.01);
    assert!(right.point.distance(Vec2::new(0.5, 0.495)) < 1.0e-5);
    assert!(left.point.distance(Vec2::new(-0.25, 0.495)) < 1.0e-5);
    assert_ne!(right.id, left.id);
}

#[test]
fn aligned_boxes_with_a_gap_keep_both_points() {
    for tilt in [-1.0e-4, 0.0, 1.0e-4] {
        let manifold = collide(&square(), &square(), Pose::new(Vec2::new(0.0, 1.005), tilt), 0.02);
        assert_eq!(manifold.count, 2, "tilted by {tilt}");
    }
}

#[test]
fn ids_stay_while_a_box_slides_and_rocks() {
    let ids = |pose| collide(&square(), &square(), pose, 0.02).points.map(|p| p.id);
    let first = ids(at(0.2, 1.0));
    for step in 0..40 {
        let shift = 0.2 + 0.005 * step as f32;
        let tilt = 0.002 * (step % 5 - 2) as f32;
        assert_eq!(
            ids(Pose::new(Vec2::new(shift, 0.999), tilt)),
            first,
            "step {step}"
        );
    }
}

#[test]
fn corner_beside_corner_gives_one_point_between_them() {
    let manifold = collide(&square(), &square(), at(1.003, 1.004), 0.02);
    assert_eq!(manifold.count, 1);
    assert!(manifold.normal.distance(Vec2::new(0.6, 0.8)) < 1.0e-3);
    assert!((manifold.points[0].separation - 0.005).abs() < 1.0e-5);
}

/// Two boxes of any size that share exactly one corner, in a grid: in each of the four corners, either one first, the
/// contact point is that corner.
#[test]
fn diagonal_neighbors_in_a_grid_touch_at_their_shared_corner() {
    let sizes = [(1.0, 1.0), (3.0, 0.5), (0.5, 3.0), (0.25, 0.25), (500.0, 0.5)];
    for (width, height) in sizes {
        let brick = Shape::new_box(2.0 * width, 2.0 * height).unwrap();
        for (other_width, other_height) in sizes {
            let other = Shape::new_box(2.0 * other_width, 2.0 * other_height).unwrap();
            for (x, y) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
                let corner = Vec2::new(x * width, y * height);
                let pose = at(x * (width + other_width), y * (height + other_height));
                for gap in [0.0, 0.0001, -0.0001, 0.001, -0.001] {
                    let pose = Pose {
                        position: pose.position + gap * Vec2::new(x, y),
                        ..pose
                    };
                    let manifold = collide(&brick, &other, pose, 0.02);
                    assert!(manifold.count > 0);
                    for point in manifold.active_points() {
                        assert!(
                            point.point.distance(corner) < 0.0021,
                            "{width} x {height}, {other_width} x {other_height}, gap {gap}: {point:?} is not {corner}"
                        );
                    }
                }
            }
        }
    }
}

/// A rod that leans: its lower end is near the floor, the other end far above. Both are points of the contact, so that
/// the far end is known when the rod tips over. Out of reach there is no point at all.
#[test]
fn the_far_end_of_a_leaning_rod_is_a_point_while_the_near_end_is_in_reach() {
    let rods = [
        Shape::new_box(2.0, 0.04).unwrap(),
        Shape::rounded_box(1.98, 0.02, 0.01).unwrap(),
        Shape::capsule(Vec2::new(-0.98, 0.0), Vec2::new(0.98, 0.0), 0.02).unwrap(),
    ];
    let floors = [
        Shape::new_box(100.0, 2.0).unwrap(),
        Shape::new_box(1000.0, 2.0).unwrap(),
        Shape::segment(Vec2::new(-50.0, 1.0), Vec2::new(50.0, 1.0)).unwrap(),
        Shape::chain_segment(
            Vec2::new(90.0, 1.0),
            Vec2::new(50.0, 1.0),
            Vec2::new(-50.0, 1.0),
            Vec2::new(-90.0, 1.0),
        )
        .unwrap(),
    ];
    for rod in &rods {
        for floor in &floors {
            for (lean, gap) in [(0.1, 0.01), (0.4, 0.0), (-0.4, -0.003), (-0.7, 0.019)] {
                let flat = rod.aabb(Pose::new(Vec2::ZERO, lean));
                let pose = Pose::new(Vec2::new(3.0, 1.0 + gap - flat.min.y), lean);
                for manifold in [
                    collide(floor, rod, pose, 0.02),
                    collide(rod, floor, pose.to(Pose::IDENTITY), 0.02),
                ] {
                    assert_eq!(manifold.count, 2, "{lean} {gap} {manifold:?}");
                    let [one, two] = manifold.points.map(|p| p.separation);
                    assert!((one.min(two) - gap).abs() < 1.0e-4, "{lean} {gap} {manifold:?}");
                    let far_end = 1.9 * pose.rotation.sin.abs();
                    assert!(one.max(two) > far_end, "{lean} {gap} {manifold:?}");
                }
                let higher = Pose {
                    position: pose.position + (0.0201 - gap) * Vec2::Y,
                    ..pose
                };
                assert_eq!(collide(floor, rod, higher, 0.02).count, 0);
            }
        }
    }
}

/// How high a shape reaches at `x` along one axis (`sign` 1), or how low (`sign` -1), in double precision; `None` beside
/// it.
fn surface_at(shape: &Shape, pose: Pose, along: DVec2, up: DVec2, x: f64, sign: f64) -> Option<f64> {
    let radius = f64::from(shape.radius());
    let core: Vec<(f64, f64)> = crate::shape_oracle::core(shape, pose)
        .iter()
        .map(|p| (along.dot(*p), sign * up.dot(*p)))
        .collect();
    let mut highest: Option<f64> = None;
    let mut keep = |height: f64| highest = Some(highest.map_or(height, |most| most.max(height)));
    for (i, &(px, py)) in core.iter().enumerate() {
        if (x - px).abs() <= radius {
            keep(py + (radius * radius - (x - px) * (x - px)).sqrt());
        }
        // The edge, moved out by the radius to either side; the one that lies inside is never the highest.
        let (qx, qy) = core[(i + 1) % core.len()];
        let length = DVec2::new(qx - px, qy - py).length();
        let (nx, ny) = ((qy - py) / length, -(qx - px) / length);
        for side in [-radius, radius] {
            let (from, to) = (px + side * nx, qx + side * nx);
            let part = (x - from) / (to - from);
            if (0.0..=1.0).contains(&part) {
                keep(py + side * ny + part * (qy - py));
            }
        }
    }
    highest.map(|height| sign * height)
}

#[test]
fn capsules_end_to_end_touch_with_their_caps() {
    let capsule = Shape::capsule(Vec2::NEG_X, Vec2::X, 0.5).unwrap();
    for angle in [0.0, 1.0e-6, core::f32::consts::PI] {
        let manifold = collide(&capsule, &capsule, Pose::new(Vec2::new(2.9, 0.0), angle), 0.02);
        assert_eq!(manifold.count, 1);
        assert!(manifold.normal.distance(Vec2::X) < 1.0e-4);
        assert!((manifold.points[0].separation + 0.1).abs() < 1.0e-4);
        assert!(manifold.points[0].point.distance(Vec2::new(1.45, 0.0)) < 1.0e-4);
    }
}

#[test]
fn capsule_lying_on_a_capsule_gives_two_points() {
    let capsule = Shape::capsule(Vec2::NEG_X, Vec2::X, 0.5).unwrap();
    let manifold = collide(&capsule, &capsule, at(0.5, 1.0), 0.02);
    assert_eq!(manifold.count, 2);
    assert!(manifold.normal.distance(Vec2::Y) < 1.0e-6);
    assert_near(deepest(&manifold), 0.0);
}

#[test]
fn crossing_segments_part_along_the_shorter_way() {
    let long = Shape::segment(Vec2::new(-2.0, 0.0), Vec2::new(2.0, 0.0)).unwrap();
    let post = Shape::segment(Vec2::new(0.0, -0.1), Vec2::new(0.0, 1.0)).unwrap();
    let manifold = collide(&long, &post, Pose::IDENTITY, 0.02);
    assert_eq!(manifold.normal, Vec2::Y);
    assert_near(deepest(&manifold), -0.1);
}

#[test]
fn circle_meets_the_corner_the_face_and_the_inside_of_a_box() {
    let ball = Shape::circle(Vec2::ZERO, 0.25).unwrap();
    let corner = collide(&square(), &ball, at(0.5 + 0.15, 0.5 + 0.2), 0.02);
    assert!(corner.normal.distance(Vec2::new(0.6, 0.8)) < 1.0e-5);
    assert_near(corner.points[0].separation, 0.0);
    let face = collide(&square(), &ball, at(0.7, 0.1), 0.02);
    assert_eq!(face.normal, Vec2::X);
    assert_near(face.points[0].separation, -0.05);
    let inside = collide(&square(), &ball, at(0.0, -0.2), 0.02);
    assert_eq!(inside.normal, Vec2::NEG_Y);
    assert_near(inside.points[0].separation, -0.55);
}

#[test]
fn one_center_gives_a_unit_normal_and_finite_points() {
    let shapes = [
        Shape::circle(Vec2::ZERO, 1.0).unwrap(),
        Shape::capsule(Vec2::NEG_X, Vec2::X, 0.5).unwrap(),
        Shape::segment(Vec2::NEG_X, Vec2::X).unwrap(),
        square(),
        Shape::rounded_box(2.0, 2.0, 0.2).unwrap(),
        Shape::new_box(0.001, 0.001).unwrap(),
        Shape::new_box(100_000.0, 100_000.0).unwrap(),
    ];
    for a in &shapes {
        for b in &shapes {
            let manifold = collide(a, b, Pose::IDENTITY, 0.02);
            assert!(manifold.count > 0);
            assert!((manifold.normal.length() - 1.0).abs() < 1.0e-5);
            for point in manifold.active_points() {
                assert!(point.point.is_finite() && point.separation.is_finite());
                assert!(point.separation <= 0.0);
            }
        }
    }
}

#[test]
fn a_tiny_box_on_a_huge_one_touches_with_two_points() {
    let ground = Shape::new_box(2_000.0, 2.0).unwrap();
    let crumb = Shape::new_box(0.004, 0.004).unwrap();
    let manifold = collide(&ground, &crumb, at(3.0, 1.0019), 0.0001);
    assert_eq!(manifold.count, 2);
    assert_eq!(manifold.normal, Vec2::Y);
}

/// Not known of a half-space, of which only a part is looked at, nor of what touches.
#[test]
fn shapes_that_are_apart_know_how_far() {
    let circle = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let segment = Shape::chain_segment(
        Vec2::new(2.0, 0.5),
        Vec2::new(1.0, 0.5),
        Vec2::new(-1.0, 0.5),
        Vec2::new(-2.0, 0.5),
    )
    .unwrap();
    for (a, b) in [
        (circle, circle),
        (square(), circle),
        (circle, square()),
        (square(), square()),
        (segment, square()),
        (segment, circle),
    ] {
        let [apart, near] = [1.25, 1.01].map(|y| collide(&a, &b, at(0.0, y), 0.02));
        assert_eq!(apart.count, 0);
        assert!((apart.gap - 0.25).abs() < 1.0e-6, "{apart:?}");
        assert!(near.count > 0 && near.gap == 0.0, "{near:?}");
    }
    let ground = Shape::half_space(Vec2::new(0.0, 0.5), Vec2::Y).unwrap();
    assert_eq!(collide(&ground, &square(), at(0.0, 1.25), 0.02), Manifold::EMPTY);
}

#[test]
fn a_pose_that_is_no_number_does_not_panic() {
    let circle = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    for a in [circle, square()] {
        for b in [circle, square()] {
            collide(&a, &b, at(f32::NAN, 0.0), 0.02);
            collide(&a, &b, at(f32::INFINITY, 0.0), 0.02);
        }
    }
}

proptest! {
    #![proptest_config(cases(4_000))]

    /// Apart, the nearest point is as far as the distance; overlapping, as deep as the support functions say. What may
    /// differ is the lead of the first shape's face.
    #[test]
    fn separation_is_the_signed_distance(a in any_shape(), b in any_shape(), pose in any_pose()) {
        let expected = signed_distance(&a, &b, pose);
        let manifold = collide(&a, &b, pose, 0.5);
        if expected > 0.502 {
            prop_assert_eq!(Manifold { gap: 0.0, ..manifold }, Manifold::EMPTY);
            prop_assert!(f64::from(manifold.gap) <= expected + 1.0e-4, "{} of {}", manifold.gap, expected);
        } else if expected < 0.498 {
            prop_assert!(manifold.count > 0);
            let found = f64::from(deepest(&manifold));
            prop_assert!((found - expected).abs() < 2.0e-3, "{} instead of {}", found, expected);
        }
    }

    /// The normal is a unit vector, ids differ, and every point lies within half its separation of both surfaces.
    #[test]
    fn points_lie_between_the_surfaces(a in any_shape(), b in any_shape(), pose in any_pose()) {
        let manifold = collide(&a, &b, pose, 0.05);
        if manifold.count > 0 {
            prop_assert!((manifold.normal.length() - 1.0).abs() < 1.0e-5);
            prop_assert!(deepest(&manifold) <= 0.05);
        }
        if manifold.count == 2 {
            prop_assert_ne!(manifold.points[0].id, manifold.points[1].id);
        }
        for point in manifold.active_points() {
            let p = point.point.as_dvec2();
            for (shape, pose) in [(&a, Pose::IDENTITY), (&b, pose)] {
                let outside = crate::shape_oracle::point_to_core(p, &crate::shape_oracle::core(shape, pose))
                    - f64::from(shape.radius());
                prop_assert!(outside <= 0.5 * f64::from(point.separation.abs()) + 1.0e-3);
            }
        }
    }

    /// Each of two points is halfway between the surfaces, seen along the normal, and its separation is their distance
    /// there: also on round corners, and also where the overlap is deep.
    #[test]
    fn both_points_are_halfway_along_the_normal(a in any_shape(), b in any_shape(), pose in any_pose()) {
        let manifold = collide(&a, &b, pose, 0.05);
        if manifold.count == 2 {
            let up = manifold.normal.as_dvec2().normalize();
            let along = DVec2::new(-up.y, up.x);
            // Rounding moves a point along a steep edge.
            let [one, two] = manifold.points;
            let slope = f64::from(two.separation - one.separation) / along.dot((two.point - one.point).as_dvec2());
            let tolerance = 1.0e-3 + 2.0e-6 * slope.abs();
            for point in manifold.active_points() {
                // At the very end of an edge rounding may lie beside it: the outermost near by counts.
                let x = along.dot(point.point.as_dvec2());
                let near = [x - 2.0e-6, x, x + 2.0e-6];
                let top = near.iter().filter_map(|&x| surface_at(&a, Pose::IDENTITY, along, up, x, 1.0)).reduce(f64::max);
                let bottom = near.iter().filter_map(|&x| surface_at(&b, pose, along, up, x, -1.0)).reduce(f64::min);
                prop_assert!(top.is_some() && bottom.is_some());
                if let (Some(top), Some(bottom)) = (top, bottom) {
                    let height = up.dot(point.point.as_dvec2());
                    prop_assert!((height - 0.5 * (top + bottom)).abs() < tolerance, "{:?} {} {}", point, top, bottom);
                    prop_assert!((f64::from(point.separation) - (bottom - top)).abs() < tolerance,
                        "{:?} {} {}", point, top, bottom);
                }
            }
        }
    }

    /// Exchanging the shapes mirrors the manifold wherever one face is clearly the best.
    #[test]
    fn exchanging_the_shapes_mirrors_the_contact(a in any_shape(), b in any_shape(), pose in any_pose()) {
        let there = collide(&a, &b, pose, 0.1);
        let back = collide(&b, &a, pose.to(Pose::IDENTITY), 0.1);
        let close = |m: &Manifold| (deepest(m) - 0.1).abs() < 2.0e-3;
        if there.count == 0 || back.count == 0 {
            prop_assert!(there.count == back.count || close(&there) || close(&back));
        } else {
            prop_assert!((deepest(&there) - deepest(&back)).abs() < 2.0e-3);
            let mirrored = pose.rotation.rotate(-back.normal);
            let clear = mirrored.dot(there.normal) > 0.999;
            if clear && there.count == back.count && there.normal.distance(mirrored) < 1.0e-5 {
                for point in there.active_points() {
                    let twin = (point.id & 0xff) << 8 | point.id >> 8;
                    let found = back.active_points().iter().any(|p| {
                        p.id == twin && pose.transform_point(p.point).distance(point.point) < 1.0e-3
                    });
                    prop_assert!(found, "{:?} not in {:?}", point, back);
                }
            }
        }
    }

    /// Moving the frame of the first shape changes nothing beyond rounding.
    #[test]
    fn a_turn_of_both_shapes_changes_little(a in any_shape(), b in any_shape(), pose in any_pose(), turn in any_pose()) {
        let plain = collide(&a, &b, pose, 0.1);
        let seen = collide(&a, &b, turn.to(turn.compose(pose)), 0.1);
        if plain.count > 0 && seen.count > 0 {
            prop_assert!((deepest(&plain) - deepest(&seen)).abs() < 2.0e-3);
        }
    }
}

/// A level floor whose joint is at the origin, solid from above, and what stands across the joint.
#[test]
fn a_chain_segment_gives_level_ground_its_own_normal_only() {
    let points = [(6.0, 0.0), (3.0, 0.0), (0.0, 0.0), (-3.0, 0.0), (-6.0, 0.0)].map(Vec2::from);
    let floor =
        [0, 1].map(|i| Shape::chain_segment(points[i], points[i + 1], points[i + 2], points[i + 3]).unwrap());
    let shapes = [
        Shape::circle(Vec2::ZERO, 0.5).unwrap(),
        Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.5).unwrap(),
        Shape::new_box(1.4, 1.0).unwrap(),
        Shape::rounded_box(0.8, 0.6, 0.2).unwrap(),
    ];
    for shape in &shapes {
        for step in -150..150 {
            let x = step as f32 * 0.01;
            for depth in [-0.01, 0.0, 0.005, 0.1] {
                let pose = Pose::new(Vec2::new(x, 0.5 - depth), 0.0);
                let manifolds = floor.map(|segment| collide(&segment, shape, pose, 0.02));
                assert!(manifolds.iter().any(|manifold| manifold.count > 0), "{x} {depth}");
                for manifold in manifolds.iter().filter(|manifold| manifold.count > 0) {
                    assert!(
                        manifold.normal.distance(Vec2::Y) < 0.02,
                        "{x} {depth}: {manifold:?}"
                    );
                    assert!(
                        (manifold.points[0].separation + depth).abs() < 1.0e-3,
                        "{x} {depth}: {manifold:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_chain_segment_keeps_the_corner_that_sticks_out_and_not_the_other_one() {
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let [before, a, b] = [(3.0, 0.0), (2.0, 0.0), (0.0, 0.0)].map(Vec2::from);
    let beyond_the_end = Pose::new(Vec2::new(-0.3, 0.3), 0.0);
    let down = Shape::chain_segment(before, a, b, Vec2::new(0.0, -2.0)).unwrap();
    let corner = collide(&down, &ball, beyond_the_end, 0.0);
    assert_eq!(corner.count, 1);
    assert!(
        corner.normal.distance(Vec2::new(-1.0, 1.0).normalize()) < 1.0e-5,
        "{corner:?}"
    );
    for after in [Vec2::new(-2.0, 0.0), Vec2::new(-1.0, 1.0)] {
        let on = Shape::chain_segment(before, a, b, after).unwrap();
        assert_eq!(
            collide(&on, &ball, beyond_the_end, 0.0).count,
            0,
            "the next one has it"
        );
    }
}

#[test]
fn chain_segments_are_one_sided_and_pass_through_each_other() {
    let points = [(6.0, 0.0), (3.0, 0.0), (-3.0, 0.0), (-6.0, 0.0)].map(Vec2::from);
    let floor = Shape::chain_segment(points[0], points[1], points[2], points[3]).unwrap();
    assert_eq!(floor.validate(), Ok(()));
    let box_ = Shape::new_box(1.0, 1.0).unwrap();
    let at = |y| Pose::new(Vec2::new(0.0, y), 0.4);
    assert!(collide(&floor, &box_, at(0.2), 0.0).count > 0);
    assert_eq!(collide(&floor, &box_, at(-0.2), 0.0).count, 0);
    let from_the_box = at(0.2).to(Pose::IDENTITY);
    let swapped = collide(&box_, &floor, from_the_box, 0.0);
    assert!(swapped.count > 0);
    let in_world = at(0.2).rotation.rotate(swapped.normal);
    assert!(in_world.distance(Vec2::NEG_Y) < 1.0e-5, "{in_world}");
    assert_eq!(collide(&floor, &floor, Pose::new(Vec2::ZERO, 0.3), 0.1).count, 0);
}

#[test]
fn of_edges_side_by_side_the_one_that_faces_gets_the_contact() {
    // A sliver whose left side bends by a hundredth of a degree, beside the short side of a bar that ends above the bend: to
    // single precision the cosines of both edges are one.
    let sliver = [
        (-0.356_596_44, 0.258_278_76),
        (0.049_918_86, -89.493_33),
        (0.354_190_4, -10.484_868),
        (-0.047_583_69, 89.575_02),
        (-0.073_172_145, 88.460_045),
        (-0.121_156_67, 85.006_68),
        (-0.355_003_68, 8.536_88),
        (-0.356_501_43, 2.102_258),
    ];
    let sliver = Shape::polygon(&sliver.map(|(x, y)| Vec2::new(x, y)), 0.0).unwrap();
    let bar = Shape::new_box(158.482_14, 1.112_871_2).unwrap();
    let place = Pose::new(Vec2::new(-79.602_68, 0.008_414_727), 0.0);
    let manifold = collide(&sliver, &bar, place, 0.02);
    let least = manifold.active_points().iter().map(|point| point.separation);
    let least = least.fold(f32::INFINITY, f32::min);
    assert!((least - 0.005).abs() < 1.0e-4, "{manifold:?}");
    let other = collide(&bar, &sliver, place.to(Pose::IDENTITY), 0.02);
    assert!(other.count > 0, "{other:?}");
}
