//! Random calls on composites among all others: nothing panics, every structure holds, and neither workers, nor lanes, nor
//! clones, nor frames, nor a save and restore change a bit.
//!
//! `TOMBOLO_TEST_SCALE` multiplies the number of calls, `TOMBOLO_FUZZ_SEED` sets the first seed. A failure names the
//! seed that repeats it.

use crate::world_support::random_calls::RandomWorlds;
use crate::world_support::scale::scaled;
use crate::world_support::{DT, SeedOnPanic, first_seed};
use tombolo_physics::{LaneWidth, PhysicsWorld};
use tombolo_threads::Pool;

/// Calls of all worlds together, at a scale of one.
const CALLS_USUALLY: usize = 4_000;

/// Calls in the life of one world.
const CALLS_PER_WORLD: usize = 2_000;

#[test]
fn random_calls_on_composites_leave_worlds_whole_and_alike() {
    let calls = scaled(CALLS_USUALLY);
    let first_seed = first_seed(1);
    let pools = [1, 2, 3].map(|workers| Pool::new(workers).unwrap());
    let (mut broken, mut parted) = (0, 0);
    for seed in first_seed..first_seed + calls.div_ceil(CALLS_PER_WORLD) as u64 {
        let _names_the_seed = SeedOnPanic(seed);
        let mut fuzz = RandomWorlds::new(seed, pools.len());
        fuzz.worlds[1].set_lanes(LaneWidth::One).unwrap();
        let mut left = CALLS_PER_WORLD;
        while left > 0 {
            for _ in 0..8 {
                fuzz.call_about_a_composite();
                left -= 1;
            }
            fuzz.call();
            if fuzz.random.chance(10) {
                let save = fuzz.worlds[0].save();
                fuzz.worlds[2] = if fuzz.random.chance(2) {
                    fuzz.worlds[0].clone()
                } else {
                    PhysicsWorld::from_save(&save).expect("a world's own save is good")
                };
            }
            let frame = fuzz.random.chance(8).then(|| fuzz.worlds[1].frame());
            if let Some(frame) = frame {
                fuzz.worlds[1].step_with(DT, &pools[1]).unwrap();
                fuzz.worlds[1].restore_frame(&frame);
            }
            for (world, pool) in fuzz.worlds.iter_mut().zip(&pools) {
                world.step_with(DT, pool).unwrap();
                world.validate();
            }
            let events = fuzz.worlds[0].events();
            broken += events.rigid_weld().iter().filter(|event| event.broke).count();
            parted += events.cut().len();
            let hashes: Vec<u64> = fuzz.worlds.iter().map(PhysicsWorld::state_hash).collect();
            assert!(
                hashes.iter().all(|&hash| hash == hashes[0]),
                "hashes part: {hashes:x?}"
            );
        }
    }
    assert!(
        broken > 20 && parted > 40,
        "{broken} welds broke, {parted} bodies parted"
    );
}
