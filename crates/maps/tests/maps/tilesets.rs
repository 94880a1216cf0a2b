//! What a tileset of Tiled says of how its tiles are drawn: their shapes lie where the pictures do.

use std::collections::BTreeSet;
use std::path::Path;

use crate::support::{error_of, is_solid, place_of, world_of};
use tombolo::World;
use tombolo_maps::{Options, Picture};

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

/// A quarter turn clockwise, as the editor writes it.
const TURNED: u32 = 1 << 31 | 1 << 29;

/// The editor stretches a picture before it turns it, and does not turn its tileset's offset: a cell of 32 by 16 pixels
/// holds a turned picture of 16 by 32, with the same lower left corner.
#[test]
fn a_turned_picture_that_is_stretched_lies_as_the_editor_draws_it() {
    let map = format!(
        r#"<map width="4" height="2" tilewidth="32" tileheight="16">
        <properties><property name="pixels_per_meter" type="float" value="16"/></properties>
        <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilerendersize="grid"><tileoffset x="4" y="2"/>
         <tile id="0"><objectgroup><object id="1" x="0" y="0" width="8" height="16"/></objectgroup></tile></tileset>
        <layer name="l" width="1" height="2"><data encoding="csv">0,{gid}</data></layer>
        <objectgroup name="o"><object id="7" name="box" gid="{gid}" x="64" y="32" width="32" height="16"/></objectgroup>
        </map>"#,
        gid = 1 | TURNED
    );
    let world = world_of(&[("a.tmx", &map)]);
    // The left half of the picture is the upper half of the turned one.
    for (x, y) in [(0.55, -0.2), (1.45, -0.2), (0.55, -1.1), (1.45, -1.1)] {
        assert!(is_solid(&world, x, y), "{x} {y}");
    }
    for (x, y) in [(0.45, -0.6), (1.55, -0.6), (1.0, -0.05), (1.0, -1.2)] {
        assert!(!is_solid(&world, x, y), "{x} {y}");
    }
    assert_eq!(place_of(&world, "box"), (5.0, -1.125, 0.0));
    for (y, is_full) in [(-0.05, false), (-0.2, true), (-1.1, true), (-1.2, false)] {
        assert_eq!(is_solid(&world, 4.55, y), is_full, "{y}");
    }
    assert!(!is_solid(&world, 4.45, -0.6) && !is_solid(&world, 5.55, -0.6));
}

/// What is seen: the part of the image, and where its upper left corner is and where its sides lead.
type Seen = ([f32; 4], [f32; 2], [f32; 2], [f32; 2]);

fn seen(picture: &Picture) -> Seen {
    (picture.part, picture.corner, picture.right, picture.down)
}

/// Tiles of 16 pixels in an image with a margin of 1 and 2 between them: three columns.
const SHEET: &str = r#"<tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="6" columns="3" margin="1" spacing="2">
    <image source="art/sheet.png" width="54" height="36"/></tileset>"#;

