//! Quadtrees and octrees: one suite stamped on every layout, strategy and capacity, beside brute force.

mod allocation;
mod code;
mod input;
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
