//! The recording of a session: what `tombolo replay` and `tombolo diff` make of it.

use serde_json::json;

use crate::client::{download, interrupt};
use crate::support::{DROP, Folder, tombolo};
use crate::{play_all, start};

/// What a command says that has to succeed.
fn said(arguments: &[&str]) -> String {
    let output = tombolo(arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// With an action that was undone, moments to which the session went back, and a scene's file that is another one by then.
#[test]
fn a_session_is_a_recording_that_plays_and_parts_where_another_does() {
    let folder = Folder::new("play-recording");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let [earlier, end, page_file] = ["earlier.rec", "end.rec", "replay.html"].map(path);
    let [session, again] = ["session.jsonl", "again.rec"].map(path);
    let (server, mut page) = start(&folder, &["--recording", &end, "--session", &session]);
    play_all(&mut page);
    page.send(json!({"do": "seek", "step": 90}));
    page.act(json!({"act": "drop", "resource": "crate", "at": [2.0, 6.0]}));
    page.steps(12);
    let (step, hash) = page.hash();
    let (head, recording) = download(&server, "/recording");
    assert!(
        head.contains("200 OK") && head.contains(&format!("drop-{step}.rec")),
        "{head}"
    );
    std::fs::write(&earlier, recording).unwrap();
    // Undone, and then from a moment before: there the two part.
    page.act(json!({"act": "explode", "at": [0, 0], "radius": 3, "impulse": 9}));
    page.send(json!({"do": "undo"}));
    page.send(json!({"do": "seek", "step": step - 5}));
    page.act(json!({"act": "explode", "at": [1, 0], "radius": 4, "impulse": 5}));
    page.steps(9);
    let (last_step, last_hash) = page.hash();
    assert_eq!(last_step, step + 4);
    // What a recording needs of the scene's file is in it.
    drop(page);
    folder.file("drop.ron", DROP.replace("crate", "chest").as_bytes());
    interrupt(server);

    let text = said(&["replay", &earlier, "--threads", "8"]);
    let end_of = |step: u64, hash: &str| format!("after step {step}: state {hash}, as recorded");
    assert!(text.contains(&end_of(step, &hash)), "{text}");
    let text = said(&["replay", &end, "--page", &page_file]);
    assert!(text.contains(&end_of(last_step, &last_hash)), "{text}");
    let page = std::fs::read_to_string(&page_file).unwrap();
    assert!(page.contains("<canvas id=\"world\""));

    // Of the list of actions the same recording is made later.
    said(&["play", "--again", &session, "--recording", &again]);
    assert!(std::fs::read(&again).unwrap() == std::fs::read(&end).unwrap());
    assert!(said(&["diff", &end, &again]).starts_with("the same"));
    let parted = tombolo(&["diff", &earlier, &end]);
    assert_eq!(parted.status.code(), Some(1), "{parted:?}");
    let text = String::from_utf8(parted.stdout).unwrap();
    let first = format!("they part in step {}:", step - 4);
    assert!(text.starts_with(&first) && text.contains("Explo"), "{text}");
}
