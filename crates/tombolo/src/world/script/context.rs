//! The context of a running script: the world is in a thread-local, and only while scripts run.
//!
//! Functions that scripts call outlive every world, so they can hold no reference to one. Instead the world itself is
//! swapped with an empty one that is shared by count, once a stage; a swap copies the fields of a world, not what they
//! own. Threads that only read it put a count of it into their thread-local, or one thread puts it there alone, for
//! changes. Commands of scripts are queued in `Call` until they are applied.
//!
//! Why: `docs/decisions.md#the-world-is-moved-into-a-thread-local-while-scripts-run`.

use std::cell::{Cell, RefCell};
use std::mem;
use std::sync::Arc;

use tombolo_entity::{Accessor, Entity, InstanceId, PropertyError, RecentPaths};

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
    /// Whether it asked for what calls do one after the other, while others run.
    pub(super) has_to_wait: bool,
}

/// A world, and the call that reads it.
pub(super) struct ScriptContext {
    pub(super) world: Arc<World>,
    /// Whether no other thread reads the world.
    is_alone: bool,
    /// `None` between two calls.
    pub(super) call: Option<Call>,
}

impl ScriptContext {
    /// The world for changes; `None` while other threads read it.
    pub(super) fn world_mut(&mut self) -> Option<&mut World> {
        // Nobody else counts it, so it is not copied.
        self.is_alone.then(|| Arc::make_mut(&mut self.world))
    }
}

thread_local! {
    static CONTEXT: RefCell<Option<ScriptContext>> = const { RefCell::new(None) };
    /// The placeholder for a world that scripts borrow. Created once for each thread.
    static STAND_IN: Cell<Option<Arc<World>>> = const { Cell::new(None) };
    /// The paths of properties that scripts on this thread used lately.
    static PATHS: Cell<Option<RecentPaths>> = const { Cell::new(None) };
}

/// A world that scripts can be called with until this value is dropped.
pub(super) struct BorrowedWorld<'w> {
    home: &'w mut World,
    /// `None` while it is in the context of the thread that has it alone.
    world: Option<Arc<World>>,
}

impl<'w> BorrowedWorld<'w> {
    /// Borrows a world; `None` if a script on this thread runs with another one.
    pub(super) fn new(home: &'w mut World) -> Option<Self> {
        if CONTEXT.with_borrow(Option::is_some) {
            return None;
        }
        let mut world = match STAND_IN.take() {
            Some(stand_in) => stand_in,
            None => Arc::new(World::new(&Settings::default()).ok()?),
        };
        mem::swap(home, Arc::make_mut(&mut world));
        let world = Some(world);
        Some(Self { home, world })
    }

    /// Lets calls on this thread read the world, as calls on others may; `None` if a script runs on this thread already.
    pub(super) fn share(&self) -> Option<Shared> {
        if CONTEXT.with_borrow(Option::is_some) {
            return None;
        }
        CONTEXT.set(Some(ScriptContext {
            world: self.world.clone()?,
            is_alone: false,
            call: None,
        }));
        Some(Shared(()))
    }

    /// Lets calls on this thread read and change the world.
    pub(super) fn alone<R>(&mut self, work: impl FnOnce() -> R) -> R {
        /// Takes the world out of the context again, also after a panic.
        struct Alone<'a>(&'a mut Option<Arc<World>>);
        impl Drop for Alone<'_> {
            fn drop(&mut self) {
                *self.0 = CONTEXT.take().map(|script_context| script_context.world);
            }
        }
        let world = self.world.take();
        CONTEXT.set(world.map(|world| ScriptContext {
            world,
            is_alone: true,
            call: None,
        }));
        let _alone = Alone(&mut self.world);
        work()
    }
}

impl Drop for BorrowedWorld<'_> {
    fn drop(&mut self) {
        if let Some(mut world) = self.world.take() {
            mem::swap(self.home, Arc::make_mut(&mut world));
            STAND_IN.set(Some(world));
        }
    }
}

/// A world is in this thread's context, beside those of others, until this value is dropped.
pub(super) struct Shared(());

impl Drop for Shared {
    fn drop(&mut self) {
        drop(CONTEXT.take());
    }
}

/// Runs `work` with the context; `None` if no world is there, or the context is in use already.
pub(super) fn with_context<R>(work: impl FnOnce(&mut ScriptContext) -> R) -> Option<R> {
    CONTEXT.with(|script_context| script_context.try_borrow_mut().ok()?.as_mut().map(work))
}

/// Runs `work` with the accessor for a path, which is remembered if scripts on this thread used the path lately.
///
/// # Errors
///
/// If the path is malformed; and those of `work`.
pub(super) fn at_path<R>(
    path: &str,
    work: impl FnOnce(&mut Accessor) -> Result<R, PropertyError>,
) -> Result<R, PropertyError> {
    let mut paths = PATHS.take().unwrap_or_default();
    let done = paths.accessor(path).and_then(work);
    PATHS.set(Some(paths));
    done
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
