//! The result of a split: the pieces, the origin of each of their vertices and edges, and the cut between them.
//!
//! Written by [`super::chord`] and [`super::rewire`] through the methods that are not public; read by users.

use super::concave_polygon::{ConcavePolygon, Measure};
use super::line::Side;
use alloc::vec::Vec;
use core::ops::Range;
use glam::DVec2;

/// In [`PieceVertex`]'s edge: set if the edge is a cut.
const CUT_BIT: u32 = 1 << 31;
/// In [`CutSegment`]: no piece on this side, because it was dropped.
const NO_PIECE: u32 = u32::MAX;

/// The origin of an edge of a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeOrigin {
    /// The edge is all or a part of this edge of the polygon that was split.
    Input(u32),
    /// The edge is one side of this cut, an index of [`Pieces::cuts`].
    Cut(u32),
}

/// A corner of a piece, with the edge that leaves it.
///
/// An attribute of the polygon's vertices, such as a texture coordinate, has here the value `a + (b - a) * t`, where
/// `a` is its value at vertex `source` and `b` its value at the vertex after `source`.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PieceVertex {
    /// Position in meters. All pieces that meet at a crossing have the same bits here.
    pub position: DVec2,
    /// The position along edge `source` of the polygon, in `[0, 1]`; 0 at its vertices.
    pub t: f64,
    /// The vertex of the polygon at this corner, or the edge that was crossed here.
    pub source: u32,
    edge: u32,
}

const _: () = assert!(size_of::<PieceVertex>() == 32);

impl PieceVertex {
    #[inline]
    pub(super) fn new(position: DVec2, source: u32, t: f64, edge: EdgeOrigin) -> Self {
        let edge = match edge {
            EdgeOrigin::Input(index) => index,
            EdgeOrigin::Cut(index) => index | CUT_BIT,
        };
        Self {
            position,
            t,
            source,
            edge,
        }
    }

    /// The same corner with another edge leaving it.
    #[inline]
    pub(super) fn leaving_by_cut(self, cut: usize) -> Self {
        Self {
            edge: cut as u32 | CUT_BIT,
            ..self
        }
    }

    /// The origin of the edge that leaves this corner.
    #[inline]
    pub fn edge(&self) -> EdgeOrigin {
        if self.edge & CUT_BIT == 0 {
            EdgeOrigin::Input(self.edge)
        } else {
            EdgeOrigin::Cut(self.edge & !CUT_BIT)
        }
    }
}

/// A part of the line along which the polygon was cut: one edge of the piece on its left and, reversed, one of the
/// piece on its right. The cuts are in their order along the line.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutSegment {
    /// The start of the cut, seen along the line; the bits of both pieces' corners.
    pub from: DVec2,
    /// The end of the cut. Equal to `from` if the cut is shorter than `f64` can resolve; then no edge shows it.
    pub to: DVec2,
    left: u32,
    right: u32,
}

const _: () = assert!(size_of::<CutSegment>() == 40);

impl CutSegment {
    pub(super) fn new(from: DVec2, to: DVec2, left: Option<u32>, right: Option<u32>) -> Self {
        Self {
            from,
            to,
            left: left.unwrap_or(NO_PIECE),
            right: right.unwrap_or(NO_PIECE),
        }
    }

    /// The index of the piece on the left; `None` if that piece was dropped.
    pub fn left(&self) -> Option<usize> {
        (self.left != NO_PIECE).then_some(self.left as usize)
    }

    /// The index of the piece on the right; `None` if that piece was dropped.
    pub fn right(&self) -> Option<usize> {
        (self.right != NO_PIECE).then_some(self.right as usize)
    }

    /// The indices of the two pieces that touch along this cut, left and right; `None` if either was dropped.
    pub fn touching(&self) -> Option<(usize, usize)> {
        self.left().zip(self.right())
    }
}

/// A piece that was too small to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dropped {
    /// Its area in square meters; zero or slightly negative if rounding closed it.
    pub area: f64,
    /// The centroid of its area, or a corner if it has none.
    pub centroid: DVec2,
    /// The side of the line that it was on.
    pub side: Side,
}

#[derive(Clone, Copy, Debug)]
struct PieceRecord {
    area: f64,
    centroid: DVec2,
    loops_end: u32,
    side: Side,
}

