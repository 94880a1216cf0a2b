//! [`Physical`]: having physics make what an entity's components ask for, taking it away, and putting it elsewhere.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Component, Dense, Entity, EntitySystem, ManagerId, NameHash};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, PhysicsError, PhysicsWorld};

use crate::component::{
    BODY, Body, COLLIDER, Collider, FIELD, Field, JOINT, Joint, TILES, TRANSFORM, TRIGGER, Tiles, Transform,
    Trigger,
};
use crate::error::WorldError;
use crate::world::events::EntityEvents;
use crate::world::names::NameTable;

/// Those that meet.
pub(crate) struct Physical<'a> {
    pub(crate) physics: &'a mut PhysicsWorld,
    pub(crate) entities: &'a mut EntitySystem,
    pub(crate) names: &'a NameTable,
    pub(crate) entity_events: &'a mut EntityEvents,
}

/// An entity for a message: its name, or its number.
pub(crate) fn show(names: &NameTable, entity: Entity) -> Box<str> {
    match names.of(entity) {
        Some(name) => format!("{name:?}").into(),
        None => format!("{entity:?}").into(),
    }
}

impl Physical<'_> {
    /// Makes what the entity's components ask for and is not there yet, but for joints: body, shapes, sensors.
    pub(crate) fn complete(&mut self, entity: Entity) -> Result<(), WorldError> {
        let entries = Vec::from(self.entities.components(entity));
        let mut of_bodies = entries.iter().filter(|entry| entry.manager == BODY);
        let (body, second) = (of_bodies.next(), of_bodies.next());
        if let Some(second) = second {
            return Err(self.unfit(entity, second.name, "an entity has at most one Body"));
        }
        let body = body
            .map(|entry| self.create_body_of(entity, *entry))
            .transpose()?;
        for entry in &entries {
            match entry.manager {
                COLLIDER => {
                    if let Some(body) = body {
                        self.create_shapes_of(entity, *entry, body)?;
                    }
                }
                TRIGGER => self.create_sensor_of(entity, *entry, body)?,
                TILES => {
                    if let Some(body) = body {
                        self.create_tiles_of(entity, *entry, body)?;
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes the joints that the entity's components ask for and are not there yet.
    pub(crate) fn tie(&mut self, entity: Entity) -> Result<(), WorldError> {
        for entry in Vec::from(self.entities.components(entity)) {
            if entry.manager == JOINT {
                self.create_joint_of(entity, entry)?;
            }
        }
        Ok(())
    }

    /// Takes away what was made for components that have ended.
    pub(crate) fn tidy(&mut self) {
        if let Some(joints) = self.entities.manager_mut::<Dense<Joint>>(JOINT) {
            for id in joints.take_ended().into_iter().filter_map(|end| end.value.id) {
                drop(self.physics.destroy_joint(id));
            }
        }
        if let Some(fields) = self.entities.manager_mut::<Dense<Field>>(FIELD) {
            for id in fields.take_ended().into_iter().filter_map(|end| end.value.id) {
                drop(self.physics.destroy_field(id));
            }
        }
        if let Some(colliders) = self.entities.manager_mut::<Dense<Collider>>(COLLIDER) {
            for end in colliders.take_ended() {
                for id in end.value.shapes {
                    self.entity_events.gone(id, end.entity);
                    drop(self.physics.destroy_shape(id));
                }
            }
        }
        if let Some(triggers) = self.entities.manager_mut::<Dense<Trigger>>(TRIGGER) {
            for end in triggers.take_ended() {
                if let Some(shape) = end.value.shape {
                    self.entity_events.gone(shape, end.entity);
                    drop(self.physics.destroy_shape(shape));
                }
                if let Some(body) = end.value.own_body {
                    drop(self.physics.destroy_body(body));
                }
            }
        }
        let ended = self
            .entities
            .manager_mut::<Dense<Tiles>>(TILES)
            .map(Dense::take_ended);
        for end in ended.into_iter().flatten() {
            if let Some(id) = end.value.id {
                self.destroy_tiles(end.entity, id);
            }
        }
        if let Some(bodies) = self.entities.manager_mut::<Dense<Body>>(BODY) {
            for end in bodies.take_ended() {
                let body = end.value.id.and_then(|id| self.physics.body(id));
                if let Some(body) = body {
                    // Colliders may stay, and wait for another body.
                    for shape in body.shapes() {
                        self.entity_events.gone(shape.id(), end.entity);
                    }
                    let id = body.id();
                    drop(self.physics.destroy_body(id));
                }
            }
        }
    }

    /// Puts what physics holds of an entity at a pose: its body, and the sensors that have bodies of their own.
    pub(crate) fn teleport(&mut self, entity: Entity, pose: Pose) -> Result<(), PhysicsError> {
        // Bodies get the rotation that the angle of a Transform gives.
        let pose = Pose::new(pose.position, pose.rotation.angle());
        if let Some(id) = self.live_body(entity) {
            self.physics.body_mut(id)?.teleport(pose)?;
        }
        let triggers = self.entities.manager::<Dense<Trigger>>(TRIGGER);
        let own = triggers.into_iter().flat_map(|triggers| triggers.of(entity));
        let own = own.filter_map(|(_, trigger)| trigger.own_body);
        let own: Vec<BodyId> = own.filter(|id| self.physics.body(*id).is_some()).collect();
        for id in own {
            self.physics.body_mut(id)?.teleport(pose)?;
        }
        Ok(())
    }

    /// The entity's body, if physics has it.
    pub(crate) fn live_body(&self, entity: Entity) -> Option<BodyId> {
        let id = self.entities.manager::<Dense<Body>>(BODY)?.newest(entity)?.id?;
        self.physics.body(id).map(|body| body.id())
    }

    pub(super) fn pose(&self, entity: Entity) -> Pose {
        let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
        let transform = transforms.and_then(|transforms| transforms.newest(entity));
        transform.map_or(Pose::IDENTITY, Transform::world)
    }

    /// Changes a component's value, if it is there.
    pub(super) fn change<T: Component>(
        &mut self,
        entity: Entity,
        name: NameHash,
        manager: ManagerId,
        change: impl FnOnce(&mut T),
    ) {
        let parts: Option<&mut Dense<T>> = self.entities.manager_mut(manager);
        if let Some(part) = parts.and_then(|parts| parts.value_mut(entity, name.into())) {
            change(part);
        }
    }

    pub(super) fn refused(&self, entity: Entity, component: NameHash, error: PhysicsError) -> WorldError {
        WorldError::Physics {
            entity: show(self.names, entity),
            component: self.entities.names().get(component).unwrap_or_default().into(),
            error,
        }
    }

    pub(super) fn unfit(&self, entity: Entity, component: NameHash, why: &str) -> WorldError {
        WorldError::Unfit {
            entity: show(self.names, entity),
            component: self.entities.names().get(component).unwrap_or_default().into(),
            why: why.into(),
        }
    }
}
