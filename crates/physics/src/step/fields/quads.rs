//! Fluids in lanes: bodies of one polygon with four corners in one fluid, cut by one line of its border at most,
//! sixteen to a block. Most floating bodies are such boxes; all others are computed by `medium.rs` and `region.rs`, one
//! by one.
//!
//! The computation is that of these two files, in the same order. A cut reserves a place for each corner and each edge;
//! a place without a point repeats the one before it, which adds nothing to any sum.
#![allow(unsafe_code)]

use super::region::HalfPlane;
use crate::body::BodySim;
use crate::solver::kernels::{Kernel, dispatch};
use crate::solver::lanes::{
    BLOCK, IndexedRecords, LaneWidth, Lanes, RecordSink, RecordSource, SimdIndexRow, SimdRow,
};
use crate::solver::vectors::{cross, dot, load2, rotate, scaled};
use crate::state::State;
use core::f32::consts::FRAC_1_PI;
use glam::Vec2;
use tombolo_threads::ClaimedSlice;

/// The number of corners of each shape.
pub(super) const CORNERS: usize = 4;

/// The offset of the force in a sim, in words.
const FORCE_WORD: usize = 2;

/// Up to sixteen bodies in one fluid.
pub(super) struct QuadBlock {
    bodies: SimdIndexRow,
    shapes: SimdIndexRow,
    /// The line that cuts each of them: its normal and its distance from the origin along that.
    normal: [SimdRow; 2],
    offset: SimdRow,
    count: usize,
    /// The index of the fluid.
    fluid: usize,
}

impl QuadBlock {
    pub(super) const EMPTY: Self = Self {
        bodies: SimdIndexRow([0; BLOCK]),
        shapes: SimdIndexRow([0; BLOCK]),
        normal: [SimdRow::ZERO; 2],
        offset: SimdRow::ZERO,
        count: 0,
        fluid: 0,
    };

    /// The index of the fluid of its bodies, if there are any.
    pub(super) fn fluid(&self) -> Option<usize> {
        (self.count > 0).then_some(self.fluid)
    }

    /// Whether there is room for one more body of a fluid.
    pub(super) fn has_room_for(&self, fluid: usize) -> bool {
        self.count == 0 || self.count < BLOCK && self.fluid == fluid
    }

    /// Adds a body, for which there is room.
    pub(super) fn push(&mut self, fluid: usize, body: u32, shape: u32, cut: HalfPlane) {
        if self.count == 0 {
            self.bodies.0.fill(body);
            self.shapes.0.fill(shape);
            self.fluid = fluid;
        }
        let lane = self.count;
        self.bodies.0[lane] = body;
        self.shapes.0[lane] = shape;
        self.normal[0].0[lane] = cut.normal.x;
        self.normal[1].0[lane] = cut.normal.y;
        self.offset.0[lane] = cut.offset;
        self.count += 1;
    }

    /// Removes all bodies.
    pub(super) fn clear(&mut self) {
        self.count = 0;
    }
}

/// A fluid, and the other parameters that all bodies of a block share.
#[derive(Clone, Copy)]
pub(super) struct Fluid {
    pub(super) density: f32,
    pub(super) drag: f32,
    pub(super) viscosity: f32,
    /// Its velocity in the world.
    pub(super) stream: Vec2,
    pub(super) gravity: Vec2,
    /// The length of the step, in seconds.
    pub(super) dt: f32,
    /// The time after its start for which the forces are computed, in seconds.
    pub(super) lead: f32,
}

/// Adds the forces of the fluid to those on the bodies of a block.
///
/// # Safety
///
/// The machine has the lanes, bodies and shapes exist, and no other worker touches the sims of the bodies meanwhile.
pub(super) unsafe fn push(
    lanes: LaneWidth,
    block: &QuadBlock,
    state: &State,
    sims: &ClaimedSlice<'_, BodySim>,
    fluid: Fluid,
) {
    let kernel = PushQuads {
        block,
        state,
        sims,
        fluid,
    };
    // SAFETY: the caller's contract.
    unsafe { dispatch(lanes.least_for(block.count), kernel) };
}

struct PushQuads<'a> {
    block: &'a QuadBlock,
    state: &'a State,
    sims: &'a ClaimedSlice<'a, BodySim>,
    fluid: Fluid,
}