/// The pieces of a polygon, made by [`Splitter::split`](super::Splitter::split).
///
/// Pieces are in the order of the lowest vertex of the polygon off the line that each has, and start with that vertex:
/// the order depends neither on the line's direction nor on the machine.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    vertices: Vec<PieceVertex>,
    loop_ends: Vec<u32>,
    records: Vec<PieceRecord>,
    cuts: Vec<CutSegment>,
    dropped: Vec<Dropped>,
    welded_count: u32,
    /// The measure of the piece under construction: the loops pushed since the last piece ended, about the first one's
    /// first corner.
    measure: Measure,
    reference: DVec2,
}

/// One piece of [`Pieces`].
#[derive(Clone, Copy, Debug)]
pub struct Piece<'a> {
    pieces: &'a Pieces,
    index: usize,
}

impl Pieces {
    /// The number of pieces: 1 if the line did not cut.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether no piece is left, because every piece was too small to keep.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether the line cut; if not, the one piece is the polygon itself, from its first vertex on.
    pub fn is_cut(&self) -> bool {
        !self.cuts.is_empty()
    }

    /// A piece by its index.
    ///
    /// # Panics
    ///
    /// If there is no such piece.
    pub fn piece(&self, index: usize) -> Piece<'_> {
        assert!(
            index < self.len(),
            "piece {index} of {} was asked for",
            self.len()
        );
        Piece { pieces: self, index }
    }

    /// All pieces in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Piece<'_>> {
        (0..self.len()).map(|index| Piece { pieces: self, index })
    }

    /// The cuts in their order along the line. Two pieces of a polygon with holes may touch along several.
    pub fn cuts(&self) -> &[CutSegment] {
        &self.cuts
    }

    /// The pieces that were too small to keep, in the order of the pieces.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// The number of crossing points that were moved to an end of their edge.
    pub fn welded_count(&self) -> usize {
        self.welded_count as usize
    }

    pub(super) fn reserve(&mut self, vertex_count: usize) {
        self.vertices.reserve(vertex_count * 4);
        self.loop_ends.reserve(vertex_count * 2);
        self.records.reserve(vertex_count);
        self.cuts.reserve(vertex_count);
        self.dropped.reserve(vertex_count);
    }

    pub(super) fn clear(&mut self) {
        self.vertices.clear();
        self.loop_ends.clear();
        self.records.clear();
        self.cuts.clear();
        self.dropped.clear();
        self.welded_count = 0;
        self.begin_piece();
    }

    fn begin_piece(&mut self) {
        (self.measure, self.reference) = (Measure::default(), DVec2::ZERO);
    }

    /// The start of the loops of the piece under construction.
    fn loops_begin(&self) -> usize {
        self.records.last().map_or(0, |record| record.loops_end as usize)
    }

    pub(super) fn set_welded_count(&mut self, count: u32) {
        self.welded_count = count;
    }

    pub(super) fn push_cut(&mut self, cut: CutSegment) {
        self.cuts.push(cut);
    }

    /// After a split of `repaired`: replaces its vertices and edges by those of `polygon`, where `sources` has the
    /// former vertex of each vertex. An edge that replaces several is attributed to the nearest of them.
    #[cold]
    pub(super) fn rename_sources(
        &mut self,
        polygon: &ConcavePolygon,
        repaired: &ConcavePolygon,
        sources: &[u32],
    ) {
        let nearest = |edge: u32, point: DVec2| {
            let end = sources[repaired.next(edge as usize)] as usize;
            nearest_edge(polygon, sources[edge as usize] as usize, end, point)
        };
        for loop_index in 0..self.loop_ends.len() {
            let range = self.loop_start(loop_index)..self.loop_ends[loop_index] as usize;
            let corners = &mut self.vertices[range];
            let first = corners[0].position;
            for index in 0..corners.len() {
                let after = corners.get(index + 1).map_or(first, |corner| corner.position);
                let corner = &mut corners[index];
                if corner.edge & CUT_BIT == 0 {
                    corner.edge = nearest(corner.edge, 0.5 * (corner.position + after)).0;
                }
                (corner.source, corner.t) = match corner.t {
                    0.0 => (sources[corner.source as usize], 0.0),
                    _ => nearest(corner.source, corner.position),
                };
            }
        }
    }

    fn loop_start(&self, loop_index: usize) -> usize {
        match loop_index {
            0 => 0,
            _ => self.loop_ends[loop_index - 1] as usize,
        }
    }

    /// Adds a loop of these vertices, ended by [`Self::finish_loop`].
    #[inline]
    pub(super) fn push_loop(&mut self, vertices: impl Iterator<Item = PieceVertex>) {
        self.vertices.extend(vertices);
        self.finish_loop();
    }

    /// Adds neighboring vertices of the polygon to the loop under construction.
    #[inline]
    pub(super) fn push_vertices(&mut self, polygon: &ConcavePolygon, range: Range<usize>) {
        let first = range.start as u32;
        let vertices = polygon.points()[range].iter().zip(first..);
        self.vertices.extend(
            vertices.map(|(&point, index)| PieceVertex::new(point, index, 0.0, EdgeOrigin::Input(index))),
        );
    }

    /// Adds corners to the loop under construction.
    #[inline]
    pub(super) fn push_corners(&mut self, corners: [PieceVertex; 2]) {
        self.vertices.extend_from_slice(&corners);
    }

    /// Ends the loop under construction, merging corners that rounding made equal and the spikes that result. A loop of
    /// fewer than three corners is discarded.
    #[inline]
    pub(super) fn finish_loop(&mut self) {
        let start = self.loop_start(self.loop_ends.len());
        let is_first = self.loop_ends.len() == self.loops_begin();
        let measured = self.measure;
        if self.measure_loop(start, is_first) {
            self.merge_corners(start);
            self.measure = measured;
            if self.vertices.len() < start + 3 {
                self.vertices.truncate(start);
                return;
            }
            self.measure_loop(start, is_first);
        }
        self.loop_ends.push(self.vertices.len() as u32);
    }

    /// Adds the last loop to the measure, about its first corner if it is a piece's first. Returns whether any two
    /// neighbors coincide, or it is no loop.
    #[inline]
    fn measure_loop(&mut self, start: usize, is_first: bool) -> bool {
        let added = &self.vertices[start..];
        let [first, ..] = added else { return true };
        if is_first {
            self.reference = first.position;
        }
        let positions = added.iter().map(|vertex| vertex.position);
        let may_merge = if is_first {
            self.measure.add_loop_about_first(positions)
        } else {
            self.measure.add_loop(positions, self.reference);
            true
        };
        added.len() < 3 || (may_merge && has_equal_neighbors(added))
    }

    /// Merges equal neighbors of the last loop and removes spikes that lead out and back. O(n) a pass; each pass but
    /// the last removes a vertex, and more than two passes need several spikes one behind the other.
    #[cold]
    fn merge_corners(&mut self, start: usize) {
        loop {
            let count = self.vertices.len() - start;
            if count < 3 {
                return;
            }
            let vertices = &mut self.vertices;
            let mut kept = start;
            for index in start..start + count {
                let vertex = vertices[index];
                if kept > start && vertices[kept - 1].position == vertex.position {
                    vertices[kept - 1] = merged(vertices[kept - 1], vertex);
                } else if kept > start + 1 && vertices[kept - 2].position == vertex.position {
                    kept -= 1;
                    vertices[kept - 1] = merged(vertices[kept - 1], vertex);
                } else {
                    vertices[kept] = vertex;
                    kept += 1;
                }
            }
            // The same across the seam between the last vertex and the first.
            if kept > start + 1 && vertices[kept - 1].position == vertices[start].position {
                vertices[start] = merged(vertices[kept - 1], vertices[start]);
                kept -= 1;
            } else if kept > start + 2 && vertices[kept - 2].position == vertices[start].position {
                vertices[start] = merged(vertices[kept - 2], vertices[start]);
                kept -= 2;
            } else if kept > start + 2 && vertices[kept - 1].position == vertices[start + 1].position {
                vertices[kept - 1] = merged(vertices[kept - 1], vertices[start + 1]);
                vertices.copy_within(start + 2..kept, start);
                kept -= 2;
            }
            vertices.truncate(kept);
            if kept == start + count {
                return;
            }
        }
    }

    fn push_record(&mut self, area: f64, centroid: DVec2, side: Side) {
        self.records.push(PieceRecord {
            area,
            centroid,
            loops_end: self.loop_ends.len() as u32,
            side,
        });
    }

    /// Ends a piece that is the polygon itself, which is kept however small it is.
    pub(super) fn finish_whole(&mut self, side: Side) {
        let centroid = self.measure.centroid(self.reference);
        self.push_record(self.measure.area, centroid, side);
        self.begin_piece();
    }

    /// Ends a piece of the loops pushed since the last one, the border first. Returns its index, or `None` if its area
    /// is not greater than `area_min` and than the rounding of the area itself: then it is dropped.
    #[inline]
    pub(super) fn finish_piece(&mut self, side: Side, area_min: f64) -> Option<u32> {
        let loops_start = self.loops_begin();
        let (measure, centroid) = (self.measure, self.measure.centroid(self.reference));
        let area = measure.area;
        self.begin_piece();
        if area > measure.area_error().max(area_min) {
            self.push_record(area, centroid, side);
            Some(self.records.len() as u32 - 1)
        } else {
            self.dropped.push(Dropped { area, centroid, side });
            self.vertices.truncate(self.loop_start(loops_start));
            self.loop_ends.truncate(loops_start);
            None
        }
    }
}

