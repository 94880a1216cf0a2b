//! Contact manifolds of shapes with edges: polygons, capsules and segments in any pair. The hot path of the narrow
//! phase.
//!
//! Both convex cores are in the first shape's frame. The *reference* face is the one whose line separates the cores
//! most (or lets them overlap least); the *incident* edge is the edge of the other core that faces it. The incident
//! edge is clipped to the width of the reference face, and its two ends, if one is near enough, are the contact
//! points. Where a corner faces a corner, the one point between them replaces both.

use super::manifold::{Manifold, ManifoldPoint, feature_id, swapped_id};
use crate::math::{Pose, sqrt};
use crate::shape::{ConvexCore, Face, MovedCore, Shape, best_face, facing_edge};
use glam::Vec2;

/// The lead that the second shape's face must have to be the reference, in meters, and the distance of cores from which
/// corners may face each other: a tenth of the overlap that a resting contact keeps. Without it, two faces that are
/// equally good alternate from step to step and contact points lose their ids.
const FACE_LEAD: f32 = 0.0005;

/// The limit of the lead as a fraction of the first shape's face length, so that it is small for tiny shapes too.
const FACE_LEAD_PER_LENGTH: f32 = 0.01;

/// Two faces face each other if the cosine between their normals is below this: opposed within two and a half degrees.
const FACING_COSINE: f32 = -0.999;

/// With a face and an edge that face each other, a corner faces a corner if their squared distance exceeds the squared
/// face separation by this factor. Below it the face normal is within two degrees of the line between the corners, and
/// two points are more stable than one.
const CORNER_DISTANCE_FACTOR: f32 = 1.001;

/// A corner also faces a corner if their distance exceeds the face separation by this, in meters, or the end past the
/// face is lower by this than the edge where it is clipped: else the distance of widely rounded shapes would differ by
/// centimeters from their points' separations.
const CORNER_LEAD_MAX: f32 = 0.0005;

/// Below this distance in meters the direction from core to core is rounding noise.
const DIRECTION_DISTANCE_MIN: f32 = 1.0e-6;

/// The manifold of two polygons.
pub(super) fn collide_polygons(a: &Shape, b: &Shape, b_in_a: Pose, speculative_distance: f32) -> Manifold {
    let moved = MovedCore::new(b, b_in_a);
    let (a, b) = (a.convex_core(), moved.convex_core());
    let radii = a.radius + b.radius;
    let reach = radii + speculative_distance;
    let face_a = best_face(&a, b.vertices);
    if face_a.separation > reach {
        return Manifold::apart(face_a.separation - radii);
    }
    let face_b = best_face(&b, a.vertices);
    if face_b.separation > reach {
        return Manifold::apart(face_b.separation - radii);
    }
    let lead = face_lead(&a, face_a.index);
    // Apart, faces that do not face each other are never both right: the greater separation is the distance.
    let facing = a.normals[face_a.index].dot(b.normals[face_b.index]) < FACING_COSINE;
    let advantage = if facing || face_a.separation < 0.0 {
        lead
    } else {
        0.0
    };
    let of_a = CorePair::new(&a, &b, face_a.index, speculative_distance);
    let is_b_better = face_b.separation > face_a.separation;
    // Where edges are nearly parallel to their neighbors, the edge that faces a face which is not the best may lie
    // beside it: that face touches nothing.
    if face_b.separation > face_a.separation + advantage || is_b_better && of_a.beside() > 0.0 {
        let of_b = CorePair::new(&b, &a, face_b.index, speculative_distance);
        let mut manifold = of_b.contact(face_b, face_lead(&b, face_b.index));
        manifold.normal = -manifold.normal;
        for point in &mut manifold.points {
            point.id = swapped_id(point.id);
        }
        // Seen from the second shape the ends of the two edges come in the opposite order.
        if manifold.count == 2 {
            manifold.points.swap(0, 1);
        }
        manifold
    } else {
        of_a.contact(face_a, lead)
    }
}

/// The manifold of a polygon with the first face of a segment alone, whatever else is nearer: only the part over that
/// face counts.
pub(super) fn collide_with_face(a: &Shape, b: &Shape, b_in_a: Pose, speculative_distance: f32) -> Manifold {
    let moved = MovedCore::new(b, b_in_a);
    CorePair::new(&a.convex_core(), &moved.convex_core(), 0, speculative_distance).clipped_contact()
}

/// The lead that the second shape's face must have over this one, in meters.
#[inline]
fn face_lead(convex_core: &ConvexCore<'_>, face: usize) -> f32 {
    let along = convex_core.vertices[convex_core.next(face)] - convex_core.vertices[face];
    FACE_LEAD.min(FACE_LEAD_PER_LENGTH * along.abs().max_element())
}

