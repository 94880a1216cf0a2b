//! `tombolo replay`: plays a recording, compares it with the hashes in it, and writes its page; `tombolo play` shows that
//! of one that its page opens.

use std::process::ExitCode;
use std::time::Duration;

use tombolo::physics::{PlayerOf, RecordingOf};
use tombolo::threads::{Executor, Pool, Stopwatch};
use tombolo_session::{Recorder, pages};

use super::file::{Opened, Replayed, agreement, length, open, open_bytes};
use crate::arguments::ReplayArguments;
use crate::interrupt;
use crate::output::{Failure, check_other, say, try_folder_of, write_file};
use crate::progress::bar;

/// The step length for the page if no step was played.
const STEP_S: f32 = 1.0 / 60.0;

/// Plays a recording.
///
/// # Errors
/// It cannot be read or played, or results differ from those that were recorded; the page cannot be written.
pub(crate) fn play(options: &ReplayArguments) -> Result<ExitCode, Failure> {
    if let Some(page) = &options.page {
        try_folder_of(page)?;
        check_other(page, [&*options.recording])?;
    }
    match &open(&options.recording)? {
        Opened::Physics(recording) => play_all(recording, options),
        Opened::World(recording) => play_all(recording, options),
    }
}

fn play_all<W: Replayed>(recording: &RecordingOf<W>, options: &ReplayArguments) -> Result<ExitCode, Failure> {
    let pool = Pool::new(options.threads)?;
    let mut player = recording.player_at(options.from, &pool)?;
    // Not before: Ctrl-C ends the steps up to the first one as it ends any program.
    interrupt::listen();
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
    let mut page = options
        .page
        .as_ref()
        .map(|_| PlayedPage::new(&name, options.from));
    let time = PlayingTime::without_limit();
    play_until(last, &mut player, page.as_mut(), &pool, &time, || bar.inc(1))?;
    if last == recording.steps() && !interrupt::is_pressed() {
        // Calls after the last step.
        player.play_step(&pool)?;
    }
    bar.finish_and_clear();
    if let (Some(path), Some(page)) = (&options.page, page) {
        write_file(path, &page.finish(recording, &player, "")?)?;
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

/// The page of a recording that is played from its beginning to its end, in no more than `time_max`. Its style and program
/// have a nonce.
///
/// # Errors
/// The bytes are not a recording, or cannot be played, or not in that time.
pub(crate) fn page_of(
    name: &str,
    bytes: Vec<u8>,
    nonce: &str,
    time_max: Duration,
    executor: &dyn Executor,
) -> Result<Vec<u8>, Failure> {
    let instead =
        "`tombolo replay --page` makes its page without this limit, and with --from and --to that of a part";
    let time = PlayingTime::of(time_max, instead);
    match &open_bytes(bytes)? {
        Opened::Physics(recording) => whole_page(name, recording, nonce, &time, executor),
        Opened::World(recording) => whole_page(name, recording, nonce, &time, executor),
    }
}

/// The time that a recording or a session may take to play.
pub(crate) struct PlayingTime {
    watch: Stopwatch,
    /// With what to do instead where it is too short.
    limit: Option<(Duration, &'static str)>,
}

impl PlayingTime {
    /// So much time from now on; `instead` is a sentence without its end.
    pub(crate) fn of(time_max: Duration, instead: &'static str) -> Self {
        Self {
            watch: Stopwatch::start(),
            limit: Some((time_max, instead)),
        }
    }

    pub(crate) fn without_limit() -> Self {
        Self {
            watch: Stopwatch::start(),
            limit: None,
        }
    }

    /// Checked before each call: a call that has begun, such as a step, is made to its end.
    ///
    /// # Errors
    /// The time is over. The message says how many of the steps were made.
    pub(crate) fn check(&self, made: u64, steps: u64) -> Result<(), Failure> {
        let is_over = |limit: &(Duration, _)| self.watch.elapsed_seconds() >= limit.0.as_secs_f64();
        let Some((time_max, instead)) = self.limit.filter(is_over) else {
            return Ok(());
        };
        Err(Failure(format!(
            "playing it takes more than {} s: in that time {made} of its {steps} steps were made. {instead}",
            time_max.as_secs()
        )))
    }
}

fn whole_page<W: Replayed>(
    name: &str,
    recording: &RecordingOf<W>,
    nonce: &str,
    time: &PlayingTime,
    executor: &dyn Executor,
) -> Result<Vec<u8>, Failure> {
    let (mut player, mut page) = (recording.player()?, PlayedPage::new(name, 0));
    let steps = recording.steps();
    play_until(steps, &mut player, Some(&mut page), executor, time, || {})?;
    // Calls after the last step.
    play_one(&mut player, executor, |_, _| time.check(steps, steps))?;
    page.finish(recording, &player, nonce)
}

/// The page of a recording, while that is played.
struct PlayedPage<'n> {
    name: &'n str,
    /// The step after which it begins.
    from: u64,
    /// `None` before the first step, which has the length of the others.
    frames: Option<Recorder>,
}

impl<'n> PlayedPage<'n> {
    fn new(name: &'n str, from: u64) -> Self {
        Self {
            name,
            from,
            frames: None,
        }
    }

    /// Begins with the state before the first step.
    fn begin<W: Replayed>(&self, step_s: f32, world: &W) -> Result<Recorder, Failure> {
        let mut frames = Recorder::new(self.name, step_s, world.bodies(), world.entities())?;
        frames.begin_at(self.from);
        Ok(frames)
    }

    /// The page, which also says where results are not those that were recorded, and where the recording was cut off.
    fn finish<W: Replayed>(
        self,
        recording: &RecordingOf<W>,
        player: &PlayerOf<'_, W>,
        nonce: &str,
    ) -> Result<Vec<u8>, Failure> {
        let world = player.world();
        let begun = self.frames.is_none().then(|| self.begin(STEP_S, world));
        let mut frames = begun.transpose()?.or(self.frames).expect("it has begun");
        if let Some(world) = world.entities() {
            frames.record_components(world);
        }
        if player.first_difference().is_some() {
            frames.remark(&format!("This version of Tombolo {}.", agreement(player)));
        }
        if !recording.is_whole() {
            frames.remark(&format!("The recording has {}.", length(recording)));
        }
        pages::replay(&frames.into_recording()?, pages::NO_PICTURES, nonce)
    }
}

/// Plays to a step, or until Ctrl-C, with a frame of the page for each step; `count` is called for each.
///
/// # Errors
/// The recording cannot be played, or not in the time.
fn play_until<W: Replayed>(
    last: u64,
    player: &mut PlayerOf<'_, W>,
    mut page: Option<&mut PlayedPage<'_>>,
    executor: &dyn Executor,
    time: &PlayingTime,
    count: impl Fn(),
) -> Result<(), Failure> {
    if page.is_some() {
        player.world_mut().measure();
    }
    while player.steps() < last && !interrupt::is_pressed() {
        let made = player.steps();
        play_one(player, executor, |world, step_s| {
            time.check(made, last)?;
            let begins = page.as_mut().filter(|page| page.frames.is_none());
            if let Some((page, step_s)) = begins.zip(step_s) {
                page.frames = Some(page.begin(step_s, world)?);
            }
            Ok(())
        })?;
        if let Some(frames) = page.as_mut().and_then(|page| page.frames.as_mut()) {
            frames.record(player.world().bodies(), player.world().entities())?;
        }
        count();
    }
    Ok(())
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

/// Plays the calls up to the next step and the step. `before` is called before each, with the world and, if it is a step, its
/// length in seconds.
fn play_one<W: Replayed>(
    player: &mut PlayerOf<'_, W>,
    executor: &dyn Executor,
    mut before: impl FnMut(&W, Option<f32>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    while let Some(call) = player.next_call()? {
        let step_s = player.world().step_s(&call);
        before(player.world(), step_s)?;
        player.play(call, executor)?;
        if step_s.is_some() {
            break;
        }
    }
    Ok(())
}
