//! Commands of scripts: recorded while scripts run, applied afterwards, in the order in which they were issued.

use std::collections::BTreeSet;

use rhai::Dynamic;
use tombolo_entity::{Dense, Entity, PropertyPlace, Value};
use tombolo_geometry::Aabb;
use tombolo_physics::{ExplosionDef, QueryFilter, TileCut};

use super::context::at_path;
use super::program::ScriptError;
use super::queued::Queued;
use super::tile_prices::cost_of_filling;
use super::turns::{LeftOut, Turn};
use super::values::{to_property, word};
use super::walls::FollowedClearances;
use crate::component::{RIGID_WELD, RigidWeld, TILES};
use crate::error::WorldError;
use crate::world::World;
use crate::world::command::{Command, Push};

/// Operations for each entity that is spawned or despawned.
const ENTITY_COST: u64 = 100;
/// Operations for each body that is created or destroyed.
const BODY_COST: u64 = 300;
/// Operations for each body that a cut creates or destroys: its polygon, its shapes, and its contacts.
const PIECE_COST: u64 = 1000;
/// Operations for setting a property.
const SET_COST: u64 = 10;
/// Operations, when a property is set, for each shape of the entity's body and of those below it: it may have to
/// move, or change its contacts.
const SHAPE_SET_COST: u64 = 4;
/// Operations, when a property is set, for each entity below that one: it may have to follow.
const CHILD_COST: u64 = 6;
/// Operations for spawning or despawning, besides those for the entities.
const SPAWN_COST: u64 = 30;
/// Operations for a cut, besides those for the pieces.
const CUT_COST: u64 = 200;
/// Operations, when a body is put to sleep or wakes what it touches, for each body that is awake: it may be of the island.
const SLEEP_COST: u64 = 8;
/// Operations, when the kind of a body is set, for each rigid weld of the world: it may have waited for that.
const WELD_COST: u64 = 1;
/// Operations for a contact rule, besides one for each shape of the world.
const RULE_COST: u64 = 50;
/// Operations for an explosion, besides those for each shape within reach.
const EXPLOSION_COST: u64 = 50;
/// Operations for each shape that an explosion examines.
const EXPLODED_COST: u64 = 2;
/// Operations for each shape of a body that is cut.
const SHAPE_CUT_COST: u64 = 10;

impl World {
    /// Applies the commands of scripts. A command whose entity has ended since is left out; one that fails disables
    /// the script that issued it, and its later commands are left out.
    ///
    /// The cost is counted in operations, by the results of a command: spawned and despawned entities and bodies, the
    /// size of changed values. What is known of it before, such as the number of entities to spawn, is charged before.
    /// A script may cost as much as a call, and all of them, with the operations that their calls have `used`, as much
    /// as a stage. The changes of the script that is first in turn
    /// are applied however much the calls have used, up to the limit of one call.
    ///
    /// Returns the scripts that were left out.
    pub(super) fn apply_commands(&mut self, queue: Vec<Queued>, used: u64) -> LeftOut {
        let limits = *self.scripts.limits();
        let (mut used, mut used_by_first, mut costly) = (used, 0, 0);
        let mut left_out = LeftOut::default();
        if let Some(first) = queue.first() {
            left_out.serve(Turn::of(first.entity, first.instance));
        }
        let mut of_script = (None, 0);
        let mut failed = BTreeSet::new();
        let mut clearances = FollowedClearances::default();
        let mut spawns = 0;
        let most = limits.spawns_per_step;
        for Queued {
            entity,
            instance,
            line,
            command,
            properties,
        } in queue
        {
            let turn = Turn::of(entity, instance);
            if failed.contains(&(entity, instance)) {
                continue;
            }
            if let Command::Spawn(_) = command {
                spawns += 1;
                if spawns > most {
                    left_out.add(turn);
                    continue;
                }
            }
            let is_its_turn =
                left_out.is_served(turn) && used_by_first <= u64::from(limits.operations_per_call);
            if used > u64::from(limits.operations_per_step) && !is_its_turn {
                left_out.add(turn);
                costly += 1;
                continue;
            }
            if of_script.0 != Some((entity, instance)) {
                of_script = (Some((entity, instance)), 0);
            }
            let left = u64::from(limits.operations_per_call) - of_script.1;
            let (done, cost) = self.apply_at_a_cost(command, &properties, left, &mut clearances);
            used += cost;
            of_script.1 += cost;
            if left_out.is_served(turn) {
                used_by_first += cost;
            }
            let done = done.and_then(|()| {
                if of_script.1 <= u64::from(limits.operations_per_call) {
                    return Ok(());
                }
                let most = limits.operations_per_call;
                Err(format!(
                    "asked for changes that cost more than {most} operations; the rest was left out"
                ))
            });
            if let Err(message) = done {
                failed.insert((entity, instance));
                let error = ScriptError::new(line, message);
                let error = match self.program(entity, instance) {
                    Some(program) => error.in_script(&program.text),
                    None => error,
                };
                self.disable_script(entity, instance, &error);
            }
        }
        self.note_left_out(costly, spawns);
        left_out
    }

