//! The calls of the stage `scripts`: each script's timers and its tick, on a copy of what the script remembers, so that
//! scripts can be called on several threads.
//!
//! All scripts read the world as it was when the stage began, and nothing that a call does reaches it before the calls of
//! all have ended. So the calls of a script depend on those of others in two ways only: by the limits of the stage, and by
//! what they ask for [in turn](super::in_call::in_turn). First all workers call what they can, until the operations of the
//! stage are used up; then one thread goes through the scripts in their order, takes what was called, as far as the limits
//! go, and calls the others.

use core::sync::atomic::{AtomicU64, Ordering};
use std::sync::Arc;

use rhai::Dynamic;
use tombolo_entity::{Entity, InstanceId, Kept};
use tombolo_threads::{Executor, parallel_chunks};

use super::call::{CallMemory, Called, DueCall, Remembered};
use super::context::{BorrowedWorld, with_context};
use super::handler::Handler;
use super::language::Language;
use super::program::{Program, ScriptError};
use super::progress::{Progress, put_out};
use super::queued::Queued;
use super::scripts::{Scripts, script_in};
use super::trace::GraphNotes;
use super::turns::Turn;
use super::values::NewState;
use crate::component::Script;
use crate::world::World;

/// The scripts that a worker takes at a time.
const SCRIPTS_PER_BLOCK: usize = 16;

/// The calls of a script in the stage.
pub(super) struct ScriptTick {
    entity: Entity,
    instance: InstanceId,
    /// The parsed script; `None` if the component has none, or the reason why it cannot be parsed.
    program: Result<Option<Arc<Program>>, ScriptError>,
    /// `None` before the calls.
    done: Option<Ticked>,
}

/// What a script's calls in a stage led to.
#[derive(Default)]
struct Ticked {
    /// What the script remembers; `None` if nothing has changed it.
    remembered: Option<Remembered>,
    /// Whether its start was handled in this stage.
    has_started: bool,
    /// The error that disables it.
    error: Option<ScriptError>,
    /// Whether a function of it was called.
    was_called: bool,
    operations: u64,
    commands: Vec<Queued>,
    printed: Vec<Box<str>>,
    notes: Vec<GraphNotes>,
}

/// The ticks of scripts in the order of `owners`.
pub(super) fn ticks_of(world: &mut World, owners: Vec<(Entity, InstanceId)>) -> Vec<ScriptTick> {
    world.forget_unused_texts();
    let mut last: Option<(Box<str>, Arc<Program>)> = None;
    let tick = |(entity, instance)| {
        let World {
            entities, scripts, ..
        } = &mut *world;
        let script = script_in(entities, entity, instance);
        let program = script.map_or(Ok(None), |script| program_of(scripts, script, &mut last));
        ScriptTick {
            entity,
            instance,
            program,
            done: None,
        }
    };
    owners.into_iter().map(tick).collect()
}

/// The parsed script of a component. Neighbors often have the same.
fn program_of(
    scripts: &mut Kept<Scripts>,
    script: &Script,
    last: &mut Option<(Box<str>, Arc<Program>)>,
) -> Result<Option<Arc<Program>>, ScriptError> {
    if let Some((_, program)) = last
        .as_ref()
        .filter(|(name, _)| !name.is_empty() && *name == script.name)
    {
        return Ok(Some(program.clone()));
    }
    // The texts are a cache, so frames need no new copy.
    let found = Kept::cache_mut(scripts).find(script)?;
    *last = found.clone().map(|program| (script.name.clone(), program));
    Ok(found)
}

/// Calls scripts on all workers, until the operations of the stage are used up. What is not called, or has to wait, is left
/// to [`call_in_turn`].
pub(super) fn call_ahead(
    world: &BorrowedWorld<'_>,
    language: &Language,
    ticks: &mut [ScriptTick],
    seconds: f64,
    executor: &dyn Executor,
) {
    if executor.worker_count() <= 1 || ticks.len() <= SCRIPTS_PER_BLOCK {
        return;
    }
    let most = u64::from(language.limits().operations_per_step);
    let spent = AtomicU64::new(0);
    parallel_chunks(executor, ticks, SCRIPTS_PER_BLOCK, &|_, _, ticks| {
        let Some(_shared) = world.share() else { return };
        for tick in ticks {
            // How far ahead workers get decides nothing: it only saves calls that the limits leave out.
            if spent.load(Ordering::Relaxed) >= most {
                return;
            }
            if tick.waits() {
                continue;
            }
            tick.done = tick.call(language, seconds);
            let operations = tick.done.as_ref().map_or(0, |done| done.operations);
            spent.fetch_add(operations, Ordering::Relaxed);
            if let (None, Ok(Some(program))) = (&tick.done, &tick.program) {
                program.waits.store(true, Ordering::Relaxed);
            }
        }
    });
}

