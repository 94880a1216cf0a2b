//! The stage `events`, and read access to the published events. `events.rs` has the types.

use tombolo_entity::{Dense, Entity, EntitySystem, NameHash};
use tombolo_physics::ShapeId;

use super::events::Event;
use super::state::World;
use crate::component::{COLLIDER, Collider, TRIGGER, Trigger};

impl World {
    /// The stage `events`; then the joints between entities that parted in this step. Those that broke in it are marked by
    /// then, and are not taken for joints that have waited.
    pub(super) fn publish_events(&mut self) {
        self.entity_events.publish(&self.physics, &mut self.entities);
        self.tie_parted();
    }

    /// The events of the last step, and of calls between it and the one before. Empty after a restore.
    ///
    /// Order: spawns and ends of entities in the order of the calls; then begins of touch, ends of touch, hits, forces,
    /// entries into sensors, exits from them, strained and broken joints, then rigid welds, each in the order of
    /// [`tombolo_physics::Events`]; then entries into zones by zone and visitor, and exits from them, those of ended
    /// entities first; then shapes that characters began to touch, and those that they no longer touch, in the order
    /// of the stage `characters`.
    pub fn events(&self) -> &[Event] {
        &self.entity_events.published
    }

    /// The entity and the name of the component that an existing shape belongs to.
    pub fn part_of(&self, shape: ShapeId) -> Option<(Entity, NameHash)> {
        let entity = self.entity_of_key(self.physics.shape(shape)?.user_key())?;
        part_of(&self.entities, entity, shape).map(|name| (entity, name))
    }
}

/// The component of an entity that a shape was created for.
fn part_of(entities: &EntitySystem, entity: Entity, shape: ShapeId) -> Option<NameHash> {
    let colliders: &Dense<Collider> = entities.manager(COLLIDER)?;
    let collider = colliders
        .of(entity)
        .find(|(_, collider)| collider.shapes.contains(&shape));
    let triggers: &Dense<Trigger> = entities.manager(TRIGGER)?;
    let trigger = triggers
        .of(entity)
        .find(|(_, trigger)| trigger.shapes().contains(&shape));
    let instance = collider.map(|found| found.0).or(trigger.map(|found| found.0))?;
    Some(NameHash::from_bits(instance.0))
}
