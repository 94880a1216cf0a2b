//! The origin of a world, in the world and in a recording. `start.rs` creates worlds from it.

use alloc::boxed::Box;
use alloc::sync::Arc;

use tombolo_physics::data_choice;

use crate::scene::{Scene, Settings};

/// The origin of a world.
#[derive(Clone, Debug)]
pub(in crate::world) enum Origin {
    /// Created by `World::new`.
    Settings(Settings),
    /// Created by `World::from_scene`, from a text in a file; or by `World::from_scene_with_seed`, with that seed.
    Scene {
        file: Arc<str>,
        text: Arc<str>,
        seed: Option<u64>,
    },
    /// Changed by a program: an asset was reloaded.
    Program,
}

/// An [`Origin`] in a recording.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RecordedOrigin {
    Settings(Settings),
    Scene {
        file: Box<str>,
        text: Box<str>,
    },
    /// A scene with another seed than that of its settings. A variant of its own, so that recordings from before it are
    /// read.
    SeededScene {
        file: Box<str>,
        text: Box<str>,
        seed: u64,
    },
    /// A program has to create the world: it has managers, resources or scripts of its own, or has reloaded assets.
    Program,
}

data_choice!(RecordedOrigin {
    Settings(settings),
    Scene { file, text },
    Program,
    SeededScene { file, text, seed },
});

impl Origin {
    /// The origin of a world that was created from a scene, perhaps with a seed in place of the scene's.
    pub(in crate::world) fn of(scene: &Scene, seed: Option<u64>) -> Self {
        let [file, text] = scene.source().map(Arc::clone);
        Self::Scene { file, text, seed }
    }
}

impl RecordedOrigin {
    /// The name of the type in recordings.
    pub(super) const NAME: &'static str = "RecordedOrigin";

    pub(super) fn of(origin: &Origin) -> Self {
        match origin {
            Origin::Settings(settings) => Self::Settings(*settings),
            Origin::Scene { file, text, seed } => {
                let [file, text] = [file, text].map(|source| Box::from(&**source));
                match *seed {
                    None => Self::Scene { file, text },
                    Some(seed) => Self::SeededScene { file, text, seed },
                }
            }
            Origin::Program => Self::Program,
        }
    }
}
