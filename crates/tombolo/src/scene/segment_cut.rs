//! [`SegmentCut`]: a cut that a scene has at a step of its own.

use tombolo_geometry::Vec2;

/// A cut that is made at the start of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SegmentCut {
    /// How many steps the world has made by then.
    pub step: u64,
    /// One end, meters.
    pub from: Vec2,
    /// The other end, meters.
    pub to: Vec2,
}
