//! Maps at the command line, and the platformer in every form.

use std::path::Path;
use std::process::Output;

use crate::support::{DROP, Folder, tombolo};
use tombolo::entity::Value;
use tombolo::{Scene, World};
use tombolo_maps::Disk;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Asserts that a call failed with one line on stderr, and gives the line.
fn failure(words: &[&str]) -> String {
    let output = tombolo(words);
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{words:?}: {line}");
    assert_eq!(line.lines().count(), 1, "{words:?}: {line}");
    line.trim_start_matches("tombolo: ").trim_end().to_string()
}

/// A level drawn in Tiled and LDtk: tiles with shapes and a crate that falls.
const MAP: &str = r#"<map width="4" height="4" tilewidth="16" tileheight="16">
 <tileset firstgid="1" name="t" tilewidth="16" tileheight="16"/>
 <layer name="floor" width="4" height="4"><properties><property name="solid" type="bool" value="true"/></properties>
  <data encoding="csv">0,0,0,0,0,0,0,0,0,0,0,0,1,1,1,1</data></layer>
 <objectgroup name="things"><object id="1" name="crate" x="24" y="8" width="8" height="8"><properties>
  <property name="body.kind" value="Dynamic"/></properties></object></objectgroup>
</map>"#;

/// The hash that a run of a world comes to.
fn hash_of(folder: &Folder, world: &str) -> String {
    let out = folder.0.join("pictures");
    let output = tombolo(&[
        "run",
        world,
        "--steps",
        "90",
        "--json",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    let (_, rest) = text.split_once("\"state_hash\":\"").expect("a hash");
    rest[..16].to_string()
}

#[test]
fn a_map_runs_and_becomes_a_scene_file_of_the_same_world() {
    let folder = Folder::new("map");
    let map = folder.file("level.tmx", MAP.as_bytes());
    let scene = folder.0.join("level.ron");
    let scene = scene.to_str().unwrap();
    let output = tombolo(&["convert", &map, scene]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stdout(&output), format!("{scene}: 2 entities, 2 shapes\n"));
    assert_eq!(hash_of(&folder, &map), hash_of(&folder, scene));
    let output = tombolo(&["inspect", &map, "crate", "--step", "90"]);
    assert!(output.status.success(), "{output:?}");
    assert!(
        stdout(&output).contains(", -2.75"),
        "it lies on the floor: {}",
        stdout(&output)
    );
}

#[test]
fn a_wrong_map_is_one_line_with_layer_and_object() {
    let folder = Folder::new("wrong-map");
    let map = folder.file("level.tmx", MAP.replace("Dynamic", "Dynamo").as_bytes());
    let place = format!(r#"{map}: layer "things", object "crate" (1): "#);
    for words in [
        vec!["run", &map],
        vec!["inspect", &map],
        vec!["convert", &map, "never.ron"],
        vec!["verify", &map],
    ] {
        let line = failure(&words);
        assert!(line.starts_with(&place), "{line}");
    }
    let line = failure(&["run", "missing.ldtk#One"]);
    assert!(
        line.starts_with("missing.ldtk: missing.ldtk cannot be read: "),
        "{line}"
    );
}

/// Where the hero is after each of 20 seconds.
fn walk(scene: &Scene) -> Vec<[f32; 2]> {
    let mut world = World::from_scene(scene).unwrap();
    let hero = world.find("hero").unwrap();
    let places = (0..20).map(|_| {
        (0..60).for_each(|_| world.step());
        match world.get(hero, "transform.position") {
            Ok(Value::Vec2(place)) => [place.x, place.y],
            other => panic!("{other:?}"),
        }
    });
    let places = places.collect();
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    places
}

#[test]
fn the_platformer_is_the_same_level_in_every_form() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let written = walk(&Scene::load(&scenes.join("platformer.ron")).unwrap());
    assert!(
        written.iter().any(|[x, _]| *x > 20.0),
        "the hero comes to the end: {written:?}"
    );
    for file in ["platformer.tmx", "platformer.ldtk"] {
        let map = tombolo_maps::read(&scenes.join(file), &Default::default(), &Disk).unwrap();
        let drawn = walk(&map.scene().unwrap_or_else(|error| panic!("{error}")));
        for (second, (here, there)) in drawn.iter().zip(&written).enumerate() {
            let off = (here[0] - there[0]).abs().max((here[1] - there[1]).abs());
            assert!(off < 0.25, "{file}, second {second}: {here:?} and {there:?}");
        }
    }
}

/// The y axis is a flag that may have a value behind an equals sign: it takes no path for one.
#[test]
fn flags_of_a_conversion_may_stand_before_its_paths() {
    let folder = Folder::new("map-flags");
    let map = folder.file("level.tmx", MAP.as_bytes());
    let text_with = |words: &[&str]| {
        let scene = folder.0.join("level.ron");
        let output = tombolo(&[&["convert"], words, &[&map, scene.to_str().unwrap()]].concat());
        assert!(output.status.success(), "{output:?}");
        std::fs::read_to_string(scene).unwrap()
    };
    let up = text_with(&[]);
    assert_eq!(text_with(&["--y-down=false"]), up);
    let down = text_with(&["--y-down"]);
    assert_eq!(text_with(&["--y-down=true"]), down);
    assert!(
        down.contains("gravity: (0, 10)") && !up.contains("gravity"),
        "{down}"
    );
}

/// A slip of the hand that would cost a person's map, scene or recording.
#[test]
fn no_command_overwrites_what_it_reads() {
    let folder = Folder::new("overwritten");
    let map = folder.file("level.tmx", MAP.as_bytes());
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let recording = folder.0.join("drop.rec").display().to_string();
    let recorded = tombolo(&["record", &scene, "--steps", "3", "--out", &recording]);
    assert!(recorded.status.success(), "{recorded:?}");
    let around = folder.0.join(".").join("level.tmx").display().to_string();
    let around_folder = folder.0.display().to_string();
    // The level that ships names a scene of prototypes and an image.
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let [level, prototypes, picture, game] = ["tmx", "ron", "png", "ldtk"].map(|ending| {
        let name = format!("platformer.{ending}");
        folder.file(&name, &std::fs::read(shipped.join(&name)).unwrap())
    });
    let game_level = format!("{game}#Platformer");
    let sweep = folder.file("sweep.ron", br#"(scenes: ["drop.ron"], steps: 3)"#);
    for (input, words) in [
        (&map, vec!["convert", &map, &around]),
        (&scene, vec!["record", &scene, "--steps", "3", "--out", &scene]),
        (&scene, vec!["convert", &map, &scene, "--scene", &scene]),
        (&recording, vec!["replay", &recording, "--page", &recording]),
        (&scene, vec!["play", &scene, "--session", &scene]),
        (&scene, vec!["play", &around_folder, "--session", &scene]),
        (&level, vec!["convert", &level, &prototypes]),
        (&prototypes, vec!["convert", &level, &prototypes]),
        (&picture, vec!["convert", &level, &picture]),
        (
            &picture,
            vec!["record", &level, "--steps", "3", "--out", &picture],
        ),
        (
            &picture,
            vec!["run", &level, "--steps", "3", "--out", &around_folder],
        ),
        (&game, vec!["record", &game_level, "--steps", "3", "--out", &game]),
        (&sweep, vec!["sweep", &sweep, "--overwrite", "--out", &sweep]),
        (&scene, vec!["sweep", &sweep, "--overwrite", "--out", &scene]),
    ] {
        let before = std::fs::read(input).unwrap();
        let line = failure(&words);
        assert!(
            line.ends_with("is read by this call, and would be replaced; give another file to write"),
            "{line}"
        );
        assert_eq!(std::fs::read(input).unwrap(), before, "{words:?}");
    }
}

/// Each level of a project has results of its own.
#[test]
fn levels_of_one_file_have_results_of_their_own() {
    let folder = Folder::new("levels");
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes/platformer.ldtk");
    let game = shipped.display().to_string();
    let out = folder.0.join("out");
    let level = format!("{game}#Platformer");
    for world in [&game, &level] {
        let words = ["run", world, "--steps", "1", "--out", out.to_str().unwrap()];
        let output = tombolo(&words);
        assert!(output.status.success(), "{output:?}");
    }
    let mut names: Vec<String> = std::fs::read_dir(&out)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let wanted = [
        "platformer-Platformer.html",
        "platformer-Platformer.png",
        "platformer.html",
        "platformer.png",
    ];
    assert_eq!(names, wanted);
    for words in [
        vec!["run", &format!("{game}#")],
        vec!["convert", &game, "never.ron", "--level", ""],
    ] {
        let line = failure(&words);
        let wanted = "platformer.ldtk: the name of the level is empty; there are: Platformer";
        assert!(line.ends_with(wanted), "{line}");
    }
}

/// The last of two results in one file would be all that is left of both.
#[test]
fn no_command_writes_two_results_to_one_file() {
    let folder = Folder::new("one-file");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let path = |name: &str| folder.0.join(name).display().to_string();
    let [one, around] = ["kept", "./kept"].map(path);
    for options in [
        ["--record", "--session"],
        ["--session", "--recording"],
        ["--record", "--recording"],
    ] {
        let [first, second] = options;
        let line = failure(&["play", &scene, second, &around, first, &one]);
        let said = format!("{first} and {second} would both be written there; give each a file of its own");
        assert!(line.starts_with(&folder.0.display().to_string()), "{line}");
        assert!(line.ends_with(&said), "{line}");
    }
    #[cfg(unix)]
    {
        let out = folder.0.display().to_string();
        std::fs::write(folder.0.join("drop.html"), "kept").unwrap();
        std::os::unix::fs::symlink("drop.html", folder.0.join("drop.png")).unwrap();
        let line = failure(&["run", &scene, "--steps", "3", "--out", &out]);
        assert!(line.contains("the picture and the page would both"), "{line}");
        assert_eq!(
            std::fs::read_to_string(folder.0.join("drop.html")).unwrap(),
            "kept"
        );
    }
}

/// A device takes what is written, and a map that names a pipe does not wait for a writer.
#[cfg(unix)]
#[test]
fn devices_are_written_to_and_not_read() {
    let folder = Folder::new("devices");
    let map = folder.file("level.tmx", MAP.as_bytes());
    let output = tombolo(&["convert", &map, "/dev/null"]);
    assert!(output.status.success(), "{output:?}");
    let output = tombolo(&["record", "machines", "--steps", "3", "--out", "/dev/null"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(stdout(&output), "");
    let pipe = folder.0.join("pipe.tsx");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    let tileset = r#"<tileset firstgid="1" source="pipe.tsx"/>"#;
    let named = MAP.replacen(
        r#"<tileset firstgid="1" name="t" tilewidth="16" tileheight="16"/>"#,
        tileset,
        1,
    );
    let map = folder.file("pipe.tmx", named.as_bytes());
    let line = failure(&["inspect", &map]);
    assert!(
        line.ends_with("pipe.tsx cannot be read: it is no regular file"),
        "{line}"
    );
}
