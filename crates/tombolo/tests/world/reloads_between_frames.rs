//! Materials, outlines, scripts and scenes that are loaded again between frames: a world that goes back by frames, or is a fork
//! of one, is the same as a clone of the moment, then and in all steps after it.

use tombolo::physics::{FrameId, Rewind, RewindLimits};
use tombolo::{AssetKind, Scene, World};

use crate::rewind::Random;
use crate::scale::scaled;

const ROOM: &str = r#"(
    materials: {"wood": (density: 0.5, friction: 0.6)},
    outlines: {"brick": Box(width: 2, height: 1)},
    scripts: {"push": "fn on_tick(seconds) { this.count = if \"count\" in this { this.count + 1 } else { 1 }; }"},
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 40, height: 2))},
        "crate": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Named("brick"), material: "wood"),
            "mind": Script(name: "push"),
        },
        "chute": {"spout": Spawner(resource: "crate", interval: 0.25, limit: 5, spread: (3, 0))},
    },
    place: [
        One(name: "floor", entity: "floor", at: (0, -1)),
        Row(name: "crate", entity: "crate", at: (-6, 2), count: 4, step: (3, 0)),
        One(name: "chute", entity: "chute", at: (0, 9)),
    ],
)"#;

const TURNS: usize = 120;

/// Loads one asset again, with some contents of its kind; one in eight is refused.
fn reload(world: &mut World, kind: usize, number: usize) -> String {
    let done = match kind {
        0 => world.reload(
            AssetKind::Material,
            "wood",
            &format!("(density: 0.{number}, friction: 0.{number})"),
        ),
        1 => {
            let shape = ["Circle(radius: 0.5)", "Box(width: 1, height: 1)"][number % 2];
            world.reload(AssetKind::Outline, "brick", shape)
        }
        2 => world.reload(
            AssetKind::Script,
            "push",
            &format!("fn on_tick(seconds) {{ this.by_{number} = {number}; }}"),
        ),
        3 => world.reload(
            AssetKind::Scene,
            "room.ron",
            &ROOM.replace("interval: 0.25", &format!("interval: 0.{number}5")),
        ),
        _ => world.reload(AssetKind::Script, "push", "fn on_tick("),
    };
    format!("{done:?}")
}

/// The texts and numbers that the world has of its assets.
fn assets(world: &World) -> String {
    let assets = world.assets();
    let wood = assets.material("wood").map(|wood| format!("{:?}", wood.values()));
    let brick = assets.outline("brick").map(|brick| format!("{brick:?}"));
    format!(
        "{wood:?} {brick:?} {:?} {:?}",
        assets.script("push"),
        assets.scene("room.ron")
    )
}

fn same(one: &World, two: &World, what: &str) {
    if one.state_hash() != two.state_hash() {
        let difference = one.first_difference(two).map(|difference| difference.to_string());
        panic!("{what}: {difference:?}");
    }
    assert_eq!(assets(one), assets(two), "{what}");
}

#[test]
fn worlds_that_go_back_over_reloads_equal_clones_of_the_moment() {
    let scene = Scene::parse("room.ron", ROOM).unwrap();
    let (mut back_over_one, mut refused) = (0, 0);
    for seed in 0..scaled(6) as u64 {
        println!("seed {seed}");
        let mut random = Random(seed);
        let mut worlds = [(); 2].map(|()| World::from_scene(&scene).unwrap());
        let mut fork = World::from_scene(&scene).unwrap();
        let mut rewind = Rewind::new(RewindLimits {
            frames_max: 8,
            ..RewindLimits::default()
        });
        let mut saved: Vec<(FrameId, World)> = Vec::new();
        for turn in 0..TURNS {
            let (kind, number) = (random.below(8), 1 + random.below(8));
            match random.below(10) {
                0 | 1 => {
                    let [one, two] = worlds.each_mut().map(|world| reload(world, kind, number));
                    assert_eq!(one, two);
                    refused += usize::from(one.starts_with("Err"));
                }
                2 | 3 => {
                    saved.push((rewind.save(&mut worlds[0]), worlds[1].clone()));
                    let excess = saved.len().saturating_sub(8);
                    saved.drain(..excess);
                }
                4 if !saved.is_empty() => {
                    let place = random.below(saved.len());
                    let (id, then) = &saved[place];
                    back_over_one += usize::from(assets(&worlds[0]) != assets(then));
                    rewind.restore(&mut worlds[0], *id).unwrap();
                    worlds[1] = then.clone();
                    saved.truncate(place + 1);
                }
                5 if !saved.is_empty() => {
                    let (id, then) = &saved[random.below(saved.len())];
                    let mut then = then.clone();
                    fork.restore_frame(rewind.frame(*id).unwrap());
                    for world in [&mut fork, &mut then] {
                        reload(world, kind, number);
                        (0..3).for_each(|_| world.step());
                    }
                    same(&fork, &then, &format!("turn {turn}: a fork"));
                }
                _ => worlds.iter_mut().for_each(World::step),
            }
            same(&worlds[0], &worlds[1], &format!("turn {turn}"));
        }
    }
    assert!(back_over_one > 10 && refused > 10, "{back_over_one} {refused}");
}
