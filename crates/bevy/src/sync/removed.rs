//! Removes the objects of despawned entities and of removed components from the physics world.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Query, ResMut};
use bevy_ecs::query::Allow;

use super::cuts::remove_shapes;
use super::hierarchy::{Found, Hierarchy};
use crate::link::ColliderLink;
use crate::pending::Pending;
use crate::world::Physics;

/// Removes joints, then tile grids, then bodies with all that they have, then colliders, each by key.
pub(crate) fn remove_objects(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut links: Query<&mut ColliderLink, Allow<Disabled>>,
    hierarchy: Hierarchy,
) {
    let grids = pending.removed_grids.is_empty();
    if grids
        && pending.removed_joints.is_empty()
        && pending.removed_fields.is_empty()
        && pending.removed_bodies.is_empty()
        && pending.removed_colliders.is_empty()
    {
        return;
    }
    let physics = &mut *physics;
    let pending = &mut *pending;
    remove_joints(physics, pending);
    remove_fields(physics, pending);
    remove_grids(physics, pending);
    pending.removed_bodies.sort_unstable();
    for (key, body, entity) in core::mem::take(&mut pending.removed_bodies) {
        // A call may have destroyed it.
        let joints = physics
            .world
            .body(body)
            .into_iter()
            .flat_map(|body| body.joints());
        // Joints are destroyed with the body, and are created again when there is another one.
        let joints = joints.map(|joint| joint.id());
        let waiting = joints.filter_map(|joint| physics.entities.joints.get(joint.index(), joint));
        pending.joints.extend(waiting);
        let _ = physics.world.destroy_body(body);
        physics.entities.remove_body(key, entity);
        // The entity may still exist: its tile grid and its colliders wait for another body, whose keys of colliders
        // begin anew.
        pending.grids.push(entity);
        hierarchy.walk(entity, true, &mut |found| {
            if let Found::Collider(collider) = found {
                pending.colliders.push(collider);
                if let Ok(mut link) = links.get_mut(collider)
                    && link.owner == Some(entity)
                {
                    *link = ColliderLink::default();
                }
            }
        });
    }
    pending
        .removed_colliders
        .sort_unstable_by_key(|link| (link.key, link.on.map(|(_, body_key)| body_key)));
    for mut link in pending.removed_colliders.drain(..) {
        remove_shapes(physics, &mut link);
    }
}

fn remove_joints(physics: &mut Physics, pending: &mut Pending) {
    pending.removed_joints.sort_unstable();
    for (key, joint) in pending.removed_joints.drain(..) {
        physics.entities.saved.broken_joints.remove(key);
        // Of one that broke another entity may have the key.
        if let Some(joint) = joint {
            // It may have been destroyed with one of its bodies.
            let _ = physics.world.destroy_joint(joint);
            physics.entities.remove_joint(key);
        }
    }
}

fn remove_grids(physics: &mut Physics, pending: &mut Pending) {
    for (key, entity) in core::mem::take(&mut pending.removed_grids) {
        // Another entity may have the key.
        if physics.entities.by_key.get(&key) != Some(&entity) {
            continue;
        }
        if let Some(grid) = physics.entities.saved.grids.remove(&key) {
            // A call may have destroyed it.
            let _ = physics.world.destroy_tile_grid(grid.id);
        }
    }
}

fn remove_fields(physics: &mut Physics, pending: &mut Pending) {
    let Physics { world, entities, .. } = physics;
    pending.removed_fields.sort_unstable();
    for (key, entity) in pending.removed_fields.drain(..) {
        pending.refused_fields.remove(entity);
        // Another entity may have the key.
        if entities.fields_by_key.get(&key) != Some(&entity) {
            continue;
        }
        entities.fields_by_key.remove(&key);
        if let Some(field) = entities.saved.fields.remove(&key) {
            // A call may have destroyed it.
            let _ = world.destroy_field(field.id);
        }
    }
}
