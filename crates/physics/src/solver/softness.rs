//! Soft constraints: a spring and damper given by frequency and damping ratio, turned into three factors of an impulse
//! (Catto, "Soft Constraints", GDC 2011; Catto, "Solver2D", 2024).

/// The three factors of a soft constraint for one substep length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    /// Velocity wanted per meter (or radian) of error, per second.
    pub(crate) bias_rate: f32,
    /// Share of the rigid impulse that is applied.
    pub(crate) mass_scale: f32,
    /// Share of the accumulated impulse that leaks away.
    pub(crate) impulse_scale: f32,
}

impl Softness {
    /// No spring: the velocity error is removed at once, the position error is left alone.
    pub(crate) const RIGID: Self = Self {
        bias_rate: 0.0,
        mass_scale: 1.0,
        impulse_scale: 0.0,
    };

    /// The factors of a spring of `hertz` with `damping_ratio` over substeps of `h` seconds; 0 Hz is rigid.
    pub(crate) fn new(hertz: f32, damping_ratio: f32, h: f32) -> Self {
        if hertz == 0.0 {
            return Self::RIGID;
        }
        let omega = 2.0 * core::f32::consts::PI * hertz;
        let damping = 2.0 * damping_ratio + h * omega;
        let stiffness = h * omega * damping;
        let inverse = 1.0 / (1.0 + stiffness);
        Self {
            bias_rate: omega / damping,
            mass_scale: stiffness * inverse,
            impulse_scale: inverse,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Softness;

    #[test]
    fn a_stiffer_spring_is_closer_to_rigid() {
        let h = 1.0 / 240.0;
        let soft = Softness::new(5.0, 1.0, h);
        let stiff = Softness::new(60.0, 1.0, h);
        assert!(soft.mass_scale < stiff.mass_scale && stiff.mass_scale < 1.0);
        assert!(soft.bias_rate < stiff.bias_rate);
        assert!(soft.impulse_scale > stiff.impulse_scale && stiff.impulse_scale > 0.0);
        assert_eq!(Softness::new(0.0, 1.0, h), Softness::RIGID);
    }
}
