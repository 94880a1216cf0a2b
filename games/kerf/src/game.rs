//! The game as a window shows it: title, selection of levels, a level, pause, won and lost. The player's input and the
//! elapsed time go in frame by frame; the world advances in fixed steps.

use std::time::Duration;

use tombolo::Stepper;
use tombolo::geometry::Vec2;
use tombolo::threads::Inline;

use crate::levels::COUNT;
use crate::menu::{Action, Button, Controls, Menu, SCREEN};
use crate::play::{Happening, Input, Loss, Outcome, Play, Rules};
use crate::progress::Progress;

/// The height of the screen, in meters of the world.
const HEIGHT_M: f32 = 13.5;
/// The scale of the picture, in units of the screen per meter.
pub const SCALE: f32 = SCREEN.y / HEIGHT_M;
/// The time from the end of a level to the screen that says so, in seconds.
const ENDING_S: f32 = 1.4;

/// The screen that is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Screen {
    /// The name of the game.
    Title,
    /// All levels.
    Select,
    /// A level.
    Playing,
    /// A level that is paused.
    Paused,
    /// A level that was won.
    Won {
        /// One to three stars.
        stars: u32,
        /// Whether it was never won with as few cuts before.
        better: bool,
    },
    /// A level that was lost.
    Lost(Loss),
}

/// The state of the game.
pub struct Game {
    screen: Screen,
    menu: Menu,
    play: Play,
    stepper: Stepper,
    progress: Progress,
    /// The center of the picture, in meters.
    center: Vec2,
    /// Whether the pointer was pressed since the last step, however short.
    latched: bool,
    /// Whether what is held down was pressed on another screen, and is no press in the world until it is let go.
    awaits_release: bool,
    pointer: Vec2,
    /// The screen that says how the level ended, once it has.
    ending: Option<Screen>,
    since_end: f32,
    heard: Vec<Happening>,
    quits: bool,
}

impl Game {
    /// Starts at the title.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Play::new`].
    pub fn new(progress: Progress) -> Result<Self, String> {
        let play = Play::new(progress.next())?;
        let mut game = Self {
            screen: Screen::Title,
            menu: Menu::default(),
            center: Vec2::ZERO,
            play,
            stepper: Stepper::new(),
            progress,
            latched: false,
            awaits_release: false,
            pointer: Vec2::ZERO,
            ending: None,
            since_end: 0.0,
            heard: Vec::new(),
            quits: false,
        };
        game.show(Screen::Title, &Controls::default());
        Ok(game)
    }

    /// The screen that is shown.
    pub fn screen(&self) -> Screen {
        self.screen
    }

    /// The buttons of the screen.
    pub fn menu(&self) -> &Menu {
        &self.menu
    }

    /// The level that is played, or was last.
    pub fn play(&self) -> &Play {
        &self.play
    }

    /// The stepper, with the fraction between two steps at which things are drawn.
    pub fn stepper(&self) -> &Stepper {
        &self.stepper
    }

    /// The levels that were won.
    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// The events of the steps of the last frame.
    pub fn heard(&self) -> &[Happening] {
        &self.heard
    }

    /// Whether the player wants to leave.
    pub fn quits(&self) -> bool {
        self.quits
    }

    /// The center of the picture, in meters.
    pub fn center(&self) -> Vec2 {
        self.center
    }

    /// The position of the pointer in the world, in meters.
    pub fn aim(&self) -> Vec2 {
        self.to_world(self.pointer)
    }

    /// Carries out the action of a button, on any screen.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Play::new`], if a level begins.
    pub fn press(&mut self, action: Action) -> Result<(), String> {
        self.act(action, &Controls::default())
    }

    /// Converts a point of the screen to a position in the world.
    pub fn to_world(&self, point: Vec2) -> Vec2 {
        let offset = (point - 0.5 * SCREEN) / SCALE;
        self.center + Vec2::new(offset.x, -offset.y)
    }

    /// Converts a position in the world to a point of the screen.
    pub fn to_screen(&self, place: Vec2) -> Vec2 {
        let offset = (place - self.center) * SCALE;
        0.5 * SCREEN + Vec2::new(offset.x, -offset.y)
    }