/// Whether any two neighbors of a loop coincide.
#[cold]
fn has_equal_neighbors(vertices: &[PieceVertex]) -> bool {
    let after = vertices.iter().cycle().skip(1);
    vertices
        .iter()
        .zip(after)
        .any(|(one, other)| one.position == other.position)
}

/// The edge nearest to a point among those from vertex `start` to vertex `end` along their loop, the first of equally
/// near ones, and the position along it, in `[0, 1]`.
fn nearest_edge(polygon: &ConcavePolygon, start: usize, end: usize, point: DVec2) -> (u32, f64) {
    let (mut found, mut least) = ((start as u32, 0.0), f64::INFINITY);
    let mut edge = start;
    loop {
        let next = polygon.next(edge);
        let (a, b) = (polygon.points()[edge], polygon.points()[next]);
        let along = b - a;
        let fraction = (point - a).dot(along) / along.length_squared();
        // An edge without a length gives NaN.
        let t = if fraction > 0.0 { fraction.min(1.0) } else { 0.0 };
        let distance = (a + along * t - point).length_squared();
        if distance < least {
            (found, least) = ((edge as u32, t), distance);
        }
        if next == end {
            return found;
        }
        edge = next;
    }
}

/// Two corners in one place merged: the edge that leaves the second, and the vertex of the polygon if either is one.
fn merged(first: PieceVertex, second: PieceVertex) -> PieceVertex {
    let place = if first.t == 0.0 { first } else { second };
    PieceVertex {
        edge: second.edge,
        ..place
    }
}

