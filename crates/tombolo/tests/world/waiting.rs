//! Joints and rigid welds that wait for a body, for shapes or for a dynamic body: they are made when it is there, whatever the
//! order of the calls.

use tombolo::entity::{Entity, ResourceDefinition, Value};
use tombolo::physics::{Pose, Position, Vec2};
use tombolo::{Event, Scene, Settings, SpawnDef, World};

/// The two managers whose components tie bodies.
const TIES: [&str; 2] = ["Joint", "RigidWeld"];

fn empty() -> World {
    World::new(&Settings::default()).expect("the defaults are sound")
}

/// The numbers of joints and of rigid welds in physics.
fn ties(world: &World) -> (usize, usize) {
    (
        world.physics().joints().len(),
        world.physics().rigid_welds().len(),
    )
}

fn made(manager: &str) -> (usize, usize) {
    match manager {
        "Joint" => (1, 0),
        _ => (0, 1),
    }
}

fn add(world: &mut World, entity: Entity, manager: &str, name: &str) {
    world
        .add_component(entity, manager, name)
        .unwrap_or_else(|error| panic!("{error}"));
}

fn set(world: &mut World, entity: Entity, path: &str, value: Value) {
    world
        .set(entity, path, value)
        .unwrap_or_else(|error| panic!("{error}"));
}

fn fall(world: &mut World, entity: Entity) {
    set(world, entity, "body.kind", Value::String("Dynamic".into()));
}

/// Two entities, of which the first has a tie to the second that waits for both.
fn pair(world: &mut World, manager: &str) -> [Entity; 2] {
    let pair = ["a", "b"].map(|name| world.create(Some(name)).expect("there is room"));
    add(world, pair[0], manager, "tie");
    set(world, pair[0], "tie.to", Value::Entity(Some(pair[1])));
    pair
}

