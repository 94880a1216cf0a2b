//! The component Field: what it does to bodies by way of physics, where its entity goes, and what is refused; explosions by
//! call, command and script.

use tombolo::component::{FIELD, Field};
use tombolo::entity::{Dense, Entity, Value};
use tombolo::physics::{ExplosionDef, Pose, Position, Vec2};
use tombolo::{Command, Scene, World};

const POND: &str = r#"(
    settings: (gravity: (0, -10)),
    entities: {
        "pond": {"water": Field(kind: Fluid, shape: Box(width: 40, height: 10), density: 1, viscosity: 2)},
        "cork": {"body": Body(kind: Dynamic), "disc": Collider(shape: Circle(radius: 0.5))},
        "cart": {"body": Body(kind: Kinematic, linear_velocity: (1, 0)), "fan": Field(
            kind: Wind, shape: Box(width: 2, height: 30), position: (0, 15), velocity: (0, 30), density: 5,
        )},
        "track": {"pull": Field(
            kind: ChainGravity, shape: Chain(points: [(0, 0), (5, 0), (5, 5)], closed: true), pull: 3, reach: 2,
        )},
    },
    place: [
        One(name: "pond", entity: "pond", at: (0, -5)),
        One(name: "cork", entity: "cork", at: (0, 1)),
        One(name: "cart", entity: "cart", at: (50, 0)),
        One(name: "high cork", entity: "cork", at: (50.5, 4)),
        One(name: "track", entity: "track", at: (0, 90)),
    ],
)"#;

