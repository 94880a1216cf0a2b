//! Scripts: what they can do, what they are kept from, and that nothing but the scene decides what they do.
#![cfg(feature = "script")]

mod abilities;
mod determinism;
mod errors;
mod events;
mod forged;
mod graphs;
mod hostile;
mod hostile_world;
mod kept;
#[path = "../../../threads/tests/support/last_first.rs"]
mod last_first;
mod path_prices;
mod places;
mod queries;
mod reading;
mod tile_grids;
mod turns;
mod workers;

use tombolo::component::{SCRIPT, Script};
use tombolo::entity::{Dense, Entity, NameHash};
use tombolo::{Scene, World};

/// A floor, a ball that runs the script `s` as its component `mind`, two crates, and resources to spawn.
pub(crate) fn scene_text(script: &str) -> String {
    format!(
        r##"(
    settings: (seed: 3),
    scripts: {{"s": r#"{script}"#}},
    entities: {{
        "floor": {{"body": Body(), "top": Collider(shape: Box(width: 60, height: 2), position: (0, -1))}},
        "crate": {{
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1), hit_events: true),
            "wood": Tag(),
        }},
        "ball": {{
            "body": Body(kind: Dynamic),
            "skin": Collider(shape: Circle(radius: 0.5)),
            "mind": Script(name: "s"),
            "Fog": RenderData(effect: "fog", values: {{"density": 0.5}}, colour: (1, 0.5, 0, 1)),
        }},
        "gate": {{"eye": Trigger(shape: Box(width: 2, height: 4)), "mind": Script(name: "s")}},
        "mine": {{
            "body": Body(kind: Dynamic),
            "skin": Collider(shape: Circle(radius: 0.2)),
            "mind": Script(text: "fn on_despawn(position, angle) {{ spawn_entity(\"crate\", #{{name: \"debris\", position: position}}); }}"),
        }},
    }},
    place: [
        One(name: "floor", entity: "floor"),
        One(name: "ball", entity: "ball", at: (0, 5)),
        Row(name: "crate", entity: "crate", at: (5, 0.5), count: 2, step: (3, 0)),
    ],
)"##
    )
}

/// The world of that scene.
pub(crate) fn world(script: &str) -> World {
    let scene = Scene::parse("test.ron", &scene_text(script));
    let scene = scene.unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

/// The world after some steps.
pub(crate) fn after(steps: usize, script: &str) -> World {
    let mut world = world(script);
    for _ in 0..steps {
        world.step();
    }
    world
}

pub(crate) fn script<'w>(world: &'w World, name: &str) -> &'w Script {
    let entity: Entity = world.find(name).expect("it is there");
    let scripts: &Dense<Script> = world.manager(SCRIPT).expect("every world has scripts");
    scripts
        .value(entity, NameHash::of("mind").into())
        .expect("it has one")
}

/// What the ball's script remembers, after steps without a fault.
pub(crate) fn state_after(steps: usize, text: &str) -> String {
    let world = after(steps, text);
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    script(&world, "ball").state().to_string()
}

/// The only fault of a world after two steps.
pub(crate) fn fault(text: &str) -> String {
    let world = after(2, text);
    let faults: Vec<&str> = world.faults().iter().map(|fault| &**fault).collect();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(!script(&world, "ball").enabled, "the script is disabled");
    faults[0].to_string()
}
