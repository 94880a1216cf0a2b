//! The wheel joint: the second body turns freely, or by a motor, and is sprung along an axis of the first.

use super::define::{joint_def, rule};

joint_def! {
    /// What to create a wheel joint from: the second point stays on the x axis of the first frame, where a suspension
    /// springs it, and its body turns.
    pub struct WheelDef of Wheel;
    switches {
        /// Whether the suspension is sprung; true by default.
        enable_spring: true => SPRING,
        /// Whether the translation is kept between the two limits.
        enable_limit: false => LIMIT,
        /// Whether a motor turns the wheel.
        enable_motor: false => MOTOR,
    }
    numbers {
        /// The suspension's stiffness as oscillations per second: 0, or 0.001 to 10,000; 1 by default.
        spring_hertz: 1.0, hertz => (linear[0].hertz),
        /// The suspension's damping, 0 to 1,000; 1 is critical, 0.7 the default.
        spring_damping_ratio: 0.7, damping => (linear[0].damping_ratio),
        /// Where the suspension pulls to, meters along the axis, -100,000 to 100,000.
        target_translation: 0.0, place => (linear[0].target),
        /// Smallest translation in meters, -100,000 to 100,000.
        lower_translation: 0.0, place => (linear[0].lower),
        /// Largest translation in meters, from `lower_translation` to 100,000.
        upper_translation: 0.0, place => (linear[0].upper),
        /// Radians per second that the motor aims for, up to a million. With speed 0 the motor acts as a brake.
        motor_speed: 0.0, spin => (angular.speed),
        /// Newton meters that the motor has at most; any finite number from 0 up.
        max_motor_torque: 0.0, strength => (angular.motor_max),
    }
    vectors {}
    order |sim| rule::rising("upper_translation", sim.linear[0].lower, sim.linear[0].upper)
}
