//! The gear: couples the rotations of two bodies by a ratio.

use super::define::joint_def;

joint_def! {
    /// The definition of a gear: for all rotations of the two bodies in the world since it is created, the angle of the
    /// first plus `ratio` times that of the second is constant. It holds no points: the two anchors only determine
    /// where it is drawn, and each body has a joint of its own that holds its axle.
    ///
    /// The reason why it couples two bodies and not two joints is in `docs/decisions.md#a-gear-ties-two-bodies`.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, GearDef, PhysicsWorld, RevoluteDef, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let plate = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let [small, large] = [0.0, 3.0].map(|x| world.create_body(&BodyDef::dynamic(x, 0.0)).unwrap());
    /// world.create_joint(RevoluteDef::new(plate, Vec2::ZERO, small, Vec2::ZERO))?;
    /// world.create_joint(RevoluteDef::new(plate, Vec2::new(3.0, 0.0), large, Vec2::ZERO))?;
    /// // Ten teeth and twenty: the small one turns twice as fast, the other way.
    /// let gear = GearDef { ratio: 20.0 / 10.0, ..GearDef::new(small, Vec2::ZERO, large, Vec2::ZERO) };
    /// world.create_joint(gear)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct GearDef of Gear;
    switches {}
    numbers {
        /// The teeth of the second wheel for each tooth of the first: 0.0001 to 10,000, 1 by default; negative if both
        /// turn in the same direction, as with a belt or an inner gear.
        ratio: 1.0, ratio => (ratio),
    }
    vectors {}
    order |_| Ok(())
}
