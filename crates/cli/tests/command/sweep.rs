//! `tombolo sweep`: tables of many worlds.

use std::fs;
use std::path::PathBuf;
use std::process::Output;

use crate::support::{Folder, interrupt, tombolo};
use sha2::{Digest, Sha256};

/// A ball that a script kicks by the seed.
const BALL: &str = r#"(
    settings: (seed: 1),
    scripts: {"kick": "fn on_spawn() { me().set(\"body.linear_velocity\", vec2(random(0.0, 9.0), 5.0)); }"},
    entities: {"ball": {
        "body": Body(kind: Dynamic), "skin": Collider(shape: Circle(radius: 0.5)), "start": Script(name: "kick"),
    }},
    place: [One(name: "ball", entity: "ball", at: (0, 3))],
)"#;

/// 2 × 4 × 4 worlds.
const SWEEP: &str = r#"(
    scenes: ["ball.ron", "maze"],
    seeds: [None, 1, 2, 3],
    set: {"ball.body.gravity_scale": [1.0, 0.5], "ball.body.angular_velocity": [0, 2.5]},
    read: ["ball.transform.position", "ball.body.kind", "ball.body.awake"],
    steps: 40,
    out: "table.csv",
)"#;

/// A folder with the ball, a sweep in `sweep.ron`, and where its table is to be.
fn folder(name: &str, sweep: &str) -> (Folder, String, PathBuf) {
    let folder = Folder::new(name);
    folder.file("ball.ron", BALL.as_bytes());
    let file = folder.file("sweep.ron", sweep.as_bytes());
    let table = folder.0.join("table.csv");
    (folder, file, table)
}

fn only_ball() -> String {
    SWEEP.replace(", \"maze\"", "")
}

fn part(table: &std::path::Path) -> PathBuf {
    table.with_extension("csv.part")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// Asserts that a call failed with one line on stderr, and gives the line.
fn failure(output: &Output) -> String {
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(1), "{line}");
    assert_eq!(line.lines().count(), 1, "{line}");
    line.trim_start_matches("tombolo: ").trim_end().to_string()
}

/// The number behind a name in the summary.
fn count(output: &Output, name: &str) -> usize {
    let text = stdout(output);
    let line = text.lines().find(|line| line.starts_with(name));
    let line = line.unwrap_or_else(|| panic!("{name} in {text}"));
    line.split_whitespace().last().unwrap().parse().unwrap()
}

