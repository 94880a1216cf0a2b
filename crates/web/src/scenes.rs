//! Exports for worlds of entities: scenes, properties by name, spawning, events of entities. Texts are given by their
//! lengths and follow one another in the input, after its words and numbers.
#![allow(unsafe_code)]

use std::fmt::Write;

use tombolo::entity::{Entity, Kind, Value};
use tombolo::{Event, Kinds, Meeting, Scene, SpawnDef, Strain, Touch, Visit, World, ZoneVisit};
use tombolo_physics::{Pose, Rot, Vec2};

use crate::events::push_pose;
use crate::exchange::{Failure, Input, Output};
use crate::worlds::{AnyWorld, add, with_world};

fn with_entities(
    world: u32,
    call: impl FnOnce(&mut World, &Input, &mut Output) -> Result<usize, Failure>,
) -> i32 {
    with_world(world, |world, input, output| match world {
        AnyWorld::Entities(world) => call(world, input, output),
        AnyWorld::Physics(_) => Err("the world has physics only, no entities".into()),
    })
}

fn living(world: &World, bits: u64) -> Result<Entity, Failure> {
    let entity = Entity::from_bits(bits).filter(|entity| world.entities().entities().is_alive(*entity));
    Ok(entity.ok_or("the entity does not exist: it was destroyed, or never was in this world")?)
}

/// Creates a world from a scene; `bytes` is the length of its text. Word: a seed in place of the scene's own, if it is given (1).
#[unsafe(no_mangle)]
pub(crate) extern "C" fn scene_create(bytes: usize, is_seeded: u32) -> i32 {
    add(|input| {
        let [seed] = input.words()?;
        let scene = Scene::parse_with("scene", input.text(size_of::<u64>(), bytes)?, &Kinds::default())?;
        let world = match is_seeded {
            0 => World::from_scene(&scene)?,
            _ => World::from_scene_with_seed(&scene, seed)?,
        };
        Ok(AnyWorld::Entities(Box::new(world)))
    })
}

/// The length of a step, in seconds.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn scene_step_seconds(world: u32) -> i32 {
    with_entities(world, |world, _, output| {
        output.numbers.push(world.step_seconds());
        Ok(1)
    })
}

/// The entity of a name. 0 if there is none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_find(world: u32, bytes: usize) -> i32 {
    with_entities(world, |world, input, output| {
        output
            .ids
            .extend(world.find(input.text(0, bytes)?).map(Entity::to_bits));
        Ok(output.ids.len())
    })
}

/// An entity's name. 0 if it has none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_name(world: u32, entity: u64) -> i32 {
    with_entities(world, |world, _, output| {
        let name = world.name_of(living(world, entity)?).unwrap_or_default();
        output.bytes.extend_from_slice(name.as_bytes());
        Ok(output.bytes.len())
    })
}

/// All names, in alphabetic order. Ids: the entity of each; bytes: the names in JSON.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_names(world: u32) -> i32 {
    with_entities(world, |world, _, output| {
        output
            .ids
            .extend(world.names().map(|(_, entity)| entity.to_bits()));
        write_list(output, world.names().map(|(name, _)| name))
    })
}

/// The components of an entity in the order in which they were added. Bytes: name and kind of each in turn, in JSON.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_components(world: u32, entity: u64) -> i32 {
    with_entities(world, |world, _, output| {
        let entities = world.entities();
        let entries = world.components_of(living(world, entity)?);
        let texts = entries.iter().flat_map(|entry| {
            let name = entities.names().get(entry.name).unwrap_or_default();
            [name, entities.manager_name(entry.manager).unwrap_or_default()]
        });
        write_list(output, texts)
    })
}

/// The names of the properties of a component. Text: the component's name. Bytes: the names in JSON.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn component_properties(world: u32, entity: u64, bytes: usize) -> i32 {
    with_entities(world, |world, input, output| {
        let name = input.text(0, bytes)?;
        let components = world.describe(living(world, entity)?);
        let component = components.iter().find(|component| component.name == name);
        let component = component.ok_or_else(|| {
            Failure::from(format_args!(
                "the entity has no component that is called {name:?}"
            ))
        })?;
        write_list(
            output,
            component.properties.iter().map(|(property, _)| &*property.name),
        )
    })
}

/// Writes texts to the bytes, as a list in JSON; returns their number.
fn write_list<'a>(output: &mut Output, texts: impl Iterator<Item = &'a str>) -> Result<usize, Failure> {
    let mut json = String::from("[");
    let mut count = 0;
    for text in texts {
        json.push_str(if count == 0 { "" } else { "," });
        write_string(&mut json, text)?;
        count += 1;
    }
    json.push(']');
    output.bytes = json.into_bytes();
    Ok(count)
}

