//! Comments of a scene's text, wherever they stand, stay what they are: no edit is put into one.

use super::write_back::{act, compare, key, set, solo, written};

/// Comments that may follow an entry in its line; those in blocks may end in a later one.
const COMMENTS: [&str; 7] = [
    "",
    " // so that it stops: /* never",
    " /* so that it stops */",
    " /* so that it\n   stops in time */",
    " /* so /* really */ that it\n\n   stops */ // in time",
    " /* so that it */ /* stops\n  in time */  ",
    "\n/* so that\nit stops */\n",
];

/// A scene with a comment behind an entry of each bracket that edits add to.
fn commented(comment: &str) -> String {
    format!(
        r#"(
    materials: {{
        "ice": (friction: 0.1),{comment}
    }},
    entities: {{
        "boat": {{
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),{comment}
        }},{comment}
    }},
    place: [{comment}
        One(name: "boat", entity: "boat", overrides: {{
            "body": (
                linear_damping: 0.1,{comment}
            ),{comment}
        }}),{comment}
        One(name: "buoy", entity: "boat", at: (5, 0)),{comment}
    ],{comment}
)"#
    )
}

#[test]
fn an_edit_is_put_behind_a_comment_however_many_lines_it_has() {
    for comment in COMMENTS {
        for newline in ["\n", "\r\n"] {
            let text = commented(comment).replace('\n', newline);
            let mut solo = solo(&text);
            let buoy = key(&solo, "buoy");
            set(&mut solo, "boat", "body.angular_damping", "0.25");
            set(&mut solo, "boat", "hull.density", "3");
            set(&mut solo, "boat", "hull.friction", "0.5");
            act(&mut solo, r#"{"act":"drop","resource":"boat","at":[3,9]}"#);
            act(
                &mut solo,
                &format!(r#"{{"act":"duplicate","entity":"{buoy}","at":[8,9]}}"#),
            );
            let (world, text) = written(&solo);
            for name in ["boat", "buoy", "boat 1", "boat 2"] {
                compare(solo.session().world(), &world, name);
            }
            for part in comment.lines().map(str::trim).filter(|part| !part.is_empty()) {
                assert!(text.matches(part).count() >= 9, "{part} in {text}");
            }
            // And away again, whichever it is.
            for name in ["boat", "buoy"] {
                let mut solo = super::write_back::solo(&text);
                let gone = key(&solo, name);
                act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{gone}"}}"#));
                let (world, text) = written(&solo);
                assert!(
                    world.find(name).is_none() && world.find("boat 2").is_some(),
                    "{text}"
                );
            }
        }
    }
}