/// Every order of three calls for each of two entities, in which each has its body before it sets its kind.
fn orders() -> Vec<Vec<(usize, &'static str)>> {
    fn extend(
        rest: &[(usize, &'static str)],
        done: &mut Vec<(usize, &'static str)>,
        all: &mut Vec<Vec<(usize, &'static str)>>,
    ) {
        if rest.is_empty() {
            all.push(done.clone());
        }
        for (place, &(entity, call)) in rest.iter().enumerate() {
            if call == "kind" && !done.contains(&(entity, "Body")) {
                continue;
            }
            let mut others = rest.to_vec();
            others.remove(place);
            done.push((entity, call));
            extend(&others, done, all);
            done.pop();
        }
    }
    let calls: Vec<(usize, &str)> = [0, 1]
        .into_iter()
        .flat_map(|entity| ["Body", "kind", "Collider"].map(|call| (entity, call)))
        .collect();
    let mut all = Vec::new();
    extend(&calls, &mut Vec::new(), &mut all);
    all
}

#[test]
fn a_tie_is_made_with_the_last_that_it_waited_for_in_any_order() {
    let orders = orders();
    assert_eq!(orders.len(), 720 / 4);
    for manager in TIES {
        for order in &orders {
            let mut world = empty();
            let pair = pair(&mut world, manager);
            for &(place, call) in order {
                assert_eq!(ties(&world).1, 0, "not before both are there: {order:?}");
                match call {
                    "kind" => fall(&mut world, pair[place]),
                    "Body" => add(&mut world, pair[place], "Body", "body"),
                    manager => add(&mut world, pair[place], manager, "skin"),
                }
            }
            assert_eq!(ties(&world), made(manager), "{manager}: {order:?}");
            assert!(world.faults().is_empty(), "{:?}", world.faults());
            let saved = world.save();
            let mut restored = empty();
            restored.restore(&saved).expect("its own save");
            for world in [&mut world, &mut restored] {
                world.step();
                world.physics().validate();
            }
            assert_eq!(restored.state_hash(), world.state_hash());
        }
    }
}

#[test]
fn a_tie_comes_back_with_the_body_of_either_end() {
    for manager in TIES {
        for end in [0, 1] {
            let mut world = empty();
            let pair = pair(&mut world, manager);
            for entity in pair {
                add(&mut world, entity, "Body", "body");
                fall(&mut world, entity);
                add(&mut world, entity, "Collider", "skin");
            }
            assert_eq!(ties(&world), made(manager));
            world.remove_component(pair[end], "body").expect("it has one");
            assert_eq!(ties(&world), (0, 0));
            add(&mut world, pair[end], "Body", "body");
            fall(&mut world, pair[end]);
            assert_eq!(ties(&world), made(manager), "{manager}, end {end}");
            world.step();
            world.physics().validate();
            assert!(world.faults().is_empty(), "{:?}", world.faults());
        }
    }
}

#[test]
fn a_tie_waits_on_if_it_is_broken_or_its_name_is_of_nobody() {
    let mut world = empty();
    let pair = pair(&mut world, "Joint");
    set(&mut world, pair[0], "tie.broken", Value::Bool(true));
    let [named, target] = ["named", "target"].map(|name| world.create(Some(name)).expect("there is room"));
    add(&mut world, target, "Body", "body");
    add(&mut world, named, "Joint", "tie");
    set(&mut world, named, "tie.to_name", Value::String("target".into()));
    world.despawn(target).expect("it lives");
    for entity in [pair[0], pair[1], named] {
        add(&mut world, entity, "Body", "body");
    }
    assert_eq!(ties(&world), (0, 0));
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    set(&mut world, pair[0], "tie.broken", Value::Bool(false));
    assert_eq!(ties(&world), (1, 0));
}

#[test]
fn a_tie_that_physics_refuses_is_a_fault_and_the_component_stays() {
    let mut world = empty();
    let pair = pair(&mut world, "RigidWeld");
    for entity in pair {
        add(&mut world, entity, "Body", "body");
        add(&mut world, entity, "Collider", "skin");
    }
    // One of the two is disabled.
    set(&mut world, pair[1], "body.enabled", Value::Bool(false));
    fall(&mut world, pair[0]);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    fall(&mut world, pair[1]);
    assert_eq!(ties(&world), (0, 0));
    assert_eq!(world.faults().len(), 1, "{:?}", world.faults());
    assert_eq!(world.get(pair[1], "body.kind"), Ok(Value::Choice(2)));
    // Whoever mends it has it made.
    set(&mut world, pair[1], "body.enabled", Value::Bool(true));
    assert_eq!(ties(&world), (0, 0));
    set(&mut world, pair[0], "tie.breaks", Value::Bool(true));
    assert_eq!(ties(&world), (0, 1));
}

#[test]
fn a_tie_is_made_with_the_body_that_a_resource_gets() {
    for manager in TIES {
        let mut world = empty();
        world
            .define(vec![ResourceDefinition::new("post")])
            .expect("it is a resource");
        let post = world.spawn("post", &SpawnDef::default()).expect("there is room");
        let sign = world.create(Some("sign")).expect("there is room");
        add(&mut world, sign, manager, "tie");
        set(&mut world, sign, "tie.to", Value::Entity(Some(post)));
        add(&mut world, sign, "Body", "body");
        fall(&mut world, sign);
        add(&mut world, sign, "Collider", "skin");
        assert_eq!(ties(&world), (0, 0));
        let kind = [("kind", Value::String("Dynamic".into()))];
        let post = ResourceDefinition::new("post")
            .component("body", "Body", kind)
            .component("skin", "Collider", []);
        world.define(vec![post]).expect("it is a resource");
        assert_eq!(ties(&world), made(manager), "{manager}");
    }
}

/// Two boxes side by side that are one body, with a rope for the time after.
const SEAM: &str = r#"(
    settings: (gravity: (0, 0)),
    entities: {
        "a": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
        "b": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
            "seam": RigidWeld(to: Entity("a"), force_threshold: 10),
            "rope": Joint(to: Entity("a"), kind: Distance(limit: (upper: 3))),
        },
        "bridge": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
            "left": RigidWeld(to: Entity("a")),
            "right": RigidWeld(to: Entity("b")),
        },
    },
    place: [One(name: "a", entity: "a"), One(name: "b", entity: "b", at: (1, 0))],
)"#;

#[test]
fn a_joint_waits_for_the_two_that_are_welded_to_part() {
    type Part = fn(&mut World, Entity);
    let parts: [(&str, Part); 5] = [
        ("break", |world, b| {
            let body = world.body_of(b).unwrap();
            let mut body = world.physics_mut().body_mut(body).unwrap();
            body.apply_impulse_at(Vec2::new(9.0, 0.0), Position::new(1.4, 0.2))
                .unwrap();
            world.step();
            assert!(
                world
                    .events()
                    .iter()
                    .any(|event| matches!(event, Event::Break(_)))
            );
        }),
        ("set", |world, b| set(world, b, "seam.broken", Value::Bool(true))),
        ("remove", |world, b| world.remove_component(b, "seam").unwrap()),
        ("other end", |world, b| {
            let c = world
                .spawn(
                    "a",
                    &SpawnDef {
                        pose: Some(Pose::new(Vec2::new(2.0, 0.0), 0.0)),
                        ..SpawnDef::default()
                    },
                )
                .unwrap();
            set(world, b, "seam.to", Value::Entity(Some(c)));
        }),
        ("physics", |world, _| {
            let weld = world.physics().rigid_welds().next().unwrap().id();
            world.physics_mut().destroy_rigid_weld(weld).unwrap();
            world.step();
        }),
    ];
    for (how, part) in parts {
        let mut world = World::from_scene(&Scene::parse("seam.ron", SEAM).unwrap()).unwrap();
        let [a, b] = ["a", "b"].map(|name| world.find(name).unwrap());
        world.step();
        assert_eq!(ties(&world).0, 0, "{how}: there is nothing to constrain");
        part(&mut world, b);
        assert_ne!(world.body_of(a), world.body_of(b), "{how}");
        assert_eq!(ties(&world).0, 1, "{how}");
        let again = World::from_save(&Scene::parse("seam.ron", SEAM).unwrap(), &world.save()).unwrap();
        assert_eq!(again.state_hash(), world.state_hash(), "{how}");
        let body = world.body_of(b).unwrap();
        world
            .physics_mut()
            .body_mut(body)
            .unwrap()
            .set_linear_velocity(Vec2::new(30.0, 0.0))
            .unwrap();
        for _ in 0..60 {
            world.step();
            let [a, b] = [a, b].map(|entity| world.pose(entity).unwrap().position);
            assert!(a.distance(b) < 3.2, "{how}: {a} {b}");
        }
        assert!(world.faults().is_empty(), "{how}: {:?}", world.faults());
    }
    // The one between them ends.
    let text = SEAM
        .replace("\"seam\": RigidWeld(to: Entity(\"a\"), force_threshold: 10),", "")
        .replace("One(name: \"b\", entity: \"b\", at: (1, 0))", "One(name: \"b\", entity: \"b\", at: (2, 0)), One(name: \"bridge\", entity: \"bridge\", at: (1, 0))");
    let mut world = World::from_scene(&Scene::parse("bridge.ron", &text).unwrap()).unwrap();
    assert_eq!(ties(&world), (0, 2));
    let bridge = world.find("bridge").unwrap();
    world.despawn(bridge).unwrap();
    assert_eq!(ties(&world), (1, 0));
}

/// A reload that takes a weld away and moves one of its ends.
#[test]
fn a_joint_is_made_where_the_reload_that_parts_its_ends_has_put_them() {
    let text = |x: &str, seam: &str| {
        let text = r#"(
            settings: (gravity: (0, 0)),
            entities: {
                "a": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
                "b": {
                    "place": Transform(position: (X, 0)),
                    "body": Body(kind: Dynamic),
                    "hull": Collider(shape: Box(width: 1, height: 1)),
                    SEAM
                    "pin": Joint(to: Entity("a")),
                },
            },
            place: [One(name: "a", entity: "a")],
        )"#;
        text.replace('X', x).replace("SEAM", seam)
    };
    let before = text("1", "\"seam\": RigidWeld(to: Entity(\"a\")),");
    let mut world = World::from_scene(&Scene::parse("pin.ron", &before).unwrap()).unwrap();
    // Nobody gives it a pose, so that the reload moves it.
    let b = world.spawn("b", &SpawnDef::default()).unwrap();
    assert_eq!(ties(&world), (0, 1));
    world
        .reload(tombolo::AssetKind::Scene, "pin.ron", &text("5", ""))
        .unwrap();
    assert_eq!(ties(&world), (1, 0));
    assert!(world.pose(b).unwrap().position.distance(Vec2::new(5.0, 0.0)) < 1e-3);
    let error = world.physics().joints().next().unwrap().linear_error();
    assert!(error < 1e-3, "{error}");
    world.step();
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}

