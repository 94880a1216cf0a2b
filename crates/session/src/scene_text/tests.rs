//! The reader of texts by spans finds what the reader of scenes finds, and changes nothing else.

use super::*;

const TEXT: &str = r##"#![enable(implicit_some)]
(   // first
    scripts: {"a": r#"fn x() { "}" }"#, /* a /* nested */ one */ "b\"c": "d)"},
    place: [
        One(name: "a", at: (1, -2.5e3)), // here ]
        // between
        Row(name: 'x', list: [], unit: Some(()))  // last
    ],
    empty: {}, short: [1, 2, 3],
)
"##;

#[test]
fn every_value_is_found() {
    let scene = SceneText::parse(TEXT).unwrap();
    let root = scene.root();
    let scripts = root.get("scripts").unwrap();
    assert_eq!(
        scene.written(scripts.get("a").unwrap()),
        r##"r#"fn x() { "}" }"#"##
    );
    assert_eq!(scene.written(scripts.get("b\"c").unwrap()), "\"d)\"");
    let place = root.get("place").unwrap().entries.as_ref().unwrap();
    assert_eq!(place.len(), 2);
    assert_eq!(scene.word(&place[0].value), "One");
    assert_eq!(scene.written(place[0].value.get("at").unwrap()), "(1, -2.5e3)");
    assert_eq!(scene.written(place[1].value.get("unit").unwrap()), "Some(())");
    for wrong in ["", "(", "(a: [)", "(a: \"b)", "(a b)", "{\"a\": }", "(a: 1) b"] {
        assert!(SceneText::parse(wrong).is_err(), "{wrong}");
    }
    let deep = "[".repeat(100_000);
    assert!(SceneText::parse(&deep).is_err());
}

#[test]
fn what_is_put_in_leaves_the_rest_as_it_was() {
    let scene = SceneText::parse(TEXT).unwrap();
    let place = scene.root().get("place").unwrap();
    let added = scene.spliced(&scene.added(place, "One(name: \"n\")").unwrap());
    let wanted = TEXT.replace(
        "Some(()))  // last\n",
        "Some(())),  // last\n        One(name: \"n\"),\n",
    );
    assert_eq!(added, wanted);
    let first = &place.entries.as_ref().unwrap()[0];
    let gone = "        One(name: \"a\", at: (1, -2.5e3)), // here ]\n";
    assert_eq!(scene.spliced(&scene.removed(first)), TEXT.replace(gone, ""));
    let at = first.value.get("at").unwrap();
    assert_eq!(
        scene.spliced(&at.replaced("(3, 4)")),
        TEXT.replace("(1, -2.5e3)", "(3, 4)")
    );
    let short = scene.root().get("short").unwrap();
    assert_eq!(
        scene.spliced(&scene.added(short, "4").unwrap()),
        TEXT.replace("2, 3]", "2, 3, 4]")
    );
    let middle = &short.entries.as_ref().unwrap()[1];
    assert_eq!(
        scene.spliced(&scene.removed(middle)),
        TEXT.replace("1, 2, 3", "1, 3")
    );
    let empty = scene.root().get("empty").unwrap();
    assert_eq!(
        scene.spliced(&scene.added(empty, "\"k\": 1").unwrap()),
        TEXT.replace("empty: {}", "empty: {\"k\": 1}")
    );
    assert!(
        scene
            .added(
                at.entries
                    .as_ref()
                    .unwrap()
                    .first()
                    .map(|one| &one.value)
                    .unwrap(),
                "1"
            )
            .is_none()
    );
}

/// Pseudorandom numbers: Marsaglia's xorshift.
struct Random(u64);

impl Random {
    fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count as u64) as usize
    }
}

/// Wherever blanks and comments may stand in a scene, they may stand here.
#[test]
fn odd_spacing_reads_as_the_scene_does() {
    const PARTS: [&str; 33] = [
        "(", "entities", ":", "{", "\"a\"", ":", "{", "\"body\"", ":", "Body", "(", "kind", ":", "Dynamic",
        ")", "}", "}", ",", "place", ":", "[", "One", "(", "name", ":", "\"b\"", ",", "entity", ":", "\"a\"",
        ")", "]", ")",
    ];
    const SPACES: [&str; 7] = [
        "",
        " ",
        "\n\t",
        "\u{200e}",
        "\u{200f}\u{2028}\u{85}",
        "/* a /* ( */ */",
        " // [\n",
    ];
    for seed in 1..100 {
        let mut random = Random(seed);
        let text = PARTS
            .map(|part| format!("{part}{}", SPACES[random.below(SPACES.len())]))
            .concat();
        tombolo::Scene::parse("a.ron", &text).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{text}"));
        let scene =
            SceneText::parse(&text).unwrap_or_else(|Failure(why)| panic!("seed {seed}: {why}\n{text}"));
        let placed = &scene.root().get("place").unwrap().entries.as_ref().unwrap()[0].value;
        assert_eq!(scene.word(placed), "One", "seed {seed}: {text}");
        assert_eq!(scene.written(placed.get("name").unwrap()), "\"b\"");
        let body = scene
            .root()
            .get("entities")
            .and_then(|all| all.get("a")?.get("body"))
            .unwrap();
        assert_eq!(scene.word(body), "Body", "seed {seed}: {text}");
        assert!(scene.added(body, "bullet: true").is_some());
    }
}

/// A text in quotes is what the reader of scenes has for it, or is refused by both.
#[test]
fn escapes_are_those_of_scenes() {
    const PARTS: [&str; 14] = [
        "a",
        "é",
        "\\n",
        "\\\\",
        "\\\"",
        "\\'",
        "\\0",
        "\\x41",
        "\\xc3\\xa9",
        "\\xff",
        "\\x4",
        "\\u{e9}",
        "\\u{d800}",
        "\\q",
    ];
    let mut refused = 0;
    for seed in 1..400 {
        let mut random = Random(seed);
        let count = random.below(4);
        let inner = (0..count)
            .map(|_| PARTS[random.below(PARTS.len())])
            .collect::<String>();
        let text = format!(
            "(entities: {{\"a\": {{\"mark\": Sprite(image: \"{inner}\")}}}}, place: [One(name: \"b\", entity: \"a\")])"
        );
        let world =
            tombolo::Scene::parse("a.ron", &text).map(|scene| tombolo::World::from_scene(&scene).unwrap());
        let known = world.ok().map(|world| {
            let entity = world.find("b").unwrap();
            match world.get(entity, "mark.image").unwrap() {
                tombolo::entity::Value::String(name) => name.to_string(),
                other => panic!("{other:?}"),
            }
        });
        refused += usize::from(known.is_none());
        assert_eq!(unquoted(&format!("\"{inner}\"")), known, "seed {seed}: {inner}");
    }
    assert!(refused > 50);
}
