//! Sensors: who came, who left, who is in; each begin has its end.

use crate::feature_support::{DT, Random, add, place, plain, run, same_everywhere, weightless, world};
use std::collections::BTreeSet;
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, Filter, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeDef, ShapeId,
    Vec2, VisitEvent, WorldDef,
};

fn sensing() -> ShapeDef {
    ShapeDef {
        sensor: true,
        ..Default::default()
    }
}

/// A sensor two meters wide around the origin.
fn gate(world: &mut PhysicsWorld, kind: BodyKind) -> (BodyId, ShapeId) {
    let def = BodyDef {
        kind,
        ..Default::default()
    };
    let body = world.create_body(&def).unwrap();
    let shape = Shape::new_box(2.0, 2.0).unwrap();
    (body, world.create_shape(body, &sensing(), &shape).unwrap())
}

fn ball(world: &mut PhysicsWorld, x: f32, velocity: f32) -> (BodyId, ShapeId) {
    let def = BodyDef {
        linear_velocity: Vec2::new(velocity, 0.0),
        ..BodyDef::dynamic(x, 0.0)
    };
    let body = world.create_body(&def).unwrap();
    let shape = Shape::circle(Vec2::ZERO, 0.25).unwrap();
    (
        body,
        world.create_shape(body, &ShapeDef::default(), &shape).unwrap(),
    )
}

fn visitors(world: &PhysicsWorld, sensor: ShapeId) -> Vec<ShapeId> {
    world
        .shape(sensor)
        .unwrap()
        .visitors()
        .map(|shape| shape.id())
        .collect()
}

/// Steps once and gives the begins and ends.
fn step(world: &mut PhysicsWorld) -> (Vec<VisitEvent>, Vec<VisitEvent>) {
    run(world, 1);
    (world.events().enter().to_vec(), world.events().leave().to_vec())
}

#[test]
fn a_ball_passes_sensors_on_bodies_of_every_kind_and_is_reported_in_and_out() {
    for kind in [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic] {
        let mut world = world(&weightless());
        let (gate_body, sensor) = gate(&mut world, kind);
        let (body, visitor) = ball(&mut world, -3.0, 6.0);
        let event = VisitEvent { sensor, visitor };
        let (mut begins, mut ends) = (0, 0);
        for _ in 0..90 {
            let (began, ended) = step(&mut world);
            let x = place(&world, body).x;
            if !began.is_empty() {
                assert_eq!(began, [event]);
                assert!((-1.25..=-1.15).contains(&x), "came in at {x}");
                begins += 1;
            }
            if !ended.is_empty() {
                assert_eq!(ended, [event]);
                assert!((1.25..=1.35).contains(&x), "left at {x}");
                ends += 1;
            }
            assert_eq!(
                visitors(&world, sensor) == [visitor],
                begins > ends,
                "{kind:?} at {x}"
            );
        }
        assert_eq!((begins, ends), (1, 1), "{kind:?}");
        assert_eq!(
            world.body(body).unwrap().linear_velocity(),
            Vec2::new(6.0, 0.0),
            "nothing stopped it"
        );
        assert_eq!(place(&world, gate_body), Position::ORIGIN);
        assert_eq!(world.contacts().len(), 0);
    }
}

#[test]
fn whatever_takes_a_visitor_away_ends_its_visit() {
    type Change = fn(&mut PhysicsWorld, BodyId, ShapeId, ShapeId);
    let changes: [(&str, Change); 7] = [
        ("destroy body", |world, body, _, _| {
            world.destroy_body(body).unwrap()
        }),
        ("destroy shape", |world, _, shape, _| {
            world.destroy_shape(shape).unwrap()
        }),
        ("disable", |world, body, _, _| {
            world.body_mut(body).unwrap().set_enabled(false)
        }),
        ("teleport", |world, body, _, _| {
            world
                .body_mut(body)
                .unwrap()
                .teleport(Pose::new(Vec2::new(9.0, 9.0), 0.0))
                .unwrap()
        }),
        ("filter", |world, _, shape, _| {
            let nothing = Filter {
                mask: 0,
                ..Default::default()
            };
            world.shape_mut(shape).unwrap().set_filter(nothing);
        }),
        ("destroy sensor", |world, _, _, sensor| {
            world.destroy_shape(sensor).unwrap()
        }),
        ("replace", |world, body, shape, _| {
            world.destroy_shape(shape).unwrap();
            let same = Shape::circle(Vec2::ZERO, 0.25).unwrap();
            world.create_shape(body, &ShapeDef::default(), &same).unwrap();
        }),
    ];
    for (name, change) in changes {
        let mut world = world(&weightless());
        let (_, sensor) = gate(&mut world, BodyKind::Static);
        let (body, visitor) = ball(&mut world, 0.0, 0.0);
        let event = VisitEvent { sensor, visitor };
        assert_eq!(step(&mut world), (vec![event], vec![]), "{name}");
        assert_eq!(step(&mut world), (vec![], vec![]), "{name}");
        change(&mut world, body, visitor, sensor);
        let (began, ended) = step(&mut world);
        assert_eq!(ended, [event], "{name}");
        assert_eq!(began.len(), usize::from(name == "replace"), "{name}");
        assert_eq!(step(&mut world), (vec![], vec![]), "{name}");
    }
}

