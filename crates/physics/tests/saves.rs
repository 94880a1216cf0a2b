//! Saves of earlier versions, in `saves/`: this build reads each of them, and the world in it goes on as it did in the
//! build that saved it.
//!
//! `TOMBOLO_BLESS=1` writes the saves and the description of the present version if there are none of it yet, and
//! `expected.txt` anew. Files of a version are never written again: builds that made such saves are out there. The save
//! `-node` of a version was made in Node, by `packages/js/tests/saves.test.mjs`, which restores all of them there too.
#![allow(missing_docs)]

mod world_support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tombolo_physics::{
    ContactRule, FieldDef, FieldKind, IslandAlgorithm, PhysicsWorld, Position, RigidWeldDef, Shape, ShapeDef,
    Tile, TileGridDef, TileShape, Vec2, WorldDef,
};
use world_support::DT;
use world_support::random_calls::RandomWorlds;
use world_support::worlds::{add_box, add_floor, empty};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/saves")
}

fn is_blessing() -> bool {
    std::env::var_os("TOMBOLO_BLESS").is_some()
}

/// The version and the description of a save.
fn head(save: &[u8]) -> (u32, &str) {
    let number = |at: usize| u32::from_le_bytes(save[at..at + 4].try_into().unwrap());
    let end = 16 + number(12) as usize;
    (number(8), str::from_utf8(&save[16..end]).unwrap())
}

/// A few boxes, with everything on them that random calls seldom leave behind.
fn odds_and_ends() -> PhysicsWorld {
    let def = WorldDef {
        islands: IslandAlgorithm::UnionFind,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    let ground = add_floor(&mut world);
    let tiles = TileGridDef {
        origin: Vec2::new(4.0, 1.0),
        width: 4,
        height: 2,
        tiles: vec![Tile::default(), Tile::new(TileShape::SlopeUp)],
        cells: vec![1, 1, 0, 2, 0, 1, 1, 0],
        ..TileGridDef::default()
    };
    let gone = world.create_tile_grid(ground, &tiles).unwrap();
    world.create_tile_grid(ground, &tiles).unwrap();
    world.destroy_tile_grid(gone).unwrap();
    add_welded_boxes(&mut world);
    let rule = ContactRule {
        friction: Some(0.125),
        ..ContactRule::default()
    };
    world.set_contact_rule(1, 2, rule).unwrap();
    world.set_category_rule(1 << 3, 1 << 4, rule).unwrap();
    let area = Shape::new_box(6.0, 6.0).unwrap();
    let drift = FieldKind::Gravity {
        acceleration: Vec2::new(0.5, 0.0),
    };
    let drift = FieldDef {
        area: Some(area),
        ..FieldDef::new(drift)
    };
    world.create_field(&drift).unwrap();
    let row = FieldKind::ChainGravity {
        points: vec![Vec2::new(-9.0, 0.0), Vec2::new(9.0, 0.0)],
        closed: false,
        pull: 0.25,
        along: 0.125,
        reach: 2.0,
    };
    world.create_field(&FieldDef::new(row)).unwrap();
    let [touching, cut, calm] = [-2.0, -4.0, -6.0].map(|x| add_box(&mut world, x, 0.5));
    (0..30).for_each(|_| world.step(DT).unwrap());
    // What the next step reports.
    world.destroy_body(touching).unwrap();
    let [from, to] = [-1.0, 3.0].map(|y| Position::new(-4.0, y));
    assert!(world.slice(cut, from, to).unwrap().is_some());
    let sensor = ShapeDef {
        sensor: true,
        ..ShapeDef::default()
    };
    world.create_shape(ground, &sensor, &area).unwrap();
    let mut calm = world.body_mut(calm).unwrap();
    calm.wake();
    calm.sleep();
    world
}

/// A tower of three boxes: two that are welded to one body on one with a name and extra substeps.
fn add_welded_boxes(world: &mut PhysicsWorld) {
    let [one, two, three] = [0.6, 1.7, 2.8].map(|y| add_box(world, 0.0, y));
    world.body_mut(one).unwrap().set_name("lower").unwrap();
    world.body_mut(one).unwrap().set_extra_substeps(2).unwrap();
    let force = Vec2::new(0.5, 0.0);
    world.body_mut(two).unwrap().set_lasting_force(force).unwrap();
    let members = [two, three].map(|body| world.create_member(body, 5).unwrap());
    let weld = RigidWeldDef::new(members[0], members[1], Position::new(0.0, 2.25));
    world.create_rigid_weld(&weld).unwrap();
}

/// A world after random calls, which leave nearly every array with something in it.
fn random(seed: u64) -> PhysicsWorld {
    let mut calls = RandomWorlds::new(seed, 1);
    for _ in 0..40 {
        calls.calls();
        calls.worlds[0].step(DT).unwrap();
    }
    // Ends of touch and cuts that the next step reports.
    calls.call();
    calls.worlds.remove(0)
}

/// The worlds of the corpus.
fn worlds() -> [(&'static str, PhysicsWorld); 4] {
    [
        ("empty", empty()),
        ("odds", odds_and_ends()),
        ("random1", random(3)),
        ("random2", random(4)),
    ]
}

/// Writes the files of the present version, unless there are some.
fn write_corpus() {
    let version = head(&empty().save()).0;
    for (name, world) in worlds() {
        let path = folder().join(format!("{version}-{name}.save"));
        if !path.exists() {
            fs::create_dir_all(folder()).unwrap();
            fs::write(path, world.save()).unwrap();
        }
    }
}

/// The files of the corpus, by name.
fn corpus() -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "save"))
        .collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    paths
        .into_iter()
        .map(|path| (name(&path), fs::read(&path).unwrap()))
        .collect()
}

