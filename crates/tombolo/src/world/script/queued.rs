//! [`Queued`]: a change that a script asked for.

use rhai::Dynamic;
use tombolo_entity::{Entity, InstanceId};

use crate::world::command::Command;

/// A change, and who asked for it.
#[derive(Clone, Debug)]
pub(super) struct Queued {
    /// Whose script.
    pub(super) entity: Entity,
    /// Which of the entity's scripts.
    pub(super) instance: InstanceId,
    /// The line of the script.
    pub(super) line: Option<usize>,
    pub(super) command: Command,
    /// Properties by path of what it spawns. Their kinds show when the entity is there.
    pub(super) properties: Vec<(Box<str>, Dynamic)>,
}
