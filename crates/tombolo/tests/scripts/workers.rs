//! Ticks that are called on several workers: states, messages and printed lines are those of one thread, whoever calls
//! whom, and whatever a call asks for, exceeds or fails at.

use tombolo::threads::{Executor, Pool};
use tombolo::{GraphTrace, Scene, World};

use crate::last_first::LastFirst;

/// Scripts of many kinds: that draw random numbers or find paths, which have to wait for their turn; that print, spawn, fail
/// after a while, go on for ever, call themselves too deeply, or read what others remember; and one whose components
/// contain it. Six of each, in rows.
const KINDS: [(&str, &str); 10] = [
    ("counts", "fn on_tick(seconds) { this.n = (this.n ?? 0) + 1; }"),
    (
        "draws",
        "fn on_spawn() { this.first = random(); repeat_timer(`again`, 0.05); }
         fn on_tick(seconds) { if time() > 0.1 { me().set(`body.angular_velocity`, random(-3.0, 3.0)); } }
         fn on_timer(name) { this.last = random_int(0, 99); }",
    ),
    (
        "draws and fails",
        "fn on_tick(seconds) { this.n = (this.n ?? 0) + 1; let x = random(); if this.n > 4 { throw `at ${x}`; } }",
    ),
    (
        "catches",
        "fn on_tick(seconds) { try { this.x = random(); } catch { this.caught = true; } }",
    ),
    (
        "prints",
        "fn on_tick(seconds) { print(`${me()} at ${time()}`); if time() > 0.2 && time() < 0.22 { fail(); } }
         fn fail() { let list = [1]; list[7] }",
    ),
    (
        "spawns",
        "fn on_tick(seconds) { this.n = (this.n ?? 0) + 1;
             if this.n % 9 == 0 { spawn_entity(`crate`, #{position: vec2(this.n, 30)}); } }",
    ),
    (
        "walks",
        "fn on_tick(seconds) { let way = find_path(me().get(`transform.position`), vec2(40, 3), 0.25);
             this.corners = way.corners.len(); }",
    ),
    ("loops", "fn on_tick(seconds) { if time() > 0.15 { loop { } } }"),
    (
        "goes deep",
        "fn on_tick(seconds) { this.n = down(20); if time() > 0.25 { down(200); } }
         fn down(n) { if n == 0 { return 0; } 1 + down(n - 1) }",
    ),
    (
        "reads others",
        "fn on_tick(seconds) { this.n = (this.n ?? 0) + 1; this.seen = 0;
             for e in tagged(`minded`) { this.seen += e.get(`mind.state`).len(); } }",
    ),
];

