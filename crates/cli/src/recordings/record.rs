//! `tombolo record`: runs a world and records it, or its physics alone.

use std::fs::{self, File};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::ExitCode;

use tombolo::physics::RecordOptions;
use tombolo::threads::Pool;

use super::file::{Opened, length, open};
use crate::arguments::RecordArguments;
use crate::interrupt;
use crate::output::{Failure, check_other, say};
use crate::progress::bar;
use crate::source::{Changes, Running, Source};

/// The number of steps after which the recorded bytes are written to the file.
const STEPS_PER_WRITE: u32 = 60;

/// Runs a world and records it.
///
/// # Errors
/// No such world, threads that cannot be had, a file that cannot be written; or, when all is written, faults of the world.
pub(crate) fn record(options: &RecordArguments) -> Result<ExitCode, Failure> {
    let source = Source::find(&options.scene)?;
    check_other(&options.out, &source.files)?;
    interrupt::listen();
    let mut running = source.start(Changes {
        lanes: options.lanes,
        recording: Some(RecordOptions {
            key_frame_steps: options.key_frames,
            hash_steps: options.hashes,
        }),
        physics_only: options.physics,
        ..Changes::default()
    })?;
    options.sets.iter().try_for_each(|text| running.set(text))?;
    let pool = Pool::new(options.threads)?;
    let refuse = |error| Failure(format!("{}: cannot be written: {error}", options.out.display()));
    if let Some(folder) = options.out.parent() {
        fs::create_dir_all(folder).map_err(refuse)?;
    }
    // Not before all else is known to be right: a recording that is there already may be a good one.
    let mut file = File::create(&options.out).map_err(refuse)?;
    let steps = options.steps.unwrap_or(source.steps);
    let bar = bar(u64::from(steps), "steps");
    for step in 1..=steps {
        or_write_down(&mut running, &mut file, |running| running.step(&pool))?;
        if step % STEPS_PER_WRITE == 0 {
            file.write_all(&running.take_recording()).map_err(refuse)?;
        }
        bar.inc(1);
        if interrupt::is_pressed() {
            break;
        }
    }
    bar.finish_and_clear();
    file.write_all(&running.end_recording()).map_err(refuse)?;
    drop(file);
    let written = fs::metadata(&options.out).map_err(refuse)?;
    if written.is_file() {
        say_what_was_recorded(options, &running, written.len())?;
    }
    if interrupt::is_pressed() {
        return Ok(ExitCode::from(interrupt::EXIT_CODE));
    }
    running.report_faults()
}

/// What `make` gives. If it panics, what was recorded up to then is written first, so that the file has the call that did:
/// `tombolo shrink --until panics` makes it shorter.
fn or_write_down<T>(running: &mut Running, file: &mut impl Write, make: impl FnOnce(&mut Running) -> T) -> T {
    catch_unwind(AssertUnwindSafe(|| make(running))).unwrap_or_else(|panic| {
        // The panic is what is told, also where the file cannot be written.
        drop(file.write_all(&running.take_recording()));
        resume_unwind(panic)
    })
}

/// Reads the recording again and prints its length and last state. What went through a pipe cannot be read again.
fn say_what_was_recorded(options: &RecordArguments, running: &Running, size: u64) -> Result<(), Failure> {
    let (length, state) = match open(&options.out)? {
        Opened::Physics(recording) => (length(&recording), running.physics().state_hash()),
        Opened::World(recording) => (length(&recording), running.state_hash()),
    };
    say(&format!(
        "{}: {length}, {size} bytes, state {state:016x}\n",
        options.out.display(),
    ))
}

#[cfg(test)]
mod tests {
    use tombolo::threads::Inline;

    use super::super::file::open_bytes;
    use super::*;

    /// Of a world of entities, and of its physics alone.
    #[test]
    fn a_panic_leaves_a_recording_with_the_call_that_panicked() {
        for physics_only in [false, true] {
            let changes = Changes {
                recording: Some(RecordOptions::default()),
                physics_only,
                ..Changes::default()
            };
            let mut running = Source::find("orchard").unwrap().start(changes).unwrap();
            let mut file = Vec::new();
            let caught = catch_unwind(AssertUnwindSafe(|| {
                for step in 1..=7 {
                    or_write_down(&mut running, &mut file, |running| {
                        running.step(&Inline).unwrap();
                        assert!(step < 7, "a defect");
                    });
                }
            }));
            assert!(caught.is_err());
            let (steps, is_whole) = match open_bytes(file).unwrap() {
                Opened::Physics(recording) if physics_only => (recording.steps(), recording.is_whole()),
                Opened::World(recording) if !physics_only => (recording.steps(), recording.is_whole()),
                _ => panic!("a recording of the other kind"),
            };
            assert_eq!((steps, is_whole), (7, false), "physics alone: {physics_only}");
        }
    }
}
