//! How a joint is stored: [`Joint`], the cold record, and [`JointSim`], what a step reads and writes.

use glam::Vec2;
use tombolo_geometry::plain_data;
use tombolo_handles::Handle;

/// Names a joint of one world; goes stale when the joint or one of its bodies is destroyed.
pub type JointId = Handle<Joint>;

/// The kinds of joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
#[repr(u32)]
pub enum JointKind {
    /// The two bodies share a point and turn about it.
    Revolute = 0,
    /// Two points are kept a length apart: a rod, a rope, a spring or a winch.
    Distance = 1,
    /// The second body slides along an axis of the first.
    Prismatic = 2,
    /// The second body stays where it is in the first, rigidly or softly.
    Weld = 3,
    /// The second body turns, and is sprung along an axis of the first.
    Wheel = 4,
    /// Bounded forces drive the second body at a velocity, or pull it to a pose, seen from the first.
    Motor = 5,
    /// The shapes of the two bodies do not touch each other, and nothing else.
    Filter = 6,
    /// Each axis is free, locked, limited, sprung or driven at will.
    Generic = 7,
    /// The two bodies turn in a ratio.
    Gear = 8,
    /// The second body slides as the first one turns.
    Rack = 9,
    /// A rope from one body over two fixed points to the other.
    Pulley = 10,
    /// Bounded forces drive the second body at a velocity, along x and along y of the world.
    Mover = 11,
    /// A spring along an axis of the first body carries the second, which slides across it freely.
    Pogo = 12,
}

impl JointKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[
        Self::Revolute,
        Self::Distance,
        Self::Prismatic,
        Self::Weld,
        Self::Wheel,
        Self::Motor,
        Self::Filter,
        Self::Generic,
        Self::Gear,
        Self::Rack,
        Self::Pulley,
        Self::Mover,
        Self::Pogo,
    ];

    /// The kind that is saved as `number`.
    pub(crate) fn from_number(number: u32) -> Option<Self> {
        Self::ALL.iter().copied().find(|&kind| kind as u32 == number)
    }
}

/// Bits of [`JointSim::flags`].
pub(crate) mod flag {
    /// What the joint leaves free is kept between its limits.
    pub(crate) const LIMIT: u32 = 1 << 0;
    /// A spring pulls.
    pub(crate) const SPRING: u32 = 1 << 1;
    /// A motor turns or pushes.
    pub(crate) const MOTOR: u32 = 1 << 2;
    /// The two bodies' shapes touch each other.
    pub(crate) const COLLIDE_CONNECTED: u32 = 1 << 3;
    /// The two bodies are held together in the island graph.
    pub(crate) const LINKED: u32 = 1 << 4;
    /// The joint is removed when a threshold is exceeded.
    pub(crate) const BREAKS: u32 = 1 << 5;
    /// The angle is counted over whole turns.
    pub(crate) const COUNT_TURNS: u32 = 1 << 6;
    /// A rope may hang slack.
    pub(crate) const SLACK: u32 = 1 << 7;
    /// As [`LIMIT`], [`SPRING`] and [`MOTOR`], along the y axis of generic joints, whose x axis has those.
    pub(crate) const LIMIT_Y: u32 = 1 << 8;
    pub(crate) const SPRING_Y: u32 = 1 << 9;
    pub(crate) const MOTOR_Y: u32 = 1 << 10;
    /// As [`LIMIT`], [`SPRING`] and [`MOTOR`], of the angle of generic joints.
    pub(crate) const LIMIT_ANGLE: u32 = 1 << 11;
    pub(crate) const SPRING_ANGLE: u32 = 1 << 12;
    pub(crate) const MOTOR_ANGLE: u32 = 1 << 13;
    /// A generic joint holds the axis at zero.
    pub(crate) const LOCK_X: u32 = 1 << 14;
    pub(crate) const LOCK_Y: u32 = 1 << 15;
    pub(crate) const LOCK_ANGLE: u32 = 1 << 16;
    /// All of them.
    pub(crate) const ALL: u32 = (1 << 17) - 1;
}

/// The places of a joint's three axes among its impulses: along x and y of the first frame, or of the world where the
/// joint holds a point, and turning.
pub(crate) mod axis {
    pub(crate) const X: usize = 0;
    pub(crate) const Y: usize = 1;
    pub(crate) const ANGLE: usize = 2;
    pub(crate) const COUNT: usize = 3;
}

