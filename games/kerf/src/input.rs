//! Keys, pointer, fingers and gamepads become the input of the game: the meaning of each, without the library that reads
//! them. A finger is a pointer, as long as it is the only one. In a level arrow keys and sticks move a cursor, and a key or button presses at it, so that
//! every level can be played with every device.

use tombolo::geometry::Vec2;

use crate::menu::{Controls, SCREEN};

/// The speed of the cursor, in units of the screen per second.
pub const CURSOR_SPEED: f32 = 560.0;
/// The part of that speed with Shift or the left trigger.
pub const SLOW: f32 = 1.0 / 3.0;
/// The deflection of a stick, of 1, below which it is at rest.
const STICK_REST: f32 = 0.2;
/// The deflection from which a stick moves the focus of a menu.
const STICK_STEP: f32 = 0.625;

/// A key that the game knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Key {
    Left,
    Right,
    Up,
    Down,
    A,
    D,
    W,
    S,
    Space,
    Enter,
    Escape,
    P,
    R,
    Shift,
}

/// A button of a gamepad that the game knows, by its place: `South` is the lowest of the four on the right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum PadButton {
    South,
    East,
    North,
    Start,
    Select,
    Left,
    Right,
    Up,
    Down,
    LeftTrigger,
}

/// What became of a finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FingerState {
    /// It is on the screen.
    Down,
    /// It was lifted since the last frame.
    Lifted,
    /// The system took it away since the last frame, as for a gesture of its own.
    Taken,
}

/// A finger on the screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finger {
    /// Its number, as long as it is on the screen.
    pub id: u64,
    /// The position in the window, in pixels from the upper left corner.
    pub at: Vec2,
    /// What became of it.
    pub state: FingerState,
}

/// The devices in a frame, as they are read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Devices {
    /// The size of the window, in pixels.
    pub window: Vec2,
    /// The position of the mouse in the window, in pixels from the upper left corner.
    pub pointer: Vec2,
    /// Whether the mouse's left button is down.
    pub pointer_down: bool,
    /// The fingers on the screen, in any order.
    pub fingers: Vec<Finger>,
    /// The keys that are down.
    pub keys_down: Vec<Key>,
    /// The keys that were pressed since the last frame.
    pub keys_pressed: Vec<Key>,
    /// The buttons that are down, of all gamepads.
    pub buttons_down: Vec<PadButton>,
    /// The buttons that were pressed since the last frame, of all gamepads.
    pub buttons_pressed: Vec<PadButton>,
    /// The deflections of the gamepads' left sticks, -1 to 1, y up; a gamepad keeps its place from frame to frame.
    pub sticks: Vec<Vec2>,
}

/// The size of a unit of the game's screen in a window of a size in pixels, and the position of its corner.
pub fn scale_of(window: Vec2) -> (f32, Vec2) {
    let scale = (window / SCREEN).min_element();
    (scale, 0.5 * (window - scale * SCREEN))
}

/// The finger that is the pointer.
#[derive(Clone, Debug, Default)]
struct Lead {
    id: Option<u64>,
    /// Whether there were several, of which none is the pointer until all are gone.
    several: bool,
}

impl Lead {
    /// The finger that is the pointer in this frame, and whether a press with it is given up: since another finger came, or it
    /// was taken away.
    fn follow(&mut self, fingers: &[Finger]) -> (Option<Finger>, bool) {
        let is_down = |finger: &&Finger| finger.state == FingerState::Down;
        let count = fingers.iter().filter(is_down).count();
        let Some(id) = self.id else {
            self.several = count > 1 || (self.several && count > 0);
            let first = fingers.iter().find(|finger| is_down(finger) && !self.several);
            self.id = first.map(|finger| finger.id);
            return (first.copied(), false);
        };
        let lead = fingers.iter().find(|finger| finger.id == id).copied();
        match lead.map(|finger| finger.state) {
            Some(FingerState::Down) if count == 1 => (lead, false),
            Some(FingerState::Lifted) => {
                self.id = None;
                (lead, false)
            }
            _ => {
                (self.id, self.several) = (None, count > 0);
                (None, true)
            }
        }
    }
}

/// What is remembered of the devices from frame to frame.
#[derive(Clone, Debug)]
pub struct Hands {
    cursor: Vec2,
    /// The position of the mouse or of the last finger, whichever moved last.
    pointer: Vec2,
    mouse: Vec2,
    lead: Lead,
    /// Whether the cursor was moved by keys or a stick last, and must be drawn.
    by_keys: bool,
    /// The direction in which each stick was tilted.
    tilted: Vec<(i32, i32)>,
}

impl Default for Hands {
    fn default() -> Self {
        Self {
            cursor: 0.5 * SCREEN,
            pointer: Vec2::ZERO,
            mouse: Vec2::ZERO,
            lead: Lead::default(),
            by_keys: false,
            tilted: Vec::new(),
        }
    }
}

