//! [`Assets`]: the materials, outlines, scripts and scenes of a world, by name. `assets.rs` has the world's calls.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use tombolo_entity::{CacheError, Factory, Given, ResourceCache, ResourceHandle, ResourceKind, Value};
use tombolo_handles::Owned;
use tombolo_physics::data_choice;

use crate::component::ShapeGeometry;
use crate::error::WorldError;
use crate::scene::{Component, Scene, advice};

/// A kind of asset.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum AssetKind {
    /// A material of colliders: an entry of the section `materials`.
    Material,
    /// A shape of components: an entry of the section `outlines`.
    Outline,
    /// A script: an entry of the section `scripts`, or from [`World::define_script`](crate::World::define_script).
    Script,
    /// A scene that was added to the world, under the name of its file.
    Scene,
}

data_choice!(AssetKind {
    Material,
    Outline,
    Script,
    Scene
});

impl AssetKind {
    /// The kind's word in messages.
    fn word(self) -> &'static str {
        match self {
            Self::Material => "material",
            Self::Outline => "outline",
            Self::Script => "script",
            Self::Scene => "scene",
        }
    }
}

/// A material of colliders, as a scene gives it.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    values: Vec<(Box<str>, Value)>,
}

impl Material {
    /// The properties of a Collider that the material gives, in the order of the register; the others have their
    /// defaults.
    pub fn values(&self) -> &[(Box<str>, Value)] {
        &self.values
    }

    /// The value that the material gives a property of colliders, for instance `friction`.
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

/// The assets of a world, by name. From [`World::assets`](super::World::assets).
///
/// If several scenes have an asset of one name, it is that of the scene that was added last; a reload replaces it in
/// all of them.
#[derive(Clone)]
pub struct Assets {
    cache: ResourceCache,
    materials: ResourceKind<Given<Material>>,
    outlines: ResourceKind<Given<ShapeGeometry>>,
    scripts: ResourceKind<Given<String>>,
    /// The scenes, without their placements.
    scenes: ResourceKind<Given<Scene>>,
    /// The names of the scenes in the order in which they were added; one that was added again is the last.
    added: Vec<Box<str>>,
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
            added: Vec::new(),
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
    /// The names of all assets of a kind, in alphabetic order.
    pub fn names(&self, kind: AssetKind) -> Vec<&str> {
        match kind {
            AssetKind::Material => self.cache.names(self.materials).collect(),
            AssetKind::Outline => self.cache.names(self.outlines).collect(),
            AssetKind::Script => self.cache.names(self.scripts).collect(),
            AssetKind::Scene => self.cache.names(self.scenes).collect(),
        }
    }

    /// The material with a name.
    pub fn material(&self, name: &str) -> Option<&Material> {
        self.find(self.materials, name)
    }

    /// The outline with a name.
    pub fn outline(&self, name: &str) -> Option<&ShapeGeometry> {
        self.find(self.outlines, name)
    }

    /// The text of a script; for a node graph the text of the generated script.
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

    /// Adds a scene with its assets, in place of one of the same name.
    pub(super) fn add(&mut self, scene: &Scene) {
        let [file, _] = scene.source();
        self.added.retain(|added| **added != **file);
        self.added.push((&**file).into());
        self.put_scene(scene);
    }

    /// Replaces a scene that was added by another reading of it.
    pub(super) fn replace(&mut self, scene: &Scene) {
        debug_assert!(
            self.added.iter().any(|added| **added == **scene.source()[0]),
            "it was added"
        );
        self.put_scene(scene);
    }

    /// Sets a scene. Assets that no scene has any more are removed; each other is that of the scene that was added last.
    fn put_scene(&mut self, scene: &Scene) {
        let [file, _] = scene.source();
        let before = self.find(self.scenes, file).map(Scene::unplaced);
        let put = self.cache.put(self.scenes, file, Owned::new(scene.unplaced()));
        debug_assert!(put.is_ok(), "the kind is of this cache");
        for name in scene.materials().keys() {
            // The cache counts one more use of an entry that it has; a new entry is created with its first use.
            let _ = self.cache.acquire(self.materials, name);
        }
        for name in scene.outlines().keys() {
            let _ = self.cache.acquire(self.outlines, name);
        }
        if let Some(before) = &before {
            let names = before.materials().keys();
            names.for_each(|name| release(&mut self.cache, self.materials, name));
            let names = before.outlines().keys();
            names.for_each(|name| release(&mut self.cache, self.outlines, name));
        }
        for scene in before.iter().chain([scene]) {
            for name in scene.materials().keys() {
                let last = self.last_added(|scene| scene.materials().get(name).map(Material::of));
                put_asset(&mut self.cache, self.materials, name, last);
            }
            for name in scene.outlines().keys() {
                let last = self.last_added(|scene| scene.outlines().get(name).cloned());
                put_asset(&mut self.cache, self.outlines, name, last);
            }
        }
    }

    /// What the last added of the scenes that have something has of it.
    fn last_added<T>(&self, of: impl Fn(&Scene) -> Option<T>) -> Option<T> {
        let last_first = self.added.iter().rev();
        let mut scenes = last_first.filter_map(|name| self.find(self.scenes, name));
        scenes.find_map(of)
    }

    /// The scenes in the order in which they were added.
    pub(super) fn scenes_as_added(&self) -> impl Iterator<Item = &Scene> {
        self.added.iter().filter_map(|name| self.find(self.scenes, name))
    }

    /// Adds the text of a script.
    pub(super) fn take_script(&mut self, name: &str, text: &str) {
        let put = self.cache.put(self.scripts, name, Owned::new(text.into()));
        debug_assert!(put.is_ok(), "the kind is of this cache");
    }

    /// The scenes for which `has` is true, in the order of their names.
    pub(super) fn scenes_with(&self, has: impl Fn(&Scene) -> bool) -> Vec<Scene> {
        let names = self.cache.names(self.scenes);
        let scenes = names.filter_map(|name| self.find(self.scenes, name));
        scenes.filter(|scene| has(scene)).map(Scene::unplaced).collect()
    }

    pub(super) fn none_of(&self, kind: AssetKind, name: &str) -> WorldError {
        WorldError::NoAsset {
            kind: kind.word(),
            name: name.into(),
            advice: advice(name, self.names(kind)).into(),
        }
    }
}

/// Gives an asset that scenes use a new value.
fn put_asset<R: Send + Sync + 'static>(
    cache: &mut ResourceCache,
    kind: ResourceKind<Given<R>>,
    name: &str,
    asset: Option<R>,
) {
    if let Some(asset) = asset {
        let put: Result<ResourceHandle<R>, CacheError> = cache.put(kind, name, Owned::new(asset));
        debug_assert!(put.is_ok(), "the kind is of this cache");
    }
}

/// Removes a use of an asset.
fn release<F: Factory>(cache: &mut ResourceCache, kind: ResourceKind<F>, name: &str) {
    let released = cache.find(kind, name).map(|handle| cache.release(handle));
    debug_assert!(matches!(released, Some(Ok(_))), "a scene uses what it has");
}
