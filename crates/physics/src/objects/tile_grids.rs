//! Tile grids in the state: the shapes that are made of their cells, and replacing them where cells change.
//!
//! In a changed chunk only the shapes whose cells differ are replaced; the others keep their contacts.

use crate::PhysicsError;
use crate::body::NONE;
use crate::broad_phase::TreeKind;
use crate::constants::BOX_REACH_M;
use crate::contact::flag;
use crate::shape::{ShapeDef, skin_m};
use crate::state::State;
use crate::tile_grid::{
    CHUNK_CELLS, CHUNK_SIDE, CellCut, NO_SPAN, Span, TileBlock, TileChunk, TileCut, TileGridDef, TileGridId,
    TileGridRecord, TileSpan, merge, records_of,
};
use alloc::vec;
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::Aabb;
use tombolo_geometry::bvh::{NodeFilter, Tree, Visit};
use tombolo_geometry::shape::Shape;

/// The tiles that an edit of a grid writes into cells.
#[derive(Clone, Copy)]
pub(crate) enum NewCells<'a> {
    /// Tiles from outside.
    Given(GivenCells<'a>),
    /// The present ones without those that a cut removes.
    Without(&'a CellCut),
}

/// Tiles for a block of cells.
#[derive(Clone, Copy)]
pub(crate) enum GivenCells<'a> {
    /// One tile for all cells.
    All(u8),
    /// A tile for each cell, row by row from below.
    Each(&'a [u8]),
}

/// The shapes to be removed, and those to be created.
#[derive(Default)]
struct Changes {
    gone: Vec<u32>,
    new: Vec<(u32, Span)>,
}

impl State {
    /// The record of a grid, if it exists.
    pub(crate) fn check_tile_grid(&self, id: TileGridId) -> Result<&TileGridRecord, PhysicsError> {
        let record = self.tile_grids.records.get(id);
        record.ok_or(PhysicsError::StaleHandle { what: "tile grid" })
    }

    /// Adds a tile grid and its shapes to a body, but not yet to the body's mass. The definition was checked.
    pub(crate) fn add_tile_grid(&mut self, body: u32, def: &TileGridDef) -> TileGridId {
        let pool = &mut self.tile_grids;
        let record = TileGridRecord {
            // Adding zero turns a negative zero into a positive one.
            origin: def.origin + Vec2::ZERO,
            cell_size: def.cell_size,
            body,
            width: def.width,
            height: def.height,
            first_tile: pool.tiles.count(),
            tile_count: def.tiles.len() as u32,
            first_chunk: pool.chunks.count(),
            shape_count: 0,
        };
        for tile in records_of(&def.tiles) {
            pool.tiles.push(tile);
        }
        let empty = TileChunk {
            block: NONE,
            tile: 0,
            first_shape: NONE,
            shape_count: 0,
        };
        pool.chunks
            .grow_to((record.first_chunk + record.chunk_count() - 1) as usize, empty);
        let id = pool.records.insert(record);
        if !def.cells.is_empty() {
            let all = TileBlock {
                x: 0,
                y: 0,
                width: def.width,
                height: def.height,
            };
            let changes = self.write_cells(id.index(), all, NewCells::Given(GivenCells::Each(&def.cells)));
            self.make_tile_shapes(id.index(), &changes.new);
        }
        id
    }

    /// Writes cells of a grid, updates the shapes, and wakes the bodies that touched removed shapes or are near the
    /// cells. Returns the number of cells that changed.
    pub(crate) fn edit_tiles(&mut self, grid: u32, block: TileBlock, cells: NewCells<'_>) -> usize {
        let record = *self.tile_grids.records.live(grid);
        let (changed, count) = self.changed_cells(&record, block, cells);
        if count == 0 {
            return 0;
        }
        let areas: Vec<Aabb> = changed
            .into_iter()
            .map(|block| self.area_of_cells(&record, block))
            .collect();
        let changes = self.write_cells(grid, block, cells);
        self.wake_near_cells(record.body, &areas);
        self.part_from_tile_shapes(record.body, &areas, &changes.gone);
        changes.gone.iter().for_each(|&shape| self.remove_shape(shape));
        self.make_tile_shapes(grid, &changes.new);
        // Static bodies have no mass, and computing it costs all their shapes.
        if !changes.gone.is_empty() || !changes.new.is_empty() {
            self.note_stale_mass_unless_static(record.body);
        }
        count
    }

    /// The grids of enabled bodies that a cut may reach, in the order of their places, with the least block of each that
    /// has all cells in its reach.
    pub(crate) fn grids_in_reach(&self, cut: &TileCut) -> Vec<(u32, TileBlock)> {
        let grids = self.tile_grids.records.handles().map(|id| id.index());
        let reached = grids.filter_map(|grid| {
            let record = self.tile_grids.records.live(grid);
            let is_enabled = self.body_sims[record.body].has(crate::body::flag::ENABLED);
            let block = self.cell_cut(grid, cut).block(record).filter(|_| is_enabled)?;
            Some((grid, block))
        });
        reached.collect()
    }

    fn cell_cut(&self, grid: u32, cut: &TileCut) -> CellCut {
        let record = self.tile_grids.records.live(grid);
        let pose = self.body_poses[record.body].pose;
        CellCut::new(cut, record, self.tile_grids.tiles_of(record), pose)
    }

    /// The greatest number of shapes that a cut of a block of a grid can create. Costs the chunks of the block.
    pub(crate) fn cut_shapes_max(&self, grid: u32, block: TileBlock, cut: &TileCut) -> usize {
        let cells = self.cell_cut(grid, cut);
        let mut chunk_count = 0;
        for_each_chunk(self.tile_grids.records.live(grid), block, |_, part| {
            chunk_count += usize::from(cells.reaches(part));
        });
        chunk_count * CHUNK_CELLS
    }

    /// Empties the cells of a block of a grid that a cut reaches. Returns their number.
    pub(crate) fn cut_grid(&mut self, grid: u32, block: TileBlock, cut: &TileCut) -> usize {
        let cells = self.cell_cut(grid, cut);
        self.edit_tiles(grid, block, NewCells::Without(&cells))
    }

    fn note_stale_mass_unless_static(&mut self, body: u32) {
        if self.body_sims[body].kind() != crate::BodyKind::Static {
            self.note_stale_mass(body);
        }
    }

    /// For each chunk the least block that contains all cells which an edit would change, if there are any; and their
    /// number.
    fn changed_cells(
        &self,
        record: &TileGridRecord,
        block: TileBlock,
        cells: NewCells<'_>,
    ) -> (Vec<TileBlock>, usize) {
        let (mut changed, mut count) = (Vec::new(), 0);
        for_each_chunk(record, block, |chunk, part| {
            if !cells.may_change(part) {
                return;
            }
            let (mut low, mut high) = ([u32::MAX; 2], [0; 2]);
            let old = self.tile_grids.cells_of(record, chunk);
            for_each_cell(record, chunk, part, |x, y, place| {
                if old[place] != cells.at(block, x, y, old[place]) {
                    count += 1;
                    low = [low[0].min(x), low[1].min(y)];
                    high = [high[0].max(x), high[1].max(y)];
                }
            });
            if low[0] != u32::MAX {
                changed.push(TileBlock {
                    x: low[0],
                    y: low[1],
                    width: high[0] - low[0] + 1,
                    height: high[1] - low[1] + 1,
                });
            }
        });
        (changed, count)
    }

    /// Writes cells and finds the shapes that no longer match the cells, and those that are missing.
    fn write_cells(&mut self, grid: u32, block: TileBlock, new: NewCells<'_>) -> Changes {
        let record = *self.tile_grids.records.live(grid);
        let mut changes = Changes::default();
        let mut spans = Vec::new();
        let mut wanted = vec![0_u16; CHUNK_CELLS];
        for_each_chunk(&record, block, |chunk, part| {
            if !new.may_change(part) {
                return;
            }
            let pool = &mut self.tile_grids;
            let old = pool.cells_of(&record, chunk);
            let mut cells = old;
            for_each_cell(&record, chunk, part, |x, y, place| {
                cells[place] = new.at(block, x, y, old[place]);
            });
            if cells == old {
                return;
            }
            pool.set_cells(&record, chunk, &cells);
            merge(&cells, pool.tiles_of(&record), &mut spans);
            self.compare(&record, chunk, &spans, &mut wanted, &mut changes);
        });
        changes
    }

    /// Removes the shapes of a chunk that are not among `spans` from its list, and records the spans that have none.
    /// `wanted` is zero before and after.
    fn compare(
        &mut self,
        record: &TileGridRecord,
        chunk: u32,
        spans: &[Span],
        wanted: &mut [u16],
        changes: &mut Changes,
    ) {
        let place_of = |span: &Span| usize::from(span.y) * CHUNK_SIDE + usize::from(span.x);
        for (number, span) in (1..).zip(spans) {
            wanted[place_of(span)] = number;
        }
        let pool = &mut self.tile_grids;
        let index = record.first_chunk + chunk;
        let mut shape = core::mem::replace(&mut pool.chunks[index].first_shape, NONE);
        while shape != NONE {
            let span = pool.spans[shape];
            let place = place_of(&span.span());
            let is_wanted = usize::from(wanted[place])
                .checked_sub(1)
                .is_some_and(|number| spans[number] == span.span());
            if is_wanted {
                wanted[place] = 0;
                pool.spans[shape].next = core::mem::replace(&mut pool.chunks[index].first_shape, shape);
            } else {
                pool.chunks[index].shape_count -= 1;
                changes.gone.push(shape);
            }
            shape = span.next;
        }
        for span in spans {
            if core::mem::take(&mut wanted[place_of(span)]) != 0 {
                changes.new.push((chunk, *span));
            }
        }
    }

    /// The box around cells of a grid in the world, with the margin within which shapes touch.
    fn area_of_cells(&self, record: &TileGridRecord, block: TileBlock) -> Aabb {
        let pose = self.body_poses[record.body].pose;
        let corner = |x: u32, y: u32| record.origin + record.cell_size * Vec2::new(x as f32, y as f32);
        let (low, high) = (
            corner(block.x, block.y),
            corner(block.x + block.width, block.y + block.height),
        );
        let corners = [low, Vec2::new(high.x, low.y), high, Vec2::new(low.x, high.y)];
        let placed = corners.map(|corner| pose.transform_point(corner));
        let around = placed[1..]
            .iter()
            .fold(Aabb::new(placed[0], placed[0]), |area, &corner| Aabb {
                min: area.min.min(corner),
                max: area.max.max(corner),
            });
        let skins = self.tile_grids.tiles_of(record).iter().map(|tile| tile.skin);
        around.grown(BOX_REACH_M + skin_m(skins.max().unwrap_or(0)))
    }

    /// Wakes the body of a grid and the dynamic bodies whose boxes overlap areas of changed cells.
    fn wake_near_cells(&mut self, body: u32, areas: &[Aabb]) {
        let mut near = Vec::new();
        for &area in areas {
            self.broad_phase
                .query_tree(TreeKind::Dynamic, area, |shape| near.push(shape));
        }
        for shape in near {
            self.wake(self.shape_links[shape].body);
        }
        self.wake(body);
    }

    /// Ends the contacts of shapes that are about to be removed and wakes the bodies that touched them; contacts near the
    /// areas of changed cells are computed anew, as their neighbors change. Costs the contacts of the body, and for each
    /// the areas near it.
    fn part_from_tile_shapes(&mut self, body: u32, areas: &[Aabb], gone: &[u32]) {
        for &shape in gone {
            self.tile_grids.spans[shape].class = 0;
        }
        let mut tree = Tree::new();
        for (item, &area) in (0..).zip(areas) {
            tree.insert(item, area, NodeFilter::ALL)
                .expect("places of cells are finite");
        }
        let is_near = |boxes: [Aabb; 2]| {
            let mut found = false;
            tree.query_box(boxes[0], u64::MAX, |item| {
                found |= areas[item as usize].overlaps(boxes[1]);
                if found { Visit::Stop } else { Visit::Continue }
            });
            found
        };
        self.change_contacts_of(body, |state, index| {
            let links = state.contacts.links.live(index);
            let shapes = links.shapes;
            let is_gone = |shape: u32| {
                state
                    .tile_grids
                    .span_of(shape)
                    .is_some_and(|span| span.class == 0)
            };
            let place = state.contacts.place_of(index);
            let contact = &mut state.contacts.contacts[place];
            if shapes.into_iter().any(is_gone) {
                let other = contact.is_pushing().then_some(contact.other_body(body));
                if let Some(other) = other {
                    state.wake(other);
                }
                state.destroy_contact(index);
            } else if is_near(
                [contact.proxy_a, contact.proxy_b].map(|proxy| state.broad_phase.fat_box(proxy)),
            ) {
                contact.flags &= !flag::COMPUTED;
            }
        });
    }

    /// Clears the span of a shape that is removed.
    pub(super) fn forget_span(&mut self, shape: u32) {
        let Some(&span) = self.tile_grids.span_of(shape) else {
            return;
        };
        self.tile_grids.records.live_mut(span.grid).shape_count -= 1;
        self.tile_grids.spans[shape] = NO_SPAN;
    }

    fn make_tile_shapes(&mut self, grid: u32, new: &[(u32, Span)]) {
        let record = *self.tile_grids.records.live(grid);
        let tiles = self.tile_grids.tiles_of(&record).to_vec();
        let defs: Vec<ShapeDef> = tiles.iter().map(|tile| tile.shape_def()).collect();
        for &(chunk, span) in new {
            let kind = usize::from(span.class) - 1;
            let Some(geometry) = record.shape_of(chunk, span, &tiles[kind]) else {
                continue;
            };
            self.make_tile_shape(grid, chunk, span, &defs[kind], &geometry);
        }
    }

    fn make_tile_shape(&mut self, grid: u32, chunk: u32, span: Span, def: &ShapeDef, geometry: &Shape) {
        let record = *self.tile_grids.records.live(grid);
        let shape = self.add_shape(record.body, def, geometry).index();
        let pool = &mut self.tile_grids;
        pool.spans.grow_to(shape as usize, NO_SPAN);
        let place = &mut pool.chunks[record.first_chunk + chunk];
        place.shape_count += 1;
        pool.spans[shape] = TileSpan {
            grid,
            chunk,
            next: core::mem::replace(&mut place.first_shape, shape),
            class: u32::from(span.class),
            cells: [span.x, span.y, span.width, span.height],
        };
        pool.records.live_mut(grid).shape_count += 1;
    }

    /// The shapes made of the chunks that a block of cells overlaps.
    pub(crate) fn tile_shapes_around(&self, grid: u32, block: TileBlock) -> Vec<u32> {
        let pool = &self.tile_grids;
        let record = pool.records.live(grid);
        let mut shapes = Vec::new();
        for_each_chunk(record, block, |chunk, _| {
            let mut shape = pool.chunks[record.first_chunk + chunk].first_shape;
            while shape != NONE {
                shapes.push(shape);
                shape = pool.spans[shape].next;
            }
        });
        shapes
    }

    /// Removes a tile grid with its shapes, and wakes the bodies that touched them.
    pub(crate) fn destroy_tile_grid(&mut self, grid: u32) {
        let record = *self.tile_grids.records.live(grid);
        let all = record.all_cells();
        self.edit_tiles(grid, all, NewCells::Given(GivenCells::All(0)));
        self.forget_tile_grid(grid);
    }

    /// Removes the tile grids of a body whose shapes were removed.
    pub(crate) fn forget_tile_grids_of(&mut self, body: u32) {
        let of_body = |grid: &u32| self.tile_grids.records.live(*grid).body == body;
        let grids = self.tile_grids.records.handles().map(|id| id.index());
        let grids: Vec<u32> = grids.filter(of_body).collect();
        grids.into_iter().for_each(|grid| self.forget_tile_grid(grid));
    }

    /// Removes a tile grid without shapes. Costs the tiles and chunks of all grids.
    fn forget_tile_grid(&mut self, grid: u32) {
        let pool = &mut self.tile_grids;
        let gone = *pool.records.live(grid);
        for index in gone.first_chunk..gone.first_chunk + gone.chunk_count() {
            let block = pool.chunks[index].block;
            if block != NONE {
                pool.free_block(block);
            }
        }
        let mut chunks = pool.chunks.to_vec();
        chunks.drain(gone.first_chunk as usize..(gone.first_chunk + gone.chunk_count()) as usize);
        pool.chunks = chunks.into();
        let mut tiles = pool.tiles.to_vec();
        tiles.drain(gone.first_tile as usize..(gone.first_tile + gone.tile_count) as usize);
        pool.tiles = tiles.into();
        for dense in 0..pool.records.len() {
            let other = pool.records.value_at_mut(dense).expect("below the length");
            if other.first_chunk > gone.first_chunk {
                other.first_chunk -= gone.chunk_count();
                other.first_tile -= gone.tile_count;
            }
        }
        let id = pool.records.live_id(grid);
        pool.records.remove(id);
    }
}

impl NewCells<'_> {
    /// The new tile of a cell, whose present one is `old`.
    fn at(self, block: TileBlock, x: u32, y: u32, old: u8) -> u8 {
        match self {
            Self::Without(cut) => cut.after(x, y, old),
            Self::Given(GivenCells::All(cell)) => cell,
            Self::Given(GivenCells::Each(cells)) => {
                cells[(y - block.y) as usize * block.width as usize + (x - block.x) as usize]
            }
        }
    }

    /// Whether a part of a chunk is worth a look.
    fn may_change(self, part: TileBlock) -> bool {
        match self {
            Self::Without(cut) => cut.reaches(part),
            Self::Given(_) => true,
        }
    }
}

