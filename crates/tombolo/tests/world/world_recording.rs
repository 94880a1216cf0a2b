//! Recordings of whole worlds: every call is in them, and a player that makes the calls again, with other workers and lanes and
//! from any key frame, has the same world to the byte.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};

use tombolo::component::{Collider, ShapeGeometry, TRANSFORM, Tag, Transform};
use tombolo::entity::{Accessor, Component, Dense, Entity, Override, ResourceDefinition, Schema, Value};
use tombolo::geometry::{Pose, Position};
use tombolo::physics::{
    BodyDef, ExplosionDef, LaneWidth, PhysicsWorld, QueryFilter, RecordOptions, RecordingError, Rewind,
    RewindLimits, ShapeDef, Shatter, Vec2, WorldDef,
};
use tombolo::threads::{Inline, Pool};
use tombolo::{
    AssetKind, Command, EntityRef, Push, Scene, SegmentCut, Settings, SpawnCommand, SpawnDef, World,
    WorldCall, WorldError, WorldRecording,
};

use crate::{Health, YARD, yard};

pub(crate) const EVERY_STEP: RecordOptions = RecordOptions {
    key_frame_steps: 0,
    hash_steps: 1,
};

/// What is added to the yard later.
const SHED: &str = r#"(
    entities: {"shed": {"body": Body(), "wall": Collider(shape: Box(width: 1, height: 3))}},
    place: [One(name: "shed", entity: "shed", at: (26, 1.5))],
    strokes: [(step: 3, from: (-30, 0.4), to: (30, 0.6))],
)"#;

/// Plays a recording with other workers and lanes, and compares each hash and the world at the end, but for what is pending.
fn check(world: &World, file: Vec<u8>) -> BTreeSet<&'static str> {
    let recording = WorldRecording::open(file).unwrap();
    assert!(recording.is_whole());
    let pool = Pool::with_thread_for_each(3).unwrap();
    let mut player = recording.player().unwrap();
    player
        .world_mut()
        .physics_mut()
        .set_lanes(LaneWidth::One)
        .unwrap();
    let mut names = BTreeSet::new();
    while let Some(call) = player.next_call().unwrap() {
        let name = call.name();
        names.insert(name);
        player.play(call, &pool).unwrap();
        assert_eq!(
            player.first_difference(),
            None,
            "after {name}, step {}",
            player.steps()
        );
    }
    assert_eq!(player.steps(), recording.steps());
    if let Some(difference) = world.first_difference(player.world()) {
        panic!("{difference}");
    }
    names
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step());
}

fn named(world: &World, name: &str) -> Entity {
    world.find(name).unwrap_or_else(|| panic!("no {name}"))
}

/// Entities: each call once.
pub(crate) fn call_everything_of_entities(world: &mut World) {
    let safe = named(world, "safe");
    world
        .set(safe, "body.linear_velocity", Value::Vec2(Vec2::new(3.0, 2.0)))
        .unwrap();
    let mut accessor = Accessor::new("body.angular_velocity").unwrap();
    world.set_with(&mut accessor, safe, Value::F32(0.5)).unwrap();
    let crates = world.entities().index().prototype(named(world, "crate[0]"));
    let mut accessor = Accessor::new("body.linear_velocity").unwrap();
    let set = world.set_all(crates, &mut accessor, &Value::Vec2(Vec2::new(0.0, 4.0)));
    assert_eq!(set.unwrap(), 4);
    let mut accessor = Accessor::new("transform.no such").unwrap();
    assert!(world.set_all(crates, &mut accessor, &Value::F32(0.0)).is_err());
    world.teleport(safe, Pose::new(Vec2::new(1.0, 7.0), 0.4)).unwrap();
    world.set_text("cart.body.linear_velocity=(4,1)").unwrap();
    let overrides = [Override {
        path: "body.linear_velocity".into(),
        value: Value::Vec2(Vec2::new(-1.0, 0.0)),
    }];
    let def = SpawnDef {
        name: Some("spare"),
        pose: Some(Pose::new(Vec2::new(-15.0, 5.0), 0.25)),
        parent: None,
        overrides: &overrides,
    };
    let spare = world.spawn("crate", &def).unwrap();
    assert!(world.spawn("crate", &def).is_err(), "the name is taken");
    let plain = world.create(Some("plain")).unwrap();
    for (manager, name) in [("Body", "body"), ("Collider", "skin"), ("Tag", "mark")] {
        world.add_component(plain, manager, name).unwrap();
    }
    world.remove_component(plain, "mark").unwrap();
    world.set_name(plain, Some("no longer plain")).unwrap();
    let hull = Collider::new(ShapeDef::default(), ShapeGeometry::new_box(1.5, 0.5));
    world
        .spawn_body(Some("slab"), &BodyDef::dynamic(-25.0, 6.0), &[hull])
        .unwrap();
    run(world, 5);
    world.despawn(spare).unwrap();
    world.set_action("jump", 1.0).unwrap();
    let push = Command::Push {
        entity: EntityRef::from("slab"),
        push: Push::ImpulseAt(Vec2::new(0.5, 2.0), Position::new(-25.0, 5.0)),
    };
    world.apply(push).unwrap();
    let fog = ResourceDefinition::new("fog").component("look", "Sprite", [("layer", Value::I32(9))]);
    world.define(vec![fog]).unwrap();
    world.spawn("fog", &SpawnDef::default()).unwrap();
    world.add_scene(&Scene::parse("shed.ron", SHED).unwrap()).unwrap();
    #[cfg(feature = "script")]
    world.define_script("drift", "fn on_tick(seconds) {}").unwrap();
    world
        .reload(AssetKind::Material, "steel", "(density: 5)")
        .unwrap();
    run(world, 5);
}

