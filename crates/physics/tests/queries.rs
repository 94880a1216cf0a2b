//! Queries against brute force over all shapes: what the trees leave out is never something that should be found, the
//! nearest is the nearest, and the order is by distance, then by shape.
#![allow(missing_docs)]

mod world_support;

use tombolo_geometry::distance::{cast_shape, distance};
use tombolo_physics::{
    Aabb, BodyDef, Filter, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeDef, ShapeId, ShapeRef,
    Vec2,
};
use world_support::random_calls::RandomWorlds;
use world_support::worlds::{add, empty, shapes_to_probe};
use world_support::{DT, Random, SeedOnPanic};

/// All shapes that a query may see, by index.
fn seen(world: &PhysicsWorld, filter: QueryFilter) -> Vec<ShapeRef<'_>> {
    let mut shapes: Vec<ShapeRef<'_>> = world
        .shapes()
        .filter(|shape| shape.body().is_enabled() && !shape.is_sensor())
        .filter(|shape| {
            let Filter { category, mask, .. } = shape.filter();
            category & filter.mask != 0 && mask & filter.category != 0
        })
        .collect();
    shapes.sort_by_key(|shape| shape.id().index());
    shapes
}

fn ids(shapes: &[ShapeRef<'_>], keep: impl Fn(&ShapeRef<'_>) -> bool) -> Vec<ShapeId> {
    shapes
        .iter()
        .filter(|shape| keep(shape))
        .map(|shape| shape.id())
        .collect()
}

fn check_overlaps(world: &PhysicsWorld, random: &mut Random, filter: QueryFilter, probe: &Shape) -> usize {
    let shapes = seen(world, filter);
    let pose = Pose::new(random.vector(11.0), random.between(-3.0, 3.0));
    let point = Position::from(pose.position);
    let area = Aabb::new(pose.position, pose.position).grown(random.between(0.0, 3.0));

    let in_box = ids(&shapes, |shape| {
        shape.geometry().aabb(shape.body().pose()).overlaps(area)
    });
    assert_eq!(world.overlap_box(area, filter).unwrap(), in_box);
    let at_point = ids(&shapes, |shape| {
        let local = shape.body().pose().inverse_transform_point(point.to_vec2());
        shape.geometry().contains_point(local)
    });
    assert_eq!(world.overlap_point(point, filter).unwrap(), at_point);
    let touching = ids(&shapes, |shape| {
        distance(probe, shape.geometry(), pose.to(shape.body().pose())).distance <= 0.0
    });
    assert_eq!(world.overlap_shape(probe, pose, filter).unwrap(), touching);
    in_box.len() + at_point.len() + touching.len()
}

fn check_rays(world: &PhysicsWorld, random: &mut Random, filter: QueryFilter) -> usize {
    let (origin, translation) = (random.vector(14.0), random.vector(20.0));
    let mut expected: Vec<(f32, ShapeId)> = seen(world, filter)
        .iter()
        .filter_map(|shape| {
            let pose = shape.body().pose();
            let local = pose.inverse_transform_point(origin);
            let along = pose.rotation.unrotate(translation);
            let hit = shape.geometry().cast_ray(local, along, 1.0)?;
            Some((hit.fraction, shape.id()))
        })
        .collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.index().cmp(&b.1.index())));

    let all = world.cast_ray_all(origin.into(), translation, filter).unwrap();
    let found: Vec<(f32, ShapeId)> = all.iter().map(|hit| (hit.fraction, hit.shape)).collect();
    assert_eq!(found, expected, "all, nearest first, ties by shape");
    let nearest = world.cast_ray(origin.into(), translation, filter).unwrap();
    assert_eq!(nearest.as_ref(), all.first(), "the nearest is the first of all");
    for hit in &all {
        let shape = world.shape(hit.shape).unwrap();
        assert_eq!(hit.body, shape.body().id());
        assert_eq!(hit.point, Position::from(origin + hit.fraction * translation));
        let starts_inside = hit.normal == Vec2::ZERO;
        assert!(starts_inside == (hit.fraction == 0.0) || hit.normal.dot(translation) <= 0.0);
    }
    all.len()
}

