//! [`Session`]: a world that is played, with the log of actions on it and the frames by which it goes back.
//!
//! The log has each action with its step, in order. A moment of the past is reached from the nearest frame before it:
//! the steps from there are made again, with the actions in them. Playing on from a moment of the past drops what came
//! after it.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tombolo::scene::graph::NodeGraph;
use tombolo::scene::{Pointer, unquoted};
use tombolo::threads::Executor;
use tombolo::{Stepper, World};

use crate::action::{Action, POINTER};
use crate::edit::Edit;
use crate::failure::Failure;
use crate::graph_runs::GraphRuns;
use crate::history::{Checkpoint, History, Row};
use crate::log::{Log, LoggedAction};
use crate::origin::Origin;
use crate::scene_text::SceneText;
use crate::write_back::{WrittenBack, placed_names, write_back};

/// The longest drag that is redone, in seconds of the world: all its steps are made in one request, twice, and nobody
/// else is answered meanwhile.
const REDO_S: f32 = 10.0;

/// A world that is played.
pub struct Session {
    origin: Origin,
    /// The names of the placements in its text.
    placed: BTreeSet<String>,
    world: Box<World>,
    history: History,
    stepper: Stepper,
    /// The text of the file, if it is not that with which the session began.
    file: Option<String>,
    /// Whether the text with which the session began has edits that the file lacks.
    is_ahead: bool,
    /// Whether edits were left out when the file was written.
    lacks_edits: bool,
    /// Whether the user was told that edits would be lost, and has not acted since.
    is_warned: bool,
    /// Whether another program has changed the file since it was read.
    is_outdated: bool,
}

impl Session {
    /// Starts a session with a world of the scene at its first moment.
    pub fn new(origin: Origin, mut world: Box<World>) -> Self {
        let log = Log::new(origin.wanted(), origin.scene().text());
        world.trace_graphs(origin.scene().graphs().len() > 0);
        let history = History::new(log, &mut world);
        Self {
            placed: origin.scene_text().map(placed_names).unwrap_or_default(),
            origin,
            world,
            history,
            stepper: new_stepper(1.0),
            file: None,
            is_ahead: false,
            lacks_edits: false,
            is_warned: false,
            is_outdated: false,
        }
    }

    /// Starts again from the beginning. The scene has the edits that were made, whether they are written or not.
    ///
    /// # Errors
    /// In the same cases as [`Origin::world`]; nothing has changed then. Edits have no place in the scene's text: it is
    /// said once which would be lost, and asked for again they are.
    pub(crate) fn reset(&mut self) -> Result<(), Failure> {
        let (has_unwritten, mut origin) = (self.has_unwritten(), self.origin.clone());
        if has_unwritten || self.file.is_some() {
            let WrittenBack { text, left_out } = self.edited_text()?;
            if self.would_lose() && !left_out.is_empty() && self.warn() {
                let left_out = left_out.join("\n");
                return Err(Failure(format!(
                    "the scene has no place for these edits; Restart again drops them:\n{left_out}"
                )));
            }
            origin = origin.with_text(&text)?;
        }
        let world = origin.world()?;
        let file = self.file_text().to_string();
        let is_other = origin.scene_text().is_some_and(|text| text != file);
        let is_outdated = self.is_outdated;
        let began = Self::new(origin, world);
        let before = std::mem::replace(self, began);
        (self.is_ahead, self.is_outdated) = (has_unwritten, is_outdated);
        self.file = is_other.then_some(file);
        if before.file.is_some() || is_other {
            self.history.log.keep_text();
        }
        Ok(())
    }

    /// Notes that the user is told what would be lost; false if that was said already, and nothing was done since.
    fn warn(&mut self) -> bool {
        !std::mem::replace(&mut self.is_warned, true)
    }

    /// Refuses once to leave the session while it has edits that its file lacks.
    ///
    /// # Errors
    /// It has some, and the user was not told since the last action.
    pub fn warn_of_loss(&mut self) -> Result<(), Failure> {
        if self.would_lose() && self.warn() {
            let why = "there are edits that the file lacks: Write puts them into it, Share has the scene with them; asked \
                       for again, this drops them";
            return Err(Failure(why.to_string()));
        }
        Ok(())
    }

