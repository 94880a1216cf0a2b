//! The constraint graph: the constraints (contacts and joints) that are solved, by color; those of one color may be
//! solved in parallel.
//!
//! [`assign_color`] picks a color. A constraint gets one when it is linked or its bodies wake, and keeps it until it is
//! unlinked or they sleep. Two constraints of one color share no body that either may change. The color depends only on
//! the colors that its two bodies already use ([`BodyState::colors`]) and whether both can be moved, never on islands,
//! batches or workers; a constraint without a free color goes to the overflow, which one worker solves in order.
//!
//! The reasons are in `docs/decisions.md#static-contacts-take-the-last-colors`.

use crate::body::{BodySim, BodyState, READ_ONLY};
use crate::joint::JOINT_BLOCK_KINDS;
use crate::persistent::PlainArray;
use tombolo_geometry::plain_data;

/// The number of colors, the overflow included.
pub(crate) const COLOR_COUNT: usize = 24;

/// The number of colors of the constraint graph, as of [`ContactRef::color`](crate::ContactRef::color).
pub const GRAPH_COLORS: u32 = COLOR_COUNT as u32;

/// The overflow, the one color whose constraints may share bodies.
pub(crate) const OVERFLOW: u32 = COLOR_COUNT as u32 - 1;

/// Constraints between two movable bodies take colors from the bottom up to here. Those with a fixed body take from the
/// top down, so that they are solved last and bodies that rest on the ground are pushed out of it in the same pass.
const MOVABLE_COLORS: u32 = 20;

plain_data! {
    /// A constraint in the list of its color, with the data that the solver needs before it reads the constraint.
    #[derive(Debug, PartialEq, Eq)]
    pub(crate) struct ConstraintEntry {
        /// The place in the array of contacts, or the index of a joint.
        pub(crate) place: u32,
        /// The first body; [`READ_ONLY`] marks one that the constraint must not change.
        pub(crate) body_a: u32,
        /// The second body, marked in the same manner.
        pub(crate) body_b: u32,
    }
}

impl ConstraintEntry {
    /// An entry for the constraint at `place` between two bodies, which may change the bodies `movable`.
    pub(crate) fn new(place: u32, [a, b]: [u32; 2], movable: Movable) -> Self {
        let mark = |body: u32, movable: Option<u32>| body | if movable.is_some() { 0 } else { READ_ONLY };
        Self {
            place,
            body_a: mark(a, movable.a),
            body_b: mark(b, movable.b),
        }
    }
}

/// The constraints of one color.
#[derive(Clone, Debug, Default)]
pub(crate) struct Color {
    /// Contacts, in the order in which they were added, except that the last one fills the place of one that is
    /// removed.
    pub(crate) contacts: PlainArray<ConstraintEntry>,
    /// Joints by kind of block, in the same order.
    pub(crate) joints: [PlainArray<ConstraintEntry>; JOINT_BLOCK_KINDS],
}

impl Color {
    /// The joints of all kinds of blocks.
    pub(crate) fn all_joints(&self) -> impl Iterator<Item = &ConstraintEntry> {
        self.joints.iter().flat_map(|joints| joints.iter())
    }

    /// The number of joints.
    pub(crate) fn joint_count(&self) -> usize {
        self.joints.iter().map(|joints| joints.len()).sum()
    }

    /// The number of constraints.
    pub(crate) fn len(&self) -> usize {
        self.contacts.len() + self.joint_count()
    }
}

/// All constraints that are solved in a step, by color.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConstraintGraph {
    pub(crate) colors: [Color; COLOR_COUNT],
}

impl ConstraintGraph {
    /// The number of constraints of all colors.
    pub(crate) fn len(&self) -> usize {
        self.colors.iter().map(Color::len).sum()
    }
}

/// The bodies of a constraint that it may change.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Movable {
    pub(crate) a: Option<u32>,
    pub(crate) b: Option<u32>,
}

impl Movable {
    /// The dynamic bodies of a pair: those that constraints may change.
    pub(crate) fn of(sims: &PlainArray<BodySim>, a: u32, b: u32) -> Self {
        let dynamic = |body: u32| sims[body].is_dynamic().then_some(body);
        Self {
            a: dynamic(a),
            b: dynamic(b),
        }
    }
}

/// Picks a color for a constraint and marks it as used in its bodies.
pub(crate) fn assign_color(states: &mut PlainArray<BodyState>, movable: Movable) -> u32 {
    let used = |body: Option<u32>| body.map_or(0, |body| states[body].colors);
    let taken = used(movable.a) | used(movable.b);
    let color = if movable.a.is_some() && movable.b.is_some() {
        let color = taken.trailing_ones();
        if color < MOVABLE_COLORS { color } else { OVERFLOW }
    } else {
        // Counts down from the color below the overflow.
        let skipped = (taken << (32 - OVERFLOW)).leading_ones();
        if skipped < OVERFLOW {
            OVERFLOW - 1 - skipped
        } else {
            OVERFLOW
        }
    };
    debug_assert!(color <= OVERFLOW, "one of the colors");
    debug_assert!(movable.a.is_none() || movable.a != movable.b, "two bodies");
    if color != OVERFLOW {
        for body in [movable.a, movable.b].into_iter().flatten() {
            debug_assert!(states[body].colors & (1 << color) == 0, "the color was free");
            states[body].colors |= 1 << color;
        }
    }
    color
}

/// Releases a constraint's color.
pub(crate) fn release_color(states: &mut PlainArray<BodyState>, movable: Movable, color: u32) {
    if color != OVERFLOW {
        for body in [movable.a, movable.b].into_iter().flatten() {
            debug_assert!(states[body].colors & (1 << color) != 0, "the color was in use");
            states[body].colors &= !(1 << color);
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
    fn constraints_of_one_color_share_no_body() {
        let mut states = states(3);
        let first = assign_color(&mut states, pair(0, 1));
        let second = assign_color(&mut states, pair(1, 2));
        assert_eq!((first, second), (0, 1));
        release_color(&mut states, pair(0, 1), first);
        assert_eq!(
            assign_color(&mut states, pair(0, 2)),
            0,
            "a color given back is taken again"
        );
    }

    #[test]
    fn fixed_bodies_are_solved_last() {
        let mut states = states(1);
        let ground = Movable { a: None, b: Some(0) };
        assert_eq!(assign_color(&mut states, ground), OVERFLOW - 1);
        assert_eq!(assign_color(&mut states, ground), OVERFLOW - 2);
    }

    #[test]
    fn a_hub_overflows_and_comes_back() {
        let mut states = states(64);
        let colors: Vec<u32> = (1..64)
            .map(|leaf| assign_color(&mut states, pair(0, leaf)))
            .collect();
        assert_eq!(colors[..20], (0..20).collect::<Vec<_>>()[..]);
        assert!(colors[20..].iter().all(|&color| color == OVERFLOW));
        for (leaf, &color) in (1..64).zip(&colors) {
            release_color(&mut states, pair(0, leaf), color);
        }
        assert!(states.iter().all(|state| state.colors == 0));
    }

    #[test]
    fn a_body_with_every_color_taken_overflows() {
        let mut states = states(1);
        let ground = Movable { a: Some(0), b: None };
        let colors: Vec<u32> = (0..30).map(|_| assign_color(&mut states, ground)).collect();
        assert!(colors[..23].iter().all(|&color| color != OVERFLOW));
        assert!(colors[23..].iter().all(|&color| color == OVERFLOW));
    }
}
