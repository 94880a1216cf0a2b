//! Brute force over all shapes, for the kinds of queries that have more than a line of it.

use crate::world_support::Random;
use std::ops::ControlFlow;
use tombolo_geometry::collide::collide;
use tombolo_geometry::distance::{cast_shape, closest_point, distance};
use tombolo_physics::{
    BodyKind, Closest, Filter, Motion, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeId, ShapeRef,
    Touch, Vec2,
};

/// All shapes that a query may see, by index.
pub(crate) fn seen<'a>(world: &'a PhysicsWorld, filter: &QueryFilter<'_>) -> Vec<ShapeRef<'a>> {
    let mut shapes: Vec<ShapeRef<'a>> = world
        .shapes()
        .filter(|shape| shape.body().is_enabled() && (filter.sensors || !shape.is_sensor()))
        .filter(|shape| {
            let Filter { category, mask, .. } = shape.filter();
            category & filter.mask != 0 && mask & filter.category != 0
        })
        .filter(|shape| !filter.exclude_bodies.contains(&shape.body().id()))
        .filter(|shape| !filter.exclude_shapes.contains(&shape.id()))
        .filter(|shape| filter.predicate.is_none_or(|predicate| predicate(*shape)))
        .collect();
    shapes.sort_by_key(|shape| shape.id().index());
    shapes
}

/// Nearest first, ties by shape.
pub(crate) fn sort(found: &mut [(f32, ShapeId)]) {
    found.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.index().cmp(&b.1.index())));
}

pub(crate) fn check_shape_cast(
    world: &PhysicsWorld,
    random: &mut Random,
    filter: QueryFilter<'_>,
    probe: &Shape,
) -> usize {
    let pose = Pose::new(random.vector(12.0), random.between(-3.0, 3.0));
    let translation = random.vector(12.0);
    let mut expected: Vec<(f32, ShapeId)> = seen(world, &filter)
        .iter()
        .filter_map(|shape| {
            let towards = pose.rotation.unrotate(-translation);
            let other = pose.to(shape.body().pose());
            let hit = cast_shape(probe, shape.geometry(), other, towards, 1.0)?;
            Some((hit.fraction, shape.id()))
        })
        .collect();
    sort(&mut expected);
    let motion = Motion::line(pose, translation);
    let hit = world.cast_shape(probe, motion, filter).unwrap();
    assert_eq!(
        hit.map(|hit| (hit.fraction, hit.shape)),
        expected.first().copied()
    );
    let all = world.cast_shape_all(probe, motion, filter).unwrap();
    let all: Vec<(f32, ShapeId)> = all.iter().map(|hit| (hit.fraction, hit.shape)).collect();
    assert_eq!(all, expected, "all, nearest first, ties by shape");
    expected.len()
}

/// A cast that turns, against the distances at many moments.
pub(crate) fn check_turning_cast(
    world: &PhysicsWorld,
    random: &mut Random,
    filter: QueryFilter<'_>,
    probe: &Shape,
) -> usize {
    const MOMENTS: u32 = 64;
    let motion = Motion {
        start: Pose::new(random.vector(12.0), random.between(-3.0, 3.0)),
        translation: random.vector(6.0),
        turn: random.between(-6.0, 6.0),
    };
    let all = world.cast_shape_all(probe, motion, filter).unwrap();
    let first = world.cast_shape(probe, motion, filter).unwrap();
    assert_eq!(first.as_ref(), all.first(), "the nearest is the first of all");
    for shape in seen(world, &filter) {
        let gap = |fraction: f32| {
            let pose = motion.pose_at(fraction);
            distance(probe, shape.geometry(), pose.to(shape.body().pose())).distance
        };
        let hit = all.iter().find(|hit| hit.shape == shape.id());
        let until = hit.map_or(1.0, |hit| hit.fraction);
        // What meets at the start was never apart.
        let moments = if until > 0.0 { MOMENTS } else { 0 };
        for moment in 0..moments {
            let fraction = until * moment as f32 / MOMENTS as f32;
            // Within a piece of the turn the way differs by a thousandth of a radian.
            let is_apart = [fraction, fraction - 0.001, fraction + 0.001]
                .into_iter()
                .any(|fraction| gap(fraction) > 0.0);
            assert!(is_apart, "{:?} was met before {until}: at {fraction}", shape.id());
        }
        if let Some(hit) = hit {
            assert!(gap(hit.fraction) < 0.01, "it is near at {}", hit.fraction);
            assert_eq!(hit.normal == Vec2::ZERO, gap(0.0) <= 0.0, "{hit:?}");
        }
    }
    all.len()
}

