//! Keys, pointer, fingers and gamepads, from the device to what happens in the game.

use std::time::Duration;

use kerf::game::{Game, Screen};
use kerf::input::{CURSOR_SPEED, Devices, Finger, FingerState, Hands, Key, PadButton, SLOW, scale_of};
use kerf::levels;
use kerf::menu::{Action, Controls, SCREEN};
use kerf::play::Happening;
use kerf::progress::Progress;
use tombolo::geometry::Vec2;

const FRAME: f32 = 0.125;

/// Devices at rest, at a window of twice the screen's size.
fn idle() -> Devices {
    Devices {
        window: 2.0 * SCREEN,
        pointer: SCREEN,
        ..Devices::default()
    }
}

fn keys(keys: &[Key]) -> Devices {
    Devices {
        keys_down: keys.to_vec(),
        keys_pressed: keys.to_vec(),
        ..idle()
    }
}

fn buttons(buttons: &[PadButton]) -> Devices {
    Devices {
        buttons_down: buttons.to_vec(),
        buttons_pressed: buttons.to_vec(),
        ..idle()
    }
}

fn stick(x: f32, y: f32) -> Devices {
    Devices {
        sticks: vec![Vec2::new(x, y)],
        ..idle()
    }
}

fn finger(id: u64, at: Vec2, state: FingerState) -> Finger {
    Finger { id, at, state }
}

/// A finger's number, its point of the screen, and what became of it.
type Touch = (u64, Vec2, FingerState);

/// Devices at rest but for fingers, which are at points of the screen.
fn fingers(fingers: &[Touch]) -> Devices {
    let fingers = fingers.iter();
    Devices {
        fingers: fingers
            .map(|(id, at, state)| finger(*id, 2.0 * *at, *state))
            .collect(),
        ..idle()
    }
}

/// The input of one frame in a menu.
fn in_menu(devices: &Devices) -> Controls {
    Hands::default().read(devices, false, FRAME)
}

#[test]
fn each_key_and_button_has_its_meaning() {
    let way = |x, y| Controls {
        way: Some((x, y)),
        ..Controls::default()
    };
    let confirm = Controls {
        confirm: true,
        ..Controls::default()
    };
    let back = Controls {
        back: true,
        ..Controls::default()
    };
    let restart = Controls {
        restart: true,
        ..Controls::default()
    };
    let cases = [
        (way(-1, 0), [Key::Left, Key::A], vec![PadButton::Left]),
        (way(1, 0), [Key::Right, Key::D], vec![PadButton::Right]),
        (way(0, -1), [Key::Up, Key::W], vec![PadButton::Up]),
        (way(0, 1), [Key::Down, Key::S], vec![PadButton::Down]),
        (confirm, [Key::Space, Key::Enter], vec![PadButton::South]),
        (
            back,
            [Key::Escape, Key::P],
            vec![PadButton::East, PadButton::Start],
        ),
        (
            restart,
            [Key::R, Key::R],
            vec![PadButton::North, PadButton::Select],
        ),
    ];
    for (meaning, by_keys, by_buttons) in cases {
        let controls = Controls {
            pointer: 0.5 * SCREEN,
            ..meaning
        };
        for key in by_keys {
            assert_eq!(in_menu(&keys(&[key])), controls, "{key:?}");
        }
        for button in by_buttons {
            assert_eq!(in_menu(&buttons(&[button])), controls, "{button:?}");
        }
    }
    let nothing = Controls {
        pointer: 0.5 * SCREEN,
        ..Controls::default()
    };
    for devices in [idle(), keys(&[Key::Shift]), buttons(&[PadButton::LeftTrigger])] {
        assert_eq!(in_menu(&devices), nothing);
    }
}

#[test]
fn what_is_held_is_down_in_a_level_and_confirms_once() {
    for held in [
        keys(&[Key::Space]),
        keys(&[Key::Enter]),
        buttons(&[PadButton::South]),
    ] {
        let later = Devices {
            keys_pressed: Vec::new(),
            buttons_pressed: Vec::new(),
            ..held.clone()
        };
        for is_playing in [false, true] {
            let mut hands = Hands::default();
            let frames = [&held, &later].map(|devices| hands.read(devices, is_playing, FRAME));
            assert_eq!(frames.map(|controls| controls.down), [is_playing; 2]);
            assert_eq!(frames.map(|controls| controls.confirm), [true, false]);
        }
    }
}

