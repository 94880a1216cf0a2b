//! Bad scripts: each ends with one message that names entity, script and line, is disabled, and leaves nothing behind.

use tombolo::entity::Value;

use super::{after, fault, script, world};

/// The message for a line of a tick.
fn of_line(line: &str) -> String {
    fault(&format!("fn on_tick(seconds) {{\n    {line}\n}}"))
}

#[test]
fn messages_are_exact() {
    let cases = [
        ("loop { }", "made more than 100000 operations in one call"),
        (
            "let x = 0; while true { x += 1; }",
            "made more than 100000 operations in one call",
        ),
        (
            "let s = \"abc\"; loop { s += s; }",
            "made too much: length of string",
        ),
        (
            "let a = []; loop { a.push(1); }",
            "made too much: size of array/blob",
        ),
        (
            "let m = #{}; let i = 0; loop { i += 1; m[`${i}`] = 1; }",
            "made too much: what its variables hold",
        ),
        (
            "me().get(\"body.speed\");",
            "component `body` (Body) has no property `speed`",
        ),
        (
            "me().get(\"wings.length\");",
            "entity \"ball\" has no component `wings`; it has: transform, body, skin, mind, Fog",
        ),
        (
            "me().get(\"body\");",
            "`body` is not a path; write component.property or component.property.part",
        ),
        (
            "me().set(\"body.bullet\", 3);",
            "`body.bullet` is bool, not a whole number",
        ),
        (
            "me().set(\"body.kind\", \"Heavy\");",
            "`body.kind` is one of Static, Kinematic, Dynamic, not a text \"Heavy\"",
        ),
        (
            "me().set(\"body.linear_velocity\", [1, 2, 3]);",
            "`body.linear_velocity` is vec2, not a list",
        ),
        ("me().set(\"body.mass\", 3.0);", "`body.mass` can be read only"),
        (
            "me().set(\"body.linear_damping\", -1);",
            "`body.linear_damping` must lie between 0 and ",
        ),
        (
            "me().set(\"transform.position\", vec2(0.0 / 0.0, 0));",
            "`transform.position` must be a finite number, not NaN",
        ),
        (
            "spawn_entity(\"dragon\");",
            "spawn_entity: there is no entity \"dragon\" to spawn",
        ),
        (
            "spawn_entity(\"crate\", #{colour: 1});",
            "spawn_entity: unknown option `colour`; known: name, position, angle, parent, set",
        ),
        (
            "spawn_entity(\"crate\", #{position: \"here\"});",
            "spawn_entity: `position` is a vector, not a text",
        ),
        (
            "spawn_entity(\"crate\", #{name: \"ball\"});",
            "another entity is called `ball`",
        ),
        (
            "spawn_entity(\"crate\", #{set: #{\"body.bullet\": 1.5}});",
            "`body.bullet` is bool, not a number",
        ),
        (
            "for i in 0..100 { spawn_entity(\"crate\"); }",
            "spawned more than 64 entities in one call",
        ),
        (
            "for i in 0..2000 { me().set(\"body.bullet\", true); }",
            "asked for more than 1000 changes in one call",
        ),
        (
            "find(\"nobody\").get(\"body.kind\");",
            "Function not found: get ((), &str | ImmutableString | String)",
        ),
        ("cast_ray(vec2(0.0 / 0.0, 0), vec2(1, 1));", "cast_ray: "),
        ("query_box(vec2(1, 1), vec2(0, 0));", "query_box: "),
        (
            "cast_ray(vec2(0, 0), vec2(1, 1), #{exclud: me()});",
            "cast_ray: unknown \"exclud\"",
        ),
        (
            "cast_ray(vec2(0, 0), vec2(1, 1), #{turn: 1.0});",
            "cast_ray: unknown \"turn\"",
        ),
        (
            "cast_box(vec2(0, 0), vec2(1, 1), vec2(1, 1), #{turn: 7.0});",
            "cast_box: turn is 7",
        ),
        ("cast_circle(vec2(0, 0), vec2(1, 1), -1.0);", "cast_circle: "),
        (
            "query_circle(vec2(0, 0), \"a\");",
            "query_circle: the radius is a number",
        ),
        (
            "query_point(vec2(0, 0), #{exclude: [1]});",
            "query_point: `exclude` is an entity",
        ),
        ("closest(vec2(0, 0), -1);", "closest: distance is -1"),
        (
            "me().apply_impulse(3);",
            "Function not found: apply_impulse (Entity, i64)",
        ),
        (
            "set_timer(\"t\", -1.0);",
            "timer \"t\": -1 seconds are out of range",
        ),
        (
            "for i in 0..20 { set_timer(`${i}`, 1); }",
            "timer \"16\": a script has 16 timers at most",
        ),
        ("random_int(3, 1);", "random_int(3, 1): the first is greater"),
        ("1 / 0", "Division by zero: 1 / 0"),
        ("parse_int(\"x\")", "\"x\" is no whole number"),
        ("to_int(1e300)", "1e300 is no whole number of 64 bits"),
        ("throw \"I give up\";", "I give up"),
        ("throw 42;", "threw 42"),
    ];
    let mut unlike = Vec::new();
    for (line, message) in cases {
        let got = of_line(line);
        // Where a limit was passed is not known but for the handler.
        let place = if message.starts_with("made ") { 1 } else { 2 };
        let wanted = format!("entity \"ball\", script \"mind\", line {place}: {message}");
        if !got.starts_with(&wanted) {
            unlike.push(format!("{line}\n got: {got}\nwant: {wanted}"));
        }
    }
    assert!(unlike.is_empty(), "{}", unlike.join("\n"));
}

