//! The records of a tree's objects: [`ObjectId`], and the references that lead to their boxes in the cells' lists.

use super::layout::{NONE, ObjectList};
use super::lists::{Lists, place_in};
use super::{Bounds, OrthtreeError};
use alloc::vec::Vec;
use core::num::NonZeroU32;

/// The id of an object of one tree, until that is removed. A stale id is refused; it never reaches another object.
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

    #[inline]
    pub(super) fn generation(self) -> NonZeroU32 {
        self.generation
    }

    /// The object's place. Places of removed objects are used again.
    #[inline]
    pub fn index(self) -> u32 {
        self.index
    }
}

/// The record of an object. `first` is the place of its box where objects have one reference each, else the head of the
/// chain of its references; [`NONE`] while it is in no cell.
#[derive(Clone, Debug)]
pub(super) struct Object {
    pub(super) generation: NonZeroU32,
    pub(super) first: u32,
}

/// A reference of an object in a cell, where it may be in several: the place of the box, and the next in the object's
/// chain.
#[derive(Clone, Debug)]
pub(super) struct Reference {
    place: u32,
    /// The index of the object's place.
    pub(super) object: u32,
    pub(super) sibling: u32,
}

/// The objects and their references. Free places are used again, last freed first, unless their generations are used
/// up. Where objects have one reference each, that has the index of its object and no record.
#[derive(Clone, Debug)]
pub(super) struct Objects<const D: usize, N> {
    pub(super) objects: Vec<Object>,
    pub(super) free_objects: Vec<u32>,
    pub(super) references: Vec<Reference>,
    free_references: Vec<u32>,
    pub(super) lists: Lists<D, N>,
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

    /// Checks that there is room for `count` more objects.
    #[inline]
    pub(super) fn check_capacity(&self, count: usize) -> Result<(), OrthtreeError> {
        let room = NONE as usize - 1;
        let is_full = self.objects.len() + count > room + self.free_objects.len()
            || self.references.len() + count > room + self.free_references.len()
            || self.lists.is_full();
        if is_full { Err(OrthtreeError::Full) } else { Ok(()) }
    }

    /// Reserves memory for `count` more objects.
    pub(super) fn reserve(&mut self, count: usize) {
        self.objects
            .reserve(count.saturating_sub(self.free_objects.len()));
    }

    /// Creates an object in no cell.
    #[inline]
    pub(super) fn add(&mut self) -> ObjectId {
        self.count += 1;
        if let Some(index) = self.free_objects.pop() {
            let generation = self.objects[index as usize].generation;
            return ObjectId { index, generation };
        }
        let index = self.objects.len() as u32;
        let generation = NonZeroU32::MIN;
        self.objects.push(Object {
            generation,
            first: NONE,
        });
        ObjectId { index, generation }
    }

    /// Frees the place of an object without references.
    pub(super) fn forget(&mut self, id: ObjectId) {
        debug_assert!(self.count > 0, "there is an object to forget");
        self.count -= 1;
        let object = &mut self.objects[id.index as usize];
        debug_assert!(object.first == NONE, "it is in no cell any more");
        debug_assert!(object.generation == id.generation, "it is the one that is meant");
        // A place that has used its generations stays out of use, with one that no id was given for.
        if let Some(generation) = object.generation.checked_add(1) {
            object.generation = generation;
            if generation != NonZeroU32::MAX {
                self.free_objects.push(id.index);
            }
        }
    }

    /// Frees the places of all objects, in their order, and removes all references and lists; keeps the memory.
    pub(super) fn clear(&mut self) {
        for index in 0..self.objects.len() as u32 {
            if let Some(id) = self.id_at(index) {
                self.objects[index as usize].first = NONE;
                self.forget(id);
            }
        }
        self.references.clear();
        self.free_references.clear();
        self.lists.clear();
    }

