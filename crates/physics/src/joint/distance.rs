//! The distance joint: two points are kept a length apart, rigidly, by a spring, between limits, or by a motor.

use super::define::{joint_def, rule};

joint_def! {
    /// The definition of a distance joint: two points are kept a length apart.
    ///
    /// Without spring, limits and motor the length is held rigidly: a rod. With limits alone it is a rope: free between
    /// `min_length` and `max_length`. Spring, limits and motor may be combined. Where the two points coincide, the joint
    /// pushes along the x axis of the first frame.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, DistanceDef, PhysicsWorld, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let hook = world.create_body(&BodyDef::fixed(0.0, 5.0))?;
    /// let load = world.create_body(&BodyDef::dynamic(0.0, 3.0))?;
    /// let rope = DistanceDef {
    ///     enable_limit: true,
    ///     max_length: 3.0,
    ///     ..DistanceDef::new(hook, Vec2::ZERO, load, Vec2::ZERO)
    /// };
    /// world.create_joint(rope)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct DistanceDef of Distance;
    switches {
        /// Whether a spring pulls the length to `length`.
        enable_spring: false => SPRING,
        /// Whether the length is kept between the two limits.
        enable_limit: false => LIMIT,
        /// Whether a motor changes the length.
        enable_motor: false => MOTOR,
    }
    numbers {
        /// The rest length: the distance of the two points in meters, 0 to 100,000; 1 by default.
        length: 1.0, length => (linear[0].target),
        /// The spring's frequency in hertz: 0, or 0.001 to 10,000.
        spring_hertz: 0.0, hertz => (linear[0].hertz),
        /// The spring's damping ratio, 0 to 1,000; 1 is critical.
        spring_damping_ratio: 0.0, damping => (linear[0].damping_ratio),
        /// The least force of the spring in newtons, -1e30 to 1e30, by default -1e30: with 0 it only pushes the points
        /// apart.
        lower_spring_force: -crate::constants::FORCE_MAX_N, force => (linear[0].spring_min),
        /// The greatest force of the spring in newtons, not below `lower_spring_force`, by default 1e30: with 0 it only
        /// pulls the points together, as a rubber band does.
        upper_spring_force: crate::constants::FORCE_MAX_N, force => (linear[0].spring_max),
        /// The least length in meters, 0 to 100,000.
        min_length: 0.0, length => (linear[0].lower),
        /// The greatest length in meters, from `min_length` to 100,000, which is the default.
        max_length: crate::constants::POSITION_MAX_M, length => (linear[0].upper),
        /// The speed in meters per second at which the motor lengthens the joint, -1,000,000 to 1,000,000.
        motor_speed: 0.0, speed => (linear[0].speed),
        /// The greatest force of the motor in newtons; any finite number from 0 up.
        max_motor_force: 0.0, strength => (linear[0].motor_max),
    }
    vectors {}
    order |sim| {
        rule::rising("max_length", sim.linear[0].lower, sim.linear[0].upper)?;
        rule::rising("upper_spring_force", sim.linear[0].spring_min, sim.linear[0].spring_max)
    }
}