#[test]
fn a_table_is_the_same_for_any_number_of_threads() {
    let (folder, file, table) = folder("sweep-threads", &only_ball());
    let mut tables = Vec::new();
    for threads in ["1", "2", "5"] {
        let out = folder.0.join(format!("{threads}.csv")).display().to_string();
        let output = tombolo(&["sweep", &file, "--threads", threads, "--out", &out]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!((count(&output, "jobs"), count(&output, "failed")), (16, 0));
        tables.push(fs::read_to_string(out).unwrap());
    }
    assert!(tables[1..].iter().all(|table| *table == tables[0]));
    assert!(!table.exists());
    let count = fs::read_dir(&folder.0).unwrap().count();
    assert_eq!(count, 5, "scene, sweep and three tables; nothing beside them");

    let rows: Vec<&str> = tables[0].lines().collect();
    let columns = "scene,seed,ball.body.gravity_scale,ball.body.angular_velocity,steps,ball.transform.position,\
                   ball.body.kind,ball.body.awake,hash,error";
    assert_eq!(rows[0], columns);
    let hash = |row: &str| row.rsplit(',').nth(1).unwrap().to_string();
    assert!(
        rows[1].starts_with("ball.ron,,1.0,0,40,\"[") && rows[1].ends_with(','),
        "{}",
        rows[1]
    );
    assert!(rows[16].starts_with("ball.ron,3,0.5,2.5,40,\"["), "{}", rows[16]);
    assert!(
        rows[16].contains("]\",Dynamic,True,"),
        "a choice is its word: {}",
        rows[16]
    );
    let hashes: Vec<String> = rows[1..].iter().map(|row| hash(row)).collect();
    assert_eq!(hashes[..4], hashes[4..8], "the scene's own seed is 1");
    let different: std::collections::BTreeSet<&String> = hashes.iter().collect();
    assert_eq!(different.len(), 12);
}

#[test]
fn the_hash_in_a_row_is_that_of_a_run() {
    let (folder, file, table) = folder("sweep-hash", &only_ball());
    assert!(tombolo(&["sweep", &file]).status.success());
    let scene = folder.file("seed3.ron", BALL.replace("seed: 1", "seed: 3").as_bytes());
    let output = tombolo(&[
        "run",
        &scene,
        "--steps",
        "40",
        "--set",
        "ball.body.gravity_scale=0.5",
        "--set",
        "ball.body.angular_velocity=2.5",
        "--threads",
        "2",
        "--out",
        &folder.0.join("out").display().to_string(),
        "--json",
    ]);
    let summary: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let table = fs::read_to_string(table).unwrap();
    let last = table.lines().last().unwrap();
    assert_eq!(last.rsplit(',').nth(1), summary["state_hash"].as_str(), "{last}");
}

#[test]
fn what_the_engine_refuses_is_a_row_and_the_command_says_so_at_the_end() {
    let (_folder, file, table) = folder("sweep-refused", SWEEP);
    let output = tombolo(&["sweep", &file]);
    let line = failure(&output);
    assert!(
        line.starts_with("16 of 32 jobs failed; the first: maze, ball.body.gravity_scale=1.0, "),
        "{line}"
    );
    assert!(line.contains("no entity is called \"ball\""), "{line}");
    assert_eq!((count(&output, "jobs"), count(&output, "failed")), (32, 16));
    let text = fs::read_to_string(&table).unwrap();
    assert_eq!(text.lines().count(), 33);
    let row = text.lines().last().unwrap();
    assert!(row.starts_with("maze,3,0.5,2.5,40,,,,,\""), "{row}");
    assert!(
        !part(&table).exists(),
        "an error is a result: it would be the same again"
    );
}

#[test]
fn a_fault_is_the_error_of_its_row_beside_what_was_read() {
    let sweep = SWEEP.replace("\"maze\"", "\"failing.ron\"").replace("40", "3");
    let (folder, file, table) = folder("sweep-fault", &sweep);
    folder.file(
        "failing.ron",
        BALL.replace("random(0.0, 9.0)", "no_such_thing()").as_bytes(),
    );
    let output = tombolo(&["sweep", &file]);
    let line = failure(&output);
    assert!(
        line.starts_with("16 of 32 jobs failed; the first: failing.ron, ball.body.gravity_scale=1.0, "),
        "{line}"
    );
    assert!(line.contains("no_such_thing"), "{line}");
    let text = fs::read_to_string(&table).unwrap();
    let row = text.lines().last().unwrap();
    let (before, error) = row
        .split_once(",\"entity \"\"ball\"\"")
        .unwrap_or_else(|| panic!("{row}"));
    let hash = before.rsplit(',').next().unwrap();
    assert!(hash.len() == 16 && u64::from_str_radix(hash, 16).is_ok(), "{row}");
    assert!(error.contains("no_such_thing"), "{row}");
    assert!(before.starts_with("failing.ron,3,0.5,2.5,3,\"[0.0, "), "{row}");
}

#[test]
fn a_scene_that_is_wrong_has_its_error_in_its_rows() {
    let sweep = r#"(scenes: ["ball.ron", "bad.ron"], steps: 1, out: "table.csv")"#;
    let (folder, file, table) = folder("sweep-scene", sweep);
    folder.file("bad.ron", b"(\n  settings: (substeps: 0),\n)");
    let line = failure(&tombolo(&["sweep", &file]));
    assert!(
        line.starts_with("1 of 2 jobs failed; the first: bad.ron: scene:2: settings"),
        "{line}"
    );
    let text = fs::read_to_string(table).unwrap();
    assert!(
        text.contains("\nbad.ron,,1,,\"scene:2: settings, property \"\"substeps\"\": 0"),
        "{text}"
    );
}

/// Worlds enough that Ctrl-C comes before the last one.
#[cfg(unix)]
const LONG: &str = r#"(
    scenes: ["ball.ron"],
    seeds: Range(first: 10, count: 40),
    read: ["ball.transform.position"],
    steps: 500,
    out: "table.csv",
)"#;