#[test]
fn sensors_see_by_filter_and_neither_each_other_nor_their_own_body() {
    let mut world = world(&weightless());
    let (body, sensor) = gate(&mut world, BodyKind::Dynamic);
    let inside = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    world.create_shape(body, &ShapeDef::default(), &inside).unwrap();
    gate(&mut world, BodyKind::Static);
    let hidden = ShapeDef {
        filter: Filter {
            mask: 4,
            ..Default::default()
        },
        ..Default::default()
    };
    add(&mut world, &BodyDef::kinematic(0.6, 0.6), &hidden, &inside);
    run(&mut world, 2);
    assert_eq!(visitors(&world, sensor), []);
    let seen = plain(&mut world, &BodyDef::fixed(-0.6, 0.6), &inside);
    run(&mut world, 1);
    let seen = world.body(seen).unwrap().shapes().next().unwrap().id();
    assert_eq!(visitors(&world, sensor), [seen], "static bodies are seen too");
}

#[test]
fn sensors_have_no_mass_and_queries_do_not_see_them() {
    let mut world = world(&weightless());
    let (body, sensor) = ball(&mut world, 0.0, 0.0);
    let mass = world.body(body).unwrap().mass();
    let wide = Shape::new_box(10.0, 10.0).unwrap();
    let id = world.create_shape(body, &sensing(), &wide).unwrap();
    assert_eq!(world.body(body).unwrap().mass(), mass);
    assert!(world.shape(id).unwrap().is_sensor() && !world.shape(sensor).unwrap().is_sensor());
    let found = world
        .overlap_point(Position::new(3.0, 3.0), QueryFilter::default())
        .unwrap();
    assert_eq!(found, []);
}

#[test]
fn a_sleeping_visitor_stays_in() {
    let mut world = world(&WorldDef::default());
    let (_, sensor) = gate(&mut world, BodyKind::Static);
    plain(
        &mut world,
        &BodyDef::fixed(0.0, -1.5),
        &Shape::new_box(10.0, 2.0).unwrap(),
    );
    let (body, visitor) = ball(&mut world, 0.0, 0.0);
    run(&mut world, 120);
    assert!(!world.body(body).unwrap().is_awake());
    assert!(visitors(&world, sensor).contains(&visitor));
    assert!(world.events().leave().is_empty());
}

#[test]
fn a_visitor_that_crosses_within_one_step_is_in_for_that_step() {
    let mut world = world(&weightless());
    let (_, sensor) = gate(&mut world, BodyKind::Static);
    let (body, visitor) = ball(&mut world, -3.0, 360.0);
    let event = VisitEvent { sensor, visitor };
    assert_eq!(step(&mut world), (vec![event], vec![]));
    assert!(place(&world, body).x > 2.0);
    assert_eq!(step(&mut world), (vec![], vec![event]));
}

#[test]
fn a_visitor_that_a_wall_stops_before_the_sensor_does_not_come_in() {
    let mut world = world(&weightless());
    let (_, sensor) = gate(&mut world, BodyKind::Static);
    let wall = Shape::segment(Vec2::new(-2.0, -5.0), Vec2::new(-2.0, 5.0)).unwrap();
    plain(&mut world, &BodyDef::fixed(0.0, 0.0), &wall);
    ball(&mut world, -3.0, 360.0);
    run(&mut world, 3);
    assert_eq!(visitors(&world, sensor), []);
}

