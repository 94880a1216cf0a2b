//! [`Moved`]: the entities whose pose in the world has changed, from the calls and stages that change it to the stage `space`.

use alloc::vec::Vec;
use core::ops::Range;

use tombolo_entity::Entity;

/// The entities whose pose in the world has changed. In a copy none are noted as followed: what is left to do about them is not
/// copied along.
#[derive(Debug, Default)]
pub(super) struct Moved {
    pub(super) list: Vec<Entity>,
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
            list: self.list.clone(),
            teleported: self.teleported.clone(),
            followed: 0..0,
            ..*self
        }
    }
}

impl Moved {
    pub(super) fn push(&mut self, entity: Entity) {
        if core::mem::take(&mut self.is_read) {
            self.clear();
        }
        self.list.push(entity);
    }

    pub(super) fn extend(&mut self, entities: &[Entity]) {
        if !entities.is_empty() && core::mem::take(&mut self.is_read) {
            self.clear();
        }
        self.list.extend_from_slice(entities);
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
        (&self.list[self.tracked..start], &self.list[end..])
    }

    /// The entries from a place on.
    pub(super) fn since(&self, from: usize) -> &[Entity] {
        if self.is_read { &[] } else { &self.list[from..] }
    }

    /// The number of entries of the list that the next one is added to.
    pub(super) fn count(&self) -> usize {
        if self.is_read { 0 } else { self.list.len() }
    }

    /// Notes that the entries from a place on were teleported.
    pub(super) fn mark_teleported(&mut self, from: usize) {
        self.teleported.extend_from_slice(&self.list[from..]);
    }

    fn clear(&mut self) {
        self.list.clear();
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
