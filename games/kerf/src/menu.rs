//! Buttons on a screen of 1280 by 720: which has the focus, and which is pressed by pointer, finger, key or gamepad.

use tombolo::geometry::Vec2;

/// Width and height of the game's screen, in its units; a window scales it to the largest size that fits.
pub const SCREEN: Vec2 = Vec2::new(1280.0, 720.0);

/// The action of a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Plays the first level that was not won.
    Start,
    /// Shows all levels.
    Select,
    /// Plays a level.
    Level(usize),
    /// Pauses the level.
    Pause,
    /// Resumes the level.
    Resume,
    /// Restarts the level.
    Restart,
    /// Shows the title.
    Title,
    /// Ends the program.
    Quit,
}

/// A button.
#[derive(Clone, Debug, PartialEq)]
pub struct Button {
    /// Its action.
    pub action: Action,
    /// Its text.
    pub label: String,
    /// Its center, in units of [`SCREEN`] from the upper left corner.
    pub center: Vec2,
    /// Its width and height.
    pub size: Vec2,
    /// Whether it can be pressed.
    pub enabled: bool,
}

impl Button {
    /// A button that can be pressed.
    pub fn new(action: Action, label: &str, center: Vec2, size: Vec2) -> Self {
        Self {
            action,
            label: label.to_owned(),
            center,
            size,
            enabled: true,
        }
    }

    /// Whether a point of the screen is on the button.
    pub fn holds(&self, point: Vec2) -> bool {
        let away = (point - self.center).abs();
        away.x <= 0.5 * self.size.x && away.y <= 0.5 * self.size.y
    }
}

/// The input of a player in a frame. Flags are of that frame only, except for `down`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Controls {
    /// The position of the pointer or finger, in units of [`SCREEN`].
    pub pointer: Vec2,
    /// Whether the pointer is pressed.
    pub down: bool,
    /// Gives up the press that has begun: it makes no stroke, and presses no button.
    pub forget: bool,
    /// Moves the focus to the next button in this direction; y points down.
    pub way: Option<(i32, i32)>,
    /// Presses the button that has the focus.
    pub confirm: bool,
    /// Pauses, or goes back one screen.
    pub back: bool,
    /// Restarts the level.
    pub restart: bool,
}

/// The buttons of a screen.
#[derive(Clone, Debug, Default)]
pub struct Menu {
    buttons: Vec<Button>,
    focus: usize,
    pressed: Option<usize>,
    pointer: Vec2,
    was_down: bool,
}

impl Menu {
    /// A menu of buttons. The first that can be pressed has the focus; a pointer that is down already must be released
    /// first.
    pub fn new(buttons: Vec<Button>, controls: &Controls) -> Self {
        let focus = buttons.iter().position(|button| button.enabled).unwrap_or(0);
        Self {
            buttons,
            focus,
            pressed: None,
            pointer: controls.pointer,
            was_down: controls.down,
        }
    }

    /// The buttons.
    pub fn buttons(&self) -> &[Button] {
        &self.buttons
    }

    /// The index of the button that has the focus.
    pub fn focus(&self) -> usize {
        self.focus
    }

    /// Moves the focus to the button of an action, if there is one that can be pressed.
    pub fn focus_on(&mut self, action: Action) {
        let place = self
            .buttons
            .iter()
            .position(|button| button.action == action && button.enabled);
        self.focus = place.unwrap_or(self.focus);
    }

    /// Whether a point is on a button.
    pub fn holds(&self, point: Vec2) -> bool {
        self.buttons.iter().any(|button| button.holds(point))
    }

    /// Whether a button is held down.
    pub fn is_held(&self) -> bool {
        self.pressed.is_some()
    }

    /// Handles the input of a frame; returns the action that was pressed and released, or confirmed.
    pub fn update(&mut self, controls: &Controls) -> Option<Action> {
        let under = self
            .buttons
            .iter()
            .position(|button| button.enabled && button.holds(controls.pointer));
        if controls.pointer != self.pointer {
            self.focus = under.unwrap_or(self.focus);
        }
        self.pointer = controls.pointer;
        if controls.forget {
            self.pressed = None;
        }
        if let Some(way) = controls.way {
            self.move_focus(way);
        }
        let mut chosen = controls.confirm.then_some(self.focus);
        if controls.down && !self.was_down {
            self.pressed = under;
            self.focus = under.unwrap_or(self.focus);
        } else if !controls.down && self.was_down {
            let pressed = self.pressed.take();
            chosen = chosen.or(pressed.filter(|_| pressed == under));
        }
        self.was_down = controls.down;
        let button = self.buttons.get(chosen?)?;
        button.enabled.then_some(button.action)
    }

    /// Moves the focus to the nearest button in a direction; sideways distance counts double.
    fn move_focus(&mut self, (x, y): (i32, i32)) {
        let Some(here) = self.buttons.get(self.focus).map(|button| button.center) else {
            return;
        };
        let way = Vec2::new(x as f32, y as f32);
        let far = |button: &Button| {
            let offset = button.center - here;
            let along = offset.dot(way);
            (button.enabled && along > 1.0).then_some(along + 2.0 * (offset - way * along).length())
        };
        let reached = self
            .buttons
            .iter()
            .enumerate()
            .filter_map(|(place, button)| Some((far(button)?, place)));
        self.focus = reached
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .map_or(self.focus, |(_, place)| place);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn menu() -> Menu {
        let button = |action, y| Button::new(action, "", Vec2::new(640.0, y), Vec2::new(200.0, 60.0));
        let mut quit = button(Action::Quit, 300.0);
        quit.enabled = false;
        let buttons = vec![button(Action::Start, 100.0), button(Action::Select, 200.0), quit];
        Menu::new(buttons, &Controls::default())
    }

    #[test]
    fn keys_move_the_focus_and_confirm() {
        let mut menu = menu();
        let down = Controls {
            way: Some((0, 1)),
            ..Controls::default()
        };
        assert_eq!((menu.update(&down), menu.focus()), (None, 1));
        // The only button beyond it cannot be pressed.
        assert_eq!((menu.update(&down), menu.focus()), (None, 1));
        let confirm = Controls {
            confirm: true,
            ..Controls::default()
        };
        assert_eq!(menu.update(&confirm), Some(Action::Select));
    }

    #[test]
    fn a_pointer_presses_where_it_is_let_go() {
        let mut menu = menu();
        let at = |y: f32, down| Controls {
            pointer: Vec2::new(650.0, y),
            down,
            ..Controls::default()
        };
        assert_eq!(menu.update(&at(210.0, true)), None);
        assert!(menu.is_held());
        assert_eq!(menu.update(&at(210.0, false)), Some(Action::Select));
        assert_eq!(menu.update(&at(210.0, true)), None);
        assert_eq!(menu.update(&at(400.0, false)), None);
        assert_eq!(menu.update(&at(300.0, true)), None);
        assert_eq!(menu.update(&at(300.0, false)), None, "it cannot be pressed");
    }
}
