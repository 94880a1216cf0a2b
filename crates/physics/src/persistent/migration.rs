//! [`VERSION`] of saves, and [`Migrations`]: the names and fields in which the arrays of older saves differ from the present ones.
//!
//! The list itself is in `state/migrations.rs`.

/// The version of saves; it changes with the list of arrays, with their element types and with the meaning of a field.
pub(crate) const VERSION: u32 = 13;

/// A field that older saves lack.
pub(crate) struct AddedField {
    /// The first version of saves with the field.
    pub(crate) version: u32,
    /// The struct.
    pub(crate) of: &'static str,
    /// The field.
    pub(crate) field: &'static str,
    /// The bytes of the value that it gets.
    pub(crate) value: &'static [u8],
}

/// A field that has another name in older saves.
pub(crate) struct RenamedField {
    /// The first version of saves with the present name.
    pub(crate) version: u32,
    /// The struct.
    pub(crate) of: &'static str,
    /// The name in older saves.
    pub(crate) was: &'static str,
    /// The present name.
    pub(crate) field: &'static str,
}

/// An array, or a whole group of arrays, that older saves lack. It is as in a new world.
pub(crate) struct AddedArray {
    /// The first version of saves with the array.
    pub(crate) version: u32,
    /// `group`, or `group/part`.
    pub(crate) name: &'static str,
}

/// A field or an array that older saves have and that is not read any more.
pub(crate) struct Removed {
    /// The first version of saves without it.
    pub(crate) version: u32,
    /// `Struct.field`, `group`, or `group/part`.
    pub(crate) name: &'static str,
}

/// All differences between the arrays of saves of older versions and the present ones. Each applies to the saves of
/// versions before its own. Whatever differs and is not listed is refused.
pub(crate) struct Migrations {
    /// The oldest version that is read.
    pub(crate) oldest: u32,
    pub(crate) added_fields: &'static [AddedField],
    pub(crate) renamed_fields: &'static [RenamedField],
    pub(crate) added_arrays: &'static [AddedArray],
    pub(crate) removed: &'static [Removed],
}

impl Migrations {
    /// No difference.
    #[cfg(test)]
    pub(crate) const NONE: Self = Self {
        oldest: 0,
        added_fields: &[],
        renamed_fields: &[],
        added_arrays: &[],
        removed: &[],
    };

    /// The present name of a field that a save of this version calls `field`.
    pub(super) fn present_name<'a>(&self, version: u32, of: &str, field: &'a str) -> &'a str {
        let is_it = |row: &&RenamedField| version < row.version && row.of == of && row.was == field;
        self.renamed_fields
            .iter()
            .find(is_it)
            .map_or(field, |row| row.field)
    }

    /// The value of a field that saves of this version lack.
    pub(super) fn value_of(&self, version: u32, of: &str, field: &str) -> Option<&'static [u8]> {
        let is_it = |row: &&AddedField| version < row.version && row.of == of && row.field == field;
        self.added_fields.iter().find(is_it).map(|row| row.value)
    }

    /// Whether a field of saves of this version is not read any more.
    pub(super) fn removes(&self, version: u32, of: &str, field: &str) -> bool {
        self.removes_named(version, |name| name.split_once('.') == Some((of, field)))
    }

    /// Whether an array of saves of this version is not read any more.
    pub(super) fn removes_array(&self, version: u32, array: (&str, &str)) -> bool {
        self.removes_named(version, |name| covers(name, array))
    }

    fn removes_named(&self, version: u32, is_it: impl Fn(&str) -> bool) -> bool {
        self.removed
            .iter()
            .any(|row| version < row.version && is_it(row.name))
    }

    /// Whether saves of this version lack an array; with an empty part, whether they lack the whole group.
    pub(super) fn adds(&self, version: u32, array: (&str, &str)) -> bool {
        self.added_arrays
            .iter()
            .any(|row| version < row.version && covers(row.name, array))
    }
}

/// Whether `group` or `group/part` is the name of an array or of its group.
fn covers(name: &str, (group, part): (&str, &str)) -> bool {
    match name.split_once('/') {
        None => name == group,
        Some(name) => name == (group, part),
    }
}
