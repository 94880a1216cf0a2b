//! The results of a stage's calls, and the calls that are made one after the other. `stages.rs` uses it.

use std::sync::Arc;

use rhai::Dynamic;
use tombolo_entity::{Entity, InstanceId, Kept};

use super::call::{CallMemory, Called, DueCall, Remembered};
use super::context::with_context;
use super::handler::Handler;
use super::language::Language;
use super::program::{Program, ScriptError};
use super::queued::Queued;
use super::scripts::Ended;
use super::trace::GraphNotes;
use super::turns::{LeftOut, Turn};

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
    pub(super) fn new(language: Language) -> Self {
        Self {
            language,
            queue: Vec::new(),
            operations: 0,
            left_out: LeftOut::default(),
        }
    }

    /// Whether the operations of the stage are used up.
    pub(super) fn is_over(&self) -> bool {
        self.operations >= u64::from(self.language.limits().operations_per_step)
    }

    /// Calls new scripts, and then the handlers of events. Those of scripts whose entities have ended are in `ended`.
    pub(super) fn call_handlers(
        &mut self,
        new: &[(Entity, InstanceId)],
        due: Vec<PendingCall>,
        ended: &[Ended],
    ) {
        for &(entity, instance) in new {
            if !self.is_over() {
                self.start(entity, instance);
            }
        }
        for due in due {
            if self.is_over() {
                let is_handled =
                    with_context(|script_context| Some(script_context.world_mut()?.is_handled(&due, ended)));
                if is_handled.flatten() == Some(true) {
                    self.left_out.add(Turn::of(due.entity, due.instance));
                }
                continue;
            }
            match due.ended {
                Some(place) => self.call_ended(due, &ended[place]),
                None => self.call(due),
            }
        }
    }

    /// Calls a script's handler of the start, if that was not called yet. A call that fails has no effect, so that the
    /// script has not started then: it does when it is enabled again.
    pub(super) fn start(&mut self, entity: Entity, instance: InstanceId) {
        let is_new = with_context(|script_context| {
            if script_context.world.script_of(entity, instance)?.started {
                return None;
            }
            script_context.world_mut()?.script_mut(entity, instance)?.started = true;
            Some(())
        });
        if is_new.flatten().is_some() {
            self.call(PendingCall::new(entity, instance, Handler::Spawn, Vec::new()));
            with_context(|script_context| {
                let script = script_context.world_mut()?.script_mut(entity, instance)?;
                script.started = script.enabled;
                Some(())
            });
        }
    }

    /// Makes a call, if the script is enabled and handles the event, and stores its results.
    pub(super) fn call(&mut self, due: PendingCall) {
        let prepared = with_context(|script_context| {
            let world = script_context.world_mut()?;
            let program = world.program(due.entity, due.instance)?;
            let script = world.script_of(due.entity, due.instance)?;
            let handles = program.handles(due.handler);
            handles.then(|| (program, CallMemory::of_script(script)))
        });
        let Some((program, memory)) = prepared.flatten() else {
            return;
        };
        let (entity, instance) = (due.entity, due.instance);
        let Some(done) = self.run(due, &program, memory) else {
            return;
        };
        with_context(|script_context| {
            let world = script_context.world_mut()?;
            match done {
                Ok(remembered) => world.remember(entity, instance, remembered),
                Err(error) => world.disable_script(entity, instance, &error),
            }
            Some(())
        });
    }

    /// Makes the last call of a script whose entity has ended.
    pub(super) fn call_ended(&mut self, due: PendingCall, ended: &Ended) {
        let program = with_context(|script_context| {
            script_context
                .world_mut()?
                .find_program(&ended.script)
                .ok()
                .flatten()
        });
        let Some(program) = program.flatten() else {
            return;
        };
        if let Some(Err(error)) = self.run(due, &program, CallMemory::of_script(&ended.script)) {
            with_context(|script_context| {
                let world = script_context.world_mut()?;
                world.note_script_fault(&ended.label, ended.instance, &error);
                Some(())
            });
        }
    }

    /// Runs a handler; returns what the script remembers after it.
    fn run(
        &mut self,
        due: PendingCall,
        program: &Arc<Program>,
        memory: CallMemory,
    ) -> Option<Result<Remembered, ScriptError>> {
        let turn = Turn::of(due.entity, due.instance);
        let call = DueCall {
            entity: due.entity,
            instance: due.instance,
            program,
            handler: due.handler,
            given: due.given,
        };
        let Called {
            remembered,
            operations,
            commands,
            printed,
            notes,
        } = call.run(&self.language, memory)?;
        self.serve(turn, operations);
        self.queue.extend(commands);
        put_out(program, printed, notes);
        Some(remembered)
    }

    /// Counts the operations of a script that was called.
    pub(super) fn serve(&mut self, turn: Turn, operations: u64) {
        self.operations += operations;
        self.left_out.serve(turn);
    }
}

/// Adds what a call has printed, and the notes of a traced one, to the world in the context.
pub(super) fn put_out(
    program: &Program,
    printed: Vec<Box<str>>,
    notes: impl IntoIterator<Item = GraphNotes>,
) {
    let mut notes = notes.into_iter().peekable();
    if printed.is_empty() && notes.peek().is_none() {
        return;
    }
    with_context(|script_context| {
        // No part of the state, so frames need no new copy.
        let scripts = Kept::cache_mut(&mut script_context.world_mut()?.scripts);
        let room = scripts.limits().printed_lines as usize;
        let room = room.saturating_sub(scripts.printed.len());
        scripts.printed.extend(printed.into_iter().take(room));
        notes.for_each(|notes| scripts.add_trace(program, notes));
        Some(())
    });
}
