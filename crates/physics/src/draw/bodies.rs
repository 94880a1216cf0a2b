//! Drawing of bodies: their shapes, fat boxes, centers, velocities, names and keys.

use super::options::DrawOptions;
use super::palette::DrawColor;
use super::target::DebugDraw;
use crate::world::PhysicsWorld;
use crate::{Aabb, BodyKind, BodyRef, ShapeRef};
use alloc::format;
use alloc::vec::Vec;
use tombolo_geometry::{Pose, Vec2};

/// The number of chords of an arc per half turn.
const ARC_PIECES: u32 = 12;

/// The duration of the motion that a velocity's line shows, in seconds.
const VELOCITY_S: f32 = 0.1;

/// The length to which a half-space is drawn from its point without bounds, in meters.
const HALF_SPACE_REACH_M: f32 = 500.0;

/// The length of a body's axes and the size of its center, in pixels.
const AXIS_PIXELS: f32 = 12.0;
const CENTER_PIXELS: f32 = 5.0;

/// Draws all bodies: static ones, kinematic ones, dynamic ones, so that moving bodies are drawn over static ones.
pub(super) fn draw(world: &PhysicsWorld, draw: &mut dyn DebugDraw, options: &DrawOptions) {
    for kind in [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic] {
        for body in world.bodies().filter(|body| body.kind() == kind) {
            let color = options.palette.body(&body, options.islands);
            for shape in body.shapes() {
                draw_shape(&shape, body.pose(), color, draw, options);
            }
            draw_motion(&body, draw, options);
        }
    }
}

fn draw_shape(
    shape: &ShapeRef<'_>,
    pose: Pose,
    color: DrawColor,
    draw: &mut dyn DebugDraw,
    options: &DrawOptions,
) {
    let geometry = shape.geometry();
    if !options.shows(geometry.aabb(pose)) {
        return;
    }
    if options.shapes {
        let (middle, reach) = match options.bounds {
            Some(bounds) => (bounds.center(), (bounds.max - bounds.min).length()),
            None => (pose.position, HALF_SPACE_REACH_M),
        };
        let part = geometry.near(pose.inverse_transform_point(middle), reach);
        let is_filled = !shape.is_sensor();
        if let ([center], false) = (part.vertices(), part.is_half_space()) {
            let rim = pose.transform_point(*center + Vec2::new(part.radius(), 0.0));
            let center = pose.transform_point(*center);
            draw.circle(center, part.radius(), is_filled, color);
            // A radius makes the rotation of a circle visible.
            draw.line(center, rim, color.darker());
        } else {
            let border = part.border(ARC_PIECES).into_iter();
            let border: Vec<Vec2> = border.map(|point| pose.transform_point(point)).collect();
            match border[..] {
                [from, to] => draw.line(from, to, color.darker()),
                _ => draw.polygon(&border, is_filled, color),
            }
        }
    }
    if let Some(fat) = shape.fat_aabb().filter(|_| options.boxes) {
        draw_box(fat, options.palette.fat_box, draw);
    }
}

fn draw_box(area: Aabb, color: DrawColor, draw: &mut dyn DebugDraw) {
    let corners = [
        area.min,
        Vec2::new(area.max.x, area.min.y),
        area.max,
        Vec2::new(area.min.x, area.max.y),
    ];
    draw.polygon(&corners, false, color);
}

fn draw_motion(body: &BodyRef<'_>, draw: &mut dyn DebugDraw, options: &DrawOptions) {
    let center = body.center_of_mass().to_vec2();
    if !options.shows_point(center) {
        return;
    }
    let palette = &options.palette;
    if options.centers {
        let reach = AXIS_PIXELS * options.pixel_m;
        for axis in [Vec2::X, Vec2::Y] {
            draw.line(
                center,
                center + reach * body.rotation().rotate(axis),
                palette.motion,
            );
        }
        draw.dot(center, CENTER_PIXELS * options.pixel_m, palette.motion);
    }
    if options.velocities && body.linear_velocity() != Vec2::ZERO {
        let end = center + VELOCITY_S * body.linear_velocity();
        draw.line(center, end, palette.motion);
    }
    let (name, key) = (body.name(), body.user_key());
    match (options.names && !name.is_empty(), options.user_keys) {
        (true, true) => draw.text(center, &format!("{name} {key}"), palette.text),
        (true, false) => draw.text(center, name, palette.text),
        (false, true) => draw.text(center, &format!("{key}"), palette.text),
        (false, false) => {}
    }
}
