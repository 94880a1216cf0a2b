//! The type [`Splitter`]: a split from end to end, and the memory that it needs.

use super::chord;
use super::concave_polygon::ConcavePolygon;
use super::error::SplitError;
use super::line::{CutLine, side_of};
use super::node::{self, BridgeEnd};
use super::pieces::{EdgeOrigin, PieceVertex, Pieces};
use super::repair::repair;
use super::rewire::Rewiring;
use super::sound::Soundness;
use alloc::vec::Vec;

/// The treatment of pieces and edges that are too small to be useful. The default keeps all that `f64` can distinguish.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Slivers {
    /// Pieces of this area or less, in square meters, are dropped and reported in [`Pieces::dropped`].
    pub area_min: f64,
    /// Crossing points within this distance of an end of their edge, in meters, are moved there, so that no short edges
    /// arise; [`Pieces::welded_count`] is their number. Keep it well below the polygon's smallest feature: the corner
    /// moves off the line by up to this much, for all pieces that meet there.
    pub weld_distance: f64,
}

/// Splits polygons by lines, with memory that it keeps from one split to the next.
///
/// Does not allocate for polygons of up to 64 vertices, nor for greater ones after the first of their size.
///
/// ```
/// use glam::DVec2;
/// use tombolo_geometry::split::{CutLine, ConcavePolygon, Slivers, Splitter};
/// // A comb of three teeth, cut across the teeth.
/// let comb = [[0.0, 0.0], [5.0, 0.0], [5.0, 3.0], [4.0, 3.0], [4.0, 1.0], [3.0, 1.0], [3.0, 3.0], [2.0, 3.0],
///     [2.0, 1.0], [1.0, 1.0], [1.0, 3.0], [0.0, 3.0]].map(DVec2::from_array);
/// let polygon = ConcavePolygon::new(&comb).unwrap();
/// let line = CutLine::through(DVec2::new(0.0, 2.0), DVec2::new(5.0, 2.0)).unwrap();
///
/// let mut splitter = Splitter::new();
/// let pieces = splitter.split(&polygon, &line, Slivers::default()).unwrap();
/// let areas: Vec<f64> = pieces.iter().map(|piece| piece.area()).collect();
/// assert_eq!(areas, [8.0, 1.0, 1.0, 1.0]);
/// // Each tooth touches the back along one cut; the cuts stand in their order along the line.
/// let touching: Vec<_> = pieces.cuts().iter().filter_map(|cut| cut.touching()).collect();
/// assert_eq!(touching, [(3, 0), (2, 0), (1, 0)]);
/// ```
#[derive(Clone, Debug)]
pub struct Splitter {
    offsets: Vec<f64>,
    nodes: Vec<BridgeEnd>,
    buffer: Vec<BridgeEnd>,
    rewiring: Rewiring,
    soundness: Soundness,
    pieces: Pieces,
}

impl Default for Splitter {
    fn default() -> Self {
        Self::new()
    }
}

impl Splitter {
    /// A splitter with room for polygons of 64 vertices.
    pub fn new() -> Self {
        const CAPACITY: usize = 64;
        let mut splitter = Self {
            offsets: Vec::with_capacity(CAPACITY),
            nodes: Vec::with_capacity(CAPACITY),
            buffer: Vec::with_capacity(CAPACITY),
            rewiring: Rewiring::with_capacity(CAPACITY),
            soundness: Soundness::with_capacity(CAPACITY),
            pieces: Pieces::default(),
        };
        splitter.pieces.reserve(CAPACITY);
        splitter
    }

