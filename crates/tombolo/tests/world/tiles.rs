//! The component Tiles: drawn in a scene file, edited by calls and scripts, saved, and refused with the place of what is wrong.

use tombolo::entity::Value;
use tombolo::physics::{Position, TileBlock, Vec2};
use tombolo::{Command, Event, Scene, World};

/// Ground of five rows with a hole, a slope, ice, and a box above the hole's lid.
const GROUND: &str = r##"(
    entities: {
        "ground": {
            "body": Body(),
            "tiles": Tiles(
                origin: (-10, -5),
                legend: ["# Full", "/ SlopeUp", "~ Full friction 0", "^ 0,0 1,0 0.5,1"],
                rows: ["14./###", "20#", "2:9#2.9#", "20~", "20#"],
            ),
        },
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 0.8, height: 0.8))},
        "digger": {"mind": Script(text: "SCRIPT")},
    },
    place: [
        One(name: "ground", entity: "ground"),
        One(name: "crate", entity: "crate", at: (0, 0.55)),
        One(name: "digger", entity: "digger"),
    ],
)"##;

fn world(script: &str) -> World {
    let text = GROUND.replace("SCRIPT", script);
    World::from_scene(&Scene::parse("ground.ron", &text).unwrap_or_else(|error| panic!("{error}"))).unwrap()
}

fn height(world: &World) -> f32 {
    world.pose(world.find("crate").unwrap()).unwrap().position.y
}

#[test]
fn rows_are_drawn_as_they_stand_and_edits_are_followed() {
    let mut world = world("fn on_tick(seconds) {}");
    let ground = world.find("ground").unwrap();
    let grid = world.tile_grid(ground).unwrap();
    assert_eq!([grid.width(), grid.height()], [20, 6]);
    let column =
        |world: &World, x: u32| -> String { (0..6).map(|y| world.tile(ground, x, y).unwrap()).collect() };
    assert_eq!(column(&world, 0), "#~###.");
    assert_eq!(column(&world, 9), "#~..#.");
    assert_eq!(column(&world, 14), "#~###/");
    assert_eq!(column(&world, 15), "#~####");
    assert_eq!(world.cell_at(ground, Position::new(-0.5, -0.5)), Some([9, 4]));
    assert_eq!(world.cell_center(ground, 9, 4), Some(Position::new(-0.5, -0.5)));
    assert_eq!(world.tile(ground, 20, 0), None);
    (0..90).for_each(|_| world.step());
    assert!((height(&world) - 0.4).abs() < 0.01, "{}", height(&world));
    world
        .apply(Command::FillTiles {
            entity: "ground".into(),
            block: TileBlock {
                width: 2,
                ..TileBlock::cell(9, 4)
            },
            tile: '.',
        })
        .unwrap();
    let saved = world.save();
    (0..90).for_each(|_| world.step());
    assert!(
        (height(&world) + 2.6).abs() < 0.01,
        "through the lid, to {}",
        height(&world)
    );
    let mut other = self::world("fn on_tick(seconds) {}");
    other.restore(&saved).unwrap();
    (0..90).for_each(|_| other.step());
    assert_eq!(other.state_hash(), world.state_hash());
    assert_eq!(column(&other, 9), "#~....");
    let error = world.set_tile(ground, 3, 3, '?').unwrap_err().to_string();
    assert_eq!(
        error,
        "entity \"ground\", component `tiles`: '?' is not in the legend"
    );
    let error = world.set_tile(ground, 3, 6, '#').unwrap_err().to_string();
    assert!(
        error.ends_with(
            "there are no 1 by 1 cells from column 3, row 6 on in a grid of 20 columns and 6 rows"
        ),
        "{error}"
    );
}

