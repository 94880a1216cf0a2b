//! The commands about recordings: one is made, played with other workers from the middle, compared, made shorter.

use crate::support::{DROP, Folder, data_of, tombolo};

/// A call that ends with a code: what it printed.
fn call(words: &[&str], code: i32) -> String {
    let output = tombolo(words);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(code), "{words:?}: {errors}");
    let printed = String::from_utf8(output.stdout.clone()).unwrap();
    if printed.is_empty() {
        errors.to_string()
    } else {
        printed
    }
}

/// What follows `state `.
fn state(text: &str) -> &str {
    let (_, rest) = text.split_once("state ").unwrap_or_else(|| panic!("{text}"));
    &rest[..16]
}

#[test]
fn a_recording_of_one_thread_plays_with_eight_and_another_lane_width_from_any_step() {
    let folder = Folder::new("record");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let file = path("hinges.rec");
    let words = [
        "record",
        "falling_hinges",
        "--steps",
        "100",
        "--key-frames",
        "40",
        "--hashes",
        "10",
        "--out",
        &file,
    ];
    let made = call(&words, 0);
    assert!(made.contains("100 steps, "), "{made}");
    for from in ["0", "1", "40", "41", "100"] {
        let played = call(
            &["replay", &file, "--threads", "8", "--lanes", "1", "--from", from],
            0,
        );
        assert_eq!(state(&played), state(&made));
        assert!(played.ends_with("as recorded\n"), "{played}");
    }
    let part = call(&["replay", &file, "--to", "50"], 0);
    assert!(
        part.contains("after step 50: ") && state(&part) != state(&made),
        "{part}"
    );
    let page = path("page.html");
    call(&["replay", &file, "--page", &page], 0);
    assert!(std::fs::read_to_string(&page).unwrap().contains("hinges"));
    // The page has the state before the first step too, and counts from the step that it begins after.
    for (from, frames) in [(0, 101), (60, 41), (100, 1)] {
        call(
            &["replay", &file, "--page", &page, "--from", &from.to_string()],
            0,
        );
        let manifest = data_of("manifest", &page);
        assert_eq!(manifest["figures"]["step_us"].as_array().unwrap().len(), frames);
        assert_eq!(manifest["first_step"], from);
    }
    let error = call(&["replay", &file, "--from", "101"], 1);
    assert_eq!(error, "tombolo: there is no step 101: the recording has 100\n");
    let error = call(&["replay", &file, "--to", "101"], 1);
    assert_eq!(error, "tombolo: there is no step 101: the recording has 100\n");
    let error = call(&["replay", &file, "--from", "10", "--to", "5"], 1);
    assert_eq!(error, "tombolo: --to 5 comes before --from 10\n");
    // What a crash leaves.
    let bytes = std::fs::read(&file).unwrap();
    let cut = folder.file("cut.rec", &bytes[..bytes.len() - 9]);
    assert!(call(&["replay", &cut], 0).contains("cut off after that"));
    let broken = folder.file("no.rec", b"no recording");
    let error = call(&["replay", &broken], 1);
    assert!(
        error.contains("no.rec: these bytes are not a recording"),
        "{error}"
    );
}

