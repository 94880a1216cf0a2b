//! What a tree knows of its objects: [`ObjectId`], records, and the references by which cells hold them.

use super::layout::NONE;
use super::{Bounds, Cell, OrthtreeError, Reach};
use alloc::vec::Vec;
use core::num::NonZeroU32;

/// Names an object of one tree, until that is removed. A stale id is refused; it never reaches another object.
///
/// `Option<ObjectId>` has 8 bytes too. The order is that of the places, not of insertion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ObjectId {
    index: u32,
    generation: NonZeroU32,
}

impl ObjectId {
    /// The object's place. Places of removed objects are used again.
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }
}

/// Which cells an object belongs to, in terms that no growth of the root changes: two objects with equal placements are
/// in the same cells. With one cell an object, `low` and `high` are the cell's corner and `height` its height.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Placement<const D: usize> {
    pub(super) low: [u32; D],
    high: [u32; D],
    pub(super) height: u32,
}

impl<const D: usize> Placement<D> {
    #[inline]
    pub(super) fn in_cell(cell: &Cell<D>) -> Self {
        Self {
            low: cell.corner,
            high: cell.corner,
            height: cell.height,
        }
    }

    #[inline]
    pub(super) fn shared(reach: &Reach<D>, root: &Cell<D>) -> Self {
        let absolute =
            |place: [i64; D]| core::array::from_fn(|axis| root.corner[axis].wrapping_add(place[axis] as u32));
        Self {
            low: absolute(reach.low),
            high: absolute(reach.high),
            height: reach.height,
        }
    }

    /// The cell of an object with one cell.
    #[inline]
    pub(super) fn cell(&self) -> Cell<D> {
        Cell {
            corner: self.low,
            height: self.height,
        }
    }

    /// The range of a shared object, from the root's lower corner.
    #[inline]
    pub(super) fn reach(&self, root: &Cell<D>) -> Reach<D> {
        let relative = |place: [u32; D]| {
            core::array::from_fn(|axis| i64::from(place[axis].wrapping_sub(root.corner[axis])))
        };
        Reach {
            low: relative(self.low),
            high: relative(self.high),
            height: self.height,
        }
    }
}

/// An object. `first` heads the chain of its references, or is [`NONE`] while the place is free.
#[derive(Clone, Debug)]
pub(super) struct Object<const D: usize> {
    pub(super) key: u64,
    pub(super) placement: Placement<D>,
    generation: NonZeroU32,
    pub(super) first: u32,
}

/// That a cell holds an object: a member of the cell's list (both ways) and of the object's chain (one way).
#[derive(Clone, Debug)]
pub(super) struct Entry<const D: usize, N> {
    pub(super) bounds: Bounds<D>,
    pub(super) object: ObjectId,
    pub(super) node: N,
    pub(super) previous: u32,
    pub(super) next: u32,
    pub(super) sibling: u32,
}

/// The objects and their references, by place. Free places are used again, last freed first; one whose generations are
/// used up is not.
#[derive(Clone, Debug)]
pub(super) struct Objects<const D: usize, N> {
    pub(super) objects: Vec<Object<D>>,
    free_objects: Vec<u32>,
    pub(super) entries: Vec<Entry<D, N>>,
    free_entries: Vec<u32>,
    pub(super) count: usize,
}

impl<const D: usize, N: Copy> Objects<D, N> {
    pub(super) fn new() -> Self {
        Self {
            objects: Vec::new(),
            free_objects: Vec::new(),
            entries: Vec::new(),
            free_entries: Vec::new(),
            count: 0,
        }
    }

    /// Fails unless there is room for one more object.
    pub(super) fn check_room(&self) -> Result<(), OrthtreeError> {
        let room = NONE as usize - 1;
        let is_full = (self.free_objects.is_empty() && self.objects.len() >= room)
            || (self.free_entries.is_empty() && self.entries.len() >= room);
        if is_full { Err(OrthtreeError::Full) } else { Ok(()) }
    }

