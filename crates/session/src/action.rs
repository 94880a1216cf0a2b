//! [`Action`]: a change of a world by a user, as plain data. The session logs actions with step numbers, and a session
//! that is played again applies the same ones at the same steps. Each becomes commands of the engine.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tombolo::component::{NAMES, SCRIPT, TRANSFORM};
use tombolo::entity::{Entity, Override, ResourceDefinition, Value};
use tombolo::geometry::{Pose, Position, Rot, Vec2};
use tombolo::physics::{BodyKind, ExplosionDef};
use tombolo::scene::graph::NodeGraph;
use tombolo::{Command, Push, SpawnCommand, World};

use crate::failure::Failure;

/// The name of the entity that pulls a grabbed body, and of its resource.
pub(crate) const POINTER: &str = "the pointer of play";

/// The stiffness of the pointer's spring, in hertz; it is damped critically.
const POINTER_HERTZ: f32 = 6.0;

/// The greatest force of the pointer, in newtons for each kilogram of the body: a hundred times its weight on Earth.
const POINTER_FORCE_PER_KG: f32 = 1000.0;

/// The greatest torque by which the pointer brakes a body's rotation, in newton meters for each kilogram and meter of
/// its size.
const POINTER_TORQUE_PER_KG_M: f32 = 2.0;

/// The limit of positions, in meters from the origin, and of impulses, in newton seconds: the range that physics
/// accepts.
const NUMBER_MAX: f32 = 100_000.0;

/// An entity by its handle's number, written as a string since integers of JavaScript are exact only to 2⁵³.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key(pub(crate) Entity);

impl Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.to_bits())
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let entity = text.parse().ok().and_then(Entity::from_bits);
        entity
            .map(Self)
            .ok_or_else(|| serde::de::Error::custom("no handle of an entity"))
    }
}

/// A change of a world by a user. Positions are in meters of the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "act", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Action {
    /// Attaches a spring between a point of a body and the pointer.
    Grab { entity: Key, at: [f32; 2] },
    /// Moves the pointer.
    Drag { at: [f32; 2] },
    /// Removes the pointer's spring.
    Release {},
    /// Pushes a body at a point, in newton seconds.
    Push {
        entity: Key,
        at: [f32; 2],
        impulse: [f32; 2],
    },
    /// Pushes everything around a position, in newton seconds per meter of width.
    Explode { at: [f32; 2], radius: f32, impulse: f32 },
    /// Cuts everything that a segment crosses.
    Cut { from: [f32; 2], to: [f32; 2] },
    /// Spawns an entity. The session gives the name.
    Drop {
        resource: String,
        at: [f32; 2],
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Sets a property, whose value is written as in a scene.
    Set { entity: Key, path: String, text: String },
    /// Teleports an entity to a position, to an angle in radians, or both; what is not given stays to the bit.
    Move {
        entity: Key,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        at: Option<[f32; 2]>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        angle: Option<f32>,
    },
    /// Spawns a copy of an entity in its present state at another position. The session gives the name.
    Duplicate {
        entity: Key,
        at: [f32; 2],
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
    },
    /// Adds a component of a kind, with its default values.
    AddComponent { entity: Key, kind: String, name: String },
    /// Removes a component.
    RemoveComponent { entity: Key, name: String },
    /// Replaces one of the scene's scripts. Components that the old text failed in run again.
    Script { name: String, text: String },
    /// Replaces one of the scene's node graphs by another one, written as in a scene, as `Script` does with its script.
    Graph { name: String, text: String },
    /// Sets the value of one of the scene's actions, which a player holds from now on.
    Input { name: String, value: f32 },
    /// Despawns an entity and its children.
    Despawn { entity: Key },
}

impl Action {
    /// Whether the action continues one before it, so that both are undone together. An input of a player is never
    /// undone by itself.
    pub(crate) fn continues(&self) -> bool {
        matches!(self, Self::Drag { .. } | Self::Release {} | Self::Input { .. })
    }

