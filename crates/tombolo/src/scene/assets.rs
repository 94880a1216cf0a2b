//! The named assets of a scene: materials, outlines, scripts. This file reads the sections that define them, and
//! single materials and outlines from texts of their own, which replace those of the file when a scene is read again.

use alloc::format;
use alloc::string::String;

use serde::de::{DeserializeSeed, MapAccess};

use super::component_reader::FormOver;
use super::components::Component;
use super::geometry::{self, GeometryEntry};
use super::kinds::Kinds;
use super::library::Library;
use super::reader::{EachEntry, Name, Reader};
use super::values::ChoiceSeed;
use crate::component::{COLLIDER, NAMES, SceneForm, ShapeGeometry};
use crate::error::{SceneError, Subject};

/// Reads a material from a text: `(density: 0.7, friction: 0.6)`.
pub(crate) fn read_material(name: &str, text: &str, kinds: &Kinds) -> Result<Component, SceneError> {
    let reader = Reader::new(name, text);
    reader.begin(Subject::Material(name.into()), 1);
    let mut material = blank_material(kinds);
    read_text(&reader, text, material_over(&reader, &mut material))?;
    Ok(material)
}

/// Reads an outline from a text: `Box(width: 1, height: 2)`.
pub(crate) fn read_outline(name: &str, text: &str) -> Result<ShapeGeometry, SceneError> {
    let reader = Reader::new(name, text);
    reader.begin(Subject::Outline(name.into()), 1);
    let entry = read_text(&reader, text, ChoiceSeed::<GeometryEntry>::new(&reader))?;
    checked_outline(&entry).map_err(|message| reader.error(message))
}

/// Reads a text to its end.
fn read_text<'s, S: DeserializeSeed<'s>>(
    reader: &Reader<'_>,
    text: &'s str,
    seed: S,
) -> Result<S::Value, SceneError> {
    let mut deserializer = ron::Deserializer::from_str(text).map_err(|error| reader.explain(&error))?;
    let read = seed.deserialize(&mut deserializer);
    let read = read.and_then(|value| deserializer.end().map(|()| value));
    read.map_err(|error| reader.explain(&deserializer.span_error(error)))
}

/// A material without any given property.
fn blank_material(kinds: &Kinds) -> Component {
    let collider = kinds.get(NAMES[usize::from(COLLIDER.0)]);
    Component::blank(collider.expect("colliders are the engine's own"))
}

/// Reads the properties of a material.
fn material_over<'r, 's>(reader: &'r Reader<'s>, component: &'r mut Component) -> FormOver<'r, 's> {
    FormOver {
        reader,
        component,
        form: SceneForm::Material,
        group: "",
        joint: None,
    }
}

/// The geometry of an outline, if physics can create a shape from it.
fn checked_outline(entry: &GeometryEntry) -> Result<ShapeGeometry, String> {
    let outline = entry.component().map_err(|name| {
        format!(
            "an outline cannot be another one; give the shape of {:?} here",
            name.text
        )
    })?;
    geometry::check(&outline)?;
    Ok(outline)
}

pub(super) struct MaterialEntries<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) library: &'a mut Library,
}

impl EachEntry for MaterialEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin(Subject::Material(name.text.as_str().into()), name.line);
        let Library {
            materials,
            kinds,
            replaced,
            ..
        } = &mut *self.library;
        if materials.contains_key(&name.text) {
            return Err(reader.refuse("defined twice; keep one"));
        }
        let mut material = blank_material(kinds);
        map.next_value_seed(material_over(reader, &mut material))?;
        let other = replaced.materials.get(&name.text);
        let material = other.map_or(material, |other| other.asset.clone());
        materials.insert(name.text, material);
        Ok(())
    }
}

pub(super) struct OutlineEntries<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) library: &'a mut Library,
}

impl EachEntry for OutlineEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin(Subject::Outline(name.text.as_str().into()), name.line);
        let Library {
            outlines, replaced, ..
        } = &mut *self.library;
        if outlines.contains_key(&name.text) {
            return Err(reader.refuse("defined twice; keep one"));
        }
        let entry = map.next_value_seed(ChoiceSeed::<GeometryEntry>::new(reader))?;
        let outline = checked_outline(&entry).map_err(|message| reader.refuse(message))?;
        let other = replaced.outlines.get(&name.text);
        let outline = other.map_or(outline, |other| other.asset.clone());
        outlines.insert(name.text, outline);
        Ok(())
    }
}

pub(super) struct ScriptEntries<'a> {
    pub(super) reader: &'a Reader<'a>,
    pub(super) library: &'a mut Library,
}

impl EachEntry for ScriptEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin(Subject::Script(name.text.as_str().into()), name.line);
        let text: String = map.next_value()?;
        self.library
            .add_script(name.text, text)
            .map_err(|message| reader.refuse(message))
    }
}
