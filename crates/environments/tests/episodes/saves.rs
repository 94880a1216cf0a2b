//! What every environment owes: saves and forks with the same future, forged saves that do no harm, the same bits in every
//! batch and on any number of threads.
#![allow(clippy::disallowed_methods)]

use tombolo_environments::{
    Action, Actions, Autoreset, Batch, BipedalWalker, CarOptions, CarRacing, Environment, Generator,
    WalkerOptions,
};
use tombolo_threads::{Executor, Inline, Pool};

/// A number of an observation as bits.
trait Bits: Copy {
    fn bits(self) -> u64;
}

impl Bits for f32 {
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Bits for u8 {
    fn bits(self) -> u64 {
        u64::from(self)
    }
}

/// The action of a world in a step, whatever batch it is in.
fn action(width: usize, world: usize, step: usize) -> Vec<f32> {
    let mut random = Generator::new((world * 1000 + step / 5) as u128);
    (0..width).map(|_| random.uniform(-1.0, 1.0) as f32).collect()
}

/// Steps one environment; all that came out of it.
fn run<E: Environment<Number: Bits>>(
    environment: &mut E,
    width: usize,
    steps: std::ops::Range<usize>,
) -> Vec<u64> {
    let mut seen = Vec::new();
    for step in steps {
        let outcome = environment
            .step(Action::Continuous(&action(width, 0, step)))
            .expect("the action exists");
        seen.push(outcome.reward.to_bits());
        seen.extend(environment.observation().iter().map(|&number| number.bits()));
    }
    seen
}

fn check_futures<E: Environment<Number: Bits, Options: Default>>(options: &E::Options, width: usize) {
    for middle in [0, 1, 30] {
        let mut environment = E::new(options).expect("in range");
        environment.reset(Some(3)).expect("the scene stands");
        run(&mut environment, width, 0..middle);
        let (save, mut fork) = (environment.save(), environment.clone());
        let mut restored = E::new(&E::Options::default()).expect("in range");
        restored.restore(&save).expect("it is a save");
        assert_eq!(restored.save(), save);
        assert_eq!(restored.picture(), environment.picture());
        let future = run(&mut environment, width, middle..middle + 40);
        assert_eq!(run(&mut fork, width, middle..middle + 40), future);
        assert_eq!(run(&mut restored, width, middle..middle + 40), future);
        for other in [&mut environment, &mut restored] {
            other.reset(None).expect("the scene stands");
        }
        assert_eq!(environment.terrain(), restored.terrain(), "random numbers go on");
    }
}

fn check_forged<E: Environment>(options: &E::Options, width: usize) {
    let mut environment = E::new(options).expect("in range");
    environment.reset(Some(5)).expect("the scene stands");
    let save = environment.save();
    for cut in [0, 7, 8, 100, save.len() - 1] {
        assert!(environment.restore(&save[..cut]).is_err(), "{cut} bytes");
    }
    for place in (0..save.len().min(12_000)).step_by(13) {
        let mut forged = save.clone();
        forged[place] ^= 0x5A;
        let mut other = environment.clone();
        // What is let in can be used.
        if other.restore(&forged).is_ok() {
            other.step(Action::Continuous(&vec![0.5; width])).ok();
            other.save();
            other.picture();
            other.reset(None).expect("the scene stands");
        } else {
            assert_eq!(other.save(), save);
        }
    }
    assert_eq!(environment.save(), save);
}

/// All that each world gave in each step, by world.
fn run_batch<E: Environment<Number: Bits>>(
    options: &E::Options,
    width: usize,
    first: usize,
    count: usize,
    executor: &dyn Executor,
) -> Vec<Vec<u64>> {
    let mut batch = Batch::<E>::new(count, options, Autoreset::NextStep, Some(50)).expect("in range");
    let worlds = first..first + count;
    let seeds: Vec<u128> = worlds.clone().map(|world| world as u128).collect();
    batch.reset(&seeds).expect("as many seeds as worlds");
    let mut seen = vec![Vec::new(); count];
    for step in 0..70 {
        let actions: Vec<f32> = worlds
            .clone()
            .flat_map(|world| action(width, world, step))
            .collect();
        batch
            .step(Actions::Continuous(&actions), executor)
            .expect("the actions exist");
        let row = batch.observation_len();
        for (world, seen) in seen.iter_mut().enumerate() {
            seen.push(batch.rewards()[world].to_bits());
            seen.push(u64::from(batch.terminated()[world]) + 2 * u64::from(batch.truncated()[world]));
            seen.extend(
                batch.observations()[world * row..][..row]
                    .iter()
                    .map(|&number| number.bits()),
            );
        }
    }
    seen
}

fn check_batches<E: Environment<Number: Bits>>(options: &E::Options, width: usize) {
    const WORLDS: usize = 9;
    let alone: Vec<Vec<u64>> = (0..WORLDS)
        .flat_map(|world| run_batch::<E>(options, width, world, 1, &Inline))
        .collect();
    for (size, threads) in [(WORLDS, 2), (5, 5)] {
        let pool = Pool::new(threads).expect("threads can be had");
        for first in (0..WORLDS).step_by(size) {
            let count = size.min(WORLDS - first);
            let together = run_batch::<E>(options, width, first, count, &pool);
            assert_eq!(
                together,
                alone[first..first + count],
                "batch of {count}, {threads} threads"
            );
        }
    }
}

#[test]
fn a_walkers_save_and_fork_have_the_same_future() {
    check_futures::<BipedalWalker>(&WalkerOptions { hardcore: true }, 4);
}

#[test]
fn a_forged_walker_is_refused_or_harmless() {
    check_forged::<BipedalWalker>(&WalkerOptions { hardcore: true }, 4);
}

#[test]
fn a_walker_gives_the_same_bits_in_every_batch_and_on_any_number_of_threads() {
    check_batches::<BipedalWalker>(&WalkerOptions::default(), 4);
}

#[test]
fn a_cars_save_and_fork_have_the_same_future() {
    check_futures::<CarRacing>(
        &CarOptions {
            domain_randomize: true,
            ..CarOptions::default()
        },
        3,
    );
}

#[test]
fn a_forged_car_is_refused_or_harmless() {
    check_forged::<CarRacing>(&CarOptions::default(), 3);
}

#[test]
fn a_car_gives_the_same_bits_in_every_batch_and_on_any_number_of_threads() {
    check_batches::<CarRacing>(&CarOptions::default(), 3);
}
