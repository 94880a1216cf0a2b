//! Recordings of worlds: every call that changes one, played again to any step, as hashes or as the replay page.

use crate::physics::World;
use crate::queries::{AnyWorld, Inside};
use crate::refuse;
use crate::scene::SceneWorld;
use crate::signals::Ear;
use crate::threads::Threads;
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tombolo::{WorldCall, WorldRecording};
use tombolo_physics::recording::{CallRole, RecordedCall};
use tombolo_physics::{
    Call, PhysicsWorld, PlayerOf, RecordOptions, Recordable, Recording as PhysicsRecording, RecordingError,
    RecordingOf,
};
use tombolo_session::{Failure, Recorder, pages};

/// The length of steps that a page is told of if it has none, in seconds.
const STEP_S: f32 = 1.0 / 60.0;

/// Begins to record a world's calls. A recording that has begun is dropped.
#[pyfunction]
pub(crate) fn start_recording(py: Python<'_>, world: AnyWorld<'_>, key_frame_steps: u64, hash_steps: u64) {
    let options = RecordOptions {
        key_frame_steps,
        hash_steps,
    };
    let inside = world.inside();
    py.detach(|| match inside {
        Inside::Physics(world) => world.world_detached().start_recording(options),
        Inside::Scene(world) => world.world_detached().start_recording(options),
    });
}

/// Whether a world's calls are recorded.
#[pyfunction]
pub(crate) fn is_recording(world: AnyWorld<'_>) -> bool {
    match world.inside() {
        Inside::Physics(world) => world.world().is_recording(),
        Inside::Scene(world) => world.world().is_recording(),
    }
}

/// The bytes that were recorded since the last call, with the end of the recording if it ends.
#[pyfunction]
pub(crate) fn take_recording<'py>(py: Python<'py>, world: AnyWorld<'_>, ends: bool) -> Bound<'py, PyBytes> {
    let inside = world.inside();
    let bytes = py.detach(|| match (inside, ends) {
        (Inside::Physics(world), false) => world.world_detached().take_recording(),
        (Inside::Physics(world), true) => world.world_detached().end_recording(),
        (Inside::Scene(world), false) => world.world_detached().take_recording(),
        (Inside::Scene(world), true) => world.world_detached().end_recording(),
    });
    PyBytes::new(py, &bytes)
}

/// A world that can be played to a page.
trait Played: Recordable {
    /// The world of bodies, and that of entities if it is one.
    fn parts(&self) -> (&PhysicsWorld, Option<&tombolo::World>);

    /// The length of the step that a call makes.
    fn step_s(&self, call: &Self::Call) -> f32;

    /// The hash that the world has in Python.
    fn hash(&self) -> u64;

    /// Measures the stages of each step from now on.
    fn measure(&mut self);
}

impl Played for PhysicsWorld {
    fn parts(&self) -> (&PhysicsWorld, Option<&tombolo::World>) {
        (self, None)
    }

    fn step_s(&self, call: &Call) -> f32 {
        match call {
            Call::Step { dt } => *dt,
            _ => STEP_S,
        }
    }

    fn hash(&self) -> u64 {
        self.state_hash()
    }

    fn measure(&mut self) {
        self.set_profiling(true);
    }
}

impl Played for tombolo::World {
    fn parts(&self) -> (&PhysicsWorld, Option<&tombolo::World>) {
        (self.physics(), Some(self))
    }

    fn step_s(&self, _: &WorldCall) -> f32 {
        self.step_seconds()
    }

    fn hash(&self) -> u64 {
        self.state_hash()
    }

    fn measure(&mut self) {
        self.physics_mut().set_profiling(true);
    }
}

/// The steps of a recording to play, and the threads to play them with.
type Range = (u64, Option<u64>, usize);

/// Plays to the first of two steps, after which it prepares the world, and on to the second, before and after each of whose
/// steps the observer is called: before each with its length, and after it with none. Returns the player. Signals are heard
/// meanwhile.
fn play<'a, W: Played>(
    recording: &'a RecordingOf<W>,
    (start, end, threads): Range,
    prepare: impl FnOnce(&mut W),
    mut observe: impl FnMut(&W, Option<f32>) -> PyResult<()>,
) -> PyResult<PlayerOf<'a, W>> {
    let end = end.unwrap_or(recording.steps());
    if end < start {
        return Err(refuse(format!(
            "the end, step {end}, is before the start, step {start}"
        )));
    }
    if end > recording.steps() {
        let steps = recording.steps();
        return Err(refuse(RecordingError::NoStep { step: end, steps }));
    }
    let threads = Threads::new(threads)?;
    let executor = threads.executor();
    let mut player = recording.player_at(start, executor).map_err(refuse)?;
    prepare(player.world_mut());
    let mut ear = Ear::new();
    while player.steps() < end {
        ear.hear()?;
        let Some(call) = player.next_call().map_err(refuse)? else {
            break;
        };
        let is_step = call.role() == CallRole::Step;
        if is_step {
            let step_s = player.world().step_s(&call);
            observe(player.world(), Some(step_s))?;
        }
        player.play(call, executor).map_err(refuse)?;
        if is_step {
            observe(player.world(), None)?;
        }
    }
    if end == recording.steps() {
        // The calls after the last step, and the hash of the end.
        player.play_step(executor).map_err(refuse)?;
    }
    Ok(player)
}

