//! What slides over many shapes that stand side by side does what it would do on one: the joints between separate static
//! boxes, boxes of one body, bricks of different widths and the parts of a moving platform are no bumps, in whatever order
//! they were made; and edges that are there stay there.

use crate::world_support::scale::scaled;
use crate::world_support::{DT, Random};
use tombolo_physics::{
    BodyDef, BodyId, BodyKind, ChainDef, Filter, FilterDef, HeightfieldDef, PhysicsWorld, Pose, QueryFilter,
    Shape, ShapeDef, ShapeId, Tile, TileGridDef, TileShape, Vec2, WorldDef,
};

/// How a floor is made whose top is at height 0 from `-10` m to `length` m.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Floor {
    /// One box: what the others are compared with.
    One,
    /// Boxes of 1 m, a body each.
    Bodies,
    /// Boxes of 1 m, all on one body.
    Compound,
    /// Boxes of 1 m and of 0.7 m in turn, on a wall of the same, joints above joints nowhere.
    Bricks,
    /// Boxes of 1 m of different heights below the floor.
    Depths,
    /// Boxes of 1.3 m every meter, each 0.3 m inside of the next.
    Overlaps,
    /// A chain with a point every meter.
    Chain,
    /// Boxes of 1 m, of a kinematic body that moves sideways.
    Platform,
    /// Tiles of 1 m in three rows, filled cell by cell.
    Tiles,
    /// Pieces of a heightfield, 32 samples each, a body each.
    Heightfield,
    /// A half-space.
    HalfSpace,
    /// Boxes of 1 m and of 0.7 m in a half-space, with their tops in its line.
    Flush,
}

/// All but the one that they are compared with.
const FLOORS: [Floor; 11] = [
    Floor::Bodies,
    Floor::Compound,
    Floor::Bricks,
    Floor::Depths,
    Floor::Overlaps,
    Floor::Chain,
    Floor::Platform,
    Floor::Tiles,
    Floor::Heightfield,
    Floor::HalfSpace,
    Floor::Flush,
];

impl Floor {
    /// Whether it is made in an order.
    fn has_orders(self) -> bool {
        !matches!(self, Self::One | Self::Chain | Self::HalfSpace)
    }
}

fn smooth() -> ShapeDef {
    ShapeDef {
        friction: 0.0,
        ..ShapeDef::default()
    }
}

/// Adds a static box, by its left upper corner and its size.
fn add_block(world: &mut PhysicsWorld, corner: Vec2, size: Vec2) -> BodyId {
    let middle = corner + Vec2::new(0.5 * size.x, -0.5 * size.y);
    let body = world.create_body(&BodyDef::fixed(middle.x, middle.y)).unwrap();
    let block = Shape::new_box(size.x, size.y).unwrap();
    world.create_shape(body, &smooth(), &block).unwrap();
    body
}

/// The blocks of a floor: left upper corners and sizes.
fn blocks(floor: Floor, length: f32) -> Vec<(Vec2, Vec2)> {
    let row = |height: f32, first: f32, widths: [f32; 2]| {
        let mut left = -10.0 + first;
        let mut blocks = Vec::new();
        while left < length {
            let width = widths[blocks.len() % 2];
            blocks.push((Vec2::new(left, height), Vec2::new(width, 0.7)));
            left += width;
        }
        blocks
    };
    match floor {
        Floor::One => vec![(Vec2::new(-10.0, 0.0), Vec2::new(length + 10.0, 1.0))],
        Floor::Flush => row(0.0, 0.0, [1.0, 0.7]),
        Floor::Bricks => {
            let mut blocks = row(0.0, 0.0, [1.0, 0.7]);
            blocks.extend(row(-0.7, -0.35, [0.7, 1.0]));
            blocks
        }
        Floor::Depths => {
            let mut blocks = row(0.0, 0.0, [1.0, 1.0]);
            for (i, block) in blocks.iter_mut().enumerate() {
                block.1.y = [1.0, 0.4, 2.0][i % 3];
            }
            blocks
        }
        Floor::Overlaps => {
            let mut blocks = row(0.0, 0.0, [1.0, 1.0]);
            blocks.iter_mut().for_each(|block| block.1.x = 1.3);
            blocks
        }
        _ => row(0.0, 0.0, [1.0, 1.0]),
    }
}

fn shuffle<T>(things: &mut [T], random: &mut Random) {
    for place in (1..things.len()).rev() {
        things.swap(place, random.below(place + 1));
    }
}

