//! `tombolo shrink`: removes calls from a recording for as long as the wanted failure still happens, by halves,
//! quarters and so on (the delta debugging of Zeller and Hildebrandt, 2002).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;

use tombolo::physics::recording::{CallRole, RecordedCall};
use tombolo::physics::{LaneWidth, RecordingOf};
use tombolo::threads::Pool;

use super::file::{Opened, Replayed, open};
use crate::arguments::{FailureKind, ShrinkArguments};
use crate::interrupt;
use crate::output::{Failure, check_other, counted, say, try_folder_of, write_file};
use crate::progress::bar;

/// The recording and the failure of a trial.
struct Trial<'a, W> {
    recording: &'a RecordingOf<W>,
    pools: [Pool; 2],
    failure_kind: FailureKind,
}

/// Makes a recording shorter.
///
/// # Errors
/// It cannot be read, the wanted failure does not happen in it, or the shorter one cannot be written, as in
/// the place of the recording itself.
pub(crate) fn shrink(options: &ShrinkArguments) -> Result<ExitCode, Failure> {
    try_folder_of(&options.out)?;
    check_other(&options.out, [&*options.recording])?;
    match &open(&options.recording)? {
        Opened::Physics(recording) => shrink_of(recording, options),
        Opened::World(recording) => shrink_of(recording, options),
    }
}

fn shrink_of<W: Replayed>(
    recording: &RecordingOf<W>,
    options: &ShrinkArguments,
) -> Result<ExitCode, Failure> {
    let trial = Trial {
        recording,
        pools: [Pool::new(1)?, Pool::new(options.threads)?],
        failure_kind: options.until,
    };
    let calls = calls_of(recording)?;
    if options.until == FailureKind::Panics {
        // Each trial that panics would print its message.
        std::panic::set_hook(Box::new(|_| {}));
    }
    let Some(end) = trial.happens(&calls)? else {
        return Err(Failure(format!(
            "{}: {} in none of its {} steps",
            options.recording.display(),
            options.until.in_words(),
            recording.steps()
        )));
    };
    // Not before: Ctrl-C ends the search for the failure as it ends any program.
    interrupt::listen();
    let before = calls.len();
    let mut kept = calls[..end].to_vec();
    let bar = bar(u64::from(options.tries), "tries");
    let mut tries = 0;
    let mut parts = 2;
    while kept.len() > 1 && tries < options.tries && !interrupt::is_pressed() {
        let size = kept.len().div_ceil(parts);
        let mut smaller = None;
        for start in (0..kept.len()).step_by(size) {
            let without: Vec<W::Call> = kept[..start]
                .iter()
                .chain(&kept[kept.len().min(start + size)..])
                .cloned()
                .collect();
            tries += 1;
            bar.inc(1);
            if let Some(end) = trial.happens(&without)? {
                smaller = Some(without[..end].to_vec());
                break;
            }
            if tries >= options.tries || interrupt::is_pressed() {
                break;
            }
        }
        match smaller {
            Some(smaller) => {
                kept = smaller;
                parts = parts.saturating_sub(1).max(2);
            }
            None if size == 1 => break,
            None => parts = (2 * parts).min(kept.len()),
        }
    }
    bar.finish_and_clear();
    write_file(&options.out, &trial.written(&kept)?)?;
    say(&format!(
        "{}: {} of {} left, and still {}\n",
        options.out.display(),
        counted(kept.len(), "call", "calls"),
        before,
        options.until.in_words()
    ))?;
    Ok(interrupt::exit_code())
}

/// All calls but those that check hashes, which would change.
fn calls_of<W: Replayed>(recording: &RecordingOf<W>) -> Result<Vec<W::Call>, Failure> {
    let mut player = recording.player()?;
    let mut calls = Vec::new();
    while let Some(call) = player.next_call()? {
        if !matches!(call.role(), CallRole::StateHash(_)) {
            calls.push(call);
        }
    }
    Ok(calls)
}

impl<W: Replayed> Trial<'_, W> {
    /// The number of calls after which the failure happens, if it does.
    fn happens(&self, calls: &[W::Call]) -> Result<Option<usize>, Failure> {
        let mut players = [self.recording.player()?, self.recording.player()?];
        players[0].world_mut().compute_with(LaneWidth::One)?;
        for (place, call) in calls.iter().enumerate() {
            for (player, pool) in players.iter_mut().zip(&self.pools) {
                let played = catch_unwind(AssertUnwindSafe(|| player.play(call.clone(), pool)));
                match played {
                    Err(_) if self.failure_kind == FailureKind::Panics => return Ok(Some(place + 1)),
                    Err(_) => return Ok(None),
                    // A frame is restored whose call was removed: such a recording cannot be played.
                    Ok(Err(_)) => return Ok(None),
                    Ok(Ok(())) => {}
                }
                if self.failure_kind != FailureKind::Parts {
                    break;
                }
            }
            let [one, two] = [players[0].world(), players[1].world()];
            let is_step = call.role() == CallRole::Step;
            let happens = match self.failure_kind {
                FailureKind::Panics => false,
                FailureKind::Freezes => is_step && !one.bodies().events().frozen().is_empty(),
                FailureKind::Parts => is_step && one.recorded_hash() != two.recorded_hash(),
            };
            if happens {
                return Ok(Some(place + 1));
            }
        }
        Ok(None)
    }

    /// The recording of these calls.
    fn written(&self, calls: &[W::Call]) -> Result<Vec<u8>, Failure> {
        let mut player = self.recording.player()?;
        player.world_mut().record();
        for call in calls {
            let played = catch_unwind(AssertUnwindSafe(|| player.play(call.clone(), &self.pools[0])));
            match played {
                Ok(played) => played?,
                // A call is recorded before it is made; a world that panicked has no hash for the end.
                Err(_) => return Ok(player.world_mut().recorded()),
            }
        }
        Ok(player.world_mut().end())
    }
}
