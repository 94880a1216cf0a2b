//! Scripts that mean harm: the world goes on, holds no more than its limits, and says what happened.

use tombolo::{FAULTS_MAX, Scene, ScriptLimits, Settings, World};

use super::{after, fault, scene_text, script, world};

/// A world whose scene has these settings beside the seed.
fn world_with(settings: &str, script: &str) -> World {
    let text = scene_text(script).replacen("seed: 3", &format!("seed: 3, {settings}"), 1);
    let scene = Scene::parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

#[test]
fn memory_is_limited_whichever_way_it_is_taken() {
    let held = "made too much: what its variables hold";
    for (body, message) in [
        // Key by key.
        ("let m = #{}; let i = 0; loop { i += 1; m[`${i}`] = i; }", held),
        ("let i = 0; loop { i += 1; this[`${i}`] = i; }", held),
        // Into the places of a list.
        (
            "let a = []; a.pad(1000, 0); let b = a; let i = 0; loop { a[i] = b; i += 1; }",
            held,
        ),
        // By the language's own functions.
        (
            "let s = \"x\"; loop { s += s; }",
            "made too much: length of string",
        ),
    ] {
        let got = fault(&format!("fn on_tick(seconds) {{\n{body}\n}}"));
        assert!(got.contains(message), "{body}\n{got}");
    }
}

#[test]
fn no_error_of_a_limit_can_be_caught() {
    let got = fault(
        "fn on_tick(seconds) { loop { try { let m = #{}; let i = 0; loop { i += 1; m[`${i}`] = i; } } catch { } } }",
    );
    assert!(got.ends_with("made too much: what its variables hold"), "{got}");
    let got = fault("fn f() { f() }\nfn on_tick(seconds) { loop { try { f(); } catch { } } }");
    assert!(got.ends_with("made calls within calls, deeper than 24"), "{got}");
}

#[test]
fn variables_cannot_be_shared_with_a_function() {
    // Shared values lie behind locks, and whoever waits for one holds up the world.
    let text = scene_text("fn on_tick(seconds) {\n let a = [1];\n a.for_each(|x| a.push(x));\n }");
    let error = Scene::parse("test.ron", &text).expect_err("`a` is around the function");
    let wanted = "line 3: a function without a name sees its own parameters only, not `a`";
    assert!(error.to_string().ends_with(wanted), "{error}");
}

#[test]
fn spawning_without_end_stays_within_what_a_step_may_spawn() {
    let greedy =
        "fn on_tick(seconds) { for i in 0..64 { spawn_entity(\"ball\", #{position: vec2(0, 50)}); } }";
    let mut world = world(greedy);
    for _ in 0..4 {
        let before = world.entity_count();
        world.step();
        assert!(world.entity_count() <= before + 256);
    }
    assert!(world.faults().len() <= FAULTS_MAX);
}

#[test]
fn an_entity_that_ends_itself_and_comes_again_leaves_one() {
    let world = after(
        20,
        "fn on_tick(seconds) { despawn(me()); despawn(me()); spawn_entity(\"ball\"); }
         fn on_despawn(position, angle) { despawn(me()); }",
    );
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    assert_eq!(world.entity_count(), after(0, "").entity_count());
}

#[test]
fn a_flood_of_print_ends_at_the_limit() {
    let flood = "fn on_tick(seconds) { for i in 0..3000 { print(\"x\".to_upper() + i); } }";
    let world = after(3, flood);
    assert_eq!(world.printed().len(), 1000);
    let world = {
        let mut world = world_with("script_limits: (printed_lines: 5)", flood);
        world.step();
        world
    };
    assert_eq!(world.printed().len(), 5);
}

#[test]
fn a_scene_sets_the_limits_of_its_scripts() {
    for (limits, body, message) in [
        (
            "operations_per_call: 500",
            "loop { }",
            "made more than 500 operations in one call",
        ),
        ("call_depth: 3", "f();", "made calls within calls, deeper than 3"),
        (
            "changes_per_call: 2",
            "for i in 0..3 { me().set(\"body.bullet\", true); }",
            "asked for more than 2 changes in one call",
        ),
        (
            "spawns_per_call: 0",
            "spawn_entity(\"crate\");",
            "spawned more than 0 entities in one call",
        ),
        (
            "memory_bytes: 1024",
            "let a = []; loop { a.push(1); }",
            "made too much: what its variables hold",
        ),
        (
            "string_bytes: 64",
            "let s = \"x\"; loop { s += s; }",
            "made too much: length of string",
        ),
        (
            "list_length: 16",
            "let a = []; loop { a.push(1); }",
            "made too much: size of array/blob",
        ),
        (
            "map_length: 16",
            "let m = #{}; let i = 0; loop { i += 1; m[`${i}`] = 1; m.len(); }",
            "made too much: size of object map",
        ),
    ] {
        let script = format!("fn f() {{ f() }}\nfn on_tick(seconds) {{ {body} }}");
        let mut world = world_with(&format!("script_limits: ({limits})"), &script);
        world.step();
        let faults = world.faults();
        assert_eq!(faults.len(), 1, "{limits}: {faults:?}");
        assert!(faults[0].ends_with(message), "{limits}: {}", faults[0]);
    }
    let mut world = world_with(
        "script_limits: (operations_per_step: 100)",
        "fn on_tick(seconds) { let x = 0; for i in 0..200 { x += i; } this.ran = true; }",
    );
    world
        .spawn("ball", &tombolo::SpawnDef::default())
        .expect("it can be spawned");
    world.step();
    let fault = "scripts made more than 100 operations in one stage; 1 calls were left out";
    assert_eq!(world.faults().len(), 1, "{:?}", world.faults());
    assert_eq!(&*world.faults()[0], fault);
    assert!(script(&world, "ball").enabled);
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    let text = scene_text("").replacen("seed: 3", "script_limits: (call_depth: 1000)", 1);
    let error = Scene::parse("test.ron", &text).expect_err("a thread's stack would not hold it");
    assert!(
        error.to_string().ends_with("1000 is out of range; give 1 to 24"),
        "{error}"
    );
    let script_limits = ScriptLimits {
        call_depth: 25,
        ..ScriptLimits::default()
    };
    let error = World::new(&Settings {
        script_limits,
        ..Settings::default()
    })
    .expect_err("the same from code");
    assert_eq!(
        error.to_string(),
        "settings: `call_depth` of script_limits is 25; give 1 to 24"
    );
}

#[test]
fn a_save_fits_a_world_with_the_same_limits_only() {
    let counting = "fn on_tick(seconds) { this.n = if this.n == () { 1 } else { this.n + 1 }; }";
    let mut small = world_with("script_limits: (call_depth: 3)", counting);
    small.step();
    let save = small.save();
    let mut again = world_with("script_limits: (call_depth: 3)", counting);
    again.restore(&save).expect("the limits are the same");
    assert_eq!(again.state_hash(), small.state_hash());
    let error = world(counting)
        .restore(&save)
        .expect_err("the default allows more");
    assert!(error.to_string().contains("other limits"), "{error}");
    let error = again
        .restore(&world(counting).save())
        .expect_err("and the other way round");
    assert!(error.to_string().contains("other limits"), "{error}");
}
