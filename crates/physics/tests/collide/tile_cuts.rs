//! Cuts and explosions that remove tiles: which cells, from which grids, and what follows.

use crate::tile_support::{drop_at, grid_of, place, rows, world};
use crate::world_support::scale::scaled;
use crate::world_support::{DT, Random, SeedOnPanic};
use tombolo_physics::{
    BodyDef, ExplosionDef, Filter, PhysicsWorld, Position, Rewind, RewindLimits, Shape, ShapeDef, Tile,
    TileBlock, TileCut, TileGridDef, TileGridId, TileShape, Vec2,
};

/// The category of tiles that stay.
const BEDROCK: u64 = 1 << 5;

/// A full tile, and one of bedrock.
fn soil_and_bedrock() -> Vec<Tile> {
    let bedrock = ShapeDef {
        filter: Filter {
            category: BEDROCK,
            ..Filter::default()
        },
        ..ShapeDef::default()
    };
    vec![
        Tile::default(),
        Tile {
            shape: TileShape::Full,
            def: bedrock,
        },
    ]
}

fn cells(world: &PhysicsWorld, grid: TileGridId) -> Vec<u8> {
    let view = world.tile_grid(grid).unwrap();
    let all = (0..view.height()).flat_map(|y| (0..view.width()).map(move |x| (x, y)));
    all.map(|(x, y)| view.tile(x, y).unwrap()).collect()
}

/// The distance of a segment from a square of side 1, by a look at many points of it.
fn distance(ends: [[f64; 2]; 2], corner: [f64; 2]) -> f64 {
    const PARTS: usize = 250;
    let [a, b] = ends;
    let all = (0..=PARTS).map(|part| {
        let t = part as f64 / PARTS as f64;
        let away = [0, 1].map(|axis| {
            let at = a[axis] + t * (b[axis] - a[axis]);
            (corner[axis] - at).max(at - corner[axis] - 1.0).max(0.0)
        });
        libm::hypot(away[0], away[1])
    });
    all.fold(f64::INFINITY, f64::min)
}

/// A cut empties the cells that a slow look finds in its reach, of the kinds that it is for, and no others; what remains is
/// what a grid made of these cells is.
#[test]
fn a_cut_empties_the_cells_in_its_reach() {
    for seed in 0..scaled(24) as u64 {
        let _print = SeedOnPanic(seed);
        let mut random = Random(seed);
        let mut world = world();
        let body = world
            .create_body(&BodyDef {
                angle: [0.0, 0.7, -2.5][random.below(3)],
                ..BodyDef::fixed(3.0, -2.0)
            })
            .unwrap();
        let (width, height) = (1 + random.below(80) as u32, 1 + random.below(80) as u32);
        let mut def = TileGridDef {
            cell_size: [1.0, 0.25, 3.0][random.below(3)],
            origin: random.vector(20.0),
            width,
            height,
            tiles: soil_and_bedrock(),
            cells: (0..width * height).map(|_| random.below(3) as u8).collect(),
        };
        let grid = world.create_tile_grid(body, &def).unwrap();
        let pose = world.body(body).unwrap().pose();
        let size = def.cell_size;
        let reach = size * Vec2::new(width as f32, height as f32);
        let from = def.origin + 0.5 * reach + random.vector(0.8 * reach.max_element());
        let to = [from, from + random.vector(reach.max_element())][random.below(2)];
        let cut = TileCut {
            radius: [0.0, 0.3 * size, 5.0 * size][random.below(3)],
            mask: [u64::MAX, !BEDROCK, BEDROCK][random.below(3)],
            ..TileCut::between(pose.transform_point(from).into(), pose.transform_point(to).into())
        };
        let count = world.cut_tiles(&cut).unwrap();
        let local = |end: Vec2| [0, 1].map(|axis| f64::from((end - def.origin)[axis] / size));
        let ends = [local(from), local(to)];
        let length = f64::from((to - from).length() / size);
        let after = cells(&world, grid);
        let mut removed = 0;
        for (place, (&old, &new)) in def.cells.iter().zip(&after).enumerate() {
            let corner = [place as u32 % width, place as u32 / width].map(f64::from);
            let is_meant = [false, cut.mask & 1 != 0, cut.mask & BEDROCK != 0][usize::from(old)];
            let past = distance(ends, corner) - f64::from(cut.radius / size);
            // Between two of the points that are looked at, and where single precision decides.
            if is_meant && past.abs() > 1.0e-3 + length / 250.0 {
                assert_eq!(new == 0, past < 0.0, "cell {corner:?}: {past} cells off");
            }
            assert!(new == old || is_meant && new == 0, "cell {corner:?}");
            removed += usize::from(new != old);
        }
        assert_eq!(count, removed);
        def.cells = after;
        let mut twin = self::world();
        let other = grid_of(&mut twin, &def);
        let shapes = |world: &PhysicsWorld, grid| world.tile_grid(grid).unwrap().shape_count();
        assert_eq!(shapes(&world, grid), shapes(&twin, other));
    }
}