#[test]
fn a_window_of_another_shape_has_bars_and_the_pointer_is_right_in_it() {
    for (window, scale, corner) in [
        (SCREEN, 1.0, Vec2::ZERO),
        (Vec2::new(2560.0, 2000.0), 2.0, Vec2::new(0.0, 280.0)),
        (Vec2::new(1000.0, 360.0), 0.5, Vec2::new(180.0, 0.0)),
    ] {
        assert_eq!(scale_of(window), (scale, corner));
        for at in [Vec2::ZERO, Vec2::new(100.0, 250.0), SCREEN] {
            let at_pixel = corner + scale * at;
            let mouse = Devices {
                window,
                pointer: at_pixel,
                pointer_down: true,
                ..Devices::default()
            };
            let finger = Devices {
                window,
                fingers: vec![finger(7, at_pixel, FingerState::Down)],
                ..Devices::default()
            };
            for devices in [mouse, finger] {
                let controls = in_menu(&devices);
                assert!(controls.pointer.distance(at) < 1.0e-3);
                assert!(controls.down);
            }
        }
    }
}

#[test]
fn keys_and_sticks_move_the_cursor_from_where_the_pointer_was() {
    let step = CURSOR_SPEED * FRAME;
    let diagonal = step * std::f32::consts::FRAC_1_SQRT_2;
    for (devices, x, y) in [
        (keys(&[Key::Right]), step, 0.0),
        (keys(&[Key::W]), 0.0, -step),
        (keys(&[Key::Up, Key::Left]), -diagonal, -diagonal),
        (keys(&[Key::Left, Key::Right]), 0.0, 0.0),
        (keys(&[Key::Right, Key::Shift]), SLOW * step, 0.0),
        (buttons(&[PadButton::Down]), 0.0, step),
        (
            buttons(&[PadButton::Down, PadButton::LeftTrigger]),
            0.0,
            SLOW * step,
        ),
        (stick(0.5, 0.0), 0.5 * step, 0.0),
        (stick(0.0, 1.0), 0.0, -step),
        (stick(0.1, 0.1), 0.0, 0.0),
    ] {
        let mut hands = Hands::default();
        hands.read(&idle(), true, FRAME);
        assert_eq!(hands.cursor(), None);
        let controls = hands.read(&devices, true, FRAME);
        let target = 0.5 * SCREEN + Vec2::new(x, y);
        assert!(controls.pointer.distance(target) < 1.0e-3, "{devices:?}");
        if target != 0.5 * SCREEN {
            assert_eq!(hands.cursor(), Some(controls.pointer));
            // It stays on the screen, and there when nothing is held.
            for _ in 0..100 {
                hands.read(&devices, true, FRAME);
            }
            let edge = hands.read(&idle(), true, FRAME).pointer;
            assert_eq!(edge, edge.clamp(Vec2::ZERO, SCREEN));
            assert_ne!(edge, controls.pointer);
        }
        // The mouse takes over as soon as it moves.
        let pointer = Vec2::new(20.0, 40.0);
        let controls = hands.read(&Devices { pointer, ..idle() }, true, FRAME);
        assert_eq!((controls.pointer, hands.cursor()), (0.5 * pointer, None));
    }
}

#[test]
fn in_a_menu_keys_leave_the_cursor_where_it_is() {
    let mut hands = Hands::default();
    hands.read(&idle(), false, FRAME);
    let controls = hands.read(&keys(&[Key::Right, Key::Space]), false, FRAME);
    assert_eq!((controls.pointer, hands.cursor()), (0.5 * SCREEN, None));
}

