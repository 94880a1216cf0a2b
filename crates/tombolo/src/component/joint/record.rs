//! The fields of the component [`Joint`], as games, scenes and saves write them.

use alloc::boxed::Box;

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_physics::constants::FORCE_MAX_N;
use tombolo_physics::{JointId, JointKind};

use super::kinds::{ALWAYS_APART, HAS_AXIS};

/// A joint between the bodies of two entities. Its frames follow from the bodies' poses when the joint is created, at
/// which its angle is zero, unless a frame of `to` is given.
///
/// The joint is in force while both entities have bodies. Its kind decides which of the options apply.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// The kind of joint, which decides the motion that the two bodies keep.
    pub kind: JointKind,
    /// The entity at one end; `None` for the entity's own body, or for `from_name`.
    pub from: Option<Entity>,
    /// The entity at the other end; `None` for `to_name`.
    pub to: Option<Entity>,
    /// The name of the entity at one end, looked up when the joint is created, if `from` is `None`; empty for none.
    pub from_name: Box<str>,
    /// The name of the entity at the other end, looked up when the joint is created, if `to` is `None`; empty for
    /// none.
    pub to_name: Box<str>,
    /// Whether the other end is the entity's parent, if `to` is `None` and no name is given.
    pub to_parent: bool,
    /// The anchor on `from` in the entity's own frame, in meters; `to` is held at the same point unless `apart` is
    /// set.
    pub pivot: Vec2,
    /// Whether the anchor on `to` is `to_pivot`.
    pub apart: bool,
    /// The anchor on `to` in its body's frame, in meters, if `apart` is set.
    pub to_pivot: Vec2,
    /// The angle of the joint's frame in `to`, in radians, if `apart` is set.
    pub to_angle: f32,
    /// The direction in which `from` slides or its suspension moves, in the entity's own frame.
    pub axis: Vec2,
    /// Whether whole turns count, so that limits and the spring's target may be many turns apart.
    pub count_turns: bool,
    /// The number of whole turns when the joint is created, if they count; 0 to take it from the limits and the
    /// bodies.
    pub turns: i32,
    /// Whether the angle of a generic joint is locked.
    pub lock_angle: bool,
    /// The options of a generic joint along its axis.
    pub x: JointAxis,
    /// The options of a generic joint across its axis.
    pub y: JointAxis,
    /// The turns or meters of `to` for one of `from`: for gears the teeth of `from` for each of `to`, for pulleys the
    /// parts of rope.
    pub ratio: f32,
    /// The translation of a rack in meters per radian of its pinion.
    pub radius: f32,
    /// The point of the world over which the rope of `from` runs, in meters.
    pub from_wheel: Vec2,
    /// The point of the world over which the rope of `to` runs, in meters.
    pub to_wheel: Vec2,
    /// The length of rope from `from` to its wheel, in meters.
    pub from_length: f32,
    /// The length of rope from `to` to its wheel, in meters.
    pub to_length: f32,
    /// Whether the rope may go slack.
    pub slack: bool,
    /// The rest length between the two points, in meters.
    pub length: f32,
    /// Whether the angle, length or translation is limited.
    pub limit: bool,
    /// The lower limit, in radians or meters.
    pub lower: f32,
    /// The upper limit, in radians or meters.
    pub upper: f32,
    /// Whether the spring is on.
    pub spring: bool,
    /// The frequency of the spring in hertz.
    pub hertz: f32,
    /// The damping ratio of the spring; 1 is critical.
    pub damping_ratio: f32,
    /// The target angle of the spring, in radians.
    pub target_angle: f32,
    /// The target translation of the spring along the axis, in meters.
    pub target_translation: f32,
    /// The lower bound of the spring's force, in newtons.
    pub lower_spring_force: f32,
    /// The upper bound of the spring's force, in newtons.
    pub upper_spring_force: f32,
    /// The greatest force of the spring in either direction, in newtons.
    pub max_spring_force: f32,
    /// Whether the angle has a spring too.
    pub angular_spring: bool,
    /// The frequency of the angle's spring in hertz.
    pub angular_hertz: f32,
    /// The damping ratio of the angle's spring; 1 is critical.
    pub angular_damping_ratio: f32,
    /// The greatest torque of the angle's spring, in newton meters.
    pub max_spring_torque: f32,
    /// Whether the motor is on.
    pub motor: bool,
    /// The target speed of the motor, in radians or meters per second.
    pub motor_speed: f32,
    /// The target velocity of `from` relative to `to`, along the axes of the world, in meters per second.
    pub velocity: Vec2,
    /// The target angular velocity of `from` relative to `to`, in radians per second.
    pub angular_velocity: f32,
    /// The greatest torque, in newton meters.
    pub max_torque: f32,
    /// The greatest force, in newtons.
    pub max_force: f32,
    /// The greatest forces along x and y of the world, in newtons.
    pub max_forces: Vec2,
    /// The stiffness of the joint's rigid parts: oscillations per second.
    pub stiffness: f32,
    /// The damping ratio of the joint's rigid parts.
    pub stiffness_damping: f32,
    /// The force in newtons above which the joint is reported; 0 for never.
    pub force_threshold: f32,
    /// The torque in newton meters above which the joint is reported; 0 for never.
    pub torque_threshold: f32,
    /// Whether the joint breaks above a threshold.
    pub breaks: bool,
    /// Whether the two bodies collide with each other.
    pub collide_connected: bool,
    /// Whether the joint has broken. A broken joint has no constraint.
    pub broken: bool,
    /// The joint in physics.
    pub(crate) id: Option<JointId>,
}

