//! What a world was made from, as the world and as a recording has it.

use alloc::boxed::Box;
use alloc::sync::Arc;

use tombolo_physics::data_choice;

use crate::scene::{Scene, Settings};

/// What a world was made from.
#[derive(Clone, Debug)]
pub(in crate::world) enum Origin {
    /// `World::new`.
    Settings(Settings),
    /// `World::from_scene`, of a text in a file.
    Scene { file: Arc<str>, text: Arc<str> },
    /// A program: an asset was reloaded.
    Program,
}

/// As [`Origin`], in a recording.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RecordedOrigin {
    Settings(Settings),
    Scene {
        file: Box<str>,
        text: Box<str>,
    },
    /// A program makes such a world: it has managers, resources or scripts of its own, or has reloaded assets.
    Program,
}

data_choice!(RecordedOrigin { Settings(settings), Scene { file, text }, Program });

impl Origin {
    /// That of a world which a scene has made.
    pub(in crate::world) fn of(scene: &Scene) -> Self {
        let [file, text] = scene.source().map(Arc::clone);
        Self::Scene { file, text }
    }
}

impl RecordedOrigin {
    /// The name of the type in recordings.
    pub(super) const NAME: &'static str = "RecordedOrigin";

    pub(super) fn of(origin: &Origin) -> Self {
        match origin {
            Origin::Settings(settings) => Self::Settings(*settings),
            Origin::Scene { file, text } => Self::Scene {
                file: (&**file).into(),
                text: (&**text).into(),
            },
            Origin::Program => Self::Program,
        }
    }
}