#[test]
fn a_stick_moves_the_focus_once_for_each_tilt_whatever_another_gamepad_does() {
    let sticks = |sticks: &[(f32, f32)]| Devices {
        sticks: sticks.iter().copied().map(Vec2::from).collect(),
        ..idle()
    };
    let mut hands = Hands::default();
    let mut way = |devices: &Devices| hands.read(devices, false, FRAME).way;
    assert_eq!(way(&sticks(&[(0.0, 0.5)])), None);
    assert_eq!(way(&sticks(&[(0.0, 0.9)])), Some((0, -1)));
    assert_eq!(way(&sticks(&[(0.0, 1.0)])), None, "it is held");
    assert_eq!(way(&sticks(&[(0.0, 1.0), (0.0, 0.0)])), None, "another comes");
    assert_eq!(way(&sticks(&[(0.0, 1.0), (0.0, 0.0)])), None);
    assert_eq!(way(&sticks(&[(0.0, 1.0), (-0.7, 0.0)])), Some((-1, 0)));
    assert_eq!(way(&sticks(&[(0.0, 0.0), (-0.7, 0.0)])), None);
    assert_eq!(way(&sticks(&[(0.0, -0.8), (-0.7, 0.0)])), Some((0, 1)));
}

/// One frame of the game with what devices say.
fn frame(game: &mut Game, hands: &mut Hands, devices: &Devices) {
    let is_playing = game.screen() == Screen::Playing;
    let controls = hands.read(devices, is_playing, 1.0 / 60.0);
    let step = Duration::from_nanos(16_666_667);
    game.frame(&controls, step).expect("levels that ship");
}

#[test]
fn a_level_is_begun_and_its_switch_pressed_with_each_device() {
    let (space, south) = (keys(&[Key::Space]), buttons(&[PadButton::South]));
    let (right, dpad) = (keys(&[Key::Right]), buttons(&[PadButton::Right]));
    for (press, escape, right) in [
        (space, keys(&[Key::Escape]), right),
        (south, buttons(&[PadButton::Start]), dpad),
    ] {
        let (mut game, mut hands) = (Game::new(Progress::default()).expect("levels"), Hands::default());
        frame(&mut game, &mut hands, &idle());
        assert_eq!(game.screen(), Screen::Title);
        frame(&mut game, &mut hands, &press);
        frame(&mut game, &mut hands, &idle());
        assert_eq!((game.screen(), game.play().level.index), (Screen::Playing, 0));
        frame(&mut game, &mut hands, &escape);
        assert_eq!(game.screen(), Screen::Paused);
        game.press(Action::Level(4)).expect("a level that ships");
        let world = &game.play().world;
        let fan = world.find("fan").expect("the level's fan");
        let place = world.pose(fan).expect("it stands somewhere").position;
        // A pointer next to it, the rest of the way by keys or stick.
        let beside = game.to_screen(place) - Vec2::new(3.0 * CURSOR_SPEED / 60.0, 0.0);
        let at = |devices: &Devices| Devices {
            pointer: 2.0 * beside,
            ..devices.clone()
        };
        frame(&mut game, &mut hands, &at(&idle()));
        for _ in 0..3 {
            frame(&mut game, &mut hands, &at(&right));
        }
        let was_on = levels::flag_of(&game.play().world, fan, "blow.enabled");
        for devices in [&press, &press, &idle(), &idle(), &idle()] {
            frame(&mut game, &mut hands, &at(devices));
        }
        assert_ne!(levels::flag_of(&game.play().world, fan, "blow.enabled"), was_on);
    }
}

use FingerState::{Down, Lifted, Taken};

/// What fingers of some frames come to: the pointer's position, whether it is down, whether a press is given up.
fn by_fingers(frames: &[&[Touch]]) -> Vec<(Vec2, bool, bool)> {
    let mut hands = Hands::default();
    let frames = frames.iter();
    frames
        .map(|frame| hands.read(&fingers(frame), true, FRAME))
        .map(|controls| (controls.pointer, controls.down, controls.forget))
        .collect()
}

