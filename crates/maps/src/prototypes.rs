//! The scene file that a map names: its sections, which go into the map's own scene, and its entities, which are the
//! prototypes of the map's objects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ron::value::RawValue;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use tombolo::entity::COMPONENTS_MAX;
use tombolo::scene::{INSTANCES_MAX, SIDE_MAX};

use crate::error::{MapError, Origin};
use crate::limits::PROTOTYPE_COMPONENTS_MAX;

/// The name of the component of a prototype that gets the shape drawn in the map.
pub(crate) const DRAWN: &str = "drawn";

/// A component: its kind, and the contents of its parentheses, piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) fields: Vec<(String, String)>,
}

/// A text of the scene file, and its first line.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) line: usize,
}

/// The parts of a scene file that a map needs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prototypes {
    pub(crate) origin: Option<Origin>,
    pub(crate) settings: Vec<(String, String)>,
    /// The sections before the entities: materials, scripts, graphs.
    pub(crate) before: Vec<(String, Piece)>,
    pub(crate) entities: Vec<(String, Piece)>,
    pub(crate) place: Vec<Piece>,
    pub(crate) strokes: Option<Piece>,
    /// The components of each entity; inherited ones are shared until they are changed.
    components: BTreeMap<String, Vec<Arc<Component>>>,
}

/// Names with the values after them, in their order.
struct Entries<'a>(Vec<(String, &'a RawValue)>);

/// The form of the names in the text.
#[derive(Clone, Copy)]
enum Form {
    /// `{"name": value}`
    Map,
    /// `(name: value)`
    Struct,
}

impl<'de> DeserializeSeed<'de> for Form {
    type Value = Entries<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Entries<'de>, D::Error> {
        match self {
            Self::Map => deserializer.deserialize_map(self),
            Self::Struct => deserializer.deserialize_struct("", &[], self),
        }
    }
}

impl<'de> Visitor<'de> for Form {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("names with values")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<'de>, A::Error> {
        let mut entries = Vec::new();
        while let Some(name) = match self {
            Self::Map => map.next_key::<String>()?,
            Self::Struct => map.next_key_seed(Identifier)?,
        } {
            entries.push((name, map.next_value::<&'de RawValue>()?));
        }
        Ok(Entries(entries))
    }
}

/// A name without quotes.
struct Identifier;

impl<'de> DeserializeSeed<'de> for Identifier {
    type Value = String;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        deserializer.deserialize_identifier(self)
    }
}

impl Visitor<'_> for Identifier {
    type Value = String;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<String, E> {
        Ok(name.to_string())
    }
}

fn entries(text: &str, form: Form) -> Result<Entries<'_>, ron::de::SpannedError> {
    let mut deserializer = ron::Deserializer::from_str(text)?;
    let entries = form.deserialize(&mut deserializer);
    entries
        .and_then(|entries| deserializer.end().map(|()| entries))
        .map_err(|error| deserializer.span_error(error))
}

/// Finds the lines of slices of a text.
struct LineIndex<'a> {
    text: &'a str,
    first_line: usize,
    ends: Vec<usize>,
}

impl<'a> LineIndex<'a> {
    /// The index of a text that begins in a line.
    fn new(text: &'a str, first_line: usize) -> Self {
        Self {
            text,
            first_line,
            ends: text.match_indices('\n').map(|(offset, _)| offset).collect(),
        }
    }

    fn line_of(&self, slice: &str) -> usize {
        let offset = (slice.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.first_line + self.ends.partition_point(|&end| end < offset)
    }
}

impl Prototypes {
    /// Reads a scene file. Its contents are checked later, as part of the map's own scene.
    ///
    /// # Errors
    /// It is no RON, or does not have the form of a scene.
    pub(crate) fn read(text: &str, origin: &Origin) -> Result<Self, MapError> {
        let mut prototypes = Self {
            origin: Some(origin.clone()),
            ..Self::default()
        };
        let lines = LineIndex::new(text, 1);
        for (name, raw) in entries(text, Form::Struct)
            .map_err(|error| refuse(origin, 1, &error))?
            .0
        {
            let section = raw.trim().get_ron();
            let line = lines.line_of(section);
            prototypes
                .read_section(&name, section, line)
                .map_err(|error| refuse(origin, line, &error))?;
        }
        let mut count = 0;
        for index in 0..prototypes.entities.len() {
            let (name, piece) = prototypes.entities[index].clone();
            let components = prototypes
                .components_of(&piece.text)
                .map_err(|error| refuse(origin, piece.line, &error))?;
            count += components.len();
            if components.len() > COMPONENTS_MAX || count > PROTOTYPE_COMPONENTS_MAX {
                let message = format!(
                    "an entity has {COMPONENTS_MAX} components at most, and all together have \
                     {PROTOTYPE_COMPONENTS_MAX}, with those that they inherit"
                );
                return Err(origin.line(piece.line).refuse(message));
            }
            prototypes.components.insert(name, components);
        }
        Ok(prototypes)
    }