    /// Begins a level.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Play::new`].
    pub fn start(&mut self, level: usize, controls: &Controls) -> Result<(), String> {
        self.play = Play::new(level)?;
        self.stepper.reset();
        (self.ending, self.since_end) = (None, 0.0);
        self.latched = false;
        self.center = self.center_to_be();
        self.show(Screen::Playing, controls);
        Ok(())
    }

    /// Advances by a frame, with the player's input and the time since the last one.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Play::new`], if a level begins.
    pub fn frame(&mut self, controls: &Controls, elapsed: Duration) -> Result<(), String> {
        self.heard.clear();
        if controls.forget {
            self.forget_press();
        }
        // In a level keys move the cursor; its buttons are for pointers, and have keys of their own.
        let keys = self.screen != Screen::Playing;
        let (way, confirm) = (controls.way.filter(|_| keys), controls.confirm && keys);
        let chosen = self.menu.update(&Controls {
            way,
            confirm,
            ..*controls
        });
        if let Some(action) = chosen.or_else(|| self.shortcut(controls)) {
            self.act(action, controls)?;
        }
        if self.screen == Screen::Playing {
            self.advance(controls, elapsed);
            self.watch_end(controls, elapsed);
        }
        Ok(())
    }

    /// The action of a key that needs no button.
    fn shortcut(&self, controls: &Controls) -> Option<Action> {
        match self.screen {
            Screen::Playing if controls.back => Some(Action::Pause),
            Screen::Paused if controls.back => Some(Action::Resume),
            Screen::Select if controls.back => Some(Action::Title),
            Screen::Won { .. } | Screen::Lost(_) if controls.back => Some(Action::Select),
            Screen::Playing | Screen::Lost(_) | Screen::Won { .. } if controls.restart => {
                Some(Action::Restart)
            }
            _ => None,
        }
    }

    fn act(&mut self, action: Action, controls: &Controls) -> Result<(), String> {
        match action {
            Action::Start => self.start(self.progress.next(), controls)?,
            Action::Level(level) => self.start(level, controls)?,
            Action::Restart => self.start(self.play.level.index, controls)?,
            Action::Select => self.show(Screen::Select, controls),
            Action::Pause => self.pause(controls),
            Action::Resume => self.show(Screen::Playing, controls),
            Action::Title => self.show(Screen::Title, controls),
            Action::Quit => self.quits = true,
        }
        Ok(())
    }

    /// Pauses the level. A stroke that is being drawn is given up.
    fn pause(&mut self, controls: &Controls) {
        if controls.down {
            self.forget_press();
        }
        self.show(Screen::Paused, controls);
    }

    /// Gives up the stroke or tap that has begun.
    fn forget_press(&mut self) {
        self.latched = false;
        self.play.rules.forget_press();
    }

    fn show(&mut self, screen: Screen, controls: &Controls) {
        self.screen = screen;
        self.awaits_release = controls.down || controls.confirm;
        self.menu = Menu::new(self.buttons(), controls);
        self.menu.focus_on(Action::Level(self.progress.next()));
    }

    /// Makes the steps that are due. A press on a button of the screen, or on the screen before, is not a press in the
    /// world.
    fn advance(&mut self, controls: &Controls, elapsed: Duration) {
        self.awaits_release &= controls.down || controls.confirm;
        let controls = &Controls {
            down: controls.down && !self.awaits_release,
            ..*controls
        };
        let on_button = self.menu.is_held() || (!controls.down && self.menu.holds(controls.pointer));
        // A press that began and ended between two steps counts as pressed in the next one; and a stroke ends at the
        // last position with the pointer down, wherever the pointer is by the time of the step.
        let drawn = self.latched || self.play.rules.is_pressed();
        if controls.down || !drawn {
            self.pointer = controls.pointer;
        }
        self.latched = (self.latched || controls.down) && !on_button;
        let mut input = Input {
            at: self.to_world(self.pointer),
            down: self.latched,
        };
        let (rules, heard) = (&mut self.play.rules, &mut self.heard);
        let steps = self.stepper.advance(&mut self.play.world, elapsed, |world| {
            rules.step(world, input, &Inline);
            heard.extend_from_slice(rules.happened());
            input.down = controls.down && !on_button;
        });
        self.latched &= steps == 0;
        let share = 1.0 - libm::expf(-4.0 * elapsed.as_secs_f32());
        self.center = self.center.lerp(self.center_to_be(), share);
    }

