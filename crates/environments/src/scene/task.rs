//! [`SceneTask`]: what an environment of a scene observes, sets and is rewarded by.

use crate::EnvironmentError;
use std::sync::Arc;
use tombolo::entity::hash_bytes;
use tombolo::{Random, Scene, World};

/// A property that an action sets.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneAct {
    /// `entity.component.property`, of a number or a flag, or one part of a vector: `entity.component.property.x`.
    pub path: String,
    /// The least number; lesser ones count as it.
    pub low: f32,
    /// The greatest number; greater ones count as it. A flag is set by numbers above the middle of the two.
    pub high: f32,
}

impl SceneAct {
    /// A property and the range of its numbers.
    pub fn new(path: impl Into<String>, low: f32, high: f32) -> Self {
        Self {
            path: path.into(),
            low,
            high,
        }
    }
}

/// The task of a [`SceneEnvironment`](super::SceneEnvironment).
#[derive(Clone, Debug)]
pub struct SceneTask {
    /// The scene.
    pub scene: Arc<Scene>,
    /// The observed properties in the order of the observation: numbers, flags (0 or 1) and vectors, each as
    /// `entity.component.property`.
    pub observe: Vec<String>,
    /// The properties that an action sets, in its order.
    pub act: Vec<SceneAct>,
    /// The property whose value after a step is the reward; or `entity.component` of a script, which keeps
    /// `this.reward`, and `this.done` if its episode can end.
    pub reward: String,
    /// The property that ends an episode when it is true or not zero.
    pub done: Option<String>,
    /// The steps of the scene for each action, from 1 up; 1 by default.
    pub steps: u32,
    /// Whether each episode that begins without a seed has a seed of its own, which follows from the last one. If not,
    /// it is the last one again. False by default.
    pub new_seeds: bool,
    /// The saves that episodes begin from; none by default: from the scene. See [`SceneTask::start_from`].
    pub starts: SceneStarts,
}

/// Worlds that episodes begin from, with the hashes of their saves.
#[derive(Clone, Debug, Default)]
pub struct SceneStarts(Vec<(u64, Arc<World>)>);

impl SceneStarts {
    fn hashes(&self) -> impl Iterator<Item = u64> {
        self.0.iter().map(|(hash, _)| *hash)
    }
}

impl SceneTask {
    /// A task that observes and sets nothing yet, and has no reward.
    pub fn new(scene: Arc<Scene>) -> Self {
        Self {
            scene,
            observe: Vec::new(),
            act: Vec::new(),
            reward: String::new(),
            done: None,
            steps: 1,
            new_seeds: false,
            starts: SceneStarts::default(),
        }
    }

    /// Lets episodes begin from saves of worlds of the scene, made by [`World::save`]: that of seed s from number s modulo
    /// their count, that without a seed from the first. A seed has then no other effect: a save has its world's random
    /// numbers.
    ///
    /// # Errors
    ///
    /// If one is not a save of the scene's world.
    pub fn start_from(&mut self, saves: &[&[u8]]) -> Result<(), EnvironmentError> {
        let start = |(number, save): (usize, &&[u8])| {
            let world = World::from_save(&self.scene, save);
            let refused = |error| EnvironmentError::task(&format!("the save {number}"), error);
            let world = world.map_err(refused)?;
            Ok::<_, EnvironmentError>((hash_bytes(save), Arc::new(world)))
        };
        let starts = saves.iter().enumerate().map(start);
        self.starts = SceneStarts(starts.collect::<Result<_, EnvironmentError>>()?);
        Ok(())
    }

    pub(super) fn check(&self) -> Result<(), EnvironmentError> {
        if self.steps == 0 {
            return Err(EnvironmentError::task("steps", "it is 0, expected 1 or more"));
        }
        let is_range = |act: &&SceneAct| act.low.is_finite() && act.high.is_finite() && act.low < act.high;
        match self.act.iter().find(|act| !is_range(act)) {
            Some(act) => Err(EnvironmentError::task(
                &act.path,
                "a range of an action is two finite numbers, the lower one first",
            )),
            None => Ok(()),
        }
    }

    /// The world at the beginning of the episode of a seed; `None` is the scene's own.
    pub(super) fn world_of(&self, seed: Option<u64>) -> Result<Arc<World>, EnvironmentError> {
        let count = self.starts.0.len() as u64;
        if let Some(number) = seed.unwrap_or(0).checked_rem(count) {
            return Ok(self.starts.0[number as usize].1.clone());
        }
        let made = match seed {
            None => World::from_scene(&self.scene),
            Some(seed) => World::from_scene_with_seed(&self.scene, seed),
        };
        made.map(Arc::new)
            .map_err(|error| EnvironmentError::task("the scene", error))
    }

    /// The seed of the episode after that of a seed.
    pub(super) fn seed_after(&self, seed: Option<u64>) -> u64 {
        Random::new(seed.unwrap_or(self.scene.settings().seed)).bits()
    }

    /// A number of all that a save must agree in.
    pub(super) fn digest(&self) -> u64 {
        let starts: Vec<u64> = self.starts.hashes().collect();
        let paths = (&self.observe, &self.act, &self.reward, &self.done);
        let text = format!("{paths:?} {} {} {starts:?}", self.steps, self.new_seeds);
        hash_bytes(text.as_bytes()) ^ hash_bytes(self.scene.text().as_bytes()).rotate_left(1)
    }
}

impl PartialEq for SceneTask {
    fn eq(&self, other: &Self) -> bool {
        self.scene.text() == other.scene.text()
            && (&self.observe, &self.act, &self.reward, &self.done)
                == (&other.observe, &other.act, &other.reward, &other.done)
            && (self.steps, self.new_seeds) == (other.steps, other.new_seeds)
            && self.starts.hashes().eq(other.starts.hashes())
    }
}
