//! Small files that would take much memory or time: each is refused before it does, or makes no more than it says.

use crate::support::{error_of, scene_of};

fn map(attributes: &str, inner: &str) -> String {
    format!(r#"<map tilewidth="16" tileheight="16" {attributes}>{inner}</map>"#)
}

fn objects(count: usize, attributes: &str) -> String {
    let all = (0..count)
        .map(|id| format!(r#"<object id="{id}" {attributes} x="0" y="0" width="16" height="16"/>"#));
    all.collect()
}

/// A map with a scene file.
fn with_scene(inner: &str) -> String {
    let scene = r#"<properties><property name="scene" value="s.ron"/></properties>"#;
    map("", &format!("{scene}{inner}"))
}

/// An entity may be referenced any number of times, and each reference is a copy.
#[test]
fn a_file_may_have_no_entities() {
    let text = "x".repeat(1 << 16);
    let layers = r#"<layer name="&a;"/>"#.repeat(100);
    let bomb = format!("<!DOCTYPE map [\n<!ENTITY a \"{text}\">]>{}", map("", &layers));
    let message = "defines an entity (<!ENTITY); write out what it stands for";
    assert_eq!(error_of(&[("a.tmx", &bomb)]), format!("a.tmx:2: {message}"));
    let property = r#"<objectgroup name="o"><object id="1"><properties><property name="p" value="&a;&a;"/></properties></object></objectgroup>"#;
    let bomb = format!("<!DOCTYPE map [<!ENTITY a \"{text}\">]>{}", map("", property));
    assert_eq!(error_of(&[("a.tmx", &bomb)]), format!("a.tmx:1: {message}"));
}

#[test]
fn elements_and_files_have_few_attributes_and_namespaces() {
    let many = |count: usize| -> String { (0..count).map(|at| format!(r#"a{at}="=" "#)).collect() };
    let inner = format!(r#"<objectgroup name="o">{}</objectgroup>"#, objects(1, ""));
    // With the two of the map itself.
    scene_of(&[("a.tmx", &map(&many(254), &inner))]);
    let found = error_of(&[("a.tmx", &format!("<!-- '\" -->\n{}", map(&many(255), &inner)))]);
    assert_eq!(
        found,
        "a.tmx:2: an element has 256 attributes at most; take some away"
    );
    // A comment and a text are no attributes.
    let text = format!("<!-- {} --> {}", "= ".repeat(300), "' ".repeat(300));
    scene_of(&[("a.tmx", &map("", &format!("{text}{inner}")))]);
    let spaces: String = (0..257).map(|at| format!(r#"<g xmlns:a{at}="b"/>"#)).collect();
    let found = error_of(&[("a.tmx", &map("", &format!("{spaces}{inner}")))]);
    assert_eq!(
        found,
        "a.tmx: has more than 256 namespaces (xmlns); take them away"
    );
}

/// An object of two bytes becomes a struct of hundreds.
#[test]
fn files_in_json_have_as_many_objects_as_may_be() {
    let many = vec!["{}"; 1 << 22].join(",");
    let message = "has more than 4194304 objects of JSON; divide it";
    let tiled = format!(
        r#"{{"tilewidth": 16, "tileheight": 16, "layers": [{{"type": "objectgroup", "objects": [{many}]}}]}}"#
    );
    assert_eq!(error_of(&[("a.tmj", &tiled)]), format!("a.tmj: {message}"));
    let ldtk = format!(r#"{{"defaultGridSize": 16, "levels": [{many}]}}"#);
    assert_eq!(error_of(&[("a.ldtk", &ldtk)]), format!("a.ldtk: {message}"));
}

/// The name of a layer is in the names of its objects, and in what is said of them.
#[test]
fn long_names_of_layers_are_cut() {
    let long = "n".repeat(1 << 16);
    let layer = |inner: &str| {
        map(
            "",
            &format!(r#"<objectgroup name="{long}">{inner}</objectgroup>"#),
        )
    };
    let scene = scene_of(&[("a.tmx", &layer(&objects(20, "")))]);
    assert!(scene.text().len() < 20 << 10, "{}", scene.text().len());
    let scene = scene.scene().expect("its names are not too long");
    let names: Vec<&str> = scene.instances().map(|(name, _)| name).collect();
    assert_eq!(names[0], &long[..239]);
    assert_eq!(names[19], format!("{} 20", &long[..239]));
    let found = error_of(&[("a.tmx", &layer(r#"<object id="7" x="inf"/>"#))]);
    assert!(
        found.len() < 1000 && found.ends_with("inf is no finite number"),
        "{found}"
    );
}

#[test]
fn long_classes_are_refused() {
    let long = "c".repeat(1 << 16);
    let message = "a class has 255 bytes at most; give another";
    let of_object = map(
        "",
        &format!(
            r#"<objectgroup name="o">{}</objectgroup>"#,
            objects(3, &format!(r#"class="{long}""#))
        ),
    );
    let of_tile = map(
        "",
        &format!(
            r#"<tileset firstgid="1" tilewidth="16" tileheight="16" tilecount="1"><tile id="0" class="{long}"/></tileset>
            <objectgroup name="o">{}</objectgroup>"#,
            objects(3, r#"gid="1""#)
        ),
    );
    for map in [&of_object, &of_tile] {
        assert_eq!(
            error_of(&[("a.tmx", map)]),
            format!(r#"a.tmx: layer "o", object 0: {message}"#)
        );
    }
}

/// What a template says counts for each object, whether or not it becomes anything.
#[test]
fn the_points_of_a_template_count_for_each_object() {
    let points = "0,0 ".repeat(200_000);
    let template = format!(r#"<template><object><point/><polygon points="{points}"/></object></template>"#);
    let objects = r#"<object template="a.tx"/>"#.repeat(50);
    let map = map("", &format!(r#"<objectgroup name="o">{objects}</objectgroup>"#));
    let found = error_of(&[("a.tmx", &map), ("a.tx", &template)]);
    assert!(
        found.ends_with("are more than 134217728 bytes; take some away"),
        "{found}"
    );
}

/// The names of all placements are known before the scene is read: no more than it may have.
#[test]
fn grids_of_a_scene_file_are_counted_before_their_names_are_made() {
    let grid = |name: &str, rows: u32| {
        format!(r#"Grid(name: "{name}", entity: "a", columns: 1000, rows: {rows}, spacing: (1, 1)),"#)
    };
    let scene = format!(
        "(entities: {{\"a\": {{}}}}, place: [\n{}\n{}\n{}])",
        grid("a", 600),
        grid("b", 600),
        grid("c", 100_000)
    );
    assert_eq!(
        error_of(&[("a.tmx", &with_scene("")), ("s.ron", &scene)]),
        "s.ron:3: the scene places 1200000 instances up to here; the limit is 1000000"
    );
    // A name that is too long is made no thousand times, but refused by the scene.
    let scene = format!(
        "(entities: {{\"a\": {{}}}}, place: [{}])",
        grid(&"n".repeat(1 << 16), 900)
    );
    let map = with_scene("");
    let found = scene_of(&[("a.tmx", &map), ("s.ron", &scene)]).scene();
    assert!(found.is_err_and(|error| error.line == Some(1)));
}

#[test]
fn entities_of_a_scene_file_have_few_components_and_fields() {
    let entity = |inner: &str| format!("(entities: {{\n\"a\": {{{inner}}}}})");
    let components: String = (0..1025).map(|at| format!("\"c{at}\": Tag(),")).collect();
    let found = error_of(&[("a.tmx", &with_scene("")), ("s.ron", &entity(&components))]);
    assert!(
        found.starts_with("s.ron:2: an entity has 1024 components at most"),
        "{found}"
    );
    let fields = |from: usize, to: usize| -> String { (from..to).map(|at| format!("f{at}: 1,")).collect() };
    let found = error_of(&[
        ("a.tmx", &with_scene("")),
        ("s.ron", &entity(&format!("\"c\": Tag({})", fields(0, 1025)))),
    ]);
    assert!(
        found.starts_with("s.ron:2: is no scene file: more than 1024 names with values in one place"),
        "{found}"
    );
    // With those that it inherits.
    let heir = format!(
        "(entities: {{\"a\": {{\"c\": Tag({})}},\n\"b\": {{\"base\": Inherits(\"a\"), \"c\": Tag({})}}}})",
        fields(0, 1000),
        fields(1000, 2000)
    );
    let found = error_of(&[("a.tmx", &with_scene("")), ("s.ron", &heir)]);
    assert!(
        found.starts_with("s.ron:2: a component has 1024 properties at most"),
        "{found}"
    );
    // A change of a component is a copy of the rest of it.
    let long = "x".repeat(1 << 20);
    let heirs: String = (0..300)
        .map(|at| format!("\"e{at}\": {{\"base\": Inherits(\"a\"), \"c\": Tag(g: 1)}},\n"))
        .collect();
    let heirs = format!("(entities: {{\"a\": {{\"c\": Tag(f: \"{long}\")}},\n{heirs}}})");
    let found = error_of(&[("a.tmx", &with_scene("")), ("s.ron", &heirs)]);
    assert!(
        found.starts_with("s.ron:") && found.ends_with("have 268435456 bytes, with those that they inherit"),
        "{found}"
    );
}
