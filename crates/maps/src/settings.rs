//! Converts properties of a map to properties of components: each value is written in the form of its property's
//! kind.

use std::sync::Arc;

use serde_json::Value;
use tombolo::Kinds;
use tombolo::component::{InScene, KindEntry, SceneForm};
use tombolo::entity::Kind;
use tombolo::scene::quoted;

use crate::figure::number;

/// The separator of a component and its property where the editor allows no periods in names.
const LONG_DOT: &str = "__";

/// Whether a text is a word in the sense of scene files.
pub(crate) fn is_word(text: &str) -> bool {
    let mut letters = text.chars();
    letters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// What a map says of the component of a setting.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    /// Its name, with the property behind it: the entity has such a component.
    Name,
    /// Its name and its kind: the property's class is one.
    Kind(Arc<str>),
    /// A name with a class that is no kind: the property may be for another program.
    Class(Arc<str>),
}

/// A property of a component, in a map.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Setting {
    /// Shared by the properties of a class, as what is said of it.
    pub(crate) component: Arc<str>,
    pub(crate) said: Said,
    /// The property; empty if only the component itself is given.
    pub(crate) property: String,
    pub(crate) value: Value,
}

impl Setting {
    /// The approximate size in memory, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        64 + self.component.len() + self.property.len() + bytes_of(&self.value)
    }

    /// The settings in a property of a map: none if it is not about a component.
    ///
    /// `hull.sensor` is a property of the component `hull`. A property of a class, whose members are the component's
    /// properties, is a component under the property's name, of the class's kind if there is such a kind; the settings
    /// of any other class count only for an entity that has such a component.
    pub(crate) fn of(kinds: &Kinds, name: &str, class: &str, value: &Value, into: &mut Vec<Self>) {
        let parts = name.split_once('.').or_else(|| name.split_once(LONG_DOT));
        if let Some((component, property)) = parts.filter(|(component, _)| !component.is_empty()) {
            into.push(Self {
                component: component.into(),
                said: Said::Name,
                property: property.to_string(),
                value: value.clone(),
            });
            return;
        }
        let Value::Object(members) = value else {
            return;
        };
        let is_kind = kinds.iter().any(|kind| kind.name() == class);
        let component: Arc<str> = name.into();
        let said = if is_kind {
            Said::Kind(class.into())
        } else {
            Said::Class(class.into())
        };
        let setting = |property: &str, value: &Value| Self {
            component: component.clone(),
            said: said.clone(),
            property: property.to_string(),
            value: value.clone(),
        };
        if is_kind {
            into.push(setting("", &Value::Null));
        }
        into.extend(members.iter().map(|(property, value)| setting(property, value)));
    }
}

/// The approximate size of a value in memory, in bytes.
pub(crate) fn bytes_of(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => 16 + values.iter().map(bytes_of).sum::<usize>(),
        Value::Object(members) => members
            .iter()
            .map(|(name, value)| 64 + name.len() + bytes_of(value))
            .sum(),
        _ => 16,
    }
}

/// Writes values, with the names of the objects that they refer to.
pub(crate) struct ValueWriter<'a> {
    pub(crate) kinds: &'a Kinds,
    /// The name of the entity of an object, by the object's number or key.
    pub(crate) entity_name: &'a dyn Fn(&str) -> Option<&'a str>,
}

impl ValueWriter<'_> {
    /// Whether a value is what Tiled writes for a color or a reference to an object that is not set.
    pub(crate) fn is_unset(&self, kind: &str, property: &str, value: &Value) -> bool {
        let kind = self.kinds.iter().find(|entry| entry.name() == kind);
        match kind.and_then(|kind| form_of(kind, property)) {
            Some(Word::Property(Kind::Color, _)) => value.as_str() == Some(""),
            Some(Word::Form(SceneForm::From | SceneForm::To)) => value.as_i64() == Some(0),
            _ => false,
        }
    }

    /// The text of a value of a component's property.
    ///
    /// # Errors
    /// The reason, in words.
    pub(crate) fn write(&self, kind: &str, property: &str, value: &Value) -> Result<String, String> {
        let kind = self.kinds.iter().find(|entry| entry.name() == kind);
        let Some(form) = kind.and_then(|kind| form_of(kind, property)) else {
            return plain(value);
        };
        match form {
            Word::Property(Kind::Choice(_), InScene::Plain) => word(value),
            Word::Property(kind, _) => of_kind(kind, value),
            Word::Form(SceneForm::Material) => text(value).map(|name| quoted(&name)),
            Word::Form(SceneForm::From | SceneForm::To) => self.target(value),
            Word::Form(SceneForm::ToPivot) => of_kind(&Kind::Vec2, value),
            Word::Form(_) => ron(value),
        }
    }

    /// The end of a joint: an object of the map, `Previous`, `Parent`, or the name of an entity.
    fn target(&self, value: &Value) -> Result<String, String> {
        let key = text(value)?;
        if let Some(name) = (self.entity_name)(&key) {
            return Ok(format!("Entity({})", quoted(name)));
        }
        if value.is_number() {
            return Err(format!(
                "the map has no object {key}; choose one that becomes an entity"
            ));
        }
        if key == "Previous" || key == "Parent" || key.starts_with("Entity(") {
            return ron(value);
        }
        Ok(format!("Entity({})", quoted(&key)))
    }
}

/// The meaning of a word in a component's parentheses.
enum Word<'a> {
    Property(&'a Kind, InScene),
    Form(SceneForm),
}

