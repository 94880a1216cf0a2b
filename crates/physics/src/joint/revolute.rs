//! The revolute joint: two bodies share a point and turn about it, with a limit, a spring and a motor.

use super::define::{joint_def, rule};

joint_def! {
    /// The definition of a revolute joint: the two bodies share a point and turn about it.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, RevoluteDef, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let frame = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let door = world.create_body(&BodyDef::dynamic(0.5, 0.0))?;
    /// let revolute = RevoluteDef {
    ///     enable_spring: true,
    ///     spring_hertz: 1.0,
    ///     spring_damping_ratio: 0.7,
    ///     ..RevoluteDef::new(frame, Vec2::ZERO, door, Vec2::new(-0.5, 0.0))
    /// };
    /// world.create_joint(revolute)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct RevoluteDef of Revolute;
    switches {
        /// Whether the angle is kept between the two limits.
        enable_limit: false => LIMIT,
        /// Whether a spring pulls the angle to `target_angle`.
        enable_spring: false => SPRING,
        /// Whether a motor turns the joint.
        enable_motor: false => MOTOR,
        /// Whether whole turns are counted, up to a thousand in either direction: for a winch whose limits are three
        /// turns apart, or a clock's spring. The count begins at the angle nearest to 0, or to the nearer limit if 0 is
        /// beyond it, and begins anew when the rotation of the frames is changed. False by default: then angles that
        /// are whole turns apart are equal.
        count_turns: false => COUNT_TURNS,
    }
    numbers {
        /// The lower limit of the angle in radians, -2000 π to 2000 π.
        lower_angle: 0.0, ordered => (angular.lower),
        /// The upper limit of the angle in radians, from `lower_angle` to 2000 π; without `count_turns` at most 1.98 π
        /// above the lower limit.
        upper_angle: 0.0, ordered => (angular.upper),
        /// The target of the spring in radians; any finite number. With `count_turns` it pulls to this angle, however
        /// many turns off. Otherwise whole turns do not count, like in the angle of a body: the spring pulls along the
        /// shorter arc or, with `enable_limit`, along the arc between the limits; if the target is beyond them, to the
        /// limit that is nearer to it.
        target_angle: 0.0, any => (angular.target),
        /// The spring's frequency in hertz: 0, or 0.001 to 10,000.
        spring_hertz: 0.0, hertz => (angular.hertz),
        /// The spring's damping ratio, 0 to 1,000; 1 is critical.
        spring_damping_ratio: 0.0, damping => (angular.damping_ratio),
        /// The target speed of the motor in radians per second, up to a million. With speed 0 the motor acts as
        /// friction.
        motor_speed: 0.0, spin => (angular.speed),
        /// The greatest torque of the motor in newton meters; any finite number from 0 up.
        max_motor_torque: 0.0, strength => (angular.motor_max),
    }
    vectors {}
    order |sim| rule::angle_limits(sim, ["lower_angle", "upper_angle"])
}