fn add_tiles(world: &mut PhysicsWorld, length: u32, random: &mut Random) {
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let def = TileGridDef {
        origin: Vec2::new(-10.0, -3.0),
        width: length + 10,
        height: 3,
        tiles: vec![Tile {
            shape: TileShape::Full,
            def: smooth(),
        }],
        ..TileGridDef::default()
    };
    let grid = world.create_tile_grid(body, &def).unwrap();
    let mut cells: Vec<u32> = (0..def.width * def.height).collect();
    shuffle(&mut cells, random);
    for cell in cells {
        world
            .set_tile(grid, cell % def.width, cell / def.width, 1)
            .unwrap();
    }
}

fn add_heightfield(world: &mut PhysicsWorld, length: u32, random: &mut Random) {
    const SAMPLES: u32 = 32;
    let mut pieces: Vec<u32> = (0..(length + 10).div_ceil(SAMPLES)).collect();
    shuffle(&mut pieces, random);
    for piece in pieces {
        let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        let def = HeightfieldDef {
            origin: Vec2::new((piece * SAMPLES) as f32 - 10.0, 0.0),
            heights: vec![0.0; SAMPLES as usize + 1],
            before: Some(0.0),
            after: Some(0.0),
            grounds: vec![smooth()],
            ..HeightfieldDef::default()
        };
        world.create_heightfield(body, &def).unwrap();
    }
}

fn add_floor(world: &mut PhysicsWorld, floor: Floor, length: f32, random: &mut Random) {
    if floor == Floor::Chain {
        let points = (-10..=length as i32).rev().map(|x| Vec2::new(x as f32, 0.0));
        let def = ChainDef {
            points: points.collect(),
            shape: smooth(),
            ..ChainDef::default()
        };
        let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
        world.create_chain(body, &def).unwrap();
        return;
    }
    if matches!(floor, Floor::HalfSpace | Floor::Flush) {
        let body = world.create_body(&BodyDef::fixed(0.0, -2.0)).unwrap();
        let ground = Shape::half_space(Vec2::new(3.0, 2.0), Vec2::Y).unwrap();
        world.create_shape(body, &smooth(), &ground).unwrap();
    }
    match floor {
        Floor::HalfSpace => return,
        Floor::Tiles => return add_tiles(world, length as u32, random),
        Floor::Heightfield => return add_heightfield(world, length as u32, random),
        _ => {}
    }
    let mut blocks = blocks(floor, length);
    shuffle(&mut blocks, random);
    if !matches!(floor, Floor::Compound | Floor::Platform) {
        for (corner, size) in blocks {
            add_block(world, corner, size);
        }
        return;
    }
    let def = BodyDef {
        kind: if floor == Floor::Platform {
            BodyKind::Kinematic
        } else {
            BodyKind::Static
        },
        // By five meters in all, in the time in which the slowest gets to the end.
        linear_velocity: if floor == Floor::Platform {
            Vec2::new(-5.0 / length, 0.0)
        } else {
            Vec2::ZERO
        },
        ..BodyDef::fixed(0.0, 0.0)
    };
    let body = world.create_body(&def).unwrap();
    for (corner, size) in blocks {
        let middle = corner + Vec2::new(0.5 * size.x, -0.5 * size.y);
        let block = Shape::box_at(size.x, size.y, middle, 0.0).unwrap();
        world.create_shape(body, &smooth(), &block).unwrap();
    }
}

fn sliders() -> Vec<(&'static str, Shape)> {
    vec![
        ("ball", Shape::circle(Vec2::ZERO, 0.3).unwrap()),
        ("box", Shape::new_box(0.6, 0.6).unwrap()),
        (
            "capsule",
            Shape::capsule(Vec2::new(0.0, -0.2), Vec2::new(0.0, 0.2), 0.3).unwrap(),
        ),
    ]
}

