//! Edits of a session in its scene's text: read again, the scene places every entity where it was in the world.

use tombolo::geometry::{Pose, Vec2};
use tombolo::threads::Inline;
use tombolo::{Scene, World};
use tombolo_session::{Message, Origin, Solo};

/// Entities whose Transform has a position, an angle, or both; one of them by an override, one inherited.
const OFFSETS: &str = r#"(
    entities: {
        "plain": {"body": Body()},
        "beside": {"transform": Transform(position: (1, 0)), "body": Body()},
        "turned": {"transform": Transform(angle: 0.7), "body": Body()},
        "both": {"transform": Transform(position: (-2, 0.5), angle: -2.5), "body": Body()},
        "heir": {"from": Inherits("both"), "mark": Tag()},
    },
    place: [
        One(name: "plain", entity: "plain"),
        One(name: "beside", entity: "beside"),
        One(name: "turned", entity: "turned", at: (4, 1)),
        One(name: "both", entity: "both", at: (4, 1), angle: 1),
        One(name: "heir", entity: "heir"),
        One(name: "over", entity: "both", overrides: {"transform": (position: (0, 3))}),
        Row(name: "row", entity: "both", at: (9, 9), count: 2, step: (3, 0)),
    ],
)"#;

pub(crate) fn solo(text: &str) -> Solo {
    let scene = Scene::parse("a.ron", text).unwrap();
    Solo::new(Origin::new("a.ron", "a", scene, true)).unwrap()
}

