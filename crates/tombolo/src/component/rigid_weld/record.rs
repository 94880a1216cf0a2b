//! The fields of the component [`RigidWeld`], as games, scenes and saves write them.

use alloc::boxed::Box;

use tombolo_entity::Entity;
use tombolo_geometry::Vec2;
use tombolo_physics::RigidWeldId;

/// A rigid weld of the entity's body to another entity's: the two become one body of physics, in the poses that they
/// have when the weld is created. The entities stay: each is at its own shapes. When the weld breaks or ends, parts
/// that are no longer connected separate.
///
/// The weld is in force while both entities have dynamic bodies with shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidWeld {
    /// The other entity; `None` for `to_name`.
    pub to: Option<Entity>,
    /// The name of the other entity, looked up when the weld is created, if `to` is `None`; empty for none.
    pub to_name: Box<str>,
    /// Whether the other entity is the parent, if `to` is `None` and no name is given.
    pub to_parent: bool,
    /// The position of the weld in the entity's own frame, in meters: the point that its torque is about.
    pub pivot: Vec2,
    /// The force in newtons above which the weld is reported or breaks; 0 for never.
    pub force_threshold: f32,
    /// The torque in newton meters above which the weld is reported or breaks; 0 for never.
    pub torque_threshold: f32,
    /// Whether the weld breaks above a threshold.
    pub breaks: bool,
    /// Whether the weld has broken. A broken weld holds nothing.
    pub broken: bool,
    /// The weld in physics.
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

    /// The thresholds for physics, to which never is infinity: newtons and newton meters.
    pub(crate) fn thresholds(&self) -> [f32; 2] {
        [self.force_threshold, self.torque_threshold]
            .map(|given| if given == 0.0 { f32::INFINITY } else { given })
    }
}
