//! The XML forms of Tiled's files (`.tmx`, `.tsx`, `.tx`), read into the same structs as the JSON forms.

use std::str::FromStr;

use roxmltree::{Document, Node, ParsingOptions};
use serde::de::IgnoredAny;
use serde_json::Value;

use super::model::{
    Chunk, Data, Layer, Map, MapTileset, Object, ObjectGroup, Place, Property, Template, Tile, TileGrid,
    Tileset,
};
use crate::error::{MapError, Origin};
use crate::limits::{ATTRIBUTES_MAX, DEPTH_MAX, ELEMENTS_MAX, NAMESPACES_MAX};

/// Reads a map.
///
/// # Errors
/// It is no XML, no map, or has an invalid number.
pub(super) fn map(text: &str, origin: &Origin) -> Result<Map, MapError> {
    read(text, origin, "map", |xml, node| xml.map(node))
}

/// Reads a tileset.
///
/// # Errors
/// Those of [`map`].
pub(super) fn tileset(text: &str, origin: &Origin) -> Result<Tileset, MapError> {
    read(text, origin, "tileset", |xml, node| xml.tileset(node))
}

/// Reads a template.
///
/// # Errors
/// Those of [`map`].
pub(super) fn template(text: &str, origin: &Origin) -> Result<Template, MapError> {
    read(text, origin, "template", |xml, node| xml.template(node))
}

fn read<T>(
    text: &str,
    origin: &Origin,
    root: &str,
    into: impl Fn(&Xml<'_, '_>, Node<'_, '_>) -> Result<T, MapError>,
) -> Result<T, MapError> {
    check(text, origin)?;
    let options = ParsingOptions {
        // Early versions of Tiled name a definition of the format in the file. It is never fetched.
        allow_dtd: true,
        nodes_limit: ELEMENTS_MAX as u32,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let line = error.pos().row as usize;
        origin.line(line).refuse(format!("is no XML: {error}"))
    })?;
    let element = document.root_element();
    if !element.has_tag_name(root) {
        let found = element.tag_name().name();
        return Err(origin.refuse(format!(
            "has a <{found}> where a <{root}> belongs; is it another file?"
        )));
    }
    let xml = Xml {
        origin,
        document: &document,
    };
    into(&xml, element)
}

/// Refuses what costs the parser more than its text: entities, which stand for any number of copies, namespaces, of which
/// each element has those around it, and elements of many attributes, each of which is compared with all others.
///
/// # Errors
/// There is such a thing.
fn check(text: &str, origin: &Origin) -> Result<(), MapError> {
    if let Some(place) = text.find("<!ENTITY") {
        let line = text[..place].matches('\n').count() + 1;
        let message = "defines an entity (<!ENTITY); write out what it stands for";
        return Err(origin.line(line).refuse(message));
    }
    if text.matches("xmlns").nth(NAMESPACES_MAX).is_some() {
        return Err(origin.refuse(format!(
            "has more than {NAMESPACES_MAX} namespaces (xmlns); take them away"
        )));
    }
    let mut line = 1;
    // No value has a `<` in it, so that each tag begins anew.
    for tag in text.split('<') {
        if attributes(tag) > ATTRIBUTES_MAX {
            let message = format!("an element has {ATTRIBUTES_MAX} attributes at most; take some away");
            return Err(origin.line(line).refuse(message));
        }
        line += tag.matches('\n').count();
    }
    Ok(())
}

/// The number of attributes of a tag, each of which has one value in quotes. The tag begins behind its `<`, and may have a
/// text behind it.
fn attributes(tag: &str) -> usize {
    let (mut count, mut quote) = (0, None);
    for byte in tag.bytes() {
        match (byte, quote) {
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                count += 1;
            }
            (_, Some(open)) if byte == open => quote = None,
            (b'>', None) => break,
            _ => {}
        }
    }
    count
}

struct Xml<'a, 'i> {
    origin: &'a Origin,
    document: &'a Document<'i>,
}

