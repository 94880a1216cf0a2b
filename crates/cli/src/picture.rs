//! The picture of a world: fields as tints with arrows, bodies in the colors of their islands, sleeping ones gray, static bodies dark, joints as what
//! they do, the redder the harder they are strained. Drawn in memory, without a window or a browser.

mod fields;
mod joints;

use tiny_skia::{Color, FillRule, LineCap, Paint, Path, PathBuilder, Pixmap, Stroke, Transform};
use tombolo::World;
use tombolo::physics::{Aabb, BodyKind, BodyRef, PhysicsWorld, Pose, ShapeRef, Vec2};

use crate::border::rounded_border;
use crate::field_marks::FieldMarks;
use crate::joint_marks::{STRAINS, Tie};
use crate::output::Failure;

/// The largest picture, in pixels.
const SIZE_MAX: Vec2 = Vec2::new(1600.0, 900.0);

/// The least side of a picture, in pixels.
const SIDE_MIN: f32 = 64.0;

/// At most this share of the moving bodies counts as strays on each side, so that one that flew off does not make all
/// else tiny.
const STRAY_SHARE: f32 = 0.002;

/// Free room around what is in sight, in meters.
const MARGIN: f32 = 2.0;

const BACKGROUND: [f32; 3] = [0.945, 0.955, 0.965];
const STATIC: [f32; 3] = [0.30, 0.34, 0.40];
const SLEEPING: [f32; 3] = [0.72, 0.74, 0.76];
/// Kinematic bodies belong to no island.
const KINEMATIC: [f32; 3] = [0.15, 0.15, 0.17];
/// A joint that bears nothing, one that bears some, and one that bears all that it can.
const STRAIN: [[f32; 3]; 3] = [[0.20, 0.16, 0.42], [0.93, 0.55, 0.05], [0.85, 0.05, 0.10]];

/// Draws the world as it is, with the zones of its entities if it has any.
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
    for kind in [BodyKind::Static, BodyKind::Kinematic, BodyKind::Dynamic] {
        for body in world.bodies().filter(|body| body.kind() == kind) {
            let fill = body_color(&body);
            for shape in body.shapes() {
                canvas.shape(&shape, body.pose(), fill);
            }
        }
    }
    for joint in Tie::all(world) {
        canvas.joint(&joint);
    }
    Ok(canvas.pixels)
}

fn color([red, green, blue]: [f32; 3]) -> Color {
    Color::from_rgba(red, green, blue, 1.0).unwrap_or(Color::BLACK)
}

fn paint(fill: [f32; 3]) -> Paint<'static> {
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color(color(fill));
    paint
}

fn darker(fill: [f32; 3]) -> [f32; 3] {
    fill.map(|part| 0.6 * part)
}

fn body_color(body: &BodyRef<'_>) -> [f32; 3] {
    match body.kind() {
        BodyKind::Static => STATIC,
        BodyKind::Kinematic => KINEMATIC,
        BodyKind::Dynamic if !body.is_awake() => SLEEPING,
        BodyKind::Dynamic => body.island().map_or(SLEEPING, island_color),
    }
}

/// The color of a joint's strain.
fn joint_color(strain: u8) -> [f32; 3] {
    let place = 2.0 * f32::from(strain) / f32::from(STRAINS - 1);
    let [low, high] = if place < 1.0 { [0, 1] } else { [1, 2] };
    let share = place - low as f32;
    core::array::from_fn(|part| STRAIN[low][part] + share * (STRAIN[high][part] - STRAIN[low][part]))
}

/// Colors of neighboring island numbers lie far apart on the wheel: each is a golden section further.
fn island_color(island: u32) -> [f32; 3] {
    const GOLDEN_SECTION: f64 = 0.618_033_988_749_895;
    let hue = (f64::from(island) * GOLDEN_SECTION).fract() as f32;
    let lightness = if island.is_multiple_of(2) { 0.58 } else { 0.46 };
    from_hue(hue, 0.62, lightness)
}

