//! Families `calls` and `saves`: calls of a world at random, and saves of worlds with bytes changed and the checksum
//! corrected; accepted ones are used by the same calls.
//!
//! What must hold: a call that refuses leaves the world as it was, by its hash; names, parents and children agree;
//! poses are finite; a world has the same future from its own save.

use tombolo::entity::{Entity, Value, hash_bytes};
use tombolo::geometry::Pose;
use tombolo::physics::{Position, QueryFilter, Vec2};
use tombolo::{Scene, SpawnDef, Stroke, World};

use crate::family::{Family, hold, same};
use crate::random::{Forgery, Random};

/// The family of calls.
pub(crate) struct Calls;

/// The family of saves.
pub(crate) struct Saves;

const YARD: &str = r##"(
    settings: (seed: 5, entities_max: 400, bodies_max: 300),
    scripts: {"s": "fn on_tick(t) { this.n = if this.n == () { 1 } else { this.n + 1 }; if this.n % 7 == 0 { set_timer(`t${this.n}`, 0.1); } } fn on_timer(name) { this.last = name; } fn on_despawn(p, a) { print(p); } fn on_begin_touch(other) { this.other = other; }"},
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1))},
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1), hit_events: true), "mind": Script(name: "s")},
        "lamp": {"light": Sprite(), "glow": RenderData(effect: "glow", values: {"size": 2})},
        "cart": {
            "body": Body(kind: Dynamic), "bed": Collider(shape: Box(width: 2, height: 0.4)), "lamp": Child(entity: "lamp", at: (0, 1)),
        },
        "swing": {
            "body": Body(kind: Dynamic), "bar": Collider(shape: Capsule(from: (0, 0), to: (2, 0), radius: 0.1)),
            "hinge": Joint(to: Entity("floor")),
        },
        "gate": {"eye": Trigger(shape: Box(width: 2, height: 4)), "mind": Script(name: "s")},
        "chute": {"drop": Spawner(resource: "crate", interval: 0.2, limit: 6), "mark": Tag()},
        "walker": {"body": Body(kind: Dynamic, fixed_rotation: true), "skin": Collider(shape: Circle(radius: 0.3)), "legs": Agent(goal: (8, 1), speed: 2, clearance: 0.4)},
    },
    place: [
        One(name: "floor", entity: "floor"),
        Row(name: "crate", entity: "crate", at: (-3, 0.5), count: 4, step: (0.3, 1)),
        One(name: "cart", entity: "cart", at: (4, 0.4)),
        One(name: "swing", entity: "swing", at: (8, 4)),
        One(name: "gate", entity: "gate", at: (-3, 2)),
        One(name: "chute", entity: "chute", at: (0, 6)),
        One(name: "walker", entity: "walker", at: (-8, 0.4)),
    ],
    strokes: [(step: 30, from: (-9, 1.2), to: (9, 1.3))],
)"##;

const MANAGERS: &[&str] = &[
    "Body",
    "Collider",
    "Joint",
    "Trigger",
    "Sprite",
    "RenderData",
    "Tag",
    "Script",
    "Spawner",
    "Agent",
    "Transform",
    "None",
];
const RESOURCES: &[&str] = &[
    "floor", "crate", "lamp", "cart", "swing", "gate", "chute", "walker", "nothing",
];
const WORDS: &[&str] = &["a", "body", "hull", "crate[0]", "", "a.b", "walker", "x/y"];

/// A call. Entities are picked by a number from those that live, and sometimes from those that do not.
#[derive(Debug, Clone)]
pub(crate) enum Call {
    Step(usize),
    Spawn(usize, Option<[f32; 3]>, Option<usize>, Option<usize>),
    Create(Option<usize>),
    Despawn(usize),
    Add(usize, usize, usize),
    Remove(usize, usize),
    Name(usize, Option<usize>),
    Teleport(usize, [f32; 3]),
    /// A property by its place among all of the entity's, and a value made of the bits.
    Set(usize, usize, u64, f32),
    Slice(usize, [f32; 4]),
    CutThrough([f32; 4]),
    Stroke(u64, [f32; 4]),
    Path([f32; 5]),
    Nearest([f32; 2], usize),
    Push(usize, [f32; 2]),
    /// The body goes without the entity being asked.
    TakeBody(usize),
    Save,
}

