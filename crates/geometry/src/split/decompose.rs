//! Convex decomposition of a concave polygon, for physics: triangles first, then neighbors joined as long as the result
//! is convex and small.
//!
//! Sources: ear clipping, with holes joined to the border by bridges, after D. Eberly, "Triangulation by Ear Clipping",
//! 2002; the joining after S. Hertel and K. Mehlhorn, "Fast Triangulation of Simple Polygons", 1983, which leaves at
//! most four times the least number of parts. All turns are exact.

use super::concave_polygon::ConcavePolygon;
use super::line::turn;
use alloc::vec::Vec;
use core::fmt;
use glam::DVec2;

/// The most vertices of a part: the most that a physics polygon has.
pub const PART_VERTEX_COUNT_MAX: usize = 8;

/// Convex parts of a polygon, made by [`decompose`].
///
/// Each part is a list of vertices of the polygon, by their numbers, counter-clockwise, with a turn at every one of
/// them: vertices that lie straight between two others are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ConvexParts {
    vertices: Vec<u32>,
    ends: Vec<u32>,
}

impl ConvexParts {
    /// The number of parts.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are no parts, which is false for results of [`decompose`].
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The vertices of a part, 3 to [`PART_VERTEX_COUNT_MAX`] numbers of the polygon's vertices.
    ///
    /// # Panics
    ///
    /// If there is no such part.
    pub fn part(&self, index: usize) -> &[u32] {
        let start = match index {
            0 => 0,
            _ => self.ends[index - 1] as usize,
        };
        &self.vertices[start..self.ends[index] as usize]
    }

    /// All parts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        (0..self.len()).map(|index| self.part(index))
    }
}

/// The reason why a polygon was not decomposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DecomposeError {
    /// The polygon crosses itself near this vertex. One made by [`ConcavePolygon::new`] does not; a piece of many cuts
    /// may, because of rounding.
    Unsound {
        /// The vertex.
        vertex: u32,
    },
}

impl fmt::Display for DecomposeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::Unsound { vertex } = self;
        write!(
            f,
            "the polygon crosses itself near vertex {vertex}; check it with ConcavePolygon::new"
        )
    }
}

impl core::error::Error for DecomposeError {}

/// Divides a polygon into convex parts of at most [`PART_VERTEX_COUNT_MAX`] vertices each, without new vertices.
///
/// The parts cover the polygon and do not overlap. For a polygon without holes there are at most four times as many as
/// the best possible; with holes, without the limit on vertices, at most two for each reflex corner. Costs O(n²), with
/// holes O(n²) for each hole at worst; allocates.
///
/// # Errors
///
/// [`DecomposeError`] for a polygon that rounding made unsound.
///
/// ```
/// use glam::DVec2;
/// use tombolo_geometry::split::{ConcavePolygon, decompose};
/// let corner = [[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]].map(DVec2::from_array);
/// let parts = decompose(&ConcavePolygon::new(&corner).unwrap()).unwrap();
/// assert_eq!(parts.len(), 2);
/// ```
pub fn decompose(polygon: &ConcavePolygon) -> Result<ConvexParts, DecomposeError> {
    let ring = join_holes(polygon)?;
    let triangles = clip_ears(polygon.points(), ring)?;
    let parts = join_triangles(polygon.points(), &triangles);
    let is_convex = |part: &&[u32]| {
        part.len() >= 3 && (0..part.len()).all(|index| turn_at(polygon.points(), part, index) > 0.0)
    };
    // The parts of a polygon that does not cross itself are all convex; if one is not, nothing is returned.
    if parts.is_empty() || !parts.iter().all(|part| is_convex(&part)) {
        return Err(DecomposeError::Unsound {
            vertex: triangles.first().map_or(0, |triangle| triangle[0]),
        });
    }
    Ok(parts)
}

