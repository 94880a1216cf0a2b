//! The nearest points of two shapes ([`distance`]), and of one shape to a point ([`closest_point`]).

use crate::math::{Pose, cross};
use crate::shape::{ConvexCore, Face, MovedCore, Shape, best_face, closest_on_segment, facing_edge};
use glam::Vec2;

crate::plain_data! {
    /// The nearest points of two shapes, in the frame of the first.
    #[derive(Debug, Default, PartialEq)]
    pub struct Distance {
        /// Meters between the surfaces; 0 if they touch or overlap.
        pub distance: f32,
        /// The unit vector from the first shape to the second; zero if the cores overlap.
        pub normal: Vec2,
        /// The nearest point of the first shape. Where the shapes overlap this is a point that they share, or nearly
        /// so.
        pub point_a: Vec2,
        /// The nearest point of the second shape; equal to `point_a` where the shapes overlap.
        pub point_b: Vec2,
    }
}

/// The nearest points of `a` and `b`, with `b` at `b_in_a` in the frame of `a`.
///
/// No panic for valid shapes; a NaN in the pose gives NaN. The cost grows with the product of the vertex counts.
///
/// The method: of all faces of two convex cores that are apart, the one with the greatest separation belongs to the
/// pair of nearest features. (Separation along a turning axis rises towards the direction of the nearest points and
/// falls behind it, so the best face is next to that direction.) Where a corner is nearest to the inside of an edge, the
/// normal is the edge's own and not the difference of two points, which on an edge of a kilometer are rounded by more
/// than a narrow gap may bear.
///
/// ```
/// use tombolo_geometry::{Pose, Vec2, distance::distance, shape::Shape};
/// let box_ = Shape::new_box(2.0, 2.0)?;
/// let ball = Shape::circle(Vec2::ZERO, 0.5)?;
/// let found = distance(&box_, &ball, Pose::new(Vec2::new(4.0, 5.0), 0.0));
/// assert_eq!(found.distance, 4.5); // a 3-4-5 triangle from corner to center, less the radius
/// assert_eq!(found.point_a, Vec2::new(1.0, 1.0));
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn distance(a: &Shape, b: &Shape, b_in_a: Pose) -> Distance {
    if a.is_half_space() || b.is_half_space() {
        let [a, b] = without_end(a, b, b_in_a, 0.0);
        return distance_between(&a, &b, &nearest_core_points(&a, &b, b_in_a));
    }
    distance_between(a, b, &nearest_core_points(a, b, b_in_a))
}

/// Whether `a` and `b`, with `b` at `b_in_a` in the frame of `a`, overlap or touch: whether their [`distance`] is 0, found
/// without a point that they share, which is most of the cost where they do. Both round, so that they may differ where one
/// shape is smaller than the last place of the other's coordinates.
///
/// No panic for valid shapes; false for a NaN in the pose.
///
/// ```
/// use tombolo_geometry::{Pose, Vec2, distance::are_overlapping, shape::Shape};
/// let plank = Shape::new_box(4.0, 0.2)?;
/// let at = |x| Pose::new(Vec2::new(x, 0.0), 0.0);
/// assert!(are_overlapping(&plank, &plank, at(4.0)));
/// assert!(!are_overlapping(&plank, &plank, at(4.1)));
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn are_overlapping(a: &Shape, b: &Shape, b_in_a: Pose) -> bool {
    if a.count == 1 || b.count == 1 {
        return distance(a, b, b_in_a).distance <= 0.0;
    }
    // Where the middle of one is in the other, no corner has to be looked at.
    if a.count > 2 && b.count > 2 {
        let middles = [
            (a, b_in_a.transform_point(b.centroid)),
            (b, b_in_a.inverse_transform_point(a.centroid)),
        ];
        if middles.iter().any(|(shape, middle)| shape.core_holds(*middle)) {
            return true;
        }
    }
    let moved = MovedCore::new(b, b_in_a);
    let (core_a, core_b) = (a.convex_core(), moved.convex_core());
    let reach = a.radius + b.radius;
    let face_a = best_face(&core_a, core_b.vertices);
    if face_a.separation > reach && is_gap(face_a.separation - reach, &core_a, &core_b) {
        return false;
    }
    let face_b = best_face(&core_b, core_a.vertices);
    if face_b.separation > reach && is_gap(face_b.separation - reach, &core_a, &core_b) {
        return false;
    }
    let nearest = nearest_of_faces(&core_a, &core_b, face_a, face_b);
    nearest.is_none_or(|nearest| distance_between(a, b, &nearest).distance <= 0.0)
}

