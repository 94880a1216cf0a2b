//! Applies motions by the game: bodies whose `Transform` it wrote, bodies and colliders below entities that it moved,
//! and those that it gave another parent.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::hierarchy::{ChildOf, Children};
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Or, ParamSet, Query, Ref, ResMut, With, Without};
use bevy_ecs::query::{Allow, Has};
use bevy_ecs::system::SystemChangeTick;
use bevy_math::Vec2;
use bevy_transform::components::Transform;
use tombolo_physics::{BodyMut, PhysicsError, Pose};

use super::hierarchy::{Found, Hierarchy};
use crate::body::Body;
use crate::collider::Collider;
use crate::events::{FaultReason, PhysicsFault};
use crate::link::BodyLink;
use crate::own_writes::{IN_TABLES, Known};
use crate::pending::Pending;
use crate::world::Physics;

/// Bodies, whose Transforms were written since the last step by the plugin, by the game, or not at all.
type Placed<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        Ref<'static, Transform>,
        &'static BodyLink,
        Has<ChildOf>,
        Has<Disabled>,
    ),
    With<Body>,
>;

/// Bodies with a changed parent.
type Reparented<'w, 's> = Query<'w, 's, Entity, (With<Body>, Changed<ChildOf>, Allow<Disabled>)>;

/// Other entities that may have bodies and colliders below them, and were moved.
type MovedAncestors<'w, 's> = Query<
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
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut links: ParamSet<(Placed, Query<&mut BodyLink, Allow<Disabled>>)>,
    reparented: Reparented,
    ancestors: MovedAncestors,
    hierarchy: Hierarchy,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let pending = &mut *pending;
    let mut bodies: Vec<Entity> = Vec::new();
    let mut walk = |from: Entity| {
        hierarchy.walk(from, false, &mut |found| match found {
            Found::Body(body) => bodies.push(body),
            Found::Collider(collider) => pending.colliders.push(collider),
        });
    };
    let own = Known::since(Some(run.last_run()), run.this_run(), physics.own.ticks());
    physics.own.followed = Some(run.this_run());
    for (entities, transforms, links, is_nested, _) in links.p0().contiguous_iter().expect(IN_TABLES) {
        // The scale of one with a parent is also that of the parent, so what the plugin wrote is looked at too.
        let known = if is_nested { Known::unchanged(&run) } else { own };
        known.each_other(transforms.changed_ticks_slice(), |row| {
            let (entity, transform, link) = (entities[row], &transforms[row], &links[row]);
            if link.id.is_none() {
                return;
            }
            let scale = if is_nested {
                hierarchy.scale(entity)
            } else {
                transform.scale.truncate()
            };
            if !link.wrote(transform) || !is_same(link.scale, scale) {
                walk(entity);
            }
        });
    }
    reparented.iter().chain(&ancestors).for_each(&mut walk);
    pending.moved.take().into_iter().for_each(walk);
    let mut links = links.p1();
    rescale(&bodies, &mut links, &hierarchy, pending);
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
            Ok(()) => drop(physics.entities.saved.characters.remove(&key)),
            Err(error) => {
                let reason = FaultReason::Refused(error);
                faults.write(PhysicsFault { entity, reason });
            }
        }
        link.keep(written, parent);
    }
}

/// Whether two scales have the same bits: one that is no number is no change in each step.
fn is_same(one: Vec2, other: Vec2) -> bool {
    one.to_array().map(f32::to_bits) == other.to_array().map(f32::to_bits)
}

/// Records the colliders of bodies that have another scale now than when these were last updated: it scales and moves them.
fn rescale(
    bodies: &[Entity],
    links: &mut Query<&mut BodyLink, Allow<Disabled>>,
    hierarchy: &Hierarchy,
    pending: &mut Pending,
) {
    for &entity in bodies {
        let Ok(mut link) = links.get_mut(entity) else {
            continue;
        };
        let scale = hierarchy.scale(entity);
        if !is_same(link.scale, scale) {
            link.scale = scale;
            hierarchy.walk(entity, true, &mut |found| {
                if let Found::Collider(collider) = found {
                    pending.colliders.push(collider);
                }
            });
        }
    }
}

/// Moves a body to a pose, without interpolation from the old one.
fn teleport(mut body: BodyMut<'_>, pose: Pose, link: &mut BodyLink) -> Result<(), PhysicsError> {
    body.teleport(pose)?;
    link.jump(pose);
    Ok(())
}
