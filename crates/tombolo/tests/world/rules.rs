//! Rules for contacts and changes of shapes by name: from a scene, by call, command and script, saved, and refused.

use tombolo::entity::{Entity, Value};
use tombolo::physics::{ANY_CATEGORY, ANY_MATERIAL, ContactRule, ShapeId};
use tombolo::{Command, Push, Scene, World};

const TOWER: &str = r###"(
    settings: (gravity: (0, -10)),
    materials: {
        "plank": (friction: 0.6, number: 1),
        "rubber": (restitution: 0.5, restitution_rule: Max, friction_rule: Min, number: 2),
    },
    rules: [
        (first: 1, one_way: (0, 1)),
        (first: 1, second: 2, one_way: (0, 1), friction: 0.1, restitution: 0, surface_speed: -1, hit_threshold: 3),
        (first: 7, second: 7, ignore: true),
        (second: 8, sensor: true),
    ],
    scripts: {
        "drops": r##"
            fn on_spawn() { set_timer("first", 3); }
            fn on_timer(name) {
                if name == "first" {
                    me().drop_through();
                    set_timer("second", 3);
                } else {
                    set_contact_rule(0, 1, #{ignore: true});
                    remove_contact_rule(7, 7);
                }
            }
        "##,
    },
    entities: {
        "floor": {"body": Body(), "box": Collider(shape: Box(width: 40, height: 2), position: (0, -1))},
        "plank": {"body": Body(), "box": Collider(shape: Box(width: 6, height: 0.2), material: "plank")},
        "box": {"body": Body(kind: Dynamic, fixed_rotation: true), "box": Collider(shape: Box(width: 1, height: 1))},
        "scripted": {
            "body": Body(kind: Dynamic, fixed_rotation: true),
            "box": Collider(shape: Box(width: 1, height: 1)),
            "mind": Script(name: "drops"),
        },
    },
    place: [
        One(name: "floor", entity: "floor"),
        Row(name: "plank", entity: "plank", at: (0, 3), count: 3, step: (0, 3)),
        One(name: "box", entity: "box", at: (0, 0.5)),
        One(name: "scripted", entity: "scripted", at: (1.5, 9.6)),
    ],
)"###;

fn world() -> World {
    World::from_scene(&Scene::parse("tower.ron", TOWER).unwrap()).unwrap()
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step());
}

fn find(world: &World, name: &str) -> Entity {
    world.find(name).unwrap()
}

fn height(world: &World, name: &str) -> f32 {
    world.pose(find(world, name)).unwrap().position.y
}

fn shape(world: &World, name: &str) -> ShapeId {
    let body = world.body(find(world, name)).unwrap();
    body.shapes().next().unwrap().id()
}

#[test]
fn rules_of_a_scene_are_those_of_its_world() {
    // Without whose script changes the rules.
    let scripted = "One(name: \"scripted\", entity: \"scripted\", at: (1.5, 9.6)),";
    let scene = Scene::parse("tower.ron", &TOWER.replace(scripted, "")).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let rules: Vec<_> = world.physics().contact_rules().collect();
    assert_eq!(rules.len(), 4);
    assert_eq!(rules[0].0, [1, 2]);
    let full = ContactRule {
        friction: Some(0.1),
        restitution: Some(0.0),
        surface_speed: Some(-1.0),
        one_way: Some((0.0, 1.0).into()),
        hit_threshold: Some(3.0),
        ..ContactRule::default()
    };
    assert_eq!(rules[0].1, full);
    let planks = [0, 1, 2].map(|number| shape(&world, &format!("plank[{number}]")));
    let between = world.physics().rule_between(planks[0], shape(&world, "box"));
    assert_eq!(between.unwrap().one_way, full.one_way);
    // Up through one plank after the other; it lands on each.
    let jump = Command::Push {
        entity: "box".into(),
        push: Push::Impulse((0.0, 9.0).into()),
    };
    for place in 1..4 {
        world.apply(jump.clone()).unwrap();
        run(&mut world, 120);
        let expected = 3.0 * place as f32 + 0.6;
        assert!(
            (height(&world, "box") - expected).abs() < 0.02,
            "{}",
            height(&world, "box")
        );
    }
    // And down through one of them.
    let drop = Command::Push {
        entity: "box".into(),
        push: Push::DropThrough,
    };
    world.apply(drop).unwrap();
    let saved = world.save();
    run(&mut world, 120);
    assert!(
        (height(&world, "box") - 6.6).abs() < 0.02,
        "{}",
        height(&world, "box")
    );
    let mut restored = World::from_save(&scene, &saved).unwrap();
    run(&mut restored, 120);
    assert_eq!(restored.state_hash(), world.state_hash(), "who drops is saved");
}

