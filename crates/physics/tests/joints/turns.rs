//! Limits anywhere on the circle, and angles that are counted over whole turns.

use crate::joint_support::{DT, close, ground, joint, sampled, square, world};
use std::f32::consts::{FRAC_PI_2, PI, TAU};
use tombolo_physics::{
    BodyDef, BodyId, GenericDef, JointDef, JointId, JointLimit, PhysicsError, PhysicsWorld, Pose,
    RevoluteDef, Vec2,
};

/// A wheel on an axle in a world without gravity, and its joint.
fn wheel(angle: f32, def: impl FnOnce(RevoluteDef) -> JointDef) -> (PhysicsWorld, BodyId, JointId) {
    let mut world = world(0.0);
    let post = ground(&mut world);
    let start = BodyDef {
        angle,
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let body = square(&mut world, &start, 0.5);
    let id = joint(
        &mut world,
        def(RevoluteDef::new(post, Vec2::ZERO, body, Vec2::ZERO)),
    );
    (world, body, id)
}

fn angle(world: &PhysicsWorld, id: JointId) -> f32 {
    world.joint(id).unwrap().angle()
}

#[test]
fn limits_hold_wherever_on_the_circle_they_lie() {
    for middle in [0.0, FRAC_PI_2, 3.0, PI, -PI, 4.0, -5.0, TAU, 40.0] {
        for half_range in [0.3, 1.5, 0.98 * PI] {
            for way in [-1.0, 1.0] {
                let (mut world, _, id) = wheel(middle, |def| {
                    RevoluteDef {
                        enable_limit: true,
                        lower_angle: middle - half_range,
                        upper_angle: middle + half_range,
                        enable_motor: true,
                        motor_speed: 6.0 * way,
                        max_motor_torque: 1.0,
                        ..def
                    }
                    .into()
                });
                let end = middle + way * half_range;
                for _ in 0..180 {
                    world.step(DT).unwrap();
                    let beyond = way * (angle(&world, id) - end);
                    assert!(beyond < 0.01 * half_range, "{beyond} beyond {end}");
                }
                let off = (angle(&world, id) - end).abs();
                assert!(off < 0.01 * half_range, "{off} off {end}");
            }
        }
    }
}

/// A winch that turns up to three times either way, as a revolute and as a generic joint.
fn winches() -> [fn(RevoluteDef) -> JointDef; 2] {
    [
        |def| {
            RevoluteDef {
                count_turns: true,
                enable_limit: true,
                lower_angle: -3.0 * TAU,
                upper_angle: 3.0 * TAU,
                enable_motor: true,
                motor_speed: 9.0,
                max_motor_torque: 1.0,
                ..def
            }
            .into()
        },
        |def| {
            GenericDef {
                count_turns: true,
                lock_x: true,
                lock_y: true,
                enable_limit_angle: true,
                lower_angle: -3.0 * TAU,
                upper_angle: 3.0 * TAU,
                enable_motor_angle: true,
                motor_speed_angle: 9.0,
                max_motor_torque: 1.0,
                ..GenericDef::new(def.body_a, def.local_anchor_a, def.body_b, def.local_anchor_b)
            }
            .into()
        },
    ]
}

fn turned_about(def: JointDef) -> JointDef {
    match def {
        JointDef::Revolute(def) => RevoluteDef {
            motor_speed: -def.motor_speed,
            ..def
        }
        .into(),
        JointDef::Generic(def) => GenericDef {
            motor_speed_angle: -def.motor_speed_angle,
            ..def
        }
        .into(),
        other => other,
    }
}

#[test]
fn a_winch_turns_three_times_and_no_more() {
    for winch in winches() {
        let (mut world, _, id) = wheel(0.4, winch);
        for end in [3.0 * TAU, -3.0 * TAU, 3.0 * TAU] {
            for _ in 0..400 {
                world.step(DT).unwrap();
                assert!(angle(&world, id).abs() < 3.01 * TAU);
            }
            close(angle(&world, id), end, 0.002, "where it stopped");
            let def = turned_about(world.joint(id).unwrap().def());
            world.joint_mut(id).unwrap().set_def(def).unwrap();
        }
    }
}

#[test]
fn turns_are_saved_and_cloned() {
    for winch in winches() {
        let (mut world, _, id) = wheel(0.0, winch);
        sampled(&mut world, 90, |_| 0.0);
        assert!(angle(&world, id) > 1.5 * TAU, "{}", angle(&world, id));
        let mut restored = PhysicsWorld::from_save(&world.save()).unwrap();
        let mut cloned = world.clone();
        for _ in 0..200 {
            for world in [&mut world, &mut restored, &mut cloned] {
                world.step(DT).unwrap();
            }
        }
        close(angle(&world, id), 3.0 * TAU, 0.002, "where it stopped");
        assert_eq!(restored.state_hash(), world.state_hash());
        assert_eq!(cloned.state_hash(), world.state_hash());
    }
}

#[test]
fn a_spring_unwinds_to_its_target_over_whole_turns() {
    for target in [2.25 * TAU, -4.0 * TAU, 0.0] {
        let (mut world, _, id) = wheel(0.5, |def| {
            RevoluteDef {
                count_turns: true,
                enable_spring: true,
                spring_hertz: 0.5,
                spring_damping_ratio: 1.0,
                target_angle: target,
                ..def
            }
            .into()
        });
        sampled(&mut world, 600, |_| 0.0);
        assert!((angle(&world, id) - target).abs() < 0.01, "{}", angle(&world, id));
    }
}

#[test]
fn counting_begins_within_the_limits_and_follows_what_is_set() {
    let (mut world, body, id) = wheel(0.1, |def| {
        RevoluteDef {
            count_turns: true,
            enable_limit: true,
            lower_angle: 5.0 * TAU,
            upper_angle: 7.0 * TAU,
            ..def
        }
        .into()
    });
    close(angle(&world, id), 5.0 * TAU + 0.1, 1.0e-5, "at first");
    world.joint_mut(id).unwrap().set_turns(6).unwrap();
    close(angle(&world, id), 6.0 * TAU + 0.1, 1.0e-5, "once set");
    sampled(&mut world, 30, |_| 0.0);
    close(angle(&world, id), 6.0 * TAU + 0.1, 1.0e-5, "held by nothing");
    // A teleport takes the short way.
    let place = world.body(body).unwrap().position();
    world
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(place.to_vec2(), -3.0))
        .unwrap();
    close(angle(&world, id), 6.0 * TAU - 3.0, 1.0e-5, "after a teleport");
    for turns in [1001, i32::MIN] {
        let answer = world.joint_mut(id).unwrap().set_turns(turns);
        assert!(
            matches!(answer, Err(PhysicsError::InvalidNumber { what: "turns", .. })),
            "{answer:?}"
        );
    }
    let JointDef::Revolute(def) = world.joint(id).unwrap().def() else {
        panic!("it was made as one");
    };
    let uncounted = RevoluteDef {
        count_turns: false,
        lower_angle: -1.0,
        upper_angle: 1.0,
        ..def
    };
    let mut view = world.joint_mut(id).unwrap();
    view.set_def(uncounted).unwrap();
    assert!(matches!(view.set_turns(1), Err(PhysicsError::NoSuchPart { .. })));
}

