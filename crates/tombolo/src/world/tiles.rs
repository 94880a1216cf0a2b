//! Reading and changing the tiles of entities: the world's calls over the grids of physics.

use alloc::boxed::Box;
use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{Dense, Entity};
use tombolo_geometry::Position;
use tombolo_physics::{ShapeId, TileBlock, TileCut, TileGridRef};
use tombolo_threads::FloatEnvironment;

use super::World;
use super::command::{Command, EntityRef};
use crate::component::{TILES, Tiles};
use crate::error::WorldError;

/// For an entity with several components of the kind, the one that was added last counts.
impl World {
    fn tiles_of(&self, entity: Entity) -> Option<&Tiles> {
        let tiles: Option<&Dense<Tiles>> = self.entities.manager(TILES);
        tiles.and_then(|tiles| tiles.newest(entity))
    }

    /// The grid of an entity's [`Tiles`] in physics.
    pub fn tile_grid(&self, entity: Entity) -> Option<TileGridRef<'_>> {
        self.physics.tile_grid(self.tiles_of(entity)?.id()?)
    }

    /// The character of the legend for the present tile in a cell of an entity's tiles, a period for an empty one.
    /// Columns count from the left, rows from below. `None` if there is no such cell.
    pub fn tile(&self, entity: Entity, x: u32, y: u32) -> Option<char> {
        let tile = self.tile_grid(entity)?.tile(x, y)?;
        Some(self.tiles_of(entity)?.letter_of(tile))
    }

    /// The column and row of the cell of an entity's tiles that contains a point; `None` outside.
    pub fn cell_at(&self, entity: Entity, place: Position) -> Option<[u32; 2]> {
        self.tile_grid(entity)?.cell_at(place)
    }

    /// The center of a cell of an entity's tiles; `None` without tiles.
    pub fn cell_center(&self, entity: Entity, x: u32, y: u32) -> Option<Position> {
        Some(self.tile_grid(entity)?.cell_center(x, y))
    }

    /// Sets the tile of a cell, by its character in the legend; a period or a space empties it. See
    /// [`World::fill_tiles`].
    ///
    /// # Errors
    ///
    /// Those of [`World::fill_tiles`].
    ///
    /// ```
    /// use tombolo::{Scene, World};
    /// let scene = Scene::parse("ground.ron", r##"(
    ///     entities: {"ground": {"body": Body(), "tiles": Tiles(legend: ["# Full"], rows: ["....", "4#"])}},
    ///     place: [One(name: "ground", entity: "ground")],
    /// )"##)?;
    /// let mut world = World::from_scene(&scene)?;
    /// let ground = world.find("ground").expect("the scene placed it");
    /// world.set_tile(ground, 2, 1, '#')?;
    /// assert_eq!([world.tile(ground, 2, 1), world.tile(ground, 3, 1)], [Some('#'), Some('.')]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_tile(&mut self, entity: Entity, x: u32, y: u32, tile: char) -> Result<(), WorldError> {
        self.fill_tiles(entity, TileBlock::cell(x, y), tile)
    }

    /// Sets all cells of a block to the same tile, like
    /// [`PhysicsWorld::fill_tiles`](tombolo_physics::PhysicsWorld::fill_tiles).
    ///
    /// # Errors
    ///
    /// If the entity has no tiles, or these have no such cells, or the legend no such character.
    pub fn fill_tiles(&mut self, entity: Entity, block: TileBlock, tile: char) -> Result<(), WorldError> {
        self.report_command(|| Command::FillTiles {
            entity: EntityRef::Entity(entity),
            block,
            tile,
        });
        let _environment = FloatEnvironment::enter();
        let unfit = |world: &Self, why: Box<str>| WorldError::Unfit {
            entity: world.show(entity),
            component: "tiles".into(),
            why,
        };
        let Some((tiles, id)) = self.tiles_of(entity).and_then(|tiles| Some((tiles, tiles.id()?))) else {
            return Err(unfit(self, "there are no Tiles with a Body to change".into()));
        };
        let Some(number) = tiles.tile_of(tile) else {
            return Err(unfit(self, format!("{tile:?} is not in the legend").into()));
        };
        let refused = |world: &Self, error| WorldError::Physics {
            entity: world.show(entity),
            component: "tiles".into(),
            error,
        };
        let grid = self.physics.tile_grid(id);
        let around = grid.map_or(Ok(Vec::new()), |grid| grid.shapes_around(block));
        let before: Vec<ShapeId> = match around {
            Ok(shapes) => shapes.iter().map(|shape| shape.id()).collect(),
            Err(error) => return Err(refused(self, error)),
        };
        let done = self.physical().physics.fill_tiles(id, block, number);
        done.map_err(|error| refused(self, error))?;
        self.physical().note_gone(entity, &before);
        self.note_moved(entity);
        Ok(())
    }

    /// Empties the cells that a cut reaches, of all tiles in the world, like
    /// [`PhysicsWorld::cut_tiles`](tombolo_physics::PhysicsWorld::cut_tiles). Returns their number.
    ///
    /// # Errors
    ///
    /// If a number is out of range, or physics is full.
    ///
    /// ```
    /// use tombolo::physics::{Position, TileCut};
    /// use tombolo::{Scene, World};
    /// let scene = Scene::parse("ground.ron", r##"(
    ///     entities: {"ground": {"body": Body(), "tiles": Tiles(legend: ["# Full"], rows: ["4#", "4#"])}},
    ///     place: [One(name: "ground", entity: "ground")],
    /// )"##)?;
    /// let mut world = World::from_scene(&scene)?;
    /// let cut = TileCut { radius: 0.4, ..TileCut::between(Position::new(1.5, 3.0), Position::new(1.5, 1.5)) };
    /// assert_eq!(world.cut_tiles(&cut)?, 1);
    /// let ground = world.find("ground").expect("the scene placed it");
    /// assert_eq!([world.tile(ground, 1, 1), world.tile(ground, 1, 0)], [Some('.'), Some('#')]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn cut_tiles(&mut self, cut: &TileCut) -> Result<usize, WorldError> {
        self.report_command(|| Command::CutTiles(*cut));
        let _environment = FloatEnvironment::enter();
        let reached = self.tiles_in_reach(cut);
        let count = self.physical().physics.cut_tiles(cut);
        let count = count.map_err(|error| WorldError::Physics {
            entity: "the world".into(),
            component: "tiles".into(),
            error,
        })?;
        self.note_cut_tiles(&reached);
        Ok(count)
    }

    /// The entities whose tiles a cut may reach, each with the shapes that may go. Of one with several components of the
    /// kind there are several.
    pub(super) fn tiles_in_reach(&self, cut: &TileCut) -> Vec<(Entity, Vec<ShapeId>)> {
        let grids = self.physics.tiles_in_reach(cut).into_iter();
        let reached = grids.filter_map(|(grid, block)| {
            let entity = self.entity_of(grid.body().id())?;
            let shapes = grid.shapes_around(block).ok()?;
            Some((entity, shapes.iter().map(|shape| shape.id()).collect()))
        });
        reached.collect()
    }

    /// Notes the shapes that a cut has removed from entities.
    pub(super) fn note_cut_tiles(&mut self, reached: &[(Entity, Vec<ShapeId>)]) {
        for (entity, shapes) in reached {
            self.physical().note_gone(*entity, shapes);
            self.note_moved(*entity);
        }
    }
}
