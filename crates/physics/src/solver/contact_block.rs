//! [`ContactBlock`]: sixteen contacts of one color laid out for lanes; filled from contacts before the substeps and
//! turned back into impulses after them.
//!
//! Blocks live for one step only. Within a color no two contacts share a body that either may change, so the lanes
//! of a block are independent. Filling a block is a gather, too: `contact_prepare.rs` reads cached manifolds, poses,
//! masses and velocities record by record and turns them into lanes.

use super::lanes::{BLOCK, SimdIndexRow, SimdRow};
use super::softness::Softness;
use crate::body::{BodyPose, BodySim, BodyState, READ_ONLY};
use crate::contact::graph::ConstraintEntry;
use crate::contact::{CachedManifold, mark};
use tombolo_threads::ClaimedSlice;

/// One point of each contact of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointLanes {
    /// From A's center of mass, world axes.
    pub(crate) anchor_a: [SimdRow; 2],
    /// From B's center of mass, world axes.
    pub(crate) anchor_b: [SimdRow; 2],
    /// The part of the separation that does not change within the step.
    pub(crate) base_separation: SimdRow,
    /// Newton seconds along the normal in this substep.
    pub(crate) normal_impulse: SimdRow,
    /// Newton seconds along the tangent in this substep.
    pub(crate) tangent_impulse: SimdRow,
    /// Newton seconds along the normal, summed over the substeps.
    pub(crate) total_normal_impulse: SimdRow,
    /// Kilograms seen along the normal; 0 for a point that is not there.
    pub(crate) normal_mass: SimdRow,
    /// Kilograms seen along the tangent; 0 for a point that is not there.
    pub(crate) tangent_mass: SimdRow,
    /// Meters per second along the normal before anything was solved; only set where a feature needs it.
    pub(crate) normal_velocity: SimdRow,
}

/// Sixteen contacts of one color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactBlock {
    /// First bodies.
    pub(crate) body_a: SimdIndexRow,
    /// Second bodies.
    pub(crate) body_b: SimdIndexRow,
    /// From A to B.
    pub(crate) normal: [SimdRow; 2],
    /// One over kilograms, of A and B.
    pub(crate) inverse_mass: [SimdRow; 2],
    /// One over kilogram square meters, of A and B.
    pub(crate) inverse_inertia: [SimdRow; 2],
    /// 1 where both bodies can be moved; the others are solved twice as stiff. Only set with [`feature::FIXED`].
    pub(crate) both_movable: SimdRow,
    /// Coulomb friction.
    pub(crate) friction: SimdRow,
    /// Bounciness; only set where a feature needs it.
    pub(crate) restitution: SimdRow,
    /// Meters per second that the surfaces move against each other by themselves; only set with [`feature::SPEED`].
    pub(crate) tangent_speed: SimdRow,
    /// Resistance to rolling, meters; only set with [`feature::ROLLING`].
    pub(crate) rolling_resistance: SimdRow,
    /// Newton meter seconds against rolling in this substep; only set with [`feature::ROLLING`].
    pub(crate) rolling_impulse: SimdRow,
    /// 1 where A, and where B, is a disc about its center of mass, else 0; only set with [`feature::DISCS`].
    pub(crate) discs: [SimdRow; 2],
    /// The points.
    pub(crate) points: [PointLanes; 2],
    /// How many lanes are used.
    pub(crate) count: u32,
    /// Bits of [`feature`]: what no lane has is not computed.
    pub(crate) features: u32,
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
    /// A contact of the block is with a body that cannot be moved.
    pub(crate) const FIXED: u32 = 1 << 3;
    /// A contact of the block has surfaces that move by themselves.
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

/// What preparing constraints reads of the bodies, by body index.
#[derive(Clone, Copy)]
pub(crate) struct Bodies<'a> {
    pub(crate) poses: &'a [BodyPose],
    pub(crate) sims: &'a [BodySim],
    pub(crate) states: &'a ClaimedSlice<'a, BodyState>,
}

/// How stiff contacts are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactSoftness {
    /// Between two bodies that can be moved.
    pub(crate) movable: Softness,
    /// With a static or kinematic body: twice as stiff (measured in docs/decisions.md).
    pub(crate) fixed: Softness,
}

/// What a kernel needs to know of the substep.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Substep {
    /// One over its length in seconds.
    pub(crate) inverse_h: f32,
    /// Meters per second at which overlapping bodies are pushed apart at most.
    pub(crate) push_speed_max: f32,
    /// Meters per second of approach from which contacts bounce.
    pub(crate) restitution_threshold: f32,
    /// How stiff contacts are.
    pub(crate) softness: ContactSoftness,
}

impl ContactBlock {
    pub(crate) const EMPTY: Self = Self {
        body_a: SimdIndexRow([READ_ONLY; BLOCK]),
        body_b: SimdIndexRow([READ_ONLY; BLOCK]),
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
    };

    /// Says which bodies the lanes are of, and what the block needs. The SIMD rows are filled by the kernel `prepare`.
    ///
    /// A lane that is not used repeats the first one, without the right to change its bodies: they are of a color that
    /// nobody else touches.
    pub(crate) fn set_bodies<'a>(
        &mut self,
        entries: &[ConstraintEntry],
        cached_manifolds: impl Iterator<Item = &'a CachedManifold>,
    ) {
        debug_assert!(!entries.is_empty() && entries.len() <= BLOCK);
        self.count = entries.len() as u32;
        self.features = 0;
        let mut marks = [0; BLOCK];
        self.body_a.0.fill(entries[0].body_a | READ_ONLY);
        self.body_b.0.fill(entries[0].body_b | READ_ONLY);
        for (lane, (entry, cached_manifold)) in entries.iter().zip(cached_manifolds).enumerate() {
            self.body_a.0[lane] = entry.body_a;
            self.body_b.0[lane] = entry.body_b;
            if cached_manifold.surface.restitution > 0.0 {
                self.features |= feature::RESTITUTION;
            }
            if cached_manifold.surface.rolling_resistance > 0.0 {
                self.features |= feature::ROLLING;
            }
            if (entry.body_a | entry.body_b) & READ_ONLY != 0 {
                self.features |= feature::FIXED;
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
        if self.features & feature::DOMINANCE != 0 {
            // The kernel `prepare` reads here who is moved before it writes the masses.
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

    /// Meters per second at which the surfaces of lane `lane` came together before anything was solved, where that took
    /// an impulse to stop; 0 if nowhere.
    fn approach_speed(&self, lane: usize) -> f32 {
        let pushed = |rows: &&PointLanes| rows.total_normal_impulse.0[lane] > 0.0;
        let speeds = self
            .points
            .iter()
            .filter(pushed)
            .map(|rows| -rows.normal_velocity.0[lane]);
        speeds.fold(0.0, f32::max)
    }

    /// Writes the impulses of lane `lane` back into the cached manifold of its contact. Whether that reports a hit
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
