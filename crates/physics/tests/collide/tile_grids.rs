//! Grids of tiles: the shapes follow every edit as if made from nothing; saves, queries, characters and cuts know them;
//! wrong input is named.

use crate::tile_support::{drop_at, every_tile, grid_of, place, random_block, rows, world};
use crate::world_support::scale::scaled;
use crate::world_support::{DT, Random, SeedOnPanic};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, Character, CharacterDef, CharacterInput, CharacterScratch, PhysicsError,
    PhysicsWorld, Position, QueryFilter, Shape, ShapeDef, Tile, TileBlock, TileGridDef, TileGridId,
    TileShape, Vec2, WorldDef,
};
use tombolo_threads::Stopwatch;

/// The cells and the geometry of all shapes of a grid.
fn shapes_of(world: &PhysicsWorld, grid: TileGridId) -> Vec<([u32; 4], Shape)> {
    let body = world.tile_grid(grid).unwrap().body().id();
    let mut found = Vec::new();
    for shape in world.body(body).unwrap().shapes() {
        let (of, block) = shape.tiles().unwrap();
        assert_eq!(of.id(), grid);
        found.push(([block.y, block.x, block.width, block.height], *shape.geometry()));
    }
    found.sort_by_key(|one| one.0);
    found
}

fn cells_of(world: &PhysicsWorld, grid: TileGridId) -> Vec<u8> {
    let view = world.tile_grid(grid).unwrap();
    let (width, height) = (view.width(), view.height());
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    cells.map(|(x, y)| view.tile(x, y).unwrap()).collect()
}

/// After random edits a grid has the cells that a list of them says, and the shapes of one made at once; a world restored
/// in between goes on alike.
#[test]
fn random_edits_come_to_what_a_grid_made_at_once_is() {
    for seed in 0..scaled(6) as u64 {
        let _print = SeedOnPanic(seed);
        let mut random = Random(seed);
        let mut def = TileGridDef {
            cell_size: [1.0, 0.3, 16.0][random.below(3)],
            origin: random.vector(50.0),
            width: 1 + random.below(90) as u32,
            height: 1 + random.below(90) as u32,
            tiles: every_tile(),
            ..TileGridDef::default()
        };
        let mut world = world();
        let grid = grid_of(&mut world, &def);
        let mut cells = vec![0_u8; (def.width * def.height) as usize];
        let mut twin = world.clone();
        for edit in 0..150 {
            let block = match random.below(3) {
                0 => random_block(&mut random, def.width, def.height),
                _ => TileBlock::cell(
                    random.below(def.width as usize) as u32,
                    random.below(def.height as usize) as u32,
                ),
            };
            let kinds = [1, 2, def.tiles.len()][random.below(3)];
            let one = random.below(kinds + 1) as u8;
            let is_one = random.chance(2);
            let new: Vec<u8> = (0..block.cell_count())
                .map(|_| {
                    if is_one {
                        one
                    } else {
                        random.below(kinds + 1) as u8
                    }
                })
                .collect();
            for (place, &tile) in new.iter().enumerate() {
                let (x, y) = (place as u32 % block.width, place as u32 / block.width);
                cells[((block.y + y) * def.width + block.x + x) as usize] = tile;
            }
            for world in [&mut world, &mut twin] {
                if is_one {
                    world.fill_tiles(grid, block, one).unwrap();
                } else {
                    world.set_tiles(grid, block, &new).unwrap();
                }
            }
            if edit % 10 == 0 {
                let at = def.origin
                    + def.cell_size * Vec2::new(random.between(0.0, def.width as f32), def.height as f32);
                let ball = Shape::circle(Vec2::ZERO, 0.4 * def.cell_size).unwrap();
                for world in [&mut world, &mut twin] {
                    drop_at(world, at.x, at.y, &ball);
                }
            }
            world.step(DT).unwrap();
            twin.step(DT).unwrap();
            if edit % 15 == 7 {
                assert_eq!(cells_of(&world, grid), cells, "edit {edit}");
                world.validate();
                let mut fresh = PhysicsWorld::new(&WorldDef::default()).unwrap();
                def.cells.clone_from(&cells);
                let made = grid_of(&mut fresh, &def);
                assert_eq!(shapes_of(&world, grid), shapes_of(&fresh, made), "edit {edit}");
                world = PhysicsWorld::from_save(&world.save()).unwrap();
            }
            assert_eq!(world.state_hash(), twin.state_hash(), "edit {edit}");
        }
        world.destroy_tile_grid(grid).unwrap();
        world.validate();
        assert_eq!(world.shapes().filter(|shape| shape.tiles().is_some()).count(), 0);
    }
}

