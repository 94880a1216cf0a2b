//! The stage `segment_cuts`: the segment cuts of a scene cut what they cross when their step has come.

use alloc::format;
use alloc::vec::Vec;

use tombolo_geometry::Position;
use tombolo_physics::QueryFilter;

use super::World;
use super::recording::WorldCall;
use crate::scene::SegmentCut;

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
