//! Angles of joints: unwinding an angle to one of those that are whole turns apart, and counting turns.

use super::parts::JointCoordinate;
use super::record::{JointSim, flag};
use crate::constants::{LIMIT_ANGLE_MAX_RAD, TURNS_MAX};
use core::f32::consts::{PI, TAU};
use tombolo_geometry::Rot;

impl JointSim {
    /// The angle of B in A at which both joint frames have the same rotation, in `[-π, π]`.
    #[inline]
    pub(crate) fn reference_angle(&self) -> f32 {
        within_half_a_turn(reduced(self.local_angle_a) - reduced(self.local_angle_b))
    }

    /// The joint's angle for `turn`, the angle of B in A's frame in `[-π, π]`: it is `turn` less the reference, plus
    /// whole turns. If turns are counted, it is the angle nearest to the last one; otherwise, with limits, the one
    /// nearest to the middle between them, so that a joint pushed beyond a limit is pushed back and not round;
    /// otherwise the one nearest to 0.
    #[inline]
    pub(crate) fn unwound(&self, turn: f32) -> f32 {
        let angle = within_half_a_turn(turn - self.reference_angle());
        if self.has(flag::COUNT_TURNS) {
            nearest(angle, self.track.angle)
        } else if let Some(limits) = self.turning_limits() {
            nearest(angle, middle(limits))
        } else {
            angle
        }
    }

    /// The angle with which counting begins: of all that are whole turns apart the one nearest to 0 or, if that is
    /// beyond the limits, nearest to the limit on that side.
    pub(crate) fn first_angle(&self, turn: f32) -> f32 {
        let angle = within_half_a_turn(turn - self.reference_angle());
        let [lower, upper] = self
            .turning_limits()
            .unwrap_or([f32::NEG_INFINITY, f32::INFINITY]);
        nearest(angle, 0.0_f32.max(lower).min(upper))
    }

    /// The target to which the spring pulls the joint from `angle`, which is unwound. If turns are counted, it is the
    /// target itself, a thousand turns off at most; without limits, the nearest of the targets that are whole turns
    /// apart; between limits, the one within them, or else the one nearer to a limit.
    #[inline]
    pub(crate) fn spring_target(&self, angle: f32) -> f32 {
        if self.has(flag::COUNT_TURNS) {
            return self
                .angular
                .target
                .clamp(-LIMIT_ANGLE_MAX_RAD, LIMIT_ANGLE_MAX_RAD);
        }
        nearest(
            reduced(self.angular.target),
            self.turning_limits().map_or(angle, middle),
        )
    }

    /// The limits of the angle; none of an angle that is locked, which is held at 0 whatever its limits.
    #[inline]
    pub(crate) fn turning_limits(&self) -> Option<[f32; 2]> {
        let limited = match self.parts().limit {
            Some(JointCoordinate::Angle) => self.has(flag::LIMIT),
            Some(JointCoordinate::Each) => self.has(flag::LIMIT_ANGLE) && !self.has(flag::LOCK_ANGLE),
            Some(JointCoordinate::Along | JointCoordinate::Point | JointCoordinate::PointAndAngle) | None => {
                false
            }
        };
        limited.then_some([self.angular.lower, self.angular.upper])
    }
}

/// The middle between the limits.
fn middle([lower, upper]: [f32; 2]) -> f32 {
    0.5 * (lower + upper)
}

/// The angle nearest to `wanted` among those that are whole turns from `angle`, which is in `[-π, π]`. It is computed
/// from the angle and the number of turns, so that errors do not accumulate however often they change.
#[inline]
pub(crate) fn nearest(angle: f32, wanted: f32) -> f32 {
    let off = wanted - angle;
    if off.abs() < 3.0 {
        // Same result as below for no turn: a zero of the sign that rounding gives.
        return angle + 0.0_f32.copysign(off);
    }
    let turns = libm::rintf(off / TAU);
    angle + TAU * turns.clamp(-TURNS_MAX, TURNS_MAX)
}

/// The angle nearest to 0 among those that are whole turns from `angle`, which is at most one and a half turns away
/// from it.
#[inline]
pub(crate) fn within_half_a_turn(angle: f32) -> f32 {
    if angle > PI {
        angle - TAU
    } else if angle < -PI {
        angle + TAU
    } else {
        angle
    }
}

/// An angle without its whole turns, in `[-π, π]`, like that of a body that is created with it.
#[inline]
fn reduced(angle: f32) -> f32 {
    if angle.abs() <= PI {
        angle
    } else {
        Rot::from_angle(angle).angle()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_angle_is_that_of_rounding_to_the_bit() {
        let angles = [-PI, -3.0, -1.0, -1e-30, -0.0, 0.0, 1e-30, 0.5, 2.9, PI];
        let wanted = [
            -100.0, -6.3, -3.1, -3.0, -0.1, -0.0, 0.0, 0.1, 2.99, 3.0, 3.2, 9.5, 1e4,
        ];
        for angle in angles {
            for wanted in wanted {
                let turns = libm::rintf((wanted - angle) / TAU);
                let plain = angle + TAU * turns.clamp(-TURNS_MAX, TURNS_MAX);
                let nearest = nearest(angle, wanted);
                assert_eq!(nearest.to_bits(), plain.to_bits(), "{angle} to {wanted}");
            }
        }
    }
}
