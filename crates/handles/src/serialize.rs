//! Implementations of serde's `Serialize` and `Deserialize` for handles, maps and bit sets.
//!
//! They are written by hand, as serde's derive macros stay out of this crate. All input passes the same checks as other
//! bits from outside: `Handle::from_bits`, `HandleMap::from_raw_parts`.

use crate::bit_set::BitSet;
use crate::handle::Handle;
use crate::handle_map::{HandleMap, Header, Slot};
use crate::layout::Layout;
use crate::secondary_map::SecondaryMap;
use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use serde::de::{Error as _, SeqAccess, Visitor};
use serde::ser::SerializeTuple;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl<T, L: Layout> Serialize for Handle<T, L> {
    /// Writes the handle as its number.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.to_bits())
    }
}

impl<'de, T, L: Layout> Deserialize<'de> for Handle<T, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bits = u64::deserialize(deserializer)?;
        Self::from_bits(bits)
            .ok_or_else(|| D::Error::custom(format_args!("no handle has the bits {bits:#x}")))
    }
}

impl Serialize for Slot {
    /// Writes the slot as its number.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u64(self.to_bits())
    }
}

impl<'de> Deserialize<'de> for Slot {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u64::deserialize(deserializer).map(Self::from_bits)
    }
}

const HEADER_WORDS: usize = size_of::<Header>() / size_of::<u32>();

impl Serialize for Header {
    /// Writes the header as 32-bit words.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let words: [u32; HEADER_WORDS] = bytemuck::cast(*self);
        words.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Header {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <[u32; HEADER_WORDS]>::deserialize(deserializer).map(bytemuck::cast)
    }
}

impl<T: Serialize, L: Layout> Serialize for HandleMap<T, L> {
    /// Writes a sequence of four: header, slots, values, owners.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let parts = self.raw_parts();
        let mut tuple = serializer.serialize_tuple(4)?;
        tuple.serialize_element(&parts.header)?;
        tuple.serialize_element(parts.slots)?;
        tuple.serialize_element(parts.values)?;
        tuple.serialize_element(parts.owners)?;
        tuple.end()
    }
}

impl<'de, T: Deserialize<'de>, L: Layout> Deserialize<'de> for HandleMap<T, L> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_tuple(4, MapVisitor(PhantomData))
    }
}

struct MapVisitor<T, L>(PhantomData<(T, L)>);

impl<'de, T: Deserialize<'de>, L: Layout> Visitor<'de> for MapVisitor<T, L> {
    type Value = HandleMap<T, L>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a handle map: header, slots, values, owners")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut parts: A) -> Result<Self::Value, A::Error> {
        fn part<'de, P: Deserialize<'de>, A: SeqAccess<'de>>(
            parts: &mut A,
            at: usize,
        ) -> Result<P, A::Error> {
            let missing = || A::Error::invalid_length(at, &"a handle map of four parts");
            parts.next_element()?.ok_or_else(missing)
        }
        let header: Header = part(&mut parts, 0)?;
        let slots: Vec<Slot> = part(&mut parts, 1)?;
        let values: Vec<T> = part(&mut parts, 2)?;
        let owners: Vec<u32> = part(&mut parts, 3)?;
        HandleMap::from_raw_parts(header, slots, values, owners).map_err(A::Error::custom)
    }
}

impl<T, V: Serialize, L: Layout> Serialize for SecondaryMap<T, V, L> {
    /// Writes a sequence of handles and entries in the order of slots.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de, T, V: Deserialize<'de>, L: Layout> Deserialize<'de> for SecondaryMap<T, V, L> {
    /// Two entries for one slot are an error. So is a slot far beyond the number of entries (more than 65,536 and 64
    /// times that number), which could make a small file allocate much memory.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let entries = Vec::<(Handle<T, L>, V)>::deserialize(deserializer)?;
        let slot_limit = entries.len().saturating_mul(64).max(65_536);
        let mut map = Self::new();
        for (handle, value) in entries {
            if handle.index() as usize >= slot_limit {
                return Err(D::Error::custom(format_args!(
                    "{handle:?} is far beyond the number of entries"
                )));
            }
            if let Some((other, _)) = map.insert(handle, value) {
                return Err(D::Error::custom(format_args!(
                    "{other:?} and {handle:?} have the same slot"
                )));
            }
        }
        Ok(map)
    }
}

impl Serialize for BitSet {
    /// Writes a sequence of two: length and words.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.len() as u64, self.words()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for BitSet {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (len, words) = <(u64, Vec<u64>)>::deserialize(deserializer)?;
        Self::from_words(len as usize, words).ok_or_else(|| {
            D::Error::custom(format_args!(
                "the words of the bit set are not those of length {len}"
            ))
        })
    }
}
