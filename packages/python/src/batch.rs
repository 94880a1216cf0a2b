//! Batches of environments of any kind, which `python/tombolo/environments.py` makes Gymnasium's of.

use crate::locks;
use crate::refuse;
use crate::scene::read_value;
use crate::threads::Threads;
use numpy::{Element, PyArrayDyn, PyReadonlyArrayDyn, PyReadwriteArrayDyn, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use tombolo::{Scene, World};
use tombolo_environments::{
    Actions, Autoreset, Batch, BipedalWalker, CarOptions, CarRacing, Environment, EnvironmentError,
    Generator, LanderOptions, LunarLander, Picture, Reset, SceneAct, SceneEnvironment, SceneTask, Space,
    WalkerOptions,
};
use tombolo_threads::Executor;

/// An observation, as numbers or as a picture.
enum Seen<'a> {
    Floats(&'a [f32]),
    Bytes(&'a [u8]),
}

/// An array that observations are copied to. It is taken from Python before the worlds are locked.
#[derive(FromPyObject)]
enum Out<'py> {
    Floats(PyReadwriteArrayDyn<'py, f32>),
    Bytes(PyReadwriteArrayDyn<'py, u8>),
}

/// A number type of observations.
trait Number: Sized {
    fn seen(numbers: &[Self]) -> Seen<'_>;
}

impl Number for f32 {
    fn seen(numbers: &[Self]) -> Seen<'_> {
        Seen::Floats(numbers)
    }
}

impl Number for u8 {
    fn seen(numbers: &[Self]) -> Seen<'_> {
        Seen::Bytes(numbers)
    }
}

/// The results of the last step, by world.
struct Outcomes<'a> {
    rewards: &'a [f64],
    terminated: &'a [bool],
    truncated: &'a [bool],
    succeeded: &'a [bool],
}

/// The state of a generator: `state`, `inc`, `uinteger` of NumPy's PCG64.
type RandomState = (u128, u128, Option<u32>);

const NO_RANDOM: &str = "there is no such world, or it has no generator of NumPy's";

/// A batch of environments, whatever their kind.
trait Worlds: Send {
    fn reset(&mut self, resets: &[Option<Reset>], executor: &dyn Executor) -> Result<(), EnvironmentError>;
    fn step(&mut self, actions: Actions<'_>, executor: &dyn Executor) -> Result<(), EnvironmentError>;
    fn observations(&self) -> Seen<'_>;
    fn final_observations(&self) -> Seen<'_>;
    fn outcomes(&self) -> Outcomes<'_>;
    fn has_begun(&self) -> Vec<bool>;
    fn save(&self, world: usize) -> Result<Vec<u8>, EnvironmentError>;
    fn restore(&mut self, world: usize, save: &[u8]) -> Result<(), EnvironmentError>;
    fn fork(&self) -> Box<dyn Worlds>;
    fn terrain(&self, world: usize) -> Option<Vec<f64>>;
    fn episode_numbers(&self, world: usize) -> Option<Vec<f64>>;
    fn picture(&self, world: usize) -> Option<Picture>;
    fn random_mut(&mut self, world: usize) -> Option<&mut Generator>;
    fn any(&mut self) -> &mut dyn Any;
}

impl<E: Environment<Number: Number> + 'static> Worlds for Batch<E> {
    fn reset(&mut self, resets: &[Option<Reset>], executor: &dyn Executor) -> Result<(), EnvironmentError> {
        self.reset_worlds(resets, executor)
    }

    fn step(&mut self, actions: Actions<'_>, executor: &dyn Executor) -> Result<(), EnvironmentError> {
        Batch::step(self, actions, executor)
    }

    fn observations(&self) -> Seen<'_> {
        Number::seen(Batch::observations(self))
    }

    fn final_observations(&self) -> Seen<'_> {
        Number::seen(Batch::final_observations(self))
    }

    fn outcomes(&self) -> Outcomes<'_> {
        Outcomes {
            rewards: self.rewards(),
            terminated: self.terminated(),
            truncated: self.truncated(),
            succeeded: self.succeeded(),
        }
    }

    fn has_begun(&self) -> Vec<bool> {
        let worlds = (0..self.len()).filter_map(|world| self.environment(world));
        worlds.map(Environment::has_begun).collect()
    }

    fn save(&self, world: usize) -> Result<Vec<u8>, EnvironmentError> {
        Batch::save(self, world)
    }

    fn restore(&mut self, world: usize, save: &[u8]) -> Result<(), EnvironmentError> {
        Batch::restore(self, world, save)
    }

    fn fork(&self) -> Box<dyn Worlds> {
        Box::new(self.clone())
    }

    fn terrain(&self, world: usize) -> Option<Vec<f64>> {
        self.environment(world).map(Environment::terrain)
    }

    fn episode_numbers(&self, world: usize) -> Option<Vec<f64>> {
        self.environment(world).map(Environment::episode_numbers)
    }

    fn picture(&self, world: usize) -> Option<Picture> {
        self.environment(world).map(Environment::picture)
    }

    fn random_mut(&mut self, world: usize) -> Option<&mut Generator> {
        Batch::random_mut(self, world)
    }

    fn any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Options by name; flags are true unless 0.
