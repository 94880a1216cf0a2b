//! What a tree knows of its objects: [`ObjectId`], records, and the references that lead to their boxes in the cells' lists.

use super::layout::{NONE, Slot};
use super::lists::{Lists, Moved, Tag};
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
    pub(super) fn from_parts(index: u32, generation: NonZeroU32) -> Self {
        Self { index, generation }
    }

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
    pub(super) placement: Placement<D>,
    pub(super) generation: NonZeroU32,
    pub(super) first: u32,
}

/// That a cell holds an object: where in the cell's list, and the next in the object's chain.
#[derive(Clone, Debug)]
pub(super) struct Reference<N> {
    pub(super) node: N,
    /// The place of the box in the lists.
    pub(super) place: u32,
    /// The index of the object's place.
    pub(super) object: u32,
    pub(super) sibling: u32,
}

/// The objects and their references. Free places are used again, last freed first; one whose generations are used up is
/// not. Where objects have one reference each, it has the index of its object, so that neither is looked for.
#[derive(Clone, Debug)]
pub(super) struct Objects<const D: usize, N> {
    pub(super) objects: Vec<Object<D>>,
    pub(super) free_objects: Vec<u32>,
    pub(super) references: Vec<Reference<N>>,
    free_references: Vec<u32>,
    pub(super) lists: Lists<D>,
    pub(super) count: usize,
    /// Whether an object may have several references.
    is_shared: bool,
}

impl<const D: usize, N: Copy> Objects<D, N> {
    pub(super) fn new(is_shared: bool) -> Self {
        Self {
            objects: Vec::new(),
            free_objects: Vec::new(),
            references: Vec::new(),
            free_references: Vec::new(),
            lists: Lists::new(),
            count: 0,
            is_shared,
        }
    }

    /// Fails unless there is room for so many more objects.
    #[inline]
    pub(super) fn check_room(&self, count: usize) -> Result<(), OrthtreeError> {
        let room = NONE as usize - 1;
        let is_full = self.objects.len() + count > room + self.free_objects.len()
            || self.references.len() + count > room + self.free_references.len()
            || self.lists.is_full();
        if is_full { Err(OrthtreeError::Full) } else { Ok(()) }
    }

    /// Makes room in memory for so many more objects of one cell each, half as many places again for what rooms leave open.
    pub(super) fn reserve(&mut self, count: usize) {
        self.objects
            .reserve(count.saturating_sub(self.free_objects.len()));
        self.references.reserve(count);
        self.lists.reserve(count + count / 2);
    }

    /// Where an object belongs.
    #[inline]
    pub(super) fn placement(&self, id: ObjectId) -> Placement<D> {
        self.objects[id.index as usize].placement
    }

