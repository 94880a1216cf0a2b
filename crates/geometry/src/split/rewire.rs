//! The general path: sorted nodes are paired into bridges, each bridge becomes two opposite edges between duplicated
//! corners, and the rings that result are collected into pieces.
//!
//! A node has up to three corners once it is bridged. Counter-clockwise around it, from the leaving edge to the
//! arriving edge: the corner that keeps the leaving edge, perhaps a straight corner between two bridges, and the corner
//! that keeps the arriving edge. [`Corners`] has the corner for each side of each bridge.

use super::chord::corner;
use super::concave_polygon::{ConcavePolygon, Measure};
use super::configuration::Role;
use super::error::SplitError;
use super::line::{CutLine, Side, side_of};
use super::node::BridgeEnd;
use super::pieces::{CutSegment, EdgeOrigin, PieceVertex, Pieces};
use super::simple::{PointLocation, locate};
use alloc::vec::Vec;
use glam::DVec2;

/// The index of no ring, no piece and no parent.
const NONE: u32 = u32::MAX;

/// A corner in a ring. The first slots are the polygon's vertices, by their numbers.
#[derive(Clone, Copy, Debug)]
struct RingCorner {
    vertex: PieceVertex,
    next: u32,
    /// The ring of the slot, once traced.
    ring: u32,
}

/// A bridge between a node and the one after it, in the order of the line.
#[derive(Clone, Copy, Debug)]
struct Bridge {
    /// The index of the node at its start; it ends at the next node.
    node: u32,
    /// The corners of the piece on the left at its start, and of the piece on the right.
    left: u32,
    right: u32,
}

/// The corners of a node by side and bridge. Where there is no such bridge the value has no meaning.
#[derive(Clone, Copy, Debug)]
struct Corners {
    forward_left: u32,
    forward_right: u32,
    backward_left: u32,
    backward_right: u32,
}

impl Corners {
    const NONE: Self = Self {
        forward_left: NONE,
        forward_right: NONE,
        backward_left: NONE,
        backward_right: NONE,
    };
}

/// A closed ring of slots.
#[derive(Clone, Copy, Debug)]
struct Ring {
    start: u32,
    side: Side,
    /// For a hole, the ring of the border around it.
    parent: u32,
    area: f64,
    /// The piece that was made of it.
    piece: u32,
}

/// The memory of the general path.
#[derive(Clone, Debug)]
pub(super) struct Rewiring {
    slots: Vec<RingCorner>,
    corners: Vec<Corners>,
    bridges: Vec<Bridge>,
    rings: Vec<Ring>,
}

impl Rewiring {
    pub(super) fn with_capacity(vertex_count: usize) -> Self {
        Self {
            slots: Vec::with_capacity(vertex_count * 4),
            corners: Vec::with_capacity(vertex_count),
            bridges: Vec::with_capacity(vertex_count),
            rings: Vec::with_capacity(vertex_count),
        }
    }

    /// Splits along every bridge between the sorted nodes that the line reaches; makes no pieces if there is none.
    pub(super) fn split(
        &mut self,
        polygon: &ConcavePolygon,
        line: &CutLine,
        offsets: &[f64],
        nodes: &[BridgeEnd],
        area_min: f64,
        pieces: &mut Pieces,
    ) -> Result<(), SplitError> {
        self.pair(nodes, line)?;
        if self.bridges.is_empty() {
            return Ok(());
        }
        self.cut(polygon, nodes);
        self.trace(offsets);
        // A segment may lead from a hole to a border that it is not cut off from: such a bridge has one ring on both
        // sides and cuts nothing. The others stay the same without it, so one more pass is enough.
        let (slots, count) = (&self.slots, self.bridges.len());
        let ring = |slot: u32| slots[slot as usize].ring;
        self.bridges.retain(|b| ring(b.left) != ring(b.right));
        if self.bridges.len() != count {
            if !line.is_segment() {
                return Err(SplitError::Unsound { edge: nodes[0].edge });
            }
            self.cut(polygon, nodes);
            self.trace(offsets);
        }
        if polygon.loop_count() > 1 {
            self.find_parents(offsets);
        }
        if !self.bridges.is_empty() {
            self.collect(nodes, area_min, pieces);
        }
        Ok(())
    }