/// The lines of a part file.
#[cfg(unix)]
fn lines(part: &std::path::Path) -> Vec<String> {
    let text = fs::read_to_string(part).unwrap_or_default();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    let lines = whole.lines().filter(|line| !line.is_empty());
    lines.map(str::to_string).collect()
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_a_part_file_from_which_the_same_call_goes_on() {
    let (folder, file, table) = folder("sweep-interrupt", LONG);
    let whole = folder.0.join("whole.csv");
    let output = tombolo(&["sweep", &file, "--out", &whole.display().to_string()]);
    assert!(output.status.success(), "{output:?}");
    let whole = fs::read(whole).unwrap();

    let child = std::process::Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args(["sweep", &file, "--threads", "2"])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    while lines(&part(&table)).len() < 3 {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    let output = interrupt(child);
    let line = String::from_utf8(output.stderr.clone()).unwrap();
    assert_eq!(output.status.code(), Some(130), "{line}");
    let kept = lines(&part(&table)).len();
    let said = format!("tombolo: stopped by Ctrl-C after {kept} of 40 worlds; the same call goes on from ");
    assert!(line.starts_with(&said), "{line}");
    assert!((3..40).contains(&kept) && !table.exists());

    let output = tombolo(&["sweep", &file, "--threads", "2"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(count(&output, "run now"), 40 - kept);
    assert_eq!(fs::read(&table).unwrap(), whole);
    assert!(!part(&table).exists());
}

/// The line of a job in a part file, as `json.dumps` of Python writes it, with what no run gives.
fn line_of_python() -> String {
    let sha256 = |text: &str| -> String {
        let bytes = Sha256::digest(text.as_bytes());
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    };
    let key = format!(
        r#"["{}", "ball.ron", "{}", 7, [["ball.body.linear_velocity", [1.0, 2]]], 3, ["ball.transform.position"]]"#,
        env!("CARGO_PKG_VERSION"),
        sha256(BALL),
    );
    let row = r#"{"scene": "ball.ron", "seed": 7, "ball.body.linear_velocity": [1.0, 2], "steps": 3, "ball.transform.position": [0.1, -2.5e-05], "hash": "00000000000000ff", "error": "a fault"}"#;
    format!(r#"["{}", {row}]"#, sha256(&key))
}

#[test]
fn a_part_file_of_the_package_for_python_is_gone_on_from() {
    let sweep = r#"(
        scenes: ["ball.ron"],
        seeds: [7, 8],
        set: {"ball.body.linear_velocity": [(1.0, 2)]},
        read: ["ball.transform.position"],
        steps: 3,
        out: "table.csv",
    )"#;
    let (_folder, file, table) = folder("sweep-part", sweep);
    // The kill came in the middle of a line, and a line of another sweep is there.
    let lines = format!(
        "\n{}\n[\"abc\", {{\"error\": \"of another sweep\"}}]\n[\"abc\", {{\"sce",
        line_of_python()
    );
    fs::write(part(&table), lines).unwrap();
    let output = tombolo(&["sweep", &file]);
    let line = failure(&output);
    assert!(
        line.starts_with("1 of 2 jobs failed; the first: ball.ron, seed 7, ") && line.ends_with(": a fault"),
        "{line}"
    );
    assert_eq!((count(&output, "jobs"), count(&output, "run now")), (2, 1));
    let text = fs::read_to_string(&table).unwrap();
    let row = text.lines().nth(1).unwrap();
    let kept = "ball.ron,7,\"[1.0, 2]\",3,\"[0.1, -2.5e-05]\",00000000000000ff,a fault";
    assert_eq!(row, kept);
    assert!(!part(&table).exists());
}

#[test]
fn nothing_but_a_table_of_the_same_sweep_is_written_over() {
    let (folder, file, table) = folder("sweep-overwrite", &only_ball());
    let refused = format!(
        "{}: is there already and no table of this sweep; give another file with --out, or --overwrite",
        table.display()
    );
    fs::write(&table, "mine").unwrap();
    assert_eq!(failure(&tombolo(&["sweep", &file])), refused);
    assert_eq!(fs::read(&table).unwrap(), b"mine");
    assert!(!part(&table).exists());
    let output = tombolo(&["sweep", &file, "--overwrite"]);
    assert!(output.status.success(), "{output:?}");
    // Again, also after the scene has changed.
    let before = fs::read(&table).unwrap();
    folder.file("ball.ron", BALL.replace("(0, 3)", "(0, 4)").as_bytes());
    assert!(tombolo(&["sweep", &file]).status.success());
    let table_now = fs::read(&table).unwrap();
    assert_ne!(table_now, before);
    for (from, to) in [
        ("[None, 1, 2, 3]", "[None, 1, 2]"),
        ("steps: 40", "steps: 41"),
        ("[0, 2.5]", "[0, 3.5]"),
    ] {
        let other = folder.file("other.ron", only_ball().replace(from, to).as_bytes());
        assert_eq!(failure(&tombolo(&["sweep", &other])), refused, "{to}");
    }
    assert_eq!(fs::read(&table).unwrap(), table_now);
}

#[test]
fn a_world_that_is_asked_for_twice_runs_once() {
    let sweep = r#"(scenes: ["ball.ron", "ball.ron"], seeds: [4, 4], steps: 2, out: "deep/table.csv")"#;
    let (folder, file, _) = folder("sweep-twice", sweep);
    let output = tombolo(&["sweep", &file]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!((count(&output, "jobs"), count(&output, "run now")), (4, 1));
    let text = fs::read_to_string(folder.0.join("deep/table.csv")).unwrap();
    let rows: Vec<&str> = text.lines().skip(1).collect();
    assert_eq!(rows, [rows[0]; 4]);
}

#[test]
fn a_wrong_sweep_is_one_line_before_anything_runs() {
    let (folder, _, _) = folder("sweep-wrong", SWEEP);
    let wrong = [
        (
            "scenes: [\"ball.ron\"], stepz: 3",
            ":1: a sweep has no field \"stepz\"; did you mean \"steps\"?",
        ),
        (
            "scenes: [\"ball.ron\"], steps: 1.5",
            ":1: steps: `1.5` is out of range; give a whole number from 0 to 10000000",
        ),
        (
            "scenes: [\"machine\"], steps: 3",
            "no scene is called \"machine\"; did you mean \"machines\"?",
        ),
        (
            "scenes: [\"large_pyramid\"], steps: 3",
            "no scene is called \"large_pyramid\"; give a scene file or one of: ",
        ),
        ("scenes: [\"gone.ron\"], steps: 3", "gone.ron: cannot be read: "),
        (
            "scenes: [\"a.tmx\"], steps: 3",
            "a.tmx: a sweep takes scenes; tombolo convert makes one of a map",
        ),
        (
            "scenes: [\"ball.ron\"], steps: 3, read: [\"p\", \"p\"]",
            "the column \"p\" would have two values: leave it out of what is read, or of what is set",
        ),
        (
            "scenes: [\"ball.ron\"], steps: 3, read: [\"seed\"]",
            "the column \"seed\" would have two values",
        ),
        (
            "scenes: [\"ball.ron\"], steps: 3, set: {\"p\": [1]}, read: [\"p\"]",
            "the column \"p\" would have two values",
        ),
        (
            "scenes: [\"ball.ron\"], steps: 3, seeds: Range(first: 0, count: 10_000_000), set: {\"p\": [1, 2]}",
            "a table has 10000000 rows at most",
        ),
    ];
    for (fields, message) in wrong {
        let file = folder.file("wrong.ron", format!("({fields}, out: \"wrong.csv\")").as_bytes());
        let line = failure(&tombolo(&["sweep", &file]));
        assert!(line.contains(message), "{line}");
        assert!(!folder.0.join("wrong.csv.part").exists(), "{fields}");
    }
    let line = failure(&tombolo(&[
        "sweep",
        &folder.0.join("none.ron").display().to_string(),
    ]));
    assert!(line.contains("none.ron: cannot be read: "), "{line}");
}

#[test]
fn the_sweep_that_ships_runs() {
    let folder = Folder::new("sweep-shipped");
    let out = folder.0.join("torque.csv").display().to_string();
    let output = tombolo(&["sweep", "scenes/sweeps/torque.ron", "--out", &out]);
    assert!(output.status.success(), "{output:?}");
    let text = fs::read_to_string(out).unwrap();
    assert_eq!(text.lines().count(), 1 + count(&output, "jobs"));
    let hashes: std::collections::BTreeSet<&str> = text
        .lines()
        .skip(1)
        .filter_map(|row| row.rsplit(',').nth(1))
        .collect();
    assert_eq!(
        hashes.len(),
        count(&output, "jobs"),
        "each torque is another future"
    );
}
