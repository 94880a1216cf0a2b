//! The fast path for polygons without holes that the line enters once and leaves once, as it does every convex one: the
//! second node ends the first half, so nothing is sorted or rewired. The result has the bits of [`super::rewire`]'s.

use super::concave_polygon::ConcavePolygon;
use super::configuration::Role;
use super::error::SplitError;
use super::line::Side;
use super::node::BridgeEnd;
use super::pieces::{CutSegment, EdgeOrigin, PieceVertex, Pieces};
use core::ops::Range;

/// The vertices of a ring strictly between two nodes: `count` of them from `first` on, around the end of the ring.
#[derive(Clone, Copy)]
struct Arc {
    first: usize,
    count: usize,
    /// The position in the arc of the lowest vertex off the line: the piece starts there.
    lead: usize,
}

impl Arc {
    fn between(from: &BridgeEnd, to: &BridgeEnd, offsets: &[f64]) -> Self {
        let ring = offsets.len();
        let first = from.next as usize;
        let stop = if to.is_crossing { to.next } else { to.edge } as usize;
        let count = wrap(stop + ring - first, ring);
        let wrapped = (ring - first).min(count);
        let off_line = |steps: &usize| offsets[wrap(first + steps, ring)] != 0.0;
        let lead = (wrapped..count)
            .find(off_line)
            .or_else(|| (0..wrapped).find(off_line));
        Self {
            first,
            count,
            lead: lead.unwrap_or(0),
        }
    }

    fn start(&self, ring: usize) -> usize {
        wrap(self.first + self.lead, ring)
    }

    /// Adds the vertices of some steps into the arc to the loop under construction.
    #[inline]
    fn push(&self, steps: Range<usize>, polygon: &ConcavePolygon, ring: usize, pieces: &mut Pieces) {
        let [from, to] = [self.first + steps.start, self.first + steps.end];
        let (is_around, is_over) = (from >= ring, from < ring && to > ring);
        // By index and not by a branch: where a line crosses a polygon cannot be predicted.
        let around = [0, ring][usize::from(is_around)];
        pieces.push_vertices(polygon, from - around..[to - around, ring][usize::from(is_over)]);
        // Arcs begin where their pieces do, so few cross the end of the ring.
        if is_over {
            pieces.push_vertices(polygon, 0..to - ring);
        }
    }
}

/// Wraps a position in a ring, for one at most a ring too far. A subtraction, because a division takes longer than the
/// rest of the work for a vertex.
#[inline]
fn wrap(index: usize, ring: usize) -> usize {
    if index < ring { index } else { index - ring }
}

/// Splits along the one bridge between two nodes, the source first.
pub(super) fn split(
    polygon: &ConcavePolygon,
    offsets: &[f64],
    nodes: &[BridgeEnd],
    area_min: f64,
    pieces: &mut Pieces,
) -> Result<(), SplitError> {
    let [source, destination] = nodes else {
        return Ok(());
    };
    if (source.role, destination.role) != (Role::Opens, Role::Closes) {
        return Err(SplitError::Unsound { edge: source.edge });
    }
    let ring = offsets.len();
    let right = Arc::between(source, destination, offsets);
    let left = Arc::between(destination, source, offsets);
    if right.count == 0 || left.count == 0 {
        return Err(SplitError::Unsound { edge: source.edge });
    }
    let mut emit = |arc: Arc, from: &BridgeEnd, to: &BridgeEnd, side: Side| {
        arc.push(arc.lead..arc.count, polygon, ring, pieces);
        pieces.push_corners([corner(to).leaving_by_cut(0), corner(from)]);
        arc.push(0..arc.lead, polygon, ring, pieces);
        pieces.finish_loop();
        pieces.finish_piece(side, area_min)
    };
    let (left_piece, right_piece);
    if left.start(ring) < right.start(ring) {
        left_piece = emit(left, destination, source, Side::Left);
        right_piece = emit(right, source, destination, Side::Right);
    } else {
        right_piece = emit(right, source, destination, Side::Right);
        left_piece = emit(left, destination, source, Side::Left);
    }
    pieces.push_cut(CutSegment::new(
        source.position,
        destination.position,
        left_piece,
        right_piece,
    ));
    Ok(())
}

/// The corner at a node, with the polygon's own edge leaving it.
pub(super) fn corner(node: &BridgeEnd) -> PieceVertex {
    PieceVertex::new(node.position, node.source, node.t, EdgeOrigin::Input(node.edge))
}
