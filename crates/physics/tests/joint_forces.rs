//! What joints bear: forces and torques at rest whatever the substeps, thresholds, and breaking.
#![allow(missing_docs)]

mod joint_support;

use joint_support::{DT, GRAVITY, close, ground, joint, sampled, square, world};
use std::f32::consts::FRAC_PI_2;
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, GenericDef, JointDef, PrismaticDef, RevoluteDef, Vec2, WeldDef, WheelDef,
};

/// A joint that holds a second body by a first one.
type Hanging = fn(BodyId, BodyId) -> JointDef;

const HANGING: [(&str, Hanging); 5] = [
    ("revolute", |a, b| {
        RevoluteDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into()
    }),
    ("distance", |a, b| {
        DistanceDef::new(a, Vec2::new(0.0, 1.0), b, Vec2::ZERO).into()
    }),
    ("prismatic", |a, b| {
        PrismaticDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into()
    }),
    ("weld", |a, b| WeldDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into()),
    ("wheel", |a, b| WheelDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into()),
];

#[test]
fn the_force_is_the_weight_whatever_the_substeps() {
    for (name, def) in HANGING {
        for substeps in [1, 2, 4, 8] {
            let mut world = world(GRAVITY);
            world.set_substeps(substeps).unwrap();
            let hook = ground(&mut world);
            let load = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
            let id = joint(&mut world, def(hook, load));
            sampled(&mut world, 120, |_| 0.0);
            let view = world.joint(id).unwrap();
            close(view.force().y, GRAVITY, 0.005, name);
            assert!(view.linear_error() < 0.01, "{name}: {}", view.linear_error());
        }
    }
}

#[test]
fn joints_break_at_their_threshold() {
    for (name, def) in HANGING {
        for (share, breaks) in [(1.02, false), (0.98, true)] {
            let mut world = world(GRAVITY);
            let hook = ground(&mut world);
            let load = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 0.5);
            let id = joint(&mut world, def(hook, load));
            // Until it hangs still.
            sampled(&mut world, 120, |_| 0.0);
            let mut joint = world.joint_mut(id).unwrap();
            joint
                .set_thresholds(share * GRAVITY, f32::INFINITY, true)
                .unwrap();
            world.step(DT).unwrap();
            let events = world.events().joint().to_vec();
            assert_eq!(events.len(), usize::from(breaks), "{name}: {events:?}");
            assert_eq!(world.joint(id).is_none(), breaks, "{name}");
            if let [event] = events[..] {
                assert!(event.broke && event.joint == id && event.bodies == [hook, load]);
                close(event.force.y, GRAVITY, 0.01, name);
            }
            let before = world.body(load).unwrap().position().y;
            sampled(&mut world, 60, |_| 0.0);
            let fell = before - world.body(load).unwrap().position().y;
            if breaks {
                close(fell, 0.5 * GRAVITY, 0.03, name);
            } else {
                assert!(fell < 0.001, "{name}: {fell}");
            }
        }
    }
}

#[test]
fn a_threshold_without_breaking_reports_in_every_step() {
    let mut world = world(GRAVITY);
    let hook = ground(&mut world);
    let load = square(&mut world, &BodyDef::dynamic(1.0, 0.0), 0.5);
    let def = WeldDef {
        torque_threshold: 0.9 * GRAVITY,
        user_key: 77,
        ..WeldDef::new(hook, Vec2::ZERO, load, Vec2::new(-1.0, 0.0))
    };
    let id = joint(&mut world, def);
    sampled(&mut world, 120, |_| 0.0);
    for _ in 0..10 {
        world.step(DT).unwrap();
        let [event] = *world.events().joint() else {
            panic!("one joint is strained");
        };
        assert!(event.joint == id && event.user_key == 77 && !event.broke);
        // One kilogram a meter out.
        close(event.torque, GRAVITY, 0.01, "the torque at the wall");
    }
}

/// A cabin that cannot turn, on a rail whose frames are a quarter turn apart: nothing can change that, and nothing bears it.
#[test]
fn no_torque_is_borne_where_neither_body_turns() {
    let kinds: [(&str, Hanging); 4] = [
        ("prismatic", |a, b| {
            PrismaticDef {
                local_angle_a: FRAC_PI_2,
                torque_threshold: 100.0,
                breaks: true,
                ..PrismaticDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        }),
        ("generic", |a, b| {
            GenericDef {
                lock_y: true,
                lock_angle: true,
                local_angle_a: FRAC_PI_2,
                torque_threshold: 100.0,
                breaks: true,
                ..GenericDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        }),
        ("weld", |a, b| {
            WeldDef {
                local_angle_a: FRAC_PI_2,
                torque_threshold: 100.0,
                breaks: true,
                ..WeldDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        }),
        ("revolute", |a, b| {
            RevoluteDef {
                local_angle_a: FRAC_PI_2,
                enable_limit: true,
                torque_threshold: 100.0,
                breaks: true,
                ..RevoluteDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        }),
    ];
    for (name, def) in kinds {
        let mut world = world(GRAVITY);
        let shaft = ground(&mut world);
        let cabin = BodyDef {
            fixed_rotation: true,
            ..BodyDef::dynamic(0.0, 0.0)
        };
        let cabin = square(&mut world, &cabin, 1.0);
        let id = joint(&mut world, def(shaft, cabin));
        for _ in 0..60 {
            world.step(DT).unwrap();
            assert_eq!(world.events().joint(), [], "{name}");
            assert_eq!(world.joint(id).unwrap().torque(), 0.0, "{name}");
        }
    }
}

/// A body that neither moves nor turns, on joints whose points are apart.
#[test]
fn no_force_is_borne_where_nothing_moves() {
    for (name, def) in HANGING {
        let mut world = world(GRAVITY);
        let hook = ground(&mut world);
        let pinned = BodyDef {
            fixed_x: true,
            fixed_y: true,
            fixed_rotation: true,
            ..BodyDef::dynamic(0.5, 0.5)
        };
        let pinned = square(&mut world, &pinned, 1.0);
        let id = joint(&mut world, def(hook, pinned));
        for _ in 0..60 {
            world.step(DT).unwrap();
            assert_eq!(world.joint(id).unwrap().force(), Vec2::ZERO, "{name}");
        }
    }
}

/// A wheel that a motor drives against a load stops turning for good: the motor's torque of that time is gone.
#[test]
fn a_motor_bears_nothing_once_its_wheel_cannot_turn() {
    let kinds: [(&str, Hanging); 2] = [
        ("revolute", |a, b| {
            RevoluteDef {
                enable_motor: true,
                max_motor_torque: 50.0,
                ..RevoluteDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        }),
        ("wheel", |a, b| {
            WheelDef {
                enable_motor: true,
                max_motor_torque: 50.0,
                ..WheelDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        }),
    ];
    for (name, def) in kinds {
        let mut world = world(GRAVITY);
        let hook = ground(&mut world);
        let wheel = square(&mut world, &BodyDef::dynamic(0.0, 0.0), 1.0);
        let id = joint(&mut world, def(hook, wheel));
        world.body_mut(wheel).unwrap().set_lasting_torque(20.0).unwrap();
        sampled(&mut world, 60, |_| 0.0);
        close(world.joint(id).unwrap().torque(), -20.0, 0.01, name);
        world.body_mut(wheel).unwrap().set_fixed_rotation(true);
        sampled(&mut world, 2, |_| 0.0);
        assert_eq!(world.joint(id).unwrap().torque(), 0.0, "{name}");
    }
}
