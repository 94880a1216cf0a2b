//! What a world has from its program and its scenes and no save has, as [`RecordedDefinitions`]: resources, scripts, and
//! scenes with the materials and outlines that replace theirs. Recordings compare them at the start, and write them
//! where a restored frame brings back others.

use alloc::collections::BTreeMap;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tombolo_entity::Kept;
use tombolo_physics::Bytes;
use tombolo_threads::FloatEnvironment;

use super::{RecordedAsset, RecordedDefinitions, RecordedScene, Resources, WorldCall};
use crate::error::SceneError;
use crate::scene::{Replaced, Replacement, Scene, read_material, read_outline};
use crate::world::World;
use crate::world::asset_table::AssetKind;
use crate::world::state::empty_library;

impl World {
    /// The definitions of this world. Costs a copy of them.
    pub(in crate::world) fn definitions(&self) -> RecordedDefinitions {
        let script = |name: &str| RecordedAsset {
            name: name.into(),
            text: self.assets.script(name).unwrap_or_default().into(),
        };
        let scripts = self.assets.names(AssetKind::Script).into_iter();
        RecordedDefinitions {
            resources: Resources(self.library.iter().cloned().collect()),
            scripts: scripts.map(script).collect(),
            scenes: self.assets.scenes_as_added().map(scene_text).collect(),
        }
    }

    /// Restores a save of a world with these definitions, which replace those of this world. If that fails, this world
    /// is unchanged.
    pub(super) fn restore_defined(
        &mut self,
        definitions: RecordedDefinitions,
        save: Bytes,
    ) -> Result<(), String> {
        self.report(|| WorldCall::RestoreDefined {
            definitions: definitions.clone(),
            save: save.clone(),
        });
        self.outermost(|world| {
            let before = world.clone();
            let defined = world.replace_definitions(definitions);
            let restored = defined.and_then(|()| world.restore(&save.0).map_err(|error| error.to_string()));
            if restored.is_err() {
                world.put_back(before);
            }
            restored
        })
    }

    /// Replaces the definitions. Entities are not updated: a restore has to follow.
    fn replace_definitions(&mut self, definitions: RecordedDefinitions) -> Result<(), String> {
        let _environment = FloatEnvironment::enter();
        let mut library = empty_library();
        let loaded = library.load(&mut self.entities, definitions.resources.0);
        loaded.map_err(|error| error.to_string())?;
        self.library = library.into();
        self.forget_scripts();
        self.assets = Kept::default();
        for script in definitions.scripts {
            self.load_script(&script.name, &script.text)?;
        }
        for text in definitions.scenes {
            let scene = self.read_scene(&text).map_err(|error| error.to_string())?;
            self.assets.add(&scene);
        }
        Ok(())
    }

    fn read_scene(&self, scene: &RecordedScene) -> Result<Scene, SceneError> {
        let kinds = self.kinds();
        let mut replaced = Replaced::default();
        for RecordedAsset { name, text } in &scene.materials {
            let asset = read_material(name, text, &kinds)?;
            let text = String::from(&**text);
            replaced
                .materials
                .insert(name.to_string(), Replacement { asset, text });
        }
        for RecordedAsset { name, text } in &scene.outlines {
            let asset = read_outline(name, text)?;
            let text = String::from(&**text);
            replaced
                .outlines
                .insert(name.to_string(), Replacement { asset, text });
        }
        Scene::parse_with(&scene.file, &scene.text, &kinds)?.with(&replaced)
    }
}

fn scene_text(scene: &Scene) -> RecordedScene {
    let [file, text] = scene.source();
    let replaced = scene.replaced();
    RecordedScene {
        file: (&**file).into(),
        text: (&**text).into(),
        materials: texts_of(&replaced.materials),
        outlines: texts_of(&replaced.outlines),
    }
}

fn texts_of<T>(replaced: &BTreeMap<String, Replacement<T>>) -> Vec<RecordedAsset> {
    let texts = replaced.iter().map(|(name, replacement)| RecordedAsset {
        name: (&**name).into(),
        text: (&*replacement.text).into(),
    });
    texts.collect()
}
