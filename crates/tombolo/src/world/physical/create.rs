//! Creates the bodies, shapes, sensors and joints that components request. Part of [`Physical`], which calls it to
//! complete entities.

use alloc::vec::Vec;

use tombolo_entity::{ComponentEntry, Dense, Entity, NameHash};
use tombolo_physics::{BodyDef, BodyId, BodyName, ChainDef, PhysicsError, PhysicsWorld, ShapeDef, ShapeId};

use super::complete::Physical;
use super::defs::{body_def, sensor_def, sensors_body_def};
use super::weld::Attachment;
use crate::component::joint::Frames;
use crate::component::{
    BODY, Body, BuiltGeometry, COLLIDER, Collider, JOINT, Joint, ShapeGeometry, TRIGGER, Trigger,
};
use crate::error::WorldError;
use crate::world::hierarchy::parent_of;
use crate::world::names::body_name;

impl Physical<'_> {
    pub(super) fn create_body_of(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
    ) -> Result<BodyId, WorldError> {
        if let Some(id) = self.live_body(entity) {
            return Ok(id);
        }
        let pose = self.pose(entity);
        let bodies: Option<&mut Dense<Body>> = self.entities.manager_mut(BODY);
        let body = bodies.and_then(|bodies| bodies.value_mut(entity, entry.name.into()));
        let Some(body) = body else {
            return Err(WorldError::NoEntity(entity));
        };
        let def = BodyDef {
            name: body_name(self.names, entity),
            ..body_def(entity, body, pose)
        };
        let made = self.physics.create_body(&def);
        (body.id, body.member) = (made.as_ref().ok().copied(), None);
        made.map_err(|error| self.refused(entity, entry.name, error))
    }

    /// Gives the body of an entity its name, if the body has the name `before`: one that a call gave it stays. The body
    /// of several entities has the name of the one whose user key it has.
    pub(crate) fn name_body(&mut self, entity: Entity, before: BodyName) {
        let name = body_name(self.names, entity);
        let id = self.live_body(entity);
        let Some(mut body) = id.and_then(|id| self.physics.body_mut(id).ok()) else {
            return;
        };
        let view = body.view();
        if view.user_key() == entity.to_bits() && view.name() == before.as_str() && name != before {
            let named = body.set_name(name.as_str());
            debug_assert_eq!(named, Ok(()), "it was a name already");
        }
    }

    pub(super) fn create_shapes_of(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
        body: BodyId,
    ) -> Result<(), WorldError> {
        let colliders: Option<&Dense<Collider>> = self.entities.manager(COLLIDER);
        let collider = colliders.and_then(|colliders| colliders.value(entity, entry.name.into()));
        let Some(collider) = collider.filter(|part| self.lacks_shapes(&part.shapes)) else {
            return Ok(());
        };
        let def = ShapeDef {
            user_key: entity.to_bits(),
            ..collider.def.clone()
        };
        let (attachment, geometry) = (self.attachment(entity, body), collider.geometry.clone());
        let made = self.create_geometry(attachment, &def, &geometry);
        let shapes = made.map_err(|error| self.refused(entity, entry.name, error))?;
        self.change(entity, entry.name, COLLIDER, |part: &mut Collider| {
            part.shapes = shapes
        });
        Ok(())
    }

    pub(super) fn lacks_shapes(&self, shapes: &[ShapeId]) -> bool {
        shapes.iter().all(|id| self.physics.shape(*id).is_none())
    }

    /// Whether a sensor has to be created, for the first time or again: a sensor on a body of its own moves to the
    /// entity's body once there is one.
    pub(super) fn lacks_sensor(&self, trigger: &Trigger, has_body: bool) -> bool {
        self.lacks_shapes(trigger.shapes()) || has_body && trigger.own_body.is_some()
    }

    /// Refuses a Trigger whose shape has no inside.
    pub(super) fn check_inside(&self, entity: Entity, name: NameHash) -> Result<(), WorldError> {
        let triggers: Option<&Dense<Trigger>> = self.entities.manager(TRIGGER);
        let trigger = triggers.and_then(|triggers| triggers.value(entity, name.into()));
        match trigger.and_then(|trigger| trigger.geometry.why_no_sensor()) {
            Some(why) => Err(self.unfit(entity, name, why)),
            None => Ok(()),
        }
    }

    pub(super) fn create_sensor_of(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
        body: Option<BodyId>,
    ) -> Result<(), WorldError> {
        let triggers: Option<&Dense<Trigger>> = self.entities.manager(TRIGGER);
        let trigger = triggers.and_then(|triggers| triggers.value(entity, entry.name.into()));
        let lacks = |part: &&Trigger| self.lacks_sensor(part, body.is_some());
        let Some(trigger) = trigger.filter(lacks).cloned() else {
            return Ok(());
        };
        self.check_inside(entity, entry.name)?;
        let def = sensor_def(entity, &trigger);
        let own = match body {
            Some(_) => None,
            None => Some(self.sensors_own_body(entity, entry, &trigger)?),
        };
        let attachment = body
            .map(|body| self.attachment(entity, body))
            .or(own.map(Attachment::to_own_body));
        let made = attachment.map(|attachment| self.create_geometry(attachment, &def, &trigger.geometry));
        match made {
            Some(Ok(shapes)) => {
                self.change(entity, entry.name, TRIGGER, |part: &mut Trigger| {
                    (part.shapes, part.own_body) = (shapes, own);
                });
                if let Some(left) = trigger.own_body.filter(|left| own != Some(*left)) {
                    self.destroy_sensors(&trigger, entity);
                    drop(self.physics.destroy_body(left));
                }
                Ok(())
            }
            Some(Err(error)) => {
                if let Some(own) = own {
                    drop(self.physics.destroy_body(own));
                }
                Err(self.refused(entity, entry.name, error))
            }
            None => Ok(()),
        }
    }

    fn sensors_own_body(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
        trigger: &Trigger,
    ) -> Result<BodyId, WorldError> {
        let known = trigger.own_body.filter(|id| self.physics.body(*id).is_some());
        if let Some(id) = known {
            return Ok(id);
        }
        let def = sensors_body_def(entity, self.pose(entity));
        let made = self.physics.create_body(&def);
        made.map_err(|error| self.refused(entity, entry.name, error))
    }

    /// Creates a joint if both ends have bodies and it is not broken.
    pub(super) fn create_joint_of(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
    ) -> Result<(), WorldError> {
        let joints: Option<&Dense<Joint>> = self.entities.manager(JOINT);
        let joint = joints.and_then(|joints| joints.value(entity, entry.name.into()));
        let lacks =
            |joint: &&Joint| !joint.broken && joint.id.is_none_or(|id| self.physics.joint(id).is_none());
        let Some(joint) = joint.filter(lacks).cloned() else {
            return Ok(());
        };
        let Some([from, to]) = self.ends_of_joint(entity, &joint)? else {
            return Ok(());
        };
        if from == to {
            return Err(self.unfit(entity, entry.name, "the joint ties a body to itself"));
        }
        let (Some(body_a), Some(body_b)) = (self.live_body(to), self.live_body(from)) else {
            return Ok(());
        };
        if body_a == body_b {
            // The two are welded: there is nothing to constrain.
            return Ok(());
        }
        let poses = [self.pose(to), self.pose(from)];
        let within = [(to, body_a), (from, body_b)].map(|(entity, body)| self.attachment(entity, body).frame);
        let frames = Frames::new(&joint, self.pose(entity), poses).map(|frames| frames.within(within));
        let made = frames.and_then(|frames| self.physics.create_joint(joint.def([body_a, body_b], frames)));
        let id = made.map_err(|error| self.refused(entity, entry.name, error))?;
        if let Ok(mut made) = self.physics.joint_mut(id) {
            made.set_user_key(entity.to_bits());
            if let Some(Err(error)) = joint.first_turns().map(|turns| made.set_turns(turns)) {
                drop(self.physics.destroy_joint(id));
                return Err(self.refused(entity, entry.name, error));
            }
        }
        self.change(entity, entry.name, JOINT, |joint: &mut Joint| {
            (joint.id, joint.from, joint.to) = (Some(id), Some(from), Some(to));
        });
        Ok(())
    }

    /// The entities at the ends `from` and `to` of a joint; `None` if it has no `to` yet.
    pub(super) fn ends_of_joint(
        &self,
        entity: Entity,
        joint: &Joint,
    ) -> Result<Option<[Entity; 2]>, WorldError> {
        let from = self.end(joint.from, &joint.from_name)?.unwrap_or(entity);
        let parent = parent_of(self.entities, entity).filter(|_| joint.to_parent);
        let to = self.end(joint.to, &joint.to_name)?.or(parent);
        Ok(to.map(|to| [from, to]))
    }

    /// The entity at an end: the given one, or the one with a name; `None` if neither is given.
    pub(super) fn end(&self, given: Option<Entity>, name: &str) -> Result<Option<Entity>, WorldError> {
        match (given, name) {
            (Some(given), _) => Ok(Some(given)),
            (None, "") => Ok(None),
            (None, name) => match self.names.find(name) {
                Some(entity) => Ok(Some(entity)),
                None => Err(WorldError::NoName(name.into())),
            },
        }
    }
}