/// The options of a generic joint along one of its two directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointAxis {
    /// Whether the translation is locked at 0.
    pub lock: bool,
    /// Whether the translation is limited.
    pub limit: bool,
    /// The lower limit, in meters.
    pub lower: f32,
    /// The upper limit, in meters.
    pub upper: f32,
    /// Whether the spring is on.
    pub spring: bool,
    /// The frequency of the spring in hertz.
    pub hertz: f32,
    /// The damping ratio of the spring; 1 is critical.
    pub damping_ratio: f32,
    /// The target translation of the spring, in meters.
    pub target: f32,
    /// Whether the motor is on.
    pub motor: bool,
    /// The target speed of the motor, in meters per second.
    pub speed: f32,
    /// The greatest force of the motor, in newtons.
    pub max_force: f32,
}

impl Default for Joint {
    fn default() -> Self {
        Self {
            kind: JointKind::Revolute,
            from: None,
            to: None,
            from_name: Box::default(),
            to_name: Box::default(),
            to_parent: false,
            pivot: Vec2::ZERO,
            apart: false,
            to_pivot: Vec2::ZERO,
            to_angle: 0.0,
            axis: Vec2::X,
            count_turns: false,
            turns: 0,
            lock_angle: false,
            x: JointAxis::default(),
            y: JointAxis::default(),
            ratio: 1.0,
            radius: 1.0,
            from_wheel: Vec2::ZERO,
            to_wheel: Vec2::ZERO,
            from_length: 1.0,
            to_length: 1.0,
            slack: true,
            length: 1.0,
            limit: false,
            lower: 0.0,
            upper: 0.0,
            spring: false,
            hertz: 0.0,
            damping_ratio: 0.0,
            target_angle: 0.0,
            target_translation: 0.0,
            lower_spring_force: -FORCE_MAX_N,
            upper_spring_force: FORCE_MAX_N,
            max_spring_force: 0.0,
            angular_spring: false,
            angular_hertz: 0.0,
            angular_damping_ratio: 0.0,
            max_spring_torque: 0.0,
            motor: false,
            motor_speed: 0.0,
            velocity: Vec2::ZERO,
            angular_velocity: 0.0,
            max_torque: 0.0,
            max_force: 0.0,
            max_forces: Vec2::ZERO,
            stiffness: 60.0,
            stiffness_damping: 2.0,
            force_threshold: 0.0,
            torque_threshold: 0.0,
            breaks: false,
            collide_connected: false,
            broken: false,
            id: None,
        }
    }
}

impl Joint {
    /// Whether the joint's kind uses the direction of an axis.
    pub(crate) fn has_axis(&self) -> bool {
        HAS_AXIS.contains(self.kind)
    }

    /// Whether `to` has an anchor of its own.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart || ALWAYS_APART.contains(self.kind)
    }

    /// The joint in physics; none while an end is missing.
    pub fn id(&self) -> Option<JointId> {
        self.id
    }
}
