//! Parents and children: poses that follow, and what is refused.

use std::collections::BTreeMap;

use tombolo::component::{TRANSFORM, Transform};
use tombolo::entity::{Dense, Entity, ResourceDefinition, Value};
use tombolo::physics::{Pose, Position, QueryFilter, Shatter, Vec2};
use tombolo::{Scene, SpawnDef, World, WorldError};

use crate::{get, run, vec2, yard};

#[test]
fn children_come_with_their_parent_and_follow_it() {
    let mut world = yard();
    let (cart, lamp) = (world.find("cart").unwrap(), world.find("cart/lamp").unwrap());
    assert_eq!(world.children(cart).len(), 2);
    for _ in 0..60 {
        world.step();
        let (parent, child) = (world.pose(cart).unwrap(), world.pose(lamp).unwrap());
        let expected = parent.compose(Pose::new(Vec2::new(1.0, 1.0), 0.5));
        assert_eq!(child, expected, "bit by bit");
        let body = world.find("cart").and_then(|entity| world.body(entity)).unwrap();
        assert_eq!(parent, body.pose());
    }
    assert!(world.pose(cart).unwrap().position.x > 8.5, "the cart has moved");
    assert_eq!(
        vec2(get(&world, "cart/lamp", "transform.position")),
        Vec2::new(1.0, 1.0)
    );
}

#[test]
fn setting_a_transform_teleports_the_body_and_the_children() {
    let mut world = yard();
    let cart = world.find("cart").unwrap();
    world
        .set(cart, "transform.position", Value::Vec2(Vec2::new(-3.0, 9.0)))
        .unwrap();
    let body = world.find("cart").and_then(|entity| world.body(entity)).unwrap();
    assert_eq!(body.pose().position, Vec2::new(-3.0, 9.0));
    assert_eq!(
        vec2(get(&world, "cart/lamp", "transform.world_position")),
        Vec2::new(-2.0, 10.0)
    );
    world.teleport(cart, Pose::new(Vec2::ZERO, 1.0)).unwrap();
    let lamp = world.find("cart/lamp").unwrap();
    let expected = Pose::new(Vec2::ZERO, 1.0).compose(Pose::new(Vec2::new(1.0, 1.0), 0.5));
    assert_eq!(world.pose(lamp), Some(expected));
    let far = world.set(cart, "transform.position", Value::Vec2(Vec2::splat(2.0e5)));
    assert!(far.is_err());
    assert_eq!(world.pose(cart), Some(Pose::new(Vec2::ZERO, 1.0)));
    assert!(world.moved().contains(&cart) && world.moved().contains(&lamp));
}

#[test]
fn a_child_with_a_body_goes_where_its_body_goes() {
    let mut world = yard();
    let (safe, gate) = (world.find("safe").unwrap(), world.find("gate").unwrap());
    world
        .set(safe, "place.parent", Value::Entity(Some(gate)))
        .unwrap();
    // Its place is now seen from the gate at (0, 2.5).
    assert_eq!(world.pose(safe).unwrap().position, Vec2::new(0.0, 5.5));
    run(&mut world, 30);
    let pose = world.pose(safe).unwrap();
    let body = world.find("safe").and_then(|entity| world.body(entity)).unwrap();
    assert_eq!(pose, body.pose());
    let local = vec2(get(&world, "safe", "place.position"));
    assert!((local - (pose.position - Vec2::new(0.0, 2.5))).length() < 1e-5);
}

