//! Scripts that mean harm: the world goes on, holds no more than its limits, and says what happened.

use tombolo::{FAULTS_MAX, Scene, ScriptLimits, Settings, World};

use super::{after, fault, scene_text, script, state_after, world};

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

/// The language's own functions make a text of 16 TB here, and never end.
#[test]
fn no_function_of_texts_takes_more_than_the_limits() {
    let large =
        "script_limits: (string_bytes: 16777216, memory_bytes: 1073741824, operations_per_call: 1000000000)";
    let text = "let s = \"\"; s.pad(4000000, 'x'); let t = s;";
    let replacements = [
        "s.replace(\"x\", t);",
        "s.replace('x', t);",
        "s.replace(\"\", t);",
    ];
    for replacement in replacements {
        let mut world = world_with(large, &format!("fn on_tick(seconds) {{ {text} {replacement} }}"));
        world.step();
        let faults = world.faults();
        assert!(
            faults.len() == 1 && faults[0].ends_with("made too much: length of string"),
            "{replacement}: {faults:?}"
        );
    }
    let got = fault("fn on_tick(seconds) { let s = \"\"; s.pad(16385, \"ab\"); }");
    assert!(got.ends_with("made too much: length of string"), "{got}");
    let got = fault("fn on_tick(seconds) { let s = \"\"; s.pad(9000, \"äö\"); }");
    assert!(got.ends_with("made too much: length of string"), "{got}");
    let got = fault(
        "fn on_tick(seconds) { let s = \"\"; s.pad(16000, 'x'); let n = 0; loop { let t = s; t.replace('x', 'y'); } }",
    );
    assert!(got.contains("operations"), "{got}");
}

/// Sums of their sizes are 0 in 64 bits, or too large for any memory.
#[test]
fn lists_that_are_too_long_are_not_made() {
    for body in [
        "let a = []; a.pad(4611686018427387904, [1, 2, 3]);",
        "let a = []; a.pad(9223372036854775807, 0);",
        "let a = []; a.pad(1001, 0);",
        "let a = []; a.pad(600, [1, 2]);",
        "let m = #{a: 1, b: 2, c: 3}; let a = []; a.pad(1000, m);",
    ] {
        let got = fault(&format!("fn on_tick(seconds) {{ {body} }}"));
        assert!(
            got.contains("made too much") || got.contains("operations"),
            "{body}\n{got}"
        );
    }
    // Far beyond what a script may hold, though within all other limits.
    for (memory, body, message) in [
        (
            65_536,
            "let m = [0]; m.pad(16, []); let a = []; a.pad(1000000, m);",
            "size of array/blob",
        ),
        (
            1_073_741_824,
            "let t = \"\"; t.pad(16777216, \"x\"); let a = []; a.pad(256, t);",
            "length of string",
        ),
    ] {
        let limits = format!(
            "script_limits: (memory_bytes: {memory}, string_bytes: 16777216, list_length: 1000000, operations_per_call: 1000000000)"
        );
        let mut world = world_with(&limits, &format!("fn on_tick(seconds) {{ {body} }}"));
        world.step();
        let wanted = format!("made too much: {message}");
        assert!(
            world.faults()[0].ends_with(&wanted),
            "{body}: {:?}",
            world.faults()
        );
    }
    // At the top of the script, when a scene is read.
    let text = scene_text("let a = []; a.pad(4611686018427387904, [1, 2, 3]);");
    assert!(Scene::parse("test.ron", &text).is_err());
}

