//! [`Log`]: the actions of a session, with step numbers, as lines of JSON; and the replay of a session.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use tombolo::World;
use tombolo::threads::Executor;

use crate::action::Action;
use crate::edit::Edit;
use crate::failure::Failure;
use crate::scene_text::BYTE_ORDER_MARK;

/// The version of the file's form. Since version 2 entities that were dropped or duplicated have names.
const VERSION: u32 = 2;

/// The greatest number of steps of a session that is read: half a year at 60 in a second. A file of one line must not keep
/// a machine busy for good.
const STEPS_MAX: u64 = 1_000_000_000;

/// An action that was applied after a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct LoggedAction {
    /// Steps made before it.
    pub(crate) step: u64,
    #[serde(flatten)]
    pub(crate) action: Action,
    /// The action's edit of the scene's file, if it is one.
    #[serde(skip)]
    pub(crate) edit: Option<Edit>,
    /// The name of the entity that the action is about, for a redo.
    #[serde(skip)]
    pub(crate) about: Option<String>,
}

/// The first line of the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SessionLine {
    tombolo_session: u32,
    /// A scene file, or the name of a world that ships.
    scene: String,
    steps: u64,
    /// The state's hash after the last step and all actions, in hexadecimal digits.
    hash: String,
    /// The scene's text at the beginning, if the file has another one since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
}

/// The log of a session.
#[derive(Clone, Debug, PartialEq)]
pub struct Log {
    head: SessionLine,
    /// The scene's text at the beginning, if the session was not read from a file.
    began: Option<Arc<str>>,
    /// The entries, sorted by step.
    entries: Vec<LoggedAction>,
    /// For each entry, how many up to it can be undone, and how many are edits.
    counts: Vec<(usize, usize)>,
    /// The edits that the scene's file contains.
    written: Vec<Edit>,
    /// The number of leading edits that are equal to those of the file.
    same: usize,
}

impl Log {
    /// The log of the world of a scene's text, at its first moment.
    pub(crate) fn new(scene: &str, text: &str) -> Self {
        Self::with_text(scene, Some(text.into()))
    }

    fn with_text(scene: &str, began: Option<Arc<str>>) -> Self {
        Self {
            head: SessionLine {
                tombolo_session: VERSION,
                scene: scene.to_string(),
                steps: 0,
                hash: String::new(),
                text: None,
            },
            began,
            entries: Vec::new(),
            counts: Vec::new(),
            written: Vec::new(),
            same: 0,
        }
    }

    /// The path or name by which the scene was opened.
    pub fn scene(&self) -> &str {
        &self.head.scene
    }

    /// Writes the scene's text at the beginning into the session's file from now on, since the scene's own file has
    /// another one.
    pub fn keep_text(&mut self) {
        if let Some(began) = &self.began {
            self.head.text = Some(began.to_string());
        }
    }

    /// The scene's text at the beginning. Of a session that was read from a file it is `None` unless that has it: then
    /// the scene's file was not known to have another one.
    pub fn text(&self) -> Option<&str> {
        self.began.as_deref().or(self.head.text.as_deref())
    }

    /// The number of steps in the session.
    pub fn steps(&self) -> u64 {
        self.head.steps
    }

    /// The hash of the state at its end, in hexadecimal digits.
    pub fn hash(&self) -> &str {
        &self.head.hash
    }

