//! Pushing to physics what was set by name in a component.

use alloc::vec::Vec;

use tombolo_entity::{ComponentEntry, Dense, Entity, ManagerId, NameHash};
use tombolo_physics::{PhysicsError, ShapeDef, ShapeId};

use super::Physical;
use super::create::{create_geometry, sensor_def};
use crate::component::{BODY, Body, COLLIDER, Collider, JOINT, Joint, TRIGGER, Trigger};
use crate::world::error::WorldError;

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
        // The program may have destroyed some of a chain.
        let live = shapes.iter().copied();
        let live: Vec<ShapeId> = live.filter(|id| self.physics.shape(*id).is_some()).collect();
        match property {
            "friction" | "restitution" => live
                .iter()
                .try_for_each(|id| self.physics.set_material(*id, def.friction, def.restitution)),
            "rolling_resistance" | "tangent_speed" => live.iter().try_for_each(|id| {
                self.physics
                    .set_surface(*id, def.rolling_resistance, def.tangent_speed)
            }),
            "category" | "mask" | "group" => live
                .iter()
                .try_for_each(|id| self.physics.set_filter(*id, def.filter)),
            _ => {
                // The form or the sort of shape: the new ones first, so that a refusal leaves the old ones.
                let def = ShapeDef {
                    user_key: entity.to_bits(),
                    ..def
                };
                let made = create_geometry(self.physics, body, &def, &geometry)?;
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
        let shape = trigger.shape.and_then(|id| self.physics.shape(id));
        let Some((shape, body)) = shape.map(|shape| (shape.id(), shape.body().id())) else {
            return Ok(());
        };
        let def = sensor_def(entity, &trigger);
        let made = create_geometry(self.physics, body, &def, &trigger.geometry)?;
        self.entity_events.gone(shape, entity);
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
        let entry = ComponentEntry { name, manager: JOINT };
        let live = joint.id.filter(|id| self.physics.joint(*id).is_some());
        let Some(mut made) = live.and_then(|id| self.physics.joint_mut(id)) else {
            return self.create_joint_of(entity, entry);
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
            _ => return self.recreate_joint(entity, entry, &joint, property),
        };
        pushed.map_err(|error| self.refused(entity, name, error))
    }

    /// Makes a joint anew between other ends or at another point; the old one goes when the new one stands.
    fn recreate_joint(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
        old: &Joint,
        property: &str,
    ) -> Result<(), WorldError> {
        self.change(entity, entry.name, JOINT, |joint: &mut Joint| {
            joint.id = None;
            match property {
                // A new name is looked up; it replaces the entity that the old one led to.
                "from_name" => joint.from = None,
                "to_name" => joint.to = None,
                _ => {}
            }
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
