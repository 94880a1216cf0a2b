//! What is kept of a tile grid, its kinds of tiles, its chunks, and the shapes that are made of them.

use super::def::{Tile, TileBlock, TileShape};
use crate::PhysicsError;
use crate::body::NONE;
use crate::shape::{CombineRule, Filter, ShapeDef};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::plain_data;
use tombolo_geometry::shape::{Shape, VERTEX_COUNT_MAX};
use tombolo_handles::Handle;

/// Columns and rows of a chunk.
pub(crate) const CHUNK_SIDE: usize = 32;

/// Cells of a chunk.
pub(crate) const CHUNK_CELLS: usize = CHUNK_SIDE * CHUNK_SIDE;

/// Names a tile grid of one world; goes stale when the grid or its body is destroyed.
pub type TileGridId = Handle<TileGridRecord>;

plain_data! {
    /// What is kept of a tile grid beside its tiles and cells. Opaque to users.
    #[derive(Debug)]
    pub struct TileGridRecord {
        /// The lower left corner in the body's frame.
        pub(crate) origin: Vec2,
        /// Meters.
        pub(crate) cell_size: f32,
        /// The body's index.
        pub(crate) body: u32,
        /// Columns.
        pub(crate) width: u32,
        /// Rows.
        pub(crate) height: u32,
        /// Where its kinds of tiles begin among all.
        pub(crate) first_tile: u32,
        /// How many kinds it has.
        pub(crate) tile_count: u32,
        /// Where its chunks begin among all, row by row from below.
        pub(crate) first_chunk: u32,
        /// How many shapes are made of it.
        pub(crate) shape_count: u32,
    }

    /// A kind of tile.
    #[derive(Debug, PartialEq)]
    pub(crate) struct TileRecord {
        /// As [`ShapeDef`] has it, and so all that follows but for what is said otherwise.
        pub(crate) user_key: u64,
        pub(crate) category: u64,
        pub(crate) mask: u64,
        pub(crate) group: i32,
        pub(crate) density: f32,
        pub(crate) friction: f32,
        pub(crate) restitution: f32,
        pub(crate) rolling_resistance: f32,
        pub(crate) tangent_speed: f32,
        pub(crate) force_threshold: f32,
        pub(crate) material: u32,
        /// How friction and bounciness are combined: two numbers of [`CombineRule`], eight bits each.
        pub(crate) rules: u32,
        /// Bits of [`tile_flag`].
        pub(crate) flags: u32,
        /// Corners in units of a cell.
        pub(crate) corners: [Vec2; 8],
        /// How many corners.
        pub(crate) corner_count: u32,
        /// The least number of a kind that is like this one, itself included; from 1.
        pub(crate) class: u32,
    }

    /// 32 by 32 cells, or as many as there are at the right and upper end.
    #[derive(Debug, PartialEq)]
    pub(crate) struct TileChunk {
        /// Which thousand and twenty-four of all cells are its own; `NONE` if all that the grid has of them are alike.
        pub(crate) block: u32,
        /// What they are then; 0 otherwise.
        pub(crate) tile: u32,
        /// The newest shape that is made of it, or `NONE`.
        pub(crate) first_shape: u32,
        /// How many shapes are.
        pub(crate) shape_count: u32,
    }

    /// What a shape is made of, by its index.
    #[derive(Debug, PartialEq)]
    pub(crate) struct TileSpan {
        /// The slot of its grid; `NONE` for a shape that is made of no tiles.
        pub(crate) grid: u32,
        /// Which chunk of the grid.
        pub(crate) chunk: u32,
        /// The next shape of the same chunk, or `NONE`.
        pub(crate) next: u32,
        /// The kind of tile that stands for all of its.
        pub(crate) class: u32,
        /// Column and row in the chunk, columns, rows.
        pub(crate) cells: [u8; 4],
    }
}

/// Bits of [`TileRecord::flags`].
pub(crate) mod tile_flag {
    pub(crate) const CONTACT_EVENTS: u32 = 1;
    pub(crate) const HIT_EVENTS: u32 = 1 << 1;
    pub(crate) const SEES_SENSORS: u32 = 1 << 2;
    pub(crate) const SEES_FIXED: u32 = 1 << 3;
    pub(crate) const SENSOR: u32 = 1 << 4;
    /// From here on it is about the corners: they are a box from the left side of the cell to the right one.
    pub(crate) const FULL_WIDTH: u32 = 1 << 5;
    /// They are a box from the lower side to the upper one.
    pub(crate) const FULL_HEIGHT: u32 = 1 << 6;
}

