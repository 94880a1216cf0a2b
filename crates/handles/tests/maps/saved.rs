//! Maps are saved and restored; broken saves are refused.

use crate::common::{Retiring2, SevenLives, check};
use allocator_api2::alloc::{AllocError, Allocator, Global};
use proptest::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::NonNull;
use tombolo_handles::{
    AnyHandle, CorruptError, Handle, HandleMap, Header, Layout, MapTable, SecondaryMap, Slot, TableError,
    TypeTag,
};

struct Parts {
    header: Header,
    slots: Vec<Slot>,
    values: Vec<u32>,
    owners: Vec<u32>,
}

fn parts_of<L: Layout>(map: &HandleMap<u32, L>) -> Parts {
    let parts = map.raw_parts();
    Parts {
        header: parts.header,
        slots: parts.slots.to_vec(),
        values: parts.values.to_vec(),
        owners: parts.owners.to_vec(),
    }
}

fn join<L: Layout>(parts: Parts) -> Result<HandleMap<u32, L>, CorruptError> {
    HandleMap::from_raw_parts(parts.header, parts.slots, parts.values, parts.owners)
}

/// Live, free and retired slots, several of each; and all handles ever given.
fn used() -> (HandleMap<u32, Retiring2>, Vec<Handle<u32, Retiring2>>) {
    let mut map = HandleMap::with_tag(TypeTag::new(9).expect("a tag"));
    let mut given = Vec::new();
    for round in 0..5_u32 {
        let handles = map.insert_many_with(8, |handle| handle.index());
        given.extend(&handles);
        map.remove_many(&handles[..(3 + round as usize) % 8]);
    }
    assert!(map.retired_count() > 1 && map.free_count() > 1 && map.len() > 1);
    (map, given)
}

#[test]
fn hm_17_a_map_comes_back_with_handles_free_list_and_retired_slots() {
    let (map, given) = used();
    let mut again = join::<Retiring2>(parts_of(&map)).expect("a saved map");
    check(&again);
    assert!(given.iter().all(|&handle| map.get(handle) == again.get(handle)));
    assert!(map.free_slots().eq(again.free_slots()));
    let mut map = map.clone();
    assert_eq!(map.insert_many(30, 1), again.insert_many(30, 1));
    assert_eq!(
        (map.retired_count(), map.structure_epoch()),
        (again.retired_count(), again.structure_epoch())
    );
    // What is hashed and saved is bytes: no padding, no pointers.
    assert_eq!(
        bytemuck::bytes_of(&map.raw_parts().header),
        bytemuck::bytes_of(&again.raw_parts().header)
    );
    assert_eq!(
        bytemuck::cast_slice::<Slot, u8>(map.raw_parts().slots),
        bytemuck::cast_slice::<Slot, u8>(again.raw_parts().slots)
    );
}