#[test]
fn the_first_finger_is_the_pointer_until_it_is_lifted_or_another_one_comes() {
    let [a, b, c, d] = [10.0, 20.0, 30.0, 40.0].map(|x| Vec2::new(x, 5.0));
    // Drawn and lifted, and then another stroke by another finger.
    assert_eq!(
        by_fingers(&[
            &[(7, a, Down)],
            &[(7, b, Down)],
            &[(7, c, Lifted)],
            &[],
            &[(9, d, Down)]
        ]),
        [
            (a, true, false),
            (b, true, false),
            (c, false, false),
            (c, false, false),
            (d, true, false)
        ]
    );
    // Another finger in the very frame in which the first one is lifted.
    assert_eq!(
        by_fingers(&[&[(7, a, Down)], &[(9, d, Down), (7, b, Lifted)], &[(9, c, Down)]]),
        [(a, true, false), (b, false, false), (c, true, false)]
    );
    // A second one, in any order: nothing is pressed until all are gone.
    for second in [[(7, b, Down), (9, d, Down)], [(9, d, Down), (7, b, Down)]] {
        assert_eq!(
            by_fingers(&[
                &[(7, a, Down)],
                &second,
                &[(7, b, Lifted), (9, d, Down)],
                &[(9, c, Down)],
                &[(9, c, Lifted)],
                &[(8, d, Down)],
            ]),
            [
                (a, true, false),
                (a, false, true),
                (a, false, false),
                (a, false, false),
                (a, false, false),
                (d, true, false)
            ]
        );
        assert_eq!(
            by_fingers(&[&second]),
            [(0.5 * SCREEN, false, false)],
            "both at once"
        );
    }
    // One that the system takes, or that is gone without a word.
    for gone in [&[(7, b, Taken)][..], &[]] {
        assert_eq!(
            by_fingers(&[&[(7, a, Down)], gone, &[], &[(7, c, Down)]]),
            [
                (a, true, false),
                (a, false, true),
                (a, false, false),
                (c, true, false)
            ]
        );
    }
}

#[test]
fn a_mouse_takes_over_from_a_finger_when_it_moves() {
    let (mut hands, at) = (Hands::default(), Vec2::new(10.0, 5.0));
    let mut read = |devices: &Devices| hands.read(devices, true, FRAME).pointer;
    read(&idle());
    assert_eq!(read(&fingers(&[(7, at, Down)])), at);
    assert_eq!(read(&fingers(&[(7, at, Lifted)])), at);
    assert_eq!(read(&idle()), at);
    let moved = Devices {
        pointer: Vec2::new(60.0, 80.0),
        ..idle()
    };
    assert_eq!(read(&moved), Vec2::new(30.0, 40.0));
}

#[test]
fn a_second_finger_or_a_taken_one_makes_no_stroke_and_presses_no_button() {
    let begin = || {
        let mut game = Game::new(Progress::default()).expect("levels");
        let mut hands = Hands::default();
        frame(&mut game, &mut hands, &idle());
        (game, hands)
    };
    let [from, to] = [Vec2::new(300.0, 360.0), Vec2::new(360.0, 330.0)];
    // What the first finger ends with, and the fingers of that frame; the strokes that follow.
    let ends: [(&[Touch], usize); 3] = [
        (&[(7, to, Lifted)], 1),
        (&[(7, to, Down), (8, from, Down)], 0),
        (&[(7, to, Taken)], 0),
    ];
    for (end, strokes) in ends {
        let (mut game, mut hands) = begin();
        game.press(Action::Level(0)).expect("a level that ships");
        let mut heard = 0;
        let after = [&[(8, from, Lifted)][..], &[], &[]];
        let draw: [&[Touch]; 3] = [&[], &[(7, from, Down)], &[(7, to, Down)]];
        for fingers_now in draw.into_iter().chain([end]).chain(after) {
            frame(&mut game, &mut hands, &fingers(fingers_now));
            let is_stroke = |happening: &&Happening| matches!(happening, Happening::Stroke { .. });
            heard += game.heard().iter().filter(is_stroke).count();
        }
        assert_eq!(heard, strokes, "{end:?}");
        assert!(!game.play().rules.is_pressed());
        // The same on a button of the title, which begins a level.
        let (mut game, mut hands) = begin();
        let at = game.menu().buttons()[0].center;
        let on_button = end
            .iter()
            .map(|&(id, _, state)| (id, at, state))
            .collect::<Vec<_>>();
        for fingers_now in [&[(7, at, Down)][..], &on_button, &[], &[]] {
            frame(&mut game, &mut hands, &fingers(fingers_now));
        }
        assert_eq!(game.screen() == Screen::Playing, strokes == 1, "{end:?}");
    }
}
