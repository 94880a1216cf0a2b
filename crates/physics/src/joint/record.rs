//! The records of a joint: [`Joint`], the cold part, and [`JointSim`], the data that a step reads and writes.

use super::kind::JointKind;
use super::parts::{Coupling, JointBlockKind, JointParts};
use glam::Vec2;
use tombolo_geometry::plain_data;
use tombolo_handles::Handle;

/// A handle of a joint of one world; goes stale when the joint or one of its bodies is destroyed.
pub type JointId = Handle<Joint>;

/// Bits of [`JointSim::flags`].
pub(crate) mod flag {
    /// The position is kept between the limits.
    pub(crate) const LIMIT: u32 = 1 << 0;
    /// The spring is enabled.
    pub(crate) const SPRING: u32 = 1 << 1;
    /// The motor is enabled.
    pub(crate) const MOTOR: u32 = 1 << 2;
    /// The two bodies' shapes collide with each other.
    pub(crate) const COLLIDE_CONNECTED: u32 = 1 << 3;
    /// The joint is an edge of the island graph.
    pub(crate) const LINKED: u32 = 1 << 4;
    /// The joint is destroyed when a threshold is exceeded.
    pub(crate) const BREAKS: u32 = 1 << 5;
    /// The angle is counted over whole turns.
    pub(crate) const COUNT_TURNS: u32 = 1 << 6;
    /// The rope may be slack.
    pub(crate) const SLACK: u32 = 1 << 7;
    /// The same as [`LIMIT`], [`SPRING`] and [`MOTOR`], for the y axis of generic joints; those are for the x axis.
    pub(crate) const LIMIT_Y: u32 = 1 << 8;
    pub(crate) const SPRING_Y: u32 = 1 << 9;
    pub(crate) const MOTOR_Y: u32 = 1 << 10;
    /// The same as [`LIMIT`], [`SPRING`] and [`MOTOR`], for the angle of generic joints.
    pub(crate) const LIMIT_ANGLE: u32 = 1 << 11;
    pub(crate) const SPRING_ANGLE: u32 = 1 << 12;
    pub(crate) const MOTOR_ANGLE: u32 = 1 << 13;
    /// The axis of a generic joint is locked at zero.
    pub(crate) const LOCK_X: u32 = 1 << 14;
    pub(crate) const LOCK_Y: u32 = 1 << 15;
    pub(crate) const LOCK_ANGLE: u32 = 1 << 16;
    /// All bits that are defined.
    pub(crate) const ALL: u32 = (1 << 17) - 1;
}

/// The indices of a joint's three axes in its impulses: along x and y of the first frame, or of the world where the
/// joint holds a point, and the angle.
pub(crate) mod axis {
    pub(crate) const X: usize = 0;
    pub(crate) const Y: usize = 1;
    pub(crate) const ANGLE: usize = 2;
    pub(crate) const COUNT: usize = 3;
}

