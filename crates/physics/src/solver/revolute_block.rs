//! [`RevoluteBlock`]: sixteen revolute joints of one color laid out for lanes; filled from joints before the substeps
//! and turned back into impulses after them.

use super::contact_block::Bodies;
use super::lanes::{BLOCK, SimdIndexRow, SimdRow};
use super::softness::Softness;
use crate::body::READ_ONLY;
use crate::joint::{JointSim, flag};

/// Sixteen revolute joints of one color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RevoluteBlock {
    /// First bodies.
    pub(crate) body_a: SimdIndexRow,
    /// Second bodies.
    pub(crate) body_b: SimdIndexRow,
    /// The power of two that masses below, and impulses with them, are divided by, so that the products of both bodies' are
    /// near one however heavy, light or far off they are. It changes no other result: only exponents differ.
    pub(crate) unit: SimdRow,
    /// One over kilograms, of A and B, times the unit.
    pub(crate) inverse_mass: [SimdRow; 2],
    /// One over kilogram square meters, of A and B, times the unit.
    pub(crate) inverse_inertia: [SimdRow; 2],
    /// The shared point from A's center of mass, world axes, as the step began.
    pub(crate) anchor_a: [SimdRow; 2],
    /// The shared point from B's center of mass.
    pub(crate) anchor_b: [SimdRow; 2],
    /// From A's center of mass to B's.
    pub(crate) between_centers: [SimdRow; 2],
    /// Factors of the soft shared point.
    pub(crate) bias_rate: SimdRow,
    /// See [`Softness::mass_scale`].
    pub(crate) mass_scale: SimdRow,
    /// See [`Softness::impulse_scale`].
    pub(crate) impulse_scale: SimdRow,
    /// Newton seconds that hold the shared point, in units.
    pub(crate) linear_impulse: [SimdRow; 2],
    /// What that impulse turned A and B by, newton meter seconds, each part of it with the arm that it was found with.
    pub(crate) turning_impulse: [SimdRow; 2],
    /// The angle minus the reference as the step began; see [`JointSim::unwound`].
    pub(crate) angle: SimdRow,
    /// The parts that turn.
    pub(crate) spring: SpringLanes,
    /// The motor.
    pub(crate) motor: MotorLanes,
    /// The limits.
    pub(crate) limit: LimitLanes,
    /// How many lanes are used.
    pub(crate) count: u32,
    /// The joint flags of all lanes, OR-ed: what no lane has is not computed.
    pub(crate) features: u32,
}

/// The spring of each lane; a mass of zero where there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpringLanes {
    pub(crate) mass: SimdRow,
    pub(crate) bias_rate: SimdRow,
    pub(crate) impulse_scale: SimdRow,
    /// See [`JointSim::spring_target`].
    pub(crate) target: SimdRow,
    pub(crate) impulse: SimdRow,
}

/// The motor of each lane; a mass of zero where there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MotorLanes {
    pub(crate) mass: SimdRow,
    pub(crate) speed: SimdRow,
    pub(crate) max_impulse: SimdRow,
    pub(crate) impulse: SimdRow,
}

/// The limits of each lane; a mass of zero where there are none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitLanes {
    pub(crate) mass: SimdRow,
    pub(crate) lower: SimdRow,
    pub(crate) upper: SimdRow,
    pub(crate) lower_impulse: SimdRow,
    pub(crate) upper_impulse: SimdRow,
}

/// What preparing a revolute joint needs to know of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RevoluteSettings {
    /// Seconds of a substep.
    pub(crate) h: f32,
}

