//! [`Moved`]: the entities whose pose in the world has changed, from the calls and stages that change it to the stage `space`.

use alloc::vec::Vec;
use core::ops::Range;

use tombolo_entity::Entity;

/// The entities whose pose in the world has changed. In a copy none are noted as followed: what is left to do about them is not
/// copied along.
#[derive(Debug, Default)]
pub(super) struct Moved {
    /// The entries, and behind them room that is not theirs.
    entries: Vec<Entity>,
    /// The number of entries.
    len: usize,
    /// Those of them that were teleported.
    pub(super) teleported: Vec<Entity>,
    /// Whether the step that read the list is over: the next entry begins a new list.
    pub(super) is_read: bool,
    /// The number of entries that space has been updated from.
    pub(super) tracked: usize,
    /// Entries of entities that have followed bodies in this step.
    followed: Range<usize>,
}

impl Clone for Moved {
    fn clone(&self) -> Self {
        Self {
            entries: self.list().to_vec(),
            teleported: self.teleported.clone(),
            followed: 0..0,
            ..*self
        }
    }
}

/// What is in room that nobody has written to.
const ANY: Entity = match Entity::from_bits(1 << 32) {
    Some(entity) => entity,
    None => unreachable!(),
};

impl Moved {
    /// The entries: of the last step, until the next entry.
    pub(super) fn list(&self) -> &[Entity] {
        &self.entries[..self.len]
    }

    pub(super) fn push(&mut self, entity: Entity) {
        self.extend(&[entity]);
    }

    pub(super) fn extend(&mut self, entities: &[Entity]) {
        if !entities.is_empty() && core::mem::take(&mut self.is_read) {
            self.clear();
        }
        let room = self.entries.len() - self.len;
        let (fitting, further) = entities.split_at(room.min(entities.len()));
        self.entries[self.len..][..fitting.len()].copy_from_slice(fitting);
        self.entries.extend_from_slice(further);
        self.len += entities.len();
    }

    /// Room for so many entries behind those that the next one is added to, for [`take`](Self::take). Entities that are in it
    /// already are any.
    pub(super) fn room(&mut self, count: usize) -> &mut [Entity] {
        let first = self.count();
        if self.entries.len() < first + count {
            self.entries.resize(first + count, ANY);
        }
        &mut self.entries[first..first + count]
    }

    /// Adds what was written to the room: of each of its parts, which have this size, so many entries from its start.
    pub(super) fn take(&mut self, size: usize, counts: impl Iterator<Item = usize>) {
        let first = self.count();
        let (mut part, mut end) = (first, first);
        for count in counts {
            if part != end {
                self.entries.copy_within(part..part + count, end);
            }
            (part, end) = (part + size, end + count);
        }
        if end > first {
            if core::mem::take(&mut self.is_read) {
                self.clear();
            }
            self.len = end;
        }
    }

    /// Notes that the entries from a place on are of entities that have followed bodies in this step. The stage `poses` updates
    /// space from them, and leaves the rest of that to be done.
    pub(super) fn note_followed(&mut self, from: usize) {
        self.followed = from..self.count();
    }

    /// The entries that space has not been updated from: those before the ones of entities that have followed bodies, and those
    /// after them.
    pub(super) fn untracked(&self) -> (&[Entity], &[Entity]) {
        let Range { start, end } = self.followed;
        let (start, end) = (start.max(self.tracked), end.max(self.tracked));
        let list = self.list();
        (&list[self.tracked..start], &list[end..])
    }

    /// The entries from a place on.
    pub(super) fn since(&self, from: usize) -> &[Entity] {
        if self.is_read { &[] } else { &self.list()[from..] }
    }

    /// The number of entries of the list that the next one is added to.
    pub(super) fn count(&self) -> usize {
        if self.is_read { 0 } else { self.len }
    }

    /// Notes that the entries from a place on were teleported.
    pub(super) fn mark_teleported(&mut self, from: usize) {
        self.teleported.extend_from_slice(&self.entries[from..self.len]);
    }

    fn clear(&mut self) {
        self.len = 0;
        self.teleported.clear();
        self.tracked = 0;
        self.followed = 0..0;
    }

    /// Ends a step; if no entity moved since the one before, the list becomes empty.
    pub(super) fn end_step(&mut self) {
        if core::mem::replace(&mut self.is_read, true) {
            self.clear();
        }
    }
}
