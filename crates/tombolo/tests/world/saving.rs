//! A world clones, saves, restores and hashes as a whole; broken bytes are refused and change nothing.

use proptest::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tombolo::entity::{Component, Dense, EntityIndex, Schema, Value};
use tombolo::geometry::Pose;
use tombolo::physics::constants::SPIN_MAX_RAD_S;
use tombolo::physics::{BodyDef, Shape, Vec2};
use tombolo::threads::Pool;
use tombolo::{Scene, Settings, World, WorldRestoreError};

use crate::rewind::Random;
use crate::{Health, YARD, run, yard};

#[test]
fn a_restored_world_goes_the_same_way() {
    let mut world = yard();
    let mut other = yard();
    let pool = Pool::with_thread_for_each(3).unwrap();
    for round in 0..6 {
        run(&mut world, 37);
        let bytes = world.save();
        other.restore(&bytes).unwrap();
        assert_eq!(other.save(), bytes, "round {round}");
        assert_eq!(other.state_hash(), world.state_hash());
        let made = World::from_save(&Scene::parse("yard.ron", YARD).unwrap(), &bytes).unwrap();
        assert_eq!(made.save(), bytes, "round {round}");
        for step in 0..45 {
            world.step();
            other.step_with(&pool);
            assert_eq!(
                other.state_hash(),
                world.state_hash(),
                "round {round}, step {step}"
            );
        }
        // The next entity has the same handle, and what is known of names and families is the same.
        assert_eq!(world.clone().create(None), other.clone().create(None));
        assert!(world.names().eq(other.names()));
        let cart = world.find("cart").unwrap();
        assert_eq!(world.children(cart), other.children(cart));
        if round == 3 {
            let (one, two) = (world.despawn(cart), other.despawn(cart));
            assert_eq!((one, two), (Ok(()), Ok(())));
            break;
        }
    }
}

/// Restores bring shapes of known ids with other geometry: who keeps their borders is told of each.
#[test]
fn a_restore_has_a_geometry_version_of_its_own() {
    let text = r#"(
        entities: {"box": {"body": Body(), "hull": Collider(shape: Box(width: 1, height: 1))}},
        place: [One(name: "box", entity: "box")],
    )"#;
    let scene = Scene::parse("box.ron", text).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let mut other = World::from_scene(&scene).unwrap();
    let small = world.save();
    let shape = world.physics().shapes().next().unwrap().id();
    let mut made = world.physics_mut().shape_mut(shape).unwrap();
    made.set_geometry(&Shape::new_box(2.0, 1.0).unwrap()).unwrap();
    let large = world.save();
    let mut known = vec![world.physics().geometry_version()];
    for (save, right) in [(&small, 0.5), (&large, 1.0), (&small, 0.5)] {
        let before = other.physics().geometry_version();
        other.restore(save).unwrap();
        assert_ne!(other.physics().geometry_version(), before);
        world.restore(save).unwrap();
        let version = world.physics().geometry_version();
        assert!(!known.contains(&version), "{version} is among {known:?}");
        known.push(version);
        let geometry = *world.physics().shape(shape).unwrap().geometry();
        assert_eq!(geometry.vertices()[0].x.abs(), right);
    }
}

#[test]
fn what_was_moved_through_physics_is_saved_with_its_children() {
    let scene = r#"(
        entities: {
            "eye": {"sight": Trigger(shape: Circle(radius: 2))},
            "tower": {"body": Body(), "hull": Collider(shape: Box(width: 1, height: 4)), "eye": Child(entity: "eye", at: (0, 9))},
            "ball": {"body": Body(kind: Dynamic, gravity_scale: 0), "hull": Collider(shape: Circle(radius: 0.5))},
        },
        place: [
            One(name: "tower", entity: "tower", at: (-50, 0)),
            One(name: "ball", entity: "ball", at: (30, 9)),
        ],
    )"#;
    let scene = Scene::parse("tower.ron", scene).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    run(&mut world, 5);
    let tower = world
        .find("tower")
        .and_then(|tower| world.body_of(tower))
        .unwrap();
    let mut tower = world.physics_mut().body_mut(tower).unwrap();
    tower.teleport(Pose::new(Vec2::new(30.0, 0.0), 0.0)).unwrap();
    let bytes = world.save();
    let mut restored = World::from_save(&scene, &bytes).unwrap();
    assert_eq!(restored.state_hash(), world.state_hash());
    // The ball is in the sight that came along, in both.
    run(&mut world, 1);
    run(&mut restored, 1);
    let eye = world.find("tower/eye").unwrap();
    for world in [&world, &restored] {
        assert_eq!(world.get(eye, "sight.visitor_count"), Ok(Value::U32(1)));
    }
    assert_eq!(restored.state_hash(), world.state_hash());
}

