//! The pieces of a solid's core: splitting along a line, also one that is offset by a radius.

use crate::PhysicsError;
use crate::constants::CUT_WELD_M;
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::split::{ConcavePolygon, CutLine, Pieces, Slivers, Splitter};

/// A piece of a solid's core, and its cell.
type CorePiece = (Option<u32>, ConcavePolygon);

/// The pieces of a core, and whether the knife cut it.
pub(super) type CorePieces = (Vec<CorePiece>, bool);

/// The line, offset to its left by a distance in meters.
pub(super) fn moved_left(line: &CutLine, distance: f64) -> Result<CutLine, PhysicsError> {
    let along = (line.to() - line.from()).normalize();
    let offset = distance * DVec2::new(-along.y, along.x);
    let ends = (line.from() + offset, line.to() + offset);
    let moved = if line.is_segment() {
        CutLine::segment_cut(ends.0, ends.1)
    } else {
        CutLine::through(ends.0, ends.1)
    };
    moved.map_err(PhysicsError::Line)
}

/// Splits with crossings near corners moved there, or without if that fails because the concave polygon has very small
/// features.
pub(super) fn split<'a>(
    splitter: &'a mut Splitter,
    concave_polygon: &ConcavePolygon,
    line: &CutLine,
) -> Result<&'a Pieces, PhysicsError> {
    let welding = Slivers {
        area_min: 0.0,
        weld_distance: CUT_WELD_M,
    };
    if splitter.split(concave_polygon, line, welding).is_err() {
        splitter
            .split(concave_polygon, line, Slivers::default())
            .map_err(PhysicsError::Split)?;
    }
    Ok(splitter.pieces())
}
