//! A draft after changes is what is read of its text anew, and its indices are what a search of the text finds.

use proptest::prelude::*;

use super::*;

const TEXT: &str = r##"#![enable(implicit_some)]
(   // first
    scripts: {"a": r#"fn x() { spawn("post"); spawn(`b`) }"#, /* a /* nested */ one */ "b\"c": "post"},
    materials: {},
    entities: {"post": {"body": Body()}, "b": {"from": Inherits("post"), "name": Child(entity: "post")}},
    place: [
        One(name: "post", at: (1, -2.5e3)), // here ]
        // between
        Row (name: 'x', entity: "b", list: [], unit: Some(()))  // last
        , One(name: "a", entity: "post"), One(entity: "b", name: "c", overrides: {"body": (kind: Static)}),
    ],
    empty: {}, short: [1, 2, 3],
)
"##;

/// What random changes are made of.
const PARTS: [&str; 22] = [
    "",
    ",",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "\"",
    "`",
    "/*",
    "*/",
    "//",
    "\n",
    ":",
    " ",
    "x",
    "r#\"",
    "\"post\"",
    "One(name: \"d\", entity: \"b\")",
    ", One(name: \"a\"),",
    "name: \"post\"",
];

/// The number of uses of a name, by a walk over the whole text.
fn uses_found(scene: &SceneText, node: &Node, resource: &str) -> usize {
    let entries = node.entries.as_deref().unwrap_or_default();
    let uses = entries.iter().map(|entry| {
        if entry.key.as_deref() == Some("name") && !scene.written(node).starts_with('{') {
            return 0;
        }
        let is_it = unquoted(scene.written(&entry.value)).is_some_and(|text| {
            let is_quoted = ['"', '`'].map(|quote| text.contains(&format!("{quote}{resource}{quote}")));
            text == resource || is_quoted.contains(&true)
        });
        usize::from(is_it) + uses_found(scene, &entry.value, resource)
    });
    uses.sum()
}

/// Compares a draft with a new one of its text.
fn check(draft: &SceneDraft) {
    let text = draft.scene.text();
    let anew = SceneDraft::new(text).unwrap();
    assert_eq!(draft.scene, anew.scene, "{text}");
    assert_eq!(draft.names, anew.names, "{text}");
    assert_eq!(draft.uses, anew.uses, "{text}");
    for name in ["post", "a", "b", "c", "d", "x", "", "post\"", ") }"] {
        let found = draft.placements().iter().find(|entry| {
            let written = entry.value.get("name").map(|value| draft.scene.written(value));
            written.and_then(unquoted).as_deref() == Some(name)
        });
        assert_eq!(draft.named(name), found, "{name} in {text}");
        if !name.is_empty() {
            let uses = uses_found(&draft.scene, draft.scene.root(), name);
            assert_eq!(draft.count_uses(name), uses, "{name} in {text}");
        }
    }
}

/// A change of one or two spans of a text: where each begins and how long it is, as parts of what there is.
fn change(text: &str, spans: &[(f64, usize, usize)]) -> Parts {
    let mut from = 0;
    let mut parts = Parts::new();
    for &(place, length, part) in spans {
        let mut start = from + ((text.len() - from) as f64 * place) as usize;
        while !text.is_char_boundary(start) {
            start += 1;
        }
        let mut end = (start + length).min(text.len());
        while !text.is_char_boundary(end) {
            end += 1;
        }
        parts.push((start..end, PARTS[part].to_string()));
        from = end;
    }
    parts
}

proptest! {
    #[test]
    fn a_changed_draft_is_as_if_read_anew(
        changes in prop::collection::vec(
            prop::collection::vec((0.0..1.0_f64, prop_oneof![3 => Just(0_usize), 2 => 0..12_usize], 0..PARTS.len()), 1..3),
            1..30,
        )
    ) {
        let mut draft = SceneDraft::new(TEXT).unwrap();
        let mut texts = vec![TEXT.to_string()];
        for spans in changes {
            let text = draft.scene.text().to_string();
            let parts = change(&text, &spans);
            let wanted = draft.scene.spliced(&parts);
            let is_read = draft.put(&parts).is_ok();
            prop_assert_eq!(is_read, SceneText::parse(&wanted).is_ok(), "{}", wanted);
            if is_read {
                prop_assert_eq!(draft.scene.text(), wanted);
                texts.push(draft.scene.text().to_string());
            } else {
                prop_assert_eq!(draft.scene.text(), text);
            }
            check(&draft);
        }
        // And back again, some changes at a time.
        while draft.mark() > 0 {
            let mark = draft.mark() / 2;
            draft.roll_back(mark);
            prop_assert_eq!(draft.scene.text(), &texts[mark]);
            prop_assert_eq!(draft.mark(), mark);
            check(&draft);
        }
    }
}

/// Random changes come to these seldom.
#[test]
fn the_entries_of_each_bracket_can_be_added_changed_and_removed() {
    let mut draft = SceneDraft::new(TEXT).unwrap();
    for _ in 0..3 {
        let place = draft.scene.root().get("place").unwrap();
        let entry = "One(name: \"d\", entity: \"post\")";
        for parts in [
            draft.scene.added(place, entry).unwrap(),
            draft.scene.added_behind(place, None, "One(name: \"e\")").unwrap(),
        ] {
            draft.put(&parts).unwrap();
            check(&draft);
        }
        assert!(draft.named("d").is_some() && draft.named("e").is_some());
        let renamed = draft
            .named("d")
            .unwrap()
            .value
            .get("name")
            .unwrap()
            .replaced("\"f\"");
        draft.put(&renamed).unwrap();
        check(&draft);
        assert!(draft.named("f").is_some());
        for name in ["a", "f", "e"] {
            if let Some(entry) = draft.named(name) {
                draft.put(&draft.scene.removed(entry)).unwrap();
                check(&draft);
            }
        }
        let root = draft.scene.root().clone();
        let parts = draft.scene.added_behind(&root, None, "settings: ()").unwrap();
        draft.put(&parts).unwrap();
        check(&draft);
    }
    draft.roll_back(0);
    assert_eq!(draft.scene.text(), TEXT);
    check(&draft);
}
