//! Characters below ceilings of tiles: the case PF-7 for them.

use crate::character_support::{HALF, STAND, Stage};
use tombolo_physics::{BodyDef, CharacterInput, Tile, TileGridDef, TileShape, Vec2};

/// A floor and a ceiling of tiles of 1 m, from 12 m left of 0 to as far right of it: the lower side of the ceiling is 2 m high,
/// and from the left comes down by steps or slopes, as its rows say, the upper one first.
fn below_tiles(rows: [&str; 2]) -> Stage {
    let mut stage = Stage::new(-6.0, STAND);
    let fixed = BodyDef::fixed(-12.0, 0.0);
    let [floor, ceiling] = [0; 2].map(|_| stage.world.create_body(&fixed).unwrap());
    let tiles = vec![Tile::default(), Tile::new(TileShape::CeilingDown)];
    let width = rows[0].len() as u32;
    let ground = TileGridDef {
        origin: Vec2::new(0.0, -1.0),
        width,
        height: 1,
        tiles: tiles.clone(),
        cells: vec![1; rows[0].len()],
        ..TileGridDef::default()
    };
    stage.world.create_tile_grid(floor, &ground).unwrap();
    let cells = rows.iter().rev().flat_map(|row| row.bytes());
    let above = TileGridDef {
        origin: Vec2::new(0.0, 1.0),
        width,
        height: 2,
        tiles,
        cells: cells
            .map(|cell| b".#\\".iter().position(|&kind| kind == cell).unwrap() as u8)
            .collect(),
        ..TileGridDef::default()
    };
    stage.world.create_tile_grid(ceiling, &above).unwrap();
    stage
}

/// PF-7: below a flat ceiling of tiles it jumps against every one of them, falls back at once and gets on at its speed; where the
/// ceiling comes down to the floor, in a step or a slope, it rests, and gets out backward and by a jump.
#[test]
fn pf_7_a_tiled_ceiling_holds_nobody() {
    let mut stage = below_tiles(["########################", "........................"]);
    stage.character.position.x = -11.0;
    // Until it is as fast as it gets.
    for _ in 0..40 {
        stage.walk(6.0);
    }
    let mut in_air = 0;
    for step in 0..100 {
        let before = stage.at();
        stage.step(CharacterInput {
            walk: 6.0,
            jump: if stage.character.is_grounded() { 5.0 } else { 0.0 },
            ..CharacterInput::default()
        });
        let at = stage.at();
        assert!(at.y <= 2.0 - HALF, "step {step}: into the ceiling, at {at}");
        assert!(
            (at.x - before.x - 0.1).abs() < 1.0e-3,
            "step {step}: held back at {at}"
        );
        // Up 0.4 m at 5 m/s takes 6 steps, and down again 17.
        in_air = if stage.character.is_grounded() {
            0
        } else {
            in_air + 1
        };
        assert!(in_air <= 30, "step {step}: stuck below the ceiling at {at}");
    }

    for rows in [
        ["########################", "............\\###########"],
        ["########################", "............############"],
    ] {
        let mut stage = below_tiles(rows);
        for _ in 0..180 {
            stage.walk(6.0);
        }
        for _ in 0..60 {
            let before = stage.at();
            stage.walk(6.0);
            let moved = stage.at().distance(before);
            assert!(moved <= 0.001, "{rows:?}: moves by {moved} a step");
        }
        let wedged = stage.at();
        assert!(
            wedged.x > -1.0 && stage.overlap() <= 0.001,
            "{rows:?}: at {wedged}"
        );
        stage.step(CharacterInput {
            walk: -6.0,
            jump: 5.0,
            ..CharacterInput::default()
        });
        for _ in 0..30 {
            stage.walk(-6.0);
        }
        let out = wedged.x - stage.at().x;
        // It gains speed first: half a second of the way.
        assert!(out > 2.0, "{rows:?}: gets {out} m out");
    }
}
