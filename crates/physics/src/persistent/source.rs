//! [`Source`]: the arrays of a save, found by name and converted to the present types.

use super::conversion::{Conversion, SameStructs};
use super::description::{DESCRIPTION_BYTES_MAX, SavedArray, SavedDescription};
use super::migration::{Migrations, VERSION};
use super::restore_error::RestoreError;
use alloc::format;
use alloc::vec::Vec;
use bytemuck::Pod;
use tombolo_geometry::plain::PlainField;

/// The greatest number of arrays in a save, so that a forged one takes little memory.
const ARRAYS_MAX: usize = 4096;

/// An array of the save.
struct SavedElements<'a> {
    /// The array's line in the description.
    line: u16,
    bytes: &'a [u8],
    is_taken: bool,
}

/// The arrays of a save. Those of one name are taken in the order of the save.
pub(crate) struct Source<'a> {
    version: u32,
    migrations: &'a Migrations,
    description: SavedDescription<'a>,
    /// The conversions of the lines that were used.
    conversions: Vec<Option<Conversion>>,
    same_structs: SameStructs,
    arrays: Vec<SavedElements<'a>>,
    /// The arrays before this one were all taken.
    first: usize,
}

/// Takes bytes from the front.
fn take<'a>(rest: &mut &'a [u8], count: usize) -> Result<&'a [u8], RestoreError> {
    let (taken, others) = rest.split_at_checked(count).ok_or(RestoreError::Truncated)?;
    *rest = others;
    Ok(taken)
}

/// Takes a number of `N` bytes from the front.
fn take_array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], RestoreError> {
    Ok(take(rest, N)?.try_into().expect("as many bytes were taken"))
}

impl<'a> Source<'a> {
    /// Reads the description and the places of all arrays of a save of some version, whose header and checksum are left
    /// out of `rest`.
    pub(super) fn new(
        version: u32,
        migrations: &'a Migrations,
        mut rest: &'a [u8],
    ) -> Result<Self, RestoreError> {
        let length = u32::from_le_bytes(take_array(&mut rest)?) as usize;
        if length > DESCRIPTION_BYTES_MAX {
            return Err(RestoreError::unfit("a description that is too long"));
        }
        let text = core::str::from_utf8(take(&mut rest, length)?).ok();
        let description = text
            .and_then(SavedDescription::read)
            .ok_or_else(|| RestoreError::unfit("its description cannot be read"))?;
        let mut arrays = Vec::new();
        while !rest.is_empty() {
            let line = u16::from_le_bytes(take_array(&mut rest)?);
            let count = u32::from_le_bytes(take_array(&mut rest)?) as usize;
            let declared = description.arrays.get(usize::from(line));
            let declared = declared.ok_or_else(|| RestoreError::unfit("an array without a name"))?;
            let length = count.checked_mul(declared.element_size);
            let bytes = take(&mut rest, length.ok_or(RestoreError::Truncated)?)?;
            if arrays.len() == ARRAYS_MAX {
                return Err(RestoreError::unfit("too many arrays"));
            }
            arrays.push(SavedElements {
                line,
                bytes,
                is_taken: false,
            });
        }
        Ok(Self {
            version,
            migrations,
            conversions: description.arrays.iter().map(|_| None).collect(),
            same_structs: SameStructs::default(),
            description,
            arrays,
            first: 0,
        })
    }

    /// The version of the save.
    pub(crate) fn version(&self) -> u32 {
        self.version
    }

    fn declared(&self, array: &SavedElements<'_>) -> &SavedArray<'a> {
        &self.description.arrays[usize::from(array.line)]
    }

    /// Whether the save is older than a whole group of arrays.
    pub(crate) fn lacks(&self, group: &str) -> bool {
        let has = |array: &SavedElements<'_>| self.declared(array).name.0 == group;
        self.migrations.adds(self.version, (group, "")) && !self.arrays.iter().any(has)
    }

    /// The next array of this name, with elements of type `T`.
    pub(crate) fn array<T: Pod + PlainField>(
        &mut self,
        group: &'static str,
        part: &'static str,
    ) -> Result<Vec<T>, RestoreError> {
        let is_it = |array: &SavedElements<'_>| !array.is_taken && self.declared(array).name == (group, part);
        let Some(place) = self.arrays[self.first..].iter().position(is_it) else {
            return if self.migrations.adds(self.version, (group, part)) {
                Ok(Vec::new())
            } else {
                Err(RestoreError::mismatch(
                    group,
                    part,
                    "the save does not have this array",
                ))
            };
        };
        let array = &mut self.arrays[self.first + place];
        array.is_taken = true;
        let (line, bytes) = (usize::from(array.line), array.bytes);
        self.first += self.arrays[self.first..]
            .iter()
            .take_while(|array| array.is_taken)
            .count();
        let conversion = match &mut self.conversions[line] {
            Some(known) => known,
            unknown => {
                let ty = self.description.arrays[line].ty;
                // In an older save equal names may mean different fields.
                let is_of_now = self.version == VERSION;
                let new = if is_of_now && self.same_structs.is_same(&self.description, ty, &T::TYPE) {
                    Conversion::copy(size_of::<T>())
                } else {
                    Conversion::new(&self.description, self.migrations, self.version, ty, &T::TYPE)
                        .map_err(|why| RestoreError::mismatch(group, part, &why))?
                };
                unknown.insert(new)
            }
        };
        Ok(conversion.convert(bytes))
    }

    /// The next array of this name, which must have exactly one element.
    pub(crate) fn single<T: Pod + PlainField>(
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

    /// Checks that every array was taken or is not read any more.
    pub(crate) fn finish(self) -> Result<(), RestoreError> {
        let names = self.arrays.iter().filter(|array| !array.is_taken);
        let mut unknown = names
            .map(|array| self.declared(array).name)
            .filter(|name| !self.migrations.removes_array(self.version, *name));
        match unknown.next() {
            None => Ok(()),
            Some((group, part)) => Err(RestoreError::unfit(&format!("an unknown array `{group} {part}`"))),
        }
    }
}
