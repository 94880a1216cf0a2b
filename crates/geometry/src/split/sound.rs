//! Checks that pieces are valid polygons: no edge crosses, touches or folds back on another, borders run
//! counter-clockwise and holes clockwise. Exact, and without the minimum size of features that new polygons must have.
//!
//! Only for the few splits in which rounding may have broken something: see [`super::splitter`].

use super::concave_polygon::ConcavePolygon;
use super::line::turn;
use super::pieces::{PieceVertex, Pieces};
use super::simple::{Meeting, SweepEdge, meeting};
use alloc::vec::Vec;
use glam::DVec2;

/// The memory of the checks.
#[derive(Clone, Debug, Default)]
pub(super) struct Soundness {
    edges: Vec<SweepEdge>,
    open: Vec<SweepEdge>,
    points: Vec<DVec2>,
}

impl Soundness {
    pub(super) fn with_capacity(vertex_count: usize) -> Self {
        Self {
            edges: Vec::with_capacity(2 * vertex_count),
            open: Vec::with_capacity(2 * vertex_count),
            points: Vec::with_capacity(2 * vertex_count),
        }
    }

    /// Checks the pieces; returns an edge of the polygon at which one is not valid. Pieces may touch themselves in a
    /// vertex where the polygon does, or where a hole of it may have met the line.
    #[cold]
    #[inline(never)]
    pub(super) fn check(&mut self, polygon: &ConcavePolygon, pieces: &Pieces) -> Result<(), u32> {
        self.check_pieces(pieces, false).or_else(|edge| {
            if polygon.loop_count() > 1 || self.has_double_point(polygon) {
                self.check_pieces(pieces, true)
            } else {
                Err(edge)
            }
        })
    }

    fn check_pieces(&mut self, pieces: &Pieces, may_touch: bool) -> Result<(), u32> {
        pieces.iter().try_for_each(|piece| {
            self.edges.clear();
            for loop_index in 0..piece.loop_count() {
                let vertices = piece.loop_vertices(loop_index);
                if (lowest_turn(vertices) > 0.0) != (loop_index == 0) {
                    return Err(vertices[0].source);
                }
                self.add_loop(vertices);
            }
            match self.first_fault(may_touch) {
                Some(edge) => Err(piece.vertices()[edge as usize].source),
                None => Ok(()),
            }
        })
    }

    fn has_double_point(&mut self, polygon: &ConcavePolygon) -> bool {
        self.points.clear();
        self.points.extend_from_slice(polygon.points());
        self.points
            .sort_unstable_by(|a, b| a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y)));
        self.points.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Edges are numbered through the loops, as the vertices that they start at.
    fn add_loop(&mut self, vertices: &[PieceVertex]) {
        let first = self.edges.len() as u32;
        let count = vertices.len();
        self.edges.extend((0..count).map(|index| {
            let (start, end) = (vertices[index].position, vertices[(index + 1) % count].position);
            let follower = if index + 1 == count {
                first
            } else {
                first + index as u32 + 1
            };
            SweepEdge::new(first + index as u32, follower, start, end, 0.0)
        }));
    }

    /// Sweep and prune, as for new polygons.
    fn first_fault(&mut self, may_touch: bool) -> Option<u32> {
        /// The number of edges up to which every pair is tested.
        const FEW: usize = 24;
        if self.edges.len() <= FEW {
            let edges = &self.edges;
            let collides = |index: &usize| {
                let edge = &edges[*index];
                edges[..*index].iter().any(|other| {
                    let is_clear = (other.max.cmplt(edge.min) | edge.max.cmplt(other.min)).any();
                    !is_clear && collide(edge, other, may_touch)
                })
            };
            return (1..edges.len()).find(collides).map(|index| edges[index].index);
        }
        self.edges.sort_unstable_by(|a, b| {
            let order = a.min.x.total_cmp(&b.min.x);
            order.then_with(|| a.index.cmp(&b.index))
        });
        self.open.clear();
        for edge in &self.edges {
            self.open.retain(|other| other.max.x >= edge.min.x);
            for other in &self.open {
                let is_clear = edge.max.y < other.min.y || other.max.y < edge.min.y;
                if !is_clear && collide(edge, other, may_touch) {
                    return Some(edge.index);
                }
            }
            self.open.push(*edge);
        }
        None
    }
}

/// Whether two edges meet in a way that is not allowed.
fn collide(a: &SweepEdge, b: &SweepEdge, may_touch: bool) -> bool {
    let folds = |first: &SweepEdge, second: &SweepEdge| {
        turn(first.start, first.end, second.end) == 0.0
            && (first.end - first.start).dot(second.end - second.start) < 0.0
    };
    if a.follower == b.index || b.follower == a.index {
        return (a.follower == b.index && folds(a, b)) || (b.follower == a.index && folds(b, a));
    }
    match meeting(*a, *b) {
        Meeting::Cross => true,
        Meeting::Apart => false,
        Meeting::Touch => !(may_touch && meet_in_vertex(a, b)),
    }
}

/// Whether two edges that touch do so in a vertex of both, and nowhere else.
fn meet_in_vertex(a: &SweepEdge, b: &SweepEdge) -> bool {
    let (a_far, b_far, common) = if a.start == b.start {
        (a.end, b.end, a.start)
    } else if a.start == b.end {
        (a.end, b.start, a.start)
    } else if a.end == b.start {
        (a.start, b.end, a.end)
    } else if a.end == b.end {
        (a.start, b.start, a.end)
    } else {
        return false;
    };
    turn(common, a_far, b_far) != 0.0 || (a_far - common).dot(b_far - common) < 0.0
}

/// The turn at the vertex that is lowest, then leftmost: its sign is the direction of a simple loop.
fn lowest_turn(vertices: &[PieceVertex]) -> f64 {
    let count = vertices.len();
    let at = |index: usize| vertices[index % count].position;
    let lower = |a: DVec2, b: DVec2| a.y < b.y || (a.y == b.y && a.x < b.x);
    let lowest = (1..count).fold(0, |lowest, index| {
        if lower(at(index), at(lowest)) {
            index
        } else {
            lowest
        }
    });
    turn(at(lowest + count - 1), at(lowest), at(lowest + 1))
}
