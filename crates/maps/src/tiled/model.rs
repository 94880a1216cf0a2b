//! The structs of Tiled's files, with the fields that are used here: the JSON forms are read by serde, the XML forms
//! by `xml.rs`.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::settings;

/// A map.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(super) struct Map {
    pub(super) orientation: String,
    /// Whether its tile layers have no ends: their tiles are in chunks.
    pub(super) infinite: bool,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) tilewidth: u32,
    pub(super) tileheight: u32,
    pub(super) hexsidelength: u32,
    /// The pixels by which a row of an oblique map lies to the right of the one above.
    pub(super) skewx: f64,
    /// The pixels by which a column of an oblique map lies below the one to its left.
    pub(super) skewy: f64,
    pub(super) staggeraxis: String,
    pub(super) staggerindex: String,
    pub(super) properties: Vec<Property>,
    pub(super) tilesets: Vec<MapTileset>,
    pub(super) layers: Vec<Layer>,
}

impl Default for Map {
    fn default() -> Self {
        Self {
            orientation: "orthogonal".to_string(),
            infinite: false,
            width: 0,
            height: 0,
            tilewidth: 0,
            tileheight: 0,
            hexsidelength: 0,
            skewx: 0.0,
            skewy: 0.0,
            staggeraxis: "y".to_string(),
            staggerindex: "odd".to_string(),
            properties: Vec::new(),
            tilesets: Vec::new(),
            layers: Vec::new(),
        }
    }
}

/// A property of any item.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Property {
    pub(super) name: String,
    pub(super) propertytype: String,
    #[serde(deserialize_with = "plain")]
    pub(super) value: Value,
}

/// Reads a value whose lists have plain items, wherever they are: in files each has its type beside it.
fn plain<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    Value::deserialize(deserializer).map(without_types)
}

fn without_types(value: Value) -> Value {
    match value {
        Value::Array(items) => {
            let plain = |mut item: Value| {
                let own = item.get_mut("value").map(Value::take);
                without_types(own.unwrap_or(item))
            };
            Value::Array(items.into_iter().map(plain).collect())
        }
        Value::Object(members) => {
            let plain = members
                .into_iter()
                .map(|(name, value)| (name, without_types(value)));
            Value::Object(plain.collect())
        }
        other => other,
    }
}

/// A tileset of a map: in a file of its own, or in the map.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct MapTileset {
    pub(super) firstgid: u32,
    pub(super) source: Option<String>,
    #[serde(flatten)]
    pub(super) tileset: Tileset,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tileset {
    pub(super) name: String,
    pub(super) tilewidth: u32,
    pub(super) tileheight: u32,
    /// The number of its tiles; 0 in files of old versions.
    pub(super) tilecount: u32,
    pub(super) objectalignment: String,
    pub(super) tilerendersize: String,
    pub(super) fillmode: String,
    pub(super) tileoffset: Place,
    pub(super) grid: TileGrid,
    pub(super) tiles: Vec<Tile>,
    /// The file of the one image that shows all tiles; empty if each tile has its own.
    pub(super) image: String,
    pub(super) imagewidth: u32,
    /// The pixels around the tiles in the image, and between them.
    pub(super) margin: u32,
    pub(super) spacing: u32,
    pub(super) columns: u32,
}

/// The grid of a tileset: the coordinates in which its collision figures are drawn.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TileGrid {
    /// `orthogonal`, or empty for it, or `isometric`.
    pub(super) orientation: String,
    /// The size of an isometric cell in pixels.
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Two coordinates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
}

/// A tile with data in its tileset.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tile {
    pub(super) id: u32,
    #[serde(alias = "type")]
    pub(super) class: String,
    pub(super) properties: Vec<Property>,
    /// The figures of the collision editor.
    pub(super) objectgroup: Option<ObjectGroup>,
    /// The file of its own picture, in a tileset with several; empty without one.
    pub(super) image: String,
    /// The corner of the part of its own picture that it shows.
    pub(super) x: u32,
    pub(super) y: u32,
    /// The size of that part; the whole without it.
    pub(super) width: Option<u32>,
    pub(super) height: Option<u32>,
    /// The size of its own picture, in a tileset with several pictures.
    pub(super) imagewidth: Option<u32>,
    pub(super) imageheight: Option<u32>,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ObjectGroup {
    pub(super) objects: Vec<Object>,
}

/// A layer of any type.
#[derive(Clone, Debug, Deserialize)]
#[serde(default)]
pub(super) struct Layer {
    /// `tilelayer`, `objectgroup`, `group` or `imagelayer`.
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) name: String,
    pub(super) class: String,
    pub(super) offsetx: f64,
    pub(super) offsety: f64,
    pub(super) visible: bool,
    pub(super) opacity: f64,
    pub(super) properties: Vec<Property>,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) encoding: String,
    pub(super) compression: String,
    pub(super) data: Option<Data>,
    pub(super) chunks: Vec<Chunk>,
    pub(super) objects: Vec<Object>,
    pub(super) layers: Vec<Layer>,
}

