//! Projects of LDtk: levels, worlds, IntGrids, entities with fields.

use crate::support::{SCENE, error_of, is_solid, place_of, read_with, scene_of, shown, world_of};
use tombolo_maps::Options;

/// A level: 4 by 3 cells of 16 pixels, with what stands in an entity layer.
fn level(name: &str, place: [i32; 2], cells: &str, entities: &str) -> String {
    format!(
        r#"{{"identifier": "{name}", "iid": "{name}-iid", "worldX": {}, "worldY": {}, "worldDepth": 0, "pxWid": 64, "pxHei": 48,
        "fieldInstances": [{{"__identifier": "scene", "__type": "FilePath", "__value": "scene.ron"}}], "layerInstances": [
        {{"__identifier": "Entities", "__type": "Entities", "__cWid": 4, "__cHei": 3, "__gridSize": 16,
          "__pxTotalOffsetX": 0, "__pxTotalOffsetY": 0, "layerDefUid": 2, "intGridCsv": [], "entityInstances": [{entities}]}},
        {{"__identifier": "Ground", "__type": "IntGrid", "__cWid": 4, "__cHei": 3, "__gridSize": 16,
          "__pxTotalOffsetX": 0, "__pxTotalOffsetY": 8, "layerDefUid": 1, "intGridCsv": [{cells}], "entityInstances": []}}
        ]}}"#,
        place[0], place[1]
    )
}

fn project(layout: &str, levels: &[String]) -> String {
    format!(
        r#"{{"jsonVersion": "1.5.3", "defaultGridSize": 16, "worldLayout": "{layout}", "defs": {{"layers": [
        {{"uid": 1, "identifier": "Ground", "intGridValues": [{{"value": 1, "identifier": "walls"}},
          {{"value": 2, "identifier": "water"}}, {{"value": 3, "identifier": "nothing"}}, {{"value": 4, "identifier": null}}]}},
        {{"uid": 2, "identifier": "Entities", "intGridValues": []}}]}},
        "levels": [{}], "worlds": []}}"#,
        levels.join(", ")
    )
}

const CELLS: &str = "0,0,0,3, 1,2,2,3, 1,1,1,1";

fn entity(name: &str, iid: &str, fields: &str) -> String {
    format!(
        r#"{{"__identifier": "{name}", "iid": "{iid}", "__pivot": [0.5, 1], "px": [32, 32], "width": 32, "height": 16,
        "fieldInstances": [{fields}]}}"#
    )
}

#[test]
fn values_become_solid_ground_or_what_the_scene_file_says() {
    let map = project("Free", &[level("One", [160, -48], CELLS, "")]);
    let world = world_of(&[("a.ldtk", &map), ("scene.ron", SCENE)]);
    // Walls are two long shapes, water is one trigger, what has no place for a shape is left out.
    assert_eq!(world.physics().counters().shapes, 3);
    let (x, y) = (10.0, 3.0);
    assert!(is_solid(&world, x + 0.5, y - 2.0) && is_solid(&world, x + 3.9, y - 3.4));
    assert!(!is_solid(&world, x + 1.5, y - 2.0), "water is no ground");
    assert!(!is_solid(&world, x + 3.5, y - 1.0));
    assert_eq!(shown(&world, "One/Ground", "tiles.cell_size"), "F32(1.0)");
}

#[test]
fn entities_have_their_fields_and_their_size() {
    let fields = r#"{"__identifier": "body__linear_velocity", "__type": "String", "__value": "(1, 2)"},
        {"__identifier": "drawn__material", "__type": "LocalEnum.Materials", "__value": "ice"},
        {"__identifier": "body__bullet", "__type": "Bool", "__value": true},
        {"__identifier": "body__speed_max", "__type": "Float", "__value": null},
        {"__identifier": "price", "__type": "Int", "__value": 3},
        {"__identifier": "name", "__type": "String", "__value": "first"}"#;
    let entities = [entity("crate", "a-1", fields), entity("heavy crate", "a-2", "")].join(", ");
    let map = project("GridVania", &[level("One", [0, 0], CELLS, &entities)]);
    let world = world_of(&[("a.ldtk", &map), ("scene.ron", SCENE)]);
    assert_eq!(place_of(&world, "first"), (2.0, -1.5, 0.0));
    assert_eq!(shown(&world, "first", "drawn.size"), "Vec2(Vec2(2.0, 1.0))");
    assert_eq!(
        shown(&world, "first", "body.linear_velocity"),
        "Vec2(Vec2(1.0, 2.0))"
    );
    assert_eq!(shown(&world, "first", "drawn.friction"), "F32(0.0)");
    assert_eq!(shown(&world, "first", "body.bullet"), "Bool(true)");
    assert_eq!(shown(&world, "heavy crate", "body.linear_damping"), "F32(0.5)");
}

