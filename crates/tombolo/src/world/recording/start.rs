//! The beginning of a recording: the origin of the world, and a save if the world has changed since.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use tombolo_physics::RecordOptions;
use tombolo_physics::described::Data;
use tombolo_physics::recording::{RecordedCall, Start};

use super::origin::RecordedOrigin;
use super::{WorldCall, WorldLog};
use crate::scene::Scene;
use crate::world::World;

impl World {
    /// Creates the world of an origin; the error says why that fails.
    pub(super) fn of_origin(origin: &RecordedOrigin) -> Result<Self, String> {
        match origin {
            RecordedOrigin::Settings(settings) => Self::new(settings).map_err(|error| error.to_string()),
            RecordedOrigin::Scene { file, text } => {
                let made = Scene::parse(file, text).and_then(|scene| Self::from_scene(&scene));
                made.map_err(|error| error.to_string())
            }
            RecordedOrigin::SeededScene { file, text, seed } => {
                let made =
                    Scene::parse(file, text).and_then(|scene| Self::from_scene_with_seed(&scene, *seed));
                made.map_err(|error| error.to_string())
            }
            RecordedOrigin::Program => Err(String::from(
                "the world that was recorded had managers of a game's own, or resources or scripts that its scene does not \
                 have; it can be played in a world that has the same",
            )),
        }
    }

    /// Begins a log: with the origin of this world if that gives its present state; else with the origin and a save.
    pub(super) fn begin_log(&mut self, options: RecordOptions) {
        let save = self.save();
        let origin = RecordedOrigin::of(&self.origin);
        // A save does not have them: worlds whose definitions differ may have equal saves.
        let is_like = |made: &Self| made.definitions() == self.definitions();
        let made = Self::of_origin(&origin).ok().filter(is_like);
        let is_new = made.as_ref().is_some_and(|made| made.save() == save);
        let fits = made.is_some_and(|mut made| is_new || made.restore(&save).is_ok());
        let origin = if fits { origin } else { RecordedOrigin::Program };
        let mut new = Vec::new();
        origin.write(&mut new);
        let mut starts = Vec::from([Start::New(&new)]);
        if !is_new {
            starts.push(Start::Save(&save));
        }
        let mut log = WorldLog::default();
        log.begin(&starts, options);
        let hash = self.hash_without_inbox();
        log.report(|| WorldCall::state_hash(hash));
        self.log = log;
    }
}
