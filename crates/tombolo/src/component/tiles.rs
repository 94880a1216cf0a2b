//! The component Tiles: a grid of tiles on the entity's body, written as rows of characters.
//! `world/physical/tiles.rs` creates the grid of physics.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec;
use alloc::vec::Vec;
use core::convert::Infallible;

use tombolo_entity::{Component, DataError, Entity, Reader, Schema, Writer};
use tombolo_geometry::Vec2;
use tombolo_physics::constants::{
    FRICTION_MAX, POSITION_MAX_M, RESTITUTION_MAX, TILE_CELLS_MAX, TILE_SIZE_MAX_M, TILE_SIZE_MIN_M,
};
use tombolo_physics::{ShapeDef, Tile, TileGridDef, TileGridId, TileShape};

use super::register::{Entries, InScene, Registered, ToTiles, Wakes, between, either_way, up_to};

/// A grid of tiles on the entity's body. [`World::set_tile`](crate::World::set_tile) and the functions beside it
/// change its cells; the component keeps the cells of its definition.
#[derive(Clone, Debug, PartialEq)]
pub struct Tiles {
    /// The width and height of a cell, in meters.
    pub cell_size: f32,
    /// The lower left corner in the body's frame, in meters.
    pub origin: Vec2,
    /// The meaning of the characters: a character, the word of a shape or corners, and options, as in `"# Full"`, `"/
    /// SlopeUp friction 0.1"` and `"^ 0,0 1,0 0.5,1"`. A period and a space are empty cells.
    pub legend: Vec<Box<str>>,
    /// The cells, the uppermost row first. A number before a character repeats it; a number and a colon before a row
    /// repeat the row.
    pub rows: Vec<Box<str>>,
    /// Coulomb friction of the tiles whose legend does not give it.
    pub friction: f32,
    /// Restitution of the tiles whose legend does not give it.
    pub restitution: f32,
    /// Category bits of the tiles whose legend does not give them.
    pub category: u64,
    /// Mask bits of the tiles whose legend does not give them.
    pub mask: u64,
    /// The grid in physics.
    pub(crate) id: Option<TileGridId>,
}

impl Default for Tiles {
    fn default() -> Self {
        let def = ShapeDef::default();
        Self {
            cell_size: 1.0,
            origin: Vec2::ZERO,
            legend: Vec::new(),
            rows: Vec::new(),
            friction: def.friction,
            restitution: def.restitution,
            category: def.filter.category,
            mask: def.filter.mask,
            id: None,
        }
    }
}

/// An error of a grid: the property and the reason.
pub(crate) type TilesError = (&'static str, String);

impl Tiles {
    /// The grid in physics; none before the entity is complete, or without rows.
    pub fn id(&self) -> Option<TileGridId> {
        self.id
    }

    /// The definition of the grid in physics, for an entity; `None` if there are no rows.
    ///
    /// # Errors
    ///
    /// The property that is wrong, with the place in it and the reason.
    pub(crate) fn def(&self, entity: Option<Entity>) -> Result<Option<TileGridDef>, TilesError> {
        let (letters, tiles) = self.kinds(entity)?;
        let rows = read_rows(&self.rows, &letters).map_err(|why| ("rows", why))?;
        let Some((width, height, cells)) = rows else {
            return Ok(None);
        };
        let def = TileGridDef {
            cell_size: self.cell_size,
            origin: self.origin,
            width,
            height,
            tiles,
            cells,
        };
        match def.validate() {
            Ok(()) => Ok(Some(def)),
            Err(tombolo_physics::PhysicsError::Tile { tile, why }) => {
                let line = &self.legend[tile as usize - 1];
                Err(("legend", format!("{line:?}: {why}")))
            }
            Err(error) => Err(("cell_size", error.to_string())),
        }
    }

    /// The number of cells that reading rows makes; 0 for rows that make no grid, whatever the legend.
    #[cfg(feature = "script")]
    pub(crate) fn cell_count<'a>(rows: impl Iterator<Item = &'a str>) -> u64 {
        let rows: Result<Vec<Row>, String> = rows.map(|row| read_row(row, |_| Some(0))).collect();
        let (width, height) = rows.map_or((0, 0), |rows| extent(&rows));
        let count = width.saturating_mul(height);
        if count > TILE_CELLS_MAX { 0 } else { count }
    }

    /// The reason why the component makes no grid; `None` if it makes one, or has no rows.
    pub(crate) fn unfit(&self) -> Option<Box<str>> {
        let (property, why) = self.def(None).err()?;
        Some(format!("`{property}`: {why}").into())
    }

    /// The number of the tile that a character stands for: 0 for an empty cell.
    pub fn tile_of(&self, letter: char) -> Option<u8> {
        if is_empty_cell(letter) {
            return Some(0);
        }
        let place = self.legend.iter().position(|line| line.starts_with(letter))?;
        u8::try_from(place + 1).ok()
    }

    /// The character that stands for a tile of this number; a period for an empty cell.
    pub fn letter_of(&self, tile: u8) -> char {
        let line = usize::from(tile)
            .checked_sub(1)
            .and_then(|place| self.legend.get(place));
        line.and_then(|line| line.chars().next()).unwrap_or('.')
    }

    /// The tiles in the order of the legend, and the number of each tile by its character.
    fn kinds(&self, entity: Option<Entity>) -> Result<(BTreeMap<char, u8>, Vec<Tile>), TilesError> {
        let (mut letters, mut tiles) = (BTreeMap::new(), Vec::new());
        for line in &self.legend {
            let wrong = |why: String| ("legend", format!("{line:?}: {why}"));
            let mut def = ShapeDef {
                friction: self.friction,
                restitution: self.restitution,
                user_key: entity.map_or(0, Entity::to_bits),
                ..ShapeDef::default()
            };
            (def.filter.category, def.filter.mask) = (self.category, self.mask);
            let (letter, tile) = read_kind(line, def).map_err(wrong)?;
            let Ok(number) = u8::try_from(tiles.len() + 1) else {
                return Err(wrong("more than 255 kinds of tiles".into()));
            };
            if letters.insert(letter, number).is_some() {
                return Err(wrong(format!("{letter:?} stands for something already")));
            }
            tiles.push(tile);
        }
        Ok((letters, tiles))
    }
}