#[test]
fn a_diff_names_step_call_entity_and_property() {
    let folder = Folder::new("diff");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let path = |name: &str| folder.0.join(name).display().to_string();
    let [one, two, three, bare] = ["one.rec", "two.rec", "three.rec", "bare.rec"].map(path);
    let record = |out: &str, more: &[&str]| {
        let words = [&["record", &scene, "--steps", "40", "--out", out][..], more].concat();
        call(&words, 0);
    };
    record(&one, &["--threads", "1"]);
    record(&two, &["--threads", "3", "--lanes", "1"]);
    assert_eq!(
        call(&["diff", &one, &two], 0),
        "the same at the start and after each of 40 steps\n"
    );
    record(&three, &["--set", "swing.body.angular_velocity=0.25"]);
    let text = call(&["diff", &one, &three], 1);
    assert!(text.contains("part in step 1: entity swing ("), "{text}");
    assert!(
        text.contains("transform.position is ") && text.contains("in physics body "),
        "{text}"
    );
    assert!(
        text.contains("the calls part before step 1:") && text.contains("Apply") && text.contains("Set"),
        "{text}"
    );
    let page = path("page.html");
    call(&["replay", &three, "--page", &page], 0);
    assert!(std::fs::read_to_string(&page).unwrap().contains("three"));
    // A world of entities is shown with their components.
    let manifest = data_of("manifest", &page);
    let parts = manifest["bodies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|body| &body["parts"]);
    assert!(
        parts
            .into_iter()
            .all(|parts| !parts.as_array().unwrap().is_empty())
    );
    record(&bare, &["--physics"]);
    let error = call(&["diff", &one, &bare], 1);
    assert!(error.contains("one is a recording of physics"), "{error}");
}

/// Of different lengths: whole, and cut off as by a crash.
#[test]
fn a_diff_compares_what_both_recordings_have() {
    let folder = Folder::new("diff of lengths");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let path = |name: &str| folder.0.join(name).display().to_string();
    let [long, short, cut] = ["long.rec", "short.rec", "cut.rec"].map(path);
    call(&["record", &scene, "--steps", "200", "--out", &long], 0);
    call(&["record", &scene, "--steps", "40", "--out", &short], 0);
    let told = "the same at the start and after each of 40 steps; one of them has 160 more\n";
    assert_eq!(call(&["diff", &long, &short], 0), told);
    assert_eq!(call(&["diff", &short, &long], 0), told);
    let bytes = std::fs::read(&long).unwrap();
    std::fs::write(&cut, &bytes[..bytes.len() - 60]).unwrap();
    let text = call(&["diff", &cut, &long], 0);
    assert!(text.starts_with("the same"), "{text}");
    let page = path("cut.html");
    let text = call(&["replay", &cut, "--page", &page], 0);
    assert!(text.contains("cut off after that"), "{text}");
    let remarks = &data_of("manifest", &page)["remarks"];
    assert!(
        remarks[0].as_str().unwrap().contains("cut off after that"),
        "{remarks}"
    );
}

#[test]
fn a_diff_of_physics_names_step_call_body_and_property() {
    let folder = Folder::new("diff of physics");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let path = |name: &str| folder.0.join(name).display().to_string();
    let [one, two] = ["one.rec", "two.rec"].map(path);
    for (out, more) in [
        (&one, &[][..]),
        (&two, &["--set", "swing.body.angular_velocity=0.25"]),
    ] {
        let words = ["record", &scene, "--steps", "40", "--physics", "--out", out];
        call(&[&words[..], more].concat(), 0);
    }
    let text = call(&["diff", &one, &two], 1);
    assert!(text.contains("part in step 1: body "), "{text}");
    assert!(text.contains("in a world of entities that is entity "), "{text}");
    assert!(
        text.contains("the calls part before step 1:") && text.contains("BodySetAngularVelocity"),
        "{text}"
    );
}

#[test]
fn a_recording_of_a_scene_with_scripts_plays_with_other_workers_from_any_step() {
    let folder = Folder::new("record a scene");
    let file = folder.0.join("orchard.rec").display().to_string();
    let words = [
        "record",
        "orchard",
        "--steps",
        "60",
        "--key-frames",
        "25",
        "--hashes",
        "10",
        "--out",
        &file,
    ];
    let made = call(&words, 0);
    for from in ["0", "30"] {
        let words = ["replay", &file, "--threads", "8", "--lanes", "1", "--from", from];
        let played = call(&words, 0);
        assert_eq!(state(&played), state(&made));
        assert!(played.ends_with("as recorded\n"), "{played}");
    }
}

#[test]
fn a_shrunk_recording_has_the_calls_that_matter() {
    let folder = Folder::new("shrink");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let (file, out) = (path("long.rec"), path("short.rec"));
    // A body that is sent beyond the world's end, among others that are not.
    let scene = r#"(
        settings: (gravity: (0, 0)),
        entities: {"ball": {"body": Body(kind: Dynamic, linear_velocity: (400, 0)), "skin": Collider(shape: Circle(radius: 0.5))}},
        place: [One(name: "ball", entity: "ball", at: (99998, 0))],
    )"#;
    let scene = folder.file("far.ron", scene.as_bytes());
    call(&["record", &scene, "--steps", "60", "--out", &file], 0);
    let error = call(
        &[
            "shrink",
            &file,
            "--out",
            &out,
            "--until",
            "parts",
            "--threads",
            "2",
        ],
        1,
    );
    assert!(
        error.contains("runs with one and with several threads part in none of its 60 steps"),
        "{error}"
    );
    let error = call(&["shrink", &file, "--out", &file, "--until", "freezes"], 1);
    assert!(error.contains("is read by this call"), "{error}");
    let text = call(&["shrink", &file, "--out", &out, "--until", "freezes"], 0);
    assert!(text.contains("and still a body freezes"), "{text}");
    let again = call(
        &["shrink", &out, "--out", &path("again.rec"), "--until", "freezes"],
        0,
    );
    assert!(again.contains(" left, and still a body freezes"), "{again}");
}

