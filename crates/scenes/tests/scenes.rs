//! The benchmark scenes: they hold what the published ones hold, vary with the seed by the promised amount, and step
//! alike on every number of threads.

use tombolo_physics::{
    BodyDef, BodyId, BodyKind, ChainDef, JointDef, PhysicsError, PhysicsWorld, Shape, ShapeDef, Vec2,
};
use tombolo_scenes::{self as scenes, BuildError, SCENES, STEP_S, SceneInfo, SceneTarget, Suite};
use tombolo_threads::{Executor, Inline, Pool};

fn built(scene: &SceneInfo, size: u32, seed: u64) -> PhysicsWorld {
    let mut world = PhysicsWorld::new(&scene.world_def()).unwrap();
    scene.build(size, seed, &mut world).unwrap();
    world
}

/// Bodies, dynamic bodies, shapes and joints of the full sizes, as Box2D's benchmark program counts them; of `rain` only
/// the ground, since the rain has not begun.
const COUNTS: &[(&str, [usize; 4])] = &[
    ("large_pyramid", [5051, 5050, 5051, 0]),
    ("many_pyramids", [22001, 22000, 22020, 0]),
    ("tumbler", [2027, 2026, 2029, 1]),
    ("joint_grid", [10000, 9993, 10000, 19800]),
    ("compounds", [3001, 3000, 6282, 0]),
    ("smash", [9601, 9601, 9601, 0]),
    ("junkyard", [8002, 8000, 8262, 0]),
    ("spinner", [6078, 6077, 6437, 1]),
    ("washer", [8102, 8100, 8140, 0]),
    ("rain", [1, 0, 2505, 0]),
    ("falling_hinges", [81, 80, 81, 40]),
];

#[test]
fn full_sizes_hold_what_the_published_scenes_hold() {
    let published = SCENES
        .iter()
        .filter(|scene| !matches!(scene.suite, Suite::HeldOut | Suite::Joints));
    assert_eq!(COUNTS.len(), published.count());
    for (name, expected) in COUNTS {
        let scene = scenes::find(name).unwrap();
        let world = built(scene, scene.size, 0);
        let dynamic = world
            .bodies()
            .filter(|body| body.kind() == BodyKind::Dynamic)
            .count();
        let counts = [
            world.bodies().len(),
            dynamic,
            world.shapes().len(),
            world.joints().len(),
        ];
        assert_eq!(counts, *expected, "{name}");
    }
}

#[test]
fn names_differ_and_are_found() {
    for (index, scene) in SCENES.iter().enumerate() {
        assert!(SCENES[..index].iter().all(|other| other.name != scene.name));
        assert_eq!(scenes::find(scene.name).unwrap().name, scene.name);
        assert!(scene.size_small <= scene.size && scene.size <= scene.size_max);
    }
}

#[test]
fn sizes_out_of_range_are_refused_and_leave_the_world_empty() {
    for scene in SCENES {
        let mut world = PhysicsWorld::new(&scene.world_def()).unwrap();
        for got in [0, scene.size_max + 1] {
            let error = scene.build(got, 0, &mut world).unwrap_err();
            assert_eq!(
                error,
                BuildError::Size {
                    scene: scene.name,
                    got,
                    max: scene.size_max
                }
            );
        }
        assert_eq!(world.bodies().len(), 0);
    }
}

#[test]
fn every_size_up_to_the_largest_can_be_built() {
    for scene in SCENES {
        // The smallest of all, then the largest of those that build quickly.
        for size in [1, scene.size_max.min(scene.size_small * 4)] {
            built(scene, size, 0);
        }
    }
    for name in ["falling_hinges", "tumbler", "washer", "spinner"] {
        let scene = scenes::find(name).unwrap();
        built(scene, scene.size_max, 0);
    }
}

