//! A value in a table, in the spelling that it has in Python: so the command's tables, journals and keys are those of
//! `tombolo.sweep`, byte for byte.

use std::fmt::Write as _;

use tombolo::World;
use tombolo::entity::{Kind, Value};

/// A value of a table.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Cell {
    /// No value: an empty cell, `None` in Python.
    Nothing,
    Bool(bool),
    Whole(i128),
    Number(f64),
    Text(Box<str>),
    /// A vector, a color or a list: JSON, and so a table, does not distinguish them.
    List(Vec<Self>),
}

impl Cell {
    /// A property's value; a choice is its word, an entity its name, or its number if it has none.
    ///
    /// # Errors
    /// Bytes cannot be in a table.
    pub(super) fn of(world: &World, kind: Kind, value: &Value) -> Result<Self, String> {
        let numbers = |numbers: &[f32]| {
            let numbers = numbers.iter().map(|number| Self::Number(f64::from(*number)));
            Self::List(numbers.collect())
        };
        Ok(match value {
            Value::Bool(flag) => Self::Bool(*flag),
            Value::I32(number) => Self::Whole(i128::from(*number)),
            Value::U32(number) => Self::Whole(i128::from(*number)),
            Value::Choice(_) => Self::Text(world.show_value(kind, value).into()),
            Value::I64(number) => Self::Whole(i128::from(*number)),
            Value::F32(number) => Self::Number(f64::from(*number)),
            Value::F64(number) => Self::Number(*number),
            Value::Vec2(vector) => numbers(&vector.to_array()),
            Value::Vec3(vector) => numbers(&vector.to_array()),
            Value::Quat(rotation) => numbers(&rotation.to_array()),
            Value::Color(color) => numbers(&[color.r, color.g, color.b, color.a]),
            Value::String(text) => Self::Text(text.clone()),
            Value::Entity(None) => Self::Nothing,
            Value::Entity(Some(entity)) => match world.name_of(*entity) {
                Some(name) => Self::Text(name.into()),
                None => Self::Whole(i128::from(entity.to_bits())),
            },
            Value::List(values) => {
                let of = if let Kind::List(of) = kind { *of } else { kind };
                let values = values.iter().map(|value| Self::of(world, of, value));
                Self::List(values.collect::<Result<_, _>>()?)
            }
            _ => return Err("a property of this kind cannot be read as a value".to_string()),
        })
    }

    /// The text that [`World::parse_value_at`] reads; parts are those of a vector.
    pub(super) fn scene_text(&self) -> String {
        match self {
            Self::Nothing => "none".to_string(),
            Self::Bool(flag) => flag.to_string(),
            Self::List(values) => format!("({})", joined(values, Self::scene_text)),
            other => other.python_text(),
        }
    }

    /// The text of Python's `str`.
    pub(super) fn python_text(&self) -> String {
        match self {
            Self::Nothing => "None".to_string(),
            Self::Bool(true) => "True".to_string(),
            Self::Bool(false) => "False".to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) => number_text(*number),
            Self::Text(text) => text.to_string(),
            Self::List(values) => {
                let each = |value: &Self| match value {
                    Self::Text(text) => quoted_text(text),
                    other => other.python_text(),
                };
                format!("[{}]", joined(values, each))
            }
        }
    }

    /// The text of Python's `json.dumps`.
    pub(super) fn json(&self) -> String {
        match self {
            Self::Nothing => "null".to_string(),
            Self::Bool(flag) => flag.to_string(),
            Self::Whole(number) => number.to_string(),
            Self::Number(number) if number.is_nan() => "NaN".to_string(),
            Self::Number(number) if number.is_infinite() => {
                if *number > 0.0 { "Infinity" } else { "-Infinity" }.to_string()
            }
            Self::Number(number) => number_text(*number),
            Self::Text(text) => json_text(text),
            Self::List(values) => format!("[{}]", joined(values, Self::json)),
        }
    }

    /// The cell of a JSON value; `None` for an object, which no cell is.
    pub(super) fn of_json(value: &serde_json::Value) -> Option<Self> {
        Some(match value {
            serde_json::Value::Null => Self::Nothing,
            serde_json::Value::Bool(flag) => Self::Bool(*flag),
            serde_json::Value::Number(number) => match (number.as_i128(), number.as_f64()) {
                (Some(whole), _) => Self::Whole(whole),
                (None, number) => Self::Number(number?),
            },
            serde_json::Value::String(text) => Self::Text(text.as_str().into()),
            serde_json::Value::Array(values) => {
                Self::List(values.iter().map(Self::of_json).collect::<Option<_>>()?)
            }
            serde_json::Value::Object(_) => return None,
        })
    }
}

fn joined(values: &[Cell], each: impl Fn(&Cell) -> String) -> String {
    values.iter().map(each).collect::<Vec<_>>().join(", ")
}

