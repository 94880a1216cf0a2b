//! Maps of Tiled, in all the forms that it writes.

use std::io::Write as _;

use crate::support::{SCENE, TILESET, error_of, is_solid, place_of, scene_of, shown, world_of};
use base64::Engine as _;
use tombolo_maps::Options;

/// Columns and rows of the level, and its tiles: a floor, a slope, a step of half tiles, a wall.
const WIDTH: usize = 20;
const HEIGHT: usize = 6;

fn level() -> Vec<u32> {
    let mut cells = vec![0; WIDTH * HEIGHT];
    for column in 0..WIDTH {
        cells[5 * WIDTH + column] = 1;
        cells[4 * WIDTH + column] = if column < 8 { 1 } else { 0 };
    }
    // Down to the right: the slope, mirrored.
    cells[4 * WIDTH + 8] = 2 | 1 << 31;
    cells[4 * WIDTH + 12] = 3;
    cells[4 * WIDTH + 13] = 3;
    cells[3 * WIDTH + 3] = 4;
    for row in 0..5 {
        cells[row * WIDTH + WIDTH - 1] = 1;
    }
    cells
}

fn bytes(cells: &[u32]) -> Vec<u8> {
    cells.iter().flat_map(|cell| cell.to_le_bytes()).collect()
}

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

fn csv(cells: &[u32]) -> String {
    let words: Vec<String> = cells.iter().map(u32::to_string).collect();
    words.join(",")
}

fn tmx(attributes: &str, data: &str) -> String {
    format!(
        r#"<?xml version="1.0" encoding="UTF-8"?>
<map version="1.10" orientation="orthogonal" width="{WIDTH}" height="{HEIGHT}" tilewidth="16" tileheight="16" {attributes}>
 <tileset firstgid="1" source="ground.tsx"/>
 <layer id="1" name="ground" width="{WIDTH}" height="{HEIGHT}">{data}</layer>
</map>"#
    )
}

/// The scene of the level in one of its forms, without the line that names the file.
fn scene_text(file: &str, text: &str) -> String {
    let map = scene_of(&[(file, text), ("ground.tsx", TILESET)]);
    let (_, rest) = map.text().split_once('\n').expect("lines");
    rest.to_string()
}

