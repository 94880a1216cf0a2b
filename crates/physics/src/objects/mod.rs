//! The objects of the state: creating and destroying bodies, shapes, concave polygons, tile grids, contacts, joints,
//! fields and members of composites, with the updates of masses, boxes and lists. The calls of users are in `world/`.

mod bodies;
mod callbacks;
mod changed_shapes;
pub(crate) mod concave_polygons;
mod contacts;
mod extra_substeps;
mod fields;
pub(crate) use fields::width_across;
mod island_edges;
mod joints;
mod members;
pub(crate) mod merge;
mod names;
mod neighbors;
pub(crate) mod rules;
pub(crate) mod shapes;
mod should_collide;
pub(crate) mod tile_grids;
