//! Bounding volume tree: finds the items that overlap a box, a ray or a moving box, and the pairs of boxes that began
//! to overlap since the last search.
//!
//! The files:
//!
//! | file | contents |
//! | --- | --- |
//! | `node.rs` | [`Node`]: eight boxes side by side, and a summary of the items below them |
//! | `lanes.rs` | one box against eight, with vector instructions |
//! | `bounds.rs` | the box around eight, likewise |
//! | `tree.rs` | [`Tree`]: the arrays, insertion, removal, change of a box, refit |
//! | `hilbert.rs` | the order in which boxes are packed into nodes |
//! | `build.rs` | rebuilding when the order has become stale |
//! | `pairs.rs` | [`PairWalk`]: a tree against itself or another, for *new* overlaps only |
//! | `query.rs` | boxes, rays and swept boxes against a tree |
//! | `stack.rs` | the nodes that a search in order of distance has yet to open |
//! | `iter.rs` | the same as iterators |
//! | `validate.rs` | a walk over the whole structure that checks every invariant |
//!
//! # The shape of the tree
//!
//! The tree is packed: items are in an order along a Hilbert curve, eight to a leaf, eight leaves to a node above, and
//! so on. The places of a node's children follow from its own by arithmetic, so there are no pointers, a refit is one
//! pass over flat arrays, and a tree without pointers is saved, cloned and hashed as bytes. A new item goes to the end
//! of the order; a removed one leaves a hole; both, and drift, are repaired by a rebuild, which costs about as much as
//! one pair search and which [`Tree::is_stale`] requests. The idea of packing along the Hilbert curve is from I. Kamel
//! and C. Faloutsos, *On Packing R-trees* (CIKM 1993); eight boxes a node, tested together, is the wide node of ray
//! tracing (I. Wald, C. Benthin, S. Boulos, *Getting Rid of Packets*, 2008).
//!
//! # New overlaps without a set of pairs
//!
//! Each item keeps the box it had when [`Tree::commit`] was last called. A pair is new exactly when the present boxes
//! overlap and the kept ones do not: two box tests and no look-up. The caller keeps its own set of pairs equal to the set
//! of overlaps by dropping pairs that no longer overlap.
//!
//! The reasons are in `docs/decisions.md#a-packed-tree-in-hilbert-order`.

mod bounds;
mod build;
mod hilbert;
mod iter;
mod lanes;
mod node;
mod pairs;
mod query;
mod stack;
#[cfg(test)]
mod tests;
mod tree;
mod validate;

pub use build::BuildScratch;
pub use iter::BoxItems;
pub use node::{LANES, Node, NodeFilter};
pub use pairs::{PairTask, PairWalk};
pub use query::{BoxCast, Visit};
pub use tree::{InvalidBox, NO_ITEM, Tree, TreeCounts};
