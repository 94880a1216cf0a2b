//! [`JointPlan`]: the constraints that the solver applies for a joint, whatever its kind: for each axis whether it is
//! held, sprung, driven or limited.

use super::kind::JointKind;
use super::record::{AxisOptions, JointSim, axis, flag};

/// The constraint of the position along an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum PositionConstraint {
    /// The position is free.
    Free,
    /// The position is held at a value, with the joint's constraint softness.
    Held(f32),
    /// A spring pulls the position to a target.
    Sprung {
        /// The target.
        target: f32,
        /// The frequency, in hertz.
        hertz: f32,
        /// The damping ratio.
        damping_ratio: f32,
        /// The least and the greatest force.
        bounds: [f32; 2],
    },
}

/// The constraints that the solver applies along an axis.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AxisPlan {
    pub(crate) position: PositionConstraint,
    /// The speed and the greatest force of a motor.
    pub(crate) motor: Option<[f32; 2]>,
    /// The least and the greatest position.
    pub(crate) limits: Option<[f32; 2]>,
}

/// The constraints that the solver applies for a joint.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JointPlan {
    /// The plans along x and y of the first frame, and of the angle.
    pub(crate) axes: [AxisPlan; axis::COUNT],
    /// The constraint of both points together, along the axes of the world.
    pub(crate) point: PositionConstraint,
    /// A motor drives the second point relative to the first: the velocity along the axes of the world, and the
    /// greatest force.
    pub(crate) point_motor: Option<[f32; 3]>,
    /// The translation across the x axis and the angle are held together.
    pub(crate) slides: bool,
    /// The x axis is the line from the first point to the second.
    pub(crate) along: bool,
    /// The axes are those of the world.
    pub(crate) upright: bool,
}

impl AxisPlan {
    const FREE: Self = Self {
        position: PositionConstraint::Free,
        motor: None,
        limits: None,
    };
}

impl AxisOptions {
    /// A spring of unlimited force; free if its frequency is 0.
    fn spring(&self) -> PositionConstraint {
        self.bounded_spring([f32::NEG_INFINITY, f32::INFINITY])
    }

    fn bounded_spring(&self, bounds: [f32; 2]) -> PositionConstraint {
        let Self {
            target,
            hertz,
            damping_ratio,
            ..
        } = *self;
        if hertz == 0.0 || bounds == [0.0; 2] {
            return PositionConstraint::Free;
        }
        PositionConstraint::Sprung {
            target,
            hertz,
            damping_ratio,
            bounds,
        }
    }

    /// A spring, or a rigid constraint at 0 if its frequency is 0.
    fn spring_or_rigid(&self) -> PositionConstraint {
        if self.hertz == 0.0 {
            return PositionConstraint::Held(0.0);
        }
        Self { target: 0.0, ..*self }.spring()
    }
}

impl JointSim {
    /// The constraints that the solver applies for the joint; none for filters, and for kinds that have a kernel of
    /// their own.
    pub(crate) fn plan(&self) -> JointPlan {
        let mut plan = JointPlan {
            axes: [AxisPlan::FREE; axis::COUNT],
            point: PositionConstraint::Free,
            point_motor: None,
            slides: false,
            along: false,
            upright: false,
        };
        let [x, y, angle] = &mut plan.axes;
        let options = &self.linear[axis::X];
        match self.kind() {
            JointKind::Revolute
            | JointKind::Filter
            | JointKind::Gear
            | JointKind::Rack
            | JointKind::Pulley => {}
            JointKind::Generic => self.plan_generic(&mut plan),
            JointKind::Distance => {
                plan.along = true;
                *x = self.along(options, [options.spring_min, options.spring_max]);
                if self.flags & (flag::SPRING | flag::LIMIT | flag::MOTOR) == 0 {
                    x.position = PositionConstraint::Held(options.target);
                }
            }
            JointKind::Prismatic => {
                plan.slides = true;
                *x = self.along(options, [f32::NEG_INFINITY, f32::INFINITY]);
            }
            JointKind::Weld => {
                plan.point = options.spring_or_rigid();
                angle.position = self.angular.spring_or_rigid();
            }
            JointKind::Wheel => {
                *x = AxisPlan {
                    motor: None,
                    ..self.along(options, [f32::NEG_INFINITY, f32::INFINITY])
                };
                let motor = [self.angular.speed, self.angular.motor_max];
                angle.motor = self.has(flag::MOTOR).then_some(motor);
                y.position = PositionConstraint::Held(0.0);
            }
            JointKind::Pogo => *x = self.along(options, [options.spring_min, options.spring_max]),
            JointKind::Mover => {
                plan.upright = true;
                for (axis, options) in [x, y].into_iter().zip(&self.linear) {
                    let strong = options.motor_max > 0.0;
                    axis.motor = strong.then_some([options.speed, options.motor_max]);
                }
            }
            JointKind::Motor => {
                let centered = |options: &AxisOptions| AxisOptions {
                    target: 0.0,
                    ..*options
                };
                let spring = |options: &AxisOptions| {
                    centered(options).bounded_spring([-options.spring_max, options.spring_max])
                };
                let strong = |options: &AxisOptions| options.motor_max > 0.0;
                plan.point = spring(options);
                plan.point_motor =
                    strong(options).then_some([options.speed, self.linear[axis::Y].speed, options.motor_max]);
                angle.position = spring(&self.angular);
                angle.motor = strong(&self.angular).then_some([self.angular.speed, self.angular.motor_max]);
            }
        }
        plan
    }

