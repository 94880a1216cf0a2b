//! The kernels of gears, racks and pulleys ([`CouplingBlock`]), written once for every number of lanes.
//!
//! Each is one equation: a speed is a sum over the six velocities of both bodies, with factors for the effect of the
//! joint on each ([`Action`]). A gear's factors are 1 and the ratio, on the angular velocities; a rack's are those of a
//! point of each body along the rack; a pulley's are those along the two parts of the rope, the second times the ratio.
#![allow(unsafe_code)]

use super::coupling_block::{CouplingBlock, feature};
use super::lanes::{BodyStateLanes, Lanes};
use super::vectors::{cross, dot, load2, rotate, scaled};
use super::velocity_pair::{Masses, turned};

/// The length of rope in meters below which it has no direction.
const NO_DIRECTION_M: f32 = 1.0e-6;

/// The factors of an impulse on x, y and angle of A and of B, and the joint's error.
struct Action<V> {
    parts: [[V; 3]; 2],
    error: V,
    /// The vector from B's center to its point.
    arm_b: [V; 2],
}

/// The velocities of both bodies.
struct Velocities<V> {
    of: [[V; 4]; 2],
    inverse_masses: [[V; 3]; 2],
}

impl<V: Lanes> Velocities<V> {
    #[inline(always)]
    fn new(a: &[V; 8], b: &[V; 8], masses: &Masses<V>) -> Self {
        Self {
            of: [[a[0], a[1], a[2], a[3]], [b[0], b[1], b[2], b[3]]],
            inverse_masses: [
                [masses.mass_a, masses.mass_a, masses.inertia_a],
                [masses.mass_b, masses.mass_b, masses.inertia_b],
            ],
        }
    }

    /// Applies an impulse, given as its parts on A and on B.
    #[inline(always)]
    fn apply(&mut self, parts: &[[V; 3]; 2]) {
        for ((velocity, masses), parts) in self.of.iter_mut().zip(&self.inverse_masses).zip(parts) {
            for i in 0..3 {
                velocity[i] = velocity[i] + masses[i] * parts[i];
            }
        }
    }

    /// The speed along an action.
    #[inline(always)]
    fn speed(&self, action: &Action<V>) -> V {
        let [a, b] = &self.of;
        let [on_a, on_b] = &action.parts;
        let of_a = on_a[0] * a[0] + on_a[1] * a[1] + on_a[2] * a[2];
        let of_b = on_b[0] * b[0] + on_b[1] * b[1] + on_b[2] * b[2];
        of_a + of_b
    }

    /// The effective mass of an action: the impulse that changes its speed by one; 0 if no impulse does.
    #[inline(always)]
    fn mass(&self, action: &Action<V>) -> V {
        let mut inverse = V::splat(0.0);
        for (masses, parts) in self.inverse_masses.iter().zip(&action.parts) {
            for i in 0..3 {
                inverse = inverse + masses[i] * parts[i] * parts[i];
            }
        }
        let zero = V::splat(0.0);
        V::select(zero.less(inverse), V::splat(1.0) / inverse, zero)
    }
}

impl<V: Lanes> Action<V> {
    #[inline(always)]
    fn new(block: &CouplingBlock, at: usize, a: &[V; 8], b: &[V; 8]) -> Self {
        let ends = &block.ends;
        let arm_a = rotate(a[3], a[6], load2(&ends.anchor_a, at));
        let arm_b = rotate(b[3], b[6], load2(&ends.anchor_b, at));
        let zero = V::splat(0.0);
        let mut action = Self {
            parts: [[zero; 3]; 2],
            error: zero,
            arm_b,
        };
        if block.features & feature::GEAR != 0 {
            action = Self::gear(block, at, [a, b], arm_b);
        }
        if block.features & feature::RACK != 0 {
            let rack = Self::rack(block, at, [a, b], [arm_a, arm_b]);
            action.take(V::load(&block.is_rack, at), rack);
        }
        if block.features & feature::PULLEY != 0 {
            let pulley = Self::pulley(block, at, [a, b], [arm_a, arm_b]);
            action.take(V::load(&block.is_pulley, at), pulley);
        }
        action
    }

    /// Replaces the action by another one in the lanes where `mask` is not 0.
    #[inline(always)]
    fn take(&mut self, mask: V, other: Self) {
        let mask = V::splat(0.0).less(mask);
        for (parts, others) in self.parts.iter_mut().zip(other.parts) {
            for (part, other) in parts.iter_mut().zip(others) {
                *part = V::select(mask, other, *part);
            }
        }
        self.error = V::select(mask, other.error, self.error);
    }

