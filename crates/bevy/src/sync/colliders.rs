//! Creates new colliders and applies changes: their owners, their shapes, their material.

use std::collections::BTreeSet;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Or, Query, ResMut};
use bevy_ecs::query::Allow;
use tombolo_physics::{BodyId, PhysicsError, PhysicsWorld, Pose, Shape, ShapeDef, ShapeId};

use super::hierarchy::Hierarchy;
use crate::collider::{Collider, ColliderSettings, CollisionFilter, Material, Reports, apply};
use crate::events::{FaultReason, PhysicsFault};
use crate::key::StableKey;
use crate::link::{BodyLink, ColliderLink};
use crate::outline::Outline;
use crate::pending::Pending;
use crate::world::{Ends, Physics};

/// A collider that was added or changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Due {
    /// The key of its body, and its own.
    keys: (u64, u64),
    collider: Entity,
    owner: Entity,
    body: BodyId,
}

/// Colliders with a changed component.
type Altered<'w, 's> = Query<
    'w,
    's,
    Entity,
    (
        Or<(
            Changed<Collider>,
            Changed<Material>,
            Changed<CollisionFilter>,
            Changed<Reports>,
        )>,
        Allow<Disabled>,
    ),
>;

/// The components that define a collider, and its link.
type Made<'w, 's> = Query<
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
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    altered: Altered,
    mut colliders: Made,
    bodies: Query<&BodyLink, Allow<Disabled>>,
    hierarchy: Hierarchy,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let physics = &mut *physics;
    let entities = pending.colliders.drain(..).chain(&altered);
    let list = find_due(physics, entities, &mut colliders, &bodies, &hierarchy);
    for due in list {
        let Ok((settings, mut link, _)) = colliders.get_mut(due.collider) else {
            continue;
        };
        let holder = physics.entities.colliders_by_key.get(&due.keys);
        let reason = if holder.is_some_and(|&holder| holder != due.collider) {
            FaultReason::KeyInUse(due.keys.1)
        } else {
            let place = hierarchy.place(due.collider, due.owner);
            let def = settings.def(due.keys.1);
            match update(physics, &due, &settings.collider.parts, &def, place, &mut link) {
                Ok(()) => continue,
                Err(error) => FaultReason::Refused(error),
            }
        };
        take_away(physics, &mut link);
        faults.write(PhysicsFault {
            entity: due.collider,
            reason,
        });
    }
    if physics.was_restored {
        remove_unknown(physics);
    }
}

/// Finds the owners of colliders; those without a key get one in the order in which they were added. Colliders without
/// an owner lose their shapes.
fn find_due(
    physics: &mut Physics,
    entities: impl Iterator<Item = Entity>,
    colliders: &mut Made,
    bodies: &Query<&BodyLink, Allow<Disabled>>,
    hierarchy: &Hierarchy,
) -> Vec<Due> {
    let (mut seen, mut claimed) = (BTreeSet::new(), BTreeSet::new());
    let mut list: Vec<Due> = Vec::new();
    for collider in entities {
        if !seen.insert(collider) {
            continue;
        }
        let Ok((_, mut link, key)) = colliders.get_mut(collider) else {
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
            take_away(physics, &mut link);
            continue;
        };
        let key = match key {
            _ if owner == collider => body_key,
            Some(key) => key.user_key(),
            None if link.owner == Some(owner) && link.key != 0 => link.key,
            None => {
                let again = again(physics, body_key, body, &mut claimed);
                again.unwrap_or_else(|| physics.entities.give_collider_key(body_key))
            }
        };
        list.push(Due {
            keys: (body_key, key),
            collider,
            owner,
            body,
        });
    }
    list.sort_by_key(|due| due.keys);
    list
}

