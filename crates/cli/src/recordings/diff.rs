//! `tombolo diff`: plays two recordings and says in which step of the world they part.
//!
//! What is compared is what each step of a world came to in the end: a game that rolls back makes some steps several times, each peer
//! others, and only the last time counts.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::process::ExitCode;

use tombolo::entity::Entity;
use tombolo::physics::{Call, Difference, Player, Recording};
use tombolo::threads::Pool;

use super::file::{bar, open};
use crate::arguments::DiffArguments;
use crate::output::{Failure, counted, say};

/// How a step was made the last time.
struct Made {
    /// After how many steps of the recording.
    played: u64,
    state: u64,
    /// Of the calls before it.
    calls: u64,
}

/// The steps of a world by their index; the first is the world that the recording begins with.
type Steps = BTreeMap<u64, Made>;

/// Where two runs part.
struct Parting {
    step: u64,
    difference: Option<Difference>,
    /// The first calls that they do not have in common, and the step that they come before.
    calls: Option<(u64, [String; 2])>,
}

/// Plays two recordings and compares them.
///
/// # Errors
/// One cannot be read or played.
pub(crate) fn diff(options: &DiffArguments) -> Result<ExitCode, Failure> {
    let recordings = [open(&options.first)?, open(&options.second)?];
    let pool = Pool::new(options.threads)?;
    let tracks = [steps_of(&recordings[0], &pool)?, steps_of(&recordings[1], &pool)?];
    let common = tracks[0]
        .keys()
        .filter(|step| tracks[1].contains_key(step))
        .count();
    if common == 0 {
        return Err(Failure(
            "the recordings have no step of the world in common".to_string(),
        ));
    }
    let Some(parting) = find(&recordings, &tracks, &pool)? else {
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
    say(&parting.in_words())?;
    Ok(ExitCode::FAILURE)
}

impl Parting {
    fn in_words(&self) -> String {
        let what = self
            .difference
            .as_ref()
            .map_or("bookkeeping of islands".to_string(), Difference::to_string);
        let mut text = format!("they part in step {}: {what}\n", self.step);
        let property = self
            .difference
            .as_ref()
            .and_then(|difference| difference.property.as_ref());
        if let Some(entity) = property.and_then(|property| Entity::from_bits(property.body?.1)) {
            let (index, generation) = (entity.index(), entity.generation());
            text += &format!("in a world of entities that is entity {index}v{generation}\n");
        }
        text += &match &self.calls {
            Some((step, [first, second])) => {
                format!("the calls part before step {step}:\n  {first}\n  {second}\n")
            }
            None => "the calls up to there are the same\n".to_string(),
        };
        text
    }
}

/// Plays a recording and notes what each step came to.
fn steps_of(recording: &Recording, pool: &Pool) -> Result<Steps, Failure> {
    let mut player = recording.player()?;
    let mut steps = Steps::new();
    let bar = bar(recording.steps(), "steps");
    let mut calls = Vec::new();
    loop {
        let mut hasher = DefaultHasher::new();
        calls
            .iter()
            .for_each(|call| format!("{call:?}").hash(&mut hasher));
        let made = Made {
            played: player.steps(),
            state: player.world().state_hash(),
            calls: hasher.finish(),
        };
        steps.insert(player.world().step_index(), made);
        let (next, goes_on) = play_step(&mut player, pool)?;
        if !goes_on {
            bar.finish_and_clear();
            return Ok(steps);
        }
        calls = next;
        bar.inc(1);
    }
}

/// The first step that came to something else.
fn find(recordings: &[Recording; 2], tracks: &[Steps; 2], pool: &Pool) -> Result<Option<Parting>, Failure> {
    let common = || {
        let pairs = tracks[0]
            .iter()
            .map(|(step, one)| (*step, one, tracks[1].get(step)));
        pairs.filter_map(|(step, one, two)| Some((step, [one, two?])))
    };
    let Some((step, made)) = common().find(|(_, [one, two])| one.state != two.state) else {
        return Ok(None);
    };
    let players = [
        recordings[0].player_at(made[0].played, pool)?,
        recordings[1].player_at(made[1].played, pool)?,
    ];
    let difference = players[0].world().first_difference(players[1].world());
    let mut calls = None;
    let other_calls = common().find(|(at, [one, two])| *at <= step && one.calls != two.calls);
    if let Some((at, [one, two])) = other_calls {
        let [one, two] = [
            calls_before(&recordings[0], one.played, pool)?,
            calls_before(&recordings[1], two.played, pool)?,
        ];
        let place = (0..one.len().max(two.len())).find(|place| one.get(*place) != two.get(*place));
        calls = place.map(|place| {
            let show = |calls: &[Call]| {
                calls
                    .get(place)
                    .map_or("no call".to_string(), |call| format!("{call:?}"))
            };
            (at, [show(&one), show(&two)])
        });
    }
    Ok(Some(Parting {
        step,
        difference,
        calls,
    }))
}

/// The calls of a step, by its place in the recording.
fn calls_before(recording: &Recording, played: u64, pool: &Pool) -> Result<Vec<Call>, Failure> {
    let mut player = recording.player_at(played.saturating_sub(1), pool)?;
    Ok(play_step(&mut player, pool)?.0)
}

/// Plays up to the end of the next step: the calls that led to it, and whether there was a step.
fn play_step(player: &mut Player<'_>, pool: &Pool) -> Result<(Vec<Call>, bool), Failure> {
    let mut calls = Vec::new();
    while let Some(call) = player.next_call()? {
        let is_step = matches!(call, Call::Step { .. });
        match &call {
            Call::StateHash { .. } | Call::Frame { .. } => {}
            // What came before was taken back.
            Call::RestoreFrame { .. } | Call::Restore { .. } => calls.clear(),
            other => calls.push(other.clone()),
        }
        player.play(call, pool)?;
        if is_step {
            return Ok((calls, true));
        }
    }
    Ok((calls, false))
}