/// What slides over a floor: its name, its shape and its speed.
type Slider = (&'static str, Shape, f32);

/// Each shape at 1, 10 and 50 m/s.
fn all_sliders() -> Vec<Slider> {
    let shapes = sliders().into_iter();
    let at_speeds = shapes.flat_map(|(name, shape)| [1.0, 10.0, 50.0].map(|speed| (name, shape, speed)));
    at_speeds.collect()
}

/// How something slid: where it was, step by step, and its greatest speeds: across, and of its turn.
#[derive(Default)]
struct Slide {
    places: Vec<Vec2>,
    across: f32,
    spin: f32,
}

/// Slides everything at once over one floor: what slides meets the floor alone, and is gone at the end of its way.
fn slide(floor: Floor, length: f32, steps_max: usize, seed: u64) -> Vec<Slide> {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    add_floor(&mut world, floor, length, &mut Random(seed + 1));
    let alone = ShapeDef {
        filter: Filter {
            group: -1,
            ..Filter::default()
        },
        ..smooth()
    };
    let mut bodies: Vec<(usize, BodyId, usize)> = Vec::new();
    for (at, (_, shape, speed)) in all_sliders().iter().enumerate() {
        let height = -shape.aabb(Pose::IDENTITY).min.y;
        let def = BodyDef {
            linear_velocity: Vec2::new(*speed, 0.0),
            fixed_rotation: false,
            ..BodyDef::dynamic(0.1, height)
        };
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &alone, shape).unwrap();
        bodies.push((at, body, steps_max.min(((length - 5.0) / speed / DT) as usize)));
    }
    let mut slides: Vec<Slide> = bodies.iter().map(|_| Slide::default()).collect();
    for step in 0.. {
        bodies.retain(|&(_, body, steps)| {
            if step == steps {
                world.destroy_body(body).unwrap();
            }
            step < steps
        });
        if bodies.is_empty() {
            return slides;
        }
        world.step(DT).unwrap();
        for &(at, body, _) in &bodies {
            let view = world.body(body).unwrap();
            let slide = &mut slides[at];
            slide.places.push(view.position().to_vec2());
            // Before it has sunk to its rest it moves on any floor.
            if slide.places.len() > 30 {
                slide.across = slide.across.max(view.linear_velocity().y.abs());
                slide.spin = slide.spin.max(view.angular_velocity().abs());
            }
        }
    }
    slides
}

/// On one box everything rests within the slop and keeps its speed.
fn check_plain(plain: &[Slide]) {
    for ((name, shape, speed), Slide { places, .. }) in all_sliders().into_iter().zip(plain) {
        let low = -shape.aabb(Pose::IDENTITY).min.y;
        let off = |place: &Vec2| (place.y - low).abs();
        let off = places.iter().map(off).fold(0.0, f32::max);
        // Bodies rest within the slop of 5 mm.
        assert!(off <= 0.0055, "{name} at {speed} m/s over one box: {off} m off");
        let way = places[places.len() - 1].x - 0.1;
        let free = places.len() as f32 * DT * speed;
        assert!(
            (way - free).abs() <= 1.0e-3 * free,
            "{name} at {speed} m/s: {way} m"
        );
    }
}

/// Everything slid as over one box.
fn check_slide(what: &str, slide: &Slide, plain: &Slide) {
    let places = [&slide.places, &plain.places];
    for (step, (place, expected)) in places[0].iter().zip(places[1]).enumerate() {
        assert!(
            (place.y - expected.y).abs() < 1.0e-3,
            "{what}, step {step}: {place} and not {expected}"
        );
    }
    let [way, expected] = places.map(|places| places[places.len() - 1].x - 0.1);
    assert!(
        (way - expected).abs() < 1.0e-3 * expected,
        "{what}: {way} of {expected} m"
    );
    let Slide { across, spin, .. } = *slide;
    assert!(across <= 0.02, "{what}: {across} m/s across");
    assert!(spin <= 0.01, "{what}: {spin} rad/s");
}

/// Slides everything over these floors, `length` meters far or so many steps long, in so many orders.
fn check_slides(floors: &[Floor], length: f32, steps_max: usize, orders: u64) {
    let plain = slide(Floor::One, length, steps_max, 0);
    check_plain(&plain);
    for &floor in floors {
        for seed in 0..if floor.has_orders() { orders } else { 1 } {
            let slides = slide(floor, length, steps_max, seed);
            for (((name, _, speed), slide), plain) in all_sliders().iter().zip(&slides).zip(&plain) {
                let what = format!("{name} at {speed} m/s over {floor:?}, order {seed}");
                check_slide(&what, slide, plain);
            }
        }
    }
}

#[test]
fn pf_2_joints_between_static_shapes_are_no_bumps() {
    check_slides(&FLOORS, 100.0, 400, 2);
}

