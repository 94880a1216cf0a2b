//! The inputs of nodes: a constant, or a link to another node's value. Scene files and games write them,
//! `generate.rs` reads them.

use alloc::format;
use alloc::string::String;
use core::fmt;

use serde::de::{Deserialize, Deserializer, Error, SeqAccess, Visitor};

/// An input of a node.
///
/// In a file it is `true`, a number, a text, two numbers in parentheses (a vector), or a text that begins with `@`:
/// `"@me"` is the graph's own entity, `"@spawned"` the value of the node `spawned`, `"@touched.point"` one of several
/// values of the node `touched`. A constant text whose first character is `@` is written with two of them.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Input {
    /// The graph's own entity.
    #[default]
    Me,
    /// True or false.
    Flag(bool),
    /// An integer.
    Whole(i64),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
    /// A vector.
    Vector(f64, f64),
    /// The value of a node.
    Link {
        /// The node's name.
        node: String,
        /// The name of the value, if the node has several; else empty.
        pin: String,
    },
}

impl fmt::Display for Input {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Me => f.write_str("me"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Whole(number) => write!(f, "{number}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Vector(x, y) => write!(f, "({x}, {y})"),
            Self::Link { node, pin } if pin.is_empty() => write!(f, "{node}"),
            Self::Link { node, pin } => write!(f, "{node}.{pin}"),
        }
    }
}

impl<'de> Deserialize<'de> for Input {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(InputVisitor)
    }
}

/// Reads an [`Input`].
struct InputVisitor;

impl<'de> Visitor<'de> for InputVisitor {
    type Value = Input;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, false, a number, a text, two numbers in parentheses, or a link such as \"@node\"")
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Input, E> {
        Ok(Input::Flag(flag))
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Input, E> {
        Ok(Input::Whole(number))
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Input, E> {
        i64::try_from(number)
            .map(Input::Whole)
            .map_err(|_| E::custom(format!("{number} is too large")))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Input, E> {
        if number.is_finite() {
            Ok(Input::Number(number))
        } else {
            Err(E::custom(format!("{number} is not a finite number")))
        }
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Input, E> {
        let Some(link) = text.strip_prefix('@') else {
            return Ok(Input::Text(text.into()));
        };
        if link.starts_with('@') {
            return Ok(Input::Text(link.into()));
        }
        if link == "me" {
            return Ok(Input::Me);
        }
        let (node, pin) = link.split_once('.').unwrap_or((link, ""));
        Ok(Input::Link {
            node: node.into(),
            pin: pin.into(),
        })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Input, A::Error> {
        let mut numbers = [0.0; 2];
        for (place, number) in numbers.iter_mut().enumerate() {
            *number = list
                .next_element::<f64>()?
                .ok_or_else(|| A::Error::invalid_length(place, &"two numbers"))?;
            if !number.is_finite() {
                return Err(A::Error::custom(format!("{number} is not a finite number")));
            }
        }
        let [x, y] = numbers;
        Ok(Input::Vector(x, y))
    }
}
