//! Worlds of bodies on revolute joints and welds: chains, bridges, cantilevers.

use super::{Built, constant, piece, rectangle};
use glam::Vec2;
use tombolo::physics::{BodyDef, BodyId, RevoluteDef, Shape, ShapeDef, WeldDef};
use tombolo_scenes::SceneTarget;

const LINK_M: f32 = 0.5;
const LINK_RADIUS_M: f32 = 0.1;
/// Half the height of a square weight.
const WEIGHT_HALF_M: f32 = 0.25;
/// The area of a link in square meters, with its round caps.
const LINK_AREA: f32 = LINK_M * 2.0 * LINK_RADIUS_M + core::f32::consts::PI * LINK_RADIUS_M * LINK_RADIUS_M;

pub(super) fn chain(target: &mut dyn SceneTarget, links: u32, load_ratio: f32, level: bool) -> Built {
    let along = if level { Vec2::X } else { Vec2::NEG_Y };
    let half = 0.5 * LINK_M * along;
    let link = constant(Shape::capsule(-half, half, LINK_RADIUS_M));
    let def = ShapeDef::default();
    let mut last = target.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let mut end = Vec2::ZERO;
    for index in 0..links {
        let place = (index as f32 + 0.5) * LINK_M * along;
        let body = piece(target, &BodyDef::dynamic(place.x, place.y), &def, &link)?;
        revolute(target, (last, end), (body, -half))?;
        (last, end) = (body, half);
    }
    let load = ShapeDef {
        density: load_ratio * LINK_AREA / (4.0 * WEIGHT_HALF_M * WEIGHT_HALF_M),
        ..def
    };
    let place = links as f32 * LINK_M * along + WEIGHT_HALF_M * along;
    let weight = rectangle(WEIGHT_HALF_M, WEIGHT_HALF_M);
    let body = piece(target, &BodyDef::dynamic(place.x, place.y), &load, &weight)?;
    revolute(target, (last, end), (body, -WEIGHT_HALF_M * along))
}

pub(super) fn bridge(target: &mut dyn SceneTarget, planks: u32) -> Built {
    let half = Vec2::new(0.5 * LINK_M, 0.0);
    let plank = rectangle(half.x, 0.125);
    let def = ShapeDef::default();
    let mut last = target.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let mut end = Vec2::ZERO;
    for index in 0..planks {
        let place = BodyDef::dynamic((index as f32 + 0.5) * LINK_M, 0.0);
        let body = piece(target, &place, &def, &plank)?;
        revolute(target, (last, end), (body, -half))?;
        (last, end) = (body, half);
    }
    let far = target.create_body(&BodyDef::fixed(planks as f32 * LINK_M, 0.0))?;
    revolute(target, (last, end), (far, Vec2::ZERO))
}

pub(super) fn cantilever(target: &mut dyn SceneTarget, planks: u32) -> Built {
    let half = Vec2::new(0.5 * LINK_M, 0.0);
    let plank = rectangle(half.x, 0.125);
    let mut last = target.create_body(&BodyDef::fixed(0.0, 0.0))?;
    let mut end = Vec2::ZERO;
    for index in 0..planks {
        let place = BodyDef::dynamic((index as f32 + 0.5) * LINK_M, 0.0);
        let body = piece(target, &place, &ShapeDef::default(), &plank)?;
        target.create_joint(&WeldDef::new(last, end, body, -half).into())?;
        (last, end) = (body, half);
    }
    Ok(())
}

fn revolute(target: &mut dyn SceneTarget, a: (BodyId, Vec2), b: (BodyId, Vec2)) -> Built {
    target.create_joint(&RevoluteDef::new(a.0, a.1, b.0, b.1).into())
}
