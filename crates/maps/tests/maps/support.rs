//! Maps in memory, and worlds that come of them.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tombolo::World;
use tombolo::physics::{Position, QueryFilter};
use tombolo_maps::{MapError, MapScene, Options};

/// Files by their names.
pub(crate) fn files(list: &[(&str, &str)]) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = list.iter();
    files
        .map(|(name, text)| (PathBuf::from(name), text.as_bytes().to_vec()))
        .collect()
}

/// Reads the first of some files.
pub(crate) fn read_with(list: &[(&str, &str)], options: &Options) -> Result<MapScene, MapError> {
    tombolo_maps::read(Path::new(list[0].0), options, &files(list))
}

/// Reads the first of some files, which are right.
pub(crate) fn scene_of(list: &[(&str, &str)]) -> MapScene {
    match read_with(list, &Options::default()) {
        Ok(scene) => scene,
        Err(error) => panic!("{error}"),
    }
}

/// The world of the first of some files, which are right.
pub(crate) fn world_of(list: &[(&str, &str)]) -> World {
    let map = scene_of(list);
    let scene = map
        .scene()
        .unwrap_or_else(|error| panic!("{error}\n{}", map.text()));
    World::from_scene(&scene).unwrap_or_else(|error| panic!("{error}\n{}", map.text()))
}

/// What is wrong with the first of some files.
pub(crate) fn error_of(list: &[(&str, &str)]) -> String {
    let read = read_with(list, &Options::default()).and_then(|map| map.scene().map(|_| ()));
    read.expect_err("the files are wrong").to_string()
}

/// Whether something solid is at a place.
pub(crate) fn is_solid(world: &World, x: f32, y: f32) -> bool {
    let found = world
        .physics()
        .overlap_point(Position::new(x, y), QueryFilter::default())
        .expect("a place in the world");
    !found.is_empty()
}

/// Where an entity is, and how it is turned.
pub(crate) fn place_of(world: &World, name: &str) -> (f32, f32, f32) {
    let entity = world.find(name).unwrap_or_else(|| panic!("no entity {name:?}"));
    let number = |path: &str| match world.get(entity, path) {
        Ok(tombolo::entity::Value::F32(number)) => number,
        other => panic!("{path}: {other:?}"),
    };
    let position = match world.get(entity, "transform.position") {
        Ok(tombolo::entity::Value::Vec2(position)) => position,
        other => panic!("position: {other:?}"),
    };
    (position[0], position[1], number("transform.angle"))
}

/// What a property of an entity is, as people read it.
pub(crate) fn shown(world: &World, name: &str, path: &str) -> String {
    let entity = world.find(name).unwrap_or_else(|| panic!("no entity {name:?}"));
    match world.get(entity, path) {
        Ok(value) => format!("{value:?}"),
        Err(error) => panic!("{name}.{path}: {error}"),
    }
}

/// A tileset of 16 by 16 pixels: 0 is full, 1 a slope up to the right, 2 the lower half, 3 scenery, 4 full and of ice.
pub(crate) const TILESET: &str = r#"<tileset name="ground" tilewidth="16" tileheight="16" tilecount="8" columns="8">
 <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
 <tile id="1"><objectgroup><object id="1" x="0" y="16"><polygon points="0,0 16,0 16,-16"/></object></objectgroup></tile>
 <tile id="2"><objectgroup><object id="1" x="0" y="8" width="16" height="8"/></objectgroup></tile>
 <tile id="4">
  <properties><property name="drawn.material" value="ice"/></properties>
  <objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup>
 </tile>
</tileset>"#;

/// A scene file with prototypes.
pub(crate) const SCENE: &str = r#"// Prototypes.
(
    settings: (gravity: (0, -9), substeps: 2),
    materials: {"wood": (density: 2), "ice": (friction: 0)},
    scripts: {"idle": "fn on_tick(seconds) { this.x = 1; } // rests"},
    entities: {
        "crate": {
            "body": Body(kind: Dynamic), // falls
            "drawn": Collider(shape: Box(width: 1, height: 1), material: "wood"),
        },
        "heavy crate": {"base": Inherits("crate"), "body": Body(linear_damping: 0.5)},
        "lamp": {"glow": Sprite(image: "lamp.png")},
        "water": {"drawn": Trigger(shape: Box(width: 1, height: 1))},
        "nothing": {},
    },
    place: [One(name: "sun", entity: "lamp", at: (0, 50))],
)
"#;