#[test]
fn a_value_that_scripts_cannot_store_is_named() {
    for (line, message) in [
        (
            "this.f = |x| x;",
            "`this.f` is a function; it cannot be remembered",
        ),
        (
            "this.list = [1, [2, 0.0 / 0.0]];",
            "`this.list[1][1]` is NaN; it cannot be remembered",
        ),
        (
            "this.range = 0..3;",
            "`this.range` is something else; it cannot be remembered",
        ),
        ("this = 3;", "`this` must stay a map"),
        (
            "let x = 1; for i in 0..12 { x = [x]; } this.deep = x;",
            "`this.deep[0][0][0][0][0][0][0][0]` is deeper than 8 lists and maps; it cannot be remembered",
        ),
    ] {
        let wanted = format!("entity \"ball\", script \"mind\", line 1: {message}");
        assert_eq!(of_line(line), wanted);
    }
}

#[test]
fn deep_recursion_ends() {
    let nested = "(".repeat(4) + "f(x + 1)" + &*")".repeat(4);
    for body in ["f(x + 1)", "1 + f(x + 1) * 2", nested.as_str()] {
        let got = fault(&format!(
            "fn f(x) {{\n    {body}\n}}\nfn on_tick(seconds) {{ f(0); }}"
        ));
        assert_eq!(
            got,
            "entity \"ball\", script \"mind\", line 4: made calls within calls, deeper than 24"
        );
    }
}

#[test]
fn operations_cannot_be_caught() {
    let got = of_line("loop { try { loop { } } catch { } }");
    assert_eq!(
        got,
        "entity \"ball\", script \"mind\", line 1: made more than 100000 operations in one call"
    );
    let got = of_line("loop { try { query_box(vec2(0, 0), vec2(1, 1)); } catch { } }");
    assert_eq!(
        got,
        "entity \"ball\", script \"mind\", line 1: made more than 100000 operations in one call"
    );
}

