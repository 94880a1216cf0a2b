//! [`BodyBlock`]: sixteen awake bodies laid out for lanes: the effect of forces in a substep, which is the same in
//! every substep of a step, and the velocity from which a warm start is measured.
//!
//! Blocks live for one step only. They are filled in the first substep; `integrate.rs` has the kernels.

use super::lanes::{BLOCK, SimdIndexRow, SimdRow};
use crate::body::{BodySim, READ_ONLY, flag};

/// Sixteen awake bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyBlock {
    /// The bodies; lanes that are not used are marked [`READ_ONLY`].
    pub(crate) moved: SimdIndexRow,
    /// The same, but those that forces do not change, kinematic bodies, are marked too.
    pub(crate) driven: SimdIndexRow,
    /// Meters per second that forces add in a substep.
    pub(crate) push: [SimdRow; 2],
    /// Radians per second that torques add in a substep.
    pub(crate) spin: SimdRow,
    /// What damping leaves of the linear and the angular velocity in a substep.
    pub(crate) fading: [SimdRow; 2],
    /// The velocity with which the substep began, forces included, before any constraint changed it: x, y, angular.
    pub(crate) free: [SimdRow; 3],
    /// 1 for bodies that may turn fast, else 0; not filled where no lane holds one.
    pub(crate) fast_rotation: SimdRow,
    /// Whether some lane holds one.
    pub(crate) some_turn_fast: bool,
    /// How many lanes are used.
    pub(crate) count: u32,
}

impl BodyBlock {
    pub(crate) const EMPTY: Self = Self {
        moved: SimdIndexRow([READ_ONLY; BLOCK]),
        driven: SimdIndexRow([READ_ONLY; BLOCK]),
        push: [SimdRow::ZERO; 2],
        spin: SimdRow::ZERO,
        fading: [SimdRow::ZERO; 2],
        free: [SimdRow::ZERO; 3],
        fast_rotation: SimdRow::ZERO,
        some_turn_fast: false,
        count: 0,
    };

    /// Says which bodies the lanes are of. The SIMD rows are filled by the kernel `prepare`.
    ///
    /// A lane that is not used repeats the first one, without the right to change it.
    pub(crate) fn set_bodies(&mut self, bodies: &[u32], sims: &[BodySim]) {
        debug_assert!(!bodies.is_empty() && bodies.len() <= BLOCK);
        self.count = bodies.len() as u32;
        self.moved.0.fill(bodies[0] | READ_ONLY);
        self.driven = self.moved;
        for (lane, &body) in bodies.iter().enumerate() {
            let is_driven = sims[body as usize].is_dynamic();
            self.moved.0[lane] = body;
            self.driven.0[lane] = body | if is_driven { 0 } else { READ_ONLY };
        }
        let turns_fast = |body: &u32| sims[*body as usize].has(flag::FAST_ROTATION);
        self.some_turn_fast = bodies.iter().any(turns_fast);
        if self.some_turn_fast {
            self.fast_rotation = SimdRow::ZERO;
            for (row, body) in self.fast_rotation.0.iter_mut().zip(bodies) {
                *row = f32::from(turns_fast(body));
            }
        }
    }
}
