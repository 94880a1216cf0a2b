//! Agents: they reach their goals in the shipped maze though gates are closed, and go the same way in a restored world.

use std::path::Path;

use tombolo::component::{AGENT, Agent, AgentState};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::physics::Vec2;
use tombolo::threads::Pool;
use tombolo::{Scene, World};

use crate::world_of;

fn maze() -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/maze.ron");
    let text = std::fs::read_to_string(path).unwrap();
    World::from_scene(&Scene::parse("maze.ron", &text).unwrap()).unwrap()
}

fn agent(world: &World, entity: Entity) -> &Agent {
    let agents: &Dense<Agent> = world.manager(AGENT).unwrap();
    agents.newest(entity).unwrap()
}

const WALKERS: [&str; 5] = [
    "north walker",
    "west walker",
    "south walker",
    "east walker",
    "late walker",
];

#[test]
fn walkers_cross_the_maze_while_gates_are_closed() {
    let mut world = maze();
    let walkers = WALKERS.map(|name| world.find(name).unwrap());
    let mut reroutes = 0;
    for _ in 0..3000 {
        let before = walkers.map(|walker| agent(&world, walker).path().to_vec());
        world.step();
        for (walker, before) in walkers.iter().zip(before) {
            let after = agent(&world, *walker).path();
            // A way that is not what was left of the old one.
            reroutes += usize::from(!before.is_empty() && !before.ends_with(after));
        }
    }
    for (name, walker) in WALKERS.iter().zip(walkers) {
        let agent = agent(&world, walker).clone();
        let place = world.pose(walker).unwrap().position;
        let way = world.find_path(place, agent.goal, agent.clearance);
        assert_eq!(
            agent.state(),
            AgentState::Arrived,
            "{name} at {place}, way {way:?}"
        );
        assert!(place.distance(agent.goal) < 0.2, "{name} at {place}");
    }
    let blocks = tombolo::geometry::orthtree::Convex(&[]);
    assert_eq!(world.entities_in(&blocks, Some("block")).len(), 4);
    assert!(reroutes > 0, "no block closed a way");
}

#[test]
fn a_restored_maze_goes_the_same_way() {
    let mut world = maze();
    let mut other = maze();
    let pool = Pool::with_thread_for_each(3).unwrap();
    for round in 0..8 {
        for _ in 0..97 {
            world.step();
        }
        // A wall moves between steps, just before the save.
        let wall = world.find("pillar[2,1]").unwrap();
        let place = Vec2::new(-3.0 + 0.4 * round as f32, 0.0);
        world.set(wall, "transform.position", Value::Vec2(place)).unwrap();
        other.restore(&world.save()).unwrap();
        for step in 0..60 {
            world.step();
            other.step_with(&pool);
            assert_eq!(
                world.state_hash(),
                other.state_hash(),
                "round {round}, step {step}"
            );
        }
    }
}

#[test]
fn agents_without_bodies_walk_too_and_wait_where_no_way_leads() {
    let mut world = world_of(
        r#"(
            entities: {
                "cell": {
                    "body": Body(),
                    "wall": Collider(shape: Chain(points: [(4, 4), (4, -4), (-4, -4), (-4, 4)], closed: true)),
                },
                "ghost": {"mind": Agent(speed: 2, clearance: 0.25)},
            },
            place: [One(name: "cell", entity: "cell"), One(name: "ghost", entity: "ghost", at: (1, 1))],
        )"#,
    );
    let ghost = world.find("ghost").unwrap();
    world.step();
    assert_eq!(agent(&world, ghost).state(), AgentState::Idle);
    world
        .set(ghost, "mind.goal", Value::Vec2(Vec2::new(-2.0, -1.0)))
        .unwrap();
    for _ in 0..130 {
        world.step();
    }
    assert_eq!(world.get(ghost, "mind.arrived"), Ok(Value::Bool(true)));
    world
        .set(ghost, "mind.goal", Value::Vec2(Vec2::new(10.0, 0.0)))
        .unwrap();
    world.step();
    assert_eq!(world.get(ghost, "mind.stuck"), Ok(Value::Bool(true)));
    // The wall goes, and the way is free.
    assert!(world.despawn(world.find("cell").unwrap()));
    for _ in 0..400 {
        world.step();
    }
    assert_eq!(world.get(ghost, "mind.arrived"), Ok(Value::Bool(true)));
}
