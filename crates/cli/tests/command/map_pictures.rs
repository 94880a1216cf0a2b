//! What a map's tiles look like, in the page of a run: the images that the map names and nothing else.

use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::Value;
use tiny_skia::{Color, Pixmap};

use crate::support::{Folder, data_of, tombolo};

/// An image of one color.
fn image(width: u32, height: u32) -> Vec<u8> {
    let mut pixels = Pixmap::new(width, height).unwrap();
    pixels.fill(Color::from_rgba8(200, 100, 50, 255));
    pixels.encode_png().unwrap()
}

/// A map whose tiles are of an image: a floor, of which the second tile is mirrored, a crate that falls and a sign.
fn map(image: &str) -> String {
    let flipped = 1 | 1_u32 << 31;
    format!(
        r#"<map width="3" height="4" tilewidth="16" tileheight="16">
 <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="2" columns="2">
  <image source="{image}" width="32" height="16"/>
  <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile></tileset>
 <layer name="floor" width="3" height="4"><data encoding="csv">0,0,0,0,0,0,0,0,0,1,{flipped},1</data></layer>
 <objectgroup name="things">
  <object id="1" name="crate" gid="1" x="16" y="16" width="16" height="16"><properties>
   <property name="body.kind" value="Dynamic"/></properties></object>
  <object id="2" name="sign" class="sign" gid="2" x="32" y="32" width="16" height="16" rotation="90"/></objectgroup>
</map>"#
    )
}

/// Runs the map of a folder for 30 steps. Returns the pictures in its page, and what was said on stderr.
fn run(folder: &Folder, map: &str) -> (Value, String) {
    let map = folder.file("level.tmx", map.as_bytes());
    let out = folder.0.join("out");
    let output = tombolo(&["run", &map, "--steps", "30", "--out", out.to_str().unwrap()]);
    let said = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(output.status.success(), "{said}");
    (data_of("pictures", out.join("level.html")), said)
}

fn numbers(value: &Value) -> Vec<f64> {
    let all = value.as_array().unwrap().iter();
    all.map(|number| number.as_f64().unwrap()).collect()
}

#[test]
fn the_page_of_a_map_has_its_images_and_where_they_are_seen() {
    let folder = Folder::new("map-pictures");
    let png = image(32, 16);
    std::fs::write(folder.0.join("tiles.png"), &png).unwrap();
    let (pictures, said) = run(&folder, &map("tiles.png"));
    assert_eq!(said, "");
    let images = pictures["images"].as_array().unwrap();
    assert_eq!(images.len(), 1, "one image, for all tiles of it");
    assert_eq!(images[0]["kind"], "image/png");
    assert_eq!(images[0]["base64"], BASE64_STANDARD.encode(png));

    // Three tiles of the floor, and the sign, which has no body and does not move.
    let fixed = pictures["fixed"].as_array().unwrap();
    let look = |picture: &Value| &pictures["looks"][picture[0].as_u64().unwrap() as usize];
    let corner_of = |picture: &Value, first: usize| {
        let corner = &picture.as_array().unwrap()[first..first + 2];
        numbers(&Value::from(corner.to_vec()))
    };
    let seen = |picture: &Value| {
        let look = look(picture);
        let corner = corner_of(picture, 1);
        [&corner, &numbers(&look["right"]), &numbers(&look["down"])].map(|part| (part[0], part[1]))
    };
    assert_eq!(fixed.len(), 4, "{pictures}");
    assert_eq!(seen(&fixed[0]), [(0.0, -3.0), (1.0, 0.0), (0.0, -1.0)]);
    assert_eq!(
        seen(&fixed[1]),
        [(2.0, -3.0), (-1.0, 0.0), (0.0, -1.0)],
        "mirrored"
    );
    assert_eq!(fixed[0][0], fixed[2][0], "tiles of one kind share their look");
    assert_eq!(numbers(&look(&fixed[0])["part"]), [0.0, 0.0, 16.0, 16.0]);
    // Turned to the right about its lower left corner.
    let [corner, right, down] = seen(&fixed[3]);
    let is_near = |a: (f64, f64), b: (f64, f64)| (a.0 - b.0).abs().max((a.1 - b.1).abs()) < 1e-5;
    assert!(is_near(corner, (3.0, -2.0)), "{corner:?}");
    assert!(is_near(right, (0.0, -1.0)) && is_near(down, (-1.0, 0.0)));
    assert_eq!(numbers(&look(&fixed[3])["part"]), [16.0, 0.0, 16.0, 16.0]);
    // The tiles are those of cells that can be emptied, the sign is not.
    assert_eq!(
        pictures["grids"],
        serde_json::json!([{ "name": "floor", "next": [1.0, 0.0] }])
    );
    let cells: Vec<&Value> = fixed.iter().map(|picture| &picture[3]).collect();
    let cell = |column: u32| serde_json::json!([0, column, 0, 1]);
    assert_eq!(cells, [&cell(0), &cell(1), &cell(2), &Value::Null]);

    // The crate takes its picture along: it is in the frame of the body, whose origin is the crate's center.
    let attached = pictures["attached"].as_array().unwrap();
    assert_eq!(attached.len(), 1, "{pictures}");
    assert_eq!(attached[0][0], "crate");
    assert_eq!(corner_of(&attached[0], 2), [-0.5, 0.5]);
    assert_eq!(attached[0][4], Value::Null);
}