/// 1 km far, at each speed, in one order; in 100 with a `TOMBOLO_TEST_SCALE` of 100.
#[test]
fn pf_2_joints_are_no_bumps_in_any_order_for_a_kilometer() {
    let orders = scaled(1) as u64;
    check_slides(
        &[Floor::Bodies, Floor::Tiles, Floor::Chain],
        1000.0,
        usize::MAX,
        orders,
    );
}

#[test]
fn pf_3_joints_that_are_off_by_a_millimeter_cost_little() {
    for (name, shape) in sliders() {
        for speed in [1.0, 5.0, 20.0] {
            let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
            for (i, (corner, size)) in blocks(Floor::Bodies, 60.0).into_iter().enumerate() {
                let off = if i % 2 == 0 { 0.001 } else { 0.0 };
                add_block(&mut world, corner + Vec2::new(0.0, off), size);
            }
            let height = -shape.aabb(Pose::IDENTITY).min.y;
            let def = BodyDef {
                linear_velocity: Vec2::new(speed, 0.0),
                ..BodyDef::dynamic(0.1, height + 0.001)
            };
            let body = world.create_body(&def).unwrap();
            world.create_shape(body, &smooth(), &shape).unwrap();
            for step in 0..(50.0 / speed / DT).min(600.0) as usize {
                world.step(DT).unwrap();
                let velocity = world.body(body).unwrap().linear_velocity();
                let what = format!("{name} at {speed} m/s, step {step}: {velocity}");
                assert!(velocity.x > 0.99 * speed, "{what}");
                assert!(step < 30 || velocity.y.abs() <= 0.1, "{what}");
            }
        }
    }
}

/// What is made of blocks that stand side by side, and what meets it.
fn meet(blocks: &[(Vec2, Vec2)], shape: &Shape, from: Vec2, velocity: Vec2, steps: usize) -> Vec2 {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    for &(corner, size) in blocks {
        add_block(&mut world, corner, size);
    }
    let def = BodyDef {
        linear_velocity: velocity,
        ..BodyDef::dynamic(from.x, from.y)
    };
    let body = world.create_body(&def).unwrap();
    world.create_shape(body, &smooth(), shape).unwrap();
    for _ in 0..steps {
        world.step(DT).unwrap();
    }
    let place = world.body(body).unwrap().position();
    Vec2::new(place.x, place.y)
}

/// Tiles of 1 m whose tops are at these heights, from x = 0 on.
fn tiles(heights: &[f32]) -> Vec<(Vec2, Vec2)> {
    let tile = |(i, &height): (usize, &f32)| (Vec2::new(i as f32, height), Vec2::new(1.0, 2.0));
    heights.iter().enumerate().map(tile).collect()
}

