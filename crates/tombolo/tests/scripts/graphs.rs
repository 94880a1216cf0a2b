//! Node graphs: each kind of node, sequences that part and meet, waits over a save, and what is refused.

use tombolo::scene::graph::NodeGraph;
use tombolo::{Scene, World};

use super::{scene_text, world};

/// The scene of the other tests with a graph as its script.
fn graph_text(nodes: &str) -> String {
    let text = scene_text("fn helper() {}");
    let script = r##"scripts: {"s": r#"fn helper() {}"#},"##;
    assert!(text.contains(script), "the scene has its script");
    text.replace(script, &format!("graphs: {{\"s\": {nodes}}},"))
}

fn graph_world(nodes: &str) -> World {
    let scene = Scene::parse("test.ron", &graph_text(nodes)).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

fn steps(world: &mut World, count: usize) {
    for _ in 0..count {
        world.step();
    }
}

fn error_of(nodes: &str) -> String {
    let error = Scene::parse("test.ron", &graph_text(nodes)).expect_err("the graph is wrong");
    error.to_string()
}

fn printed(world: &World) -> Vec<&str> {
    world.printed().iter().map(|line| &**line).collect()
}

#[test]
fn a_graph_does_what_the_script_does_that_one_would_write() {
    let graph = r#"(nodes: {
        "born": On(event: "spawn", then: "rest"),
        "rest": Remember(name: "jumps", value: 0),
        "beat": Every(seconds: 0.5, then: "low?"),
        "height": Get(property: "transform.position.y"),
        "low": Calculate(operator: "<", of: ["@height", 2]),
        "low?": If(test: "@low", then: "jump", otherwise: "say"),
        "jumps": Recall(name: "jumps", or: 100),
        "more": Calculate(operator: "+", of: ["@jumps", 1]),
        "jump": Call(function: "apply_impulse", with: ["@me", (0.0, 3)], then: "count"),
        "count": Remember(name: "jumps", value: "@more", then: "far?"),
        "far?": If(test: "@far", then: "drop"),
        "far": Calculate(operator: "==", of: ["@jumps", 3]),
        "drop": Spawn(entity: "crate", position: (-8, 4), name: "dropped", set: {"body.linear_velocity": (1, 0)}, then: "still"),
        "still": Set(property: "body.angular_velocity", value: 0.0),
        "say": Print(value: "@height"),
    })"#;
    let written = r#"
        fn on_spawn() { this.jumps = 0; repeat_timer("beat", 0.5); }
        fn on_timer(name) {
            let height = me().get("transform.position.y");
            if height < 2 {
                me().apply_impulse(vec2(0.0, 3.0));
                this.jumps += 1;
                if this.jumps == 3 {
                    spawn_entity("crate", #{position: vec2(-8.0, 4.0), name: "dropped", set: #{"body.linear_velocity": vec2(1.0, 0.0)}});
                    me().set("body.angular_velocity", 0.0);
                }
            } else { print(height); }
        }
    "#;
    let (mut graph, mut written) = (graph_world(graph), world(written));
    steps(&mut graph, 300);
    steps(&mut written, 300);
    assert!(graph.faults().is_empty(), "{:?}", graph.faults());
    assert_eq!(graph.entity_count(), written.entity_count());
    assert_eq!(graph.entity_count(), 5, "the third jump dropped a crate");
    for name in ["ball", "crate[0]", "dropped"] {
        let pose_in = |world: &World| {
            world
                .pose(world.find(name).expect("it is placed"))
                .expect("it has a place")
        };
        assert_eq!(pose_in(&graph), pose_in(&written), "{name}");
    }
    assert_eq!(graph.printed(), written.printed());
    assert!(!graph.printed().is_empty());
}