    /// The speeds at which motors drive the joint, in meters and in radians per second; 0 where none does.
    pub(crate) fn drive_speeds(&self) -> [f32; 2] {
        let speed = |[speed, max]: [f32; 2]| if max > 0.0 { speed.abs() } else { 0.0 };
        if self.is_revolute() {
            let is_on = self.has(flag::MOTOR);
            let motor = [self.angular.speed, self.angular.motor_max];
            return [0.0, if is_on { speed(motor) } else { 0.0 }];
        }
        let plan = self.plan();
        let [x, y, angle] = plan.axes.map(|axis| axis.motor.map_or(0.0, speed));
        let [point_x, point_y] = plan
            .point_motor
            .map_or([0.0; 2], |[x, y, max]| [speed([x, max]), speed([y, max])]);
        [x.max(y).max(point_x).max(point_y), angle]
    }

    /// Plans each axis by its options. Two axes that are locked are held together, like those of other kinds.
    fn plan_generic(&self, plan: &mut JointPlan) {
        let unbounded = [f32::NEG_INFINITY, f32::INFINITY];
        let axes = [
            (
                &self.linear[0],
                [flag::LOCK_X, flag::SPRING, flag::MOTOR, flag::LIMIT],
            ),
            (
                &self.linear[1],
                [flag::LOCK_Y, flag::SPRING_Y, flag::MOTOR_Y, flag::LIMIT_Y],
            ),
            (
                &self.angular,
                [
                    flag::LOCK_ANGLE,
                    flag::SPRING_ANGLE,
                    flag::MOTOR_ANGLE,
                    flag::LIMIT_ANGLE,
                ],
            ),
        ];
        for (axis, (options, [lock, parts @ ..])) in plan.axes.iter_mut().zip(axes) {
            if !self.has(lock) {
                *axis = self.axis_plan(options, unbounded, parts);
            } else {
                axis.position = PositionConstraint::Held(0.0);
            }
        }
        let [x, y, angle] = axes.map(|(_, [lock, ..])| self.has(lock));
        if x && y {
            plan.point = PositionConstraint::Held(0.0);
            (plan.axes[axis::X], plan.axes[axis::Y]) = (AxisPlan::FREE, AxisPlan::FREE);
        } else if y && angle {
            plan.slides = true;
            (plan.axes[axis::Y], plan.axes[axis::ANGLE]) = (AxisPlan::FREE, AxisPlan::FREE);
        }
    }

    /// The spring, motor and limits along an axis, as far as the flags enable them.
    fn along(&self, options: &AxisOptions, bounds: [f32; 2]) -> AxisPlan {
        self.axis_plan(options, bounds, [flag::SPRING, flag::MOTOR, flag::LIMIT])
    }

    /// Like [`JointSim::along`], with other flags.
    fn axis_plan(
        &self,
        options: &AxisOptions,
        bounds: [f32; 2],
        [spring, motor, limit]: [u32; 3],
    ) -> AxisPlan {
        let spring = self.has(spring).then(|| options.bounded_spring(bounds));
        AxisPlan {
            position: spring.unwrap_or(PositionConstraint::Free),
            motor: self.has(motor).then_some([options.speed, options.motor_max]),
            limits: self.has(limit).then_some([options.lower, options.upper]),
        }
    }
}
