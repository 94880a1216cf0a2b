//! Checks of a restored world before it is accepted: its parts rely on each other, entities on their components,
//! components on their objects in physics, events on their entities.
//!
//! States that a program may have caused through [`World::physics_mut`](super::World::physics_mut) are accepted:
//! bodies and shapes that are missing, and bodies without an entity.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Component, DataError, Dense, Entity, EntitySystem, ManagerId};
use tombolo_geometry::{Pose, Vec2};
use tombolo_physics::{BodyId, MemberId, PhysicsWorld};

use super::hierarchy::transforms;
use crate::component::{
    BODY, Body, CHARACTER, COLLIDER, Character, Collider, FIELD, JOINT, Joint, NAMES, RIGID_WELD, RigidWeld,
    TILES, TRANSFORM, TRIGGER, Tiles, Transform, Trigger, ZONE, Zone,
};

/// Refuses entities and physics that do not belong together. Costs a sort of the components that have objects in
/// physics.
pub(super) fn check(physics: &PhysicsWorld, entities: &EntitySystem) -> Result<(), DataError> {
    check_components(entities)?;
    check_parents(entities)?;
    check_visitors(entities)?;
    check_characters(entities)?;
    check_bodies(physics, entities)?;
    check_shapes(physics, entities)?;
    check_tiles(physics, entities)?;
    check_joints(physics, entities)?;
    check_welds(physics, entities)
}

/// Completes the sensors of each trigger: a save has the first, and the others are the parts of the same concave polygon.
pub(super) fn complete_triggers(physics: &PhysicsWorld, entities: &mut EntitySystem) {
    let triggers: Option<&mut Dense<Trigger>> = entities.manager_mut(TRIGGER);
    for trigger in triggers.into_iter().flat_map(Dense::values_mut) {
        let first = trigger.shape().and_then(|id| physics.shape(id));
        let polygon = first.and_then(|shape| physics.concave_polygon(shape.part_of()?));
        if let Some(polygon) = polygon {
            trigger.shapes = polygon.parts().map(|part| part.id()).collect();
        }
    }
}

/// Sets the pose of each entity with a body to that of the body, and the user key of each such body to its entity. In
/// a world's own save both hold already, unless the program has changed the body's user key; or, for those in
/// `behind`, has moved the body and the entity follows in the next step.
pub(super) fn align(physics: &mut PhysicsWorld, entities: &mut EntitySystem, behind: &BTreeSet<Entity>) {
    let bodies: Option<&Dense<Body>> = entities.manager(BODY);
    let owners = bodies
        .into_iter()
        .flat_map(|bodies| bodies.owners().zip(bodies.values()));
    let owners = owners.map(|((entity, _), body)| (entity, body));
    let (welded, alone): (Vec<_>, Vec<_>) = owners.partition(|(_, body)| body.member.is_some());
    let welded: Vec<(Entity, MemberId)> = welded
        .into_iter()
        .filter_map(|(entity, body)| Some((entity, body.member?)))
        .collect();
    let owned: Vec<(Entity, BodyId)> = alone
        .into_iter()
        .filter_map(|(entity, body)| Some((entity, body.id?)))
        .collect();
    let transforms: Option<&mut Dense<Transform>> = entities.manager_mut(TRANSFORM);
    let Some(transforms) = transforms else { return };
    for (entity, id) in owned {
        let Ok(mut body) = physics.body_mut(id) else {
            continue;
        };
        let pose = body.view().pose();
        if body.view().user_key() != entity.to_bits() {
            body.set_user_key(entity.to_bits());
        }
        follow(transforms, behind, entity, pose);
    }
    for (entity, id) in welded {
        let Some(member) = physics.member(id) else {
            continue;
        };
        let (key, pose) = (member.user_key(), member.pose());
        if key != entity.to_bits() {
            // The member exists.
            drop(physics.set_member_user_key(id, entity.to_bits()));
        }
        follow(transforms, behind, entity, pose);
    }
}

