//! Applies motions by the game: bodies whose `Transform` it wrote, bodies and colliders below entities that it moved,
//! and those that it gave another parent.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Or, ParamSet, Query, ResMut, With, Without};
use bevy_ecs::query::Allow;
use bevy_transform::components::Transform;
use tombolo_physics::{BodyMut, PhysicsError, Pose};

use super::hierarchy::{Hierarchy, Met};
use crate::body::Body;
use crate::collider::Collider;
use crate::events::{FaultReason, PhysicsFault};
use crate::link::BodyLink;
use crate::pending::Pending;
use crate::world::Physics;

/// Bodies whose Transform was written since the last step, by the plugin or by the game.
type Written<'w, 's> = Query<
    'w,
    's,
    (Entity, &'static Transform, &'static BodyLink),
    (With<Body>, Changed<Transform>, Allow<Disabled>),
>;

/// Bodies with a changed parent.
type Rehung<'w, 's> = Query<'w, 's, Entity, (With<Body>, Changed<ChildOf>, Allow<Disabled>)>;

/// Other entities that may have bodies and colliders below them, and were moved.
type Carriers<'w, 's> = Query<
    'w,
    's,
    Entity,
    (
        Without<Body>,
        Or<(Changed<Transform>, Changed<ChildOf>)>,
        Or<(With<Children>, With<Collider>)>,
        Allow<Disabled>,
    ),
>;

/// Teleports bodies, by key, and records colliders whose pose in their body's frame has changed.
pub(crate) fn follow_transforms(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut links: ParamSet<(Written, Query<&mut BodyLink, Allow<Disabled>>)>,
    rehung: Rehung,
    carriers: Carriers,
    hierarchy: Hierarchy,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let pending = &mut *pending;
    let mut bodies: Vec<Entity> = Vec::new();
    let mut walk = |from: Entity| {
        hierarchy.walk(from, false, &mut |met| match met {
            Met::Body(body) => bodies.push(body),
            Met::Collider(collider) => pending.colliders.push(collider),
        });
    };
    let mut rescaled: Vec<Entity> = Vec::new();
    for (entity, transform, link) in &links.p0() {
        if link.id.is_none() {
            continue;
        }
        if !link.wrote(transform) {
            walk(entity);
        }
        if link.scale != transform.scale.truncate() {
            rescaled.push(entity);
        }
    }
    rehung.iter().chain(&carriers).for_each(&mut walk);
    core::mem::take(&mut pending.moved).into_iter().for_each(walk);
    let mut links = links.p1();
    for entity in rescaled {
        if let Ok(mut link) = links.get_mut(entity) {
            link.scale = hierarchy.scale(entity);
        }
        hierarchy.walk(entity, true, &mut |met| match met {
            Met::Body(body) => bodies.push(body),
            Met::Collider(collider) => pending.colliders.push(collider),
        });
    }
    let key = |entity: Entity| Some((links.get(entity).ok()?.key, entity));
    let mut list: Vec<(u64, Entity)> = bodies.into_iter().filter_map(key).collect();
    list.sort_unstable();
    list.dedup();
    for (key, entity) in list {
        let Ok(mut link) = links.get_mut(entity) else {
            continue;
        };
        let (written, parent) = (hierarchy.written(entity), hierarchy.parent_frame(entity));
        if link.written == written && link.parent == parent {
            continue;
        }
        let Some(Ok(body)) = link.id.map(|id| physics.world.body_mut(id)) else {
            continue;
        };
        match teleport(body, hierarchy.pose(entity), &mut link) {
            // A character begins anew there, at rest and in the air.
            Ok(()) => drop(physics.entities.kept.characters.remove(&key)),
            Err(error) => {
                let reason = FaultReason::Refused(error);
                faults.write(PhysicsFault { entity, reason });
            }
        }
        (link.written, link.parent) = (written, parent);
    }
}

/// Moves a body to a pose, without interpolation from the old one.
fn teleport(mut body: BodyMut<'_>, pose: Pose, link: &mut BodyLink) -> Result<(), PhysicsError> {
    body.teleport(pose)?;
    link.jump(pose);
    Ok(())
}
