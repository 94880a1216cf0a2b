//! Queries against brute force over all shapes: what the trees leave out is never something that should be found, the
//! nearest is the nearest, the order is by distance, then by shape, and batches answer as single queries do.

use crate::query_support::{check_closest, check_shape_cast, check_touches, check_turning_cast, seen, sort};
use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::worlds::{add, empty, shapes_to_probe};
use crate::world_support::{DT, Random, SeedOnPanic};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo_geometry::distance::distance;
use tombolo_physics::{
    Aabb, BodyDef, BodyId, CastQuery, ChainDef, Filter, Motion, OverlapQuery, Overlaps, PhysicsWorld, Pose,
    Position, QueryFilter, RayQuery, Rot, Shape, ShapeDef, ShapeId, ShapeRef, Vec2,
};
use tombolo_threads::{Inline, Pool};

fn ids(shapes: &[ShapeRef<'_>], keep: impl Fn(&ShapeRef<'_>) -> bool) -> Vec<ShapeId> {
    shapes
        .iter()
        .filter(|shape| keep(shape))
        .map(|shape| shape.id())
        .collect()
}

fn check_overlaps(
    world: &PhysicsWorld,
    random: &mut Random,
    filter: QueryFilter<'_>,
    probe: &Shape,
) -> usize {
    let shapes = seen(world, &filter);
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

fn check_rays(world: &PhysicsWorld, random: &mut Random, filter: QueryFilter<'_>) -> usize {
    let (origin, translation) = (random.vector(14.0), random.vector(20.0));
    let mut expected: Vec<(f32, ShapeId)> = seen(world, &filter)
        .iter()
        .filter_map(|shape| {
            let pose = shape.body().pose();
            let local = pose.inverse_transform_point(origin);
            let along = pose.rotation.unrotate(translation);
            let hit = shape.geometry().cast_ray(local, along, 1.0)?;
            Some((hit.fraction, shape.id()))
        })
        .collect();
    sort(&mut expected);

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

#[test]
fn queries_find_what_brute_force_finds() {
    let probes = shapes_to_probe();
    let mut found = [0; 6];
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
                let mut bodies: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
                let mut shapes: Vec<ShapeId> = world.shapes().map(|shape| shape.id()).collect();
                bodies.retain(|_| random.chance(8));
                shapes.retain(|_| random.chance(8));
                let is_even = |shape: ShapeRef<'_>| shape.id().index() % 2 == 0;
                let mut filter = QueryFilter {
                    mask: if random.chance(3) { 0b10 } else { u64::MAX },
                    category: if random.chance(3) { 0b10 } else { u64::MAX },
                    sensors: random.chance(2),
                    ..QueryFilter::default()
                };
                if random.chance(2) {
                    filter.exclude_bodies = &bodies;
                    filter.exclude_shapes = &shapes;
                }
                if random.chance(4) {
                    filter.predicate = Some(&is_even);
                }
                found[0] += check_overlaps(world, random, filter, probe);
                found[1] += check_rays(world, random, filter);
                found[2] += check_shape_cast(world, random, filter, probe);
                found[3] += check_closest(world, random, filter, probe);
                found[4] += check_touches(world, random, filter, probe);
                if step % 4 == 0 {
                    found[5] += check_turning_cast(world, random, filter, probe);
                }
            }
        }
    }
    assert!(
        found.iter().all(|&count| count > 500),
        "the worlds are full enough to show something: {found:?}"
    );
}