struct Options(BTreeMap<String, f64>);

impl Options {
    fn take(&mut self, name: &str) -> PyResult<f64> {
        self.0
            .remove(name)
            .ok_or_else(|| refuse(format!("the option {name:?} is missing")))
    }

    fn flag(&mut self, name: &str) -> PyResult<bool> {
        Ok(self.take(name)? != 0.0)
    }

    fn lander(mut self) -> PyResult<LanderOptions> {
        let lander = LanderOptions {
            continuous: self.flag("continuous")?,
            gravity: self.take("gravity")?,
            enable_wind: self.flag("enable_wind")?,
            wind_power: self.take("wind_power")?,
            turbulence_power: self.take("turbulence_power")?,
        };
        self.finish()?;
        Ok(lander)
    }

    fn walker(mut self) -> PyResult<WalkerOptions> {
        let walker = WalkerOptions {
            hardcore: self.flag("hardcore")?,
        };
        self.finish()?;
        Ok(walker)
    }

    fn car(mut self) -> PyResult<CarOptions> {
        let car = CarOptions {
            continuous: self.flag("continuous")?,
            lap_complete_percent: self.take("lap_complete_percent")?,
            domain_randomize: self.flag("domain_randomize")?,
        };
        self.finish()?;
        Ok(car)
    }

    fn finish(self) -> PyResult<()> {
        match self.0.keys().next() {
            Some(name) => Err(refuse(format!("no option {name:?}"))),
            None => Ok(()),
        }
    }
}

/// The task of a scene's environments from Python.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Task {
    observe: Vec<String>,
    /// Paths with the least and the greatest number of each.
    act: Vec<(String, f32, f32)>,
    reward: String,
    done: Option<String>,
    steps: u32,
    new_seeds: bool,
}

impl Task {
    fn of(self, scene: Scene) -> SceneTask {
        let act = |(path, low, high): (String, f32, f32)| SceneAct::new(path, low, high);
        let mut task = SceneTask::new(Arc::new(scene));
        task.observe = self.observe;
        task.act = self.act.into_iter().map(act).collect();
        task.reward = self.reward;
        task.done = self.done;
        task.steps = self.steps;
        task.new_seeds = self.new_seeds;
        task
    }
}

/// The options of a batch, beside those of its environments.
#[derive(Clone, Copy)]
struct Shape {
    count: usize,
    autoreset: Autoreset,
    steps_max: Option<u32>,
}

impl Shape {
    fn new(count: usize, autoreset: &str, steps_max: Option<u32>) -> PyResult<Self> {
        let autoreset = match autoreset {
            "NextStep" => Autoreset::NextStep,
            "SameStep" => Autoreset::SameStep,
            "Disabled" => Autoreset::Disabled,
            other => {
                return Err(refuse(format!(
                    "no autoreset {other:?}; there are NextStep, SameStep, Disabled"
                )));
            }
        };
        Ok(Self {
            count,
            autoreset,
            steps_max,
        })
    }

    fn make<E: Environment<Number: Number> + 'static>(
        self,
        options: &E::Options,
    ) -> PyResult<(Box<dyn Worlds>, Space)> {
        let actions = E::new(options).map_err(refuse)?.actions();
        let batch = Batch::<E>::new(self.count, options, self.autoreset, self.steps_max).map_err(refuse)?;
        Ok((Box::new(batch), actions))
    }

    /// Makes environments of a kind by its name.
    fn make_named(self, kind: &str, options: Options) -> PyResult<(Box<dyn Worlds>, Space)> {
        match kind {
            "LunarLander" => self.make::<LunarLander>(&options.lander()?),
            "BipedalWalker" => self.make::<BipedalWalker>(&options.walker()?),
            "CarRacing" => self.make::<CarRacing>(&options.car()?),
            other => Err(refuse(format!(
                "no environment {other:?}; there are LunarLander, BipedalWalker, CarRacing"
            ))),
        }
    }
}

