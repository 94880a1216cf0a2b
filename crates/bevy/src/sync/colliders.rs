//! Creates new colliders and applies changes: their owners, their shapes, their material.

use std::collections::{BTreeMap, BTreeSet};

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Or, Query, ResMut, With};
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemChangeTick;
use tombolo_physics::{BodyId, PhysicsError, PhysicsWorld, Pose, Shape, ShapeId};

use super::cuts::{follow, note_shapes, remove_shapes};
use super::hierarchy::{Found, Hierarchy};
use crate::applied::ColliderDef;
use crate::collider::{Collider, ColliderSettings, CollisionFilter, Material, Reports, apply};
use crate::events::{FaultReason, PhysicsFault};
use crate::key::StableKey;
use crate::link::{BodyLink, ColliderLink};
use crate::outline::Outline;
use crate::own_writes::{self, Values};
use crate::pending::Pending;
use crate::refused::Refused;
use crate::world::{Entities, Physics};

/// A collider that was added or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ChangedCollider {
    /// The key of its body, and its own.
    keys: (u64, u64),
    collider: Entity,
    owner: Entity,
    body: BodyId,
}

/// Colliders with changed settings. Most have none, and tables of these are not asked: so [`Collider`] is not among them.
type ChangedSettings<'w, 's> = Query<
    'w,
    's,
    Entity,
    (
        With<Collider>,
        Or<(Changed<Material>, Changed<CollisionFilter>, Changed<Reports>)>,
        Allow<Disabled>,
    ),
>;

/// The components that define a collider, and its link.
type ColliderComponents<'w, 's> = Query<
    'w,
    's,
    (
        ColliderSettings,
        &'static mut ColliderLink,
        Option<&'static StableKey>,
    ),
    Allow<Disabled>,
>;

/// Applies the components of colliders that were added or changed, by the keys of their bodies and their own.
pub(crate) fn apply_colliders(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    edited: Values<Collider>,
    settings: ChangedSettings,
    mut colliders: ColliderComponents,
    bodies: Query<&BodyLink, Allow<Disabled>>,
    hierarchy: Hierarchy,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let (physics, pending) = (&mut *physics, &mut *pending);
    let due = pending
        .colliders
        .drain()
        .chain(own_writes::changed(&edited, &run))
        .chain(&settings);
    let refused = &mut pending.refused_colliders;
    let list = find_changed(physics, due, &mut colliders, &bodies, &hierarchy, refused);
    for changed in list {
        let Ok((settings, mut link, _)) = colliders.get_mut(changed.collider) else {
            continue;
        };
        let holder = physics.entities.colliders_by_key.get(&changed.keys);
        let entity = changed.collider;
        if holder.is_some_and(|&holder| holder != entity) {
            remove_shapes(physics, &mut link);
            let reason = FaultReason::KeyInUse(changed.keys.1);
            if let Some(fault) = pending.refused_colliders.add(entity, reason) {
                faults.write(fault);
            }
            // Its key may be free later.
            pending.colliders.push(entity);
            continue;
        }
        pending.refused_colliders.remove(entity);
        let scale = hierarchy.scale(entity);
        // With its body's entity its body is disabled as a whole.
        let is_hidden = settings.is_hidden && entity != changed.owner;
        let parts = settings.collider.parts.iter().filter(|_| !is_hidden);
        let parts = parts.map(|part| part.scaled(scale));
        let updated = parts.collect::<Result<_, _>>().and_then(|parts| {
            let def = ColliderDef {
                parts,
                place: hierarchy.place(entity, changed.owner),
                shape: settings.def(changed.keys.1),
            };
            update(physics, &changed, def, &mut link).map_err(FaultReason::Refused)
        });
        if let Err(reason) = updated {
            remove_shapes(physics, &mut link);
            // Its key stays its own, for a value that is mended.
            (link.owner, link.key) = (Some(changed.owner), changed.keys.1);
            faults.write(PhysicsFault { entity, reason });
        }
    }
    if physics.restored.is_some() {
        remove_unknown(physics);
    }
}

