//! What bodies and sensors are made from, by their components.

use tombolo_entity::Entity;
use tombolo_geometry::{Pose, Position};
use tombolo_physics::{BodyDef, ShapeDef};

use crate::component::{Body, Trigger};

/// What a Body is made from at a place.
pub(super) fn body_def(entity: Entity, body: &Body, pose: Pose) -> BodyDef {
    BodyDef {
        position: Position::from(pose.position),
        angle: pose.rotation.angle(),
        user_key: entity.to_bits(),
        ..body.def.clone()
    }
}

/// What a Trigger's own body is made from at a place.
pub(super) fn sensors_body_def(entity: Entity, pose: Pose) -> BodyDef {
    body_def(entity, &Body::default(), pose)
}

/// What a Trigger's sensor is made from.
pub(super) fn sensor_def(entity: Entity, trigger: &Trigger) -> ShapeDef {
    ShapeDef {
        sensor: true,
        sees_sensors: trigger.sees_triggers,
        filter: trigger.filter,
        user_key: entity.to_bits(),
        ..ShapeDef::default()
    }
}
