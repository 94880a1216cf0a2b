//! What a recording or a live page takes for another body, and what it is told beside the frames' own numbers.

use tombolo::physics::{BodyDef, BodyKind, PhysicsWorld, PrismaticDef, Shape, ShapeDef, Vec2, WorldDef};
use tombolo::{Scene, World};
use tombolo_scenes::STEP_S;

use super::bytes::tests::Reader;
use super::*;

#[test]
fn a_body_of_another_kind_is_another_one() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let id = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    let mut recorder = Recorder::new("kinds", STEP_S, &world, None).unwrap();
    world.body_mut(id).unwrap().set_kind(BodyKind::Static);
    world.step(STEP_S).unwrap();
    recorder.record(&world, None).unwrap();
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    let kinds: Vec<&str> = manifest["bodies"]
        .as_array()
        .unwrap()
        .iter()
        .map(|body| body["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["dynamic", "static"]);
}

#[test]
fn a_half_space_that_turns_in_place_is_another_one() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::fixed(0.0, 0.0)).unwrap();
    let ground = Shape::half_space(Vec2::ZERO, Vec2::Y).unwrap();
    let shape = world.create_shape(body, &ShapeDef::default(), &ground).unwrap();
    let mut recorder = Recorder::new("turns", STEP_S, &world, None).unwrap();
    for normal in [Vec2::Y, Vec2::X, Vec2::X] {
        let turned = Shape::half_space(Vec2::ZERO, normal).unwrap();
        world.shape_mut(shape).unwrap().set_geometry(&turned).unwrap();
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
    }
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    assert_eq!(manifest["bodies"].as_array().unwrap().len(), 2);
}

#[test]
fn a_body_whose_shape_changes_in_place_is_another_one() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::default()).unwrap();
    let (ghost, outline) = (
        ShapeDef {
            sensor: true,
            ..ShapeDef::default()
        },
        Shape::new_box(2.0, 2.0).unwrap(),
    );
    let shape = world.create_shape(body, &ghost, &outline).unwrap();
    let mut recorder = Recorder::new("changes", STEP_S, &world, None).unwrap();
    let circle = Shape::circle(Vec2::ZERO, 1.0).unwrap();
    for step in 0..5 {
        let mut shape = world.shape_mut(shape).unwrap();
        match step {
            0 => shape.set_sensor(false),
            2 => shape.set_geometry(&circle).unwrap(),
            4 => shape.set_sensor(true),
            _ => {}
        }
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
    }
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    let bodies = manifest["bodies"].as_array().unwrap().iter();
    let shapes: Vec<String> = bodies.map(|body| body["shapes"].to_string()).collect();
    assert_eq!(shapes, ["[]", "[0]", "[1]", "[]"]);
}

#[test]
fn a_body_whose_density_changes_in_place_is_another_one() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let body = world.create_body(&BodyDef::dynamic(0.0, 0.0)).unwrap();
    let outline = Shape::new_box(2.0, 1.0).unwrap();
    let shape = world.create_shape(body, &ShapeDef::default(), &outline).unwrap();
    let mut recorder = Recorder::new("density", STEP_S, &world, None).unwrap();
    for density in [1.0, 10.0, 10.0] {
        world.shape_mut(shape).unwrap().set_density(density).unwrap();
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
    }
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    let bodies = manifest["bodies"].as_array().unwrap().iter();
    let masses: Vec<f64> = bodies.map(|body| body["mass"].as_f64().unwrap()).collect();
    assert_eq!(masses, [2.0, 20.0]);
}

#[test]
fn a_far_limit_is_drawn_near() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let [post, slider] =
        [BodyDef::fixed(0.0, 0.0), BodyDef::dynamic(1.0, 0.0)].map(|def| world.create_body(&def).unwrap());
    let joint = PrismaticDef {
        enable_limit: true,
        lower_translation: -1.0,
        upper_translation: 100_000.0,
        ..PrismaticDef::new(post, Vec2::ZERO, slider, Vec2::ZERO)
    };
    world.create_joint(joint).unwrap();
    let recorder = Recorder::new("limit", STEP_S, &world, None).unwrap();
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    assert_eq!(
        manifest["joints"][0]["limit"],
        serde_json::json!([-1.0, 10_000.0])
    );
}

#[test]
fn a_world_that_stands_tells_its_velocities() {
    let text = r#"(
    settings: (gravity: (0, 0)),
    entities: {
        "wall": {"body": Body(), "hull": Collider(shape: Circle(radius: 1))},
        "ball": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 1))},
    },
    place: [
        One(name: "wall", entity: "wall", at: (0, -9)),
        One(name: "ball", entity: "ball", overrides: {"body": (linear_velocity: (6, -2), angular_velocity: 0.5)}),
    ],
)"#;
    let world = World::from_scene(&Scene::parse("a.ron", text).unwrap()).unwrap();
    let layers = Layers {
        contacts: false,
        boxes: false,
        cells: false,
    };
    let bytes = |stands: bool| {
        let mut frames = LiveFrames::new("a", STEP_S, std::iter::empty());
        frames.write(&world, layers, stands).bytes.to_vec()
    };
    let (moving, standing) = (bytes(false), bytes(true));
    let told = standing.strip_prefix(&moving[..]).unwrap();
    let mut reader = Reader(told);
    assert_eq!(
        (reader.number(), reader.number()),
        (1, 1),
        "one is awake, the second"
    );
    let parts = [(); 3].map(|()| reader.signed());
    assert_eq!(parts, [6 * 1024, -2 * 1024, 512]);
}
