//! Commands of scripts: recorded while scripts run, applied afterwards, in the order in which they were issued.

use rhai::Dynamic;
use tombolo_entity::{Entity, InstanceId, Value};
use tombolo_geometry::{Pose, Position, Vec2};
use tombolo_physics::QueryFilter;

use super::program::ScriptError;
use super::turns::{LeftOut, Turn};
use super::values::{to_property, word};
use crate::error::WorldError;
use crate::world::{SpawnDef, World};

/// Operations that an entity costs that comes or goes.
const ENTITY_COST: u64 = 100;
/// The same for a body.
const BODY_COST: u64 = 300;
/// Operations for each body that a cut makes or takes: its polygon, its shapes, and what it touches.
const PIECE_COST: u64 = 1000;
/// Operations that setting a property costs.
const SET_COST: u64 = 10;
/// The same for each entity below one that is set: it may have to follow.
const CHILD_COST: u64 = 3;
/// Operations that spawning or ending costs, besides the entities.
const SPAWN_COST: u64 = 30;
/// Operations that a cut costs, besides the pieces.
const CUT_COST: u64 = 200;
/// The same for each shape of a body that is cut.
const SHAPE_CUT_COST: u64 = 10;

/// A change, and who asked for it.
#[derive(Clone, Debug)]
pub(super) struct Queued {
    /// Whose script.
    pub(super) entity: Entity,
    /// Which of the entity's scripts.
    pub(super) instance: InstanceId,
    /// The line of the script.
    pub(super) line: Option<usize>,
    pub(super) command: Command,
}

/// A change.
#[derive(Clone, Debug)]
pub(super) enum Command {
    Set {
        entity: Entity,
        path: Box<str>,
        value: Value,
    },
    Spawn(Box<Spawning>),
    Despawn(Entity),
    Push(Entity, Push),
    Slice {
        entity: Entity,
        from: Vec2,
        to: Vec2,
    },
    CutThrough {
        from: Vec2,
        to: Vec2,
    },
}

/// An entity that is to come.
#[derive(Clone, Debug)]
pub(super) struct Spawning {
    pub(super) resource: Box<str>,
    pub(super) name: Option<Box<str>>,
    pub(super) pose: Option<Pose>,
    pub(super) parent: Option<Entity>,
    /// Properties by path. Their kinds show when the entity is there.
    pub(super) properties: Vec<(Box<str>, Dynamic)>,
}

/// What moves a body.
#[derive(Clone, Copy, Debug)]
pub(super) enum Push {
    Impulse(Vec2),
    ImpulseAt(Vec2, Vec2),
    AngularImpulse(f32),
    Force(Vec2),
    ForceAt(Vec2, Vec2),
    Torque(f32),
}

