//! What bodies do, and all that can be set of them and of the world that they are in.

mod behavior;
mod between_steps;
mod body_controls;
mod body_names;
mod changes;
mod control_calls;
mod control_table;
mod extra_substeps;
mod fixed_axes;
mod numbers;

#[path = "../feature_support/mod.rs"]
mod feature_support;
#[path = "../world_support/mod.rs"]
mod world_support;
