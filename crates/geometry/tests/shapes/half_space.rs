//! Half-spaces against closed forms: every function of two shapes, in either order, at random places and angles.

use tombolo_geometry::collide::collide;
use tombolo_geometry::distance::{
    IMPACT_TARGET, ImpactState, Sweep, cast_shape, cast_turning, closest_point, distance, surfaces,
    time_of_impact,
};
use tombolo_geometry::shape::{Shape, ShapeError, ShapeKind};
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

fn shapes() -> Vec<Shape> {
    vec![
        Shape::circle(Vec2::new(0.3, 0.1), 0.5).unwrap(),
        Shape::capsule(Vec2::new(-1.0, 0.0), Vec2::new(1.0, 0.5), 0.2).unwrap(),
        Shape::segment(Vec2::new(-1.0, 0.0), Vec2::new(2.0, 0.5)).unwrap(),
        Shape::new_box(2.0, 0.3).unwrap(),
        Shape::rounded_box(2.0, 1.0, 0.2).unwrap(),
        Shape::polygon(&[(0.0, 0.0), (3.0, 0.3), (1.0, 2.0)].map(Vec2::from), 0.0).unwrap(),
    ]
}

/// The least height of a shape over a line, by its corners.
fn lowest(shape: &Shape, pose: Pose, point: Vec2, normal: Vec2) -> f64 {
    let heights = shape.vertices().iter().map(|&vertex| {
        let place = pose.transform_point(vertex).as_dvec2();
        normal.as_dvec2().dot(place - point.as_dvec2())
    });
    heights.fold(f64::INFINITY, f64::min) - f64::from(shape.radius())
}

#[test]
fn two_shapes_go_by_the_lowest_corner() {
    let mut random = Random(7);
    for round in 0..2000 {
        let normal = random.point(1.0).normalize();
        let point = random.point(5.0);
        let ground = Shape::half_space(point, normal).unwrap();
        for shape in shapes() {
            let pose = Pose::new(random.point(8.0), 3.0 * random.next());
            let low = lowest(&shape, pose, point, normal) as f32;
            let what = format!("round {round}: {shape:?} at {pose:?}, {low} m over {ground:?}");
            let found = distance(&ground, &shape, pose);
            assert!(
                (found.distance - low.max(0.0)).abs() < 1.0e-4,
                "{what}: {found:?}"
            );
            let other_way = distance(&shape, &ground, pose.to(Pose::IDENTITY));
            assert!(
                (other_way.distance - low.max(0.0)).abs() < 1.0e-4,
                "{what}: {other_way:?}"
            );

            if (low - 0.1).abs() < 1.0e-4 {
                continue;
            }
            let manifold = collide(&ground, &shape, pose, 0.1);
            assert_eq!(manifold.count > 0, low <= 0.1, "{what}: {manifold:?}");
            let deepest = manifold.active_points().iter().map(|point| point.separation);
            let deepest = deepest.fold(f32::INFINITY, f32::min);
            if manifold.count > 0 {
                assert!(manifold.normal.distance(normal) < 1.0e-4, "{what}: {manifold:?}");
                assert!((deepest - low).abs() < 1.0e-3, "{what}: {manifold:?}");
            }
            let swapped = collide(&shape, &ground, pose.to(Pose::IDENTITY), 0.1);
            assert_eq!(swapped.count, manifold.count, "{what}: {swapped:?}");
            let found = surfaces(&shape, &ground, pose.to(Pose::IDENTITY), 0.1);
            assert!(
                (found.unwrap().separation - low).abs() < 1.0e-3,
                "{what}: {found:?}"
            );
        }
    }
}

#[test]
fn casts_and_impacts_go_by_the_lowest_corner() {
    let mut random = Random(8);
    for round in 0..1000 {
        let normal = random.point(1.0).normalize();
        let point = random.point(5.0);
        let ground = Shape::half_space(point, normal).unwrap();
        for shape in shapes() {
            let pose = Pose::new(random.point(8.0), 3.0 * random.next());
            let way = random.point(20.0);
            let low = lowest(&shape, pose, point, normal) as f32;
            let fall = -normal.dot(way);
            let what = format!("round {round}: {shape:?} at {pose:?} along {way}, {low} m over {ground:?}");
            let expected = if low <= 0.0 {
                Some(0.0)
            } else {
                Some(low / fall).filter(|share| (0.0..=1.0).contains(share))
            };
            let hit = cast_shape(&ground, &shape, pose, way, 1.0);
            let is_near_end = expected.is_some_and(|share| share > 0.999);
            if low.abs() > 1.0e-3 && !is_near_end {
                assert_eq!(hit.is_some(), expected.is_some(), "{what}: {hit:?}");
                if let (Some(hit), Some(share)) = (hit, expected) {
                    assert!((hit.fraction - share).abs() < 1.0e-3, "{what}: {hit:?}");
                }
            }
            check_impact(&ground, &shape, pose, way, random.next(), &what);
        }
    }
}

