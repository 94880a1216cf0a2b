//! [`Manifold`]: the contact points of two touching shapes, and their ids.

use crate::math::Pose;
use glam::Vec2;

crate::plain_data! {
    /// One point of contact.
    #[derive(Debug, Default, PartialEq)]
    pub struct ManifoldPoint {
        /// Halfway between the two surfaces, seen along the normal, in the frame of the first shape.
        pub point: Vec2,
        /// The distance of the surfaces along the normal, in meters; below zero where they overlap.
        pub separation: f32,
        /// The features that meet: vertex of the first shape times 256 plus vertex of the second. The same features
        /// keep their id from step to step; the two points of a manifold have different ids.
        pub id: u32,
    }

    /// The contact of two shapes: up to two points that share a normal.
    #[derive(Debug, Default, PartialEq)]
    pub struct Manifold {
        /// The unit vector along which the second shape must move to separate, in the frame of the first; zero if there
        /// is no point.
        pub normal: Vec2,
        /// The points; those from `count` on are zero.
        pub points: [ManifoldPoint; 2],
        /// The number of points: 0, 1 or 2.
        pub count: u32,
        /// For separated shapes a lower bound of their distance, in meters, or 0 where it is not known; 0 if there is a
        /// point.
        pub gap: f32,
    }
}

const _: () = {
    assert!(size_of::<ManifoldPoint>() == 16);
    assert!(size_of::<Manifold>() == 48);
};

impl Manifold {
    /// No contact.
    pub const EMPTY: Self = {
        let none = ManifoldPoint {
            point: Vec2::ZERO,
            separation: 0.0,
            id: 0,
        };
        Self {
            normal: Vec2::ZERO,
            points: [none, none],
            count: 0,
            gap: 0.0,
        }
    };

    /// No contact: the distance of the shapes is at least `gap`.
    #[inline]
    pub(crate) fn apart(gap: f32) -> Self {
        Self { gap, ..Self::EMPTY }
    }

    /// The points in use.
    #[inline]
    pub fn active_points(&self) -> &[ManifoldPoint] {
        &self.points[..self.count as usize]
    }

    /// A manifold of one point; empty if its separation exceeds `speculative_distance`.
    #[inline]
    pub(super) fn single(normal: Vec2, point: ManifoldPoint, speculative_distance: f32) -> Self {
        if point.separation > speculative_distance {
            return Self::EMPTY;
        }
        Self {
            normal,
            points: [point, ManifoldPoint::default()],
            count: 1,
            gap: 0.0,
        }
    }

    /// The same contact with the roles of the shapes exchanged, in the frame of the other one: `frame` is the pose of
    /// this manifold's frame in the new one.
    #[inline]
    #[must_use]
    pub fn swapped(mut self, frame: Pose) -> Self {
        self.normal = frame.rotation.rotate(-self.normal);
        for point in &mut self.points[..self.count as usize] {
            point.point = frame.transform_point(point.point);
            point.id = swapped_id(point.id);
        }
        self
    }
}

/// The id of a pair of vertices.
#[inline]
pub(super) fn feature_id(vertex_a: usize, vertex_b: usize) -> u32 {
    (vertex_a as u32) << 8 | vertex_b as u32
}

/// The id of the same features with the shapes exchanged.
#[inline]
pub(super) fn swapped_id(id: u32) -> u32 {
    (id & 0xff) << 8 | id >> 8
}