/// Sets an action. Row: the value. Text: the name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn action_set(world: u32, bytes: usize) -> i32 {
    with_entities(world, |world, input, _| {
        let value = input.row(0, 2)?.next();
        world.set_action(input.text(size_of::<u64>(), bytes)?, value)?;
        Ok(0)
    })
}

/// The state of an action. Text: the name. Numbers: its value; whether it is held, and whether it was pressed and
/// released since the last step.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn action_state(world: u32, bytes: usize) -> i32 {
    with_entities(world, |world, input, output| {
        let name = input.text(0, bytes)?;
        let flags = [
            world.is_action_held(name),
            world.was_action_pressed(name),
            world.was_action_released(name),
        ];
        output.numbers.push(world.action(name));
        output.numbers.extend(flags.map(|flag| f32::from(u8::from(flag))));
        Ok(1)
    })
}

/// The names of the actions that were ever set, in alphabetic order. Bytes: the names in JSON.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn action_names(world: u32) -> i32 {
    with_entities(world, |world, _, output| {
        write_list(output, world.actions().map(|(name, _)| name))
    })
}

/// The state of an entity. Ids: its body or 0; numbers: its pose.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_state(world: u32, entity: u64) -> i32 {
    with_entities(world, |world, _, output| {
        let entity = living(world, entity)?;
        output
            .ids
            .push(world.body(entity).map_or(0, |body| body.id().to_bits()));
        push_pose(output, world.pose(entity).unwrap_or(Pose::IDENTITY));
        Ok(1)
    })
}

/// The grid of an entity's tiles. 0 if it has none.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_tile_grid(world: u32, entity: u64) -> i32 {
    with_entities(world, |world, _, output| {
        let grid = world.tile_grid(living(world, entity)?);
        output.ids.extend(grid.map(|grid| grid.id().to_bits()));
        Ok(output.ids.len())
    })
}

/// All entities (0), or those that moved in the last step or by calls since (1). Ids: the entities; numbers: their poses.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_poses(world: u32, moved: u32) -> i32 {
    with_entities(world, |world, _, output| {
        let moved = match moved {
            0 => world.entities().entities().iter().collect(),
            _ => world.moved().to_vec(),
        };
        for entity in moved {
            let Some(pose) = world.pose(entity) else {
                continue;
            };
            output.ids.push(entity.to_bits());
            push_pose(output, pose);
        }
        Ok(output.ids.len())
    })
}

/// Spawns an entity of a resource. Words: the parent or 0. Row: position and angle, or NaN. Texts: the resource, the name.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_spawn(world: u32, resource_bytes: usize, name_bytes: usize) -> i32 {
    with_entities(world, |world, input, output| {
        let [parent] = input.words()?;
        let row = input.row(1, 4)?.0;
        let resource = input.text(24, resource_bytes)?;
        let name = input.text(24 + resource_bytes, name_bytes)?;
        let [x, y, angle] = [row[0], row[1], row[2]];
        if x.is_nan() && !angle.is_nan() {
            return Err("an angle needs a position: give both, or neither for those of the resource".into());
        }
        let place = Pose {
            position: Vec2::new(x, y),
            rotation: Rot::from_angle(if angle.is_nan() { 0.0 } else { angle }),
        };
        let def = SpawnDef {
            name: (!name.is_empty()).then_some(name),
            pose: (!x.is_nan()).then_some(place),
            parent: if parent == 0 {
                None
            } else {
                Some(living(world, parent)?)
            },
            overrides: &[],
        };
        output.ids.push(world.spawn(resource, &def)?.to_bits());
        Ok(1)
    })
}

/// Destroys an entity with its children.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_despawn(world: u32, entity: u64) -> i32 {
    with_entities(world, |world, _, _| {
        world.despawn(living(world, entity)?)?;
        Ok(0)
    })
}

/// Teleports an entity with its children. Row: position, and angle or NaN for its own.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_teleport(world: u32, entity: u64) -> i32 {
    with_entities(world, |world, input, _| {
        let mut row = input.row(0, 3)?;
        let (position, angle) = (Vec2::new(row.next(), row.next()), row.next());
        let entity = living(world, entity)?;
        let own = world.pose(entity).unwrap_or(Pose::IDENTITY).rotation;
        let rotation = if angle.is_nan() {
            own
        } else {
            Rot::from_angle(angle)
        };
        world.teleport(entity, Pose { position, rotation })?;
        Ok(0)
    })
}