/// Cuts, explosions, the inbox, what is handed out, going back.
fn call_everything_else(world: &mut World) {
    let safe = named(world, "safe");
    let place = world.pose(safe).unwrap().position;
    world
        .slice(
            safe,
            Position::from(place),
            Position::from(place + Vec2::new(0.1, 1.0)),
        )
        .unwrap();
    let pattern = Shatter::Seeded { seed: 3, count: 3 };
    world.shatter(named(world, "crate[1]"), &pattern).unwrap();
    let heavy = |shape: tombolo::physics::ShapeRef<'_>| shape.body().mass() > 0.5;
    let filter = QueryFilter {
        predicate: Some(&heavy),
        ..QueryFilter::default()
    };
    world
        .cut_through(Position::new(-40.0, 0.3), Position::new(40.0, 0.4), filter)
        .unwrap();
    world.explode(&ExplosionDef::at(Position::new(2.0, 0.0))).unwrap();
    let step = world.physics().step_index() + 2;
    let (from, to) = (Vec2::new(-30.0, 0.2), Vec2::new(30.0, 0.2));
    world.add_segment_cut(SegmentCut { step, from, to });
    for sender in [9, 2] {
        let lamp = SpawnCommand {
            resource: "lamp".into(),
            ..SpawnCommand::default()
        };
        world.inbox(sender).send(Command::Spawn(Box::new(lamp))).unwrap();
        world
            .inbox(sender)
            .send(Command::Despawn(EntityRef::from("no such")))
            .unwrap();
    }
    run(world, 4);
    let cart = world.body_of(named(world, "cart")).unwrap();
    world.physics_mut().set_gravity(Vec2::new(0.5, -9.0)).unwrap();
    let mut body = world.physics_mut().body_mut(cart).unwrap();
    body.teleport(Pose::new(Vec2::new(6.0, 3.0), 0.1)).unwrap();
    assert!(world.find_path(Vec2::ZERO, Vec2::splat(1.0e9), 0.5).is_err());
    world.physics_mut().step(0.01).unwrap();
    let saved = world.physics().save();
    world.physics_mut().step(0.01).unwrap();
    world.physics_mut().restore(&saved).unwrap();
    let tags = world.entities().manager_id("Tag").unwrap();
    let held = world.manager_mut::<Dense<Tag>>(tags).unwrap();
    assert!(held.values_mut().len() > 1);
    world.random().bits();
    run(world, 3);
    let mut rewind = Rewind::new(RewindLimits::default());
    let saved = world.save();
    let frame = rewind.save(world);
    run(world, 3);
    world.despawn(named(world, "cart")).unwrap();
    run(world, 2);
    rewind.restore(world, frame).unwrap();
    run(world, 2);
    world.restore(&saved).unwrap();
    assert!(world.restore(b"no save").is_err());
    run(world, 30);
}

