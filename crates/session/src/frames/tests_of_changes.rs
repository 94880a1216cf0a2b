//! What a recording or a live page takes for another body, and what it is told beside the frames' own numbers.

use tombolo::physics::{
    BodyDef, BodyKind, DistanceDef, JointLimit, JointSpring, MotorDef, PhysicsWorld, Position, PrismaticDef,
    RigidWeldDef, Shape, ShapeDef, Vec2, WorldDef,
};
use tombolo::{Scene, World};
use tombolo_scenes::STEP_S;

use super::bytes::tests::Reader;
use super::tests::{Decoder, frames_of};
use super::*;

#[test]
fn a_body_of_another_kind_is_another_one() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let id = world.create_body(&BodyDef::dynamic(0.0, 3.0)).unwrap();
    let mut recorder = Recorder::new("kinds", STEP_S, &world, None).unwrap();
    world.body_mut(id).unwrap().set_kind(BodyKind::Static).unwrap();
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
    let symbols = manifest["joints"][0]["symbols"].as_array().unwrap();
    let rail = serde_json::json!(["rail", "along", [-1.0, 10_000.0]]);
    assert!(symbols.contains(&rail), "{symbols:?}");
}

/// A script or a setter may move the anchors of a joint: it is the same joint, elsewhere.
#[test]
fn anchors_that_are_moved_come_back() {
    let (mut world, a, b) = (
        PhysicsWorld::new(&WorldDef::default()).unwrap(),
        BodyDef::fixed(0.0, 0.0),
        BodyDef::dynamic(1.0, 0.0),
    );
    let [a, b] = [a, b].map(|def| world.create_body(&def).unwrap());
    let def = MotorDef::new(a, Vec2::new(1.0, 0.0), b, Vec2::ZERO);
    let joint = world.create_joint(def).unwrap();
    let mut recorder = Recorder::new("anchors", STEP_S, &world, None).unwrap();
    for x in [1.0, 1.5, 1.5, 2.0] {
        let mut joint = world.joint_mut(joint).unwrap();
        joint.set_anchors(Vec2::new(x, 0.25), Vec2::ZERO).unwrap();
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
    }
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    assert_eq!(manifest["joints"].as_array().unwrap().len(), 1);
    assert_eq!(manifest["joints"][0]["anchors"][0], serde_json::json!([1.0, 0.0]));
    let frames = frames_of(recorder);
    let (mut reader, mut decoder) = (Reader(&frames), Decoder::default());
    let seen: Vec<Option<i32>> = (0..5)
        .map(|_| {
            decoder.read_frame(&mut reader);
            decoder.anchors.get(&0).map(|anchors| anchors[0])
        })
        .collect();
    assert_eq!(seen, [None, Some(1024), Some(1536), Some(1536), Some(2048)]);
}

/// Far away, where the positions that numbers can have are more than a quantum apart, the anchor of a weld would jump if it
/// were computed from the weld's position in the world.
#[test]
fn welds_of_a_body_that_moves_far_away_stay_in_place() {
    let def = WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    let mut plank = |x: f32| {
        let def = BodyDef {
            linear_velocity: Vec2::new(1.3, 0.7),
            angular_velocity: 0.5,
            ..BodyDef::dynamic(x, 30_000.0)
        };
        let body = world.create_body(&def).unwrap();
        let outline = Shape::new_box(1.0, 0.25).unwrap();
        world.create_shape(body, &ShapeDef::default(), &outline).unwrap();
        world.create_member(body, 0).unwrap()
    };
    let (left, right) = (plank(20_000.0), plank(20_001.0));
    let weld = RigidWeldDef::new(left, right, Position::new(20_000.5, 30_000.0));
    world.create_rigid_weld(&weld).unwrap();
    let mut recorder = Recorder::new("welds", STEP_S, &world, None).unwrap();
    for _ in 0..30 {
        world.step(STEP_S).unwrap();
        recorder.record(&world, None).unwrap();
    }
    let frames = frames_of(recorder);
    let (mut reader, mut decoder) = (Reader(&frames), Decoder::default());
    for frame in 0..=30 {
        decoder.read_frame(&mut reader);
        assert!(decoder.anchors.is_empty(), "frame {frame}: {:?}", decoder.anchors);
    }
    assert!(reader.0.is_empty());
}

const NO_LAYERS: Layers = Layers {
    contacts: false,
    boxes: false,
    cells: false,
    colors: false,
};

fn live_frames() -> LiveFrames {
    LiveFrames::new("a", STEP_S, std::iter::empty())
}