/// The elements with a name within another.
fn elements<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.has_tag_name(name))
}

fn element<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> Option<Node<'a, 'i>> {
    elements(node, name).next()
}

fn word(node: Node<'_, '_>, name: &str) -> String {
    node.attribute(name).unwrap_or_default().to_string()
}

impl Xml<'_, '_> {
    fn refuse(&self, node: Node<'_, '_>, message: String) -> MapError {
        let line = self.document.text_pos_at(node.range().start).row as usize;
        self.origin.line(line).refuse(message)
    }

    fn maybe<T: FromStr>(&self, node: Node<'_, '_>, name: &str) -> Result<Option<T>, MapError> {
        let parse = |text: &str| {
            text.trim().parse().map_err(|_| {
                let message = format!(
                    "{name} of <{}> is {text:?}, no number that it may be",
                    node.tag_name().name()
                );
                self.refuse(node, message)
            })
        };
        node.attribute(name).map(parse).transpose()
    }

    fn number<T: FromStr + Default>(&self, node: Node<'_, '_>, name: &str) -> Result<T, MapError> {
        Ok(self.maybe(node, name)?.unwrap_or_default())
    }

    fn map(&self, node: Node<'_, '_>) -> Result<Map, MapError> {
        let default = Map::default();
        let or = |name: &str, default: String| node.attribute(name).map_or(default, str::to_string);
        Ok(Map {
            orientation: or("orientation", default.orientation),
            infinite: node.attribute("infinite") == Some("1"),
            width: self.number(node, "width")?,
            height: self.number(node, "height")?,
            tilewidth: self.number(node, "tilewidth")?,
            tileheight: self.number(node, "tileheight")?,
            hexsidelength: self.number(node, "hexsidelength")?,
            skewx: self.number(node, "skewx")?,
            skewy: self.number(node, "skewy")?,
            staggeraxis: or("staggeraxis", default.staggeraxis),
            staggerindex: or("staggerindex", default.staggerindex),
            properties: self.properties(node, 0)?,
            tilesets: elements(node, "tileset")
                .map(|node| self.map_tileset(node))
                .collect::<Result<_, _>>()?,
            layers: self.layers(node, 0)?,
        })
    }

    fn map_tileset(&self, node: Node<'_, '_>) -> Result<MapTileset, MapError> {
        Ok(MapTileset {
            firstgid: self.number(node, "firstgid")?,
            source: node.attribute("source").map(str::to_string),
            tileset: self.tileset(node)?,
        })
    }

    fn tileset(&self, node: Node<'_, '_>) -> Result<Tileset, MapError> {
        let tileoffset = match element(node, "tileoffset") {
            Some(offset) => Place {
                x: self.number(offset, "x")?,
                y: self.number(offset, "y")?,
            },
            None => Place::default(),
        };
        let image = element(node, "image");
        let grid = match element(node, "grid") {
            Some(grid) => TileGrid {
                orientation: word(grid, "orientation"),
                width: self.number(grid, "width")?,
                height: self.number(grid, "height")?,
            },
            None => TileGrid::default(),
        };
        Ok(Tileset {
            name: word(node, "name"),
            tilewidth: self.number(node, "tilewidth")?,
            tileheight: self.number(node, "tileheight")?,
            tilecount: self.number(node, "tilecount")?,
            objectalignment: word(node, "objectalignment"),
            tilerendersize: word(node, "tilerendersize"),
            fillmode: word(node, "fillmode"),
            tileoffset,
            grid,
            tiles: elements(node, "tile")
                .map(|node| self.tile(node))
                .collect::<Result<_, _>>()?,
            image: image.map_or(String::new(), |image| word(image, "source")),
            imagewidth: image.map_or(Ok(0), |image| self.number(image, "width"))?,
            margin: self.number(node, "margin")?,
            spacing: self.number(node, "spacing")?,
            columns: self.number(node, "columns")?,
        })
    }

