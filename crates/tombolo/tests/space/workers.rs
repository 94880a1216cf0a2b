//! The stages `poses` and `space` on many workers: Transforms, the list of what moved, boxes and the order in which they are
//! found are those of one thread, frames have every change, and nothing is followed that is nobody's.

use tombolo::component::{TRANSFORM, Transform};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::geometry::orthtree::Bounds;
use tombolo::geometry::{Pose, Position};
use tombolo::physics::{BodyKind, Rewind, RewindLimits, Vec2};
use tombolo::threads::{Executor, Inline, Pool};
use tombolo::{Scene, SpawnDef, World};

use crate::last_first::LastFirst;
use crate::{Random, world_of};

/// Enough for several blocks of bodies: crates that fall, some larger than a cell of the grid, on carts with flags and sensors
/// below them, a row of welded planks, and rockets that pass several cells a step.
const CROWD: &str = r#"(
    settings: (gravity: (0, -10)),
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 400, height: 2), position: (0, -1))},
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 0.8, height: 0.8))},
        "slab": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 9, height: 0.5))},
        "eye": {"sight": Trigger(shape: Circle(radius: 0.5))},
        "flag": {"look": Sprite(image: "flag", size: (1, 2)), "eye": Child(entity: "eye", at: (0, 1), angle: 0.3)},
        "cart": {
            "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5)),
            "flag": Child(entity: "flag", at: (0, 1), angle: 0.7),
        },
        "rocket": {"body": Body(kind: Dynamic, linear_velocity: (300, 120)), "hull": Collider(shape: Circle(radius: 0.3))},
        "plank": {
            "body": Body(kind: Dynamic), "board": Collider(shape: Box(width: 1, height: 0.2)),
            "seam": RigidWeld(to: Previous, pivot: (-0.5, 0), force_threshold: 60),
        },
    },
    place: [
        One(name: "floor", entity: "floor"),
        Grid(name: "crate", entity: "crate", at: (-60, 1), columns: 40, rows: 20, column_step: (3, 0), row_step: (0.1, 1.5)),
        Row(name: "slab", entity: "slab", at: (-60, 40), count: 8, step: (14, 0.3)),
        Row(name: "cart", entity: "cart", at: (-60, 44), count: 40, step: (3, 0)),
        Row(name: "rocket", entity: "rocket", at: (-90, 50), count: 30, step: (3, 2)),
        Row(name: "plank", entity: "plank", at: (-20, 60), count: 30, step: (1, 0)),
    ],
)"#;

/// What can be seen after a step.
#[derive(Debug, PartialEq)]
struct Seen {
    hash: u64,
    moved: Vec<Entity>,
    /// All entities with their boxes, as the grid and the trees tell them.
    told: Vec<(Entity, Bounds<2>)>,
    events: usize,
}

fn see(world: &World) -> Seen {
    let mut told = Vec::new();
    let everywhere = Bounds::new([f32::NEG_INFINITY; 2], [f32::INFINITY; 2]);
    world.for_each_in(&everywhere, None, |entity, bounds| told.push((entity, bounds)));
    Seen {
        hash: world.state_hash(),
        moved: world.moved().to_vec(),
        told,
        events: world.events().len(),
    }
}

/// Calls between two steps, the same for the same step: what is listed before the bodies of the step, twice, or ends.
fn disturb(world: &mut World, step: u64) {
    let random = &mut Random(step);
    for _ in 0..6 {
        let crates = format!("crate[{},{}]", random.below(40), random.below(20));
        let Some(entity) = world.find(&crates) else {
            continue;
        };
        let at = Position::from(Vec2::new(60.0 * random.sign(), 30.0 + 8.0 * random.sign()));
        match random.below(4) {
            0 => world.despawn(entity).expect("it lives"),
            1 => world
                .teleport(entity, Pose::new(at.to_vec2(), random.sign()))
                .expect("it is near"),
            2 => {
                let body = world.body_of(entity).expect("crates have one");
                let mut body = world.physics_mut().body_mut(body).expect("it is its own");
                body.teleport(Pose::new(at.to_vec2(), 0.0)).expect("it is near");
            }
            // A body under the key of an entity that has another one is not the entity's.
            _ => {
                let key = entity.to_bits();
                let physics = world.physics_mut();
                let stray = tombolo::physics::BodyDef {
                    kind: tombolo::physics::BodyKind::Dynamic,
                    position: at,
                    user_key: key,
                    ..Default::default()
                };
                physics.create_body(&stray).expect("it is near");
            }
        }
    }
}

