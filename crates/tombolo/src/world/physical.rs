//! Where entities and physics meet: what Body, Collider, Joint and Trigger components ask for is made, changed, read and
//! taken away here, and nowhere else. Physics knows no entity but for a number that it keeps with bodies and shapes: the
//! entity's handle.
//!
//! A component holds what was asked for and the ids of what was made. A change by name goes into the component first,
//! where kind and range are checked, and is then pushed to physics; reading by name asks physics for what it may have
//! changed.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, EntitySystem, InstanceId, ManagerId, NameHash, Row, Value};
use tombolo_geometry::{Pose, Position};
use tombolo_physics::{
    BodyDef, BodyId, ChainDef, PhysicsError, PhysicsWorld, RevoluteDef, ShapeDef, ShapeId,
};

use super::error::WorldError;
use super::events::Happenings;
use super::hierarchy::parent_of;
use super::names::NameTable;
use crate::component::{
    BODY, Body, Built, COLLIDER, Collider, JOINT, Joint, Outline, TRANSFORM, TRIGGER, Transform, Trigger,
};

/// Those that meet.
pub(crate) struct Physical<'a> {
    pub(crate) physics: &'a mut PhysicsWorld,
    pub(crate) entities: &'a mut EntitySystem,
    pub(crate) names: &'a NameTable,
    pub(crate) happenings: &'a mut Happenings,
}

