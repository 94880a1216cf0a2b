//! Shared by several tests: layouts with few generations, and a check of a map's invariants from the outside.
#![allow(dead_code, reason = "each test program uses a part")]

use tombolo_handles::{Handle, HandleMap, Layout, WhenExhausted};

macro_rules! small_layout {
    ($(#[$doc:meta])* $name:ident, $index:literal, $generation:literal, $policy:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub(crate) struct $name;
        impl Layout for $name {
            const INDEX_BITS: u32 = $index;
            const GENERATION_BITS: u32 = $generation;
            const TAG_BITS: u32 = 15;
            const WHEN_EXHAUSTED: WhenExhausted = WhenExhausted::$policy;
        }
    };
}

small_layout!(/// Seven generations, then the slot retires.
    Retiring3, 32, 3, Retire);
small_layout!(/// Three generations, then the slot retires.
    Retiring2, 32, 2, Retire);
small_layout!(/// Seven generations, then 1 again.
    Wrapping3, 32, 3, Wrap);
small_layout!(/// Three generations, then 1 again.
    Wrapping2, 32, 2, Wrap);
small_layout!(/// Fifteen generations, then 1 again.
    Wrapping4, 32, 4, Wrap);
small_layout!(/// Three generations, then a panic.
    Panicking2, 32, 2, Panic);
small_layout!(/// Seven slots.
    SevenSlots, 3, 16, Retire);
small_layout!(/// Seven slots of one generation each.
    SevenLives, 3, 1, Retire);

/// A handle of these parts, whether or not a map has ever made it.
pub(crate) fn forge<T, L: Layout>(tag: u64, generation: u64, index: u64) -> Handle<T, L> {
    let bits = tag << (L::INDEX_BITS + L::GENERATION_BITS) | generation << L::INDEX_BITS | index;
    Handle::from_bits(bits).expect("bits of a handle")
}

/// Checks everything that holds for every map, by putting its parts together again.
pub(crate) fn check<T: Clone, L: Layout>(map: &HandleMap<T, L>) {
    let parts = map.raw_parts();
    let again = HandleMap::<T, L>::from_raw_parts(
        parts.header,
        parts.slots.to_vec(),
        parts.values.to_vec(),
        parts.owners.to_vec(),
    );
    if let Err(error) = again {
        panic!("{error}");
    }
    assert_eq!(map.free_slots().count(), map.free_count());
    assert_eq!(
        map.slot_count(),
        map.len() + map.free_count() + map.retired_count()
    );
    for (dense, handle) in map.handles().enumerate() {
        assert_eq!(map.dense_index(handle), Some(dense));
        assert_eq!(map.handle_of_slot(handle.index()), Some(handle));
        assert_eq!(map.dense_index_of_slot(handle.index()), Some(dense));
    }
}
