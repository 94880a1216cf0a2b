//! Many worlds in one call: the same bits for every division, Gymnasium's three ways to go on after an end.
#![allow(clippy::disallowed_methods)]

use tombolo_environments::{
    Action, Actions, Autoreset, Batch, Environment, EnvironmentError, LanderOptions, LunarLander, Reset,
};
use tombolo_threads::{Executor, Inline, Pool};

const STEPS: i64 = 150;

fn landers(count: usize, autoreset: Autoreset, steps_max: Option<u32>) -> Batch<LunarLander> {
    let options = LanderOptions {
        enable_wind: true,
        ..LanderOptions::default()
    };
    Batch::new(count, &options, autoreset, steps_max).expect("in range")
}

/// The action of a world in a step, whatever batch it is in.
fn action(world: usize, step: i64) -> i64 {
    (world as i64 * 5 + step * step / 7) % 4
}

/// All that each world gave in each step, by world.
fn run(first: usize, count: usize, executor: &dyn Executor) -> Vec<Vec<u64>> {
    let mut batch = landers(count, Autoreset::NextStep, Some(120));
    let seeds: Vec<u128> = (first..first + count).map(|world| world as u128).collect();
    batch.reset(&seeds).expect("as many seeds as worlds");
    let mut seen = vec![Vec::new(); count];
    for step in 0..STEPS {
        let actions: Vec<i64> = (first..first + count).map(|world| action(world, step)).collect();
        batch
            .step(Actions::Discrete(&actions), executor)
            .expect("the actions exist");
        for (world, seen) in seen.iter_mut().enumerate() {
            seen.push(batch.rewards()[world].to_bits());
            seen.push(u64::from(batch.terminated()[world]) + 2 * u64::from(batch.truncated()[world]));
            seen.extend(
                batch.observations()[world * 8..][..8]
                    .iter()
                    .map(|number| u64::from(number.to_bits())),
            );
        }
    }
    seen
}

#[test]
fn a_world_gives_the_same_bits_in_every_batch_and_on_any_number_of_threads() {
    const WORLDS: usize = 24;
    let alone: Vec<Vec<u64>> = (0..WORLDS).flat_map(|world| run(world, 1, &Inline)).collect();
    for (size, threads) in [(WORLDS, 1), (WORLDS, 3), (8, 2), (5, 8)] {
        let pool = Pool::new(threads).expect("threads can be had");
        for first in (0..WORLDS).step_by(size) {
            let count = size.min(WORLDS - first);
            assert_eq!(
                run(first, count, &pool),
                alone[first..first + count],
                "batch of {count}, {threads} threads"
            );
        }
    }
}

/// Steps until an episode ends; the step in which it did.
fn until_end(batch: &mut Batch<LunarLander>) -> u32 {
    for step in 1..1000 {
        batch
            .step(Actions::Discrete(&[0]), &Inline)
            .expect("the action exists");
        if batch.terminated()[0] {
            return step;
        }
    }
    panic!("a craft without engines comes down");
}

/// The same episodes with a single environment: the observation at the end of the first, and that at the start of the next.
fn end_and_start() -> ([f32; 8], [f32; 8]) {
    let mut lander = LunarLander::new(&LanderOptions {
        enable_wind: true,
        ..LanderOptions::default()
    })
    .expect("in range");
    lander.reset(Some(9)).expect("the scene stands");
    while !lander
        .step(Action::Discrete(0))
        .expect("the action exists")
        .terminated
    {}
    let seen = |lander: &LunarLander| <[f32; 8]>::try_from(lander.observation()).expect("eight numbers");
    let end = seen(&lander);
    lander.reset(None).expect("the scene stands");
    (end, seen(&lander))
}