impl RevoluteBlock {
    pub(crate) const EMPTY: Self = Self {
        body_a: SimdIndexRow([READ_ONLY; BLOCK]),
        body_b: SimdIndexRow([READ_ONLY; BLOCK]),
        unit: SimdRow::ZERO,
        inverse_mass: [SimdRow::ZERO; 2],
        inverse_inertia: [SimdRow::ZERO; 2],
        anchor_a: [SimdRow::ZERO; 2],
        anchor_b: [SimdRow::ZERO; 2],
        between_centers: [SimdRow::ZERO; 2],
        bias_rate: SimdRow::ZERO,
        mass_scale: SimdRow::ZERO,
        impulse_scale: SimdRow::ZERO,
        linear_impulse: [SimdRow::ZERO; 2],
        turning_impulse: [SimdRow::ZERO; 2],
        angle: SimdRow::ZERO,
        spring: SpringLanes {
            mass: SimdRow::ZERO,
            bias_rate: SimdRow::ZERO,
            impulse_scale: SimdRow::ZERO,
            target: SimdRow::ZERO,
            impulse: SimdRow::ZERO,
        },
        motor: MotorLanes {
            mass: SimdRow::ZERO,
            speed: SimdRow::ZERO,
            max_impulse: SimdRow::ZERO,
            impulse: SimdRow::ZERO,
        },
        limit: LimitLanes {
            mass: SimdRow::ZERO,
            lower: SimdRow::ZERO,
            upper: SimdRow::ZERO,
            lower_impulse: SimdRow::ZERO,
            upper_impulse: SimdRow::ZERO,
        },
        count: 0,
        features: 0,
    };

