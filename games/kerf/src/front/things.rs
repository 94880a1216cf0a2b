//! Draws the entities of a level: ground, ropes, wood, machines, thorns, water, the nest and Pip.

use kerf::game::Game;
use kerf::levels::{flag_of, is};
use kerf::play::Outcome;
use macroquad::color::Color;
use macroquad::math::{Vec2, vec2};
use tombolo::component::{COLLIDER, Collider, FIELD, Field, GeometryKind, ShapeGeometry};
use tombolo::entity::{Dense, Entity};
use tombolo::geometry::Pose;

use super::eye::{Eye, OUTLINE};
use super::palette::{
    BOMB, GLOW, GRASS, GROUND_LOW, GROUND_TOP, INK, METAL, METAL_LIGHT, PAPER, PIP, ROPE, THORN, WATER, WOOD,
    WOOD_DARK, faint, mix,
};
use super::shapes::{border, convex, disc, ellipse, polyline, round_box, shaded};
use super::traveler::{nest, nest_front, pip};

/// The look of an entity, chosen by its tags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Look {
    Nest,
    Fan,
    Thorns,
    Ground,
    Ledge,
    Rope,
    Wood,
    Metal,
    Bomb,
    Pip,
}

fn look(game: &Game, entity: Entity) -> Look {
    let tags = [
        ("pip", Look::Pip),
        ("bomb", Look::Bomb),
        ("wood", Look::Wood),
        ("rope", Look::Rope),
        ("metal", Look::Metal),
        ("fan", Look::Fan),
        ("thorns", Look::Thorns),
        ("ledge", Look::Ledge),
        ("nest", Look::Nest),
    ];
    let found = tags
        .into_iter()
        .find(|(tag, _)| is(&game.play().world, entity, tag));
    found.map_or(Look::Ground, |(_, look)| look)
}

/// Draws all entities, from the back to the front.
pub(crate) fn draw(eye: Eye<'_>) {
    let world = &eye.game.play().world;
    let mut things: Vec<(Look, Entity)> = world
        .names()
        .map(|(_, entity)| (look(eye.game, entity), entity))
        .collect();
    things.sort_unstable();
    winds(eye);
    // Within a look all outlines are drawn before anything is filled, but for wood and machines, which overlap each
    // other.
    for group in things.chunk_by(|a, b| a.0 == b.0 && !matches!(a.0, Look::Wood | Look::Metal)) {
        let look = group[0].0;
        let bodies: Vec<(Entity, Vec<Vec<Vec2>>)> = group
            .iter()
            .map(|(_, entity)| (*entity, outlines(eye, *entity)))
            .collect();
        if look == Look::Ground {
            grass(&bodies);
        }
        for outline in bodies.iter().flat_map(|(_, outlines)| outlines) {
            let ink = if look == Look::Thorns { THORN } else { INK };
            border(outline, 2.0 * OUTLINE, ink);
        }
        for (entity, outlines) in &bodies {
            for outline in outlines {
                fill(look, outline);
            }
            details(eye, look, *entity, outlines);
        }
    }
    waters(eye);
    switches(eye);
}

/// The outlines of an entity's colliders on the screen.
fn outlines(eye: Eye<'_>, entity: Entity) -> Vec<Vec<Vec2>> {
    let world = &eye.game.play().world;
    let colliders: Option<&Dense<Collider>> = world.entities().manager(COLLIDER);
    let (Some(colliders), Some(pose)) = (colliders, eye.pose(entity)) else {
        return Vec::new();
    };
    colliders
        .of(entity)
        .map(|(_, collider)| outline(eye, pose, &collider.geometry))
        .collect()
}

fn outline(eye: Eye<'_>, pose: Pose, geometry: &ShapeGeometry) -> Vec<Vec2> {
    let pose = pose.compose(Pose::new(geometry.position, geometry.angle));
    let round = |center: tombolo::geometry::Vec2, from: f32, to: f32, parts: u32| {
        (0..=parts).map(move |part| {
            let angle = from + (to - from) * part as f32 / parts as f32;
            (
                center.x + geometry.radius * libm::cosf(angle),
                center.y + geometry.radius * libm::sinf(angle),
            )
        })
    };
    const TURN: f32 = core::f32::consts::TAU;
    let points: Vec<(f32, f32)> = match (geometry.kind, &geometry.points[..]) {
        (GeometryKind::Circle, _) => {
            round(tombolo::geometry::Vec2::ZERO, 0.0, TURN * 39.0 / 40.0, 39).collect()
        }
        (GeometryKind::Capsule, [from, to]) => {
            let way = *to - *from;
            let along = libm::atan2f(way.y, way.x);
            let end = round(*to, along - 0.25 * TURN, along + 0.25 * TURN, 6);
            end.chain(round(*from, along + 0.25 * TURN, along + 0.75 * TURN, 6))
                .collect()
        }
        (GeometryKind::Box, _) => {
            let half = 0.5 * geometry.size;
            vec![
                (-half.x, -half.y),
                (half.x, -half.y),
                (half.x, half.y),
                (-half.x, half.y),
            ]
        }
        (_, points) => points.iter().map(|point| (point.x, point.y)).collect(),
    };
    points.into_iter().map(|(x, y)| eye.at(pose, x, y)).collect()
}

