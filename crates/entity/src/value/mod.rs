//! `Value` and `Kind`: the values of properties and their types.

pub(crate) mod plain;
pub(crate) mod saved;
mod serialize;

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::fmt;

use glam::{Quat, Vec2, Vec3};
use serde::{Deserialize, Serialize};

use crate::entities::Entity;

/// Linear red, green, blue and opacity, each from 0 to 1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Color {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
    /// Opacity.
    pub a: f32,
}

/// A property's value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// Yes or no.
    Bool(bool),
    /// A whole number of 32 bits.
    I32(i32),
    /// A whole number of 32 bits, not negative.
    U32(u32),
    /// A whole number of 64 bits.
    I64(i64),
    /// A number in single precision.
    F32(f32),
    /// A number in double precision.
    F64(f64),
    /// A point or direction in the plane; parts `x`, `y`.
    Vec2(Vec2),
    /// A point or direction in space; parts `x`, `y`, `z`.
    Vec3(Vec3),
    /// A rotation in space; parts `x`, `y`, `z`, `w`.
    Quat(Quat),
    /// A color; parts `r`, `g`, `b`, `a`.
    Color(Color),
    /// A text.
    String(Box<str>),
    /// An entity or none. It may be dead by the time it is read.
    Entity(Option<Entity>),
    /// One of a few words, by its place in [`Kind::Choice`]. Setters also accept a [`Value::String`] with the word.
    Choice(u32),
    /// Bytes whose meaning the manager defines.
    Blob(Box<[u8]>),
    /// Values of one kind; parts `0`, `1` and so on.
    List(Vec<Value>),
}

const _: () = assert!(size_of::<Value>() <= 32);

/// The kind of a property's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// [`Value::Bool`]
    Bool,
    /// [`Value::I32`]
    I32,
    /// [`Value::U32`]
    U32,
    /// [`Value::I64`]
    I64,
    /// [`Value::F32`]
    F32,
    /// [`Value::F64`]
    F64,
    /// [`Value::Vec2`]
    Vec2,
    /// [`Value::Vec3`]
    Vec3,
    /// [`Value::Quat`]
    Quat,
    /// [`Value::Color`]
    Color,
    /// [`Value::String`]
    String,
    /// [`Value::Entity`]
    Entity,
    /// [`Value::Choice`] of these words.
    Choice(&'static [&'static str]),
    /// [`Value::Blob`]
    Blob,
    /// [`Value::List`] of values of this kind.
    List(&'static Kind),
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::I32 => "i32",
            Self::U32 => "u32",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::Vec2 => "vec2",
            Self::Vec3 => "vec3",
            Self::Quat => "quaternion",
            Self::Color => "colour",
            Self::String => "string",
            Self::Entity => "entity",
            Self::Choice([]) => "choice",
            Self::Choice(words) => {
                f.write_str("one of ")?;
                for (place, word) in words.iter().enumerate() {
                    write!(f, "{}{word}", if place == 0 { "" } else { ", " })?;
                }
                return Ok(());
            }
            Self::Blob => "blob",
            Self::List(of) => return write!(f, "list of {of}"),
        })
    }
}

impl Kind {
    /// The place of a part: a letter of a vector, quaternion or color, or a number in a list.
    pub(crate) fn part(self, name: &str) -> Option<u32> {
        let letters = match self {
            Self::Vec2 => "xy",
            Self::Vec3 => "xyz",
            Self::Quat => "xyzw",
            Self::Color => "rgba",
            // `parse` alone would accept a sign.
            Self::List(_) if name.bytes().all(|byte| byte.is_ascii_digit()) => return name.parse().ok(),
            _ => return None,
        };
        let place = (0..letters.len()).find(|&place| letters[place..=place] == *name)?;
        Some(place as u32)
    }

    /// The kind of a part.
    pub(crate) const fn part_kind(self) -> Self {
        match self {
            Self::List(of) => *of,
            _ => Self::F32,
        }
    }

    /// Converts a word to the number of a choice, if this kind is a choice with that word; `None` for all other values.
    #[cold]
    pub(crate) fn accept(self, value: &Value) -> Option<Value> {
        let (Self::Choice(words), Value::String(word)) = (self, value) else {
            return None;
        };
        let place = words.iter().position(|known| *known == &**word)?;
        Some(Value::Choice(place as u32))
    }

