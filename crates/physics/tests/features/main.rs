//! What games add to bodies: characters, fields and fluids, explosions, cuts.

mod after_cuts;
mod character_drops;
mod character_platforms;
mod character_rest;
mod character_support;
mod character_weight;
mod characters;
mod characters_random;
mod compound_cuts;
mod cut_edges;
mod cut_ground;
mod cut_support;
mod cutting;
mod explosions;
mod field_bodies;
mod fields;
mod fluid_lanes;
mod shattered_rounded;
mod tiled_ceilings;

#[path = "../feature_support/mod.rs"]
mod feature_support;
#[path = "../world_support/mod.rs"]
mod world_support;