/// Environments of one kind, and the threads that step them.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct EnvironmentBatch {
    worlds: Mutex<Box<dyn Worlds>>,
    threads: Threads,
    actions: Space,
}

impl EnvironmentBatch {
    fn of((worlds, actions): (Box<dyn Worlds>, Space), threads: usize) -> PyResult<Self> {
        Ok(Self {
            worlds: Mutex::new(worlds),
            threads: Threads::new(threads)?,
            actions,
        })
    }

    /// The worlds, for a thread that has Python's lock.
    fn worlds(&self) -> MutexGuard<'_, Box<dyn Worlds>> {
        locks::attached(&self.worlds)
    }

    /// The worlds, for a thread that has given Python's lock away.
    fn worlds_detached(&self) -> MutexGuard<'_, Box<dyn Worlds>> {
        locks::detached(&self.worlds)
    }

    /// Steps all worlds without Python's lock; returns them.
    fn run(&self, actions: Actions<'_>) -> PyResult<MutexGuard<'_, Box<dyn Worlds>>> {
        let mut worlds = self.worlds_detached();
        worlds.step(actions, self.threads.executor()).map_err(refuse)?;
        Ok(worlds)
    }
}

#[pymethods]
impl EnvironmentBatch {
    #[new]
    fn new(
        py: Python<'_>,
        kind: &str,
        count: usize,
        threads: usize,
        autoreset: &str,
        steps_max: Option<u32>,
        options: BTreeMap<String, f64>,
    ) -> PyResult<Self> {
        let shape = Shape::new(count, autoreset, steps_max)?;
        py.detach(|| Self::of(shape.make_named(kind, Options(options))?, threads))
    }

    /// Environments of a scene's text, whose name is for messages; `batch` is their count, threads, autoreset and most
    /// steps of an episode, `task` is JSON, and episodes begin from saves, if there are any.
    #[staticmethod]
    fn of_scene(
        py: Python<'_>,
        scene: (String, String),
        batch: (usize, usize, String, Option<u32>),
        task: &str,
        saves: Vec<Vec<u8>>,
    ) -> PyResult<Self> {
        let (count, threads, autoreset, steps_max) = batch;
        let shape = Shape::new(count, &autoreset, steps_max)?;
        let task: Task = serde_json::from_str(task).map_err(refuse)?;
        let saves: Vec<&[u8]> = saves.iter().map(Vec::as_slice).collect();
        py.detach(|| {
            let mut task = task.of(Scene::parse(&scene.0, &scene.1).map_err(refuse)?);
            task.start_from(&saves).map_err(refuse)?;
            Self::of(shape.make::<SceneEnvironment>(&task)?, threads)
        })
    }

    /// The count of numbers in the observations of all worlds.
    fn observation_len(&self) -> usize {
        match self.worlds().observations() {
            Seen::Floats(numbers) => numbers.len(),
            Seen::Bytes(numbers) => numbers.len(),
        }
    }

    /// Begins an episode in each of some worlds, which are given with a seed or none, without Python's lock; if they keep
    /// their looks, random colors are not drawn again.
    #[pyo3(signature = (worlds, keeps_look=false))]
    fn reset(&self, py: Python<'_>, worlds: Vec<(usize, Option<u128>)>, keeps_look: bool) -> PyResult<()> {
        py.detach(|| {
            let mut batch = self.worlds_detached();
            let mut resets = vec![None; batch.has_begun().len()];
            let count = resets.len();
            for (world, seed) in worlds {
                let reset = resets.get_mut(world);
                let reset = reset.ok_or(EnvironmentError::NoWorld { got: world, count })?;
                *reset = Some(Reset { seed, keeps_look });
            }
            batch.reset(&resets, self.threads.executor())
        })
        .map_err(refuse)
    }

