//! Free space in a recording: the leaves of the quadtree in which agents find their paths, and which of them count as
//! wall. Of several clearances the smallest is shown. Leaves change only when walls do, so a change is written as the
//! leaves removed and added.

use serde::Serialize;
use tombolo::{FreeSpace, World};

use super::bytes::ascending;

/// The free space's entry in the manifest, written once.
#[derive(Debug, Serialize)]
pub(super) struct CellsEntry {
    clearance: f32,
    /// The left and bottom of the tree's root, in meters.
    corner: [f32; 2],
    size: f32,
}

/// The leaves that the reader has: twice the locational code, plus one for leaves that count as wall; ascending.
#[derive(Debug, Default)]
pub(super) struct Cells {
    known: Vec<u32>,
    now: Vec<u32>,
}

impl Cells {
    /// Writes one frame: leaves removed, then leaves added; none unless `is_wanted`. Returns the free space if there is
    /// one.
    pub(super) fn record(
        &mut self,
        world: Option<&World>,
        is_wanted: bool,
        out: &mut Vec<u8>,
    ) -> Option<CellsEntry> {
        let free = world.and_then(World::drawn_free_space);
        if is_wanted {
            self.look(free);
            ascending(out, &missing(&self.known, &self.now));
            ascending(out, &missing(&self.now, &self.known));
            std::mem::swap(&mut self.known, &mut self.now);
        } else {
            ascending(out, &[]);
            ascending(out, &[]);
        }
        free.map(|free| {
            let bounds = free.bounds();
            CellsEntry {
                clearance: free.clearance(),
                corner: bounds.min,
                size: bounds.max[0] - bounds.min[0],
            }
        })
    }

    fn look(&mut self, free: Option<&FreeSpace>) {
        self.now.clear();
        if let Some(free) = free {
            let leaves = &mut self.now;
            free.cells(&free.bounds(), |cell| {
                leaves.push(cell.code.bits() << 1 | u32::from(!cell.is_free));
            });
            leaves.sort_unstable();
        }
    }
}

/// The numbers of one ascending list that are not in another.
fn missing(list: &[u32], other: &[u32]) -> Vec<u32> {
    let is_missing = |value: &&u32| other.binary_search(value).is_err();
    list.iter().filter(is_missing).copied().collect()
}
