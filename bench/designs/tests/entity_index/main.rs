//! The designs of an entity index pass the conformance list and agree with the oracle of the engine's own index.

#[path = "../../../../crates/entity/tests/index/conformance.rs"]
mod conformance;
#[path = "../../../../crates/entity/tests/index/model.rs"]
mod model;
#[path = "../../../../crates/entity/tests/index/support.rs"]
mod support;

use support::{Constant, Zero, entities, entry};
use tombolo_bench_designs::entity_index::{ChainIndex, FullEntries, LegacyIndex, Linked};
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
        (
            "full entries",
            Box::new(ChainIndex::<FullEntries, FoldMix>::default()),
        ),
        (
            "full entries, constant",
            Box::new(ChainIndex::<FullEntries, Constant>::default()),
        ),
        (
            "full entries, zero",
            Box::new(ChainIndex::<FullEntries, Zero>::default()),
        ),
    ]
}
