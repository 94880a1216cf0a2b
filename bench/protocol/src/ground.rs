//! Rays, characters and grounds of tiles (`tiles.rs`): the requests of the bench's area `ground` to an engine beside
//! steps. Worlds, rays and characters are the same in every engine; casting a ray, moving a character and making a grid
//! are each engine's own ([`Ground`]).

use std::process::ExitCode;
use std::time::Instant;

use clap::builder::PossibleValue;
use clap::{Parser, ValueEnum};
use glam::Vec2;
use serde::{Deserialize, Serialize};
use tombolo::geometry::Rot;
use tombolo::physics::{BodyDef, PhysicsError, Shape, ShapeDef};
use tombolo_scenes::{STEP_S, SceneTarget};

use crate::run::{exit_code, print};
use crate::tiles::{self, Kind, Tiles};
use crate::{Engine, Setting};

/// The first argument of a runner for these requests.
pub const GROUND: &str = "ground";

/// Height and radius of every character.
pub const WALKER: [f32; 2] = [1.6, 0.3];

/// The speed at which a character wants to walk, and that with which it jumps, in meters per second.
pub const WALK_AND_JUMP: [f32; 2] = [4.0, 5.0];

/// Gravity, in meters per second squared.
pub const GRAVITY: f32 = 10.0;

/// The width of a step of the stairs, in meters.
const TREAD: f32 = 2.0;

/// The length of a ray, in meters.
const RAY_LENGTH: f32 = 40.0;

/// The task of a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum Task {
    /// Rays among standing boxes, one round after the other.
    Rays,
    /// Characters on stairs, one step after the other.
    Characters,
    /// A ground of tiles that is loaded, one world after the other.
    Load,
    /// Tiles that are changed, one after the other.
    Edits,
    /// Boxes that fall on tiles, one step after the other.
    Boxes,
}

/// The number of rays, characters, columns or boxes, and of rounds, steps or edits.
#[derive(Clone, Debug, PartialEq, Parser)]
pub struct GroundOrder {
    /// The task.
    #[arg(long, value_enum)]
    pub task: Task,
    /// The number of rays, of characters, of a ground's columns, or of boxes.
    #[arg(long)]
    pub count: u32,
    /// The number of rounds, of steps, or of edits.
    #[arg(long)]
    pub rounds: u32,
    /// The ground that is loaded or edited.
    #[arg(long, value_enum, default_value_t = Kind::Ragged)]
    pub kind: Kind,
}

impl GroundOrder {
    /// The arguments that a runner parses back to this order.
    pub fn to_arguments(&self) -> Vec<String> {
        let word =
            |value: Option<PossibleValue>| value.map(|value| value.get_name().to_owned()).unwrap_or_default();
        vec![
            GROUND.to_owned(),
            format!("--task={}", word(self.task.to_possible_value())),
            format!("--count={}", self.count),
            format!("--rounds={}", self.rounds),
            format!("--kind={}", word(self.kind.to_possible_value())),
        ]
    }
}

/// The result of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GroundAnswer {
    /// The engine's name, version and build.
    pub engine: String,
    /// The time of each round, in nanoseconds.
    pub round_ns: Vec<u64>,
    /// For rays the number of hits and the mean fraction; for characters the number of steps of one that ended on the
    /// ground, and the mean distance in meters; for tiles see `tiles.rs`. Engines differ in these by rounding, and in the way a character gets on
    /// a stair.
    pub figures: [f64; 2],
}

/// A ray.
#[derive(Clone, Copy, Debug)]
pub struct Ray {
    /// Its origin.
    pub origin: Vec2,
    /// The vector from its origin to its end.
    pub translation: Vec2,
}

/// A character between two steps.
#[derive(Clone, Copy, Debug)]
pub struct Walker {
    /// The center of its capsule.
    pub place: Vec2,
    /// Its velocity, in meters per second.
    pub velocity: Vec2,
    /// Whether it stands on something.
    pub is_grounded: bool,
    /// The direction in which it wants to go: 1 or -1.
    pub direction: f32,
    /// Whether it wants to jump in this step.
    pub jumps: bool,
}

