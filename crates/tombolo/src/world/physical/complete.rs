//! [`Physical`]: creates, destroys and moves the bodies, shapes and joints of an entity's components, for spawning,
//! scenes and setters.

use alloc::boxed::Box;
use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Component, Dense, Ended, Entity, EntitySystem, ManagerId, NameHash};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, PhysicsError, PhysicsWorld};

use super::member_motion::MemberMotion;
use crate::component::{
    BODY, Body, COLLIDER, Collider, FIELD, Field, JOINT, Joint, RIGID_WELD, RigidWeld, TILES, TRANSFORM,
    TRIGGER, Tiles, Transform, Trigger,
};
use crate::error::WorldError;
use crate::world::events::EntityEvents;
use crate::world::names::NameTable;

/// The parts of a world that creating physics objects needs.
pub(crate) struct Physical<'a> {
    pub(crate) physics: &'a mut PhysicsWorld,
    pub(crate) entities: &'a mut EntitySystem,
    pub(crate) names: &'a NameTable,
    pub(crate) entity_events: &'a mut EntityEvents,
    /// Gets the entities of composites that may part; see [`World::tie_parted`](crate::World::tie_parted).
    pub(crate) parted: &'a mut BTreeSet<Entity>,
}

/// The effect of moving a body on its touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Touches {
    /// They end, and begin again where they hold: a teleport.
    End,
    /// Those that still hold go on: a move of a step.
    Stay,
}

/// An entity for a message: its name, or its number.
pub(crate) fn show(names: &NameTable, entity: Entity) -> Box<str> {
    match names.of(entity) {
        Some(name) => format!("{name:?}").into(),
        None => format!("{entity:?}").into(),
    }
}

/// The entity's body, if physics has it.
pub(crate) fn live_body(physics: &PhysicsWorld, entities: &EntitySystem, entity: Entity) -> Option<BodyId> {
    let body = entities.manager::<Dense<Body>>(BODY)?.newest(entity)?;
    let id = body.current(physics)?;
    physics.body(id).map(|body| body.id())
}

/// The bodies that the entity's sensors have for themselves.
pub(crate) fn sensor_bodies(physics: &PhysicsWorld, entities: &EntitySystem, entity: Entity) -> Vec<BodyId> {
    let triggers = entities.manager::<Dense<Trigger>>(TRIGGER);
    let own = triggers.into_iter().flat_map(|triggers| triggers.of(entity));
    let own = own.filter_map(|(_, trigger)| trigger.own_body);
    own.filter(|id| physics.body(*id).is_some()).collect()
}

/// The pose of a body whose member frame `inner` lies at `pose` in the world.
fn body_pose_from_member(pose: Pose, inner: Pose) -> Pose {
    let Pose { position, rotation } = pose.compose(inner.to(Pose::IDENTITY));
    Pose {
        position,
        rotation: rotation.normalized(),
    }
}

