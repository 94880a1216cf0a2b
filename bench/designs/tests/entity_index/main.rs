//! The designs of an entity index pass the conformance list and agree with the oracle that the engine's own is tested by.

#[path = "../../../../crates/entity/tests/index/conformance.rs"]
mod conformance;
#[path = "../../../../crates/entity/tests/index/model.rs"]
mod model;

use tombolo_bench_designs::entity_index::{ChainIndex, FullRows, LegacyIndex, Linked};
use tombolo_entity::{Entities, Entity, EntityIndex, FoldMix, ManagerId, Mix, NameHash, Row};

/// Every key collides.
#[derive(Debug)]
pub(crate) enum Constant {}

impl Mix for Constant {
    fn mix(_: u64, _: Row) -> u64 {
        0x1234_5678_9abc_def0
    }
}

/// Every key collides, with a number that may mean "empty".
#[derive(Debug)]
pub(crate) enum Zero {}

impl Mix for Zero {
    fn mix(_: u64, _: Row) -> u64 {
        0
    }
}

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

/// A row whose name and manager are worked out from a number.
pub(crate) fn row(number: u32) -> Row {
    Row {
        name: NameHash::of(&format!("component {number}")),
        manager: ManagerId((number % 7) as u16),
    }
}

pub(crate) fn entities(count: usize) -> (Entities, Vec<Entity>) {
    let mut entities = Entities::new();
    let list = entities.create_many(count);
    (entities, list)
}