/// A world that is restored has every number of the world that was saved, so it makes the same steps; `expected.txt` says
/// what they come to, and changes only with the results of steps.
#[test]
fn saves_of_earlier_versions_are_read_and_go_on() {
    if is_blessing() {
        write_corpus();
    }
    let mut outcomes = String::new();
    for (name, save) in corpus() {
        let mut world = PhysicsWorld::from_save(&save).unwrap_or_else(|error| panic!("{name}: {error}"));
        world.validate();
        let begin = world.state_hash();
        (0..60).for_each(|_| world.step(DT).unwrap());
        world.validate();
        let end = world.state_hash();
        outcomes += &format!("{name}: {begin:016x}, after 60 steps {end:016x}\n");
        let again = PhysicsWorld::from_save(&world.save()).unwrap();
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

/// A change of the arrays or their fields without a new version fails here.
#[test]
fn the_arrays_are_those_of_their_version() {
    let save = empty().save();
    let (version, description) = head(&save);
    let path = folder().join(format!("{version}.txt"));
    if is_blessing() && !path.exists() {
        fs::create_dir_all(folder()).unwrap();
        fs::write(&path, description).unwrap();
    }
    let known = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(
        description,
        known,
        "saves of version {version} are described by {}: see docs/saves.md, \"A new version\"",
        path.display()
    );
    let of_version = format!("{version}-");
    assert!(is_blessing() || corpus().iter().any(|(name, _)| name.starts_with(&of_version)));
}

/// Every array has an element in some save of the corpus, so that reading it is tested; but for the kinds of callbacks,
/// since a world with callbacks makes no step without them.
#[test]
fn the_corpus_has_something_in_every_array() {
    let version = head(&empty().save()).0;
    let mut empty_arrays = BTreeSet::new();
    let mut filled = BTreeSet::new();
    for (_, save) in corpus().iter().filter(|(_, save)| head(save).0 == version) {
        for array in PhysicsWorld::from_save(save).unwrap().memory() {
            let set = if array.count > 0 {
                &mut filled
            } else {
                &mut empty_arrays
            };
            set.insert((array.group, array.part));
        }
    }
    let never: Vec<_> = empty_arrays.difference(&filled).collect();
    assert_eq!(never, [&("callbacks", "")]);
}

/// The description is the same whatever is in the world, and names every array of the memory report once.
#[test]
fn the_description_names_every_array_and_depends_on_no_world() {
    let [(_, empty), (_, odds), ..] = worlds();
    let [save, other] = [&empty, &odds].map(PhysicsWorld::save);
    let (_, description) = head(&save);
    assert_eq!(description, head(&other).1);
    let arrays = description.lines().filter_map(|line| line.split_once(": "));
    let names: Vec<&str> = arrays.map(|(name, _)| name).collect();
    let unique: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(names.len(), unique.len());
    let report: BTreeSet<String> = empty
        .memory()
        .iter()
        .map(|array| match array.part {
            "" => array.group.to_string(),
            part => format!("{}/{part}", array.group),
        })
        .collect();
    assert!(report.iter().map(String::as_str).eq(unique), "{report:?}");
}
