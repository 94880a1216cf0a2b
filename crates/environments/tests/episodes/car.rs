//! CarRacing beside what was recorded from Gymnasium's.
#![allow(clippy::disallowed_methods, clippy::print_stderr)]

use std::collections::BTreeMap;

use crate::support::{mean_and_deviation, recorded};
use tombolo_environments::{Action, CarOptions, CarRacing, Environment, EnvironmentError};

fn car(change: impl FnOnce(&mut CarOptions)) -> CarRacing {
    let mut options = CarOptions::default();
    change(&mut options);
    CarRacing::new(&options).expect("the options are in range")
}

fn numbers(line: &str) -> Vec<f64> {
    line.split(' ')
        .map(|number| number.parse().expect("a number"))
        .collect()
}

#[test]
fn three_hundred_seeds_give_the_track_and_the_random_numbers_of_gymnasium() {
    let mut car = car(|_| {});
    for (seed, line) in recorded("car.txt").iter().enumerate() {
        car.reset(Some(seed as u128)).expect("the scene stands");
        let marks = car.terrain();
        let marks = marks.as_chunks::<3>().0;
        let &[count, _, road, x, y, sum, curbs, next] = &numbers(line)[..] else {
            panic!("eight numbers");
        };
        assert_eq!(
            (marks.len() as f64, car.curb_count() as f64),
            (count, curbs),
            "seed {seed}"
        );
        let middle = marks[marks.len() / 2];
        for (ours, theirs) in middle.into_iter().zip([road, x, y]) {
            assert!((ours - theirs).abs() < 1.0e-6, "seed {seed}: {ours} and {theirs}");
        }
        let weighed: f64 = marks
            .iter()
            .enumerate()
            .map(|(place, mark)| mark[1] * place as f64)
            .sum();
        assert!((weighed - sum).abs() < 1.0e-3, "seed {seed}: {weighed} and {sum}");
        assert_eq!(car.random().clone().uniform(-1.0, 1.0), next, "seed {seed}");
    }
}

/// The return of a hundred steps of one action.
fn drive(car: &mut CarRacing, seed: u128, action: [f32; 3]) -> f64 {
    car.reset(Some(seed)).expect("the scene stands");
    let mut total = 0.0;
    for _ in 0..100 {
        let outcome = car.step(Action::Continuous(&action)).expect("the action exists");
        total += outcome.reward;
        if outcome.terminated {
            break;
        }
    }
    total
}

#[test]
fn a_hundred_steps_of_one_action_score_as_in_gymnasium() {
    let lines = recorded("car-scores.txt");
    let mut car = car(|_| {});
    for (place, action) in [[0.0, 0.5, 0.0], [0.1, 0.3, 0.0], [0.0, 0.7, 0.1]]
        .into_iter()
        .enumerate()
    {
        let ours: Vec<f64> = (0..lines.len())
            .map(|seed| drive(&mut car, seed as u128, action))
            .collect();
        let theirs: Vec<f64> = lines.iter().map(|line| numbers(line)[place]).collect();
        let apart = ours
            .iter()
            .zip(&theirs)
            .map(|(ours, theirs)| (ours - theirs).abs());
        let worst = apart.fold(0.0, f64::max);
        let [ours, theirs] = [ours, theirs].map(|returns| mean_and_deviation(&returns));
        eprintln!("{action:?}: {ours:.2?}, Gymnasium {theirs:.2?}, at most {worst:.2} apart for a seed");
        assert!(
            (ours.0 - theirs.0).abs() < 2.0,
            "{action:?}: {ours:?} and {theirs:?}"
        );
    }
}

/// Drives along the middle of the road, looking a few tiles ahead; the return, and whether the lap was completed.
fn follow_road(car: &mut CarRacing, seed: u128) -> (f64, bool) {
    car.reset(Some(seed)).expect("the scene stands");
    let marks = car.terrain();
    let marks = marks.as_chunks::<3>().0;
    let mut total = 0.0;
    for _ in 0..3000 {
        let world = car.world().expect("it was reset");
        let hull = world.bodies().next().expect("the hull is the first body");
        let (place, forward) = (hull.position(), hull.rotation().rotate([0.0, 1.0].into()));
        let far = |mark: &[f64; 3]| (mark[1] - f64::from(place.x)).hypot(mark[2] - f64::from(place.y));
        let nearest = (0..marks.len()).min_by(|&a, &b| far(&marks[a]).total_cmp(&far(&marks[b])));
        let [_, x, y] = marks[(nearest.expect("there are tiles") + 4) % marks.len()];
        let (x, y) = (x as f32 - place.x, y as f32 - place.y);
        let off = (forward.x * y - forward.y * x).atan2(forward.x * x + forward.y * y);
        let speed = hull.linear_velocity().length();
        let wanted = (35.0 - 30.0 * off.abs()).max(12.0);
        let gas = if speed < wanted { 0.2 } else { 0.0 };
        let brake = if speed > wanted + 4.0 { 0.3 } else { 0.0 };
        let outcome = car
            .step(Action::Continuous(&[-2.0 * off, gas, brake]))
            .expect("the action exists");
        total += outcome.reward;
        if outcome.terminated {
            return (total, outcome.succeeded);
        }
    }
    (total, false)
}

