//! Grids of tiles in the hands of scripts: what is written into them, and what it costs.

use tombolo::{Scene, World};

use super::script;

/// A world with a small wall, a large field, a resource of the same, and an entity that runs a script.
fn world_of_tiles(script: &str) -> World {
    let text = format!(
        r##"(
            settings: (seed: 3),
            scripts: {{"s": r#"{script}"#}},
            entities: {{
                "wall": {{"body": Body(), "tiles": Tiles(legend: ["# Full", "/ SlopeUp"], rows: ["3#", "3#"])}},
                "field": {{"body": Body(), "grass": Tiles(legend: ["# Full"], rows: ["300:300#"])}},
                "lawn": {{"ground": Child(entity: "field")}},
                "digger": {{"mind": Script(name: "s")}},
            }},
            place: [
                One(name: "wall", entity: "wall"),
                One(name: "field", entity: "field", at: (0, -400)),
                One(name: "digger", entity: "digger"),
            ],
        )"##
    );
    let scene = Scene::parse("tiles.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

/// A character is what the reference asks for.
#[test]
fn cells_are_set_by_characters_as_by_texts() {
    let mut world = world_of_tiles(
        "fn on_spawn() {
            let wall = find(`wall`);
            set_tile(wall, 0, 0, '.');
            wall.set_tile(1, 0, `.`);
            fill_tiles(wall, 0, 1, 2, 1, '/');
            wall.fill_tiles(2, 1, 1, 1, `/`);
        }",
    );
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let wall = world.find("wall").expect("placed");
    let cells = |y: u32| -> String { (0..3).filter_map(|x| world.tile(wall, x, y)).collect() };
    assert_eq!([cells(1), cells(0)], ["///", "..#"]);
}

/// Where a cut reaches and where an explosion says so cells are emptied; elsewhere, and by default, they stay.
#[test]
fn tiles_are_cut_and_blown_away() {
    let mut world = world_of_tiles(
        "fn on_spawn() {
            cut_tiles(vec2(0.5, 3.0), vec2(0.5, 1.5), 0);
            cut_tiles(vec2(1.5, 1.5), vec2(1.5, 1.5), 0.25, 2);
            explode(vec2(2.5, 0.5), #{tile_radius: 0.4});
            explode(vec2(1.5, 0.5), #{radius: 3.0, impulse_per_length: 1.0});
        }",
    );
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let wall = world.find("wall").expect("placed");
    let cells = |y: u32| -> String { (0..3).filter_map(|x| world.tile(wall, x, y)).collect() };
    assert_eq!([cells(1), cells(0)], [".##", "##."]);
    assert_eq!(world.tile_grid(wall).expect("it is there").shape_count(), 2);
}

/// A grid is read, built and destroyed as a whole, whichever of its properties is set, and however few bytes say it.
#[test]
fn a_grid_that_is_made_anew_costs_its_cells() {
    let dear = "asked for changes that cost more than 100000 operations; the rest was left out";
    let used_up = "made more than 100000 operations in one call";
    let mut cheap = Vec::new();
    for (body, message) in [
        ("find(`wall`).set(`tiles.rows`, [`4096:32767#`]);", dear),
        ("find(`wall`).set(`tiles.rows`, [`150:150#`]);", dear),
        ("find(`wall`).set(`tiles.rows.1`, `4095:32767#`);", dear),
        ("find(`field`).set(`grass.rows`, [`#`]);", dear),
        ("find(`field`).set(`grass.friction`, 0.5);", dear),
        ("find(`field`).set(`grass.mask`, 3);", dear),
        ("find(`field`).set(`grass.origin.x`, 1.0);", dear),
        ("find(`field`).set(`grass.legend`, [`# HalfLower`]);", dear),
        (
            "for i in 0..600 { find(`wall`).set(`tiles.friction`, 0.001 * i); }",
            dear,
        ),
        (
            "spawn_entity(`wall`, #{set: #{\"tiles.rows\": [`4096:32767#`]}});",
            dear,
        ),
        ("spawn_entity(`field`);", dear),
        ("spawn_entity(`lawn`);", dear),
        (
            "for i in 0..64 { spawn_entity(`wall`, #{set: #{\"tiles.rows\": [`20:20#`]}}); }",
            dear,
        ),
        ("explode(vec2(9, -300), #{tile_radius: 500});", dear),
        ("cut_tiles(vec2(0, -400), vec2(300, -100), 0);", dear),
        // The strings of a list are read as others are.
        (
            "let s = ``; s.pad(10000, '.'); for i in 0..10 { find(`wall`).set(`tiles.rows`, [s]); }",
            used_up,
        ),
    ] {
        let mut world = world_of_tiles(&format!("fn on_tick(s) {{ {body} }}"));
        let before = (world.entity_count(), world.physics().counters().shapes);
        world.step();
        let fault = world.faults().first();
        if !fault.is_some_and(|fault| fault.ends_with(message)) {
            cheap.push(format!("{body}: {:?}", world.faults()));
        }
        // What costs too much by itself is not begun.
        if !body.starts_with("for") {
            let after = (world.entity_count(), world.physics().counters().shapes);
            assert_eq!(after, before, "{body}");
        }
    }
    assert!(cheap.is_empty(), "{}", cheap.join("\n"));
}

/// What a game asks of its scripts stays within what a call may cost.
#[test]
fn a_small_grid_is_made_anew_within_the_limits() {
    let mut world = world_of_tiles(
        "fn on_tick(s) {
            let wall = find(`wall`);
            wall.set(`tiles.rows`, [`40:40#`]);
            wall.set(`tiles.friction`, 0.25);
            spawn_entity(`wall`, #{name: `new`, position: vec2(0, 90), set: #{\"tiles.rows\": [`40:40#`]}});
        }",
    );
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let wall = world.find("wall").expect("placed");
    assert_eq!(world.tile_grid(wall).map(|grid| grid.width()), Some(40));
    let new = world.find("new").expect("spawned");
    assert_eq!(world.tile_grid(new).map(|grid| grid.height()), Some(40));
    assert!(script(&world, "digger").enabled);
}

/// Rows that make no grid are refused for what is wrong with them.
#[test]
fn rows_that_make_no_grid_are_refused_with_the_reason() {
    for (rows, message) in [
        (
            "[`4096:32769#`]",
            "32769 by 4096 cells; a grid has 134217728 at most",
        ),
        ("[`9?`]", "character 2, '?', is not in the legend"),
    ] {
        let mut world = world_of_tiles(&format!(
            "fn on_tick(s) {{ find(`wall`).set(`tiles.rows`, {rows}); }}"
        ));
        world.step();
        let faults = world.faults();
        assert!(
            faults.first().is_some_and(|fault| fault.contains(message)),
            "{faults:?}"
        );
    }
}
