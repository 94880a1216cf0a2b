//! Bodies that are exempted from the limit of 45° a step: wheels of fast cars, and sweeps beyond half a turn.

use crate::joint_support::{DT, GRAVITY, close, ground, joint, square, world};
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use tombolo_physics::{
    BodyDef, BodyId, ChainDef, PhysicsWorld, Position, RevoluteDef, Shape, ShapeDef, Vec2, WheelDef,
};

/// A car on two wheels of 0.3 m on a long road, and the speed that it has after some seconds.
fn car_speed(fast_rotation: bool, seconds: usize) -> (f32, Vec2) {
    let mut world = world(GRAVITY);
    let road = ground(&mut world);
    let points = (-1..50).rev().map(|i| Vec2::new(20.0 * i as f32, 0.0)).collect();
    world
        .create_chain(
            road,
            &ChainDef {
                points,
                ..ChainDef::default()
            },
        )
        .unwrap();
    let start = BodyDef::dynamic(10.0, 0.8);
    let chassis = world.create_body(&start).unwrap();
    let hull = Shape::new_box(2.4, 0.4).unwrap();
    world.create_shape(chassis, &ShapeDef::default(), &hull).unwrap();
    let tire = Shape::circle(Vec2::ZERO, 0.3).unwrap();
    let grip = ShapeDef {
        friction: 1.5,
        ..ShapeDef::default()
    };
    for side in [-0.9, 0.9] {
        let def = BodyDef {
            fast_rotation,
            ..BodyDef::dynamic(10.0 + side, 0.3)
        };
        let wheel = world.create_body(&def).unwrap();
        world.create_shape(wheel, &grip, &tire).unwrap();
        let axle = WheelDef {
            local_angle_a: FRAC_PI_2,
            spring_hertz: 3.0,
            enable_limit: true,
            lower_translation: -0.1,
            upper_translation: 0.1,
            enable_motor: true,
            motor_speed: -200.0,
            max_motor_torque: 2.0,
            ..WheelDef::new(chassis, Vec2::new(side, -0.5), wheel, Vec2::ZERO)
        };
        joint(&mut world, axle);
    }
    for _ in 0..60 * seconds {
        world.step(DT).unwrap();
        assert_eq!(
            (world.events().frozen(), world.events().held()),
            (&[][..], &[][..])
        );
    }
    let car = world.body(chassis).unwrap();
    (car.linear_velocity().x, car.position().to_vec2())
}

#[test]
fn a_wheel_of_a_foot_drives_a_car_at_sixty_meters_a_second() {
    let (speed, place) = car_speed(true, 14);
    close(speed, 60.0, 0.01, "its speed");
    assert!(
        (0.5..1.2).contains(&place.y) && place.x > 300.0,
        "it is at {place}"
    );
    let (slow, _) = car_speed(false, 14);
    assert!(slow < 0.3 * 0.25 * PI / DT + 1.0, "held at {slow} m/s");
}

#[test]
fn a_body_turns_by_what_its_angular_velocity_says() {
    for substeps in [1, 2, 4, 8] {
        let mut world = world(0.0);
        world.set_substeps(substeps).unwrap();
        // A quarter of a turn in each substep is the most.
        let most = FRAC_PI_2 * substeps as f32 / DT;
        for wanted in [1.0, 40.0, 90.0, 200.0, 700.0, 1.0e6] {
            let def = BodyDef {
                angular_velocity: wanted,
                fast_rotation: true,
                ..BodyDef::dynamic(0.0, 0.0)
            };
            let body = world.create_body(&def).unwrap();
            world.step(DT).unwrap();
            let spin = world.body(body).unwrap().angular_velocity();
            assert_eq!(spin, wanted.min(most));
            let turned = f64::from(spin) * f64::from(DT);
            let off =
                (turned - f64::from(world.body(body).unwrap().rotation().angle())).rem_euclid(f64::from(TAU));
            let off = off.min(f64::from(TAU) - off);
            assert!(
                off < 1.0e-4,
                "{wanted} rad/s in {substeps} substeps: {off} rad off"
            );
        }
    }
}

#[test]
fn the_exemption_is_read_set_and_saved() {
    let mut world = world(0.0);
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    for fast in [true, false, true] {
        world.body_mut(body).unwrap().set_fast_rotation(fast);
        let restored = PhysicsWorld::from_save(&world.save()).unwrap();
        for world in [&world, &restored] {
            assert_eq!(world.body(body).unwrap().has_fast_rotation(), fast);
        }
    }
    let place = Position::new(1.0, 0.0);
    world.body_mut(body).unwrap().set_target(place, 3.0, DT).unwrap();
    world.step(DT).unwrap();
    close(
        world.body(body).unwrap().rotation().angle(),
        3.0,
        1.0e-4,
        "on target",
    );
}