    /// The object of an id.
    #[inline]
    pub(super) fn get(&self, id: ObjectId) -> Result<&Object, OrthtreeError> {
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

    /// The place in the lists of a box of an object that is in a cell.
    #[inline]
    pub(super) fn place_of(&self, index: u32) -> u32 {
        let first = self.objects[index as usize].first;
        if self.is_shared {
            self.references[first as usize].place
        } else {
            first
        }
    }

    /// The place in the lists that a reference leads to.
    #[inline]
    pub(super) fn place_at(&self, reference: u32) -> u32 {
        if self.is_shared {
            self.references[reference as usize].place
        } else {
            self.objects[reference as usize].first
        }
    }

    /// The object of a reference.
    #[inline]
    pub(super) fn owner(&self, reference: u32) -> ObjectId {
        let index = if self.is_shared {
            self.references[reference as usize].object
        } else {
            reference
        };
        // The object exists; but nothing that can panic is here, so that a query whose caller reads no id does not pay
        // for it.
        let object = self.objects.get(index as usize);
        ObjectId {
            index,
            generation: object.map_or(NonZeroU32::MIN, |object| object.generation),
        }
    }

    /// Puts an object into a cell's list, with a new reference.
    #[inline]
    pub(super) fn refer(
        &mut self,
        id: ObjectId,
        key: u64,
        bounds: &Bounds<D>,
        node: N,
        slot: &mut ObjectList,
    ) {
        let reference = if self.is_shared {
            self.new_reference(id)
        } else {
            id.index
        };
        self.enlist(reference, key, bounds, node, slot);
    }

    fn new_reference(&mut self, id: ObjectId) -> u32 {
        let head = &mut self.objects[id.index as usize].first;
        let reference = Reference {
            place: NONE,
            object: id.index,
            sibling: *head,
        };
        *head = if let Some(index) = self.free_references.pop() {
            self.references[index as usize] = reference;
            index
        } else {
            self.references.push(reference);
            self.references.len() as u32 - 1
        };
        *head
    }

    /// Puts a reference that is in no list into a cell's list.
    #[inline]
    pub(super) fn enlist(
        &mut self,
        reference: u32,
        key: u64,
        bounds: &Bounds<D>,
        node: N,
        slot: &mut ObjectList,
    ) {
        let place = self.lists.push(slot, node, bounds, key, reference);
        self.set_place(reference, place);
    }

    /// Removes a reference from its cell's list.
    #[inline]
    pub(super) fn delist(&mut self, reference: u32, slot: &mut ObjectList) {
        let place = self.place_at(reference);
        if let Some(moved) = self.lists.take(slot, place) {
            self.set_place(moved, place);
        }
    }

    /// Copies a list from the old lists; returns its first block.
    pub(super) fn copy_list(&mut self, from: &Lists<D, N>, slot: &ObjectList) -> u32 {
        let mut first = NONE;
        for part in from.block_views(slot) {
            let index = self.lists.copy_block(part.block);
            first = first.min(index);
            for (lane, &reference) in part.block.references[..part.count as usize].iter().enumerate() {
                self.set_place(reference, place_in(index, lane));
            }
        }
        first
    }

    #[inline]
    fn set_place(&mut self, reference: u32, place: u32) {
        if self.is_shared {
            self.references[reference as usize].place = place;
        } else {
            self.objects[reference as usize].first = place;
        }
    }

    /// Removes a reference that is in no list from its object's chain.
    pub(super) fn unchain(&mut self, reference: u32) {
        if !self.is_shared {
            self.objects[reference as usize].first = NONE;
            return;
        }
        let Reference { object, sibling, .. } = self.references[reference as usize];
        let head = &mut self.objects[object as usize].first;
        if *head == reference {
            *head = sibling;
        } else {
            let mut before = *head;
            while self.references[before as usize].sibling != reference {
                before = self.references[before as usize].sibling;
            }
            self.references[before as usize].sibling = sibling;
        }
        self.free_references.push(reference);
    }

    /// The references of an object, latest first.
    pub(super) fn chain(&self, index: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.objects[index as usize].first;
        let next = move |&reference: &u32| {
            let sibling = if self.is_shared {
                self.references[reference as usize].sibling
            } else {
                NONE
            };
            (sibling != NONE).then_some(sibling)
        };
        let head = if self.is_shared { first } else { index };
        core::iter::successors((first != NONE).then_some(head), next)
    }

    /// Writes a box into all references of an object.
    #[inline]
    pub(super) fn write_bounds(&mut self, index: u32, bounds: &Bounds<D>) {
        if !self.is_shared {
            self.lists.write(self.objects[index as usize].first, bounds);
            return;
        }
        let mut reference = self.objects[index as usize].first;
        while reference != NONE {
            let Reference { place, sibling, .. } = self.references[reference as usize];
            self.lists.write(place, bounds);
            reference = sibling;
        }
    }

    pub(super) fn bytes(&self) -> usize {
        self.objects.capacity() * size_of::<Object>()
            + self.references.capacity() * size_of::<Reference>()
            + self.lists.bytes()
            + (self.free_objects.capacity() + self.free_references.capacity()) * size_of::<u32>()
    }
}

const _: () = {
    assert!(size_of::<Option<ObjectId>>() == 8);
    assert!(size_of::<Object>() == 8 && size_of::<Reference>() == 12);
};
