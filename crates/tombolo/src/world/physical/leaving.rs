//! [`Leaving`]: an entity that is about to lose its last shape as a member of a composite. `weld.rs` gives it a body of its own.

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_physics::BodyId;

/// The motion of an entity that is about to lose its last shape as a member: its body, and its velocities there.
pub(super) struct Leaving {
    pub(super) entity: Entity,
    pub(super) body: BodyId,
    pub(super) velocities: (Vec2, f32),
}
