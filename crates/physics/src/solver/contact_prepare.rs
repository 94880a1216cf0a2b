//! Fills a block of contacts, in lanes: cached manifolds, poses, masses and velocities are gathered record by record.
#![allow(unsafe_code)]

use super::contact_block::{BodyArrays, ContactBlock, feature};
use super::lanes::{BodyStateLanes, IndexedRecords, Lanes, RecordSource, SimdIndexRow};
use super::vectors::{cross, dot, load2};
use crate::contact::CachedManifold;
use crate::contact::graph::ConstraintEntry;
use tombolo_threads::ClaimedSlice;

/// The contacts of one block, and the data from which it is prepared.
#[derive(Clone, Copy)]
pub(crate) struct BlockSource<'a> {
    pub(crate) cached_manifolds: &'a ClaimedSlice<'a, CachedManifold>,
    /// The entries of the block: 1 to 16.
    pub(crate) entries: &'a [ConstraintEntry],
    pub(crate) bodies: BodyArrays<'a>,
}

/// The contacts of `entries[at..]`; a lane beyond the last repeats the first.
#[derive(Clone, Copy)]
struct OfContacts<'a> {
    source: BlockSource<'a>,
    at: usize,
}

impl<'a> OfContacts<'a> {
    #[inline(always)]
    fn cached_manifold(&self, lane: usize) -> &'a CachedManifold {
        let entries = self.source.entries;
        let entry = entries.get(self.at + lane).unwrap_or(&entries[0]);
        // SAFETY: no worker writes the cached manifolds of the entries, by the contract of `prepare`, which alone makes
        // values of this type.
        unsafe { self.source.cached_manifolds.get(entry.place as usize) }
    }
}

struct Frames<'a>(OfContacts<'a>);

impl RecordSource for Frames<'_> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        core::ptr::from_ref(&self.0.cached_manifold(lane).frame).cast()
    }
}

struct Surfaces<'a>(OfContacts<'a>);

impl RecordSource for Surfaces<'_> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        core::ptr::from_ref(&self.0.cached_manifold(lane).surface).cast()
    }
}

struct Points<'a>(OfContacts<'a>, usize);

impl RecordSource for Points<'_> {
    #[inline(always)]
    fn record_of_lane(&self, lane: usize) -> *const f32 {
        core::ptr::from_ref(&self.0.cached_manifold(lane).points[self.1]).cast()
    }
}

/// One of the two bodies of each lane.
#[derive(Clone, Copy)]
struct LaneBodies<V> {
    cos: V,
    sin: V,
    center: [V; 2],
    inverse_mass: V,
    inverse_inertia: V,
}

impl<V: Lanes> LaneBodies<V> {
    /// # Safety
    ///
    /// The indices are those of bodies.
    #[inline(always)]
    unsafe fn gather(bodies: BodyArrays<'_>, indices: &SimdIndexRow, at: usize) -> Self {
        // SAFETY: the caller's contract: each body has a pose and a mass record. A pose has eight words and a mass record
        // more than four; both are borrowed.
        let (pose, mass) = unsafe {
            (
                V::gather8(&IndexedRecords::new(bodies.poses, indices, at)),
                V::gather4(&IndexedRecords::new(bodies.sims, indices, at)),
            )
        };
        Self {
            cos: pose[2],
            sin: pose[3],
            center: [pose[4], pose[5]],
            inverse_mass: mass[0],
            inverse_inertia: mass[1],
        }
    }
}

impl<V: Lanes> LaneBodies<V> {
    /// The body unchanged if `moved` is 1, infinitely heavy if it is 0.
    #[inline(always)]
    fn unless_dominant(mut self, moved: V) -> Self {
        let zero = V::splat(0.0);
        let is_moved = zero.less(moved);
        self.inverse_mass = V::select(is_moved, self.inverse_mass, zero);
        self.inverse_inertia = V::select(is_moved, self.inverse_inertia, zero);
        self
    }
}

/// The rotation of a body, as its sine, and its cosine less one.
#[derive(Clone, Copy)]
struct LaneTurn<V> {
    sin: V,
    cos_less_one: V,
}

