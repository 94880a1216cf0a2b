//! [`JointBlock`]: the common part of the blocks of all joints, and the units of their masses and impulses.

use super::contact_block::BodyArrays;
use super::lanes::{BLOCK, SimdIndexRow, SimdRow};
use super::softness::Softness;
use crate::constants::{JOINT_DAMPING_RATIO, JOINT_HERTZ};
use crate::joint::JointSim;
use tombolo_geometry::Rot;

/// The parameters of the step for preparing and storing joints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointSettings {
    /// The length of a substep, in seconds.
    pub(crate) h: f32,
    /// The inverse of the length of a step, per second.
    pub(crate) inverse_dt: f32,
    /// The [`Softness::new`] of the default frequency and damping ratio of joints, which nearly all keep.
    usual: Softness,
}

impl JointSettings {
    /// Settings for substeps of `h` seconds in a step of `dt`.
    pub(crate) fn new(h: f32, dt: f32) -> Self {
        Self {
            h,
            inverse_dt: 1.0 / dt,
            usual: rigid_softness(JOINT_HERTZ, JOINT_DAMPING_RATIO, h),
        }
    }

    /// The softness of a joint's rigid constraints.
    fn softness(&self, joint: &JointSim) -> Softness {
        let (hertz, damping_ratio) = (joint.constraint_hertz, joint.constraint_damping_ratio);
        if hertz == JOINT_HERTZ && damping_ratio == JOINT_DAMPING_RATIO {
            return self.usual;
        }
        rigid_softness(hertz, damping_ratio, self.h)
    }
}

/// Clamps the frequency to a quarter of the substep rate: stiffer joints would be solved worse, not better.
fn rigid_softness(hertz: f32, damping_ratio: f32, h: f32) -> Softness {
    Softness::new(hertz.min(0.25 / h), damping_ratio, h)
}

/// Sixteen joints of one color and of kinds that are solved alike.
pub(crate) trait JointBlock: Copy {
    /// The index of this kind of block.
    const KIND: usize;

    /// An empty block.
    const EMPTY: Self;

    /// Clears the block, and prepares it for `count` joints.
    fn clear(&mut self, count: usize);

    /// Fills a lane.
    fn prepare_lane(
        &mut self,
        lane: usize,
        joint: &JointSim,
        bodies: BodyArrays<'_>,
        settings: &JointSettings,
    );

    /// Fills lanes that are not used with harmless values.
    fn fill_unused(&mut self);

    /// Stores the impulses of a lane in its joint, and their total over the step.
    fn store_lane(&self, lane: usize, joint: &mut JointSim, settings: &JointSettings);

    /// Fills the block from up to sixteen joints of one color.
    fn prepare<'a>(
        &mut self,
        joints: impl ExactSizeIterator<Item = &'a JointSim>,
        bodies: BodyArrays<'_>,
        settings: &JointSettings,
    ) {
        let count = joints.len();
        debug_assert!((1..=BLOCK).contains(&count));
        self.clear(count);
        for (lane, joint) in joints.enumerate() {
            self.prepare_lane(lane, joint, bodies, settings);
        }
        self.fill_unused();
    }
}

/// The two bodies of each lane, and the data of them that all joints need.
#[derive(Clone, Copy, Debug)]
pub(super) struct EndRows {
    /// First bodies.
    pub(super) body_a: SimdIndexRow,
    /// Second bodies.
    pub(super) body_b: SimdIndexRow,
    /// The power of two by which masses below, and impulses with them, are divided, so that the products of both
    /// bodies' are near one however heavy, light or far off they are. It changes no other result: only exponents
    /// differ.
    pub(super) unit: SimdRow,
    /// The inverse masses of A and B, per kilogram, times the unit.
    pub(super) inverse_mass: [SimdRow; 2],
    /// The inverse moments of inertia of A and B, per kilogram square meter, times the unit.
    pub(super) inverse_inertia: [SimdRow; 2],
    /// The vector from A's center of mass to A's point, in world axes, when the step began.
    pub(super) anchor_a: [SimdRow; 2],
    /// The vector from B's center of mass to B's point.
    pub(super) anchor_b: [SimdRow; 2],
    /// The vector from A's center of mass to B's.
    pub(super) between_centers: [SimdRow; 2],
    /// The bias rate of rigid constraints; see [`Softness::bias_rate`].
    pub(super) bias_rate: SimdRow,
    /// See [`Softness::mass_scale`].
    pub(super) mass_scale: SimdRow,
    /// See [`Softness::impulse_scale`].
    pub(super) impulse_scale: SimdRow,
    /// The number of lanes in use.
    pub(super) count: u32,
    /// Of A, and of B: a bit for each lane that must not change it, or is not used.
    unwritten: [u32; 2],
}

/// Values computed from the two bodies of a lane.
pub(super) struct Ends {
    pub(super) inverse_unit: f32,
    /// The sum of the inverse moments of inertia of both bodies, in units.
    inverse_inertia: f32,
    /// The rotations of A and B in the world.
    pub(super) rotations: [Rot; 2],
    pub(super) soft: Softness,
}

impl Ends {
    /// The effective inertia of both bodies together, in units; 0 if neither turns.
    pub(super) fn turning_mass(&self) -> f32 {
        if self.inverse_inertia > 0.0 {
            1.0 / self.inverse_inertia
        } else {
            0.0
        }
    }

    /// The rotation of B in A.
    pub(super) fn turn(&self) -> Rot {
        let [a, b] = self.rotations;
        a.to(b)
    }
}

