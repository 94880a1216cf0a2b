//! Creates the entities of a checked scene. Resources are loaded, every placement is spawned as a batch, then bodies
//! are created in the order of the file, each with its shapes, then the welds and the joints in the order of their
//! owners: ids and colors follow from that order.

use alloc::format;
use alloc::string::ToString;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, NameHash};
use tombolo_geometry::Pose;
use tombolo_threads::FloatEnvironment;

use super::World;
use super::recording::WorldCall;
use super::spawn::Places;
use crate::component::{self, JOINT, Joint, RIGID_WELD, RigidWeld, is_place};
use crate::error::{SceneError, WorldError};
use crate::scene::{Kinds, Scene, SceneRule, SegmentCut};

impl World {
    /// The kinds of components that a scene for this world can use: the engine's own, and one for each registered
    /// manager.
    pub fn kinds(&self) -> Kinds {
        let mut kinds = Kinds::of(self.register.clone());
        let own = self.entities.managers().skip(component::NAMES.len());
        for (_, name, manager) in own {
            if let Some(name) = self.entities.names().get(name) {
                kinds.add(name, manager.properties());
            }
        }
        kinds
    }

    /// Spawns the entities that a scene places, and adds its resources to the library. The scene's settings are
    /// ignored; the steps of its segment cuts count from now.
    ///
    /// # Errors
    ///
    /// Errors that the scene's checks do not find: names that are taken, more bodies than physics holds. The world is
    /// then unchanged: it is copied first.
    pub fn add_scene(&mut self, scene: &Scene) -> Result<(), SceneError> {
        self.report(|| {
            let [file, text] = scene.source();
            WorldCall::AddScene {
                file: (&**file).into(),
                text: (&**text).into(),
            }
        });
        self.outermost(|world| {
            let _environment = FloatEnvironment::enter();
            let before = world.clone();
            let added = world.add_scene_here(scene);
            if added.is_err() {
                world.put_back(before);
            }
            added
        })
    }

    /// Adds a scene like [`World::add_scene`], to a world that is dropped if the scene is refused.
    pub(super) fn add_scene_here(&mut self, scene: &Scene) -> Result<(), SceneError> {
        let _environment = FloatEnvironment::enter();
        self.load_scripts(scene)?;
        self.define_here(scene.definitions())
            .map_err(|error| scene.error(format!("{error}")))?;
        self.set_rules(scene, |_| true)?;
        self.use_callbacks_of(scene)?;
        self.build(scene)?;
        self.assets.add(scene);
        let now = self.physics.step_index();
        for segment_cut in scene.segment_cuts() {
            self.add_segment_cut(SegmentCut {
                step: now.saturating_add(segment_cut.step),
                ..*segment_cut
            });
        }
        Ok(())
    }

    /// Adds the scripts of a scene.
    pub(super) fn load_scripts(&mut self, scene: &Scene) -> Result<(), SceneError> {
        for (name, text) in scene.scripts() {
            let loaded = self.load_script(name, text);
            loaded.map_err(|message| scene.error(message))?;
        }
        Ok(())
    }

    /// Sets the selected rules of a scene.
    pub(super) fn set_rules(
        &mut self,
        scene: &Scene,
        is_wanted: impl Fn(&SceneRule) -> bool,
    ) -> Result<(), SceneError> {
        for rule in scene.rules().iter().filter(|rule| is_wanted(rule)) {
            let set = if rule.is_of_categories() {
                self.physics
                    .set_category_rule(rule.first_category, rule.second_category, rule.rule)
            } else {
                self.physics.set_contact_rule(rule.first, rule.second, rule.rule)
            };
            set.map_err(|error| scene.error(format!("{error}")))?;
        }
        Ok(())
    }

    /// Removes the rules of a former reading of a scene for pairs of which no scene has a rule now, except for those
    /// that were set otherwise since.
    pub(super) fn remove_rules(&mut self, before: &Scene) {
        for gone in before.rules() {
            let has_one = |scene: &Scene| scene.rules().iter().any(|rule| rule.is_about_the_same(gone));
            if !self.assets.scenes_with(has_one).is_empty() {
                continue;
            }
            let physics = &mut self.physics;
            if gone.is_of_categories() {
                let pair = [gone.first_category, gone.second_category];
                if physics.category_rules().any(|now| now == (pair, gone.rule)) {
                    physics.remove_category_rule(pair[0], pair[1]);
                }
            } else {
                let pair = [gone.first, gone.second];
                if physics.contact_rules().any(|now| now == (pair, gone.rule)) {
                    physics.remove_contact_rule(pair[0], pair[1]);
                }
            }
        }
    }