/// Goes through the scripts in their order, on a thread that has the world alone, and calls those that were not called yet.
pub(super) fn call_in_turn(progress: &mut Progress, ticks: &mut [ScriptTick], seconds: f64) {
    for tick in ticks {
        let turn = Turn::of(tick.entity, tick.instance);
        if progress.is_over() {
            progress.left_out.add(turn);
            tick.done = None;
            continue;
        }
        if tick.done.is_none() {
            tick.done = tick.call(&progress.language, seconds);
        }
        let Some(done) = &mut tick.done else { continue };
        if done.was_called {
            progress.serve(turn, done.operations);
        }
        progress.queue.append(&mut done.commands);
        if let Ok(Some(program)) = &tick.program {
            put_out(program, std::mem::take(&mut done.printed), done.notes.drain(..));
        }
    }
}

/// Stores what the scripts remember, and disables those that failed.
pub(super) fn store(world: &mut World, ticks: Vec<ScriptTick>) {
    for tick in ticks {
        let Some(done) = tick.done else { continue };
        let (entity, instance) = (tick.entity, tick.instance);
        if done.has_started
            && let Some(script) = world.script_mut(entity, instance)
        {
            script.started = true;
        }
        if let Some(remembered) = done.remembered {
            world.remember(entity, instance, remembered);
        }
        if let Some(error) = done.error {
            world.disable_script(entity, instance, &error);
        }
    }
}

impl ScriptTick {
    /// Whether the script's calls ask for what has to wait, as earlier calls of it did.
    fn waits(&self) -> bool {
        let program = self.program.as_ref().ok().and_then(Option::as_ref);
        program.is_some_and(|program| program.waits.load(Ordering::Relaxed))
    }

    /// Makes the script's calls: its start, if that is new, the timers that have run out, and the tick. `None` if one of
    /// them has to wait.
    fn call(&self, language: &Language, seconds: f64) -> Option<Ticked> {
        let mut done = Ticked::default();
        let begun = with_context(|script_context| {
            let script = script_context.world.script_of(self.entity, self.instance)?;
            let has_timers = !script.timers.is_empty();
            let remembered = has_timers.then(|| Remembered {
                state: NewState::Whole(script.state.clone()),
                timers: script.timers.clone(),
            });
            Some((script.started, remembered))
        });
        let (is_started, remembered) = begun.flatten()?;
        let has_timers = remembered.is_some();
        done.remembered = remembered;
        // First, so that a timer counts from the step after the one in which it is set.
        if let Some(Remembered { timers, .. }) = &mut done.remembered {
            timers.iter_mut().for_each(|timer| timer.left -= 1);
        }
        if !is_started {
            self.make(Handler::Spawn, Vec::new(), language, &mut done)?;
            // A call that fails has no effect, so that the script has not started then: it does when it is enabled again.
            done.has_started = done.error.is_none();
        }
        // One by one: a call may stop or set the timers behind it.
        while has_timers && let Some(timer) = done.remembered.as_mut().and_then(next_due) {
            let name = String::from(&*timer).into();
            self.make(Handler::Timer, vec![name], language, &mut done)?;
        }
        self.make(
            Handler::Tick,
            vec![Dynamic::from_float(seconds)],
            language,
            &mut done,
        )?;
        Some(done)
    }

    /// Makes a call, if the script has not failed and handles the event. `None` if it has to wait.
    fn make(
        &self,
        handler: Handler,
        given: Vec<Dynamic>,
        language: &Language,
        done: &mut Ticked,
    ) -> Option<()> {
        let program = match &self.program {
            Ok(Some(program)) if done.error.is_none() && program.handles(handler) => program,
            Ok(_) => return Some(()),
            Err(error) => {
                done.error = Some(error.clone());
                return Some(());
            }
        };
        let memory = match &mut done.remembered {
            Some(Remembered { state, timers }) => CallMemory::of(state.whole(), timers),
            None => with_context(|script_context| {
                let script = script_context.world.script_of(self.entity, self.instance)?;
                Some(CallMemory::of_script(script))
            })
            .flatten()?,
        };
        let call = DueCall {
            entity: self.entity,
            instance: self.instance,
            program,
            handler,
            given,
        };
        let Called {
            remembered,
            operations,
            commands,
            printed,
            notes,
        } = call.run(language, memory)?;
        match remembered {
            Ok(remembered) => done.remembered = Some(remembered),
            Err(error) => done.error = Some(error),
        }
        done.was_called = true;
        done.operations += operations;
        join(&mut done.commands, commands);
        join(&mut done.printed, printed);
        done.notes.extend(notes);
        Some(())
    }
}

/// Takes the first timer that has run out, in the order in which they were set: it begins again, or ends.
fn next_due(Remembered { timers, .. }: &mut Remembered) -> Option<Arc<str>> {
    let place = timers.iter().position(|timer| timer.left == 0)?;
    let timer = &mut timers[place];
    timer.left = timer.period;
    let name = timer.name.clone();
    if timer.period == 0 {
        timers.remove(place);
    }
    Some(name)
}

/// Adds a list to another, which most often is empty.
fn join<T>(all: &mut Vec<T>, mut more: Vec<T>) {
    if all.is_empty() {
        *all = more;
    } else {
        all.append(&mut more);
    }
}