#[test]
fn hm_17_broken_parts_are_refused_by_name() {
    let fresh = || {
        let mut map = HandleMap::<u32>::new();
        let handles = map.insert_many_with(6, |handle| handle.index());
        map.remove_many(&[handles[1], handles[3], handles[5]]);
        (parts_of(&map), handles)
    };
    let refused = |change: &dyn Fn(&mut Parts)| {
        let (mut parts, _) = fresh();
        change(&mut parts);
        join::<tombolo_handles::DefaultLayout>(parts).expect_err("a broken map")
    };
    let with_index = |slot: Slot, index: u64| Slot::from_bits(slot.to_bits() >> 32 << 32 | index);
    assert!(join::<tombolo_handles::DefaultLayout>(fresh().0).is_ok());

    // A circle in the free list: its end leads back to its start, or to its middle, or a slot leads to itself.
    for (from, to) in [(5, 1), (5, 3), (3, 3), (1, 1)] {
        let error = refused(&|parts| parts.slots[from] = with_index(parts.slots[from], to));
        assert!(matches!(error, CorruptError::FreeList { .. }), "{error}");
    }
    // The list leaves the slots, meets a live slot, or is shorter than the number of free slots.
    for to in [6, 0, u64::from(u32::MAX)] {
        let error = refused(&|parts| parts.slots[1] = with_index(parts.slots[1], to));
        assert_eq!(error, CorruptError::FreeList { slot: 1 });
    }
    // Two slots to one value.
    let error = refused(&|parts| parts.slots[2] = with_index(parts.slots[2], 0));
    assert_eq!(error, CorruptError::SharedValue { slot: 2, dense: 0 });
    // A live slot marked free, a free slot marked live.
    let error = refused(&|parts| parts.slots[0] = Slot::from_bits(parts.slots[0].to_bits() | 1 << 63));
    assert!(
        matches!(
            error,
            CorruptError::Header {
                field: "free count",
                said: 3,
                found: 4
            }
        ),
        "{error}"
    );
    let error = refused(&|parts| parts.slots[5] = Slot::from_bits(parts.slots[5].to_bits() & !(1 << 63)));
    assert!(
        matches!(error, CorruptError::SharedValue { slot: 5, .. }),
        "{error}"
    );
    // Another tag, generation 0 in a live slot, a generation above all that were given.
    let error = refused(&|parts| parts.slots[0] = Slot::from_bits(parts.slots[0].to_bits() | 1 << 48));
    assert_eq!(error, CorruptError::SlotBits { slot: 0 });
    for generation in [0, 9] {
        let error = refused(&|parts| {
            let bits = parts.slots[0].to_bits();
            parts.slots[0] = Slot::from_bits(bits & !(0xffff << 32) | generation << 32);
        });
        assert_eq!(error, CorruptError::SlotBits { slot: 0 });
    }
    // Arrays that do not fit each other.
    let error = refused(&|parts| parts.values.truncate(2));
    assert_eq!(error, CorruptError::UnequalLengths { values: 2, owners: 3 });
    let error = refused(&|parts| parts.owners[1] = 0);
    assert!(matches!(error, CorruptError::SharedValue { .. }), "{error}");
    let error = refused(&|parts| {
        parts.values.push(0);
        parts.owners.push(0);
    });
    assert_eq!(error, CorruptError::Owner { dense: 3, slot: 0 });
    // A layout with fewer slots.
    let mut many = HandleMap::<u32>::new();
    many.insert_many(9, 0);
    let error = join::<crate::common::SevenSlots>(parts_of(&many)).expect_err("nine slots");
    assert!(
        matches!(
            error,
            CorruptError::TooManySlots { .. } | CorruptError::Header { .. }
        ),
        "{error}"
    );
}

/// `reset` forgets the slots of a map with generations left, which has none that retired. Forged parts that had both kept
/// the count of retired slots when the slots were gone.
#[test]
fn hm_17_a_retired_slot_in_a_map_with_generations_left_is_refused() {
    let (map, _) = used();
    let retired = |error: CorruptError| matches!(error, CorruptError::SlotBits { .. });
    let mut parts = parts_of(&map);
    // The greatest generation, lowered to one that a live slot may still have.
    let header: &mut [u8] = bytemuck::bytes_of_mut(&mut parts.header);
    let place = header.len() - 8;
    assert_eq!(header[place], 3);
    header[place] = 2;
    parts.slots.iter_mut().for_each(|slot| {
        if slot.to_bits() >> 32 & 3 == 3 {
            *slot = Slot::from_bits(slot.to_bits() & !(1 << 32));
        }
    });
    assert!(retired(
        join::<Retiring2>(parts).map(drop).expect_err("no such map")
    ));
}

/// The epoch is only ever compared, so forged parts may say any number; counting on from the last must not overflow.
/// Parts that no map can have are the caller's broken promise, which debug assertions find.
#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "promised to be those of a map")]
#[allow(unsafe_code)]
fn hm_17_debug_assertions_check_parts_that_are_trusted() {
    let (header, ..) = HandleMap::<u32>::new().into_raw_parts();
    let slots = vec![Slot::from_bits(1 << 32); 2];
    // SAFETY: this is the check, which comes before any use.
    let _ = unsafe { HandleMap::<u32>::from_raw_parts_unchecked(header, slots, vec![5], vec![0]) };
}

#[test]
fn hm_17_an_epoch_at_its_maximum_goes_on() {
    let mut map = HandleMap::<u32>::new();
    let handles = map.insert_many_with(6, |handle| 10 - handle.index());
    let mut parts = parts_of(&map);
    // The first field of the header.
    bytemuck::bytes_of_mut(&mut parts.header)[..8].fill(0xff);
    type Change = fn(&mut HandleMap<u32>, Handle<u32>);
    let changes: [Change; 5] = [
        |map, first| assert!(map.remove(first).is_some()),
        |map, _| assert!(map.swap_dense(0, 1)),
        |map, _| assert!(map.sort_by_key(tombolo_handles::OrderId(0), |value| *value) > 0),
        |map, _| map.clear(),
        |map, _| map.reset(),
    ];
    for change in changes {
        let parts = Parts {
            header: parts.header,
            slots: parts.slots.clone(),
            values: parts.values.clone(),
            owners: parts.owners.clone(),
        };
        let mut map = join::<tombolo_handles::DefaultLayout>(parts).expect("an epoch is any number");
        assert_eq!(map.structure_epoch(), u64::MAX);
        change(&mut map, handles[0]);
        assert_ne!(map.structure_epoch(), u64::MAX);
        check(&map);
    }
}

