//! [`TileGridPool`]: the storage of all grids of a world, their tiles and cells. `objects/tile_grids.rs` writes it.

use super::def::TileBlock;
use super::records::{CHUNK_CELLS, CHUNK_SIDE, TileChunk, TileGridRecord, TileRecord, TileSpan};
use crate::body::NONE;
use crate::persistent::{PlainArray, PlainMap};
use tombolo_handles::TypeTag;

/// All tile grids of a world.
#[derive(Clone, Debug)]
pub(crate) struct TileGridPool {
    pub(crate) records: PlainMap<TileGridRecord>,
    /// Kinds of tiles, consecutive for each grid, in the order of the records.
    pub(crate) tiles: PlainArray<TileRecord>,
    /// Chunks, consecutive for each grid, in the order of the records.
    pub(crate) chunks: PlainArray<TileChunk>,
    /// Cells of the chunks whose cells differ, a block for each.
    pub(crate) cells: PlainArray<u8>,
    /// Blocks that no chunk uses, to be reused, last in first out.
    pub(crate) free_blocks: PlainArray<u32>,
    /// The span of each shape, by shape index, up to the last shape that is made of tiles.
    pub(crate) spans: PlainArray<TileSpan>,
}

impl TileGridPool {
    pub(crate) fn new(tag: TypeTag) -> Self {
        Self {
            records: PlainMap::with_tag(tag),
            tiles: PlainArray::default(),
            chunks: PlainArray::default(),
            cells: PlainArray::default(),
            free_blocks: PlainArray::default(),
            spans: PlainArray::default(),
        }
    }

    pub(crate) fn tiles_of(&self, record: &TileGridRecord) -> &[TileRecord] {
        let first = record.first_tile as usize;
        self.tiles.slice(first..first + record.tile_count as usize)
    }

    /// The span of a shape; `None` if it is not made of tiles.
    pub(crate) fn span_of(&self, shape: u32) -> Option<&TileSpan> {
        self.spans.get(shape as usize).filter(|span| span.grid != NONE)
    }

    /// The cells of a chunk; those beyond the grid are empty.
    pub(crate) fn cells_of(&self, record: &TileGridRecord, chunk: u32) -> [u8; CHUNK_CELLS] {
        let place = &self.chunks[record.first_chunk + chunk];
        let mut cells = [0; CHUNK_CELLS];
        if place.block != NONE {
            cells.copy_from_slice(self.block(place.block));
        } else if place.tile != 0 {
            let TileBlock { width, height, .. } = record.chunk_cells(chunk);
            for row in cells.chunks_exact_mut(CHUNK_SIDE).take(height as usize) {
                row[..width as usize].fill(place.tile as u8);
            }
        }
        cells
    }

    fn block(&self, block: u32) -> &[u8] {
        let start = block as usize * CHUNK_CELLS;
        self.cells.slice(start..start + CHUNK_CELLS)
    }

    /// Writes the cells of a chunk; those beyond the grid are empty.
    pub(crate) fn set_cells(&mut self, record: &TileGridRecord, chunk: u32, cells: &[u8; CHUNK_CELLS]) {
        let TileBlock { width, height, .. } = record.chunk_cells(chunk);
        let mut rows = cells.chunks_exact(CHUNK_SIDE).take(height as usize);
        let is_uniform = rows.all(|row| row[..width as usize].iter().all(|&cell| cell == cells[0]));
        let index = record.first_chunk + chunk;
        let block = self.chunks[index].block;
        if is_uniform {
            if block != NONE {
                self.free_block(block);
            }
            let place = &mut self.chunks[index];
            (place.block, place.tile) = (NONE, u32::from(cells[0]));
            return;
        }
        let block = if block == NONE { self.take_block() } else { block };
        let start = block as usize * CHUNK_CELLS;
        self.cells
            .slice_mut(start..start + CHUNK_CELLS)
            .copy_from_slice(cells);
        let place = &mut self.chunks[index];
        (place.block, place.tile) = (block, 0);
    }

    fn take_block(&mut self) -> u32 {
        if let Some(block) = self.free_blocks.pop() {
            return block;
        }
        let block = self.cells.len() / CHUNK_CELLS;
        self.cells.grow_to((block + 1) * CHUNK_CELLS - 1, 0);
        block as u32
    }

    pub(crate) fn free_block(&mut self, block: u32) {
        let start = block as usize * CHUNK_CELLS;
        self.cells.slice_mut(start..start + CHUNK_CELLS).fill(0);
        self.free_blocks.push(block);
    }

    /// The tile of a cell of a grid; 0 if it is empty.
    pub(crate) fn tile_at(&self, record: &TileGridRecord, x: u32, y: u32) -> u8 {
        let side = CHUNK_SIDE as u32;
        let chunk = &self.chunks[record.first_chunk + y / side * record.chunk_columns() + x / side];
        if chunk.block == NONE {
            return chunk.tile as u8;
        }
        self.block(chunk.block)[(y % side * side + x % side) as usize]
    }
}
