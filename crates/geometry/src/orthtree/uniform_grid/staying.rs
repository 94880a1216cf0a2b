//! [`Staying`]: many workers write the boxes of objects that stay in their cells.
#![allow(unsafe_code)]

use super::super::{Bounds, ObjectId};
use super::{CellSize, GridMember, Home, Tile, UniformGrid, cell_place, home_of, spill_of};
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicU64, Ordering};

/// The boxes of a grid for writers on several threads, from [`UniformGrid::staying`]. In most steps of a world most objects stay in
/// their cells, and of those nothing but the box changes. The others are left to [`UniformGrid::update`].
pub struct Staying<'a> {
    size: CellSize,
    /// The size of cells.
    edge: f32,
    /// No object of up to this size changes `spill`.
    noted_size: f32,
    tiles: &'a [Tile],
    homes: &'a [Home],
    cells: &'a [Vec<GridMember>],
    /// Where the grid notes how far objects reach out of their cells, and what this value adds: the bits of a number that is not
    /// negative, which are in the order of the numbers.
    spill: &'a mut f64,
    reach: AtomicU64,
}

// Without the boxes: another thread may write one meanwhile.
impl fmt::Debug for Staying<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Staying")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl UniformGrid {
    /// The boxes of objects that stay in their cells, for writers on several threads.
    ///
    /// ```
    /// use tombolo_geometry::orthtree::{Bounds, UniformGrid};
    /// let mut crates = UniformGrid::new(4.0)?;
    /// let one = crates.insert(Bounds::around([10.0, 10.0], 0.5), 7)?;
    /// let (near, far) = (Bounds::around([10.5, 10.0], 0.5), Bounds::around([99.0, 10.0], 0.5));
    /// let staying = crates.staying();
    /// // SAFETY: one thread writes.
    /// let [stays, leaves] = [near, far].map(|bounds| unsafe { staying.write(one, bounds) });
    /// drop(staying);
    /// assert_eq!((stays, leaves, crates.bounds(one)?), (true, false, near));
    /// # Ok::<(), tombolo_geometry::orthtree::OrthtreeError>(())
    /// ```
    pub fn staying(&mut self) -> Staying<'_> {
        Staying {
            size: self.size,
            edge: self.size.edge as f32,
            noted_size: (1.999 * self.spill) as f32,
            tiles: &self.tiles,
            homes: &self.homes,
            cells: &self.cells,
            reach: AtomicU64::new(self.spill.to_bits()),
            spill: &mut self.spill,
        }
    }
}

impl Staying<'_> {
    /// Sets the box of an object if it stays in its cell; else, also for a stale id or a box that [`UniformGrid::fits`] refuses,
    /// nothing changes and the result is false. The result is that of [`UniformGrid::update`], for whichever thread. O(1).
    ///
    /// # Safety
    ///
    /// While one thread is in a call for an object, no other is in one for the same object.
    #[inline(always)]
    pub unsafe fn write(&self, id: ObjectId, bounds: Bounds<2>) -> bool {
        let Some(home) = home_of(self.homes, id) else {
            return false;
        };
        let place = cell_place(self.tiles, home.cell);
        if !self.is_well_within(place, &bounds) && !self.size.is_place(place, &bounds) {
            return false;
        }
        let [width, height] = [bounds.max[0] - bounds.min[0], bounds.max[1] - bounds.min[1]];
        if (width > self.noted_size) | (height > self.noted_size) {
            self.note_reach(spill_of(&bounds));
        }
        // SAFETY: the grid is borrowed for change, and no other thread is here for this object, as the caller promises.
        unsafe {
            self.cells[home.cell as usize][home.member as usize]
                .bounds
                .write(bounds)
        };
        true
    }

    /// Whether a box is so far from the border of a cell that no rounding of `f32` matters: most are, and the exact answer costs
    /// twice as much.
    #[inline]
    fn is_well_within(&self, place: [i32; 2], bounds: &Bounds<2>) -> bool {
        self.is_well_within_along(place[0], bounds.min[0], bounds.max[0])
            & self.is_well_within_along(place[1], bounds.min[1], bounds.max[1])
    }

    /// Likewise, along one axis.
    #[inline]
    fn is_well_within_along(&self, place: i32, min: f32, max: f32) -> bool {
        const ROUNDING: f32 = 1.0 / (1 << 20) as f32;
        let (size, twice) = (max - min, min + max);
        let low = 2.0 * self.edge * place as f32;
        let border = self.edge / 64.0 + low.abs() * ROUNDING;
        let is_small = (size >= 0.0) & (size <= self.edge * (1.0 - ROUNDING));
        is_small & (twice > low + border) & (twice < low + 2.0 * self.edge - border)
    }

    /// Notes how far an object reaches out of its cell. Writes only what is more than before: a write that all threads see waits
    /// for all of this thread's, and among objects of one size nearly all come here.
    #[inline(never)]
    fn note_reach(&self, reach: f64) {
        let bits = reach.to_bits();
        if bits > self.reach.load(Ordering::Relaxed) {
            self.reach.fetch_max(bits, Ordering::Relaxed);
        }
    }
}

impl Drop for Staying<'_> {
    fn drop(&mut self) {
        *self.spill = f64::from_bits(*self.reach.get_mut());
    }
}
