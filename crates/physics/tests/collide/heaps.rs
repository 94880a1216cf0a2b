//! Many static shapes at one place: which of them cover faces of the others follows from geometry, and where there are too
//! many to look at, bodies still stand on them.

use crate::world_support::scale::scaled;
use crate::world_support::{DT, Random};
use tombolo_physics::{BodyDef, PhysicsWorld, Pose, QueryFilter, Shape, ShapeDef, Touch, Vec2, WorldDef};

/// A box of a heap: its place and size.
type Block = (Pose, Vec2);

/// Boxes that overlap around the origin, some of them turned, no two alike.
fn heap(count: usize, random: &mut Random) -> Vec<Block> {
    let block = |_| {
        let place = Vec2::new(random.between(-1.0, 1.0), random.between(-1.0, 0.5));
        let angle = if random.below(2) == 0 {
            0.0
        } else {
            random.between(-1.5, 1.5)
        };
        let size = Vec2::new(random.between(0.2, 3.0), random.between(0.2, 1.5));
        (Pose::new(place, angle), size)
    };
    (0..count).map(block).collect()
}

/// A floor and pebbles that stick in its top, some of them turned, no two alike: each covers a part of the top of its own, so
/// that it shows in the touches beside it which of them were considered.
fn floor_with_rubble(count: usize, random: &mut Random) -> Vec<Block> {
    let pebble = |_| {
        let place = Vec2::new(random.between(-0.6, 0.6), random.between(-0.02, 0.02));
        let angle = if random.below(2) == 0 {
            0.0
        } else {
            random.between(-1.5, 1.5)
        };
        let size = Vec2::new(random.between(0.03, 0.08), random.between(0.06, 0.1));
        (Pose::new(place, angle), size)
    };
    let pebbles: Vec<Block> = (1..count).map(pebble).collect();
    let floor = (Pose::new(Vec2::new(0.0, -0.5), 0.0), Vec2::new(4.0, 1.0));
    core::iter::once(floor).chain(pebbles).collect()
}

/// The boxes in an order, a static body each, with their places in the list as user keys. A step after every fifth place of
/// the list puts them into the tree in portions that differ from order to order.
fn world_of(blocks: &[Block], order: &[usize]) -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    for &place in order {
        let (pose, size) = blocks[place];
        let def = BodyDef {
            position: pose.position.into(),
            angle: pose.rotation.angle(),
            ..BodyDef::default()
        };
        let body = world.create_body(&def).unwrap();
        let def = ShapeDef {
            user_key: place as u64,
            ..ShapeDef::default()
        };
        let shape = Shape::new_box(size.x, size.y).unwrap();
        world.create_shape(body, &def, &shape).unwrap();
        if place % 5 == 0 {
            world.step(DT).unwrap();
        }
    }
    world.step(DT).unwrap();
    world
}

/// The touches of some shapes at some places, by the keys of what they touch.
fn touches(world: &PhysicsWorld, places: &[Pose]) -> Vec<(u64, Vec2, Vec<Vec2>)> {
    let shapes = [
        Shape::circle(Vec2::ZERO, 0.3).unwrap(),
        Shape::new_box(1.0, 0.6).unwrap(),
    ];
    let mut all = Vec::new();
    for (shape, &place) in shapes
        .iter()
        .flat_map(|shape| places.iter().map(move |place| (shape, place)))
    {
        let touches = world.touches(shape, place, 0.02, QueryFilter::default()).unwrap();
        let with_key = |touch: &Touch| {
            let points = touch.points().iter().map(|point| point.point.to_vec2()).collect();
            (world.shape(touch.shape).unwrap().user_key(), touch.normal, points)
        };
        let mut touches: Vec<_> = touches.iter().map(with_key).collect();
        touches.sort_by_key(|touch| touch.0);
        all.extend(touches);
    }
    all
}

/// Checks that the touches at some places are the same in several orders of creation.
fn check_orders(blocks: &[Block], places: &[Pose], random: &mut Random, case: usize) {
    let count = blocks.len();
    let mut order: Vec<usize> = (0..count).collect();
    let first = touches(&world_of(blocks, &order), places);
    assert!(!first.is_empty());
    for _ in 0..3 {
        for place in (1..count).rev() {
            order.swap(place, random.below(place + 1));
        }
        let other = touches(&world_of(blocks, &order), places);
        assert_eq!(first, other, "{count} boxes, case {case}");
    }
}