#[test]
fn the_step_after_an_end_resets_or_the_same_step_or_none() {
    let (end, start) = end_and_start();
    let mut next = landers(1, Autoreset::NextStep, None);
    next.reset(&[9]).expect("one seed");
    let length = until_end(&mut next);
    assert_eq!(next.observations(), end);
    assert_eq!(next.rewards(), [-100.0]);
    next.step(Actions::Discrete(&[2]), &Inline)
        .expect("the action exists");
    assert_eq!((next.observations(), next.rewards()), (&start[..], &[0.0][..]));
    assert_eq!(
        (next.terminated(), next.truncated()),
        (&[false][..], &[false][..])
    );

    let mut same = landers(1, Autoreset::SameStep, None);
    same.reset(&[9]).expect("one seed");
    assert_eq!(until_end(&mut same), length);
    assert_eq!(
        (same.observations(), same.final_observations()),
        (&start[..], &end[..])
    );
    assert_eq!(same.rewards(), [-100.0]);

    let mut disabled = landers(1, Autoreset::Disabled, None);
    disabled.reset(&[9]).expect("one seed");
    assert_eq!(until_end(&mut disabled), length);
    assert_eq!(disabled.observations(), end);
    disabled.reset_world(0, None).expect("there is a world");
    assert_eq!(
        (disabled.observations(), disabled.terminated()),
        (&start[..], &[false][..])
    );
}

#[test]
fn an_episode_of_the_most_steps_is_truncated_and_a_save_knows_its_length() {
    let mut batch = landers(2, Autoreset::NextStep, Some(10));
    batch.reset(&[1, 2]).expect("two seeds");
    for _ in 0..6 {
        batch
            .step(Actions::Discrete(&[0, 2]), &Inline)
            .expect("the actions exist");
    }
    let save = batch.save(1).expect("there is a second world");
    let mut other = landers(1, Autoreset::NextStep, Some(10));
    other.restore(0, &save).expect("it is a save");
    assert_eq!(other.observations(), &batch.observations()[8..]);
    for step in 7..=10 {
        batch
            .step(Actions::Discrete(&[0, 2]), &Inline)
            .expect("the actions exist");
        other
            .step(Actions::Discrete(&[2]), &Inline)
            .expect("the action exists");
        assert_eq!(other.observations(), &batch.observations()[8..]);
        assert_eq!(
            (batch.truncated(), other.truncated()),
            (&[step == 10; 2][..], &[step == 10][..])
        );
    }
}

#[test]
fn wrong_numbers_of_actions_and_seeds_are_refused() {
    let mut batch = landers(2, Autoreset::Disabled, None);
    let refused = batch
        .step(Actions::Discrete(&[0, 0]), &Inline)
        .expect_err("it was never reset");
    assert_eq!(refused.to_string(), "world 0 needs a reset before its first step");
    batch.reset_world(0, Some(1)).expect("there is a world");
    let before = batch.save(0).expect("there is a world");
    let refused = batch.step(Actions::Discrete(&[2, 2]), &Inline);
    assert!(matches!(refused, Err(EnvironmentError::NotReset { world: 1 })));
    let after = batch.save(0).expect("there is a world");
    assert_eq!(after, before, "the other world has not moved");
    assert!(matches!(
        batch.reset(&[1]),
        Err(EnvironmentError::Length {
            got: 1,
            expected: 2,
            ..
        })
    ));
    batch.reset(&[1, 2]).expect("two seeds");
    let before = batch.observations().to_vec();
    for actions in [
        Actions::Discrete(&[0]),
        Actions::Discrete(&[0, 4]),
        Actions::Continuous(&[0.0; 4]),
    ] {
        assert!(batch.step(actions, &Inline).is_err(), "{actions:?}");
    }
    assert_eq!(batch.observations(), before);
    assert!(matches!(
        batch.reset_world(2, None),
        Err(EnvironmentError::NoWorld { got: 2, count: 2 })
    ));
    assert!(batch.save(2).is_err() && batch.restore(0, &[1, 2, 3]).is_err());
    let mut none = landers(0, Autoreset::NextStep, None);
    none.reset(&[]).expect("no seeds");
    none.step(Actions::Discrete(&[]), &Inline).expect("nothing to do");
}

