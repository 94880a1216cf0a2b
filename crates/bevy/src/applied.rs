//! [`Applied`]: the definition that components last gave to each object of physics. A component is compared with it, and
//! not with the object: what calls have set since holds until the component says something else, and going back in
//! time, which restores these definitions too, changes nothing in that.

use std::sync::Arc;

use tombolo_physics::{BodyId, Pose, ShapeDef};

use crate::outline::Outline;

/// A definition for each object of physics, by its index; that of a removed object stays until another takes its slot.
#[derive(Clone, Debug)]
pub(crate) struct Applied<I, D> {
    /// Shared with snapshots until it changes.
    slots: Arc<Vec<Option<(I, Arc<D>)>>>,
}

impl<I, D> Default for Applied<I, D> {
    fn default() -> Self {
        Self {
            slots: Arc::default(),
        }
    }
}

impl<I: Copy + PartialEq, D: Clone + PartialEq> Applied<I, D> {
    pub(crate) fn get(&self, index: u32, id: I) -> Option<&D> {
        let (of, def) = self.slots.get(index as usize)?.as_ref()?;
        (*of == id).then_some(&**def)
    }

    /// Whether this is the definition that was last applied.
    pub(crate) fn is(&self, index: u32, id: I, def: &D) -> bool {
        self.get(index, id) == Some(def)
    }

    pub(crate) fn set(&mut self, index: u32, id: I, def: D) {
        if self.is(index, id, &def) {
            return;
        }
        *self.slot(index) = Some((id, Arc::new(def)));
    }

    /// Forgets the definition of an object that goes.
    pub(crate) fn remove(&mut self, index: u32, id: I) {
        if self.get(index, id).is_some() {
            *self.slot(index) = None;
        }
    }

    fn slot(&mut self, index: u32) -> &mut Option<(I, Arc<D>)> {
        let slots = Arc::make_mut(&mut self.slots);
        if slots.len() <= index as usize {
            slots.resize(index as usize + 1, None);
        }
        &mut slots[index as usize]
    }
}

/// The definition of a collider on its body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColliderDef {
    /// Its parts, in the frame of its entity without its scale, which they have.
    pub(crate) parts: Vec<Outline>,
    /// The pose of the entity in the frame of the body.
    pub(crate) place: Pose,
    pub(crate) shape: ShapeDef,
}

/// The definitions of the colliders of a body, in the order of their keys.
pub(crate) type ColliderDefs = Vec<Arc<ColliderDef>>;

impl Applied<BodyId, ColliderDefs> {
    /// The definition of one collider of a body.
    pub(crate) fn collider(&self, body: BodyId, key: u64) -> Option<&Arc<ColliderDef>> {
        let defs = self.get(body.index(), body)?;
        let at = defs.binary_search_by_key(&key, |def| def.shape.user_key).ok()?;
        defs.get(at)
    }

    /// Sets the definition of one collider of a body; the key is the user key of its shapes.
    pub(crate) fn set_collider(&mut self, body: BodyId, def: ColliderDef) {
        let key = def.shape.user_key;
        if self.collider(body, key).is_some_and(|is| **is == def) {
            return;
        }
        let slot = self.slot(body.index());
        let is_new = slot.as_ref().is_none_or(|(of, _)| *of != body);
        let (_, defs) = if is_new {
            slot.insert((body, Arc::default()))
        } else {
            slot.as_mut().expect("it is that of the body")
        };
        let defs = Arc::make_mut(defs);
        match defs.binary_search_by_key(&key, |def| def.shape.user_key) {
            Ok(at) => defs[at] = Arc::new(def),
            Err(at) => defs.insert(at, Arc::new(def)),
        }
    }

    /// Forgets one collider of a body.
    pub(crate) fn remove_collider(&mut self, body: BodyId, key: u64) {
        if self.collider(body, key).is_none() {
            return;
        }
        if let Some((_, defs)) = self.slot(body.index()) {
            let defs = Arc::make_mut(defs);
            if let Ok(at) = defs.binary_search_by_key(&key, |def| def.shape.user_key) {
                defs.remove(at);
            }
        }
    }

    /// Forgets the colliders of a body that are not to be kept.
    pub(crate) fn retain_colliders(&mut self, body: BodyId, keep: impl Fn(u64) -> bool) {
        let Some(defs) = self.get(body.index(), body) else {
            return;
        };
        if defs.iter().all(|def| keep(def.shape.user_key)) {
            return;
        }
        let kept = defs.iter().filter(|def| keep(def.shape.user_key)).cloned();
        let kept = kept.collect();
        self.set(body.index(), body, kept);
    }
}
