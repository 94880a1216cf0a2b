//! The stages `poses` and `space` on many workers: Transforms, the list of what moved, boxes and the order in which they are
//! found are those of one thread, frames have every change, and nothing is followed that is nobody's.

use tombolo::World;
use tombolo::entity::Entity;
use tombolo::geometry::orthtree::Bounds;
use tombolo::geometry::{Pose, Position};
use tombolo::physics::{Rewind, RewindLimits, Vec2};
use tombolo::threads::{Executor, Inline, Pool};

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

fn run(executor: &dyn Executor) -> Vec<Seen> {
    let mut world = world_of(CROWD);
    let seen = (0..24).map(|step| {
        disturb(&mut world, step);
        world.step_with(executor);
        check(&world);
        see(&world)
    });
    seen.collect()
}

/// Each entity with a body of its own stands where that is, and its box is around its shapes.
fn check(world: &World) {
    for entity in world.entities().entities().iter() {
        let body = world.body_of(entity).and_then(|body| world.physics().body(body));
        let alone = body.filter(|body| body.members().next().is_none());
        if let Some(body) = alone.filter(|body| body.user_key() == entity.to_bits()) {
            assert_eq!(world.pose(entity), Some(body.pose()), "{entity:?}");
            let bounds = body.aabb().map(Bounds::from);
            assert_eq!(world.space().bounds(entity), bounds, "{entity:?}");
        }
    }
}

#[test]
fn what_follows_bodies_is_the_same_for_any_number_of_workers() {
    let alone = run(&Inline);
    let twice = |seen: &Seen| {
        let mut moved = seen.moved.clone();
        moved.sort_unstable();
        moved.windows(2).any(|two| two[0] == two[1])
    };
    assert!(alone.iter().any(twice), "no entity was listed twice");
    assert!(alone.iter().all(|seen| seen.moved.len() > 700));
    for workers in [1, 2, 3, 4, 8] {
        let pool = Pool::new(workers).expect("there are threads");
        assert!(run(&pool) == alone, "{workers} workers");
        assert!(run(&LastFirst(workers)) == alone, "{workers} in turn");
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