/// A component that counts how often it was cloned.
#[derive(Debug, Default)]
struct Counted(Arc<AtomicUsize>);

impl Clone for Counted {
    fn clone(&self) -> Self {
        self.0.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&self.0))
    }
}

impl Component for Counted {
    fn schema() -> Schema<Self> {
        Schema::new()
    }
}

#[test]
fn a_save_after_a_call_of_physics_mut_copies_nothing() {
    let mut world = yard();
    let counted = world
        .register_manager("Counted", Dense::<Counted>::new())
        .unwrap();
    let safe = world.find("safe").unwrap();
    world.add_component(safe, "Counted", "count").unwrap();
    let manager = world.manager::<Dense<Counted>>(counted).unwrap();
    let count = Arc::clone(&manager.newest(safe).unwrap().0);
    let body = world.body_of(safe).unwrap();
    let mut body = world.physics_mut().body_mut(body).unwrap();
    body.teleport(Pose::new(Vec2::new(3.0, 9.0), 0.5)).unwrap();
    let before = count.load(Ordering::Relaxed);
    let bytes = world.save();
    let hash = world.state_hash();
    assert_eq!(count.load(Ordering::Relaxed), before);
    // What synchronizes a world does not change its hash, be it refused or not.
    let mut asked = world.clone();
    let nowhere = Vec2::splat(1.0e9);
    assert!(asked.find_path(Vec2::ZERO, nowhere, 0.5).is_err());
    assert!(asked.is_synchronized() && asked.state_hash() == hash);
    // What entities have still to follow is in it.
    let mut restored = yard();
    restored
        .register_manager("Counted", Dense::<Counted>::new())
        .unwrap();
    restored.restore(&bytes).unwrap();
    assert!(!restored.is_synchronized() && !world.is_synchronized());
    assert_eq!(restored.pose(safe), world.pose(safe));
    assert!(restored.save() == bytes && restored.state_hash() == hash);
    // What the world does itself is nothing that it has to follow, in either.
    for world in [&mut world, &mut restored] {
        world
            .teleport(safe, Pose::new(Vec2::new(-3.0, 9.0), 0.0))
            .unwrap();
    }
    assert!(restored.save() == world.save());
    for world in [&mut world, &mut restored] {
        world.step();
        assert!(world.is_synchronized());
    }
    assert!(restored.save() == world.save());
}

#[test]
fn a_clone_is_a_fork() {
    let mut world = yard();
    run(&mut world, 20);
    let mut fork = world.clone();
    run(&mut world, 50);
    run(&mut fork, 50);
    assert_eq!(fork.state_hash(), world.state_hash());
    let safe = fork.find("safe").unwrap();
    fork.set(safe, "body.linear_velocity", Value::Vec2(Vec2::X))
        .unwrap();
    assert_ne!(fork.state_hash(), world.state_hash());
}

/// Something that a world can be told.
type Change = fn(&mut World);

#[test]
fn every_part_of_the_state_is_in_the_hash() {
    let world = yard();
    let hash = world.state_hash();
    let changes: [(&str, Change); 6] = [
        ("a property without physics", |world| {
            let lamp = world.find("cart/lamp").unwrap();
            world.set(lamp, "look.layer", Value::I32(4)).unwrap();
        }),
        ("the random numbers", |world| {
            world.random().bits();
        }),
        ("a name", |world| {
            let gate = world.find("gate").unwrap();
            world.set_name(gate, Some("door")).unwrap();
        }),
        ("a component", |world| {
            let gate = world.find("gate").unwrap();
            world.add_component(gate, "Tag", "open").unwrap();
        }),
        ("an entity", |world| {
            world.create(None).unwrap();
        }),
        ("a velocity", |world| {
            let safe = world.find("safe").unwrap();
            world.set(safe, "body.angular_velocity", Value::F32(1.0)).unwrap();
        }),
    ];
    for (what, change) in changes {
        let mut changed = world.clone();
        change(&mut changed);
        assert_ne!(changed.state_hash(), hash, "{what}");
        let mut restored = yard();
        restored.restore(&changed.save()).unwrap();
        assert_eq!(restored.state_hash(), changed.state_hash(), "{what}");
    }
}

