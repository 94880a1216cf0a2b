//! [`JointMarks`]: what a joint does along each coordinate, for drawings; `symbols.rs` makes symbols of it.

use crate::{BodyKind, JointCoordinate, JointDef, JointKind, JointRef, JointThresholds, RigidWeldRef};
use tombolo_geometry::Vec2;
use tombolo_geometry::math::sqrt;

/// What a joint does along one coordinate, as far as a drawing shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CoordinateMarks {
    /// Whether a [generic](JointKind::Generic) joint locks the coordinate.
    pub is_locked: bool,
    /// The lower and the upper limit, in meters or radians.
    pub limit: Option<[f32; 2]>,
    /// Whether a spring is on.
    pub spring: bool,
    /// The direction in which a motor turns or pushes, -1 or 1; 0 without one, or at speed zero.
    pub motor: i8,
}

/// The properties of a joint that a drawing shows besides its two anchors, for code that draws joints itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointMarks {
    /// The joint's kind.
    pub kind: JointKind,
    /// The angles of the joint frame in both bodies, in radians: the first one is the direction of a rail.
    pub angles: [f32; 2],
    /// The x axis of the joint frame, or the length between the anchors.
    pub along: CoordinateMarks,
    /// The y axis of the joint frame.
    pub across: CoordinateMarks,
    /// The angle between the two frames.
    pub turn: CoordinateMarks,
    /// The direction in which a mover or a motor joint drives, along the axes of the world; `None` if it does not move.
    pub heading: Option<Vec2>,
    /// The world positions of the points over which a pulley's rope leads.
    pub wheels: Option<[Vec2; 2]>,
    /// The radius of a rack's pinion in meters, negative on the other side; 0 for other kinds.
    pub radius: f32,
}

fn direction(speed: f32) -> i8 {
    i8::from(speed > 0.0) - i8::from(speed < 0.0)
}

impl JointRef<'_> {
    /// The properties of the joint that a drawing shows.
    #[must_use]
    pub fn marks(&self) -> JointMarks {
        let def = self.def();
        let [along, across, turn] = self.coordinates(&def);
        JointMarks {
            kind: self.kind(),
            angles: self.local_angles(),
            along,
            across,
            turn,
            heading: match &def {
                JointDef::Mover(mover) => mover.linear_velocity.try_normalize(),
                JointDef::Motor(motor) if motor.max_velocity_force > 0.0 => {
                    motor.linear_velocity.try_normalize()
                }
                _ => None,
            },
            wheels: match &def {
                JointDef::Pulley(rope) => Some([rope.ground_anchor_a, rope.ground_anchor_b]),
                _ => None,
            },
            radius: match &def {
                JointDef::Rack(rack) => rack.radius,
                _ => 0.0,
            },
        }
    }

    /// What the joint does along x, along y, and about the angle.
    fn coordinates(&self, def: &JointDef) -> [CoordinateMarks; 3] {
        let none = CoordinateMarks::default();
        let sprung = |spring: bool| CoordinateMarks { spring, ..none };
        match def {
            JointDef::Weld(weld) => [
                sprung(weld.linear_hertz > 0.0),
                none,
                sprung(weld.angular_hertz > 0.0),
            ],
            JointDef::Motor(motor) => {
                let turns = motor.max_velocity_torque > 0.0;
                let turn = sprung(motor.angular_hertz > 0.0 && motor.max_spring_torque > 0.0);
                [
                    sprung(motor.linear_hertz > 0.0 && motor.max_spring_force > 0.0),
                    none,
                    CoordinateMarks {
                        motor: if turns {
                            direction(motor.angular_velocity)
                        } else {
                            0
                        },
                        ..turn
                    },
                ]
            }
            JointDef::Generic(generic) => [
                CoordinateMarks {
                    is_locked: generic.lock_x,
                    limit: generic
                        .enable_limit_x
                        .then_some([generic.lower_x, generic.upper_x]),
                    spring: generic.enable_spring_x,
                    motor: i8::from(generic.enable_motor_x) * direction(generic.motor_speed_x),
                },
                CoordinateMarks {
                    is_locked: generic.lock_y,
                    limit: generic
                        .enable_limit_y
                        .then_some([generic.lower_y, generic.upper_y]),
                    spring: generic.enable_spring_y,
                    motor: i8::from(generic.enable_motor_y) * direction(generic.motor_speed_y),
                },
                CoordinateMarks {
                    is_locked: generic.lock_angle,
                    limit: (generic.enable_limit_angle).then_some([generic.lower_angle, generic.upper_angle]),
                    spring: generic.enable_spring_angle,
                    motor: i8::from(generic.enable_motor_angle) * direction(generic.motor_speed_angle),
                },
            ],
            _ => [
                self.only(JointCoordinate::Along),
                none,
                self.only(JointCoordinate::Angle),
            ],
        }
    }

    /// What a joint of a kind whose limit, spring and motor act on one coordinate each does along this one.
    fn only(&self, coordinate: JointCoordinate) -> CoordinateMarks {
        let parts = self.kind().parts();
        let limit = self.limit().filter(|_| parts.limit == Some(coordinate));
        let motor = self.motor().filter(|_| parts.motor == Some(coordinate));
        CoordinateMarks {
            is_locked: false,
            limit: limit.map(|limit| [limit.lower, limit.upper]),
            spring: parts.spring == Some(coordinate) && self.spring().is_some(),
            motor: motor.map_or(0, |motor| direction(motor.speed)),
        }
    }

    /// The joint's strain from 0 to 1: the force and torque of the last step as a fraction of its thresholds (any load
    /// is more than a threshold of zero), or, if it has none, the square root of the force as a fraction of ten times the
    /// weight of its bodies at 10 m/s², so that a tenth is still visible.
    #[must_use]
    pub fn strain(&self) -> f32 {
        let JointThresholds { force, torque, .. } = self.thresholds();
        let bodies = self.bodies().into_iter();
        let masses = bodies.filter(|body| body.kind() == BodyKind::Dynamic);
        let mass = masses.map(|body| body.mass()).sum();
        strain(self.force(), self.torque(), [force, torque], mass)
    }
}

impl RigidWeldRef<'_> {
    /// The weld's strain from 0 to 1, like [`JointRef::strain`], with the weight of its two members.
    #[must_use]
    pub fn strain(&self) -> f32 {
        let def = self.def();
        let mass = self.members().map(|member| member.mass()).iter().sum();
        let thresholds = [def.force_threshold, def.torque_threshold];
        strain(self.force(), self.torque(), thresholds, mass)
    }
}

/// The strain of a constraint that bears this load.
fn strain(force: Vec2, torque: f32, [most_force, most_torque]: [f32; 2], mass: f32) -> f32 {
    let share = if most_force.min(most_torque) < f32::INFINITY {
        (force.length() / most_force).max(torque.abs() / most_torque)
    } else {
        sqrt(force.length() / (100.0 * mass))
    };
    // No load beside a threshold of zero, or no weight: zero divided by zero. Any load beside it is infinite, and a one.
    if share.is_nan() {
        0.0
    } else {
        share.clamp(0.0, 1.0)
    }
}
