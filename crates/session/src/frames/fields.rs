//! Fields and zones in a recording: what each looks like, and from which frame to which.

use serde::Serialize;
use tombolo::World;
use tombolo::physics::PhysicsWorld;

use crate::field_marks::{FieldMarks, MarkedAs};

/// So many looks are kept at most: one that moves all the time looks different in each frame.
const LOOKS_MAX: usize = 20_000;

/// A look of a field or a zone.
#[derive(Debug, Serialize)]
pub(super) struct FieldLook {
    #[serde(flatten)]
    marks: FieldMarks,
    /// The first frame in which it looks so.
    from: u32,
    /// The first frame in which it does not any more.
    to: u32,
    #[serde(skip)]
    of: MarkedAs,
}

/// All looks that there were.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Fields {
    looks: Vec<FieldLook>,
}

impl Fields {
    /// Adds what has changed in a frame.
    pub(super) fn record(&mut self, physics: &PhysicsWorld, world: Option<&World>, frame: u32) {
        for (of, marks) in FieldMarks::all(physics, world) {
            let is_full = self.looks.len() >= LOOKS_MAX;
            let known = self
                .looks
                .iter_mut()
                .rev()
                .find(|look| look.to == frame && look.of == of);
            match known {
                Some(look) if look.marks == marks => look.to = frame + 1,
                _ if is_full => {}
                _ => self.looks.push(FieldLook {
                    marks,
                    from: frame,
                    to: frame + 1,
                    of,
                }),
            }
        }
    }
}
