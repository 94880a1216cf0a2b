//! [`Obstacle`]: a shape in the path of a fast body, and the effect of meeting it.

use glam::Vec2;
use tombolo_geometry::Pose;
use tombolo_geometry::distance::{Sweep, TimeOfImpact};
use tombolo_geometry::shape::Shape;

/// A shape that may be in the path, and its motion in the step.
pub(super) struct Obstacle<'a> {
    pub(super) geometry: &'a Shape,
    /// The poses of its body at the start and at the end of the step.
    pub(super) poses: [Pose; 2],
    pub(super) sweep: Sweep,
    /// Whether it continues its motion, whatever it hits.
    pub(super) carries: bool,
    /// The greatest distance in meters by which a body that it carries moves along its face by its own motion, beyond
    /// the motion of the face itself; `None` if unlimited. A bullet stays near the point where it is hit: within a step
    /// it may go far beyond the end of the face, and nothing would stop it there.
    pub(super) slip_max: Option<f32>,
    /// Whether it turns so far in the step that a body that it carries goes around with it; otherwise that is pushed
    /// straight out.
    pub(super) turns_far: bool,
}

impl Obstacle<'_> {
    pub(super) fn pose_at(&self, fraction: f32) -> Pose {
        if self.carries && fraction > 0.0 {
            self.sweep.pose_at(fraction)
        } else {
            self.poses[0]
        }
    }

    /// The displacement of a point that rotates with it, about its center of mass, between two fractions.
    pub(super) fn around(&self, point: Vec2, fractions: [f32; 2]) -> Vec2 {
        let [from, to] = fractions.map(|fraction| self.pose_at(fraction));
        let arm = point - from.transform_point(self.sweep.local_center);
        from.rotation.to(to.rotation).rotate(arm) - arm
    }

    /// The pose to which it carries a body that it hits: the body's own motion continued, and then pushed out along the
    /// normal at the end of the step, until the body is as far in front of the contact point as it was when they met.
    /// If the body's middle comes no nearer by its own motion, the body follows that and only its rotation stops. A
    /// bullet then stays where they met, or as far in front of the face as it was there if the face moves on towards it;
    /// `None` if that moves away. Also returns the displacement of the push, at the end.
    pub(super) fn carry(&self, sweep: &Sweep, impact: &TimeOfImpact) -> Option<(Pose, Vec2)> {
        if !self.carries {
            return None;
        }
        let met = self.pose_at(impact.fraction);
        let touching = self.poses[1].transform_point(met.inverse_transform_point(impact.point));
        let normal = met.rotation.to(self.poses[1].rotation).rotate(impact.normal);
        let center_in = |pose: Pose| pose.transform_point(sweep.local_center);
        let ahead = impact
            .normal
            .dot(center_in(sweep.pose_at(impact.fraction)) - impact.point);
        let mut pose = sweep.pose_at(if self.slip_max.is_some() {
            impact.fraction
        } else {
            1.0
        });
        if self.turns_far {
            pose.position += self.around(center_in(sweep.pose_at(impact.fraction)), [impact.fraction, 1.0]);
            let push = (ahead - normal.dot(center_in(pose) - touching)).max(0.0) * normal;
            pose.position += push;
            return Some((pose, push));
        }
        if let Some(slip_max) = self.slip_max {
            let along = normal.perp();
            let own = (1.0 - impact.fraction) * (sweep.c1 - sweep.c0);
            let of_face = along.dot(touching - impact.point);
            let [least, most] = [of_face.min(0.0) - slip_max, of_face.max(0.0) + slip_max];
            pose.position += normal.dot(own) * normal + along.dot(own).max(least).min(most) * along;
        }
        let push = ahead - normal.dot(center_in(pose) - touching);
        if push > 0.0 {
            pose.position += push * normal;
            return Some((pose, push * normal));
        }
        // Its middle comes no nearer by its own motion: a rotating end hit the obstacle. Only the rotation stops.
        let stopped = sweep.pose_at(impact.fraction);
        if self.slip_max.is_some() {
            let push = ahead - normal.dot(center_in(stopped) - touching);
            let position = stopped.position + push * normal;
            return (push > 0.0).then_some((Pose { position, ..stopped }, push * normal));
        }
        let rotation = stopped.rotation;
        let position = center_in(pose) - rotation.rotate(sweep.local_center);
        Some((Pose { position, rotation }, Vec2::ZERO))
    }
}

/// An impact: the first one of several.
#[derive(Clone, Copy)]
pub(super) struct FirstImpact {
    pub(super) fraction: f32,
    /// The pose to which the body is moved from there, if it is not stopped: along with a kinematic body, or along an
    /// obstacle that its middle must not pass. Of equal impacts the one with the least pose counts, so that the order
    /// of lists does not matter.
    pub(super) moved_to: Option<Pose>,
}

impl FirstImpact {
    pub(super) fn keep(&mut self, other: Self) {
        let place = |first: &Self| first.moved_to.map(|pose| [pose.position.x, pose.position.y]);
        let is_first = other.fraction < self.fraction
            || other.fraction == self.fraction
                && match (place(&other), place(self)) {
                    (Some(new), Some(known)) => new < known,
                    (new, known) => new.is_some() && known.is_none(),
                };
        if is_first {
            *self = other;
        }
    }
}
