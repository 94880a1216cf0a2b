//! Whole updates of an app of Bevy: the requests of the bench's area `bevy` to a plugin in an app without windows. The
//! worlds are the same for every plugin; app, components and best settings are each plugin's own ([`PluginApp`]).

use std::process::ExitCode;

use clap::builder::PossibleValue;
use clap::{Parser, ValueEnum};
use glam::Vec2;
use serde::{Deserialize, Serialize};

use crate::ground::time;
use crate::run::{exit_code_of, print};

/// The first argument of a runner for these requests.
pub const APPS: &str = "apps";

/// The width and height of every box, in meters.
pub const BOX_SIZE: f32 = 1.0;

/// The distance between the centers of two falling boxes, in meters: they never meet.
const FALLING_SPACING: f32 = 2.0;

/// The number of falling boxes in a row.
const FALLING_COLUMNS: u32 = 200;

/// The height of the lowest falling boxes: none reaches the ground in 5 seconds.
const FALLING_HEIGHT: f32 = 150.0;

/// The boxes of an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum AppWorld {
    /// A pyramid of boxes on the ground; the size is the number of rows.
    Pyramid,
    /// Boxes in free fall; the size is their number.
    Falling,
}

/// What is simulated in an app.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Content {
    /// The plugin, with the Transforms that it writes after each step.
    Plugin,
    /// Likewise, and the Transforms interpolated between two steps.
    Interpolated,
    /// No plugin: a system marks the Transforms of all boxes as changed in each update, and Bevy propagates them.
    Bare,
}

/// The executor of the app's schedules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Schedules {
    /// As Bevy comes: systems that do not conflict run at the same time.
    Default,
    /// Every schedule runs its systems one by one on the calling thread; the plugin keeps its threads.
    Single,
}

/// The app of a runner, and the number of updates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Parser)]
pub struct AppOrder {
    /// The boxes.
    #[arg(long, value_enum)]
    pub world: AppWorld,
    /// The number of rows or boxes.
    #[arg(long)]
    pub size: u32,
    /// The number of updates of one step each; the first three are not timed.
    #[arg(long)]
    pub steps: u32,
    /// The number of threads of Bevy's compute pool, and of the plugin's own if it has one.
    #[arg(long)]
    pub threads: usize,
    /// Plugin or none.
    #[arg(long, value_enum)]
    pub content: Content,
    /// How systems are run.
    #[arg(long, value_enum)]
    pub schedules: Schedules,
}

impl AppOrder {
    /// The arguments that a runner parses back to this order.
    pub fn to_arguments(self) -> Vec<String> {
        let word =
            |value: Option<PossibleValue>| value.map(|value| value.get_name().to_owned()).unwrap_or_default();
        vec![
            APPS.to_owned(),
            format!("--world={}", word(self.world.to_possible_value())),
            format!("--size={}", self.size),
            format!("--steps={}", self.steps),
            format!("--threads={}", self.threads),
            format!("--content={}", word(self.content.to_possible_value())),
            format!("--schedules={}", word(self.schedules.to_possible_value())),
        ]
    }

    /// The centers of the boxes at the start.
    pub fn boxes(&self) -> Vec<Vec2> {
        match self.world {
            AppWorld::Pyramid => pyramid(self.size),
            AppWorld::Falling => (0..self.size).map(falling).collect(),
        }
    }
}

/// The updates of an app that are not timed: plugins create their bodies in the first, contacts in the second.
pub const UNTIMED: u32 = 3;

/// The boxes of a pyramid on ground at height 0.
fn pyramid(rows: u32) -> Vec<Vec2> {
    let row = |y: u32| {
        (0..rows - y).map(move |x| Vec2::new(x as f32 + 0.5 * (y as f32 + 1.0 - rows as f32), 0.5 + y as f32))
    };
    (0..rows).flat_map(row).collect()
}

fn falling(i: u32) -> Vec2 {
    let (column, row) = (i % FALLING_COLUMNS, i / FALLING_COLUMNS);
    let x = column as f32 - 0.5 * FALLING_COLUMNS as f32;
    FALLING_SPACING * Vec2::new(x, row as f32) + Vec2::new(0.0, FALLING_HEIGHT)
}

