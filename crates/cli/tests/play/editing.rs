//! What is edited in a page reaches the scene's file, and comes back from it.

use serde_json::{Value, json};

use super::client::{Page, answer, interrupt};
use super::server::Server;
use super::support::{Folder, tombolo};

/// A scene with comments, and entries of every form.
pub(crate) const YARD: &str = r#"// A yard.
(
    settings: (gravity: (0, -9.81)), // as on Earth
    entities: {
        "ground": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1))}, // 20 m
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
    },
    place: [
        One(name: "ground", entity: "ground"),
        // Two that fall.
        One(name: "left", entity: "crate", at: (-3, 4)), // high
        One(name: "right", entity: "crate", at: (3, 2), overrides: {"body": (linear_velocity: (1, 0))}),
        Row(name: "stack", entity: "crate", at: (0, 0.5), count: 2, step: (0, 1)) /* low */
    ],
)
"#;

pub(crate) fn start(folder: &Folder, more: &[&str]) -> (Server, Page, String) {
    let path = folder.file("yard.ron", YARD.as_bytes());
    let server = Server::start(&[&[path.as_str()], more].concat());
    let mut page = Page::of(&server);
    page.until("start");
    (server, page, path)
}

fn set(page: &mut Page, name: &str, path: &str, text: &str) {
    let entity = page.entity(name);
    page.act(json!({"act": "set", "entity": entity, "path": path, "text": text}));
}

/// Writes the file; what is not in it.
pub(crate) fn write(page: &mut Page) -> Vec<Value> {
    page.send(json!({"do": "write"}));
    page.until("written")["left_out"].as_array().unwrap().clone()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap()
}

/// The names of an entity's components.
fn parts(page: &mut Page, entity: &str) -> Vec<String> {
    // What was told of one that was selected before is not meant.
    page.send(json!({"do": "select", "entity": null}));
    page.hash();
    page.send(json!({"do": "select", "entity": entity}));
    let told = page.until("entity");
    let parts = told["parts"].as_array().unwrap().iter();
    parts
        .map(|part| part["name"].as_str().unwrap().to_string())
        .collect()
}

/// Every property of every entity, by name. Numbers are written so that other bits are other texts.
fn everything(page: &mut Page) -> Vec<(Value, Value)> {
    page.send(json!({"do": "list", "search": ""}));
    let rows = page.until("entities")["rows"].as_array().unwrap().clone();
    let mut all = Vec::new();
    for row in rows {
        page.send(json!({"do": "select", "entity": null}));
        page.hash();
        page.send(json!({"do": "select", "entity": row["entity"]}));
        let told = page.until("entity");
        all.push((row["name"].clone(), told["parts"].clone()));
    }
    assert!(all.len() >= 5);
    all
}

#[test]
fn edits_reach_the_file_and_come_back() {
    let folder = Folder::new("play-write");
    let (_server, mut page, path) = start(&folder, &[]);
    set(&mut page, "left", "body.linear_damping", "0.25");
    set(&mut page, "left", "body.linear_damping", "0.5");
    let left = page.entity("left");
    page.act(json!({"act": "move", "entity": left, "at": [-4.5, 5], "angle": 0.5}));
    set(&mut page, "right", "body.linear_velocity", "(2, 0.5)");
    set(&mut page, "right", "body.bullet", "true");
    page.act(json!({"act": "drop", "resource": "crate", "at": [6, 3]}));
    page.until_it("frame", |frame| {
        frame["unwritten"] == true && frame["undo"][0] == 6
    });
    let edited = everything(&mut page);
    assert_eq!(
        read(&path),
        YARD,
        "nothing is written before somebody asks for it"
    );
    assert_eq!(write(&mut page), [] as [Value; 0]);
    let wanted = YARD
        .replace(
            "at: (-3, 4))",
            "at: (-4.5, 5), overrides: {\"body\": (linear_damping: 0.5)}, angle: 0.5)",
        )
        .replace(
            "(linear_velocity: (1, 0))",
            "(linear_velocity: (2, 0.5), bullet: true)",
        )
        .replace(
            "step: (0, 1)) /* low */\n",
            "step: (0, 1)), /* low */\n        One(name: \"crate 1\", entity: \"crate\", at: (6, 3)),\n",
        );
    assert_eq!(read(&path), wanted);
    // The world that was written goes on; begun again it is the same one.
    page.until_it("frame", |frame| frame["unwritten"] == false);
    page.steps(60);
    let after = everything(&mut page);
    page.send(json!({"do": "reset"}));
    page.until("start");
    assert_eq!(everything(&mut page), edited);
    page.steps(60);
    assert_eq!(everything(&mut page), after);
    // Somebody else's change comes first.
    set(&mut page, "left", "body.bullet", "true");
    folder.file("yard.ron", YARD.replace("as on Earth", "as here").as_bytes());
    page.send(json!({"do": "write"}));
    let text = page.until("error")["text"].as_str().unwrap().to_string();
    assert!(text.contains("somebody else has changed it"), "{text}");
    assert!(read(&path).contains("as here"));
}

