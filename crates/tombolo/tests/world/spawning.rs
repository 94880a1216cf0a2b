//! Entities that come while the world runs: from resources, from spawners, piece by piece; and resources that change.

use tombolo::entity::{Override, ResourceDefinition, Value};
use tombolo::physics::{Pose, Vec2};
use tombolo::{Event, Scene, SpawnDef, World};

use crate::{YARD, get, run, vec2, yard};

#[test]
fn a_spawn_has_name_place_parent_and_overrides() {
    let mut world = yard();
    let overrides = [Override {
        path: "body.linear_velocity".into(),
        value: Value::Vec2(Vec2::new(0.0, 9.0)),
    }];
    let def = SpawnDef {
        name: Some("late"),
        pose: Some(Pose::new(Vec2::new(4.0, 4.0), 0.5)),
        parent: None,
        overrides: &overrides,
    };
    let late = world.spawn("crate", &def).unwrap();
    assert_eq!(world.find("late"), Some(late));
    let body = world.physics().body(world.body_of(late).unwrap()).unwrap();
    assert_eq!(body.pose(), Pose::new(Vec2::new(4.0, 4.0), 0.5));
    assert_eq!(body.linear_velocity(), Vec2::new(0.0, 9.0));
    assert_eq!(body.shapes().next().unwrap().friction(), 0.6, "the scene's wood");
    assert_eq!(
        world.spawn("crate", &def).unwrap_err().to_string(),
        "another entity is called `late`"
    );
    let cart = world.spawn(
        "cart",
        &SpawnDef {
            name: Some("second"),
            parent: Some(late),
            ..SpawnDef::default()
        },
    );
    let cart = cart.unwrap();
    assert_eq!(world.children(late), [cart]);
    assert!(world.find("second/lamp").is_some());
}

#[test]
fn nothing_is_left_of_a_spawn_that_fails() {
    let mut world = yard();
    let counters = (world.entity_count(), world.physics().counters().bodies);
    let degenerate = [Override {
        path: "hull.position".into(),
        value: Value::Vec2(Vec2::new(1.0e5, 0.0)),
    }];
    let unknown = [Override {
        path: "hull.colour".into(),
        value: Value::F32(1.0),
    }];
    for (resource, overrides, message) in [
        ("crate", &degenerate[..], "component `hull`: "),
        ("crate", &unknown[..], "has no property `colour`"),
        ("crat", &[], "there is no resource `crat`"),
    ] {
        let def = SpawnDef {
            overrides,
            ..SpawnDef::default()
        };
        let error = world.spawn(resource, &def).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(
            (world.entity_count(), world.physics().counters().bodies),
            counters
        );
        world.physics().validate();
    }
    run(&mut world, 3);
}

#[test]
fn a_spawner_makes_so_many_and_the_random_numbers_are_the_worlds() {
    let mut world = yard();
    let mut twin = yard();
    run(&mut world, 29);
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(0));
    run(&mut world, 300);
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(5));
    for number in 1..=5 {
        let crate_ = world.find(&format!("chute/{number}")).unwrap();
        assert!(world.body_of(crate_).is_some());
    }
    run(&mut twin, 329);
    assert_eq!(twin.state_hash(), world.state_hash());
    assert!(world.faults().is_empty());
    let chute = world.find("chute").unwrap();
    world
        .set(chute, "spout.resource", Value::String("nothing".into()))
        .unwrap();
    world.set(chute, "spout.limit", Value::U32(6)).unwrap();
    run(&mut world, 30);
    assert_eq!(
        world.faults(),
        [concat!(
            "spawner of \"chute\": there is no resource `nothing`; ",
            "known: cart, cart/lamp, cart/spare, chute, crate, floor, gate, lamp, safe, sign"
        )
        .into()]
    );
}

#[test]
fn a_spawner_does_not_count_what_the_world_had_no_room_for() {
    let text = r#"(
        settings: (entities_max: 3, gravity: (0, 0)),
        entities: {
            "dot": {"mark": Tag()},
            "wall": {"body": Body()},
            "chute": {"spout": Spawner(resource: "dot", interval: 0.1, limit: 2)},
        },
        place: [
            One(name: "chute", entity: "chute"),
            Row(name: "wall", entity: "wall", at: (5, 0), count: 2, step: (1, 0)),
        ],
    )"#;
    let mut world = World::from_scene(&Scene::parse("full.ron", text).unwrap()).unwrap();
    run(&mut world, 30);
    assert_eq!(world.faults().len(), 5, "{:?}", world.faults());
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(0));
    for (wall, count) in [("wall[0]", 1), ("wall[1]", 2)] {
        world.despawn(world.find(wall).unwrap()).unwrap();
        run(&mut world, 30);
        assert_eq!(get(&world, "chute", "spout.count"), Value::U32(count));
        assert!(world.find(&format!("chute/{count}")).is_some());
    }
    // One of them goes: the limit is for all that it ever made.
    world.despawn(world.find("chute/1").unwrap()).unwrap();
    let faults = world.faults().len();
    run(&mut world, 60);
    assert_eq!((world.entity_count(), world.faults().len()), (2, faults));
}

