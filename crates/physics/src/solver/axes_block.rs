//! [`AxesBlock`]: sixteen joints of one color that are made of the same parts, laid out for lanes: along each of two
//! axes and in angle a position that is held or sprung, a motor and limits; and a point that is held, sprung or driven.
//!
//! Distance, prismatic, weld, wheel, motor and generic joints differ in which parts they have ([`JointSim::plan`]); a
//! part that no lane has is not computed. The reasons against a block for each are in
//! `docs/decisions.md#joints-are-made-of-rows`.

use super::contact_block::BodyArrays;
use super::joint_block::{EndRows, Ends, JointBlock, JointSettings, in_units};
use super::lanes::SimdRow;
use super::softness::SoftFactors;
use crate::joint::{
    AxisImpulses, AxisPlan, JointBlockKind, JointCoordinate, JointPlan, JointSim, PositionConstraint, axis,
    flag,
};
use glam::Vec2;
use tombolo_geometry::Rot;

/// Bits of [`AxesBlock::features`].
pub(super) mod feature {
    /// The position along an axis is held or sprung; indexed by [`axis`](crate::joint::axis).
    pub(in crate::solver) const SOFT: [u32; 3] = [1 << 0, 1 << 1, 1 << 2];
    /// A motor along an axis.
    pub(in crate::solver) const MOTOR: [u32; 3] = [1 << 3, 1 << 4, 1 << 5];
    /// Limits along an axis.
    pub(in crate::solver) const LIMIT: [u32; 3] = [1 << 6, 1 << 7, 1 << 8];
    /// A point is held or sprung.
    pub(in crate::solver) const POINT: u32 = 1 << 9;
    /// A point is driven.
    pub(in crate::solver) const POINT_MOTOR: u32 = 1 << 10;
    /// The translation across the x axis and the angle are held together.
    pub(in crate::solver) const SLIDE: u32 = 1 << 11;
    /// The x axis is the line between the points.
    pub(in crate::solver) const ALONG: u32 = 1 << 12;
    /// The axes are those of the world.
    pub(in crate::solver) const UPRIGHT: u32 = 1 << 13;
    /// All features along the x axis, along the y axis, and of the angle.
    pub(in crate::solver) const ANY: [u32; 3] = [
        SOFT[0] | MOTOR[0] | LIMIT[0],
        SOFT[1] | MOTOR[1] | LIMIT[1],
        SOFT[2] | MOTOR[2] | LIMIT[2],
    ];
    /// The features that need the angle.
    pub(in crate::solver) const ANGLE: u32 = SOFT[2] | LIMIT[2] | SLIDE;
}

/// Velocity, position and leak factors; see [`SoftFactors`]. All zero if there is no constraint.
pub(super) type FactorRows = [SimdRow; 3];

/// A position that is held or sprung.
#[derive(Clone, Copy, Debug)]
pub(super) struct SoftRows {
    pub(super) target: SimdRow,
    /// The factors with which the solver removes errors.
    pub(super) solve: FactorRows,
    /// The factors with which it relaxes: the same for springs, the velocity alone for rigid constraints.
    pub(super) relax: FactorRows,
    /// The least and the greatest impulse.
    pub(super) bounds: [SimdRow; 2],
    pub(super) impulse: SimdRow,
    /// The impulse that a speed of the error would take, with the poses and the effective mass of the time when errors
    /// were last removed. A spring pulls by it until the end of the substep, also after its bodies have moved: the error
    /// of one pose with the mass of another would be a force that is no function of the pose, which makes energy.
    pub(super) error_impulse: SimdRow,
}

/// A motor; without strength if there is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct MotorRows {
    pub(super) speed: SimdRow,
    pub(super) strength: SimdRow,
    pub(super) impulse: SimdRow,
}

/// Limits; `on` is 1, or 0 if there are none.
#[derive(Clone, Copy, Debug)]
pub(super) struct LimitRows {
    pub(super) on: SimdRow,
    pub(super) bounds: [SimdRow; 2],
    pub(super) impulses: [SimdRow; 2],
}

/// The constraints along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct AxisRows {
    pub(super) soft: SoftRows,
    pub(super) motor: MotorRows,
    pub(super) limit: LimitRows,
}

/// A point that is held, sprung or driven along the axes of the world.
#[derive(Clone, Copy, Debug)]
pub(super) struct PointRows {
    pub(super) solve: FactorRows,
    pub(super) relax: FactorRows,
    /// The greatest impulse.
    pub(super) strength: SimdRow,
    pub(super) impulse: [SimdRow; 2],
    /// See [`SoftRows::error_impulse`].
    pub(super) error_impulse: [SimdRow; 2],
    pub(super) motor_velocity: [SimdRow; 2],
    pub(super) motor_strength: SimdRow,
    pub(super) motor_impulse: [SimdRow; 2],
}

/// The translation across the x axis and the angle, held together; `on` is 1, or 0 if they are not.
#[derive(Clone, Copy, Debug)]
pub(super) struct SlideRows {
    pub(super) on: SimdRow,
    pub(super) impulse: [SimdRow; 2],
}

