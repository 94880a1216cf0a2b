//! The weld joint: the second body stays where it is in the first, rigidly or softly.

use super::define::joint_def;

joint_def! {
    /// What to create a weld joint from: the two frames coincide. Each part, the point and the angle, is rigid or a spring.
    pub struct WeldDef of Weld;
    switches {}
    numbers {
        /// Stiffness of the point as oscillations per second: 0, the default, is rigid; else 0.001 to 10,000.
        linear_hertz: 0.0, hertz => (linear[0].hertz),
        /// Damping of the point where it is a spring, 0 to 1,000; 1 is critical.
        linear_damping_ratio: 0.0, damping => (linear[0].damping_ratio),
        /// Stiffness of the angle as oscillations per second: 0, the default, is rigid; else 0.001 to 10,000.
        angular_hertz: 0.0, hertz => (angular.hertz),
        /// Damping of the angle where it is a spring, 0 to 1,000; 1 is critical.
        angular_damping_ratio: 0.0, damping => (angular.damping_ratio),
    }
    vectors {}
    order |_| Ok(())
}
