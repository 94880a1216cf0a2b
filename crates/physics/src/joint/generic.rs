//! The generic joint: each of the three axes is free, locked, limited, sprung or driven, in any combination.

use super::define::{joint_def, rule};

joint_def! {
    /// The definition of a generic joint: along the x and the y axis of the first frame, and in angle, the second frame
    /// is free, locked at 0, or has limits, a spring and a motor, in any combination. A locked axis ignores its other
    /// options.
    ///
    /// It can replace other kinds: with `lock_x` and `lock_y` it is a revolute joint, with all three locks a weld, with
    /// `lock_y` and `lock_angle` a prismatic joint.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, GenericDef, PhysicsWorld, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let table = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let slide = world.create_body(&BodyDef::dynamic(0.0, 0.0))?;
    /// let cross_table = GenericDef {
    ///     enable_motor_x: true,
    ///     motor_speed_x: 0.1,
    ///     max_motor_force_x: 100.0,
    ///     enable_limit_y: true,
    ///     lower_y: -0.2,
    ///     upper_y: 0.2,
    ///     lock_angle: true,
    ///     ..GenericDef::new(table, Vec2::ZERO, slide, Vec2::ZERO)
    /// };
    /// world.create_joint(cross_table)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct GenericDef of Generic;
    switches {
        /// Whether the x axis is locked at 0.
        lock_x: false => LOCK_X,
        /// Whether the translation along x is kept between two limits.
        enable_limit_x: false => LIMIT,
        /// Whether a spring pulls the translation along x to `target_x`.
        enable_spring_x: false => SPRING,
        /// Whether a motor pushes along x.
        enable_motor_x: false => MOTOR,
        /// Whether the y axis is locked at 0.
        lock_y: false => LOCK_Y,
        /// Whether the translation along y is kept between two limits.
        enable_limit_y: false => LIMIT_Y,
        /// Whether a spring pulls the translation along y to `target_y`.
        enable_spring_y: false => SPRING_Y,
        /// Whether a motor pushes along y.
        enable_motor_y: false => MOTOR_Y,
        /// Whether the angle is locked at 0.
        lock_angle: false => LOCK_ANGLE,
        /// Whether the angle is kept between two limits.
        enable_limit_angle: false => LIMIT_ANGLE,
        /// Whether a spring pulls the angle to `target_angle`.
        enable_spring_angle: false => SPRING_ANGLE,
        /// Whether a motor turns the joint.
        enable_motor_angle: false => MOTOR_ANGLE,
        /// Whether whole turns are counted; see [`RevoluteDef::count_turns`](crate::RevoluteDef::count_turns).
        count_turns: false => COUNT_TURNS,
    }
    numbers {
        /// The lower limit of the translation along x in meters, -100,000 to 100,000.
        lower_x: 0.0, position => (linear[0].lower),
        /// The upper limit of the translation along x in meters, from `lower_x` to 100,000.
        upper_x: 0.0, position => (linear[0].upper),
        /// The target of the spring along x in meters, -100,000 to 100,000.
        target_x: 0.0, position => (linear[0].target),
        /// The frequency of the spring along x in hertz: 0, or 0.001 to 10,000.
        spring_hertz_x: 0.0, hertz => (linear[0].hertz),
        /// The damping ratio of the spring along x, 0 to 1,000; 1 is critical.
        spring_damping_ratio_x: 0.0, damping => (linear[0].damping_ratio),
        /// The target speed of the motor along x in meters per second, -1,000,000 to 1,000,000.
        motor_speed_x: 0.0, speed => (linear[0].speed),
        /// The greatest force of the motor along x in newtons; any finite number from 0 up.
        max_motor_force_x: 0.0, strength => (linear[0].motor_max),
        /// The lower limit of the translation along y, like `lower_x`.
        lower_y: 0.0, position => (linear[1].lower),
        /// The upper limit of the translation along y, like `upper_x`.
        upper_y: 0.0, position => (linear[1].upper),
        /// The target of the spring along y, like `target_x`.
        target_y: 0.0, position => (linear[1].target),
        /// The frequency of the spring along y, like `spring_hertz_x`.
        spring_hertz_y: 0.0, hertz => (linear[1].hertz),
        /// The damping ratio of the spring along y, like `spring_damping_ratio_x`.
        spring_damping_ratio_y: 0.0, damping => (linear[1].damping_ratio),
        /// The target speed of the motor along y, like `motor_speed_x`.
        motor_speed_y: 0.0, speed => (linear[1].speed),
        /// The greatest force of the motor along y, like `max_motor_force_x`.
        max_motor_force_y: 0.0, strength => (linear[1].motor_max),
        /// The lower limit of the angle in radians, like [`RevoluteDef::lower_angle`](crate::RevoluteDef::lower_angle).
        lower_angle: 0.0, ordered => (angular.lower),
        /// The upper limit of the angle in radians, like [`RevoluteDef::upper_angle`](crate::RevoluteDef::upper_angle).
        upper_angle: 0.0, ordered => (angular.upper),
        /// The target of the spring in radians, like [`RevoluteDef::target_angle`](crate::RevoluteDef::target_angle).
        target_angle: 0.0, any => (angular.target),
        /// The frequency of the spring of the angle, like `spring_hertz_x`.
        spring_hertz_angle: 0.0, hertz => (angular.hertz),
        /// The damping ratio of the spring of the angle, like `spring_damping_ratio_x`.
        spring_damping_ratio_angle: 0.0, damping => (angular.damping_ratio),
        /// The target speed of the motor of the angle in radians per second, up to a million.
        motor_speed_angle: 0.0, spin => (angular.speed),
        /// The greatest torque of the motor of the angle in newton meters; any finite number from 0 up.
        max_motor_torque: 0.0, strength => (angular.motor_max),
    }
    vectors {}
    order |sim| {
        rule::rising("upper_x", sim.linear[0].lower, sim.linear[0].upper)?;
        rule::rising("upper_y", sim.linear[1].lower, sim.linear[1].upper)?;
        rule::angle_limits(sim, ["lower_angle", "upper_angle"])
    }
}