#[test]
fn sequences_part_and_meet_and_lists_are_gone_through_in_order() {
    let graph = r#"(nodes: {
        "born": On(event: "spawn", then: "both"),
        "both": Sequence(then: ["first", "list", "last"]),
        "first": Print(value: "first", then: "meet"),
        "meet": Print(value: "meet"),
        "numbers": Ask(function: "three"),
        "list": ForEach(of: "@numbers", each: "is two", then: "meet"),
        "two": Calculate(operator: "==", of: ["@list", 2]),
        "is two": If(test: "@two", then: "inner", otherwise: "show"),
        "inner": ForEach(of: "@numbers", each: "show inner"),
        "show inner": Print(value: "@inner"),
        "show": Print(value: "@list"),
        "last": Print(value: "@@last"),
    }, functions: "fn three() { [1, 2, 3] }")"#;
    let mut world = graph_world(graph);
    steps(&mut world, 1);
    let expected = ["first", "meet", "1", "1", "2", "3", "3", "meet", "@last"];
    assert_eq!(printed(&world), expected, "{:?}", world.faults());
}

#[test]
fn what_an_event_gives_reaches_its_nodes() {
    let graph = r#"(nodes: {
        "landed": On(event: "begin_touch", then: "who"),
        "name": Ask(function: "name_of", with: ["@landed.other"]),
        "who": Print(value: "@name"),
        "parted": On(event: "end_touch", then: "left"),
        "left": Print(value: "left"),
    })"#;
    let mut world = graph_world(graph);
    steps(&mut world, 120);
    assert_eq!(printed(&world)[0], "floor", "{:?}", world.faults());
}

#[test]
fn a_wait_goes_on_after_a_save_and_leaves_timers_of_scripts_alone() {
    let graph = r#"(nodes: {
        "born": On(event: "spawn", then: "own timer"),
        "own timer": Call(function: "set_timer", with: ["bell", 0.5], then: "rest"),
        "rest": Wait(seconds: 1, then: "awake"),
        "awake": Print(value: "awake"),
        "rang": On(event: "timer", then: "which"),
        "which": Print(value: "@rang.name"),
    })"#;
    let text = graph_text(graph);
    let mut world = graph_world(graph);
    steps(&mut world, 20);
    let save = world.save();
    let scene = Scene::parse("test.ron", &text).unwrap();
    let mut restored = World::from_scene(&scene).unwrap();
    restored.restore(&save).unwrap();
    for world in [&mut world, &mut restored] {
        steps(world, 60);
        assert_eq!(printed(world), ["bell", "awake"], "{:?}", world.faults());
    }
    assert_eq!(world.state_hash(), restored.state_hash());
}

#[test]
fn a_circle_of_nodes_ends_at_the_limit_of_operations_and_names_its_event() {
    let graph = r#"(nodes: {
        "born": On(event: "spawn", then: "again"),
        "again": Remember(name: "x", value: 1, then: "again"),
    })"#;
    let mut world = graph_world(graph);
    steps(&mut world, 1);
    assert_eq!(world.faults().len(), 1);
    let fault = &world.faults()[0];
    let expected = "script \"mind\": event \"spawn\": made more than 100000 operations";
    assert!(fault.contains(expected), "{fault}");
}

#[test]
fn a_fault_names_the_node_or_the_line_of_the_functions() {
    let set = r#"(nodes: {
        "born": On(event: "spawn", then: "wrong"),
        "wrong": Set(property: "body.kind", value: "Heavy"),
    })"#;
    let called = r#"(nodes: {
        "born": On(event: "spawn", then: "call"),
        "call": Call(function: "fails"),
    }, functions: "fn fails() {\n    throw \"no\";\n}")"#;
    for (graph, place) in [
        (set, "script \"mind\": node \"wrong\": `body.kind` is one of"),
        (called, "script \"mind\": functions, line 2: no"),
    ] {
        let mut world = graph_world(graph);
        steps(&mut world, 1);
        assert!(world.faults()[0].contains(place), "{:?}", world.faults());
    }
}

