//! [`Row`] and [`Placing`]: the directions of relative motion that a joint's two bodies have, and the bodies' poses:
//! the parts of [`AxesBlock`] act along these directions.

use super::axes_block::{AxesBlock, feature};
use super::lanes::Lanes;
use super::vectors::{cross, dot, load2, rotate, scaled};
use super::velocity_pair::{Masses, VelocityPair, turned};
use crate::joint::axis;

/// The distance in meters between two points below which the line from one to the other has no direction.
const NO_DIRECTION_M: f32 = 1.0e-6;

/// The velocities of both bodies, and the impulses of the joint in them.
pub(super) struct Bodies<V> {
    pub(super) pair: VelocityPair<V>,
    /// See [`AxesBlock::applied`].
    pub(super) applied: [V; 4],
}

impl<V: Lanes> Bodies<V> {
    /// Applies an impulse x, y, and the angular impulses on A and B.
    #[inline(always)]
    pub(super) fn apply(&mut self, [x, y, turn_a, turn_b]: [V; 4]) {
        self.pair.apply([x, y], turn_a, turn_b);
        self.applied = added(self.applied, [x, y, turn_a, turn_b]);
    }
}

/// A direction of relative motion of the two bodies.
pub(super) trait Row<V: Lanes> {
    /// The speed along the direction.
    fn speed(&self, pair: &VelocityPair<V>) -> V;

    /// The parts of an impulse along the direction.
    fn parts(&self, impulse: V) -> [V; 4];

    /// The effective mass: the impulse that changes the speed by one.
    fn mass(&self) -> V;
}

/// Translation along an axis.
#[derive(Clone, Copy)]
pub(super) struct Line<V> {
    pub(super) axis: [V; 2],
    pub(super) lever_a: V,
    pub(super) lever_b: V,
    pub(super) mass: V,
}

impl<V: Lanes> Line<V> {
    /// `reach` and `arm_b` lead from the centers of A and B to the point of B.
    #[inline(always)]
    pub(super) fn new(axis: [V; 2], reach: [V; 2], arm_b: [V; 2], masses: &Masses<V>) -> Self {
        let (lever_a, lever_b) = (cross(reach, axis), cross(arm_b, axis));
        let inverse = (masses.mass_a + masses.mass_b)
            + masses.inertia_a * lever_a * lever_a
            + masses.inertia_b * lever_b * lever_b;
        Self {
            axis,
            lever_a,
            lever_b,
            mass: inverted(inverse),
        }
    }
}

/// The effective mass for an inverse one; zero if nothing moves.
#[inline(always)]
fn inverted<V: Lanes>(inverse: V) -> V {
    let zero = V::splat(0.0);
    V::select(zero.less(inverse), V::splat(1.0) / inverse, zero)
}

impl<V: Lanes> Row<V> for Line<V> {
    #[inline(always)]
    fn speed(&self, pair: &VelocityPair<V>) -> V {
        let apart = [pair.b[0] - pair.a[0], pair.b[1] - pair.a[1]];
        dot(self.axis, apart) + (self.lever_b * pair.b[2] - self.lever_a * pair.a[2])
    }

    #[inline(always)]
    fn parts(&self, impulse: V) -> [V; 4] {
        let [x, y] = scaled(self.axis, impulse);
        [x, y, self.lever_a * impulse, self.lever_b * impulse]
    }

    #[inline(always)]
    fn mass(&self) -> V {
        self.mass
    }
}

/// Rotation.
#[derive(Clone, Copy)]
pub(super) struct Turn<V> {
    pub(super) mass: V,
}

impl<V: Lanes> Turn<V> {
    #[inline(always)]
    pub(super) fn new(masses: &Masses<V>) -> Self {
        Self {
            mass: inverted(masses.inertia_a + masses.inertia_b),
        }
    }
}

impl<V: Lanes> Row<V> for Turn<V> {
    #[inline(always)]
    fn speed(&self, pair: &VelocityPair<V>) -> V {
        pair.spin()
    }

    #[inline(always)]
    fn parts(&self, impulse: V) -> [V; 4] {
        [V::splat(0.0), V::splat(0.0), impulse, impulse]
    }

    #[inline(always)]
    fn mass(&self) -> V {
        self.mass
    }
}

/// The poses of the two bodies in this substep.
pub(super) struct Placing<V> {
    pub(super) arm_a: [V; 2],
    pub(super) arm_b: [V; 2],
    /// The vector from A's point to B's.
    pub(super) apart: [V; 2],
    /// The positions along x and y, and the angle.
    pub(super) position: [V; axis::COUNT],
    pub(super) x: Line<V>,
    pub(super) y: Line<V>,
    pub(super) turn: Turn<V>,
}

impl<V: Lanes> Placing<V> {
    #[inline(always)]
    pub(super) fn new(block: &AxesBlock, at: usize, a: &[V; 8], b: &[V; 8], masses: &Masses<V>) -> Self {
        let ends = &block.ends;
        let arm_a = rotate(a[3], a[6], load2(&ends.anchor_a, at));
        let arm_b = rotate(b[3], b[6], load2(&ends.anchor_b, at));
        let between = load2::<V>(&ends.between_centers, at);
        let mut apart = between;
        for i in 0..2 {
            apart[i] = apart[i] + (b[4 + i] - a[4 + i]) + (arm_b[i] - arm_a[i]);
        }
        let reach = [arm_a[0] + apart[0], arm_a[1] + apart[1]];

        let mut along = rotate(a[3], a[6], load2(&block.axis, at));
        let zero = V::splat(0.0);
        let mut position = [dot(along, apart), zero, zero];
        if block.features & feature::ALONG != 0 {
            let length = dot(apart, apart).sqrt();
            let is_line = zero.less(V::load(&block.along, at));
            let has_direction = V::splat(NO_DIRECTION_M).less(length);
            let inverse = V::splat(1.0) / length;
            for i in 0..2 {
                let line = V::select(has_direction, apart[i] * inverse, along[i]);
                along[i] = V::select(is_line, line, along[i]);
            }
            position[axis::X] = V::select(is_line, length, position[axis::X]);
        }
        if block.features & feature::UPRIGHT != 0 {
            let is_upright = V::load(&block.along, at).less(zero);
            along[0] = V::select(is_upright, V::splat(1.0), along[0]);
            along[1] = V::select(is_upright, zero, along[1]);
        }
        let across = [zero - along[1], along[0]];
        position[axis::Y] = dot(across, apart);
        if block.features & feature::ANGLE != 0 {
            position[axis::ANGLE] = V::load(&block.angle, at) + turned::<V>([a[3], a[6]], [b[3], b[6]]);
        }
        Self {
            arm_a,
            arm_b,
            apart,
            position,
            x: Line::new(along, reach, arm_b, masses),
            y: Line::new(across, reach, arm_b, masses),
            turn: Turn::new(masses),
        }
    }

    /// The parts of an impulse at the point.
    #[inline(always)]
    pub(super) fn at_point(&self, impulse: [V; 2]) -> [V; 4] {
        let [x, y] = impulse;
        [x, y, cross(self.arm_a, impulse), cross(self.arm_b, impulse)]
    }
}

/// The sums, part by part.
#[inline(always)]
pub(super) fn added<V: Lanes>(a: [V; 4], b: [V; 4]) -> [V; 4] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3]]
}
