//! Queries as iterators against the forms that call a closure: the same shapes in the same order, whatever the filter.

use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::worlds::{add, empty, shapes_to_probe};
use crate::world_support::{DT, Random, SeedOnPanic};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo_physics::{
    Aabb, BodyDef, BodyId, Motion, PhysicsError, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeDef,
    ShapeRef, Vec2,
};

/// What a closure is called with.
fn visited<T>(
    query: impl FnOnce(&mut dyn FnMut(T) -> ControlFlow<()>) -> Result<(), PhysicsError>,
) -> Result<Vec<T>, PhysicsError> {
    let mut all = Vec::new();
    query(&mut |found| {
        all.push(found);
        ControlFlow::Continue(())
    })?;
    Ok(all)
}

/// Compares one query of each kind, and adds up what was found.
fn check(
    world: &PhysicsWorld,
    random: &mut Random,
    probe: &Shape,
    filter: QueryFilter<'_>,
    found: &mut [usize; 9],
) -> Result<(), PhysicsError> {
    let pose = Pose::new(random.vector(11.0), random.between(-3.0, 3.0));
    let place = Position::from(pose.position);
    let area = Aabb::new(pose.position, pose.position).grown(random.between(0.0, 4.0));
    let way = random.vector(20.0);
    let line = Motion::line(pose, way);
    let turning = Motion { turn: 2.0, ..line };
    let far = random.between(0.0, 6.0);

    let all = visited(|visit| world.for_each_in_box(area, filter, visit))?;
    found[0] += all.len();
    assert!(world.iter_in_box(area, filter)?.eq(all));
    let all = visited(|visit| world.for_each_at_point(place, filter, visit))?;
    found[1] += all.len();
    assert!(world.iter_at_point(place, filter)?.eq(all));
    let all = visited(|visit| world.for_each_overlapping(probe, pose, filter, visit))?;
    found[2] += all.len();
    assert!(world.iter_overlapping(probe, pose, filter)?.eq(all));
    let all = visited(|visit| world.for_each_on_ray(place, way, filter, visit))?;
    found[3] += all.len();
    assert!(world.iter_on_ray(place, way, filter)?.eq(all));
    for (kind, motion) in [(4, line), (5, turning)] {
        let all = visited(|visit| world.for_each_on_path(probe, motion, filter, visit))?;
        found[kind] += all.len();
        assert!(world.iter_on_path(probe, motion, filter)?.eq(all));
    }
    let all = visited(|visit| world.for_each_near_point(place, far, filter, visit))?;
    found[6] += all.len();
    assert!(world.iter_near_point(place, far, filter)?.eq(all));
    let all = visited(|visit| world.for_each_near_shape(probe, pose, far, filter, visit))?;
    found[7] += all.len();
    assert!(world.iter_near_shape(probe, pose, far, filter)?.eq(all));
    let all = visited(|visit| world.for_each_touch(probe, pose, far, filter, visit))?;
    found[8] += all.len();
    assert!(world.iter_touches(probe, pose, far, filter)?.eq(all));
    Ok(())
}

#[test]
fn iterators_go_where_closures_are_called() {
    let probes = shapes_to_probe();
    let mut found = [0; 9];
    for seed in 170..178 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut calls = RandomWorlds::new(seed, 1);
        for step in 0..40 {
            calls.calls();
            // Also right after calls, before the next step has seen what they did.
            if step % 2 == 0 {
                calls.worlds[0].step(DT).unwrap();
            }
            let (world, random) = (&calls.worlds[0], &mut calls.random);
            for probe in &probes {
                let mut bodies: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
                bodies.retain(|_| random.chance(8));
                let is_even = |shape: ShapeRef<'_>| shape.id().index() % 2 == 0;
                let filter = QueryFilter {
                    mask: if random.chance(3) { 0b10 } else { u64::MAX },
                    category: if random.chance(3) { 0b10 } else { u64::MAX },
                    sensors: random.chance(2),
                    one_sided: random.chance(2),
                    material: random.chance(2).then_some(1),
                    exclude_bodies: &bodies,
                    predicate: if random.chance(3) { Some(&is_even) } else { None },
                    ..QueryFilter::default()
                };
                check(world, random, probe, filter, &mut found).unwrap();
            }
        }
    }
    assert!(found.iter().all(|&count| count > 50), "{found:?}");
}

