//! Entities with components in managers, properties by name, resources and assets.

mod assets;
mod components;
mod described;
mod paths;
mod properties;
mod resources;
mod saving;

use tombolo_entity::{Component, Dense, EntitySystem, ManagerId, Schema};

/// Several instances an entity, one number each.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fog {
    pub(crate) density: f32,
    pub(crate) height: f32,
}

impl Component for Fog {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property(
                "density",
                |fog: &Fog| fog.density,
                |fog, value| fog.density = value,
            )
            .range(0.0..=1.0)
            .unit("1/m")
            .doc("How much light is lost on a meter.")
            .property("height", |fog: &Fog| fog.height, |fog, value| fog.height = value)
            .unit("m")
    }
}

/// Nothing but its presence.
#[derive(Clone, Default)]
pub(crate) struct Tag;

impl Component for Tag {
    fn schema() -> Schema<Self> {
        Schema::new()
    }
}

/// A system with the managers `Fog` and `Tag`.
pub(crate) fn system() -> (EntitySystem, ManagerId, ManagerId) {
    let mut system = EntitySystem::new();
    let fog = system.register("Fog", Dense::<Fog>::new()).unwrap();
    let tag = system.register("Tag", Dense::<Tag>::new()).unwrap();
    (system, fog, tag)
}
