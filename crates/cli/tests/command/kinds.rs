//! `tombolo kinds`, and the page that has its tables.

use std::path::PathBuf;
use std::process::{Command, Output};

use tombolo::Scene;

const BEGIN: &str = "<!-- tombolo kinds --markdown -->\n";
const END: &str = "<!-- end -->\n";

fn tombolo(words: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tombolo"))
        .args(words)
        .output()
        .unwrap()
}

fn page() -> (PathBuf, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene.md");
    let text = std::fs::read_to_string(&path).unwrap();
    (path, text)
}

fn printed(words: &[&str]) -> String {
    let output = tombolo(words);
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_page_of_scene_files_has_the_tables_of_the_register() {
    let (path, text) = page();
    let (before, rest) = text
        .split_once(BEGIN)
        .expect("the page has a place for the tables");
    let (tables, after) = rest.split_once(END).expect("the place has an end");
    let now = printed(&["kinds", "--markdown"]);
    let now = format!("\n{now}");
    if std::env::var_os("TOMBOLO_BLESS").is_some() {
        std::fs::write(&path, format!("{before}{BEGIN}{now}{END}{after}")).unwrap();
        return;
    }
    assert!(
        tables == now,
        "the tables of docs/scene.md are not those of the register; write them anew with \
         `TOMBOLO_BLESS=1 cargo test -p tombolo-cli --test command kinds`"
    );
}

#[test]
fn the_scenes_of_the_page_are_read() {
    let (_, text) = page();
    let (text, _) = text.split_once(BEGIN).expect("the tables come last");
    let scenes: Vec<&str> = text
        .split("```ron\n")
        .skip(1)
        .map(|rest| rest.split_once("```").expect("a block has an end").0)
        .collect();
    assert!(!scenes.is_empty());
    for scene in scenes {
        let scene = Scene::parse("docs/scene.md", scene).unwrap_or_else(|error| panic!("{error}"));
        tombolo::World::from_scene(&scene).unwrap_or_else(|error| panic!("{error}"));
    }
    // What the page says of forms.
    let forms = text
        .split("| `shape: ")
        .skip(1)
        .map(|rest| rest.split('`').next().unwrap());
    let forms: Vec<&str> = forms.collect();
    assert_eq!(forms.len(), 10);
    for form in forms {
        let scene = format!(
            "(outlines: {{\"brick\": Circle(radius: 1)}}, entities: {{\"a\": {{\"b\": Body(), \"c\": Collider(shape: {form})}}}}, \
             place: [One(name: \"a\", entity: \"a\")])"
        );
        Scene::parse("form.ron", &scene).unwrap_or_else(|error| panic!("{error}"));
    }
    let kinds = text
        .split("| `kind: ")
        .skip(1)
        .map(|rest| rest.split('`').next().unwrap());
    let kinds: Vec<&str> = kinds.collect();
    assert!(kinds.len() >= 4);
    for kind in kinds {
        let scene = format!(
            "(entities: {{\"a\": {{\"b\": Body()}}, \"c\": {{\"b\": Body(kind: Dynamic), \"j\": Joint(to: Entity(\"a\"), kind: {kind})}}}},
             place: [One(name: \"a\", entity: \"a\"), One(name: \"c\", entity: \"c\")])"
        );
        let scene = Scene::parse("kind.ron", &scene).unwrap_or_else(|error| panic!("{error}"));
        tombolo::World::from_scene(&scene).unwrap_or_else(|error| panic!("{error}"));
    }
}

#[test]
fn kinds_are_printed_for_people_and_programs() {
    let all = printed(&["kinds"]);
    for word in [
        "Transform: ",
        "Agent: ",
        "  linear_damping ",
        "0 or more 1/s",
        "kind: Revolute, Distance, Prismatic, Wheel, Generic(motor: (speed))",
    ] {
        assert!(all.contains(word), "{word} in {all}");
    }
    let joint = printed(&["kinds", "Joint"]);
    assert!(
        joint.starts_with("Joint: ") && !joint.contains("Body: "),
        "{joint}"
    );
    let rows: Vec<&str> = joint.lines().skip(1).collect();
    let column = rows[0].find("kind").expect("a heading");
    assert!(
        rows.iter()
            .all(|row| row.as_bytes()[column - 1] == b' ' && row.as_bytes()[column] != b' '),
        "columns are aligned: {joint}"
    );
    let json = printed(&["kinds", "Body", "--json"]);
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let damping = &json[0]["properties"][3];
    assert_eq!(damping["name"], "linear_damping");
    assert_eq!(damping["wakes"], "no");
    assert_eq!(damping["range"], "0 or more 1/s");
    let wrong = tombolo(&["kinds", "Bdy"]);
    assert_eq!(wrong.status.code(), Some(1));
    let line = String::from_utf8(wrong.stderr).unwrap();
    assert_eq!(
        line,
        "tombolo: there is no kind \"Bdy\"; did you mean \"Body\"?\n"
    );
}
