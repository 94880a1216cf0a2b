//! Pushes a property that was set by name to physics, by the property's entry in the register. Setters of properties
//! use it.

use alloc::vec::Vec;

use tombolo_entity::{ComponentEntry, Dense, Entity, NameHash};
use tombolo_physics::{PhysicsError, ShapeDef, ShapeId};

use super::Physical;
use super::defs::sensor_def;
use crate::component::register::{Apply, ToBody, ToJoint, ToShapes};
use crate::component::{BODY, Body, BuiltGeometry, COLLIDER, Collider, JOINT, Joint, TRIGGER, Trigger};
use crate::error::WorldError;

impl Physical<'_> {
    /// Updates physics after a property of a component was set. A component without an object in physics is skipped:
    /// the object is created from the component later.
    pub(crate) fn push(&mut self, entity: Entity, name: NameHash, apply: Apply) -> Result<(), WorldError> {
        let pushed = match apply {
            Apply::Body(to) => self.push_body(entity, name, to),
            Apply::Shapes(to) => self.push_collider(entity, name, to),
            Apply::Sensor => {
                self.check_inside(entity, name)?;
                self.push_trigger(entity, name)
            }
            Apply::Joint(to) => return self.push_joint(entity, name, to),
            Apply::Tiles(to) => return self.push_tiles(entity, name, to),
            Apply::Weld(to) => return self.push_weld(entity, name, to),
            Apply::Stored | Apply::Extent | Apply::Pose(_) | Apply::Zone | Apply::Field => Ok(()),
        };
        pushed.map_err(|error| self.refused(entity, name, error))
    }

    fn push_body(&mut self, entity: Entity, name: NameHash, to: ToBody) -> Result<(), PhysicsError> {
        let bodies: Option<&Dense<Body>> = self.entities.manager(BODY);
        let body = bodies.and_then(|bodies| bodies.value(entity, name.into()));
        match body.and_then(|body| Some((body.current(self.physics)?, &body.def))) {
            Some((id, def)) => to(self.physics, id, def),
            None => Ok(()),
        }
    }

    fn push_collider(&mut self, entity: Entity, name: NameHash, to: ToShapes) -> Result<(), PhysicsError> {
        let colliders: Option<&Dense<Collider>> = self.entities.manager(COLLIDER);
        let collider = colliders.and_then(|colliders| colliders.value(entity, name.into()));
        let Some(Collider {
            geometry,
            def,
            shapes,
        }) = collider.cloned()
        else {
            return Ok(());
        };
        let Some(body) = self.live_body(entity).filter(|_| !self.lacks_shapes(&shapes)) else {
            return Ok(());
        };
        match to {
            ToShapes::Each(change) => {
                // The program may have destroyed some shapes of a chain.
                let live = shapes.iter().copied();
                let mut live = live
                    .filter(|id| self.physics.shape(*id).is_some())
                    .collect::<Vec<ShapeId>>()
                    .into_iter();
                live.try_for_each(|id| change(self.physics, id, &def))
            }
            ToShapes::Anew => {
                // The new shapes are created first, so that a refusal leaves the old ones.
                let def = ShapeDef {
                    user_key: entity.to_bits(),
                    ..def
                };
                let made = self.create_geometry(self.attachment(entity, body), &def, &geometry)?;
                for id in &shapes {
                    self.entity_events.gone(*id, entity);
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
        let shape = trigger.shape().and_then(|id| self.physics.shape(id));
        let Some(shape) = shape else {
            return Ok(());
        };
        let (is_part, shape, body) = (shape.part_of().is_some(), shape.id(), shape.body().id());
        let (def, attachment) = (sensor_def(entity, &trigger), self.attachment(entity, body));
        let built = attachment.place(&trigger.geometry).build()?;
        if let (BuiltGeometry::Solid(geometry), false) = (&built, is_part) {
            // Changed in place: what stays in the sensor does not leave it.
            let mut sensor = self.physics.shape_mut(shape)?;
            sensor.set_geometry(geometry)?;
            sensor.set_filter(def.filter);
            sensor.set_sees(def.sees_sensors, def.sees_fixed);
            return Ok(());
        }
        let made = self.create_built(attachment, &def, built, trigger.geometry.closed)?;
        self.destroy_sensors(&trigger, entity);
        self.change(entity, name, TRIGGER, |part: &mut Trigger| part.shapes = made);
        Ok(())
    }

    fn push_joint(&mut self, entity: Entity, name: NameHash, to: ToJoint) -> Result<(), WorldError> {
        let joints: Option<&Dense<Joint>> = self.entities.manager(JOINT);
        let joint = joints.and_then(|joints| joints.value(entity, name.into()));
        let Some(joint) = joint.cloned() else {
            return Ok(());
        };
        let entry = ComponentEntry { name, manager: JOINT };
        let live = joint.id.filter(|id| self.physics.joint(*id).is_some());
        let Some(mut made) = live.and_then(|id| self.physics.joint_mut(id).ok()) else {
            return self.create_joint_of(entity, entry);
        };
        match to {
            ToJoint::AtOnce(change) => {
                change(&mut made, &joint).map_err(|error| self.refused(entity, name, error))
            }
            ToJoint::Anew(forget) => self.recreate_joint(entity, entry, &joint, forget),
        }
    }

    /// Creates a joint again between other ends or at another point; the old one is destroyed after the new one is
    /// created.
    fn recreate_joint(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
        old: &Joint,
        forget: fn(&mut Joint),
    ) -> Result<(), WorldError> {
        self.change(entity, entry.name, JOINT, |joint: &mut Joint| {
            joint.id = None;
            forget(joint);
        });
        let made = self.create_joint_of(entity, entry);
        match (made, old.id) {
            (Ok(()), Some(id)) => drop(self.physics.destroy_joint(id)),
            (Ok(()), None) => {}
            (Err(error), _) => {
                self.change(entity, entry.name, JOINT, |joint: &mut Joint| {
                    (joint.id, joint.from, joint.to) = (old.id, old.from, old.to);
                });
                return Err(error);
            }
        }
        Ok(())
    }
}
