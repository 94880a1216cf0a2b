//! [`World::reload`], which replaces an asset while the world runs, and its effects on entities. `docs/assets.md` is
//! for users.
//!
//! Assets are not part of the state: they belong to the program and its scenes, like resources. The effects of a
//! reload on existing entities are in their components, which are saved and hashed; the effects on later spawns
//! follow from the call, which recordings have.

use alloc::string::String;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity, LoadReport};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::asset_table::{AssetKind, Assets};
use super::recording::{Origin, WorldCall};
use super::spawn::with_transform;
use crate::component::{SCRIPT, Script};
use crate::error::{SceneError, Subject, WorldError};
use crate::scene::{Replaced, Replacement, Scene, read_material, read_outline};

impl World {
    /// The materials, outlines, scripts and scenes of this world, by name.
    ///
    /// They belong to the program, like resources: neither [`World::save`] nor [`World::state_hash`] has them. A
    /// clone has the same assets, and changes independently from then on.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// Replaces an asset by the one in a text, and updates what was made from it; returns a report. The text has the
    /// form of a scene file: `(density: 2, friction: 0.1)`, `Box(width: 1, height: 2)`, a script, or a whole scene.
    ///
    /// A **material** or **outline** changes the resources of scenes that name it: they are defined anew, and
    /// existing entities are updated by the rules of [`World::define`]: a property that was overridden where the
    /// entity was placed, or has been changed since, stays. A **script** continues with its next call, with its state
    /// and its timers; a script that an error had disabled runs again. A **scene** replaces its scripts, rules, and
    /// changed resources, except for resources that have been defined otherwise since. A rule for a pair that no scene
    /// has any more is removed, unless it was set otherwise since; scripts and resources that are gone from the text
    /// stay. Its placed entities stay as they are, and no entity is placed: [`World::add_scene`] does that. Materials
    /// and outlines that had been reloaded get the values of the new text.
    ///
    /// A reload is a call like any other: it is recorded with its text, and the same calls give the same bits. It
    /// costs a copy of the world, a reading of each scene that has the asset, and the cost of [`World::define`].
    ///
    /// ```
    /// use tombolo::entity::Value;
    /// use tombolo::{AssetKind, Scene, World};
    /// let text = r#"(
    ///     materials: {"ice": (friction: 0.01)},
    ///     entities: {"floor": {
    ///         "body": Body(),
    ///         "top": Collider(shape: Box(width: 20, height: 2), material: "ice"),
    ///     }},
    ///     place: [One(name: "rink", entity: "floor")],
    /// )"#;
    /// let mut world = World::from_scene(&Scene::parse("rink.ron", text)?)?;
    /// let report = world.reload(AssetKind::Material, "ice", "(friction: 0.2)")?;
    /// let rink = world.find("rink").expect("the scene placed it");
    /// assert_eq!(report.entities, [rink]);
    /// assert_eq!(world.get(rink, "top.friction")?, Value::F32(0.2));
    /// let error = world.reload(AssetKind::Material, "snow", "()").unwrap_err();
    /// assert_eq!(error.to_string(), "there is no material `snow`; known: ice");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`WorldError::NoAsset`] if there is none of this name, with the nearest name; [`WorldError::Asset`] if the
    /// text is wrong, or a scene that has the asset is wrong with it, with file, line and place; or the errors of
    /// [`World::define`]. The world is then unchanged.
    pub fn reload(&mut self, kind: AssetKind, name: &str, text: &str) -> Result<LoadReport, WorldError> {
        self.report(|| WorldCall::Reload {
            kind,
            name: name.into(),
            text: text.into(),
        });
        self.outermost(|world| {
            let _environment = FloatEnvironment::enter();
            let before = world.clone();
            let reloaded = world.reload_here(kind, name, text);
            match &reloaded {
                // The recorded scenes no longer produce this world.
                Ok(_) => world.origin = Origin::Program,
                Err(_) => world.put_back(before),
            }
            reloaded
        })
    }

