//! Pushes along a body's own axes, sleep and waking by command, and the numbers of physics in a scene's settings.

use tombolo::entity::Value;
use tombolo::physics::Vec2;
use tombolo::{Command, Push, Scene, Settings, World};

use crate::run;

/// A square that floats turned by a quarter, two that are welded, of which one is turned likewise, and three crates, two of
/// them side by side.
const FLOATING: &str = r#"(
    settings: (gravity: (0, 0)),
    entities: {
        "rod": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
        },
        "crate": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
        },
        "welded": {
            "body": Body(kind: Dynamic),
            "hull": Collider(shape: Box(width: 1, height: 1)),
            "weld": RigidWeld(to: Entity("left")),
        },
        "nothing": { "place": Transform() },
    },
    place: [
        One(name: "rod", entity: "rod", at: (0, 10), angle: 1.5707964),
        One(name: "left", entity: "rod", at: (0, 20), angle: 1.5707964),
        One(name: "right", entity: "welded", at: (1, 20)),
        One(name: "nothing", entity: "nothing"),
        One(name: "a", entity: "crate", at: (0, 0)),
        One(name: "b", entity: "crate", at: (1, 0)),
        One(name: "alone", entity: "crate", at: (9, 0)),
    ],
)"#;

fn world() -> World {
    World::from_scene(&Scene::parse("floating.ron", FLOATING).unwrap()).unwrap()
}

fn push(world: &mut World, name: &str, push: Push) -> Result<(), String> {
    let entity = name.into();
    let applied = world.apply(Command::Push { entity, push });
    applied.map(|_| ()).map_err(|error| error.to_string())
}

fn velocity(world: &World, name: &str) -> Vec2 {
    world.body(world.find(name).unwrap()).unwrap().linear_velocity()
}

fn is_awake(world: &World, name: &str) -> bool {
    world.body(world.find(name).unwrap()).unwrap().is_awake()
}

#[test]
fn local_pushes_act_along_the_axes_of_the_body() {
    let mut world = world();
    push(&mut world, "rod", Push::LocalImpulse(Vec2::new(2.0, 0.0))).unwrap();
    // The rod's mass is 1 kg, and its own x axis points up.
    let got = velocity(&world, "rod");
    assert!((got - Vec2::new(0.0, 2.0)).length() < 1.0e-5, "{got}");
    push(&mut world, "rod", Push::LocalForce(Vec2::new(0.0, 6.0))).unwrap();
    run(&mut world, 1);
    let got = velocity(&world, "rod");
    assert!((got - Vec2::new(-0.1, 2.0)).length() < 1.0e-4, "{got}");
}

#[test]
fn a_local_push_on_a_welded_entity_is_along_its_own_axes_and_on_its_own_center() {
    let mut world = world();
    push(&mut world, "left", Push::LocalImpulse(Vec2::new(2.0, 0.0))).unwrap();
    let left = world.find("left").unwrap();
    let body = world.body(left).unwrap();
    // Both members weigh 1 kg: 2 N s upward half a meter left of the center of mass. Each square's inertia is 1/6.
    let got = (body.linear_velocity(), body.angular_velocity());
    assert!((got.0 - Vec2::new(0.0, 1.0)).length() < 1.0e-4, "{got:?}");
    let inertia = 2.0 * (1.0 / 6.0 + 0.25);
    assert!((got.1 + 2.0 * 0.5 / inertia).abs() < 1.0e-3, "{got:?}");
}

#[test]
fn a_body_is_put_to_sleep_with_its_island_and_wakes_with_what_it_touches() {
    let mut world = world();
    run(&mut world, 2);
    assert!(is_awake(&world, "a") && is_awake(&world, "b"));
    push(&mut world, "a", Push::Sleep).unwrap();
    assert!(!is_awake(&world, "a") && !is_awake(&world, "b"), "one island");
    assert!(is_awake(&world, "alone"));
    let saved = world.save();
    push(&mut world, "b", Push::WakeTouching).unwrap();
    assert!(is_awake(&world, "a") && is_awake(&world, "b"));
    run(&mut world, 3);
    let scene = Scene::parse("floating.ron", FLOATING).unwrap();
    let mut restored = World::from_save(&scene, &saved).unwrap();
    push(&mut restored, "b", Push::WakeTouching).unwrap();
    run(&mut restored, 3);
    assert_eq!(restored.state_hash(), world.state_hash());
}

#[test]
fn what_may_not_sleep_says_so_and_stays() {
    let mut world = world();
    let a = world.find("a").unwrap();
    world.set(a, "body.allow_sleep", Value::Bool(false)).unwrap();
    run(&mut world, 2);
    let hash = world.state_hash();
    let refused = push(&mut world, "b", Push::Sleep).unwrap_err();
    assert!(refused.contains("it cannot sleep"), "{refused}");
    assert_eq!(world.state_hash(), hash, "a refused command changes nothing");
    let bodiless = push(&mut world, "nothing", Push::Sleep).unwrap_err();
    assert!(bodiless.contains("no Body"), "{bodiless}");
}

#[test]
fn the_numbers_of_physics_are_settings_of_a_scene() {
    let text = r#"(
        settings: (
            restitution_threshold: 0.25, hit_threshold: 0.5, contact_hertz: 40, contact_damping_ratio: 8, push_speed_max: 2,
            speed_max: 50,
        ),
        entities: {
            "ball": {
                "body": Body(kind: Dynamic, linear_velocity: (90, 0)),
                "skin": Collider(shape: Circle(radius: 0.5)),
            },
        },
        place: [One(name: "ball", entity: "ball")],
    )"#;
    let scene = Scene::parse("fast.ron", text).unwrap();
    let expected = Settings {
        restitution_threshold: 0.25,
        hit_threshold: 0.5,
        contact_hertz: 40.0,
        contact_damping_ratio: 8.0,
        push_speed_max: 2.0,
        speed_max: 50.0,
        ..Settings::default()
    };
    assert_eq!(*scene.settings(), expected);
    let mut world = World::from_scene(&scene).unwrap();
    run(&mut world, 1);
    assert!((velocity(&world, "ball").length() - 50.0).abs() < 1.0e-3);
    let too_fast = text.replace("speed_max: 50", "speed_max: 2000000");
    let refused = Scene::parse("fast.ron", &too_fast).and_then(|scene| World::from_scene(&scene).map(|_| ()));
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("speed_max"), "{refused}");
}
