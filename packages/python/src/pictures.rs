//! Pictures of worlds of bodies and of scenes.

use crate::queries::AnyWorld;
use crate::refuse;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use tombolo_environments::{PICTURE_SIZE_MAX, PictureView, draw_world};
use tombolo_physics::{PhysicsWorld, Vec2};

/// A picture of columns and rows of pixels, around a point with a number of pixels for each meter, or of the whole world:
/// red, green and blue of each pixel, in rows from the top.
#[pyfunction]
#[pyo3(signature = (world, size, center=None, pixels_per_meter=None))]
pub(crate) fn picture<'py>(
    py: Python<'py>,
    world: AnyWorld<'_>,
    size: [usize; 2],
    center: Option<(f32, f32)>,
    pixels_per_meter: Option<f32>,
) -> PyResult<Bound<'py, PyBytes>> {
    if size.iter().any(|&count| !(1..=PICTURE_SIZE_MAX).contains(&count)) {
        return Err(refuse(format!(
            "a picture of {size:?} pixels, expected 1 to {PICTURE_SIZE_MAX} each"
        )));
    }
    if pixels_per_meter.is_some_and(|scale| !scale.is_finite() || scale <= 0.0) {
        return Err(refuse("pixels_per_meter is a positive number"));
    }
    let inside = world.inside();
    let draw = |physics: &PhysicsWorld| {
        let whole = PictureView::around(physics, size);
        let view = PictureView {
            center: center.map_or(whole.center, |(x, y)| Vec2::new(x, y)),
            pixels_per_meter: pixels_per_meter.unwrap_or(whole.pixels_per_meter),
            size,
        };
        draw_world(physics, &view).to_rgb()
    };
    let rgb = py.detach(|| inside.ask_detached(draw));
    Ok(PyBytes::new(py, &rgb))
}
