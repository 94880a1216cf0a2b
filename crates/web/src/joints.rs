//! Exports for joints of all kinds: creation, definition, state, changes and destruction.
#![allow(unsafe_code)]

use tombolo_physics::{
    BodyId, DistanceDef, FilterDef, GearDef, GenericDef, JointDef, JointId, JointKind, JointLimit,
    JointMotor, JointSpring, MotorDef, MoverDef, PogoDef, PrismaticDef, PulleyDef, RackDef, RevoluteDef,
    Vec2, WeldDef, WheelDef,
};

use crate::bodies::body_id;
use crate::exchange::{Failure, Fields};
#[cfg(feature = "scenes")]
use crate::worlds::Keyed;
use crate::worlds::{look_at_physics, with_physics, with_world};

/// Goes through the fields of the definition of a joint with two frames.
macro_rules! go_through {
    ($def:ident, $fields:ident; $($flag:ident)*; $($number:ident)*; $($vector:ident)*) => {{
        $fields.vector(&mut $def.local_anchor_a);
        $fields.vector(&mut $def.local_anchor_b);
        $fields.number(&mut $def.local_angle_a);
        $fields.number(&mut $def.local_angle_b);
        $fields.number(&mut $def.constraint_hertz);
        $fields.number(&mut $def.constraint_damping_ratio);
        $fields.number(&mut $def.force_threshold);
        $fields.number(&mut $def.torque_threshold);
        $fields.flag(&mut $def.breaks);
        $fields.flag(&mut $def.collide_connected);
        $( $fields.flag(&mut $def.$flag); )*
        $( $fields.number(&mut $def.$number); )*
        $( $fields.vector(&mut $def.$vector); )*
    }};
}

/// Goes through the fields of a definition: those that all kinds have, then those of its kind, as `joints.js` names
/// them.
fn go_through(def: &mut JointDef, fields: &mut dyn Fields) -> Result<(), Failure> {
    match def {
        JointDef::Revolute(def) => go_through!(def, fields;
            enable_limit enable_spring enable_motor count_turns;
            lower_angle upper_angle target_angle spring_hertz spring_damping_ratio motor_speed max_motor_torque;
        ),
        JointDef::Distance(def) => go_through!(def, fields;
            enable_spring enable_limit enable_motor;
            length spring_hertz spring_damping_ratio lower_spring_force upper_spring_force min_length max_length
            motor_speed max_motor_force;
        ),
        JointDef::Prismatic(def) => go_through!(def, fields;
            enable_limit enable_spring enable_motor;
            lower_translation upper_translation target_translation spring_hertz spring_damping_ratio motor_speed
            max_motor_force;
        ),
        JointDef::Weld(def) => go_through!(def, fields;;
            linear_hertz linear_damping_ratio angular_hertz angular_damping_ratio;
        ),
        JointDef::Wheel(def) => go_through!(def, fields;
            enable_spring enable_limit enable_motor;
            spring_hertz spring_damping_ratio target_translation lower_translation upper_translation motor_speed
            max_motor_torque;
        ),
        JointDef::Motor(def) => go_through!(def, fields;;
            max_velocity_force angular_velocity max_velocity_torque linear_hertz linear_damping_ratio
            max_spring_force angular_hertz angular_damping_ratio max_spring_torque;
            linear_velocity
        ),
        JointDef::Filter(_) => {}
        JointDef::Generic(def) => go_through!(def, fields;
            lock_x enable_limit_x enable_spring_x enable_motor_x lock_y enable_limit_y enable_spring_y
            enable_motor_y lock_angle enable_limit_angle enable_spring_angle enable_motor_angle count_turns;
            lower_x upper_x target_x spring_hertz_x spring_damping_ratio_x motor_speed_x max_motor_force_x
            lower_y upper_y target_y spring_hertz_y spring_damping_ratio_y motor_speed_y max_motor_force_y
            lower_angle upper_angle target_angle spring_hertz_angle spring_damping_ratio_angle motor_speed_angle
            max_motor_torque;
        ),
        JointDef::Gear(def) => go_through!(def, fields;; ratio;),
        JointDef::Rack(def) => go_through!(def, fields;; radius;),
        JointDef::Pulley(def) => go_through!(def, fields;
            slack; ratio length_a length_b; ground_anchor_a ground_anchor_b
        ),
        JointDef::Mover(def) => go_through!(def, fields;;; linear_velocity max_force),
        JointDef::Pogo(def) => go_through!(def, fields;
            enable_spring; length spring_hertz spring_damping_ratio lower_spring_force upper_spring_force;
        ),
        _ => return Err("a joint is of a kind that this package does not know".into()),
    }
    Ok(())
}

/// A joint of a kind with all options at their defaults.
fn default_def(kind: u32, a: BodyId, b: BodyId) -> Result<JointDef, Failure> {
    let kind = JointKind::ALL.get(kind as usize).copied();
    let zero = Vec2::ZERO;
    Ok(match kind.ok_or("there is no such kind of joints")? {
        JointKind::Revolute => RevoluteDef::new(a, zero, b, zero).into(),
        JointKind::Distance => DistanceDef::new(a, zero, b, zero).into(),
        JointKind::Prismatic => PrismaticDef::new(a, zero, b, zero).into(),
        JointKind::Weld => WeldDef::new(a, zero, b, zero).into(),
        JointKind::Wheel => WheelDef::new(a, zero, b, zero).into(),
        JointKind::Motor => MotorDef::new(a, zero, b, zero).into(),
        JointKind::Filter => FilterDef::new(a, b).into(),
        JointKind::Generic => GenericDef::new(a, zero, b, zero).into(),
        JointKind::Gear => GearDef::new(a, zero, b, zero).into(),
        JointKind::Rack => RackDef::new(a, zero, b, zero).into(),
        JointKind::Pulley => PulleyDef::new(a, zero, b, zero).into(),
        JointKind::Mover => MoverDef::new(a, zero, b, zero).into(),
        JointKind::Pogo => PogoDef::new(a, zero, b, zero).into(),
        _ => return Err("a joint is of a kind that this package does not know".into()),
    })
}

