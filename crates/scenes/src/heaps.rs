//! Scenes of bodies that fall or are thrown on a heap, and stay there until another body moves them.

use crate::builder::{Builder, constant, rectangle, rectangle_at};
use crate::motion::Motion;
use crate::pusher::Pusher;
use crate::scene::{BuildError, GRAVITY, SceneInfo, Suite};
use core::f32::consts::PI;
use tombolo_physics::{BodyDef, BodyId, Rot, Shape, ShapeDef, Vec2};

pub(crate) const COMPOUNDS: SceneInfo = SceneInfo {
    name: "compounds",
    description: "bodies of two triangles each fall into a trough",
    size: 150,
    size_unit: "rows of 20 bodies",
    size_max: 1000,
    size_small: 6,
    steps: 500,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::Published,
    build: compounds,
};

pub(crate) const SMASH: SceneInfo = SceneInfo {
    name: "smash",
    description: "a heavy box flies into a sleeping block of small boxes, without gravity",
    size: 80,
    size_unit: "rows of boxes, with half as many columns again",
    size_max: 400,
    size_small: 8,
    steps: 300,
    gravity: Vec2::ZERO,
    sleeping: true,
    at_rest: false,
    suite: Suite::Published,
    build: smash,
};

pub(crate) const JUNKYARD: SceneInfo = SceneInfo {
    name: "junkyard",
    description: "pentagons fall into a trough in which a wall is pushed to and fro",
    size: 40,
    size_unit: "rows of 200 pentagons",
    size_max: 400,
    size_small: 2,
    steps: 800,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::Published,
    build: junkyard,
};

/// The floor and the two walls of a trough, made of boxes that overlap by a tenth.
fn trough(builder: &mut Builder<'_>, half_width: i32, wall_height: i32) -> Result<BodyId, BuildError> {
    let ground = builder.ground(0.0, 0.0)?;
    let def = ShapeDef::default();
    for x in -half_width..=half_width {
        builder.shape(ground, &def, &rectangle_at(0.55, 0.5, x as f32, 0.0))?;
    }
    for side in [-half_width, half_width] {
        for y in 1..=wall_height {
            builder.shape(ground, &def, &rectangle_at(0.5, 0.55, side as f32, y as f32))?;
        }
    }
    Ok(ground)
}

fn compounds(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COLUMNS: u32 = 20;
    let ground = trough(builder, 40, 100)?;
    let far_below = constant(Shape::segment(Vec2::new(-800.0, -80.0), Vec2::new(800.0, -80.0)));
    builder.shape(ground, &ShapeDef::default(), &far_below)?;

    let [left, right] = [-1.0, 1.0].map(|side| {
        let corners = [
            Vec2::new(side, 0.0),
            Vec2::new(-0.5 * side, 1.0),
            Vec2::new(0.0, 2.0),
        ];
        constant(Shape::polygon(&corners, 0.0))
    });
    let def = ShapeDef {
        friction: 0.5,
        ..ShapeDef::default()
    };
    let mut side = -0.25_f32;
    for column in 0..COLUMNS {
        let x = 2.0 * column as f32 - 19.0;
        for row in 0..size {
            side = -side;
            let y = 2.25 * row as f32 + 0.575 + 5.0;
            let body = builder.piece(x + side, y, 2.0, &def, &left)?;
            builder.shape(body, &def, &right)?;
        }
    }
    Ok(Motion::None)
}

fn smash(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const HALF: f32 = 0.2;
    let bullet = BodyDef {
        linear_velocity: Vec2::new(40.0, 0.0),
        ..BodyDef::dynamic(-20.0, 0.0)
    };
    let bullet = builder.body(bullet, 8.0)?;
    builder.shape(
        bullet,
        &ShapeDef {
            density: 8.0,
            ..ShapeDef::default()
        },
        &rectangle(4.0, 4.0),
    )?;
    let square = rectangle(HALF, HALF);
    let columns = size + size / 2;
    for column in 0..columns {
        for row in 0..size {
            let x = column as f32 * 2.0 * HALF + 30.0;
            let y = (row as f32 - (size / 2) as f32) * 2.0 * HALF;
            let def = BodyDef {
                awake: false,
                ..BodyDef::dynamic(x, y)
            };
            let body = builder.body(def, 2.0 * HALF)?;
            builder.shape(body, &ShapeDef::default(), &square)?;
        }
    }
    Ok(Motion::None)
}

fn junkyard(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COLUMNS: u32 = 200;
    const RADIUS: f32 = 0.25;
    trough(builder, 80, 50)?;
    // The golden angle spreads any number of points; five of them make an irregular pentagon.
    let golden = PI * (libm::sqrtf(5.0) - 1.0);
    let corners: [Vec2; 5] =
        core::array::from_fn(|k| Rot::from_angle(k as f32 * golden).rotate(Vec2::X) * RADIUS);
    let pentagon = constant(Shape::polygon(&corners, 0.0));
    let mut side = -0.1_f32;
    for column in 0..COLUMNS {
        let x = 1.5 * (2.0 * column as f32 - COLUMNS as f32) * RADIUS;
        for row in 0..size {
            let y = row as f32 * 4.0 * RADIUS + 15.0;
            builder.piece(x + side, y, 2.0 * RADIUS, &ShapeDef::default(), &pentagon)?;
            side = -side;
        }
    }
    let pusher = builder.target.create_body(&BodyDef::kinematic(0.0, 0.0))?;
    builder.shape(pusher, &ShapeDef::default(), &rectangle_at(2.0, 4.0, 0.0, 4.0))?;
    Ok(Motion::Pusher(Pusher { body: pusher, x: 0.0 }))
}
