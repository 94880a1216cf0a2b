//! Updating one contact: keeping its manifold while the bodies hardly moved, computing it anew otherwise.
//!
//! A pure function of the contact, the two bodies and the two shapes, so that contacts are updated in any order by any
//! worker.

use super::{Contact, ContactPoint, Patch, flag};
use crate::body::BodyPose;
use crate::constants::{RECYCLE_COSINE_MIN, RECYCLE_DISTANCE_M, SPECULATIVE_DISTANCE_M};
use crate::shape::Material;
use tombolo_geometry::Pose;
use tombolo_geometry::collide::{Manifold, collide};
use tombolo_geometry::math::sqrt;
use tombolo_geometry::shape::Shape;

/// One side of a contact, as updating sees it.
#[derive(Clone, Copy)]
pub(crate) struct Side<'a> {
    pub(crate) pose: &'a BodyPose,
    pub(crate) shape: &'a Shape,
    pub(crate) material: &'a Material,
}

impl Contact {
    /// Whether the manifold of an earlier step still holds: B moved, seen from A, less than it may.
    ///
    /// A touching manifold follows the bodies by its anchors, so it may be kept for longer than the knowledge that two
    /// shapes do not touch, which must not outlive the speculative distance.
    pub(crate) fn is_still_valid(&self, a: &BodyPose, b: &BodyPose) -> bool {
        if self.flags & flag::COMPUTED == 0 {
            return false;
        }
        let now = center_in(a, b);
        let turn = self.cached_pose.rotation.to(now.rotation);
        let limit = if self.is_touching() {
            RECYCLE_DISTANCE_M
        } else {
            RECYCLE_DISTANCE_M.min(SPECULATIVE_DISTANCE_M)
        };
        let moved = (now.position - self.cached_pose.position).length() + self.arm * turn.sin.abs();
        turn.cos > RECYCLE_COSINE_MIN && moved < limit
    }

    /// Computes the manifold and mixes the materials. Points that persist keep their impulses.
    pub(crate) fn compute(&mut self, patch: &mut Patch, a: Side<'_>, b: Side<'_>) {
        let b_in_a = a.pose.pose.to(b.pose.pose);
        let manifold = collide(a.shape, b.shape, b_in_a, SPECULATIVE_DISTANCE_M);
        let old = &patch.points[..self.point_count as usize];
        let points = core::array::from_fn(|i| {
            if i < manifold.count as usize {
                contact_point(&manifold, i, b_in_a, a.pose, b.pose, old)
            } else {
                ContactPoint::ZERO
            }
        });

        self.flags |= flag::COMPUTED;
        self.point_count = manifold.count;
        self.cached_pose = center_in(a.pose, b.pose);
        self.arm = b.shape.max_extent_from(b.pose.local_center);
        patch.surface.local_normal = manifold.normal;
        patch.mix_materials(a.material, b.material);
        patch.points = points;
        if manifold.count == 0 {
            patch.surface.rolling_impulse = 0.0;
        }
    }
}

impl Patch {
    fn mix_materials(&mut self, a: &Material, b: &Material) {
        let surface = &mut self.surface;
        surface.friction = sqrt(a.friction * b.friction);
        surface.restitution = a.restitution.max(b.restitution);
        surface.rolling_resistance = a.rolling_resistance.max(b.rolling_resistance);
        surface.tangent_speed = a.tangent_speed + b.tangent_speed;
    }
}

/// Where B's centre of mass is in A's frame, and how B is turned in it.
fn center_in(a: &BodyPose, b: &BodyPose) -> Pose {
    Pose {
        position: a.pose.rotation.unrotate(b.center - a.center),
        rotation: a.pose.rotation.to(b.pose.rotation),
    }
}

fn contact_point(
    manifold: &Manifold,
    i: usize,
    b_in_a: Pose,
    a: &BodyPose,
    b: &BodyPose,
    old: &[ContactPoint],
) -> ContactPoint {
    let new = &manifold.points[i];
    let kept = old.iter().find(|point| point.feature == new.id);
    ContactPoint {
        local_anchor_a: new.point - a.local_center,
        local_anchor_b: b_in_a.inverse_transform_point(new.point) - b.local_center,
        separation: new.separation,
        present: 1.0,
        normal_impulse: kept.map_or(0.0, |point| point.normal_impulse),
        tangent_impulse: kept.map_or(0.0, |point| point.tangent_impulse),
        total_normal_impulse: 0.0,
        feature: new.id,
    }
}