    /// Shows how the level ended, a while after it did.
    fn watch_end(&mut self, controls: &Controls, elapsed: Duration) {
        if self.ending.is_none() {
            self.ending = self.end_level();
        }
        let Some(screen) = self.ending else {
            return;
        };
        self.since_end += elapsed.as_secs_f32();
        if self.since_end >= ENDING_S {
            self.show(screen, controls);
        }
    }

    /// The screen for the end of the level, if it has ended. A level that was won counts at once, even if the player does
    /// not wait for that screen.
    fn end_level(&mut self) -> Option<Screen> {
        match self.play.rules.outcome() {
            Outcome::Open => None,
            Outcome::Won => {
                let (level, cuts) = (&self.play.level, self.play.rules.cuts_used());
                let better = self.progress.win(level.index, cuts);
                let stars = Rules::stars(cuts, level.par);
                Some(Screen::Won { stars, better })
            }
            Outcome::Lost(loss) => Some(Screen::Lost(loss)),
        }
    }

    /// The best center of the picture: that of the whole level, or Pip's position in a wide one.
    fn center_to_be(&self) -> Vec2 {
        let view = self.play.level.view;
        let half = 0.5 * HEIGHT_M * SCREEN.x / SCREEN.y;
        let pip = self.stepper.pose(&self.play.world, self.play.rules.pip());
        let x = pip.map_or(view.center().x, |pose| pose.position.x + 3.0);
        let [least, most] = [view.min.x + half, view.max.x - half];
        Vec2::new(x.clamp(least, most.max(least)), view.center().y)
    }

    fn buttons(&self) -> Vec<Button> {
        let wide = Vec2::new(300.0, 64.0);
        let column = |labels: &[(Action, &str)], top: f32| {
            let at = |place: usize| Vec2::new(0.5 * SCREEN.x, top + 80.0 * place as f32);
            let rows = labels.iter().enumerate();
            rows.map(|(place, (action, label))| Button::new(*action, label, at(place), wide))
                .collect()
        };
        match self.screen {
            Screen::Title => column(
                &[
                    (Action::Start, "Play"),
                    (Action::Select, "Levels"),
                    (Action::Quit, "Quit"),
                ],
                440.0,
            ),
            Screen::Select => self.level_buttons(),
            Screen::Playing => {
                let size = Vec2::splat(56.0);
                let pause = Button::new(Action::Pause, "pause", Vec2::new(1236.0, 44.0), size);
                vec![
                    pause,
                    Button::new(Action::Restart, "restart", Vec2::new(1168.0, 44.0), size),
                ]
            }
            Screen::Paused => {
                let labels = [
                    (Action::Resume, "Resume"),
                    (Action::Restart, "Restart"),
                    (Action::Select, "Levels"),
                ];
                column(&labels, 320.0)
            }
            Screen::Won { .. } if self.play.level.index + 1 < COUNT => {
                let next = Action::Level(self.play.level.index + 1);
                column(
                    &[
                        (next, "Next level"),
                        (Action::Restart, "Again"),
                        (Action::Select, "Levels"),
                    ],
                    420.0,
                )
            }
            Screen::Won { .. } => column(&[(Action::Title, "The end"), (Action::Restart, "Again")], 420.0),
            Screen::Lost(_) => column(
                &[(Action::Restart, "Try again"), (Action::Select, "Levels")],
                420.0,
            ),
        }
    }

    fn level_buttons(&self) -> Vec<Button> {
        let level = |index: usize| {
            let (column, row) = ((index % 4) as f32, (index / 4) as f32);
            let center = Vec2::new(250.0 + 260.0 * column, 270.0 + 190.0 * row);
            let label = format!("{}", index + 1);
            let mut button = Button::new(Action::Level(index), &label, center, Vec2::new(220.0, 150.0));
            button.enabled = self.progress.is_open(index);
            button
        };
        let mut buttons: Vec<Button> = (0..COUNT).map(level).collect();
        buttons.push(Button::new(
            Action::Title,
            "Back",
            Vec2::new(640.0, 640.0),
            Vec2::new(220.0, 60.0),
        ));
        buttons
    }
}
