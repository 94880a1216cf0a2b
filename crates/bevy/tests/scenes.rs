//! Scene files of the engine as assets.
#![allow(missing_docs)]

mod support;

use std::path::{Path, PathBuf};
use std::time::Duration;

use bevy_app::{App, First, Last, PreUpdate, Update};
use bevy_asset::{AssetPlugin, AssetServer, Assets, Handle, LoadState};
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::observer::On;
use bevy_ecs::prelude::{Commands, Entity, Name, Res, ResMut, Resource};
use bevy_ecs::schedule::ScheduleLabel;
use bevy_time::{Fixed, Time};
use bevy_tombolo::physics::ContactRule;
use bevy_tombolo::{
    Body, CharacterState, ContactRules, FaultReason, PhysicsScene, PhysicsScenePlugin, Rollback, SceneRoot,
    SceneSettings, SceneSpawned,
};
use bevy_transform::components::Transform;
use support::{body_at, physics};
use tombolo::component::{CHARACTER, FIELD};
use tombolo::entity::Dense;

#[derive(Resource, Default)]
struct Spawned(usize);

/// An app whose assets are in a folder.
fn scene_app(folder: &Path) -> App {
    let mut app = support::app();
    let assets = AssetPlugin {
        file_path: folder.to_string_lossy().into_owned(),
        ..AssetPlugin::default()
    };
    app.add_plugins((assets, PhysicsScenePlugin));
    app.init_resource::<Spawned>();
    app.add_observer(|_: On<SceneSpawned>, mut spawned: ResMut<Spawned>| spawned.0 += 1);
    app
}

/// Frames until the scenes of the app have been spawned a number of times.
fn until_spawned(app: &mut App, times: usize) {
    for _ in 0..2000 {
        app.update();
        if app.world().resource::<Spawned>().0 == times {
            app.update();
            return;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("it was not spawned within ten seconds");
}

fn root(app: &mut App, file: &'static str) -> (Entity, Handle<PhysicsScene>) {
    let handle = app.world().resource::<AssetServer>().load(file);
    let root = app.world_mut().spawn(SceneRoot(handle.clone())).id();
    (root, handle)
}

fn named(app: &mut App, name: &str) -> Option<Entity> {
    let world = app.world_mut();
    let mut names = world.query::<(Entity, &Name)>();
    names
        .iter(world)
        .find(|(_, is)| is.as_str() == name)
        .map(|(entity, _)| entity)
}

fn shipped() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes")
}

#[test]
fn scenes_that_ship_are_spawned_whole() {
    for file in ["playground.ron", "machines.ron", "platformer.ron", "fluids.ron"] {
        let mut app = scene_app(&shipped());
        let (_, handle) = root(&mut app, file);
        until_spawned(&mut app, 1);
        // What is told of the shipped scenes is what each has beside bodies, joints and tiles.
        let reasons: Vec<FaultReason> = support::faults(&app)
            .into_iter()
            .map(|fault| fault.reason)
            .collect();
        assert!(
            reasons
                .iter()
                .all(|reason| matches!(reason, FaultReason::LeftOut(_))),
            "{file}: {reasons:?}"
        );
        let scenes = app.world().resource::<bevy_asset::Assets<PhysicsScene>>();
        let world = tombolo::World::from_scene(&scenes.get(&handle).unwrap().scene).unwrap();
        let [there, here] = [world.physics(), physics(&app).world()];
        let fields: Option<&Dense<tombolo::component::Field>> = world.entities().manager(FIELD);
        let fields = fields.map_or(0, |fields| fields.values().len());
        assert_eq!(here.fields().count(), fields, "{file}");
        let characters: Option<&Dense<tombolo::component::Character>> = world.entities().manager(CHARACTER);
        let owners = characters.into_iter().flat_map(Dense::owners);
        // Each of them has a body here.
        let bodiless = owners.filter(|(entity, _)| world.body(*entity).is_none()).count();
        assert_eq!(here.bodies().len(), there.bodies().len() + bodiless, "{file}");
        assert_eq!(here.shapes().len(), there.shapes().len(), "{file}");
        assert_eq!(here.joints().len(), there.joints().len(), "{file}");
        assert_eq!(here.tile_grids().len(), there.tile_grids().len(), "{file}");
        assert!(here.contact_rules().eq(there.contact_rules()), "{file}");
        assert!(here.bodies().len() > 10);
    }
}

const ONE: &str = r#"(
    materials: {"plank": (number: 1)},
    rules: [(first: 1, one_way: (0, 1))],
    entities: {
        "ball": {"body": Body(kind: Dynamic), "disc": Collider(shape: Circle(radius: 0.5), material: "plank")},
    },
    place: [One(name: "ball", entity: "ball", at: (1, 5))],
)"#;

