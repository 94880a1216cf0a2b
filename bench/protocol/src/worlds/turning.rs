//! Worlds of boxes on kinematic bodies. All turn too slowly to throw anything, and less far than the friction holds.

use super::{Built, Carrier, constant, floor, piece, rectangle, rectangle_at};
use glam::Vec2;
use tombolo::physics::{BodyDef, BodyId, Shape, ShapeDef};
use tombolo_scenes::SceneTarget;

const TURN_SPEED: f32 = 0.1;
const DRUM_RADIUS_M: f32 = 10.0;

pub(super) fn carried(target: &mut dyn SceneTarget, by: Carrier) -> Built {
    match by {
        Carrier::Drum => {
            let drum = turning(target, Vec2::new(0.0, -DRUM_RADIUS_M), TURN_SPEED)?;
            let circle = constant(Shape::circle(Vec2::ZERO, DRUM_RADIUS_M));
            target.create_shape(drum, &ShapeDef::default(), &circle)?;
            cube(target, 0.0, 0.5)
        }
        Carrier::HollowDrum => {
            let drum = turning(target, Vec2::ZERO, TURN_SPEED)?;
            let half = 0.5 * DRUM_RADIUS_M;
            for wall in [
                rectangle_at(0.5, half, half, 0.0),
                rectangle_at(0.5, half, -half, 0.0),
                rectangle_at(half, 0.5, 0.0, half),
                rectangle_at(half, 0.5, 0.0, -half),
            ] {
                target.create_shape(drum, &ShapeDef::default(), &wall)?;
            }
            cube(target, 2.0, 1.0 - half)
        }
        Carrier::Beam => {
            let beam = turning(target, Vec2::new(0.0, -0.5), TURN_SPEED)?;
            target.create_shape(beam, &ShapeDef::default(), &rectangle(10.0, 0.5))?;
            cube(target, 8.0, 0.5)
        }
        Carrier::Gears => gears(target),
        Carrier::Lift => {
            let lift = target.create_body(&BodyDef {
                linear_velocity: Vec2::new(0.0, 2.0),
                ..BodyDef::kinematic(0.0, -0.5)
            })?;
            target.create_shape(lift, &ShapeDef::default(), &rectangle(5.0, 0.5))?;
            (0..3).try_for_each(|row| cube(target, 0.0, row as f32 + 0.5))
        }
    }
}

fn turning(target: &mut dyn SceneTarget, center: Vec2, speed: f32) -> Built<BodyId> {
    target.create_body(&BodyDef {
        angular_velocity: speed,
        ..BodyDef::kinematic(center.x, center.y)
    })
}

/// A box of 1 m.
fn cube(target: &mut dyn SceneTarget, x: f32, y: f32) -> Built {
    let place = BodyDef::dynamic(x, y);
    piece(target, &place, &ShapeDef::default(), &rectangle(0.5, 0.5)).map(|_| ())
}

/// Toothed wheels. A box has twice the space that it needs between the teeth: no engine has to crush one.
fn gears(target: &mut dyn SceneTarget) -> Built {
    const WHEEL_RADIUS_M: f32 = 3.0;
    const TOOTH_M: f32 = 0.5;
    const ROOM_M: f32 = 1.5;
    let def = ShapeDef::default();
    let ground = floor(target, 40.0, &def)?;
    for side in [-1.0, 1.0] {
        target.create_shape(ground, &def, &rectangle_at(0.5, 10.0, side * 8.5, 10.0))?;
        let x = side * (WHEEL_RADIUS_M + TOOTH_M + 0.5 * ROOM_M);
        // Both wheels draw in the boxes above.
        let wheel = turning(target, Vec2::new(x, 6.0), side * 1.0)?;
        let circle = constant(Shape::circle(Vec2::ZERO, WHEEL_RADIUS_M));
        target.create_shape(wheel, &def, &circle)?;
        for tooth in 0..8 {
            let angle = tooth as f32 * core::f32::consts::FRAC_PI_4;
            let middle = Vec2::from_angle(angle) * WHEEL_RADIUS_M;
            let bar = constant(Shape::box_at(2.0 * TOOTH_M, 0.3, middle, angle));
            target.create_shape(wheel, &def, &bar)?;
        }
    }
    for row in 0..10 {
        for column in 0..6 {
            let place = BodyDef::dynamic(0.5 * column as f32 - 1.25, 10.0 + 0.5 * row as f32);
            piece(target, &place, &def, &rectangle(0.2, 0.2))?;
        }
    }
    Ok(())
}