/// Carries out an action, which the session accepts.
pub(crate) fn act(solo: &mut Solo, action: &str) {
    let count = solo.session().log().action_count();
    solo.hear(&format!(r#"{{"do":"act","action":{action}}}"#), 0.0, &Inline);
    let told: Vec<_> = std::iter::from_fn(|| solo.next_message()).collect();
    let errors = told.iter().filter_map(|message| match message {
        Message::Text(text) if text.contains("\"error\"") => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(errors.collect::<Vec<_>>(), [""; 0], "{action}");
    assert_eq!(solo.session().log().action_count(), count + 1);
}

pub(crate) fn key(solo: &Solo, name: &str) -> u64 {
    solo.session().world().find(name).unwrap().to_bits()
}

/// The pose of an entity.
fn pose(world: &World, name: &str) -> Pose {
    world.pose(world.find(name).unwrap()).unwrap()
}

/// Reads the text with the edits, and compares where it places the entities with where they are.
fn check(solo: &Solo, names: &[String]) -> String {
    let written = solo.session().edited_text().unwrap();
    assert_eq!(written.left_out, [""; 0]);
    let scene = Scene::parse("a.ron", &written.text).unwrap();
    let read = World::from_scene(&scene).unwrap();
    for name in names {
        let (was, is) = (pose(solo.session().world(), name), pose(&read, name));
        let limit = 1e-5 * (1.0 + was.position.length());
        let turn = was.rotation.to(is.rotation).angle().abs();
        assert!(
            was.position.distance(is.position) < limit && turn < 1e-5,
            "{name}: {was:?} became {is:?} in {}",
            written.text
        );
    }
    written.text
}

#[test]
fn an_entity_with_a_transform_is_written_where_it_was_put() {
    let names = ["plain", "beside", "turned", "both", "heir", "over"].map(str::to_string);
    let mut text = OFFSETS.to_string();
    // Each round begins with what the one before has written.
    for round in 0..3 {
        let mut solo = solo(&text);
        for (index, name) in names.iter().enumerate() {
            let key = key(&solo, name);
            let (x, angle) = (10 * index + round, 0.3 * round as f32 + 0.1);
            act(
                &mut solo,
                &format!(r#"{{"act":"move","entity":"{key}","at":[{x},-2.5],"angle":{angle}}}"#),
            );
        }
        text = check(&solo, &names);
        assert!(text.contains("\"plain\", at: ("), "{text}");
    }
}

#[test]
fn a_position_or_an_angle_alone_is_written_as_it_was_set() {
    let names = ["plain", "beside", "turned", "both", "heir", "over"].map(str::to_string);
    for (property, value) in [("position", "(3, 4)"), ("angle", "0.25")] {
        let mut solo = solo(OFFSETS);
        for name in &names {
            let key = key(&solo, name);
            act(
                &mut solo,
                &format!(
                    r#"{{"act":"set","entity":"{key}","path":"transform.{property}","text":"{value}"}}"#
                ),
            );
        }
        check(&solo, &names);
    }
    // One after the other, in both orders, and over an earlier move.
    for order in [["position", "angle"], ["angle", "position"]] {
        let mut solo = solo(OFFSETS);
        let key = key(&solo, "both");
        act(
            &mut solo,
            &format!(r#"{{"act":"move","entity":"{key}","at":[1,1],"angle":2}}"#),
        );
        for property in order {
            let value = if property == "angle" { "0.25" } else { "(3, 4)" };
            act(
                &mut solo,
                &format!(
                    r#"{{"act":"set","entity":"{key}","path":"transform.{property}","text":"{value}"}}"#
                ),
            );
        }
        check(&solo, &names);
    }
}

#[test]
fn what_is_dropped_or_duplicated_is_written_where_it_is() {
    let mut solo = solo(OFFSETS);
    let mut names = Vec::new();
    for resource in ["plain", "beside", "turned", "both", "heir"] {
        act(
            &mut solo,
            &format!(r#"{{"act":"drop","resource":"{resource}","at":[7,-3]}}"#),
        );
        names.push(format!("{resource} 1"));
    }
    for (of, copy) in [
        ("plain", "plain 2"),
        ("beside", "beside 2"),
        ("turned", "turned 2"),
        ("over", "both 2"),
        ("row[1]", "both 3"),
        ("both 1", "both 4"),
    ] {
        let key = key(&solo, of);
        act(
            &mut solo,
            &format!(r#"{{"act":"duplicate","entity":"{key}","at":[-7,3]}}"#),
        );
        names.push(copy.to_string());
    }
    check(&solo, &names);
}

/// Whether a placement of the scene is of this entity alone, so that its pose can be written.
fn is_placed_alone(name: &str) -> bool {
    !name.contains(['[', '/'])
}

#[test]
fn every_placement_of_the_scenes_that_ship_is_written_where_it_was_put() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../cli/scenes");
    let files = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut moved = 0;
    for path in files.filter(|path| path.extension().is_some_and(|ending| ending == "ron")) {
        let text = std::fs::read_to_string(&path).unwrap();
        let Ok(scene) = Scene::parse(&path.display().to_string(), &text) else {
            continue;
        };
        let placed = scene.instances().map(|(name, pose)| (name.to_string(), pose));
        let placed: Vec<_> = placed.filter(|(name, _)| is_placed_alone(name)).collect();
        let mut solo = solo(&text);
        for (name, pose) in &placed {
            let key = key(&solo, name);
            let [x, y] = (pose.position + Vec2::new(0.75, 0.5)).to_array();
            act(
                &mut solo,
                &format!(r#"{{"act":"move","entity":"{key}","at":[{x},{y}],"angle":0.125}}"#),
            );
        }
        let names: Vec<String> = placed.into_iter().map(|(name, _)| name).collect();
        check(&solo, &names);
        moved += names.len();
    }
    assert!(moved > 50, "{moved} entities were moved");
}

#[test]
fn an_edit_that_the_file_cannot_take_leaves_all_others_in_it() {
    let posts: String = (0..20)
        .map(|post| format!("        One(name: \"post{post}\", entity: \"post\", at: ({post}, 0)),\n"))
        .collect();
    let text = format!(
        r#"(
    entities: {{
        "post": {{"body": Body()}},
        "bob": {{"body": Body(kind: Dynamic), "ball": Collider(shape: Circle(radius: 0.5)), "rope": Joint(to: Entity("post7"))}},
    }},
    place: [
{posts}        One(name: "bob", entity: "bob", at: (7, -3)),
    ],
)"#
    );
    let mut solo = solo(&text);
    let mut names = Vec::new();
    let mut go = |solo: &mut Solo, name: &str, y: f32| {
        let key = key(solo, name);
        let action = format!(r#"{{"act":"move","entity":"{key}","at":[1,{y}],"angle":0.5}}"#);
        act(solo, &action);
        names.push(name.to_string());
    };
    for post in 0..7 {
        go(&mut solo, &format!("post{post}"), post as f32);
    }
    // Without it the file is no scene: a joint leads to it.
    let gone = key(&solo, "post7");
    act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{gone}"}}"#));
    // Where one that was dropped stands depends on the edit before.
    act(&mut solo, r#"{"act":"drop","resource":"post","at":[7,-3]}"#);
    go(&mut solo, "post 1", 30.0);
    for post in 8..20 {
        go(&mut solo, &format!("post{post}"), post as f32);
    }
    let written = solo.session().edited_text().unwrap();
    assert_eq!(written.left_out.len(), 1, "{:?}", written.left_out);
    assert!(
        written.left_out[0].starts_with("post7: "),
        "{:?}",
        written.left_out
    );
    let read = World::from_scene(&Scene::parse("a.ron", &written.text).unwrap()).unwrap();
    assert!(read.find("post7").is_some());
    for name in &names {
        let (was, is) = (pose(solo.session().world(), name), pose(&read, name));
        assert_eq!(was.position, is.position, "{name} in {}", written.text);
    }
}

#[test]
fn what_is_dropped_between_two_despawns_is_written_although_the_first_alone_would_be_refused() {
    let text = r#"(
    entities: {
        "post": {"body": Body()},
        "bob": {"body": Body(kind: Dynamic), "ball": Collider(shape: Circle(radius: 0.5)), "rope": Joint(to: Entity("tree"))},
    },
    place: [
        One(name: "tree", entity: "post"),
        One(name: "stone", entity: "post"),
        One(name: "bob", entity: "bob", at: (7, -3)),
    ],
)"#;
    for copied in [false, true] {
        let mut solo = solo(text);
        let [tree, stone, bob] = ["tree", "stone", "bob"].map(|name| key(&solo, name));
        act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{tree}"}}"#));
        if copied {
            act(
                &mut solo,
                &format!(r#"{{"act":"duplicate","entity":"{stone}","at":[1,2]}}"#),
            );
        } else {
            act(&mut solo, r#"{"act":"drop","resource":"post","at":[1,2]}"#);
        }
        act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{bob}"}}"#));
        let written = solo.session().edited_text().unwrap();
        let read = World::from_scene(&Scene::parse("a.ron", &written.text).unwrap()).unwrap();
        assert!(
            read.find("post 1").is_some(),
            "{:?}\n{}",
            written.left_out,
            written.text
        );
        // Without bob nothing leads to the tree.
        assert!(read.find("bob").is_none() && read.find("tree").is_none());
        assert_eq!(written.left_out, [""; 0]);
    }
}

#[test]
fn a_copy_has_what_was_set_on_its_original_before_though_that_is_set_again() {
    let mut solo = solo(OFFSETS);
    let plain = key(&solo, "plain");
    let set = |solo: &mut Solo, value: &str| {
        let action =
            format!(r#"{{"act":"set","entity":"{plain}","path":"body.linear_damping","text":"{value}"}}"#);
        act(solo, &action);
    };
    set(&mut solo, "0.5");
    act(
        &mut solo,
        &format!(r#"{{"act":"duplicate","entity":"{plain}","at":[0,6]}}"#),
    );
    set(&mut solo, "0.75");
    let written = solo.session().edited_text().unwrap();
    assert_eq!(written.left_out, [""; 0]);
    let read = World::from_scene(&Scene::parse("a.ron", &written.text).unwrap()).unwrap();
    for (name, damping) in [("plain", 0.75), ("plain 1", 0.5)] {
        let entity = read
            .find(name)
            .unwrap_or_else(|| panic!("{name} in {}", written.text));
        let value = read.get(entity, "body.linear_damping").unwrap();
        assert_eq!(value, tombolo::entity::Value::F32(damping), "{name}");
    }
}

/// Entities with every form that gives several properties at once.
const FORMS: &str = r#"// A shop.
(
    settings: (gravity: (0, -9.81)), // as on Earth
    // What there is.
    entities: {
        "post": {"body": Body(), "hull": Collider(shape: Box(width: 1, height: 4))},
        "door": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 2)),
            "hinge": Joint(to: Entity("post"), pivot: (-0.5, 0), kind: Revolute(limit: (lower: -1, upper: 1), motor: (speed: 1, max_torque: 5))),
        },
        "lamp": {"body": Body(kind: Dynamic), "hull": Collider(shape: Polygon(points: [(0, 0), (1, 0), (0, 1)], radius: 0.1))},
        "land": {"body": Body(), "hull": Collider(shape: Heightfield(spacing: 0.1, heights: [0, 1, 0.3], after: 2))},
        "ring": {"body": Body(), "hull": Collider(shape: Outline(points: [(0, 0), (4, 0), (4, 4), (0, 4)], holes: [[(1, 1), (2, 1), (1, 2)]]))},
    },
    place: [
        One(name: "post", entity: "post"),
        One(name: "door", entity: "door", at: (1, 0)), // the front one
        One(name: "back", entity: "door", at: (9, 0), overrides: {
            "hinge": (kind: Revolute(
                // It goes round.
                motor: (speed: 2 /* slow */, max_torque: 7),
            )),
        }),
        One(name: "lamp", entity: "lamp", at: (0, 9)),
        One(name: "land", entity: "land", at: (0, -9)),
        One(name: "ring", entity: "ring", at: (0, -30)),
    ],
)
"#;

pub(crate) fn set(solo: &mut Solo, name: &str, path: &str, text: &str) {
    let key = key(solo, name);
    let text = serde_json::to_string(text).unwrap();
    act(
        solo,
        &format!(r#"{{"act":"set","entity":"{key}","path":"{path}","text":{text}}}"#),
    );
}

/// The world of the text with the edits, all of which are in it; and the text.
pub(crate) fn written(solo: &Solo) -> (World, String) {
    let written = solo.session().edited_text().unwrap();
    assert_eq!(written.left_out, [""; 0], "{}", written.text);
    let scene = Scene::parse("a.ron", &written.text).unwrap();
    (World::from_scene(&scene).unwrap(), written.text)
}

/// Compares all properties of an entity in two worlds, but for those that the other world's handles are in.
pub(crate) fn compare(one: &World, other: &World, name: &str) {
    let [a, b] = [one, other].map(|world| world.describe(world.find(name).unwrap()));
    for (a, b) in a.iter().zip(&b) {
        for ((property, one), (_, other)) in a.properties.iter().zip(&b.properties) {
            let is_handle = matches!(one, tombolo::entity::Value::Entity(_));
            assert!(is_handle || one == other, "{name}.{}.{}", a.name, property.name);
        }
    }
}

#[test]
fn properties_that_a_file_gives_in_a_form_are_written_and_read_again() {
    for (name, path, value) in [
        ("door", "hull.size", "(2, 1.5)"),
        ("door", "hull.friction", "0.9"),
        ("door", "hull.density", "3"),
        ("door", "hull.restitution", "0.25"),
        ("door", "hinge.motor_speed", "3"),
        ("door", "hinge.lower", "-0.5"),
        ("door", "hinge.force_threshold", "100"),
        ("door", "hinge.spring", "true"),
        ("door", "hinge.kind", "Weld"),
        ("back", "hinge.motor_speed", "3"),
        ("lamp", "hull.radius", "0.2"),
        ("lamp", "hull.points", "[(0, 0), (2, 0), (0, 1)]"),
        ("lamp", "hull.shape", "Outline"),
        (
            "land",
            "hull.points",
            "[(-0.1, 1), (0, 0), (0.1, 1), (0.2, 0.5), (0.3, 0)]",
        ),
        (
            "ring",
            "hull.points",
            "[(0, 0), (5, 0), (5, 5), (0, 5), (1, 1), (2, 1), (1, 2)]",
        ),
    ] {
        let mut solo = solo(FORMS);
        set(&mut solo, name, path, value);
        let (read, text) = written(&solo);
        assert_ne!(text, FORMS, "{path}");
        for name in ["post", "door", "back", "lamp", "land", "ring"] {
            compare(solo.session().world(), &read, name);
        }
    }
    // A motor that is off has no speed in a file.
    let mut solo = solo(FORMS);
    set(&mut solo, "door", "hinge.motor", "false");
    let (_, text) = written(&solo);
    assert!(
        text.contains("(kind: Revolute(limit: (lower: -1, upper: 1)))"),
        "{text}"
    );
}

#[test]
fn a_form_keeps_its_comments_and_what_was_not_edited() {
    let mut solo = solo(FORMS);
    set(&mut solo, "back", "hinge.motor_speed", "3");
    set(&mut solo, "back", "hinge.force_threshold", "9");
    set(&mut solo, "back", "hinge.motor_speed", "4");
    set(&mut solo, "door", "hull.friction", "0.9");
    set(&mut solo, "door", "hinge.upper", "0.5");
    set(&mut solo, "door", "hull.density", "2");
    set(&mut solo, "door", "hinge.motor_speed", "2");
    let (_, text) = written(&solo);
    let wanted = FORMS
        .replace(
            "as on Earth\n",
            "as on Earth\n    materials: {\"hull of door\": (density: 2, friction: 0.9)},\n",
        )
        .replace("speed: 2 /* slow */", "speed: 4 /* slow */")
        .replace("max_torque: 7),\n", "max_torque: 7),\n                force_threshold: 9,\n")
        .replace(
            "at: (1, 0))",
            "at: (1, 0), overrides: {\"hull\": (material: \"hull of door\"), \"hinge\": (kind: Revolute(limit: \
             (lower: -1, upper: 0.5), motor: (speed: 2, max_torque: 5)))})",
        );
    assert_eq!(text, wanted);
    // Written again, its own material is changed in place, and a copy that shares it keeps what it had.
    let mut solo = self::solo(&text);
    set(&mut solo, "door", "hull.friction", "0.25");
    let (_, text) = written(&solo);
    assert_eq!(text, wanted.replace("friction: 0.9", "friction: 0.25"));
    let door = key(&solo, "door");
    act(
        &mut solo,
        &format!(r#"{{"act":"duplicate","entity":"{door}","at":[0,20]}}"#),
    );
    set(&mut solo, "door", "hull.friction", "0.75");
    let (read, text) = written(&solo);
    assert!(
        text.contains("\"hull of door 2\": (density: 2, friction: 0.75)"),
        "{text}"
    );
    for (name, friction) in [("door", 0.75), ("door 1", 0.25)] {
        let value = read.get(read.find(name).unwrap(), "hull.friction").unwrap();
        assert_eq!(value, tombolo::entity::Value::F32(friction), "{name}");
    }
}

#[test]
fn what_a_form_has_no_place_for_is_told_and_the_rest_is_written() {
    let mut solo = solo(FORMS);
    set(&mut solo, "door", "hinge.spring", "false");
    set(&mut solo, "door", "hinge.hertz", "5");
    set(&mut solo, "door", "hinge.motor_speed", "2");
    // It has no effect before they are apart, and the form would set them apart.
    set(&mut solo, "back", "hinge.to_pivot", "(0, 2)");
    // Properties of boxes that only circles have.
    set(&mut solo, "post", "hull.radius", "0.7");
    let left_out = solo.session().edited_text().unwrap().left_out;
    let of = |name: &str| left_out.iter().filter(|line| line.starts_with(name)).count();
    assert_eq!(
        (of("door: `hinge.hertz`"), of("back: "), of("post: `hull.radius`")),
        (1, 1, 1),
        "{left_out:?}"
    );
    assert_eq!(left_out.len(), 3, "{left_out:?}");
    let text = solo.session().edited_text().unwrap().text;
    assert!(
        text.contains("motor: (speed: 2, max_torque: 5)") && !text.contains("to_pivot"),
        "{text}"
    );
    // What was off is written once it is on.
    set(&mut solo, "door", "hinge.spring", "true");
    let text = solo.session().edited_text().unwrap().text;
    assert!(text.contains("spring: (hertz: 5"), "{text}");
}

#[test]
fn a_scene_with_the_line_ends_of_windows_keeps_them() {
    let text = FORMS.replace('\n', "\r\n");
    let mut solo = solo(&text);
    let lamp = key(&solo, "lamp");
    act(&mut solo, r#"{"act":"drop","resource":"lamp","at":[3,9]}"#);
    act(&mut solo, &format!(r#"{{"act":"despawn","entity":"{lamp}"}}"#));
    set(&mut solo, "back", "hull.friction", "0.5");
    let (_, written) = written(&solo);
    assert_eq!(written.matches('\n').count(), written.matches("\r\n").count());
    assert_eq!(
        written.matches('\n').count(),
        text.matches('\n').count() + 2,
        "{written}"
    );
    assert!(!written.contains("One(name: \"lamp\""), "{written}");
}

#[test]
fn a_turn_keeps_the_position_and_a_move_the_angle() {
    let text = OFFSETS.replace(
        "\"turned\", at: (4, 1)",
        "\"turned\", at: (0.1, 0.2), angle: -0.3",
    );
    let mut solo = solo(&text);
    let turned = key(&solo, "turned");
    let before = pose(solo.session().world(), "turned");
    act(
        &mut solo,
        &format!(r#"{{"act":"move","entity":"{turned}","at":[7,8]}}"#),
    );
    let moved = pose(solo.session().world(), "turned");
    assert_eq!(
        (moved.position, moved.rotation),
        (Vec2::new(7.0, 8.0), before.rotation)
    );
    let (_, moved) = written(&solo);
    assert_eq!(moved, text.replace("at: (0.1, 0.2)", "at: (7, 8)"));
    let mut solo = self::solo(&text);
    act(
        &mut solo,
        &format!(r#"{{"act":"move","entity":"{turned}","angle":0.5}}"#),
    );
    assert_eq!(pose(solo.session().world(), "turned").position, before.position);
    let (_, turned) = written(&solo);
    assert!(turned.contains("at: (0.1, 0.2)"), "{turned}");
}

#[test]
fn edits_of_later_moments_are_written_while_an_earlier_one_is_shown() {
    let mut solo = solo(OFFSETS);
    let step = |solo: &mut Solo| (0..10).for_each(|_| solo.hear(r#"{"do":"step"}"#, 0.0, &Inline));
    step(&mut solo);
    set(&mut solo, "plain", "body.linear_damping", "0.5");
    step(&mut solo);
    set(&mut solo, "beside", "body.linear_damping", "0.5");
    let (_, all) = written(&solo);
    solo.hear(r#"{"do":"seek","step":15}"#, 0.0, &Inline);
    assert_eq!((solo.session().step(), written(&solo).1), (15, all.clone()));
    assert_eq!(solo.write().unwrap(), all);
    assert!(!solo.session().has_unwritten());
    // Whoever goes on from here has a world without the second edit, which the file still has.
    step(&mut solo);
    assert!(solo.session().has_unwritten());
    assert_ne!(written(&solo).1, all);
}
