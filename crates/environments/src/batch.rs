//! [`Batch`]: many worlds of one kind, stepped in one call. Callers of many environments use it in place of
//! [`Environment`].
//!
//! Each world has its own random numbers and writes to its own slot, so its result depends neither on other worlds
//! nor on how they are divided among workers. After the parallel part one pass gathers the slots into flat arrays.

use crate::environment::{Action, Environment, Outcome, Space};
use crate::scene::SceneEnvironment;
use crate::{EnvironmentError, Generator};
use tombolo::World;
use tombolo_threads::{Executor, Inline, parallel_chunks};

/// The number of worlds that one worker claims at once.
const WORLDS_PER_BLOCK: usize = 4;

/// The treatment of a world whose episode has ended, with Gymnasium's names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Autoreset {
    /// The next step ignores its action and returns the first observation of a new episode, with a reward of 0.
    #[default]
    NextStep,
    /// The same step returns the first observation of a new episode; the replaced one is in
    /// [`Batch::final_observations`].
    SameStep,
    /// No reset: the caller resets worlds whose episodes have ended.
    Disabled,
}

/// The actions of all worlds, one after another.
#[derive(Clone, Copy, Debug)]
pub enum Actions<'a> {
    /// One choice for each world.
    Discrete(&'a [i64]),
    /// For each world as many numbers as an action has.
    Continuous(&'a [f32]),
}

/// The beginning of an episode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reset {
    /// The seed; without one the world's random numbers go on.
    pub seed: Option<u128>,
    /// Whether it begins by [`Environment::reset_with_same_look`].
    pub keeps_look: bool,
}

/// One world and the results of its last call.
#[derive(Clone, Debug)]
struct Slot<E: Environment> {
    environment: E,
    steps: u32,
    outcome: Outcome,
    truncated: bool,
    /// The last observation of an episode that ended in this step, where a reset replaced it.
    last: Vec<E::Number>,
    /// The reason why the last step or reset failed: a scene lost a property that its task names, or a defect of this crate.
    failure: Option<EnvironmentError>,
}

/// Many worlds of one kind.
#[derive(Clone, Debug)]
pub struct Batch<E: Environment> {
    slots: Vec<Slot<E>>,
    autoreset: Autoreset,
    steps_max: Option<u32>,
    observations: Vec<E::Number>,
    final_observations: Vec<E::Number>,
    rewards: Vec<f64>,
    terminated: Vec<bool>,
    succeeded: Vec<bool>,
    truncated: Vec<bool>,
}

impl<E: Environment> Batch<E> {
    /// Creates `count` worlds with the same options. With `steps_max` an episode of that many steps is
    /// truncated.
    ///
    /// # Errors
    ///
    /// If an option is out of range.
    pub fn new(
        count: usize,
        options: &E::Options,
        autoreset: Autoreset,
        steps_max: Option<u32>,
    ) -> Result<Self, EnvironmentError> {
        let environment = E::new(options)?;
        let blank = environment.observation().to_vec();
        let slot = Slot {
            environment,
            steps: 0,
            outcome: Outcome::default(),
            truncated: false,
            last: blank.clone(),
            failure: None,
        };
        Ok(Self {
            slots: vec![slot; count],
            autoreset,
            steps_max,
            observations: blank.repeat(count),
            final_observations: blank.repeat(count),
            rewards: vec![0.0; count],
            terminated: vec![false; count],
            succeeded: vec![false; count],
            truncated: vec![false; count],
        })
    }

    /// The number of worlds.
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are no worlds.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The number of values of an observation.
    pub fn observation_len(&self) -> usize {
        self.observations.len().checked_div(self.slots.len()).unwrap_or(0)
    }

    /// One of the worlds.
    pub fn environment(&self, world: usize) -> Option<&E> {
        self.slots.get(world).map(|slot| &slot.environment)
    }

    /// Replaces the options of all worlds by [`Environment::set_options`].
    ///
    /// # Errors
    ///
    /// Those of [`Environment::set_options`]; nothing is changed then.
    pub fn set_options(&mut self, options: &E::Options) -> Result<(), EnvironmentError> {
        let mut slots = self.slots.iter_mut();
        slots.try_for_each(|slot| slot.environment.set_options(options))
    }

    /// The generator of a world's random numbers; `None` if there is no such world, or it has none that is NumPy's.
    pub fn random_mut(&mut self, world: usize) -> Option<&mut Generator> {
        self.slots.get_mut(world)?.environment.random_mut()
    }

