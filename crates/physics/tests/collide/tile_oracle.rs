//! Tile grids against the plain shapes of their cells, one for each: the same solid, however cells merge, wherever the body
//! stands and however it is turned, after edits, cuts and saves.

use crate::tile_support::{every_tile, random_block, world};
use crate::world_support::scale::scaled;
use crate::world_support::{Random, SeedOnPanic};
use tombolo_physics::{
    BodyDef, BodyId, Motion, PhysicsWorld, Pose, Position, QueryFilter, Shape, ShapeDef, TileBlock, TileCut,
    TileGridDef, TileGridId, Vec2,
};

/// How the cells of a grid are chosen.
#[derive(Clone, Copy, Debug)]
enum Layout {
    /// Any tile or none in each cell.
    Noise,
    /// Every other cell.
    Checkerboard,
    /// Full cells below, all kinds of slopes and halves on them and hanging from above.
    Ground,
    /// Stairs of slopes with full cells under them, whose wedges end at chunks.
    Wedges,
}

const LAYOUTS: [Layout; 4] = [
    Layout::Noise,
    Layout::Checkerboard,
    Layout::Ground,
    Layout::Wedges,
];

impl Layout {
    fn cell(self, x: u32, y: u32, kinds: usize, random: &mut Random) -> u8 {
        let any = random.below(kinds + 1) as u8;
        match self {
            Self::Noise => any,
            Self::Checkerboard => u8::from((x + y).is_multiple_of(2)) * (1 + any % kinds as u8),
            Self::Ground if y < 20 => 1,
            Self::Ground if y == 20 || y == 33 => any,
            Self::Ground => u8::from(y > 33),
            // The kinds begin with full, halves and `SlopeUp`, which is the sixth.
            Self::Wedges if x == y => 6,
            Self::Wedges => u8::from(y < x),
        }
    }
}

/// A grid on a body that stands anywhere.
fn random_grid(layout: Layout, random: &mut Random) -> (BodyDef, TileGridDef) {
    let far = [0.0, 0.0, 300.0, 5000.0][random.below(4)];
    let at = random.vector(far);
    let angle = [0.0, random.between(-3.0, 3.0)][random.below(2)];
    let body = BodyDef {
        angle,
        ..BodyDef::fixed(at.x, at.y)
    };
    let tiles = every_tile();
    let (width, height) = (30 + random.below(9) as u32, 30 + random.below(40) as u32);
    let cells = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let cells = cells
        .map(|(x, y)| layout.cell(x, y, tiles.len(), random))
        .collect();
    let def = TileGridDef {
        cell_size: [0.5, 1.0, 4.0][random.below(3)],
        origin: random.vector(20.0),
        width,
        height,
        tiles,
        cells,
    };
    (body, def)
}

/// The corners of the tile in a cell, in the body's frame; none of an empty one.
fn corners(def: &TileGridDef, x: u32, y: u32) -> Option<Vec<Vec2>> {
    let tile = def.cells[(y * def.width + x) as usize];
    let shape = &def.tiles[usize::from(tile.checked_sub(1)?)].shape;
    let low = Vec2::new(x as f32, y as f32);
    let place = |corner: Vec2| def.origin + def.cell_size * (low + corner);
    Some(shape.corners().into_iter().map(place).collect())
}

/// A world with a shape for each cell.
fn plain_world(body: &BodyDef, def: &TileGridDef) -> PhysicsWorld {
    let mut plain = world();
    let body = plain.create_body(body).unwrap();
    for (x, y) in (0..def.height).flat_map(|y| (0..def.width).map(move |x| (x, y))) {
        if let Some(corners) = corners(def, x, y) {
            let shape = Shape::polygon(&corners, 0.0).unwrap();
            plain.create_shape(body, &ShapeDef::default(), &shape).unwrap();
        }
    }
    plain
}

/// Twice the area of all shapes of a body.
fn area(world: &PhysicsWorld, body: BodyId) -> f64 {
    let twice = |shape: &Shape| {
        let corners = shape.vertices();
        let next = corners.iter().cycle().skip(1);
        let cross = |(a, b): (&Vec2, &Vec2)| {
            let [a, b] = [a, b].map(|corner| (corner - corners[0]).as_dvec2());
            a.perp_dot(b)
        };
        corners.iter().zip(next).map(cross).sum::<f64>()
    };
    world
        .body(body)
        .unwrap()
        .shapes()
        .map(|shape| twice(shape.geometry()))
        .sum()
}

