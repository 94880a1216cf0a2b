//! The motor joint: drives the second body at a velocity seen from the first, or pulls it to a pose, with bounded force.

use super::define::joint_def;

joint_def! {
    /// What to create a motor joint from: bounded forces toward a velocity, and springs toward a pose, of the second frame
    /// seen from the first.
    ///
    /// With a velocity of zero and a greatest force it is the friction of a plate. With springs and a static or kinematic
    /// first body, whose anchor follows the pointer ([`JointMut::set_anchors`](crate::JointMut::set_anchors)), it drags
    /// with the mouse. A part whose greatest force is 0 costs nothing.
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
        /// Newtons that drive the velocity, at most; any finite number from 0 up, 0 by default.
        max_velocity_force: 0.0, strength => (linear[0].motor_max),
        /// Radians per second that the second body is to turn at, seen from the first; up to a million.
        angular_velocity: 0.0, spin => (angular.speed),
        /// Newton meters that drive the angular velocity, at most; any finite number from 0 up, 0 by default.
        max_velocity_torque: 0.0, strength => (angular.motor_max),
        /// Stiffness of the spring between the two points as oscillations per second: 0 for none, or 0.001 to 10,000.
        linear_hertz: 0.0, hertz => (linear[0].hertz),
        /// Damping of that spring, 0 to 1,000; 1, the default, is critical.
        linear_damping_ratio: 1.0, damping => (linear[0].damping_ratio),
        /// Newtons of that spring at most; any finite number from 0 up, 0 by default.
        max_spring_force: 0.0, strength => (linear[0].spring_max),
        /// Stiffness of the spring between the two angles as oscillations per second: 0 for none, or 0.001 to 10,000.
        angular_hertz: 0.0, hertz => (angular.hertz),
        /// Damping of that spring, 0 to 1,000; 1, the default, is critical.
        angular_damping_ratio: 1.0, damping => (angular.damping_ratio),
        /// Newton meters of that spring at most; any finite number from 0 up, 0 by default.
        max_spring_torque: 0.0, strength => (angular.spring_max),
    }
    vectors {
        /// Meters per second, along the axes of the world, that the second point is to have, seen from the first; up to a
        /// million in each direction.
        linear_velocity: speed => (linear[0].speed), (linear[1].speed),
    }
    order |_| Ok(())
}
