//! Creates the fields of entities, and has them follow their components and their entities.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Entity, Has, Query, ResMut};
use tombolo_physics::{FieldDef, FieldId, PhysicsError, Pose};

use super::hierarchy::Hierarchy;
use crate::events::{FaultReason, PhysicsFault};
use crate::field::Field;
use crate::key::StableKey;
use crate::link::FieldLink;
use crate::pending::Pending;
use crate::saved_state::SavedField;
use crate::world::Physics;

/// The distance in meters, and the angle in radians, by which a field may differ from its entity's pose: one on a body
/// that comes to rest must not wake it for the last hundredths of a millimeter.
const STRAY_MAX: f32 = 1.0e-4;

/// Fields, also those of disabled entities.
type Fields<'w, 's> = Query<
    'w,
    's,
    (
        &'static Field,
        &'static mut FieldLink,
        Option<&'static StableKey>,
        Has<Disabled>,
    ),
>;

/// Applies all fields, by key. Those whose keys are in use wait until they are free. Costs a look at each field.
pub(crate) fn apply_fields(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    mut fields: Fields,
    hierarchy: Hierarchy,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let (physics, pending) = (&mut *physics, &mut *pending);
    give_keys(physics, pending, &mut fields, &mut faults);
    let by_key = &physics.entities.fields_by_key;
    let all: Vec<(u64, Entity)> = by_key.iter().map(|(&key, &entity)| (key, entity)).collect();
    for (key, entity) in all {
        let Ok((field, mut link, _, is_hidden)) = fields.get_mut(entity) else {
            continue;
        };
        let is_enabled = field.def.enabled && !is_hidden;
        match update(physics, key, &field.def, hierarchy.pose(entity), is_enabled) {
            Ok(id) => {
                pending.refused_fields.remove(entity);
                if link.id != Some(id) {
                    link.id = Some(id);
                }
            }
            Err(error) => {
                let reason = FaultReason::Refused(error);
                if let Some(fault) = pending.refused_fields.add(entity, reason) {
                    faults.write(fault);
                }
            }
        }
    }
    if physics.restored.is_some() {
        remove_unknown(physics);
    }
}

/// Gives keys to the entities that got a field, in the order in which they were spawned.
fn give_keys(
    physics: &mut Physics,
    pending: &mut Pending,
    fields: &mut Fields,
    faults: &mut MessageWriter<PhysicsFault>,
) {
    let mut new: Vec<(u64, Entity)> = Vec::new();
    for entity in pending.fields.take() {
        let Ok((_, mut link, key, _)) = fields.get_mut(entity) else {
            pending.refused_fields.remove(entity);
            continue;
        };
        // Read again as long as there is no field: another key may be free.
        match key {
            Some(key) if link.id.is_none() => link.key = key.user_key(),
            None if link.key == 0 => link.key = physics.entities.give_key(),
            _ => {}
        }
        new.push((link.key, entity));
    }
    new.sort_by_key(|(key, _)| *key);
    new.dedup();
    for (key, entity) in new {
        let holder = *physics.entities.fields_by_key.entry(key).or_insert(entity);
        if holder != entity {
            let reason = FaultReason::KeyInUse(key);
            if let Some(fault) = pending.refused_fields.add(entity, reason) {
                faults.write(fault);
            }
            pending.fields.push(entity);
        }
    }
}

/// Makes a field that of a component, at a pose. One that a call has destroyed stays away until the component has another
/// value.
fn update(
    physics: &mut Physics,
    key: u64,
    wanted: &FieldDef,
    pose: Pose,
    is_enabled: bool,
) -> Result<FieldId, PhysicsError> {
    let Physics { world, entities, .. } = physics;
    let saved = entities.saved.fields.get(&key);
    if let Some(SavedField { id, def }) = saved
        && is_same(def, wanted, is_enabled)
        && (is_near(def, pose) || world.field(*id).is_none())
    {
        return Ok(*id);
    }
    let def = FieldDef {
        position: pose.position.into(),
        angle: pose.rotation.angle(),
        enabled: is_enabled,
        user_key: key,
        ..wanted.clone()
    };
    let id = match saved
        .map(|saved| saved.id)
        .filter(|&id| world.field(id).is_some())
    {
        Some(id) => {
            world.set_field(id, &def)?;
            id
        }
        None => world.create_field(&def)?,
    };
    let saved = SavedField { id, def: def.into() };
    entities.saved.fields.insert(key, saved);
    Ok(id)
}

/// Whether a definition that was applied is that of a component, apart from its pose.
fn is_same(applied: &FieldDef, wanted: &FieldDef, is_enabled: bool) -> bool {
    let FieldDef {
        kind,
        area,
        position: _,
        angle: _,
        mask,
        replaces_gravity,
        enabled,
        user_key: _,
    } = applied;
    *kind == wanted.kind
        && *area == wanted.area
        && *mask == wanted.mask
        && *replaces_gravity == wanted.replaces_gravity
        && *enabled == is_enabled
}

fn is_near(applied: &FieldDef, pose: Pose) -> bool {
    let apart = applied.position.to_vec2() - pose.position;
    // The sine of the angle between them, which is small too where angles are a turn apart.
    let turned = Pose::new(pose.position, applied.angle).rotation.to(pose.rotation);
    apart.abs().max_element() <= STRAY_MAX && turned.cos > 0.0 && turned.sin.abs() <= STRAY_MAX
}

/// Removes fields of a restored world that belonged to an entity and belong to none now.
fn remove_unknown(physics: &mut Physics) {
    let Physics { world, entities, .. } = physics;
    let by_key = &entities.fields_by_key;
    entities.saved.fields.retain(|key, field| {
        let is_known = by_key.contains_key(key);
        if !is_known {
            // A call may have destroyed it.
            let _ = world.destroy_field(field.id);
        }
        is_known
    });
}
