//! [`HingeBlock`]: sixteen revolute joints of one color laid out for lanes; filled from joints before the substeps
//! and turned back into impulses after them.

use super::contact_block::Bodies;
use super::lanes::{BLOCK, IndexRow, READ_ONLY, Row};
use super::softness::Softness;
use crate::joint::{JointSim, flag};

/// Sixteen hinges of one colour.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HingeBlock {
    /// First bodies.
    pub(crate) body_a: IndexRow,
    /// Second bodies.
    pub(crate) body_b: IndexRow,
    /// The power of two that masses below, and impulses with them, are divided by, so that the products of both bodies' are
    /// near one however heavy, light or far off they are. It changes no other result: only exponents differ.
    pub(crate) unit: Row,
    /// One over kilograms, of A and B, times the unit.
    pub(crate) inverse_mass: [Row; 2],
    /// One over kilogram square metres, of A and B, times the unit.
    pub(crate) inverse_inertia: [Row; 2],
    /// The shared point from A's centre of mass, world axes, as the step began.
    pub(crate) anchor_a: [Row; 2],
    /// The shared point from B's centre of mass.
    pub(crate) anchor_b: [Row; 2],
    /// From A's centre of mass to B's.
    pub(crate) between_centers: [Row; 2],
    /// Factors of the soft shared point.
    pub(crate) bias_rate: Row,
    /// See [`Softness::mass_scale`].
    pub(crate) mass_scale: Row,
    /// See [`Softness::impulse_scale`].
    pub(crate) impulse_scale: Row,
    /// Newton seconds that hold the shared point, in units.
    pub(crate) linear_impulse: [Row; 2],
    /// What that impulse turned A and B by, newton metre seconds, each part of it with the arm that it was found with.
    pub(crate) turning_impulse: [Row; 2],
    /// The angle minus the reference as the step began; see [`JointSim::unwound`].
    pub(crate) angle: Row,
    /// The parts that turn.
    pub(crate) spring: SpringRows,
    /// The motor.
    pub(crate) motor: MotorRows,
    /// The limits.
    pub(crate) limit: LimitRows,
    /// How many lanes are used.
    pub(crate) count: u32,
    /// The joint flags of all lanes, OR-ed: what no lane has is not computed.
    pub(crate) features: u32,
}

/// The spring of each lane; a mass of zero where there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpringRows {
    pub(crate) mass: Row,
    pub(crate) bias_rate: Row,
    pub(crate) impulse_scale: Row,
    /// See [`JointSim::spring_target`].
    pub(crate) target: Row,
    pub(crate) impulse: Row,
}

/// The motor of each lane; a mass of zero where there is none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MotorRows {
    pub(crate) mass: Row,
    pub(crate) speed: Row,
    pub(crate) max_impulse: Row,
    pub(crate) impulse: Row,
}

/// The limits of each lane; a mass of zero where there are none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitRows {
    pub(crate) mass: Row,
    pub(crate) lower: Row,
    pub(crate) upper: Row,
    pub(crate) lower_impulse: Row,
    pub(crate) upper_impulse: Row,
}

/// What preparing a hinge needs to know of the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HingeSettings {
    /// Seconds of a substep.
    pub(crate) h: f32,
}

impl HingeBlock {
    pub(crate) const EMPTY: Self = Self {
        body_a: IndexRow([READ_ONLY; BLOCK]),
        body_b: IndexRow([READ_ONLY; BLOCK]),
        unit: Row::ZERO,
        inverse_mass: [Row::ZERO; 2],
        inverse_inertia: [Row::ZERO; 2],
        anchor_a: [Row::ZERO; 2],
        anchor_b: [Row::ZERO; 2],
        between_centers: [Row::ZERO; 2],
        bias_rate: Row::ZERO,
        mass_scale: Row::ZERO,
        impulse_scale: Row::ZERO,
        linear_impulse: [Row::ZERO; 2],
        turning_impulse: [Row::ZERO; 2],
        angle: Row::ZERO,
        spring: SpringRows {
            mass: Row::ZERO,
            bias_rate: Row::ZERO,
            impulse_scale: Row::ZERO,
            target: Row::ZERO,
            impulse: Row::ZERO,
        },
        motor: MotorRows {
            mass: Row::ZERO,
            speed: Row::ZERO,
            max_impulse: Row::ZERO,
            impulse: Row::ZERO,
        },
        limit: LimitRows {
            mass: Row::ZERO,
            lower: Row::ZERO,
            upper: Row::ZERO,
            lower_impulse: Row::ZERO,
            upper_impulse: Row::ZERO,
        },
        count: 0,
        features: 0,
    };

    /// Fills the block from up to sixteen hinges of one colour.
    pub(crate) fn prepare<'a>(
        &mut self,
        joints: impl ExactSizeIterator<Item = &'a JointSim>,
        bodies: Bodies<'_>,
        settings: &HingeSettings,
    ) {
        let count = joints.len();
        debug_assert!((1..=BLOCK).contains(&count));
        *self = Self::EMPTY;
        self.count = count as u32;
        for (lane, joint) in joints.enumerate() {
            self.prepare_lane(lane, joint, bodies, settings);
        }
        // Unused lanes read a row that nobody else may touch during this colour: that of the first lane.
        for lane in count..BLOCK {
            self.body_a.0[lane] = self.body_a.0[0] | READ_ONLY;
            self.body_b.0[lane] = self.body_b.0[0] | READ_ONLY;
            // Keeps the 2 by 2 system of an unused lane regular.
            self.inverse_mass[0].0[lane] = 1.0;
        }
    }

    fn prepare_lane(&mut self, lane: usize, joint: &JointSim, bodies: Bodies<'_>, settings: &HingeSettings) {
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
        settings: &HingeSettings,
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