#[test]
fn circles_of_parents_are_refused() {
    let mut world = yard();
    let (cart, lamp) = (world.find("cart").unwrap(), world.find("cart/lamp").unwrap());
    let before = world.state_hash();
    let error = world
        .set(cart, "transform.parent", Value::Entity(Some(lamp)))
        .unwrap_err();
    assert_eq!(error.to_string(), r#"entity "cart" cannot be its own ancestor"#);
    assert!(
        world
            .set(cart, "transform.parent", Value::Entity(Some(cart)))
            .is_err()
    );
    let gone = world.find("gate").unwrap();
    world.despawn(gone).unwrap();
    let before_dead = world.state_hash();
    assert!(
        world
            .set(cart, "transform.parent", Value::Entity(Some(gone)))
            .is_err()
    );
    assert_eq!(world.state_hash(), before_dead);
    assert_ne!(before, before_dead);
}

#[test]
fn a_family_ends_together() {
    let mut world = yard();
    let cart = world.find("cart").unwrap();
    let (entities, bodies) = (world.entity_count(), world.physics().counters().bodies);
    assert_eq!(world.despawn(cart), Ok(()));
    assert_eq!(world.despawn(cart), Err(WorldError::NoEntity(cart)));
    assert_eq!(world.entity_count(), entities - 3);
    assert_eq!(world.physics().counters().bodies, bodies - 1);
    assert_eq!((world.find("cart"), world.find("cart/lamp")), (None, None));
    run(&mut world, 10);
    world.physics().validate();
}

#[test]
fn families_are_the_same_however_they_came_about() {
    let mut world = yard();
    let mut carts = Vec::new();
    for round in 0..12 {
        let parent = carts.last().copied().filter(|_| round % 3 > 0);
        let def = tombolo::SpawnDef {
            parent,
            ..Default::default()
        };
        carts.push(world.spawn("cart", &def).unwrap());
        if round % 4 == 3 {
            world.despawn(carts.swap_remove(round / 4)).unwrap();
            carts.retain(|cart| world.entities().entities().is_alive(*cart));
        }
        run(&mut world, 2);
        // Who is restored finds all families anew.
        let mut restored = yard();
        restored.restore(&world.save()).unwrap();
        for entity in world.entities().entities().iter() {
            assert_eq!(world.children(entity), restored.children(entity), "round {round}");
        }
        run(&mut world, 2);
        run(&mut restored, 2);
        assert_eq!(world.state_hash(), restored.state_hash());
        assert_eq!(world.moved(), restored.moved(), "in the same order");
    }
}

#[test]
fn new_parents_leave_the_families_that_a_look_at_all_transforms_finds() {
    let mut world = yard();
    let mut lamps: Vec<_> = (0..90)
        .map(|_| world.spawn("lamp", &tombolo::SpawnDef::default()).unwrap())
        .collect();
    let mut random = 5_usize;
    let mut refused = 0;
    for round in 0..400 {
        random = random
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let (child, parent) = (lamps[(random >> 33) % 90], lamps.get((random >> 45) % 100));
        let set = world.set(child, "transform.parent", Value::Entity(parent.copied()));
        refused += usize::from(set.is_err());
        if round % 40 == 39 {
            // One ends with all below it, and others come.
            world.despawn(child).unwrap();
            for lamp in &mut lamps {
                if !world.entities().entities().is_alive(*lamp) {
                    *lamp = world.spawn("lamp", &tombolo::SpawnDef::default()).unwrap();
                }
            }
        }
        // A restored world has found its families by itself.
        let mut found = yard();
        found.restore(&world.save()).unwrap();
        for lamp in &lamps {
            assert_eq!(world.children(*lamp), found.children(*lamp));
        }
        world.step();
        found.step();
        assert_eq!(
            world.state_hash(),
            found.state_hash(),
            "and the order of following"
        );
    }
    assert!((5..200).contains(&refused), "{refused} circles");
}

/// Whoever comes first is a parent of the other for a moment, who is still its own.
#[test]
fn a_parent_and_a_child_change_places_when_both_are_defined_anew() {
    let scene = r#"(
        entities: {"upper": {"cargo": Tag()}, "lower": {"cargo": Tag()}},
        place: [One(name: "lower", entity: "lower", at: (2, 0)), One(name: "upper", entity: "upper", at: (1, 0))],
    )"#;
    let mut world = World::from_scene(&Scene::parse("two.ron", scene).unwrap()).unwrap();
    let [lower, upper] = ["lower", "upper"].map(|name| world.find(name).unwrap());
    let below = |resource: &str, parent: Option<Entity>| {
        let parent = [("parent", Value::Entity(parent))];
        let definition = ResourceDefinition::new(resource).component("transform", "Transform", parent);
        definition.component("cargo", "Tag", [])
    };
    world.define(vec![below("upper", Some(lower))]).unwrap();
    assert_eq!(world.children(lower), [upper]);
    world
        .define(vec![below("upper", None), below("lower", Some(upper))])
        .unwrap();
    assert_eq!(
        (world.children(lower), world.children(upper)),
        (&[][..], &[lower][..])
    );
    world.step();
    world.despawn(upper).unwrap();
    assert!(world.find("lower").is_none(), "it ends with its parent");
}