/// Sets the pose of an entity to that of its body, unless it follows in the next step.
fn follow(transforms: &mut Dense<Transform>, behind: &BTreeSet<Entity>, entity: Entity, pose: Pose) {
    if let Some(transform) = transforms.newest_mut(entity)
        && !behind.contains(&entity)
        && !is_near(transform.world(), pose)
    {
        transform.follow_body(pose);
    }
}

/// Whether two poses differ only by rounding: a body that was moved by a call has its rotation from an angle.
fn is_near(a: Pose, b: Pose) -> bool {
    const ROUNDING: f32 = 1.0e-4;
    let rotation = Vec2::new(a.rotation.cos - b.rotation.cos, a.rotation.sin - b.rotation.sin);
    let apart = (a.position - b.position).abs().max_element();
    apart <= ROUNDING && rotation.abs().max_element() <= ROUNDING
}

fn broken(what: &str) -> DataError {
    DataError::broken(what)
}

/// Checks that each entity has one Transform and at most one Body, and that the engine's managers hold the components
/// of the index, and no others of the kinds that physics or poses depend on.
fn check_components(entities: &EntitySystem) -> Result<(), DataError> {
    const FOLLOWED: [ManagerId; 9] = [
        TRANSFORM, BODY, COLLIDER, JOINT, TRIGGER, ZONE, FIELD, TILES, RIGID_WELD,
    ];
    // Every entity ever created had a Transform. This also keeps memory in proportion to the bytes: many arrays are
    // indexed by slot.
    let slot_count = entities.entities().as_map().slot_count();
    let of_transforms = transforms(entities).map_or(0, Dense::slot_count);
    if entities.index().slot_count().min(of_transforms) < slot_count {
        return Err(broken("an entity that there was had no Transform"));
    }
    let mut counts = [0; FOLLOWED.len()];
    for entity in entities.entities().iter() {
        let (mut of_transforms, mut of_bodies) = (0, 0);
        for row in entities.components(entity) {
            of_transforms += usize::from(row.manager == TRANSFORM);
            of_bodies += usize::from(row.manager == BODY);
            let place = FOLLOWED.iter().position(|manager| *manager == row.manager);
            if usize::from(row.manager.0) >= NAMES.len() {
                continue;
            }
            let manager = entities.any_manager(row.manager);
            if !manager.is_some_and(|manager| manager.contains(entity, row.name.into())) {
                return Err(broken("an entity has a component that its manager does not hold"));
            }
            if let Some(place) = place {
                counts[place] += 1;
            }
        }
        if of_transforms != 1 || of_bodies > 1 {
            return Err(broken("an entity has one Transform and at most one Body"));
        }
    }
    for (manager, count) in FOLLOWED.into_iter().zip(counts) {
        if entities.any_manager(manager).map(|manager| manager.len()) != Some(count) {
            let name = NAMES[usize::from(manager.0)];
            return Err(DataError::broken(format!("there is a {name} without a name")));
        }
    }
    Ok(())
}

/// Checks that no parent is an entity that was not created yet.
fn check_parents(entities: &EntitySystem) -> Result<(), DataError> {
    let mut parents = transforms(entities).into_iter().flat_map(Dense::values);
    let is_known = |parent: Entity| entities.entities().has_lived(parent);
    if parents.all(|transform| transform.parent.is_none_or(is_known)) {
        return Ok(());
    }
    Err(broken("an entity's parent has never been"))
}

/// Checks that characters touch no entity that was not created yet.
fn check_characters(entities: &EntitySystem) -> Result<(), DataError> {
    let mut touched = values::<Character>(entities, CHARACTER)
        .iter()
        .flat_map(|character| &character.touched);
    if touched.all(|(_, other)| entities.entities().has_lived(*other)) {
        return Ok(());
    }
    Err(broken("a character touches somebody who has never been"))
}