/// Compares the time of impact of a motion that turns with small steps along it.
fn check_impact(ground: &Shape, shape: &Shape, pose: Pose, way: Vec2, turn: f32, what: &str) {
    let [point, normal] = ground.line_and_normal().unwrap();
    let sweep = Sweep {
        local_center: Vec2::ZERO,
        c0: pose.position,
        c1: pose.position + way,
        q0: pose.rotation,
        q1: pose.rotation.then(Rot::from_angle(turn)),
    };
    let height = |fraction: f32| lowest(shape, sweep.pose_at(fraction), point, normal) as f32;
    let steps = (0..=400).map(|step| step as f32 / 400.0);
    let least = steps.map(height).fold(f32::INFINITY, f32::min);
    let found = time_of_impact(ground, &Sweep::default(), shape, &sweep, 1.0);
    match found.state {
        ImpactState::Separated => assert!(least > IMPACT_TARGET - 1.0e-3, "{what}: {found:?}, {least}"),
        ImpactState::Overlapped => assert!(height(0.0) < 1.0e-3, "{what}: {found:?}"),
        ImpactState::Hit => {
            let at = height(found.fraction);
            assert!(
                at < IMPACT_TARGET + 3.0e-3 && (at > 0.0 || found.fraction == 0.0),
                "{what}: {found:?}, {at}"
            );
        }
        ImpactState::Unresolved => panic!("{what}: {found:?}"),
    }
    let touched = cast_turning(ground, Pose::IDENTITY, shape, &sweep, 1.0);
    assert_eq!(
        touched.state == ImpactState::Separated,
        least > 0.0,
        "{what}: {touched:?}, {least}"
    );
}

#[test]
fn rays_points_and_boxes_know_the_line() {
    let mut random = Random(9);
    for _ in 0..2000 {
        let normal = random.point(1.0).normalize();
        let point = random.point(5.0);
        let ground = Shape::half_space(point, normal).unwrap();
        let (from, way) = (random.point(8.0), random.point(20.0));
        let height = normal.dot(from - point);
        assert_eq!(ground.contains_point(from), height <= 0.0);
        let nearest = closest_point(&ground, from);
        assert!((nearest.distance(from) - height.max(0.0)).abs() < 1.0e-4);
        let hit = ground.cast_ray(from, way, 1.0);
        let share = -height / normal.dot(way);
        if height <= 0.0 {
            assert_eq!(hit.unwrap().fraction, 0.0);
        } else if (0.0..=0.999).contains(&share) {
            let hit = hit.unwrap();
            assert!(
                (hit.fraction - share).abs() < 1.0e-5 && hit.normal == ground.line_and_normal().unwrap()[1]
            );
        } else if !(0.0..=1.001).contains(&share) {
            assert!(hit.is_none());
        }
        // A box holds all of it that a body may be near to.
        let pose = Pose::new(random.point(50.0), 3.0 * random.next());
        let area = ground.aabb(pose);
        assert!(area.is_valid());
        let inside = pose.transform_point(from - (height.max(0.0) + 1.0e-3) * normal);
        assert!(
            area.grown(0.01)
                .contains(tombolo_geometry::Aabb::new(inside, inside))
        );
    }
    let flat = Shape::half_space(Vec2::new(0.0, 3.0), Vec2::Y).unwrap();
    assert_eq!(flat.aabb(Pose::IDENTITY).max.y, 3.0);
    let wall = Shape::half_space(Vec2::new(-3.0, 5.0), Vec2::X).unwrap();
    assert_eq!(wall.aabb(Pose::IDENTITY).max.x, -3.0);
}

#[test]
fn bytes_that_are_no_half_space_are_refused() {
    let good = Shape::half_space(Vec2::new(1.0, 2.0), Vec2::new(3.0, 4.0)).unwrap();
    assert_eq!(good.kind(), ShapeKind::HalfSpace);
    assert_eq!(good.validate(), Ok(()));
    let forged = |word: usize, value: f32| {
        let mut bytes = bytemuck::bytes_of(&good).to_vec();
        bytes[4 * word..4 * word + 4].copy_from_slice(&value.to_le_bytes());
        bytemuck::pod_read_unaligned::<Shape>(&bytes).validate()
    };
    for (word, value) in [
        (0, f32::NAN),
        (2, 1.0),
        (16, 0.0),
        (16, f32::NAN),
        (18, 1.0),
        (18, f32::NAN),
        (34, 1.0),
    ] {
        assert!(forged(word, value).is_err(), "word {word} as {value}");
    }
    assert!(matches!(
        Shape::half_space(Vec2::ZERO, Vec2::ZERO),
        Err(ShapeError::Inconsistent { .. })
    ));
    assert!(Shape::half_space(Vec2::new(f32::NAN, 0.0), Vec2::Y).is_err());
    assert!(Shape::half_space(Vec2::ZERO, Vec2::new(1.0e9, 0.0)).is_err());
}

#[test]
fn two_half_spaces_never_touch() {
    let ground = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    assert_eq!(
        collide(&ground, &ground, Pose::new(Vec2::new(0.0, -1.0), 1.0), 1.0).count,
        0
    );
}