#[test]
fn pf_20_an_edit_wakes_what_rests_there_and_nothing_else() {
    let mut world = world();
    let grid = grid_of(
        &mut world,
        &rows(vec![Tile::default()], &["1".repeat(90).as_str(); 2]),
    );
    let block = Shape::new_box(0.8, 0.8).unwrap();
    let near = drop_at(&mut world, 3.5, 2.4, &block);
    let far = drop_at(&mut world, 80.5, 2.4, &block);
    let rest = |world: &mut PhysicsWorld| (0..90).for_each(|_| world.step(DT).unwrap());
    rest(&mut world);
    let is_awake = |world: &PhysicsWorld, body| world.body(body).unwrap().is_awake();
    assert!(!is_awake(&world, near) && !is_awake(&world, far));
    world.set_tile(grid, 3, 0, 1).unwrap();
    assert!(!is_awake(&world, near), "nothing has changed");
    world
        .fill_tiles(
            grid,
            TileBlock {
                height: 2,
                ..TileBlock::cell(3, 0)
            },
            0,
        )
        .unwrap();
    assert!(is_awake(&world, near) && !is_awake(&world, far));
    rest(&mut world);
    assert!(
        place(&world, near).y < 0.0,
        "it fell into the hole, {}",
        place(&world, near)
    );
    assert!(!is_awake(&world, far));
    let at = place(&world, far);
    world.set_tile(grid, 80, 1, 0).unwrap();
    world.set_tile(grid, 80, 1, 1).unwrap();
    rest(&mut world);
    assert!(place(&world, far).distance(at) < 0.01, "it stands where it stood");
}

#[test]
fn pf_20_a_tile_that_is_put_into_a_sleeper_pushes_it_out_slowly() {
    let mut world = world();
    let grid = grid_of(
        &mut world,
        &rows(vec![Tile::default()], &["........", "11111111"]),
    );
    let body = drop_at(&mut world, 3.5, 1.4, &Shape::new_box(0.8, 0.8).unwrap());
    (0..90).for_each(|_| world.step(DT).unwrap());
    assert!(!world.body(body).unwrap().is_awake());
    world.set_tile(grid, 3, 1, 1).unwrap();
    for _ in 0..180 {
        world.step(DT).unwrap();
        let speed = world.body(body).unwrap().linear_velocity().length();
        assert!(speed <= 4.0, "{speed} m/s");
    }
    let found = world.overlap_shape(
        &Shape::new_box(0.7, 0.7).unwrap(),
        world.body(body).unwrap().pose(),
        QueryFilter::default(),
    );
    assert_eq!(
        found.unwrap().len(),
        1,
        "it overlaps itself only, at {}",
        place(&world, body)
    );
}

#[test]
fn an_edit_leaves_the_touches_of_shapes_that_stay() {
    let mut world = world();
    let grid = grid_of(
        &mut world,
        &rows(vec![Tile::default()], &["......", "111111", "11..11", "111111"]),
    );
    let body = drop_at(&mut world, 1.5, 3.45, &Shape::new_box(0.8, 0.8).unwrap());
    (0..10).for_each(|_| world.step(DT).unwrap());
    let touching = |world: &PhysicsWorld| {
        let contacts = world.body(body).unwrap();
        contacts
            .contacts()
            .filter(|contact| contact.is_touching())
            .count()
    };
    assert_eq!(touching(&world), 1);
    let shapes = shapes_of(&world, grid).len();
    world.set_tile(grid, 4, 3, 1).unwrap();
    assert_eq!(shapes_of(&world, grid).len(), shapes + 1);
    assert_eq!(touching(&world), 1, "the floor is the same shape");
    world.step(DT).unwrap();
    assert!(world.events().end_touch().is_empty(), "no touch has ended");
}

