//! The stage `segment_cuts`: makes the segment cuts of a scene that are due.

use alloc::format;
use alloc::vec::Vec;

use tombolo_geometry::Position;
use tombolo_physics::QueryFilter;

use super::World;
use super::recording::WorldCall;
use crate::scene::SegmentCut;

impl World {
    /// Adds a segment cut, which cuts all bodies that it crosses, like [`World::cut_through`], at its step: at the
    /// start of the next step if that is past. Segment cuts of one step are made in the order in which they were
    /// added. One that physics refuses is among the [`faults`](World::faults); one whose ends are not finite is so at
    /// once.
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

    /// Makes the segment cuts that are due.
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
