//! Saving and restoring: the conversion of the persistent arrays to bytes with version, description and checksum, and
//! back.
//!
//! Format: magic, version, the length of the description and the description (`description.rs`); then for each array
//! the number of its line in the description, its element count and its bytes; then a checksum of everything before it.
//! Numbers are little-endian; a save is the same on every machine.
//!
//! Arrays and fields are read by their names, and those of older versions by the list in `state/migrations.rs`. Restored
//! states are checked field by field in `state/check.rs`. How a version is added: `docs/saves.md`.

use super::array::PlainArray;
use super::description::Description;
use super::hash::Hash64;
use super::map::PlainMap;
use super::marks::Marks;
use super::migration::{Migrations, VERSION};
use super::pages::Overwrite;
use super::restore_error::RestoreError;
use super::source::Source;
use super::view::{ArrayView, view};
use alloc::vec::Vec;
use bytemuck::Pod;
use tombolo_geometry::plain::PlainField;
use tombolo_handles::{CorruptError, HandleMap, TypeTag};

#[cfg(target_endian = "big")]
compile_error!("saves are arrays of little-endian numbers; a big-endian machine would need to swap them");

/// First bytes of every save.
const MAGIC: [u8; 8] = *b"TOMBOLO\0";

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

    /// Reads every array from `source`; those that share a name in the order in which they are visited.
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

            /// Creates the struct from the arrays of `source`. Fields that an older save lacks are those of `blank`.
            pub(crate) fn from_arrays(
                source: &mut $crate::persistent::Source<'_>,
                blank: Self,
            ) -> Result<Self, $crate::persistent::RestoreError> {
                Ok(Self { $(
                    $field: if source.lacks(stringify!($field)) {
                        blank.$field
                    } else {
                        $crate::persistent::Persistent::restore(stringify!($field), source)?
                    },
                )* })
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

impl<T: Pod + PlainField> Persistent for PlainArray<T> {
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
impl<T: Pod + PlainField> PlainArray<T> {
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

impl<T: Pod + PlainField> Persistent for PlainMap<T> {
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
        // SAFETY: an image is made of a world's own arrays only, all of one moment, so these are now the parts of a map of this
        // type. Pages that are not copied were the same then: `PlainMap` marks every page that it changes.
        #[allow(unsafe_code)]
        let map = unsafe { HandleMap::from_raw_parts_unchecked(header, slots, values, owners) };
        self.map = map;
    }

    fn marks(&mut self, visitor: &mut dyn FnMut(&mut Marks)) {
        [&mut self.slots, &mut self.values, &mut self.owners]
            .into_iter()
            .for_each(visitor);
    }
}

/// A save of all arrays that `arrays` visits.
pub(crate) fn save(arrays: impl Fn(&mut dyn FnMut(ArrayView<'_>))) -> Vec<u8> {
    let mut description = Description::new();
    let mut lines = Vec::new();
    let mut length = 0;
    arrays(&mut |array| {
        lines.push(description.line_of(&array));
        length += size_of::<u16>() + size_of::<u32>() + array.bytes.len();
    });
    let text = description.text;
    length += MAGIC.len() + 2 * size_of::<u32>() + text.len() + size_of::<u64>();
    let mut bytes = Vec::with_capacity(length);
    bytes.extend(MAGIC);
    bytes.extend(VERSION.to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes.extend(text.as_bytes());
    let mut lines = lines.into_iter();
    arrays(&mut |array| {
        let count = u32::try_from(array.bytes.len() / array.element_size).expect("indices are of 32 bits");
        bytes.extend(lines.next().expect("the same arrays again").to_le_bytes());
        bytes.extend(count.to_le_bytes());
        bytes.extend(array.bytes);
    });
    let mut checksum = Hash64::new();
    checksum.write(&bytes);
    bytes.extend(checksum.finish().to_le_bytes());
    debug_assert_eq!(bytes.len(), length, "as long as was computed");
    bytes
}

/// The arrays of a save, after a check of its magic, version and checksum.
pub(crate) fn open<'a>(bytes: &'a [u8], migrations: &'a Migrations) -> Result<Source<'a>, RestoreError> {
    let head = MAGIC.len() + size_of::<u32>();
    if !bytes.starts_with(&MAGIC) {
        return Err(RestoreError::NotASave);
    }
    if bytes.len() < head + size_of::<u64>() {
        return Err(RestoreError::Truncated);
    }
    let found = u32::from_le_bytes(bytes[MAGIC.len()..head].try_into().expect("four bytes"));
    if !(migrations.oldest..=VERSION).contains(&found) {
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
    Source::new(found, migrations, &body[head..])
}
