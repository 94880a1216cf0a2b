//! [`Assets`]: the materials, outlines, scripts and scenes that a world was given, by name.

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

/// The assets of a world, by name. From [`World::assets`](super::World::assets).
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

/// One more use of an asset, which is a new one from now on.
fn use_asset<R: Send + Sync + 'static>(
    cache: &mut ResourceCache,
    kind: ResourceKind<Given<R>>,
    name: &str,
    asset: R,
) {
    // What the cache has is used once more; what it does not have comes in with its first use.
    let _ = cache.acquire(kind, name);
    let put: Result<ResourceHandle<R>, CacheError> = cache.put(kind, name, Owned::new(asset));
    debug_assert!(put.is_ok(), "the kind is of this cache");
}

/// One use less.
fn release<F: Factory>(cache: &mut ResourceCache, kind: ResourceKind<F>, name: &str) {
    let released = cache.find(kind, name).map(|handle| cache.release(handle));
    debug_assert!(matches!(released, Some(Ok(_))), "a scene uses what it has");
}
