//! Checks of a restored state that may have been forged: tile grids, their cells and the shapes made of them. Called by
//! `check.rs` only; reads only.

use super::State;
use super::check_lists::hold;
use crate::body::NONE;
use crate::persistent::RestoreError;
use crate::shape::ShapeId;
use crate::tile_grid::{
    CHUNK_CELLS, CHUNK_SIDE, NO_SPAN, Span, TileBlock, TileGridDef, TileGridId, TileGridRecord, TileSpan,
    merge, records_of,
};
use alloc::vec::Vec;
use tombolo_handles::BitSet;

impl State {
    /// Checks that tile grids are valid, each with its own tiles, chunks and cells, and that the shapes made of cells
    /// are those that the cells require. Costs the number of cells.
    pub(super) fn check_tile_grids(&self) -> Result<(), RestoreError> {
        let mut ids: Vec<TileGridId> = self.tile_grids.records.handles().collect();
        ids.sort_by_key(|id| self.tile_grids.records.live(id.index()).first_chunk);
        self.check_tile_records(&ids)?;
        self.check_blocks(&ids)?;
        let known = |id: &ShapeId| self.tile_grids.span_of(id.index()).is_some();
        let of_live_shapes = self.shapes.handles().filter(known).count();
        let used = |span: &&TileSpan| span.grid != NONE;
        hold!(
            self.tile_grids.spans.len() <= self.shapes.slot_count()
                && self.tile_grids.spans.iter().filter(used).count() == of_live_shapes
                && self
                    .tile_grids
                    .spans
                    .iter()
                    .all(|span| used(&span) || *span == NO_SPAN),
            "tile_grids",
            "tiles of a shape that does not live"
        );
        let mut seen = BitSet::with_len(self.tile_grids.spans.len());
        let mut count = 0;
        for id in ids {
            count += self.check_tile_shapes(id.index(), &mut seen)?;
        }
        hold!(count == of_live_shapes, "tile_grids", "a shape in no chunk");
        Ok(())
    }

    /// Checks records and kinds of tiles, and that grids share neither tiles nor chunks.
    fn check_tile_records(&self, ids: &[TileGridId]) -> Result<(), RestoreError> {
        let pool = &self.tile_grids;
        let (mut tiles_end, mut chunks_end) = (0, 0);
        for id in ids {
            let record = *pool.records.live(id.index());
            let sides = [record.width, record.height].map(u64::from);
            hold!(
                self.bodies.is_live(record.body),
                "tile_grids",
                "a grid of a body that does not live"
            );
            hold!(
                record.first_tile as usize == tiles_end
                    && record.first_chunk as usize == chunks_end
                    && record.tile_count as usize <= pool.tiles.len() - tiles_end
                    && sides[0]
                        .checked_mul(sides[1])
                        .is_some_and(|cells| cells > 0 && cells <= 1 << 32)
                    && record.chunk_count() as usize <= pool.chunks.len() - chunks_end,
                "tile_grids",
                "tiles or chunks that are not the grid's"
            );
            tiles_end += record.tile_count as usize;
            chunks_end += record.chunk_count() as usize;
            let tiles: Vec<_> = pool.tiles_of(&record).iter().map(|tile| tile.tile()).collect();
            let def = TileGridDef {
                cell_size: record.cell_size,
                origin: record.origin,
                width: record.width,
                height: record.height,
                tiles,
                cells: Vec::new(),
            };
            hold!(
                def.validate().is_ok() && records_of(&def.tiles) == pool.tiles_of(&record),
                "tile_grids",
                "a number that is out of range"
            );
        }
        hold!(
            tiles_end == pool.tiles.len() && chunks_end == pool.chunks.len(),
            "tile_grids",
            "tiles or chunks of no grid"
        );
        Ok(())
    }

