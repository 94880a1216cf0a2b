//! The kernels of joints that are made of parts ([`AxesBlock`]), written once for every number of lanes.
//!
//! A part is a row: a direction of relative motion of the two bodies, with its effective mass (`axes_rows.rs`); a
//! position along it is held or sprung ([`solve_soft`]), driven ([`solve_motor`]) or limited ([`solve_limits`]).
//! Springs and motors come first and rigid constraints last, so that those yield least (Catto, Box2D).
#![allow(unsafe_code)]

use super::axes_block::{AxesBlock, AxisRows, FactorRows, LimitRows, MotorRows, SoftRows, feature};
use super::axes_rows::{Bodies, Line, Placing, Row, added};
use super::lanes::{BodyStateLanes, Lanes, SimdRow};
use super::vectors::{dot, load2, scaled};
use super::velocity_pair::{Masses, PointMass, VelocityPair};
use crate::joint::axis;

/// Applies the impulses that the last step ended with, at the start of the first substep.
///
/// # Safety
///
/// No other worker touches the bodies of this block that it may change, nor writes the others, meanwhile.
#[inline(always)]
pub(super) unsafe fn warm_start<V: Lanes>(block: &mut AxesBlock, at: usize, body_states: BodyStateLanes<'_>) {
    // SAFETY: the caller's contract.
    let (mut bodies, placing) = unsafe { read_bodies::<V>(block, at, body_states) };
    bodies.apply(sum_of_impulses(block, at, &placing));
    // SAFETY: the caller's contract.
    unsafe { write_bodies(block, at, body_states, &bodies) };
}

/// Solves all parts; with `BIAS` also removes position errors softly, without it accumulates the impulses of the
/// substep.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
pub(super) unsafe fn solve<V: Lanes, const BIAS: bool>(
    block: &mut AxesBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    inverse_h: f32,
) {
    // SAFETY: the caller's contract.
    let (mut bodies, placing) = unsafe { read_bodies::<V>(block, at, body_states) };
    if BIAS {
        correct_warm_start(block, at, &mut bodies, &placing);
    }
    solve_axes::<V, BIAS>(block, at, &mut bodies, &placing, inverse_h);
    if block.features & (feature::POINT | feature::POINT_MOTOR) != 0 {
        solve_point::<V, BIAS>(block, at, &mut bodies, &placing);
    }
    if block.features & feature::SLIDE != 0 {
        solve_slide::<V, BIAS>(block, at, &mut bodies, &placing);
    }
    if !BIAS {
        add_up(block, at, &bodies);
    }
    // SAFETY: the caller's contract.
    unsafe { write_bodies(block, at, body_states, &bodies) };
}

/// Reads the bodies of the lanes, and computes their placing.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
unsafe fn read_bodies<V: Lanes>(
    block: &AxesBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
) -> (Bodies<V>, Placing<V>) {
    // SAFETY: the caller's contract.
    let (a, b): ([V; 8], [V; 8]) = unsafe {
        (
            body_states.gather8(&block.ends.body_a, at),
            body_states.gather8(&block.ends.body_b, at),
        )
    };
    let masses = Masses::load(&block.ends.inverse_mass, &block.ends.inverse_inertia, at);
    let [x, y, turn_a, turn_b] = &block.applied;
    let bodies = Bodies {
        pair: VelocityPair::of_states(&a, &b, masses),
        applied: [
            V::load(x, at),
            V::load(y, at),
            V::load(turn_a, at),
            V::load(turn_b, at),
        ],
    };
    (bodies, Placing::new(block, at, &a, &b, &masses))
}

/// Writes the velocities to the bodies.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
unsafe fn write_bodies<V: Lanes>(
    block: &mut AxesBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    bodies: &Bodies<V>,
) {
    for (row, part) in block.applied.iter_mut().zip(bodies.applied) {
        part.store(row, at);
    }
    // SAFETY: the caller's contract.
    unsafe {
        body_states.scatter4(block.ends.written(0), at, bodies.pair.a);
        body_states.scatter4(block.ends.written(1), at, bodies.pair.b);
    }
}

/// Corrects the bodies' warm start to that with the axes and arms of this substep: the impulses in their velocities
/// were computed with those of their time.
#[inline(always)]
fn correct_warm_start<V: Lanes>(block: &AxesBlock, at: usize, bodies: &mut Bodies<V>, placing: &Placing<V>) {
    let mut change = sum_of_impulses(block, at, placing);
    for (part, applied) in change.iter_mut().zip(bodies.applied) {
        *part = *part - applied;
    }
    bodies.apply(change);
}

