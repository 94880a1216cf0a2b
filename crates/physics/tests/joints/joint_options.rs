//! Joints' options: what is given is read back, what is out of range is refused then and later, and bodies of every sort
//! and state may be joined, or the reason is told.

use crate::world_support::random_joints::joint_of;
use crate::world_support::{DT, Random};
use std::f32::consts::PI;
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, FilterDef, GearDef, GenericDef, JointDef, JointKind, JointLimit,
    JointMotor, JointSpring, MotorDef, MoverDef, PhysicsError, PhysicsWorld, PogoDef, PrismaticDef,
    PulleyDef, RackDef, RevoluteDef, Shape, ShapeDef, Vec2, WeldDef, WheelDef, WorldDef,
};

fn boxed(world: &mut PhysicsWorld, def: &BodyDef) -> BodyId {
    let body = world.create_body(def).unwrap();
    let shape = Shape::new_box(1.0, 1.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &shape).unwrap();
    body
}

fn pair() -> (PhysicsWorld, [BodyId; 2]) {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let bodies = [0.0, 2.0].map(|x| boxed(&mut world, &BodyDef::dynamic(x, 5.0)));
    (world, bodies)
}

#[test]
fn every_option_is_read_back_and_set_again() {
    let mut random = Random(11);
    for &kind in JointKind::ALL {
        for _ in 0..50 {
            let (mut world, [a, b]) = pair();
            let first = joint_of(&mut random, kind, a, b);
            let id = world.create_joint(first.clone()).unwrap();
            assert_eq!(world.joint(id).unwrap().def(), first);
            assert_eq!(world.joint(id).unwrap().kind(), kind);
            let second = joint_of(&mut random, kind, a, b);
            world.joint_mut(id).unwrap().set_def(second.clone()).unwrap();
            assert_eq!(world.joint(id).unwrap().def(), second);
            // What was set is what would have been created.
            let (mut other, _) = pair();
            other.create_joint(second).unwrap();
            for world in [&mut world, &mut other] {
                for _ in 0..20 {
                    world.step(DT).unwrap();
                }
            }
            assert_eq!(world.state_hash(), other.state_hash(), "{kind:?}");
            let restored = PhysicsWorld::from_save(&world.save()).unwrap();
            assert_eq!(
                restored.joint(id).map(|joint| joint.def()),
                world.joint(id).map(|joint| joint.def())
            );
        }
    }
}

