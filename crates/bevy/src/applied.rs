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
        let slots = Arc::make_mut(&mut self.slots);
        if slots.len() <= index as usize {
            slots.resize(index as usize + 1, None);
        }
        slots[index as usize] = Some((id, Arc::new(def)));
    }
}

/// The definition of a collider on its body.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ColliderDef {
    /// Its parts, in the frame of its entity.
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
        let mut defs = self.get(body.index(), body).cloned().unwrap_or_default();
        let key = def.shape.user_key;
        match defs.binary_search_by_key(&key, |def| def.shape.user_key) {
            Ok(at) => defs[at] = Arc::new(def),
            Err(at) => defs.insert(at, Arc::new(def)),
        }
        self.set(body.index(), body, defs);
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
