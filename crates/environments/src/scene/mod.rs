//! [`SceneEnvironment`]: any scene as an environment, whose observations, actions and rewards are properties by name.
//!
//! `task.rs` defines what is observed, set and rewarded; `property.rs` reads and writes the properties; `reward.rs`
//! reads the outcome of a step, from a property or from what a script keeps.

mod property;
mod reward;
mod task;

pub use task::{SceneAct, SceneStarts, SceneTask};

use crate::EnvironmentError;
use crate::bytes::{Reader, Writer};
use crate::environment::{Action, Environment, Outcome, Space};
use crate::picture::Picture;
use crate::world_picture::{PictureView, draw_world};
use property::{Observed, SetProperty};
use reward::OutcomeSource;
use std::sync::Arc;
use tombolo::World;

/// A world of a scene with a task in it.
///
/// ```
/// use std::sync::Arc;
/// use tombolo::Scene;
/// use tombolo_environments::{Action, Environment, SceneAct, SceneEnvironment, SceneTask};
/// let text = r#"(
///     settings: (gravity: (0, 0)),
///     entities: {"cart": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
///     place: [One(name: "cart", entity: "cart")],
/// )"#;
/// let scene = Scene::parse("cart.ron", text).expect("the scene is valid");
/// let task = SceneTask {
///     observe: vec!["cart.transform.position".into()],
///     act: vec![SceneAct::new("cart.body.linear_velocity.x", -3.0, 3.0)],
///     reward: "cart.transform.position.x".into(),
///     steps: 30,
///     ..SceneTask::new(Arc::new(scene))
/// };
/// let mut environment = SceneEnvironment::new(&task)?;
/// environment.reset(Some(7))?;
/// let outcome = environment.step(Action::Continuous(&[2.0]))?;
/// assert!((outcome.reward - 1.0).abs() < 0.01 && environment.observation().len() == 2);
/// # Ok::<(), tombolo_environments::EnvironmentError>(())
/// ```
#[derive(Clone, Debug)]
pub struct SceneEnvironment {
    task: SceneTask,
    world: World,
    /// The world at the beginning of the episode, to begin it again; `None` if every episode has a seed of its own.
    start: Option<Arc<World>>,
    /// The seed of the episode; `None` for that of the scene.
    seed: Option<u64>,
    has_begun: bool,
    observed: Vec<Observed>,
    acts: Vec<SetProperty>,
    outcome: OutcomeSource,
    observation: Vec<f32>,
}

impl SceneEnvironment {
    /// The world, for reading.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// A copy in which the episode of [`reset`](Environment::reset) has begun, in a world that was changed before its first
    /// observation.
    pub(crate) fn begun_with(
        &self,
        seed: Option<u128>,
        change: impl FnOnce(&mut World) -> Result<(), EnvironmentError>,
    ) -> Result<Self, EnvironmentError> {
        let mut begun = self.clone();
        begun.reset(seed)?;
        change(&mut begun.world)?;
        begun.observe()?;
        Ok(begun)
    }

    /// The world of an episode.
    fn begin(&mut self, seed: Option<u64>) -> Result<(), EnvironmentError> {
        let world = self.task.world_of(seed)?;
        self.seed = seed;
        self.start = match self.task.new_seeds {
            true => None,
            false => Some(world.clone()),
        };
        self.world = Arc::unwrap_or_clone(world);
        Ok(())
    }

    /// Reads the observed properties.
    fn observe(&mut self) -> Result<(), EnvironmentError> {
        let mut rest = &mut self.observation[..];
        for observed in &mut self.observed {
            let (row, after) = rest.split_at_mut(observed.width());
            observed.read(&self.world, row)?;
            rest = after;
        }
        Ok(())
    }

    fn check(&self, action: Action<'_>) -> Result<(), EnvironmentError> {
        match action {
            Action::Continuous(numbers)
                if numbers.len() == self.acts.len() && !numbers.iter().any(|number| number.is_nan()) =>
            {
                Ok(())
            }
            _ => Err(EnvironmentError::Action {
                expected: "a number for each property that an action sets",
            }),
        }
    }
}

impl Environment for SceneEnvironment {
    type Options = SceneTask;
    type Number = f32;

