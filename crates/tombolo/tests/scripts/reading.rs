//! Scripts are read with their scene: what is wrong with them is said then, with file and line.

use proptest::prelude::*;
use tombolo::{Scene, World};

use super::{scene_text, world};

fn refusal(text: &str) -> String {
    Scene::parse("test.ron", text)
        .expect_err("it is wrong")
        .to_string()
}

#[test]
fn a_scene_with_a_bad_script_is_refused() {
    for (script, message) in [
        ("fn on_tick(seconds) {\n  let x = ;\n}", "line 2: "),
        ("fn on_tick() { }", "line 1: write `fn on_tick(seconds)`"),
        (
            "\nfn on_jump() { }",
            "line 2: there is no event `on_jump`; known: on_spawn, on_tick, on_timer, on_begin_touch, on_end_touch, on_hit, on_force, on_enter, on_leave, on_strain, on_break, on_despawn",
        ),
        ("fn f() { speed }", "line 1: Undefined variable: speed"),
        ("let x = 2 ** 3;", "line 1: "),
        ("eval(\"1\");", "line 1: "),
        ("import \"os\" as os;", "line 1: "),
        ("sleep(1);", "line 1: Function not found: sleep (i64)"),
        ("timestamp();", "line 1: Function not found: timestamp ()"),
        (
            "let m = me();",
            "line 1: there is a world only while an event is handled; move this into a function",
        ),
        ("loop { }", "line 1: made more than 100000 operations in one call"),
    ] {
        let got = refusal(&scene_text(script));
        let wanted = format!("test.ron:3: script \"s\": {message}");
        assert!(got.starts_with(&wanted), "{script}\n got: {got}\nwant: {wanted}");
    }
}

#[test]
fn a_component_gives_a_name_or_a_text() {
    let text = scene_text("");
    let with = |component: &str| text.replacen("Script(name: \"s\")", component, 1);
    for (component, message) in [
        (
            "Script()",
            "test.ron:14: entity \"ball\", component \"mind\", property \"name\": give the name of a script, or its text",
        ),
        (
            "Script(name: \"t\")",
            "test.ron:14: entity \"ball\", component \"mind\", property \"name\": unknown script \"t\"; did you mean \"s\"?",
        ),
        (
            "Script(text: \"fn f( {\")",
            "test.ron:14: entity \"ball\", component \"mind\", property \"text\": line 1: ",
        ),
        (
            "Script(file: \"s\")",
            "test.ron:14: entity \"ball\", component \"mind\", property \"file\": unknown; ",
        ),
    ] {
        let got = refusal(&with(component));
        assert!(
            got.starts_with(message),
            "{component}\n got: {got}\nwant: {message}"
        );
    }
    let twice = text.replacen("scripts: {", "scripts: {\"s\": \"\", ", 1);
    assert_eq!(
        refusal(&twice),
        "test.ron:3: script \"s\": defined twice; keep one"
    );
    let late = text.replacen("scripts:", "entities: {}, scripts:", 1);
    assert!(
        refusal(&late).contains("must stand before \"entities\""),
        "{}",
        refusal(&late)
    );
}

#[test]
fn a_world_takes_scripts_by_name() {
    let mut world = world("");
    let error = world
        .define_script("bad", "fn f() {\n\n  1 +\n}")
        .expect_err("it is wrong");
    assert_eq!(error.line, Some(4));
    assert!(error.to_string().starts_with("line 4: "), "{error}");
    world
        .define_script("s", "fn on_tick(seconds) { this.fresh = 1; }")
        .expect("it is right");
    world.step();
    assert_eq!(super::script(&world, "ball").state().to_string(), "#{fresh: 1}");
    let long = " ".repeat(70_000);
    let error = world.define_script("long", &long).expect_err("it is long");
    assert_eq!(error.to_string(), "is 70000 bytes long; 65536 are allowed");
}

#[test]
fn the_example_of_the_documentation_runs() {
    let page = include_str!("../../../../docs/scripts.md");
    let example = page
        .split("```ron")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    let scene = Scene::parse("scripts.md", example.expect("there is one"));
    let mut world = World::from_scene(&scene.expect("it is right")).expect("it can be built");
    for _ in 0..120 {
        world.step();
    }
    assert_eq!(world.faults(), &[] as &[Box<str>]);
    let lift = world
        .find("lift")
        .and_then(|lift| world.pose(lift))
        .expect("it is placed");
    assert!(lift.position.y > 3.5, "it has risen: {}", lift.position);
}

/// Pieces of scripts, of which the generator makes texts that are nearly right.
const PIECES: [&str; 44] = [
    "fn on_tick(seconds) {",
    "fn on_spawn() {",
    "fn f(x) {",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "#{",
    ";",
    ",",
    ".",
    "=",
    "+=",
    "==",
    "let x",
    "this",
    "this.a",
    "me()",
    "find(\"ball\")",
    "get(\"body.kind\")",
    "set(\"body.bullet\", true)",
    "spawn_entity(\"crate\")",
    "despawn(me())",
    "vec2(1, 2)",
    "sin(1.0)",
    "|x| x",
    "if",
    "else",
    "while",
    "loop",
    "for i in 0..9",
    "try",
    "catch",
    "switch x",
    "return",
    "break",
    "throw",
    "1",
    "2.5e300",
    "\"te${1}xt\"",
    "`t${x}`",
    "'c'",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is read or refused, nothing panics, and what is read runs or is disabled, the same way twice.
    #[test]
    fn random_texts_do_no_harm(pieces in prop::collection::vec(0..PIECES.len(), 0..60), close in any::<bool>()) {
        let mut text = String::new();
        let mut open = 0_usize;
        for piece in pieces {
            let piece = PIECES[piece];
            if piece.ends_with('{') { open += 1 }
            if piece == "}" { open = open.saturating_sub(1) }
            text.push_str(piece);
            text.push(' ');
        }
        if close {
            text.push_str(&"}".repeat(open));
        }
        run(&text)?;
    }

    /// Any letters at all.
    #[test]
    fn random_letters_do_no_harm(text in "\\PC{0,200}") {
        run(&text)?;
    }

    /// A right script with one piece taken out, doubled or replaced.
    #[test]
    fn damaged_scripts_do_no_harm(at in 0.0..1.0_f64, length in 0..12_usize, piece in 0..PIECES.len()) {
        let whole = "fn twice(x) { x * 2 }\nfn on_tick(seconds) {\n    this.n = twice(3);\n    for e in tagged(\"wood\") { e.apply_impulse(vec2(0, this.n)); }\n}\n";
        let start = (at * whole.len() as f64) as usize;
        let end = (start + length).min(whole.len());
        run(&format!("{}{}{}", &whole[..start], PIECES[piece], &whole[end..]))?;
    }
}

fn run(text: &str) -> Result<(), TestCaseError> {
    let mut world = world("");
    if world.define_script("s", text).is_err() {
        return Ok(());
    }
    let mut other: World = world.clone();
    for _ in 0..2 {
        world.step();
        other.step();
    }
    prop_assert_eq!(world.state_hash(), other.state_hash());
    prop_assert_eq!(world.faults(), other.faults());
    Ok(())
}
