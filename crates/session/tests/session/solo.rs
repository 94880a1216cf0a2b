//! A page that has a session for itself: what it asks for, what it is told, and that nothing of it changes the bits.

use tombolo::threads::Inline;
use tombolo::{Scene, World};
use tombolo_session::{Log, Message, Origin, Playback, Request, Session, Solo};

const SCENE: &str = r#"(
    entities: {
        "ground": {"body": Body(), "top": Collider(shape: Box(width: 20, height: 2), position: (0, -1))},
        "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))},
    },
    place: [
        One(name: "ground", entity: "ground"),
        One(name: "crate", entity: "crate", at: (0, 4)),
    ],
)"#;

/// A step of the scene, in seconds.
const STEP_S: f64 = 1.0 / 60.0;

fn world() -> World {
    World::from_scene(&Scene::parse("a.ron", SCENE).unwrap()).unwrap()
}

fn solo() -> Solo {
    let scene = Scene::parse("a.ron", SCENE).unwrap();
    Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap()
}

/// Everything that waits for the page: texts, and the heads of frames.
pub(crate) fn told(solo: &mut Solo) -> Vec<serde_json::Value> {
    let messages = std::iter::from_fn(|| solo.next_message());
    let heads = messages.map(|message| match message {
        Message::Text(text) => serde_json::from_str(&text).unwrap(),
        Message::Frame(bytes) => {
            let length = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
            serde_json::from_slice(&bytes[4..4 + length]).unwrap()
        }
    });
    heads.collect()
}

