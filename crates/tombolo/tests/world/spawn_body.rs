//! Entities from typed definitions: they are as those of a scene, and what is refused changes nothing.

use tombolo::component::{Collider, ShapeGeometry};
use tombolo::entity::Value;
use tombolo::physics::{BodyDef, Position, ShapeDef, Vec2};
use tombolo::{Scene, Settings, SpawnDef, World};

use crate::{get, run};

/// A crate of two colliders on a floor, as a scene and as definitions.
const PAIR: &str = r#"(
    materials: { "wood": (density: 0.7, friction: 0.4) },
    entities: {
        "floor": { "body": Body(kind: Static), "collider": Collider(shape: Box(width: 40, height: 1)) },
        "crate": {
            "body": Body(kind: Dynamic, angular_velocity: 2),
            "collider": Collider(shape: Box(width: 1, height: 2), material: "wood"),
            "collider2": Collider(shape: Circle(radius: 0.4), position: (1, 0.5), material: "wood"),
        },
    },
    place: [
        One(name: "floor", entity: "floor"),
        One(name: "crate", entity: "crate", at: (0.25, 5), angle: 0.3),
    ],
)"#;

fn wood() -> ShapeDef {
    ShapeDef {
        density: 0.7,
        friction: 0.4,
        ..ShapeDef::default()
    }
}

fn crate_def() -> BodyDef {
    BodyDef {
        angle: 0.3,
        angular_velocity: 2.0,
        user_key: 77,
        ..BodyDef::dynamic(0.25, 5.0)
    }
}

fn crate_colliders() -> [Collider; 2] {
    let bump = ShapeGeometry::circle(Vec2::ZERO, 0.4).at(Vec2::new(1.0, 0.5), 0.0);
    [ShapeGeometry::new_box(1.0, 2.0), bump].map(|geometry| Collider::new(wood(), geometry))
}

fn typed() -> World {
    let mut world = World::new(&Settings::default()).unwrap();
    let floor = Collider::new(ShapeDef::default(), ShapeGeometry::new_box(40.0, 1.0));
    world
        .spawn_body(Some("floor"), &BodyDef::fixed(0.0, 0.0), &[floor])
        .unwrap();
    world
        .spawn_body(Some("crate"), &crate_def(), &crate_colliders())
        .unwrap();
    world
}

#[test]
fn an_entity_of_definitions_is_as_one_of_a_scene() {
    let mut scenes = World::from_scene(&Scene::parse("pair.ron", PAIR).unwrap()).unwrap();
    let mut typed = typed();
    for _ in 0..120 {
        run(&mut scenes, 1);
        run(&mut typed, 1);
        let poses = [&scenes, &typed].map(|world| world.pose(world.find("crate").unwrap()).unwrap());
        assert_eq!(poses[0], poses[1]);
    }
    for path in [
        "body.linear_velocity",
        "collider.density",
        "collider2.position",
        "collider.size",
    ] {
        let [of_scene, of_definition] = [&scenes, &typed].map(|world| get(world, "crate", path));
        assert_eq!(of_scene, of_definition, "{path}");
    }
}

#[test]
fn a_spawned_body_is_saved_set_by_name_and_has_children() {
    let mut world = typed();
    let crate_ = world.find("crate").unwrap();
    run(&mut world, 10);
    let mut restored = World::new(&Settings::default()).unwrap();
    restored.restore(&world.save()).unwrap();
    assert_eq!(restored.state_hash(), world.state_hash());
    for world in [&mut world, &mut restored] {
        world
            .set(crate_, "body.linear_velocity", Value::Vec2(Vec2::new(0.0, 9.0)))
            .unwrap();
        let body = world.body(crate_).unwrap();
        assert_eq!(body.linear_velocity(), Vec2::new(0.0, 9.0));
        assert_eq!(body.user_key(), crate_.to_bits(), "the engine's own");
        run(world, 30);
    }
    assert_eq!(restored.state_hash(), world.state_hash());
    assert_eq!(world.despawn(crate_), Ok(()));
    assert!(world.body(crate_).is_none());
    assert_eq!(world.physics().bodies().len(), 1);
}