    /// A new object without references.
    #[inline]
    pub(super) fn add(&mut self, placement: Placement<D>) -> ObjectId {
        self.count += 1;
        if let Some(index) = self.free_objects.pop() {
            let object = &mut self.objects[index as usize];
            object.placement = placement;
            return ObjectId {
                index,
                generation: object.generation,
            };
        }
        let index = self.objects.len() as u32;
        let generation = NonZeroU32::MIN;
        self.objects.push(Object {
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

    /// The place in the lists of an object's box.
    #[inline]
    pub(super) fn place_of(&self, object: &Object<D>) -> usize {
        self.references[object.first as usize].place as usize
    }

    /// Whose reference a member of a list is.
    #[inline]
    pub(super) fn owner(&self, tag: &Tag) -> ObjectId {
        let index = if self.is_shared {
            self.references[tag.reference as usize].object
        } else {
            tag.reference
        };
        ObjectId {
            index,
            generation: tag.generation,
        }
    }

    /// Puts an object into a cell's list.
    #[inline]
    pub(super) fn refer(&mut self, id: ObjectId, key: u64, bounds: Bounds<D>, node: N, slot: &mut Slot) {
        let head = &mut self.objects[id.index as usize].first;
        let reference = Reference {
            node,
            place: NONE,
            object: id.index,
            sibling: *head,
        };
        let index = if !self.is_shared {
            if id.index as usize == self.references.len() {
                self.references.push(reference);
            } else {
                self.references[id.index as usize] = reference;
            }
            id.index
        } else if let Some(index) = self.free_references.pop() {
            self.references[index as usize] = reference;
            index
        } else {
            self.references.push(reference);
            self.references.len() as u32 - 1
        };
        *head = index;
        let tag = Tag {
            key,
            generation: id.generation,
            reference: index,
        };
        self.enlist(bounds, tag, node, slot);
    }

    /// Puts a reference that is in no list into a cell's.
    #[inline]
    pub(super) fn enlist(&mut self, bounds: Bounds<D>, tag: Tag, node: N, slot: &mut Slot) {
        let (place, moved) = self.lists.push(slot, bounds, tag);
        self.tell(moved, slot);
        let reference = &mut self.references[tag.reference as usize];
        (reference.node, reference.place) = (node, place);
    }

    /// Takes a reference out of its cell's list, and gives what it held there.
    #[inline]
    pub(super) fn delist(&mut self, reference: u32, slot: &mut Slot) -> (Bounds<D>, Tag) {
        let place = self.references[reference as usize].place;
        let held = (self.lists.boxes[place as usize], self.lists.tags[place as usize]);
        let moved = self.lists.take(slot, place);
        self.tell(moved, slot);
        held
    }

    /// Tells references where their members are now.
    #[inline]
    fn tell(&mut self, moved: Moved, slot: &Slot) {
        match moved {
            Moved::None => {}
            Moved::One(place) => {
                let tag = self.lists.tags[place as usize];
                self.references[tag.reference as usize].place = place;
            }
            Moved::All => {
                for place in Lists::<D>::range(slot) {
                    let tag = self.lists.tags[place];
                    self.references[tag.reference as usize].place = place as u32;
                }
            }
        }
    }

    /// Takes a reference that is in no list out of its object's chain.
    pub(super) fn unchain(&mut self, index: u32) {
        let Reference { object, sibling, .. } = self.references[index as usize];
        let head = &mut self.objects[object as usize].first;
        if *head == index {
            *head = sibling;
        } else {
            let mut before = *head;
            while self.references[before as usize].sibling != index {
                before = self.references[before as usize].sibling;
            }
            self.references[before as usize].sibling = sibling;
        }
        if self.is_shared {
            self.free_references.push(index);
        }
    }

    /// Where objects have one reference each: makes one for every object that has none yet, in no list.
    pub(super) fn make_references(&mut self, node: N) {
        let none = |index: usize| Reference {
            node,
            place: NONE,
            object: index as u32,
            sibling: NONE,
        };
        let known = self.references.len();
        self.references.extend((known..self.objects.len()).map(none));
    }

    /// Gives a cell's list a room for so many more members.
    pub(super) fn make_list_room(&mut self, slot: &mut Slot, additional: usize) {
        let moved = self.lists.make_room(slot, additional);
        self.tell(moved, slot);
    }

    /// The indices of an object's references, latest first.
    pub(super) fn chain_from(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        core::iter::successors((first != NONE).then_some(first), |&index| {
            let sibling = self.references[index as usize].sibling;
            (sibling != NONE).then_some(sibling)
        })
    }

    /// The references of an object, latest first.
    pub(super) fn chain(&self, first: u32) -> impl Iterator<Item = &Reference<N>> + '_ {
        let mut index = first;
        core::iter::from_fn(move || {
            let reference = self.references.get(index as usize)?;
            index = reference.sibling;
            Some(reference)
        })
    }

    /// The references of a cell's list.
    pub(super) fn tags(&self, slot: &Slot) -> &[Tag] {
        &self.lists.tags[Lists::<D>::range(slot)]
    }

    /// Writes a box into all references of an object.
    #[inline]
    pub(super) fn write_bounds(&mut self, id: ObjectId, bounds: &Bounds<D>) {
        let mut index = self.objects[id.index as usize].first;
        while index != NONE {
            let reference = &self.references[index as usize];
            self.lists.boxes[reference.place as usize] = *bounds;
            index = reference.sibling;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.objects.capacity() * size_of::<Object<D>>()
            + self.references.capacity() * size_of::<Reference<N>>()
            + self.lists.bytes()
            + (self.free_objects.capacity() + self.free_references.capacity()) * size_of::<u32>()
    }
}

const _: () = {
    assert!(size_of::<Option<ObjectId>>() == 8);
    assert!(size_of::<Reference<u32>>() == 16 && size_of::<Reference<u64>>() == 24);
    assert!(size_of::<Object<2>>() == 28 && size_of::<Object<3>>() == 36);
};