#[test]
fn the_count_stops_at_a_thousand_turns_and_stays_a_number() {
    let (mut world, _, id) = wheel(0.0, |def| {
        RevoluteDef {
            count_turns: true,
            enable_motor: true,
            motor_speed: 40.0,
            max_motor_torque: 100.0,
            ..def
        }
        .into()
    });
    world.joint_mut(id).unwrap().set_turns(999).unwrap();
    sampled(&mut world, 120, |_| 0.0);
    assert!((999.0..1000.6).contains(&(angle(&world, id) / TAU)));
    assert_eq!(world.events().frozen(), []);
}

#[test]
fn limits_of_more_than_a_turn_need_counting() {
    let (mut world, _, id) = wheel(0.0, Into::into);
    for (lower, upper, right) in [
        (-PI, PI, false),
        (-0.99 * PI, 0.99 * PI, true),
        (10.0, 10.0 + 1.97 * PI, true),
        (10.0, 10.0 + 1.99 * PI, false),
        (-7000.0, -6999.0, false),
        (-6283.0, -6282.0, true),
        (1.0, 0.9, false),
        (f32::NAN, 0.0, false),
    ] {
        let answer = world
            .joint_mut(id)
            .unwrap()
            .set_limit(Some(JointLimit { lower, upper }));
        assert_eq!(answer.is_ok(), right, "{lower} to {upper}: {answer:?}");
    }
    let JointDef::Revolute(def) = world.joint(id).unwrap().def() else {
        panic!("it was made as one");
    };
    let counting = RevoluteDef {
        count_turns: true,
        ..def
    };
    let mut view = world.joint_mut(id).unwrap();
    view.set_def(counting).unwrap();
    view.set_limit(Some(JointLimit {
        lower: -3.0 * TAU,
        upper: 3.0 * TAU,
    }))
    .unwrap();
}

#[test]
fn a_locked_angle_ignores_its_limits_wherever_they_lie() {
    for [lower, upper] in [[2.0, 6.0], [-7.0, -3.0], [6.0, 6.5], [40.0, 41.0]] {
        for count_turns in [false, true] {
            for lock_x in [false, true] {
                let (mut world, body, id) = wheel(0.0, |def| {
                    GenericDef {
                        lock_x,
                        lock_y: true,
                        lock_angle: true,
                        enable_limit_angle: true,
                        lower_angle: lower,
                        upper_angle: upper,
                        count_turns,
                        ..GenericDef::new(def.body_a, Vec2::ZERO, def.body_b, Vec2::ZERO)
                    }
                    .into()
                });
                let what = format!("limits {lower} to {upper}, counted: {count_turns}, x locked: {lock_x}");
                let joint = world.joint(id).unwrap();
                assert!(joint.angular_error() < 1e-6, "{what}: {}", joint.angular_error());
                assert!(angle(&world, id).abs() < 1e-6, "{what}: {}", angle(&world, id));
                for _ in 0..30 {
                    world.step(DT).unwrap();
                    let body = world.body(body).unwrap();
                    let motion = (body.angular_velocity(), body.rotation().angle());
                    assert!(
                        motion.0.abs() < 1e-3 && motion.1.abs() < 1e-3,
                        "{what}: {motion:?}"
                    );
                }
            }
        }
    }
}
