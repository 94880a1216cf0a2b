//! Replays a session without a page: to the world at its end, as a replay page, or as a recording.

use tombolo::World;
use tombolo::physics::RecordOptions;
use tombolo::threads::Executor;
use tombolo_session::{Log, Recorder, pages};

use crate::output::Failure;
use crate::source::Source;

/// The source of the world in which a session began.
fn source_of(log: &Log) -> Result<Source, Failure> {
    match log.text() {
        Some(text) => Source::of_text(log.scene(), text),
        None => Source::find(log.scene()),
    }
}

/// The world at the session's end, and whether its calls are recorded from the beginning on.
///
/// # Errors
/// There is no such scene, or it refuses an action of the session.
pub(super) fn world_of(log: &Log, is_recorded: bool, executor: &dyn Executor) -> Result<Box<World>, Failure> {
    let mut world = source_of(log)?.world()?;
    if is_recorded {
        world.start_recording(RecordOptions::default());
    }
    log.play(&mut world, executor, |_| Ok(()))?;
    Ok(world)
}

/// The recording of a session, as `tombolo replay` and `tombolo diff` take it: the scene's text, and the calls that the
/// actions make.
///
/// # Errors
/// In the same cases as [`world_of`].
pub(super) fn recording_of(log: &Log, executor: &dyn Executor) -> Result<Vec<u8>, Failure> {
    Ok(world_of(log, true, executor)?.end_recording())
}

/// The page that replays a session.
///
/// # Errors
/// In the same cases as [`world_of`].
pub(super) fn page_of(log: &Log, executor: &dyn Executor) -> Result<Vec<u8>, Failure> {
    let source = source_of(log)?;
    let mut world = source.world()?;
    let mut recorder = Recorder::new(&source.name, world.step_seconds(), world.physics(), Some(&world))?;
    if let Some(scene) = source.scene() {
        recorder.record_graphs(scene.graphs());
    }
    let record = |world: &World| recorder.record(world.physics(), Some(world));
    log.play(&mut world, executor, record)?;
    recorder.record_components(&world);
    pages::replay(&recorder.into_recording()?, &source.pictures()?.to_json()?, "")
}
