//! Scenes of bodies in permanent motion: a box on a motor, a rotor in a ring, a drum that turns its contents. Pairs
//! begin and end in every step, so these scenes time the broad phase.

use alloc::vec::Vec;

use crate::builder::{Builder, constant, rectangle, rectangle_at};
use crate::motion::Motion;
use crate::scene::{BuildError, GRAVITY, SceneInfo, Suite};
use core::f32::consts::PI;
use tombolo_physics::{BodyDef, BodyId, ChainDef, RevoluteDef, Rot, Shape, ShapeDef, Vec2};

/// The angular velocity of tumbler and washer, in radians per second.
const DRUM_SPEED: f32 = 25.0 * PI / 180.0;

pub(crate) const TUMBLER: SceneInfo = SceneInfo {
    name: "tumbler",
    description: "a square drum on a motor with small boxes in it",
    size: 45,
    size_unit: "boxes along each side of the block",
    // More bodies would not fit the drum.
    size_max: 45,
    size_small: 8,
    steps: 750,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::Published,
    build: tumbler,
};

pub(crate) const SPINNER: SceneInfo = SceneInfo {
    name: "spinner",
    description: "a rotor that stirs capsules, circles and boxes in a round container",
    size: 6076,
    size_unit: "bodies",
    size_max: 10_000,
    size_small: 300,
    steps: 500,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::Published,
    build: spinner,
};

pub(crate) const WASHER: SceneInfo = SceneInfo {
    name: "washer",
    description: "a round drum with paddles that turns a block of small boxes",
    size: 90,
    size_unit: "boxes along each side of the block",
    size_max: 90,
    size_small: 12,
    steps: 500,
    gravity: GRAVITY,
    sleeping: true,
    at_rest: false,
    suite: Suite::Published,
    build: washer,
};

fn tumbler(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const HALF: f32 = 0.125;
    let ground = builder.ground(0.0, 0.0)?;
    let drum = builder.target.create_body(&BodyDef::dynamic(0.0, 10.0))?;
    let wall_def = ShapeDef {
        density: 50.0,
        ..ShapeDef::default()
    };
    for wall in [
        rectangle_at(0.5, 10.0, 10.0, 0.0),
        rectangle_at(0.5, 10.0, -10.0, 0.0),
        rectangle_at(10.0, 0.5, 0.0, 10.0),
        rectangle_at(10.0, 0.5, 0.0, -10.0),
    ] {
        builder.shape(drum, &wall_def, &wall)?;
    }
    let revolute = RevoluteDef {
        enable_motor: true,
        motor_speed: DRUM_SPEED,
        max_motor_torque: 1e8,
        ..RevoluteDef::new(ground, Vec2::new(0.0, 10.0), drum, Vec2::ZERO)
    };
    builder.target.create_joint(&revolute.into())?;
    let square = rectangle(HALF, HALF);
    // Coordinates are summed, not multiplied: the original's rounding is part of the scene.
    let mut y = -0.2 * size as f32 + 10.0;
    for _ in 0..size {
        let mut x = -0.2 * size as f32;
        for _ in 0..size {
            builder.piece(x, y, 2.0 * HALF, &ShapeDef::default(), &square)?;
            x += 0.4;
        }
        y += 0.4;
    }
    Ok(Motion::None)
}

fn spinner(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    let ground = builder.ground(0.0, 0.0)?;
    container(builder, ground)?;
    let rotor = builder.target.create_body(&BodyDef {
        allow_sleep: false,
        ..BodyDef::dynamic(0.0, 12.0)
    })?;
    let smooth = ShapeDef {
        friction: 0.0,
        ..ShapeDef::default()
    };
    builder.shape(rotor, &smooth, &constant(Shape::rounded_box(0.8, 40.0, 0.2)))?;
    let revolute = RevoluteDef {
        enable_motor: true,
        motor_speed: 5.0,
        max_motor_torque: f32::MAX,
        ..RevoluteDef::new(ground, Vec2::new(0.0, 12.0), rotor, Vec2::ZERO)
    };
    builder.target.create_joint(&revolute.into())?;

    let def = ShapeDef {
        density: 0.25,
        friction: 0.1,
        restitution: 0.1,
        ..ShapeDef::default()
    };
    let shapes = [
        constant(Shape::capsule(Vec2::new(-0.25, 0.0), Vec2::new(0.25, 0.0), 0.25)),
        constant(Shape::circle(Vec2::ZERO, 0.35)),
        rectangle(0.35, 0.35),
    ];
    let (mut x, mut y) = (-23.0_f32, 2.0_f32);
    for shape in shapes.iter().cycle().take(size as usize) {
        builder.piece(x, y, 0.7, &def, shape)?;
        x += 0.5;
        if x >= 23.0 {
            x = -23.0;
            y += 0.5;
        }
    }
    Ok(Motion::None)
}

/// The round container of the spinner: a closed chain of 360 segments, clockwise, so that it is solid from inside.
fn container(builder: &mut Builder<'_>, ground: BodyId) -> Result<(), BuildError> {
    const COUNT: usize = 360;
    let turn = Rot::from_angle(-2.0 * PI / COUNT as f32);
    let center = Vec2::new(0.0, 32.0);
    let mut points = Vec::with_capacity(COUNT);
    let mut arm = Vec2::new(40.0, 0.0);
    for _ in 0..COUNT {
        points.push(arm + center);
        arm = turn.rotate(arm);
    }
    let def = ChainDef {
        points,
        closed: true,
        shape: ShapeDef {
            friction: 0.1,
            ..ShapeDef::default()
        },
    };
    Ok(builder.chain(ground, &def)?)
}

fn washer(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const HALF: f32 = 0.1;
    builder.ground(0.0, 0.0)?;
    let drum = builder.target.create_body(&BodyDef {
        angular_velocity: DRUM_SPEED,
        linear_velocity: Vec2::new(0.001, -0.002),
        ..BodyDef::kinematic(0.0, 10.0)
    })?;
    washer_walls(builder, drum)?;
    let def = ShapeDef {
        hit_events: true,
        ..ShapeDef::default()
    };
    let square = rectangle(HALF, HALF);
    let mut y = -1.1 * HALF * size as f32 + 10.0;
    for _ in 0..size {
        let mut x = -1.1 * HALF * size as f32;
        for _ in 0..size {
            builder.piece(x, y, 2.0 * HALF, &def, &square)?;
            x += 2.1 * HALF;
        }
        y += 2.1 * HALF;
    }
    Ok(Motion::None)
}

/// 36 pieces of wall that overlap a little, and a paddle at every ninth.
fn washer_walls(builder: &mut Builder<'_>, drum: BodyId) -> Result<(), BuildError> {
    const SECTORS: usize = 36;
    let angle = PI / 18.0;
    let (step, overlap) = (Rot::from_angle(angle), Rot::from_angle(0.1 * angle));
    let mut start = Vec2::X;
    for sector in 0..SECTORS {
        let end = step.rotate(start);
        let (wide_start, wide_end) = (overlap.unrotate(start), overlap.rotate(end));
        let wall = [
            16.0 * wide_start,
            18.0 * wide_start,
            16.0 * wide_end,
            18.0 * wide_end,
        ];
        builder.shape(drum, &ShapeDef::default(), &constant(Shape::polygon(&wall, 0.0)))?;
        if sector % 9 == 0 {
            let paddle = [14.0 * start, 16.0 * start, 14.0 * end, 16.0 * end];
            builder.shape(
                drum,
                &ShapeDef::default(),
                &constant(Shape::polygon(&paddle, 0.0)),
            )?;
        }
        start = end;
    }
    Ok(())
}