    /// The scene that is played.
    pub fn origin(&self) -> &Origin {
        &self.origin
    }

    /// The world in its present state.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The number of steps up to the present state.
    pub fn step(&self) -> u64 {
        self.history.step
    }

    /// The oldest step that one can go back to.
    pub(crate) fn oldest(&self) -> u64 {
        self.history.oldest()
    }

    /// The newest step that one can go on to.
    pub(crate) fn newest(&self) -> u64 {
        self.history.oldest() + self.history.rows.len() as u64 - 1
    }

    /// The figures of a step, if they are still kept.
    pub(crate) fn row(&self, step: u64) -> Option<&Row> {
        let index = step.checked_sub(self.oldest())?;
        self.history.rows.get(usize::try_from(index).ok()?)
    }

    /// The newest lines that scripts have printed, and the number of all lines: those of steps that were made again do
    /// not count.
    pub(crate) fn printed(&self) -> (impl Iterator<Item = &str>, u64) {
        self.history.printed.newest()
    }

    /// The newest faults of the world, and the number of all, as [`printed`](Self::printed).
    pub(crate) fn faults(&self) -> (impl Iterator<Item = &str>, u64) {
        self.history.faults.newest()
    }

    /// The last runs of the nodes of the scene's node graphs.
    pub(crate) fn graph_runs(&self) -> &GraphRuns {
        &self.history.graph_runs
    }

    /// The log of the session, with its end, for replay.
    pub fn log(&self) -> Log {
        let mut log = self.history.log.clone();
        log.truncate(self.history.applied);
        log.end(self.step(), self.world.state_hash());
        log
    }

    /// The number of actions that can be undone, and of those that can be redone.
    pub(crate) fn undo_counts(&self) -> (usize, usize) {
        let undoable = self.history.log.undoable(self.history.applied);
        (undoable, self.history.undone.len())
    }

    /// Seconds until the next step is due at a speed.
    pub(crate) fn seconds_to_next_step(&self, speed: f32) -> f64 {
        let left = f64::from((1.0 - self.stepper.fraction()).max(0.0));
        left * f64::from(self.world.step_seconds()) / f64::from(speed.max(1e-3))
    }

    /// Makes the steps that are due after a time in seconds; returns their number.
    pub(crate) fn advance(&mut self, elapsed_s: f64, speed: f32, executor: &dyn Executor) -> u32 {
        self.go_on_from_here();
        self.stepper.set_speed(speed);
        let elapsed = std::time::Duration::from_secs_f64(elapsed_s.clamp(0.0, 1.0));
        let due = self.stepper.due(&self.world, elapsed);
        for _ in 0..due {
            self.world.step_with(executor);
            self.history.note(&mut self.world);
        }
        due
    }

    /// Makes one step.
    pub(crate) fn step_once(&mut self, executor: &dyn Executor) {
        self.go_on_from_here();
        self.world.step_with(executor);
        self.history.note(&mut self.world);
    }

    /// Whether the present state is one of the past, with later steps still kept.
    pub(crate) fn has_future(&self) -> bool {
        self.step() < self.newest() || self.history.applied < self.history.log.entries().len()
    }

    /// Applies an action to the world, and logs it. Undone actions cannot be redone afterwards, unless this is only an
    /// input.
    ///
    /// # Errors
    /// The world refuses it; nothing has changed then.
    pub(crate) fn act(&mut self, mut action: Action) -> Result<(), Failure> {
        if action.is_making() {
            action.give_name(&self.world, &self.taken_names());
        }
        let name = action.name_in(&self.world);
        let about = action.name_of_entity(&self.world);
        action.apply(&mut self.world)?;
        let edit = Edit::of(&action, name, &self.world);
        self.go_on_from_here();
        // Whoever loses control has not changed anything by that.
        if !matches!(action, Action::Input { .. } | Action::Release {}) {
            self.history.undone.clear();
            self.is_warned = false;
        }
        self.note(LoggedAction {
            step: self.history.step,
            action,
            edit,
            about,
        });
        Ok(())
    }

