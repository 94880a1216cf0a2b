//! `joint_def!`: declares the definition of a kind of joint, with the field of [`JointSim`] that stores each option and
//! the range of its values.
//!
//! One list per kind serves creating, reading back, changing and restoring, so that all of them use the same ranges.

use super::record::JointSim;
use crate::PhysicsError;
use crate::error::{Range, hertz};

/// The checks that all kinds with two frames share.
pub(super) fn check_frames(sim: &JointSim) -> Result<(), PhysicsError> {
    Range::POSITION.check_vector("local_anchor_a", sim.local_anchor_a)?;
    Range::POSITION.check_vector("local_anchor_b", sim.local_anchor_b)?;
    rule::any("local_angle_a", sim.local_angle_a)?;
    rule::any("local_angle_b", sim.local_angle_b)
}

/// The checks that all kinds with a constraint share.
pub(super) fn check_constraint(sim: &JointSim) -> Result<(), PhysicsError> {
    hertz("constraint_hertz", sim.constraint_hertz)?;
    Range::DAMPING_RATIO.check("constraint_damping_ratio", sim.constraint_damping_ratio)?;
    rule::threshold("force_threshold", sim.force_threshold)?;
    rule::threshold("torque_threshold", sim.torque_threshold)
}

/// The rules for the ranges of options.
pub(super) mod rule {
    use crate::PhysicsError;
    use crate::constants::{LIMIT_ANGLE_MAX_RAD, LIMIT_RANGE_MAX_RAD, RATIO_MAX};
    use crate::error::{self, Range};
    use crate::joint::record::{JointSim, flag};

    type Checked = Result<(), PhysicsError>;

    /// Any finite number.
    pub(in crate::joint) fn any(what: &'static str, got: f32) -> Checked {
        error::finite(what, got)
    }

    /// No check: the option is checked together with another one.
    pub(in crate::joint) fn ordered(_: &'static str, _: f32) -> Checked {
        Ok(())
    }

    /// A frequency, in hertz.
    pub(in crate::joint) fn hertz(what: &'static str, got: f32) -> Checked {
        error::hertz(what, got)
    }

    /// A damping ratio.
    pub(in crate::joint) fn damping(what: &'static str, got: f32) -> Checked {
        Range::DAMPING_RATIO.check(what, got)
    }

    /// A position along an axis, in meters.
    pub(in crate::joint) fn position(what: &'static str, got: f32) -> Checked {
        Range::POSITION.check(what, got)
    }

    /// A length, in meters.
    pub(in crate::joint) fn length(what: &'static str, got: f32) -> Checked {
        Range::LENGTH.check(what, got)
    }

    /// A speed, in meters per second.
    pub(in crate::joint) fn speed(what: &'static str, got: f32) -> Checked {
        Range::VELOCITY.check(what, got)
    }

    /// An angular speed, in radians per second.
    pub(in crate::joint) fn spin(what: &'static str, got: f32) -> Checked {
        Range::SPIN.check(what, got)
    }

    /// A greatest force or torque.
    pub(in crate::joint) fn strength(what: &'static str, got: f32) -> Checked {
        error::non_negative(what, got)
    }

    /// A force of either sign.
    pub(in crate::joint) fn force(what: &'static str, got: f32) -> Checked {
        Range::FORCE.check(what, got)
    }

    /// A force or torque above which a joint is reported; infinite for never.
    pub(in crate::joint) fn threshold(what: &'static str, got: f32) -> Checked {
        if got >= 0.0 {
            return Ok(());
        }
        let expected = "a number that is not negative, or infinity";
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }

    /// A ratio of two speeds, of either sign.
    pub(in crate::joint) fn ratio(what: &'static str, got: f32) -> Checked {
        if (1.0 / RATIO_MAX..=RATIO_MAX).contains(&got.abs()) {
            return Ok(());
        }
        let expected = "a number from 0.0001 to 10000, or one from -10000 to -0.0001";
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }

    /// Like [`ratio`], positive.
    pub(in crate::joint) fn share(what: &'static str, got: f32) -> Checked {
        if (1.0 / RATIO_MAX..=RATIO_MAX).contains(&got) {
            return Ok(());
        }
        let expected = "a number from 0.0001 to 10000";
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }

