//! The state of a script: plain data that can be saved, hashed and compared. `world/script/values.rs` converts it
//! from and to the script language's own values.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::fmt;

use tombolo_entity::{DataError, Entity, Reader, Writer};
use tombolo_geometry::Vec2;

/// The greatest depth of nested lists and maps.
pub const DATA_DEPTH_MAX: usize = 8;

/// The greatest number of values in the state of one script, those in lists and maps included.
pub const DATA_COUNT_MAX: usize = 2000;

/// A value in the state of a script.
///
/// Invariant of values that scripts store: at most [`DATA_DEPTH_MAX`] deep and [`DATA_COUNT_MAX`] values, numbers
/// finite, no negative zero.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Data {
    /// The empty value, `()`.
    #[default]
    Nothing,
    /// A Boolean.
    Flag(bool),
    /// An integer.
    Integer(i64),
    /// A floating-point number.
    Number(f64),
    /// A character.
    Letter(char),
    /// A string.
    Text(Box<str>),
    /// A point or direction.
    Vector(Vec2),
    /// An entity, which may no longer exist.
    Entity(Entity),
    /// A list of values.
    List(Vec<Data>),
    /// Values by name, in alphabetic order.
    Map(BTreeMap<Box<str>, Data>),
}

impl Data {
    /// A map without entries: the initial state of a script.
    pub(crate) fn empty() -> Self {
        Self::Map(BTreeMap::new())
    }

    /// The number of values and the depth of nesting.
    #[cfg(feature = "script")]
    pub(crate) fn size(&self) -> (usize, usize) {
        let of_many = |sizes: &mut dyn Iterator<Item = (usize, usize)>| {
            sizes.fold((1, 1), |(count, depth), (inner, inner_depth)| {
                (count + inner, depth.max(inner_depth + 1))
            })
        };
        match self {
            Self::List(values) => of_many(&mut values.iter().map(Self::size)),
            Self::Map(values) => of_many(&mut values.values().map(Self::size)),
            _ => (1, 1),
        }
    }

    /// The bytes of all strings in the value.
    #[cfg(feature = "script")]
    pub(crate) fn text_bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::List(values) => values.iter().map(Self::text_bytes).sum(),
            Self::Map(values) => values
                .iter()
                .map(|(name, value)| name.len() + value.text_bytes())
                .sum(),
            _ => 0,
        }
    }

    pub(crate) fn save(&self, out: &mut Writer) {
        match self {
            Self::Nothing => out.u8(0),
            Self::Flag(flag) => {
                out.u8(1);
                out.flag(*flag);
            }
            Self::Integer(number) => {
                out.u8(2);
                out.u64(number.cast_unsigned());
            }
            Self::Number(number) => {
                out.u8(3);
                out.u64(number.to_bits());
            }
            Self::Letter(letter) => {
                out.u8(4);
                out.u32(u32::from(*letter));
            }
            Self::Text(text) => {
                out.u8(5);
                out.text(text);
            }
            Self::Vector(vector) => {
                out.u8(6);
                out.f32(vector.x);
                out.f32(vector.y);
            }
            Self::Entity(entity) => {
                out.u8(7);
                out.entity(Some(*entity));
            }
            Self::List(values) => {
                out.u8(8);
                out.length(values.len());
                values.iter().for_each(|value| value.save(out));
            }
            Self::Map(values) => {
                out.u8(9);
                out.length(values.len());
                for (name, value) in values {
                    out.text(name);
                    value.save(out);
                }
            }
        }
    }

    pub(crate) fn restore(from: &mut Reader<'_>) -> Result<Self, DataError> {
        Self::restore_at(from, 0, &mut 0)
    }

    fn restore_at(from: &mut Reader<'_>, depth: usize, count: &mut usize) -> Result<Self, DataError> {
        *count += 1;
        if depth > DATA_DEPTH_MAX || *count > DATA_COUNT_MAX {
            return Err(DataError::broken(
                "a script remembers more than it can, or too deep",
            ));
        }
        Ok(match from.u8("a remembered value")? {
            0 => Self::Nothing,
            1 => Self::Flag(from.flag("a remembered flag")?),
            2 => Self::Integer(from.u64("a remembered number")?.cast_signed()),
            3 => {
                let number = f64::from_bits(from.u64("a remembered number")?);
                if !number.is_finite() || is_minus_zero(number) {
                    return Err(DataError::broken("a remembered number is none"));
                }
                Self::Number(number)
            }
            4 => {
                let letter = char::from_u32(from.u32("a remembered letter")?);
                Self::Letter(letter.ok_or_else(|| DataError::broken("a remembered letter is none"))?)
            }
            5 => Self::Text(from.text("a remembered text")?),
            6 => {
                let vector = Vec2::new(from.f32("a remembered vector")?, from.f32("a remembered vector")?);
                let [x, y] = vector.to_array().map(f64::from);
                if !vector.is_finite() || is_minus_zero(x) || is_minus_zero(y) {
                    return Err(DataError::broken("a remembered vector is none"));
                }
                Self::Vector(vector)
            }
            7 => {
                let entity = from.entity("a remembered entity")?;
                Self::Entity(entity.ok_or_else(|| DataError::broken("a remembered entity is none"))?)
            }
            8 => {
                let length = from.length(1, "a remembered list")?;
                let values = (0..length).map(|_| Self::restore_at(from, depth + 1, count));
                Self::List(values.collect::<Result<_, _>>()?)
            }
            9 => {
                let length = from.length(9, "a remembered map")?;
                let mut values = BTreeMap::new();
                for _ in 0..length {
                    let name = from.text("a remembered name")?;
                    let value = Self::restore_at(from, depth + 1, count)?;
                    if values.insert(name, value).is_some() {
                        return Err(DataError::broken("a script remembers two values of one name"));
                    }
                }
                Self::Map(values)
            }
            _ => return Err(DataError::broken("a remembered value is of no known kind")),
        })
    }
}

/// Whether a number is negative zero, which scripts do not keep.
fn is_minus_zero(number: f64) -> bool {
    number == 0.0 && number.is_sign_negative()
}

/// The value in the syntax of a script.
impl fmt::Display for Data {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("()"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number:?}"),
            Self::Letter(letter) => write!(f, "{letter:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Vector(vector) => write!(f, "vec2({:?}, {:?})", vector.x, vector.y),
            Self::Entity(entity) => write!(f, "{entity:?}"),
            Self::List(values) => {
                f.write_str("[")?;
                for (place, value) in values.iter().enumerate() {
                    write!(f, "{}{value}", if place == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Self::Map(values) => {
                f.write_str("#{")?;
                for (place, (name, value)) in values.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if place == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
        }
    }
}
