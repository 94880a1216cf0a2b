//! Tile layers: the figures of their tiles, with rectangles merged.

use std::collections::BTreeMap;

use super::model::{Data, Layer, Property};
use super::tileset::{Flips, TileRef};
use super::{MapReader, Outer, data, flag};
use crate::cells::Cells;
use crate::error::MapError;
use crate::figure::{Figure, Point};
use crate::limits::CELLS_MAX;
use crate::shapes::{Shapes, add_shapes, may_be_tiles};

/// The form of a tile, wherever it is in a layer.
struct TileForm {
    /// In the box of its picture, with the lower left corner of its cell as origin.
    figures: Vec<Figure>,
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

/// A tile: its tileset's address, its number, and its flips.
type TileKey = (usize, u32, Flips);

/// The tiles of a layer while they are read.
struct Tiles<'a> {
    layer: &'a Outer,
    /// Whether tiles without shapes are solid.
    solid: bool,
    forms: BTreeMap<TileKey, TileForm>,
    makes: Vec<Make>,
}

impl MapReader<'_> {
    pub(super) fn tile_layer(&mut self, layer: &Layer, outer: &Outer) -> Result<(), MapError> {
        let mut tiles = Tiles {
            layer: outer,
            solid: flag(&outer.properties, "solid", &outer.origin)? == Some(true),
            forms: BTreeMap::new(),
            makes: Vec::new(),
        };
        let origin = &outer.origin;
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
            self.cells += count.min(CELLS_MAX + 1);
            if self.cells > CELLS_MAX {
                let message = format!("the map has more than {CELLS_MAX} cells; divide it");
                return Err(origin.refuse(message));
            }
            let Some(data) = data else {
                continue;
            };
            let cells = data::cells(data, &layer.encoding, &layer.compression, count)
                .map_err(|message| origin.refuse(message))?;
            let in_rows = cells.chunks(width.max(1) as usize).zip(i64::from(y)..);
            for (row, down) in in_rows {
                for (gid, right) in row.iter().zip(i64::from(x)..) {
                    self.put_tile(&mut tiles, *gid, [right, down])?;
                }
            }
        }
        for make in tiles.makes {
            let settings = self.settings(&[&outer.properties, &make.properties]);
            let shapes = make.shapes;
            add_shapes(
                &mut self.builder,
                shapes,
                &self.scale,
                outer.offset,
                origin,
                (&make.class, &settings),
            )?;
        }
        Ok(())
    }

    fn put_tile(&self, tiles: &mut Tiles<'_>, gid: u32, [column, row]: [i64; 2]) -> Result<(), MapError> {
        let origin = &tiles.layer.origin;
        if gid == 0 {
            return Ok(());
        }
        let refuse = |error: MapError| MapError {
            message: format!("cell ({column}, {row}): {}", error.message).into(),
            ..error
        };
        let Some(tile) = self.tile(gid, origin).map_err(refuse)? else {
            return Ok(());
        };
        let key = (std::sync::Arc::as_ptr(&tile.set) as usize, tile.id, tile.flips);
        if !tiles.forms.contains_key(&key) {
            let form = self.form(tiles, &tile).map_err(refuse)?;
            tiles.forms.insert(key, form);
        }
        let form = &tiles.forms[&key];
        if form.figures.is_empty() {
            return Ok(());
        }
        let make = &mut tiles.makes[form.make];
        if let (Some(kind), Some(cells)) = (form.kind, &mut make.shapes.cells) {
            return cells.put([column, row], kind, origin);
        }
        let [left, top] = self.grid.corner(column, row);
        let bottom = top + self.grid.cell[1];
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
        let is_same = |make: &Make| {
            let pairs = make.properties.iter().zip(properties);
            make.class == class
                && make.properties.len() == properties.len()
                && pairs
                    .into_iter()
                    .all(|(a, b)| a.name == b.name && a.value == b.value)
        };
        let make = tiles.makes.iter().position(is_same).unwrap_or_else(|| {
            let settings = self.settings(&[&tiles.layer.properties, properties]);
            let [width, height] = self.grid.cell;
            let is_grid = self.grid.is_orthogonal() && width == height && may_be_tiles(&class, &settings);
            tiles.makes.push(Make {
                class,
                properties: properties.to_vec(),
                shapes: Shapes::with_cells(is_grid.then(|| Cells::new(width, &self.scale))),
            });
            tiles.makes.len() - 1
        });
        let mut figures = self.placed_figures(tile)?;
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
        Ok(TileForm { figures, make, kind })
    }

    /// The figures of a tile as they are drawn in a cell, whose lower left corner is the origin.
    fn placed_figures(&self, tile: &TileRef) -> Result<Vec<Figure>, MapError> {
        let hexagonal = self.grid.is_hexagonal();
        let size = match tile.set.tileset.tilerendersize.as_str() {
            "grid" => self.grid.cell,
            _ => tile.size(hexagonal),
        };
        let offset = tile.offset(size, hexagonal)?;
        let place = |[x, y]: Point| [x + offset[0], y - size[1] + offset[1]];
        let figures = tile.figures(size, hexagonal)?;
        Ok(figures.iter().map(|figure| figure.moved(place, 1.0)).collect())
    }
}