#[test]
fn every_call_of_a_world_is_recorded_and_plays_the_same() {
    let mut world = yard();
    let new = world.frame();
    world.start_recording(EVERY_STEP);
    call_everything_of_entities(&mut world);
    let mut file = world.take_recording();
    call_everything_else(&mut world);
    // From before the recording, and with the resources of then.
    world.restore_frame(&new);
    run(&mut world, 5);
    file.extend(world.end_recording());
    assert!(!world.is_recording());
    let mut names = check(&world, file);
    if cfg!(not(feature = "script")) {
        names.insert("DefineScript");
    }
    let all: BTreeSet<&str> = WorldCall::NAMES.iter().copied().collect();
    assert_eq!(names, all, "a call that this test does not make");
}

#[test]
fn a_recording_of_a_world_plays_from_its_key_frames_and_as_far_as_it_goes() {
    let mut world = yard();
    let options = RecordOptions {
        key_frame_steps: 7,
        hash_steps: 1,
    };
    world.start_recording(options);
    let mut file = Vec::new();
    let mut hashes = Vec::new();
    for step in 0..40 {
        let crate_ = named(&world, "crate[2]");
        let up = Value::Vec2(Vec2::new(0.0, step as f32 * 0.1));
        world.set(crate_, "body.linear_velocity", up).unwrap();
        world.step();
        hashes.push(world.state_hash());
        if step % 9 == 8 {
            file.extend(world.take_recording());
        }
    }
    let cut_off = file.len();
    file.extend(world.end_recording());
    let recording = WorldRecording::open(file.clone()).unwrap();
    assert_eq!(recording.key_frames().collect::<Vec<_>>(), [0, 7, 14, 21, 28, 35]);
    for step in [1, 7, 8, 20, 40] {
        let player = recording.player_at(step, &Inline).unwrap();
        assert_eq!(
            player.world().state_hash(),
            hashes[step as usize - 1],
            "step {step}"
        );
    }
    let recording = WorldRecording::open(file[..cut_off].to_vec()).unwrap();
    assert!(!recording.is_whole());
    assert_eq!(recording.steps(), 36);
}

#[test]
fn a_world_that_is_not_new_begins_with_a_save_and_one_of_a_program_plays_in_a_world_like_it() {
    let make = || {
        let mut world = World::new(&Settings::default()).unwrap();
        let health = world.register_manager("Health", Dense::<Health>::new()).unwrap();
        let scene = Scene::parse_with("yard.ron", YARD, &world.kinds()).unwrap();
        world.add_scene(&scene).unwrap();
        (world, health)
    };
    let (mut world, health) = make();
    run(&mut world, 3);
    world.start_recording(EVERY_STEP);
    let safe = named(&world, "safe");
    world.add_component(safe, "Health", "health").unwrap();
    world.step();
    world
        .manager_mut::<Dense<Health>>(health)
        .unwrap()
        .newest_mut(safe)
        .unwrap()
        .points = 7;
    world.step();
    let refused = world.register_manager("Another", Dense::<Health>::new());
    assert!(matches!(refused, Err(WorldError::NotRecorded(_))), "{refused:?}");
    let recording = WorldRecording::open(world.end_recording()).unwrap();
    let error = recording.player().unwrap_err();
    assert!(matches!(error, RecordingError::Unknown { .. }), "{error}");
    assert!(error.to_string().contains("managers of a game's own"), "{error}");
    let mut player = recording.player_in(make().0).unwrap();
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(player.first_difference(), None);
    assert!(player.world().save() == world.save());
    assert!(recording.player_in(yard()).is_err(), "without the manager");
    // Of a scene, a while after.
    let mut world = yard();
    run(&mut world, 50);
    world.start_recording(EVERY_STEP);
    run(&mut world, 20);
    let file = world.end_recording();
    check(&world, file);
}