#[test]
fn a_spawner_with_several_due_at_once_ends_at_its_limit() {
    let text = r#"(
        settings: (entities_max: 5),
        entities: {
            "dot": {"mark": Tag()},
            "chute": {"spout": Spawner(resource: "dot", interval: 0.001, limit: 6)},
        },
        place: [One(name: "chute", entity: "chute")],
    )"#;
    let mut world = World::from_scene(&Scene::parse("fast.ron", text).unwrap()).unwrap();
    world.step();
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(4));
    assert_eq!(world.faults().len(), 2, "{:?}", world.faults());
    for number in [2, 4] {
        let dot = world.find(&format!("chute/{number}")).unwrap();
        world.despawn(dot).unwrap();
    }
    world.step();
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(6));
    assert!(world.find("chute/6").is_some());
}

#[test]
fn an_entity_is_put_together_piece_by_piece() {
    let mut world = yard();
    let bodies = world.physics().counters().bodies;
    let thing = world.create(Some("thing")).unwrap();
    world.add_component(thing, "Collider", "skin").unwrap();
    assert_eq!(
        world.physics().counters().bodies,
        bodies,
        "a collider waits for a body"
    );
    world.add_component(thing, "Body", "body").unwrap();
    let body = world.body_of(thing).unwrap();
    assert_eq!(world.physics().body(body).unwrap().shapes().count(), 1);
    world
        .set(thing, "body.kind", Value::String("Dynamic".into()))
        .unwrap();
    world
        .set(thing, "transform.position", Value::Vec2(Vec2::new(0.0, 20.0)))
        .unwrap();
    run(&mut world, 30);
    assert!(
        vec2(get(&world, "thing", "transform.position")).y < 19.5,
        "it falls"
    );
    world.add_component(thing, "Tag", "loose").unwrap();
    let names: Vec<&str> = world
        .components_of(thing)
        .iter()
        .filter_map(|row| world.entities().names().get(row.name))
        .collect();
    assert_eq!(names, ["transform", "skin", "body", "loose"]);
    for (manager, name, message) in [
        ("Body", "second", "an entity has at most one Body"),
        ("Transform", "second", "an entity has one Transform"),
        ("Bdoy", "second", "there is no manager `Bdoy`"),
        ("Tag", "loose", "already has a component `loose`"),
    ] {
        let error = world.add_component(thing, manager, name).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(world.components_of(thing).len(), 4);
    }
    world.remove_component(thing, "skin").unwrap();
    assert_eq!(world.physics().body(body).unwrap().shapes().count(), 0);
    world.remove_component(thing, "body").unwrap();
    assert!(world.physics().body(body).is_none());
    assert!(world.remove_component(thing, "transform").is_err());
}

#[test]
fn living_entities_follow_a_resource_that_is_loaded_again() {
    let mut world = yard();
    let text = YARD.replace(
        r#""wood": (density: 0.7, friction: 0.6)"#,
        r#""wood": (density: 0.7, friction: 0.2)"#,
    );
    let text = text.replace(
        r#""crate": Tag(),"#,
        r#""crate": Tag(), "lid": Collider(shape: Circle(radius: 0.5), position: (0, 1)),"#,
    );
    run(&mut world, 5);
    let definitions = definitions_of(&text);
    let report = world.define(definitions).unwrap();
    assert!(report.changed >= 2, "{report:?}");
    let body = world
        .find("crate[2]")
        .and_then(|entity| world.body(entity))
        .unwrap();
    assert_eq!(body.shapes().count(), 2);
    assert!(body.shapes().any(|shape| shape.friction() == 0.2));
    let safe = world.find("safe").and_then(|entity| world.body(entity)).unwrap();
    assert_eq!(safe.shapes().count(), 2, "what it inherits comes too");
    world.physics().validate();
    run(&mut world, 30);
}

/// What a scene's resources are, by way of another world's library.
fn definitions_of(text: &str) -> Vec<ResourceDefinition> {
    let scene = Scene::parse("again.ron", text).unwrap();
    World::from_scene(&scene)
        .unwrap()
        .library()
        .iter()
        .cloned()
        .collect()
}

