//! The pieces of solids: cut by a line into its two sides, or into the cells of a shatter pattern.
//!
//! A rounded polygon is cut in its core and keeps its radius. The core is cut twice, by the line moved a radius to
//! either side, so that the skins of the pieces meet at the line without overlap. The skin around the new corners is
//! missing; the pieces get a greater density, so that the mass stays.

use super::core_pieces::{CorePieces, moved_left, split};
use super::shatter::Cells;
use super::solid::Solid;
use crate::constants::DENSITY_MIN;
use crate::{PhysicsError, Shape};
use alloc::vec::Vec;
use glam::DVec2;
use tombolo_geometry::split::{AreaMoments, ConcavePolygon, CutLine, Side, Splitter};

/// A piece of a solid, or a solid that was not cut.
#[derive(Clone, Debug)]
pub(crate) struct Fragment {
    /// The index of the solid.
    pub(crate) solid: usize,
    /// The side, or the cell, that it is in; `None` for a piece that a segment left on both sides.
    pub(crate) cell: Option<u32>,
    /// The piece; `None` for a solid that was not cut.
    pub(crate) concave_polygon: Option<ConcavePolygon>,
    /// The convex parts, which collide. Empty for a sliver that is too thin for that.
    pub(crate) parts: Vec<Shape>,
    /// The density in kilograms per square meter.
    pub(crate) density: f64,
    pub(crate) moments: AreaMoments,
}

/// The knife of a cut, in the body's frame: a line or cells.
#[derive(Clone, Debug)]
pub(crate) enum Knife {
    Line(CutLine),
    Cells(Cells),
}

/// The cells of the two sides of a line.
pub(super) const LEFT: u32 = 0;
pub(super) const RIGHT: u32 = 1;

impl Fragment {
    /// Whether it is a piece of a solid, and not a whole one.
    pub(super) fn is_cut(&self) -> bool {
        self.concave_polygon.is_some()
    }
}

impl Knife {
    /// The segment, if the knife is one.
    pub(super) fn segment(&self) -> Option<&CutLine> {
        match self {
            Self::Line(line) if line.is_segment() => Some(line),
            Self::Line(_) | Self::Cells(_) => None,
        }
    }

    /// The pieces of a solid's core, and the segments along which the knife cut it; one piece, the core itself, if it
    /// did not.
    fn pieces(
        &self,
        solid: &Solid,
        splitter: &mut Splitter,
        segments: &mut Vec<[DVec2; 2]>,
    ) -> Result<CorePieces, PhysicsError> {
        match self {
            Self::Line(line) if solid.radius > 0.0 => cut_skinned(solid, line, splitter, segments),
            Self::Line(line) => {
                let pieces = split(splitter, &solid.concave_polygon, line)?;
                segments.extend(pieces.cuts().iter().map(|cut| [cut.from, cut.to]));
                let all = pieces
                    .iter()
                    .map(|piece| (cell(piece.side()), piece.to_polygon()));
                Ok((all.collect(), pieces.is_cut()))
            }
            Self::Cells(cells) => cells.pieces(solid, splitter),
        }
    }

    /// The fragments of a solid, whose index is `index`.
    pub(crate) fn fragments(
        &self,
        index: usize,
        solid: &Solid,
        splitter: &mut Splitter,
        segments: &mut Vec<[DVec2; 2]>,
        shapes: &impl Fn(&[u32]) -> Vec<Shape>,
    ) -> Result<Vec<Fragment>, PhysicsError> {
        let (pieces, is_cut) = self.pieces(solid, splitter, segments)?;
        if !is_cut || pieces.is_empty() {
            return Ok(Vec::from([Fragment {
                solid: index,
                cell: pieces.first().and_then(|(cell, _)| *cell),
                concave_polygon: None,
                parts: shapes(&solid.shapes),
                density: solid.density,
                moments: solid.moments,
            }]));
        }
        let mut fragments = Vec::with_capacity(pieces.len());
        for (cell, concave_polygon) in pieces {
            let moments = concave_polygon.rounded_moments(solid.radius);
            fragments.push(Fragment {
                solid: index,
                cell,
                parts: crate::concave_polygon::convex_parts(&concave_polygon, solid.radius as f32)?,
                concave_polygon: Some(concave_polygon),
                density: solid.density,
                moments,
            });
        }
        if solid.radius > 0.0 {
            let area: f64 = fragments.iter().map(|fragment| fragment.moments.area).sum();
            let denser = solid.density * (solid.moments.area / area);
            // Rounded pieces may have a greater area than the whole: for the lightest shape no lighter pieces are
            // possible.
            let denser = denser.max(f64::from(DENSITY_MIN).min(solid.density));
            fragments
                .iter_mut()
                .for_each(|fragment| fragment.density = denser);
        }
        Ok(fragments)
    }
}

fn cell(side: Side) -> Option<u32> {
    match side {
        Side::Left => Some(LEFT),
        Side::Right => Some(RIGHT),
        Side::On => None,
    }
}

/// Cuts a core so that the skins of the pieces meet at the line.
fn cut_skinned(
    solid: &Solid,
    line: &CutLine,
    splitter: &mut Splitter,
    segments: &mut Vec<[DVec2; 2]>,
) -> Result<CorePieces, PhysicsError> {
    let middle = split(splitter, &solid.concave_polygon, line)?;
    let middle_segments: Vec<[DVec2; 2]> = middle.cuts().iter().map(|cut| [cut.from, cut.to]).collect();
    let side = if !middle.is_cut() {
        cell(middle.piece(0).side())
    } else if line.is_segment() {
        None
    } else {
        // A line parts everything: what it cannot cut is on one side.
        cell(line.side(solid.moments.centroid)).or(Some(LEFT))
    };
    let whole = || (Vec::from([(side, solid.concave_polygon.clone())]), false);
    if line.is_segment() && [line.from(), line.to()].iter().any(|&end| is_in_skin(solid, end)) {
        return Ok(whole());
    }
    let mut all = Vec::new();
    for (kept, offset) in [(Side::Left, solid.radius), (Side::Right, -solid.radius)] {
        let pieces = split(splitter, &solid.concave_polygon, &moved_left(line, offset)?)?;
        // A segment that ends inside leaves the core on both sides: then the core is not cut at all.
        let there = pieces.iter().filter(|piece| piece.side() == kept);
        let before = all.len();
        all.extend(there.map(|piece| (cell(kept), piece.to_polygon())));
        if all.len() == before || !pieces.is_cut() {
            return Ok(whole());
        }
    }
    segments.extend(middle_segments);
    Ok((all, true))
}

/// Whether a point is in the skin of a solid, outside of its core.
fn is_in_skin(solid: &Solid, point: DVec2) -> bool {
    let core = &solid.concave_polygon;
    let is_near = |(a, b): (DVec2, DVec2)| {
        let t = (point - a).dot(b - a) / (b - a).length_squared();
        a.lerp(b, t.clamp(0.0, 1.0)).distance(point) < solid.radius
    };
    let edges = (0..core.points().len()).map(|edge| (core.points()[edge], core.points()[core.next(edge)]));
    !core.contains(point) && edges.into_iter().any(is_near)
}
