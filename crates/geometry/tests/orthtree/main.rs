//! Quadtrees and octrees: one suite stamped on layouts, strategies and capacities, beside brute force.

mod allocation;
mod code;
mod input;
mod layouts;
mod model;
mod neighbor;
mod polygons;
mod refilling;
mod region;
mod root;
mod save;
mod suite;
mod triangles;
mod uniform_grid;

/// The part of the suite's seeds that is tried and of its costly comparisons that is made, as a divisor.
const SHARE: u64 = 1;
