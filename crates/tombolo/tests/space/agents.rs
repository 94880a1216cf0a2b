//! Agents: they reach their goals in the shipped maze though gates are closed, and go the same way in a restored world.

use std::path::Path;

use tombolo::component::{AGENT, Agent, AgentState};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::physics::{BodyKind, Pose, Shape, ShapeDef, Vec2};
use tombolo::threads::Pool;
use tombolo::{Scene, World};

use crate::world_of;

pub(crate) fn maze() -> World {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../cli/scenes/maze.ron");
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
            // A path that is not what was left of the old one.
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
    let blocks = tombolo::geometry::orthtree::Convex::new(&[]);
    assert_eq!(world.entities_in(&blocks, Some("block")).len(), 4);
    assert!(reroutes > 0, "no block closed a path");
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
fn agents_without_bodies_walk_too_and_wait_where_no_path_leads() {
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
    // The wall goes, and the path is free.
    assert_eq!(world.despawn(world.find("cell").unwrap()), Ok(()));
    for _ in 0..400 {
        world.step();
    }
    assert_eq!(world.get(ghost, "mind.arrived"), Ok(Value::Bool(true)));
}

/// Walls change in every step, so that all agents need a new path all the time: none is left out for long.
#[test]
fn every_agent_has_its_turn() {
    const AGENTS: usize = 40;
    let mut world = world_of(
        r#"(
            entities: {
                "wall": {"body": Body(), "stone": Collider(shape: Box(width: 1, height: 6))},
                "ghost": {"mind": Agent(goal: (20, 0), speed: 1, clearance: 0.25)},
            },
            place: [
                One(name: "wall", entity: "wall"),
                Row(name: "ghost", entity: "ghost", count: 40, at: (-20, -10), step: (0, 0.5)),
            ],
        )"#,
    );
    let wall = world.find("wall").unwrap();
    let mut planned = [0; AGENTS];
    for step in 0..20 {
        let place = Vec2::new(0.25 * (step % 7) as f32, 0.0);
        world.set(wall, "transform.position", Value::Vec2(place)).unwrap();
        world.step();
        for (ghost, planned) in planned.iter_mut().enumerate() {
            let ghost = world.find(&format!("ghost[{ghost}]")).unwrap();
            *planned = agent(&world, ghost).path().len().max(*planned);
        }
        // Eight in each step.
        if step == 4 {
            assert!(planned.iter().all(|corners| *corners > 0), "{planned:?}");
        }
    }
}

