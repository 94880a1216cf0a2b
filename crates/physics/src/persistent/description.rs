//! The description with which a save begins: the names of all arrays, and the names and types of all fields, as text.
//! No other file knows its grammar.
//!
//! A line `Name = field:type field:type` declares a struct. A line `group/part: type` declares an array; `group: type`
//! one that is alone in its group. A type is a number (`u32`) or a struct of an earlier line, with `*count` behind it
//! for each level of array (`f32*8`).

use super::view::ArrayView;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write;
use tombolo_geometry::plain_type::{Number, PlainMember, PlainType};

/// The greatest length of a description in bytes, so that a forged one takes little memory.
pub(super) const DESCRIPTION_BYTES_MAX: usize = 1 << 16;

/// A description that is being written.
pub(super) struct Description {
    pub(super) text: String,
    arrays: Vec<(&'static str, &'static str)>,
    structs: Vec<(&'static str, &'static [PlainMember])>,
}

impl Description {
    /// An empty description, with memory for that of a state.
    pub(super) fn new() -> Self {
        Self {
            text: String::with_capacity(1 << 13),
            arrays: Vec::with_capacity(128),
            structs: Vec::with_capacity(64),
        }
    }

    /// The number of an array's line among the lines of arrays. Arrays of one group and one name share a line.
    pub(super) fn line_of(&mut self, array: &ArrayView<'_>) -> u16 {
        let name = (array.group, array.part);
        let of_group = self.arrays.iter().enumerate().rev();
        let mut of_group = of_group.take_while(|(_, known)| known.0 == name.0);
        if let Some((line, _)) = of_group.find(|(_, known)| **known == name) {
            return line as u16;
        }
        self.declare(array.ty);
        self.text.push_str(array.group);
        if !array.part.is_empty() {
            self.text.push('/');
            self.text.push_str(array.part);
        }
        self.text.push_str(": ");
        self.write_type(array.ty);
        self.text.push('\n');
        self.arrays.push(name);
        (self.arrays.len() - 1) as u16
    }

    /// Writes the lines of the structs in a type that have none yet.
    fn declare(&mut self, ty: &PlainType) {
        match *ty {
            PlainType::Number(_) => {}
            PlainType::Array(item, _) => self.declare(item),
            PlainType::Struct(name, fields) => {
                // Most are known, and by the same list of fields: its place says so before names are compared.
                if self
                    .structs
                    .iter()
                    .any(|(known_name, known)| core::ptr::eq(*known, fields) && *known_name == name)
                {
                    return;
                }
                if let Some((_, known)) = self.structs.iter().find(|(known, _)| *known == name) {
                    debug_assert_eq!(*known, fields, "two saved structs are called `{name}`");
                    return;
                }
                fields.iter().for_each(|field| self.declare(field.ty));
                self.text.push_str(name);
                self.text.push_str(" =");
                for field in fields {
                    self.text.push(' ');
                    self.text.push_str(field.name);
                    self.text.push(':');
                    self.write_type(field.ty);
                }
                self.text.push('\n');
                self.structs.push((name, fields));
            }
        }
    }

    fn write_type(&mut self, ty: &PlainType) {
        match *ty {
            PlainType::Number(number) => self.text.push_str(number.name()),
            PlainType::Struct(name, _) => self.text.push_str(name),
            PlainType::Array(item, count) => {
                self.write_type(item);
                write!(self.text, "*{count}").expect("a text grows");
            }
        }
    }
}

/// A struct in a description that was read.
pub(super) struct SavedStruct<'a> {
    name: &'a str,
    fields: &'a str,
    size: usize,
}

impl<'a> SavedStruct<'a> {
    /// The names and types of the fields, in the order of memory.
    pub(super) fn fields(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        // Lines without a colon in each field were refused.
        self.fields
            .split_ascii_whitespace()
            .filter_map(|field| split_at_byte(field, b':'))
    }
}

/// An array in a description that was read.
#[derive(Clone, Copy)]
pub(super) struct SavedArray<'a> {
    /// The name of the group, and that of the array within it; empty if it is alone.
    pub(super) name: (&'a str, &'a str),
    /// The type of an element.
    pub(super) ty: &'a str,
    /// The size of an element in bytes; not zero.
    pub(super) element_size: usize,
}

/// A description that was read.
#[derive(Default)]
pub(super) struct SavedDescription<'a> {
    structs: Vec<SavedStruct<'a>>,
    pub(super) arrays: Vec<SavedArray<'a>>,
}