/// What was set by name has the grid made anew: of other rows, or as it is now, of another material.
#[test]
fn properties_make_the_grid_anew() {
    let mut world = world("fn on_tick(seconds) {}");
    let ground = world.find("ground").unwrap();
    world.set_tile(ground, 0, 5, '^').unwrap();
    world.set(ground, "tiles.friction", Value::F32(0.25)).unwrap();
    assert_eq!(world.tile(ground, 0, 5), Some('^'));
    let frictions = |world: &World| {
        let mut frictions: Vec<f32> = world
            .tile_grid(ground)
            .unwrap()
            .tiles()
            .iter()
            .map(|tile| tile.def.friction)
            .collect();
        frictions.dedup();
        frictions
    };
    assert_eq!(frictions(&world), [0.25, 0.0, 0.25]);
    world
        .set(ground, "tiles.origin", Value::Vec2(Vec2::new(-9.0, -5.0)))
        .unwrap();
    assert_eq!(world.tile(ground, 0, 5), Some('.'));
    let error = world
        .set(ground, "tiles.cell_size", Value::F32(1.0e-3))
        .unwrap_err()
        .to_string();
    assert!(error.contains("0.02"), "{error}");
    assert_eq!(world.physics().tile_grids().len(), 1);
    world.despawn(ground).unwrap();
    world.step();
    assert_eq!(world.physics().tile_grids().len(), 0);
}

#[cfg(feature = "script")]
#[test]
fn a_script_digs_and_fills_and_others_hear_who_was_left() {
    let mut world = world(
        "fn on_tick(seconds) { let ground = find(\\\"ground\\\"); \
         if time() > 1.0 && tile(ground, 9, 4) == \\\"#\\\" { \
         let cell = cell_at(ground, vec2(-0.5, -0.5)); fill_tiles(ground, cell.x, cell.y, 2, 1, \\\".\\\"); \
         set_tile(ground, 0, 5, \\\"^\\\"); } }",
    );
    let (ground, mut left) = (world.find("ground").unwrap(), false);
    for _ in 0..150 {
        world.step();
        left |= world.events().iter().any(|event| match event {
            Event::EndTouch(touch) => [touch.a, touch.b].contains(&ground),
            _ => false,
        });
    }
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    assert_eq!(world.tile(ground, 0, 5), Some('^'));
    assert!(height(&world) < -2.0, "{}", height(&world));
    assert!(left, "the crate has left the ground");
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let refused = |tiles: &str, message: &str| {
        let text = format!(
            "(entities: {{\"ground\": {{\"body\": Body(), \"tiles\": Tiles({tiles})}}}},\nplace: [])"
        );
        let error = Scene::parse("ground.ron", &text).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    };
    refused(
        r####"legend: ["# Full"], rows: ["##", "#x"]"####,
        "row 2: character 2, 'x', is not in the legend",
    );
    refused(r####"legend: ["# Ful"], rows: ["##"]"####, "unknown word \"Ful\"");
    refused(
        r####"legend: ["#"], rows: ["##"]"####,
        "no shape; give one of Full, BottomHalf",
    );
    refused(
        r####"legend: ["## Full"], rows: ["##"]"####,
        "begin it with the character",
    );
    refused(
        r####"legend: ["5 Full"], rows: ["5"]"####,
        "'5' cannot stand for a tile",
    );
    refused(
        r####"legend: ["# Full", "# Full"], rows: ["#"]"####,
        "'#' stands for something already",
    );
    refused(
        r####"legend: ["# Full friction"], rows: ["#"]"####,
        "friction of what?",
    );
    refused(
        r####"legend: ["# Full friction -2"], rows: ["#"]"####,
        "friction is -2, expected a number from 0 to 1000000",
    );
    refused(r####"legend: ["# 0,0 1,1"], rows: ["#"]"####, "legend");
    refused(
        r####"legend: ["# Full"], rows: ["99999999999999999999999#"]"####,
        "a grid has 134217728 at most",
    );
    refused(
        r####"legend: ["# Full"], rows: ["4294967295:4294967295#"]"####,
        "a grid has 134217728 at most",
    );
    refused(r####"legend: ["# Full"], rows: ["#3"]"####, "3 of what?");
    refused(r####"legend: ["# Full"], rows: ["x:#"]"####, "before a colon");
    refused(r####"cell_size: 0.001"####, "out of range");
}

#[test]
fn a_kind_of_tile_may_have_a_contact_skin() {
    let [bare, skinned] = ["# Full", "# Full contact_skin 0.25"].map(|kind| {
        let text = GROUND
            .replace("SCRIPT", "fn on_tick(seconds) {}")
            .replace("\"# Full\"", &format!("{kind:?}"))
            .replace("at: (0, 0.55)", "at: (-6, 1.5)");
        let mut world = World::from_scene(&Scene::parse("ground.ron", &text).unwrap()).unwrap();
        (0..180).for_each(|_| world.step());
        height(&world)
    });
    assert!((skinned - bare - 0.25).abs() < 1.0e-3, "{bare} and {skinned}");
}
