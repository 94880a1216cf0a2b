//! The functions of the world that scripts can call: reads and commands. `docs/scripts.md` lists them; `engine.rs`
//! registers them.

use rhai::{Dynamic, Engine, EvalAltResult, ImmutableString, Map, NativeCallContext};
use tombolo_entity::{Dense, Entity, InstanceId, NameHash};
use tombolo_geometry::{Pose, Position, Rot, Vec2};
use tombolo_physics::ExplosionDef;

use super::context::{at_path, with_context};
use super::in_call::{QueuedCommand, Result, in_call, in_turn, list_of, queue_command, queue_spawn};
use super::meter::charge;
use super::prices::size_of_value;
use super::rules::{category_rule_command, naming_callbacks, rule_command};
use super::values::{entity, number, to_script, vector, word};
use super::walls::{charge_for_agent, charge_for_spawned};
use crate::component::{TAG, TIMERS_MAX, Tag, Timer, Transform};
use crate::scene::advice;
use crate::world::World;
use crate::world::command::{Command, Push, SpawnCommand};

/// Operations for each byte of a text that a property is set to: it may be a script, which is parsed before it runs.
const TEXT_COST: usize = 2;
/// The number of bytes of a name or a path for which reading costs one operation.
const BYTES_PER_OPERATION: usize = 32;
/// Operations for reading a property.
const READ_COST: usize = 8;
/// Operations for reading an action.
const ACTION_COST: usize = 4;
/// Operations for each value of a list that a property is set to, beside those of its shapes: it is converted to a
/// property's value, and may be the points of an outline.
const ELEMENT_COST: usize = 8;

/// Registers all of these functions.
pub(super) fn register(engine: &mut Engine) {
    engine.register_type_with_name::<Entity>("Entity");
    register_reading(engine);
    register_asking(engine);
    register_changing(engine);
    register_rules(engine);
    register_pushes(engine);
    register_timers(engine);
    super::space_queries::register(engine);
    super::paths::register(engine);
    super::physics_queries::register(engine);
    super::query_batches::register(engine);
    super::tiles::register(engine);
    register_actions(engine);
}

fn register_reading(engine: &mut Engine) {
    engine.register_fn("me", || in_call(|_, call| Ok(call.me)));
    engine.register_fn("find", |name: &str| {
        charge(name.len() / BYTES_PER_OPERATION)?;
        in_call(|world, _| Ok(world.find(name).map_or(Dynamic::UNIT, Dynamic::from)))
    });
    engine.register_fn("name_of", |entity: Entity| {
        charge(READ_COST)?;
        in_call(|world, _| {
            Ok(world
                .name_of(entity)
                .map_or(Dynamic::UNIT, |name| name.to_string().into()))
        })
    });
    engine.register_fn("is_alive", |entity: Entity| {
        in_call(|world, _| Ok(world.entities.entities().is_alive(entity)))
    });
    engine.register_fn("has", |entity: Entity, component: &str| {
        charge(READ_COST + component.len() / BYTES_PER_OPERATION)?;
        in_call(|world, _| Ok(world.entities.find(entity, component).is_some()))
    });
    engine.register_fn("get", |entity: Entity, path: &str| {
        charge(READ_COST + path.len() / BYTES_PER_OPERATION)?;
        let value = in_call(|world, _| world.get_for_script(entity, path))?;
        charge(size_read(&value)?)?;
        Ok::<_, Box<EvalAltResult>>(value)
    });
    engine.register_fn("parent", |entity: Entity| {
        in_call(|world, _| {
            let parent = crate::world::hierarchy::parent_of(&world.entities, entity);
            Ok(parent.map_or(Dynamic::UNIT, Dynamic::from))
        })
    });
    engine.register_fn("children", |entity: Entity| {
        charge(READ_COST)?;
        let children = in_call(|world, _| Ok(Vec::from(world.children(entity))))?;
        list_of(children)
    });
    engine.register_fn("tagged", |tag: &str| {
        let (looked_at, tagged) = in_call(|world, _| Ok(world.tagged(tag)))?;
        charge(looked_at / 8)?;
        list_of(tagged)
    });
    engine.register_fn("time", || {
        in_call(|world, _| Ok(world.physics.step_index() as f64 * f64::from(world.step_seconds)))
    });
    engine.register_fn("==", |a: Entity, b: Entity| a == b);
    engine.register_fn("!=", |a: Entity, b: Entity| a != b);
    for name in ["to_string", "to_debug", "print", "debug"] {
        engine.register_fn(name, |entity: Entity| -> Result<String> {
            charge(READ_COST)?;
            let name = with_context(|script_context| script_context.world.show(entity));
            let text = name.map_or_else(|| format!("{entity:?}"), String::from);
            charge(text.len() / BYTES_PER_OPERATION)?;
            Ok(text)
        });
    }
}

