//! Redo: what a refused one leaves alone, and what one that is made tells pages.

use tombolo::Scene;
use tombolo::entity::{Entity, Value};
use tombolo::threads::Inline;
use tombolo_session::{Origin, Playback, Request, Session, Solo};

use super::solo::{ask, last, steps};
use super::write_back::{act, key, solo};

const SCENE: &str = r#"(
    entities: {"crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))}},
    place: [One(name: "crate", entity: "crate", at: (0, 4)), One(name: "spare", entity: "crate", at: (5, 4))],
)"#;

fn request(solo: &mut Solo, what: &str) -> Vec<serde_json::Value> {
    ask(solo, &format!(r#"{{"do":"{what}"}}"#), 0.0)
}

fn seek(solo: &mut Solo, step: u64) -> Vec<serde_json::Value> {
    ask(solo, &format!(r#"{{"do":"seek","step":{step}}}"#), 0.0)
}

fn input(solo: &mut Solo, value: f32) {
    let input = format!(r#"{{"do":"act","action":{{"act":"input","name":"jump","value":{value}}}}}"#);
    drop(ask(solo, &input, 0.0));
}

fn is_refused(told: &[serde_json::Value]) -> bool {
    told.iter().any(|message| message["is"] == "error")
}

/// The spare crate is duplicated and dragged; both are undone, and the crate ends by itself where a player says so.
#[test]
fn a_redo_that_is_refused_in_a_past_moment_leaves_what_came_after() {
    let ends = r#""end": Script(text: "fn on_tick(seconds) { if axis(\"jump\") > 0.5 && find(\"spare\") != () { despawn(find(\"spare\")); } }"),"#;
    let text = SCENE.replacen("\"body\"", &format!("{ends} \"body\""), 1);
    for is_drag in [false, true] {
        let mut solo = solo(&text);
        let spare = key(&solo, "spare");
        steps(&mut solo, 5);
        if is_drag {
            act(
                &mut solo,
                &format!(r#"{{"act":"grab","entity":"{spare}","at":[5,4]}}"#),
            );
            steps(&mut solo, 3);
            act(&mut solo, r#"{"act":"drag","at":[6,6]}"#);
            steps(&mut solo, 3);
            act(&mut solo, r#"{"act":"release"}"#);
        } else {
            act(
                &mut solo,
                &format!(r#"{{"act":"duplicate","entity":"{spare}","at":[8,8]}}"#),
            );
        }
        request(&mut solo, "undo");
        input(&mut solo, 1.0);
        steps(&mut solo, 20);
        input(&mut solo, 0.0);
        steps(&mut solo, 15);
        let (newest, hash) = (solo.session().step(), solo.session().world().state_hash());
        seek(&mut solo, 30);
        assert!(solo.session().world().find("spare").is_none());
        let before = solo.session().world().state_hash();
        let told = request(&mut solo, "redo");
        assert!(is_refused(&told), "{told:?}");
        assert_eq!(solo.session().world().state_hash(), before);
        assert_eq!(last(&told, "undo"), serde_json::json!([0, 1]));
        let told = seek(&mut solo, newest);
        assert_eq!(
            (last(&told, "step"), solo.session().world().state_hash()),
            (newest.into(), hash)
        );
    }
}

/// A crate is dropped and made heavy, both are undone, and a spawner takes the handle before both are redone.
#[test]
fn a_redo_is_about_the_entity_of_the_name() {
    let script = r#""source": {"mind": Script(text: "fn on_tick(seconds) { if axis(\"jump\") > 0.5 { spawn_entity(\"crate\", #{position: vec2(-9, 9)}); } }")},"#;
    let text = SCENE
        .replacen("entities: {", &format!("entities: {{{script}"), 1)
        .replacen(
            "place: [",
            "place: [One(name: \"source\", entity: \"source\"), ",
            1,
        );
    let mut solo = solo(&text);
    act(&mut solo, r#"{"act":"drop","resource":"crate","at":[9,9]}"#);
    let dropped = key(&solo, "crate 1");
    act(
        &mut solo,
        &format!(r#"{{"act":"set","entity":"{dropped}","path":"hull.density","text":"7"}}"#),
    );
    let edited = solo.session().edited_text().unwrap().text;
    request(&mut solo, "undo");
    request(&mut solo, "undo");
    input(&mut solo, 1.0);
    steps(&mut solo, 2);
    input(&mut solo, 0.0);
    for _ in 0..2 {
        assert!(!is_refused(&request(&mut solo, "redo")));
    }
    let again = key(&solo, "crate 1");
    assert_ne!(again, dropped, "the handle is another one's");
    let density = |key: u64| {
        let entity = Entity::from_bits(key).unwrap();
        solo.session().world().get(entity, "hull.density").unwrap()
    };
    assert_eq!(density(again), Value::F32(7.0));
    assert_eq!(density(dropped), Value::F32(1.0));
    assert_eq!(solo.session().edited_text().unwrap().text, edited);
}

/// A page keeps the figures of the steps that it was told; those of steps that are made anew are other ones.
#[test]
fn figures_of_steps_that_a_redo_drops_are_sent_again() {
    let mut solo = solo(SCENE);
    act(&mut solo, r#"{"act":"drop","resource":"crate","at":[9,9]}"#);
    request(&mut solo, "undo");
    steps(&mut solo, 20);
    seek(&mut solo, 10);
    let told = request(&mut solo, "redo");
    assert_eq!(
        (last(&told, "newest"), last(&told, "undo")),
        (10.into(), serde_json::json!([1, 0]))
    );
    steps(&mut solo, 1);
    let told = request(&mut solo, "step");
    assert_eq!(last(&told, "rows_from"), 12);
    // Told at once: the rows from the moment of the redo on.
    let mut playback = playback();
    for text in [
        r#"{"do":"act","action":{"act":"drop","resource":"crate","at":[9,9]}}"#,
        r#"{"do":"undo"}"#,
    ] {
        playback.change(read(text), &Inline).unwrap();
    }
    for _ in 0..20 {
        playback.change(read(r#"{"do":"step"}"#), &Inline).unwrap();
    }
    playback
        .change(read(r#"{"do":"seek","step":10}"#), &Inline)
        .unwrap();
    let after = playback.change(read(r#"{"do":"redo"}"#), &Inline).unwrap();
    assert_eq!(after, tombolo_session::After::GoneBack(10));
}

fn read(text: &str) -> Request {
    serde_json::from_str(text).unwrap()
}

fn playback() -> Playback {
    let origin = Origin::new("a.ron", "a", Scene::parse("a.ron", SCENE).unwrap(), true);
    let world = origin.world().unwrap();
    Playback::new(Session::new(origin, world))
}

/// All steps of a redo are made in one request, in which nobody else is answered.
#[test]
fn a_drag_of_minutes_is_not_made_again() {
    let mut solo = solo(SCENE);
    let spare = key(&solo, "spare");
    for (count, is_made) in [(580, true), (1200, false)] {
        act(
            &mut solo,
            &format!(r#"{{"act":"grab","entity":"{spare}","at":[5,4]}}"#),
        );
        for _ in 0..4 {
            steps(&mut solo, count / 4);
            act(&mut solo, r#"{"act":"drag","at":[6,6]}"#);
        }
        act(&mut solo, r#"{"act":"release"}"#);
        request(&mut solo, "undo");
        let before = (solo.session().step(), solo.session().world().state_hash());
        let told = request(&mut solo, "redo");
        assert_eq!(is_refused(&told), !is_made, "{told:?}");
        // It is out of the way of what was undone before it.
        assert_eq!(last(&told, "undo")[1], 0);
        if is_made {
            assert_eq!(solo.session().step(), before.0 + count as u64);
            request(&mut solo, "undo");
        } else {
            assert_eq!(
                (solo.session().step(), solo.session().world().state_hash()),
                before
            );
        }
    }
}