    /// The limits of an angle, lower and upper.
    pub(in crate::joint) fn angle_limits(sim: &JointSim, what: [&'static str; 2]) -> Checked {
        let [lower, upper] = [sim.angular.lower, sim.angular.upper];
        let refuse = |what, got, expected| Err(PhysicsError::InvalidNumber { what, got, expected });
        for (what, got) in what.into_iter().zip([lower, upper]) {
            if !(-LIMIT_ANGLE_MAX_RAD..=LIMIT_ANGLE_MAX_RAD).contains(&got) {
                return refuse(what, got, "an angle between -2000 π and 2000 π");
            }
        }
        rising(what[1], lower, upper)?;
        if !sim.has(flag::COUNT_TURNS) && upper - lower > LIMIT_RANGE_MAX_RAD {
            let expected = "an angle at most 1.98 π above the lower one, where turns are not counted";
            return refuse(what[1], upper, expected);
        }
        Ok(())
    }

    /// Two numbers of which the second is not less than the first.
    pub(in crate::joint) fn rising(what: &'static str, lower: f32, upper: f32) -> Checked {
        if lower <= upper {
            return Ok(());
        }
        let (got, expected) = (upper, "a number that is not below the lower one");
        Err(PhysicsError::InvalidNumber { what, got, expected })
    }
}

/// Declares the definition of a kind of joint.
///
/// `switches` are bits of [`JointSim::flags`], `numbers` and `vectors` fields of [`JointSim`] with the rule for their
/// range; `order` checks conditions on several of them.
macro_rules! joint_def {
    (
        $(#[$attribute:meta])*
        pub struct $def:ident of $kind:ident;
        switches { $( $(#[$switch_doc:meta])* $switch:ident: $switch_default:literal => $flag:ident, )* }
        numbers {
            $( $(#[$number_doc:meta])* $number:ident: $number_default:expr, $rule:ident => ($($place:tt)+), )*
        }
        vectors {
            $(
                $(#[$vector_doc:meta])*
                $vector:ident: $vector_rule:ident => ($($x:tt)+), ($($y:tt)+),
            )*
        }
        order $order:expr
    ) => {
        $(#[$attribute])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub struct $def {
            /// The first body.
            pub body_a: $crate::BodyId,
            /// The second body.
            pub body_b: $crate::BodyId,
            /// The origin of the first body's joint frame, in the body's frame, in meters; within the range of the
            /// world's positions.
            pub local_anchor_a: glam::Vec2,
            /// The origin of the second body's joint frame, likewise.
            pub local_anchor_b: glam::Vec2,
            /// The rotation of the first body's joint frame in the body's frame, in radians; any finite number. The
            /// joint's angle is 0 if both joint frames have the same rotation.
            pub local_angle_a: f32,
            /// The rotation of the second body's joint frame, likewise.
            pub local_angle_b: f32,
            $( $(#[$switch_doc])* pub $switch: bool, )*
            $( $(#[$number_doc])* pub $number: f32, )*
            $( $(#[$vector_doc])* pub $vector: glam::Vec2, )*
            /// The frequency in hertz of the rigid constraints of the joint and of its limits; 60 by default, 0 or
            /// 0.001 to 10,000; values above a quarter of the substep rate have no further effect. At 0 they stop
            /// velocities, as in Box2D, and do not remove errors of position: what is apart stays apart.
            pub constraint_hertz: f32,
            /// The damping ratio of the same, 0 to 1,000; 2 by default.
            pub constraint_damping_ratio: f32,
            /// The force in newtons above which the step reports the joint ([`JointEvent`](crate::JointEvent)); from 0
            /// up, infinite by default.
            pub force_threshold: f32,
            /// The torque in newton meters above which the step reports the joint; from 0 up, infinite by default.
            pub torque_threshold: f32,
            /// Whether the joint is destroyed at the end of the step in which it exceeds a threshold; false by default.
            pub breaks: bool,
            /// Whether the two bodies' shapes collide with each other; false by default.
            pub collide_connected: bool,
            /// A number for the user, saved with the joint.
            pub user_key: u64,
        }

        impl $def {
            /// A joint of this kind between two bodies at points in their frames, with all options at their defaults.
            pub fn new(
                body_a: $crate::BodyId,
                local_anchor_a: glam::Vec2,
                body_b: $crate::BodyId,
                local_anchor_b: glam::Vec2,
            ) -> Self {
                Self {
                    body_a,
                    body_b,
                    local_anchor_a,
                    local_anchor_b,
                    local_angle_a: 0.0,
                    local_angle_b: 0.0,
                    $( $switch: $switch_default, )*
                    $( $number: $number_default, )*
                    $( $vector: glam::Vec2::ZERO, )*
                    constraint_hertz: crate::constants::JOINT_HERTZ,
                    constraint_damping_ratio: crate::constants::JOINT_DAMPING_RATIO,
                    force_threshold: f32::INFINITY,
                    torque_threshold: f32::INFINITY,
                    breaks: false,
                    collide_connected: false,
                    user_key: 0,
                }
            }

            /// Checks the numbers, as every call that takes a definition does.
            ///
            /// # Errors
            ///
            /// Names the first number that is out of range, and the expected range.
            pub fn validate(&self) -> Result<(), $crate::PhysicsError> {
                let mut sim = $crate::joint::record::JointSim::default();
                self.write(&mut sim);
                Self::check(&sim)
            }

            /// Writes all options to a joint.
            pub(crate) fn write(&self, sim: &mut $crate::joint::record::JointSim) {
                use $crate::joint::record::flag;
                sim.kind = $crate::joint::kind::JointKind::$kind as u32;
                sim.local_anchor_a = self.local_anchor_a;
                sim.local_anchor_b = self.local_anchor_b;
                sim.local_angle_a = self.local_angle_a;
                sim.local_angle_b = self.local_angle_b;
                $( sim.set(flag::$flag, self.$switch); )*
                $( sim.$($place)+ = self.$number; )*
                $( [sim.$($x)+, sim.$($y)+] = self.$vector.to_array(); )*
                sim.constraint_hertz = self.constraint_hertz;
                sim.constraint_damping_ratio = self.constraint_damping_ratio;
                sim.force_threshold = self.force_threshold;
                sim.torque_threshold = self.torque_threshold;
                sim.set(flag::BREAKS, self.breaks);
                sim.set(flag::COLLIDE_CONNECTED, self.collide_connected);
            }

            /// Reads all options of a joint back.
            pub(crate) fn read(
                sim: &$crate::joint::record::JointSim,
                [body_a, body_b]: [$crate::BodyId; 2],
                user_key: u64,
            ) -> Self {
                use $crate::joint::record::flag;
                Self {
                    body_a,
                    body_b,
                    local_anchor_a: sim.local_anchor_a,
                    local_anchor_b: sim.local_anchor_b,
                    local_angle_a: sim.local_angle_a,
                    local_angle_b: sim.local_angle_b,
                    $( $switch: sim.has(flag::$flag), )*
                    $( $number: sim.$($place)+, )*
                    $( $vector: glam::Vec2::new(sim.$($x)+, sim.$($y)+), )*
                    constraint_hertz: sim.constraint_hertz,
                    constraint_damping_ratio: sim.constraint_damping_ratio,
                    force_threshold: sim.force_threshold,
                    torque_threshold: sim.torque_threshold,
                    breaks: sim.has(flag::BREAKS),
                    collide_connected: sim.has(flag::COLLIDE_CONNECTED),
                    user_key,
                }
            }

            /// Checks all numbers, and that only bits of this kind are set.
            pub(crate) fn check(sim: &$crate::joint::record::JointSim) -> Result<(), $crate::PhysicsError> {
                use $crate::joint::record::flag;
                let shared = flag::COLLIDE_CONNECTED | flag::LINKED | flag::BREAKS;
                if sim.flags & !(shared $( | flag::$flag )*) != 0 {
                    return Err($crate::PhysicsError::NoSuchPart { what: "switch" });
                }
                $crate::joint::define::check_frames(sim)?;
                $( $crate::joint::define::rule::$rule(stringify!($number), sim.$($place)+)?; )*
                $(
                    $crate::joint::define::rule::$vector_rule(stringify!($vector), sim.$($x)+)?;
                    $crate::joint::define::rule::$vector_rule(stringify!($vector), sim.$($y)+)?;
                )*
                let order: fn(&$crate::joint::record::JointSim) -> Result<(), $crate::PhysicsError> = $order;
                order(sim)?;
                $crate::joint::define::check_constraint(sim)
            }
        }

        $crate::described::data_struct!(
            $def = |fields| Self::new(
                fields.need("body_a")?,
                glam::Vec2::ZERO,
                fields.need("body_b")?,
                glam::Vec2::ZERO,
            );
            body_a, body_b, local_anchor_a, local_anchor_b, local_angle_a, local_angle_b,
            $( $switch, )* $( $number, )* $( $vector, )*
            constraint_hertz, constraint_damping_ratio, force_threshold, torque_threshold, breaks, collide_connected,
            user_key,
        );
    };
}
pub(super) use joint_def;
