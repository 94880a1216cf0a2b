//! The picture of a world: fields as tints with arrows, and above them the debug drawing of physics: bodies in the
//! colors of their islands, joints by their kinds. Drawn in memory, without a window or a browser.

mod fields;

use tiny_skia::{Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};
use tombolo::World;
use tombolo::physics::{Aabb, BodyKind, DebugDraw, DrawColor, DrawOptions, PhysicsWorld, Vec2};
use tombolo_session::FieldMarks;

use crate::output::Failure;

/// The largest picture, in pixels.
const SIZE_MAX: Vec2 = Vec2::new(1600.0, 900.0);

/// The least side of a picture, in pixels.
const SIDE_MIN: f32 = 64.0;

/// The greatest share of the moving bodies that counts as outliers on each side, so that one that flew off does not
/// make everything else tiny.
const STRAY_SHARE: f32 = 0.002;

/// The margin around the visible area, in meters.
const MARGIN: f32 = 2.0;

const BACKGROUND: DrawColor = DrawColor::new(0.945, 0.955, 0.965);

/// The width of the borders of shapes and of the lines of joints, in pixels.
const HAIRLINE: f32 = 0.7;
const LINE: f32 = 1.4;

/// Draws the world in its present state, with the zones of its entities if it has any.
///
/// # Errors
/// There is no memory for the picture.
pub(crate) fn draw(world: &PhysicsWorld, entities: Option<&World>) -> Result<Pixmap, Failure> {
    let camera = Camera::fitted_to(world);
    let size = camera.size;
    let mut pixels = Pixmap::new(size.x as u32, size.y as u32).ok_or_else(|| {
        Failure(format!(
            "no memory for a picture of {} × {} pixels",
            size.x, size.y
        ))
    })?;
    pixels.fill(color(BACKGROUND));
    let mut canvas = Canvas { pixels, camera };
    for (_, marks) in FieldMarks::all(world, entities) {
        canvas.field(&marks);
    }
    let options = DrawOptions {
        paths: true,
        bounds: Some(camera.view),
        pixel_m: 1.0 / camera.pixels_per_meter,
        ..DrawOptions::default()
    };
    match entities {
        Some(entities) => entities.draw(&mut canvas, &options),
        None => world.draw(&mut canvas, &options),
    }
    Ok(canvas.pixels)
}

fn color(color: DrawColor) -> Color {
    let [red, green, blue, alpha] = color.to_bytes();
    Color::from_rgba8(red, green, blue, alpha)
}

fn paint(fill: DrawColor) -> Paint<'static> {
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color(color(fill));
    paint
}

/// The visible area of the world, and its scale.
#[derive(Clone, Copy, Debug)]
struct Camera {
    view: Aabb,
    pixels_per_meter: f32,
    /// Width and height in whole pixels.
    size: Vec2,
}

impl Camera {
    /// Shows all bodies that can move; if there are none, all bodies.
    fn fitted_to(world: &PhysicsWorld) -> Self {
        let boxes = |moving: bool| {
            let bodies = world
                .bodies()
                .filter(move |body| !moving || body.kind() != BodyKind::Static);
            let boxes = bodies.filter_map(|body| body.aabb());
            boxes.filter(has_end).collect::<Vec<_>>()
        };
        let moving = boxes(true);
        Self::fitted_to_boxes(&if moving.is_empty() { boxes(false) } else { moving })
    }

    fn fitted_to_boxes(boxes: &[Aabb]) -> Self {
        let [x, y] = [|v: Vec2| v.x, |v: Vec2| v.y].map(|part: fn(Vec2) -> f32| side(boxes, part));
        let view = Aabb::new(Vec2::new(x[0], y[0]), Vec2::new(x[1], y[1])).grown(MARGIN);
        let extent = view.max - view.min;
        let pixels_per_meter = (SIZE_MAX / extent).min_element();
        let size = (extent * pixels_per_meter)
            .round()
            .clamp(Vec2::splat(SIDE_MIN), SIZE_MAX);
        Self {
            view,
            pixels_per_meter,
            size,
        }
    }

    /// Converts a position in the world to one in the picture, whose y points down.
    fn pixel(&self, place: Vec2) -> (f32, f32) {
        let from_corner = (place - self.view.min) * self.pixels_per_meter;
        (from_corner.x, self.size.y - from_corner.y)
    }
}

/// Whether a box is bounded, unlike that of a half-space.
fn has_end(area: &Aabb) -> bool {
    (area.max - area.min).max_element() < 300_000.0
}

/// The range of the boxes along one axis, without outliers: those few that lie farther out than the rest by more than a
/// quarter of the rest's extent.
fn side(boxes: &[Aabb], part: fn(Vec2) -> f32) -> [f32; 2] {
    let sorted = |edge: fn(&Aabb) -> Vec2| {
        let mut edges: Vec<f32> = boxes
            .iter()
            .map(|b| part(edge(b)))
            .filter(|edge| edge.is_finite())
            .collect();
        edges.sort_by(f32::total_cmp);
        edges
    };
    let (lower, upper) = (sorted(|b| b.min), sorted(|b| b.max));
    let (Some(&least), Some(&most)) = (lower.first(), upper.last()) else {
        return [0.0, 0.0];
    };
    let stray_count = (boxes.len() as f32 * STRAY_SHARE) as usize;
    let (rest_least, rest_most) = (lower[stray_count], upper[upper.len() - 1 - stray_count]);
    let reach = 0.25 * (rest_most - rest_least);
    [least.max(rest_least - reach), most.min(rest_most + reach)]
}