impl Default for Layer {
    fn default() -> Self {
        Self {
            kind: String::new(),
            name: String::new(),
            class: String::new(),
            offsetx: 0.0,
            offsety: 0.0,
            visible: true,
            opacity: 1.0,
            properties: Vec::new(),
            width: 0,
            height: 0,
            encoding: String::new(),
            compression: String::new(),
            data: None,
            chunks: Vec::new(),
            objects: Vec::new(),
            layers: Vec::new(),
        }
    }
}

/// A part of the tiles of an infinite map.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Chunk {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) data: Option<Data>,
}

/// Tiles: their numbers, or a text in the layer's encoding.
#[derive(Clone, Debug)]
pub(super) enum Data {
    List(Vec<u32>),
    Text(String),
}

impl Data {
    /// Whether nothing is written in it.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Self::List(list) => list.is_empty(),
            Self::Text(text) => text.trim().is_empty(),
        }
    }
}

impl<'de> Deserialize<'de> for Data {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(DataVisitor)
    }
}

struct DataVisitor;

impl<'de> Visitor<'de> for DataVisitor {
    type Value = Data;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("numbers of tiles, or a text")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Data, A::Error> {
        let mut numbers = Vec::new();
        while let Some(number) = list.next_element()? {
            numbers.push(number);
        }
        Ok(Data::List(numbers))
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Data, E> {
        Ok(Data::Text(text.to_string()))
    }
}

/// An object. Fields that are left out are those of its template.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Object {
    pub(super) id: u32,
    pub(super) name: Option<String>,
    #[serde(alias = "type")]
    pub(super) class: Option<String>,
    pub(super) template: Option<String>,
    pub(super) gid: Option<u32>,
    /// Whether its picture is shown; shown unless given.
    pub(super) visible: Option<bool>,
    /// How far its picture can be seen; wholly unless given.
    pub(super) opacity: Option<f64>,
    pub(super) x: Option<f64>,
    pub(super) y: Option<f64>,
    pub(super) width: Option<f64>,
    pub(super) height: Option<f64>,
    pub(super) rotation: Option<f64>,
    pub(super) ellipse: bool,
    pub(super) point: bool,
    pub(super) capsule: bool,
    pub(super) polygon: Option<Vec<Place>>,
    pub(super) polyline: Option<Vec<Place>>,
    /// Whether it is a text, whichever.
    pub(super) text: Option<IgnoredAny>,
    pub(super) properties: Vec<Property>,
}

impl Object {
    /// The object, completed from its template's properties.
    pub(super) fn over(mut self, template: &Self) -> Self {
        let shaped = self.ellipse
            || self.point
            || self.capsule
            || self.polygon.is_some()
            || self.polyline.is_some()
            || self.text.is_some();
        if !shaped {
            (self.ellipse, self.point, self.capsule) = (template.ellipse, template.point, template.capsule);
            self.polygon.clone_from(&template.polygon);
            self.polyline.clone_from(&template.polyline);
            self.text = template.text;
        }
        self.name = self.name.or_else(|| template.name.clone());
        self.class = self.class.or_else(|| template.class.clone());
        self.gid = self.gid.or(template.gid);
        self.visible = self.visible.or(template.visible);
        self.opacity = self.opacity.or(template.opacity);
        self.width = self.width.or(template.width);
        self.height = self.height.or(template.height);
        self.rotation = self.rotation.or(template.rotation);
        self.properties = with_defaults(&self.properties, &template.properties);
        self
    }

    /// The approximate size in memory of all of which it has any number, in bytes.
    pub(super) fn bytes(&self) -> usize {
        let texts = [&self.name, &self.class].map(|text| text.as_ref().map_or(0, String::len));
        let points = [&self.polygon, &self.polyline].map(|list| list.as_ref().map_or(0, Vec::len));
        let points = points.iter().sum::<usize>() * size_of::<Place>();
        texts.iter().sum::<usize>() + points + bytes_of(&self.properties)
    }
}

/// The approximate size of properties in memory, in bytes.
pub(super) fn bytes_of(properties: &[Property]) -> usize {
    let each = properties.iter().map(|property| {
        64 + property.name.len() + property.propertytype.len() + settings::bytes_of(&property.value)
    });
    each.sum()
}

/// Properties, completed by those others with different names.
pub(super) fn with_defaults(own: &[Property], others: &[Property]) -> Vec<Property> {
    let names: BTreeSet<&str> = own.iter().map(|property| &*property.name).collect();
    let is_new = |other: &&Property| !names.contains(&*other.name);
    own.iter().chain(others.iter().filter(is_new)).cloned().collect()
}

/// A template: an object, and the tileset of its tile.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Template {
    pub(super) tileset: Option<MapTileset>,
    pub(super) object: Object,
}
