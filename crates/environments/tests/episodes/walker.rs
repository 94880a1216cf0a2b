//! BipedalWalker and BipedalWalkerHardcore beside what was recorded from Gymnasium's.
#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use crate::support::{Guide, fold, from_hex, mean_and_deviation, recorded, same_distribution};
use tombolo_environments::{Action, BipedalWalker, Environment, EnvironmentError, WalkerOptions};

fn walker(hardcore: bool) -> BipedalWalker {
    BipedalWalker::new(&WalkerOptions { hardcore }).expect("nothing can be out of range")
}

/// Heights of the ground, obstacles, and the number that is drawn next.
fn drawn(walker: &mut BipedalWalker, seed: u128) -> Vec<f64> {
    walker.reset(Some(seed)).expect("the scene stands");
    let mut numbers = walker.terrain();
    // The original's engine keeps corners in single precision.
    numbers.extend(
        walker
            .blocks()
            .iter()
            .flatten()
            .map(|&meters| f64::from(meters as f32)),
    );
    numbers.push(walker.random().clone().uniform(-1.0, 1.0));
    numbers
}

#[test]
fn a_thousand_seeds_give_the_ground_and_the_random_numbers_of_gymnasium() {
    let lines = recorded("walker.txt");
    for (place, hardcore) in [false, true].into_iter().enumerate() {
        let mut walker = walker(hardcore);
        for (seed, line) in lines[2 + 3 * place..][..3].iter().enumerate() {
            let theirs: Vec<f64> = line.split(' ').map(from_hex).collect();
            assert_eq!(
                drawn(&mut walker, seed as u128),
                theirs,
                "hardcore {hardcore}, seed {seed}"
            );
        }
        let digest = (0..1000).fold(0xCBF2_9CE4_8422_2325, |digest, seed| {
            fold(digest, &drawn(&mut walker, seed))
        });
        assert_eq!(format!("{digest:016x}"), lines[place], "hardcore {hardcore}");
    }
}

#[test]
fn the_first_observation_is_gymnasiums() {
    let mut walker = walker(false);
    for (seed, line) in recorded("walker.txt")[8..].iter().enumerate() {
        walker.reset(Some(seed as u128)).expect("the scene stands");
        let theirs = line
            .split(' ')
            .map(|number| number.parse::<f32>().expect("a number"));
        for (place, (ours, theirs)) in walker.observation().iter().zip(theirs).enumerate() {
            // The rays end on ground that is uneven farther ahead; all else is the same but for the push.
            let bound = if place == 5 || place == 10 || place == 7 || place == 12 {
                0.004
            } else {
                0.001
            };
            assert!(
                (ours - theirs).abs() <= bound,
                "seed {seed}, number {place}: {ours} and {theirs}"
            );
        }
    }
}

/// Return, length, and whether it fell.
fn walk(walker: &mut BipedalWalker, seed: u128) -> [f64; 3] {
    walker.reset(Some(seed)).expect("the scene stands");
    let (mut total, mut guide) = (0.0, Guide::default());
    for length in 1..=walker.steps_max() {
        let action = guide.action(walker.observation());
        let outcome = walker
            .step(Action::Continuous(&action))
            .expect("the action exists");
        total += outcome.reward;
        if outcome.terminated {
            return [
                total,
                f64::from(length),
                f64::from(u8::from(outcome.reward == -100.0)),
            ];
        }
    }
    [total, f64::from(walker.steps_max()), 0.0]
}

/// Returns, lengths and falls of the guide, ours and Gymnasium's.
fn scores(hardcore: bool) -> [[Vec<f64>; 2]; 3] {
    let first = if hardcore { 3 } else { 0 };
    let mut scores = [const { [const { Vec::new() }; 2] }; 3];
    let mut walker = walker(hardcore);
    for (seed, line) in recorded("walker-scores.txt").iter().enumerate() {
        let numbers: Vec<f64> = line
            .split(' ')
            .map(|number| number.parse().expect("a number"))
            .collect();
        let walked = walk(&mut walker, seed as u128);
        for (place, score) in scores.iter_mut().enumerate() {
            score[0].push(walked[place]);
            score[1].push(numbers[first + place]);
        }
    }
    scores
}

/// Means of ours and Gymnasium's, and how many standard errors they are apart.
fn compare(what: &str, scores: &[Vec<f64>; 2]) -> [f64; 3] {
    let [ours, theirs] = scores.each_ref().map(|numbers| mean_and_deviation(numbers));
    let apart = (ours.0 - theirs.0).abs() / (ours.1.hypot(theirs.1) / (scores[0].len() as f64).sqrt());
    let likely = same_distribution(&scores[0], &scores[1]);
    eprintln!("{what}: {ours:.3?}, Gymnasium {theirs:.3?}, {apart:.2} standard errors, p {likely:.4}");
    [ours.0, theirs.0, apart]
}