    /// Splits a polygon by a line, or by a segment wherever that leads from border to border.
    ///
    /// All decisions are made exactly from the polygon's vertices and the line's two points; then each crossing point
    /// is rounded once, to within 4 steps of `f64`. So the pieces cover the polygon, have area, run counter-clockwise
    /// and lie on one side of the line, and the pieces on both sides of a cut have corners of the same bits. A line
    /// that misses or only touches gives one piece, the polygon itself.
    ///
    /// A piece of a polygon that [`ConcavePolygon::new`] accepts never crosses itself. Where rounding would make one do
    /// so, which takes a vertex or the tip of a spike within a few steps of the line, the split is done again with
    /// vertices within 256 steps taken to lie on the line; then a piece may reach over the line by that much.
    ///
    /// A piece of a piece, of very many cuts, may have features so small that this is not enough. Then repeated points,
    /// spikes and holes that are too small for a new polygon are removed and the rest is split, as after
    /// [`super::repair_polygon`]; the pieces name sources in the polygon as it was given. Only if a piece would cross
    /// itself even then, the polygon is refused.
    ///
    /// Costs O(n + k log k) for n vertices and k crossings, with holes that are not cut O(n) more for each of them.
    ///
    /// # Errors
    ///
    /// [`SplitError`]; then nothing was split, and the pieces of the split before are dropped.
    pub fn split(
        &mut self,
        polygon: &ConcavePolygon,
        line: &CutLine,
        slivers: Slivers,
    ) -> Result<&Pieces, SplitError> {
        match self.run::<true>(polygon, line, slivers) {
            Ok(()) => {}
            Err(SplitError::Unsound { edge }) => self.split_repaired(polygon, line, slivers, edge)?,
            Err(error) => return Err(error),
        }
        Ok(&self.pieces)
    }

    /// Removes small features from a polygon that cannot be split, at this edge, and splits the rest.
    #[cold]
    #[inline(never)]
    fn split_repaired(
        &mut self,
        polygon: &ConcavePolygon,
        line: &CutLine,
        slivers: Slivers,
        edge: u32,
    ) -> Result<(), SplitError> {
        let refused = SplitError::Unsound { edge };
        let (repaired, sources) = repair(polygon).ok_or(refused)?;
        self.run::<false>(&repaired, line, slivers).map_err(|_| refused)?;
        self.pieces.rename_sources(polygon, &repaired, &sources);
        Ok(())
    }

    /// The pieces of the last split; none before the first and after an error.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Runs a split. With `FAST` by the short path where there is one, and pieces are checked only where rounding may
    /// have broken them.
    fn run<const FAST: bool>(
        &mut self,
        polygon: &ConcavePolygon,
        line: &CutLine,
        slivers: Slivers,
    ) -> Result<(), SplitError> {
        self.pieces.clear();
        if !(slivers.area_min >= 0.0 && slivers.weld_distance >= 0.0) {
            return Err(SplitError::Slivers);
        }
        line.offsets(polygon.points(), &mut self.offsets);
        let snap_distance = node::SNAP_STEPS * f64::EPSILON * polygon.farthest();
        let near = line.offset_limit(snap_distance, polygon.farthest());
        let mut is_snapped = false;
        // One loop, as each part of it is then used once and inlined: as separate calls they take a fifth more time.
        let result = loop {
            match self.attempt(polygon, line, slivers, near, FAST, is_snapped) {
                Err(error) if FAST | is_snapped => break Err(error),
                Err(_) => {}
                Ok(may_be_unsound) if FAST && !(may_be_unsound | is_snapped) => break Ok(()),
                Ok(_) => match self.soundness.check(polygon, &self.pieces) {
                    Ok(()) => break Ok(()),
                    Err(edge) if is_snapped => break Err(SplitError::Unsound { edge }),
                    Err(_) => {}
                },
            }
            self.snap(polygon, line, snap_distance);
            is_snapped = true;
        };
        if result.is_err() {
            self.pieces.clear();
        } else if self.pieces.cuts().is_empty() {
            self.keep_whole(polygon);
        }
        result
    }