    /// Logs an action that was applied.
    fn note(&mut self, entry: LoggedAction) {
        self.history.graph_runs.note_action(&entry.action);
        self.history.log.push(entry);
        self.history.applied += 1;
        self.history.note_faults(&mut self.world);
    }

    /// The names in the scene's file and those of edited entities, alive or not: a second entity of such a name could
    /// not be distinguished from the first one in the file.
    fn taken_names(&self) -> BTreeSet<String> {
        let mut names = self.placed.clone();
        names.extend(self.edits().map(|edit| edit.name().to_string()));
        names
    }

    /// Releases what the pointer holds, as nobody holds it any more.
    pub(crate) fn release(&mut self) {
        if self.world.find(POINTER).is_some() {
            // What was found can be released.
            drop(self.act(Action::Release {}));
        }
    }

    /// Sets all inputs to 0, as nobody controls them any more. The pointer's position stays.
    pub(crate) fn let_go(&mut self) {
        let scene = self.origin.scene();
        let is_place = |name: &str| {
            let mut actions = scene.actions();
            actions.any(|(known, action)| known == name && matches!(action.pointer, Pointer::X | Pointer::Y))
        };
        let actions = self.world.actions();
        let held = actions.filter(|(name, value)| *value != 0.0 && !is_place(name));
        let held: Vec<String> = held.map(|(name, _)| name.to_string()).collect();
        for name in held {
            // Known names are never refused.
            drop(self.act(Action::Input { name, value: 0.0 }));
        }
    }

    /// The edits, in the order in which they were made: in a past state those of later moments too. In a file an edit
    /// holds from the first moment on, so the moment that is shown does not matter.
    fn edits(&self) -> impl Iterator<Item = &Edit> {
        let log = &self.history.log;
        log.edits(log.entries().len())
    }

    /// Whether there are edits, or undone edits, that the scene's file does not reflect.
    pub fn has_unwritten(&self) -> bool {
        self.origin.scene_text().is_some() && (self.is_ahead || !self.history.log.is_written())
    }

    /// Whether edits are lost if the scene begins from its file: they are not written, or the file has no place for them.
    pub fn would_lose(&self) -> bool {
        self.has_unwritten() || self.lacks_edits
    }

    /// Notes whether another program has changed the file: a restart reads it then.
    pub fn mark_outdated(&mut self, is_outdated: bool) {
        self.is_outdated = is_outdated;
    }

    /// The names and present texts of the scene's scripts.
    pub(crate) fn scripts(&self) -> Vec<(String, String)> {
        self.texts("scripts", unquoted, |action| match action {
            Action::Script { name, text } => Some((name, text)),
            _ => None,
        })
    }

    /// The names and present texts of the scene's node graphs.
    pub(crate) fn graphs(&self) -> Vec<(String, String)> {
        self.texts(
            "graphs",
            |written| Some(written.to_string()),
            |action| match action {
                Action::Graph { name, text } => Some((name, text)),
                _ => None,
            },
        )
    }