/// Checks that only existing entities are in a zone, and none in its own.
fn check_visitors(entities: &EntitySystem) -> Result<(), DataError> {
    let zones: Option<&Dense<Zone>> = entities.manager(ZONE);
    let mut zones = zones
        .into_iter()
        .flat_map(|zones| zones.owners().zip(zones.values()));
    let can_be = |owner: Entity, visitor: Entity| visitor != owner && entities.entities().is_alive(visitor);
    if zones.all(|((owner, _), zone)| zone.visitors.iter().all(|visitor| can_be(owner, *visitor))) {
        return Ok(());
    }
    Err(broken("somebody is in a zone who cannot be"))
}

fn values<T: Component>(entities: &EntitySystem, manager: ManagerId) -> &[T] {
    entities.manager::<Dense<T>>(manager).map_or(&[], Dense::values)
}

/// Checks that each body is in this physics, and belongs to one component.
fn check_bodies(physics: &PhysicsWorld, entities: &EntitySystem) -> Result<(), DataError> {
    let own = values::<Body>(entities, BODY).iter().filter_map(|body| body.id);
    let sensors = values::<Trigger>(entities, TRIGGER).iter();
    let mut seen = BTreeSet::new();
    for id in own.chain(sensors.filter_map(|trigger| trigger.own_body)) {
        if !physics.has_held_body(id) || !seen.insert(id) {
            return Err(broken(
                "a body that physics has not made, or not for this component",
            ));
        }
    }
    Ok(())
}

/// Checks that each rigid weld, and each member of a composite, is in this physics, and belongs to one component.
fn check_welds(physics: &PhysicsWorld, entities: &EntitySystem) -> Result<(), DataError> {
    let mut seen = BTreeSet::new();
    let mut welds = values::<RigidWeld>(entities, RIGID_WELD)
        .iter()
        .filter_map(|weld| weld.id);
    if !welds.all(|id| physics.has_held_rigid_weld(id) && seen.insert(id)) {
        return Err(broken(
            "a rigid weld that physics has not made, or not for this component",
        ));
    }
    let mut seen = BTreeSet::new();
    let mut members = values::<Body>(entities, BODY)
        .iter()
        .filter_map(|body| body.member);
    if !members.all(|id| physics.has_held_member(id) && seen.insert(id)) {
        return Err(broken(
            "a member that physics has not made, or not for this component",
        ));
    }
    Ok(())
}

/// Checks that each shape is in this physics, and belongs to one component.
fn check_shapes(physics: &PhysicsWorld, entities: &EntitySystem) -> Result<(), DataError> {
    let of_colliders = values::<Collider>(entities, COLLIDER).iter();
    let of_triggers = values::<Trigger>(entities, TRIGGER).iter();
    let shapes = of_colliders.flat_map(|collider| collider.shapes.iter().copied());
    let mut seen = BTreeSet::new();
    for id in shapes.chain(of_triggers.flat_map(|trigger| trigger.shapes.iter().copied())) {
        if !physics.has_held_shape(id) || !seen.insert(id) {
            return Err(broken(
                "a shape that physics has not made, or not for this component",
            ));
        }
    }
    Ok(())
}

/// Checks that each grid of tiles is in this physics, and belongs to one component.
fn check_tiles(physics: &PhysicsWorld, entities: &EntitySystem) -> Result<(), DataError> {
    let mut seen = BTreeSet::new();
    let mut ids = values::<Tiles>(entities, TILES)
        .iter()
        .filter_map(|tiles| tiles.id());
    if ids.all(|id| physics.has_held_tile_grid(id) && seen.insert(id)) {
        return Ok(());
    }
    Err(broken(
        "a grid of tiles that physics has not made, or not for this component",
    ))
}

/// Checks that each joint is in this physics, and belongs to one component.
fn check_joints(physics: &PhysicsWorld, entities: &EntitySystem) -> Result<(), DataError> {
    let mut seen = BTreeSet::new();
    for id in values::<Joint>(entities, JOINT)
        .iter()
        .filter_map(|joint| joint.id)
    {
        if !physics.has_held_joint(id) || !seen.insert(id) {
            return Err(broken(
                "a joint that physics has not made, or not for this component",
            ));
        }
    }
    Ok(())
}