/// A static body, moved or changed through physics and behind the world's back, is a wall where it is now.
#[test]
fn walls_that_physics_moves_turn_agents_back() {
    let scene = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "gate": {"body": Body(), "stone": Collider(shape: Box(width: 1, height: 8))},
            "sign": {"place": Transform(position: (0, 1))},
            "ghost": {"mind": Agent(goal: (10, 0), speed: 3, clearance: 0.25)},
        },
        place: [
            One(name: "gate", entity: "gate", at: (0, 20)),
            One(name: "sign", entity: "sign"),
            One(name: "ghost", entity: "ghost", at: (-10, 0)),
        ],
    )"#;
    let (mut world, mut other) = (world_of(scene), world_of(scene));
    let [gate, sign, ghost] = ["gate", "sign", "ghost"].map(|name| world.find(name).unwrap());
    world
        .set(sign, "place.parent", Value::Entity(Some(gate)))
        .unwrap();
    for _ in 0..30 {
        world.step();
    }
    assert_eq!(agent(&world, ghost).path().len(), 1, "the path is straight");
    let body = world.body_of(gate).unwrap();
    let sign_y = world.pose(sign).unwrap().position.y;
    let physics = world.physics_mut();
    physics
        .body_mut(body)
        .unwrap()
        .teleport(Pose::new(Vec2::new(0.0, 0.0), 0.0))
        .unwrap();
    // Which wall moved is in the save, though no entity knows of it yet.
    other.restore(&world.save()).unwrap();
    assert_eq!(other.state_hash(), world.state_hash());
    assert_eq!(world.pose(gate).unwrap().position.y, 20.0, "not yet");
    let blocked = world.find_path(Vec2::new(-10.0, 0.0), Vec2::new(10.0, 0.0), 0.25);
    assert!(blocked.unwrap().len() > 1, "who asks is told");
    assert_eq!(world.pose(gate).unwrap().position, Vec2::ZERO);
    for step in 0..520 {
        world.step();
        other.step();
        assert_eq!(world.state_hash(), other.state_hash(), "step {step}");
        assert!(step > 0 || agent(&world, ghost).path().len() > 1, "a new path");
        assert_eq!(
            world.pose(sign).unwrap().position.y,
            sign_y - 20.0,
            "a child follows"
        );
        let place = world.pose(ghost).unwrap().position;
        assert!(
            place.x.abs() > 0.74 || place.y.abs() > 4.24,
            "inside the gate: {place}"
        );
    }
    assert_eq!(agent(&world, ghost).state(), AgentState::Arrived);

    // Shapes that come and go behind the world's back count too, and so does the body's end.
    let is_closed = |world: &mut World, y: f32| {
        let way = world
            .find_path(Vec2::new(-5.0, y), Vec2::new(5.0, y), 0.25)
            .unwrap();
        way.len() > 1
    };
    assert!(is_closed(&mut world, 0.0) && !is_closed(&mut world, 30.0));
    let geometry = Shape::box_at(1.0, 4.0, Vec2::new(0.0, 30.0), 0.0).unwrap();
    let physics = world.physics_mut();
    let shape = physics
        .create_shape(body, &ShapeDef::default(), &geometry)
        .unwrap();
    assert!(is_closed(&mut world, 30.0));
    world.physics_mut().destroy_shape(shape).unwrap();
    assert!(!is_closed(&mut world, 30.0));
    world.physics_mut().body_mut(body).unwrap().set_enabled(false);
    assert!(!is_closed(&mut world, 0.0));
    world.physics_mut().body_mut(body).unwrap().set_enabled(true);
    assert!(is_closed(&mut world, 0.0));
    world.physics_mut().destroy_body(body).unwrap();
    assert!(!is_closed(&mut world, 0.0));
}

/// Whether an agent must look for its path anew hangs on what its walls were, not only on what they are.
#[test]
fn a_save_knows_which_walls_physics_took() {
    let scene = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "gate": {"body": Body(), "stone": Collider(shape: Box(width: 1, height: 8))},
            "ghost": {"mind": Agent(goal: (10, 0), speed: 3, clearance: 0.25)},
        },
        place: [
            One(name: "gate", entity: "gate"),
            One(name: "ghost", entity: "ghost", at: (-10, 0)),
        ],
    )"#;
    let take: [fn(&mut World); 3] = [
        |world| {
            let body = world.body_of(world.find("gate").unwrap()).unwrap();
            world.physics_mut().destroy_body(body).unwrap();
        },
        |world| {
            let body = world.body_of(world.find("gate").unwrap()).unwrap();
            let mut body = world.physics_mut().body_mut(body).unwrap();
            body.set_kind(BodyKind::Dynamic).unwrap();
        },
        |world| {
            let body = world.body_of(world.find("gate").unwrap()).unwrap();
            let mut body = world.physics_mut().body_mut(body).unwrap();
            body.set_enabled(false);
        },
    ];
    for (number, take) in take.into_iter().enumerate() {
        let (mut world, mut other) = (world_of(scene), world_of(scene));
        (0..30).for_each(|_| world.step());
        let ghost = world.find("ghost").unwrap();
        assert!(agent(&world, ghost).path().len() > 1, "around the gate");
        take(&mut world);
        other.restore(&world.save()).unwrap();
        assert_eq!(other.state_hash(), world.state_hash(), "taken in way {number}");
        assert_eq!(other.save(), world.save(), "taken in way {number}");
        for step in 0..60 {
            world.step();
            other.step();
            assert_eq!(
                other.state_hash(),
                world.state_hash(),
                "way {number}, step {step}"
            );
        }
    }
}

