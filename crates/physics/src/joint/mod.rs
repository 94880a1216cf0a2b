//! Joints: constraints between two bodies beside contacts.
//!
//! A joint is an enum and a `match`, never a trait object: [`JointDef`] names the kinds, each kind has a file here
//! and one in the solver. [`Joint`] is the cold record with the links of the bodies' lists; a step reads and writes
//! [`JointSim`].

mod revolute;

pub use revolute::RevoluteDef;
pub(crate) use revolute::angle_limits;

use crate::PhysicsError;
use crate::body::{BodyId, NONE};
use crate::error::{Range, hertz, non_negative};
use core::f32::consts::{PI, TAU};
use glam::Vec2;
use tombolo_geometry::{Rot, plain_data};
use tombolo_handles::Handle;

/// Names a joint of one world; goes stale when the joint or one of its bodies is destroyed.
pub type JointId = Handle<Joint>;

/// What to create a joint from.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum JointDef {
    /// A revolute joint: the two bodies share a point and turn about it.
    Revolute(RevoluteDef),
}

impl From<RevoluteDef> for JointDef {
    fn from(def: RevoluteDef) -> Self {
        Self::Revolute(def)
    }
}

impl JointDef {
    /// Checks the numbers, as whatever takes this does.
    ///
    /// # Errors
    ///
    /// Names the first number that is out of range, and what was expected.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        match self {
            Self::Revolute(def) => def.validate(),
        }
    }

    /// The two bodies.
    pub fn bodies(&self) -> [BodyId; 2] {
        match self {
            Self::Revolute(def) => [def.body_a, def.body_b],
        }
    }
}

/// Bits of [`JointSim::flags`].
pub(crate) mod flag {
    /// The angle is kept between its limits.
    pub(crate) const LIMIT: u32 = 1 << 0;
    /// A spring pulls.
    pub(crate) const SPRING: u32 = 1 << 1;
    /// A motor turns.
    pub(crate) const MOTOR: u32 = 1 << 2;
    /// The two bodies' shapes touch each other.
    pub(crate) const COLLIDE_CONNECTED: u32 = 1 << 3;
    /// The two bodies are held together in the island graph.
    pub(crate) const LINKED: u32 = 1 << 4;
    /// All of them.
    pub(crate) const ALL: u32 = (1 << 5) - 1;
}

plain_data! {
    /// The cold part of a joint: how it hangs in its two bodies' lists. Opaque to users.
    #[derive(Debug)]
    pub struct Joint {
        /// The user's own number.
        pub(crate) user_key: u64,
        /// The two bodies.
        pub(crate) bodies: [u32; 2],
        /// The previous joint in each body's list, a key (index × 2 + end), or [`NONE`].
        pub(crate) previous: [u32; 2],
        /// The next joint in each body's list, a key, or [`NONE`].
        pub(crate) next: [u32; 2],
    }

    /// What a step reads and writes of a joint.
    #[derive(Debug, Default)]
    pub(crate) struct JointSim {
        /// First body.
        pub(crate) body_a: u32,
        /// Second body.
        pub(crate) body_b: u32,
        /// Bits of [`flag`].
        pub(crate) flags: u32,
        /// Color in the constraint graph, or [`NONE`] while asleep or disabled.
        pub(crate) color: u32,
        /// Place within the color.
        pub(crate) place_in_color: u32,
        /// The shared point in A's frame.
        pub(crate) local_anchor_a: Vec2,
        /// The shared point in B's frame.
        pub(crate) local_anchor_b: Vec2,
        /// The angle of B in A's frame that counts as zero.
        pub(crate) reference_angle: f32,
        /// Smallest angle.
        pub(crate) lower_angle: f32,
        /// Largest angle.
        pub(crate) upper_angle: f32,
        /// Where the spring pulls to.
        pub(crate) target_angle: f32,
        /// Stiffness of the spring.
        pub(crate) spring_hertz: f32,
        /// Damping of the spring.
        pub(crate) spring_damping_ratio: f32,
        /// Radians per second.
        pub(crate) motor_speed: f32,
        /// Newton meters.
        pub(crate) max_motor_torque: f32,
        /// Stiffness of the shared point.
        pub(crate) constraint_hertz: f32,
        /// Damping of the shared point.
        pub(crate) constraint_damping_ratio: f32,
        /// Newton seconds that hold the shared point, in the last substep.
        pub(crate) linear_impulse: Vec2,
        /// Newton meter seconds of the spring.
        pub(crate) spring_impulse: f32,
        /// Newton meter seconds of the motor.
        pub(crate) motor_impulse: f32,
        /// Newton meter seconds of the lower limit.
        pub(crate) lower_impulse: f32,
        /// Newton meter seconds of the upper limit.
        pub(crate) upper_impulse: f32,
    }
}

