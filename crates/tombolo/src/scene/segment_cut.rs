//! [`SegmentCut`]: a cut of a scene at a given step, from the section `strokes`.

use tombolo_geometry::Vec2;

/// A cut that is made at the start of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SegmentCut {
    /// The number of steps that the world has made before the cut.
    pub step: u64,
    /// One end, in meters.
    pub from: Vec2,
    /// The other end, in meters.
    pub to: Vec2,
}
