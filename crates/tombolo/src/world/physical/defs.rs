//! The definitions of bodies and sensors for physics, from their components. Used by the other files of this folder.

use tombolo_entity::Entity;
use tombolo_geometry::{Pose, Position};
use tombolo_physics::{BodyDef, ShapeDef};

use crate::component::{Body, Trigger};

/// The definition of a Body at a pose.
pub(super) fn body_def(entity: Entity, body: &Body, pose: Pose) -> BodyDef {
    BodyDef {
        position: Position::from(pose.position),
        angle: pose.rotation.angle(),
        user_key: entity.to_bits(),
        ..body.def.clone()
    }
}

/// The definition of the body that a Trigger gets for its sensor, at a pose.
pub(super) fn sensors_body_def(entity: Entity, pose: Pose) -> BodyDef {
    body_def(entity, &Body::default(), pose)
}

/// The definition of a Trigger's sensor.
pub(super) fn sensor_def(entity: Entity, trigger: &Trigger) -> ShapeDef {
    ShapeDef {
        sensor: true,
        sees_sensors: trigger.sees_triggers,
        filter: trigger.filter,
        user_key: entity.to_bits(),
        ..ShapeDef::default()
    }
}