/// The crowd without composites, whose list of what moved is made in another way.
fn without_planks() -> String {
    let lines = CROWD.lines().filter(|line| !line.contains("name: \"plank\""));
    lines.collect::<Vec<_>>().join("\n")
}

fn run(scene: &str, executor: &dyn Executor) -> Vec<Seen> {
    let mut world = world_of(scene);
    let seen = (0..24).map(|step| {
        disturb(&mut world, step);
        world.step_with(executor);
        check(&world);
        see(&world)
    });
    seen.collect()
}

/// Each entity with a body of its own stands where that is, its box is around its shapes, and its place in the frame of its
/// parent, or in the world's, is that of its pose.
fn check(world: &World) {
    let transforms: &Dense<Transform> = world.manager(TRANSFORM).expect("it is the engine's");
    for entity in world.entities().entities().iter() {
        let body = world.body_of(entity).and_then(|body| world.physics().body(body));
        let alone = body.filter(|body| body.members().next().is_none());
        if let Some(body) = alone.filter(|body| body.user_key() == entity.to_bits()) {
            assert_eq!(world.pose(entity), Some(body.pose()), "{entity:?}");
            let bounds = body.aabb().map(Bounds::from);
            assert_eq!(world.space().bounds(entity), bounds, "{entity:?}");
        }
        let transform = transforms.newest(entity).expect("each has one");
        let (pose, local) = (
            transform.world(),
            Pose::new(transform.position, transform.angle()),
        );
        match world.parent(entity).and_then(|parent| world.pose(parent)) {
            None if body.is_some() => {
                assert_eq!(transform.position, pose.position, "{entity:?}");
                assert_eq!(
                    transform.angle().to_bits(),
                    pose.rotation.angle().to_bits(),
                    "{entity:?}"
                );
            }
            None => assert!(is_near(local, pose), "{entity:?}: {local:?}, not {pose:?}"),
            Some(parent) => assert!(
                is_near(parent.compose(local), pose),
                "{entity:?} below {parent:?}: {local:?}"
            ),
        }
        assert_eq!(
            world.get(entity, "transform.angle"),
            Ok(Value::F32(transform.angle()))
        );
    }
}

fn is_near(one: Pose, other: Pose) -> bool {
    let apart = one.position.distance(other.position) / (1.0 + one.position.length());
    apart < 1.0e-4 && one.rotation.to(other.rotation).angle().abs() < 1.0e-4
}

/// The entities in some regions are those whose boxes overlap them.
fn ask(world: &World, random: &mut Random) {
    for _ in 0..8 {
        let center = [70.0 * random.sign(), 40.0 + 40.0 * random.sign()];
        let region = Bounds::around(center, 0.5 + 15.0 * random.sign().abs());
        let all = world.space().entities();
        let mut there: Vec<Entity> = all
            .filter(|(_, bounds)| bounds.overlaps(&region))
            .map(|found| found.0)
            .collect();
        there.sort_unstable();
        assert_eq!(world.entities_in(&region, None), there);
    }
}

#[test]
fn what_follows_bodies_is_the_same_for_any_number_of_workers() {
    let twice = |seen: &Seen| {
        let mut moved = seen.moved.clone();
        moved.sort_unstable();
        moved.windows(2).any(|two| two[0] == two[1])
    };
    for scene in [CROWD, &without_planks()] {
        let alone = run(scene, &Inline);
        assert!(alone.iter().any(twice), "no entity was listed twice");
        assert!(alone.iter().all(|seen| seen.moved.len() > 700));
        for workers in [1, 2, 3, 4, 8] {
            let pool = Pool::new(workers).expect("there are threads");
            assert!(run(scene, &pool) == alone, "{workers} workers");
            assert!(run(scene, &LastFirst(workers)) == alone, "{workers} in turn");
        }
    }
}

/// Each body that moves is listed once, in the order of the events of physics, between what calls moved before the step and
/// children; bodies that are nobody's are left out.
#[test]
fn what_moved_is_listed_in_the_order_of_bodies() {
    for workers in [1, 3] {
        let pool = Pool::new(workers).expect("there are threads");
        let mut world = world_of(&without_planks());
        for step in 0..12 {
            disturb(&mut world, step);
            world.step_with(&pool);
            let events = world.physics().events().moved().iter();
            let follows = events.filter_map(|event| {
                let entity = Entity::from_bits(event.user_key)?;
                (world.body_of(entity) == Some(event.body)).then_some(entity)
            });
            let follows: Vec<Entity> = follows.collect();
            let listed = world.moved();
            let first = listed
                .windows(follows.len())
                .position(|part| part == follows.as_slice());
            assert!(
                first.is_some(),
                "step {step}: the bodies are not listed in their order"
            );
        }
    }
}