/// Whether a gap in meters, by which a face separates two cores and their radii, is certain: so much larger than the rounding
/// of any of their numbers that no nearest points of the two could be without a distance.
fn is_gap(gap: f32, a: &ConvexCore<'_>, b: &ConvexCore<'_>) -> bool {
    let corners = a.vertices.iter().chain(b.vertices);
    let farthest = corners.fold(Vec2::ZERO, |most, corner| most.max(corner.abs()));
    gap > CERTAIN * (farthest.max_element() + a.radius + b.radius)
}

/// Two shapes, with a half-space replaced by the part of it that the other one may touch when it comes `reach` meters
/// nearer. Two half-spaces meet, if they do, near the points that define their lines, or are taken for separated.
#[cold]
pub(super) fn without_end(a: &Shape, b: &Shape, b_in_a: Pose, reach: f32) -> [Shape; 2] {
    let a_in_b = b_in_a.to(Pose::IDENTITY);
    [a.near_shape(b, b_in_a, reach), b.near_shape(a, a_in_b, reach)]
}

/// The distance of two shapes whose nearest core points are given.
pub(super) fn distance_between(a: &Shape, b: &Shape, nearest: &Nearest) -> Distance {
    let Nearest {
        on_a,
        on_b,
        normal,
        distance: between_cores,
        ..
    } = *nearest;
    if between_cores <= 0.0 {
        return Distance {
            point_a: on_a,
            point_b: on_a,
            ..Distance::default()
        };
    }
    let distance = between_cores - a.radius - b.radius;
    if distance <= 0.0 {
        // The middle, on the line between the cores, of the interval that both radii cover.
        let from = (between_cores - b.radius).max(0.0);
        let to = between_cores.min(a.radius);
        let shared = on_a + 0.5 * (from + to) * normal;
        return Distance {
            distance: 0.0,
            normal,
            point_a: shared,
            point_b: shared,
        };
    }
    Distance {
        distance,
        normal,
        point_a: on_a + a.radius * normal,
        point_b: on_b - b.radius * normal,
    }
}

/// The point of a solid shape nearest to `point`, both in the shape's own frame: the point itself if it lies inside.
///
/// ```
/// use tombolo_geometry::{Vec2, distance::closest_point, shape::Shape};
/// let plank = Shape::new_box(4.0, 0.2)?;
/// assert_eq!(closest_point(&plank, Vec2::new(5.0, 0.0)), Vec2::new(2.0, 0.0));
/// assert_eq!(closest_point(&plank, Vec2::new(1.0, 0.0)), Vec2::new(1.0, 0.0));
/// # Ok::<(), tombolo_geometry::shape::ShapeError>(())
/// ```
pub fn closest_point(shape: &Shape, point: Vec2) -> Vec2 {
    let on_core = shape.core_closest_point(point);
    let offset = point - on_core;
    let distance = offset.length();
    if distance <= shape.radius {
        point
    } else {
        on_core + shape.radius / distance * offset
    }
}

/// The nearest points of two cores, in the frame of the first.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    pub(super) on_a: Vec2,
    pub(super) on_b: Vec2,
    /// The unit vector from the first to the second; zero if they share a point.
    pub(super) normal: Vec2,
    /// The distance of the points, in meters; 0 if the cores share a point.
    pub(super) distance: f32,
    /// The point that is inside of an edge, if one is; else both are corners.
    pub(super) edge: Option<EdgeOf>,
}

