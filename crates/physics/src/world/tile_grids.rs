//! Calls that create, read and change tile grids on bodies.

use super::PhysicsWorld;
use super::views::{BodyRef, ShapeRef};
use crate::PhysicsError;
use crate::body::BodyId;
use crate::objects::tile_grids::{GivenCells, NewCells};
use crate::recording::Call;
use crate::state::State;
use crate::tile_grid::{Tile, TileBlock, TileCut, TileGridDef, TileGridId, TileGridRecord, check_cells};
use alloc::vec::Vec;
use glam::Vec2;
use tombolo_geometry::Position;
use tombolo_threads::FloatEnvironment;

/// A view of a tile grid for reading.
#[derive(Clone, Copy, Debug)]
pub struct TileGridRef<'a> {
    state: &'a State,
    id: TileGridId,
}

impl PhysicsWorld {
    /// Attaches a tile grid to a body: cells in rows and columns, each empty or holding a tile.
    ///
    /// Neighboring tiles of one kind merge into long shapes of the body, within chunks of 32 by 32 cells, and on a
    /// static or kinematic body there are no bumps where these meet. Queries and events return these shapes;
    /// [`ShapeRef::tiles`] returns the cells of one. They change with their cells only. Cuts leave them unchanged.
    ///
    /// Costs the cells, and for each shape as much as [`PhysicsWorld::create_shape`]; takes a byte for each cell of
    /// chunks whose cells differ, and some 400 bytes for each shape.
    ///
    /// # Errors
    ///
    /// If the body is gone, [`TileGridDef::validate`] returns an error, or the world is full.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Tile, TileGridDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let def = TileGridDef { width: 300, height: 20, tiles: vec![Tile::default()], ..TileGridDef::default() };
    /// let grid = world.create_tile_grid(ground, &def)?;
    /// world.set_tile(grid, 7, 3, 1)?;
    /// assert_eq!(world.tile_grid(grid).unwrap().tile(7, 3), Some(1));
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn create_tile_grid(&mut self, body: BodyId, def: &TileGridDef) -> Result<TileGridId, PhysicsError> {
        self.log.report(|| Call::CreateTileGrid {
            body,
            def: def.clone(),
        });
        let _environment = FloatEnvironment::enter();
        let body = self.state.check_body(body)?;
        def.validate()?;
        self.state
            .check_no_composite(body, "a composite has no tiles: give them to a body of their own")?;
        self.state.check_capacity(0, def.cells.len(), 0)?;
        self.note_body(body);
        self.state.wake_if_in_place(body);
        let id = self.state.add_tile_grid(body, def);
        self.state.note_stale_mass(body);
        Ok(id)
    }

    /// Removes a tile grid with all its shapes, and wakes the bodies that rested on them.
    ///
    /// # Errors
    ///
    /// If the grid is gone already.
    pub fn destroy_tile_grid(&mut self, id: TileGridId) -> Result<(), PhysicsError> {
        self.log.report(|| Call::DestroyTileGrid { grid: id });
        let _environment = FloatEnvironment::enter();
        let record = self.state.check_tile_grid(id)?;
        let (body, all) = (record.body, record.all_cells());
        self.note_body(body);
        let shapes = self.watched_shapes(|state| state.tile_shapes_around(id.index(), all));
        self.state.destroy_tile_grid(id.index());
        self.note_destroyed(shapes);
        Ok(())
    }

    /// Sets a cell to a tile by its number from 1, or empties it with 0. See [`PhysicsWorld::set_tiles`].
    ///
    /// # Errors
    ///
    /// If the grid is gone, or has no such cell or tile.
    pub fn set_tile(&mut self, id: TileGridId, x: u32, y: u32, tile: u8) -> Result<(), PhysicsError> {
        self.fill_tiles(id, TileBlock::cell(x, y), tile)
    }

    /// Sets all cells of a block to the same tile. See [`PhysicsWorld::set_tiles`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::set_tile`]; nothing is changed then.
    pub fn fill_tiles(&mut self, id: TileGridId, block: TileBlock, tile: u8) -> Result<(), PhysicsError> {
        self.log.report(|| Call::FillTiles {
            grid: id,
            block,
            tile: u32::from(tile),
        });
        self.edit_tiles(id, block, GivenCells::All(tile))
    }

    /// Sets the tiles of a block of cells, row by row from below.
    ///
    /// Wakes the dynamic bodies that are near changed cells, and those that touch replaced shapes: a body where a tile
    /// appears is pushed out. Costs the chunks of the block, the shapes that change and the contacts of the body.
    ///
    /// # Errors
    ///
    /// In the same cases as [`PhysicsWorld::set_tile`]; or if the numbers of tiles and cells differ. Nothing is changed
    /// then.
    pub fn set_tiles(&mut self, id: TileGridId, block: TileBlock, tiles: &[u8]) -> Result<(), PhysicsError> {
        self.log.report(|| Call::SetTiles {
            grid: id,
            block,
            tiles: tiles.to_vec(),
        });
        self.edit_tiles(id, block, GivenCells::Each(tiles))
    }

