//! Assets by name, and what a reload does to what is made of them.

use tombolo::component::GeometryKind;
use tombolo::entity::{Override, Value};
use tombolo::physics::{ContactRule, Pose, RecordOptions, Vec2};
use tombolo::threads::Inline;
use tombolo::{AssetKind, Scene, SpawnDef, World, WorldError, WorldRecording};

const ROOM: &str = r#"(
    materials: {"wood": (density: 0.5, friction: 0.6), "ice": (friction: 0)},
    outlines: {"brick": Box(width: 2, height: 1)},
    scripts: {"push": "fn on_tick(seconds) { this.count = if \"count\" in this { this.count + 1 } else { 1 }; }"},
    entities: {
        "floor": {"body": Body(), "top": Collider(shape: Box(width: 40, height: 2), material: "ice")},
        "crate": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Named("brick"), material: "wood"),
            "mind": Script(name: "push"),
        },
        "tall": {"base": Inherits("crate"), "body": Body(kind: Dynamic, bullet: true)},
    },
    place: [
        One(name: "floor", entity: "floor", at: (0, -1)),
        One(name: "plain", entity: "crate", at: (-6, 2)),
        One(name: "heir", entity: "tall", at: (0, 2)),
        One(name: "other", entity: "crate", at: (6, 2), overrides: {"hull": (material: "ice")}),
    ],
)"#;

fn room() -> World {
    World::from_scene(&Scene::parse("room.ron", ROOM).unwrap()).unwrap()
}

fn number(world: &World, name: &str, path: &str) -> f32 {
    match world.get(world.find(name).unwrap(), path).unwrap() {
        Value::F32(number) => number,
        value => panic!("{value:?}"),
    }
}

fn mass(world: &World, name: &str) -> f32 {
    let entity = world.find(name).unwrap();
    world.body(entity).unwrap().mass()
}

#[test]
fn assets_are_found_by_name_and_listed_by_kind() {
    let world = room();
    let assets = world.assets();
    assert_eq!(assets.names(AssetKind::Material), ["ice", "wood"]);
    assert_eq!(assets.names(AssetKind::Outline), ["brick"]);
    assert_eq!(assets.names(AssetKind::Script), ["push"]);
    assert_eq!(assets.names(AssetKind::Scene), ["room.ron"]);
    assert_eq!(
        assets.material("wood").unwrap().value("density"),
        Some(&Value::F32(0.5))
    );
    assert_eq!(assets.material("wood").unwrap().values().len(), 2);
    assert_eq!(assets.outline("brick").unwrap().kind, GeometryKind::Box);
    assert!(assets.script("push").unwrap().starts_with("fn on_tick"));
    assert_eq!(assets.scene("room.ron"), Some(ROOM));
    assert!(assets.material("brick").is_none());
}

#[test]
fn colliders_follow_the_reload_of_their_material_or_outline_unless_changed() {
    let mut world = room();
    world.step();
    assert!((mass(&world, "plain") - 1.0).abs() < 1.0e-5);
    let changed = world.find("heir").unwrap();
    world.set(changed, "hull.density", Value::F32(3.0)).unwrap();
    let report = world
        .reload(AssetKind::Material, "wood", "(density: 2, friction: 0.3)")
        .unwrap();
    let of = |names: [&str; 3]| names.map(|name| world.find(name).unwrap());
    assert_eq!(report.entities, of(["plain", "heir", "other"]));
    assert_eq!(report.refused, 0);
    assert_eq!(
        (
            number(&world, "plain", "hull.density"),
            number(&world, "plain", "hull.friction")
        ),
        (2.0, 0.3)
    );
    assert_eq!(
        number(&world, "heir", "hull.density"),
        3.0,
        "set since it was spawned"
    );
    assert_eq!(number(&world, "heir", "hull.friction"), 0.3, "by inheritance");
    assert_eq!(
        number(&world, "other", "hull.friction"),
        0.0,
        "overridden where it was placed"
    );
    assert_eq!(
        number(&world, "floor", "top.friction"),
        0.0,
        "of another material"
    );
    let report = world
        .reload(AssetKind::Outline, "brick", "Box(width: 2, height: 3)")
        .unwrap();
    assert_eq!(report.entities.len(), 3);
    world.step();
    assert!(
        (mass(&world, "plain") - 12.0).abs() < 1.0e-4,
        "{}",
        mass(&world, "plain")
    );
    let spawned = world.spawn("crate", &SpawnDef::default()).unwrap();
    assert_eq!(
        world.get(spawned, "hull.density").unwrap(),
        Value::F32(2.0),
        "reloads add up"
    );
    assert_eq!(
        world.assets().material("wood").unwrap().value("friction"),
        Some(&Value::F32(0.3))
    );
    assert_eq!(world.assets().outline("brick").unwrap().size.y, 3.0);
    // Back, and what the material does not say is as by default.
    world.reload(AssetKind::Material, "wood", "()").unwrap();
    assert_eq!(
        (
            number(&world, "plain", "hull.density"),
            number(&world, "plain", "hull.friction")
        ),
        (1.0, 0.6)
    );
}