/// An engine that casts rays and moves characters.
pub trait Ground: Engine {
    /// The fraction of each ray before its hit, 1 without a hit, in the order of the rays.
    fn cast_rays(&mut self, rays: &[Ray], shares: &mut Vec<f32>);

    /// Moves all characters by `scenes::STEP_S` seconds, with the engine's own controller.
    fn walk(&mut self, walkers: &mut [Walker]);

    /// Adds a static grid of cells with the default material; `false` if the engine has no such collider.
    fn create_tiles(&mut self, tiles: &Tiles) -> bool {
        let _ = tiles;
        false
    }

    /// Fills or empties a cell of the grid.
    fn set_tile(&mut self, place: [u32; 2], is_full: bool) {
        let _ = (place, is_full);
    }

    /// The bytes of the grid, with those of its shapes and of its trees where the engine tells.
    fn tile_bytes(&self) -> usize {
        0
    }
}

/// Like [`run`](crate::run), for an engine that casts rays and moves characters too.
pub fn run<E: Ground>() -> ExitCode {
    if std::env::args_os().nth(1).is_none_or(|word| word != GROUND) {
        return crate::run::<E>();
    }
    let order = GroundOrder::parse_from(std::env::args_os().skip(1));
    exit_code::<E>(obey::<E>(&order).and_then(|answer| print(&answer)))
}

fn obey<E: Ground>(order: &GroundOrder) -> Result<GroundAnswer, String> {
    let (round_ns, figures) = match order.task {
        Task::Rays => cast(&mut empty::<E>()?, order).map_err(|error| error.to_string())?,
        Task::Characters => walk(&mut empty::<E>()?, order).map_err(|error| error.to_string())?,
        Task::Load => tiles::load::<E>(order)?,
        Task::Edits => tiles::edit::<E>(order)?,
        Task::Boxes => tiles::boxes::<E>(order)?,
    };
    Ok(GroundAnswer {
        engine: E::name(),
        round_ns,
        figures,
    })
}

/// A world without bodies, stepped on one thread.
pub(crate) fn empty<E: Ground>() -> Result<E, String> {
    let setting = Setting {
        gravity: Vec2::new(0.0, -GRAVITY),
        sleeping: true,
    };
    E::new(&setting, 1)
}

/// The time of each round, and the figures.
pub(crate) type Found = (Vec<u64>, [f64; 2]);

fn cast(engine: &mut impl Ground, order: &GroundOrder) -> Result<Found, PhysicsError> {
    let mut random = oorandom::Rand32::new(1);
    let mut between = |low: f32, high: f32| low + (high - low) * random.rand_float();
    let mut boxes = Vec::new();
    for _ in 0..4000 {
        let (place, size) = (
            Vec2::new(between(0.0, 400.0), between(0.0, 400.0)),
            Vec2::new(between(0.5, 4.0), between(0.5, 4.0)),
        );
        add_box(engine, place, size)?;
        boxes.push((place, 0.5 * size + 0.01));
    }
    // Engines differ in whether a shape that contains the origin of a ray is hit.
    let is_free = |point: Vec2| {
        let mut boxes = boxes.iter();
        boxes.all(|&(place, half)| (point - place).abs().cmpgt(half).any())
    };
    let mut rays = Vec::new();
    while rays.len() < order.count as usize {
        let direction = Rot::from_angle(between(0.0, std::f32::consts::TAU));
        let origin = Vec2::new(between(0.0, 400.0), between(0.0, 400.0));
        if is_free(origin) {
            rays.push(Ray {
                origin,
                translation: RAY_LENGTH * Vec2::new(direction.cos, direction.sin),
            });
        }
    }
    // New shapes are in an engine's trees only after a step.
    engine.step();
    let mut shares = Vec::new();
    engine.cast_rays(&rays, &mut shares);
    let round_ns = (0..order.rounds)
        .map(|_| time(|| engine.cast_rays(&rays, &mut shares)))
        .collect();
    let met = shares.iter().filter(|&&share| share < 1.0).count();
    let sum: f64 = shares.iter().map(|&share| f64::from(share)).sum();
    Ok((round_ns, [met as f64, sum / shares.len().max(1) as f64]))
}

