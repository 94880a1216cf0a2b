//! The settings of a map: given by the caller, else by the map itself, else the defaults.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::{MapError, Origin};
use crate::files::{Reading, beside};
use crate::prototypes::Prototypes;

/// The options of converting a map. An option that is left out has the value of the map's own property of the same
/// name, else its default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// The number of the map's pixels in a meter; the width of a tile by default, so that a tile is a meter.
    pub pixels_per_meter: Option<f64>,
    /// Whether the world's y axis points down like the map's. It points up by default, so that gravity of (0, -10)
    /// pulls toward the bottom of the drawing; if it points down, gravity is (0, 10) unless the scene file sets it.
    pub y_down: Option<bool>,
    /// The level or world of an LDtk file; all of its levels by default.
    pub level: Option<String>,
    /// The scene file with the prototypes of the map's objects.
    pub scene: Option<PathBuf>,
    /// Whether the placements and cuts of the scene file are in the scene too; true by default.
    pub scene_places: Option<bool>,
}

/// The options that a map itself sets.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Found {
    pub(crate) pixels_per_meter: Option<f64>,
    pub(crate) y_down: Option<bool>,
    pub(crate) scene: Option<PathBuf>,
    pub(crate) scene_places: Option<bool>,
}

impl Found {
    /// Takes the value of a property, if it is one of these options.
    ///
    /// # Errors
    /// It has another type.
    pub(crate) fn take(
        &mut self,
        name: &str,
        value: &Value,
        file: &Path,
        origin: &Origin,
    ) -> Result<(), MapError> {
        match name {
            "pixels_per_meter" => {
                let number = given(name, value, value.as_f64(), "a number", "float", origin)?;
                self.pixels_per_meter = number.or(self.pixels_per_meter);
            }
            "y_down" => self.y_down = flag_of(name, value, origin)?.or(self.y_down),
            "scene_places" => self.scene_places = flag_of(name, value, origin)?.or(self.scene_places),
            "scene" => {
                let named = given(name, value, value.as_str(), "a file", "file", origin)?;
                let named = named.filter(|named| !named.is_empty());
                self.scene = named.map(|named| beside(file, named)).or(self.scene.take());
            }
            _ => {}
        }
        Ok(())
    }
}

/// The value of a Boolean property.
///
/// # Errors
/// It has another type.
pub(crate) fn flag_of(name: &str, value: &Value, origin: &Origin) -> Result<Option<bool>, MapError> {
    given(name, value, value.as_bool(), "true or false", "bool", origin)
}

/// The value of a property as `read`; `None` if the editor has none for it, as for a field of LDtk that is not set.
///
/// # Errors
/// The value was not read, since it is not what it is `meant` to be; the editor has such values in properties of `kind`.
fn given<T>(
    name: &str,
    value: &Value,
    read: Option<T>,
    meant: &str,
    kind: &str,
    origin: &Origin,
) -> Result<Option<T>, MapError> {
    if read.is_none() && !value.is_null() {
        let message = format!("`{name}` is {meant}, not {value}; set the property's type to {kind}");
        return Err(origin.refuse(message));
    }
    Ok(read)
}

/// The resulting options.
pub(crate) struct Chosen {
    pub(crate) pixels_per_meter: f64,
    pub(crate) y_down: bool,
    scene: Option<PathBuf>,
    scene_places: bool,
}

impl Options {
    pub(crate) fn over(&self, found: Found, tile_width: f64) -> Chosen {
        let pixels_per_meter = self.pixels_per_meter.or(found.pixels_per_meter);
        Chosen {
            pixels_per_meter: pixels_per_meter.unwrap_or(tile_width),
            y_down: self.y_down.or(found.y_down).unwrap_or(false),
            scene: self.scene.clone().or(found.scene),
            scene_places: self.scene_places.or(found.scene_places).unwrap_or(true),
        }
    }
}

impl Chosen {
    /// Reads the scene file, if there is one.
    ///
    /// # Errors
    /// It cannot be read, or is no scene file.
    pub(crate) fn prototypes(&self, reading: &Reading<'_>, origin: &Origin) -> Result<Prototypes, MapError> {
        let Some(path) = &self.scene else {
            return Ok(Prototypes::default());
        };
        let text = reading.text(path, origin)?;
        let mut prototypes = Prototypes::read(&text, &Origin::file(&path.display().to_string()))?;
        if !self.scene_places {
            prototypes.place.clear();
            prototypes.strokes = None;
        }
        Ok(prototypes)
    }
}
