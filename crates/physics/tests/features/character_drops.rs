//! Characters that drop through rows of one-way platforms: the row that they stood on lets them through wherever they are on
//! it, and any other platform holds them.

use crate::character_support::{HALF, STAND, Stage};
use tombolo_physics::{
    BodyId, BodyKind, CharacterInput, ContactRule, Shape, ShapeDef, Tile, TileGridDef, TileShape, Vec2,
};

const PLATFORM: u32 = 3;
const HERO: u32 = 1;

fn stage(x: f32, y: f32) -> Stage {
    let mut stage = Stage::new(x, y);
    stage.def.material = HERO;
    let rule = ContactRule {
        one_way: Some(Vec2::Y),
        ..ContactRule::default()
    };
    stage.world.set_contact_rule(PLATFORM, HERO, rule).unwrap();
    stage
}

fn plate(stage: &mut Stage, kind: BodyKind, left: f32, width: f32, top: f32) -> BodyId {
    let shape = Shape::new_box(width, 0.2).unwrap();
    let body = stage.body(kind, left + 0.5 * width, top - 0.1, 0.0, &shape);
    let shape = stage.world.body(body).unwrap().shapes().next().unwrap().id();
    let mut shape = stage.world.shape_mut(shape).unwrap();
    shape.set_material_number(PLATFORM).unwrap();
    body
}

/// Plates side by side from `left`, created in one order or the other.
fn row(stage: &mut Stage, left: f32, count: usize, top: f32, is_reversed: bool) {
    for index in 0..count {
        let place = if is_reversed { count - 1 - index } else { index };
        plate(stage, BodyKind::Static, left + place as f32, 1.0, top);
    }
}

fn drop_and(walk: f32) -> CharacterInput {
    CharacterInput {
        drop: true,
        walk,
        ..CharacterInput::default()
    }
}

/// Asks to drop, and says where the feet are a second later.
fn feet_after_drop(stage: &mut Stage, walk: f32, is_key_held: bool) -> f32 {
    for _ in 0..20 {
        stage.walk(0.0);
    }
    assert!(stage.character.is_grounded(), "{}", stage.at());
    stage.step(drop_and(walk));
    for _ in 0..60 {
        let input = drop_and(walk);
        stage.step(CharacterInput {
            drop: is_key_held,
            ..input
        });
        assert!(stage.character.crush_m < 0.004, "{:?}", stage.character);
    }
    assert!(!stage.character.is_dropping(), "{:?}", stage.character);
    stage.at().y - STAND
}

/// A hundred places over a row: in the middle of its plates, at seams, with the foot over an end.
#[test]
fn a_drop_leaves_the_whole_row_and_the_next_one_holds() {
    for count in [1_usize, 2, 3, 7] {
        for index in 0..100 {
            let (is_reversed, is_key_held) = (index % 2 == 0, index % 3 == 0);
            // From within the left end's foot to within the right end's.
            let x = -0.2 + (count as f32 + 0.4) * index as f32 / 99.0;
            let mut stage = stage(x, STAND + 0.1);
            row(&mut stage, 0.0, count, 0.0, is_reversed);
            row(&mut stage, -2.5, count + 5, -1.0, is_reversed);
            stage.block(-9.0, -6.0, 19.0, -5.0);
            let feet = feet_after_drop(&mut stage, 0.0, is_key_held);
            assert!((feet + 1.0).abs() < 2.0e-3, "{count} plates, at {x}: {feet}");
        }
    }
}

/// On its way down it walks over the seams of the row, and again the next row holds.
#[test]
fn a_drop_while_walking_leaves_the_whole_row() {
    for index in 0..100 {
        let walk = [-6.0, -1.0, 1.0, 6.0][index % 4];
        let mut stage = stage(0.1 * index as f32 - 5.0, STAND);
        row(&mut stage, -20.0, 40, 0.0, index % 3 == 0);
        row(&mut stage, -20.0, 40, -1.0, index % 3 == 1);
        let feet = feet_after_drop(&mut stage, walk, false);
        assert!((feet + 1.0).abs() < 2.0e-3, "from {index}: {feet}");
    }
}

/// Rows of one grid: the tiles of a row merge, but not over the border of a chunk and not if their materials differ.
#[test]
fn a_drop_through_tiles_leaves_the_whole_row() {
    let tile = |friction: f32| Tile {
        def: ShapeDef {
            material: PLATFORM,
            friction,
            ..ShapeDef::default()
        },
        ..Tile::new(TileShape::TopHalf)
    };
    let (width, height) = (70_u32, 5_u32);
    let mut cells = vec![0; (width * height) as usize];
    for x in 0..width as usize {
        cells[4 * width as usize + x] = 1 + u8::from(x % 5 == 0);
        cells[x] = 1;
    }
    let def = TileGridDef {
        cell_size: 0.5,
        origin: Vec2::new(-16.0, 0.0),
        width,
        height,
        tiles: vec![tile(0.3), tile(0.9)],
        cells,
    };
    for index in 0..100 {
        // Around the border of a chunk, 32 cells from the origin.
        let x = 0.025 * index as f32 - 1.25;
        let mut stage = stage(x, 2.5 + STAND);
        let ground = stage.block(-20.0, -9.0, 20.0, -8.0);
        let at = stage.world.body(ground).unwrap().position().to_vec2();
        let def = TileGridDef {
            origin: def.origin - at,
            ..def.clone()
        };
        stage.world.create_tile_grid(ground, &def).unwrap();
        let feet = feet_after_drop(&mut stage, 0.0, false);
        assert!((feet - 0.5).abs() < 2.0e-3, "at {x}: {feet}");
    }
}