    /// Begins an episode in each of some worlds of a scene, as `reset` does, and sets properties of each before its first
    /// observation: paths with values in the syntax of scenes, or with texts as they are. If one is refused, nothing is changed.
    fn reset_set(
        &self,
        py: Python<'_>,
        worlds: Vec<(usize, Option<u128>)>,
        set: Vec<Vec<Set>>,
    ) -> PyResult<()> {
        py.detach(|| {
            let mut batch = self.worlds_detached();
            let scenes = batch.any().downcast_mut::<Batch<SceneEnvironment>>();
            let scenes = scenes.ok_or_else(|| refuse("only worlds of scenes have properties to set"))?;
            let count = scenes.len();
            let mut resets = vec![None; count];
            let mut changes: Vec<&[Set]> = vec![&[]; count];
            for ((world, seed), set) in worlds.into_iter().zip(&set) {
                if world >= count {
                    return Err(refuse(EnvironmentError::NoWorld { got: world, count }));
                }
                let keeps_look = false;
                resets[world] = Some(Reset { seed, keeps_look });
                changes[world] = set;
            }
            let change = |place: usize, world: &mut World| set_all(world, changes[place]);
            scenes
                .reset_worlds_with(&resets, self.threads.executor(), &change)
                .map_err(refuse)
        })
    }

    /// Steps all worlds with choices (whole numbers) or numbers, without Python's lock.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        if matches!(self.actions, Space::Continuous(_)) {
            let actions: PyReadonlyArrayDyn<'_, f32> = actions.extract()?;
            check_rows(&actions)?;
            let actions = actions.as_slice().map_err(refuse)?;
            py.detach(|| self.run(Actions::Continuous(actions)).map(drop))
        } else {
            let actions: PyReadonlyArrayDyn<'_, i64> = actions.extract()?;
            check_rows(&actions)?;
            let actions = actions.as_slice().map_err(refuse)?;
            py.detach(|| self.run(Actions::Discrete(actions)).map(drop))
        }
    }

    /// Steps a batch of one with a choice or, if there are any, numbers; returns its reward, whether its episode ended,
    /// and whether it did because its task was done. Without Python's lock.
    fn step_one(&self, py: Python<'_>, choice: i64, numbers: Vec<f32>) -> PyResult<(f64, bool, bool)> {
        py.detach(|| {
            let choices = [choice];
            let worlds = self.run(match self.actions {
                Space::Continuous(_) => Actions::Continuous(&numbers),
                Space::Discrete(_) => Actions::Discrete(&choices),
            })?;
            let outcomes = worlds.outcomes();
            Ok((outcomes.rewards[0], outcomes.terminated[0], outcomes.succeeded[0]))
        })
    }

    /// Replaces all options of all worlds, but not the kind of their actions.
    fn set_options(&self, options: BTreeMap<String, f64>) -> PyResult<()> {
        let (mut worlds, options) = (self.worlds(), Options(options));
        let any = worlds.any();
        if let Some(landers) = any.downcast_mut::<Batch<LunarLander>>() {
            landers.set_options(&options.lander()?)
        } else if let Some(walkers) = any.downcast_mut::<Batch<BipedalWalker>>() {
            walkers.set_options(&options.walker()?)
        } else if let Some(cars) = any.downcast_mut::<Batch<CarRacing>>() {
            cars.set_options(&options.car()?)
        } else {
            return Err(refuse("the task of a scene's worlds cannot be changed"));
        }
        .map_err(refuse)
    }

    /// The state of a world's random numbers: `state`, `inc` and, if there is one, `uinteger` of NumPy's PCG64.
    fn random_state(&self, world: usize) -> PyResult<RandomState> {
        let mut worlds = self.worlds();
        let random = worlds.random_mut(world);
        Ok(random.ok_or_else(|| refuse(NO_RANDOM))?.state())
    }

    /// Lets a world's random numbers go on from a state.
    fn set_random_state(&self, world: usize, state: RandomState) -> PyResult<()> {
        let mut worlds = self.worlds();
        let random = worlds.random_mut(world).ok_or_else(|| refuse(NO_RANDOM))?;
        let (state, increment, half) = state;
        let set = Generator::from_state(state, increment, half);
        *random = set.ok_or_else(|| refuse("no state of a PCG64: its inc is even"))?;
        Ok(())
    }

    /// Copies the observations of all worlds.
    fn read_observations(&self, out: Out<'_>) -> PyResult<()> {
        copy_seen(self.worlds().observations(), out)
    }

    /// Copies the last observations of episodes that the last step replaced by new ones.
    fn read_final_observations(&self, out: Out<'_>) -> PyResult<()> {
        copy_seen(self.worlds().final_observations(), out)
    }

    /// Copies rewards and ends of the last step.
    fn read_outcomes(
        &self,
        rewards: PyReadwriteArrayDyn<'_, f64>,
        terminated: PyReadwriteArrayDyn<'_, bool>,
        truncated: PyReadwriteArrayDyn<'_, bool>,
    ) -> PyResult<()> {
        let worlds = self.worlds();
        let outcomes = worlds.outcomes();
        copy(outcomes.rewards, rewards)?;
        copy(outcomes.terminated, terminated)?;
        copy(outcomes.truncated, truncated)
    }

    /// Whether a world's last episode ended because its task was done, for all worlds.
    fn succeeded(&self) -> Vec<bool> {
        self.worlds().outcomes().succeeded.to_vec()
    }

    /// Whether each world has had its first reset, so that it can be stepped.
    fn has_begun(&self) -> Vec<bool> {
        self.worlds().has_begun()
    }

    fn save<'py>(&self, py: Python<'py>, world: usize) -> PyResult<Bound<'py, PyBytes>> {
        let save = py.detach(|| self.worlds_detached().save(world)).map_err(refuse)?;
        Ok(PyBytes::new(py, &save))
    }

    fn restore(&self, py: Python<'_>, world: usize, save: &[u8]) -> PyResult<()> {
        py.detach(|| self.worlds_detached().restore(world, save))
            .map_err(refuse)
    }

    /// An independent copy, stepped on the calling thread.
    fn fork(&self, py: Python<'_>) -> Self {
        Self {
            worlds: Mutex::new(py.detach(|| self.worlds_detached().fork())),
            threads: Threads::calling(),
            actions: self.actions,
        }
    }

    /// The heights or corners of a world's ground, which the seed drew.
    fn terrain(&self, world: usize) -> PyResult<Vec<f64>> {
        self.worlds()
            .terrain(world)
            .ok_or_else(|| refuse("no such world"))
    }

    /// The lander's places of wind and turbulence, or the car's colors.
    fn episode_numbers(&self, world: usize) -> PyResult<Vec<f64>> {
        self.worlds()
            .episode_numbers(world)
            .ok_or_else(|| refuse("no such world"))
    }

    /// A world's picture: rows, pixels of a row, and red, green and blue of each.
    fn picture<'py>(&self, py: Python<'py>, world: usize) -> PyResult<(usize, usize, Bound<'py, PyBytes>)> {
        let picture = py.detach(|| self.worlds_detached().picture(world));
        let picture = picture.ok_or_else(|| refuse("no such world"))?;
        let bytes = PyBytes::new(py, &picture.to_rgb());
        Ok((picture.height(), picture.width(), bytes))
    }
}

