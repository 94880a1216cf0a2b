//! The points at which the line meets the polygon: finding them, their exact order along the line, their positions.
//!
//! Order and role are decided exactly, from the polygon's own vertices; positions are rounded afterwards and
//! corrected to follow the order. So rounding can move a piece's corner by a step of `f64`, never change which
//! pieces there are.

use super::concave_polygon::ConcavePolygon;
use super::configuration::{Configuration, Role, Surroundings};
use super::line::{Crosser, CutLine, LineDirection, Side, turn};
use alloc::vec::Vec;
use core::cmp::Ordering;
use glam::DVec2;

/// A point on the line at which a bridge starts or ends: a crossed edge, or a vertex on the line.
#[derive(Clone, Copy, Debug)]
pub(super) struct BridgeEnd {
    /// The rounded position; every piece that meets here has these bits.
    pub(super) position: DVec2,
    /// The least and the greatest advance of the crossed edge; both the vertex's advance for a vertex. Exact.
    low: f64,
    high: f64,
    /// The position along `source`'s edge, from 0 to 1; 0 in a vertex.
    pub(super) t: f64,
    /// The edge or vertex that provides the point's attributes.
    pub(super) source: u32,
    /// The crossed edge, or the vertex.
    pub(super) edge: u32,
    /// The vertex after `edge`.
    pub(super) next: u32,
    pub(super) role: Role,
    pub(super) is_crossing: bool,
}

/// The distance from the line within which a vertex is taken to be on it when pieces must be snapped, in steps of `f64`
/// at the farthest coordinate. Crossing points are rounded by six of them at most; a polygon's features are 65,536 or
/// more.
pub(super) const SNAP_STEPS: f64 = 256.0;

/// The width of a spike at the line, in the same steps, from which rounding surely leaves it its orientation.
const SPIKE_STEPS: f64 = 16.0;

/// Finds the nodes in the order of the border, from the offsets of all vertices. Touched vertices give none. Returns
/// whether any vertex is off the line by less than `near`, an offset.
pub(super) fn find(
    polygon: &ConcavePolygon,
    line: &CutLine,
    offsets: &[f64],
    near: f64,
    nodes: &mut Vec<BridgeEnd>,
) -> bool {
    let points = polygon.points();
    let (crosser, direction) = (Crosser::new(line), line.direction());
    let mut is_near = false;
    nodes.clear();
    for loop_index in 0..polygon.loop_count() {
        let range = polygon.loop_range(loop_index);
        let after = |vertex: usize| {
            if vertex + 1 == range.end {
                range.start
            } else {
                vertex + 1
            }
        };
        let mut add = |vertex: usize| {
            let next = after(vertex);
            if offsets[vertex] == 0.0 {
                let previous = if vertex == range.start { range.end } else { vertex } - 1;
                nodes.extend(vertex_node(points, line, offsets, [previous, vertex, next]));
            } else {
                nodes.push(crossing_node(
                    points,
                    direction,
                    &crosser,
                    offsets[vertex] > 0.0,
                    [vertex, next],
                ));
            }
        };
        // Sixty-four at a time, by masks: the side of a vertex cannot be predicted, so a branch for each vertex costs
        // more than the arithmetic of its side.
        let mut first = range.start;
        while first < range.end {
            let chunk = first..range.end.min(first + 64);
            let last = chunk.len() - 1;
            let all = u64::MAX >> (63 - last);
            let (mut left, mut right) = sides(&offsets[chunk.clone()], near);
            // Few lines come near to a vertex, or through one, so the detailed test is a rare case.
            let clear = left | right;
            if clear != all {
                (left, right) = sides(&offsets[chunk.clone()], f64::MIN_POSITIVE);
                is_near |= left | right != clear;
            }
            let beyond = offsets[after(chunk.end - 1)];
            let next_left = (left >> 1) | u64::from(beyond > 0.0) << last;
            let next_right = (right >> 1) | u64::from(beyond < 0.0) << last;
            let on = !(left | right) & all;
            let mut marks = on | (left & next_right) | (right & next_left);
            while marks != 0 {
                add(first + marks.trailing_zeros() as usize);
                marks &= marks - 1;
            }
            first += 64;
        }
    }
    is_near
}

/// A bit for each offset that is at least this far on the left, and one for each on the right.
#[inline]
fn sides(offsets: &[f64], least: f64) -> (u64, u64) {
    let (mut left, mut right) = (0_u64, 0_u64);
    for &offset in offsets.iter().rev() {
        left = left << 1 | u64::from(offset >= least);
        right = right << 1 | u64::from(offset <= -least);
    }
    (left, right)
}