    fn tile(&self, node: Node<'_, '_>) -> Result<Tile, MapError> {
        let objects = |node| self.objects(node).map(|objects| ObjectGroup { objects });
        let image = element(node, "image");
        let side = |name| image.map_or(Ok(None), |image| self.maybe(image, name));
        Ok(Tile {
            id: self.number(node, "id")?,
            class: class(node).unwrap_or_default(),
            properties: self.properties(node, 0)?,
            objectgroup: element(node, "objectgroup").map(objects).transpose()?,
            image: image.map_or(String::new(), |image| word(image, "source")),
            x: self.number(node, "x")?,
            y: self.number(node, "y")?,
            width: self.maybe(node, "width")?,
            height: self.maybe(node, "height")?,
            imagewidth: side("width")?,
            imageheight: side("height")?,
        })
    }

    fn layers(&self, node: Node<'_, '_>, depth: usize) -> Result<Vec<Layer>, MapError> {
        if depth > DEPTH_MAX {
            return Err(self.refuse(node, format!("groups are {DEPTH_MAX} deep at most")));
        }
        let kind = |node: Node<'_, '_>| match node.tag_name().name() {
            "layer" => Some("tilelayer"),
            "objectgroup" => Some("objectgroup"),
            "group" => Some("group"),
            _ => None,
        };
        node.children()
            .filter_map(|child| Some((child, kind(child)?)))
            .map(|(child, kind)| self.layer(child, kind, depth))
            .collect()
    }

    fn layer(&self, node: Node<'_, '_>, kind: &str, depth: usize) -> Result<Layer, MapError> {
        let mut layer = Layer {
            kind: kind.to_string(),
            name: word(node, "name"),
            class: class(node).unwrap_or_default(),
            offsetx: self.number(node, "offsetx")?,
            offsety: self.number(node, "offsety")?,
            visible: node.attribute("visible") != Some("0"),
            opacity: self.maybe(node, "opacity")?.unwrap_or(1.0),
            properties: self.properties(node, 0)?,
            width: self.number(node, "width")?,
            height: self.number(node, "height")?,
            ..Layer::default()
        };
        match kind {
            "group" => layer.layers = self.layers(node, depth + 1)?,
            "objectgroup" => layer.objects = self.objects(node)?,
            _ => {
                if let Some(data) = element(node, "data") {
                    layer.encoding = word(data, "encoding");
                    layer.compression = word(data, "compression");
                    let chunks = elements(data, "chunk").map(|chunk| self.chunk(chunk));
                    layer.chunks = chunks.collect::<Result<_, _>>()?;
                    if layer.chunks.is_empty() {
                        layer.data = Some(self.data(data)?);
                    }
                }
            }
        }
        Ok(layer)
    }

    fn chunk(&self, node: Node<'_, '_>) -> Result<Chunk, MapError> {
        Ok(Chunk {
            x: self.number(node, "x")?,
            y: self.number(node, "y")?,
            width: self.number(node, "width")?,
            height: self.number(node, "height")?,
            data: Some(self.data(node)?),
        })
    }

    /// The tiles of a layer or chunk: a text, or an element for each.
    fn data(&self, node: Node<'_, '_>) -> Result<Data, MapError> {
        if element(node, "tile").is_some() {
            let tiles = elements(node, "tile").map(|tile| self.number(tile, "gid"));
            return Ok(Data::List(tiles.collect::<Result<_, _>>()?));
        }
        // Comments may part the text.
        let texts = node.children().filter(Node::is_text);
        Ok(Data::Text(texts.filter_map(|text| text.text()).collect()))
    }

    fn objects(&self, node: Node<'_, '_>) -> Result<Vec<Object>, MapError> {
        elements(node, "object").map(|node| self.object(node)).collect()
    }