    #[inline(always)]
    fn gear(block: &CouplingBlock, at: usize, [a, b]: [&[V; 8]; 2], arm_b: [V; 2]) -> Self {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let ratio = V::load(&block.ratio, at);
        let still = [zero, one];
        let turns = [turned::<V>(still, [a[3], a[6]]), turned::<V>(still, [b[3], b[6]])];
        Self {
            parts: [[zero, zero, one], [zero, zero, ratio]],
            error: V::load(&block.drift, at) + (turns[0] + ratio * turns[1]),
            arm_b,
        }
    }

    #[inline(always)]
    fn rack(block: &CouplingBlock, at: usize, [a, b]: [&[V; 8]; 2], [arm_a, arm_b]: [[V; 2]; 2]) -> Self {
        let zero = V::splat(0.0);
        let radius = V::load(&block.ratio, at);
        let axis = rotate(b[3], b[6], load2(&block.axis, at));
        let mut apart = load2::<V>(&block.ends.between_centers, at);
        for i in 0..2 {
            apart[i] = apart[i] + (b[4 + i] - a[4 + i]) + (arm_b[i] - arm_a[i]);
        }
        // The vector from B's center to A's point: B has the axis.
        let reach = [arm_b[0] - apart[0], arm_b[1] - apart[1]];
        let slid = dot(axis, apart) - V::load(&block.start[1], at);
        let turn = turned::<V>([a[3], a[6]], [b[3], b[6]]);
        Self {
            parts: [
                [zero - axis[0], zero - axis[1], zero - cross(arm_a, axis) - radius],
                [axis[0], axis[1], cross(reach, axis) + radius],
            ],
            error: V::load(&block.drift, at) + (slid + radius * turn),
            arm_b,
        }
    }

    #[inline(always)]
    fn pulley(block: &CouplingBlock, at: usize, [a, b]: [&[V; 8]; 2], [arm_a, arm_b]: [[V; 2]; 2]) -> Self {
        let ratio = V::load(&block.ratio, at);
        let [anchor_a, anchor_b] = [&block.ends.anchor_a, &block.ends.anchor_b].map(|rows| load2(rows, at));
        let (along_a, length_a) = rope(load2(&block.ropes[0], at), a, arm_a, anchor_a);
        let (along_b, length_b) = rope(load2(&block.ropes[1], at), b, arm_b, anchor_b);
        let on_b = scaled(along_b, ratio);
        Self {
            parts: [
                [along_a[0], along_a[1], cross(arm_a, along_a)],
                [on_b[0], on_b[1], cross(arm_b, on_b)],
            ],
            error: (length_a + ratio * length_b) - V::load(&block.length, at),
            arm_b,
        }
    }
}

/// The direction and the length of one part of a rope: upwards if its length is zero.
#[inline(always)]
fn rope<V: Lanes>(start: [V; 2], body: &[V; 8], arm: [V; 2], first_arm: [V; 2]) -> ([V; 2], V) {
    let mut rope = start;
    for i in 0..2 {
        rope[i] = rope[i] + body[4 + i] + (arm[i] - first_arm[i]);
    }
    let length = dot(rope, rope).sqrt();
    let has_direction = V::splat(NO_DIRECTION_M).less(length);
    let inverse = V::splat(1.0) / length;
    let [x, y] = scaled(rope, inverse);
    let (zero, one) = (V::splat(0.0), V::splat(1.0));
    (
        [
            V::select(has_direction, x, zero),
            V::select(has_direction, y, zero - one),
        ],
        length,
    )
}

/// The parts of an impulse on A and on B.
#[inline(always)]
fn parts_of<V: Lanes>(action: &Action<V>, impulse: V) -> [[V; 3]; 2] {
    let mut parts = action.parts;
    for part in parts.iter_mut().flatten() {
        *part = *part * impulse;
    }
    parts
}

/// Applies the impulses that the last step ended with, at the start of the first substep.
///
/// # Safety
///
/// No other worker touches the bodies of this block that it may change, nor writes the others, meanwhile.
#[inline(always)]
pub(super) unsafe fn warm_start<V: Lanes>(
    block: &mut CouplingBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
) {
    // SAFETY: the caller's contract.
    let (mut velocities, action) = unsafe { read::<V>(block, at, body_states) };
    let parts = parts_of(&action, V::load(&block.impulse, at));
    velocities.apply(&parts);
    store_applied(block, at, &parts);
    // SAFETY: the caller's contract.
    unsafe { write(block, at, body_states, &velocities) };
}

