//! [`Stack`]: the nodes that a search in order of distance has yet to open. Its memory is not cleared: that would take as
//! long as the search of a small tree, for each of the trees of a world.
#![allow(unsafe_code)]

use super::lanes::Entries;
use super::node::LANES;
use super::tree::{LEVEL_COUNT_MAX, Tree};
use core::mem::MaybeUninit;

/// The most nodes on the stack of a query: all but one of the lanes of each level, and one that is about to be opened.
const STACK_SIZE: usize = LEVEL_COUNT_MAX * LANES;

/// A node on the stack, not yet opened.
#[derive(Clone, Copy)]
pub(super) struct Waiting {
    pub(super) level: u32,
    pub(super) index: u32,
    /// The fraction at which a cast enters its box, or the distance of the box.
    pub(super) entry: f32,
}

/// The nodes that a search in order of distance has yet to open.
pub(super) struct Stack {
    /// The first `count` are there; the others are memory that nobody has written yet.
    nodes: [MaybeUninit<Waiting>; STACK_SIZE],
    count: usize,
}

impl Stack {
    /// The stack at the beginning of a search: the root of the tree, nothing if that is empty.
    #[inline]
    pub(super) fn of_root(tree: &Tree) -> Self {
        let mut stack = Self {
            nodes: [const { MaybeUninit::uninit() }; STACK_SIZE],
            count: 0,
        };
        if !tree.is_empty() {
            stack.push(Waiting {
                level: tree.level_count() as u32 - 1,
                index: 0,
                entry: 0.0,
            });
        }
        stack
    }

    #[inline]
    fn push(&mut self, waiting: Waiting) {
        self.nodes[self.count].write(waiting);
        self.count += 1;
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Waiting> {
        self.count = self.count.checked_sub(1)?;
        Some(self.waiting(self.count))
    }

    /// The node at a place that was pushed to and, at most, popped from.
    #[inline(always)]
    fn waiting(&self, place: usize) -> Waiting {
        debug_assert!(place <= self.count, "a place that was written");
        // SAFETY: `push` writes the places in order, so all below the greatest count so far are written; the callers ask for
        // those below the count, or the one that `pop` has just counted out.
        unsafe { self.nodes[place].assume_init() }
    }

    /// The node to open after `parent`: the nearest of its children to be entered, of equal ones that of the lowest lane,
    /// or one that waits if it has none. The other children wait, so that the nearest is popped first, equal ones by lane.
    #[inline(always)]
    pub(super) fn nearest_of(&mut self, entered: &Entries, parent: Waiting) -> Option<Waiting> {
        let child = |lane: u32| Waiting {
            level: parent.level - 1,
            index: parent.index * LANES as u32 + lane,
            entry: entered.entries[lane as usize],
        };
        if entered.lanes == 0 {
            return self.pop();
        }
        let first = self.count;
        let mut lane = entered.lanes.ilog2();
        let (mut nearest, mut rest) = (child(lane), entered.lanes);
        loop {
            rest ^= 1 << lane;
            if rest == 0 {
                return Some(nearest);
            }
            lane = rest.ilog2();
            let next = child(lane);
            if next.entry <= nearest.entry {
                // It is nearer than all that wait, or as near and of a lower lane.
                self.push(nearest);
                nearest = next;
            } else {
                self.push(next);
                let mut place = self.count - 1;
                while place > first && self.waiting(place - 1).entry < next.entry {
                    self.nodes.swap(place - 1, place);
                    place -= 1;
                }
            }
        }
    }
}
