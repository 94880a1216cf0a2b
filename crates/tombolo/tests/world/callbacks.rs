//! Callbacks by name: from a scene, by call, command and script; registered before and after; saved, recorded, missed, refused.

use tombolo::physics::{PairView, PhysicsWorld, RecordOptions, Response};
use tombolo::threads::{Inline, Pool};
use tombolo::{CallbackNames, Command, Scene, World, WorldRecording};

/// A floor, a ghost that falls through it if the filter says so, and a puck that slides on if the pre-solve callback does.
const RINK: &str = r###"(
    settings: (gravity: (0, -10)),
    callbacks: (custom_filter: "ghosts", pre_solve: "ice", categories: 8),
    scripts: {
        "thaw": r##"
            fn on_spawn() { set_timer("thaw", 0.5); }
            fn on_timer(name) { use_callbacks(#{custom_filter: "ghosts", pre_solve: "tar", categories: 8}); }
        "##,
    },
    entities: {
        "floor": {"body": Body(), "box": Collider(shape: Box(width: 60, height: 2), position: (0, -1))},
        "ghost": {"body": Body(kind: Dynamic), "box": Collider(shape: Box(width: 1, height: 1), category: 2)},
        "puck": {
            "body": Body(kind: Dynamic, fixed_rotation: true, linear_velocity: (3, 0)),
            "box": Collider(shape: Box(width: 1, height: 1), category: 8),
        },
        "sun": {"mind": Script(name: "thaw")},
    },
    place: [
        One(name: "floor", entity: "floor"),
        One(name: "ghost", entity: "ghost", at: (-9, 0.5)),
        One(name: "puck", entity: "puck", at: (0, 0.5)),
    ],
)"###;

fn scene() -> Scene {
    Scene::parse("rink.ron", RINK).unwrap()
}

fn no_ghosts(pair: &PairView) -> bool {
    pair.sides.iter().all(|side| side.filter.category != 2)
}

fn ice(pair: &PairView) -> Response {
    let touch = pair.touch.expect("a pre-solve callback is told of it");
    Response {
        friction: 0.0,
        ..touch.usual
    }
}

fn tar(pair: &PairView) -> Response {
    Response {
        friction: 50.0,
        ..ice(pair)
    }
}

fn register(world: &mut World) {
    world.register_custom_filter("ghosts", no_ghosts).unwrap();
    world.register_pre_solve("ice", ice).unwrap();
    world.register_pre_solve("tar", tar).unwrap();
}

fn rink() -> World {
    let mut world = World::from_scene(&scene()).unwrap();
    register(&mut world);
    world
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step());
}

fn names(custom_filter: Option<&str>, pre_solve: Option<&str>) -> CallbackNames {
    CallbackNames {
        custom_filter: custom_filter.map(Into::into),
        pre_solve: pre_solve.map(Into::into),
        categories: if pre_solve.is_some() { 8 } else { u64::MAX },
    }
}

fn has_fallen(world: &World) -> bool {
    let ghost = world.find("ghost").unwrap();
    world.pose(ghost).unwrap().position.y < -0.5
}

/// The puck's speed.
fn speed(world: &World) -> f32 {
    world
        .body(world.find("puck").unwrap())
        .unwrap()
        .linear_velocity()
        .x
}

#[test]
fn a_scene_says_which_callbacks_its_world_uses() {
    assert_eq!(*scene().callbacks(), names(Some("ghosts"), Some("ice")));
    let mut world = World::from_scene(&scene()).unwrap();
    assert_eq!(world.callbacks(), *scene().callbacks());
    assert_eq!(world.missing_callbacks(), world.callbacks());
    world.register_pre_solve("ice", ice).unwrap();
    assert_eq!(world.missing_callbacks(), names(Some("ghosts"), None));
    world.register_custom_filter("ghosts", no_ghosts).unwrap();
    assert!(!world.missing_callbacks().any() && !world.physics().missing_callbacks().any());
    run(&mut world, 90);
    assert!(has_fallen(&world) && (speed(&world) - 3.0).abs() < 1.0e-3);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    // A scene of names of its own leaves those that it says nothing of.
    let other = r#"(
        callbacks: (custom_filter: "nobody"),
        entities: {"mark": {"place": Transform()}},
        place: [One(name: "mark", entity: "mark")],
    )"#;
    world
        .add_scene(&Scene::parse("other.ron", other).unwrap())
        .unwrap();
    assert_eq!(world.callbacks(), names(Some("nobody"), Some("ice")));
}

#[test]
fn a_world_that_misses_one_says_so_once_and_steps_without() {
    let mut world = World::from_scene(&scene()).unwrap();
    run(&mut world, 90);
    assert!(!has_fallen(&world) && speed(&world) < 0.1);
    let [fault] = world.faults() else {
        panic!("{:?}", world.faults());
    };
    assert_eq!(
        &**fault,
        "the world uses the custom filter \"ghosts\" and the pre-solve callback \"ice\", which nobody has registered, and steps without"
    );
    // What was set through physics and is missing is told too.
    let mut unnamed = World::new(&tombolo::Settings::default()).unwrap();
    unnamed.physics_mut().set_custom_filter(no_ghosts);
    let save = unnamed.save();
    unnamed.step();
    assert!(unnamed.faults().is_empty());
    let mut restored = World::new(&tombolo::Settings::default()).unwrap();
    restored.restore(&save).unwrap();
    restored.step();
    assert!(restored.faults()[0].contains("a custom filter without a name"));
}

