//! Creates new bodies, and applies changed components of bodies.

use std::collections::BTreeSet;

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Name, Or, Query, ResMut, With};
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemChangeTick;
use tombolo_physics::{BodyDef, BodyId, BodyKind, BodyRef, Position};

use super::hierarchy::{Found, Hierarchy};
use crate::body::{
    Body, BodyOptions, BodySettings, Damping, GravityScale, LastingForce, LockedAxes, MassOverride,
    SleepSettings, SleepState, Velocity, apply,
};
use crate::events::{FaultReason, PhysicsFault};
use crate::key::StableKey;
use crate::link::BodyLink;
use crate::own_writes::{Values, changed};
use crate::pending::Pending;
use crate::world::Physics;

/// The components that define a body, and its link.
type BodyComponents<'w, 's> = Query<
    'w,
    's,
    (
        BodySettings,
        &'static Velocity,
        Option<&'static StableKey>,
        &'static mut BodyLink,
        &'static mut SleepState,
    ),
>;

/// Creates the bodies of entities that got one since the last step, and those that were refused before, by key.
pub(crate) fn create_bodies(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut bodies: BodyComponents,
    hierarchy: Hierarchy,
    mut faults: MessageWriter<PhysicsFault>,
) {
    if pending.bodies.is_empty() && physics.orphans.is_empty() {
        return;
    }
    let (physics, pending) = (&mut *physics, &mut *pending);
    for (key, entity) in give_keys(physics, pending, &mut bodies) {
        if stays_without(physics, key, entity, &mut bodies) {
            pending.refused_bodies.remove(entity);
            continue;
        }
        if let Err(reason) = create_body(physics, key, entity, &mut bodies, &hierarchy) {
            if let Some(fault) = pending.refused_bodies.add(entity, reason) {
                faults.write(fault);
            }
            // It may be valid later, or its key free.
            pending.bodies.push(entity);
            continue;
        }
        pending.refused_bodies.remove(entity);
        hierarchy.walk(entity, true, &mut |found| {
            if let Found::Collider(collider) = found {
                pending.colliders.push(collider);
            }
        });
    }
    // Bodies of a restored world that no entity was spawned for.
    for (key, body) in core::mem::take(&mut physics.orphans) {
        let _ = physics.world.destroy_body(body);
        physics.entities.saved.remove_body(key);
    }
}

/// Gives keys to entities without one, in the order in which they were spawned; returns all of them by key.
fn give_keys(
    physics: &mut Physics,
    pending: &mut Pending,
    bodies: &mut BodyComponents,
) -> Vec<(u64, Entity)> {
    let mut new: Vec<(u64, Entity)> = Vec::with_capacity(pending.bodies.len());
    // An entity that lost its body and got another is listed twice.
    let mut seen = BTreeSet::new();
    for entity in pending.bodies.take() {
        let Ok((_, _, key, mut link, _)) = bodies.get_mut(entity) else {
            pending.refused_bodies.remove(entity);
            continue;
        };
        if link.id.is_some() || !seen.insert(entity) {
            continue;
        }
        link.key = match key {
            Some(key) => key.user_key(),
            None if link.key != 0 => link.key,
            None => physics.entities.give_key(),
        };
        new.push((link.key, entity));
    }
    // Stable, so that the first of two equal keys is the one that was spawned first.
    new.sort_by_key(|(key, _)| *key);
    new
}

/// Whether the body that an entity had in a restored world was destroyed by a call: then it gets no other one.
fn stays_without(physics: &mut Physics, key: u64, entity: Entity, bodies: &mut BodyComponents) -> bool {
    let Physics {
        world,
        entities,
        orphans,
        ..
    } = physics;
    let Some(&id) = orphans.get(&key).filter(|&&id| world.body(id).is_none()) else {
        return false;
    };
    let (_, _, _, mut link, _) = bodies.get_mut(entity).expect("it was just there");
    link.id = Some(id);
    entities.hold_body(key, id, entity);
    orphans.remove(&key);
    true
}

