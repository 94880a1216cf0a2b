//! A restart keeps the edits: the world begins as the file would with them in it.

use tombolo::Scene;
use tombolo::threads::Inline;
use tombolo_session::{Log, Solo};

use super::solo::{ask, last};
use super::write_back::{act, key, set, solo};

const SCENE: &str = r#"(
    entities: {"crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1))}},
    place: [
        One(name: "crate", entity: "crate", at: (0, 4)),
        Row(name: "row", entity: "crate", at: (3, 4), count: 2, step: (2, 0)),
    ],
)"#;

fn restart(solo: &mut Solo) -> Vec<serde_json::Value> {
    ask(solo, r#"{"do":"reset"}"#, 0.0)
}

fn errors(told: &[serde_json::Value]) -> Vec<&str> {
    let errors = told.iter().filter(|message| message["is"] == "error");
    errors.map(|message| message["text"].as_str().unwrap()).collect()
}

fn damping(solo: &Solo) -> tombolo::entity::Value {
    let world = solo.session().world();
    world
        .get(world.find("crate").unwrap(), "body.linear_damping")
        .unwrap()
}

#[test]
fn edits_outlive_a_restart_and_can_be_written_after_it() {
    let mut solo = solo(SCENE);
    set(&mut solo, "crate", "body.linear_damping", "0.5");
    act(&mut solo, r#"{"act":"drop","resource":"crate","at":[9,9]}"#);
    (0..5).for_each(|_| drop(ask(&mut solo, r#"{"do":"step"}"#, 0.0)));
    for _ in 0..2 {
        let told = restart(&mut solo);
        assert_eq!(errors(&told), [""; 0]);
        assert_eq!(
            (last(&told, "step"), last(&told, "unwritten")),
            (0.into(), true.into())
        );
        assert_eq!(damping(&solo), tombolo::entity::Value::F32(0.5));
        assert!(solo.session().world().find("crate 1").is_some());
        assert_eq!(solo.session().file_text(), SCENE, "nothing was written");
    }
    // Edits of this session come to those of the last one.
    set(&mut solo, "crate", "body.angular_damping", "0.25");
    let file = solo.write().unwrap();
    for part in ["linear_damping: 0.5", "angular_damping: 0.25", "crate 1"] {
        assert!(file.contains(part), "{file}");
    }
    assert!(!solo.session().has_unwritten());
    assert_eq!(solo.session().file_text(), file);
    // What was written is the scene now.
    let told = restart(&mut solo);
    assert_eq!(
        (last(&told, "step"), last(&told, "unwritten")),
        (0.into(), false.into())
    );
    assert_eq!(damping(&solo), tombolo::entity::Value::F32(0.5));
    assert_eq!(
        solo.write().unwrap(),
        file,
        "no edit is lost, none is there twice"
    );
    // The session is played again from the text with which it began.
    (0..3).for_each(|_| drop(ask(&mut solo, r#"{"do":"step"}"#, 0.0)));
    let log = Log::parse(&solo.session().log().to_text().unwrap()).unwrap();
    let scene = Scene::parse("a.ron", log.text().unwrap()).unwrap();
    let mut again = tombolo::World::from_scene(&scene).unwrap();
    log.play(&mut again, &Inline, |_| Ok(())).unwrap();
    assert_eq!(log.hash(), format!("{:016x}", again.state_hash()));
}

#[test]
fn a_restart_that_loses_edits_has_to_be_asked_for_twice() {
    let mut solo = solo(SCENE);
    let row = key(&solo, "row[1]");
    act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{row}"}}"#));
    let told = restart(&mut solo);
    assert!(
        errors(&told)
            .iter()
            .any(|why| why.contains("row[1]") && why.contains("again")),
        "{told:?}"
    );
    assert!(
        solo.session().world().find("row[1]").is_none(),
        "nothing has changed"
    );
    // Whoever goes on is asked again.
    set(&mut solo, "crate", "body.linear_damping", "0.5");
    assert_eq!(errors(&restart(&mut solo)).len(), 1);
    let told = restart(&mut solo);
    assert_eq!((errors(&told), last(&told, "step")), (vec![], 0.into()));
    assert!(solo.session().world().find("row[1]").is_some());
    assert_eq!(damping(&solo), tombolo::entity::Value::F32(0.5));
}

/// The file has no place for an edit: written or not, a restart drops it.
#[test]
fn a_restart_that_loses_what_was_left_out_of_the_file_has_to_be_asked_for_twice() {
    let mut solo = solo(SCENE);
    let row = key(&solo, "row[1]");
    act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{row}"}}"#));
    set(&mut solo, "crate", "body.linear_damping", "0.5");
    solo.write().unwrap();
    assert!(!solo.session().has_unwritten());
    let told = restart(&mut solo);
    assert!(errors(&told).iter().any(|why| why.contains("row[1]")), "{told:?}");
    assert!(
        solo.session().world().find("row[1]").is_none(),
        "nothing has changed"
    );
    let told = restart(&mut solo);
    assert_eq!((errors(&told), last(&told, "step")), (vec![], 0.into()));
    assert!(solo.session().world().find("row[1]").is_some());
    assert_eq!(damping(&solo), tombolo::entity::Value::F32(0.5));
    assert_eq!(errors(&restart(&mut solo)), [""; 0], "nothing is lost any more");
}

#[test]
fn a_restart_without_edits_is_the_scene_from_its_first_moment() {
    let mut solo = solo(SCENE);
    let hash = solo.session().world().state_hash();
    (0..5).for_each(|_| drop(ask(&mut solo, r#"{"do":"step"}"#, 0.0)));
    let told = restart(&mut solo);
    assert_eq!(
        (last(&told, "step"), last(&told, "unwritten")),
        (0.into(), false.into())
    );
    assert_eq!(solo.session().world().state_hash(), hash);
}
