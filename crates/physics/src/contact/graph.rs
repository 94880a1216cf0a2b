//! The contact graph: which constraints may be solved at once.
//!
//! A constraint gets a color when it is linked or its bodies wake, and keeps it until it is unlinked or they sleep.
//! Two constraints of one color share no body that either may change. The color depends only on the colors that its
//! two bodies already use ([`BodyState::colours`]) and whether both can be moved, never on islands, batches or
//! workers; a constraint without a free color goes to the overflow, which one worker solves in order.
//!
//! Why: `docs/decisions.md#static-contacts-take-the-last-colors`.

use crate::body::{BodySim, BodyState};
use crate::solver::lanes::READ_ONLY;
use crate::state::PlainArray;
use tombolo_geometry::plain_data;

/// Colours, the overflow included.
pub(crate) const COLOUR_COUNT: usize = 24;

/// The colour without a promise: its constraints may share bodies.
pub(crate) const OVERFLOW: u32 = COLOUR_COUNT as u32 - 1;

/// Constraints between two movable bodies take colours from the bottom up to here. Those with a fixed body take from
/// the top down, so that they are solved last and what rests on the ground is pushed out of it in the same pass.
const MOVABLE_COLOURS: u32 = 20;

plain_data! {
    /// A constraint in the list of its colour, with what the solver must know of it before it reads the constraint.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct Entry {
        /// The place in the array of contacts, or the index of a joint.
        pub(crate) place: u32,
        /// The first body; [`READ_ONLY`] marks one that the constraint must not change.
        pub(crate) body_a: u32,
        /// The second body, marked likewise.
        pub(crate) body_b: u32,
    }
}

impl Entry {
    /// The constraint at `place` between two bodies, of which some may be changed.
    pub(crate) fn new(place: u32, [a, b]: [u32; 2], movable: Movable) -> Self {
        let mark = |body: u32, movable: Option<u32>| body | if movable.is_some() { 0 } else { READ_ONLY };
        Self {
            place,
            body_a: mark(a, movable.a),
            body_b: mark(b, movable.b),
        }
    }
}

/// The constraints of one colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct Colour {
    /// Contacts, in the order in which they came, but that the last takes the place of one that goes.
    pub(crate) contacts: PlainArray<Entry>,
    /// Joints, likewise.
    pub(crate) joints: PlainArray<Entry>,
}

/// All constraints that are solved in a step, by colour.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstraintGraph {
    pub(crate) colours: [Colour; COLOUR_COUNT],
}

/// The bodies of a constraint that it may change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Movable {
    pub(crate) a: Option<u32>,
    pub(crate) b: Option<u32>,
}

impl Movable {
    /// Of a pair of bodies those that constraints may change: the dynamic ones.
    pub(crate) fn of(sims: &PlainArray<BodySim>, a: u32, b: u32) -> Self {
        let dynamic = |body: u32| sims[body].is_dynamic().then_some(body);
        Self {
            a: dynamic(a),
            b: dynamic(b),
        }
    }
}

/// Picks a colour for a constraint and marks it as used by its bodies.
pub(crate) fn take_colour(states: &mut PlainArray<BodyState>, movable: Movable) -> u32 {
    let used = |body: Option<u32>| body.map_or(0, |body| states[body].colours);
    let taken = used(movable.a) | used(movable.b);
    let colour = if movable.a.is_some() && movable.b.is_some() {
        let colour = taken.trailing_ones();
        if colour < MOVABLE_COLOURS {
            colour
        } else {
            OVERFLOW
        }
    } else {
        // From the colour below the overflow downwards.
        let skipped = (taken << (32 - OVERFLOW)).leading_ones();
        if skipped < OVERFLOW {
            OVERFLOW - 1 - skipped
        } else {
            OVERFLOW
        }
    };
    debug_assert!(colour <= OVERFLOW, "one of the colours");
    debug_assert!(movable.a.is_none() || movable.a != movable.b, "two bodies");
    if colour != OVERFLOW {
        for body in [movable.a, movable.b].into_iter().flatten() {
            debug_assert!(states[body].colours & (1 << colour) == 0, "the colour was free");
            states[body].colours |= 1 << colour;
        }
    }
    colour
}

/// Gives a constraint's colour back.
pub(crate) fn give_back_colour(states: &mut PlainArray<BodyState>, movable: Movable, colour: u32) {
    if colour != OVERFLOW {
        for body in [movable.a, movable.b].into_iter().flatten() {
            debug_assert!(states[body].colours & (1 << colour) != 0, "the colour was in use");
            states[body].colours &= !(1 << colour);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn states(count: usize) -> PlainArray<BodyState> {
        let mut states = PlainArray::default();
        (0..count).for_each(|_| states.push(BodyState::default()));
        states
    }

    fn pair(a: u32, b: u32) -> Movable {
        Movable {
            a: Some(a),
            b: Some(b),
        }
    }

    #[test]
    fn constraints_of_one_colour_share_no_body() {
        let mut states = states(3);
        let first = take_colour(&mut states, pair(0, 1));
        let second = take_colour(&mut states, pair(1, 2));
        assert_eq!((first, second), (0, 1));
        give_back_colour(&mut states, pair(0, 1), first);
        assert_eq!(
            take_colour(&mut states, pair(0, 2)),
            0,
            "a colour given back is taken again"
        );
    }

    #[test]
    fn fixed_bodies_are_solved_last() {
        let mut states = states(1);
        let ground = Movable { a: None, b: Some(0) };
        assert_eq!(take_colour(&mut states, ground), OVERFLOW - 1);
        assert_eq!(take_colour(&mut states, ground), OVERFLOW - 2);
    }

    #[test]
    fn a_hub_overflows_and_comes_back() {
        let mut states = states(64);
        let colours: Vec<u32> = (1..64)
            .map(|leaf| take_colour(&mut states, pair(0, leaf)))
            .collect();
        assert_eq!(colours[..20], (0..20).collect::<Vec<_>>()[..]);
        assert!(colours[20..].iter().all(|&colour| colour == OVERFLOW));
        for (leaf, &colour) in (1..64).zip(&colours) {
            give_back_colour(&mut states, pair(0, leaf), colour);
        }
        assert!(states.iter().all(|state| state.colours == 0));
    }

    #[test]
    fn a_body_with_every_colour_taken_overflows() {
        let mut states = states(1);
        let ground = Movable { a: Some(0), b: None };
        let colours: Vec<u32> = (0..30).map(|_| take_colour(&mut states, ground)).collect();
        assert!(colours[..23].iter().all(|&colour| colour != OVERFLOW));
        assert!(colours[23..].iter().all(|&colour| colour == OVERFLOW));
    }
}