    /// Finds the bridges: a node that opens must be followed by one that closes. Where it is not, inside and outside do
    /// not alternate along the line and the polygon is unsound.
    fn pair(&mut self, nodes: &[BridgeEnd], line: &CutLine) -> Result<(), SplitError> {
        self.bridges.clear();
        let mut is_open = false;
        for (index, node) in nodes.iter().enumerate() {
            if is_open != node.role.closes() {
                return Err(SplitError::Unsound { edge: node.edge });
            }
            if is_open && line.reaches(nodes[index - 1].position) && line.reaches(node.position) {
                self.bridges.push(Bridge {
                    node: index as u32 - 1,
                    left: NONE,
                    right: NONE,
                });
            }
            is_open = node.role.opens();
        }
        match nodes.last() {
            Some(last) if is_open => Err(SplitError::Unsound { edge: last.edge }),
            _ => Ok(()),
        }
    }

    /// Builds the rings from the polygon, the nodes and the bridges.
    fn cut(&mut self, polygon: &ConcavePolygon, nodes: &[BridgeEnd]) {
        self.slots.clear();
        for loop_index in 0..polygon.loop_count() {
            let range = polygon.loop_range(loop_index);
            let (start, end) = (range.start as u32, range.end as u32);
            let corner = |(&point, index): (&DVec2, u32)| RingCorner {
                vertex: PieceVertex::new(point, index, 0.0, EdgeOrigin::Input(index)),
                next: if index + 1 == end { start } else { index + 1 },
                ring: NONE,
            };
            self.slots
                .extend(polygon.points()[range].iter().zip(start..).map(corner));
        }
        self.corners.clear();
        let mut bridges = self.bridges.iter().peekable();
        let mut is_backwards = false;
        for (index, node) in nodes.iter().enumerate() {
            let is_forwards = bridges.next_if(|b| b.node == index as u32).is_some();
            let corners = if is_forwards || is_backwards {
                duplicate(&mut self.slots, node, is_forwards && is_backwards)
            } else {
                Corners::NONE
            };
            self.corners.push(corners);
            is_backwards = is_forwards;
        }
        self.link();
    }

    /// Turns each bridge into two opposite edges.
    fn link(&mut self) {
        for (index, bridge) in self.bridges.iter_mut().enumerate() {
            let start = self.corners[bridge.node as usize];
            let end = self.corners[bridge.node as usize + 1];
            for (from, to) in [
                (start.forward_left, end.backward_left),
                (end.backward_right, start.forward_right),
            ] {
                let slot = &mut self.slots[from as usize];
                slot.vertex = slot.vertex.leaving_by_cut(index);
                slot.next = to;
            }
            bridge.left = start.forward_left;
            bridge.right = start.forward_right;
        }
    }

    /// Traces every ring once. `next` is a permutation of the slots, so every trace returns to its start; and every
    /// ring has a vertex off the line, so starting at those finds all.
    fn trace(&mut self, offsets: &[f64]) {
        self.rings.clear();
        for start in 0..offsets.len() {
            if offsets[start] == 0.0 || self.slots[start].ring != NONE {
                continue;
            }
            let (mut is_left, mut is_right) = (false, false);
            let mut slot = start;
            while self.slots[slot].ring == NONE {
                self.slots[slot].ring = self.rings.len() as u32;
                if let Some(&offset) = offsets.get(slot) {
                    is_left |= offset > 0.0;
                    is_right |= offset < 0.0;
                }
                slot = self.slots[slot].next as usize;
            }
            self.rings.push(Ring {
                start: start as u32,
                side: side_of(is_left, is_right),
                parent: NONE,
                area: 0.0,
                piece: NONE,
            });
        }
    }