/// An edge of one of the two cores.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EdgeOf {
    A(usize),
    B(usize),
}

/// The bound of rounding, in meters or as a fraction of the corners' coordinates or of the distance. A corner must be
/// nearer by this than the inside of an edge, whose normal is exact; and a direction from corner to corner over a
/// shorter distance is noise.
pub(super) const NOISE: f32 = 1.0e-6;

/// The gap between two shapes, as a fraction of their corners' coordinates, that is no matter of rounding: some hundred times
/// the last place of such a number.
const CERTAIN: f32 = 1.0e-5;

impl Nearest {
    fn shared(point: Vec2) -> Self {
        Self {
            on_a: point,
            on_b: point,
            normal: Vec2::ZERO,
            distance: 0.0,
            edge: None,
        }
    }

    fn points(on_a: Vec2, on_b: Vec2) -> Self {
        let offset = on_b - on_a;
        let distance = offset.length();
        if distance > 0.0 {
            Self {
                on_a,
                on_b,
                normal: offset / distance,
                distance,
                edge: None,
            }
        } else if distance.is_nan() {
            Self {
                on_a,
                on_b,
                normal: offset,
                distance,
                edge: None,
            }
        } else {
            Self::shared(on_a)
        }
    }

    /// The nearest points of an edge of the first core and a point of the second outside of that core.
    fn edge_and_point(convex_core: &ConvexCore<'_>, edge: usize, point: Vec2) -> Self {
        let (from, to) = (
            convex_core.vertices[edge],
            convex_core.vertices[convex_core.next(edge)],
        );
        let (outward, is_line) = (convex_core.normals[edge], convex_core.vertices.len() == 2);
        // Along the normal's own tangent: the ends of a short edge far from the origin are rounded, and so is the direction
        // from one to the other.
        let tangent = Vec2::new(-outward.y, outward.x);
        let (past_from, past_to) = (tangent.dot(point - from), tangent.dot(point - to));
        if past_from <= 0.0 {
            return Self::points(from, point);
        }
        if past_to >= 0.0 {
            return Self::points(to, point);
        }
        // Measured from the nearer end, which has the smaller rounding error.
        let end = if past_from < -past_to { from } else { to };
        let height = outward.dot(point - end);
        if height == 0.0 {
            return Self::shared(point);
        }
        // A point outside of a polygon is below its edge only by rounding; a line has two sides.
        let normal = if is_line && height < 0.0 {
            -outward
        } else {
            outward
        };
        Self {
            on_a: point - height * outward,
            on_b: point,
            normal,
            distance: height.abs(),
            edge: Some(EdgeOf::A(edge)),
        }
    }

    /// The other candidate if it is nearer, else this one. `noise` is the bound of rounding.
    fn or_nearer(self, candidate: Self, noise: f32) -> Self {
        let lead = match (candidate.edge, self.edge) {
            (Some(_), None) => noise.max(NOISE * self.distance),
            (None, Some(_)) => -noise.max(NOISE * self.distance),
            // Both may be right where edges are side by side, and then the face is right that separates most: by the
            // other normal the far end of a long edge would be nearer than that.
            (Some(EdgeOf::B(_)), Some(EdgeOf::A(_))) => -NOISE * self.distance,
            _ => 0.0,
        };
        if candidate.distance < self.distance + lead {
            candidate
        } else {
            self
        }
    }

    fn swapped(self) -> Self {
        Self {
            on_a: self.on_b,
            on_b: self.on_a,
            normal: -self.normal,
            distance: self.distance,
            edge: self.edge.map(|edge| match edge {
                EdgeOf::A(index) => EdgeOf::B(index),
                EdgeOf::B(index) => EdgeOf::A(index),
            }),
        }
    }
}

