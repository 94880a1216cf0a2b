//! The protocol between the bench and its runner programs: the order on the runner's command line ([`Order`]), on
//! its standard output a line of JSON for each [`Frame`] that was asked for and one for the [`Answer`], and the loop
//! that every runner shares ([`run`]). Besides, [`worlds`]: small worlds that are watched step by step instead of
//! timed ([`Watch`]), [`ground`]: rays, characters and grounds of tiles, [`saves`]: saves of whole worlds, [`calls`]: single calls between
//! steps, and [`apps`]: whole updates of apps of Bevy.
//!
//! A runner is a `main` of one line and one adapter: a type that implements [`Engine`]. It measures nothing itself,
//! so no engine can be timed differently from the rest.

pub mod apps;
pub mod calls;
pub mod ground;
mod ledger;
mod run;
pub mod saves;
pub mod tiles;
mod watch;
pub mod worlds;

use clap::Parser;
use glam::Vec2;
pub use ledger::Ledger;
pub use run::{Roster, run};
use serde::{Deserialize, Serialize};
use tombolo::physics::{BodyId, Shape};
use tombolo_scenes::{SceneInfo, SceneTarget};
pub use watch::{Look, WATCH, Watch};

/// The order of a runner.
#[derive(Clone, Debug, PartialEq, Parser)]
pub struct Order {
    /// The scene's name in `tombolo_scenes::find`.
    #[arg(long)]
    pub scene: String,
    /// The scene's size.
    #[arg(long)]
    pub size: u32,
    /// The seed; 0 for the exact scene.
    #[arg(long)]
    pub seed: u64,
    /// The number of steps to run; the first is not timed.
    #[arg(long)]
    pub steps: u32,
    /// The number of threads that the engine may use.
    #[arg(long)]
    pub threads: usize,
    /// The number of frames to print, from the second half of the run. Unless it is 0 awake bodies are counted after each step and
    /// stages are measured. All of this disturbs the times of steps.
    #[arg(long, default_value_t = 0)]
    pub frames: u32,
}

impl Order {
    /// The arguments that a runner parses back to this order.
    pub fn to_arguments(&self) -> Vec<String> {
        vec![
            format!("--scene={}", self.scene),
            format!("--size={}", self.size),
            format!("--seed={}", self.seed),
            format!("--steps={}", self.steps),
            format!("--threads={}", self.threads),
            format!("--frames={}", self.frames),
        ]
    }

    /// Whether a frame is printed after step `step`, counted from 0: frames are spread evenly, and the last step's is
    /// one of them.
    pub fn shows(&self, step: u32) -> bool {
        let [steps, frames] = [self.steps, self.frames].map(u64::from);
        let Some(to_go) = steps.checked_sub(u64::from(step) + 1) else {
            return false;
        };
        // The k-th frame from the end has k / frames of the second half to go.
        let k = (to_go * 2 * frames).div_ceil(steps);
        k < frames && k * steps / (2 * frames) == to_go
    }
}

/// The bodies after a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// The step, counted from 0.
    pub step: u32,
    /// Every body that exists then, in the order of creation.
    pub bodies: Vec<BodyMotion>,
}

/// The result of a runner.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The engine's name, version and build.
    pub engine: String,
    /// The time of each step in nanoseconds, except for the first, which builds what later steps only keep up to date.
    pub step_ns: Vec<u64>,
    /// The counts of objects after the last step.
    pub counts: Counts,
    /// How many bodies were awake over the steps; `None` of an order without frames.
    pub awake: Option<Awake>,
    /// Every body that exists after the last step, in the order of creation.
    pub bodies: Vec<BodyMotion>,
    /// A hash of all bits of `bodies`.
    pub hash: u64,
    /// Mean milliseconds of each stage in a step, for engines that report them, if frames were asked for.
    pub stages: Vec<(String, f64)>,
    /// The largest resident set of the process, in kilobytes; `None` if the system does not report it.
    pub memory_peak_kb: Option<u64>,
}

/// The counts of a world's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Bodies of every kind.
    pub bodies: usize,
    /// Shapes of all bodies.
    pub shapes: usize,
    /// Joints of every kind.
    pub joints: usize,
    /// Pairs of shapes that the engine keeps a contact for, touching or not; `None` if the engine does not tell it.
    pub contacts: Option<usize>,
    /// Dynamic bodies that are awake.
    pub awake: usize,
}

/// How many dynamic bodies were awake, counted after each step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Awake {
    /// The awake ones as a part of all dynamic bodies, from 0 to 1: the mean over the steps.
    pub mean_share: f64,
    /// The steps after which all slept, as a part of all steps.
    pub all_asleep_share: f64,
}

/// The pose and velocity of a body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct BodyMotion {
    /// The x of the body's origin, in meters.
    pub x: f32,
    /// The y of the body's origin, in meters.
    pub y: f32,
    /// The cosine of the body's angle.
    pub cos: f32,
    /// The sine of the body's angle.
    pub sin: f32,
    /// The x of the velocity of the center of mass, in meters per second.
    pub velocity_x: f32,
    /// The y of the velocity of the center of mass, in meters per second.
    pub velocity_y: f32,
    /// The angular velocity, in radians per second.
    pub angular_velocity: f32,
}

