//! The contact solver's four kernels over one block, written once for every number of lanes: warm start, solve, relax and,
//! once after the last substep, restitution.
//!
//! Method: sequential impulses over small substeps with soft contacts, then a relaxing pass without position bias that
//! also applies friction and rolling resistance (Catto, "Solver2D", 2024).
#![allow(unsafe_code)]

use super::contact_block::{ContactBlock, PointLanes, Substep, feature};
use super::lanes::{BodyStateLanes, Lanes};
use super::vectors::{dot, load2, rotate, scaled};
use super::velocity_pair::{Masses, VelocityPair};

/// The direction of friction: a quarter turn clockwise from the normal.
#[inline(always)]
fn tangent_of<V: Lanes>(normal: [V; 2]) -> [V; 2] {
    [normal[1], V::splat(0.0) - normal[0]]
}

#[inline(always)]
fn masses_of<V: Lanes>(block: &ContactBlock, at: usize) -> Masses<V> {
    Masses::load(&block.inverse_mass, &block.inverse_inertia, at)
}

/// The velocities of the bodies of a block's lanes.
///
/// # Safety
///
/// The contract of [`BodyStateLanes::gather4`].
#[inline(always)]
unsafe fn read<V: Lanes>(
    body_states: BodyStateLanes<'_>,
    block: &ContactBlock,
    at: usize,
) -> VelocityPair<V> {
    // SAFETY: the caller's contract.
    let (a, b) = unsafe {
        (
            body_states.gather4(&block.body_a, at),
            body_states.gather4(&block.body_b, at),
        )
    };
    VelocityPair {
        a,
        b,
        masses: masses_of(block, at),
    }
}

/// Writes the velocities to the bodies.
///
/// # Safety
///
/// The contract of [`BodyStateLanes::scatter4`].
#[inline(always)]
unsafe fn write<V: Lanes>(
    pair: &VelocityPair<V>,
    body_states: BodyStateLanes<'_>,
    block: &ContactBlock,
    at: usize,
) {
    // SAFETY: the caller's contract.
    unsafe {
        body_states.scatter4((&block.body_a, block.unwritten[0]), at, pair.a);
        body_states.scatter4((&block.body_b, block.unwritten[1]), at, pair.b);
    }
}

/// `value` clamped to the range from `-limit` to `limit`.
#[inline(always)]
fn clamp<V: Lanes>(value: V, limit: V) -> V {
    (V::splat(0.0) - limit).max(value.min(limit))
}

/// The rotations, sine and cosine, by which the arms of A and B are turned: none for discs, whose lowest point stays
/// the lowest while they roll. An arm that turned with them would leave the ground within the step, and the disc would
/// sink.
#[inline(always)]
fn seen_turns<V: Lanes>(block: &ContactBlock, at: usize, mut turns: [[V; 2]; 2]) -> [[V; 2]; 2] {
    if block.features & feature::DISCS != 0 {
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        for ([sin, cos], disc) in turns.iter_mut().zip(&block.discs) {
            let is_disc = zero.less(V::load(disc, at));
            *sin = V::select(is_disc, zero, *sin);
            *cos = V::select(is_disc, one, *cos);
        }
    }
    turns
}

/// Applies the impulses that the last step ended with, at the start of the first substep.
///
/// # Safety
///
/// No other worker touches the bodies of this block that it may change, nor writes the others, meanwhile.
#[inline(always)]
pub(crate) unsafe fn warm_start<V: Lanes>(
    block: &mut ContactBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
) {
    let normal = load2::<V>(&block.normal, at);
    let tangent = tangent_of(normal);
    // SAFETY: the caller's contract.
    let mut pair = unsafe { read::<V>(body_states, block, at) };
    for point in &block.points {
        let normal_impulse = V::load(&point.normal_impulse, at);
        let tangent_impulse = V::load(&point.tangent_impulse, at);
        let impulse = [
            normal[0] * normal_impulse + tangent[0] * tangent_impulse,
            normal[1] * normal_impulse + tangent[1] * tangent_impulse,
        ];
        pair.push(impulse, load2(&point.anchor_a, at), load2(&point.anchor_b, at));
    }
    if block.features & feature::ROLLING != 0 {
        let rolling = V::load(&block.rolling_impulse, at);
        pair.turn(rolling);
    }
    // SAFETY: the caller's contract.
    unsafe { write(&pair, body_states, block, at) };
}