#[test]
fn saves_hold_the_names_and_go_on_where_the_code_is() {
    let mut world = rink();
    run(&mut world, 20);
    let save = world.save();
    let mut bare = World::from_save(&scene(), &save).unwrap();
    assert_eq!(bare.missing_callbacks(), names(Some("ghosts"), Some("ice")));
    assert_eq!(
        (bare.state_hash(), bare.save()),
        (world.state_hash(), save.clone())
    );
    register(&mut bare);
    // One that uses others, by name or through physics, uses those of the save afterwards.
    let mut other = rink();
    other.use_callbacks(names(None, Some("tar"))).unwrap();
    run(&mut other, 7);
    other.restore(&save).unwrap();
    let mut unnamed = rink();
    unnamed.use_callbacks(CallbackNames::default()).unwrap();
    unnamed.physics_mut().set_pre_solve(u64::MAX, tar);
    unnamed.restore(&save).unwrap();
    run(&mut world, 60);
    for mut restored in [bare, other, unnamed] {
        assert!(!restored.missing_callbacks().any());
        run(&mut restored, 60);
        assert_eq!(restored.state_hash(), world.state_hash());
    }
    assert!(has_fallen(&world) && speed(&world) > 2.9);

    // The code of a name is not taken for what another world has without one.
    let mut nameless = World::from_scene(&scene()).unwrap();
    nameless.use_callbacks(CallbackNames::default()).unwrap();
    nameless.physics_mut().set_custom_filter(|_| true);
    let mut named = rink();
    named.restore(&nameless.save()).unwrap();
    assert!(named.physics().missing_callbacks().custom_filter && !named.missing_callbacks().any());
}

#[test]
fn a_callback_that_physics_has_taken_away_is_not_in_the_save() {
    let mut world = rink();
    world.physics_mut().remove_custom_filter();
    assert_eq!(world.callbacks(), names(None, Some("ice")));
    let restored = World::from_save(&scene(), &world.save()).unwrap();
    assert_eq!(restored.callbacks(), world.callbacks());
    assert_eq!(restored.state_hash(), world.state_hash());
}

#[test]
fn frames_bring_the_names_back() {
    let mut world = rink();
    run(&mut world, 20);
    let frame = world.frame();
    run(&mut world, 60);
    let end = world.state_hash();
    world.use_callbacks(names(None, Some("tar"))).unwrap();
    assert_ne!(world.frame().checksum(), frame.checksum());
    run(&mut world, 5);
    world.restore_frame(&frame);
    assert_eq!(world.frame().checksum(), frame.checksum());
    assert_eq!(world.callbacks(), names(Some("ghosts"), Some("ice")));
    run(&mut world, 60);
    assert_eq!(world.state_hash(), end);
}

#[test]
fn the_callbacks_in_use_are_set_by_a_command_and_part_of_the_state() {
    let mut world = rink();
    let mut by_command = rink();
    let before = world.state_hash();
    world.use_callbacks(names(Some("ghosts"), Some("tar"))).unwrap();
    assert_ne!(world.state_hash(), before, "the name alone is another state");
    let command = Command::UseCallbacks(names(Some("ghosts"), Some("tar")));
    by_command.inbox(3).send(command).unwrap();
    let saved = by_command.save();
    let mut restored = rink();
    restored.restore(&saved).unwrap();
    for world in [&mut world, &mut by_command, &mut restored] {
        run(world, 90);
        assert!(speed(world) < 0.1);
    }
    assert_eq!(by_command.state_hash(), restored.state_hash());
    assert_eq!(world.callbacks(), by_command.callbacks());
    world.use_callbacks(CallbackNames::default()).unwrap();
    assert!(!world.callbacks().any() && !world.physics().callbacks().any());
}

#[test]
fn another_code_of_the_name_is_asked_about_all_contacts() {
    let mut world = rink();
    world.register_custom_filter("ghosts", |_| true).unwrap();
    run(&mut world, 90);
    assert!(!has_fallen(&world));
    world.register_custom_filter("ghosts", no_ghosts).unwrap();
    world.register_pre_solve("ice", tar).unwrap();
    run(&mut world, 90);
    assert!(has_fallen(&world) && speed(&world) < 0.1);
}