/// A crash of two coupled machines, each of two parts: the coupling does not wait for them to part.
#[test]
fn a_joint_that_breaks_in_the_step_in_which_both_its_ends_part_stays_broken() {
    let hull = r#""body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))"#;
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "a": {HULL},
            "a2": {HULL, "seam": RigidWeld(to: Entity("a"), force_threshold: 10)},
            "c": {HULL, "coupling": Joint(to: Entity("a"), kind: Weld(force_threshold: 10, breaks: true))},
            "c2": {HULL, "seam": RigidWeld(to: Entity("c"), force_threshold: 10)},
        },
        place: [
            One(name: "a", entity: "a"),
            One(name: "a2", entity: "a2", at: (-1, 0)),
            One(name: "c", entity: "c", at: (3, 0)),
            One(name: "c2", entity: "c2", at: (4, 0)),
        ],
    )"#;
    let text = text.replace("HULL", hull);
    let mut world = World::from_scene(&Scene::parse("crash.ron", &text).unwrap()).unwrap();
    world.step();
    assert_eq!(ties(&world), (1, 2));
    for (name, x, impulse) in [("a2", -1.4, -9.0), ("c2", 4.4, 9.0)] {
        let body = world.body_of(world.find(name).unwrap()).unwrap();
        let mut body = world.physics_mut().body_mut(body).unwrap();
        body.apply_impulse_at(Vec2::new(impulse, 0.0), Position::new(x, 0.0))
            .unwrap();
    }
    world.step();
    let broke: Vec<&str> = world
        .events()
        .iter()
        .filter_map(|event| match event {
            Event::Break(strain) => world.entities().names().get(strain.component),
            _ => None,
        })
        .collect();
    assert_eq!(broke, ["coupling", "seam", "seam"]);
    for _ in 0..2 {
        let c = world.find("c").unwrap();
        assert_eq!(world.get(c, "coupling.broken"), Ok(Value::Bool(true)));
        assert_eq!(ties(&world), (0, 0));
        world.step();
    }
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}

