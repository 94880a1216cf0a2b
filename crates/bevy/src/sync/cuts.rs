//! The shapes of colliders whose bodies calls have cut: they follow the part that remains the body. Also destroys the
//! shapes of a collider.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Entity, Query, ResMut};
use bevy_ecs::query::Allow;
use tombolo_physics::{BodyId, PhysicsWorld, ShapeId};

use super::hierarchy::{Found, Hierarchy};
use crate::link::ColliderLink;
use crate::slots::ShapeEntities;
use crate::world::{Entities, Physics};

/// Gives the colliders of bodies that calls have changed since the last step the shapes that they have now.
pub(crate) fn follow_cuts(
    mut physics: ResMut<Physics>,
    mut links: Query<&mut ColliderLink, Allow<Disabled>>,
    hierarchy: Hierarchy,
) {
    let physics = &mut *physics;
    // Pieces that separate have the key too, and belong to no entity.
    physics.note_changes();
    for key in physics.changed.clone() {
        let Some(&owner) = physics.entities.by_key.get(&key) else {
            continue;
        };
        hierarchy.walk(owner, true, &mut |found| {
            if let Found::Collider(collider) = found
                && let Ok(mut link) = links.get_mut(collider)
                && link.owner == Some(owner)
            {
                follow(physics, collider, &mut link);
            }
        });
    }
}

/// Gives a collider the shapes that it has now. Those that went to a piece are of no collider.
pub(crate) fn follow(physics: &mut Physics, collider: Entity, link: &mut ColliderLink) {
    let Physics {
        world,
        entities,
        restored,
        ..
    } = physics;
    let Some((body, _)) = link.on else {
        return;
    };
    if link.shapes.iter().all(|&shape| is_on(world, body, shape)) {
        return;
    }
    let present = present(world, entities, body, link);
    for &shape in link.shapes.iter().filter(|shape| !present.contains(shape)) {
        // The entities of a shape that is gone stay known by themselves.
        if world.shape(shape).is_none() {
            continue;
        }
        let ends = entities.shapes.remove(shape.index(), shape);
        if let Some(ends) = ends {
            entities.departed.note(shape, ends);
        }
        if let Some(restored) = restored {
            restored.remove(shape.index(), shape);
        }
    }
    link.shapes = present;
    note_shapes(physics, collider, link);
}

/// Notes the entities of a collider's shapes, and its concave polygon.
pub(crate) fn note_shapes(physics: &mut Physics, collider: Entity, link: &mut ColliderLink) {
    let Physics {
        world,
        entities,
        restored,
        ..
    } = physics;
    let Some(body) = link.owner else {
        return;
    };
    for &shape in &link.shapes {
        let ends = ShapeEntities { collider, body };
        entities.shapes.set(shape.index(), shape, ends);
        if let Some(restored) = restored {
            restored.set(shape.index(), shape, ends);
        }
    }
    let mut shapes = link.shapes.iter();
    link.concave = shapes.find_map(|&shape| world.shape(shape)?.part_of());
}

/// Removes a collider from its body, with its shapes; its key is free.
pub(crate) fn remove_shapes(physics: &mut Physics, link: &mut ColliderLink) {
    let link = core::mem::take(link);
    let Some((body, body_key)) = link.on else {
        return;
    };
    let Physics { world, entities, .. } = physics;
    for shape in present(world, entities, body, &link) {
        // All parts of a concave polygon are destroyed with the first.
        let _ = world.destroy_shape(shape);
    }
    entities.colliders_by_key.remove(&(body_key, link.key));
    entities.saved.colliders.remove_collider(body, link.key);
}

/// Whether a shape exists, and is on a body.
fn is_on(world: &PhysicsWorld, body: BodyId, shape: ShapeId) -> bool {
    world.shape(shape).is_some_and(|view| view.body().id() == body)
}

/// The shapes of a collider that are on its body, oldest first: those that it had, and the polygons to which cuts have
/// given its key. Those that exist, if the body does not.
fn present(world: &PhysicsWorld, entities: &Entities, body: BodyId, link: &ColliderLink) -> Vec<ShapeId> {
    if link.shapes.iter().all(|&shape| is_on(world, body, shape)) {
        return link.shapes.clone();
    }
    let Some(view) = world.body(body) else {
        // A rigid weld has put its shapes on another body.
        let exist = link.shapes.iter().filter(|&&shape| world.shape(shape).is_some());
        return exist.copied().collect();
    };
    let is_ours = |shape: &tombolo_physics::ShapeRef<'_>| {
        let id = shape.id();
        let is_cut = || shape.part_of().is_some() && entities.shapes.get(id.index(), id).is_none();
        link.shapes.contains(&id) || (shape.user_key() == link.key && is_cut())
    };
    let ours = view.shapes().filter(is_ours);
    let mut shapes: Vec<ShapeId> = ours.map(|shape| shape.id()).collect();
    // A body lists its newest shape first.
    shapes.reverse();
    shapes
}
