//! The benchmark scenes over 3,000 steps: what is in a container stays in it, and a pyramid that may sleep falls
//! asleep.
//!
//! The full sizes take a minute: `cargo test -p tombolo-scenes --test long_runs -- --ignored`.

use tombolo_physics::{BodyKind, BodyRef, PhysicsWorld, Vec2, WorldDef};
use tombolo_scenes::{self as scenes, STEP_S};

const STEPS: u32 = 3_000;

/// Meters by which the middle of a body may be inside a wall for a moment, when the crowd presses: a quarter of the
/// thinnest wall, and less than half of a body where the wall is a line.
const SLACK: f32 = 0.25;

/// What holds the bodies of a scene. A place is in the frame of the body that the scene creates second, which is the
/// drum where there is one.
struct Container {
    scene: &'static str,
    holds: fn(in_world: Vec2, in_drum: Vec2) -> bool,
}

const CONTAINERS: [Container; 4] = [
    Container {
        scene: "spinner",
        // The chain of 360 segments lies within 2 mm of its circle.
        holds: |place, _| place.distance(Vec2::new(0.0, 32.0)) < 40.0 + SLACK,
    },
    Container {
        scene: "tumbler",
        holds: |_, place| place.abs().max_element() < 9.5 + SLACK,
    },
    Container {
        scene: "washer",
        holds: |_, place| place.length() < 16.0 + SLACK,
    },
    Container {
        scene: "junkyard",
        holds: |place, _| place.x.abs() < 79.5 + SLACK && place.y > 0.5 - SLACK,
    },
];

fn stays_in(container: &Container, size: impl Fn(&scenes::SceneInfo) -> u32) {
    let scene = scenes::find(container.scene).unwrap();
    let mut world = PhysicsWorld::new(&scene.world_def()).unwrap();
    let mut motion = scene.build(size(scene), 0, &mut world).unwrap();
    let drum = world.bodies().nth(1).unwrap().id();
    for step in 0..STEPS {
        motion.before_step(step, &mut world).unwrap();
        world.step(STEP_S).unwrap();
        assert!(world.events().frozen().is_empty(), "{}, step {step}", scene.name);
        if step % 10 != 9 {
            continue;
        }
        let drum = world.body(drum).unwrap().pose();
        let is_out = |body: &BodyRef<'_>| {
            let place = body.position().to_vec2();
            !(container.holds)(place, drum.inverse_transform_point(place))
        };
        let mut dynamic = world.bodies().filter(|body| body.kind() == BodyKind::Dynamic);
        if let Some(body) = dynamic.find(is_out) {
            panic!(
                "{}: body {} is at {} after step {step}",
                scene.name,
                body.id().index(),
                body.position().to_vec2()
            );
        }
    }
}

#[test]
fn no_body_of_a_small_scene_leaves_its_container() {
    for container in &CONTAINERS {
        stays_in(container, |scene| scene.size_small);
    }
}

#[test]
#[ignore = "takes a minute"]
fn no_body_of_a_full_scene_leaves_its_container() {
    for container in &CONTAINERS {
        stays_in(container, |scene| scene.size);
    }
}

/// Steps until all boxes of a large pyramid sleep.
fn steps_to_sleep(size: u32) -> u32 {
    let scene = scenes::find("large_pyramid").unwrap();
    let def = WorldDef {
        sleeping: true,
        ..scene.world_def()
    };
    let mut world = PhysicsWorld::new(&def).unwrap();
    scene.build(size, 0, &mut world).unwrap();
    for step in 1..=STEPS {
        world.step(STEP_S).unwrap();
        if world.counters().awake_bodies == 0 {
            // Each row of what stood is still above the row below.
            let heights: Vec<f32> = world.bodies().map(|body| body.position().y).collect();
            let boxes = heights.len() - 1;
            assert_eq!(boxes as u32, size * (size + 1) / 2);
            assert!(
                heights[boxes] > 0.9 * size as f32 - 1.0,
                "the top is at {}",
                heights[boxes]
            );
            return step;
        }
    }
    panic!(
        "{} of {size} rows' boxes are awake",
        world.counters().awake_bodies
    );
}

#[test]
fn a_pyramid_that_may_sleep_comes_to_rest_and_sleeps() {
    let steps = steps_to_sleep(20);
    // Half a second of rest is the least.
    assert!(steps > 30, "{steps}");
}

#[test]
#[ignore = "takes some seconds"]
fn the_large_pyramid_comes_to_rest_and_sleeps() {
    let steps = steps_to_sleep(100);
    assert!(steps > 30, "{steps}");
}
