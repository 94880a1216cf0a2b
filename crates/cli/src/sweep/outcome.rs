//! Runs a job: builds its world, makes the steps and reads the values of its row.

use tombolo::{World, WorldError};

use super::cell::Cell;
use super::plan::{Job, Plan};
use crate::interrupt;
use crate::output::unwound;

/// The outcome of a job.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Outcome {
    /// The values that were read, the hash of the world, as sixteen hexadecimal digits, and the world's first fault.
    Done {
        read: Vec<Cell>,
        hash: String,
        fault: Option<String>,
    },
    /// The error of the engine, or the panic of one that has a defect.
    Refused(String),
}

impl Outcome {
    /// Runs a job on this thread; `None` if Ctrl-C came first.
    pub(super) fn of(plan: &Plan, job: &Job) -> Option<Self> {
        Self::of_run(|| run(plan, job))
    }

    /// The outcome of a run. A panic is the error of its row: other worlds and the table are as they would be without it.
    fn of_run(run: impl FnOnce() -> Result<Option<Self>, String>) -> Option<Self> {
        let ended = unwound(run).unwrap_or_else(|what| Err(format!("panics: {what}")));
        ended.unwrap_or_else(|why| Some(Self::Refused(why)))
    }

    /// The last cells of a row: those after the cells of `Plan::asked`.
    pub(super) fn cells(&self, plan: &Plan) -> Vec<Cell> {
        match self {
            Self::Done { read, hash, fault } => {
                let mut cells = read.clone();
                let fault = fault.as_deref();
                let fault = fault.map_or(Cell::Nothing, |fault| Cell::Text(fault.into()));
                cells.extend([Cell::Text(hash.as_str().into()), fault]);
                cells
            }
            Self::Refused(why) => {
                let mut cells = vec![Cell::Nothing; plan.read.len() + 1];
                cells.push(Cell::Text(why.as_str().into()));
                cells
            }
        }
    }

    /// What the row has in the column `error`.
    pub(super) fn error(&self) -> Option<&str> {
        match self {
            Self::Done { fault, .. } => fault.as_deref(),
            Self::Refused(why) => Some(why),
        }
    }
}

/// Sets a property by its path to what a cell has, as Python does: a text is set as it is.
fn set(world: &mut World, path: &str, value: &Cell) -> Result<(), WorldError> {
    let target = world.target(path)?;
    let value = match value {
        Cell::Text(text) => world.value_of_text(target.entity, &target.path, text)?,
        other => world.parse_value_at(target.entity, &target.path, &other.scene_text())?,
    };
    world.set(target.entity, &target.path, value)
}

fn run(plan: &Plan, job: &Job) -> Result<Option<Outcome>, String> {
    let scene = plan.scenes[job.scene].scene.as_ref()?;
    let world = match job.seed {
        None => World::from_scene(scene),
        Some(seed) => World::from_scene_with_seed(scene, seed),
    };
    let mut world = world.map_err(|error| error.to_string())?;
    for (path, value) in plan.set.iter().zip(&job.values) {
        set(&mut world, path, value).map_err(|error| error.to_string())?;
    }
    for _ in 0..plan.steps {
        if interrupt::is_pressed() {
            return Ok(None);
        }
        world.step();
    }
    let read = plan.read.iter().map(|path| read(&world, path));
    Ok(Some(Outcome::Done {
        read: read.collect::<Result<_, _>>()?,
        hash: format!("{:016x}", world.state_hash()),
        fault: world.faults().first().map(|fault| fault.to_string()),
    }))
}

fn read(world: &World, path: &str) -> Result<Cell, String> {
    let target = world.target(path).map_err(|error| error.to_string())?;
    let value = world.get(target.entity, &target.path);
    let value = value.map_err(|error| error.to_string())?;
    let kind = world.kind_at(target.entity, &target.path);
    Cell::of(world, kind.map_err(|error| error.to_string())?, &value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_the_error_of_its_row() {
        for what in ["a number", "two"] {
            let panics = || -> Result<Option<Outcome>, String> { panic!("{what} is wrong") };
            let refused = Outcome::Refused(format!("panics: {what} is wrong"));
            assert_eq!(Outcome::of_run(panics), Some(refused));
        }
        let silent = || -> Result<Option<Outcome>, String> { std::panic::panic_any(7) };
        let refused = Outcome::Refused("panics: without a message".into());
        assert_eq!(Outcome::of_run(silent), Some(refused));
        assert_eq!(Outcome::of_run(|| Ok(None)), None);
    }
}
