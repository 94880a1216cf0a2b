//! [`collide_among`]: contacts of a polygon beside others that do not move against it. Faces that a neighbor covers are
//! no faces, and a corner where the neighbor's border continues straight is no corner.
//!
//! The uncovered parts of the polygon's border near the other shape are collided as segments of a chain, each with the
//! points before and after it that the common border has; [`collide`] decides which of them are touched. So a shape
//! that slides over a row of boxes has the contacts that it would have on one long box. Everything follows from the
//! geometry of the shapes near by, whatever their order.

use crate::collide::{Manifold, collide, collide_along_segment_normal};
use crate::math::{Pose, cross};
use crate::shape::{Shape, VERTEX_COUNT_MAX, closest_on_segment};
use glam::Vec2;

/// The greatest distance of two faces that cover each other, in meters: the depth to which resting bodies sink in. A
/// rest of a face that is shorter than twice this is no face either.
const COVER_DISTANCE: f32 = 0.005;

/// Two faces cover each other only if the cosine between their normals is below this: opposed within one degree.
const COVER_COSINE: f32 = -0.999_85;

/// The center of a shape is behind a face if it is farther behind than this fraction of its distance from the face's
/// end, and than [`COVER_DISTANCE`]: rounding does not turn the line of a part of the face as far.
const BEHIND_SHARE: f32 = 0.05;

/// The depth of the solid that a segment of a chain is as a neighbor, in meters: bodies on the chain sink in less, and
/// nothing else is known of what lies behind it.
const SEGMENT_DEPTH: f32 = 0.1;

/// The most covered parts of faces that are stored: each neighbor covers one or two.
const COVERS_MAX: usize = 32;

/// A shape beside the first one, and its pose in the frame of that one.
#[derive(Clone, Copy, Debug)]
pub struct Neighbor<'a> {
    /// The neighboring shape.
    pub shape: &'a Shape,
    /// Its pose.
    pub pose: Pose,
}

/// A part of a face that a neighbor's face lies against, or that is inside of the neighbor.
#[derive(Clone, Copy)]
struct Cover {
    face: usize,
    /// The start and the end of the part along the face, in meters; may reach beyond the face's ends.
    low: f32,
    high: f32,
    /// The direction of the border where the part begins: along the neighbor's next edge, or the edge through which the
    /// face goes in.
    onward: Vec2,
    /// The direction back along the border where the part ends: along the neighbor's edge before, or the one through
    /// which the face comes out.
    back: Vec2,
}

const NO_COVER: Cover = Cover {
    face: 0,
    low: 0.0,
    high: 0.0,
    onward: Vec2::ZERO,
    back: Vec2::ZERO,
};

/// A face of the polygon.
#[derive(Clone, Copy)]
struct BorderFace {
    start: Vec2,
    along: Vec2,
    normal: Vec2,
    length: f32,
}

/// A neighbor's corners and the normals of its edges, in the polygon's frame.
struct PlacedNeighbor {
    count: usize,
    corners: [Vec2; VERTEX_COUNT_MAX],
    normals: [Vec2; VERTEX_COUNT_MAX],
}

impl PlacedNeighbor {
    fn of(neighbor: &Neighbor<'_>) -> Self {
        let (shape, pose) = (neighbor.shape, neighbor.pose);
        if shape.is_chain_segment() {
            return Self::behind_segment(neighbor);
        }
        let count = shape.vertices().len();
        let mut placed = Self {
            count,
            corners: [Vec2::ZERO; VERTEX_COUNT_MAX],
            normals: [Vec2::ZERO; VERTEX_COUNT_MAX],
        };
        for (corner, &vertex) in placed.corners.iter_mut().zip(shape.vertices()) {
            *corner = pose.transform_point(vertex);
        }
        for (turned, &normal) in placed.normals[..count].iter_mut().zip(shape.normals()) {
            *turned = pose.rotation.rotate(normal);
        }
        placed
    }

