//! [`Change`]: the record of a property that was set.

use crate::entities::Entity;
use crate::name::NameHash;

/// The record that a property was set by name. The new value is not in it: readers get it from the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The entity whose property it is.
    pub entity: Entity,
    /// The component's name.
    pub component: NameHash,
    /// The property's name.
    pub property: NameHash,
}
