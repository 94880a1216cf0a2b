//! Makes the calls of a stage: the script's state is converted for a call and back, and charged. `stages.rs` uses it.

use rhai::Dynamic;
use tombolo_entity::{Entity, InstanceId, Kept};

use super::context::{Call, with_context};
use super::handler::Handler;
use super::language::Language;
use super::program::{Program, ScriptError, line_of};
use super::queued::Queued;
use super::scripts::Ended;
use super::trace;
use super::turns::{LeftOut, Turn};
use super::values;
use crate::component::{Data, Script, Timer};

/// Operations for the beginning of a call.
const CALL_COST: u64 = 20;
/// Operations for each value of the state: it is converted to a script's value and back.
const REMEMBERED_COST: u64 = 4;
/// The bytes of strings in the state for an operation.
const REMEMBERED_BYTES: usize = 64;

/// One call to make.
pub(super) struct PendingCall {
    pub(super) entity: Entity,
    pub(super) instance: InstanceId,
    pub(super) handler: Handler,
    pub(super) given: Vec<Dynamic>,
    /// For a script whose entity has ended: its index in the list of those.
    pub(super) ended: Option<usize>,
}

/// The results of the calls of one stage.
pub(super) struct Progress {
    pub(super) language: Language,
    pub(super) queue: Vec<Queued>,
    pub(super) operations: u64,
    pub(super) left_out: LeftOut,
}

impl PendingCall {
    pub(super) fn new(entity: Entity, instance: InstanceId, handler: Handler, given: Vec<Dynamic>) -> Self {
        Self {
            entity,
            instance,
            handler,
            given,
            ended: None,
        }
    }
}

impl Progress {
    /// Whether the operations of the stage are used up.
    pub(super) fn is_over(&self) -> bool {
        self.operations >= u64::from(self.language.limits().operations_per_step)
    }

    /// Calls a script's handler of the start, if that was not called yet. A call that fails has no effect, so that the
    /// script has not started then: it does when it is enabled again.
    pub(super) fn start(&mut self, entity: Entity, instance: InstanceId) {
        let is_new = with_context(|script_context| {
            let world = &mut script_context.world;
            if world.script_of(entity, instance)?.started {
                return None;
            }
            world.script_mut(entity, instance)?.started = true;
            Some(())
        });
        if is_new.flatten().is_some() {
            self.call(PendingCall::new(entity, instance, Handler::Spawn, Vec::new()));
            with_context(|script_context| {
                if let Some(script) = script_context.world.script_mut(entity, instance) {
                    script.started = script.enabled;
                }
            });
        }
    }

    /// Makes a call, if the script is enabled and handles the event, and stores its results.
    pub(super) fn call(&mut self, due: PendingCall) {
        let prepared = with_context(|script_context| {
            let program = script_context.world.program(due.entity, due.instance)?;
            let script = script_context.world.script_of(due.entity, due.instance)?;
            let handles = program.handles(due.handler);
            handles.then(|| (program, CallMemory::of(script)))
        });
        let Some((program, memory)) = prepared.flatten() else {
            return;
        };
        let (entity, instance) = (due.entity, due.instance);
        let done = self.run(due, &program, memory);
        with_context(|script_context| match done {
            Ok((state, timers)) => {
                let world = &mut script_context.world;
                // What a call left as it was is left to frames, too.
                let is_same = |script: &Script| script.state == state && script.timers == timers;
                if !world.script_of(entity, instance).is_some_and(is_same)
                    && let Some(script) = world.script_mut(entity, instance)
                {
                    (script.state, script.timers) = (state, timers);
                }
            }
            Err(error) => script_context.world.disable_script(entity, instance, &error),
        });
    }

    /// Makes the last call of a script whose entity has ended.
    pub(super) fn call_ended(&mut self, due: PendingCall, ended: &Ended) {
        let program =
            with_context(|script_context| script_context.world.find_program(&ended.script).ok().flatten());
        let Some(program) = program.flatten() else {
            return;
        };
        if let Err(error) = self.run(due, &program, CallMemory::of(&ended.script)) {
            with_context(|script_context| {
                script_context
                    .world
                    .note_script_fault(&ended.label, ended.instance, &error)
            });
        }
    }

    /// Runs a handler; returns the script's state after it.
    fn run(
        &mut self,
        due: PendingCall,
        program: &Program,
        memory: CallMemory,
    ) -> Result<(Data, Vec<Timer>), ScriptError> {
        let CallMemory {
            mut this,
            timers,
            cost,
        } = memory;
        let turn = Turn::of(due.entity, due.instance);
        let before = with_context(|script_context| {
            if program.is_graph && script_context.world.scripts.traces.is_some() {
                trace::begin(due.handler, &due.given);
            }
            script_context.call = Some(Call {
                me: due.entity,
                instance: due.instance,
                timers,
                commands: Vec::new(),
                spawns: 0,
                printed: Vec::new(),
            });
            script_context.world.random
        });
        let (name, _) = due.handler.signature();
        let (done, operations) = self
            .language
            .limited(|engine| program.call(engine, due.handler, &mut this, due.given));
        let notes = trace::end(done.is_err());
        self.operations += CALL_COST + cost + operations;
        self.left_out.serve(turn);
        let state = match done {
            Ok(_) => values::remembered(&this).map_err(|message| ScriptError::new(None, message)),
            Err(mut error) => Err(ScriptError::of_call(&mut error, self.language.limits())),
        };
        // The language does not report where a limit was exceeded; then the handler's line is used.
        let state = state.map_err(|error| {
            let line = error.line.or_else(|| line_of(&program.text, name));
            ScriptError { line, ..error }.in_script(&program.text)
        });
        let call = with_context(|script_context| {
            let call = script_context.call.take();
            if let Some(notes) = notes {
                Kept::cache_mut(&mut script_context.world.scripts).add_trace(program, notes);
            }
            if let (Err(_), Some(before)) = (&state, before) {
                script_context.world.random = before;
            }
            let printed = call.as_ref().map_or(&[][..], |call| &call.printed);
            let scripts = Kept::cache_mut(&mut script_context.world.scripts);
            scripts.printed.extend(printed.iter().cloned());
            call
        });
        let (Some(call), state) = (call.flatten(), state?) else {
            return Err(ScriptError::new(None, "the world is gone"));
        };
        self.queue.extend(call.commands);
        Ok((state, call.timers))
    }
}

/// The state of a script for a call.
struct CallMemory {
    this: Dynamic,
    timers: Vec<Timer>,
    /// Operations for converting it.
    cost: u64,
}

impl CallMemory {
    fn of(script: &Script) -> Self {
        Self {
            this: values::recalled(&script.state),
            timers: script.timers.clone(),
            cost: cost_of(script),
        }
    }
}

/// Operations for converting a script's state for a call and back.
fn cost_of(script: &Script) -> u64 {
    let (count, _) = script.state.size();
    let names: usize = script.timers.iter().map(|timer| timer.name.len()).sum();
    count as u64 * REMEMBERED_COST + ((script.state.text_bytes() + names) / REMEMBERED_BYTES) as u64
}