fn register_asking(engine: &mut Engine) {
    engine.register_fn("random", || in_turn(|world| Ok(f64::from(world.random.unit()))));
    let between =
        |least: f64, most: f64| in_turn(|world| Ok(least + (most - least) * f64::from(world.random.unit())));
    engine.register_fn("random", between);
    engine.register_fn("random", move |least: f64, most: i64| between(least, most as f64));
    engine.register_fn("random", move |least: i64, most: f64| between(least as f64, most));
    engine.register_fn("random", move |least: i64, most: i64| {
        between(least as f64, most as f64)
    });
    engine.register_fn("random_int", |least: i64, most: i64| {
        in_turn(|world| {
            if least > most {
                return Err(format!("random_int({least}, {most}): the first is greater"));
            }
            let span = u128::from(most.abs_diff(least)) + 1;
            // The upper half of a product of 128 bits: uniform to one part in 2^64 / span.
            let pick = (u128::from(world.random.bits()) * span) >> 64;
            Ok(least.wrapping_add_unsigned(pick as u64))
        })
    });
}

/// Registers the functions that read actions of players.
fn register_actions(engine: &mut Engine) {
    engine.register_fn("axis", |name: &str| {
        charge(ACTION_COST + name.len() / BYTES_PER_OPERATION)?;
        in_call(|world, _| Ok(f64::from(world.action(name))))
    });
    engine.register_fn("action", |name: &str| {
        charge(ACTION_COST + name.len() / BYTES_PER_OPERATION)?;
        in_call(|world, _| Ok(world.is_action_held(name)))
    });
    engine.register_fn("pressed", |name: &str| {
        charge(ACTION_COST + name.len() / BYTES_PER_OPERATION)?;
        in_call(|world, _| Ok(world.was_action_pressed(name)))
    });
    engine.register_fn("released", |name: &str| {
        charge(ACTION_COST + name.len() / BYTES_PER_OPERATION)?;
        in_call(|world, _| Ok(world.was_action_released(name)))
    });
    engine.register_fn("has_input", || in_call(|world, _| Ok(world.actions().len() > 0)));
}

fn register_changing(engine: &mut Engine) {
    engine.register_fn(
        "set",
        |context: NativeCallContext<'_>, entity: Entity, path: &str, value: Dynamic| {
            charge(text_bytes(&value) * TEXT_COST + elements(&value) * ELEMENT_COST)?;
            let value = in_call(|world, _| world.property_for_script(entity, path, &value))?;
            charge_for_agent(entity, path, &value)?;
            queue_command(&context, |_| {
                Ok(Command::Set {
                    entity: entity.into(),
                    path: path.into(),
                    value,
                })
            })
        },
    );
    engine.register_fn(
        "spawn_entity",
        |context: NativeCallContext<'_>, resource: &str| {
            queue_spawn(&context, |world| spawning(world, resource, &Map::new()))
        },
    );
    engine.register_fn(
        "spawn_entity",
        |context: NativeCallContext<'_>, resource: &str, options: Map| {
            let texts = options.values().map(text_bytes).sum::<usize>();
            let elements = options.values().map(elements).sum::<usize>();
            charge(texts * TEXT_COST + elements * ELEMENT_COST)?;
            charge_for_spawned(&options)?;
            queue_spawn(&context, |world| spawning(world, resource, &options))
        },
    );
    engine.register_fn("despawn", |context: NativeCallContext<'_>, entity: Entity| {
        queue_command(&context, |_| Ok(Command::Despawn(entity.into())))
    });
    engine.register_fn(
        "slice",
        |context: NativeCallContext<'_>, entity: Entity, from: Vec2, to: Vec2| {
            queue_command(&context, |world| match world.body_of(entity) {
                Some(_) => Ok(Command::Slice {
                    entity: entity.into(),
                    from: Position::from(from),
                    to: Position::from(to),
                }),
                None => Err(format!("entity {} has no body", world.show(entity))),
            })
        },
    );
    engine.register_fn(
        "cut_through",
        |context: NativeCallContext<'_>, from: Vec2, to: Vec2| {
            queue_command(&context, |_| {
                Ok(Command::CutThrough {
                    from: Position::from(from),
                    to: Position::from(to),
                })
            })
        },
    );
    engine.register_fn(
        "explode",
        |context: NativeCallContext<'_>, at: Vec2, numbers: Map| {
            queue_command(&context, |_| exploding(at, &numbers))
        },
    );
}

