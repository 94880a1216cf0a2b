//! `tombolo diff`: plays two recordings and says in which step the worlds differ first.
//!
//! It compares the last result of each step: a game that rolls back makes some steps several times, each peer others,
//! and only the last time counts.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;

use tombolo::physics::recording::{CallRole, RecordedCall};
use tombolo::physics::{PlayerOf, RecordingOf};
use tombolo::threads::Pool;

use super::file::{Opened, Replayed, open};
use crate::arguments::DiffArguments;
use crate::output::{Failure, counted, say};
use crate::progress::bar;

/// The last result of a step.
struct StepResult {
    /// The number of steps of the recording that were played by then.
    played: u64,
    state: u64,
    /// A hash of the calls before it.
    calls: u64,
}

/// The steps of a world by their index; the first is the world with which the recording begins.
type Steps = BTreeMap<u64, StepResult>;

/// The first difference of two runs.
struct FirstDifference {
    step: u64,
    difference: Option<String>,
    /// The first calls that differ, and the step that they precede.
    calls: Option<(u64, [String; 2])>,
}

/// Plays two recordings and compares them.
///
/// # Errors
/// One cannot be read or played.
pub(crate) fn diff(options: &DiffArguments) -> Result<ExitCode, Failure> {
    let opened = [open(&options.first)?, open(&options.second)?];
    match &opened {
        [Opened::Physics(first), Opened::Physics(second)] => diff_of([first, second], options),
        [Opened::World(first), Opened::World(second)] => diff_of([first, second], options),
        _ => Err(Failure(
            "one is a recording of physics, and the other of a world of entities".to_string(),
        )),
    }
}

fn diff_of<W: Replayed>(
    recordings: [&RecordingOf<W>; 2],
    options: &DiffArguments,
) -> Result<ExitCode, Failure> {
    let pool = Pool::new(options.threads)?;
    let tracks = [steps_of(recordings[0], &pool)?, steps_of(recordings[1], &pool)?];
    let common = tracks[0]
        .keys()
        .filter(|step| tracks[1].contains_key(step))
        .count();
    if common == 0 {
        return Err(Failure(
            "the recordings have no step of the world in common".to_string(),
        ));
    }
    let Some(difference_found) = find(recordings, &tracks, &pool)? else {
        let rest = tracks
            .each_ref()
            .map(|steps| steps.len() - common)
            .into_iter()
            .max();
        let rest = rest.filter(|rest| *rest > 0);
        let rest = rest.map_or_else(String::new, |rest| format!("; one of them has {rest} more"));
        let steps = counted(common - 1, "step", "steps");
        say(&format!(
            "the same at the start and after each of {steps}{rest}\n"
        ))?;
        return Ok(ExitCode::SUCCESS);
    };
    say(&difference_found.in_words())?;
    Ok(ExitCode::FAILURE)
}

impl FirstDifference {
    fn in_words(&self) -> String {
        let what = self.difference.as_deref().unwrap_or("bookkeeping of islands");
        let mut text = format!("they part in step {}: {what}\n", self.step);
        text += &match &self.calls {
            Some((step, [first, second])) => {
                format!("the calls part before step {step}:\n  {first}\n  {second}\n")
            }
            None => "the calls up to there are the same\n".to_string(),
        };
        text
    }
}

/// Plays a recording and keeps the last result of each step.
fn steps_of<W: Replayed>(recording: &RecordingOf<W>, pool: &Pool) -> Result<Steps, Failure> {
    let mut player = recording.player()?;
    let mut steps = Steps::new();
    let bar = bar(recording.steps(), "steps");
    let mut calls = Vec::new();
    loop {
        let mut hasher = DefaultHasher::new();
        calls
            .iter()
            .for_each(|call| format!("{call:?}").hash(&mut hasher));
        let result = StepResult {
            played: player.steps(),
            state: player.world().recorded_hash(),
            calls: hasher.finish(),
        };
        steps.insert(player.world().bodies().step_index(), result);
        let (next, goes_on) = play_step(&mut player, pool)?;
        if !goes_on {
            bar.finish_and_clear();
            return Ok(steps);
        }
        calls = next;
        bar.inc(1);
    }
}

/// The first step with different results.
fn find<W: Replayed>(
    recordings: [&RecordingOf<W>; 2],
    tracks: &[Steps; 2],
    pool: &Pool,
) -> Result<Option<FirstDifference>, Failure> {
    let common = || {
        let pairs = tracks[0]
            .iter()
            .map(|(step, one)| (*step, one, tracks[1].get(step)));
        pairs.filter_map(|(step, one, two)| Some((step, [one, two?])))
    };
    let Some((step, result)) = common().find(|(_, [one, two])| one.state != two.state) else {
        return Ok(None);
    };
    let players = [
        recordings[0].player_at(result[0].played, pool)?,
        recordings[1].player_at(result[1].played, pool)?,
    ];
    let difference = players[0].world().difference(players[1].world());
    let mut calls = None;
    let other_calls = common().find(|(at, [one, two])| *at <= step && one.calls != two.calls);
    if let Some((at, [one, two])) = other_calls {
        let [one, two] = [
            calls_before(recordings[0], one.played, pool)?,
            calls_before(recordings[1], two.played, pool)?,
        ];
        let place = (0..one.len().max(two.len())).find(|place| one.get(*place) != two.get(*place));
        calls = place.map(|place| {
            let show = |calls: &[W::Call]| {
                calls
                    .get(place)
                    .map_or("no call".to_string(), |call| format!("{call:?}"))
            };
            (at, [show(&one), show(&two)])
        });
    }
    Ok(Some(FirstDifference {
        step,
        difference,
        calls,
    }))
}

/// The calls before a step, by its place in the recording.
fn calls_before<W: Replayed>(
    recording: &RecordingOf<W>,
    played: u64,
    pool: &Pool,
) -> Result<Vec<W::Call>, Failure> {
    let mut player = recording.player_at(played.saturating_sub(1), pool)?;
    Ok(play_step(&mut player, pool)?.0)
}

/// Plays up to the end of the next step; returns the calls before it, and whether there was a step.
fn play_step<W: Replayed>(
    player: &mut PlayerOf<'_, W>,
    pool: &Pool,
) -> Result<(Vec<W::Call>, bool), Failure> {
    let mut calls = Vec::new();
    while let Some(call) = player.next_call()? {
        let is_step = call.role() == CallRole::Step;
        match call.role() {
            CallRole::StateHash(_) | CallRole::Frame(_) => {}
            // The calls before it were undone.
            CallRole::RestoreFrame(_) | CallRole::Restore(_) => calls.clear(),
            CallRole::Call | CallRole::Step => calls.push(call.clone()),
        }
        player.play(call, pool)?;
        if is_step {
            return Ok((calls, true));
        }
    }
    Ok((calls, false))
}