/// The nearest points of a core and a point, in the frame of the core.
fn nearest_to_point(core: &Shape, point: Vec2) -> Nearest {
    if core.count == 1 {
        return Nearest::points(core.vertices[0], point);
    }
    let (edge, separation) = core.face_separation(point);
    if core.count >= 3 && separation <= 0.0 {
        return Nearest::shared(point);
    }
    Nearest::edge_and_point(&core.convex_core(), edge, point)
}

/// The nearest points of two cores in the frame of `a`.
pub(super) fn nearest_core_points(a: &Shape, b: &Shape, b_in_a: Pose) -> Nearest {
    if b.count == 1 {
        return nearest_to_point(a, b_in_a.transform_point(b.vertices[0]));
    }
    if a.count == 1 {
        let point = a.vertices[0];
        let seen_from_b = nearest_to_point(b, b_in_a.inverse_transform_point(point)).swapped();
        return Nearest {
            on_a: point,
            on_b: b_in_a.transform_point(seen_from_b.on_b),
            normal: b_in_a.rotation.rotate(seen_from_b.normal),
            ..seen_from_b
        };
    }
    let moved = MovedCore::new(b, b_in_a);
    let (a, b) = (a.convex_core(), moved.convex_core());
    nearest_of_separated(&a, &b).unwrap_or_else(|| Nearest::shared(shared_point(&a, &b)))
}

/// The nearest points of two cores of at least two vertices; `None` if one is a polygon and no face separates them.
fn nearest_of_separated(a: &ConvexCore<'_>, b: &ConvexCore<'_>) -> Option<Nearest> {
    nearest_of_faces(a, b, best_face(a, b.vertices), best_face(b, a.vertices))
}

/// Like [`nearest_of_separated`], with the best face of either core.
fn nearest_of_faces(a: &ConvexCore<'_>, b: &ConvexCore<'_>, face_a: Face, face_b: Face) -> Option<Nearest> {
    // Two lines have no inside, and their edges' normals do not show a gap between lines end to end.
    let are_lines = a.vertices.len() == 2 && b.vertices.len() == 2;
    if !are_lines && face_a.separation.max(face_b.separation) <= 0.0 {
        return None;
    }
    Some(if face_a.separation >= face_b.separation {
        nearest_on_edges(a, b, face_a.index)
    } else {
        nearest_on_edges(b, a, face_b.index).swapped()
    })
}

/// A point of two overlapping cores: a vertex of one inside the other, or else a point where edges cross. Where they
/// only touch, rounding leaves neither, or a crossing of edges that are side by side, far from where they touch: the
/// chosen candidate is the one least outside of either.
fn shared_point(a: &ConvexCore<'_>, b: &ConvexCore<'_>) -> Vec2 {
    let mut best = (a.vertices[0], f32::INFINITY);
    for (convex_core, other) in [(a, b), (b, a)] {
        for &vertex in convex_core.vertices {
            let off = outside(other, vertex);
            if off < best.1 {
                best = (vertex, off);
            }
        }
    }
    if best.1 < 0.0 {
        return best.0;
    }
    for p in 0..a.vertices.len() {
        for r in 0..b.vertices.len() {
            let (q, s) = (a.next(p), b.next(r));
            if let Some(point) = crossing(a.vertices[p], a.vertices[q], b.vertices[r], b.vertices[s]) {
                let off = outside(a, point).max(outside(b, point));
                if off < best.1 {
                    best = (point, off);
                }
            }
        }
    }
    best.0
}

/// The distance of a point outside of a core, in meters; below zero inside of a polygon.
fn outside(convex_core: &ConvexCore<'_>, point: Vec2) -> f32 {
    // Outside of a sharp tip, or beyond the end of a line, the faces' lines may be near and the edges far.
    let face = best_face(convex_core, &[point]);
    if face.separation < 0.0 && convex_core.vertices.len() > 2 {
        return face.separation;
    }
    let (from, to) = (
        convex_core.vertices[face.index],
        convex_core.vertices[convex_core.next(face.index)],
    );
    point.distance(closest_on_segment(from, to, point))
}