proptest! {
    /// Whatever bits are flipped: either it is refused, or what comes out is a map that holds its invariants.
    #[test]
    fn hm_17_flipped_bits_give_an_error_or_a_valid_map(
        flips in prop::collection::vec((0..4_usize, any::<usize>()), 1..6),
    ) {
        let mut parts = parts_of(&used().0);
        for (part, bit) in flips {
            let bytes: &mut [u8] = match part {
                0 => bytemuck::bytes_of_mut(&mut parts.header),
                1 => bytemuck::cast_slice_mut(&mut parts.slots),
                2 => bytemuck::cast_slice_mut(&mut parts.values),
                _ => bytemuck::cast_slice_mut(&mut parts.owners),
            };
            let bit = bit % (8 * bytes.len());
            bytes[bit / 8] ^= 1 << (bit % 8);
        }
        if let Ok(mut map) = join::<Retiring2>(parts) {
            check(&map);
            let handles = map.insert_many(20, 5);
            prop_assert!(handles.iter().all(|&handle| map[handle] == 5));
            prop_assert_eq!(map.remove_many(&handles), 20);
            map.clear();
            map.reset();
            check(&map);
        }
    }
}

#[test]
fn a_clone_and_a_clone_into_an_old_map_behave_alike() {
    let (map, _) = used();
    let mut target = HandleMap::with_tag(map.tag());
    target.insert_many(50, 3);
    target.clone_from(&map);
    check(&target);
    let mut clone = map.clone();
    assert_eq!(clone.insert_many(20, 1), target.insert_many(20, 1));
}

/// An allocator that knows which map it is of.
#[derive(Clone)]
struct Named(&'static str);

// SAFETY: every call is the global allocator's.
unsafe impl Allocator for Named {
    fn allocate(&self, layout: std::alloc::Layout) -> Result<NonNull<[u8]>, AllocError> {
        Global.allocate(layout)
    }
    unsafe fn deallocate(&self, memory: NonNull<u8>, layout: std::alloc::Layout) {
        // SAFETY: the caller's promise.
        unsafe { Global.deallocate(memory, layout) }
    }
}

/// With generations used up the map became a clone in the other's memory; with one generation they are from the first.
#[test]
fn a_clone_into_a_map_stays_in_its_own_memory() {
    clone_into::<Retiring2>();
    clone_into::<SevenLives>();
}

fn clone_into<L: Layout>() {
    for lives in [0, 1, 2, 5] {
        let mut source = HandleMap::<u32, L, (), Named>::new_in(TypeTag::ZERO, Named("source"));
        source.insert_many(3, 7);
        let mut map = HandleMap::<u32, L, (), Named>::new_in(TypeTag::ZERO, Named("own"));
        for life in 0..lives {
            let handle = map.insert(life);
            map.remove(handle);
        }
        map.clone_from(&source);
        assert_eq!(map.allocator().0, "own", "after {lives} lives");
        assert!(map.iter().eq(source.iter()));
        assert_eq!(map.insert(1), source.insert(1));
    }
}

/// A value whose clone, or drop, panics.
enum Fragile {
    Whole,
    Clone,
    Drop,
}

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(!matches!(self, Self::Clone), "a clone that panics");
        Self::Whole
    }
}

impl Drop for Fragile {
    fn drop(&mut self) {
        assert!(!matches!(self, Self::Drop), "a drop that panics");
    }
}

/// The handles of before named whatever was inserted next.
#[test]
fn hm_9_stale_handles_stay_stale_after_a_clone_that_panics() {
    fn asks<L: Layout>(lives: u32) {
        let mut source = HandleMap::<Fragile, L>::default();
        source.insert(Fragile::Whole);
        source.insert(Fragile::Clone);
        let mut map = HandleMap::<Fragile, L>::default();
        let mut given = Vec::new();
        for _ in 0..lives {
            given.push(map.insert(Fragile::Whole));
            map.remove(given[given.len() - 1]);
        }
        given.push(map.insert(Fragile::Whole));
        for _ in 0..5 {
            let before = map.len();
            assert!(catch_unwind(AssertUnwindSafe(|| map.clone_from(&source))).is_err());
            assert!(map.is_empty() || map.len() == before);
            let is_valid = given.iter().filter(|&&handle| map.contains(handle)).count();
            assert_eq!(is_valid, map.len(), "only what is still there has a handle");
            given.push(map.insert(Fragile::Whole));
            assert_eq!(
                given.iter().filter(|&&handle| map.contains(handle)).count(),
                map.len()
            );
        }
    }
    asks::<tombolo_handles::DefaultLayout>(0);
    asks::<Retiring2>(0);
    asks::<Retiring2>(2);
    asks::<crate::common::Wrapping2>(2);
}