#[test]
fn a_call_that_is_wrong_leaves_a_recording_as_it_was() {
    let folder = Folder::new("record kept");
    let file = folder.file("good.rec", b"a recording of hours");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    for wrong in [
        &["--set", "nonsense"][..],
        &["--set", "swing.body.nothing=1"],
        &["--threads", "100000"],
    ] {
        let words = [&["record", &scene, "--steps", "3", "--out", &file][..], wrong].concat();
        let output = tombolo(&words);
        assert!(!output.status.success(), "{words:?}");
        let kept = std::fs::read(&file).unwrap();
        assert_eq!(kept, b"a recording of hours", "{words:?}");
    }
}

/// A device that is always full.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_is_full_ends_a_recording_with_the_reason() {
    let folder = Folder::new("record full");
    let scene = folder.file("drop.ron", DROP.as_bytes());
    for steps in ["3", "200"] {
        let error = call(&["record", &scene, "--steps", steps, "--out", "/dev/full"], 1);
        assert!(error.contains("/dev/full: cannot be written: "), "{error}");
    }
}

#[test]
fn faults_of_a_world_that_is_recorded_are_reported_as_those_of_a_run() {
    let folder = Folder::new("record faults");
    let scene = r#"(
        entities: {"ball": {"body": Body(), "mind": Script(text: "fn on_tick(seconds) { no_such_thing(); }")}},
        place: [One(name: "ball", entity: "ball")],
    )"#;
    let scene = folder.file("failing.ron", scene.as_bytes());
    let file = folder.0.join("failing.rec").display().to_string();
    let output = tombolo(&["record", &scene, "--steps", "3", "--out", &file]);
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("entity \"ball\", script \"mind\""), "{errors}");
    assert!(call(&["replay", &file], 0).contains("3 steps"));
}

/// Every step of the recording is needed, so that all tries to make it shorter would take minutes.
#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_shrinking_with_what_there_is_and_its_code() {
    let folder = Folder::new("shrink-interrupt");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let (file, out) = (path("long.rec"), path("short.rec"));
    let scene = r#"(
        settings: (gravity: (0, 0)),
        entities: {"ball": {"body": Body(kind: Dynamic, linear_velocity: (100, 0)), "skin": Collider(shape: Circle(radius: 0.5))}},
        place: [One(name: "ball", entity: "ball", at: (90000, 0))],
    )"#;
    let scene = folder.file("far.ron", scene.as_bytes());
    call(&["record", &scene, "--steps", "6100", "--out", &file], 0);
    let child = std::process::Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args([
            "shrink", &file, "--out", &out, "--until", "freezes", "--tries", "100000",
        ])
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // It listens before the first try.
    std::thread::sleep(std::time::Duration::from_secs(2));
    let output = crate::support::interrupt(child);
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(
        std::fs::read(&out).unwrap().len() > 100,
        "what there is was written"
    );
}