/// Sets the user key of a definition.
fn set_user_key(def: &mut JointDef, key: u64) {
    match def {
        JointDef::Revolute(def) => def.user_key = key,
        JointDef::Distance(def) => def.user_key = key,
        JointDef::Prismatic(def) => def.user_key = key,
        JointDef::Weld(def) => def.user_key = key,
        JointDef::Wheel(def) => def.user_key = key,
        JointDef::Motor(def) => def.user_key = key,
        JointDef::Filter(def) => def.user_key = key,
        JointDef::Generic(def) => def.user_key = key,
        JointDef::Gear(def) => def.user_key = key,
        JointDef::Rack(def) => def.user_key = key,
        JointDef::Pulley(def) => def.user_key = key,
        JointDef::Mover(def) => def.user_key = key,
        JointDef::Pogo(def) => def.user_key = key,
        _ => {}
    }
}

fn joint_id(bits: u64) -> Result<JointId, Failure> {
    Ok(JointId::from_bits(bits).ok_or("this is no id of a joint")?)
}

/// Creates a joint of a kind, by its number in the engine. Words: the two bodies, the user key. Row: the fields of
/// [`go_through`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_create(world: u32, kind: u32, numbers: usize) -> i32 {
    with_physics(world, |world, input, output| {
        let [a, b, user_key] = input.words()?;
        let mut def = default_def(kind, body_id(a)?, body_id(b)?)?;
        set_user_key(&mut def, user_key);
        go_through(&mut def, &mut input.row(3, numbers)?)?;
        output.ids.push(world.create_joint(def)?.to_bits());
        Ok(1)
    })
}

/// The definition of a joint with its present options; returns the number of its kind plus one, or 0 if there is no
/// such joint. Ids: the bodies, the user key. Numbers: the fields of [`go_through`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_def(world: u32, joint: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(joint) = JointId::from_bits(joint).and_then(|id| world.joint(id)) else {
            return Ok(0);
        };
        let mut def = joint.def();
        let [a, b] = def.bodies();
        output.ids.extend([a.to_bits(), b.to_bits(), def.user_key()]);
        go_through(&mut def, output)?;
        Ok(def.kind() as usize + 1)
    })
}

/// Changes the options of a joint that are given. Words: the user key. Row: the fields of [`go_through`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_set(world: u32, joint: u64, numbers: usize) -> i32 {
    with_world(world, |world, input, _| {
        let ([user_key], joint) = (input.words()?, joint_id(joint)?);
        #[cfg(feature = "scenes")]
        Keyed::Joint(joint).keep_key(world, user_key)?;
        let mut joint = world.physics_mut().joint_mut(joint)?;
        let mut def = joint.view().def();
        set_user_key(&mut def, user_key);
        go_through(&mut def, &mut input.row(1, numbers)?)?;
        joint.set_def(def)?;
        Ok(0)
    })
}

/// Destroys a joint.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_destroy(world: u32, joint: u64) -> i32 {
    with_physics(world, |world, _, _| {
        world.destroy_joint(joint_id(joint)?)?;
        Ok(0)
    })
}

/// The state of a joint; returns the number of its kind plus one, or 0 if there is no such joint. Ids: the bodies, the
/// user key. Numbers: angle, impulse, impulse of the motor, both anchors, translation, force and torque on the second
/// body, errors of position and of the angle.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_state(world: u32, joint: u64) -> i32 {
    look_at_physics(world, |world, _, output| {
        let Some(joint) = JointId::from_bits(joint).and_then(|id| world.joint(id)) else {
            return Ok(0);
        };
        let ([a, b], [anchor_a, anchor_b]) = (joint.bodies(), joint.anchors());
        output
            .ids
            .extend([a.id().to_bits(), b.id().to_bits(), joint.user_key()]);
        let pairs = [
            joint.linear_impulse(),
            anchor_a.to_vec2(),
            anchor_b.to_vec2(),
            joint.translation(),
            joint.force(),
        ];
        output
            .numbers
            .extend(pairs.iter().flat_map(|pair| pair.to_array()));
        output.numbers.extend([
            joint.angle(),
            joint.motor_impulse(),
            joint.torque(),
            joint.linear_error(),
            joint.angular_error(),
        ]);
        Ok(joint.kind() as usize + 1)
    })
}

/// Switches a part of a joint that has one of it: 0 the limit, 1 the motor, 2 the spring. Row: whether it is on; its
/// two or three numbers, which are ignored if it is not.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn joint_switch(world: u32, joint: u64, part: u32) -> i32 {
    with_physics(world, |world, input, _| {
        let mut row = input.row(0, 4)?;
        let mut joint = world.joint_mut(joint_id(joint)?)?;
        let is_on = row.next() != 0.0;
        let (first, second, third) = (row.next(), row.next(), row.next());
        match part {
            0 => {
                let (lower, upper) = (first, second);
                joint.set_limit(is_on.then_some(JointLimit { lower, upper }))?;
            }
            1 => {
                let (speed, max) = (first, second);
                joint.set_motor(is_on.then_some(JointMotor { speed, max }))?;
            }
            _ => {
                let (target, hertz, damping_ratio) = (first, second, third);
                let spring = JointSpring {
                    target,
                    hertz,
                    damping_ratio,
                };
                joint.set_spring(is_on.then_some(spring))?;
            }
        }
        Ok(0)
    })
}
