//! Kinematic bodies that move so far within a step that no contact would see what they pass: bars that turn, pistons, doors.
//! None of the bodies in their way is a bullet.

use crate::world_support::Random;
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, ContactRule, FilterDef, PairView, PhysicsWorld, Position, Shape, ShapeDef,
    ShapeId, Vec2, WorldDef,
};

const DT: f32 = 1.0 / 60.0;

fn world() -> PhysicsWorld {
    let def = WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    };
    PhysicsWorld::new(&def).unwrap()
}

fn add(world: &mut PhysicsWorld, def: &BodyDef, shape: &Shape) -> BodyId {
    let body = world.create_body(def).unwrap();
    world.create_shape(body, &ShapeDef::default(), shape).unwrap();
    body
}

/// Where a body is, in the frame of another one.
fn seen_from(world: &PhysicsWorld, body: BodyId, frame: BodyId) -> Vec2 {
    let place = world.body(body).unwrap().pose().position;
    world.body(frame).unwrap().pose().inverse_transform_point(place)
}

/// Makes a step; by how many meters a body is then not where its velocity would have brought it, and whether it touches anything.
fn step_off_its_way(world: &mut PhysicsWorld, body: BodyId) -> (f32, bool) {
    let before = world.body(body).unwrap();
    let goal = before.position().to_vec2() + DT * before.linear_velocity();
    world.step(DT).unwrap();
    let now = world.body(body).unwrap();
    let touches = now.contacts().any(|contact| contact.is_touching());
    ((now.position().to_vec2() - goal).length(), touches)
}

fn target(random: &mut Random, extent: f32) -> Shape {
    match random.below(3) {
        0 => Shape::circle(Vec2::ZERO, extent).unwrap(),
        1 => Shape::new_box(2.0 * extent, 3.0 * extent).unwrap(),
        _ => Shape::capsule(Vec2::new(-extent, 0.0), Vec2::new(extent, 0.0), extent).unwrap(),
    }
}