/// The upper sides of the ground, before it is filled.
fn grass(bodies: &[(Entity, Vec<Vec<Vec2>>)]) {
    let upper = |outline: &Vec<Vec2>| {
        let pairs = (0..outline.len()).map(|place| [outline[place], outline[(place + 1) % outline.len()]]);
        let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
        let mut sides: Vec<[Vec2; 2]> = Vec::new();
        for [a, b] in pairs {
            let flat = (b.y - a.y).abs() < 1.2 * (b.x - a.x).abs();
            if flat && 0.5 * (a.y + b.y) < middle.y {
                sides.push([a, b]);
            }
        }
        sides
    };
    let sides: Vec<[Vec2; 2]> = bodies
        .iter()
        .flat_map(|(_, outlines)| outlines)
        .flat_map(upper)
        .collect();
    for outline in bodies.iter().flat_map(|(_, outlines)| outlines) {
        border(outline, 2.0 * OUTLINE, INK);
    }
    for (thickness, color) in [(20.0 + 2.0 * OUTLINE, INK), (20.0, GRASS)] {
        for side in &sides {
            polyline(side, thickness, color);
        }
    }
}

fn fill(look: Look, outline: &[Vec2]) {
    match look {
        Look::Ground => {
            let low = |point: Vec2| ((point.y - 150.0) / 560.0).clamp(0.0, 1.0);
            shaded(outline, |point| mix(GROUND_TOP, GROUND_LOW, low(point)));
        }
        Look::Ledge => convex(outline, mix(WOOD, PAPER, 0.35)),
        Look::Rope => convex(outline, ROPE),
        Look::Wood => convex(outline, WOOD),
        Look::Metal | Look::Fan => convex(outline, METAL),
        Look::Bomb => convex(outline, BOMB),
        Look::Thorns => convex(outline, THORN),
        Look::Pip => convex(outline, PIP),
        Look::Nest => {}
    }
}

/// Draws the details of an entity's look.
fn details(eye: Eye<'_>, look: Look, entity: Entity, outlines: &[Vec<Vec2>]) {
    let Some(pose) = eye.pose(entity) else {
        return;
    };
    match look {
        Look::Wood => outlines.iter().for_each(|outline| grain(outline)),
        Look::Metal => metal(eye, pose, entity, outlines),
        Look::Bomb => bomb(eye, pose, entity),
        Look::Thorns => outlines.iter().for_each(|outline| spikes(outline)),
        Look::Ledge => chevrons(eye, outlines),
        Look::Fan => fan(eye, pose, entity),
        Look::Nest => nest(eye, pose, entity),
        Look::Pip => {
            pip(eye, pose);
            nest_front(eye);
        }
        Look::Ground | Look::Rope => {}
    }
}

/// Lines along the wood, a bit inside of its border.
fn grain(outline: &[Vec2]) {
    let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
    let inner: Vec<Vec2> = outline
        .iter()
        .map(|point| middle + (*point - middle) * 0.82)
        .collect();
    let longest = (0..inner.len()).max_by(|a, b| {
        let side = |place: &usize| (inner[(place + 1) % inner.len()] - inner[*place]).length();
        side(a).total_cmp(&side(b))
    });
    if let Some(place) = longest {
        let [from, to] = [inner[place], inner[(place + 1) % inner.len()]];
        for share in [0.25, 0.75] {
            let [a, b] = [from, to].map(|end| end.lerp(middle + (end - from.lerp(to, 0.5)), share));
            polyline(
                &[a.lerp(b, 0.06 + 0.1 * share), a.lerp(b, 0.92 - 0.15 * share)],
                2.5,
                WOOD_DARK,
            );
        }
    }
}

