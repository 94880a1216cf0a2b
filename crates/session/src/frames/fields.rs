//! Fields and zones in a recording: the drawing of each, with the first frame that has it and the first that does not.

use serde::Serialize;
use tombolo::World;
use tombolo::physics::PhysicsWorld;

use crate::field_marks::{FieldMarks, MarkedAs};

/// The greatest number of drawings that are kept: a field that moves all the time is drawn differently in each frame.
const LOOKS_MAX: usize = 20_000;

/// One drawing of a field or a zone.
#[derive(Debug, Serialize)]
pub(super) struct FieldLook {
    #[serde(flatten)]
    marks: FieldMarks,
    /// The first frame that has this drawing.
    from: u32,
    /// The first frame after it that does not have it.
    to: u32,
    #[serde(skip)]
    of: MarkedAs,
}

/// All drawings so far.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Fields {
    looks: Vec<FieldLook>,
}

impl Fields {
    /// Adds the drawings that have changed in a frame.
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
