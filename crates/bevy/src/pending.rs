//! [`Pending`]: changes recorded by component hooks, for the next step to apply. Bevy calls the hooks at once when a
//! component is added or removed, in the order in which entities are spawned, so no change between two steps is missed.

use bevy_ecs::lifecycle::HookContext;
use bevy_ecs::prelude::{Entity, Resource};
use bevy_ecs::world::DeferredWorld;
use tombolo_physics::{BodyId, JointId};

use crate::link::{BodyLink, ColliderLink, FieldLink, JointLink};
use crate::refused::Refused;

/// Objects that were added, removed or changed since the last step.
#[derive(Resource, Debug, Default)]
pub(crate) struct Pending {
    /// Entities that got a body, in the order of spawning, and those whose bodies were refused.
    pub(crate) bodies: Vec<Entity>,
    /// Entities whose body lost a component, or changed in a way that change detection does not report.
    pub(crate) changed_bodies: Vec<Entity>,
    /// Entities that lost their body.
    pub(crate) removed_bodies: Vec<(u64, BodyId, Entity)>,
    /// Entities that got a collider, or whose collider lost a component, and those whose keys are in use.
    pub(crate) colliders: Vec<Entity>,
    /// Colliders that were removed.
    pub(crate) removed_colliders: Vec<ColliderLink>,
    /// Entities that got a tile grid, and those whose bodies do not exist yet.
    pub(crate) grids: Vec<Entity>,
    /// The keys of bodies whose tile grids were removed.
    pub(crate) removed_grids: Vec<u64>,
    /// Entities that got a joint, in the order of spawning, those whose bodies do not exist yet, and those whose keys
    /// are in use.
    pub(crate) joints: Vec<Entity>,
    /// Joints that were removed.
    pub(crate) removed_joints: Vec<(u64, JointId)>,
    /// Entities that got a field, in the order of spawning, and those whose keys are in use.
    pub(crate) fields: Vec<Entity>,
    /// Fields that were removed, by key, with their entities.
    pub(crate) removed_fields: Vec<(u64, Entity)>,
    /// Entities whose parent has changed, or was removed.
    pub(crate) moved: Vec<Entity>,
    /// The bodies that were refused.
    pub(crate) refused_bodies: Refused,
    /// The colliders whose keys are in use.
    pub(crate) refused_colliders: Refused,
    /// The joints whose keys are in use.
    pub(crate) refused_joints: Refused,
    /// The fields that were refused, or whose keys are in use.
    pub(crate) refused_fields: Refused,
}

/// Records that an entity got a body.
pub(crate) fn body_added(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.bodies.push(context.entity);
    }
}

/// Records that an entity lost its body, or is despawned.
pub(crate) fn body_removed(mut world: DeferredWorld, context: HookContext) {
    let entity = context.entity;
    let Some(mut link) = world.get_mut::<BodyLink>(entity) else {
        return;
    };
    let (key, id) = (link.key, link.id.take());
    if let (Some(id), Some(mut pending)) = (id, world.get_resource_mut::<Pending>()) {
        pending.removed_bodies.push((key, id, entity));
    }
}

/// Records that a body's settings changed.
pub(crate) fn body_changed(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.changed_bodies.push(context.entity);
    }
}

/// Records that an entity got a collider, or that one of its collider's settings was added or removed.
pub(crate) fn collider_changed(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.colliders.push(context.entity);
    }
}

/// Records that an entity lost its collider, or is despawned.
pub(crate) fn collider_removed(mut world: DeferredWorld, context: HookContext) {
    let Some(mut link) = world.get_mut::<ColliderLink>(context.entity) else {
        return;
    };
    let link = core::mem::take(&mut *link);
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.removed_colliders.push(link);
    }
}

/// Records that an entity got a tile grid.
pub(crate) fn grid_added(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.grids.push(context.entity);
    }
}

/// Records that an entity lost its tile grid, or is despawned.
pub(crate) fn grid_removed(mut world: DeferredWorld, context: HookContext) {
    let Some(key) = world.get::<BodyLink>(context.entity).map(|link| link.key) else {
        return;
    };
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.removed_grids.push(key);
    }
}

/// Records that an entity got a joint.
pub(crate) fn joint_added(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.joints.push(context.entity);
    }
}

/// Records that an entity lost its joint, or is despawned.
pub(crate) fn joint_removed(mut world: DeferredWorld, context: HookContext) {
    let Some(mut link) = world.get_mut::<JointLink>(context.entity) else {
        return;
    };
    let JointLink { key, id, .. } = core::mem::take(&mut *link);
    if let (Some(id), Some(mut pending)) = (id, world.get_resource_mut::<Pending>()) {
        pending.removed_joints.push((key, id));
    }
}

/// Records that an entity got a field.
pub(crate) fn field_added(mut world: DeferredWorld, context: HookContext) {
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.fields.push(context.entity);
    }
}

/// Records that an entity lost its field, or is despawned.
pub(crate) fn field_removed(mut world: DeferredWorld, context: HookContext) {
    let entity = context.entity;
    let Some(mut link) = world.get_mut::<FieldLink>(entity) else {
        return;
    };
    let key = core::mem::take(&mut *link).key;
    if let Some(mut pending) = world.get_resource_mut::<Pending>() {
        pending.removed_fields.push((key, entity));
    }
}