/// A field of the type Tile is a picture: an icon in the editor of a game.
#[test]
fn pictures_of_an_entity_are_only_visible() {
    let tile = r#"{"tilesetUid": 1, "x": 0, "y": 0, "w": 16, "h": 16}"#;
    let fields = format!(
        r#"{{"__identifier": "icon", "__type": "Tile", "__value": {tile}}},
        {{"__identifier": "body", "__type": "Tile", "__value": {tile}}},
        {{"__identifier": "icons", "__type": "Array<Tile>", "__value": [{tile}]}},
        {{"__identifier": "body__bullet", "__type": "Bool", "__value": true}}"#
    );
    let map = project(
        "Free",
        &[level("One", [0, 0], CELLS, &entity("crate", "a-1", &fields))],
    );
    let world = world_of(&[("a.ldtk", &map), ("scene.ron", SCENE)]);
    assert_eq!(shown(&world, "crate", "body.bullet"), "Bool(true)");
}

#[test]
fn points_and_references_are_those_of_the_world() {
    let scene = r#"(entities: {
        "walker": {"body": Body(kind: Kinematic), "legs": Agent(speed: 2)},
        "post": {"body": Body(), "drawn": Collider(shape: Circle(radius: 1))},
        "bob": {"body": Body(kind: Dynamic), "drawn": Collider(shape: Circle(radius: 1)), "rope": Joint(to: Parent, kind: Weld())},
    })"#;
    let goal = r#"{"__identifier": "legs__goal", "__type": "Point", "__value": {"cx": 3, "cy": 1}}"#;
    let to = r#"{"__identifier": "rope__to", "__type": "EntityRef",
        "__value": {"entityIid": "p-1", "layerIid": "", "levelIid": "", "worldIid": ""}}"#;
    let entities = [
        entity("walker", "w-1", goal),
        entity("bob", "b-1", to),
        entity("post", "p-1", ""),
    ]
    .join(", ");
    let map = project(
        "Free",
        &[level("One", [160, 0], "0,0,0,0,0,0,0,0,0,0,0,0", &entities)],
    );
    let world = world_of(&[("a.ldtk", &map), ("scene.ron", scene)]);
    assert_eq!(shown(&world, "walker", "legs.goal"), "Vec2(Vec2(13.5, -1.5))");
    assert_eq!(shown(&world, "bob", "rope.to_name"), "String(\"post\")");
    assert_eq!(world.physics().counters().joints, 1);
}