#[cfg(feature = "script")]
#[test]
fn a_reloaded_script_goes_on_with_what_it_remembers_and_forgives_errors() {
    let mut world = room();
    for _ in 0..3 {
        world.step();
    }
    let report = world
        .reload(
            AssetKind::Script,
            "push",
            "fn on_tick(seconds) { throw \"broken\"; }",
        )
        .unwrap();
    assert_eq!(report.entities.len(), 3);
    world.step();
    let plain = world.find("plain").unwrap();
    assert_eq!(world.get(plain, "mind.enabled").unwrap(), Value::Bool(false));
    world
        .set(world.find("other").unwrap(), "mind.enabled", Value::Bool(false))
        .unwrap();
    let fixed = "fn on_tick(seconds) { this.count += 100; }";
    world.reload(AssetKind::Script, "push", fixed).unwrap();
    assert_eq!(world.get(plain, "mind.enabled").unwrap(), Value::Bool(true));
    world.step();
    let Value::String(state) = world.get(plain, "mind.state").unwrap() else {
        panic!()
    };
    assert!(state.contains("103"), "{state}");
    assert_eq!(world.assets().script("push"), Some(fixed));
}

#[test]
fn a_reloaded_scene_changes_what_it_defines_and_places_nothing() {
    let mut world = room();
    world
        .reload(AssetKind::Material, "ice", "(friction: 0.9)")
        .unwrap();
    let text = ROOM
        .replace("\"ice\": (friction: 0)", "\"tar\": (friction: 0.8)")
        .replace("\"ice\"", "\"tar\"")
        .replace("width: 2, height: 1", "width: 4, height: 1")
        .replace(
            "One(name: \"plain\"",
            "One(name: \"another\", entity: \"crate\", at: (20, 2)), One(name: \"plain\"",
        );
    let before = world.entity_count();
    let report = world.reload(AssetKind::Scene, "room.ron", &text).unwrap();
    assert_eq!(
        (world.entity_count(), report.added, report.entities.len()),
        (before, 0, 4)
    );
    assert_eq!(number(&world, "floor", "top.friction"), 0.8);
    assert_eq!(world.assets().names(AssetKind::Material), ["tar", "wood"]);
    assert_eq!(world.assets().scene("room.ron"), Some(&*text));
    world.step();
    assert!((mass(&world, "plain") - 2.0).abs() < 1.0e-5);
}