    /// A new object without references.
    pub(super) fn add(&mut self, key: u64, placement: Placement<D>) -> ObjectId {
        self.count += 1;
        if let Some(index) = self.free_objects.pop() {
            let object = &mut self.objects[index as usize];
            (object.key, object.placement) = (key, placement);
            return ObjectId {
                index,
                generation: object.generation,
            };
        }
        let index = self.objects.len() as u32;
        let generation = NonZeroU32::MIN;
        self.objects.push(Object {
            key,
            placement,
            generation,
            first: NONE,
        });
        ObjectId { index, generation }
    }

    /// Frees the place of an object without references.
    pub(super) fn forget(&mut self, id: ObjectId) {
        self.count -= 1;
        let object = &mut self.objects[id.index as usize];
        // A place that has used its generations stays out of use, with one that no id was given for.
        if let Some(generation) = object.generation.checked_add(1) {
            object.generation = generation;
            if generation != NonZeroU32::MAX {
                self.free_objects.push(id.index);
            }
        }
    }

    /// The object of an id.
    #[inline]
    pub(super) fn get(&self, id: ObjectId) -> Result<&Object<D>, OrthtreeError> {
        match self.objects.get(id.index as usize) {
            Some(object) if object.generation == id.generation && object.first != NONE => Ok(object),
            _ => Err(OrthtreeError::StaleId { index: id.index }),
        }
    }

    /// The id of the object at a place, if there is one.
    pub(super) fn id_at(&self, index: u32) -> Option<ObjectId> {
        let object = self.objects.get(index as usize)?;
        (object.first != NONE).then_some(ObjectId {
            index,
            generation: object.generation,
        })
    }

    /// A reference that is in no cell yet, first in its object's chain.
    pub(super) fn add_entry(&mut self, object: ObjectId, bounds: Bounds<D>, node: N) -> u32 {
        let head = &mut self.objects[object.index as usize].first;
        let entry = Entry {
            bounds,
            object,
            node,
            previous: NONE,
            next: NONE,
            sibling: *head,
        };
        *head = match self.free_entries.pop() {
            Some(place) => {
                self.entries[place as usize] = entry;
                place
            }
            None => {
                self.entries.push(entry);
                self.entries.len() as u32 - 1
            }
        };
        *head
    }

    /// Takes a reference, which is in no cell any more, out of its object's chain.
    pub(super) fn remove_entry(&mut self, place: u32) {
        let Entry { object, sibling, .. } = self.entries[place as usize];
        let head = &mut self.objects[object.index as usize].first;
        if *head == place {
            *head = sibling;
        } else {
            let mut before = *head;
            while self.entries[before as usize].sibling != place {
                before = self.entries[before as usize].sibling;
            }
            self.entries[before as usize].sibling = sibling;
        }
        self.free_entries.push(place);
    }

    /// The references of an object, latest first.
    pub(super) fn chain(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        core::iter::successors((first != NONE).then_some(first), |&place| {
            let sibling = self.entries[place as usize].sibling;
            (sibling != NONE).then_some(sibling)
        })
    }

    /// The references of a cell's list, latest first.
    #[inline]
    pub(super) fn list(&self, first: u32) -> impl Iterator<Item = (u32, &Entry<D, N>)> + '_ {
        let mut place = first;
        core::iter::from_fn(move || {
            let entry = self.entries.get(place as usize)?;
            let here = place;
            place = entry.next;
            Some((here, entry))
        })
    }

    pub(super) fn bytes(&self) -> usize {
        self.objects.capacity() * size_of::<Object<D>>()
            + self.entries.capacity() * size_of::<Entry<D, N>>()
            + (self.free_objects.capacity() + self.free_entries.capacity()) * size_of::<u32>()
    }
}

const _: () = {
    assert!(size_of::<Option<ObjectId>>() == 8);
    assert!(size_of::<Entry<2, u32>>() == 40 && size_of::<Entry<3, u64>>() == 56);
    assert!(size_of::<Object<2>>() == 40 && size_of::<Object<3>>() == 48);
};
