//! The mover joint: drives the second body at a velocity, with a greatest force of its own along each axis.

use super::define::joint_def;

joint_def! {
    /// The definition of a mover joint: bounded forces along x and along y of the world toward a velocity of the second
    /// point, relative to the material point of the first body there.
    ///
    /// It moves a walking figure over the ground: along x with the strength of its feet, along y with none, so that it
    /// falls and jumps freely. It holds no angle; a force at a point beside the second body's center turns it. It is
    /// most often combined with a [`PogoDef`](crate::PogoDef).
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, MoverDef, PhysicsWorld, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let figure = world.create_body(&BodyDef::dynamic(0.0, 1.0))?;
    /// let walk = MoverDef {
    ///     linear_velocity: Vec2::new(3.0, 0.0),
    ///     max_force: Vec2::new(500.0, 0.0),
    ///     ..MoverDef::new(ground, Vec2::ZERO, figure, Vec2::ZERO)
    /// };
    /// world.create_joint(walk)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct MoverDef of Mover;
    switches {}
    numbers {}
    vectors {
        /// The target velocity of the second point in meters per second, along the axes of the world, relative to the
        /// first body; up to a million in each direction.
        linear_velocity: speed => (linear[0].speed), (linear[1].speed),
        /// The greatest force along x and along y in newtons; any finite number from 0 up, 0 by default.
        max_force: strength => (linear[0].motor_max), (linear[1].motor_max),
    }
    order |_| Ok(())
}