    fn read_section(
        &mut self,
        name: &str,
        section: &str,
        first_line: usize,
    ) -> Result<(), ron::de::SpannedError> {
        let lines = LineIndex::new(section, first_line);
        let piece = |raw: &RawValue| {
            let text = raw.trim().get_ron();
            Piece {
                text: text.to_string(),
                line: lines.line_of(text),
            }
        };
        let whole = Piece {
            text: section.to_string(),
            line: first_line,
        };
        match name {
            "settings" => {
                let Entries(list) = entries(section, Form::Struct)?;
                let text = |raw: &RawValue| raw.trim().get_ron().to_string();
                self.settings = list.into_iter().map(|(name, raw)| (name, text(raw))).collect();
            }
            "entities" => {
                let Entries(list) = entries(section, Form::Map)?;
                self.entities = list.into_iter().map(|(name, raw)| (name, piece(raw))).collect();
            }
            "place" => {
                let list: Vec<&RawValue> = ron::from_str(section)?;
                self.place = list.into_iter().map(piece).collect();
            }
            "strokes" => self.strokes = Some(whole),
            // The scene's reader accepts or refuses all other sections.
            _ => self.before.push((name.to_string(), whole)),
        }
        Ok(())
    }

    /// The components of an entity, with those that it inherits from earlier ones.
    fn components_of(&self, text: &str) -> Result<Vec<Arc<Component>>, ron::de::SpannedError> {
        let mut components: Vec<Arc<Component>> = Vec::new();
        for (name, raw) in entries(text, Form::Map)?.0 {
            let (kind, rest) = head(raw.trim().get_ron());
            match kind {
                "Inherits" => {
                    let (base,): (String,) = ron::from_str(rest)?;
                    components = self.components.get(&base).cloned().unwrap_or_default();
                }
                "Child" => {}
                _ => {
                    let Entries(given) = entries(if rest.is_empty() { "()" } else { rest }, Form::Struct)?;
                    let given: Vec<(String, String)> = given
                        .into_iter()
                        .map(|(name, raw)| (name, raw.trim().get_ron().to_string()))
                        .collect();
                    put(&mut components, name, kind, given);
                }
            }
        }
        Ok(components)
    }

    /// The names of the entities that the placements make. A placement that cannot be read has none: the scene's reader
    /// refuses it.
    pub(crate) fn placed_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for piece in &self.place {
            let (kind, rest) = head(&piece.text);
            let Ok(Entries(fields)) = entries(rest, Form::Struct) else {
                continue;
            };
            let text = |wanted: &str| {
                let field = fields.iter().find(|(name, _)| name == wanted);
                field.map(|(_, raw)| raw.trim().get_ron())
            };
            let Some(name) = text("name").and_then(|name| ron::from_str::<String>(name).ok()) else {
                continue;
            };
            let count = |wanted: &str| {
                let count = text(wanted).and_then(|count| ron::from_str(count).ok());
                count.unwrap_or(1).min(SIDE_MAX)
            };
            match kind {
                "Row" => names.extend((0..count("count")).map(|index| format!("{name}[{index}]"))),
                "Grid" => {
                    let rows = 0..count("rows");
                    let cells = rows.flat_map(|row| (0..count("columns")).map(move |column| (column, row)));
                    let cells = cells.take(INSTANCES_MAX);
                    names.extend(cells.map(|(column, row)| format!("{name}[{column},{row}]")));
                }
                _ => {
                    names.insert(name);
                }
            }
        }
        names
    }

    /// Whether there is a scene file at all.
    pub(crate) fn is_given(&self) -> bool {
        self.origin.is_some()
    }

    /// The components of a prototype.
    pub(crate) fn get(&self, name: &str) -> Option<&[Arc<Component>]> {
        self.components.get(name).map(Vec::as_slice)
    }

    /// The names of the prototypes, in alphabetic order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.components.keys().map(String::as_str)
    }
}

/// An error of form in a text that begins in a line.
fn refuse(origin: &Origin, first_line: usize, error: &ron::de::SpannedError) -> MapError {
    let line = first_line + error.span.start.line.saturating_sub(1);
    origin
        .line(line)
        .refuse(format!("is no scene file: {}", error.code))
}

/// Sets a component's fields, over those of an inherited one with its name.
fn put(components: &mut Vec<Arc<Component>>, name: String, kind: &str, given: Vec<(String, String)>) {
    match components.iter_mut().find(|component| component.name == name) {
        Some(component) => {
            let component = Arc::make_mut(component);
            for (field, text) in given {
                match component.fields.iter_mut().find(|(known, _)| *known == field) {
                    Some((_, old)) => *old = text,
                    None => component.fields.push((field, text)),
                }
            }
        }
        None => components.push(Arc::new(Component {
            name,
            kind: kind.to_string(),
            fields: given,
        })),
    }
}

/// The word in front of a value, and the rest.
fn head(text: &str) -> (&str, &str) {
    let end = text
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}
