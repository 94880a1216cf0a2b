//! New bodies, and changed components of bodies.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Or, Query, ResMut, With};
use bevy_ecs::query::Allow;
use tombolo_physics::{BodyDef, BodyId, Position};

use super::hierarchy::{Hierarchy, Met};
use crate::body::{
    Body, BodyOptions, BodySettings, Damping, GravityScale, LastingForce, LockedAxes, MassOverride,
    SleepSettings, SleepState, Velocity, apply,
};
use crate::events::{FaultReason, PhysicsFault};
use crate::key::StableKey;
use crate::link::BodyLink;
use crate::pending::Pending;
use crate::world::Physics;

/// Makes the bodies of entities that got one since the last step, by key.
pub(crate) fn create_bodies(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut bodies: Query<(
        BodySettings,
        &Velocity,
        Option<&StableKey>,
        &mut BodyLink,
        &mut SleepState,
    )>,
    hierarchy: Hierarchy,
    mut faults: MessageWriter<PhysicsFault>,
) {
    if pending.bodies.is_empty() && physics.orphans.is_empty() {
        return;
    }
    let physics = &mut *physics;
    let mut new: Vec<(u64, Entity)> = Vec::with_capacity(pending.bodies.len());
    for entity in core::mem::take(&mut pending.bodies) {
        let Ok((_, _, key, mut link, _)) = bodies.get_mut(entity) else {
            continue;
        };
        if link.id.is_some() {
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
    for (key, entity) in new {
        let Ok((settings, velocity, _, mut link, mut sleep)) = bodies.get_mut(entity) else {
            continue;
        };
        if link.id.is_some() {
            continue;
        }
        let mut refuse = |reason| {
            faults.write(PhysicsFault { entity, reason });
        };
        if physics.entities.by_key.contains_key(&key) {
            refuse(FaultReason::KeyInUse(key));
            continue;
        }
        let def = settings.def();
        let place = hierarchy.pose(entity);
        let id = match adopt(physics, key, &def, &mut link) {
            Some(id) => {
                physics.stale.push(entity);
                id
            }
            None => {
                let def = BodyDef {
                    position: Position::from(place.position),
                    angle: place.rotation.angle(),
                    linear_velocity: velocity.linear,
                    angular_velocity: velocity.angular,
                    user_key: key,
                    ..def
                };
                match physics.world.create_body(&def) {
                    Ok(id) => id,
                    Err(error) => {
                        refuse(FaultReason::Refused(error));
                        continue;
                    }
                }
            }
        };
        let body = physics.world.body(id).expect("it was made or found");
        link.id = Some(id);
        link.jump(body.pose());
        link.written_velocity = (velocity.linear, velocity.angular);
        link.parent = hierarchy.parent_frame(entity);
        link.written = hierarchy.written(entity);
        link.scale = hierarchy.scale(entity);
        sleep.asleep =
            body.kind() != tombolo_physics::BodyKind::Static && body.is_enabled() && !body.is_awake();
        physics.entities.add_body(key, id, entity);
        hierarchy.walk(entity, true, &mut |met| {
            if let Met::Collider(collider) = met {
                pending.colliders.push(collider);
            }
        });
    }
    // What a restored world has, and no entity has come for.
    for (_, body) in core::mem::take(&mut physics.orphans) {
        let _ = physics.world.destroy_body(body);
    }
}

/// The body of a restored world that has the key: it is the entity's again.
fn adopt(physics: &mut Physics, key: u64, def: &BodyDef, link: &mut BodyLink) -> Option<BodyId> {
    let id = physics.orphans.remove(&key)?;
    let body = physics.world.body_mut(id).ok()?;
    // What the components say counts, but for where it is and how it moves.
    let _ = apply(body, def);
    link.moved_at = 0;
    Some(id)
}

/// Applies the components of bodies that changed, by key.
pub(crate) fn apply_bodies(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    changed: Query<
        Entity,
        (
            With<Body>,
            Or<(
                Changed<Body>,
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
    >,
    bodies: Query<(BodySettings, &BodyLink)>,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let entities = pending.changed_bodies.drain(..).chain(&changed);
    let mut list: Vec<(u64, Entity)> = entities
        .filter_map(|entity| Some((bodies.get(entity).ok()?.1.key, entity)))
        .collect();
    list.sort_unstable();
    list.dedup();
    for (_, entity) in list {
        let Ok((settings, link)) = bodies.get(entity) else {
            continue;
        };
        let Some(Ok(body)) = link.id.map(|id| physics.world.body_mut(id)) else {
            continue;
        };
        if let Err(error) = apply(body, &settings.def()) {
            let reason = FaultReason::Refused(error);
            faults.write(PhysicsFault { entity, reason });
        }
    }
}
