//! Reads maps of Tiled: `.tmx` and `.tmj`, with tilesets and templates in the map or in files of their own.

mod data;
mod grid;
mod model;
mod objects;
mod tiles;
mod tileset;
mod xml;

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use serde::de::DeserializeOwned;

use crate::builder::Builder;
use crate::error::{MapError, Origin};
use crate::figure::Point;
use crate::files::{Reading, beside};
use crate::json;
use crate::limits::{DEPTH_MAX, LAYERS_MAX, PROPERTIES_READ_MAX};
use crate::options::{Found, Options, flag_of};
use crate::scale::Scale;
use crate::scene_text::MapScene;
use crate::settings::Setting;
use grid::Grid;
use model::{Layer, Map, MapTileset, Property, Template, bytes_of, with_defaults};
use tileset::{Set, TileRef, without_flags};

/// Reads a map.
///
/// # Errors
/// The map, or a file that it names, is wrong.
pub(crate) fn read(path: &Path, reading: &Reading<'_>, options: &Options) -> Result<MapScene, MapError> {
    let file = path.display().to_string();
    let origin = Origin::file(&file);
    if let Some(level) = &options.level {
        let message = format!("a map of Tiled has no levels, so none is called {level:?}; leave it out");
        return Err(origin.refuse(message));
    }
    let text = reading.text(path, &origin)?;
    let mut map = if is_xml(&text) {
        xml::map(&text, &origin)?
    } else {
        json::<Map>(&text, &origin)?
    };
    drop(text);
    let layers = std::mem::take(&mut map.layers);
    let grid = Grid::of(&map, &origin)?;
    let mut found = Found::default();
    for Property { name, value, .. } in &map.properties {
        found.take(name, value, path, &origin)?;
    }
    let settings = options.over(found, f64::from(map.tilewidth));
    let scale = Scale::new(settings.pixels_per_meter, settings.y_down, &origin)?;
    let prototypes = settings.prototypes(reading, &origin)?;
    let mut reader = MapReader {
        path,
        reading,
        is_infinite: map.infinite,
        grid,
        scale,
        builder: Builder::new(origin.clone(), prototypes, scale.y_down()),
        tilesets: Vec::new(),
        sets: BTreeMap::new(),
        templates: BTreeMap::new(),
        cells: 0,
        layers: 0,
        cells_seen: 0,
        properties_read: Cell::new(0),
    };
    for tileset in std::mem::take(&mut map.tilesets) {
        let first = tileset.firstgid;
        let set = reader.set(tileset, path, &origin)?;
        reader.tilesets.push((first, set));
    }
    reader.tilesets.sort_by_key(|(first, _)| *first);
    reader.read_layers(&layers, &Outer::of(&origin))?;
    reader.builder.finish(&file)
}

fn is_xml(text: &str) -> bool {
    text.trim_start().starts_with('<')
}

fn json<T: DeserializeOwned>(text: &str, origin: &Origin) -> Result<T, MapError> {
    json::read(text, "Tiled", origin)
}

/// The surroundings of a layer: the settings of the groups around it.
struct Outer {
    origin: Origin,
    offset: Point,
    /// Shared by the objects in a layer, as its properties.
    class: Rc<str>,
    properties: Rc<[Property]>,
    /// How far its pictures can be seen; 0 if a layer is hidden.
    opacity: f64,
    depth: usize,
}

impl Outer {
    fn of(origin: &Origin) -> Self {
        Self {
            origin: origin.clone(),
            offset: [0.0, 0.0],
            class: Rc::default(),
            properties: Rc::default(),
            opacity: 1.0,
            depth: 0,
        }
    }

    /// The surroundings for the contents of a layer, which have these properties.
    fn within(&self, layer: &Layer, properties: Rc<[Property]>) -> Result<Self, MapError> {
        let origin = self.origin.layer(&layer.name);
        tileset::check_finite(&[layer.offsetx, layer.offsety], &origin)?;
        Ok(Self {
            origin,
            offset: [self.offset[0] + layer.offsetx, self.offset[1] + layer.offsety],
            class: if layer.class.is_empty() {
                self.class.clone()
            } else {
                layer.class.as_str().into()
            },
            properties,
            opacity: if layer.visible {
                self.opacity * layer.opacity
            } else {
                0.0
            },
            depth: self.depth + 1,
        })
    }
}

/// The value of a Boolean property.
///
/// # Errors
/// It has another type.
fn flag(properties: &[Property], name: &str, origin: &Origin) -> Result<Option<bool>, MapError> {
    let property = properties.iter().find(|property| property.name == name);
    property.map_or(Ok(None), |property| flag_of(name, &property.value, origin))
}

struct MapReader<'a> {
    path: &'a Path,
    reading: &'a Reading<'a>,
    is_infinite: bool,
    grid: Grid,
    scale: Scale,
    builder: Builder,
    /// The tilesets by their first numbers.
    tilesets: Vec<(u32, Arc<Set>)>,
    /// The tilesets in files of their own.
    sets: BTreeMap<PathBuf, Arc<Set>>,
    templates: BTreeMap<PathBuf, Arc<KnownTemplate>>,
    /// The number of cells and layers so far.
    cells: usize,
    layers: usize,
    /// The number of cells of layers that are only seen.
    cells_seen: usize,
    /// The size of the properties that were read so far, each as often as it was read.
    properties_read: Cell<usize>,
}

/// A template, with the tile of its object.
struct KnownTemplate {
    template: Template,
    /// The approximate size of what it gives to an object, in bytes.
    bytes: usize,
    tile: Option<TileRef>,
}

