//! Conversion from the pixels of a map, whose y axis points down, to meters.

use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point};

/// The range of the number of pixels in a meter.
const PIXELS_PER_METER: std::ops::RangeInclusive<f64> = 0.001..=1e6;

/// The scale of a map, and the direction of its y axis in the world.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pixels_per_meter: f64,
    y_down: bool,
}

impl Scale {
    /// # Errors
    /// The number of pixels is out of range.
    pub(crate) fn new(pixels_per_meter: f64, y_down: bool, origin: &Origin) -> Result<Self, MapError> {
        if !PIXELS_PER_METER.contains(&pixels_per_meter) {
            let message = format!(
                "pixels_per_meter is {pixels_per_meter}; give {} to {}",
                PIXELS_PER_METER.start(),
                PIXELS_PER_METER.end()
            );
            return Err(origin.refuse(message));
        }
        Ok(Self {
            pixels_per_meter,
            y_down,
        })
    }

    /// Whether the world's y axis points down like the map's.
    pub(crate) fn y_down(&self) -> bool {
        self.y_down
    }

    /// A point of the map in the world.
    pub(crate) fn point(&self, [x, y]: Point) -> Point {
        let y = if self.y_down { y } else { -y };
        // Adding 0 makes -0 to 0.
        [x / self.pixels_per_meter + 0.0, y / self.pixels_per_meter + 0.0]
    }

    /// A figure of the map in the world.
    pub(crate) fn figure(&self, figure: &Figure) -> Figure {
        match figure {
            Figure::Ellipse { center, radii } => Figure::Ellipse {
                center: self.point(*center),
                radii: radii.map(|radius| radius / self.pixels_per_meter),
            },
            other => other.moved(|point| self.point(point), 1.0 / self.pixels_per_meter),
        }
    }

    /// An angle in degrees, clockwise on the screen, in radians of the world.
    pub(crate) fn angle(&self, degrees: f64) -> f64 {
        let radians = degrees.to_radians();
        if self.y_down { radians } else { 0.0 - radians }
    }
}