#[test]
fn levels_lie_side_by_side_or_one_is_chosen() {
    let entities = |name: &str| entity("crate", name, "");
    let levels = |far: [i32; 2]| {
        [
            level("One", [0, 0], CELLS, &entities("a")),
            level("Two", far, CELLS, &entities("b")),
        ]
    };
    for (layout, far, second) in [
        ("Free", [640, 160], (42.0, -11.5)),
        ("LinearHorizontal", [-1, -1], (6.0, -1.5)),
        ("LinearVertical", [-1, -1], (2.0, -4.5)),
    ] {
        let map = project(layout, &levels(far));
        let world = world_of(&[("a.ldtk", &map), ("scene.ron", SCENE)]);
        assert_eq!(place_of(&world, "crate"), (2.0, -1.5, 0.0), "{layout}");
        assert_eq!(place_of(&world, "crate 2"), (second.0, second.1, 0.0), "{layout}");
    }
    let map = project("Free", &levels([640, 160]));
    let only = |level: &str| {
        let options = Options {
            level: Some(level.to_string()),
            ..Options::default()
        };
        read_with(&[("a.ldtk", &map), ("scene.ron", SCENE)], &options)
    };
    let scene = only("Two").unwrap().scene().unwrap();
    let names: Vec<(&str, f32)> = scene
        .instances()
        .map(|(name, pose)| (name, pose.position.x))
        .collect();
    assert!(
        names.contains(&("crate", 42.0)) && names.iter().all(|(name, _)| *name != "crate 2"),
        "{names:?}"
    );
    let error = only("Twoo").unwrap_err().to_string();
    assert_eq!(error, r#"a.ldtk: has no level "Twoo"; did you mean "Two"?"#);
    let error = only("").unwrap_err().to_string();
    assert_eq!(
        error,
        "a.ldtk: the name of the level is empty; there are: One, Two"
    );
    let many: Vec<String> = (0..23)
        .map(|number| level(&format!("L{number:02}"), [0, 0], CELLS, ""))
        .collect();
    let options = Options {
        level: Some(String::new()),
        ..Options::default()
    };
    let many = [("a.ldtk", &*project("Free", &many)), ("scene.ron", SCENE)];
    let error = read_with(&many, &options).unwrap_err().to_string();
    assert!(error.ends_with(": L00, L01, L02, L03, L04, L05, L06, L07, L08, L09, L10, L11, L12, L13, L14, L15, L16, L17, L18, \
        L19 and 3 more"), "{error}");
}

#[test]
fn levels_in_files_of_their_own_are_the_same() {
    let whole = level("One", [0, 0], CELLS, &entity("crate", "a", ""));
    let inside = scene_of(&[
        ("maps/a.ldtk", &project("Free", std::slice::from_ref(&whole))),
        ("maps/scene.ron", SCENE),
    ]);
    let outline = r#"{"identifier": "One", "worldX": 0, "worldY": 0, "pxWid": 64, "pxHei": 48, "layerInstances": null,
        "externalRelPath": "a/One.ldtkl", "fieldInstances": [{"__identifier": "scene", "__value": "scene.ron"}]}"#;
    let outside = scene_of(&[
        ("maps/a.ldtk", &project("Free", &[outline.to_string()])),
        ("maps/a/One.ldtkl", &whole),
        ("maps/scene.ron", SCENE),
    ]);
    assert_eq!(inside.text(), outside.text());
}

#[test]
fn a_world_of_several_is_chosen() {
    let worlds = format!(
        r#"{{"defaultGridSize": 16, "levels": [], "worlds": [
        {{"identifier": "Over", "worldLayout": "Free", "levels": [{}]}},
        {{"identifier": "Under", "worldLayout": "LinearHorizontal", "levels": [{}]}}]}}"#,
        level("One", [0, 0], CELLS, ""),
        level("Two", [-1, -1], CELLS, "")
    );
    let list = [("a.ldtk", &*worlds), ("scene.ron", SCENE)];
    let message = "a.ldtk: has several worlds; choose one as the level: Over, Under";
    assert_eq!(error_of(&list), message);
    let empty = Options {
        level: Some(String::new()),
        ..Options::default()
    };
    let error = read_with(&list, &empty).unwrap_err().to_string();
    assert_eq!(
        error,
        "a.ldtk: the name of the level is empty; there are: One, Over, Two, Under"
    );
    for wanted in ["Under", "Two"] {
        let options = Options {
            level: Some(wanted.to_string()),
            ..Options::default()
        };
        let scene = read_with(&list, &options).and_then(|map| map.scene()).unwrap();
        assert!(scene.instance_count() > 1, "{wanted}");
    }
}

/// PF-24: what is drawn alike in both editors becomes the same ground.
#[test]
fn pf_24_a_level_of_ldtk_is_that_of_tiled() {
    let cells = "1,0,0,1, 1,0,1,1, 1,1,1,1";
    let drawn = project("Free", &[level("One", [0, 0], cells, "")]).replace("scene.ron", "");
    let ldtk = scene_of(&[("a.ldtk", &drawn)]);
    let map = format!(
        r#"<map width="4" height="3" tilewidth="16" tileheight="16">
        <tileset firstgid="1" name="t" tilewidth="16" tileheight="16"/>
        <layer name="Ground" offsety="8" width="4" height="3"><properties><property name="solid" type="bool" value="true"/>
        </properties><data encoding="csv">{cells}</data></layer></map>"#
    );
    let tiled = scene_of(&[("a.tmx", &map)]);
    let without_file = |text: &str| {
        text.split_once('\n')
            .map(|(_, rest)| rest.replace("One/Ground", "Ground"))
    };
    assert_eq!(without_file(ldtk.text()), without_file(tiled.text()));
}

