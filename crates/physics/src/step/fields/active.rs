//! [`ActiveField`]: a field prepared for the stage `fields`.

use super::region::HalfPlane;
use tombolo_geometry::shape::VERTEX_COUNT_MAX;
use tombolo_geometry::{Aabb, Pose};

/// A field that acts in this step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveField {
    /// Its slot, which determines the order of sums.
    pub(super) slot: u32,
    /// Its dense index in the map.
    pub(super) dense: u32,
    pub(super) pose: Pose,
    /// A box around the area that it reaches.
    pub(super) reach: Aabb,
    /// The lines around its area, and their number, if it is a fluid with straight borders.
    pub(super) lines: Option<([HalfPlane; VERTEX_COUNT_MAX], usize)>,
}
