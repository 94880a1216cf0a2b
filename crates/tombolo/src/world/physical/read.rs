//! Reading by name what physics may have changed since the component was set.

use tombolo_entity::{Dense, Entity, EntitySystem, InstanceId, ManagerId, Value};
use tombolo_physics::PhysicsWorld;

use super::Physical;
use crate::component::{BODY, Body, JOINT, Joint, TRIGGER, Trigger};

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
