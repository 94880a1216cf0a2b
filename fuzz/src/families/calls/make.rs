//! Makes the calls of the families `calls` and `saves` on a world.

use tombolo::component::{ShapeGeometry, TRANSFORM};
use tombolo::entity::{Accessor, Entity, Override, ResourceDefinition, Value};
use tombolo::geometry::Pose;
use tombolo::physics::{Position, QueryFilter, Shatter, Vec2};
use tombolo::{Scene, SegmentCut, SpawnDef, World};

use super::{Call, MANAGERS, RESOURCES, WORDS, YARD};
use crate::family::{hold, same};

/// The scene of the cases, and a world of it.
pub(super) fn yard() -> Result<(Scene, World), String> {
    let scene = Scene::parse("yard.ron", YARD).map_err(|error| error.to_string())?;
    let world = World::from_scene(&scene).map_err(|error| error.to_string())?;
    Ok((scene, world))
}

/// An existing entity, or now and then one that was despawned or does not exist yet.
fn pick(world: &World, number: usize) -> Option<Entity> {
    let living: Vec<Entity> = world.entities().entities().iter().collect();
    if number % 16 == 15 {
        return Entity::from_bits((1_u64 << 32) + number as u64);
    }
    living.get(number % living.len().max(1)).copied()
}

/// The same, or a handle that was never given.
fn anybody(world: &World, number: usize) -> Result<Entity, String> {
    pick(world, number)
        .or(Entity::from_bits(1 << 32))
        .ok_or_else(|| "a handle".into())
}

fn pose([x, y, angle]: [f32; 3]) -> Pose {
    Pose::new(Vec2::new(x, y), angle)
}

fn places([x, y, to_x, to_y]: [f32; 4]) -> (Position, Position) {
    (Position::new(x, y), Position::new(to_x, to_y))
}

/// A value of the same type, made of bits.
fn value_like(old: &Value, bits: u64, number: f32) -> Value {
    match old {
        Value::Bool(_) => Value::Bool(bits.is_multiple_of(2)),
        Value::I32(_) => Value::I32(bits as i32),
        Value::U32(_) => Value::U32(bits as u32 % 50),
        Value::I64(_) => Value::I64(bits as i64),
        Value::F32(_) => Value::F32(number),
        Value::F64(_) => Value::F64(f64::from(number)),
        Value::Vec2(_) => Value::Vec2(Vec2::new(number, f32::from(bits as u8) * 0.1)),
        Value::Choice(_) => Value::Choice(bits as u32 % 13),
        Value::String(_) => Value::String(WORDS[bits as usize % WORDS.len()].into()),
        Value::Entity(_) => Value::Entity(Entity::from_bits((1 << 32) + bits % 20)),
        other => other.clone(),
    }
}

/// One of all properties of an entity, by its path.
fn property(world: &World, entity: Entity, place: usize) -> Option<(String, Value)> {
    let views = world.describe(entity);
    let paths = views.iter().flat_map(|view| {
        let path = |name: &str| format!("{}.{name}", view.name);
        let properties = view.properties.iter();
        properties.map(move |(property, value)| (path(&property.name), value.clone()))
    });
    let mut paths: Vec<(String, Value)> = paths.collect();
    let place = place % paths.len().max(1);
    (place < paths.len()).then(|| paths.swap_remove(place))
}

/// A property that a spawn overrides or a resource has, with the names of the scene's components.
fn given(world: &World, bits: u64, number: f32) -> (&'static str, &'static str, &'static str, Value) {
    let vector = Vec2::new(number, 0.5);
    match bits % 11 {
        0 => ("transform", "Transform", "position", Value::Vec2(vector)),
        1 => {
            let parent = Entity::from_bits((1 << 32) + (bits >> 8) % 40);
            ("transform", "Transform", "parent", Value::Entity(parent))
        }
        2 => ("body", "Body", "gravity_scale", Value::F32(number)),
        3 => ("body", "Body", "linear_velocity", Value::Vec2(vector)),
        4 => ("hull", "Collider", "size", Value::Vec2(vector)),
        5 => ("hull", "Collider", "density", Value::F32(number)),
        6 => ("hinge", "Joint", "upper", Value::F32(number)),
        8 => ("hinge", "Joint", "kind", Value::Choice((bits >> 8) as u32 % 12)),
        9 => ("hinge", "Joint", "axis", Value::Vec2(vector)),
        10 => ("hinge", "Joint", "ratio", Value::F32(number)),
        _ => {
            let named = world.names().map(|(name, _)| name).nth((bits >> 8) as usize % 9);
            (
                "hinge",
                "Joint",
                "to_name",
                Value::String(named.unwrap_or("nobody").into()),
            )
        }
    }
}

/// The result of a call: `None`, or the message of a refusal that changed nothing.
type Answer = Result<Option<String>, String>;

fn answer<T>(result: Result<T, impl ToString>) -> Answer {
    Ok(result.err().map(|error| error.to_string()))
}

