//! Many edits cost few readings of the scene, and give what each gives when it is written by itself.

use proptest::prelude::*;
use tombolo::World;
use tombolo::entity::Value;

use super::*;
use crate::scene_text::bytes_read;

/// A scene with so many posts. Their Transform is at whole numbers, so that poses are exact.
fn scene(count: usize) -> String {
    let posts = (0..count)
        .map(|post| format!("        One(name: \"post{post}\", entity: \"post\", at: ({post}, 0)),\n"));
    format!(
        r#"(
    entities: {{
        "wall": {{"body": Body()}},
        "post": {{
            "transform": Transform(position: (0, 2)),
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Circle(radius: 0.5)),
            "mark": Tag(),
        }},
        "heir": {{"from": Inherits("post"), "rope": Joint(to: Entity("wall"), kind: Revolute(motor: (speed: 1)))}},
    }},
    place: [
        One(name: "wall", entity: "wall"),
{}        One(name: "heir", entity: "heir", overrides: {{"rope": (kind: Revolute(motor: (speed: 2)))}}),
    ],
)
"#,
        posts.collect::<String>()
    )
}

fn edit(name: &str, change: Change) -> Edit {
    Edit {
        name: name.to_string(),
        change,
    }
}

fn property(name: &str, value: f32) -> Edit {
    edit(
        name,
        Change::Property {
            component: "body".into(),
            property: "linear_damping".into(),
            text: value.to_string(),
            value: Value::F32(value),
        },
    )
}

fn form(name: &str, component: &str, form: SceneForm, property: &str, value: f32) -> Edit {
    edit(
        name,
        Change::Form {
            component: component.into(),
            form,
            values: vec![(property.into(), Value::F32(value))],
        },
    )
}

fn moved(name: &str, at: Option<[f32; 2]>) -> Edit {
    let angle = at.is_none().then_some(0.25);
    edit(name, Change::Pose { at, angle })
}

fn new(name: &str, resource: &str, at: [f32; 2]) -> Edit {
    let (resource, angle) = (resource.into(), 0.0);
    edit(name, Change::New { resource, at, angle })
}

fn copied(name: &str, of: &str, at: [f32; 2]) -> Edit {
    let (of, angle) = (of.into(), 0.0);
    edit(name, Change::Copy { of, at, angle })
}

fn added(name: &str, component: &str, kind: &str) -> Edit {
    let (component, kind) = (component.into(), kind.into());
    edit(name, Change::Added { component, kind })
}

fn removed(name: &str, component: &str) -> Edit {
    let component = component.into();
    edit(
        name,
        Change::Removed {
            component,
            may_be_transform: false,
        },
    )
}

/// Edits of all kinds, those of one entity among those of others; each entity that is in the scene has some.
fn edits(count: usize) -> Vec<Edit> {
    let mut edits = Vec::new();
    for index in 0..count {
        let (post, drop, copy) = (
            format!("post{index}"),
            format!("new {index}"),
            format!("copy {index}"),
        );
        let at = [index as f32, 3.0];
        edits.push(property(&post, 0.5));
        edits.push(form(&post, "hull", SceneForm::Material, "friction", 0.25));
        edits.push(new(&drop, "post", at));
        edits.push(moved(&drop, Some([at[0], -4.0])));
        edits.push(form(&drop, "hull", SceneForm::Shape, "radius", 0.75));
        edits.push(copied(&copy, &post, at));
        edits.push(form(&copy, "hull", SceneForm::Material, "density", 2.0));
        edits.push(moved(&post, Some([at[0], 5.0])));
        edits.push(moved(&copy, None));
        edits.push(added(&drop, "spare", "Tag"));
        edits.push(removed(&post, "mark"));
        edits.push(form(&post, "hull", SceneForm::Material, "friction", 0.5));
        if index % 2 == 0 {
            edits.push(edit(&copy, Change::Gone));
        }
    }
    edits
}

/// The numbers of scenes and bytes that are read for edits, and the text with them.
fn readings(text: &str, edits: &[Edit]) -> (usize, usize, String) {
    let before = (SCENES_READ.get(), bytes_read());
    let written = write_back("a.ron", text, edits.iter()).unwrap();
    assert_eq!(written.left_out, [""; 0]);
    (
        SCENES_READ.get() - before.0,
        bytes_read() - before.1,
        written.text,
    )
}

#[test]
fn however_many_edits_there_are_the_scene_is_read_twice() {
    let per_edit = [50, 400].map(|count| {
        let (text, edits) = (scene(count), edits(count));
        let (scenes, bytes, _) = readings(&text, &edits);
        assert_eq!(scenes, 2);
        // The text itself is read once.
        (bytes - text.len()) as f64 / edits.len() as f64
    });
    assert!(per_edit[1] < 1.5 * per_edit[0], "bytes per edit: {per_edit:?}");
    // 500 that are dropped, as by a person who holds the mouse down.
    let text = scene(1);
    let edits: Vec<Edit> = (0..500)
        .map(|index| new(&format!("new {index}"), "post", [1.0, 2.0]))
        .collect();
    let (scenes, bytes, written) = readings(&text, &edits);
    assert_eq!(scenes, 2);
    assert!(
        bytes < text.len() + 4 * written.len(),
        "{bytes} bytes for {}",
        written.len()
    );
}

