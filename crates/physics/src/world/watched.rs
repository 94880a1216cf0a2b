//! [`Watched`] and [`DestroyedShapes`]: what `watch.rs` keeps in a world.

use crate::shape::ShapeId;
use alloc::vec::Vec;

/// What calls changed since a watch began.
#[derive(Clone, Debug, Default)]
pub(crate) struct Watched {
    /// The user keys of bodies and members.
    pub(super) bodies: Vec<u64>,
}

/// Shapes that calls destroyed while bodies were watched, with their user keys. Frames have them, since the ends of their touches
/// are in the state until the next step reports them.
#[derive(Clone, Debug, Default)]
pub(crate) struct DestroyedShapes {
    /// Those since the last step, and before it those that nobody has taken.
    all: Vec<(ShapeId, u64)>,
    /// The number of those before the last step.
    reported: usize,
    /// The number of the first of them that were taken.
    taken: usize,
}

impl DestroyedShapes {
    /// Those of a frame that is restored.
    pub(crate) fn of_frame(all: &[(ShapeId, u64)]) -> Self {
        Self {
            all: all.to_vec(),
            reported: 0,
            taken: 0,
        }
    }

    /// Those whose touches the next step reports.
    pub(crate) fn since_step(&self) -> &[(ShapeId, u64)] {
        &self.all[self.reported..]
    }

    pub(super) fn add(&mut self, shapes: impl Iterator<Item = (ShapeId, u64)>) {
        self.all.extend(shapes);
    }

    pub(super) fn not_taken(&self) -> &[(ShapeId, u64)] {
        &self.all[self.taken..]
    }

    pub(super) fn take(&mut self) {
        self.taken = self.all.len();
    }

    /// A step has reported what was pending. Where nobody watches, nobody takes what is left.
    pub(super) fn end_step(&mut self, is_watched: bool) {
        let gone = if is_watched { self.taken } else { self.all.len() };
        self.all.drain(..gone);
        self.taken = 0;
        self.reported = self.all.len();
    }
}
