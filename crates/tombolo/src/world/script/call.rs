//! Makes one call of a script: its state is converted for the call and back, and charged. `ticks.rs` and `progress.rs` use
//! it.

use std::sync::Arc;

use rhai::Dynamic;
use tombolo_entity::{Entity, InstanceId};

use super::context::{Call, with_context};
use super::handler::Handler;
use super::language::Language;
use super::program::{Program, ScriptError, line_of};
use super::queued::Queued;
use super::trace::{self, GraphNotes};
use super::values::{self, NewState};
use crate::component::{Data, Script, Timer};

/// Operations for the beginning of a call.
const CALL_COST: u64 = 20;
/// Operations for each value of the state: it is converted to a script's value and back.
const REMEMBERED_COST: u64 = 4;
/// The bytes of strings in the state for an operation.
const REMEMBERED_BYTES: usize = 64;

/// A call to make.
pub(super) struct DueCall<'p> {
    pub(super) entity: Entity,
    pub(super) instance: InstanceId,
    pub(super) program: &'p Program,
    pub(super) handler: Handler,
    pub(super) given: Vec<Dynamic>,
}

/// The state and the timers of a script, which a call changes.
pub(super) struct Remembered {
    pub(super) state: NewState,
    pub(super) timers: Vec<Timer>,
}

/// What a call led to. None of it has reached the world.
pub(super) struct Called {
    /// What the script remembers after it.
    pub(super) remembered: Result<Remembered, ScriptError>,
    /// Its operations, with those for the call itself.
    pub(super) operations: u64,
    /// The commands that it issued; none if it failed.
    pub(super) commands: Vec<Queued>,
    pub(super) printed: Vec<Box<str>>,
    pub(super) notes: Option<GraphNotes>,
}

/// A script's state for a call.
pub(super) struct CallMemory {
    state: Arc<Data>,
    this: Dynamic,
    timers: Vec<Timer>,
    /// Operations for converting it.
    cost: u64,
}

impl CallMemory {
    pub(super) fn of(state: &Arc<Data>, timers: &[Timer]) -> Self {
        Self {
            state: state.clone(),
            this: values::recalled(state),
            timers: timers.to_vec(),
            cost: cost_of(state, timers),
        }
    }

    pub(super) fn of_script(script: &Script) -> Self {
        Self::of(&script.state, &script.timers)
    }
}

/// Operations for converting a script's state for a call and back.
fn cost_of(state: &Data, timers: &[Timer]) -> u64 {
    let (count, _) = state.size();
    let names: usize = timers.iter().map(|timer| timer.name.len()).sum();
    count as u64 * REMEMBERED_COST + ((state.text_bytes() + names) / REMEMBERED_BYTES) as u64
}

impl DueCall<'_> {
    /// Calls the script with the world of this thread's context. A call that fails has no effect but its message, and
    /// draws no random numbers. `None` if it has to wait for its turn; then it has no effect at all.
    pub(super) fn run(self, language: &Language, memory: CallMemory) -> Option<Called> {
        let CallMemory {
            state: before_call,
            mut this,
            timers,
            cost,
        } = memory;
        let Self {
            entity,
            instance,
            program,
            handler,
            given,
        } = self;
        let before = with_context(|script_context| {
            if program.is_graph && script_context.world.scripts.traces.is_some() {
                trace::begin(handler, &given);
            }
            script_context.call = Some(Call {
                me: entity,
                instance,
                timers,
                commands: Vec::new(),
                spawns: 0,
                printed: Vec::new(),
                has_to_wait: false,
            });
            script_context.world.random
        });
        let (done, operations) = language.limited(|engine| program.call(engine, handler, &mut this, given));
        let notes = trace::end(done.is_err());
        let state = match done {
            Ok(()) => {
                values::remembered(&this, before_call).map_err(|message| ScriptError::new(None, message))
            }
            Err(mut error) => Err(ScriptError::of_call(&mut error, language.limits())),
        };
        if let Ok(NewState::Values(..)) = state {
            values::keep_map(this);
        }
        let call = with_context(|script_context| {
            if let (Err(_), Some(before), Some(world)) = (&state, before, script_context.world_mut()) {
                world.random = before;
            }
            script_context.call.take()
        });
        // A world is there, or there would have been no script to call.
        let mut call = call.flatten()?;
        if call.has_to_wait {
            return None;
        }
        if state.is_err() {
            call.commands.clear();
        }
        let remembered = state
            .map(|state| Remembered {
                state,
                timers: call.timers,
            })
            .map_err(|error| in_text(error, &program.text, handler.signature().0));
        Some(Called {
            remembered,
            operations: CALL_COST + cost + operations,
            commands: call.commands,
            printed: call.printed,
            notes,
        })
    }
}

/// An error of a handler in the text of its script. The language does not report where a limit was exceeded; then the handler's
/// line is used.
fn in_text(error: ScriptError, text: &str, handler: &str) -> ScriptError {
    let line = error.line.or_else(|| line_of(text, handler));
    ScriptError { line, ..error }.in_script(text)
}