/// The hashes of the state after each step.
fn hashes_of<W: Played>(recording: &RecordingOf<W>, range: Range) -> PyResult<Vec<u64>> {
    let mut hashes = Vec::new();
    play(
        recording,
        range,
        |_| {},
        |world, step_s| {
            if step_s.is_none() {
                hashes.push(world.hash());
            }
            Ok(())
        },
    )?;
    Ok(hashes)
}

/// The replay page of the steps, with the times of their stages. It says where results are not those that were recorded, and
/// where the recording was cut off, as the command's does.
fn page_of<W: Played>(recording: &RecordingOf<W>, name: &str, range: Range) -> PyResult<Vec<u8>> {
    let failed = |Failure(why)| refuse(why);
    let begin = |world: &W, step_s: f32| {
        let (bodies, entities) = world.parts();
        let mut page = Recorder::new(name, step_s, bodies, entities)?;
        page.begin_at(range.0);
        Ok(page)
    };
    let mut page: Option<Recorder> = None;
    let player = play(recording, range, W::measure, |world, step_s| {
        let (bodies, entities) = world.parts();
        match (&mut page, step_s) {
            (None, _) => page = Some(begin(world, step_s.unwrap_or(STEP_S)).map_err(failed)?),
            (Some(page), None) => page.record(bodies, entities).map_err(failed)?,
            (Some(_), Some(_)) => {}
        }
        Ok(())
    })?;
    let mut page = page
        .map_or_else(|| begin(player.world(), STEP_S), Ok)
        .map_err(failed)?;
    if let (_, Some(world)) = player.world().parts() {
        page.record_components(world);
    }
    if let Some([agreed, differs]) = player.first_difference() {
        page.remark(&format!(
            "This version of Tombolo differs from the recording: as recorded after step {agreed}, not after step {differs}."
        ));
    }
    if !recording.is_whole() {
        page.remark(&format!(
            "The recording has {} steps, cut off after that.",
            recording.steps()
        ));
    }
    let recording = page.into_recording().map_err(failed)?;
    pages::replay(&recording, pages::NO_PICTURES, "").map_err(failed)
}

/// A recording of either kind of world.
enum Recorded {
    Physics(PhysicsRecording),
    Scene(WorldRecording),
}

/// A recording that is read.
#[pyclass(frozen, module = "tombolo._tombolo")]
pub(crate) struct Recording(Recorded);

#[pymethods]
impl Recording {
    #[new]
    fn new(py: Python<'_>, file: &[u8]) -> PyResult<Self> {
        py.detach(|| {
            let file = file.to_vec();
            let recorded = if WorldRecording::is_one(&file) {
                WorldRecording::open(file).map(Recorded::Scene)
            } else {
                PhysicsRecording::open(file).map(Recorded::Physics)
            };
            recorded.map(Self).map_err(refuse)
        })
    }

    /// The number of steps, whether its end was written, the version of the engine that wrote it, and whether it is of a world
    /// of entities.
    fn facts(&self) -> (u64, bool, String, bool) {
        match &self.0 {
            Recorded::Physics(of) => (of.steps(), of.is_whole(), of.version().to_owned(), false),
            Recorded::Scene(of) => (of.steps(), of.is_whole(), of.version().to_owned(), true),
        }
    }

    /// The world after a step, and the steps between which its hashes began to differ from the recorded ones.
    fn world<'py>(&self, py: Python<'py>, range: Range) -> PyResult<(Bound<'py, PyAny>, Option<[u64; 2]>)> {
        match &self.0 {
            Recorded::Physics(of) => {
                let (world, differs) = py.detach(|| end_of(of, range))?;
                Ok((World::of(world, range.2)?.into_bound_py_any(py)?, differs))
            }
            Recorded::Scene(of) => {
                let (world, differs) = py.detach(|| end_of(of, range))?;
                Ok((SceneWorld::of(world, range.2)?.into_bound_py_any(py)?, differs))
            }
        }
    }

    /// The hashes of the state after each step.
    fn hashes(&self, py: Python<'_>, range: Range) -> PyResult<Vec<u64>> {
        py.detach(|| match &self.0 {
            Recorded::Physics(of) => hashes_of(of, range),
            Recorded::Scene(of) => hashes_of(of, range),
        })
    }

    /// The replay page.
    fn page<'py>(&self, py: Python<'py>, name: &str, range: Range) -> PyResult<Bound<'py, PyBytes>> {
        let page = py.detach(|| match &self.0 {
            Recorded::Physics(of) => page_of(of, name, range),
            Recorded::Scene(of) => page_of(of, name, range),
        })?;
        Ok(PyBytes::new(py, &page))
    }
}

/// A copy of the world after the last step of a range, and where its hashes differ.
fn end_of<W: Played + Clone>(recording: &RecordingOf<W>, range: Range) -> PyResult<(W, Option<[u64; 2]>)> {
    let player = play(recording, range, |_| {}, |_, _| Ok(()))?;
    Ok((player.world().clone(), player.first_difference()))
}
