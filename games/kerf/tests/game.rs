//! The game from its title to its end, as a player at the screen has it: buttons, pauses, restarts, frames of any length.

use std::time::Duration;

use kerf::bot::Bot;
use kerf::game::{Game, Screen};
use kerf::levels;
use kerf::menu::{Action, Controls};
use kerf::play::Play;
use kerf::progress::Progress;
use tombolo::geometry::Vec2;
use tombolo::threads::Inline;

const STEP: Duration = Duration::from_nanos(16_666_667);

fn frame(game: &mut Game, controls: Controls) {
    game.frame(&controls, STEP).expect("levels that ship");
}

/// Presses and lets go of the button of an action, as a mouse does.
fn click(game: &mut Game, action: Action) {
    let button = game
        .menu()
        .buttons()
        .iter()
        .find(|button| button.action == action);
    let pointer = button
        .unwrap_or_else(|| panic!("{action:?} on {:?}", game.screen()))
        .center;
    for down in [false, true, false] {
        frame(
            game,
            Controls {
                pointer,
                down,
                ..Controls::default()
            },
        );
    }
}

/// What the bot does in the next frame.
fn by_bot(bot: &mut Bot, game: &Game) -> Controls {
    let input = bot.input(game.play());
    Controls {
        pointer: game.to_screen(input.at),
        down: input.down,
        ..Controls::default()
    }
}

#[test]
fn the_whole_game_is_won_from_the_title_on() {
    let mut game = Game::new(Progress::default()).expect("levels that ship");
    assert_eq!(game.screen(), Screen::Title);
    click(&mut game, Action::Start);
    for level in 0..levels::COUNT {
        assert_eq!((game.screen(), game.play().level.index), (Screen::Playing, level));
        let mut bot = Bot::winner(level);
        for _ in 0..5400 {
            if game.screen() == Screen::Playing {
                let controls = by_bot(&mut bot, &game);
                frame(&mut game, controls);
            }
        }
        assert_eq!(
            game.screen(),
            Screen::Won {
                stars: 3,
                better: true
            },
            "{}",
            game.play().level.title
        );
        let next = if level + 1 < levels::COUNT {
            Action::Level(level + 1)
        } else {
            Action::Title
        };
        click(&mut game, next);
    }
    assert_eq!(game.screen(), Screen::Title);
    let kept = Progress::from_text(&game.progress().to_text()).expect("a text of this game");
    assert!((0..levels::COUNT).all(|level| kept.best(level).is_some()));
}

#[test]
fn pausing_changes_nothing() {
    let end = |pause_every: u32| {
        let mut game = Game::new(Progress::default()).expect("levels that ship");
        game.press(Action::Level(5)).expect("a level that ships");
        let mut bot = Bot::winner(5);
        for number in 1..400_u32 {
            let controls = by_bot(&mut bot, &game);
            frame(&mut game, controls);
            if number.is_multiple_of(pause_every) && !controls.down {
                let before = game.play().state_hash();
                frame(
                    &mut game,
                    Controls {
                        back: true,
                        ..controls
                    },
                );
                assert_eq!(game.screen(), Screen::Paused);
                for _ in 0..50 {
                    frame(&mut game, controls);
                }
                assert_eq!(game.play().state_hash(), before);
                // The frame in which a pause ends is one of the game.
                game.press(Action::Resume).expect("no level begins");
            }
        }
        game.play().state_hash()
    };
    let without = end(u32::MAX);
    assert_eq!(end(7), without);
    assert_eq!(end(31), without);
}

#[test]
fn a_restart_is_the_beginning() {
    let mut game = Game::new(Progress::default()).expect("levels that ship");
    game.press(Action::Level(2)).expect("a level that ships");
    let begin = game.play().state_hash();
    assert_eq!(begin, Play::new(2).expect("a level that ships").state_hash());
    for _ in 0..90 {
        frame(&mut game, Controls::default());
    }
    assert_ne!(game.play().state_hash(), begin);
    game.press(Action::Restart).expect("a level that ships");
    assert_eq!(game.play().state_hash(), begin);
}

#[test]
fn a_press_between_two_steps_is_not_lost() {
    let mut game = Game::new(Progress::default()).expect("levels that ship");
    game.press(Action::Level(4)).expect("a level that ships");
    let fan = game.play().world.find("fan").expect("the level's fan");
    let at = game.play().world.pose(fan).expect("it stands somewhere").position;
    let pointer = game.to_screen(at);
    // A display of 600 Hz: the press and the release are both within one step.
    for down in [
        false, true, false, false, false, false, false, false, false, false, false, false, false, false,
    ] {
        let controls = Controls {
            pointer,
            down,
            ..Controls::default()
        };
        game.frame(&controls, STEP / 10).expect("no level begins");
    }
    for _ in 0..2 {
        frame(
            &mut game,
            Controls {
                pointer: Vec2::ZERO,
                ..Controls::default()
            },
        );
    }
    assert!(levels::flag_of(&game.play().world, fan, "blow.enabled"));
}