/// An entity, and the path of a property in it: of the given entity by `component.property`, or with 0 by
/// `entity.component.property`.
fn property(world: &World, entity: u64, path: &str) -> Result<(Entity, String), Failure> {
    if entity == 0 {
        let target = world.target(path)?;
        return Ok((target.entity, target.path));
    }
    Ok((living(world, entity)?, path.to_owned()))
}

/// The value of a property as JSON: of an entity, by `component.property`, or with 0 by `entity.component.property`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn property_get(world: u32, entity: u64, bytes: usize) -> i32 {
    with_entities(world, |world, input, output| {
        let (entity, path) = property(world, entity, input.text(0, bytes)?)?;
        let (kind, value) = (world.kind_at(entity, &path)?, world.get(entity, &path)?);
        let mut json = String::new();
        write_json(&mut json, world, kind, &value)?;
        output.bytes = json.into_bytes();
        Ok(output.bytes.len())
    })
}

/// Sets a property, named as for [`property_get`], to a value in the syntax of scenes (0), or to a text as it is (1). Texts:
/// the path, the value.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn property_set(
    world: u32,
    entity: u64,
    path_bytes: usize,
    value_bytes: usize,
    is_text: u32,
) -> i32 {
    with_entities(world, |world, input, _| {
        let (entity, path) = property(world, entity, input.text(0, path_bytes)?)?;
        let value = input.text(path_bytes, value_bytes)?;
        let value = if is_text == 0 {
            world.parse_value_at(entity, &path, value)?
        } else {
            world.value_of_text(entity, &path, value)?
        };
        world.set(entity, &path, value)?;
        Ok(0)
    })
}

/// The events of the last step. Ids, five for each: 0 spawned, 1 ended, 2 began to touch, 3 ended touching, 4 hit, 5
/// entered, 6 left, 7 entered a zone, 8 left a zone, 9 a joint's load was above a threshold, 10 a joint broke, 11 a
/// touch's force was above a threshold, 12 a character met a shape, 13 it parted from it; both entities; both shapes.
/// Numbers, six for each: of hits point, normal, speed of approach, impulse; of forces point, normal, force, impulse; of
/// joints force and torque. Bytes: the names of the joints, one a line.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn entity_events(world: u32) -> i32 {
    with_entities(world, |world, _, output| {
        for event in world.events() {
            let (ids, numbers) = event_row(event)?;
            output.ids.extend(ids);
            output.numbers.extend(numbers);
            if let Event::Strain(strain) | Event::Break(strain) = event {
                let name = world.entities().names().get(strain.component);
                output
                    .bytes
                    .extend_from_slice(name.unwrap_or_default().as_bytes());
                output.bytes.push(b'\n');
            }
        }
        Ok(output.ids.len() / 5)
    })
}

/// The ids and numbers of an event.
///
/// # Errors
/// The engine has a kind of events that is not in the list above.
fn event_row(event: &Event) -> Result<([u64; 5], [f32; 6]), Failure> {
    const NONE: [f32; 6] = [0.0; 6];
    let touch = |kind, touch: &Touch| {
        let shapes = [touch.shape_a.to_bits(), touch.shape_b.to_bits()];
        [kind, touch.a.to_bits(), touch.b.to_bits(), shapes[0], shapes[1]]
    };
    let visit = |kind, visit: &Visit| {
        let (trigger, visitor) = (visit.trigger.to_bits(), visit.visitor.to_bits());
        let ids = [
            kind,
            trigger,
            visitor,
            visit.sensor.to_bits(),
            visit.shape.to_bits(),
        ];
        (ids, NONE)
    };
    let zone_visit =
        |kind, visit: &ZoneVisit| ([kind, visit.zone.to_bits(), visit.visitor.to_bits(), 0, 0], NONE);
    let strain = |kind, strain: &Strain| {
        let numbers = [strain.force.x, strain.force.y, strain.torque, 0.0, 0.0, 0.0];
        ([kind, strain.entity.to_bits(), 0, 0, 0], numbers)
    };
    let meeting = |kind, meeting: &Meeting| {
        let (character, other) = (meeting.character.to_bits(), meeting.other.to_bits());
        ([kind, character, other, 0, meeting.shape.to_bits()], NONE)
    };
    Ok(match event {
        Event::Spawned(entity) => ([0, entity.to_bits(), 0, 0, 0], NONE),
        Event::Despawned(entity) => ([1, entity.to_bits(), 0, 0, 0], NONE),
        Event::BeginTouch(pair) => (touch(2, pair), NONE),
        Event::EndTouch(pair) => (touch(3, pair), NONE),
        Event::Hit {
            touch: pair,
            point,
            normal,
            approach_speed,
            impulse,
        } => {
            let numbers = [point.x, point.y, normal.x, normal.y, *approach_speed, *impulse];
            (touch(4, pair), numbers)
        }
        Event::Enter(pair) => visit(5, pair),
        Event::Leave(pair) => visit(6, pair),
        Event::EnterZone(pair) => zone_visit(7, pair),
        Event::LeaveZone(pair) => zone_visit(8, pair),
        Event::Strain(load) => strain(9, load),
        Event::Break(load) => strain(10, load),
        Event::Force {
            touch: pair,
            point,
            normal,
            force,
            impulse,
        } => {
            let numbers = [point.x, point.y, normal.x, normal.y, *force, *impulse];
            (touch(11, pair), numbers)
        }
        Event::Meet(pair) => meeting(12, pair),
        Event::Part(pair) => meeting(13, pair),
        _ => return Err("an event is of a kind that this package does not know".into()),
    })
}