#[test]
fn a_games_own_manager_is_saved_too() {
    let text = YARD.replace(
        r#""heavy": Tag(),"#,
        r#""life": Health(points: 60, mood: "Cross"),"#,
    );
    let build = || {
        let mut world = World::new(&tombolo::Settings::default()).unwrap();
        world.register_manager("Health", Dense::<Health>::new()).unwrap();
        let scene = Scene::parse_with("yard.ron", &text, &world.kinds()).unwrap();
        world.add_scene(&scene).unwrap();
        world
    };
    let mut world = build();
    let safe = world.find("safe").unwrap();
    assert_eq!(world.get(safe, "life.mood").unwrap(), Value::Choice(1));
    world.set(safe, "life.points", Value::I32(10)).unwrap();
    let mut other = build();
    other.restore(&world.save()).unwrap();
    assert_eq!(other.get(safe, "life.points").unwrap(), Value::I32(10));
    assert_eq!(other.get(safe, "life.is_hurt").unwrap(), Value::Bool(true));
    let error = yard().restore(&world.save()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the save's entities: the data do not fit: there is no manager `Health` here"
    );
}

/// A game that got a manager of its own reads the saves from before; the manager is empty then.
#[test]
fn a_save_from_before_a_manager_was_added_is_read() {
    let mut world = World::new(&tombolo::Settings::default()).unwrap();
    world.register_manager("Health", Dense::<Health>::new()).unwrap();
    world.add_scene(&Scene::parse("yard.ron", YARD).unwrap()).unwrap();
    let mut before = yard();
    run(&mut before, 30);
    let safe = world.find("safe").unwrap();
    world.add_component(safe, "Health", "life").unwrap();
    world.restore(&before.save()).unwrap();
    assert!(world.get(safe, "life.points").is_err());
    for _ in 0..30 {
        before.step();
        world.step();
        assert_eq!(world.physics().state_hash(), before.physics().state_hash());
    }
    world.add_component(safe, "Health", "life").unwrap();
    let again = world.save();
    world.restore(&again).unwrap();
    assert!(world.save() == again);
}

#[test]
fn a_save_of_other_resources_is_refused() {
    let mut world = yard();
    let text = YARD.replace(r#""heavy": Tag(),"#, "");
    let other = World::from_scene(&Scene::parse("other.ron", &text).unwrap()).unwrap();
    let before = world.state_hash();
    let error = world.restore(&other.save()).unwrap_err();
    assert!(
        error
            .to_string()
            .ends_with("resource `safe` had other components"),
        "{error}"
    );
    assert_eq!(world.state_hash(), before);
}

/// The bytes with a checksum that fits them.
fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
    let end = bytes.len() - 8;
    let checksum = tombolo::entity::hash_bytes(&bytes[..end]);
    bytes[end..].copy_from_slice(&checksum.to_le_bytes());
    bytes
}

