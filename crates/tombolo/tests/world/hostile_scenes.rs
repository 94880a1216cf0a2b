//! Scenes that mean harm, or that a program wrote without asking itself how large they are: each ends with an error that says
//! where, and soon; a world that fills up stays within what its settings allow, and says so.

use tombolo::entity::ResourceDefinition;
use tombolo::{Scene, Settings, SpawnDef, World, WorldError};
use tombolo_geometry::{Pose, Vec2};

fn refusal(text: &str) -> String {
    let error = Scene::parse("test.ron", text).expect_err("it is refused");
    error.to_string()
}

/// Entities `e0`, `e1` and so on, each with what `entry` says of the one before.
fn chain(count: usize, entry: impl Fn(usize) -> String) -> String {
    let mut entities = String::from("\"e0\": {\"look\": Sprite()},\n");
    for number in 1..=count {
        entities += &format!("\"e{number}\": {{{}}},\n", entry(number - 1));
    }
    format!("(entities: {{\n{entities}}}, place: [One(name: \"top\", entity: \"e{count}\")])")
}

fn children(count: usize) -> String {
    chain(count, |below| format!("\"below\": Child(entity: \"e{below}\")"))
}

fn heirs(count: usize) -> String {
    chain(count, |base| {
        format!("\"base\": Inherits(\"e{base}\"), \"look{base}\": Sprite()")
    })
}

#[test]
fn children_within_children_have_a_depth() {
    let scene = Scene::parse("test.ron", &children(64)).expect("so deep is allowed");
    let mut world = World::from_scene(&scene).expect("it is sound");
    assert_eq!(world.entity_count(), 65);
    world.step();
    for count in [65, 1000, 20_000] {
        let wanted =
            "test.ron:67: entity \"e65\", component \"below\": children within children are 64 deep at most";
        assert_eq!(refusal(&children(count)), wanted);
    }
    // Through what is inherited too.
    let mixed = chain(200, |below| match below % 2 {
        0 => format!("\"below\": Child(entity: \"e{below}\")"),
        _ => format!("\"base\": Inherits(\"e{below}\")"),
    });
    assert!(refusal(&mixed).contains("64 "), "{}", refusal(&mixed));
}

#[test]
fn inheritance_has_a_depth() {
    let scene = Scene::parse("test.ron", &heirs(64)).expect("so deep is allowed");
    World::from_scene(&scene).expect("it is sound").step();
    for count in [65, 4000] {
        let wanted = "test.ron:67: entity \"e65\", component \"base\": an entity inherits from 64 others at most, one through the other";
        assert_eq!(refusal(&heirs(count)), wanted);
    }
}

#[test]
fn depth_is_limited_for_programs_too() {
    let mut world = World::new(&Settings::default()).expect("the settings are sound");
    let line = |count: usize, link: fn(ResourceDefinition, &str) -> ResourceDefinition| {
        let make = |number: usize| {
            let resource = ResourceDefinition::new(&format!("e{number}"));
            if number == 0 {
                resource
            } else {
                link(resource, &format!("e{}", number - 1))
            }
        };
        (0..count).map(make).collect::<Vec<_>>()
    };
    for link in [ResourceDefinition::inherits, ResourceDefinition::child] {
        let error = world.define(line(4000, link)).expect_err("too deep").to_string();
        assert!(
            error.ends_with(" inherits, or has children, more than 128 deep"),
            "{error}"
        );
    }
    world
        .define(line(100, ResourceDefinition::child))
        .expect("so deep is allowed");
    // A circle of any length is called one.
    let mut circle = line(300, ResourceDefinition::inherits);
    circle[0] = ResourceDefinition::new("e0").inherits("e299");
    let error = world.define(circle).expect_err("a circle").to_string();
    assert!(
        error.ends_with(" inherits from itself") || error.contains("more than 128 deep"),
        "{error}"
    );
}

#[test]
fn two_children_with_two_children_and_so_on_are_too_many() {
    let text = chain(40, |below| {
        format!("\"a\": Child(entity: \"e{below}\"), \"b\": Child(entity: \"e{below}\")")
    });
    let scene = Scene::parse("test.ron", &text).expect("each for itself is small");
    let error = World::from_scene(&scene).expect_err("together they are not");
    assert!(
        error
            .to_string()
            .contains("makes more than 262144 entities at once"),
        "{error}"
    );
}

