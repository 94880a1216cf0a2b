//! [`OwnWrites`]: which values of components the plugin wrote itself, by the ticks of Bevy's change detection: to look at a
//! tick costs less than to compare values, and most bodies that move are written by nobody else.
//!
//! What a system writes has the tick of its run, and no other system has that tick. But what is written between systems, by
//! commands or directly in the world, has the tick of the next run of any system. So the plugin's systems that write are piped
//! after [`apart`]: nothing can be written between the two, and the tick of the second is the plugin's alone.

use bevy_ecs::change_detection::{DetectChanges, DetectChangesMut, Tick};
use bevy_ecs::prelude::Mut;

/// The first half of a system whose writes are to be known as the plugin's; see above.
pub(crate) fn apart() {}

/// The ticks of the plugin's last writes. A value with another tick is compared with what was written; so a tick that is missing
/// here costs time and nothing else.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct OwnWrites {
    /// The last look at what the game wrote: all that is not newer was followed.
    pub(crate) followed: Option<Tick>,
    /// The last run of the system that shows a step.
    pub(crate) shown: Option<Tick>,
    /// The last run that drew poses between two steps, and the one before.
    pub(crate) drawn: [Option<Tick>; 2],
    /// The last run that took these back.
    pub(crate) restored: Option<Tick>,
}

impl OwnWrites {
    /// Notes a run that draws.
    pub(crate) fn draws(&mut self, run: Tick) {
        self.drawn = [Some(run), self.drawn[0]];
    }

    /// Whether a value has been the plugin's, or was followed, since the game wrote it.
    pub(crate) fn has<T>(&self, value: &Mut<'_, T>) -> bool {
        self.has_tick(value.last_changed()) || self.is_followed(value)
    }

    /// Whether a value has not changed since it was followed.
    pub(crate) fn is_followed<T>(&self, value: &Mut<'_, T>) -> bool {
        self.followed
            .is_some_and(|followed| !value.is_changed_after(followed))
    }

    /// Whether a value that has changed since it was followed has this tick of the plugin's.
    pub(crate) fn has_tick(&self, tick: Tick) -> bool {
        [self.shown, self.drawn[0], self.drawn[1], self.restored].contains(&Some(tick))
    }
}

/// Writes a value. One that the game has written before counts as the game's still, if `is_own` is false: it has the tick
/// before that of the run, which is newer than those of all systems that have read the value, and none of the plugin's.
pub(crate) fn write<T>(value: &mut Mut<'_, T>, is_own: bool, write: impl FnOnce(&mut T)) {
    write(value);
    if !is_own {
        let run = value.last_changed();
        value.set_last_changed(Tick::new(run.get().wrapping_sub(1)));
    }
}