    /// The entity that the action is about.
    fn entity_mut(&mut self) -> Option<&mut Key> {
        match self {
            Self::Grab { entity, .. }
            | Self::Push { entity, .. }
            | Self::Set { entity, .. }
            | Self::Move { entity, .. }
            | Self::Duplicate { entity, .. }
            | Self::AddComponent { entity, .. }
            | Self::RemoveComponent { entity, .. }
            | Self::Despawn { entity } => Some(entity),
            Self::Drag { .. }
            | Self::Release {}
            | Self::Explode { .. }
            | Self::Cut { .. }
            | Self::Drop { .. }
            | Self::Script { .. }
            | Self::Graph { .. }
            | Self::Input { .. } => None,
        }
    }

    /// The name of the entity that the action is about.
    pub(crate) fn name_of_entity(&mut self, world: &World) -> Option<String> {
        let entity = self.entity_mut()?.0;
        world.name_of(entity).map(str::to_string)
    }

    /// Makes the action about the entity of a name: the handle that it had may be another one's, or nobody's, in a world
    /// that went on otherwise.
    ///
    /// # Errors
    /// There is none of that name.
    pub(crate) fn rename_entity(&mut self, name: &str, world: &World) -> Result<(), Failure> {
        let Some(entity) = self
            .entity_mut()
            .filter(|entity| world.name_of(entity.0) != Some(name))
        else {
            return Ok(());
        };
        let found = world.find(name);
        entity.0 = found.ok_or_else(|| Failure(format!("{name:?} is not there any more")))?;
        Ok(())
    }

    /// The name of the entity, script or graph that is edited or made.
    pub(crate) fn name_in(&self, world: &World) -> Option<String> {
        match self {
            Self::Set { entity, .. }
            | Self::Move { entity, .. }
            | Self::Despawn { entity }
            | Self::AddComponent { entity, .. }
            | Self::RemoveComponent { entity, .. } => world.name_of(entity.0).map(str::to_string),
            Self::Script { name, .. } | Self::Graph { name, .. } => Some(name.clone()),
            Self::Drop { name, .. } | Self::Duplicate { name, .. } => name.clone(),
            _ => None,
        }
    }

    /// Whether the action makes an entity that gets a name.
    pub(crate) fn is_making(&self) -> bool {
        matches!(self, Self::Drop { .. } | Self::Duplicate { .. })
    }

    /// Gives the entity that the action makes a name that no entity of the world has and that is not in `taken`.
    pub(crate) fn give_name(&mut self, world: &World, taken: &BTreeSet<String>) {
        match self {
            Self::Drop { resource, name, .. } => *name = Some(fresh_name(world, resource, taken)),
            Self::Duplicate { entity, name, .. } => {
                let resource = world.library().origin(entity.0);
                *name = resource.map(|resource| fresh_name(world, resource, taken));
            }
            _ => {}
        }
    }