#[test]
fn a_resource_that_changes_shows_in_space_at_once() {
    let mut world = yard();
    world.update_space();
    let crate_ = world.find("crate[0]").unwrap();
    let mut wide = world.library().get("crate").unwrap().clone();
    let hull = wide
        .components
        .iter_mut()
        .find(|part| &*part.name == "hull")
        .unwrap();
    hull.values.retain(|(property, _)| &**property != "size");
    hull.values
        .push(("size".into(), Value::Vec2(Vec2::new(5.0, 1.0))));
    world.define(vec![wide]).unwrap();
    world.update_space();
    let mut restored = world.clone();
    restored.restore(&world.save()).unwrap();
    assert_eq!(world.space().bounds(crate_), restored.space().bounds(crate_));
    let bounds = world.space().bounds(crate_).unwrap();
    assert!(bounds.max[0] - bounds.min[0] >= 5.0, "{bounds:?}");
}

#[test]
fn a_shorter_interval_owes_nothing() {
    let mut world = yard();
    let chute = world.find("chute").unwrap();
    world.set(chute, "spout.interval", Value::F32(10.0)).unwrap();
    run(&mut world, 9 * 60);
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(0));
    world.set(chute, "spout.interval", Value::F32(0.5)).unwrap();
    world.step();
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(1));
    run(&mut world, 27);
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(1));
    run(&mut world, 3);
    assert_eq!(get(&world, "chute", "spout.count"), Value::U32(2));
}

#[test]
fn a_spawner_keeps_its_interval_at_every_rate() {
    // 1 s, 2 s and 0.1 s, and one that is no whole number of steps.
    for (rate, interval) in [
        (60, 1.0),
        (60, 2.0),
        (60, 0.5),
        (100, 0.1),
        (100, 0.5),
        (50, 1.0),
        (120, 1.0),
        (144, 1.0),
        (240, 1.0),
        (60, 0.11),
    ] {
        let text = format!(
            r#"(
                settings: (steps_per_second: {rate}),
                entities: {{"dot": {{}}, "chute": {{"spout": Spawner(resource: "dot", interval: {interval})}}}},
                place: [One(name: "chute", entity: "chute")],
            )"#
        );
        let mut world = World::from_scene(&Scene::parse("chute.ron", &text).unwrap()).unwrap();
        let made = |steps: f64| {
            let intervals = steps / (f64::from(rate) * interval);
            Value::U32((intervals + 1.0e-4) as u32)
        };
        for step in 1..=20 * rate {
            world.step();
            let count = get(&world, "chute", "spout.count");
            assert_eq!(
                count,
                made(f64::from(step)),
                "{interval} s at {rate} Hz, step {step}"
            );
        }
    }
}

#[test]
fn entities_that_were_spawned_with_overrides_leave_nothing_behind() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {"ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))}},
        place: [One(name: "first", entity: "ball", at: (9, 0))],
    )"#;
    let mut world = World::from_scene(&Scene::parse("balls.ron", text).unwrap()).unwrap();
    let spawn = |world: &mut World| {
        let overrides = [Override {
            path: "body.gravity_scale".into(),
            value: Value::F32(0.5),
        }];
        let def = SpawnDef {
            overrides: &overrides,
            ..SpawnDef::default()
        };
        let ball = world.spawn("ball", &def).unwrap();
        world.step();
        world.despawn(ball).unwrap();
        world.step();
    };
    (0..10).for_each(|_| spawn(&mut world));
    let before = world.save().len();
    (0..300).for_each(|_| spawn(&mut world));
    // A record of one would have 24 bytes and more.
    let after = world.save().len();
    assert!(after <= before + 24, "{before} and {after} bytes");
}

#[test]
fn a_trigger_keeps_its_sensor_when_the_body_goes() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "gate": {"body": Body(), "area": Trigger(shape: Box(width: 4, height: 4))},
            "ball": {
                "body": Body(kind: Dynamic, linear_velocity: (4, 0)), "skin": Collider(shape: Circle(radius: 0.5)),
            },
        },
        place: [One(name: "gate", entity: "gate"), One(name: "ball", entity: "ball", at: (-6, 0))],
    )"#;
    let mut world = World::from_scene(&Scene::parse("gate.ron", text).unwrap()).unwrap();
    let gate = world.find("gate").unwrap();
    world.remove_component(gate, "body").unwrap();
    assert!(world.body_of(gate).is_none());
    let mut entered = 0;
    for _ in 0..120 {
        world.step();
        let events = world.events().iter();
        entered += events.filter(|event| matches!(event, Event::Enter(_))).count();
    }
    assert_eq!(entered, 1);
    // It goes where the entity goes, and goes with it.
    world
        .teleport(gate, Pose::new(Vec2::new(50.0, 0.0), 0.0))
        .unwrap();
    world.step();
    assert_eq!(get(&world, "gate", "area.visitor_count"), Value::U32(0));
    let bodies = world.physics().bodies().len();
    world.despawn(gate).unwrap();
    assert_eq!(world.physics().bodies().len(), bodies - 1);
    assert_eq!(world.faults(), &[] as &[Box<str>]);
}
