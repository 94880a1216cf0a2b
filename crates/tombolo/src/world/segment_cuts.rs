//! The stage `segment_cuts`: the segment cuts of a scene cut what they cross when their step has come.

use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{DataError, Reader, Writer};
use tombolo_geometry::{Position, Vec2};
use tombolo_physics::QueryFilter;

use super::World;
use super::recording::WorldCall;
use crate::scene::SegmentCut;

/// The segment cuts that are still to come, in the order of their steps.
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentCuts {
    pending: Vec<SegmentCut>,
}

impl SegmentCuts {
    fn add(&mut self, segment_cut: SegmentCut) {
        let place = self
            .pending
            .partition_point(|other| other.step <= segment_cut.step);
        self.pending.insert(place, segment_cut);
    }

    pub(super) fn save(&self, out: &mut Writer) {
        out.length(self.pending.len());
        for SegmentCut { step, from, to } in &self.pending {
            out.u64(*step);
            for part in [from.x, from.y, to.x, to.y] {
                out.f32(part);
            }
        }
    }

    pub(super) fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        let mut segment_cuts = Self::default();
        for _ in 0..from.length(24, "segment_cuts")? {
            let step = from.u64("a segment cut's step")?;
            let mut part = || from.f32("a segment cut's end");
            let ends = [part()?, part()?, part()?, part()?];
            let sorted = segment_cuts.pending.last().is_none_or(|last| last.step <= step);
            if !sorted || ends.iter().any(|end| !end.is_finite()) {
                return Err(DataError::broken("segment cuts out of order, or to nowhere"));
            }
            let [x, y, to_x, to_y] = ends;
            segment_cuts.pending.push(SegmentCut {
                step,
                from: Vec2::new(x, y),
                to: Vec2::new(to_x, to_y),
            });
        }
        Ok(segment_cuts)
    }
}

impl World {
    /// Has a segment cut cut everything that it crosses, as [`World::cut_through`] does, when its step has come: at the
    /// start of the next step if that is past. Segment cuts of one step come in the order in which they were added. One
    /// that physics refuses is among the [`faults`](World::faults); one whose ends are not finite is so at once.
    pub fn add_segment_cut(&mut self, segment_cut: SegmentCut) {
        self.report(|| WorldCall::AddSegmentCut { segment_cut });
        if !segment_cut.from.is_finite() || !segment_cut.to.is_finite() {
            let SegmentCut { step, from, to } = segment_cut;
            return self.note_fault(format!(
                "the segment cut of step {step}: from {from} to {to} is no line"
            ));
        }
        self.segment_cuts.add(segment_cut);
    }

    /// Makes the segment cuts whose step has come.
    pub(super) fn apply_segment_cuts(&mut self) {
        let now = self.physics.step_index();
        let due = self
            .segment_cuts
            .pending
            .partition_point(|segment_cut| segment_cut.step <= now);
        for segment_cut in self
            .segment_cuts
            .pending
            .drain(..due)
            .collect::<Vec<SegmentCut>>()
        {
            let (from, to) = (Position::from(segment_cut.from), Position::from(segment_cut.to));
            if let Err(error) = self.cut_through(from, to, QueryFilter::default()) {
                self.note_fault(format!("the segment cut of step {}: {error}", segment_cut.step));
            }
        }
    }
}