/// The faults of scripts and spawners (0), or the lines that scripts printed (1), as a list of texts in JSON.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_lines(world: u32, printed: u32) -> i32 {
    with_entities(world, |world, _, output| {
        let lines = if printed == 0 {
            world.faults()
        } else {
            world.printed()
        };
        write_list(output, lines.iter().map(|line| &**line))
    })
}

/// Forgets the lines of [`world_lines`], which makes room for new ones.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn world_clear_lines(world: u32, printed: u32) -> i32 {
    with_entities(world, |world, _, _| {
        match printed {
            0 => world.truncate_faults(0),
            _ => world.clear_printed(),
        }
        Ok(0)
    })
}

/// Writes a value as JSON, a choice as its word. Values outside of JSON's numbers, entities and large integers, become `{"bigint": "…"}`.
fn write_json(json: &mut String, world: &World, kind: Kind, value: &Value) -> Result<(), Failure> {
    let list = |json: &mut String, numbers: &[f32]| {
        let numbers: Vec<String> = numbers
            .iter()
            .map(|number| json_number(f64::from(*number), *number))
            .collect();
        write!(json, "[{}]", numbers.join(","))
    };
    match value {
        Value::Bool(value) => write!(json, "{value}")?,
        Value::I32(value) => write!(json, "{value}")?,
        Value::U32(value) => write!(json, "{value}")?,
        Value::Choice(_) => write_string(json, &world.show_value(kind, value))?,
        Value::I64(value) => write!(json, "{{\"bigint\":\"{value}\"}}")?,
        Value::F32(value) => json.push_str(&json_number(f64::from(*value), *value)),
        Value::F64(value) => json.push_str(&json_number(*value, *value)),
        Value::Vec2(value) => list(json, &value.to_array())?,
        Value::Vec3(value) => list(json, &value.to_array())?,
        Value::Quat(value) => list(json, &value.to_array())?,
        Value::Color(color) => list(json, &[color.r, color.g, color.b, color.a])?,
        Value::String(text) => write_string(json, text)?,
        Value::Entity(None) => json.push_str("null"),
        Value::Entity(Some(entity)) => write!(json, "{{\"bigint\":\"{}\"}}", entity.to_bits())?,
        Value::List(values) => {
            let of = if let Kind::List(of) = kind { *of } else { kind };
            for (place, value) in values.iter().enumerate() {
                json.push(if place == 0 { '[' } else { ',' });
                write_json(json, world, of, value)?;
            }
            json.push_str(if values.is_empty() { "[]" } else { "]" });
        }
        _ => return Err("a property of this kind has no value in JavaScript".into()),
    }
    Ok(())
}

/// A number with enough digits to identify it; JSON has no infinities and no NaN.
fn json_number(value: f64, shown: impl std::fmt::Display) -> String {
    if value.is_finite() {
        shown.to_string()
    } else {
        "null".to_owned()
    }
}

fn write_string(json: &mut String, text: &str) -> std::fmt::Result {
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' | '\\' => write!(json, "\\{letter}")?,
            '\0'..='\u{1f}' => write!(json, "\\u{:04x}", u32::from(letter))?,
            _ => json.push(letter),
        }
    }
    json.push('"');
    Ok(())
}
