//! The index: one conformance list and one oracle for every design of it, and what only the shared one can do.

mod conformance;
mod model;
mod shared;

use tombolo_entity::{
    ChainIndex, Entities, Entity, EntityIndex, FoldMix, FullRows, LegacyIndex, Linked, ManagerId, Mix,
    NameHash, PrototypeIndex, Row,
};

/// Every key collides.
#[derive(Debug)]
pub(crate) enum Constant {}

impl Mix for Constant {
    fn mix(_: u64, _: Row) -> u64 {
        0x1234_5678_9abc_def0
    }
}

/// Every key collides, with the number that means "empty" in a chain.
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
        ("shared", Box::new(PrototypeIndex::<FoldMix>::default())),
        (
            "shared, constant",
            Box::new(PrototypeIndex::<Constant>::default()),
        ),
        ("shared, zero", Box::new(PrototypeIndex::<Zero>::default())),
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