    /// The number of actions in the session.
    pub fn action_count(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn entries(&self) -> &[LoggedAction] {
        &self.entries
    }

    pub(crate) fn push(&mut self, entry: LoggedAction) {
        let (undoable, edits) = self.counts_of(self.entries.len());
        if entry.edit.is_some() && self.same == edits && self.written.get(edits) == entry.edit.as_ref() {
            self.same += 1;
        }
        let undoable = undoable + usize::from(!entry.action.continues());
        self.counts
            .push((undoable, edits + usize::from(entry.edit.is_some())));
        self.entries.push(entry);
    }

    /// Keeps the first `count` entries.
    pub(crate) fn truncate(&mut self, count: usize) {
        self.entries.truncate(count);
        self.counts.truncate(count);
        self.same = self.same.min(self.counts_of(count).1);
    }

    /// Removes and returns all entries after the first `count`.
    pub(crate) fn split_off(&mut self, count: usize) -> Vec<LoggedAction> {
        let tail = self.entries.split_off(count);
        self.truncate(count);
        tail
    }

    /// Of the first `count` entries, how many can be undone, and how many are edits.
    fn counts_of(&self, count: usize) -> (usize, usize) {
        let last = count.min(self.counts.len()).checked_sub(1);
        last.map_or((0, 0), |last| self.counts[last])
    }

    /// The number of the first `count` entries that can be undone.
    pub(crate) fn undoable(&self, count: usize) -> usize {
        self.counts_of(count).0
    }

    /// The edits among the first `count` entries, in their order.
    pub(crate) fn edits(&self, count: usize) -> impl Iterator<Item = &Edit> {
        let entries = self.entries[..count].iter();
        entries.filter_map(|entry| entry.edit.as_ref())
    }

    /// Notes that the scene's file contains the edits of all entries from now on.
    pub(crate) fn note_written(&mut self) {
        self.written = self.edits(self.entries.len()).cloned().collect();
        self.same = self.written.len();
    }

    /// Whether the edits of all entries are those that the scene's file contains.
    pub(crate) fn is_written(&self) -> bool {
        let edits = self.counts_of(self.entries.len()).1;
        edits == self.written.len() && edits <= self.same
    }

    /// Sets the last step of the session and its hash.
    pub(crate) fn end(&mut self, steps: u64, hash: u64) {
        self.head.steps = steps;
        self.head.hash = format!("{hash:016x}");
    }

    /// The text of the file: a line for the session and one for each entry.
    ///
    /// # Errors
    /// None is known: it is written to memory.
    pub fn to_text(&self) -> Result<String, Failure> {
        let mut text = serde_json::to_string(&self.head)? + "\n";
        for entry in &self.entries {
            text += &serde_json::to_string(entry)?;
            text.push('\n');
        }
        Ok(text)
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    /// A line is not one of a session's, the error has its number; or it has more than 10⁹ steps.
    pub fn parse(text: &str) -> Result<Self, Failure> {
        let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let mut lines = text
            .lines()
            .enumerate()
            .filter(|(_, line)| !line.trim().is_empty());
        let wrong = |line: usize, error: serde_json::Error| Failure(format!("line {}: {error}", line + 1));
        let (number, line) = lines
            .next()
            .ok_or_else(|| Failure("the session is empty".to_string()))?;
        let head: SessionLine = serde_json::from_str(line).map_err(|error| wrong(number, error))?;
        if head.tombolo_session != VERSION {
            let version = head.tombolo_session;
            return Err(Failure(match version {
                1 => "this session has version 1: what was dropped in it had no name, so its states are other ones now; play it \
                      again with the command that wrote it"
                    .to_string(),
                _ => format!("version {version} of sessions is not known: this command plays version {VERSION}"),
            }));
        }
        if head.steps > STEPS_MAX {
            let steps = head.steps;
            return Err(Failure(format!(
                "the session has {steps} steps; {STEPS_MAX} are allowed"
            )));
        }
        let entries: Result<Vec<LoggedAction>, Failure> = lines
            .map(|(number, line)| serde_json::from_str(line).map_err(|error| wrong(number, error)))
            .collect();
        let entries = entries?;
        let is_sorted = entries.is_sorted_by_key(|entry| entry.step);
        if !is_sorted || entries.last().is_some_and(|last| last.step > head.steps) {
            return Err(Failure("the session's steps are out of order".to_string()));
        }
        let mut log = Self::with_text(&head.scene, None);
        log.head = head;
        entries.into_iter().for_each(|entry| log.push(entry));
        Ok(log)
    }

    /// Replays the session in a world at its first moment. `after_step` is called after each step.
    ///
    /// # Errors
    /// The world refuses an action, or `after_step` fails.
    pub fn play(
        &self,
        world: &mut World,
        executor: &dyn Executor,
        mut after_step: impl FnMut(&World) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let mut entries = self.entries.iter().peekable();
        for step in 0..=self.head.steps {
            while let Some(entry) = entries.next_if(|entry| entry.step == step) {
                entry
                    .action
                    .apply(world)
                    .map_err(|Failure(why)| Failure(format!("after step {step}: {why}")))?;
            }
            if step < self.head.steps {
                world.step_with(executor);
                after_step(world)?;
            }
        }
        Ok(())
    }
}