#[test]
fn a_step_of_no_time_finds_what_is_there() {
    let mut world = world(&weightless());
    let (_, sensor) = gate(&mut world, BodyKind::Static);
    let (_, visitor) = ball(&mut world, 0.0, 0.0);
    world.step(0.0).unwrap();
    assert_eq!(world.events().enter(), [VisitEvent { sensor, visitor }]);
}

/// Many sensors of all kinds in a shower of bodies, some of them fast.
fn shower() -> PhysicsWorld {
    let mut world = world(&WorldDef::default());
    plain(
        &mut world,
        &BodyDef::fixed(0.0, -8.0),
        &Shape::new_box(40.0, 2.0).unwrap(),
    );
    let mut random = Random(9);
    for i in 0..60 {
        let def = BodyDef {
            kind: [BodyKind::Static, BodyKind::Kinematic][i % 2],
            position: Position::new(random.between(-8.0, 8.0), random.between(-6.0, 6.0)),
            angular_velocity: 1.0,
            ..Default::default()
        };
        add(&mut world, &def, &sensing(), &Shape::new_box(1.6, 0.6).unwrap());
    }
    for i in 0..80 {
        let def = BodyDef {
            linear_velocity: Vec2::new(random.between(-90.0, 90.0), random.between(-90.0, 9.0)),
            ..BodyDef::dynamic(random.between(-8.0, 8.0), random.between(-6.0, 6.0))
        };
        let shape = Shape::circle(Vec2::ZERO, 0.1 + 0.01 * (i % 20) as f32).unwrap();
        plain(&mut world, &def, &shape);
    }
    world
}

#[test]
fn visits_are_the_same_everywhere_sorted_and_paired() {
    let log = |world: &PhysicsWorld| {
        let events = world.events();
        format!("{:?} {:?}", events.enter(), events.leave())
    };
    same_everywhere(shower, 60, log);

    let mut world = shower();
    let mut inside = BTreeSet::new();
    let mut count = 0;
    for _ in 0..60 {
        world.step(DT).unwrap();
        let key = |event: &VisitEvent| (event.sensor.index(), event.visitor.index());
        assert!(world.events().enter().is_sorted_by_key(key));
        for event in world.events().enter() {
            assert!(inside.insert(key(event)), "began twice: {event:?}");
            count += 1;
        }
        for event in world.events().leave() {
            assert!(inside.remove(&key(event)), "ended without a begin: {event:?}");
        }
        let sensors = world.shapes().filter(|shape| shape.is_sensor());
        let listed: BTreeSet<(u32, u32)> = sensors
            .flat_map(|sensor| {
                sensor
                    .visitors()
                    .map(move |visitor| (sensor.id().index(), visitor.id().index()))
            })
            .collect();
        assert_eq!(listed, inside);
    }
    assert!(count > 100, "{count} visits");
}

#[test]
fn whatever_crosses_a_thin_sensor_at_a_hundred_meters_per_second_is_reported_in_and_out() {
    for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
        for phase in 0..10 {
            let mut world = world(&weightless());
            let gate = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
            let thin = Shape::new_box(0.02, 4.0).unwrap();
            let sensor = world.create_shape(gate, &sensing(), &thin).unwrap();
            let def = BodyDef {
                kind,
                linear_velocity: Vec2::new(100.0, 0.0),
                position: Position::new(-3.0 - 0.17 * phase as f32, 0.0),
                ..Default::default()
            };
            let body = world.create_body(&def).unwrap();
            let ball = Shape::circle(Vec2::ZERO, 0.2).unwrap();
            let visitor = world.create_shape(body, &ShapeDef::default(), &ball).unwrap();
            let event = VisitEvent { sensor, visitor };
            let (mut began, mut ended) = (Vec::new(), Vec::new());
            for _ in 0..6 {
                let (begin, end) = step(&mut world);
                began.extend(begin);
                ended.extend(end);
            }
            assert_eq!(
                (began, ended),
                (vec![event], vec![event]),
                "{kind:?}, phase {phase}"
            );
        }
    }
}