#[test]
fn pf_4_edges_that_are_there_stay() {
    let square = Shape::new_box(0.5, 0.5).unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.25).unwrap();
    let ledge = tiles(&[0.0, 0.0, 0.0, 0.0, 0.25, 0.25, 0.25]);
    for (name, shape) in [("box", &square), ("ball", &ball)] {
        let place = meet(&ledge, shape, Vec2::new(1.0, 0.25), Vec2::new(3.0, 0.0), 90);
        assert!(place.x < 3.76, "a ledge stops a {name}: {place}");
    }
    let mut hole = tiles(&[0.0; 8]);
    hole.remove(4);
    let place = meet(&hole, &ball, Vec2::new(2.5, 0.25), Vec2::new(1.0, 0.0), 150);
    assert!(place.y < -0.5, "a ball falls into a hole: {place}");
    let wall = tiles(&[0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    let place = meet(&wall, &ball, Vec2::new(1.0, 0.5), Vec2::new(50.0, 0.0), 30);
    assert!(
        place.x < 4.76,
        "a wall of one tile stops a ball at 50 m/s: {place}"
    );
    let end = tiles(&[0.0, 0.0, 0.0]);
    let place = meet(&end, &ball, Vec2::new(3.2, 0.5), Vec2::new(0.0, -2.0), 30);
    assert!(place.x > 3.24, "the corner at the end deflects: {place}");
}

#[test]
fn a_corner_between_floor_and_wall_holds() {
    let corner = [
        (Vec2::new(-5.0, 0.0), Vec2::new(10.0, 1.0)),
        (Vec2::new(2.0, 3.0), Vec2::new(1.0, 3.0)),
        (Vec2::new(-4.0, 3.0), Vec2::new(1.0, 3.0)),
    ];
    for (name, shape) in sliders() {
        let low = -shape.aabb(Pose::IDENTITY).min.y;
        for speed in [-30.0, -2.0, 2.0, 30.0] {
            let place = meet(
                &corner,
                &shape,
                Vec2::new(0.0, low + 0.5),
                Vec2::new(speed, -5.0),
                240,
            );
            assert!(place.y > 0.29, "{name} at {speed}: {place}");
            assert!(place.x.abs() < 3.0, "{name} at {speed}: {place}");
        }
    }
    // On one corner, in the corner: the only point of contact is where the wall covers the floor.
    let turned = Shape::polygon(
        &[
            Vec2::new(0.0, -0.5),
            Vec2::new(0.5, 0.0),
            Vec2::new(0.0, 0.5),
            Vec2::new(-0.5, 0.0),
        ],
        0.0,
    )
    .unwrap();
    let place = meet(&corner, &turned, Vec2::new(1.6, 0.6), Vec2::new(3.0, 0.0), 240);
    assert!(place.y > 0.3 && place.x < 2.0, "{place}");
}

#[test]
fn a_ramp_that_is_sunk_into_the_floor_carries_up_and_down() {
    // At a joint of the floor, beside one, and between two.
    for foot in [5.0, 5.003, 5.4] {
        let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
        for (corner, size) in tiles(&[0.0; 12]) {
            add_block(&mut world, corner, size);
        }
        // A turned box whose upper face leaves the floor at its foot and rises by 20 degrees.
        let ramp = Shape::box_at(8.0, 1.0, Vec2::new(0.0, -0.5), 0.0).unwrap();
        let def = BodyDef {
            angle: 20.0_f32.to_radians(),
            ..BodyDef::fixed(foot, 0.0)
        };
        let body = world.create_body(&def).unwrap();
        world.create_shape(body, &smooth(), &ramp).unwrap();
        let ball = Shape::circle(Vec2::ZERO, 0.3).unwrap();
        let def = BodyDef {
            linear_velocity: Vec2::new(5.0, 0.0),
            ..BodyDef::dynamic(1.0, 0.3)
        };
        let slider = world.create_body(&def).unwrap();
        world.create_shape(slider, &smooth(), &ball).unwrap();
        let mut highest: f32 = 0.0;
        for step in 0..280 {
            world.step(DT).unwrap();
            let place = world.body(slider).unwrap().position();
            let on_ramp = (place.x - foot) * 0.363_97 + 0.3 / 0.939_69;
            let low = on_ramp.max(0.3) - 0.02;
            assert!(
                place.y > low,
                "foot {foot}, step {step}: it sinks in at {place:?}"
            );
            highest = highest.max(place.y);
        }
        // Where it meets the ramp it loses the speed into it, and rises by (5 cos 20°)² / 2g.
        assert!(highest > 1.2, "foot {foot}: {highest}");
        let x = world.body(slider).unwrap().position().x;
        assert!(x < 4.5, "foot {foot}: and down again, {x}");
    }
}

#[test]
fn a_neighbor_that_goes_leaves_an_edge() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let blocks: Vec<BodyId> = tiles(&[0.0, 0.0, 0.0, 0.0, 0.0])
        .into_iter()
        .map(|(corner, size)| add_block(&mut world, corner, size))
        .collect();
    world.destroy_body(blocks[2]).unwrap();
    // In the gap, at rest between the two faces that the block covered.
    let body = world
        .create_body(&BodyDef {
            linear_velocity: Vec2::new(2.0, 0.0),
            gravity_scale: 0.0,
            ..BodyDef::dynamic(2.5, -0.5)
        })
        .unwrap();
    let ball = Shape::circle(Vec2::ZERO, 0.3).unwrap();
    world.create_shape(body, &smooth(), &ball).unwrap();
    for _ in 0..60 {
        world.step(DT).unwrap();
        let place = world.body(body).unwrap().position();
        assert!((2.28..2.72).contains(&place.x), "{place:?}");
    }
}

#[test]
fn touches_see_what_contacts_see() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    for (corner, size) in tiles(&[0.0, 0.0, 0.0]) {
        add_block(&mut world, corner, size);
    }
    let slider = Shape::new_box(0.6, 0.6).unwrap();
    // It has sunk in by 3 mm and reaches 1 mm over the second tile.
    let pose = Pose::new(Vec2::new(0.701, 0.297), 0.0);
    let touches = world
        .touches(&slider, pose, 0.01, QueryFilter::default())
        .unwrap();
    assert_eq!(touches.len(), 2);
    for touch in touches {
        assert!(touch.normal.distance(Vec2::NEG_Y) < 1.0e-6, "{touch:?}");
    }
}

