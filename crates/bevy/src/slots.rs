//! [`Slots`]: a value for each object of physics by its index, such as the entity of a body.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_ecs::prelude::Entity;
use tombolo_physics::ShapeId;

/// Two entities of a shape: its collider's, its body's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShapeEntities {
    pub(crate) collider: Entity,
    pub(crate) body: Entity,
}

/// A value for each object of physics, by its index. The value of a removed object stays until another takes its slot,
/// and from there until the next report, since the events of its end come with the next step. Of those that were set and
/// removed between two reports no step knows, so only the first that is replaced in a slot stays: however long a pause is, there
/// are at most as many as slots.
#[derive(Clone, Debug)]
pub(crate) struct Slots<I, V> {
    /// Shared with snapshots until it changes.
    slots: Arc<Vec<Option<(I, V)>>>,
    /// By index.
    replaced: BTreeMap<usize, (I, V)>,
}

impl<I, V> Default for Slots<I, V> {
    fn default() -> Self {
        Self {
            slots: Arc::default(),
            replaced: BTreeMap::new(),
        }
    }
}

impl<I: Copy + PartialEq, V: Copy + PartialEq> Slots<I, V> {
    pub(crate) fn set(&mut self, index: u32, id: I, value: V) {
        let index = index as usize;
        if self.slots.get(index) == Some(&Some((id, value))) {
            return;
        }
        let slots = Arc::make_mut(&mut self.slots);
        if slots.len() <= index {
            slots.resize(index + 1, None);
        }
        if let Some(old) = slots[index].replace((id, value))
            && old.0 != id
        {
            self.replaced.entry(index).or_insert(old);
        }
    }

    pub(crate) fn get(&self, index: u32, id: I) -> Option<V> {
        let index = index as usize;
        let slot = self.slots.get(index)?.as_ref()?;
        let found = [Some(slot), self.replaced.get(&index)];
        let found = found.into_iter().flatten().find(|(of, _)| *of == id)?;
        Some(found.1)
    }

    /// Whether there is a value of an object.
    pub(crate) fn has(&self, index: u32, id: I) -> bool {
        self.get(index, id).is_some()
    }

    /// Forgets the value of an object that exists, and returns it.
    pub(crate) fn remove(&mut self, index: u32, id: I) -> Option<V> {
        let index = index as usize;
        let (of, value) = (*self.slots.get(index)?)?;
        if of != id {
            return None;
        }
        Arc::make_mut(&mut self.slots)[index] = None;
        Some(value)
    }

    /// Forgets removed objects whose slots others have taken.
    pub(crate) fn forget_replaced(&mut self) {
        self.replaced.clear();
    }

    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }
}

/// Shapes that cuts have taken to pieces since the last report, with their entities till then: their touches and overlaps end
/// with the next report. Of those that have had a slot only the first is known, as of those that were replaced: the others came
/// after the last step, and have begun nothing.
#[derive(Debug, Default)]
pub(crate) struct Departed {
    /// By index.
    pub(crate) shapes: BTreeMap<u32, (ShapeId, ShapeEntities)>,
}

impl Departed {
    pub(crate) fn note(&mut self, shape: ShapeId, entities: ShapeEntities) {
        self.shapes.entry(shape.index()).or_insert((shape, entities));
    }

    pub(crate) fn get(&self, shape: ShapeId) -> Option<ShapeEntities> {
        let found = self.shapes.get(&shape.index()).filter(|(of, _)| *of == shape);
        Some(found?.1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.shapes.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.shapes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_all_that_had_a_slot_between_two_reports_the_first_and_the_last_are_known() {
        let mut slots: Slots<u32, char> = Slots::default();
        for index in 0..3 {
            slots.set(index, index, 'a');
        }
        slots.forget_replaced();
        // A pause, in which slot 1 is taken again and again.
        for id in 10..1000 {
            slots.set(1, id, 'b');
        }
        assert_eq!(slots.replaced.len(), 1);
        let known = |slots: &Slots<u32, char>| [1, 10, 998, 999].map(|id| slots.get(1, id));
        assert_eq!(known(&slots), [Some('a'), None, None, Some('b')]);
        assert_eq!([0, 2].map(|index| slots.get(index, index)), [Some('a'); 2]);
        slots.forget_replaced();
        assert_eq!(known(&slots), [None, None, None, Some('b')]);
    }
}