/// A build may have its managers in another order, or under other names.
#[test]
fn a_manager_that_was_handed_out_is_recorded_by_its_name() {
    let make = |names: [&str; 2]| {
        let mut world = World::new(&Settings::default()).unwrap();
        for name in names {
            world.register_manager(name, Dense::<Health>::new()).unwrap();
        }
        let scene = Scene::parse_with("yard.ron", YARD, &world.kinds()).unwrap();
        world.add_scene(&scene).unwrap();
        world
    };
    let points = |world: &World, manager: &str| {
        let id = world.entities().manager_id(manager).unwrap();
        let health = world.manager::<Dense<Health>>(id).unwrap();
        health.newest(named(world, "safe")).map(|health| health.points)
    };
    let mut world = make(["Health", "Armor"]);
    world.start_recording(EVERY_STEP);
    let safe = named(&world, "safe");
    for manager in ["Health", "Armor"] {
        world
            .add_component(safe, manager, &manager.to_lowercase())
            .unwrap();
    }
    for (manager, points) in [("Health", 7), ("Armor", 30)] {
        let id = world.entities().manager_id(manager).unwrap();
        let health = world.manager_mut::<Dense<Health>>(id).unwrap();
        health.newest_mut(safe).unwrap().points = points;
        world.step();
    }
    let recording = WorldRecording::open(world.end_recording()).unwrap();

    let mut player = recording.player_in(make(["Armor", "Health"])).unwrap();
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(
        ["Health", "Armor"].map(|name| points(player.world(), name)),
        [Some(7), Some(30)]
    );

    let mut renamed = make(["Armor", "Vigor"]);
    let vigor = renamed.entities().manager_id("Vigor").unwrap();
    renamed.manager_was(vigor, "Health").unwrap();
    let mut player = recording.player_in(renamed).unwrap();
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(
        ["Vigor", "Armor"].map(|name| points(player.world(), name)),
        [Some(7), Some(30)]
    );
    let refused = {
        let mut world = make(["Armor", "Vigor"]);
        world.start_recording(EVERY_STEP);
        world.manager_was(vigor, "Health")
    };
    assert!(matches!(refused, Err(WorldError::NotRecorded(_))), "{refused:?}");

    // Without that manager the error names it.
    let error = recording.player_in(make(["Armor", "Vigor"])).unwrap_err();
    assert!(
        error.to_string().contains("there is no manager `Health` here"),
        "{error}"
    );
}

/// Of assets with one name that of the scene that was added last counts, in a world that goes back too.
#[test]
fn scenes_come_back_in_the_order_in_which_they_were_added() {
    let text = |placed: &str, friction: &str| {
        format!(
            r#"(materials: {{"ice": (friction: {friction})}}, entities: {{"dot": {{}}}}, place: [One(name: "{placed}", entity: "dot")])"#
        )
    };
    let scene = |file: &str, friction: &str| Scene::parse(file, &text(&file[..1], friction)).unwrap();
    let friction = |world: &World| world.assets().material("ice").unwrap().value("friction").cloned();
    let mut world = yard();
    world.add_scene(&scene("z.ron", "0.25")).unwrap();
    world.add_scene(&scene("a.ron", "0.5")).unwrap();
    let frame = world.frame();
    let mut file = {
        world.start_recording(EVERY_STEP);
        world.step();
        world.add_scene(&scene("m.ron", "0.75")).unwrap();
        world.step();
        assert_eq!(friction(&world), Some(Value::F32(0.75)));
        // From before the recording, and with other scenes: recorded with all definitions.
        world.restore_frame(&frame);
        world.take_recording()
    };
    world
        .reload(AssetKind::Scene, "z.ron", &text("z", "0.125"))
        .unwrap();
    world.step();
    file.extend(world.end_recording());
    assert_eq!(friction(&world), Some(Value::F32(0.5)), "the last scene's");
    let recording = WorldRecording::open(file).unwrap();
    let mut like = yard();
    like.add_scene(&scene("z.ron", "0.25")).unwrap();
    like.add_scene(&scene("a.ron", "0.5")).unwrap();
    let mut player = recording.player_in(like).unwrap();
    let mut names = BTreeSet::new();
    while let Some(call) = player.next_call().unwrap() {
        names.insert(call.name());
        player.play(call, &Inline).unwrap();
    }
    assert!(names.contains("RestoreDefined"), "{names:?}");
    assert_eq!(player.first_difference(), None);
    assert_eq!(friction(player.world()), Some(Value::F32(0.5)));
}

