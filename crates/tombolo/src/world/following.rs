//! [`Following`]: what entities have to take over from physics after calls of `World::physics_mut`, computed without
//! changing the world, so that its hash is that of the synchronized world without a copy of it.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, EntitySystem};
use tombolo_geometry::Pose;
use tombolo_physics::{BodyId, PhysicsWorld};

use super::World;
use super::hierarchy::parent_of;
use super::physical::{Claim, claims, live_body, sensor_bodies};
use crate::component::{BODY, Body, CHARACTER, Character, TRANSFORM, Transform, is_place};

/// The changes that synchronize a world.
#[derive(Debug, Default)]
pub(super) struct Following {
    transforms: BTreeMap<Entity, Transform>,
    /// The entities that are noted as moved, in that order.
    pub(super) moved: Vec<Entity>,
    /// Whether a moved entity is a wall, or was one: agents search their paths again.
    pub(super) reroutes: bool,
    /// The bodies of sensors that move with an entity, in the order of the moves.
    sensors: Vec<(BodyId, Pose)>,
}

/// Whether an entity moves by itself and not with its parent: by a body, or as a character.
pub(super) fn moves_itself(physics: &PhysicsWorld, entities: &EntitySystem, entity: Entity) -> bool {
    let characters = entities.manager::<Dense<Character>>(CHARACTER);
    let character = characters.and_then(|characters| characters.newest(entity));
    character.is_some_and(|character| character.enabled) || live_body(physics, entities, entity).is_some()
}

/// The Transform of a child below a parent at a pose: its place there if it moves by itself, else its pose from its parent.
/// A pose that is out of range is not taken.
pub(super) fn followed(child: &Transform, parent: Pose, moves_itself: bool) -> Transform {
    let mut followed = *child;
    if moves_itself {
        let local = parent.to(child.world());
        followed.position = local.position;
        followed.set_angle(local.rotation.angle());
        return followed;
    }
    let world = parent.compose(child.local());
    if world != child.world() && is_place(world) {
        followed.set_world(world);
    }
    followed
}

/// The pose of an entity's body, or of its member of a composite.
pub(super) fn pose_in_physics(
    physics: &PhysicsWorld,
    entities: &EntitySystem,
    entity: Entity,
) -> Option<Pose> {
    let body: &Body = entities.manager::<Dense<Body>>(BODY)?.newest(entity)?;
    match body.member {
        Some(member) => physics.member(member).map(|member| member.pose()),
        None => physics.body(body.id?).map(|body| body.pose()),
    }
}

impl Following {
    /// What follows from the changes of the bodies with these user keys.
    pub(super) fn of(world: &World, changed: &[u64]) -> Self {
        let mut following = Self::default();
        for entity in changed.iter().filter_map(|key| world.entity_of_key(*key)) {
            let pose = pose_in_physics(&world.physics, &world.entities, entity);
            if let Some(pose) = pose
                && let Some(transform) = following.transform(world, entity)
                && transform.world() != pose
            {
                let mut moved = *transform;
                moved.follow_body(pose);
                following.transforms.insert(entity, moved);
            }
            following.moved.push(entity);
            following.reroutes |= world.is_or_was_wall(entity);
        }
        for child in world.hierarchy.order() {
            following.follow_parent(world, child);
        }
        following
    }

    /// The Transform of an entity as far as it has followed.
    fn transform<'a>(&'a self, world: &'a World, entity: Entity) -> Option<&'a Transform> {
        let transforms: &Dense<Transform> = world.entities.manager(TRANSFORM)?;
        self.transforms.get(&entity).or_else(|| transforms.newest(entity))
    }

    fn follow_parent(&mut self, world: &World, child: Entity) {
        let parent = parent_of(&world.entities, child).and_then(|parent| self.transform(world, parent));
        let (Some(parent), Some(before)) = (parent, self.transform(world, child)) else {
            return;
        };
        let moves_itself = moves_itself(&world.physics, &world.entities, child);
        let now = followed(before, parent.world(), moves_itself);
        if now.world() != before.world() {
            self.moved.push(child);
            // As a Transform's angle gives it.
            let pose = Pose::new(now.world().position, now.world().rotation.angle());
            let sensors = sensor_bodies(&world.physics, &world.entities, child);
            self.sensors.extend(sensors.into_iter().map(|body| (body, pose)));
        } else if before.has_place_of(&now) {
            return;
        }
        self.transforms.insert(child, now);
    }

    /// The hash of the physics of a world that has followed. If bodies change in it, being sensors below an entity that was
    /// moved or composites with another user key, it is that of a copy of the physics.
    pub(super) fn hash_of_physics(&self, world: &World) -> u64 {
        let claims = claims(&world.physics, &world.entities);
        if claims.is_empty() && self.sensors.is_empty() {
            return world.physics.state_hash();
        }
        let mut physics = world.physics.clone();
        for Claim { body, key, .. } in claims {
            if let Ok(mut body) = physics.body_mut(body) {
                body.set_user_key(key);
            }
        }
        self.move_sensors(&mut physics);
        physics.state_hash()
    }

    /// Writes the Transforms that change.
    pub(super) fn move_transforms(&self, all: &mut Dense<Transform>) {
        for (entity, now) in &self.transforms {
            if let Some(transform) = all.newest_mut(*entity) {
                *transform = *now;
            }
        }
    }

    /// Moves the sensors with bodies of their own; beyond the limits of the world they stay in place.
    pub(super) fn move_sensors(&self, physics: &mut PhysicsWorld) {
        for (body, pose) in &self.sensors {
            if let Ok(mut body) = physics.body_mut(*body) {
                drop(body.teleport(*pose));
            }
        }
    }
}
