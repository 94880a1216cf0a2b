//! [`Conversion`]: how elements of a type in an older save become elements of the present type. Fields are matched by
//! name.

use super::description::{SavedDescription, array_of, number_of};
use super::migration::{Migrations, VERSION};
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use bytemuck::Pod;
use tombolo_geometry::plain_type::{Number, PlainMember, PlainType};

/// A piece of an element. Places are in bytes from the element's start.
#[derive(Debug, PartialEq)]
enum Piece {
    /// Bytes that are copied.
    Copy { from: usize, to: usize, length: usize },
    /// A number that is converted to a wider type.
    Widen {
        from: usize,
        to: usize,
        types: (Number, Number),
    },
    /// The value of a field that older saves lack.
    Fill { to: usize, value: &'static [u8] },
}

/// The conversion of the elements of one array.
pub(super) struct Conversion {
    from_size: usize,
    pieces: Vec<Piece>,
}

/// The structs of a save that are those of this build, field by field. Most fields are of few types, so that each of them
/// is compared once and not wherever it occurs.
#[derive(Default)]
pub(super) struct SameStructs {
    known: Vec<(&'static str, &'static [PlainMember])>,
}

impl SameStructs {
    /// Whether elements of the type `ty` of a save are those of `to`: of the same names and types in the same order.
    pub(super) fn is_same(&mut self, description: &SavedDescription<'_>, ty: &str, to: &PlainType) -> bool {
        match *to {
            PlainType::Number(to) => number_of(ty) == Some(to),
            PlainType::Array(item, count) => array_of(ty)
                .is_some_and(|(old, old_count)| old_count == count && self.is_same(description, old, item)),
            PlainType::Struct(name, fields) => {
                let is_it =
                    |known: &(&str, &[PlainMember])| core::ptr::eq(known.1, fields) && known.0 == name;
                ty == name
                    && (self.known.iter().any(is_it) || self.has_same_fields(description, name, fields))
            }
        }
    }

    fn has_same_fields(
        &mut self,
        description: &SavedDescription<'_>,
        name: &'static str,
        fields: &'static [PlainMember],
    ) -> bool {
        let Some(saved) = description.struct_of(name) else {
            return false;
        };
        let mut saved = saved.fields();
        let is_same = fields.iter().all(|field| {
            let saved = saved.next();
            saved.is_some_and(|(name, ty)| name == field.name && self.is_same(description, ty, field.ty))
        });
        let is_same = is_same && saved.next().is_none();
        if is_same {
            self.known.push((name, fields));
        }
        is_same
    }
}

impl Conversion {
    /// That of elements of so many bytes which are those of this build.
    pub(super) fn copy(size: usize) -> Self {
        Self {
            from_size: size,
            pieces: alloc::vec![Piece::Copy {
                from: 0,
                to: 0,
                length: size,
            }],
        }
    }

    /// The conversion from the type `ty` of a save to `to`.
    ///
    /// # Errors
    ///
    /// The first field that is missing, unknown, or of a type that cannot be converted without loss, in words.
    pub(super) fn new(
        description: &SavedDescription<'_>,
        migrations: &Migrations,
        version: u32,
        ty: &str,
        to: &PlainType,
    ) -> Result<Self, String> {
        let mut matching = Matching {
            description,
            migrations,
            version,
            pieces: Vec::new(),
        };
        matching.value(ty, 0, to, 0)?;
        Ok(Self {
            from_size: description.size_of(ty).ok_or("a type of unknown size")?,
            pieces: matching.pieces,
        })
    }

    /// The elements that these bytes of the save hold. Bytes after the last whole element are ignored.
    pub(super) fn convert<T: Pod>(&self, bytes: &[u8]) -> Vec<T> {
        let size = size_of::<T>();
        let same = Piece::Copy {
            from: 0,
            to: 0,
            length: size,
        };
        if self.from_size == size && self.pieces == [same] {
            return bytemuck::pod_collect_to_vec(bytes);
        }
        let mut items = alloc::vec![T::zeroed(); bytes.len() / self.from_size];
        let new = bytemuck::cast_slice_mut::<T, u8>(&mut items).chunks_exact_mut(size);
        for (old, new) in bytes.chunks_exact(self.from_size).zip(new) {
            self.pieces.iter().for_each(|piece| piece.write(old, new));
        }
        items
    }
}

impl Piece {
    /// Writes the piece of a new element from the old one.
    fn write(&self, old: &[u8], new: &mut [u8]) {
        match *self {
            Self::Copy { from, to, length } => {
                new[to..to + length].copy_from_slice(&old[from..from + length])
            }
            Self::Fill { to, value } => new[to..to + value.len()].copy_from_slice(value),
            Self::Widen {
                from,
                to,
                types: (narrow, wide),
            } => {
                let old = &old[from..from + narrow.size()];
                let word = if narrow == Number::F32 {
                    f64::from(bytemuck::pod_read_unaligned::<f32>(old)).to_le_bytes()
                } else {
                    let is_negative = is_signed(narrow) && old[old.len() - 1] >= 0x80;
                    let mut word = [if is_negative { 0xFF } else { 0 }; 8];
                    word[..old.len()].copy_from_slice(old);
                    word
                };
                new[to..to + wide.size()].copy_from_slice(&word[..wide.size()]);
            }
        }
    }
}

/// Matches the fields of a saved type and a present one.
struct Matching<'a> {
    description: &'a SavedDescription<'a>,
    migrations: &'a Migrations,
    version: u32,
    pieces: Vec<Piece>,
}

