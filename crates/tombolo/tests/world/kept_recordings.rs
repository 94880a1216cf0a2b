//! Recordings of worlds that earlier builds made, in `tests/recordings/`: this build plays each to its end, and
//! `expected.txt` says how far its results are those of the build that recorded.
//!
//! They begin with a scene and hold no save, so that every later build plays them. `TOMBOLO_BLESS=1` writes those of this
//! version that are missing, and `expected.txt` anew. Recordings are never written again: where results have changed on
//! purpose, it adds one of today under the next number, as `0.1.0-inputs-2.rec`, so that all steps are compared with a build
//! again.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tombolo::entity::Value;
use tombolo::geometry::Pose;
use tombolo::physics::{ExplosionDef, Position, QueryFilter, Shatter, TileBlock, Vec2};
use tombolo::threads::Pool;
use tombolo::{Command, Push, Scene, SegmentCut, SpawnCommand, World, WorldCall, WorldRecording};

use crate::world_recording::{EVERY_STEP, call_everything_of_entities};
use crate::{run, yard};

/// A level with a character that a script moves as the player wants.
const LEVEL: &str = include_str!("../../../cli/scenes/platformer.ron");

/// Ground of tiles in which a script digs, with a crate above, one who walks on it, and a field.
const GROUND: &str = r##"(
    settings: (seed: 3),
    scripts: {"dig": "
        fn on_spawn() { this.rang = 0; set_timer(`dig`, 0.1); }
        fn on_tick(seconds) { this.last = random(); }
        fn on_timer(name) {
            this.rang += 1;
            let x = this.rang * 0.5 - 4.0;
            cut_tiles(vec2(x, 0.5), vec2(x + this.last, -1.5), 0.25);
            set_timer(name, 0.1);
        }
    "},
    entities: {
        "ground": {
            "body": Body(),
            "tiles": Tiles(origin: (-10, -5), legend: ["# Full", "/ SlopeUp"], rows: ["14./###", "20#", "2:9#2.9#", "20#"]),
        },
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 0.8, height: 0.8))},
        "rain": {"spout": Spawner(resource: "crate", interval: 0.25, limit: 4, spread: (3, 0))},
        "walker": {"legs": Agent(goal: (8, 2), speed: 2, clearance: 0.25)},
        "wind": {"body": Body(), "field": Field(shape: Box(width: 8, height: 8))},
        "digger": {"mind": Script(name: "dig")},
    },
    place: [
        One(name: "ground", entity: "ground"),
        One(name: "crate", entity: "crate", at: (0, 0.6)),
        One(name: "rain", entity: "rain", at: (-3, 6)),
        One(name: "walker", entity: "walker", at: (-8, 2)),
        One(name: "wind", entity: "wind", at: (3, 1)),
        One(name: "digger", entity: "digger"),
    ],
)"##;

/// A world of a scene, from whose beginning on all is recorded.
fn recorded(file: &str, text: &str) -> World {
    let scene = Scene::parse(file, text).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::from_scene(&scene).unwrap();
    world.start_recording(EVERY_STEP);
    world
}

