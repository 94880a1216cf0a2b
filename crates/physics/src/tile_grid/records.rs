//! The records of tile grids, their kinds of tiles, their chunks, and the spans of the shapes made of them.

use super::def::{Tile, TileBlock, TileShape};
use crate::PhysicsError;
use crate::body::NONE;
use crate::shape::{CombineRule, Filter, Material, ShapeDef, skin_m, skin_units};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::plain_data;
use tombolo_geometry::shape::{Shape, VERTEX_COUNT_MAX};
use tombolo_handles::Handle;

/// The number of columns and of rows of a chunk.
pub(crate) const CHUNK_SIDE: usize = 32;

/// The number of cells of a chunk.
pub(crate) const CHUNK_CELLS: usize = CHUNK_SIDE * CHUNK_SIDE;

/// The id of a tile grid of one world; stale when the grid or its body is destroyed.
pub type TileGridId = Handle<TileGridRecord>;

plain_data! {
    /// The record of a tile grid without its tiles and cells. Opaque to users.
    #[derive(Debug)]
    pub struct TileGridRecord {
        /// The lower left corner in the body's frame.
        pub(crate) origin: Vec2,
        /// The width and height of a cell in meters.
        pub(crate) cell_size: f32,
        /// The body's index.
        pub(crate) body: u32,
        /// The number of columns.
        pub(crate) width: u32,
        /// The number of rows.
        pub(crate) height: u32,
        /// The start of its kinds of tiles among all.
        pub(crate) first_tile: u32,
        /// The number of its kinds of tiles.
        pub(crate) tile_count: u32,
        /// The start of its chunks among all, row by row from below.
        pub(crate) first_chunk: u32,
        /// The number of shapes made of it.
        pub(crate) shape_count: u32,
    }

    /// A kind of tile.
    #[derive(Debug, PartialEq)]
    pub(crate) struct TileRecord {
        /// The same as in [`ShapeDef`], like all following fields without a comment.
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
        /// The rules for friction and restitution: two numbers of [`CombineRule`], eight bits each.
        pub(crate) rules: u16,
        /// The contact skin in hundredths of a millimeter.
        pub(crate) skin: u16,
        /// Bits of [`tile_flag`].
        pub(crate) flags: u32,
        /// The corners in units of a cell.
        pub(crate) corners: [Vec2; 8],
        /// The number of corners.
        pub(crate) corner_count: u32,
        /// The least number of a kind that equals this one, itself included; from 1.
        pub(crate) class: u32,
    }

    /// A chunk of 32 by 32 cells, or fewer at the right and upper end of the grid.
    #[derive(Debug, PartialEq)]
    pub(crate) struct TileChunk {
        /// The number of its block of 1,024 cells; `NONE` if all cells of the grid in it are equal.
        pub(crate) block: u32,
        /// The tile of the cells if they are equal; 0 otherwise.
        pub(crate) tile: u32,
        /// The newest shape made of it, or `NONE`.
        pub(crate) first_shape: u32,
        /// The number of shapes made of it.
        pub(crate) shape_count: u32,
    }

    /// The span of tiles of a shape, by the shape's index.
    #[derive(Debug, PartialEq)]
    pub(crate) struct TileSpan {
        /// The slot of its grid; `NONE` for a shape that is not made of tiles.
        pub(crate) grid: u32,
        /// The number of the chunk in the grid.
        pub(crate) chunk: u32,
        /// The next shape of the same chunk, or `NONE`.
        pub(crate) next: u32,
        /// The kind of tile that stands for all of the span's.
        pub(crate) class: u32,
        /// Column and row in the chunk, number of columns, number of rows.
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
    /// This bit and the next are about the corners: they form a box from the left side of the cell to the right one.
    pub(crate) const FULL_WIDTH: u32 = 1 << 5;
    /// The corners form a box from the lower side of the cell to the upper one.
    pub(crate) const FULL_HEIGHT: u32 = 1 << 6;
}

/// Equal tiles of a chunk that form one shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The column in the chunk.
    pub(crate) x: u8,
    /// The row in the chunk.
    pub(crate) y: u8,
    /// The number of columns.
    pub(crate) width: u8,
    /// The number of rows.
    pub(crate) height: u8,
    /// The number of the kind of tile, the least of those that are equal; from 1.
    pub(crate) class: u8,
}

/// The span of a shape that is not made of tiles.
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
            contact_skin,
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
            // Adding zero turns a negative zero into a positive one.
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
            rules: Material::rules(friction_rule, restitution_rule),
            skin: skin_units(contact_skin),
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

    /// Whether the corners form a box that reaches from side to side of the cell, along rows and along columns.
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

    /// Whether it has the material, the filter and the events of another kind, whatever its corners.
    pub(crate) fn has_same_properties(&self, other: &Self) -> bool {
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

    /// The definition of the shapes made of it, apart from their geometry.
    pub(crate) fn shape_def(&self) -> ShapeDef {
        let has = |bit: u32| self.flags & bit != 0;
        let rule = |number: u16| {
            let rules = CombineRule::ALL.into_iter();
            let mut rules = rules.filter(|rule| *rule as u16 == number & 0xff);
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
            contact_skin: skin_m(self.skin),
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

    /// The kind of tile from which it was created; a shape with a name is returned by its corners.
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

/// The records of kinds of tiles, each with the first kind that equals it.
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
    /// The number of columns of chunks.
    pub(crate) fn chunk_columns(&self) -> u32 {
        self.width.div_ceil(CHUNK_SIDE as u32)
    }

    pub(crate) fn chunk_count(&self) -> u32 {
        self.chunk_columns() * self.height.div_ceil(CHUNK_SIDE as u32)
    }

    /// The cells of a chunk.
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

    /// The block of all cells.
    pub(crate) fn all_cells(&self) -> TileBlock {
        TileBlock {
            x: 0,
            y: 0,
            width: self.width,
            height: self.height,
        }
    }

    /// Returns an error for a block that has no cells or extends beyond the grid.
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

    /// The greatest number of shapes that an edit of a block can create.
    pub(crate) fn shapes_max(&self, block: TileBlock) -> usize {
        let side = CHUNK_SIDE as u32;
        let chunks = |first: u32, count: u32| ((first + count).div_ceil(side) - first / side) as usize;
        chunks(block.x, block.width) * chunks(block.y, block.height) * CHUNK_CELLS
    }

    /// The shape of a span of a chunk in the body's frame; `None` for a span that is out of range.
    pub(crate) fn shape_of(&self, chunk: u32, span: Span, tile: &TileRecord) -> Option<Shape> {
        let TileBlock { x, y, .. } = self.chunk_cells(chunk);
        let first = Vec2::new((x + u32::from(span.x)) as f32, (y + u32::from(span.y)) as f32);
        let more = Vec2::new(f32::from(span.width - 1), f32::from(span.height - 1));
        let mut corners = [Vec2::ZERO; VERTEX_COUNT_MAX];
        let count = tile.corners().len();
        for (place, &corner) in corners.iter_mut().zip(tile.corners()) {
            // Corners on the far sides belong to the last cell of the span. The sums are usually whole numbers, so that
            // neighbors have exactly the same corners.
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