/// A weld of a scene waits for what a reload brings.
#[test]
fn a_weld_is_made_when_a_reload_brings_what_it_waits_for() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "keel": {"body": Body(KIND) HULL},
            "mast": {
                "body": Body(kind: Dynamic),
                "pole": Collider(shape: Box(width: 0.2, height: 3)),
                "foot": RigidWeld(to: Entity("keel")),
            },
        },
        place: [One(name: "keel", entity: "keel"), One(name: "mast", entity: "mast", at: (0, 2))],
    )"#;
    let text = |kind: &str, hull: &str| text.replace("KIND", kind).replace("HULL", hull);
    let (falls, hull) = (
        "kind: Dynamic",
        ", \"hull\": Collider(shape: Box(width: 3, height: 1))",
    );
    for before in [text(falls, ""), text("", "")] {
        let scene = Scene::parse("ship.ron", &before).unwrap();
        let Ok(mut world) = World::from_scene(&scene) else {
            continue;
        };
        let [keel, mast] = ["keel", "mast"].map(|name| world.find(name).unwrap());
        assert_eq!(ties(&world).1, 0);
        world
            .reload(tombolo::AssetKind::Scene, "ship.ron", &text(falls, hull))
            .unwrap();
        assert_eq!(ties(&world).1, 1);
        assert_eq!(world.body_of(mast), world.body_of(keel));
        world.step();
        assert!(world.faults().is_empty(), "{:?}", world.faults());
    }
}
