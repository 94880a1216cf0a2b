//! Family `maps`: maps of Tiled and LDtk, their tilesets, templates and scene files, damaged. A map that is read
//! becomes a text that is read as a scene, or is refused in one line with its file; a scene is built or refused; a
//! built world runs 5 steps. Nothing panics, and the harness ends cases that take too much memory or time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tombolo::World;
use tombolo_maps::{MapError, Options};

use super::damage::Damage;
use crate::family::{Family, hold, same};
use crate::random::Random;

/// The family.
pub(crate) struct Maps;

/// The maps that cases begin with.
const MAPS: [(&str, &str); 5] = [
    ("small.tmx", include_str!("maps/small.tmx")),
    ("small.tmj", include_str!("maps/small.tmj")),
    ("small.ldtk", include_str!("maps/small.ldtk")),
    (
        "platformer.tmx",
        include_str!("../../../crates/cli/scenes/platformer.tmx"),
    ),
    (
        "platformer.ldtk",
        include_str!("../../../crates/cli/scenes/platformer.ldtk"),
    ),
];

/// The files to which they refer.
const OTHERS: [(&str, &str); 4] = [
    ("ground.tsx", include_str!("maps/ground.tsx")),
    ("barrel.tx", include_str!("maps/barrel.tx")),
    ("parts.ron", include_str!("maps/parts.ron")),
    (
        "platformer.ron",
        include_str!("../../../crates/cli/scenes/platformer.ron"),
    ),
];

/// A choice of map, or damage to it or to one of the other files.
#[derive(Debug, Clone)]
pub(crate) enum Operation {
    Map(usize),
    Damage(Damage),
    DamageOther(usize, Damage),
    Scale(f64),
    Level(String),
}

const WORDS: &[&str] = &[
    "<",
    ">",
    "</",
    "/>",
    "\"",
    "'",
    "&",
    "&amp;",
    "&#0;",
    "<!--",
    "<![CDATA[",
    "<!DOCTYPE a [<!ENTITY b \"c\">]>",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "true",
    "-",
    "-1",
    "0",
    "1e308",
    "1e999",
    "NaN",
    "inf",
    "4294967295",
    "4294967296",
    "2147483649",
    "3221225473",
    "3758096385",
    "id=\"1\"",
    "gid=\"2\"",
    "rotation=\"45\"",
    "template=\"barrel.tx\"",
    "<group>",
    "</group>",
    "<ellipse/>",
    "<point/>",
    "<capsule/>",
    "class=\"crate\"",
    "class=\"nobody\"",
    "name=\"a.b\"",
    "orientation=\"isometric\"",
    "orientation=\"hexagonal\"",
    "orientation=\"oblique\"",
    "skewx=\"8\"",
    "hexsidelength=\"7\"",
    "width=\"99999\"",
    "\u{0}",
    "\u{202e}",
    "\n",
];

fn number(random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("{:?}", random.odd_float()),
        1 => random.odd_number().to_string(),
        2 => random
            .pick(&["0", "-0.0", "1e-45", "1e300", "4294967295", "-1", "1000000"])
            .to_string(),
        _ => random.below(40).to_string(),
    }
}

impl Family for Maps {
    const NAME: &'static str = "maps";
    const ABOUT: &'static str =
        "maps of Tiled and LDtk, damaged: read or refused with a place, built, 5 steps";
    const CASES: u64 = 4000;
    type Operation = Operation;

    fn generate(random: &mut Random) -> Vec<Operation> {
        let mut operations = vec![Operation::Map(random.pick(&[0, 0, 0, 1, 1, 2, 2, 3, 4]))];
        for _ in 0..random.below(6) {
            let damage = Damage::random(random, WORDS, number);
            operations.push(if random.one_in(4) {
                Operation::DamageOther(random.below(OTHERS.len()), damage)
            } else {
                Operation::Damage(damage)
            });
        }
        if random.one_in(8) {
            operations.push(Operation::Scale(f64::from(random.odd_float())));
        }
        if random.one_in(8) {
            operations.push(Operation::Level(
                random.pick(&["One", "Two", "", "none"]).to_string(),
            ));
        }
        operations
    }

    fn run(operations: &[Operation]) -> Result<(), String> {
        let (name, files, options) = case(operations);
        let map = match tombolo_maps::read(Path::new(name), &options, &files) {
            Ok(map) => map,
            Err(error) => return refused(&error),
        };
        let scene = match map.scene() {
            Ok(scene) => scene,
            Err(error) => return refused(&error),
        };
        let again = tombolo_maps::read(Path::new(name), &options, &files);
        same!(Ok(map.text()), again.as_ref().map(|map| map.text()), "read twice");
        let mut world = match World::from_scene(&scene) {
            Ok(world) => world,
            Err(error) => return refused(&map.explain(&error)),
        };
        for _ in 0..5 {
            world.step();
        }
        Ok(())
    }
}

/// The name of the case's map, its files and its options.
fn case(operations: &[Operation]) -> (&'static str, BTreeMap<PathBuf, Vec<u8>>, Options) {
    let chosen = operations.iter().find_map(|operation| match operation {
        Operation::Map(map) => Some(MAPS[*map % MAPS.len()]),
        _ => None,
    });
    let (name, text) = chosen.unwrap_or(MAPS[0]);
    let mut text = text.to_string();
    let mut others = OTHERS.map(|(name, text)| (name, text.to_string()));
    let mut options = Options::default();
    for operation in operations {
        match operation {
            Operation::Map(_) => {}
            Operation::Damage(damage) => damage.apply(&mut text),
            Operation::DamageOther(other, damage) => damage.apply(&mut others[*other % OTHERS.len()].1),
            Operation::Scale(scale) => options.pixels_per_meter = Some(*scale),
            Operation::Level(level) => options.level = Some(level.clone()),
        }
    }
    let others = others.map(|(name, text)| (PathBuf::from(name), text.into_bytes()));
    let mut files = BTreeMap::from(others);
    files.insert(name.into(), text.into_bytes());
    (name, files, options)
}

fn refused(error: &MapError) -> Result<(), String> {
    let line = error.to_string();
    hold!(!line.contains('\n'), "more than one line: {line:?}");
    hold!(
        !error.file.is_empty() && !error.message.is_empty(),
        "no place: {line:?}"
    );
    Ok(())
}