/// Stairs of 0.3 m up and down, with a pillar at each end.
fn walk(engine: &mut impl Ground, order: &GroundOrder) -> Result<Found, PhysicsError> {
    const HEIGHTS: [f32; 8] = [0.0, 0.3, 0.6, 0.9, 0.9, 0.6, 0.3, 0.0];
    let columns = order.count.div_ceil(2) + 8;
    let length = TREAD * columns as f32;
    for column in 0..columns {
        let top = HEIGHTS[column as usize % 8];
        let place = Vec2::new(TREAD * (column as f32 + 0.5), top - 2.0);
        add_box(engine, place, Vec2::new(TREAD, 4.0))?;
    }
    for x in [-1.0, length + 1.0] {
        add_box(engine, Vec2::new(x, 5.0), Vec2::new(2.0, 20.0))?;
    }
    engine.step();
    let mut walkers: Vec<Walker> = (0..order.count)
        .map(|i| Walker {
            place: Vec2::new(4.0 + i as f32 / order.count as f32 * (length - 8.0), 3.0),
            velocity: Vec2::ZERO,
            is_grounded: false,
            direction: if i % 2 == 0 { 1.0 } else { -1.0 },
            jumps: false,
        })
        .collect();
    let (mut stood, mut way) = (0_u64, 0.0);
    let mut round_ns = Vec::new();
    for step in 0..order.rounds {
        for (walker, i) in walkers.iter_mut().zip(0..) {
            walker.jumps = (step + 7 * i) % 120 == 0;
            if (step + 11 * i) % 300 == 0 {
                walker.direction = -walker.direction;
            }
        }
        let before: Vec<f32> = walkers.iter().map(|walker| walker.place.x).collect();
        round_ns.push(time(|| engine.walk(&mut walkers)));
        stood += walkers.iter().filter(|walker| walker.is_grounded).count() as u64;
        let ways = walkers.iter().zip(before);
        way += ways
            .map(|(walker, x)| f64::from((walker.place.x - x).abs()))
            .sum::<f64>();
    }
    let count = f64::from(order.count.max(1));
    Ok((round_ns, [stood as f64 / count, way / count]))
}

fn add_box(engine: &mut impl SceneTarget, place: Vec2, size: Vec2) -> Result<(), PhysicsError> {
    let body = engine.create_body(&BodyDef::fixed(place.x, place.y))?;
    let shape = Shape::new_box(size.x, size.y)?;
    engine.create_shape(body, &ShapeDef::default(), &shape)
}

// Clocks are banned so that results of the engine do not depend on time; here time is the result.
#[allow(clippy::disallowed_methods)]
pub(crate) fn time(work: impl FnOnce()) -> u64 {
    let start = Instant::now();
    work();
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

impl Walker {
    /// The velocity that a character wants for the step: its walk, and its fall or jump.
    pub fn wanted(&self) -> Vec2 {
        let [speed, jump] = WALK_AND_JUMP;
        let fall = match (self.is_grounded, self.jumps) {
            (true, true) => jump,
            (true, false) => 0.0,
            (false, _) => self.velocity.y - GRAVITY * STEP_S,
        };
        Vec2::new(self.direction * speed, fall)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_command_line() {
        let order = GroundOrder {
            task: Task::Characters,
            count: 1000,
            rounds: 300,
            kind: Kind::Noise,
        };
        assert_eq!(GroundOrder::parse_from(order.to_arguments()), order);
    }
}