impl World {
    /// Does what scripts asked for. A command whose entity has ended since is left out; one that fails disables the
    /// script that asked for it.
    ///
    /// What it costs is counted when it is done, in operations, by what came of it: entities and bodies that came or went,
    /// the size of what was changed. A script may cost as much as a call, and all of them, with what their calls have
    /// `used`, as much as a stage. The first script's changes are done however much the calls have used, as it is its turn:
    /// so many as one call may ask for.
    ///
    /// Gives what was left out.
    pub(super) fn apply_commands(&mut self, queue: Vec<Queued>, used: u64) -> LeftOut {
        let limits = *self.scripts.limits();
        let (mut used, mut used_by_first, mut dear) = (used, 0, 0);
        let mut left_out = LeftOut::default();
        if let Some(first) = queue.first() {
            left_out.serve(Turn::of(first.entity, first.instance));
        }
        let mut of_script = (None, 0);
        let mut spawns = 0;
        let most = limits.spawns_per_step;
        for Queued {
            entity,
            instance,
            line,
            command,
        } in queue
        {
            if let Command::Spawn(_) = command {
                spawns += 1;
                if spawns > most {
                    left_out.add(Turn::of(entity, instance));
                    continue;
                }
            }
            let turn = Turn::of(entity, instance);
            let is_its_turn =
                left_out.is_served(turn) && used_by_first <= u64::from(limits.operations_per_call);
            if used > u64::from(limits.operations_per_step) && !is_its_turn {
                left_out.add(turn);
                dear += 1;
                continue;
            }
            if of_script.0 != Some((entity, instance)) {
                of_script = (Some((entity, instance)), 0);
            }
            if of_script.1 > u64::from(limits.operations_per_call) {
                continue;
            }
            let before = self.cost_before(&command);
            let body_cost = match command {
                Command::Slice { .. } | Command::CutThrough { .. } => PIECE_COST,
                _ => BODY_COST,
            };
            let (entities, bodies) = (self.entity_count(), self.physics.bodies().len());
            let done = self.apply_command(command);
            let cost = before
                + ENTITY_COST * self.entity_count().abs_diff(entities) as u64
                + body_cost * self.physics.bodies().len().abs_diff(bodies) as u64;
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
                self.disable_script(entity, instance, &ScriptError::new(line, message));
            }
        }
        self.note_left_out(dear, spawns);
        left_out
    }

    /// Says what was left out: so many commands for lack of operations, and what was spawned too much.
    fn note_left_out(&mut self, dear: usize, spawns: u32) {
        let limits = *self.scripts.limits();
        let most = limits.spawns_per_step;
        if dear > 0 {
            self.note_fault(format!(
                "scripts made more than {} operations in one stage; {dear} changes were left out",
                limits.operations_per_step
            ));
        }
        if spawns > most {
            self.note_fault(format!(
                "scripts spawned {spawns} entities in one stage; {most} are allowed, the rest was left out"
            ));
        }
    }

    /// What a change costs whatever comes of it.
    fn cost_before(&self, command: &Command) -> u64 {
        let shapes = |entity: Entity| {
            let body = self.body_of(entity).and_then(|body| self.physics.body(body));
            body.map_or(0, |body| body.shapes().count() as u64)
        };
        match command {
            Command::Set { entity, .. } => {
                SET_COST + shapes(*entity) / 2 + CHILD_COST * self.hierarchy.descendants(*entity).len() as u64
            }
            Command::Spawn(_) | Command::Despawn(_) => SPAWN_COST,
            Command::Push(..) => 2,
            Command::Slice { entity, .. } => CUT_COST + SHAPE_CUT_COST * shapes(*entity),
            Command::CutThrough { .. } => CUT_COST,
        }
    }

    fn apply_command(&mut self, command: Command) -> Result<(), String> {
        let alive = |entity: &Entity| self.entities.entities().is_alive(*entity);
        let done = match command {
            Command::Set { entity, path, value } if alive(&entity) => self.set(entity, &path, value),
            Command::Spawn(spawning) => return self.spawn_for_script(&spawning),
            Command::Despawn(entity) => {
                self.despawn(entity);
                Ok(())
            }
            Command::Push(entity, push) if alive(&entity) => self.push_body(entity, push),
            Command::Slice { entity, from, to } if alive(&entity) => {
                let cut = self.slice(entity, Position::from(from), Position::from(to));
                cut.map(|_| ())
            }
            Command::CutThrough { from, to } => {
                let filter = QueryFilter::default();
                let cuts = self.cut_through(Position::from(from), Position::from(to), filter);
                cuts.map(|_| ())
            }
            Command::Set { .. } | Command::Push(..) | Command::Slice { .. } => Ok(()),
        };
        done.map_err(|error| error.to_string())
    }

    fn push_body(&mut self, entity: Entity, push: Push) -> Result<(), WorldError> {
        // It may have lost its body since.
        let Some(mut body) = self.body_of(entity).and_then(|id| self.physics.body_mut(id)) else {
            return Ok(());
        };
        let pushed = match push {
            Push::Impulse(impulse) => body.apply_impulse(impulse),
            Push::ImpulseAt(impulse, point) => body.apply_impulse_at(impulse, Position::from(point)),
            Push::AngularImpulse(impulse) => body.apply_angular_impulse(impulse),
            Push::Force(force) => body.apply_force(force),
            Push::ForceAt(force, point) => body.apply_force_at(force, Position::from(point)),
            Push::Torque(torque) => body.apply_torque(torque),
        };
        pushed.map_err(|error| WorldError::Physics {
            entity: self.show(entity),
            component: "body".into(),
            error,
        })
    }

    /// Spawns, and sets what was asked for; if that fails the new entity ends.
    fn spawn_for_script(&mut self, spawning: &Spawning) -> Result<(), String> {
        // A parent that has ended since is none.
        let parent = spawning
            .parent
            .filter(|parent| self.entities.entities().is_alive(*parent));
        let def = SpawnDef {
            name: spawning.name.as_deref(),
            pose: spawning.pose,
            parent,
            ..SpawnDef::default()
        };
        let spawned = self
            .spawn(&spawning.resource, &def)
            .map_err(|error| error.to_string())?;
        let set = |(path, value): &(Box<str>, Dynamic)| {
            let value = self.property_for_script(spawned, path, value)?;
            self.set(spawned, path, value).map_err(|error| error.to_string())
        };
        let set = spawning.properties.iter().try_for_each(set);
        if set.is_err() {
            self.despawn(spawned);
        }
        set
    }

    /// A script's value as one for a property.
    pub(super) fn property_for_script(
        &self,
        entity: Entity,
        path: &str,
        value: &Dynamic,
    ) -> Result<Value, String> {
        let kind = self.kind_at(entity, path);
        let kind = kind.map_err(|error| self.name_in(entity, &error.to_string()))?;
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