#[test]
fn bytes_that_are_no_save_are_told_apart() {
    let mut world = yard();
    let bytes = world.save();
    let before = world.state_hash();
    let mut expect = |bytes: &[u8], wanted: fn(&WorldRestoreError) -> bool| {
        let error = world.restore(bytes).unwrap_err();
        assert!(wanted(&error), "{error}");
        assert!(!error.to_string().is_empty());
        assert_eq!(world.state_hash(), before);
    };
    expect(b"", |error| matches!(error, WorldRestoreError::NotASave));
    expect(b"hello", |error| matches!(error, WorldRestoreError::NotASave));
    expect(&bytes[..10], |error| matches!(error, WorldRestoreError::Checksum));
    expect(&bytes[..bytes.len() - 1], |error| {
        matches!(error, WorldRestoreError::Checksum)
    });
    let mut version = bytes.clone();
    version[8] = 99;
    expect(&version, |error| {
        matches!(error, WorldRestoreError::Version { found: 99, .. })
    });
    let mut flipped = bytes.clone();
    flipped[bytes.len() / 2] ^= 1;
    expect(&flipped, |error| matches!(error, WorldRestoreError::Checksum));
    let mut longer = bytes.clone();
    longer.extend([0; 8]);
    expect(&sealed(longer), |error| {
        matches!(error, WorldRestoreError::Entities(_))
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn forged_bytes_give_an_error_or_a_world_that_steps(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut world = yard();
        run(&mut world, 3);
        let mut bytes = world.save();
        // The part of the entities: what comes after physics, which has checks of its own.
        let physics = u64::from_le_bytes(bytes[12..20].try_into().unwrap()) as usize;
        let start = 20 + physics + 8;
        let end = bytes.len() - 8;
        for (at, byte) in changes {
            let at = start + at.index(end - start);
            bytes[at] ^= byte;
        }
        if let Some(cut) = cut {
            let at = start + cut.index(end - start);
            bytes.drain(at..end);
        }
        let before = world.state_hash();
        match world.restore(&sealed(bytes)) {
            Ok(()) => run(&mut world, 3),
            Err(_) => prop_assert_eq!(world.state_hash(), before),
        }
    }
}

#[test]
fn a_body_made_under_an_entitys_key_does_not_take_the_entity_along() {
    let mut world = yard();
    run(&mut world, 30);
    let name = "crate[1]";
    let entity = world.find(name).unwrap();
    // A save may be forged so that an entity has forgotten its body, and then makes another one.
    let stray = BodyDef {
        user_key: entity.to_bits(),
        ..BodyDef::dynamic(3.0, 50.0)
    };
    world.physics_mut().create_body(&stray).unwrap();
    run(&mut world, 20);
    let body = world.body_of(entity).unwrap();
    let at = world.physics().body(body).unwrap().pose();
    assert!(world.pose(entity).unwrap().position.distance(at.position) < 1.0e-4);
    let mut again = yard();
    again.restore(&world.save()).unwrap();
    assert_eq!(again.state_hash(), world.state_hash());
}

#[test]
fn a_world_far_from_the_origin_is_the_same_from_its_save() {
    let mut world = yard();
    run(&mut world, 5);
    for (place, name) in ["crate[0]", "safe", "cart", "sign"].into_iter().enumerate() {
        let entity = world.find(name).unwrap();
        let far = Vec2::new(9.0e4 + 0.013 * place as f32, -7.0e4);
        world
            .teleport(entity, Pose::new(far, 0.7 + place as f32))
            .unwrap();
        let mut again = yard();
        again.restore(&world.save()).unwrap();
        assert_eq!(again.state_hash(), world.state_hash(), "{name}");
    }
}

#[test]
fn a_restored_world_keeps_how_its_physics_is_computed() {
    let mut world = yard();
    let save = world.save();
    world.physics_mut().set_profiling(true);
    world.physics_mut().set_batch_bodies_max(7);
    world.restore(&save).unwrap();
    assert!(world.physics().is_profiling());
    assert_eq!(world.physics().batch_bodies_max(), 7);
    assert_eq!(world.save(), save, "neither is part of the state");
}

/// Each toggle leaves the list of components that an entity had, and there are more of them than a step visits at least.
#[test]
fn lists_of_components_that_nobody_has_any_more_stay_few() {
    let mut world = World::new(&Settings::default()).unwrap();
    let entities: Vec<_> = (0..200).map(|_| world.create(None).unwrap()).collect();
    let mut random = Random(11);
    for step in 0..60 {
        for _ in 0..500 {
            let entity = entities[random.below(entities.len())];
            let name = format!("flag {}", random.below(20));
            if world.entities().find(entity, &name).is_some() {
                world.remove_component(entity, &name).unwrap();
            } else {
                world.add_component(entity, "Tag", &name).unwrap();
            }
        }
        world.step();
        let lists = world.entities().index().memory().prototype_count;
        assert!(lists < 20_000, "{lists} after {step} steps");
    }
}

/// Joints that pull a body over a long way spin others faster than they can be set to.
#[test]
fn a_body_that_is_faster_than_can_be_set_is_saved() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {"link": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 0.8, height: 0.2)),
            "pin": Joint(to: Previous, pivot: (-0.5, 0)),
        }},
        place: [Row(name: "link", entity: "link", count: 3, at: (3, 9), step: (1, 0))],
    )"#;
    let scene = Scene::parse("links.ron", text).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let links = ["link[0]", "link[1]", "link[2]"].map(|name| world.find(name).unwrap());
    world
        .set(links[1], "transform.position", Value::Vec2(Vec2::new(9.0e4, 7.0)))
        .unwrap();
    let spin = |world: &World, link| world.body(link).unwrap().angular_velocity();
    let mut faster = 0;
    for _ in 0..120 {
        world.step();
        for link in links {
            if spin(&world, link).abs() > SPIN_MAX_RAD_S {
                faster += 1;
                let mut set = world.clone();
                // Reads the velocities of the body into its component first.
                set.set(link, "body.linear_damping", Value::F32(0.1)).unwrap();
                let restored = World::from_save(&scene, &set.save()).unwrap();
                assert_eq!(restored.state_hash(), set.state_hash());
                assert_eq!(spin(&restored, link), spin(&world, link), "physics keeps its own");
            }
        }
    }
    assert!(faster > 0, "no body was faster than that");
}