#[test]
fn an_entity_is_no_part_of_itself() {
    for entry in ["\"a\": Child(entity: \"a\")", "\"a\": Inherits(\"a\")"] {
        let text = format!("(entities: {{\"a\": {{{entry}}}}}, place: [One(name: \"a\", entity: \"a\")])");
        assert!(
            refusal(&text).contains("no entity \"a\" stands before this one"),
            "{}",
            refusal(&text)
        );
    }
}

#[test]
fn lists_within_lists_end_the_reading() {
    for (open, close) in [("[", "]"), ("(", ")"), ("Some(", ")"), ("{\"a\":", "}")] {
        for count in [1000, 100_000] {
            let (open, close) = (open.repeat(count), close.repeat(count));
            let text = format!("(settings: (gravity: {open}{close}), place: [])");
            assert!(refusal(&text).starts_with("test.ron:1"), "{}", refusal(&text));
            assert!(!refusal(&format!("{open}{close}")).is_empty());
        }
    }
}

#[test]
fn an_entity_has_so_many_parts_and_no_more() {
    for (part, wanted) in [
        (
            "Tag()",
            "an entity has 1024 components at most, with those that it inherits",
        ),
        (
            "Child(entity: \"leaf\")",
            "an entity has 4096 components and children at most",
        ),
    ] {
        let parts = parts(5000, part);
        let text = format!(
            "(entities: {{\"leaf\": {{}}, \"a\": {{\n{parts}}}}}, place: [One(name: \"a\", entity: \"a\")])"
        );
        assert!(refusal(&text).ends_with(wanted), "{}", refusal(&text));
    }
    // Of all that it inherits, too.
    let heir = |more: usize| {
        let (base, more) = (parts(1000, "Tag()"), parts(1000 + more, "Tag()"));
        format!(
            "(entities: {{\"a\": {{{base}}}, \"b\": {{\"base\": Inherits(\"a\"), {more}}}}}, \
             place: [One(name: \"b\", entity: \"b\")])"
        )
    };
    assert!(Scene::parse("test.ron", &heir(24)).is_ok());
    assert!(refusal(&heir(25)).contains("component \"p1024\": an entity has 1024 components"));
}

/// Parts `p0`, `p1` and so on.
fn parts(count: usize, part: &str) -> String {
    let parts = (0..count).map(|number| format!("\"p{number}\": {part},\n"));
    parts.collect()
}

/// What is inherited costs a small file a few bytes, and a world memory for each heir, each child and each placement: all of
/// these scenes have less than half a megabyte, and asked for several gigabytes.
#[test]
fn many_heirs_of_many_components_are_too_much() {
    let base = parts(1000, "Script(text: \"fn on_tick(seconds) {}\", enabled: true)");
    for entry in ["\"b\": Inherits(\"base\")", "\"b\": Child(entity: \"base\")"] {
        let heirs: String = (0..10_000)
            .map(|number| format!("\"e{number}\": {{{entry}}},\n"))
            .collect();
        let text = format!(
            "(entities: {{\"base\": {{{base}}},\n{heirs}}}, place: [One(name: \"a\", entity: \"base\")])"
        );
        let message = refusal(&text);
        assert!(
            message.contains("component \"b\": the entities up to here inherit more than 268435456 bytes"),
            "{message}"
        );
    }
    // A placement keeps what it overrides and no more.
    let placed: String = (0..2000)
        .map(|number| format!("One(name: \"a{number}\", entity: \"base\", overrides: {{\"p1\": ()}}),\n"))
        .collect();
    let text = format!("(entities: {{\"base\": {{{base}}}}}, place: [{placed}])");
    let scene = Scene::parse("test.ron", &text).expect("it is small");
    assert_eq!(scene.instance_count(), 2000);
}

/// Names of scripts are looked up in a set: with a list, reading these took as many comparisons as their number squared.
#[test]
fn a_name_of_one_script_among_many_is_taken_once() {
    let scripts: String = (0..50_000)
        .map(|number| format!("\"s{number}\": \"\",\n"))
        .collect();
    let scene = |last: &str, name: &str| {
        format!(
            "(scripts: {{{scripts}\"{last}\": \"\"}}, entities: {{\"a\": {{\"mind\": Script(name: \"{name}\")}}}}, \
             place: [One(name: \"a\", entity: \"a\")])"
        )
    };
    assert!(Scene::parse("test.ron", &scene("last", "s49999")).is_ok());
    assert!(refusal(&scene("s7", "s8")).ends_with("defined twice; keep one"));
    assert!(refusal(&scene("last", "s50000")).contains("unknown script \"s50000\""));
}

