//! Saving and restoring: the conversion of the persistent arrays to bytes with version and checksum, and back.
//!
//! Format: magic, version, then for each array its element size, its element count and its bytes, then a checksum of
//! everything before it. Numbers are little-endian; a save is the same on every machine.
//!
//! Saves are not migrated: a save of another version is refused ([`RestoreError::Version`]). Bytes with the right
//! version and checksum are checked field by field in `state/check.rs`.

use super::array::PlainArray;
use super::hash::Hash64;
use super::map::PlainMap;
use super::marks::Marks;
use super::pages::Overwrite;
use super::view::{ArrayView, view};
use alloc::string::String;
use alloc::vec::Vec;
use bytemuck::Pod;
use core::fmt;
use tombolo_handles::{CorruptError, HandleMap, TypeTag};

#[cfg(target_endian = "big")]
compile_error!("saves are arrays of little-endian numbers; a big-endian machine would need to swap them");

/// First bytes of every save.
const MAGIC: [u8; 8] = *b"TOMBOLO\0";

/// The version of saves; it changes with the list of arrays and with their element types.
const VERSION: u32 = 13;

/// The memory of one persistent array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayReport {
    /// The part of the state that it belongs to.
    pub group: &'static str,
    /// The name of the array within that part; empty if there is only one.
    pub part: &'static str,
    /// Size of one element in bytes.
    pub element_size: usize,
    /// Number of elements.
    pub count: usize,
}

/// A field of the state: one or several arrays of plain data, always visited in the same order.
pub(crate) trait Persistent {
    /// Calls `visitor` with every array.
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>));

    /// Reads every array from `source`, in the order in which they are visited.
    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError>
    where
        Self: Sized;

    /// Overwrites every array from `source`, in the same order, in its existing memory. Nothing is checked: the source
    /// is an image of a world.
    fn overwrite(&mut self, source: &mut Overwrite<'_>);

    /// Calls `visitor` with the marks of every array that has some.
    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks));
}

/// Declares a struct of [`Persistent`] fields with the functions that visit all of them.
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
            /// Calls `visitor` with every persistent array: the single list behind saves, hashes, images and reports.
            pub(crate) fn arrays(&self, visitor: &mut dyn FnMut($crate::persistent::ArrayView<'_>)) {
                $( $crate::persistent::Persistent::visit(&self.$field, stringify!($field), visitor); )*
            }

            /// Creates the struct from the arrays of `source`.
            pub(crate) fn from_arrays(
                source: &mut $crate::persistent::Source<'_>,
            ) -> Result<Self, $crate::persistent::RestoreError> {
                Ok(Self { $( $field: $crate::persistent::Persistent::restore(stringify!($field), source)?, )* })
            }

            /// Overwrites the arrays with those of an image, in their existing memory.
            pub(crate) fn overwrite(&mut self, source: &mut $crate::persistent::Overwrite<'_>) {
                $( $crate::persistent::Persistent::overwrite(&mut self.$field, source); )*
                debug_assert!(source.is_done(), "an image has as many arrays as the state");
            }

            /// Calls `visitor` with the marks of every array that has some.
            pub(crate) fn marks(&mut self, visitor: &mut dyn FnMut(&mut $crate::persistent::Marks)) {
                $( $crate::persistent::Persistent::marks(&mut self.$field, visitor); )*
            }
        }
    };
}
pub(crate) use persistent_arrays;

/// The reason why bytes could not be turned into a world. A world that was to be overwritten is unchanged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes do not begin like a save.
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
    /// The bytes were changed: the checksum does not match.
    Checksum,
    /// An array does not match the one that is expected in its place.
    Mismatch {
        /// The part of the state.
        group: &'static str,
        /// The array of that part.
        part: &'static str,
        /// The mismatch.
        why: String,
    },
}

impl RestoreError {
    /// An error for an array with invalid contents.
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

/// A reader of the arrays of a save, one after another.
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

    /// Checks that no bytes are left.
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
        self.visit_part(group, "", visitor);
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        Ok(Self::from(source.array(group, "")?))
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        self.overwrite_part("", source);
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        visitor(&mut self.marks);
    }
}

/// Methods for an array that is one of several in a field.
impl<T: Pod> PlainArray<T> {
    /// Calls `visitor` with the array under the name of a part.
    pub(crate) fn visit_part(
        &self,
        group: &'static str,
        part: &'static str,
        visitor: &mut dyn FnMut(ArrayView<'_>),
    ) {
        visitor(view(group, part, self).with_marks(&self.marks));
    }

    /// Overwrites the array from `source`, under the name of a part.
    pub(crate) fn overwrite_part(&mut self, part: &'static str, source: &mut Overwrite<'_>) {
        source.array(part, &mut self.items, Some(&self.marks));
    }
}

impl<T: Pod> Persistent for PlainMap<T> {
    fn visit(&self, group: &'static str, visitor: &mut dyn FnMut(ArrayView<'_>)) {
        let parts = self.raw_parts();
        visitor(view(group, "header", core::slice::from_ref(&parts.header)));
        visitor(view(group, "slots", parts.slots).with_marks(&self.slots));
        visitor(view(group, "values", parts.values).with_marks(&self.values));
        visitor(view(group, "owners", parts.owners).with_marks(&self.owners));
    }

    fn restore(group: &'static str, source: &mut Source<'_>) -> Result<Self, RestoreError> {
        let header = source.single(group, "header")?;
        let slots = source.array(group, "slots")?;
        let values = source.array(group, "values")?;
        let owners = source.array(group, "owners")?;
        let map = HandleMap::from_raw_parts(header, slots, values, owners);
        map.map(Self::from)
            .map_err(|error: CorruptError| RestoreError::Mismatch {
                group,
                part: "slots",
                why: alloc::format!("{error}"),
            })
    }

    fn overwrite(&mut self, source: &mut Overwrite<'_>) {
        let parts = self.map.raw_parts();
        let rest = [
            (size_of_val(parts.slots), &self.slots),
            (size_of_val(parts.values), &self.values),
            (size_of_val(parts.owners), &self.owners),
        ];
        if source.skip_equal(bytemuck::bytes_of(&parts.header), rest) {
            return;
        }
        let none = HandleMap::with_tag(TypeTag::ZERO);
        let (mut header, mut slots, mut values, mut owners) =
            core::mem::replace(&mut self.map, none).into_raw_parts();
        source.single("header", &mut header);
        source.array("slots", &mut slots, Some(&self.slots));
        source.array("values", &mut values, Some(&self.values));
        source.array("owners", &mut owners, Some(&self.owners));
        self.map = HandleMap::from_known_raw_parts(header, slots, values, owners)
            .expect("an image of a map is that of a map");
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        [&mut self.slots, &mut self.values, &mut self.owners]
            .into_iter()
            .for_each(visitor);
    }
}

/// A save of all arrays that `arrays` visits.
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

/// A hash of all arrays that `arrays` visits, except those of groups that are left out.
pub(crate) fn hash(
    is_left_out: impl Fn(&str) -> bool,
    arrays: impl Fn(&mut dyn FnMut(ArrayView<'_>)),
) -> u64 {
    let mut hash = Hash64::new();
    arrays(&mut |array| {
        if !is_left_out(array.group) {
            hash.write(array.bytes);
        }
    });
    hash.finish()
}

/// The arrays of a save, after a check of its magic, version and checksum.
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