/// The sum of all impulses with the axes and arms of this substep.
#[inline(always)]
fn sum_of_impulses<V: Lanes>(block: &AxesBlock, at: usize, placing: &Placing<V>) -> [V; 4] {
    let features = block.features;
    let mut sum = [V::splat(0.0); 4];
    if features & feature::ANY[axis::X] != 0 {
        let impulse = axis_impulse(&block.axes[axis::X], at);
        sum = added(sum, placing.x.parts(impulse));
    }
    if features & feature::ANY[axis::Y] != 0 {
        let impulse = axis_impulse(&block.axes[axis::Y], at);
        sum = added(sum, placing.y.parts(impulse));
    }
    if features & feature::ANY[axis::ANGLE] != 0 {
        let impulse = axis_impulse(&block.axes[axis::ANGLE], at);
        sum = added(sum, placing.turn.parts(impulse));
    }
    if features & feature::POINT != 0 {
        sum = added(sum, placing.at_point(load2(&block.point.impulse, at)));
    }
    if features & feature::POINT_MOTOR != 0 {
        sum = added(sum, placing.at_point(load2(&block.point.motor_impulse, at)));
    }
    if features & feature::SLIDE != 0 {
        let [across, turning] = load2::<V>(&block.slide.impulse, at);
        sum = added(sum, placing.y.parts(across));
        sum = added(sum, placing.turn.parts(turning));
    }
    sum
}

/// The sum of the impulses along one axis.
#[inline(always)]
fn axis_impulse<V: Lanes>(rows: &AxisRows, at: usize) -> V {
    let [lower, upper] = load2::<V>(&rows.limit.impulses, at);
    V::load(&rows.soft.impulse, at) + V::load(&rows.motor.impulse, at) + (lower - upper)
}

/// Adds the impulses that a substep ended with to those of the step.
#[inline(always)]
fn add_up<V: Lanes>(block: &mut AxesBlock, at: usize, bodies: &Bodies<V>) {
    for (row, part) in block.total.iter_mut().zip(&bodies.applied[..2]) {
        (V::load(row, at) + *part).store(row, at);
    }
    let mut turning = V::splat(0.0);
    if block.features & feature::ANY[axis::ANGLE] != 0 {
        turning = turning + axis_impulse(&block.axes[axis::ANGLE], at);
    }
    if block.features & feature::SLIDE != 0 {
        turning = turning + V::load(&block.slide.impulse[1], at);
    }
    let row = &mut block.total[axis::ANGLE];
    (V::load(row, at) + turning).store(row, at);
}

#[inline(always)]
fn solve_axes<V: Lanes, const BIAS: bool>(
    block: &mut AxesBlock,
    at: usize,
    bodies: &mut Bodies<V>,
    placing: &Placing<V>,
    inverse_h: f32,
) {
    let features = block.features;
    let softness = [
        V::load(&block.ends.bias_rate, at),
        V::load(&block.ends.mass_scale, at),
        V::load(&block.ends.impulse_scale, at),
    ];
    let [x, y, angle] = &mut block.axes;
    let solving = Solving {
        features,
        softness,
        inverse_h: V::splat(inverse_h),
        at,
    };
    let Placing { position, .. } = placing;
    solving.axis::<BIAS>(angle, axis::ANGLE, bodies, &placing.turn, position[axis::ANGLE]);
    solving.axis::<BIAS>(x, axis::X, bodies, &placing.x, position[axis::X]);
    solving.axis::<BIAS>(y, axis::Y, bodies, &placing.y, position[axis::Y]);
}

/// The parameters of solving an axis, beside its rows.
struct Solving<V> {
    features: u32,
    /// The bias rate, mass scale and impulse scale of limits.
    softness: [V; 3],
    inverse_h: V,
    at: usize,
}

impl<V: Lanes> Solving<V> {
    #[inline(always)]
    fn axis<const BIAS: bool>(
        &self,
        rows: &mut AxisRows,
        index: usize,
        bodies: &mut Bodies<V>,
        row: &impl Row<V>,
        position: V,
    ) {
        if self.features & feature::ANY[index] == 0 {
            return;
        }
        if self.features & feature::SOFT[index] != 0 {
            solve_soft::<V, BIAS>(&mut rows.soft, self.at, bodies, row, position);
        }
        if self.features & feature::MOTOR[index] != 0 {
            solve_motor(&mut rows.motor, self.at, bodies, row);
        }
        if self.features & feature::LIMIT[index] != 0 {
            self.limits::<BIAS>(&mut rows.limit, bodies, row, position);
        }
    }

