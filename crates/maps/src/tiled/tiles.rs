//! Tile layers: the figures of their tiles, with rectangles merged, and their pictures.

use std::collections::BTreeMap;
use std::rc::Rc;

use serde_json::Value;

use super::model::{Data, Layer, Property};
use super::tileset::{Drawn, TileKey, TileRef};
use super::{MapReader, Outer, data, flag};
use crate::cells::Cells;
use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point};
use crate::limits::{CELLS_MAX, PICTURES_MAX};
use crate::picture::Look;
use crate::shapes::{Shapes, add_shapes, may_be_tiles};

/// The form of a tile, wherever it is in a layer.
struct TileForm {
    /// In the box of its picture, with the lower left corner of its cell as origin.
    figures: Vec<Figure>,
    /// The picture in the same box, if it can be seen.
    look: Option<Look>,
    /// The index of its make in the layer.
    make: usize,
    /// The kind of the make's cells, if it is one.
    kind: Option<usize>,
}

/// The tiles of a layer of one class with the same properties.
struct Make {
    class: String,
    properties: Vec<Property>,
    shapes: Shapes,
}

/// The tiles of a layer while they are read.
struct Tiles<'a> {
    layer: &'a Outer,
    /// Whether tiles without shapes are solid.
    solid: bool,
    forms: BTreeMap<TileKey, TileForm>,
    makes: Vec<Make>,
    /// The index of each make by its class and the text of its properties.
    known: BTreeMap<(String, String), usize>,
    /// What is seen, cell by cell, in pixels; with its place if it is a cell of a grid.
    looks: Vec<(Look, Option<CellOfMake>)>,
}

/// The make of a tile, and its cell in the map.
type CellOfMake = (usize, [i64; 2]);

