//! LunarLander beside what was recorded from Gymnasium's.
#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::support::{fold, from_hex, mean_and_deviation, pilot, recorded, same_distribution, smooth_pilot};
use tombolo_environments::{Action, Environment, EnvironmentError, LanderOptions, LunarLander};

fn lander(change: impl FnOnce(&mut LanderOptions)) -> LunarLander {
    let mut options = LanderOptions::default();
    change(&mut options);
    LunarLander::new(&options).expect("the options are in range")
}

/// Terrain, where wind and turbulence begin, and the number that is drawn after the null step.
fn drawn(seed: u128) -> Vec<f64> {
    let mut lander = lander(|options| options.enable_wind = true);
    lander.reset(Some(seed)).expect("the scene stands");
    let mut numbers = lander.terrain();
    numbers.extend(lander.wind().map(|place| (place - 1) as f64));
    numbers.push(lander.random().clone().uniform(-1.0, 1.0));
    numbers
}

#[test]
fn a_thousand_seeds_give_the_terrain_and_the_random_numbers_of_gymnasium() {
    let lines = recorded("lander.txt");
    for (seed, line) in lines[1..9].iter().enumerate() {
        let theirs: Vec<f64> = line.split(' ').map(from_hex).collect();
        assert_eq!(drawn(seed as u128), theirs, "seed {seed}");
    }
    let digest = (0..1000).fold(0xCBF2_9CE4_8422_2325, |digest, seed| fold(digest, &drawn(seed)));
    assert_eq!(format!("{digest:016x}"), lines[0]);
}

#[test]
fn the_first_observation_is_gymnasiums() {
    for (seed, line) in recorded("lander.txt")[9..].iter().enumerate() {
        let theirs: Vec<f32> = line
            .split(' ')
            .map(|number| number.parse().expect("a number"))
            .collect();
        let mut lander = lander(|_| {});
        lander.reset(Some(seed as u128)).expect("the scene stands");
        // Place and velocity are the original's but for what the joints, which are springs, still owe after a step; the
        // spin comes from the legs alone, and its share of the angle is that of a step.
        let bounds = [0.001, 0.001, 0.005, 0.005, 0.006, 0.02, 0.0, 0.0];
        for (place, (ours, theirs)) in lander.observation().iter().zip(theirs).enumerate() {
            let apart = (ours - theirs).abs();
            assert!(
                apart <= bounds[place],
                "seed {seed}, number {place}: {ours} and {theirs}"
            );
        }
    }
}

/// Return, length, and whether it crashed.
fn fly(lander: &mut LunarLander, seed: u128, continuous: bool) -> [f64; 3] {
    lander.reset(Some(seed)).expect("the scene stands");
    let (mut total, mut crashed) = (0.0, false);
    for length in 1..=lander.steps_max() {
        let numbers = smooth_pilot(lander.observation());
        let action = if continuous {
            Action::Continuous(&numbers)
        } else {
            Action::Discrete(pilot(lander.observation()))
        };
        let outcome = lander.step(action).expect("the action exists");
        total += outcome.reward;
        if outcome.terminated {
            crashed = outcome.reward < 0.0;
            return [total, f64::from(length), f64::from(u8::from(crashed))];
        }
    }
    [total, f64::from(lander.steps_max()), f64::from(u8::from(crashed))]
}

/// Flies the seeds, and holds returns, lengths and crashes to those of Gymnasium.
fn compare_scores(continuous: bool) {
    let lines = recorded("lander-scores.txt");
    let first = if continuous { 3 } else { 0 };
    let (mut ours, mut theirs) = ([const { Vec::new() }; 3], [const { Vec::new() }; 3]);
    let mut lander = lander(|options| options.continuous = continuous);
    for (seed, line) in lines.iter().enumerate() {
        let numbers: Vec<f64> = line
            .split(' ')
            .map(|number| number.parse().expect("a number"))
            .collect();
        let flown = fly(&mut lander, seed as u128, continuous);
        for place in 0..3 {
            ours[place].push(flown[place]);
            theirs[place].push(numbers[first + place]);
        }
    }
    let standard_error = |numbers: &[f64]| {
        let (_, deviation) = mean_and_deviation(numbers);
        deviation / (numbers.len() as f64).sqrt()
    };
    let mean = |numbers: &[f64]| mean_and_deviation(numbers).0;
    let apart = (mean(&ours[0]) - mean(&theirs[0])).abs()
        / standard_error(&ours[0]).hypot(standard_error(&theirs[0]));
    let likely = same_distribution(&ours[0], &theirs[0]);
    let (scored, recorded) = (mean_and_deviation(&ours[0]), mean_and_deviation(&theirs[0]));
    eprintln!(
        "continuous {continuous}: returns {scored:?}, Gymnasium {recorded:?}, {apart:.2} standard errors, p {likely:.3}"
    );
    assert!(apart < 3.0, "{apart} standard errors apart");
    assert!(likely > 0.01, "p = {likely}");
    // Known to differ: a craft that stands comes to rest later here (docs/performance/environments.md). It must not
    // become worse than it was measured.
    let lengths = [mean(&ours[1]), mean(&theirs[1])];
    eprintln!("lengths {lengths:?}");
    assert!(lengths[0] < 1.2 * lengths[1], "lengths {lengths:?}");
    let crashes = [mean(&ours[2]), mean(&theirs[2])];
    eprintln!("crashes {crashes:?}");
    assert!((crashes[0] - crashes[1]).abs() < 0.03, "crashes {crashes:?}");
}