/// Plates of a lift that moves, each a body: the whole lift lets go, in whichever direction it moves.
#[test]
fn a_drop_leaves_a_lift_of_several_bodies() {
    for (speed, x) in [(0.0, 1.2), (2.0, 1.2), (-1.0, 1.25), (-5.0, 0.8), (2.0, 0.9)] {
        let mut stage = stage(x, STAND);
        let lift: Vec<BodyId> = (0..3)
            .map(|index| plate(&mut stage, BodyKind::Kinematic, index as f32, 1.0, 0.0))
            .collect();
        for _ in 0..20 {
            stage.walk(0.0);
        }
        for &plate in &lift {
            let mut body = stage.world.body_mut(plate).unwrap();
            body.set_linear_velocity(Vec2::new(0.0, speed)).unwrap();
        }
        for _ in 0..20 {
            stage.walk(0.0);
        }
        assert!(stage.character.is_grounded(), "{speed} m/s");
        stage.step(drop_and(0.0));
        for _ in 0..50 {
            stage.walk(0.0);
        }
        let over = stage.at().y - stage.world.body(lift[0]).unwrap().position().y;
        assert!(over < -1.0, "{speed} m/s: {over} m over the lift");
    }
}

/// Two platforms with a gap between them, on whose edges it stands: it lets go of both.
#[test]
fn a_drop_leaves_all_that_it_stands_on() {
    for gap in [0.05, 0.2, 0.4] {
        let mut stage = stage(0.5 * gap, STAND);
        stage.def.slope_max = 1.2;
        plate(&mut stage, BodyKind::Static, -2.0, 2.0, 0.0);
        plate(&mut stage, BodyKind::Static, gap, 2.0, 0.0);
        plate(&mut stage, BodyKind::Static, -2.0, 4.0, -2.0);
        let feet = feet_after_drop(&mut stage, 0.0, true);
        assert!((feet + 2.0).abs() < 2.0e-3, "a gap of {gap} m: {feet}");
    }
}

/// Platforms closer to each other than it is high: in each drop it leaves the lowest one that it overlaps.
#[test]
fn drops_down_a_stack_of_platforms_leave_one_at_a_time() {
    let mut stage = stage(0.5, STAND);
    for floor in 0..8 {
        row(&mut stage, -1.0, 3, -0.5 * floor as f32, floor % 2 == 0);
    }
    for floor in 1..8 {
        let feet = feet_after_drop(&mut stage, 0.0, floor % 2 == 0);
        assert!((feet + 0.5 * floor as f32).abs() < 2.0e-3, "drop {floor}: {feet}");
        stage.walk(0.0);
    }
}

/// Whoever climbs up again while dropping has changed its mind: the platform holds it when it is above.
#[test]
fn who_climbs_up_again_is_held() {
    let mut stage = stage(1.0, STAND);
    row(&mut stage, 0.0, 3, 0.0, false);
    for _ in 0..20 {
        stage.walk(0.0);
    }
    stage.step(drop_and(0.0));
    for _ in 0..15 {
        stage.walk(0.0);
    }
    assert!(stage.character.is_dropping() && stage.at().y < STAND - 0.1);
    let top = STAND + 0.005;
    while stage.at().y < top {
        stage.step(CharacterInput {
            is_climbing: true,
            climb: 1.0,
            ..CharacterInput::default()
        });
    }
    for _ in 0..30 {
        stage.walk(0.0);
    }
    assert!((stage.at().y - STAND).abs() < 2.0e-3, "{}", stage.at());
}

/// Two plates apart from each other, one lower by less than a seam is high, with a foot on each: a drop leaves both, however fast it
/// passes their surfaces, and however high in its gap the character stood.
#[test]
fn a_drop_leaves_plates_of_almost_one_height() {
    for lower in [
        -1.9e-3, -9.9e-4, -5.0e-4, -1.0e-4, 0.0, 1.0e-4, 3.0e-4, 7.0e-4, 1.4e-3, 1.9e-3,
    ] {
        for (gravity, from) in [
            (3.0, 2.9e-3),
            (5.0, 2.0e-3),
            (7.0, 2.5e-3),
            (10.0, 2.3e-3),
            (20.0, 0.01),
        ] {
            let mut stage = stage(0.0, HALF + from);
            stage.world.set_gravity(Vec2::new(0.0, -gravity)).unwrap();
            stage.def.shape = Shape::new_box(0.6, 1.6).unwrap();
            plate(&mut stage, BodyKind::Static, -1.05, 1.0, 0.0);
            plate(&mut stage, BodyKind::Static, 0.05, 1.0, -lower);
            plate(&mut stage, BodyKind::Static, -2.0, 4.0, -1.0);
            for _ in 0..20 {
                stage.walk(0.0);
            }
            assert!(stage.character.is_grounded(), "{}", stage.at());
            stage.step(drop_and(0.0));
            (0..90).for_each(|_| stage.walk(0.0));
            let feet = stage.at().y - STAND;
            assert!(
                (feet + 1.0).abs() < 2.0e-3,
                "lower by {lower}, {gravity} m/s²: {feet}"
            );
        }
    }
}
