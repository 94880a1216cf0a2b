//! Reads keys, pointer, fingers and gamepads by macroquad and gilrs. What they mean is `kerf::input`'s.

use kerf::input::{Devices, Finger, FingerState, Key, scale_of};
use macroquad::input::{
    KeyCode, MouseButton, TouchPhase, is_key_down, is_key_pressed, is_mouse_button_down, mouse_position,
    simulate_mouse_with_touch, touches,
};
use macroquad::math::{Vec2, vec2};
use macroquad::window::{screen_height, screen_width};
use tombolo::geometry;

/// All input devices.
pub(crate) struct Reader {
    pads: Pads,
}

const KEYS: [(KeyCode, Key); 15] = [
    (KeyCode::Left, Key::Left),
    (KeyCode::Right, Key::Right),
    (KeyCode::Up, Key::Up),
    (KeyCode::Down, Key::Down),
    (KeyCode::A, Key::A),
    (KeyCode::D, Key::D),
    (KeyCode::W, Key::W),
    (KeyCode::S, Key::S),
    (KeyCode::Space, Key::Space),
    (KeyCode::Enter, Key::Enter),
    (KeyCode::Escape, Key::Escape),
    (KeyCode::P, Key::P),
    (KeyCode::R, Key::R),
    (KeyCode::LeftShift, Key::Shift),
    (KeyCode::RightShift, Key::Shift),
];

impl Reader {
    /// The devices of this machine. From now on fingers are no mouse: as one they would have no numbers.
    pub(crate) fn new() -> Self {
        simulate_mouse_with_touch(false);
        Self {
            pads: Pads::default(),
        }
    }

    /// The devices in this frame.
    pub(crate) fn read(&mut self) -> Devices {
        let those = |is: fn(KeyCode) -> bool| {
            KEYS.iter()
                .filter(move |(code, _)| is(*code))
                .map(|(_, key)| *key)
        };
        let (x, y) = mouse_position();
        let mut devices = Devices {
            window: window(),
            pointer: geometry::Vec2::new(x, y),
            pointer_down: is_mouse_button_down(MouseButton::Left),
            fingers: fingers(),
            keys_down: those(is_key_down).collect(),
            keys_pressed: those(is_key_pressed).collect(),
            ..Devices::default()
        };
        self.pads.read(&mut devices);
        devices
    }
}

fn fingers() -> Vec<Finger> {
    let state = |phase| match phase {
        TouchPhase::Started | TouchPhase::Moved | TouchPhase::Stationary => FingerState::Down,
        TouchPhase::Ended => FingerState::Lifted,
        TouchPhase::Cancelled => FingerState::Taken,
    };
    let touches = touches().into_iter();
    touches
        .map(|touch| Finger {
            id: touch.id,
            at: geometry::Vec2::new(touch.position.x, touch.position.y),
            state: state(touch.phase),
        })
        .collect()
}

fn window() -> geometry::Vec2 {
    geometry::Vec2::new(screen_width(), screen_height())
}

/// The size of a unit of the game's screen in the window, and the position of its corner.
pub(crate) fn window_scale() -> (f32, Vec2) {
    let (scale, corner) = scale_of(window());
    (scale, vec2(corner.x, corner.y))
}

/// The gamepads, if there are any.
#[cfg(feature = "gamepad")]
struct Pads {
    /// `None` if gamepads cannot be read; the game works without them.
    pads: Option<gilrs::Gilrs>,
}

#[cfg(feature = "gamepad")]
mod pads {
    use gilrs::{Axis, Button, EventType, Gilrs};
    use kerf::input::{Devices, PadButton};
    use tombolo::geometry::Vec2;

    use super::Pads;

    const BUTTONS: [(Button, PadButton); 10] = [
        (Button::South, PadButton::South),
        (Button::East, PadButton::East),
        (Button::North, PadButton::North),
        (Button::Start, PadButton::Start),
        (Button::Select, PadButton::Select),
        (Button::DPadLeft, PadButton::Left),
        (Button::DPadRight, PadButton::Right),
        (Button::DPadUp, PadButton::Up),
        (Button::DPadDown, PadButton::Down),
        (Button::LeftTrigger2, PadButton::LeftTrigger),
    ];

    impl Default for Pads {
        fn default() -> Self {
            Self {
                pads: Gilrs::new().ok(),
            }
        }
    }

    impl Pads {
        pub(super) fn read(&mut self, devices: &mut Devices) {
            let Some(pads) = &mut self.pads else {
                return;
            };
            while let Some(event) = pads.next_event() {
                if let EventType::ButtonPressed(pressed, _) = event.event {
                    let known = BUTTONS.iter().filter(|(button, _)| *button == pressed);
                    devices.buttons_pressed.extend(known.map(|(_, button)| *button));
                }
            }
            for (_, pad) in pads.gamepads() {
                let down = BUTTONS.iter().filter(|(button, _)| pad.is_pressed(*button));
                devices.buttons_down.extend(down.map(|(_, button)| *button));
                let stick = Vec2::new(pad.value(Axis::LeftStickX), pad.value(Axis::LeftStickY));
                devices.sticks.push(stick);
            }
        }
    }
}

/// No gamepads: the game was built without them.
#[cfg(not(feature = "gamepad"))]
#[derive(Default)]
struct Pads;

#[cfg(not(feature = "gamepad"))]
impl Pads {
    fn read(&mut self, _devices: &mut Devices) {}
}
