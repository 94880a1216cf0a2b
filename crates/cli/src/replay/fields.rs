//! Fields in a recording: what each looks like, and from which frame to which.

use serde::Serialize;
use tombolo::physics::PhysicsWorld;

use crate::field_marks::FieldMarks;

/// So many looks are kept at most: one that moves all the time looks different in each frame.
const LOOKS_MAX: usize = 20_000;

/// A look of a field.
#[derive(Debug, Serialize)]
pub(super) struct FieldLook {
    #[serde(flatten)]
    marks: FieldMarks,
    /// The first frame in which it looks so.
    from: u32,
    /// The first frame in which it does not any more.
    to: u32,
    #[serde(skip)]
    field: u64,
}

/// All looks that there were.
#[derive(Debug, Default, Serialize)]
#[serde(transparent)]
pub(super) struct Fields {
    looks: Vec<FieldLook>,
}

impl Fields {
    /// Adds what has changed in a frame.
    pub(super) fn record(&mut self, world: &PhysicsWorld, frame: u32) {
        for id in world.fields() {
            let Some(marks) = world.field(id).and_then(|def| FieldMarks::of(&def)) else {
                continue;
            };
            let (field, is_full) = (id.to_bits(), self.looks.len() >= LOOKS_MAX);
            let known = self
                .looks
                .iter_mut()
                .rev()
                .find(|look| look.to == frame && look.field == field);
            match known {
                Some(look) if look.marks == marks => look.to = frame + 1,
                _ if is_full => {}
                _ => self.looks.push(FieldLook {
                    marks,
                    from: frame,
                    to: frame + 1,
                    field,
                }),
            }
        }
    }
}
