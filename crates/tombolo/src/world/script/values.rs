//! Conversions between a script's values and the world's: properties by their kind, and a script's state before and
//! after a call.

use std::collections::BTreeMap;
use std::fmt;

use glam::Quat;
use rhai::{Array, Dynamic, EvalAltResult, Map};
use tombolo_entity::{Color, Entity, Kind, Value};
use tombolo_geometry::Vec2;

use crate::component::{DATA_COUNT_MAX, DATA_DEPTH_MAX, Data};

/// A property's value for a script. Vectors of more than two parts, rotations and colors become lists of numbers, a
/// choice its word.
pub(super) fn to_script(value: Value, kind: Kind) -> Dynamic {
    let numbers = |numbers: &[f32]| -> Dynamic {
        let numbers = numbers
            .iter()
            .map(|number| Dynamic::from_float(f64::from(*number)));
        Dynamic::from_array(numbers.collect())
    };
    match value {
        Value::Bool(flag) => flag.into(),
        Value::I32(number) => i64::from(number).into(),
        Value::U32(number) => i64::from(number).into(),
        Value::I64(number) => number.into(),
        Value::F32(number) => f64::from(number).into(),
        Value::F64(number) => number.into(),
        Value::Vec2(vector) => Dynamic::from(vector),
        Value::Vec3(vector) => numbers(&vector.to_array()),
        Value::Quat(rotation) => numbers(&rotation.to_array()),
        Value::Color(Color { r, g, b, a }) => numbers(&[r, g, b, a]),
        Value::String(text) => String::from(text).into(),
        Value::Entity(entity) => entity.map_or(Dynamic::UNIT, Dynamic::from),
        Value::Choice(place) => {
            let words = if let Kind::Choice(words) = kind {
                words
            } else {
                &[]
            };
            (*words.get(place as usize).unwrap_or(&"")).into()
        }
        Value::Blob(bytes) => Dynamic::from_blob(bytes.into()),
        Value::List(values) => {
            let of = if let Kind::List(of) = kind {
                *of
            } else {
                Kind::Blob
            };
            Dynamic::from_array(values.into_iter().map(|value| to_script(value, of)).collect())
        }
        _ => Dynamic::UNIT,
    }
}

/// A length in meters from the argument `what` of a function.
pub(super) fn length(function: &str, what: &str, value: &Dynamic) -> Result<f32, Box<EvalAltResult>> {
    let length = number(value).map(|length| length as f32);
    length.ok_or_else(|| format!("{function}: the {what} is a number, not {}", word(value)).into())
}

/// A script's value as one of a kind; `None` if it does not fit. Integers are accepted for other numbers, two numbers
/// in a list for a vector, and `()` for no entity.
pub(super) fn to_property(value: &Dynamic, kind: Kind) -> Option<Value> {
    Some(match kind {
        Kind::Bool => Value::Bool(value.as_bool().ok()?),
        Kind::I32 => Value::I32(value.as_int().ok()?.try_into().ok()?),
        Kind::U32 => Value::U32(value.as_int().ok()?.try_into().ok()?),
        Kind::I64 => Value::I64(value.as_int().ok()?),
        Kind::F32 => Value::F32(number(value)? as f32 + 0.0),
        Kind::F64 => Value::F64(number(value)? + 0.0),
        Kind::Vec2 => Value::Vec2(vector(value)?),
        Kind::Vec3 => Value::Vec3(numbers(value)?.into()),
        Kind::Quat => Value::Quat(Quat::from_array(numbers(value)?)),
        Kind::Color => {
            let [r, g, b, a] = numbers(value)?;
            Value::Color(Color { r, g, b, a })
        }
        Kind::String => Value::String(value.as_immutable_string_ref().ok()?.as_str().into()),
        Kind::Entity if value.is_unit() => Value::Entity(None),
        Kind::Entity => Value::Entity(Some(entity(value)?)),
        Kind::Choice(words) => {
            let word = value.as_immutable_string_ref().ok()?;
            let place = words.iter().position(|known| *known == word.as_str())?;
            Value::Choice(place as u32)
        }
        Kind::Blob => Value::Blob(value.as_blob_ref().ok()?.as_slice().into()),
        Kind::List(of) => {
            let values = value.as_array_ref().ok()?;
            let values = values.iter().map(|value| to_property(value, *of));
            Value::List(values.collect::<Option<_>>()?)
        }
        _ => return None,
    })
}

/// A number, integer or not.
pub(super) fn number(value: &Dynamic) -> Option<f64> {
    value
        .as_float()
        .or_else(|_| value.as_int().map(|whole| whole as f64))
        .ok()
}

/// A vector, or a list of two numbers. Never with a negative zero.
pub(super) fn vector(value: &Dynamic) -> Option<Vec2> {
    let vector = match value.read_lock::<Vec2>() {
        Some(vector) => *vector,
        None => Vec2::from(numbers::<2>(value)?),
    };
    Some(vector + Vec2::ZERO)
}

