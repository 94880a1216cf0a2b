//! The weld joint: the second frame is kept at the first, rigidly or softly.

use super::define::joint_def;

joint_def! {
    /// The definition of a weld joint: the two frames coincide. Each part, the point and the angle, is rigid or a
    /// spring.
    pub struct WeldDef of Weld;
    switches {}
    numbers {
        /// The frequency of the point's spring in hertz: 0, the default, is rigid; otherwise 0.001 to 10,000.
        linear_hertz: 0.0, hertz => (linear[0].hertz),
        /// The damping ratio of the point's spring, 0 to 1,000; 1 is critical.
        linear_damping_ratio: 0.0, damping => (linear[0].damping_ratio),
        /// The frequency of the angle's spring in hertz: 0, the default, is rigid; otherwise 0.001 to 10,000.
        angular_hertz: 0.0, hertz => (angular.hertz),
        /// The damping ratio of the angle's spring, 0 to 1,000; 1 is critical.
        angular_damping_ratio: 0.0, damping => (angular.damping_ratio),
    }
    vectors {}
    order |_| Ok(())
}
