//! `tombolo play` as a page meets it: who is let in, what hands do, the past, and the session played again.
#![cfg(unix)]

mod client;
mod editing;
mod ends;
mod maps;
mod recordings;
#[path = "../support/server.rs"]
mod server;
#[path = "../support/mod.rs"]
mod support;

use client::{Page, answer, answer_to_bytes, interrupt};
use serde_json::{Value, json};
use server::Server;
use support::{DROP, Folder, tombolo};

/// A server with the small scene, and its first page.
fn start(folder: &Folder, more: &[&str]) -> (Server, Page) {
    let scene = folder.file("drop.ron", DROP.as_bytes());
    let server = Server::start(&[&[scene.as_str()], more].concat());
    let mut page = Page::of(&server);
    page.until("start");
    (server, page)
}

#[test]
fn only_who_knows_the_token_is_let_in() {
    let server = Server::start(&[]);
    let (host, token) = (&server.host, &server.token);
    assert_eq!(server.url(), format!("http://{host}/?token={token}"));
    assert!(host.starts_with("127.0.0.1:"), "{host}");
    let get = |path: &str, host: &str| format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let (status, page) = answer(&server, &get(&format!("/?token={token}"), host));
    assert_eq!(status, "HTTP/1.1 200 OK");
    assert!(page.contains("<canvas id=\"world\""), "{page}");
    assert!(page.contains("frame-ancestors 'none'"));
    let port = host.rsplit(':').next().unwrap();
    let by_name = answer(
        &server,
        &get(&format!("/?token={token}"), &format!("localhost:{port}")),
    );
    assert_eq!(by_name.0, "HTTP/1.1 200 OK");
    let wrong = format!("{}{}", &token[1..], "0");
    for head in [
        get("/", host),
        get("/?token=", host),
        get(&format!("/?token={wrong}"), host),
        get(&format!("/?token={token}x"), host),
        get(&format!("/?token={token}"), &format!("evil.example:{port}")),
        get(&format!("/?token={token}"), "evil.example"),
        format!("GET /?token={token} HTTP/1.1\r\n\r\n"),
        format!("GET /?token={token} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n"),
        get("/save", host),
        get("/picture?scene=harbour", host),
        get(&format!("/socket?token={token}"), host),
    ] {
        let (status, rest) = answer(&server, &head);
        assert_eq!(status, "HTTP/1.1 403 Forbidden", "{head}");
        assert!(!rest.contains("<canvas"));
    }
    let (status, _) = answer(
        &server,
        &format!("POST /?token={token} HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    );
    assert_eq!(status, "HTTP/1.1 405 Method Not Allowed");
    let (status, _) = answer(&server, &get(&format!("/other?token={token}"), host));
    assert_eq!(status, "HTTP/1.1 404 Not Found");
    let (status, _) = answer(
        &server,
        &format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "x".repeat(20_000)),
    );
    assert!(
        status.is_empty() || status == "HTTP/1.1 400 Bad Request",
        "{status}"
    );
    // A browser opens connections ahead, and may send a request at the moment at which one ends: then it must not be told of an error.
    let (nothing, part) = std::thread::scope(|scope| {
        let nothing = scope.spawn(|| answer(&server, ""));
        let part = scope.spawn(|| answer(&server, "GET / HT"));
        (nothing.join().unwrap(), part.join().unwrap())
    });
    assert_eq!(nothing, (String::new(), String::new()));
    assert_eq!(part.0, "HTTP/1.1 400 Bad Request");
    for origin in ["http://evil.example", "null", &format!("https://{host}")] {
        assert!(Page::from_origin(&server, origin).is_err(), "{origin}");
    }
    let mut page = Page::of(&server);
    let scenes = page.until("gallery")["scenes"].clone();
    assert!(scenes.as_array().unwrap().contains(&json!("harbour")), "{scenes}");
    // At most eight at once.
    let mut more: Vec<Page> = (0..7).map(|_| Page::of(&server)).collect();
    assert!(Page::from_origin(&server, &format!("http://{host}")).is_err());
    drop(more.pop());
    let again = (0..100).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        Page::from_origin(&server, &format!("http://{host}")).ok()
    });
    assert!(again.is_some(), "there is room again");
}