#[test]
fn a_fast_sensor_reports_what_it_sweeps_over() {
    for with_solid_shape in [false, true] {
        for phase in 0..10 {
            let mut world = world(&weightless());
            let def = BodyDef {
                linear_velocity: Vec2::new(100.0, 0.0),
                ..BodyDef::kinematic(-3.0 - 0.17 * phase as f32, 0.0)
            };
            let scanner = world.create_body(&def).unwrap();
            let thin = Shape::new_box(0.02, 4.0).unwrap();
            let sensor = world.create_shape(scanner, &sensing(), &thin).unwrap();
            if with_solid_shape {
                let ball = Shape::circle(Vec2::new(0.0, 9.0), 0.2).unwrap();
                world.create_shape(scanner, &ShapeDef::default(), &ball).unwrap();
            }
            let (_, visitor) = ball(&mut world, 0.0, 0.0);
            let event = VisitEvent { sensor, visitor };
            let (mut began, mut ended) = (Vec::new(), Vec::new());
            for _ in 0..6 {
                let (begin, end) = step(&mut world);
                began.extend(begin);
                ended.extend(end);
            }
            assert_eq!((began, ended), (vec![event], vec![event]), "phase {phase}");
        }
    }
}

/// Who follows ends the step where the sensor was before, and is never in it; who stands in the way is.
#[test]
fn what_follows_a_fast_sensor_is_not_in_it() {
    for (gap, kind) in [
        (0.5, BodyKind::Dynamic),
        (0.5, BodyKind::Kinematic),
        (0.9, BodyKind::Dynamic),
    ] {
        let mut world = world(&weightless());
        let fast = BodyDef {
            linear_velocity: Vec2::new(60.0, 0.0),
            ..BodyDef::kinematic(0.0, 0.0)
        };
        let small = Shape::circle(Vec2::ZERO, 0.1).unwrap();
        let leader = world.create_body(&fast).unwrap();
        let eye = world.create_shape(leader, &sensing(), &small).unwrap();
        let mut one = |def: &BodyDef| {
            let body = world.create_body(def).unwrap();
            world.create_shape(body, &ShapeDef::default(), &small).unwrap()
        };
        one(&BodyDef {
            kind,
            position: Position::new(-gap, 0.0),
            ..fast
        });
        let post = one(&BodyDef::dynamic(3.1, 0.0));
        let seen: Vec<VisitEvent> = (0..8).flat_map(|_| step(&mut world).0).collect();
        let met = VisitEvent {
            sensor: eye,
            visitor: post,
        };
        assert_eq!(seen, [met], "{gap} m behind, {kind:?}");
    }
}

/// A ball is hit within a step and flies on through a line, at whose place it neither begins nor ends the step.
#[test]
fn what_a_fast_body_carries_through_a_sensor_is_reported() {
    for sensor_moves in [false, true] {
        let mut world = world(&weightless());
        let paddle = BodyDef {
            linear_velocity: Vec2::new(60.0, 0.0),
            ..BodyDef::kinematic(-0.5, 0.0)
        };
        plain(&mut world, &paddle, &Shape::new_box(0.2, 2.0).unwrap());
        let (_, visitor) = ball(&mut world, 0.0, 0.0);
        let line = BodyDef {
            linear_velocity: Vec2::new(0.0, if sensor_moves { 30.0 } else { 0.0 }),
            ..BodyDef::kinematic(0.42, 0.0)
        };
        let line = world.create_body(&line).unwrap();
        let thin = Shape::new_box(0.02, 4.0).unwrap();
        let sensor = world.create_shape(line, &sensing(), &thin).unwrap();
        // The paddle passes the line as well.
        let of_ball = |events: Vec<VisitEvent>| -> Vec<VisitEvent> {
            events
                .into_iter()
                .filter(|event| event.visitor == visitor)
                .collect()
        };
        let event = VisitEvent { sensor, visitor };
        let began = of_ball(step(&mut world).0);
        assert_eq!(began, [event], "the sensor moves: {sensor_moves}");
        let left = of_ball((0..3).flat_map(|_| step(&mut world).1).collect());
        assert_eq!(left, [event]);
    }
}

