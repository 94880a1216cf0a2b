//! [`Lent`]: arrays that a stage writes to while its workers read the rest of the state.

use crate::state::State;

/// Parts of a state, taken out of it and put back at the end, also when the stage panics: a callback is a user's code,
/// and so is an executor, whose panic is not held back without the standard library. Lists elsewhere in the state name
/// elements of these arrays, and the solver's unchecked reads and writes rest on that.
///
/// Meanwhile the state has defaults in their place.
pub(super) struct Lent<'a, P> {
    state: &'a mut State,
    parts: P,
    /// Swaps the parts with those of the state.
    swap: fn(&mut State, &mut P),
}

impl<'a, P: Default> Lent<'a, P> {
    /// Takes the parts that `swap` swaps out of a state.
    pub(super) fn of(state: &'a mut State, swap: fn(&mut State, &mut P)) -> Self {
        let mut parts = P::default();
        swap(state, &mut parts);
        Self { state, parts, swap }
    }
}

impl<P> Lent<'_, P> {
    /// The rest of the state, and the parts.
    pub(super) fn split(&mut self) -> (&State, &mut P) {
        (&*self.state, &mut self.parts)
    }
}

impl<P> Drop for Lent<'_, P> {
    fn drop(&mut self) {
        (self.swap)(self.state, &mut self.parts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BodyDef, PhysicsWorld, WorldDef};
    use core::mem::swap;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn what_is_lent_comes_back_after_a_panic() {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
        let caught = catch_unwind(AssertUnwindSafe(|| {
            let mut lent = Lent::of(&mut world.state, |state, sims| swap(&mut state.body_sims, sims));
            let (state, sims) = lent.split();
            assert_eq!((state.body_sims.len(), sims.len()), (0, 1));
            panic!("in a stage");
        }));
        assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "in a stage");
        assert_eq!(world.state.body_sims.len(), 1);
        world.validate();
    }
}
