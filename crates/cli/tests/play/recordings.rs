//! The recording of a session: what `tombolo replay` and `tombolo diff` make of it. Recordings that a page opens.

use serde_json::json;

use crate::client::{answer, answer_to, download, interrupt};
use crate::server::Server;
use crate::support::{DROP, Folder, tombolo};
use crate::{play_all, start};

/// What a command says that has to succeed.
pub(crate) fn said(arguments: &[&str]) -> String {
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

/// The answer to a recording that is sent by a page of this origin: its status line, and its body.
fn opened(server: &Server, origin: &str, length: usize, bytes: &[u8]) -> (String, String) {
    let Server { host, token, .. } = server;
    let head = format!(
        "POST /open?token={token}&name=a%20run HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nContent-Length: {length}\r\n\r\n"
    );
    let (status, rest) = answer_to(server, &[head.as_bytes(), bytes].concat());
    let body = rest.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (status, body.to_string())
}

/// A recording of so many steps of the small scene.
fn recorded(folder: &Folder, words: &[&str]) -> Vec<u8> {
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let out = folder.0.join("run.rec").display().to_string();
    said(&[&["record", &scene, "--steps", "90", "--out", &out], words].concat());
    std::fs::read(out).unwrap()
}

#[test]
fn a_page_opens_a_recording_and_is_told_why_it_cannot() {
    let folder = Folder::new("play-open");
    let server = Server::start(&[]);
    let own = format!("http://{}", server.host);
    let open = |bytes: &[u8]| opened(&server, &own, bytes.len(), bytes);
    let page = |number: &str| {
        let path = format!("/opened?number={number}&token={}", server.token);
        answer(
            &server,
            &format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", server.host),
        )
    };
    let of_entities = recorded(&folder, &[]);
    let of_physics = recorded(&folder, &["--physics"]);
    for bytes in [&of_entities, &of_physics] {
        let (status, number) = open(bytes);
        assert_eq!(status, "HTTP/1.1 200 OK", "{number}");
        let (status, page) = page(&number);
        assert_eq!(status, "HTTP/1.1 200 OK");
        assert!(page.contains("<title>a run · Tombolo</title>") && page.contains("script-src 'nonce-"));
    }
    let is_refused = |bytes: &[u8], why: &str| {
        let (status, body) = open(bytes);
        assert!(
            status.contains("422") && body.contains(why),
            "{why}: {status} {body}"
        );
    };
    is_refused(DROP.as_bytes(), "not a recording");
    is_refused(b"{\"tombolo_session\":1}", "play --again");
    is_refused(b"", "not a recording");
    let mut later = of_entities.clone();
    later[8] = 99;
    is_refused(&later, "a later one may");
    let mut forged = of_entities.clone();
    // In the first block, behind its head: its checksum is wrong.
    forged[60] ^= 1;
    is_refused(&forged, "ends before its first call");
    // One that was cut off plays to its end, of which nothing says that it is one.
    let (status, number) = open(&of_entities[..of_entities.len() - 20]);
    assert_eq!(status, "HTTP/1.1 200 OK", "{number}");

    for origin in ["http://evil.example", "null"] {
        let (status, _) = opened(&server, origin, of_entities.len(), &of_entities);
        assert_eq!(status, "HTTP/1.1 403 Forbidden", "{origin}");
    }
    let (status, why) = opened(&server, &own, 1 << 40, b"");
    assert!(
        status.contains("413") && why.contains("are taken"),
        "{status} {why}"
    );
    for number in ["", "99", "x"] {
        assert_eq!(page(number).0, "HTTP/1.1 404 Not Found", "{number}");
    }
}