    /// The corners of a ring, in order.
    fn ring(&self, index: usize) -> RingVertices<'_> {
        let start = self.rings[index].start;
        RingVertices {
            slots: &self.slots,
            start,
            current: Some(start),
        }
    }

    /// Finds the border around each hole: the smallest on its side that contains it.
    fn find_parents(&mut self, offsets: &[f64]) {
        for index in 0..self.rings.len() {
            let positions = self.ring(index).map(|v| v.position);
            let reference = self.slots[self.rings[index].start as usize].vertex.position;
            let mut measure = Measure::default();
            measure.add_loop(positions, reference);
            // A ring that rounding closed is no hole; it is dropped as a piece.
            let is_clear = measure.area.abs() > measure.area_error();
            self.rings[index].area = if is_clear { measure.area } else { 0.0 };
        }
        for hole in 0..self.rings.len() {
            if self.rings[hole].area >= 0.0 {
                continue;
            }
            let witness = self.farthest(hole, offsets);
            let mut parent = NONE;
            for border in 0..self.rings.len() {
                let Ring { area, side, .. } = self.rings[border];
                let is_smaller = parent == NONE || area < self.rings[parent as usize].area;
                let may_hold = area > 0.0 && (side == self.rings[hole].side || side == Side::On);
                if may_hold && is_smaller && self.is_ring_inside(hole, border, witness) {
                    parent = border as u32;
                }
            }
            self.rings[hole].parent = parent;
        }
    }

    /// The position of a ring's vertex that is farthest from the line. The borders' crossing points are rounded, so
    /// that a vertex a step beside the line may seem to be in a piece on the other side; this one is the least likely
    /// to.
    fn farthest(&self, ring: usize, offsets: &[f64]) -> DVec2 {
        let reach = |v: &PieceVertex| {
            if v.t == 0.0 {
                offsets[v.source as usize].abs()
            } else {
                0.0
            }
        };
        let start = self.slots[self.rings[ring].start as usize].vertex;
        let farther = |a: PieceVertex, b: PieceVertex| if reach(&b) > reach(&a) { b } else { a };
        self.ring(ring).fold(start, farther).position
    }

    /// Whether a ring is inside another. They may share corners: if the witness is one, the first that is not decides.
    fn is_ring_inside(&self, inner: usize, outer: usize, witness: DVec2) -> bool {
        core::iter::once(witness)
            .chain(self.ring(inner).map(|vertex| vertex.position))
            .map(|point| locate(point, self.ring(outer).map(|v| v.position)))
            .find(|&place| place != PointLocation::Border)
            == Some(PointLocation::Inside)
    }

    /// Makes pieces of the rings, each border with its holes, and cuts of the bridges.
    fn collect(&mut self, nodes: &[BridgeEnd], area_min: f64, pieces: &mut Pieces) {
        let is_holed = self.rings.iter().any(|r| r.parent != NONE);
        for index in 0..self.rings.len() {
            if self.rings[index].parent != NONE {
                continue;
            }
            pieces.push_loop(self.ring(index));
            if is_holed {
                for hole in 0..self.rings.len() {
                    if self.rings[hole].parent == index as u32 {
                        pieces.push_loop(self.ring(hole));
                    }
                }
            }
            let piece = pieces.finish_piece(self.rings[index].side, area_min);
            self.rings[index].piece = piece.unwrap_or(NONE);
        }
        for bridge in &self.bridges {
            let node = bridge.node as usize;
            pieces.push_cut(CutSegment::new(
                nodes[node].position,
                nodes[node + 1].position,
                self.piece_at(bridge.left),
                self.piece_at(bridge.right),
            ));
        }
    }

    /// The piece of a slot, if it was kept: a slot whose ring is no polygon is in none.
    fn piece_at(&self, slot: u32) -> Option<u32> {
        let ring = *self.rings.get(self.slots[slot as usize].ring as usize)?;
        let border = match ring.parent {
            NONE => ring,
            parent => self.rings[parent as usize],
        };
        (border.piece != NONE).then_some(border.piece)
    }
}

/// Makes the corners of a bridged node: the vertex itself or a new slot on the crossed edge keeps the arriving edge, a
/// copy keeps the leaving edge, and between two bridges a third slot is the straight corner.
fn duplicate(slots: &mut Vec<RingCorner>, node: &BridgeEnd, is_bridged_both_ways: bool) -> Corners {
    let push = |slots: &mut Vec<RingCorner>, next: u32| {
        slots.push(RingCorner {
            vertex: corner(node),
            next,
            ring: NONE,
        });
        slots.len() as u32 - 1
    };
    let arriving = if node.is_crossing {
        let slot = push(slots, node.next);
        slots[node.edge as usize].next = slot;
        slot
    } else {
        node.edge
    };
    let leaving = push(slots, node.next);
    let mut corners = Corners {
        forward_left: arriving,
        forward_right: leaving,
        backward_left: leaving,
        backward_right: arriving,
    };
    if is_bridged_both_ways {
        let straight = push(slots, NONE);
        if node.role
            == (Role::ClosesAndOpens {
                is_left_straight: true,
            })
        {
            (corners.forward_left, corners.backward_left) = (straight, straight);
        } else {
            (corners.forward_right, corners.backward_right) = (straight, straight);
        }
    }
    corners
}

/// An iterator over a ring from its start until it is back there.
#[derive(Clone)]
struct RingVertices<'a> {
    slots: &'a [RingCorner],
    start: u32,
    current: Option<u32>,
}

impl Iterator for RingVertices<'_> {
    type Item = PieceVertex;

    #[inline]
    fn next(&mut self) -> Option<PieceVertex> {
        let slot = self.slots[self.current? as usize];
        self.current = (slot.next != self.start).then_some(slot.next);
        Some(slot.vertex)
    }
}