#[test]
fn wrong_graphs_are_refused_with_node_and_advice() {
    let cases = [
        (
            r#""a": On(event: "touch", then: "")"#,
            r#"node "a": there is no event "touch"; "#,
        ),
        (
            r#""a": On(event: "tick", then: "bb"), "b": Print(value: 1)"#,
            r#"node "a": there is no node "bb"; did you mean "b"?"#,
        ),
        (
            r#""a": On(event: "tick", then: "b"), "b": Get(property: "x")"#,
            r#"node "a": "b" cannot follow: it has a value"#,
        ),
        (
            r#""a": On(event: "tick", then: "a")"#,
            r#"node "a": "a" cannot follow: it begins a sequence"#,
        ),
        (
            r#""a": On(event: "tick", then: "b"), "b": Print(value: "@a")"#,
            r#"node "b": no value "" of "a"; write "@a.seconds""#,
        ),
        (
            r#""a": On(event: "spawn", then: "b"), "b": Print(value: "@a.other")"#,
            r#"node "b": the event of "a" has no values"#,
        ),
        (
            r#""a": On(event: "tick", then: "b"), "b": Print(value: "@c"), "c": Wait(seconds: 1)"#,
            r#"node "b": "c" has no value: it is of kind Wait"#,
        ),
        (
            r#""a": On(event: "enter", then: "w"), "w": Wait(seconds: 1, then: "b"), "b": Print(value: "@a.other")"#,
            r#"node "b": needs "@a", but also runs in on_timer"#,
        ),
        (
            r#""a": On(event: "tick", then: "b"), "b": Print(value: "@s"), "t": On(event: "spawn", then: "s"), "s": Call(function: "time")"#,
            r#"node "b": needs "@s", which does not run in on_tick"#,
        ),
        (
            r#""a": On(event: "tick", then: "b"), "b": Print(value: "@c"), "c": Calculate(operator: "+", of: ["@c", 1])"#,
            r#"node "b": for "c": the value of "c" depends on itself"#,
        ),
        (
            r#""a": Calculate(operator: "not", of: [1, 2])"#,
            r#"node "a": "not" is not for 2 values"#,
        ),
        (
            r#""a": Calculate(operator: "xor", of: [1, 2])"#,
            r#"node "a": there is no operator "xor"; did you mean "or"?"#,
        ),
        (
            r#""a": Call(function: "x(); despawn(me())")"#,
            r#"is not the name of a function"#,
        ),
        (r#""a.b": On(event: "tick")"#, "a node's name is not"),
        (
            r#""a": On(event: "tick"), "a": On(event: "tick")"#,
            r#"there are two nodes "a""#,
        ),
        (r#""a": Fly(high: 1)"#, "Fly"),
        (r#""a": Print(value: 1, loud: true)"#, "loud"),
    ];
    for (nodes, expected) in cases {
        let error = error_of(&format!("(nodes: {{{nodes}}})"));
        assert!(error.contains(expected), "{nodes}\n{error}\nwithout {expected}");
        assert!(
            error.starts_with("test.ron:") && error.contains("graph \"s\""),
            "{error}"
        );
    }
    let many: String = (0..17)
        .map(|n| format!("\"w{n:02}\": Wait(seconds: 1), "))
        .collect();
    let error = error_of(&format!("(nodes: {{{many}}})"));
    assert!(error.contains("16 nodes Every and Wait"), "{error}");
    let many: String = (0..257).map(|n| format!("\"p{n}\": Print(value: 1), ")).collect();
    let error = error_of(&format!("(nodes: {{{many}}})"));
    assert!(error.contains("256 nodes at most"), "{error}");
}

#[test]
fn texts_and_numbers_of_all_kinds_are_values() {
    let graph = r#"(nodes: {
        "born": On(event: "spawn", then: "a"),
        "a": Print(value: "say \"no\\n\"\t${x}", then: "b"),
        "b": Print(value: -3, then: "c"),
        "c": Print(value: "@minus", then: "d"),
        "minus": Calculate(operator: "-", of: [-2.5]),
        "d": Print(value: "@not"),
        "not": Calculate(operator: "not", of: ["@and"]),
        "and": Calculate(operator: "and", of: [true, false, true]),
    })"#;
    let mut world = graph_world(graph);
    steps(&mut world, 1);
    assert_eq!(
        printed(&world),
        ["say \"no\\n\"\t${x}", "-3", "2.5", "true"],
        "{:?}",
        world.faults()
    );
}

#[test]
fn a_scene_shows_its_graphs() {
    let text = graph_text(r#"(nodes: {"a": On(event: "tick", then: "b"), "b": Print(value: "@a.seconds")})"#);
    let scene = Scene::parse("test.ron", &text).unwrap();
    let (name, graph) = scene.graphs().next().unwrap();
    assert_eq!((name, graph.nodes.len()), ("s", 2));
    assert_eq!(
        (graph.nodes["a"].kind(), graph.nodes["a"].subject()),
        ("On", "tick")
    );
    assert_eq!(graph.nodes["a"].next(), ["b"]);
    assert_eq!(graph.nodes["b"].inputs()[0].to_string(), "a.seconds");
    assert_eq!(
        NodeGraph::parse("(nodes: {})").unwrap().script().unwrap(),
        "// The script of a node graph.\n"
    );
}

/// Looks at every node and value, from another depth of calls too: the graph's own functions have variables that are named
/// like those of its script.
const TRACED: &str = r#"(nodes: {
    "beat": Every(seconds: 0.05, then: "low?"),
    "each step": On(event: "tick", then: "each"),
    "each": ForEach(of: "@numbers", each: "keep"),
    "height": Get(property: "transform.position.y"),
    "keep": Remember(name: "last", value: "@more"),
    "low": Calculate(operator: "<", of: ["@height", -100]),
    "low?": If(test: "@low", then: "never"),
    "more": Calculate(operator: "+", of: ["@each", 0.5]),
    "never": Print(value: "never"),
    "numbers": Ask(function: "three"),
}, functions: "fn three() { let value_4 = 77; let given_1 = value_4; switch given_1 { 77 => [1, 2, 3], _ => [] } }")"#;

