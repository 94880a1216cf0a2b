//! The stage `strokes`: the segment cuts of a scene cut what they cross when their step has come.

use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{DataError, Reader, Writer};
use tombolo_geometry::{Position, Vec2};
use tombolo_physics::QueryFilter;

use super::World;

/// A cut that is made at the start of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stroke {
    /// How many steps the world has made by then.
    pub step: u64,
    /// One end, metres.
    pub from: Vec2,
    /// The other end, metres.
    pub to: Vec2,
}

/// The strokes that are still to come, in the order of their steps.
#[derive(Clone, Debug, Default)]
pub(super) struct Strokes {
    pending: Vec<Stroke>,
}

impl Strokes {
    fn add(&mut self, stroke: Stroke) {
        let place = self.pending.partition_point(|other| other.step <= stroke.step);
        self.pending.insert(place, stroke);
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.length(self.pending.len());
        for Stroke { step, from, to } in &self.pending {
            out.u64(*step);
            for part in [from.x, from.y, to.x, to.y] {
                out.f32(part);
            }
        }
    }

    pub(super) fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        let mut strokes = Self::default();
        for _ in 0..from.length(24, "strokes")? {
            let step = from.u64("a stroke's step")?;
            let mut part = || from.f32("a stroke's end");
            let ends = [part()?, part()?, part()?, part()?];
            let sorted = strokes.pending.last().is_none_or(|last| last.step <= step);
            if !sorted || ends.iter().any(|end| !end.is_finite()) {
                return Err(DataError::broken("strokes out of order, or to nowhere"));
            }
            let [x, y, to_x, to_y] = ends;
            strokes.pending.push(Stroke {
                step,
                from: Vec2::new(x, y),
                to: Vec2::new(to_x, to_y),
            });
        }
        Ok(strokes)
    }
}

impl World {
    /// Has a stroke cut everything that it crosses, as [`World::cut_through`] does, when its step has come: at the start of
    /// the next step if that is past. Strokes of one step come in the order in which they were added. One that physics
    /// refuses is among the [`faults`](World::faults); one whose ends are not finite is so at once.
    pub fn add_stroke(&mut self, stroke: Stroke) {
        if !stroke.from.is_finite() || !stroke.to.is_finite() {
            let Stroke { step, from, to } = stroke;
            return self.note_fault(format!(
                "the stroke of step {step}: from {from} to {to} is no line"
            ));
        }
        self.strokes.add(stroke);
    }

    /// Makes the strokes whose step has come.
    pub(super) fn make_strokes(&mut self) {
        let now = self.physics.step_index();
        let due = self.strokes.pending.partition_point(|stroke| stroke.step <= now);
        for stroke in self.strokes.pending.drain(..due).collect::<Vec<Stroke>>() {
            let (from, to) = (Position::from(stroke.from), Position::from(stroke.to));
            if let Err(error) = self.cut_through(from, to, QueryFilter::default()) {
                self.note_fault(format!("the stroke of step {}: {error}", stroke.step));
            }
        }
    }
}