impl<'a> Piece<'a> {
    fn record(&self) -> PieceRecord {
        self.pieces.records[self.index]
    }

    fn loops(&self) -> core::ops::Range<usize> {
        let start = match self.index {
            0 => 0,
            index => self.pieces.records[index - 1].loops_end as usize,
        };
        start..self.record().loops_end as usize
    }

    /// The side of the line that the piece is on. A segment may leave a piece on both sides: [`Side::On`].
    pub fn side(&self) -> Side {
        self.record().side
    }

    /// The area in square meters, without the holes; greater than zero.
    pub fn area(&self) -> f64 {
        self.record().area
    }

    /// The center of the area, in meters.
    pub fn centroid(&self) -> DVec2 {
        self.record().centroid
    }

    /// The number of loops of the piece: its border and its holes.
    pub fn loop_count(&self) -> usize {
        self.loops().len()
    }

    /// The corners of a loop; loop 0 is the border and runs counter-clockwise, holes run clockwise.
    ///
    /// # Panics
    ///
    /// If the piece has no such loop.
    pub fn loop_vertices(&self, loop_index: usize) -> &'a [PieceVertex] {
        let loops = self.loops();
        assert!(
            loop_index < loops.len(),
            "loop {loop_index} of {} was asked for",
            loops.len()
        );
        let index = loops.start + loop_index;
        let end = self.pieces.loop_ends[index] as usize;
        &self.pieces.vertices[self.pieces.loop_start(index)..end]
    }

    /// The corners of the border, counter-clockwise.
    pub fn border(&self) -> &'a [PieceVertex] {
        self.loop_vertices(0)
    }

    /// The corners of all loops in one slice: the vertices of [`Piece::to_polygon`], index by index.
    pub fn vertices(&self) -> &'a [PieceVertex] {
        let loops = self.loops();
        let end = self.pieces.loop_ends[loops.end - 1] as usize;
        &self.pieces.vertices[self.pieces.loop_start(loops.start)..end]
    }

    /// The piece as a polygon, which can be split again. Allocates; nothing is checked again.
    pub fn to_polygon(&self) -> ConcavePolygon {
        let points = self.vertices().iter().map(|v| v.position).collect();
        let mut loop_ends = Vec::with_capacity(self.loop_count());
        let mut end = 0;
        for loop_index in 0..self.loop_count() {
            end += self.loop_vertices(loop_index).len() as u32;
            loop_ends.push(end);
        }
        ConcavePolygon::from_sound_parts(points, loop_ends)
    }
}
