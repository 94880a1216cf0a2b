//! The pogo joint: a spring along an axis of the first body carries the second, which slides across it freely.

use super::define::{joint_def, rule};

joint_def! {
    /// The definition of a pogo joint: a bounded spring along the x axis of the first frame keeps the second point
    /// `length` beyond the first; across the axis, and in rotation, the second body is free.
    ///
    /// It carries a figure over the ground without touching it: the first point is where a ray from the figure met the
    /// ground, the x axis the normal there, the length that of its legs. Legs push and do not pull:
    /// `lower_spring_force: 0.0`. A joint may be created anew in each step at the ground that was found in it: it needs
    /// no warm start.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, PogoDef, Vec2, WorldDef};
    /// # let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let figure = world.create_body(&BodyDef::dynamic(0.0, 1.0))?;
    /// let legs = PogoDef {
    ///     local_angle_a: core::f32::consts::FRAC_PI_2,
    ///     length: 1.0,
    ///     spring_hertz: 5.0,
    ///     lower_spring_force: 0.0,
    ///     ..PogoDef::new(ground, Vec2::ZERO, figure, Vec2::ZERO)
    /// };
    /// world.create_joint(legs)?;
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub struct PogoDef of Pogo;
    switches {
        /// Whether the spring acts; true by default.
        enable_spring: true => SPRING,
    }
    numbers {
        /// The rest length: the distance in meters along the axis from the first point to the second, 0 to 100,000; 1
        /// by default.
        length: 1.0, length => (linear[0].target),
        /// The spring's frequency in hertz: 0, or 0.001 to 10,000; 5 by default.
        spring_hertz: 5.0, hertz => (linear[0].hertz),
        /// The spring's damping ratio, 0 to 1,000; 1 is critical, 0.7 the default.
        spring_damping_ratio: 0.7, damping => (linear[0].damping_ratio),
        /// The least force of the spring in newtons, -1e30 to 1e30, by default -1e30: with 0 it only pushes.
        lower_spring_force: -crate::constants::FORCE_MAX_N, force => (linear[0].spring_min),
        /// The greatest force of the spring in newtons, not below `lower_spring_force`, by default 1e30.
        upper_spring_force: crate::constants::FORCE_MAX_N, force => (linear[0].spring_max),
    }
    vectors {}
    order |sim| rule::rising("upper_spring_force", sim.linear[0].spring_min, sim.linear[0].spring_max)
}