/// Rigid welds are tracks, too: thousands of them in one body are no reason to begin anew in each frame.
#[test]
fn a_body_of_many_rigid_welds_is_sent_once() {
    let text = r#"(
    entities: {"plank": {
        "body": Body(kind: Dynamic),
        "board": Collider(shape: Box(width: 1, height: 0.3)),
        "seam": RigidWeld(to: Previous, pivot: (-0.5, 0)),
    }},
    place: [Row(name: "plank", entity: "plank", count: 2500, step: (1, 0))],
)"#;
    let world = World::from_scene(&Scene::parse("a.ron", text).unwrap()).unwrap();
    assert_eq!(world.physics().rigid_welds().len(), 2_499);
    let mut frames = live_frames();
    frames.write(&world, NO_LAYERS, false);
    assert!(!frames.has_many_gone(), "all of them are there");
}

/// A winch: the rope's length is a number that changes, and the joint stays the same one. With the stops of a slider and the
/// way of its motor, and what is drawn by other symbols is another joint.
#[test]
fn numbers_of_symbols_that_change_come_back() {
    let mut world = PhysicsWorld::new(&WorldDef::default()).unwrap();
    let [post, ball] =
        [BodyDef::fixed(0.0, 0.0), BodyDef::dynamic(1.0, 0.0)].map(|def| world.create_body(&def).unwrap());
    let rope = DistanceDef {
        enable_limit: true,
        max_length: 5.0,
        ..DistanceDef::new(post, Vec2::ZERO, ball, Vec2::ZERO)
    };
    let rope = world.create_joint(rope).unwrap();
    let mut recorder = Recorder::new("winch", STEP_S, &world, None).unwrap();
    let longest = |world: &mut PhysicsWorld, upper: f32| {
        let limit = JointLimit { lower: 0.0, upper };
        world.joint_mut(rope).unwrap().set_limit(Some(limit)).unwrap();
    };
    // As it is, shorter, shorter by less than a quantum, longer; then a spring, which is drawn otherwise.
    for upper in [5.0, 4.5, 4.5 - 1e-5, 4.75] {
        longest(&mut world, upper);
        recorder.record(&world, None).unwrap();
    }
    let spring = JointSpring {
        hertz: 1.0,
        ..JointSpring::default()
    };
    world.joint_mut(rope).unwrap().set_spring(Some(spring)).unwrap();
    recorder.record(&world, None).unwrap();
    let manifest = serde_json::to_value(&recorder.writer.manifest).unwrap();
    assert_eq!(manifest["joints"].as_array().unwrap().len(), 2);
    let frames = frames_of(recorder);
    let (mut reader, mut decoder) = (Reader(&frames), Decoder::default());
    let seen: Vec<Option<Vec<i32>>> = (0..6)
        .map(|_| {
            decoder.read_frame(&mut reader);
            decoder.numbers.remove(&0)
        })
        .collect();
    // Two angles, then the length.
    let length = |quanta: i32| Some(vec![0, 0, quanta]);
    assert_eq!(seen, [None, None, length(4608), None, length(4864), None]);
    assert!(reader.0.is_empty());
}

/// Joints that are drawn differently in each step, and agents that come and go, are gone as bodies are.
#[test]
fn a_page_with_many_joints_that_are_gone_begins_anew() {
    let text = r#"(
    entities: {"hook": {"body": Body()}, "ball": {
        "body": Body(kind: Dynamic),
        "hull": Collider(shape: Circle(radius: 0.2)),
        "rope": Joint(to: Entity("hook"), kind: Distance(limit: (upper: 90))),
        "switch": Script(text: "fn on_tick(seconds) { me().set(\"rope.spring\", !me().get(\"rope.spring\")); }"),
    }},
    place: [
        One(name: "hook", entity: "hook", at: (0, 20)),
        Row(name: "ball", entity: "ball", count: 60, step: (1, 0)),
    ],
)"#;
    let mut world = World::from_scene(&Scene::parse("a.ron", text).unwrap()).unwrap();
    let mut frames = live_frames();
    let begins_anew = (0..60).find(|_| {
        frames.write(&world, NO_LAYERS, false);
        world.step();
        frames.has_many_gone()
    });
    // 60 ropes a step: 2,000 and twice the 121 bodies and joints that are there.
    assert_eq!(begins_anew, Some(36));
    let mut frames = live_frames();
    let frame = frames.write(&world, NO_LAYERS, false);
    let told = serde_json::to_value(&frame).unwrap();
    assert_eq!(told["joints"].as_array().unwrap().len(), 60);
    assert!(!frames.has_many_gone());
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
    let bytes = |stands: bool| live_frames().write(&world, NO_LAYERS, stands).bytes.to_vec();
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