/// The polygon as one ring of vertex numbers: each hole is joined to the ring by a bridge that is traversed out and
/// back. Holes from right to left, so that the bridge from a hole's rightmost vertex meets no hole still to come.
fn join_holes(polygon: &ConcavePolygon) -> Result<Vec<u32>, DecomposeError> {
    let points = polygon.points();
    let mut ring: Vec<u32> = polygon.loop_range(0).map(|v| v as u32).collect();
    let rightmost = |loop_index: usize| {
        polygon
            .loop_range(loop_index)
            .reduce(|a, b| if is_more_right(points[b], points[a]) { b } else { a })
    };
    let mut holes: Vec<(usize, usize)> = (1..polygon.loop_count())
        .filter_map(|loop_index| rightmost(loop_index).map(|vertex| (loop_index, vertex)))
        .collect();
    holes.sort_by(|a, b| {
        let (a, b) = (points[a.1], points[b.1]);
        b.x.total_cmp(&a.x).then_with(|| b.y.total_cmp(&a.y))
    });
    for (loop_index, vertex) in holes {
        let place = bridge_end(points, &ring, points[vertex]).ok_or(DecomposeError::Unsound {
            vertex: vertex as u32,
        })?;
        let range = polygon.loop_range(loop_index);
        let hole = (vertex..range.end).chain(range.start..=vertex).map(|v| v as u32);
        let back = ring[place];
        ring.splice(place + 1..place + 1, hole.chain([back]));
    }
    Ok(ring)
}

fn is_more_right(a: DVec2, b: DVec2) -> bool {
    a.x > b.x || (a.x == b.x && a.y > b.y)
}

/// The position in the ring of the vertex nearest to a hole's rightmost vertex that is visible from it. Vertices
/// further left than the hole's are not considered: one that is not further left is always visible.
fn bridge_end(points: &[DVec2], ring: &[u32], from: DVec2) -> Option<usize> {
    let at = |place: usize| points[ring[place % ring.len()] as usize];
    let mut best: Option<(f64, usize)> = None;
    for place in 0..ring.len() {
        let to = at(place);
        let distance = from.distance_squared(to);
        let is_nearer = best.is_none_or(|(least, _)| distance < least);
        if !is_nearer || is_more_right(from, to) {
            continue;
        }
        let (before, after) = (at(place + ring.len() - 1), at(place + 1));
        let is_open = to == from || is_in_wedge(before, to, after, from);
        let is_free = || (0..ring.len()).all(|edge| !blocks(from, to, at(edge), at(edge + 1)));
        if is_open && is_free() {
            best = Some((distance, place));
        }
    }
    best.map(|(_, place)| place)
}

/// Whether the direction from `corner` to `point` lies strictly inside the ring's corner.
fn is_in_wedge(before: DVec2, corner: DVec2, after: DVec2, point: DVec2) -> bool {
    let left_of_after = turn(corner, after, point) > 0.0;
    let left_of_before = turn(before, corner, point) > 0.0;
    if turn(before, corner, after) > 0.0 {
        left_of_after && left_of_before
    } else {
        left_of_after || left_of_before
    }
}

/// Whether an edge from `a` to `b` is between two points: crosses their segment, or touches it except at its ends.
fn blocks(from: DVec2, to: DVec2, a: DVec2, b: DVec2) -> bool {
    if (a.max(b).cmplt(from.min(to)) | a.min(b).cmpgt(from.max(to))).any() {
        return false;
    }
    let (a_side, b_side) = (turn(from, to, a), turn(from, to, b));
    let lies_between = |p: DVec2| (p - from).dot(to - from) > 0.0 && (p - to).dot(from - to) > 0.0;
    let touches = |p: DVec2, side: f64| side == 0.0 && p != from && p != to && lies_between(p);
    if touches(a, a_side) || touches(b, b_side) {
        return true;
    }
    let opposite = |x: f64, y: f64| (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0);
    opposite(a_side, b_side) && opposite(turn(a, b, from), turn(a, b, to))
}

/// Cuts triangles off the ring until none is left. A ring that does not cross itself has an ear at every step.
fn clip_ears(points: &[DVec2], ring: Vec<u32>) -> Result<Vec<[u32; 3]>, DecomposeError> {
    clip_where(points, ring, |ring, place| is_ear(points, ring, place))
}

