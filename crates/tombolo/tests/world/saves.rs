//! Saves of earlier versions, in `tests/saves/` with their scenes: this build reads each of them, and the world in it goes
//! on as `expected.txt` says.
//!
//! `TOMBOLO_BLESS=1` writes saves and a scene of the present version and properties if there are none of them yet, and
//! `expected.txt` anew. Files are never written again: builds that made such saves are out there.

use std::fs;
use std::path::{Path, PathBuf};

use tombolo::entity::{Override, Reader, SavedManagers, Value};
use tombolo::geometry::Pose;
use tombolo::physics::Vec2;
use tombolo::{Command, Push, Scene, SpawnCommand, World};

use crate::run;

/// A component of each of the engine's kinds, and everything else that a world has beside them.
const ALL: &str = r##"(
    settings: (seed: 11, script_limits: (printed_lines: 50)),
    materials: {"stuff": (density: 0.5, friction: 0.25)},
    scripts: {"count": "
        fn on_spawn() { this.ticks = 0; this.near = vec2(1.5, 2.5); set_timer(\"later\", 0.8); }
        fn on_tick(seconds) { this.ticks += 1; this.last = random(); }
        fn on_timer(name) { this.rang = name; }
        fn on_despawn(position, angle) { print(`${this.ticks} ticks`); }
    "},
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1))},
        "ground": {"body": Body(), "tiles": Tiles(legend: ["# Full"], rows: ["#.##"])},
        "mate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1), material: "stuff")},
        "crumb": {"look": Sprite(layer: 3)},
        "thing": {
            "place": Transform(scale: (2, 2)),
            "body": Body(kind: Dynamic, linear_velocity: (1, 0)),
            "ball": Collider(shape: Circle(radius: 0.5)),
            "rope": Joint(to: Entity("post"), kind: Distance(length: 3)),
            "feel": Trigger(shape: Box(width: 2, height: 2)),
            "yard": Zone(shape: Box(width: 4, height: 4)),
            "look": Sprite(layer: 2),
            "show": RenderData(),
            "mark": Tag(),
            "chute": Spawner(resource: "crumb", limit: 2, interval: 0.25),
        },
        "left": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
            "weld": RigidWeld(to: Entity("mate")),
        },
        "post": {"body": Body()},
        "wind": {"body": Body(), "field": Field(shape: Box(width: 8, height: 8))},
        "walker": {"mind": Script(name: "count"), "agent": Agent(), "feet": Character()},
    },
    place: [
        One(name: "floor", entity: "floor"),
        One(name: "ground", entity: "ground", at: (8, 0)),
        One(name: "post", entity: "post", at: (0, 6)),
        One(name: "mate", entity: "mate", at: (-5, 3)),
        One(name: "left", entity: "left", at: (-6, 3)),
        One(name: "thing", entity: "thing", at: (1, 4), overrides: {"body": (angular_velocity: 0.5)}),
        One(name: "wind", entity: "wind", at: (-5, 3)),
        One(name: "walker", entity: "walker", at: (5, 2)),
        One(name: "follower", entity: "walker", at: (6, 2)),
    ],
)"##;

/// The name of the scene's file.
const FILE: &str = "all.ron";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saves")
}

fn is_blessing() -> bool {
    std::env::var_os("TOMBOLO_BLESS").is_some()
}

/// The version of a save.
fn version(save: &[u8]) -> u32 {
    u32::from_le_bytes(save[8..12].try_into().unwrap())
}

/// A world in which each of the engine's managers has a component.
fn all() -> World {
    let mut world = World::from_scene(&Scene::parse(FILE, ALL).unwrap()).unwrap();
    run(&mut world, 40);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    for (id, _, manager) in world.entities().managers() {
        let name = world.entities().manager_name(id);
        assert!(!manager.is_empty(), "{name:?} has no component");
    }
    world
}

/// The same world with everything that the next step does first: a script that has not heard of its end, commands of two
/// senders, an action.
fn pending() -> World {
    let mut world = all();
    let follower = world.find("follower").unwrap();
    world.despawn(follower).unwrap();
    world.set_action("jump", 1.0).unwrap();
    let commands = [
        Command::Push {
            entity: "thing".into(),
            push: Push::Impulse(Vec2::new(0.5, 0.25)),
        },
        Command::Spawn(Box::new(SpawnCommand {
            resource: "mate".into(),
            name: Some("late".into()),
            pose: Some(Pose::new(Vec2::new(-5.0, 8.0), 0.5)),
            overrides: vec![Override {
                path: "body.linear_velocity".into(),
                value: Value::Vec2(Vec2::new(0.0, -3.0)),
            }],
            ..SpawnCommand::default()
        })),
        Command::Set {
            entity: "thing".into(),
            path: "look.layer".into(),
            value: Value::I32(7),
        },
    ];
    for (key, command) in [9, 4, 4].into_iter().zip(commands) {
        world.inbox(key).send(command).unwrap();
    }
    world
}

