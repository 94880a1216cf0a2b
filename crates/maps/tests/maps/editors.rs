//! What editors write although nobody has drawn it: corners that lie on each other, values that were cleared, old headers.

use crate::support::{TILESET, error_of, is_solid, place_of, scene_of, shown, world_of};

/// A map with one tile, whose collision figure is a polygon.
fn tile_of(points: &str) -> String {
    format!(
        r#"<map width="1" height="1" tilewidth="16" tileheight="16">
        <tileset firstgid="1" name="t" tilewidth="16" tileheight="16">
         <tile id="0"><objectgroup><object id="1" x="0" y="0"><polygon points="{points}"/></object></objectgroup></tile>
        </tileset>
        <layer name="l" width="1" height="1"><data encoding="csv">1</data></layer></map>"#
    )
}

#[test]
fn a_polygon_of_a_tile_is_solid_where_it_was_drawn() {
    // The whole cell, a slope down to the right, and the same with a corner that lies on its neighbor, first or last.
    for (points, is_full) in [
        ("0,0 16,0 16,16 0,16", true),
        ("16,16 16,0 0,0 0,16", true),
        ("0,0 16,0 16,16", false),
        ("0,0 16,0 16,16 16,16", false),
        ("0,0 0,0 16,0 16,16", false),
        ("0,0 16,0 16,16 0,0", false),
    ] {
        let world = world_of(&[("a.tmx", &tile_of(points))]);
        assert!(is_solid(&world, 0.8, -0.2), "{points}");
        assert_eq!(is_solid(&world, 0.2, -0.8), is_full, "{points}");
    }
    // An outline that crosses itself has the corners of the cell, and is none.
    let bow = error_of(&[("a.tmx", &tile_of("0,0 16,16 16,0 0,16"))]);
    assert!(bow.starts_with("a.tmx: "), "{bow}");
    // Two places are no area.
    let text = scene_of(&[("a.tmx", &tile_of("0,0 16,0 16,16"))])
        .text()
        .to_string();
    assert!(text.contains("CeilingDown"), "{text}");
    let flat = error_of(&[("a.tmx", &tile_of("0,0 16,16 16,16"))]);
    assert!(flat.starts_with("a.tmx: "), "{flat}");
}

/// Objects in a map with a header.
fn objects(header: &str, inner: &str) -> String {
    format!(
        r#"<?xml version="1.0"?>{header}<map width="2" height="2" tilewidth="16" tileheight="16">
        <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" columns="1"><image source="t.png" width="16" height="16"/></tileset>
        <objectgroup name="things">{inner}</objectgroup></map>"#
    )
}

#[test]
fn old_maps_name_the_definition_of_their_format() {
    let header = r#"<!DOCTYPE map SYSTEM "http://mapeditor.org/dtd/1.0/map.dtd">"#;
    let inner = r#"<object id="1" name="box" x="0" y="0" width="16" height="16"/>"#;
    let world = world_of(&[("a.tmx", &objects(header, inner))]);
    assert_eq!(place_of(&world, "box"), (0.5, -0.5, 0.0));
}