/// Finds the owners of colliders; those without a key get one. Colliders without an owner lose their shapes.
fn find_changed(
    physics: &mut Physics,
    entities: impl Iterator<Item = Entity>,
    colliders: &mut ColliderComponents,
    bodies: &Query<&BodyLink, Allow<Disabled>>,
    hierarchy: &Hierarchy,
    refused: &mut Refused,
) -> Vec<ChangedCollider> {
    let mut seen = BTreeSet::new();
    let (mut list, mut unkeyed): (Vec<ChangedCollider>, Vec<ChangedCollider>) = (Vec::new(), Vec::new());
    for collider in entities {
        if !seen.insert(collider) {
            continue;
        }
        let Ok((_, mut link, key)) = colliders.get_mut(collider) else {
            refused.remove(collider);
            continue;
        };
        let owner = hierarchy.owner(collider);
        let body = owner.and_then(|owner| Some((owner, bodies.get(owner).ok()?)));
        let Some((
            owner,
            &BodyLink {
                id: Some(body),
                key: body_key,
                ..
            },
        )) = body
        else {
            remove_shapes(physics, &mut link);
            refused.remove(collider);
            continue;
        };
        let (key, list) = match key {
            _ if owner == collider => (body_key, &mut list),
            Some(key) => (key.user_key(), &mut list),
            None if link.owner == Some(owner) && link.key != 0 => (link.key, &mut list),
            None => (0, &mut unkeyed),
        };
        list.push(ChangedCollider {
            keys: (body_key, key),
            collider,
            owner,
            body,
        });
    }
    give_keys(physics, &mut unkeyed, hierarchy);
    list.append(&mut unkeyed);
    list.sort_by_key(|changed| changed.keys);
    list
}

/// Gives keys to colliders, by their places in the hierarchy below their bodies: the order in which queries and tables
/// list them has no effect.
fn give_keys(physics: &mut Physics, unkeyed: &mut [ChangedCollider], hierarchy: &Hierarchy) {
    let mut claimed = BTreeSet::new();
    unkeyed.sort_unstable();
    for of_body in unkeyed.chunk_by_mut(|a, b| a.body == b.body) {
        if of_body.len() > 1 {
            let places = places(hierarchy, of_body[0].owner);
            of_body.sort_by_key(|changed| places.get(&changed.collider));
        }
        for changed in of_body {
            let body_key = changed.keys.0;
            let restored = restored_key(physics, body_key, changed.body, &mut claimed);
            changed.keys.1 = restored.unwrap_or_else(|| physics.entities.give_collider_key(body_key));
        }
    }
}

/// The places of a body's colliders in a walk from the body down.
fn places(hierarchy: &Hierarchy, owner: Entity) -> BTreeMap<Entity, usize> {
    let mut places = BTreeMap::new();
    hierarchy.walk(owner, true, &mut |found| {
        if let Found::Collider(collider) = found {
            places.insert(collider, places.len());
        }
    });
    places
}

/// The key of a collider that a restored world has and no entity: for a collider that is spawned again without a key.
fn restored_key(
    physics: &Physics,
    body_key: u64,
    body: BodyId,
    claimed: &mut BTreeSet<(u64, u64)>,
) -> Option<u64> {
    physics.restored.as_ref()?;
    let is_there = |key: u64| physics.entities.saved.colliders.collider(body, key).is_some();
    let held = &physics.entities.colliders_by_key;
    let mut keys = physics.entities.given_collider_keys(body_key);
    keys.find(|&key| !held.contains_key(&(body_key, key)) && is_there(key) && claimed.insert((body_key, key)))
}

/// Changes one collider to agree with its components, where their values differ from those that were last applied.
fn update(
    physics: &mut Physics,
    changed: &ChangedCollider,
    def: ColliderDef,
    link: &mut ColliderLink,
) -> Result<(), PhysicsError> {
    let (body, key) = (changed.body, changed.keys.1);
    let on = Some((body, changed.keys.0));
    if link.on != on || link.key != key {
        remove_shapes(physics, link);
    }
    let is_known = link.on.is_some() || physics.restored.is_some();
    if link.on.is_none() {
        adopt_shapes(physics, changed, link);
    }
    (link.owner, link.on, link.key) = (Some(changed.owner), on, key);
    follow(physics, changed.collider, link);
    let applied = &physics.entities.saved.colliders;
    let was = applied.collider(body, key).filter(|_| is_known).cloned();
    let has_outline = was.as_ref().is_some_and(|was| {
        // What calls have made of the outline since is left alone.
        was.parts == def.parts && was.place == def.place
    });
    if has_outline || update_geometry(&mut physics.world, link, &def)? {
        if was.is_none_or(|was| was.shape != def.shape) {
            for &shape in &link.shapes {
                apply(&mut physics.world, shape, &def.shape)?;
            }
        }
    } else {
        remove_shapes(physics, link);
        (link.owner, link.on, link.key) = (Some(changed.owner), on, key);
        for part in &def.parts {
            part.create(&mut physics.world, body, &def.shape, def.place, &mut link.shapes)?;
        }
    }
    note_shapes(physics, changed.collider, link);
    let entities = &mut physics.entities;
    entities.colliders_by_key.insert(changed.keys, changed.collider);
    entities.saved.colliders.set_collider(body, def);
    Ok(())
}

