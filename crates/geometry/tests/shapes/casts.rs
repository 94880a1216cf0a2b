//! Rays and shape casts where rounding decides: from a surface itself, along a line, without end, and at half-spaces.

use tombolo_geometry::distance::cast_shape;
use tombolo_geometry::shape::Shape;
use tombolo_geometry::{Pose, Rot, Vec2};

struct Random(u64);

impl Random {
    /// From -1 to 1.
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn point(&mut self, reach: f32) -> Vec2 {
        Vec2::new(self.next(), self.next()) * reach
    }
}

fn round_shapes() -> [Shape; 4] {
    let corners = [Vec2::ZERO, Vec2::new(3.0, 0.3), Vec2::new(1.0, 2.0)];
    [
        Shape::circle(Vec2::new(0.3, 0.1), 0.5).unwrap(),
        Shape::capsule(Vec2::ZERO, Vec2::new(3.0, 4.0), 0.5).unwrap(),
        Shape::rounded_box(2.0, 1.0, 0.3).unwrap(),
        Shape::polygon(&corners, 0.2).unwrap(),
    ]
}

#[test]
fn what_starts_on_a_round_surface_meets_it() {
    let capsule = Shape::capsule(Vec2::ZERO, Vec2::new(3.0, 4.0), 0.5).unwrap();
    let way = Vec2::new(-4.0, 2.0);
    let first = capsule.cast_ray(Vec2::new(3.5, 2.0), way, 1.0).unwrap();
    assert_eq!(first.point, Vec2::new(2.5, 2.5));
    let again = capsule.cast_ray(first.point, way, 1.0).unwrap();
    assert_eq!(again.fraction, 0.0);

    let half = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let start = Vec2::new(0.314_039_3, -0.389_074_98);
    assert!(
        half.cast_ray(start, Vec2::new(-0.942_117_87, 1.467_225), 1.0)
            .is_some()
    );
}

#[test]
fn rays_go_on_from_where_they_hit() {
    let mut random = Random(11);
    let mut count = 0;
    for round in 0..20_000 {
        for shape in round_shapes() {
            let (origin, way) = (random.point(6.0), random.point(10.0));
            let Some(hit) = shape.cast_ray(origin, way, 1.0) else {
                continue;
            };
            // A ray that only touches the border may be beside it after rounding.
            if hit.normal.dot(way) > -0.05 * way.length() {
                continue;
            }
            count += 1;
            let rest = shape.cast_ray(hit.point, way, 1.0);
            let share = rest.map(|rest| rest.fraction);
            assert!(
                share.is_some_and(|share| share < 1.0e-5),
                "round {round}: {shape:?}, from {} along {way}: {rest:?}",
                hit.point
            );
        }
    }
    assert!(count > 1000, "{count} hits");
}

/// The clamp of fractions below zero is for rays that enter, not for those that leave or pass.
#[test]
fn what_leaves_a_round_surface_does_not_meet_it() {
    let mut random = Random(12);
    for round in 0..20_000 {
        for shape in round_shapes() {
            let (origin, way) = (random.point(6.0), random.point(10.0));
            let Some(hit) = shape.cast_ray(origin, way, 1.0) else {
                continue;
            };
            if hit.normal.dot(way) > -0.05 * way.length() {
                continue;
            }
            let outside = hit.point + 1.0e-5 * hit.normal;
            let away = shape.cast_ray(outside, -way, 1.0);
            assert_eq!(away, None, "round {round}: {shape:?}, from {outside} along {way}");
            // Past the shape: along the surface, straightened by the convex side.
            let along = hit.normal.perp();
            let past = shape.cast_ray(outside + 1.0e-3 * hit.normal, along + 1.0e-2 * hit.normal, 10.0);
            assert_eq!(past, None, "round {round}: {shape:?}, past {outside}");
        }
    }
}

#[test]
fn a_circle_does_not_pass_through_another_that_it_touches() {
    let fixed = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let mover = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    // 1.2e-7 m apart.
    let place = Vec2::new(1.492_506_3, 0.149_750_13);
    assert!(cast_shape(&mover, &fixed, Pose::new(-place, 0.0), place, 1.0).is_some());
}

#[test]
fn a_ray_without_end_sees_what_is_on_it_and_nothing_else() {
    let ball = Shape::circle(Vec2::new(10.0, 0.0), 1.0).unwrap();
    let rounded = Shape::rounded_box(2.0, 2.0, 0.5).unwrap();
    let sharp = Shape::new_box(2.0, 2.0).unwrap();
    let wall = Shape::segment(Vec2::new(10.0, 3.0), Vec2::new(10.0, 4.0)).unwrap();
    let ground = Shape::half_space(Vec2::new(0.0, -2.0), Vec2::Y).unwrap();
    for far in [1.0e5_f32, 1.0e17, 1.0e18, 1.0e20, 1.0e30, f32::MAX] {
        let hit = ball
            .cast_ray(Vec2::ZERO, Vec2::new(far, 0.0), 1.0)
            .expect("the ball");
        assert!(hit.point.distance(Vec2::new(9.0, 0.0)) < 1.0e-4, "{far}: {hit:?}");
        for (shape, x) in [(rounded, -1.5), (sharp, -1.0)] {
            let hit = shape
                .cast_ray(Vec2::new(-5.0, 0.2), Vec2::new(far, 0.0), 1.0)
                .unwrap();
            assert!(hit.point.distance(Vec2::new(x, 0.2)) < 1.0e-4, "{far}: {hit:?}");
            assert_eq!(shape.cast_ray(Vec2::new(-5.0, 0.2), Vec2::splat(far), 1.0), None);
        }
        // It is at (10, 10) there.
        assert_eq!(
            wall.cast_ray(Vec2::ZERO, Vec2::splat(0.6 * far), 1.0),
            None,
            "{far}"
        );
        assert!(
            wall.cast_ray(Vec2::new(0.0, 3.5), Vec2::new(far, 0.0), 1.0)
                .is_some()
        );
        let hit = ground.cast_ray(Vec2::ZERO, Vec2::new(far, -far), 1.0).unwrap();
        assert!(
            hit.point.distance(Vec2::new(2.0, -2.0)) < 1.0e-4,
            "{far}: {hit:?}"
        );
    }
}

