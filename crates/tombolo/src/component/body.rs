//! The component Body: a rigid body as it was requested.

use tombolo_entity::{Component, DataError, Reader, Schema, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::{GRAVITY_MAX_M_S2, SPIN_MAX_RAD_S, VELOCITY_MAX_M_S};
use tombolo_physics::{BodyDef, BodyId, BodyKind};

/// The words of [`BodyKind`], in the order of its numbers.
const KINDS: &[&str] = &["Static", "Kinematic", "Dynamic"];

/// A rigid body. At most one of an entity.
///
/// What is read by name is how the body is now; what is set reaches it at once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// What was asked for. Its place is the entity's [`Transform`](super::Transform).
    pub def: BodyDef,
    /// What physics made.
    pub(crate) id: Option<BodyId>,
}

impl Body {
    /// The body in physics; none before the entity is complete.
    pub fn id(&self) -> Option<BodyId> {
        self.id
    }
}

/// A kind of body by its number.
fn kind_of(number: u32) -> BodyKind {
    match number {
        0 => BodyKind::Static,
        1 => BodyKind::Kinematic,
        _ => BodyKind::Dynamic,
    }
}

impl Component for Body {
    fn schema() -> Schema<Self> {
        const FAST: f64 = VELOCITY_MAX_M_S as f64;
        const SPIN: f64 = SPIN_MAX_RAD_S as f64;
        const HEAVY: f64 = GRAVITY_MAX_M_S2 as f64;
        const MANY: f64 = f32::MAX as f64;
        Schema::new()
            .choice(
                "kind",
                KINDS,
                |body: &Self| body.def.kind as u32,
                |body, kind| body.def.kind = kind_of(kind),
            )
            .doc("How the body moves.")
            .property(
                "linear_velocity",
                |body: &Self| body.def.linear_velocity,
                |body, velocity: Vec2| body.def.linear_velocity = velocity,
            )
            .range(-FAST..=FAST)
            .unit("m/s")
            .doc("Of the center of mass.")
            .property(
                "angular_velocity",
                |body: &Self| body.def.angular_velocity,
                |body, velocity| body.def.angular_velocity = velocity,
            )
            .range(-SPIN..=SPIN)
            .unit("rad/s")
            .doc("Counter-clockwise.")
            .property(
                "linear_damping",
                |body: &Self| body.def.linear_damping,
                |body, damping| body.def.linear_damping = damping,
            )
            .range(0.0..=MANY)
            .unit("1/s")
            .doc("How fast linear velocity fades.")
            .property(
                "angular_damping",
                |body: &Self| body.def.angular_damping,
                |body, damping| body.def.angular_damping = damping,
            )
            .range(0.0..=MANY)
            .unit("1/s")
            .doc("How fast angular velocity fades.")
            .property(
                "gravity_scale",
                |body: &Self| body.def.gravity_scale,
                |body, scale| body.def.gravity_scale = scale,
            )
            .range(-HEAVY..=HEAVY)
            .doc("Multiplies the world's gravity.")
            .property(
                "sleep_threshold",
                |body: &Self| body.def.sleep_threshold,
                |body, threshold| body.def.sleep_threshold = threshold,
            )
            .range(0.0..=MANY)
            .unit("m/s")
            .doc("Slower than this it counts as resting.")
            .property(
                "allow_sleep",
                |body: &Self| body.def.allow_sleep,
                |body, allow| body.def.allow_sleep = allow,
            )
            .doc("Whether it may fall asleep.")
            .property(
                "awake",
                |body: &Self| body.def.awake,
                |body, awake| body.def.awake = awake,
            )
            .doc("Whether it is awake. Setting it to true wakes it; a body falls asleep by itself only.")
            .property(
                "fixed_rotation",
                |body: &Self| body.def.fixed_rotation,
                |body, fixed| body.def.fixed_rotation = fixed,
            )
            .doc("Whether it never turns.")
            .property(
                "bullet",
                |body: &Self| body.def.bullet,
                |body, bullet| body.def.bullet = bullet,
            )
            .doc("Whether it is stopped by moving bodies too, while it is fast.")
            .property(
                "enabled",
                |body: &Self| body.def.enabled,
                |body, enabled| body.def.enabled = enabled,
            )
            .doc("Whether it takes part in the simulation.")
            .derived("mass", |_: &Self| 0.0_f32)
            .unit("kg")
            .doc("Of all its colliders; 0 unless dynamic.")
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.id.map_or(0, BodyId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.id = BodyId::from_bits(from.u64("a body's id")?);
        Ok(())
    }
}
