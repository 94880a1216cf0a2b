//! [`Origin`]: the scene that a session plays, with its name and where it was opened from.

use tombolo::{Scene, World};

use crate::failure::Failure;

/// The scene that a session plays, with its name.
#[derive(Clone)]
pub struct Origin {
    wanted: String,
    name: String,
    scene: Scene,
    has_file: bool,
}

impl Origin {
    /// `wanted` is the path or name by which the scene was opened and is found again; `name` is short enough for a file
    /// name. `has_file` says whether a person wrote the scene's text, so that edits can be put into it: the text of a
    /// map is generated.
    pub fn new(wanted: &str, name: &str, scene: Scene, has_file: bool) -> Self {
        Self {
            wanted: wanted.to_string(),
            name: name.to_string(),
            scene,
            has_file,
        }
    }

    /// The path or name by which it was opened.
    pub fn wanted(&self) -> &str {
        &self.wanted
    }

    /// The scene's name, without a folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }

    /// The same scene with another text.
    ///
    /// # Errors
    /// The text is not a scene.
    pub(crate) fn with_text(self, text: &str) -> Result<Self, Failure> {
        let scene = Scene::parse(&self.wanted, text).map_err(|error| Failure(error.to_string()))?;
        Ok(Self { scene, ..self })
    }

    /// The text of the scene, if edits can be put into it.
    pub fn scene_text(&self) -> Option<&str> {
        self.has_file.then(|| self.scene.text())
    }

    /// A new world at its first moment.
    ///
    /// # Errors
    /// Physics refuses a part of it.
    pub fn world(&self) -> Result<Box<World>, Failure> {
        let mut world = Box::new(World::from_scene(&self.scene)?);
        world.physics_mut().set_profiling(true);
        Ok(world)
    }
}
