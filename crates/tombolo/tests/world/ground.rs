//! Half-spaces and heightfields by name in scenes: bodies stand on them, they are saved, set by property, and refused with
//! the place of what is wrong.

use tombolo::entity::Value;
use tombolo::{Scene, World};

const GROUND: &str = r#"(
    entities: {
        "plain": {"body": Body(), "ground": Collider(shape: HalfSpace, position: (0, 1))},
        "slope": {"body": Body(), "ground": Collider(shape: HalfSpace, angle: 0.5)},
        "left": {"body": Body(), "ground": Collider(shape: Heightfield(spacing: 2, heights: [5, 6, 5], after: 4))},
        "right": {"body": Body(), "ground": Collider(shape: Heightfield(spacing: 2, heights: [5, 4, 4], before: 6))},
        "ball": {"body": Body(kind: Dynamic), "hull": Collider(shape: Circle(radius: 0.5))},
    },
    place: [
        One(name: "plain", entity: "plain"),
        One(name: "left", entity: "left", at: (100, 0)),
        One(name: "right", entity: "right", at: (104, 0)),
        One(name: "ball", entity: "ball", at: (-5000, 3)),
        One(name: "high", entity: "ball", at: (107.5, 6)),
    ],
)"#;

fn world(text: &str) -> World {
    let scene = Scene::parse("ground.ron", text).unwrap_or_else(|error| panic!("{error}"));
    World::from_scene(&scene).unwrap_or_else(|error| panic!("{error}"))
}

fn height(world: &World, name: &str) -> f32 {
    world.pose(world.find(name).unwrap()).unwrap().position.y
}

#[test]
fn bodies_stand_on_half_spaces_and_heightfields_of_scenes() {
    let mut world = world(GROUND);
    let mut again = world.clone();
    (0..240).for_each(|_| world.step());
    assert!(world.faults().is_empty(), "{:?}", world.faults());
    assert!(
        (height(&world, "ball") - 1.5).abs() < 0.01,
        "{}",
        height(&world, "ball")
    );
    assert!(
        (height(&world, "high") - 4.5).abs() < 0.01,
        "{}",
        height(&world, "high")
    );
    // What the save of the first steps becomes is the same.
    (0..60).for_each(|_| again.step());
    again.restore(&again.save()).unwrap();
    (0..180).for_each(|_| again.step());
    assert_eq!(again.state_hash(), world.state_hash());
}

#[test]
fn properties_turn_and_lift_them() {
    let mut world = world(GROUND);
    let plain = world.find("plain").unwrap();
    world
        .set(
            plain,
            "ground.position",
            Value::Vec2(tombolo::physics::Vec2::new(0.0, 2.0)),
        )
        .unwrap();
    (0..240).for_each(|_| world.step());
    assert!(
        (height(&world, "ball") - 2.5).abs() < 0.01,
        "{}",
        height(&world, "ball")
    );
    let points = world.get(world.find("left").unwrap(), "ground.points").unwrap();
    let Value::List(points) = points else {
        panic!("{points:?}")
    };
    assert_eq!(points.len(), 5, "with those next to the ends");
}

#[test]
fn what_is_no_ground_is_refused() {
    for (right, wrong, says) in [
        ("heights: [5, 6, 5]", "heights: [5]", "number of heights is 1"),
        (
            "spacing: 2, heights: [5, 6, 5]",
            "spacing: 0, heights: [5, 6, 5]",
            "spacing",
        ),
        (
            "Collider(shape: Circle(radius: 0.5))",
            "Collider(shape: HalfSpace)",
            "half-space",
        ),
        (
            "\"plain\": {\"body\": Body(), \"ground\": Collider(shape: HalfSpace, position: (0, 1))}",
            "\"plain\": {\"ground\": Zone(shape: HalfSpace)}",
            "has no end",
        ),
        (
            "\"plain\": {\"body\": Body(), \"ground\": Collider(shape: HalfSpace, position: (0, 1))}",
            "\"plain\": {\"ground\": Trigger(shape: Heightfield(heights: [1, 2]))}",
            "has no inside",
        ),
    ] {
        assert!(GROUND.contains(right), "{right}");
        let text = GROUND.replacen(right, wrong, 1);
        let error = match Scene::parse("ground.ron", &text) {
            Err(error) => error.to_string(),
            Ok(scene) => World::from_scene(&scene)
                .err()
                .map_or(String::new(), |error| error.to_string()),
        };
        assert!(error.contains(says), "{wrong}: {error}");
    }
}