/// Sixteen joints of one color.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxesBlock {
    /// The two bodies of each lane.
    pub(super) ends: EndRows,
    /// The direction of the x axis in the world when the step began.
    pub(super) axis: [SimdRow; 2],
    /// 1 if the x axis is the line between the points, -1 if it is that of the world, otherwise 0.
    pub(super) along: SimdRow,
    /// The angle of B's frame in A's when the step began.
    pub(super) angle: SimdRow,
    pub(super) axes: [AxisRows; axis::COUNT],
    pub(super) point: PointRows,
    pub(super) slide: SlideRows,
    /// The impulses in the bodies' velocities: x, y, and the angular impulses on A and B, each part with the axes and
    /// arms of the time at which it was computed.
    pub(super) applied: [SimdRow; 4],
    /// The sum of the substeps' final impulses so far: x, y, angular.
    pub(super) total: [SimdRow; 3],
    /// Bits of [`feature`] of all lanes, OR-ed: features that no lane has are not computed.
    pub(super) features: u32,
}

const ZEROS: [SimdRow; 2] = [SimdRow::ZERO; 2];

const EMPTY_AXIS: AxisRows = AxisRows {
    soft: SoftRows {
        target: SimdRow::ZERO,
        solve: [SimdRow::ZERO; 3],
        relax: [SimdRow::ZERO; 3],
        bounds: ZEROS,
        impulse: SimdRow::ZERO,
        error_impulse: SimdRow::ZERO,
    },
    motor: MotorRows {
        speed: SimdRow::ZERO,
        strength: SimdRow::ZERO,
        impulse: SimdRow::ZERO,
    },
    limit: LimitRows {
        on: SimdRow::ZERO,
        bounds: ZEROS,
        impulses: ZEROS,
    },
};

impl JointBlock for AxesBlock {
    const KIND: usize = JointBlockKind::Axes.index();

    const EMPTY: Self = Self {
        ends: EndRows::EMPTY,
        axis: ZEROS,
        along: SimdRow::ZERO,
        angle: SimdRow::ZERO,
        axes: [EMPTY_AXIS; axis::COUNT],
        point: PointRows {
            solve: [SimdRow::ZERO; 3],
            relax: [SimdRow::ZERO; 3],
            strength: SimdRow::ZERO,
            impulse: ZEROS,
            error_impulse: ZEROS,
            motor_velocity: ZEROS,
            motor_strength: SimdRow::ZERO,
            motor_impulse: ZEROS,
        },
        slide: SlideRows {
            on: SimdRow::ZERO,
            impulse: ZEROS,
        },
        applied: [SimdRow::ZERO; 4],
        total: [SimdRow::ZERO; 3],
        features: 0,
    };

    fn clear(&mut self, count: usize) {
        *self = Self::EMPTY;
        self.ends.count = count as u32;
    }

    fn prepare_lane(
        &mut self,
        lane: usize,
        joint: &JointSim,
        bodies: BodyArrays<'_>,
        settings: &JointSettings,
    ) {
        let ends = self.ends.prepare_lane::<true>(lane, joint, bodies, settings);
        let x_axis = ends.rotations[0].then(Rot::from_angle(joint.local_angle_a));
        self.axis[0].0[lane] = x_axis.cos;
        self.axis[1].0[lane] = x_axis.sin;
        let angle = joint.unwound(ends.turn().angle());
        self.angle.0[lane] = angle;
        let mut plan = joint.plan();
        if let (Some(JointCoordinate::Each), PositionConstraint::Sprung { target, .. }) =
            (joint.parts().spring, &mut plan.axes[axis::ANGLE].position)
        {
            *target = joint.spring_target(angle);
        }
        if plan.along {
            self.along.0[lane] = 1.0;
            self.features |= feature::ALONG;
        }
        if plan.upright {
            self.along.0[lane] = -1.0;
            self.features |= feature::UPRIGHT;
        }
        for (index, axis) in plan.axes.iter().enumerate() {
            self.prepare_axis(lane, index, axis, (&joint.impulses[index], &ends), settings);
        }
        self.prepare_point(lane, &plan, (joint, &ends), settings);
        if plan.slides {
            self.features |= feature::SLIDE;
            self.slide.on.0[lane] = 1.0;
            for (row, axis) in self.slide.impulse.iter_mut().zip([axis::Y, axis::ANGLE]) {
                row.0[lane] = in_units(joint.impulses[axis].soft, ends.inverse_unit);
            }
        }
    }

    fn fill_unused(&mut self) {
        self.ends.fill_unused();
    }