#[test]
fn following_the_road_visits_all_tiles_and_ends_the_lap() {
    let mut car = car(|_| {});
    let returns: Vec<(f64, bool)> = (0..2).map(|seed| follow_road(&mut car, seed)).collect();
    eprintln!("{returns:?}");
    assert!(returns.iter().all(|&(total, ended)| ended && total > 650.0));
}

#[test]
fn a_car_that_leaves_the_field_loses_a_hundred_points() {
    let mut car = car(|_| {});
    car.reset(Some(0)).expect("the scene stands");
    let end = (0..3000)
        .map(|_| {
            car.step(Action::Continuous(&[0.0, 0.2, 0.0]))
                .expect("the action exists")
        })
        .find(|outcome| outcome.terminated)
        .expect("straight ahead is out of the field");
    assert_eq!((end.reward, end.succeeded), (-100.0, false));
}

/// The commonest color of what is seen, but for black.
fn ground(car: &CarRacing) -> Option<[u8; 3]> {
    let mut counts = BTreeMap::new();
    for &color in car.observation().as_chunks().0 {
        *counts.entry(color).or_insert(0) += i32::from(color != [0; 3]);
    }
    let most = counts.into_iter().max_by_key(|&(_, count)| count);
    most.map(|(color, _)| color)
}

#[test]
fn a_reset_with_the_same_look_keeps_the_colors_and_draws_no_numbers_for_them() {
    let mut colorful = car(|options| options.domain_randomize = true);
    let mut plain = car(|_| {});
    colorful.reset(Some(5)).expect("the scene stands");
    let (terrain, color) = (colorful.terrain(), ground(&colorful));
    plain.reset(Some(5)).expect("the scene stands");
    assert_ne!(colorful.terrain(), plain.terrain());
    colorful.reset_with_same_look(Some(5)).expect("the scene stands");
    assert_eq!(colorful.terrain(), plain.terrain());
    assert_eq!(ground(&colorful), color);
    assert_ne!(ground(&plain), color);
    colorful.reset(Some(5)).expect("the scene stands");
    assert_eq!((colorful.terrain(), ground(&colorful)), (terrain, color));
}

#[test]
fn choices_are_the_numbers_that_they_stand_for() {
    let (mut choosing, mut smooth) = (car(|options| options.continuous = false), car(|_| {}));
    for drive in [&mut choosing, &mut smooth] {
        drive.reset(Some(6)).expect("the scene stands");
    }
    for step in 0..120 {
        let choice = step / 7 % 5;
        let action = [
            [0.0; 3],
            [0.6, 0.0, 0.0],
            [-0.6, 0.0, 0.0],
            [0.0, 0.2, 0.0],
            [0.0, 0.0, 0.8],
        ];
        let chosen = choosing
            .step(Action::Discrete(choice))
            .expect("the choice exists");
        let turned = smooth
            .step(Action::Continuous(&action[choice as usize]))
            .expect("the action exists");
        // 0.6 in single precision is not 0.6.
        assert!((chosen.reward - turned.reward).abs() < 1.0e-6, "step {step}");
    }
    assert!(
        choosing.step(Action::Discrete(5)).is_err() && choosing.step(Action::Continuous(&[0.0; 3])).is_err()
    );
    assert!(
        smooth.step(Action::Discrete(0)).is_err() && smooth.step(Action::Continuous(&[f32::NAN; 3])).is_err()
    );
    let refused = CarRacing::new(&CarOptions {
        lap_complete_percent: f64::NAN,
        ..CarOptions::default()
    });
    assert!(matches!(refused, Err(EnvironmentError::Option { .. })));
}

#[test]
fn the_picture_shows_road_grass_car_and_bar_and_colors_are_drawn_if_asked_for() {
    let mut car = car(|_| {});
    car.reset(Some(1)).expect("the scene stands");
    for _ in 0..60 {
        car.step(Action::Continuous(&[0.0; 3]))
            .expect("the action exists");
    }
    let seen = car.observation();
    let at = |x: usize, y: usize| [0, 1, 2].map(|part| seen[(y * 96 + x) * 3 + part]);
    // The car's hull three quarters down, road before it, grass beside, the bar below.
    assert_eq!(at(48, 72), [204, 0, 0]);
    assert!((102..=107).contains(&at(48, 50)[0]) && at(48, 50)[1] == at(48, 50)[0]);
    assert!(at(2, 72)[1] > 150);
    assert_eq!(at(90, 94), [0, 0, 0]);
    let mut colorful = CarRacing::new(&CarOptions {
        domain_randomize: true,
        ..CarOptions::default()
    })
    .expect("in range");
    colorful.reset(Some(1)).expect("the scene stands");
    let first = colorful.observation().to_vec();
    colorful.reset(None).expect("the scene stands");
    assert_ne!(first, colorful.observation());
}
