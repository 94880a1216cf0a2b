//! [`ConvexCore`]: the edges and normals of convex cores of at least two vertices, for manifolds and distances.

use super::faces::{Faces, LANES};
use super::{Shape, VERTEX_COUNT_MAX};
use crate::math::Pose;
use glam::Vec2;

/// The vertices and outward normals of a core with at least two vertices.
#[derive(Clone, Copy)]
pub(crate) struct ConvexCore<'a> {
    pub(crate) vertices: &'a [Vec2],
    pub(crate) normals: &'a [Vec2],
    pub(crate) radius: f32,
}

impl ConvexCore<'_> {
    /// The vertex after `index`.
    #[inline]
    pub(crate) fn next(&self, index: usize) -> usize {
        if index + 1 < self.vertices.len() {
            index + 1
        } else {
            0
        }
    }
}

/// A face of one core and the separation of the other core from it.
#[derive(Clone, Copy)]
pub(crate) struct Face {
    pub(crate) index: usize,
    pub(crate) separation: f32,
}

/// The face of `convex_core` with the greatest separation from `points`, the first of equals.
///
/// Lanes hold different faces and the loop runs over the points, so that nothing is summed or compared across lanes
/// until the end. Lanes beyond the last face repeat it and never win.
#[inline]
pub(crate) fn best_face(convex_core: &ConvexCore<'_>, points: &[Vec2]) -> Face {
    let mut best = Face {
        index: 0,
        separation: f32::NEG_INFINITY,
    };
    for start in (0..convex_core.normals.len()).step_by(LANES) {
        let faces = Faces::or_the_last(convex_core.normals, convex_core.vertices, start);
        let mut nearest = [f32::INFINITY; LANES];
        for point in points {
            for (nearest, separation) in nearest.iter_mut().zip(faces.separations(*point)) {
                *nearest = if separation < *nearest {
                    separation
                } else {
                    *nearest
                };
            }
        }
        for (lane, &separation) in nearest.iter().enumerate() {
            if separation > best.separation {
                best = Face {
                    index: start + lane,
                    separation,
                };
            }
        }
    }
    best
}

/// The edge of a core whose normal is most opposed to `normal`.
///
/// Of edges within some hundredths of a degree of it the cosines are equal except for rounding, and only the sines
/// distinguish them.
#[inline]
pub(crate) fn facing_edge(convex_core: &ConvexCore<'_>, normal: Vec2) -> usize {
    /// The difference below which two cosines count as equal.
    const TIE: f32 = 4.0 * f32::EPSILON;
    /// The cosine below which an edge faces the normal.
    const FACING: f32 = -0.999;
    let mut best = (0, f32::INFINITY);
    for (index, other) in convex_core.normals.iter().enumerate() {
        let along = normal.dot(*other);
        if along < best.1 + TIE {
            let sine = |edge: usize| normal.perp_dot(convex_core.normals[edge]).abs();
            let is_tie = along > best.1 - TIE && along < FACING;
            if if is_tie {
                sine(index) < sine(best.0)
            } else {
                along < best.1
            } {
                best = (index, along);
            }
        }
    }
    best.0
}

/// The core of a shape in another frame.
pub(crate) struct MovedCore {
    vertices: [Vec2; VERTEX_COUNT_MAX],
    normals: [Vec2; VERTEX_COUNT_MAX],
    count: usize,
    radius: f32,
}

impl MovedCore {
    /// The core of `shape` in the frame in which the shape is at `pose`.
    #[inline]
    pub(crate) fn new(shape: &Shape, pose: Pose) -> Self {
        let mut moved = Self {
            vertices: [Vec2::ZERO; VERTEX_COUNT_MAX],
            normals: [Vec2::ZERO; VERTEX_COUNT_MAX],
            count: (shape.count as usize).min(VERTEX_COUNT_MAX),
            radius: shape.radius,
        };
        // Four at once, as far as there are any; what comes of those beyond the last is never read.
        for start in (0..moved.count).step_by(LANES) {
            for index in start..start + LANES {
                moved.vertices[index] = pose.transform_point(shape.vertices[index]);
                moved.normals[index] = pose.rotation.rotate(shape.normals[index]);
            }
        }
        moved
    }

    /// The moved core.
    #[inline]
    pub(crate) fn convex_core(&self) -> ConvexCore<'_> {
        ConvexCore {
            vertices: &self.vertices[..self.count],
            normals: &self.normals[..self.count],
            radius: self.radius,
        }
    }
}

impl Shape {
    /// The core in its own frame.
    #[inline]
    pub(crate) fn convex_core(&self) -> ConvexCore<'_> {
        let count = (self.count as usize).min(VERTEX_COUNT_MAX);
        ConvexCore {
            vertices: &self.vertices[..count],
            normals: &self.normals[..count],
            radius: self.radius,
        }
    }
}