    fn store_lane(&self, lane: usize, joint: &mut JointSim, settings: &JointSettings) {
        let [unit, turning_unit] = self.ends.units(lane);
        let units = [unit, unit, turning_unit];
        for ((axis, impulses), unit) in self.axes.iter().zip(&mut joint.impulses).zip(units) {
            *impulses = AxisImpulses {
                soft: unit * axis.soft.impulse.0[lane],
                motor: unit * axis.motor.impulse.0[lane],
                lower: unit * axis.limit.impulses[0].0[lane],
                upper: unit * axis.limit.impulses[1].0[lane],
            };
        }
        // A joint has only one of these along an axis, and zeros in the others' rows.
        for (axis, (held, driven)) in (self.point.impulse.iter().zip(&self.point.motor_impulse)).enumerate() {
            joint.impulses[axis].soft += unit * held.0[lane];
            joint.impulses[axis].motor += unit * driven.0[lane];
        }
        for (axis, row) in [axis::Y, axis::ANGLE].into_iter().zip(&self.slide.impulse) {
            joint.impulses[axis].soft += units[axis] * row.0[lane];
        }
        let [x, y, turn] = [0, 1, 2].map(|part| units[part] * settings.inverse_dt * self.total[part].0[lane]);
        joint.force = Vec2::new(x, y);
        joint.torque = turn;
        if joint.has(flag::COUNT_TURNS) {
            joint.track.angle = self.angle.0[lane];
        }
    }
}

impl AxesBlock {
    fn prepare_axis(
        &mut self,
        lane: usize,
        index: usize,
        plan: &AxisPlan,
        (impulses, ends): (&AxisImpulses, &Ends),
        settings: &JointSettings,
    ) {
        let inverse_unit = ends.inverse_unit;
        let AxisRows { soft, motor, limit } = &mut self.axes[index];
        if let Some(Factors { solve, relax, bounds }) = Factors::new(plan.position, ends, settings) {
            self.features |= feature::SOFT[index];
            soft.target.0[lane] = match plan.position {
                PositionConstraint::Held(target) | PositionConstraint::Sprung { target, .. } => target,
                PositionConstraint::Free => 0.0,
            };
            fill(&mut soft.solve, lane, solve);
            fill(&mut soft.relax, lane, relax);
            for (row, bound) in soft.bounds.iter_mut().zip(bounds) {
                row.0[lane] = bound;
            }
            soft.impulse.0[lane] = in_units(impulses.soft, inverse_unit);
        }
        if let Some([speed, strength]) = plan.motor {
            self.features |= feature::MOTOR[index];
            motor.speed.0[lane] = speed;
            motor.strength.0[lane] = settings.h * strength * inverse_unit;
            motor.impulse.0[lane] = in_units(impulses.motor, inverse_unit);
        }
        if let Some(bounds) = plan.limits {
            self.features |= feature::LIMIT[index];
            limit.on.0[lane] = 1.0;
            for (row, bound) in limit.bounds.iter_mut().zip(bounds) {
                row.0[lane] = bound;
            }
            for (row, impulse) in limit.impulses.iter_mut().zip([impulses.lower, impulses.upper]) {
                row.0[lane] = in_units(impulse, inverse_unit);
            }
        }
    }

    fn prepare_point(
        &mut self,
        lane: usize,
        plan: &JointPlan,
        (joint, ends): (&JointSim, &Ends),
        settings: &JointSettings,
    ) {
        let point = &mut self.point;
        if let Some(Factors { solve, relax, bounds }) = Factors::new(plan.point, ends, settings) {
            self.features |= feature::POINT;
            fill(&mut point.solve, lane, solve);
            fill(&mut point.relax, lane, relax);
            point.strength.0[lane] = bounds[1];
            for (row, axis) in point.impulse.iter_mut().zip(&joint.impulses) {
                row.0[lane] = in_units(axis.soft, ends.inverse_unit);
            }
        }
        if let Some([x, y, strength]) = plan.point_motor {
            self.features |= feature::POINT_MOTOR;
            for (row, speed) in point.motor_velocity.iter_mut().zip([x, y]) {
                row.0[lane] = speed;
            }
            point.motor_strength.0[lane] = settings.h * strength * ends.inverse_unit;
            for (row, axis) in point.motor_impulse.iter_mut().zip(&joint.impulses) {
                row.0[lane] = in_units(axis.motor, ends.inverse_unit);
            }
        }
    }
}

/// The factors of a position that is held or sprung, and the least and greatest impulse in units.
struct Factors {
    solve: SoftFactors,
    relax: SoftFactors,
    bounds: [f32; 2],
}

impl Factors {
    fn new(position: PositionConstraint, ends: &Ends, settings: &JointSettings) -> Option<Self> {
        match position {
            PositionConstraint::Free => None,
            PositionConstraint::Held(_) => Some(Self {
                solve: ends.soft.into(),
                relax: SoftFactors::RIGID,
                bounds: [f32::NEG_INFINITY, f32::INFINITY],
            }),
            PositionConstraint::Sprung {
                hertz,
                damping_ratio,
                bounds,
                ..
            } => {
                let spring = SoftFactors::spring(hertz, damping_ratio, settings.h);
                Some(Self {
                    solve: spring,
                    relax: spring,
                    bounds: bounds.map(|force| settings.h * force * ends.inverse_unit),
                })
            }
        }
    }
}

fn fill(rows: &mut FactorRows, lane: usize, factors: SoftFactors) {
    for (row, factor) in rows
        .iter_mut()
        .zip([factors.velocity, factors.position, factors.leak])
    {
        row.0[lane] = factor;
    }
}
