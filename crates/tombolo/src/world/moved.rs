//! [`Moved`]: the entities whose pose in the world has changed, from the calls and stages that change it to the stage `space`.

use alloc::vec::Vec;
use core::ops::Range;

use tombolo_entity::Entity;

use super::followed::FollowedBody;

/// The entities whose pose in the world has changed. In a copy none are noted as different entities: the bodies that they followed
/// are not copied along.
#[derive(Debug, Default)]
pub(super) struct Moved {
    pub(super) list: Vec<Entity>,
    /// Those of them that were teleported.
    pub(super) teleported: Vec<Entity>,
    /// Whether the step that read the list is over: the next entry begins a new list.
    pub(super) is_read: bool,
    /// The number of entries that space has been updated from.
    pub(super) tracked: usize,
    /// Entries that are of different entities.
    distinct: Range<usize>,
}

/// Entities of which none is listed twice: only the ones that [`Moved::note_distinct`] was told of. Each with the body that it
/// followed.
#[derive(Clone, Copy)]
pub(super) struct Distinct<'a> {
    entities: &'a [Entity],
    bodies: &'a [FollowedBody],
}

impl<'a> Distinct<'a> {
    pub(super) fn len(self) -> usize {
        self.entities.len()
    }

    /// A part of them, at most up to the last.
    pub(super) fn part(self, range: Range<usize>) -> impl Iterator<Item = (Entity, FollowedBody)> + 'a {
        let range = range.start..range.end.min(self.len());
        let entities = self.entities[range.clone()].iter();
        entities.copied().zip(self.bodies[range].iter().copied())
    }
}

impl Clone for Moved {
    fn clone(&self) -> Self {
        Self {
            list: self.list.clone(),
            teleported: self.teleported.clone(),
            distinct: 0..0,
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

    /// Notes that the entries from a place on are of different entities: those that `follow_bodies` has listed.
    pub(super) fn note_distinct(&mut self, from: usize) {
        self.distinct = from..self.count();
    }

    /// The entries that space has not been updated from: those before the ones of different entities, these, with the bodies
    /// that they have followed in this step, and the others.
    pub(super) fn untracked<'a>(
        &'a self,
        bodies: &'a [FollowedBody],
    ) -> (&'a [Entity], Distinct<'a>, &'a [Entity]) {
        let Range { start, end } = self.distinct;
        let (start, end) = (start.max(self.tracked), end.max(self.tracked));
        let (before, rest) = self.list[self.tracked..].split_at(start - self.tracked);
        let (entities, after) = rest.split_at(end - start);
        // None are left of an earlier step: each ends with space updated from all entries.
        let bodies = if entities.is_empty() { &[] } else { bodies };
        assert_eq!(
            entities.len(),
            bodies.len(),
            "each has followed a body in this step"
        );
        (before, Distinct { entities, bodies }, after)
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
        self.distinct = 0..0;
    }

    /// Ends a step; if no entity moved since the one before, the list becomes empty.
    pub(super) fn end_step(&mut self) {
        if core::mem::replace(&mut self.is_read, true) {
            self.clear();
        }
    }
}
