//! Area queries, cameras and nearest entities against brute force over all entities; restored worlds answer alike.

use tombolo::component::{SPRITE, Sprite};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::geometry::orthtree::{Ball, Bounds, Convex, Region};
use tombolo::physics::Vec2;
use tombolo::{Camera, World};

use crate::{BUSY, Random, world_of};

/// Every entity with its box as it should be.
fn boxes(world: &World) -> Vec<(Entity, Bounds<2>)> {
    let mut boxes = Vec::new();
    for entity in world.entities().entities().iter() {
        let pose = world.pose(entity).unwrap();
        let body = world.body_of(entity).and_then(|body| world.physics().body(body));
        let aabb = body.and_then(|body| body.aabb());
        let bounds = match aabb {
            Some(aabb) => Bounds::from(aabb),
            None if world.entities().find(entity, "look").is_some() => Bounds::new(
                [pose.position.x - 2.0, pose.position.y - 1.0],
                [pose.position.x + 4.0, pose.position.y + 1.0],
            ),
            None => Bounds::point(pose.position.to_array()),
        };
        boxes.push((entity, bounds));
    }
    boxes.sort_by_key(|(entity, _)| *entity);
    boxes
}

fn check(world: &World, random: &mut Random) {
    let all = boxes(world);
    assert_eq!(world.space().len(), all.len());
    for (entity, bounds) in &all {
        assert_eq!(world.space().bounds(*entity), Some(*bounds));
    }
    for _ in 0..20 {
        let center = [30.0 * random.sign(), 8.0 + 10.0 * random.sign()];
        let radius = 6.0 * random.sign().abs();
        compare(world, &all, &Bounds::around(center, radius));
        compare(world, &all, &Ball { center, radius });
        let camera = Camera {
            position: Vec2::from(center),
            angle: 3.0 * random.sign(),
            size: Vec2::new(2.0 * radius, radius),
        };
        let sides = camera.sides();
        let region = Convex {
            sides: &sides,
            bounds: camera.bounds(),
        };
        let expected: Vec<Entity> = overlapping(&all, &region);
        assert_eq!(world.space().visible(&camera), expected);
        check_visible(&all, &camera, &expected);
        nearest(world, &all, Vec2::from(center), 1 + random.below(9) as usize);
    }
}