    /// Splits by the offsets as they are. Returns whether rounding may have made a piece cross itself: a vertex is near
    /// the line, a crossing point was moved, or the line crosses a spike too thin to be sure of its orientation.
    #[inline(always)]
    fn attempt(
        &mut self,
        polygon: &ConcavePolygon,
        line: &CutLine,
        slivers: Slivers,
        near: f64,
        may_shorten: bool,
        is_snapped: bool,
    ) -> Result<bool, SplitError> {
        let Slivers {
            area_min,
            weld_distance,
        } = slivers;
        let points = polygon.points();
        let is_near = node::find(polygon, line, &self.offsets, near, &mut self.nodes);
        if self.nodes.is_empty() {
            return Ok(is_near);
        }
        let welded = if weld_distance == 0.0 || is_snapped {
            0
        } else {
            node::weld(&mut self.nodes, points, weld_distance)
        };
        self.pieces.set_welded_count(welded);
        let is_short = self.nodes.len() == 2 && polygon.loop_count() == 1 && !line.is_segment();
        if is_short && may_shorten && !is_snapped {
            if self.nodes[0].role.closes() {
                self.nodes.swap(0, 1);
            }
            node::order_positions(&mut self.nodes, line);
            chord::split(polygon, &self.offsets, &self.nodes, area_min, &mut self.pieces)?;
        } else {
            node::sort(&mut self.nodes, &mut self.buffer, points);
            node::order_positions(&mut self.nodes, line);
            if is_snapped {
                node::close_spikes(&mut self.nodes, points, polygon.farthest());
            }
            let (offsets, nodes) = (&self.offsets, &self.nodes);
            self.rewiring
                .split(polygon, line, offsets, nodes, area_min, &mut self.pieces)?;
        }
        let is_tight = node::has_thin_spike(&self.nodes, points, polygon.farthest());
        Ok(is_near | is_tight | (welded > 0))
    }

    /// Sets vertices near the line to lie on it; the next attempt also cuts thin spikes off where they are thinnest.
    ///
    /// The reason why that is enough: a cut then leads between points within the snap distance of the line, so it
    /// passes no other vertex, and the remaining part of an edge ends far enough from all that it was not joined to.
    /// Only the features of a polygon that is sound but came from a split may be too small for that; then it is
    /// refused.
    #[cold]
    #[inline(never)]
    fn snap(&mut self, polygon: &ConcavePolygon, line: &CutLine, distance: f64) {
        self.pieces.clear();
        for (offset, &point) in self.offsets.iter_mut().zip(polygon.points()) {
            if *offset != 0.0 && line.distance(point) <= distance {
                *offset = 0.0;
            }
        }
    }

