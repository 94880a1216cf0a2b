//! Worlds of bodies that slide, roll, bounce and fall on a floor.

use super::{Built, Draw, Piece, constant, floor, piece, rectangle};
use core::f32::consts::PI;
use glam::Vec2;
use tombolo::physics::{BodyDef, Filter, Rot, Shape, ShapeDef};
use tombolo_scenes::SceneTarget;

/// Gravity of 10 m/s² on a slope of this tangent, in the frame of the slope.
pub(super) fn tilted_gravity(tangent: f32) -> Vec2 {
    Vec2::new(tangent, -1.0).normalize() * 10.0
}

pub(super) fn slope(target: &mut dyn SceneTarget, friction: f32) -> Built {
    let def = ShapeDef {
        friction,
        ..ShapeDef::default()
    };
    floor(target, 200.0, &def)?;
    piece(target, &BodyDef::dynamic(0.0, 0.5), &def, &rectangle(0.5, 0.5)).map(|_| ())
}

pub(super) fn drop(target: &mut dyn SceneTarget, kind: Piece, restitution: f32, height_m: f32) -> Built {
    let def = ShapeDef {
        restitution,
        ..ShapeDef::default()
    };
    floor(target, 40.0, &def)?;
    let place = BodyDef::dynamic(0.0, height_m + kind.half_height_m());
    piece(target, &place, &def, &kind.shape()).map(|_| ())
}

pub(super) fn rods(
    target: &mut dyn SceneTarget,
    count: u32,
    [length, thickness]: [f32; 2],
    width: f32,
) -> Built {
    floor(target, width, &ShapeDef::default())?;
    let mut draw = Draw::new();
    let def = ShapeDef {
        filter: Filter {
            category: 2,
            mask: 1,
            group: 0,
        },
        ..ShapeDef::default()
    };
    let shape = rectangle(0.5 * length, 0.5 * thickness);
    // In the middle 0.8 of the floor, which no body leaves.
    let spacing = 0.8 * width / count as f32;
    for index in 0..count {
        let place = BodyDef {
            angle: draw.between(-PI, PI),
            linear_velocity: Vec2::new(draw.between(-5.0, 5.0), draw.between(-5.0, 5.0)),
            angular_velocity: draw.between(-10.0, 10.0),
            ..BodyDef::dynamic((index as f32 + 0.5) * spacing - 0.4 * width, 3.0)
        };
        piece(target, &place, &def, &shape)?;
    }
    Ok(())
}

/// The gap below a tilted box in meters: an error of an engine's own sine must not make it overlap.
const TILTED_GAP_M: f32 = 0.0005;

pub(super) fn tilted(target: &mut dyn SceneTarget, count: u32) -> Built {
    const SPACING_M: f32 = 3.0;
    let def = ShapeDef::default();
    floor(target, SPACING_M * count as f32 + 20.0, &def)?;
    let mut draw = Draw::new();
    for index in 0..count {
        let (degrees, speed, gap) = if count == 1 {
            (2.2, 2.0, TILTED_GAP_M)
        } else {
            let degrees = draw.between(0.5, 11.0);
            (degrees, draw.between(0.0, 5.0), draw.between(TILTED_GAP_M, 0.02))
        };
        let angle = degrees * PI / 180.0;
        let turn = Rot::from_angle(angle);
        let place = BodyDef {
            angle,
            angular_velocity: -speed,
            ..BodyDef::dynamic(
                (index as f32 - 0.5 * (count - 1) as f32) * SPACING_M,
                0.5 * (turn.cos + turn.sin) + gap,
            )
        };
        piece(target, &place, &def, &rectangle(0.5, 0.5))?;
    }
    Ok(())
}

pub(super) fn rolling(target: &mut dyn SceneTarget, resistance: f32, speed: f32, width: f32) -> Built {
    const RADIUS_M: f32 = 0.5;
    let def = ShapeDef {
        rolling_resistance: resistance,
        ..ShapeDef::default()
    };
    floor(target, width, &def)?;
    let ball = constant(Shape::circle(Vec2::ZERO, RADIUS_M));
    let place = BodyDef {
        linear_velocity: Vec2::new(speed, 0.0),
        angular_velocity: -speed / RADIUS_M,
        ..BodyDef::dynamic(-0.25 * width, RADIUS_M)
    };
    piece(target, &place, &def, &ball).map(|_| ())
}
