//! [`RigidWeldDef`]: the definition of a rigid weld, with its checks and its conversion to a record.

use super::record::{MemberId, RigidWeldRecord, flag};
use crate::PhysicsError;
use crate::body::{NONE, position_in_range};
use glam::Vec2;
use tombolo_geometry::Position;

/// The definition of a rigid weld: see [`PhysicsWorld::create_rigid_weld`](crate::PhysicsWorld::create_rigid_weld).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidWeldDef {
    /// The first member.
    pub member_a: MemberId,
    /// The second member. If the two are in two bodies, its body becomes a part of the first one's.
    pub member_b: MemberId,
    /// The point in the world at which they are welded in their present poses, in meters: the reference point of
    /// torque.
    pub point: Position,
    /// The force in newtons, averaged over a step, above which the weld is reported or breaks: 0 and up; infinity by
    /// default.
    pub force_threshold: f32,
    /// The torque in newton meters about the point, likewise: 0 and up; infinity by default.
    pub torque_threshold: f32,
    /// Whether the weld is destroyed at the end of the step in which it exceeds a threshold; true by default. Otherwise
    /// the weld is only reported.
    pub breaks: bool,
    /// A number for the user, saved with the weld.
    pub user_key: u64,
}

impl RigidWeldDef {
    /// A weld that never breaks; all other values are the defaults.
    pub fn new(member_a: MemberId, member_b: MemberId, point: Position) -> Self {
        Self {
            member_a,
            member_b,
            point,
            force_threshold: f32::INFINITY,
            torque_threshold: f32::INFINITY,
            breaks: true,
            user_key: 0,
        }
    }

    /// Checks the numbers, as every call that takes a definition does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and the expected range.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        position_in_range(self.point)?;
        check_thresholds(self.force_threshold, self.torque_threshold)
    }

    pub(crate) fn members(&self) -> [MemberId; 2] {
        [self.member_a, self.member_b]
    }

    /// The record of the weld at a point in its body's frame, in no list.
    pub(crate) fn record(&self, anchor: Vec2) -> RigidWeldRecord {
        RigidWeldRecord {
            user_key: self.user_key,
            members: self.members().map(|member| member.index()),
            previous: [NONE; 2],
            next: [NONE; 2],
            anchor,
            force_threshold: self.force_threshold,
            torque_threshold: self.torque_threshold,
            force: Vec2::ZERO,
            torque: 0.0,
            flags: if self.breaks { flag::BREAKS } else { 0 },
        }
    }
}

/// Returns an error for thresholds that are negative or NaN.
pub(crate) fn check_thresholds(force: f32, torque: f32) -> Result<(), PhysicsError> {
    for (what, got) in [("force_threshold", force), ("torque_threshold", torque)] {
        if got.is_nan() || got < 0.0 {
            let expected = "a number that is not negative, or infinity";
            return Err(PhysicsError::InvalidNumber { what, got, expected });
        }
    }
    Ok(())
}
