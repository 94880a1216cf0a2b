//! What is in the way of a fast body, and what meeting it does.

use glam::Vec2;
use tombolo_geometry::Pose;
use tombolo_geometry::distance::{Sweep, TimeOfImpact};
use tombolo_geometry::shape::Shape;

/// A shape that may be in the way, and how it moves meanwhile.
pub(super) struct Obstacle<'a> {
    pub(super) geometry: &'a Shape,
    /// Where its body is at the start and at the end of the step.
    pub(super) poses: [Pose; 2],
    pub(super) sweep: Sweep,
    /// Whether it moves on, whoever it meets.
    pub(super) carries: bool,
    /// Meters that what it carries goes on along its face by its own motion, beside what the face itself goes; any number of
    /// them if `None`. A bullet stays near to where it is met: within a step it may go far beyond the end of the face, and
    /// nothing would turn it back there.
    pub(super) slip_max: Option<f32>,
    /// Whether it turns so far in the step that what it carries goes around with it; else that is pushed straight out.
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

    /// How far a point goes that turns with it, about its center of mass, between two fractions.
    pub(super) fn around(&self, point: Vec2, fractions: [f32; 2]) -> Vec2 {
        let [from, to] = fractions.map(|fraction| self.pose_at(fraction));
        let arm = point - from.transform_point(self.sweep.local_center);
        from.rotation.to(to.rotation).rotate(arm) - arm
    }

    /// Where it brings a body that it meets: as far as that moves by itself, and then out along the normal as that is at the
    /// end of the step, until the body is as far in front of the place where they touch as it was when they met. If its
    /// middle ends no nearer by itself, it goes its own way and only its turn stops; `None` then for a bullet, which stays where
    /// they met. With the way of that push, at the end.
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
        // Its middle ends no nearer by itself: what met is an end that turns. That is what stops.
        self.slip_max.is_none().then(|| {
            let rotation = sweep.pose_at(impact.fraction).rotation;
            let position = center_in(pose) - rotation.rotate(sweep.local_center);
            (Pose { position, rotation }, Vec2::ZERO)
        })
    }
}

/// An impact: the first of several.
#[derive(Clone, Copy)]
pub(super) struct FirstImpact {
    pub(super) fraction: f32,
    /// Where the body is moved at once from there, if it is not stopped: along with a kinematic body, or along an
    /// obstacle that its middle must not pass. Of equal impacts the one that moves it to the least place counts, so that
    /// nobody's place in a list decides.
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
