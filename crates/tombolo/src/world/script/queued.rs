//! [`Queued`]: a command of a script, queued until the end of its stage. `in_call.rs` queues them, `commands.rs`
//! applies them.

use rhai::Dynamic;
use tombolo_entity::{Entity, InstanceId};

use crate::world::command::Command;

/// A command, and the script that issued it.
#[derive(Clone, Debug)]
pub(super) struct Queued {
    /// The entity with the script.
    pub(super) entity: Entity,
    /// The script component of the entity.
    pub(super) instance: InstanceId,
    /// The line of the script.
    pub(super) line: Option<usize>,
    pub(super) command: Command,
    /// Properties of the spawned entity, by path. Their kinds are known once the entity exists.
    pub(super) properties: Vec<(Box<str>, Dynamic)>,
}