#[test]
fn the_tiles_of_layers_are_pictures() {
    let tiles = r#"{"px": [0, 16], "src": [32, 48], "f": 0, "a": 1}, {"px": [16, 16], "src": [0, 0], "f": 3, "a": 0.5}"#;
    let map = project("Free", &[level("One", [160, 0], CELLS, "")])
        .replace(
            r#""intGridCsv": [0,0"#,
            &format!(
                r#""__tilesetDefUid": 7, "__tilesetRelPath": "art/a.png", "__opacity": 0.5,
            "autoLayerTiles": [{tiles}], "intGridCsv": [0,0"#
            ),
        )
        .replace(
            r#""defs": {"#,
            r#""defs": {"tilesets": [{"uid": 7, "tileGridSize": 16}], "#,
        );
    let scene = scene_of(&[("maps/a.ldtk", &map), ("maps/scene.ron", SCENE)]);
    let [first, second] = scene.pictures() else {
        panic!("{:?}", scene.pictures())
    };
    assert_eq!(first.part, [32.0, 48.0, 16.0, 16.0]);
    assert_eq!(
        (first.corner, first.right, first.down),
        ([10.0, -1.5], [1.0, 0.0], [0.0, -1.0])
    );
    // Mirrored both ways its corner is the lower right one.
    assert_eq!(
        (second.corner, second.right, second.down),
        ([12.0, -2.5], [-1.0, 0.0], [0.0, 1.0])
    );
    assert_eq!([first.opacity, second.opacity], [0.5, 0.25]);
    assert_eq!(&*first.image, std::path::Path::new("maps/art/a.png"));
    // A wall is a cell of its level's tiles; water is a shape of the scene file's.
    assert_eq!(
        (first.entity.as_deref(), first.cell),
        (Some("One/Ground"), Some([0, 1]))
    );
    assert_eq!((&second.entity, second.cell), (&None, None));
}

/// An automatic layer may show the cells of an IntGrid above it, with an offset of its own; a tile layer shows no cells.
#[test]
fn automatic_tiles_are_those_of_the_cells_that_they_show() {
    let layer = |kind: &str, definition: u32, offset: u32, list: &str, tiles: &str| {
        format!(
            r#"{{"__identifier": "{kind}", "__type": "{kind}", "__cWid": 4, "__cHei": 3, "__gridSize": 16, "layerDefUid": {definition},
            "__pxTotalOffsetX": 0, "__pxTotalOffsetY": {offset}, "__tilesetDefUid": 7, "__tilesetRelPath": "a.png",
            "intGridCsv": [], "entityInstances": [], "{list}": [{tiles}]}}"#
        )
    };
    let tile = |x: i32, y: i32| format!(r#"{{"px": [{x}, {y}], "src": [0, 0], "f": 0}}"#);
    // The ground lies 8 pixels lower than its level; the automatic layer 10. One tile is beyond the grid, one in the air.
    let automatic =
        [(0, 14), (48, 30), (16, 30), (0, -2), (-16, 14), (64, 14), (0, 62)].map(|(x, y)| tile(x, y));
    let below = [
        layer("AutoLayer", 5, 10, "autoLayerTiles", &automatic.join(",")),
        layer("Tiles", 6, 8, "gridTiles", &tile(0, 16)),
    ];
    let map = ["One", "Two"].map(|name| {
        let place = if name == "One" { [160, 0] } else { [-160, 320] };
        level(name, place, CELLS, "").replace("\n        ]}", &format!(",{}]}}", below.join(",")))
    });
    let map = project("Free", &map).replace(
        r#""defs": {"layers": ["#,
        r#""defs": {"tilesets": [{"uid": 7, "tileGridSize": 16}], "layers": [{"uid": 5, "autoSourceLayerDefUid": 1}, "#,
    );
    let scene = scene_of(&[("a.ldtk", &map), ("scene.ron", SCENE)]);
    let of = scene
        .pictures()
        .iter()
        .map(|picture| (picture.entity.as_deref(), picture.cell));
    let of: Vec<_> = of.collect();
    let expected = ["One/Ground", "Two/Ground"].map(|name| {
        let cell = |column, row| (Some(name), Some([column, row]));
        [
            vec![(None, None), cell(0, 1), cell(3, 0), cell(1, 0)],
            vec![(None, None); 4],
        ]
        .concat()
    });
    assert_eq!(of, expected.concat());
}