#[cfg(feature = "script")]
#[test]
fn scripts_say_which_are_used() {
    let text = RINK.replace(
        "One(name: \"puck\"",
        "One(name: \"sun\", entity: \"sun\"), One(name: \"puck\"",
    );
    let mut world = World::from_scene(&Scene::parse("rink.ron", &text).unwrap()).unwrap();
    register(&mut world);
    run(&mut world, 25);
    assert!(speed(&world) > 2.9);
    run(&mut world, 60);
    assert!(speed(&world) < 0.1);
    assert_eq!(world.callbacks(), names(Some("ghosts"), Some("tar")));
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    for (from, to, why) in [
        (
            "categories: 8}",
            "categories: \"8\"}",
            "categories is no whole number",
        ),
        ("pre_solve: \"tar\"", "presolve: \"tar\"", "pre_solve"),
        ("pre_solve: \"tar\", ", "", "name one in `pre_solve`"),
    ] {
        let text = text.replacen(from, to, 1);
        let mut world = World::from_scene(&Scene::parse("rink.ron", &text).unwrap()).unwrap();
        register(&mut world);
        run(&mut world, 40);
        let faults = format!("{:?}", world.faults());
        assert!(faults.contains(why), "{faults}");
    }
}

#[test]
fn workers_change_nothing() {
    let mut one = rink();
    run(&mut one, 90);
    for workers in [2, 3, 8] {
        let pool = Pool::new(workers).unwrap();
        let mut world = rink();
        (0..90).for_each(|_| world.step_with(&pool));
        assert_eq!(world.state_hash(), one.state_hash(), "{workers} workers");
    }
}

#[test]
fn recordings_play_where_the_same_are_registered() {
    let play = |recording: &WorldRecording, own: Option<World>| {
        let player = own.map_or_else(|| recording.player(), |own| recording.player_in(own));
        player.and_then(|mut player| {
            while player.play_step(&Inline)? {}
            Ok(player.world().state_hash())
        })
    };
    for steps_before in [0, 15] {
        let mut world = rink();
        run(&mut world, steps_before);
        world.start_recording(RecordOptions::default());
        let refused = world.register_custom_filter("late", no_ghosts).unwrap_err();
        assert!(
            refused.to_string().contains("before the recording begins"),
            "{refused}"
        );
        run(&mut world, 20);
        world.use_callbacks(names(None, Some("tar"))).unwrap();
        run(&mut world, 20);
        let recording = WorldRecording::open(world.end_recording()).unwrap();
        let refused = play(&recording, None).unwrap_err().to_string();
        assert!(refused.contains("\"ghosts\""), "{refused}");
        assert_eq!(play(&recording, Some(rink())).unwrap(), world.state_hash());
        let mut half = World::from_scene(&scene()).unwrap();
        half.register_custom_filter("ghosts", no_ghosts).unwrap();
        half.register_pre_solve("ice", ice).unwrap();
        let refused = play(&recording, Some(half)).unwrap_err().to_string();
        assert!(refused.contains("\"tar\""), "{refused}");
    }
}

#[test]
fn names_that_make_no_sense_are_refused_where_they_stand() {
    let section = "(custom_filter: \"ghosts\", pre_solve: \"ice\", categories: 8)";
    let long = format!("(custom_filter: {:?})", "x".repeat(65));
    for (to, why) in [
        ("(custom_filter: \"\")", "1 to 64 bytes"),
        (long.as_str(), "1 to 64 bytes"),
        ("(custom_filter: \"a\", categories: 8)", "pre_solve"),
        ("(custom_filters: \"a\")", "custom_filter"),
        ("(pre_solve: \"a\", categories: 1.5)", "64 bits"),
    ] {
        let text = RINK.replacen(section, to, 1);
        assert_ne!(text, RINK);
        let error = Scene::parse("rink.ron", &text).unwrap_err();
        let message = error.to_string();
        assert!(message.contains(why) && error.line == Some(3), "{to}: {message}");
    }
    let mut world = rink();
    let before = world.state_hash();
    assert!(world.register_custom_filter("", no_ghosts).is_err());
    for wrong in [
        names(Some(""), None),
        CallbackNames {
            categories: 8,
            ..names(Some("ghosts"), None)
        },
    ] {
        assert!(world.use_callbacks(wrong.clone()).is_err());
        assert!(world.apply(Command::UseCallbacks(wrong)).is_err());
    }
    assert_eq!(world.state_hash(), before);
}

/// A save that names a callback which its physics does not use is none that a world has written.
#[test]
fn a_forged_name_is_refused() {
    let world = rink();
    let mut physics: PhysicsWorld = world.physics().clone();
    physics.remove_custom_filter();
    let (used, unused) = (world.physics().save(), physics.save());
    let mut save = world.save();
    // Behind magic and version stands the length of the physics.
    let length = (unused.len() as u64).to_le_bytes();
    assert_eq!(save[20..20 + used.len()], used);
    save.splice(12..20 + used.len(), length.into_iter().chain(unused));
    let body = save.len() - 8;
    let checksum = tombolo::entity::hash_bytes(&save[..body]).to_le_bytes();
    save.splice(body.., checksum);
    let refused = rink().restore(&save).unwrap_err().to_string();
    assert!(refused.contains("callback that is not used"), "{refused}");
}