fn is_empty_cell(letter: char) -> bool {
    matches!(letter, '.' | ' ')
}

/// Reads a line of the legend.
fn read_kind(line: &str, def: ShapeDef) -> Result<(char, Tile), String> {
    let mut words = line.split_whitespace();
    let first = words.next().unwrap_or_default();
    let mut letters = first.chars();
    let letter = match (letters.next(), letters.next()) {
        (Some(letter), None) if line.starts_with(letter) => letter,
        _ => return Err("begin it with the character, and a space behind it".into()),
    };
    if is_empty_cell(letter) || letter.is_ascii_digit() || letter == ':' {
        return Err(format!(
            "{letter:?} cannot stand for a tile; take another character"
        ));
    }
    let mut tile = Tile {
        shape: TileShape::Full,
        def,
    };
    let (mut corners, mut is_shape_given) = (Vec::new(), false);
    while let Some(word) = words.next() {
        let named = TileShape::NAMED.into_iter().find(|(name, _)| *name == word);
        if let Some((_, shape)) = named {
            if is_shape_given {
                return Err("two shapes; keep one".into());
            }
            (tile.shape, is_shape_given) = (shape, true);
        } else if let Some((x, y)) = word.split_once(',') {
            corners.push(Vec2::new(read_number(x)?, read_number(y)?));
        } else if word == "sensor" {
            tile.def.sensor = true;
        } else {
            read_option(word, words.next(), &mut tile.def)?;
        }
    }
    match (corners.is_empty(), is_shape_given) {
        (true, true) => {}
        (false, false) => tile.shape = TileShape::Convex { corners },
        (false, true) => return Err("a shape and corners; keep one".into()),
        (true, false) => {
            let words: Vec<&str> = TileShape::NAMED.iter().map(|(name, _)| *name).collect();
            return Err(format!(
                "no shape; give one of {}, or corners as in 0,0 1,0 0.5,1",
                words.join(", ")
            ));
        }
    }
    Ok((letter, tile))
}

fn read_number(text: &str) -> Result<f32, String> {
    let number = text.parse::<f32>().ok().filter(|number| number.is_finite());
    number.ok_or_else(|| format!("{text:?} is no number"))
}

fn read_option(name: &str, value: Option<&str>, def: &mut ShapeDef) -> Result<(), String> {
    const KNOWN: [&str; 9] = [
        "friction",
        "restitution",
        "rolling_resistance",
        "tangent_speed",
        "contact_skin",
        "material",
        "category",
        "mask",
        "sensor",
    ];
    if !KNOWN.contains(&name) {
        let advice = format!("known are shapes, corners and {}", KNOWN.join(", "));
        return Err(format!("unknown word {name:?}; {advice}"));
    }
    let value = value.ok_or_else(|| format!("{name} of what? A number goes behind it"))?;
    match name {
        "category" | "mask" => {
            let bits = value.parse::<u64>().ok();
            let bits = bits.or_else(|| value.parse::<i64>().ok().map(i64::cast_unsigned));
            let bits = bits.ok_or_else(|| format!("{value:?} is no whole number"))?;
            let filter = &mut def.filter;
            *(if name == "mask" {
                &mut filter.mask
            } else {
                &mut filter.category
            }) = bits;
        }
        "material" => {
            let number = value.parse::<u32>();
            def.material = number.map_err(|_| format!("{value:?} is no number of a material"))?;
        }
        _ => {
            let number = read_number(value)?;
            match name {
                "friction" => def.friction = number,
                "restitution" => def.restitution = number,
                "rolling_resistance" => def.rolling_resistance = number,
                "contact_skin" => def.contact_skin = number,
                _ => def.tangent_speed = number,
            }
        }
    }
    Ok(())
}

/// A row of cells: its repetitions, and runs of equal cells.
struct Row {
    times: u64,
    runs: Vec<(u64, u8)>,
}