    fn build(&mut self, scene: &Scene) -> Result<(), SceneError> {
        let mut roots = Vec::with_capacity(scene.instance_count());
        let mut all = Vec::with_capacity(scene.instance_count());
        let mut instances = scene.instances();
        for (resource, overrides, count) in scene.placements() {
            let first = roots.len();
            let batch: Vec<(&str, Pose)> = instances.by_ref().take(count).collect();
            let poses: Vec<Option<Pose>> = batch.iter().map(|(_, pose)| Some(*pose)).collect();
            let places = Places {
                poses: &poses,
                parent: None,
            };
            let room = self.check_entity_capacity(count);
            let room = room.and_then(|()| self.check_own_parent(resource, &overrides));
            let spawned = room.and_then(|()| self.place(resource, places, &overrides));
            let spawned = spawned.and_then(|spawned| self.check_entity_capacity(0).map(|()| spawned));
            let spawned = spawned.map_err(|error| scene.error_at(first, None, format!("{error}")))?;
            for (place, &entity) in spawned.entities().iter().enumerate() {
                let instance = first + place % count;
                let checked = self.check_place(entity);
                checked.map_err(|error| scene.error_at(instance, None, format!("{error}")))?;
            }
            all.extend(spawned.entities());
            for (offset, (&root, (name, _))) in spawned.roots().iter().zip(&batch).enumerate() {
                if !self.names.give(root, name) {
                    let message = "another entity of the world has that name".to_string();
                    return Err(scene.error_at(first + offset, None, message));
                }
                roots.push(root);
            }
            self.name_children(&spawned);
        }
        self.create_physics(scene, &roots, &all)
    }

    /// Refuses an entity that was placed nowhere, or too far away.
    fn check_place(&self, entity: Entity) -> Result<(), WorldError> {
        let pose = self.pose(entity).unwrap_or_default();
        if is_place(pose) {
            return Ok(());
        }
        Err(WorldError::Pose {
            entity: self.show(entity),
            position: pose.position,
            angle: pose.rotation.angle(),
        })
    }

    /// Creates the bodies and shapes of all entities, then their rigid welds, then their joints.
    fn create_physics(&mut self, scene: &Scene, roots: &[Entity], all: &[Entity]) -> Result<(), SceneError> {
        let explain = |entity: Entity, error: WorldError| {
            let (component, message) = match error {
                WorldError::Physics { component, error, .. } => (Some(component), error.to_string()),
                WorldError::Unfit { component, why, .. } => (Some(component), why.to_string()),
                error => (None, format!("{error}")),
            };
            match roots.iter().position(|root| *root == entity) {
                Some(instance) => scene.error_at(instance, component.as_deref(), message),
                None => scene.error(message),
            }
        };
        for &entity in all {
            let made = self.physical().create_objects(entity);
            let made = made.and_then(|()| self.check_body_capacity(0));
            made.map_err(|error| explain(entity, error))?;
            self.note_moved(entity);
        }
        for resolved in scene.resolved_joints() {
            let [owner, from, to] = [resolved.owner, resolved.from, resolved.to].map(|place| roots[place]);
            let name = NameHash::of(&resolved.component);
            let welds: Option<&mut Dense<RigidWeld>> = self.entities.manager_mut(RIGID_WELD);
            if let Some(weld) = welds.and_then(|welds| welds.value_mut(owner, name.into())) {
                weld.to = Some(to);
                continue;
            }
            let joints: Option<&mut Dense<Joint>> = self.entities.manager_mut(JOINT);
            if let Some(joint) = joints.and_then(|joints| joints.value_mut(owner, name.into())) {
                (joint.from, joint.to) = (Some(from), Some(to));
            }
        }
        for &entity in all {
            let made = self.physical().weld(entity);
            made.map_err(|error| explain(entity, error))?;
        }
        for &entity in all {
            let made = self.physical().create_joints(entity);
            made.map_err(|error| explain(entity, error))?;
        }
        for &entity in all {
            self.entity_events.spawned(entity);
        }
        Ok(())
    }
}
