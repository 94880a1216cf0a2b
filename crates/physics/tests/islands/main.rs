//! Islands, sleep and rest: who is with whom, who wakes whom, and what stays where it is.

mod island_cases;
mod island_oracle;
mod island_support;
mod island_world;
mod islands;
mod resting;
mod sleepers;
mod upkeep;

#[path = "../feature_support/mod.rs"]
mod feature_support;
#[path = "../world_support/mod.rs"]
mod world_support;
