//! Assets by name: the scenes that a world was given, and the materials, outlines and scripts that they have; and
//! [`World::reload`], which replaces one while the world runs. `docs/assets.md` is for users.
//!
//! Assets are no part of the state: they belong to the program and its scenes, as resources do. What a reload does to living
//! entities is in their components, which are saved and hashed; what later spawns get follows from the call, which
//! recordings have.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tombolo_entity::{
    CacheError, Dense, Entity, Factory, Given, LoadReport, ResourceCache, ResourceHandle, ResourceKind, Value,
};
use tombolo_handles::Owned;
use tombolo_physics::data_choice;
use tombolo_threads::FloatEnvironment;

use super::World;
use super::recording::{Origin, WorldCall};
use crate::component::{SCRIPT, Script, ShapeGeometry};
use crate::error::{SceneError, Subject, WorldError};
use crate::scene::{Component, Scene, advice, read_material, read_outline};

/// A kind of asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AssetKind {
    /// What colliders are made of: an entry of the section `materials`.
    Material,
    /// The shape of components: an entry of the section `outlines`.
    Outline,
    /// A script: an entry of the section `scripts`, or from [`World::define_script`](crate::World::define_script).
    Script,
    /// A scene that the world was given, called as its file is.
    Scene,
}

data_choice!(AssetKind {
    Material,
    Outline,
    Script,
    Scene
});

impl AssetKind {
    /// What it is called in messages.
    fn word(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Outline => "outline",
            Self::Script => "script",
            Self::Scene => "scene",
        }
    }
}

/// What a collider is made of, as a scene says it.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    values: Vec<(Box<str>, Value)>,
}

impl Material {
    /// The properties of a Collider that the material gives, in the order of the register; the others are as by default.
    pub fn values(&self) -> &[(Box<str>, Value)] {
        &self.values
    }

    /// The value that the material gives a property of colliders: of `friction`, say.
    pub fn value(&self, property: &str) -> Option<&Value> {
        let mut values = self.values.iter();
        values
            .find(|(name, _)| **name == *property)
            .map(|(_, value)| value)
    }

    fn of(component: &Component) -> Self {
        let entries = component.kind.entries().iter().zip(&component.values);
        let given =
            entries.filter_map(|(entry, value)| Some((entry.property().name.clone(), value.clone()?)));
        Self {
            values: given.collect(),
        }
    }
}

/// The assets of a world, by name. From [`World::assets`].
///
/// An asset of one name that several scenes have is that of the scene that was added last; a reload replaces it in all of
/// them.
#[derive(Clone)]
pub struct Assets {
    cache: ResourceCache,
    materials: ResourceKind<Given<Material>>,
    outlines: ResourceKind<Given<ShapeGeometry>>,
    scripts: ResourceKind<Given<String>>,
    /// Without what they place.
    scenes: ResourceKind<Given<Scene>>,
}

impl Default for Assets {
    fn default() -> Self {
        fn register<R: Send + Sync + 'static>(cache: &mut ResourceCache) -> ResourceKind<Given<R>> {
            let kind = cache.register(Given::new());
            kind.expect("an empty cache has room for four kinds")
        }
        let mut cache = ResourceCache::new();
        Self {
            materials: register(&mut cache),
            outlines: register(&mut cache),
            scripts: register(&mut cache),
            scenes: register(&mut cache),
            cache,
        }
    }
}

impl fmt::Debug for Assets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cache.fmt(f)
    }
}

impl Assets {
    /// The names of all assets of a kind, in the order of their letters.
    pub fn names(&self, kind: AssetKind) -> Vec<&str> {
        match kind {
            AssetKind::Material => self.cache.names(self.materials).collect(),
            AssetKind::Outline => self.cache.names(self.outlines).collect(),
            AssetKind::Script => self.cache.names(self.scripts).collect(),
            AssetKind::Scene => self.cache.names(self.scenes).collect(),
        }
    }

    /// A material.
    pub fn material(&self, name: &str) -> Option<&Material> {
        self.find(self.materials, name)
    }

    /// An outline.
    pub fn outline(&self, name: &str) -> Option<&ShapeGeometry> {
        self.find(self.outlines, name)
    }

    /// The text of a script; of a node graph that of the script it became.
    pub fn script(&self, name: &str) -> Option<&str> {
        self.find(self.scripts, name).map(String::as_str)
    }

    /// The text of a scene.
    pub fn scene(&self, name: &str) -> Option<&str> {
        self.find(self.scenes, name).map(Scene::text)
    }

    fn find<R: Send + Sync + 'static>(&self, kind: ResourceKind<Given<R>>, name: &str) -> Option<&R> {
        self.cache.get(self.cache.find(kind, name)?).ok()
    }

    /// Takes a scene, in place of one of its name, with all that it has. What only the other one had goes.
    pub(super) fn take(&mut self, scene: &Scene) {
        let [file, _] = scene.source();
        let before = self.find(self.scenes, file).map(Scene::unplaced);
        for (name, material) in scene.materials() {
            use_asset(&mut self.cache, self.materials, name, Material::of(material));
        }
        for (name, outline) in scene.outlines() {
            use_asset(&mut self.cache, self.outlines, name, outline.clone());
        }
        let put = self.cache.put(self.scenes, file, Owned::new(scene.unplaced()));
        debug_assert!(put.is_ok(), "the kind is of this cache");
        if let Some(before) = before {
            before
                .materials()
                .keys()
                .for_each(|name| release(&mut self.cache, self.materials, name));
            before
                .outlines()
                .keys()
                .for_each(|name| release(&mut self.cache, self.outlines, name));
        }
    }

    /// Takes the text of a script.
    pub(super) fn take_script(&mut self, name: &str, text: &str) {
        let put = self.cache.put(self.scripts, name, Owned::new(text.into()));
        debug_assert!(put.is_ok(), "the kind is of this cache");
    }

    /// The scenes that have something, in the order of their names.
    fn scenes_with(&self, has: impl Fn(&Scene) -> bool) -> Vec<Scene> {
        let names = self.cache.names(self.scenes);
        let scenes = names.filter_map(|name| self.find(self.scenes, name));
        scenes.filter(|scene| has(scene)).map(Scene::unplaced).collect()
    }

    fn none_of(&self, kind: AssetKind, name: &str) -> WorldError {
        WorldError::NoAsset {
            kind: kind.word(),
            name: name.into(),
            advice: advice(name, self.names(kind).into_iter()).into(),
        }
    }
}

