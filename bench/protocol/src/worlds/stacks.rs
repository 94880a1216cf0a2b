//! Worlds of columns on a floor. All touch exactly at the start, so every motion is caused by the engine.

use super::{Built, Piece, floor, piece, rectangle};
use tombolo::physics::{BodyDef, ShapeDef};
use tombolo_scenes::SceneTarget;

const FLOOR_M: f32 = 40.0;

pub(super) fn stack(target: &mut dyn SceneTarget, kind: Piece, count: u32, offset_m: f32) -> Built {
    let def = ShapeDef::default();
    floor(target, FLOOR_M, &def)?;
    let (shape, half) = (kind.shape(), kind.half_height_m());
    for row in 0..count {
        let x = if row % 2 == 1 { offset_m } else { 0.0 };
        let place = BodyDef::dynamic(x, half * (2 * row + 1) as f32);
        piece(target, &place, &def, &shape)?;
    }
    Ok(())
}

pub(super) fn weights(target: &mut dyn SceneTarget, ratio: f32, count: u32) -> Built {
    let light = ShapeDef::default();
    floor(target, FLOOR_M, &light)?;
    let heavy = ShapeDef {
        density: ratio,
        ..light.clone()
    };
    for row in 0..count {
        let def = if row % 2 == 1 { &heavy } else { &light };
        let place = BodyDef::dynamic(0.0, row as f32 + 0.5);
        piece(target, &place, def, &rectangle(0.5, 0.5))?;
    }
    Ok(())
}
