//! The world's part of its inbox: creates senders, and applies pending commands.

use alloc::format;
use alloc::sync::Arc;
use core::mem;

use super::{InboxSender, Pending};
use crate::world::World;

impl World {
    /// A sender of commands to this world, for other threads: a server's connections, a thread that loads, a tool.
    ///
    /// Pending commands are applied at the start of the next step, by sender's key and then in the order in which
    /// that sender sent them, so the result does not depend on the timing of the threads. Pending commands are a part
    /// of the state: they are saved, cloned and hashed. A restored world has the pending commands of the save, and
    /// its senders stay valid; senders of a world that is cloned stay with that world.
    ///
    /// A command that is refused when it is applied changes nothing and is among the [`faults`](Self::faults); those
    /// after it are applied.
    ///
    /// ```
    /// use std::thread;
    /// use tombolo::entity::Value;
    /// use tombolo::{Command, Scene, SpawnCommand, World};
    /// let scene = Scene::parse("lamps.ron", r#"(
    ///     entities: {"lamp": {"look": Sprite(image: "lamp.png")}},
    ///     place: [One(name: "lamp 0", entity: "lamp")],
    /// )"#)?;
    /// let mut world = World::from_scene(&scene)?;
    /// thread::scope(|scope| {
    ///     for key in [2, 1] {
    ///         let sender = world.inbox(key);
    ///         scope.spawn(move || {
    ///             let lamp = SpawnCommand {
    ///                 resource: "lamp".into(),
    ///                 name: Some(format!("lamp {key}").into()),
    ///                 ..SpawnCommand::default()
    ///             };
    ///             sender.send(Command::Spawn(Box::new(lamp))).expect("there is room");
    ///             let layer = Command::Set {
    ///                 entity: format!("lamp {key}").as_str().into(),
    ///                 path: "look.layer".into(),
    ///                 value: Value::I32(5),
    ///             };
    ///             sender.send(layer).expect("there is room");
    ///         });
    ///     }
    /// });
    /// world.step();
    /// let lamp = world.find("lamp 1").expect("sender 1 spawned it");
    /// assert_eq!(world.get(lamp, "look.layer")?, Value::I32(5));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn inbox(&self, sender_key: u64) -> InboxSender {
        InboxSender {
            key: sender_key,
            inbox: Arc::downgrade(&self.inbox.shared),
        }
    }

    /// The number of pending commands in the inbox.
    pub fn pending_command_count(&self) -> usize {
        let pending = self.inbox.shared.lock();
        pending.values().map(|queue| queue.commands.len()).sum()
    }

    /// The stage `inbox`.
    pub(in crate::world) fn apply_sent(&mut self, pending: Pending) {
        for (sender, queue) in pending {
            for (sequence, command) in queue.commands {
                if let Err(error) = self.apply(command) {
                    self.note_fault(format!("inbox, sender {sender}, command {sequence}: {error}"));
                }
            }
        }
    }

    /// Returns to the state before a refused call. The inbox stays: its senders may have sent since.
    pub(in crate::world) fn put_back(&mut self, mut before: Self) {
        mem::swap(&mut before.inbox, &mut self.inbox);
        before.physics.take_over_recording(&mut self.physics);
        *self = before;
    }
}
