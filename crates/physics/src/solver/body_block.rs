//! [`BodyBlock`]: sixteen awake bodies laid out for lanes: the effect of forces in a substep, which is the same in
//! every substep of a step, and the velocity from which a warm start is measured.
//!
//! Blocks live for one step only. They are filled in the first substep; `integrate.rs` has the kernels.

use super::lanes::{BLOCK, SimdIndexRow, SimdRow};
use crate::body::{BodySim, READ_ONLY, flag};
use crate::control::BodyControl;

/// Sixteen awake bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyBlock {
    /// The bodies; lanes that are not used are marked [`READ_ONLY`].
    pub(crate) bodies: SimdIndexRow,
    /// The same, but those that forces do not change, kinematic bodies, are marked too.
    pub(crate) force_bodies: SimdIndexRow,
    /// Meters per second that forces add in a substep.
    pub(crate) force_delta_v: [SimdRow; 2],
    /// Radians per second that torques add in a substep.
    pub(crate) torque_delta_w: SimdRow,
    /// What damping leaves of the linear and the angular velocity in a substep.
    pub(crate) damping: [SimdRow; 2],
    /// The velocity with which the substep began, forces included, before any constraint changed it: x, y, angular.
    pub(crate) free: [SimdRow; 3],
    /// 1 for bodies that may turn fast, else 0; not filled where no lane holds one.
    pub(crate) fast_rotation: SimdRow,
    /// Whether some lane holds one.
    pub(crate) some_turn_fast: bool,
    /// What only some bodies have; not filled where no lane holds one that has any.
    pub(crate) controls: ControlRows,
    /// Whether some lane holds one.
    pub(crate) some_controlled: bool,
    /// How many lanes are used.
    pub(crate) count: u32,
}

/// What a block sees of [`BodyControl`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlRows {
    /// Newtons, x and y, and newton meters in every step.
    pub(crate) lasting: [SimdRow; 3],
    /// For x and for y: 1 where the body may move that way, else 0.
    pub(crate) free_axes: [SimdRow; 2],
    /// Meters per second.
    pub(crate) speed_max: SimdRow,
    /// Radians per second.
    pub(crate) spin_max: SimdRow,
}

impl ControlRows {
    const EMPTY: Self = Self {
        lasting: [SimdRow::ZERO; 3],
        free_axes: [SimdRow::ZERO; 2],
        speed_max: SimdRow::ZERO,
        spin_max: SimdRow::ZERO,
    };

    fn set_lane(&mut self, lane: usize, control: &BodyControl) {
        let BodyControl {
            lasting_force,
            lasting_torque,
            ..
        } = *control;
        let lasting = [lasting_force.x, lasting_force.y, lasting_torque];
        for (row, number) in self.lasting.iter_mut().zip(lasting) {
            row.0[lane] = number;
        }
        for (row, fixed) in self.free_axes.iter_mut().zip(control.fixed_axes) {
            row.0[lane] = if fixed == 0 { 1.0 } else { 0.0 };
        }
        self.speed_max.0[lane] = control.speed_max;
        self.spin_max.0[lane] = control.spin_max;
    }
}

impl BodyBlock {
    pub(crate) const EMPTY: Self = Self {
        bodies: SimdIndexRow([READ_ONLY; BLOCK]),
        force_bodies: SimdIndexRow([READ_ONLY; BLOCK]),
        force_delta_v: [SimdRow::ZERO; 2],
        torque_delta_w: SimdRow::ZERO,
        damping: [SimdRow::ZERO; 2],
        free: [SimdRow::ZERO; 3],
        fast_rotation: SimdRow::ZERO,
        some_turn_fast: false,
        controls: ControlRows::EMPTY,
        some_controlled: false,
        count: 0,
    };

    /// Says which bodies the lanes are of. The SIMD rows are filled by the kernel `prepare`.
    ///
    /// A lane that is not used repeats the first one, without the right to change it.
    pub(crate) fn set_bodies(&mut self, bodies: &[u32], sims: &[BodySim], controls: &[BodyControl]) {
        debug_assert!(!bodies.is_empty() && bodies.len() <= BLOCK);
        self.count = bodies.len() as u32;
        self.bodies.0.fill(bodies[0] | READ_ONLY);
        self.force_bodies = self.bodies;
        for (lane, &body) in bodies.iter().enumerate() {
            let is_driven = sims[body as usize].is_dynamic();
            self.bodies.0[lane] = body;
            self.force_bodies.0[lane] = body | if is_driven { 0 } else { READ_ONLY };
        }
        let turns_fast = |body: &u32| sims[*body as usize].has(flag::FAST_ROTATION);
        self.some_turn_fast = bodies.iter().any(turns_fast);
        if self.some_turn_fast {
            self.fast_rotation = SimdRow::ZERO;
            for (row, body) in self.fast_rotation.0.iter_mut().zip(bodies) {
                *row = f32::from(turns_fast(body));
            }
        }
        // Nothing of it is meant for kinematic bodies.
        let has_control = |body: u32| {
            let sim = &sims[body as usize];
            sim.has(flag::CONTROLLED) && sim.is_dynamic()
        };
        self.some_controlled = bodies.iter().any(|&body| has_control(body));
        if self.some_controlled {
            // Lanes beyond the last repeat the first body and are never written.
            for lane in 0..BLOCK {
                self.controls.set_lane(lane, &BodyControl::default());
            }
            for (lane, &body) in bodies.iter().enumerate() {
                if has_control(body) {
                    self.controls.set_lane(lane, &controls[body as usize]);
                }
            }
        }
    }
}