    /// Builds the world of the scene's own seed, and reads each property once.
    ///
    /// # Errors
    ///
    /// If physics refuses the scene; a property does not exist or is of another kind than is needed; a range of an
    /// action is not two finite numbers, the lower one first; or the steps of an action are 0.
    fn new(task: &SceneTask) -> Result<Self, EnvironmentError> {
        task.check()?;
        let world = task.world_of(None)?;
        let observed = task.observe.iter().map(|text| Observed::new(&world, text));
        let observed = observed.collect::<Result<Vec<_>, _>>()?;
        let acts = task.act.iter().map(|act| SetProperty::new(&world, act));
        let acts = acts.collect::<Result<Vec<_>, _>>()?;
        let outcome = OutcomeSource::new(&world, &task.reward, task.done.as_deref())?;
        let width = observed.iter().map(Observed::width).sum();
        let mut environment = Self {
            task: task.clone(),
            start: (!task.new_seeds).then(|| world.clone()),
            world: Arc::unwrap_or_clone(world),
            seed: None,
            has_begun: false,
            observed,
            acts,
            outcome,
            observation: vec![0.0; width],
        };
        environment.observe()?;
        Ok(environment)
    }

    fn options(&self) -> &SceneTask {
        &self.task
    }

    /// Accepts the same task only: another one is another environment.
    fn set_options(&mut self, task: &SceneTask) -> Result<(), EnvironmentError> {
        if *task == self.task {
            Ok(())
        } else {
            Err(EnvironmentError::OtherOptions)
        }
    }

    fn actions(&self) -> Space {
        Space::Continuous(self.acts.len())
    }

    /// None: a scene has no limit of its own.
    fn steps_max(&self) -> u32 {
        u32::MAX
    }

    /// Begins the episode of a seed; without one the same episode again, or, if the task has
    /// [`new_seeds`](SceneTask::new_seeds), that of the next seed, which follows from the last one.
    ///
    /// # Errors
    ///
    /// If the seed has more than 64 bits, physics refuses the scene, or an observed property is missing.
    fn reset(&mut self, seed: Option<u128>) -> Result<(), EnvironmentError> {
        let seed = seed.map(u64::try_from).transpose();
        let seed = seed.map_err(|_| EnvironmentError::task("the seed", "it has more than 64 bits"))?;
        match (seed, &self.start) {
            (Some(_), _) => self.begin(seed)?,
            (None, Some(start)) => self.world = World::clone(start),
            (None, None) if !self.has_begun => self.begin(None)?,
            (None, None) => self.begin(Some(self.task.seed_after(self.seed)))?,
        }
        self.has_begun = true;
        self.observe()
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Sets the properties of the action, makes the steps of the scene, and reads outcome and observation.
    ///
    /// # Errors
    ///
    /// For an invalid action and before the first reset; the environment is then unchanged. If a property cannot be
    /// set, or one that is observed or rewarded is missing after the steps: the environment has then moved, and needs a
    /// reset.
    fn step(&mut self, action: Action<'_>) -> Result<Outcome, EnvironmentError> {
        self.check(action)?;
        if !self.has_begun {
            return Err(EnvironmentError::NotReset { world: 0 });
        }
        if let Action::Continuous(numbers) = action {
            for (act, &number) in self.acts.iter_mut().zip(numbers) {
                act.set(&mut self.world, number)?;
            }
        }
        (0..self.task.steps).for_each(|_| self.world.step());
        let (reward, terminated) = self.outcome.read(&self.world)?;
        self.observe()?;
        Ok(Outcome {
            reward,
            terminated,
            succeeded: false,
        })
    }

    fn observation(&self) -> &[f32] {
        &self.observation
    }

    /// None: scenes have no numbers that only their ground has.
    fn terrain(&self) -> Vec<f64> {
        Vec::new()
    }

    /// The bodies of the world and their joints, all in view.
    fn picture(&self) -> Picture {
        let physics = self.world.physics();
        draw_world(physics, &PictureView::around(physics, [600, 400]))
    }

    fn save(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.u64(self.task.digest());
        writer.u64(u64::from(self.seed.is_some()));
        writer.u64(self.seed.unwrap_or(0));
        writer.u64(u64::from(self.has_begun));
        writer.block(&self.world.save());
        writer.bytes
    }

    /// Replaces the world by a saved one of the same task.
    ///
    /// # Errors
    ///
    /// If the bytes are damaged or of another task; the environment is then unchanged.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvironmentError> {
        let mut reader = Reader::new(bytes);
        if reader.u64()? != self.task.digest() {
            return Err(EnvironmentError::OtherOptions);
        }
        let (has_seed, seed, has_begun) = (reader.flag()?, reader.u64()?, reader.flag()?);
        let saved = reader.block()?;
        reader.finish()?;
        let mut restored = self.clone();
        let seed = has_seed.then_some(seed);
        if seed != restored.seed {
            restored.begin(seed)?;
        }
        let refused = |error| EnvironmentError::task("the save", error);
        restored.world.restore(saved).map_err(refused)?;
        restored.has_begun = has_begun;
        restored.observe()?;
        *self = restored;
        Ok(())
    }
}