impl Physical<'_> {
    /// Creates the shapes of a geometry in the entity's frame, all or none.
    pub(super) fn create_geometry(
        &mut self,
        attachment: Attachment,
        def: &ShapeDef,
        geometry: &ShapeGeometry,
    ) -> Result<Vec<ShapeId>, PhysicsError> {
        let built = attachment.place(geometry).build()?;
        self.create_built(attachment, def, built, geometry.closed)
    }

    /// Creates the shapes of a geometry that was built in the body's frame, all or none. `closed` is for a chain.
    pub(super) fn create_built(
        &mut self,
        attachment: Attachment,
        def: &ShapeDef,
        built: BuiltGeometry,
        closed: bool,
    ) -> Result<Vec<ShapeId>, PhysicsError> {
        let made = create_shapes(self.physics, attachment.body, def, built, closed)?;
        self.assign_to_member(attachment, &made);
        Ok(made)
    }
}

/// Creates the shape, the chain or the parts of a concave polygon, all or none.
fn create_shapes(
    physics: &mut PhysicsWorld,
    body: BodyId,
    def: &ShapeDef,
    built: BuiltGeometry,
    closed: bool,
) -> Result<Vec<ShapeId>, PhysicsError> {
    match built {
        BuiltGeometry::Solid(shape) => physics.create_shape(body, def, &shape).map(|id| Vec::from([id])),
        BuiltGeometry::Chain(points) => physics.create_chain(
            body,
            &ChainDef {
                points,
                closed,
                shape: def.clone(),
            },
        ),
        BuiltGeometry::Heightfield(segments) => {
            let mut made = Vec::with_capacity(segments.len());
            for segment in &segments {
                match physics.create_shape(body, def, segment) {
                    Ok(id) => made.push(id),
                    Err(error) => {
                        made.into_iter().try_for_each(|id| physics.destroy_shape(id))?;
                        return Err(error);
                    }
                }
            }
            Ok(made)
        }
        BuiltGeometry::Concave(polygon, radius) => {
            let id = physics.create_rounded_polygon(body, def, &polygon, radius)?;
            let parts = physics
                .concave_polygon(id)
                .into_iter()
                .flat_map(|concave_polygon| concave_polygon.parts());
            Ok(parts.map(|part| part.id()).collect())
        }
    }
}
