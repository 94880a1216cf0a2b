//! The component Joint: joins two bodies.

use alloc::boxed::Box;
use alloc::vec::Vec;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Value, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::JointId;
use tombolo_physics::constants::{
    DAMPING_RATIO_MAX, HERTZ_MAX, LIMIT_ANGLE_MAX_RAD, POSITION_MAX_M, SPIN_MAX_RAD_S,
};

/// A revolute joint between the bodies of two entities. The other ends follow from where the bodies are when it is
/// made: then its angle is zero.
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
    /// The joint in physics; none while an end is missing.
    pub fn id(&self) -> Option<JointId> {
        self.id
    }

    /// What it says as values of its properties.
    pub(crate) fn values(&self) -> Vec<(&'static str, Value)> {
        Vec::from([
            ("from", Value::Entity(self.from)),
            ("to", Value::Entity(self.to)),
            ("from_name", Value::String(self.from_name.clone())),
            ("to_name", Value::String(self.to_name.clone())),
            ("to_parent", Value::Bool(self.to_parent)),
            ("pivot", Value::Vec2(self.pivot)),
            ("limit", Value::Bool(self.limit)),
            ("lower", Value::F32(self.lower)),
            ("upper", Value::F32(self.upper)),
            ("spring", Value::Bool(self.spring)),
            ("hertz", Value::F32(self.hertz)),
            ("damping_ratio", Value::F32(self.damping_ratio)),
            ("target_angle", Value::F32(self.target_angle)),
            ("motor", Value::Bool(self.motor)),
            ("motor_speed", Value::F32(self.motor_speed)),
            ("max_torque", Value::F32(self.max_torque)),
            ("stiffness", Value::F32(self.stiffness)),
            ("stiffness_damping", Value::F32(self.stiffness_damping)),
            ("collide_connected", Value::Bool(self.collide_connected)),
        ])
    }
}

impl Component for Joint {
    fn schema() -> Schema<Self> {
        const ANGLE: f64 = LIMIT_ANGLE_MAX_RAD as f64;
        const PLACE: f64 = POSITION_MAX_M as f64;
        const STIFF: f64 = HERTZ_MAX as f64;
        const DAMPED: f64 = DAMPING_RATIO_MAX as f64;
        const SPIN: f64 = SPIN_MAX_RAD_S as f64;
        const MANY: f64 = f32::MAX as f64;
        fields!(Schema::new();
            from => "One end; none for the entity's own body or what `from_name` says.",
            to => "The other end; none for what `to_name` says.",
            from_name => "The name of one end, looked up when the joint is made.",
            to_name => "The name of the other end, looked up when the joint is made.",
            to_parent => "Whether the other end is the entity's parent, if nothing else is given.",
            pivot ["m"] in -PLACE..=PLACE => "The shared point in the entity's frame.",
            limit => "Whether the angle is limited.",
            lower ["rad"] in -ANGLE..=ANGLE => "The smallest angle.",
            upper ["rad"] in -ANGLE..=ANGLE => "The largest angle.",
            spring => "Whether a spring pulls.",
            hertz ["1/s"] in 0.0..=STIFF => "How stiff the spring is.",
            damping_ratio in 0.0..=DAMPED => "How the spring is damped; 1 is critical.",
            target_angle ["rad"] => "Where the spring pulls to.",
            motor => "Whether a motor turns.",
            motor_speed ["rad/s"] in -SPIN..=SPIN => "What the motor aims for.",
            max_torque ["N m"] in 0.0..=MANY => "What the motor has at most.",
            stiffness ["1/s"] in 0.0..=STIFF => "How stiff the shared point is.",
            stiffness_damping in 0.0..=DAMPED => "How the shared point is damped.",
            collide_connected => "Whether the two bodies touch each other.",
        )
        .derived("joint_angle", |_: &Self| 0.0_f32)
        .unit("rad")
        .doc("How far it has turned since it was made.")
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