struct Canvas {
    pixels: Pixmap,
    camera: Camera,
}

impl Canvas {
    /// Draws a tint over the area of a field, and its marks.
    fn field(&mut self, marks: &FieldMarks) {
        let [tint, line] = fields::paints(marks);
        let stroke = Stroke {
            width: 1.0,
            ..Stroke::default()
        };
        let places = |points: &[[f32; 2]]| points.iter().copied().map(Vec2::from).collect::<Vec<_>>();
        let border = self.path(&places(&marks.border), true);
        let lines = marks.lines.iter();
        let lines: Vec<Path> = lines
            .filter_map(|points| self.path(&places(points), false))
            .collect();
        if let Some(border) = &border {
            let mut area = PathBuilder::new();
            area.push_path(border);
            // The lines of a zone are its holes.
            if marks.kind == "zone" {
                lines.iter().for_each(|hole| area.push_path(hole));
            }
            if let Some(area) = area.finish() {
                self.pixels
                    .fill_path(&area, &tint, FillRule::EvenOdd, Transform::identity(), None);
            }
        }
        let lines: Vec<Path> = border.into_iter().chain(lines).collect();
        for path in &lines {
            self.pixels
                .stroke_path(path, &line, &stroke, Transform::identity(), None);
        }
    }

    /// Draws a line of a width in pixels through positions of the world.
    fn stroke(&mut self, places: &[Vec2], closed: bool, width: f32, color: DrawColor) {
        let stroke = Stroke {
            width,
            line_cap: LineCap::Round,
            ..Stroke::default()
        };
        if let Some(path) = self.path(places, closed) {
            self.pixels
                .stroke_path(&path, &paint(color), &stroke, Transform::identity(), None);
        }
    }

    fn fill(&mut self, path: &Path, color: DrawColor) {
        self.pixels.fill_path(
            path,
            &paint(color),
            FillRule::Winding,
            Transform::identity(),
            None,
        );
    }

    /// A circle in the picture; `None` if it has no extent.
    fn circle_path(&self, center: Vec2, radius_m: f32) -> Option<Path> {
        let (x, y) = self.camera.pixel(center);
        PathBuilder::from_circle(x, y, radius_m * self.camera.pixels_per_meter)
    }

    /// The path through positions of the world; `None` if it has no extent.
    fn path(&self, places: &[Vec2], closed: bool) -> Option<Path> {
        let mut builder = PathBuilder::new();
        for (index, &place) in places.iter().enumerate() {
            let (x, y) = self.camera.pixel(place);
            if index == 0 {
                builder.move_to(x, y);
            } else {
                builder.line_to(x, y);
            }
        }
        if closed {
            builder.close();
        }
        builder.finish()
    }
}

impl DebugDraw for Canvas {
    fn line(&mut self, from: Vec2, to: Vec2, color: DrawColor) {
        self.stroke(&[from, to], false, HAIRLINE, color);
    }

    fn polyline(&mut self, points: &[Vec2], color: DrawColor) {
        self.stroke(points, false, LINE, color);
    }

    fn polygon(&mut self, corners: &[Vec2], filled: bool, color: DrawColor) {
        // A sensor is not filled: its edge shows its position.
        if let Some(path) = self.path(corners, true).filter(|_| filled) {
            self.fill(&path, color);
        }
        self.stroke(corners, true, HAIRLINE, color.darker());
    }

    fn circle(&mut self, center: Vec2, radius_m: f32, filled: bool, color: DrawColor) {
        let Some(circle) = self.circle_path(center, radius_m) else {
            return;
        };
        if filled {
            self.fill(&circle, color);
        }
        let stroke = Stroke {
            width: HAIRLINE,
            ..Stroke::default()
        };
        let edge = paint(color.darker());
        self.pixels
            .stroke_path(&circle, &edge, &stroke, Transform::identity(), None);
    }

    fn dot(&mut self, at: Vec2, size_m: f32, color: DrawColor) {
        if let Some(dot) = self.circle_path(at, 0.5 * size_m) {
            self.fill(&dot, color);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strays_hardly_move_the_camera() {
        let cell = |x: f32| Aabb::new(Vec2::new(x, 0.0), Vec2::new(x + 1.0, 1.0));
        let mut boxes: Vec<Aabb> = (0..999).map(|i| cell((i % 100) as f32)).collect();
        let without = Camera::fitted_to_boxes(&boxes);
        boxes.push(cell(1.0e6));
        let with = Camera::fitted_to_boxes(&boxes);
        let all_but_the_stray = Vec2::new(100.0, 1.0) + Vec2::splat(MARGIN);
        assert_eq!(without.view, Aabb::new(Vec2::splat(-MARGIN), all_but_the_stray));
        assert_eq!(with.view.min, without.view.min);
        assert_eq!(
            with.view.max,
            all_but_the_stray + Vec2::new(25.0, 0.0),
            "a quarter more, not 1000 km"
        );
    }

    #[test]
    fn a_world_without_bodies_has_a_picture_too() {
        let camera = Camera::fitted_to_boxes(&[]);
        assert!(
            camera.size.x >= SIDE_MIN && camera.size.y >= SIDE_MIN,
            "{camera:?}"
        );
        assert!(camera.pixels_per_meter.is_finite());
    }
}
