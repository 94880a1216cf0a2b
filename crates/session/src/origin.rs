//! [`Origin`]: the scene that a session plays, and what it is called.

use tombolo::{Scene, World};

use crate::failure::Failure;

/// The scene that a session plays, and what it is called.
#[derive(Clone)]
pub struct Origin {
    wanted: String,
    name: String,
    scene: Scene,
    has_file: bool,
}

impl Origin {
    /// `wanted` is what the scene was asked for as, by which it is found again; `name` is short enough for a file name.
    /// `has_file` says whether the scene's text is what somebody wrote, so that edits can be put into it: that of a map is made.
    pub fn new(wanted: &str, name: &str, scene: Scene, has_file: bool) -> Self {
        Self {
            wanted: wanted.to_string(),
            name: name.to_string(),
            scene,
            has_file,
        }
    }

    /// What it was asked for as.
    pub fn wanted(&self) -> &str {
        &self.wanted
    }

    /// Its name, without a folder.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
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