#[test]
fn what_is_refused_changes_nothing() {
    let mut world = typed();
    let before = world.state_hash();
    let far = BodyDef {
        position: Position::new(f32::NAN, 0.0),
        ..BodyDef::dynamic(0.0, 0.0)
    };
    let heavy = BodyDef {
        linear_damping: -1.0,
        ..crate_def()
    };
    let flat = Collider::new(wood(), ShapeGeometry::new_box(1.0, 0.0));
    let line = Collider::new(
        wood(),
        ShapeGeometry::polygon(&[Vec2::ZERO, Vec2::X, Vec2::X * 2.0], 0.0),
    );
    let [hull, _] = crate_colliders();
    let cases: [(&str, &BodyDef, &[Collider], &str); 5] = [
        ("crate", &crate_def(), &[], "another entity is called `crate`"),
        ("second", &far, &[], "\"second\""),
        ("second", &heavy, &[], "component `body`: "),
        (
            "second",
            &crate_def(),
            &[hull.clone(), flat],
            "component `collider2`: ",
        ),
        (
            "second",
            &crate_def(),
            &[hull.clone(), hull.clone(), line],
            "component `collider3`: ",
        ),
    ];
    for (name, def, colliders, message) in cases {
        let error = world
            .spawn_body(Some(name), def, colliders)
            .unwrap_err()
            .to_string();
        assert!(error.contains(message), "{error}");
        assert_eq!(world.state_hash(), before, "{error}");
    }
    let full = Settings {
        bodies_max: 1,
        ..Settings::default()
    };
    let mut full = World::new(&full).unwrap();
    full.spawn_body(None, &crate_def(), &[]).unwrap();
    let error = full.spawn_body(None, &crate_def(), &[]).unwrap_err().to_string();
    assert!(error.contains("bodies"), "{error}");
    assert!(
        full.spawn("crate", &SpawnDef::default()).is_err(),
        "there is no resource"
    );
}

/// The name of an entity's body in physics.
fn body_name(world: &World, name: &str) -> String {
    let entity = world.find(name).unwrap();
    world.body(entity).unwrap().name().into()
}

#[test]
fn bodies_have_the_names_of_their_entities() {
    let mut world = World::from_scene(&Scene::parse("pair.ron", PAIR).unwrap()).unwrap();
    assert_eq!(body_name(&world, "crate"), "crate");
    let before = world.state_hash();
    let long = "ä".repeat(20);
    let entity = world.find("crate").unwrap();
    world.set_name(entity, Some(&long)).unwrap();
    assert_eq!(body_name(&world, &long), "ä".repeat(15), "31 bytes at most");
    world.set_name(entity, None).unwrap();
    assert_eq!(world.body(entity).unwrap().name(), "");
    world.set_name(entity, Some("crate")).unwrap();
    assert_eq!(world.state_hash(), before);

    let cut = world.slice(entity, Position::new(0.25, 4.0), Position::new(0.25, 6.0));
    let pieces = cut.unwrap().unwrap().pieces;
    assert_eq!(body_name(&world, "crate"), "crate");
    assert_eq!(world.body(pieces[0]).unwrap().name(), "crate.1");

    let named = BodyDef {
        name: tombolo::physics::BodyName::new("hull").unwrap(),
        ..BodyDef::dynamic(3.0, 3.0)
    };
    let ship = world.spawn_body(Some("ship"), &named, &[]).unwrap();
    world.set_name(ship, Some("boat")).unwrap();
    assert_eq!(
        body_name(&world, "boat"),
        "hull",
        "a name in the definition stays"
    );
}

#[test]
fn an_agent_walks_around_a_wall_that_was_put_in_its_way() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {"ghost": {"legs": Agent(goal: (8, 0), speed: 2)}},
        place: [One(name: "ghost", entity: "ghost", at: (-8, 0))],
    )"#;
    let mut world = World::from_scene(&Scene::parse("walk.ron", text).unwrap()).unwrap();
    run(&mut world, 30);
    let stone = Collider::new(ShapeDef::default(), ShapeGeometry::new_box(1.0, 6.0));
    world
        .spawn_body(None, &BodyDef::fixed(0.0, 0.0), &[stone])
        .unwrap();
    let ghost = world.find("ghost").unwrap();
    for _ in 0..900 {
        world.step();
        let at = world.pose(ghost).unwrap().position;
        assert!(at.x.abs() > 0.5 || at.y.abs() > 3.0, "in the wall: {at}");
    }
    assert_eq!(get(&world, "ghost", "legs.arrived"), Value::Bool(true));
}