    /// The observations of all worlds, one after another.
    pub fn observations(&self) -> &[E::Number] {
        &self.observations
    }

    /// The last observation of each episode that the last step ended, for [`Autoreset::SameStep`]; the rows of other
    /// worlds are older.
    pub fn final_observations(&self) -> &[E::Number] {
        &self.final_observations
    }

    /// The rewards of the last step.
    pub fn rewards(&self) -> &[f64] {
        &self.rewards
    }

    /// For each world whether the last step ended its episode by itself.
    pub fn terminated(&self) -> &[bool] {
        &self.terminated
    }

    /// For each world whether the last step ended its episode because its task was done.
    pub fn succeeded(&self) -> &[bool] {
        &self.succeeded
    }

    /// For each world whether the last step truncated its episode.
    pub fn truncated(&self) -> &[bool] {
        &self.truncated
    }

    /// Begins an episode in each world, with a seed for each, on the calling thread.
    ///
    /// # Errors
    ///
    /// Those of [`reset_worlds`](Batch::reset_worlds).
    pub fn reset(&mut self, seeds: &[u128]) -> Result<(), EnvironmentError> {
        self.check_len("seeds", seeds.len(), self.len())?;
        let reset = |&seed| {
            Some(Reset {
                seed: Some(seed),
                keeps_look: false,
            })
        };
        let resets: Vec<Option<Reset>> = seeds.iter().map(reset).collect();
        self.reset_worlds(&resets, &Inline)
    }

    /// Begins an episode in each world that has a [`Reset`], on the workers of an executor; the others stay as they are.
    ///
    /// # Errors
    ///
    /// If there are not as many entries as worlds; then no episode has begun. [`EnvironmentError::InWorld`] with the first
    /// world whose episode cannot begin; then those of all others have.
    pub fn reset_worlds(
        &mut self,
        resets: &[Option<Reset>],
        executor: &dyn Executor,
    ) -> Result<(), EnvironmentError> {
        self.check_len("resets", resets.len(), self.len())?;
        parallel_chunks(executor, &mut self.slots, WORLDS_PER_BLOCK, &|_, first, slots| {
            for (slot, reset) in slots.iter_mut().zip(&resets[first..]) {
                slot.failure = reset.and_then(|reset| slot.reset(reset).err());
            }
        });
        let chosen = (0..self.len()).filter(|&world| resets[world].is_some());
        chosen.for_each(|world| self.gather_world(world));
        self.take_failure()
    }

    /// Begins an episode in one world; without a seed its random numbers continue.
    ///
    /// # Errors
    ///
    /// If there is no such world.
    pub fn reset_world(&mut self, world: usize, seed: Option<u128>) -> Result<(), EnvironmentError> {
        self.slot_mut(world)?.reset(Reset {
            seed,
            keeps_look: false,
        })?;
        self.gather_world(world);
        Ok(())
    }

    /// Advances all worlds by one step, on the workers of an executor. Allocates nothing in a step that begins no
    /// episode.
    ///
    /// # Errors
    ///
    /// If there are too few or too many actions, or an invalid one that is not ignored, or a world was never reset;
    /// then no world has moved. [`EnvironmentError::InWorld`] with the first world whose scene lost what its task names;
    /// then all others have moved, and that one needs a reset.
    pub fn step(&mut self, actions: Actions<'_>, executor: &dyn Executor) -> Result<(), EnvironmentError> {
        let Some(first) = self.slots.first() else {
            return Ok(());
        };
        let (got, width) = count_actions(actions, first.environment.actions())?;
        self.check_len("numbers of actions", got, self.len() * width)?;
        self.check_actions(actions, first.environment.actions())?;
        if let Some(world) = self.slots.iter().position(|slot| !slot.environment.has_begun()) {
            return Err(EnvironmentError::NotReset { world });
        }
        let (autoreset, steps_max) = (self.autoreset, self.steps_max);
        parallel_chunks(executor, &mut self.slots, WORLDS_PER_BLOCK, &|_, first, slots| {
            for (place, slot) in slots.iter_mut().enumerate() {
                let world = first + place;
                let action = match actions {
                    Actions::Discrete(choices) => Action::Discrete(choices[world]),
                    Actions::Continuous(numbers) => {
                        Action::Continuous(&numbers[world * width..(world + 1) * width])
                    }
                };
                slot.step(action, autoreset, steps_max);
            }
        });
        (0..self.len()).for_each(|world| self.gather_world(world));
        self.take_failure()
    }