#[test]
fn a_save_after_an_automatic_reset_is_one_of_the_new_episode() {
    let mut same = landers(1, Autoreset::SameStep, None);
    same.reset(&[9]).expect("one seed");
    until_end(&mut same);
    let save = same.save(0).expect("there is a world");
    same.step(Actions::Discrete(&[2]), &Inline)
        .expect("the action exists");
    for autoreset in [Autoreset::NextStep, Autoreset::SameStep, Autoreset::Disabled] {
        let mut other = landers(1, autoreset, None);
        other.restore(0, &save).expect("it is a save");
        assert_eq!(other.terminated(), [false], "{autoreset:?}");
        other
            .step(Actions::Discrete(&[2]), &Inline)
            .expect("the action exists");
        assert_eq!(other.observations(), same.observations(), "{autoreset:?}");
    }
}

#[test]
fn the_action_of_a_step_that_only_resets_may_be_anything() {
    let mut batch = landers(2, Autoreset::NextStep, Some(10));
    batch.reset(&[1, 2]).expect("two seeds");
    let idle = Actions::Discrete(&[0, 0]);
    for _ in 0..5 {
        batch.step(idle, &Inline).expect("the actions exist");
    }
    batch.reset_world(1, Some(3)).expect("there is a world");
    for _ in 0..5 {
        batch.step(idle, &Inline).expect("the actions exist");
    }
    assert_eq!(batch.truncated(), [true, false]);
    assert!(batch.step(Actions::Discrete(&[0, -1]), &Inline).is_err());
    batch
        .step(Actions::Discrete(&[-1, 0]), &Inline)
        .expect("the first world begins an episode");
    assert!(batch.step(Actions::Discrete(&[-1, 0]), &Inline).is_err());
}

#[test]
fn a_save_of_other_options_is_refused_and_changes_nothing() {
    let lander = |gravity| {
        let options = LanderOptions {
            gravity,
            ..LanderOptions::default()
        };
        let mut batch = Batch::<LunarLander>::new(1, &options, Autoreset::NextStep, None).expect("in range");
        batch.reset(&[1]).expect("one seed");
        batch
    };
    let (heavy, mut light) = (lander(-10.0), lander(-5.0));
    let before = light.save(0).expect("there is a world");
    let save = heavy.save(0).expect("there is a world");
    assert!(matches!(
        light.restore(0, &save),
        Err(EnvironmentError::OtherOptions)
    ));
    assert_eq!(light.save(0).expect("there is a world"), before);
}

#[test]
fn resets_on_several_threads_are_those_of_single_worlds() {
    let pool = Pool::new(3).expect("threads can be had");
    let count = 13;
    let mut batch = landers(count, Autoreset::Disabled, None);
    let mut singles: Vec<_> = (0..count)
        .map(|_| landers(1, Autoreset::Disabled, None))
        .collect();
    let seeds: Vec<u128> = (0..count as u128).collect();
    batch.reset(&seeds).expect("as many seeds");
    for (single, seed) in singles.iter_mut().zip(&seeds) {
        single.reset(&[*seed]).expect("one seed");
    }
    let reset = |world: usize| match world % 3 {
        0 => None,
        1 => Some(Reset::default()),
        _ => Some(Reset {
            seed: Some(100 + world as u128),
            keeps_look: world.is_multiple_of(2),
        }),
    };
    for round in 0..4 {
        for _ in 0..5 {
            batch
                .step(Actions::Discrete(&vec![round; count]), &pool)
                .expect("the actions exist");
        }
        let resets: Vec<_> = (0..count).map(reset).collect();
        batch.reset_worlds(&resets, &pool).expect("the scene stands");
        for (world, single) in singles.iter_mut().enumerate() {
            for _ in 0..5 {
                single
                    .step(Actions::Discrete(&[round]), &Inline)
                    .expect("the action exists");
            }
            single
                .reset_worlds(&[resets[world]], &Inline)
                .expect("the scene stands");
            let (row, reward) = (&batch.observations()[8 * world..][..8], batch.rewards()[world]);
            assert_eq!(row, single.observations(), "world {world}, round {round}");
            assert_eq!(
                reward,
                single.rewards()[0],
                "a world that is left has its last reward"
            );
            assert_eq!(reward == 0.0, world % 3 != 0, "world {world}, round {round}");
        }
    }
    let refused = batch.reset_worlds(&[None], &pool);
    assert!(matches!(
        refused,
        Err(EnvironmentError::Length {
            got: 1,
            expected: 13,
            ..
        })
    ));
}