/// Calls `visit` with each chunk of a grid that a block overlaps, and the part of the block in it.
fn for_each_chunk(record: &TileGridRecord, block: TileBlock, mut visit: impl FnMut(u32, TileBlock)) {
    let side = CHUNK_SIDE as u32;
    let (right, top) = (block.x + block.width, block.y + block.height);
    for row in block.y / side..top.div_ceil(side) {
        for column in block.x / side..right.div_ceil(side) {
            let chunk = row * record.chunk_columns() + column;
            let of = record.chunk_cells(chunk);
            let (x, y) = (of.x.max(block.x), of.y.max(block.y));
            let part = TileBlock {
                x,
                y,
                width: (of.x + of.width).min(right) - x,
                height: (of.y + of.height).min(top) - y,
            };
            visit(chunk, part);
        }
    }
}

/// Calls `visit` with column and row of each cell of a part of a chunk, and its place in the chunk.
fn for_each_cell(
    record: &TileGridRecord,
    chunk: u32,
    part: TileBlock,
    mut visit: impl FnMut(u32, u32, usize),
) {
    let TileBlock { x: left, y: low, .. } = record.chunk_cells(chunk);
    for y in part.y..part.y + part.height {
        for x in part.x..part.x + part.width {
            visit(x, y, (y - low) as usize * CHUNK_SIDE + (x - left) as usize);
        }
    }
}