#[test]
fn a_world_whose_physics_is_another_world_is_recorded() {
    let mut world = yard();
    world.start_recording(EVERY_STEP);
    run(&mut world, 2);
    let mut other = PhysicsWorld::new(&WorldDef::default()).unwrap();
    other.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    *world.physics_mut() = other;
    run(&mut world, 2);
    let file = world.end_recording();
    check(&world, file);
}

/// A component that cannot be copied while this is set.
static ARMED: AtomicBool = AtomicBool::new(false);

#[derive(Debug, Default)]
struct Bomb;

impl Clone for Bomb {
    fn clone(&self) -> Self {
        assert!(!ARMED.load(Ordering::Relaxed), "it must not be copied");
        Self
    }
}

impl Component for Bomb {
    fn schema() -> Schema<Self> {
        Schema::new()
    }
}

#[test]
fn a_call_that_panics_in_a_games_own_code_leaves_the_recording_on() {
    let mut world = yard();
    world.register_manager("Bomb", Dense::<Bomb>::new()).unwrap();
    let safe = named(&world, "safe");
    world.add_component(safe, "Bomb", "bomb").unwrap();
    world.start_recording(EVERY_STEP);
    ARMED.store(true, Ordering::Relaxed);
    // A call that keeps a copy of the world for the case that it is refused.
    let caught = catch_unwind(AssertUnwindSafe(|| world.define(Vec::new())));
    ARMED.store(false, Ordering::Relaxed);
    assert!(caught.is_err() && world.is_recording());
    world.step();
    let recording = WorldRecording::open(world.end_recording()).unwrap();
    assert_eq!(recording.steps(), 1);
}

#[test]
fn scenes_with_scripts_joints_and_fields_play_as_they_ran() {
    for text in [
        include_str!("../../../cli/scenes/orchard.ron"),
        include_str!("../../../cli/scenes/machines.ron"),
        include_str!("../../../cli/scenes/fluids.ron"),
        include_str!("../../../cli/scenes/harbour.ron"),
        include_str!("../../../cli/scenes/platformer.ron"),
    ] {
        let mut world = World::from_scene(&Scene::parse("scene.ron", text).unwrap()).unwrap();
        world.start_recording(RecordOptions::default());
        run(&mut world, 100);
        let file = world.end_recording();
        check(&world, file);
    }
}

#[test]
fn a_player_says_where_results_began_to_differ_and_the_difference_has_a_name() {
    let mut world = yard();
    world.start_recording(EVERY_STEP);
    run(&mut world, 20);
    let recording = WorldRecording::open(world.end_recording()).unwrap();
    let mut player = recording.player_at(10, &Inline).unwrap();
    let safe = named(player.world(), "safe");
    player
        .world_mut()
        .set(safe, "body.linear_damping", Value::F32(0.75))
        .unwrap();
    let difference = world.first_difference(player.world()).unwrap();
    assert!(difference.entity.is_some() && difference.physics.is_some());
    while player.play_step(&Inline).unwrap() {}
    assert_eq!(player.first_difference(), Some([10, 11]));
    let mut other = world.clone();
    other.set(safe, "hull.user_name", Value::F32(1.0)).unwrap_err();
    let look = named(&other, "cart/lamp");
    other.set(look, "look.layer", Value::I32(4)).unwrap();
    let difference = world.first_difference(&other).unwrap();
    assert_eq!(
        difference.to_string(),
        format!(
            "entity cart/lamp ({}v{}): look.layer is I32(3), and I32(4)",
            look.index(),
            look.generation()
        )
    );
    assert_eq!(world.first_difference(&world.clone()), None);

    // What players want is named too: its value, and whether that is new.
    let mut wanted = world.clone();
    wanted.set_action("jump", 1.0).unwrap();
    wanted.set_action("aim", 0.25).unwrap();
    let text = world.first_difference(&wanted).unwrap().to_string();
    assert_eq!(text, "action aim is never set, and 0.25");
    world.set_action("aim", 0.25).unwrap();
    let action = world.first_difference(&wanted).unwrap().action.unwrap();
    assert_eq!((&*action.name, &*action.values[1]), ("jump", "1.0, pressed"));
}