/// Solves the normal constraints; with `BIAS` also pushes overlapping bodies apart, without it applies friction and
/// rolling resistance too.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
pub(crate) unsafe fn solve<V: Lanes, const BIAS: bool>(
    block: &mut ContactBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    substep: &Substep,
) {
    let normal = load2::<V>(&block.normal, at);
    // SAFETY: the caller's contract.
    let (a, b) = unsafe {
        (
            body_states.gather8(&block.body_a, at),
            body_states.gather8(&block.body_b, at),
        )
    };
    let mut pair = VelocityPair::of_states(&a, &b, masses_of(block, at));
    let moved = [b[4] - a[4], b[5] - a[5]];
    let [turn_a, turn_b] = seen_turns(block, at, [[a[3], a[6]], [b[3], b[6]]]);
    let soft = SoftnessLanes::<V>::load(block, at, substep);

    let mut total = V::splat(0.0);
    for point in &mut block.points {
        let anchor_a = load2(&point.anchor_a, at);
        let anchor_b = load2(&point.anchor_b, at);
        let ra = rotate(turn_a[0], turn_a[1], anchor_a);
        let rb = rotate(turn_b[0], turn_b[1], anchor_b);
        let apart = [moved[0] + (rb[0] - ra[0]), moved[1] + (rb[1] - ra[1])];
        let separation = dot(apart, normal) + V::load(&point.base_separation, at);
        let velocity = dot(pair.point_velocity(anchor_a, anchor_b), normal);
        let impulse = soft.normal_impulse::<BIAS>(point, at, separation, velocity);
        total = total + V::load(&point.normal_impulse, at);
        pair.push(scaled(normal, impulse), anchor_a, anchor_b);
    }

    if !BIAS {
        let friction = V::load(&block.friction, at);
        // A block without speeds adds zero, so that no bit depends on the other contacts of the block.
        let tangent_speed = if block.features & feature::SPEED != 0 {
            V::load(&block.tangent_speed, at)
        } else {
            V::splat(0.0)
        };
        let tangent = tangent_of(normal);
        for point in &mut block.points {
            let anchor_a = load2(&point.anchor_a, at);
            let anchor_b = load2(&point.anchor_b, at);
            let velocity = dot(pair.point_velocity(anchor_a, anchor_b), tangent) + tangent_speed;
            let old = V::load(&point.tangent_impulse, at);
            let limit = friction * V::load(&point.normal_impulse, at);
            let new = clamp(old - V::load(&point.tangent_mass, at) * velocity, limit);
            new.store(&mut point.tangent_impulse, at);
            pair.push(scaled(tangent, new - old), anchor_a, anchor_b);
        }
        if block.features & feature::ROLLING != 0 {
            let old = V::load(&block.rolling_impulse, at);
            let limit = V::load(&block.rolling_resistance, at) * total;
            let inertia = pair.masses.inertia_a + pair.masses.inertia_b;
            let zero = V::splat(0.0);
            let mass = V::select(zero.less(inertia), V::splat(1.0) / inertia, zero);
            let new = clamp(old - mass * pair.spin(), limit);
            new.store(&mut block.rolling_impulse, at);
            pair.turn(new - old);
        }
    }
    // SAFETY: the caller's contract.
    unsafe { write(&pair, body_states, block, at) };
}