impl<V: Lanes> LaneTurn<V> {
    #[inline(always)]
    fn between(old_cos: V, old_sin: V, cos: V, sin: V) -> Self {
        let turn_sin = old_cos * sin - old_sin * cos;
        let turn_cos = old_cos * cos + old_sin * sin;
        // Kept manifolds turn by less than a quarter turn: the cosine is positive, and there is no cancellation.
        let one = V::splat(1.0);
        Self {
            sin: turn_sin,
            cos_less_one: V::splat(0.0) - turn_sin * turn_sin / (one + turn_cos),
        }
    }

    /// The rotation, or none if `disc` is 1.
    #[inline(always)]
    fn seen(self, disc: V) -> Self {
        let zero = V::splat(0.0);
        let is_disc = zero.less(disc);
        Self {
            sin: V::select(is_disc, zero, self.sin),
            cos_less_one: V::select(is_disc, zero, self.cos_less_one),
        }
    }

    /// The displacement of the end of an arm by the rotation.
    #[inline(always)]
    fn swing(self, arm: [V; 2]) -> [V; 2] {
        [
            self.cos_less_one * arm[0] - self.sin * arm[1],
            self.sin * arm[0] + self.cos_less_one * arm[1],
        ]
    }
}

/// The velocity of a point at `arm` from the center of mass of a body whose state begins with `state`.
#[inline(always)]
fn velocity_at<V: Lanes>(state: &[V; 4], arm: [V; 2]) -> [V; 2] {
    [state[0] - state[2] * arm[1], state[1] + state[2] * arm[0]]
}

/// The inverse masses and arms of two bodies at a common point.
struct EffectiveMass<V> {
    sides: [LaneBodies<V>; 2],
    arms: [[V; 2]; 2],
    present: V,
}

impl<V: Lanes> EffectiveMass<V> {
    /// The effective mass along `direction` in kilograms; 0 for a point that is not in use.
    #[inline(always)]
    fn along(&self, direction: [V; 2]) -> V {
        let [a, b] = self.sides;
        let (arm_a, arm_b) = (cross(self.arms[0], direction), cross(self.arms[1], direction));
        let turning = a.inverse_inertia * arm_a * arm_a + b.inverse_inertia * arm_b * arm_b;
        let inverse = a.inverse_mass + b.inverse_mass + turning;
        V::select(V::splat(0.0).less(inverse), self.present / inverse, V::splat(0.0))
    }
}

