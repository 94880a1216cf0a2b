//! [`VelocityPair`]: the velocities of both bodies of a contact or joint in each lane, and the effects of impulses on them.

use super::lanes::{Lanes, SimdRow};
use super::vectors::{cross, load2};

/// The inverse masses of each lane.
#[derive(Clone, Copy)]
pub(super) struct Masses<V> {
    pub(super) mass_a: V,
    pub(super) mass_b: V,
    pub(super) inertia_a: V,
    pub(super) inertia_b: V,
}

impl<V: Lanes> Masses<V> {
    /// The inverse masses and inertias of A and B.
    #[inline(always)]
    pub(super) fn load(inverse_mass: &[SimdRow; 2], inverse_inertia: &[SimdRow; 2], at: usize) -> Self {
        let [mass_a, mass_b] = load2(inverse_mass, at);
        let [inertia_a, inertia_b] = load2(inverse_inertia, at);
        Self {
            mass_a,
            mass_b,
            inertia_a,
            inertia_b,
        }
    }
}

/// The change of the velocity of a point that two bodies share per impulse on it: a symmetric matrix.
#[derive(Clone, Copy)]
pub(super) struct PointMass<V> {
    k11: V,
    k12: V,
    k22: V,
    inverse_determinant: V,
}

impl<V: Lanes> PointMass<V> {
    /// The matrix for the point at the ends of two arms.
    #[inline(always)]
    pub(super) fn new(masses: &Masses<V>, arm_a: [V; 2], arm_b: [V; 2]) -> Self {
        let Masses {
            mass_a,
            mass_b,
            inertia_a,
            inertia_b,
        } = *masses;
        // Two bodies that move along no axis count as one unit of mass: the determinant stays above zero, and the equations
        // that their rotation can solve are solved.
        let (zero, mass) = (V::splat(0.0), mass_a + mass_b);
        let mass = V::select(zero.less(mass), mass, V::splat(1.0));
        let k11 = mass + inertia_a * arm_a[1] * arm_a[1] + inertia_b * arm_b[1] * arm_b[1];
        let k22 = mass + inertia_a * arm_a[0] * arm_a[0] + inertia_b * arm_b[0] * arm_b[0];
        let k12 = zero - inertia_a * arm_a[0] * arm_a[1] - inertia_b * arm_b[0] * arm_b[1];
        // The determinant k11 k22 - k12², without the difference of two large numbers, in which a light body at the end
        // of a long arm would be lost: the parts are squares.
        let skew = arm_a[0] * arm_b[1] - arm_a[1] * arm_b[0];
        let determinant = mass * (k11 + (k22 - mass)) + (inertia_a * skew) * (inertia_b * skew);
        Self {
            k11,
            k12,
            k22,
            inverse_determinant: V::splat(1.0) / determinant,
        }
    }

    /// The impulse that changes the velocity by `wanted`.
    #[inline(always)]
    pub(super) fn solve(&self, wanted: [V; 2]) -> [V; 2] {
        let Self {
            k11,
            k12,
            k22,
            inverse_determinant,
        } = *self;
        [
            inverse_determinant * (k22 * wanted[0] - k12 * wanted[1]),
            inverse_determinant * (k11 * wanted[1] - k12 * wanted[0]),
        ]
    }
}

/// The velocities of both bodies of each lane.
#[derive(Clone, Copy)]
pub(super) struct VelocityPair<V> {
    /// The x, y and angular velocity of A; then the word behind them, which is passed through.
    pub(super) a: [V; 4],
    /// The same for B.
    pub(super) b: [V; 4],
    pub(super) masses: Masses<V>,
}

impl<V: Lanes> VelocityPair<V> {
    /// The velocities in the gathered states of A and B.
    #[inline(always)]
    pub(super) fn of_states(a: &[V; 8], b: &[V; 8], masses: Masses<V>) -> Self {
        Self {
            a: [a[0], a[1], a[2], a[3]],
            b: [b[0], b[1], b[2], b[3]],
            masses,
        }
    }

    /// Applies an impulse at the ends of two arms to B, and its opposite to A.
    #[inline(always)]
    pub(super) fn push(&mut self, impulse: [V; 2], arm_a: [V; 2], arm_b: [V; 2]) {
        self.apply(impulse, cross(arm_a, impulse), cross(arm_b, impulse));
    }

    /// Applies an impulse and the angular impulses: to B, and the opposite of both to A.
    #[inline(always)]
    pub(super) fn apply(&mut self, impulse: [V; 2], turn_a: V, turn_b: V) {
        let Masses {
            mass_a,
            mass_b,
            inertia_a,
            inertia_b,
        } = self.masses;
        self.a[0] = self.a[0] - mass_a * impulse[0];
        self.a[1] = self.a[1] - mass_a * impulse[1];
        self.a[2] = self.a[2] - inertia_a * turn_a;
        self.b[0] = self.b[0] + mass_b * impulse[0];
        self.b[1] = self.b[1] + mass_b * impulse[1];
        self.b[2] = self.b[2] + inertia_b * turn_b;
    }

    /// Applies an angular impulse to B, and its opposite to A.
    #[inline(always)]
    pub(super) fn turn(&mut self, impulse: V) {
        self.a[2] = self.a[2] - self.masses.inertia_a * impulse;
        self.b[2] = self.b[2] + self.masses.inertia_b * impulse;
    }

    /// The angular velocity of B relative to A.
    #[inline(always)]
    pub(super) fn spin(&self) -> V {
        self.b[2] - self.a[2]
    }

    /// The velocity of the point of B relative to that of A.
    #[inline(always)]
    pub(super) fn point_velocity(&self, arm_a: [V; 2], arm_b: [V; 2]) -> [V; 2] {
        let (a, b) = (self.a, self.b);
        [
            (b[0] - b[2] * arm_b[1]) - (a[0] - a[2] * arm_a[1]),
            (b[1] + b[2] * arm_b[0]) - (a[1] + a[2] * arm_a[0]),
        ]
    }
}

/// The rotation of B relative to A since the step began, from the sines and cosines of both rotations.
///
/// Twice the arc tangent of the half angle's tangent, by five terms of its series: the error is 1e-5 rad if the two
/// turned by 45 degrees against each other within the step, 0.1 rad at 90 degrees, exact to rounding for the turns of
/// ordinary steps. Beyond 90 degrees the complement is used, so that the result stays within slightly more than half a
/// turn.
#[inline(always)]
pub(super) fn turned<V: Lanes>([sin_a, cos_a]: [V; 2], [sin_b, cos_b]: [V; 2]) -> V {
    let sin = cos_a * sin_b - sin_a * cos_b;
    let cos = cos_a * cos_b + sin_a * sin_b;
    let (zero, one) = (V::splat(0.0), V::splat(1.0));
    // Never zero: otherwise the result would be NaN if the two are half a turn apart.
    let half = sin / (one + cos).max(V::splat(f32::MIN_POSITIVE));
    let is_wide = one.less(half.max(zero - half));
    let quarter = V::splat(core::f32::consts::FRAC_PI_2);
    let quarter = V::select(half.less(zero), zero - quarter, quarter);
    let narrow = V::select(is_wide, one / half, half);
    let square = narrow * narrow;
    let mut series = V::splat(1.0 / 9.0);
    for coefficient in [-1.0 / 7.0, 1.0 / 5.0, -1.0 / 3.0, 1.0] {
        series = V::splat(coefficient) + square * series;
    }
    let turn = V::splat(2.0) * narrow * series;
    V::select(is_wide, V::splat(2.0) * quarter - turn, turn)
}
