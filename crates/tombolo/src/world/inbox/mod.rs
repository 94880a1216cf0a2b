//! The inbox: commands from other threads (network, loading, tools), applied at the start of the next step.
//!
//! Threads are not synchronized with the world, so the order of arrival must not count. Pending commands are stored
//! by sender and number and applied in that order: the result depends on which commands are pending when a step
//! begins, and not on how they arrived. They are a part of the state: saved, cloned and hashed.
//!
//! The lock is the engine's default one. It is held while one command is added, and at a step's start while the whole
//! list is taken out; no command is applied under it.
//!
//! Why: `docs/decisions.md#the-inbox-is-ordered-by-sender-and-number`.

mod apply;

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::sync::{Arc, Weak};
use alloc::vec::Vec;
use core::mem;

use tombolo_entity::{DataError, Reader, Writer};
use tombolo_locks::{Adaptive, Mutex};

use super::command::Command;
use super::recording::Sent;

/// The greatest number of pending commands of one sender.
pub const INBOX_COMMANDS_MAX: usize = 4096;

/// The greatest size in bytes of the pending commands of one sender, by [`Command::byte_count`].
pub const INBOX_BYTES_MAX: usize = 1 << 20;

/// The reason why an inbox refuses a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SendFailure {
    /// The pending commands of this sender reach the limit of their number or of their bytes; the next step takes
    /// them out.
    #[error("{commands} commands of sender {sender} with {bytes} bytes are pending, and no more fits")]
    Full {
        /// The key of the sender.
        sender: u64,
        /// The number of pending commands.
        commands: usize,
        /// The bytes of pending commands.
        bytes: usize,
    },
    /// A command of this sender with this number is pending, or there is no greater number.
    #[error("a command of sender {sender} with number {sequence} is pending")]
    NumberTaken {
        /// The key of the sender.
        sender: u64,
        /// The number of the command.
        sequence: u64,
    },
    /// Lists within the command nest deeper than [`LIST_DEPTH_MAX`](tombolo_entity::LIST_DEPTH_MAX), which no property's do.
    #[error("a list of lists in a command of sender {sender} is nested too deep")]
    Nested {
        /// The key of the sender.
        sender: u64,
    },
    /// The world no longer exists.
    #[error("the world of this inbox is gone")]
    Closed,
}

/// A command that an inbox refused, with the reason. The world and its inbox are unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{why}")]
pub struct SendError {
    /// The reason.
    pub why: SendFailure,
    /// The command, to be sent again.
    pub command: Box<Command>,
}

/// Sends commands to a world's inbox, from any thread. [`World::inbox`](crate::World::inbox) creates it.
///
/// It does not keep the world alive: once that is dropped, sending gives [`SendFailure::Closed`].
#[derive(Clone, Debug)]
pub struct InboxSender {
    key: u64,
    inbox: Weak<Mutex<Adaptive, Pending>>,
}

/// The pending commands of a sender, by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Queue {
    commands: BTreeMap<u64, Command>,
    bytes: usize,
}

/// The pending commands, by sender. No queue is empty.
pub(super) type Pending = BTreeMap<u64, Queue>;

/// A world's inbox. A clone has the same pending commands and no senders.
#[derive(Debug, Default)]
pub(super) struct Inbox {
    shared: Arc<Mutex<Adaptive, Pending>>,
}

impl Clone for Inbox {
    fn clone(&self) -> Self {
        Self::with(self.shared.lock().clone())
    }
}

impl Queue {
    /// Adds a command under a number, or under the next one; a refused command is returned.
    fn add(&mut self, sender: u64, sequence: Option<u64>, command: Command) -> Result<(), SendError> {
        let refused = |why, command| {
            let command = Box::new(command);
            Err(SendError { why, command })
        };
        if !command.is_flat() {
            return refused(SendFailure::Nested { sender }, command);
        }
        let bytes = self.bytes.saturating_add(command.byte_count());
        if self.commands.len() >= INBOX_COMMANDS_MAX || bytes > INBOX_BYTES_MAX {
            let why = SendFailure::Full {
                sender,
                commands: self.commands.len(),
                bytes: self.bytes,
            };
            return refused(why, command);
        }
        let last = self.commands.last_key_value().map(|(number, _)| *number);
        let next = last.map_or(Some(0), |last| last.checked_add(1));
        let free = match sequence {
            Some(number) if self.commands.contains_key(&number) => Err(number),
            Some(number) => Ok(number),
            None => next.ok_or(u64::MAX),
        };
        match free {
            Ok(number) => {
                self.bytes = bytes;
                self.commands.insert(number, command);
                Ok(())
            }
            Err(sequence) => refused(SendFailure::NumberTaken { sender, sequence }, command),
        }
    }
}

