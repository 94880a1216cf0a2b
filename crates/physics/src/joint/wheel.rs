//! The wheel joint: the second body turns freely, or by a motor, and is sprung along an axis of the first.

use super::define::{joint_def, rule};

joint_def! {
    /// The definition of a wheel joint: the second point stays on the x axis of the first frame, along which a
    /// suspension springs it, and its body turns.
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
        /// The suspension's frequency in hertz: 0, or 0.001 to 10,000; 1 by default.
        spring_hertz: 1.0, hertz => (linear[0].hertz),
        /// The suspension's damping ratio, 0 to 1,000; 1 is critical, 0.7 the default.
        spring_damping_ratio: 0.7, damping => (linear[0].damping_ratio),
        /// The target of the suspension's spring in meters along the axis, -100,000 to 100,000.
        target_translation: 0.0, position => (linear[0].target),
        /// The lower limit of the translation in meters, -100,000 to 100,000.
        lower_translation: 0.0, position => (linear[0].lower),
        /// The upper limit of the translation in meters, from `lower_translation` to 100,000.
        upper_translation: 0.0, position => (linear[0].upper),
        /// The target speed of the motor in radians per second, up to a million. With speed 0 the motor acts as a
        /// brake.
        motor_speed: 0.0, spin => (angular.speed),
        /// The greatest torque of the motor in newton meters; any finite number from 0 up.
        max_motor_torque: 0.0, strength => (angular.motor_max),
    }
    vectors {}
    order |sim| rule::rising("upper_translation", sim.linear[0].lower, sim.linear[0].upper)
}