/// A color of the wheel: hue from 0 to 1, saturation and lightness as in CSS Color Module Level 3.
fn from_hue(hue: f32, saturation: f32, lightness: f32) -> [f32; 3] {
    let chroma = saturation * lightness.min(1.0 - lightness);
    [0.0, 8.0, 4.0].map(|offset| {
        let k = (offset + 12.0 * hue) % 12.0;
        lightness - chroma * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0)
    })
}

/// What part of the world is in sight, and how large.
#[derive(Clone, Copy, Debug)]
struct Camera {
    view: Aabb,
    pixels_per_meter: f32,
    /// Whole pixels.
    size: Vec2,
}

impl Camera {
    /// Shows what moves; if nothing does, what there is.
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

    /// A place in the world as a place in the picture, whose y points down.
    fn pixel(&self, place: Vec2) -> (f32, f32) {
        let from_corner = (place - self.view.min) * self.pixels_per_meter;
        (from_corner.x, self.size.y - from_corner.y)
    }
}

/// Whether it is no half-space's box.
fn has_end(area: &Aabb) -> bool {
    (area.max - area.min).max_element() < 300_000.0
}

/// From where to where the boxes reach along one axis, without strays: those few that lie farther out than the rest by
/// more than a quarter of the rest's extent.
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
    fn shape(&mut self, shape: &ShapeRef<'_>, pose: Pose, fill: [f32; 3]) {
        let view = self.camera.view;
        let middle = pose.inverse_transform_point(view.center());
        // Of a half-space what is in sight.
        let geometry = &shape.geometry().near(middle, (view.max - view.min).length());
        let points: Vec<Vec2> = rounded_border(geometry)
            .iter()
            .map(|&point| pose.transform_point(point))
            .collect();
        let hairline = Stroke {
            width: 0.7,
            ..Stroke::default()
        };
        if let Some(path) = self.path(&points, true) {
            // A sensor is air: its edge shows where it is.
            if !shape.is_sensor() {
                self.pixels.fill_path(
                    &path,
                    &paint(fill),
                    FillRule::Winding,
                    Transform::identity(),
                    None,
                );
            }
            self.pixels.stroke_path(
                &path,
                &paint(darker(fill)),
                &hairline,
                Transform::identity(),
                None,
            );
        }
        if let [center] = geometry.vertices() {
            // A radius shows how a circle is turned.
            let rim = *center + Vec2::new(geometry.radius(), 0.0);
            let spoke = [*center, rim].map(|point| pose.transform_point(point));
            if let Some(path) = self.path(&spoke, false) {
                self.pixels.stroke_path(
                    &path,
                    &paint(darker(fill)),
                    &hairline,
                    Transform::identity(),
                    None,
                );
            }
        }
    }

    /// A tint where a field acts, and its marks.
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

    fn joint(&mut self, joint: &Tie<'_>) {
        let paint = paint(joint_color(joint.strain()));
        let sketch = joints::sketch(joint, 1.0 / self.camera.pixels_per_meter);
        let stroke = Stroke {
            width: 1.4,
            line_cap: LineCap::Round,
            ..Stroke::default()
        };
        for line in &sketch.lines {
            if let Some(path) = self.path(line, false) {
                self.pixels
                    .stroke_path(&path, &paint, &stroke, Transform::identity(), None);
            }
        }
        for pin in sketch.pins {
            let (x, y) = self.camera.pixel(pin);
            if let Some(dot) = PathBuilder::from_circle(x, y, joints::PIN) {
                self.pixels
                    .fill_path(&dot, &paint, FillRule::Winding, Transform::identity(), None);
            }
        }
    }

    /// A line through places of the world; `None` if it has no extent.
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

    #[test]
    fn neighboring_islands_differ() {
        let distance = |a: [f32; 3], b: [f32; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).sum::<f32>();
        assert!((0..100).all(|island| distance(island_color(island), island_color(island + 1)) > 0.2));
        assert_eq!(from_hue(0.0, 1.0, 0.5), [1.0, 0.0, 0.0]);
        assert_eq!(from_hue(1.0 / 3.0, 1.0, 0.5), [0.0, 1.0, 0.0]);
    }
}