#[inline]
fn crossing_node(
    points: &[DVec2],
    direction: LineDirection,
    crosser: &Crosser,
    opens: bool,
    [edge, next]: [usize; 2],
) -> BridgeEnd {
    let (start, end) = (points[edge], points[next]);
    let (position, t) = crosser.crossing(start, end);
    // A crossing that rounds to an end of its edge is that vertex for all pieces that meet there.
    let (source, t) = if position == start {
        (edge, 0.0)
    } else if position == end {
        (next, 0.0)
    } else {
        (edge, t)
    };
    let (start_advance, end_advance) = (direction.advance(start), direction.advance(end));
    BridgeEnd {
        position,
        low: start_advance.min(end_advance),
        high: start_advance.max(end_advance),
        t,
        source: source as u32,
        edge: edge as u32,
        next: next as u32,
        role: if opens { Role::Opens } else { Role::Closes },
        is_crossing: true,
    }
}

fn vertex_node(
    points: &[DVec2],
    line: &CutLine,
    offsets: &[f64],
    [previous, vertex, next]: [usize; 3],
) -> Option<BridgeEnd> {
    let position = points[vertex];
    let advance = line.advance(position);
    let configuration =
        Configuration::new(Side::from_turn(offsets[previous]), Side::from_turn(offsets[next]));
    let role = configuration.role(Surroundings {
        is_previous_behind: line.advance(points[previous]) < advance,
        is_next_behind: line.advance(points[next]) < advance,
        is_reflex: turn(points[previous], position, points[next]) < 0.0,
    });
    (role != Role::Touches).then_some(BridgeEnd {
        position,
        low: advance,
        high: advance,
        t: 0.0,
        source: vertex as u32,
        edge: vertex as u32,
        next: next as u32,
        role,
        is_crossing: false,
    })
}

/// The exact order of two nodes along the line.
///
/// Edges that do not overlap along the line are ordered by their ends. Of two that do, both crossed by the line and not
/// crossing each other, one lies wholly on one side of the other, and that side is the order: so four turns decide it
/// and no crossing point is needed. `Equal` for vertices in one place, and for edges of an unsound polygon.
fn order(a: &BridgeEnd, b: &BridgeEnd, points: &[DVec2]) -> Ordering {
    if a.high < b.low {
        return Ordering::Less;
    }
    if b.high < a.low {
        return Ordering::Greater;
    }
    match (a.is_crossing, b.is_crossing) {
        // In one place: ends come before starts.
        (false, false) => a.role.opens().cmp(&b.role.opens()),
        (true, false) => beside(upward(a, points), [b.position; 2]),
        (false, true) => beside(upward(b, points), [a.position; 2]).reverse(),
        (true, true) => {
            let (edge, other) = (upward(a, points), upward(b, points));
            beside(edge, other).then_with(|| beside(other, edge).reverse())
        }
    }
}

/// The ends of a crossed edge, the one on the right of the line first.
#[inline]
fn upward(node: &BridgeEnd, points: &[DVec2]) -> [DVec2; 2] {
    let (start, end) = (points[node.edge as usize], points[node.next as usize]);
    if node.role == Role::Opens {
        [end, start]
    } else {
        [start, end]
    }
}

