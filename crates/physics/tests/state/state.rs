//! Cloning, saving and restoring: a copy has the same future, to the bit and to the id; nothing outside the listed
//! arrays matters; damaged bytes are refused and change nothing.

use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::worlds::{WORLDS, add_box, add_floor, empty, pile};
use crate::world_support::{DT, Random, SeedOnPanic};
use tombolo_physics::{
    BodyDef, PhysicsWorld, Pose, RestoreError, RevoluteDef, Shape, ShapeDef, Vec2, WorldDef,
};
use tombolo_threads::Pool;

/// How long two futures are compared.
const FUTURE_STEPS: usize = 300;

fn copies(world: &PhysicsWorld) -> [PhysicsWorld; 2] {
    let restored = PhysicsWorld::from_save(&world.save()).expect("a world's own save is good");
    [world.clone(), restored]
}

/// The ids that a world gives out next, one of each kind.
fn next_ids(world: &mut PhysicsWorld) -> impl PartialEq + std::fmt::Debug + use<> {
    let bodies = [0.0, 5.0].map(|x| world.create_body(&BodyDef::dynamic(x, 90.0)).unwrap());
    let circle = Shape::circle(Vec2::ZERO, 0.5).unwrap();
    let shape = world
        .create_shape(bodies[0], &ShapeDef::default(), &circle)
        .unwrap();
    let revolute = RevoluteDef::new(bodies[0], Vec2::ZERO, bodies[1], Vec2::ZERO);
    (bodies, shape, world.create_joint(revolute).unwrap())
}

/// Steps all worlds side by side; each has a number of workers of its own.
fn compare_futures(worlds: &mut [PhysicsWorld], pools: &[Pool], steps: usize) {
    for step in 0..steps {
        for (world, pool) in worlds.iter_mut().zip(pools) {
            world.step_with(DT, pool).unwrap();
        }
        let first = worlds[0].state_hash();
        for (index, world) in worlds.iter().enumerate() {
            assert_eq!(
                world.state_hash(),
                first,
                "world {index}, {step} steps after the copy"
            );
        }
    }
}

#[test]
fn copies_at_random_steps_have_the_same_future_and_the_same_ids() {
    let pools = [1, 2, 3].map(|workers| Pool::new(workers).unwrap());
    let mut random = Random(3);
    for named in &WORLDS {
        let mut world = (named.build)();
        for _ in 0..random.below(named.steps) {
            world.step(DT).unwrap();
        }
        let [clone, restored] = copies(&world);
        let mut worlds = [world, clone, restored];
        compare_futures(&mut worlds, &pools, FUTURE_STEPS);
        let [first, clone, restored] = worlds.each_mut().map(next_ids);
        assert!(clone == first && restored == first, "{}", named.name);
        compare_futures(&mut worlds, &pools, 10);
    }
}

#[test]
fn copies_in_mid_sleep_have_the_same_future() {
    let pools = [1, 2, 3].map(|workers| Pool::new(workers).unwrap());
    let mut world = empty();
    add_floor(&mut world);
    for i in 0..30 {
        add_box(&mut world, (i % 6) as f32 * 1.7 - 5.0, 0.6 + (i / 6) as f32 * 1.2);
    }
    // A box far up, which falls on the others when they sleep.
    add_box(&mut world, 0.0, 60.0);
    while world.counters().sleeping_bodies < 20 {
        world.step(DT).unwrap();
    }
    assert!(world.counters().awake_bodies > 0, "some sleep and some do not");
    let [clone, restored] = copies(&world);
    let mut worlds = [world, clone, restored];
    compare_futures(&mut worlds, &pools, FUTURE_STEPS);
    let [first, clone, restored] = worlds.each_mut().map(next_ids);
    assert!(clone == first && restored == first);
}

#[test]
fn copies_of_random_worlds_have_the_same_future() {
    let pools = [1, 2, 3].map(|workers| Pool::new(workers).unwrap());
    for seed in 40..46 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut calls = RandomWorlds::new(seed, 1);
        for _ in 0..40 + calls.random.below(60) {
            calls.calls();
            calls.worlds[0].step(DT).unwrap();
        }
        // A call between the last step and the copy leaves ends of touch to be reported.
        calls.call();
        let world = calls.worlds.remove(0);
        let [clone, restored] = copies(&world);
        compare_futures(&mut [world, clone, restored], &pools, FUTURE_STEPS / 3);
    }
}

