//! Draws shapes with outlines, in units of the screen; used by all of `front/`.

use macroquad::color::Color;
use macroquad::math::{Vec2, vec3};
use macroquad::models::{Mesh, Vertex, draw_mesh};
use macroquad::prelude::vec2;
use macroquad::shapes::{draw_circle, draw_line};

/// Lines with round joints and ends.
pub(crate) fn polyline(points: &[Vec2], thickness: f32, color: Color) {
    for pair in points.windows(2) {
        draw_line(pair[0].x, pair[0].y, pair[1].x, pair[1].y, thickness, color);
    }
    for point in points {
        disc(*point, 0.5 * thickness, color);
    }
}

/// The border of a polygon.
pub(crate) fn border(points: &[Vec2], thickness: f32, color: Color) {
    polyline(points, thickness, color);
    if let [first, .., last] = points {
        draw_line(last.x, last.y, first.x, first.y, thickness, color);
    }
}

/// A filled circle that is round at any size.
pub(crate) fn disc(center: Vec2, radius: f32, color: Color) {
    if radius < 24.0 {
        draw_circle(center.x, center.y, radius, color);
    } else {
        convex(&ellipse(center, Vec2::splat(radius)), color);
    }
}

/// The border of an ellipse.
pub(crate) fn ellipse(center: Vec2, radii: Vec2) -> Vec<Vec2> {
    let turn = |corner: u32| {
        let angle = corner as f32 * core::f32::consts::TAU / 48.0;
        center + radii * vec2(libm::cosf(angle), libm::sinf(angle))
    };
    (0..48).map(turn).collect()
}

/// A filled convex polygon.
pub(crate) fn convex(points: &[Vec2], color: Color) {
    shaded(points, |_| color);
}

/// A filled convex polygon whose color depends on the position.
pub(crate) fn shaded(points: &[Vec2], color: impl Fn(Vec2) -> Color) {
    let vertices = points
        .iter()
        .map(|point| Vertex::new2(vec3(point.x, point.y, 0.0), Vec2::ZERO, color(*point)));
    let corners = 1..(points.len() as u16).saturating_sub(1);
    draw_mesh(&Mesh {
        vertices: vertices.collect(),
        indices: corners.flat_map(|corner| [0, corner, corner + 1]).collect(),
        texture: None,
    });
}

/// A box with round corners.
pub(crate) fn round_box(center: Vec2, size: Vec2, radius: f32, color: Color) {
    convex(&round_box_border(center, size, radius), color);
}

/// The border of a box with round corners.
pub(crate) fn round_box_border(center: Vec2, size: Vec2, radius: f32) -> Vec<Vec2> {
    let inner = 0.5 * size - Vec2::splat(radius);
    let corners = [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)];
    let mut points = Vec::new();
    for (quarter, (x, y)) in corners.into_iter().enumerate() {
        for part in 0..=6 {
            let angle = (quarter as f32 + part as f32 / 6.0) * core::f32::consts::FRAC_PI_2;
            let round = radius * vec2(libm::cosf(angle), libm::sinf(angle));
            points.push(center + inner * vec2(x, y) + round);
        }
    }
    points
}

/// A star with five points.
pub(crate) fn star(center: Vec2, radius: f32, color: Color) {
    let point = |corner: u32| {
        let angle = corner as f32 * core::f32::consts::PI / 5.0 - core::f32::consts::FRAC_PI_2;
        let reach = if corner.is_multiple_of(2) {
            radius
        } else {
            0.48 * radius
        };
        center + reach * vec2(libm::cosf(angle), libm::sinf(angle))
    };
    let points: Vec<Vec2> = (0..10).map(point).collect();
    // The star is visible from its center: a fan of triangles around it covers it.
    let mut fan = vec![center];
    fan.extend(&points);
    fan.push(points[0]);
    convex(&fan, color);
}
