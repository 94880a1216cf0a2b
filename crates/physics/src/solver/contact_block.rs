//! [`ContactBlock`]: sixteen contacts of one color laid out for lanes; filled from contacts before the substeps and
//! stored as impulses after them.
//!
//! Blocks are rebuilt in each step. Within a color no two contacts share a body that either may change, so the lanes of
//! a block are independent. Filling a block is a gather, too: `contact_prepare.rs` reads cached manifolds, poses,
//! masses and velocities record by record and transposes them into lanes.

use super::lanes::{BLOCK, SimdIndexRow, SimdRow};
use super::softness::Softness;
use crate::body::{BodyPose, BodySim, BodyState, READ_ONLY};
use crate::contact::graph::ConstraintEntry;
use crate::contact::{CachedManifold, mark};
use tombolo_threads::ClaimedSlice;

/// One manifold point of each contact of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointLanes {
    /// The vector from A's center of mass, in world axes, in meters.
    pub(crate) anchor_a: [SimdRow; 2],
    /// The vector from B's center of mass, in world axes, in meters.
    pub(crate) anchor_b: [SimdRow; 2],
    /// The part of the separation that does not change within the step, in meters.
    pub(crate) base_separation: SimdRow,
    /// The impulse along the normal in this substep, in newton seconds.
    pub(crate) normal_impulse: SimdRow,
    /// The impulse along the tangent in this substep, in newton seconds.
    pub(crate) tangent_impulse: SimdRow,
    /// The impulses along the normal in newton seconds, summed over the substeps.
    pub(crate) total_normal_impulse: SimdRow,
    /// The effective mass along the normal in kilograms; 0 for a point that is not in use.
    pub(crate) normal_mass: SimdRow,
    /// The effective mass along the tangent in kilograms; 0 for a point that is not in use.
    pub(crate) tangent_mass: SimdRow,
    /// The velocity in meters per second along the normal before solving; only set if a feature needs it.
    pub(crate) normal_velocity: SimdRow,
}

/// Sixteen contacts of one color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactBlock {
    /// First bodies.
    pub(crate) body_a: SimdIndexRow,
    /// Second bodies.
    pub(crate) body_b: SimdIndexRow,
    /// The unit normal, from A to B.
    pub(crate) normal: [SimdRow; 2],
    /// The inverse masses of A and B, per kilogram.
    pub(crate) inverse_mass: [SimdRow; 2],
    /// The inverse moments of inertia of A and B, per kilogram square meter.
    pub(crate) inverse_inertia: [SimdRow; 2],
    /// 1 if both bodies can be moved; the others are solved twice as stiff. Only set with [`feature::FIXED`].
    pub(crate) both_movable: SimdRow,
    /// The coefficient of Coulomb friction.
    pub(crate) friction: SimdRow,
    /// The restitution; only set if a feature needs it.
    pub(crate) restitution: SimdRow,
    /// The speed of the surfaces' own relative motion in meters per second; only set with [`feature::SPEED`].
    pub(crate) tangent_speed: SimdRow,
    /// The rolling resistance in meters; only set with [`feature::ROLLING`].
    pub(crate) rolling_resistance: SimdRow,
    /// The rolling resistance's impulse in this substep in newton meter seconds; only set with [`feature::ROLLING`].
    pub(crate) rolling_impulse: SimdRow,
    /// 1 if A, and if B, is a disc about its center of mass, otherwise 0; only set with [`feature::DISCS`].
    pub(crate) discs: [SimdRow; 2],
    /// The manifold points.
    pub(crate) points: [PointLanes; 2],
    /// The number of lanes in use.
    pub(crate) count: u32,
    /// Bits of [`feature`]: features that no lane has are not computed.
    pub(crate) features: u32,
    /// Of A, and of B: a bit for each lane that must not change it, or is not used.
    pub(crate) unwritten: [u32; 2],
}