    /// The first failure of the last call.
    fn take_failure(&mut self) -> Result<(), EnvironmentError> {
        let mut failures = self.slots.iter_mut().map(|slot| slot.failure.take()).enumerate();
        match failures.find_map(|(world, failure)| Some((world, failure?))) {
            None => Ok(()),
            Some((world, error)) => Err(EnvironmentError::InWorld {
                world,
                error: Box::new(error),
            }),
        }
    }

    /// A world of the batch as bytes, with the number of steps of its episode.
    ///
    /// # Errors
    ///
    /// If there is no such world.
    pub fn save(&self, world: usize) -> Result<Vec<u8>, EnvironmentError> {
        let count = self.len();
        let slot = self
            .slots
            .get(world)
            .ok_or(EnvironmentError::NoWorld { got: world, count })?;
        // A world that begins anew within the step that ends its episode has its ends of the episode before.
        let is_of_episode = self.autoreset != Autoreset::SameStep;
        let mut writer = crate::bytes::Writer::default();
        writer.u64(u64::from(slot.steps));
        writer.u64(u64::from(is_of_episode && slot.outcome.terminated));
        writer.u64(u64::from(is_of_episode && slot.truncated));
        writer.block(&slot.environment.save());
        Ok(writer.bytes)
    }

    /// Replaces a world of the batch by a saved one, of this batch or of another with the same options.
    ///
    /// # Errors
    ///
    /// If there is no such world, the bytes are not a save of one, or it has other options; the batch is then unchanged.
    pub fn restore(&mut self, world: usize, bytes: &[u8]) -> Result<(), EnvironmentError> {
        let slot = self.slot_mut(world)?;
        let mut reader = crate::bytes::Reader::new(bytes);
        let steps = u32::try_from(reader.u64()?).map_err(|_| EnvironmentError::Damaged)?;
        let (terminated, truncated) = (reader.flag()?, reader.flag()?);
        let saved = reader.block()?;
        reader.finish()?;
        let mut restored = slot.environment.clone();
        restored.restore(saved)?;
        if restored.options() != slot.environment.options() {
            return Err(EnvironmentError::OtherOptions);
        }
        slot.environment = restored;
        slot.steps = steps;
        slot.truncated = truncated;
        slot.outcome = Outcome {
            terminated,
            ..Outcome::default()
        };
        self.gather_world(world);
        Ok(())
    }

    /// Copies a slot's results to the flat arrays.
    fn gather_world(&mut self, world: usize) {
        let width = self.observation_len();
        let slot = &self.slots[world];
        let row = world * width..(world + 1) * width;
        self.observations[row.clone()].copy_from_slice(slot.environment.observation());
        if self.autoreset == Autoreset::SameStep {
            self.final_observations[row].copy_from_slice(&slot.last);
        }
        self.rewards[world] = slot.outcome.reward;
        self.terminated[world] = slot.outcome.terminated;
        self.succeeded[world] = slot.outcome.succeeded;
        self.truncated[world] = slot.truncated;
    }

    /// Refuses actions that a world does not have, but not those of worlds that only begin an episode.
    fn check_actions(&self, actions: Actions<'_>, space: Space) -> Result<(), EnvironmentError> {
        let acts = |world: usize| self.autoreset != Autoreset::NextStep || !self.slots[world].has_ended();
        let mut worlds = (0..self.len()).filter(|&world| acts(world));
        let (are_valid, expected) = match (actions, space) {
            (Actions::Discrete(choices), Space::Discrete(count)) => (
                worlds.all(|world| (0..count).contains(&choices[world])),
                "one of the choices, from 0",
            ),
            (Actions::Continuous(numbers), Space::Continuous(width)) => {
                let row = |world: usize| &numbers[world * width..(world + 1) * width];
                let has_nan = |world| row(world).iter().any(|number| number.is_nan());
                (!worlds.any(has_nan), "numbers")
            }
            _ => return Ok(()),
        };
        if are_valid {
            Ok(())
        } else {
            Err(EnvironmentError::Action { expected })
        }
    }

    fn slot_mut(&mut self, world: usize) -> Result<&mut Slot<E>, EnvironmentError> {
        let count = self.len();
        self.slots
            .get_mut(world)
            .ok_or(EnvironmentError::NoWorld { got: world, count })
    }