/// [`clip_ears`] with a test of places. The number of tests is in proportion to that of the corners, as a place that is
/// no ear stays none until a corner beside it is cut off: what is in the way is, or hides, a corner that is not convex,
/// so no ear (Eberly, "Triangulation by Ear Clipping", 2002).
fn clip_where(
    points: &[DVec2],
    mut ring: Vec<u32>,
    mut is_ear: impl FnMut(&[u32], usize) -> bool,
) -> Result<Vec<[u32; 3]>, DecomposeError> {
    let mut triangles = Vec::with_capacity(ring.len().saturating_sub(2));
    // Whether a place is known to be no ear.
    let mut is_blunt = alloc::vec![false; ring.len()];
    let mut place = 0;
    let mut missed = 0;
    let mut is_last_round = false;
    while ring.len() > 3 {
        let count = ring.len();
        if missed > count {
            if is_last_round {
                return Err(DecomposeError::Unsound { vertex: ring[0] });
            }
            // Where corners touch others, an ear may be opened from farther away.
            is_blunt.fill(false);
            is_last_round = true;
            missed = 0;
        }
        place %= count;
        let ear = [
            ring[(place + count - 1) % count],
            ring[place],
            ring[(place + 1) % count],
        ];
        let [a, _, c] = ear.map(|v| points[v as usize]);
        if a == c {
            // Out and back along a bridge both of whose sides are done.
            for list_place in [place, place % (count - 1)] {
                ring.remove(list_place);
                is_blunt.remove(list_place);
            }
            forget_around(&mut is_blunt, place);
            (missed, is_last_round) = (0, false);
        } else if !is_blunt[place] && is_ear(&ring, place) {
            triangles.push(ear);
            ring.remove(place);
            is_blunt.remove(place);
            forget_around(&mut is_blunt, place);
            (missed, is_last_round) = (0, false);
            // Every second vertex, so that ears are cut all around and not as a fan.
            place += 1;
        } else {
            is_blunt[place] = true;
            missed += 1;
            place += 1;
        }
    }
    if let [a, b, c] = ring[..]
        && turn(points[a as usize], points[b as usize], points[c as usize]) > 0.0
    {
        triangles.push([a, b, c]);
    }
    Ok(triangles)
}

/// Forgets what is known of the places beside one that was cut off, at the end of the ring too.
fn forget_around(is_blunt: &mut [bool], place: usize) {
    let count = is_blunt.len();
    for step in 0..6 {
        is_blunt[(place + 3 * count + step - 3) % count] = false;
    }
}

/// Whether the triangle at `place` is inside the ring: the edge that closes it leaves both its ends inwards, and no
/// edge of the ring crosses it. Any other part of the ring in the triangle would be connected through that edge.
fn is_ear(points: &[DVec2], ring: &[u32], place: usize) -> bool {
    let count = ring.len();
    let at = |place: usize| points[ring[place % count] as usize];
    let [before, a, b, c, after] =
        [-2, -1, 0, 1, 2].map(|step| at((place + count).wrapping_add_signed(step)));
    turn(a, b, c) > 0.0
        && is_in_wedge(before, a, b, c)
        && is_in_wedge(b, c, after, a)
        && (0..count).all(|edge| !blocks(a, c, at(edge), at(edge + 1)))
}

/// Removes the edges between triangles, the longest first, wherever the resulting part is convex and small enough.
fn join_triangles(points: &[DVec2], triangles: &[[u32; 3]]) -> ConvexParts {
    let mut parts: Vec<Vec<u32>> = triangles.iter().map(|t| t.to_vec()).collect();
    let mut homes: Vec<usize> = (0..triangles.len()).collect();
    for [one, other] in inner_edges(points, triangles) {
        let (first, second) = (home(&mut homes, one.triangle), home(&mut homes, other.triangle));
        if let Some(joined) = join(points, &parts[first], &parts[second], one.from, one.to) {
            homes[second] = first;
            parts[first] = joined;
            parts[second] = Vec::new();
        }
    }
    let mut result = ConvexParts::default();
    for part in parts.iter().filter(|part| !part.is_empty()) {
        let count = part.len();
        let corners = (0..count).filter(|&i| turn_at(points, part, i) > 0.0);
        result.vertices.extend(corners.map(|i| part[i]));
        result.ends.push(result.vertices.len() as u32);
    }
    result
}

