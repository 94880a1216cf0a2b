//! [`ActiveField`]: a field as the stage `fields` sees it.

use super::region::HalfPlane;
use tombolo_geometry::shape::VERTEX_COUNT_MAX;
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
    /// The lines around its area, and how many, if it is a fluid and they are straight.
    pub(super) lines: Option<([HalfPlane; VERTEX_COUNT_MAX], usize)>,
}