#[test]
fn the_platformer_that_ships_has_its_pictures_in_both_forms() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenes");
    let folder = Folder::new("platformer-pictures");
    for (file, attached) in [("platformer.tmx", 2), ("platformer.ldtk", 0)] {
        let scene = scenes.join(file);
        let words = [
            "run",
            scene.to_str().unwrap(),
            "--steps",
            "2",
            "--out",
            folder.0.to_str().unwrap(),
        ];
        let output = tombolo(&words);
        assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
        let pictures = data_of("pictures", folder.0.join("platformer.html"));
        let count = |list: &str| pictures[list].as_array().unwrap().len();
        // The floor has 53 tiles, the hill 11, the planks are 8, the roof has 5, and there are ten plants.
        assert_eq!(
            [count("images"), count("fixed"), count("attached")],
            [1, 87, attached],
            "{file}"
        );
    }
    // A scene file has no tiles.
    let words = [
        "run",
        "platformer",
        "--steps",
        "2",
        "--out",
        folder.0.to_str().unwrap(),
    ];
    assert!(tombolo(&words).status.success());
    let pictures = data_of("pictures", folder.0.join("platformer.html"));
    assert_eq!(pictures["images"], Value::from(Vec::<Value>::new()));
}

/// A map may name any file; only what is an image of a bounded size is put into a page.
#[test]
fn what_is_no_image_is_left_out_of_the_page_and_the_world_runs() {
    let folder = Folder::new("map-no-pictures");
    std::fs::create_dir_all(folder.0.join("folder.png")).unwrap();
    folder.file("secret", b"the key of the house is under the mat");
    folder.file("secret.png", b"the key of the house is under the mat");
    // A hundred bytes that would be 16 gigabytes once unpacked.
    let mut bomb = image(32, 16);
    bomb[16..24].copy_from_slice(&[0, 0, 0xff, 0xff, 0, 0, 0xff, 0xff]);
    std::fs::write(folder.0.join("bomb.png"), bomb).unwrap();
    let mut large = image(32, 16);
    large.resize((8 << 20) + 1, 0);
    std::fs::write(folder.0.join("large.png"), large).unwrap();
    for (name, why) in [
        ("missing.png", "this image is not shown"),
        ("folder.png", "it is no file"),
        ("secret", "it is none of PNG"),
        ("secret.png", "it is none of PNG"),
        ("bomb.png", "65535 by 65535 pixels"),
        ("large.png", "8388608 bytes at most"),
        ("/dev/zero", "it is no file"),
        ("../../../../../../../../etc/passwd", "this image is not shown"),
    ] {
        let (pictures, said) = run(&folder, &map(name));
        assert_eq!(said.lines().count(), 1, "one line for one image: {said}");
        let file = name.rsplit('/').next().unwrap();
        assert!(said.contains(file) && said.contains(why), "{name}: {said}");
        for list in ["images", "looks", "fixed", "attached"] {
            assert_eq!(pictures[list].as_array().unwrap().len(), 0, "{name}: {list}");
        }
    }
}
