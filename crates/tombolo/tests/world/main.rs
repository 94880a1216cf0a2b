//! The world of entities and physics together: by name, by parent, by resource, saved and restored.

mod actions;
mod assets;
mod broken_text;
mod callbacks;
#[cfg(feature = "script")]
mod characters;
mod cutting;
mod events;
mod families;
mod fields;
mod following;
mod forged;
mod ground;
mod hostile_scenes;
mod inbox;
mod joints;
#[cfg(feature = "script")]
mod kept_recordings;
mod properties;
mod pushes;
#[cfg(feature = "script")]
mod random_calls;
mod ranges;
mod recording;
mod refused;
mod register;
#[cfg(feature = "script")]
mod reloads_between_frames;
mod rewind;
mod rigid_welds;
mod rigid_welds_random;
mod rules;
#[cfg(feature = "script")]
mod saves;
mod saving;
#[path = "../../../handles/tests/support/scale.rs"]
mod scale;
mod scenes;
mod spawn_body;
mod spawning;
mod tiles;
mod waiting;
mod walking;
mod world_recording;
mod zones;

use tombolo::entity::{Component, Schema, Value};
use tombolo::physics::Vec2;
use tombolo::{Scene, World};

/// A yard: a floor, crates, a swinging sign, a cart with a lamp and a basket, a gate that notices, a chute.
pub(crate) const YARD: &str = r#"(
    settings: (seed: 7),
    materials: {"wood": (density: 0.7, friction: 0.6), "steel": (density: 4)},
    entities: {
        "floor": {
            "body": Body(),
            "top": Collider(shape: Box(width: 60, height: 2), position: (0, -1)),
            "edge": Collider(shape: Chain(points: [(30, 6), (29, 0), (-29, 0), (-30, 6)]), hit_events: true),
        },
        "crate": {
            "place": Transform(scale: (2, 2)),
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1), material: "wood"),
            "crate": Tag(),
        },
        "safe": {
            "base": Inherits("crate"),
            "hull": Collider(material: "steel"),
            "heavy": Tag(),
        },
        "lamp": {
            "look": Sprite(image: "lamp.png", colour: (1, 0.5, 0, 1), layer: 3),
            "Fog": RenderData(effect: "fog", values: {"density": 0.4, "height": 3}),
            "Vignette": RenderData(effect: "vignette", values: {"strength": 0.2}),
        },
        "cart": {
            "body": Body(kind: Dynamic),
            "bed": Collider(shape: Box(width: 3, height: 0.5), material: "wood"),
            "lamp": Child(entity: "lamp", at: (1, 1), angle: 0.5),
            "spare": Child(entity: "lamp", at: (-1, 1)),
        },
        "sign": {
            "body": Body(kind: Dynamic),
            "board": Collider(shape: Box(width: 2, height: 1), material: "wood"),
            "nail": Joint(to: Entity("floor"), pivot: (-1, 0.5), kind: Revolute(motor: (speed: 1, max_torque: 5))),
        },
        "gate": {"eye": Trigger(shape: Box(width: 2, height: 4))},
        "chute": {"spout": Spawner(resource: "crate", interval: 0.5, limit: 5, velocity: (0, -2), spread: (3, 0))},
    },
    place: [
        One(name: "floor", entity: "floor"),
        Row(name: "crate", entity: "crate", at: (-10, 0.5), count: 4, step: (2, 0)),
        One(name: "safe", entity: "safe", at: (0, 3), overrides: {"body": (linear_velocity: (1, 0))}),
        One(name: "cart", entity: "cart", at: (8, 1), overrides: {"body": (linear_velocity: (2, 0))}),
        One(name: "sign", entity: "sign", at: (-20, 8)),
        One(name: "gate", entity: "gate", at: (0, 2.5)),
        One(name: "chute", entity: "chute", at: (20, 12)),
    ],
)"#;

pub(crate) fn yard() -> World {
    let scene = Scene::parse("yard.ron", YARD).unwrap();
    World::from_scene(&scene).unwrap()
}

pub(crate) fn run(world: &mut World, steps: usize) {
    for _ in 0..steps {
        world.step();
    }
}

/// The value at `entity.component.property`.
pub(crate) fn get(world: &World, name: &str, path: &str) -> Value {
    let entity = world.find(name).unwrap_or_else(|| panic!("no {name}"));
    world.get(entity, path).unwrap()
}

pub(crate) fn vec2(value: Value) -> Vec2 {
    match value {
        Value::Vec2(vector) => vector,
        other => panic!("{other:?} is no vector"),
    }
}

/// A game's own component.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Health {
    points: i32,
    mood: u32,
}

impl Default for Health {
    fn default() -> Self {
        Self { points: 100, mood: 0 }
    }
}

impl Component for Health {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property("points", |h: &Self| h.points, |h, points| h.points = points)
            .range(0.0..=100.0)
            .choice(
                "mood",
                &["Calm", "Cross"],
                |h: &Self| h.mood,
                |h, mood| h.mood = mood,
            )
            .derived("is_hurt", |h: &Self| h.points < 50)
    }
}
