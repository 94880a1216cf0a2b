//! The index: one conformance list and one oracle, which other designs of an index pass as well (`bench/designs`), and
//! the functions that only this one has.

mod conformance;
mod model;
mod shared;
mod support;

use support::{Constant, Zero, entities, entry};
use tombolo_entity::{EntityIndex, FoldMix, PrototypeIndex};

/// The index with good and with useless hashes.
pub(crate) fn every_index() -> Vec<(&'static str, Box<dyn EntityIndex>)> {
    vec![
        ("shared", Box::new(PrototypeIndex::<FoldMix>::default())),
        (
            "shared, constant",
            Box::new(PrototypeIndex::<Constant>::default()),
        ),
        ("shared, zero", Box::new(PrototypeIndex::<Zero>::default())),
    ]
}
