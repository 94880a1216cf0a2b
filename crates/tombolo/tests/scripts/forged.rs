//! What a script remembers, forged in a save with a checksum that fits: refused, and the world is as it was.

use tombolo::entity::hash_bytes;

use crate::{after, world};

/// Replaces bytes in the entities' part of a save, where they stand once, and puts the checksum right.
fn replaced(save: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut save = save.to_vec();
    let places = save.windows(from.len()).filter(|bytes| *bytes == from).count();
    assert_eq!(places, 1, "{from:?}");
    let at = save.windows(from.len()).position(|bytes| bytes == from).unwrap();
    save[at..at + to.len()].copy_from_slice(to);
    let end = save.len() - 8;
    let checksum = hash_bytes(&save[..end]).to_le_bytes();
    save[end..].copy_from_slice(&checksum);
    save
}

/// A remembered number, as a save has it.
fn number(number: f64) -> Vec<u8> {
    [&[3][..], &number.to_le_bytes()].concat()
}

/// A remembered vector, as a save has it.
fn vector(x: f32, y: f32) -> Vec<u8> {
    [&[6][..], &x.to_le_bytes(), &y.to_le_bytes()].concat()
}

#[test]
fn a_saved_value_that_scripts_cannot_store_is_refused() {
    let script = r#"fn on_tick(t) {
        this.number = 1234.5; this.vector = vec2(17.25, 33.75); this.one = "aaaa"; this.two = "bbbb";
        set_timer("tick-one", 9.0); set_timer("tick-two", 9.0);
    }"#;
    let save = after(3, script).save();
    let mut other = world(script);
    other.restore(&save).unwrap();
    let before = other.state_hash();
    for (from, to, what) in [
        (number(1234.5), number(f64::NAN), "a remembered number is none"),
        (
            number(1234.5),
            number(f64::INFINITY),
            "a remembered number is none",
        ),
        (number(1234.5), number(-0.0), "a remembered number is none"),
        (
            vector(17.25, 33.75),
            vector(17.25, f32::NAN),
            "a remembered vector is none",
        ),
        (
            vector(17.25, 33.75),
            vector(-0.0, 33.75),
            "a remembered vector is none",
        ),
        (
            b"tick-two".to_vec(),
            b"tick-one".to_vec(),
            "a timer has run out, or stands twice",
        ),
        (
            b"two".to_vec(),
            b"one".to_vec(),
            "a script remembers two values of one name",
        ),
    ] {
        if from == b"two" {
            // The text of the script has the word too, but a name has its length in front.
            let name = |word: &[u8]| [&3_u64.to_le_bytes()[..], word].concat();
            let error = other
                .restore(&replaced(&save, &name(&from), &name(&to)))
                .unwrap_err();
            assert!(error.to_string().ends_with(what), "{error}");
            continue;
        }
        let with_length = |text: &[u8]| [&(text.len() as u64).to_le_bytes()[..], text].concat();
        let forged = match from.starts_with(b"tick") {
            true => replaced(&save, &with_length(&from), &with_length(&to)),
            false => replaced(&save, &from, &to),
        };
        let error = other.restore(&forged).unwrap_err().to_string();
        assert!(error.ends_with(what), "{error}");
        assert_eq!(other.state_hash(), before);
    }
}