/// A property's path with its value, in the syntax of scenes or as a text as it is.
type Set = (String, String, bool);

/// Sets properties of a scene's world in their order.
fn set_all(world: &mut World, set: &[Set]) -> Result<(), EnvironmentError> {
    for (path, value, is_text) in set {
        let done = world.target(path).and_then(|target| {
            let value = read_value(world, target.entity, &target.path, value, *is_text)?;
            world.set(target.entity, &target.path, value)
        });
        done.map_err(|error| EnvironmentError::Task {
            what: path.as_str().into(),
            why: error.to_string().into(),
        })?;
    }
    Ok(())
}

fn copy_seen(seen: Seen<'_>, out: Out<'_>) -> PyResult<()> {
    match (seen, out) {
        (Seen::Floats(numbers), Out::Floats(out)) => copy(numbers, out),
        (Seen::Bytes(numbers), Out::Bytes(out)) => copy(numbers, out),
        (Seen::Floats(_), Out::Bytes(_)) => Err(refuse("an array of uint8: observations are float32")),
        (Seen::Bytes(_), Out::Floats(_)) => Err(refuse("an array of float32: observations are uint8")),
    }
}

/// Refuses an array whose memory does not have its items row after row: it could be that of a slice too.
fn check_rows<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> PyResult<()> {
    if array.is_c_contiguous() {
        Ok(())
    } else {
        Err(refuse(
            "an array whose rows do not follow one another: expected one in C order",
        ))
    }
}

/// Copies items into an array of as many, row after row.
fn copy<T: Copy + Element>(from: &[T], mut to: PyReadwriteArrayDyn<'_, T>) -> PyResult<()> {
    check_rows(&to)?;
    let to = to.as_slice_mut().map_err(refuse)?;
    if from.len() != to.len() {
        return Err(refuse(format!(
            "an array of {} items, expected {}",
            to.len(),
            from.len()
        )));
    }
    to.copy_from_slice(from);
    Ok(())
}