fn scene(limits: &str) -> Scene {
    let mut scripts = String::new();
    let mut entities = String::new();
    let mut place = String::new();
    for (row, (name, text)) in KINDS.iter().enumerate() {
        let body =
            r#""body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.3)), "minded": Tag()"#;
        scripts += &format!("{name:?}: r#\"{text}\"#,\n");
        entities += &format!("{name:?}: {{{body}, \"mind\": Script(name: {name:?})}},\n");
        place += &format!("Row(name: {name:?}, entity: {name:?}, at: (0, {row}), count: 6, step: (2, 0)),\n");
    }
    let text = format!(
        r##"(
        settings: (seed: 7, gravity: (0, 0), script_limits: ({limits})),
        scripts: {{{scripts}}},
        graphs: {{"beats": (nodes: {{
            "tick": On(event: "tick", then: "say"),
            "say": Print(value: "@sum"),
            "sum": Calculate(operator: "+", of: [1, 2]),
        }})}},
        entities: {{
            {entities}
            "crate": {{"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))}},
            "drummer": {{"mind": Script(name: "beats")}},
            "own": {{"mind": Script(text: "fn on_tick(seconds) {{ this.t = time(); }}")}},
        }},
        place: [{place}
            Row(name: "drummer", entity: "drummer", count: 4, step: (2, 0)),
            Row(name: "own", entity: "own", count: 4, step: (2, 0)),
        ],
    )"##
    );
    Scene::parse("workers.ron", &text).unwrap_or_else(|error| panic!("{error}"))
}

/// All that can be seen of a run.
#[derive(Debug, PartialEq)]
struct Seen {
    hashes: Vec<u64>,
    printed: Vec<Box<str>>,
    faults: Vec<Box<str>>,
    traces: Vec<GraphTrace>,
}

fn run(limits: &str, executor: &dyn Executor) -> Seen {
    let mut world = World::from_scene(&scene(limits)).expect("the scene is sound");
    world.trace_graphs(true);
    let hashes = (0..25)
        .map(|_| {
            world.step_with(executor);
            world.state_hash()
        })
        .collect();
    Seen {
        hashes,
        printed: world.printed().to_vec(),
        faults: world.faults().to_vec(),
        traces: world.take_graph_traces(),
    }
}

fn compare(limits: &str) -> Seen {
    let alone = run(limits, &tombolo::threads::Inline);
    for workers in [1, 2, 3, 4, 8] {
        let pool = Pool::new(workers).expect("there are threads");
        assert_eq!(run(limits, &pool), alone, "{workers} workers, {limits:?}");
        assert_eq!(
            run(limits, &LastFirst(workers)),
            alone,
            "{workers} in turn, {limits:?}"
        );
    }
    alone
}

#[test]
fn workers_leave_no_trace_whatever_scripts_do() {
    let seen = compare("");
    let has = |text: &str| seen.faults.iter().filter(|fault| fault.contains(text)).count();
    assert_eq!(has("operations in one call"), 6, "{:?}", seen.faults);
    assert_eq!(has("deeper than 24"), 6, "{:?}", seen.faults);
    assert_eq!(has("script \"mind\", line 1: at 0."), 6, "{:?}", seen.faults);
    assert!(seen.printed.len() > 100 && !seen.traces.is_empty());
}

/// Where the limits of a stage leave calls out, those that were called ahead have no effect.
#[test]
fn limits_of_a_stage_cut_where_they_do_with_one_thread() {
    let seen = compare(
        "operations_per_step: 3000, operations_per_call: 2600, spawns_per_step: 2, printed_lines: 40",
    );
    let left_out = seen.faults.iter().filter(|fault| fault.contains("were left out"));
    assert!(left_out.count() > 3, "{:?}", seen.faults);
    assert_eq!(seen.printed.len(), 40);
}

/// What another script remembers is read as it was when the stage began, whether that was called before or not.
#[test]
fn states_of_others_are_those_of_the_stages_begin() {
    let script = "fn on_tick(seconds) {
        this.n = (this.n ?? 0) + 1;
        for e in [find(`ball`), find(`twin`)] { if e != me() { this.saw = e.get(`mind.state`).len(); } }
    }";
    let twin = "One(name: \"twin\", entity: \"ball\", at: (9, 5)),\n        Row(name: \"crate\"";
    let text = super::scene_text(script).replacen("Row(name: \"crate\"", twin, 1);
    let mut world = World::from_scene(&Scene::parse("test.ron", &text).unwrap()).unwrap();
    for state in ["#{n: 1, saw: 3}", "#{n: 2, saw: 15}"] {
        world.step();
        assert_eq!(world.faults(), &[] as &[Box<str>]);
        for name in ["ball", "twin"] {
            assert_eq!(super::script(&world, name).state().to_string(), state, "{name}");
        }
    }
}

/// Shells that end where they touch something, as does what they touch, and that leave a crate elsewhere.
const SHELLS: &str = r#"(
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 200, height: 2), position: (0, -1))},
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 0.8, height: 0.8)), "wood": Tag()},
        "shell": {
            "body": Body(kind: Dynamic, linear_velocity: (3, -9)), "skin": Collider(shape: Circle(radius: 0.3)),
            "mind": Script(text: "fn on_begin_touch(other) {
                spawn_entity(\"crate\", #{position: me().get(\"transform.position\") + vec2(0, 25)});
                if other.has(\"wood\") { despawn(other); }
                despawn(me());
            }"),
        },
    },
    place: [
        One(name: "floor", entity: "floor"),
        Grid(name: "crate", entity: "crate", at: (-45, 0.4), columns: 45, rows: 12, column_step: (2, 0), row_step: (0, 0.8)),
        Grid(name: "shell", entity: "shell", at: (-45, 14), columns: 45, rows: 3, column_step: (2, 0), row_step: (0.3, 9)),
    ],
)"#;

/// After each step what still is stands where its body is, and its box is around its shapes.
#[test]
fn what_handlers_end_and_spawn_is_followed_by_any_number_of_workers() {
    let scene = Scene::parse("shells.ron", SHELLS).expect("it is a scene");
    let run = |workers: usize| {
        let pool = Pool::new(workers).expect("there are threads");
        let mut world = World::from_scene(&scene).expect("the scene has room");
        let mut seen = Vec::new();
        for _ in 0..120 {
            world.step_with(&pool);
            for entity in world.entities().entities().iter() {
                let body = world.body(entity).expect("each has one");
                assert_eq!(world.pose(entity), Some(body.pose()), "{entity:?}");
                let bounds = body.aabb().map(tombolo::geometry::orthtree::Bounds::from);
                assert_eq!(world.space().bounds(entity), bounds, "{entity:?}");
            }
            seen.push((world.entity_count(), world.moved().to_vec(), world.state_hash()));
        }
        assert!(world.faults().is_empty(), "{:?}", world.faults());
        seen
    };
    let alone = run(1);
    let shells = alone[0].0;
    assert!(
        alone.iter().any(|(count, ..)| count + 30 < shells),
        "too few have ended"
    );
    for workers in [2, 3, 4, 8] {
        assert!(run(workers) == alone, "{workers} workers");
    }
}