#[test]
fn the_picture_of_a_hidden_object_is_not_seen() {
    for (visible, count) in [("", 1), (r#"visible="1""#, 1), (r#"visible="0""#, 0)] {
        let inner = format!(
            r#"<object id="1" name="box" class="crate" gid="1" {visible} x="0" y="16" width="16" height="16">
            <properties><property name="body" type="class" propertytype="Body"/></properties></object>"#
        );
        let map = scene_of(&[("a.tmx", &objects("", &inner))]);
        assert_eq!(map.pictures().len(), count, "{visible}");
        let template = format!(r#"<template><object name="box" {visible}/></template>"#);
        let inner = inner.replacen(&format!("gid=\"1\" {visible}"), "gid=\"1\" template=\"t.tx\"", 1);
        let map = scene_of(&[("a.tmx", &objects("", &inner)), ("t.tx", &template)]);
        assert_eq!(map.pictures().len(), count, "of a template: {visible}");
    }
}

/// The editor writes an object's opacity since 1.12; that of a template holds for objects without one.
#[test]
fn an_object_is_seen_through_as_far_as_it_and_its_layer_are() {
    let opacity = |object: &str, template: &str| {
        let inner = format!(
            r#"<object id="1" template="t.tx" gid="1" {object} x="0" y="16" width="16" height="16"/>"#
        );
        let map = objects("", &inner).replace("<objectgroup", r#"<objectgroup opacity="0.5""#);
        let template = format!("<template><object {template}/></template>");
        let map = with_post(&map);
        let map = scene_of(&[("a.tmx", &map), ("t.tx", &template)]);
        map.pictures()
            .iter()
            .map(|picture| picture.opacity)
            .collect::<Vec<f32>>()
    };
    assert_eq!(opacity("", ""), [0.5]);
    assert_eq!(opacity(r#"opacity="0.5""#, ""), [0.25]);
    assert_eq!(opacity("", r#"opacity="0.25""#), [0.125]);
    assert_eq!(opacity(r#"opacity="0.5""#, r#"opacity="0.25""#), [0.25]);
    assert!(opacity(r#"opacity="0""#, "").is_empty());
}

/// A map with something that becomes an entity.
fn with_post(map: &str) -> String {
    map.replace(
        "</map>",
        r#"<objectgroup><object id="9" x="0" y="0" width="16" height="16"/></objectgroup></map>"#,
    )
}

/// In JSON the items of a list have their types beside them, also in a list that is a member of a class.
#[test]
fn lists_of_classes_are_the_same_in_both_forms() {
    let xml = r##"<object id="1" name="box" x="0" y="0" width="16" height="16"><properties>
        <property name="grid" type="class" propertytype="Tiles"><properties>
         <property name="legend" type="list"><item value="# Full"/><item value="_ Lower"/></property>
         <property name="rows" type="list"><item value="#_"/></property></properties></property>
        </properties></object>"##;
    let xml = scene_of(&[("a.tmx", &objects("", xml))]);
    let json = r##"{"width": 2, "height": 2, "tilewidth": 16, "tileheight": 16, "layers": [{"type": "objectgroup",
        "name": "things", "objects": [{"id": 1, "name": "box", "x": 0, "y": 0, "width": 16, "height": 16, "properties": [
        {"name": "grid", "type": "class", "propertytype": "Tiles", "value": {
         "legend": [{"type": "string", "value": "# Full"}, {"type": "string", "value": "_ Lower"}],
         "rows": [{"type": "string", "value": "#_"}]}}]}]}]}"##;
    let json = scene_of(&[("a.tmj", json)]);
    let body = |text: &str| text.split_once('\n').map(|(_, rest)| rest.to_string());
    assert!(xml.text().contains(r##"rows: ["#_"]"##), "{}", xml.text());
    assert_eq!(body(json.text()), body(xml.text()));
}

#[test]
fn what_was_cleared_in_the_editor_is_not_given() {
    let inner = r##"<object id="1" name="box" x="0" y="0" width="16" height="16"><properties>
        <property name="body" type="class" propertytype="Body"/>
        <property name="look" type="class" propertytype="Sprite"><properties>
         <property name="colour" type="color" value=""/><property name="layer" type="int" value="3"/></properties></property>
        <property name="rope" type="class" propertytype="Joint"><properties>
         <property name="from" type="object" value="0"/><property name="to" type="object" value="2"/></properties></property>
        </properties></object>
        <object id="2" name="post" x="32" y="0" width="16" height="16"/>"##;
    let map = objects("", inner);
    let world = world_of(&[("a.tmx", &map)]);
    assert_eq!(shown(&world, "box", "look.layer"), "I32(3)");
    assert_eq!(world.physics().counters().joints, 1);
    // A number of no object is a mistake still.
    let error = error_of(&[("a.tmx", &map.replace(r#"value="2""#, r#"value="9""#))]);
    assert!(error.contains("the map has no object 9"), "{error}");
}

#[test]
fn a_name_may_have_dots() {
    let inner = r#"<object id="1" name="door.1" x="0" y="0" width="16" height="16"/>
        <object id="2" name="door.1" x="32" y="0" width="16" height="16"/>"#;
    let world = world_of(&[("a.tmx", &objects("", inner))]);
    assert_eq!(place_of(&world, "door.1"), (0.5, -0.5, 0.0));
    assert_eq!(place_of(&world, "door.1 2"), (2.5, -0.5, 0.0));
}

#[test]
fn comments_part_no_tiles() {
    let map = |data: &str| {
        format!(
            r#"<map width="2" height="2" tilewidth="16" tileheight="16"><tileset firstgid="1" source="ground.tsx"/>
            <layer name="l" width="2" height="2"><data encoding="csv">{data}</data></layer></map>"#
        )
    };
    let text = |data: &str| {
        scene_of(&[("a.tmx", &map(data)), ("ground.tsx", TILESET)])
            .text()
            .to_string()
    };
    let plain = text("1,0,\n0,1");
    assert_eq!(text("<!-- row 1 -->1,0,<!-- row 2 -->\n0,1"), plain);
}

/// A scene file as a formatter writes it.
#[test]
fn an_ancestor_may_stand_in_a_line_of_its_own() {
    let scene = r#"(entities: {
        "crate": {"body": Body(), "drawn": Collider(shape: Box(width: 1, height: 1))},
        "heavy": {"base": Inherits( // the plain one
            "crate",
        )},
    })"#;
    let map = r#"<map width="1" height="1" tilewidth="16" tileheight="16">
        <properties><property name="scene" value="s.ron"/></properties>
        <objectgroup name="o"><object id="1" name="box" class="heavy" x="0" y="0" width="32" height="16"/></objectgroup></map>"#;
    let world = world_of(&[("a.tmx", map), ("s.ron", scene)]);
    assert!(is_solid(&world, 1.9, -0.5) && is_solid(&world, 0.1, -0.5));
}

/// Each of these has some bytes of text, and all that it inherits.
#[test]
fn a_scene_file_of_many_heirs_is_too_large() {
    let parts: String = (0..1000).map(|number| format!("\"p{number}\": Tag(),")).collect();
    let heirs: String = (0..1100)
        .map(|number| format!("\"e{number}\": {{\"b\": Inherits(\"base\")}},\n"))
        .collect();
    let map = r#"<map width="1" height="1" tilewidth="16" tileheight="16">
        <properties><property name="scene" value="s.ron"/></properties></map>"#;
    let scene = format!("(entities: {{\"base\": {{{parts}}},\n{heirs}}})");
    let error = error_of(&[("a.tmx", map), ("s.ron", &scene)]);
    assert_eq!(
        error,
        "s.ron:1049: an entity has 1024 components at most, and all together have 1048576, with those that they inherit"
    );
}