#[test]
fn the_pilot_scores_as_in_gymnasium() {
    compare_scores(false);
}

#[test]
fn the_smooth_pilot_scores_as_in_gymnasium() {
    compare_scores(true);
}

/// An action that is held for five steps; `record.py` has the same.
fn blind(seed: u64, step: u64) -> i64 {
    let seeded = (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = seeded.wrapping_add((step / 5 + 1).wrapping_mul(0xD1B5_4A32_D192_ED03));
    (mixed >> 62) as i64
}

/// The return and the length of an episode whose actions do not depend on what is seen.
fn fall(lander: &mut LunarLander, seed: u64, choose: fn(u64, u64) -> i64) -> [f64; 2] {
    lander.reset(Some(u128::from(seed))).expect("the scene stands");
    let mut total = 0.0;
    for step in 0..u64::from(lander.steps_max()) {
        let action = Action::Discrete(choose(seed, step));
        let outcome = lander.step(action).expect("the action exists");
        total += outcome.reward;
        if outcome.terminated {
            return [total, (step + 1) as f64];
        }
    }
    [total, f64::from(lander.steps_max())]
}

/// Crashes that were not flown, as those are that learning begins with: the hull must come to the ground when the legs do,
/// and not be flung up by them, to lose points as it spins.
#[test]
fn a_hard_landing_ends_about_as_in_gymnasium() {
    let lines = recorded("lander-falls.txt");
    let mut lander = lander(|_| {});
    let kinds: [fn(u64, u64) -> i64; 2] = [|_, _| 0, blind];
    for (kind, choose) in kinds.into_iter().enumerate() {
        let (mut ours, mut theirs) = ([const { Vec::new() }; 2], [const { Vec::new() }; 2]);
        for (seed, line) in lines.iter().enumerate() {
            let numbers: Vec<f64> = line
                .split(' ')
                .map(|number| number.parse().expect("a number"))
                .collect();
            let fallen = fall(&mut lander, seed as u64, choose);
            for place in 0..2 {
                ours[place].push(fallen[place]);
                theirs[place].push(numbers[2 * kind + place]);
            }
        }
        let [returns, recorded] = [&ours[0], &theirs[0]].map(|all| mean_and_deviation(all));
        let pairs = ours[0].iter().zip(&theirs[0]);
        let lost = pairs.filter(|(ours, theirs)| **ours < **theirs - 150.0).count();
        let stay = ours[1].iter().filter(|&&length| length > 300.0).count();
        eprintln!(
            "kind {kind}: returns {returns:?}, Gymnasium {recorded:?}; {lost} lost 150 more, {stay} went on"
        );
        assert!((returns.0 - recorded.0).abs() < 15.0, "{returns:?}, {recorded:?}");
        assert!(returns.1 < 1.15 * recorded.1, "{returns:?}, {recorded:?}");
        assert!(lost < [5, 22][kind], "{lost} lost 150 points more");
        // Known to differ: a craft in a hundred stands after a blow to one leg that ends the episode in the original.
        assert!(stay <= 5, "{stay} of 300 did not crash");
    }
}

/// Steps with actions that depend on the step alone; all that came out of it.
fn run(lander: &mut LunarLander, steps: std::ops::Range<i64>) -> Vec<u64> {
    let mut seen = Vec::new();
    for step in steps {
        let outcome = lander
            .step(Action::Discrete(step * 7 % 4))
            .expect("the action exists");
        seen.push(outcome.reward.to_bits());
        seen.extend(
            lander
                .observation()
                .iter()
                .map(|number| u64::from(number.to_bits())),
        );
    }
    seen
}

#[test]
fn a_save_and_a_fork_in_the_middle_of_an_episode_have_the_same_future() {
    for middle in [0, 1, 40, 90] {
        let mut lander = lander(|options| options.enable_wind = true);
        lander.reset(Some(3)).expect("the scene stands");
        run(&mut lander, 0..middle);
        let (save, mut fork) = (lander.save(), lander.clone());
        let mut restored = LunarLander::new(&LanderOptions::default()).expect("in range");
        restored.restore(&save).expect("it is a save");
        assert_eq!(restored.save(), save);
        assert_eq!(restored.observation(), lander.observation());
        let future = run(&mut lander, middle..middle + 60);
        assert_eq!(run(&mut fork, middle..middle + 60), future);
        assert_eq!(run(&mut restored, middle..middle + 60), future);
        for other in [&mut lander, &mut restored] {
            other.reset(None).expect("the scene stands");
        }
        assert_eq!(lander.terrain(), restored.terrain(), "random numbers go on");
    }
}

#[test]
fn a_damaged_save_is_refused_and_changes_nothing() {
    let mut lander = lander(|_| {});
    lander.reset(Some(5)).expect("the scene stands");
    run(&mut lander, 0..20);
    let save = lander.save();
    for cut in [0, 7, 8, 100, save.len() - 1] {
        assert!(lander.restore(&save[..cut]).is_err(), "{cut} bytes");
    }
    for place in (0..save.len()).step_by(3) {
        let mut forged = save.clone();
        forged[place] ^= 0x5A;
        let mut other = lander.clone();
        // What is let in can be used.
        if other.restore(&forged).is_ok() {
            other.step(Action::Discrete(2)).ok();
            other.save();
            other.reset(None).expect("the scene stands");
        } else {
            assert_eq!(other.save(), save);
        }
    }
    assert_eq!(lander.save(), save);
}

/// Each number before the world is the greatest there is: a count of touches must not run over when the legs come down.
#[test]
fn a_forged_number_is_refused_or_harmless_until_the_craft_is_down() {
    let mut lander = lander(|_| {});
    lander.reset(Some(5)).expect("the scene stands");
    let save = lander.save();
    for place in (0..400).step_by(8) {
        let mut forged = save.clone();
        forged[place..place + 8].fill(0xFF);
        let mut other = lander.clone();
        if other.restore(&forged).is_ok() {
            for _ in 0..150 {
                other.step(Action::Discrete(0)).ok();
            }
        }
    }
}

#[test]
fn what_is_out_of_range_is_refused_with_what_was_expected() {
    let refused = |change: fn(&mut LanderOptions)| {
        let mut options = LanderOptions::default();
        change(&mut options);
        LunarLander::new(&options).expect_err("out of range").to_string()
    };
    assert_eq!(
        refused(|options| options.gravity = -12.0),
        "gravity is -12, expected a number between -12 and 0"
    );
    assert_eq!(
        refused(|options| options.gravity = 0.0),
        "gravity is 0, expected a number between -12 and 0"
    );
    assert!(refused(|options| options.gravity = f64::NAN).contains("NaN"));
    assert!(refused(|options| options.wind_power = f64::INFINITY).contains("wind_power"));
    assert!(refused(|options| options.turbulence_power = f64::NAN).contains("turbulence_power"));

    let mut still = lander(|_| {});
    assert!(
        matches!(
            still.step(Action::Discrete(0)),
            Err(EnvironmentError::Action { .. })
        ),
        "no reset yet"
    );
    still.reset(Some(0)).expect("the scene stands");
    let before = still.save();
    for action in [
        Action::Discrete(-1),
        Action::Discrete(4),
        Action::Continuous(&[0.0; 2]),
    ] {
        assert!(still.step(action).is_err(), "{action:?}");
    }
    let mut smooth = lander(|options| options.continuous = true);
    smooth.reset(Some(0)).expect("the scene stands");
    for action in [
        Action::Discrete(0),
        Action::Continuous(&[0.0]),
        Action::Continuous(&[f32::NAN, 0.0]),
    ] {
        assert!(smooth.step(action).is_err(), "{action:?}");
    }
    smooth
        .step(Action::Continuous(&[f32::INFINITY, -1.0e30]))
        .expect("held at the ends of the range");
    assert_eq!(still.save(), before);
}
