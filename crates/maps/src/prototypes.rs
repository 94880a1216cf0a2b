//! The scene file that a map names: its sections, which go into the map's own scene, and its entities, which are the
//! prototypes of the map's objects.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use ron::value::RawValue;
use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use tombolo::entity::{COMPONENTS_MAX, NAME_BYTES_MAX};
use tombolo::scene::{INSTANCES_MAX, SIDE_MAX};

use crate::error::{MapError, Origin};
use crate::limits::{FIELDS_MAX, PROTOTYPE_BYTES_MAX, PROTOTYPE_COMPONENTS_MAX};

/// The name of the component of a prototype that gets the shape drawn in the map.
pub(crate) const DRAWN: &str = "drawn";

/// A component: its kind, and the contents of its parentheses, piece by piece.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Component {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) fields: Vec<(String, String)>,
}

impl Component {
    /// The approximate size in memory, in bytes.
    fn bytes(&self) -> usize {
        let fields = self.fields.iter();
        let fields = fields.map(|(name, value)| 64 + name.len() + value.len());
        64 + self.name.len() + self.kind.len() + fields.sum::<usize>()
    }
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

impl Form {
    /// The greatest number of names.
    fn names_max(self) -> usize {
        match self {
            Self::Map => PROTOTYPE_COMPONENTS_MAX,
            Self::Struct => FIELDS_MAX,
        }
    }
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
            if entries.len() > self.names_max() {
                let message = format!("more than {} names with values in one place", self.names_max());
                return Err(serde::de::Error::custom(message));
            }
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
        let (mut count, mut bytes) = (0, 0);
        for index in 0..prototypes.entities.len() {
            let (name, piece) = prototypes.entities[index].clone();
            let components = prototypes.components_of(&piece, origin, &mut bytes)?;
            count += components.len();
            if count > PROTOTYPE_COMPONENTS_MAX {
                return Err(too_many_components(&origin.line(piece.line)));
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
                // One more than there may be is enough to be refused.
                self.place = list.into_iter().take(INSTANCES_MAX + 1).map(piece).collect();
            }
            "strokes" => self.strokes = Some(whole),
            // The scene's reader accepts or refuses all other sections.
            _ => self.before.push((name.to_string(), whole)),
        }
        Ok(())
    }

    /// The components of an entity, with those that it inherits from earlier ones. Adds the sizes of those that are its own
    /// to `bytes`.
    ///
    /// # Errors
    /// It is no entity, or has too many components or fields.
    fn components_of(
        &self,
        piece: &Piece,
        origin: &Origin,
        bytes: &mut usize,
    ) -> Result<Vec<Arc<Component>>, MapError> {
        let wrong = |error| refuse(origin, piece.line, &error);
        let mut components: Vec<Arc<Component>> = Vec::new();
        for (name, raw) in entries(&piece.text, Form::Map).map_err(wrong)?.0 {
            let (kind, rest) = head(raw.trim().get_ron());
            match kind {
                "Inherits" => {
                    let (base,): (String,) = ron::from_str(rest).map_err(wrong)?;
                    components = self.components.get(&base).cloned().unwrap_or_default();
                }
                "Child" => {}
                _ => {
                    let rest = if rest.is_empty() { "()" } else { rest };
                    let Entries(given) = entries(rest, Form::Struct).map_err(wrong)?;
                    let given: Vec<(String, String)> = given
                        .into_iter()
                        .map(|(name, raw)| (name, raw.trim().get_ron().to_string()))
                        .collect();
                    let component = put(&mut components, name, kind, given);
                    *bytes += component.bytes();
                    if component.fields.len() > FIELDS_MAX || *bytes > PROTOTYPE_BYTES_MAX {
                        let message = format!(
                            "a component has {FIELDS_MAX} properties at most, and all together have \
                             {PROTOTYPE_BYTES_MAX} bytes, with those that they inherit"
                        );
                        return Err(origin.line(piece.line).refuse(message));
                    }
                    if components.len() > COMPONENTS_MAX {
                        return Err(too_many_components(&origin.line(piece.line)));
                    }
                }
            }
        }
        Ok(components)
    }

    /// The names of the entities that the placements make. A placement that cannot be read has none, nor has one whose name
    /// is too long: the scene's reader refuses it.
    ///
    /// # Errors
    /// There are more than a scene may have.
    pub(crate) fn placed_names(&self) -> Result<BTreeSet<String>, MapError> {
        let mut names = BTreeSet::new();
        let mut total = 0;
        for piece in &self.place {
            let (kind, rest) = head(&piece.text);
            let Ok(Entries(fields)) = entries(rest, Form::Struct) else {
                continue;
            };
            let text = |wanted: &str| {
                let field = fields.iter().find(|(name, _)| name == wanted);
                field.map(|(_, raw)| raw.trim().get_ron())
            };
            let name = text("name").and_then(|name| ron::from_str::<String>(name).ok());
            let Some(name) = name.filter(|name| name.len() <= NAME_BYTES_MAX) else {
                continue;
            };
            let count = |wanted: &str| {
                let count = text(wanted).and_then(|count| ron::from_str(count).ok());
                count.unwrap_or(1).min(SIDE_MAX)
            };
            let [columns, rows] = match kind {
                "Row" => [count("count"), 1],
                "Grid" => [count("columns"), count("rows")],
                _ => [1, 1],
            };
            total += u64::from(columns) * u64::from(rows);
            if let (Some(origin), true) = (&self.origin, total > INSTANCES_MAX as u64) {
                let message =
                    format!("the scene places {total} instances up to here; the limit is {INSTANCES_MAX}");
                return Err(origin.line(piece.line).refuse(message));
            }
            match kind {
                "Row" => names.extend((0..columns).map(|index| format!("{name}[{index}]"))),
                "Grid" => {
                    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (column, row)));
                    names.extend(cells.map(|(column, row)| format!("{name}[{column},{row}]")));
                }
                _ => {
                    names.insert(name);
                }
            }
        }
        Ok(names)
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

fn too_many_components(place: &Origin) -> MapError {
    place.refuse(format!(
        "an entity has {COMPONENTS_MAX} components at most, and all together have {PROTOTYPE_COMPONENTS_MAX}, with those \
         that they inherit"
    ))
}

/// Sets a component's fields, over those of an inherited one with its name. Returns the component.
fn put<'a>(
    components: &'a mut Vec<Arc<Component>>,
    name: String,
    kind: &str,
    given: Vec<(String, String)>,
) -> &'a Component {
    let known = components.iter().position(|component| component.name == name);
    let place = known.unwrap_or_else(|| {
        components.push(Arc::new(Component {
            name,
            kind: kind.to_string(),
            fields: Vec::new(),
        }));
        components.len() - 1
    });
    let component = Arc::make_mut(&mut components[place]);
    for (field, text) in given {
        match component.fields.iter_mut().find(|(known, _)| *known == field) {
            Some((_, old)) => *old = text,
            None => component.fields.push((field, text)),
        }
    }
    component
}

/// The word in front of a value, and the rest.
fn head(text: &str) -> (&str, &str) {
    let end = text
        .find(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}
