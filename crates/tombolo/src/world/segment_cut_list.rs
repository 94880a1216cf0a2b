//! [`SegmentCuts`]: the pending segment cuts; `segment_cuts.rs` makes them.

use alloc::vec::Vec;

use tombolo_entity::{DataError, Reader, Writer};
use tombolo_geometry::Vec2;

use crate::scene::SegmentCut;

/// The pending segment cuts, in the order of their steps.
#[derive(Clone, Debug, Default)]
pub(super) struct SegmentCuts {
    pub(super) pending: Vec<SegmentCut>,
}

impl SegmentCuts {
    pub(super) fn add(&mut self, segment_cut: SegmentCut) {
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
