//! Converts keys, pointer, fingers and gamepads to the input of the game. Fingers are pointers. In a level arrow keys
//! and sticks move a cursor, and a key or button presses at it, so that every level can be played with every device.

use kerf::game::{Game, Screen};
use kerf::menu::{Controls, SCREEN};
use macroquad::input::{
    KeyCode, MouseButton, is_key_down, is_key_pressed, is_mouse_button_down, mouse_position,
};
use macroquad::math::{Vec2, vec2};
use macroquad::window::{screen_height, screen_width};

/// The speed of the cursor, in units of the screen per second; a third of it with Shift or the left trigger.
const CURSOR_SPEED: f32 = 560.0;

/// All input devices.
pub(crate) struct Hands {
    cursor: Vec2,
    mouse: Vec2,
    /// Whether the cursor was moved by keys or a stick last, and must be drawn.
    by_keys: bool,
    pad: Pad,
}

/// The combined state of keys and gamepad.
#[derive(Default)]
struct Pushed {
    way: Vec2,
    step: Option<(i32, i32)>,
    hold: bool,
    confirm: bool,
    back: bool,
    restart: bool,
    slow: bool,
}

impl Hands {
    pub(crate) fn new() -> Self {
        Self {
            cursor: vec2(640.0, 360.0),
            mouse: Vec2::ZERO,
            by_keys: false,
            pad: Pad::new(),
        }
    }

    /// The position at which the cursor is drawn; `None` while a mouse or finger is used.
    pub(crate) fn cursor(&self) -> Option<Vec2> {
        self.by_keys.then_some(self.cursor)
    }

    /// The input of the player in this frame, which lasts a time in seconds.
    pub(crate) fn read(&mut self, game: &Game, seconds: f32) -> Controls {
        let mouse = to_screen(Vec2::from(mouse_position()));
        let mouse_down = is_mouse_button_down(MouseButton::Left);
        if mouse != self.mouse || mouse_down {
            self.by_keys = false;
            self.cursor = mouse;
        }
        self.mouse = mouse;
        let mut pushed = keys();
        self.pad.read(&mut pushed);
        let playing = game.screen() == Screen::Playing;
        if playing && (pushed.way != Vec2::ZERO || pushed.hold) {
            self.by_keys = true;
            let speed = if pushed.slow {
                CURSOR_SPEED / 3.0
            } else {
                CURSOR_SPEED
            };
            self.cursor += pushed.way.clamp_length_max(1.0) * speed * seconds;
            self.cursor = self.cursor.clamp(Vec2::ZERO, vec2(SCREEN.x, SCREEN.y));
        }
        let pointer = if self.by_keys { self.cursor } else { mouse };
        Controls {
            pointer: tombolo::geometry::Vec2::new(pointer.x, pointer.y),
            down: mouse_down || (playing && pushed.hold),
            way: pushed.step,
            confirm: pushed.confirm,
            back: pushed.back,
            restart: pushed.restart,
        }
    }
}

/// The size of a unit of the game's screen in the window, and the position of its corner.
pub(crate) fn window_scale() -> (f32, Vec2) {
    let window = vec2(screen_width(), screen_height());
    let scale = (window.x / SCREEN.x).min(window.y / SCREEN.y);
    (scale, 0.5 * (window - scale * vec2(SCREEN.x, SCREEN.y)))
}

fn to_screen(point: Vec2) -> Vec2 {
    let (scale, corner) = window_scale();
    (point - corner) / scale
}

fn keys() -> Pushed {
    let mut pushed = Pushed::default();
    let ways = [
        (KeyCode::Left, KeyCode::A, (-1, 0)),
        (KeyCode::Right, KeyCode::D, (1, 0)),
        (KeyCode::Up, KeyCode::W, (0, -1)),
        (KeyCode::Down, KeyCode::S, (0, 1)),
    ];
    for (arrow, letter, (x, y)) in ways {
        if is_key_down(arrow) || is_key_down(letter) {
            pushed.way += vec2(x as f32, y as f32);
        }
        if is_key_pressed(arrow) || is_key_pressed(letter) {
            pushed.step = Some((x, y));
        }
    }
    pushed.hold = is_key_down(KeyCode::Space) || is_key_down(KeyCode::Enter);
    pushed.confirm = is_key_pressed(KeyCode::Space) || is_key_pressed(KeyCode::Enter);
    pushed.back = is_key_pressed(KeyCode::Escape) || is_key_pressed(KeyCode::P);
    pushed.restart = is_key_pressed(KeyCode::R);
    pushed.slow = is_key_down(KeyCode::LeftShift);
    pushed
}

/// A gamepad, if there is one.
#[cfg(feature = "gamepad")]
struct Pad {
    /// `None` if gamepads cannot be read; the game works without them.
    pads: Option<gilrs::Gilrs>,
    stick_was: (i32, i32),
}

#[cfg(feature = "gamepad")]
impl Pad {
    fn new() -> Self {
        Self {
            pads: gilrs::Gilrs::new().ok(),
            stick_was: (0, 0),
        }
    }

    fn read(&mut self, pushed: &mut Pushed) {
        use gilrs::{Axis, Button, EventType};
        let Some(pads) = &mut self.pads else {
            return;
        };
        while let Some(event) = pads.next_event() {
            if let EventType::ButtonPressed(button, _) = event.event {
                match button {
                    Button::South => pushed.confirm = true,
                    Button::East | Button::Start => pushed.back = true,
                    Button::North | Button::Select => pushed.restart = true,
                    Button::DPadLeft => pushed.step = Some((-1, 0)),
                    Button::DPadRight => pushed.step = Some((1, 0)),
                    Button::DPadUp => pushed.step = Some((0, -1)),
                    Button::DPadDown => pushed.step = Some((0, 1)),
                    _ => {}
                }
            }
        }
        for (_, pad) in pads.gamepads() {
            pushed.hold |= pad.is_pressed(Button::South);
            pushed.slow |= pad.is_pressed(Button::LeftTrigger2);
            let stick = vec2(pad.value(Axis::LeftStickX), -pad.value(Axis::LeftStickY));
            if stick.length() > 0.2 {
                pushed.way += stick;
            }
            let tilted = ((stick.x * 1.6) as i32, (stick.y * 1.6) as i32);
            if tilted != self.stick_was && tilted != (0, 0) {
                pushed.step = Some(tilted);
            }
            self.stick_was = tilted;
            for (button, way) in [
                (Button::DPadLeft, vec2(-1.0, 0.0)),
                (Button::DPadRight, vec2(1.0, 0.0)),
                (Button::DPadUp, vec2(0.0, -1.0)),
                (Button::DPadDown, vec2(0.0, 1.0)),
            ] {
                if pad.is_pressed(button) {
                    pushed.way += way;
                }
            }
        }
    }
}

/// No gamepad: the game was built without them.
#[cfg(not(feature = "gamepad"))]
struct Pad;

#[cfg(not(feature = "gamepad"))]
impl Pad {
    fn new() -> Self {
        Self
    }

    fn read(&mut self, _pushed: &mut Pushed) {}
}