plain_data! {
    /// The cold part of a joint: its links in its two bodies' lists. Opaque to users.
    #[derive(Debug)]
    pub struct Joint {
        /// The user's number.
        pub(crate) user_key: u64,
        /// The two bodies.
        pub(crate) bodies: [u32; 2],
        /// The previous joint in each body's list, a key (index × 2 + end), or [`NONE`](crate::body::NONE).
        pub(crate) previous: [u32; 2],
        /// The next joint in each body's list, a key, or [`NONE`](crate::body::NONE).
        pub(crate) next: [u32; 2],
    }

    /// The options of one axis of a joint; options that a kind does not have are zero and not read. Meters and newtons,
    /// or radians and newton meters.
    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct AxisOptions {
        /// The lower limit.
        pub(crate) lower: f32,
        /// The upper limit.
        pub(crate) upper: f32,
        /// The rest position of the spring.
        pub(crate) target: f32,
        /// The frequency of the spring, in hertz.
        pub(crate) hertz: f32,
        /// The damping ratio of the spring.
        pub(crate) damping_ratio: f32,
        /// The least force of the spring.
        pub(crate) spring_min: f32,
        /// The greatest force of the spring.
        pub(crate) spring_max: f32,
        /// The target speed of the motor.
        pub(crate) speed: f32,
        /// The greatest force of the motor.
        pub(crate) motor_max: f32,
    }

    /// The impulses along one axis of a joint in the last substep, in newton seconds or newton meter seconds.
    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct AxisImpulses {
        /// The impulse of the rigid constraint or spring of the position.
        pub(crate) soft: f32,
        /// The impulse of the motor.
        pub(crate) motor: f32,
        /// The impulse of the lower limit.
        pub(crate) lower: f32,
        /// The impulse of the upper limit.
        pub(crate) upper: f32,
    }

    /// The state that a joint keeps from step to step because the poses of its bodies do not determine it: whole turns.
    /// Zero if the joint needs none.
    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct JointTrack {
        /// The angle when the last step began: of B's frame in A's, unwound; of A in the world, for gears; of B in A,
        /// for racks.
        pub(crate) angle: f32,
        /// For gears, the angle of B in the world at that time; for racks, the displacement of B.
        pub(crate) place: f32,
        /// The deviation of gears and racks from their ratio at that time, since they were created: in radians of A, or
        /// in meters.
        pub(crate) drift: f32,
    }

    /// The data that a step reads and writes of a joint, whatever its kind. The fields that revolute joints need come
    /// first.
    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct JointSim {
        /// The first body.
        pub(crate) body_a: u32,
        /// The second body.
        pub(crate) body_b: u32,
        /// A [`JointKind`].
        pub(crate) kind: u32,
        /// Bits of [`flag`].
        pub(crate) flags: u32,
        /// The color in the constraint graph, or [`NONE`](crate::body::NONE) while asleep or disabled.
        pub(crate) color: u32,
        /// The place within the color.
        pub(crate) place_in_color: u32,
        /// The origin of A's joint frame, in A's frame, in meters.
        pub(crate) local_anchor_a: Vec2,
        /// The origin of B's joint frame, in B's frame, in meters.
        pub(crate) local_anchor_b: Vec2,
        /// The rotation of A's joint frame in A's frame, in radians.
        pub(crate) local_angle_a: f32,
        /// The rotation of B's joint frame in B's frame, in radians.
        pub(crate) local_angle_b: f32,
        /// The frequency of the rigid constraints, in hertz.
        pub(crate) constraint_hertz: f32,
        /// The damping ratio of the rigid constraints.
        pub(crate) constraint_damping_ratio: f32,
        /// Options of the angle of B's joint frame in A's.
        pub(crate) angular: AxisOptions,
        /// Impulses by [`axis`].
        pub(crate) impulses: [AxisImpulses; 3],
        /// The force on B in newtons, averaged over the last step.
        pub(crate) force: Vec2,
        /// The torque on B about its anchor in newton meters, averaged over the last step.
        pub(crate) torque: f32,
        /// The force in newtons above which the joint is reported or breaks.
        pub(crate) force_threshold: f32,
        /// The torque in newton meters above which the joint is reported or breaks.
        pub(crate) torque_threshold: f32,
        /// The state that the joint keeps from step to step.
        pub(crate) track: JointTrack,
        /// The ratio of gears, racks and pulleys.
        pub(crate) ratio: f32,
        /// Options of the translations of B's anchor along x and y. For a pulley, of each body: the point in the world
        /// (`lower`, `upper`), and the length (`target`).
        pub(crate) linear: [AxisOptions; 2],
    }
}

const _: () = {
    assert!(size_of::<Joint>() == 32);
    assert!(size_of::<JointSim>() == 248);
    assert!(core::mem::offset_of!(JointSim, force) == 140);
};

impl JointSim {
    /// The kind of the joint.
    pub(crate) fn kind(&self) -> JointKind {
        JointKind::from_number(self.kind).expect("checked when it was created or restored")
    }

    /// What joints of its kind have.
    pub(crate) fn parts(&self) -> &'static JointParts {
        self.kind().parts()
    }

    /// Whether the joint is a constraint, and not only a filter of pairs.
    pub(crate) fn is_constraint(&self) -> bool {
        self.block().is_some()
    }

    /// The other one of the two bodies.
    #[inline]
    pub(crate) fn other_body(&self, body: u32) -> u32 {
        debug_assert!([self.body_a, self.body_b].contains(&body), "one of the two");
        self.body_a ^ self.body_b ^ body
    }

    /// The place of the joint's block among the lists of a color; `None` if it is not a constraint.
    pub(crate) fn block_index(&self) -> Option<usize> {
        self.block().map(JointBlockKind::index)
    }

    /// The block that solves the joint; `None` if it is not a constraint.
    fn block(&self) -> Option<JointBlockKind> {
        JointKind::from_number(self.kind).and_then(|kind| kind.parts().block)
    }

    /// Whether the joint holds a shared point and is solved by [`JointBlockKind::Revolute`].
    pub(crate) fn is_revolute(&self) -> bool {
        self.block() == Some(JointBlockKind::Revolute)
    }

    /// What the joint couples; `None` if it is no gear, rack or pulley.
    pub(crate) fn coupling(&self) -> Option<Coupling> {
        match self.block() {
            Some(JointBlockKind::Coupling(coupling)) => Some(coupling),
            Some(JointBlockKind::Revolute | JointBlockKind::Axes) | None => None,
        }
    }

    /// Clears the impulses of the last step, so that the next one is not warm started.
    pub(crate) fn forget_impulses(&mut self) {
        self.impulses = [AxisImpulses::default(); axis::COUNT];
        self.force = Vec2::ZERO;
        self.torque = 0.0;
    }

    /// The impulse in newton seconds that held the shared point in the last substep.
    pub(crate) fn point_impulse(&self) -> Vec2 {
        Vec2::new(self.impulses[axis::X].soft, self.impulses[axis::Y].soft)
    }

    pub(crate) fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }

    pub(crate) fn set(&mut self, flag: u32, on: bool) {
        crate::body::set_flag(&mut self.flags, flag, on);
    }
}
