//! The hash of a world in which entities have still to follow physics is that of the world after they have, and takes no
//! copy of it.

use tombolo::component::{BODY, Body, RIGID_WELD, RigidWeld};
use tombolo::entity::{Dense, Entity};
use tombolo::geometry::Pose;
use tombolo::physics::Vec2;
use tombolo::{Scene, World};

/// What follows in every way: sensors with bodies of their own below a body and below those, sprites, children with bodies,
/// walls that agents walk around, and beams of welded planks.
const PORT: &str = r#"(
    settings: (gravity: (0, 0)),
    entities: {
        "eye": {"sight": Trigger(shape: Circle(radius: 2))},
        "flag": {"look": Sprite(size: (1, 1)), "eye": Child(entity: "eye", at: (0, 1), angle: 0.3)},
        "boat": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5))},
        "tower": {
            "body": Body(kind: Dynamic),
            "wall": Collider(shape: Box(width: 1, height: 3)),
            "flag": Child(entity: "flag", at: (0, 2), angle: 0.7),
            "boat": Child(entity: "boat", at: (4, 0)),
        },
        "pier": {"body": Body(), "stone": Collider(shape: Box(width: 1, height: 8))},
        "walker": {"mind": Agent(goal: (30, 3), speed: 2, clearance: 0.25)},
        "plank": {
            "body": Body(kind: Dynamic),
            "board": Collider(shape: Box(width: 1, height: 0.2)),
            "seam": RigidWeld(to: Previous, pivot: (-0.5, 0)),
        },
    },
    place: [
        Row(name: "tower", entity: "tower", at: (0, 20), count: 3, step: (12, 0)),
        Row(name: "pier", entity: "pier", at: (10, 0), count: 2, step: (8, 0)),
        One(name: "walker", entity: "walker", at: (-5, 0)),
        Row(name: "plank", entity: "plank", at: (0, -20), count: 5, step: (1, 0)),
    ],
)"#;

fn port() -> World {
    let mut world = World::from_scene(&Scene::parse("port.ron", PORT).unwrap()).unwrap();
    (0..20).for_each(|_| world.step());
    world
}

/// The world after it has synchronized: a search for a path does that, also if it is refused.
fn synchronized(world: &World) -> World {
    let mut world = world.clone();
    assert!(world.find_path(Vec2::ZERO, Vec2::splat(1.0e9), 0.25).is_err());
    assert!(world.is_synchronized());
    world
}

fn teleport(world: &mut World, name: &str, pose: Pose) {
    let body = world.body_of(world.find(name).unwrap()).unwrap();
    let mut body = world.physics_mut().body_mut(body).unwrap();
    body.teleport(pose).unwrap();
}

fn check(world: &World, what: &str) {
    assert!(!world.is_synchronized(), "{what}: there is something to follow");
    let followed = synchronized(world);
    assert_eq!(world.state_hash(), followed.state_hash(), "{what}");
}

#[test]
fn sensors_and_children_below_a_body_that_was_moved_follow_in_the_hash() {
    let mut world = port();
    let before = world.state_hash();
    teleport(&mut world, "tower[1]", Pose::new(Vec2::new(-9.0, 30.0), 1.0));
    check(&world, "a tower");
    assert_ne!(world.state_hash(), before);
    // Twice, and to where it is.
    teleport(&mut world, "tower[1]", Pose::new(Vec2::new(-9.0, 31.0), 1.0));
    let pose = world.pose(world.find("tower[2]").unwrap()).unwrap();
    teleport(&mut world, "tower[2]", pose);
    check(&world, "towers");
    world.step();
    assert!(world.is_synchronized());
}

#[test]
fn agents_search_again_in_the_hash_if_a_wall_was_moved_or_is_one_no_longer() {
    let mut world = port();
    let walls = world.state_hash();
    teleport(&mut world, "pier[0]", Pose::new(Vec2::new(10.0, 2.0), 0.0));
    check(&world, "a pier");
    assert_ne!(world.state_hash(), walls);
    let mut world = port();
    let pier = world.find("pier[1]").unwrap();
    let body = world.body_of(pier).unwrap();
    world.physics_mut().destroy_body(body).unwrap();
    check(&world, "a pier that is gone");
}

#[test]
fn composites_that_calls_part_have_their_new_keys_in_the_hash() {
    let mut world = port();
    let planks: Vec<Entity> = (0..5)
        .map(|number| world.find(&format!("plank[{number}]")).unwrap())
        .collect();
    let welds: &Dense<RigidWeld> = world.manager(RIGID_WELD).unwrap();
    let welds: Vec<_> = planks
        .iter()
        .filter_map(|plank| welds.newest(*plank)?.id())
        .collect();
    assert_eq!(welds.len(), 4);
    for (count, weld) in welds.into_iter().enumerate() {
        world.physics_mut().destroy_rigid_weld(weld).unwrap();
        check(&world, &format!("{} of the welds", count + 1));
    }
    let bodies: &Dense<Body> = world.manager(BODY).unwrap();
    assert!(planks.iter().all(|plank| bodies.newest(*plank).is_some()));
}

/// Random calls of physics between steps; frames of worlds that have not followed have the hash of those that have.
#[test]
fn whatever_calls_of_physics_do_the_hash_is_that_of_the_synchronized_world() {
    let names: Vec<String> = ["tower", "pier", "plank"]
        .iter()
        .flat_map(|name| (0..2).map(move |number| format!("{name}[{number}]")))
        .collect();
    let mut world = port();
    let mut seed = 11_u64;
    let mut below = |count: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) % count
    };
    for round in 0..120 {
        for _ in 0..below(3) {
            let name = &names[below(names.len() as u64) as usize];
            let (x, y) = (below(60) as f32 - 20.0, below(60) as f32 - 20.0);
            teleport(&mut world, name, Pose::new(Vec2::new(x, y), below(7) as f32));
        }
        let frame = world.frame();
        let followed = synchronized(&world).state_hash();
        assert_eq!(world.state_hash(), followed, "round {round}");
        assert_eq!(frame.checksum(), followed, "round {round}");
        if below(3) == 0 {
            world.step();
        }
        if below(9) == 0 {
            world.restore_frame(&frame);
            assert_eq!(world.state_hash(), followed, "round {round}");
        }
    }
}
