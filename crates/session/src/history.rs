//! [`History`]: the log of a session and its kept past: frames of the world, figures of steps, and the newest lines.

use std::collections::VecDeque;

use tombolo::physics::Rewindable;
use tombolo::{FAULTS_MAX, World, WorldFrame};

use crate::graph_runs::GraphRuns;
use crate::log::{Log, LoggedAction};

/// The span of the past that is kept, in seconds of the world.
const PAST_S: f32 = 60.0;

/// The time between two frames, in seconds: at most this much has to be computed again to reach a moment.
const FRAME_EVERY_S: f32 = 0.5;

/// About the greatest number of bytes that frames may take: of a world in which very much changes a shorter past is kept. What
/// [`World::bytes`] leaves out comes on top. Two frames are always kept.
const PAST_BYTES_MAX: usize = 512 << 20;
const FRAMES_MIN: usize = 2;

/// The greatest number of lines that are kept: what a page shows.
const LINES_MAX: usize = 50;

/// The world after a step, before any action was applied to it there.
pub(crate) struct Checkpoint {
    pub(crate) step: u64,
    /// The number of log entries that were applied to it.
    pub(crate) applied: usize,
    pub(crate) frame: WorldFrame,
    /// The last runs of the nodes of node graphs up to it.
    pub(crate) graph_runs: GraphRuns,
    /// The bytes that it takes beside the frame before it; those of the first are all that it has.
    bytes: usize,
}

/// The figures of a step: its time in microseconds, islands, awake bodies, constraints.
pub(crate) type Row = [u32; 4];

/// The newest of some lines, and the number of all.
#[derive(Default)]
pub(crate) struct Lines {
    newest: VecDeque<Box<str>>,
    count: u64,
}

impl Lines {
    fn extend(&mut self, lines: &[Box<str>]) {
        self.count += lines.len() as u64;
        let shown = &lines[lines.len().saturating_sub(LINES_MAX)..];
        self.newest.extend(shown.iter().cloned());
        let excess = self.newest.len().saturating_sub(LINES_MAX);
        self.newest.drain(..excess);
    }

    /// The newest lines, the oldest of them first, and the number of all.
    pub(crate) fn newest(&self) -> (impl Iterator<Item = &str>, u64) {
        (self.newest.iter().map(|line| &**line), self.count)
    }
}

/// The log and the kept past.
pub(crate) struct History {
    /// The number of steps up to the present state.
    pub(crate) step: u64,
    pub(crate) log: Log,
    /// The number of log entries that the present state has; all of them, unless it is one of the past.
    pub(crate) applied: usize,
    pub(crate) checkpoints: VecDeque<Checkpoint>,
    frame_every: u64,
    checkpoints_max: usize,
    /// The figures of steps, from the oldest checkpoint on.
    pub(crate) rows: VecDeque<Row>,
    /// The undone actions, the last one last: each with those that continued it, but for inputs.
    pub(crate) undone: Vec<Vec<LoggedAction>>,
    /// The lines that scripts have printed.
    pub(crate) printed: Lines,
    /// The faults of the world.
    pub(crate) faults: Lines,
    /// The number of faults in the world's list that were taken already.
    faults_taken: usize,
    /// The last runs of the nodes of node graphs, up to the present state.
    pub(crate) graph_runs: GraphRuns,
}

impl History {
    /// The history of a world at its first moment.
    pub(crate) fn new(log: Log, world: &mut World) -> Self {
        let per_second = 1.0 / world.step_seconds();
        let mut history = Self {
            step: 0,
            log,
            applied: 0,
            checkpoints: VecDeque::new(),
            frame_every: (FRAME_EVERY_S * per_second).round().max(1.0) as u64,
            checkpoints_max: (PAST_S / FRAME_EVERY_S) as usize + 1,
            rows: VecDeque::new(),
            undone: Vec::new(),
            printed: Lines::default(),
            faults: Lines::default(),
            faults_taken: 0,
            graph_runs: GraphRuns::default(),
        };
        history.note_faults(world);
        history.keep(world);
        history
    }

    pub(crate) fn oldest(&self) -> u64 {
        self.checkpoints.front().map_or(0, |checkpoint| checkpoint.step)
    }

    /// Counts the step that was made, and takes what scripts printed in it.
    pub(crate) fn note(&mut self, world: &mut World) {
        self.step += 1;
        self.printed.extend(world.printed());
        world.clear_printed();
        self.note_faults(world);
        self.graph_runs.note(self.step, world.take_graph_traces());
        self.keep(world);
    }

    /// Takes the faults that are new in the world's list. Once that is full it takes no more, so it is emptied; till then
    /// it is left, as some faults are noted unless they are in it.
    pub(crate) fn note_faults(&mut self, world: &mut World) {
        let new = world.faults().get(self.faults_taken..);
        self.faults.extend(new.unwrap_or_default());
        if world.faults().len() >= FAULTS_MAX {
            world.truncate_faults(0);
        }
        self.faults_taken = world.faults().len();
    }

    /// Keeps the figures of this step, and its frame if one is due.
    fn keep(&mut self, world: &mut World) {
        let (counters, profile) = (world.physics().counters(), world.profile());
        let step_us = (1e6 * profile.step_s).round() as u32;
        let counts = [counters.islands, counters.awake_bodies, counters.constraints];
        let [islands, awake, constraints] = counts.map(|count| count as u32);
        self.rows.push_back([step_us, islands, awake, constraints]);
        if !self.step.is_multiple_of(self.frame_every) {
            return;
        }
        let frame = world.frame();
        let before = self.checkpoints.back().map(|checkpoint| &checkpoint.frame);
        let bytes = World::bytes(&frame, before);
        self.checkpoints.push_back(Checkpoint {
            step: self.step,
            applied: self.applied,
            frame,
            graph_runs: self.graph_runs.clone(),
            bytes,
        });
        while self.is_too_large() {
            let old = self.oldest();
            self.checkpoints.pop_front();
            let gone = self.oldest() - old;
            self.rows.drain(..gone as usize);
            // What it shared with the one that is gone is its own now.
            if let Some(first) = self.checkpoints.front_mut() {
                first.bytes = World::bytes(&first.frame, None);
            }
        }
    }

    fn is_too_large(&self) -> bool {
        let count = self.checkpoints.len();
        let bytes = self.checkpoints.iter().map(|checkpoint| checkpoint.bytes);
        count > self.checkpoints_max || count > FRAMES_MIN && bytes.sum::<usize>() > PAST_BYTES_MAX
    }

    /// Drops frames and figures after a step, which is kept.
    pub(crate) fn drop_after(&mut self, step: u64) {
        self.checkpoints
            .retain(|checkpoint| checkpoint.step <= step && checkpoint.applied <= self.log.entries().len());
        let rows = step - self.oldest() + 1;
        self.rows.truncate(rows as usize);
    }
}
