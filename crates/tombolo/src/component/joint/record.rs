//! What a Joint component holds.

use alloc::boxed::Box;

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_physics::constants::FORCE_MAX_N;
use tombolo_physics::{JointId, JointKind};

use super::kinds::{ALWAYS_APART, HAS_AXIS};

/// A joint between the bodies of two entities. Where its frames lie in them follows from where they are when it is made,
/// but for what is said of `to`; its angle is zero then.
///
/// It is in force while both entities have bodies. Which of the options matter depends on its kind.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// How it lets the two bodies move.
    pub kind: JointKind,
    /// One end; none for the entity's own body, or for what `from_name` says.
    pub from: Option<Entity>,
    /// The other end; none for what `to_name` says.
    pub to: Option<Entity>,
    /// The name of the entity at one end, looked up when the joint is made, if `from` is none; empty for none.
    pub from_name: Box<str>,
    /// The name of the entity at the other end, looked up when the joint is made, if `to` is none; empty for none.
    pub to_name: Box<str>,
    /// Whether the other end is the entity's parent, if `to` is none and no name is given.
    pub to_parent: bool,
    /// The point that `from` is held at, in the entity's own frame, meters; `to` is held at the same point unless the two
    /// are apart.
    pub pivot: Vec2,
    /// Whether the point of `to` is `to_pivot`.
    pub apart: bool,
    /// The point that `to` is held at, in its body's frame, meters, if the two are apart.
    pub to_pivot: Vec2,
    /// How the joint's frame is turned in `to`, radians, if the two are apart.
    pub to_angle: f32,
    /// The direction in which `from` slides, or its suspension moves, in the entity's own frame.
    pub axis: Vec2,
    /// Whether whole turns count, so that limits and the spring's target may lie many turns apart.
    pub count_turns: bool,
    /// How many whole turns it has made as it is put in, where they count; 0 for what limits and the bodies say.
    pub turns: i32,
    /// Whether the angle of a generic joint is locked.
    pub lock_angle: bool,
    /// What a generic joint does along its axis.
    pub x: JointAxis,
    /// What a generic joint does across its axis.
    pub y: JointAxis,
    /// How often `to` turns or moves while `from` does so once: teeth of `from` for each of `to`, parts of rope.
    pub ratio: f32,
    /// Meters that a rack slides for each radian of its pinion.
    pub radius: f32,
    /// The point of the world over which the rope of `from` leads, meters.
    pub from_wheel: Vec2,
    /// The point of the world over which the rope of `to` leads, meters.
    pub to_wheel: Vec2,
    /// Meters of rope from `from` to its wheel.
    pub from_length: f32,
    /// Meters of rope from `to` to its wheel.
    pub to_length: f32,
    /// Whether the rope may hang slack.
    pub slack: bool,
    /// Meters between the two points, at rest.
    pub length: f32,
    /// Whether angle, length or translation is limited.
    pub limit: bool,
    /// The smallest, radians or meters.
    pub lower: f32,
    /// The largest, radians or meters.
    pub upper: f32,
    /// Whether a spring pulls.
    pub spring: bool,
    /// Oscillations per second.
    pub hertz: f32,
    /// 1 is critical.
    pub damping_ratio: f32,
    /// Where the spring pulls to, radians.
    pub target_angle: f32,
    /// Where the spring pulls to, meters along the axis.
    pub target_translation: f32,
    /// The spring's least force, newtons.
    pub lower_spring_force: f32,
    /// The spring's greatest force, newtons.
    pub upper_spring_force: f32,
    /// What the spring has at most either way, newtons.
    pub max_spring_force: f32,
    /// Whether the angle is sprung too.
    pub angular_spring: bool,
    /// Oscillations per second.
    pub angular_hertz: f32,
    /// 1 is critical.
    pub angular_damping_ratio: f32,
    /// What the angle's spring has at most, newton meters.
    pub max_spring_torque: f32,
    /// Whether a motor turns or pushes.
    pub motor: bool,
    /// Radians or meters per second.
    pub motor_speed: f32,
    /// Meters per second along the axes of the world, of `from` seen from `to`.
    pub velocity: Vec2,
    /// Radians per second, of `from` seen from `to`.
    pub angular_velocity: f32,
    /// Newton meters.
    pub max_torque: f32,
    /// Newtons.
    pub max_force: f32,
    /// Newtons along x and along y of the world.
    pub max_forces: Vec2,
    /// How stiff what is held is, oscillations per second.
    pub stiffness: f32,
    /// Damping of what is held.
    pub stiffness_damping: f32,
    /// Newtons above which the joint is reported; 0 for never.
    pub force_threshold: f32,
    /// Newton meters above which the joint is reported; 0 for never.
    pub torque_threshold: f32,
    /// Whether it breaks then.
    pub breaks: bool,
    /// Whether the two bodies touch each other.
    pub collide_connected: bool,
    /// Whether it has broken. Then it holds nothing.
    pub broken: bool,
    /// What physics made.
    pub(crate) id: Option<JointId>,
}

/// What a generic joint does along one of its two directions.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JointAxis {
    /// Whether it is locked at 0.
    pub lock: bool,
    /// Whether the translation is limited.
    pub limit: bool,
    /// The smallest, meters.
    pub lower: f32,
    /// The largest, meters.
    pub upper: f32,
    /// Whether a spring pulls.
    pub spring: bool,
    /// Oscillations per second.
    pub hertz: f32,
    /// 1 is critical.
    pub damping_ratio: f32,
    /// Where the spring pulls to, meters.
    pub target: f32,
    /// Whether a motor pushes.
    pub motor: bool,
    /// Meters per second.
    pub speed: f32,
    /// Newtons.
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
    /// Whether the direction of an axis matters.
    pub(crate) fn has_axis(&self) -> bool {
        HAS_AXIS.contains(self.kind)
    }

    /// Whether `to` is held at a point of its own.
    pub(crate) fn is_apart(&self) -> bool {
        self.apart || ALWAYS_APART.contains(self.kind)
    }

    /// The joint in physics; none while an end is missing.
    pub fn id(&self) -> Option<JointId> {
        self.id
    }
}
