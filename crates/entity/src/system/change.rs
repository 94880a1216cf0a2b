//! [`Change`]: what is recorded of a property that was set.

use crate::entities::Entity;
use crate::name::NameHash;

/// That a property was set by name. The new value is read where it is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// Whose it is.
    pub entity: Entity,
    /// The component's name.
    pub component: NameHash,
    /// The property's name.
    pub property: NameHash,
}
