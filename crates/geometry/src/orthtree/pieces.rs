//! The common part of [`Polygons`](super::Polygons) and [`Triangles`](super::Triangles): objects that are split on the
//! planes between the finest cells, each piece in its own cell. They cut objects; this file keeps the pieces by id, and
//! their boxes in the tree.
//!
//! The tree holds the pieces' boxes in the cells that the cut assigned to them. A box is rounded outward to `f32` and
//! may exceed its cell by a rounding; the tree records that as it does for loose cells.

use super::{
    Bounds, Cell, Lattice, Layout, Loose, ObjectId, Orthtree, OrthtreeError, Reach, Region, Settings,
};
use alloc::vec::Vec;
use tombolo_handles::{Handle, HandleMap};

/// The most pieces of an object: 2^20.
pub const PIECE_COUNT_MAX: usize = 1 << 20;

/// An object cut over the cells: its pieces, and the caller's key.
#[derive(Clone, Debug)]
pub struct Split<P> {
    key: u64,
    /// In the order of cells, the first axis first; with the tree's id for each.
    pieces: Vec<(ObjectId, P)>,
}

impl<P> Split<P> {
    /// The caller's key.
    pub fn key(&self) -> u64 {
        self.key
    }

    /// The pieces: by the place of their cell along the first axis, of equal ones along the next.
    pub fn pieces(&self) -> impl ExactSizeIterator<Item = &P> {
        self.pieces.iter().map(|(_, piece)| piece)
    }

    /// The pieces with the tree's ids of their boxes.
    pub(super) fn entries(&self) -> &[(ObjectId, P)] {
        &self.pieces
    }
}

/// A part of an object that lies in one cell.
pub(super) trait CellPart<const D: usize> {
    /// The cell, a finest one.
    fn cell(&self) -> Cell<D>;

    /// The box around the part, rounded outwards.
    fn bounds(&self) -> Bounds<D>;
}

/// Objects cut over the cells of one size, in a tree of any layout.
#[derive(Clone, Debug)]
pub(super) struct SplitObjects<const D: usize, L: Layout<D>, P> {
    tree: Orthtree<D, L, Loose>,
    objects: HandleMap<Split<P>>,
}

impl<const D: usize, L: Layout<D>, P: CellPart<D>> SplitObjects<D, L, P> {
    /// An empty set. Cells have the root's size divided by 2^`depth`; the root may grow by `growth_max` levels.
    pub(super) fn new(root: Bounds<D>, depth: u32, growth_max: u32) -> Result<Self, OrthtreeError> {
        let settings = Settings {
            depth_max: depth,
            growth_max,
            ..Settings::default()
        };
        Ok(Self {
            tree: Orthtree::new(root, Loose::default(), settings)?,
            objects: HandleMap::new(),
        })
    }

    pub(super) fn tree(&self) -> &Orthtree<D, L, Loose> {
        &self.tree
    }

    pub(super) fn objects(&self) -> &HandleMap<Split<P>> {
        &self.objects
    }

    /// The finest cells between the ends of an object, checked to be within the tree's reach.
    pub(super) fn range(
        &self,
        bounds: &Bounds<D>,
        ends: [(f64, f64); D],
    ) -> Result<CellRange<D>, OrthtreeError> {
        let range = CellRange::of(ends, self.tree.lattice())?;
        bounds.check()?;
        self.tree.check_growth(|lattice| range.reach(lattice))?;
        // The lists have room for as many pieces as may exceed the check.
        self.tree.check_capacity()?;
        Ok(range)
    }

    /// Adds an object whose range was checked, with its pieces in the order of cells.
    pub(super) fn insert(
        &mut self,
        key: u64,
        range: &CellRange<D>,
        pieces: Vec<P>,
    ) -> Result<Handle<Split<P>>, OrthtreeError> {
        let object = Split {
            key,
            pieces: Vec::new(),
        };
        let id = self.objects.try_insert(object).map_err(|_| OrthtreeError::Full)?;
        self.replace(id, range, pieces);
        Ok(id)
    }