fn metal(eye: Eye<'_>, pose: Pose, entity: Entity, outlines: &[Vec<Vec2>]) {
    let wheel = is(&eye.game.play().world, entity, "tyre");
    for outline in outlines {
        if outline.len() == 40 {
            let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
            let radius = (outline[0] - middle).length();
            if wheel {
                disc(middle, radius, BOMB);
                disc(middle, 0.55 * radius, METAL_LIGHT);
                for turn in 0..3 {
                    let angle = pose.rotation.angle() + turn as f32 * core::f32::consts::PI / 3.0;
                    let spoke = 0.5 * radius * vec2(libm::cosf(angle), -libm::sinf(angle));
                    polyline(&[middle - spoke, middle + spoke], 3.0, INK);
                }
            }
            disc(
                middle,
                if wheel { 4.0 } else { 0.45 * radius },
                if wheel { INK } else { METAL_LIGHT },
            );
        } else {
            let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
            let inner: Vec<Vec2> = outline
                .iter()
                .map(|point| middle + (*point - middle) * 0.7)
                .collect();
            convex(&inner, mix(METAL, METAL_LIGHT, 0.45));
        }
    }
}

fn bomb(eye: Eye<'_>, pose: Pose, entity: Entity) {
    let lit = eye.game.play().rules.cuts_used() > 0;
    let top = [
        eye.at(pose, 0.1, 0.36),
        eye.at(pose, 0.2, 0.56),
        eye.at(pose, 0.36, 0.62),
    ];
    polyline(&top, 7.0, INK);
    polyline(&top, 3.0, ROPE);
    disc(eye.at(pose, -0.14, 0.14), 5.5, faint(PAPER, 0.8));
    if lit && is(&eye.game.play().world, entity, "switch") {
        let flicker = 5.0 + 2.5 * libm::sinf(31.0 * eye.time);
        disc(top[2], flicker + 3.0, faint(GLOW, 0.5));
        disc(top[2], 0.6 * flicker, PAPER);
    }
}

/// Thorns on the upper side of a box.
fn spikes(outline: &[Vec2]) {
    let left = outline.iter().fold(f32::MAX, |least, point| least.min(point.x));
    let right = outline.iter().fold(f32::MIN, |most, point| most.max(point.x));
    let top = outline.iter().fold(f32::MAX, |least, point| least.min(point.y));
    let count = ((right - left) / 26.0).max(1.0) as u32;
    let width = (right - left) / count as f32;
    for number in 0..count {
        let x = left + (number as f32 + 0.5) * width;
        let height = if number.is_multiple_of(2) { 26.0 } else { 17.0 };
        let lean = if number.is_multiple_of(3) { 5.0 } else { -3.0 };
        let thorn = [
            vec2(x - 0.55 * width, top + 4.0),
            vec2(x + lean, top - height),
            vec2(x + 0.55 * width, top + 4.0),
        ];
        border(&thorn, 2.0 * OUTLINE, INK);
        convex(&thorn, THORN);
        polyline(
            &[thorn[0].lerp(thorn[1], 0.45), thorn[0].lerp(thorn[1], 0.85)],
            2.0,
            mix(THORN, PAPER, 0.45),
        );
    }
}

/// Arrows in the direction in which a platform lets through.
fn chevrons(eye: Eye<'_>, outlines: &[Vec<Vec2>]) {
    for outline in outlines {
        let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
        for number in -2..=2 {
            let rise = 6.0 * libm::sinf(3.0 * eye.time + number as f32);
            let slope = (outline[1].y - outline[0].y) / (outline[1].x - outline[0].x);
            let at = middle
                + vec2(
                    48.0 * number as f32,
                    48.0 * number as f32 * slope + 30.0 - rise.abs(),
                );
            polyline(
                &[at + vec2(-8.0, 5.0), at + vec2(0.0, -4.0), at + vec2(8.0, 5.0)],
                4.0,
                faint(PAPER, 0.85),
            );
        }
    }
}

fn fan(eye: Eye<'_>, pose: Pose, entity: Entity) {
    let on = flag_of(&eye.game.play().world, entity, "blow.enabled");
    let hub = eye.at(pose, 0.55, 0.0);
    let turn = if on { 16.0 * eye.time } else { 0.6 };
    round_box(
        eye.at(pose, 0.0, 0.0),
        vec2(30.0, 116.0),
        10.0,
        mix(METAL, INK, 0.2),
    );
    for blade in 0..3 {
        let swing = libm::sinf(turn + blade as f32 * core::f32::consts::TAU / 3.0);
        let tip = hub + vec2(6.0, 62.0 * swing);
        polyline(&[hub, tip], 19.0, INK);
        polyline(&[hub, tip], 13.0, METAL_LIGHT);
    }
    disc(hub, 13.0, INK);
    disc(hub, 9.0, if on { GLOW } else { PIP });
}

