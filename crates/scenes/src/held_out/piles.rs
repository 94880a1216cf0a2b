//! Held-out scenes of heaps of shapes other than boxes of one size.

use super::parts::{Draw, USUAL, column_x, container, places};
use crate::builder::{Builder, constant, rectangle};
use crate::motion::Motion;
use crate::scene::{BuildError, SceneInfo};
use core::f32::consts::PI;
use tombolo_physics::{BodyDef, ChainDef, Rot, Shape, ShapeDef, Vec2};

pub(crate) const BALL_PIT: SceneInfo = SceneInfo {
    name: "ball_pit",
    description: "circles of 0.2 to 0.45 m fall into a container",
    size: 100,
    size_unit: "rows of 60 circles",
    size_max: 500,
    size_small: 2,
    build: ball_pit,
    ..USUAL
};

pub(crate) const MIXED_SIZES: SceneInfo = SceneInfo {
    name: "mixed_sizes",
    description: "boxes from 0.14 to 4 m fall into a container",
    size: 100,
    size_unit: "rows of 50 boxes",
    size_max: 500,
    size_small: 2,
    build: mixed_sizes,
    ..USUAL
};

pub(crate) const MIXER: SceneInfo = SceneInfo {
    name: "mixer",
    description: "rounded hexagons fall on ten crosses that turn",
    size: 60,
    size_unit: "rows of 100 hexagons",
    size_max: 500,
    size_small: 2,
    build: mixer,
    ..USUAL
};

pub(crate) const TERRAIN: SceneInfo = SceneInfo {
    name: "terrain",
    description: "capsules fall on a chain of rough ground",
    size: 1000,
    size_unit: "columns of 5 capsules",
    size_max: 4000,
    size_small: 20,
    build: terrain,
    ..USUAL
};

fn ball_pit(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COLUMNS: u32 = 60;
    container(builder, 30.0, 2.0 * size as f32)?;
    let mut draw = Draw::new();
    let def = ShapeDef {
        friction: 0.3,
        restitution: 0.2,
        ..ShapeDef::default()
    };
    for (column, row) in places(COLUMNS, size) {
        let circle = constant(Shape::circle(Vec2::ZERO, draw.between(0.2, 0.45)));
        builder.piece(
            column_x(column, COLUMNS, 1.0),
            row as f32 + 1.0,
            0.5,
            &def,
            &circle,
        )?;
    }
    Ok(Motion::None)
}

fn mixed_sizes(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COLUMNS: u32 = 50;
    container(builder, 100.0, 5.0 * size as f32)?;
    let mut draw = Draw::new();
    for (column, row) in places(COLUMNS, size) {
        // Uniform on a scale of powers: as many between 0.14 and 0.3 m as between 1.9 and 4 m.
        let half = 0.5 * libm::expf(draw.between(-2.0, 1.4));
        let shape = rectangle(half, half * draw.between(0.4, 1.0));
        let y = 4.5 * row as f32 + 3.0;
        builder.piece(
            column_x(column, COLUMNS, 4.0),
            y,
            half,
            &ShapeDef::default(),
            &shape,
        )?;
    }
    Ok(Motion::None)
}

fn mixer(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const CROSSES: u32 = 10;
    const COLUMNS: u32 = 100;
    container(builder, 60.0, 4.0 * size as f32)?;
    let def = ShapeDef::default();
    for cross in 0..CROSSES {
        let turning = BodyDef {
            angular_velocity: if cross % 2 == 0 { 2.0 } else { -2.0 },
            ..BodyDef::kinematic(column_x(cross, CROSSES, 12.0), 7.0)
        };
        let body = builder.target.create_body(&turning)?;
        builder.shape(body, &def, &rectangle(5.5, 0.4))?;
        builder.shape(body, &def, &rectangle(0.4, 5.5))?;
    }
    let corners: [Vec2; 6] =
        core::array::from_fn(|corner| Rot::from_angle(corner as f32 * PI / 3.0).rotate(Vec2::X) * 0.4);
    let hexagon = constant(Shape::polygon(&corners, 0.05));
    for (column, row) in places(COLUMNS, size) {
        let y = row as f32 + 16.0;
        builder.piece(column_x(column, COLUMNS, 1.18), y, 0.8, &def, &hexagon)?;
    }
    Ok(Motion::None)
}

fn terrain(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const ROWS: u32 = 5;
    const SPACING: f32 = 1.9;
    let ground = builder.ground(0.0, 0.0)?;
    let mut draw = Draw::new();
    // One meter from point to point, from right to left, so that the solid side is above.
    let half_width = 0.5 * SPACING * size as f32 + 50.0;
    let surface =
        (0..=2 * half_width as u32).map(|point| Vec2::new(half_width - point as f32, draw.between(0.0, 1.5)));
    // Closed below: an open chain has fewer segments in some engines than in others.
    let below = [-half_width, half_width].map(|x| Vec2::new(x, -10.0));
    let chain = ChainDef {
        points: surface.chain(below).collect(),
        closed: true,
        shape: ShapeDef::default(),
    };
    builder.chain(ground, &chain)?;
    let capsule = constant(Shape::capsule(Vec2::new(-0.3, 0.0), Vec2::new(0.3, 0.0), 0.2));
    for (column, row) in places(size, ROWS) {
        let x = column_x(column, size, SPACING) + draw.between(-0.3, 0.3);
        builder.piece(x, row as f32 + 4.0, 0.5, &ShapeDef::default(), &capsule)?;
    }
    Ok(Motion::None)
}
