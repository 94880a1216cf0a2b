//! The options of a joint's axes: which axis limits, spring and motor act on, which flags switch them, and what calls
//! read and set of them: [`JointLimit`], [`JointSpring`], [`JointMotor`], [`JointStiffness`], [`JointThresholds`].

use super::parts::JointCoordinate;
use super::record::{AxisOptions, JointSim, axis, flag};

/// The limits of a joint with one limited coordinate; see [`JointMut::set_limit`](crate::JointMut::set_limit).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointLimit {
    /// The lower limit: an angle in radians, or a length or translation in meters.
    pub lower: f32,
    /// The upper limit, not below the lower one.
    pub upper: f32,
}

/// The spring of a joint with one sprung coordinate; see [`JointMut::set_spring`](crate::JointMut::set_spring).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointSpring {
    /// The angle in radians, or the length or translation in meters, to which the spring pulls.
    pub target: f32,
    /// The frequency in hertz: 0, or 0.001 to 10,000.
    pub hertz: f32,
    /// The damping ratio, 0 to 1,000; 1 is critical.
    pub damping_ratio: f32,
}

/// The motor of a joint with one driven coordinate; see [`JointMut::set_motor`](crate::JointMut::set_motor).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointMotor {
    /// The target speed in radians or meters per second, -1,000,000 to 1,000,000.
    pub speed: f32,
    /// The greatest torque in newton meters, or force in newtons; any finite number from 0 up.
    pub max: f32,
}

/// The stiffness of a joint's rigid constraints; see [`JointMut::set_stiffness`](crate::JointMut::set_stiffness).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointStiffness {
    /// The frequency in hertz: 0, or 0.001 to 10,000. At 0 velocities are stopped and errors of position stay.
    pub hertz: f32,
    /// The damping ratio, 0 to 1,000.
    pub damping_ratio: f32,
}

/// The load above which a joint is reported; see [`JointMut::set_thresholds`](crate::JointMut::set_thresholds).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct JointThresholds {
    /// The force in newtons, from 0 up; infinite for never.
    pub force: f32,
    /// The torque in newton meters, from 0 up; infinite for never.
    pub torque: f32,
    /// Whether the joint is destroyed at the end of the step in which it exceeds a threshold.
    pub breaks: bool,
}

/// The axis of a coordinate that lies along one.
fn axis_of(coordinate: Option<JointCoordinate>) -> Option<usize> {
    match coordinate? {
        JointCoordinate::Along => Some(axis::X),
        JointCoordinate::Angle => Some(axis::ANGLE),
        JointCoordinate::Point | JointCoordinate::PointAndAngle | JointCoordinate::Each => None,
    }
}

impl JointSim {
    /// The axis of the limits, for a kind with limits on one axis.
    pub(crate) fn limit_axis(&self) -> Option<usize> {
        axis_of(self.parts().limit)
    }

    /// The axis of the spring, for a kind with one spring.
    pub(crate) fn spring_axis(&self) -> Option<usize> {
        axis_of(self.parts().spring)
    }

    /// The axis of the motor, for a kind with one motor.
    pub(crate) fn motor_axis(&self) -> Option<usize> {
        axis_of(self.parts().motor)
    }

    /// The limits, on or off; `None` for a kind without limits on one axis.
    pub(crate) fn limit(&self) -> Option<JointLimit> {
        let &AxisOptions { lower, upper, .. } = self.options(self.limit_axis()?);
        Some(JointLimit { lower, upper })
    }

    /// The spring, on or off; `None` for a kind without one spring.
    pub(crate) fn spring(&self) -> Option<JointSpring> {
        let &AxisOptions {
            target,
            hertz,
            damping_ratio,
            ..
        } = self.options(self.spring_axis()?);
        Some(JointSpring {
            target,
            hertz,
            damping_ratio,
        })
    }

    /// The motor, on or off; `None` for a kind without one motor.
    pub(crate) fn motor(&self) -> Option<JointMotor> {
        let &AxisOptions { speed, motor_max, .. } = self.options(self.motor_axis()?);
        Some(JointMotor {
            speed,
            max: motor_max,
        })
    }

    /// The flags of an axis for limits, spring, motor and lock; 0 for what the kind does not have there.
    fn switches(&self, index: usize) -> [u32; 4] {
        let parts = self.parts();
        if parts.limit == Some(JointCoordinate::Each) {
            return match index {
                axis::X => [flag::LIMIT, flag::SPRING, flag::MOTOR, flag::LOCK_X],
                axis::Y => [flag::LIMIT_Y, flag::SPRING_Y, flag::MOTOR_Y, flag::LOCK_Y],
                _ => [
                    flag::LIMIT_ANGLE,
                    flag::SPRING_ANGLE,
                    flag::MOTOR_ANGLE,
                    flag::LOCK_ANGLE,
                ],
            };
        }
        let on = |axis: Option<usize>, flag: u32| if axis == Some(index) { flag } else { 0 };
        [
            on(self.limit_axis(), flag::LIMIT),
            on(self.spring_axis(), flag::SPRING),
            on(self.motor_axis(), flag::MOTOR),
            0,
        ]
    }

    /// Clears the impulses of parts that were switched off since `before`, and of limits that were moved.
    pub(crate) fn forget_what_was_off(&mut self, before: &Self) {
        for axis in 0..axis::COUNT {
            let switches = self.switches(axis);
            let [limit, spring, motor, lock] = switches.map(|flag| before.has(flag) && !self.has(flag));
            let limits = |sim: &Self| (sim.options(axis).lower, sim.options(axis).upper);
            let is_moved = switches[0] != 0 && limits(before) != limits(self);
            let impulses = &mut self.impulses[axis];
            if limit || is_moved {
                (impulses.lower, impulses.upper) = (0.0, 0.0);
            }
            if spring || lock {
                impulses.soft = 0.0;
            }
            if motor {
                impulses.motor = 0.0;
            }
        }
    }

    fn options(&self, index: usize) -> &AxisOptions {
        match index {
            axis::ANGLE => &self.angular,
            _ => &self.linear[index],
        }
    }

    /// The options of an axis.
    pub(crate) fn options_mut(&mut self, index: usize) -> &mut AxisOptions {
        match index {
            axis::ANGLE => &mut self.angular,
            _ => &mut self.linear[index],
        }
    }
}