#[cfg(feature = "script")]
#[test]
fn scripts_drop_bodies_and_change_rules() {
    let mut world = world();
    run(&mut world, 150);
    assert!(
        (height(&world, "scripted") - 9.6).abs() < 0.02,
        "{}",
        height(&world, "scripted")
    );
    run(&mut world, 150);
    assert!(
        (height(&world, "scripted") - 6.6).abs() < 0.02,
        "{}",
        height(&world, "scripted")
    );
    run(&mut world, 180);
    assert!(
        (height(&world, "scripted") - 0.5).abs() < 0.02,
        "{}",
        height(&world, "scripted")
    );
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    assert!(world.physics().contact_rules().all(|(pair, _)| pair != [7, 7]));
}

#[test]
fn commands_set_rules_and_take_them_away() {
    let mut world = world();
    let rule = ContactRule {
        sensor: true,
        ..ContactRule::default()
    };
    let set = |rule| Command::ContactRule {
        materials: [0, ANY_MATERIAL],
        rule,
    };
    world.apply(set(Some(rule))).unwrap();
    assert!(world.physics().contact_rules().any(|(_, set)| set == rule));
    world.apply(set(None)).unwrap();
    assert_eq!(world.remove_contact_rule(0, ANY_MATERIAL), None);
    let bad = ContactRule {
        friction: Some(-1.0),
        ..rule
    };
    assert!(world.apply(set(Some(bad))).is_err());
    assert!(
        world
            .set_contact_rule(
                3,
                3,
                ContactRule {
                    one_way: Some((0.0, 1.0).into()),
                    ..rule
                }
            )
            .is_err()
    );
}

#[test]
fn shapes_change_in_place_by_name() {
    let mut world = world();
    run(&mut world, 30);
    let (body, before) = (find(&world, "box"), shape(&world, "box"));
    let changes = [
        ("box.material_number", Value::U32(7)),
        ("box.friction_rule", Value::Choice(4)),
        ("box.restitution_rule", Value::Choice(1)),
        ("box.contact_skin", Value::F32(0.125)),
        ("box.density", Value::F32(3.0)),
        ("box.contact_events", Value::Bool(false)),
        ("box.hit_events", Value::Bool(true)),
    ];
    for (path, value) in changes {
        world.set(body, path, value).unwrap();
    }
    assert_eq!(shape(&world, "box"), before, "it is the same shape");
    let physics = world.physics();
    let seen = physics.shape(before).unwrap();
    assert_eq!((seen.material_number(), seen.contact_skin()), (7, 0.125));
    assert_eq!(seen.combine_rules().map(|rule| rule as u32), [4, 1]);
    assert_eq!((seen.density(), seen.has_hit_events()), (3.0, true));
    assert!((seen.body().mass() - 3.0).abs() < 1e-5);
    assert!(
        seen.body().contacts().any(|contact| contact.is_touching()),
        "it lies on the floor still"
    );
    world.set(body, "box.sensor", Value::Bool(true)).unwrap();
    run(&mut world, 60);
    assert!(height(&world, "box") < -1.0, "it falls through the floor");
    assert_eq!(shape(&world, "box"), before);
    assert!(world.set(body, "box.material_number", Value::I64(-1)).is_err());
}

#[test]
fn rules_that_make_no_sense_are_refused_where_they_stand() {
    for (from, to, why) in [
        ("(second: 8, sensor: true)", "(sensor: true)", "a material"),
        (
            "(first: 7, second: 7, ignore: true)",
            "(first: 7, second: 7, one_way: (1, 0))",
            "two different",
        ),
        (
            "(first: 7, second: 7, ignore: true)",
            "(first: 2, second: 1)",
            "two rules",
        ),
        ("friction: 0.1", "friction: -0.1", "friction"),
        ("one_way: (0, 1)", "one_way: (0, 0)", "direction"),
        ("hit_threshold: 3", "hit_treshold: 3", "hit_threshold"),
        ("friction_rule: Min", "friction_rule: Least", "friction_rule"),
    ] {
        let text = TOWER.replacen(from, to, 1);
        assert_ne!(text, TOWER, "{from}");
        let error = Scene::parse("tower.ron", &text).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(why) && error.line.is_some(), "{message}");
    }
}

const GHOSTS: &str = r###"(
    settings: (gravity: (0, -10)),
    rules: [
        (first_category: 4, second_category: 2, sensor: true),
        (second_category: 8, first_category: 0, friction: 0),
        (first: 3, second: 3, ignore: true),
    ],
    scripts: {
        "haunt": r##"
            fn on_spawn() { set_timer("first", 0.5); }
            fn on_timer(name) {
                if name == "first" {
                    remove_category_rule(2, 4);
                    set_category_rule(0, 16, #{surface_speed: 2});
                }
            }
        "##,
    },
    entities: {
        "floor": {"body": Body(), "box": Collider(shape: Box(width: 40, height: 2), position: (0, -1))},
        "wall": {"body": Body(), "box": Collider(shape: Box(width: 6, height: 0.2), category: 2)},
        "ghost": {"body": Body(kind: Dynamic), "box": Collider(shape: Box(width: 1, height: 1), category: 4)},
        "crate": {"body": Body(kind: Dynamic), "box": Collider(shape: Box(width: 1, height: 1))},
        "haunted": {"mind": Script(name: "haunt")},
    },
    place: [
        One(name: "floor", entity: "floor"),
        One(name: "wall", entity: "wall", at: (0, 3)),
        One(name: "ghost", entity: "ghost", at: (-1, 3.6)),
        One(name: "crate", entity: "crate", at: (1, 3.6)),
    ],
)"###;

