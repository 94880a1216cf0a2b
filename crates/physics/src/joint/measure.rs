//! [`Measured`]: the relative pose of the two frames of a joint, and its errors from the pose that the joint holds.

use super::parts::Coupling;
use super::plan::{JointPlan, PositionConstraint};
use super::record::{JointSim, axis};
use glam::Vec2;
use tombolo_geometry::{Pose, Rot};

/// The pose of a joint's second frame relative to the first.
pub(crate) struct Measured {
    /// The vector from the first point to the second, along the axes of the first frame, in meters.
    pub(crate) apart: Vec2,
    /// The angle; see [`JointSim::unwound`].
    pub(crate) angle: f32,
    /// The error of a gear, a rack or a pulley.
    coupling_error: f32,
}

impl Measured {
    /// The position along each axis of a plan.
    fn positions(&self, plan: &JointPlan) -> [f32; axis::COUNT] {
        if plan.along {
            [self.apart.length(), 0.0, self.angle]
        } else {
            [self.apart.x, self.apart.y, self.angle]
        }
    }
}

impl JointSim {
    /// The relative pose of the joint frames of two bodies at these poses.
    pub(crate) fn measure(&self, a: Pose, b: Pose) -> Measured {
        let frame = a.rotation.then(Rot::from_angle(self.local_angle_a));
        let apart = b.transform_point(self.local_anchor_b) - a.transform_point(self.local_anchor_a);
        Measured {
            apart: frame.unrotate(apart),
            angle: self.unwound(a.rotation.to(b.rotation).angle()),
            coupling_error: self.coupling_error(a, b),
        }
    }

    /// The errors of the joint's rigid constraints and limits, in meters and radians.
    pub(crate) fn errors(&self, measured: &Measured) -> [f32; 2] {
        match self.coupling() {
            Some(Coupling::Gear) => return [0.0, measured.coupling_error.abs()],
            Some(Coupling::Rack | Coupling::Pulley) => return [measured.coupling_error.abs(), 0.0],
            None => {}
        }
        if self.is_revolute() {
            return [
                measured.apart.length(),
                beyond(self.turning_limits(), measured.angle),
            ];
        }
        let plan = self.plan();
        let positions = measured.positions(&plan);
        let mut errors = [0; axis::COUNT].map(|_| 0.0_f32);
        for ((error, axis), position) in errors.iter_mut().zip(&plan.axes).zip(positions) {
            let held = match axis.position {
                PositionConstraint::Held(target) => (position - target).abs(),
                PositionConstraint::Free | PositionConstraint::Sprung { .. } => 0.0,
            };
            *error = held.max(beyond(axis.limits, position));
        }
        if plan.slides {
            errors[axis::Y] = positions[axis::Y].abs();
            errors[axis::ANGLE] = positions[axis::ANGLE].abs();
        }
        let linear = match plan.point {
            PositionConstraint::Held(_) => measured.apart.length(),
            PositionConstraint::Free | PositionConstraint::Sprung { .. } => {
                Vec2::new(errors[axis::X], errors[axis::Y]).length()
            }
        };
        [linear, errors[axis::ANGLE]]
    }

    /// Whether the force or torque of the last step exceeds the joint's thresholds.
    pub(crate) fn is_strained(&self) -> bool {
        let is_over =
            |threshold: f32, size: &dyn Fn() -> f32| threshold < f32::INFINITY && size() > threshold;
        is_over(self.force_threshold, &|| self.force.length())
            || is_over(self.torque_threshold, &|| self.torque.abs())
    }
}

/// The distance by which a position is beyond limits.
fn beyond(limits: Option<[f32; 2]>, position: f32) -> f32 {
    limits.map_or(0.0, |[lower, upper]| {
        (lower - position).max(position - upper).max(0.0)
    })
}
