//! Reads scenes, from a text and from a file. The scripts of a scene are checked by the world's language.

#[cfg(feature = "std")]
use alloc::string::{String, ToString};
use alloc::sync::Arc;

use crate::error::SceneError;
#[cfg(feature = "std")]
use crate::error::Subject;
use crate::scene::{Kinds, Replaced, Scene};
use crate::world::Language;

impl Scene {
    /// Reads a scene from its text. `file` is only used in errors.
    ///
    /// Cost: one pass over the text, then time in proportion to the instances, of which there are at most
    /// [`INSTANCES_MAX`](crate::scene::INSTANCES_MAX).
    ///
    /// # Errors
    /// The first error of the text, see [`SceneError`].
    pub fn parse(file: &str, text: &str) -> Result<Self, SceneError> {
        Self::parse_with(file, text, &Kinds::default())
    }

    /// Reads a scene that may use kinds of components beside the engine's own: those of managers that a world has, from
    /// [`World::kinds`](crate::World::kinds). Such a component is written like any other, with its manager's properties.
    ///
    /// # Errors
    /// Those of [`Scene::parse`].
    pub fn parse_with(file: &str, text: &str, kinds: &Kinds) -> Result<Self, SceneError> {
        let replaced = Replaced::default();
        Self::read(file, text, kinds, Arc::new(Language::default()), &replaced)
    }

    /// Reads a scene from a file.
    ///
    /// # Errors
    /// Those of [`Scene::parse`]; besides, the file may be missing, unreadable or not UTF-8.
    #[cfg(feature = "std")]
    pub fn load(path: &std::path::Path) -> Result<Self, SceneError> {
        let file = path.display().to_string();
        let refuse = |line, message: String| SceneError {
            file: file.as_str().into(),
            line,
            subject: Subject::Scene,
            component: None,
            property: None,
            message: message.into(),
        };
        let bytes =
            std::fs::read(path).map_err(|error| refuse(None, alloc::format!("cannot be read: {error}")))?;
        let text = core::str::from_utf8(&bytes).map_err(|error| {
            let line = bytes[..error.valid_up_to()]
                .iter()
                .filter(|&&byte| byte == b'\n')
                .count()
                + 1;
            refuse(Some(line), "is not UTF-8 text".to_string())
        })?;
        Self::parse(&file, text)
    }
}