impl MapReader<'_> {
    fn read_layers(&mut self, layers: &[Layer], outer: &Outer) -> Result<(), MapError> {
        for layer in layers {
            let own = outer.origin.layer(&layer.name);
            self.count_properties(&[&layer.properties, &outer.properties], &own)?;
            let properties = with_defaults(&layer.properties, &outer.properties);
            let inner = outer.within(layer, properties.into())?;
            self.layers += 1;
            if self.layers > LAYERS_MAX {
                let message = format!("the map has more than {LAYERS_MAX} layers; divide it");
                return Err(inner.origin.refuse(message));
            }
            if inner.depth > DEPTH_MAX {
                return Err(inner
                    .origin
                    .refuse(format!("groups are {DEPTH_MAX} deep at most")));
            }
            if flag(&layer.properties, "solid", &inner.origin)? == Some(false) {
                self.seen_layer(layer, &inner);
                continue;
            }
            match layer.kind.as_str() {
                "tilelayer" => self.tile_layer(layer, &inner)?,
                "objectgroup" => self.object_layer(layer, &inner)?,
                "group" => self.read_layers(&layer.layers, &inner)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Counts properties that something is read with. Those of a layer, a tile or a template count for each object, so
    /// that a small file does not cost the product of both.
    ///
    /// # Errors
    /// There were too many.
    fn count_properties(&self, lists: &[&[Property]], origin: &Origin) -> Result<(), MapError> {
        self.count_bytes(lists.iter().map(|list| bytes_of(list)).sum(), origin)
    }

    /// Counts what something is read with, in bytes.
    ///
    /// # Errors
    /// Those of [`MapReader::count_properties`].
    fn count_bytes(&self, bytes: usize, origin: &Origin) -> Result<(), MapError> {
        let read = self.properties_read.get() + bytes;
        self.properties_read.set(read);
        if read > PROPERTIES_READ_MAX {
            return Err(origin.refuse(format!(
                "the properties of layers, tiles and templates, counted for each object that has them, are more than \
                 {PROPERTIES_READ_MAX} bytes; take some away"
            )));
        }
        Ok(())
    }

    /// A tileset that a map or template contains or names.
    fn set(&mut self, tileset: MapTileset, file: &Path, origin: &Origin) -> Result<Arc<Set>, MapError> {
        let Some(source) = &tileset.source else {
            let name = &tileset.tileset.name;
            let set = Set::new(tileset.tileset.clone(), file, &origin.layer(name));
            return Ok(Arc::new(set));
        };
        let path = beside(file, source);
        if let Some(set) = self.sets.get(&path) {
            return Ok(set.clone());
        }
        let text = self.reading.text(&path, origin)?;
        let own = Origin::file(&path.display().to_string());
        let tileset = if is_xml(&text) {
            xml::tileset(&text, &own)?
        } else {
            json(&text, &own)?
        };
        let set = Arc::new(Set::new(tileset, &path, &own));
        self.sets.insert(path, set.clone());
        Ok(set)
    }

    fn template(&mut self, named: &str, origin: &Origin) -> Result<Arc<KnownTemplate>, MapError> {
        let path = beside(self.path, named);
        if let Some(template) = self.templates.get(&path) {
            return Ok(template.clone());
        }
        let text = self.reading.text(&path, origin)?;
        let own = Origin::file(&path.display().to_string());
        let template: Template = if is_xml(&text) {
            xml::template(&text, &own)?
        } else {
            json(&text, &own)?
        };
        let tile = match (template.object.gid, template.tileset.clone()) {
            (Some(gid), Some(tileset)) => {
                let (number, flips) = without_flags(gid);
                let first = tileset.firstgid;
                let set = self.set(tileset, &path, &own)?;
                let id = number.checked_sub(first).filter(|&id| set.has(id));
                let id = id.ok_or_else(|| of_no_tileset(number, &own))?;
                Some(TileRef { set, id, flips })
            }
            _ => None,
        };
        let bytes = template.object.bytes();
        let known = Arc::new(KnownTemplate {
            template,
            bytes,
            tile,
        });
        self.templates.insert(path, known.clone());
        Ok(known)
    }

    /// The tile with a number; `None` for an empty cell.
    ///
    /// # Errors
    /// No tileset has it.
    fn tile(&self, gid: u32, origin: &Origin) -> Result<Option<TileRef>, MapError> {
        let (number, flips) = without_flags(gid);
        if number == 0 {
            return Ok(None);
        }
        let after = self.tilesets.partition_point(|(first, _)| *first <= number);
        let nearest = after.checked_sub(1).map(|index| &self.tilesets[index]);
        let Some((first, set)) = nearest.filter(|(first, set)| set.has(number - first)) else {
            return Err(of_no_tileset(number, origin));
        };
        let (set, id) = (set.clone(), number - first);
        Ok(Some(TileRef { set, id, flips }))
    }

    /// The settings of components in lists of properties; later ones override earlier ones.
    fn settings(&self, lists: &[&[Property]]) -> Vec<Setting> {
        let mut settings = Vec::new();
        for property in lists.iter().copied().flatten() {
            let Property {
                name,
                propertytype,
                value,
            } = property;
            Setting::of(self.builder.kinds(), name, propertytype, value, &mut settings);
        }
        settings
    }
}

fn of_no_tileset(number: u32, origin: &Origin) -> MapError {
    origin.refuse(format!(
        "tile {number} is of no tileset; add the tileset again, or remove the tile"
    ))
}