#[test]
fn the_pictures_of_tiles_lie_where_the_tiles_do() {
    let map = format!(
        r#"<map width="2" height="1" tilewidth="16" tileheight="16">{SHEET}
        <layer name="ground" width="2" height="1"><data encoding="csv">5,{turned}</data></layer>
        <layer name="far" opacity="0.5" width="2" height="1"><properties><property name="solid" type="bool" value="false"/>
         </properties><data encoding="csv">0,1</data></layer>
        <layer name="hidden" visible="0" width="2" height="1"><data encoding="csv">1,1</data></layer>
        <objectgroup name="o"><object id="1" name="box" class="crate" gid="2" x="64" y="32" width="32" height="32"/>
         <object id="2" gid="3" x="0" y="64" width="16" height="16" rotation="90"/></objectgroup></map>"#,
        turned = 1 | TURNED
    );
    let scene = crate::support::scene_of(&[("levels/a.tmx", &map)]);
    let pictures = scene.pictures();
    let plain = ([1.0, 0.0], [0.0, -1.0]);
    let part = |column: u8, row: u8| [column, row].map(|at| f32::from(at) * 18.0 + 1.0);
    let place = |[left, top]: [f32; 2]| [left, top, 16.0, 16.0];
    let expected = [
        (place(part(1, 1)), [0.0, 0.0], plain.0, plain.1),
        // Turned clockwise: what was its upper left corner is the upper right one, and its upper side leads down.
        (place(part(0, 0)), [2.0, 0.0], [0.0, -1.0], [-1.0, 0.0]),
        (place(part(0, 0)), [1.0, 0.0], plain.0, plain.1),
        // About the middle of its entity.
        (place(part(1, 0)), [-1.0, 1.0], [2.0, 0.0], [0.0, -2.0]),
        (place(part(2, 0)), [1.0, -4.0], [0.0, -1.0], [-1.0, 0.0]),
    ];
    let found: Vec<Seen> = pictures.iter().map(seen).collect();
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (found, expected) in found.iter().zip(&expected) {
        let numbers = |seen: &Seen| [&seen.0[..], &seen.1, &seen.2, &seen.3].concat();
        let near = numbers(found)
            .iter()
            .zip(numbers(expected))
            .all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near, "{found:?} and not {expected:?}");
    }
    let of: Vec<Option<&str>> = pictures.iter().map(|picture| picture.entity.as_deref()).collect();
    assert_eq!(of, [None, None, None, Some("box"), None]);
    let opacities: Vec<f32> = pictures.iter().map(|picture| picture.opacity).collect();
    assert_eq!(opacities, [1.0, 1.0, 0.5, 1.0, 1.0]);
    assert!(
        pictures
            .iter()
            .all(|picture| &*picture.image == Path::new("levels/art/sheet.png"))
    );
}

/// Each cell's picture is that of the cell of the component `Tiles` which has its tile: in infinite maps with chunks left of
/// and above the origin, flipped, in several layers, and with kinds that make grids of their own.
#[test]
fn pictures_of_cells_know_their_cells() {
    let set = r#"<tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="4" columns="4">
        <image source="sheet.png" width="64" height="16"/>
        <tile id="0"><objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile>
        <tile id="1"><objectgroup><object id="1" x="0" y="0"><polygon points="0,16 16,0 16,16"/></object></objectgroup></tile>
        <tile id="2"><properties><property name="tiles.friction" type="float" value="0.1"/></properties>
         <objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile></tileset>"#;
    let flipped = |flip: u32| 2 | flip << 29;
    let row = (0..8)
        .map(|flip| flipped(flip).to_string())
        .collect::<Vec<_>>()
        .join(",");
    let map = format!(
        r#"<map width="8" height="2" infinite="1" tilewidth="16" tileheight="16">{set}
        <layer name="ground" width="8" height="2" offsetx="32"><data encoding="csv">
         <chunk x="-8" y="-2" width="8" height="2">1,3,4,0,0,0,0,1,{row}</chunk>
         <chunk x="0" y="0" width="8" height="2">0,0,0,0,0,0,0,0,3,1,1,1,1,1,1,2</chunk></data></layer>
        <layer name="front" width="8" height="2"><data encoding="csv">
         <chunk x="0" y="0" width="2" height="1">4,1</chunk></data></layer></map>"#
    );
    for y_down in [false, true] {
        let options = Options {
            y_down: Some(y_down),
            ..Options::default()
        };
        let files = crate::support::files(&[("a.tmx", &map)]);
        let map = tombolo_maps::read(Path::new("a.tmx"), &options, &files).unwrap();
        let world = World::from_scene(&map.scene().unwrap()).unwrap();
        let mut seen = BTreeSet::new();
        for picture in map.pictures() {
            let tile = picture.part[0] as u32 / 16;
            let Some([column, row]) = picture.cell else {
                assert_eq!(
                    (tile, &picture.entity),
                    (3, &None),
                    "a tile without a shape is of no cell"
                );
                continue;
            };
            let name = picture.entity.as_deref().expect("a cell is that of an entity");
            let entity = world.find(name).unwrap();
            let grid = world.tile_grid(entity).unwrap();
            assert_ne!(grid.tile(column, row), Some(0), "{picture:?}");
            let center = grid.cell_center(column, row);
            for axis in 0..2 {
                let middle = picture.corner[axis] + 0.5 * (picture.right[axis] + picture.down[axis]);
                let off = f64::from(middle) - f64::from([center.x, center.y][axis]);
                assert!(off.abs() < 1e-4, "{picture:?}, {center:?}");
            }
            assert!(
                seen.insert((name.to_string(), column, row)),
                "each cell is shown once"
            );
        }
        let grids = world.physics().tile_grids();
        let tiles = grids.map(|grid| {
            let cells = (0..grid.height()).flat_map(|y| (0..grid.width()).map(move |x| (x, y)));
            cells.filter(|&(x, y)| grid.tile(x, y) != Some(0)).count()
        });
        assert_eq!(
            seen.len(),
            tiles.sum::<usize>(),
            "each cell with a tile has a picture"
        );
        assert_eq!(seen.len(), 20);
    }
}