/// An edge of a triangle, in the triangle's direction.
#[derive(Clone, Copy)]
struct TriangleEdge {
    from: u32,
    to: u32,
    triangle: usize,
}

/// The edges that two triangles share, once from each, the longest first.
fn inner_edges(points: &[DVec2], triangles: &[[u32; 3]]) -> Vec<[TriangleEdge; 2]> {
    let edges_of = |(triangle, &[a, b, c]): (usize, &[u32; 3])| {
        [(a, b), (b, c), (c, a)].map(|(from, to)| TriangleEdge { from, to, triangle })
    };
    let mut edges: Vec<TriangleEdge> = triangles.iter().enumerate().flat_map(edges_of).collect();
    let ends = |e: &TriangleEdge| (e.from.min(e.to), e.from.max(e.to));
    edges.sort_by_key(|e| (ends(e), e.from));
    let mut inner: Vec<[TriangleEdge; 2]> = edges
        .windows(2)
        .filter(|pair| ends(&pair[0]) == ends(&pair[1]))
        .map(|pair| [pair[0], pair[1]])
        .collect();
    let length = |[e, _]: &[TriangleEdge; 2]| points[e.from as usize].distance_squared(points[e.to as usize]);
    inner.sort_by(|a, b| length(b).total_cmp(&length(a)));
    inner
}

/// The part into which a triangle has been merged.
fn home(homes: &mut [usize], triangle: usize) -> usize {
    let mut at = triangle;
    while homes[at] != at {
        homes[at] = homes[homes[at]];
        at = homes[at];
    }
    at
}

/// Two parts merged without the edge from `from` to `to` of the first; `None` if the result is not convex or has too
/// many corners.
fn join(points: &[DVec2], first: &[u32], second: &[u32], from: u32, to: u32) -> Option<Vec<u32>> {
    let start = first.iter().position(|&v| v == to)?;
    let second_start = second.iter().position(|&v| v == from)?;
    let around = |part: &[u32], start: usize| {
        let (before, after) = part.split_at(start);
        [after, before].concat()
    };
    // The first from `to` on ends with `from`; the second from `from` on ends with `to`: both ends are one too many.
    let mut joined = around(first, start);
    joined.extend_from_slice(&around(second, second_start)[1..second.len() - 1]);
    let mut corner_count = 0;
    for index in 0..joined.len() {
        let turn = turn_at(points, &joined, index);
        if turn < 0.0 {
            return None;
        }
        corner_count += usize::from(turn > 0.0);
    }
    (corner_count <= PART_VERTEX_COUNT_MAX).then_some(joined)
}

/// The turn of a part at its corner `index`.
fn turn_at(points: &[DVec2], part: &[u32], index: usize) -> f64 {
    let count = part.len();
    let at = |index: usize| points[part[index % count] as usize];
    turn(at(index + count - 1), at(index), at(index + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A zigzag band, in which no corner is an ear but those at its two ends.
    fn band(corner_count: usize) -> Vec<DVec2> {
        let low: Vec<DVec2> = (0..corner_count / 2)
            .map(|i| DVec2::new(i as f64, ((i + 1) % 2) as f64))
            .collect();
        let high = low.iter().rev().map(|point| *point + DVec2::new(0.0, 0.2));
        low.iter().copied().chain(high).collect()
    }

    #[test]
    fn a_corner_is_tested_a_few_times_however_many_there_are() {
        for count in [100, 400, 1000] {
            let points = band(count);
            let mut tests = 0;
            let ring = (0..count as u32).collect();
            let triangles = clip_where(&points, ring, |ring, place| {
                tests += 1;
                is_ear(&points, ring, place)
            });
            assert_eq!(triangles.unwrap().len(), count - 2);
            assert!(tests < 8 * count, "{tests} tests for {count} corners");
        }
    }
}