/// Asks for something at a time, and gives what the page is told for it. The page draws all that it gets.
pub(crate) fn ask(solo: &mut Solo, request: &str, now_s: f64) -> Vec<serde_json::Value> {
    solo.hear(request, now_s, &Inline);
    solo.go_on(now_s, &Inline);
    let told = told(solo);
    for _ in told.iter().filter(|message| message.get("oldest").is_some()) {
        solo.hear(r#"{"do":"ready"}"#, now_s, &Inline);
    }
    told
}

fn entity(name: &str) -> String {
    world().find(name).unwrap().to_bits().to_string()
}

#[test]
fn a_solo_session_plays_by_the_given_time_to_the_bits_of_the_world() {
    let mut solo = solo();
    let first = ask(
        &mut solo,
        r#"{"do":"layers","contacts":false,"boxes":false,"cells":false,"colors":false}"#,
        5.0,
    );
    assert_eq!(
        (first[0]["is"].as_str(), first[1]["step"].as_u64()),
        (Some("start"), Some(0))
    );
    assert_eq!(solo.go_on(9.0, &Inline), None, "it stands");
    ask(&mut solo, r#"{"do":"play"}"#, 10.0);
    let mut now_s = 10.0;
    for _ in 0..30 {
        let due = solo.go_on(now_s, &Inline).unwrap();
        assert!(due > 0.0 && due < 1.01 * STEP_S, "{due}");
        solo.hear(r#"{"do":"ready"}"#, now_s, &Inline);
        now_s += due;
    }
    let step = solo.session().step();
    assert!((28..=30).contains(&step), "{step} steps in {} s", now_s - 10.0);
    let last = ask(&mut solo, r#"{"do":"pause"}"#, now_s);
    let last = last
        .iter()
        .rfind(|message| message.get("oldest").is_some())
        .unwrap();
    let mut world = world();
    (0..last["step"].as_u64().unwrap()).for_each(|_| world.step());
    assert_eq!(last["hash"], format!("{:016x}", world.state_hash()));
    assert_eq!(solo.go_on(now_s + 60.0, &Inline), None);
    assert_eq!(
        Some(solo.session().step()),
        last["step"].as_u64(),
        "it stands again"
    );
}

#[test]
fn the_log_of_a_solo_session_plays_its_actions_again() {
    let mut solo = solo();
    let key = entity("crate");
    let push =
        format!(r#"{{"do":"act","action":{{"act":"push","entity":"{key}","at":[0,4],"impulse":[3,2]}}}}"#);
    ask(&mut solo, r#"{"do":"step"}"#, 0.0);
    ask(&mut solo, &push, 0.0);
    ask(
        &mut solo,
        r#"{"do":"act","action":{"act":"drop","resource":"crate","at":[3,6]}}"#,
        0.0,
    );
    (0..40).for_each(|_| drop(ask(&mut solo, r#"{"do":"step"}"#, 0.0)));
    let log = Log::parse(&solo.session().log().to_text().unwrap()).unwrap();
    assert_eq!((log.steps(), log.action_count()), (41, 2));
    let mut again = world();
    log.play(&mut again, &Inline, |_| Ok(())).unwrap();
    assert_eq!(log.hash(), format!("{:016x}", again.state_hash()));
    let mut untouched = world();
    (0..41).for_each(|_| untouched.step());
    assert_ne!(again.state_hash(), untouched.state_hash());
    // An edit is in the scene that can be saved: what was dropped.
    assert!(solo.session().edited_text().unwrap().text.contains("crate 1"));
    let begun = ask(&mut solo, r#"{"do":"reset"}"#, 0.0);
    assert_eq!(
        (begun[0]["is"].as_str(), solo.session().step()),
        (Some("start"), 0)
    );
}

#[test]
fn requests_that_a_solo_session_cannot_do_are_refused_with_a_reason() {
    let mut solo = solo();
    drop(ask(&mut solo, r#"{"do":"hash"}"#, 0.0));
    for (request, why) in [
        (r#"{"do":"write"}"#, "no files"),
        (r#"{"do":"open","scene":"b"}"#, "no files"),
        (r#"{"do":"speed","speed":100}"#, "speeds"),
        (r#"{"do":"undo"}"#, "nothing was done"),
        (r#"{"do":"fly"}"#, "unknown variant"),
        ("{", "EOF"),
    ] {
        let told = ask(&mut solo, request, 0.0);
        let error = told.iter().find(|message| message["is"] == "error");
        let text = error.and_then(|error| error["text"].as_str()).unwrap_or_default();
        assert!(text.contains(why), "{request}: {told:?}");
    }
}

#[test]
fn frames_wait_for_a_page_that_draws_none() {
    let mut solo = solo();
    solo.hear(r#"{"do":"play"}"#, 0.0, &Inline);
    for step in 0..60 {
        solo.go_on(f64::from(step) * STEP_S, &Inline);
    }
    let frames = told(&mut solo)
        .iter()
        .filter(|message| message.get("oldest").is_some())
        .count();
    assert_eq!(frames, 2);
    assert!(solo.session().step() > 50, "the world went on");
}

/// What the last frame says of a field.
pub(crate) fn last(told: &[serde_json::Value], field: &str) -> serde_json::Value {
    let mut frames = told.iter().filter(|message| message.get("oldest").is_some());
    frames
        .next_back()
        .map_or(serde_json::Value::Null, |head| head[field].clone())
}

pub(crate) fn steps(solo: &mut Solo, count: usize) {
    (0..count).for_each(|_| drop(ask(solo, r#"{"do":"step"}"#, 0.0)));
}

/// An action, as JSON without its outer braces.
fn act(solo: &mut Solo, action: &str) -> Vec<serde_json::Value> {
    ask(solo, &format!(r#"{{"do":"act","action":{{{action}}}}}"#), 0.0)
}

#[test]
fn redo_makes_no_steps_for_what_players_wanted_later() {
    let mut solo = solo();
    steps(&mut solo, 10);
    act(&mut solo, r#""act":"drop","resource":"crate","at":[3,6]"#);
    steps(&mut solo, 10);
    act(&mut solo, r#""act":"input","name":"jump","value":1"#);
    steps(&mut solo, 20);
    act(&mut solo, r#""act":"input","name":"jump","value":0"#);
    ask(&mut solo, r#"{"do":"undo"}"#, 0.0);
    assert_eq!(solo.session().step(), 10);
    let told = ask(&mut solo, r#"{"do":"redo"}"#, 0.0);
    assert_eq!(last(&told, "undo"), serde_json::json!([1, 0]));
    assert_eq!(
        (solo.session().step(), solo.session().log().action_count()),
        (10, 1)
    );
}

#[test]
fn a_redo_that_is_refused_halfway_changes_nothing_and_can_be_tried_again() {
    let ends_drags = r#"{"body": Body(), "end": Script(text: "fn on_tick(seconds) { \
        let pointer = find(\"the pointer of play\"); \
        if axis(\"jump\") > 0.5 && pointer != () { despawn(pointer); } }")}"#;
    let text = SCENE.replace(
        r#"{"body": Body(), "top""#,
        &format!("{ends_drags},\n\"rest\": {{\"body\": Body(), \"top\""),
    );
    let scene = Scene::parse("a.ron", &text).unwrap();
    let mut solo = Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap();
    let key = solo.session().world().find("crate").unwrap().to_bits();
    steps(&mut solo, 5);
    act(&mut solo, &format!(r#""act":"grab","entity":"{key}","at":[0,4]"#));
    steps(&mut solo, 3);
    act(&mut solo, r#""act":"drag","at":[2,5]"#);
    steps(&mut solo, 3);
    act(&mut solo, r#""act":"release""#);
    ask(&mut solo, r#"{"do":"undo"}"#, 0.0);
    act(&mut solo, r#""act":"input","name":"jump","value":1"#);
    let before = (solo.session().step(), solo.session().world().state_hash());
    let told = ask(&mut solo, r#"{"do":"redo"}"#, 0.0);
    assert!(told.iter().any(|message| message["is"] == "error"), "{told:?}");
    assert_eq!(
        (solo.session().step(), solo.session().world().state_hash()),
        before
    );
    assert_eq!(last(&told, "undo"), serde_json::json!([0, 1]));
    assert_eq!(solo.session().log().action_count(), 1);
    act(&mut solo, r#""act":"input","name":"jump","value":0"#);
    let told = ask(&mut solo, r#"{"do":"redo"}"#, 0.0);
    assert_eq!(last(&told, "undo"), serde_json::json!([1, 0]));
    assert_eq!(solo.session().step(), 11);
}

#[test]
fn a_step_beyond_all_others_is_the_newest() {
    let mut solo = solo();
    steps(&mut solo, 3);
    ask(&mut solo, r#"{"do":"seek","step":1}"#, 0.0);
    let told = ask(&mut solo, r#"{"do":"seek","step":18446744073709551615}"#, 0.0);
    assert_eq!(last(&told, "step"), 3);
}

#[test]
fn a_page_is_told_which_edits_its_file_lacks() {
    let text = SCENE.replace(
        "(0, 4)),",
        "(0, 4)),\n        Row(name: \"row\", entity: \"crate\", at: (3, 4), count: 2, step: (2, 0)),",
    );
    let scene = Scene::parse("a.ron", &text).unwrap();
    let mut solo = Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap();
    let key = solo.session().world().find("row[1]").unwrap().to_bits();
    act(&mut solo, r#""act":"drop","resource":"crate","at":[3,6]"#);
    let told = act(&mut solo, &format!(r#""act":"despawn","entity":"{key}""#));
    assert_eq!(last(&told, "unwritten"), true);
    let file = solo.write().unwrap();
    assert!(file.contains("crate 1") && file.contains("Row"), "{file}");
    solo.go_on(0.0, &Inline);
    let told = self::told(&mut solo);
    let written = told.iter().find(|message| message["is"] == "written").unwrap();
    assert_eq!(
        written["left_out"],
        serde_json::json!(["row[1]: it is one of a Row: in the file they are alike"])
    );
    assert_eq!(last(&told, "unwritten"), false);
    // Its session is played again from the text with which it began, whatever is saved over the scene.
    let log = Log::parse(&solo.session().log().to_text().unwrap()).unwrap();
    assert_eq!(log.text(), Some(&*text));
}

#[test]
fn a_session_begins_with_the_text_that_it_has_and_its_file_has_it_if_asked_to() {
    let mut log = solo().session().log();
    assert_eq!(log.text(), Some(SCENE));
    assert_eq!(Log::parse(&log.to_text().unwrap()).unwrap().text(), None);
    log.keep_text();
    assert_eq!(Log::parse(&log.to_text().unwrap()).unwrap().text(), Some(SCENE));
}

/// A session that is played step by step.
fn playback() -> Playback {
    let scene = Scene::parse("a.ron", SCENE).unwrap();
    let world = World::from_scene(&scene).unwrap();
    Playback::new(Session::new(
        Origin::new("a.ron", "a", scene, true),
        Box::new(world),
    ))
}

fn change(playback: &mut Playback, request: &str) {
    let request: Request = serde_json::from_str(request).unwrap();
    playback.change(request, &Inline).unwrap();
}

fn go_on(playback: &mut Playback, count: u64) {
    for _ in 0..count {
        change(playback, r#"{"do":"step"}"#);
    }
}

/// Grabs the crate where it begins.
fn grab(playback: &mut Playback) {
    let grab = format!(
        r#"{{"do":"act","action":{{"act":"grab","entity":"{}","at":[0,4]}}}}"#,
        entity("crate")
    );
    change(playback, &grab);
}

#[test]
fn a_drag_that_is_redone_takes_as_many_steps_as_before_wherever_the_world_is() {
    for seek in [false, true] {
        let mut playback = playback();
        go_on(&mut playback, 5);
        grab(&mut playback);
        go_on(&mut playback, 20);
        change(
            &mut playback,
            r#"{"do":"act","action":{"act":"drag","at":[3,6]}}"#,
        );
        go_on(&mut playback, 20);
        change(&mut playback, r#"{"do":"act","action":{"act":"release"}}"#);
        change(&mut playback, r#"{"do":"undo"}"#);
        assert_eq!(playback.session().step(), 5);
        if seek {
            change(&mut playback, r#"{"do":"seek","step":2}"#);
        } else {
            go_on(&mut playback, 40);
        }
        let before = playback.session().step();
        change(&mut playback, r#"{"do":"redo"}"#);
        assert_eq!(playback.session().step(), before + 40);
    }
}

#[test]
fn what_a_page_holds_is_released_when_the_page_goes() {
    for is_playing in [false, true] {
        let mut playback = playback();
        go_on(&mut playback, 5);
        grab(&mut playback);
        if is_playing {
            change(&mut playback, r#"{"do":"play"}"#);
        }
        assert!(playback.session().world().find("the pointer of play").is_some());
        playback.let_go();
        assert!(playback.session().world().find("the pointer of play").is_none());
    }
}

#[test]
fn an_undo_of_nothing_does_not_pause() {
    let mut playback = playback();
    change(&mut playback, r#"{"do":"play"}"#);
    let undo = serde_json::from_str(r#"{"do":"undo"}"#).unwrap();
    assert!(playback.change(undo, &Inline).is_err());
    assert!(playback.is_playing());
}

#[test]
fn what_scripts_print_is_told_however_much_it_was() {
    let text = r#"(
    scripts: {"talk": "fn on_tick(seconds) { print(\"one\"); }"},
    entities: {"lamp": {"voice": Script(name: "talk")}},
    place: [One(name: "lamp", entity: "lamp")],
)"#;
    let scene = Scene::parse("a.ron", text).unwrap();
    let mut solo = Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap();
    for _ in 0..1_100 {
        drop(ask(&mut solo, r#"{"do":"step"}"#, 0.0));
    }
    let script = r#"{"do":"act","action":{"act":"script","name":"talk","text":"fn on_tick(seconds) { print(\"other\"); }"}}"#;
    drop(ask(&mut solo, script, 0.0));
    let lines = |told: &[serde_json::Value]| {
        let log = told.iter().find(|message| message["is"] == "log")?;
        Some(log["printed"].as_array().unwrap().clone())
    };
    let printed = lines(&ask(&mut solo, r#"{"do":"step"}"#, 0.0)).unwrap();
    assert_eq!(
        (printed.len(), &printed[48], &printed[49]),
        (50, &"one".into(), &"other".into())
    );
    // Steps that are made again were told before.
    assert_eq!(lines(&ask(&mut solo, r#"{"do":"seek","step":1080}"#, 0.0)), None);
    assert_eq!(lines(&ask(&mut solo, r#"{"do":"seek","step":1095}"#, 0.0)), None);
    let printed = lines(&ask(&mut solo, r#"{"do":"step"}"#, 0.0)).unwrap();
    assert_eq!((&printed[48], &printed[49]), (&"other".into(), &"one".into()));
}

#[test]
fn a_grab_that_the_world_refuses_changes_nothing() {
    let text = SCENE.replace("entities: {", "settings: (bodies_max: 3), entities: {");
    let scene = Scene::parse("a.ron", &text).unwrap();
    let mut solo = Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap();
    let key = entity("crate");
    let drop_one = r#"{"do":"act","action":{"act":"drop","resource":"crate","at":[3,6]}}"#;
    assert!(
        ask(&mut solo, drop_one, 0.0)
            .iter()
            .all(|message| message["is"] != "error")
    );
    let before = solo.session().world().state_hash();
    let grab = format!(r#"{{"do":"act","action":{{"act":"grab","entity":"{key}","at":[0,4]}}}}"#);
    let told = ask(&mut solo, &grab, 0.0);
    assert!(told.iter().any(|message| message["is"] == "error"), "{told:?}");
    assert_eq!(solo.session().world().state_hash(), before);
    let log = Log::parse(&solo.session().log().to_text().unwrap()).unwrap();
    let mut again = World::from_scene(&Scene::parse("a.ron", &text).unwrap()).unwrap();
    log.play(&mut again, &Inline, |_| Ok(())).unwrap();
    assert_eq!(log.hash(), format!("{:016x}", again.state_hash()));
}

/// A queue that has room for so many messages, and those that it took.
#[derive(Default)]
struct Narrow {
    room: std::cell::Cell<usize>,
    taken: std::cell::RefCell<Vec<Message>>,
}

impl tombolo_session::Outbox for Narrow {
    fn push(&self, message: Message) -> bool {
        let room = self.room.get();
        if room > 0 {
            self.room.set(room - 1);
            self.taken.borrow_mut().push(message);
        }
        room > 0
    }
}

#[test]
fn a_message_that_found_no_room_is_not_taken_for_sent() {
    let mut playback = playback();
    let mut page = tombolo_session::Page::new(Narrow::default());
    // No room; for the start only; for the start and a frame, and then for no other.
    for (room, taken) in [(0, 0), (1, 1), (2, 2), (0, 0), (0, 0), (0, 0), (2, 2)] {
        page.outbox().room.set(room);
        playback.touch();
        page.show(&playback.shown(1, page.wants_hash(), 0.0), true)
            .unwrap();
        page.outbox().room.set(0);
        let messages = page.outbox().taken.take();
        assert_eq!(messages.len(), taken, "{messages:?}");
        let starts = |message: &Message| matches!(message, Message::Text(text) if text.starts_with("{\"is\":\"start\""));
        assert_eq!(messages.first().is_some_and(starts), taken > 0);
        assert_eq!(matches!(messages.last(), Some(Message::Frame(_))), taken > 1);
    }
}
/// A page that asks for hashes without end gets ten a second of a world that plays; of one that stands the one that is known.
#[test]
fn hashes_of_a_playing_world_are_bounded() {
    let mut solo = solo();
    solo.hear(r#"{"do":"play"}"#, 0.0, &Inline);
    let (mut answers, mut asked) = (Vec::new(), 0);
    for moment in 0..400 {
        let now_s = f64::from(moment) / 400.0;
        answers.extend(
            ask(&mut solo, r#"{"do":"hash"}"#, now_s)
                .into_iter()
                .filter(|told| told["is"] == "hash"),
        );
        asked += 1;
    }
    let mut steps: Vec<u64> = answers
        .iter()
        .filter_map(|answer| answer["step"].as_u64())
        .collect();
    steps.dedup();
    assert!(
        (9..=11).contains(&steps.len()),
        "{} hashes for {asked} questions",
        steps.len()
    );
    for answer in answers {
        let mut world = world();
        (0..answer["step"].as_u64().unwrap()).for_each(|_| world.step());
        assert_eq!(answer["hash"], format!("{:016x}", world.state_hash()));
    }
    let told = ask(&mut solo, r#"{"do":"pause"}"#, 1.0);
    let hash = last(&told, "hash");
    for _ in 0..3 {
        let told = ask(&mut solo, r#"{"do":"hash"}"#, 1.0);
        let answer = told.iter().find(|told| told["is"] == "hash").unwrap();
        assert_eq!(answer["hash"], hash);
    }
}

const GRAPH: &str = r#"(
    graphs: {"blink": (nodes: {
        "beat": Every(seconds: 0.1, then: "tell"),
        "each step": On(event: "tick", then: "count"),
        "count": Remember(name: "ticks", value: "@more"),
        "more": Calculate(operator: "+", of: ["@ticks", 1]),
        "tell": Print(value: "@ticks"),
        "ticks": Recall(name: "ticks", or: 0),
        "way in": On(event: "spawn", then: ""),
    })},
    entities: {"lamp": {"mind": Script(name: "blink")}},
    place: [One(name: "lamp", entity: "lamp")],
)"#;

/// The last answer about the graph: the step, and of each node that ever ran its place, its last step and its value.
fn ran(told: &[serde_json::Value]) -> (u64, Vec<(u64, u64, String)>) {
    let told = told.iter().rfind(|told| told["is"] == "ran").expect("it is told");
    let nodes = told["nodes"].as_array().unwrap().iter().map(|node| {
        let number = |name: &str| node[name].as_u64().unwrap();
        let value = node["value"].as_str().unwrap_or_default();
        (number("node"), number("step"), value.to_string())
    });
    (told["step"].as_u64().unwrap(), nodes.collect())
}

/// Nodes by their places: 0 beat, 1 count, 2 each step, 3 more, 4 tell, 5 ticks, 6 way in.
#[test]
fn the_steps_of_a_node_graph_are_told_of_the_moment_that_is_shown() {
    let scene = Scene::parse("a.ron", GRAPH).unwrap();
    let mut solo = Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap();
    let told = ask(&mut solo, r#"{"do":"graph","name":"blink"}"#, 0.0);
    assert_eq!(ran(&told), (0, vec![]));
    let mut by_step = vec![ran(&told)];
    for _ in 0..70 {
        by_step.push(ran(&ask(&mut solo, r#"{"do":"step"}"#, 0.0)));
    }
    let (step, nodes) = &by_step[9];
    assert_eq!(*step, 9);
    let of = |node: u64| nodes.iter().find(|(place, ..)| *place == node);
    assert_eq!(of(1), Some(&(1, 9, String::new())));
    assert_eq!(of(3), Some(&(3, 9, "9".to_string())));
    let (_, rang, _) = of(0).expect("the timer has rung");
    assert_eq!(of(4).map(|(_, step, _)| step), Some(rang));
    assert_eq!(of(6), Some(&(6, 1, String::new())), "it ran once");
    // Back in time: what ran up to the step that is shown, a step of which a frame is kept, and the first one.
    for step in [31, 60, 45, 30, 0, 1] {
        let (shown, nodes) = ran(&ask(&mut solo, &format!(r#"{{"do":"seek","step":{step}}}"#), 0.0));
        assert_eq!(shown, step);
        assert_eq!(nodes, by_step[step as usize].1, "step {step}");
    }
    // Another graph in its place has not run yet.
    let text = r#"(nodes: {\"a\": On(event: \"tick\", then: \"b\"), \"b\": Print(value: 7)})"#;
    let edit = format!(r#"{{"do":"act","action":{{"act":"graph","name":"blink","text":"{text}"}}}}"#);
    assert_eq!(ran(&ask(&mut solo, &edit, 0.0)), (1, vec![]));
    let told = ask(&mut solo, r#"{"do":"step"}"#, 0.0);
    assert_eq!(ran(&told).1, [(0, 2, String::new()), (1, 2, String::new())]);
    // Undone: the former graph, at the moment of the edit.
    assert_eq!(ran(&ask(&mut solo, r#"{"do":"undo"}"#, 0.0)), by_step[1]);
    ask(&mut solo, r#"{"do":"graph","name":null}"#, 0.0);
    let told = ask(&mut solo, r#"{"do":"step"}"#, 0.0);
    assert!(told.iter().all(|told| told["is"] != "ran"), "nobody looks at it");
}

/// A line of text must not keep a machine busy for good; some editors write a byte order mark before it.
#[test]
fn a_session_has_an_end() {
    let line = |steps: u64| {
        format!("\u{feff}{{\"tombolo_session\":2,\"scene\":\"harbour\",\"steps\":{steps},\"hash\":\"0\"}}\n")
    };
    assert_eq!(Log::parse(&line(1_000_000_000)).unwrap().steps(), 1_000_000_000);
    for steps in [1_000_000_001, u64::MAX] {
        let error = Log::parse(&line(steps)).unwrap_err().0;
        assert_eq!(
            error,
            format!("the session has {steps} steps; 1000000000 are allowed")
        );
    }
}