#[test]
fn what_covers_faces_in_a_heap_does_not_depend_on_the_order_of_its_making() {
    let mut random = Random(2_711);
    // Few, more than there may be neighbors, and more than are examined.
    for count in [6, 20, 60, 120, 200] {
        for case in 0..scaled(6) {
            let blocks = heap(count, &mut random);
            let places: Vec<Pose> = (0..8)
                .map(|_| {
                    let place = Vec2::new(random.between(-2.0, 2.0), random.between(-1.5, 1.5));
                    Pose::new(place, random.between(-1.0, 1.0))
                })
                .collect();
            check_orders(&blocks, &places, &mut random, case);
        }
    }
}

#[test]
fn what_covers_a_floor_does_not_depend_on_the_order_of_making_the_rubble_in_it() {
    let mut random = Random(83);
    for count in [6, 20, 40, 60, 90, 120, 200] {
        for case in 0..scaled(6) {
            let blocks = floor_with_rubble(count, &mut random);
            // The shapes have sunk into the floor by up to 4 cm.
            let places: Vec<Pose> = (0..8)
                .map(|_| {
                    let place = Vec2::new(random.between(-0.3, 0.3), random.between(0.26, 0.3));
                    Pose::new(place, 0.0)
                })
                .collect();
            check_orders(&blocks, &places, &mut random, case);
        }
    }
}

/// Two floors side by side, and pebbles in the joint, 12 mm below their tops: all of them are near to what slides over the
/// joint, and what they leave bare of the faces there would be felt, were it not for the other floor.
fn joint_with_pebbles(count: usize, random: &mut Random) -> Vec<Block> {
    let floor = |x: f32| (Pose::new(Vec2::new(x, -0.5), 0.0), Vec2::new(4.0, 1.0));
    let pebble = |_| {
        let place = Vec2::new(random.between(-0.03, 0.03), -0.032);
        (Pose::new(place, 0.0), Vec2::splat(0.04))
    };
    let pebbles: Vec<Block> = (0..count).map(pebble).collect();
    [floor(-2.0), floor(2.0)].into_iter().chain(pebbles).collect()
}

#[test]
fn the_joint_of_two_floors_is_none_however_many_pebbles_are_in_them() {
    let mut random = Random(3);
    let count = 90;
    for _ in 0..scaled(20) {
        let blocks = joint_with_pebbles(count, &mut random);
        let mut order: Vec<usize> = (0..blocks.len()).collect();
        for place in (1..order.len()).rev() {
            order.swap(place, random.below(place + 1));
        }
        let world = world_of(&blocks, &order);
        // It has sunk in by 3 mm and reaches 1 mm over the joint.
        let slider = Shape::new_box(0.6, 0.6).unwrap();
        let pose = Pose::new(Vec2::new(0.299, 0.297), 0.0);
        let filter = QueryFilter::default();
        for touch in world.touches(&slider, pose, 0.01, filter).unwrap() {
            assert!(touch.normal.distance(Vec2::NEG_Y) < 1.0e-6, "{touch:?}");
        }
    }
}

/// However many boxes there are with their tops in one line, a ball comes to rest on it.
#[test]
fn a_heap_of_any_size_carries_what_falls_on_it() {
    let mut random = Random(40);
    for count in [10, 100, 400] {
        let blocks: Vec<Block> = (0..count)
            .map(|_| {
                let size = Vec2::new(random.between(2.0, 9.0), random.between(0.5, 4.0));
                let middle = Vec2::new(random.between(-0.5, 0.5), -0.5 * size.y);
                (Pose::new(middle, 0.0), size)
            })
            .collect();
        let order: Vec<usize> = (0..count).collect();
        let mut world = world_of(&blocks, &order);
        let ball = world.create_body(&BodyDef::dynamic(0.1, 2.0)).unwrap();
        let round = Shape::circle(Vec2::ZERO, 0.25).unwrap();
        world.create_shape(ball, &ShapeDef::default(), &round).unwrap();
        for _ in 0..180 {
            world.step(DT).unwrap();
        }
        let place = world.body(ball).unwrap().position().to_vec2();
        assert!((place.y - 0.25).abs() < 0.01, "{count} boxes: {place}");
        assert!((place.x - 0.1).abs() < 0.01, "{count} boxes: {place}");
    }
}