    fn check_len(&self, what: &'static str, got: usize, expected: usize) -> Result<(), EnvironmentError> {
        if got == expected {
            Ok(())
        } else {
            Err(EnvironmentError::Length { what, got, expected })
        }
    }
}

/// The number of the actions' items, and of those of one world, if they are of the right kind.
fn count_actions(actions: Actions<'_>, space: Space) -> Result<(usize, usize), EnvironmentError> {
    let expected = match (actions, space) {
        (Actions::Discrete(choices), Space::Discrete(_)) => return Ok((choices.len(), 1)),
        (Actions::Continuous(numbers), Space::Continuous(width)) => return Ok((numbers.len(), width)),
        (_, Space::Discrete(_)) => "choices, not numbers",
        (_, Space::Continuous(_)) => "numbers, not choices",
    };
    Err(EnvironmentError::Action { expected })
}

impl Batch<SceneEnvironment> {
    /// Like [`reset_worlds`](Batch::reset_worlds), but `change` changes each world that begins before its first observation;
    /// it is given the place of the world in the batch, and called on any worker and in any order. An episode that begins
    /// without a call has the scene's own properties again.
    ///
    /// Costs a copy of each world that begins beside the resets.
    ///
    /// # Errors
    ///
    /// If there are not as many entries as worlds. [`EnvironmentError::InWorld`] with the first world whose episode cannot
    /// begin, or whose change is refused. No episode has begun in either case.
    pub fn reset_worlds_with(
        &mut self,
        resets: &[Option<Reset>],
        executor: &dyn Executor,
        change: &(dyn Fn(usize, &mut World) -> Result<(), EnvironmentError> + Sync),
    ) -> Result<(), EnvironmentError> {
        self.check_len("resets", resets.len(), self.len())?;
        let mut begun: Vec<Option<Result<SceneEnvironment, EnvironmentError>>> = Vec::new();
        begun.resize_with(self.len(), || None);
        let slots = &self.slots;
        parallel_chunks(executor, &mut begun, WORLDS_PER_BLOCK, &|_, first, begun| {
            for (place, begun) in (first..).zip(begun) {
                let begin = |reset: Reset| {
                    let environment = &slots[place].environment;
                    environment.begun_with(reset.seed, |world| change(place, world))
                };
                *begun = resets[place].map(begin);
            }
        });
        let begun = begun.into_iter().enumerate();
        let begun = begun.filter_map(|(world, begun)| {
            let in_world = |error| EnvironmentError::InWorld {
                world,
                error: Box::new(error),
            };
            Some(begun?.map(|begun| (world, begun)).map_err(in_world))
        });
        for (world, environment) in begun.collect::<Result<Vec<_>, _>>()? {
            let slot = self.slot_mut(world)?;
            slot.environment = environment;
            slot.begin();
            self.gather_world(world);
        }
        Ok(())
    }
}

impl<E: Environment> Slot<E> {
    fn reset(&mut self, reset: Reset) -> Result<(), EnvironmentError> {
        if reset.keeps_look {
            self.environment.reset_with_same_look(reset.seed)?;
        } else {
            self.environment.reset(reset.seed)?;
        }
        self.begin();
        Ok(())
    }

    /// Begins the count of an episode.
    fn begin(&mut self) {
        self.steps = 0;
        self.outcome = Outcome::default();
        self.truncated = false;
    }

    fn has_ended(&self) -> bool {
        self.outcome.terminated || self.truncated
    }

    fn step(&mut self, action: Action<'_>, autoreset: Autoreset, steps_max: Option<u32>) {
        self.failure = self.try_step(action, autoreset, steps_max).err();
    }

    fn try_step(
        &mut self,
        action: Action<'_>,
        autoreset: Autoreset,
        steps_max: Option<u32>,
    ) -> Result<(), EnvironmentError> {
        if autoreset == Autoreset::NextStep && self.has_ended() {
            self.environment.reset(None)?;
            self.begin();
            return Ok(());
        }
        self.outcome = self.environment.step(action)?;
        self.steps = self.steps.saturating_add(1);
        self.truncated = steps_max.is_some_and(|most| self.steps >= most);
        if autoreset == Autoreset::SameStep && self.has_ended() {
            self.last.copy_from_slice(self.environment.observation());
            self.environment.reset(None)?;
            self.steps = 0;
        }
        Ok(())
    }
}