#[test]
fn closures_get_what_lists_hold_and_may_stop() {
    let mut calls = RandomWorlds::new(83, 1);
    let mut found = 0;
    for _ in 0..40 {
        calls.calls();
        calls.worlds[0].step(DT).unwrap();
        let (world, random) = (&calls.worlds[0], &mut calls.random);
        let (origin, along) = (Position::from(random.vector(14.0)), random.vector(20.0));
        let all = QueryFilter::default();
        let listed = world.cast_ray_all(origin, along, all).unwrap();
        let (mut each, mut first) = (Vec::new(), Vec::new());
        let push = |hit| {
            each.push(hit);
            ControlFlow::Continue(())
        };
        world.for_each_on_ray(origin, along, all, push).unwrap();
        let push_one = |hit| {
            first.push(hit);
            ControlFlow::Break(())
        };
        world.for_each_on_ray(origin, along, all, push_one).unwrap();
        assert_eq!(first, each[..each.len().min(1)], "it stops when it is told");
        each.sort_by(|a, b| {
            a.fraction
                .total_cmp(&b.fraction)
                .then(a.shape.index().cmp(&b.shape.index()))
        });
        assert_eq!(each, listed);
        let area = Aabb::new(origin.to_vec2(), origin.to_vec2()).grown(4.0);
        let mut boxed = Vec::new();
        let push = |shape: ShapeId| {
            boxed.push(shape);
            ControlFlow::Continue(())
        };
        world.for_each_in_box(area, all, push).unwrap();
        boxed.sort_by_key(|shape| shape.index());
        assert_eq!(boxed, world.overlap_box(area, all).unwrap());
        found += listed.len() + boxed.len();
    }
    assert!(found > 100, "{found}");
}

#[test]
fn batches_answer_as_single_queries_do() {
    let mut calls = RandomWorlds::new(84, 1);
    for _ in 0..120 {
        calls.calls();
        calls.worlds[0].step(DT).unwrap();
    }
    let (world, random) = (&calls.worlds[0], &mut calls.random);
    let bodies: Vec<BodyId> = world.bodies().map(|body| body.id()).collect();
    let probes = shapes_to_probe();
    let filters: Vec<QueryFilter<'_>> = (0..1000)
        .map(|_| QueryFilter {
            exclude_bodies: &bodies[..random.below(bodies.len().min(3) + 1)],
            sensors: random.chance(3),
            ..QueryFilter::default()
        })
        .collect();
    let rays: Vec<RayQuery<'_>> = filters
        .iter()
        .map(|&filter| RayQuery::new(random.vector(14.0).into(), random.vector(20.0), filter))
        .collect();
    let casts: Vec<CastQuery<'_>> = filters
        .iter()
        .map(|&filter| CastQuery {
            shape: &probes[random.below(probes.len())],
            motion: Motion {
                start: Pose::new(random.vector(14.0), random.between(-3.0, 3.0)),
                translation: random.vector(20.0),
                turn: if random.chance(2) {
                    0.0
                } else {
                    random.between(-3.0, 3.0)
                },
            },
            filter,
        })
        .collect();
    let overlaps: Vec<OverlapQuery<'_>> = casts
        .iter()
        .map(|cast| OverlapQuery {
            shape: cast.shape,
            pose: cast.motion.start,
            filter: cast.filter,
        })
        .collect();
    let (mut ray_hits, mut shape_hits, mut found) = (vec![None; 7], vec![None; 7], Overlaps::default());
    for workers in [1, 2, 16] {
        let pool = Pool::new(workers).unwrap();
        world.cast_rays(&pool, &rays, &mut ray_hits).unwrap();
        world.cast_shapes(&pool, &casts, &mut shape_hits).unwrap();
        world.overlap_shapes(&pool, &overlaps, &mut found).unwrap();
        for (i, ray) in rays.iter().enumerate() {
            let single = world.cast_ray(ray.origin, ray.translation, ray.filter).unwrap();
            assert_eq!(ray_hits[i], single);
            let single = world.cast_shape(casts[i].shape, casts[i].motion, casts[i].filter);
            assert_eq!(shape_hits[i], single.unwrap());
            let single = world.overlap_shape(overlaps[i].shape, overlaps[i].pose, overlaps[i].filter);
            assert_eq!(found.of(i), single.unwrap());
        }
        assert_eq!(
            (ray_hits.len(), shape_hits.len(), found.len()),
            (1000, 1000, 1000)
        );
    }
    assert!(ray_hits.iter().flatten().count() > 50 && shape_hits.iter().flatten().count() > 50);
    assert!((0..1000).any(|query| found.of(query).len() > 1));

    // Over the results of other batches, longer and shorter ones, of which none may be left.
    for count in [1000, 65, 0, 300] {
        let rays: Vec<RayQuery<'_>> = rays.iter().rev().take(count).copied().collect();
        world.cast_rays(&Inline, &rays, &mut ray_hits).unwrap();
        let casts: Vec<CastQuery<'_>> = casts.iter().rev().take(count).copied().collect();
        world.cast_shapes(&Inline, &casts, &mut shape_hits).unwrap();
        assert_eq!((ray_hits.len(), shape_hits.len()), (count, count));
        for (i, ray) in rays.iter().enumerate() {
            let single = world.cast_ray(ray.origin, ray.translation, ray.filter).unwrap();
            assert_eq!(ray_hits[i], single);
            let single = world.cast_shape(casts[i].shape, casts[i].motion, casts[i].filter);
            assert_eq!(shape_hits[i], single.unwrap());
        }
    }
    let lost = CastQuery {
        motion: Motion::line(Pose::IDENTITY, Vec2::NAN),
        ..casts[0]
    };
    assert!(
        world
            .cast_shapes(&Inline, &[casts[0], lost], &mut shape_hits)
            .is_err()
    );
    assert_eq!(shape_hits, [], "a refused batch leaves nothing");
    let lost = RayQuery::new(Position::ORIGIN, Vec2::NAN, QueryFilter::default());
    assert!(world.cast_rays(&Inline, &[rays[0], lost], &mut ray_hits).is_err());
    assert_eq!(ray_hits, [], "a refused batch leaves nothing");
    world.overlap_shapes(&Inline, &[], &mut found).unwrap();
    assert!(found.is_empty() && found.of(0).is_empty());
}

