//! The table of `docs/controls.md`, line by line: who wakes, which events come, and whether contacts stay; and that no call which
//! changes a body, a shape, a joint or what a world is like is left out of it. `control_calls.rs` makes the calls.

use crate::control_calls::{Stack, make};
use std::collections::BTreeSet;
use std::path::Path;
use tombolo_physics::{PhysicsWorld, Vec2};

const DT: f32 = 1.0 / 60.0;

/// The document, which is not part of the crate's package.
const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/controls.md");

/// Where the calls on a world are written.
const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/src/world");

/// Setters of things that no stack of boxes has, and the documents that tell what follows from them.
const ELSEWHERE: [(&str, &str); 6] = [
    ("set_tile", "tiles.md"),
    ("set_tiles", "tiles.md"),
    ("set_shape_member", "composites.md"),
    ("set_member_user_key", "composites.md"),
    ("set_rigid_weld_thresholds", "composites.md"),
    ("set_rigid_weld_user_key", "composites.md"),
];

/// The lines of the table, cell by cell.
fn lines() -> Vec<Vec<String>> {
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    let (_, section) = document
        .split_once("| call | wakes its island |")
        .expect("the table");
    let lines = section.lines().skip(2).take_while(|line| line.starts_with('|'));
    lines
        .map(|line| {
            let cells = line.trim_matches('|').split('|');
            cells
                .map(|cell| cell.trim().trim_matches('`').to_owned())
                .collect()
        })
        .collect()
}

/// The events of the last step that tell of what a call did.
fn events(world: &PhysicsWorld) -> String {
    let events = world.events();
    let told = [
        ("woke", events.woke().len()),
        ("fell asleep", events.fell_asleep().len()),
        ("end", events.end_touch().len()),
        ("begin", events.begin_touch().len()),
        ("leave", events.leave().len()),
        ("enter", events.enter().len()),
    ];
    let told: Vec<&str> = told
        .iter()
        .filter_map(|&(name, count)| (count > 0).then_some(name))
        .collect();
    if told.is_empty() {
        "none".to_owned()
    } else {
        told.join(", ")
    }
}

/// What is seen of a call: the cells of its line.
fn seen(name: &str) -> [String; 5] {
    let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
    let mut stack = Stack::new();
    let contact = stack.contact();
    make(&mut stack, name, |stack| stack.lower);
    let [lower, upper] = [stack.lower, stack.upper].map(|body| stack.is_awake(body));
    assert!(
        lower.is_none_or(|lower| Some(lower) == upper),
        "{name}: an island wakes as a whole"
    );
    stack.world.validate();
    let mut told = stack.world.clone();
    told.step(DT).unwrap();
    // Whatever slept until now: what is computed in the next step?
    let upper_body = stack.upper;
    stack.world.body_mut(upper_body).unwrap().wake();
    stack.world.step(DT).unwrap();
    let anew = stack.world.counters().recycled_contacts < 2;
    let stays = stack.world.contact(contact).is_some();

    let mut stack = Stack::new();
    make(&mut stack, name, |stack| stack.floor);
    let around = stack.is_awake(stack.lower);
    [
        yes(upper == Some(true)),
        yes(around == Some(true)),
        events(&told),
        if stays { "stays" } else { "goes" }.to_owned(),
        yes(anew),
    ]
}

#[test]
fn the_table_of_the_document_says_what_each_call_does() {
    let mut wrong = Vec::new();
    for line in lines() {
        let seen = seen(&line[0]);
        if line[1..] != seen {
            wrong.push(format!("| `{}` | {} |", line[0], seen.join(" | ")));
        }
    }
    assert!(wrong.is_empty(), "what was seen:\n{}", wrong.join("\n"));
}

/// The names of a file's public functions that take `&mut self`.
fn changing_calls(file: &Path) -> Vec<String> {
    let source = std::fs::read_to_string(file).unwrap();
    let functions = source.split("    pub fn ").skip(1);
    functions
        .filter_map(|function| {
            let (head, _) = function.split_once('{').expect("a body");
            let name = head.split(['(', '<']).next().expect("a name");
            head.contains("&mut self").then(|| name.to_owned())
        })
        .collect()
}

#[test]
fn the_table_has_every_setter() {
    let listed: BTreeSet<String> = lines().into_iter().map(|line| line[0].clone()).collect();
    let views = [
        ("BodyMut", "views/body_mut.rs"),
        ("BodyMut", "views/body_control.rs"),
        ("ShapeMut", "views/shape_mut.rs"),
        ("JointMut", "views/joint.rs"),
    ];
    let mut calls = Vec::new();
    for (view, file) in views {
        let found = changing_calls(&Path::new(SOURCES).join(file));
        assert!(found.len() > 5, "{file} has the calls of {view}");
        calls.extend(found.into_iter().map(|name| (view, name)));
    }
    for file in std::fs::read_dir(SOURCES).unwrap() {
        let file = file.unwrap().path();
        if file.extension().is_some_and(|ending| ending == "rs") {
            let found = changing_calls(&file).into_iter();
            let setters = found.filter(|name| name.starts_with("set_"));
            calls.extend(setters.map(|name| ("PhysicsWorld", name)));
        }
    }
    assert!(calls.len() > 80, "{} calls", calls.len());
    let mut missing = Vec::new();
    for (of, name) in calls {
        let elsewhere = ELSEWHERE.iter().find(|(call, _)| *call == name);
        if let Some((_, document)) = elsewhere {
            let text = std::fs::read_to_string(Path::new(DOCUMENT).with_file_name(document)).unwrap();
            assert!(text.contains(&name), "{document} tells of {name}");
        } else if !listed.contains(&format!("{of}::{name}")) {
            missing.push(format!("{of}::{name}"));
        }
    }
    assert!(
        missing.is_empty(),
        "not in the table of the document: {missing:?}"
    );
}

/// The table has velocities that are not zero.
#[test]
fn a_velocity_of_zero_wakes_nobody() {
    let mut stack = Stack::new();
    let place = stack.world.body(stack.lower).unwrap().pose();
    let mut body = stack.world.body_mut(stack.lower).unwrap();
    body.set_linear_velocity(Vec2::ZERO).unwrap();
    body.set_angular_velocity(0.0).unwrap();
    body.set_target(place.position.into(), place.rotation.angle(), DT)
        .unwrap();
    assert_eq!(stack.is_awake(stack.lower), Some(false));
}