    /// A node graph of the scene, as edits have left it; `None` if the scene has none of the name.
    pub(crate) fn graph(&self, name: &str) -> Option<Cow<'_, NodeGraph>> {
        let actions = self.history.log.entries()[..self.history.applied].iter();
        let edited = actions.rev().find_map(|entry| match &entry.action {
            Action::Graph { name: other, text } if other == name => Some(text),
            _ => None,
        });
        if let Some(text) = edited {
            return NodeGraph::parse(text).ok().map(Cow::Owned);
        }
        let mut graphs = self.origin.scene().graphs();
        let (_, graph) = graphs.find(|(known, _)| *known == name)?;
        Some(Cow::Borrowed(graph))
    }

    /// The names in a section of the scene's file, and their texts: those that actions have set, or what `read` makes of
    /// the file's.
    fn texts(
        &self,
        section: &str,
        read: impl Fn(&str) -> Option<String>,
        set: impl Fn(&Action) -> Option<(&String, &String)>,
    ) -> Vec<(String, String)> {
        let Some(Ok(scene)) = self.origin.scene_text().map(SceneText::parse) else {
            return Vec::new();
        };
        let entries = scene.root().get(section);
        let entries = entries.and_then(|entries| entries.entries.as_deref());
        let texts = entries.unwrap_or_default().iter().filter_map(|entry| {
            let name = entry.key.clone()?;
            let actions = self.history.log.entries()[..self.history.applied].iter();
            let mut set = actions.rev().filter_map(|entry| set(&entry.action));
            let edited = set.find(|(other, _)| **other == name);
            let text = edited.map(|(_, text)| text.clone());
            Some((name, text.or_else(|| read(scene.written(&entry.value)))?))
        });
        texts.collect()
    }

    /// The scene's text with the edits in it.
    ///
    /// # Errors
    /// The world comes from no scene file.
    pub fn edited_text(&self) -> Result<WrittenBack, Failure> {
        let text = self.origin.scene_text();
        let text = text.ok_or_else(|| Failure("this world comes from no scene file".to_string()))?;
        write_back(self.origin.wanted(), text, self.edits())
    }

    /// The text of the scene's file, as far as is known; empty if it has none.
    pub fn file_text(&self) -> &str {
        let original = self.origin.scene_text().unwrap_or_default();
        self.file.as_deref().unwrap_or(original)
    }

    /// Notes that the scene's file contains the edits from now on: this text.
    pub fn note_written(&mut self, written: &WrittenBack) {
        self.history.log.keep_text();
        self.history.log.note_written();
        self.file = Some(written.text.clone());
        self.is_ahead = false;
        self.lacks_edits = !written.left_out.is_empty();
    }

    /// Whether a restart has to read the scene's file: another program has changed it, or it has all edits, some of which
    /// the session began without.
    pub fn is_stale(&self) -> bool {
        self.is_outdated || self.file.is_some() && !self.would_lose()
    }

    /// Goes to a step of the past, or back towards the newest one; later steps stay until an action is applied here.
    pub(crate) fn seek(&mut self, step: u64, executor: &dyn Executor) {
        let step = step.clamp(self.oldest(), self.newest());
        let entries = self.history.log.entries();
        let count = entries.partition_point(|entry| entry.step <= step);
        self.go(step, count, executor);
    }

    /// Undoes the last action: restores the state in which it was applied, and drops what came after.
    ///
    /// # Errors
    /// There is none, or its moment is no longer kept.
    pub(crate) fn undo(&mut self, executor: &dyn Executor) -> Result<(), Failure> {
        let entries = &self.history.log.entries()[..self.history.applied];
        let last = entries.iter().rposition(|entry| !entry.action.continues());
        let last = last.ok_or_else(|| Failure("nothing was done that could be undone".to_string()))?;
        let step = entries[last].step;
        if step < self.oldest() {
            return Err(Failure("that was too long ago".to_string()));
        }
        self.go_on_from_here();
        self.go(step, last, executor);
        let mut tail = self.history.log.split_off(last);
        // What players want is theirs to say again, at the time.
        tail.retain(|entry| !matches!(entry.action, Action::Input { .. }));
        self.history.drop_after(step);
        self.history.undone.push(tail);
        Ok(())
    }

    /// Redoes the last undone action, in the present state.
    ///
    /// # Errors
    /// There is none, or the world refuses it now; nothing has changed then, and it can be redone later. It is a drag of
    /// more than [`REDO_S`]: that cannot be redone, and those undone before it can.
    pub(crate) fn redo(&mut self, executor: &dyn Executor) -> Result<(), Failure> {
        let tail = self.history.undone.pop();
        let mut tail = tail.ok_or_else(|| Failure("nothing was undone".to_string()))?;
        let steps = span(&tail);
        if steps as f32 * self.world.step_seconds() > REDO_S {
            let why = format!("this drag took {steps} steps; one of more than {REDO_S} s is not made again");
            return Err(Failure(why));
        }
        if let Err(why) = self.try_again(&mut tail, executor) {
            self.history.undone.push(tail);
            return Err(why);
        }
        self.is_warned = false;
        Ok(())
    }

    /// Applies an undone action again, with the actions that continue it, all or none.
    fn try_again(&mut self, tail: &mut [LoggedAction], executor: &dyn Executor) -> Result<(), Failure> {
        if let [
            LoggedAction {
                action,
                about: Some(name),
                ..
            },
            ..,
        ] = tail
        {
            action.rename_entity(name, &self.world)?;
        }
        let [first, rest @ ..] = tail else {
            return Ok(());
        };
        if rest.is_empty() {
            first.action.apply(&mut self.world)?;
            self.go_on_from_here();
            self.note(LoggedAction {
                step: self.history.step,
                ..first.clone()
            });
            return Ok(());
        }
        // Before the later moments are dropped it must be known that nothing is refused.
        let before = self.world.frame();
        let known_faults = self.world.faults().len();
        let tried = again(tail, |entry| match entry {
            Some(entry) => entry.action.apply(&mut self.world),
            None => {
                self.world.step_with(executor);
                Ok(())
            }
        });
        self.world.restore_frame(&before);
        self.world.clear_printed();
        self.world.truncate_faults(known_faults);
        drop(self.world.take_graph_traces());
        tried?;
        self.go_on_from_here();
        again(tail, |entry| {
            let Some(entry) = entry else {
                self.world.step_with(executor);
                self.history.note(&mut self.world);
                return Ok(());
            };
            entry.action.apply(&mut self.world)?;
            self.note(LoggedAction {
                step: self.history.step,
                ..entry.clone()
            });
            Ok(())
        })
    }

    /// Drops the later steps, if the present state is one of the past.
    fn go_on_from_here(&mut self) {
        let (step, applied) = (self.history.step, self.history.applied);
        self.history.log.truncate(applied);
        self.history.drop_after(step);
    }

    /// Goes to a step, with the first `count` entries of the log applied.
    fn go(&mut self, step: u64, count: usize, executor: &dyn Executor) {
        let known_faults = self.world.faults().len();
        let history = &mut self.history;
        let fits = |checkpoint: &Checkpoint| checkpoint.step <= step && checkpoint.applied <= count;
        let Some(checkpoint) = history
            .checkpoints
            .iter()
            .rev()
            .find(|checkpoint| fits(checkpoint))
        else {
            return;
        };
        // The present state may be nearer than the frame.
        let is_on_the_way =
            history.step <= step && history.applied <= count && history.step >= checkpoint.step && {
                let entries = &history.log.entries()[history.applied..count];
                entries.iter().all(|entry| entry.step >= history.step)
            };
        if !is_on_the_way {
            self.world.restore_frame(&checkpoint.frame);
            history.graph_runs.clone_from(&checkpoint.graph_runs);
            history.step = checkpoint.step;
            history.applied = checkpoint.applied;
        }
        loop {
            while let Some(entry) = history.log.entries()[..count].get(history.applied) {
                if entry.step > history.step {
                    break;
                }
                // The same action was accepted in this very state before.
                drop(entry.action.apply(&mut self.world));
                history.graph_runs.note_action(&entry.action);
                history.applied += 1;
            }
            if history.step >= step {
                break;
            }
            self.world.step_with(executor);
            history.step += 1;
            history
                .graph_runs
                .note(history.step, self.world.take_graph_traces());
        }
        // These steps were made before, and their lines and faults were taken then.
        self.world.clear_printed();
        self.world.truncate_faults(known_faults);
        self.stepper = new_stepper(self.stepper.speed());
    }
}

/// The number of steps from the first of some entries to the last.
fn span(tail: &[LoggedAction]) -> u64 {
    let ends = tail.first().zip(tail.last());
    ends.map_or(0, |(first, last)| last.step - first.step)
}

/// Makes the steps between entries again, each as `None`, and the entries.
fn again(
    tail: &[LoggedAction],
    mut make: impl FnMut(Option<&LoggedAction>) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut step = tail.first().map_or(0, |entry| entry.step);
    for entry in tail {
        while step < entry.step {
            make(None)?;
            step += 1;
        }
        make(Some(entry))?;
    }
    Ok(())
}

fn new_stepper(speed: f32) -> Stepper {
    let mut stepper = Stepper::new();
    stepper.set_speed(speed);
    // An action waits for no more than these steps.
    stepper.set_catch_up_max(4);
    stepper
}