    /// Applies the action to a world.
    ///
    /// # Errors
    /// The world refuses it; nothing has changed then.
    pub(crate) fn apply(&self, world: &mut World) -> Result<(), Failure> {
        match self {
            Self::Grab { entity, at } => return grab(world, entity.0, point(*at)?),
            Self::Release {} => {
                world.apply(Command::Despawn(POINTER.into()))?;
            }
            Self::Drag { at } => {
                let pose = Pose::new(point(*at)?, 0.0);
                world.apply(Command::Teleport {
                    entity: POINTER.into(),
                    pose,
                })?;
            }
            Self::Drop { resource, at, name } => {
                world.apply(Command::Spawn(Box::new(SpawnCommand {
                    resource: resource.as_str().into(),
                    name: name.as_deref().map(Into::into),
                    pose: Some(Pose::new(point(*at)?, 0.0)),
                    ..SpawnCommand::default()
                })))?;
            }
            Self::Duplicate { entity, at, name } => {
                return duplicate(world, entity.0, point(*at)?, name.as_deref());
            }
            Self::Move { entity, at, angle } => {
                let mut pose = world.pose(entity.0).unwrap_or_default();
                if let Some(at) = at {
                    pose.position = point(*at)?;
                }
                if let Some(angle) = angle {
                    pose.rotation = Rot::from_angle(number(*angle)?);
                }
                world.apply(Command::Teleport {
                    entity: entity.0.into(),
                    pose,
                })?;
            }
            Self::Script { name, text } => return define_script(world, name, text),
            Self::Graph { name, text } => return define_script(world, name, &script_of_graph(name, text)?),
            Self::AddComponent { entity, kind, name } => {
                world.add_component(entity.0, kind, name)?;
            }
            Self::RemoveComponent { entity, name } => {
                if world.entities().find(entity.0, name).is_none() {
                    return Err(Failure(format!("there is no component {name:?}")));
                }
                world.remove_component(entity.0, name)?;
            }
            Self::Set { entity, path, text } => {
                let value = world.parse_value_at(entity.0, path, text)?;
                world.apply(Command::Set {
                    entity: entity.0.into(),
                    path: path.as_str().into(),
                    value,
                })?;
            }
            other => {
                let command = other.command()?;
                world.apply(command)?;
            }
        }
        Ok(())
    }

    /// The command of an action that becomes a single command, whatever the world's state.
    fn command(&self) -> Result<Command, Failure> {
        Ok(match self {
            Self::Push { entity, at, impulse } => Command::Push {
                entity: entity.0.into(),
                push: Push::ImpulseAt(point(*impulse)?, Position::from(point(*at)?)),
            },
            Self::Explode { at, radius, impulse } => Command::Explode(ExplosionDef {
                radius: 0.0,
                falloff: number(*radius)?,
                impulse_per_length: number(*impulse)?,
                ..ExplosionDef::at(point(*at)?.into())
            }),
            Self::Cut { from, to } => Command::CutThrough {
                from: point(*from)?.into(),
                to: point(*to)?.into(),
            },
            Self::Input { name, value } => Command::SetAction {
                name: name.as_str().into(),
                value: *value,
            },
            Self::Despawn { entity } => Command::Despawn(entity.0.into()),
            _ => {
                return Err(Failure("this is no single command".to_string()));
            }
        })
    }
}

/// The script of a node graph that is written as in a scene.
fn script_of_graph(name: &str, text: &str) -> Result<String, Failure> {
    let graph = NodeGraph::parse(text);
    let graph = graph.map_err(|error| Failure(format!("node graph {name:?}, line {error}")))?;
    let script = graph.script();
    script.map_err(|error| Failure(format!("node graph {name:?}, {error}")))
}

/// Replaces the script of a name in the world, and lets components that it failed in run again.
fn define_script(world: &mut World, name: &str, text: &str) -> Result<(), Failure> {
    let defined = world.define_script(name, text);
    defined.map_err(|error| Failure(format!("script {name:?}, {error}")))?;
    let mut failed = Vec::new();
    for entity in world.entities().entities().iter() {
        for part in world.describe(entity) {
            if part.manager != NAMES[usize::from(SCRIPT.0)] {
                continue;
            }
            let has = |wanted: &str, value: &Value| {
                let mut properties = part.properties.iter();
                properties.any(|(property, known)| *property.name == *wanted && known == value)
            };
            let is_it = has("name", &Value::String(name.into())) && has("enabled", &Value::Bool(false));
            if is_it && !has("error", &Value::String("".into())) {
                failed.push((entity, format!("{}.enabled", part.name)));
            }
        }
    }
    for (entity, path) in failed {
        // The script is replaced already: a component that cannot run stays failed.
        drop(world.set(entity, &path, Value::Bool(true)));
    }
    Ok(())
}

