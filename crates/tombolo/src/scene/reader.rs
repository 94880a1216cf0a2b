//! Reads structs from a scene's text: one mechanism for every section, component and placement.
//!
//! A struct of a scene implements [`Properties`]: its property names, and the reading of one of them into an existing
//! value. So a default, an entity resource and an override are read by the same code, each into the result of the one
//! before. While serde walks the text, [`Reader`] tracks the position; a failed read leaves it unchanged, and the
//! error at the top names file, line, entity, component and property.
//!
//! Lines come from the text itself: RON passes names and strings as slices borrowed from the source, so the slice's
//! offset in the source is its position in the file.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cell::RefCell;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};

use super::nearest::advice;
use crate::error::{SceneError, Subject};

/// A name or string of the file, with its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Name {
    /// The text between the quotes.
    pub(crate) text: String,
    /// The line, from 1.
    pub(crate) line: usize,
}

/// The position of the reading in the file. A failed read does not reset it: it is the position of the error.
#[derive(Debug)]
struct ReaderPosition {
    line: usize,
    subject: Subject,
    component: Option<Box<str>>,
    /// The names of the property and of those around it, the outermost first.
    properties: Vec<Box<str>>,
}

/// The text that is being read, and the position in it.
#[derive(Debug)]
pub(crate) struct Reader<'s> {
    file: &'s str,
    source: &'s str,
    /// The offset of the first byte of each line.
    line_starts: Vec<usize>,
    place: RefCell<ReaderPosition>,
    /// The error of one of our own checks; RON's own errors come back from RON.
    refusal: RefCell<Option<SceneError>>,
}

impl<'s> Reader<'s> {
    pub(crate) fn new(file: &'s str, source: &'s str) -> Self {
        let ends = source.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        Self {
            file,
            source,
            line_starts: core::iter::once(0)
                .chain(ends.map(|(offset, _)| offset + 1))
                .collect(),
            place: RefCell::new(ReaderPosition {
                line: 1,
                subject: Subject::Scene,
                component: None,
                properties: Vec::new(),
            }),
            refusal: RefCell::new(None),
        }
    }

    /// The line of a slice of the source. A string with escapes is a copy, not a slice; its line is that of the
    /// reader.
    fn line_of(&self, text: &str) -> usize {
        let offset = (text.as_ptr() as usize).wrapping_sub(self.source.as_ptr() as usize);
        if offset <= self.source.len() {
            self.line_starts.partition_point(|&start| start <= offset)
        } else {
            self.place.borrow().line
        }
    }

    /// The present line.
    pub(crate) fn line(&self) -> usize {
        self.place.borrow().line
    }

    /// Begins a subject: errors from here on are about it.
    pub(crate) fn begin(&self, subject: Subject, line: usize) {
        let mut place = self.place.borrow_mut();
        place.subject = subject;
        place.line = line;
        place.component = None;
        place.properties.clear();
    }

    /// Begins a component of the subject: errors from here on are about it; `None` ends it.
    pub(crate) fn begin_component(&self, component: Option<&Name>) {
        let mut place = self.place.borrow_mut();
        if let Some(name) = component {
            place.line = name.line;
        }
        place.component = component.map(|name| name.text.as_str().into());
        place.properties.clear();
    }

    /// Replaces the subject when its name is read among its properties.
    pub(crate) fn rename(&self, subject: Subject) {
        self.place.borrow_mut().subject = subject;
    }

    /// An error at the present position.
    pub(crate) fn error(&self, message: impl Into<Box<str>>) -> SceneError {
        let place = self.place.borrow();
        SceneError {
            file: self.file.into(),
            line: Some(place.line),
            subject: place.subject.clone(),
            component: place.component.clone(),
            property: (!place.properties.is_empty()).then(|| place.properties.join(".").into()),
            message: message.into(),
        }
    }

