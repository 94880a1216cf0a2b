//! [`Slots`]: a value for each object of physics by its index, such as the entity of a body.

use std::sync::Arc;

use bevy_ecs::prelude::Entity;

/// Two entities of a shape: its collider's, its body's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ShapeEntities {
    pub(crate) collider: Entity,
    pub(crate) body: Entity,
}

/// A value for each object of physics, by its index. The value of a removed object stays until another takes its slot,
/// and from there until the next report, since the events of its end come with the next step.
#[derive(Clone, Debug)]
pub(crate) struct Slots<I, V> {
    /// Shared with snapshots until it changes.
    slots: Arc<Vec<Option<(I, V)>>>,
    replaced: Vec<(I, V)>,
}

impl<I, V> Default for Slots<I, V> {
    fn default() -> Self {
        Self {
            slots: Arc::default(),
            replaced: Vec::new(),
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
            self.replaced.push(old);
        }
    }

    pub(crate) fn get(&self, index: u32, id: I) -> Option<V> {
        let slot = self.slots.get(index as usize)?.as_ref()?;
        let found = if slot.0 == id {
            Some(slot)
        } else {
            self.replaced.iter().rfind(|old| old.0 == id)
        };
        found.map(|(_, value)| *value)
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
