//! [`JointKinds`]: the sets of kinds of joints that have a property. The component Joint and the register of properties
//! use them. In scenes a kind has the name that it has in physics.

use alloc::string::String;
use alloc::vec::Vec;

use tombolo_physics::JointKind::{
    self, Distance, Gear, Generic, Motor, Mover, Pogo, Prismatic, Pulley, Rack, Revolute, Weld, Wheel,
};

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

/// All kinds but filters.
pub(super) const HOLDS: JointKinds = JointKinds::of(&[
    Revolute, Distance, Prismatic, Weld, Wheel, Motor, Generic, Gear, Rack, Pulley, Mover, Pogo,
]);
pub(super) const LIMITED: JointKinds = JointKinds::of(&[Revolute, Distance, Prismatic, Wheel, Generic]);
pub(super) const SPRUNG: JointKinds =
    JointKinds::of(&[Revolute, Distance, Prismatic, Weld, Wheel, Motor, Generic, Pogo]);
pub(super) const SLIDES: JointKinds = JointKinds::of(&[Prismatic, Wheel]);
/// The kinds whose translation along an axis can be read.
pub(super) const MOVES_ALONG: JointKinds = JointKinds::of(&[Prismatic, Wheel, Pogo]);
pub(super) const HAS_AXIS: JointKinds = JointKinds::of(&[Prismatic, Wheel, Generic, Rack]);
/// The kinds that keep their two points apart.
pub(super) const ALWAYS_APART: JointKinds = JointKinds::of(&[Distance, Gear, Rack, Pulley, Pogo]);
pub(super) const TURNS: JointKinds = JointKinds::of(&[Revolute, Prismatic, Weld, Wheel, Motor, Generic]);
pub(super) const COUNTS: JointKinds = JointKinds::of(&[Revolute, Generic]);
pub(super) const SPRUNG_IN_BOTH: JointKinds = JointKinds::of(&[Weld, Motor]);
pub(super) const DRIVEN: JointKinds =
    JointKinds::of(&[Revolute, Distance, Prismatic, Wheel, Motor, Generic, Mover]);
pub(super) const PUSHED: JointKinds = JointKinds::of(&[Distance, Prismatic, Motor]);
pub(super) const TURNED: JointKinds = JointKinds::of(&[Revolute, Wheel, Motor, Generic]);
pub(super) const GENERIC: JointKinds = JointKinds::of(&[Generic]);
pub(super) const DISTANCE: JointKinds = JointKinds::of(&[Distance]);
/// The kinds with a length and a spring of bounded force.
pub(super) const LONG: JointKinds = JointKinds::of(&[Distance, Pogo]);
/// The kinds that aim for a velocity in the plane.
pub(super) const AIMED: JointKinds = JointKinds::of(&[Motor, Mover]);
pub(super) const MOVER: JointKinds = JointKinds::of(&[Mover]);
pub(super) const MOTOR: JointKinds = JointKinds::of(&[Motor]);
pub(super) const RACK: JointKinds = JointKinds::of(&[Rack]);
pub(super) const RATIOS: JointKinds = JointKinds::of(&[Gear, Pulley]);
pub(super) const DRIVEN_ALONG_ONE: JointKinds =
    JointKinds::of(&[Revolute, Distance, Prismatic, Wheel, Generic]);
pub(super) const PULLEY: JointKinds = JointKinds::of(&[Pulley]);