    /// Stores an error at the present position, and returns serde's error that ends the reading.
    pub(crate) fn refuse<E: serde::de::Error>(&self, message: impl Into<Box<str>>) -> E {
        let error = self.error(message);
        let text = error.message.clone();
        self.refusal.borrow_mut().get_or_insert(error);
        E::custom(text)
    }

    /// Likewise, at a property of the component just read.
    pub(crate) fn refuse_property<E: serde::de::Error>(
        &self,
        property: &str,
        line: usize,
        message: impl Into<Box<str>>,
    ) -> E {
        self.enter(property, line);
        self.refuse(message)
    }

    /// Likewise, at a property that is not among the known ones.
    pub(super) fn refuse_unknown<E: serde::de::Error>(&self, property: &Name, known: &[&str]) -> E {
        let advice = advice(&property.text, known.iter().copied());
        let mut error = self.error(format!("unknown; {advice}"));
        let path = error
            .property
            .map(|outer| format!("{outer}.{}", property.text).into());
        error.property = path.or_else(|| Some(property.text.as_str().into()));
        error.line = Some(property.line);
        let text = error.message.clone();
        self.refusal.borrow_mut().get_or_insert(error);
        E::custom(text)
    }

    /// The error of a failed reading: the stored refusal if there is one, else RON's error with its position.
    pub(crate) fn explain(&self, error: &ron::de::SpannedError) -> SceneError {
        if let Some(refusal) = self.refusal.take() {
            return refusal;
        }
        let line = Some(error.span.start.line);
        SceneError {
            line,
            ..self.error(plain_words(&error.code))
        }
    }

    pub(super) fn enter(&self, property: &str, line: usize) {
        let mut place = self.place.borrow_mut();
        place.line = line;
        place.properties.push(property.into());
    }

    pub(super) fn leave(&self) {
        self.place.borrow_mut().properties.pop();
    }

    /// Moves the position to a property that was read before, or to the struct's own line if it was not given.
    pub(super) fn go_back_to(&self, property: Option<&str>, line: usize) {
        let mut place = self.place.borrow_mut();
        place.line = line;
        place.properties.extend(property.map(Box::from));
    }
}

/// RON's error in words for authors of scenes; rare ones are RON's own, in lower case.
fn plain_words(code: &ron::Error) -> String {
    let words = match code {
        ron::Error::ExpectedFloat => "expected a number",
        ron::Error::ExpectedBoolean => "expected true or false",
        ron::Error::ExpectedString => "expected a text in quotes",
        ron::Error::ExpectedIdentifier => "expected a word without quotes",
        ron::Error::ExpectedComma => "expected a comma",
        ron::Error::Eof => "the text ends too early; a bracket is not closed",
        ron::Error::TrailingCharacters => "something follows the closing bracket; remove it",
        _ => {
            let message = code.to_string();
            let mut letters = message.chars();
            return letters
                .next()
                .into_iter()
                .flat_map(char::to_lowercase)
                .chain(letters)
                .collect();
        }
    };
    words.to_string()
}

/// The result of a failed check of a whole struct: the property at fault, if it is one, and the message.
pub(crate) type CheckFailure = (Option<&'static str>, String);

/// A struct whose properties can be set by name from a scene's text.
pub(crate) trait Properties {
    /// The names, in the order in which messages list them.
    fn names(&self) -> &'static [&'static str];

    /// Reads one property, whose name is one of [`Self::names`], into the present value.
    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error>;

    /// Checks that involve several properties, after the last property is read.
    fn check(&self) -> Result<(), CheckFailure> {
        Ok(())
    }
}

