//! Creates grids of tiles in physics, and updates them after changes of their components.

use alloc::format;
use alloc::vec::Vec;

use tombolo_entity::{ComponentEntry, Dense, Entity, NameHash};
use tombolo_physics::{BodyId, ShapeId, TileGridDef, TileGridId};

use super::Physical;
use crate::component::register::ToTiles;
use crate::component::{TILES, Tiles};
use crate::error::WorldError;

impl Physical<'_> {
    /// Destroys a grid; the events of its touching shapes keep its entity.
    pub(super) fn destroy_tiles(&mut self, entity: Entity, id: TileGridId) {
        let body = self.physics.tile_grid(id).map(|grid| grid.body());
        let shapes = body.into_iter().flat_map(|body| body.shapes());
        let own = shapes.filter(|shape| shape.tiles().is_some_and(|(grid, _)| grid.id() == id));
        own.for_each(|shape| self.entity_events.gone(shape.id(), entity));
        drop(self.physics.destroy_tile_grid(id));
    }

    fn tiles_of(&self, entity: Entity, name: NameHash) -> Option<&Tiles> {
        let tiles: Option<&Dense<Tiles>> = self.entities.manager(TILES);
        tiles.and_then(|tiles| tiles.value(entity, name.into()))
    }

    /// The definition of the grid for a component.
    fn tiles_def(&self, entity: Entity, name: NameHash) -> Result<Option<TileGridDef>, WorldError> {
        let def = self.tiles_of(entity, name).map(|tiles| tiles.def(Some(entity)));
        let def = def.transpose().map(Option::flatten);
        def.map_err(|(property, why)| self.unfit(entity, name, &format!("`{property}`: {why}")))
    }

    pub(super) fn create_tiles_of(
        &mut self,
        entity: Entity,
        entry: ComponentEntry,
        body: BodyId,
    ) -> Result<(), WorldError> {
        let known = self.tiles_of(entity, entry.name).and_then(|tiles| tiles.id);
        if known.is_some_and(|id| self.physics.tile_grid(id).is_some()) {
            return Ok(());
        }
        let Some(def) = self.tiles_def(entity, entry.name)? else {
            return Ok(());
        };
        let made = self.physics.create_tile_grid(body, &def);
        let id = made.map_err(|error| self.refused(entity, entry.name, error))?;
        self.change(entity, entry.name, TILES, |tiles: &mut Tiles| tiles.id = Some(id));
        Ok(())
    }

    /// Replaces the grid by a new one; no effect for an entity without a body.
    pub(super) fn push_tiles(
        &mut self,
        entity: Entity,
        name: NameHash,
        to: ToTiles,
    ) -> Result<(), WorldError> {
        let mut def = self.tiles_def(entity, name)?;
        let Some(body) = self.live_body(entity) else {
            return Ok(());
        };
        let known = self.tiles_of(entity, name).and_then(|tiles| tiles.id);
        let grid = known.and_then(|id| self.physics.tile_grid(id));
        if let (ToTiles::Kinds, Some(def), Some(grid)) = (to, &mut def, grid) {
            (def.width, def.height) = (grid.width(), grid.height());
            let cells = (0..def.height).flat_map(|y| (0..def.width).map(move |x| (x, y)));
            def.cells = cells.map(|(x, y)| grid.tile(x, y).unwrap_or_default()).collect();
        }
        // The new grid is created first, so that a refusal leaves the old one.
        let made = def
            .map(|def| self.physics.create_tile_grid(body, &def))
            .transpose();
        let id = made.map_err(|error| self.refused(entity, name, error))?;
        if let Some(known) = known {
            self.destroy_tiles(entity, known);
        }
        self.change(entity, name, TILES, |tiles: &mut Tiles| tiles.id = id);
        Ok(())
    }

    /// Notes those of an entity's shapes that an edit has removed.
    pub(in crate::world) fn note_gone(&mut self, entity: Entity, shapes: &[ShapeId]) {
        let gone: Vec<ShapeId> = shapes
            .iter()
            .copied()
            .filter(|id| self.physics.shape(*id).is_none())
            .collect();
        gone.into_iter()
            .for_each(|id| self.entity_events.gone(id, entity));
    }
}