#[test]
fn a_file_that_changes_is_spawned_anew_and_one_that_breaks_is_not() {
    let folder = std::env::temp_dir().join(format!("tombolo-bevy-scenes-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("level.scene.ron");
    let write = |text: &str| std::fs::write(&file, text).unwrap();
    write(ONE);
    let mut app = scene_app(&folder);
    let (level, handle) = root(&mut app, "level.scene.ron");
    app.world_mut()
        .entity_mut(level)
        .insert(Transform::from_xyz(10.0, 0.0, 0.0));
    until_spawned(&mut app, 1);
    let ball = named(&mut app, "ball").expect("the scene names it");
    assert_eq!(body_at(&app, ball).x, 11.0);
    assert_eq!(support::get::<Body>(&app, ball), Body::Dynamic);
    assert_eq!(app.world().resource::<ContactRules>().contact_rules().len(), 1);
    let reload = |app: &App| app.world().resource::<AssetServer>().reload("level.scene.ron");
    write(
        &ONE.replace("(1, 5)", "(2, 5)")
            .replace("rules: [(first: 1, one_way: (0, 1))],", ""),
    );
    reload(&app);
    until_spawned(&mut app, 2);
    assert!(app.world().get_entity(ball).is_err(), "the old one is gone");
    let ball = named(&mut app, "ball").unwrap();
    assert_eq!(body_at(&app, ball).x, 12.0);
    assert_eq!(physics(&app).world().bodies().len(), 1);
    assert_eq!(app.world().resource::<ContactRules>().contact_rules().len(), 0);
    write("( entities: ");
    reload(&app);
    for _ in 0..2000 {
        app.update();
        let state = app.world().resource::<AssetServer>().load_state(&handle);
        if matches!(state, LoadState::Failed(_)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(app.world().resource::<Spawned>().0, 2);
    assert!(
        app.world().get_entity(ball).is_ok(),
        "a broken file leaves what is there"
    );
    write(ONE);
    reload(&app);
    until_spawned(&mut app, 3);
    assert_eq!(app.world().resource::<ContactRules>().contact_rules().len(), 1);
    app.world_mut().despawn(level);
    app.update();
    assert_eq!(physics(&app).world().bodies().len(), 0);
    assert!(named(&mut app, "ball").is_none());
    assert_eq!(app.world().resource::<ContactRules>().contact_rules().len(), 0);
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_root_that_goes_leaves_the_rules_of_others_and_of_the_game() {
    let folder = std::env::temp_dir().join(format!("tombolo-bevy-rules-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("level.scene.ron"), ONE).unwrap();
    std::fs::write(
        folder.join("other.scene.ron"),
        ONE.replace("(0, 1))]", "(1, 0))]"),
    )
    .unwrap();
    let mut app = scene_app(&folder);
    let own = ContactRule {
        ignore: true,
        ..ContactRule::default()
    };
    let one_way = |x, y| ContactRule {
        one_way: Some(bevy_math::Vec2::new(x, y)),
        ..ContactRule::default()
    };
    let rules = |app: &App| -> Vec<ContactRule> {
        let rules = app.world().resource::<ContactRules>().contact_rules();
        rules.map(|(_, rule)| rule).collect()
    };
    let any = bevy_tombolo::physics::ANY_MATERIAL;
    app.world_mut()
        .resource_mut::<ContactRules>()
        .set_contact_rule(1, any, own);
    let mut roots = Vec::new();
    for file in ["level.scene.ron", "level.scene.ron", "other.scene.ron"] {
        roots.push(root(&mut app, file).0);
        until_spawned(&mut app, roots.len());
    }
    assert_eq!(rules(&app), [one_way(1.0, 0.0)]);
    let [first, second, third] = roots[..] else {
        panic!("there are three");
    };
    for (root, left) in [
        (first, one_way(1.0, 0.0)),
        (third, one_way(0.0, 1.0)),
        (second, own),
    ] {
        app.world_mut().despawn(root);
        app.update();
        assert_eq!(rules(&app), [left]);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

const LIVELY: &str = r#"(
    materials: {"wood": (density: 0.5)},
    entities: {
        "raft": {"body": Body(kind: Dynamic), "planks": Collider(shape: Box(width: 4, height: 1), material: "wood"), "sail": Field(kind: Gravity, shape: Box(width: 2, height: 2), acceleration: (1, 0))},
        "pool": {"water": Field(kind: Fluid, shape: Box(width: 20, height: 10), density: 1, viscosity: 1)},
        "floor": {"body": Body(kind: Static), "box": Collider(shape: Box(width: 20, height: 2))},
        "hero": {"legs": Character(height: 1.6, move: 2)},
        "guard": {"body": Body(kind: Kinematic), "skin": Collider(shape: Circle(radius: 0.4)), "legs": Character(height: 1.2)},
        "statue": {"legs": Character(enabled: false)},
    },
    place: [
        One(name: "raft", entity: "raft", at: (0, 1)), One(name: "pool", entity: "pool", at: (0, -5)),
        One(name: "floor", entity: "floor", at: (40, -1)),
        One(name: "hero", entity: "hero", at: (35, 1)), One(name: "guard", entity: "guard", at: (45, 1)),
        One(name: "statue", entity: "statue", at: (0, 20)),
    ],
)"#;

#[test]
fn fields_and_characters_of_a_scene_do_what_they_do_in_the_engine() {
    let folder = std::env::temp_dir().join(format!("tombolo-bevy-lively-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("lively.scene.ron"), LIVELY).unwrap();
    let scene = tombolo::Scene::parse("lively", LIVELY).unwrap();
    let mut world = tombolo::World::from_scene(&scene).unwrap();
    let mut app = scene_app(&folder);
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    app.init_resource::<LeftOut>();
    app.add_observer(|spawned: On<SceneSpawned>, mut left_out: ResMut<LeftOut>| {
        left_out.0.push(spawned.left_out.clone());
    });
    let (level, _) = root(&mut app, "lively.scene.ron");
    app.world_mut().entity_mut(level).insert(SceneSettings);
    until_spawned(&mut app, 1);
    assert_eq!(app.world().resource::<LeftOut>().0, [["Character"]], "the statue");
    let [raft, hero, guard] = ["raft", "hero", "guard"].map(|name| named(&mut app, name).unwrap());
    // The step in which the root was spawned is behind.
    for _ in 0..100 {
        app.update();
    }
    for _ in 0..101 {
        world.step();
    }
    for (name, entity) in [("raft", raft), ("hero", hero), ("guard", guard)] {
        let there = world.pose(world.find(name).unwrap()).unwrap().position;
        let apart = body_at(&app, entity) - there;
        assert!(apart.length() < 1.0e-3, "{name}: {apart} from {there}");
    }
    let at = body_at(&app, raft);
    assert!(
        at.y > -1.5 && at.x > 0.05,
        "the water bears it, and its own field drives it: {at}"
    );
    let state = support::get::<CharacterState>(&app, hero);
    assert!(state.is_grounded() && body_at(&app, hero).x > 36.5, "it walks");
    // The gravity on the raft is where the raft is.
    let fields: Vec<_> = physics(&app).world().fields().collect();
    let places = fields
        .iter()
        .map(|&field| physics(&app).world().field(field).unwrap());
    let raft = body_at(&app, raft);
    let nearest = places.map(|def| (def.position.to_vec2() - raft).length());
    assert!(nearest.fold(f32::INFINITY, f32::min) < 0.2);
    app.world_mut().despawn(level);
    app.update();
    let left = physics(&app).world();
    assert_eq!((left.bodies().len(), left.fields().count()), (0, 0));
    std::fs::remove_dir_all(&folder).unwrap();
}

const WINDY: &str = r#"(
    settings: (gravity: (0, 3), substeps: 6),
    entities: {
        "ball": {"body": Body(kind: Dynamic), "disc": Collider(shape: Circle(radius: 0.5))},
        "wind": {"wind": Field(kind: Wind, shape: Box(width: 40, height: 40), velocity: (20, 0), density: 1)},
        "walker": {"legs": Character(height: 1.6)},
        "mark": {"it": Tag(), "zone": Zone(shape: Box(width: 1, height: 1))},
    },
    place: [
        One(name: "ball", entity: "ball", at: (1, 5)), One(name: "wind", entity: "wind"), One(name: "walker", entity: "walker", at: (9, 9)),
        One(name: "mark", entity: "mark"),
    ],
)"#;

#[derive(Resource, Default)]
struct LeftOut(Vec<Vec<&'static str>>);

#[test]
fn settings_are_applied_where_asked_and_what_is_left_out_is_named() {
    let folder = std::env::temp_dir().join(format!("tombolo-bevy-windy-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("windy.scene.ron"), WINDY).unwrap();
    for asks in [false, true] {
        let mut app = scene_app(&folder);
        app.init_resource::<LeftOut>();
        app.add_observer(|spawned: On<SceneSpawned>, mut left_out: ResMut<LeftOut>| {
            left_out.0.push(spawned.left_out.clone());
        });
        let before = physics(&app).world().def();
        let (level, _) = root(&mut app, "windy.scene.ron");
        if asks {
            app.world_mut().entity_mut(level).insert(SceneSettings);
        }
        until_spawned(&mut app, 1);
        let def = physics(&app).world().def();
        if asks {
            assert_eq!((def.gravity.y, def.substeps), (3.0, 6));
        } else {
            assert_eq!(def, before);
        }
        let named = &app.world().resource::<LeftOut>().0[..];
        let expected: &[&str] = if asks { &["Zone"] } else { &["Zone", "Settings"] };
        assert_eq!(named, [expected.to_vec()]);
        let ball = self::named(&mut app, "ball").unwrap();
        support::steps(&mut app, 30);
        assert_eq!(
            body_at(&app, ball).y > 5.0,
            asks,
            "the gravity is the file's where it was asked for"
        );
        app.world_mut().despawn(level);
        app.update();
        assert_eq!(physics(&app).world().bodies().len(), 0);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// A file that changes between a save and going back: what was spawned anew has bodies, what is gone has none, and later entities
/// get keys of their own.
#[test]
fn a_scene_that_is_reloaded_while_a_rollback_is_under_way_is_the_new_one() {
    let folder = std::env::temp_dir().join(format!("tombolo-bevy-reload-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("level.scene.ron");
    std::fs::write(&file, ONE).unwrap();
    let mut app = scene_app(&folder);
    root(&mut app, "level.scene.ron");
    until_spawned(&mut app, 1);
    support::steps(&mut app, 5);
    let saved = app.world_mut().save_physics();
    std::fs::write(&file, ONE.replace("(1, 5)", "(2, 5)")).unwrap();
    app.world().resource::<AssetServer>().reload("level.scene.ron");
    until_spawned(&mut app, 2);
    for times in 1..4 {
        app.world_mut().restore_physics(&saved);
        support::steps(&mut app, 3);
        assert_eq!(support::faults(&app), []);
        let ball = named(&mut app, "ball").expect("the new one");
        assert_eq!(body_at(&app, ball).x, 2.0);
        assert_eq!(physics(&app).world().bodies().len(), times);
        // Another one each time, that was not there at the save either.
        support::ball(&mut app, 30.0 + times as f32, 5.0);
        support::steps(&mut app, 1);
        assert_eq!(support::faults(&app), []);
        assert_eq!(physics(&app).world().bodies().len(), times + 1);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

fn all_named(app: &mut App, name: &str) -> Vec<Entity> {
    let world = app.world_mut();
    let mut names = world.query::<(Entity, &Name)>();
    let named = names.iter(world).filter(|(_, is)| is.as_str() == name);
    named.map(|(entity, _)| entity).collect()
}

/// The contents of a cloned root are its own, once: copies as they were, if they were cloned with it.
#[test]
fn a_clone_of_a_root_has_the_scene_once() {
    for is_linked in [false, true] {
        let folder = std::env::temp_dir().join(format!("tombolo-bevy-cloned-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = folder.join("level.scene.ron");
        std::fs::write(&file, ONE).unwrap();
        let mut app = scene_app(&folder);
        let (level, _) = root(&mut app, "level.scene.ron");
        until_spawned(&mut app, 1);
        let ball = named(&mut app, "ball").unwrap();
        app.world_mut().get_mut::<Transform>(ball).unwrap().translation.x = 3.0;
        support::steps(&mut app, 2);
        let clone = app
            .world_mut()
            .entity_mut(level)
            .clone_and_spawn_with_opt_out(move |builder| {
                builder.linked_cloning(is_linked);
            });
        app.world_mut()
            .entity_mut(clone)
            .insert(Transform::from_xyz(20.0, 0.0, 0.0));
        support::steps(&mut app, 3);
        let bodies = |app: &App| physics(app).world().bodies().len();
        assert_eq!(bodies(&app), 2, "linked: {is_linked}");
        let balls = all_named(&mut app, "ball");
        assert_eq!(balls.len(), 2);
        let cloned = *balls.iter().find(|&&one| one != ball).unwrap();
        let expected = if is_linked { 23.0 } else { 21.0 };
        assert_eq!(body_at(&app, cloned).x, expected);
        assert_eq!(app.world().resource::<ContactRules>().contact_rules().len(), 1);
        // The rules are the clone's too.
        app.world_mut().despawn(level);
        support::steps(&mut app, 2);
        assert_eq!(app.world().resource::<ContactRules>().contact_rules().len(), 1);
        assert_eq!(bodies(&app), 1);
        // A changed file takes the place of the copies.
        let spawned = app.world().resource::<Spawned>().0;
        std::fs::write(&file, ONE.replace("(1, 5)", "(2, 5)")).unwrap();
        app.world().resource::<AssetServer>().reload("level.scene.ron");
        until_spawned(&mut app, spawned + 1);
        assert_eq!(bodies(&app), 1);
        let ball = named(&mut app, "ball").unwrap();
        assert_eq!(body_at(&app, ball).x, 22.0);
        app.world_mut().despawn(clone);
        support::steps(&mut app, 2);
        assert_eq!(bodies(&app), 0);
        assert_eq!(app.world().resource::<ContactRules>().contact_rules().len(), 0);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

/// A root that is disabled while its file comes, or changes, has the scene when it no longer is.
#[test]
fn a_disabled_root_has_its_scene_when_it_is_enabled() {
    let mut app = scene_app(&std::env::temp_dir());
    let handle = app.world().resource::<Assets<PhysicsScene>>().reserve_handle();
    let level = app.world_mut().spawn((SceneRoot(handle.clone()), Disabled)).id();
    let insert = |app: &mut App, text: &str| {
        let scene = tombolo::Scene::parse("one", text).unwrap();
        let mut scenes = app.world_mut().resource_mut::<Assets<PhysicsScene>>();
        scenes.insert(&handle, PhysicsScene { scene }).unwrap();
        support::steps(app, 3);
    };
    insert(&mut app, ONE);
    assert_eq!(app.world().resource::<Spawned>().0, 0);
    app.world_mut().entity_mut(level).remove::<Disabled>();
    support::steps(&mut app, 3);
    assert_eq!(app.world().resource::<Spawned>().0, 1);
    app.world_mut().entity_mut(level).insert(Disabled);
    insert(&mut app, &ONE.replace("(1, 5)", "(2, 5)"));
    assert_eq!(app.world().resource::<Spawned>().0, 1);
    app.world_mut().entity_mut(level).remove::<Disabled>();
    support::steps(&mut app, 3);
    assert_eq!(app.world().resource::<Spawned>().0, 2);
    let ball = named(&mut app, "ball").unwrap();
    assert_eq!(body_at(&app, ball).x, 2.0);
}

/// The keys of what several roots have do not come from the tables that the roots are in.
#[test]
fn scenes_of_one_frame_are_spawned_in_the_order_of_their_roots() {
    let keys = |in_other_table: usize| {
        let mut app = scene_app(&std::env::temp_dir());
        let handle = app.world().resource::<Assets<PhysicsScene>>().reserve_handle();
        let roots: Vec<Entity> = (0..4)
            .map(|x| {
                let place = Transform::from_xyz(10.0 * x as f32, 0.0, 0.0);
                app.world_mut().spawn((SceneRoot(handle.clone()), place)).id()
            })
            .collect();
        for _ in 0..2 {
            app.world_mut()
                .entity_mut(roots[in_other_table])
                .insert(Name::new("root"));
        }
        let scene = tombolo::Scene::parse("one", ONE).unwrap();
        let mut scenes = app.world_mut().resource_mut::<Assets<PhysicsScene>>();
        scenes.insert(&handle, PhysicsScene { scene }).unwrap();
        support::steps(&mut app, 3);
        let balls = all_named(&mut app, "ball");
        let mut keys: Vec<(u64, f32)> = balls
            .into_iter()
            .map(|ball| (support::link(&app, ball).key(), body_at(&app, ball).x))
            .collect();
        keys.sort_by_key(|(key, _)| *key);
        assert_eq!(keys.len(), 4);
        keys.into_iter().map(|(_, x)| x).collect::<Vec<f32>>()
    };
    let first = keys(0);
    assert!((1..4).all(|table| keys(table) == first));
}

/// A handle, and the frame of the app.
#[derive(Resource)]
struct Late(Handle<PhysicsScene>, usize);

/// The number of spawnings in an app whose root is there in `Update` of the third frame, and whose scene is inserted in each of
/// some frames in a schedule.
fn spawnings(schedule: impl ScheduleLabel, frames: &'static [usize]) -> usize {
    let mut app = scene_app(&std::env::temp_dir());
    let handle = app.world().resource::<Assets<PhysicsScene>>().reserve_handle();
    app.insert_resource(Late(handle, 0));
    app.add_systems(
        schedule,
        move |late: Res<Late>, mut scenes: ResMut<Assets<PhysicsScene>>| {
            if frames.contains(&late.1) {
                let scene = tombolo::Scene::parse("one", ONE).unwrap();
                scenes.insert(&late.0, PhysicsScene { scene }).unwrap();
            }
        },
    );
    app.add_systems(Update, |late: Res<Late>, mut commands: Commands| {
        if late.1 == 3 {
            commands.spawn(SceneRoot(late.0.clone()));
        }
    });
    for frame in 1..10 {
        app.world_mut().resource_mut::<Late>().1 = frame;
        app.update();
    }
    assert_eq!(physics(&app).world().bodies().len(), 1);
    app.world().resource::<Spawned>().0
}

/// Bevy tells of an asset some time after it is there.
#[test]
fn a_scene_is_spawned_once_for_each_change_whenever_its_file_is_there() {
    for frames in [&[2], &[3], &[4], &[5]] {
        let counts = [
            spawnings(First, frames),
            spawnings(PreUpdate, frames),
            spawnings(Update, frames),
            spawnings(Last, frames),
        ];
        assert_eq!(counts, [1; 4], "{frames:?}");
    }
    // Known before the root is there, and changed as it comes or later.
    for (frames, in_first, in_last) in [(&[1, 3], 1, 2), (&[1, 4], 2, 2), (&[3, 4], 2, 2)] {
        assert_eq!(spawnings(First, frames), in_first, "{frames:?}");
        assert_eq!(spawnings(PreUpdate, frames), in_first, "{frames:?}");
        assert_eq!(spawnings(Last, frames), in_last, "{frames:?}");
    }
}