/// A definition that one number makes wrong, and the number's name.
type Wrong = (&'static str, fn([BodyId; 2]) -> JointDef);

macro_rules! wrong {
    ($def:ident, $field:ident, $value:expr) => {
        (stringify!($field), |[a, b]| {
            $def {
                $field: $value,
                ..$def::new(a, Vec2::ZERO, b, Vec2::ZERO)
            }
            .into()
        })
    };
}

const WRONG: [Wrong; 66] = [
    wrong!(DistanceDef, length, -1.0),
    wrong!(DistanceDef, length, f32::NAN),
    wrong!(DistanceDef, spring_hertz, 10_001.0),
    wrong!(DistanceDef, spring_damping_ratio, -0.1),
    wrong!(DistanceDef, lower_spring_force, f32::NEG_INFINITY),
    wrong!(DistanceDef, upper_spring_force, f32::NAN),
    wrong!(DistanceDef, upper_spring_force, -1.1e30),
    wrong!(DistanceDef, min_length, -1.0),
    wrong!(DistanceDef, max_length, 100_001.0),
    wrong!(DistanceDef, motor_speed, 1_000_001.0),
    wrong!(DistanceDef, max_motor_force, -1.0),
    wrong!(DistanceDef, local_angle_a, f32::INFINITY),
    wrong!(DistanceDef, force_threshold, -1.0),
    wrong!(PrismaticDef, lower_translation, -100_001.0),
    wrong!(PrismaticDef, upper_translation, -1.0),
    wrong!(PrismaticDef, target_translation, f32::NAN),
    wrong!(PrismaticDef, spring_hertz, 1.0e-4),
    wrong!(PrismaticDef, motor_speed, f32::NAN),
    wrong!(PrismaticDef, max_motor_force, f32::INFINITY),
    wrong!(PrismaticDef, torque_threshold, f32::NAN),
    wrong!(WeldDef, linear_hertz, -1.0),
    wrong!(WeldDef, linear_damping_ratio, 1001.0),
    wrong!(WeldDef, angular_hertz, f32::NAN),
    wrong!(WeldDef, constraint_hertz, 20_000.0),
    wrong!(WeldDef, constraint_damping_ratio, -1.0),
    wrong!(WheelDef, upper_translation, -1.0),
    wrong!(WheelDef, max_motor_torque, -1.0),
    wrong!(WheelDef, local_anchor_a, Vec2::new(0.0, 100_001.0)),
    wrong!(MotorDef, linear_velocity, Vec2::new(0.0, f32::NAN)),
    wrong!(MotorDef, max_spring_force, -1.0),
    wrong!(MotorDef, max_velocity_torque, f32::INFINITY),
    wrong!(MotorDef, angular_velocity, 1_000_001.0),
    wrong!(RevoluteDef, motor_speed, 1_000_001.0),
    wrong!(RevoluteDef, local_angle_b, f32::NAN),
    wrong!(RevoluteDef, lower_angle, -6284.0),
    wrong!(RevoluteDef, upper_angle, 1.99 * PI),
    wrong!(RevoluteDef, upper_angle, -0.1),
    wrong!(GenericDef, upper_x, -1.0),
    wrong!(GenericDef, lower_y, f32::NAN),
    wrong!(GenericDef, upper_y, 100_001.0),
    wrong!(GenericDef, upper_angle, -1.0),
    wrong!(GenericDef, upper_angle, 6284.0),
    wrong!(GenericDef, target_x, f32::INFINITY),
    wrong!(GenericDef, target_angle, f32::NAN),
    wrong!(GenericDef, spring_hertz_y, 1.0e-4),
    wrong!(GenericDef, spring_damping_ratio_angle, -1.0),
    wrong!(GenericDef, motor_speed_x, 1_000_001.0),
    wrong!(GenericDef, max_motor_force_y, -1.0),
    wrong!(GenericDef, max_motor_torque, f32::NAN),
    wrong!(GearDef, ratio, 0.0),
    wrong!(GearDef, ratio, f32::NAN),
    wrong!(GearDef, ratio, -10_001.0),
    wrong!(RackDef, radius, 0.00009),
    wrong!(RackDef, radius, f32::INFINITY),
    wrong!(RackDef, local_anchor_b, Vec2::new(f32::NAN, 0.0)),
    wrong!(PulleyDef, ratio, -1.0),
    wrong!(PulleyDef, length_a, -1.0),
    wrong!(PulleyDef, length_b, 100_001.0),
    wrong!(PulleyDef, ground_anchor_a, Vec2::new(100_001.0, 0.0)),
    wrong!(PulleyDef, ground_anchor_b, Vec2::new(0.0, f32::NAN)),
    wrong!(MoverDef, linear_velocity, Vec2::new(1_000_001.0, 0.0)),
    wrong!(MoverDef, max_force, Vec2::new(0.0, -1.0)),
    wrong!(MoverDef, max_force, Vec2::new(f32::INFINITY, 0.0)),
    wrong!(PogoDef, length, -1.0),
    wrong!(PogoDef, spring_hertz, f32::NAN),
    wrong!(PogoDef, upper_spring_force, -1.1e30),
];

#[test]
fn what_is_out_of_range_is_refused_at_creation_and_later_and_changes_nothing() {
    for (name, wrong) in WRONG {
        let (mut world, bodies) = pair();
        let wrong = wrong(bodies);
        let good = joint_of(&mut Random(3), wrong.kind(), bodies[0], bodies[1]);
        let id = world.create_joint(good).unwrap();
        let before = world.state_hash();
        for result in [
            wrong.validate(),
            world.create_joint(wrong.clone()).map(|_| ()),
            world.joint_mut(id).unwrap().set_def(wrong.clone()),
        ] {
            let Err(PhysicsError::InvalidNumber { what, .. }) = result else {
                panic!("{wrong:?} is refused, not {result:?}");
            };
            assert_eq!(what, name);
        }
        assert_eq!(world.state_hash(), before, "{name}");
    }
}

#[test]
fn a_joint_keeps_its_kind_and_its_bodies() {
    let (mut world, [a, b]) = pair();
    let id = world
        .create_joint(WeldDef::new(a, Vec2::ZERO, b, Vec2::ZERO))
        .unwrap();
    let others: [JointDef; 2] = [
        PrismaticDef::new(a, Vec2::ZERO, b, Vec2::ZERO).into(),
        WeldDef::new(b, Vec2::ZERO, a, Vec2::ZERO).into(),
    ];
    for other in others {
        let answer = world.joint_mut(id).unwrap().set_def(other);
        assert!(
            matches!(answer, Err(PhysicsError::UnfitBodies { .. })),
            "{answer:?}"
        );
    }
    let mut joint = world.joint_mut(id).unwrap();
    for answer in [
        joint.set_motor(Some(JointMotor { speed: 1.0, max: 1.0 })),
        joint.set_limit(Some(JointLimit {
            lower: 0.0,
            upper: 1.0,
        })),
        joint.set_spring(Some(JointSpring {
            target: 0.0,
            hertz: 1.0,
            damping_ratio: 1.0,
        })),
    ] {
        assert!(
            matches!(answer, Err(PhysicsError::NoSuchPart { .. })),
            "{answer:?}"
        );
    }
}

#[test]
fn bodies_of_every_sort_and_state_are_joined_or_refused() {
    let mut random = Random(5);
    for &kind in JointKind::ALL {
        let (mut world, [a, b]) = pair();
        let answer = world.create_joint(joint_of(&mut random, kind, a, a));
        assert!(
            matches!(answer, Err(PhysicsError::UnfitBodies { .. })),
            "{answer:?}"
        );
        let gone = boxed(&mut world, &BodyDef::dynamic(9.0, 9.0));
        world.destroy_body(gone).unwrap();
        for [a, b] in [[a, gone], [gone, b]] {
            let answer = world.create_joint(joint_of(&mut random, kind, a, b));
            assert!(
                matches!(answer, Err(PhysicsError::StaleHandle { .. })),
                "{answer:?}"
            );
        }
        let sorts = [
            BodyDef::fixed(20.0, 0.0),
            BodyDef::kinematic(24.0, 0.0),
            BodyDef::dynamic(28.0, 0.0),
            BodyDef {
                enabled: false,
                ..BodyDef::dynamic(32.0, 0.0)
            },
            BodyDef {
                awake: false,
                ..BodyDef::dynamic(36.0, 0.0)
            },
            BodyDef {
                fixed_rotation: true,
                ..BodyDef::dynamic(40.0, 0.0)
            },
        ];
        let sorts = sorts.map(|def| boxed(&mut world, &def));
        for (i, &a) in sorts.iter().enumerate() {
            for &b in &sorts[i + 1..] {
                world.create_joint(joint_of(&mut random, kind, a, b)).unwrap();
            }
        }
        world.validate();
        for step in 0..60 {
            world.step(DT).unwrap();
            assert_eq!(world.events().frozen(), [], "{kind:?}, step {step}");
        }
        world.validate();
        // With a body its joints go.
        for body in sorts {
            world.destroy_body(body).unwrap();
        }
        assert_eq!(world.joints().count(), 0);
        world.validate();
    }
}

#[test]
fn setters_wake_both_bodies() {
    let mut random = Random(8);
    for &kind in JointKind::ALL {
        let mut world = PhysicsWorld::new(&WorldDef {
            gravity: Vec2::ZERO,
            ..WorldDef::default()
        })
        .unwrap();
        let asleep = |x: f32| BodyDef {
            awake: false,
            ..BodyDef::dynamic(x, 0.0)
        };
        let [a, b] = [0.0, 2.0].map(|x| boxed(&mut world, &asleep(x)));
        let def = joint_of(&mut random, kind, a, b);
        let id = world.create_joint(def.clone()).unwrap();
        assert_eq!(
            world.counters().awake_bodies,
            0,
            "two that sleep go on sleeping: {kind:?}"
        );
        world.joint_mut(id).unwrap().set_def(def).unwrap();
        let woken = if kind == JointKind::Filter { 0 } else { 2 };
        assert_eq!(world.counters().awake_bodies, woken, "{kind:?}");
    }
}

#[test]
fn a_static_body_that_is_enabled_wakes_what_is_joined_to_it() {
    let mut random = Random(9);
    for &kind in JointKind::ALL {
        for anchor_first in [true, false] {
            let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
            let anchor = BodyDef {
                enabled: false,
                ..BodyDef::fixed(0.0, 20.0)
            };
            let load = BodyDef {
                awake: false,
                ..BodyDef::dynamic(0.0, 0.0)
            };
            let [anchor, load] = [anchor, load].map(|def| boxed(&mut world, &def));
            let [a, b] = if anchor_first {
                [anchor, load]
            } else {
                [load, anchor]
            };
            world.create_joint(joint_of(&mut random, kind, a, b)).unwrap();
            assert_eq!(
                world.counters().awake_bodies,
                0,
                "it is joined to nothing yet: {kind:?}"
            );
            world.body_mut(anchor).unwrap().set_enabled(true);
            let is_awake = world.body(load).unwrap().is_awake();
            assert_eq!(is_awake, kind != JointKind::Filter, "{kind:?}");
            world.step(DT).unwrap();
            world.validate();
        }
    }
}

#[test]
fn a_filter_keeps_two_apart_and_ties_nothing() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let floor = world.create_body(&BodyDef::fixed(0.0, -1.0)).unwrap();
    let slab = Shape::new_box(40.0, 2.0).unwrap();
    world.create_shape(floor, &ShapeDef::default(), &slab).unwrap();
    let lower = boxed(&mut world, &BodyDef::dynamic(0.0, 0.5));
    let upper = boxed(&mut world, &BodyDef::dynamic(0.0, 3.0));
    let filter = world.create_joint(FilterDef::new(lower, upper)).unwrap();
    for _ in 0..60 {
        world.step(DT).unwrap();
    }
    assert!(
        world.body(upper).unwrap().position().y < 0.6,
        "it falls through the other"
    );
    // One is pushed about while the other sleeps.
    for _ in 0..120 {
        world
            .body_mut(upper)
            .unwrap()
            .set_linear_velocity(Vec2::new(0.5, 0.0))
            .unwrap();
        world.step(DT).unwrap();
    }
    assert!(!world.body(lower).unwrap().is_awake() && world.body(upper).unwrap().is_awake());
    world.destroy_joint(filter).unwrap();
    world.validate();
}