/// The shortest text that gives the same number again, with an exponent as in Python: from 10¹⁶ up and below 10⁻⁴.
fn number_text(number: f64) -> String {
    if number.is_nan() {
        return "nan".to_string();
    }
    if number.is_infinite() {
        return if number > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let sign = if number.is_sign_negative() { "-" } else { "" };
    let (digits, exponent) = digits_of(number.abs());
    let text = match exponent {
        -4..0 => format!(
            "0.{digits:0>width$}",
            width = digits.len() + exponent.unsigned_abs() as usize - 1
        ),
        0..16 => {
            let digits = format!("{digits:0<width$}", width = exponent as usize + 2);
            let (whole, part) = digits.split_at(exponent as usize + 1);
            format!("{whole}.{part}")
        }
        _ => {
            let (first, rest) = digits.split_at(1);
            let point = if rest.is_empty() { "" } else { "." };
            let exponent_sign = if exponent < 0 { '-' } else { '+' };
            format!("{first}{point}{rest}e{exponent_sign}{:02}", exponent.abs())
        }
    };
    format!("{sign}{text}")
}

/// The fewest digits that give a number again, and the power of ten of the first. If two are equally near, which
/// happens to numbers that were of 32 bits, Python takes the one that ends evenly, and Rust's own shortest text the
/// larger one.
fn digits_of(number: f64) -> (String, i32) {
    let shortest = format!("{number:e}");
    let decimals = shortest.find('e').unwrap_or(1).saturating_sub(2);
    let even = format!("{number:.decimals$e}");
    // Near a power of two the nearest text with as few digits may be another number's.
    let text = if even.parse() == Ok(number) {
        even
    } else {
        shortest
    };
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    (digits.replace('.', ""), exponent.parse().unwrap_or(0))
}

/// A text in quotes, as in Python's `repr` of a list, but that of the letters only controls are written as escapes: which
/// others are depends on the release of Unicode that a Python or a compiler knows.
fn quoted_text(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut quoted = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            letter if letter == quote || letter == '\\' => quoted.extend(['\\', letter]),
            letter if letter.is_control() => {
                let _ = write!(quoted, "\\x{:02x}", u32::from(letter));
            }
            letter => quoted.push(letter),
        }
    }
    quoted.push(quote);
    quoted
}

/// A text as a string of JSON, in ASCII.
pub(super) fn json_text(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => json.extend(['\\', letter]),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            '\u{8}' => json.push_str("\\b"),
            '\u{c}' => json.push_str("\\f"),
            ' '..='~' => json.push(letter),
            letter => {
                for unit in letter.encode_utf16(&mut [0; 2]) {
                    let _ = write!(json, "\\u{unit:04x}");
                }
            }
        }
    }
    json.push('"');
    json
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected texts are the output of CPython 3.11.
    #[test]
    fn numbers_are_spelled_as_python_does() {
        let known = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (f64::from(0.1_f32), "0.10000000149011612"),
            (123_456_789.125, "123456789.125"),
            (f64::from(3.057_838_4_f32), "3.0578384399414062"),
            (1234.5, "1234.5"),
            (100.0, "100.0"),
            (9.5367431640625e-07, "9.5367431640625e-07"),
            (1e15, "1000000000000000.0"),
            (9_007_199_254_740_993.0, "9007199254740992.0"),
            (1e16, "1e+16"),
            (1.5e16, "1.5e+16"),
            (1e22, "1e+22"),
            (0.0001, "0.0001"),
            (0.00012, "0.00012"),
            (0.00001, "1e-05"),
            (-0.000_012_5, "-1.25e-05"),
            (f64::from(1e30_f32), "1.0000000150474662e+30"),
            (5e-324, "5e-324"),
            (f64::MAX, "1.7976931348623157e+308"),
            (f64::INFINITY, "inf"),
            (f64::NEG_INFINITY, "-inf"),
            (f64::NAN, "nan"),
        ];
        for (number, text) in known {
            assert_eq!(number_text(number), text);
        }
    }

    #[test]
    fn texts_are_quoted_as_python_does() {
        assert_eq!(quoted_text("plain"), "'plain'");
        assert_eq!(quoted_text("it's"), "\"it's\"");
        assert_eq!(quoted_text("\"it's\"\n"), "'\"it\\'s\"\\n'");
        assert_eq!(quoted_text("\\\u{1b}é"), "'\\\\\\x1bé'");
        // Controls are escapes, whatever else Python's `repr` would not print stays.
        assert_eq!(quoted_text("\u{7f}\u{85}"), "'\\x7f\\x85'");
        let kept = "e\u{301}\u{1f600}\u{3042}\u{a0}\u{ad}\u{200b}\u{2028}\u{3000}\u{e000}\u{feff}\u{e0001}\u{10ffff}";
        assert_eq!(quoted_text(kept), format!("'{kept}'"));
        assert_eq!(
            json_text("é\u{1f600}\u{7f}\"\u{8}"),
            "\"\\u00e9\\ud83d\\ude00\\u007f\\\"\\b\""
        );
    }

    #[test]
    fn cells_written_as_json_are_read_again() {
        let values = [
            Cell::Nothing,
            Cell::Bool(true),
            Cell::Whole(-3),
            Cell::Whole(i128::from(u64::MAX)),
            Cell::Number(f64::from(0.1_f32)),
            Cell::Number(1.0),
            // The second of two neighboring numbers that a careless reader confuses.
            Cell::Number(9_007_199_254_740_992.0),
            Cell::Number(8.433_684_617_678_55e-309),
            Cell::Text("a\"b\u{1f600}".into()),
            Cell::List(vec![Cell::Number(0.1), Cell::Text("x".into())]),
        ];
        for value in values {
            let json = serde_json::from_str(&value.json()).unwrap();
            assert_eq!(Cell::of_json(&json), Some(value));
        }
    }
}