/// Bits of [`ContactBlock::features`].
pub(crate) mod feature {
    /// A contact of the block has restitution.
    pub(crate) const RESTITUTION: u32 = 1 << 0;
    /// A contact of the block has rolling resistance.
    pub(crate) const ROLLING: u32 = 1 << 1;
    /// A contact of the block reports hard hits.
    pub(crate) const HITS: u32 = 1 << 2;
    /// A contact of the block does not move one of its bodies, which dominates the other.
    pub(crate) const DOMINANCE: u32 = 1 << 6;
    /// Some lane has a disc about its center of mass.
    pub(crate) const DISCS: u32 = 1 << 5;
    /// A contact of the block has a body that cannot be moved.
    pub(crate) const FIXED: u32 = 1 << 3;
    /// A contact of the block has surfaces with a speed of their own.
    pub(crate) const SPEED: u32 = 1 << 4;
}

impl PointLanes {
    const ZERO: Self = Self {
        anchor_a: [SimdRow::ZERO; 2],
        anchor_b: [SimdRow::ZERO; 2],
        base_separation: SimdRow::ZERO,
        normal_impulse: SimdRow::ZERO,
        tangent_impulse: SimdRow::ZERO,
        total_normal_impulse: SimdRow::ZERO,
        normal_mass: SimdRow::ZERO,
        tangent_mass: SimdRow::ZERO,
        normal_velocity: SimdRow::ZERO,
    };
}

/// The bodies' data that preparing constraints reads, by body index.
#[derive(Clone, Copy)]
pub(crate) struct BodyArrays<'a> {
    pub(crate) poses: &'a [BodyPose],
    pub(crate) sims: &'a [BodySim],
    pub(crate) states: &'a ClaimedSlice<'a, BodyState>,
}

/// The softness of contacts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactSoftness {
    /// The softness between two bodies that can be moved.
    pub(crate) movable: Softness,
    /// The softness with a static or kinematic body: twice as stiff (measured in docs/decisions.md).
    pub(crate) fixed: Softness,
}

/// The parameters of a substep for the kernels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substep {
    /// The inverse of its length, per second.
    pub(crate) inverse_h: f32,
    /// The greatest speed in meters per second at which overlapping bodies are pushed apart.
    pub(crate) push_speed_max: f32,
    /// The approach speed in meters per second from which contacts bounce.
    pub(crate) restitution_threshold: f32,
    /// The softness of contacts.
    pub(crate) softness: ContactSoftness,
}

impl ContactBlock {
    pub(crate) const EMPTY: Self = Self {
        body_a: SimdIndexRow([0; BLOCK]),
        body_b: SimdIndexRow([0; BLOCK]),
        normal: [SimdRow::ZERO; 2],
        inverse_mass: [SimdRow::ZERO; 2],
        inverse_inertia: [SimdRow::ZERO; 2],
        both_movable: SimdRow::ZERO,
        friction: SimdRow::ZERO,
        restitution: SimdRow::ZERO,
        tangent_speed: SimdRow::ZERO,
        rolling_resistance: SimdRow::ZERO,
        rolling_impulse: SimdRow::ZERO,
        discs: [SimdRow::ZERO; 2],
        points: [PointLanes::ZERO; 2],
        count: 0,
        features: 0,
        unwritten: [u32::MAX; 2],
    };