/// Applies restitution to contacts that approached faster than the threshold and had an impulse.
///
/// # Safety
///
/// The contract of [`warm_start`].
#[inline(always)]
pub(crate) unsafe fn restitution<V: Lanes>(
    block: &mut ContactBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    substep: &Substep,
) {
    let normal = load2::<V>(&block.normal, at);
    let bounce = V::load(&block.restitution, at);
    let zero = V::splat(0.0);
    let threshold = V::splat(-substep.restitution_threshold);
    // SAFETY: the caller's contract.
    let mut pair = unsafe { read::<V>(body_states, block, at) };
    for point in &mut block.points {
        let anchor_a = load2(&point.anchor_a, at);
        let anchor_b = load2(&point.anchor_b, at);
        let approach = V::load(&point.normal_velocity, at);
        let hit = V::load(&point.total_normal_impulse, at);
        let velocity = dot(pair.point_velocity(anchor_a, anchor_b), normal);
        let old = V::load(&point.normal_impulse, at);
        let wanted = (old - V::load(&point.normal_mass, at) * (velocity + bounce * approach)).max(zero);
        let bounces = V::select(
            approach.less(threshold),
            V::select(zero.less(hit), wanted, old),
            old,
        );
        let new = V::select(zero.less(bounce), bounces, old);
        new.store(&mut point.normal_impulse, at);
        (hit + (new - old)).store(&mut point.total_normal_impulse, at);
        pair.push(scaled(normal, new - old), anchor_a, anchor_b);
    }
    // SAFETY: the caller's contract.
    unsafe { write(&pair, body_states, block, at) };
}

/// The softness of each lane.
#[derive(Clone, Copy)]
struct SoftnessLanes<V> {
    /// The speed of the push per meter of overlap.
    push_rate: V,
    /// The negated share of the velocity that an overlap takes.
    damping: V,
    impulse_scale: V,
    inverse_h: V,
    push_speed_max: V,
}

impl<V: Lanes> SoftnessLanes<V> {
    #[inline(always)]
    fn load(block: &ContactBlock, at: usize, substep: &Substep) -> Self {
        let (soft, stiff) = (&substep.softness.movable, &substep.softness.fixed);
        let mut all = Self {
            push_rate: V::splat(soft.mass_scale * soft.bias_rate),
            damping: V::splat(-soft.mass_scale),
            impulse_scale: V::splat(soft.impulse_scale),
            inverse_h: V::splat(substep.inverse_h),
            push_speed_max: V::splat(substep.push_speed_max),
        };
        if block.features & feature::FIXED != 0 {
            let movable = V::splat(0.0).less(V::load(&block.both_movable, at));
            let push_rate = V::splat(stiff.mass_scale * stiff.bias_rate);
            all.push_rate = V::select(movable, all.push_rate, push_rate);
            all.damping = V::select(movable, all.damping, V::splat(-stiff.mass_scale));
            all.impulse_scale = V::select(movable, all.impulse_scale, V::splat(stiff.impulse_scale));
        }
        all
    }

    /// Computes the change of the normal impulse of one point and adds it to the accumulated one, which stays at zero
    /// or above.
    #[inline(always)]
    fn normal_impulse<const BIAS: bool>(
        &self,
        point: &mut PointLanes,
        at: usize,
        separation: V,
        velocity: V,
    ) -> V {
        let zero = V::splat(0.0);
        let old = V::load(&point.normal_impulse, at);
        let mass = V::load(&point.normal_mass, at);
        // Separated: let the bodies just meet within this substep. Overlapping: push apart softly, or only stop.
        let apart = zero.less(separation);
        let meet = separation * self.inverse_h;
        let change = if BIAS {
            let bias = V::select(apart, meet, separation * self.push_rate);
            let damped = V::select(apart, V::splat(-1.0), self.damping) * velocity;
            let impulse_scale = V::select(apart, zero, self.impulse_scale);
            // The limit is on the speed that results, so on what is left of the push when the old impulse has yielded:
            // if it were on the push alone, a great load would yield by more than that in each substep, and no depth
            // would bear it. Separated bodies are pushed together, which is less.
            let limit = mass * (self.push_speed_max + damped);
            (mass * (damped - bias) - impulse_scale * old).min(limit)
        } else {
            zero - mass * (velocity + V::select(apart, meet, zero))
        };
        let new = (old + change).max(zero);
        new.store(&mut point.normal_impulse, at);
        if !BIAS {
            // The relaxing pass is the last of a substep.
            (V::load(&point.total_normal_impulse, at) + new).store(&mut point.total_normal_impulse, at);
        }
        new - old
    }
}
