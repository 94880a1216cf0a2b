//! [`Cut`]: the result of cutting a body.

use crate::{BodyId, ConcavePolygonId, ShapeId, VanishEvent};
use alloc::vec::Vec;
use tombolo_geometry::Position;

/// A concave polygon that a cut created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPolygon {
    /// The concave polygon.
    pub concave_polygon: ConcavePolygonId,
    /// What was cut, and is destroyed: a shape; or of a concave polygon, which consists of several convex shapes, the
    /// one that was created last.
    pub from: ShapeId,
}

/// The result of cutting a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The body: it continues as its greatest piece.
    pub body: BodyId,
    /// The new bodies that separated from it, including debris that stays, in the order of the lowest index of a corner
    /// that each keeps of the shape that was created first. Example: of a box with the corners 0, 1, 2, 3, a piece with
    /// 0 and 3 comes before one with 1 and 2.
    pub pieces: Vec<BodyId>,
    /// The pieces that were too small and vanished.
    pub vanished: Vec<VanishEvent>,
    /// The new concave polygons, on the body or on its pieces.
    pub concave_polygons: Vec<CutPolygon>,
    /// The segments along which a line or segment cut material: start and end, in world coordinates at the time of the
    /// cut. Empty for a pattern.
    pub segments: Vec<[Position; 2]>,
}