fn form_of<'a>(kind: &'a KindEntry, property: &str) -> Option<Word<'a>> {
    kind.entries().iter().find_map(|entry| match entry.in_scene() {
        InScene::Plain | InScene::Bits | InScene::Quoted if *entry.property().name == *property => {
            Some(Word::Property(&entry.property().kind, entry.in_scene()))
        }
        InScene::Within(form, _) | InScene::WordOf(form) if form.word() == property => Some(Word::Form(form)),
        _ => None,
    })
}

fn of_kind(kind: &Kind, value: &Value) -> Result<String, String> {
    match (kind, value) {
        (Kind::String | Kind::Choice(_), value) => text(value).map(|text| quoted(&text)),
        (Kind::Vec2, Value::Object(members)) => {
            let part = |name: &str| plain(members.get(name).unwrap_or(&Value::from(0)));
            Ok(format!("({}, {})", part("x")?, part("y")?))
        }
        (Kind::Color, Value::String(color)) if color.starts_with('#') => {
            let parts = color_of(color).ok_or_else(|| format!("{color:?} is no color; give #rrggbb"))?;
            Ok(format!(
                "({})",
                parts.map(|part| number(f64::from(part) / 255.0)).join(", ")
            ))
        }
        (Kind::List(kind), Value::Array(values)) => {
            let values: Result<Vec<String>, String> =
                values.iter().map(|value| of_kind(kind, value)).collect();
            Ok(format!("[{}]", values?.join(", ")))
        }
        (_, Value::Array(values)) => {
            let values: Result<Vec<String>, String> = values.iter().map(plain).collect();
            Ok(format!("({})", values?.join(", ")))
        }
        (_, Value::String(_)) => ron(value),
        (_, value) => plain(value),
    }
}

/// A number or Boolean is written as it is; a text is a piece of a scene file.
fn plain(value: &Value) -> Result<String, String> {
    match value {
        Value::Bool(flag) => Ok(flag.to_string()),
        Value::Number(number) => Ok(number.to_string()),
        Value::String(_) => ron(value),
        Value::Array(values) => {
            let values: Result<Vec<String>, String> = values.iter().map(plain).collect();
            Ok(format!("({})", values?.join(", ")))
        }
        Value::Object(_) => Err("has parts; give a number, a flag or a text".to_string()),
        Value::Null => Err("has no value; give one, or take the property out".to_string()),
    }
}

/// A text that is written to the scene file as it is.
fn ron(value: &Value) -> Result<String, String> {
    let text = text(value)?;
    let text = text.trim();
    match ron::value::RawValue::from_ron(text) {
        // A comment could hide the text after it.
        Ok(_) if !text.contains("//") && !text.contains("/*") => Ok(text.to_string()),
        Ok(_) => Err(format!("{text:?} has a comment; leave it out")),
        Err(error) => Err(format!("{text:?} cannot stand in a scene file: {}", error.code)),
    }
}

fn word(value: &Value) -> Result<String, String> {
    let text = text(value)?;
    if is_word(&text) {
        Ok(text)
    } else {
        Err(format!("{text:?} is no word"))
    }
}

fn text(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err("is no text; give one".to_string()),
    }
}

/// Red, green, blue and alpha of `#rrggbb` or `#aarrggbb`.
fn color_of(text: &str) -> Option<[u8; 4]> {
    let digits = text.strip_prefix('#')?;
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let bits = u32::from_str_radix(digits, 16).ok()?;
    let [alpha, red, green, blue] = bits.to_be_bytes();
    match digits.len() {
        6 => Some([red, green, blue, 255]),
        8 => Some([red, green, blue, alpha]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn written(kind: &str, property: &str, value: &Value) -> Result<String, String> {
        let writer = ValueWriter {
            kinds: &Kinds::default(),
            entity_name: &|key| (key == "7").then_some("quay"),
        };
        writer.write(kind, property, value)
    }

    #[test]
    fn values_are_written_as_their_properties_ask() {
        for (kind, property, value, text) in [
            ("Body", "kind", json!("Dynamic"), "Dynamic"),
            ("Body", "linear_damping", json!(0.5), "0.5"),
            ("Body", "linear_velocity", json!("(3, -2)"), "(3, -2)"),
            ("Body", "linear_velocity", json!({"x": 3, "y": -2}), "(3, -2)"),
            ("Body", "linear_velocity", json!([3, -2]), "(3, -2)"),
            ("Body", "bullet", json!(true), "true"),
            ("Collider", "material", json!("ice"), r#""ice""#),
            (
                "Collider",
                "shape",
                json!("Circle(radius: 2)"),
                "Circle(radius: 2)",
            ),
            ("Script", "name", json!("a \"b\""), r#""a \"b\"""#),
            ("Sprite", "colour", json!("#ff0000"), "(1, 0, 0, 1)"),
            ("Joint", "to", json!(7), r#"Entity("quay")"#),
            ("Joint", "to", json!("crane"), r#"Entity("crane")"#),
            ("Joint", "to", json!("Previous"), "Previous"),
            ("Joint", "kind", json!("Weld()"), "Weld()"),
        ] {
            assert_eq!(
                written(kind, property, &value).as_deref(),
                Ok(text),
                "{kind} {property}"
            );
        }
    }

    #[test]
    fn values_that_would_break_out_of_their_place_are_refused() {
        for value in ["1), x: (2", "\"open", "1 // rest", "", "(1, 2"] {
            let error = written("Body", "linear_damping", &json!(value)).unwrap_err();
            assert!(!error.is_empty(), "{value}");
        }
        assert!(written("Body", "kind", &json!("Dynamic, x: 1")).is_err());
        assert!(written("Joint", "to", &json!(8)).is_err());
    }
}
