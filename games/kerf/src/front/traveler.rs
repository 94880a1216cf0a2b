//! Draws Pip, and the nest: its back behind Pip, its rim in front.

use kerf::game::SCALE;
use kerf::play::{Outcome, PIP_RADIUS};
use macroquad::math::{Vec2, vec2};
use tombolo::component::{ZONE, Zone};
use tombolo::entity::{Dense, Entity};
use tombolo::geometry::Pose;

use super::eye::{Eye, OUTLINE};
use super::palette::{GLOW, INK, LEAF, PAPER, PIP_LIGHT, STRAW, STRAW_DARK, faint};
use super::shapes::{border, convex, disc, ellipse, polyline};

fn nest_area(eye: Eye<'_>, pose: Pose, entity: Entity) -> Option<(Vec2, Vec2)> {
    let zones: Option<&Dense<Zone>> = eye.game.play().world.entities().manager(ZONE);
    let (_, zone) = zones?.of(entity).next()?;
    let half = 0.5 * zone.geometry.size;
    Some((eye.at(pose, 0.0, -half.y), vec2(half.x, half.y) * SCALE))
}

/// The nest's glow and its back.
pub(crate) fn nest(eye: Eye<'_>, pose: Pose, entity: Entity) {
    let Some((bottom, half)) = nest_area(eye, pose, entity) else {
        return;
    };
    for ring in 0..3 {
        let swell = 1.0 + 0.06 * libm::sinf(2.5 * eye.time) + 0.22 * ring as f32;
        let glow = ellipse(
            bottom - vec2(0.0, 0.6 * half.y),
            swell * vec2(half.x.min(90.0) + 10.0, half.y + 14.0),
        );
        convex(&glow, faint(GLOW, 0.13));
    }
    let reach = half.x.min(84.0);
    straw(bottom, reach, -1.0);
}

/// The front rim of the nest, in front of Pip.
pub(crate) fn nest_front(eye: Eye<'_>) {
    let world = &eye.game.play().world;
    let Some(nest) = world.find("nest") else {
        return;
    };
    if let Some((bottom, half)) = eye.pose(nest).and_then(|pose| nest_area(eye, pose, nest)) {
        straw(bottom, half.x.min(84.0), 1.0);
    }
}

/// Half of a bowl of straw: the back one (-1), or the front one (1).
fn straw(bottom: Vec2, reach: f32, side: f32) {
    let rim = |share: f32, lift: f32| {
        let x = (2.0 * share - 1.0) * reach;
        let bowl = 1.0 - (x / reach) * (x / reach);
        bottom + vec2(x, -26.0 + side * 9.0 * bowl - lift)
    };
    let mut shape: Vec<Vec2> = (0..=16).map(|part| rim(part as f32 / 16.0, 0.0)).collect();
    shape.push(bottom + vec2(0.72 * reach, 6.0));
    shape.push(bottom + vec2(-0.72 * reach, 6.0));
    let color = if side < 0.0 { STRAW_DARK } else { STRAW };
    border(&shape, 2.0 * OUTLINE, INK);
    for pair in shape[..17].windows(2) {
        convex(
            &[
                pair[0],
                pair[1],
                vec2(pair[1].x * 0.72 + bottom.x * 0.28, bottom.y + 6.0),
                vec2(pair[0].x * 0.72 + bottom.x * 0.28, bottom.y + 6.0),
            ],
            color,
        );
    }
    if side > 0.0 {
        for twig in 0..9 {
            let share = (twig as f32 + 0.5) / 9.0;
            let from = rim(share, -6.0);
            let to = bottom
                + vec2(
                    (2.0 * share - 1.0) * 0.55 * reach + if twig % 2 == 0 { 14.0 } else { -14.0 },
                    0.0,
                );
            polyline(&[from, to], 3.0, STRAW_DARK);
        }
    }
}

/// The traveler: a ball with a face and a leaf.
pub(crate) fn pip(eye: Eye<'_>, pose: Pose) {
    let game = eye.game;
    let middle = eye.at(pose, 0.0, 0.0);
    let radius = PIP_RADIUS * SCALE;
    disc(middle + vec2(-0.25, -0.3) * radius, 0.5 * radius, PIP_LIGHT);
    let stem = [eye.at(pose, 0.0, 0.42), eye.at(pose, 0.05, 0.6)];
    polyline(&stem, 6.0, INK);
    let leaf = [
        eye.at(pose, 0.04, 0.58),
        eye.at(pose, 0.2, 0.76),
        eye.at(pose, 0.44, 0.74),
        eye.at(pose, 0.3, 0.56),
    ];
    border(&leaf, 2.0 * OUTLINE, INK);
    convex(&leaf, LEAF);
    let body = game.play().world.body(game.play().rules.pip());
    let speed = body.map_or(0.0, |body| body.linear_velocity().length());
    let (hurt, happy) = match game.play().rules.outcome() {
        Outcome::Lost(_) => (true, false),
        outcome => (false, outcome == Outcome::Won),
    };
    let blink = libm::fmodf(eye.time, 3.1) < 0.12;
    for side in [-1.0, 1.0] {
        let at = |x: f32, y: f32| eye.at(pose, side * 0.16 + x, 0.08 + y);
        if hurt {
            polyline(&[at(-0.07, -0.07), at(0.07, 0.07)], 4.0, INK);
            polyline(&[at(-0.07, 0.07), at(0.07, -0.07)], 4.0, INK);
        } else if happy || blink {
            polyline(&[at(-0.08, -0.02), at(0.0, 0.05), at(0.08, -0.02)], 4.0, INK);
        } else {
            disc(at(0.0, 0.0), 6.5, PAPER);
            disc(at(0.025, -0.01), 3.8, INK);
        }
    }
    mouth(eye, pose, speed, hurt);
}

fn mouth(eye: Eye<'_>, pose: Pose, speed: f32, hurt: bool) {
    if speed > 4.0 && !hurt {
        disc(eye.at(pose, 0.0, -0.18), 5.5, INK);
        return;
    }
    let bend = if hurt { 0.05 } else { -0.06 };
    let points: Vec<Vec2> = (-3..=3)
        .map(|part| {
            let x = part as f32 / 3.0;
            eye.at(pose, 0.13 * x, -0.16 + bend * (1.0 - x * x))
        })
        .collect();
    polyline(&points, 3.5, INK);
}