/// Shapes that the filter refuses count, for whatever reason; those that no box of the query meets do not.
#[test]
fn a_query_counts_the_shapes_that_it_examines() {
    let mut world = empty();
    let shape = Shape::circle(Vec2::ZERO, 0.25).unwrap();
    let mut bodies = Vec::new();
    for i in 0..40 {
        let body = world.create_body(&BodyDef::dynamic(i as f32, 0.0)).unwrap();
        let def = ShapeDef {
            filter: Filter {
                mask: 1,
                ..Filter::default()
            },
            sensor: i >= 30,
            ..ShapeDef::default()
        };
        world.create_shape(body, &def, &shape).unwrap();
        bodies.push(body);
    }
    let (refuse, area) = (
        |_: ShapeRef<'_>| false,
        Aabb {
            min: Vec2::new(-1.0, -1.0),
            max: Vec2::new(50.0, 1.0),
        },
    );
    let all = QueryFilter::default();
    let filters = [
        (30, all),
        (30, QueryFilter { category: 2, ..all }),
        (
            30,
            QueryFilter {
                category: 2,
                material: Some(3),
                ..all
            },
        ),
        (
            30,
            QueryFilter {
                exclude_bodies: &bodies,
                ..all
            },
        ),
        (
            30,
            QueryFilter {
                predicate: Some(&refuse),
                ..all
            },
        ),
        (
            40,
            QueryFilter {
                category: 2,
                sensors: true,
                ..all
            },
        ),
        (0, QueryFilter { mask: 0, ..all }),
    ];
    for (expected, filter) in filters {
        let count = AtomicUsize::new(0);
        let filter = QueryFilter {
            examined: Some(&count),
            ..filter
        };
        world.overlap_box(area, filter).unwrap();
        assert_eq!(count.swap(0, Ordering::Relaxed), expected, "{filter:?}");
        world
            .cast_ray_all(Position::new(-1.0, 0.0), Vec2::new(60.0, 0.0), filter)
            .unwrap();
        assert_eq!(count.swap(0, Ordering::Relaxed), expected, "{filter:?}");
        world
            .for_each_near_point(Position::new(20.0, 0.0), 50.0, filter, |_| {
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(count.swap(0, Ordering::Relaxed), expected, "{filter:?}");
        world
            .overlap_box(
                Aabb {
                    min: Vec2::new(-9.0, -9.0),
                    max: Vec2::new(-8.0, -8.0),
                },
                filter,
            )
            .unwrap();
        assert!(count.into_inner() <= 10, "far away: sensors only");
    }
}

#[test]
fn one_sided_queries_pass_the_open_side_of_a_chain() {
    let mut world = empty();
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let chain = ChainDef {
        points: vec![Vec2::new(5.0, 0.0), Vec2::new(-5.0, 0.0)],
        ..ChainDef::default()
    };
    world.create_chain(ground, &chain).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.25).unwrap();
    let one_sided = QueryFilter {
        one_sided: true,
        ..QueryFilter::default()
    };
    for (filter, from_below) in [(QueryFilter::default(), true), (one_sided, false)] {
        for (height, way, meets) in [(1.0, -2.0, true), (-1.0, 2.0, from_below)] {
            let (origin, along) = (Vec2::new(0.0, height), Vec2::new(0.0, way));
            let hit = world.cast_ray(origin.into(), along, filter).unwrap();
            assert_eq!(hit.is_some(), meets, "a ray from {height}");
            let motion = Motion::line(Pose::new(origin, 0.0), along);
            let hit = world.cast_shape(&ball, motion, filter).unwrap();
            assert_eq!(hit.is_some(), meets, "a ball from {height}");
            let turning = Motion { turn: 1.0, ..motion };
            let hit = world.cast_shape(&ball, turning, filter).unwrap();
            assert_eq!(hit.is_some(), meets, "a turning ball from {height}");
        }
    }
}

#[test]
fn a_turning_plank_meets_the_wall_that_it_turns_into() {
    let mut world = empty();
    let wall = Shape::new_box(2.0, 10.0).unwrap();
    add(&mut world, &BodyDef::fixed(3.0, 0.0), &ShapeDef::default(), &wall);
    // A plank of 5 m across 0.2 m that stands upright and turns about its middle: its corner is at 2 m when it leans by
    // an angle α with 2.5 sin α + 0.1 cos α = 2.
    let plank = Shape::new_box(5.0, 0.2).unwrap();
    let motion = Motion {
        start: Pose::new(Vec2::ZERO, std::f32::consts::FRAC_PI_2),
        translation: Vec2::ZERO,
        turn: -6.0,
    };
    let hit = world.cast_shape(&plank, motion, QueryFilter::default()).unwrap();
    let hit = hit.expect("it turns into the wall");
    let lean = Rot::from_angle(6.0 * hit.fraction);
    let reach = 2.5 * lean.sin + 0.1 * lean.cos;
    assert!((reach - 2.0).abs() < 2.0e-3, "{reach}");
    assert!(hit.normal.distance(Vec2::X) < 1.0e-3);
    let too_far = Motion { turn: 6.3, ..motion };
    assert!(world.cast_shape(&plank, too_far, QueryFilter::default()).is_err());
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
    let hit = world
        .cast_shape(&ball, Motion::line(Pose::IDENTITY, along), filter)
        .unwrap();
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
    assert!(
        world
            .cast_shape(&circle, Motion::line(lost, Vec2::X), filter)
            .is_err()
    );
}

#[test]
fn a_ray_without_end_sees_the_ball_on_it() {
    let mut world = empty();
    let ball = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    let body = add(
        &mut world,
        &BodyDef::fixed(10.0, 0.0),
        &ShapeDef::default(),
        &ball,
    );
    for length in [100.0, 1.0e15, 1.0e20, 1.0e30] {
        let way = Vec2::new(length, 0.0);
        let hit = world
            .cast_ray(Position::ORIGIN, way, QueryFilter::default())
            .unwrap();
        let hit = hit.expect("the ball");
        assert_eq!(hit.body, body);
        assert!(
            (hit.point.to_vec2() - Vec2::new(9.0, 0.0)).length() < 1.0e-4,
            "{length}: {hit:?}"
        );
    }
}

#[test]
fn what_is_very_far_away_is_found_with_its_distance() {
    let mut world = empty();
    let body = add(
        &mut world,
        &BodyDef::fixed(0.0, 0.0),
        &ShapeDef::default(),
        &Shape::new_box(1.0, 1.0).unwrap(),
    );
    for (point, distance, normal) in [
        (Vec2::new(1.0e20, 0.0), 1.0e20, Vec2::NEG_X),
        (Vec2::new(2.0e19, 0.0), 2.0e19, Vec2::NEG_X),
        (Vec2::new(-3.0e30, -4.0e30), 5.0e30, Vec2::new(0.6, 0.8)),
        (Vec2::splat(f32::MAX), f32::INFINITY, -Vec2::ONE.normalize()),
    ] {
        for distance_max in [f32::INFINITY, 1.5 * distance] {
            let found = world
                .closest_to_point(point.into(), distance_max, QueryFilter::default())
                .unwrap()
                .unwrap();
            assert_eq!(found.body, body);
            let is_near = found.distance == distance || (found.distance / distance - 1.0).abs() < 1.0e-5;
            assert!(is_near, "{point}: {}", found.distance);
            assert!(
                (found.normal - normal).length() < 1.0e-5,
                "{point}: {}",
                found.normal
            );
        }
    }
}

#[test]
fn a_touch_query_counts_each_shape_once() {
    let mut world = empty();
    for x in [-0.5, 0.5] {
        add(
            &mut world,
            &BodyDef::fixed(x, 0.0),
            &ShapeDef::default(),
            &Shape::new_box(1.0, 1.0).unwrap(),
        );
    }
    let count = AtomicUsize::new(0);
    let filter = QueryFilter {
        examined: Some(&count),
        ..QueryFilter::default()
    };
    let probe = Shape::new_box(1.5, 0.2).unwrap();
    let touches = world
        .touches(&probe, Pose::new(Vec2::new(0.0, 0.59), 0.0), 0.01, filter)
        .unwrap();
    assert_eq!(touches.len(), 2);
    assert_eq!(count.into_inner(), 2);
}
/// PF-25: a hundred thousand rays among standing boxes, in a batch on 1, 2 and 16 workers, are single rays to the bit.
#[test]
fn pf_25_a_hundred_thousand_rays_answer_alike_on_any_number_of_workers() {
    let mut random = Random(25);
    let mut world = empty();
    for _ in 0..2000 {
        let at = random.vector(100.0);
        let body = world.create_body(&BodyDef::fixed(at.x, at.y)).unwrap();
        let size = Vec2::new(random.between(0.2, 3.0), random.between(0.2, 3.0));
        let block = Shape::new_box(size.x, size.y).unwrap();
        world.create_shape(body, &ShapeDef::default(), &block).unwrap();
    }
    world.step(DT).unwrap();
    let rays: Vec<RayQuery<'_>> = (0..100_000)
        .map(|_| {
            let (origin, way) = (random.vector(100.0), random.vector(40.0));
            RayQuery::new(origin.into(), way, QueryFilter::default())
        })
        .collect();
    let single = |ray: &RayQuery<'_>| world.cast_ray(ray.origin, ray.translation, ray.filter).unwrap();
    let expected: Vec<_> = rays.iter().map(single).collect();
    let met = expected.iter().flatten().count();
    assert!((10_000..90_000).contains(&met), "{met} rays meet something");
    let mut hits = Vec::new();
    for workers in [1, 2, 16] {
        world
            .cast_rays(&Pool::new(workers).unwrap(), &rays, &mut hits)
            .unwrap();
        assert!(hits == expected, "{workers} workers");
    }
}