/// Calls that change which Transform follows which body: entities that come and go, bodies that are taken away and given anew,
/// keys that a program gives to others.
fn change_followers(world: &mut World, random: &mut Random) {
    let crates = format!("crate[{},{}]", random.below(40), random.below(20));
    let at = Pose::new(
        Vec2::new(60.0 * random.sign(), 60.0 + 20.0 * random.sign()),
        random.sign(),
    );
    let found = world.find(&crates);
    match (random.below(7), found) {
        (0, _) => {
            let def = SpawnDef {
                pose: Some(at),
                ..SpawnDef::default()
            };
            world.spawn("crate", &def).expect("there is room");
        }
        (1, Some(entity)) => world.despawn(entity).expect("it lives"),
        (2, Some(entity)) if world.body_of(entity).is_some() => {
            world.remove_component(entity, "body").expect("it has one");
        }
        (3, Some(entity)) if world.body_of(entity).is_none() => {
            world.add_component(entity, "Body", "body").expect("it has none");
            world
                .set(entity, "body.kind", Value::String("Dynamic".into()))
                .expect("it is a kind");
        }
        // The body is nobody's then, until it has its key again.
        (4, Some(entity)) => {
            if let Some(body) = world.body_of(entity) {
                let mut body = world.physics_mut().body_mut(body).expect("it is its own");
                let key = if body.view().user_key() == 0 {
                    entity.to_bits()
                } else {
                    0
                };
                body.set_user_key(key);
            }
        }
        // A wall, or no longer one, without a word to the component.
        (5, Some(entity)) => {
            if let Some(body) = world.body_of(entity) {
                let mut body = world.physics_mut().body_mut(body).expect("it is its own");
                let kind = match body.view().kind() {
                    BodyKind::Static => BodyKind::Dynamic,
                    _ => BodyKind::Static,
                };
                body.set_kind(kind).expect("it has a mass");
            }
        }
        (_, Some(entity)) => {
            let spin = Value::F32(3.0 * random.sign());
            let set = world.set(entity, "body.angular_velocity", spin);
            assert!(set.is_ok() || world.body_of(entity).is_none());
        }
        _ => {}
    }
}

/// What is known of the last steps about who follows which body holds until a call changes it, and no longer: several steps are
/// made between such calls, also from frames and saves of other times.
#[test]
fn what_is_known_of_followers_is_never_out_of_date() {
    let run = |executor: &dyn Executor| {
        let (mut world, random) = (world_of(CROWD), &mut Random(5));
        let scene = Scene::parse("test.ron", CROWD).expect("it is one");
        let (frame, save) = (world.frame(), world.save());
        let mut hashes = Vec::new();
        for round in 0..30 {
            match random.below(9) {
                0 => world.restore_frame(&frame),
                1 => world.restore(&save).expect("it is a save"),
                2 => world = world.clone(),
                3 => world = World::from_save(&scene, &world.save()).expect("it is a save"),
                _ => (0..random.below(4)).for_each(|_| change_followers(&mut world, random)),
            }
            for _ in 0..random.below(7) {
                world.step_with(executor);
                check(&world);
            }
            ask(&world, random);
            hashes.push((round, world.state_hash()));
        }
        hashes
    };
    let alone = run(&Inline);
    for workers in [1, 2, 3, 4, 8] {
        let pool = Pool::new(workers).expect("there are threads");
        assert!(run(&pool) == alone, "{workers} workers");
    }
}

/// What several workers wrote is in frames: a world that goes back repeats its steps, and is where it was.
#[test]
fn frames_have_what_workers_wrote() {
    let pool = Pool::new(3).expect("there are threads");
    let mut world = world_of(CROWD);
    let mut rewind = Rewind::new(RewindLimits::default());
    let mut frames = Vec::new();
    for step in 0..12 {
        disturb(&mut world, step);
        world.step_with(&pool);
        frames.push((rewind.save(&mut world), see(&world)));
    }
    for (frame, seen) in frames.iter().rev().step_by(3) {
        rewind.restore(&mut world, *frame).expect("it is kept");
        let now = see(&world);
        assert!(now.hash == seen.hash);
        let sorted = |seen: &Seen| {
            let mut told = seen.told.clone();
            told.sort_by_key(|(entity, _)| *entity);
            told
        };
        assert!(sorted(&now) == sorted(seen));
    }
}
