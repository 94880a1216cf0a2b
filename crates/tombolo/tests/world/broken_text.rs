//! Scene text that was damaged: reading gives a scene or an error with its place, never a panic; and what is read can be
//! built and stepped.

use proptest::prelude::*;
use tombolo::{Scene, World};

use crate::YARD;

/// The shipped scene with scripts, inheritance, children and overrides.
const WORKSHOP: &str = include_str!("../../../cli/scenes/workshop.ron");

/// One damage to a text: a piece of it goes, comes twice, changes places with another, or becomes something else.
#[derive(Clone, Debug)]
enum Damage {
    Cut {
        at: prop::sample::Index,
        length: usize,
    },
    Double {
        at: prop::sample::Index,
        length: usize,
    },
    Swap {
        a: prop::sample::Index,
        b: prop::sample::Index,
    },
    Put {
        at: prop::sample::Index,
        text: String,
    },
}

/// Words, numbers and marks that stand in scenes, and some that make trouble.
const WORDS: [&str; 32] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "r#\"",
    "-",
    "0",
    "-1",
    "1e38",
    "1e39",
    "NaN",
    "inf",
    "4294967296",
    "0.0000001",
    "true",
    "Some(1)",
    "\"crate\"",
    "\"lamp\"",
    "Inherits(\"crate\")",
    "Child(entity: \"cart\")",
    "Static",
    "Circle(radius: 0)",
    "Polygon(vertices: [])",
    "count: 4294967295",
    "jitter: 1e30",
    "\u{0}",
    "\u{fffd}é",
];

fn damage() -> impl Strategy<Value = Damage> {
    let at = any::<prop::sample::Index>;
    prop_oneof![
        (at(), 1..40_usize).prop_map(|(at, length)| Damage::Cut { at, length }),
        (at(), 1..40_usize).prop_map(|(at, length)| Damage::Double { at, length }),
        (at(), at()).prop_map(|(a, b)| Damage::Swap { a, b }),
        (at(), prop::sample::select(&WORDS[..])).prop_map(|(at, word)| Damage::Put {
            at,
            text: word.to_owned()
        }),
        (at(), ".{1,6}").prop_map(|(at, text)| Damage::Put { at, text }),
    ]
}

/// Pieces of a text: words, numbers, and everything else one by one.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces: Vec<String> = Vec::new();
    for letter in text.chars() {
        let joins = |last: &String| {
            let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '-');
            is_word(letter) && last.chars().all(is_word)
        };
        match pieces.last_mut().filter(|last| joins(last)) {
            Some(last) => last.push(letter),
            None => pieces.push(letter.to_string()),
        }
    }
    pieces
}

fn damaged(text: &str, damages: &[Damage]) -> String {
    let mut pieces = pieces(text);
    for damage in damages {
        if pieces.is_empty() {
            break;
        }
        let count = pieces.len();
        match damage {
            Damage::Cut { at, length } => {
                let at = at.index(count);
                pieces.drain(at..(at + length).min(count));
            }
            Damage::Double { at, length } => {
                let at = at.index(count);
                let copy = pieces[at..(at + length).min(count)].to_vec();
                pieces.splice(at..at, copy);
            }
            Damage::Swap { a, b } => pieces.swap(a.index(count), b.index(count)),
            Damage::Put { at, text } => pieces[at.index(count)].clone_from(text),
        }
    }
    pieces.concat()
}

/// Reads, builds and steps, whatever comes of it.
fn survives(text: &str) {
    match Scene::parse("damaged.ron", text) {
        Err(error) => {
            let message = error.to_string();
            let line = error.line.expect("the text was read");
            assert!((1..=text.lines().count() + 1).contains(&line), "{message}");
            assert!(message.starts_with("damaged.ron"), "{message}");
            assert_eq!(message.lines().count(), 1, "{message}");
        }
        Ok(scene) => {
            if let Ok(mut world) = World::from_scene(&scene) {
                world.step();
                world.step();
            }
        }
    }
}

proptest! {
    #[test]
    fn a_damaged_scene_is_read_or_refused(damages in prop::collection::vec(damage(), 1..5)) {
        survives(&damaged(YARD, &damages));
    }

    #[test]
    fn a_damaged_scene_with_scripts_is_read_or_refused(damages in prop::collection::vec(damage(), 1..5)) {
        survives(&damaged(WORKSHOP, &damages));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "\\PC{0,200}") {
        survives(&text);
    }
}
