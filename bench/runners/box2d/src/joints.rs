//! Converts our definitions of joints to Box2D's.

use boxdd_sys::ffi::*;
use tombolo::physics::{DistanceDef, JointDef, MotorDef, PrismaticDef, RevoluteDef, WeldDef, WheelDef};

use crate::{rotation, vector};

/// Sets the common part of all kinds: both bodies, both frames, stiffness, and whether shapes touch.
macro_rules! set_base {
    ($theirs:ident, $def:ident, $bodies:ident, $angles:expr) => {
        let [angle_a, angle_b] = $angles;
        let base = &mut $theirs.base;
        [base.bodyIdA, base.bodyIdB] = $bodies;
        base.localFrameA.p = vector($def.local_anchor_a);
        base.localFrameB.p = vector($def.local_anchor_b);
        base.localFrameA.q = rotation(angle_a);
        base.localFrameB.q = rotation(angle_b);
        base.constraintHertz = $def.constraint_hertz;
        base.constraintDampingRatio = $def.constraint_damping_ratio;
        base.collideConnected = $def.collide_connected;
    };
}

/// Creates a joint of the kinds that the scenes have.
///
/// # Safety
///
/// The world and both bodies must exist.
pub(crate) unsafe fn create(world: b2WorldId, bodies: [b2BodyId; 2], def: &JointDef) {
    // SAFETY: the caller's contract; each definition starts from the default.
    unsafe {
        match def {
            JointDef::Revolute(def) => revolute(world, bodies, def),
            JointDef::Distance(def) => distance(world, bodies, def),
            JointDef::Prismatic(def) => prismatic(world, bodies, def),
            JointDef::Weld(def) => weld(world, bodies, def),
            JointDef::Wheel(def) => wheel(world, bodies, def),
            JointDef::Motor(def) => motor(world, bodies, def),
            other => unreachable!("no scene has {other:?}"),
        }
    }
}

unsafe fn revolute(world: b2WorldId, bodies: [b2BodyId; 2], def: &RevoluteDef) {
    // SAFETY: as `create`.
    unsafe {
        let mut theirs = b2DefaultRevoluteJointDef();
        // Box2D turns frame A by the angle that counts as zero.
        set_base!(theirs, def, bodies, [def.local_angle_a - def.local_angle_b, 0.0]);
        theirs.targetAngle = def.target_angle;
        theirs.enableSpring = def.enable_spring;
        theirs.hertz = def.spring_hertz;
        theirs.dampingRatio = def.spring_damping_ratio;
        theirs.enableLimit = def.enable_limit;
        theirs.lowerAngle = def.lower_angle;
        theirs.upperAngle = def.upper_angle;
        theirs.enableMotor = def.enable_motor;
        theirs.motorSpeed = def.motor_speed;
        theirs.maxMotorTorque = def.max_motor_torque;
        b2CreateRevoluteJoint(world, &theirs);
    }
}

unsafe fn distance(world: b2WorldId, bodies: [b2BodyId; 2], def: &DistanceDef) {
    // SAFETY: as `create`.
    unsafe {
        let mut theirs = b2DefaultDistanceJointDef();
        set_base!(theirs, def, bodies, [def.local_angle_a, def.local_angle_b]);
        theirs.length = def.length;
        // Box2D holds the length rigidly unless there is a spring, be it one of 0 Hz.
        theirs.enableSpring = def.enable_spring || def.enable_limit || def.enable_motor;
        theirs.hertz = if def.enable_spring { def.spring_hertz } else { 0.0 };
        theirs.dampingRatio = def.spring_damping_ratio;
        theirs.enableLimit = def.enable_limit;
        theirs.minLength = def.min_length;
        theirs.maxLength = def.max_length;
        theirs.enableMotor = def.enable_motor;
        theirs.motorSpeed = def.motor_speed;
        theirs.maxMotorForce = def.max_motor_force;
        b2CreateDistanceJoint(world, &theirs);
    }
}

unsafe fn prismatic(world: b2WorldId, bodies: [b2BodyId; 2], def: &PrismaticDef) {
    // SAFETY: as `create`.
    unsafe {
        let mut theirs = b2DefaultPrismaticJointDef();
        set_base!(theirs, def, bodies, [def.local_angle_a, def.local_angle_b]);
        theirs.enableSpring = def.enable_spring;
        theirs.hertz = def.spring_hertz;
        theirs.dampingRatio = def.spring_damping_ratio;
        theirs.targetTranslation = def.target_translation;
        theirs.enableLimit = def.enable_limit;
        theirs.lowerTranslation = def.lower_translation;
        theirs.upperTranslation = def.upper_translation;
        theirs.enableMotor = def.enable_motor;
        theirs.motorSpeed = def.motor_speed;
        theirs.maxMotorForce = def.max_motor_force;
        b2CreatePrismaticJoint(world, &theirs);
    }
}

unsafe fn weld(world: b2WorldId, bodies: [b2BodyId; 2], def: &WeldDef) {
    // SAFETY: as `create`.
    unsafe {
        let mut theirs = b2DefaultWeldJointDef();
        set_base!(theirs, def, bodies, [def.local_angle_a, def.local_angle_b]);
        theirs.linearHertz = def.linear_hertz;
        theirs.linearDampingRatio = def.linear_damping_ratio;
        theirs.angularHertz = def.angular_hertz;
        theirs.angularDampingRatio = def.angular_damping_ratio;
        b2CreateWeldJoint(world, &theirs);
    }
}

unsafe fn wheel(world: b2WorldId, bodies: [b2BodyId; 2], def: &WheelDef) {
    // SAFETY: as `create`.
    unsafe {
        let mut theirs = b2DefaultWheelJointDef();
        set_base!(theirs, def, bodies, [def.local_angle_a, def.local_angle_b]);
        theirs.enableSpring = def.enable_spring;
        theirs.hertz = def.spring_hertz;
        theirs.dampingRatio = def.spring_damping_ratio;
        theirs.enableLimit = def.enable_limit;
        theirs.lowerTranslation = def.lower_translation;
        theirs.upperTranslation = def.upper_translation;
        theirs.enableMotor = def.enable_motor;
        theirs.motorSpeed = def.motor_speed;
        theirs.maxMotorTorque = def.max_motor_torque;
        b2CreateWheelJoint(world, &theirs);
    }
}

unsafe fn motor(world: b2WorldId, bodies: [b2BodyId; 2], def: &MotorDef) {
    // SAFETY: as `create`.
    unsafe {
        let mut theirs = b2DefaultMotorJointDef();
        set_base!(theirs, def, bodies, [def.local_angle_a, def.local_angle_b]);
        theirs.linearVelocity = vector(def.linear_velocity);
        theirs.maxVelocityForce = def.max_velocity_force;
        theirs.angularVelocity = def.angular_velocity;
        theirs.maxVelocityTorque = def.max_velocity_torque;
        theirs.linearHertz = def.linear_hertz;
        theirs.linearDampingRatio = def.linear_damping_ratio;
        theirs.maxSpringForce = def.max_spring_force;
        theirs.angularHertz = def.angular_hertz;
        theirs.angularDampingRatio = def.angular_damping_ratio;
        theirs.maxSpringTorque = def.max_spring_torque;
        b2CreateMotorJoint(world, &theirs);
    }
}
