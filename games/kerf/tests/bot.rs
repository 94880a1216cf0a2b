//! The bot plays every level: it wins all of them, the same to the bit with any number of workers, and what ends each of
//! them stands in `golden.txt`. Run with `TOMBOLO_BLESS=1` to write that file anew when the engine's results have changed.

use std::fmt::Write;

use kerf::bot::Bot;
use kerf::levels;
use kerf::play::{Input, Loss, Outcome, Play};
use tombolo::threads::{Executor, Inline, Pool};

/// A minute and a half.
const STEPS_MAX: u64 = 5400;

/// Plays to the end, and says how many steps it took.
fn play_out(play: &mut Play, bot: &mut Bot, executor: &dyn Executor) -> u64 {
    while play.rules.outcome() == Outcome::Open && play.rules.steps() < STEPS_MAX {
        let input = bot.input(play);
        play.step(input, executor);
    }
    play.rules.steps()
}

fn begin(level: usize) -> Play {
    Play::new(level).expect("a level that ships")
}

#[test]
fn the_bot_wins_every_level_with_any_number_of_workers() {
    let mut seen = String::new();
    for level in 0..levels::COUNT {
        let mut hashes = Vec::new();
        for workers in 1..=3 {
            let pool = Pool::with_thread_for_each(workers).expect("a pool");
            let mut play = begin(level);
            let steps = play_out(&mut play, &mut Bot::winner(level), &pool);
            let title = &play.level.title;
            assert_eq!(play.rules.outcome(), Outcome::Won, "{title} after {steps} steps");
            assert_eq!(play.world.faults(), &[] as &[Box<str>], "{title}: scripts");
            assert!(
                play.rules.cuts_used() <= play.level.par,
                "{title} with more than its best number of cuts"
            );
            hashes.push((steps, play.state_hash()));
        }
        assert!(
            hashes.iter().all(|hash| *hash == hashes[0]),
            "level {level}: {hashes:x?} of 1, 2, 3 workers"
        );
        let (steps, hash) = hashes[0];
        writeln!(seen, "{} {steps} {hash:016x}", levels::FILES[level].0).expect("a string");
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden.txt");
    if std::env::var_os("TOMBOLO_BLESS").is_some() {
        std::fs::write(path, &seen).expect("the golden file is written");
    }
    let golden = std::fs::read_to_string(path).expect("the golden file");
    assert_eq!(seen, golden, "TOMBOLO_BLESS=1 writes the file anew");
}

#[test]
fn who_does_nothing_does_not_win() {
    for level in 0..levels::COUNT {
        let mut play = begin(level);
        for _ in 0..1200 {
            play.step(Input::default(), &Inline);
        }
        assert_ne!(play.rules.outcome(), Outcome::Won, "{}", play.level.title);
    }
}

#[test]
fn every_level_can_be_lost() {
    for level in 0..levels::COUNT {
        let mut play = begin(level);
        play_out(&mut play, &mut Bot::loser(), &Inline);
        assert_eq!(
            play.rules.outcome(),
            Outcome::Lost(Loss::Snipped),
            "{}",
            play.level.title
        );
    }
}

#[test]
fn a_save_in_the_middle_goes_on_to_the_same_end() {
    for level in 0..levels::COUNT {
        let (mut play, mut bot) = (begin(level), Bot::winner(level));
        let mut saves = Vec::new();
        while play.rules.outcome() == Outcome::Open {
            // In the middle of strokes and of falls.
            if play.rules.steps() % 73 == 40 {
                saves.push((play.save(), bot.clone()));
            }
            let input = bot.input(&play);
            play.step(input, &Inline);
        }
        for (save, mut bot) in saves {
            let mut other = Play::restore(&save).expect("a save of this game");
            assert_eq!(other.save(), save);
            play_out(&mut other, &mut bot, &Inline);
            assert_eq!(other.state_hash(), play.state_hash(), "{}", play.level.title);
        }
    }
}

#[test]
fn what_is_no_save_is_refused() {
    let save = begin(3).save();
    for end in [0, 1, 2, 20, save.len() - 1] {
        Play::restore(&save[..end]).expect_err("a part of a save");
    }
    let mut other_level = save.clone();
    other_level[0] = 4;
    Play::restore(&other_level).expect_err("a save of another level");
    other_level[0] = 200;
    Play::restore(&other_level).expect_err("a save of no level");
}
