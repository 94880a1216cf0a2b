//! Tile grids beside other ground, and grids that come and go: seams with chains, heightfields, polygons, half-spaces and
//! other grids are no bumps, and pieces that are loaded around what moves are as one ground.

use crate::tile_support::{grid_of, place, smooth, world};
use crate::world_support::{DT, Random, SeedOnPanic};
use tombolo_physics::{
    BodyDef, BodyId, ChainDef, Character, CharacterDef, CharacterInput, CharacterScratch, HeightfieldDef,
    PhysicsWorld, Pose, Shape, TileGridDef, TileShape, Vec2,
};

/// What lies to the right of a grid whose last column ends at 0, level with it.
#[derive(Clone, Copy, Debug)]
enum Neighbor {
    Chain,
    Heightfield,
    Polygon,
    HalfSpace,
    /// A grid of a body of its own, with cells of another size.
    Grid,
}

const NEIGHBORS: [Neighbor; 5] = [
    Neighbor::Chain,
    Neighbor::Heightfield,
    Neighbor::Polygon,
    Neighbor::HalfSpace,
    Neighbor::Grid,
];

/// Tiles of a meter whose top is at 0.
fn floor(left: f32, columns: u32) -> TileGridDef {
    TileGridDef {
        origin: Vec2::new(left, -2.0),
        width: columns,
        height: 2,
        tiles: vec![smooth(TileShape::Full)],
        cells: vec![1; 2 * columns as usize],
        ..TileGridDef::default()
    }
}

fn add_neighbor(world: &mut PhysicsWorld, neighbor: Neighbor) -> BodyId {
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let def = smooth(TileShape::Full).def;
    let shape = match neighbor {
        Neighbor::Chain => {
            let points = (0..=20).rev().map(|x| Vec2::new(x as f32, 0.0)).collect();
            let chain = ChainDef {
                points,
                shape: def,
                ..ChainDef::default()
            };
            world.create_chain(body, &chain).unwrap();
            return body;
        }
        Neighbor::Heightfield => {
            let field = HeightfieldDef {
                heights: vec![0.0; 21],
                grounds: vec![def],
                ..HeightfieldDef::default()
            };
            world.create_heightfield(body, &field).unwrap();
            return body;
        }
        Neighbor::Grid => {
            let grid = TileGridDef {
                cell_size: 0.5,
                origin: Vec2::new(0.0, -1.0),
                ..floor(0.0, 40)
            };
            world.create_tile_grid(body, &grid).unwrap();
            return body;
        }
        Neighbor::Polygon => {
            let corners = [(0.0, 0.0), (0.0, -2.0), (18.0, -3.0), (20.0, 0.0)].map(Vec2::from);
            Shape::polygon(&corners, 0.0).unwrap()
        }
        Neighbor::HalfSpace => Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap(),
    };
    world.create_shape(body, &def, &shape).unwrap();
    body
}