#[test]
fn the_guide_walks_about_as_in_gymnasium() {
    let [returns, lengths, falls] = scores(false);
    assert!(compare("returns", &returns)[2] < 3.0);
    assert!(compare("lengths", &lengths)[2] < 3.0);
    assert!(compare("falls", &falls)[2] < 3.0);
}

#[test]
fn the_guide_falls_over_obstacles_about_as_in_gymnasium() {
    let [returns, lengths, falls] = scores(true);
    assert!(compare("returns", &returns)[2] < 3.0);
    assert!(compare("lengths", &lengths)[2] < 3.0);
    assert!(compare("falls", &falls)[2] < 3.0);
}

#[test]
fn every_seed_begins_on_even_ground_with_both_feet_down_and_goes_on_without_one() {
    let mut walker = walker(false);
    walker.reset(Some(1)).expect("the scene stands");
    let first = walker.terrain();
    assert_eq!((walker.observation()[8], walker.observation()[13]), (1.0, 1.0));
    walker.reset(None).expect("the scene stands");
    assert_ne!(walker.terrain(), first, "random numbers go on");
    walker.reset(Some(1)).expect("the scene stands");
    assert_eq!(walker.terrain(), first);
}

/// In the original's engine feet rest 0.015 m above the ground, since shapes are rounded there.
#[test]
fn a_foot_rests_as_high_above_the_ground_as_in_gymnasium() {
    let mut walker = walker(false);
    walker.reset(Some(5)).expect("the scene stands");
    let ground = walker.terrain()[0] as f32;
    let mut guide = Guide::default();
    let mut heights = Vec::new();
    for step in 0..60 {
        let action = guide.action(walker.observation());
        walker
            .step(Action::Continuous(&action))
            .expect("the action exists");
        let world = walker.world().expect("an episode has begun");
        // The shins are the third and the fifth of the bodies that move.
        let feet = world.bodies().filter(|body| body.mass() > 0.0).skip(2).step_by(2);
        let corners = feet.flat_map(|foot| {
            let (pose, shape) = (foot.pose(), foot.shapes().next().expect("a foot has a shape"));
            let corners = shape.geometry().vertices().to_vec();
            corners
                .into_iter()
                .map(move |corner| pose.transform_point(corner).y)
        });
        if step >= 30 {
            heights.push(corners.fold(f32::INFINITY, f32::min) - ground);
        }
    }
    let middle = heights.iter().sum::<f32>() / heights.len() as f32;
    assert!((middle - 0.015).abs() < 0.004, "{middle} m");
}

#[test]
fn a_still_walker_sinks_to_the_ground_and_loses_a_hundred_points() {
    let mut walker = walker(true);
    walker.reset(Some(4)).expect("the scene stands");
    let end = (0..1000)
        .map(|_| {
            walker
                .step(Action::Continuous(&[0.0; 4]))
                .expect("the action exists")
        })
        .find(|outcome| outcome.terminated)
        .expect("without motors nothing holds the hull");
    assert_eq!(end.reward, -100.0);
}

#[test]
fn what_is_no_action_is_refused_and_what_is_beyond_counts_as_the_end() {
    let mut walker = walker(false);
    let before_reset = walker.step(Action::Continuous(&[0.0; 4]));
    assert!(matches!(before_reset, Err(EnvironmentError::Action { .. })));
    walker.reset(Some(0)).expect("the scene stands");
    let save = walker.save();
    for action in [
        Action::Discrete(0),
        Action::Continuous(&[0.0; 3]),
        Action::Continuous(&[0.0, f32::NAN, 0.0, 0.0]),
    ] {
        assert!(walker.step(action).is_err(), "{action:?}");
    }
    assert_eq!(walker.save(), save);
    let mut other = walker.clone();
    let outcome = walker.step(Action::Continuous(&[f32::INFINITY, -3.0, 1.0e30, -1.5]));
    let held = other.step(Action::Continuous(&[1.0, -1.0, 1.0, -1.0]));
    assert_eq!(
        outcome.expect("held at the ends"),
        held.expect("the action exists")
    );
}

#[test]
fn the_picture_has_ground_below_sky_above_and_the_hull_between() {
    let mut walker = walker(false);
    walker.reset(Some(2)).expect("the scene stands");
    let picture = walker.picture();
    assert_eq!((picture.width(), picture.height()), (600, 400));
    let rgb = picture.to_rgb();
    let at = |x: usize, y: usize| &rgb[(y * 600 + x) * 3..][..3];
    assert_eq!(
        (at(300, 399), at(5, 250)),
        (&[102, 153, 76][..], &[215, 215, 255][..])
    );
    // The hull is a fifth of the way from the left, 2.35 m above the ground.
    assert_eq!(at(120, 400 - 100 - 70), [127, 51, 229]);
}
