//! Integration: moves bodies over one substep, in lanes: semi-implicit Euler, damping by a Padé approximation, which
//! cannot overshoot.
//!
//! Substeps after the first are warm started here too. A substep begins with the impulses that the last one ended with;
//! their effect on a body is the difference between its velocity at the end of the last substep and the free velocity
//! that the substep began with. So no pass over the constraints is needed. For contacts, whose anchors do not turn
//! within a step, this is the same except for rounding; revolute joints, whose arms turn, correct it when they are
//! solved. The first substep warm starts by constraints, since they may differ from those of the last step.
#![allow(unsafe_code)]

use super::body_block::BodyBlock;
use super::lanes::{BodyStateLanes, IndexedRecords, Lanes};
use super::vectors::{dot, load2};
use crate::body::BodySim;
use crate::constants::{
    KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD, PUSH_MAX, ROTATION_PER_STEP_MAX_RAD, ROTATION_PER_SUBSTEP_MAX_RAD,
};
use glam::Vec2;

/// The parameters that all bodies share.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepMotion {
    /// The length of a substep, in seconds.
    pub(crate) h: f32,
    /// Gravity, in meters per second squared.
    pub(crate) gravity: Vec2,
    /// The greatest speed, in meters per second.
    pub(crate) speed_max: f32,
    /// The greatest angular speed, in radians per second.
    pub(crate) spin_max: f32,
    /// The greatest angular speed of bodies that may turn fast, in radians per second.
    pub(crate) fast_spin_max: f32,
}

impl StepMotion {
    pub(crate) fn new(h: f32, dt: f32, gravity: Vec2, speed_max: f32) -> Self {
        Self {
            h,
            gravity,
            speed_max,
            spin_max: ROTATION_PER_STEP_MAX_RAD / dt,
            fast_spin_max: ROTATION_PER_SUBSTEP_MAX_RAD / h,
        }
    }
}

/// Fills the lanes `at..at + V::WIDTH` of a block whose bodies are set.
///
/// # Safety
///
/// Each body of the block has a record.
#[inline(always)]
pub(crate) unsafe fn prepare<V: Lanes>(
    block: &mut BodyBlock,
    at: usize,
    sims: &[BodySim],
    motion: &StepMotion,
) {
    // SAFETY: the caller's contract. A record has more than eight words and is borrowed.
    let [
        inverse_mass,
        inverse_inertia,
        mut force_x,
        mut force_y,
        mut torque,
        linear_damping,
        angular_damping,
        gravity_scale,
    ] = unsafe { V::gather8(&IndexedRecords::new(sims, &block.bodies, at)) };
    if block.some_controlled {
        let [lasting_x, lasting_y, lasting_torque] = &block.controls.lasting;
        force_x = force_x + V::load(lasting_x, at);
        force_y = force_y + V::load(lasting_y, at);
        torque = torque + V::load(lasting_torque, at);
    }
    let h = V::splat(motion.h);
    let one = V::splat(1.0);
    for (axis, force) in [force_x, force_y].into_iter().enumerate() {
        let gravity = V::splat(motion.gravity[axis]);
        let acceleration = inverse_mass * force + gravity_scale * gravity;
        bounded(h * acceleration).store(&mut block.force_delta_v[axis], at);
    }
    bounded(h * (inverse_inertia * torque)).store(&mut block.torque_delta_w, at);
    for (axis, damping) in [linear_damping, angular_damping].into_iter().enumerate() {
        (one / (one + h * damping)).store(&mut block.damping[axis], at);
    }
}

/// Clamps the effect of a great force on a light body to numbers that can be squared. Velocities are clamped further
/// afterwards.
#[inline(always)]
fn bounded<V: Lanes>(push: V) -> V {
    V::splat(-PUSH_MAX).max(push.min(V::splat(PUSH_MAX)))
}

