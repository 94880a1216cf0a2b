//! The index: one conformance list and one oracle, which other designs of an index are held to as well (`bench/designs`),
//! and what only this one can do.

mod conformance;
mod model;
mod shared;

use tombolo_entity::{Entities, Entity, EntityIndex, FoldMix, ManagerId, Mix, NameHash, PrototypeIndex, Row};

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
