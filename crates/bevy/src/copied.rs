//! [`forget_copied`]: a link that comes to an entity and is that of another begins anew. Clones have none of the original's, but a
//! scene of Bevy that was made of the entities of a running game has copies of their links.

use bevy_ecs::component::Mutable;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::lifecycle::Insert;
use bevy_ecs::observer::On;
use bevy_ecs::prelude::{Component, Entity, Query, Res};
use bevy_ecs::query::Allow;

use crate::link::{BodyLink, ColliderLink, FieldLink, JointLink};
use crate::world::{Entities, Physics};

/// A link component.
pub(crate) trait Link: Component<Mutability = Mutable> + Default {
    /// Whether it has an object, or the key of one, that is not this entity's.
    fn is_of_another(&self, entity: Entity, entities: &Entities) -> bool;
}

impl Link for BodyLink {
    fn is_of_another(&self, entity: Entity, entities: &Entities) -> bool {
        self.key != 0 && entities.by_key.get(&self.key) != Some(&entity)
    }
}

impl Link for ColliderLink {
    fn is_of_another(&self, entity: Entity, entities: &Entities) -> bool {
        self.on.is_some_and(|(_, body_key)| {
            entities.colliders_by_key.get(&(body_key, self.key)) != Some(&entity)
        })
    }
}

impl Link for JointLink {
    fn is_of_another(&self, entity: Entity, entities: &Entities) -> bool {
        self.key != 0 && entities.joints_by_key.get(&self.key) != Some(&entity)
    }
}

impl Link for FieldLink {
    fn is_of_another(&self, entity: Entity, entities: &Entities) -> bool {
        self.key != 0 && entities.fields_by_key.get(&self.key) != Some(&entity)
    }
}

/// Resets a link that was inserted and is that of another entity.
pub(crate) fn forget_copied<L: Link>(
    event: On<Insert<L>>,
    physics: Option<Res<Physics>>,
    mut links: Query<&mut L, Allow<Disabled>>,
) {
    // Whoever has taken the resource out for a while inserts no copies.
    if let Some(physics) = physics
        && let Ok(mut link) = links.get_mut(event.entity)
        && link.is_of_another(event.entity, &physics.entities)
    {
        *link = L::default();
    }
}