/// Two who meet head-on in a corridor of a width, after some time: whether each is blocked, and how far it is from its goal.
fn meet(width: f32) -> [(bool, f32); 2] {
    let mut world = world_of(&format!(
        r#"(
            settings: (gravity: (0, 0)),
            materials: {{"ice": (friction: 0)}},
            entities: {{
                "walls": {{
                    "body": Body(),
                    "low": Collider(shape: Box(width: 30, height: 1), position: (0, -{half})),
                    "high": Collider(shape: Box(width: 30, height: 1), position: (0, {half})),
                }},
                "walker": {{
                    "body": Body(kind: Dynamic, fixed_rotation: true, allow_sleep: false),
                    "feet": Collider(shape: Circle(radius: 0.4), material: "ice"),
                    "mind": Agent(speed: 3, clearance: 0.4),
                }},
            }},
            place: [
                One(name: "walls", entity: "walls"),
                One(name: "left", entity: "walker", at: (-10, 0), overrides: {{"mind": (goal: (10, 0))}}),
                One(name: "right", entity: "walker", at: (10, 0), overrides: {{"mind": (goal: (-10, 0))}}),
            ],
        )"#,
        half = 0.5 * width + 0.5,
    ));
    for _ in 0..900 {
        world.step();
    }
    ["left", "right"].map(|name| {
        let walker = world.find(name).unwrap();
        let place = world.pose(walker).unwrap().position;
        let agent = agent(&world, walker);
        let is_blocked = world.get(walker, "mind.blocked") == Ok(Value::Bool(true));
        assert_eq!(is_blocked, agent.is_blocked());
        (is_blocked, place.distance(agent.goal))
    })
}

#[test]
fn agents_that_meet_pass_each_other_where_there_is_space() {
    for width in [2.2, 6.0] {
        for (is_blocked, distance) in meet(width) {
            assert!(
                !is_blocked && distance < 0.2,
                "{distance} m from the goal, corridor of {width} m"
            );
        }
    }
    for (is_blocked, distance) in meet(1.2) {
        assert!(
            is_blocked && distance > 9.0,
            "{distance} m from the goal where there is no room"
        );
    }
}

/// An agent whose goal is walled in stands still and says so; so does one that is walled in itself. Both go on when they can.
#[test]
fn agents_whose_goal_is_walled_in_wait() {
    let mut world = world_of(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {
                "cell": {
                    "body": Body(),
                    "wall": Collider(shape: Chain(points: [(3, 3), (3, -3), (-3, -3), (-3, 3)], closed: true)),
                },
                "walker": {
                    "body": Body(kind: Dynamic, fixed_rotation: true, allow_sleep: false),
                    "feet": Collider(shape: Circle(radius: 0.4)),
                    "mind": Agent(speed: 3, clearance: 0.5),
                },
            },
            place: [
                One(name: "cell", entity: "cell", at: (0, 50)),
                One(name: "in", entity: "walker", at: (-10, 0), overrides: {"mind": (goal: (0, 0))}),
                One(name: "out", entity: "walker", at: (0, -1), overrides: {"mind": (goal: (10, 0))}),
            ],
        )"#,
    );
    let [cell, to_in, to_out] = ["cell", "in", "out"].map(|name| world.find(name).unwrap());
    world.step();
    // The walls come down around the one and the other's goal.
    world
        .set(cell, "transform.position", Value::Vec2(Vec2::ZERO))
        .unwrap();
    for _ in 0..60 {
        world.step();
    }
    let places = [to_in, to_out].map(|walker| world.pose(walker).unwrap().position);
    for _ in 0..120 {
        world.step();
    }
    for (walker, place) in [to_in, to_out].into_iter().zip(places) {
        assert_eq!(agent(&world, walker).state(), AgentState::Stuck);
        assert!(agent(&world, walker).path().is_empty());
        assert!(world.pose(walker).unwrap().position.distance(place) < 0.01);
    }
    assert_eq!(world.despawn(cell), Ok(()));
    for _ in 0..600 {
        world.step();
    }
    for walker in [to_in, to_out] {
        assert_eq!(agent(&world, walker).state(), AgentState::Arrived);
    }
}

