//! [`JointKinds`]: the sets of kinds of joints that have a property. The component Joint and the register of properties
//! use them. In scenes a kind has the name that it has in physics.
//!
//! Sets of limits, springs, motors and turns follow from [`JointKind::parts`]. The others are lists, which a new kind may
//! belong to: the compiler asks for a look at them.

use alloc::string::String;
use alloc::vec::Vec;

use tombolo_physics::JointCoordinate::{Along, Angle, Each, Point, PointAndAngle};
use tombolo_physics::JointKind::{
    self, Distance, Gear, Generic, Motor, Mover, Pogo, Prismatic, Pulley, Rack, Revolute, Weld, Wheel,
};

// A new kind: see whether it belongs to one of the lists below, give it its arms in `def.rs` beside this file, and
// count it here.
const _: () = assert!(
    JointKind::ALL.len() == 13,
    "a kind is missing here and in `def.rs`"
);

/// The kind whose name is at an index of [`JointKind::NAMES`].
pub(crate) fn kind_at(index: u32) -> JointKind {
    let kind = JointKind::ALL.get(index as usize);
    kind.copied().unwrap_or(JointKind::Revolute)
}

/// A set of kinds of joints, which says which kinds have a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointKinds(u32);

impl JointKinds {
    pub(crate) const fn of(kinds: &[JointKind]) -> Self {
        let (mut bits, mut place) = (0, 0);
        while place < kinds.len() {
            bits |= 1 << kinds[place] as u32;
            place += 1;
        }
        Self(bits)
    }

    /// Whether the set contains a kind.
    pub fn contains(self, kind: JointKind) -> bool {
        self.0 & 1 << kind as u32 != 0
    }

    /// The kinds in the set.
    pub fn iter(self) -> impl Iterator<Item = JointKind> {
        let all = JointKind::ALL.iter().copied();
        all.filter(move |kind| self.contains(*kind))
    }

    /// The words of the kinds in the set; `others` stands for all but filters.
    pub(crate) fn words(self, others: &str) -> String {
        let words: Vec<&str> = self.iter().map(JointKind::name).collect();
        if words.len() + 1 == JointKind::NAMES.len() {
            return String::from(others);
        }
        words.join(", ")
    }
}

/// The set of kinds with certain parts.
macro_rules! kinds_with {
    (|$parts:ident| $has:expr) => {{
        let (mut bits, mut place) = (0, 0);
        while place < JointKind::ALL.len() {
            let $parts = JointKind::ALL[place].parts();
            if $has {
                bits |= 1 << JointKind::ALL[place] as u32;
            }
            place += 1;
        }
        JointKinds(bits)
    }};
}

/// All kinds but filters.
pub(super) const HOLDS: JointKinds = kinds_with!(|parts| parts.is_constraint());
pub(super) const LIMITED: JointKinds = kinds_with!(|parts| parts.limit.is_some());
pub(super) const SPRUNG: JointKinds = kinds_with!(|parts| parts.spring.is_some());
/// The kinds with a spring of the point and one of the angle.
pub(super) const SPRUNG_IN_BOTH: JointKinds =
    kinds_with!(|parts| matches!(parts.spring, Some(PointAndAngle)));
pub(super) const DRIVEN: JointKinds = kinds_with!(|parts| parts.motor.is_some());
/// The kinds whose motor has one speed; that of a generic joint is the angle's.
pub(super) const DRIVEN_ALONG_ONE: JointKinds =
    kinds_with!(|parts| matches!(parts.motor, Some(Along | Angle | Each)));
/// The kinds whose motor has a greatest force.
pub(super) const PUSHED: JointKinds = kinds_with!(|parts| matches!(parts.motor, Some(Along | PointAndAngle)));
/// The kinds whose motor has a greatest torque.
pub(super) const TURNED: JointKinds =
    kinds_with!(|parts| matches!(parts.motor, Some(Angle | PointAndAngle | Each)));
/// The kinds whose motor aims for a velocity in the plane.
pub(super) const AIMED: JointKinds = kinds_with!(|parts| matches!(parts.motor, Some(Point | PointAndAngle)));
/// The kinds with limits, springs and motors along each axis.
pub(super) const GENERIC: JointKinds = kinds_with!(|parts| matches!(parts.limit, Some(Each)));
pub(super) const COUNTS: JointKinds = kinds_with!(|parts| parts.counts_turns);

pub(super) const SLIDES: JointKinds = JointKinds::of(&[Prismatic, Wheel]);
/// The kinds whose translation along an axis can be read.
pub(super) const MOVES_ALONG: JointKinds = JointKinds::of(&[Prismatic, Wheel, Pogo]);
pub(super) const HAS_AXIS: JointKinds = JointKinds::of(&[Prismatic, Wheel, Generic, Rack]);
/// The kinds that keep their two points apart.
pub(super) const ALWAYS_APART: JointKinds = JointKinds::of(&[Distance, Gear, Rack, Pulley, Pogo]);
/// The kinds whose angle can be read.
pub(super) const TURNS: JointKinds = JointKinds::of(&[Revolute, Prismatic, Weld, Wheel, Motor, Generic]);
pub(super) const DISTANCE: JointKinds = JointKinds::of(&[Distance]);
/// The kinds with a length and a spring of bounded force.
pub(super) const LONG: JointKinds = JointKinds::of(&[Distance, Pogo]);
pub(super) const MOVER: JointKinds = JointKinds::of(&[Mover]);
pub(super) const MOTOR: JointKinds = JointKinds::of(&[Motor]);
pub(super) const RACK: JointKinds = JointKinds::of(&[Rack]);
pub(super) const RATIOS: JointKinds = JointKinds::of(&[Gear, Pulley]);
pub(super) const PULLEY: JointKinds = JointKinds::of(&[Pulley]);
