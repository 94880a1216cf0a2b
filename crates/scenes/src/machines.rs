//! Scenes of machines with joints of many kinds, as games build them, by the thousand.

use alloc::vec::Vec;

use crate::builder::{Builder, constant, rectangle, rectangle_at};
use crate::motion::Motion;
use crate::ragdolls::{parts, ragdoll_in};
use crate::scene::{BuildError, GRAVITY, SceneInfo, Suite};
use core::f32::consts::FRAC_PI_2;
use tombolo_physics::{
    BodyId, ChainDef, DistanceDef, Filter, MotorDef, PrismaticDef, Shape, ShapeDef, Vec2, WeldDef, WheelDef,
};

/// The common fields of these scenes.
const MACHINES: SceneInfo = SceneInfo {
    name: "",
    description: "",
    size: 1,
    size_unit: "",
    size_max: 20_000,
    size_small: 1,
    steps: 300,
    gravity: GRAVITY,
    sleeping: false,
    at_rest: false,
    suite: Suite::Joints,
    build: cars,
};

pub(crate) const CARS: SceneInfo = SceneInfo {
    name: "cars",
    description: "cars on sprung wheels that drive over rough ground",
    size: 2000,
    size_unit: "cars",
    size_small: 40,
    build: cars,
    ..MACHINES
};

pub(crate) const RAG_DOLLS: SceneInfo = SceneInfo {
    name: "rag_dolls",
    description: "rag dolls that fall over, each by itself",
    size: 5000,
    size_unit: "rag dolls",
    size_small: 60,
    build: rag_dolls,
    ..MACHINES
};

pub(crate) const ROPES: SceneInfo = SceneInfo {
    name: "ropes",
    description: "ropes of a hundred links each that swing down; nothing touches",
    size: 100,
    size_unit: "ropes",
    size_max: 1000,
    size_small: 3,
    build: ropes,
    ..MACHINES
};

pub(crate) const WELDED_BRIDGES: SceneInfo = SceneInfo {
    name: "welded_bridges",
    description: "bridges of twenty planks that are welded to each other and to both banks, with boxes on them",
    size: 250,
    size_unit: "bridges",
    size_max: 4000,
    size_small: 5,
    build: welded_bridges,
    ..MACHINES
};

pub(crate) const SLIDERS: SceneInfo = SceneInfo {
    name: "sliders",
    description: "towers of five slides on each other, sprung or between limits; nothing touches",
    size: 1000,
    size_unit: "towers",
    size_small: 20,
    build: sliders,
    ..MACHINES
};

pub(crate) const MOTORS: SceneInfo = SceneInfo {
    name: "motors",
    description: "boxes that are driven over a plate by bounded forces and turned by bounded torques; nothing touches",
    size: 10_000,
    size_unit: "boxes",
    size_small: 200,
    build: motors,
    ..MACHINES
};

/// The definition of a shape that touches only the ground.
fn alone() -> ShapeDef {
    ShapeDef {
        filter: Filter {
            category: 2,
            mask: 1,
            group: 0,
        },
        ..ShapeDef::default()
    }
}

/// The position of the `index`-th machine of a field: fifty to a floor, `apart` from each other.
fn place(index: u32, apart: f32, floor: f32) -> Vec2 {
    const IN_A_ROW: u32 = 50;
    Vec2::new(
        (index % IN_A_ROW) as f32 * apart,
        (index / IN_A_ROW) as f32 * floor,
    )
}

fn cars(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const APART: f32 = 8.0;
    const FLOOR: f32 = 12.0;
    let ground = builder.ground(0.0, 0.0)?;
    let rows = size.div_ceil(50);
    for row in 0..rows {
        // Two waves of lengths without a common divisor.
        let height = |i: i32| {
            let wave = |length: i32| (i.rem_euclid(length) - length / 2).abs() as f32 / length as f32;
            row as f32 * FLOOR + 0.8 * wave(13) + 0.5 * wave(5)
        };
        let surface = (-100..700).rev().map(|i| Vec2::new(i as f32, height(i)));
        let bottom = [-100.0, 699.0].map(|x| Vec2::new(x, row as f32 * FLOOR - 1.0));
        let def = ChainDef {
            points: surface.chain(bottom).collect(),
            closed: true,
            ..ChainDef::default()
        };
        builder.chain(ground, &def)?;
    }
    let (chassis, tire) = (rectangle(1.0, 0.25), constant(Shape::circle(Vec2::ZERO, 0.4)));
    let grip = ShapeDef {
        friction: 1.2,
        ..alone()
    };
    for index in 0..size {
        let at = place(index, APART, FLOOR) + Vec2::new(0.0, 2.2);
        let offset = builder.jitter.offset(0.5);
        let (x, y) = (at.x + offset.x, at.y + offset.y);
        let body = builder.piece(x, y, 0.0, &alone(), &chassis)?;
        for side in [-0.8, 0.8] {
            let wheel = builder.piece(x + side, y - 0.5, 0.0, &grip, &tire)?;
            let axle = WheelDef {
                local_angle_a: FRAC_PI_2,
                spring_hertz: 4.0,
                spring_damping_ratio: 0.7,
                enable_limit: true,
                lower_translation: -0.25,
                upper_translation: 0.25,
                enable_motor: true,
                motor_speed: -12.0,
                max_motor_torque: 4.0,
                ..WheelDef::new(body, Vec2::new(side, -0.5), wheel, Vec2::ZERO)
            };
            builder.target.create_joint(&axle.into())?;
        }
    }
    Ok(Motion::None)
}