impl Physical<'_> {
    /// Creates the missing body, shapes, sensors and tiles of the entity's components; joints follow after the bodies
    /// of all entities.
    pub(crate) fn create_objects(&mut self, entity: Entity) -> Result<(), WorldError> {
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

    /// Creates the missing joints of the entity's components.
    pub(crate) fn create_joints(&mut self, entity: Entity) -> Result<(), WorldError> {
        for entry in Vec::from(self.entities.components(entity)) {
            if entry.manager == JOINT {
                self.create_joint_of(entity, entry)?;
            }
        }
        Ok(())
    }

    /// Destroys the objects of components that have ended.
    pub(crate) fn destroy_ended(&mut self) {
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
        let ended = self.ended::<RigidWeld>(RIGID_WELD);
        for id in ended.into_iter().filter_map(|end| end.value.id) {
            self.end_weld(id);
        }
        // Members are removed while their shapes exist, so that bodies split like any that lose a member.
        let bodies = self.ended::<Body>(BODY);
        for end in &bodies {
            if let Some(member) = end.value.member {
                self.end_member(end.entity, member);
            }
        }
        self.destroy_ended_shapes();
        let ended = self.ended::<Tiles>(TILES);
        for end in ended {
            if let Some(id) = end.value.id {
                self.destroy_tiles(end.entity, id);
            }
        }
        for end in bodies.iter().filter(|end| end.value.member.is_none()) {
            let body = end.value.id.and_then(|id| self.physics.body(id));
            if let Some(body) = body {
                // Colliders may stay, and get shapes with the next body.
                for shape in body.shapes() {
                    self.entity_events.gone(shape.id(), end.entity);
                }
                let id = body.id();
                drop(self.physics.destroy_body(id));
            }
        }
    }

    /// Destroys the shapes of colliders and triggers that have ended.
    fn destroy_ended_shapes(&mut self) {
        let colliders = self.ended::<Collider>(COLLIDER);
        let triggers = self.ended::<Trigger>(TRIGGER);
        let owners = colliders.iter().map(|end| end.entity);
        let owners = owners.chain(triggers.iter().map(|end| end.entity));
        let motions: Vec<MemberMotion> = owners.filter_map(|entity| self.member_motion(entity)).collect();
        for end in colliders {
            for id in end.value.shapes {
                self.entity_events.gone(id, end.entity);
                drop(self.physics.destroy_shape(id));
            }
        }
        for end in triggers {
            self.destroy_sensors(&end.value, end.entity);
            if let Some(body) = end.value.own_body {
                drop(self.physics.destroy_body(body));
            }
        }
        motions.iter().for_each(|motion| self.restore_own_body(motion));
    }

    /// Destroys the sensors of a trigger.
    pub(super) fn destroy_sensors(&mut self, trigger: &Trigger, entity: Entity) {
        for &sensor in trigger.shapes() {
            self.entity_events.gone(sensor, entity);
            // Of a concave sensor the first takes the others with it.
            drop(self.physics.destroy_shape(sensor));
        }
    }

    /// The components of a kind that have ended since the last call.
    fn ended<T: Component>(&mut self, manager: ManagerId) -> Vec<Ended<T>> {
        let parts = self.entities.manager_mut::<Dense<T>>(manager);
        parts.map(Dense::take_ended).unwrap_or_default()
    }

    /// Moves an entity's objects in physics to a pose: its body, and the sensors that have bodies of their own.
    pub(crate) fn move_to(
        &mut self,
        entity: Entity,
        pose: Pose,
        touches: Touches,
    ) -> Result<(), PhysicsError> {
        // Bodies get the rotation of a Transform's angle.
        let pose = Pose::new(pose.position, pose.rotation.angle());
        if let Some(id) = self.live_body(entity) {
            let frame = self.attachment(entity, id).frame;
            // The whole composite moves.
            let pose = match frame == Pose::IDENTITY {
                true => pose,
                false => body_pose_from_member(pose, frame),
            };
            self.move_body(id, pose, touches)?;
        }
        sensor_bodies(self.physics, self.entities, entity)
            .into_iter()
            .try_for_each(|id| self.move_body(id, pose, touches))
    }

    fn move_body(&mut self, id: BodyId, pose: Pose, touches: Touches) -> Result<(), PhysicsError> {
        let mut body = self.physics.body_mut(id)?;
        match touches {
            Touches::End => body.teleport(pose),
            Touches::Stay => body.set_pose(pose),
        }
    }

    /// The entity's body, if physics has it.
    pub(crate) fn live_body(&self, entity: Entity) -> Option<BodyId> {
        live_body(self.physics, self.entities, entity)
    }

    pub(super) fn pose(&self, entity: Entity) -> Pose {
        let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
        let transform = transforms.and_then(|transforms| transforms.newest(entity));
        transform.map_or(Pose::IDENTITY, Transform::world)
    }

    /// Changes a component's value, if the component exists.
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
