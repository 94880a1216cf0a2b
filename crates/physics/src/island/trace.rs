//! Traces: what happened to the islands of a world, step by step, so that algorithms can be compared on the same events.
//!
//! A trace holds what is true whatever the algorithm: which bodies came and went, which contacts and joints began and
//! ended, and when each body was ready to sleep or moved again. It does not hold who slept, because that follows.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

/// The first line of a trace as text.
const HEADER: &str = "tombolo island trace 1";

/// One thing that happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// `add NODE`: a body that can move appeared.
    Add(u32),
    /// `remove NODE`: a body went away; its edges ended before.
    Remove(u32),
    /// `begin EDGE A B`: two bodies came to touch, or a joint was made.
    Begin(u32, [u32; 2]),
    /// `end EDGE`: a contact ended, or a joint was destroyed.
    End(u32),
    /// `sleep NODE`: a body is ready to sleep from now on.
    Sleep(u32),
    /// `wake NODE`: a body moves again, or was touched by the user.
    Wake(u32),
}

/// A recorded sequence of steps.
///
/// As text, one event a line in the words that [`TraceEvent`] gives, a line `step` after each step, and a first line
/// with the format's name and version.
///
/// ```
/// use tombolo_physics::island::{Trace, TraceEvent};
///
/// let mut trace = Trace::default();
/// trace.push(TraceEvent::Add(0));
/// trace.push(TraceEvent::Add(1));
/// trace.push(TraceEvent::Begin(7, [0, 1]));
/// trace.end_step();
/// let text = trace.to_text();
/// assert_eq!(text, "tombolo island trace 1\nadd 0\nadd 1\nbegin 7 0 1\nstep\n");
/// assert_eq!(Trace::from_text(&text), Ok(trace));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    events: Vec<TraceEvent>,
    /// For each step the number of events up to its end.
    step_ends: Vec<usize>,
}

impl Trace {
    /// Adds an event to the step that is being recorded.
    pub fn push(&mut self, event: TraceEvent) {
        self.events.push(event);
    }

    /// Ends the step that is being recorded.
    pub fn end_step(&mut self) {
        self.step_ends.push(self.events.len());
    }

    /// How many steps were recorded.
    pub fn step_count(&self) -> usize {
        self.step_ends.len()
    }

    /// The events of each step, in order.
    pub fn steps(&self) -> impl Iterator<Item = &[TraceEvent]> {
        let begins = core::iter::once(&0).chain(&self.step_ends);
        begins
            .zip(&self.step_ends)
            .map(|(&begin, &end)| &self.events[begin..end])
    }

    /// The trace as text, up to the last ended step.
    pub fn to_text(&self) -> String {
        let mut text = String::from(HEADER);
        text.push('\n');
        for step in self.steps() {
            for event in step {
                write_event(&mut text, *event).expect("writing to a string does not fail");
            }
            text.push_str("step\n");
        }
        text
    }

    /// Reads what [`to_text`](Self::to_text) wrote. Empty lines and lines that begin with `#` are skipped.
    ///
    /// # Errors
    ///
    /// [`TraceError`] names the first line that is not understood.
    pub fn from_text(text: &str) -> Result<Self, TraceError> {
        let mut lines = text.lines().enumerate();
        if lines.next().is_none_or(|(_, first)| first.trim_end() != HEADER) {
            return Err(TraceError {
                line: 1,
                expected: "the line `tombolo island trace 1`",
            });
        }
        let mut trace = Self::default();
        for (index, line) in lines {
            let line = line.trim();
            if line == "step" {
                trace.end_step();
            } else if !line.is_empty() && !line.starts_with('#') {
                let expected = "add, remove, sleep or wake NODE, begin EDGE A B, end EDGE, or step";
                let event = read_event(line).ok_or(TraceError {
                    line: index + 1,
                    expected,
                })?;
                trace.push(event);
            }
        }
        if trace.step_ends.last().copied().unwrap_or(0) != trace.events.len() {
            return Err(TraceError {
                line: text.lines().count(),
                expected: "`step` after the last event",
            });
        }
        Ok(trace)
    }
}

fn write_event(text: &mut String, event: TraceEvent) -> fmt::Result {
    match event {
        TraceEvent::Add(node) => writeln!(text, "add {node}"),
        TraceEvent::Remove(node) => writeln!(text, "remove {node}"),
        TraceEvent::Begin(edge, [a, b]) => writeln!(text, "begin {edge} {a} {b}"),
        TraceEvent::End(edge) => writeln!(text, "end {edge}"),
        TraceEvent::Sleep(node) => writeln!(text, "sleep {node}"),
        TraceEvent::Wake(node) => writeln!(text, "wake {node}"),
    }
}

fn read_event(line: &str) -> Option<TraceEvent> {
    let mut words = line.split_ascii_whitespace();
    let word = words.next()?;
    let mut number = || words.next()?.parse::<u32>().ok();
    let event = match word {
        "add" => TraceEvent::Add(number()?),
        "remove" => TraceEvent::Remove(number()?),
        "begin" => TraceEvent::Begin(number()?, [number()?, number()?]),
        "end" => TraceEvent::End(number()?),
        "sleep" => TraceEvent::Sleep(number()?),
        "wake" => TraceEvent::Wake(number()?),
        _ => return None,
    };
    words.next().is_none().then_some(event)
}

/// A line of a trace that was not understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceError {
    /// The line, from 1.
    pub line: usize,
    /// What should stand there.
    pub expected: &'static str,
}

impl fmt::Display for TraceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} of the island trace: expected {}",
            self.line, self.expected
        )
    }
}

impl core::error::Error for TraceError {}
