//! The programs of the book's chapter on Bevy: each is compiled and run by `cargo test --doc`. They begin with
//! `use bevy::prelude::*`, as a game does. `bevy` itself needs a newer Rust than the engine and compiles for long, so what they
//! use of it stands here under its names, from the crates that `bevy` has it from.
#![deny(unsafe_code)]

pub use bevy_app as app;
pub use bevy_ecs as ecs;

use bevy_app::{PluginGroup, PluginGroupBuilder, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_image::ImagePlugin;
use bevy_mesh::MeshPlugin;
use bevy_sprite::SpritePlugin;
use bevy_time::TimePlugin;
use bevy_transform::TransformPlugin;

/// Of Bevy's prelude what the programs use.
pub mod prelude {
    pub use bevy_app::prelude::*;
    pub use bevy_asset::prelude::*;
    pub use bevy_ecs::prelude::*;
    pub use bevy_math::prelude::*;
    pub use bevy_mesh::prelude::*;
    pub use bevy_shape::prelude::*;
    pub use bevy_sprite::prelude::*;
    pub use bevy_time::prelude::*;
    pub use bevy_transform::prelude::*;
    pub use bevy_utils::prelude::*;

    pub use crate::DefaultPlugins;
}

/// Those of Bevy's default plugins that the programs need; without a window, so that an app that runs ends after a frame.
#[derive(Clone, Copy, Debug, Default)]
pub struct DefaultPlugins;

impl PluginGroup for DefaultPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>()
            .add(TaskPoolPlugin::default())
            .add(TimePlugin)
            .add(TransformPlugin)
            .add(AssetPlugin::default())
            .add(ImagePlugin::default())
            .add(MeshPlugin)
            .add(SpritePlugin)
    }
}

/// The chapter.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/book/src/bevy.md")]
mod chapter {}
