//! [`JointParts`]: what the joints of a kind have, one value for each kind in the table of `kind.rs`.

/// The coordinates of a joint that its limits, its spring or its motor act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum JointCoordinate {
    /// The translation along the x axis of the first frame, or the length between the two points.
    Along,
    /// The angle of the second frame in the first.
    Angle,
    /// The second point, along both axes of the world.
    Point,
    /// The second point, and the angle in addition, each with its own.
    PointAndAngle,
    /// Both axes of the first frame and the angle, each with its own.
    Each,
}

/// What the joints of a kind have; see [`JointKind::parts`](crate::JointKind::parts).
///
/// ```
/// use tombolo_physics::{JointCoordinate, JointKind};
///
/// let wheel = JointKind::Wheel.parts();
/// assert_eq!(wheel.spring, Some(JointCoordinate::Along));
/// assert_eq!(wheel.motor, Some(JointCoordinate::Angle));
/// assert_eq!(JointKind::Filter.parts().limit, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JointParts {
    /// The block that solves joints of the kind; `None` for a kind that is no constraint.
    pub(crate) block: Option<JointBlockKind>,
    /// What limits act on; `None` for a kind without limits.
    pub limit: Option<JointCoordinate>,
    /// What springs act on; `None` for a kind without springs.
    pub spring: Option<JointCoordinate>,
    /// What motors act on; `None` for a kind without motors.
    pub motor: Option<JointCoordinate>,
    /// Whether joints of the kind can count whole turns of their angle.
    pub counts_turns: bool,
}

impl JointParts {
    /// Whether joints of the kind are constraints, and do more than keep the shapes of two bodies apart.
    #[must_use]
    pub const fn is_constraint(&self) -> bool {
        self.block.is_some()
    }
}

/// The kinds of blocks that the solver has for joints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JointBlockKind {
    /// A shared point, and limits, a spring and a motor of the angle.
    Revolute,
    /// The constraints of a [`JointPlan`](super::JointPlan).
    Axes,
    /// One constraint that couples a motion of each body.
    Coupling(Coupling),
}

/// The number of kinds of blocks for joints; that of couplings is one.
pub(crate) const JOINT_BLOCK_KINDS: usize = 3;

impl JointBlockKind {
    /// The place of the kind's list among those of a color.
    pub(crate) const fn index(self) -> usize {
        match self {
            Self::Revolute => 0,
            Self::Axes => 1,
            Self::Coupling(_) => 2,
        }
    }
}

/// What a coupling couples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coupling {
    /// The rotations of both bodies in the world.
    Gear,
    /// The rotation of the first body in the second, and the second one's translation.
    Rack,
    /// The distances of both bodies from fixed points.
    Pulley,
}