impl<'a> SavedDescription<'a> {
    /// Reads a description; `None` if it does not follow the grammar or has elements without a size.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let mut read = Self::default();
        for line in text.lines() {
            if let Some((name, fields)) = line.split_once(" =") {
                let mut size = 0_usize;
                for field in fields.split_ascii_whitespace() {
                    let (_, ty) = split_at_byte(field, b':')?;
                    size = size.checked_add(read.size_of(ty)?)?;
                }
                if read.struct_of(name).is_some() {
                    return None;
                }
                read.structs.push(SavedStruct { name, fields, size });
            } else {
                let (name, ty) = line.split_once(": ")?;
                let element_size = read.size_of(ty).filter(|size| *size > 0)?;
                read.arrays.push(SavedArray {
                    name: name.split_once('/').unwrap_or((name, "")),
                    ty,
                    element_size,
                });
            }
        }
        Some(read)
    }

    /// The size of a type in bytes, if its structs are declared.
    pub(super) fn size_of(&self, ty: &str) -> Option<usize> {
        let (base, counts) =
            split_at_byte(ty, b'*').map_or((ty, None), |(base, counts)| (base, Some(counts)));
        let number = number_of(base).map(Number::size);
        let size = number.or_else(|| self.struct_of(base).map(|found| found.size))?;
        let mut counts = counts.into_iter().flat_map(|counts| counts.split('*'));
        counts.try_fold(size, |size, count| size.checked_mul(count.parse().ok()?))
    }

    /// The struct of this name. Most types are used soon after they are declared.
    pub(super) fn struct_of(&self, name: &str) -> Option<&SavedStruct<'a>> {
        self.structs.iter().rev().find(|known| known.name == name)
    }
}

/// The text before and after the first such byte, which is one of ASCII. For short texts this takes a fraction of what a search
/// for a `char` does.
fn split_at_byte(text: &str, byte: u8) -> Option<(&str, &str)> {
    let place = text.bytes().position(|other| other == byte)?;
    Some((&text[..place], &text[place + 1..]))
}

/// The greatest length of a number's name.
const NUMBER_NAME_LENGTH_MAX: usize = 3;

/// The type of numbers of this name.
pub(super) fn number_of(name: &str) -> Option<Number> {
    if name.len() > NUMBER_NAME_LENGTH_MAX {
        return None;
    }
    Number::ALL.into_iter().find(|number| number.name() == name)
}

/// The type of an array's items and their count.
pub(super) fn array_of(ty: &str) -> Option<(&str, usize)> {
    let (item, count) = ty.rsplit_once('*')?;
    Some((item, count.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::SavedDescription;
    use alloc::format;
    use alloc::string::String;

    #[test]
    fn sizes_are_those_of_the_fields() {
        let text = "Pair = a:u16 b:f64*3*2\nRow = first:Pair rest:Pair*4\nrows/all: Row*2\nhead: u8\n";
        let read = SavedDescription::read(text).unwrap();
        let arrays: alloc::vec::Vec<_> = read.arrays.iter().map(|a| (a.name, a.element_size)).collect();
        assert_eq!(arrays, [(("rows", "all"), 2 * 5 * 50), (("head", ""), 1)]);
        let fields: alloc::vec::Vec<_> = read.struct_of("Row").unwrap().fields().collect();
        assert_eq!(fields, [("first", "Pair"), ("rest", "Pair*4")]);
    }

    #[test]
    fn texts_outside_the_grammar_are_refused() {
        for text in [
            "\n",
            "rows",
            "rows: ",
            "rows: Row",
            "Row = a:Row\nrows: Row",
            "Row = a\nrows: Row",
            "Row = a:u8\nRow = a:u8",
            "Row =\nrows: Row",
            "rows: u8*0",
            "rows: u8*-1",
            "rows: u8*x",
            "rows: *",
            "rows: u8*18446744073709551615*2",
        ] {
            assert!(SavedDescription::read(text).is_none(), "{text:?}");
        }
    }

    /// Structs of two of the struct before, whose sizes double until they cannot be counted, and a type with as many
    /// levels of array as fit: neither takes time or depth.
    #[test]
    fn sizes_that_explode_are_refused_at_once() {
        let mut text = String::from("S0 = a:u64\n");
        for level in 1..80 {
            text += &format!("S{level} = a:S{before} b:S{before}\n", before = level - 1);
        }
        assert!(SavedDescription::read(&text).is_none());
        let deep = format!("rows: u8{}", "*1".repeat(30_000));
        assert_eq!(SavedDescription::read(&deep).unwrap().arrays[0].element_size, 1);
    }
}
