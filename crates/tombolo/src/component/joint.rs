//! The component Joint: joins two bodies.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Value, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::{
    DAMPING_RATIO_MAX, HERTZ_MAX, HERTZ_MIN, LIMIT_ANGLE_MAX_RAD, POSITION_MAX_M, SPIN_MAX_RAD_S,
};
use tombolo_physics::{JointId, JointMut, JointRef, PhysicsError};

use super::register::{Entries, InScene, Registered, SceneForm, ToJoint, Wakes, between, either_way, up_to};

/// A revolute joint between the bodies of two entities. The other ends follow from where the bodies are when it is made: then its
/// angle is zero.
///
/// It is in force while both entities have bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
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
    /// The point that both share, in the entity's own frame, meters.
    pub pivot: Vec2,
    /// Whether the angle is limited.
    pub limit: bool,
    /// The smallest angle, radians.
    pub lower: f32,
    /// The largest angle, radians.
    pub upper: f32,
    /// Whether a spring pulls.
    pub spring: bool,
    /// Oscillations per second.
    pub hertz: f32,
    /// 1 is critical.
    pub damping_ratio: f32,
    /// Where the spring pulls to, radians.
    pub target_angle: f32,
    /// Whether a motor turns.
    pub motor: bool,
    /// Radians per second.
    pub motor_speed: f32,
    /// Newton meters.
    pub max_torque: f32,
    /// How stiff the shared point is, oscillations per second.
    pub stiffness: f32,
    /// Damping of the shared point.
    pub stiffness_damping: f32,
    /// Whether the two bodies touch each other.
    pub collide_connected: bool,
    /// What physics made.
    pub(crate) id: Option<JointId>,
}

impl Default for Joint {
    fn default() -> Self {
        Self {
            from: None,
            to: None,
            from_name: Box::default(),
            to_name: Box::default(),
            to_parent: false,
            pivot: Vec2::ZERO,
            limit: false,
            lower: 0.0,
            upper: 0.0,
            spring: false,
            hertz: 0.0,
            damping_ratio: 0.0,
            target_angle: 0.0,
            motor: false,
            motor_speed: 0.0,
            max_torque: 0.0,
            stiffness: 60.0,
            stiffness_damping: 2.0,
            collide_connected: false,
            id: None,
        }
    }
}

impl Joint {
    /// Refuses what is wrong with the joint as a whole, and says where in a scene that stands.
    pub(crate) fn check(&self) -> Result<(), (&'static str, String)> {
        if self.lower <= self.upper {
            return Ok(());
        }
        let message = format!("{} is below the lower limit {}", self.upper, self.lower);
        Err((UPPER, message))
    }

    /// The joint in physics; none while an end is missing.
    pub fn id(&self) -> Option<JointId> {
        self.id
    }
}

/// The words of joints in a scene: how they let their bodies move.
pub(crate) const JOINT_KINDS: &[&str] = &["Revolute"];

/// The larger limit's path in [`SceneForm::JointKind`].
const UPPER: &str = "limit.upper";

fn limit(made: &mut JointMut<'_>, joint: &Joint) -> Result<(), PhysicsError> {
    made.set_limit(joint.limit, joint.lower, joint.upper)
}

fn spring(made: &mut JointMut<'_>, joint: &Joint) -> Result<(), PhysicsError> {
    made.set_spring(joint.spring, joint.target_angle, joint.hertz, joint.damping_ratio)
}

fn motor(made: &mut JointMut<'_>, joint: &Joint) -> Result<(), PhysicsError> {
    made.set_motor(joint.motor, joint.motor_speed, joint.max_torque)
}

fn stiffness(made: &mut JointMut<'_>, joint: &Joint) -> Result<(), PhysicsError> {
    made.set_stiffness(joint.stiffness, joint.stiffness_damping)
}

impl Registered for Joint {
    type Apply = ToJoint;
    type Live = fn(JointRef<'_>) -> Value;

    fn entries() -> Entries<Self> {
        let from = InScene::Within(SceneForm::From, "Entity(name)");
        let to = InScene::Within(SceneForm::To, "Entity(name), Previous");
        let parent = InScene::Within(SceneForm::To, "Parent");
        let kind = |path| InScene::Within(SceneForm::JointKind, path);
        let entries = fields!(Entries::new(), ToJoint::Anew(|_| ()), Wakes::Yes;
            from, at InScene::Never => "One end; none for the entity's own body or what `from_name` says.",
            to, at InScene::Never => "The other end; none for what `to_name` says.",
        );
        // A new name is looked up; it replaces the entity that the old one led to.
        let entries = fields!(entries, ToJoint::Anew(|joint| joint.from = None), Wakes::Yes;
            from_name, at from => "The name of one end, looked up when the joint is made.",
        );
        let entries = fields!(entries, ToJoint::Anew(|joint| joint.to = None), Wakes::Yes;
            to_name, at to => "The name of the other end, looked up when the joint is made.",
        );
        let entries = fields!(entries, ToJoint::Anew(|_| ()), Wakes::Yes;
            to_parent, at parent => "Whether the other end is the entity's parent, if nothing else is given.",
            pivot ["m"] in either_way(POSITION_MAX_M) => "The shared point in the entity's frame.",
        );
        let entries = fields!(entries, ToJoint::AtOnce(limit), Wakes::Yes;
            limit, at kind("limit") => "Whether the angle is limited.",
            lower ["rad"] in either_way(LIMIT_ANGLE_MAX_RAD), at kind("limit.lower") => "The smallest angle.",
            upper ["rad"] in either_way(LIMIT_ANGLE_MAX_RAD), at kind(UPPER) => "The largest angle.",
        );
        let entries = fields!(entries, ToJoint::AtOnce(spring), Wakes::Yes;
            spring, at kind("spring") => "Whether a spring pulls.",
            hertz ["1/s"], zero or between(HERTZ_MIN, HERTZ_MAX), at kind("spring.hertz") => "How stiff the spring is.",
            damping_ratio in up_to(DAMPING_RATIO_MAX), at kind("spring.damping_ratio")
                => "How the spring is damped; 1 is critical.",
            target_angle ["rad"], at kind("spring.target_angle") => "Where the spring pulls to.",
        );
        let entries = fields!(entries, ToJoint::AtOnce(motor), Wakes::Yes;
            motor, at kind("motor") => "Whether a motor turns.",
            motor_speed ["rad/s"] in either_way(SPIN_MAX_RAD_S), at kind("motor.speed")
                => "What the motor aims for.",
            max_torque ["N m"] in up_to(f32::MAX), at kind("motor.max_torque") => "What the motor has at most.",
        );
        let entries = fields!(entries, ToJoint::AtOnce(stiffness), Wakes::Yes;
            stiffness ["1/s"], zero or between(HERTZ_MIN, HERTZ_MAX), at kind("stiffness") => "How stiff the shared point is.",
            stiffness_damping in up_to(DAMPING_RATIO_MAX), at kind("stiffness_damping")
                => "How the shared point is damped.",
        );
        let entries = fields!(entries, ToJoint::Anew(|_| ()), Wakes::Yes;
            collide_connected, at kind("collide_connected") => "Whether the two bodies touch each other.",
        );
        entries
            .derived("joint_angle", |_: &Self| 0.0_f32)
            .live(|joint| Value::F32(joint.angle()))
            .unit("rad")
            .doc("How far it has turned since it was made.")
    }
}

impl Component for Joint {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.id.map_or(0, JointId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.id = JointId::from_bits(from.u64("a joint's id")?);
        Ok(())
    }
}