impl Call {
    fn new(random: &mut Random) -> Self {
        let number = |random: &mut Random| match random.below(8) {
            0 => random.odd_float(),
            _ => random.between(-10.0, 10.0),
        };
        let whom = random.below(64);
        match random.below(22) {
            0..=3 => Self::Step(random.within(1..12)),
            4 | 5 => Self::Spawn(
                random.below(RESOURCES.len()),
                random
                    .one_in(2)
                    .then(|| [number(random), number(random), number(random)]),
                random.one_in(3).then_some(whom),
                random.one_in(3).then(|| random.below(WORDS.len())),
            ),
            6 => Self::Create(random.one_in(2).then(|| random.below(WORDS.len()))),
            7 => Self::Despawn(whom),
            8 => Self::Add(whom, random.below(MANAGERS.len()), random.below(WORDS.len())),
            9 => Self::Remove(whom, random.below(8)),
            10 => Self::Name(whom, random.one_in(2).then(|| random.below(WORDS.len()))),
            11 => Self::Teleport(whom, [number(random), number(random), number(random)]),
            12..=14 => Self::Set(whom, random.below(80), random.bits(), number(random)),
            15 => Self::Slice(
                whom,
                [number(random), number(random), number(random), number(random)],
            ),
            16 => Self::CutThrough([number(random), number(random), number(random), number(random)]),
            17 => Self::Stroke(
                random.below(60) as u64,
                [number(random), number(random), number(random), number(random)],
            ),
            18 => Self::Path([
                number(random),
                number(random),
                number(random),
                number(random),
                number(random),
            ]),
            19 => Self::Nearest([number(random), number(random)], random.below(100)),
            20 if random.one_in(3) => Self::TakeBody(whom),
            20 => Self::Push(whom, [number(random), number(random)]),
            _ => Self::Save,
        }
    }
}

fn yard() -> Result<(Scene, World), String> {
    let scene = Scene::parse("yard.ron", YARD).map_err(|error| error.to_string())?;
    let world = World::from_scene(&scene).map_err(|error| error.to_string())?;
    Ok((scene, world))
}

/// A living entity, or now and then one that has ended.
fn pick(world: &World, number: usize) -> Option<Entity> {
    let living: Vec<Entity> = world.entities().entities().iter().collect();
    if number % 16 == 15 {
        return Entity::from_bits((1_u64 << 32) + number as u64);
    }
    living.get(number % living.len().max(1)).copied()
}

fn pose([x, y, angle]: [f32; 3]) -> Pose {
    Pose::new(Vec2::new(x, y), angle)
}

fn places([x, y, to_x, to_y]: [f32; 4]) -> (Position, Position) {
    (Position::new(x, y), Position::new(to_x, to_y))
}

/// A value of the kind that is there, made of bits.
fn value_like(old: &Value, bits: u64, number: f32) -> Value {
    match old {
        Value::Bool(_) => Value::Bool(bits.is_multiple_of(2)),
        Value::I32(_) => Value::I32(bits as i32),
        Value::U32(_) => Value::U32(bits as u32 % 50),
        Value::I64(_) => Value::I64(bits as i64),
        Value::F32(_) => Value::F32(number),
        Value::F64(_) => Value::F64(f64::from(number)),
        Value::Vec2(_) => Value::Vec2(Vec2::new(number, f32::from(bits as u8) * 0.1)),
        Value::Choice(_) => Value::Choice(bits as u32 % 9),
        Value::String(_) => Value::String(WORDS[bits as usize % WORDS.len()].into()),
        Value::Entity(_) => Value::Entity(Entity::from_bits((1 << 32) + bits % 20)),
        other => other.clone(),
    }
}