plain_data! {
    /// The cold part of a joint: how it hangs in its two bodies' lists. Opaque to users.
    #[derive(Debug)]
    pub struct Joint {
        /// The user's own number.
        pub(crate) user_key: u64,
        /// The two bodies.
        pub(crate) bodies: [u32; 2],
        /// The previous joint in each body's list, a key (index × 2 + end), or [`NONE`](crate::body::NONE).
        pub(crate) previous: [u32; 2],
        /// The next joint in each body's list, a key, or [`NONE`](crate::body::NONE).
        pub(crate) next: [u32; 2],
    }

    /// The options of one axis of a joint; what a kind has no option for is zero and not read. Meters and newtons, or
    /// radians and newton meters.
    #[derive(Debug, Default)]
    pub(crate) struct AxisOptions {
        /// Smallest position.
        pub(crate) lower: f32,
        /// Largest position.
        pub(crate) upper: f32,
        /// Where the spring pulls to.
        pub(crate) target: f32,
        /// Stiffness of the spring.
        pub(crate) hertz: f32,
        /// Damping of the spring.
        pub(crate) damping_ratio: f32,
        /// The spring's force at least.
        pub(crate) spring_min: f32,
        /// The spring's force at most.
        pub(crate) spring_max: f32,
        /// The speed that the motor aims for.
        pub(crate) speed: f32,
        /// The motor's force at most.
        pub(crate) motor_max: f32,
    }

    /// Impulses along one axis of a joint in the last substep, newton seconds or newton meter seconds.
    #[derive(Debug, Default)]
    pub(crate) struct AxisImpulses {
        /// Of what holds the position, rigidly or as a spring.
        pub(crate) soft: f32,
        /// Of the motor.
        pub(crate) motor: f32,
        /// Of the lower limit.
        pub(crate) lower: f32,
        /// Of the upper limit.
        pub(crate) upper: f32,
    }

    /// What a joint remembers from step to step of how its bodies were to each other, where that cannot be seen from where
    /// they are: whole turns. Zero where nothing is remembered.
    #[derive(Debug, Default, PartialEq)]
    pub(crate) struct JointTrack {
        /// The angle as the last step began: of B's frame in A's, unwound; of A in the world, for gears; of B in A, for
        /// racks.
        pub(crate) angle: f32,
        /// Of gears, the angle of B in the world then; of racks, how far B had slid.
        pub(crate) place: f32,
        /// By how much gears and racks were off the ratio then, since they were put together: in radians of A, in meters.
        pub(crate) drift: f32,
    }

    /// What a step reads and writes of a joint, whatever its kind. What revolute joints need stands first.
    #[derive(Debug, Default)]
    pub(crate) struct JointSim {
        /// First body.
        pub(crate) body_a: u32,
        /// Second body.
        pub(crate) body_b: u32,
        /// A [`JointKind`].
        pub(crate) kind: u32,
        /// Bits of [`flag`].
        pub(crate) flags: u32,
        /// Color in the constraint graph, or [`NONE`](crate::body::NONE) while asleep or disabled.
        pub(crate) color: u32,
        /// Place within the color.
        pub(crate) place_in_color: u32,
        /// The point of A's frame in A.
        pub(crate) local_anchor_a: Vec2,
        /// The point of B's frame in B.
        pub(crate) local_anchor_b: Vec2,
        /// How A's frame is turned in A.
        pub(crate) local_angle_a: f32,
        /// How B's frame is turned in B.
        pub(crate) local_angle_b: f32,
        /// Stiffness of what is held rigidly.
        pub(crate) constraint_hertz: f32,
        /// Damping of what is held rigidly.
        pub(crate) constraint_damping_ratio: f32,
        /// Options of the angle of B's frame in A's.
        pub(crate) angular: AxisOptions,
        /// Impulses by [`axis`].
        pub(crate) impulses: [AxisImpulses; 3],
        /// Newtons on B, averaged over the last step.
        pub(crate) force: Vec2,
        /// Newton meters on B about its anchor, averaged over the last step.
        pub(crate) torque: f32,
        /// Newtons above which the joint is reported or breaks.
        pub(crate) force_threshold: f32,
        /// Newton meters above which the joint is reported or breaks.
        pub(crate) torque_threshold: f32,
        /// What the joint remembers.
        pub(crate) track: JointTrack,
        /// Of gears, racks and pulleys.
        pub(crate) ratio: f32,
        /// Options of the translations of B's anchor along x and y. Of a pulley, for each body: the point in the world
        /// (`lower`, `upper`), and the length (`target`).
        pub(crate) linear: [AxisOptions; 2],
    }
}

const _: () = {
    assert!(size_of::<Joint>() == 32);
    assert!(size_of::<JointSim>() == 248);
    assert!(core::mem::offset_of!(JointSim, force) == 140);
};

/// How many kinds of blocks the solver has for joints.
pub(crate) const JOINT_BLOCK_KINDS: usize = 3;

/// The kind of block that solves joints of a kind; `None` for those that are no constraints.
fn block_of(kind: JointKind) -> Option<usize> {
    match kind {
        JointKind::Filter => None,
        JointKind::Revolute => Some(0),
        JointKind::Gear | JointKind::Rack | JointKind::Pulley => Some(2),
        _ => Some(1),
    }
}

impl JointSim {
    /// The kind.
    pub(crate) fn kind(&self) -> JointKind {
        JointKind::from_number(self.kind).expect("checked when it was created or restored")
    }

    /// Whether the joint is a constraint, and not only a filter of pairs.
    pub(crate) fn is_constraint(&self) -> bool {
        self.kind != JointKind::Filter as u32
    }

    /// The kind of block that solves the joint; none if it is no constraint.
    pub(crate) fn block_kind(&self) -> Option<usize> {
        JointKind::from_number(self.kind).and_then(block_of)
    }

    /// Begins the next step without the impulses of the last one.
    pub(crate) fn forget_impulses(&mut self) {
        self.impulses = [AxisImpulses::default(); axis::COUNT];
        self.force = Vec2::ZERO;
        self.torque = 0.0;
    }

    /// Newton seconds that hold the shared point, in the last substep.
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