/// Changes the velocities by forces, gravity and damping; with `WARM` the impulses of the last substep are applied
/// again.
///
/// # Safety
///
/// No other worker touches the states of the block's bodies meanwhile.
#[inline(always)]
pub(crate) unsafe fn start<V: Lanes, const WARM: bool>(
    block: &mut BodyBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    motion: &StepMotion,
) {
    // SAFETY: the caller's contract.
    let [x, y, angular, sin] = unsafe { body_states.gather4::<V>(&block.bodies, at) };
    let push = load2::<V>(&block.force_delta_v, at);
    let [damping, angular_damping] = load2::<V>(&block.damping, at);
    let mut speed_max = V::splat(motion.speed_max);
    let mut spin_max = V::splat(motion.spin_max);
    if block.some_turn_fast {
        spin_max = V::select(
            turns_fast::<V>(block, at),
            V::splat(motion.fast_spin_max),
            spin_max,
        );
    }

    let mut pushed = [(x + push[0]) * damping, (y + push[1]) * damping];
    if block.some_controlled {
        pushed = on_free_axes(block, at, pushed);
        speed_max = speed_max.min(V::load(&block.controls.speed_max, at));
        spin_max = spin_max.min(V::load(&block.controls.spin_max, at));
    }
    let spun = (angular + V::load(&block.torque_delta_w, at)) * angular_damping;
    let mut velocity = clamp_velocity([pushed[0], pushed[1], spun], speed_max, spin_max);
    for ((velocity, free), old) in velocity.iter_mut().zip(&mut block.free).zip([x, y, angular]) {
        let impulses = WARM.then(|| old - V::load(free, at));
        velocity.store(free, at);
        if let Some(impulses) = impulses {
            *velocity = *velocity + impulses;
        }
    }
    let [x, y, angular] = velocity;
    // SAFETY: the caller's contract.
    unsafe { body_states.scatter4((&block.bodies, block.not_driven), at, [x, y, angular, sin]) };
}

/// Moves the bodies by their velocities.
///
/// # Safety
///
/// The contract of [`start`].
#[inline(always)]
pub(crate) unsafe fn advance<V: Lanes>(
    block: &BodyBlock,
    at: usize,
    body_states: BodyStateLanes<'_>,
    motion: &StepMotion,
) {
    // SAFETY: the caller's contract.
    let state = unsafe { body_states.gather8::<V>(&block.bodies, at) };
    let [mut x, mut y, mut angular, sin, moved_x, moved_y, cos, colors] = state;
    if block.some_controlled {
        [x, y, angular] = clamp_to_body_limits(block, at, [x, y, angular]);
    }
    let h = V::splat(motion.h);
    let turn = h * angular;
    let (turned_cos, turned_sin) = (cos - turn * sin, sin + turn * cos);
    let length = (turned_cos * turned_cos + turned_sin * turned_sin).sqrt();
    let inverse = V::splat(1.0) / length;
    let is_turn = V::splat(0.0).less(length);
    let mut new_sin = V::select(is_turn, turned_sin * inverse, V::splat(0.0));
    let mut new_cos = V::select(is_turn, turned_cos * inverse, V::splat(1.0));
    if block.some_turn_fast {
        let is_fast = turns_fast::<V>(block, at);
        let [far_cos, far_sin] = rotate_far([cos, sin], turn);
        new_sin = V::select(is_fast, far_sin, new_sin);
        new_cos = V::select(is_fast, far_cos, new_cos);
    }
    let (sin, cos) = (new_sin, new_cos);
    let moved = [moved_x + h * x, moved_y + h * y];
    let state = [x, y, angular, sin, moved[0], moved[1], cos, colors];
    // SAFETY: the caller's contract.
    unsafe { body_states.scatter8((&block.bodies, block.unused), at, state) };
}

/// Velocities without their components along fixed axes.
#[inline(always)]
fn on_free_axes<V: Lanes>(block: &BodyBlock, at: usize, [x, y]: [V; 2]) -> [V; 2] {
    let zero = V::splat(0.0);
    let [free_x, free_y] = load2::<V>(&block.controls.free_axes, at);
    [
        V::select(zero.less(free_x), x, zero),
        V::select(zero.less(free_y), y, zero),
    ]
}

/// Velocities after the constraints, clamped to the bodies' own limits.
#[inline(always)]
fn clamp_to_body_limits<V: Lanes>(block: &BodyBlock, at: usize, [x, y, angular]: [V; 3]) -> [V; 3] {
    let [x, y] = on_free_axes(block, at, [x, y]);
    let speed_max = V::load(&block.controls.speed_max, at);
    let spin_max = V::load(&block.controls.spin_max, at);
    clamp_velocity([x, y, angular], speed_max, spin_max)
}