#[test]
fn what_is_no_request_changes_nothing() {
    let folder = Folder::new("play-bad");
    let (server, mut page) = start(&folder, &[]);
    page.steps(10);
    let before = page.hash();
    let kinds = [
        "",
        "{",
        "[]",
        "null",
        "7",
        "\"play\"",
        "{}",
        r#"{"do":"destroy"}"#,
        r#"{"do":"seek"}"#,
        r#"{"do":"seek","step":-1}"#,
        r#"{"do":"step","more":1}"#,
        r#"{"do":"speed","speed":"fast"}"#,
        r#"{"do":"act","action":{"act":"drag"}}"#,
        r#"{"do":"act","action":{"act":"cut","from":[0],"to":[1,2]}}"#,
        r#"{"do":"select","entity":7}"#,
        r#"{"do":"select","entity":"-7"}"#,
        r#"{"do":"speed","speed":1e999}"#,
    ];
    // Those that are requests, and that the world refuses.
    let refused = [
        r#"{"do":"speed","speed":1e9}"#,
        r#"{"do":"open","scene":"../../etc/passwd"}"#,
        r#"{"do":"act","action":{"act":"drag","at":[0,0]}}"#,
        r#"{"do":"act","action":{"act":"release"}}"#,
        r#"{"do":"act","action":{"act":"drop","resource":"nothing","at":[0,0]}}"#,
        r#"{"do":"act","action":{"act":"explode","at":[1e30,0],"radius":1,"impulse":1}}"#,
        r#"{"do":"act","action":{"act":"despawn","entity":"123456789"}}"#,
        r#"{"do":"undo"}"#,
        r#"{"do":"redo"}"#,
    ];
    let mut refusals = 0;
    for number in 0..1_000 {
        let text = if number % 3 == 0 {
            refused[number % refused.len()]
        } else {
            kinds[number % kinds.len()]
        };
        page.send_text(text).unwrap();
        refusals += u32::from(
            page.until("error")["text"]
                .as_str()
                .is_some_and(|why| !why.is_empty()),
        );
    }
    assert_eq!(refusals, 1_000);
    assert_eq!(page.hash(), before);
    drop(page);
    // One that is too long is refused, and the next one is read.
    let long = format!("{}{}{}", r#"{"do":"list","search":""#, "x".repeat(200_000), "\"}");
    for _ in 0..100 {
        let mut page = Page::of(&server);
        for _ in 0..10 {
            page.send_text(&long).unwrap();
            page.until("error");
        }
        assert_eq!(page.hash(), before);
    }
    let mut page = Page::of(&server);
    page.until("start");
    assert_eq!(page.hash(), before);
}

/// Bytes that are no message of a WebSocket end their own socket, with an error, and nothing else.
#[test]
fn what_is_no_message_ends_its_own_socket() {
    let folder = Folder::new("play-bytes");
    let (server, mut page) = start(&folder, &[]);
    page.steps(10);
    let before = page.hash();
    let long_ping = [&[0x89, 0xfe, 0, 126, 0, 0, 0, 0][..], &[0; 126]].concat();
    let cases: [(&str, &[u8]); 8] = [
        ("without a mask", &[0x81, 0x02, b'{', b'}']),
        ("a reserved bit", &[0xc1, 0x80, 0, 0, 0, 0]),
        ("a reserved kind", &[0x83, 0x80, 0, 0, 0, 0]),
        ("a long ping", &long_ping),
        ("a ping in parts", &[0x09, 0x80, 0, 0, 0, 0]),
        ("a part of nothing", &[0x80, 0x80, 0, 0, 0, 0]),
        ("no UTF-8", &[0x81, 0x82, 0, 0, 0, 0, 0xc3, 0x28]),
        (
            "endless",
            &[
                0x81, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0,
            ],
        ),
    ];
    for (what, bytes) in cases {
        let got = answer_to_bytes(&server, bytes);
        assert!(got.starts_with("HTTP/1.1 101"), "{what}: {got}");
        assert!(got.contains(r#"{"is":"error","text":""#), "{what}: {got}");
    }
    assert_eq!(page.hash(), before);
    page.steps(1);
    assert_eq!(page.hash().0, 11);
}

#[test]
fn two_pages_see_the_same_and_one_has_control() {
    let folder = Folder::new("play-two");
    let (server, mut first) = start(&folder, &[]);
    let mut second = Page::of(&server);
    second.until("start");
    first.steps(25);
    let hash = first.hash();
    assert_eq!(hash.0, 25);
    assert_eq!(second.hash(), hash);
    second.send(json!({"do": "step"}));
    assert!(
        second.until("error")["text"]
            .as_str()
            .unwrap()
            .contains("control")
    );
    assert_eq!(second.hash(), hash);
    second.send(json!({"do": "control"}));
    second.until_it("frame", |frame| frame["has_control"] == true);
    first.until_it("frame", |frame| frame["has_control"] == false);
    second.steps(5);
    let hash = second.hash();
    assert_eq!((first.hash(), hash.0), (hash.clone(), 30));
    // It goes back to the one who stays.
    drop(second);
    first.until_it("frame", |frame| {
        frame["has_control"] == true && frame["watchers"] == 1
    });
}

#[test]
fn a_dragged_body_comes_to_the_pointer() {
    let folder = Folder::new("play-drag");
    let (_server, mut page) = start(&folder, &[]);
    // All comes to rest and sleeps before somebody takes the uppermost.
    page.steps(200);
    let stack = page.entity("stack[4]");
    let at = page.position(&stack);
    assert_eq!(page.property(&stack, "body.awake"), "false");
    page.act(json!({"act": "grab", "entity": stack, "at": at}));
    for goal in [[-4.0, 6.0], [5.0, 3.5]] {
        page.act(json!({"act": "drag", "at": goal}));
        page.steps(120);
        let [x, y] = page.position(&stack);
        // It hangs from the spring: a little below.
        assert!(
            (x - goal[0]).abs() < 0.02 && (y - goal[1]).abs() < 0.02,
            "{x}, {y} is not {goal:?}"
        );
    }
    // Once it hangs still it may sleep; the pointer wakes it.
    page.steps(120);
    page.act(json!({"act": "drag", "at": [-6.0, 5.0]}));
    page.steps(60);
    let [x, y] = page.position(&stack);
    assert!((x + 6.0).abs() < 0.05 && (y - 5.0).abs() < 0.05, "{x}, {y}");
    page.act(json!({"act": "release"}));
    page.steps(90);
    let [_, y] = page.position(&stack);
    assert!((y - 0.5).abs() < 0.05, "let go it falls to the ground: {y}");
    let ground = page.entity("ground");
    page.act(json!({"act": "grab", "entity": ground, "at": [0, 0]}));
    assert!(page.until("error")["text"].as_str().unwrap().contains("dragged"));
}

/// Does all that hands can do.
fn play_all(page: &mut Page) {
    page.steps(30);
    let stack = page.entity("stack[3]");
    let at = page.position(&stack);
    page.act(json!({"act": "grab", "entity": stack, "at": at}));
    for part in 0..20 {
        page.act(json!({"act": "drag", "at": [f64::from(part) * 0.13, 4.1]}));
        page.steps(2);
    }
    page.act(json!({"act": "release"}));
    page.steps(7);
    let swing = page.entity("swing");
    page.act(json!({"act": "push", "entity": swing, "at": [4.1, 4.0], "impulse": [0.3, 2.7]}));
    page.steps(5);
    page.act(json!({"act": "cut", "from": [-2.1, 0.3], "to": [2.3, 1.1]}));
    page.steps(3);
    page.act(json!({"act": "explode", "at": [0.2, 0.1], "radius": 2.5, "impulse": 3.3}));
    page.act(json!({"act": "drop", "resource": "crate", "at": [-3.3, 5.0]}));
    page.steps(4);
    page.act(json!({"act": "set", "entity": swing, "path": "body.linear_damping", "text": "0.75"}));
    page.act(json!({"act": "move", "entity": stack, "at": [-5.0, 3.0], "angle": 0.4}));
    page.steps(20);
    let last = page.entity("stack[0]");
    page.act(json!({"act": "despawn", "entity": last}));
    page.steps(10);
}

#[test]
fn a_session_played_again_ends_in_the_same_hash() {
    let folder = Folder::new("play-again");
    let path = |name: &str| folder.0.join(name).display().to_string();
    let (session, record) = (path("session.jsonl"), path("replay.html"));
    let (server, mut page) = start(&folder, &["--session", &session, "--record", &record]);
    play_all(&mut page);
    // Back in time and on from there, and an action that is undone: the session has only what is left.
    page.send(json!({"do": "seek", "step": 90}));
    page.act(json!({"act": "drop", "resource": "crate", "at": [2.0, 6.0]}));
    page.steps(12);
    page.act(json!({"act": "explode", "at": [0, 0], "radius": 3, "impulse": 9}));
    page.send(json!({"do": "undo"}));
    page.steps(40);
    page.send(json!({"do": "play"}));
    page.until_it("frame", |frame| frame["step"].as_u64() > Some(160));
    page.send(json!({"do": "pause"}));
    let (step, hash) = page.hash();
    interrupt(server);
    let output = tombolo(&["play", "--again", &session, "--threads", "2"]);
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains(&hash) && text.contains(&format!("{step} steps")),
        "{text}"
    );
    let page = std::fs::read_to_string(&record).unwrap();
    assert!(page.contains("<canvas id=\"world\""));
    // A session that was changed does not pass.
    let told = std::fs::read_to_string(&session).unwrap();
    std::fs::write(&session, told.replace("0.75", "0.5")).unwrap();
    let output = tombolo(&["play", "--again", &session]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    // Nor does one of the version before, and it says why.
    let old = told.replace("\"tombolo_session\":2", "\"tombolo_session\":1");
    std::fs::write(&session, old).unwrap();
    let output = tombolo(&["play", "--again", &session]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("version 1") && said.contains("no name"), "{said}");
}

#[test]
fn the_past_is_what_it_was() {
    let folder = Folder::new("play-past");
    let (_server, mut page) = start(&folder, &[]);
    let start = page.hash();
    play_all(&mut page);
    let end = page.hash();
    page.send(json!({"do": "seek", "step": 60}));
    let middle = page.hash();
    assert_eq!(middle.0, 60);
    page.send(json!({"do": "seek", "step": 0}));
    assert_eq!(page.hash(), start);
    page.send(json!({"do": "seek", "step": 45}));
    page.send(json!({"do": "seek", "step": 60}));
    assert_eq!(page.hash(), middle);
    page.send(json!({"do": "seek", "step": 1_000_000}));
    assert_eq!(page.hash(), end, "the future is kept while nothing is changed");
    // Undone, the world is what it was before; done again, what it was after.
    let stack = page.entity("stack[1]");
    page.act(json!({"act": "set", "entity": stack, "path": "body.gravity_scale", "text": "-1"}));
    let changed = page.hash();
    assert_ne!(changed, end);
    page.steps(9);
    page.send(json!({"do": "undo"}));
    assert_eq!(page.hash(), end);
    page.send(json!({"do": "redo"}));
    assert_eq!(page.hash(), changed);
    // The edit is one of a Row's instance, which the file has no place for.
    page.send(json!({"do": "reset"}));
    page.until("error");
    page.send(json!({"do": "reset"}));
    page.until("start");
    // The others are kept: the world begins as the file does that has them.
    let begun = page.hash();
    assert_ne!(begun, start);
    assert_eq!(editing::write(&mut page), [] as [Value; 0]);
    let server = Server::start(&[&folder.0.join("drop.ron").display().to_string()]);
    let mut page = Page::of(&server);
    page.until("start");
    assert_eq!(page.hash(), begun);
}

#[test]
fn a_changed_file_begins_again_and_a_wrong_one_says_where() {
    let folder = Folder::new("play-reload");
    let (_server, mut page) = start(&folder, &[]);
    page.steps(20);
    let hash = page.hash();
    folder.file("drop.ron", DROP.replace("Dynamic", "Dynamit").as_bytes());
    let error = page.until("error")["text"].as_str().unwrap().to_string();
    assert!(
        error.contains("drop.ron:4") && error.contains("Dynamit"),
        "{error}"
    );
    assert_eq!(page.hash(), hash, "the old world goes on");
    folder.file("drop.ron", DROP.replace("count: 5", "count: 3").as_bytes());
    page.until("start");
    page.send(json!({"do": "list", "search": "stack"}));
    assert_eq!(page.until("entities")["count"], 3);
}

/// The page asks for pictures, not for files: it gets the images of the map that is played and nothing else.
#[test]
fn pictures_are_those_of_the_map_that_is_played() {
    let folder = Folder::new("play-pictures");
    folder.file("secret.txt", b"under the mat");
    let map = |image: &str| {
        format!(
            r#"<map width="1" height="1" tilewidth="16" tileheight="16">
            <tileset firstgid="1" name="t" tilewidth="16" tileheight="16"><image source="{image}" width="16" height="16"/>
            </tileset><layer name="floor" width="1" height="1"><properties><property name="solid" type="bool" value="true"/>
            </properties><data encoding="csv">1</data></layer></map>"#
        )
    };
    let image = tiny_skia::Pixmap::new(16, 16).unwrap().encode_png().unwrap();
    std::fs::write(folder.0.join("tile.png"), image).unwrap();
    let path = folder.file("level.tmx", map("tile.png").as_bytes());
    let server = Server::start(&[&path]);
    let mut page = Page::of(&server);
    page.until("start");
    let Server { host, token, .. } = &server;
    let ask = |path: &str| answer(&server, &format!("GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    let (status, _) = ask("/pictures");
    assert_eq!(
        status, "HTTP/1.1 403 Forbidden",
        "without the token there is nothing"
    );
    let pictures = || {
        let (status, rest) = ask(&format!("/pictures?token={token}"));
        assert_eq!(status, "HTTP/1.1 200 OK");
        let (head, body) = rest.split_once("\r\n\r\n").unwrap();
        assert!(
            head.contains("application/json") && head.contains("nosniff"),
            "{head}"
        );
        serde_json::from_str::<Value>(body).unwrap()
    };
    assert_eq!(pictures()["images"][0]["kind"], "image/png");
    assert_eq!(pictures()["fixed"].as_array().unwrap().len(), 1);
    for path in [
        "/tile.png",
        "/pictures/tile.png",
        "/pictures/../secret.txt",
        "/..%2fsecret.txt",
        "//etc/passwd",
    ] {
        let (status, rest) = ask(&format!("{path}?token={token}"));
        assert_eq!(status, "HTTP/1.1 404 Not Found", "{path}");
        assert!(!rest.contains("under the mat"));
    }
    // A map that is changed brings others, and a file that is no image none.
    folder.file("level.tmx", map("secret.txt").as_bytes());
    page.until("start");
    assert_eq!(pictures()["images"], json!([]));
}

#[test]
fn the_hero_of_the_platformer_is_played() {
    let folder = Folder::new("play-hero");
    let log = folder.0.join("hero.jsonl").display().to_string();
    let server = Server::start(&["platformer", "--session", &log]);
    let mut page = Page::of(&server);
    let actions = page.until("start")["actions"].clone();
    let names: Vec<&Value> = actions
        .as_array()
        .unwrap()
        .iter()
        .map(|action| &action["name"])
        .collect();
    assert_eq!(names, ["move", "jump", "crouch"]);
    assert_eq!(actions[0]["is_axis"], true);
    assert_eq!(actions[1]["buttons"], json!([0]));
    page.steps(60);
    let hero = page.entity("hero");
    let [start, _] = page.position(&hero);
    let input = |name: &str, value: f32| json!({"act": "input", "name": name, "value": value});
    page.act(input("move", -1.0));
    page.steps(60);
    let [x, ground] = page.position(&hero);
    assert!(x < start - 3.0, "{x} from {start}");
    // A tap between two steps.
    page.act(input("jump", 1.0));
    page.act(input("jump", 0.0));
    page.steps(20);
    assert!(page.position(&hero)[1] > ground + 1.0);
    page.send(json!({"do": "step"}));
    let frame = page.until("frame");
    assert_eq!(
        (&frame["inputs"], &frame["undo"]),
        (&json!([["move", -1.0]]), &json!([0, 0]))
    );
    page.act(input("", 1.0));
    assert!(
        page.until("error")["text"]
            .as_str()
            .unwrap()
            .contains("1 to 64 bytes")
    );
    // Who goes lets go.
    page.send(json!({"do": "play"}));
    let mut other = Page::of(&server);
    other.send(json!({"do": "control"}));
    other.until_it("frame", |frame| {
        frame["has_control"] == true && frame["inputs"].is_null()
    });
    other.send(json!({"do": "pause"}));
    let hash = other.hash();
    drop((page, other));
    interrupt(server);
    let again = tombolo(&["play", "--again", &log]);
    let said = String::from_utf8(again.stdout).unwrap();
    assert!(said.contains(&hash.1) && said.contains("4 actions"), "{said}");
}

#[test]
fn actions_of_players_while_the_world_stands_keep_redo_and_the_future() {
    let folder = Folder::new("play-input");
    let (_server, mut page) = start(&folder, &[]);
    let input = |value: f32| json!({"act": "input", "name": "jump", "value": value});
    page.steps(10);
    page.act(json!({"act": "drop", "resource": "crate", "at": [4, 8]}));
    page.steps(10);
    let end = page.hash();
    // In the past it is not heard, and what came after is still there.
    page.send(json!({"do": "seek", "step": 5}));
    page.act(input(1.0));
    page.send(json!({"do": "seek", "step": 1_000}));
    assert_eq!(page.hash(), end);
    // Where nothing came after it is heard, and what was undone can be done again.
    page.send(json!({"do": "undo"}));
    page.act(input(1.0));
    page.until_it("frame", |frame| {
        frame["inputs"] == json!([["jump", 1.0]]) && frame["undo"] == json!([0, 1])
    });
    page.send(json!({"do": "redo"}));
    page.until_it("frame", |frame| frame["undo"] == json!([1, 0]));
}

#[test]
fn printed_lines_and_faults_are_sent_to_the_page() {
    let folder = Folder::new("play-log");
    let text = r#"(
        scripts: {
            "talk": "fn on_tick(seconds) { if !has_timer(\"said\") { print(\"hello\"); set_timer(\"said\", 100); } }",
            "fail": "fn on_tick(seconds) { nothing_of_this_name(); }",
        },
        entities: {
            "lamp": {"body": Body(), "voice": Script(name: "talk")},
            "fool": {"body": Body(), "voice": Script(name: "fail")},
        },
        place: [One(name: "lamp", entity: "lamp"), One(name: "fool", entity: "fool")],
    )"#;
    let scene = folder.file("talk.ron", text.as_bytes());
    let server = Server::start(&[&scene]);
    let mut page = Page::of(&server);
    page.until("start");
    page.steps(2);
    let told = page.until("log");
    assert_eq!(told["printed"], json!(["hello"]));
    let fault = told["faults"][0].as_str().unwrap();
    assert!(
        fault.contains("nothing_of_this_name") && fault.contains("fool"),
        "{told}"
    );
}

/// Ticks of processor time that a process has used.
fn ticks(process: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap();
    let (_, rest) = stat.rsplit_once(')').unwrap();
    let fields: Vec<&str> = rest.split_whitespace().collect();
    fields[11..13]
        .iter()
        .map(|ticks| ticks.parse::<u64>().unwrap())
        .sum()
}

#[test]
fn a_paused_world_uses_no_core() {
    if !std::path::Path::new("/proc/self/stat").exists() {
        eprintln!("a_paused_world_uses_no_core is SKIPPED: there is no /proc");
        return;
    }
    let folder = Folder::new("play-idle");
    let (server, mut page) = start(&folder, &[]);
    page.steps(3);
    page.hash();
    let before = ticks(server.child.id());
    std::thread::sleep(std::time::Duration::from_secs(4));
    // A hundred ticks are a second: two of four hundred are 0.5 %.
    assert!(ticks(server.child.id()) - before <= 2);
}

#[test]
fn a_page_that_takes_nothing_holds_nobody_up() {
    let folder = Folder::new("play-slow");
    let (server, mut page) = start(&folder, &[]);
    let mut slow = Page::of(&server);
    page.send(json!({"do": "play"}));
    let frames: Vec<Value> = (0..60).map(|_| page.until("frame")).collect();
    let last = frames.last().unwrap()["step"].as_u64().unwrap();
    assert!(last >= 30, "{last} steps in the time of 60 frames");
    page.send(json!({"do": "pause"}));
    let (step, _) = page.hash();
    // It gets the first two frames that were meant for it, and then what there is now.
    let mut told = Vec::new();
    while told.last() != Some(&step) {
        told.push(slow.until("frame")["step"].as_u64().unwrap());
    }
    assert!(told.len() <= 4, "{told:?}");
}
