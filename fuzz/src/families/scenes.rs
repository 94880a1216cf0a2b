//! Family `scenes`: texts of scenes. Shipped ones with pieces cut, doubled, swapped or replaced; and ones from a
//! grammar, with every kind of entry and hostile numbers and names. A text is read or refused in one line with its
//! position; a scene is built or refused; a built world runs 20 steps, saves, and has the same future from the save.

use std::sync::LazyLock;

use tombolo::entity::Kind;
use tombolo::{Kinds, Scene, World};

use super::damage::Damage;
use crate::family::{Family, hold, same};
use crate::random::Random;

/// The family.
pub(crate) struct Scenes;

const SHIPPED: [&str; 4] = [
    include_str!("../../../crates/cli/scenes/workshop.ron"),
    include_str!("../../../crates/cli/scenes/orchard.ron"),
    include_str!("../../../crates/cli/scenes/maze.ron"),
    include_str!("../../../crates/cli/scenes/harbour.ron"),
];

/// A piece of a text, or a change of it.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    /// Begins with a scene that ships.
    Shipped(usize),
    /// An entity of a generated scene.
    Entity(String),
    /// A placement of a generated scene.
    Place(String),
    /// The settings of a generated scene.
    Settings(String),
    Damage(Damage),
}

const WORDS: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "r#\"",
    "-",
    "0",
    "-1",
    "1e38",
    "1e39",
    "NaN",
    "inf",
    "4294967296",
    "0.0000001",
    "true",
    "Some(1)",
    "\"crate\"",
    "Inherits(\"e0\")",
    "Child(entity: \"e0\")",
    "Static",
    "Dynamic",
    "\u{1b}",
    "\u{202e}",
    "\0",
    "//",
    "/*",
    "position: (1, 2)",
    "Body(kind: Dynamic)",
    "settings: (),",
];

fn number(random: &mut Random) -> String {
    match random.below(8) {
        0 => format!("{:?}", random.odd_float()),
        1 => random.odd_number().to_string(),
        2 => random
            .pick(&[
                "0", "-0.0", "1e-45", "100000", "100001", "0.001", "3.4e38", "1e5", "-1",
            ])
            .to_string(),
        _ => format!("{:?}", random.between(-5.0, 5.0)),
    }
}

fn size(random: &mut Random) -> String {
    if random.one_in(6) {
        number(random)
    } else {
        format!("{:?}", random.between(0.05, 3.0))
    }
}

fn vector(random: &mut Random) -> String {
    format!("({}, {})", number(random), number(random))
}

fn name(random: &mut Random) -> String {
    match random.below(12) {
        0 => String::from_utf8_lossy(&[random.bits() as u8 & 0x7f])
            .escape_default()
            .to_string(),
        1 => "x".repeat(random.below(300)),
        2 => "a.b".into(),
        _ => format!("n{}", random.below(12)),
    }
}

fn shape(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("Circle(radius: {})", size(random)),
        1 => format!("Box(width: {}, height: {})", size(random), size(random)),
        2 => format!(
            "Capsule(from: {}, to: {}, radius: {})",
            vector(random),
            vector(random),
            size(random)
        ),
        3 => format!("Segment(from: {}, to: {})", vector(random), vector(random)),
        4 => {
            let points: Vec<String> = (0..random.below(10)).map(|_| vector(random)).collect();
            format!(
                "Polygon(points: [{}], radius: {})",
                points.join(", "),
                size(random)
            )
        }
        _ => {
            let points: Vec<String> = (0..random.below(10)).map(|_| vector(random)).collect();
            format!(
                "Chain(points: [{}], closed: {})",
                points.join(", "),
                random.one_in(2)
            )
        }
    }
}

const SCRIPTS: &[&str] = &[
    "fn on_tick(s) { me().apply_impulse(vec2(0, 1)); }",
    "fn on_spawn() { spawn_entity(\\\"e0\\\"); }",
    "fn on_begin_touch(other) { despawn(other); }",
    "fn on_tick(s) { cut_through(vec2(-9, 0.5), vec2(9, 0.5)); }",
    "fn on_tick(s) { let a = []; loop { a.push(a.len()); } }",
    "fn on_tick(s",
];