fn register_rules(engine: &mut Engine) {
    engine.register_fn(
        "set_contact_rule",
        |context: NativeCallContext<'_>, first: i64, second: i64, said: Map| {
            queue_command(&context, |_| rule_command(first, second, Some(&said)))
        },
    );
    engine.register_fn(
        "remove_contact_rule",
        |context: NativeCallContext<'_>, first: i64, second: i64| {
            queue_command(&context, |_| rule_command(first, second, None))
        },
    );
    engine.register_fn(
        "set_category_rule",
        |context: NativeCallContext<'_>, first: i64, second: i64, said: Map| {
            queue_command(&context, |_| category_rule_command(first, second, Some(&said)))
        },
    );
    engine.register_fn(
        "remove_category_rule",
        |context: NativeCallContext<'_>, first: i64, second: i64| {
            queue_command(&context, |_| category_rule_command(first, second, None))
        },
    );
    engine.register_fn("use_callbacks", |context: NativeCallContext<'_>, said: Map| {
        queue_command(&context, |_| naming_callbacks(&said))
    });
}

/// The command of `explode`.
fn exploding(at: Vec2, numbers: &Map) -> core::result::Result<Command, String> {
    const KNOWN: [&str; 5] = ["radius", "falloff", "impulse_per_length", "mask", "tile_radius"];
    let mut explosion = ExplosionDef::at(Position::from(at));
    for (name, value) in numbers {
        let refused = || format!("explode: {name} is no number");
        let size = number(value).map(|number| number as f32);
        match name.as_str() {
            "radius" => explosion.radius = size.ok_or_else(refused)?,
            "falloff" => explosion.falloff = size.ok_or_else(refused)?,
            "impulse_per_length" => explosion.impulse_per_length = size.ok_or_else(refused)?,
            "tile_radius" => explosion.tile_radius = size.ok_or_else(refused)?,
            "mask" => explosion.mask = value.as_int().map_err(|_| refused())? as u64,
            _ => return Err(format!("explode: unknown {name:?}; {}", advice(name, KNOWN))),
        }
    }
    Ok(Command::Explode(explosion))
}

/// The bytes of the strings in a value that is set, or in the options of a spawn.
fn text_bytes(value: &Dynamic) -> usize {
    if let Ok(text) = value.as_immutable_string_ref() {
        return text.len();
    }
    if let Ok(list) = value.as_array_ref() {
        return list.iter().map(text_bytes).sum();
    }
    value
        .as_map_ref()
        .map_or(0, |map| map.values().map(text_bytes).sum())
}

/// The number of elements of the lists in the options.
fn elements(value: &Dynamic) -> usize {
    if let Ok(list) = value.as_array_ref() {
        return list.iter().map(|value| 1 + elements(value)).sum();
    }
    value
        .as_map_ref()
        .map_or(0, |map| map.values().map(elements).sum())
}

/// The operations for copying a value that was read.
fn size_read(value: &Dynamic) -> core::result::Result<usize, Box<EvalAltResult>> {
    match value.as_blob_ref() {
        Ok(bytes) => Ok(bytes.len() / BYTES_PER_OPERATION),
        Err(_) => size_of_value(value),
    }
}

