//! [`MemberMotion`]: the motion of an entity that is about to lose its last shape as a member of a composite. `weld.rs`
//! gives the entity a body of its own with it.

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_physics::BodyId;

/// The body of which an entity is a member, and the velocities at the member's center of mass: linear in m/s, angular in
/// rad/s.
pub(super) struct MemberMotion {
    pub(super) entity: Entity,
    pub(super) body: BodyId,
    pub(super) velocities: (Vec2, f32),
}
