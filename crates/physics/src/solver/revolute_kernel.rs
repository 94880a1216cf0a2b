//! The kernels of revolute joints over one block, written once for every number of lanes.
//!
//! A revolute joint removes the velocity of its shared point (two equations, solved together), and may have a
//! spring, a motor and limits on its angle (one equation each).
#![allow(unsafe_code)]

use super::lanes::{BodyStateLanes, Lanes};
use super::revolute_block::RevoluteBlock;
use super::vectors::{cross, load2, rotate};
use super::velocity_pair::{Masses, PointMass, VelocityPair, turned};
use crate::joint::flag;

/// Applies the impulses that the last step ended with, at the start of the first substep.
///
/// # Safety
///
/// No other worker touches the bodies of this block that it may change, nor writes the others, meanwhile.
#[inline(always)]
pub(crate) unsafe fn warm_start<V: Lanes>(
    block: &mut RevoluteBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
) {
    // SAFETY: the caller's contract.
    let (a, b) = unsafe {
        (
            body_states.gather8(&block.ends.body_a, at),
            body_states.gather8(&block.ends.body_b, at),
        )
    };
    let masses = Masses::load(&block.ends.inverse_mass, &block.ends.inverse_inertia, at);
    let mut pair = VelocityPair::of_states(&a, &b, masses);
    let arm_a = rotate(a[3], a[6], load2(&block.ends.anchor_a, at));
    let arm_b = rotate(b[3], b[6], load2(&block.ends.anchor_b, at));
    let impulse = load2::<V>(&block.linear_impulse, at);
    pair.push(impulse, arm_a, arm_b);
    cross(arm_a, impulse).store(&mut block.turning_impulse[0], at);
    cross(arm_b, impulse).store(&mut block.turning_impulse[1], at);
    if block.features != 0 {
        pair.turn(turning_impulse(block, at));
    }
    // SAFETY: the caller's contract.
    unsafe {
        body_states.scatter4(block.ends.written(0), at, pair.a);
        body_states.scatter4(block.ends.written(1), at, pair.b);
    }
}

/// Solves spring, motor, limits and the shared point; with `BIAS` also removes position errors softly, without it
/// accumulates the impulses of the substep.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
pub(crate) unsafe fn solve<V: Lanes, const BIAS: bool>(
    block: &mut RevoluteBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    inverse_h: f32,
) {
    // SAFETY: the caller's contract.
    let (a, b) = unsafe {
        (
            body_states.gather8(&block.ends.body_a, at),
            body_states.gather8(&block.ends.body_b, at),
        )
    };
    let masses = Masses::load(&block.ends.inverse_mass, &block.ends.inverse_inertia, at);
    let mut pair = VelocityPair::of_states(&a, &b, masses);
    let arm_a = rotate(a[3], a[6], load2(&block.ends.anchor_a, at));
    let arm_b = rotate(b[3], b[6], load2(&block.ends.anchor_b, at));
    if BIAS {
        correct_arms(block, at, &mut pair, [arm_a, arm_b]);
    }

    if block.features != 0 {
        let angle = V::load(&block.angle, at) + turned::<V>([a[3], a[6]], [b[3], b[6]]);
        if block.features & flag::SPRING != 0 {
            solve_spring::<V, BIAS>(block, at, &mut pair, angle);
        }
        if block.features & flag::MOTOR != 0 {
            solve_motor(block, at, &mut pair);
        }
        if block.features & flag::LIMIT != 0 {
            solve_limits::<V, BIAS>(block, at, &mut pair, angle, inverse_h);
        }
    }

    let moved = [b[4] - a[4], b[5] - a[5]];
    solve_point::<V, BIAS>(block, at, &mut pair, [arm_a, arm_b], moved);
    if !BIAS {
        add_up::<V>(block, at);
    }
    // SAFETY: the caller's contract.
    unsafe {
        body_states.scatter4(block.ends.written(0), at, pair.a);
        body_states.scatter4(block.ends.written(1), at, pair.b);
    }
}

/// Adds the impulses that a substep ended with to those of the step.
#[inline(always)]
fn add_up<V: Lanes>(block: &mut RevoluteBlock, at: usize) {
    for (total, impulse) in block.total.iter_mut().zip(&block.linear_impulse) {
        (V::load(total, at) + V::load(impulse, at)).store(total, at);
    }
    if block.features != 0 {
        (V::load(&block.total_turn, at) + turning_impulse(block, at)).store(&mut block.total_turn, at);
    }
}

/// The sum of the impulses of spring, motor and limits.
#[inline(always)]
fn turning_impulse<V: Lanes>(block: &RevoluteBlock, at: usize) -> V {
    V::load(&block.spring.impulse, at)
        + V::load(&block.motor.impulse, at)
        + (V::load(&block.limit.lower_impulse, at) - V::load(&block.limit.upper_impulse, at))
}