/// Velocities clamped to a length of at most `speed_max`, in their direction, and to an angular velocity of at most
/// `spin_max`.
#[inline(always)]
fn clamp_velocity<V: Lanes>([x, y, angular]: [V; 3], speed_max: V, spin_max: V) -> [V; 3] {
    let speed_squared = dot([x, y], [x, y]);
    let is_fast = (speed_max * speed_max).less(speed_squared);
    let slower = speed_max / speed_squared.sqrt();
    let least = V::splat(0.0) - spin_max;
    [
        V::select(is_fast, x * slower, x),
        V::select(is_fast, y * slower, y),
        V::select(
            spin_max.less(angular),
            spin_max,
            V::select(angular.less(least), least, angular),
        ),
    ]
}

/// The lanes of bodies that may turn fast.
#[inline(always)]
fn turns_fast<V: Lanes>(block: &BodyBlock, at: usize) -> V::Mask {
    V::splat(0.0).less(V::load(&block.fast_rotation, at))
}

/// Rotates a cosine and sine by an angle of up to three eighths of a turn, to 1e-5 rad: the tangent of its half by a
/// continued fraction, from which both follow by divisions, so that their length stays one.
#[inline(always)]
fn rotate_far<V: Lanes>([cos, sin]: [V; 2], turn: V) -> [V; 2] {
    let one = V::splat(1.0);
    let half = V::splat(0.5)
        * V::splat(-KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD)
            .max(turn.min(V::splat(KINEMATIC_ROTATION_PER_SUBSTEP_MAX_RAD)));
    let square = half * half;
    let tangent = half * (V::splat(105.0) - V::splat(10.0) * square)
        / (V::splat(105.0) - V::splat(45.0) * square + square * square);
    let tangent_squared = tangent * tangent;
    let inverse = one / (one + tangent_squared);
    let turn_cos = (one - tangent_squared) * inverse;
    let turn_sin = (tangent + tangent) * inverse;
    [cos * turn_cos - sin * turn_sin, sin * turn_cos + cos * turn_sin]
}

#[cfg(test)]
mod tests {
    use super::super::kernels::{BodyPass, prepare_bodies, run_bodies};
    use super::super::lanes::LaneWidth;
    use super::*;
    use crate::body::{BodyKind, BodyState, flag};
    use crate::control::BodyControl;
    use tombolo_geometry::Rot;
    use tombolo_threads::ClaimedSlice;

    const COUNT: usize = 20;

    fn sim(i: usize) -> BodySim {
        let x = i as f32;
        BodySim {
            inverse_mass: 0.5 + x,
            inverse_inertia: 0.25 * x,
            force: Vec2::new(x, -3.0 * x),
            torque: 2.0 - x,
            linear_damping: if i.is_multiple_of(3) { 0.7 } else { 0.0 },
            angular_damping: if i.is_multiple_of(4) { 1.5 } else { 0.0 },
            gravity_scale: 1.0 - 0.1 * x,
            flags: if i % 4 == 1 { flag::CONTROLLED } else { 0 },
            kind: if i.is_multiple_of(5) {
                BodyKind::Kinematic
            } else {
                BodyKind::Dynamic
            } as u32,
            ..BodySim::default()
        }
    }

    fn control(i: usize) -> BodyControl {
        BodyControl {
            lasting_force: Vec2::new(3.0, -(i as f32)),
            lasting_torque: 0.5,
            speed_max: 4.0,
            spin_max: 2.0,
            fixed_axes: [u32::from(i % 8 == 1), 0],
            ..BodyControl::default()
        }
    }

    fn state(i: usize) -> BodyState {
        BodyState {
            linear_velocity: Vec2::new(i as f32 - 8.0, 0.3),
            angular_velocity: 40.0 * (i as f32 - 9.0),
            colors: 7 * i as u32,
            ..BodyState::default()
        }
    }