#[test]
fn what_a_broken_joint_held_wakes_and_its_islands_part() {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::new(0.0, -10.0),
        ..WorldDef::default()
    })
    .unwrap();
    let hook = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let [upper, lower] = [-1.0, -2.0].map(|y| boxed(&mut world, &BodyDef::dynamic(0.0, y)));
    let half = Vec2::new(0.0, 0.5);
    world
        .create_joint(WeldDef::new(hook, -half, upper, half))
        .unwrap();
    let weak = WeldDef {
        force_threshold: 11.0,
        breaks: true,
        ..WeldDef::new(upper, -half, lower, half)
    };
    let weak = world.create_joint(weak).unwrap();
    let mut steps = 0;
    while world.body(lower).unwrap().is_awake() {
        world.step(DT).unwrap();
        steps += 1;
        assert!(
            steps < 600 && world.joint(weak).is_some(),
            "it holds, and they fall asleep"
        );
    }
    // A second kilogram is too much.
    world.body_mut(lower).unwrap().set_gravity_scale(2.0).unwrap();
    for _ in 0..30 {
        world.step(DT).unwrap();
        world.validate();
    }
    assert!(world.joint(weak).is_none());
    assert!(world.body(lower).unwrap().linear_velocity().y < -5.0, "it falls");
    assert!(
        world.body(upper).unwrap().linear_velocity().length() < 0.1,
        "it hangs"
    );
    let mut steps = 0;
    while world.body(upper).unwrap().is_awake() {
        world.step(DT).unwrap();
        steps += 1;
        assert!(steps < 600, "what hangs sleeps, though the other falls");
    }
    assert!(world.body(lower).unwrap().is_awake());
}
