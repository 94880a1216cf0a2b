//! [`Chunks`]: bodies with neighboring indices, by which the constraints that all workers solve together are sorted
//! (`batches.rs`).
//!
//! Each worker takes the same share of every color. Where constraints are sorted by chunk, it changes bodies in a color that
//! it changed in the colors before; in the order in which contacts came, most of them are in the cache of another core.

use super::lanes::BLOCK;
use super::work::BODY_BLOCKS_PER_TASK;
use crate::body::READ_ONLY;
use crate::contact::graph::{ConstraintEntry, ConstraintGraph, OVERFLOW};

/// The number of indices of bodies in a chunk of the shared part, unless there would be more than [`CHUNKS_MAX`]: as many
/// bodies as a task integrates.
const CHUNK_BODIES: usize = BODY_BLOCKS_PER_TASK * BLOCK;

/// The number of chunks at most: each color has a count for each.
const CHUNKS_MAX: usize = 256;

/// The number of places at which the list of a color is asked whether it is in the order of chunks.
const SAMPLES: usize = 16;

/// How the shared part is divided: into `count` chunks of two to the power of `shift` indices of bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Chunks {
    pub(super) count: usize,
    shift: u32,
}

impl Default for Chunks {
    fn default() -> Self {
        Self::ONE
    }
}

impl Chunks {
    /// All bodies.
    pub(super) const ONE: Self = Self {
        count: 1,
        shift: READ_ONLY.trailing_zeros(),
    };

    /// Chunks for so many indices of bodies.
    pub(super) fn of(bodies: usize) -> Self {
        let size = CHUNK_BODIES.max(bodies.div_ceil(CHUNKS_MAX)).next_power_of_two();
        Self {
            count: bodies.div_ceil(size).max(1),
            shift: size.trailing_zeros(),
        }
    }

    /// The chunk of a body.
    pub(super) fn of_body(self, body: u32) -> u32 {
        body >> self.shift
    }

    /// The chunk of a constraint: the first one of the bodies that it may change. The others are marked, and so greater.
    pub(super) fn of_entry(self, entry: &ConstraintEntry) -> u32 {
        const {
            assert!(
                READ_ONLY == 1 << 31,
                "a mark makes an index greater than all others"
            )
        };
        self.of_body(entry.body_a.min(entry.body_b))
    }

    /// Whether more than an eighth of neighbors in a list are in the wrong order, by some of them.
    pub(super) fn are_scattered(self, graph: &ConstraintGraph) -> bool {
        let (mut asked, mut wrong) = (0, 0);
        let mut ask = |entries: &[ConstraintEntry]| {
            let step = (entries.len() / SAMPLES).max(1);
            for pair in entries.windows(2).step_by(step) {
                asked += 1;
                wrong += usize::from(self.of_entry(&pair[0]) > self.of_entry(&pair[1]));
            }
        };
        for color in &graph.colors[..OVERFLOW as usize] {
            ask(&color.contacts);
            color.joints.iter().for_each(|joints| ask(joints));
        }
        wrong * 8 > asked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn entry(body_a: u32, body_b: u32) -> ConstraintEntry {
        ConstraintEntry {
            place: 0,
            body_a,
            body_b,
        }
    }

    fn graph(entries: &[ConstraintEntry]) -> ConstraintGraph {
        let mut graph = ConstraintGraph::default();
        entries
            .iter()
            .for_each(|entry| graph.colors[3].contacts.push(*entry));
        graph
    }

    #[test]
    fn every_body_has_a_chunk_below_their_number() {
        for bodies in [0, 1, 127, 128, 129, 10_000, 32_768, 32_769, 1_000_000] {
            let chunks = Chunks::of(bodies);
            assert!((1..=CHUNKS_MAX).contains(&chunks.count), "{chunks:?}");
            let last = chunks.of_body(bodies.saturating_sub(1) as u32) as usize;
            assert_eq!(last, chunks.count - 1, "{chunks:?}");
        }
        assert_eq!(Chunks::ONE.of_body(READ_ONLY - 1), 0);
    }

    #[test]
    fn a_body_that_may_not_be_changed_has_no_say() {
        let chunks = Chunks::of(1000);
        assert_eq!(chunks.of_entry(&entry(300, 700)), 2);
        assert_eq!(chunks.of_entry(&entry(300 | READ_ONLY, 700)), 5);
        assert_eq!(chunks.of_entry(&entry(300, 7 | READ_ONLY)), 2);
    }

    #[test]
    fn lists_in_order_are_not_scattered_and_others_are() {
        let chunks = Chunks::of(4000);
        let in_order: Vec<_> = (0..3999).map(|body| entry(body, body + 1)).collect();
        assert!(!chunks.are_scattered(&graph(&[])));
        assert!(!chunks.are_scattered(&graph(&in_order)));
        // Steps of a prime lead through all bodies, up and down by turns.
        let mixed: Vec<_> = (0..3999).map(|at| entry(at * 1811 % 3999, READ_ONLY)).collect();
        assert!(chunks.are_scattered(&graph(&mixed)));
    }
}
