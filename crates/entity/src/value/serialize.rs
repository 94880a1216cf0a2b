//! Serde's `Serialize` and `DeserializeSeed` for values. A value is written bare (`0.5`, `(1, 2)`, `"word"`), so it is
//! read by its kind: [`Kind`] is the seed from which the reader knows what to expect.
//!
//! ```
//! use serde::de::DeserializeSeed;
//! use tombolo_entity::{Kind, Value};
//! let mut text = serde_json::Deserializer::from_str("[1.0, 2.5]");
//! let value = Kind::Vec2.deserialize(&mut text)?;
//! assert_eq!(serde_json::to_string(&value)?, "[1.0,2.5]");
//! # Ok::<(), serde_json::Error>(())
//! ```

use alloc::boxed::Box;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use glam::{Quat, Vec2, Vec3};
use serde::de::{DeserializeSeed, Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Color, Kind, Value};
use crate::entities::Entity;

impl Serialize for Value {
    /// A choice is written as its number, since a value does not know the words; an entity as its bits, 0 for none.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::I32(value) => serializer.serialize_i32(*value),
            Self::U32(value) | Self::Choice(value) => serializer.serialize_u32(*value),
            Self::I64(value) => serializer.serialize_i64(*value),
            Self::F32(value) => serializer.serialize_f32(*value),
            Self::F64(value) => serializer.serialize_f64(*value),
            Self::Vec2(value) => value.to_array().serialize(serializer),
            Self::Vec3(value) => value.to_array().serialize(serializer),
            Self::Quat(value) => value.to_array().serialize(serializer),
            Self::Color(Color { r, g, b, a }) => [r, g, b, a].serialize(serializer),
            Self::String(value) => serializer.serialize_str(value),
            Self::Entity(value) => serializer.serialize_u64(value.map_or(0, Entity::to_bits)),
            Self::Blob(bytes) => bytes.serialize(serializer),
            Self::List(values) => values.serialize(serializer),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Kind {
    type Value = Value;

    /// Reads a value of this kind. A choice is read from its word or its number.
    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
        Ok(match self {
            Self::Bool => Value::Bool(bool::deserialize(reader)?),
            Self::I32 => Value::I32(i32::deserialize(reader)?),
            Self::U32 => Value::U32(u32::deserialize(reader)?),
            Self::I64 => Value::I64(i64::deserialize(reader)?),
            Self::F32 => Value::F32(f32::deserialize(reader)?),
            Self::F64 => Value::F64(f64::deserialize(reader)?),
            Self::Vec2 => Value::Vec2(Vec2::from_array(Deserialize::deserialize(reader)?)),
            Self::Vec3 => Value::Vec3(Vec3::from_array(Deserialize::deserialize(reader)?)),
            Self::Quat => Value::Quat(Quat::from_array(Deserialize::deserialize(reader)?)),
            Self::Color => {
                let [r, g, b, a] = Deserialize::deserialize(reader)?;
                Value::Color(Color { r, g, b, a })
            }
            Self::String => Value::String(Box::deserialize(reader)?),
            Self::Entity => Value::Entity(entity_of(u64::deserialize(reader)?)?),
            Self::Choice(words) => Value::Choice(reader.deserialize_any(Word(words))?),
            Self::Blob => Value::Blob(Box::deserialize(reader)?),
            Self::List(of) => Value::List(reader.deserialize_seq(Elements(*of))?),
        })
    }
}

fn entity_of<E: Error>(bits: u64) -> Result<Option<Entity>, E> {
    match (bits, Entity::from_bits(bits)) {
        (0, _) => Ok(None),
        (_, Some(entity)) => Ok(Some(entity)),
        _ => Err(E::custom(format!("{bits:#x} is no entity"))),
    }
}

/// The visitor that reads one of a few words.
struct Word(&'static [&'static str]);

impl Visitor<'_> for Word {
    type Value = u32;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", Kind::Choice(self.0))
    }

    fn visit_str<E: Error>(self, word: &str) -> Result<u32, E> {
        let place = self.0.iter().position(|known| *known == word);
        let unknown = || E::custom(format!("`{word}` is not {}", Kind::Choice(self.0)));
        place.map(|place| place as u32).ok_or_else(unknown)
    }

    fn visit_string<E: Error>(self, word: String) -> Result<u32, E> {
        self.visit_str(&word)
    }

    fn visit_u64<E: Error>(self, place: u64) -> Result<u32, E> {
        let known = u32::try_from(place)
            .ok()
            .filter(|place| (*place as usize) < self.0.len());
        known.ok_or_else(|| E::custom(format!("{place} is not the place of {}", Kind::Choice(self.0))))
    }
}

/// The visitor that reads values of one kind.
struct Elements(Kind);

impl<'de> Visitor<'de> for Elements {
    type Value = Vec<Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a list of {}", self.0)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Vec<Value>, A::Error> {
        let mut values = Vec::new();
        while let Some(value) = elements.next_element_seed(self.0)? {
            values.push(value);
        }
        Ok(values)
    }
}