/// The reference face and the incident edge, measured along the face: 0 is its first corner, `length` its second.
struct CorePair {
    /// Corners of the reference face, first and second counter-clockwise.
    reference: [usize; 2],
    /// Ends of the incident edge: the end opposite the first corner, and the other.
    incident: [usize; 2],
    points: [Vec2; 2],
    /// The positions of the ends of the incident edge along the face, and their heights outside of it, in meters.
    along: [f32; 2],
    height: [f32; 2],
    corners: [Vec2; 2],
    normal: Vec2,
    length: f32,
    /// Sine and cosine of the angle between face and edge, neither below zero.
    tilt: [f32; 2],
    /// Whether face and edge face each other.
    facing: bool,
    are_lines: bool,
    radii: [f32; 2],
    speculative_distance: f32,
}

impl CorePair {
    /// A face of the first polygon and the edge of the other that faces it most directly.
    #[inline]
    fn new(
        reference: &ConvexCore<'_>,
        incident: &ConvexCore<'_>,
        face: usize,
        speculative_distance: f32,
    ) -> Self {
        let normal = reference.normals[face];
        let second = reference.next(face);
        let corners = [reference.vertices[face], reference.vertices[second]];
        // Perpendicular to the normal, so that along and height are a rotated frame even where the edge is short.
        let tangent = Vec2::new(-normal.y, normal.x);
        let edge = facing_edge(incident, normal);
        // The polygons run the same way round, so the end of the incident edge faces the start of the reference face.
        let ends = [incident.next(edge), edge];
        let points = ends.map(|end| incident.vertices[end]);
        let outward = incident.normals[edge];
        Self {
            reference: [face, second],
            incident: ends,
            points,
            along: points.map(|p| tangent.dot(p - corners[0])),
            height: points.map(|p| normal.dot(p - corners[0])),
            corners,
            normal,
            length: tangent.dot(corners[1] - corners[0]),
            tilt: [tangent.dot(outward).abs(), -normal.dot(outward)],
            facing: normal.dot(outward) < FACING_COSINE,
            are_lines: reference.vertices.len() == 2 && incident.vertices.len() == 2,
            radii: [reference.radius, incident.radius],
            speculative_distance,
        }
    }

    /// The distance of the incident edge beyond the reference face, wholly past one of its ends, in meters; below zero
    /// if it is not.
    #[inline]
    fn beside(&self) -> f32 {
        let [low, high] = self.along;
        (-low.max(high)).max(low.min(high) - self.length)
    }

    /// The manifold, in the common frame.
    ///
    /// Cores that touch within the lead take the normal of the face, unless they are beside each other by more: then a
    /// corner faces a corner however low one is. The same holds where a steep edge would be clipped far above its lower
    /// end, just past the face. And lines end to end have no face between them at all.
    #[inline]
    fn contact(&self, face: Face, lead: f32) -> Manifold {
        let looks_past = || {
            let beside = self.beside();
            beside > lead && face.separation > 0.0 || beside > 0.0 && self.are_lines
        };
        let is_lifted = || face.separation > 0.0 && self.lift_exceeds(self.lower(), CORNER_LEAD_MAX);
        if (face.separation > lead || looks_past() || is_lifted())
            && let Some(manifold) = self.corner_contact()
        {
            return manifold;
        }
        self.clipped_contact()
    }

    /// The contact of two corners, if the nearest points of face and edge are corners of both. `None` leaves it to the
    /// face normal.
    ///
    /// The nearest end of the incident edge lies past the reference face; the corner that it lies past is nearest to
    /// it, unless that corner is nearer to the inside of the incident edge.
    #[inline]
    fn corner_contact(&self) -> Option<Manifold> {
        let [first, second] = self.along;
        let apart = self.beside() > 0.0;
        let lower = self.lower();
        let near = if apart {
            // The whole edge is beside the face (two lines end to end): the nearest end counts, not the lowest.
            usize::from((first < 0.0) == (second > first))
        } else {
            lower
        };
        let side = usize::from(self.along[near] > self.length);
        if side == 0 && self.along[near] >= 0.0 {
            return None;
        }
        let corner = self.corners[side];
        let end = self.points[near];
        let other = self.points[1 - near];
        if !apart && (corner - end).dot(other - end) > 0.0 {
            return None;
        }
        let closest = crate::shape::closest_on_segment(end, other, corner);
        let offset = closest - corner;
        let distance_squared = offset.length_squared();
        let too_near = distance_squared <= DIRECTION_DISTANCE_MIN * DIRECTION_DISTANCE_MIN;
        if too_near {
            return None;
        }
        let distance = sqrt(distance_squared);
        if self.facing && !apart && self.is_nearly_height(lower, distance) {
            return None;
        }
        let normal = offset / distance;
        let point = self.point_between(corner, closest, normal, distance, side, near);
        Some(Manifold::single(normal, point, self.speculative_distance))
    }