/// PF-24, the forms of one level.
#[test]
fn pf_24_every_form_of_a_level_is_the_same_scene() {
    let cells = level();
    let plain = scene_text(
        "a.tmx",
        &tmx("", &format!(r#"<data encoding="csv">{}</data>"#, csv(&cells))),
    );
    assert!(plain.contains("Slope") && plain.contains("Full"), "{plain}");
    let packed = |how: &str, bytes: &[u8]| {
        let data = format!(r#"<data encoding="base64" {how}>{}</data>"#, base64(bytes));
        scene_text("a.tmx", &tmx("", &data))
    };
    let raw = bytes(&cells);
    assert_eq!(packed("", &raw), plain);
    let mut zlib = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    zlib.write_all(&raw).unwrap();
    assert_eq!(packed(r#"compression="zlib""#, &zlib.finish().unwrap()), plain);
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&raw).unwrap();
    assert_eq!(packed(r#"compression="gzip""#, &gzip.finish().unwrap()), plain);
    let zstd = ruzstd::encoding::compress_to_vec(&raw[..], ruzstd::encoding::CompressionLevel::Fastest);
    assert_eq!(packed(r#"compression="zstd""#, &zstd), plain);
    let tiles: String = cells
        .iter()
        .map(|gid| format!(r#"<tile gid="{gid}"/>"#))
        .collect();
    assert_eq!(
        scene_text("a.tmx", &tmx("", &format!("<data>{tiles}</data>"))),
        plain
    );
    // The same tiles as four chunks, in an order of no meaning.
    let chunks: String = [(10, 3), (0, 0), (10, 0), (0, 3)]
        .iter()
        .map(|&(x, y)| {
            let part: Vec<u32> = (0..30)
                .map(|i| cells[(y + i / 10) * WIDTH + x + i % 10])
                .collect();
            format!(
                r#"<chunk x="{x}" y="{y}" width="10" height="3">{}</chunk>"#,
                csv(&part)
            )
        })
        .collect();
    let infinite = tmx(
        r#"infinite="1""#,
        &format!(r#"<data encoding="csv">{chunks}</data>"#),
    );
    assert_eq!(scene_text("a.tmx", &infinite), plain);
    let json = format!(
        r#"{{"type": "map", "orientation": "orthogonal", "infinite": false, "width": {WIDTH}, "height": {HEIGHT},
        "tilewidth": 16, "tileheight": 16, "tilesets": [{{"firstgid": 1, "source": "ground.tsx"}}],
        "layers": [{{"type": "tilelayer", "id": 1, "name": "ground", "x": 0, "y": 0, "opacity": 1, "visible": true,
        "width": {WIDTH}, "height": {HEIGHT}, "data": [{}]}}]}}"#,
        csv(&cells)
    );
    assert_eq!(scene_text("a.tmj", &json), plain);
}

#[test]
fn tiles_become_few_long_shapes_where_they_were_drawn() {
    let map = tmx("", &format!(r#"<data encoding="csv">{}</data>"#, csv(&level())));
    let world = world_of(&[("a.tmx", &map), ("ground.tsx", TILESET)]);
    // The floor, the raised part of it, the wall, the half tiles, the slope.
    assert_eq!(world.physics().counters().shapes, 5);
    let cells = level();
    for (index, cell) in cells.iter().enumerate() {
        // The middle of the lower and of the upper half, left of the middle.
        let (x, y) = ((index % WIDTH) as f32 + 0.3, -((index / WIDTH) as f32));
        let solid = match cell & 0xFFFF {
            1 => [true, true],
            // Mirrored, it falls to the right: most of its left is full.
            2 => [true, true],
            3 => [true, false],
            _ => [false, false],
        };
        assert_eq!(
            [is_solid(&world, x, y - 0.75), is_solid(&world, x, y - 0.4)],
            solid,
            "cell {index}"
        );
    }
    let slope = (8.8, -4.0);
    assert!(is_solid(&world, slope.0, slope.1 - 0.9) && !is_solid(&world, slope.0, slope.1 - 0.5));
}

#[test]
fn pf_24_all_eight_flips_of_a_slope_lie_as_they_are_drawn() {
    // Near the middles of the left, lower, right and upper side. The triangle fills two of them, where its right angle is.
    let sides = [[0.1, -0.5], [0.5, -0.9], [0.9, -0.5], [0.5, -0.1]];
    let [lower_left, lower_right] = [[true, true, false, false], [false, true, true, false]];
    let [upper_left, upper_right] = [[true, false, false, true], [false, false, true, true]];
    let [flipped_x, flipped_y, diagonal] = [1_u32 << 31, 1 << 30, 1 << 29];
    for (flags, full) in [
        (0, lower_right),
        (flipped_x, lower_left),
        (flipped_y, upper_right),
        (flipped_x | flipped_y, upper_left),
        // Mirrored at the diagonal from the upper left to the lower right it stays as it is.
        (diagonal, lower_right),
        (diagonal | flipped_x, lower_left),
        (diagonal | flipped_y, upper_right),
        (diagonal | flipped_x | flipped_y, upper_left),
    ] {
        let map = format!(
            r#"<map width="1" height="1" tilewidth="16" tileheight="16"><tileset firstgid="1" source="ground.tsx"/>
            <layer name="floor" width="1" height="1"><data encoding="csv">{}</data></layer></map>"#,
            2 | flags
        );
        let world = world_of(&[("a.tmx", &map), ("ground.tsx", TILESET)]);
        assert_eq!(sides.map(|[x, y]| is_solid(&world, x, y)), full, "{flags:#x}");
    }
}

fn objects(inner: &str) -> String {
    format!(
        r#"<map width="10" height="10" tilewidth="16" tileheight="16">
        <properties><property name="scene" type="file" value="scene.ron"/></properties>
        <tileset firstgid="1" source="ground.tsx"/>
        <objectgroup name="things" offsetx="32">{inner}</objectgroup></map>"#
    )
}

fn object_world(inner: &str) -> tombolo::World {
    world_of(&[
        ("maps/a.tmx", &objects(inner)),
        ("maps/ground.tsx", TILESET),
        ("maps/scene.ron", SCENE),
    ])
}

#[test]
fn pf_24_objects_of_all_forms_lie_where_they_were_drawn() {
    let world = object_world(
        r#"<object id="1" name="box" x="16" y="16" width="32" height="16"/>
        <object id="2" name="turned" x="0" y="64" width="32" height="16" rotation="90"/>
        <object id="3" name="round" x="64" y="64" width="16" height="16"><ellipse/></object>
        <object id="4" name="oval" x="96" y="64" width="64" height="32"><ellipse/></object>
        <object id="5" name="pill" x="0" y="128" width="64" height="16"><capsule/></object>
        <object id="6" name="hook" x="160" y="160"><polygon points="0,0 48,0 48,48 32,48 32,16 0,16"/></object>
        <object id="7" name="start" x="8" y="8"><point/></object>
        <object id="8" name="tile" gid="2" x="0" y="240" width="32" height="32"/>
        <object id="9" name="words" x="0" y="0" width="64" height="16"><text>hello</text></object>"#,
    );
    assert_eq!(place_of(&world, "box"), (4.0, -1.5, 0.0));
    // Turned by a quarter clockwise about its corner, it hangs down and to the left.
    let (x, y, angle) = place_of(&world, "turned");
    assert_eq!((x, y), (1.5, -5.0));
    assert!((angle + std::f32::consts::FRAC_PI_2).abs() < 1e-6);
    assert!(is_solid(&world, 1.1, -5.9) && is_solid(&world, 1.9, -4.1) && !is_solid(&world, 2.1, -4.1));
    assert_eq!(place_of(&world, "round"), (6.5, -4.5, 0.0));
    assert!(is_solid(&world, 6.5, -4.02) && !is_solid(&world, 6.1, -4.1));
    assert_eq!(place_of(&world, "oval"), (10.0, -5.0, 0.0));
    // Within one percent of the ellipse of 2 by 1 meters, all around.
    for step in 0..64 {
        let angle = step as f32 * std::f32::consts::TAU / 64.0;
        let at = |factor: f32| {
            (
                10.0 + 2.0 * factor * libm::cosf(angle),
                -5.0 + factor * libm::sinf(angle),
            )
        };
        assert!(is_solid(&world, at(0.99).0, at(0.99).1), "{step}");
        assert!(!is_solid(&world, at(1.01).0, at(1.01).1), "{step}");
    }
    assert!(is_solid(&world, 2.1, -8.5) && !is_solid(&world, 2.1, -8.1) && is_solid(&world, 5.9, -8.5));
    assert!(is_solid(&world, 12.5, -10.5) && !is_solid(&world, 13.0, -12.0) && is_solid(&world, 14.5, -12.0));
    assert_eq!(place_of(&world, "start"), (2.5, -0.5, 0.0));
    // The slope of two by two meters, hung by its lower left corner.
    assert_eq!(place_of(&world, "tile"), (3.0, -14.0, 0.0));
    assert!(is_solid(&world, 3.8, -13.4) && !is_solid(&world, 2.2, -13.4) && is_solid(&world, 2.4, -14.8));
    assert!(world.find("words").is_none(), "a text is only to be seen");
}

#[test]
fn a_line_holds_from_both_sides_unless_it_is_one_sided() {
    let world = |property: &str| {
        object_world(&format!(
            r#"<object id="1" x="0" y="64">{property}<polyline points="0,0 64,0"/></object>
            <object id="2" name="ball" class="crate" x="16" y="32" width="8" height="8"><ellipse/></object>
            <object id="3" name="thrown" class="crate" x="40" y="80" width="8" height="8"><ellipse/>
             <properties><property name="body.linear_velocity" value="(0, 9)"/></properties></object>"#
        ))
    };
    let one_sided = r#"<properties><property name="one_sided" type="bool" value="true"/></properties>"#;
    for (property, thrown_passes) in [("", false), (one_sided, true)] {
        let mut world = world(property);
        let mut highest = f32::MIN;
        for _ in 0..120 {
            world.step();
            highest = highest.max(place_of(&world, "thrown").1);
        }
        let (_, y, _) = place_of(&world, "ball");
        assert!((y + 3.75).abs() < 0.02, "the ball lies on the line: {y}");
        assert_eq!(highest > -3.5, thrown_passes, "{highest}");
    }
}

#[test]
fn pf_24_templates_give_what_an_object_does_not_say() {
    let template = r#"<template><object name="barrel" class="crate" width="32" height="16">
        <properties><property name="body.bullet" type="bool" value="true"/>
        <property name="body.gravity_scale" type="float" value="0.5"/></properties></object></template>"#;
    let tile_template = r#"<template><tileset firstgid="1" source="../ground.tsx"/>
        <object gid="2147483650" width="16" height="16"/></template>"#;
    let map = objects(
        r#"<object id="1" template="sets/barrel.tx" x="0" y="0"/>
        <object id="2" template="sets/barrel.tx" name="cask" x="0" y="32" height="32">
         <properties><property name="body.gravity_scale" type="float" value="2"/></properties></object>
        <object id="3" template="sets/tile.tx" name="slope" x="0" y="96"/>"#,
    );
    let world = world_of(&[
        ("maps/a.tmx", &map),
        ("maps/ground.tsx", TILESET),
        ("maps/scene.ron", SCENE),
        ("maps/sets/barrel.tx", template),
        ("maps/sets/tile.tx", tile_template),
    ]);
    assert_eq!(place_of(&world, "barrel"), (3.0, -0.5, 0.0));
    assert_eq!(shown(&world, "barrel", "body.bullet"), "Bool(true)");
    assert_eq!(shown(&world, "barrel", "body.gravity_scale"), "F32(0.5)");
    assert_eq!(place_of(&world, "cask"), (3.0, -3.0, 0.0));
    assert_eq!(shown(&world, "cask", "body.bullet"), "Bool(true)");
    assert_eq!(shown(&world, "cask", "body.gravity_scale"), "F32(2.0)");
    // The slope of the template is mirrored: full at the lower left.
    assert!(is_solid(&world, 2.1, -5.8) && is_solid(&world, 2.1, -5.2) && !is_solid(&world, 2.9, -5.2));
}

#[test]
fn properties_become_those_of_components() {
    let world = object_world(
        r#"<object id="1" class="crate" x="0" y="0" width="32" height="16"><properties>
          <property name="drawn.material" value="ice"/><property name="price" type="int" value="7"/></properties></object>
        <object id="2" class="heavy crate" name="a" x="0" y="0" width="16" height="16"/>
        <object id="3" class="crate" x="64" y="0" width="16" height="16"><properties>
          <property name="mind" type="class" propertytype="Script"><properties>
            <property name="name" value="idle"/></properties></property>
          <property name="pin" type="class" propertytype="Joint"><properties>
            <property name="to" type="object" value="2"/><property name="kind" value="Weld()"/></properties></property>
        </properties></object>"#,
    );
    assert_eq!(shown(&world, "crate", "body.kind"), "Choice(2)");
    assert_eq!(shown(&world, "crate", "drawn.size"), "Vec2(Vec2(2.0, 1.0))");
    assert_eq!(shown(&world, "crate", "drawn.friction"), "F32(0.0)");
    assert_eq!(shown(&world, "a", "drawn.density"), "F32(2.0)");
    assert_eq!(shown(&world, "a", "body.linear_damping"), "F32(0.5)");
    assert_eq!(shown(&world, "crate 2", "mind.name"), "String(\"idle\")");
    assert_eq!(shown(&world, "crate 2", "pin.to_name"), "String(\"a\")");
    assert_eq!(world.physics().counters().joints, 1);
    // What the scene file places and sets is there, too.
    assert!(world.find("sun").is_some());
    assert_eq!(world.physics().gravity().y, -9.0);
}

#[test]
fn classes_and_properties_of_tiles_and_layers_part_them() {
    let tileset = TILESET.replace(r#"<tile id="2">"#, r#"<tile id="2" class="water">"#);
    let map = r#"<map width="4" height="2" tilewidth="16" tileheight="16">
        <properties><property name="scene" value="scene.ron"/></properties>
        <tileset firstgid="1" source="ground.tsx"/>
        <layer name="floor" width="4" height="2"><data encoding="csv">3,3,1,0,1,5,5,1</data></layer>
        <layer name="back" class="nothing" width="4" height="2"><data encoding="csv">1,1,1,1,1,1,1,1</data></layer>
        <layer name="hidden" width="4" height="2"><properties><property name="solid" type="bool" value="false"/></properties>
         <data encoding="csv">1,1,1,1,1,1,1,1</data></layer>
        <layer name="full" offsetx="64" width="4" height="2"><properties><property name="solid" type="bool" value="true"/>
         </properties><data encoding="csv">4,4,4,4,4,4,4,4</data></layer></map>"#;
    let world = world_of(&[("a.tmx", map), ("ground.tsx", &tileset), ("scene.ron", SCENE)]);
    // Water, two pieces of plain ground and one below the water's end, ice, and the full layer.
    let shapes = world.physics().counters().shapes;
    assert_eq!(
        shapes,
        1 + 3 + 1 + 1,
        "{}",
        scene_of(&[("a.tmx", map), ("ground.tsx", &tileset), ("scene.ron", SCENE)]).text()
    );
    assert_eq!(shown(&world, "full", "tiles.origin"), "Vec2(Vec2(4.0, -2.0))");
    assert!(is_solid(&world, 4.1, -0.1) && is_solid(&world, 7.9, -1.9));
}

#[test]
fn pf_24_isometric_and_hexagonal_maps_lie_as_they_are_seen() {
    let map = |attributes: &str, object: &str| {
        format!(
            r#"<map {attributes} width="2" height="2" tilewidth="32" tileheight="16">
            <properties><property name="pixels_per_meter" type="float" value="16"/></properties>
            <tileset firstgid="1" name="t" tilewidth="32" tileheight="16"/>
            <layer name="floor" width="2" height="2"><properties><property name="solid" type="bool" value="true"/></properties>
             <data encoding="csv">1,0,0,1</data></layer><objectgroup name="o">{object}</objectgroup></map>"#
        )
    };
    // The diamond of the first cell has its tip on top in the middle; the last one's is two cells below.
    let object = r#"<object id="1" name="thing" x="16" y="0" width="16" height="16"/>"#;
    let world = world_of(&[("a.tmx", &map(r#"orientation="isometric""#, object))]);
    assert!(is_solid(&world, 2.0, -0.1) && !is_solid(&world, 1.2, -0.1) && is_solid(&world, 1.2, -0.5));
    assert!(is_solid(&world, 2.0, -1.9) && !is_solid(&world, 0.5, -1.0));
    assert_eq!(place_of(&world, "thing"), (3.0, -1.0, 0.0));
    assert!(is_solid(&world, 3.9, -1.0) && is_solid(&world, 3.0, -0.6) && !is_solid(&world, 3.9, -0.6));
    let hexagonal = r#"orientation="hexagonal" hexsidelength="8" staggeraxis="y" staggerindex="odd""#;
    let world = world_of(&[("a.tmx", &map(hexagonal, ""))]);
    assert!(is_solid(&world, 0.1, -0.5) && !is_solid(&world, 0.1, -0.1) && is_solid(&world, 1.0, -0.1));
    // The second row is shifted by half a cell and lies three quarters of one below.
    assert!(is_solid(&world, 3.1, -1.25) && is_solid(&world, 4.9, -1.25) && !is_solid(&world, 2.0, -1.25));
}

/// Full cells and objects are skewed, and pictures are not: they lie at the lower left corner of their cell.
#[test]
fn oblique_maps_lie_as_they_are_seen() {
    let map = r#"<map orientation="oblique" skewx="8" width="2" height="2" tilewidth="16" tileheight="16">
        <tileset firstgid="1" name="t" tilewidth="16" tileheight="16">
         <tile id="1"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile></tileset>
        <layer name="floor" width="2" height="2"><properties><property name="solid" type="bool" value="true"/></properties>
         <data encoding="csv">1,0,2,1</data></layer>
        <objectgroup name="o"><object id="1" name="thing" x="48" y="16" width="16" height="16"/>
         <object id="2" name="start" x="32" y="32"><point/></object></objectgroup></map>"#;
    let world = world_of(&[("a.tmx", map)]);
    for (x, y) in [(0.1, -0.1), (1.0, -0.1), (0.55, -0.9), (1.4, -0.9), (2.9, -1.9)] {
        assert!(is_solid(&world, x, y), "{x} {y}");
    }
    for (x, y) in [(1.1, -0.1), (0.3, -0.9), (0.8, -1.2), (3.1, -1.9)] {
        assert!(!is_solid(&world, x, y), "{x} {y}");
    }
    assert!(is_solid(&world, 1.05, -1.05) && is_solid(&world, 1.05, -1.95));
    assert_eq!(place_of(&world, "thing"), (4.25, -1.5, 0.0));
    assert!(is_solid(&world, 3.6, -1.05) && is_solid(&world, 4.9, -1.95) && !is_solid(&world, 3.6, -1.95));
    assert_eq!(place_of(&world, "start"), (3.0, -2.0, 0.0));
    let flat = map.replace(r#"skewx="8""#, r#"skewx="16" skewy="16""#);
    assert_eq!(
        error_of(&[("a.tmx", &flat)]),
        "a.tmx: skewx of 16 and skewy of 16 leave the cells no area; give others"
    );
}

#[test]
fn scale_and_the_y_axis_are_chosen() {
    let map = objects(r#"<object id="1" name="box" x="0" y="16" width="32" height="16"/>"#);
    let list = [
        ("maps/a.tmx", &*map),
        ("maps/ground.tsx", TILESET),
        ("maps/scene.ron", SCENE),
    ];
    let options = Options {
        pixels_per_meter: Some(32.0),
        y_down: Some(true),
        ..Options::default()
    };
    let scene = crate::support::read_with(&list, &options)
        .and_then(|map| map.scene())
        .unwrap();
    let place = scene.instances().find(|(name, _)| *name == "box").unwrap().1;
    assert_eq!((place.position.x, place.position.y), (1.5, 0.75));
    assert_eq!(scene.settings().gravity.y, -9.0, "the scene file says");
    let bare = r#"<map width="1" height="1" tilewidth="16" tileheight="16">
        <properties><property name="y_down" type="bool" value="true"/></properties>
        <objectgroup name="o"><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></map>"#;
    let scene = scene_of(&[("a.tmx", bare)]).scene().unwrap();
    assert_eq!(scene.settings().gravity.y, 10.0);
}

/// The names of what the scene file places are taken, those of each entity of a row and a grid too.
#[test]
fn nothing_drawn_gets_a_name_of_the_scene_file() {
    let scene = SCENE.replace(
        "place: [",
        r#"place: [
        One (name: "ground", entity: "lamp"),
        Row(name: "crate", entity: "lamp", count: 2, step: (1, 0)),
        Grid(name: "crate", entity: "lamp", columns: 2, rows: 2, column_step: (1, 0), row_step: (0, 1)),"#,
    );
    let things = r#"<layer name="ground" width="2" height="1"><data encoding="csv">1,1</data></layer>
        <objectgroup name="things">
        <object id="1" name="sun" x="0" y="0" width="16" height="16"/>
        <object id="2" name="crate[1]" x="32" y="0" width="16" height="16"/>
        <object id="3" name="crate[1,1]" x="64" y="0" width="16" height="16"/>
        <object id="4" name="crate[2]" x="96" y="0" width="16" height="16"/>
        </objectgroup>"#;
    let map = format!(
        r#"<map width="2" height="1" tilewidth="16" tileheight="16">
        <properties><property name="scene" value="scene.ron"/></properties>
        <tileset firstgid="1" source="ground.tsx"/>{things}</map>"#
    );
    let world = world_of(&[("a.tmx", &map), ("ground.tsx", TILESET), ("scene.ron", &scene)]);
    for name in [
        "ground",
        "ground 2",
        "sun",
        "sun 2",
        "crate[1] 2",
        "crate[1,1] 2",
        "crate[2]",
    ] {
        assert!(world.find(name).is_some(), "{name}");
    }
    assert!(is_solid(&world, 0.5, -0.5));
}

/// A tileset with a picture for each tile has gaps in its numbers, and one of an old file does not say how many tiles it has.
#[test]
fn a_tileset_has_the_tiles_that_it_lists() {
    let tile = r#"<image width="16" height="16" source="a.png"/><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup>"#;
    let pictures = format!(
        r#"<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="2" columns="0">
        <tile id="0">{tile}</tile><tile id="7">{tile}</tile></tileset>"#
    );
    let old = format!(
        r#"<tileset firstgid="1" tilewidth="16" tileheight="16"><tile id="0">{tile}</tile></tileset>"#
    );
    for (set, last, is_full) in [(&pictures, 8, true), (&old, 50, false)] {
        let map = format!(
            r#"<map width="2" height="1" tilewidth="16" tileheight="16">{set}
            <layer name="ground" width="2" height="1"><data encoding="csv">1,{last}</data></layer></map>"#
        );
        let world = world_of(&[("a.tmx", &map)]);
        let full = [0.5, 1.5].map(|x| is_solid(&world, x, -0.5));
        assert_eq!(full, [true, is_full], "{set}");
    }
}

/// The editor writes such a layer with the size of the map, and an empty text in the map's encoding.
#[test]
fn a_layer_of_an_infinite_map_may_have_no_tiles() {
    let things = r#"<objectgroup name="things"><object id="1" name="box" x="0" y="0" width="32" height="16"/></objectgroup>"#;
    let map = |infinite: &str, data: &str| {
        format!(
            r#"<map {infinite} width="30" height="20" tilewidth="16" tileheight="16">
            <layer id="1" name="sky" width="30" height="20">{data}</layer>{things}</map>"#
        )
    };
    for data in [
        r#"<data encoding="csv"></data>"#,
        "<data encoding=\"csv\">\n</data>",
        r#"<data encoding="base64" compression="zlib"></data>"#,
        r#"<data encoding="base64"/>"#,
        "<data/>",
        "",
    ] {
        let world = world_of(&[("a.tmx", &map(r#"infinite="1""#, data))]);
        assert_eq!(world.physics().counters().shapes, 1, "{data}");
    }
    // A layer that ends has all its tiles.
    for infinite in ["", r#"infinite="0""#] {
        let finite = map(infinite, r#"<data encoding="csv"></data>"#);
        let error = error_of(&[("a.tmx", &finite)]);
        let wanted = r#"a.tmx: layer "sky": 0 tiles are given where its size asks for 600"#;
        assert_eq!(error, wanted);
    }
}

/// What a project's own class means is nothing to a world; a component of that name has it set.
#[test]
fn a_property_of_a_class_that_is_no_kind_may_be_for_another_program() {
    let stats = |name: &str, class: &str| {
        format!(
            r#"<object id="1" class="crate" x="0" y="0" width="32" height="16"><properties>
            <property name="{name}" type="class" propertytype="{class}"><properties>
            <property name="linear_damping" type="float" value="3"/></properties></property></properties></object>"#
        )
    };
    let world = object_world(&stats("stats", "Stats"));
    assert_eq!(shown(&world, "crate", "body.linear_damping"), "F32(0.0)");
    let world = object_world(&stats("body", "Stats"));
    assert_eq!(shown(&world, "crate", "body.linear_damping"), "F32(3.0)");
    let map = objects(&stats("legs", "body"));
    let error = error_of(&[
        ("maps/a.tmx", &map),
        ("maps/ground.tsx", TILESET),
        ("maps/scene.ron", SCENE),
    ]);
    let wanted = r#"property "legs": its class "body" is no kind; did you mean "Body"?"#;
    assert!(error.ends_with(wanted), "{error}");
}

#[test]
fn a_name_that_only_one_object_has_stays_its_own() {
    let object = |id: u32, name: &str| {
        let x = 48 * (id - 1);
        format!(r#"<object id="{id}" name="{name}" x="{x}" y="0" width="32" height="32"/>"#)
    };
    let names = ["crate", "crate", "crate 2", "crate", ""];
    let things: String = (1..).zip(names).map(|(id, name)| object(id, name)).collect();
    let map = format!(
        r#"<map width="1" height="1" tilewidth="16" tileheight="16"><objectgroup name="crate 4">{things}</objectgroup></map>"#
    );
    let world = world_of(&[("a.tmx", &map)]);
    // The second and the fourth get what is left, and what has no name comes last.
    let names = ["crate", "crate 3", "crate 2", "crate 4", "crate 4 2"];
    for (place, name) in names.into_iter().enumerate() {
        assert_eq!(place_of(&world, name).0, 3.0 * place as f32 + 1.0, "{name}");
    }
}
