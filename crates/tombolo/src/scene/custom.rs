//! Components of the game's own kinds: read by the properties that their managers declare.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, Visitor};
use tombolo_entity::{Kind, Property, Value};

use super::reader::{NameSeed, Reader};

/// The kinds of components that a game adds to the engine's own: what [`Scene::parse_with`](super::Scene::parse_with)
/// has to know of a world's managers. From [`World::kinds`](crate::World::kinds).
#[derive(Clone, Debug, Default)]
pub struct Kinds {
    pub(crate) list: Vec<Arc<CustomKind>>,
}

/// One kind of the game's own.
#[derive(Debug)]
pub(crate) struct CustomKind {
    pub(crate) name: Box<str>,
    pub(crate) properties: Vec<Property>,
}

impl Kinds {
    /// Adds a kind.
    pub(crate) fn add(&mut self, name: &str, properties: &[Property]) {
        self.list.push(Arc::new(CustomKind {
            name: name.into(),
            properties: Vec::from(properties),
        }));
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<CustomKind>> {
        self.list.iter().find(|kind| *kind.name == *name)
    }
}

/// A component of such a kind: the properties that were given.
#[derive(Clone, Debug)]
pub(crate) struct Custom {
    pub(crate) kind: Arc<CustomKind>,
    pub(crate) values: Vec<(Box<str>, Value)>,
}

impl Custom {
    pub(crate) fn new(kind: &Arc<CustomKind>) -> Self {
        Self {
            kind: kind.clone(),
            values: Vec::new(),
        }
    }

    fn set(&mut self, name: &str, value: Value) {
        match self.values.iter_mut().find(|(known, _)| **known == *name) {
            Some((_, old)) => *old = value,
            None => self.values.push((name.into(), value)),
        }
    }
}

/// Reads properties over those of a custom component. Serves as seed and as visitor of a variant.
pub(crate) struct CustomOver<'r, 's> {
    pub(crate) reader: &'r Reader<'s>,
    pub(crate) custom: &'r mut Custom,
}

impl<'de> DeserializeSeed<'de> for CustomOver<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_struct("", &[], self)
    }
}

impl<'de> Visitor<'de> for CustomOver<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("properties in parentheses")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let Self { reader, custom } = self;
        let kind = custom.kind.clone();
        let mut given: Vec<Box<str>> = Vec::new();
        while let Some(key) = map.next_key_seed(NameSeed { reader, word: true })? {
            let property = kind
                .properties
                .iter()
                .find(|property| *property.name == *key.text);
            let Some(property) = property.filter(|property| !property.read_only) else {
                let known: Vec<&str> = kind
                    .properties
                    .iter()
                    .filter(|property| !property.read_only)
                    .map(|property| &*property.name)
                    .collect();
                return Err(reader.refuse_unknown(&key, &known));
            };
            reader.enter(&property.name, key.line);
            if given.contains(&property.name) {
                return Err(reader.refuse("given twice; keep one"));
            }
            if property.kind == Kind::Entity {
                return Err(reader.refuse("an entity cannot be named here; set it when the world runs"));
            }
            given.push(property.name.clone());
            let value = map.next_value_seed(property.kind)?;
            let checked = property.check(&format!("{}.{}", kind.name, property.name), value);
            let value = checked.map_err(|error| reader.refuse(error.to_string()))?;
            custom.set(&property.name, value);
            reader.leave();
        }
        Ok(())
    }
}