#[test]
fn queries_and_characters_meet_tiles() {
    let mut world = world();
    let tiles = vec![Tile::default(), Tile::new(TileShape::SlopeUp)];
    let length = 80;
    let mut def = TileGridDef {
        width: length,
        height: 2,
        cells: vec![1; length as usize],
        tiles,
        ..TileGridDef::default()
    };
    def.cells
        .extend((0..length).map(|x| if x == 60 { 2 } else { u8::from(x > 60) }));
    let grid = grid_of(&mut world, &def);
    let down = world
        .cast_ray(
            Position::new(40.5, 5.0),
            Vec2::new(0.0, -9.0),
            QueryFilter::default(),
        )
        .unwrap()
        .unwrap();
    assert!((down.point.to_vec2() - Vec2::new(40.5, 1.0)).length() < 1.0e-5);
    let (of, block) = world.shape(down.shape).unwrap().tiles().unwrap();
    assert_eq!(
        (of.id(), [block.x, block.y, block.width, block.height]),
        (grid, [32, 0, 32, 1])
    );
    assert_eq!(of.cell_at(Position::new(40.5, 0.9)), Some([40, 0]));
    assert_eq!(of.cell_at(Position::new(40.5, -0.1)), None);
    assert_eq!(of.cell_center(40, 0), Position::new(40.5, 0.5));
    let at = |x: f32, y: f32| {
        world
            .overlap_point(Position::new(x, y), QueryFilter::default())
            .unwrap()
            .len()
    };
    assert_eq!(
        [at(60.5, 1.4), at(60.5, 1.6), at(60.5, 0.4), at(-0.5, 0.5)],
        [1, 0, 1, 0]
    );

    let def = CharacterDef::new(Shape::capsule(Vec2::new(0.0, -0.5), Vec2::new(0.0, 0.5), 0.3).unwrap());
    let mut character = Character::new(Position::new(2.0, 1.803));
    let input = CharacterInput {
        walk: 6.0,
        ..CharacterInput::default()
    };
    let mut scratch = CharacterScratch::default();
    let mut highest = 0.0_f32;
    while character.position.to_vec2().x < 59.0 {
        world
            .move_character(&def, &mut character, &input, DT, &mut scratch)
            .unwrap();
        let (x, y) = (character.position.to_vec2().x, character.position.to_vec2().y);
        assert!(character.is_grounded(), "at {x}");
        assert!((y - 1.803).abs() < 1.0e-3, "{y} m high at {x}");
    }
    for _ in 0..60 {
        world
            .move_character(&def, &mut character, &input, DT, &mut scratch)
            .unwrap();
        highest = highest.max(character.position.to_vec2().y);
    }
    assert!((highest - 2.803).abs() < 2.0e-3, "up the slope, to {highest}");
}

/// Ground with a ragged surface and caves of a few cells, below sky.
fn terrain(width: u32, height: u32) -> TileGridDef {
    let mut random = Random(9);
    let middle = height as i32 / 2;
    let mut ground = middle;
    let mut cells = vec![0_u8; (width * height) as usize];
    for x in 0..width {
        if random.chance(6) {
            ground = (ground + random.below(3) as i32 - 1).clamp(middle - 50, middle + 50);
        }
        for y in 0..ground as u32 {
            cells[(y * width + x) as usize] = 1;
        }
    }
    for _ in 0..width * height / 3000 {
        let hole = random_block(&mut random, width - 10, height / 2 - 60);
        for y in hole.y..hole.y + hole.height.min(6) {
            for x in hole.x..hole.x + hole.width.min(12) {
                cells[(y * width + x) as usize] = 0;
            }
        }
    }
    TileGridDef {
        width,
        height,
        tiles: vec![Tile::default()],
        cells,
        ..TileGridDef::default()
    }
}

fn bytes_of(world: &PhysicsWorld) -> usize {
    let arrays = world.memory().into_iter();
    arrays.map(|array| array.element_size * array.count).sum()
}

#[test]
fn a_million_cells_are_few_shapes() {
    let def = terrain(2000, 500);
    let mut world = world();
    let grid = grid_of(&mut world, &def);
    world.step(DT).unwrap();
    let shapes = world.tile_grid(grid).unwrap().shape_count();
    assert!(shapes < 12_000, "{shapes} shapes");
    let per_cell = bytes_of(&world) as f32 / 1.0e6;
    assert!(per_cell < 6.0, "{per_cell} bytes a cell");
    assert_eq!(cells_of(&world, grid), def.cells);
    let restored = PhysicsWorld::from_save(&world.save()).unwrap();
    assert_eq!(restored.state_hash(), world.state_hash());
}