#[test]
fn a_scene_with_another_seed_plays_from_its_text() {
    let text = YARD.replacen("(", "( // Another seed than this one.", 1);
    let scene = Scene::parse("yard.ron", &text).unwrap();
    for seed in [scene.settings().seed, 0, u64::MAX] {
        let mut world = World::from_scene_with_seed(&scene, seed).unwrap();
        world.start_recording(EVERY_STEP);
        run(&mut world, 20);
        let file = world.end_recording();
        check(&world, file.clone());
        let player = WorldRecording::open(file).unwrap();
        let again = player.player().unwrap();
        let made = World::from_scene_with_seed(&scene, seed).unwrap();
        assert!(again.world().save() == made.save());
    }
    let seeds = [1, 2].map(|seed| World::from_scene_with_seed(&scene, seed).unwrap().state_hash());
    assert_ne!(seeds[0], seeds[1]);
}

/// A scene whose resource is spawned by the program, and a script that pushes what has it.
const DEFINED: &str = r#"(
    materials: {"wood": (density: 1)},
    scripts: {"push": "fn on_tick(s) {}"},
    entities: {
        "ball": {
            "body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5), material: "wood"),
            "mind": Script(name: "push"),
        },
    },
    place: [One(name: "first", entity: "ball", at: (0, 9))],
)"#;

fn defined() -> World {
    World::from_scene(&Scene::parse("defined.ron", DEFINED).unwrap()).unwrap()
}

/// A change of a world's definitions, and its name.
type NamedChange<'a> = (&'a str, &'a dyn Fn(&mut World));

/// The resource `ball` with another damping.
fn damped_ball(world: &World) -> ResourceDefinition {
    let mut ball = world.library().get("ball").unwrap().clone();
    let body = ball.components.iter_mut().find(|part| &*part.manager == "Body");
    let damping = ("linear_damping".into(), Value::F32(5.0));
    body.unwrap().values.push(damping);
    ball
}

fn define_damped(world: &mut World) {
    drop(world.define(vec![damped_ball(world)]).unwrap());
}

fn define_another(world: &mut World) {
    let ball = ResourceDefinition {
        name: "another".into(),
        ..damped_ball(world)
    };
    drop(world.define(vec![ball]).unwrap());
}

#[test]
fn a_world_that_was_defined_anew_before_the_recording_plays_only_in_a_world_like_it() {
    // The same resource of a heavier material, and one more placed.
    let heavier = DEFINED
        .replace("density: 1", "density: 7")
        .replace("first", "second");
    let heavier = Scene::parse("heavier.ron", &heavier).unwrap();
    let changes: [NamedChange<'_>; 3] = [
        ("define", &define_damped),
        ("define a new resource", &define_another),
        ("add_scene", &|world| world.add_scene(&heavier).unwrap()),
    ];
    for (name, change) in changes {
        let mut world = defined();
        let first = named(&world, "first");
        world.despawn(first).unwrap();
        change(&mut world);
        let like = world.clone();
        world.start_recording(EVERY_STEP);
        world.spawn("ball", &SpawnDef::default()).unwrap();
        run(&mut world, 3);
        drop(world.reload(AssetKind::Material, "wood", "(density: 9)"));
        run(&mut world, 3);
        let recording = WorldRecording::open(world.end_recording()).unwrap();
        let error = recording.player().unwrap_err();
        assert!(matches!(error, RecordingError::Unknown { .. }), "{name}: {error}");
        let mut player = recording.player_in(like).unwrap();
        while player.play_step(&Inline).unwrap() {}
        assert_eq!(player.first_difference(), None, "{name}");
        assert_eq!(player.world().state_hash(), world.state_hash(), "{name}");
    }
    // Nothing is lost by a definition that is as before.
    let mut world = defined();
    world
        .define(vec![world.library().get("ball").unwrap().clone()])
        .unwrap();
    world.start_recording(EVERY_STEP);
    run(&mut world, 3);
    let file = world.end_recording();
    check(&world, file);
}