    /// Empties the cells of all tile grids that a cut reaches, on every enabled body of any kind. Returns their number.
    /// What cuts and explosions do to bodies is up to [`PhysicsWorld::cut_through`] and [`PhysicsWorld::explode`]: this
    /// is about tiles alone, which they leave where they are.
    ///
    /// Wakes bodies like [`PhysicsWorld::set_tiles`]. Costs the grids of the world, the chunks of the block of cells
    /// around the cut in each, the cells of the chunks that it reaches, and for each grid in which a cell changes the
    /// shapes that change and the contacts of its body.
    ///
    /// # Errors
    ///
    /// If a number is out of range, or the world is full. Nothing is changed then.
    ///
    /// ```
    /// use tombolo_physics::{BodyDef, PhysicsWorld, Position, Tile, TileCut, TileGridDef, WorldDef};
    /// let mut world = PhysicsWorld::new(&WorldDef::default())?;
    /// let ground = world.create_body(&BodyDef::fixed(0.0, 0.0))?;
    /// let def = TileGridDef { width: 8, height: 4, tiles: vec![Tile::default()], cells: vec![1; 32], ..TileGridDef::default() };
    /// let grid = world.create_tile_grid(ground, &def)?;
    /// let shaft = TileCut::between(Position::new(2.5, -1.0), Position::new(2.5, 9.0));
    /// assert_eq!(world.cut_tiles(&shaft)?, 4);
    /// assert_eq!(world.tile_grid(grid).unwrap().tile(2, 3), Some(0));
    /// # Ok::<(), tombolo_physics::PhysicsError>(())
    /// ```
    pub fn cut_tiles(&mut self, cut: &TileCut) -> Result<usize, PhysicsError> {
        self.log.report(|| Call::CutTiles { cut: *cut });
        let _environment = FloatEnvironment::enter();
        cut.validate()?;
        self.remove_tiles(cut)
    }

    /// Empties the cells that a cut reaches.
    pub(super) fn remove_tiles(&mut self, cut: &TileCut) -> Result<usize, PhysicsError> {
        let reached = self.state.grids_in_reach(cut);
        let shapes = reached
            .iter()
            .map(|&(grid, block)| self.state.cut_shapes_max(grid, block, cut));
        self.state.check_capacity(0, shapes.sum(), 0)?;
        let mut count = 0;
        for (grid, block) in reached {
            let shapes = self.watched_shapes(|state| state.tile_shapes_around(grid, block));
            let removed = self.state.cut_grid(grid, block, cut);
            if removed > 0 {
                self.note_destroyed(shapes);
                let body = self.state.tile_grids.records.live(grid).body;
                self.note_body(body);
            }
            count += removed;
        }
        Ok(count)
    }

    /// The tile grids that a cut may reach, with the least block of each that has all cells in its reach: those that
    /// [`PhysicsWorld::cut_tiles`] looks at. None if a number is out of range. Costs the grids of the world.
    pub fn tiles_in_reach(&self, cut: &TileCut) -> Vec<(TileGridRef<'_>, TileBlock)> {
        if cut.validate().is_err() {
            return Vec::new();
        }
        let _environment = FloatEnvironment::enter();
        let reached = self.state.grids_in_reach(cut).into_iter();
        let grids = reached.filter_map(|(grid, block)| {
            let id = self.state.tile_grids.records.handle_of_slot(grid)?;
            Some((self.tile_grid(id)?, block))
        });
        grids.collect()
    }

    fn edit_tiles(
        &mut self,
        id: TileGridId,
        block: TileBlock,
        cells: GivenCells<'_>,
    ) -> Result<(), PhysicsError> {
        let _environment = FloatEnvironment::enter();
        let record = *self.state.check_tile_grid(id)?;
        record.check_block(block)?;
        let single;
        let given = match cells {
            GivenCells::All(cell) => {
                single = [cell];
                &single[..]
            }
            GivenCells::Each(cells) => {
                if cells.len() as u64 != block.cell_count() {
                    return Err(PhysicsError::InvalidNumber {
                        what: "number of tiles",
                        got: cells.len() as f32,
                        expected: "as many as the block has cells",
                    });
                }
                cells
            }
        };
        check_cells(given, record.tile_count as usize, |place| {
            let place = place as u64;
            let width = u64::from(block.width);
            (block.x + (place % width) as u32, block.y + (place / width) as u32)
        })?;
        self.state.check_capacity(0, record.shapes_max(block), 0)?;
        let shapes = self.watched_shapes(|state| state.tile_shapes_around(id.index(), block));
        if self.state.edit_tiles(id.index(), block, NewCells::Given(cells)) > 0 {
            self.note_destroyed(shapes);
            self.note_body(record.body);
        }
        Ok(())
    }

    /// Whether this world ever issued an id, whether or not its grid still exists: see [`PhysicsWorld::has_held_body`].
    pub fn has_held_tile_grid(&self, id: TileGridId) -> bool {
        self.state.tile_grids.records.has_held(id)
    }