/// The directions of keys and of buttons; y points down.
const WAYS: [(Key, Key, PadButton, (i32, i32)); 4] = [
    (Key::Left, Key::A, PadButton::Left, (-1, 0)),
    (Key::Right, Key::D, PadButton::Right, (1, 0)),
    (Key::Up, Key::W, PadButton::Up, (0, -1)),
    (Key::Down, Key::S, PadButton::Down, (0, 1)),
];

impl Hands {
    /// The position at which the cursor is drawn, in units of [`SCREEN`]; `None` while a mouse or finger is used.
    pub fn cursor(&self) -> Option<Vec2> {
        self.by_keys.then_some(self.cursor)
    }

    /// The input of the player in a frame, which lasts a time in seconds. Keys move the cursor only while a level is
    /// played.
    pub fn read(&mut self, devices: &Devices, is_playing: bool, seconds: f32) -> Controls {
        let (scale, corner) = scale_of(devices.window);
        let (finger, forget) = self.lead.follow(&devices.fingers);
        let finger_down = finger.is_some_and(|finger| finger.state == FingerState::Down);
        let pointer_down = devices.pointer_down || finger_down;
        let place = |at: Vec2| (at - corner) / scale;
        let mouse = place(devices.pointer);
        let pointer = match finger {
            Some(finger) => place(finger.at),
            None if mouse != self.mouse || devices.pointer_down => mouse,
            None => self.pointer,
        };
        if pointer != self.pointer || pointer_down {
            self.by_keys = false;
            self.cursor = pointer;
        }
        (self.pointer, self.mouse) = (pointer, mouse);
        let key_down = |key| devices.keys_down.contains(&key);
        let button_down = |button| devices.buttons_down.contains(&button);
        let key = |key| devices.keys_pressed.contains(&key);
        let button = |button| devices.buttons_pressed.contains(&button);
        let step = self.step(devices);
        let hold = key_down(Key::Space) || key_down(Key::Enter) || button_down(PadButton::South);
        let way = way(devices);
        if is_playing && (way != Vec2::ZERO || hold) {
            self.by_keys = true;
            let is_slow = key_down(Key::Shift) || button_down(PadButton::LeftTrigger);
            let speed = if is_slow {
                SLOW * CURSOR_SPEED
            } else {
                CURSOR_SPEED
            };
            self.cursor += way.clamp_length_max(1.0) * speed * seconds;
            self.cursor = self.cursor.clamp(Vec2::ZERO, SCREEN);
        }
        Controls {
            pointer: if self.by_keys { self.cursor } else { pointer },
            down: pointer_down || (is_playing && hold),
            forget,
            way: step,
            confirm: key(Key::Space) || key(Key::Enter) || button(PadButton::South),
            back: key(Key::Escape) || key(Key::P) || button(PadButton::East) || button(PadButton::Start),
            restart: key(Key::R) || button(PadButton::North) || button(PadButton::Select),
        }
    }

    /// The direction in which the focus of a menu moves: of a key or button that was pressed, or of a stick that was
    /// tilted.
    fn step(&mut self, devices: &Devices) -> Option<(i32, i32)> {
        let pressed = WAYS.iter().find(|(arrow, letter, button, _)| {
            devices.keys_pressed.contains(arrow)
                || devices.keys_pressed.contains(letter)
                || devices.buttons_pressed.contains(button)
        });
        let mut step = pressed.map(|(.., way)| *way);
        self.tilted.resize(devices.sticks.len(), (0, 0));
        for (was, stick) in self.tilted.iter_mut().zip(&devices.sticks) {
            let is = tilt(*stick);
            if is != *was && is != (0, 0) {
                step = Some(is);
            }
            *was = is;
        }
        step
    }
}

/// The direction in which a stick is tilted far; y points down.
fn tilt(stick: Vec2) -> (i32, i32) {
    let far = |part: f32| {
        if part.abs() < STICK_STEP {
            0
        } else {
            part.signum() as i32
        }
    };
    (far(stick.x), -far(stick.y))
}

/// The way in which keys, buttons and sticks move the cursor; y points down.
fn way(devices: &Devices) -> Vec2 {
    let mut way = Vec2::ZERO;
    for (arrow, letter, button, (x, y)) in WAYS {
        let unit = Vec2::new(x as f32, y as f32);
        if devices.keys_down.contains(&arrow) || devices.keys_down.contains(&letter) {
            way += unit;
        }
        if devices.buttons_down.contains(&button) {
            way += unit;
        }
    }
    let sticks = devices.sticks.iter().map(|stick| Vec2::new(stick.x, -stick.y));
    way + sticks.filter(|stick| stick.length() > STICK_REST).sum::<Vec2>()
}
