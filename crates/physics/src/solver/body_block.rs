//! [`BodyBlock`]: sixteen awake bodies laid out for lanes: the effect of forces in a substep, which is the same in
//! every substep of a step, and the velocity from which a warm start is measured.
//!
//! Blocks are rebuilt in each step. They are filled in the first substep; `integrate.rs` has the kernels.

use super::lanes::{BLOCK, SimdIndexRow, SimdRow};
use crate::body::{BodySim, flag};
use crate::control::BodyControl;

/// Sixteen awake bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyBlock {
    /// The body indices.
    pub(crate) bodies: SimdIndexRow,
    /// The velocity in meters per second that forces add in a substep.
    pub(crate) force_delta_v: [SimdRow; 2],
    /// The angular velocity in radians per second that torques add in a substep.
    pub(crate) torque_delta_w: SimdRow,
    /// The factors by which damping scales the linear and the angular velocity in a substep.
    pub(crate) damping: [SimdRow; 2],
    /// The velocity with which the substep began, forces included, before any constraint changed it: x, y, angular.
    pub(crate) free: [SimdRow; 3],
    /// 1 for bodies that may turn fast, otherwise 0; not filled if no lane has one.
    pub(crate) fast_rotation: SimdRow,
    /// Whether some lane has a body that may turn fast.
    pub(crate) some_turn_fast: bool,
    /// The values that only some bodies have; not filled if no lane has a body with any.
    pub(crate) controls: ControlRows,
    /// Whether some lane has a body with such values.
    pub(crate) some_controlled: bool,
    /// The number of lanes in use.
    pub(crate) count: u32,
    /// A bit for each lane that is not used.
    pub(crate) unused: u32,
    /// The same, and a bit for each kinematic body: forces do not change it.
    pub(crate) not_driven: u32,
}

/// The part of [`BodyControl`] that the kernels read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ControlRows {
    /// Force along x and y in newtons, and torque in newton meters, in every step.
    pub(crate) lasting: [SimdRow; 3],
    /// For x and for y: 1 if the body may move along the axis, otherwise 0.
    pub(crate) free_axes: [SimdRow; 2],
    /// Greatest speed, in meters per second.
    pub(crate) speed_max: SimdRow,
    /// Greatest angular speed, in radians per second.
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
        bodies: SimdIndexRow([0; BLOCK]),
        force_delta_v: [SimdRow::ZERO; 2],
        torque_delta_w: SimdRow::ZERO,
        damping: [SimdRow::ZERO; 2],
        free: [SimdRow::ZERO; 3],
        fast_rotation: SimdRow::ZERO,
        some_turn_fast: false,
        controls: ControlRows::EMPTY,
        some_controlled: false,
        count: 0,
        unused: u32::MAX,
        not_driven: u32::MAX,
    };

    /// Sets the bodies of the lanes. The SIMD rows are filled by the kernel `prepare`.
    ///
    /// A lane that is not used repeats the first one.
    pub(crate) fn set_bodies(&mut self, bodies: &[u32], sims: &[BodySim], controls: &[BodyControl]) {
        debug_assert!(!bodies.is_empty() && bodies.len() <= BLOCK);
        self.count = bodies.len() as u32;
        self.bodies.0.fill(bodies[0]);
        self.unused = u32::MAX << bodies.len();
        self.not_driven = self.unused;
        for (lane, &body) in bodies.iter().enumerate() {
            self.bodies.0[lane] = body;
            self.not_driven |= u32::from(!sims[body as usize].is_dynamic()) << lane;
        }
        let turns_fast = |body: &u32| sims[*body as usize].has(flag::FAST_ROTATION);
        self.some_turn_fast = bodies.iter().any(turns_fast);
        if self.some_turn_fast {
            self.fast_rotation = SimdRow::ZERO;
            for (row, body) in self.fast_rotation.0.iter_mut().zip(bodies) {
                *row = f32::from(turns_fast(body));
            }
        }
        // Kinematic bodies ignore these values.
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
