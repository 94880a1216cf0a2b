//! Distances between shapes, shape casts and times of impact.
//!
//! [`distance`], [`are_overlapping`] and [`closest_point`] are in `nearest.rs`; `cast.rs` moves a shape along a line,
//! `impact.rs` follows two bodies that move and turn, `surfaces.rs` has signed distances. All of them are pure
//! functions in the frame of the first shape.
//!
//! Cores have at most eight vertices, so the nearest features are found directly, by comparing all edges, and not by
//! an iteration such as that of Gilbert, Johnson and Keerthi: nothing can fail to converge, however short an edge or
//! thin a shape, and the time is the same for all poses.

mod cast;
mod impact;
mod nearest;
mod surfaces;

pub use cast::{ShapeHit, cast_shape};
pub use impact::{
    IMPACT_TARGET, IMPACT_TOLERANCE, ImpactState, Sweep, TimeOfImpact, cast_turning, stays_apart,
    time_of_impact, time_of_touch,
};
pub use nearest::{Distance, are_overlapping, closest_point, distance};
pub use surfaces::{Surfaces, surfaces};