    /// Makes the polygon itself the only piece.
    fn keep_whole(&mut self, polygon: &ConcavePolygon) {
        for loop_index in 0..polygon.loop_count() {
            self.pieces
                .push_loop(polygon.loop_range(loop_index).map(|vertex| {
                    let index = vertex as u32;
                    PieceVertex::new(polygon.points()[vertex], index, 0.0, EdgeOrigin::Input(index))
                }));
        }
        let is_left = self.offsets.iter().any(|&offset| offset > 0.0);
        let is_right = self.offsets.iter().any(|&offset| offset < 0.0);
        self.pieces.finish_whole(side_of(is_left, is_right));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::split::ConcavePolygonError;
    use glam::DVec2;
    use proptest::prelude::*;

    /// A convex polygon: points of a circle at some of 64 directions, or a notched one where `notch` is below 1.
    fn around_a_circle(directions: u64, notch: f64) -> Vec<DVec2> {
        let mut points: Vec<DVec2> = (0..64)
            .filter(|i| directions >> i & 1 == 1)
            .map(|i| {
                let angle = f64::from(i) * core::f64::consts::TAU / 64.0;
                DVec2::new(libm::cos(angle), libm::sin(angle))
            })
            .collect();
        if let Some(first) = points.first_mut() {
            *first *= notch;
        }
        points
    }

    /// A rectangle with a spike on its upper side whose two edges cross beneath its tip, by less than new polygons may
    /// have and more than a snap removes.
    fn worn_out() -> ConcavePolygon {
        const HALF_WIDTH: f64 = 1.0e-12;
        let points = [
            [0.0, 0.0],
            [4.0, 0.0],
            [4.0, 2.0],
            [2.0 - HALF_WIDTH, 2.0],
            [2.0, 3.0],
            [2.0 + HALF_WIDTH, 2.0],
            [0.0, 2.0],
        ];
        let points = points.map(DVec2::from_array).to_vec();
        ConcavePolygon::from_saved(points, std::vec![7]).unwrap()
    }

    #[test]
    fn a_polygon_that_cannot_be_split_is_split_without_its_small_features() {
        let polygon = worn_out();
        let line = CutLine::vertical(2.0).unwrap();
        let mut splitter = Splitter::new();
        let refused = splitter.run::<true>(&polygon, &line, Slivers::default());
        assert!(matches!(refused, Err(SplitError::Unsound { .. })), "{refused:?}");
        for line in [line, line.reversed()] {
            let pieces = splitter.split(&polygon, &line, Slivers::default()).unwrap();
            let areas: Vec<f64> = pieces.iter().map(|piece| piece.area()).collect();
            assert_eq!(areas, [4.0, 4.0]);
            for piece in pieces.iter() {
                let checked = ConcavePolygon::new(piece.to_polygon().points());
                let is_sound = matches!(checked, Ok(_) | Err(ConcavePolygonError::TooSmall { .. }));
                assert!(is_sound, "{checked:?}");
                for vertex in piece.vertices() {
                    // The source and `t` of a corner must give its position in the polygon as it was given.
                    let source = vertex.source as usize;
                    let (a, b) = (polygon.points()[source], polygon.points()[polygon.next(source)]);
                    let place = a + (b - a) * vertex.t;
                    assert!(place.distance(vertex.position) < 1.0e-10, "{vertex:?}");
                }
            }
            // The right half of the upper side is a part of the edge before the spike, the left one of that behind it.
            let edges: Vec<EdgeOrigin> = pieces.piece(0).vertices().iter().map(|v| v.edge()).collect();
            assert!(edges.contains(&EdgeOrigin::Input(5)) && !edges.contains(&EdgeOrigin::Input(3)));
        }
    }

    #[test]
    fn a_polygon_that_crosses_itself_by_more_is_refused_and_leaves_no_pieces() {
        let bow_tie = [
            [0.0, 0.0],
            [4.0, 0.0],
            [0.0, 3.0],
            [4.0, 3.0],
            [4.0, 1.0],
            [0.0, 1.0],
        ];
        let points = bow_tie.map(DVec2::from_array).to_vec();
        let polygon = ConcavePolygon::from_saved(points, std::vec![6]).unwrap();
        let mut splitter = Splitter::new();
        let refused = splitter.split(&polygon, &CutLine::vertical(4.0).unwrap(), Slivers::default());
        assert!(matches!(refused, Err(SplitError::Unsound { .. })), "{refused:?}");
        assert!(splitter.pieces().is_empty());
    }

    proptest! {
        #[test]
        fn ps_12_the_short_path_gives_the_bits_of_the_general_path(
            directions in any::<u64>(),
            notch in prop_oneof![Just(1.0), 0.5..1.0],
            ends in prop::array::uniform4(-1.0f64..1.0),
            through_vertices in any::<bool>(),
        ) {
            let points = around_a_circle(directions, notch);
            prop_assume!(points.len() >= 4);
            let polygon = ConcavePolygon::new(&points);
            prop_assume!(polygon.is_ok());
            let polygon = polygon.unwrap();
            let line = if through_vertices {
                CutLine::through(points[1], points[3])
            } else {
                CutLine::through(DVec2::new(ends[0], ends[1]), DVec2::new(ends[2], ends[3]))
            };
            prop_assume!(line.is_ok());
            let line = line.unwrap();
            let mut short = Splitter::new();
            let mut general = Splitter::new();
            short.run::<true>(&polygon, &line, Slivers::default()).unwrap();
            general.run::<false>(&polygon, &line, Slivers::default()).unwrap();
            let text = |splitter: &Splitter| std::format!("{:?}", splitter.pieces());
            prop_assert_eq!(text(&short), text(&general));
        }
    }
}