/// Writes the files of the present version and properties, unless there are some. The first of a version are `14.1-…`,
/// those after a change of properties `14.2-…`.
fn write_corpus() {
    let before = corpus();
    let (version, description) = {
        let save = all().save();
        (version(&save), description(&save))
    };
    if before.iter().any(|save| save.is_of(version, &description)) {
        return;
    }
    let is_first =
        |save: &&Kept| save.name.starts_with(&format!("{version}.")) && save.name.ends_with("-all.save");
    let number = 1 + before.iter().filter(is_first).count();
    for (name, world) in [("all", all()), ("pending", pending())] {
        let path = folder().join(format!("{version}.{number}-{name}.save"));
        fs::create_dir_all(folder()).unwrap();
        fs::write(path.with_extension("ron"), ALL).unwrap();
        fs::write(path, world.save()).unwrap();
    }
}

/// A file of the corpus.
struct Kept {
    name: String,
    /// The text of its scene.
    scene: String,
    save: Vec<u8>,
}

impl Kept {
    fn of(path: &Path) -> Self {
        Self {
            name: path.file_name().unwrap().to_string_lossy().into_owned(),
            scene: fs::read_to_string(path.with_extension("ron")).unwrap(),
            save: fs::read(path).unwrap(),
        }
    }

    fn is_of(&self, wanted: u32, managers: &[u8]) -> bool {
        version(&self.save) == wanted && description(&self.save) == managers
    }
}

/// The files of the corpus, by name.
fn corpus() -> Vec<Kept> {
    let files = fs::read_dir(folder()).into_iter().flatten();
    let mut paths: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "save"));
    paths.sort();
    paths.iter().map(|path| Kept::of(path)).collect()
}

/// A world that is restored has every number of the world that was saved, so it makes the same steps; `expected.txt` says
/// what they come to, and changes only with the results of steps.
#[test]
fn saves_of_earlier_versions_are_read_and_go_on() {
    if is_blessing() {
        write_corpus();
    }
    let mut outcomes = String::new();
    for Kept { name, scene, save } in corpus() {
        let scene = Scene::parse(FILE, &scene).unwrap();
        let mut world = World::from_save(&scene, &save).unwrap_or_else(|error| panic!("{name}: {error}"));
        let begin = world.state_hash();
        run(&mut world, 60);
        assert!(world.faults().is_empty(), "{:?}", world.faults());
        let end = world.state_hash();
        outcomes += &format!("{name}: {begin:016x}, after 60 steps {end:016x}\n");
        let again = World::from_save(&scene, &world.save()).unwrap();
        assert_eq!(again.state_hash(), end, "{name}");
    }
    let expected = folder().join("expected.txt");
    if is_blessing() {
        fs::write(&expected, &outcomes).unwrap();
    }
    assert_eq!(
        outcomes,
        fs::read_to_string(&expected).unwrap(),
        "if hashes changed on purpose, TOMBOLO_BLESS=1 writes expected.txt"
    );
}

/// The entities' part of a save, which begins with the description of the managers.
fn description(save: &[u8]) -> Vec<u8> {
    let physics = u64::from_le_bytes(save[12..20].try_into().unwrap()) as usize;
    let bytes = &save[20 + physics + 8..];
    let mut from = Reader::new(bytes);
    SavedManagers::read(&mut from).unwrap();
    bytes[..bytes.len() - from.remaining()].to_vec()
}

/// The corpus has a save of the present version with every manager and property. What is described does not depend on what
/// is in the world.
#[test]
fn the_corpus_has_every_manager_and_property() {
    let empty = World::new(&tombolo::Settings::default()).unwrap().save();
    let (version, description) = (version(&empty), description(&empty));
    assert!(
        is_blessing() || corpus().iter().any(|kept| kept.is_of(version, &description)),
        "managers or properties have changed: docs/saves.md, \"A change of components\", says what to do"
    );
}
