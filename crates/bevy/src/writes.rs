//! [`Writes`]: which run of which system of the plugin last wrote Transforms and velocities. A component whose last
//! change is one of these runs has the value that the plugin wrote, and need not be compared with it.

use std::sync::{Mutex, PoisonError};

use bevy_ecs::change_detection::{DetectChanges, Tick};
use bevy_ecs::prelude::{Entity, Mut};
use bevy_ecs::system::SystemChangeTick;
use bevy_transform::components::Transform;

use crate::pending::Pending;

/// A system that writes Transforms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Writer {
    /// [`move_characters`](crate::sync::characters::move_characters)
    Characters,
    /// [`show_moved`](crate::sync::show::show_moved), which writes velocities too.
    Moved,
    /// [`show_nested`](crate::sync::show::show_nested)
    Nested,
    /// [`draw`](crate::sync::show::draw)
    Drawn,
    /// [`show_true`](crate::sync::show::show_true)
    True,
}

/// The last run of each writer.
#[derive(Debug)]
pub(crate) struct Writes {
    runs: [Tick; 5],
    /// The last run of [`follow_transforms`](crate::sync::follow::follow_transforms), which has seen all changes before.
    followed: Tick,
}

impl Default for Writes {
    fn default() -> Self {
        // No change has this tick: a world's first is 1.
        Self {
            runs: [Tick::new(0); 5],
            followed: Tick::new(0),
        }
    }
}

impl Writes {
    /// Notes a run of a system that writes Transforms; until it ends, no other may run.
    pub(crate) fn begin(&mut self, writer: Writer, ticks: &SystemChangeTick) -> Overwritten<'_> {
        self.runs[writer as usize] = ticks.this_run();
        Overwritten {
            writes: self,
            entities: Mutex::default(),
        }
    }

    /// Notes that all changes so far are followed.
    pub(crate) fn follow(&mut self, ticks: &SystemChangeTick) {
        self.followed = ticks.this_run();
    }

    /// Whether the plugin made the last change of a Transform.
    pub(crate) fn made(&self, changed: Tick) -> bool {
        self.runs.contains(&changed)
    }

    /// Whether a writer made a change in its last run.
    pub(crate) fn is_of(&self, writer: Writer, changed: Tick) -> bool {
        self.runs[writer as usize] == changed
    }
}

/// The entities whose Transforms a run writes although the game has written them since the last step: their change would
/// look like the run's.
#[derive(Debug)]
pub(crate) struct Overwritten<'a> {
    writes: &'a Writes,
    entities: Mutex<Vec<Entity>>,
}

impl Overwritten<'_> {
    /// Notes an entity whose Transform is about to be written, if the game wrote it last. In any order, by any thread.
    pub(crate) fn note(&self, entity: Entity, transform: &Mut<Transform>) {
        let changed = transform.last_changed();
        if !self.writes.made(changed) && changed.is_newer_than(self.writes.followed, transform.this_run()) {
            let mut entities = self.entities.lock().unwrap_or_else(PoisonError::into_inner);
            entities.push(entity);
        }
    }

    /// Has the next step compare what was noted with what the plugin wrote.
    pub(crate) fn end(self, pending: &mut Pending) {
        let entities = self.entities.into_inner().unwrap_or_else(PoisonError::into_inner);
        pending.moved.extend(entities);
    }
}
