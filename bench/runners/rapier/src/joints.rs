//! Converts our definitions of joints to Rapier's.

use std::f32::consts::TAU;

use glam::Vec2;
use rapier2d::prelude::*;
use tombolo::physics::{DistanceDef, JointDef, MotorDef, PrismaticDef, RevoluteDef, WeldDef, WheelDef};

use crate::vector;

/// A stiffness so large that only the force limit of a motor bounds its force.
const STIFF: f32 = 1e5;

/// The joints of Rapier for a joint of the kinds of the scenes: one, or two if no joint of Rapier has all its
/// functions.
pub(crate) fn generic(def: &JointDef) -> Vec<GenericJoint> {
    vec![match def {
        JointDef::Revolute(def) => revolute(def).into(),
        JointDef::Distance(def) => rope(def).into(),
        JointDef::Prismatic(def) => prismatic(def).into(),
        JointDef::Weld(def) => weld(def).into(),
        JointDef::Wheel(def) => wheel(def),
        JointDef::Motor(def) => return motor(def).into(),
        other => unreachable!("no scene that runs here has {other:?}"),
    }]
}

/// Rapier's revolute joint has one motor, which is velocity control or a spring, not both; with both the spring wins.
fn revolute(def: &RevoluteDef) -> RevoluteJoint {
    let mut revolute = RevoluteJointBuilder::new()
        .local_anchor1(vector(def.local_anchor_a))
        .local_anchor2(vector(def.local_anchor_b))
        .contacts_enabled(def.collide_connected);
    if def.enable_limit {
        revolute = revolute.limits([
            def.lower_angle + (def.local_angle_a - def.local_angle_b),
            def.upper_angle + (def.local_angle_a - def.local_angle_b),
        ]);
    }
    if def.enable_spring {
        let omega = TAU * def.spring_hertz;
        let target = def.target_angle + (def.local_angle_a - def.local_angle_b);
        revolute = revolute.motor_position(target, omega * omega, 2.0 * def.spring_damping_ratio * omega);
    } else if def.enable_motor {
        // Strong enough that only the torque limits it.
        revolute = revolute
            .motor_velocity(def.motor_speed, 1e5)
            .motor_max_force(def.max_motor_torque);
    }
    revolute.build()
}

/// Stiffness and damping of a spring, per kilogram.
fn spring(hertz: f32, damping_ratio: f32) -> [f32; 2] {
    let omega = TAU * hertz;
    [omega * omega, 2.0 * damping_ratio * omega]
}

fn direction(angle: f32) -> Vector {
    vector(Vec2::from_angle(angle))
}

/// Its distance joints are springs and ropes; the scenes have ropes.
fn rope(def: &DistanceDef) -> RopeJoint {
    RopeJointBuilder::new(def.max_length)
        .local_anchor1(vector(def.local_anchor_a))
        .local_anchor2(vector(def.local_anchor_b))
        .contacts_enabled(def.collide_connected)
        .build()
}

fn prismatic(def: &PrismaticDef) -> PrismaticJoint {
    let mut slide = PrismaticJointBuilder::new(direction(def.local_angle_a))
        .local_axis2(direction(def.local_angle_b))
        .local_anchor1(vector(def.local_anchor_a))
        .local_anchor2(vector(def.local_anchor_b))
        .contacts_enabled(def.collide_connected);
    if def.enable_limit {
        slide = slide.limits([def.lower_translation, def.upper_translation]);
    }
    if def.enable_spring {
        let [stiffness, damping] = spring(def.spring_hertz, def.spring_damping_ratio);
        slide = slide.motor_position(def.target_translation, stiffness, damping);
    } else if def.enable_motor {
        slide = slide
            .motor_velocity(def.motor_speed, STIFF)
            .motor_max_force(def.max_motor_force);
    }
    slide.build()
}

fn weld(def: &WeldDef) -> FixedJoint {
    FixedJointBuilder::new()
        .local_anchor1(vector(def.local_anchor_a))
        .local_anchor2(vector(def.local_anchor_b))
        .contacts_enabled(def.collide_connected)
        .build()
}

/// Its pin-slot joint, with a motor at each of the two free axes.
fn wheel(def: &WheelDef) -> GenericJoint {
    let mut slot = PinSlotJointBuilder::new(direction(def.local_angle_a))
        .local_axis2(direction(def.local_angle_b))
        .local_anchor1(vector(def.local_anchor_a))
        .local_anchor2(vector(def.local_anchor_b))
        .contacts_enabled(def.collide_connected);
    if def.enable_limit {
        slot = slot.limits([def.lower_translation, def.upper_translation]);
    }
    if def.enable_spring {
        let [stiffness, damping] = spring(def.spring_hertz, def.spring_damping_ratio);
        slot = slot.motor_position(def.target_translation, stiffness, damping);
    }
    let mut wheel: GenericJoint = slot.build().into();
    if def.enable_motor {
        wheel.set_motor_velocity(JointAxis::AngX, def.motor_speed, STIFF);
        wheel.set_motor_max_force(JointAxis::AngX, def.max_motor_torque);
    }
    wheel
}

/// A joint that drives and one that pulls: a motor of Rapier has one bound for both. It bounds each axis by itself,
/// ours the force as a whole. So it drives only if there is a speed to reach; in the scenes that takes all of our force
/// too, and the springs never reach their bound.
fn motor(def: &MotorDef) -> [GenericJoint; 2] {
    let (mut drive, mut pull) = (free(def), free(def));
    for (axis, speed, bound) in [
        (JointAxis::LinX, def.linear_velocity.x, def.max_velocity_force),
        (JointAxis::LinY, def.linear_velocity.y, def.max_velocity_force),
        (JointAxis::AngX, def.angular_velocity, def.max_velocity_torque),
    ] {
        if speed != 0.0 {
            drive.set_motor_velocity(axis, speed, STIFF);
            drive.set_motor_max_force(axis, bound);
        }
    }
    let [linear, angular] = [
        spring(def.linear_hertz, def.linear_damping_ratio),
        spring(def.angular_hertz, def.angular_damping_ratio),
    ];
    for (axis, [stiffness, damping], bound) in [
        (JointAxis::LinX, linear, def.max_spring_force),
        (JointAxis::LinY, linear, def.max_spring_force),
        (JointAxis::AngX, angular, def.max_spring_torque),
    ] {
        pull.set_motor_position(axis, 0.0, stiffness, damping);
        pull.set_motor_max_force(axis, bound);
    }
    [drive, pull]
}

/// A joint between the frames of a motor that holds nothing.
fn free(def: &MotorDef) -> GenericJoint {
    let frame = |anchor: Vec2, angle: f32| Pose::new(vector(anchor), angle);
    GenericJointBuilder::new(JointAxesMask::empty())
        .local_frame1(frame(def.local_anchor_a, def.local_angle_a))
        .local_frame2(frame(def.local_anchor_b, def.local_angle_b))
        .contacts_enabled(def.collide_connected)
        .build()
}
