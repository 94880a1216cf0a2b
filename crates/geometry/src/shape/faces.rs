//! [`Faces`]: four faces of a core side by side, so that a point or a direction is compared with all four at once.

use super::{Shape, VERTEX_COUNT_MAX};
use glam::Vec2;

/// The number of faces that are compared at once.
pub(crate) const LANES: usize = 4;

const _: () = assert!(
    VERTEX_COUNT_MAX.is_multiple_of(LANES),
    "four faces from a multiple of four on are in the arrays of a shape"
);

/// Four faces in a row: for each its normal, and its first vertex.
pub(super) struct Faces {
    normal_x: [f32; LANES],
    normal_y: [f32; LANES],
    vertex_x: [f32; LANES],
    vertex_y: [f32; LANES],
}

impl Faces {
    #[inline(always)]
    fn new(normals: &[Vec2; LANES], vertices: &[Vec2; LANES]) -> Self {
        Self {
            normal_x: normals.map(|normal| normal.x),
            normal_y: normals.map(|normal| normal.y),
            vertex_x: vertices.map(|vertex| vertex.x),
            vertex_y: vertices.map(|vertex| vertex.y),
        }
    }

    /// The four faces from `start` on; beyond the last one it is repeated.
    ///
    /// # Panics
    ///
    /// If there is no face `start`, or not as many vertices as normals.
    #[inline(always)]
    pub(super) fn or_the_last(normals: &[Vec2], vertices: &[Vec2], start: usize) -> Self {
        if let (Some(normals), Some(vertices)) =
            (normals[start..].first_chunk(), vertices[start..].first_chunk())
        {
            return Self::new(normals, vertices);
        }
        let last = normals.len() - 1;
        let [normals, vertices] =
            [normals, vertices].map(|of| core::array::from_fn(|lane| of[(start + lane).min(last)]));
        Self::new(&normals, &vertices)
    }

    /// The distances of a point outside of the faces' lines, in meters; below zero inside.
    #[inline(always)]
    pub(super) fn separations(&self, point: Vec2) -> [f32; LANES] {
        core::array::from_fn(|lane| {
            let x = self.normal_x[lane] * (point.x - self.vertex_x[lane]);
            let y = self.normal_y[lane] * (point.y - self.vertex_y[lane]);
            x + y
        })
    }

    /// The part of a vector along each normal.
    #[inline(always)]
    pub(super) fn along_normals(&self, vector: Vec2) -> [f32; LANES] {
        core::array::from_fn(|lane| self.normal_x[lane] * vector.x + self.normal_y[lane] * vector.y)
    }
}

impl Shape {
    /// The faces from `start` on, a multiple of four below eight. Beyond the last one all numbers are zero, so that no point
    /// is outside and nothing moves along a normal.
    #[inline(always)]
    pub(super) fn faces(&self, start: usize) -> Faces {
        let four = |of: &[Vec2; VERTEX_COUNT_MAX]| {
            let four: Option<&[Vec2; LANES]> = of[start..].first_chunk();
            *four.expect("a shape has room for four faces from each multiple of four on")
        };
        Faces::new(&four(&self.normals), &four(&self.vertices))
    }
}