fn first_body(world: &PhysicsWorld) -> BodyId {
    world.bodies().next().unwrap().id()
}

/// Compares points, distances, rays and circles on their way in both worlds; `slack` is what rounding may do, in meters.
fn compare(grid: &PhysicsWorld, plain: &PhysicsWorld, def: &TileGridDef, random: &mut Random) {
    let all = QueryFilter::default;
    let body = grid.body(first_body(grid)).unwrap();
    let pose = body.pose();
    let reach = pose.position.length() + 100.0 * def.cell_size;
    let slack = 1.0e-3 * def.cell_size + 4.0 * f32::EPSILON * reach;
    let size = def.cell_size * Vec2::new(def.width as f32, def.height as f32);
    let anywhere = |random: &mut Random| {
        let at = Vec2::new(random.between(-0.1, 1.1), random.between(-0.1, 1.1));
        pose.transform_point(def.origin + at * size)
    };
    let thin = Shape::circle(Vec2::ZERO, slack).unwrap();
    for _ in 0..60 {
        let from = anywhere(random);
        let [ours, theirs] = [grid, plain].map(|world| {
            let found = world.closest_to_point(Position::from(from), f32::INFINITY, all());
            found.unwrap().unwrap().distance
        });
        assert!(
            (ours - theirs).abs() < slack,
            "from {from}: {ours} m, not {theirs} m"
        );
        if theirs > slack {
            let at = grid.overlap_point(Position::from(from), all()).unwrap();
            assert!(at.is_empty(), "{from} is empty");
        }
        // Where there is a corner within the slack, either may be hit; a circle of that size hits it in any case.
        let to = anywhere(random);
        let ray = |world: &PhysicsWorld| {
            let hit = world.cast_ray(Position::from(from), to - from, all()).unwrap();
            hit.map_or(2.0, |hit| hit.fraction)
        };
        let circle = |world: &PhysicsWorld| {
            let motion = Motion::line(Pose::new(from, 0.0), to - from);
            let hit = world.cast_shape(&thin, motion, all()).unwrap();
            hit.map_or(2.0, |hit| hit.fraction)
        };
        let more = 4.0 * slack / (to - from).length();
        let [[our_ray, our_circle], [their_ray, their_circle]] =
            [grid, plain].map(|world| [ray(world), circle(world)]);
        assert!(
            our_circle <= their_ray + more && their_circle <= our_ray + more,
            "from {from} to {to}: {our_ray} {our_circle}, not {their_ray} {their_circle}"
        );
    }
}

/// Each cell's middle of mass is in one shape, which names a block with the cell in it.
fn check_cells(world: &PhysicsWorld, grid: TileGridId, def: &TileGridDef) {
    let view = world.tile_grid(grid).unwrap();
    let pose = view.body().pose();
    for (x, y) in (0..def.height).flat_map(|y| (0..def.width).map(move |x| (x, y))) {
        assert_eq!(view.tile(x, y), Some(def.cells[(y * def.width + x) as usize]));
        let Some(corners) = corners(def, x, y) else {
            continue;
        };
        let middle = corners.iter().sum::<Vec2>() / corners.len() as f32;
        let at = Position::from(pose.transform_point(middle));
        let found = world.overlap_point(at, QueryFilter::default()).unwrap();
        let [shape] = found[..] else {
            panic!("{} shapes in the cell ({x}, {y})", found.len());
        };
        let (of, block) = world.shape(shape).unwrap().tiles().unwrap();
        assert_eq!(of.id(), grid);
        let is_in = |low: u32, count: u32, at: u32| (low..low + count).contains(&at);
        assert!(
            is_in(block.x, block.width, x) && is_in(block.y, block.height, y),
            "({x}, {y}) in {block:?}"
        );
    }
}

fn check(world: &PhysicsWorld, grid: TileGridId, body: &BodyDef, def: &TileGridDef, random: &mut Random) {
    world.validate();
    check_cells(world, grid, def);
    let plain = plain_world(body, def);
    let [ours, theirs] = [world, &plain].map(|world| area(world, first_body(world)));
    assert!(
        (ours - theirs).abs() <= 1.0e-4 * theirs,
        "shapes that overlap or leave gaps: {ours}, not {theirs}"
    );
    if theirs > 0.0 {
        compare(world, &plain, def, random);
    }
}