/// The key of a collider that a restored world has and no entity: for a collider that is spawned again without a key.
fn again(physics: &Physics, body_key: u64, body: BodyId, claimed: &mut BTreeSet<(u64, u64)>) -> Option<u64> {
    if !physics.was_restored {
        return None;
    }
    let is_there = |key: u64| {
        let mut shapes = physics.world.body(body)?.shapes();
        shapes.find(|shape| shape.user_key() == key)
    };
    let held = &physics.entities.colliders_by_key;
    let mut keys = physics.entities.given_collider_keys(body_key);
    keys.find(|&key| {
        !held.contains_key(&(body_key, key)) && is_there(key).is_some() && claimed.insert((body_key, key))
    })
}

/// Changes one collider to agree with its components.
fn update(
    physics: &mut Physics,
    due: &Due,
    parts: &[Outline],
    def: &ShapeDef,
    place: Pose,
    link: &mut ColliderLink,
) -> Result<(), PhysicsError> {
    if link.owner != Some(due.owner) || link.key != due.keys.1 {
        take_away(physics, link);
    }
    (link.owner, link.key) = (Some(due.owner), due.keys.1);
    let world = &mut physics.world;
    if link.shapes.is_empty() && physics.was_restored {
        find(world, due, link);
    }
    let lives = |shape: &ShapeId| {
        world
            .shape(*shape)
            .is_some_and(|view| view.body().id() == due.body)
    };
    let stays = !link.shapes.is_empty() && link.shapes.iter().all(lives);
    if stays && become_outlines(world, link, parts, place)? {
        for &shape in &link.shapes {
            apply(world, shape, def)?;
        }
    } else {
        take_away(physics, link);
        (link.owner, link.key) = (Some(due.owner), due.keys.1);
        for part in parts {
            let concave = part.create(&mut physics.world, due.body, def, place, &mut link.shapes)?;
            link.concave = concave.or(link.concave);
        }
    }
    physics.entities.colliders_by_key.insert(due.keys, due.collider);
    for &shape in &link.shapes {
        let ends = Ends {
            collider: due.collider,
            body: due.owner,
        };
        physics.entities.shapes.set(shape.index(), shape, ends);
    }
    Ok(())
}

/// Gives the shapes of a restored world that have the collider's key back to it.
fn find(world: &PhysicsWorld, due: &Due, link: &mut ColliderLink) {
    let Some(body) = world.body(due.body) else {
        return;
    };
    let of_key = body.shapes().filter(|shape| shape.user_key() == due.keys.1);
    link.shapes = of_key.map(|shape| shape.id()).collect();
    // A body lists its newest shape first.
    link.shapes.reverse();
    link.concave = link
        .shapes
        .iter()
        .find_map(|&shape| world.shape(shape)?.part_of());
}

/// Changes the geometry of a collider's shapes to that of its parts at a pose. Returns false if they must be created
/// anew: their number has changed, or they are parts of another concave polygon.
fn become_outlines(
    world: &mut PhysicsWorld,
    link: &ColliderLink,
    parts: &[Outline],
    place: Pose,
) -> Result<bool, PhysicsError> {
    let mut forms: Vec<Shape> = Vec::new();
    for part in parts {
        match part.shapes(place)? {
            Some(shapes) => forms.extend(shapes),
            None => return has_outlines(world, link, parts, place),
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
fn has_outlines(
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

/// Removes a collider's shapes.
fn take_away(physics: &mut Physics, link: &mut ColliderLink) {
    let ColliderLink { key, shapes, .. } = core::mem::take(link);
    for shape in shapes {
        if let Some(view) = physics.world.shape(shape) {
            let body = view.body().user_key();
            physics.entities.colliders_by_key.remove(&(body, key));
            // All parts of a concave polygon are destroyed with the first.
            let _ = physics.world.destroy_shape(shape);
        }
    }
}

/// Removes shapes of a restored world that belong to no entity's collider.
fn remove_unknown(physics: &mut Physics) {
    let Physics { world, entities, .. } = physics;
    let unknown = |shape: &tombolo_physics::ShapeRef<'_>| {
        shape.user_key() != 0 && entities.shapes.get(shape.id().index(), shape.id()).is_none()
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
}