/// Two hundred balls in a row, at rest.
fn row() -> PhysicsWorld {
    let mut world = empty();
    let ball = Shape::circle(Vec2::ZERO, 0.4).unwrap();
    for x in 0..200 {
        add(
            &mut world,
            &BodyDef::fixed(x as f32, 0.0),
            &ShapeDef::default(),
            &ball,
        );
    }
    world
}

/// What is not asked for is not searched, and two iterators may be in progress at once.
#[test]
fn an_iterator_searches_as_far_as_it_is_asked() {
    let world = row();
    let all = Aabb::new(Vec2::splat(-1.0), Vec2::new(300.0, 1.0));
    let examined = AtomicUsize::new(0);
    let filter = QueryFilter {
        examined: Some(&examined),
        ..QueryFilter::default()
    };
    let first: Vec<_> = world.iter_in_box(all, filter).unwrap().take(3).collect();
    assert_eq!((first.len(), examined.load(Ordering::Relaxed)), (3, 3));
    let mut rays = world
        .iter_on_ray(
            Position::new(-1.0, 0.0),
            Vec2::new(300.0, 0.0),
            QueryFilter::default(),
        )
        .unwrap();
    let mut pairs = 0;
    for shape in world.iter_in_box(all, QueryFilter::default()).unwrap() {
        let other = rays.next().expect("as many as in the box");
        pairs += usize::from(world.shape(shape).is_some() && world.shape(other.shape).is_some());
    }
    assert_eq!((pairs, rays.next()), (200, None));
    assert_eq!(rays.next(), None, "what has ended stays so");
}

#[test]
fn iterators_refuse_what_closures_refuse() {
    let world = row();
    let (ball, filter) = (Shape::circle(Vec2::ZERO, 1.0).unwrap(), QueryFilter::default());
    let (nowhere, pose) = (Position::new(f32::NAN, 0.0), Pose::IDENTITY);
    let lost = Pose::new(Vec2::new(f32::INFINITY, 0.0), 0.0);
    let wound = Motion {
        turn: 7.0,
        ..Motion::line(pose, Vec2::X)
    };
    let inverted = Aabb {
        min: Vec2::ONE,
        max: Vec2::ZERO,
    };
    assert!(world.iter_in_box(inverted, filter).is_err());
    assert!(world.iter_at_point(nowhere, filter).is_err());
    assert!(world.iter_overlapping(&ball, lost, filter).is_err());
    assert!(world.iter_on_ray(nowhere, Vec2::X, filter).is_err());
    assert!(world.iter_on_path(&ball, wound, filter).is_err());
    assert!(world.iter_near_point(Position::ORIGIN, -1.0, filter).is_err());
    assert!(world.iter_near_shape(&ball, lost, 1.0, filter).is_err());
    assert!(world.iter_touches(&ball, pose, -1.0, filter).is_err());
    let nothing = empty();
    assert_eq!(
        nothing
            .iter_near_point(Position::ORIGIN, 9.0, filter)
            .unwrap()
            .count(),
        0
    );
}

/// The sizes that the documentation of the iterators names.
#[test]
fn iterators_are_as_large_as_they_are_said_to_be() {
    let (world, filter) = (row(), QueryFilter::default());
    let (ball, pose) = (Shape::circle(Vec2::ZERO, 1.0).unwrap(), Pose::IDENTITY);
    let touches = world.iter_touches(&ball, pose, 0.0, filter).unwrap();
    let path = world
        .iter_on_path(&ball, Motion::line(pose, Vec2::X), filter)
        .unwrap();
    let (place, far) = (Position::ORIGIN, 1.0);
    let areas = [
        size_of_val(
            &world
                .iter_in_box(Aabb::new(Vec2::ZERO, Vec2::ONE), filter)
                .unwrap(),
        ),
        size_of_val(&world.iter_at_point(place, filter).unwrap()),
        size_of_val(&world.iter_overlapping(&ball, pose, filter).unwrap()),
        size_of_val(&touches),
    ];
    let others = [
        size_of_val(&path),
        size_of_val(&world.iter_on_ray(place, Vec2::X, filter).unwrap()),
        size_of_val(&world.iter_near_point(place, far, filter).unwrap()),
        size_of_val(&world.iter_near_shape(&ball, pose, far, filter).unwrap()),
    ];
    assert!(areas.iter().all(|size| *size <= 1024), "{areas:?}");
    assert!(others.iter().all(|size| *size <= 4096), "{others:?}");
}