/// A block comes down on an agent: it gets out by the nearest side and goes on.
#[test]
fn an_agent_under_a_block_gets_out() {
    let mut world = world_of(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {
                "block": {"body": Body(), "stone": Collider(shape: Box(width: 2.5, height: 2.5))},
                "ghost": {"mind": Agent(goal: (10, 0), speed: 2, clearance: 0.5)},
            },
            place: [
                One(name: "block", entity: "block", at: (0, 50)),
                One(name: "ghost", entity: "ghost", at: (-0.5, 0.25)),
            ],
        )"#,
    );
    let [block, ghost] = ["block", "ghost"].map(|name| world.find(name).unwrap());
    world
        .set(block, "transform.position", Value::Vec2(Vec2::ZERO))
        .unwrap();
    world.step();
    let path = agent(&world, ghost).path().to_vec();
    assert!(path[0].x < -1.7 && (path[0].y - 0.25).abs() < 0.1, "{path:?}");
    assert!(path.len() > 2, "around the block: {path:?}");
    for _ in 0..600 {
        world.step();
    }
    assert_eq!(agent(&world, ghost).state(), AgentState::Arrived);
}

/// Several with one goal: the first is there, and whoever cannot pass those that are has arrived too. None pushes for ever.
#[test]
fn agents_with_one_goal_gather_around_it() {
    const COUNT: usize = 24;
    let mut world = world_of(
        r#"(
            settings: (gravity: (0, 0)),
            materials: {"ice": (friction: 0)},
            entities: {
                "walker": {
                    "body": Body(kind: Dynamic, fixed_rotation: true, allow_sleep: false),
                    "feet": Collider(shape: Circle(radius: 0.4), material: "ice"),
                    "mind": Agent(goal: (0, 0), speed: 3, clearance: 0.4),
                },
            },
            place: [Grid(name: "walker", entity: "walker", at: (-12, -5), columns: 4, rows: 6, column_step: (8, 0), row_step: (0, 2))],
        )"#,
    );
    for _ in 0..900 {
        world.step();
    }
    let walkers: Vec<_> = world.entities().entities().iter().collect();
    assert_eq!(walkers.len(), COUNT);
    let places = |world: &World| -> Vec<Vec2> {
        let place = |walker: &Entity| world.pose(*walker).unwrap().position;
        walkers.iter().map(place).collect()
    };
    let before = places(&world);
    for walker in &walkers {
        let place = world.pose(*walker).unwrap().position;
        assert_eq!(agent(&world, *walker).state(), AgentState::Arrived, "at {place}");
        // 24 discs of 0.4 m fill one of 2 m at best.
        assert!(place.length() < 4.0, "{place} is far from the goal");
    }
    for _ in 0..120 {
        world.step();
    }
    for (before, after) in before.iter().zip(places(&world)) {
        assert!(before.distance(after) < 0.05, "from {before} to {after}");
    }
}