/// The user key of a shape that lets everything through.
const DOOR: u64 = 7;

/// Two blocks side by side in a world without gravity, on one body or on two: a door, whose shape it gives, left of 0, and a wall.
fn door_and_wall(kind: BodyKind, together: bool) -> (PhysicsWorld, BodyId, ShapeId) {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    })
    .unwrap();
    let def = BodyDef {
        kind,
        ..BodyDef::fixed(0.0, 0.0)
    };
    let left = world.create_body(&def).unwrap();
    let right = if together {
        left
    } else {
        world.create_body(&def).unwrap()
    };
    let block = |x: f32| Shape::box_at(1.0, 1.0, Vec2::new(x, 0.0), 0.0).unwrap();
    let of_door = ShapeDef {
        user_key: DOOR,
        ..ShapeDef::default()
    };
    let door = world.create_shape(left, &of_door, &block(-0.5)).unwrap();
    world
        .create_shape(right, &ShapeDef::default(), &block(0.5))
        .unwrap();
    (world, left, door)
}

/// A neighbor covers faces only of what it stops: what passes the door is stopped by the wall beside it.
#[test]
fn what_is_let_through_a_door_is_stopped_by_the_wall_beside_it() {
    type LetThrough = fn(&mut PhysicsWorld, (BodyId, ShapeId), (BodyId, ShapeId));
    let by_pair: LetThrough = |world, (_, ball), (_, door)| world.set_pair_ignored(ball, door, true).unwrap();
    let by_joint: LetThrough = |world, (ball, _), (door, _)| {
        world.create_joint(FilterDef::new(ball, door)).unwrap();
    };
    let by_filter: LetThrough =
        |world, _, _| world.set_custom_filter(|pair| pair.sides.iter().all(|side| side.shape_key != DOOR));
    let cases = [
        (BodyKind::Static, false, by_pair),
        (BodyKind::Static, false, by_joint),
        (BodyKind::Static, false, by_filter),
        (BodyKind::Static, true, by_pair),
        (BodyKind::Static, true, by_filter),
        (BodyKind::Kinematic, true, by_pair),
        (BodyKind::Kinematic, true, by_filter),
    ];
    for (case, (kind, together, let_through)) in cases.into_iter().enumerate() {
        let (mut world, left, door) = door_and_wall(kind, together);
        let def = BodyDef {
            linear_velocity: Vec2::X,
            ..BodyDef::dynamic(-0.6, 0.0)
        };
        let body = world.create_body(&def).unwrap();
        let disc = Shape::circle(Vec2::ZERO, 0.2).unwrap();
        let ball = world.create_shape(body, &ShapeDef::default(), &disc).unwrap();
        let_through(&mut world, (body, ball), (left, door));
        for _ in 0..120 {
            world.step(DT).unwrap();
            let x = world.body(body).unwrap().position().x;
            assert!(x < -0.15, "the wall's face is at 0: case {case}");
        }
        let place = world.body(body).unwrap().position();
        assert!(place.x > -0.3 && place.y.abs() < 0.01, "case {case}: {place:?}");
    }
}

#[test]
fn a_query_that_excludes_the_door_touches_the_wall_beside_it() {
    let (world, _, door) = door_and_wall(BodyKind::Static, false);
    let disc = Shape::circle(Vec2::ZERO, 0.2).unwrap();
    let filter = QueryFilter {
        exclude_shapes: &[door],
        ..QueryFilter::default()
    };
    let pose = Pose::new(Vec2::new(-0.1, 0.0), 0.0);
    let touches = world.touches(&disc, pose, 0.01, filter).unwrap();
    assert_eq!(touches.len(), 1, "{touches:?}");
    assert!((touches[0].normal - Vec2::X).length() < 1e-3, "{touches:?}");
    assert!((touches[0].separation() + 0.1).abs() < 1e-3, "{touches:?}");
    // With the door it is inside of both, and the faces between the two do not count.
    let both = world.touches(&disc, pose, 0.01, QueryFilter::default()).unwrap();
    assert!(both.iter().all(|touch| touch.normal.x.abs() < 0.9), "{both:?}");
}