/// The command of `spawn_entity`.
fn spawning(world: &World, resource: &str, options: &Map) -> core::result::Result<QueuedCommand, String> {
    if world.library.get(resource).is_none() {
        let known: Vec<&str> = world.library.iter().map(|known| &*known.name).collect();
        // If that exceeds the limit, the next operation ends the call.
        drop(charge(known.len() + resource.len() / BYTES_PER_OPERATION));
        let advice = advice(resource, known.iter().copied());
        return Err(format!(
            "spawn_entity: there is no entity {resource:?} to spawn; {advice}"
        ));
    }
    let mut spawning = SpawnCommand {
        resource: resource.into(),
        ..SpawnCommand::default()
    };
    let mut to_set = Vec::new();
    let (mut position, mut angle) = (None, None);
    for (key, value) in options {
        let unfit = |wanted: &str| format!("spawn_entity: `{key}` is {wanted}, not {}", word(value));
        match key.as_str() {
            "name" => {
                let name: ImmutableString = value.clone().try_cast().ok_or_else(|| unfit("a text"))?;
                spawning.name = Some(name.as_str().into());
            }
            "position" => {
                let finite = vector(value).filter(|position| position.is_finite());
                position = Some(finite.ok_or_else(|| unfit("a vector"))?);
            }
            "angle" => {
                let finite = number(value).filter(|angle| angle.is_finite());
                angle = Some(finite.ok_or_else(|| unfit("a number"))? as f32);
            }
            "parent" => spawning.parent = Some(entity(value).ok_or_else(|| unfit("an entity"))?.into()),
            "set" => {
                let map = value.as_map_ref().map_err(|_| unfit("a map"))?;
                let properties = map
                    .iter()
                    .map(|(path, value)| (path.as_str().into(), value.clone()));
                to_set = properties.collect();
            }
            _ => {
                return Err(format!(
                    "spawn_entity: unknown option `{key}`; known: name, position, angle, parent, set"
                ));
            }
        }
    }
    if position.is_some() || angle.is_some() {
        // What is not given is the resource's.
        let own = match (position, angle) {
            (Some(_), Some(_)) => Transform::default(),
            _ => world.transform_of_resource(resource),
        };
        spawning.pose = Some(Pose {
            position: position.unwrap_or(own.position),
            rotation: Rot::from_angle(angle.unwrap_or(own.angle())),
        });
    }
    Ok((Command::Spawn(Box::new(spawning)), to_set))
}

fn register_pushes(engine: &mut Engine) {
    let push = |context: &NativeCallContext<'_>, entity: Entity, push: Push| {
        queue_command(context, |world| match world.body_of(entity) {
            Some(_) => Ok(Command::Push {
                entity: entity.into(),
                push,
            }),
            None => Err(format!("entity {} has no body", world.show(entity))),
        })
    };
    engine.register_fn(
        "apply_impulse",
        move |context: NativeCallContext<'_>, entity: Entity, impulse: Vec2, point: Vec2| {
            push(&context, entity, Push::ImpulseAt(impulse, Position::from(point)))
        },
    );
    for (name, kind) in [
        ("apply_impulse", Push::Impulse as fn(Vec2) -> Push),
        ("apply_force", Push::Force),
        ("apply_local_force", Push::LocalForce),
        ("apply_local_impulse", Push::LocalImpulse),
    ] {
        engine.register_fn(
            name,
            move |context: NativeCallContext<'_>, entity: Entity, vector: Vec2| {
                push(&context, entity, kind(vector))
            },
        );
    }
    engine.register_fn(
        "apply_force",
        move |context: NativeCallContext<'_>, entity: Entity, force: Vec2, point: Vec2| {
            push(&context, entity, Push::ForceAt(force, Position::from(point)))
        },
    );
    for (name, kind) in [
        ("apply_torque", Push::Torque as fn(f32) -> Push),
        ("apply_angular_impulse", Push::AngularImpulse),
    ] {
        engine.register_fn(
            name,
            move |context: NativeCallContext<'_>, entity: Entity, size: f64| {
                push(&context, entity, kind(size as f32))
            },
        );
        engine.register_fn(
            name,
            move |context: NativeCallContext<'_>, entity: Entity, size: i64| {
                push(&context, entity, kind(size as f32))
            },
        );
    }
    for (name, kind) in [
        ("drop_through", Push::DropThrough),
        ("sleep", Push::Sleep),
        ("wake_touching", Push::WakeTouching),
    ] {
        engine.register_fn(name, move |context: NativeCallContext<'_>, entity: Entity| {
            push(&context, entity, kind)
        });
    }
}