impl MapReader<'_> {
    pub(super) fn tile_layer(&mut self, layer: &Layer, outer: &Outer) -> Result<(), MapError> {
        let mut tiles = Tiles {
            layer: outer,
            solid: flag(&outer.properties, "solid", &outer.origin)? == Some(true),
            forms: BTreeMap::new(),
            makes: Vec::new(),
            known: BTreeMap::new(),
            looks: Vec::new(),
        };
        let origin = &outer.origin;
        let mut put = |gid, place| self.put_tile(&mut tiles, gid, place);
        let mut so_far = self.cells;
        self.each_cell(layer, origin, &mut so_far, &mut put)?;
        self.cells = so_far;
        let mut placed = Vec::with_capacity(tiles.makes.len());
        for make in tiles.makes {
            let settings = self.settings(&[&outer.properties, &make.properties]);
            let shapes = make.shapes;
            placed.push(add_shapes(
                &mut self.builder,
                shapes,
                &self.scale,
                outer.offset,
                origin,
                (&make.class, &settings),
            )?);
        }
        for (look, cell) in &tiles.looks {
            let picture = look.moved(outer.offset).picture(&self.scale);
            let cell = cell.and_then(|(make, in_map)| Some(placed[make]?.cell(in_map)));
            self.builder.pictures().add_of_tile(picture, cell);
        }
        Ok(())
    }

    /// Reads the pictures of a layer that is nothing but seen, as far as it can be read.
    pub(super) fn seen_layer(&mut self, layer: &Layer, outer: &Outer) {
        for inner in &layer.layers {
            if let Ok(outer) = outer.within(inner, Rc::default()) {
                self.seen_layer(inner, &outer);
            }
        }
        if layer.kind != "tilelayer" || outer.opacity <= 0.0 {
            return;
        }
        let (mut forms, mut looks) = (BTreeMap::new(), Vec::new());
        let mut put = |gid, [column, row]: [i64; 2]| {
            let Some(tile) = self.tile(gid, &outer.origin)? else {
                return Ok(());
            };
            let form = forms
                .entry(tile.key())
                .or_insert_with(|| self.placed(&tile).ok()?.look(outer.opacity));
            if looks.len() < PICTURES_MAX {
                looks.extend(form.as_ref().map(|look| look.moved(self.lower_left(column, row))));
            }
            Ok(())
        };
        let mut so_far = self.cells_seen;
        // What cannot be read ends the layer, and leaves the others to be seen.
        drop(self.each_cell(layer, &outer.origin, &mut so_far, &mut put));
        self.cells_seen = so_far;
        for look in looks {
            let picture = look.moved(outer.offset).picture(&self.scale);
            self.builder.pictures().add(picture, None);
        }
    }

    /// Calls a function with each tile's number, column and row. Adds the cells that it reads to those so far, also before an
    /// error.
    ///
    /// # Errors
    /// The tiles cannot be read, there are too many cells, or the function refuses one.
    fn each_cell(
        &self,
        layer: &Layer,
        origin: &Origin,
        so_far: &mut usize,
        put: &mut dyn FnMut(u32, [i64; 2]) -> Result<(), MapError>,
    ) -> Result<(), MapError> {
        // A layer of an infinite map without tiles is written without chunks, but with a size and a blank text.
        let is_given = |data: &&Data| !(self.is_infinite && data.is_blank());
        let whole = layer
            .data
            .as_ref()
            .filter(is_given)
            .map(|data| (0, 0, layer.width, layer.height, Some(data)));
        let chunks = layer.chunks.iter();
        let chunks = chunks.map(|chunk| (chunk.x, chunk.y, chunk.width, chunk.height, chunk.data.as_ref()));
        for (x, y, width, height, data) in whole.into_iter().chain(chunks) {
            let count = (width as usize).saturating_mul(height as usize);
            if count > CELLS_MAX - *so_far {
                let message = format!("the map has more than {CELLS_MAX} cells; divide it");
                return Err(origin.refuse(message));
            }
            *so_far += count;
            let Some(data) = data else {
                continue;
            };
            let cells = data::cells(data, &layer.encoding, &layer.compression, count)
                .map_err(|message| origin.refuse(message))?;
            let in_rows = cells.chunks(width.max(1) as usize).zip(i64::from(y)..);
            for (row, down) in in_rows {
                for (gid, right) in row.iter().zip(i64::from(x)..) {
                    if *gid != 0 {
                        put(*gid, [right, down])?;
                    }
                }
            }
        }
        Ok(())
    }

    fn put_tile(&self, tiles: &mut Tiles<'_>, gid: u32, [column, row]: [i64; 2]) -> Result<(), MapError> {
        let origin = &tiles.layer.origin;
        let refuse = |error: MapError| MapError {
            message: format!("cell ({column}, {row}): {}", error.message).into(),
            ..error
        };
        let Some(tile) = self.tile(gid, origin).map_err(refuse)? else {
            return Ok(());
        };
        let key = tile.key();
        if !tiles.forms.contains_key(&key) {
            let form = self.form(tiles, &tile).map_err(refuse)?;
            tiles.forms.insert(key, form);
        }
        let form = &tiles.forms[&key];
        let place = self.lower_left(column, row);
        if let Some(look) = &form.look
            && tiles.looks.len() < PICTURES_MAX
        {
            let has_cell = form.kind.is_some() && tiles.makes[form.make].shapes.cells.is_some();
            let cell = has_cell.then_some((form.make, [column, row]));
            tiles.looks.push((look.moved(place), cell));
        }
        if form.figures.is_empty() {
            return Ok(());
        }
        let make = &mut tiles.makes[form.make];
        if let (Some(kind), Some(cells)) = (form.kind, &mut make.shapes.cells) {
            return cells.put([column, row], kind, origin);
        }
        let [left, bottom] = place;
        for figure in &form.figures {
            make.shapes
                .add(figure.moved(|[x, y]| [left + x, bottom + y], 1.0), origin)?;
        }
        Ok(())
    }

    fn form(&self, tiles: &mut Tiles<'_>, tile: &TileRef) -> Result<TileForm, MapError> {
        let said = tile.set.tile(tile.id);
        let own_class = said.map_or("", |tile| &tile.class);
        let class = if own_class.is_empty() {
            self.builder.class(&tiles.layer.class, &tiles.layer.origin)?
        } else {
            let origin = tile.set.origin.object("tile", tile.id);
            self.builder.class(own_class, &origin)?
        };
        let properties = said.map_or(&[][..], |tile| &tile.properties);
        self.count_properties(&[properties, &tiles.layer.properties], &tiles.layer.origin)?;
        let pairs: Vec<(&str, &Value)> = properties.iter().map(|one| (&*one.name, &one.value)).collect();
        let key = (class, serde_json::to_string(&pairs).unwrap_or_default());
        let make = match tiles.known.get(&key) {
            Some(&make) => make,
            None => {
                let settings = self.settings(&[&tiles.layer.properties, properties]);
                let [width, height] = self.grid.cell;
                let is_grid = self.grid.is_orthogonal() && width == height && may_be_tiles(&key.0, &settings);
                tiles.makes.push(Make {
                    class: key.0.clone(),
                    properties: properties.to_vec(),
                    shapes: Shapes::with_cells(is_grid.then(|| Cells::new(width, &self.scale))),
                });
                tiles.known.insert(key, tiles.makes.len() - 1);
                tiles.makes.len() - 1
            }
        };
        let drawn = self.placed(tile)?;
        let look = drawn.look(tiles.layer.opacity);
        let mut figures = drawn.figures()?;
        if figures.is_empty() && tiles.solid {
            let height = self.grid.cell[1];
            let outline = self.grid.outline();
            figures.push(outline.moved(|[x, y]| [x, y - height], 1.0));
        }
        let height = self.grid.cell[1];
        let about_corner: Vec<Figure> = figures
            .iter()
            .map(|figure| figure.moved(|[x, y]| [x, y + height], 1.0))
            .collect();
        let cells = &mut tiles.makes[make].shapes.cells;
        let kind = cells.as_mut().and_then(|cells| cells.kind_of(&about_corner));
        Ok(TileForm {
            figures,
            look: look.filter(|look| look.opacity > 0.0),
            make,
            kind,
        })
    }

    /// The lower left corner of a cell, in pixels.
    fn lower_left(&self, column: i64, row: i64) -> Point {
        let [left, top] = self.grid.corner(column, row);
        [left, top + self.grid.cell[1]]
    }

    /// A tile as it is drawn in a cell, whose lower left corner is the origin.
    fn placed<'t>(&self, tile: &'t TileRef) -> Result<Drawn<'t>, MapError> {
        let size = match tile.set.tileset.tilerendersize.as_str() {
            "grid" => self.grid.cell,
            _ => tile.size(),
        };
        tile.drawn(size, self.grid.is_hexagonal())
    }
}
