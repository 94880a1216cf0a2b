//! Queries: what a ray, a box, a point or a moving shape hits, what is near, and what a shape would touch elsewhere.
//!
//! Queries read the world as the last step or call left it, from any number of threads. Each kind has a form that gives
//! the nearest or a sorted list, and one that calls a closure for each find and allocates nothing.
//!
//! | file | contents |
//! | --- | --- |
//! | `filter.rs` | [`QueryFilter`], how finds are looked up, and their order |
//! | `ray.rs` | rays |
//! | `overlap.rs` | what is in a box, at a point, or overlaps a shape |
//! | `cast.rs` | shapes that move, and turn, until they meet something |
//! | `nearest.rs` | the shapes nearest to a point or a shape |
//! | `touch.rs` | how a shape would touch others where it is not |
//! | `batch.rs` | many queries at once, by all workers |
//!
//! # Order
//!
//! Lists come nearest first, or by shape where there is no distance; ties by shape index. The closures of the `for_each`
//! forms are called in the order of the trees: shapes of static bodies, then of kinematic, then of dynamic ones, then
//! sensors in the order in which they became some; within a tree by its form. Both are functions of the calls made so far:
//! the same on every machine and for any number of workers. Every query costs O(log shapes + shapes near by), and as much
//! as there are sensors if it asks for them.

mod batch;
mod cast;
mod filter;
mod nearest;
mod overlap;
mod ray;
mod touch;

pub use batch::Overlaps;
pub use cast::{CastQuery, Motion, ShapeHit};
pub use filter::QueryFilter;
pub use nearest::Closest;
pub use overlap::OverlapQuery;
pub use ray::{RayHit, RayQuery};
pub use touch::{Touch, TouchPoint};