/// A floor of soil on bedrock, six cells wide, with a ball asleep on it.
fn floor_and_ball() -> (PhysicsWorld, TileGridId, tombolo_physics::BodyId) {
    let mut world = world();
    let floor = rows(soil_and_bedrock(), &["111111", "111111", "222222"]);
    let grid = grid_of(&mut world, &floor);
    let ball = drop_at(&mut world, 3.0, 3.3, &Shape::circle(Vec2::ZERO, 0.3).unwrap());
    for _ in 0..200 {
        world.step(DT).unwrap();
    }
    assert!(!world.body(ball).unwrap().is_awake());
    (world, grid, ball)
}

/// No impulse, and a hole of this radius in the floor.
fn hole(tile_radius: f32) -> ExplosionDef {
    ExplosionDef {
        mask: !BEDROCK,
        tile_radius,
        ..ExplosionDef::at(Position::new(3.0, 2.5))
    }
}

#[test]
fn an_explosion_removes_tiles_where_it_says_and_what_lay_there_falls_to_the_bedrock() {
    let (mut world, grid, ball) = floor_and_ball();
    let mut twin = world.clone();
    // By default it leaves all tiles, and wakes nobody whom it does not push.
    world.explode(&hole(0.0)).unwrap();
    assert_eq!(world.state_hash(), twin.state_hash());
    assert_eq!(world.explode(&hole(2.5)).unwrap(), 0);
    let left = [2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(cells(&world, grid), left);
    for _ in 0..200 {
        world.step(DT).unwrap();
    }
    assert!(
        (place(&world, ball).y - 1.3).abs() < 0.006,
        "{}",
        place(&world, ball)
    );
    // Far from all tiles it changes nothing.
    let far = ExplosionDef {
        position: Position::new(-50.0, 0.0),
        ..hole(2.5)
    };
    let before = twin.state_hash();
    twin.explode(&far).unwrap();
    assert_eq!(twin.state_hash(), before);
}

#[test]
fn an_explosion_that_cannot_be_removes_nothing() {
    let (mut world, _, _) = floor_and_ball();
    let before = world.state_hash();
    for bad in [f32::NAN, -1.0, f32::INFINITY, 1.0e6] {
        assert!(world.explode(&hole(bad)).is_err(), "{bad}");
        let cut = TileCut {
            radius: bad,
            ..TileCut::between(Position::ORIGIN, Position::ORIGIN)
        };
        assert!(world.cut_tiles(&cut).is_err(), "{bad}");
        assert!(world.tiles_in_reach(&cut).is_empty());
    }
    let nowhere = TileCut::between(Position::new(f32::NAN, 0.0), Position::ORIGIN);
    assert!(world.cut_tiles(&nowhere).is_err());
    let huge = ExplosionDef {
        impulse_per_length: f32::NAN,
        ..hole(2.0)
    };
    assert!(world.explode(&huge).is_err(), "and its tiles stay");
    assert_eq!(world.state_hash(), before);
}

#[test]
fn a_thin_cut_across_the_greatest_grids_asks_for_room_along_itself_alone() {
    let mut world = world();
    let ground = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let def = TileGridDef {
        width: 1 << 14,
        height: 1 << 13,
        tiles: vec![Tile::default()],
        ..TileGridDef::default()
    };
    // All chunks of these could hold more shapes than a world.
    let grids = [(); 5].map(|()| world.create_tile_grid(ground, &def).unwrap());
    for grid in grids {
        world.set_tile(grid, 1 << 13, 1 << 12, 1).unwrap();
    }
    let far = Position::new(16384.0, 8192.0);
    let cut = TileCut::between(Position::ORIGIN, far);
    assert_eq!(world.cut_tiles(&cut), Ok(5));
    assert_eq!(world.shapes().count(), 0);
}

#[test]
fn a_body_of_tiles_that_loses_some_is_lighter_and_is_pushed_by_what_is_left() {
    let mut world = world();
    let raft = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let grid = world
        .create_tile_grid(raft, &rows(vec![Tile::default()], &["11111111"]))
        .unwrap();
    let away = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let same = world
        .create_tile_grid(away, &rows(vec![Tile::default()], &["11111111"]))
        .unwrap();
    world.body_mut(away).unwrap().set_enabled(false);
    let whole = world.body(raft).unwrap().mass();
    let blast = ExplosionDef {
        radius: 20.0,
        impulse_per_length: 4.0,
        tile_radius: 0.4,
        ..ExplosionDef::at(Position::new(0.5, 0.5))
    };
    assert_eq!(world.explode(&blast).unwrap(), 1);
    assert_eq!(cells(&world, grid), [0, 1, 1, 1, 1, 1, 1, 1]);
    assert_eq!(
        cells(&world, same),
        [1; 8],
        "what is not in the world stays whole"
    );
    let left = world.body(raft).unwrap();
    assert!((left.mass() - 0.875 * whole).abs() < 1.0e-3, "{}", left.mass());
    // The face of one cell, at seven eighths of the mass.
    let speed = 4.0 / left.mass();
    assert!(
        (left.linear_velocity().x - speed).abs() < 1.0e-3,
        "{}",
        left.linear_velocity()
    );
}

/// Tiles that were removed are there again in a world that goes back, and gone again in the one that is restored.
#[test]
fn removed_tiles_go_back_and_are_saved() {
    let (mut world, grid, _) = floor_and_ball();
    let mut past = Rewind::new(RewindLimits::default());
    let before = world.state_hash();
    let frame = past.save(&mut world);
    world.explode(&hole(1.5)).unwrap();
    let cut = TileCut::between(Position::new(0.5, 9.0), Position::new(0.5, 1.5));
    assert_eq!(world.cut_tiles(&cut).unwrap(), 2);
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    let (after, left) = (world.state_hash(), cells(&world, grid));
    let mut restored = self::world();
    restored.restore(&world.save()).unwrap();
    assert_eq!(
        (restored.state_hash(), cells(&restored, grid)),
        (after, left.clone())
    );
    restored.step(DT).unwrap();
    past.restore(&mut world, frame).unwrap();
    assert_eq!(world.state_hash(), before);
    assert_eq!(cells(&world, grid).iter().filter(|&&cell| cell == 1).count(), 12);
    // Done again it comes to the same.
    world.explode(&hole(1.5)).unwrap();
    world.cut_tiles(&cut).unwrap();
    for _ in 0..30 {
        world.step(DT).unwrap();
    }
    assert_eq!((world.state_hash(), cells(&world, grid)), (after, left));
}

/// What a cut looks at: the grids in reach, with blocks that have every cell in it.
#[test]
fn the_reach_of_a_cut_names_grids_and_blocks() {
    let mut world = world();
    let near = grid_of(&mut world, &rows(vec![Tile::default()], &["1111", "1111"]));
    let far = TileGridDef {
        origin: Vec2::new(100.0, 0.0),
        ..rows(vec![Tile::default()], &["1111"])
    };
    grid_of(&mut world, &far);
    let cut = TileCut::between(Position::new(1.2, 0.5), Position::new(1.8, 0.5));
    let reached = world.tiles_in_reach(&cut);
    assert_eq!(reached.len(), 1);
    let (grid, block) = reached[0];
    assert_eq!(grid.id(), near);
    assert!(block.x <= 1 && block.x + block.width >= 2 && block.y == 0 && block.height >= 1);
    assert_eq!(world.cut_tiles(&cut).unwrap(), 1);
    let one = world.tile_grid(near).unwrap();
    let there = |block: TileBlock| one.shapes_around(block).is_ok();
    assert!(there(block));
}