/// Spawns an entity of the same resource and copies the entity's components to it, and every property that differs,
/// except for the pose; the same of its children.
fn duplicate(world: &mut World, entity: Entity, at: Vec2, name: Option<&str>) -> Result<(), Failure> {
    let is_alive = world.entities().entities().is_alive(entity);
    let resource = world.library().origin(entity).filter(|_| is_alive);
    let resource = resource.map(str::to_string);
    let resource = resource
        .ok_or_else(|| Failure("this was made of no resource that could be used again".to_string()))?;
    let angle = world.pose(entity).map_or(0.0, |pose| pose.rotation.angle());
    let copy = world.apply(Command::Spawn(Box::new(SpawnCommand {
        resource: resource.into(),
        name: name.map(Into::into),
        pose: Some(Pose::new(at, angle)),
        ..SpawnCommand::default()
    })))?;
    let Some(copy) = copy else { return Ok(()) };
    let pairs = pairs(world, entity, copy);
    for &(entity, copy) in &pairs {
        match_components(world, entity, copy);
    }
    for place in 0..pairs.len() {
        for (path, value) in differences(world, &pairs, place) {
            // A value that the copy cannot take by itself stays as the resource has it.
            drop(world.apply(Command::Set {
                entity: pairs[place].1.into(),
                path: path.into(),
                value,
            }));
        }
    }
    Ok(())
}

/// An entity and its copy, and below them the children with the same names, parents first. Children that the entity has
/// no more are despawned. Those of an entity without a name have none either: they stay as the resource has them.
fn pairs(world: &mut World, entity: Entity, copy: Entity) -> Vec<(Entity, Entity)> {
    let mut pairs = vec![(entity, copy)];
    let mut place = 0;
    while let Some(&(entity, copy)) = pairs.get(place) {
        place += 1;
        if world.name_of(entity).is_none() {
            continue;
        }
        let named = |parent: Entity| -> BTreeMap<String, Entity> {
            let children = world.children(parent).iter();
            let named = children.filter_map(|&child| Some((name_below(world, parent, child)?, child)));
            named.collect()
        };
        let (wanted, had) = (named(entity), named(copy));
        for (name, child) in had {
            match wanted.get(&name) {
                Some(&original) => pairs.push((original, child)),
                // Children can always be despawned.
                None => drop(world.apply(Command::Despawn(child.into()))),
            }
        }
    }
    pairs
}

/// The part of a child's name that its parent's name does not give.
fn name_below(world: &World, parent: Entity, child: Entity) -> Option<String> {
    let below = world.name_of(child)?.strip_prefix(world.name_of(parent)?)?;
    below.strip_prefix('/').map(str::to_string)
}

/// Removes those components of a copy that were removed from the entity, and adds those that were added to it.
fn match_components(world: &mut World, entity: Entity, copy: Entity) {
    let parts_of = |entity: Entity| -> Vec<(String, String)> {
        let parts = world.describe(entity).into_iter();
        parts
            .map(|part| (part.name.to_string(), part.manager.to_string()))
            .collect()
    };
    let (wanted, had) = (parts_of(entity), parts_of(copy));
    // A component that the copy cannot gain or lose by itself stays as the resource has it.
    for (name, _) in had.iter().filter(|part| !wanted.contains(part)) {
        drop(world.remove_component(copy, name));
    }
    for (name, kind) in wanted.iter().filter(|part| !had.contains(part)) {
        drop(world.add_component(copy, kind, name));
    }
}

/// The properties in which an entity differs from its copy, with the entity's values; entities that have a copy too are
/// replaced by it. The first pair has poses of its own.
fn differences(world: &World, pairs: &[(Entity, Entity)], place: usize) -> Vec<(String, Value)> {
    let (original, copy) = (world.describe(pairs[place].0), world.describe(pairs[place].1));
    let has_pose = |manager: &str, property: &str| {
        place == 0
            && manager == NAMES[usize::from(TRANSFORM.0)]
            && matches!(property, "position" | "angle" | "parent")
    };
    let mut found = Vec::new();
    for part in original {
        let Some(same) = copy
            .iter()
            .find(|other| (other.name, other.manager) == (part.name, part.manager))
        else {
            continue;
        };
        let pairs_of_values = part.properties.iter().filter(|(property, _)| !property.read_only);
        for (property, value) in pairs_of_values.filter(|(known, _)| !has_pose(part.manager, &known.name)) {
            let value = among_copies(value, pairs);
            let mut others = same.properties.iter();
            let is_same = others.any(|(other, known)| other.name == property.name && *known == value);
            if !is_same {
                found.push((format!("{}.{}", part.name, property.name), value));
            }
        }
    }
    found
}