/// What compares is no order: the language's own functions panic for lists of more than twenty.
#[test]
fn sorting_ends_whatever_compares() {
    let no_order = state_after(
        1,
        "fn on_tick(seconds) {
            let a = []; let x = 7;
            for i in 0..200 { x = (x * 31 + 11) % 97; a.push(x); }
            let b = a.order(|x, y| (x * 7 + y * 3) % 5 - 2);
            a.sort(); b.sort();
            this.kept = a == b;
            let nan = 0.0 / 0.0; let c = [];
            for i in 0..60 { c.push(if i % 3 == 0 { nan } else { to_float((i * 17) % 41) }); }
            c.sort(); this.last = [c[39].is_nan(), c[40].is_nan(), c[59].is_nan()];
            c.sort_desc(); this.first = [c[0], c[39].is_nan(), c[40].is_nan()];
        }",
    );
    assert_eq!(
        no_order,
        "#{first: [40.0, false, true], kept: true, last: [false, true, true]}"
    );
    let got = fault("fn on_tick(seconds) { let a = [3, 1, 2]; a.sort(|x, y| throw `no ${x}`); }");
    assert!(got.contains("no 2"), "{got}");
    let got = fault("fn on_tick(seconds) { let a = [3, 1, 2]; a.sort(|x, y| \"less\"); }");
    assert!(got.contains("what compares must give a whole number"), "{got}");
    let got =
        fault("fn f(x, y) { throw `no ${x}` }\nfn on_tick(seconds) { let a = [3, 1, 2]; a.sort(\"f\"); }");
    assert!(got.contains("no 2"), "{got}");
    let got = fault("fn on_tick(seconds) { let a = [3, 1, 2]; a.sort(\"nothing\"); }");
    assert!(got.contains("nothing"), "{got}");
    let got = fault("fn on_tick(seconds) { let a = [3, 1.5]; a.sort(); }");
    assert!(
        got.contains("elements of different types cannot be sorted"),
        "{got}"
    );
    let got = fault("fn on_tick(seconds) { let a = [[3], [1]]; a.sort(); }");
    assert!(got.contains("elements of array cannot be sorted"), "{got}");
}

/// Sorted lists are those of a plain insertion into a sorted list, equal values in the order that they had.
#[test]
fn lists_are_sorted() {
    let got = state_after(
        1,
        "fn on_tick(seconds) {
            let a = [[3, 0], [1, 1], [3, 2], [2, 3], [1, 4]];
            this.less = a.order(|x, y| x[0] < y[0]);
            this.number = a.order_by(|x, y| y[0] - x[0]);
            this.whole = [3, -1, 2].order(); this.down = [3, -1, 2].order_desc();
            this.texts = [\"b\", \"a\", \"ab\"].order(); this.letters = ['b', 'a'].order();
            this.flags = [true, false, true].order(); this.none = [(), ()].order();
            let b = [2.5, -0.5]; b.sort_by(|x, y| if x < y { -1 } else { 1 }); this.by = b;
            let c = [1]; c.pad(3, 7); this.padded = c; c.pad(-1, 7); c.pad(2, 7); this.same = c;
        }",
    );
    let wanted = "#{by: [-0.5, 2.5], down: [3, 2, -1], flags: [false, true, true], less: [[1, 1], [1, 4], [2, 3], [3, 0], [3, 2]], \
        letters: ['a', 'b'], none: [(), ()], number: [[3, 0], [3, 2], [2, 3], [1, 1], [1, 4]], padded: [1, 7, 7], \
        same: [1, 7, 7], texts: [\"a\", \"ab\", \"b\"], whole: [-1, 2, 3]}";
    assert_eq!(got, wanted);
}