    /// Replaces the pieces of an object, which exists. Both lists are in the order of cells, so they are traversed
    /// together, and a piece takes over the place of an old one in its cell.
    pub(super) fn replace(&mut self, id: Handle<Split<P>>, range: &CellRange<D>, pieces: Vec<P>) {
        self.tree.grow_as_checked(|lattice| range.reach(lattice));
        let root = self.tree.lattice().root();
        let order = |piece: &P| piece.cell().offset_in(&root);
        let old = match self.objects.get_mut(id) {
            Some(object) => core::mem::take(&mut object.pieces),
            None => unreachable!("the caller has looked it up"),
        };
        let mut old = old.into_iter().peekable();
        let mut synced = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let place = order(&piece);
            while let Some((gone, _)) = old.next_if(|(_, other)| order(other) < place) {
                self.take_out(gone);
            }
            let bounds = piece.bounds();
            let object = match old.next_if(|(_, other)| order(other) == place) {
                Some((object, _)) => {
                    self.tree.write_in_cell(object, &bounds);
                    object
                }
                None => self.tree.insert_in_cell(&piece.cell(), &bounds, id.to_bits()),
            };
            synced.push((object, piece));
        }
        old.for_each(|(gone, _)| self.take_out(gone));
        self.objects[id].pieces = synced;
    }

    /// Removes an object; `None` if the id is stale.
    pub(super) fn remove(&mut self, id: Handle<Split<P>>) -> Option<u64> {
        let object = self.objects.remove(id)?;
        for (piece, _) in object.pieces {
            self.take_out(piece);
        }
        Some(object.key)
    }

    /// The objects of which a piece's box overlaps a region, touching included, each once, in the order of their ids.
    pub(super) fn query(&self, region: &impl Region<D>) -> Vec<Handle<Split<P>>> {
        let mut found = Vec::new();
        self.tree
            .query(region, |hit| found.extend(Handle::from_bits(hit.key)));
        found.sort_unstable();
        found.dedup();
        found
    }

    fn take_out(&mut self, piece: ObjectId) {
        let removed = self.tree.remove(piece);
        debug_assert!(removed.is_ok(), "a piece is in the tree while its object has it");
    }
}

/// Finest cells, both ends included, counted from the first root's lower corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct CellRange<const D: usize> {
    pub(super) low: [i64; D],
    pub(super) high: [i64; D],
}

impl<const D: usize> CellRange<D> {
    /// The cells between whose planes an extent lies.
    ///
    /// # Errors
    ///
    /// [`OrthtreeError::OutOfReach`] beyond where any root can grow.
    fn of(ends: [(f64, f64); D], lattice: &Lattice<D>) -> Result<Self, OrthtreeError> {
        // Twice the range of cells.
        const FAR: i64 = 1 << 33;
        let mut range = Self {
            low: [0; D],
            high: [0; D],
        };
        for (axis, (min, max)) in ends.into_iter().enumerate() {
            let rough = [min, max].map(|end| lattice.locate_absolute(end, axis));
            if rough[0] < -FAR || rough[1] > FAR {
                let growth_left = 0;
                return Err(OrthtreeError::OutOfReach { axis, growth_left });
            }
            (range.low[axis], range.high[axis]) = between_planes(lattice, axis, (min, max));
        }
        Ok(range)
    }

    /// The same range from the lower corner of the present root.
    fn reach(&self, lattice: &Lattice<D>) -> Reach<D> {
        let corner = lattice.root_corner();
        Reach {
            low: core::array::from_fn(|axis| self.low[axis] - corner[axis]),
            high: core::array::from_fn(|axis| self.high[axis] - corner[axis]),
            height: 0,
        }
    }
}

/// The cells along an axis between whose planes an extent lies: the first plane is not above its lower end, and the
/// last cell's plane is below its upper end. A coordinate in a plane is in the upper cell. Locating may be off by a
/// rounding, comparing with planes is not.
pub(super) fn between_planes<const D: usize>(
    lattice: &Lattice<D>,
    axis: usize,
    (min, max): (f64, f64),
) -> (i64, i64) {
    let [mut low, mut high] = [min, max].map(|end| lattice.locate_absolute(end, axis));
    let plane = |place| lattice.plane(axis, place);
    while plane(low) > min {
        low -= 1;
    }
    while plane(low + 1) <= min {
        low += 1;
    }
    while plane(high) >= max {
        high -= 1;
    }
    while plane(high + 1) < max {
        high += 1;
    }
    (low, high.max(low))
}

/// The least and the greatest coordinate of points along an axis.
pub(super) fn extent(coordinates: impl Iterator<Item = f64>) -> (f64, f64) {
    coordinates.fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), coordinate| {
        (min.min(coordinate), max.max(coordinate))
    })
}

/// The box around an extent along each axis, rounded outwards.
pub(super) fn box_around<const D: usize>(ends: [(f64, f64); D]) -> Bounds<D> {
    let below = |end: f64| {
        let nearest = end as f32;
        if f64::from(nearest) > end {
            nearest.next_down()
        } else {
            nearest
        }
    };
    let above = |end: f64| {
        let nearest = end as f32;
        if f64::from(nearest) < end {
            nearest.next_up()
        } else {
            nearest
        }
    };
    Bounds::new(ends.map(|(min, _)| below(min)), ends.map(|(_, max)| above(max)))
}