/// Everything within a distance, nearest first.
fn near(
    world: &PhysicsWorld,
    filter: QueryFilter<'_>,
    distance_max: f32,
    gap: impl Fn(&ShapeRef<'_>) -> f32,
) -> Vec<(f32, ShapeId)> {
    let mut near: Vec<(f32, ShapeId)> = seen(world, &filter)
        .iter()
        .map(|shape| (gap(shape), shape.id()))
        .filter(|near| near.0 <= distance_max)
        .collect();
    sort(&mut near);
    near
}

/// The three forms of one question against brute force.
fn check_forms(
    several: &[Closest],
    one: Option<Closest>,
    each: &[Closest],
    count_max: usize,
    expected: &[(f32, ShapeId)],
) {
    let keys = |found: &[Closest]| -> Vec<(f32, ShapeId)> {
        found.iter().map(|found| (found.distance, found.shape)).collect()
    };
    assert_eq!(keys(several), expected[..count_max.min(expected.len())]);
    assert_eq!(one.as_ref(), several.first());
    let mut each = keys(each);
    sort(&mut each);
    assert_eq!(each, expected);
    for found in several {
        let way = found.point - found.from;
        assert!(
            (way - found.distance * found.normal).length() < 1.0e-4,
            "{found:?}"
        );
    }
}

pub(crate) fn check_closest(
    world: &PhysicsWorld,
    random: &mut Random,
    filter: QueryFilter<'_>,
    probe: &Shape,
) -> usize {
    let pose = Pose::new(random.vector(14.0), random.between(-3.0, 3.0));
    let reach = if random.chance(4) {
        f32::INFINITY
    } else {
        random.between(0.0, 5.0)
    };
    let count_max = 1 + random.below(6);
    let of_shape = near(world, filter, reach, |shape| {
        distance(probe, shape.geometry(), pose.to(shape.body().pose())).distance
    });
    let mut each = Vec::new();
    let push = |found| {
        each.push(found);
        ControlFlow::Continue(())
    };
    world
        .for_each_near_shape(probe, pose, reach, filter, push)
        .unwrap();
    let several = world.several_closest_to_shape(probe, pose, count_max, reach, filter);
    let one = world.closest_to_shape(probe, pose, reach, filter);
    check_forms(&several.unwrap(), one.unwrap(), &each, count_max, &of_shape);

    let point = Position::from(pose.position);
    let of_point = near(world, filter, reach, |shape| {
        let local = shape.body().pose().inverse_transform_point(pose.position);
        (closest_point(shape.geometry(), local) - local).length()
    });
    let mut each = Vec::new();
    let push = |found| {
        each.push(found);
        ControlFlow::Continue(())
    };
    world.for_each_near_point(point, reach, filter, push).unwrap();
    let several = world.several_closest_to_point(point, count_max, reach, filter);
    let one = world.closest_to_point(point, reach, filter);
    check_forms(&several.unwrap(), one.unwrap(), &each, count_max, &of_point);
    of_shape.len() + of_point.len()
}

pub(crate) fn check_touches(
    world: &PhysicsWorld,
    random: &mut Random,
    filter: QueryFilter<'_>,
    probe: &Shape,
) -> usize {
    let pose = Pose::new(random.vector(11.0), random.between(-3.0, 3.0));
    let margin = random.between(0.0, 0.5);
    let touches = world.touches(probe, pose, margin, filter).unwrap();
    let mut expected = Vec::new();
    // What stands beside something may be covered by it; `seams.rs` asks about that.
    let stands_alone = |shape: &ShapeRef<'_>| {
        let area_of = |shape: &ShapeRef<'_>| shape.geometry().aabb(shape.body().pose()).grown(0.1);
        let moves = |shape: &ShapeRef<'_>| shape.body().kind() == BodyKind::Dynamic;
        let is_beside = |other: ShapeRef<'_>| {
            other.id() != shape.id() && !moves(&other) && area_of(&other).overlaps(area_of(shape))
        };
        moves(shape) || !world.shapes().any(is_beside)
    };
    let touches: Vec<Touch> = touches
        .into_iter()
        .filter(|touch| stands_alone(&world.shape(touch.shape).unwrap()))
        .collect();
    for shape in seen(world, &filter).into_iter().filter(stands_alone) {
        let manifold = collide(probe, shape.geometry(), pose.to(shape.body().pose()), margin);
        let separations: Vec<f32> = manifold
            .active_points()
            .iter()
            .map(|point| point.separation)
            .filter(|&separation| separation <= margin)
            .collect();
        if !separations.is_empty() {
            expected.push((shape.id(), pose.rotation.rotate(manifold.normal), separations));
        }
    }
    assert_eq!(touches.len(), expected.len());
    for (touch, (shape, normal, separations)) in touches.iter().zip(&expected) {
        assert_eq!((touch.shape, touch.normal), (*shape, *normal));
        let found: Vec<f32> = touch.points().iter().map(|point| point.separation).collect();
        assert_eq!(&found, separations);
        assert!(found.contains(&touch.separation()));
    }
    touches.len()
}