#[test]
fn a_sensor_without_a_body_follows_its_parent_and_moves_to_a_body_that_comes() {
    let mut world = yard();
    let (cart, gate) = (world.find("cart").unwrap(), world.find("gate").unwrap());
    let sensor_place = |world: &World| {
        let mut bodies = world.physics().bodies();
        let body = bodies.find(|body| body.user_key() == gate.to_bits()).unwrap();
        (body.pose().position, body.shapes().count())
    };
    world
        .set(gate, "transform.parent", Value::Entity(Some(cart)))
        .unwrap();
    let before = sensor_place(&world).0;
    run(&mut world, 30);
    let place = world.pose(gate).unwrap().position;
    assert!(place.distance(before) > 0.1, "the cart has moved");
    assert_eq!(sensor_place(&world), (place, 1));

    world.add_component(gate, "Body", "body").unwrap();
    let own = world.physics().bodies();
    let own = own.filter(|body| body.user_key() == gate.to_bits());
    let of_each: Vec<usize> = own.map(|body| body.shapes().count()).collect();
    assert_eq!(of_each, [1], "one body, and the sensor on it");
    assert_eq!(
        Some(sensor_place(&world).0),
        world
            .physics()
            .body(
                world
                    .find("gate")
                    .and_then(|entity| world.body_of(entity))
                    .unwrap()
            )
            .map(|body| body.pose().position)
    );
}

/// The children of each entity by its Transform, in the order of their entities.
fn children_by_parents(world: &World) -> BTreeMap<Entity, Vec<Entity>> {
    let transforms: &Dense<Transform> = world.entities().manager(TRANSFORM).unwrap();
    let mut children: BTreeMap<Entity, Vec<Entity>> = BTreeMap::new();
    for ((child, _), transform) in transforms.owners().zip(transforms.values()) {
        if let Some(parent) = transform.parent {
            children.entry(parent).or_default().push(child);
        }
    }
    for siblings in children.values_mut() {
        siblings.sort_unstable_by_key(|child| child.index());
    }
    children
}

#[test]
fn the_pieces_of_a_child_are_children_too() {
    let scene = Scene::parse(
        "raft.ron",
        r#"(
            settings: (gravity: (0, 0)),
            entities: {
                "level": {},
                "flag": {},
                "plank": {
                    "body": Body(kind: Dynamic),
                    "board": Collider(shape: Box(width: 4, height: 2)),
                    "flag": Child(entity: "flag", at: (1, 1)),
                },
            },
            place: [One(name: "level", entity: "level", at: (0, 1))],
        )"#,
    )
    .unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let level = world.find("level").unwrap();
    let mut parent = level;
    for row in 0..6 {
        let name = format!("plank{row}");
        let def = SpawnDef {
            name: Some(&name),
            pose: Some(Pose::new(
                Vec2::new(0.0, if row < 4 { 3.0 * row as f32 } else { 3.0 }),
                0.0,
            )),
            parent: Some(parent),
            ..SpawnDef::default()
        };
        let plank = world.spawn("plank", &def).unwrap();
        // Four of the level, and below the last of them two, one below the other.
        parent = if row < 3 { level } else { plank };
    }
    let [from, to] = [-10.0, 30.0].map(|y| Position::new(0.5, y));
    let cuts = world.cut_through(from, to, QueryFilter::default()).unwrap();
    assert_eq!(cuts.len(), 6);
    let plank = world.find("plank4").unwrap();
    for (count, least) in [(5, 4), (200, 100)] {
        // A few pieces, and so many that all families are collected again.
        let pattern = Shatter::Seeded { seed: 7, count };
        let broken = world.shatter(plank, &pattern).unwrap().unwrap();
        assert!(broken.pieces.len() >= least, "{}", broken.pieces.len());
        let expected = children_by_parents(&world);
        for (_, entity) in world.names() {
            let children = expected.get(&entity).map_or(&[][..], |children| children);
            assert_eq!(world.children(entity), children);
        }
    }
    let mut restored = World::from_save(&scene, &world.save()).unwrap();
    for world in [&mut world, &mut restored] {
        world
            .teleport(level, Pose::new(Vec2::new(-8.0, 2.0), 1.0))
            .unwrap();
        run(world, 10);
    }
    assert_eq!(world.state_hash(), restored.state_hash());
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}