/// The sims of the bodies `block.bodies[at..]`, from their word `first` on.
struct Sims<'a> {
    of: &'a PushQuads<'a>,
    at: usize,
    first: usize,
}

impl RecordSource for Sims<'_> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        let body = self.of.block.bodies.0[self.at + lane];
        // SAFETY: the contract of `push`, which alone makes values of this type.
        let sim: *const BodySim = unsafe { self.of.sims.get(body as usize) };
        sim.cast::<f32>().wrapping_add(self.first)
    }
}

impl RecordSink for Sims<'_> {
    const IS_PARTIAL: bool = true;

    #[inline(always)]
    fn record_of_lane_mut(&self, lane: usize) -> *mut f32 {
        let body = self.of.block.bodies.0[self.at + lane];
        // A lane that is not used repeats the first one.
        if self.at + lane >= self.of.block.count {
            return core::ptr::null_mut();
        }
        // SAFETY: as above.
        let sim: *mut BodySim = unsafe { self.of.sims.get_mut(body as usize) };
        sim.cast::<f32>().wrapping_add(self.first)
    }
}

impl Kernel for PushQuads<'_> {
    #[inline(always)]
    unsafe fn run<V: Lanes>(self) {
        for at in (0..self.block.count).step_by(V::WIDTH) {
            // SAFETY: the contract of `push`.
            unsafe { self.push_lanes::<V>(at) };
        }
    }
}

/// The predicted poses for which the forces are computed, and the velocities.
struct RowMotion<V> {
    center: [V; 2],
    position: [V; 2],
    cos: V,
    sin: V,
    velocity: [V; 2],
    spin: V,
}

impl<V: Lanes> RowMotion<V> {
    /// A vector of the world rotated into the bodies' frames.
    #[inline(always)]
    fn unrotate(&self, [x, y]: [V; 2]) -> [V; 2] {
        [self.cos * x + self.sin * y, self.cos * y - self.sin * x]
    }
}

#[inline(always)]
fn plus<V: Lanes>(a: [V; 2], b: [V; 2]) -> [V; 2] {
    [a[0] + b[0], a[1] + b[1]]
}

#[inline(always)]
fn minus<V: Lanes>(a: [V; 2], b: [V; 2]) -> [V; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline(always)]
fn splat2<V: Lanes>(v: Vec2) -> [V; 2] {
    [V::splat(v.x), V::splat(v.y)]
}

/// `yes` where `flag` is 1, `no` where it is 0.
#[inline(always)]
fn either<V: Lanes>(flag: V, yes: [V; 2], no: [V; 2]) -> [V; 2] {
    let zero = V::splat(0.0);
    [
        V::select(zero.less(flag), yes[0], no[0]),
        V::select(zero.less(flag), yes[1], no[1]),
    ]
}