/// What ten million cells cost: run with `--ignored --nocapture` on a quiet machine.
#[test]
#[ignore = "measures, and asserts only what does not depend on the machine"]
fn ten_million_cells() {
    let noise = |width: u32, height: u32| {
        let mut random = Random(3);
        let cells = (0..width * height).map(|_| u8::from(random.chance(2))).collect();
        TileGridDef {
            cells,
            ..TileGridDef {
                width,
                height,
                tiles: vec![Tile::default()],
                ..TileGridDef::default()
            }
        }
    };
    let plain = TileGridDef {
        width: 10_000,
        height: 1000,
        tiles: vec![Tile::default()],
        cells: vec![1; 10_000_000],
        ..TileGridDef::default()
    };
    for (name, def) in [
        ("all full", plain),
        ("terrain", terrain(10_000, 1000)),
        ("noise, a tenth of the cells", noise(1000, 1000)),
    ] {
        let mut world = world();
        let watch = Stopwatch::start();
        let grid = grid_of(&mut world, &def);
        let load = watch.elapsed_seconds();
        let watch = Stopwatch::start();
        world.step(DT).unwrap();
        let step = watch.elapsed_seconds();
        let shapes = world.tile_grid(grid).unwrap().shape_count();
        let per_cell = bytes_of(&world) as f64 / f64::from(def.width * def.height);
        let mut random = Random(1);
        let mut edits: Vec<f64> = Vec::new();
        for _ in 0..2000 {
            let (x, y) = (
                random.below(def.width as usize),
                random.below(def.height as usize),
            );
            let tile = 1 - world.tile_grid(grid).unwrap().tile(x as u32, y as u32).unwrap();
            let watch = Stopwatch::start();
            world.set_tile(grid, x as u32, y as u32, tile).unwrap();
            edits.push(watch.elapsed_seconds());
        }
        edits.sort_by(f64::total_cmp);
        println!(
            "{name}: {shapes} shapes, {per_cell:.2} bytes a cell, loaded in {load:.3} s, first step {:.1} ms, \
             an edit {:.1} µs (median), {:.1} µs (99 of 100)",
            1e3 * step,
            1e6 * edits[1000],
            1e6 * edits[1980]
        );
        assert!(shapes > 0 && per_cell < 250.0);
    }
}

#[test]
fn a_body_that_goes_takes_its_grids_and_others_keep_theirs() {
    let mut world = world();
    let def = rows(every_tile(), &["12.3", "9811", "1..1"]);
    let [a, b, c] = [0.0, 10.0, 20.0].map(|x| {
        let body = world.create_body(&BodyDef::fixed(x, 0.0)).unwrap();
        (body, world.create_tile_grid(body, &def).unwrap())
    });
    let big = TileGridDef {
        width: 70,
        height: 40,
        ..def.clone()
    };
    let big = TileGridDef {
        cells: (0..2800).map(|cell| (cell % 3) as u8).collect(),
        ..big
    };
    let second = world.create_tile_grid(b.0, &big).unwrap();
    world.destroy_body(b.0).unwrap();
    world.validate();
    assert!(world.tile_grid(b.1).is_none() && world.tile_grid(second).is_none());
    assert_eq!(
        world.set_tile(second, 0, 0, 1),
        Err(PhysicsError::StaleHandle { what: "tile grid" })
    );
    for (_, grid) in [a, c] {
        assert_eq!(cells_of(&world, grid), def.cells);
        world.set_tile(grid, 1, 0, 2).unwrap();
    }
    world.destroy_tile_grid(a.1).unwrap();
    world.validate();
    assert_eq!(world.tile_grid(c.1).unwrap().tile(1, 0), Some(2));
    assert_eq!(world.tile_grid(c.1).unwrap().tiles(), def.tiles);
    assert_eq!(world.body(a.0).unwrap().shapes().count(), 0);
    assert_eq!(world.tile_grids().len(), 1);
}

/// On bodies that move too; what cuts these leaves the tiles alone.
#[test]
fn a_dynamic_body_weighs_what_its_tiles_do_and_cuts_leave_them() {
    let mut world = world();
    let body = world.create_body(&BodyDef::dynamic(0.0, 5.0)).unwrap();
    let grid = world
        .create_tile_grid(body, &rows(vec![Tile::default()], &["1.1", "111"]))
        .unwrap();
    assert!((world.body(body).unwrap().mass() - 5.0).abs() < 1.0e-5);
    world.set_tile(grid, 1, 1, 1).unwrap();
    assert!((world.body(body).unwrap().mass() - 6.0).abs() < 1.0e-5);
    let cut = world
        .slice(body, Position::new(1.5, 0.0), Position::new(1.5, 9.0))
        .unwrap();
    assert!(cut.is_none());
    let block = Shape::box_at(4.0, 1.0, Vec2::new(1.5, 3.0), 0.0).unwrap();
    world.create_shape(body, &ShapeDef::default(), &block).unwrap();
    let cut = world
        .slice(body, Position::new(1.5, 0.0), Position::new(1.5, 19.0))
        .unwrap();
    assert_eq!(cut.unwrap().pieces.len(), 1);
    world.validate();
    assert_eq!(world.tile_grid(grid).unwrap().body().id(), body);
    assert_eq!(shapes_of_tiles(&world, body), 1);
    world.body_mut(body).unwrap().set_kind(BodyKind::Static).unwrap();
    world.set_tile(grid, 1, 1, 0).unwrap();
    world.step(DT).unwrap();
    world.validate();
    assert_eq!(shapes_of_tiles(&world, body), 3);
}