/// Properties of joints, of which each kind has some.
const JOINT_PARTS: &[&str] = &[
    "limit: (lower: #, upper: #)",
    "spring: (hertz: #, damping_ratio: #)",
    "angular_spring: (hertz: #)",
    "motor: (speed: #, max_torque: #)",
    "motor: (speed: #, max_force: #)",
    "motor: (velocity: (#, #), max_force: #)",
    "limit_x: (lower: #, upper: #)",
    "motor_y: (speed: #, max_force: #)",
    "lock_angle: true",
    "count_turns: true",
    "length: #",
    "ratio: #",
    "radius: #",
    "from_wheel: (#, #)",
    "stiffness: #",
    "force_threshold: #",
    "breaks: true",
    "collide_connected: true",
];

/// The words of joints, and an invalid one.
static JOINT_WORDS: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
    let kinds = Kinds::default();
    let joint = kinds.iter().find(|kind| kind.name() == "Joint");
    let mut entries = joint.into_iter().flat_map(|kind| kind.entries());
    let entry = entries.find(|entry| &*entry.property().name == "kind");
    match entry.map(|entry| &entry.property().kind) {
        Some(Kind::Choice(words)) => words.iter().copied().chain(["Glue"]).collect(),
        _ => unreachable!("a joint has a kind, which is a choice of words"),
    }
});

fn joint_kind(random: &mut Random) -> String {
    let kind = random.pick(&JOINT_WORDS);
    let parts: Vec<String> = (0..random.below(3))
        .map(|_| {
            let part = random.pick(JOINT_PARTS).to_string();
            let mut filled = String::new();
            for piece in part.split_inclusive('#') {
                filled += &piece.replace('#', &number(random));
            }
            filled
        })
        .collect();
    format!("{kind}({})", parts.join(", "))
}

fn entry(random: &mut Random) -> String {
    match random.below(12) {
        0 | 1 => format!(
            "Body(kind: {}, linear_velocity: {}, angular_velocity: {}, bullet: {})",
            random.pick(&["Static", "Kinematic", "Dynamic", "Dynamic", "Heavy"]),
            vector(random),
            number(random),
            random.one_in(3)
        ),
        2 | 3 => format!(
            "Collider(shape: {}, position: {}, angle: {}, sensor: {})",
            shape(random),
            vector(random),
            number(random),
            random.one_in(5)
        ),
        4 => format!(
            "Joint(to: {}, pivot: {}{}, kind: {})",
            random.pick(&["Entity(\"n1\")", "Previous", "Parent", "Entity(\"n0[1]\")"]),
            vector(random),
            match random.below(4) {
                0 => format!(", axis: {}", vector(random)),
                1 => format!(", to_pivot: {}, to_angle: {}", vector(random), number(random)),
                _ => String::new(),
            },
            joint_kind(random)
        ),
        5 => format!(
            "{}(shape: {})",
            random.pick(&["Trigger", "Zone", "Field"]),
            shape(random)
        ),
        6 => format!("Script(text: \"{}\")", random.pick(SCRIPTS)),
        7 => format!(
            "Spawner(resource: \"e{}\", interval: {}, limit: {}, velocity: {})",
            random.below(6),
            size(random),
            random.below(20),
            vector(random)
        ),
        8 => format!(
            "Agent(goal: {}, speed: {}, clearance: {})",
            vector(random),
            size(random),
            size(random)
        ),
        9 => format!("Child(entity: \"e{}\", at: {})", random.below(6), vector(random)),
        10 => format!("Inherits(\"e{}\")", random.below(6)),
        _ => random
            .pick(&[
                "Tag()",
                "Sprite()",
                "Transform(angle: 1)",
                "RenderData(effect: \"f\", values: {\"d\": 1})",
            ])
            .to_string(),
    }
}

fn entity(random: &mut Random, number: usize) -> String {
    let mut parts = Vec::new();
    if random.one_in(3) && number > 0 {
        parts.push(format!("\"base\": Inherits(\"e{}\")", random.below(number)));
    } else if !random.one_in(4) {
        parts.push(format!(
            "\"body\": Body(kind: {})",
            random.pick(&["Static", "Dynamic", "Dynamic", "Kinematic"])
        ));
        parts.push(format!("\"skin\": Collider(shape: {})", shape(random)));
    }
    for part in 0..random.below(4) {
        let name = if random.one_in(4) {
            name(random)
        } else {
            format!("p{part}")
        };
        parts.push(format!("\"{name}\": {}", entry(random)));
    }
    format!("\"e{number}\": {{{}}},\n", parts.join(", "))
}

