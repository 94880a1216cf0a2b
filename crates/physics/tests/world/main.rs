//! What a world tells and asks: events, sensors, callbacks, queries, drawing, executors.

mod callbacks;
mod draw;
mod draw_bounds;
mod events;
mod executors;
mod hits;
mod queries;
mod query_iterators;
mod query_support;
mod sensors;
mod watchers;

#[path = "../feature_support/mod.rs"]
mod feature_support;
#[path = "../world_support/mod.rs"]
mod world_support;
