//! The revolute joint: two bodies share a point and turn about it, with a limit, a spring and a motor.

use super::define::{joint_def, rule};

joint_def! {
    /// What to create a revolute joint from: the two bodies share a point and turn about it.
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
        /// Whether a motor turns the revolute joint.
        enable_motor: false => MOTOR,
        /// Whether whole turns count, up to a thousand in either direction: a winch whose limits are three turns apart, a
        /// clock's spring. The count begins at the angle nearest to 0, or to the nearer limit if 0 is beyond it, and begins
        /// anew when the frames are turned otherwise. False by default: then angles that are whole turns apart are one.
        count_turns: false => COUNT_TURNS,
    }
    numbers {
        /// Smallest angle in radians, -2000 π to 2000 π.
        lower_angle: 0.0, ordered => (angular.lower),
        /// Largest angle in radians, from `lower_angle` to 2000 π; without `count_turns` at most 1.98 π above the smallest.
        upper_angle: 0.0, ordered => (angular.upper),
        /// Where the spring pulls to, radians; any finite number. With `count_turns` it pulls there, however many turns off
        /// that is. Else whole turns do not count, as in the angle of a body: the spring pulls the short way round or, with
        /// `enable_limit`, the way between the limits; if the target lies beyond them, to the limit that is nearer to it.
        target_angle: 0.0, any => (angular.target),
        /// The spring's stiffness as oscillations per second: 0, or 0.001 to 10,000.
        spring_hertz: 0.0, hertz => (angular.hertz),
        /// The spring's damping, 0 to 1,000; 1 is critical.
        spring_damping_ratio: 0.0, damping => (angular.damping_ratio),
        /// Radians per second that the motor aims for, up to a million. With speed 0 the motor acts as friction.
        motor_speed: 0.0, spin => (angular.speed),
        /// Newton meters that the motor has at most; any finite number from 0 up.
        max_motor_torque: 0.0, strength => (angular.motor_max),
    }
    vectors {}
    order |sim| rule::angle_limits(sim, ["lower_angle", "upper_angle"])
}
