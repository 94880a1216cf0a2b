//! The fields of [`RigidWeld`].

use alloc::boxed::Box;

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_physics::RigidWeldId;

/// A rigid weld of the entity's body to another entity's: the two become one body of physics, as they are when the weld is
/// made. The entities go on: each is where its own shapes are. When the weld breaks, or ends, what hangs together no more
/// parts.
///
/// It is in force while both entities have dynamic bodies with shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidWeld {
    /// The other entity; none for what `to_name` says.
    pub to: Option<Entity>,
    /// The name of the other entity, looked up when the weld is made, if `to` is none; empty for none.
    pub to_name: Box<str>,
    /// Whether the other one is the entity's parent, if `to` is none and no name is given.
    pub to_parent: bool,
    /// Where the weld is, in the entity's own frame, meters: the point that its torque is about.
    pub pivot: Vec2,
    /// Newtons above which the weld is reported or breaks; 0 for never.
    pub force_threshold: f32,
    /// Newton meters above which the weld is reported or breaks; 0 for never.
    pub torque_threshold: f32,
    /// Whether it breaks then.
    pub breaks: bool,
    /// Whether it has broken. Then it holds nothing.
    pub broken: bool,
    /// What physics made.
    pub(crate) id: Option<RigidWeldId>,
}

impl Default for RigidWeld {
    fn default() -> Self {
        Self {
            to: None,
            to_name: Box::default(),
            to_parent: false,
            pivot: Vec2::ZERO,
            force_threshold: 0.0,
            torque_threshold: 0.0,
            breaks: true,
            broken: false,
            id: None,
        }
    }
}

impl RigidWeld {
    /// The weld in physics; none while an end is missing.
    pub fn id(&self) -> Option<RigidWeldId> {
        self.id
    }

    /// The thresholds as physics has them, which never is infinity to: newtons and newton meters.
    pub(crate) fn thresholds(&self) -> [f32; 2] {
        [self.force_threshold, self.torque_threshold]
            .map(|given| if given == 0.0 { f32::INFINITY } else { given })
    }
}
