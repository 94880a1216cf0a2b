//! What joints bear: forces and torques at rest whatever the substeps, thresholds, and breaking.

use crate::joint_support::{DT, GRAVITY, close, ground, joint, sampled, square, world};
use std::f32::consts::FRAC_PI_2;
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, GearDef, GenericDef, JointDef, JointId, JointThresholds, MotorDef,
    MoverDef, PhysicsWorld, PogoDef, PrismaticDef, PulleyDef, RackDef, RevoluteDef, Vec2, WeldDef, WheelDef,
};

/// A joint that holds a second body by a first one.
type Hanging = fn(BodyId, BodyId) -> JointDef;

const HANGING: [(&str, Hanging); 10] = [
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
    ("generic", |a, b| locked(a, b, Vec2::ZERO).into()),
    ("motor", |a, b| {
        MotorDef {
            max_velocity_force: 5.0 * GRAVITY,
            ..MotorDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
        }
        .into()
    }),
    ("mover", |a, b| {
        MoverDef {
            max_force: Vec2::splat(5.0 * GRAVITY),
            ..MoverDef::new(a, Vec2::ZERO, b, Vec2::ZERO)
        }
        .into()
    }),
    ("pogo", |a, b| {
        PogoDef {
            local_angle_a: FRAC_PI_2,
            spring_damping_ratio: 1.0,
            ..PogoDef::new(a, Vec2::new(0.0, -1.0), b, Vec2::ZERO)
        }
        .into()
    }),
    ("pulley", |a, b| {
        PulleyDef {
            ground_anchor_a: Vec2::new(4.0, 2.0),
            ground_anchor_b: Vec2::new(0.0, 2.0),
            length_a: 2.0,
            length_b: 2.0,
            ..PulleyDef::new(a, Vec2::new(4.0, 0.0), b, Vec2::ZERO)
        }
        .into()
    }),
];

/// A generic joint that holds all three axes.
fn locked(a: BodyId, b: BodyId, anchor: Vec2) -> GenericDef {
    GenericDef {
        lock_x: true,
        lock_y: true,
        lock_angle: true,
        ..GenericDef::new(a, Vec2::ZERO, b, anchor)
    }
}

/// A joint at the hook that holds the angle of a body whose center is a meter beside it.
type Holding = fn(&mut PhysicsWorld, BodyId, BodyId) -> JointId;

/// The hook in the frame of the body.
const HOOK: Vec2 = Vec2::new(-1.0, 0.0);

const HOLDING: [(&str, Holding); 4] = [
    ("weld", |world, a, b| {
        joint(world, WeldDef::new(a, Vec2::ZERO, b, HOOK))
    }),
    ("prismatic", |world, a, b| {
        joint(world, PrismaticDef::new(a, Vec2::ZERO, b, HOOK))
    }),
    ("generic", |world, a, b| joint(world, locked(a, b, HOOK))),
    ("gear", |world, a, b| {
        joint(world, RevoluteDef::new(a, Vec2::ZERO, b, HOOK));
        joint(world, GearDef::new(a, Vec2::ZERO, b, Vec2::ZERO))
    }),
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
                .set_thresholds(JointThresholds {
                    force: share * GRAVITY,
                    torque: f32::INFINITY,
                    breaks: true,
                })
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

#[test]
fn joints_break_by_their_torque() {
    for (name, make) in HOLDING {
        for (share, breaks) in [(1.02, false), (0.98, true)] {
            let mut world = world(GRAVITY);
            let hook = ground(&mut world);
            let arm = square(&mut world, &BodyDef::dynamic(1.0, 0.0), 0.5);
            let id = make(&mut world, hook, arm);
            // Until it hangs still.
            sampled(&mut world, 120, |_| 0.0);
            // One kilogram a meter out; the force alone breaks nothing.
            world
                .joint_mut(id)
                .unwrap()
                .set_thresholds(JointThresholds {
                    force: f32::INFINITY,
                    torque: share * GRAVITY,
                    breaks: true,
                })
                .unwrap();
            world.step(DT).unwrap();
            let events = world.events().joint().to_vec();
            assert_eq!(events.len(), usize::from(breaks), "{name}: {events:?}");
            assert_eq!(world.joint(id).is_none(), breaks, "{name}");
            if let [event] = events[..] {
                assert!(event.broke && event.joint == id && event.bodies == [hook, arm]);
                close(event.torque.abs(), GRAVITY, 0.01, name);
            }
            let height = |world: &PhysicsWorld| world.body(arm).unwrap().position().y;
            let before = height(&world);
            sampled(&mut world, 30, |_| 0.0);
            let fell = before - height(&world);
            assert!(
                if breaks { fell > 0.3 } else { fell < 0.001 },
                "{name}, {share}: it fell by {fell} m"
            );
        }
    }
}

/// Joints that break in one step are told of and removed by index, whatever the order of their bodies and of the calls that made
/// them weak: what is made next has the ids that it has where calls destroyed them in that order.
#[test]
fn joints_that_break_in_one_step_break_by_index() {
    let mut world = world(GRAVITY);
    let hook = ground(&mut world);
    let loads = [4.0, 2.0, 0.0, 6.0].map(|x| square(&mut world, &BodyDef::dynamic(x, 0.0), 0.5));
    let joints = [2, 0, 3, 1].map(|load: usize| {
        let place = world.body(loads[load]).unwrap().position().to_vec2();
        joint(&mut world, WeldDef::new(hook, place, loads[load], Vec2::ZERO))
    });
    assert!(joints.is_sorted_by_key(|joint| joint.index()));
    sampled(&mut world, 60, |_| 0.0);
    let weak = [joints[3], joints[0], joints[2]];
    let mut by_calls = world.clone();
    for joint in weak {
        let mut joint = world.joint_mut(joint).unwrap();
        joint
            .set_thresholds(JointThresholds {
                force: 0.5 * GRAVITY,
                torque: f32::INFINITY,
                breaks: true,
            })
            .unwrap();
    }
    world.step(DT).unwrap();
    let broken: Vec<JointId> = world.events().joint().iter().map(|event| event.joint).collect();
    assert_eq!(broken, [joints[0], joints[2], joints[3]]);
    assert!(broken.iter().all(|&joint| world.joint(joint).is_none()));
    assert!(world.joint(joints[1]).is_some());
    by_calls.step(DT).unwrap();
    for &joint in &broken {
        by_calls.destroy_joint(joint).unwrap();
    }
    for load in loads {
        let def = WeldDef::new(hook, Vec2::ZERO, load, Vec2::ZERO);
        assert_eq!(joint(&mut world, def.clone()), joint(&mut by_calls, def));
    }
}

/// A cabin that cannot turn, on a rail whose frames are a quarter turn apart: nothing can change that, and nothing bears it.
#[test]
fn no_torque_is_borne_where_neither_body_turns() {
    let kinds: [(&str, Hanging); 5] = [
        // Its radius is less than the arm of the point, so that it has a part of angle.
        ("rack", |a, b| {
            RackDef {
                radius: 0.3,
                torque_threshold: 1.0,
                breaks: true,
                ..RackDef::new(a, Vec2::new(0.0, 1.0), b, Vec2::ZERO)
            }
            .into()
        }),
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
