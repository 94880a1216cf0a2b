//! Moving bodies over one substep: semi-implicit Euler, damping by a Padé approximation, which cannot overshoot.

use crate::body::{BodySim, BodyState};
use crate::constants::ROTATION_PER_STEP_MAX_RAD;
use glam::Vec2;
use tombolo_geometry::Rot;
use tombolo_geometry::math::sqrt;

/// What all bodies share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion {
    /// Seconds of a substep.
    pub(crate) h: f32,
    /// Metres per second squared.
    pub(crate) gravity: Vec2,
    /// Metres per second.
    pub(crate) speed_max: f32,
    /// Radians per second.
    pub(crate) spin_max: f32,
}

impl Motion {
    pub(crate) fn new(h: f32, dt: f32, gravity: Vec2, speed_max: f32) -> Self {
        Self {
            h,
            gravity,
            speed_max,
            spin_max: ROTATION_PER_STEP_MAX_RAD / dt,
        }
    }

    /// Forces, gravity and damping change the velocities. Kinematic bodies have no mass and keep theirs.
    pub(crate) fn integrate_velocity(&self, sim: &BodySim, state: &mut BodyState) {
        if !sim.is_dynamic() {
            return;
        }
        let acceleration = sim.inverse_mass * sim.force + sim.gravity_scale * self.gravity;
        let spin_up = sim.inverse_inertia * sim.torque;
        let linear = state.linear_velocity + self.h * acceleration;
        let angular = state.angular_velocity + self.h * spin_up;
        let linear = linear * (1.0 / (1.0 + self.h * sim.linear_damping));
        let angular = angular * (1.0 / (1.0 + self.h * sim.angular_damping));
        let speed_squared = linear.length_squared();
        state.linear_velocity = if speed_squared > self.speed_max * self.speed_max {
            linear * (self.speed_max / sqrt(speed_squared))
        } else {
            linear
        };
        state.angular_velocity = if angular > self.spin_max {
            self.spin_max
        } else if angular < -self.spin_max {
            -self.spin_max
        } else {
            angular
        };
    }

    /// The velocities move the body.
    pub(crate) fn integrate_position(&self, state: &mut BodyState) {
        state.delta_position += self.h * state.linear_velocity;
        let turned = Rot {
            cos: state.delta_cos,
            sin: state.delta_sin,
        }
        .integrate(self.h * state.angular_velocity);
        (state.delta_cos, state.delta_sin) = (turned.cos, turned.sin);
    }
}