    /// Applies a command unless its least cost is more than `left`; and returns its cost.
    fn apply_at_a_cost(
        &mut self,
        command: Command,
        properties: &[(Box<str>, Dynamic)],
        left: u64,
        clearances: &mut FollowedClearances,
    ) -> (Result<(), String>, u64) {
        let set = self.place_set_by(&command);
        let moved = self.walls_moved_by(&command, set);
        let planned = self.planned_count(&command);
        let before =
            self.cost_before(&command, set) + ENTITY_COST * planned + clearances.cost_of(self, &moved, left);
        if before > left {
            return (Ok(()), before);
        }
        let body_cost = match command {
            Command::Slice { .. } | Command::CutThrough { .. } => PIECE_COST,
            _ => BODY_COST,
        };
        let (entities, bodies) = (self.entity_count(), self.physics.bodies().len());
        let made_anew = self.tiles_made_anew_by(&command, set);
        let (done, of_properties) = self.apply_for_script(command, properties, left - before);
        let spawned = done.as_ref().ok().copied().flatten();
        let spawned = spawned.map_or_else(Vec::new, |entity| self.with_descendants(entity));
        let cost = before
            + of_properties
            + clearances.cost_of(self, &spawned, left)
            + clearances.cost_of(self, &made_anew, left)
            + self.cost_of_shapes(&spawned)
            + ENTITY_COST * (self.entity_count().abs_diff(entities) as u64).saturating_sub(planned)
            + body_cost * self.physics.bodies().len().abs_diff(bodies) as u64;
        (done.map(|_| ()), cost)
    }

    /// Records a fault for commands left out for lack of operations, and for spawns beyond the limit.
    fn note_left_out(&mut self, costly: usize, spawns: u32) {
        let limits = *self.scripts.limits();
        let most = limits.spawns_per_step;
        if costly > 0 {
            self.note_fault(format!(
                "scripts made more than {} operations in one stage; {costly} changes were left out",
                limits.operations_per_step
            ));
        }
        if spawns > most {
            self.note_fault(format!(
                "scripts spawned {spawns} entities in one stage; {most} are allowed, the rest was left out"
            ));
        }
    }

    /// The location of the property that a command sets; `None` if it sets none, or would fail.
    fn place_set_by(&mut self, command: &Command) -> Option<PropertyPlace> {
        let Command::Set { entity, path, .. } = command else {
            return None;
        };
        let entity = self.resolve(entity).ok()?;
        let place = self.at_path(path, |world, accessor| {
            world.entities.place_with(accessor, entity)
        });
        place.ok()
    }

    /// The number of entities that a command would spawn.
    fn planned_count(&self, command: &Command) -> u64 {
        match command {
            Command::Spawn(spawn) => self.library.planned_count(&spawn.resource) as u64,
            _ => 0,
        }
    }

    /// The least cost of a command, whatever its results, besides that of the entities that it spawns.
    fn cost_before(&self, command: &Command, set: Option<PropertyPlace>) -> u64 {
        let target = command.target().and_then(|target| self.resolve(target).ok());
        let shapes = || target.map_or(0, |entity| self.shape_count_of(entity));
        match command {
            Command::Set { path, value, .. } => {
                let anew = target.map_or(0, |entity| {
                    let is_of_tiles = set.is_none_or(|place| place.manager == TILES);
                    let of_tiles = is_of_tiles.then(|| self.cost_of_setting_tiles(entity, path, value));
                    self.cost_of_setting(entity, path, value) + of_tiles.unwrap_or(0)
                });
                anew + target.map_or(SET_COST, |entity| self.cost_to_follow(entity))
                    + self.cost_of_waiting_welds(path)
            }
            Command::Teleport { .. } => target.map_or(SET_COST, |entity| self.cost_to_follow(entity)),
            Command::Spawn(spawn) => SPAWN_COST + self.cost_of_planned_tiles(&spawn.resource),
            Command::Despawn(_) => SPAWN_COST,
            Command::Push {
                push: Push::Sleep | Push::WakeTouching,
                ..
            } => SET_COST + SLEEP_COST * self.physics.counters().awake_bodies as u64,
            Command::Push { .. } | Command::SetAction { .. } => 2,
            Command::Slice { .. } => CUT_COST + SHAPE_CUT_COST * shapes(),
            Command::CutThrough { from, to } => {
                let near = self
                    .physics
                    .shapes_near_segment(*from, *to, QueryFilter::default());
                CUT_COST + SHAPE_CUT_COST * near as u64
            }
            Command::FillTiles { block, .. } => cost_of_filling(block),
            Command::Explode(explosion) => {
                let tiles = TileCut::of_explosion(explosion);
                EXPLOSION_COST
                    + EXPLODED_COST * self.shapes_near(explosion)
                    + tiles.map_or(0, |cut| self.cost_of_cutting_tiles(&cut))
            }
            Command::CutTiles(cut) => self.cost_of_cutting_tiles(cut),
            Command::ContactRule { .. } | Command::CategoryRule { .. } | Command::UseCallbacks(_) => {
                RULE_COST + self.physics.counters().shapes as u64
            }
        }
    }

