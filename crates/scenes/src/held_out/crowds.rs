//! Held-out scenes of many bodies of which most fly, stand or sleep.

use super::parts::{Draw, USUAL, column_x, floor, places};
use crate::builder::{Builder, constant, rectangle, rectangle_at, rectangle_turned};
use crate::motion::Motion;
use crate::scene::{BuildError, SceneInfo};
use tombolo_physics::{BodyDef, Shape, ShapeDef, Vec2};

pub(crate) const GAS: SceneInfo = SceneInfo {
    name: "gas",
    description: "elastic circles without friction or gravity fly about in a box",
    size: 100,
    size_unit: "circles along each side",
    size_max: 400,
    size_small: 6,
    gravity: Vec2::ZERO,
    build: gas,
    ..USUAL
};

pub(crate) const FREE_FALL: SceneInfo = SceneInfo {
    name: "free_fall",
    description: "boxes fall beside each other and never meet",
    size: 100,
    size_unit: "rows of 200 boxes",
    size_max: 200,
    size_small: 2,
    sleeping: false,
    build: free_fall,
    ..USUAL
};

pub(crate) const PEGS: SceneInfo = SceneInfo {
    name: "pegs",
    description: "circles fall through twenty thousand fixed boxes",
    size: 100,
    size_unit: "rows of 200 fixed boxes",
    size_max: 300,
    size_small: 3,
    build: pegs,
    ..USUAL
};

pub(crate) const ASLEEP: SceneInfo = SceneInfo {
    name: "asleep",
    description: "columns of twenty boxes that sleep, beside which two hundred fall",
    size: 2500,
    size_unit: "columns",
    size_max: 5000,
    size_small: 20,
    build: asleep,
    ..USUAL
};

fn gas(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const SPACING: f32 = 2.0;
    let def = ShapeDef {
        friction: 0.0,
        restitution: 1.0,
        ..ShapeDef::default()
    };
    let ground = builder.ground(0.0, 0.0)?;
    let wall = 0.5 * SPACING * size as f32 + 1.0;
    for side in [-wall, wall] {
        builder.shape(ground, &def, &rectangle_at(wall + 1.0, 1.0, 0.0, side))?;
        builder.shape(ground, &def, &rectangle_at(1.0, wall + 1.0, side, 0.0))?;
    }
    let circle = constant(Shape::circle(Vec2::ZERO, 0.4));
    let mut draw = Draw::new();
    for (column, row) in places(size, size) {
        let flying = BodyDef {
            linear_velocity: draw.vector(20.0),
            ..BodyDef::dynamic(column_x(column, size, SPACING), column_x(row, size, SPACING))
        };
        let body = builder.body(flying, 0.8)?;
        builder.shape(body, &def, &circle)?;
    }
    Ok(Motion::None)
}

fn free_fall(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COLUMNS: u32 = 200;
    let mut draw = Draw::new();
    for (column, row) in places(COLUMNS, size) {
        let x = column_x(column, COLUMNS, 5.0) + draw.between(-1.0, 1.0);
        let y = 5.0 * row as f32 + 500.0;
        builder.piece(x, y, 1.0, &ShapeDef::default(), &rectangle(0.5, 0.5))?;
    }
    Ok(Motion::None)
}

fn pegs(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COLUMNS: u32 = 200;
    const SPACING: f32 = 3.0;
    let def = ShapeDef::default();
    let mut draw = Draw::new();
    for (column, row) in places(COLUMNS, size) {
        let x = column_x(column, COLUMNS, SPACING) + draw.between(-0.8, 0.8);
        let peg = builder.ground(x, SPACING * row as f32)?;
        builder.shape(peg, &def, &rectangle_turned(0.5, 0.3, draw.between(-0.7, 0.7)))?;
    }
    let circle = constant(Shape::circle(Vec2::ZERO, 0.3));
    for (column, row) in places(400, size.div_ceil(10)) {
        let y = SPACING * size as f32 + 5.0 + 2.0 * row as f32;
        builder.piece(column_x(column, 400, 1.4), y, 0.6, &def, &circle)?;
    }
    Ok(Motion::None)
}

fn asleep(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const SPACING: f32 = 1.5;
    let half_width = 0.5 * SPACING * size as f32;
    floor(builder, half_width + 200.0)?;
    let square = rectangle(0.5, 0.5);
    for (column, row) in places(size, 20) {
        let resting = BodyDef {
            awake: false,
            ..BodyDef::dynamic(column_x(column, size, SPACING), row as f32 + 0.5)
        };
        let body = builder.body(resting, 1.0)?;
        builder.shape(body, &ShapeDef::default(), &square)?;
    }
    for (column, row) in places(20, 10) {
        let x = half_width + 50.0 + 2.0 * column as f32;
        builder.piece(x, 30.0 + 2.0 * row as f32, 1.0, &ShapeDef::default(), &square)?;
    }
    Ok(Motion::None)
}
