//! The pulley: a rope from one body over two fixed points to the other.

use super::define::joint_def;

joint_def! {
    /// The definition of a pulley: a rope leads from the first body's point to a fixed point of the world, over to
    /// another one, and down to the second body's point. The length of its first part plus `ratio` times that of the
    /// second is at most `length_a` plus `ratio` times `length_b`, or always equal to it, if the rope may not be slack.
    ///
    /// [`JointRef::force`](crate::JointRef::force) is the force of the rope on the second body: `ratio` times that on
    /// the first.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, PulleyDef, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let [cabin, counterweight] = [0.0, 4.0].map(|x| world.create_body(&BodyDef::dynamic(x, 0.0)).unwrap());
    /// let lift = PulleyDef {
    ///     ground_anchor_a: Vec2::new(0.0, 10.0),
    ///     ground_anchor_b: Vec2::new(4.0, 10.0),
    ///     length_a: 10.0,
    ///     length_b: 10.0,
    ///     ..PulleyDef::new(cabin, Vec2::ZERO, counterweight, Vec2::ZERO)
    /// };
    /// world.create_joint(lift)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct PulleyDef of Pulley;
    switches {
        /// Whether the rope may be slack; true by default. Otherwise it pushes as well as it pulls, like a hydraulic
        /// lift.
        slack: true => SLACK,
    }
    numbers {
        /// The number of parts of rope that the second body hangs from for each part of the first: 0.0001 to 10,000; 1
        /// by default.
        ratio: 1.0, share => (ratio),
        /// The distance in meters from the first body's point to its fixed point when the rope is taut, 0 to 100,000; 1
        /// by default.
        length_a: 1.0, length => (linear[0].target),
        /// The distance in meters from the second body's point to its fixed point when the rope is taut, likewise.
        length_b: 1.0, length => (linear[1].target),
    }
    vectors {
        /// The fixed point of the first body's part, in meters in the world; within the range of the world's positions.
        ground_anchor_a: position => (linear[0].lower), (linear[0].upper),
        /// The fixed point of the second body's part, likewise.
        ground_anchor_b: position => (linear[1].lower), (linear[1].upper),
    }
    order |_| Ok(())
}
