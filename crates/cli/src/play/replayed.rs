//! Replays a session without a page: to the world at its end, as a replay page, or as a recording.

use tombolo::World;
use tombolo::physics::RecordOptions;
use tombolo::threads::Executor;
use tombolo_session::{Log, Recorder, pages};

use crate::output::Failure;
use crate::recordings::PlayingTime;
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
/// There is no such scene, or it refuses an action of the session; the time is too short.
pub(super) fn world_of(
    log: &Log,
    is_recorded: bool,
    time: &PlayingTime,
    executor: &dyn Executor,
) -> Result<Box<World>, Failure> {
    let mut world = source_of(log)?.world()?;
    if is_recorded {
        world.start_recording(RecordOptions::default());
    }
    let mut made = 0;
    log.play(&mut world, executor, |_| {
        made += 1;
        time.check(made, log.steps())
    })?;
    Ok(world)
}

/// The recording of a session, as `tombolo replay` and `tombolo diff` take it: the scene's text, and the calls that the
/// actions make.
///
/// # Errors
/// In the same cases as [`world_of`].
pub(super) fn recording_of(
    log: &Log,
    time: &PlayingTime,
    executor: &dyn Executor,
) -> Result<Vec<u8>, Failure> {
    Ok(world_of(log, true, time, executor)?.end_recording())
}

/// The page that replays a session.
///
/// # Errors
/// In the same cases as [`world_of`].
pub(super) fn page_of(log: &Log, time: &PlayingTime, executor: &dyn Executor) -> Result<Vec<u8>, Failure> {
    let source = source_of(log)?;
    let mut world = source.world()?;
    let mut recorder = Recorder::new(&source.name, world.step_seconds(), world.physics(), Some(&world))?;
    if let Some(scene) = source.scene() {
        recorder.record_graphs(scene.graphs());
    }
    let mut made = 0;
    let record = |world: &World| {
        made += 1;
        time.check(made, log.steps())?;
        recorder.record(world.physics(), Some(world))
    };
    log.play(&mut world, executor, record)?;
    recorder.record_components(&world);
    pages::replay(&recorder.into_recording()?, &source.pictures()?.to_json()?, "")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tombolo::threads::Inline;

    use super::*;

    #[test]
    fn a_session_is_played_for_so_long_and_no_longer() {
        let text = "{\"tombolo_session\":2,\"scene\":\"orchard\",\"steps\":3,\"hash\":\"0\"}\n";
        let log = Log::parse(text).unwrap();
        let time = PlayingTime::of(Duration::ZERO, "Do it yourself");
        let wanted =
            "playing it takes more than 0 s: in that time 1 of its 3 steps were made. Do it yourself";
        for refused in [recording_of(&log, &time, &Inline), page_of(&log, &time, &Inline)] {
            let Failure(why) = refused.unwrap_err();
            assert_eq!(why, wanted);
        }
        assert!(page_of(&log, &PlayingTime::without_limit(), &Inline).is_ok());
    }
}