/// A value in which entities that have a copy are replaced by it.
fn among_copies(value: &Value, pairs: &[(Entity, Entity)]) -> Value {
    match value {
        Value::Entity(Some(entity)) => {
            let pair = pairs.iter().find(|(original, _)| original == entity);
            Value::Entity(Some(pair.map_or(*entity, |(_, copy)| *copy)))
        }
        Value::List(values) => Value::List(values.iter().map(|value| among_copies(value, pairs)).collect()),
        other => other.clone(),
    }
}

/// The first name in a resource's series of names that no entity has and that is not taken.
fn fresh_name(world: &World, resource: &str, taken: &BTreeSet<String>) -> String {
    let mut number = 1_u64;
    loop {
        let name = format!("{resource} {number}");
        if world.find(&name).is_none() && !taken.contains(&name) {
            return name;
        }
        number += 1;
    }
}

fn number(value: f32) -> Result<f32, Failure> {
    if value.abs() <= NUMBER_MAX {
        Ok(value)
    } else {
        Err(Failure(format!("a number is beyond {NUMBER_MAX}")))
    }
}

fn point([x, y]: [f32; 2]) -> Result<Vec2, Failure> {
    Ok(Vec2::new(number(x)?, number(y)?))
}

/// Attaches a body to the pointer at a point of the body; what the pointer held before is released.
fn grab(world: &mut World, entity: Entity, at: Vec2) -> Result<(), Failure> {
    let body = world.body(entity).filter(|body| body.kind() == BodyKind::Dynamic);
    let body = body.ok_or_else(|| Failure("this has no body that can be dragged".to_string()))?;
    let mass = body.mass();
    let size = body
        .aabb()
        .map_or(1.0, |bounds| (bounds.max - bounds.min).length());
    let before = world.frame();
    let held = hold(world, entity, at, mass, size);
    if held.is_err() {
        // What the pointer held before is held still.
        world.restore_frame(&before);
    }
    held
}

/// Spawns the pointer anew at a point of a body, with a spring for the body's mass and size.
fn hold(world: &mut World, entity: Entity, at: Vec2, mass: f32, size: f32) -> Result<(), Failure> {
    if world.library().get(POINTER).is_none() {
        world.define(vec![pointer()])?;
    }
    if let Some(pointer) = world.find(POINTER) {
        world.apply(Command::Despawn(pointer.into()))?;
    }
    let set = |property: &str, value: Value| Override {
        path: format!("spring.{property}").into(),
        value,
    };
    world.apply(Command::Spawn(Box::new(SpawnCommand {
        resource: POINTER.into(),
        name: Some(POINTER.into()),
        pose: Some(Pose::new(at, 0.0)),
        parent: None,
        overrides: vec![
            set("to", Value::Entity(Some(entity))),
            set("max_spring_force", Value::F32(POINTER_FORCE_PER_KG * mass)),
            set("max_torque", Value::F32(POINTER_TORQUE_PER_KG_M * mass * size)),
        ],
    })))?;
    Ok(())
}

/// The resource of the pointer: a kinematic body without shapes, and a motor joint with a spring from it.
fn pointer() -> ResourceDefinition {
    let word = |text: &str| Value::String(text.into());
    let spring = [
        ("kind", word("Motor")),
        ("spring", Value::Bool(true)),
        ("hertz", Value::F32(POINTER_HERTZ)),
        ("damping_ratio", Value::F32(1.0)),
        ("motor", Value::Bool(true)),
    ];
    ResourceDefinition::new(POINTER)
        .component("hand", "Body", [("kind", word("Kinematic"))])
        .component("spring", "Joint", spring)
}
