//! What joints bear: forces and torques at rest whatever the substeps, thresholds, and breaking.
#![allow(missing_docs)]

mod joint_support;

use joint_support::{DT, GRAVITY, close, ground, joint, sampled, square, world};
use tombolo_physics::{
    BodyDef, BodyId, DistanceDef, JointDef, JointThresholds, PrismaticDef, RevoluteDef, Vec2, WeldDef,
    WheelDef,
};

/// A joint that holds a body beneath its hook.
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