/// `Less` if all of `other` comes after the edge along the line, `Greater` if all comes before it, `Equal` if neither.
#[inline]
fn beside([right, left]: [DVec2; 2], other: [DVec2; 2]) -> Ordering {
    let first = turn(right, left, other[0]);
    let second = turn(right, left, other[1]);
    if first == 0.0 && second == 0.0 {
        Ordering::Equal
    } else if first <= 0.0 && second <= 0.0 {
        Ordering::Less
    } else if first >= 0.0 && second >= 0.0 {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}

/// Sorts the nodes along the line: O(n log n) comparisons, O(n) for combs, which come sorted or reversed.
///
/// A merge sort of our own because the order of an unsound polygon's nodes need not be a total order, for which the
/// standard library's sorts may panic; this one ends in some order, and the pairing then finds the polygon unsound.
pub(super) fn sort(nodes: &mut Vec<BridgeEnd>, buffer: &mut Vec<BridgeEnd>, points: &[DVec2]) {
    const RUN: usize = 8;
    let count = nodes.len();
    let (Some(first), Some(last)) = (nodes.first(), nodes.last()) else {
        return;
    };
    if order(first, last, points) == Ordering::Greater {
        nodes.reverse();
    }
    for run in nodes.chunks_mut(RUN) {
        for end in 1..run.len() {
            let node = run[end];
            let mut place = end;
            while place > 0 && order(&run[place - 1], &node, points) == Ordering::Greater {
                run[place] = run[place - 1];
                place -= 1;
            }
            run[place] = node;
        }
    }
    let mut width = RUN;
    while width < count {
        buffer.clear();
        for pair in nodes.chunks(2 * width) {
            let (left, right) = pair.split_at(width.min(pair.len()));
            merge(left, right, buffer, points);
        }
        core::mem::swap(nodes, buffer);
        width *= 2;
    }
}

/// Appends two sorted runs to `merged` as one.
fn merge(mut left: &[BridgeEnd], mut right: &[BridgeEnd], merged: &mut Vec<BridgeEnd>, points: &[DVec2]) {
    if let (Some(end), Some(start)) = (left.last(), right.first())
        && order(end, start, points) != Ordering::Greater
    {
        merged.extend_from_slice(left);
        merged.extend_from_slice(right);
        return;
    }
    while let (Some(a), Some(b)) = (left.first(), right.first()) {
        if order(a, b, points) == Ordering::Greater {
            merged.push(*b);
            right = &right[1..];
        } else {
            merged.push(*a);
            left = &left[1..];
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
}

/// Moves crossing points within `distance` of an end of their edge, in meters, to that end. Returns their number.
pub(super) fn weld(nodes: &mut [BridgeEnd], points: &[DVec2], distance: f64) -> u32 {
    let mut welded = 0;
    for node in nodes.iter_mut().filter(|n| n.is_crossing) {
        let to = |vertex: u32| points[vertex as usize].distance_squared(node.position);
        let vertex = if to(node.edge) <= to(node.next) {
            node.edge
        } else {
            node.next
        };
        if to(vertex) <= distance * distance {
            node.position = points[vertex as usize];
            node.source = vertex;
            node.t = 0.0;
            welded += 1;
        }
    }
    welded
}

/// Whether the line crosses both edges of one corner where the spike, or the notch, between them is so thin that
/// rounding may invert it. `farthest` is the polygon's greatest coordinate.
#[inline]
fn is_thin_spike(one: &BridgeEnd, other: &BridgeEnd, points: &[DVec2], farthest: f64) -> bool {
    let between = other.position - one.position;
    let is_near_edge = |node: &BridgeEnd| {
        let along = points[node.next as usize] - points[node.edge as usize];
        between.perp_dot(along).abs() <= SPIKE_STEPS * f64::EPSILON * farthest * along.abs().element_sum()
    };
    // Without branches: which edges a line crosses cannot be predicted.
    let is_corner = (one.next == other.edge) | (other.next == one.edge);
    one.is_crossing & other.is_crossing & is_corner & (is_near_edge(one) | is_near_edge(other))
}

/// Whether there is a thin spike among sorted nodes.
#[inline]
pub(super) fn has_thin_spike(nodes: &[BridgeEnd], points: &[DVec2], farthest: f64) -> bool {
    let mut pairs = nodes.windows(2);
    pairs.any(|pair| is_thin_spike(&pair[0], &pair[1], points, farthest))
}

/// Moves both crossing points of each thin spike to the one that is nearer to the tip. Nodes in order stay in order.
#[cold]
pub(super) fn close_spikes(nodes: &mut [BridgeEnd], points: &[DVec2], farthest: f64) {
    for index in 1..nodes.len() {
        let (one, other) = (nodes[index - 1], nodes[index]);
        if !is_thin_spike(&one, &other, points, farthest) {
            continue;
        }
        let tip = if one.next == other.edge {
            one.next
        } else {
            one.edge
        };
        let to_tip = |node: &BridgeEnd| points[tip as usize].distance_squared(node.position);
        let (moved, to) = if to_tip(&one) <= to_tip(&other) {
            (index, one)
        } else {
            (index - 1, other)
        };
        let node = &mut nodes[moved];
        node.position = to.position;
        let (start, end) = (points[node.edge as usize], points[node.next as usize]);
        let along = end - start;
        node.t = ((to.position - start).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        node.source = node.edge;
        if to.position == end {
            (node.source, node.t) = (node.next, 0.0);
        } else if to.position == start {
            node.t = 0.0;
        } else if node.t == 0.0 {
            // Beside the vertex and not in it, which `t` must show.
            node.t = f64::MIN_POSITIVE;
        }
    }
}

/// Makes the rounded positions of sorted nodes follow their order: a crossing point that was rounded to beyond its
/// neighbor takes the neighbor's position. The edge passes there within the rounding, because its exact crossing lies
/// on one side of that position and its rounded one on the other.
pub(super) fn order_positions(nodes: &mut [BridgeEnd], line: &CutLine) {
    let direction = line.direction();
    for index in 1..nodes.len() {
        let before = nodes[index - 1].position;
        let here = nodes[index].position;
        if direction.advance(before) <= direction.advance(here) {
            continue;
        }
        if nodes[index].is_crossing {
            nodes[index].position = before;
        } else {
            // A vertex stays at its position; nodes beyond it are crossings, as vertices on the line are in order.
            for node in nodes[..index].iter_mut().rev() {
                if direction.advance(node.position) <= direction.advance(here) {
                    break;
                }
                node.position = here;
            }
        }
    }
}
