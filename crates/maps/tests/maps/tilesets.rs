//! What a tileset of Tiled says of how its tiles are drawn: their shapes lie where the pictures do.

use crate::support::{error_of, is_solid, place_of, world_of};

/// A full tile of some pixels.
fn full(side: u32) -> String {
    format!(
        r#"<tile id="0"><objectgroup><object id="1" x="0" y="0" width="{side}" height="{side}"/></objectgroup></tile>"#
    )
}

#[test]
fn a_tileset_that_is_drawn_elsewhere_has_its_shapes_there() {
    let world = world_of(&[(
        "a.tmx",
        &format!(
            r#"<map width="8" height="8" tilewidth="16" tileheight="16">
            <tileset firstgid="1" name="t" tilewidth="16" tileheight="16"><tileoffset x="0" y="8"/>{}</tileset>
            <layer name="l" width="1" height="1"><data encoding="csv">1</data></layer>
            <objectgroup name="o"><object id="7" name="box" gid="1" x="32" y="16" width="32" height="32"/></objectgroup></map>"#,
            full(16)
        ),
    )]);
    // The cell is half a cell below its place; the object, twice as large, a whole one.
    assert!(is_solid(&world, 0.5, -1.4) && !is_solid(&world, 0.5, -0.4));
    assert_eq!(place_of(&world, "box"), (3.0, -1.0, 0.0));
    assert!(is_solid(&world, 3.0, -1.9) && is_solid(&world, 3.0, -0.1) && !is_solid(&world, 3.0, 0.5));
}

#[test]
fn the_offset_of_a_tileset_is_scaled_with_its_pictures() {
    let world = world_of(&[(
        "a.tmx",
        &format!(
            r#"<map width="8" height="8" tilewidth="16" tileheight="16">
            <tileset firstgid="1" name="t" tilewidth="32" tileheight="32" tilerendersize="grid">
             <tileoffset x="0" y="8"/>{}</tileset>
            <layer name="l" width="1" height="1"><data encoding="csv">1</data></layer></map>"#,
            full(32)
        ),
    )]);
    // Drawn at half its size, it is four pixels below, and not eight.
    assert!(is_solid(&world, 0.5, -0.3) && is_solid(&world, 0.5, -1.2));
    assert!(!is_solid(&world, 0.5, -0.2) && !is_solid(&world, 0.5, -1.3));
}

