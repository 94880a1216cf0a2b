//! The ways to lose a level, beside the stroke through Pip that `bot.rs` makes in every level: each as a player has it, and
//! the moment before it, in which nothing is lost yet.

use kerf::play::{Happening, Input, Loss, Outcome, Play};
use tombolo::geometry::{Pose, Vec2};
use tombolo::threads::Inline;

/// The level with a rope, a ledge and a lift.
const GOING_UP: usize = 3;
/// The level with a fan and thorns.
const FAIR_WIND: usize = 4;

fn begin(level: usize) -> Play {
    Play::new(level).expect("a level that ships")
}

fn rest(play: &mut Play, steps: u32) {
    for _ in 0..steps {
        play.step(Input::default(), &Inline);
    }
}

fn pose(play: &Play, name: &str) -> Pose {
    let entity = play.world.find(name).expect("the level has it");
    play.world.pose(entity).expect("it is somewhere")
}

/// Draws a stroke of two meters across an entity.
fn cut(play: &mut Play, name: &str) {
    let place = pose(play, name);
    let [from, to] = [-1.0, 1.0].map(|x| place.transform_point(Vec2::new(x, 0.0)));
    for step in 0..=15 {
        let input = Input {
            at: from.lerp(to, step as f32 / 15.0),
            down: step < 15,
        };
        play.step(input, &Inline);
    }
}

fn tap(play: &mut Play, name: &str) {
    let at = pose(play, name).position;
    for down in [true, true, false] {
        play.step(Input { at, down }, &Inline);
    }
}

/// Steps until the level has ended; returns their number.
fn until_ended(play: &mut Play, steps_max: u32) -> u32 {
    for step in 0..steps_max {
        if play.rules.outcome() != Outcome::Open {
            return step;
        }
        play.step(Input::default(), &Inline);
    }
    panic!("{}: nothing is decided after {steps_max} steps", play.level.title);
}

/// That the level was lost in the last step for this reason, and stays so.
fn assert_lost(play: &mut Play, loss: Loss) {
    let lost = Outcome::Lost(loss);
    assert_eq!(play.rules.outcome(), lost, "{}", play.level.title);
    assert!(play.rules.happened().contains(&Happening::Ended(lost)));
    rest(play, 120);
    assert_eq!(play.rules.outcome(), lost);
}

#[test]
fn thorns_end_the_level_when_they_are_touched() {
    let mut play = begin(FAIR_WIND);
    cut(&mut play, "rope[4]");
    assert_eq!(play.rules.outcome(), Outcome::Open, "it still falls");
    until_ended(&mut play, 300);
    let (pip, thorns) = (pose(&play, "pip").position, pose(&play, "thorns").position);
    assert!((pip.y - thorns.y).abs() < 2.0, "{pip} over {thorns}");
    assert_lost(&mut play, Loss::Thorns);
    // With the fan on it is blown across.
    let mut play = begin(FAIR_WIND);
    tap(&mut play, "fan");
    rest(&mut play, 60);
    cut(&mut play, "rope[4]");
    until_ended(&mut play, 600);
    assert_eq!(play.rules.outcome(), Outcome::Won);
}

#[test]
fn without_cuts_at_rest_outside_the_nest_pip_is_stuck() {
    let mut play = begin(GOING_UP);
    rest(&mut play, 1200);
    assert_eq!(play.rules.outcome(), Outcome::Open, "a cut is left");
    cut(&mut play, "rope[1]");
    assert_eq!(play.rules.cuts_used(), play.level.cuts);
    let steps = until_ended(&mut play, 1200);
    assert!(steps > 360, "six seconds of rest, not {steps} steps");
    assert_lost(&mut play, Loss::Stuck);
}

#[test]
fn a_switch_in_time_is_a_way_out() {
    let mut play = begin(GOING_UP);
    cut(&mut play, "rope[1]");
    rest(&mut play, 330);
    assert_eq!(play.rules.outcome(), Outcome::Open);
    tap(&mut play, "lift");
    until_ended(&mut play, 1200);
    assert_eq!(play.rules.outcome(), Outcome::Won);
}

#[test]
fn pip_is_lost_below_the_level_and_beside_it() {
    let mut play = begin(0);
    let ground = play.world.find("ground").expect("the level's ground");
    play.world.despawn(ground).expect("it is there");
    cut(&mut play, "rope[3]");
    until_ended(&mut play, 600);
    let bottom = play.level.view.min.y - 2.0;
    let at = pose(&play, "pip").position.y;
    assert!(
        (bottom - 1.0..bottom).contains(&at),
        "at {at}, not just below {bottom}"
    );
    assert_lost(&mut play, Loss::Fell);
    let view = begin(0).level.view;
    for (x, is_lost) in [
        (view.min.x - 1.9, false),
        (view.min.x - 2.1, true),
        (view.max.x + 1.9, false),
        (view.max.x + 2.1, true),
    ] {
        let mut play = begin(0);
        let at = Pose::new(Vec2::new(x, view.max.y), Default::default());
        // Its rope would hold it back.
        for link in 0.. {
            let Some(link) = play.world.find(&format!("rope[{link}]")) else {
                break;
            };
            play.world.despawn(link).expect("it is there");
        }
        let pip = play.rules.pip();
        play.world.teleport(pip, at).expect("it is there");
        rest(&mut play, 1);
        let outcome = if is_lost {
            Outcome::Lost(Loss::Fell)
        } else {
            Outcome::Open
        };
        assert_eq!(play.rules.outcome(), outcome, "at {x}");
    }
}

#[test]
fn a_level_without_pip_is_lost() {
    let mut play = begin(0);
    let pip = play.rules.pip();
    play.world.despawn(pip).expect("it is there");
    rest(&mut play, 2);
    assert_eq!(play.rules.outcome(), Outcome::Lost(Loss::Fell));
}
