//! The charges of scripts for free space: for that of another clearance, and for updating it after walls move.

use alloc::vec::Vec;

use rhai::Map;
use tombolo_entity::{Dense, Entity, PropertyPlace, Value};
use tombolo_physics::TileCut;

use super::in_call::{Result, in_call, in_turn};
use super::meter::{charge, left};
use super::values::number;
use crate::component::{AGENT, Agent, BODY, COLLIDER, TILES, TRANSFORM};
use crate::world::World;
use crate::world::command::Command;
use crate::world::space::FREE_SPACES_MAX;

/// The number of clearances whose free space is not charged: those of the kinds of agents that a game has.
const FREE_CLEARANCES: usize = 4;
/// The operations of free space that are made at no price in a stage, of some 50 ns each: more than four clearances cost of
/// which half-spaces cover every tile. What is more is paid by the call.
const GIVEN_PER_STAGE: usize = 250_000;

/// Charges for the free space of a clearance if scripts have not used it lately. Whether the world has it does not
/// count: a restored world creates it where this one has it already, and both must count the same.
pub(super) fn charge_free_space(clearance: f32) -> Result<()> {
    let left = left() as usize;
    let effort = in_turn(|world| {
        if world.scripts.clearances.use_again(clearance) {
            return Ok(0);
        }
        let given = if world.scripts.clearances.len() < FREE_CLEARANCES {
            GIVEN_PER_STAGE - world.scripts.free_space_given
        } else {
            0
        };
        let effort = world.free_space_effort(clearance, given.saturating_add(left));
        let given = given.min(effort);
        world.scripts.free_space_given += given;
        world.scripts.parts_charged.retain(|known| *known != clearance);
        Ok(effort - given)
    })?;
    charge(effort)?;
    in_turn(|world| {
        world.scripts.clearances.add(clearance);
        Ok(())
    })
}

/// Charges for the free space that an agent needs when it gets another clearance.
pub(super) fn charge_for_agent(entity: Entity, path: &str, value: &Value) -> Result<()> {
    let &Value::F32(clearance) = value else {
        return Ok(());
    };
    let is_of_agent = |world: &World| {
        let place = world.entities.place(entity, path);
        place.is_ok_and(|place| place.manager == AGENT)
    };
    let is_clearance = path.ends_with(".clearance") && in_call(|world, _| Ok(is_of_agent(world)))?;
    if is_clearance {
        charge_free_space(clearance)?;
    }
    Ok(())
}

/// Likewise, for a spawned entity with a clearance: a component of another kind may have a property of that name, and
/// is charged too.
pub(super) fn charge_for_spawned(options: &Map) -> Result<()> {
    let Some(set) = options.get("set").and_then(|set| set.as_map_ref().ok()) else {
        return Ok(());
    };
    let clearances = set.iter().filter(|(path, _)| path.ends_with(".clearance"));
    for clearance in clearances.filter_map(|(_, value)| number(value)) {
        charge_free_space(clearance as f32)?;
    }
    Ok(())
}

/// The clearances whose free space depends on walls: those that scripts used lately, and those of agents. Whether the
/// world has created it does not count.
#[derive(Default)]
pub(super) struct FollowedClearances(Option<Vec<f32>>);

impl FollowedClearances {
    /// Operations for updating free space after the walls of some entities are added or moved. Counting ends beyond
    /// `most`.
    pub(super) fn cost_of(&mut self, world: &World, moved: &[Entity], most: u64) -> u64 {
        if moved.is_empty() {
            return 0;
        }
        let most = most as usize;
        let clearances = self.0.get_or_insert_with(|| world.followed_clearances());
        let mut sum = 0;
        for clearance in clearances {
            if sum <= most {
                sum += world.wall_effort(moved, *clearance, most - sum);
            }
        }
        sum as u64
    }
}

impl World {
    /// The entities whose walls a command may move; `set` is the place of the property that it sets.
    pub(super) fn walls_moved_by(&self, command: &Command, set: Option<PropertyPlace>) -> Vec<Entity> {
        let cut = match command {
            Command::Explode(explosion) => TileCut::of_explosion(explosion),
            Command::CutTiles(cut) => Some(*cut),
            _ => None,
        };
        if let Some(cut) = cut {
            let reached = self.physics.tiles_in_reach(&cut).into_iter();
            let entities = reached.filter_map(|(grid, _)| self.entity_of(grid.body().id()));
            return entities
                .flat_map(|entity| self.with_descendants(entity))
                .collect();
        }
        let target = command.target().and_then(|target| self.resolve(target).ok());
        let Some(entity) = target else {
            return Vec::new();
        };
        let moves = match command {
            Command::Set { .. } => {
                set.is_some_and(|place| [TRANSFORM, BODY, COLLIDER, TILES].contains(&place.manager))
            }
            Command::Teleport { .. }
            | Command::Despawn(_)
            | Command::Slice { .. }
            | Command::FillTiles { .. } => true,
            Command::Push { .. }
            | Command::Explode(_)
            | Command::CutTiles(_)
            | Command::Spawn(_)
            | Command::CutThrough { .. }
            | Command::SetAction { .. }
            | Command::ContactRule { .. }
            | Command::CategoryRule { .. }
            | Command::UseCallbacks(_) => false,
        };
        if !moves {
            return Vec::new();
        }
        self.with_descendants(entity)
    }

    /// The entity whose walls are others after a command, because it makes a grid of tiles anew; `set` is the place of the
    /// property that it sets.
    pub(super) fn tiles_made_anew_by(&self, command: &Command, set: Option<PropertyPlace>) -> Vec<Entity> {
        let target = command
            .target()
            .filter(|_| set.is_some_and(|place| place.manager == TILES));
        let entity = target.and_then(|target| self.resolve(target).ok());
        entity.into_iter().collect()
    }

    pub(super) fn with_descendants(&self, entity: Entity) -> Vec<Entity> {
        let mut all = self.hierarchy.descendants(entity);
        all.push(entity);
        all
    }

    fn followed_clearances(&self) -> Vec<f32> {
        let mut known: Vec<f32> = self.scripts.clearances.iter().collect();
        let agents = self.entities.manager::<Dense<Agent>>(AGENT);
        for agent in agents.into_iter().flat_map(Dense::values) {
            if known.len() >= FREE_SPACES_MAX {
                break;
            }
            if !known.contains(&agent.clearance) {
                known.push(agent.clearance);
            }
        }
        known
    }
}