/// A line has no extent that could be less by the distance at which continuous collision stops.
#[test]
fn a_fast_sensor_does_not_see_lines_beside_it() {
    for (height, sees) in [(0.004, false), (-0.001, true)] {
        for speed in [0.0, 2.0, 60.0] {
            let mut world = world(&weightless());
            let line = Shape::segment(Vec2::new(-50.0, 0.0), Vec2::new(50.0, 0.0)).unwrap();
            plain(&mut world, &BodyDef::fixed(0.0, 0.0), &line);
            let def = BodyDef {
                linear_velocity: Vec2::new(speed, 0.0),
                ..BodyDef::kinematic(0.0, 0.2 + height)
            };
            let body = world.create_body(&def).unwrap();
            let shape = Shape::new_box(0.4, 0.4).unwrap();
            world.create_shape(body, &sensing(), &shape).unwrap();
            let seen: Vec<VisitEvent> = (0..10).flat_map(|_| step(&mut world).0).collect();
            assert_eq!(
                seen.len(),
                usize::from(sees),
                "{height} m above it at {speed} m/s"
            );
        }
    }
}

/// A sensor that only turns neither falls asleep nor misses what it sweeps over, though its body has nothing solid.
#[test]
fn a_sensor_that_turns_goes_on_and_sweeps() {
    for spin in [1.0, 40.0] {
        let mut world = world(&weightless());
        let def = BodyDef {
            angular_velocity: spin,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        let radar = world.create_body(&def).unwrap();
        let beam = Shape::box_at(4.0, 0.02, Vec2::new(2.5, 0.0), 0.0).unwrap();
        world.create_shape(radar, &sensing(), &beam).unwrap();
        // Out of the way at first, and between two places of the beam.
        let (_, visitor) = ball(&mut world, -3.0, 0.0);
        let steps = (2.0 * std::f32::consts::TAU / spin / DT) as usize;
        let mut met = 0;
        for _ in 0..steps {
            let (began, _) = step(&mut world);
            met += began.iter().filter(|event| event.visitor == visitor).count();
        }
        assert!(world.body(radar).unwrap().is_awake());
        assert_eq!(met, 2, "at {spin} rad/s, twice around");
    }
}

/// An arm that turns by so many degrees in the first step, either as a sensor or through sensors, and twelve balls around it.
/// Whom of them it was reported to have met, by angle in degrees.
fn met_by_an_arm(degrees: f32, arm_senses: bool) -> Vec<usize> {
    let mut world = world(&weightless());
    let def = BodyDef {
        angular_velocity: degrees.to_radians() / DT,
        fast_rotation: true,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    let rotor = world.create_body(&def).unwrap();
    let arm = Shape::box_at(2.0, 0.1, Vec2::new(2.0, 0.0), 0.0).unwrap();
    let solid = ShapeDef::default();
    let [of_arm, of_balls] = if arm_senses {
        [sensing(), solid]
    } else {
        [solid, sensing()]
    };
    world.create_shape(rotor, &of_arm, &arm).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.1).unwrap();
    let around: Vec<ShapeId> = (0..12)
        .map(|hour| {
            let angle = (30.0 * hour as f32).to_radians();
            let def = BodyDef::dynamic(2.0 * libm::cosf(angle), 2.0 * libm::sinf(angle));
            let body = world.create_body(&def).unwrap();
            world.create_shape(body, &of_balls, &ball).unwrap()
        })
        .collect();
    let (began, _) = step(&mut world);
    let is_met = |shape: &ShapeId| {
        let ends = began.iter().flat_map(|event| [event.sensor, event.visitor]);
        ends.into_iter().any(|end| end == *shape)
    };
    (0..12)
        .filter(|&hour| is_met(&around[hour]))
        .map(|hour| 30 * hour)
        .collect()
}

/// The shorter way between the two rotations is not the way that was taken.
#[test]
fn what_turns_by_more_than_half_a_turn_in_a_step_meets_those_on_its_way_and_no_others() {
    for arm_senses in [true, false] {
        for degrees in [100.0, 170.0, 216.0, 255.0, 315.0, 360.0] {
            let expected: Vec<usize> = (0..12)
                .map(|hour| 30 * hour)
                .filter(|&angle| angle as f32 <= degrees)
                .collect();
            assert_eq!(
                met_by_an_arm(degrees, arm_senses),
                expected,
                "by {degrees}°, the arm senses: {arm_senses}"
            );
            let mut back: Vec<usize> = expected.iter().map(|angle| (360 - angle) % 360).collect();
            back.sort_unstable();
            assert_eq!(
                met_by_an_arm(-degrees, arm_senses),
                back,
                "by -{degrees}°, the arm senses: {arm_senses}"
            );
        }
    }
}
