//! The rack: the second body slides as the first one turns.

use super::define::joint_def;

joint_def! {
    /// The definition of a rack: the second body, the rack, slides along the x axis of its own frame, relative to the
    /// point of the first, the pinion, by `radius` meters for each radian that the pinion turns relative to the rack.
    /// It holds nothing else: another joint holds the pinion's axle, and one guides the rack.
    ///
    /// The force acts where the teeth meet, `radius` off the pinion's point, so that it turns and pushes both bodies as
    /// teeth do, also where pinion and rack are mounted on a body that moves and turns.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, PrismaticDef, RackDef, RevoluteDef, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let plate = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let pinion = world.create_body(&BodyDef::dynamic(0.0, 0.0))?;
    /// let rack = world.create_body(&BodyDef::dynamic(0.0, -0.5))?;
    /// world.create_joint(RevoluteDef::new(plate, Vec2::ZERO, pinion, Vec2::ZERO))?;
    /// world.create_joint(PrismaticDef::new(plate, Vec2::new(0.0, -0.5), rack, Vec2::ZERO))?;
    /// // The rack lies beneath, so that it moves to the right as the pinion turns to the left.
    /// world.create_joint(RackDef { radius: 0.5, ..RackDef::new(pinion, Vec2::ZERO, rack, Vec2::ZERO) })?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct RackDef of Rack;
    switches {}
    numbers {
        /// The displacement of the rack in meters per radian: 0.0001 to 10,000, 1 by default; negative if the rack is
        /// on the other side of the pinion.
        radius: 1.0, ratio => (ratio),
    }
    vectors {}
    order |_| Ok(())
}
