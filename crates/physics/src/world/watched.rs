//! [`Watched`]: what `watch.rs` keeps in a world.

use crate::shape::ShapeId;
use alloc::vec::Vec;

/// What calls changed since a watch began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// The user keys of bodies and members.
    pub(super) bodies: Vec<u64>,
    /// Shapes that are gone, with their user keys.
    pub(super) destroyed_shapes: Vec<(ShapeId, u64)>,
}