    /// Checks that each block of cells belongs to one chunk or is free, and that cells hold tiles of their grid.
    fn check_blocks(&self, ids: &[TileGridId]) -> Result<(), RestoreError> {
        let pool = &self.tile_grids;
        let blocks = pool.cells.len() / CHUNK_CELLS;
        let mut seen = BitSet::with_len(blocks);
        let mut take = |block: u32| (block as usize) < blocks && seen.set(block as usize);
        let mut count = pool.free_blocks.len();
        let is_free = pool.free_blocks.iter().all(|&block| take(block));
        hold!(
            is_free && pool.cells.len().is_multiple_of(CHUNK_CELLS),
            "tile_grids",
            "a block of cells that is none, or free twice"
        );
        for id in ids {
            let record = *pool.records.live(id.index());
            for chunk in 0..record.chunk_count() {
                let place = pool.chunks[record.first_chunk + chunk];
                let is_own = if place.block == NONE {
                    place.tile <= record.tile_count
                } else {
                    count += 1;
                    place.tile == 0
                        && take(place.block)
                        && is_mixed(&record, chunk, &pool.cells_of(&record, chunk))
                };
                hold!(is_own, "tile_grids", "cells that are not those of their chunk");
            }
        }
        hold!(count == blocks, "tile_grids", "a block of cells of no chunk");
        Ok(())
    }

    /// Checks the shapes of a grid and returns their number.
    fn check_tile_shapes(&self, grid: u32, seen: &mut BitSet) -> Result<usize, RestoreError> {
        let pool = &self.tile_grids;
        let record = *pool.records.live(grid);
        let mut spans = Vec::new();
        let mut count = 0;
        for chunk in 0..record.chunk_count() {
            merge(&pool.cells_of(&record, chunk), pool.tiles_of(&record), &mut spans);
            let shape_of = |span: &Span| {
                let kind = usize::from(span.class) - 1;
                record.shape_of(chunk, *span, &pool.tiles_of(&record)[kind])
            };
            let mut left = pool.chunks[record.first_chunk + chunk].shape_count;
            count += left as usize;
            let mut shape = pool.chunks[record.first_chunk + chunk].first_shape;
            let possible = spans.iter().filter(|span| shape_of(span).is_some()).count();
            hold!(
                left as usize == possible,
                "tile_grids",
                "another number of shapes than cells want"
            );
            while left > 0 {
                let span = pool
                    .span_of(shape)
                    .filter(|span| (span.grid, span.chunk) == (grid, chunk));
                let is_wanted = |span: Span| {
                    let place = spans.binary_search_by_key(&(span.y, span.x), |known| (known.y, known.x));
                    place.is_ok_and(|place| spans[place] == span)
                };
                let is_own = span.is_some_and(|span| {
                    seen.set(shape as usize)
                        && self.shapes.is_live(shape)
                        && self.shape_links[shape].body == record.body
                        && is_wanted(span.span())
                        && span.class == u32::from(span.span().class)
                        && shape_of(&span.span()) == Some(self.shape_geometries[shape])
                });
                hold!(is_own, "tile_grids", "a shape that is not made of its cells");
                shape = pool.spans[shape].next;
                left -= 1;
            }
            hold!(shape == NONE, "tile_grids", "a list of shapes that goes on");
        }
        hold!(
            count == record.shape_count as usize,
            "tile_grids",
            "another number of shapes"
        );
        Ok(count)
    }
}

/// Whether the cells of a chunk are tiles of the grid, not all equal, and empty beyond the grid.
fn is_mixed(record: &TileGridRecord, chunk: u32, cells: &[u8; CHUNK_CELLS]) -> bool {
    let TileBlock { width, height, .. } = record.chunk_cells(chunk);
    let is_in = |place: usize| place % CHUNK_SIDE < width as usize && place / CHUNK_SIDE < height as usize;
    let mut all = cells.iter().enumerate();
    let is_sound =
        all.all(|(place, &cell)| u32::from(cell) <= if is_in(place) { record.tile_count } else { 0 });
    let mut inside = cells.iter().enumerate().filter(|(place, _)| is_in(*place));
    is_sound && inside.any(|(_, &cell)| cell != cells[0])
}