impl PushQuads<'_> {
    /// # Safety
    ///
    /// The contract of [`push`].
    #[inline(always)]
    unsafe fn push_lanes<V: Lanes>(&self, at: usize) {
        let Fluid { dt, gravity, .. } = self.fluid;
        let motion = self.motion::<V>(at);
        let sums = self.sums(at, &motion);
        let (of, first) = (self, 0);
        // SAFETY: a sim has more than eight words; the rest is the caller's contract.
        let [
            inverse_mass,
            inverse_inertia,
            force_x,
            force_y,
            torque,
            linear_damping,
            _,
            scale,
        ] = unsafe { V::gather8(&Sims { of, at, first }) };
        let (zero, one, dt) = (V::splat(0.0), V::splat(1.0), V::splat(dt));
        let force = [force_x, force_y];
        let acceleration = plus(scaled(splat2(gravity), scale), scaled(force, inverse_mass));
        let free = plus(
            motion.velocity,
            scaled(plus(acceleration, scaled(sums.lift, inverse_mass)), dt),
        );
        let compliance = one / sums.drag + dt * inverse_mass;
        let slowed = [
            (sums.drag_force[0] / sums.drag - free[0]) / compliance,
            (sums.drag_force[1] / sums.drag - free[1]) / compliance,
        ];
        let is_slowed = V::select(zero.less(sums.drag), one, zero);
        let pushed = either(is_slowed, plus(sums.lift, slowed), sums.lift);
        let free_spin = motion.spin + dt * inverse_inertia * (torque + sums.torque);
        let rest = sums.drag_torque / sums.spin_drag - free_spin;
        let turned = sums.torque + rest / (one / sums.spin_drag + dt * inverse_inertia);
        let turned = V::select(zero.less(sums.spin_drag), turned, sums.torque);
        let words = [
            force_x + (zero + pushed[0]),
            force_y + (zero + pushed[1]),
            torque + (zero + turned),
            linear_damping,
        ];
        let first = FORCE_WORD;
        // SAFETY: a sim has more than four words from there; the rest is the caller's contract.
        unsafe { V::scatter4(&Sims { of, at, first }, words) };
    }

    #[inline(always)]
    fn motion<V: Lanes>(&self, at: usize) -> RowMotion<V> {
        let indices = &self.block.bodies;
        // SAFETY: the contract of `push`: bodies have a pose and a state. A pose has eight words and a state more than four;
        // both are borrowed.
        let (pose, state) = unsafe {
            (
                V::gather8(&IndexedRecords::new(&self.state.body_poses, indices, at)),
                V::gather4(&IndexedRecords::new(&self.state.body_states, indices, at)),
            )
        };
        let [_, _, cos, sin, center_x, center_y, local_x, local_y] = pose;
        let [x, y, spin, _] = state;
        let (zero, one, lead) = (V::splat(0.0), V::splat(1.0), V::splat(self.fluid.lead));
        let velocity = [x, y];
        let center = plus([center_x, center_y], scaled(velocity, lead));
        let turn = lead * spin;
        let turned = [cos - turn * sin, sin + turn * cos];
        let length = dot(turned, turned).sqrt();
        let inverse = one / length;
        let cos = V::select(zero.less(length), turned[0] * inverse, one);
        let sin = V::select(zero.less(length), turned[1] * inverse, zero);
        RowMotion {
            center,
            position: minus(center, rotate(sin, cos, [local_x, local_y])),
            cos,
            sin,
            velocity,
            spin,
        }
    }

    #[inline(always)]
    fn sums<V: Lanes>(&self, at: usize, motion: &RowMotion<V>) -> Sums<V> {
        let fluid = self.fluid;
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let stream = splat2(fluid.stream);
        let relative = minus(motion.velocity, stream);
        let speed = dot(relative, relative).sqrt();
        let direction = [
            V::select(zero.less(speed), relative[0] / speed, one),
            V::select(zero.less(speed), relative[1] / speed, zero),
        ];
        let along = motion.unrotate(direction);
        let across = [V::splat(-1.0) * along[1], along[0]];
        let region = self.region(at, motion, across);

        let centroid = rotate(motion.sin, motion.cos, region.centroid);
        let arm = minus(plus(centroid, motion.position), motion.center);
        let lift = scaled(splat2(fluid.gravity), V::splat(-fluid.density) * region.area);
        let (density, viscosity) = (V::splat(fluid.density), V::splat(fluid.viscosity));
        let resistance =
            density * (V::splat(0.5 * fluid.drag) * region.width * speed + viscosity * region.area);
        let spin = motion.spin;
        let carried = [(zero - spin) * arm[1], spin * arm[0]];
        let spin_size = spin.max(zero - spin);
        let resisting = V::splat(0.25 * fluid.drag) * spin_size * region.swept + viscosity * region.second;
        let spin_drag = resistance * dot(arm, arm) + density * resisting;
        let is_in = V::select(zero.less(region.area), one, zero);
        let drag_force = scaled(minus(stream, carried), resistance);
        let drag_torque = cross(arm, scaled(minus(stream, motion.velocity), resistance));
        let [torque, drag] = either(is_in, [cross(arm, lift), resistance], [zero; 2]);
        let [drag_torque, spin_drag] = either(is_in, [drag_torque, spin_drag], [zero; 2]);
        Sums {
            lift: either(is_in, lift, [zero; 2]),
            torque,
            drag,
            drag_force: either(is_in, drag_force, [zero; 2]),
            drag_torque,
            spin_drag,
        }
    }

    /// The part of each shape behind its cut.
    #[inline(always)]
    fn region<V: Lanes>(&self, at: usize, motion: &RowMotion<V>, across: [V; 2]) -> RegionLanes<V> {
        let (geometries, shapes) = (&*self.state.shape_geometries, &self.block.shapes);
        // SAFETY: the contract of `push`: shapes have a geometry. It begins with their vertices, of which it has room for
        // eight, and is borrowed.
        let [ax, ay, bx, by, cx, cy, dx, dy] =
            unsafe { V::gather8(&IndexedRecords::new(geometries, shapes, at)) };
        let corners = [[ax, ay], [bx, by], [cx, cy], [dx, dy]];
        let of_world = load2::<V>(&self.block.normal, at);
        let normal = motion.unrotate(of_world);
        let offset = V::load(&self.block.offset, at) - dot(of_world, motion.position);
        let (zero, one) = (V::splat(0.0), V::splat(1.0));
        let mut sums = Moments::new(across);
        let mut from = corners[CORNERS - 1];
        let mut before = dot(normal, from) - offset;
        let mut was_inside = V::select(zero.less(before), zero, one);
        for (place, to) in corners.into_iter().enumerate() {
            let now = dot(normal, to) - offset;
            let is_inside = V::select(zero.less(now), zero, one);
            let differ = was_inside - is_inside;
            let share = before / (before - now);
            let crossing = plus(from, scaled(minus(to, from), share));
            sums.add(2 * place, crossing, differ * differ);
            sums.add(2 * place + 1, to, is_inside);
            (from, before, was_inside) = (to, now, is_inside);
        }
        sums.region()
    }
}