/// Makes a call.
pub(super) fn make(call: &Call, world: &mut World, scene: &Scene) -> Answer {
    match call {
        Call::Step(count) => {
            (0..*count).for_each(|_| world.step());
            Ok(None)
        }
        Call::Save => save(world, scene),
        Call::Spawn(..) | Call::SpawnWith(..) | Call::Create(_) | Call::Despawn(_) => {
            come_and_go(call, world)
        }
        Call::Add(..) | Call::Remove(..) | Call::Name(..) => change_components(call, world),
        Call::Set(..) | Call::SetAll(..) | Call::SetText(..) => set(call, world),
        Call::Define(..) | Call::AddScene(..) => load(call, world),
        Call::Push(..) | Call::TakeBody(_) | Call::TakeShape(_) | Call::MoveBody(..) => physics(call, world),
        _ => place_and_cut(call, world),
    }
}

fn come_and_go(call: &Call, world: &mut World) -> Answer {
    match call {
        Call::Spawn(resource, at, parent, name) => {
            let def = SpawnDef {
                name: name.map(|name| WORDS[name]),
                pose: at.map(pose),
                parent: parent.and_then(|parent| pick(world, parent)),
                ..SpawnDef::default()
            };
            answer(world.spawn(RESOURCES[*resource], &def))
        }
        Call::SpawnWith(resource, bits, number, parent) => {
            let (component, _, property, value) = given(world, *bits, *number);
            let path = format!("{component}.{property}").into();
            let def = SpawnDef {
                parent: parent.and_then(|parent| pick(world, parent)),
                overrides: &[Override { path, value }],
                ..SpawnDef::default()
            };
            answer(world.spawn(RESOURCES[*resource], &def))
        }
        Call::Create(name) => answer(world.create(name.map(|name| WORDS[name]))),
        Call::Despawn(whom) => {
            let entity = anybody(world, *whom)?;
            let lived = world.entities().entities().is_alive(entity);
            hold!(world.despawn(entity).is_ok() == lived, "who lives can be ended");
            hold!(world.pose(entity).is_none(), "it lives on");
            Ok(None)
        }
        other => Err(format!("{other:?} is another's")),
    }
}

fn change_components(call: &Call, world: &mut World) -> Answer {
    match call {
        Call::Add(whom, manager, name) => {
            let entity = anybody(world, *whom)?;
            let before = world.components_of(entity).len();
            let added = world.add_component(entity, MANAGERS[*manager], WORDS[*name]);
            let after = before + usize::from(added.is_ok());
            same!(world.components_of(entity).len(), after, "{added:?}");
            answer(added)
        }
        Call::Remove(whom, place) => {
            let entity = anybody(world, *whom)?;
            let views = world.describe(entity);
            let name = views
                .get(place % views.len().max(1))
                .map(|view| view.name.to_owned());
            answer(world.remove_component(entity, &name.unwrap_or_default()))
        }
        Call::Name(whom, name) => {
            let entity = anybody(world, *whom)?;
            answer(world.set_name(entity, name.map(|name| WORDS[name])))
        }
        other => Err(format!("{other:?} is another's")),
    }
}

fn set(call: &Call, world: &mut World) -> Answer {
    let (Call::Set(whom, place, bits, number)
    | Call::SetAll(whom, place, bits, number)
    | Call::SetText(whom, place, bits, number)) = call
    else {
        return Err(format!("{call:?} is another's"));
    };
    let entity = anybody(world, *whom)?;
    let Some((path, old)) = property(world, entity, *place) else {
        return Ok(None);
    };
    let value = value_like(&old, *bits, *number);
    match call {
        Call::SetAll(..) => {
            let stamp = world.entities().index().prototype(entity);
            let mut accessor = Accessor::new(&path).map_err(|error| error.to_string())?;
            answer(world.set_all(stamp, &mut accessor, &value))
        }
        Call::SetText(..) => {
            let name = world.name_of(entity).unwrap_or("nobody").to_owned();
            let text = world.show_value(value.kind(), &value);
            answer(world.set_text(&format!("{name}.{path}={text}")))
        }
        _ => answer(world.set(entity, &path, value)),
    }
}

fn load(call: &Call, world: &mut World) -> Answer {
    match call {
        Call::Define(resource, bits, number) => {
            let name = RESOURCES[*resource];
            let (component, manager, property, value) = given(world, *bits, *number);
            let mut fresh = match (bits >> 20) % 3 {
                0 => ResourceDefinition::new(name),
                1 => {
                    ResourceDefinition::new(name).inherits(RESOURCES[(bits >> 24) as usize % RESOURCES.len()])
                }
                _ => world.library().get(name).cloned().unwrap_or_default(),
            };
            fresh.name = name.into();
            fresh.components.retain(|part| *part.name != *component);
            let transform = world.entities().manager_name(TRANSFORM).unwrap_or_default();
            if (bits >> 32) % 8 == 0 {
                fresh = fresh.component("second", transform, []);
            }
            let fresh = fresh.component(component, manager, [(property, value)]);
            answer(world.define(vec![fresh]))
        }
        Call::AddScene(bits, number) => {
            let text = format!(
                r#"(entities: {{
                    "post": {{"foot": Body(), "stem": Collider(shape: Box(width: {}, height: 1))}},
                    "sign{}": {{"body": Body(kind: Dynamic), "plate": Collider(shape: Circle(radius: 0.2))}},
                }}, place: [
                    Row(name: "post", entity: "post", count: {}, at: ({}, 3)),
                    One(name: {:?}, entity: "sign{}", at: (2, 9)),
                ])"#,
                ShapeGeometry::default().radius + (bits % 7) as f32,
                bits % 3,
                1 + bits % 4,
                number,
                WORDS[*bits as usize % WORDS.len()],
                bits % 3,
            );
            match Scene::parse("more.ron", &text) {
                Ok(scene) => answer(
                    world
                        .add_scene(&scene)
                        .map_err(|error| one_line(&error.to_string())),
                ),
                Err(_) => Ok(None),
            }
        }
        other => Err(format!("{other:?} is another's")),
    }
}