    fn reload_here(&mut self, kind: AssetKind, name: &str, text: &str) -> Result<LoadReport, WorldError> {
        match kind {
            AssetKind::Material => {
                let scenes = self.users(kind, name, |scene| scene.materials().contains_key(name))?;
                let material = Replacement {
                    asset: read_material(name, text, &self.kinds())?,
                    text: text.into(),
                };
                self.replace(&scenes, |replaced| {
                    replaced.materials.insert(name.into(), material.clone());
                })
            }
            AssetKind::Outline => {
                let scenes = self.users(kind, name, |scene| scene.outlines().contains_key(name))?;
                let outline = Replacement {
                    asset: read_outline(name, text)?,
                    text: text.into(),
                };
                self.replace(&scenes, |replaced| {
                    replaced.outlines.insert(name.into(), outline.clone());
                })
            }
            AssetKind::Script => self.reload_script(name, text),
            AssetKind::Scene => {
                let scenes = self.users(kind, name, |scene| **scene.source()[0] == *name)?;
                let before = &scenes[0];
                let now = before.with_text(text)?;
                let mut report = LoadReport::default();
                for (script, text) in now.scripts() {
                    if !before
                        .scripts()
                        .iter()
                        .any(|known| (&known.0, &known.1) == (script, text))
                    {
                        let loaded = self.load_script(script, text);
                        loaded.map_err(|message| now.error(message))?;
                        self.resume_script(script, &mut report.entities);
                    }
                }
                self.follow(before, &now, &mut report)?;
                self.remove_rules(before);
                self.set_rules(&now, |rule| !before.rules().contains(rule))?;
                if now.callbacks() != before.callbacks() {
                    self.use_callbacks_of(&now)?;
                }
                in_order(&mut report.entities);
                Ok(report)
            }
        }
    }

    /// The scenes that have an asset, at least one.
    fn users(
        &self,
        kind: AssetKind,
        name: &str,
        has: impl Fn(&Scene) -> bool,
    ) -> Result<Vec<Scene>, WorldError> {
        let scenes = self.assets.scenes_with(has);
        if scenes.is_empty() {
            return Err(self.assets.none_of(kind, name));
        }
        Ok(scenes)
    }

    /// Reads scenes again with a replaced asset and updates existing entities.
    fn replace(&mut self, scenes: &[Scene], put: impl Fn(&mut Replaced)) -> Result<LoadReport, WorldError> {
        let mut report = LoadReport::default();
        for before in scenes {
            let mut replaced = before.replaced().clone();
            put(&mut replaced);
            self.follow(before, &before.with(&replaced)?, &mut report)?;
        }
        in_order(&mut report.entities);
        Ok(report)
    }

    /// Defines those resources of a scene that differ in another reading of it, except for those that have been
    /// defined otherwise since.
    fn follow(&mut self, before: &Scene, now: &Scene, report: &mut LoadReport) -> Result<(), WorldError> {
        let known = before.definitions();
        let mut changed = now.definitions();
        changed.retain(|definition| {
            let own = known.iter().find(|known| known.name == definition.name);
            own != Some(definition)
                && self.library.get(&definition.name).cloned() == own.cloned().map(with_transform)
        });
        let defined = self.define_here(changed)?;
        report.added += defined.added;
        report.changed += defined.changed;
        report.refused += defined.refused;
        report.changes.extend(defined.changes);
        report.entities.extend(defined.entities);
        self.assets.replace(now);
        Ok(())
    }

    /// Replaces the text of a script; scripts that an error had disabled run again.
    fn reload_script(&mut self, name: &str, text: &str) -> Result<LoadReport, WorldError> {
        if self.assets.script(name).is_none() {
            return Err(self.assets.none_of(AssetKind::Script, name));
        }
        let refuse = |message: String| SceneError {
            file: name.into(),
            line: None,
            subject: Subject::Script(name.into()),
            component: None,
            property: None,
            message: message.into(),
        };
        let graphs = self
            .assets
            .scenes_with(|scene| scene.graphs().any(|(graph, _)| graph == name));
        if let Some(scene) = graphs.first() {
            let [file, _] = scene.source();
            let message = alloc::format!("it is a node graph; change that in {file:?} and reload the scene");
            return Err(refuse(message).into());
        }
        self.load_script(name, text).map_err(refuse)?;
        let mut report = LoadReport::default();
        self.resume_script(name, &mut report.entities);
        in_order(&mut report.entities);
        Ok(report)
    }

    /// Enables the scripts of this name that an error had disabled; all entities with such a script are added to
    /// `entities`.
    fn resume_script(&mut self, name: &str, entities: &mut Vec<Entity>) {
        let owners: Vec<_> = self
            .entities
            .manager::<Dense<Script>>(SCRIPT)
            .map_or(Vec::new(), |scripts| {
                let named = scripts.owners().zip(scripts.values());
                named
                    .filter(|(_, script)| *script.name == *name)
                    .map(|(owner, _)| owner)
                    .collect()
            });
        for (entity, instance) in owners {
            let scripts: Option<&mut Dense<Script>> = self.entities.manager_mut(SCRIPT);
            if let Some(script) = scripts.and_then(|scripts| scripts.value_mut(entity, instance))
                && !script.error.is_empty()
            {
                script.enable(true);
            }
            if self.entities.entities().is_alive(entity) {
                entities.push(entity);
            }
        }
    }
}

/// Sorts by slot and removes duplicates.
fn in_order(entities: &mut Vec<Entity>) {
    entities.sort_unstable_by_key(|entity| entity.index());
    entities.dedup();
}