/// Columns, rows, and cells row by row from below; `None` if there are none.
fn read_rows(rows: &[Box<str>], letters: &BTreeMap<char, u8>) -> Result<Option<(u32, u32, Vec<u8>)>, String> {
    let tile_of = |letter: char| letters.get(&letter).copied();
    let read = |(place, row)| read_row(row, tile_of).map_err(|why| format!("row {}: {why}", place + 1));
    let rows = rows.iter().map(|row| &**row).enumerate();
    let rows: Vec<Row> = rows.map(read).collect::<Result<_, _>>()?;
    let (width, height) = extent(&rows);
    let count = width.saturating_mul(height);
    if count > TILE_CELLS_MAX {
        return Err(format!(
            "{width} by {height} cells; a grid has {TILE_CELLS_MAX} at most"
        ));
    }
    if count == 0 {
        return Ok(None);
    }
    let mut cells = Vec::with_capacity(count as usize);
    for row in rows.iter().rev() {
        let mut line = vec![0; width as usize];
        let mut place = 0;
        for &(times, cell) in &row.runs {
            line[place..place + times as usize].fill(cell);
            place += times as usize;
        }
        (0..row.times).for_each(|_| cells.extend_from_slice(&line));
    }
    Ok(Some((width as u32, height as u32, cells)))
}

/// The numbers of columns and rows.
fn extent(rows: &[Row]) -> (u64, u64) {
    let length = |row: &Row| row.runs.iter().fold(0_u64, |sum, run| sum.saturating_add(run.0));
    let width = rows.iter().map(length).max().unwrap_or_default();
    let height = rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.times));
    (width, height)
}

/// Reads a row; `tile_of` is the number of the tile of a character.
fn read_row(text: &str, tile_of: impl Fn(char) -> Option<u8>) -> Result<Row, String> {
    let (times, cells) = match text.split_once(':') {
        Some((times, cells)) => {
            let times = times.parse::<u64>().ok();
            (
                times.ok_or("before a colon stands how often the row does")?,
                cells,
            )
        }
        None => (1, text),
    };
    let mut runs: Vec<(u64, u8)> = Vec::new();
    let mut count: Option<u64> = None;
    for (column, letter) in cells.chars().enumerate() {
        if let Some(digit) = letter.to_digit(10) {
            count = Some(
                count
                    .unwrap_or(0)
                    .saturating_mul(10)
                    .saturating_add(u64::from(digit)),
            );
            continue;
        }
        let cell = if is_empty_cell(letter) {
            0
        } else {
            tile_of(letter)
                .ok_or_else(|| format!("character {}, {letter:?}, is not in the legend", column + 1))?
        };
        runs.push((count.take().unwrap_or(1), cell));
    }
    match count {
        Some(count) => Err(format!("{count} of what? A character goes behind it")),
        None => Ok(Row { times, runs }),
    }
}

impl Tiles {
    fn materials(entries: Entries<Self>) -> Entries<Self> {
        fields!(entries, ToTiles::Kinds, Wakes::Yes;
            friction in up_to(FRICTION_MAX) => "Of tiles whose legend does not say it; two shapes use the square root of the product.",
            restitution in up_to(RESTITUTION_MAX) => "How tiles bounce whose legend does not say it; two shapes use the larger.",
        )
        .property(
            "category",
            |tiles: &Self| tiles.category as i64,
            |tiles, category: i64| tiles.category = category as u64,
            ToTiles::Kinds,
            Wakes::Yes,
        )
        .in_scene(InScene::Bits)
        .doc("The bits that tiles are whose legend does not say it.")
        .property(
            "mask",
            |tiles: &Self| tiles.mask as i64,
            |tiles, mask: i64| tiles.mask = mask as u64,
            ToTiles::Kinds,
            Wakes::Yes,
        )
        .in_scene(InScene::Bits)
        .doc("The bits that they touch; -1 for all.")
    }
}

impl Registered for Tiles {
    type Apply = ToTiles;
    type Live = Infallible;

    fn entries() -> Entries<Self> {
        let entries = fields!(Entries::new(), ToTiles::Cells, Wakes::Yes;
            cell_size ["m"] in between(TILE_SIZE_MIN_M, TILE_SIZE_MAX_M) => "Width and height of a cell.",
            origin ["m"] in either_way(POSITION_MAX_M) => "The lower left corner of the grid, seen from the body.",
            legend => "What characters stand for: \"# Full\", \"/ SlopeUp friction 0.1\", \"^ 0,0 1,0 0.5,1\".",
            rows => "The cells it begins with, the uppermost row first: \"..##\", or with runs \"2.2#\", or \"100:2.2#\" for 100 such rows.",
        );
        Self::materials(entries)
    }
}

impl Component for Tiles {
    fn schema() -> Schema<Self> {
        Self::entries().into_schema()
    }

    fn save(&self, schema: &Schema<Self>, out: &mut Writer) {
        schema.save(self, out);
        out.u64(self.id.map_or(0, TileGridId::to_bits));
    }

    fn restore(&mut self, schema: &Schema<Self>, from: &mut Reader<'_>) -> Result<(), DataError> {
        schema.restore_in_range(self, from)?;
        self.id = TileGridId::from_bits(from.u64("a tile grid's id")?);
        Ok(())
    }
}
