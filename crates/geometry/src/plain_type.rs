//! [`PlainType`]: the fields of plain data by name and type, from which saves are described.
//!
//! [`plain_data!`](crate::plain_data) derives it from the declaration of a struct, so that the two cannot differ.

/// A type of numbers, stored in little-endian order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// Unsigned, 8 bits.
    U8,
    /// Unsigned, 16 bits.
    U16,
    /// Unsigned, 32 bits.
    U32,
    /// Unsigned, 64 bits.
    U64,
    /// Signed, 8 bits.
    I8,
    /// Signed, 16 bits.
    I16,
    /// Signed, 32 bits.
    I32,
    /// Signed, 64 bits.
    I64,
    /// IEEE 754 single precision.
    F32,
    /// IEEE 754 double precision.
    F64,
}

impl Number {
    /// All types of numbers.
    pub const ALL: [Self; 10] = [
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::I8,
        Self::I16,
        Self::I32,
        Self::I64,
        Self::F32,
        Self::F64,
    ];

    /// The name of the type in Rust.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::U16 => "u16",
            Self::U32 => "u32",
            Self::U64 => "u64",
            Self::I8 => "i8",
            Self::I16 => "i16",
            Self::I32 => "i32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// The size in bytes.
    pub const fn size(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }
}

/// The type of plain data, without padding: fields follow each other in the order of their list.
///
/// ```
/// use tombolo_geometry::plain::PlainField;
/// use tombolo_geometry::plain_type::{PlainMember, Number, PlainType};
///
/// tombolo_geometry::plain_data! {
///     /// A crate on a shelf.
///     pub struct Parcel {
///         /// Kilograms.
///         pub mass: f32,
///         /// Row and column of the shelf.
///         pub place: [u32; 2],
///     }
/// }
/// let PlainType::Struct("Parcel", [mass, place]) = Parcel::TYPE else { panic!() };
/// assert_eq!(*mass, PlainMember { name: "mass", ty: &PlainType::Number(Number::F32) });
/// assert_eq!(place.ty, &PlainType::Array(&PlainType::Number(Number::U32), 2));
/// assert_eq!(Parcel::TYPE.size(), 12);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainType {
    /// A number.
    Number(Number),
    /// An array: the type of its items and their count.
    Array(&'static PlainType, usize),
    /// A struct: its name and its fields.
    Struct(&'static str, &'static [PlainMember]),
}

/// A field of a plain struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainMember {
    /// The field's name.
    pub name: &'static str,
    /// The field's type.
    pub ty: &'static PlainType,
}

impl PlainType {
    /// The size in bytes.
    pub const fn size(&self) -> usize {
        match self {
            Self::Number(number) => number.size(),
            Self::Array(item, count) => item.size() * *count,
            Self::Struct(_, fields) => {
                let (mut size, mut index) = (0, 0);
                while index < fields.len() {
                    size += fields[index].ty.size();
                    index += 1;
                }
                size
            }
        }
    }
}