#[test]
fn rules_for_categories_by_name_are_those_of_physics() {
    let scene = Scene::parse("ghosts.ron", GHOSTS).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let categories = |world: &World| -> Vec<[u64; 2]> {
        let rules = world.physics().category_rules();
        rules.map(|(pair, _)| pair).collect()
    };
    assert_eq!(categories(&world), [[4, 2], [ANY_CATEGORY, 8]]);
    assert_eq!(world.physics().contact_rules().count(), 1);
    run(&mut world, 120);
    assert!(
        (height(&world, "ghost") - 0.5).abs() < 0.02,
        "it falls through the wall"
    );
    assert!(
        (height(&world, "crate") - 3.6).abs() < 0.02,
        "and the crate does not"
    );

    // By command and by call, recorded and saved.
    let rule = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    let set = |rule| Command::CategoryRule {
        categories: [1, 2],
        rule,
    };
    world.apply(set(Some(rule))).unwrap();
    let saved = world.save();
    run(&mut world, 90);
    assert!(
        (height(&world, "crate") - 0.5).abs() < 0.02,
        "the wall is none for it"
    );
    let mut restored = World::from_save(&scene, &saved).unwrap();
    run(&mut restored, 90);
    assert_eq!(restored.state_hash(), world.state_hash());
    world.apply(set(None)).unwrap();
    assert_eq!(world.remove_category_rule(2, 1), None);
    world.set_category_rule(1, 2, rule).unwrap();
    assert_eq!(world.remove_category_rule(2, 1), Some(rule));
    let before = world.state_hash();
    for categories in [[3, 4], [ANY_CATEGORY, ANY_CATEGORY]] {
        let [first, second] = categories;
        assert!(world.set_category_rule(first, second, rule).is_err());
        let command = Command::CategoryRule {
            categories,
            rule: Some(rule),
        };
        assert!(world.apply(command).is_err());
    }
    assert_eq!(world.state_hash(), before);
}

#[cfg(feature = "script")]
#[test]
fn scripts_set_rules_for_categories() {
    let haunted = GHOSTS.replace(
        "One(name: \"ghost\"",
        "One(name: \"haunted\", entity: \"haunted\"), One(name: \"ghost\"",
    );
    let mut world = World::from_scene(&Scene::parse("ghosts.ron", &haunted).unwrap()).unwrap();
    run(&mut world, 120);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    let rules: Vec<_> = world.physics().category_rules().collect();
    let pairs: Vec<[u64; 2]> = rules.iter().map(|(pair, _)| *pair).collect();
    assert_eq!(pairs, [[ANY_CATEGORY, 8], [ANY_CATEGORY, 16]]);
    assert_eq!(rules[1].1.surface_speed, Some(2.0));
    for (from, to, why) in [
        (
            "remove_category_rule(2, 4)",
            "remove_category_rule(3, 4)",
            "3 is no category",
        ),
        ("surface_speed: 2", "surface_sped: 2", "surface_speed"),
        ("surface_speed: 2", "ignore: 2", "ignore is no bool"),
    ] {
        let text = haunted.replacen(from, to, 1);
        let mut world = World::from_scene(&Scene::parse("ghosts.ron", &text).unwrap()).unwrap();
        run(&mut world, 40);
        let faults = format!("{:?}", world.faults());
        assert!(faults.contains(why), "{faults}");
    }
}

#[test]
fn rules_for_categories_that_make_no_sense_are_refused_where_they_stand() {
    let rule = "(first_category: 4, second_category: 2, sensor: true)";
    for (to, why) in [
        ("(first_category: 6, second_category: 2)", "one bit"),
        ("(first_category: 4, second: 2)", "two rules"),
        (
            "(first_category: 4, second_category: 4, one_way: (0, 1))",
            "two different",
        ),
        ("(first_category: 8)", "same two categories"),
        ("(first_category: 1.5, second_category: 2)", "64 bits"),
        ("(first_categori: 4, second_category: 2)", "first_category"),
    ] {
        let text = GHOSTS.replacen(rule, to, 1);
        assert_ne!(text, GHOSTS);
        let error = Scene::parse("ghosts.ron", &text).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(why) && error.line.is_some(), "{to}: {message}");
    }
}
