//! Queries: the shapes that a ray, a box, a point or a moving shape meets, the nearest shapes, and the touches of a
//! placed shape.
//!
//! Queries read the state after the last step or call, from any number of threads. Each kind has a form that returns
//! the nearest shape or a sorted list, one that calls a closure for each shape, and one that is an iterator; the last two
//! allocate nothing.
//!
//! | file | contents |
//! | --- | --- |
//! | `filter.rs` | [`QueryFilter`], the searches with it, and the order of results |
//! | `ray.rs` | the shapes that a ray meets |
//! | `overlap.rs` | the shapes in a box, at a point, or that overlap a shape |
//! | `cast.rs` | the shapes that a moving and turning shape meets |
//! | `nearest.rs` | the shapes nearest to a point or a shape |
//! | `touch.rs` | the touches that a shape would have at a given pose |
//! | `iterators.rs` | all of these as iterators |
//! | `batch.rs` | batches of queries, run by all workers |
//!
//! # Order
//!
//! Lists are sorted by distance, or by shape index if there is no distance; ties by shape index. The closures of the
//! `for_each` forms are called in the order of the trees, and iterators go in it: shapes of static bodies, then of
//! kinematic, then of dynamic ones, then sensors in the order in which they became sensors; within a tree by its
//! structure. Both orders are functions of the calls made so far: the same on every machine and for any number of
//! workers. Every query costs O(log
//! shapes + shapes near by), plus the number of sensors if it includes them.

mod batch;
mod cast;
mod filter;
mod iterators;
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