/// The first line of a scene's error: the lines below show the line of the text.
fn one_line(message: &str) -> String {
    message.lines().next().unwrap_or_default().to_owned()
}

fn physics(call: &Call, world: &mut World) -> Answer {
    match call {
        Call::Push(whom, [x, y]) => {
            let body = pick(world, *whom).and_then(|entity| world.body_of(entity));
            if let Some(mut body) = body.and_then(|body| world.physics_mut().body_mut(body).ok()) {
                return answer(body.apply_impulse(Vec2::new(*x, *y)));
            }
        }
        Call::TakeBody(place) => {
            let bodies: Vec<_> = world.physics().bodies().map(|body| body.id()).collect();
            if let Some(body) = bodies.get(place % bodies.len().max(1)) {
                drop(world.physics_mut().destroy_body(*body));
            }
        }
        Call::TakeShape(place) => {
            let bodies = world.physics().bodies();
            let shapes = bodies.flat_map(|body| body.shapes().map(|shape| shape.id()).collect::<Vec<_>>());
            let shapes: Vec<_> = shapes.collect();
            if let Some(shape) = shapes.get(place % shapes.len().max(1)) {
                drop(world.physics_mut().destroy_shape(*shape));
            }
        }
        Call::MoveBody(place, [x, y, angle]) => {
            let bodies: Vec<_> = world.physics().bodies().map(|body| body.id()).collect();
            if let Some(body) = bodies.get(place % bodies.len().max(1)) {
                drop(
                    world
                        .physics_mut()
                        .body_mut(*body)
                        .and_then(|mut body| body.teleport(Pose::new(Vec2::new(*x, *y), *angle))),
                );
            }
        }
        other => return Err(format!("{other:?} is another's")),
    }
    Ok(None)
}

fn place_and_cut(call: &Call, world: &mut World) -> Answer {
    match call {
        Call::Teleport(whom, to) => {
            let entity = anybody(world, *whom)?;
            answer(world.teleport(entity, pose(*to)))
        }
        Call::Slice(whom, line) => {
            let entity = anybody(world, *whom)?;
            let (from, to) = places(*line);
            answer(world.slice(entity, from, to))
        }
        Call::Shatter(whom, seed, count) => {
            let entity = anybody(world, *whom)?;
            let pattern = Shatter::Seeded {
                seed: *seed,
                count: *count,
            };
            answer(world.shatter(entity, &pattern))
        }
        Call::CutThrough(line) => {
            let (from, to) = places(*line);
            answer(world.cut_through(from, to, QueryFilter::default()))
        }
        Call::SegmentCut(step, [x, y, to_x, to_y]) => {
            world.add_segment_cut(SegmentCut {
                step: *step,
                from: Vec2::new(*x, *y),
                to: Vec2::new(*to_x, *to_y),
            });
            Ok(None)
        }
        Call::Path([x, y, to_x, to_y, clearance]) => {
            answer(world.find_path(Vec2::new(*x, *y), Vec2::new(*to_x, *to_y), *clearance))
        }
        Call::Nearest([x, y], count) => {
            let found = world.nearest(Vec2::new(*x, *y), *count, None);
            hold!(found.len() <= *count, "more than asked for");
            Ok(None)
        }
        other => Err(format!("{other:?} is another's")),
    }
}

/// A world's own save is accepted, and the world has the same future from it.
fn save(world: &World, scene: &Scene) -> Answer {
    let save = world.save();
    let mut older = world.clone();
    older.step();
    let fresh = World::from_scene(scene).map_err(|error| error.to_string())?;
    // Resources that were defined since must be defined by the program.
    let is_like = fresh.library().iter().eq(world.library().iter());
    for mut again in core::iter::once(older).chain(is_like.then_some(fresh)) {
        again
            .restore(&save)
            .map_err(|error| format!("its own save is refused: {error}"))?;
        same!(again.state_hash(), world.state_hash(), "after a restore");
        let mut copy = world.clone();
        again.step();
        copy.step();
        same!(again.state_hash(), copy.state_hash(), "a step after a restore");
    }
    Ok(None)
}
