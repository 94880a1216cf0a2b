//! [`Run`]: the unit of a pass over a batch: blocks of one color and kind, and the number of lanes that solve them.
//!
//! Runs are listed once a step when a batch is prepared. A small batch has constraints in few colors and fills few
//! lanes, and each pass, of about ten, iterates over its list.

use super::lanes::{BLOCK, LaneWidth};
use alloc::vec::Vec;
use core::ops::Range;

/// Adjacent blocks of a batch that have one color and one kind.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub(super) blocks: Range<usize>,
    pub(super) kind: RunKind,
    pub(super) lanes: LaneWidth,
}

/// The kind of the blocks of a [`Run`].
#[derive(Clone, Copy, Debug)]
pub(super) enum RunKind {
    Contacts,
    Revolutes,
    Axes,
    Couplings,
}

impl Run {
    /// Appends the runs of the blocks `blocks` that hold `count` constraints: a last block that is not full is solved
    /// with the fewest lanes that hold it.
    pub(super) fn list(
        runs: &mut Vec<Self>,
        kind: RunKind,
        blocks: Range<usize>,
        count: usize,
        widest: LaneWidth,
    ) {
        if blocks.is_empty() {
            return;
        }
        let last = widest.least_for(count - (blocks.len() - 1) * BLOCK);
        let full = if last == widest {
            blocks.end
        } else {
            blocks.end - 1
        };
        for (blocks, lanes) in [(blocks.start..full, widest), (full..blocks.end, last)] {
            if !blocks.is_empty() {
                runs.push(Self { blocks, kind, lanes });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_block_is_in_one_run_with_lanes_for_what_it_holds() {
        for widest in LaneWidth::ALL {
            for count in 0..100_usize {
                let blocks = 3..3 + count.div_ceil(BLOCK);
                let mut runs = Vec::new();
                Run::list(&mut runs, RunKind::Contacts, blocks.clone(), count, widest);
                let mut next = blocks.start;
                for run in &runs {
                    assert!(run.blocks.start == next && !run.blocks.is_empty());
                    next = run.blocks.end;
                    let held = (count - (run.blocks.start - blocks.start) * BLOCK).min(BLOCK);
                    let narrower = LaneWidth::ALL.into_iter().rev().find(|width| *width < run.lanes);
                    assert!(run.lanes <= widest);
                    assert!(run.lanes == widest || run.lanes.lanes() >= held && run.blocks.len() == 1);
                    assert!(narrower.is_none_or(|width| width.lanes() < held));
                }
                assert_eq!(next, blocks.end, "{count} by {widest:?}");
            }
        }
    }
}