/// Corrects the bodies' warm start to that with the arms of this substep.
#[inline(always)]
fn correct_arms<V: Lanes>(
    block: &mut RevoluteBlock,
    at: usize,
    pair: &mut VelocityPair<V>,
    [arm_a, arm_b]: [[V; 2]; 2],
) {
    let impulse = load2::<V>(&block.linear_impulse, at);
    let turning = [cross(arm_a, impulse), cross(arm_b, impulse)];
    let applied = load2::<V>(&block.turning_impulse, at);
    pair.a[2] = pair.a[2] - pair.masses.inertia_a * (turning[0] - applied[0]);
    pair.b[2] = pair.b[2] + pair.masses.inertia_b * (turning[1] - applied[1]);
}

#[inline(always)]
fn solve_spring<V: Lanes, const BIAS: bool>(
    block: &mut RevoluteBlock,
    at: usize,
    pair: &mut VelocityPair<V>,
    angle: V,
) {
    let spring = &mut block.spring;
    let old = V::load(&spring.impulse, at);
    if BIAS {
        (angle - V::load(&spring.target, at)).store(&mut spring.error, at);
    }
    let [velocity, position, leak] = spring.factors.each_ref().map(|row| V::load(row, at));
    let wanted = velocity * pair.spin() + position * V::load(&spring.error, at);
    let new = old - V::load(&spring.mass, at) * wanted - leak * old;
    new.store(&mut spring.impulse, at);
    pair.turn(new - old);
}

#[inline(always)]
fn solve_motor<V: Lanes>(block: &mut RevoluteBlock, at: usize, pair: &mut VelocityPair<V>) {
    let motor = &mut block.motor;
    let old = V::load(&motor.impulse, at);
    let limit = V::load(&motor.max_impulse, at);
    let wanted = old + V::load(&motor.mass, at) * (V::load(&motor.speed, at) - pair.spin());
    let new = (V::splat(0.0) - limit).max(wanted.min(limit));
    new.store(&mut motor.impulse, at);
    pair.turn(new - old);
}

#[inline(always)]
fn solve_limits<V: Lanes, const BIAS: bool>(
    block: &mut RevoluteBlock,
    at: usize,
    pair: &mut VelocityPair<V>,
    angle: V,
    inverse_h: f32,
) {
    let zero = V::splat(0.0);
    let mass = V::load(&block.limit.mass, at);
    let rate = V::load(&block.ends.bias_rate, at);
    let (mass_scale, impulse_scale) = (
        V::load(&block.ends.mass_scale, at),
        V::load(&block.ends.impulse_scale, at),
    );
    let lower = angle - V::load(&block.limit.lower, at);
    let upper = V::load(&block.limit.upper, at) - angle;
    for (room, sign, row) in [
        (lower, 1.0, &mut block.limit.lower_impulse),
        (upper, -1.0, &mut block.limit.upper_impulse),
    ] {
        let old = V::load(row, at);
        let spin = V::splat(sign) * pair.spin();
        let free = zero.less(room);
        let meet = room * V::splat(inverse_h);
        let change = if BIAS {
            let bias = V::select(free, meet, room * rate);
            let mass_scale = V::select(free, V::splat(1.0), mass_scale);
            let impulse_scale = V::select(free, zero, impulse_scale);
            zero - mass * mass_scale * (spin + bias) - impulse_scale * old
        } else {
            zero - mass * (spin + V::select(free, meet, zero))
        };
        let new = (old + change).max(zero);
        new.store(row, at);
        pair.turn(V::splat(sign) * (new - old));
    }
}

#[inline(always)]
fn solve_point<V: Lanes, const BIAS: bool>(
    block: &mut RevoluteBlock,
    at: usize,
    pair: &mut VelocityPair<V>,
    [arm_a, arm_b]: [[V; 2]; 2],
    moved: [V; 2],
) {
    let mut wanted = pair.point_velocity(arm_a, arm_b);
    let (mut mass_scale, mut impulse_scale) = (V::splat(1.0), V::splat(0.0));
    if BIAS {
        let between = load2::<V>(&block.ends.between_centers, at);
        let rate = V::load(&block.ends.bias_rate, at);
        for axis in 0..2 {
            let apart = moved[axis] + (arm_b[axis] - arm_a[axis]) + between[axis];
            wanted[axis] = wanted[axis] + rate * apart;
        }
        mass_scale = V::load(&block.ends.mass_scale, at);
        impulse_scale = V::load(&block.ends.impulse_scale, at);
    }

    let solution = PointMass::new(&pair.masses, arm_a, arm_b).solve(wanted);
    let old = load2::<V>(&block.linear_impulse, at);
    let mut change = old;
    let mut new = old;
    for axis in 0..2 {
        change[axis] = V::splat(0.0) - mass_scale * solution[axis] - impulse_scale * old[axis];
        new[axis] = old[axis] + change[axis];
        new[axis].store(&mut block.linear_impulse[axis], at);
    }
    pair.push(change, arm_a, arm_b);
    for (row, arm) in block.turning_impulse.iter_mut().zip([arm_a, arm_b]) {
        let turning = if BIAS {
            // The whole impulse is with this arm: `correct_arms` has converted it.
            cross(arm, new)
        } else {
            V::load(row, at) + cross(arm, change)
        };
        turning.store(row, at);
    }
}
