//! The paints of fields in the picture: a tint for their area, and a line for their marks.

use tiny_skia::Paint;

use tombolo_session::FieldMarks;

/// The colors of wind, fluid, gravity and zones, as red, green and blue.
const WIND: [u8; 3] = [60, 150, 150];
const FLUID: [u8; 3] = [40, 110, 200];
const GRAVITY: [u8; 3] = [130, 80, 180];
const ZONE: [u8; 3] = [170, 120, 20];

/// The opacity of a field over the bodies below it, of 255: of its area, and of its lines.
const AREA_ALPHA: u8 = 44;
const LINE_ALPHA: u8 = 150;

/// The paints of a field's area and of its lines.
pub(super) fn paints(marks: &FieldMarks) -> [Paint<'static>; 2] {
    let [red, green, blue] = match marks.kind {
        "wind" => WIND,
        "fluid" => FLUID,
        "zone" => ZONE,
        _ => GRAVITY,
    };
    [AREA_ALPHA, LINE_ALPHA].map(|alpha| {
        let mut paint = Paint {
            anti_alias: true,
            ..Paint::default()
        };
        paint.set_color_rgba8(red, green, blue, alpha);
        paint
    })
}