    /// Fills the block from up to sixteen revolute joints of one color.
    pub(crate) fn prepare<'a>(
        &mut self,
        joints: impl ExactSizeIterator<Item = &'a JointSim>,
        bodies: Bodies<'_>,
        settings: &RevoluteSettings,
    ) {
        let count = joints.len();
        debug_assert!((1..=BLOCK).contains(&count));
        *self = Self::EMPTY;
        self.count = count as u32;
        for (lane, joint) in joints.enumerate() {
            self.prepare_lane(lane, joint, bodies, settings);
        }
        // Unused lanes read a record that nobody else may touch during this color: that of the first lane.
        for lane in count..BLOCK {
            self.body_a.0[lane] = self.body_a.0[0] | READ_ONLY;
            self.body_b.0[lane] = self.body_b.0[0] | READ_ONLY;
            // Keeps the 2 by 2 system of an unused lane regular.
            self.inverse_mass[0].0[lane] = 1.0;
        }
    }

    fn prepare_lane(
        &mut self,
        lane: usize,
        joint: &JointSim,
        bodies: Bodies<'_>,
        settings: &RevoluteSettings,
    ) {
        let (a, b) = (joint.body_a as usize, joint.body_b as usize);
        let (pose_a, pose_b) = (&bodies.poses[a], &bodies.poses[b]);
        let (sim_a, sim_b) = (&bodies.sims[a], &bodies.sims[b]);
        let anchor_a = pose_a
            .pose
            .rotation
            .rotate(joint.local_anchor_a - pose_a.local_center);
        let anchor_b = pose_b
            .pose
            .rotation
            .rotate(joint.local_anchor_b - pose_b.local_center);
        let between = pose_b.center - pose_a.center;
        let quarter_rate = 0.25 / settings.h;
        let soft = Softness::new(
            joint.constraint_hertz.min(quarter_rate),
            joint.constraint_damping_ratio,
            settings.h,
        );

        let masses = [sim_a.inverse_mass, sim_b.inverse_mass];
        let inertias = [sim_a.inverse_inertia, sim_b.inverse_inertia];
        let weight = masses[0]
            + masses[1]
            + (inertias[0] * anchor_a.length_squared() + inertias[1] * anchor_b.length_squared());
        let [unit, inverse_unit] = unit_of(weight);
        self.unit.0[lane] = unit;
        let impulse = joint
            .linear_impulse
            .to_array()
            .map(|part| in_units(part, inverse_unit));
        self.body_a.0[lane] = joint.body_a | if sim_a.is_dynamic() { 0 } else { READ_ONLY };
        self.body_b.0[lane] = joint.body_b | if sim_b.is_dynamic() { 0 } else { READ_ONLY };
        for (rows, [x, y]) in [
            (&mut self.anchor_a, anchor_a.to_array()),
            (&mut self.anchor_b, anchor_b.to_array()),
            (&mut self.between_centers, between.to_array()),
            (&mut self.inverse_mass, masses.map(|mass| mass * unit)),
            (&mut self.inverse_inertia, inertias.map(|inertia| inertia * unit)),
            (&mut self.linear_impulse, impulse),
        ] {
            rows[0].0[lane] = x;
            rows[1].0[lane] = y;
        }
        self.bias_rate.0[lane] = soft.bias_rate;
        self.mass_scale.0[lane] = soft.mass_scale;
        self.impulse_scale.0[lane] = soft.impulse_scale;

        let turning = joint.flags & (flag::SPRING | flag::MOTOR | flag::LIMIT);
        self.features |= turning;
        if turning != 0 {
            let inertia = (inertias[0] + inertias[1]) * unit;
            let mass = if inertia > 0.0 { 1.0 / inertia } else { 0.0 };
            let turn = pose_a.pose.rotation.to(pose_b.pose.rotation);
            self.angle.0[lane] = joint.unwound(turn.angle());
            self.prepare_turning(lane, joint, [mass, inverse_unit], settings);
        }
    }

    fn prepare_turning(
        &mut self,
        lane: usize,
        joint: &JointSim,
        [mass, inverse_unit]: [f32; 2],
        settings: &RevoluteSettings,
    ) {
        if joint.has(flag::SPRING) {
            let soft = Softness::new(joint.spring_hertz, joint.spring_damping_ratio, settings.h);
            // A spring of 0 Hz pulls with nothing, unlike a rigid constraint.
            let scale = if joint.spring_hertz > 0.0 {
                soft.mass_scale
            } else {
                0.0
            };
            self.spring.mass.0[lane] = mass * scale;
            self.spring.bias_rate.0[lane] = soft.bias_rate;
            self.spring.impulse_scale.0[lane] = soft.impulse_scale;
            self.spring.target.0[lane] = joint.spring_target(self.angle.0[lane]);
            self.spring.impulse.0[lane] = in_units(joint.spring_impulse, inverse_unit);
        }
        if joint.has(flag::MOTOR) {
            self.motor.mass.0[lane] = mass;
            self.motor.speed.0[lane] = joint.motor_speed;
            self.motor.max_impulse.0[lane] = settings.h * joint.max_motor_torque * inverse_unit;
            self.motor.impulse.0[lane] = in_units(joint.motor_impulse, inverse_unit);
        }
        if joint.has(flag::LIMIT) {
            self.limit.mass.0[lane] = mass;
            self.limit.lower.0[lane] = joint.lower_angle;
            self.limit.upper.0[lane] = joint.upper_angle;
            self.limit.lower_impulse.0[lane] = in_units(joint.lower_impulse, inverse_unit);
            self.limit.upper_impulse.0[lane] = in_units(joint.upper_impulse, inverse_unit);
        }
    }

    /// Writes the impulses of lane `lane` back into its joint.
    pub(crate) fn store_lane(&self, lane: usize, joint: &mut JointSim) {
        let unit = self.unit.0[lane];
        let [x, y] = [0, 1].map(|axis| self.linear_impulse[axis].0[lane]);
        joint.linear_impulse = unit * glam::Vec2::new(x, y);
        joint.spring_impulse = unit * self.spring.impulse.0[lane];
        joint.motor_impulse = unit * self.motor.impulse.0[lane];
        joint.lower_impulse = unit * self.limit.lower_impulse.0[lane];
        joint.upper_impulse = unit * self.limit.upper_impulse.0[lane];
    }
}

/// The power of two that brings a positive number near one, and its inverse.
fn unit_of(weight: f32) -> [f32; 2] {
    const MANTISSA_BITS: u32 = 23;
    // Biased exponents; those of one and of a number and its inverse add up to 254.
    let exponent = (weight.to_bits() >> MANTISSA_BITS).clamp(1, 253);
    [254 - exponent, exponent].map(|exponent| f32::from_bits(exponent << MANTISSA_BITS))
}

/// An impulse of the last step in units; bounded, should the bodies have been other ones then.
fn in_units(impulse: f32, inverse_unit: f32) -> f32 {
    const IMPULSE_MAX: f32 = 1.0e30;
    (impulse * inverse_unit).clamp(-IMPULSE_MAX, IMPULSE_MAX)
}