    /// The rectangle behind a segment of a chain, which is solid from the other side.
    fn behind_segment(neighbor: &Neighbor<'_>) -> Self {
        let (start, end) = neighbor.shape.edge(0);
        let (start, end) = (
            neighbor.pose.transform_point(start),
            neighbor.pose.transform_point(end),
        );
        let normal = neighbor.pose.rotation.rotate(neighbor.shape.normals()[0]);
        let (along, down) = (Vec2::new(-normal.y, normal.x), -SEGMENT_DEPTH * normal);
        let mut placed = Self {
            count: 4,
            corners: [Vec2::ZERO; VERTEX_COUNT_MAX],
            normals: [Vec2::ZERO; VERTEX_COUNT_MAX],
        };
        placed.corners[..4].copy_from_slice(&[start, end, end + down, start + down]);
        placed.normals[..4].copy_from_slice(&[normal, along, -normal, -along]);
        placed
    }

    /// The corner with this number, modulo the number of corners.
    fn corner(&self, index: usize) -> Vec2 {
        self.corners[index % self.count]
    }
}

impl BorderFace {
    fn of(shape: &Shape, face: usize) -> Self {
        let (start, end) = shape.edge(face);
        let length = start.distance(end);
        Self {
            start,
            along: (end - start) / length,
            normal: shape.normals()[face],
            length,
        }
    }

    fn at(&self, place: f32) -> Vec2 {
        self.start + place * self.along
    }
}