/// Creates the body of an entity, or gives it back its body of a restored world.
fn create_body(
    physics: &mut Physics,
    key: u64,
    entity: Entity,
    bodies: &mut BodyComponents,
    hierarchy: &Hierarchy,
) -> Result<(), FaultReason> {
    let (settings, velocity, _, mut link, mut sleep) = bodies.get_mut(entity).expect("it was just there");
    if physics.entities.by_key.contains_key(&key) {
        return Err(FaultReason::KeyInUse(key));
    }
    let def = settings.def();
    let id = if let Some(id) = adopt(physics, key, &def, &mut link) {
        physics.stale.push(entity);
        id
    } else {
        let place = hierarchy.pose(entity);
        let whole = BodyDef {
            position: Position::from(place.position),
            angle: place.rotation.angle(),
            linear_velocity: velocity.linear,
            angular_velocity: velocity.angular,
            user_key: key,
            ..def.clone()
        };
        physics.world.create_body(&whole).map_err(FaultReason::Refused)?
    };
    physics.entities.saved.bodies.set(id.index(), id, def);
    let body = physics.world.body(id).expect("it was made or found");
    link.id = Some(id);
    link.jump(body.pose());
    link.written_velocity = (velocity.linear, velocity.angular);
    link.keep(hierarchy.written(entity), hierarchy.parent_frame(entity));
    link.scale = hierarchy.scale(entity);
    sleep.asleep = sleeps(&body);
    physics.entities.add_body(key, id, entity);
    Ok(())
}

/// Whether a body sleeps; static and disabled bodies do not.
pub(crate) fn sleeps(body: &BodyRef<'_>) -> bool {
    body.kind() != BodyKind::Static && body.is_enabled() && !body.is_awake()
}

/// Gives the body of a restored world that has the key back to the entity.
fn adopt(physics: &mut Physics, key: u64, def: &BodyDef, link: &mut BodyLink) -> Option<BodyId> {
    let id = physics.orphans.remove(&key)?;
    let body = physics.world.body_mut(id).ok()?;
    if !physics.entities.saved.bodies.is(id.index(), id, def) {
        // The components' values replace the restored ones, except for pose and velocity.
        let _ = apply(body, def);
    }
    link.moved_at = 0;
    Some(id)
}

/// Bodies with changed settings. Most have none, and tables of these are not asked: so [`Body`] is not among them.
type ChangedSettings<'w, 's> = Query<
    'w,
    's,
    Entity,
    (
        With<Body>,
        Or<(
            Changed<Name>,
            Changed<Damping>,
            Changed<GravityScale>,
            Changed<LockedAxes>,
            Changed<MassOverride>,
            Changed<LastingForce>,
            Changed<BodyOptions>,
            Changed<SleepSettings>,
        )>,
        Allow<Disabled>,
    ),
>;

/// Applies the components of bodies whose values have changed since they were last applied, by key.
pub(crate) fn apply_bodies(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    kinds: Values<Body>,
    settings: ChangedSettings,
    bodies: Query<(BodySettings, &BodyLink)>,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let entities = pending
        .changed_bodies
        .drain()
        .chain(changed(&kinds, &run))
        .chain(&settings);
    let mut list: Vec<(u64, Entity)> = entities
        .filter_map(|entity| Some((bodies.get(entity).ok()?.1.key, entity)))
        .collect();
    list.sort_unstable();
    list.dedup();
    let Physics { world, entities, .. } = &mut *physics;
    for (_, entity) in list {
        let Ok((settings, &BodyLink { id: Some(id), .. })) = bodies.get(entity) else {
            continue;
        };
        let (def, applied) = (settings.def(), &mut entities.saved.bodies);
        if applied.is(id.index(), id, &def) {
            continue;
        }
        let Ok(body) = world.body_mut(id) else {
            continue;
        };
        if let Err(error) = apply(body, &def) {
            let reason = FaultReason::Refused(error);
            faults.write(PhysicsFault { entity, reason });
        }
        applied.set(id.index(), id, def);
    }
}
