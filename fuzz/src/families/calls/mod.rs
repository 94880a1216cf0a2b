//! Families `calls` and `saves`: calls of a world at random, and saves of worlds with bytes changed and the checksum
//! corrected; accepted ones are used by the same calls.
//!
//! Invariants: a call that refuses leaves the world as it was, by its hash, and says why in one line; names, parents
//! and children agree; poses are finite, and those of bodies; a world has the same future from its own save.
//!
//! This file has the calls. `make.rs`: making them; `check.rs`: the checks after each; `saves.rs`: the family `saves`.

mod check;
mod make;
mod saves;

use crate::family::{Family, same};
use crate::random::Random;
use check::check;
use make::{make, yard};

pub(crate) use saves::Saves;

/// The family of calls.
pub(crate) struct Calls;

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
        "machine": {
            "body": Body(kind: Dynamic), "bar": Collider(shape: Box(width: 3, height: 0.3)),
            "axle": Joint(to: Entity("cart"), axis: (0, 1), kind: Wheel(spring: (hertz: 3, damping_ratio: 0.5), motor: (speed: 3, max_torque: 5))),
            "rope": Joint(to: Entity("floor"), pivot: (1, 0), to_pivot: (2, 9), kind: Distance(limit: (upper: 7), force_threshold: 90, breaks: true)),
            "weld": Joint(to: Entity("walker"), pivot: (-1, 0), kind: Weld(angular_spring: (hertz: 4), torque_threshold: 2, breaks: true)),
            "gear": Joint(to: Entity("swing"), kind: Gear(ratio: 2)),
            "mind": Script(text: "fn on_break(joint, force, torque) { this.broke = joint; } fn on_strain(joint, force, torque) { this.force = force; }"),
        },
        "gate": {"eye": Trigger(shape: Box(width: 2, height: 4)), "mind": Script(name: "s")},
        "chute": {"drop": Spawner(resource: "crate", interval: 0.2, limit: 6), "mark": Tag()},
        "marsh": {"mud": Zone(shape: Outline(points: [(-6, -3), (6, -3), (6, 5), (0, 1), (-6, 5)], holes: [[(-1, -2), (-1, -1), (1, -1), (1, -2)]])), "mind": Script(name: "s")},
        "pond": {"water": Field(kind: Fluid, shape: Box(width: 6, height: 3), viscosity: 1), "pull": Field(kind: RadialGravity, everywhere: true, pull: 2)},
        "walker": {"body": Body(kind: Dynamic, fixed_rotation: true), "skin": Collider(shape: Circle(radius: 0.3)), "legs": Agent(goal: (8, 1), speed: 2, clearance: 0.4)},
    },
    place: [
        One(name: "floor", entity: "floor"),
        Row(name: "crate", entity: "crate", at: (-3, 0.5), count: 4, step: (0.3, 1)),
        One(name: "cart", entity: "cart", at: (4, 0.4)),
        One(name: "swing", entity: "swing", at: (8, 4)),
        One(name: "machine", entity: "machine", at: (6, 3)),
        One(name: "gate", entity: "gate", at: (-3, 2)),
        One(name: "chute", entity: "chute", at: (0, 6)),
        One(name: "marsh", entity: "marsh", at: (-2, 2)),
        One(name: "pond", entity: "pond", at: (3, 1)),
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
    "Zone",
    "Field",
    "Transform",
    "None",
];
const RESOURCES: &[&str] = &[
    "floor", "crate", "lamp", "cart", "swing", "gate", "chute", "walker", "machine", "marsh", "nothing",
];
const WORDS: &[&str] = &["a", "body", "hull", "crate[0]", "", "a.b", "walker", "x/y"];

/// A call. Entities are chosen by a number from those that exist, and sometimes from those that do not.
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
    /// Sets the same property of all entities with the same components.
    SetAll(usize, usize, u64, f32),
    /// Sets the same property by text.
    SetText(usize, usize, u64, f32),
    Slice(usize, [f32; 4]),
    Shatter(usize, u64, usize),
    /// Defines a resource again, with one property of its first body or collider given, or with an invalid one.
    Define(usize, u64, f32),
    AddScene(u64, f32),
    /// A spawn with one property overridden, and perhaps a parent.
    SpawnWith(usize, u64, f32, Option<usize>),
    CutThrough([f32; 4]),
    SegmentCut(u64, [f32; 4]),
    Path([f32; 5]),
    Nearest([f32; 2], usize),
    Push(usize, [f32; 2]),
    /// Destroys a body directly, not by its entity; any, also a sensor's own.
    TakeBody(usize),
    /// Destroys a shape directly.
    TakeShape(usize),
    /// Moves a body directly.
    MoveBody(usize, [f32; 3]),
    Save,
}

impl Call {
    fn new(random: &mut Random) -> Self {
        let number = |random: &mut Random| match random.below(8) {
            0 => random.odd_float(),
            _ => random.between(-10.0, 10.0),
        };
        let whom = random.below(64);
        match random.below(29) {
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
            17 => Self::SegmentCut(
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
            20 => match random.below(5) {
                0 => Self::TakeBody(whom),
                1 => Self::TakeShape(random.below(200)),
                2 => Self::MoveBody(whom, [number(random), number(random), number(random)]),
                _ => Self::Push(whom, [number(random), number(random)]),
            },
            21 => Self::SetAll(whom, random.below(80), random.bits(), number(random)),
            22 => Self::SetText(whom, random.below(80), random.bits(), number(random)),
            23 => Self::Shatter(whom, random.bits(), random.below(9)),
            24 => Self::Define(random.below(RESOURCES.len()), random.bits(), number(random)),
            25 => Self::AddScene(random.bits(), number(random)),
            26 | 27 => {
                let parent = random.one_in(3).then_some(whom);
                Self::SpawnWith(
                    random.below(RESOURCES.len()),
                    random.bits(),
                    number(random),
                    parent,
                )
            }
            _ => Self::Save,
        }
    }
}

impl Family for Calls {
    const NAME: &'static str = "calls";
    const ABOUT: &'static str =
        "calls of a world: refused ones change nothing, names and families agree, the same from a save";
    const CASES: u64 = 400;
    type Operation = Call;

    fn generate(random: &mut Random) -> Vec<Call> {
        (0..random.within(5..60)).map(|_| Call::new(random)).collect()
    }

    fn run(calls: &[Call]) -> Result<(), String> {
        let (scene, mut world) = yard()?;
        world.watch_changes(true);
        for (place, call) in calls.iter().enumerate() {
            let before = world.state_hash();
            world.take_changes();
            let refused =
                make(call, &mut world, &scene).map_err(|error| format!("call {place}, {call:?}: {error}"))?;
            if let Some(message) = refused {
                same!(
                    world.state_hash(),
                    before,
                    "call {place}, {call:?} refused and changed something; it said {message:?}"
                );
                same!(
                    world.take_changes().len(),
                    0,
                    "call {place}, {call:?} refused and told a change"
                );
                let is_line = !message.is_empty() && message.len() < 1000 && !message.contains('\n');
                same!(is_line, true, "call {place}, {call:?} said {message:?}");
            }
            check(&world).map_err(|error| format!("after call {place}, {call:?}: {error}"))?;
        }
        Ok(())
    }
}