/// Reads the cells back that a cut has emptied, each of which was near to its line.
fn read_back(world: &PhysicsWorld, grid: TileGridId, def: &mut TileGridDef, cut: &TileCut) {
    let view = world.tile_grid(grid).unwrap();
    let (from, to) = (cut.from.to_vec2(), cut.to.to_vec2());
    for (x, y) in (0..def.height).flat_map(|y| (0..def.width).map(move |x| (x, y))) {
        let now = view.tile(x, y).unwrap();
        let place = (y * def.width + x) as usize;
        if now != def.cells[place] {
            assert_eq!(now, 0);
            let middle = view.cell_center(x, y).to_vec2();
            let along = (to - from) / (to - from).length_squared();
            let nearest = from + (to - from) * along.dot(middle - from).clamp(0.0, 1.0);
            let far = cut.radius + 0.71 * def.cell_size + 4.0 * f32::EPSILON * middle.length();
            assert!(
                nearest.distance(middle) <= far,
                "({x}, {y}) is not in reach of {cut:?}"
            );
            def.cells[place] = 0;
        }
    }
}

#[test]
fn a_grid_is_as_solid_as_the_shapes_of_its_cells() {
    for seed in 0..scaled(8) as u64 {
        let _print = SeedOnPanic(seed);
        let mut random = Random(seed);
        let layout = LAYOUTS[seed as usize % LAYOUTS.len()];
        let (body_def, mut def) = random_grid(layout, &mut random);
        let mut world = world();
        let body = world.create_body(&body_def).unwrap();
        let grid = world.create_tile_grid(body, &def).unwrap();
        check(&world, grid, &body_def, &def, &mut random);
        for edit in 0..30 {
            if random.chance(5) {
                let view = world.tile_grid(grid).unwrap();
                let [from, to] = [0; 2].map(|_| {
                    let x = random.below(def.width as usize) as u32;
                    view.cell_center(x, random.below(def.height as usize) as u32)
                });
                let cut = TileCut {
                    radius: random.between(0.0, def.cell_size),
                    ..TileCut::between(from, to)
                };
                world.cut_tiles(&cut).unwrap();
                read_back(&world, grid, &mut def, &cut);
            } else {
                let block = random_block(&mut random, def.width.min(7), def.height.min(7));
                // Anywhere, on both sides of the borders of chunks at 32 too.
                let block = TileBlock {
                    x: random.below((def.width - block.width) as usize) as u32,
                    y: random.below((def.height - block.height) as usize) as u32,
                    ..block
                };
                let layout = [layout, Layout::Noise][random.below(2)];
                let cells = (0..block.height).flat_map(|y| (0..block.width).map(move |x| (x, y)));
                let cells: Vec<u8> = cells
                    .map(|(x, y)| layout.cell(block.x + x, block.y + y, def.tiles.len(), &mut random))
                    .collect();
                world.set_tiles(grid, block, &cells).unwrap();
                for (place, &tile) in (0_u32..).zip(&cells) {
                    let (x, y) = (place % block.width, place / block.width);
                    def.cells[((block.y + y) * def.width + block.x + x) as usize] = tile;
                }
            }
            if edit % 10 == 9 {
                check(&world, grid, &body_def, &def, &mut random);
                let saved = world.save();
                world = PhysicsWorld::from_save(&saved).unwrap();
                assert_eq!(world.save(), saved);
            }
        }
    }
}

/// Every pair of tiles side by side, above each other and diagonally, also across the border of two chunks.
#[test]
fn all_kinds_beside_all_kinds_are_as_solid_as_their_shapes() {
    let tiles = every_tile();
    let kinds = tiles.len() as u32;
    let mut random = Random(7);
    // Each pair in its own square of three by three cells: as 3 does not divide 32, borders of chunks run between some.
    for way in 0..3 {
        let (width, height) = (3 * kinds, 3 * kinds);
        let mut def = TileGridDef {
            width,
            height,
            tiles: tiles.clone(),
            cells: vec![0; (width * height) as usize],
            ..TileGridDef::default()
        };
        for (one, other) in (0..kinds).flat_map(|one| (0..kinds).map(move |other| (one, other))) {
            let (x, y) = (3 * one, 3 * other);
            let (to_x, to_y) = [(x + 1, y), (x, y + 1), (x + 1, y + 1)][way];
            def.cells[(y * width + x) as usize] = one as u8 + 1;
            def.cells[(to_y * width + to_x) as usize] = other as u8 + 1;
        }
        let body_def = BodyDef::fixed(0.0, 0.0);
        let mut world = world();
        let body = world.create_body(&body_def).unwrap();
        let grid = world.create_tile_grid(body, &def).unwrap();
        for _ in 0..10 {
            check(&world, grid, &body_def, &def, &mut random);
        }
    }
}
