//! [`RevoluteBlock`]: sixteen revolute joints of one color laid out for lanes; filled from joints before the substeps
//! and stored as impulses after them.

use super::contact_block::BodyArrays;
use super::joint_block::{EndRows, JointBlock, JointSettings, in_units};
use super::lanes::{BLOCK, SimdRow};
use super::softness::SoftFactors;

use crate::joint::{AxisImpulses, AxisOptions, JointBlockKind, JointSim, axis, flag};

/// Sixteen revolute joints of one color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RevoluteBlock {
    /// The two bodies of each lane.
    pub(super) ends: EndRows,
    /// The impulse in newton seconds that holds the shared point, in units.
    pub(crate) linear_impulse: [SimdRow; 2],
    /// The angular impulses of that impulse on A and B in newton meter seconds, each part with the arm of the time at
    /// which it was computed.
    pub(crate) turning_impulse: [SimdRow; 2],
    /// The sum of the substeps' final impulses so far.
    pub(crate) total: [SimdRow; 2],
    /// The same sum for spring, motor and limits.
    pub(crate) total_turn: SimdRow,
    /// The angle minus the reference when the step began; see [`JointSim::unwound`].
    pub(crate) angle: SimdRow,
    /// The spring.
    pub(crate) spring: SpringLanes,
    /// The motor.
    pub(crate) motor: MotorLanes,
    /// The limits.
    pub(crate) limit: LimitLanes,
    /// The joint flags of all lanes, OR-ed: features that no lane has are not computed.
    pub(crate) features: u32,
}

/// The spring of each lane; a mass of zero stands for none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SpringLanes {
    pub(crate) mass: SimdRow,
    /// See [`SoftFactors`].
    pub(crate) factors: [SimdRow; 3],
    /// See [`JointSim::spring_target`].
    pub(crate) target: SimdRow,
    pub(crate) impulse: SimdRow,
    /// The error when errors were last removed: the spring pulls by it until the end of the substep.
    pub(crate) error: SimdRow,
}

/// The motor of each lane; a mass of zero stands for none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MotorLanes {
    pub(crate) mass: SimdRow,
    pub(crate) speed: SimdRow,
    pub(crate) max_impulse: SimdRow,
    pub(crate) impulse: SimdRow,
}

/// The limits of each lane; a mass of zero stands for none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LimitLanes {
    pub(crate) mass: SimdRow,
    pub(crate) lower: SimdRow,
    pub(crate) upper: SimdRow,
    pub(crate) lower_impulse: SimdRow,
    pub(crate) upper_impulse: SimdRow,
}

impl SpringLanes {
    const NONE: Self = Self {
        mass: SimdRow::ZERO,
        factors: [SimdRow::ZERO; 3],
        target: SimdRow::ZERO,
        impulse: SimdRow::ZERO,
        error: SimdRow::ZERO,
    };
}

impl MotorLanes {
    const NONE: Self = Self {
        mass: SimdRow::ZERO,
        speed: SimdRow::ZERO,
        max_impulse: SimdRow::ZERO,
        impulse: SimdRow::ZERO,
    };
}

impl LimitLanes {
    const NONE: Self = Self {
        mass: SimdRow::ZERO,
        lower: SimdRow::ZERO,
        upper: SimdRow::ZERO,
        lower_impulse: SimdRow::ZERO,
        upper_impulse: SimdRow::ZERO,
    };
}

impl JointBlock for RevoluteBlock {
    const KIND: usize = JointBlockKind::Revolute.index();

    const EMPTY: Self = Self {
        ends: EndRows::EMPTY,
        linear_impulse: [SimdRow::ZERO; 2],
        turning_impulse: [SimdRow::ZERO; 2],
        total: [SimdRow::ZERO; 2],
        total_turn: SimdRow::ZERO,
        angle: SimdRow::ZERO,
        spring: SpringLanes::NONE,
        motor: MotorLanes::NONE,
        limit: LimitLanes::NONE,
        features: 0,
    };

    /// Rows of the angle are cleared by the first lane that has the feature.
    fn clear(&mut self, count: usize) {
        if count < BLOCK {
            self.ends = EndRows::EMPTY;
            self.linear_impulse = [SimdRow::ZERO; 2];
        }
        self.ends.count = count as u32;
        self.total = [SimdRow::ZERO; 2];
        self.features = 0;
    }

