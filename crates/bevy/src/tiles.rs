//! [`TileGrid`]: the component of a level made of tiles, and the calls of [`Physics`] that read and change its cells.

use std::sync::Arc;

use bevy_ecs::prelude::{Component, Entity, ReflectComponent};
use bevy_reflect::Reflect;
use tombolo_physics::{PhysicsError, TileBlock, TileGridDef, TileGridId, TileGridRef};

use crate::body::Body;
use crate::pending::{grid_added, grid_removed};
use crate::world::Physics;

/// Cells in rows and columns, each empty or of a kind of tile with a shape and a material: ground, walls that can be dug
/// away, mazes. Bodies slide over its tiles and slopes without bumps, also from grid to grid.
///
/// A grid is on the entity of its body, which is static unless the entity has another [`Body`]; the scale of `Transform`
/// is not applied. The component has the cells that the grid begins with. The present ones are read and changed with
/// [`Physics::tile_grid`], [`Physics::set_tile`] and [`Physics::fill_tiles`], are part of the physics world, and go
/// back with it. Another definition in the component makes a new grid. One that is refused gives a
/// [`PhysicsFault`](crate::PhysicsFault), and the grid stays as it was.
///
/// Events and queries have the grid's entity as the collider and as the body; the kinds of tiles have materials,
/// filters and events of their own.
///
/// ```
/// use bevy_ecs::prelude::*;
/// use bevy_math::Vec2;
/// use bevy_tombolo::physics::{Position, Tile, TileGridDef, TileShape};
/// use bevy_tombolo::{Physics, TileGrid};
/// use bevy_transform::components::Transform;
///
/// #[derive(Component)]
/// struct Level;
///
/// fn build(mut commands: Commands) {
///     let def = TileGridDef {
///         width: 4,
///         height: 2,
///         tiles: vec![Tile::default(), Tile::new(TileShape::SlopeUp)],
///         // Row by row from below; 0 is an empty cell, 1 the first kind of tile.
///         cells: vec![1, 1, 1, 1, 0, 0, 2, 1],
///         ..TileGridDef::default()
///     };
///     commands.spawn((Level, TileGrid::new(def), Transform::from_xyz(-2.0, 0.0, 0.0)));
/// }
///
/// fn dig(mut physics: ResMut<Physics>, level: Single<Entity, With<Level>>) -> Result {
///     let grid = physics.tile_grid(*level).ok_or("the level's first step is still to come")?;
///     if let Some([x, y]) = grid.cell_at(Position::new(-1.5, 0.5)) {
///         physics.set_tile(*level, x, y, 0)?;
///     }
///     Ok(())
/// }
/// ```
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(opaque)]
#[reflect(Component, Clone, Debug, PartialEq)]
#[require(Body)]
#[component(on_add = grid_added, on_remove = grid_removed)]
pub struct TileGrid {
    /// Shared with the record of the grid that was made from it.
    pub(crate) def: Arc<TileGridDef>,
}

impl TileGrid {
    /// A grid of this definition, which is checked when the grid is created in the physics world.
    pub fn new(def: TileGridDef) -> Self {
        Self { def: Arc::new(def) }
    }

    /// The definition, with the cells that the grid begins with.
    pub fn def(&self) -> &TileGridDef {
        &self.def
    }
}

impl PartialEq for TileGrid {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.def, &other.def) || self.def == other.def
    }
}

impl From<TileGridDef> for TileGrid {
    fn from(def: TileGridDef) -> Self {
        Self::new(def)
    }
}

impl Physics {
    /// The tile grid of an entity with a [`TileGrid`], with its present cells; `None` before the first step after
    /// spawning, and if it was refused.
    pub fn tile_grid(&self, entity: Entity) -> Option<TileGridRef<'_>> {
        self.world.tile_grid(self.grid_of(entity)?)
    }

    /// Sets a cell of an entity's tile grid to a kind of tile by its number from 1, or empties it with 0. Takes effect
    /// at once: bodies near by wake, and one that the tile overlaps is pushed out.
    ///
    /// # Errors
    ///
    /// If the entity has no grid, or the step that creates it is still to come; if there is no such cell or tile.
    pub fn set_tile(&mut self, entity: Entity, x: u32, y: u32, tile: u8) -> Result<(), PhysicsError> {
        self.fill_tiles(entity, TileBlock::cell(x, y), tile)
    }

    /// Sets all cells of a block to the same tile; otherwise like [`Physics::set_tile`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`Physics::set_tile`].
    pub fn fill_tiles(&mut self, entity: Entity, block: TileBlock, tile: u8) -> Result<(), PhysicsError> {
        let grid = self.grid_of(entity).ok_or(NO_GRID)?;
        self.world.fill_tiles(grid, block, tile)
    }

    /// Sets the tiles of a block of cells, row by row from below; otherwise like [`Physics::set_tile`].
    ///
    /// # Errors
    ///
    /// In the same cases as [`Physics::set_tile`]; or if the numbers of tiles and cells differ.
    pub fn set_tiles(&mut self, entity: Entity, block: TileBlock, tiles: &[u8]) -> Result<(), PhysicsError> {
        let grid = self.grid_of(entity).ok_or(NO_GRID)?;
        self.world.set_tiles(grid, block, tiles)
    }

    fn grid_of(&self, entity: Entity) -> Option<TileGridId> {
        let key = self.body(entity)?.user_key();
        self.entities.saved.grids.get(&key).map(|grid| grid.id)
    }
}

/// The error of an entity without a grid.
const NO_GRID: PhysicsError = PhysicsError::StaleHandle { what: "tile grid" };