fn register_timers(engine: &mut Engine) {
    for (name, again) in [("set_timer", false), ("repeat_timer", true)] {
        engine.register_fn(name, move |timer: &str, seconds: f64| {
            set_timer(timer, seconds, again)
        });
        engine.register_fn(name, move |timer: &str, seconds: i64| {
            set_timer(timer, seconds as f64, again)
        });
    }
    engine.register_fn("stop_timer", |name: &str| {
        charge(TIMERS_MAX + name.len() / BYTES_PER_OPERATION)?;
        in_call(|_, call| {
            let before = call.timers.len();
            call.timers.retain(|timer| *timer.name != *name);
            Ok(call.timers.len() < before)
        })
    });
    engine.register_fn("has_timer", |name: &str| {
        charge(TIMERS_MAX + name.len() / BYTES_PER_OPERATION)?;
        in_call(|_, call| Ok(call.timers.iter().any(|timer| *timer.name == *name)))
    });
}

/// Sets or resets a timer.
fn set_timer(name: &str, seconds: f64, again: bool) -> Result<()> {
    charge(TIMERS_MAX + name.len() / BYTES_PER_OPERATION)?;
    in_call(|world, call| {
        let steps = libm::round(seconds / f64::from(world.step_seconds));
        if !(0.0..=f64::from(u32::MAX)).contains(&steps) {
            return Err(format!("timer {name:?}: {seconds} seconds are out of range"));
        }
        let left = (steps as u32).max(1);
        let timer = Timer {
            name: name.into(),
            left,
            period: if again { left } else { 0 },
        };
        let known = call.timers.iter().position(|known| known.name == timer.name);
        match known {
            Some(place) => call.timers[place] = timer,
            None if call.timers.len() < TIMERS_MAX => call.timers.push(timer),
            None => {
                return Err(format!(
                    "timer {name:?}: a script has {TIMERS_MAX} timers at most"
                ));
            }
        }
        Ok(())
    })
}

impl World {
    /// The value of a property for a script.
    fn get_for_script(&self, entity: Entity, path: &str) -> core::result::Result<Dynamic, String> {
        let found = at_path(path, |accessor| {
            let place = self.entities.place_with(accessor, entity)?;
            Ok((self.get_with(accessor, entity)?, self.kind_of(place)))
        });
        let (value, kind) = found.map_err(|error| self.name_in(entity, &error.to_string()))?;
        Ok(to_script(value, kind))
    }

    /// A message with an entity's name in place of its handle, which means nothing to readers.
    pub(super) fn name_in(&self, entity: Entity, message: &str) -> String {
        let Some(name) = self.name_of(entity) else {
            return message.to_string();
        };
        // If that exceeds the limit, the next operation ends the call.
        drop(charge(name.len() / BYTES_PER_OPERATION));
        message.replace(&format!("{entity:?}"), &format!("entity {name:?}"))
    }

    /// The existing entities with a tag, by entity; and the number of entities that were examined.
    fn tagged(&self, tag: &str) -> (usize, Vec<Entity>) {
        let hash = NameHash::of(tag);
        let tags = self.entities.manager::<Dense<Tag>>(TAG);
        // A name that nobody has may have the hash of one that somebody has.
        let Some(tags) = tags.filter(|_| self.entities.names().get(hash) == Some(tag)) else {
            return (0, Vec::new());
        };
        let wanted = InstanceId::from(hash);
        let mut found: Vec<Entity> = tags
            .owners()
            .filter(|(entity, instance)| *instance == wanted && self.entities.entities().is_alive(*entity))
            .map(|(entity, _)| entity)
            .collect();
        found.sort_unstable_by_key(|entity| entity.index());
        (tags.values().len(), found)
    }
}
