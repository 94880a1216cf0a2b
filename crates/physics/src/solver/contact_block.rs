//! [`ContactBlock`]: sixteen contacts of one color laid out for lanes; filled from contacts before the substeps and
//! turned back into impulses after them.
//!
//! Blocks live for one step only. Within a color no two contacts share a body that either may change, so the lanes
//! of a block are independent. Filling a block is a gather, too: `contact_prepare.rs` reads cached manifolds, poses,
//! masses and velocities record by record and turns them into lanes.

use super::lanes::{BLOCK, IndexRow, READ_ONLY, Row};
use super::softness::Softness;
use crate::body::{BodyPose, BodySim, BodyState};
use crate::contact::Patch;
use crate::contact::graph::Entry;
use tombolo_threads::ClaimedSlice;

/// One point of each contact of a block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointRows {
    /// From A's centre of mass, world axes.
    pub(crate) anchor_a: [Row; 2],
    /// From B's centre of mass, world axes.
    pub(crate) anchor_b: [Row; 2],
    /// The part of the separation that does not change within the step.
    pub(crate) base_separation: Row,
    /// Newton seconds along the normal in this substep.
    pub(crate) normal_impulse: Row,
    /// Newton seconds along the tangent in this substep.
    pub(crate) tangent_impulse: Row,
    /// Newton seconds along the normal, summed over the substeps.
    pub(crate) total_normal_impulse: Row,
    /// Kilograms seen along the normal; 0 for a point that is not there.
    pub(crate) normal_mass: Row,
    /// Kilograms seen along the tangent; 0 for a point that is not there.
    pub(crate) tangent_mass: Row,
    /// Metres per second along the normal before anything was solved; only set where a feature needs it.
    pub(crate) normal_velocity: Row,
}

/// Sixteen contacts of one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactBlock {
    /// First bodies.
    pub(crate) body_a: IndexRow,
    /// Second bodies.
    pub(crate) body_b: IndexRow,
    /// From A to B.
    pub(crate) normal: [Row; 2],
    /// One over kilograms, of A and B.
    pub(crate) inverse_mass: [Row; 2],
    /// One over kilogram square metres, of A and B.
    pub(crate) inverse_inertia: [Row; 2],
    /// 1 where both bodies can be moved; the others are solved twice as stiff. Only set with [`feature::FIXED`].
    pub(crate) both_movable: Row,
    /// Coulomb friction.
    pub(crate) friction: Row,
    /// Bounciness; only set where a feature needs it.
    pub(crate) restitution: Row,
    /// Metres per second that the surfaces move against each other by themselves; only set with [`feature::SPEED`].
    pub(crate) tangent_speed: Row,
    /// Resistance to rolling, metres; only set with [`feature::ROLLING`].
    pub(crate) rolling_resistance: Row,
    /// Newton metre seconds against rolling in this substep; only set with [`feature::ROLLING`].
    pub(crate) rolling_impulse: Row,
    /// The points.
    pub(crate) points: [PointRows; 2],
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
    /// A contact of the block is with a body that cannot be moved.
    pub(crate) const FIXED: u32 = 1 << 3;
    /// A contact of the block has surfaces that move by themselves.
    pub(crate) const SPEED: u32 = 1 << 4;
}

impl PointRows {
    const ZERO: Self = Self {
        anchor_a: [Row::ZERO; 2],
        anchor_b: [Row::ZERO; 2],
        base_separation: Row::ZERO,
        normal_impulse: Row::ZERO,
        tangent_impulse: Row::ZERO,
        total_normal_impulse: Row::ZERO,
        normal_mass: Row::ZERO,
        tangent_mass: Row::ZERO,
        normal_velocity: Row::ZERO,
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

impl ContactBlock {
    pub(crate) const EMPTY: Self = Self {
        body_a: IndexRow([READ_ONLY; BLOCK]),
        body_b: IndexRow([READ_ONLY; BLOCK]),
        normal: [Row::ZERO; 2],
        inverse_mass: [Row::ZERO; 2],
        inverse_inertia: [Row::ZERO; 2],
        both_movable: Row::ZERO,
        friction: Row::ZERO,
        restitution: Row::ZERO,
        tangent_speed: Row::ZERO,
        rolling_resistance: Row::ZERO,
        rolling_impulse: Row::ZERO,
        points: [PointRows::ZERO; 2],
        count: 0,
        features: 0,
    };

    /// Says which bodies the lanes are of, and what the block needs. The rows are filled by the kernel `prepare`.
    ///
    /// A lane that is not used repeats the first one, without the right to change its bodies: they are of a colour that
    /// nobody else touches.
    pub(crate) fn set_bodies<'a>(&mut self, entries: &[Entry], patches: impl Iterator<Item = &'a Patch>) {
        debug_assert!(!entries.is_empty() && entries.len() <= BLOCK);
        self.count = entries.len() as u32;
        self.features = 0;
        self.body_a.0.fill(entries[0].body_a | READ_ONLY);
        self.body_b.0.fill(entries[0].body_b | READ_ONLY);
        for (lane, (entry, patch)) in entries.iter().zip(patches).enumerate() {
            self.body_a.0[lane] = entry.body_a;
            self.body_b.0[lane] = entry.body_b;
            if patch.surface.restitution > 0.0 {
                self.features |= feature::RESTITUTION;
            }
            if patch.surface.rolling_resistance > 0.0 {
                self.features |= feature::ROLLING;
            }
            if (entry.body_a | entry.body_b) & READ_ONLY != 0 {
                self.features |= feature::FIXED;
            }
            if patch.surface.tangent_speed != 0.0 {
                self.features |= feature::SPEED;
            }
            if patch.surface.reports_hits != 0 {
                self.features |= feature::HITS;
            }
        }
    }

    /// Metres per second at which the surfaces of lane `lane` came together before anything was solved, where that took
    /// an impulse to stop; 0 if nowhere.
    fn approach_speed(&self, lane: usize) -> f32 {
        let pushed = |rows: &&PointRows| rows.total_normal_impulse.0[lane] > 0.0;
        let speeds = self
            .points
            .iter()
            .filter(pushed)
            .map(|rows| -rows.normal_velocity.0[lane]);
        speeds.fold(0.0, f32::max)
    }

    /// Writes the impulses of lane `lane` back into the patch of its contact. Whether that reports a hit harder than
    /// `hit_speed`, in metres per second.
    pub(crate) fn store_lane(&self, lane: usize, patch: &mut Patch, hit_speed: f32) -> bool {
        if self.features & feature::ROLLING != 0 {
            patch.surface.rolling_impulse = self.rolling_impulse.0[lane];
        }
        for (rows, point) in self.points.iter().zip(&mut patch.points) {
            point.normal_impulse = rows.normal_impulse.0[lane];
            point.tangent_impulse = rows.tangent_impulse.0[lane];
            point.total_normal_impulse = rows.total_normal_impulse.0[lane];
        }
        if patch.surface.reports_hits == 0 {
            return false;
        }
        patch.surface.approach_speed = self.approach_speed(lane);
        patch.surface.approach_speed > hit_speed
    }
}