#[test]
fn a_failed_call_leaves_nothing_behind() {
    let text = "fn on_tick(seconds) {
        if this.n == () { this.n = 1; return; }
        this.n = 2; random(); spawn_entity(\"crate\"); set_timer(\"t\", 1); print(\"about to fail\");
        me().set(\"Fog.values.0\", 7); throw \"now\";
    }";
    let world = after(3, text);
    assert_eq!(world.faults().len(), 1);
    assert_eq!(script(&world, "ball").state().to_string(), "#{n: 1}");
    assert_eq!(script(&world, "ball").error(), "line 4: now");
    assert_eq!(
        world.find("ball").map(|ball| world.get(ball, "Fog.values.0")),
        Some(Ok(Value::F32(0.5)))
    );
    let mut quiet = after(3, "");
    let mut world = world;
    assert_eq!(world.entity_count(), quiet.entity_count());
    assert_eq!(world.random().bits(), quiet.random().bits());
    assert_eq!(world.printed().len(), 1, "what was printed shows how far it came");
}

#[test]
fn enabling_gives_another_chance() {
    let mut world = after(
        2,
        "fn on_tick(seconds) { if me().get(\"Fog.values.0\") < 1 { throw \"thin\"; } this.fine = true; }",
    );
    assert_eq!(script(&world, "ball").error(), "line 1: thin");
    let ball = world.find("ball").expect("placed");
    world
        .set(ball, "Fog.values.0", Value::F32(2.0))
        .expect("it can be set");
    world
        .set(ball, "mind.enabled", Value::Bool(true))
        .expect("it can be set");
    world.step();
    assert_eq!(
        (
            script(&world, "ball").error(),
            script(&world, "ball").state().to_string()
        ),
        ("", "#{fine: true}".into())
    );
}

/// The failed call left no state behind, without which the other handlers would fail too.
#[test]
fn a_script_that_failed_at_its_start_starts_again_when_it_is_repaired() {
    let broken = "fn on_spawn() { this.n = 10; nothing(); } fn on_tick(s) { this.n += 1; }";
    let whole = broken.replacen(" nothing();", "", 1);
    let mut world = after(2, broken);
    assert_eq!(world.faults().len(), 1, "{:?}", world.faults());
    assert!(!script(&world, "ball").enabled);
    let ball = world.find("ball").expect("placed");
    // Without a repair it fails as before, and only once.
    world
        .set(ball, "mind.enabled", Value::Bool(true))
        .expect("it can be set");
    world.step();
    assert_eq!(world.faults().len(), 2, "{:?}", world.faults());
    world.define_script("s", &whole).expect("it is one");
    world
        .set(ball, "mind.enabled", Value::Bool(true))
        .expect("it can be set");
    let mut other = after(0, broken);
    other.define_script("s", &whole).expect("it is one");
    other.restore(&world.save()).expect("its own save");
    for world in [&mut world, &mut other] {
        world.step();
        world.step();
        assert!(script(world, "ball").enabled, "{:?}", world.faults());
        assert_eq!(script(world, "ball").state().to_string(), "#{n: 12}");
    }
    assert_eq!(world.state_hash(), other.state_hash());
}

/// A script that is no script has not started either.
#[test]
fn a_text_that_is_mended_starts() {
    let mut world = after(0, "fn on_spawn() { this.n = 10; }");
    let ball = world.find("ball").expect("placed");
    world
        .set(ball, "mind.name", Value::String("".into()))
        .expect("it can be set");
    world
        .set(ball, "mind.text", Value::String("fn on_spawn( {".into()))
        .expect("it can be set");
    world.step();
    assert_eq!(world.faults().len(), 1, "{:?}", world.faults());
    let mended = Value::String("fn on_spawn() { this.n = 20; }".into());
    world.set(ball, "mind.text", mended).expect("it can be set");
    world
        .set(ball, "mind.enabled", Value::Bool(true))
        .expect("it can be set");
    world.step();
    assert_eq!(world.faults().len(), 1, "{:?}", world.faults());
    assert_eq!(script(&world, "ball").state().to_string(), "#{n: 20}");
}

#[test]
fn a_despawned_entity_is_an_error_to_read_and_nothing_to_command() {
    // Both scripts run in one stage: the second one's command finds the entity gone, which is nobody's fault.
    let text = "fn on_tick(seconds) {
        if this.crate == () { this.crate = find(\"crate[0]\"); despawn(this.crate); this.crate.set(\"body.bullet\", true); return; }
        this.alive = is_alive(this.crate);
        if this.waited == () { this.waited = true; return; }
        this.crate.get(\"body.kind\");
    }";
    let world = after(4, text);
    assert_eq!(
        script(&world, "ball")
            .state()
            .to_string()
            .matches("alive: false")
            .count(),
        1
    );
    let faults = world.faults();
    assert_eq!(faults.len(), 1, "{faults:?}");
    assert!(
        faults[0].starts_with("entity \"ball\", script \"mind\", line 5: Handle("),
        "{}",
        faults[0]
    );
    assert!(
        faults[0].ends_with("is not alive (asked for `body.kind`)"),
        "{}",
        faults[0]
    );
}

#[test]
fn a_text_that_is_no_script_is_a_fault_at_run_time() {
    let mut world = world("");
    let ball = world.find("ball").expect("placed");
    world
        .set(ball, "mind.name", Value::String("".into()))
        .expect("it can be set");
    world
        .set(
            ball,
            "mind.text",
            Value::String("fn on_tick(seconds) {\n let = 3;\n}".into()),
        )
        .expect("any text will do");
    world.step();
    assert_eq!(world.faults().len(), 1);
    assert_eq!(
        &*world.faults()[0],
        "entity \"ball\", script \"mind\", line 2: Expecting name of a variable"
    );
    world
        .set(ball, "mind.name", Value::String("lost".into()))
        .expect("it can be set");
    world
        .set(ball, "mind.enabled", Value::Bool(true))
        .expect("it can be set");
    world.step();
    assert_eq!(
        &*world.faults()[1],
        "entity \"ball\", script \"mind\": there is no script \"lost\""
    );
}

#[test]
fn a_step_has_operations_for_all_and_no_more() {
    let mut world =
        world("fn on_tick(seconds) { let x = 0; for i in 0..10000 { x += i; } this.ran = true; }");
    for place in 0..200 {
        let name = format!("ball {place}");
        let def = tombolo::SpawnDef {
            name: Some(&name),
            ..tombolo::SpawnDef::default()
        };
        world.spawn("ball", &def).expect("it can be spawned");
    }
    world.step();
    assert_eq!(world.faults().len(), 1, "{:?}", world.faults());
    let fault = &*world.faults()[0];
    assert!(
        fault.starts_with("scripts made more than 1000000 operations in one stage; "),
        "{fault}"
    );
    assert!(fault.ends_with(" calls were left out"), "{fault}");
    assert!(script(&world, "ball").enabled && script(&world, "ball 199").enabled);
    assert_eq!(script(&world, "ball 199").state().to_string(), "#{}");
}

#[test]
fn a_step_has_capacity_for_so_many_new_entities() {
    let mut world = world("fn on_tick(seconds) { for i in 0..60 { spawn_entity(\"crate\"); } }");
    for _ in 0..4 {
        world
            .spawn("ball", &tombolo::SpawnDef::default())
            .expect("it can be spawned");
    }
    let before = world.entity_count();
    world.step();
    assert_eq!(world.entity_count(), before + 256);
    let fault = "scripts spawned 300 entities in one stage; 256 are allowed, the rest was left out";
    assert_eq!(&*world.faults()[0], fault);
}

/// A script is told of the first failure, and nothing that it wanted afterwards happens: its commands may build on the one that
/// failed.
#[test]
fn what_a_script_wanted_after_a_failed_command_is_dropped() {
    let failing = r#"
        fn on_tick(seconds) {
            me().set("body.gravity_scale", 0.5);
            spawn_entity("crate", #{name: "ball"});
            spawn_entity("crate", #{name: "later"});
            spawn_entity("crate", #{name: "floor"});
        }"#;
    let world = after(1, failing);
    let faults: Vec<&str> = world.faults().iter().map(|fault| &**fault).collect();
    assert!(
        matches!(faults[..], [fault] if fault.contains("line 4") && fault.contains("`ball`")),
        "{faults:?}"
    );
    assert!(script(&world, "ball").error().contains("`ball`"));
    assert_eq!(world.find("later"), None);
    let ball = world.find("ball").unwrap();
    assert_eq!(world.get(ball, "body.gravity_scale").unwrap(), Value::F32(0.5));
}
