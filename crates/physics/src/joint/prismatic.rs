//! The prismatic joint: the second body slides along an axis of the first and does not turn in it.

use super::define::{joint_def, rule};

joint_def! {
    /// The definition of a prismatic joint: the second frame slides along the x axis of the first and keeps its
    /// rotation.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, PrismaticDef, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let shaft = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let cabin = world.create_body(&BodyDef::dynamic(0.0, 0.0))?;
    /// let upwards = core::f32::consts::FRAC_PI_2;
    /// let lift = PrismaticDef {
    ///     local_angle_a: upwards,
    ///     local_angle_b: upwards,
    ///     enable_motor: true,
    ///     motor_speed: 1.0,
    ///     max_motor_force: 5000.0,
    ///     ..PrismaticDef::new(shaft, Vec2::ZERO, cabin, Vec2::ZERO)
    /// };
    /// world.create_joint(lift)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct PrismaticDef of Prismatic;
    switches {
        /// Whether the translation is kept between the two limits.
        enable_limit: false => LIMIT,
        /// Whether a spring pulls the translation to `target_translation`.
        enable_spring: false => SPRING,
        /// Whether a motor pushes along the axis.
        enable_motor: false => MOTOR,
    }
    numbers {
        /// The lower limit of the translation in meters, -100,000 to 100,000.
        lower_translation: 0.0, position => (linear[0].lower),
        /// The upper limit of the translation in meters, from `lower_translation` to 100,000.
        upper_translation: 0.0, position => (linear[0].upper),
        /// The target of the spring in meters, -100,000 to 100,000.
        target_translation: 0.0, position => (linear[0].target),
        /// The spring's frequency in hertz: 0, or 0.001 to 10,000.
        spring_hertz: 0.0, hertz => (linear[0].hertz),
        /// The spring's damping ratio, 0 to 1,000; 1 is critical.
        spring_damping_ratio: 0.0, damping => (linear[0].damping_ratio),
        /// The target speed of the motor in meters per second, -1,000,000 to 1,000,000. With speed 0 the motor acts as
        /// friction.
        motor_speed: 0.0, speed => (linear[0].speed),
        /// The greatest force of the motor in newtons; any finite number from 0 up.
        max_motor_force: 0.0, strength => (linear[0].motor_max),
    }
    vectors {}
    order |sim| rule::rising("upper_translation", sim.linear[0].lower, sim.linear[0].upper)
}
