//! What scripts pay for paths and free space: the work of searches, clearances that nobody asked for before, walls that
//! move.

use tombolo::{Scene, World};

use crate::scene_text;

#[test]
fn free_space_of_more_clearances_than_a_game_has_is_charged() {
    let path = |clearance: &str| format!("find_path(vec2(-50, 20), vec2(50, 30), {clearance});");
    let fault = "made more than 100000 operations in one call";
    // Each is made once; a save knows which scripts have asked for.
    let script = format!(
        "fn on_tick(seconds) {{ for i in 0..14 {{ {} }} }}",
        path("0.5 + 0.01 * i")
    );
    let posts = r#"Grid(name: "post", entity: "post", at: (-152, -152), columns: 20, rows: 20, column_step: (16, 0), row_step: (0, 16)),"#;
    let text = scene_text(&script)
        .replacen("place: [", &format!("place: [{posts}"), 1)
        .replacen(
            "entities: {",
            r#"entities: {"post": {"body": Body(), "stone": Collider(shape: Box(width: 3, height: 3))},"#,
            1,
        );
    let scene = Scene::parse("test.ron", &text).expect("the scene is sound");
    let mut world = World::from_scene(&scene).expect("the scene is sound");
    world.step();
    assert!(
        world.faults().iter().any(|line| line.ends_with(fault)),
        "{:?}",
        world.faults()
    );

    // Four clearances are the game's own, again and again, and in a restored world too.
    let four = format!(
        "fn on_tick(seconds) {{ for i in 0..4 {{ {} }} this.ran = true; }}",
        path("0.5 + 0.01 * i")
    );
    let text = text.replacen(&script, &four, 1);
    let scene = Scene::parse("test.ron", &text).expect("the scene is sound");
    let mut world = World::from_scene(&scene).expect("the scene is sound");
    for _ in 0..3 {
        world.step();
    }
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let mut again = World::from_scene(&scene).expect("the scene is sound");
    again.restore(&world.save()).expect("its own save");
    assert_eq!(again.state_hash(), world.state_hash());
    world.step();
    again.step();
    assert_eq!(again.state_hash(), world.state_hash());
    assert_eq!(again.faults(), &[] as &[Box<str>]);
}