fn area(eye: Eye<'_>, entity: Entity, field: &Field) -> Option<[Vec2; 4]> {
    let pose = eye
        .pose(entity)?
        .compose(Pose::new(field.geometry.position, field.geometry.angle));
    let half = 0.5 * field.geometry.size;
    Some(
        [
            (-half.x, half.y),
            (half.x, half.y),
            (half.x, -half.y),
            (-half.x, -half.y),
        ]
        .map(|(x, y)| eye.at(pose, x, y)),
    )
}

fn fields<'a>(eye: Eye<'a>) -> impl Iterator<Item = (Entity, &'a Field)> {
    let fields: Option<&Dense<Field>> = eye.game.play().world.entities().manager(FIELD);
    fields.into_iter().flat_map(|fields| {
        fields
            .owners()
            .zip(fields.values())
            .map(|((entity, _), field)| (entity, field))
    })
}

/// Streaks of the wind that blows.
fn winds(eye: Eye<'_>) {
    for (entity, _) in fields(eye).filter(|(entity, _)| is(&eye.game.play().world, *entity, "fan")) {
        if !flag_of(&eye.game.play().world, entity, "blow.enabled") {
            continue;
        }
        let Some([corner, right, low, _]) = fields(eye)
            .find(|(owner, _)| *owner == entity)
            .and_then(|(_, field)| area(eye, entity, field))
        else {
            continue;
        };
        for streak in 0..22 {
            let share = libm::fmodf(streak as f32 * 0.618, 1.0);
            let way = libm::fmodf(eye.time * (0.8 + 0.5 * share) + streak as f32 * 0.37, 1.0);
            let at = vec2(
                corner.x + way * (right.x - corner.x),
                corner.y + share * (low.y - corner.y),
            );
            let fade = (way * (1.0 - way) * 4.0).clamp(0.0, 1.0);
            let bend = 2.5 * libm::sinf(6.0 * way + streak as f32);
            polyline(
                &[at, at + vec2(40.0, bend), at + vec2(85.0, 0.0)],
                4.0,
                faint(PAPER, 0.75 * fade),
            );
        }
    }
}

/// Water, in front of the bodies in it.
fn waters(eye: Eye<'_>) {
    for (entity, field) in fields(eye).filter(|(entity, _)| !is(&eye.game.play().world, *entity, "fan")) {
        let Some([corner, right, low, _]) = area(eye, entity, field) else {
            continue;
        };
        let wave = |x: f32| {
            let inside = ((x - corner.x).min(right.x - x) / 40.0).clamp(0.0, 1.0);
            corner.y
                + inside
                    * (3.0 * libm::sinf(0.05 * x - 3.0 * eye.time)
                        + 2.0 * libm::sinf(0.11 * x - 5.0 * eye.time))
        };
        let mut crest = Vec::new();
        let mut x = corner.x;
        while x < right.x {
            let next = (x + 12.0).min(right.x);
            let slice = [
                vec2(x, wave(x)),
                vec2(next, wave(next)),
                vec2(next, low.y),
                vec2(x, low.y),
            ];
            shaded(&slice, |point| {
                faint(
                    mix(
                        WATER,
                        INK,
                        0.5 * ((point.y - corner.y) / (low.y - corner.y)).clamp(0.0, 1.0),
                    ),
                    0.5,
                )
            });
            crest.push(vec2(x, wave(x)));
            x = next;
        }
        polyline(&crest, 5.0, faint(PAPER, 0.85));
        for streak in 0..7 {
            let way = libm::fmodf(0.14 * eye.time + streak as f32 * 0.39, 1.0);
            let at = vec2(
                corner.x + way * (right.x - corner.x - 60.0),
                corner.y + 24.0 + 19.0 * streak as f32,
            );
            let fade = (way * (1.0 - way) * 4.0).clamp(0.0, 1.0);
            polyline(&[at, at + vec2(46.0, 0.0)], 3.0, faint(PAPER, 0.35 * fade));
        }
    }
}

/// A ring around each switch.
fn switches(eye: Eye<'_>) {
    let play = eye.game.play();
    if play.rules.outcome() != Outcome::Open {
        return;
    }
    for (entity, _) in kerf::play::switches(&play.world) {
        let Some(pose) = eye.pose(entity) else {
            continue;
        };
        let swell = 0.5 + 0.5 * libm::sinf(4.0 * eye.time);
        let ring = ellipse(eye.at(pose, 0.0, 0.0), Vec2::splat(30.0 + 5.0 * swell));
        let color: Color = faint(GLOW, 0.5 + 0.4 * swell);
        border(&ring, 4.0, color);
        disc(eye.at(pose, 0.0, 0.0), 7.0, INK);
        disc(eye.at(pose, 0.0, 0.0), 4.5, GLOW);
    }
}