#[test]
fn a_seed_moves_bodies_a_little_and_always_alike() {
    for scene in SCENES.iter().filter(|scene| scene.name != "rain") {
        let [exact, moved, again, other] =
            [0, 7, 7, 8].map(|seed| built(scene, scene.size_small, seed).state_hash());
        assert_eq!(moved, again, "{}", scene.name);
        assert!(exact != moved && moved != other, "{}", scene.name);

        let (exact, moved) = (
            built(scene, scene.size_small, 0),
            built(scene, scene.size_small, 7),
        );
        for (a, b) in exact.bodies().zip(moved.bodies()) {
            let away = (b.position() - a.position()).abs().max_element();
            // The largest thing that is displaced is the eight meter box of `smash`.
            assert!(away <= 0.05 * 8.0 + 1e-4, "{}: {away} m", scene.name);
        }
    }
}

#[test]
fn every_scene_steps_alike_on_one_two_and_three_threads() {
    for scene in SCENES {
        let run = |executor: &dyn Executor| {
            let mut world = PhysicsWorld::new(&scene.world_def()).unwrap();
            let mut motion = scene.build(scene.size_small, 1, &mut world).unwrap();
            for step in 0..40 {
                motion.before_step(step, &mut world).unwrap();
                world.step_with(STEP_S, executor).unwrap();
            }
            world.validate();
            world.state_hash()
        };
        let one = run(&Inline);
        for workers in [2, 3] {
            assert_eq!(
                run(&Pool::new(workers).unwrap()),
                one,
                "{} on {workers}",
                scene.name
            );
        }
    }
}

#[test]
fn rain_brings_ragdolls_and_then_replaces_the_oldest() {
    let scene = scenes::find("rain").unwrap();
    let mut world = PhysicsWorld::new(&scene.world_def()).unwrap();
    let mut motion = scene.build(2, 0, &mut world).unwrap();
    let mut bodies = Vec::new();
    for step in 0..=16 {
        motion.before_step(step, &mut world).unwrap();
        bodies.push(world.bodies().len());
    }
    // 25 ragdolls of 11 bodies in each of two columns.
    assert_eq!(
        [bodies[0], bodies[7], bodies[8], bodies[16]],
        [276, 276, 551, 551]
    );
    assert_eq!(
        (world.joints().len(), world.shapes().len()),
        (50 * 10, 5 * 26 + 50 * 13)
    );
}

#[test]
fn the_pusher_swings_by_velocity() {
    /// Remembers the last velocity.
    struct Spy(Option<Vec2>, PhysicsWorld);
    impl SceneTarget for Spy {
        fn create_body(&mut self, def: &BodyDef) -> Result<BodyId, PhysicsError> {
            self.1.create_body(def)
        }
        fn create_shape(&mut self, _: BodyId, _: &ShapeDef, _: &Shape) -> Result<(), PhysicsError> {
            Ok(())
        }
        fn create_chain(&mut self, _: BodyId, _: &ChainDef) -> Result<(), PhysicsError> {
            Ok(())
        }
        fn create_joint(&mut self, _: &JointDef) -> Result<(), PhysicsError> {
            Ok(())
        }
        fn destroy_body(&mut self, body: BodyId) -> Result<(), PhysicsError> {
            self.1.destroy_body(body)
        }
        fn set_linear_velocity(&mut self, _: BodyId, velocity: Vec2) -> Result<(), PhysicsError> {
            self.0 = Some(velocity);
            Ok(())
        }
    }
    let scene = scenes::find("junkyard").unwrap();
    let mut spy = Spy(None, PhysicsWorld::new(&scene.world_def()).unwrap());
    let mut motion = scene.build(1, 0, &mut spy).unwrap();
    let mut x = 0.0_f64;
    for step in 0..=900 {
        motion.before_step(step, &mut spy).unwrap();
        x += f64::from(spy.0.take().unwrap().x) * f64::from(STEP_S);
        let target = 60.0 * libm::sin(0.2 * f64::from(step) / 60.0);
        assert!((x - target).abs() < 0.01, "step {step}: at {x}, not {target}");
    }
}
