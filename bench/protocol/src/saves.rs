//! Saves of a whole world, one after each step: the requests of the bench's area `rewind` to an engine. The worlds are the
//! same in every engine and in the bench; saving is each engine's own ([`Saves`]).

use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use glam::Vec2;
use serde::{Deserialize, Serialize};
use tombolo::physics::{BodyDef, PhysicsError, Shape, ShapeDef};
use tombolo_scenes::SceneTarget;

use crate::ground::{self, GRAVITY, Ground};
use crate::run::{exit_code, print};
use crate::{Counts, Engine, Setting};

/// The first argument of a runner for these requests.
pub const SAVES: &str = "saves";

/// The number of boxes in a column.
pub const COLUMN: u32 = 10;

/// The number of steps before the first save: longer than any of the engines waits with sleep.
const STEPS_BEFORE: u32 = 400;

/// The world to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
pub enum SavedWorld {
    /// Columns of boxes that sleep, of which each hundredth stays awake; the size is the number of columns.
    Rest,
    /// A pyramid of boxes that stay awake; the size is the number of rows.
    Awake,
}

/// The world, its size, and the number of saves.
#[derive(Clone, Debug, PartialEq, Parser)]
pub struct SavesOrder {
    /// The world.
    #[arg(long, value_enum)]
    pub world: SavedWorld,
    /// Its size.
    #[arg(long)]
    pub size: u32,
    /// The number of steps with a save each.
    #[arg(long)]
    pub saves: u32,
}

impl SavesOrder {
    /// The arguments that a runner parses back to this order.
    pub fn to_arguments(&self) -> Vec<String> {
        let world = match self.world {
            SavedWorld::Rest => "rest",
            SavedWorld::Awake => "awake",
        };
        vec![
            SAVES.to_owned(),
            format!("--world={world}"),
            format!("--size={}", self.size),
            format!("--saves={}", self.saves),
        ]
    }
}

/// The result of a runner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavesAnswer {
    /// The engine's name, version and build.
    pub engine: String,
    /// The time of each save, in nanoseconds.
    pub save_ns: Vec<u64>,
    /// The size of the last save in bytes.
    pub bytes: u64,
    /// The objects after the last step.
    pub counts: Counts,
}

/// An engine that saves its world.
pub trait Saves: Engine {
    /// Saves the whole world into memory that is kept from save to save; returns the number of bytes.
    fn save(&mut self) -> usize;
}

/// Like [`ground::run`], for an engine that saves too.
pub fn run<E: Ground + Saves>() -> ExitCode {
    if std::env::args_os().nth(1).is_none_or(|word| word != SAVES) {
        return ground::run::<E>();
    }
    let order = SavesOrder::parse_from(std::env::args_os().skip(1));
    exit_code::<E>(obey::<E>(&order).and_then(|answer| print(&answer)))
}

fn obey<E: Saves>(order: &SavesOrder) -> Result<SavesAnswer, String> {
    let setting = Setting {
        gravity: Vec2::new(0.0, -GRAVITY),
        sleeping: order.world == SavedWorld::Rest,
    };
    let mut engine = E::new(&setting, 1)?;
    match order.world {
        SavedWorld::Rest => columns(&mut engine, order.size, order.size / COLUMN),
        SavedWorld::Awake => pyramid(&mut engine, order.size),
    }
    .map_err(|error| error.to_string())?;
    (0..STEPS_BEFORE).for_each(|_| engine.step());
    let mut bytes = 0;
    let save_ns = (0..order.saves)
        .map(|_| {
            engine.step();
            ground::time(|| bytes = engine.save())
        })
        .collect();
    Ok(SavesAnswer {
        engine: E::name(),
        save_ns,
        bytes: bytes as u64,
        counts: engine.counts(),
    })
}

/// Columns of boxes side by side on the ground, of which so many boxes, in whole columns, never sleep.
///
/// # Errors
/// The target refuses a body or a shape.
pub fn columns(target: &mut impl SceneTarget, count: u32, awake: u32) -> Result<(), PhysicsError> {
    let width = 3.0 * count as f32;
    let ground = target.create_body(&BodyDef::fixed(0.0, -1.0))?;
    target.create_shape(ground, &ShapeDef::default(), &Shape::new_box(2.0 * width, 2.0)?)?;
    let square = Shape::new_box(1.0, 1.0)?;
    for column in 0..count {
        let never_sleeps = awake > 0 && column % (COLUMN * count / awake) == 0;
        for row in 0..COLUMN {
            let body = target.create_body(&BodyDef {
                allow_sleep: !never_sleeps,
                ..BodyDef::dynamic(2.0 * column as f32 - count as f32, 0.5 + row as f32)
            })?;
            target.create_shape(body, &ShapeDef::default(), &square)?;
        }
    }
    Ok(())
}

/// A pyramid of boxes on the ground, in a world without sleep.
///
/// # Errors
/// The target refuses a body or a shape.
pub fn pyramid(target: &mut impl SceneTarget, rows: u32) -> Result<(), PhysicsError> {
    let ground = target.create_body(&BodyDef::fixed(0.0, -1.0))?;
    target.create_shape(ground, &ShapeDef::default(), &Shape::new_box(200.0, 2.0)?)?;
    let square = Shape::new_box(1.0, 1.0)?;
    for row in 0..rows {
        for column in 0..rows - row {
            let place = Vec2::new(1.05 * (column as f32 + 0.5 * row as f32), 0.5 + row as f32);
            let body = target.create_body(&BodyDef::dynamic(place.x, place.y))?;
            target.create_shape(body, &ShapeDef::default(), &square)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_order_survives_the_command_line() {
        for world in [SavedWorld::Rest, SavedWorld::Awake] {
            let order = SavesOrder {
                world,
                size: 39,
                saves: 400,
            };
            assert_eq!(SavesOrder::parse_from(order.to_arguments()), order);
        }
    }
}