    #[inline(always)]
    fn limits<const BIAS: bool>(
        &self,
        rows: &mut LimitRows,
        bodies: &mut Bodies<V>,
        row: &impl Row<V>,
        position: V,
    ) {
        let (zero, at) = (V::splat(0.0), self.at);
        let mass = row.mass() * V::load(&rows.on, at);
        let [rate, mass_scale, impulse_scale] = self.softness;
        let [lower, upper] = load2::<V>(&rows.bounds, at);
        let rooms = [(position - lower, 1.0), (upper - position, -1.0)];
        for ((room, sign), impulse) in rooms.into_iter().zip(&mut rows.impulses) {
            let old = V::load(impulse, at);
            let speed = V::splat(sign) * row.speed(&bodies.pair);
            let free = zero.less(room);
            let meet = room * self.inverse_h;
            let change = if BIAS {
                let bias = V::select(free, meet, room * rate);
                let mass_scale = V::select(free, V::splat(1.0), mass_scale);
                let impulse_scale = V::select(free, zero, impulse_scale);
                zero - mass * mass_scale * (speed + bias) - impulse_scale * old
            } else {
                zero - mass * (speed + V::select(free, meet, zero))
            };
            let new = (old + change).max(zero);
            new.store(impulse, at);
            bodies.apply(row.parts(V::splat(sign) * (new - old)));
        }
    }
}

/// The factors of this pass.
#[inline(always)]
fn load_factors<V: Lanes, const BIAS: bool>(solve: &FactorRows, relax: &FactorRows, at: usize) -> [V; 3] {
    let rows = if BIAS { solve } else { relax };
    [
        V::load(&rows[0], at),
        V::load(&rows[1], at),
        V::load(&rows[2], at),
    ]
}

#[inline(always)]
fn solve_soft<V: Lanes, const BIAS: bool>(
    rows: &mut SoftRows,
    at: usize,
    bodies: &mut Bodies<V>,
    row: &impl Row<V>,
    position: V,
) {
    let [velocity, pull, leak] = load_factors::<V, BIAS>(&rows.solve, &rows.relax, at);
    let [least, most] = load2::<V>(&rows.bounds, at);
    let (mass, moving) = (row.mass(), velocity * row.speed(&bodies.pair));
    let removed = if BIAS {
        let error = position - V::load(&rows.target, at);
        (mass * error).store(&mut rows.error_impulse, at);
        mass * (moving + pull * error)
    } else {
        mass * moving + pull * V::load(&rows.error_impulse, at)
    };
    let old = V::load(&rows.impulse, at);
    let change = removed + leak * old;
    let new = least.max(most.min(old - change));
    new.store(&mut rows.impulse, at);
    bodies.apply(row.parts(new - old));
}

#[inline(always)]
fn solve_motor<V: Lanes>(rows: &mut MotorRows, at: usize, bodies: &mut Bodies<V>, row: &impl Row<V>) {
    let old = V::load(&rows.impulse, at);
    let strength = V::load(&rows.strength, at);
    let wanted = old + row.mass() * (V::load(&rows.speed, at) - row.speed(&bodies.pair));
    let new = (V::splat(0.0) - strength).max(strength.min(wanted));
    new.store(&mut rows.impulse, at);
    bodies.apply(row.parts(new - old));
}

#[inline(always)]
fn solve_point<V: Lanes, const BIAS: bool>(
    block: &mut AxesBlock,
    at: usize,
    bodies: &mut Bodies<V>,
    placing: &Placing<V>,
) {
    let (arm_a, arm_b) = (placing.arm_a, placing.arm_b);
    let mass = PointMass::new(&bodies.pair.masses, arm_a, arm_b);
    let point = &mut block.point;
    if block.features & feature::POINT_MOTOR != 0 {
        let target = load2::<V>(&point.motor_velocity, at);
        let moving = bodies.pair.point_velocity(arm_a, arm_b);
        let solution = mass.solve([moving[0] - target[0], moving[1] - target[1]]);
        let old = load2::<V>(&point.motor_impulse, at);
        let wanted = [old[0] - solution[0], old[1] - solution[1]];
        let new = bounded(wanted, V::load(&point.motor_strength, at));
        apply_at_point(&mut point.motor_impulse, at, bodies, placing, [old, new]);
    }
    if block.features & feature::POINT != 0 {
        let [velocity, pull, leak] = load_factors::<V, BIAS>(&point.solve, &point.relax, at);
        let mut wanted = scaled(bodies.pair.point_velocity(arm_a, arm_b), velocity);
        if BIAS {
            let rows = point.error_impulse.iter_mut();
            for (row, part) in rows.zip(mass.solve(placing.apart)) {
                part.store(row, at);
            }
            for (part, apart) in wanted.iter_mut().zip(placing.apart) {
                *part = *part + pull * apart;
            }
        }
        let mut removed = mass.solve(wanted);
        if !BIAS {
            for (part, row) in removed.iter_mut().zip(&point.error_impulse) {
                *part = *part + pull * V::load(row, at);
            }
        }
        let old = load2::<V>(&point.impulse, at);
        let mut new = old;
        for i in 0..2 {
            new[i] = old[i] - (removed[i] + leak * old[i]);
        }
        let new = bounded(new, V::load(&point.strength, at));
        apply_at_point(&mut point.impulse, at, bodies, placing, [old, new]);
    }
}

