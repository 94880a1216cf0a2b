//! The command as a person meets it: what it prints, what it writes, and with which code it ends.

use crate::support::{DROP, Folder, interrupt, tombolo};
use std::process::Output;

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Asserts that a call failed with a code and one line on stderr, and gives the line.
fn failure(words: &[&str], code: i32) -> String {
    let output = tombolo(words);
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(code), "{words:?}: {line}");
    assert_eq!(line.lines().count(), 1, "{words:?}: {line}");
    assert!(line.starts_with("tombolo: "), "{words:?}: {line}");
    assert!(output.stdout.is_empty(), "{words:?} printed {}", stdout(&output));
    line.trim_start_matches("tombolo: ").trim_end().to_string()
}

#[test]
fn a_run_prints_a_summary_and_writes_a_picture() {
    let folder = Folder::new("run");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let out = folder.0.join("pictures");
    let output = tombolo(&[
        "run",
        &scene,
        "--steps",
        "150",
        "--threads",
        "2",
        "--out",
        out.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    let count = |name: &str| -> usize {
        let line = text
            .lines()
            .find(|line| line.starts_with(name))
            .unwrap_or_else(|| panic!("{name} in {text}"));
        line.split_whitespace().last().unwrap().parse().unwrap()
    };
    assert!(text.starts_with("drop: 150 steps on 2 threads\n"), "{text}");
    assert_eq!(
        (count("bodies"), count("shapes"), count("joints")),
        (7, 7, 1),
        "{text}"
    );
    assert_eq!(
        (count("awake"), count("sleeping")),
        (1, 5),
        "the stack sleeps, the swing swings: {text}"
    );
    assert!(
        text.contains("\nms per step ") && text.contains("\nfind_pairs "),
        "{text}"
    );

    let png = std::fs::read(out.join("drop.png")).unwrap();
    assert!(png.starts_with(b"\x89PNG"));
    assert_eq!(
        std::fs::read_dir(&out).unwrap().count(),
        2,
        "picture and replay page; no temporary file is left"
    );
}

#[test]
fn a_live_page_has_the_scene_and_the_module_in_it() {
    let folder = Folder::new("live-page");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let out = folder.0.join("pages").display().to_string();
    let module = folder.file("engine.wasm", b"\0asm and more");
    let words = |scene: &str, module: &str, more: &[&str]| -> Vec<String> {
        let words = [
            "run", scene, "--steps", "2", "--page", "live", "--module", module, "--out", &out,
        ];
        words.iter().chain(more).map(ToString::to_string).collect()
    };
    let fails = |words: Vec<String>| failure(&words.iter().map(String::as_str).collect::<Vec<_>>(), 1);
    let no_module = folder.file("text.wasm", b"wasm");
    assert!(fails(words(&scene, &no_module, &[])).contains("no WebAssembly module"));
    assert!(fails(words(&scene, "nowhere.wasm", &[])).contains("cannot be read"));
    assert!(fails(words("falling_hinges", &module, &[])).contains("bare physics world"));
    let set = ["--set", "stack[0].body.linear_velocity=(3,0)"];
    assert!(fails(words(&scene, &module, &set)).contains("begins as the scene says"));
    let replay = failure(
        &["run", &scene, "--steps", "2", "--module", &module, "--out", &out],
        1,
    );
    assert_eq!(replay, "--module is for the live page: --page live");

    let words = words(&scene, &module, &[]);
    let output = tombolo(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert!(output.status.success(), "{output:?}");
    let text = stdout(&output);
    assert!(
        text.contains("\nlive page ") && !text.contains("\nreplay "),
        "{text}"
    );
    let page = std::fs::read_to_string(folder.0.join("pages/drop.html")).unwrap();
    assert!(page.contains("id=\"module\"") && page.contains("id=\"scene-data\""));
    assert!(!page.contains("WebSocket"), "it asks no server");
}

#[test]
fn json_says_the_same_for_programs() {
    let folder = Folder::new("json");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let run = |threads: &str| -> serde_json::Value {
        let out = folder.0.display().to_string();
        let output = tombolo(&[
            "run",
            &scene,
            "--steps",
            "40",
            "--threads",
            threads,
            "--out",
            &out,
            "--json",
        ]);
        assert!(output.status.success(), "{output:?}");
        serde_json::from_str(&stdout(&output)).unwrap()
    };
    let (one, three) = (run("1"), run("3"));
    assert_eq!(one["state_hash"], three["state_hash"]);
    assert_eq!((&one["steps"], &three["threads"]), (&40.into(), &3.into()));
    assert_eq!(
        one["stages"].as_array().unwrap().len(),
        tombolo::physics::Stage::ALL.len()
    );
    assert!(one["step"]["max_ms"].as_f64() >= one["step"]["p50_ms"].as_f64());
}

#[test]
fn more_substeps_are_another_future() {
    let folder = Folder::new("substeps");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let hash = |substeps: &str| {
        let out = folder.0.display().to_string();
        let words = [
            "run",
            &scene,
            "--steps",
            "30",
            "--substeps",
            substeps,
            "--out",
            &out,
            "--json",
        ];
        let summary: serde_json::Value = serde_json::from_str(&stdout(&tombolo(&words))).unwrap();
        summary["state_hash"].clone()
    };
    assert_eq!(hash("4"), hash("4"));
    assert_ne!(hash("4"), hash("8"));
}

#[test]
fn what_is_wrong_with_a_scene_is_one_line_and_code_1() {
    let folder = Folder::new("bad");
    let bad = |name: &str, right: &str, wrong: &str| {
        assert!(DROP.contains(right));
        let path = folder.file(name, DROP.replacen(right, wrong, 1).as_bytes());
        let line = failure(&["run", &path], 1);
        line.strip_prefix(&path)
            .unwrap_or_else(|| panic!("{line} does not begin with the file"))
            .to_string()
    };
    assert_eq!(
        bad("nan.ron", "width: 20", "width: NaN"),
        r#":3: entity "ground", component "top", property "shape.width": NaN is not a finite number"#
    );
    assert_eq!(
        bad("zero.ron", "radius: 0.1", "radius: 0"),
        r#":7: entity "swing", component "bar", property "shape.radius": 0 is too small; give more than 0"#
    );
    assert_eq!(
        bad("missing.ron", r#"Entity("ground")"#, r#"Entity("grund")"#),
        r#":8: entity "swing", component "hinge", property "to": no entity "grund" is placed; did you mean "ground"?"#
    );
    assert_eq!(
        bad("count.ron", "count: 5", "count: 5000000"),
        r#":13: entity "stack", property "count": 5000000 is out of range; give 1 to 100000"#
    );
    let path = folder.file("latin.ron", b"(\n\xe9)");
    assert_eq!(
        failure(&["run", &path], 1),
        format!("{path}:2: scene: is not UTF-8 text")
    );
    assert!(failure(&["run", "no/such.ron"], 1).starts_with("no/such.ron: scene: cannot be read: "));
    assert!(failure(&["verify", "no/such.ron"], 1).contains("cannot be read"));
    let unreadable = folder.0.display().to_string() + "/.";
    assert!(failure(&["run", &unreadable], 1).contains("cannot be read"));
}

#[test]
fn an_unknown_world_suggests_the_nearest() {
    assert_eq!(
        failure(&["run", "habour"], 1),
        r#"no world is called "habour"; did you mean "harbour"?"#
    );
    assert!(
        failure(&["run", "atlantis"], 1)
            .starts_with(r#"no world is called "atlantis"; give a scene file or one of: "#)
    );
}

#[test]
fn an_output_that_cannot_be_written_is_code_1() {
    let folder = Folder::new("unwritable");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let line = failure(&["run", &scene, "--steps", "1", "--out", &scene], 1);
    assert!(line.contains("drop.ron: cannot be written to: "), "{line}");
}

#[test]
fn wrong_usage_is_one_line_and_code_2() {
    let cases: [(&[&str], &str); 8] = [
        (
            &["run", "--threads", "0"],
            "invalid value '0' for '--threads <N>': give a number from 1 to 64 (try --help)",
        ),
        (
            &["run", "--threads", "65"],
            "invalid value '65' for '--threads <N>': give a number from 1 to 64 (try --help)",
        ),
        (
            &["verify", "--threads", "1,x"],
            "invalid value 'x' for '--threads <LIST>': give a number from 1 to 64 (try --help)",
        ),
        (
            &["run", "--steps", "0"],
            "invalid value '0' for '--steps <N>': 0 is not in 1..=10000000 (try --help)",
        ),
        (
            &["run", "--substeps", "-1"],
            "unexpected argument '-1' found (try --help)",
        ),
        (&["fly"], "unrecognized subcommand 'fly' (try --help)"),
        (
            &["verify", "--bless"],
            "the following required arguments were not provided: --reason <TEXT> (try --help)",
        ),
        (
            &["verify", "--bless", "--reason", " "],
            "invalid value ' ' for '--reason <TEXT>': give one line of text (try --help)",
        ),
    ];
    for (words, line) in cases {
        assert_eq!(failure(words, 2), line);
    }
}

#[test]
fn help_and_version_are_no_failures() {
    for words in [
        &["--help"][..],
        &["run", "--help"],
        &["verify", "--help"],
        &["--version"],
    ] {
        let output = tombolo(words);
        assert!(
            output.status.success() && output.stderr.is_empty() && !output.stdout.is_empty(),
            "{output:?}"
        );
    }
}

#[test]
fn a_benchmark_world_runs_by_its_name() {
    let folder = Folder::new("builder");
    let out = folder.0.display().to_string();
    let output = tombolo(&["run", "falling_hinges", "--steps", "20", "--out", &out]);
    assert!(
        stdout(&output).starts_with("falling_hinges: 20 steps on "),
        "{output:?}"
    );
    assert!(folder.0.join("falling_hinges.png").exists());
}

#[test]
fn inspect_shows_entities_prototypes_and_properties() {
    let folder = Folder::new("inspect");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let text = stdout(&tombolo(&["inspect", &scene]));
    for line in [
        "drop: 7 entities after 0 steps",
        "Collider                 7",
        "        5  transform (Transform), body (Body), hull (Collider)",
        "stack[4]",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    let text = stdout(&tombolo(&["inspect", &scene, "stack[4]", "--step", "30"]));
    for line in [
        "stack[4] in drop after 30 steps",
        "body (Body)",
        "kind                 Dynamic",
        "mass                 1 kg",
    ] {
        assert!(text.contains(line), "{line:?} is not in\n{text}");
    }
    let json = stdout(&tombolo(&["inspect", &scene, "swing", "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["name"], "swing");
    let joint = &json["components"][3];
    assert_eq!(
        (&joint["name"], &joint["manager"]),
        (&"hinge".into(), &"Joint".into())
    );
    let to = joint["properties"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["name"] == "to")
        .unwrap();
    assert_eq!(to["value"], "\"ground\"");
    let json = stdout(&tombolo(&["inspect", &scene, "--json"]));
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["entities"].as_array().unwrap().len(), 7);
    let text = stdout(&tombolo(&["inspect", "playground"]));
    assert!(text.contains("contact rule\nmaterials"), "{text}");
    let one_way = text.lines().find(|line| line.contains("one_way: (0, 1)"));
    assert!(
        one_way.is_some_and(|line| line.starts_with("materials")),
        "{text}"
    );
    let line = failure(&["inspect", &scene, "stack[9]"], 1);
    assert_eq!(
        line,
        r#"no entity is called "stack[9]"; did you mean "stack[0]"?"#
    );
    let line = failure(&["inspect", "falling_hinges"], 1);
    assert_eq!(line, "falling_hinges is a bare physics world: it has no entities");
}

#[test]
fn a_property_is_set_before_the_first_step() {
    let folder = Folder::new("set");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let out = folder.0.display().to_string();
    let hash = |sets: &[&str]| {
        let mut words = vec!["run", &scene, "--steps", "20", "--json", "--out", &out];
        words.extend(sets.iter().flat_map(|set| ["--set", set]));
        let json: serde_json::Value = serde_json::from_str(&stdout(&tombolo(&words))).unwrap();
        json["state_hash"].as_str().unwrap().to_string()
    };
    let as_it_is = hash(&[]);
    let thrown = hash(&["stack[4].Body.linear_velocity=(3,0)"]);
    assert_ne!(thrown, as_it_is);
    assert_eq!(hash(&["stack[4].body.linear_velocity.x=3"]), thrown);
    let line = failure(&["run", &scene, "--set", "stack[4].body.mass=3"], 1);
    assert_eq!(line, "`body.mass` can be read only");
    let line = failure(&["run", "falling_hinges", "--set", "a.b.c=1"], 1);
    assert!(line.contains("a bare physics world has no entities"), "{line}");
}

#[test]
fn a_script_that_fails_is_reported_after_the_run() {
    let folder = Folder::new("script");
    let scene = DROP.replacen(
        "entities: {",
        r##"scripts: {"count": r#"fn on_tick(seconds) {
            this.n = (this.n ?? 0) + 1;
            if this.n == 3 { print("three"); }
            if this.n == 5 { me().set("body.kind", 7); }
        }"#},
        entities: {
        "counter": {"body": Body(), "mind": Script(name: "count")},"##,
        1,
    );
    let placed = "place: [One(name: \"counter\", entity: \"counter\"), ";
    let scene = scene.replacen("place: [", placed, 1);
    let path = folder.file("failing.ron", scene.as_bytes());
    let out = folder.0.join("out").display().to_string();
    let output = tombolo(&["run", &path, "--steps", "10", "--out", &out]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stderr.clone()).unwrap();
    let kinds = "one of Static, Kinematic, Dynamic";
    assert_eq!(
        told,
        format!(
            "three\ntombolo: entity \"counter\", script \"mind\", line 4: `body.kind` is {kinds}, not a whole number\n"
        )
    );
    assert!(
        stdout(&output).starts_with("failing: 10 steps"),
        "{}",
        stdout(&output)
    );
    assert!(folder.0.join("out/failing.png").exists());
}

#[test]
fn whether_a_run_can_be_written_is_tried_before_it() {
    let folder = Folder::new("out-first");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let file = folder.file("file", b"");
    // So many steps would take hours.
    let words = [
        "run",
        &scene,
        "--steps",
        "10000000",
        "--threads",
        "1",
        "--out",
        &file,
    ];
    let line = failure(&words, 1);
    assert!(line.contains("file: cannot be written to: "), "{line}");
}

#[cfg(unix)]
#[test]
fn ctrl_c_writes_what_there_is() {
    let folder = Folder::new("interrupt");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let out = folder.0.join("out");
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args(["run", &scene, "--steps", "10000000", "--threads", "1", "--out"])
        .arg(&out)
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // The folder is made when the command listens already.
    while !out.exists() {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let output = interrupt(child);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert!(
        line.starts_with("tombolo: stopped by Ctrl-C after ")
            && line.ends_with(" of 10000000 steps; what there is was written\n"),
        "{line}"
    );
    assert!(stdout(&output).starts_with("drop: "), "{output:?}");
    assert!(
        std::fs::read(out.join("drop.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
    assert!(out.join("drop.html").exists());
}

#[test]
fn an_entity_is_found_by_its_handle_in_every_form() {
    let words = |wanted: &'static str| ["inspect", "workshop", wanted, "--step", "60"];
    let of = |wanted: &'static str| stdout(&tombolo(&words(wanted)));
    let whole = of("4294967371");
    assert!(
        whole.starts_with("4294967371 in workshop after 60 steps\n"),
        "{whole}"
    );
    for wanted in ["75", "75v1", "Handle(75v1)"] {
        assert_eq!(of(wanted), whole, "{wanted}");
    }
    let line = failure(&["inspect", "workshop", "75v1"], 1);
    assert_eq!(
        line,
        "no entity has the handle \"75v1\" after 0 steps; --step says when to look"
    );
}

#[test]
fn names_do_not_reach_the_terminal_raw_nor_whole() {
    let folder = Folder::new("names");
    let evil = DROP
        .replace("name: \"ground\"", r#"name: "gro\u{1b}[2Jund""#)
        .replace("Entity(\"ground\")", r#"Entity("gro\u{1b}[2Jund")"#);
    let scene = folder.file("evil.ron", evil.as_bytes());
    let shown = tombolo(&["inspect", &scene]);
    assert!(shown.status.success(), "{shown:?}");
    assert!(!shown.stdout.contains(&0x1b));
    assert!(stdout(&shown).contains(r"gro\u{1b}[2Jund"), "{}", stdout(&shown));

    // Nor do those of files.
    let recording = folder.0.join("\u{1b}[2J.rec").display().to_string();
    let page = folder.0.join("\u{1b}[2J.html").display().to_string();
    for words in [
        vec!["record", &scene, "--steps", "3", "--out", &recording],
        vec!["replay", &recording, "--page", &page],
        vec!["convert", "scenes/platformer.tmx", &page],
    ] {
        let said = tombolo(&words);
        assert!(said.status.success(), "{said:?}");
        assert!(stdout(&said).contains(r"\u{1b}[2J"), "{said:?}");
        assert!(!said.stdout.contains(&0x1b), "{said:?}");
    }

    let long = "x".repeat(3_000_000);
    for text in [
        DROP.replace("Entity(\"ground\")", &format!("Entity(\"{long}\")")),
        DROP.replace("entity: \"crate\"", &format!("entity: \"{long}\"")),
        DROP.replace("kind: Dynamic", &format!("kind: {long}")),
        DROP.replace("kind: Dynamic", &format!("{long}: 1")),
        DROP.replace("kind: Dynamic", "kind: \u{1b}[2J"),
    ] {
        let scene = folder.file("long.ron", text.as_bytes());
        let output = tombolo(&["inspect", &scene]);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            output.stderr.len() < 800,
            "{} bytes of message",
            output.stderr.len()
        );
        assert!(!output.stderr.contains(&0x1b));
    }
    let long = "y".repeat(100_000);
    for words in [
        vec!["run", &long],
        vec!["run", "\u{1b}[2J"],
        vec!["inspect", "harbour", &long],
        vec!["run", "harbour", "--steps", &long],
        vec!["run", "harbour", "--steps", "1", "--set", &long],
        vec!["verify", "harbour", "--golden", &long],
        vec!["verify", "harbour", "--lanes", "\u{1b}[2J"],
    ] {
        let output = tombolo(&words);
        assert!(!output.status.success());
        assert!(
            output.stderr.len() < 800,
            "{} bytes of message",
            output.stderr.len()
        );
        assert!(!output.stderr.contains(&0x1b));
    }
}