/// The sums of forces and drag on the bodies: see `Medium`.
struct Sums<V> {
    lift: [V; 2],
    torque: V,
    drag: V,
    drag_force: [V; 2],
    drag_torque: V,
    spin_drag: V,
}

/// A part of each shape: see `Region`. If the area is zero the other fields are not valid.
struct RegionLanes<V> {
    area: V,
    centroid: [V; 2],
    second: V,
    width: V,
    swept: V,
}

/// The corners of the remaining part of each shape, and sums over them.
struct Moments<V> {
    across: [V; 2],
    /// 1 from the first point on.
    started: V,
    origin: [V; 2],
    /// The vector from the origin to each point; to the previous one if there is none.
    arms: [[V; 2]; 2 * CORNERS],
    before: [V; 2],
    twice_area: V,
    first: [V; 2],
    second: V,
    least: V,
    most: V,
}

impl<V: Lanes> Moments<V> {
    #[inline(always)]
    fn new(across: [V; 2]) -> Self {
        let zero = V::splat(0.0);
        Self {
            across,
            started: zero,
            origin: [zero; 2],
            arms: [[zero; 2]; 2 * CORNERS],
            before: [zero; 2],
            twice_area: zero,
            first: [zero; 2],
            second: zero,
            least: V::splat(f32::MAX),
            most: V::splat(f32::MIN),
        }
    }

    /// Adds a point at an index, where `flag` is 1.
    #[inline(always)]
    fn add(&mut self, place: usize, point: [V; 2], flag: V) {
        let zero = V::splat(0.0);
        self.origin = either(self.started, self.origin, point);
        self.started = self.started.max(flag);
        let arm = either(flag, minus(point, self.origin), self.before);
        let part = cross(self.before, arm);
        self.twice_area = self.twice_area + part;
        self.first = plus(self.first, scaled(plus(self.before, arm), part));
        let squares = dot(self.before, self.before) + dot(self.before, arm) + dot(arm, arm);
        self.second = self.second + part * squares;
        let along = dot(self.across, point);
        let is_there = zero.less(flag);
        self.least = V::select(is_there, self.least.min(along), self.least);
        self.most = V::select(is_there, self.most.max(along), self.most);
        self.arms[place] = arm;
        self.before = arm;
    }

    #[inline(always)]
    fn region(&self) -> RegionLanes<V> {
        let zero = V::splat(0.0);
        let area = V::select(zero.less(self.twice_area), V::splat(0.5) * self.twice_area, zero);
        let three_areas = V::splat(3.0) * self.twice_area;
        let middle = [self.first[0] / three_areas, self.first[1] / three_areas];
        let mut farthest = zero;
        for arm in self.arms {
            let away = minus(arm, middle);
            farthest = farthest.max(dot(away, away));
        }
        let of_disc = area * V::splat(FRAC_1_PI);
        let second = self.second / V::splat(12.0) - area * dot(middle, middle);
        RegionLanes {
            area,
            centroid: plus(self.origin, middle),
            second: second.max(zero),
            width: self.most - self.least,
            swept: (farthest * farthest - of_disc * of_disc).max(zero),
        }
    }
}