fn world(text: &str) -> World {
    World::from_scene(&Scene::parse("pond.ron", text).unwrap()).unwrap()
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

fn fields(world: &World) -> &Dense<Field> {
    world.manager(FIELD).unwrap()
}

#[test]
fn a_field_follows_its_entity_and_its_properties() {
    let mut world = world(POND);
    assert_eq!(
        world.physics().fields().count(),
        0,
        "physics has none before the first step"
    );
    run(&mut world, 1);
    assert_eq!(world.physics().fields().count(), 3);
    run(&mut world, 60);
    assert!(
        height(&world, "high cork") > 4.0,
        "the fan holds it up: {}",
        height(&world, "high cork")
    );
    // As dense as the water: it hangs in it, wherever that slowed it down.
    run(&mut world, 600);
    let hanging = height(&world, "cork");
    assert!((-9.0..-0.45).contains(&hanging), "{hanging}");
    // The fan has gone on, on its cart.
    assert!(height(&world, "high cork") < 0.0);
    let pond = find(&world, "pond");
    world.set(pond, "water.density", Value::F32(2.0)).unwrap();
    run(&mut world, 600);
    assert!(
        height(&world, "cork").abs() < 0.02,
        "half in, half out: {}",
        height(&world, "cork")
    );
    world
        .teleport(pond, Pose::new(Vec2::new(0.0, -8.0), 0.0))
        .unwrap();
    run(&mut world, 600);
    assert!(
        (height(&world, "cork") + 3.0).abs() < 0.02,
        "{}",
        height(&world, "cork")
    );
    world.set(pond, "water.enabled", Value::Bool(false)).unwrap();
    run(&mut world, 120);
    assert!(height(&world, "cork") < -10.0);
    world.despawn(pond).unwrap();
    run(&mut world, 1);
    assert_eq!(
        (world.physics().fields().count(), fields(&world).values().len()),
        (2, 2)
    );
}

#[test]
fn a_restored_world_goes_on_with_the_same_fields() {
    let mut world = world(POND);
    run(&mut world, 30);
    let scene = Scene::parse("pond.ron", POND).unwrap();
    let mut other = World::from_save(&scene, &world.save()).unwrap();
    for _ in 0..60 {
        world.step();
        other.step();
        assert_eq!(world.state_hash(), other.state_hash());
    }
    assert_eq!(other.physics().fields().count(), 3);
}

#[test]
fn what_is_no_area_is_refused_where_it_stands() {
    for (from, to, why) in [
        ("shape: Box(width: 40, height: 10), ", "", "missing; give one of"),
        (
            "Box(width: 40, height: 10)",
            "Segment(from: (0, 0), to: (1, 0))",
            "has no inside",
        ),
        (
            "Box(width: 40, height: 10)",
            "Outline(points: [(0, 0), (4, 0), (4, 4), (2, 1), (0, 4)])",
            "is convex",
        ),
        (
            "Chain(points: [(0, 0), (5, 0), (5, 5)], closed: true)",
            "Circle(radius: 1)",
            "give Chain",
        ),
        ("density: 1,", "density: -1,", "out of range"),
        ("reach: 2", "reach: -2", "out of range"),
    ] {
        let text = POND.replacen(from, to, 1);
        assert_ne!(text, POND, "{from}");
        let error = Scene::parse("pond.ron", &text).expect_err(to).to_string();
        assert!(error.contains(why), "{error}");
    }
    let mut world = world(POND);
    for _ in 0..2 {
        let before = world.state_hash();
        let pond = find(&world, "pond");
        for (path, value) in [
            ("water.shape", Value::Choice(5)),
            ("water.kind", Value::Choice(4)),
            ("water.radius", Value::F32(-1.0)),
            ("water.density", Value::F32(f32::NAN)),
        ] {
            world.set(pond, path, value).unwrap_err();
            assert_eq!(world.state_hash(), before, "{path}");
        }
        world.step();
    }
}

#[test]
fn explosions_by_call_command_and_script_are_the_same() {
    let mut world = world(POND);
    run(&mut world, 1);
    let explosion = ExplosionDef {
        radius: 5.0,
        falloff: 2.0,
        impulse_per_length: 3.0,
        ..ExplosionDef::at(Position::new(-2.0, 1.0))
    };
    let mut by_command = world.clone();
    assert_eq!(world.explode(&explosion).unwrap(), 1);
    by_command.apply(Command::Explode(explosion)).unwrap();
    assert_eq!(world.state_hash(), by_command.state_hash());
    let speed = world.get(find(&world, "cork"), "body.linear_velocity").unwrap();
    assert!(matches!(speed, Value::Vec2(speed) if speed.x > 1.0), "{speed:?}");

    let bad = ExplosionDef {
        radius: -1.0,
        ..explosion
    };
    let before = world.state_hash();
    world.explode(&bad).unwrap_err();
    assert_eq!(world.state_hash(), before);

    #[cfg(feature = "script")]
    {
        let script = |call: &str| {
            let scripted = format!(
                "\"keg\": {{\"mind\": Script(text: \"fn on_spawn() {{ {call} }}\")}},\n        \"pond\": {{"
            );
            let text = POND.replacen("\"pond\": {", &scripted, 1);
            let place = "place: [\n        One(name: \"keg\", entity: \"keg\"),";
            self::world(&text.replacen("place: [", place, 1))
        };
        let mut world = script("explode(vec2(-2, 1), #{radius: 5, falloff: 2.0, impulse_per_length: 3});");
        run(&mut world, 2);
        let speed = world.get(find(&world, "cork"), "body.linear_velocity").unwrap();
        assert!(matches!(speed, Value::Vec2(speed) if speed.x > 1.0), "{speed:?}");
        assert_eq!(
            world.get(find(&world, "keg"), "mind.error"),
            Ok(Value::String("".into()))
        );
        for wrong in ["#{radios: 5}", "#{radius: true}", "#{radius: -5}"] {
            let mut world = script(&format!("explode(vec2(-2, 1), {wrong});"));
            run(&mut world, 2);
            let error = world.get(find(&world, "keg"), "mind.error").unwrap();
            assert!(
                matches!(&error, Value::String(text) if text.contains("radi")),
                "{wrong}: {error:?}"
            );
        }
    }
}

#[test]
fn a_field_for_which_there_is_no_room_is_one_fault() {
    let text = r#"(
        entities: {"wind": {"field": Field(shape: Box(width: 1, height: 1))}},
        place: [Grid(name: "wind", entity: "wind", columns: 4097, rows: 1, column_step: (2, 0), row_step: (0, 2))],
    )"#;
    let mut world = world(text);
    run(&mut world, 3);
    assert_eq!(world.physics().fields().count(), 4096);
    assert_eq!(world.faults().len(), 1, "{:?}", world.faults());
    assert!(world.faults()[0].contains("wind["), "{:?}", world.faults());
}