/// The pending commands in the form of recordings.
pub(super) fn sent(pending: &Pending) -> Vec<Sent> {
    let all = pending.iter().flat_map(|(sender, queue)| {
        queue.commands.iter().map(|(sequence, command)| Sent {
            sender: *sender,
            sequence: *sequence,
            command: command.clone(),
        })
    });
    all.collect()
}

impl InboxSender {
    /// The key that orders this sender's commands among those of others.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// Adds a command after the pending ones of this key. Clones of a sender that send at the same time from several
    /// threads need [`send_numbered`](Self::send_numbered), or keys of their own: this call stores commands in the
    /// order of arrival.
    ///
    /// # Errors
    ///
    /// If [`INBOX_COMMANDS_MAX`] commands or [`INBOX_BYTES_MAX`] bytes of this key are pending, a list nests too
    /// deep, or the world no longer exists.
    pub fn send(&self, command: Command) -> Result<(), SendError> {
        self.put(None, command)
    }

    /// Adds a command by its number among the pending ones of this key: they are applied by number, in whatever order
    /// they arrive.
    ///
    /// # Errors
    ///
    /// Those of [`send`](Self::send); and if a command with this number is pending.
    pub fn send_numbered(&self, sequence: u64, command: Command) -> Result<(), SendError> {
        self.put(Some(sequence), command)
    }

    fn put(&self, sequence: Option<u64>, command: Command) -> Result<(), SendError> {
        let Some(inbox) = self.inbox.upgrade() else {
            return Err(SendError {
                why: SendFailure::Closed,
                command: Box::new(command),
            });
        };
        let mut pending = inbox.lock();
        let queue = pending.entry(self.key).or_default();
        let put = queue.add(self.key, sequence, command);
        if queue.commands.is_empty() {
            pending.remove(&self.key);
        }
        put
    }
}

impl Inbox {
    fn with(pending: Pending) -> Self {
        Self {
            shared: Arc::new(Mutex::new(Adaptive::new(), pending)),
        }
    }

    /// This inbox, with its senders, and the pending commands of another.
    pub(super) fn with_commands_of(&self, other: &Self) -> Self {
        *self.shared.lock() = mem::take(&mut *other.shared.lock());
        Self {
            shared: Arc::clone(&self.shared),
        }
    }

    /// Takes all pending commands out.
    pub(super) fn take(&self) -> Pending {
        mem::take(&mut *self.shared.lock())
    }

    /// Replaces the pending commands by those of a recording.
    pub(super) fn put_sent(&self, all: Vec<Sent>) -> Result<(), SendError> {
        let mut pending = Pending::new();
        for Sent {
            sender,
            sequence,
            command,
        } in all
        {
            let queue = pending.entry(sender).or_default();
            queue.add(sender, Some(sequence), command)?;
        }
        *self.shared.lock() = pending;
        Ok(())
    }

    /// The pending commands as bytes; empty if there are none.
    pub(super) fn save(&self) -> Vec<u8> {
        let pending = self.shared.lock().clone();
        let mut out = Writer::new();
        if pending.is_empty() {
            return out.finish();
        }
        out.length(pending.len());
        for (sender, queue) in &pending {
            out.u64(*sender);
            out.length(queue.commands.len());
            for (sequence, command) in &queue.commands {
                out.u64(*sequence);
                command.save(&mut out);
            }
        }
        out.finish()
    }

    /// A new inbox with the saved commands, in ascending order and within the limits.
    pub(super) fn restore(bytes: &[u8]) -> Result<Self, DataError> {
        let mut pending = Pending::new();
        if bytes.is_empty() {
            return Ok(Self::with(pending));
        }
        let mut from = Reader::new(bytes);
        for _ in 0..from.length(16, "senders with pending commands")? {
            let sender = from.u64("a sender")?;
            if pending.last_key_value().is_some_and(|(last, _)| *last >= sender) {
                return Err(DataError::broken("senders out of order"));
            }
            let mut queue = Queue::default();
            for _ in 0..from.length(8 + Command::LEAST_BYTES, "pending commands")? {
                let sequence = from.u64("a command's number")?;
                let last = queue.commands.last_key_value();
                if last.is_some_and(|(last, _)| *last >= sequence) {
                    return Err(DataError::broken("pending commands out of order"));
                }
                let command = Command::restore(&mut from)?;
                let added = queue.add(sender, Some(sequence), command);
                added.map_err(|error| DataError::broken(format!("{error}")))?;
            }
            if queue.commands.is_empty() {
                return Err(DataError::broken("a sender without pending commands"));
            }
            pending.insert(sender, queue);
        }
        from.end()?;
        Ok(Self::with(pending))
    }
}