#[test]
fn a_half_space_does_not_end_before_the_cast() {
    let ground = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let start = Pose::new(Vec2::new(0.0, 1.5), 0.0);
    let hit = cast_shape(&ground, &ball, start, Vec2::new(1.0, -0.01), 200.0).unwrap();
    assert!((hit.fraction - 100.0).abs() < 0.01, "{hit:?}");
    assert!(
        hit.point.distance(Vec2::new(100.0, 0.0)) < 0.01 && hit.normal == Vec2::Y,
        "{hit:?}"
    );
    assert_eq!(
        cast_shape(&ground, &ball, start, Vec2::new(1.0, -0.01), 99.0),
        None
    );
    assert_eq!(
        cast_shape(&ground, &ball, start, Vec2::new(1.0, 0.0), 1.0e9),
        None
    );
}

/// The closed form in double precision, for either order of the shapes and casts of any length.
#[test]
fn the_length_of_a_cast_does_not_move_a_half_space() {
    let mut random = Random(13);
    let box_ = Shape::rounded_box(1.0, 0.5, 0.1).unwrap();
    for round in 0..2000 {
        let ground = Shape::half_space(random.point(5.0), random.point(1.0)).unwrap();
        let [point, normal] = ground.line_and_normal().unwrap();
        let pose = Pose::new(point + 40.0 * normal + random.point(30.0), 3.0 * random.next());
        let heights = box_.vertices().iter().map(|&vertex| {
            let corner = pose.transform_point(vertex);
            normal.as_dvec2().dot((corner - point).as_dvec2())
        });
        let low = heights.fold(f64::INFINITY, f64::min) - f64::from(box_.radius());
        let direction = random.point(1.0);
        let fall = -normal.as_dvec2().dot(direction.as_dvec2());
        if low <= 1.0e-3 || fall < 0.05 {
            continue;
        }
        for length in [200.0_f32, 1.0e4, 1.0e6, 1.0e9] {
            let way = length * direction;
            let expected = low / -normal.as_dvec2().dot(way.as_dvec2());
            let what = format!("round {round}: {pose:?} over {ground:?} along {way}");
            let hit = cast_shape(&ground, &box_, pose, way, 1.0);
            if expected > 1.0 {
                continue;
            }
            let hit = hit.expect(&what);
            let off = |fraction: f32| (f64::from(fraction) / expected - 1.0).abs() * low;
            assert!(
                off(hit.fraction) < 1.0e-4 && hit.normal == normal,
                "{what}: {hit:?}, {expected}"
            );
            let inverse = pose.to(Pose::IDENTITY);
            let towards = pose.rotation.unrotate(-way);
            let other = cast_shape(&box_, &ground, inverse, towards, 1.0).expect(&what);
            assert!(off(other.fraction) < 1.0e-4, "{what}: {other:?}, {expected}");
            let turned = pose.rotation.rotate(other.normal);
            assert!(turned.distance(-normal) < 1.0e-5, "{what}: {other:?}");
            let touched = pose.transform_point(other.point) + other.fraction * way;
            assert!(
                normal.dot(touched - point).abs() < 1.0e-2,
                "{what}: {other:?} is on the line"
            );
        }
    }
}

#[test]
fn rods_in_line_meet_end_to_end() {
    for angle in [0.0, 0.3, 1.2, 2.0, -2.5] {
        let turn = Rot::from_angle(angle);
        let place = |x: f32| turn.rotate(Vec2::new(x, 0.0));
        let wall = Shape::segment(place(5.0), place(9.0)).unwrap();
        let rod = Shape::segment(Vec2::NEG_X, Vec2::X).unwrap();
        let start = Pose::new(Vec2::ZERO, angle);
        let hit = cast_shape(&wall, &rod, start, place(10.0), 1.0).expect("an end");
        assert!((hit.fraction - 0.4).abs() < 1.0e-5, "{hit:?}");
        assert!(hit.normal.distance(place(-1.0)) < 1.0e-5, "{hit:?}");
        assert!(hit.point.distance(place(5.0)) < 1.0e-5, "{hit:?}");
        let back = Pose::new(place(14.0), angle + core::f32::consts::PI);
        let hit = cast_shape(&wall, &rod, back, place(-10.0), 1.0).expect("the other end");
        assert!((hit.fraction - 0.4).abs() < 1.0e-5, "{hit:?}");
        assert!(hit.point.distance(place(9.0)) < 1.0e-5, "{hit:?}");
        assert_eq!(cast_shape(&wall, &rod, start, place(-10.0), 1.0), None, "away");
        assert_eq!(
            cast_shape(&wall, &rod, start, place(10.0), 0.39),
            None,
            "too short"
        );
        let beside = Pose::new(turn.rotate(Vec2::new(0.0, 0.01)), angle);
        assert_eq!(
            cast_shape(&wall, &rod, beside, place(10.0), 1.0),
            None,
            "side by side"
        );
    }
}
