//! Joints and rigid welds that wait for a body, for shapes or for a dynamic body: they are made when it is there, whatever the
//! order of the calls.

use tombolo::entity::{Entity, ResourceDefinition, Value};
use tombolo::{Settings, SpawnDef, World};

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
