//! Shared by the tests of every design of an index: hashes that collide, entries and entities.

use tombolo_entity::{ComponentEntry, Entities, Entity, ManagerId, Mix, NameHash};

/// Every key collides.
#[derive(Debug)]
pub(crate) enum Constant {}

impl Mix for Constant {
    fn mix(_: u64, _: ComponentEntry) -> u64 {
        0x1234_5678_9abc_def0
    }
}

/// Every key collides, with a number that may mean "empty".
#[derive(Debug)]
pub(crate) enum Zero {}

impl Mix for Zero {
    fn mix(_: u64, _: ComponentEntry) -> u64 {
        0
    }
}

/// An entry whose name and manager are worked out from a number.
pub(crate) fn entry(number: u32) -> ComponentEntry {
    ComponentEntry {
        name: NameHash::of(&format!("component {number}")),
        manager: ManagerId((number % 7) as u16),
    }
}

pub(crate) fn entities(count: usize) -> (Entities, Vec<Entity>) {
    let mut entities = Entities::new();
    let list = entities.create_many(count);
    (entities, list)
}
