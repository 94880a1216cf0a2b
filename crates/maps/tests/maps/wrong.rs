//! Maps that are wrong: each ends in one line that says where and what to do, and none takes more memory than it may.

use std::io::Write as _;

use crate::support::{SCENE, TILESET, error_of, read_with};
use base64::Engine as _;
use tombolo_maps::Options;

fn map(inner: &str) -> String {
    format!(
        "<map width=\"2\" height=\"1\" tilewidth=\"16\" tileheight=\"16\">\n<properties>\
        <property name=\"scene\" value=\"scene.ron\"/></properties>\n\
        <tileset firstgid=\"1\" source=\"ground.tsx\"/>\n{inner}\n</map>"
    )
}

fn error(inner: &str) -> String {
    error_of(&[
        ("a.tmx", &map(inner)),
        ("ground.tsx", TILESET),
        ("scene.ron", SCENE),
    ])
}

fn layer(data: &str) -> String {
    format!(r#"<group name="all"><layer name="floor" width="2" height="1">{data}</layer></group>"#)
}

fn object(attributes: &str, inner: &str) -> String {
    format!(r#"<objectgroup name="things"><object id="7" {attributes}>{inner}</object></objectgroup>"#)
}

#[test]
fn wrong_layers_are_named() {
    for (data, message) in [
        (
            r#"<data encoding="csv">1,2,3</data>"#,
            "3 tiles are given where its size asks for 2",
        ),
        (
            r#"<data encoding="csv">1,x</data>"#,
            r#""x" is no number of a tile"#,
        ),
        (
            r#"<data encoding="base64">!!</data>"#,
            "its tiles are no Base64: Invalid symbol 33, offset 0.",
        ),
        (
            r#"<data encoding="base64">AAAA</data>"#,
            "3 or more bytes of tiles are given where its size asks for 8",
        ),
        (
            r#"<data encoding="runes">1</data>"#,
            r#"encoding "runes" is unknown; save the map with CSV or Base64"#,
        ),
        (
            r#"<data encoding="base64" compression="lzma">AAAA</data>"#,
            r#"compression "lzma" is unknown; save the map with zlib, gzip or zstd"#,
        ),
    ] {
        assert_eq!(
            error(&layer(data)),
            format!(r#"a.tmx: layer "all/floor": {message}"#)
        );
    }
    let bare = map(&layer(r#"<data encoding="csv">0,9</data>"#));
    let bare = bare.replace("<tileset firstgid=\"1\" source=\"ground.tsx\"/>", "");
    assert_eq!(
        error_of(&[("a.tmx", &bare), ("scene.ron", SCENE)]),
        r#"a.tmx: layer "all/floor": cell (1, 0): tile 9 is of no tileset; add the tileset again, or remove the tile"#
    );
    // Behind the last tile of a tileset, whatever comes after it.
    for (cells, cell) in [("9,1", "cell (0, 0): tile 9"), ("1,20", "cell (1, 0): tile 20")] {
        let more = map(&layer(&format!(r#"<data encoding="csv">{cells}</data>"#)));
        let second =
            r#"<tileset firstgid="12" name="few" tilewidth="16" tileheight="16" tilecount="4"/><group"#;
        let more = more.replace("<group", second);
        assert_eq!(
            error_of(&[("a.tmx", &more), ("ground.tsx", TILESET), ("scene.ron", SCENE)]),
            format!(
                r#"a.tmx: layer "all/floor": {cell} is of no tileset; add the tileset again, or remove the tile"#
            )
        );
    }
    let tile = object(r#"x="0" y="0" gid="9""#, "");
    let message = "tile 9 is of no tileset; add the tileset again, or remove the tile";
    assert_eq!(
        error(&tile),
        format!(r#"a.tmx: layer "things", object 7: {message}"#)
    );
}

/// Properties have the type string in Tiled until somebody chooses another.
#[test]
fn settings_of_another_type_are_refused() {
    let property = |name: &str, value: &str| {
        format!(r#"<properties><property name="{name}" value="{value}"/></properties>"#)
    };
    let solid = layer(&format!(
        r#"{}<data encoding="csv">1,1</data>"#,
        property("solid", "true")
    ));
    let message = r#"`solid` is true or false, not "true"; set the property's type to bool"#;
    assert_eq!(error(&solid), format!(r#"a.tmx: layer "all/floor": {message}"#));
    let line = object(
        r#"name="line" x="0" y="0""#,
        &format!(r#"{}<polyline points="0,0 16,0"/>"#, property("one_sided", "yes")),
    );
    let told = error(&line);
    assert!(
        told.starts_with("a.tmx: layer \"things\"")
            && told.ends_with(r#"`one_sided` is true or false, not "yes"; set the property's type to bool"#),
        "{told}"
    );
    for (name, value, message) in [
        (
            "y_down",
            "true",
            r#"`y_down` is true or false, not "true"; set the property's type to bool"#,
        ),
        (
            "scene_places",
            "no",
            r#"`scene_places` is true or false, not "no"; set the property's type to bool"#,
        ),
        (
            "pixels_per_meter",
            "32",
            r#"`pixels_per_meter` is a number, not "32"; set the property's type to float"#,
        ),
    ] {
        let whole = map(&object("", ""));
        let whole = whole.replace(
            "<properties>",
            &format!(r#"<properties><property name="{name}" value="{value}"/>"#),
        );
        let told = error_of(&[("a.tmx", &whole), ("ground.tsx", TILESET), ("scene.ron", SCENE)]);
        assert_eq!(told, format!("a.tmx: {message}"));
    }
    let number = map(&object("", "")).replace(
        "<properties>",
        r#"<properties><property name="scene" type="int" value="3"/>"#,
    );
    assert_eq!(
        error_of(&[("a.tmx", &number), ("ground.tsx", TILESET), ("scene.ron", SCENE)]),
        "a.tmx: `scene` is a file, not 3; set the property's type to file"
    );
}

#[test]
fn a_map_of_tiled_has_no_levels() {
    let map = map(&object(r#"x="0" y="0" width="16" height="16""#, ""));
    let options = Options {
        level: Some("Nowhere".to_string()),
        ..Options::default()
    };
    let files = [("a.tmx", &*map), ("ground.tsx", TILESET), ("scene.ron", SCENE)];
    let told = read_with(&files, &options).expect_err("it has none").to_string();
    assert_eq!(
        told,
        r#"a.tmx: a map of Tiled has no levels, so none is called "Nowhere"; leave it out"#
    );
    assert!(read_with(&files, &Options::default()).is_ok());
}

#[test]
fn wrong_objects_are_named() {
    let sized = r#"name="box" x="0" y="0" width="16" height="16""#;
    let property = |name: &str, value: &str| {
        format!(r#"<properties><property name="{name}" value="{value}"/></properties>"#)
    };
    for (attributes, inner, message) in [
        (
            format!(r#"{sized} class="craet""#),
            String::new(),
            r#"the scene file has no entity "craet"; did you mean "crate"?"#,
        ),
        (
            format!(r#"{sized} class="crate""#),
            property("bdy.bullet", "true"),
            r#"property "bdy": the entity has no such component; did you mean "body"?"#,
        ),
        (
            format!(r#"{sized} class="crate""#),
            property("body.bulet", "true"),
            r#"entity "box", component "body", property "bulet": unknown; did you mean "bullet"?"#,
        ),
        (
            format!(r#"{sized} class="crate""#),
            property("body.linear_damping", "-1"),
            r#"entity "box", component "body", property "linear_damping": -1 is out of range; give 0 or more 1/s"#,
        ),
        (
            format!(r#"{sized} class="crate""#),
            property("body.linear_damping", "1), x: (2"),
            r#"property "body.linear_damping": "1), x: (2" cannot stand in a scene file: Non-whitespace trailing characters"#,
        ),
        (
            format!(r#"{sized} class="crate""#),
            property("drawn.material", "gold"),
            r#"entity "box", component "drawn", property "material": unknown material "gold"; did you mean "wood"?"#,
        ),
        (
            r#"name="box" x="0" y="0" width="-4" height="16""#.to_string(),
            String::new(),
            "its width or height is negative; draw it anew",
        ),
        (
            r#"name="box" x="inf" y="0""#.to_string(),
            String::new(),
            "inf is no finite number",
        ),
        (
            r#"name="box" x="0" y="0""#.to_string(),
            r#"<polygon points="0,0 1,1"/>"#.to_string(),
            "has 2 points; give 3 or more",
        ),
    ] {
        let found = error(&object(&attributes, &inner));
        assert_eq!(
            found,
            format!(r#"a.tmx: layer "things", object "box" (7): {message}"#)
        );
    }
    let bow = error(&object(
        r#"name="box" x="0" y="0""#,
        r#"<polygon points="0,0 64,64 64,0 0,64"/>"#,
    ));
    let start =
        r#"a.tmx: layer "things", object "box" (7): entity "box", component "drawn", property "shape": "#;
    assert!(bow.starts_with(start), "{bow}");
    let name = format!(r#"name="{}" x="0" y="0" width="16" height="16""#, "n".repeat(256));
    let long = error(&object(&name, ""));
    assert!(
        long.ends_with("a name has 255 bytes at most; give another"),
        "{long}"
    );
}

#[test]
fn what_is_wrong_in_other_files_is_named_with_them() {
    let good = map(&object(r#"class="crate" x="0" y="0" width="16" height="16""#, ""));
    let with = |tileset: &str, scene: &str| {
        error_of(&[("a.tmx", &good), ("ground.tsx", tileset), ("scene.ron", scene)])
    };
    assert_eq!(
        error_of(&[("a.tmx", &good), ("scene.ron", SCENE)]),
        "a.tmx: ground.tsx cannot be read: entity not found"
    );
    let scene = SCENE.replace("linear_damping: 0.5", "linear_damping: -5");
    assert_eq!(
        with(TILESET, &scene),
        r#"scene.ron:11: entity "heavy crate", component "body", property "linear_damping": -5 is out of range; give 0 or more 1/s"#
    );
    let found = with(TILESET, &SCENE.replace("place: [", "place: [["));
    assert!(
        found.starts_with("scene.ron:") && found.contains("is no scene file: "),
        "{found}"
    );
    let found = with(&TILESET.replace("tilewidth=\"16\"", "tilewidth=\"wide\""), SCENE);
    assert_eq!(
        found,
        r#"ground.tsx:1: tilewidth of <tileset> is "wide", no number that it may be"#
    );
    let found = with("<map/>", SCENE);
    assert_eq!(
        found,
        "ground.tsx: has a <map> where a <tileset> belongs; is it another file?"
    );
    let found = with(&TILESET.replace("</tileset>", ""), SCENE);
    assert!(
        found.starts_with("ground.tsx:") && found.contains("is no XML: "),
        "{found}"
    );
}

#[test]
fn files_that_are_no_maps_are_refused() {
    for (file, text, start) in [
        ("a.tmx", "", "a.tmx:"),
        ("a.tmx", "hello", "a.tmx:1: is no JSON of Tiled: "),
        ("a.tmj", "{\"width\": \"x\"}", "a.tmj:1: is no JSON of Tiled: "),
        ("a.ldtk", "hello", "a.ldtk:1: is no JSON of LDtk: "),
        (
            "a.ldtk",
            "{}",
            "a.ldtk: pixels_per_meter is 0; give 0.001 to 1000000",
        ),
        (
            "a.tmx",
            "<map/>",
            "a.tmx: tilewidth and tileheight must be more than 0",
        ),
        (
            "a.tmx",
            r#"<map tilewidth="1" tileheight="1"/>"#,
            "a.tmx: has nothing in it that becomes an entity",
        ),
        (
            "a.tmx",
            r#"<map tilewidth="1" tileheight="1" orientation="round"/>"#,
            r#"a.tmx: orientation "round" is not read; "#,
        ),
        (
            "a.tmx",
            r#"<map tilewidth="8" tileheight="8" hexsidelength="9" orientation="hexagonal"/>"#,
            "a.tmx: hexsidelength is 9, and a cell only 8; give 8 or less",
        ),
        (
            "a.tmx",
            r#"<map tilewidth="1" tileheight="8" orientation="staggered"/>"#,
            "a.tmx: tilewidth and tileheight must be 2 or more in a map of this orientation",
        ),
        (
            "a.png",
            "",
            "a.png: is no map; give a file that ends in .tmx, .tmj or .ldtk",
        ),
    ] {
        let found = error_of(&[(file, text)]);
        assert!(found.starts_with(start), "{found}");
        assert!(!found.contains('\n'), "{found}");
    }
}

/// A packed layer of a gigabyte of zeros: a megabyte in the file.
#[test]
fn what_unpacks_to_more_than_the_layer_has_is_cut_off() {
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    let zeros = vec![0_u8; 1 << 20];
    for _ in 0..64 {
        zlib.write_all(&zeros).unwrap();
    }
    let packed = base64::engine::general_purpose::STANDARD.encode(zlib.finish().unwrap());
    let found = error(&layer(&format!(
        r#"<data encoding="base64" compression="zlib">{packed}</data>"#
    )));
    assert!(
        found.ends_with("9 or more bytes of tiles are given where its size asks for 8"),
        "{found}"
    );
}

#[test]
fn sizes_and_depths_have_ends() {
    let huge = layer(r#"<data encoding="csv">1</data>"#).replace(
        "width=\"2\" height=\"1\"",
        "width=\"4294967295\" height=\"4294967295\"",
    );
    assert!(error(&huge).ends_with("the map has more than 16777216 cells; divide it"));
    let deep = format!("{}{}", "<group name=\"g\">".repeat(5000), "</group>".repeat(5000));
    let found = error(&deep);
    assert!(
        found.contains("deep at most") || found.contains("is no XML"),
        "{found}"
    );
    let deep = format!(
        r#"{{"tilewidth": 1, "tileheight": 1, "layers": {}{}}}"#,
        r#"[{"type": "group", "layers": "#.repeat(5000),
        "}]".repeat(5000)
    );
    let found = error_of(&[("a.tmj", &deep)]);
    assert!(found.contains("recursion limit exceeded"), "{found}");
    let mut deep = String::from("<property name=\"p\" type=\"class\"><properties>").repeat(100);
    deep.push_str(&"</properties></property>".repeat(100));
    let found = error(&object(
        "x=\"0\" y=\"0\"",
        &format!("<properties>{deep}</properties>"),
    ));
    assert!(found.ends_with("properties are 64 deep at most"), "{found}");
}

/// A little that is said once and used often must not become much.
#[test]
fn a_shape_that_is_used_often_counts_as_often_against_the_limit() {
    let points = "0,0 1,1 2,3 ".repeat(30_000);
    let tileset = format!(
        r#"<tileset tilewidth="16" tileheight="16"><tile id="0"><objectgroup><object id="1" x="0" y="0">
        <polygon points="{points}"/></object></objectgroup></tile></tileset>"#
    );
    let row = "1,".repeat(99);
    let map = format!(
        r#"<map width="100" height="1" tilewidth="16" tileheight="16"><tileset firstgid="1" source="ground.tsx"/>
        <layer name="floor" width="100" height="1"><data encoding="csv">{row}1</data></layer></map>"#
    );
    let found = error_of(&[("a.tmx", &map), ("ground.tsx", &tileset)]);
    assert!(
        found.ends_with("shapes have more than 2097152 corners; divide the map"),
        "{found}"
    );
    let long = "x".repeat(1 << 20);
    let template = format!(
        r#"<template><object><properties><property name="body.kind" value="{long}"/></properties></object></template>"#
    );
    let objects: String = (0..100)
        .map(|id| format!(r#"<object id="{id}" template="a.tx" x="0" y="0" width="1" height="1"/>"#))
        .collect();
    let map =
        format!(r#"<map tilewidth="16" tileheight="16"><objectgroup name="o">{objects}</objectgroup></map>"#);
    let found = error_of(&[("a.tmx", &map), ("a.tx", &template)]);
    assert!(
        found.ends_with("the objects have more than 67108864 bytes of properties"),
        "{found}"
    );
}

/// The time that a small file takes must not grow as the product of two of its lists: properties that many objects have are
/// counted for each of them before they are looked at, whatever they are for.
#[test]
fn properties_that_many_objects_share_count_for_each_of_them() {
    let properties: String = (0..20_000)
        .map(|at| format!(r#"<property name="p{at}" value="1"/>"#))
        .collect();
    let properties = format!("<properties>{properties}</properties>");
    let objects = |what: &str| -> String {
        let all =
            (0..20_000).map(|id| format!(r#"<object id="{id}" x="0" y="0" width="1" height="1" {what}/>"#));
        all.collect()
    };
    let map = |inner: &str| format!(r#"<map tilewidth="16" tileheight="16">{inner}</map>"#);
    let of_layer = map(&format!(
        r#"<objectgroup name="o">{properties}{}</objectgroup>"#,
        objects("")
    ));
    let of_template = map(&format!(
        r#"<objectgroup name="o">{}</objectgroup>"#,
        objects(r#"template="a.tx""#)
    ));
    let of_tile = map(&format!(
        r#"<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1"><tile id="0">{properties}</tile></tileset>
        <objectgroup name="o">{}</objectgroup>"#,
        objects(r#"gid="1""#)
    ));
    let of_group = map(&format!(
        r#"<group name="g">{properties}{}</group>"#,
        r#"<objectgroup name="o"/>"#.repeat(4000)
    ));
    let template = format!("<template><object>{properties}</object></template>");
    for (what, map) in [
        ("layer", of_layer),
        ("template", of_template),
        ("tile", of_tile),
        ("group", of_group),
    ] {
        assert!(map.len() < 4 << 20, "{what}: a small file");
        let found = error_of(&[("a.tmx", &map), ("a.tx", &template)]);
        assert!(
            found.ends_with("are more than 134217728 bytes; take some away"),
            "{what}: {found}"
        );
    }
    // One object cannot have more components than anything needs: each is looked for among the others.
    let many: String = (0..1025)
        .map(|at| format!(r#"<property name="a{at}.b" value="1"/>"#))
        .collect();
    let found = error(&object(
        r#"name="box" x="0" y="0""#,
        &format!("<properties>{many}</properties>"),
    ));
    assert!(
        found.ends_with("has more than 1024 properties of components; take some away"),
        "{found}"
    );
}

/// A find of the fuzzing, seed 0x356f9832df1ec657: the reader of XML quotes a line break.
#[test]
fn what_a_message_quotes_does_not_break_its_line() {
    let found = error_of(&[("a.tmx", "<map version=\"1\n<layer")]);
    assert!(found.starts_with("a.tmx:") && !found.contains('\n'), "{found:?}");
    let found = error_of(&[("a.tmx", "<map>\n<layer /\n></map>")]);
    assert_eq!(found, r"a.tmx:2: is no XML: expected '>' not '\n' at 2:9");
}
