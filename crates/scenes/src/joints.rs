//! The published scenes of bodies that are held by revolute joints.

use alloc::vec::Vec;

use crate::builder::{Builder, constant, rectangle};
use crate::motion::Motion;
use crate::scene::{BuildError, GRAVITY, SceneInfo, Suite};
use core::f32::consts::PI;
use tombolo_physics::{BodyDef, BodyKind, Filter, RevoluteDef, Shape, ShapeDef, Vec2};

pub(crate) const JOINT_GRID: SceneInfo = SceneInfo {
    name: "joint_grid",
    description: "a cloth of circles and revolute joints, held in the middle of its upper edge; nothing may touch",
    size: 100,
    size_unit: "circles along each side",
    size_max: 400,
    size_small: 12,
    steps: 500,
    gravity: GRAVITY,
    sleeping: false,
    at_rest: false,
    suite: Suite::Published,
    build: joint_grid,
};

pub(crate) const FALLING_HINGES: SceneInfo = SceneInfo {
    name: "falling_hinges",
    description: "four towers of boxes jointed in pairs, which fall and come to rest: the determinism test",
    size: 20,
    size_unit: "boxes in each tower",
    size_max: 1000,
    size_small: 6,
    steps: 400,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::Determinism,
    build: falling_hinges,
};

fn joint_grid(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const RADIUS: f32 = 0.4;
    let circle = constant(Shape::circle(Vec2::ZERO, RADIUS));
    let filter = Filter {
        category: 2,
        mask: !2,
        group: 0,
    };
    let shape_def = ShapeDef {
        filter,
        ..ShapeDef::default()
    };
    let is_held = |column: u32, row: u32| row == 0 && column.abs_diff(size / 2) <= 3;
    let rows = size as usize;
    let mut bodies = Vec::with_capacity(rows * rows);
    for column in 0..size {
        for row in 0..size {
            let kind = if is_held(column, row) {
                BodyKind::Static
            } else {
                BodyKind::Dynamic
            };
            let def = BodyDef {
                kind,
                ..BodyDef::dynamic(column as f32, -(row as f32))
            };
            let body = builder.body(def, 2.0 * RADIUS)?;
            builder.shape(body, &shape_def, &circle)?;
            if row > 0 {
                let above = bodies[bodies.len() - 1];
                let revolute = RevoluteDef::new(above, Vec2::new(0.0, -0.5), body, Vec2::new(0.0, 0.5));
                builder.target.create_joint(&revolute.into())?;
            }
            // Six of these join two static circles and have no effect: they are part of the published scene.
            if column > 0 {
                let left = bodies[bodies.len() - rows];
                let revolute = RevoluteDef::new(left, Vec2::new(0.5, 0.0), body, Vec2::new(-0.5, 0.0));
                builder.target.create_joint(&revolute.into())?;
            }
            bodies.push(body);
        }
    }
    Ok(Motion::None)
}

fn falling_hinges(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const COLUMNS: u32 = 4;
    const HALF: f32 = 0.25;
    const SPACING: f32 = 10.0 * HALF;
    let ground = builder.ground(0.0, -1.0)?;
    builder.shape(ground, &ShapeDef::default(), &rectangle(40.0, 1.0))?;
    let square = rectangle(HALF, HALF);
    for column in 0..COLUMNS {
        let column_x = -0.5 * SPACING * (COLUMNS - 1) as f32 + column as f32 * SPACING;
        let mut even = None;
        for row in 0..size {
            let x = column_x + 0.4 * HALF * row as f32;
            let y = HALF + 2.0 * HALF * row as f32;
            let angle = if row % 2 == 0 { -0.1 } else { 0.1 };
            let body = builder.body(
                BodyDef {
                    angle,
                    ..BodyDef::dynamic(x, y)
                },
                2.0 * HALF,
            )?;
            even = match even {
                None => Some(body),
                Some(below) => {
                    let revolute = RevoluteDef {
                        enable_limit: true,
                        lower_angle: -0.1 * PI,
                        upper_angle: 0.2 * PI,
                        enable_spring: true,
                        spring_hertz: 1.0,
                        spring_damping_ratio: 1.0,
                        enable_motor: true,
                        max_motor_torque: 0.25,
                        constraint_damping_ratio: 0.0,
                        ..RevoluteDef::new(below, Vec2::new(-HALF, HALF), body, Vec2::new(-HALF, -HALF))
                    };
                    builder.target.create_joint(&revolute.into())?;
                    None
                }
            };
            // After the joint, as in the original: the order decides the first colors.
            builder.shape(body, &ShapeDef::default(), &square)?;
        }
    }
    Ok(Motion::None)
}