/// What a save holds is checked when it is read, so nothing may begin with what that refuses.
#[test]
fn what_is_spawned_can_be_restored_or_is_refused() {
    let points = [Vec2::new(-0.5, -0.5), Vec2::new(0.5, -0.5), Vec2::new(0.0, 0.5)];
    let geometries = [
        ShapeGeometry::circle(Vec2::ZERO, 0.5),
        ShapeGeometry {
            size: Vec2::ZERO,
            ..ShapeGeometry::default()
        },
        ShapeGeometry {
            radius: -1.0,
            ..ShapeGeometry::new_box(1.0, 1.0)
        },
        ShapeGeometry {
            radius: f32::NAN,
            ..ShapeGeometry::new_box(1.0, 1.0)
        },
        ShapeGeometry {
            points: vec![Vec2::splat(f32::INFINITY)],
            ..ShapeGeometry::default()
        },
        ShapeGeometry {
            points: vec![Vec2::splat(2.0e5)],
            ..ShapeGeometry::default()
        },
        ShapeGeometry {
            angle: f32::NAN,
            ..ShapeGeometry::circle(Vec2::ZERO, 0.5)
        },
        ShapeGeometry {
            loop_ends: vec![7, 3],
            ..ShapeGeometry::polygon(&points, 0.0)
        },
        ShapeGeometry::heightfield(60_000.0, &[0.0, 0.0], None, None),
        ShapeGeometry::heightfield(40_000.0, &[0.0, 0.0], None, None),
    ];
    let shape = ShapeDef::default;
    let shapes = [
        shape(),
        ShapeDef {
            material: (1 << 24) - 1,
            ..shape()
        },
        ShapeDef {
            material: 1 << 24,
            ..shape()
        },
        ShapeDef {
            material: u32::MAX - 1,
            ..shape()
        },
        ShapeDef {
            density: f32::MAX,
            ..shape()
        },
        ShapeDef {
            friction: f32::MAX,
            ..shape()
        },
        ShapeDef {
            restitution: 2.0,
            ..shape()
        },
        ShapeDef {
            tangent_speed: -1.0e6,
            ..shape()
        },
        ShapeDef {
            force_threshold: f32::MAX,
            ..shape()
        },
        ShapeDef {
            contact_skin: 1.0,
            ..shape()
        },
    ];
    let body = || BodyDef::fixed(0.0, 0.0);
    let bodies = [
        body(),
        BodyDef {
            gravity_scale: f32::MAX,
            ..body()
        },
        BodyDef {
            linear_damping: f32::MAX,
            ..body()
        },
        BodyDef {
            sleep_threshold: f32::MAX,
            ..body()
        },
        BodyDef {
            angular_velocity: 1.0e6,
            ..body()
        },
        BodyDef {
            linear_velocity: Vec2::splat(1.0e6),
            ..body()
        },
    ];
    let mut refusals = 0;
    for geometry in &geometries {
        for def in &shapes {
            for body in &bodies {
                let mut world = World::new(&Settings::default()).unwrap();
                let before = world.state_hash();
                let collider = Collider::new(def.clone(), geometry.clone());
                match world.spawn_body(Some("it"), body, &[collider]) {
                    Err(_) => {
                        assert_eq!(world.state_hash(), before);
                        refusals += 1;
                    }
                    Ok(_) => {
                        let mut restored = World::new(&Settings::default()).unwrap();
                        let read = restored.restore(&world.save());
                        read.unwrap_or_else(|error| panic!("{geometry:?} {def:?} {body:?}: {error}"));
                        assert_eq!(restored.state_hash(), world.state_hash());
                    }
                }
            }
        }
    }
    assert!(refusals > 0);
}

#[test]
fn more_colliders_than_an_entity_has_room_for_are_refused() {
    let mut world = World::new(&Settings::default()).unwrap();
    let before = world.state_hash();
    let ball = || Collider::new(ShapeDef::default(), ShapeGeometry::circle(Vec2::ZERO, 0.5));
    let many = |count: usize| (0..count).map(|_| ball()).collect::<Vec<_>>();
    let error = world
        .spawn_body(None, &BodyDef::fixed(0.0, 0.0), &many(1_023))
        .unwrap_err();
    assert!(error.to_string().contains("at most 1024"), "{error}");
    assert_eq!(world.state_hash(), before);
    let entity = world
        .spawn_body(None, &BodyDef::fixed(0.0, 0.0), &many(1_022))
        .unwrap();
    assert_eq!(world.body(entity).unwrap().shapes().count(), 1_022);
    assert!(world.faults().is_empty(), "{:?}", world.faults());
}