/// A rod of two meters that turns beside a thin wall, which its ends reach over.
fn turning_rod(world: &mut PhysicsWorld, spin: f32) -> BodyId {
    let wall = ground(world);
    let slab = Shape::box_at(0.04, 10.0, Vec2::new(0.6, 0.0), 0.0).unwrap();
    world.create_shape(wall, &ShapeDef::default(), &slab).unwrap();
    let def = BodyDef {
        angle: FRAC_PI_2,
        angular_velocity: spin,
        fast_rotation: true,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let rod = world.create_body(&def).unwrap();
    let bar = Shape::new_box(2.0, 0.1).unwrap();
    world.create_shape(rod, &ShapeDef::default(), &bar).unwrap();
    rod
}

#[test]
fn a_rod_that_turns_by_half_a_turn_and_more_in_a_step_is_stopped_by_a_wall_on_the_way() {
    for turns_per_step in [0.25, 0.5, 0.75, 1.0] {
        let mut world = world(0.0);
        let rod = turning_rod(&mut world, turns_per_step * TAU / DT);
        let mut touched = false;
        for _ in 0..20 {
            world.step(DT).unwrap();
            touched |= world.contacts().any(|contact| contact.is_touching());
            let body = world.body(rod).unwrap();
            for end in [-1.0, 1.0] {
                let tip = body.pose().transform_point(Vec2::new(end, 0.0));
                assert!(tip.x < 0.7, "{turns_per_step} turns a step: an end is at {tip}");
            }
        }
        let spin = world.body(rod).unwrap().angular_velocity();
        let kept = spin / (turns_per_step * TAU / DT);
        assert!(
            touched && kept < 0.9,
            "{turns_per_step} turns a step: it keeps {kept} of its spin"
        );
    }
}

#[test]
fn a_disc_is_stopped_however_it_turns() {
    for turns_per_step in [0.5, 0.9, 1.0] {
        let mut world = world(0.0);
        let wall = ground(&mut world);
        let slab = Shape::box_at(0.04, 10.0, Vec2::new(3.0, 0.0), 0.0).unwrap();
        world.create_shape(wall, &ShapeDef::default(), &slab).unwrap();
        let def = BodyDef {
            linear_velocity: Vec2::new(300.0, 0.0),
            angular_velocity: turns_per_step * TAU / DT,
            fast_rotation: true,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let disc = world.create_body(&def).unwrap();
        let round = Shape::circle(Vec2::ZERO, 0.2).unwrap();
        world.create_shape(disc, &ShapeDef::default(), &round).unwrap();
        for _ in 0..10 {
            world.step(DT).unwrap();
            let x = world.body(disc).unwrap().position().x;
            assert!(x < 2.85, "it is at {x}");
        }
    }
}

#[test]
fn what_is_not_exempted_is_held_at_an_eighth_of_a_turn() {
    let mut world = world(0.0);
    let body = square(
        &mut world,
        &BodyDef {
            angular_velocity: 1000.0,
            ..BodyDef::dynamic(0.0, 0.0)
        },
        0.5,
    );
    world.step(DT).unwrap();
    close(
        world.body(body).unwrap().angular_velocity(),
        0.25 * PI / DT,
        1.0e-5,
        "its spin",
    );
}

/// Meters that a disc which spins without friction lies in the floor after two seconds, alone and under a heavy lid.
fn depth_of_a_spinning_disc(spin: f32, fast_rotation: bool, lid: bool) -> f32 {
    let mut world = world(GRAVITY);
    let smooth = ShapeDef {
        friction: 0.0,
        ..ShapeDef::default()
    };
    let ground = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let floor = Shape::new_box(20.0, 2.0).unwrap();
    world.create_shape(ground, &smooth, &floor).unwrap();
    let disc = Shape::circle(Vec2::ZERO, 0.3).unwrap();
    let mut first = None;
    for x in [-1.0, 1.0] {
        let def = BodyDef {
            angular_velocity: spin,
            fast_rotation,
            ..BodyDef::dynamic(x, 0.3)
        };
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &smooth, &disc).unwrap();
        first.get_or_insert(body);
    }
    if lid {
        let body = world.create_body(&BodyDef::dynamic(0.0, 0.9)).unwrap();
        let plate = Shape::new_box(3.0, 0.6).unwrap();
        world.create_shape(body, &smooth, &plate).unwrap();
    }
    for _ in 0..120 {
        world.step(DT).unwrap();
    }
    let body = world.body(first.unwrap()).unwrap();
    assert!(
        (body.angular_velocity() - spin).abs() < 0.01 * spin.abs() + 1.0e-6,
        "it keeps its spin"
    );
    0.3 - body.position().to_vec2().y
}

#[test]
fn a_disc_that_spins_does_not_sink() {
    for lid in [false, true] {
        let still = depth_of_a_spinning_disc(0.0, false, lid);
        for spin in [-38.0, -11.0, 3.0, 11.0, 20.0, 38.0, 46.0] {
            for fast_rotation in [false, true] {
                let depth = depth_of_a_spinning_disc(spin, fast_rotation, lid);
                assert!(
                    (depth - still).abs() < 1.0e-5,
                    "{depth} m deep at {spin} rad/s, {still} m at rest"
                );
            }
        }
    }
}

/// A motor is stronger than the limit of a body's own velocity: what it drives is seen on its way, though half a turn in
/// a step has no shorter way.
#[test]
fn what_a_strong_motor_drives_past_the_limit_is_stopped_by_what_is_in_its_way() {
    for speed in [60.0, 120.0, 240.0, -240.0] {
        let mut world = world(0.0);
        let pin = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let rod = world
            .create_body(&BodyDef {
                angle: FRAC_PI_2,
                ..BodyDef::dynamic(0.0, 0.0)
            })
            .unwrap();
        let long = Shape::new_box(2.0, 0.1).unwrap();
        world.create_shape(rod, &ShapeDef::default(), &long).unwrap();
        let post = world.create_body(&BodyDef::fixed(0.8, 0.0)).unwrap();
        let small = Shape::circle(Vec2::ZERO, 0.05).unwrap();
        world.create_shape(post, &ShapeDef::default(), &small).unwrap();
        let motor = RevoluteDef {
            enable_motor: true,
            motor_speed: speed,
            max_motor_torque: 1.0e6,
            ..RevoluteDef::new(pin, Vec2::ZERO, rod, Vec2::ZERO)
        };
        joint(&mut world, motor);
        let begun: usize = (0..30)
            .map(|_| {
                world.step(DT).unwrap();
                world.events().begin_touch().len()
            })
            .sum();
        assert!(begun > 0, "at {speed} rad/s");
    }
}