/// Equal tiles of a chunk that become one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The column in the chunk.
    pub(crate) x: u8,
    /// The row in the chunk.
    pub(crate) y: u8,
    /// Columns.
    pub(crate) width: u8,
    /// Rows.
    pub(crate) height: u8,
    /// The number of the kind of tile, the least of those that are alike; from 1.
    pub(crate) class: u8,
}

/// A shape that is made of no tiles.
pub(crate) const NO_SPAN: TileSpan = TileSpan {
    grid: NONE,
    chunk: NONE,
    next: NONE,
    class: 0,
    cells: [0; 4],
};

impl TileRecord {
    fn new(tile: &Tile) -> Self {
        let ShapeDef {
            density,
            friction,
            restitution,
            rolling_resistance,
            tangent_speed,
            friction_rule,
            restitution_rule,
            material,
            filter,
            contact_events,
            hit_events,
            force_threshold,
            sees_sensors,
            sees_fixed,
            sensor,
            user_key,
        } = tile.def;
        let given = tile.shape.corners();
        let mut corners = [Vec2::ZERO; VERTEX_COUNT_MAX];
        for (place, corner) in corners.iter_mut().zip(&given) {
            // Adding zero makes a negative zero a positive one.
            *place = *corner + Vec2::ZERO;
        }
        let mut record = Self {
            user_key,
            category: filter.category,
            mask: filter.mask,
            group: filter.group,
            density,
            friction,
            restitution,
            rolling_resistance,
            tangent_speed,
            force_threshold,
            material,
            rules: friction_rule as u32 | (restitution_rule as u32) << 8,
            flags: 0,
            corners,
            corner_count: given.len().min(VERTEX_COUNT_MAX) as u32,
            class: 0,
        };
        let [full_width, full_height] = record.full_sides();
        for (bit, is_set) in [
            (tile_flag::CONTACT_EVENTS, contact_events),
            (tile_flag::HIT_EVENTS, hit_events),
            (tile_flag::SEES_SENSORS, sees_sensors),
            (tile_flag::SEES_FIXED, sees_fixed),
            (tile_flag::SENSOR, sensor),
            (tile_flag::FULL_WIDTH, full_width),
            (tile_flag::FULL_HEIGHT, full_height),
        ] {
            record.flags |= if is_set { bit } else { 0 };
        }
        record
    }

    pub(crate) fn corners(&self) -> &[Vec2] {
        &self.corners[..(self.corner_count as usize).min(VERTEX_COUNT_MAX)]
    }

    /// Whether the corners are a box that reaches from side to side of the cell, along rows and along columns.
    fn full_sides(&self) -> [bool; 2] {
        let corners = self.corners();
        let low = corners
            .iter()
            .fold(Vec2::INFINITY, |low, corner| low.min(*corner));
        let high = corners
            .iter()
            .fold(Vec2::NEG_INFINITY, |high, corner| high.max(*corner));
        let is_at = |corner: Vec2| corners.contains(&corner);
        let is_box = corners.len() == 4
            && [low, high, Vec2::new(low.x, high.y), Vec2::new(high.x, low.y)]
                .into_iter()
                .all(is_at);
        [
            is_box && low.x == 0.0 && high.x == 1.0,
            is_box && low.y == 0.0 && high.y == 1.0,
        ]
    }

    pub(crate) fn merges_along_rows(&self) -> bool {
        self.flags & tile_flag::FULL_WIDTH != 0
    }

    /// Whether it has the material, the filter and the events of another one, whatever its corners.
    pub(crate) fn is_same_stuff(&self, other: &Self) -> bool {
        let stuff = |tile: &Self| Self {
            corners: [Vec2::ZERO; 8],
            corner_count: 0,
            class: 0,
            flags: tile.flags & !(tile_flag::FULL_WIDTH | tile_flag::FULL_HEIGHT),
            ..*tile
        };
        bytemuck::bytes_of(&stuff(self)) == bytemuck::bytes_of(&stuff(other))
    }

    pub(crate) fn merges_along_columns(&self) -> bool {
        self.flags & tile_flag::FULL_HEIGHT != 0
    }

    /// What the shapes that are made of it are made from, beside their geometry.
    pub(crate) fn shape_def(&self) -> ShapeDef {
        let has = |bit: u32| self.flags & bit != 0;
        let rule = |number: u32| {
            let rules = CombineRule::ALL.into_iter();
            let mut rules = rules.filter(|rule| *rule as u32 == number & 0xff);
            rules.next().unwrap_or_default()
        };
        ShapeDef {
            density: self.density,
            friction: self.friction,
            restitution: self.restitution,
            rolling_resistance: self.rolling_resistance,
            tangent_speed: self.tangent_speed,
            friction_rule: rule(self.rules),
            restitution_rule: rule(self.rules >> 8),
            material: self.material,
            filter: Filter {
                category: self.category,
                mask: self.mask,
                group: self.group,
            },
            contact_events: has(tile_flag::CONTACT_EVENTS),
            hit_events: has(tile_flag::HIT_EVENTS),
            force_threshold: self.force_threshold,
            sees_sensors: has(tile_flag::SEES_SENSORS),
            sees_fixed: has(tile_flag::SEES_FIXED),
            sensor: has(tile_flag::SENSOR),
            user_key: self.user_key,
        }
    }

