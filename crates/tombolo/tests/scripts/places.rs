//! What scripts ask of space: right answers, words for what cannot be, and the same in a restored world.

use tombolo::entity::Value;
use tombolo::geometry::orthtree::Ball;
use tombolo::physics::{Pose, Vec2};
use tombolo::threads::Pool;
use tombolo::{Scene, SpawnDef, World};

use super::{fault, script, state_after};

#[test]
fn areas_and_the_nearest_are_found() {
    let state = state_after(
        1,
        "fn names(list) { list.map(|e| name_of(e)) }
         fn on_spawn() {
            this.box = names(entities_in_box(vec2(4, 0), vec2(9, 3)));
            this.wood = names(entities_in_box(vec2(4, 0), vec2(9, 3), \"wood\"));
            this.circle = names(entities_in_circle(vec2(5, 0.5), 1, \"wood\"));
            this.all = names(entities_in_circle(vec2(5, 0.5), 2.4));
            this.none = entities_in_circle(vec2(5, 9), 1.5);
            this.near = names(nearest(vec2(0, 9), 1));
            this.nearest_wood = names(nearest(vec2(7, 9), 2, \"wood\"));
            this.more_than_there_are = nearest(vec2(7, 9), 99, \"wood\").len();
            this.nobody = nearest(vec2(7, 9), 0);
        }",
    );
    assert_eq!(
        state,
        "#{all: [\"floor\", \"crate[0]\"], box: [\"floor\", \"crate[0]\", \"crate[1]\"], circle: [\"crate[0]\"], \
         more_than_there_are: 2, near: [\"ball\"], nearest_wood: [\"crate[1]\", \"crate[0]\"], nobody: [], none: [], \
         wood: [\"crate[0]\", \"crate[1]\"]}"
    );
}

/// A closed room with a wall in it, and somebody who looks for a path.
fn maze(script: &str) -> World {
    let text = format!(
        r##"(
            settings: (gravity: (0, 0), seed: 5),
            scripts: {{"seek": r#"{script}"#}},
            entities: {{
                "room": {{
                    "body": Body(),
                    "wall": Collider(shape: Chain(points: [(9, 9), (9, -9), (-9, -9), (-9, 9)], closed: true)),
                }},
                "wall": {{"body": Body(), "stone": Collider(shape: Box(width: 1, height: 10))}},
                "stone": {{
                    "body": Body(kind: Dynamic), "skin": Collider(shape: Box(width: 1, height: 1)), "loose": Tag(),
                }},
                "seeker": {{"mind": Script(name: "seek")}},
            }},
            place: [
                One(name: "room", entity: "room"),
                One(name: "wall", entity: "wall"),
                Grid(name: "stone", entity: "stone", at: (-7, 6), columns: 4, rows: 2, column_step: (4, 0), row_step: (0.3, 1)),
                One(name: "seeker", entity: "seeker", at: (-6, 0)),
            ],
        )"##
    );
    World::from_scene(&Scene::parse("maze.ron", &text).unwrap()).unwrap()
}

fn state_of(world: &World) -> String {
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    script(world, "seeker").state().to_string()
}

#[test]
fn a_script_gets_the_path_that_the_world_finds() {
    let mut world = maze(
        "fn on_tick(s) {
            let way = find_path(me().get(\"transform.position\"), vec2(6, 0), 0.5);
            this.corners = way.corners;
            this.failure = way.failure;
        }",
    );
    let goal = Vec2::new(6.0, 0.0);
    let way = world.find_path(Vec2::new(-6.0, 0.0), goal, 0.5).unwrap();
    assert!(way.len() >= 2 && way.last() == Some(&goal), "{way:?}");
    world.step();
    let corners: Vec<String> = way
        .iter()
        .map(|corner| format!("vec2({:?}, {:?})", corner.x, corner.y))
        .collect();
    assert_eq!(
        state_of(&world),
        format!("#{{corners: [{}], failure: ()}}", corners.join(", "))
    );
}

#[test]
fn a_path_that_does_not_exist_has_a_word_that_says_why() {
    let mut world = maze(
        "fn on_tick(s) {
            let why = |start, goal| find_path(start, goal, 0.5).failure;
            let a = vec2(-6, 0);
            this.start = why.call(vec2(0.2, 0), vec2(6, 0));
            this.goal = why.call(a, vec2(0.2, 0));
            this.out = why.call(a, vec2(12, 0));
            this.outside = why.call(a, vec2(100000, 0));
            this.nowhere = why.call(a, vec2(0.0 / 0.0, 0));
            this.corners = find_path(a, vec2(12, 0), 0.5).corners;
        }",
    );
    world.step();
    assert_eq!(
        state_of(&world),
        "#{corners: [], goal: \"GoalInWall\", nowhere: \"Outside\", out: \"Unreachable\", outside: \"Outside\", \
         start: \"StartInWall\"}"
    );
}

#[test]
fn questions_without_sense_are_errors() {
    let of_line = |line: &str| fault(&format!("fn on_tick(seconds) {{\n    {line}\n}}"));
    for (line, message) in [
        (
            "entities_in_box(vec2(1, 0), vec2(0, 0));",
            "entities_in_box: [1, 0] to [0, 0] is no box",
        ),
        (
            "entities_in_circle(vec2(1, 0), -1);",
            "entities_in_circle: there is no circle around [1, 0] with a radius of -1",
        ),
        (
            "entities_in_circle(vec2(1, 0), \"wide\");",
            "entities_in_circle: the radius is a number, not a text",
        ),
        ("nearest(vec2(1, 0), -1);", "nearest: the count is from 0 to 1000"),
        ("nearest(vec2(1, 0.0 / 0.0), 1);", "nearest: [1, NaN] is no place"),
        (
            "find_path(vec2(0, 9), vec2(1, 9), -1);",
            "find_path: the clearance is -1; it must be from 0 to 1000",
        ),
        (
            "find_path(vec2(0, 9), vec2(1, 9), ());",
            "find_path: the clearance is a number, not nothing",
        ),
        (
            "loop { find_path(vec2(0, 9), vec2(1, -9), 0.5); }",
            "made more than 100000 operations in one call",
        ),
    ] {
        let told = of_line(line);
        assert!(told.ends_with(message), "{told}");
    }
}

/// Asks all that can be asked in each step, and remembers a part of it.
const ASKS: &str = "
    fn on_spawn() { this.seen = []; }
    fn on_tick(s) {
        let here = me().get(\"transform.position\");
        this.near = nearest(here, 3, \"loose\");
        this.seen = entities_in_circle(here, 6).map(|e| name_of(e));
        this.count = entities_in_box(vec2(-9, -9), vec2(0, 9), \"loose\").len();
        this.way = find_path(here, vec2(6, 5), 0.25);
        for stone in this.near {
            stone.apply_impulse(vec2(random(-1.0, 1.0), random(-1.0, 1.0)));
        }
        if this.way.corners.len() > 0 {
            me().set(\"transform.position\", here + (this.way.corners[0] - here) * 0.05);
        }
        if random() < 0.2 {
            find(\"wall\").set(\"transform.position\", vec2(random(-1.0, 1.0), random(-3.0, 3.0)));
        }
    }";

#[test]
fn a_restored_world_answers_its_scripts_alike() {
    let (mut world, mut other) = (maze(ASKS), maze(ASKS));
    let pool = Pool::with_thread_for_each(3).unwrap();
    for round in 0..12 {
        // Before the first path of the restored world the other one has its free space; a wall moves just before.
        let place = Value::Vec2(Vec2::new(0.1 * round as f32, 0.5));
        let wall = world.find("wall").unwrap();
        world.set(wall, "transform.position", place).unwrap();
        other.restore(&world.save()).unwrap();
        for step in 0..20 {
            world.step();
            other.step_with(&pool);
            assert_eq!(state_of(&world), state_of(&other), "round {round}, step {step}");
            assert_eq!(world.state_hash(), other.state_hash());
        }
    }
    assert!(world.pose(world.find("seeker").unwrap()).unwrap().position.x > -5.0);
}

#[test]
fn zones_call_their_scripts_and_answer_all_of_them() {
    let text = r##"(
        settings: (gravity: (0, 0), seed: 5),
        scripts: {
            "guard": r#"fn on_spawn() { this.log = []; }
                fn on_enter(other, zone) { this.log.push(`+${name_of(other)} ${zone}`); this.now = visitors_of(me()).len(); }
                fn on_leave(other, zone) { this.log.push(`-${name_of(other)} ${zone}`); this.now = visitors_of(me()).len(); }"#,
            "walk": r#"fn on_tick(s) { this.here = zones_of(me()).len(); this.there = zones_at(vec2(0, 3)).map(|z| name_of(z)); }"#,
        },
        entities: {
            "court": {
                "yard": Zone(shape: Outline(points: [(-2, -1), (2, -1), (2, 4), (-2, 4)])), "mind": Script(name: "guard"),
            },
            "ball": {
                "body": Body(kind: Dynamic, linear_velocity: (15, 0)), "skin": Collider(shape: Circle(radius: 0.1)),
                "mind": Script(name: "walk"),
            },
        },
        place: [One(name: "court", entity: "court"), One(name: "ball", entity: "ball", at: (-3, 0))],
    )"##;
    let mut world = World::from_scene(&Scene::parse("court.ron", text).unwrap()).unwrap();
    let mut here = Vec::new();
    for _ in 0..30 {
        world.step();
        let state = script(&world, "ball").state().to_string();
        here.push(state.contains("here: 1"));
        assert!(state.contains("there: [\"court\"]") || here.len() == 1, "{state}");
    }
    let inside = here.iter().filter(|is_here| **is_here).count();
    assert_eq!(
        inside, 17,
        "4 m at a quarter of a meter a step, borders included: {here:?}"
    );
    assert_eq!(
        script(&world, "court").state().to_string(),
        "#{log: [\"+ball yard\", \"-ball yard\"], now: 0}"
    );
}

#[test]
fn what_a_handler_moves_is_found_there_after_the_step() {
    let text = r##"(
        scripts: {"push": r#"fn on_begin_touch(other) { tagged("lamp")[0].set("transform.position", vec2(50, 0)); }"#},
        entities: {
            "lamp": {"glow": Sprite(size: (1, 1)), "lamp": Tag()},
            "fan": {"breeze": Sprite()},
            "floor": {
                "body": Body(), "top": Collider(shape: Box(width: 9, height: 2), position: (0, -1)), "mind": Script(name: "push"),
            },
            "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))},
        },
        place: [
            One(name: "lamp", entity: "lamp"), One(name: "fan", entity: "fan", at: (0, 20)),
            One(name: "floor", entity: "floor"), One(name: "ball", entity: "ball", at: (0, 0.499)),
        ],
    )"##;
    let mut world = World::from_scene(&Scene::parse("lamp.ron", text).unwrap()).unwrap();
    let there = Ball {
        center: [50.0, 0.0],
        radius: 1.0,
    };
    let lamp = world.find("lamp").unwrap();
    world.step();
    assert_eq!(world.pose(lamp).unwrap().position, Vec2::new(50.0, 0.0));
    assert_eq!(world.space().find(&there), [lamp], "after the step");
    world.set_text("fan.transform.position=(0, 30)").unwrap();
    world.step();
    assert_eq!(world.space().find(&there), [lamp], "and when others have moved");
}

/// A lake, and a boat whose ticks ask for zones and go on what they hear; gates come, go and move between the steps.
const LAKE: &str = r##"(
    settings: (gravity: (0, 0)),
    scripts: {"swim": r#"
        fn on_spawn() { this.log = []; }
        fn on_tick(s) {
            this.log.push([zones_of(me()).len(), zones_at(vec2(0, 0)).len(), zones_at(vec2(40, 0)).len()]);
            if zones_of(me()).len() > 0 { set(me(), "body.linear_velocity", vec2(1, 0)); }
        }
    "#},
    entities: {
        "lake": {"water": Zone(shape: Box(width: 20, height: 20))},
        "boat": {
            "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5)), "mind": Script(name: "swim"),
        },
    },
    place: [One(name: "lake", entity: "lake"), One(name: "boat", entity: "boat")],
)"##;

fn log_of(world: &World) -> String {
    script(world, "boat").state().to_string()
}

#[test]
fn a_restored_world_tells_scripts_and_callers_the_zones_at_once() {
    let scene = Scene::parse("lake.ron", LAKE).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    world.step();
    let (lake, boat) = (world.find("lake").unwrap(), world.find("boat").unwrap());
    let mut other = World::from_save(&scene, &world.save()).unwrap();
    assert_eq!(other.zones_of(boat), [lake]);
    assert_eq!(other.zones_at(Vec2::ZERO), [lake]);
    for step in 0..3 {
        world.step();
        other.step();
        assert_eq!(log_of(&world), log_of(&other), "step {step}");
        assert_eq!(other.state_hash(), world.state_hash(), "step {step}");
    }
    assert!(
        world.pose(boat).unwrap().position.x > 0.0,
        "the script saw the lake"
    );
}

#[test]
fn zones_that_calls_have_moved_are_there_for_the_next_tick() {
    let scene = Scene::parse("lake.ron", LAKE).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let mut other = World::from_scene(&scene).unwrap();
    let lake = world.find("lake").unwrap();
    for (round, x) in [0.0, 40.0, 20.0, 40.0, 0.0].into_iter().enumerate() {
        world.teleport(lake, Pose::new(Vec2::new(x, 0.0), 0.0)).unwrap();
        if round == 3 {
            world.spawn("lake", &SpawnDef::default()).unwrap();
        }
        other.restore(&world.save()).unwrap();
        for _ in 0..2 {
            world.step();
            other.step();
            assert_eq!(log_of(&world), log_of(&other), "round {round}");
            assert_eq!(other.state_hash(), world.state_hash(), "round {round}");
        }
    }
    // In the boat's first tick it is in no zone yet: visitors are of the last step.
    assert_eq!(
        log_of(&world),
        "#{log: [[0, 1, 0], [1, 1, 0], [1, 0, 1], [0, 0, 1], [0, 0, 0], [0, 0, 0], [0, 1, 1], [1, 1, 1], [1, 2, 0], [2, 2, 0]]}"
    );
}

#[test]
fn the_first_zone_of_a_world_is_there_for_the_tick_after_the_handler_that_spawned_it() {
    let text = r##"(
        scripts: {"dig": r#"
            fn on_spawn() { this.log = []; }
            fn on_tick(s) { this.log.push(zones_at(vec2(0, 0)).len()); }
            fn on_begin_touch(other) { spawn_entity("lake"); }
        "#},
        entities: {
            "lake": {"water": Zone(shape: Box(width: 20, height: 20))},
            "floor": {
                "body": Body(), "top": Collider(shape: Box(width: 9, height: 2), position: (0, -1)), "mind": Script(name: "dig"),
            },
            "ball": {"body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5))},
        },
        place: [One(name: "boat", entity: "floor"), One(name: "ball", entity: "ball", at: (0, 0.52))],
    )"##;
    let scene = Scene::parse("dig.ron", text).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    for step in 0..12 {
        let mut other = World::from_save(&scene, &world.save()).unwrap();
        world.step();
        other.step();
        assert_eq!(log_of(&world), log_of(&other), "step {step}");
        assert_eq!(other.state_hash(), world.state_hash(), "step {step}");
    }
    assert!(log_of(&world).contains("0, 1"), "{}", log_of(&world));
}