/// A tree of entities whose names are all looked up while it is planned.
#[test]
fn a_large_family_is_named_in_time() {
    let children = |count: usize, of: &str| parts(count, &format!("Child(entity: \"{of}\")"));
    let text = format!(
        "(entities: {{
            \"leaf\": {{\"rope\": Joint(to: Parent), \"mark\": Tag()}},
            \"branch\": {{{}}},
            \"tree\": {{{}}},
        }}, place: [One(name: \"leaf\", entity: \"branch\")])",
        children(100, "leaf"),
        children(300, "branch"),
    );
    let scene = Scene::parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    let mut world = World::from_scene(&scene).expect("it is sound");
    let def = SpawnDef {
        name: Some("t"),
        ..SpawnDef::default()
    };
    world.spawn("tree", &def).expect("there is room");
    assert_eq!(world.entity_count(), 101 + 1 + 300 * 101);
    assert!(world.find("t/p299/p99").is_some());
}

/// Some text editors write a byte order mark first.
#[test]
fn a_byte_order_mark_is_no_part_of_a_scene() {
    let text = "\u{feff}#![enable(implicit_some)]\n(entities: {\"a\": {}}, place: [One(name: \"a\", entity: \"a\")])";
    let scene = Scene::parse("test.ron", text).expect("it is a scene");
    assert_eq!(scene.text(), text);
    assert!(refusal(&format!("\u{feff}{text}")).starts_with("test.ron:1"));
}

/// A spawner that spawns itself, with these settings.
fn rabbits(settings: &str) -> World {
    let text = format!(
        "(settings: ({settings}), entities: {{
            \"rabbit\": {{
                \"body\": Body(kind: Dynamic),
                \"fur\": Collider(shape: Circle(radius: 0.1)),
                \"young\": Spawner(resource: \"rabbit\", interval: 0.05, spread: (4, 4)),
            }},
        }}, place: [One(name: \"rabbit\", entity: \"rabbit\")])"
    );
    let scene = Scene::parse("test.ron", &text).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).expect("the scene is sound")
}

#[test]
fn a_spawner_that_spawns_itself_fills_the_world_and_no_more() {
    for (settings, what, most) in [
        ("entities_max: 40", "entities", 40),
        ("bodies_max: 50", "bodies", 50),
    ] {
        let mut world = rabbits(settings);
        for _ in 0..120 {
            world.step();
        }
        assert_eq!(
            (world.entity_count(), world.physics().bodies().len()),
            (most, most)
        );
        let fault = format!(
            "the world would hold {} {what}; its settings allow {most} (`{what}_max`)",
            most + 1
        );
        assert!(world.faults()[0].ends_with(&fault), "{}", world.faults()[0]);
        assert!(
            world.faults()[0].starts_with("spawner of "),
            "{}",
            world.faults()[0]
        );
        // What goes makes room.
        let first = world.find("rabbit").expect("the first");
        world.despawn(first).unwrap();
        assert!(world.spawn("rabbit", &SpawnDef::default()).is_ok());
        let error = world
            .spawn("rabbit", &SpawnDef::default())
            .expect_err("it is full again");
        assert!(matches!(error, WorldError::Full { .. }), "{error}");
    }
}

