//! Batches of environments.

use crate::refuse;
use numpy::{PyReadonlyArrayDyn, PyReadwriteArrayDyn};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard};
use tombolo_environments::{Actions, Autoreset, Batch, LanderOptions, LunarLander};
use tombolo_threads::{Executor, Inline, Pool};

/// Landers, and the threads that step them.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct LanderBatch {
    worlds: Mutex<Batch<LunarLander>>,
    pool: Option<Pool>,
    continuous: bool,
}

impl LanderBatch {
    fn worlds(&self) -> MutexGuard<'_, Batch<LunarLander>> {
        // A world is whole after a panic, as after any call.
        self.worlds
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn run(&self, actions: Actions<'_>) -> PyResult<()> {
        let executor: &dyn Executor = self.pool.as_ref().map_or(&Inline, |pool| pool);
        self.worlds().step(actions, executor).map_err(refuse)
    }
}

#[pymethods]
impl LanderBatch {
    #[new]
    #[pyo3(signature = (count, threads, autoreset, steps_max, continuous, gravity, enable_wind, wind_power, turbulence_power))]
    #[expect(clippy::too_many_arguments, reason = "Gymnasium's own names")]
    fn new(
        count: usize,
        threads: usize,
        autoreset: &str,
        steps_max: Option<u32>,
        continuous: bool,
        gravity: f64,
        enable_wind: bool,
        wind_power: f64,
        turbulence_power: f64,
    ) -> PyResult<Self> {
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
        let options = LanderOptions {
            continuous,
            gravity,
            enable_wind,
            wind_power,
            turbulence_power,
        };
        let pool = (threads > 1)
            .then(|| Pool::new(threads))
            .transpose()
            .map_err(refuse)?;
        Ok(Self {
            worlds: Mutex::new(Batch::new(count, &options, autoreset, steps_max).map_err(refuse)?),
            pool,
            continuous,
        })
    }

    fn reset(&self, py: Python<'_>, seeds: Vec<u128>) -> PyResult<()> {
        py.detach(|| self.worlds().reset(&seeds)).map_err(refuse)
    }

    #[pyo3(signature = (world, seed=None))]
    fn reset_world(&self, world: usize, seed: Option<u128>) -> PyResult<()> {
        self.worlds().reset_world(world, seed).map_err(refuse)
    }

    /// Steps all worlds with choices (whole numbers) or numbers, without Python's lock.
    fn step(&self, py: Python<'_>, actions: &Bound<'_, PyAny>) -> PyResult<()> {
        if self.continuous {
            let actions: PyReadonlyArrayDyn<'_, f32> = actions.extract()?;
            let actions = actions.as_slice().map_err(refuse)?;
            py.detach(|| self.run(Actions::Continuous(actions)))
        } else {
            let actions: PyReadonlyArrayDyn<'_, i64> = actions.extract()?;
            let actions = actions.as_slice().map_err(refuse)?;
            py.detach(|| self.run(Actions::Discrete(actions)))
        }
    }

    /// Steps a batch of one, without arrays: its reward and whether it ended.
    #[pyo3(signature = (choice, numbers))]
    fn step_one(&self, choice: i64, numbers: [f32; 2]) -> PyResult<(f64, bool)> {
        let choices = [choice];
        self.run(if self.continuous {
            Actions::Continuous(&numbers)
        } else {
            Actions::Discrete(&choices)
        })?;
        let worlds = self.worlds();
        Ok((worlds.rewards()[0], worlds.terminated()[0]))
    }

    /// Copies what all worlds see.
    fn read_observations(&self, mut out: PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
        copy(self.worlds().observations(), out.as_slice_mut().map_err(refuse)?)
    }

    /// Copies what worlds saw at the ends that the last step replaced.
    fn read_final_observations(&self, mut out: PyReadwriteArrayDyn<'_, f32>) -> PyResult<()> {
        copy(
            self.worlds().final_observations(),
            out.as_slice_mut().map_err(refuse)?,
        )
    }

    /// Copies rewards and ends of the last step.
    fn read_outcomes(
        &self,
        mut rewards: PyReadwriteArrayDyn<'_, f64>,
        mut terminated: PyReadwriteArrayDyn<'_, bool>,
        mut truncated: PyReadwriteArrayDyn<'_, bool>,
    ) -> PyResult<()> {
        let worlds = self.worlds();
        copy(worlds.rewards(), rewards.as_slice_mut().map_err(refuse)?)?;
        copy(worlds.terminated(), terminated.as_slice_mut().map_err(refuse)?)?;
        copy(worlds.truncated(), truncated.as_slice_mut().map_err(refuse)?)
    }

    fn save<'py>(&self, py: Python<'py>, world: usize) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.worlds().save(world).map_err(refuse)?))
    }

    fn restore(&self, world: usize, save: &[u8]) -> PyResult<()> {
        self.worlds().restore(world, save).map_err(refuse)
    }

    /// A copy with a future of its own, stepped on the calling thread.
    fn fork(&self) -> Self {
        Self {
            worlds: Mutex::new(self.worlds().clone()),
            pool: None,
            continuous: self.continuous,
        }
    }

    /// The corners of a world's terrain, two meters apart.
    fn terrain(&self, world: usize) -> PyResult<Vec<f64>> {
        let worlds = self.worlds();
        let lander = worlds.environment(world).ok_or_else(|| refuse("no such world"))?;
        Ok(lander.terrain().to_vec())
    }

    /// The corners of hull and legs of a world, in meters.
    fn outlines(&self, world: usize) -> PyResult<Vec<Vec<(f32, f32)>>> {
        let worlds = self.worlds();
        let lander = worlds.environment(world).ok_or_else(|| refuse("no such world"))?;
        let bodies = lander
            .world()
            .into_iter()
            .flat_map(|world| world.bodies().skip(1));
        Ok(bodies
            .flat_map(|body| body.shapes().map(move |shape| (body.pose(), shape.geometry())))
            .map(|(pose, shape)| {
                let corners = shape
                    .vertices()
                    .iter()
                    .map(|&corner| pose.transform_point(corner));
                corners.map(|corner| (corner.x, corner.y)).collect()
            })
            .collect())
    }
}

fn copy<T: Copy>(from: &[T], to: &mut [T]) -> PyResult<()> {
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
