//! What slides over tiles does what it would do on one long box or wedge, in whatever order cells were filled.

use crate::tile_support::{grid_of, place, random_block, smooth, world};
use crate::world_support::{DT, Random};
use tombolo_physics::{
    BodyDef, PhysicsWorld, Pose, Shape, ShapeDef, TileBlock, TileGridDef, TileShape, Vec2,
};

fn sliders() -> [(&'static str, Shape); 3] {
    [
        ("ball", Shape::circle(Vec2::ZERO, 0.3).unwrap()),
        ("box", Shape::new_box(0.6, 0.6).unwrap()),
        (
            "capsule",
            Shape::capsule(Vec2::new(0.0, -0.2), Vec2::new(0.0, 0.2), 0.3).unwrap(),
        ),
    ]
}

/// Where a body is, step by step.
fn path(world: &mut PhysicsWorld, def: &BodyDef, shape: &Shape, steps: usize) -> Vec<Vec2> {
    let body = world.create_body(def).unwrap();
    let def = ShapeDef {
        friction: 0.0,
        ..ShapeDef::default()
    };
    world.create_shape(body, &def, shape).unwrap();
    let mut places = Vec::new();
    for _ in 0..steps {
        world.step(DT).unwrap();
        places.push(place(world, body));
    }
    places
}

fn check_same(places: &[Vec2], plain: &[Vec2], what: &str) {
    for (step, (place, expected)) in places.iter().zip(plain).enumerate() {
        assert!(
            (place.y - expected.y).abs() < 1.0e-3,
            "{what}, step {step}: {place} and not {expected}"
        );
    }
    let [way, expected] = [places, plain].map(|places| places[places.len() - 1].x - places[0].x);
    assert!(
        (way - expected).abs() < 1.0e-3 * expected.abs(),
        "{what}: {way} of {expected} m"
    );
}

/// How a floor of tiles three rows thick with its top at height 0 is filled.
#[derive(Clone, Copy, Debug)]
enum Filling {
    AtOnce,
    /// Cell by cell in random order.
    Random(u64),
    /// In blocks of random sizes, some of them twice and emptied between.
    Blocks(u64),
    /// Kinds that differ change from cell to cell, so that nothing merges.
    Unlike,
}

fn floor(filling: Filling, length: u32) -> PhysicsWorld {
    let mut world = world();
    let mut other = smooth(TileShape::Full);
    other.def.user_key = 7;
    let mut def = TileGridDef {
        origin: Vec2::new(-10.0, -3.0),
        width: length + 10,
        height: 3,
        tiles: vec![smooth(TileShape::Full), other],
        ..TileGridDef::default()
    };
    let count = (def.width * def.height) as usize;
    match filling {
        Filling::AtOnce => def.cells = vec![1; count],
        Filling::Unlike => {
            def.cells = (0..count).map(|cell| 1 + (cell % 2) as u8).collect();
        }
        _ => {}
    }
    let grid = grid_of(&mut world, &def);
    match filling {
        Filling::Random(seed) => {
            let mut random = Random(seed);
            let mut cells: Vec<u32> = (0..count as u32).collect();
            for place in (1..count).rev() {
                cells.swap(place, random.below(place + 1));
            }
            for cell in cells {
                world
                    .set_tile(grid, cell % def.width, cell / def.width, 1)
                    .unwrap();
            }
        }
        Filling::Blocks(seed) => {
            let mut random = Random(seed);
            for _ in 0..60 {
                let block = random_block(&mut random, def.width, def.height);
                world.fill_tiles(grid, block, random.below(3) as u8).unwrap();
            }
            let all = TileBlock {
                width: def.width,
                height: def.height,
                ..TileBlock::cell(0, 0)
            };
            world.fill_tiles(grid, all, 1).unwrap();
        }
        _ => {}
    }
    world
}

#[test]
fn pf_2_a_floor_of_tiles_is_as_smooth_as_one_box() {
    let length = 100;
    for (name, shape) in sliders() {
        for speed in [1.0, 10.0, 50.0] {
            let steps = 400.min(((length - 5) as f32 / speed / DT) as usize);
            let def = BodyDef {
                linear_velocity: Vec2::new(speed, 0.0),
                ..BodyDef::dynamic(0.1, -shape.aabb(Pose::IDENTITY).min.y)
            };
            let mut plain = world();
            let body = plain.create_body(&BodyDef::fixed(45.0, -1.5)).unwrap();
            let block = Shape::new_box(110.0, 3.0).unwrap();
            plain
                .create_shape(body, &smooth(TileShape::Full).def, &block)
                .unwrap();
            let plain = path(&mut plain, &def, &shape, steps);
            for filling in [
                Filling::AtOnce,
                Filling::Random(1),
                Filling::Random(2),
                Filling::Blocks(3),
                Filling::Unlike,
            ] {
                let places = path(&mut floor(filling, length), &def, &shape, steps);
                check_same(
                    &places,
                    &plain,
                    &format!("{name} at {speed} m/s over {filling:?}"),
                );
            }
        }
    }
}

/// Down a long slope of tiles, at once and up again by its speed, as on one wedge.
#[test]
fn a_slope_of_tiles_is_as_smooth_as_one_wedge() {
    const LENGTH: u32 = 40;
    for (kinds, rise, name) in [
        (vec![TileShape::SlopeUp], 1.0, "45 degrees"),
        (
            vec![TileShape::GentleUpLow, TileShape::GentleUpHigh],
            0.5,
            "22.5 degrees",
        ),
    ] {
        let columns = kinds.len() as u32;
        let height = LENGTH / columns;
        let mut cells = vec![0; (LENGTH * height) as usize];
        for x in 0..LENGTH {
            for y in 0..=x / columns {
                let is_surface = y == x / columns;
                cells[(y * LENGTH + x) as usize] = if is_surface { 2 + (x % columns) as u8 } else { 1 };
            }
        }
        let tiles = [TileShape::Full].into_iter().chain(kinds).map(smooth).collect();
        let def = TileGridDef {
            width: LENGTH,
            height,
            tiles,
            cells,
            ..TileGridDef::default()
        };
        let mut plain = world();
        let body = plain.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let top = LENGTH as f32;
        let wedge = [Vec2::ZERO, Vec2::new(top, 0.0), Vec2::new(top, rise * top)];
        let wedge = Shape::polygon(&wedge, 0.0).unwrap();
        plain
            .create_shape(body, &smooth(TileShape::Full).def, &wedge)
            .unwrap();
        let angle = libm::atan2f(rise, 1.0);
        let along = Vec2::new(libm::cosf(angle), libm::sinf(angle));
        let up = Vec2::new(-along.y, along.x);
        for (slider, shape) in sliders() {
            for speed in [0.0, 5.0, 15.0] {
                let turned = shape.aabb(Pose::new(Vec2::ZERO, -angle));
                let bottom = if slider == "ball" {
                    0.3
                } else {
                    -Shape::aabb(&shape, Pose::IDENTITY).min.y
                };
                assert!(turned.min.y < 0.0);
                let start = (if speed == 0.0 { 30.0 } else { 8.0 }) / along.x * along + bottom * up;
                let def_body = BodyDef {
                    angle,
                    linear_velocity: speed * along,
                    ..BodyDef::dynamic(start.x, start.y)
                };
                let mut tiles = world();
                grid_of(&mut tiles, &def);
                let steps = 90;
                let places = path(&mut tiles, &def_body, &shape, steps);
                let expected = path(&mut plain.clone(), &def_body, &shape, steps);
                for (step, (place, expected)) in places.iter().zip(&expected).enumerate() {
                    assert!(
                        place.distance(*expected) < 2.0e-3,
                        "{slider} on {name} at {speed} m/s, step {step}: {place} and not {expected}"
                    );
                }
            }
        }
    }
}