#[test]
fn everything_that_makes_an_entity_or_a_body_checks_capacity() {
    let mut world = rabbits("entities_max: 2, bodies_max: 1");
    let bare = world.create(None).expect("there is room for one");
    assert!(matches!(
        world.create(None),
        Err(WorldError::Full { what: "entities", .. })
    ));
    let added = world.add_component(bare, "Body", "body");
    assert!(
        matches!(added, Err(WorldError::Full { what: "bodies", .. })),
        "{added:?}"
    );
    let rabbit = world.find("rabbit").expect("placed");
    let position = |x: f32, y: f32| tombolo::physics::Position::new(x, y);
    let cut = world.slice(rabbit, position(-1.0, 0.0), position(1.0, 0.01));
    assert!(matches!(cut, Err(WorldError::Full { .. })), "{cut:?}");
    let filter = tombolo::physics::QueryFilter::default();
    assert!(
        world
            .cut_through(position(-1.0, 0.0), position(1.0, 0.01), filter)
            .is_err()
    );
    assert_eq!((world.entity_count(), world.physics().bodies().len()), (2, 1));
    // Of a scene too, with its place.
    let text = "(settings: (bodies_max: 2), entities: {\"a\": {\"body\": Body()}},
        place: [Row(name: \"a\", entity: \"a\", count: 3, step: (1, 0))])";
    let scene = Scene::parse("test.ron", text).expect("each for itself is fine");
    let error = World::from_scene(&scene)
        .expect_err("there is no room")
        .to_string();
    assert!(
        error.contains("the world would hold 3 bodies; its settings allow 2"),
        "{error}"
    );
}

#[test]
fn limits_out_of_range_are_refused() {
    let text = children(1).replacen('(', "(settings: (entities_max: 0), ", 1);
    assert!(
        refusal(&text).ends_with("0 is out of range; give 1 to 16777216"),
        "{}",
        refusal(&text)
    );
    let settings = Settings {
        bodies_max: 1 << 25,
        ..Settings::default()
    };
    let error = World::new(&settings).expect_err("the same from code");
    assert_eq!(
        error.to_string(),
        "settings: `bodies_max` is 33554432; give 1 to 16777216"
    );
}

#[test]
fn a_pose_that_is_none_is_refused_with_and_without_a_body() {
    let mut world = rabbits("seed: 1");
    let bare = world.create(Some("bare")).expect("there is room");
    let rabbit = world.find("rabbit").expect("placed");
    for entity in [bare, rabbit] {
        let before = world.pose(entity);
        for (x, angle) in [
            (f32::NAN, 0.0),
            (f32::INFINITY, 0.0),
            (0.0, f32::NAN),
            (0.0, f32::INFINITY),
        ] {
            let pose = Pose::new(Vec2::new(x, 1.0), angle);
            assert!(world.teleport(entity, pose).is_err(), "{pose:?}");
        }
        assert_eq!(world.pose(entity), before);
    }
    world.step();
}

#[test]
fn an_unknown_resource_is_answered_with_a_known_one() {
    let mut world = rabbits("seed: 1");
    let error = world
        .spawn("rabit", &SpawnDef::default())
        .expect_err("there is none");
    assert_eq!(
        error.to_string(),
        "there is no resource `rabit`; did you mean \"rabbit\"?"
    );
}

#[test]
fn a_message_lists_names_in_one_line() {
    for name in ["\n", "a\rb", "\u{1b}[31m"] {
        let text = format!(
            "(materials: {{\"{name}\": ()}}, entities: {{\"e\": {{\"b\": Body(), \"hull\": Collider(shape: Circle(radius: 1), material: \"wood\")}}}})"
        );
        let message = refusal(&text);
        assert!(!message.contains(char::is_control), "{message:?}");
        assert!(message.contains("known: "), "{message}");
    }
}

/// Names of children are one word each, and an heir has each child once.
#[test]
fn children_that_could_not_be_named_are_refused() {
    let text = r#"(entities: {
    "lamp": {"look": Sprite(layer: 1)},
    "cart": {"lamp": Child(entity: "lamp"), "mark": Tag()},
    "heir": {"base": Inherits("cart")},
    "last": {"base": Inherits("heir"),
        ENTRY},
}, place: [One(name: "last", entity: "last")])"#;
    for (entry, says) in [
        (
            "\"left/lamp\": Child(entity: \"lamp\")",
            "a slash parts the names",
        ),
        (
            "\"lamp\": Child(entity: \"lamp\", at: (2, 0))",
            "is a child that the entity inherits",
        ),
        ("\"lamp\": Tag()", "is a child that the entity inherits"),
        (
            "\"mark\": Child(entity: \"lamp\")",
            "is a component that the entity inherits",
        ),
        (
            "\"rope\": Joint(from: Parent, to: Entity(\"cart\"))",
            "give `to: Parent`",
        ),
    ] {
        let error = Scene::parse("heirs.ron", &text.replace("ENTRY", entry))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("heirs.ron:6: "), "{error}");
        assert!(error.contains(says), "{entry}: {error}");
    }
    assert!(
        Scene::parse(
            "heirs.ron",
            &text.replace("ENTRY", "\"other\": Child(entity: \"lamp\")")
        )
        .is_ok()
    );
}