/// Implements [`Properties`] by a table: the name in the text, the field that it sets, and the method of
/// [`FieldReader`] that reads it; at the end, if there is one, the check of the whole.
macro_rules! properties {
    ($type:ty {
        $($name:literal => $($place:ident).+ = $method:ident $arguments:tt),+ $(,)?
    } $(check $check:path)?) => {
        impl $crate::scene::reader::Properties for $type {
            fn names(&self) -> &'static [&'static str] {
                &[$($name),+]
            }

            fn read<'de, A: serde::de::MapAccess<'de>>(
                &mut self,
                name: &str,
                field: &mut $crate::scene::reader::FieldReader<'_, '_, A>,
            ) -> Result<(), A::Error> {
                match name {
                    $($name => self.$($place).+ = properties!(@value field, $method $arguments),)+
                    _ => return Err(field.refuse("no such property")),
                }
                Ok(())
            }

            $(fn check(&self) -> Result<(), $crate::scene::reader::CheckFailure> {
                $check(self)
            })?
        }
    };
    (@value $field:ident, Some($method:ident $arguments:tt)) => {
        Some(properties!(@value $field, $method $arguments))
    };
    (@value $field:ident, $method:ident($($argument:expr),*)) => {
        $field.$method($($argument),*)?
    };
}
pub(crate) use properties;

/// Reads a struct's properties into the value `into`. Serves as seed for a struct and as visitor for an enum's
/// variant.
pub(crate) struct Over<'r, 's, T> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) into: &'r mut T,
}

impl<'de, T: Properties> DeserializeSeed<'de> for Over<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("", self.into.names(), self)
    }
}

impl<'de, T: Properties> Visitor<'de> for Over<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "properties in parentheses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { reader, into } = self;
        let own_line = reader.line();
        let names = into.names();
        let mut given: Vec<(&'static str, usize)> = Vec::new();
        while let Some(key) = map.next_key_seed(NameSeed { reader, word: true })? {
            let Some(&name) = names.iter().find(|&&name| name == key.text) else {
                return Err(reader.refuse_unknown(&key, names));
            };
            reader.enter(name, key.line);
            if given.iter().any(|&(earlier, _)| earlier == name) {
                return Err(reader.refuse("given twice; keep one"));
            }
            given.push((name, key.line));
            let map = &mut map;
            into.read(name, &mut FieldReader { map, reader })?;
            reader.leave();
        }
        into.check().map_err(|(property, message)| {
            let line = given.iter().find(|&&(name, _)| Some(name) == property);
            reader.go_back_to(property, line.map_or(own_line, |&(_, line)| line));
            reader.refuse(message)
        })
    }
}

/// Reads a name with its line: an identifier (`word`) or a string.
pub(crate) struct NameSeed<'r, 's> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) word: bool,
}

impl<'de> DeserializeSeed<'de> for NameSeed<'_, '_> {
    type Value = Name;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Name, D::Error> {
        if self.word {
            deserializer.deserialize_identifier(self)
        } else {
            deserializer.deserialize_str(self)
        }
    }
}

impl<'de> Visitor<'de> for NameSeed<'_, '_> {
    type Value = Name;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Name, E> {
        Ok(Name {
            text: text.to_string(),
            line: self.reader.line_of(text),
        })
    }
}

/// The value of one property, not read yet. `values.rs` has the methods that read it.
pub(crate) struct FieldReader<'f, 's, A> {
    pub(crate) map: &'f mut A,
    pub(crate) reader: &'f Reader<'s>,
}

/// Reads a map from names to values, calling `each` with every name.
pub(crate) struct NamedEntries<'r, 's, F> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) each: F,
}

/// The reading of a map's entries.
pub(crate) trait EachEntry {
    /// Reads the value that follows `name` from the map.
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error>;
}

impl<'de, F: EachEntry> DeserializeSeed<'de> for NamedEntries<'_, '_, F> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F: EachEntry> Visitor<'de> for NamedEntries<'_, '_, F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("named entries in braces")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        let reader = self.reader;
        while let Some(name) = map.next_key_seed(NameSeed { reader, word: false })? {
            if name.text.is_empty() {
                return Err(reader.refuse("a name cannot be empty"));
            }
            self.each.entry(name, &mut map)?;
        }
        Ok(())
    }
}