#[test]
fn a_bar_at_45_radians_a_second_passes_nobody() {
    const HALF: f32 = 2.0;
    let mut hits = 0;
    for seed in 0..300 {
        let mut random = Random(seed);
        let mut world = world();
        let bar = BodyDef {
            angular_velocity: 45.0,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        let bar = add(&mut world, &bar, &Shape::new_box(2.0 * HALF, 0.1).unwrap());
        let extent = random.between(0.05, 0.2);
        let shape = target(&mut random, extent);
        let (from, angle) = (random.between(0.5, HALF - 0.7), random.between(0.9, 2.2));
        let def = BodyDef {
            linear_velocity: Vec2::new(random.between(-1.0, 1.0), random.between(-1.0, 1.0)),
            awake: seed % 3 != 0,
            ..BodyDef::dynamic(from * libm::cosf(angle), from * libm::sinf(angle))
        };
        let body = add(&mut world, &def, &shape);
        let mut before = seen_from(&world, body, bar);
        for step in 0..40 {
            world.step(DT).unwrap();
            let now = seen_from(&world, body, bar);
            // Off the ends it is free to go around.
            let is_beside = |place: Vec2| place.length() < HALF - 3.0 * extent;
            if !is_beside(before) || !is_beside(now) {
                break;
            }
            assert!(
                now.y > 0.0,
                "seed {seed}, step {step}: {extent} m thick, from {before} to {now}"
            );
            before = now;
        }
        hits += u32::from(world.body(body).unwrap().linear_velocity().length() > 5.0);
    }
    assert!(hits > 250, "{hits} were hit");
}

#[test]
fn pistons_pass_nobody_awake_or_asleep() {
    for (speed, awake) in [
        (20.0, true),
        (100.0, true),
        (300.0, true),
        (20.0, false),
        (100.0, false),
        (300.0, false),
    ] {
        for seed in 0..50 {
            let mut random = Random(seed);
            let mut world = world();
            let plate = BodyDef {
                linear_velocity: Vec2::new(speed, 0.0),
                ..BodyDef::kinematic(random.between(-60.0, -50.0), 0.0)
            };
            let plate = add(&mut world, &plate, &Shape::new_box(0.05, 3.0).unwrap());
            let extent = random.between(0.05, 0.3);
            let shape = target(&mut random, extent);
            let def = BodyDef {
                awake,
                ..BodyDef::dynamic(0.0, random.between(-0.7, 0.7))
            };
            let body = add(&mut world, &def, &shape);
            let steps = (80.0 / speed / DT) as u32;
            for step in 0..steps {
                world.step(DT).unwrap();
                let place = seen_from(&world, body, plate);
                assert!(
                    place.x > 0.0 || place.y.abs() > 1.5,
                    "{speed} m/s, seed {seed}, step {step}: {place}"
                );
            }
            let pushed = world.body(body).unwrap().linear_velocity().x;
            assert!(pushed > 0.9 * speed, "{speed} m/s, seed {seed}: {pushed} m/s");
        }
    }
}

/// A fast plate carries nobody through a wall.
#[test]
fn a_piston_against_a_wall_keeps_the_body_on_its_side_of_the_wall() {
    let mut world = world();
    let wall = Shape::new_box(0.5, 6.0).unwrap();
    let wall = add(&mut world, &BodyDef::fixed(3.0, 0.0), &wall);
    let plate = BodyDef {
        linear_velocity: Vec2::new(100.0, 0.0),
        ..BodyDef::kinematic(-8.4, 0.0)
    };
    add(&mut world, &plate, &Shape::new_box(0.05, 3.0).unwrap());
    let ball = add(
        &mut world,
        &BodyDef::dynamic(1.0, 0.1),
        &Shape::circle(Vec2::ZERO, 0.2).unwrap(),
    );
    for _ in 0..30 {
        world.step(DT).unwrap();
        assert!(seen_from(&world, ball, wall).x < 0.0);
    }
}

/// What is beside the way of a bar sleeps on.
#[test]
fn what_is_not_in_the_way_sleeps_on() {
    let mut world = world();
    let bar = BodyDef {
        angular_velocity: 40.0,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    add(&mut world, &bar, &Shape::new_box(4.0, 0.1).unwrap());
    let def = BodyDef {
        awake: false,
        ..BodyDef::dynamic(1.9, 1.9)
    };
    let body = add(&mut world, &def, &Shape::circle(Vec2::ZERO, 0.3).unwrap());
    (0..120).for_each(|_| world.step(DT).unwrap());
    assert!(!world.body(body).unwrap().is_awake());
}

/// What sleeps in the way is not passed in the step in which a body is set in motion.
#[test]
fn a_body_that_starts_at_once_passes_nobody_who_sleeps() {
    for case in 0..120 {
        let mut random = Random(case);
        let mut world = world();
        let plate = add(
            &mut world,
            &BodyDef::kinematic(-random.between(0.4, 1.2), 0.0),
            &Shape::new_box(0.05, 3.0).unwrap(),
        );
        let extent = random.between(0.05, 0.2);
        let shape = target(&mut random, extent);
        let def = BodyDef {
            awake: false,
            ..BodyDef::dynamic(0.0, random.between(-0.7, 0.7))
        };
        let body = add(&mut world, &def, &shape);
        for _ in 0..random.below(40) {
            world.step(DT).unwrap();
        }
        assert!(!world.body(body).unwrap().is_awake());
        let speed = random.between(60.0, 300.0);
        let mut moved = world.body_mut(plate).unwrap();
        if case % 2 == 0 {
            moved.set_linear_velocity(Vec2::new(speed, 0.0)).unwrap();
        } else {
            moved
                .set_target(Vec2::new(speed * DT - 1.0, 0.0).into(), 0.0, DT)
                .unwrap();
        }
        if case % 3 == 0 {
            world = PhysicsWorld::from_save(&world.save()).unwrap();
        }
        world.step(DT).unwrap();
        let place = seen_from(&world, body, plate);
        assert!(place.x > 0.0, "case {case}, {speed} m/s: {place}");
        world.validate();
    }
}

/// A bar that is exempted from the limit turns by more than half a turn in a step; what lies in its circle and sleeps wakes.
#[test]
fn a_bar_at_200_radians_a_second_wakes_whom_it_meets() {
    let mut world = world();
    let bar = BodyDef {
        fast_rotation: true,
        ..BodyDef::kinematic(0.0, 0.0)
    };
    let bar = add(&mut world, &bar, &Shape::new_box(4.0, 0.1).unwrap());
    let asleep = |world: &mut PhysicsWorld, place: Vec2| {
        let def = BodyDef {
            awake: false,
            ..BodyDef::dynamic(place.x, place.y)
        };
        add(world, &def, &Shape::circle(Vec2::ZERO, 0.1).unwrap())
    };
    let inside = asleep(&mut world, Vec2::new(0.3, 1.2));
    let outside = asleep(&mut world, Vec2::new(2.5, 2.5));
    world.step(DT).unwrap();
    assert!(!world.body(inside).unwrap().is_awake());
    world.body_mut(bar).unwrap().set_angular_velocity(200.0).unwrap();
    world.step(DT).unwrap();
    assert!(world.body(inside).unwrap().is_awake() && !world.body(outside).unwrap().is_awake());
}

/// A bar whose ends move at 200 m/s turns by 3.3 rad in a step: both halves may meet a body in the same step, and the face that
/// met it looks the other way at the end. Nobody gets from before a half to behind it, but around an end.
#[test]
fn a_bar_at_200_radians_a_second_passes_nobody() {
    const HALF: f32 = 1.0;
    for spin in [60.0, 120.0, 188.5, 200.0, -200.0, 300.0] {
        let mut hits = 0;
        for seed in 0..200 {
            let mut random = Random(seed);
            let mut world = world();
            let bar = BodyDef {
                angular_velocity: spin,
                fast_rotation: true,
                ..BodyDef::kinematic(0.0, 0.0)
            };
            let bar = add(&mut world, &bar, &Shape::new_box(2.0 * HALF, 0.05).unwrap());
            let extent = random.between(0.03, 0.08);
            let shape = target(&mut random, extent);
            let (from, angle) = (random.between(0.2, HALF - 0.4), random.between(0.9, 2.2));
            let def = BodyDef {
                linear_velocity: random.vector(1.0),
                awake: seed % 3 != 0,
                bullet: seed % 4 == 0,
                ..BodyDef::dynamic(from * libm::cosf(angle), from * libm::sinf(angle))
            };
            let body = add(&mut world, &def, &shape);
            let mut before = seen_from(&world, body, bar);
            for step in 0..40 {
                world.step(DT).unwrap();
                let now = seen_from(&world, body, bar);
                let is_beside = |place: Vec2| place.length() < HALF - 3.0 * extent;
                if !is_beside(before) || !is_beside(now) {
                    break;
                }
                assert!(
                    now.y > 0.0,
                    "{spin} rad/s, seed {seed}, step {step}: {extent} m thick, from {before} to {now}"
                );
                before = now;
            }
            hits += u32::from(world.body(body).unwrap().linear_velocity().length() > 5.0);
        }
        assert!(hits > 170, "{spin} rad/s: {hits} of 200 were hit");
    }
}

/// What a bar carries around goes through no wall, and what it meets lies in front of it and not in it.
#[test]
fn a_bar_that_turns_by_half_a_turn_in_a_step_pushes_nobody_through_a_wall() {
    for seed in 0..200 {
        let mut random = Random(seed);
        let mut world = world();
        let wall = Shape::new_box(0.2, 400.0).unwrap();
        let wall = add(&mut world, &BodyDef::fixed(1.4, 0.0), &wall);
        let bar = BodyDef {
            angular_velocity: random.between(150.0, 250.0),
            fast_rotation: true,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        add(&mut world, &bar, &Shape::new_box(2.0, 0.05).unwrap());
        let extent = random.between(0.03, 0.08);
        let place = Vec2::new(random.between(-0.5, 0.9), random.between(0.2, 0.8));
        let shape = Shape::circle(Vec2::ZERO, extent).unwrap();
        let ball = add(&mut world, &BodyDef::dynamic(place.x, place.y), &shape);
        for step in 0..30 {
            world.step(DT).unwrap();
            let x = seen_from(&world, ball, wall).x;
            assert!(x < 0.0, "seed {seed}, step {step}: {x}");
            world.validate();
        }
    }
}

/// A capsule lies across the way of a bar's end, which moves faster than contacts see. It is touched at the latest in the step
/// after that in which it is pushed, and leaves with the speed of the end: it was pushed on by centimeters too much, step after
/// step, and never touched.
#[test]
fn what_the_end_of_a_bar_pushes_is_touched_and_as_fast() {
    const HALF: f32 = 3.409_399_3;
    let mut hits = 0;
    for case in 0..60 {
        let mut random = Random(case);
        let (at, spin) = match case {
            0 => (-3.25, -2.530_129),
            _ => (random.between(-3.4, -2.9), random.between(-2.6, -2.3)),
        };
        let mut world = world();
        let bar = BodyDef {
            angle: 0.6,
            angular_velocity: spin,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        add(
            &mut world,
            &bar,
            &Shape::new_box(2.0 * HALF, 0.177_121_92).unwrap(),
        );
        let shape = Shape::capsule(Vec2::new(-0.99, 0.0), Vec2::new(0.99, 0.0), 0.128_486_72).unwrap();
        let body = add(&mut world, &BodyDef::dynamic(at, -0.7), &shape);
        let mut untouched = 0;
        for step in 0..40 {
            let (pushed, touches) = step_off_its_way(&mut world, body);
            untouched = if pushed > 1.0e-3 && !touches {
                untouched + 1
            } else {
                0
            };
            assert!(
                untouched < 2,
                "case {case}, step {step}: pushed by {pushed} m again, without a touch"
            );
        }
        hits += u32::from(world.body(body).unwrap().linear_velocity().length() > 0.5 * HALF * -spin);
    }
    assert!(hits > 40, "{hits} of 60 were hit");
}

/// A capsule turns one of its ends into a bar that goes away from it nearly as fast as it comes after. It was set back to where
/// they met, while the bar went on, and so was out of reach of its contacts in each step anew.
#[test]
fn what_turns_into_a_bar_that_goes_away_is_not_held_in_the_air() {
    let mut met = 0;
    for case in 0..200 {
        let mut random = Random(case);
        let (height, spin, fall) = match case {
            0 => (0.46, 8.489_24, -4.4),
            _ => (
                random.between(0.36, 0.6),
                random.between(-10.0, 10.0),
                random.between(-6.0, -3.0),
            ),
        };
        let mut world = world();
        let bar = BodyDef {
            angular_velocity: -2.167_484_8,
            ..BodyDef::kinematic(0.0, 0.0)
        };
        let bar = add(&mut world, &bar, &Shape::new_box(17.0, 0.586_579_3).unwrap());
        let shape = Shape::capsule(Vec2::new(-0.5, 0.0), Vec2::new(0.5, 0.0), 0.035).unwrap();
        let def = BodyDef {
            linear_velocity: Vec2::new(0.0, fall),
            angular_velocity: spin,
            ..BodyDef::dynamic(2.5, height)
        };
        let body = add(&mut world, &def, &shape);
        let (mut held, mut was_met) = (0, false);
        for step in 0..30 {
            let (missing, touches) = step_off_its_way(&mut world, body);
            was_met |= touches;
            held = if missing > 1.0e-3 && !touches { held + 1 } else { 0 };
            assert!(
                held < 3,
                "case {case}, step {step}: {missing} m short again, without a touch"
            );
            let place = seen_from(&world, body, bar);
            assert!(
                place.x.abs() > 8.0 || place.y > 0.25,
                "case {case}, step {step}: at {place}"
            );
        }
        met += u32::from(was_met);
    }
    assert!(met > 100, "{met} of 200 met the bar");
}

/// What keeps a blade and a box on a floor apart, and does so after they were made.
type KeptApart = fn(&mut PhysicsWorld, [BodyId; 2], [ShapeId; 2]);

#[test]
fn a_blade_does_not_wake_what_it_passes_by_call_by_rule_or_by_joint() {
    let ways: [(&str, bool, KeptApart); 7] = [
        ("nothing", true, |_, _, _| {}),
        ("a call", false, |world, _, [blade, other]| {
            world.set_pair_ignored(blade, other, true).unwrap();
        }),
        ("a rule that ignores", false, |world, _, _| {
            let rule = ContactRule {
                ignore: true,
                ..ContactRule::default()
            };
            world.set_contact_rule(1, 2, rule).unwrap();
        }),
        ("a rule of a sensor", false, |world, _, _| {
            let rule = ContactRule {
                sensor: true,
                ..ContactRule::default()
            };
            world.set_contact_rule(1, 2, rule).unwrap();
        }),
        ("a rule that does neither", true, |world, _, _| {
            let rule = ContactRule {
                friction: Some(0.5),
                ..ContactRule::default()
            };
            world.set_contact_rule(1, 2, rule).unwrap();
        }),
        ("a custom filter", false, |world, _, _| {
            world.set_custom_filter(|pair: &PairView| {
                pair.sides.iter().all(|side| side.kind != BodyKind::Kinematic)
            });
        }),
        ("a filter of the two", false, |world, [blade, other], _| {
            world.create_joint(FilterDef::new(blade, other)).unwrap();
        }),
    ];
    for (name, wakes, keep_apart) in ways {
        for fast_rotation in [false, true] {
            let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
            add(
                &mut world,
                &BodyDef::fixed(0.0, -0.5),
                &Shape::new_box(20.0, 1.0).unwrap(),
            );
            let mut made = |def: &BodyDef, material, width, height| {
                let body = world.create_body(def).unwrap();
                let def = ShapeDef {
                    material,
                    ..ShapeDef::default()
                };
                let shape = Shape::new_box(width, height).unwrap();
                (body, world.create_shape(body, &def, &shape).unwrap())
            };
            let (other, shape) = made(&BodyDef::dynamic(1.5, 0.5), 2, 1.0, 1.0);
            let blade = BodyDef {
                allow_sleep: false,
                fast_rotation,
                ..BodyDef::kinematic(0.0, 1.1)
            };
            let (blade, edge) = made(&blade, 1, 4.0, 0.1);
            keep_apart(&mut world, [blade, other], [edge, shape]);
            for _ in 0..120 {
                world.step(DT).unwrap();
            }
            assert!(!world.body(other).unwrap().is_awake(), "{name}");
            let spin = if fast_rotation { 60.0 } else { 20.0 };
            world.body_mut(blade).unwrap().set_angular_velocity(spin).unwrap();
            let mut woken = false;
            for _ in 0..60 {
                world.step(DT).unwrap();
                woken |= world.body(other).unwrap().is_awake();
            }
            assert_eq!(woken, wakes, "{name}, fast rotation: {fast_rotation}");
        }
    }
}

/// A bar of a kinematic body that may not turn fast, and a box that sleeps 1.8 m out, at 70 degrees around the pivot.
fn bar_and_sleeper() -> (PhysicsWorld, BodyId, BodyId) {
    let mut world = world();
    let bar = add(
        &mut world,
        &BodyDef::kinematic(0.0, 0.0),
        &Shape::new_box(4.0, 0.1).unwrap(),
    );
    let sleeper = BodyDef {
        awake: false,
        ..BodyDef::dynamic(0.616, 1.691)
    };
    let sleeper = add(&mut world, &sleeper, &Shape::new_box(0.2, 0.2).unwrap());
    (world, bar, sleeper)
}

/// A kinematic body turns as its angular velocity says, exempted from the limit of 45 degrees or not.
#[test]
fn a_door_that_slams_by_more_than_45_degrees_hits_the_sleeper_in_its_way() {
    for angle in [1.57_f32, 2.6, -2.2] {
        let (mut world, bar, sleeper) = bar_and_sleeper();
        let before = world.body(sleeper).unwrap().position();
        let mut door = world.body_mut(bar).unwrap();
        door.set_target(Position::ORIGIN, angle, DT).unwrap();
        world.step(DT).unwrap();
        let turned = world.body(bar).unwrap().rotation().angle();
        assert!((turned - angle).abs() < 0.01, "{turned}");
        assert!(world.body(sleeper).unwrap().is_awake(), "{angle}");
        assert_ne!(world.body(sleeper).unwrap().position(), before, "{angle}");
    }
}

#[test]
fn a_fast_bar_of_an_ordinary_body_wakes_what_it_passes() {
    for speed in [60.0, 100.0, 240.0, -500.0] {
        let (mut world, bar, sleeper) = bar_and_sleeper();
        world.body_mut(bar).unwrap().set_angular_velocity(speed).unwrap();
        for _ in 0..10 {
            world.step(DT).unwrap();
        }
        assert!(world.body(sleeper).unwrap().is_awake(), "{speed} rad/s");
    }
}

/// The turning of a disc moves nothing, so what sleeps in a corner of its box sleeps on, whether the disc turns fast or not.
#[test]
fn a_fast_kinematic_disc_wakes_nobody_beside_it() {
    for (speed, fast_rotation) in [(100.0, false), (240.0, false), (-500.0, true)] {
        let mut world = world();
        let disc = BodyDef {
            kind: BodyKind::Kinematic,
            angular_velocity: speed,
            fast_rotation,
            ..BodyDef::default()
        };
        add(&mut world, &disc, &Shape::circle(Vec2::ZERO, 1.0).unwrap());
        let sleeper = BodyDef {
            awake: false,
            ..BodyDef::dynamic(0.9, 0.9)
        };
        let sleeper = add(&mut world, &sleeper, &Shape::new_box(0.2, 0.2).unwrap());
        for _ in 0..10 {
            world.step(DT).unwrap();
            assert!(!world.body(sleeper).unwrap().is_awake(), "{speed} rad/s");
        }
    }
}

/// A fast body may end a step beyond the whole way of the plate that came toward it: it is found by its own way.
#[test]
fn a_plate_is_not_passed_by_fast_bodies_that_come_toward_it() {
    for seed in 0..240 {
        let mut random = Random(seed);
        let mut world = world();
        let plate = BodyDef {
            linear_velocity: Vec2::new(-random.between(20.0, 100.0), 0.0),
            ..BodyDef::kinematic(10.0, 0.0)
        };
        let thickness = random.between(0.02, 0.2);
        let plate = add(&mut world, &plate, &Shape::new_box(thickness, 400.0).unwrap());
        let def = BodyDef {
            linear_velocity: Vec2::new(random.between(20.0, 50.0), random.between(-20.0, 20.0)),
            angular_velocity: random.between(-40.0, 40.0),
            ..BodyDef::dynamic(random.between(-1.0, 1.0), 0.0)
        };
        let shape = target(&mut random, 0.05);
        let body = add(&mut world, &def, &shape);
        for step in 0..40 {
            world.step(DT).unwrap();
            let x = seen_from(&world, body, plate).x;
            assert!(x < 0.0, "seed {seed}: {x} in step {step}");
        }
    }
}