fn sliders() -> [(&'static str, Shape); 3] {
    let ends = [Vec2::new(0.0, -0.2), Vec2::new(0.0, 0.2)];
    [
        ("ball", Shape::circle(Vec2::ZERO, 0.3).unwrap()),
        ("box", Shape::new_box(0.6, 0.6).unwrap()),
        ("capsule", Shape::capsule(ends[0], ends[1], 0.3).unwrap()),
    ]
}

fn add_slider(
    world: &mut PhysicsWorld,
    shape: &Shape,
    at: Vec2,
    velocity: Vec2,
    gravity_scale: f32,
) -> BodyId {
    let def = BodyDef {
        linear_velocity: velocity,
        gravity_scale,
        ..BodyDef::dynamic(at.x, at.y)
    };
    let body = world.create_body(&def).unwrap();
    world
        .create_shape(body, &smooth(TileShape::Full).def, shape)
        .unwrap();
    body
}

/// Both ways, in both orders of making, with the limits of PF-2.
#[test]
fn pf_22_seams_of_a_grid_with_other_ground_are_no_bumps() {
    for neighbor in NEIGHBORS {
        for grid_first in [true, false] {
            for (name, shape) in sliders() {
                for speed in [1.0, 5.0, 20.0, -1.0, -5.0, -20.0_f32] {
                    let mut world = world();
                    if grid_first {
                        grid_of(&mut world, &floor(-20.0, 20));
                    }
                    add_neighbor(&mut world, neighbor);
                    if !grid_first {
                        grid_of(&mut world, &floor(-20.0, 20));
                    }
                    let low = -shape.aabb(Pose::IDENTITY).min.y;
                    // It comes to rest on the ground before it comes to the seam.
                    let start = Vec2::new(-0.8 * speed - 0.4 * speed.signum(), low);
                    let body = add_slider(&mut world, &shape, start, Vec2::new(speed, 0.0), 1.0);
                    for step in 0..90 {
                        world.step(DT).unwrap();
                        let view = world.body(body).unwrap();
                        let (velocity, spin) = (view.linear_velocity(), view.angular_velocity());
                        let what =
                            format!("{name} at {speed} m/s over {neighbor:?}, {grid_first}, step {step}");
                        assert!(
                            (velocity.x - speed).abs() <= 1.0e-3 * speed.abs(),
                            "{what}: {velocity}"
                        );
                        if step >= 30 {
                            assert!(velocity.y.abs() <= 0.02, "{what}: {velocity}");
                            assert!(spin.abs() <= 0.01, "{what}: {spin} rad/s");
                        }
                    }
                    let end = place(&world, body).x;
                    assert!(end * start.x < 0.0, "{name} at {speed} m/s came to {end}");
                }
            }
        }
    }
}

/// The face that the neighbor covered stops what comes in the very step after the neighbor went.
#[test]
fn pf_22_the_face_of_a_grid_counts_as_soon_as_its_neighbor_is_gone() {
    for neighbor in NEIGHBORS {
        let mut world = world();
        grid_of(&mut world, &floor(-20.0, 20));
        let body = add_neighbor(&mut world, neighbor);
        // Something slides on both, so that there are contacts whose neighbors are known.
        let block = Shape::new_box(1.0, 0.6).unwrap();
        add_slider(&mut world, &block, Vec2::new(0.1, 0.3), Vec2::ZERO, 1.0);
        for _ in 0..10 {
            world.step(DT).unwrap();
        }
        world.destroy_body(body).unwrap();
        let ball = Shape::circle(Vec2::ZERO, 0.3).unwrap();
        let ball = add_slider(
            &mut world,
            &ball,
            Vec2::new(0.35, -0.9),
            Vec2::new(-12.0, 0.0),
            0.0,
        );
        for step in 0..10 {
            world.step(DT).unwrap();
            let x = place(&world, ball).x;
            assert!(x >= 0.28, "{neighbor:?}, step {step}: {x}");
        }
    }
}

/// Columns of a piece of ground, and the number of pieces.
const COLUMNS: u32 = 16;
const PIECES: i32 = 30;

/// Adds pieces of ground in an order.
fn load(world: &mut PhysicsWorld, mut pieces: Vec<i32>, random: &mut Random) -> Vec<(i32, BodyId)> {
    for last in (1..pieces.len()).rev() {
        pieces.swap(last, random.below(last + 1));
    }
    let add = |piece: i32| {
        let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let left = (piece * COLUMNS as i32) as f32;
        world.create_tile_grid(body, &floor(left, COLUMNS)).unwrap();
        (piece, body)
    };
    pieces.into_iter().map(add).collect()
}

/// The way of a character and of three bodies at 20 m/s, with all ground or with the pieces around them.
fn travel(is_streamed: bool, seed: u64) -> (Vec<Vec2>, Vec<[Vec2; 3]>) {
    let mut random = Random(seed + 1);
    let mut world = world();
    let mut loaded = load(
        &mut world,
        if is_streamed {
            vec![0, 1, 2]
        } else {
            (0..PIECES).collect()
        },
        &mut random,
    );
    let ends = [Vec2::new(0.0, -0.5), Vec2::new(0.0, 0.5)];
    let def = CharacterDef::new(Shape::capsule(ends[0], ends[1], 0.3).unwrap());
    let mut character = Character::new(Vec2::new(17.0, 0.802).into());
    let mut scratch = CharacterScratch::default();
    let input = CharacterInput {
        walk: 20.0,
        ..CharacterInput::default()
    };
    let bodies = [0, 1, 2].map(|at| {
        let (_, shape) = &sliders()[at];
        let low = -shape.aabb(Pose::IDENTITY).min.y;
        let place = Vec2::new(19.0 + 2.0 * at as f32, low);
        add_slider(&mut world, shape, place, Vec2::new(20.0, 0.0), 1.0)
    });
    let (mut way, mut slides) = (Vec::new(), Vec::new());
    for _ in 0..1200 {
        let here = (character.position.to_vec2().x / COLUMNS as f32) as i32;
        if is_streamed {
            let wanted = (here - 1).max(0)..(here + 3).min(PIECES);
            loaded.retain(|&(piece, body)| {
                let stays = wanted.contains(&piece);
                if !stays {
                    world.destroy_body(body).unwrap();
                }
                stays
            });
            let missing = wanted.filter(|piece| loaded.iter().all(|(known, _)| known != piece));
            let missing = missing.collect();
            loaded.extend(load(&mut world, missing, &mut random));
        }
        world.step(DT).unwrap();
        world
            .move_character(&def, &mut character, &input, DT, &mut scratch)
            .unwrap();
        assert!(character.is_grounded());
        way.push(character.position.to_vec2());
        slides.push(bodies.map(|body| place(&world, body)));
    }
    (way, slides)
}

/// PF-21: the character's way is the same to the bit. The solver takes two contacts of a body in the order of their shapes,
/// which is that of loading, so that bodies differ in their last bits.
#[test]
fn pf_21_grids_streamed_around_a_character_and_bodies_are_as_all_loaded() {
    let (way, slides) = travel(false, 0);
    assert!(way[1199].x > 400.0, "{}", way[1199]);
    for seed in 0..4 {
        let _print = SeedOnPanic(seed);
        let (streamed, others) = travel(seed > 0, seed);
        assert_eq!(streamed, way);
        for (step, (places, expected)) in others.iter().zip(&slides).enumerate() {
            for (place, expected) in places.iter().zip(expected) {
                let off = place.distance(*expected);
                assert!(off < 1.0e-3, "step {step}: {place} and not {expected}");
            }
        }
    }
}