impl Matching<'_> {
    /// Matches a value of the saved type `ty` at `from` with one of type `to` at `at`.
    fn value(&mut self, ty: &str, from: usize, to: &PlainType, at: usize) -> Result<(), String> {
        match *to {
            PlainType::Number(to) => self.number(ty, from, to, at),
            PlainType::Array(item, count) => {
                let (old, old_count) = array_of(ty).ok_or_else(|| format!("{ty} instead of an array"))?;
                if old_count != count {
                    return Err(format!("an array of {old_count} instead of {count}"));
                }
                let step = self.description.size_of(old).ok_or("a type of unknown size")?;
                (0..count).try_for_each(|index| {
                    self.value(old, from + index * step, item, at + index * item.size())
                })
            }
            PlainType::Struct(name, fields) => self.fields(ty, from, (name, fields), at),
        }
    }

    fn number(&mut self, ty: &str, from: usize, to: Number, at: usize) -> Result<(), String> {
        let old = number_of(ty);
        if old == Some(to) {
            self.copy(from, at, to.size());
            return Ok(());
        }
        // Only a change of version changes types; so forged bytes of this version do not grow in memory.
        let may_widen = self.version < VERSION;
        let Some(old) = old.filter(|old| may_widen && widens(*old, to)) else {
            return Err(format!("{ty} instead of {}", to.name()));
        };
        self.pieces.push(Piece::Widen {
            from,
            to: at,
            types: (old, to),
        });
        Ok(())
    }

    fn fields(
        &mut self,
        ty: &str,
        from: usize,
        (name, fields): (&str, &[PlainMember]),
        at: usize,
    ) -> Result<(), String> {
        let description = self.description;
        let old = description
            .struct_of(ty)
            .ok_or_else(|| format!("{ty} instead of {name}"))?;
        let offset = |index: usize| -> usize {
            at + fields[..index].iter().map(|field| field.ty.size()).sum::<usize>()
        };
        let mut found = alloc::vec![false; fields.len()];
        let mut place = from;
        for (old_name, ty) in old.fields() {
            let now = self.migrations.present_name(self.version, name, old_name);
            match fields.iter().position(|field| field.name == now) {
                Some(index) if !found[index] => {
                    found[index] = true;
                    self.value(ty, place, fields[index].ty, offset(index))
                        .map_err(|error| format!("the field `{now}` of {name}: {error}"))?;
                }
                None if self.migrations.removes(self.version, name, old_name) => {}
                _ => return Err(format!("{name} has no field `{old_name}`")),
            }
            place += description.size_of(ty).ok_or("a type of unknown size")?;
        }
        for (index, field) in fields.iter().enumerate().filter(|(index, _)| !found[*index]) {
            let value = self.migrations.value_of(self.version, name, field.name);
            let value = value.ok_or_else(|| format!("the field `{}` of {name} is missing", field.name))?;
            debug_assert_eq!(value.len(), field.ty.size(), "the value of {name}.{}", field.name);
            self.pieces.push(Piece::Fill {
                to: offset(index),
                value,
            });
        }
        Ok(())
    }

    /// Adds a copy, to the one before if it continues it.
    fn copy(&mut self, from: usize, to: usize, length: usize) {
        if let Some(Piece::Copy {
            from: from_before,
            to: to_before,
            length: before,
        }) = self.pieces.last_mut()
            && (*from_before + *before, *to_before + *before) == (from, to)
        {
            *before += length;
        } else {
            self.pieces.push(Piece::Copy { from, to, length });
        }
    }
}

fn is_signed(number: Number) -> bool {
    matches!(number, Number::I8 | Number::I16 | Number::I32 | Number::I64)
}

/// Whether every number of type `old` is one of type `new`, which is wider.
fn widens(old: Number, new: Number) -> bool {
    let is_float = |number| matches!(number, Number::F32 | Number::F64);
    let is_same_kind = match (is_float(old), is_float(new)) {
        (false, false) => is_signed(new) || !is_signed(old),
        (one, two) => one && two,
    };
    is_same_kind && old.size() < new.size()
}

#[cfg(test)]
mod tests {
    use super::{Conversion, Number, Piece, SavedDescription, widens};
    use crate::persistent::migration::{AddedField, Migrations, Removed, RenamedField};
    use alloc::string::String;
    use alloc::vec::Vec;
    use tombolo_geometry::plain::PlainField;
    use tombolo_geometry::plain_data;