/// The nodes of the traces of a graph, as name, runs and value; and the events with their counts.
fn traced(world: &mut World, graph: &str) -> (Vec<(String, u32, String)>, Vec<String>) {
    let graph = NodeGraph::parse(graph).unwrap();
    let names: Vec<&String> = graph.nodes.keys().collect();
    let traces = world.take_graph_traces();
    let nodes = traces.iter().flat_map(|trace| &trace.nodes);
    let nodes = nodes.map(|(place, node)| {
        let value = node.value.as_deref().unwrap_or_default();
        (names[*place].clone(), node.runs, value.to_string())
    });
    let mut events: Vec<String> = Vec::new();
    for trace in &traces {
        for ((event, timer), count) in &trace.events {
            let begun: Vec<&str> = graph
                .begun_by(event, timer)
                .map(|place| names[place].as_str())
                .collect();
            events.push(format!("{event} {timer:?} × {count}: {begun:?}"));
        }
    }
    (nodes.collect(), events)
}

#[test]
fn a_trace_has_the_nodes_that_ran_with_their_values() {
    let mut world = graph_world(TRACED);
    steps(&mut world, 1);
    assert!(world.take_graph_traces().is_empty(), "nobody has asked");
    world.trace_graphs(true);
    steps(&mut world, 1);
    let node = |name: &str, runs: u32, value: &str| (name.to_string(), runs, value.to_string());
    let of_tick = [
        node("each", 1, "3"),
        node("keep", 3, ""),
        node("more", 3, "3.5"),
        node("numbers", 1, "a list of 3"),
    ];
    let (nodes, events) = traced(&mut world, TRACED);
    assert_eq!(nodes, of_tick);
    assert_eq!(events, [r#"tick "" × 1: ["each step"]"#]);
    assert_eq!(traced(&mut world, TRACED).0, [], "they were taken");
    // In the fourth step the timer has rung once; the ball has hardly fallen from 5 m.
    steps(&mut world, 2);
    let (nodes, events) = traced(&mut world, TRACED);
    let of_timer =
        ["height", "low", "low?"].map(|name| nodes.iter().find(|(known, ..)| known == name).unwrap());
    assert_eq!((of_timer[1].1, &of_timer[1].2[..]), (1, "false"));
    assert_eq!((of_timer[2].1, &of_timer[2].2[..]), (1, ""));
    let height: f64 = of_timer[0].2.parse().unwrap();
    assert!((4.9..5.0).contains(&height), "{height}");
    assert_eq!(nodes.iter().find(|(name, ..)| name == "keep").unwrap().1, 6);
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(events[0], r#"tick "" × 2: ["each step"]"#);
    assert!(events[1].ends_with(r#"× 1: ["beat"]"#), "{events:?}");
    world.trace_graphs(false);
    steps(&mut world, 1);
    assert!(world.take_graph_traces().is_empty());
}

#[test]
fn a_trace_changes_no_bit_and_costs_no_operations() {
    // So few operations that one more would end the call of the tick.
    let enough = |operations: u32| {
        let text = graph_text(TRACED);
        let limits = format!("script_limits: (operations_per_call: {operations})");
        let text = text.replace("settings: (seed: 3)", &format!("settings: (seed: 3, {limits})"));
        let mut worlds =
            [(); 2].map(|()| World::from_scene(&Scene::parse("test.ron", &text).unwrap()).unwrap());
        worlds[0].trace_graphs(true);
        for world in &mut worlds {
            steps(world, 5);
        }
        assert_eq!(worlds[0].state_hash(), worlds[1].state_hash());
        assert_eq!(worlds[0].faults(), worlds[1].faults());
        assert_eq!(worlds[0].save(), worlds[1].save());
        worlds[0].faults().is_empty()
    };
    let (mut too_few, mut many) = (100, 2_000);
    assert!(!enough(too_few) && enough(many));
    while many - too_few > 1 {
        let middle = (too_few + many) / 2;
        if enough(middle) {
            many = middle;
        } else {
            too_few = middle;
        }
    }
}

#[test]
fn a_trace_names_the_node_that_failed_and_stays_with_the_world() {
    let graph = r#"(nodes: {
        "each step": On(event: "tick", then: "fine"),
        "fine": Print(value: 1, then: "wrong"),
        "wrong": Call(function: "missing_function", then: "later"),
        "later": Print(value: 2),
    })"#;
    let mut world = graph_world(graph);
    world.trace_graphs(true);
    let frame = world.frame();
    steps(&mut world, 1);
    // A frame restores the state, and what was noted since is no state.
    world.restore_frame(&frame);
    let traces = world.take_graph_traces();
    let failed: Vec<(usize, bool)> = traces[0]
        .nodes
        .iter()
        .map(|(node, trace)| (*node, trace.failed))
        .collect();
    assert_eq!(
        failed,
        [(1, false), (3, true)],
        "in the order each step, fine, later, wrong"
    );
    steps(&mut world, 1);
    assert_eq!(
        world.take_graph_traces(),
        traces,
        "it is made again, and noted again"
    );
    let written = world_of_script_with_value();
    assert!(written.is_empty(), "a script is no graph: {written:?}");
}

/// The traces of a written script with the variables of a graph's.
fn world_of_script_with_value() -> Vec<tombolo::GraphTrace> {
    let mut world = world(
        "fn on_tick(seconds) { let value_0 = [1]; switch value_0.pop() { 1 => print(value_0), _ => {} } }",
    );
    world.trace_graphs(true);
    steps(&mut world, 2);
    assert!(!world.printed().is_empty());
    world.take_graph_traces()
}
