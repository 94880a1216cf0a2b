//! [`Staying`]: many workers write the boxes of objects that stay in their cells.
#![allow(unsafe_code)]

use super::super::{Bounds, ObjectId};
use super::{CellSize, GridMember, Home, Tile, UniformGrid, cell_place, home_of, size_of_box};
use alloc::vec::Vec;
use core::fmt;
use core::sync::atomic::{AtomicU32, Ordering};

/// A relative bound above the rounding of the `f32` that [`Staying::is_well_within`] computes with.
const ROUNDING: f32 = 1.0 / (1 << 20) as f32;

/// The place of an object in its grid, from [`Staying::spot`], to find it by with one look instead of three. Other objects that come
/// and go may move it from there, so that this is a guess, which [`Staying::write_at`] checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridSpot {
    cell: u32,
    member: u32,
}

impl GridSpot {
    /// The place of no object.
    pub const NOWHERE: Self = Self {
        cell: Home::NOWHERE,
        member: 0,
    };
}

/// The boxes of a grid for writers on several threads, from [`UniformGrid::staying`]. In most steps of a world most objects stay in
/// their cells, and of those nothing but the box changes. The others are left to [`UniformGrid::update`].
pub struct Staying<'a> {
    size: CellSize,
    /// The size of cells.
    edge: f32,
    /// A box of up to this size fits into a cell however it was rounded, and is no larger than others were.
    ordinary: f32,
    tiles: &'a [Tile],
    homes: &'a [Home],
    cells: &'a [Vec<GridMember>],
    /// Where the grid notes the size of the largest object, and what this value adds: the bits of a number that is not negative,
    /// which are in the order of the numbers.
    size_max: &'a mut f32,
    largest: AtomicU32,
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
        let edge = self.size.edge as f32;
        Staying {
            size: self.size,
            edge,
            ordinary: self.size_max.min(edge * (1.0 - ROUNDING)),
            tiles: &self.tiles,
            homes: &self.homes,
            cells: &self.cells,
            largest: AtomicU32::new(self.size_max.to_bits()),
            size_max: &mut self.size_max,
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
        let member = &self.cells[home.cell as usize][home.member as usize];
        // SAFETY: no other thread is here for this object, as the caller promises.
        unsafe { self.write_member(home.cell, member, bounds) }
    }

    /// The place of an object; `None` for a stale id.
    #[inline]
    pub fn spot(&self, id: ObjectId) -> Option<GridSpot> {
        home_of(self.homes, id).map(|home| GridSpot {
            cell: home.cell,
            member: home.member,
        })
    }

    /// Requests that the box at a place be loaded into the cache, as it will be written soon. Affects time only.
    #[inline(always)]
    pub fn prefetch(&self, spot: GridSpot) {
        #[cfg(target_arch = "x86_64")]
        if let Some(members) = self.cells.get(spot.cell as usize) {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            let member: *const i8 = members.as_ptr().wrapping_add(spot.member as usize).cast();
            // SAFETY: prefetching needs SSE, which is part of every x86_64; no address is invalid for it.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(member) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = spot;
    }

    /// Like [`write`](Self::write), for the object with a key that may be at a place. False, with nothing changed, also if that
    /// object is not there: look it up by its id then. O(1).
    ///
    /// # Safety
    ///
    /// While one thread is in a call for an object with a key, no other is in one for an object with the same key.
    #[inline(always)]
    pub unsafe fn write_at(&self, spot: GridSpot, key: u64, bounds: Bounds<2>) -> bool {
        let cell = self.cells.get(spot.cell as usize);
        let member = cell.and_then(|members| members.get(spot.member as usize));
        let Some(member) = member.filter(|member| member.key == key) else {
            return false;
        };
        // SAFETY: no other thread is here for an object with this key, as the caller promises.
        unsafe { self.write_member(spot.cell, member, bounds) }
    }

    /// Sets the box of a member of a cell if it stays there.
    ///
    /// # Safety
    ///
    /// No other thread is in a call for this member.
    #[inline(always)]
    unsafe fn write_member(&self, cell: u32, member: &GridMember, bounds: Bounds<2>) -> bool {
        let place = cell_place(self.tiles, cell);
        if !self.is_well_within(place, &bounds) && !self.stays(place, &bounds) {
            return false;
        }
        // SAFETY: the grid is borrowed for change, and no other thread is here for this member, as the caller promises.
        unsafe { member.bounds.write(bounds) };
        true
    }

    /// Whether a box is no larger than others were, and so far from the border of a cell that no rounding of `f32` matters: most
    /// are, and the exact answer costs twice as much.
    #[inline(always)]
    fn is_well_within(&self, place: [i32; 2], bounds: &Bounds<2>) -> bool {
        self.is_well_within_along(place[0], bounds.min[0], bounds.max[0])
            & self.is_well_within_along(place[1], bounds.min[1], bounds.max[1])
    }

    /// Likewise, along one axis.
    #[inline(always)]
    fn is_well_within_along(&self, place: i32, min: f32, max: f32) -> bool {
        let (size, twice) = (max - min, min + max);
        let low = 2.0 * self.edge * place as f32;
        let off = (twice - low - self.edge).abs();
        // Not a number is in no range. Without branches: most objects are here.
        (size >= 0.0) & (size <= self.ordinary) & (off + low.abs() * ROUNDING < self.edge * (63.0 / 64.0))
    }

    /// Whether a box stays in a cell, exactly; if so, notes its size. Writes only what is more than before: a write that all threads
    /// see waits for all of this thread's.
    #[inline(never)]
    fn stays(&self, place: [i32; 2], bounds: &Bounds<2>) -> bool {
        let stays = self.size.is_place(place, bounds);
        let bits = size_of_box(bounds).to_bits();
        if stays && bits > self.largest.load(Ordering::Relaxed) {
            self.largest.fetch_max(bits, Ordering::Relaxed);
        }
        stays
    }
}

impl Drop for Staying<'_> {
    fn drop(&mut self) {
        *self.size_max = f32::from_bits(*self.largest.get_mut());
    }
}