#[test]
fn a_speed_that_is_none_is_a_fault_and_moves_nobody() {
    for body in [
        "",
        r#""body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.3)),"#,
    ] {
        let mut world = world_of(&format!(
            r#"(settings: (gravity: (0, 0)), entities: {{"walker": {{{body} "agent": Agent(goal: (5, 0))}}}},
                place: [One(name: "walker", entity: "walker")])"#
        ));
        let walker = world.find("walker").unwrap();
        for speed in [f32::NAN, f32::INFINITY, -1.0, 1.0e9] {
            let agents: &mut Dense<Agent> = world.manager_mut(AGENT).unwrap();
            agents.newest_mut(walker).unwrap().speed = speed;
            world
                .set(walker, "agent.goal", Value::Vec2(Vec2::new(5.0, 0.0)))
                .unwrap();
            world.step();
            assert_eq!(world.pose(walker).unwrap().position, Vec2::ZERO);
        }
        assert_eq!(world.faults().len(), 4, "{:?}", world.faults());
        assert!(world.faults()[0].contains("its speed is NaN; it must be from 0 to 1000"));
    }
}

#[test]
fn an_agent_that_was_shoved_behind_a_wall_finds_another_way() {
    let mut world = world_of(
        r#"(
            settings: (gravity: (0, 0)),
            entities: {
                "wall": {"body": Body(), "stone": Collider(shape: Box(width: 1, height: 12))},
                "walker": {
                    "body": Body(kind: Dynamic, fixed_rotation: true, allow_sleep: false),
                    "feet": Collider(shape: Circle(radius: 0.4)),
                    "mind": Agent(goal: (6, 0), speed: 4, clearance: 0.5),
                },
            },
            place: [
                One(name: "wall", entity: "wall"),
                One(name: "walker", entity: "walker", at: (-3, -2)),
            ],
        )"#,
    );
    let walker = world.find("walker").unwrap();
    // It is past the southern end of the wall and sees its goal.
    while agent(&world, walker).path().len() != 1 {
        world.step();
        assert!(world.physics().step_index() < 600, "it comes around the wall");
    }
    world
        .set(walker, "transform.position", Value::Vec2(Vec2::new(-2.0, 1.0)))
        .unwrap();
    for _ in 0..600 {
        world.step();
    }
    assert_eq!(agent(&world, walker).state(), AgentState::Arrived);
    assert!(world.pose(walker).unwrap().position.distance(Vec2::new(6.0, 0.0)) < 0.2);
}

#[test]
fn an_agent_that_is_disabled_or_removed_on_its_way_stops() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {
            "guard": {"body": Body(kind: Kinematic), "feet": Collider(shape: Circle(radius: 0.5)), "legs": Agent(speed: 3)},
        },
        place: [One(name: "guard", entity: "guard")],
    )"#;
    let mut walking = World::from_scene(&Scene::parse("guard.ron", text).unwrap()).unwrap();
    let guard = walking.find("guard").unwrap();
    let at = |world: &World| world.pose(guard).unwrap().position;
    let goal = Vec2::new(10.0, 0.0);
    walking.set(guard, "legs.goal", Value::Vec2(goal)).unwrap();
    (0..30).for_each(|_| walking.step());
    let mut disabled = walking.clone();
    disabled.set(guard, "legs.enabled", Value::Bool(false)).unwrap();
    let mut removed = walking.clone();
    removed.remove_component(guard, "legs").unwrap();
    for world in [&mut disabled, &mut removed] {
        world.step();
        let there = at(world);
        (0..600).for_each(|_| world.step());
        assert_eq!(at(world), there);
    }
    // What else moves the body while the agent is disabled, is not stopped.
    let aside = Value::Vec2(Vec2::new(0.0, 1.0));
    disabled.set(guard, "body.linear_velocity", aside).unwrap();
    (0..60).for_each(|_| disabled.step());
    assert!((at(&disabled).y - 1.0).abs() < 0.01, "{}", at(&disabled));
    disabled.set(guard, "legs.enabled", Value::Bool(true)).unwrap();
    (0..300).for_each(|_| disabled.step());
    assert_eq!(agent(&disabled, guard).state(), AgentState::Arrived);
    assert!(at(&disabled).distance(goal) < 0.1, "{}", at(&disabled));
}
