//! Saving and restoring: the list of arrays as bytes, with version and checksum, and back.
//!
//! Format: magic, version, then for each array its element size, its element count and its bytes,
//! then a checksum of all before it. Numbers are little-endian; a save is the same on every machine.

use super::array::PlainArray;
use alloc::string::String;
use alloc::vec::Vec;
use bytemuck::Pod;
use core::fmt;
use tombolo_handles::{CorruptError, HandleMap};

#[cfg(target_endian = "big")]
compile_error!("saves are arrays of little-endian numbers; a big-endian machine would need to swap them");

/// First bytes of every save.
const MAGIC: [u8; 8] = *b"TOMBOLO\0";

/// Changes whenever the list of arrays or one of their element types does.
const VERSION: u32 = 8;

/// One persistent array, seen from outside.
#[derive(Clone, Copy)]
pub(crate) struct ArrayView<'a> {
    /// The field of the state.
    pub(crate) group: &'static str,
    /// Which of the field's arrays; empty if it has only one.
    pub(crate) part: &'static str,
    /// Bytes of one element.
    pub(crate) element_size: usize,
    /// All elements.
    pub(crate) bytes: &'a [u8],
}

/// How much memory one persistent array takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayReport {
    /// Which part of the state it belongs to.
    pub group: &'static str,
    /// Which array of that part; empty if there is only one.
    pub part: &'static str,
    /// Bytes of one element.
    pub element_size: usize,
    /// Elements in use.
    pub count: usize,
}

/// A field of the state: one or several arrays of plain data, always visited in the same order.
pub(crate) trait Persistent {
    /// Shows every array.
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>));

    /// Takes every array from `source`, in the order in which they are visited.
    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError>
    where
        Self: Sized;
}

/// Declares a struct whose every field is [`Persistent`], and makes it `Persistent`.
macro_rules! persistent_arrays {
    (
        $(#[$attribute:meta])*
        pub(crate) struct $name:ident {
            $( $(#[$field_attribute:meta])* pub(crate) $field:ident : $ty:ty ),* $(,)?
        }
    ) => {
        $(#[$attribute])*
        pub(crate) struct $name {
            $( $(#[$field_attribute])* pub(crate) $field: $ty, )*
        }

        impl $name {
            /// Shows every persistent array: the one list that all else loops over.
            pub(crate) fn arrays(&self, visitor: &mut dyn FnMut($crate::persistent::ArrayView<'_>)) {
                $( $crate::persistent::Persistent::visit(&self.$field, stringify!($field), visitor); )*
            }

            /// A value made of the arrays of `source`.
            pub(crate) fn from_arrays(
                source: &mut $crate::persistent::Source<'_>,
            ) -> Result<Self, $crate::persistent::RestoreError> {
                Ok(Self { $( $field: $crate::persistent::Persistent::restore(stringify!($field), source)?, )* })
            }
        }
    };
}
pub(crate) use persistent_arrays;

/// Why bytes could not be turned into a world. The world that was to be overwritten is as it was.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes do not begin as a save does.
    NotASave,
    /// The save was made by another version.
    Version {
        /// The version of the save.
        found: u32,
        /// The version that this build reads.
        expected: u32,
    },
    /// The bytes end too early.
    Truncated,
    /// The bytes were changed: the checksum does not fit.
    Checksum,
    /// An array does not fit the one that is expected in its place.
    Mismatch {
        /// Which part of the state.
        group: &'static str,
        /// Which array of that part.
        part: &'static str,
        /// What does not fit.
        why: String,
    },
}

impl RestoreError {
    /// An array whose content cannot be right.
    pub(crate) fn mismatch(group: &'static str, part: &'static str, why: &str) -> Self {
        Self::Mismatch {
            group,
            part,
            why: String::from(why),
        }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASave => write!(f, "these bytes are not a saved world"),
            Self::Version { found, expected } => {
                write!(
                    f,
                    "the save has version {found}, this build reads version {expected}"
                )
            }
            Self::Truncated => write!(f, "the save ends too early"),
            Self::Checksum => write!(f, "the save is damaged: its checksum does not fit"),
            Self::Mismatch { group, part, why } => write!(f, "the save's {group} {part}: {why}"),
        }
    }
}

impl core::error::Error for RestoreError {}

/// The arrays of a save, one after another.
pub(crate) struct Source<'a> {
    rest: &'a [u8],
}

impl<'a> Source<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], RestoreError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(RestoreError::Truncated)?;
        self.rest = rest;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u64, RestoreError> {
        let bytes = self.take(8)?.try_into().expect("eight bytes were taken");
        Ok(u64::from_le_bytes(bytes))
    }

    /// The next array, which must have elements of type `T`.
    pub(crate) fn array<T: Pod>(
        &mut self,
        group: &'static str,
        part: &'static str,
    ) -> Result<Vec<T>, RestoreError> {
        let element_size = self.number()?;
        if element_size != size_of::<T>() as u64 {
            return Err(RestoreError::mismatch(group, part, "elements of another size"));
        }
        let count = self.number()?;
        let length = count
            .checked_mul(element_size)
            .and_then(|length| usize::try_from(length).ok());
        let bytes = self.take(length.ok_or(RestoreError::Truncated)?)?;
        Ok(bytemuck::pod_collect_to_vec(bytes))
    }

    /// Makes sure that nothing is left.
    pub(crate) fn finish(self) -> Result<(), RestoreError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(RestoreError::NotASave)
        }
    }

    /// The next array, which must have exactly one element.
    pub(crate) fn single<T: Pod>(
        &mut self,
        group: &'static str,
        part: &'static str,
    ) -> Result<T, RestoreError> {
        match self.array::<T>(group, part)?.as_slice() {
            [item] => Ok(*item),
            _ => Err(RestoreError::mismatch(
                group,
                part,
                "expected exactly one element",
            )),
        }
    }
}

impl<T: Pod> Persistent for PlainArray<T> {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        visitor(view(group, "", self));
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        Ok(Self::from(source.array(group, "")?))
    }
}

