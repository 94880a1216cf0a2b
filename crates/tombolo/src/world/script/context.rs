//! The context of a running script: the world is in a thread-local, and only while scripts run.
//!
//! Functions that scripts call outlive every world, so they can hold no reference to one. Instead the world itself is
//! swapped with an empty one in the thread-local while scripts run, once a stage; a swap copies the fields of a world,
//! not what they own. Scripts read the world there. Their commands are queued in `Call` until they are
//! applied.
//!
//! Why: `docs/decisions.md#the-world-is-moved-into-a-thread-local-while-scripts-run`.

use std::cell::RefCell;
use std::mem;

use tombolo_entity::{Entity, InstanceId};

use super::queued::Queued;
use crate::component::Timer;
use crate::scene::Settings;
use crate::world::World;

/// A call of a script, with the commands that it has issued so far.
pub(super) struct Call {
    /// The entity with the script.
    pub(super) me: Entity,
    /// The script component of the entity.
    pub(super) instance: InstanceId,
    /// The timers of the script, which the call may change.
    pub(super) timers: Vec<Timer>,
    pub(super) commands: Vec<Queued>,
    pub(super) spawns: u32,
    pub(super) printed: Vec<Box<str>>,
}

/// A world, and the call that reads it.
pub(super) struct ScriptContext {
    pub(super) world: Box<World>,
    /// `None` between two calls.
    pub(super) call: Option<Call>,
}

thread_local! {
    static CONTEXT: RefCell<Option<ScriptContext>> = const { RefCell::new(None) };
    /// The placeholder for a world that scripts borrow. Created once for each thread.
    static STAND_IN: RefCell<Option<Box<World>>> = const { RefCell::new(None) };
}

/// A world that is in this thread's context until this value is dropped.
pub(super) struct BorrowedWorld<'w> {
    home: &'w mut World,
}

impl<'w> BorrowedWorld<'w> {
    /// Moves a world into the context; `None` if another one is there.
    pub(super) fn new(home: &'w mut World) -> Option<Self> {
        if CONTEXT.with_borrow(Option::is_some) {
            return None;
        }
        let mut world = match STAND_IN.take() {
            Some(stand_in) => stand_in,
            None => Box::new(World::new(&Settings::default()).ok()?),
        };
        mem::swap(home, &mut world);
        CONTEXT.set(Some(ScriptContext { world, call: None }));
        Some(Self { home })
    }
}

impl Drop for BorrowedWorld<'_> {
    fn drop(&mut self) {
        if let Some(ScriptContext { mut world, .. }) = CONTEXT.take() {
            mem::swap(self.home, &mut world);
            STAND_IN.set(Some(world));
        }
    }
}

/// Runs `work` with the context; `None` if no world is there, or the context is in use already.
pub(super) fn with_context<R>(work: impl FnOnce(&mut ScriptContext) -> R) -> Option<R> {
    CONTEXT.with(|script_context| script_context.try_borrow_mut().ok()?.as_mut().map(work))
}

/// The greatest length of a printed line in bytes; the rest is dropped.
const LINE_BYTES_MAX: usize = 200;

/// Stores a line that a script prints.
pub(super) fn print(line: &str) {
    with_context(|script_context| {
        let Some(call) = &mut script_context.call else {
            return;
        };
        let scripts = &script_context.world.scripts;
        if scripts.printed.len() + call.printed.len() < scripts.limits().printed_lines as usize {
            let end = line.floor_char_boundary(LINE_BYTES_MAX);
            call.printed.push(line[..end].into());
        }
    });
}