/// Makes a call; whether it refused and promised to have changed nothing.
fn make(call: &Call, world: &mut World, scene: &Scene) -> Result<bool, String> {
    let refused = match call {
        Call::Step(count) => {
            (0..*count).for_each(|_| world.step());
            false
        }
        Call::Spawn(resource, at, parent, name) => {
            let def = SpawnDef {
                name: name.map(|name| WORDS[name]),
                pose: at.map(pose),
                parent: parent.and_then(|parent| pick(world, parent)),
                ..SpawnDef::default()
            };
            let count = world.entity_count();
            if world.spawn(RESOURCES[*resource], &def).is_err() {
                same!(world.entity_count(), count, "half-spawned");
            }
            false
        }
        Call::Create(name) => world.create(name.map(|name| WORDS[name])).is_err(),
        Call::Despawn(whom) => {
            if let Some(entity) = pick(world, *whom) {
                world.despawn(entity);
                hold!(world.pose(entity).is_none(), "it lives on");
            }
            false
        }
        Call::Add(whom, manager, name) => match pick(world, *whom) {
            Some(entity) => {
                let before = world.components_of(entity).len();
                let added = world.add_component(entity, MANAGERS[*manager], WORDS[*name]);
                same!(
                    world.components_of(entity).len(),
                    before + usize::from(added.is_ok()),
                    "{added:?}"
                );
                false
            }
            None => false,
        },
        Call::Remove(whom, place) => match pick(world, *whom) {
            Some(entity) => {
                let names: Vec<String> = world
                    .describe(entity)
                    .iter()
                    .map(|view| view.name.to_string())
                    .collect();
                let name = names.get(place % names.len().max(1)).cloned().unwrap_or_default();
                world.remove_component(entity, &name).is_err()
            }
            None => false,
        },
        Call::Name(whom, name) => match pick(world, *whom) {
            Some(entity) => world.set_name(entity, name.map(|name| WORDS[name])).is_err(),
            None => false,
        },
        Call::Teleport(whom, to) => match pick(world, *whom) {
            Some(entity) => world.teleport(entity, pose(*to)).is_err(),
            None => false,
        },
        Call::Set(whom, place, bits, number) => match pick(world, *whom) {
            Some(entity) => {
                let paths: Vec<(String, Value)> = world
                    .describe(entity)
                    .iter()
                    .flat_map(|view| {
                        let properties = view.properties.iter();
                        properties
                            .map(|(property, value)| {
                                (format!("{}.{}", view.name, property.name), value.clone())
                            })
                            .collect::<Vec<_>>()
                    })
                    .collect();
                match paths.get(place % paths.len().max(1)) {
                    Some((path, old)) => world.set(entity, path, value_like(old, *bits, *number)).is_err(),
                    None => false,
                }
            }
            None => false,
        },
        Call::Slice(whom, line) => match pick(world, *whom) {
            Some(entity) => {
                let (from, to) = places(*line);
                world.slice(entity, from, to).is_err()
            }
            None => false,
        },
        Call::CutThrough(line) => {
            let (from, to) = places(*line);
            world.cut_through(from, to, QueryFilter::default()).is_err()
        }
        Call::Stroke(step, [x, y, to_x, to_y]) => {
            if [x, y, to_x, to_y].into_iter().all(|number| number.is_finite()) {
                world.add_stroke(Stroke {
                    step: *step,
                    from: Vec2::new(*x, *y),
                    to: Vec2::new(*to_x, *to_y),
                });
            }
            false
        }
        Call::Path([x, y, to_x, to_y, clearance]) => {
            drop(world.find_path(Vec2::new(*x, *y), Vec2::new(*to_x, *to_y), *clearance));
            false
        }
        Call::Nearest([x, y], count) => {
            let found = world.nearest(Vec2::new(*x, *y), *count, None);
            hold!(found.len() <= *count, "more than asked for");
            false
        }
        Call::Push(whom, [x, y]) => {
            let body = pick(world, *whom).and_then(|entity| world.body_of(entity));
            if let Some(mut body) = body.and_then(|body| world.physics_mut().body_mut(body)) {
                drop(body.apply_impulse(Vec2::new(*x, *y)));
            }
            false
        }
        Call::TakeBody(whom) => {
            if let Some(body) = pick(world, *whom).and_then(|entity| world.body_of(entity)) {
                drop(world.physics_mut().destroy_body(body));
            }
            false
        }
        Call::Save => {
            let save = world.save();
            let mut again = World::from_scene(scene).map_err(|error| error.to_string())?;
            again
                .restore(&save)
                .map_err(|error| format!("its own save is refused: {error}"))?;
            same!(again.state_hash(), world.state_hash(), "after a restore");
            let mut copy = world.clone();
            again.step();
            copy.step();
            same!(again.state_hash(), copy.state_hash(), "a step after a restore");
            false
        }
    };
    Ok(refused)
}

