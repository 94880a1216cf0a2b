//! [`OwnWrites`]: which values of components the plugin wrote itself, by the ticks of Bevy's change detection: to look at a
//! tick costs less than to compare values, and most bodies that move are written by nobody else. [`Known`] looks at the ticks
//! of whole tables, and [`Column`] writes their values.
//!
//! What a system writes has the tick of its run, and no other system has that tick. But what is written between systems, by
//! commands or directly in the world, has the tick of the next run of any system. So the plugin's systems that write are piped
//! after [`apart`]: nothing can be written between the two, and the tick of the second is the plugin's alone.

use bevy_ecs::change_detection::{
    ContiguousComponentTicksMut, ContiguousMut, DetectChanges, DetectChangesMut, MAX_CHANGE_AGE,
    MaybeLocation, Tick,
};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::{Component, Entity, Has, Mut, Query, Ref};
use bevy_ecs::system::SystemChangeTick;

/// The first half of a system whose writes are to be known as the plugin's; see above.
pub(crate) fn apart() {}

/// Queries for tables find no other components: none of Bevy's or the plugin's is stored elsewhere.
pub(crate) const IN_TABLES: &str = "all components of the query are stored in tables";

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

    /// The values that have been the plugin's, or were followed, since the game wrote them; for a system that runs `now`.
    pub(crate) fn known(&self, now: Tick) -> Known {
        Known::since(self.followed, now, self.ticks())
    }

    /// The ticks of the plugin's own writes.
    pub(crate) fn ticks(&self) -> [Option<Tick>; 4] {
        [self.shown, self.drawn[0], self.drawn[1], self.restored]
    }
}

/// Values by their ticks: those that have not changed since a time, and those with one of four ticks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    now: u32,
    /// From this age on a value is not newer than the time.
    age: u32,
    ticks: [u32; 4],
}

impl Known {
    /// For a system that runs `now`. Without a time no value is too old to count.
    pub(crate) fn since(time: Option<Tick>, now: Tick, ticks: [Option<Tick>; 4]) -> Self {
        let now = now.get();
        let age = |time: Tick| now.wrapping_sub(time.get()).min(MAX_CHANGE_AGE);
        Self {
            now,
            age: time.map_or(u32::MAX, age),
            // No value has the tick of a run that is still to come.
            ticks: ticks.map(|tick| tick.map_or(now.wrapping_add(1), Tick::get)),
        }
    }

    /// Those that have not changed since a system ran last.
    pub(crate) fn unchanged(run: &SystemChangeTick) -> Self {
        Self::since(Some(run.last_run()), run.this_run(), [None; 4])
    }

    /// Whether it is one of them.
    pub(crate) fn has(self, tick: Tick) -> bool {
        let [a, b, c, d] = self.ticks.map(|known| known == tick.get());
        // None of these is a branch.
        (self.now.wrapping_sub(tick.get()) >= self.age) | a | b | c | d
    }

    /// Calls `visit` with the rows of all others.
    pub(crate) fn each_other(self, ticks: &[Tick], mut visit: impl FnMut(usize)) {
        const LANES: usize = 16;
        for (part, ticks) in ticks.chunks(LANES).enumerate() {
            if ticks.iter().fold(true, |all, &tick| all & self.has(tick)) {
                continue;
            }
            for (row, &tick) in ticks.iter().enumerate() {
                if !self.has(tick) {
                    visit(LANES * part + row);
                }
            }
        }
    }
}

/// The values of a component of all entities.
pub(crate) type Values<'w, 's, T> = Query<'w, 's, (Entity, Ref<'static, T>, Has<Disabled>)>;

/// The entities with a component whose value has changed since a system ran last.
pub(crate) fn changed<T: Component>(query: &Values<'_, '_, T>, run: &SystemChangeTick) -> Vec<Entity> {
    let unchanged = Known::unchanged(run);
    let mut changed = Vec::new();
    for (entities, values, _) in query.contiguous_iter().expect(IN_TABLES) {
        unchanged.each_other(values.changed_ticks_slice(), |row| changed.push(entities[row]));
    }
    changed
}

/// The values of a component in a table, to be written one by one.
pub(crate) struct Column<'w, T> {
    values: &'w mut [T],
    ticks: ContiguousComponentTicksMut<'w>,
    /// In place of the ticks at which they were added, and of the places in the code that wrote them, which a build that tracks
    /// them does not have of these writes.
    added: Tick,
    caller: MaybeLocation,
}

impl<'w, T> Column<'w, T> {
    #[track_caller]
    pub(crate) fn new(values: ContiguousMut<'w, T>) -> Self {
        let (values, ticks) = ContiguousMut::bypass_change_detection_split(values);
        Self {
            values,
            ticks,
            added: Tick::default(),
            caller: MaybeLocation::caller(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.values.len()
    }

    /// One of the values. Not for components with a summary of their ticks, which has none of what is written so.
    pub(crate) fn get(&mut self, row: usize) -> Mut<'_, T> {
        let (last_run, this_run) = (self.ticks.last_run(), self.ticks.this_run());
        Mut::new(
            &mut self.values[row],
            &mut self.added,
            &mut self.ticks.changed_mut()[row],
            None,
            last_run,
            this_run,
            self.caller.as_mut(),
        )
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

#[cfg(test)]
mod tests {
    use super::*;

    /// In whatever place of a table, and where ticks begin anew after the last one.
    #[test]
    fn others_are_those_that_changed_since_by_other_ticks() {
        for base in [100, u32::MAX - 20, u32::MAX - 8] {
            let tick = |at: u32| Tick::new(base.wrapping_add(at));
            let known = Known::since(
                Some(tick(10)),
                tick(20),
                [Some(tick(13)), None, Some(tick(15)), None],
            );
            let ticks: Vec<Tick> = (0..70).map(|row| tick(row % 20)).collect();
            let mut others = Vec::new();
            known.each_other(&ticks, |row| others.push(row));
            let is_other = |tick: Tick| {
                tick.is_newer_than(
                    self::Tick::new(base.wrapping_add(10)),
                    Tick::new(base.wrapping_add(20)),
                )
            };
            let expected: Vec<usize> = (0..70)
                .filter(|&row| is_other(ticks[row]) && ![13, 15].contains(&(row % 20)))
                .collect();
            assert_eq!(others, expected, "{base}");
            assert!(others.contains(&11) && others.contains(&51));
        }
        let never = Known::since(None, Tick::new(20), [None; 4]);
        assert!(!never.has(Tick::new(0)) && !never.has(Tick::new(19)));
    }
}