/// Like [`collide`] for a polygon `a` with `neighbors`, which `b` may be near to as well: no contact of `a` and `b` is
/// at a face that a neighbor covers, or over a corner where the neighbor's border goes on.
///
/// If the center of `b` is inside of `a`, the contact is at the nearest uncovered part of a face, so that it is pushed
/// out and not into a neighbor.
///
/// `None` if the contact is that of `a` alone: no neighbor covers anything, or the center of `b` is inside and there is
/// no such part over it. Only sharp polygons count, as `a` and as neighbors, and segments of chains as neighbors, with a
/// decimeter of solid behind them.
///
/// ```
/// use tombolo_geometry::{Pose, Vec2, neighbors::{Neighbor, collide_among}, shape::Shape};
/// let tile = Shape::new_box(1.0, 1.0)?;
/// let left = Neighbor { shape: &tile, pose: Pose::new(Vec2::new(-1.0, 0.0), 0.0) };
/// // A box that has sunk in by two millimeters and comes from the left, with a millimeter over the tile.
/// let slider = Shape::new_box(1.0, 1.0)?;
/// let place = Pose::new(Vec2::new(-0.999, 0.998), 0.0);
/// let manifold = collide_among(&tile, &[left], &slider, place, 0.02).unwrap();
/// assert_eq!(manifold.normal, Vec2::Y); // and not to the left, although that is the shorter way out
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn collide_among(
    a: &Shape,
    neighbors: &[Neighbor<'_>],
    b: &Shape,
    b_in_a: Pose,
    speculative_distance: f32,
) -> Option<Manifold> {
    if !is_sharp_polygon(a) {
        return None;
    }
    let mut covers = [NO_COVER; COVERS_MAX];
    let mut count = 0;
    for neighbor in neighbors.iter().filter(|neighbor| is_ground(neighbor.shape)) {
        find_covers(a, &PlacedNeighbor::of(neighbor), &mut |cover| {
            if count < COVERS_MAX {
                covers[count] = cover;
                count += 1;
            }
        });
    }
    let covers = &covers[..count];
    if covers.is_empty() {
        return None;
    }
    let middle = b_in_a.transform_point(b.centroid());
    if a.contains_point(middle) {
        let nearest = nearest_bare(a, neighbors, covers, middle)?;
        let out = collide_along_segment_normal(&nearest, b, b_in_a, speculative_distance);
        return (out.count > 0).then_some(out);
    }
    let mut best = Manifold::EMPTY;
    let mut best_height = f32::NEG_INFINITY;
    for face in 0..a.vertices().len() {
        // A part of the face would be a segment of a chain, which nothing touches from behind.
        if is_behind(a, face, middle) {
            continue;
        }
        for_each_bare(a, neighbors, covers, face, &mut |segment| {
            let manifold = collide(segment, b, b_in_a, speculative_distance);
            let points = manifold.active_points().iter();
            let height = points.fold(f32::INFINITY, |least, point| least.min(point.separation));
            // Of two touched faces the one with the greater separation counts, as for a polygon alone.
            if manifold.count > 0 && height > best_height {
                (best, best_height) = (manifold, height);
                // The ids of the corners of a chain's segments are 0 and 1.
                for point in &mut best.points[..best.count as usize] {
                    point.id += (face as u32) << 9;
                }
            }
        });
    }
    Some(best)
}

/// The uncovered part of a face that is nearest to a point; of equally near ones the first.
fn nearest_bare(a: &Shape, neighbors: &[Neighbor<'_>], covers: &[Cover], point: Vec2) -> Option<Shape> {
    let mut nearest: Option<(f32, Shape)> = None;
    for face in 0..a.vertices().len() {
        for_each_bare(a, neighbors, covers, face, &mut |segment| {
            let (start, end) = segment.edge(0);
            let distance = point.distance_squared(closest_on_segment(start, end, point));
            if nearest.is_none_or(|known| distance < known.0) {
                nearest = Some((distance, *segment));
            }
        });
    }
    nearest.map(|found| found.1)
}

/// Whether a point is so far behind a face that it is behind every part of it, whatever was rounded.
fn is_behind(a: &Shape, face: usize, point: Vec2) -> bool {
    let from_start = point - a.edge(face).0;
    a.normals()[face].dot(from_start) < -COVER_DISTANCE - BEHIND_SHARE * from_start.length()
}

fn is_sharp_polygon(shape: &Shape) -> bool {
    shape.vertices().len() >= 3 && shape.radius() == 0.0
}

/// Whether a shape covers faces of others.
fn is_ground(shape: &Shape) -> bool {
    is_sharp_polygon(shape) || shape.is_chain_segment()
}

/// Finds the parts of faces of `a` that a neighbor's faces lie against, or that lie inside of the neighbor.
fn find_covers(a: &Shape, neighbor: &PlacedNeighbor, found: &mut impl FnMut(Cover)) {
    let count = neighbor.count;
    let corner = |index: usize| neighbor.corner(index);
    for face in 0..a.vertices().len() {
        let side = BorderFace::of(a, face);
        for other in 0..count {
            if side.normal.dot(neighbor.normals[other]) > COVER_COSINE {
                continue;
            }
            // The neighbor's face has the opposite direction.
            let (first, last) = (corner(other), corner(other + 1));
            let off = side.normal.dot(first - side.start);
            let [low, high] = [last, first].map(|point| side.along.dot(point - side.start));
            if off.abs() <= COVER_DISTANCE && low < side.length - COVER_DISTANCE && high > COVER_DISTANCE {
                found(Cover {
                    face,
                    low,
                    high,
                    onward: corner(other + 2) - last,
                    back: corner(other + count - 1) - first,
                });
            }
        }
        if let Some(cover) = inside(side, face, neighbor) {
            found(cover);
        }
    }
}

/// The part of a face that is inside of a neighbor, deeper than resting bodies sink in.
fn inside(side: BorderFace, face: usize, neighbor: &PlacedNeighbor) -> Option<Cover> {
    let (mut low, mut high) = (f32::NEG_INFINITY, f32::INFINITY);
    let (mut first, mut last) = (0, 0);
    let edges = neighbor
        .corners
        .iter()
        .zip(&neighbor.normals)
        .take(neighbor.count);
    for (index, (&corner, &normal)) in edges.enumerate() {
        let depth = normal.dot(corner - side.start);
        let rate = normal.dot(side.along);
        // The face is parallel to the edge within its width: all of the face is inside of it, or none.
        if rate.abs() * side.length <= COVER_DISTANCE {
            if depth < COVER_DISTANCE {
                return None;
            }
            continue;
        }
        let place = depth / rate;
        if rate < 0.0 && place > low {
            (low, first) = (place, index);
        } else if rate > 0.0 && place < high {
            (high, last) = (place, index);
        }
    }
    let is_inside =
        low.is_finite() && high.is_finite() && high.min(side.length) - low.max(0.0) >= 2.0 * COVER_DISTANCE;
    is_inside.then(|| {
        let (count, corner) = (neighbor.count, |index: usize| neighbor.corner(index));
        // Where the face goes in or out at a corner of the neighbor, the border is the edge beyond.
        let direction = |place: f32, corners: [usize; 2]| {
            let directions = corners.map(|index| corner(index) - side.at(place));
            directions[usize::from(directions[0].length() <= COVER_DISTANCE)]
        };
        Cover {
            face,
            low,
            high,
            onward: direction(low, [first + 1, first + 2]),
            back: direction(high, [last, last + count - 1]),
        }
    })
}

/// Calls `found` with the uncovered parts of a face, as segments of the chain that the common border is.
fn for_each_bare(
    a: &Shape,
    neighbors: &[Neighbor<'_>],
    covers: &[Cover],
    face: usize,
    found: &mut impl FnMut(&Shape),
) {
    let side = BorderFace::of(a, face);
    let of_face = || covers.iter().filter(|cover| cover.face == face);
    let mut from = 0.0;
    while from < side.length - COVER_DISTANCE {
        // A part is uncovered from the end of one cover to the start of the next; covers may overlap.
        let over = |place: f32| {
            let covering = of_face().filter(|cover| cover.low <= place + COVER_DISTANCE);
            covering.fold(place, |end, cover| end.max(cover.high))
        };
        let end_of_cover = over(from);
        if end_of_cover > from {
            from = end_of_cover;
            continue;
        }
        let next = of_face().map(|cover| cover.low).filter(|&low| low > from);
        let to = next.fold(side.length, f32::min);
        if to - from >= 2.0 * COVER_DISTANCE {
            let (start, end) = (side.at(from), side.at(to));
            let before = before(a, covers, face, from);
            let after = after(a, covers, face, to, side.length);
            // A bump is better than a hole: where there is no direction, the face itself is the continuation.
            let or_straight = |direction: Vec2, straight: Vec2| {
                let is_direction = direction.is_finite() && direction.length() > COVER_DISTANCE;
                if is_direction { direction } else { straight }
            };
            let before = first_way(
                neighbors,
                start,
                side.along,
                End::Start,
                or_straight(before, -side.along),
            );
            let after = first_way(
                neighbors,
                end,
                -side.along,
                End::End,
                or_straight(after, side.along),
            );
            let (before, after) = (start + before, end + after);
            if let Ok(segment) = Shape::chain_segment(before, start, end, after) {
                found(&segment);
            }
        }
        from = to;
        if to >= side.length {
            return;
        }
    }
}

/// One end of an uncovered part of a face.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Start,
    End,
}

/// The direction of the common border at an end of an uncovered part: of `known` and the edges of all neighbors there
/// the one that comes first on a turn about the corner through the free side, which begins along the part. Of three
/// shapes that meet in a corner, such as two slopes and the ground below the upper one, that is the border.
fn first_way(neighbors: &[Neighbor<'_>], corner: Vec2, along_part: Vec2, end: End, known: Vec2) -> Vec2 {
    let side = if end == End::End { 1.0 } else { -1.0 };
    // Grows with the angle of the turn, from 0 to 4.
    let turn = |direction: Vec2| {
        let direction = direction.normalize_or_zero();
        let cosine = along_part.dot(direction);
        if side * cross(along_part, direction) >= 0.0 {
            1.0 - cosine
        } else {
            3.0 + cosine
        }
    };
    let mut best = (turn(known), known);
    for neighbor in neighbors
        .iter()
        .filter(|neighbor| is_ground(neighbor.shape) && is_near(neighbor, corner))
    {
        let placed = PlacedNeighbor::of(neighbor);
        for index in 0..placed.count {
            // An edge with its inside behind it on the turn: the one that leaves the corner, or comes to it.
            let (from, to) = match end {
                End::End => (placed.corner(index), placed.corner(index + 1)),
                End::Start => (placed.corner(index + 1), placed.corner(index)),
            };
            let edge = to - from;
            let length = edge.length();
            let at = edge.dot(corner - from) / length;
            let off = cross(edge, corner - from) / length;
            let is_on_edge =
                off.abs() <= COVER_DISTANCE && at >= -COVER_DISTANCE && at < length - COVER_DISTANCE;
            let angle = turn(edge);
            // An edge along the part itself covers it, and is handled as a cover.
            if is_on_edge && angle > 1.0 + COVER_COSINE && angle < best.0 {
                best = (angle, edge);
            }
        }
    }
    best.1
}

/// Whether a point may lie within [`COVER_DISTANCE`] of a neighbor's border: it is within twice that of a box around it.
fn is_near(neighbor: &Neighbor<'_>, point: Vec2) -> bool {
    let bounds = neighbor.shape.aabb(Pose::IDENTITY).grown(2.0 * COVER_DISTANCE);
    let point = neighbor.pose.inverse_transform_point(point);
    point.cmpge(bounds.min).all() && point.cmple(bounds.max).all()
}

/// The direction back along the border before an uncovered part of a face, from the part's start.
fn before(a: &Shape, covers: &[Cover], face: usize, from: f32) -> Vec2 {
    if from > 0.0 {
        let ending = covers
            .iter()
            .filter(|cover| cover.face == face && (cover.high - from).abs() <= COVER_DISTANCE);
        return longest(ending.map(|cover| cover.back));
    }
    let count = a.vertices().len();
    let previous = (face + count - 1) % count;
    let side = BorderFace::of(a, previous);
    let at_corner = covers
        .iter()
        .filter(|cover| cover.face == previous && cover.high >= side.length - COVER_DISTANCE);
    let direction = longest(at_corner.map(|cover| {
        if cover.high > side.length + COVER_DISTANCE {
            (cover.high - side.length) * side.along
        } else {
            cover.back
        }
    }));
    if direction == Vec2::ZERO {
        -side.length * side.along
    } else {
        direction
    }
}

/// The direction onward along the border after an uncovered part of a face, from the part's end.
fn after(a: &Shape, covers: &[Cover], face: usize, to: f32, length: f32) -> Vec2 {
    if to < length {
        let beginning = covers
            .iter()
            .filter(|cover| cover.face == face && (cover.low - to).abs() <= COVER_DISTANCE);
        return longest(beginning.map(|cover| cover.onward));
    }
    let next = (face + 1) % a.vertices().len();
    let side = BorderFace::of(a, next);
    let at_corner = covers
        .iter()
        .filter(|cover| cover.face == next && cover.low <= COVER_DISTANCE);
    let direction = longest(at_corner.map(|cover| {
        if cover.low < -COVER_DISTANCE {
            cover.low * side.along
        } else {
            cover.onward
        }
    }));
    if direction == Vec2::ZERO {
        side.length * side.along
    } else {
        direction
    }
}

/// The longest of some vectors, of equally long ones the rightmost, then the uppermost: independent of their order.
fn longest(directions: impl Iterator<Item = Vec2>) -> Vec2 {
    directions.fold(Vec2::ZERO, |best, direction| {
        let key = |direction: Vec2| [direction.length_squared(), direction.x, direction.y];
        if key(direction) > key(best) {
            direction
        } else {
            best
        }
    })
}

const _: () = assert!(VERTEX_COUNT_MAX <= 64, "a face and its id fit side by side");