/// Gives the shapes of a restored world that have the collider's key and were a collider's back to it.
fn adopt_shapes(physics: &Physics, changed: &ChangedCollider, link: &mut ColliderLink) {
    let (Some(restored), Some(body)) = (&physics.restored, physics.world.body(changed.body)) else {
        return;
    };
    let of_key = body
        .shapes()
        .filter(|shape| shape.user_key() == changed.keys.1 && restored.has(shape.id().index(), shape.id()));
    link.shapes = of_key.map(|shape| shape.id()).collect();
    // A body lists its newest shape first.
    link.shapes.reverse();
}

/// Changes the geometry of a collider's shapes to that of its parts. Returns false if they must be created anew: their
/// number has changed, or they are parts of another concave polygon.
fn update_geometry(
    world: &mut PhysicsWorld,
    link: &ColliderLink,
    def: &ColliderDef,
) -> Result<bool, PhysicsError> {
    let (parts, place) = (&def.parts, def.place);
    if link.shapes.is_empty() {
        return Ok(false);
    }
    let mut forms: Vec<Shape> = Vec::new();
    for part in parts {
        match part.shapes(place)? {
            Some(shapes) => forms.extend(shapes),
            None => return has_geometry(world, link, parts, place),
        }
    }
    if link.concave.is_some() || forms.len() != link.shapes.len() {
        return Ok(false);
    }
    for (&shape, form) in link.shapes.iter().zip(&forms) {
        let mut shape = world.shape_mut(shape)?;
        if shape.view().geometry() != form {
            shape.set_geometry(form)?;
        }
    }
    Ok(true)
}

/// Whether a collider's shapes are equal to those of its parts at a pose.
fn has_geometry(
    world: &PhysicsWorld,
    link: &ColliderLink,
    parts: &[Outline],
    place: Pose,
) -> Result<bool, PhysicsError> {
    let mut shapes = link
        .shapes
        .iter()
        .filter_map(|&shape| world.shape(shape))
        .peekable();
    for part in parts {
        if let Some(polygon) = part.concave_polygon(place)? {
            let Some(id) = shapes.peek().and_then(|shape| shape.part_of()) else {
                return Ok(false);
            };
            while shapes.next_if(|shape| shape.part_of() == Some(id)).is_some() {}
            let is = world.concave_polygon(id).map(|is| is.to_polygon());
            if is.is_none_or(|is| is.points() != polygon.points() || is.loop_ends() != polygon.loop_ends()) {
                return Ok(false);
            }
            continue;
        }
        for shape in part.shapes(place)?.unwrap_or_default() {
            let is = shapes.next();
            if is.is_none_or(|is| is.part_of().is_some() || *is.geometry() != shape) {
                return Ok(false);
            }
        }
    }
    Ok(shapes.next().is_none())
}

/// Removes colliders of a restored world that no entity has now, with their shapes.
fn remove_unknown(physics: &mut Physics) {
    let Physics {
        world,
        entities,
        restored: Some(restored),
        ..
    } = physics
    else {
        return;
    };
    let unknown = |shape: &tombolo_physics::ShapeRef<'_>| {
        let id = shape.id();
        restored.has(id.index(), id) && !entities.shapes.has(id.index(), id)
    };
    let mut shapes: Vec<(u64, u64, ShapeId)> = world
        .shapes()
        .filter(unknown)
        .map(|shape| (shape.body().user_key(), shape.user_key(), shape.id()))
        .collect();
    shapes.sort_unstable();
    for (_, _, shape) in shapes {
        // All parts of a concave polygon are destroyed with the first.
        let _ = world.destroy_shape(shape);
    }
    let Entities {
        by_key,
        ids,
        colliders_by_key: held,
        saved,
        ..
    } = entities;
    for (&body_key, body) in by_key
        .iter()
        .filter_map(|(key, owner)| Some((key, *ids.get(owner)?)))
    {
        let is_held = |key| held.contains_key(&(body_key, key));
        saved.colliders.retain_colliders(body, is_held);
    }
}