/// Each call on entities, cuts, commands of two senders, calls of physics, and a return to a frame.
fn entities() -> World {
    let mut world = yard();
    world.start_recording(EVERY_STEP);
    call_everything_of_entities(&mut world);
    let safe = world.find("safe").unwrap();
    let place = world.pose(safe).unwrap().position;
    let (from, to) = (Position::from(place), Position::from(place + Vec2::new(0.1, 1.0)));
    world.slice(safe, from, to).unwrap();
    let pattern = Shatter::Seeded { seed: 3, count: 3 };
    world.shatter(world.find("crate[1]").unwrap(), &pattern).unwrap();
    let (from, to) = (Position::new(-40.0, 0.3), Position::new(40.0, 0.4));
    world.cut_through(from, to, QueryFilter::default()).unwrap();
    let step = world.physics().step_index() + 2;
    let (from, to) = (Vec2::new(-30.0, 0.2), Vec2::new(30.0, 0.2));
    world.add_segment_cut(SegmentCut { step, from, to });
    for sender in [9, 2] {
        let lamp = SpawnCommand {
            resource: "lamp".into(),
            ..SpawnCommand::default()
        };
        world.inbox(sender).send(Command::Spawn(Box::new(lamp))).unwrap();
    }
    run(&mut world, 4);
    world.physics_mut().set_gravity(Vec2::new(0.5, -9.0)).unwrap();
    let cart = world.body_of(world.find("cart").unwrap()).unwrap();
    let mut cart = world.physics_mut().body_mut(cart).unwrap();
    cart.teleport(Pose::new(Vec2::new(6.0, 3.0), 0.1)).unwrap();
    // Whoever looks for a path has to follow physics first.
    assert!(world.find_path(Vec2::ZERO, Vec2::splat(1.0e9), 0.5).is_err());
    world.random().bits();
    let frame = world.frame();
    run(&mut world, 3);
    world.despawn(world.find("cart").unwrap()).unwrap();
    run(&mut world, 3);
    world.restore_frame(&frame);
    run(&mut world, 20);
    world
}

/// What a player wants, step by step.
fn inputs() -> World {
    let mut world = recorded("platformer.ron", LEVEL);
    let hero = world.find("hero").unwrap();
    let began = world.pose(hero).unwrap().position;
    let wanted = [
        (3, "move", 1.0),
        (30, "jump", 1.0),
        (40, "jump", 0.0),
        (60, "crouch", 1.0),
        (75, "crouch", 0.0),
        (80, "move", -0.5),
    ];
    for step in 0..100 {
        for (_, name, value) in wanted.iter().filter(|(at, ..)| *at == step) {
            world.set_action(name, *value).unwrap();
        }
        world.step();
    }
    assert_ne!(world.pose(hero).unwrap().position, began, "it obeys");
    world
}

/// Tiles that are dug, blown up and built; a crate that is pushed.
fn tiles() -> World {
    let mut world = recorded("ground.ron", GROUND);
    let ground = world.find("ground").unwrap();
    let full = |world: &World| {
        let cells = (0..20).flat_map(|x| (0..5).map(move |y| (x, y)));
        cells
            .filter(|(x, y)| world.tile(ground, *x, *y) == Some('#'))
            .count()
    };
    let began = full(&world);
    run(&mut world, 30);
    let dug = full(&world);
    assert!(dug < began, "the script digs");
    let blast = ExplosionDef {
        tile_radius: 1.5,
        ..ExplosionDef::at(Position::new(5.0, -2.0))
    };
    world.explode(&blast).unwrap();
    assert!(full(&world) < dug, "the explosion empties cells");
    let block = TileBlock {
        width: 3,
        ..TileBlock::cell(2, 4)
    };
    world.fill_tiles(ground, block, '#').unwrap();
    let push = Command::Push {
        entity: "crate".into(),
        push: Push::Impulse(Vec2::new(1.0, 2.0)),
    };
    world.apply(push).unwrap();
    let walker = world.find("walker").unwrap();
    world
        .set(walker, "legs.goal", Value::Vec2(Vec2::new(-9.0, 3.0)))
        .unwrap();
    run(&mut world, 40);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    world
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings")
}

fn is_blessing() -> bool {
    std::env::var_os("TOMBOLO_BLESS").is_some()
}

/// What makes the world of a recording.
type Maker = fn() -> World;

const MAKERS: [(&str, Maker); 3] = [("entities", entities), ("inputs", inputs), ("tiles", tiles)];

/// The name of a recording of this version, from its first on.
fn name_of(maker: &str, number: usize) -> String {
    let version = env!("CARGO_PKG_VERSION");
    match number {
        1 => format!("{version}-{maker}.rec"),
        _ => format!("{version}-{maker}-{number}.rec"),
    }
}

