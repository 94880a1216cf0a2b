//! The containers that the area `handles` compares, behind one trait: each returns a key for a value.

// Hash maps are banned from the engine for their order of iteration; here they are measured.
#![allow(clippy::disallowed_types)]

use std::collections::HashMap;

use rustc_hash::FxHashMap;
use slotmap::{DefaultKey, DenseSlotMap, SlotMap};
use tombolo_handles::{Handle, HandleMap};

/// A container of values that makes their keys.
pub(super) trait Container<V>: Default {
    /// The name in the table.
    const NAME: &'static str;
    /// The key of a value.
    type Key: Copy;
    fn insert(&mut self, value: V) -> Self::Key;
    fn get(&self, key: Self::Key) -> Option<&V>;
    fn remove(&mut self, key: Self::Key) -> Option<V>;
    /// The number of values.
    fn len(&self) -> usize;
    /// Adds up the first words of all values.
    fn sum(&self) -> u64;
    /// Removes all values.
    fn clear(&mut self);
}

/// The map under test.
pub(super) type Ours<V> = HandleMap<V>;
pub(super) type DenseSlots<V> = DenseSlotMap<DefaultKey, V>;
pub(super) type Slots<V> = SlotMap<DefaultKey, V>;
pub(super) type Thunderdome<V> = thunderdome::Arena<V>;
pub(super) type Slab<V> = slab::Slab<V>;

fn sum_of<'a, const N: usize>(values: impl Iterator<Item = &'a [u64; N]>) -> u64 {
    values.fold(0, |sum, value| sum.wrapping_add(value[0]))
}

/// Implements the trait for containers whose `insert` takes a value and returns a key.
macro_rules! container {
    ($type:ident, $name:literal, $key:ty, $remove:ident, |$map:ident| $values:expr) => {
        impl<const N: usize> Container<[u64; N]> for $type<[u64; N]> {
            const NAME: &'static str = $name;
            type Key = $key;
            #[inline]
            fn insert(&mut self, value: [u64; N]) -> $key {
                self.insert(value)
            }
            #[inline]
            fn get(&self, key: $key) -> Option<&[u64; N]> {
                self.get(key)
            }
            #[inline]
            fn remove(&mut self, key: $key) -> Option<[u64; N]> {
                self.$remove(key)
            }
            fn len(&self) -> usize {
                self.len()
            }
            fn sum(&self) -> u64 {
                let $map = self;
                sum_of($values)
            }
            fn clear(&mut self) {
                self.clear();
            }
        }
    };
}

container!(Ours, "ours", Handle<[u64; N]>, remove, |map| map.values());
container!(DenseSlots, "slotmap DenseSlotMap", DefaultKey, remove, |map| map
    .values());
container!(Slots, "slotmap SlotMap", DefaultKey, remove, |map| map.values());
container!(Thunderdome, "thunderdome", thunderdome::Index, remove, |map| map
    .iter()
    .map(|(_, value)| value));
container!(Slab, "slab", usize, try_remove, |slab| slab
    .iter()
    .map(|(_, value)| value));

/// Boxed values, keyed by index; freed places are used again, last in, first out.
pub(super) struct BoxVec<V> {
    boxes: Vec<Option<Box<V>>>,
    free: Vec<usize>,
}

impl<V> Default for BoxVec<V> {
    fn default() -> Self {
        Self {
            boxes: Vec::new(),
            free: Vec::new(),
        }
    }
}

impl<const N: usize> Container<[u64; N]> for BoxVec<[u64; N]> {
    const NAME: &'static str = "Vec<Box>";
    type Key = usize;
    #[inline]
    fn insert(&mut self, value: [u64; N]) -> usize {
        let value = Some(Box::new(value));
        match self.free.pop() {
            Some(key) => {
                self.boxes[key] = value;
                key
            }
            None => {
                self.boxes.push(value);
                self.boxes.len() - 1
            }
        }
    }
    #[inline]
    fn get(&self, key: usize) -> Option<&[u64; N]> {
        self.boxes.get(key)?.as_deref()
    }
    #[inline]
    fn remove(&mut self, key: usize) -> Option<[u64; N]> {
        let value = self.boxes.get_mut(key)?.take()?;
        self.free.push(key);
        Some(*value)
    }
    fn len(&self) -> usize {
        self.boxes.len() - self.free.len()
    }
    fn sum(&self) -> u64 {
        sum_of(self.boxes.iter().flatten().map(|value| &**value))
    }
    fn clear(&mut self) {
        self.boxes.clear();
        self.free.clear();
    }
}

/// Implements the trait for hash maps keyed by a number that counts up.
macro_rules! hashed {
    ($(#[$doc:meta])* $type:ident, $map:ty, $name:literal) => {
        $(#[$doc])*
        pub(super) struct $type<V> {
            map: $map,
            next: u64,
        }

        impl<V> Default for $type<V> {
            fn default() -> Self {
                Self { map: Default::default(), next: 0 }
            }
        }

        impl<const N: usize> Container<[u64; N]> for $type<[u64; N]> {
            const NAME: &'static str = $name;
            type Key = u64;
            #[inline]
            fn insert(&mut self, value: [u64; N]) -> u64 {
                self.next += 1;
                self.map.insert(self.next, value);
                self.next
            }
            #[inline]
            fn get(&self, key: u64) -> Option<&[u64; N]> {
                self.map.get(&key)
            }
            #[inline]
            fn remove(&mut self, key: u64) -> Option<[u64; N]> {
                self.map.remove(&key)
            }
            fn len(&self) -> usize {
                self.map.len()
            }
            fn sum(&self) -> u64 {
                sum_of(self.map.values())
            }
            fn clear(&mut self) {
                self.map.clear();
            }
        }
    };
}

hashed!(/// The standard map with its default hasher.
    SipHash, HashMap<u64, V>, "std HashMap");
hashed!(/// hashbrown with its default hasher, foldhash.
    Fold, hashbrown::HashMap<u64, V>, "hashbrown, foldhash");
hashed!(/// The standard map with the compiler's hasher.
    Fx, FxHashMap<u64, V>, "FxHashMap");

/// A plain vector: the least cost of iterating dense values. It has no keys to remove by.
pub(super) struct Plain<V>(Vec<V>);

impl<V> Default for Plain<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<const N: usize> Container<[u64; N]> for Plain<[u64; N]> {
    const NAME: &'static str = "Vec";
    type Key = usize;
    fn insert(&mut self, value: [u64; N]) -> usize {
        self.0.push(value);
        self.0.len() - 1
    }
    fn get(&self, key: usize) -> Option<&[u64; N]> {
        self.0.get(key)
    }
    fn remove(&mut self, _: usize) -> Option<[u64; N]> {
        None
    }
    fn len(&self) -> usize {
        self.0.len()
    }
    fn sum(&self) -> u64 {
        sum_of(self.0.iter())
    }
    fn clear(&mut self) {
        self.0.clear();
    }
}