#[test]
fn what_is_unknown_or_wrong_is_refused_and_changes_nothing() {
    let mut world = room();
    let before = world.save();
    let mut refused = |kind, name: &str, text: &str| {
        let error = world.reload(kind, name, text).unwrap_err();
        assert!(world.save() == before, "{error}");
        error.to_string()
    };
    use AssetKind::{Material, Outline, Scene as WholeScene, Script};
    assert_eq!(
        refused(Material, "wod", "()"),
        "there is no material `wod`; did you mean \"wood\"?"
    );
    assert_eq!(
        refused(Outline, "moss", "HalfSpace"),
        "there is no outline `moss`; known: brick"
    );
    assert_eq!(
        refused(Script, "pusch", ""),
        "there is no script `pusch`; did you mean \"push\"?"
    );
    assert_eq!(
        refused(WholeScene, "hall.ron", ROOM),
        "there is no scene `hall.ron`; known: room.ron"
    );
    let error = refused(Material, "wood", "(\n  friction: -1)");
    assert!(
        error.starts_with("wood:2: material \"wood\", property \"friction\": "),
        "{error}"
    );
    let error = refused(Material, "wood", "(density: 1) (");
    assert!(error.starts_with("wood:1: material \"wood\""), "{error}");
    let error = refused(Outline, "brick", "Box(width: 0, height: 1)");
    assert!(error.starts_with("brick:1: outline \"brick\""), "{error}");
    let error = refused(Outline, "brick", "Named(\"brick\")");
    assert!(error.contains("an outline cannot be another one"), "{error}");
    // A half-space is a shape, but none of a dynamic body.
    let error = refused(Outline, "brick", "HalfSpace");
    assert!(error.contains("hull"), "{error}");
    let error = refused(
        WholeScene,
        "room.ron",
        "(place: [One(name: \"a\", entity: \"b\")])",
    );
    assert!(error.starts_with("room.ron:1: "), "{error}");
    #[cfg(feature = "script")]
    assert!(refused(Script, "push", "fn on_tick(").starts_with("push: script \"push\": "));
    assert_eq!(
        world.assets().material("wood").unwrap().value("density"),
        Some(&Value::F32(0.5))
    );
    let error = Scene::parse("bad.ron", &ROOM.replace("Named(\"brick\")", "Named(\"brik\")")).unwrap_err();
    assert!(
        error
            .to_string()
            .contains("unknown outline \"brik\"; did you mean \"brick\"?"),
        "{error}"
    );
    assert!(matches!(
        world.reload(Material, "no", ""),
        Err(WorldError::NoAsset { .. })
    ));
}

#[test]
fn reloads_are_no_state_of_clones_and_frames_go_with_them_and_recordings_have_them() {
    let mut world = room();
    world.start_recording(RecordOptions {
        key_frame_steps: 0,
        hash_steps: 1,
    });
    let fork = world.clone();
    let frame = world.frame();
    world.step();
    world.reload(AssetKind::Material, "wood", "(density: 4)").unwrap();
    let overrides = [Override {
        path: "hull.friction".into(),
        value: Value::F32(0.1),
    }];
    let def = SpawnDef {
        overrides: &overrides,
        ..SpawnDef::default()
    };
    world.spawn("crate", &def).unwrap();
    world.step();
    let recording = WorldRecording::open(world.end_recording()).unwrap();
    let mut player = recording.player().unwrap();
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(player.first_difference(), None);
    assert_eq!(player.world().state_hash(), world.state_hash());
    let density = |world: &World| world.assets().material("wood").unwrap().value("density").cloned();
    assert_eq!(
        (density(&fork), density(&world)),
        (Some(Value::F32(0.5)), Some(Value::F32(4.0)))
    );
    // A recording that begins now does not claim that the scene makes this world.
    world.start_recording(RecordOptions::default());
    world.step();
    let recording = WorldRecording::open(world.end_recording()).unwrap();
    assert!(recording.player().is_err());
    world.restore_frame(&frame);
    assert_eq!(density(&world), Some(Value::F32(0.5)));
    assert_eq!(world.state_hash(), fork.state_hash());
}

#[test]
fn an_asset_of_several_scenes_is_replaced_in_all_of_them() {
    let mut world = room();
    let shed = ROOM
        .replace(
            "entities: {",
            "entities: {\"slab\": {\"body\": Body(), \"top\": Collider(shape: Named(\"brick\"))},",
        )
        .replace("density: 0.5", "density: 0.25");
    let place = shed.find("place:").unwrap();
    let shed = format!(
        "{}place: [One(name: \"slab\", entity: \"slab\", at: (0, 9))])",
        &shed[..place]
    );
    world
        .add_scene(&Scene::parse("shed.ron", &shed).unwrap())
        .unwrap();
    assert_eq!(
        world.assets().material("wood").unwrap().value("density"),
        Some(&Value::F32(0.25))
    );
    let report = world
        .reload(AssetKind::Outline, "brick", "Circle(radius: 1)")
        .unwrap();
    let slab = world.find("slab").unwrap();
    assert!(
        report.entities.contains(&slab) && report.entities.len() == 4,
        "{report:?}"
    );
    let gone = "(entities: {\"a\": {}}, place: [One(name: \"a\", entity: \"a\")])";
    world.reload(AssetKind::Scene, "shed.ron", gone).unwrap();
    assert_eq!(
        world.assets().names(AssetKind::Material),
        ["ice", "wood"],
        "the other scene has them"
    );
    world.reload(AssetKind::Scene, "room.ron", gone).unwrap();
    assert!(world.assets().names(AssetKind::Material).is_empty());
}