#[test]
fn the_bot_wins_at_other_frame_rates() {
    for hertz in [30_u32, 144] {
        for level in 0..levels::COUNT {
            let mut game = Game::new(Progress::default()).expect("levels that ship");
            game.press(Action::Level(level)).expect("a level that ships");
            let mut bot = Bot::winner(level);
            for _ in 0..60 * hertz {
                if game.screen() == Screen::Playing {
                    let controls = by_bot(&mut bot, &game);
                    game.frame(&controls, Duration::from_secs(1) / hertz)
                        .expect("no level begins");
                }
            }
            assert!(
                matches!(game.screen(), Screen::Won { .. }),
                "{} at {hertz} Hz",
                game.play().level.title
            );
        }
    }
}

#[test]
fn levels_are_the_same_in_the_window_and_without_one() {
    let (mut game, mut play) = (
        Game::new(Progress::default()).expect("levels"),
        Play::new(0).expect("a level"),
    );
    game.press(Action::Level(0)).expect("a level that ships");
    for _ in 0..200 {
        frame(&mut game, Controls::default());
        play.step(
            kerf::play::Input {
                at: game.aim(),
                down: false,
            },
            &Inline,
        );
        assert_eq!(game.play().state_hash(), play.state_hash());
    }
}

/// The fan of the level, which a tap switches, and its position on the screen.
fn fan(game: &Game) -> (tombolo::entity::Entity, Vec2) {
    let world = &game.play().world;
    let fan = world.find("fan").expect("the level's fan");
    let place = world.pose(fan).expect("it stands somewhere").position;
    (fan, game.to_screen(place))
}

#[test]
fn a_pause_gives_up_the_stroke_that_is_drawn() {
    let mut game = Game::new(Progress::default()).expect("levels that ship");
    game.press(Action::Level(0)).expect("a level that ships");
    let mut bot = Bot::winner(0);
    // Until the bot has drawn a stroke from its beginning to its end, and is about to let go.
    let held = (0..600).find_map(|_| {
        let controls = by_bot(&mut bot, &game);
        if !controls.down && game.play().rules.is_pressed() {
            return Some(Controls {
                down: true,
                ..controls
            });
        }
        frame(&mut game, controls);
        None
    });
    let held = held.expect("the bot draws a stroke");
    frame(&mut game, held);
    let stroke = |game: &Game| game.play().rules.stroke_to(game.aim());
    let (from, to) = stroke(&game).expect("it is being drawn");
    assert!(from.distance(to) > kerf::play::TAP_MAX, "from {from} to {to}");
    frame(&mut game, Controls { back: true, ..held });
    assert_eq!(game.screen(), Screen::Paused);
    frame(&mut game, Controls { down: false, ..held });
    click(&mut game, Action::Resume);
    for _ in 0..3 {
        frame(&mut game, Controls::default());
    }
    assert_eq!(game.screen(), Screen::Playing);
    assert_eq!((game.play().rules.cuts_used(), stroke(&game)), (0, None));
}

#[test]
fn the_key_that_chose_in_a_menu_is_no_tap() {
    let mut game = Game::new(Progress::default()).expect("levels that ship");
    game.press(Action::Level(4)).expect("a level that ships");
    let (fan, pointer) = fan(&game);
    let is_on = |game: &Game| levels::flag_of(&game.play().world, fan, "blow.enabled");
    let was_on = is_on(&game);
    let at = Controls {
        pointer,
        ..Controls::default()
    };
    frame(&mut game, Controls { back: true, ..at });
    assert_eq!(game.screen(), Screen::Paused);
    // A key is pressed, which counts as down in a level only, and let go two frames later.
    frame(&mut game, Controls { confirm: true, ..at });
    assert_eq!(game.screen(), Screen::Playing);
    for down in [true, true, false, false] {
        frame(&mut game, Controls { down, ..at });
    }
    assert_eq!(is_on(&game), was_on);
    // The next press is one.
    for down in [true, true, false, false] {
        frame(&mut game, Controls { down, ..at });
    }
    assert_eq!(is_on(&game), !was_on);
}

#[test]
fn a_level_that_was_won_counts_even_if_it_is_left_at_once() {
    let mut game = Game::new(Progress::default()).expect("levels that ship");
    game.press(Action::Level(0)).expect("a level that ships");
    let mut bot = Bot::winner(0);
    for _ in 0..5400 {
        if game.play().rules.outcome() == kerf::play::Outcome::Open {
            let controls = by_bot(&mut bot, &game);
            frame(&mut game, controls);
        }
    }
    assert_eq!(game.play().rules.outcome(), kerf::play::Outcome::Won);
    assert_eq!(game.screen(), Screen::Playing, "the end is to be seen first");
    game.press(Action::Restart).expect("a level that ships");
    assert!(game.progress().best(0).is_some());
}