fn shapes_of_tiles(world: &PhysicsWorld, body: BodyId) -> usize {
    let shapes = world.body(body).unwrap();
    shapes.shapes().filter(|shape| shape.tiles().is_some()).count()
}

#[test]
fn wrong_input_is_named_and_changes_nothing() {
    let mut world = world();
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let good = rows(every_tile(), &["12.", "111"]);
    let grid = world.create_tile_grid(body, &good).unwrap();
    let before = world.save();
    let mut refused = |change: &dyn Fn(&mut TileGridDef), message: &str| {
        let mut def = good.clone();
        change(&mut def);
        let error = world.create_tile_grid(body, &def).unwrap_err();
        assert_eq!(format!("{error}"), message);
    };
    refused(
        &|def| def.cell_size = f32::NAN,
        "cell_size is NaN, expected a number of meters from 0.02 to 10000",
    );
    refused(
        &|def| def.cell_size = 0.0,
        "cell_size is 0, expected a number of meters from 0.02 to 10000",
    );
    refused(&|def| def.width = 0, "width is 0, expected at least 1");
    refused(
        &|def| def.height = u32::MAX,
        "too many cells of a tile grid: the limit is 134217728",
    );
    refused(
        &|def| def.origin.y = f32::INFINITY,
        "origin.y is inf, expected a finite number",
    );
    refused(
        &|def| def.origin.x = 99_999.0,
        "origin.x is 100002, expected a place from which all cells are within 100000 meters of the body's origin",
    );
    refused(
        &|def| def.cells.truncate(5),
        "number of cells is 5, expected none, or as many as width times height",
    );
    refused(
        &|def| def.cells[4] = 15,
        "the cell in column 1, row 1 is 15, expected 0 for an empty cell or a tile from 1 to 14",
    );
    refused(
        &|def| def.tiles[2].def.friction = -1.0,
        "tile 3: friction is -1, expected a number from 0 to 1000000",
    );
    let convex = |corners: &[(f32, f32)]| TileShape::Convex {
        corners: corners.iter().copied().map(Vec2::from).collect(),
    };
    let flat = convex(&[(0.0, 0.0), (1.0, 1.0), (0.5, 0.5)]);
    refused(
        &|def| def.tiles[0].shape = flat.clone(),
        "tile 1: 3 points make only 2 corners: a polygon needs 3 that are more than 0.0005 m apart and not on one line",
    );
    let wide = convex(&[(0.0, 0.0), (1.5, 0.0), (0.5, 0.5)]);
    refused(
        &|def| def.tiles[0].shape = wide.clone(),
        "tile 1: corner is 1.5, expected coordinates from 0 to 1, which are the sides of the cell",
    );
    refused(
        &|def| def.tiles = vec![Tile::default(); 256],
        "too many kinds of tiles: the limit is 255",
    );
    let check = |result: Result<(), PhysicsError>, message: &str| {
        assert_eq!(format!("{}", result.unwrap_err()), message);
    };
    check(
        world.set_tile(grid, 3, 0, 1),
        "there are no 1 by 1 cells from column 3, row 0 on in a grid of 3 columns and 2 rows",
    );
    let block = TileBlock {
        width: 2,
        height: u32::MAX,
        ..TileBlock::cell(1, 1)
    };
    check(
        world.fill_tiles(grid, block, 0),
        "there are no 2 by 4294967295 cells from column 1, row 1 on in a grid of 3 columns and 2 rows",
    );
    check(
        world.set_tile(grid, 2, 1, 15),
        "the cell in column 2, row 1 is 15, expected 0 for an empty cell or a tile from 1 to 14",
    );
    let block = TileBlock {
        width: 3,
        height: 2,
        ..TileBlock::cell(0, 0)
    };
    check(
        world.set_tiles(grid, block, &[1, 2, 3]),
        "number of tiles is 3, expected as many as the block has cells",
    );
    let shape = world.body(body).unwrap().shapes().next().unwrap().id();
    let message = "the shape is made of the tiles of a grid: change the tiles, or destroy the grid";
    check(world.destroy_shape(shape), message);
    check(world.shape_mut(shape).map(drop), message);
    assert!(before == world.save(), "nothing has changed");
}
