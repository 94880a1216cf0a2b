//! [`show_value`]: values of properties as text, in the form in which scene files have them.

use alloc::borrow::ToOwned;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use tombolo_entity::{Color, Kind, Value};

/// A value as text. An entity needs a world to have a name.
pub(crate) fn show_value(kind: Kind, value: &Value) -> String {
    match (kind, value) {
        (_, Value::Bool(flag)) => format!("{flag}"),
        (_, Value::I32(number)) => format!("{number}"),
        (_, Value::U32(number)) => format!("{number}"),
        (_, Value::I64(number)) => format!("{number}"),
        (_, Value::F32(number)) => format!("{number}"),
        (_, Value::F64(number)) => format!("{number}"),
        (_, Value::Vec2(vector)) => show_numbers(&vector.to_array()),
        (_, Value::Vec3(vector)) => show_numbers(&vector.to_array()),
        (_, Value::Quat(rotation)) => show_numbers(&rotation.to_array()),
        (_, Value::Color(Color { r, g, b, a })) => show_numbers(&[*r, *g, *b, *a]),
        (_, Value::String(text)) => format!("{text:?}"),
        (_, Value::Entity(None)) => "none".to_owned(),
        (Kind::Choice(words), Value::Choice(place)) => {
            let word = words.get(*place as usize).copied();
            word.unwrap_or("unknown").to_owned()
        }
        (_, Value::Choice(place)) => format!("{place}"),
        (_, Value::Blob(bytes)) => format!("{} bytes", bytes.len()),
        (kind, Value::List(values)) => {
            let of = if let Kind::List(of) = kind { *of } else { kind };
            show_list(values, |value| show_value(of, value))
        }
        (_, other) => format!("{other:?}"),
    }
}

/// A list as text, whose elements `show` writes.
pub(crate) fn show_list(values: &[Value], show: impl FnMut(&Value) -> String) -> String {
    let shown: Vec<String> = values.iter().map(show).collect();
    format!("[{}]", shown.join(", "))
}

fn show_numbers(numbers: &[f32]) -> String {
    let numbers: Vec<String> = numbers.iter().map(|number| format!("{number}")).collect();
    format!("({})", numbers.join(", "))
}