/// Fills the lanes `at..at + V::WIDTH` of a block whose bodies are set.
///
/// # Safety
///
/// The entries refer to contacts and bodies that exist, and no other worker writes their cached manifolds or the
/// bodies' states meanwhile.
#[inline(always)]
pub(crate) unsafe fn prepare<V: Lanes>(block: &mut ContactBlock, at: usize, source: BlockSource<'_>) {
    let of_contacts = OfContacts { source, at };
    // SAFETY: a surface has eight words and is borrowed.
    let [
        friction,
        restitution,
        rolling_resistance,
        tangent_speed,
        rolling,
        both_movable,
        _,
        _,
    ] = unsafe { V::gather8(&Surfaces(of_contacts)) };
    // SAFETY: a frame has eight words and is borrowed.
    let [normal_x, normal_y, offset_x, offset_y, cos_a, sin_a, cos_b, sin_b] =
        unsafe { V::gather8(&Frames(of_contacts)) };
    // SAFETY: the caller's contract.
    let (mut a, mut b) = unsafe {
        (
            LaneBodies::<V>::gather(source.bodies, &block.body_a, at),
            LaneBodies::<V>::gather(source.bodies, &block.body_b, at),
        )
    };
    if block.features & feature::DOMINANCE != 0 {
        a = a.unless_dominant(V::load(&block.inverse_mass[0], at));
        b = b.unless_dominant(V::load(&block.inverse_mass[1], at));
    }
    let normal = [normal_x, normal_y];
    let offset = [offset_x, offset_y];
    // The rotations of the bodies since the manifold was computed; exactly zero if they did not turn.
    let mut turn_a = LaneTurn::between(cos_a, sin_a, a.cos, a.sin);
    let mut turn_b = LaneTurn::between(cos_b, sin_b, b.cos, b.sin);
    if block.features & feature::DISCS != 0 {
        turn_a = turn_a.seen(V::load(&block.discs[0], at));
        turn_b = turn_b.seen(V::load(&block.discs[1], at));
    }
    let drift = [
        (b.center[0] - a.center[0]) - offset[0],
        (b.center[1] - a.center[1]) - offset[1],
    ];
    // The kernels add the arms' own part, which is minus this before any motion.
    let between = dot(offset, normal);

    normal[0].store(&mut block.normal[0], at);
    normal[1].store(&mut block.normal[1], at);
    a.inverse_mass.store(&mut block.inverse_mass[0], at);
    b.inverse_mass.store(&mut block.inverse_mass[1], at);
    a.inverse_inertia.store(&mut block.inverse_inertia[0], at);
    b.inverse_inertia.store(&mut block.inverse_inertia[1], at);
    friction.store(&mut block.friction, at);
    // SIMD rows of features that no lane has keep values of another step: they are not read.
    if block.features & feature::FIXED != 0 {
        both_movable.store(&mut block.both_movable, at);
    }
    if block.features & feature::SPEED != 0 {
        tangent_speed.store(&mut block.tangent_speed, at);
    }
    let needs_approach = block.features & (feature::RESTITUTION | feature::HITS) != 0;
    if needs_approach {
        restitution.store(&mut block.restitution, at);
    }
    if block.features & feature::ROLLING != 0 {
        rolling_resistance.store(&mut block.rolling_resistance, at);
        rolling.store(&mut block.rolling_impulse, at);
    }

    let zero = V::splat(0.0);
    let tangent = [normal[1], zero - normal[0]];
    for (i, rows) in block.points.iter_mut().enumerate() {
        // SAFETY: a point has eight words and is borrowed.
        let [ax, ay, separation, present, normal_impulse, tangent_impulse, _, _] =
            unsafe { V::gather8(&Points(of_contacts, i)) };
        let anchor_a = [ax, ay];
        let anchor_b = [ax - offset[0], ay - offset[1]];
        let (swing_a, swing_b) = (turn_a.swing(anchor_a), turn_b.swing(anchor_b));
        let moved = [
            drift[0] + (swing_b[0] - swing_a[0]),
            drift[1] + (swing_b[1] - swing_a[1]),
        ];
        let mass = EffectiveMass {
            sides: [a, b],
            arms: [anchor_a, anchor_b],
            present,
        };
        mass.along(normal).store(&mut rows.normal_mass, at);
        mass.along(tangent).store(&mut rows.tangent_mass, at);
        anchor_a[0].store(&mut rows.anchor_a[0], at);
        anchor_a[1].store(&mut rows.anchor_a[1], at);
        anchor_b[0].store(&mut rows.anchor_b[0], at);
        anchor_b[1].store(&mut rows.anchor_b[1], at);
        // The kernels add the arms' own part, turned with the bodies in the step, and the motion of the centers.
        (separation + dot(moved, normal) + between).store(&mut rows.base_separation, at);
        normal_impulse.store(&mut rows.normal_impulse, at);
        tangent_impulse.store(&mut rows.tangent_impulse, at);
        zero.store(&mut rows.total_normal_impulse, at);
    }
    if needs_approach {
        let states = BodyStateLanes::new(source.bodies.states);
        // SAFETY: the caller's contract.
        let (a, b) = unsafe {
            (
                states.gather4::<V>(&block.body_a, at),
                states.gather4::<V>(&block.body_b, at),
            )
        };
        for rows in &mut block.points {
            let velocity_a = velocity_at(&a, load2(&rows.anchor_a, at));
            let velocity_b = velocity_at(&b, load2(&rows.anchor_b, at));
            let approach = [velocity_b[0] - velocity_a[0], velocity_b[1] - velocity_a[1]];
            dot(approach, normal).store(&mut rows.normal_velocity, at);
        }
    }
}
