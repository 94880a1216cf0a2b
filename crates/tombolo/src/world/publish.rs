//! The stage `events`, and reading what happened.

use tombolo_entity::{Dense, Entity, EntitySystem, NameHash};
use tombolo_physics::ShapeId;

use super::events::Event;
use super::state::World;
use crate::component::{COLLIDER, Collider, TRIGGER, Trigger};

impl World {
    /// The stage `events`.
    pub(super) fn publish_events(&mut self) {
        self.entity_events.publish(&self.physics, &mut self.entities);
    }

    /// What happened in the last step, and by calls between it and the one before. Empty after a restore.
    ///
    /// Order: spawns and ends of entities in the order of the calls; then begins of touch, ends of touch, hits, who came
    /// into sensors, who left them, strained and broken joints, then rigid welds, each in the order of [`tombolo_physics::Events`]; then who came
    /// into zones by zone and visitor, and who left them, what calls have ended first; then whom characters met, and from whom they parted,
    /// in the order of the stage `characters`.
    pub fn events(&self) -> &[Event] {
        &self.entity_events.published
    }

    /// The entity and the name of the component that a living shape belongs to.
    pub fn part_of(&self, shape: ShapeId) -> Option<(Entity, NameHash)> {
        let entity = self.entity_of_key(self.physics.shape(shape)?.user_key())?;
        part_of(&self.entities, entity, shape).map(|name| (entity, name))
    }
}

/// Which of an entity's components a shape was made for.
fn part_of(entities: &EntitySystem, entity: Entity, shape: ShapeId) -> Option<NameHash> {
    let colliders: &Dense<Collider> = entities.manager(COLLIDER)?;
    let collider = colliders
        .of(entity)
        .find(|(_, collider)| collider.shapes.contains(&shape));
    let triggers: &Dense<Trigger> = entities.manager(TRIGGER)?;
    let trigger = triggers
        .of(entity)
        .find(|(_, trigger)| trigger.shape == Some(shape));
    let instance = collider.map(|found| found.0).or(trigger.map(|found| found.0))?;
    Some(NameHash::from_bits(instance.0))
}
