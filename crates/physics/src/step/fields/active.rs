//! [`ActiveField`]: a field as the stage `fields` sees it.

use tombolo_geometry::{Aabb, Pose};

/// A field that acts in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveField {
    /// Its slot, by which sums are ordered.
    pub(super) slot: u32,
    /// Its place in the map.
    pub(super) dense: u32,
    pub(super) pose: Pose,
    /// A box around all that it reaches.
    pub(super) reach: Aabb,
}