    plain_data! {
        #[derive(Debug, PartialEq)]
        struct Inner {
            x: i32,
            z: u32,
            y: f64,
        }

        #[derive(Debug, PartialEq)]
        struct Outer {
            id: u64,
            inner: [Inner; 2],
            wide: i64,
            mark: u64,
        }
    }

    const MIGRATIONS: Migrations = Migrations {
        added_fields: &[AddedField {
            version: 5,
            of: "Outer",
            field: "mark",
            value: &77_u64.to_le_bytes(),
        }],
        renamed_fields: &[RenamedField {
            version: 5,
            of: "Inner",
            was: "zed",
            field: "z",
        }],
        removed: &[Removed {
            version: 5,
            name: "Outer.gone",
        }],
        ..Migrations::NONE
    };

    /// The conversion of rows of the struct `Outer` of a description.
    fn conversion(structs: &str, version: u32) -> Result<Conversion, String> {
        let text = alloc::format!("{structs}\nrows: Outer\n");
        let description = SavedDescription::read(&text).expect("it follows the grammar");
        Conversion::new(&description, &MIGRATIONS, version, "Outer", &Outer::TYPE)
    }

    #[test]
    fn fields_are_found_by_name_and_widened_renamed_filled_or_left_out() {
        let structs = "Inner = zed:u16 y:f32 x:i8\nOuter = inner:Inner*2 gone:u8 wide:u32 id:u64";
        let mut bytes = Vec::new();
        for row in 0..2_u8 {
            for (z, y, x) in [(513_u16, 1.5_f32, -3_i8), (65_535, -0.25, 127)] {
                bytes.extend(z.to_le_bytes());
                bytes.extend(y.to_le_bytes());
                bytes.extend(x.to_le_bytes());
            }
            bytes.push(0xEE);
            bytes.extend(u32::MAX.to_le_bytes());
            bytes.extend(u64::from(row).to_le_bytes());
        }
        let rows: Vec<Outer> = conversion(structs, 4).unwrap().convert(&bytes);
        let inner = [(-3, 1.5, 513), (127, -0.25, 65_535)].map(|(x, y, z)| Inner { x, z, y });
        let row = |id| Outer {
            id,
            inner,
            wide: i64::from(u32::MAX),
            mark: 77,
        };
        assert_eq!(rows, [row(0), row(1)]);
    }

    #[test]
    fn the_present_type_is_copied_as_a_whole() {
        let structs = "Inner = x:i32 z:u32 y:f64\nOuter = id:u64 inner:Inner*2 wide:i64 mark:u64";
        let copy = Piece::Copy {
            from: 0,
            to: 0,
            length: size_of::<Outer>(),
        };
        assert_eq!(conversion(structs, 5).unwrap().pieces, [copy]);
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let inner = "Inner = x:i32 y:f64 z:u32\n";
        let expect = |version: u32, structs: &str, message: &str| {
            let text = alloc::format!("{inner}{structs}");
            let error = conversion(&text, version).err();
            assert_eq!(error.as_deref(), Some(message), "{structs}");
        };
        let whole = "id:u64 inner:Inner*2 wide:i64";
        let outer = |fields: &str| alloc::format!("Outer = {fields}");
        expect(5, &outer(whole), "the field `mark` of Outer is missing");
        let gone = outer(&alloc::format!("{whole} mark:u64 gone:u8"));
        expect(5, &gone, "Outer has no field `gone`");
        let twice = outer(&alloc::format!("{whole} id:u64"));
        expect(4, &twice, "Outer has no field `id`");
        let narrow = outer("id:i64 inner:Inner*2 wide:i64");
        expect(4, &narrow, "the field `id` of Outer: i64 instead of u64");
        let three = outer("id:u64 inner:Inner*3 wide:i64");
        expect(
            4,
            &three,
            "the field `inner` of Outer: an array of 3 instead of 2",
        );
        let one = outer("id:u64 inner:Inner wide:i64");
        expect(4, &one, "the field `inner` of Outer: Inner instead of an array");
        let number = outer("id:u64 inner:u64*2 wide:i64");
        expect(4, &number, "the field `inner` of Outer: u64 instead of Inner");
    }

    #[test]
    fn only_conversions_without_loss_widen() {
        use Number::{F32, F64, I16, I32, I64, U8, U16, U32, U64};
        for (old, new) in [(U8, U16), (U32, U64), (U32, I64), (I16, I32), (F32, F64)] {
            assert!(widens(old, new), "{old:?} {new:?}");
        }
        for (old, new) in [
            (U16, U8),
            (U32, I32),
            (I16, U32),
            (F64, F32),
            (U32, F64),
            (F32, I64),
            (U64, U64),
        ] {
            assert!(!widens(old, new), "{old:?} {new:?}");
        }
    }
}
