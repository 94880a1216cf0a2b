//! Pictures of any world: [`draw_world`] fills its shapes and draws its joints, seen through a [`PictureView`].

use crate::picture::{Color, Picture};
use tombolo_physics::{Aabb, DebugDraw, DrawColor, DrawOptions, PhysicsWorld, ShapeKind, Vec2};

/// The pixels that are drawn for a pixel of the result, in each direction: edges are smooth.
const FINE: usize = 3;
/// The greatest width or height of a picture, in pixels.
pub const PICTURE_SIZE_MAX: usize = 4096;
/// The background.
const PAPER: Color = Color::new(250, 250, 248);
/// The width of lines, in pixels of the result.
const LINE_PIXELS: f64 = 1.5;
/// The part of the view's size that stays empty around a world that is all in view.
const MARGIN: f32 = 0.05;

/// The part of a world that a picture shows, and its size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureView {
    /// The point in the middle of the picture, in meters.
    pub center: Vec2,
    /// The pixels of a meter; a positive number.
    pub pixels_per_meter: f32,
    /// Columns and rows of pixels, each at most [`PICTURE_SIZE_MAX`]; more are cut off.
    pub size: [usize; 2],
}

impl PictureView {
    /// A view of all shapes of a world with a margin around them. Half-spaces, which have no end, are left out; a world
    /// without other shapes is seen two meters wide around the point of its first half-space, or around the origin.
    pub fn around(world: &PhysicsWorld, size: [usize; 2]) -> Self {
        let shapes = world.bodies().flat_map(|body| {
            let pose = body.pose();
            body.shapes().filter_map(move |shape| {
                let geometry = shape.geometry();
                (geometry.kind() != ShapeKind::HalfSpace).then(|| geometry.aabb(pose))
            })
        });
        let area = shapes.reduce(Aabb::union).unwrap_or_else(|| {
            let middle = half_space_points(world).next().unwrap_or(Vec2::ZERO);
            Aabb::new(middle - Vec2::splat(1.0), middle + Vec2::splat(1.0))
        });
        let extent = (area.max - area.min).max(Vec2::splat(1.0e-3)) * (1.0 + 2.0 * MARGIN);
        let [columns, rows] = size.map(|count| count as f32);
        Self {
            center: area.center(),
            pixels_per_meter: (columns / extent.x).min(rows / extent.y),
            size,
        }
    }
}

/// A point on the line of each half-space, in meters.
fn half_space_points(world: &PhysicsWorld) -> impl Iterator<Item = Vec2> {
    world.bodies().flat_map(|body| {
        let pose = body.pose();
        body.shapes().filter_map(move |shape| {
            let [point, _] = shape.geometry().line_and_normal()?;
            Some(pose.transform_point(point))
        })
    })
}

/// A canvas of fine pixels, onto which a world is drawn.
struct Canvas {
    picture: Picture,
    /// The upper left corner, in meters.
    corner: [f64; 2],
    /// The fine pixels of a meter.
    scale: f64,
}

impl Canvas {
    fn pixel(&self, point: Vec2) -> [f64; 2] {
        let [x, y] = [f64::from(point.x), f64::from(point.y)];
        [
            (x - self.corner[0]) * self.scale,
            (self.corner[1] - y) * self.scale,
        ]
    }

    fn stroke(&mut self, from: [f64; 2], to: [f64; 2], color: DrawColor) {
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let length = libm::sqrt(dx * dx + dy * dy);
        if length.is_nan() || length < 1.0e-9 {
            return;
        }
        let half = 0.5 * LINE_PIXELS * FINE as f64 / length;
        let [side_x, side_y] = [-dy * half, dx * half];
        let corners = [
            [from[0] + side_x, from[1] + side_y],
            [to[0] + side_x, to[1] + side_y],
            [to[0] - side_x, to[1] - side_y],
            [from[0] - side_x, from[1] - side_y],
        ];
        self.picture.fill(&corners, color_of(color));
    }
}

fn color_of(color: DrawColor) -> Color {
    let [red, green, blue, _] = color.to_bytes();
    Color::new(red, green, blue)
}

impl DebugDraw for Canvas {
    fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor) {
        let [from, to] = [from, to].map(|point| self.pixel(point));
        self.stroke(from, to, color);
    }

    fn polygon(&mut self, corners: &[Vec2], filled: bool, color: DrawColor) {
        let pixels: Vec<[f64; 2]> = corners.iter().map(|&corner| self.pixel(corner)).collect();
        if let ([first, rest @ ..], true) = (&pixels[..], filled) {
            // A fan of pieces with up to eight corners: a polygon may have more, and neighbors share no pixel.
            for start in (0..rest.len().saturating_sub(1)).step_by(6) {
                let end = (start + 7).min(rest.len());
                let piece: Vec<[f64; 2]> = [*first]
                    .into_iter()
                    .chain(rest[start..end].iter().copied())
                    .collect();
                self.picture.fill(&piece, color_of(color));
            }
        }
        let border = if filled { color.darker() } else { color };
        for (place, &from) in pixels.iter().enumerate() {
            self.stroke(from, pixels[(place + 1) % pixels.len()], border);
        }
    }

    fn dot(&mut self, at: Vec2, size_m: f32, color: DrawColor) {
        let ([x, y], half) = (self.pixel(at), 0.5 * f64::from(size_m) * self.scale);
        let corners = [[x, y - half], [x + half, y], [x, y + half], [x - half, y]];
        self.picture.fill(&corners, color_of(color));
    }
}

/// Draws the shapes and joints of a world. A view that is not finite gives an empty picture. Costs all objects of the
/// world and the pixels.
pub fn draw_world(world: &PhysicsWorld, view: &PictureView) -> Picture {
    let [columns, rows] = view.size.map(|count| count.min(PICTURE_SIZE_MAX));
    let fine = Picture::new(columns * FINE, rows * FINE, PAPER);
    let reach = Vec2::new(columns as f32, rows as f32) / (2.0 * view.pixels_per_meter);
    let area = Aabb::new(view.center - reach, view.center + reach);
    let mut canvas = Canvas {
        picture: fine,
        corner: [f64::from(area.min.x), f64::from(area.max.y)],
        scale: f64::from(view.pixels_per_meter) * FINE as f64,
    };
    let is_view = area.min.is_finite() && area.max.is_finite() && view.pixels_per_meter > 0.0;
    if is_view {
        let options = DrawOptions {
            islands: false,
            bounds: Some(area),
            pixel_m: 1.0 / view.pixels_per_meter,
            ..DrawOptions::default()
        };
        world.draw(&mut canvas, &options);
    }
    canvas.picture.reduced(FINE)
}