/// The nearest points of a face and of the edge that faces it. One point twice where two lines cross.
fn nearest_on_edges(convex_core: &ConvexCore<'_>, other: &ConvexCore<'_>, face: usize) -> Nearest {
    let edge = facing_edge(other, convex_core.normals[face]);
    let (p, q) = (
        convex_core.vertices[face],
        convex_core.vertices[convex_core.next(face)],
    );
    let (r, s) = (other.vertices[edge], other.vertices[other.next(edge)]);
    // Only two lines can cross where a face separates them.
    let are_lines = convex_core.vertices.len() == 2 && other.vertices.len() == 2;
    if are_lines && crossing(p, q, r, s).is_some() {
        return Nearest::shared(shared_point(convex_core, other));
    }
    // Lines that do not cross are nearest at an end of one of them.
    let noise = NOISE
        * p.abs()
            .max(q.abs())
            .max_element()
            .min(r.abs().max(s.abs()).max_element())
            .max(1.0);
    let to_face = |point| Nearest::edge_and_point(convex_core, face, point);
    let to_edge = |point| Nearest::edge_and_point(other, edge, point).swapped();
    let mut best = to_face(r);
    for candidate in [to_face(s), to_edge(p), to_edge(q)] {
        best = best.or_nearer(candidate, noise);
    }
    if best.edge.is_none() {
        best = beside_corners(best, [(convex_core, face), (other, edge)], noise);
    }
    // The corners as good as touch: the face's result is right.
    if best.edge.is_none() && best.distance > 0.0 && best.distance <= noise {
        best.normal = convex_core.normals[face];
    }
    best
}

/// Two corners as the nearest points, or nearer ones by the edge beyond one of them. Of two edges that are nearly in
/// line rounding may have chosen the wrong one: then the foot of the perpendicular lies past its end, on the other, and
/// the corner between them would give a normal that is off.
fn beside_corners(corners: Nearest, edges: [(&ConvexCore<'_>, usize); 2], noise: f32) -> Nearest {
    let [(core_a, edge_a), (core_b, edge_b)] = edges;
    let on_a = edge_beyond(core_a, edge_a, corners.on_a, corners.on_b)
        .map(|edge| Nearest::edge_and_point(core_a, edge, corners.on_b));
    let on_b = edge_beyond(core_b, edge_b, corners.on_b, corners.on_a)
        .map(|edge| Nearest::edge_and_point(core_b, edge, corners.on_a).swapped());
    let candidates = on_a.into_iter().chain(on_b);
    candidates.fold(corners, |best, candidate| best.or_nearer(candidate, noise))
}

/// The edge that meets `edge` in a corner of it, if a point lies on that side of the corner.
fn edge_beyond(convex_core: &ConvexCore<'_>, edge: usize, corner: Vec2, point: Vec2) -> Option<usize> {
    let count = convex_core.vertices.len();
    let is_start = convex_core.vertices[edge] == corner;
    let (beyond, forward) = if is_start {
        ((edge + count - 1) % count, -1.0)
    } else {
        (convex_core.next(edge), 1.0)
    };
    let outward = convex_core.normals[beyond];
    (forward * outward.perp().dot(point - corner) > 0.0).then_some(beyond)
}

/// The point where two segments cross in their insides.
fn crossing(p: Vec2, q: Vec2, r: Vec2, s: Vec2) -> Option<Vec2> {
    let (r_side, s_side) = (cross(q - p, r - p), cross(q - p, s - p));
    let (p_side, q_side) = (cross(s - r, p - r), cross(s - r, q - r));
    if r_side * s_side < 0.0 && p_side * q_side < 0.0 {
        Some(p + p_side / (p_side - q_side) * (q - p))
    } else {
        None
    }
}
