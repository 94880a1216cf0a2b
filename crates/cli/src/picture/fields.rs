//! Fields in the picture: a tint where they act, and what their marks show.

use tiny_skia::{FillRule, Paint, Stroke, Transform};
use tombolo::physics::{PhysicsWorld, Vec2};

use super::Canvas;
use crate::field_marks::FieldMarks;

/// Red, green and blue of wind, fluid and gravity.
const WIND: [u8; 3] = [60, 150, 150];
const FLUID: [u8; 3] = [40, 110, 200];
const GRAVITY: [u8; 3] = [130, 80, 180];

/// How much of what lies under a field is hidden, of 255: by its area, and by its lines.
const AREA_ALPHA: u8 = 44;
const LINE_ALPHA: u8 = 150;

/// Draws all fields that have a place.
pub(super) fn draw(world: &PhysicsWorld, canvas: &mut Canvas) {
    for def in world.fields().filter_map(|id| world.field(id)) {
        if let Some(marks) = FieldMarks::of(&def) {
            canvas.field(&marks);
        }
    }
}

fn paint([red, green, blue]: [u8; 3], alpha: u8) -> Paint<'static> {
    let mut paint = Paint {
        anti_alias: true,
        ..Paint::default()
    };
    paint.set_color_rgba8(red, green, blue, alpha);
    paint
}

impl Canvas {
    fn field(&mut self, marks: &FieldMarks) {
        let color = match marks.kind {
            "wind" => WIND,
            "fluid" => FLUID,
            _ => GRAVITY,
        };
        let line = paint(color, LINE_ALPHA);
        let stroke = Stroke {
            width: 1.0,
            ..Stroke::default()
        };
        let places = |points: &[[f32; 2]]| points.iter().copied().map(Vec2::from).collect::<Vec<_>>();
        if let Some(path) = self.path(&places(&marks.border), true) {
            let tint = paint(color, AREA_ALPHA);
            self.pixels
                .fill_path(&path, &tint, FillRule::Winding, Transform::identity(), None);
            self.pixels
                .stroke_path(&path, &line, &stroke, Transform::identity(), None);
        }
        for points in &marks.lines {
            if let Some(path) = self.path(&places(points), false) {
                self.pixels
                    .stroke_path(&path, &line, &stroke, Transform::identity(), None);
            }
        }
    }
}