#[test]
fn a_deleted_entity_is_gone_from_the_file_and_undo_brings_it_back() {
    let folder = Folder::new("play-write-gone");
    let (server, mut page, path) = start(&folder, &[]);
    let before = page.hash();
    let left = page.entity("left");
    page.act(json!({"act": "despawn", "entity": left}));
    write(&mut page);
    let gone = "        One(name: \"left\", entity: \"crate\", at: (-3, 4)), // high\n";
    assert_eq!(read(&path), YARD.replace(gone, ""));
    page.send(json!({"do": "undo"}));
    assert_eq!(page.hash(), before);
    assert_eq!(write(&mut page), [] as [Value; 0]);
    assert_eq!(read(&path), YARD, "to the byte");
    // What the file cannot say is told, and all else is written.
    set(&mut page, "stack[1]", "body.bullet", "true");
    set(&mut page, "right", "body.bullet", "true");
    let left_out = write(&mut page);
    assert_eq!(
        left_out,
        ["stack[1]: it is one of a Row: in the file they are alike"]
    );
    assert!(read(&path).contains("bullet: true"));
    let (_, text) = answer(
        &server,
        &format!(
            "GET /scene?token={} HTTP/1.1\r\nHost: {}\r\n\r\n",
            server.token, server.host
        ),
    );
    assert!(text.ends_with(&read(&path)), "{text}");
    let told = page.until("error")["text"].as_str().unwrap().to_string();
    assert_eq!(
        told,
        "The scene for download lacks these edits:\nstack[1]: it is one of a Row: in the file they are alike"
    );
}

#[test]
fn a_file_that_another_program_changes_takes_no_edits_away() {
    let folder = Folder::new("play-write-kept");
    let (_server, mut page, path) = start(&folder, &[]);
    set(&mut page, "left", "body.linear_damping", "0.5");
    let edited = page.hash();
    folder.file("yard.ron", YARD.replace("(-3, 4)", "(-5, 4)").as_bytes());
    let text = page.until("error")["text"].as_str().unwrap().to_string();
    assert!(
        text.contains("not read again") && text.contains("Restart"),
        "{text}"
    );
    assert_eq!(page.hash(), edited);
    // Whoever restarts has the file as it is now.
    page.send(json!({"do": "reset"}));
    page.until("start");
    let left = page.entity("left");
    assert_eq!(page.position(&left), [-5.0, 4.0]);
    // Without edits a changed file begins again by itself.
    std::thread::sleep(std::time::Duration::from_millis(20));
    std::fs::write(&path, YARD).unwrap();
    page.until("start");
    let left = page.entity("left");
    assert_eq!(page.position(&left), [-3.0, 4.0]);
}