/// Whatever has a point of the camera's rectangle is seen, and nothing that is apart from the rectangle by more than
/// rounding along an axis of the world or of the camera: the axes that separate two rectangles.
fn check_visible(all: &[(Entity, Bounds<2>)], camera: &Camera, visible: &[Entity]) {
    const SLACK: f64 = 1.0e-4;
    let (sin, cos) = libm::sincos(f64::from(camera.angle));
    let axes = [[1.0, 0.0], [0.0, 1.0], [cos, sin], [-sin, cos]];
    let half = (0.5 * camera.size).to_array().map(f64::from);
    let corner = |x: f64, y: f64| {
        let [x, y] = [x * half[0], y * half[1]];
        let at = camera.position.to_array().map(f64::from);
        [at[0] + cos * x - sin * y, at[1] + sin * x + cos * y]
    };
    let rectangle = [
        corner(-1.0, -1.0),
        corner(1.0, -1.0),
        corner(1.0, 1.0),
        corner(-1.0, 1.0),
    ];
    let extent = |corners: &[[f64; 2]; 4], [x, y]: [f64; 2]| {
        let along = corners.map(|corner| corner[0] * x + corner[1] * y);
        let least = along.iter().copied().fold(f64::INFINITY, f64::min);
        (least, along.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    for (entity, bounds) in all {
        let [min, max] = [bounds.min.map(f64::from), bounds.max.map(f64::from)];
        let corners = [min, [max[0], min[1]], max, [min[0], max[1]]];
        let gaps = axes.map(|axis| {
            let (ours, theirs) = (extent(&rectangle, axis), extent(&corners, axis));
            (theirs.0 - ours.1).max(ours.0 - theirs.1)
        });
        let apart = gaps.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let is_seen = visible.binary_search(entity).is_ok();
        assert!(is_seen || apart > -SLACK, "{camera:?} misses {bounds:?}");
        assert!(!is_seen || apart < SLACK, "{camera:?} sees {bounds:?}");
    }
}

fn overlapping(all: &[(Entity, Bounds<2>)], region: &impl Region<2>) -> Vec<Entity> {
    let found = all.iter().filter(|(_, bounds)| region.overlaps(bounds));
    found.map(|(entity, _)| *entity).collect()
}

fn compare(world: &World, all: &[(Entity, Bounds<2>)], region: &impl Region<2>) {
    let mut expected = overlapping(all, region);
    assert_eq!(world.space().find(region), expected);
    expected.retain(|entity| world.entities().find(*entity, "loot").is_some());
    assert_eq!(world.entities_in(region, Some("loot")), expected);
    assert!(world.entities_in(region, Some("nothing")).is_empty());
    let mut list = vec![all[0].0];
    world.entities_into(region, Some("loot"), &mut list);
    assert_eq!(list, expected);
    let mut visited = Vec::new();
    world.for_each_in(region, Some("loot"), |entity, bounds| {
        visited.push((entity, bounds))
    });
    visited.sort_by_key(|(entity, _)| *entity);
    let mut with_boxes = all.to_vec();
    with_boxes.retain(|(entity, _)| expected.binary_search(entity).is_ok());
    assert_eq!(visited, with_boxes);
}

fn nearest(world: &World, all: &[(Entity, Bounds<2>)], point: Vec2, count: usize) {
    let mut expected: Vec<(f64, Entity)> = all
        .iter()
        .map(|(entity, bounds)| (bounds.distance_squared(&point.to_array()), *entity))
        .collect();
    expected.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let expected: Vec<Entity> = expected[..count].iter().map(|(_, entity)| *entity).collect();
    let found: Vec<Entity> = world
        .space()
        .nearest(point, count)
        .iter()
        .map(|(entity, _)| *entity)
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn areas_cameras_and_nearest_equal_brute_force_while_the_world_runs() {
    let mut world = world_of(BUSY);
    let random = &mut Random(1);
    for step in 0..120 {
        world.step();
        if step % 20 == 0 {
            check(&world, random);
        }
    }
}

#[test]
fn calls_between_steps_are_taken_in_on_request() {
    let mut world = world_of(BUSY);
    world.update_space();
    let random = &mut Random(2);
    check(&world, random);
    let mark = world.find("mark").unwrap();
    let ball = world.find("crate[3,1]").unwrap();
    world
        .set(mark, "place.position", Value::Vec2(Vec2::new(-8.0, 3.0)))
        .unwrap();
    world
        .set(ball, "hull.size", Value::Vec2(Vec2::new(3.0, 1.0)))
        .unwrap();
    let cloud = world.find("cloud[2]").unwrap();
    world
        .set(cloud, "transform.position", Value::Vec2(Vec2::new(0.0, 1.0)))
        .unwrap();
    assert_eq!(world.despawn(world.find("crate[0,0]").unwrap()), Ok(()));
    world.create(Some("new")).unwrap();
    world.update_space();
    check(&world, random);
    world.step();
    check(&world, random);
}

#[test]
fn a_restored_world_answers_alike() {
    let mut world = world_of(BUSY);
    for _ in 0..60 {
        world.step();
    }
    let mut other = world_of(BUSY);
    other.restore(&world.save()).unwrap();
    let area = Bounds::new([-12.0, 0.0], [9.0, 20.0]);
    for _ in 0..30 {
        assert_eq!(world.space().find(&area), other.space().find(&area));
        let point = Vec2::new(1.0, 3.0);
        assert_eq!(world.space().nearest(point, 7), other.space().nearest(point, 7));
        world.step();
        other.step();
    }
}

/// Small ones are in the grid whatever they are, large ones in one of the trees; a body's kind may change, and its size.
#[test]
fn an_entity_that_changes_kind_or_size_moves_between_grid_and_trees() {
    let mut world = world_of(BUSY);
    world.step();
    let held = |world: &World| {
        let (grid, trees) = (world.space().grid(), world.space().trees());
        [grid.len(), trees.fixed().len(), trees.moving().len()]
    };
    let before = held(&world);
    assert!(before.iter().all(|count| *count > 0), "{before:?}");
    let small = world.find("crate[1,0]").unwrap();
    world
        .set(small, "body.kind", Value::String("Static".into()))
        .unwrap();
    world.step();
    assert_eq!(held(&world)[1..], before[1..]);
    check(&world, &mut Random(3));

    for (size, [grid, fixed, moving]) in [
        ((3.0, 2.0), [1, 0, 0]),
        ((4.0, 4.0), [1, 0, 0]),
        ((4.1, 1.0), [0, 0, 1]),
    ] {
        let mut world = world_of(CLOUDS);
        let cloud = world.find("far").unwrap();
        for size in [size, (6.0, 2.0), size] {
            world
                .set(cloud, "look.size", Value::Vec2(Vec2::new(size.0, size.1)))
                .unwrap();
            world.update_space();
        }
        assert_eq!(held(&world), [grid, fixed, 1 + moving]);
        let region = Bounds::around([40.0, 0.0], 2.0);
        assert_eq!(world.space().find(&region), [cloud]);
    }
}

/// Who rests costs nothing: neither grid nor trees change, and nobody has moved.
#[test]
fn a_world_at_rest_moves_nobody() {
    let mut world = world_of(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {
                "mark": {"place": Transform()},
                "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.7))},
            },
            place: [One(name: "mark", entity: "mark"), One(name: "ball", entity: "ball", at: (5, 0))],
        )"#,
    );
    for _ in 0..60 {
        world.step();
    }
    assert_eq!(world.moved(), []);
    let mark = world.find("mark").unwrap();
    world
        .set(mark, "place.position", Value::Vec2(Vec2::new(90.0, 3.0)))
        .unwrap();
    world.step();
    assert_eq!(world.moved(), [mark]);
    let held = |world: &World| format!("{:?} {:?}", world.space().grid(), world.space().trees());
    let before = held(&world);
    world.step();
    assert_eq!(world.moved(), []);
    assert_eq!(held(&world), before);
}

const CLOUDS: &str = r#"(
    entities: {"cloud": {"look": Sprite(image: "cloud", size: (6, 2)), "place": Transform()}},
    place: [
        One(name: "near", entity: "cloud", at: (0, 0)),
        One(name: "far", entity: "cloud", at: (40, 0)),
    ],
)"#;

/// What a restored world says of where things are is what the world says itself.
fn assert_restored_alike(world: &World) {
    let mut other = world.clone();
    other.restore(&world.save()).unwrap();
    let ours: Vec<_> = world.space().entities().collect();
    assert_eq!(ours, other.space().entities().collect::<Vec<_>>());
    let everywhere = Bounds::around([0.0; 2], 1.0e9);
    assert_eq!(world.space().find(&everywhere), other.space().find(&everywhere));
}

#[test]
fn a_box_out_of_reach_keeps_nobody_else_from_moving() {
    let mut world = world_of(CLOUDS);
    world.step();
    let [near, far] = ["near", "far"].map(|name| world.find(name).unwrap());
    for size in [1.0e12, f32::INFINITY, f32::NAN] {
        for (size, place) in [(size, 100.0), (2.0, 0.0)] {
            let sprites: &mut Dense<Sprite> = world.manager_mut(SPRITE).unwrap();
            sprites.newest_mut(far).unwrap().size = Vec2::splat(size);
            for entity in [far, near] {
                let there = Vec2::new(place, 5.0);
                world.set(entity, "place.position", Value::Vec2(there)).unwrap();
            }
            world.step();
            let found = world.space().find(&Bounds::around([place, 5.0], 1.0));
            assert_eq!(world.space().bounds(near).unwrap().min[0], place - 3.0);
            assert!(found.contains(&near));
            assert_eq!(found.contains(&far), size == 2.0);
            assert_eq!(world.space().bounds(far).is_some(), size == 2.0);
            if !size.is_nan() {
                assert_restored_alike(&world);
            }
        }
    }
    assert_eq!(world.faults().len(), 3, "{:?}", world.faults());
    for fault in world.faults() {
        assert!(
            fault.contains("far") && fault.contains("its box reaches further than"),
            "{fault}"
        );
    }
}

#[test]
fn sizes_and_scales_have_ranges_that_space_takes() {
    let mut world = world_of(CLOUDS);
    world.step();
    let near = world.find("near").unwrap();
    for path in ["look.size", "look.offset", "place.scale"] {
        let before = world.get(near, path).unwrap();
        let error = world
            .set(near, path, Value::Vec2(Vec2::splat(1.0e12)))
            .unwrap_err();
        assert!(error.to_string().contains(path), "{error}");
        assert_eq!(world.get(near, path).unwrap(), before);
    }
    world
        .set(near, "place.scale", Value::Vec2(Vec2::splat(3.0)))
        .unwrap();
    world.step();
    assert_eq!(world.space().bounds(near).unwrap().max, [9.0, 3.0]);
    assert_restored_alike(&world);
    for (path, most) in [
        ("look.size", 1.0e5),
        ("look.offset", -1.0e5),
        ("place.scale", 1.0e3),
    ] {
        world.set(near, path, Value::Vec2(Vec2::splat(most))).unwrap();
        world.step();
        assert_restored_alike(&world);
    }
    assert_eq!(world.space().len(), 2);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}
