//! Reads by name the values that physics may have changed since the component was set, by the property's entry in the
//! register.

use tombolo_entity::{Dense, Entity, EntitySystem, InstanceId, Value};
use tombolo_physics::PhysicsWorld;

use super::Physical;
use crate::component::register::Live;
use crate::component::{BODY, Body, JOINT, Joint, RIGID_WELD, RigidWeld, TRIGGER, Trigger};

impl Physical<'_> {
    /// The present value of a property in physics; `None` where the component's own value holds.
    pub(crate) fn read(
        physics: &PhysicsWorld,
        entities: &EntitySystem,
        (entity, instance): (Entity, InstanceId),
        live: Live,
    ) -> Option<Value> {
        match live {
            Live::Stored => None,
            Live::Body(read) => {
                let body = entities.manager::<Dense<Body>>(BODY)?.value(entity, instance)?;
                physics.body(body.current(physics)?).map(read)
            }
            Live::Sensors(read) => {
                let triggers = entities.manager::<Dense<Trigger>>(TRIGGER)?;
                Some(read(physics, triggers.value(entity, instance)?.shapes()))
            }
            Live::Weld(read) => {
                let welds = entities.manager::<Dense<RigidWeld>>(RIGID_WELD)?;
                let weld = welds.value(entity, instance)?.id?;
                physics.rigid_weld(weld).map(read)
            }
            Live::Joint(read) => {
                let joint = entities.manager::<Dense<Joint>>(JOINT)?;
                let joint = joint.value(entity, instance)?.id?;
                physics.joint(joint).map(read)
            }
        }
    }
}