#[test]
fn a_secondary_map_counts_its_entries_also_if_a_drop_panics() {
    let mut map = HandleMap::<u32>::new();
    let mut notes = SecondaryMap::<u32, Fragile>::new();
    for note in [Fragile::Whole, Fragile::Drop, Fragile::Whole] {
        notes.insert(map.insert(0), note);
    }
    assert!(catch_unwind(AssertUnwindSafe(|| notes.retain(|_, _| false))).is_err());
    assert_eq!((notes.len(), notes.iter().count()), (1, 1));
    map.clear();
    notes.prune(&map);
    assert!(notes.is_empty() && notes.iter().next().is_none());
}

#[test]
fn secondary_entries_belong_to_one_life_of_a_slot() {
    let mut map = HandleMap::<&str>::new();
    let mut ages = SecondaryMap::<&str, u32>::new();
    let old = map.insert("old");
    assert_eq!(ages.insert(old, 70), None);
    assert_eq!(ages.insert(old, 71), Some((old, 70)));
    map.remove(old);
    let new = map.insert("new");
    assert_eq!((new.index(), ages.get(new), ages.get(old)), (0, None, Some(&71)));
    assert_eq!(ages.insert(new, 1), Some((old, 71)));
    assert_eq!((ages.remove(old), ages.get(old), ages.len()), (None, None, 1));
    let far = map.insert_many(5, "far")[4];
    ages.insert(far, 5);
    assert!(
        ages.iter()
            .map(|(handle, &age)| (handle, age))
            .eq([(new, 1), (far, 5)])
    );
    map.remove(new);
    ages.prune(&map);
    assert_eq!(
        (ages.len(), ages.contains(new), ages.remove(far)),
        (1, false, Some(5))
    );
    assert!(ages.is_empty());
}

#[test]
fn a_table_leads_from_tag_to_map_to_value() {
    let mut table: MapTable = MapTable::new();
    let names = table.add::<String>().expect("a tag");
    let ages = table.add::<u32>().expect("a tag");
    assert_eq!((names.get(), ages.get()), (0, 1));
    let ada = table
        .map_mut::<String>(names)
        .expect("a map")
        .insert(String::from("Ada"));
    let age: AnyHandle = table.map_mut::<u32>(ages).expect("a map").insert(36).into();
    assert_eq!(table.get::<u32>(age), Ok(&36));
    *table.get_mut::<u32>(age).expect("an age") += 1;
    assert_eq!(table.get::<u32>(age), Ok(&37));
    let error = table.get::<u32>(ada.into()).expect_err("a name is no age");
    assert_eq!(
        error.to_string(),
        "the map with tag 0 holds alloc::string::String, not u32"
    );
    let unknown = AnyHandle::from_bits(5 << 48 | 1 << 32).expect("a handle");
    assert_eq!(table.get::<u32>(unknown), Err(TableError::UnknownTag { tag: 5 }));
    assert!(table.remove(age) && !table.remove(age) && !table.remove(unknown));
    assert!(matches!(table.get::<u32>(age), Err(TableError::Handle(_))));
    assert_eq!((table.len(), table.contains(ada.into())), (1, true));
    assert_eq!(AnyHandle::from(ada).typed::<String>(), ada);
    assert_eq!(AnyHandle::from(ada).to_bits(), ada.to_bits());
    table.clear();
    assert!(table.is_empty());
}

#[test]
fn a_table_has_as_many_maps_as_its_layout_has_tags() {
    #[derive(Clone, Copy)]
    struct OneTagBit;
    impl Layout for OneTagBit {
        const INDEX_BITS: u32 = 32;
        const GENERATION_BITS: u32 = 16;
        const TAG_BITS: u32 = 1;
    }
    let mut table = MapTable::<OneTagBit>::new();
    assert!(table.add::<u8>().is_ok() && table.add::<u8>().is_ok());
    assert_eq!(table.add::<u8>().err(), Some(TableError::Full));
}
