//! The families. A new one is a file here, a line in the list, and a line in the table of docs/testing.md.

mod bvh;
mod calls;
mod damage;
mod entity_index;
mod entity_saves;
mod entity_system;
/// The geometry tests' generator of pairs, and their expected results.
#[path = "../../../crates/geometry/tests/shapes/exact.rs"]
mod exact;
mod handles;
mod impact;
mod islands;
mod manifold;
mod maps;
mod orthtree;
mod physics_calls;
mod physics_saves;
mod physics_world;
mod pool;
mod save_description;
mod scenes;
mod scripts;
mod split;
mod worlds;

use crate::harness::Entry;

/// All families, in the order in which `all` runs them.
pub(crate) const FAMILIES: &[Entry] = &[
    Entry::of::<handles::Handles>(),
    Entry::of::<pool::Pools>(),
    Entry::of::<split::Splits>(),
    Entry::of::<orthtree::Orthtrees>(),
    Entry::of::<bvh::Bvhs>(),
    Entry::of::<manifold::Manifolds>(),
    Entry::of::<impact::Impacts>(),
    Entry::of::<islands::IslandGraphs>(),
    Entry::of::<worlds::Worlds>(),
    Entry::of::<physics_calls::PhysicsCalls>(),
    Entry::of::<physics_saves::PhysicsSaves>(),
    Entry::of::<entity_index::EntityIndexes>(),
    Entry::of::<entity_system::EntitySystems>(),
    Entry::of::<entity_saves::EntitySaves>(),
    Entry::of::<scenes::Scenes>(),
    Entry::of::<maps::Maps>(),
    Entry::of::<scripts::Scripts>(),
    Entry::of::<calls::Calls>(),
    Entry::of::<calls::Saves>(),
];