/// A tile whose shapes are not those of a cell stays where it is, and so does one that a class makes into shapes.
#[test]
fn pictures_of_what_is_no_cell_have_none() {
    let map = r#"<map width="2" height="1" tilewidth="16" tileheight="16">
        <tileset firstgid="1" name="t" tilewidth="16" tileheight="16" tilecount="2" columns="2">
        <image source="sheet.png" width="32" height="16"/>
        <tile id="0"><objectgroup><object id="1" x="-4" y="0" width="24" height="16"/></objectgroup></tile>
        <tile id="1"><properties><property name="drawn.friction" type="float" value="0.1"/></properties>
         <objectgroup><object id="1" x="0" y="0" width="16" height="16"/></objectgroup></tile></tileset>
        <layer name="ground" width="2" height="1"><data encoding="csv">1,2</data></layer></map>"#;
    let scene = crate::support::scene_of(&[("a.tmx", map)]);
    let of: Vec<_> = scene
        .pictures()
        .iter()
        .map(|picture| (&picture.entity, picture.cell))
        .collect();
    assert_eq!(of, [(&None, None), (&None, None)]);
}

/// A layer that is only seen is no reason to refuse a map.
#[test]
fn a_layer_that_is_only_seen_may_be_wrong() {
    let map = format!(
        r#"<map width="1" height="1" tilewidth="16" tileheight="16">{SHEET}
        <layer name="far" width="1" height="1"><properties><property name="solid" type="bool" value="false"/></properties>
         <data encoding="csv">99,1,x</data></layer>
        <objectgroup name="o"><object id="1" name="box" x="0" y="0" width="16" height="16"/></objectgroup></map>"#
    );
    let scene = crate::support::scene_of(&[("a.tmx", &map)]);
    assert!(scene.pictures().is_empty());
}

/// Of a layer that is only seen and cannot be read to its end, what comes before is seen, and so are all other layers.
#[test]
fn a_layer_that_is_wrong_leaves_the_others_to_be_seen() {
    let layer = |side: u32, data: &str| {
        format!(
            r#"<layer name="far" width="{side}" height="{side}"><properties><property name="solid" type="bool" value="false"/>
            </properties>{data}</layer>"#
        )
    };
    let csv = |cells: &str| format!(r#"<data encoding="csv">{cells}</data>"#);
    let wrong = [
        (layer(2, &csv("1,1,999,1")), 2),
        (layer(2, &csv("1,x")), 0),
        (layer(2, r#"<data encoding="base85">1</data>"#), 0),
        (layer(1 << 13, &csv("1")), 0),
    ];
    for (first, seen) in wrong {
        let map = format!(
            r#"<map width="2" height="2" tilewidth="16" tileheight="16">{SHEET}{first}{}<objectgroup name="block">
            <object id="1" x="0" y="0" width="8" height="8"/></objectgroup></map>"#,
            layer(2, &csv("1,2,0,3"))
        );
        let scene = crate::support::scene_of(&[("a.tmx", &map)]);
        assert_eq!(scene.pictures().len(), seen + 3, "{first}");
    }
}