/// An entity.
pub(super) fn entity(value: &Dynamic) -> Option<Entity> {
    value.read_lock::<Entity>().map(|entity| *entity)
}

fn numbers<const N: usize>(value: &Dynamic) -> Option<[f32; N]> {
    let list = value.as_array_ref().ok()?;
    let mut numbers = [0.0; N];
    if list.len() != N {
        return None;
    }
    for (place, value) in numbers.iter_mut().zip(list.iter()) {
        *place = number(value)? as f32 + 0.0;
    }
    Some(numbers)
}

/// The name of a value's type in messages.
pub(super) fn word(value: &Dynamic) -> &'static str {
    if value.is_int() {
        "a whole number"
    } else if value.is_float() {
        "a number"
    } else if value.is_bool() {
        "true or false"
    } else if value.is_string() {
        "a text"
    } else if value.is_char() {
        "a letter"
    } else if value.is_array() {
        "a list"
    } else if value.is_map() {
        "a map"
    } else if value.is_unit() {
        "nothing"
    } else if value.is_fnptr() {
        "a function"
    } else if value.is::<Vec2>() {
        "a vector"
    } else if value.is::<Entity>() {
        "an entity"
    } else {
        "something else"
    }
}

/// A script's state, for the script.
pub(super) fn recalled(data: &Data) -> Dynamic {
    match data {
        Data::Nothing => Dynamic::UNIT,
        Data::Flag(flag) => (*flag).into(),
        Data::Integer(number) => (*number).into(),
        Data::Number(number) => (*number).into(),
        Data::Letter(letter) => (*letter).into(),
        Data::Text(text) => text.to_string().into(),
        Data::Vector(vector) => Dynamic::from(*vector),
        Data::Entity(entity) => Dynamic::from(*entity),
        Data::List(values) => Dynamic::from_array(values.iter().map(recalled).collect::<Array>()),
        Data::Map(values) => {
            let entries = values
                .iter()
                .map(|(name, value)| ((&**name).into(), recalled(value)));
            Dynamic::from_map(entries.collect::<Map>())
        }
    }
}

/// The script's state from the value of `this` after a call.
///
/// # Errors
///
/// If it is no map, or has a value that cannot be stored; the message says which.
pub(super) fn remembered(this: &Dynamic) -> Result<Data, String> {
    let data = remember(this, &Place::This, 0)?;
    let Data::Map(_) = data else {
        return Err("`this` must stay a map".into());
    };
    let (count, _) = data.size();
    if count > DATA_COUNT_MAX {
        return Err(format!(
            "`this` holds {count} values; {DATA_COUNT_MAX} can be remembered"
        ));
    }
    Ok(data)
}

/// The place of a value in a script's state: written out in messages only.
enum Place<'p> {
    This,
    Element(&'p Self, usize),
    Entry(&'p Self, &'p str),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::This => f.write_str("this"),
            Self::Element(list, place) => write!(f, "{list}[{place}]"),
            Self::Entry(map, name) => write!(f, "{map}.{name}"),
        }
    }
}

fn remember(value: &Dynamic, place: &Place<'_>, depth: usize) -> Result<Data, String> {
    if depth > DATA_DEPTH_MAX {
        return Err(format!(
            "`{place}` is deeper than {DATA_DEPTH_MAX} lists and maps; it cannot be remembered"
        ));
    }
    if let Ok(list) = value.as_array_ref() {
        let values = list.iter().enumerate();
        let values = values.map(|(index, value)| remember(value, &Place::Element(place, index), depth + 1));
        return Ok(Data::List(values.collect::<Result<_, _>>()?));
    }
    if let Ok(map) = value.as_map_ref() {
        let mut values = BTreeMap::new();
        for (name, value) in map.iter() {
            values.insert(
                name.as_str().into(),
                remember(value, &Place::Entry(place, name), depth + 1)?,
            );
        }
        return Ok(Data::Map(values));
    }
    let plain =
        plain(value).ok_or_else(|| format!("`{place}` is {}; it cannot be remembered", word(value)))?;
    match plain {
        Data::Number(number) if !number.is_finite() => {
            Err(format!("`{place}` is {number}; it cannot be remembered"))
        }
        Data::Vector(vector) if !vector.is_finite() => {
            Err(format!("`{place}` is not finite; it cannot be remembered"))
        }
        plain => Ok(plain),
    }
}

/// A value without others in it.
fn plain(value: &Dynamic) -> Option<Data> {
    if value.is_unit() {
        return Some(Data::Nothing);
    }
    if let Ok(text) = value.as_immutable_string_ref() {
        return Some(Data::Text(text.as_str().into()));
    }
    let flag = value.as_bool().ok().map(Data::Flag);
    flag.or_else(|| value.as_int().ok().map(Data::Integer))
        .or_else(|| value.as_float().ok().map(|number| Data::Number(number + 0.0)))
        .or_else(|| value.as_char().ok().map(Data::Letter))
        .or_else(|| value.is::<Vec2>().then(|| vector(value).map(Data::Vector))?)
        .or_else(|| entity(value).map(Data::Entity))
}