fn check_shape_cast(world: &PhysicsWorld, random: &mut Random, filter: QueryFilter, probe: &Shape) -> usize {
    let pose = Pose::new(random.vector(12.0), random.between(-3.0, 3.0));
    let translation = random.vector(12.0);
    let expected = seen(world, filter)
        .iter()
        .filter_map(|shape| {
            let towards = pose.rotation.unrotate(-translation);
            let hit = cast_shape(
                probe,
                shape.geometry(),
                pose.to(shape.body().pose()),
                towards,
                1.0,
            )?;
            Some((hit.fraction, shape.id()))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.index().cmp(&b.1.index())));
    let hit = world.cast_shape(probe, pose, translation, filter).unwrap();
    assert_eq!(hit.map(|hit| (hit.fraction, hit.shape)), expected);
    usize::from(hit.is_some())
}

#[test]
fn queries_find_what_brute_force_finds() {
    let probes = shapes_to_probe();
    let mut found = [0; 3];
    for seed in 70..82 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut calls = RandomWorlds::new(seed, 1);
        for step in 0..60 {
            calls.calls();
            // Also right after calls, before the next step has seen what they did.
            if step % 2 == 0 {
                calls.worlds[0].step(DT).unwrap();
            }
            let (world, random) = (&calls.worlds[0], &mut calls.random);
            for probe in &probes {
                let filter = QueryFilter {
                    mask: if random.chance(3) { 0b10 } else { u64::MAX },
                    category: if random.chance(3) { 0b10 } else { u64::MAX },
                };
                found[0] += check_overlaps(world, random, filter, probe);
                found[1] += check_rays(world, random, filter);
                found[2] += check_shape_cast(world, random, filter, probe);
            }
        }
    }
    assert!(
        found.iter().all(|&count| count > 500),
        "the worlds are full enough to show something: {found:?}"
    );
}

#[test]
fn equal_distances_come_by_shape() {
    let mut world = empty();
    let circle = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let place = BodyDef::fixed(5.0, 0.0);
    for _ in 0..5 {
        add(&mut world, &place, &ShapeDef::default(), &circle);
    }
    let shapes: Vec<ShapeId> = world.shapes().map(|shape| shape.id()).collect();
    let filter = QueryFilter::default();
    let along = Vec2::new(10.0, 0.0);
    let all = world.cast_ray_all(Position::ORIGIN, along, filter).unwrap();
    assert_eq!(all.iter().map(|hit| hit.shape).collect::<Vec<_>>(), shapes);
    let nearest = world.cast_ray(Position::ORIGIN, along, filter).unwrap();
    assert_eq!(nearest.unwrap().shape, shapes[0]);
    let ball = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let hit = world.cast_shape(&ball, Pose::IDENTITY, along, filter).unwrap();
    assert_eq!(hit.unwrap().shape, shapes[0]);
}

#[test]
fn a_ray_from_inside_meets_the_shape_at_once() {
    let mut world = empty();
    let square = Shape::new_box(2.0, 2.0).unwrap();
    add(
        &mut world,
        &BodyDef::fixed(0.0, 0.0),
        &ShapeDef::default(),
        &square,
    );
    let filter = QueryFilter::default();
    let hit = world
        .cast_ray(Position::ORIGIN, Vec2::new(3.0, 0.0), filter)
        .unwrap();
    let hit = hit.expect("the ray starts inside");
    assert_eq!((hit.fraction, hit.normal), (0.0, Vec2::ZERO));
}

#[test]
fn bad_numbers_are_refused() {
    let world = empty();
    let filter = QueryFilter::default();
    let nan = Position::new(f32::NAN, 0.0);
    assert!(world.cast_ray(nan, Vec2::X, filter).is_err());
    assert!(
        world
            .cast_ray_all(Position::ORIGIN, Vec2::INFINITY, filter)
            .is_err()
    );
    assert!(world.overlap_point(nan, filter).is_err());
    let inverted = Aabb {
        min: Vec2::ONE,
        max: Vec2::ZERO,
    };
    assert!(world.overlap_box(inverted, filter).is_err());
    let circle = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let lost = Pose::new(Vec2::NAN, 0.0);
    assert!(world.overlap_shape(&circle, lost, filter).is_err());
    assert!(world.cast_shape(&circle, lost, Vec2::X, filter).is_err());
}