/// Whether a manager's components have a counterpart in physics.
pub(crate) fn is_physical(manager: ManagerId) -> bool {
    matches!(manager, BODY | COLLIDER | JOINT | TRIGGER)
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
        let rows = Vec::from(self.entities.components(entity));
        let mut of_bodies = rows.iter().filter(|row| row.manager == BODY);
        let (body, second) = (of_bodies.next(), of_bodies.next());
        if let Some(second) = second {
            return Err(self.unfit(entity, second.name, "an entity has at most one Body"));
        }
        let body = body.map(|row| self.make_body(entity, *row)).transpose()?;
        for row in &rows {
            match row.manager {
                COLLIDER => {
                    if let Some(body) = body {
                        self.make_shapes(entity, *row, body)?;
                    }
                }
                TRIGGER => self.make_sensor(entity, *row, body)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes the joints that the entity's components ask for and are not there yet.
    pub(crate) fn tie(&mut self, entity: Entity) -> Result<(), WorldError> {
        for row in Vec::from(self.entities.components(entity)) {
            if row.manager == JOINT {
                self.make_joint(entity, row)?;
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
        if let Some(colliders) = self.entities.manager_mut::<Dense<Collider>>(COLLIDER) {
            for end in colliders.take_ended() {
                for id in end.value.shapes {
                    self.happenings.gone(id, end.entity);
                    drop(self.physics.destroy_shape(id));
                }
            }
        }
        if let Some(triggers) = self.entities.manager_mut::<Dense<Trigger>>(TRIGGER) {
            for end in triggers.take_ended() {
                if let Some(shape) = end.value.shape {
                    self.happenings.gone(shape, end.entity);
                    drop(self.physics.destroy_shape(shape));
                }
                if let Some(body) = end.value.own_body {
                    drop(self.physics.destroy_body(body));
                }
            }
        }
        if let Some(bodies) = self.entities.manager_mut::<Dense<Body>>(BODY) {
            for end in bodies.take_ended() {
                let body = end.value.id.and_then(|id| self.physics.body(id));
                if let Some(body) = body {
                    // Colliders may stay, and wait for another body.
                    for shape in body.shapes() {
                        self.happenings.gone(shape.id(), end.entity);
                    }
                    let id = body.id();
                    drop(self.physics.destroy_body(id));
                }
            }
        }
    }

    /// Puts what physics holds of an entity at a pose: its body, and the sensors that have bodies of their own.
    pub(crate) fn teleport(&mut self, entity: Entity, pose: Pose) -> Result<(), PhysicsError> {
        let (position, angle) = (Position::from(pose.position), pose.rotation.angle());
        if let Some(id) = self.live_body(entity) {
            self.physics.teleport(id, position, angle)?;
        }
        let triggers = self.entities.manager::<Dense<Trigger>>(TRIGGER);
        let own = triggers.into_iter().flat_map(|triggers| triggers.of(entity));
        let own: Vec<BodyId> = own.filter_map(|(_, trigger)| trigger.own_body).collect();
        for id in own {
            self.physics.teleport(id, position, angle)?;
        }
        Ok(())
    }

    /// The entity's body, if physics has it.
    pub(crate) fn live_body(&self, entity: Entity) -> Option<BodyId> {
        let id = self.entities.manager::<Dense<Body>>(BODY)?.newest(entity)?.id?;
        self.physics.body(id).map(|body| body.id())
    }

    fn pose(&self, entity: Entity) -> Pose {
        let transforms: Option<&Dense<Transform>> = self.entities.manager(TRANSFORM);
        let transform = transforms.and_then(|transforms| transforms.newest(entity));
        transform.map_or(Pose::IDENTITY, Transform::world)
    }

    fn make_body(&mut self, entity: Entity, row: Row) -> Result<BodyId, WorldError> {
        if let Some(id) = self.live_body(entity) {
            return Ok(id);
        }
        let pose = self.pose(entity);
        let bodies: Option<&mut Dense<Body>> = self.entities.manager_mut(BODY);
        let body = bodies.and_then(|bodies| bodies.value_mut(entity, row.name.into()));
        let Some(body) = body else {
            return Err(WorldError::NoEntity(entity));
        };
        let def = BodyDef {
            position: Position::from(pose.position),
            angle: pose.rotation.angle(),
            user_key: entity.to_bits(),
            ..body.def.clone()
        };
        let made = self.physics.create_body(&def);
        body.id = made.as_ref().ok().copied();
        made.map_err(|error| self.refused(entity, row.name, error))
    }

    fn make_shapes(&mut self, entity: Entity, row: Row, body: BodyId) -> Result<(), WorldError> {
        let colliders: Option<&Dense<Collider>> = self.entities.manager(COLLIDER);
        let collider = colliders.and_then(|colliders| colliders.value(entity, row.name.into()));
        let Some(collider) = collider.filter(|part| self.lacks_shapes(&part.shapes)) else {
            return Ok(());
        };
        let def = ShapeDef {
            user_key: entity.to_bits(),
            ..collider.def.clone()
        };
        let made = make_outline(self.physics, body, &def, &collider.outline);
        let shapes = made.map_err(|error| self.refused(entity, row.name, error))?;
        self.change(entity, row.name, COLLIDER, |part: &mut Collider| {
            part.shapes = shapes
        });
        Ok(())
    }

    fn lacks_shapes(&self, shapes: &[ShapeId]) -> bool {
        shapes.iter().all(|id| self.physics.shape(*id).is_none())
    }

    fn make_sensor(&mut self, entity: Entity, row: Row, body: Option<BodyId>) -> Result<(), WorldError> {
        let triggers: Option<&Dense<Trigger>> = self.entities.manager(TRIGGER);
        let trigger = triggers.and_then(|triggers| triggers.value(entity, row.name.into()));
        let lacks = |part: &&Trigger| part.shape.is_none_or(|id| self.physics.shape(id).is_none());
        let Some(trigger) = trigger.filter(lacks).cloned() else {
            return Ok(());
        };
        let def = ShapeDef {
            sensor: true,
            filter: trigger.filter,
            user_key: entity.to_bits(),
            ..ShapeDef::default()
        };
        let own = match body {
            Some(_) => None,
            None => Some(self.sensors_own_body(entity, row, &trigger)?),
        };
        let made = body
            .or(own)
            .map(|body| make_outline(self.physics, body, &def, &trigger.outline));
        match made {
            Some(Ok(shapes)) => {
                self.change(entity, row.name, TRIGGER, |part: &mut Trigger| {
                    (part.shape, part.own_body) = (shapes.first().copied(), own);
                });
                Ok(())
            }
            Some(Err(error)) => {
                own.map(|own| self.physics.destroy_body(own).is_ok());
                Err(self.refused(entity, row.name, error))
            }
            None => Ok(()),
        }
    }

    fn sensors_own_body(
        &mut self,
        entity: Entity,
        row: Row,
        trigger: &Trigger,
    ) -> Result<BodyId, WorldError> {
        let known = trigger.own_body.filter(|id| self.physics.body(*id).is_some());
        if let Some(id) = known {
            return Ok(id);
        }
        let pose = self.pose(entity);
        let def = BodyDef {
            position: Position::from(pose.position),
            angle: pose.rotation.angle(),
            user_key: entity.to_bits(),
            ..BodyDef::default()
        };
        let made = self.physics.create_body(&def);
        made.map_err(|error| self.refused(entity, row.name, error))
    }

    /// Makes a joint if both ends have bodies.
    fn make_joint(&mut self, entity: Entity, row: Row) -> Result<(), WorldError> {
        let joints: Option<&Dense<Joint>> = self.entities.manager(JOINT);
        let joint = joints.and_then(|joints| joints.value(entity, row.name.into()));
        let lacks = |joint: &&Joint| joint.id.is_none_or(|id| self.physics.joint(id).is_none());
        let Some(joint) = joint.filter(lacks).cloned() else {
            return Ok(());
        };
        let from = self.end(joint.from, &joint.from_name)?.unwrap_or(entity);
        let parent = parent_of(self.entities, entity).filter(|_| joint.to_parent);
        let Some(to) = self.end(joint.to, &joint.to_name)?.or(parent) else {
            return Ok(());
        };
        if from == to {
            return Err(self.unfit(entity, row.name, "the joint ties a body to itself"));
        }
        let (Some(body_a), Some(body_b)) = (self.live_body(to), self.live_body(from)) else {
            return Ok(());
        };
        let def = hinge(
            &joint,
            self.pose(entity),
            [self.pose(to), self.pose(from)],
            [body_a, body_b],
        );
        let def = RevoluteDef {
            user_key: entity.to_bits(),
            ..def
        };
        let made = self.physics.create_joint(def);
        let id = made.map_err(|error| self.refused(entity, row.name, error))?;
        self.change(entity, row.name, JOINT, |joint: &mut Joint| {
            (joint.id, joint.from, joint.to) = (Some(id), Some(from), Some(to));
        });
        Ok(())
    }

    /// The entity at an end: the one that is given, or the one of a name; none if neither is given.
    fn end(&self, given: Option<Entity>, name: &str) -> Result<Option<Entity>, WorldError> {
        match (given, name) {
            (Some(given), _) => Ok(Some(given)),
            (None, "") => Ok(None),
            (None, name) => match self.names.find(name) {
                Some(entity) => Ok(Some(entity)),
                None => Err(WorldError::NoName(name.into())),
            },
        }
    }

    /// Changes a component's value, if it is there.
    fn change<T: tombolo_entity::Component>(
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

    fn refused(&self, entity: Entity, component: NameHash, error: PhysicsError) -> WorldError {
        WorldError::Physics {
            entity: show(self.names, entity),
            component: self.entities.names().get(component).unwrap_or_default().into(),
            error,
        }
    }

    fn unfit(&self, entity: Entity, component: NameHash, why: &str) -> WorldError {
        WorldError::Unfit {
            entity: show(self.names, entity),
            component: self.entities.names().get(component).unwrap_or_default().into(),
            why: why.into(),
        }
    }
}

/// Makes the shape, the chain or the parts of an outline; all of it or nothing.
fn make_outline(
    physics: &mut PhysicsWorld,
    body: BodyId,
    def: &ShapeDef,
    outline: &Outline,
) -> Result<Vec<ShapeId>, PhysicsError> {
    match outline.build()? {
        Built::Solid(shape) => physics.create_shape(body, def, &shape).map(|id| Vec::from([id])),
        Built::Chain(points) => physics.create_chain(
            body,
            &ChainDef {
                points,
                closed: outline.closed,
                shape: def.clone(),
            },
        ),
        Built::Outline(polygon, radius) => {
            let id = physics.create_rounded_outline(body, def, &polygon, radius)?;
            let parts = physics
                .outline(id)
                .into_iter()
                .flat_map(|outline| outline.parts());
            Ok(parts.map(|part| part.id()).collect())
        }
    }
}

/// The hinge between two bodies. The pivot is given in the owner's frame, and each anchor follows from the poses. The angle
/// is that of `from` seen from `to`, so that a motor turns its owner; how the bodies are now counts as zero.
fn hinge(joint: &Joint, owner: Pose, [pose_a, pose_b]: [Pose; 2], bodies: [BodyId; 2]) -> RevoluteDef {
    let pivot = owner.transform_point(joint.pivot);
    let [body_a, body_b] = bodies;
    let anchors = [pose_a, pose_b].map(|pose| pose.inverse_transform_point(pivot));
    RevoluteDef {
        reference_angle: pose_a.rotation.to(pose_b.rotation).angle(),
        enable_limit: joint.limit,
        lower_angle: joint.lower,
        upper_angle: joint.upper,
        enable_spring: joint.spring,
        target_angle: joint.target_angle,
        spring_hertz: joint.hertz,
        spring_damping_ratio: joint.damping_ratio,
        enable_motor: joint.motor,
        motor_speed: joint.motor_speed,
        max_motor_torque: joint.max_torque,
        constraint_hertz: joint.stiffness,
        constraint_damping_ratio: joint.stiffness_damping,
        collide_connected: joint.collide_connected,
        ..RevoluteDef::new(body_a, anchors[0], body_b, anchors[1])
    }
}

/// Reading: what physics knows better than the component.
impl Physical<'_> {
    /// The value of a property as it is in physics now; `None` where the component's own value holds.
    pub(crate) fn read(
        physics: &PhysicsWorld,
        entities: &EntitySystem,
        (entity, manager, instance): (Entity, ManagerId, InstanceId),
        property: &str,
    ) -> Option<Value> {
        match manager {
            BODY => {
                let body = entities.manager::<Dense<Body>>(BODY)?.value(entity, instance)?;
                let body = physics.body(body.id?)?;
                Some(match property {
                    "kind" => Value::Choice(body.kind() as u32),
                    "linear_velocity" => Value::Vec2(body.linear_velocity()),
                    "angular_velocity" => Value::F32(body.angular_velocity()),
                    "linear_damping" => Value::F32(body.linear_damping()),
                    "angular_damping" => Value::F32(body.angular_damping()),
                    "gravity_scale" => Value::F32(body.gravity_scale()),
                    "sleep_threshold" => Value::F32(body.sleep_threshold()),
                    "allow_sleep" => Value::Bool(body.may_sleep()),
                    "awake" => Value::Bool(body.is_awake()),
                    "fixed_rotation" => Value::Bool(body.has_fixed_rotation()),
                    "bullet" => Value::Bool(body.is_bullet()),
                    "enabled" => Value::Bool(body.is_enabled()),
                    "mass" => Value::F32(body.mass()),
                    _ => return None,
                })
            }
            TRIGGER if property == "visitor_count" => {
                let trigger = entities.manager::<Dense<Trigger>>(TRIGGER)?;
                let shape = physics.shape(trigger.value(entity, instance)?.shape?)?;
                Some(Value::U32(shape.visitors().count() as u32))
            }
            JOINT if property == "joint_angle" => {
                let joint = entities.manager::<Dense<Joint>>(JOINT)?;
                let joint = physics.joint(joint.value(entity, instance)?.id?)?;
                Some(Value::F32(joint.angle()))
            }
            _ => None,
        }
    }

    /// Writes what physics has changed of a body into its component, so that a change of a part finds the rest as it is.
    pub(crate) fn pull(&mut self, entity: Entity, instance: InstanceId) {
        let bodies: Option<&mut Dense<Body>> = self.entities.manager_mut(BODY);
        let Some(body) = bodies.and_then(|bodies| bodies.value_mut(entity, instance)) else {
            return;
        };
        if let Some(now) = body.id.and_then(|id| self.physics.body(id)) {
            body.def.linear_velocity = now.linear_velocity();
            body.def.angular_velocity = now.angular_velocity();
        }
    }
}

/// Pushing: what was set in a component reaches physics.
impl Physical<'_> {
    /// Has physics follow a property that was just set in a component. A component whose counterpart is not made yet is
    /// left alone: it is made as the component says.
    pub(crate) fn push(
        &mut self,
        entity: Entity,
        manager: ManagerId,
        name: NameHash,
        property: &str,
    ) -> Result<(), WorldError> {
        let pushed = match manager {
            BODY => self.push_body(entity, name, property),
            COLLIDER => self.push_collider(entity, name, property),
            TRIGGER => self.push_trigger(entity, name),
            JOINT => return self.push_joint(entity, name, property),
            _ => Ok(()),
        };
        pushed.map_err(|error| self.refused(entity, name, error))
    }

    fn push_body(&mut self, entity: Entity, name: NameHash, property: &str) -> Result<(), PhysicsError> {
        let bodies: Option<&Dense<Body>> = self.entities.manager(BODY);
        let body = bodies.and_then(|bodies| bodies.value(entity, name.into()));
        let Some((def, id)) = body.and_then(|body| Some((body.def.clone(), body.id?))) else {
            return Ok(());
        };
        match property {
            "kind" => return self.physics.set_kind(id, def.kind),
            "enabled" => return self.physics.set_enabled(id, def.enabled),
            _ => {}
        }
        let stale = PhysicsError::StaleHandle { what: "body" };
        let mut body = self.physics.body_mut(id).ok_or(stale)?;
        match property {
            "linear_velocity" => body.set_linear_velocity(def.linear_velocity)?,
            "angular_velocity" => body.set_angular_velocity(def.angular_velocity)?,
            "linear_damping" | "angular_damping" => {
                body.set_damping(def.linear_damping, def.angular_damping)?;
            }
            "gravity_scale" => body.set_gravity_scale(def.gravity_scale)?,
            "sleep_threshold" => body.set_sleep_threshold(def.sleep_threshold)?,
            "allow_sleep" => body.set_may_sleep(def.allow_sleep),
            "fixed_rotation" => body.set_fixed_rotation(def.fixed_rotation),
            "bullet" => body.set_bullet(def.bullet),
            _ if def.awake => body.wake(),
            _ => {}
        }
        Ok(())
    }

    fn push_collider(&mut self, entity: Entity, name: NameHash, property: &str) -> Result<(), PhysicsError> {
        let colliders: Option<&Dense<Collider>> = self.entities.manager(COLLIDER);
        let collider = colliders.and_then(|colliders| colliders.value(entity, name.into()));
        let Some(Collider { outline, def, shapes }) = collider.cloned() else {
            return Ok(());
        };
        let Some(body) = self.live_body(entity).filter(|_| !self.lacks_shapes(&shapes)) else {
            return Ok(());
        };
        match property {
            "friction" | "restitution" => shapes
                .iter()
                .try_for_each(|id| self.physics.set_material(*id, def.friction, def.restitution)),
            "rolling_resistance" | "tangent_speed" => shapes.iter().try_for_each(|id| {
                self.physics
                    .set_surface(*id, def.rolling_resistance, def.tangent_speed)
            }),
            "category" | "mask" | "group" => shapes
                .iter()
                .try_for_each(|id| self.physics.set_filter(*id, def.filter)),
            _ => {
                // The form or the sort of shape: the new ones first, so that a refusal leaves the old ones.
                let def = ShapeDef {
                    user_key: entity.to_bits(),
                    ..def
                };
                let made = make_outline(self.physics, body, &def, &outline)?;
                for id in &shapes {
                    self.happenings.gone(*id, entity);
                    drop(self.physics.destroy_shape(*id));
                }
                self.change(entity, name, COLLIDER, |part: &mut Collider| part.shapes = made);
                Ok(())
            }
        }
    }

    fn push_trigger(&mut self, entity: Entity, name: NameHash) -> Result<(), PhysicsError> {
        let triggers: Option<&Dense<Trigger>> = self.entities.manager(TRIGGER);
        let trigger = triggers.and_then(|triggers| triggers.value(entity, name.into()));
        let Some(trigger) = trigger.cloned() else {
            return Ok(());
        };
        let shape = trigger.shape.and_then(|id| self.physics.shape(id));
        let Some((shape, body)) = shape.map(|shape| (shape.id(), shape.body().id())) else {
            return Ok(());
        };
        let def = ShapeDef {
            sensor: true,
            filter: trigger.filter,
            user_key: entity.to_bits(),
            ..ShapeDef::default()
        };
        let made = make_outline(self.physics, body, &def, &trigger.outline)?;
        self.happenings.gone(shape, entity);
        self.physics.destroy_shape(shape)?;
        self.change(entity, name, TRIGGER, |part: &mut Trigger| {
            part.shape = made.first().copied();
        });
        Ok(())
    }

    fn push_joint(&mut self, entity: Entity, name: NameHash, property: &str) -> Result<(), WorldError> {
        let joints: Option<&Dense<Joint>> = self.entities.manager(JOINT);
        let joint = joints.and_then(|joints| joints.value(entity, name.into()));
        let Some(joint) = joint.cloned() else {
            return Ok(());
        };
        let row = Row { name, manager: JOINT };
        let live = joint.id.filter(|id| self.physics.joint(*id).is_some());
        let Some(mut made) = live.and_then(|id| self.physics.joint_mut(id)) else {
            return self.make_joint(entity, row);
        };
        let pushed = match property {
            "motor" | "motor_speed" | "max_torque" => {
                made.set_motor(joint.motor, joint.motor_speed, joint.max_torque)
            }
            "limit" | "lower" | "upper" => made.set_limit(joint.limit, joint.lower, joint.upper),
            "spring" | "hertz" | "damping_ratio" | "target_angle" => {
                made.set_spring(joint.spring, joint.target_angle, joint.hertz, joint.damping_ratio)
            }
            "stiffness" | "stiffness_damping" => made.set_stiffness(joint.stiffness, joint.stiffness_damping),
            _ => return self.remake_joint(entity, row, &joint, property),
        };
        pushed.map_err(|error| self.refused(entity, name, error))
    }

    /// Makes a joint anew between other ends or at another point; the old one goes when the new one stands.
    fn remake_joint(
        &mut self,
        entity: Entity,
        row: Row,
        old: &Joint,
        property: &str,
    ) -> Result<(), WorldError> {
        self.change(entity, row.name, JOINT, |joint: &mut Joint| {
            joint.id = None;
            match property {
                // A new name is looked up; it replaces the entity that the old one led to.
                "from_name" => joint.from = None,
                "to_name" => joint.to = None,
                _ => {}
            }
        });
        let made = self.make_joint(entity, row);
        match (made, old.id) {
            (Ok(()), Some(id)) => drop(self.physics.destroy_joint(id)),
            (Ok(()), None) => {}
            (Err(error), _) => {
                self.change(entity, row.name, JOINT, |joint: &mut Joint| {
                    (joint.id, joint.from, joint.to) = (old.id, old.from, old.to);
                });
                return Err(error);
            }
        }
        Ok(())
    }
}
