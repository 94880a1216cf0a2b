//! [`SpawnedScene`]: the entities for the objects of a scene. Feature `scenes`.

use std::collections::BTreeMap;

use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::prelude::{Commands, Entity, Name};
use bevy_math::Vec2;
use tombolo::World;
use tombolo::component::{CHARACTER, Character as SceneCharacter, FIELD, Field as SceneField};
use tombolo::entity::{Dense, Entity as SceneEntity};
use tombolo_physics::{BodyKind, BodyRef, CharacterInput, Pose};

use crate::character::{Character, CharacterControl};
use crate::field::Field;
use crate::spawn::{SpawnPhysics, SpawnedPhysics, transform};

/// The entities that were spawned for a scene, below its root.
pub(crate) struct SpawnedScene<'a> {
    world: &'a World,
    root: Entity,
    /// By the bits of their bodies' ids in the scene's world.
    bodies: BTreeMap<u64, Entity>,
    /// All of them.
    pub(crate) entities: Vec<Entity>,
}

impl<'a> SpawnedScene<'a> {
    /// Spawns the objects of a scene's world of physics.
    pub(crate) fn new(world: &'a World, root: Entity, commands: &mut Commands) -> Self {
        let SpawnedPhysics {
            bodies,
            joints,
            fields,
        } = commands.spawn_physics(world.physics(), Some(root));
        for &(body, entity) in &bodies {
            let name = world.entity_of(body).and_then(|of| world.name_of(of));
            if let Some(name) = name {
                commands.entity(entity).insert(Name::new(name.to_owned()));
            }
        }
        let of_bodies = bodies.iter().map(|(_, entity)| *entity);
        let of_joints = joints.iter().map(|(_, entity)| *entity);
        let of_fields = fields.iter().map(|(_, entity)| *entity);
        Self {
            world,
            root,
            entities: of_bodies.chain(of_joints).chain(of_fields).collect(),
            bodies: bodies
                .iter()
                .map(|(body, entity)| (body.to_bits(), *entity))
                .collect(),
        }
    }

    /// Spawns the fields, which a scene's world of physics has from its first step on only.
    pub(crate) fn spawn_fields(&mut self, commands: &mut Commands) {
        let fields: Option<&Dense<SceneField>> = self.world.entities().manager(FIELD);
        let Some(fields) = fields else {
            return;
        };
        for ((of, _), field) in fields.owners().zip(fields.values()) {
            let pose = self.world.pose(of).unwrap_or_default();
            // One whose numbers physics does not take is in no world.
            let Ok(def) = field.def(of, pose) else {
                continue;
            };
            let (parent, place) = self.place(of, pose);
            let mut entity = commands.spawn((Field::new(def), transform(place), ChildOf(parent)));
            // One below a body has the name there, if it is the body's.
            if let Some(name) = self.world.name_of(of).filter(|_| parent == self.root) {
                entity.insert(Name::new(name.to_owned()));
            }
            self.entities.push(entity.id());
        }
    }

    /// The spawned entity that a scene's entity goes with: that of its body or of the nearest body above it, or the root; and its pose
    /// there.
    fn place(&self, of: SceneEntity, pose: Pose) -> (Entity, Pose) {
        let mut at = Some(of);
        while let Some(above) = at {
            if let Some(body) = self.world.body(above)
                && let Some(&entity) = self.bodies.get(&body.id().to_bits())
            {
                return (entity, body.pose().to(pose));
            }
            at = self.world.parent(above);
        }
        (self.root, pose)
    }

    /// Spawns the characters, upright along a unit vector. Returns whether they are all of the scene's.
    pub(crate) fn spawn_characters(&mut self, up: Vec2, commands: &mut Commands) -> bool {
        let characters: Option<&Dense<SceneCharacter>> = self.world.entities().manager(CHARACTER);
        let Some(characters) = characters else {
            return true;
        };
        let mut are_all = true;
        for ((of, _), character) in characters.owners().zip(characters.values()) {
            let body = self.world.body(of);
            let is_movable = |body: BodyRef<'_>| body.kind() == BodyKind::Kinematic;
            // Such dimensions as physics refuses make no character in the engine either.
            let shape = character.shape(false, up);
            let (true, true, Ok(shape)) = (character.enabled, body.is_none_or(is_movable), shape) else {
                are_all = false;
                continue;
            };
            let parts = (
                Character::new(character.def(shape, up, None)),
                // A drop is for one step.
                CharacterControl(CharacterInput {
                    drop: false,
                    ..character.input()
                }),
            );
            let of_body = body.and_then(|body| self.bodies.get(&body.id().to_bits()));
            if let Some(&entity) = of_body {
                commands.entity(entity).insert(parts);
                continue;
            }
            let pose = self.world.pose(of).unwrap_or_default();
            let mut entity = commands.spawn((parts, transform(pose), ChildOf(self.root)));
            if let Some(name) = self.world.name_of(of) {
                entity.insert(Name::new(name.to_owned()));
            }
            self.entities.push(entity.id());
        }
        are_all
    }
}
