//! Random worlds under random calls: nothing panics, every structure holds, and neither workers, nor lanes, nor clones,
//! nor a save and restore change a bit.
//!
//! `TOMBOLO_TEST_SCALE` multiplies the number of steps, `TOMBOLO_FUZZ_SEED` sets the first seed. A failure
//! names the seed that repeats it.
#![allow(clippy::print_stderr)]

use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::scale::scaled;
use crate::world_support::{DT, SeedOnPanic, first_seed};
use tombolo_physics::{LaneWidth, PhysicsWorld};
use tombolo_threads::Pool;

/// Steps of all worlds together, at a scale of one.
const STEPS_USUALLY: usize = 3_000;

/// Steps of one world.
const STEPS_PER_WORLD: usize = 300;

/// Steps every world with a pool of its own and compares them.
fn step(fuzz: &mut RandomWorlds, pools: &[Pool]) {
    // Now and then a step without time, or a long one.
    let dt = match fuzz.random.below(40) {
        0 => 0.0,
        1 => 0.1,
        _ => DT,
    };
    for (world, pool) in fuzz.worlds.iter_mut().zip(pools) {
        world.step_with(dt, pool).unwrap();
        world.validate();
    }
    let hashes: Vec<u64> = fuzz.worlds.iter().map(PhysicsWorld::state_hash).collect();
    assert!(
        hashes.iter().all(|&hash| hash == hashes[0]),
        "hashes part: {hashes:x?}"
    );
    for body in fuzz.worlds.iter().flat_map(PhysicsWorld::bodies) {
        assert!(body.position().is_finite(), "no place is ever lost");
        // A body that was pushed beyond all numbers is found when it is next moved.
        let was_moved = body.is_enabled() && dt > 0.0;
        assert!(
            !was_moved || body.linear_velocity().is_finite(),
            "what moves stays finite"
        );
    }
}

/// Replaces the last world by a clone of the first, or by its save.
fn renew_last(fuzz: &mut RandomWorlds) {
    let clone = if fuzz.random.chance(2) {
        fuzz.worlds[0].clone()
    } else {
        PhysicsWorld::from_save(&fuzz.worlds[0].save()).expect("a world's own save is good")
    };
    assert_eq!(clone.state_hash(), fuzz.worlds[0].state_hash());
    fuzz.worlds[2] = clone;
}

#[test]
fn fuzz_world() {
    let steps = scaled(STEPS_USUALLY);
    let first_seed = first_seed(1);
    let pools = [1, 3, 2].map(|workers| Pool::new(workers).unwrap());
    for seed in first_seed..first_seed + steps.div_ceil(STEPS_PER_WORLD) as u64 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut fuzz = RandomWorlds::new(seed, pools.len());
        fuzz.worlds[1].set_lanes(LaneWidth::One).unwrap();
        for index in 0..STEPS_PER_WORLD {
            fuzz.calls();
            if index % 50 == 25 {
                renew_last(&mut fuzz);
            }
            step(&mut fuzz, &pools);
        }
    }
}
