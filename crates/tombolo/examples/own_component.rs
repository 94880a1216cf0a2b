//! A game's own kind of component: declared once, then in scenes, by name, in saves and hashes like the engine's own.
#![allow(clippy::print_stdout)]

use tombolo::entity::{Component, Dense, Schema, Value};
use tombolo::{Event, Scene, Settings, World};

#[derive(Clone, Default)]
struct Health {
    points: f32,
    armor: f32,
}

impl Component for Health {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property("points", |h: &Self| h.points, |h, points| h.points = points)
            .range(0.0..=100.0)
            .doc("How much it takes until it breaks.")
            .property("armor", |h: &Self| h.armor, |h, armor| h.armor = armor)
            .unit("N s")
            .doc("What it takes without harm.")
    }
}

const SCENE: &str = r#"(
    entities: {
        "ground": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1), hit_events: true)},
        "vase": {
            "body": Body(kind: Dynamic),
            "clay": Collider(shape: Circle(radius: 0.5)),
            "health": Health(points: 40, armor: 0.5),
        },
    },
    place: [One(name: "ground", entity: "ground"), One(name: "vase", entity: "vase", at: (0, 9))],
)"#;
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut world = World::new(&Settings::default())?;
    let health = world.register_manager("Health", Dense::<Health>::new())?;
    world.add_scene(&Scene::parse_with("vase.ron", SCENE, &world.kinds())?)?;
    let vase = world.find("vase").ok_or("the scene placed it")?;
    for _ in 0..120 {
        world.step();
        for event in world.events().to_vec() {
            let Event::Hit { impulse, .. } = event else {
                continue;
            };
            // The fast way, by type; scripts and inspectors go by name.
            let vases = world
                .manager_mut::<Dense<Health>>(health)
                .ok_or("registered above")?;
            if let Some(health) = vases.newest_mut(vase) {
                health.points -= (impulse - health.armor).max(0.0);
            }
        }
    }
    let left = world.get(vase, "health.points")?;
    println!("the vase began with 40 points and has {left:?}");
    assert!(matches!(left, Value::F32(left) if left < 40.0));
    let mut restored = world.clone();
    restored.restore(&world.save())?; // the health is in the save, and in the hash
    assert_eq!(restored.state_hash(), world.state_hash());
    Ok(())
}
