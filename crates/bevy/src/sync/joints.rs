//! Creates new joints and applies changes of them.

use std::collections::BTreeSet;

use bevy_ecs::change_detection::DetectChanges;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Query, Ref, ResMut};
use bevy_ecs::query::Allow;
use bevy_ecs::system::SystemChangeTick;
use tombolo_physics::{JointDef, JointId, PhysicsError};

use crate::events::{FaultReason, PhysicsFault};
use crate::joint::Joint;
use crate::key::StableKey;
use crate::link::JointLink;
use crate::pending::Pending;
use crate::world::Physics;

/// Takes the broken joints that the game has set again since the last step for such as are still to be made: before a save, after
/// which this is no longer known.
pub(crate) fn mend_joints(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut joints: Query<(Entity, Ref<Joint>, &mut JointLink), Allow<Disabled>>,
) {
    let physics = &mut *physics;
    let broken = &mut physics.entities.saved.broken_joints;
    let Some(applied) = physics.joints_applied.filter(|_| !broken.is_empty()) else {
        return;
    };
    for (entity, joint, mut link) in &mut joints {
        if link.has_broken && joint.last_changed().is_newer_than(applied, run.this_run()) {
            link.has_broken = false;
            broken.remove(link.key);
            pending.joints.push(entity);
        }
    }
}

/// Applies the components of joints that were added or changed, by key. Joints whose bodies do not exist wait for them,
/// and those whose keys are in use until they are free.
pub(crate) fn apply_joints(
    run: SystemChangeTick,
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    changed: Query<Entity, (Changed<Joint>, Allow<Disabled>)>,
    mut joints: Query<(Ref<Joint>, &mut JointLink, Option<&StableKey>), Allow<Disabled>>,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let (physics, pending) = (&mut *physics, &mut *pending);
    physics.joints_applied = Some(run.this_run());
    let mut list: Vec<(u64, Entity)> = Vec::new();
    for entity in pending.joints.drain().chain(&changed) {
        let Ok((_, mut link, key)) = joints.get_mut(entity) else {
            pending.refused_joints.remove(entity);
            continue;
        };
        read_key(physics, &mut link, key);
        list.push((link.key, entity));
    }
    list.sort_by_key(|(key, _)| *key);
    list.dedup();
    for (key, entity) in list {
        let Ok((joint, mut link, _)) = joints.get_mut(entity) else {
            continue;
        };
        if link.has_broken && !joint.is_changed() {
            continue;
        }
        let holder = physics.entities.joints_by_key.get(&key);
        if holder.is_some_and(|&holder| holder != entity) {
            let reason = FaultReason::KeyInUse(key);
            if let Some(fault) = pending.refused_joints.add(entity, reason) {
                faults.write(fault);
            }
            pending.joints.push(entity);
            continue;
        }
        pending.refused_joints.remove(entity);
        if physics.restored.is_some() && link.id.is_none() && stays_without(physics, key, entity, &mut link) {
            continue;
        }
        let [a, b] = joint.bodies.map(|body| physics.entities.body_of(body));
        let (Some(a), Some(b)) = (a, b) else {
            if let Some(id) = link.id.take() {
                // One of its bodies belongs to another entity now, or to none.
                let _ = physics.world.destroy_joint(id);
                physics.entities.remove_joint(key);
            }
            pending.joints.push(entity);
            continue;
        };
        let Some(def) = joint.filled([a, b], key) else {
            continue;
        };
        match update(physics, link.id, &def) {
            Ok(id) => {
                (link.id, link.has_broken) = (Some(id), false);
                physics.entities.add_joint(key, id, entity);
            }
            Err(error) => {
                let reason = FaultReason::Refused(error);
                faults.write(PhysicsFault { entity, reason });
            }
        }
    }
    if physics.restored.take().is_some() {
        remove_unknown(physics);
        forget_broken(physics, &joints);
    }
}

/// Reads the key of a joint, again as long as there is no joint: another key may mend what refused it.
fn read_key(physics: &mut Physics, link: &mut JointLink, key: Option<&StableKey>) {
    match key {
        Some(key) if link.id.is_none() && !link.has_broken => link.key = key.user_key(),
        None if link.key == 0 => link.key = physics.entities.give_key(),
        _ => {}
    }
}

/// Gives the joint of a restored world that has the key to an entity. Returns whether it broke by then, and the entity was spawned
/// again since, or a call had destroyed it: then the entity gets no other one.
fn stays_without(physics: &mut Physics, key: u64, entity: Entity, link: &mut JointLink) -> bool {
    let Physics { world, entities, .. } = physics;
    if !link.has_broken && entities.saved.broken_joints.has(key) {
        link.has_broken = true;
        return true;
    }
    link.id = entities.saved.joint_ids.get(key);
    let is_gone = link.id.is_some_and(|id| world.joint(id).is_none());
    if is_gone {
        entities.joints_by_key.insert(key, entity);
    }
    is_gone
}

/// Removes joints of a restored world that belonged to an entity and belong to none now.
fn remove_unknown(physics: &mut Physics) {
    let Physics { world, entities, .. } = physics;
    let all = entities.saved.joint_ids.iter();
    let unknown: Vec<(u64, JointId)> = all
        .filter(|(key, _)| !entities.joints_by_key.contains_key(key))
        .collect();
    for (key, joint) in unknown {
        let _ = world.destroy_joint(joint);
        entities.remove_joint(key);
    }
}

/// Forgets the joints of a restored world that broke and belong to no entity now.
fn forget_broken(
    physics: &mut Physics,
    joints: &Query<(Ref<Joint>, &mut JointLink, Option<&StableKey>), Allow<Disabled>>,
) {
    let broken = &mut physics.entities.saved.broken_joints;
    if broken.is_empty() {
        return;
    }
    let links = joints.iter().map(|(_, link, _)| link);
    let held: BTreeSet<u64> = links
        .filter(|link| link.has_broken)
        .map(|link| link.key)
        .collect();
    let all: Vec<u64> = broken.iter().map(|(key, ())| key).collect();
    for key in all {
        if !held.contains(&key) {
            broken.remove(key);
        }
    }
}

/// Changes one joint to agree with its component, if that has another value than it had when it was last applied.
fn update(physics: &mut Physics, id: Option<JointId>, def: &JointDef) -> Result<JointId, PhysicsError> {
    if let Some(id) = id
        && let Ok(mut joint) = physics.world.joint_mut(id)
    {
        let applied = &mut physics.entities.saved.joints;
        if applied.is(id.index(), id, def) {
            return Ok(id);
        }
        let is = joint.view().def();
        if is.kind() == def.kind() && is.bodies() == def.bodies() {
            if is != *def {
                joint.set_def(def.clone())?;
            }
            applied.set(id.index(), id, def.clone());
            return Ok(id);
        }
    }
    let new = physics.world.create_joint(def.clone())?;
    // One that is refused leaves the old joint. That may be gone with a body, too.
    if let Some(old) = id {
        let _ = physics.world.destroy_joint(old);
    }
    let applied = &mut physics.entities.saved.joints;
    applied.set(new.index(), new, def.clone());
    Ok(new)
}