/// A restore replaces the scratch and all else but the listed arrays; if a step depended on anything that is not on the
/// list, a world that is restored before every step would part from one that never is.
#[test]
fn a_world_that_is_restored_before_every_step_goes_the_same_way() {
    for named in &WORLDS {
        let (mut steady, mut restored) = ((named.build)(), (named.build)());
        for step in 0..150 {
            restored = PhysicsWorld::from_save(&restored.save()).unwrap();
            // What is reported changes nothing.
            restored.set_reports_boxes(step % 2 == 1);
            steady.step(DT).unwrap();
            restored.step(DT).unwrap();
            assert_eq!(
                restored.state_hash(),
                steady.state_hash(),
                "{} parts in step {step}",
                named.name
            );
            let (a, b) = (steady.events(), restored.events());
            assert_eq!(a.begin_touch(), b.begin_touch());
            assert_eq!(a.end_touch(), b.end_touch());
            assert_eq!(a.moved(), b.moved());
            assert_eq!((a.woke(), a.fell_asleep()), (b.woke(), b.fell_asleep()));
        }
    }
}

/// As above, with sensors, concave polygons, cuts, joints, sleep and calls between the steps.
#[test]
fn a_random_world_that_is_restored_before_every_step_goes_the_same_way() {
    for seed in 60..66 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut calls = RandomWorlds::new(seed, 2);
        for step in 0..120 {
            calls.calls();
            let save = calls.worlds[1].save();
            calls.worlds[1]
                .restore(&save)
                .unwrap_or_else(|error| panic!("step {step}: {error}"));
            for world in &mut calls.worlds {
                world.step(DT).unwrap();
            }
            let [a, b] = [&calls.worlds[0], &calls.worlds[1]];
            assert_eq!(a.state_hash(), b.state_hash(), "step {step}");
            let (a, b) = (a.events(), b.events());
            assert_eq!((a.begin_touch(), a.end_touch()), (b.begin_touch(), b.end_touch()));
            assert_eq!((a.moved(), a.hit()), (b.moved(), b.hit()));
            assert_eq!((a.enter(), a.leave()), (b.enter(), b.leave()));
            assert_eq!((a.woke(), a.fell_asleep()), (b.woke(), b.fell_asleep()));
            assert_eq!((a.cut(), a.frozen(), a.held()), (b.cut(), b.frozen(), b.held()));
        }
    }
}

/// The fields of a struct, as its source has them.
fn fields(source: &str, head: &str) -> Vec<String> {
    let body = source.split_once(head).expect("the struct is there").1;
    let body = body.split_once("\n    }\n").map_or(body, |(body, _)| body);
    let body = body.split_once("\n}\n").map_or(body, |(body, _)| body);
    body.lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && line.ends_with(','))
        .filter_map(|line| line.trim_start_matches("pub(crate) ").split_once(':'))
        .map(|(name, _)| name.to_string())
        .collect()
}

/// The state can only be declared as a list of persistent arrays; and what a world holds beside the state is known, with
/// the reason why no step depends on it.
#[test]
fn the_state_has_no_array_outside_the_list() {
    let world = include_str!("../../src/world/mod.rs");
    assert_eq!(
        fields(world, "pub struct PhysicsWorld {"),
        [
            "state",
            "events",            // cleared by every step before anything reads them
            "profile",           // times, told and never read
            "recycled_contacts", // a count, told and never read
            "callbacks",         // code: the state says which is used, and a world that lacks it says so
            "lanes",             // cannot change a result: see determinism.rs
            "batch_bodies_max",  // nor can this
            "is_profiling",      // whether times are taken
            "reports_boxes",     // whether events have boxes, which no step reads
            "watched",           // told to whoever watches, never read by a step
            "destroyed_shapes",  // likewise
            "geometry_version",  // told to whoever draws, never read by a step
            "image",             // what changes are compared with; told to frames, never read by a step
            "log",               // told what calls are made, never read by a step
            "scratch",           // replaced before every step in the test above
        ]
    );
    let state = include_str!("../../src/state/mod.rs");
    let (before, _) = state.split_once("struct State {").unwrap();
    assert!(
        before
            .rsplit_once("persistent_arrays! {")
            .is_some_and(|(_, between)| !between.contains('}')),
        "State is declared inside persistent_arrays!"
    );
    let listed: Vec<&str> = {
        let mut groups: Vec<&str> = pile().memory().iter().map(|array| array.group).collect();
        groups.dedup();
        groups
    };
    assert_eq!(
        fields(state, "pub(crate) struct State {"),
        listed,
        "the memory report, which is the list, names every field"
    );
}

/// A small world in the middle of things, and its save.
fn small() -> (PhysicsWorld, Vec<u8>) {
    let mut world = empty();
    add_floor(&mut world);
    let bodies = [0.5, 1.6].map(|y| add_box(&mut world, 0.0, y));
    world
        .create_joint(RevoluteDef::new(
            bodies[0],
            Vec2::new(0.0, 0.55),
            bodies[1],
            Vec2::new(0.0, -0.55),
        ))
        .unwrap();
    for _ in 0..20 {
        world.step(DT).unwrap();
    }
    let save = world.save();
    (world, save)
}