/// As the language's own functions do where they are within the limits.
#[test]
fn texts_are_replaced_and_padded() {
    for (text, call, wanted) in [
        ("a-b-c", "replace(\"-\", \"+=\")", "a+=b+=c"),
        ("a-b", "replace('-', \"\")", "ab"),
        ("a-b", "replace(\"-b\", 'é')", "aé"),
        ("ééa", "replace('é', 'e')", "eea"),
        ("ab", "replace(\"\", \".\")", ".a.b."),
        ("ab", "replace(\"x\", \"y\")", "ab"),
        ("", "replace(\"\", \"y\")", ""),
        ("é", "pad(6, \"xyz\")", "éxyzxy"),
        ("a", "pad(3, '!')", "a!!"),
        ("abc", "pad(2, \"x\")", "abc"),
        ("abc", "pad(-1, \"x\")", "abc"),
        ("abc", "pad(9, \"\")", "abc"),
    ] {
        let script = format!("fn on_tick(seconds) {{ let s = \"{text}\"; s.{call}; this.s = s; }}");
        assert_eq!(
            state_after(1, &script),
            format!("#{{s: \"{wanted}\"}}"),
            "{text} {call}"
        );
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

/// What the loops below work on.
const HELPERS: &str = r##"
const BIG = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30];
fn numbers(n) { let a = []; a.pad(n, 0); for i in 0..n { a[i] = i; } a }
fn texts(n) { let a = []; a.pad(n, "aaaaaaaaaaaa"); a }
fn map_of(n) { let m = #{}; for i in 0..n { m[`k${i}`] = i; } m }
fn text() { let s = ""; s.pad(16000, 'x'); s }
fn f(x) { 1 }
"##;

#[test]
fn a_call_costs_what_it_looks_at() {
    let used_up = "made more than 100000 operations in one call";
    let mut cheap = Vec::new();
    // What stands before the loop, what is done how often, far fewer times than there are operations.
    for (before, body, times) in [
        ("let a = texts(900);", "a.index_of(\"aaaaaaaaaaab\");", 100),
        (
            "let a = texts(900); let f = Fn(\"index_of\");",
            "f.call(a, \"aaaaaaaaaaab\");",
            100,
        ),
        (
            "let a = texts(900); let f = Fn(\"index_of\");",
            "call(f, a, \"b\");",
            100,
        ),
        ("let a = texts(900);", "\"aaaaaaaaaaab\" in a;", 100),
        ("this.a = texts(900);", "this.a.contains(\"aaaaaaaaaaab\");", 100),
        (
            "let m = #{a: texts(900)};",
            "m.a.contains(\"aaaaaaaaaaab\");",
            100,
        ),
        (
            "let a = [texts(900)]; let i = 0;",
            "a[i].contains(\"aaaaaaaaaaab\");",
            100,
        ),
        ("let a = texts(900); let b = texts(900);", "a == b;", 100),
        (
            "this.a = numbers(400); this.b = numbers(400);",
            "this.a != this.b;",
            100,
        ),
        ("let a = numbers(900);", "a.dedup();", 100),
        ("let a = numbers(900);", "a.to_string();", 100),
        ("let a = numbers(900);", "`${a}`;", 100),
        ("let a = numbers(900);", "\"\" + a;", 100),
        ("let a = numbers(900);", "print(a);", 100),
        ("let a = numbers(900);", "a.extract(0).to_string();", 100),
        ("let a = numbers(900);", "[a][0].to_string();", 100),
        ("let a = numbers(900);", "a.sort();", 100),
        ("let a = numbers(900);", "a.map(Fn(\"abs\"));", 100),
        (
            "let a = numbers(900);",
            "a.for_each(|x| { for i in 0..100 { } });",
            2,
        ),
        ("let m = map_of(400); let n = map_of(400);", "m == n;", 100),
        ("let m = map_of(400);", "m.to_json();", 100),
        ("let m = map_of(400);", "m.keys();", 100),
        // A map's entry with a harmless name.
        ("let m = map_of(300); m.len = Fn(\"to_string\");", "m.len();", 100),
        // Copies.
        ("let a = numbers(1000);", "let b = a;", 500),
        ("this.a = numbers(1000);", "let b = this.a;", 500),
        ("let a = [numbers(900)];", "let b = a[0];", 500),
        ("let a = [numbers(900)];", "a.get(0);", 500),
        ("let a = numbers(1000);", "f(a);", 500),
        (
            "let a = numbers(1000);",
            "[1].for_each(|x| x); for x in a { break; }",
            500,
        ),
        ("let a = numbers(1000);", "switch a { 1 => 2, _ => 3 }", 500),
        ("", "let b = []; b.pad(1000, 0);", 1000),
        ("", "let b = \"\"; b.pad(16000, 'x');", 100),
        ("let s = text();", "let t = s; t.crop(1);", 100),
        ("let s = text();", "s[15000] = 'y';", 100),
        ("this.s = text();", "this.s[15000] = 'y';", 100),
        ("", "me().to_string();", 12_000),
        ("", "name_of(me());", 12_000),
        ("", "children(me());", 12_000),
        ("", "let b = global::BIG;", 12_000),
        // Texts.
        ("let s = text();", "s.contains(\"xxxxxxxxxxxxxxxxxxxxy\");", 500),
        ("let s = text(); let t = text();", "s == t;", 1000),
        ("let s = text();", "s.to_upper();", 500),
        ("let s = text();", "s.len();", 500),
        ("let s = text();", "s[15000];", 500),
        ("this.s = text();", "this.s[15000];", 500),
        ("let s = text();", "s[15000] = 'y';", 500),
        ("this.s = text();", "this.s[15000] = 'y';", 500),
        ("let s = text();", "for c in s { break; }", 1000),
        ("let s = text();", "find(s);", 500),
        (
            "let s = \"\"; s.pad(1000, ' ');",
            "me().set(\"mind.text\", s);",
            100,
        ),
    ] {
        let world = after(
            1,
            &format!("{HELPERS}fn on_tick(seconds) {{ {before} for again in 0..{times} {{ {body} }} }}"),
        );
        if !world
            .faults()
            .first()
            .is_some_and(|fault| fault.ends_with(used_up))
        {
            cheap.push(format!("{before} {body}: {:?}", world.faults()));
        }
    }
    assert!(cheap.is_empty(), "{}", cheap.join("\n"));
}

#[test]
fn the_work_of_a_games_scripts_is_within_the_limits() {
    let mut dear = Vec::new();
    for body in [
        // Building, reading, changing and searching lists that are as long as they may be.
        "let a = []; for i in 0..1000 { a.push(i); } let sum = 0; for i in 0..1000 { sum += a[i]; } this.sum = sum;",
        "let a = numbers(1000); for x in a { this.last = x; } a.sort(); this.at = a.index_of(999);",
        "this.a = numbers(500); for i in 0..500 { this.a[i] = this.a[i] + 1; } this.a.push(1);",
        "let grid = []; for y in 0..30 { grid.push(numbers(30)); } let n = 0; for y in 0..30 { for x in 0..30 { n += grid[y][x]; } }",
        "let m = map_of(400); for i in 0..400 { m[`k${i}`] += 1; } this.n = m.len();",
        "let a = numbers(300); this.b = a.filter(|x| x > 9).map(|x| x * 2).reduce(|x, y| x + y, 0);",
        "for e in tagged(\"wood\") { e.set(\"body.linear_velocity\", vec2(0, 1)); }",
        "let s = \"\"; for i in 0..1000 { s += \"ab\"; } this.s = s;",
    ] {
        let world = after(2, &format!("{HELPERS}fn on_tick(seconds) {{ {body} }}"));
        dear.extend(world.faults().iter().map(|fault| format!("{body}: {fault}")));
    }
    assert!(dear.is_empty(), "{}", dear.join("\n"));
}

#[test]
fn memory_that_grows_without_a_variable_is_measured() {
    let held = "made too much: what its variables hold";
    for body in [
        "this.a = #{}; loop { this.a.x = this.a; this.a.y = this.a; }",
        "loop { this.a = this; this.b = this; }",
        "this.i = 0; this.l = []; this.l.pad(1000, 0); loop { this.l[this.i] = global::BIG; this.i += 1; }",
    ] {
        let got = fault(&format!("{HELPERS}fn on_tick(seconds) {{ {body} }}"));
        assert!(
            got.contains(held) || got.contains("made too much: size of"),
            "{body}\n{got}"
        );
    }
}

#[test]
fn a_word_of_the_engines_own_is_nobody_elses() {
    let text = scene_text("fn on_tick(seconds) { __body }");
    let error = Scene::parse("test.ron", &text).expect_err("the word is reserved");
    assert!(error.to_string().contains("__body"), "{error}");
}

#[test]
fn changes_cost_what_comes_of_them() {
    let text = scene_text(
        "fn on_tick(s) { for i in 0..100 { cut_through(vec2(-30, 5.4 - 0.01 * i), vec2(30, 4.6 + 0.01 * i)); } }",
    );
    let scene = Scene::parse("test.ron", &text).expect("the script is one");
    let mut world = World::from_scene(&scene).expect("the scene is sound");
    for place in 0..5 {
        let def = tombolo::SpawnDef {
            pose: Some(tombolo_geometry::Pose::new(
                tombolo_geometry::Vec2::new(-9.0 + 3.0 * place as f32, 5.0),
                0.0,
            )),
            ..tombolo::SpawnDef::default()
        };
        world.spawn("ball", &def).expect("it can be spawned");
    }
    for _ in 0..3 {
        let before = world.physics().bodies().len();
        world.step();
        let pieces = world.physics().bodies().len() - before;
        // A million operations, 400 a piece.
        assert!(pieces <= 2500, "{pieces} pieces");
    }
    let dear = world
        .faults()
        .iter()
        .filter(|fault| fault.contains("operations"))
        .count();
    assert!(dear > 0, "{:?}", world.faults());
}

#[test]
fn stored_values_of_scripts_are_charged_to_the_stage() {
    let remember = "fn on_tick(s) { if this.a == () { this.a = []; this.a.pad(1000, 1); } }";
    let mut world = world(remember);
    for _ in 0..300 {
        world
            .spawn("ball", &tombolo::SpawnDef::default())
            .expect("it can be spawned");
    }
    for _ in 0..3 {
        world.step();
    }
    let fault = "scripts made more than 1000000 operations in one stage; ";
    assert!(
        world.faults().iter().any(|line| line.starts_with(fault)),
        "{:?}",
        world.faults()
    );
}

#[test]
fn shapes_that_a_query_refuses_are_charged_like_its_results() {
    for options in [
        "#{}",
        "#{mask: 0}",
        "#{category: 0}",
        "#{material: 0, category: 0}",
        "#{material: 0, category: 2}",
        "#{material: 0, mask: 4}",
    ] {
        let text = scene_text(&format!(
            "fn on_tick(s) {{ for i in 0..100 {{ query_box(vec2(-50, -50), vec2(50, 50), {options}); }} }}"
        ));
        // They collide with the first category only.
        let text = text.replacen("Circle(radius: 0.5)", "Circle(radius: 0.5), mask: 1", 1);
        let mut world = World::from_scene(&Scene::parse("test.ron", &text).expect("it is sound"))
            .expect("the scene is sound");
        for _ in 0..300 {
            world
                .spawn("ball", &tombolo::SpawnDef::default())
                .expect("it can be spawned");
        }
        world.step();
        world.step();
        let fault = "made more than 100000 operations in one call";
        assert!(
            world.faults().iter().any(|line| line.ends_with(fault)),
            "{options}: {:?}",
            world.faults().first()
        );
    }
}

#[test]
fn no_message_is_longer_than_anybody_reads() {
    for body in [
        "let s = \"\"; s.pad(16000, 'x'); throw s;",
        "let s = \"\"; s.pad(16000, 'x'); spawn_entity(s);",
        "let s = \"\"; s.pad(16000, 'x'); me().get(s);",
        "let s = \"\"; s.pad(16000, 'x'); me().set(\"body.kind\", s);",
        "let s = \"\"; s.pad(16000, 'x'); parse_int(s);",
    ] {
        let got = fault(&format!("fn on_tick(seconds) {{ {body} }}"));
        assert!(got.len() < 700, "{body}: {} bytes", got.len());
    }
}

/// Copies and drops of lists in lists call themselves, and threads have stacks of a few megabytes.
#[test]
fn no_list_or_map_is_deeper_than_a_stack_allows() {
    let limits = "script_limits: (operations_per_call: 1000000000, operations_per_step: 1000000000, \
                  memory_bytes: 1073741824, list_length: 1000000, map_length: 1000000)";
    for body in [
        "let a = []; for i in 0..20000 { a = [a]; }",
        "let a = #{}; for i in 0..20000 { a = #{a: a}; }",
        "for i in 0..20000 { this.a = [this.a]; }",
        "let a = []; for i in 0..20000 { let b = []; b.push(a); a = b; }",
        "let a = []; for i in 0..20000 { let b = [()]; b[0] = a; a = b; }",
        "let a = [[()]]; for i in 0..2000 { a[0][0] = a; }",
        "let a = []; for i in 0..20000 { a = wrapped(a); }",
    ] {
        let text = format!("fn wrapped(a) {{ [a] }}\nfn on_tick(seconds) {{ {body} }}");
        // Another list takes the time in which the memory would be measured again.
        let crowded = text.replacen("seconds) {", "seconds) { let z = []; z.pad(900000, 0);", 1);
        for text in [text, crowded] {
            let mut world = world_with(limits, &text);
            world.step();
            let faults: Vec<&str> = world.faults().iter().map(|fault| &**fault).collect();
            assert!(
                faults.len() == 1 && faults[0].contains("made too much: depth of lists and maps"),
                "{body}: {faults:?}"
            );
        }
    }
    // What games use is not touched.
    let mut world = world_with(
        limits,
        "fn on_tick(seconds) { let a = []; for i in 0..60 { a = [a]; } this.n = 1; }",
    );
    world.step();
    assert_eq!(world.faults(), &[] as &[Box<str>]);
}
