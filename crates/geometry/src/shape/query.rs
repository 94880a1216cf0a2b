//! Queries of one shape: its box, its extents, points inside, and nearest points.

use super::Shape;
use super::faces::LANES;
use crate::math::{Aabb, Pose, sqrt};
use glam::Vec2;

impl Shape {
    /// The smallest box around the shape when its frame is at `pose`; for a half-space around the part in the world,
    /// which ends 400 km from the origin for this.
    #[inline]
    pub fn aabb(&self, pose: Pose) -> Aabb {
        if self.is_half_space() {
            return self.half_space_box(pose);
        }
        let first = pose.transform_point(self.vertices[0]);
        let mut bounds = Aabb::new(first, first);
        for &vertex in &self.vertices()[1..] {
            let point = pose.transform_point(vertex);
            bounds = Aabb::new(bounds.min.min(point), bounds.max.max(point));
        }
        bounds.grown(self.radius)
    }

    /// Whether a point in the shape's own frame lies inside; the border counts. A segment has no inside.
    pub fn contains_point(&self, point: Vec2) -> bool {
        self.contains_when_rounded(point, self.radius)
    }

    /// Like [`Shape::contains_point`], with another radius.
    #[inline]
    pub(crate) fn contains_when_rounded(&self, point: Vec2, radius: f32) -> bool {
        if self.is_half_space() {
            return self.height_over_line(point) <= 0.0;
        }
        let is_near = |on_core: Vec2| radius > 0.0 && on_core.distance_squared(point) <= radius * radius;
        if self.count == 1 {
            return is_near(self.vertices[0]);
        }
        let (edge, separation) = self.face_separation(point);
        if self.count >= 3 && separation <= 0.0 {
            return true;
        }
        let (from, to) = self.edge(edge);
        is_near(closest_on_segment(from, to, point))
    }

    /// The distance from the centroid to the nearest part of the border, in meters: the motion of the shape below which
    /// its center cannot have passed through something thin. 0 for a segment.
    pub fn min_extent(&self) -> f32 {
        if self.count < 3 {
            return self.radius;
        }
        self.radius - self.face_separation(self.centroid).1
    }

    /// The distance behind the line of an edge of the nearest corner that is not an end of it, in meters: a shape that
    /// tips over one edge by more comes to rest on another corner. Infinite with less than three corners.
    pub fn edge_clearance(&self) -> f32 {
        let vertices = self.vertices();
        if vertices.len() < 3 {
            return f32::INFINITY;
        }
        let (mut before, mut start) = (vertices[vertices.len() - 2], vertices[vertices.len() - 1]);
        let mut normal = self.normals()[vertices.len() - 1];
        let mut end = vertices[0];
        let mut least = f32::INFINITY;
        // The polygon is convex: the nearest corners are those before and after the edge.
        for index in 0..vertices.len() {
            let after = *vertices.get(index + 1).unwrap_or(&vertices[0]);
            let behind = |corner: Vec2| normal.dot(start - corner);
            least = least.min(behind(before)).min(behind(after));
            (before, start, end) = (start, end, after);
            normal = self.normals()[index];
        }
        least
    }

    /// The distance from `point` to the farthest part of the border, in meters: the bound of the speed at which a
    /// rotation about `point` moves any part of the shape, per radian per second.
    pub fn max_extent_from(&self, point: Vec2) -> f32 {
        let farthest = self
            .vertices()
            .iter()
            .fold(0.0, |most: f32, v| most.max(v.distance_squared(point)));
        sqrt(farthest) + self.radius
    }

    /// The edge whose line the point is farthest outside of, and the distance in meters; below zero inside. Needs two
    /// vertices.
    pub(crate) fn face_separation(&self, point: Vec2) -> (usize, f32) {
        let mut best = (0, f32::NEG_INFINITY);
        let count = self.normals().len();
        for start in (0..count).step_by(LANES) {
            let separations = self.faces(start).separations(point);
            for (lane, &separation) in separations.iter().enumerate().take(count - start) {
                if separation > best.1 {
                    best = (start + lane, separation);
                }
            }
        }
        best
    }

    /// Whether the core of a polygon holds a point in the shape's own frame; the border counts.
    #[inline]
    pub(crate) fn core_holds(&self, point: Vec2) -> bool {
        // Lanes beyond the last face are zero; a NaN is not inside.
        let mut starts = (0..self.vertices().len()).step_by(LANES);
        starts.all(|start| {
            let separations = self.faces(start).separations(point);
            separations
                .iter()
                .fold(true, |holds, &separation| holds & (separation <= 0.0))
        })
    }

    /// The point of the core nearest to `point`: the point itself where it lies inside a polygon.
    pub(crate) fn core_closest_point(&self, point: Vec2) -> Vec2 {
        if self.is_half_space() {
            return self.nearest_in_half_space(point);
        }
        if self.count == 1 {
            return self.vertices[0];
        }
        let (edge, separation) = self.face_separation(point);
        if self.count >= 3 && separation <= 0.0 {
            return point;
        }
        // The edge with the greatest separation from an outside point always holds the nearest point: along directions
        // of increasing angle the separation rises to the true distance and falls again.
        let (from, to) = self.edge(edge);
        closest_on_segment(from, to, point)
    }
}

/// The point of a segment nearest to `point`.
#[inline]
pub(crate) fn closest_on_segment(from: Vec2, to: Vec2, point: Vec2) -> Vec2 {
    let along = to - from;
    let fraction = (point - from).dot(along) / along.length_squared();
    // A NaN fraction (a segment of no length) takes the last branch.
    if fraction >= 1.0 {
        to
    } else if fraction > 0.0 {
        from + fraction * along
    } else {
        from
    }
}
