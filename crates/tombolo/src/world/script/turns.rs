//! The order of turns: which script is first in a stage after one with too few operations for all calls and changes.
//!
//! In a stage in which everything fits, and in the first that does not, scripts are called in the order of entities
//! or of events. The first script that was left out begins the next stage of the kind; the others follow by entity,
//! cyclically. The first script always gets its calls and its changes, so each of n scripts waits at most n stages.
//! The turns are saved and hashed, since the next stage depends on them.

use tombolo_entity::{DataError, Entity, InstanceId, Reader, Writer};

/// A script's position in the order of turns: the slot of its entity, then the name of its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Turn {
    slot: u32,
    instance: u32,
}

impl Turn {
    pub(super) fn of(entity: Entity, instance: InstanceId) -> Self {
        Self {
            slot: entity.index(),
            instance: instance.0,
        }
    }
}

/// The stages in which scripts are called.
#[derive(Clone, Copy, Debug)]
pub(super) enum Stage {
    Ticks,
    Handlers,
}

/// The first script in the next stage of each kind; `None` if all fitted in the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turns([Option<Turn>; 2]);

impl Turns {
    /// Rotates the scripts, which are sorted by entity, so that the first in turn begins. If that no longer exists,
    /// the next one begins.
    pub(super) fn begin_ticks(&self, owners: &mut [(Entity, InstanceId)]) {
        let Some(turn) = self.0[Stage::Ticks as usize] else {
            return;
        };
        let itself = owners.iter().position(|owner| Turn::of(owner.0, owner.1) == turn);
        let next = || owners.iter().position(|(entity, _)| entity.index() > turn.slot);
        if let Some(first) = itself.or_else(next) {
            owners.rotate_left(first);
        }
    }

    /// Sorts the calls so that those of the first in turn begin and the others follow by entity; those of one script
    /// stay in their order.
    pub(super) fn begin_handlers<T>(&self, calls: &mut [T], of: impl Fn(&T) -> Turn) {
        if let Some(turn) = self.0[Stage::Handlers as usize] {
            calls.sort_by_key(|call| {
                let its = of(call);
                (its < turn, its)
            });
        }
    }

    /// The first script in the next stage of a kind; `None` if all fitted in the last one.
    pub(super) fn first(&self, stage: Stage) -> Option<Turn> {
        self.0[stage as usize]
    }

    pub(super) fn end(&mut self, stage: Stage, first_left_out: Option<Turn>) {
        self.0[stage as usize] = first_left_out;
    }

    pub(super) fn save(&self, out: &mut Writer) {
        for turn in self.0 {
            out.flag(turn.is_some());
            let Turn { slot, instance } = turn.unwrap_or(Turn { slot: 0, instance: 0 });
            out.u32(slot);
            out.u32(instance);
        }
    }

    pub(super) fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        let mut turns = Self::default();
        for turn in &mut turns.0 {
            let is_somebodys = from.flag("whether it is a script's turn")?;
            let (slot, instance) = (from.u32("whose turn it is")?, from.u32("whose turn it is")?);
            *turn = is_somebodys.then_some(Turn { slot, instance });
        }
        Ok(turns)
    }
}

/// The scripts that were left out of a stage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LeftOut {
    count: usize,
    first: Option<Turn>,
    /// The first script in the stage that was called.
    served: Option<Turn>,
}

impl LeftOut {
    /// Notes that a script was called; the first that is has had its turn.
    pub(super) fn serve(&mut self, turn: Turn) {
        self.served.get_or_insert(turn);
    }

    pub(super) fn is_served(&self, turn: Turn) -> bool {
        self.served == Some(turn)
    }

    /// Notes a call or a change that is left out. A script that was first in the stage gets no second turn for it.
    pub(super) fn add(&mut self, turn: Turn) {
        self.count += 1;
        if !self.is_served(turn) {
            self.first.get_or_insert(turn);
        }
    }

    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// The first script that was left out, except for the one that was first in the stage.
    pub(super) fn first(&self) -> Option<Turn> {
        self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(number: u32) -> Turn {
        Turn {
            slot: number / 3,
            instance: number % 3,
        }
    }

    /// Whatever the order of events, and however many operations a script uses, each is called within as many stages
    /// as there are scripts.
    #[test]
    fn scripts_that_are_left_out_are_served_in_turn() {
        const COUNT: u32 = 30;
        for (fits, is_reversed) in [(1, false), (1, true), (4, true), (7, false)] {
            let mut turns = Turns::default();
            let mut served = [0_u32; COUNT as usize];
            for stage in 0..10 * COUNT {
                // Two events for each script.
                let mut calls: Vec<u32> = (0..COUNT).chain(0..COUNT).collect();
                if is_reversed {
                    calls.reverse();
                }
                calls.rotate_left((stage * 7 % COUNT) as usize);
                turns.begin_handlers(&mut calls, |number| turn(*number));
                let mut left_out = LeftOut::default();
                for (place, number) in calls.iter().enumerate() {
                    if place < fits {
                        left_out.serve(turn(*number));
                        served[*number as usize] += 1;
                    } else {
                        left_out.add(turn(*number));
                    }
                }
                turns.end(Stage::Handlers, left_out.first());
            }
            let least = served.iter().min().copied().unwrap_or_default();
            assert!(least >= 5, "{fits}, {is_reversed}: {served:?}");
        }
    }

    #[test]
    fn a_script_left_out_after_its_turn_goes_to_the_end_of_the_queue() {
        let mut left_out = LeftOut::default();
        left_out.serve(turn(4));
        left_out.serve(turn(5));
        left_out.add(turn(4));
        assert_eq!((left_out.first(), left_out.count()), (None, 1));
        left_out.add(turn(5));
        left_out.add(turn(6));
        assert_eq!((left_out.first(), left_out.count()), (Some(turn(5)), 3));
    }
}
