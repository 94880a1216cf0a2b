//! Traces: the events of a world's islands, step by step, so that algorithms can be compared on the same events.
//!
//! A trace holds the events that do not depend on the algorithm: which bodies were added and removed, which contacts
//! and joints began and ended, and when each body was ready to sleep or moved again. It does not hold which bodies
//! slept, because that follows.

/// An event of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// A body that can move was added.
    Add(u32),
    /// A body was removed; its edges ended before.
    Remove(u32),
    /// Two bodies began to touch, or a joint was made.
    Begin(u32, [u32; 2]),
    /// A contact ended, or a joint was destroyed.
    End(u32),
    /// A body is ready to sleep from now on.
    Sleep(u32),
    /// A body moves again, or was touched by the user.
    Wake(u32),
}

/// A recorded sequence of steps.
///
/// ```
/// use tombolo_bench_designs::islands::{Trace, TraceEvent};
///
/// let mut trace = Trace::default();
/// trace.push(TraceEvent::Add(0));
/// trace.push(TraceEvent::Add(1));
/// trace.push(TraceEvent::Begin(7, [0, 1]));
/// trace.end_step();
/// assert_eq!(trace.steps().next().map(|events| events.len()), Some(3));
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

    /// The number of recorded steps.
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
}