    fn object(&self, node: Node<'_, '_>) -> Result<Object, MapError> {
        let points = |name| {
            let list = element(node, name);
            list.map(|list| self.points(list)).transpose()
        };
        Ok(Object {
            id: self.number(node, "id")?,
            name: node.attribute("name").map(str::to_string),
            class: class(node),
            template: node.attribute("template").map(str::to_string),
            gid: self.maybe(node, "gid")?,
            visible: node.attribute("visible").map(|visible| visible != "0"),
            opacity: self.maybe(node, "opacity")?,
            x: self.maybe(node, "x")?,
            y: self.maybe(node, "y")?,
            width: self.maybe(node, "width")?,
            height: self.maybe(node, "height")?,
            rotation: self.maybe(node, "rotation")?,
            ellipse: element(node, "ellipse").is_some(),
            point: element(node, "point").is_some(),
            capsule: element(node, "capsule").is_some(),
            polygon: points("polygon")?,
            polyline: points("polyline")?,
            text: element(node, "text").map(|_| IgnoredAny),
            properties: self.properties(node, 0)?,
        })
    }

    fn points(&self, node: Node<'_, '_>) -> Result<Vec<Place>, MapError> {
        let point = |text: &str| {
            let (x, y) = text.split_once(',')?;
            let [x, y] = [x, y].map(|number| number.trim().parse::<f64>().ok());
            Some(Place { x: x?, y: y? })
        };
        let words = node.attribute("points").unwrap_or_default().split_whitespace();
        words
            .map(|text| point(text).ok_or_else(|| self.refuse(node, format!("{text:?} is no point"))))
            .collect()
    }

    fn template(&self, node: Node<'_, '_>) -> Result<Template, MapError> {
        let tileset = element(node, "tileset");
        let Some(object) = element(node, "object") else {
            return Err(self.refuse(node, "the template has no object in it".to_string()));
        };
        Ok(Template {
            tileset: tileset.map(|node| self.map_tileset(node)).transpose()?,
            object: self.object(object)?,
        })
    }

    fn properties(&self, node: Node<'_, '_>, depth: usize) -> Result<Vec<Property>, MapError> {
        if depth > DEPTH_MAX {
            return Err(self.refuse(node, format!("properties are {DEPTH_MAX} deep at most")));
        }
        let all = elements(node, "properties").flat_map(|list| elements(list, "property"));
        all.map(|node| {
            Ok(Property {
                name: word(node, "name"),
                propertytype: word(node, "propertytype"),
                value: self.value(node, depth)?,
            })
        })
        .collect()
    }

    /// The value of a property or of an item of a list, by the type that it has.
    fn value(&self, node: Node<'_, '_>, depth: usize) -> Result<Value, MapError> {
        let text = || node.attribute("value").or(node.text()).unwrap_or_default();
        let wrong = |what: &str| self.refuse(node, format!("{:?} is no {what}", text()));
        match node.attribute("type").unwrap_or("string") {
            "bool" => Ok(Value::Bool(text() == "true")),
            "int" | "object" => {
                let number: i64 = text().trim().parse().map_err(|_| wrong("whole number"))?;
                Ok(Value::from(number))
            }
            "float" => {
                let number: f64 = text().trim().parse().map_err(|_| wrong("number"))?;
                let number = serde_json::Number::from_f64(number).ok_or_else(|| wrong("finite number"))?;
                Ok(Value::Number(number))
            }
            "class" => {
                let members = self.properties(node, depth + 1)?.into_iter();
                Ok(Value::Object(
                    members.map(|member| (member.name, member.value)).collect(),
                ))
            }
            "list" => {
                if depth > DEPTH_MAX {
                    return Err(self.refuse(node, format!("properties are {DEPTH_MAX} deep at most")));
                }
                let items = elements(node, "item").map(|item| self.value(item, depth + 1));
                Ok(Value::Array(items.collect::<Result<_, _>>()?))
            }
            _ => Ok(Value::String(text().to_string())),
        }
    }
}

/// The class, which older versions of Tiled call the type.
fn class(node: Node<'_, '_>) -> Option<String> {
    let class = node.attribute("class").or(node.attribute("type"));
    class.map(str::to_string)
}