impl<T: Pod> Persistent for HandleMap<T> {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        let parts = self.raw_parts();
        visitor(view(group, "header", core::slice::from_ref(&parts.header)));
        visitor(view(group, "slots", parts.slots));
        visitor(view(group, "values", parts.values));
        visitor(view(group, "owners", parts.owners));
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        let header = source.single(group, "header")?;
        let slots = source.array(group, "slots")?;
        let values = source.array(group, "values")?;
        let owners = source.array(group, "owners")?;
        Self::from_raw_parts(header, slots, values, owners).map_err(|error: CorruptError| {
            RestoreError::Mismatch {
                group,
                part: "slots",
                why: alloc::format!("{error}"),
            }
        })
    }
}

/// A view of one array.
pub(crate) fn view<'a, T: Pod>(group: &'static str, part: &'static str, items: &'a [T]) -> ArrayView<'a> {
    ArrayView {
        group,
        part,
        element_size: size_of::<T>(),
        bytes: bytemuck::cast_slice(items),
    }
}

/// All arrays that `arrays` shows, as one save.
pub(crate) fn save(arrays: impl Fn(&mut dyn FnMut(ArrayView<'_>))) -> Vec<u8> {
    let mut bytes = Vec::from(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    arrays(&mut |array| {
        bytes.extend((array.element_size as u64).to_le_bytes());
        bytes.extend(((array.bytes.len() / array.element_size) as u64).to_le_bytes());
        bytes.extend(array.bytes);
    });
    let mut checksum = Hash64::new();
    checksum.write(&bytes);
    bytes.extend(checksum.finish().to_le_bytes());
    bytes
}

/// A hash of all arrays that `arrays` shows, but for those of the group `left_out`.
pub(crate) fn hash(left_out: &str, arrays: impl Fn(&mut dyn FnMut(ArrayView<'_>))) -> u64 {
    let mut hash = Hash64::new();
    arrays(&mut |array| {
        if array.group != left_out {
            hash.write(array.bytes);
        }
    });
    hash.finish()
}

/// The arrays of a save, after its frame was checked.
pub(crate) fn open(bytes: &[u8]) -> Result<Source<'_>, RestoreError> {
    let head = MAGIC.len() + size_of::<u32>();
    if !bytes.starts_with(&MAGIC) {
        return Err(RestoreError::NotASave);
    }
    if bytes.len() < head + size_of::<u64>() {
        return Err(RestoreError::Truncated);
    }
    let found = u32::from_le_bytes(bytes[MAGIC.len()..head].try_into().expect("four bytes"));
    if found != VERSION {
        return Err(RestoreError::Version {
            found,
            expected: VERSION,
        });
    }
    let (body, checksum) = bytes.split_at(bytes.len() - size_of::<u64>());
    let mut expected = Hash64::new();
    expected.write(body);
    if checksum != expected.finish().to_le_bytes() {
        return Err(RestoreError::Checksum);
    }
    Ok(Source { rest: &body[head..] })
}

/// A 64-bit hash of bytes, the same on every machine. It tells accidents, not attackers.
///
/// Eight bytes at a time are folded in by exclusive or, multiplication and a rotation, as in the family of FNV and
/// wyhash.
struct Hash64 {
    state: u64,
}

impl Hash64 {
    fn new() -> Self {
        Self {
            state: 0x9E37_79B9_7F4A_7C15,
        }
    }

    fn fold(&mut self, word: u64) {
        self.state = (self.state ^ word)
            .wrapping_mul(0xA076_1D64_78BD_642F)
            .rotate_left(29);
    }

    /// Adds bytes; how they are cut into calls matters.
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        for &word in words {
            self.fold(u64::from_le_bytes(word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.fold(u64::from_le_bytes(last));
        self.fold(bytes.len() as u64);
    }

    fn finish(&self) -> u64 {
        let mixed = (self.state ^ (self.state >> 32)).wrapping_mul(0xE703_7ED1_A0B4_28DB);
        mixed ^ (mixed >> 32)
    }
}