    /// The velocity of one body after forces, gravity, damping and the limits.
    fn driven(
        motion: &StepMotion,
        sim: &BodySim,
        control: &BodyControl,
        linear: Vec2,
        angular: f32,
    ) -> (Vec2, f32) {
        let force = sim.force + control.lasting_force;
        let acceleration = sim.inverse_mass * force + sim.gravity_scale * motion.gravity;
        let linear = (linear + motion.h * acceleration) * (1.0 / (1.0 + motion.h * sim.linear_damping));
        let spin = motion.h * (sim.inverse_inertia * (sim.torque + control.lasting_torque));
        let angular = (angular + spin) * (1.0 / (1.0 + motion.h * sim.angular_damping));
        let limits = [
            control.speed_max.min(motion.speed_max),
            control.spin_max.min(motion.spin_max),
        ];
        limited(control, limits, linear, angular)
    }

    fn limited(
        control: &BodyControl,
        [speed_max, spin_max]: [f32; 2],
        linear: Vec2,
        angular: f32,
    ) -> (Vec2, f32) {
        let linear = control.on_free_axes(linear);
        let speed = linear.length();
        let linear = if speed > speed_max {
            linear * (speed_max / speed)
        } else {
            linear
        };
        (linear, angular.clamp(-spin_max, spin_max))
    }

    #[test]
    fn bodies_move_in_lanes_as_they_do_one_by_one() {
        let motion = StepMotion::new(1.0 / 240.0, 1.0 / 60.0, Vec2::new(0.5, -10.0), 9.0);
        let sims: Vec<BodySim> = (0..COUNT).map(sim).collect();
        let controls: Vec<BodyControl> = (0..COUNT).map(control).collect();
        let bodies: Vec<u32> = (0..COUNT as u32).rev().collect();
        let impulse = |i: usize| Vec2::new(0.01 * i as f32, 0.5);
        for width in LaneWidth::ALL.into_iter().filter(|width| width.is_available()) {
            let mut states: Vec<BodyState> = (0..COUNT).map(state).collect();
            let mut blocks = [BodyBlock::EMPTY; 2];
            // SAFETY: the machine has the lanes, the indices are those of the states, and there is one thread.
            unsafe { prepare_bodies(width, &mut blocks, &bodies, &sims, &controls, &motion) };
            let mut pass = |states: &mut [BodyState], pass| {
                let claimed = ClaimedSlice::new(states);
                // SAFETY: as above.
                unsafe { run_bodies(width, pass, &mut blocks, BodyStateLanes::new(&claimed), &motion) };
            };
            pass(&mut states, BodyPass::Start);
            // Stands for the effect of the constraints of a substep on the dynamic bodies.
            for (i, state) in states
                .iter_mut()
                .enumerate()
                .filter(|(i, _)| sims[*i].is_dynamic())
            {
                state.linear_velocity += impulse(i);
            }
            pass(&mut states, BodyPass::Advance);
            pass(&mut states, BodyPass::StartWarm);

            for (i, (sim, got)) in sims.iter().zip(&states).enumerate() {
                let mut wanted = state(i);
                let has_control = sim.has(flag::CONTROLLED);
                let control = if has_control {
                    control(i)
                } else {
                    BodyControl::default()
                };
                let (mut free, mut angular) = (wanted.linear_velocity, wanted.angular_velocity);
                if sim.is_dynamic() {
                    (free, angular) = driven(&motion, sim, &control, free, angular);
                    let limits = [control.speed_max, control.spin_max];
                    (wanted.linear_velocity, wanted.angular_velocity) =
                        limited(&control, limits, free + impulse(i), angular);
                }
                wanted.delta_position = motion.h * wanted.linear_velocity;
                let turn = Rot::IDENTITY.integrate(motion.h * wanted.angular_velocity);
                (wanted.delta_cos, wanted.delta_sin) = (turn.cos, turn.sin);
                if sim.is_dynamic() {
                    let impulses = wanted.linear_velocity - free;
                    (free, angular) = driven(&motion, sim, &control, wanted.linear_velocity, angular);
                    wanted.linear_velocity = free + impulses;
                    wanted.angular_velocity = angular;
                }
                assert_eq!(
                    bytemuck::bytes_of(got),
                    bytemuck::bytes_of(&wanted),
                    "body {i} by {width:?}: {got:?}, wanted {wanted:?}"
                );
            }
        }
    }
}