    /// Sets the bodies of the lanes, and the features that the block needs. The SIMD rows are filled by the kernel
    /// `prepare`.
    ///
    /// A lane that is not used repeats the first one, without writing: its bodies are of a color that no other worker
    /// touches.
    pub(crate) fn set_bodies<'a>(
        &mut self,
        entries: &[ConstraintEntry],
        cached_manifolds: impl Iterator<Item = &'a CachedManifold>,
    ) {
        debug_assert!(!entries.is_empty() && entries.len() <= BLOCK);
        self.count = entries.len() as u32;
        self.features = 0;
        let mut marks = [0; BLOCK];
        self.body_a.0.fill(entries[0].body_a & !READ_ONLY);
        self.body_b.0.fill(entries[0].body_b & !READ_ONLY);
        let mut unwritten = [u32::MAX << entries.len(); 2];
        for (lane, (entry, cached_manifold)) in entries.iter().zip(cached_manifolds).enumerate() {
            self.body_a.0[lane] = entry.body_a & !READ_ONLY;
            self.body_b.0[lane] = entry.body_b & !READ_ONLY;
            unwritten[0] |= u32::from(entry.body_a & READ_ONLY != 0) << lane;
            unwritten[1] |= u32::from(entry.body_b & READ_ONLY != 0) << lane;
            if cached_manifold.surface.restitution > 0.0 {
                self.features |= feature::RESTITUTION;
            }
            if cached_manifold.surface.rolling_resistance > 0.0 {
                self.features |= feature::ROLLING;
            }
            if cached_manifold.surface.tangent_speed != 0.0 {
                self.features |= feature::SPEED;
            }
            marks[lane] = cached_manifold.surface.marks;
            if marks[lane] & mark::HITS != 0 {
                self.features |= feature::HITS;
            }
            if marks[lane] & (mark::DISCS[0] | mark::DISCS[1]) != 0 {
                self.features |= feature::DISCS;
            }
            if marks[lane] & (mark::DOMINANT[0] | mark::DOMINANT[1]) != 0 {
                self.features |= feature::DOMINANCE;
            }
        }
        self.unwritten = unwritten;
        if (unwritten[0] | unwritten[1]) & !(u32::MAX << entries.len()) != 0 {
            self.features |= feature::FIXED;
        }
        if self.features & feature::DOMINANCE != 0 {
            // The kernel `prepare` reads from these rows which bodies are moved, before it writes the masses.
            for (rows, dominant) in self.inverse_mass.iter_mut().zip(mark::DOMINANT) {
                for (row, marks) in rows.0.iter_mut().zip(marks) {
                    *row = if marks & dominant != 0 { 0.0 } else { 1.0 };
                }
            }
        }
        if self.features & feature::DISCS != 0 {
            for (rows, disc) in self.discs.iter_mut().zip(mark::DISCS) {
                for (row, marks) in rows.0.iter_mut().zip(marks) {
                    *row = if marks & disc != 0 { 1.0 } else { 0.0 };
                }
            }
        }
    }

    /// The speed in meters per second at which the surfaces of lane `lane` approached before solving, where an impulse
    /// stopped them; 0 if nowhere.
    fn approach_speed(&self, lane: usize) -> f32 {
        let pushed = |rows: &&PointLanes| rows.total_normal_impulse.0[lane] > 0.0;
        let speeds = self
            .points
            .iter()
            .filter(pushed)
            .map(|rows| -rows.normal_velocity.0[lane]);
        speeds.fold(0.0, f32::max)
    }

    /// Stores the impulses of lane `lane` in the cached manifold of its contact. Returns whether it reports a hit
    /// harder than `hit_speed`, in meters per second.
    pub(crate) fn store_lane(
        &self,
        lane: usize,
        cached_manifold: &mut CachedManifold,
        hit_speed: f32,
    ) -> bool {
        if self.features & feature::ROLLING != 0 {
            cached_manifold.surface.rolling_impulse = self.rolling_impulse.0[lane];
        }
        for (rows, point) in self.points.iter().zip(&mut cached_manifold.points) {
            point.normal_impulse = rows.normal_impulse.0[lane];
            point.tangent_impulse = rows.tangent_impulse.0[lane];
            point.total_normal_impulse = rows.total_normal_impulse.0[lane];
        }
        if cached_manifold.surface.marks & mark::HITS == 0 {
            return false;
        }
        cached_manifold.surface.approach_speed = self.approach_speed(lane);
        cached_manifold.surface.approach_speed > hit_speed
    }
}