    /// The cost of looking for the rigid welds that wait for a body to become dynamic, if a path is that of its kind.
    fn cost_of_waiting_welds(&self, path: &str) -> u64 {
        if !path.ends_with(".kind") {
            return 0;
        }
        let welds = self.entities.manager::<Dense<RigidWeld>>(RIGID_WELD);
        welds.map_or(0, |welds| WELD_COST * welds.values().len() as u64)
    }

    /// The cost of changing an entity that others below it follow.
    fn cost_to_follow(&self, entity: Entity) -> u64 {
        let below = self.hierarchy.descendants(entity);
        let shapes = below
            .iter()
            .chain([&entity])
            .map(|&entity| self.shape_count_of(entity));
        SET_COST + SHAPE_SET_COST * shapes.sum::<u64>() + CHILD_COST * below.len() as u64
    }

    fn shape_count_of(&self, entity: Entity) -> u64 {
        let body = self.body_of(entity).and_then(|body| self.physics.body(body));
        body.map_or(0, |body| body.shapes().count() as u64)
    }

    /// The number of shapes that an explosion examines.
    fn shapes_near(&self, explosion: &ExplosionDef) -> u64 {
        let place = explosion.position.to_vec2();
        let area = Aabb::new(place, place).grown(explosion.radius + explosion.falloff);
        let near = self.physics.overlap_box(area, QueryFilter::default());
        near.map_or(0, |shapes| shapes.len() as u64)
    }

    /// Applies a command if its entity still exists. Returns the entity that it spawned, and the cost of the properties
    /// that it has set there; if they cost more than `left` the entity does not stay.
    fn apply_for_script(
        &mut self,
        command: Command,
        properties: &[(Box<str>, Dynamic)],
        left: u64,
    ) -> (Result<Option<Entity>, String>, u64) {
        let mut target = None;
        if let Some(named) = command.target() {
            let Ok(entity) = self.resolve(named) else {
                return (Ok(None), 0);
            };
            if matches!(command, Command::Push { .. }) && self.body_of(entity).is_none() {
                return (Ok(None), 0);
            }
            target = Some(entity);
        }
        let mut command = match (command, target) {
            (Command::Set { path, value, .. }, Some(entity)) => {
                let set = self.at_path(&path, |world, accessor| world.set_with(accessor, entity, value));
                return (
                    set.map(|()| None).map_err(|error: WorldError| error.to_string()),
                    0,
                );
            }
            (command, _) => command,
        };
        if let Command::Spawn(spawn) = &mut command {
            // A parent that has ended since is ignored.
            spawn.parent = spawn.parent.take().filter(|parent| self.resolve(parent).is_ok());
        }
        match self.apply(command) {
            Ok(Some(spawned)) => self.complete_spawned(spawned, properties, left),
            done => (done.map_err(|error| error.to_string()), 0),
        }
    }

    /// Sets the requested properties of an entity that was just spawned; if that fails, or costs more than `left`,
    /// despawns it. Returns the entity and the cost.
    fn complete_spawned(
        &mut self,
        spawned: Entity,
        properties: &[(Box<str>, Dynamic)],
        left: u64,
    ) -> (Result<Option<Entity>, String>, u64) {
        let mut cost = 0;
        let set = |(path, value): &(Box<str>, Dynamic)| {
            let value = self.property_for_script(spawned, path, value)?;
            cost += self.cost_of_setting_tiles(spawned, path, &value);
            if cost > left {
                return Ok(());
            }
            self.set(spawned, path, value).map_err(|error| error.to_string())
        };
        let set = properties.iter().try_for_each(set);
        let stays = set.is_ok() && cost <= left;
        if !stays {
            // It exists: it was just spawned.
            drop(self.despawn(spawned));
        }
        (set.map(|()| stays.then_some(spawned)), cost)
    }

    /// A script's value as the value of a property.
    pub(super) fn property_for_script(
        &self,
        entity: Entity,
        path: &str,
        value: &Dynamic,
    ) -> Result<Value, String> {
        let place = at_path(path, |accessor| self.entities.place_with(accessor, entity));
        let place = place.map_err(|error| self.name_in(entity, &error.to_string()))?;
        let kind = self.kind_of(place);
        to_property(value, kind).ok_or_else(|| {
            let given = value
                .as_immutable_string_ref()
                .map(|text| format!(" {:?}", text.as_str()));
            format!(
                "`{path}` is {kind}, not {}{}",
                word(value),
                given.unwrap_or_default()
            )
        })
    }
}