/// The number of recordings of this version that the corpus has of a maker.
fn count_of(maker: &str) -> usize {
    let is_there = |number: &usize| folder().join(name_of(maker, *number)).exists();
    (1..).take_while(is_there).count()
}

/// Writes the recordings of this version that are missing, or of which the newest has other results than this build.
fn write_corpus() {
    fs::create_dir_all(folder()).unwrap();
    for (maker, make) in MAKERS {
        let count = count_of(maker);
        if count == 0 || !is_as_recorded(&name_of(maker, count)) {
            fs::write(folder().join(name_of(maker, count + 1)), make().end_recording()).unwrap();
        }
    }
}

/// A recording of the corpus.
fn open(name: &str) -> WorldRecording {
    let recording = WorldRecording::open(fs::read(folder().join(name)).unwrap());
    recording.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The recordings of the corpus, by name.
fn corpus() -> Vec<(String, WorldRecording)> {
    let mut names: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".rec"))
        .collect();
    names.sort();
    let opened = names.into_iter().map(|name| {
        let recording = open(&name);
        (name, recording)
    });
    opened.collect()
}

/// Plays a recording with so many workers, and says how far its results are as recorded.
fn outcome(name: &str, recording: &WorldRecording, workers: usize) -> (String, u64) {
    let pool = Pool::with_thread_for_each(workers).unwrap();
    let mut player = recording
        .player()
        .unwrap_or_else(|error| panic!("{name}: {error}"));
    while player
        .play_step(&pool)
        .unwrap_or_else(|error| panic!("{name}: {error}"))
    {}
    assert_eq!(player.steps(), recording.steps(), "it plays on, whatever differs");
    let told = match player.first_difference() {
        None => format!("{name}: {} steps as recorded\n", recording.steps()),
        Some([agreed, differs]) => {
            format!("{name}: as recorded after step {agreed}, not after step {differs}\n")
        }
    };
    (told, player.world().state_hash())
}

/// Whether each step of a recording of the corpus has the results that were recorded.
fn is_as_recorded(name: &str) -> bool {
    let recording = open(name);
    outcome(name, &recording, 1).0 == format!("{name}: {} steps as recorded\n", recording.steps())
}

#[test]
fn recordings_of_earlier_builds_play_to_their_end() {
    if is_blessing() {
        write_corpus();
    }
    let mut outcomes = String::new();
    for (name, recording) in corpus() {
        assert!(recording.is_whole() && recording.begins_new(), "{name}");
        let alone = outcome(&name, &recording, 1);
        assert_eq!(alone, outcome(&name, &recording, 8), "with eight workers");
        outcomes += &alone.0;
    }
    let expected = folder().join("expected.txt");
    if is_blessing() {
        fs::write(&expected, &outcomes).unwrap();
    }
    assert_eq!(
        outcomes,
        fs::read_to_string(&expected).unwrap(),
        "if results changed on purpose, TOMBOLO_BLESS=1 writes {}",
        expected.display()
    );
    // What a build that recorded knows of all later steps is lost with its first difference.
    for (maker, _) in MAKERS {
        let newest = name_of(maker, count_of(maker).max(1));
        assert!(
            is_as_recorded(&newest),
            "{newest}: TOMBOLO_BLESS=1 adds one of today"
        );
    }
}

#[test]
fn the_corpus_has_every_call_that_needs_no_save() {
    let mut called = BTreeSet::new();
    for (name, recording) in corpus() {
        let mut player = recording.player().unwrap();
        let pool = Pool::with_thread_for_each(1).unwrap();
        while let Some(call) = player
            .next_call()
            .unwrap_or_else(|error| panic!("{name}: {error}"))
        {
            called.insert(call.name());
            player.play(call, &pool).unwrap();
        }
    }
    let all: BTreeSet<&str> = WorldCall::NAMES.iter().copied().collect();
    let missing: Vec<&&str> = all.difference(&called).collect();
    assert_eq!(missing, [&"ReplaceManager", &"Restore", &"RestoreDefined"]);
}