#[test]
fn a_tileset_that_keeps_proportions_keeps_those_of_objects() {
    let world = |mode: &str| {
        let map = format!(
            r#"<map width="8" height="8" tilewidth="16" tileheight="16">
            <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" {mode}>{}</tileset>
            <objectgroup name="o"><object id="7" name="box" gid="1" x="0" y="32" width="64" height="32"/></objectgroup></map>"#,
            full(16)
        );
        world_of(&[("a.tmx", &map)])
    };
    for (mode, is_wide) in [("", true), (r#"fillmode="preserve-aspect-fit""#, false)] {
        let world = world(mode);
        assert_eq!(place_of(&world, "box"), (2.0, -1.0, 0.0), "{mode}");
        assert!(
            is_solid(&world, 1.1, -0.1) && is_solid(&world, 2.9, -1.9),
            "{mode}"
        );
        let sides = [0.9, 3.1].map(|x| is_solid(&world, x, -1.0));
        assert_eq!(sides, [is_wide; 2], "{mode}");
    }
}

/// A map of one isometric cell of two meters by one, and a tileset whose pictures are twice as high as the cell.
fn isometric(grid: &str, object: &str) -> String {
    format!(
        r#"<map orientation="isometric" width="1" height="1" tilewidth="64" tileheight="32">
        <properties><property name="pixels_per_meter" type="float" value="32"/></properties>
        <tileset firstgid="1" name="t" tilewidth="64" tileheight="64">{grid}<tile id="0"><objectgroup>{object}</objectgroup>
        </tile></tileset><layer name="l" width="1" height="1"><data encoding="csv">1</data></layer></map>"#
    )
}

const ISOMETRIC: &str = r#"<grid orientation="isometric" width="64" height="32"/>"#;

#[test]
fn shapes_on_an_isometric_grid_are_those_of_the_cell_as_it_is_seen() {
    let whole = r#"<object id="1" x="0" y="0" width="32" height="32"/>"#;
    let world = world_of(&[("a.tmx", &isometric(ISOMETRIC, whole))]);
    for (x, y) in [(0.1, -0.5), (1.9, -0.5), (1.0, -0.05), (1.0, -0.95)] {
        assert!(is_solid(&world, x, y), "{x} {y}");
    }
    for (x, y) in [(0.1, -0.1), (1.9, -0.1), (0.1, -0.9), (1.9, -0.9), (0.5, 0.5)] {
        assert!(!is_solid(&world, x, y), "{x} {y}");
    }
    // The half of the cell at its lower right side, seen from above along its columns.
    let half = r#"<object id="1" x="16" y="0" width="16" height="32"/>"#;
    let world = world_of(&[("a.tmx", &isometric(ISOMETRIC, half))]);
    assert!(is_solid(&world, 1.9, -0.5) && is_solid(&world, 1.0, -0.9) && !is_solid(&world, 0.5, -0.5));
    // Objects turn on the screen about the place of their corner, which is the upper tip of the cell.
    let turned = r#"<object id="1" x="0" y="0" width="32" height="32" rotation="180"/>"#;
    let world = world_of(&[("a.tmx", &isometric(ISOMETRIC, turned))]);
    assert!(is_solid(&world, 1.0, 0.5) && is_solid(&world, 0.1, 0.5) && !is_solid(&world, 1.0, -0.5));
    // Without such a grid they are drawn on the picture.
    let flat = r#"<grid orientation="orthogonal" width="64" height="32"/>"#;
    for grid in ["", flat] {
        let world = world_of(&[("a.tmx", &isometric(grid, whole))]);
        assert!(is_solid(&world, 0.1, 0.9) && is_solid(&world, 0.9, 0.1) && !is_solid(&world, 1.1, 0.5));
    }
}

#[test]
fn an_isometric_grid_without_a_size_has_that_of_the_tiles() {
    let object = r#"<object id="1" x="0" y="0" width="64" height="64"/>"#;
    let grids = ["", r#"width="64""#, r#"height="32""#, r#"width="64" height="64""#];
    let worlds = grids.map(|size| {
        let grid = format!(r#"<grid orientation="isometric" {size}/>"#);
        world_of(&[("a.tmx", &isometric(&grid, object))])
    });
    for world in &worlds {
        for (x, y) in [(0.1, 0.0), (1.9, 0.0), (1.0, 0.9), (1.0, -0.9)] {
            assert!(is_solid(world, x, y), "{x} {y}");
        }
        for (x, y) in [(0.1, 0.9), (1.9, -0.9)] {
            assert!(!is_solid(world, x, y), "{x} {y}");
        }
    }
    let map = isometric(r#"<grid orientation="isometric"/>"#, object);
    let error = error_of(&[(
        "a.tmx",
        &map.replace(r#"name="t" tilewidth="64" tileheight="64""#, r#"name="t""#),
    )]);
    assert!(
        error.ends_with("neither the tileset's grid nor the tileset has a width and a height; give both"),
        "{error}"
    );
}

#[test]
fn a_tile_that_shows_a_part_of_a_picture_is_as_large_as_the_part() {
    let xml = r#"<map width="1" height="4" tilewidth="32" tileheight="32">
        <tileset firstgid="1" name="t" tilewidth="32" tileheight="32" tilecount="1" columns="0">
        <tile id="0" x="64" y="0" width="32" height="32"><image width="128" height="128" source="a.png"/>
        <objectgroup><object id="1" x="0" y="0" width="32" height="32"/></objectgroup></tile></tileset>
        <layer name="l" width="1" height="4"><data encoding="csv">0,0,0,1</data></layer></map>"#;
    let json = r#"{"width": 1, "height": 4, "tilewidth": 32, "tileheight": 32, "tilesets": [{"firstgid": 1, "name": "t",
        "tilewidth": 32, "tileheight": 32, "tilecount": 1, "columns": 0, "tiles": [{"id": 0, "x": 64, "y": 0, "width": 32,
        "height": 32, "image": "a.png", "imagewidth": 128, "imageheight": 128, "objectgroup": {"objects":
        [{"id": 1, "x": 0, "y": 0, "width": 32, "height": 32}]}}]}],
        "layers": [{"type": "tilelayer", "name": "l", "width": 1, "height": 4, "data": [0, 0, 0, 1]}]}"#;
    for (file, map) in [("a.tmx", xml), ("a.tmj", json)] {
        let world = world_of(&[(file, map)]);
        let rows = [-0.5, -1.5, -2.5, -3.5].map(|y| is_solid(&world, 0.5, y));
        assert_eq!(rows, [false, false, false, true], "{file}");
    }
}