#[test]
fn one_edit_that_the_file_cannot_have_costs_few_readings_more() {
    let text = scene(300);
    let mut edits = edits(300);
    // There is no such property.
    let mut wrong = property("post7", 1.0);
    if let Change::Property { property, .. } = &mut wrong.change {
        *property = "nonsense".into();
    }
    edits.insert(1000, wrong);
    let before = SCENES_READ.get();
    let written = write_back("a.ron", &text, edits.iter()).unwrap();
    let scenes = SCENES_READ.get() - before;
    assert_eq!(written.left_out.len(), 1, "{:?}", written.left_out);
    assert!(
        written.left_out[0].starts_with("post7: "),
        "{:?}",
        written.left_out
    );
    // Two for each time that the edits are halved.
    assert!(scenes < 2 * 13 + 2, "{scenes} readings");
    edits.remove(1000);
    assert_eq!(readings(&text, &edits).2, written.text);
}

/// The text with each edit written by itself into the text with those before.
fn one_by_one(text: &str, edits: &[Edit]) -> String {
    edits.iter().fold(text.to_string(), |text, edit| {
        let written = write_back("a.ron", &text, [edit].into_iter()).unwrap();
        assert_eq!(written.left_out, [""; 0], "{edit:?} in {text}");
        written.text
    })
}

#[test]
fn many_edits_give_the_text_that_each_by_itself_gives() {
    let (text, edits) = (scene(6), edits(6));
    let needed: Vec<Edit> = needed(edits.iter()).into_iter().map(Cow::into_owned).collect();
    assert_eq!(readings(&text, &edits).2, one_by_one(&text, &needed));
}

/// A random edit of the entities that are there: their names and whether each has its mark.
fn random_edit(there: &mut Vec<(String, bool)>, count: usize, [kind, which, value]: [usize; 3]) -> Edit {
    let which = which % there.len();
    let (name, has_mark) = there[which].clone();
    let (number, at) = (value as f32 * 0.25, [value as f32, 1.0]);
    let fresh = format!("made {count}");
    match kind {
        0 => property(&name, number),
        1 => form(&name, "hull", SceneForm::Material, "friction", number),
        2 => form(&name, "hull", SceneForm::Material, "density", 1.0 + number),
        3 => form(&name, "hull", SceneForm::Shape, "radius", 1.0 + number),
        4 => moved(&name, Some(at)),
        5 => moved(&name, None),
        6 => {
            there.push((fresh.clone(), true));
            new(&fresh, "post", at)
        }
        7 => {
            there.push((fresh.clone(), has_mark));
            copied(&fresh, &name, at)
        }
        8 if has_mark => {
            there[which].1 = false;
            removed(&name, "mark")
        }
        9 if there.len() > 1 => {
            there.remove(which);
            edit(&name, Change::Gone)
        }
        _ => added(&name, &format!("tag {count}"), "Tag"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    #[test]
    fn random_edits_give_the_scene_that_each_by_itself_gives(
        draws in prop::collection::vec([0..11_usize, 0..1000_usize, 0..9_usize], 1..40)
    ) {
        let text = scene(2);
        let mut there: Vec<(String, bool)> = ["post0", "post1", "heir"]
            .map(|name| (name.to_string(), name != "heir"))
            .into();
        let edits: Vec<Edit> = (draws.into_iter().enumerate())
            .map(|(count, draw)| random_edit(&mut there, count, draw))
            .collect();
        let (scenes, _, written) = readings(&text, &edits);
        prop_assert_eq!(scenes, 2);
        let needed: Vec<Edit> = needed(edits.iter()).into_iter().map(Cow::into_owned).collect();
        let wanted = one_by_one(&text, &needed);
        let [one, other] = [&written, &wanted].map(|text| {
            let scene = Scene::parse("a.ron", text).unwrap();
            World::from_scene(&scene).unwrap()
        });
        for (name, _) in there {
            let [a, b] = [&one, &other].map(|world| world.find(&name).unwrap());
            let apart = one.pose(a).unwrap().position.distance(other.pose(b).unwrap().position);
            prop_assert!(apart < 1e-4, "{} in {}", name, written);
            let [a, b] = [(&one, a), (&other, b)].map(|(world, entity)| {
                let parts = world.describe(entity);
                let parts = parts.iter().filter(|part| part.manager != "Transform" && part.manager != "Body");
                parts.map(|part| format!("{} {} {:?}", part.name, part.manager, part.properties)).collect::<Vec<_>>()
            });
            prop_assert_eq!(a, b, "{} in {}", name, written);
        }
    }
}
