//! `tombolo replay`: plays a recording, compares it with the hashes in it, and writes its page.

use std::process::ExitCode;

use tombolo::entity::Entity;
use tombolo::physics::{PlayerOf, RecordingOf};
use tombolo::threads::Pool;
use tombolo_session::Recorder;

use super::file::{Opened, Replayed, agreement, length, open};
use crate::arguments::ReplayArguments;
use crate::map_pictures::MapPictures;
use crate::output::{Failure, say, write_file};
use crate::progress::bar;
use crate::source::components_of;
use crate::{interrupt, pages};

/// The step length for the page if no step was played.
const STEP_S: f32 = 1.0 / 60.0;

/// Plays a recording.
///
/// # Errors
/// It cannot be read or played, or results differ from those that were recorded; the page cannot be written.
pub(crate) fn play(options: &ReplayArguments) -> Result<ExitCode, Failure> {
    match &open(&options.recording)? {
        Opened::Physics(recording) => play_all(recording, options),
        Opened::World(recording) => play_all(recording, options),
    }
}

fn play_all<W: Replayed>(recording: &RecordingOf<W>, options: &ReplayArguments) -> Result<ExitCode, Failure> {
    interrupt::listen();
    let pool = Pool::new(options.threads)?;
    let mut player = recording.player_at(options.from, &pool)?;
    if let Some(lanes) = options.lanes {
        player.world_mut().compute_with(lanes)?;
    }
    let last = last_step(options, recording.steps())?;
    let name = options
        .recording
        .file_stem()
        .unwrap_or_default()
        .to_string_lossy();
    let bar = bar(last.saturating_sub(options.from), "steps");
    let mut page: Option<Recorder> = None;
    while player.steps() < last && !interrupt::is_pressed() {
        play_one(&mut player, &pool, |world, step_s| {
            if page.is_none() && options.page.is_some() {
                page = Some(begin_page(&name, options.from, step_s, world)?);
            }
            Ok(())
        })?;
        if let Some(page) = &mut page {
            page.record(player.world().bodies(), player.world().entities())?;
        }
        bar.inc(1);
    }
    if last == recording.steps() && !interrupt::is_pressed() {
        // Calls after the last step.
        player.play_step(&pool)?;
    }
    bar.finish_and_clear();
    if let Some(path) = &options.page {
        let world = player.world();
        let mut page = page.map_or_else(|| begin_page(&name, options.from, STEP_S, world), Ok)?;
        if let Some(world) = world.entities() {
            page.record_components(&|key| {
                let entity =
                    Entity::from_bits(key).filter(|entity| world.entities().entities().is_alive(*entity));
                entity.map_or_else(Vec::new, |entity| components_of(world, entity))
            });
        }
        write_file(
            path,
            &pages::replay(&page.into_recording()?, &MapPictures::default())?,
        )?;
    }
    say(&format!(
        "{}: {}, recorded by version {}; after step {}: state {:016x}, {}\n",
        options.recording.display(),
        length(recording),
        recording.version(),
        player.steps(),
        player.world().recorded_hash(),
        agreement(&player),
    ))?;
    Ok(match (interrupt::is_pressed(), player.first_difference()) {
        (true, _) => ExitCode::from(interrupt::EXIT_CODE),
        (false, Some(_)) => ExitCode::FAILURE,
        (false, None) => ExitCode::SUCCESS,
    })
}

/// Begins a page with the state before its first step.
fn begin_page<W: Replayed>(name: &str, from: u64, step_s: f32, world: &W) -> Result<Recorder, Failure> {
    let mut page = Recorder::new(name, step_s, world.bodies(), world.entities())?;
    page.begin_at(from);
    Ok(page)
}

/// The step to play to, of a recording with so many steps.
///
/// # Errors
/// The recording ends before, or the step comes before the one to begin with.
fn last_step(options: &ReplayArguments, steps: u64) -> Result<u64, Failure> {
    let (from, last) = (options.from, options.to.unwrap_or(steps));
    if last > steps {
        return Err(Failure(format!(
            "there is no step {last}: the recording has {steps}"
        )));
    }
    if last < from {
        return Err(Failure(format!("--to {last} comes before --from {from}")));
    }
    Ok(last)
}

/// Plays the calls up to the next step and the step. `before_step` is called before it, with the world and the step's
/// length in seconds.
fn play_one<W: Replayed>(
    player: &mut PlayerOf<'_, W>,
    pool: &Pool,
    before_step: impl FnOnce(&W, f32) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while let Some(call) = player.next_call()? {
        if let Some(step_s) = player.world().step_s(&call) {
            before_step(player.world(), step_s)?;
            player.play(call, pool)?;
            break;
        }
        player.play(call, pool)?;
    }
    Ok(())
}
