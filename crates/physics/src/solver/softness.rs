//! Soft constraints: a spring and damper given by frequency and damping ratio, turned into three factors of an impulse
//! (Catto, "Soft Constraints", GDC 2011; Catto, "Solver2D", 2024).

/// The three factors of a soft constraint for one substep length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    /// The target velocity per meter (or radian) of error, per second.
    pub(crate) bias_rate: f32,
    /// The fraction of the rigid impulse that is applied.
    pub(crate) mass_scale: f32,
    /// The fraction of the accumulated impulse that is subtracted.
    pub(crate) impulse_scale: f32,
}

impl Softness {
    /// No spring: the velocity error is removed at once, the position error is ignored.
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

/// The factors of a soft constraint in the form that joints use: impulse = -mass × (velocity factor × velocity +
/// position factor × error) - leak × accumulated impulse.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SoftFactors {
    /// The fraction of the velocity that is removed.
    pub(crate) velocity: f32,
    /// The velocity per meter (or radian) of error, per second.
    pub(crate) position: f32,
    /// The fraction of the accumulated impulse that is subtracted.
    pub(crate) leak: f32,
}

impl SoftFactors {
    /// No spring: the whole velocity is removed, the error is ignored.
    pub(crate) const RIGID: Self = Self {
        velocity: 1.0,
        position: 0.0,
        leak: 0.0,
    };

    /// The factors of a spring of `hertz` with `damping_ratio` over substeps of `h` seconds.
    ///
    /// A spring oscillates correctly if a substep is a small part of its period: velocity × leak per substep is the
    /// decay by damping to the second order, and the force at rest is exact. The implicit spring of [`Softness`] also
    /// damps by half the phase angle of a substep, at 2 Hz and 240 substeps a second by 0.026; here that damping is
    /// blended in where the angle is from 0.15 to 0.6, above which it keeps stiff springs stable.
    pub(crate) fn spring(hertz: f32, damping_ratio: f32, h: f32) -> Self {
        const EXACT_UP_TO: f32 = 0.15;
        const IMPLICIT_FROM: f32 = 0.6;
        let omega = 2.0 * core::f32::consts::PI * hertz;
        let angle = h * omega;
        let share = ((angle - EXACT_UP_TO) / (IMPLICIT_FROM - EXACT_UP_TO)).clamp(0.0, 1.0);
        let share = share * share * (3.0 - 2.0 * share);
        let exact = (2.0 * damping_ratio * damping_ratio).min(1.0);
        let square = exact + (1.0 - exact) * share;
        let taken = angle * (2.0 * damping_ratio + square * angle);
        let leak = 1.0 / (1.0 + taken);
        Self {
            velocity: taken * leak,
            position: angle * omega * leak,
            leak,
        }
    }
}

impl From<Softness> for SoftFactors {
    fn from(soft: Softness) -> Self {
        Self {
            velocity: soft.mass_scale,
            position: soft.mass_scale * soft.bias_rate,
            leak: soft.impulse_scale,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SoftFactors, Softness};

    /// Tests that a stiff spring is the implicit one, and that a slow one loses as much energy as its damping ratio
    /// says and no more.
    #[test]
    fn springs_lose_what_their_damping_says() {
        let h = 1.0 / 240.0;
        for damping_ratio in [0.0, 0.3, 1.0, 10.0] {
            let (spring, implicit) = (
                SoftFactors::spring(30.0, damping_ratio, h),
                SoftFactors::from(Softness::new(30.0, damping_ratio, h)),
            );
            for (got, wanted) in [
                (spring.velocity, implicit.velocity),
                (spring.position, implicit.position),
                (spring.leak, implicit.leak),
            ] {
                assert!(
                    (got - wanted).abs() <= 1.0e-5 * wanted.abs(),
                    "{got}, not {wanted}"
                );
            }
        }
        for damping_ratio in [0.0, 0.1, 0.5] {
            let spring = SoftFactors::spring(2.0, damping_ratio, h);
            let exact = libm::expf(-4.0 * core::f32::consts::PI * 2.0 * damping_ratio * h);
            assert!((spring.leak - exact).abs() < 1.0e-4, "{} of {exact}", spring.leak);
        }
    }

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
