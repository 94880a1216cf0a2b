//! [`Ledger`]: maps this engine's ids to those of another engine, for the adapters of runners.

use tombolo::physics::{Body, BodyId};
use tombolo_handles::HandleMap;

/// Gives this engine's body ids to another engine's bodies, so that scenes need one kind of id.
///
/// A look-up is one array access; the scenes look up while they build, never in a timed step.
pub struct Ledger<T> {
    ids: HandleMap<Body>,
    /// The other engine's bodies, by slot of the id; `None` if the slot is free.
    theirs: Vec<Option<T>>,
}

impl<T> Default for Ledger<T> {
    fn default() -> Self {
        Self {
            ids: HandleMap::new(),
            theirs: Vec::new(),
        }
    }
}

impl<T: Copy> Ledger<T> {
    /// Adds a body and returns its id.
    pub fn enter(&mut self, body: T) -> BodyId {
        // The value is never read: the map only gives ids.
        let id = self.ids.insert(bytemuck::Zeroable::zeroed());
        let slot = id.index() as usize;
        if slot >= self.theirs.len() {
            self.theirs.resize(slot + 1, None);
        }
        self.theirs[slot] = Some(body);
        id
    }

    /// The body of an id.
    ///
    /// # Panics
    /// The id is stale: scenes don't keep ids of bodies that they have destroyed.
    pub fn body(&self, id: BodyId) -> T {
        assert!(self.ids.contains(id), "the scene names a body that is gone");
        self.theirs[id.index() as usize].expect("a living id has a body")
    }

    /// Removes a body.
    ///
    /// # Panics
    /// In the same cases as [`body`](Self::body).
    pub fn strike(&mut self, id: BodyId) -> T {
        let body = self.body(id);
        self.ids.remove(id);
        self.theirs[id.index() as usize] = None;
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reused_slot_gets_another_id() {
        let mut ledger = Ledger::default();
        let (a, b) = (ledger.enter('a'), ledger.enter('b'));
        assert_eq!((ledger.body(a), ledger.strike(b)), ('a', 'b'));
        let c = ledger.enter('c');
        assert_ne!(b, c);
        assert_eq!((ledger.body(a), ledger.body(c)), ('a', 'c'));
    }

    #[test]
    #[should_panic(expected = "a body that is gone")]
    fn a_stale_id_is_refused() {
        let mut ledger = Ledger::default();
        let id = ledger.enter(1);
        ledger.strike(id);
        ledger.body(id);
    }
}
