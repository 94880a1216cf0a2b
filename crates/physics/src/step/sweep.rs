//! [`BodySweep`]: the motion of a body that is so fast that it may pass through others within a step.

use crate::body::BodyPose;
use crate::constants::{FAST_MOTION_FRACTION, FAST_MOTION_MAX_M};
use tombolo_geometry::distance::Sweep;
use tombolo_geometry::{Aabb, Pose};

/// Up to which fraction of its motion a body counts as held at the start.
pub(super) const HELD_FRACTION_MAX: f32 = 0.01;

/// The motion of a fast body in this step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BodySweep {
    /// The body's index.
    pub(crate) body: u32,
    /// How far along the motion the body may go, 0 to 1.
    pub(crate) fraction: f32,
    /// Whether it is a bullet that is not fast itself: only fast kinematic bodies can pass it.
    pub(super) is_slow: bool,
    /// Whether it was moved on from there, by a kinematic body or along a wall.
    pub(crate) is_moved_on: bool,
    /// Where to, if so.
    pub(super) moved_to: Pose,
    /// The whole motion.
    pub(crate) sweep: Sweep,
}

/// A shape of a fast body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FastShape {
    pub(crate) shape: u32,
    /// Place in the list of sweeps.
    pub(crate) sweep: u32,
    /// Where the shape was during the step.
    pub(crate) area: Aabb,
}

/// From how many meters of motion in a step on a body of that smallest extent is fast.
pub(crate) fn fast_motion(extent_min: f32) -> f32 {
    (FAST_MOTION_FRACTION * extent_min).min(FAST_MOTION_MAX_M)
}

/// The motion of a body that is at `start` and then at `end`.
pub(super) fn sweep_between(start: &BodyPose, end: &BodyPose) -> Sweep {
    Sweep {
        local_center: end.local_center,
        c0: start.center,
        c1: end.center,
        q0: start.pose.rotation,
        q1: end.pose.rotation,
    }
}
