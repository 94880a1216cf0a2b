//! Agents of a world that is restored, brought up to date, played back or loaded anew: all walk alike.

use tombolo::entity::{Entity, ResourceDefinition, Value};
use tombolo::geometry::Pose;
use tombolo::physics::{RecordOptions, Vec2};
use tombolo::threads::Inline;
use tombolo::{Scene, World, WorldRecording};

/// A walker that a block holds, which is no wall and does not yield; and one without a body that is at its goal already.
const HELD: &str = r#"(
    settings: (gravity: (0, 0)),
    materials: {"ice": (friction: 0)},
    entities: {
        "walker": {
            "body": Body(kind: Dynamic, fixed_rotation: true),
            "skin": Collider(shape: Circle(radius: 0.5), material: "ice"),
            "walker": Agent(goal: (100, 0), speed: 2),
        },
        "ghost": {"walker": Agent(goal: (100, 0), speed: 2)},
        "block": {
            "body": Body(kind: Dynamic, fixed_x: true, fixed_y: true, fixed_rotation: true),
            "hull": Collider(shape: Box(width: 1, height: 40), material: "ice"),
        },
    },
    place: [
        One(name: "walker", entity: "walker"),
        One(name: "ghost", entity: "ghost", at: (100, 0)),
        One(name: "block", entity: "block", at: (2, 0)),
    ],
)"#;

fn named(world: &World, name: &str) -> Entity {
    world.find(name).expect("the scene placed it")
}

fn run(world: &mut World, steps: usize) {
    (0..steps).for_each(|_| world.step());
}

/// The world when the walker is blocked, and has not been brought up to date with what follows.
fn held() -> (Scene, World) {
    let scene = Scene::parse("held.ron", HELD).expect("it is a scene");
    let mut world = World::from_scene(&scene).expect("it is sound");
    run(&mut world, 60);
    let (walker, ghost) = (named(&world, "walker"), named(&world, "ghost"));
    assert_eq!(world.get(walker, "walker.blocked"), Ok(Value::Bool(true)));
    assert_eq!(world.get(walker, "walker.arrived"), Ok(Value::Bool(false)));
    assert_eq!(world.get(ghost, "walker.arrived"), Ok(Value::Bool(true)));
    (scene, world)
}

/// Puts the one that has arrived beside the one that is held, between two steps.
fn join(world: &mut World) {
    let (walker, ghost) = (named(world, "walker"), named(world, "ghost"));
    let beside = world.pose(walker).expect("it has one").position + Vec2::new(0.3, 0.0);
    world
        .teleport(ghost, Pose::new(beside, 0.0))
        .expect("it is a place");
}

#[test]
fn an_agent_sees_who_came_beside_it_between_two_steps_as_a_restored_world_does() {
    let (scene, mut world) = held();
    join(&mut world);
    let mut restored = World::from_save(&scene, &world.save()).expect("its own save");
    let mut updated = world.clone();
    updated.update_space();
    let walker = named(&world, "walker");
    for step in 0..3 {
        for world in [&mut world, &mut restored, &mut updated] {
            world.step();
            let arrived = world.get(walker, "walker.arrived");
            assert_eq!(arrived, Ok(Value::Bool(true)), "step {step}");
        }
        assert_eq!(restored.state_hash(), world.state_hash(), "step {step}");
        assert_eq!(updated.state_hash(), world.state_hash(), "step {step}");
    }
}

#[test]
fn a_call_that_brings_space_up_to_date_plays_back_the_same() {
    let (_, mut world) = held();
    world.start_recording(RecordOptions {
        key_frame_steps: 0,
        hash_steps: 1,
    });
    join(&mut world);
    let path = world.find_path(Vec2::ZERO, Vec2::new(0.0, 5.0), 0.5);
    assert!(path.is_ok(), "{path:?}");
    run(&mut world, 3);
    let recording = WorldRecording::open(world.end_recording()).expect("it is whole");
    let mut player = recording.player().expect("it begins with a save");
    while let Some(call) = player.next_call().expect("it is whole") {
        player.play(call, &Inline).expect("the world made the call");
        assert_eq!(player.first_difference(), None, "step {}", player.steps());
    }
    assert_eq!(player.steps(), 3);
}

#[test]
fn an_agent_that_a_resource_loses_leaves_its_body_at_rest() {
    let text = r#"(
        settings: (gravity: (0, 0)),
        entities: {"rat": {
            "body": Body(kind: Kinematic),
            "legs": Agent(goal: (50, 0), speed: 2),
        }},
        place: [Row(name: "rat", entity: "rat", count: 2, step: (0, 5))],
    )"#;
    let scene = Scene::parse("rats.ron", text).expect("it is a scene");
    let mut world = World::from_scene(&scene).expect("it is sound");
    run(&mut world, 30);
    let rats = ["rat[0]", "rat[1]"].map(|name| named(&world, name));
    let velocity = |world: &World, rat: Entity| world.get(rat, "body.linear_velocity");
    assert_eq!(velocity(&world, rats[0]), Ok(Value::Vec2(Vec2::new(2.0, 0.0))));
    // One of them is at a standstill already, and is pushed by the game: that is not the agent's doing.
    let own = Value::Vec2(Vec2::new(0.0, 3.0));
    world
        .set(
            rats[1],
            "legs.goal",
            Value::Vec2(world.pose(rats[1]).expect("it has one").position),
        )
        .expect("it is a goal");
    run(&mut world, 2);
    assert_eq!(world.get(rats[1], "legs.arrived"), Ok(Value::Bool(true)));
    world
        .set(rats[1], "body.linear_velocity", own.clone())
        .expect("it is a velocity");
    let kind = [("kind", Value::String("Kinematic".into()))];
    world
        .define(vec![
            ResourceDefinition::new("rat").component("body", "Body", kind),
        ])
        .expect("it is a resource");
    assert!(world.entities().find(rats[0], "legs").is_none());
    run(&mut world, 10);
    assert_eq!(velocity(&world, rats[0]), Ok(Value::Vec2(Vec2::ZERO)));
    assert_eq!(velocity(&world, rats[1]), Ok(own));
}