#[test]
fn a_dropped_entity_gets_no_name_that_the_file_has() {
    let folder = Folder::new("play-write-names");
    let text = r#"(
    entities: {
        "crate": {"body": Body(kind: Dynamic)},
        "fly": {"body": Body(kind: Dynamic), "end": Script(text: "fn on_tick(seconds) { despawn(me()); }")},
    },
    place: [
        One(name: "crate 1", entity: "fly", at: (-3, 4)),
    ],
)
"#;
    let path = folder.file("names.ron", text.as_bytes());
    let log = folder.0.join("log.jsonl").display().to_string();
    let server = Server::start(&[&path, "--session", &log]);
    let mut page = Page::of(&server);
    page.until("start");
    page.steps(2);
    page.send(json!({"do": "list", "search": "crate 1"}));
    assert_eq!(page.until("entities")["count"], 0, "it has ended itself");
    page.act(json!({"act": "drop", "resource": "crate", "at": [6, 3]}));
    set(&mut page, "crate 2", "body.bullet", "true");
    assert_eq!(write(&mut page), [] as [Value; 0]);
    let wanted = text.replace(
        "(-3, 4)),\n",
        "(-3, 4)),\n        One(name: \"crate 2\", entity: \"crate\", at: (6, 3), overrides: {\"body\": (bullet: true)}),\n",
    );
    assert_eq!(read(&path), wanted);
    // Nor one that was given before, even if nobody has it now.
    let dropped = page.entity("crate 2");
    page.act(json!({"act": "despawn", "entity": dropped}));
    page.act(json!({"act": "drop", "resource": "crate", "at": [6, 3]}));
    page.entity("crate 3");
    let (_, hash) = page.hash();
    drop(page);
    interrupt(server);
    let again = tombolo(&["play", "--again", &log]);
    let said = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(said.contains(&hash), "{said}");
}

#[test]
fn what_spawners_and_scripts_make_stays_as_it_was() {
    let folder = Folder::new("play-write-uses");
    for (number, user) in [
        "\"tap\": {\"drip\": Spawner(resource: \"crate\", enabled: false)}",
        "\"tap\": {\"drip\": Script(text: \"fn on_tick(seconds) { if false { spawn_entity(\\\"crate\\\"); } }\")}",
    ]
    .iter()
    .enumerate()
    {
        let text = format!(
            "(\n    entities: {{\n        \"crate\": {{\"body\": Body(kind: Dynamic)}},\n        {user},\n    }},\n    \
             place: [\n        One(name: \"box\", entity: \"crate\"),\n        One(name: \"tap\", entity: \"tap\"),\n    ],\n)"
        );
        let path = folder.file(&format!("uses-{number}.ron"), text.as_bytes());
        let server = Server::start(&[&path]);
        let mut page = Page::of(&server);
        page.until("start");
        for name in ["box", "tap"] {
            let entity = page.entity(name);
            page.act(json!({"act": "add_component", "entity": entity, "kind": "Tag", "name": "mark"}));
        }
        assert_eq!(write(&mut page), [] as [Value; 0]);
        let written = read(&path);
        assert!(
            written.contains("\"crate\": {\"body\": Body(kind: Dynamic)},\n"),
            "{written}"
        );
        assert!(
            written.contains("\"crate of box\": {\"body\": Body(kind: Dynamic), \"mark\": Tag()}"),
            "{written}"
        );
        // What nobody else uses needs no copy, even if the placement has its name.
        assert!(!written.contains("tap of tap"), "{written}");
    }
}

#[test]
fn a_session_whose_file_was_written_is_played_again_as_it_was() {
    let folder = Folder::new("play-write-again");
    let log = folder.0.join("log.jsonl").display().to_string();
    let (server, mut page, _) = start(&folder, &["--session", &log]);
    page.steps(10);
    set(&mut page, "left", "body.linear_damping", "0.5");
    page.act(json!({"act": "drop", "resource": "crate", "at": [6, 3]}));
    write(&mut page);
    page.until_it("frame", |frame| frame["unwritten"] == false);
    // As many edits as were written, and not the same ones.
    page.send(json!({"do": "undo"}));
    set(&mut page, "left", "body.bullet", "true");
    page.until_it("frame", |frame| {
        frame["undo"] == json!([2, 0]) && frame["unwritten"] == true
    });
    page.steps(10);
    let (_, hash) = page.hash();
    drop(page);
    interrupt(server);
    let again = tombolo(&["play", "--again", &log]);
    let said = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(
        said.contains(&hash),
        "{said}{}",
        String::from_utf8_lossy(&again.stderr)
    );
}

