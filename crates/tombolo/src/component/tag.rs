//! The component [`Tag`]: a mark without data, which scenes and games put on entities and zones and queries filter
//! by.

use core::convert::Infallible;

use tombolo_entity::{Component, Schema};

use super::register::{Entries, Registered, Stored};

/// A mark without data. Its name is the information: an entity with a tag `"enemy"` is an enemy.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tag;

impl Registered for Tag {
    type Apply = Stored;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        Entries::new()
    }
}

impl Component for Tag {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }
}