impl EndRows {
    pub(super) const EMPTY: Self = Self {
        body_a: SimdIndexRow([0; BLOCK]),
        body_b: SimdIndexRow([0; BLOCK]),
        unit: SimdRow::ZERO,
        inverse_mass: [SimdRow::ZERO; 2],
        inverse_inertia: [SimdRow::ZERO; 2],
        anchor_a: [SimdRow::ZERO; 2],
        anchor_b: [SimdRow::ZERO; 2],
        between_centers: [SimdRow::ZERO; 2],
        bias_rate: SimdRow::ZERO,
        mass_scale: SimdRow::ZERO,
        impulse_scale: SimdRow::ZERO,
        count: 0,
        unwritten: [u32::MAX; 2],
    };

    /// The bodies of one side that kernels write.
    #[inline(always)]
    pub(super) fn written(&self, side: usize) -> (&SimdIndexRow, u32) {
        ([&self.body_a, &self.body_b][side], self.unwritten[side])
    }

    /// Fills a lane. With `SLIDING` A's arm extends to B's point.
    pub(super) fn prepare_lane<const SLIDING: bool>(
        &mut self,
        lane: usize,
        joint: &JointSim,
        bodies: BodyArrays<'_>,
        settings: &JointSettings,
    ) -> Ends {
        assert!(lane < BLOCK, "once, and not for each row below");
        let (a, b) = (joint.body_a as usize, joint.body_b as usize);
        let (pose_a, pose_b) = (&bodies.poses[a], &bodies.poses[b]);
        let (sim_a, sim_b) = (&bodies.sims[a], &bodies.sims[b]);
        let (rotation_a, rotation_b) = (pose_a.pose.rotation, pose_b.pose.rotation);
        let anchor_a = rotation_a.rotate(joint.local_anchor_a - pose_a.local_center);
        let anchor_b = rotation_b.rotate(joint.local_anchor_b - pose_b.local_center);
        let between = pose_b.center - pose_a.center;
        let soft = settings.softness(joint);

        let masses = [sim_a.inverse_mass, sim_b.inverse_mass];
        let inertias = [sim_a.inverse_inertia, sim_b.inverse_inertia];
        let mut weight = masses[0]
            + masses[1]
            + (inertias[0] * anchor_a.length_squared() + inertias[1] * anchor_b.length_squared());
        if SLIDING {
            weight += inertias[0] * (between + anchor_b).length_squared();
        }
        if masses == [0.0; 2] {
            // Two that move along no axis are weighed by how they turn, if they do.
            weight += inertias[0] + inertias[1];
            weight = if weight > 0.0 { weight } else { 1.0 };
        }
        let [unit, inverse_unit] = unit_of(weight);
        self.unit.0[lane] = unit;
        self.body_a.0[lane] = joint.body_a;
        self.body_b.0[lane] = joint.body_b;
        for (unwritten, sim) in self.unwritten.iter_mut().zip([sim_a, sim_b]) {
            let bit = 1 << lane;
            *unwritten = *unwritten & !bit | if sim.is_dynamic() { 0 } else { bit };
        }
        for (rows, [x, y]) in [
            (&mut self.anchor_a, anchor_a.to_array()),
            (&mut self.anchor_b, anchor_b.to_array()),
            (&mut self.between_centers, between.to_array()),
            (&mut self.inverse_mass, masses.map(|mass| mass * unit)),
            (&mut self.inverse_inertia, inertias.map(|inertia| inertia * unit)),
        ] {
            rows[0].0[lane] = x;
            rows[1].0[lane] = y;
        }
        self.bias_rate.0[lane] = soft.bias_rate;
        self.mass_scale.0[lane] = soft.mass_scale;
        self.impulse_scale.0[lane] = soft.impulse_scale;
        Ends {
            inverse_unit,
            inverse_inertia: (inertias[0] + inertias[1]) * unit,
            rotations: [rotation_a, rotation_b],
            soft,
        }
    }

    /// The units of a lane's impulses and of its angular impulses: 0 where neither body moves, and where neither turns.
    /// What a joint cannot change it does not bear, whatever impulse its equations end with there.
    pub(super) fn units(&self, lane: usize) -> [f32; 2] {
        let is_any = |rows: &[SimdRow; 2]| rows.iter().any(|row| row.0[lane] > 0.0);
        let turns = is_any(&self.inverse_inertia);
        let moves = turns || is_any(&self.inverse_mass);
        [moves, turns].map(|has_effect| if has_effect { self.unit.0[lane] } else { 0.0 })
    }

    /// Fills lanes that are not used: they read a record that no other worker may touch during this color, that of the
    /// first lane. A mass of one keeps their systems of equations regular.
    pub(super) fn fill_unused(&mut self) {
        self.unwritten = self.unwritten.map(|lanes| lanes | u32::MAX << self.count);
        for lane in self.count as usize..BLOCK {
            self.body_a.0[lane] = self.body_a.0[0];
            self.body_b.0[lane] = self.body_b.0[0];
            self.inverse_mass[0].0[lane] = 1.0;
        }
    }
}

/// The power of two that brings a positive number near one, and its inverse.
pub(super) fn unit_of(weight: f32) -> [f32; 2] {
    const MANTISSA_BITS: u32 = 23;
    // Biased exponents; those of one and of a number and its inverse add up to 254.
    let exponent = (weight.to_bits() >> MANTISSA_BITS).clamp(1, 253);
    [254 - exponent, exponent].map(|exponent| f32::from_bits(exponent << MANTISSA_BITS))
}

/// An impulse of the last step in units; clamped, since the bodies may have been others then.
pub(super) fn in_units(impulse: f32, inverse_unit: f32) -> f32 {
    const IMPULSE_MAX: f32 = 1.0e30;
    (impulse * inverse_unit).clamp(-IMPULSE_MAX, IMPULSE_MAX)
}
