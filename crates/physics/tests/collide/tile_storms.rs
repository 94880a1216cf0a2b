//! Closed rooms of tiles that are edited around bodies that rest, fall and shoot: nothing leaves a room whose walls stay.

use crate::tile_support::{every_tile, random_block, world};
use crate::world_support::scale::scaled;
use crate::world_support::{DT, Random, SeedOnPanic};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, PhysicsWorld, Position, Shape, ShapeDef, TileBlock, TileGridDef, TileGridId,
    Vec2,
};

/// Cells of a room's side, walls included; a chunk's border goes through its middle.
const SIDE: u32 = 60;
/// Cells of a wall's thickness.
const WALL: u32 = 4;

/// A room on a body that stands somewhere, turned; a kinematic one turns on.
fn room(world: &mut PhysicsWorld, random: &mut Random) -> TileGridId {
    let far = [0.0, 2000.0][random.below(2)];
    let at = random.vector(far);
    let turns = random.chance(3);
    let body = BodyDef {
        kind: if turns {
            BodyKind::Kinematic
        } else {
            BodyKind::Static
        },
        angle: random.between(-0.5, 0.5),
        angular_velocity: if turns { random.between(-0.5, 0.5) } else { 0.0 },
        ..BodyDef::fixed(at.x, at.y)
    };
    let body = world.create_body(&body).unwrap();
    let tiles = every_tile();
    let is_wall = |at: u32| !(WALL..SIDE - WALL).contains(&at);
    let mut cells = Vec::new();
    for (x, y) in (0..SIDE).flat_map(|y| (0..SIDE).map(move |x| (x, y))) {
        cells.push(if is_wall(x) || is_wall(y) {
            1
        } else if random.chance(8) {
            1 + random.below(tiles.len()) as u8
        } else {
            0
        });
    }
    let def = TileGridDef {
        cell_size: 0.5,
        origin: Vec2::splat(-0.25 * SIDE as f32),
        width: SIDE,
        height: SIDE,
        tiles,
        cells,
    };
    world.create_tile_grid(body, &def).unwrap()
}

/// A body in an empty cell of the room, at up to 150 m/s.
fn throw(world: &mut PhysicsWorld, grid: TileGridId, random: &mut Random) -> BodyId {
    let inner = (SIDE - 2 * WALL) as usize;
    let mut cell = || {
        (
            WALL + random.below(inner) as u32,
            WALL + random.below(inner) as u32,
        )
    };
    let (x, y) = cell();
    let at = world.tile_grid(grid).unwrap().cell_center(x, y);
    world.set_tile(grid, x, y, 0).unwrap();
    let speed = [0.0, 10.0, 150.0][random.below(3)];
    let is_kinematic = world.tile_grid(grid).unwrap().body().kind() == BodyKind::Kinematic;
    let def = BodyDef {
        // Only bullets are stopped by what is kinematic and slow.
        bullet: is_kinematic,
        linear_velocity: random.vector(speed),
        angular_velocity: random.between(-9.0, 9.0),
        angle: random.between(-3.0, 3.0),
        ..BodyDef::dynamic(at.x, at.y)
    };
    let body = world.create_body(&def).unwrap();
    let shape = match random.below(4) {
        0 => Shape::circle(Vec2::ZERO, random.between(0.05, 0.24)),
        1 => Shape::new_box(random.between(0.1, 0.34), random.between(0.1, 0.34)),
        2 => Shape::capsule(Vec2::new(-0.1, 0.0), Vec2::new(0.1, 0.0), 0.1),
        _ => Shape::polygon(&[(-0.2, -0.1), (0.2, -0.1), (0.0, 0.2)].map(Vec2::from), 0.0),
    };
    let def = ShapeDef {
        restitution: [0.0, 0.9][random.below(2)],
        ..ShapeDef::default()
    };
    world.create_shape(body, &def, &shape.unwrap()).unwrap();
    body
}

/// Empties or fills a small block of the room, never a wall.
fn edit(random: &mut Random, kinds: usize) -> (TileBlock, u8) {
    let block = random_block(random, 3, 3);
    let inner = SIDE - 2 * WALL;
    let block = TileBlock {
        x: WALL + random.below((inner - block.width) as usize) as u32,
        y: WALL + random.below((inner - block.height) as usize) as u32,
        ..block
    };
    let tile = if random.chance(2) {
        0
    } else {
        1 + random.below(kinds) as u8
    };
    (block, tile)
}

/// A place in the frame of the room, in meters from its middle.
fn in_room(world: &PhysicsWorld, grid: TileGridId, place: Position) -> Vec2 {
    let pose = world.tile_grid(grid).unwrap().body().pose();
    pose.inverse_transform_point(place.to_vec2())
}

#[test]
fn nothing_leaves_a_room_whatever_is_edited_inside() {
    for seed in 0..scaled(6) as u64 {
        let _print = SeedOnPanic(seed);
        let mut random = Random(seed);
        let mut world = world();
        let grid = room(&mut world, &mut random);
        let bodies: Vec<BodyId> = (0..60).map(|_| throw(&mut world, grid, &mut random)).collect();
        let kinds = every_tile().len();
        let mut twin = world.clone();
        for step in 0..400 {
            // Edits in each step, then time in which bodies come to rest and sleep, and edits again.
            if step % 200 < 120 {
                for _ in 0..4 {
                    let (block, tile) = edit(&mut random, kinds);
                    for world in [&mut world, &mut twin] {
                        world.fill_tiles(grid, block, tile).unwrap();
                    }
                }
            }
            if step % 50 == 25 {
                world = PhysicsWorld::from_save(&world.save()).unwrap();
                world.validate();
            }
            world.step(DT).unwrap();
            twin.step(DT).unwrap();
            assert_eq!(world.state_hash(), twin.state_hash(), "step {step}");
            for &body in &bodies {
                let view = world.body(body).unwrap();
                let at = in_room(&world, grid, view.position());
                let out = at.abs().max_element();
                // Half a cell into a wall is what one that is crushed there may be.
                let most = 0.5 * (0.5 * SIDE as f32 - WALL as f32) + 0.25;
                assert!(
                    out < most,
                    "step {step}: {at} at {} m/s is in a wall, which begins at {most}",
                    view.linear_velocity().length()
                );
            }
        }
    }
}