fn place(random: &mut Random, number: usize, of: usize) -> String {
    let name = if random.one_in(6) {
        name(random)
    } else {
        format!("n{number}")
    };
    let entity = random.below(of.max(1));
    match random.below(3) {
        0 => format!(
            "One(name: \"{name}\", entity: \"e{entity}\", at: {}, angle: {}),\n",
            vector(random),
            size(random)
        ),
        1 => format!(
            "Row(name: \"{name}\", entity: \"e{entity}\", at: {}, count: {}, step: {}),\n",
            vector(random),
            random.below(12),
            vector(random)
        ),
        _ => format!(
            "Grid(name: \"{name}\", entity: \"e{entity}\", at: {}, columns: {}, rows: {}, column_step: {}, row_step: {}),\n",
            vector(random),
            random.below(5),
            random.below(5),
            vector(random),
            vector(random)
        ),
    }
}

impl Family for Scenes {
    const NAME: &'static str = "scenes";
    const ABOUT: &'static str = "texts of scenes, made and damaged: read or refused with a place, built, 20 steps, the same from a save";
    const CASES: u64 = 1500;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let mut operations = Vec::new();
        if random.one_in(3) {
            operations.push(Operation::Shipped(random.pick(&[0, 0, 0, 1, 2, 2, 2, 2, 3])));
        } else {
            let of = random.within(1..6);
            if random.one_in(3) {
                operations.push(Operation::Settings(match random.below(4) {
                    0 => format!("gravity: {}", vector(random)),
                    1 => format!("substeps: {}, seed: {}", random.below(70), random.below(9)),
                    2 => "sleeping: false, debris_stays: true".into(),
                    _ => format!("steps_per_second: {}", random.below(200)),
                }));
            }
            operations.extend((0..of).map(|number| Operation::Entity(entity(random, number))));
            operations
                .extend((0..random.within(1..4)).map(|number| Operation::Place(place(random, number, of))));
            if random.one_in(2) {
                return operations;
            }
        }
        for _ in 0..random.within(1..5) {
            operations.push(Operation::Damage(Damage::random(random, WORDS, number)));
        }
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let text = text_of(operations);
        let scene = match Scene::parse("fuzz.ron", &text) {
            Ok(scene) => scene,
            Err(error) => {
                let line = error.to_string();
                hold!(!line.contains('\n'), "more than one line: {line:?}");
                hold!(line.starts_with("fuzz.ron"), "no place: {line:?}");
                return Ok(());
            }
        };
        let Ok(mut world) = World::from_scene(&scene) else {
            return Ok(());
        };
        for _ in 0..20 {
            world.step();
        }
        let save = world.save();
        let mut again = World::from_scene(&scene).map_err(|error| format!("not twice: {error}"))?;
        again
            .restore(&save)
            .map_err(|error| format!("its own save is refused: {error}"))?;
        same!(again.state_hash(), world.state_hash(), "after a restore");
        world.step();
        again.step();
        same!(again.state_hash(), world.state_hash(), "a step after a restore");
        Ok(())
    }
}

fn text_of(operations: &[Operation]) -> String {
    let shipped = operations.iter().find_map(|operation| match operation {
        Operation::Shipped(number) => Some(SHIPPED[*number % SHIPPED.len()]),
        _ => None,
    });
    let mut text = shipped.map_or_else(|| made(operations), str::to_string);
    for operation in operations {
        if let Operation::Damage(damage) = operation {
            damage.apply(&mut text);
        }
    }
    text
}

fn made(operations: &[Operation]) -> String {
    let of = |pick: fn(&Operation) -> Option<&String>| {
        operations
            .iter()
            .filter_map(pick)
            .map(String::as_str)
            .collect::<String>()
    };
    let settings = of(|operation| {
        if let Operation::Settings(text) = operation {
            Some(text)
        } else {
            None
        }
    });
    let entities = of(|operation| {
        if let Operation::Entity(text) = operation {
            Some(text)
        } else {
            None
        }
    });
    let place = of(|operation| {
        if let Operation::Place(text) = operation {
            Some(text)
        } else {
            None
        }
    });
    format!("(settings: ({settings}), entities: {{\n{entities}}}, place: [\n{place}])")
}