/// Whether a world's tables agree.
fn check(world: &World) -> Result<(), String> {
    for (name, entity) in world.names() {
        same!(world.name_of(entity), Some(name), "a name both ways");
    }
    for entity in world.entities().entities().iter() {
        for child in world.children(entity) {
            same!(world.parent(*child), Some(entity), "the parent of a child");
        }
        if let Some(parent) = world.parent(entity) {
            hold!(
                world.children(parent).contains(&entity),
                "{entity:?} is not among its parent's children"
            );
        }
        let Some(pose) = world.pose(entity) else {
            return Err(format!("{entity:?} is nowhere"));
        };
        hold!(
            pose.position.is_finite() && pose.rotation.angle().is_finite(),
            "{entity:?} is at {pose:?}"
        );
    }
    Ok(())
}

impl Family for Calls {
    const NAME: &'static str = "calls";
    const ABOUT: &'static str =
        "calls of a world: refused ones change nothing, names and families agree, the same from a save";
    const CASES: u64 = 0;
    type Operation = Call;

    fn generate(random: &mut Random) -> Vec<Call> {
        (0..random.within(5..60)).map(|_| Call::new(random)).collect()
    }

    fn run(calls: &[Call]) -> Result<(), String> {
        let (scene, mut world) = yard()?;
        for (place, call) in calls.iter().enumerate() {
            let before = world.state_hash();
            let refused =
                make(call, &mut world, &scene).map_err(|error| format!("call {place}, {call:?}: {error}"))?;
            if refused {
                same!(
                    world.state_hash(),
                    before,
                    "call {place}, {call:?} refused and changed something"
                );
            }
            check(&world).map_err(|error| format!("after call {place}, {call:?}: {error}"))?;
        }
        Ok(())
    }
}

/// What makes a save, what changes it, and what uses it.
#[derive(Debug, Clone)]
pub(crate) enum Forged {
    /// Before the save.
    Before(Call),
    Change(Forgery),
    /// After it was let in.
    After(Call),
}

impl Family for Saves {
    const NAME: &'static str = "saves";
    const ABOUT: &'static str =
        "saves of worlds with their entities' part forged and the checksum put right: refused, or of use";
    const CASES: u64 = 0;
    type Operation = Forged;

    fn generate(random: &mut Random) -> Vec<Forged> {
        let mut operations: Vec<Forged> = (0..random.below(6))
            .map(|_| Forged::Before(Call::new(random)))
            .collect();
        operations.extend((0..random.within(1..4)).map(|_| Forged::Change(Forgery::new(random))));
        operations.extend((0..random.below(10)).map(|_| Forged::After(Call::new(random))));
        operations
    }

    fn run(operations: &[Forged]) -> Result<(), String> {
        let (scene, mut world) = yard()?;
        (0..20).for_each(|_| world.step());
        for operation in operations {
            if let Forged::Before(call) = operation {
                make(call, &mut world, &scene)?;
            }
        }
        let mut save = world.save();
        // Magic and version, then the physics with its length, then the entities with theirs.
        let start = 12 + 8 + u64::from_le_bytes(save[12..20].try_into().map_err(|_| "short")?) as usize + 8;
        let end = save.len() - 8;
        for operation in operations {
            if let Forged::Change(forgery) = operation {
                forgery.apply(&mut save[start..end]);
            }
        }
        let checksum = hash_bytes(&save[..end]).to_le_bytes();
        save[end..].copy_from_slice(&checksum);
        let mut forged = World::from_scene(&scene).map_err(|error| error.to_string())?;
        let before = forged.state_hash();
        if forged.restore(&save).is_err() {
            same!(forged.state_hash(), before, "a refused save changed the world");
            return Ok(());
        }
        (0..50).for_each(|_| forged.step());
        for operation in operations {
            if let Forged::After(call) = operation {
                make(call, &mut forged, &scene).map_err(|error| format!("{call:?}: {error}"))?;
            }
        }
        check(&forged)?;
        (0..50).for_each(|_| forged.step());
        make(&Call::Save, &mut forged, &scene)?;
        for entity in forged.entities().entities().iter().collect::<Vec<_>>() {
            forged.despawn(entity);
        }
        same!(forged.entity_count(), 0, "all were ended");
        forged.step();
        Ok(())
    }
}