#[test]
fn a_frame_from_before_a_definition_brings_the_older_one_back_in_a_player() {
    let more = r#"(materials: {"iron": (density: 8)}, entities: {"rod": {"body": Body(kind: Dynamic)}},
        place: [One(name: "rod", entity: "rod")])"#;
    let changes: [NamedChange<'_>; 5] = [
        ("define", &define_damped),
        ("define a new resource", &define_another),
        ("add_scene", &|world| {
            world.add_scene(&Scene::parse("more.ron", more).unwrap()).unwrap();
        }),
        ("reload", &|world| {
            drop(world.reload(AssetKind::Material, "wood", "(density: 4)").unwrap());
        }),
        ("reload of a script", &|world| {
            let text = "fn on_tick(s) { apply_impulse(me(), vec2(1, 0)); }";
            drop(world.reload(AssetKind::Script, "push", text).unwrap());
        }),
    ];
    for (name, change) in changes {
        for is_reloaded_before in [false, true] {
            let mut world = defined();
            world.start_recording(EVERY_STEP);
            if is_reloaded_before {
                drop(
                    world
                        .reload(AssetKind::Material, "wood", "(friction: 0.25)")
                        .unwrap(),
                );
            }
            let old = world.frame();
            // So many frames that a player has forgotten the first.
            (0..70).for_each(|_| drop(world.frame()));
            change(&mut world);
            world.step();
            world.restore_frame(&old);
            world.spawn("ball", &SpawnDef::default()).unwrap();
            world.step();
            drop(world.reload(AssetKind::Material, "wood", "(density: 3)").unwrap());
            world.spawn("ball", &SpawnDef::default()).unwrap();
            world.step();
            let file = world.end_recording();
            check(&world, file);
            let names = ["ball", "another", "rod"].map(|resource| world.library().get(resource).is_some());
            assert_eq!(names, [true, false, false], "{name}");
        }
    }
}

#[test]
fn commands_that_are_still_to_come_are_no_difference() {
    let world = yard();
    let other = world.clone();
    world
        .inbox(1)
        .send(Command::Despawn(EntityRef::from("cart")))
        .unwrap();
    assert_ne!(world.state_hash(), other.state_hash());
    assert_eq!(world.first_difference(&other), None, "a player has none of them");
}

#[test]
fn who_was_placed_stays_in_place_when_definitions_are_replaced_after_a_frame() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {"ball": {"place": Transform(), "cargo": Tag()}},
        place: [One(name: "ball", entity: "ball", at: (2, 0))],
    )"#;
    let scene = Scene::parse("ball.ron", text).unwrap();
    let mut world = World::from_scene(&scene).unwrap();
    let frame = world.frame();
    world.start_recording(EVERY_STEP);
    let other = ResourceDefinition::new("other").component("cargo", "Tag", []);
    world.define(vec![other]).unwrap();
    world.step();
    world.restore_frame(&frame);
    world.step();
    let place = [("position", Value::Vec2(Vec2::new(5.0, 0.0)))];
    let ball = ResourceDefinition::new("ball").component("place", "Transform", place);
    world.define(vec![ball.component("cargo", "Tag", [])]).unwrap();
    world.step();
    let ball = world.find("ball").unwrap();
    assert_eq!(world.pose(ball).unwrap().position, Vec2::new(2.0, 0.0));
    let file = world.end_recording();
    check(&world, file);
}

/// A player replaces a manager that a program was handed by the recorded one, whose values may have other places: which Transform
/// follows which body must be found anew.
#[test]
fn transforms_that_were_handed_out_follow_their_bodies_when_played() {
    let mut world = World::new(&Settings::default()).unwrap();
    let scenery = [(); 3].map(|()| world.create(None).unwrap());
    for x in 0..4_u8 {
        let falling = world.create(None).unwrap();
        let pose = Pose::new(Vec2::new(3.0 * f32::from(x), 9.0), 0.3);
        world.teleport(falling, pose).unwrap();
        for (manager, name) in [("Body", "body"), ("Collider", "skin")] {
            world.add_component(falling, manager, name).unwrap();
        }
        world
            .set(falling, "body.kind", Value::String("Dynamic".into()))
            .unwrap();
    }
    world.start_recording(EVERY_STEP);
    for gone in scenery {
        for steps in [2, 1, 2] {
            let transforms: &mut Dense<Transform> = world.manager_mut(TRANSFORM).unwrap();
            assert!(!transforms.values().is_empty());
            run(&mut world, steps);
        }
        world.despawn(gone).unwrap();
        run(&mut world, 1);
    }
    let file = world.end_recording();
    let calls = check(&world, file);
    assert!(calls.contains("ReplaceManager"), "{calls:?}");
}