/// Restores `bytes` over `world`, which must be refused and leave it as it was.
fn refuse(world: &mut PhysicsWorld, bytes: &[u8]) -> RestoreError {
    let before = world.state_hash();
    let error = world.restore(bytes).expect_err("the bytes are not a good save");
    assert_eq!(world.state_hash(), before, "a refused save changes nothing");
    assert!(!error.to_string().is_empty());
    error
}

#[test]
fn a_save_with_any_byte_changed_is_refused() {
    let (mut world, save) = small();
    for index in 0..save.len() {
        for flip in [0x01, 0x80, 0xFF] {
            let mut damaged = save.clone();
            damaged[index] ^= flip;
            let error = refuse(&mut world, &damaged);
            match index {
                0..8 => assert_eq!(error, RestoreError::NotASave),
                8..12 => assert!(matches!(error, RestoreError::Version { .. })),
                _ => assert_eq!(error, RestoreError::Checksum, "byte {index}"),
            }
        }
    }
}

#[test]
fn a_save_cut_anywhere_or_with_bytes_behind_it_is_refused() {
    let (mut world, save) = small();
    for length in 0..save.len() {
        let error = refuse(&mut world, &save[..length]);
        match length {
            0..8 => assert_eq!(error, RestoreError::NotASave),
            8..20 => assert_eq!(error, RestoreError::Truncated),
            _ => assert_eq!(error, RestoreError::Checksum, "length {length}"),
        }
    }
    let mut longer = save.clone();
    longer.push(0);
    assert_eq!(refuse(&mut world, &longer), RestoreError::Checksum);
}

#[test]
fn a_save_of_another_version_names_both_versions() {
    let (mut world, mut save) = small();
    let version = u32::from_le_bytes(save[8..12].try_into().unwrap());
    // Saves before version 13 did not describe themselves.
    for found in [version + 1, 12, 0] {
        save[8..12].copy_from_slice(&found.to_le_bytes());
        let expected = version;
        assert_eq!(
            refuse(&mut world, &save),
            RestoreError::Version { found, expected }
        );
    }
}

#[test]
fn bytes_of_something_else_are_refused() {
    let (mut world, _) = small();
    let mut random = Random(8);
    let noise: Vec<u8> = (0..4096).map(|_| random.next() as u8).collect();
    let picture = b"\x89PNG\r\n\x1a\n and so on";
    for bytes in [&[][..], &noise, picture, b"TOMBOLO", &[0; 64]] {
        assert_eq!(refuse(&mut world, bytes), RestoreError::NotASave);
    }
}

#[test]
fn a_restored_world_says_again_what_was_not_yet_said() {
    let (mut world, _) = small();
    let body = world.bodies().nth(1).expect("the lower box").id();
    world.destroy_body(body).unwrap();
    let mut restored = PhysicsWorld::from_save(&world.save()).unwrap();
    assert!(
        restored.events().end_touch().is_empty(),
        "empty until the next step"
    );
    world.step(DT).unwrap();
    restored.step(DT).unwrap();
    assert!(!world.events().end_touch().is_empty());
    assert_eq!(world.events().end_touch(), restored.events().end_touch());
}

/// Nobody looks at the contact of two sleepers, so that it outlives the overlap of their boxes; such a save was refused.
#[test]
fn a_contact_of_sleepers_whose_boxes_parted_and_meet_again_is_saved() {
    let mut world = PhysicsWorld::new(&WorldDef {
        gravity: Vec2::ZERO,
        ..WorldDef::default()
    })
    .unwrap();
    let square = Shape::new_box(1.0, 1.0).unwrap();
    let [_, flyer] = [0.0, 1.0].map(|x| {
        let body = world.create_body(&BodyDef::dynamic(x, 0.0)).unwrap();
        world.create_shape(body, &ShapeDef::default(), &square).unwrap();
        body
    });
    world.step(DT).unwrap();
    // It flies out of reach, and is put to sleep before the contact is looked at again.
    let mut body = world.body_mut(flyer).unwrap();
    body.set_linear_velocity(Vec2::new(30.0, 0.0)).unwrap();
    world.step(DT).unwrap();
    assert!(world.body_mut(flyer).unwrap().sleep());
    world.step(DT).unwrap();
    let back = Pose {
        position: Vec2::new(1.0, 0.0),
        ..Pose::IDENTITY
    };
    world.body_mut(flyer).unwrap().set_pose(back).unwrap();

    world.validate();
    let mut restored = PhysicsWorld::from_save(&world.save()).expect("a world's own save is good");
    for _ in 0..10 {
        world.step(DT).unwrap();
        restored.step(DT).unwrap();
        assert_eq!(world.state_hash(), restored.state_hash());
        assert_eq!(restored.contacts().len(), 1, "they have one contact");
    }
}