/// A vector clamped to a length of `most`.
#[inline(always)]
fn bounded<V: Lanes>(vector: [V; 2], most: V) -> [V; 2] {
    let length = dot(vector, vector).sqrt();
    let is_long = most.less(length);
    let shorter = most / length;
    [
        V::select(is_long, vector[0] * shorter, vector[0]),
        V::select(is_long, vector[1] * shorter, vector[1]),
    ]
}

#[inline(always)]
fn apply_at_point<V: Lanes>(
    rows: &mut [SimdRow; 2],
    at: usize,
    bodies: &mut Bodies<V>,
    placing: &Placing<V>,
    [old, new]: [[V; 2]; 2],
) {
    for (row, part) in rows.iter_mut().zip(new) {
        part.store(row, at);
    }
    bodies.apply(placing.at_point([new[0] - old[0], new[1] - old[1]]));
}

/// Holds the translation across the x axis and the angle: two equations, solved together, since an impulse of the one
/// turns the bodies of the other.
#[inline(always)]
fn solve_slide<V: Lanes, const BIAS: bool>(
    block: &mut AxesBlock,
    at: usize,
    bodies: &mut Bodies<V>,
    placing: &Placing<V>,
) {
    let (zero, one) = (V::splat(0.0), V::splat(1.0));
    let Masses {
        mass_a,
        mass_b,
        inertia_a,
        inertia_b,
    } = bodies.pair.masses;
    let Line { lever_a, lever_b, .. } = placing.y;
    let mut wanted = [placing.y.speed(&bodies.pair), bodies.pair.spin()];
    let (mut mass_scale, mut impulse_scale) = (V::load(&block.slide.on, at), zero);
    if BIAS {
        let rate = V::load(&block.ends.bias_rate, at);
        wanted[0] = wanted[0] + rate * placing.position[axis::Y];
        wanted[1] = wanted[1] + rate * placing.position[axis::ANGLE];
        mass_scale = mass_scale * V::load(&block.ends.mass_scale, at);
        impulse_scale = V::load(&block.ends.impulse_scale, at);
    }

    // As for a shared point: two bodies that move along no axis count as one unit of mass.
    let mass = mass_a + mass_b;
    let mass = V::select(zero.less(mass), mass, one);
    let turning = inertia_a + inertia_b;
    let k11 = mass + inertia_a * lever_a * lever_a + inertia_b * lever_b * lever_b;
    let k12 = inertia_a * lever_a + inertia_b * lever_b;
    // Two bodies that cannot turn keep the angle: whatever impulse results is not theirs (`EndRows::units`).
    let k22 = V::select(zero.less(turning), turning, one);
    // The determinant k11 k22 - k12², as a sum of squares.
    let skew = lever_a - lever_b;
    let determinant = mass * k22 + (inertia_a * skew) * (inertia_b * skew);
    let inverse = one / determinant;
    let solution = [
        inverse * (k22 * wanted[0] - k12 * wanted[1]),
        inverse * (k11 * wanted[1] - k12 * wanted[0]),
    ];
    let old = load2::<V>(&block.slide.impulse, at);
    let across = zero - mass_scale * solution[0] - impulse_scale * old[0];
    let turn = zero - mass_scale * solution[1] - impulse_scale * old[1];
    for ((row, old), change) in block.slide.impulse.iter_mut().zip(old).zip([across, turn]) {
        (old + change).store(row, at);
    }
    bodies.apply(placing.y.parts(across));
    bodies.apply(placing.turn.parts(turn));
}
