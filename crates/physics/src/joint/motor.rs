//! The motor joint: drives the second body at a velocity relative to the first, or pulls it to a pose, with bounded
//! force.

use super::define::joint_def;

joint_def! {
    /// The definition of a motor joint: bounded forces toward a velocity, and springs toward a pose, of the second
    /// frame relative to the first.
    ///
    /// With a velocity of zero and a greatest force it acts as the friction of a plate. With springs and a static or
    /// kinematic first body, whose anchor follows the pointer
    /// ([`JointMut::set_anchors`](crate::JointMut::set_anchors)), it is a mouse joint. A part whose greatest force is 0
    /// costs nothing.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, MotorDef, PhysicsWorld, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let floor = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let puck = world.create_body(&BodyDef::dynamic(0.0, 0.0))?;
    /// let friction = MotorDef {
    ///     max_velocity_force: 2.0,
    ///     max_velocity_torque: 0.1,
    ///     ..MotorDef::new(floor, Vec2::ZERO, puck, Vec2::ZERO)
    /// };
    /// world.create_joint(friction)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct MotorDef of Motor;
    switches {}
    numbers {
        /// The greatest force in newtons that drives the velocity; any finite number from 0 up, 0 by default.
        max_velocity_force: 0.0, strength => (linear[0].motor_max),
        /// The target angular velocity of the second body in radians per second, relative to the first; up to a
        /// million.
        angular_velocity: 0.0, spin => (angular.speed),
        /// The greatest torque in newton meters that drives the angular velocity; any finite number from 0 up, 0 by
        /// default.
        max_velocity_torque: 0.0, strength => (angular.motor_max),
        /// The frequency of the spring between the two points in hertz: 0 for none, or 0.001 to 10,000.
        linear_hertz: 0.0, hertz => (linear[0].hertz),
        /// The damping ratio of that spring, 0 to 1,000; 1, the default, is critical.
        linear_damping_ratio: 1.0, damping => (linear[0].damping_ratio),
        /// The greatest force of that spring in newtons; any finite number from 0 up, 0 by default.
        max_spring_force: 0.0, strength => (linear[0].spring_max),
        /// The frequency of the spring between the two angles in hertz: 0 for none, or 0.001 to 10,000.
        angular_hertz: 0.0, hertz => (angular.hertz),
        /// The damping ratio of that spring, 0 to 1,000; 1, the default, is critical.
        angular_damping_ratio: 1.0, damping => (angular.damping_ratio),
        /// The greatest torque of that spring in newton meters; any finite number from 0 up, 0 by default.
        max_spring_torque: 0.0, strength => (angular.spring_max),
    }
    vectors {
        /// The target velocity of the second point in meters per second, along the axes of the world, relative to the
        /// first; up to a million in each direction.
        linear_velocity: speed => (linear[0].speed), (linear[1].speed),
    }
    order |_| Ok(())
}
