//! The mover joint: drives the second body at a velocity, with a greatest force of its own in each direction.

use super::define::joint_def;

joint_def! {
    /// What to create a mover joint from: bounded forces along x and along y of the world toward a velocity of the second
    /// point, seen from the first body where the second point is.
    ///
    /// It walks a figure over what it stands on: along x as strongly as its feet are, along y not at all, so that it falls
    /// and jumps as it would without. It holds no angle; a force at a point beside the second body's center turns that. It is
    /// most often found together with a [`PogoDef`](crate::PogoDef).
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
        /// Meters per second, along the axes of the world, that the second point is to have, seen from the first body; up to
        /// a million in each direction.
        linear_velocity: speed => (linear[0].speed), (linear[1].speed),
        /// Newtons along x and along y at most; any finite number from 0 up, 0 by default.
        max_force: strength => (linear[0].motor_max), (linear[1].motor_max),
    }
    order |_| Ok(())
}