/// The result of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AppAnswer {
    /// The plugin's name, its release and that of Bevy.
    pub plugin: String,
    /// The time of each timed `App::update`, in nanoseconds.
    pub update_ns: Vec<u64>,
    /// Of that the time of the physics step alone; empty if the plugin does not tell.
    pub step_ns: Vec<u64>,
    /// The x, y and angle of each box's Transform after the last update, in the order of spawning.
    pub places: Vec<[f32; 3]>,
}

/// A plugin in an app without windows, which makes one step of `scenes::STEP_S` in each update.
pub trait PluginApp: Sized {
    /// Name and releases, for tables.
    fn name() -> String;
    /// An app with the ground, a fixed rectangle centered at `ground` of this size, and dynamic boxes of [`BOX_SIZE`] at
    /// these centers. Gravity is [`GRAVITY`](crate::ground::GRAVITY) downward, friction 0.6, and no box sleeps.
    ///
    /// # Errors
    /// This build has no such content.
    fn new(order: &AppOrder, ground: Vec2, ground_size: Vec2, boxes: &[Vec2]) -> Result<Self, String>;
    /// One `App::update`. Only this is timed.
    fn update(&mut self);
    /// The nanoseconds of the physics step in the last update; `None` if the plugin does not tell.
    fn step_ns(&self) -> Option<u64>;
    /// The x, y and angle of the Transform of each box, in the order of spawning.
    fn places(&self) -> Vec<[f32; 3]>;
}

/// Carries out the order on the command line, whose first word is [`APPS`], and prints the answer.
pub fn run<A: PluginApp>() -> ExitCode {
    let order = AppOrder::parse_from(std::env::args_os().skip(1));
    exit_code_of(&A::name(), obey::<A>(&order).and_then(|answer| print(&answer)))
}

/// Whether the command line is one of these requests.
pub fn is_asked() -> bool {
    std::env::args_os().nth(1).is_some_and(|word| word == APPS)
}

fn obey<A: PluginApp>(order: &AppOrder) -> Result<AppAnswer, String> {
    let mut app = A::new(order, Vec2::new(0.0, -1.0), Vec2::new(600.0, 2.0), &order.boxes())?;
    let (mut update_ns, mut step_ns) = (Vec::new(), Vec::new());
    for update in 0..order.steps {
        let elapsed = time(|| app.update());
        if update >= UNTIMED {
            update_ns.push(elapsed);
            step_ns.extend(app.step_ns());
        }
    }
    Ok(AppAnswer {
        plugin: A::name(),
        update_ns,
        step_ns,
        places: app.places(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(world: AppWorld, size: u32) -> AppOrder {
        AppOrder {
            world,
            size,
            steps: 60,
            threads: 2,
            content: Content::Interpolated,
            schedules: Schedules::Single,
        }
    }

    #[test]
    fn an_order_survives_the_command_line() {
        for world in [AppWorld::Pyramid, AppWorld::Falling] {
            let order = order(world, 100);
            assert_eq!(AppOrder::parse_from(order.to_arguments()), order);
        }
    }

    #[test]
    fn a_pyramid_stands_on_the_ground_and_each_box_on_two() {
        let boxes = order(AppWorld::Pyramid, 4).boxes();
        assert_eq!(boxes.len(), 10);
        assert_eq!(boxes[..2], [Vec2::new(-1.5, 0.5), Vec2::new(-0.5, 0.5)]);
        assert_eq!(boxes[4], Vec2::new(-1.0, 1.5));
        assert_eq!(boxes[9], Vec2::new(0.0, 3.5));
    }

    #[test]
    fn falling_boxes_are_apart() {
        let boxes = order(AppWorld::Falling, 450).boxes();
        assert_eq!(boxes.len(), 450);
        for (i, a) in boxes.iter().enumerate() {
            assert!(boxes[..i].iter().all(|b| (*a - *b).length() >= FALLING_SPACING));
        }
    }
}