fn rag_dolls(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const FLOOR: f32 = 4.0;
    let ground = builder.ground(0.0, 0.0)?;
    for row in 0..size.div_ceil(50) {
        let slab = rectangle_at(60.0, 0.25, 50.0, row as f32 * FLOOR - 0.25);
        builder.shape(ground, &ShapeDef::default(), &slab)?;
    }
    let (parts, mut bodies) = (parts(), Vec::new());
    for index in 0..size {
        let origin = place(index, 2.0, FLOOR) + Vec2::new(0.0, 0.5);
        ragdoll_in(builder, &parts, origin, alone().filter, &mut bodies)?;
        bodies.clear();
    }
    Ok(Motion::None)
}

fn ropes(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const LINKS: u32 = 100;
    const LINK: f32 = 0.25;
    let ground = builder.ground(0.0, 0.0)?;
    let ball = constant(Shape::circle(Vec2::ZERO, 0.1));
    for index in 0..size {
        let hook = place(index, 60.0, 60.0) + builder.jitter.offset(0.2);
        let (mut last, mut anchor) = (ground, hook);
        for link in 1..=LINKS {
            let x = hook.x + LINK * link as f32;
            let body = builder.piece(x, hook.y, 0.0, &alone(), &ball)?;
            let joint = DistanceDef {
                length: LINK,
                enable_limit: true,
                max_length: LINK,
                ..DistanceDef::new(last, anchor, body, Vec2::ZERO)
            };
            builder.target.create_joint(&joint.into())?;
            (last, anchor) = (body, Vec2::ZERO);
        }
    }
    Ok(Motion::None)
}

fn welded_bridges(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    const PLANKS: u32 = 20;
    const HALF: f32 = 0.25;
    let ground = builder.ground(0.0, 0.0)?;
    let (plank, load) = (rectangle(HALF, 0.1), rectangle(0.3, 0.3));
    let half = Vec2::new(HALF, 0.0);
    for index in 0..size {
        let bank = place(index, 14.0, 6.0);
        let (mut last, mut anchor) = (ground, bank);
        for i in 0..PLANKS {
            let x = bank.x + HALF * (2 * i + 1) as f32;
            let body = builder.piece(x, bank.y, 0.0, &ShapeDef::default(), &plank)?;
            weld(builder, [last, body], anchor, -half)?;
            (last, anchor) = (body, half);
        }
        let end = bank + Vec2::new(2.0 * HALF * PLANKS as f32, 0.0);
        weld(builder, [last, ground], half, end)?;
        for i in 0..5 {
            let x = bank.x + 2.0 + 1.5 * i as f32;
            builder.piece(x, bank.y + 0.5, 0.1, &ShapeDef::default(), &load)?;
        }
    }
    Ok(Motion::None)
}

fn weld(
    builder: &mut Builder<'_>,
    [a, b]: [BodyId; 2],
    anchor_a: Vec2,
    anchor_b: Vec2,
) -> Result<(), BuildError> {
    let joint = WeldDef::new(a, anchor_a, b, anchor_b);
    Ok(builder.target.create_joint(&joint.into())?)
}

fn sliders(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    let ground = builder.ground(0.0, 0.0)?;
    let block = rectangle(0.5, 0.2);
    for index in 0..size {
        let foot = place(index, 4.0, 10.0) + builder.jitter.offset(0.4);
        let (mut last, mut anchor) = (ground, foot);
        for level in 0..5 {
            let y = foot.y + 1.0 + level as f32;
            let body = builder.piece(foot.x, y, 0.0, &alone(), &block)?;
            let slide = PrismaticDef {
                local_angle_a: FRAC_PI_2,
                local_angle_b: FRAC_PI_2,
                enable_limit: true,
                lower_translation: 0.4,
                upper_translation: 1.2,
                enable_spring: level % 2 == 0,
                target_translation: 1.0,
                spring_hertz: 2.0,
                spring_damping_ratio: 0.2,
                ..PrismaticDef::new(last, anchor, body, Vec2::ZERO)
            };
            builder.target.create_joint(&slide.into())?;
            (last, anchor) = (body, Vec2::ZERO);
        }
    }
    Ok(Motion::None)
}

fn motors(builder: &mut Builder<'_>, size: u32) -> Result<Motion, BuildError> {
    let plate = builder.ground(0.0, 0.0)?;
    let block = rectangle(0.4, 0.4);
    for index in 0..size {
        let at = place(index, 2.0, 2.0) + builder.jitter.offset(0.8);
        let body = builder.piece(at.x, at.y, 0.0, &alone(), &block)?;
        let drive = MotorDef {
            linear_velocity: Vec2::new(0.5, 0.0),
            max_velocity_force: 8.0,
            angular_velocity: 1.0,
            max_velocity_torque: 0.5,
            linear_hertz: 1.0,
            linear_damping_ratio: 0.7,
            max_spring_force: 60.0,
            angular_hertz: 0.5,
            angular_damping_ratio: 0.7,
            max_spring_torque: 5.0,
            ..MotorDef::new(plate, at, body, Vec2::ZERO)
        };
        builder.target.create_joint(&drive.into())?;
    }
    Ok(Motion::None)
}
