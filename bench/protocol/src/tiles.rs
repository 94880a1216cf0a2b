//! Grounds of tiles: the requests of the bench's area `ground` to an engine that has a grid of cells as a collider. The
//! grounds and the edits are the same in every engine.

use clap::ValueEnum;
use serde::{Deserialize, Serialize};
use tombolo::physics::{BodyDef, BodyId, PhysicsError, Shape, ShapeDef};
use tombolo_scenes::SceneTarget;

use crate::ground::{Found, Ground, GroundOrder, empty, time};

/// The number of rows of a ground that is loaded and edited.
pub const ROWS: u32 = 1000;

/// The number of rows of [`Kind::Hills`], and the height of its walls.
pub const HILL_ROWS: u32 = 40;

/// A ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Kind {
    /// All cells are full.
    Full,
    /// Ground with a ragged surface and caves, below sky.
    Ragged,
    /// Every other cell, by chance.
    Noise,
    /// Low steps up and down between two walls.
    Hills,
}

impl Kind {
    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Full => "all full",
            Self::Ragged => "ragged ground, caves below sky",
            Self::Noise => "every other cell by chance",
            Self::Hills => "hills between walls",
        }
    }

    /// Whether a cell of a ground with so many columns and rows is full.
    pub fn is_full(self, [x, y]: [u32; 2], [columns, rows]: [u32; 2]) -> bool {
        match self {
            Self::Full => true,
            Self::Ragged => {
                let surface = rows / 2 + hash(x / 3, 0) % (rows / 4);
                let is_cave = hash(x / 24, y / 9).is_multiple_of(5);
                y < surface && !is_cave
            }
            Self::Noise => hash(x, y).is_multiple_of(2),
            Self::Hills => y < hill(x, columns),
        }
    }
}

/// The height of a column of the hills.
pub fn hill(x: u32, columns: u32) -> u32 {
    const HEIGHTS: [u32; 12] = [2, 2, 3, 3, 3, 4, 3, 3, 2, 2, 1, 1];
    if x == 0 || x + 1 == columns {
        HILL_ROWS
    } else {
        HEIGHTS[x as usize % 12]
    }
}

/// A pseudo-random number for a cell.
pub fn hash(x: u32, y: u32) -> u32 {
    let mixed = (u64::from(x) << 32 | u64::from(y)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (mixed >> 33) as u32
}

/// A grid of cells of one meter, whose lower left corner is the origin.
#[derive(Clone, Debug)]
pub struct Tiles {
    /// Columns and rows.
    pub size: [u32; 2],
    /// Whether each cell is full, row by row from below.
    pub cells: Vec<bool>,
}

impl Tiles {
    /// A ground.
    pub fn new(kind: Kind, size: [u32; 2]) -> Self {
        let [columns, rows] = size;
        let cells = (0..rows).flat_map(|y| (0..columns).map(move |x| kind.is_full([x, y], size)));
        Self {
            size,
            cells: cells.collect(),
        }
    }

    /// Columns and rows of the full cells.
    pub fn full(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let columns = self.size[0] as usize;
        let full = self.cells.iter().enumerate().filter(|(_, is_full)| **is_full);
        full.map(move |(cell, _)| [(cell % columns) as u32, (cell / columns) as u32])
    }

    /// The place of the cell that an edit changes to the other kind.
    pub fn edited(edit: u32, [columns, rows]: [u32; 2]) -> [u32; 2] {
        [hash(edit, 1) % columns, hash(edit, 2) % rows]
    }
}

/// Adds boxes of half a meter above hills of so many columns, in rows.
///
/// # Errors
/// Those of the target.
pub fn add_boxes(
    target: &mut impl SceneTarget,
    columns: u32,
    count: u32,
) -> Result<Vec<BodyId>, PhysicsError> {
    let shape = Shape::new_box(0.5, 0.5)?;
    let a_row = columns - 4;
    let mut add = |number: u32| {
        let (x, y) = (2.5 + (number % a_row) as f32, 5.0 + 0.8 * (number / a_row) as f32);
        let body = target.create_body(&BodyDef::dynamic(x, y))?;
        target.create_shape(body, &ShapeDef::default(), &shape)?;
        Ok(body)
    };
    (0..count).map(&mut add).collect()
}

/// The refusal of an engine without grids.
fn lacks(name: &str) -> String {
    format!("{name} has no grid of cells as a collider")
}

/// Loads the ground into a new world, round by round, with the step that takes it into the trees. The figures are the
/// number of full cells and the bytes of each cell.
pub(crate) fn load<E: Ground>(order: &GroundOrder) -> Result<Found, String> {
    let tiles = Tiles::new(order.kind, [order.count, ROWS]);
    let (mut round_ns, mut bytes) = (Vec::new(), 0);
    for _ in 0..order.rounds {
        let mut engine = empty::<E>()?;
        let mut made = false;
        round_ns.push(time(|| {
            made = engine.create_tiles(&tiles);
            engine.step();
        }));
        if !made {
            return Err(lacks(&E::name()));
        }
        bytes = engine.tile_bytes();
    }
    let cells = tiles.cells.len().max(1) as f64;
    Ok((round_ns, [tiles.full().count() as f64, bytes as f64 / cells]))
}

/// Changes one cell after another to the other kind. The figures are the number of edits that filled a cell, and 0.
pub(crate) fn edit<E: Ground>(order: &GroundOrder) -> Result<Found, String> {
    let mut tiles = Tiles::new(order.kind, [order.count, ROWS]);
    let mut engine = empty::<E>()?;
    if !engine.create_tiles(&tiles) {
        return Err(lacks(&E::name()));
    }
    engine.step();
    let (mut round_ns, mut filled) = (Vec::new(), 0);
    for edit in 0..order.rounds {
        let [x, y] = Tiles::edited(edit, tiles.size);
        let cell = &mut tiles.cells[(y * order.count + x) as usize];
        *cell = !*cell;
        filled += u32::from(*cell);
        let is_full = *cell;
        round_ns.push(time(|| engine.set_tile([x, y], is_full)));
    }
    Ok((round_ns, [f64::from(filled), 0.0]))
}

/// Boxes that fall on hills and come to rest, step by step. The figures are the number of boxes that did not fall
/// through, and their mean height in meters.
pub(crate) fn boxes<E: Ground>(order: &GroundOrder) -> Result<Found, String> {
    const COLUMNS: u32 = 254;
    let mut engine = empty::<E>()?;
    if !engine.create_tiles(&Tiles::new(Kind::Hills, [COLUMNS, HILL_ROWS])) {
        return Err(lacks(&E::name()));
    }
    let bodies = add_boxes(&mut engine, COLUMNS, order.count).map_err(|error| error.to_string())?;
    let round_ns = (0..order.rounds).map(|_| time(|| engine.step())).collect();
    let heights = bodies.iter().map(|&body| f64::from(engine.motion(body).y));
    let above: Vec<f64> = heights.filter(|height| *height > 0.0).collect();
    let mean = above.iter().sum::<f64>() / above.len().max(1) as f64;
    Ok((round_ns, [above.len() as f64, mean]))
}