#[test]
fn a_scene_that_is_reloaded_without_a_rule_takes_it_away() {
    let text = r#"(
        materials: {"a": (number: 1), "b": (number: 2)},
        rules: [
            (first: 1, second: 2, ignore: true),
            (first: 3, second: 4, friction: 0.25),
            (first: 5, second: 6, friction: 0.5),
            (first: 7, second: 8, friction: 0.75),
            (first_category: 2, second_category: 4, ignore: true),
        ],
        entities: {
            "floor": {"body": Body(), "top": Collider(shape: Box(width: 40, height: 2), material: "b")},
            "crate": {"body": Body(kind: Dynamic), "hull": Collider(shape: Box(width: 1, height: 1), material: "a")},
        },
        place: [
            One(name: "floor", entity: "floor", at: (0, -1)),
            One(name: "crate", entity: "crate", at: (0, 0.5)),
        ],
    )"#;
    let shed = r#"(
        rules: [(first: 4, second: 3, friction: 0.25)],
        entities: {"nail": {}},
        place: [One(name: "nail", entity: "nail")],
    )"#;
    let mut world = World::from_scene(&Scene::parse("yard.ron", text).unwrap()).unwrap();
    world.add_scene(&Scene::parse("shed.ron", shed).unwrap()).unwrap();
    // One that the game has changed since is the game's.
    let own = ContactRule {
        friction: Some(0.125),
        ..ContactRule::default()
    };
    world.set_contact_rule(5, 6, own).unwrap();
    let begin = text.find("rules: [").unwrap();
    let end = text.find("entities:").unwrap();
    // The last of the rules for materials stays, the other way round and with another friction.
    let text = format!(
        "{}rules: [(first: 8, second: 7, friction: 0.875)],{}",
        &text[..begin],
        &text[end..]
    );
    world.reload(AssetKind::Scene, "yard.ron", &text).unwrap();
    let friction = |rule: ContactRule| rule.friction;
    let rules: Vec<_> = world
        .physics()
        .contact_rules()
        .map(|(pair, rule)| (pair, friction(rule)))
        .collect();
    assert_eq!(
        rules,
        [([4, 3], Some(0.25)), ([5, 6], Some(0.125)), ([8, 7], Some(0.875))]
    );
    assert_eq!(world.physics().category_rules().len(), 0);
    (0..120).for_each(|_| world.step());
    let crate_ = world.find("crate").unwrap();
    let height = world.pose(crate_).unwrap().position.y;
    assert!((height - 0.5).abs() < 0.01, "it stands: {height}");
    // What the other scene had alone goes with its own.
    let shed = shed.replace("(first: 4, second: 3, friction: 0.25)", "");
    world.reload(AssetKind::Scene, "shed.ron", &shed).unwrap();
    assert_eq!(world.physics().contact_rules().len(), 2);
}