/// Solves the equation; with `BIAS` also removes its error softly, without it accumulates the impulses of the substep.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
pub(super) unsafe fn solve<V: Lanes, const BIAS: bool>(
    block: &mut CouplingBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    inverse_h: f32,
) {
    // SAFETY: the caller's contract.
    let (mut velocities, action) = unsafe { read::<V>(block, at, body_states) };
    let old = V::load(&block.impulse, at);
    let mut applied = block
        .applied
        .each_ref()
        .map(|rows| rows.each_ref().map(|row| V::load(row, at)));
    if BIAS {
        // Converts all impulses in the velocities to the present directions, which have turned.
        let parts = parts_of(&action, old);
        velocities.apply(&differences(&parts, &applied));
        applied = parts;
    }

    let zero = V::splat(0.0);
    let is_slack = zero.less(V::load(&block.slack, at));
    // A slack rope reaches its full length at the end of the substep at the earliest.
    let room = V::select(is_slack, zero - action.error, zero);
    let free = zero.less(room);
    let meet = V::select(free, zero - room * V::splat(inverse_h), zero);
    let speed = velocities.speed(&action);
    let mass = velocities.mass(&action);
    let change = if BIAS {
        let [rate, mass_scale, impulse_scale] = [
            &block.ends.bias_rate,
            &block.ends.mass_scale,
            &block.ends.impulse_scale,
        ]
        .map(|row| V::load(row, at));
        let bias = V::select(free, meet, action.error * rate);
        let mass_scale = V::select(free, V::splat(1.0), mass_scale);
        let impulse_scale = V::select(free, zero, impulse_scale);
        zero - mass * mass_scale * (speed + bias) - impulse_scale * old
    } else {
        zero - mass * (speed + meet)
    };
    let new = (old + change).min(V::load(&block.most, at));
    new.store(&mut block.impulse, at);
    let parts = parts_of(&action, new - old);
    velocities.apply(&parts);
    for (applied, part) in applied.iter_mut().flatten().zip(parts.iter().flatten()) {
        *applied = *applied + *part;
    }
    store_applied(block, at, &applied);
    if !BIAS {
        add_up(block, at, &applied[1], action.arm_b);
    }
    // SAFETY: the caller's contract.
    unsafe { write(block, at, body_states, &velocities) };
}

#[inline(always)]
fn differences<V: Lanes>(new: &[[V; 3]; 2], old: &[[V; 3]; 2]) -> [[V; 3]; 2] {
    let mut change = *new;
    for (change, old) in change.iter_mut().flatten().zip(old.iter().flatten()) {
        *change = *change - *old;
    }
    change
}

#[inline(always)]
fn store_applied<V: Lanes>(block: &mut CouplingBlock, at: usize, parts: &[[V; 3]; 2]) {
    for (row, part) in block.applied.iter_mut().flatten().zip(parts.iter().flatten()) {
        part.store(row, at);
    }
}

/// Adds the final impulse of a substep on B to that of the step.
#[inline(always)]
fn add_up<V: Lanes>(block: &mut CouplingBlock, at: usize, [x, y, turn]: &[V; 3], arm_b: [V; 2]) {
    let about_point = *turn - cross(arm_b, [*x, *y]);
    for (row, part) in block.total.iter_mut().zip([*x, *y, about_point]) {
        (V::load(row, at) + part).store(row, at);
    }
}

/// Reads the bodies of the lanes, and computes the actions of the joints on them.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
unsafe fn read<V: Lanes>(
    block: &CouplingBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
) -> (Velocities<V>, Action<V>) {
    // SAFETY: the caller's contract.
    let (a, b): ([V; 8], [V; 8]) = unsafe {
        (
            body_states.gather8(&block.ends.body_a, at),
            body_states.gather8(&block.ends.body_b, at),
        )
    };
    let masses = Masses::load(&block.ends.inverse_mass, &block.ends.inverse_inertia, at);
    (Velocities::new(&a, &b, &masses), Action::new(block, at, &a, &b))
}

/// Writes the velocities to the bodies.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
unsafe fn write<V: Lanes>(
    block: &CouplingBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    velocities: &Velocities<V>,
) {
    // SAFETY: the caller's contract.
    unsafe {
        body_states.scatter4(block.ends.written(0), at, velocities.of[0]);
        body_states.scatter4(block.ends.written(1), at, velocities.of[1]);
    }
}