/// Nobody has to be there when another program changes the file: the session is played again from the text that it had.
#[test]
fn a_session_whose_file_another_program_changes_is_played_again_as_it_was() {
    let folder = Folder::new("play-changed-again");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let (log, record) = (path("log.jsonl"), path("replay.html"));
    let (server, mut page, _) = start(&folder, &["--session", &log, "--record", &record]);
    set(&mut page, "left", "body.linear_damping", "0.5");
    page.steps(10);
    let (_, hash) = page.hash();
    let replay = |server: &Server| {
        let head = format!(
            "GET /replay?token={} HTTP/1.1\r\nHost: {}\r\n\r\n",
            server.token, server.host
        );
        answer(server, &head)
    };
    // The file cannot even be read any more, which the server does not notice.
    drop(page);
    folder.file("yard.ron", YARD.replace("Dynamic", "Dynamit").as_bytes());
    let (status, text) = replay(&server);
    assert!(
        status.contains("200") && text.contains("<canvas id=\"world\""),
        "{status}"
    );
    interrupt(server);
    let page = std::fs::read_to_string(&record).unwrap();
    assert!(page.contains("<canvas id=\"world\""));
    let again = tombolo(&["play", "--again", &log]);
    let said = String::from_utf8_lossy(&again.stdout).into_owned();
    assert!(
        said.contains(&hash),
        "{said}{}",
        String::from_utf8_lossy(&again.stderr)
    );
}

#[test]
fn a_scene_that_ships_is_not_written_but_handed_out() {
    let server = Server::start(&["workshop"]);
    let mut page = Page::of(&server);
    page.until("start");
    page.send(json!({"do": "write"}));
    assert!(page.until("error")["text"].as_str().unwrap().contains("Share"));
}