    fn prepare_lane(
        &mut self,
        lane: usize,
        joint: &JointSim,
        bodies: BodyArrays<'_>,
        settings: &JointSettings,
    ) {
        let ends = self.ends.prepare_lane::<false>(lane, joint, bodies, settings);
        for (row, part) in self
            .linear_impulse
            .iter_mut()
            .zip(joint.point_impulse().to_array())
        {
            row.0[lane] = in_units(part, ends.inverse_unit);
        }
        let turning = joint.flags & (flag::SPRING | flag::MOTOR | flag::LIMIT);
        if turning != 0 {
            self.clear_turning(turning & !self.features);
        }
        if turning != 0 || joint.has(flag::COUNT_TURNS) {
            self.angle.0[lane] = joint.unwound(ends.turn().angle());
            self.prepare_turning(lane, joint, [ends.turning_mass(), ends.inverse_unit], settings);
        }
    }

    fn fill_unused(&mut self) {
        self.ends.fill_unused();
    }

    fn store_lane(&self, lane: usize, joint: &mut JointSim, settings: &JointSettings) {
        let [unit, turning_unit] = self.ends.units(lane);
        for (axis, row) in self.linear_impulse.iter().enumerate() {
            joint.impulses[axis].soft = unit * row.0[lane];
        }
        let [x, y] = [0, 1].map(|axis| self.total[axis].0[lane]);
        joint.force = unit * settings.inverse_dt * glam::Vec2::new(x, y);
        (joint.impulses[axis::ANGLE], joint.torque) = self.turning(lane, turning_unit, settings);
        if joint.has(flag::COUNT_TURNS) {
            joint.track.angle = self.angle.0[lane];
        }
    }
}

impl RevoluteBlock {
    /// Clears the rows of features that no lane had yet, which kernels skip until one has.
    fn clear_turning(&mut self, new: u32) {
        if new == 0 {
            return;
        }
        if self.features == 0 {
            self.total_turn = SimdRow::ZERO;
            // All three are summed if any of them is used.
            (self.spring.impulse, self.motor.impulse) = (SimdRow::ZERO, SimdRow::ZERO);
            (self.limit.lower_impulse, self.limit.upper_impulse) = (SimdRow::ZERO, SimdRow::ZERO);
        }
        if new & flag::SPRING != 0 {
            self.spring = SpringLanes::NONE;
        }
        if new & flag::MOTOR != 0 {
            self.motor = MotorLanes::NONE;
        }
        if new & flag::LIMIT != 0 {
            self.limit = LimitLanes::NONE;
        }
        self.features |= new;
    }

    /// The final impulses of spring, motor and limits of a lane, and their torque over the step.
    fn turning(&self, lane: usize, unit: f32, settings: &JointSettings) -> (AxisImpulses, f32) {
        if self.features == 0 {
            return (AxisImpulses::default(), 0.0);
        }
        let impulses = AxisImpulses {
            soft: unit * self.spring.impulse.0[lane],
            motor: unit * self.motor.impulse.0[lane],
            lower: unit * self.limit.lower_impulse.0[lane],
            upper: unit * self.limit.upper_impulse.0[lane],
        };
        (impulses, unit * settings.inverse_dt * self.total_turn.0[lane])
    }

    fn prepare_turning(
        &mut self,
        lane: usize,
        joint: &JointSim,
        [mass, inverse_unit]: [f32; 2],
        settings: &JointSettings,
    ) {
        let impulses = &joint.impulses[axis::ANGLE];
        if joint.has(flag::SPRING) {
            // A spring of 0 Hz applies no force, unlike a rigid constraint: its factors are 0, except that its impulse
            // decays.
            let AxisOptions {
                hertz, damping_ratio, ..
            } = joint.angular;
            let SoftFactors {
                velocity,
                position,
                leak,
            } = SoftFactors::spring(hertz, damping_ratio, settings.h);
            self.spring.mass.0[lane] = mass;
            for (row, factor) in self.spring.factors.iter_mut().zip([velocity, position, leak]) {
                row.0[lane] = factor;
            }
            self.spring.target.0[lane] = joint.spring_target(self.angle.0[lane]);
            self.spring.impulse.0[lane] = in_units(impulses.soft, inverse_unit);
        }
        if joint.has(flag::MOTOR) {
            self.motor.mass.0[lane] = mass;
            self.motor.speed.0[lane] = joint.angular.speed;
            self.motor.max_impulse.0[lane] = settings.h * joint.angular.motor_max * inverse_unit;
            self.motor.impulse.0[lane] = in_units(impulses.motor, inverse_unit);
        }
        if joint.has(flag::LIMIT) {
            self.limit.mass.0[lane] = mass;
            self.limit.lower.0[lane] = joint.angular.lower;
            self.limit.upper.0[lane] = joint.angular.upper;
            self.limit.lower_impulse.0[lane] = in_units(impulses.lower, inverse_unit);
            self.limit.upper_impulse.0[lane] = in_units(impulses.upper, inverse_unit);
        }
    }
}
