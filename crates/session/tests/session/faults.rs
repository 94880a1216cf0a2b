//! The faults of a world as a page is told them.

use tombolo_session::Solo;

use super::solo::ask;
use super::write_back::solo;

const STEP: &str = r#"{"do":"step"}"#;

/// A hundred components fail at once, are repaired, and one fails again.
#[test]
fn a_new_fault_is_told_however_many_there_were() {
    let text = r#"(
    scripts: {"s": "fn on_tick(seconds) { throw \"first\"; }", "other": "fn on_tick(seconds) { }"},
    entities: {"lamp": {"mind": Script(name: "s")}, "last": {"mind": Script(name: "other")}},
    place: [
        Row(name: "lamp", entity: "lamp", count: 150, step: (1, 0)),
        One(name: "last", entity: "last"),
    ],
)"#;
    let mut solo = solo(text);
    let faults = |told: &[serde_json::Value]| {
        let log = told.iter().rfind(|message| message["is"] == "log")?;
        Some(log["faults"].as_array().unwrap().clone())
    };
    let told = ask(&mut solo, STEP, 0.0);
    assert!(faults(&told).unwrap()[0].as_str().unwrap().contains("first"));
    let redefine = |solo: &mut Solo, name: &str, text: &str| {
        let text = serde_json::to_string(text).unwrap();
        ask(
            solo,
            &format!(r#"{{"do":"act","action":{{"act":"script","name":"{name}","text":{text}}}}}"#),
            0.0,
        )
    };
    redefine(&mut solo, "s", "fn on_tick(seconds) { }");
    assert_eq!(faults(&ask(&mut solo, STEP, 0.0)), None, "it is repaired");
    redefine(&mut solo, "other", "fn on_tick(seconds) { throw \"second\"; }");
    let told = ask(&mut solo, STEP, 0.0);
    let now = faults(&told).expect("there is something new");
    assert!(
        now.last().unwrap().as_str().unwrap().contains("second"),
        "{now:?}"
    );
    assert!(now.len() <= 50, "{}", now.len());
    // Steps that are made again were told before.
    assert_eq!(faults(&ask(&mut solo, r#"{"do":"seek","step":1}"#, 0.0)), None);
    assert_eq!(faults(&ask(&mut solo, r#"{"do":"seek","step":3}"#, 0.0)), None);
}