/// Of scenes with an asset of one name the one that was added last counts, whatever was reloaded or replaced since.
#[test]
fn an_asset_is_that_of_the_scene_that_was_added_last() {
    let text = |placed: &str, materials: &str| {
        format!(
            r#"(materials: {{{materials}}}, entities: {{"dot": {{}}}}, place: [One(name: "{placed}", entity: "dot")])"#
        )
    };
    let scene =
        |file: &str, placed: &str, materials: &str| Scene::parse(file, &text(placed, materials)).unwrap();
    let friction = |world: &World, name: &str| match world.assets().material(name)?.value("friction")? {
        Value::F32(friction) => Some(*friction),
        _ => None,
    };
    let both = |world: &World| ["ice", "mud"].map(|name| friction(world, name));
    let first = scene("b.ron", "1", r#""ice": (friction: 0.5), "mud": (friction: 0.5)"#);
    let second = scene(
        "c.ron",
        "2",
        r#""ice": (friction: 0.25), "mud": (friction: 0.25)"#,
    );
    let mut world = World::from_scene(&first).unwrap();
    world.add_scene(&second).unwrap();
    world
        .add_scene(&scene("a.ron", "3", r#""ice": (friction: 0.125)"#))
        .unwrap();
    assert_eq!(both(&world), [Some(0.125), Some(0.25)]);
    // A reload of mud leaves ice alone.
    world.reload(AssetKind::Material, "mud", "(friction: 1)").unwrap();
    assert_eq!(both(&world), [Some(0.125), Some(1.0)]);
    // An older scene that is reloaded is not the last.
    let again = text("1", r#""ice": (friction: 0.75)"#);
    world.reload(AssetKind::Scene, "b.ron", &again).unwrap();
    assert_eq!(both(&world), [Some(0.125), Some(1.0)]);
    // One that is added again is; without an asset it had, that of the next one counts.
    world
        .add_scene(&scene("c.ron", "4", r#""ice": (friction: 2)"#))
        .unwrap();
    assert_eq!(both(&world), [Some(2.0), None]);
    world.add_scene(&scene("c.ron", "5", "")).unwrap();
    assert_eq!(both(&world), [Some(0.125), None]);
}

#[test]
fn a_reload_moves_nobody_who_was_placed_and_stops_nothing_that_moves() {
    let text = r#"(
        settings: (gravity: (0, -10)),
        entities: {
            "mark": {"place": Transform(PLACE), "mark": Tag()},
            "crate": {"body": Body(kind: Dynamic VELOCITY), "hull": Collider(shape: Box(width: 1, height: 1))},
            "post": {"mark": Tag(), "lamp": Child(entity: "mark", at: (CHILD, 1))},
        },
        place: [
            Row(name: "mark", entity: "mark", count: 3, step: (1, 0)),
            One(name: "crate", entity: "crate", at: (9, 0)),
            One(name: "post", entity: "post", at: (5, 5)),
        ],
    )"#;
    let text = |place: &str, velocity: &str, child: &str| {
        text.replace("PLACE", place)
            .replace("VELOCITY", velocity)
            .replace("CHILD", child)
    };
    let scene = Scene::parse("marks.ron", &text("", "", "0")).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let at = |x: f32, y: f32| SpawnDef {
        pose: Some(Pose::new(Vec2::new(x, y), 0.0)),
        ..SpawnDef::default()
    };
    let spawned = [
        world.spawn("mark", &at(0.0, 0.0)).unwrap(),
        world.spawn("mark", &at(4.0, 0.0)).unwrap(),
    ];
    let unplaced = world.spawn("mark", &SpawnDef::default()).unwrap();
    (0..30).for_each(|_| world.step());
    let named = ["mark[0]", "mark[1]", "mark[2]"].map(|name| world.find(name).unwrap());
    let all = || named.into_iter().chain(spawned);
    let before: Vec<_> = all().map(|entity| world.pose(entity)).collect();
    let falling = world.get(world.find("crate").unwrap(), "body.linear_velocity");
    for is_restored in [false, true] {
        let mut world = world.clone();
        if is_restored {
            world = World::from_save(&scene, &world.save()).unwrap();
        }
        let (place, velocity) = ("position: (0, 2), angle: 1", ", linear_velocity: (1, 0)");
        world
            .reload(AssetKind::Scene, "marks.ron", &text(place, velocity, "1"))
            .unwrap();
        let after: Vec<_> = all().map(|entity| world.pose(entity)).collect();
        assert_eq!(after, before);
        // Nobody gave this one a pose, nor the child.
        assert_eq!(world.pose(unplaced).unwrap().position, Vec2::new(0.0, 2.0));
        assert_eq!(
            world.pose(world.find("post/lamp").unwrap()).unwrap().position,
            Vec2::new(6.0, 6.0)
        );
        let crate_ = world.find("crate").unwrap();
        assert_eq!(
            world.get(crate_, "body.linear_velocity"),
            falling,
            "it has another value since"
        );
        let fresh = world.spawn("crate", &SpawnDef::default()).unwrap();
        assert_eq!(world.get(fresh, "body.linear_velocity"), Ok(Value::Vec2(Vec2::X)));
    }
}