    /// Whether the value is of this kind, to the last element.
    #[inline]
    pub(crate) fn holds(self, value: &Value) -> bool {
        match (self, value) {
            (Self::Choice(words), Value::Choice(place)) => (*place as usize) < words.len(),
            (Self::List(of), Value::List(values)) => values.iter().all(|value| of.holds(value)),
            (Self::Bool, Value::Bool(_))
            | (Self::I32, Value::I32(_))
            | (Self::U32, Value::U32(_))
            | (Self::I64, Value::I64(_))
            | (Self::F32, Value::F32(_))
            | (Self::F64, Value::F64(_))
            | (Self::Vec2, Value::Vec2(_))
            | (Self::Vec3, Value::Vec3(_))
            | (Self::Quat, Value::Quat(_))
            | (Self::Color, Value::Color(_))
            | (Self::String, Value::String(_))
            | (Self::Entity, Value::Entity(_))
            | (Self::Blob, Value::Blob(_)) => true,
            _ => false,
        }
    }
}

impl Value {
    /// The kind of the value. A choice does not contain its words and a list is named after its first element, so for
    /// both the result is approximate; this is for messages.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Bool(_) => Kind::Bool,
            Self::I32(_) => Kind::I32,
            Self::U32(_) => Kind::U32,
            Self::I64(_) => Kind::I64,
            Self::F32(_) => Kind::F32,
            Self::F64(_) => Kind::F64,
            Self::Vec2(_) => Kind::Vec2,
            Self::Vec3(_) => Kind::Vec3,
            Self::Quat(_) => Kind::Quat,
            Self::Color(_) => Kind::Color,
            Self::String(_) => Kind::String,
            Self::Entity(_) => Kind::Entity,
            Self::Choice(_) => Kind::Choice(&[]),
            Self::Blob(_) => Kind::Blob,
            Self::List(values) => match values.first() {
                Some(Self::F32(_)) => Kind::List(&Kind::F32),
                Some(Self::Vec2(_)) => Kind::List(&Kind::Vec2),
                Some(Self::I32(_)) => Kind::List(&Kind::I32),
                Some(Self::String(_)) => Kind::List(&Kind::String),
                _ => Kind::List(&Kind::Blob),
            },
        }
    }

    /// Visits the numbers that a range check or a check for NaN applies to: those of the value, its parts or its
    /// elements.
    pub(crate) fn numbers(&self, visit: &mut impl FnMut(f64)) {
        match self {
            Self::I32(number) => visit(f64::from(*number)),
            Self::U32(number) => visit(f64::from(*number)),
            Self::I64(number) => visit(*number as f64),
            Self::F32(number) => visit(f64::from(*number)),
            Self::F64(number) => visit(*number),
            Self::Vec2(vector) => vector.to_array().iter().for_each(|part| visit(f64::from(*part))),
            Self::Vec3(vector) => vector.to_array().iter().for_each(|part| visit(f64::from(*part))),
            Self::Quat(rotation) => rotation
                .to_array()
                .iter()
                .for_each(|part| visit(f64::from(*part))),
            Self::Color(Color { r, g, b, a }) => {
                [*r, *g, *b, *a].iter().for_each(|part| visit(f64::from(*part)));
            }
            Self::List(values) => values.iter().for_each(|value| value.numbers(visit)),
            Self::Bool(_) | Self::String(_) | Self::Entity(_) | Self::Choice(_) | Self::Blob(_) => {}
        }
    }

    /// A part by its place: of a vector, a quaternion, a color or a list; `None` if there is none.
    pub fn part(&self, place: u32) -> Option<Self> {
        let place = place as usize;
        let number = match self {
            Self::List(values) => return values.get(place).cloned(),
            Self::Vec2(vector) => vector.to_array().get(place).copied(),
            Self::Vec3(vector) => vector.to_array().get(place).copied(),
            Self::Quat(rotation) => rotation.to_array().get(place).copied(),
            Self::Color(Color { r, g, b, a }) => [*r, *g, *b, *a].get(place).copied(),
            _ => None,
        };
        number.map(Self::F32)
    }

    /// Replaces a part; returns whether there is such a part and the new one is of its kind.
    pub(crate) fn set_part(&mut self, place: u32, part: Self) -> bool {
        let place = place as usize;
        if let Self::List(values) = self {
            let old = values.get_mut(place);
            return old.map(|old| *old = part).is_some();
        }
        let Self::F32(number) = part else { return false };
        let slot = match self {
            Self::Vec2(vector) => vector.as_mut().get_mut(place),
            Self::Vec3(vector) => vector.as_mut().get_mut(place),
            Self::Quat(rotation) => {
                let mut parts = rotation.to_array();
                let found = parts.get_mut(place).map(|part| *part = number).is_some();
                *rotation = Quat::from_array(parts);
                return found;
            }
            Self::Color(Color { r, g, b, a }) => [r, g, b, a].into_iter().nth(place),
            _ => None,
        };
        slot.map(|slot| *slot = number).is_some()
    }
}