    /// Whether the clipped edge gives nearly the same separation as two corners that are `distance` apart: the lower
    /// end past the reference face is about as far outside of it, and so is the point where the edge is clipped at that
    /// side.
    #[inline]
    fn is_nearly_height(&self, lower: usize, distance: f32) -> bool {
        let height = self.height[lower];
        distance * distance <= CORNER_DISTANCE_FACTOR * height * height
            && distance - height <= CORNER_LEAD_MAX
            && !self.lift_exceeds(lower, CORNER_LEAD_MAX)
    }

    /// The lower end of the incident edge.
    #[inline]
    fn lower(&self) -> usize {
        usize::from(self.height[1] < self.height[0])
    }

    /// Whether the incident edge, clipped to the width of the reference face, is higher by more than a limit than its lower
    /// end, which lies past the face.
    #[inline]
    fn lift_exceeds(&self, lower: usize, limit: f32) -> bool {
        let along = self.along[lower];
        let past = (-along).max(along - self.length);
        let width = (self.along[1] - self.along[0]).abs();
        past > 0.0 && past * (self.height[1 - lower] - self.height[lower]) > limit * width
    }

    /// The incident edge clipped to the width of the reference face.
    ///
    /// Both ends are points as soon as one is in reach, however far away the other is: the manifold is kept while the
    /// bodies move a little, and a tipping body lands on the far end.
    #[inline]
    fn clipped_contact(&self) -> Manifold {
        let [low, high] = self.along;
        let width = high - low;
        let (from, to) = (low.max(0.0), high.min(self.length));
        let lower = self.lower();
        let [p, q] = self.points;
        let [first, second] = self.corners;
        let extent = p.abs().max(q.abs()).max(first.abs()).max(second.abs());
        let noise = DIRECTION_DISTANCE_MIN * extent.max_element().max(1.0);
        if to - from <= noise {
            // An edge perpendicular to the face touches with its lower end alone. One beside the face, by rounding or
            // as boxes in a grid meet at a corner, touches with the end that is nearer to the face: the other may be as
            // low, and meters away. (It is never lower by more than the lead: else a side would be the better
            // reference.)
            let end = if width <= noise {
                lower
            } else {
                usize::from(high <= 0.5 * self.length)
            };
            let corner = usize::from(low > 0.5 * self.length);
            let point = self.point_below(self.points[end], self.height[end], corner, end, self.radii[1]);
            return Manifold::single(self.normal, point, self.speculative_distance);
        }
        let points = [(0, from), (1, to)].map(|(end, along)| {
            let (mut on_core, mut height) = (self.points[end], self.height[end]);
            if along != self.along[end] {
                let fraction = (along - low) / width;
                on_core = self.points[0] + fraction * (self.points[1] - self.points[0]);
                height = self.height[0] + fraction * (self.height[1] - self.height[0]);
            }
            let depth = self.depth_below(along, height, lower);
            self.point_below(on_core, height, end, end, depth)
        });
        if points[0].separation.min(points[1].separation) > self.speculative_distance {
            return Manifold::EMPTY;
        }
        Manifold {
            normal: self.normal,
            points,
            count: 2,
            gap: 0.0,
        }
    }

    /// The depth of the incident surface below a point of the incident edge, along the reference normal, in meters: the
    /// radius under its lower end, more under the slope, where the perpendicular of the reference face meets the round
    /// border.
    #[inline]
    fn depth_below(&self, along: f32, height: f32, lower: usize) -> f32 {
        let radius = self.radii[1];
        let from_lower = (along - self.along[lower]).abs();
        let [sin, cos] = self.tilt;
        if radius == 0.0 || from_lower == 0.0 {
            radius
        } else if from_lower >= radius * sin {
            radius / cos
        } else {
            // Still over the round end.
            height - self.height[lower] + sqrt(radius * radius - from_lower * from_lower)
        }
    }

    /// The contact point below a point of the incident core that lies `height` outside the reference face, with the
    /// incident surface `depth` below it.
    #[inline]
    fn point_below(
        &self,
        on_core: Vec2,
        height: f32,
        corner: usize,
        end: usize,
        depth: f32,
    ) -> ManifoldPoint {
        let surface = on_core + (self.radii[0] - height) * self.normal;
        let other_surface = on_core - depth * self.normal;
        ManifoldPoint {
            point: 0.5 * (surface + other_surface),
            separation: height - depth - self.radii[0],
            id: feature_id(self.reference[corner], self.incident[end]),
        }
    }

    /// The point between the surfaces around two core points that are `distance` apart along `normal`.
    #[inline]
    fn point_between(
        &self,
        on_reference: Vec2,
        on_incident: Vec2,
        normal: Vec2,
        distance: f32,
        corner: usize,
        end: usize,
    ) -> ManifoldPoint {
        let surface = on_reference + self.radii[0] * normal;
        let other_surface = on_incident - self.radii[1] * normal;
        ManifoldPoint {
            point: 0.5 * (surface + other_surface),
            separation: distance - self.radii[0] - self.radii[1],
            id: feature_id(self.reference[corner], self.incident[end]),
        }
    }
}