/// Four hundred posts, a room without a door, and a script of the ball that does this once.
fn world_of_posts(operations: u64, body: &str) -> World {
    let place = r#"place: [
        One(name: "room", entity: "room", at: (0, 220)),
        Grid(name: "post", entity: "post", at: (-152, -152), columns: 20, rows: 20, column_step: (16, 0), row_step: (0, 15)),"#;
    let entities = r#"entities: {
        "post": {"body": Body(), "stone": Collider(shape: Box(width: 7, height: 7))},
        "room": {
            "body": Body(),
            "a": Collider(shape: Box(width: 40, height: 1), position: (0, -20)),
            "b": Collider(shape: Box(width: 40, height: 1), position: (0, 20)),
            "c": Collider(shape: Box(width: 1, height: 41), position: (-20, 0)),
            "d": Collider(shape: Box(width: 1, height: 41), position: (20, 0)),
        },"#;
    let text = scene_text(&format!("fn on_tick(s) {{ {body} }}"))
        .replacen("entities: {", entities, 1)
        .replacen("place: [", place, 1)
        .replacen(
            "seed: 3",
            &format!("seed: 3, script_limits: (operations_per_call: {operations})"),
            1,
        );
    let scene = Scene::parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

/// The operations that a call makes: the least limit that it stays within.
fn operations_of(body: &str) -> u64 {
    let (mut less, mut enough) = (100, 1_000_000);
    while enough - less > 1 {
        let limit = u64::midpoint(less, enough);
        if first_fault(world_of_posts(limit, body)).is_empty() {
            enough = limit;
        } else {
            less = limit;
        }
    }
    enough
}

/// Long searches, and searches that end at a check whether there is a way at all.
#[test]
fn a_path_costs_the_work_of_its_search() {
    let [near, far, no_way] = ["vec2(-150, -143)", "vec2(158, 142)", "vec2(0, 220)"]
        .map(|goal| format!("find_path(vec2(-160, -144), {goal}, 0.5);"));
    let costs = [&near, &far, &no_way].map(|body| operations_of(body));
    let [near_cost, far_cost, no_way_cost] = costs;
    assert!(far_cost > near_cost + 3000, "{costs:?}");
    assert!(no_way_cost > near_cost + 1000, "{costs:?}");
    // Walls do not move within a stage, so that the check is paid once, and costs what it would in a restored world.
    let twice = operations_of(&format!("{no_way} {no_way}"));
    let second = twice - no_way_cost;
    assert!(second + 500 < no_way_cost, "{no_way_cost}, then {second}");
    let script = format!("{far} {no_way} {no_way}");
    let mut world = world_of_posts(100_000, &script);
    world.step();
    let mut restored = world_of_posts(100_000, &script);
    restored.restore(&world.save()).expect("its own save");
    for _ in 0..2 {
        world.step();
        restored.step();
        assert_eq!(world.state_hash(), restored.state_hash());
    }
    // A search ends when the call may do no more.
    let fault = first_fault(world_of_posts(far_cost - 1000, &far));
    assert!(fault.ends_with("operations in one call"), "{fault}");
}

/// A world with an agent, a long slanted wall, and a script of the ball.
fn world_of_walkers(settings: &str, script: &str) -> World {
    let text = scene_text(script)
        .replacen("seed: 3", &format!("seed: 3, {settings}"), 1)
        .replacen(
            "\"mine\": {",
            "\"wall\": {\"body\": Body(), \"stone\": Collider(shape: Box(width: 8, height: 1))}, \"mine\": {",
            1,
        )
        .replacen(
            "\"mind\": Script(name: \"s\"),",
            "\"mind\": Script(name: \"s\"), \"walker\": Agent(clearance: 0.25),",
            1,
        )
        .replacen(
            "One(name: \"ball\"",
            "One(name: \"wall\", entity: \"wall\", at: (0, 50), angle: 0.5), One(name: \"ball\"",
            1,
        );
    let scene = Scene::parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

fn first_fault(mut world: World) -> String {
    world.step();
    world
        .faults()
        .first()
        .map(ToString::to_string)
        .unwrap_or_default()
}

#[test]
fn an_agents_clearance_costs_what_its_free_space_does() {
    let limit = "script_limits: (operations_per_call: 10000)";
    // The first four are the world's to make.
    let few = "fn on_tick(s) { for i in 0..4 { me().set(\"walker.clearance\", 0.3 + 0.01 * i); } }";
    assert_eq!(first_fault(world_of_walkers(limit, few)), "");
    let many = "fn on_tick(s) { for i in 0..200 { me().set(\"walker.clearance\", 0.3 + 0.001 * i); } }";
    let got = first_fault(world_of_walkers(limit, many));
    assert!(
        got.ends_with("made more than 10000 operations in one call"),
        "{got}"
    );
    let spawned = "fn on_tick(s) { for i in 0..60 {
        spawn_entity(\"ball\", #{position: vec2(i, 20), set: #{\"walker.clearance\": 0.3 + 0.001 * i}}); } }";
    let got = first_fault(world_of_walkers(limit, spawned));
    assert!(
        got.ends_with("made more than 10000 operations in one call"),
        "{got}"
    );
    // A name of the same spelling elsewhere costs nothing.
    let other =
        "fn on_tick(s) { for i in 0..200 { me().set(\"body.linear_velocity.x\", 0.3 + 0.001 * i); } }";
    assert_eq!(first_fault(world_of_walkers(limit, other)), "");
}

#[test]
fn a_wall_that_moves_costs_what_following_it_does() {
    let moving =
        "fn on_tick(s) { for i in 0..100 { find(\"wall\").set(\"transform.position\", vec2(0, 50 + i)); } }";
    let limit = "script_limits: (operations_per_call: 40000)";
    let got = first_fault(world_of_walkers(limit, moving));
    let message = "asked for changes that cost more than 40000 operations; the rest was left out";
    assert!(got.ends_with(message), "{got}");
    let spawning = "fn on_tick(s) { for i in 0..60 { spawn_entity(\"wall\", #{position: vec2(0, 60 + i), angle: 0.3}); } }";
    let got = first_fault(world_of_walkers(limit, spawning));
    assert!(got.ends_with(message), "{got}");
    // Once is within what a call may cost, and so is what moves no wall.
    let once = "fn on_tick(s) { find(\"wall\").set(\"transform.position\", vec2(0, 60)); }";
    assert_eq!(first_fault(world_of_walkers(limit, once)), "");
    let ball = "fn on_tick(s) { for i in 0..900 { me().set(\"transform.position\", vec2(0, 50 + i)); } }";
    assert_eq!(first_fault(world_of_walkers(limit, ball)), "");
}

#[test]
fn a_change_that_costs_more_than_is_left_is_not_begun() {
    let moving = "fn on_tick(s) { find(\"wall\").set(\"transform.position\", vec2(0, 60)); }";
    let mut world = world_of_walkers("script_limits: (operations_per_call: 300)", moving);
    world.step();
    assert_eq!(world.faults().len(), 1);
    let wall = world.find("wall").expect("the scene placed it");
    assert_eq!(world.pose(wall).expect("it has a place").position.y, 50.0);
}
