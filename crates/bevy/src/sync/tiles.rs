//! Creates the tile grids of entities, and makes them anew if their definitions change.

use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::MessageWriter;
use bevy_ecs::prelude::{Changed, Entity, Query, ResMut};
use bevy_ecs::query::Allow;
use tombolo_physics::{BodyId, PhysicsError};

use crate::events::{FaultReason, PhysicsFault};
use crate::link::BodyLink;
use crate::pending::Pending;
use crate::saved_state::Grid;
use crate::tiles::TileGrid;
use crate::world::Physics;

/// Applies the tile grids that were added or changed, by the keys of their bodies. Grids without a body wait for one.
pub(crate) fn apply_grids(
    mut physics: ResMut<Physics>,
    mut pending: ResMut<Pending>,
    changed: Query<Entity, (Changed<TileGrid>, Allow<Disabled>)>,
    grids: Query<(&TileGrid, &BodyLink), Allow<Disabled>>,
    mut faults: MessageWriter<PhysicsFault>,
) {
    let physics = &mut *physics;
    let due = pending.grids.drain().chain(&changed);
    let mut list: Vec<(u64, Entity)> = due
        .filter_map(|entity| Some((grids.get(entity).ok()?.1.key, entity)))
        .collect();
    list.sort_unstable();
    list.dedup();
    for (key, entity) in list {
        let Ok((grid, link)) = grids.get(entity) else {
            continue;
        };
        let Some(body) = link.id else {
            pending.grids.push(entity);
            continue;
        };
        if let Err(error) = update(physics, key, body, grid) {
            let reason = FaultReason::Refused(error);
            faults.write(PhysicsFault { entity, reason });
        }
    }
    if physics.restored.is_some() {
        remove_unknown(physics, &grids);
    }
}

/// Makes a body's grid that of a component, unless it was made from an equal one.
fn update(physics: &mut Physics, key: u64, body: BodyId, grid: &TileGrid) -> Result<(), PhysicsError> {
    let Physics { world, entities, .. } = physics;
    let made = entities
        .saved
        .grids
        .get(&key)
        .filter(|made| world.tile_grid(made.id).is_some());
    if made.is_some_and(|made| {
        *grid
            == TileGrid {
                def: made.def.clone(),
            }
    }) {
        return Ok(());
    }
    // The definition is checked before the old grid is destroyed.
    grid.def.validate()?;
    if let Some(made) = entities.saved.grids.remove(&key) {
        // A call may have destroyed it.
        let _ = world.destroy_tile_grid(made.id);
    }
    let id = world.create_tile_grid(body, &grid.def)?;
    let def = grid.def.clone();
    entities.saved.grids.insert(key, Grid { id, def });
    Ok(())
}

/// Removes grids of a restored world whose entities have none now.
fn remove_unknown(physics: &mut Physics, grids: &Query<(&TileGrid, &BodyLink), Allow<Disabled>>) {
    let Physics { world, entities, .. } = physics;
    let is_there = |key: &u64| {
        entities
            .by_key
            .get(key)
            .is_some_and(|&entity| grids.contains(entity))
    };
    let unknown: Vec<u64> = entities
        .saved
        .grids
        .keys()
        .copied()
        .filter(|key| !is_there(key))
        .collect();
    for key in unknown {
        if let Some(grid) = entities.saved.grids.remove(&key) {
            let _ = world.destroy_tile_grid(grid.id);
        }
    }
}