impl BodyMotion {
    /// Converts the vectors that engines return.
    pub fn new(position: Vec2, [cos, sin]: [f32; 2], velocity: Vec2, angular_velocity: f32) -> Self {
        let (x, y, velocity_x, velocity_y) = (position.x, position.y, velocity.x, velocity.y);
        Self {
            x,
            y,
            cos,
            sin,
            velocity_x,
            velocity_y,
            angular_velocity,
        }
    }

    /// Its numbers, in the order of the fields.
    pub fn numbers(&self) -> [f32; 7] {
        [
            self.x,
            self.y,
            self.cos,
            self.sin,
            self.velocity_x,
            self.velocity_y,
            self.angular_velocity,
        ]
    }
}

/// The settings that an engine needs before a world is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// Gravity, in meters per second squared.
    pub gravity: Vec2,
    /// Whether bodies may fall asleep.
    pub sleeping: bool,
}

impl From<&SceneInfo> for Setting {
    fn from(scene: &SceneInfo) -> Self {
        Self {
            gravity: scene.gravity,
            sleeping: scene.sleeping,
        }
    }
}

/// An engine's world behind the interface of the scenes.
pub trait Engine: SceneTarget + Sized {
    /// Name, version and build, for tables.
    fn name() -> String;
    /// An empty world that is stepped on `threads` threads.
    ///
    /// # Errors
    /// This build can't run so many threads, or it is not the build that it should be.
    fn new(setting: &Setting, threads: usize) -> Result<Self, String>;
    /// Makes one step of `scenes::STEP_S` with `scenes::SUBSTEPS` substeps. Only this is timed.
    fn step(&mut self);
    /// Has the engine measure its stages from now on, if it does so only when asked.
    fn measure_stages(&mut self) {}
    /// Milliseconds of the stages of the last step, in a fixed order; none if the engine does not report them.
    fn stages(&self) -> Vec<(&'static str, f64)>;
    /// The pose and velocity of a body that exists.
    fn motion(&self, body: BodyId) -> BodyMotion;
    /// The counts of objects.
    fn counts(&self) -> Counts;
    /// [`Counts::awake`], for an engine that tells it sooner without the other counts.
    fn awake(&self) -> usize {
        self.counts().awake
    }
}

/// Center and half extents of a polygon that is a rectangle along the axes, for engines that have a kind for it.
pub fn as_rectangle(shape: &Shape) -> Option<(Vec2, Vec2)> {
    let vertices = shape.vertices();
    if vertices.len() != 4 {
        return None;
    }
    let low = vertices.iter().copied().fold(Vec2::INFINITY, Vec2::min);
    let high = vertices.iter().copied().fold(Vec2::NEG_INFINITY, Vec2::max);
    let on_corner = |v: &Vec2| (v.x == low.x || v.x == high.x) && (v.y == low.y || v.y == high.y);
    vertices
        .iter()
        .all(on_corner)
        .then(|| ((low + high) / 2.0, (high - low) / 2.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rectangles_along_the_axes_are_rectangles() {
        let box_at = Shape::box_at(4.0, 2.0, Vec2::new(3.0, 4.0), 0.0).unwrap();
        assert_eq!(
            as_rectangle(&box_at),
            Some((Vec2::new(3.0, 4.0), Vec2::new(2.0, 1.0)))
        );
        let kite = [(0.0, -1.0), (1.0, 0.0), (0.0, 1.0), (-1.0, 0.0)].map(|(x, y)| Vec2::new(x, y));
        assert_eq!(as_rectangle(&Shape::polygon(&kite, 0.0).unwrap()), None);
        assert_eq!(as_rectangle(&Shape::circle(Vec2::ZERO, 1.0).unwrap()), None);
    }

    #[test]
    fn an_order_survives_the_command_line() {
        let order = Order {
            scene: "tumbler".into(),
            size: 45,
            seed: u64::MAX,
            steps: 750,
            threads: 2,
            frames: 12,
        };
        let arguments = std::iter::once("runner".to_owned()).chain(order.to_arguments());
        assert_eq!(Order::parse_from(arguments), order);
    }

    #[test]
    fn frames_are_spread_over_the_second_half_and_the_last_is_one_of_them() {
        let shown = |steps, frames| {
            let order = Order {
                scene: String::new(),
                size: 1,
                seed: 0,
                steps,
                threads: 1,
                frames,
            };
            (0..steps).filter(|&step| order.shows(step)).collect::<Vec<_>>()
        };
        assert_eq!(shown(100, 5), [59, 69, 79, 89, 99]);
        assert_eq!(shown(7, 2).last(), Some(&6));
        assert_eq!(shown(7, 2).len(), 2);
        assert_eq!(shown(4, 12), [2, 3], "no more than there are steps");
        assert!(shown(100, 0).is_empty());
    }

    #[test]
    fn floats_survive_the_answer_bit_by_bit() {
        let motion = BodyMotion {
            x: 0.1,
            y: f32::MIN_POSITIVE,
            cos: 1.0 / 3.0,
            ..Default::default()
        };
        let json = serde_json::to_string(&motion).unwrap();
        let back: BodyMotion = serde_json::from_str(&json).unwrap();
        assert_eq!(
            back.numbers().map(f32::to_bits),
            motion.numbers().map(f32::to_bits)
        );
    }
}