#[test]
fn components_come_and_go_and_undo_restores_the_hash() {
    let folder = Folder::new("play-components");
    let (_server, mut page, path) = start(&folder, &[]);
    page.steps(20);
    let mut hashes = vec![page.hash()];
    let left = page.entity("left");
    let stack = page.entity("stack[0]");
    for action in [
        json!({"act": "add_component", "entity": left, "kind": "Tag", "name": "mark"}),
        json!({"act": "remove_component", "entity": left, "name": "hull"}),
        json!({"act": "duplicate", "entity": left, "at": [-5, 4]}),
        json!({"act": "duplicate", "entity": stack, "at": [5, 0.5]}),
        json!({"act": "move", "entity": left, "at": [-4, 6], "angle": 1}),
        json!({"act": "despawn", "entity": left}),
    ] {
        page.act(action.clone());
        let hash = page.hash();
        assert_ne!(hash, hashes[hashes.len() - 1], "{action}");
        hashes.push(hash);
    }
    for hash in hashes.iter().rev().skip(1) {
        page.send(json!({"do": "undo"}));
        assert_eq!(&page.hash(), hash);
    }
    for hash in &hashes[1..] {
        page.send(json!({"do": "redo"}));
        assert_eq!(&page.hash(), hash);
    }
    // The copy has the components of who was copied, not of the resource.
    let copy = page.entity("crate 1");
    assert_eq!(parts(&mut page, &copy), ["transform", "body", "mark"]);
    // One that has no such kind or component changes nothing.
    let right = page.entity("right");
    for action in [
        json!({"act": "add_component", "entity": right, "kind": "Engine", "name": "motor"}),
        json!({"act": "add_component", "entity": right, "kind": "Tag", "name": "hull"}),
        json!({"act": "remove_component", "entity": right, "name": "motor"}),
        json!({"act": "duplicate", "entity": left, "at": [0, 9]}),
    ] {
        page.act(action);
        page.until("error");
    }
    assert_eq!(&page.hash(), &hashes[hashes.len() - 1]);
    page.send(json!({"do": "undo"}));
    assert_eq!(write(&mut page), [] as [Value; 0]);
    let text = read(&path);
    for part in [
        "\"crate of left\": {\"body\": Body(kind: Dynamic), \"mark\": Tag()},\n",
        "One(name: \"left\", entity: \"crate of left\", at: (-4, 6), angle: 1), // high\n",
        "One(name: \"crate 1\", entity: \"crate of left\", at: (-5, 4)",
        "One(name: \"crate 2\", entity: \"crate\", at: (5, 0.5), angle: ",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
    // Begun again it has them.
    page.send(json!({"do": "reset"}));
    page.until("start");
    let left = page.entity("left");
    assert_eq!(page.position(&left), [-4.0, 6.0]);
    assert_eq!(parts(&mut page, &left), ["transform", "body", "mark"]);
    let copy = page.entity("crate 2");
    assert_eq!(page.position(&copy), [5.0, 0.5]);
}

#[test]
fn a_script_is_edited_and_its_error_has_a_line() {
    let folder = Folder::new("play-scripts");
    let talk =
        "\n            // It says its word.\n            fn on_tick(seconds) { print(\"one\"); }\n        ";
    let text = format!(
        "(\n    scripts: {{\n        \"talk\": r#\"{talk}\"#, // loud\n    }},\n    entities: {{\"lamp\": {{\"voice\": Script(name: \"talk\")}}}},\n    \
         place: [One(name: \"lamp\", entity: \"lamp\")],\n)"
    );
    let path = folder.file("talk.ron", text.as_bytes());
    let server = Server::start(&[&path]);
    let mut page = Page::of(&server);
    page.until("start");
    page.send(json!({"do": "scripts"}));
    assert_eq!(page.until("scripts")["scripts"], json!([["talk", talk]]));
    page.steps(1);
    assert_eq!(page.until("log")["printed"], json!(["one"]));
    let before = page.hash();
    let script = |text: &str| json!({"act": "script", "name": "talk", "text": text});
    page.act(script("\nfn on_tick(seconds) {\n  let x = ;\n}"));
    let error = page.until("error")["text"].as_str().unwrap().to_string();
    assert!(error.starts_with("script \"talk\", line 3: "), "{error}");
    assert_eq!(page.hash(), before);
    // One that fails while it runs is mended, and runs again.
    page.act(script("fn on_tick(seconds) { nothing_of_this_name(); }"));
    page.steps(1);
    page.until_it("log", |told| {
        told["faults"][0]
            .as_str()
            .is_some_and(|fault| fault.contains("line 1"))
    });
    let mended = talk.replace("one", "two");
    page.act(script(&mended));
    page.steps(1);
    page.until_it("log", |told| told["printed"] == json!(["one", "two"]));
    page.send(json!({"do": "scripts"}));
    assert_eq!(page.until("scripts")["scripts"], json!([["talk", mended]]));
    assert_eq!(write(&mut page), [] as [Value; 0]);
    assert_eq!(read(&path), text.replace("one", "two"));
    for _ in 0..2 {
        page.send(json!({"do": "undo"}));
    }
    assert_eq!(page.hash(), before);
}

/// A node graph is edited by its text: its script runs from then on, an error has its line, and the file gets the text.
#[test]
fn a_node_graph_is_edited_and_written() {
    let folder = Folder::new("play-graphs");
    let graph = |says: &str| {
        format!(
            "(nodes: {{\n        \"born\": On(event: \"tick\", then: \"say\"), // each step\n        \"say\": Print(value: \"{says}\"),\n    }})"
        )
    };
    let text = format!(
        "(\n    graphs: {{\n    \"talk\": {}, // loud\n    }},\n    entities: {{\"lamp\": {{\"voice\": Script(name: \"talk\")}}}},\n    \
         place: [One(name: \"lamp\", entity: \"lamp\")],\n)\n",
        graph("one")
    );
    let path = folder.file("graphs.ron", text.as_bytes());
    let server = Server::start(&[&path]);
    let mut page = Page::of(&server);
    page.until("start");
    page.send(json!({"do": "scripts"}));
    let told = page.until("scripts");
    assert_eq!(told["scripts"], json!([]));
    assert_eq!(told["graphs"][0]["text"], graph("one"));
    assert_eq!(told["graphs"][0]["nodes"][1]["inputs"][0]["text"], "\"one\"");
    page.steps(1);
    page.until_it("log", |log| log["printed"] == json!(["one"]));
    let before = page.hash();
    let edit = |text: &str| json!({"act": "graph", "name": "talk", "text": text});
    for (text, why) in [
        ("(nodes: {\n  \"born\": Up(),\n})", "node graph \"talk\", line 2"),
        (
            "(nodes: {\"born\": On(event: \"tick\", then: \"nobody\")})",
            "node graph \"talk\", node \"born\"",
        ),
    ] {
        page.act(edit(text));
        let error = page.until("error")["text"].as_str().unwrap().to_string();
        assert!(error.starts_with(why), "{error}");
    }
    assert_eq!(page.hash(), before, "what is refused changes nothing");
    page.act(edit(&graph("two")));
    page.steps(1);
    page.until_it("log", |log| log["printed"] == json!(["one", "two"]));
    page.send(json!({"do": "scripts"}));
    assert_eq!(page.until("scripts")["graphs"][0]["text"], graph("two"));
    page.send(json!({"do": "write"}));
    assert_eq!(page.until("written")["left_out"], json!([]));
    let written = std::fs::read_to_string(&path).unwrap();
    assert_eq!(written, text.replace("\"one\"", "\"two\""));
    page.send(json!({"do": "undo"}));
    page.steps(1);
    page.until_it("log", |log| {
        log["printed"][1] == "one" || log["printed"][2] == "one"
    });
}

/// The text of a script may be as long as the scene allows, whatever JSON makes of it.
#[test]
fn a_script_of_the_greatest_length_is_edited() {
    let folder = Folder::new("play-long-script");
    let text = r#"(
    settings: (script_limits: (text_bytes: 200000)),
    scripts: {"s": "fn on_tick(seconds) { }"},
    entities: {"lamp": {"mind": Script(name: "s")}},
    place: [One(name: "lamp", entity: "lamp")],
)"#;
    let path = folder.file("lamp.ron", text.as_bytes());
    let server = Server::start(&[&path]);
    let mut page = Page::of(&server);
    page.until("start");
    let script = |bytes: usize| {
        let handler = "fn on_tick(seconds) {\n\tprint(\"long\");\n}\n";
        format!("{handler}{}", "\n".repeat(bytes - handler.len()))
    };
    page.act(json!({"act": "script", "name": "s", "text": script(200_000)}));
    page.steps(1);
    assert_eq!(page.until("log")["printed"], json!(["long"]));
    // One that is longer is refused, and the page stays.
    page.act(json!({"act": "script", "name": "s", "text": script(210_000)}));
    let why = page.until("error")["text"].as_str().unwrap().to_string();
    assert!(why.contains("bytes; 404096 are allowed"), "{why}");
    page.steps(1);
    assert_eq!(page.hash().0, 2);
}