const _: () = {
    assert!(size_of::<Joint>() == 32);
    assert!(size_of::<JointSim>() == 100);
};

impl JointSim {
    /// A joint between two body indices, not yet in the constraint graph.
    pub(crate) fn new(def: &JointDef, bodies: [u32; 2]) -> Self {
        let JointDef::Revolute(def) = def;
        let mut flags = 0;
        for (on, flag) in [
            (def.enable_limit, flag::LIMIT),
            (def.enable_spring, flag::SPRING),
            (def.enable_motor, flag::MOTOR),
            (def.collide_connected, flag::COLLIDE_CONNECTED),
        ] {
            flags |= if on { flag } else { 0 };
        }
        Self {
            body_a: bodies[0],
            body_b: bodies[1],
            flags,
            color: NONE,
            place_in_color: NONE,
            local_anchor_a: def.local_anchor_a,
            local_anchor_b: def.local_anchor_b,
            reference_angle: def.reference_angle,
            lower_angle: def.lower_angle,
            upper_angle: def.upper_angle,
            target_angle: def.target_angle,
            spring_hertz: def.spring_hertz,
            spring_damping_ratio: def.spring_damping_ratio,
            motor_speed: def.motor_speed,
            max_motor_torque: def.max_motor_torque,
            constraint_hertz: def.constraint_hertz,
            constraint_damping_ratio: def.constraint_damping_ratio,
            ..Self::default()
        }
    }

    /// Whether the numbers are some that a definition or a call may have given; impulses may be any.
    pub(crate) fn is_sound(&self) -> bool {
        let damping_ratios = [self.spring_damping_ratio, self.constraint_damping_ratio];
        self.flags & !flag::ALL == 0
            && Range::PLACE.check_vector("", self.local_anchor_a).is_ok()
            && Range::PLACE.check_vector("", self.local_anchor_b).is_ok()
            && self.reference_angle.is_finite()
            && self.target_angle.is_finite()
            && angle_limits(self.lower_angle, self.upper_angle).is_ok()
            && hertz("", self.spring_hertz).is_ok()
            && hertz("", self.constraint_hertz).is_ok()
            && damping_ratios
                .into_iter()
                .all(|ratio| Range::DAMPING_RATIO.check("", ratio).is_ok())
            && Range::SPIN.check("", self.motor_speed).is_ok()
            && non_negative("", self.max_motor_torque).is_ok()
    }

    /// Begins the next step without the impulses of the last one.
    pub(crate) fn forget_impulses(&mut self) {
        self.linear_impulse = Vec2::ZERO;
        self.spring_impulse = 0.0;
        self.motor_impulse = 0.0;
        self.lower_impulse = 0.0;
        self.upper_impulse = 0.0;
    }

    /// What `turn`, the angle of B in A's frame in `[-π, π]`, is as the revolute joint's angle: less the reference, and
    /// of all the angles that are whole turns apart the one nearest to the middle between the limits, if there are any,
    /// so that a revolute joint pushed beyond a limit is pushed back and not round; else the one nearest to 0.
    pub(crate) fn unwound(&self, turn: f32) -> f32 {
        let angle = within_half_a_turn(turn - reduced(self.reference_angle), 0.0);
        if self.has(flag::LIMIT) {
            within_half_a_turn(angle, self.middle())
        } else {
            angle
        }
    }

    /// Where the spring pulls the revolute joint to from `angle`, which is unwound: of the targets that are whole turns
    /// apart without limits the one that is the short way off; between limits the one within them, or the one nearer to
    /// a limit.
    pub(crate) fn spring_target(&self, angle: f32) -> f32 {
        let from = if self.has(flag::LIMIT) {
            self.middle()
        } else {
            angle
        };
        within_half_a_turn(reduced(self.target_angle), from)
    }

    /// The middle between the limits.
    fn middle(&self) -> f32 {
        0.5 * (self.lower_angle + self.upper_angle)
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u32, on: bool) {
        crate::body::set_flag(&mut self.flags, flag, on);
    }
}

/// Of the angles that are whole turns from `angle` the one nearest to `middle`; for an angle at most one and a half turns
/// away from it.
fn within_half_a_turn(angle: f32, middle: f32) -> f32 {
    let beyond = angle - middle;
    if beyond > PI {
        angle - TAU
    } else if beyond < -PI {
        angle + TAU
    } else {
        angle
    }
}

/// An angle without its whole turns, in `[-π, π]`, as a body that is created with it has it.
fn reduced(angle: f32) -> f32 {
    if angle.abs() <= PI {
        angle
    } else {
        Rot::from_angle(angle).angle()
    }
}
