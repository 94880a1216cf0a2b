//! The access of script functions to the running call: its world, and the commands that it issues.

use rhai::{Array, Dynamic, EvalAltResult, NativeCallContext, Position};

use super::context::{Call, ScriptContext, with_context};
use super::meter::charge;
use super::queued::Queued;
use crate::world::World;
use crate::world::command::Command;

pub(super) type Result<T> = core::result::Result<T, Box<EvalAltResult>>;

/// Operations for a command.
const COMMAND_COST: usize = 10;
/// Operations for a ray or a query, besides one for each result.
pub(super) const QUERY_COST: usize = 50;

/// Runs `work` with the world and the running call.
pub(super) fn in_call<R>(
    work: impl FnOnce(&World, &mut Call) -> core::result::Result<R, String>,
) -> Result<R> {
    let done = with_context(|ScriptContext { world, call, .. }| call.as_mut().map(|call| work(world, call)));
    match done.flatten() {
        Some(done) => Ok(done?),
        None => Err(no_world()),
    }
}

/// Runs `work` with the world for what later calls of the stage depend on, such as random numbers: in their order, one
/// after the other. A call that runs beside others ends here, and is made again when it is its turn.
pub(super) fn in_turn<R>(work: impl FnOnce(&mut World) -> core::result::Result<R, String>) -> Result<R> {
    let done = with_context(|script_context| {
        script_context.call.as_ref()?;
        if let Some(world) = script_context.world_mut() {
            return Some(work(world).map_err(Into::into));
        }
        let call = script_context.call.as_mut()?;
        call.has_to_wait = true;
        // It cannot be caught.
        Some(Err(
            EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE).into()
        ))
    });
    done.flatten().unwrap_or_else(|| Err(no_world()))
}

fn no_world() -> Box<EvalAltResult> {
    "there is a world only while an event is handled; move this into a function".into()
}

/// A command, and properties of the entity that it spawns.
pub(super) type QueuedCommand = (Command, Vec<(Box<str>, Dynamic)>);

/// Queues a command.
pub(super) fn queue_command(
    context: &NativeCallContext<'_>,
    command: impl FnOnce(&World) -> core::result::Result<Command, String>,
) -> Result<()> {
    queue_spawn(context, |world| Ok((command(world)?, Vec::new())))
}

/// Queues a command, and properties of the entity that it spawns.
pub(super) fn queue_spawn(
    context: &NativeCallContext<'_>,
    command: impl FnOnce(&World) -> core::result::Result<QueuedCommand, String>,
) -> Result<()> {
    charge(COMMAND_COST)?;
    let line = context.call_position().line();
    in_call(|world, call| {
        let limits = world.scripts.limits();
        if call.commands.len() >= limits.changes_per_call as usize {
            return Err(format!(
                "asked for more than {} changes in one call",
                limits.changes_per_call
            ));
        }
        let (command, properties) = command(world)?;
        if let Command::Spawn(_) = command {
            call.spawns += 1;
            if call.spawns > limits.spawns_per_call {
                return Err(format!(
                    "spawned more than {} entities in one call",
                    limits.spawns_per_call
                ));
            }
        }
        call.commands.push(Queued {
            entity: call.me,
            instance: call.instance,
            line,
            command,
            properties,
        });
        Ok(())
    })
}

/// Charges for a list of `count` results, an operation for each. Fails if there are more than a list may hold.
pub(super) fn charge_list(count: usize) -> Result<()> {
    charge(count)?;
    let most = in_call(|world, _| Ok(world.scripts.limits().list_length))?;
    if count > most as usize {
        return Err(format!("found {count}; a list holds {most}").into());
    }
    Ok(())
}

/// A list of results, entities or points, each of which costs an operation.
pub(super) fn list_of<T: Clone + Send + Sync + 'static>(found: Vec<T>) -> Result<Array> {
    charge_list(found.len())?;
    Ok(found.into_iter().map(Dynamic::from).collect())
}