/// Tools rewrite a file as it is, and change it and change it back.
#[test]
fn a_file_with_the_same_text_again_begins_nothing_anew() {
    let folder = Folder::new("play-touched");
    let (_server, mut page, path) = start(&folder, &[]);
    page.steps(5);
    let before = page.hash();
    // The file is looked at every half second.
    let looked_at = || std::thread::sleep(std::time::Duration::from_millis(1200));
    std::fs::write(&path, YARD).unwrap();
    looked_at();
    assert_eq!(page.hash(), before);
    set(&mut page, "left", "body.linear_damping", "0.5");
    let edited = page.hash();
    std::fs::write(&path, YARD.replace("(-3, 4)", "(-5, 4)")).unwrap();
    page.until("error");
    std::fs::write(&path, YARD).unwrap();
    looked_at();
    assert_eq!(page.hash(), edited);
    // What was changed back is known: Restart keeps the edits.
    page.send(json!({"do": "reset"}));
    page.until("start");
    let left = page.entity("left");
    assert_eq!(page.property(&left, "body.linear_damping"), "0.5");
    assert_eq!(write(&mut page), [] as [Value; 0]);
    assert!(read(&path).contains("linear_damping: 0.5"));
}

/// An edit that the file has no place for is in the world alone.
#[test]
fn edits_that_were_left_out_are_not_dropped_without_a_word() {
    let folder = Folder::new("play-left-out");
    let (_server, mut page, path) = start(&folder, &[]);
    set(&mut page, "stack[1]", "body.linear_damping", "0.5");
    assert_eq!(write(&mut page).len(), 1);
    let edited = page.hash();
    folder.file("yard.ron", YARD.replace("(-3, 4)", "(-5, 4)").as_bytes());
    let why = page.until("error")["text"].as_str().unwrap().to_string();
    assert!(why.contains("not read again"), "{why}");
    assert_eq!(page.hash(), edited);
    // Another scene has to be asked for twice.
    for is_told in [true, false] {
        page.send(json!({"do": "open", "scene": "harbour"}));
        let told = page.until(if is_told { "error" } else { "start" });
        assert!(
            !is_told || told["text"].as_str().unwrap().contains("again"),
            "{told}"
        );
    }
    assert!(read(&path).contains("(-5, 4)"));
}