    /// What it was made from; a shape with a name comes back by its corners.
    pub(crate) fn tile(&self) -> Tile {
        let corners = self.corners().to_vec();
        let named = TileShape::NAMED.into_iter().map(|(_, shape)| shape);
        let known = named.into_iter().find(|shape| shape.corners() == corners);
        Tile {
            shape: known.unwrap_or(TileShape::Convex { corners }),
            def: self.shape_def(),
        }
    }
}

/// Kinds of tiles as they are kept, each with the first that is like it.
pub(crate) fn records_of(tiles: &[Tile]) -> Vec<TileRecord> {
    let mut records: Vec<TileRecord> = tiles.iter().map(TileRecord::new).collect();
    for index in 0..records.len() {
        let unclassed = |record: &TileRecord| TileRecord { class: 0, ..*record };
        let same = |other: &TileRecord| unclassed(other) == unclassed(&records[index]);
        let class = records[..index].iter().position(same).unwrap_or(index);
        records[index].class = class as u32 + 1;
    }
    records
}

impl TileGridRecord {
    /// Columns of chunks.
    pub(crate) fn chunk_columns(&self) -> u32 {
        self.width.div_ceil(CHUNK_SIDE as u32)
    }

    pub(crate) fn chunk_count(&self) -> u32 {
        self.chunk_columns() * self.height.div_ceil(CHUNK_SIDE as u32)
    }

    /// The cells that a chunk has.
    pub(crate) fn chunk_cells(&self, chunk: u32) -> TileBlock {
        let side = CHUNK_SIDE as u32;
        let (x, y) = (
            chunk % self.chunk_columns() * side,
            chunk / self.chunk_columns() * side,
        );
        TileBlock {
            x,
            y,
            width: side.min(self.width - x),
            height: side.min(self.height - y),
        }
    }

    /// Refuses a block that has no cells or reaches beyond the grid.
    pub(crate) fn check_block(&self, block: TileBlock) -> Result<(), PhysicsError> {
        let fits = |first: u32, count: u32, side: u32| count > 0 && count <= side && first <= side - count;
        if fits(block.x, block.width, self.width) && fits(block.y, block.height, self.height) {
            return Ok(());
        }
        Err(PhysicsError::NoSuchCells {
            first: [block.x, block.y],
            size: [block.width, block.height],
            grid: [self.width, self.height],
        })
    }

    /// How many shapes an edit of a block makes at most.
    pub(crate) fn shapes_max(&self, block: TileBlock) -> usize {
        let side = CHUNK_SIDE as u32;
        let chunks = |first: u32, count: u32| ((first + count).div_ceil(side) - first / side) as usize;
        chunks(block.x, block.width) * chunks(block.y, block.height) * CHUNK_CELLS
    }

    /// The shape of a span of a chunk in the body's frame; `None` of what is too far out to have one.
    pub(crate) fn shape_of(&self, chunk: u32, span: Span, tile: &TileRecord) -> Option<Shape> {
        let TileBlock { x, y, .. } = self.chunk_cells(chunk);
        let first = Vec2::new((x + u32::from(span.x)) as f32, (y + u32::from(span.y)) as f32);
        let more = Vec2::new(f32::from(span.width - 1), f32::from(span.height - 1));
        let mut corners = [Vec2::ZERO; VERTEX_COUNT_MAX];
        let count = tile.corners().len();
        for (place, &corner) in corners.iter_mut().zip(tile.corners()) {
            // Corners on the far sides belong to the last cell of the span. The sums are whole numbers as a rule, so that
            // neighbors have the same corners to the bit.
            let far = Vec2::new(
                if corner.x == 1.0 { more.x } else { 0.0 },
                if corner.y == 1.0 { more.y } else { 0.0 },
            );
            *place = self.origin + self.cell_size * (first + far + corner);
        }
        Shape::polygon(&corners[..count], 0.0).ok()
    }
}

impl TileSpan {
    pub(crate) fn span(&self) -> Span {
        let [x, y, width, height] = self.cells;
        Span {
            x,
            y,
            width,
            height,
            class: self.class as u8,
        }
    }
}
