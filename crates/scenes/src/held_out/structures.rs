//! Held-out scenes of structures: towers, lines of dominoes, a plate that carries everything, bridges.

use super::parts::{USUAL, column_x, floor};
use crate::builder::{Builder, constant, rectangle, rectangle_at};
use crate::motion::Motion;
use crate::scene::{BuildError, SceneInfo};
use tombolo_physics::{BodyDef, RevoluteDef, Shape, ShapeDef, Vec2};

pub(crate) const PLATE: SceneInfo = SceneInfo {
    name: "plate",
    description: "one long plate bears stacks of five boxes: a body with more contacts than there are colors",
    size: 900,
    size_unit: "stacks",
    size_max: 3000,
    size_small: 40,
    sleeping: false,
    build: plate,
    ..USUAL
};

pub(crate) const TOWERS: SceneInfo = SceneInfo {
    name: "towers",
    description: "towers of forty boxes, which come to rest and sleep",
    size: 100,
    size_unit: "towers",
    size_max: 600,
    size_small: 2,
    build: towers,
    ..USUAL
};

pub(crate) const DOMINOES: SceneInfo = SceneInfo {
    name: "dominoes",
    description: "rows of 300 dominoes, each pushed over from its left end",
    size: 20,
    size_unit: "rows",
    size_max: 600,
    size_small: 1,
    build: dominoes,
    ..USUAL
};

pub(crate) const BRIDGES: SceneInfo = SceneInfo {
    name: "bridges",
    description: "hanging bridges of 100 jointed planks, with twenty boxes on each",
    size: 40,
    size_unit: "bridges above each other",
    size_max: 400,
    size_small: 1,
    build: bridges,
    ..USUAL
};

fn plate(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const SPACING: f32 = 1.1;
    let half_width = 0.5 * SPACING * size as f32 + 5.0;
    floor(builder, half_width + 100.0)?;
    let def = ShapeDef::default();
    builder.piece(0.0, 0.5, 1.0, &def, &rectangle(half_width, 0.5))?;
    for column in 0..size {
        for row in 0..5 {
            let x = column_x(column, size, SPACING);
            builder.piece(x, row as f32 + 1.5, 1.0, &def, &rectangle(0.5, 0.5))?;
        }
    }
    Ok(Motion::None)
}

fn towers(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const SPACING: f32 = 6.0;
    floor(builder, 0.5 * SPACING * size as f32 + 50.0)?;
    for tower in 0..size {
        for row in 0..40 {
            let x = column_x(tower, size, SPACING);
            builder.piece(
                x,
                row as f32 + 0.5,
                1.0,
                &ShapeDef::default(),
                &rectangle(0.5, 0.5),
            )?;
        }
    }
    Ok(Motion::None)
}

fn dominoes(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COUNT: u32 = 300;
    const FLOOR_HEIGHT: f32 = 5.0;
    let ground = builder.ground(0.0, 0.0)?;
    let stone = ShapeDef {
        friction: 0.6,
        ..ShapeDef::default()
    };
    let ball = constant(Shape::circle(Vec2::ZERO, 0.4));
    for row in 0..size {
        let y = FLOOR_HEIGHT * row as f32;
        let shelf = rectangle_at(200.0, 0.25, 0.0, y);
        builder.shape(ground, &ShapeDef::default(), &shelf)?;
        for index in 0..COUNT {
            let x = column_x(index, COUNT, 1.0);
            builder.piece(x, y + 1.25, 0.25, &stone, &rectangle(0.125, 1.0))?;
        }
        let thrown = BodyDef {
            linear_velocity: Vec2::new(8.0, 0.0),
            ..BodyDef::dynamic(column_x(0, COUNT, 1.0) - 3.0, y + 1.8)
        };
        let thrown = builder.body(thrown, 0.5)?;
        builder.shape(thrown, &ShapeDef::default(), &ball)?;
    }
    Ok(Motion::None)
}

fn bridges(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const PLANKS: u32 = 100;
    let ground = floor(builder, 200.0)?;
    let def = ShapeDef::default();
    for bridge in 0..size {
        let y = 8.0 * bridge as f32 + 5.0;
        let left = -0.5 * PLANKS as f32;
        let mut bearer = (ground, Vec2::new(left, y));
        for plank in 0..PLANKS {
            let x = column_x(plank, PLANKS, 1.0);
            let body = builder.piece(x, y, 0.25, &def, &rectangle(0.5, 0.125))?;
            let revolute = RevoluteDef::new(bearer.0, bearer.1, body, Vec2::new(-0.5, 0.0));
            builder.target.create_joint(&revolute.into())?;
            bearer = (body, Vec2::new(0.5, 0.0));
        }
        let revolute = RevoluteDef::new(bearer.0, bearer.1, ground, Vec2::new(-left, y));
        builder.target.create_joint(&revolute.into())?;
        for column in 0..20 {
            builder.piece(
                column_x(column, 20, 4.0),
                y + 1.5,
                1.0,
                &def,
                &rectangle(0.5, 0.5),
            )?;
        }
    }
    Ok(Motion::None)
}
