//! The designs of an entity index pass the conformance list and agree with the oracle that the engine's own is tested by.

#[path = "../../../../crates/entity/tests/index/conformance.rs"]
mod conformance;
#[path = "../../../../crates/entity/tests/index/model.rs"]
mod model;
#[path = "../../../../crates/entity/tests/index/support.rs"]
mod support;

use support::{Constant, Zero, entities, row};
use tombolo_bench_designs::entity_index::{ChainIndex, FullRows, LegacyIndex, Linked};
use tombolo_entity::{EntityIndex, FoldMix};

/// Every design, with good and with useless hashes.
pub(crate) fn every_index() -> Vec<(&'static str, Box<dyn EntityIndex>)> {
    vec![
        ("legacy", Box::new(LegacyIndex::new())),
        ("linked", Box::new(ChainIndex::<Linked, FoldMix>::default())),
        (
            "linked, constant",
            Box::new(ChainIndex::<Linked, Constant>::default()),
        ),
        ("linked, zero", Box::new(ChainIndex::<Linked, Zero>::default())),
        ("full rows", Box::new(ChainIndex::<FullRows, FoldMix>::default())),
        (
            "full rows, constant",
            Box::new(ChainIndex::<FullRows, Constant>::default()),
        ),
        (
            "full rows, zero",
            Box::new(ChainIndex::<FullRows, Zero>::default()),
        ),
    ]
}
