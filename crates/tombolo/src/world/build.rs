//! From a checked scene to a world. Bodies are made in the order of the file, each with its shapes, then the joints in
//! the order of their owners: ids and colours follow from that order.

use alloc::collections::BTreeMap;
use alloc::string::ToString;
use alloc::vec::Vec;

use tombolo_geometry::{Pose, Position};
use tombolo_physics::{BodyDef, BodyId, PhysicsWorld, RevoluteDef, ShapeDef, WorldDef};

use super::{Entity, World};
use crate::error::SceneError;
use crate::scene::{Component, Hinge, JointKind, NamedComponent, Scene, Tie};

pub(super) fn build(scene: &Scene) -> Result<World, SceneError> {
    let settings = scene.settings();
    let def = WorldDef {
        gravity: settings.gravity,
        substeps: settings.substeps,
        sleeping: settings.sleeping,
        ..WorldDef::default()
    };
    let mut physics = PhysicsWorld::new(&def).map_err(|error| scene.error_in_settings(error.to_string()))?;
    let mut entities: Vec<Entity> = Vec::with_capacity(scene.instance_count());
    let mut poses: Vec<Pose> = Vec::with_capacity(scene.instance_count());
    let mut by_name = BTreeMap::new();
    for (index, (name, pose)) in scene.instances().enumerate() {
        let body = build_body(scene, index, pose, &mut physics)?;
        by_name.insert(name.to_string(), index);
        entities.push(Entity {
            name: name.to_string(),
            body,
        });
        poses.push(pose);
    }
    for tie in scene.ties() {
        let ends = [tie.to, tie.from].map(|index| entities[index].body);
        if let [Some(to), Some(from)] = ends {
            let def = hinge(tie, &poses, [to, from]);
            physics
                .create_joint(def)
                .map_err(|error| scene.error_at(tie.owner, &tie.component, error.to_string()))?;
        }
    }
    Ok(World {
        physics,
        entities,
        by_name,
        step_seconds: settings.step_seconds(),
    })
}

/// Makes the body of one instance with its shapes; `None` if the entity has no body.
fn build_body(
    scene: &Scene,
    instance: usize,
    pose: Pose,
    physics: &mut PhysicsWorld,
) -> Result<Option<BodyId>, SceneError> {
    let components = scene.components(instance);
    let find_body = |named: &NamedComponent| match &named.component {
        Component::Body(def) => Some((named.name.clone(), def.clone())),
        _ => None,
    };
    let Some((body_name, body_def)) = components.iter().find_map(find_body) else {
        return Ok(None);
    };
    let def = BodyDef {
        position: Position::from(pose.position),
        angle: pose.rotation.angle(),
        user_key: instance as u64,
        ..body_def
    };
    let refuse = |component: &str, error: &dyn core::fmt::Display| {
        scene.error_at(instance, component, error.to_string())
    };
    let body = physics
        .create_body(&def)
        .map_err(|error| refuse(&body_name, &error))?;
    for NamedComponent { name, component } in components {
        if let Component::Collider(collider) = component
            && let Some(outline) = &collider.outline
        {
            let shape = outline
                .shape(collider.frame)
                .map_err(|error| refuse(name, &error))?;
            let material = scene.material(collider.material.as_ref().map(|material| material.text.as_str()));
            let def = ShapeDef {
                filter: collider.filter,
                user_key: instance as u64,
                ..material
            };
            physics
                .create_shape(body, &def, &shape)
                .map_err(|error| refuse(name, &error))?;
        }
    }
    Ok(Some(body))
}

/// The hinge between two placed bodies. The pivot is given in the owner's frame, and each anchor follows from the poses.
/// The angle is that of `from` seen from `to`, so that a motor turns its owner; how the bodies are placed counts as zero.
fn hinge(tie: &Tie, poses: &[Pose], [body_a, body_b]: [BodyId; 2]) -> RevoluteDef {
    let pivot = poses[tie.owner].transform_point(tie.pivot);
    let [pose_a, pose_b] = [poses[tie.to], poses[tie.from]];
    let JointKind::Revolute(Hinge {
        limit,
        spring,
        motor,
        collide_connected,
    }) = &tie.kind;
    let mut def = RevoluteDef {
        reference_angle: pose_a.rotation.to(pose_b.rotation).angle(),
        collide_connected: *collide_connected,
        user_key: tie.owner as u64,
        ..RevoluteDef::new(
            body_a,
            pose_a.inverse_transform_point(pivot),
            body_b,
            pose_b.inverse_transform_point(pivot),
        )
    };
    if let Some(limit) = limit {
        (def.enable_limit, def.lower_angle, def.upper_angle) = (true, limit.lower, limit.upper);
    }
    if let Some(spring) = spring {
        (def.enable_spring, def.target_angle) = (true, spring.target_angle);
        (def.spring_hertz, def.spring_damping_ratio) = (spring.hertz, spring.damping_ratio);
    }
    if let Some(motor) = motor {
        (def.enable_motor, def.motor_speed, def.max_motor_torque) = (true, motor.speed, motor.max_torque);
    }
    def
}