/// One more use of an asset, which is a new one from now on.
fn use_asset<R: Send + Sync + 'static>(
    cache: &mut ResourceCache,
    kind: ResourceKind<Given<R>>,
    name: &str,
    asset: R,
) {
    let is_known = cache.acquire(kind, name).is_ok();
    let put: Result<ResourceHandle<R>, CacheError> = cache.put(kind, name, Owned::new(asset));
    debug_assert!(put.is_ok(), "the kind is of this cache; known: {is_known}");
}

/// One use less.
fn release<F: Factory>(cache: &mut ResourceCache, kind: ResourceKind<F>, name: &str) {
    let released = cache.find(kind, name).map(|handle| cache.release(handle));
    debug_assert!(matches!(released, Some(Ok(_))), "a scene uses what it has");
}

impl World {
    /// The materials, outlines, scripts and scenes that this world was given, by name.
    ///
    /// They belong to the program, as resources do: neither [`World::save`] nor [`World::state_hash`] has them. A clone has
    /// the same, and goes its own way from then on.
    pub fn assets(&self) -> &Assets {
        &self.assets
    }

    /// Replaces an asset by what a text says, and has what is made of it follow; what that came to. The text is written as it
    /// would be in a scene file: `(density: 2, friction: 0.1)`, `Box(width: 1, height: 2)`, a script, or a whole scene.
    ///
    /// What is made of a **material** or **outline** are the resources of scenes that name it: they are defined anew, and
    /// living entities follow as [`World::define`] says: a property that was overridden where the entity was placed, or has
    /// been changed since, stays. A **script** goes on with its next call, with what it remembers and its timers; one that
    /// an error had ended runs again. Of a **scene** the scripts, rules, and resources that changed are taken; what it places
    /// stays as it is, and nothing new is placed: [`World::add_scene`] does that. Assets that had been reloaded are as the new
    /// text says.
    ///
    /// A reload is a call like any other: it is recorded with its text, and the same calls give the same bits. It costs a copy
    /// of the world, a reading of each scene that has the asset, and what [`World::define`] costs.
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
    /// [`WorldError::NoAsset`] if there is none of this name, which names the nearest; [`WorldError::Asset`] if the text is
    /// wrong, or a scene that has the asset with it, with file, line and place; or what [`World::define`] refuses. Nothing is
    /// changed then.
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
                // Its scenes do not give this world any more.
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
                let material = read_material(name, text, &self.kinds())?;
                self.replace(&scenes, |scene| {
                    let mut replaced = scene.replaced().clone();
                    replaced.materials.insert(name.into(), material.clone());
                    scene.with(&replaced)
                })
            }
            AssetKind::Outline => {
                let scenes = self.users(kind, name, |scene| scene.outlines().contains_key(name))?;
                let outline = read_outline(name, text)?;
                self.replace(&scenes, |scene| {
                    let mut replaced = scene.replaced().clone();
                    replaced.outlines.insert(name.into(), outline.clone());
                    scene.with(&replaced)
                })
            }
            AssetKind::Script => self.reload_script(name, text),
            AssetKind::Scene => {
                let scenes = self.users(kind, name, |scene| **scene.source()[0] == *name)?;
                let now = scenes[0].with_text(text)?;
                self.load_scripts(&now)?;
                let mut report = LoadReport::default();
                self.follow(&scenes[0], &now, &mut report)?;
                self.set_rules(&now)?;
                Ok(report)
            }
        }
    }

    /// The scenes that have an asset, one or more.
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

    /// Reads scenes again and has the living follow.
    fn replace(
        &mut self,
        scenes: &[Scene],
        again: impl Fn(&Scene) -> Result<Scene, SceneError>,
    ) -> Result<LoadReport, WorldError> {
        let mut report = LoadReport::default();
        for before in scenes {
            self.follow(before, &again(before)?, &mut report)?;
        }
        in_order(&mut report.entities);
        Ok(report)
    }

    /// Defines what of a scene's resources another reading of it says otherwise.
    fn follow(&mut self, before: &Scene, now: &Scene, report: &mut LoadReport) -> Result<(), WorldError> {
        let known = before.definitions();
        let mut changed = now.definitions();
        changed.retain(|definition| !known.contains(definition));
        let defined = self.define_here(changed)?;
        report.added += defined.added;
        report.changed += defined.changed;
        report.refused += defined.refused;
        report.changes.extend(defined.changes);
        report.entities.extend(defined.entities);
        self.assets.take(now);
        Ok(())
    }

    /// Gives a script another text; those that an error had ended run again.
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
        let mut entities: Vec<Entity> = Vec::new();
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
        in_order(&mut entities);
        Ok(LoadReport {
            entities,
            ..LoadReport::default()
        })
    }
}

/// Each once, by slot.
fn in_order(entities: &mut Vec<Entity>) {
    entities.sort_unstable_by_key(|entity| entity.index());
    entities.dedup();
}