    /// The tile grid with this id, for reading; `None` for a stale id. O(1).
    pub fn tile_grid(&self, id: TileGridId) -> Option<TileGridRef<'_>> {
        self.state.tile_grids.records.contains(id).then_some(TileGridRef {
            state: &self.state,
            id,
        })
    }

    /// All tile grids, in the order of their creation until the first is destroyed.
    pub fn tile_grids(&self) -> impl ExactSizeIterator<Item = TileGridRef<'_>> {
        self.state.tile_grids.records.handles().map(|id| TileGridRef {
            state: &self.state,
            id,
        })
    }
}

impl<'a> TileGridRef<'a> {
    fn record(&self) -> &'a TileGridRecord {
        self.state.tile_grids.records.live(self.id.index())
    }

    /// The grid's id.
    pub fn id(&self) -> TileGridId {
        self.id
    }

    /// The body that the grid is attached to.
    pub fn body(&self) -> BodyRef<'a> {
        BodyRef::of(self.state, self.record().body)
    }

    /// The number of columns.
    pub fn width(&self) -> u32 {
        self.record().width
    }

    /// The number of rows.
    pub fn height(&self) -> u32 {
        self.record().height
    }

    /// The width and height of a cell in meters.
    pub fn cell_size(&self) -> f32 {
        self.record().cell_size
    }

    /// The lower left corner of the grid in the body's frame, in meters.
    pub fn origin(&self) -> Vec2 {
        self.record().origin
    }

    /// The kinds of tiles; cells refer to them by number, beginning with 1. Shapes that have a name are given by it.
    pub fn tiles(&self) -> Vec<Tile> {
        let tiles = self.state.tile_grids.tiles_of(self.record());
        tiles.iter().map(|tile| tile.tile()).collect()
    }

    /// The tile of a cell: 0 if it is empty; `None` for a cell outside of the grid. O(1).
    pub fn tile(&self, x: u32, y: u32) -> Option<u8> {
        let record = self.record();
        (x < record.width && y < record.height).then(|| self.state.tile_grids.tile_at(record, x, y))
    }

    /// The kind of the tile of a cell: the least number of a tile that is equal to it, so that equal tiles are of one kind; 0
    /// if the cell is empty, `None` if it is outside of the grid. O(1).
    pub fn kind(&self, x: u32, y: u32) -> Option<u8> {
        let tile = self.tile(x, y)?;
        let tiles = self.state.tile_grids.tiles_of(self.record());
        Some(
            tile.checked_sub(1)
                .map_or(0, |index| tiles[usize::from(index)].class as u8),
        )
    }

    /// The column and row of the cell that contains a point of the world; `None` outside of the grid.
    pub fn cell_at(&self, place: Position) -> Option<[u32; 2]> {
        let record = self.record();
        let pose = self.state.motion_of(record.body).0.pose;
        let local = (pose.inverse_transform_point(place.to_vec2()) - record.origin) / record.cell_size;
        let is_in = local.x >= 0.0 && local.y >= 0.0;
        let [x, y] = [local.x as u32, local.y as u32];
        (is_in && x < record.width && y < record.height).then_some([x, y])
    }

    /// The center of a cell in the world, also for cells outside of the grid.
    pub fn cell_center(&self, x: u32, y: u32) -> Position {
        let record = self.record();
        let pose = self.state.motion_of(record.body).0.pose;
        let cell = Vec2::new(x as f32 + 0.5, y as f32 + 0.5);
        pose.transform_point(record.origin + record.cell_size * cell)
            .into()
    }

    /// The shapes made of the chunks that a block of cells overlaps: those that an edit of the block may change.
    ///
    /// # Errors
    ///
    /// If the block is not within the grid.
    pub fn shapes_around(&self, block: TileBlock) -> Result<Vec<ShapeRef<'a>>, PhysicsError> {
        self.record().check_block(block)?;
        let shapes = self.state.tile_shapes_around(self.id.index(), block);
        Ok(shapes
            .into_iter()
            .map(|shape| ShapeRef::of(self.state, shape))
            .collect())
    }

    /// The number of shapes made of the grid's tiles.
    pub fn shape_count(&self) -> usize {
        self.record().shape_count as usize
    }
}

impl<'a> ShapeRef<'a> {
    /// The tile grid and the cells that the shape is made of; `None` for a shape that is not made of tiles.
    pub fn tiles(&self) -> Option<(TileGridRef<'a>, TileBlock)> {
        let (state, span) = self.span()?;
        let id = state.tile_grids.records.handle_of_slot(span.grid)?;
        let in_chunk = span.span();
        let chunk = state.tile_grids.records.live(span.grid).chunk_cells(span.chunk);
        let block = TileBlock {
            x: chunk.x + u32::from(in_chunk.x),
            y: chunk.y + u32::from(in_chunk.y),
            width: u32::from(in_chunk.width),
            height: u32::from(in_chunk.height),
        };
        Some((TileGridRef { state, id }, block))
    }
}
