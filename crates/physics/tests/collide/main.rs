//! Shapes that meet: contacts and the rules for them, chains, tiles, compounds, and what is fast or thin.

mod bounces;
mod bullets;
mod category_rules;
mod chains;
mod compounds;
mod contact_rules;
mod contact_skins;
mod contact_skins_at_speed;
mod continuous;
mod corners;
mod grid_seams;
mod half_space;
mod heaps;
mod heightfields;
mod huge_grids;
mod ignored_pairs;
mod kinematic_sweeps;
mod near_misses;
mod seams;
mod thin_plates;
mod thin_rods;
mod tile_cuts;
mod tile_edits;
mod tile_grids;
mod tile_oracle;
mod tile_slides;
mod tile_storms;
mod tile_support;

#[path = "../feature_support/mod.rs"]
mod feature_support;
#[path = "../world_support/mod.rs"]
mod world_support;
