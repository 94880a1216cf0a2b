//! The shapes of the tiles of a layer, and the entities that they become.

use crate::builder::{Builder, Thing};
use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point};
use crate::limits::CORNERS_MAX;
use crate::merge::Rectangles;
use crate::scale::Scale;
use crate::settings::Setting;

/// How many shapes an entity has at most; what has more becomes several.
const SHAPES_OF_ENTITY: usize = 512;

/// Rectangles, which are joined, and whatever else there is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    rectangles: Rectangles,
    others: Vec<Figure>,
    /// Corners of the others.
    corners: usize,
}

impl Shapes {
    /// # Errors
    /// There are too many.
    pub(crate) fn add(&mut self, figure: Figure, origin: &Origin) -> Result<(), MapError> {
        if let Some(rectangle) = figure.as_rectangle() {
            return self.rectangles.add(rectangle, origin);
        }
        self.corners += figure.corner_count();
        if self.corners > CORNERS_MAX {
            let message = format!("its tiles' shapes have more than {CORNERS_MAX} corners; divide the map");
            return Err(origin.refuse(message));
        }
        self.others.push(figure);
        Ok(())
    }
}

/// Adds shapes in pixels as entities of a class with properties.
///
/// # Errors
/// As [`Builder::add`].
pub(crate) fn add_shapes(
    builder: &mut Builder,
    shapes: Shapes,
    scale: &Scale,
    offset: Point,
    origin: &Origin,
    (class, settings): (&str, &[Setting]),
) -> Result<(), MapError> {
    if !builder.takes_shapes(class) {
        return Ok(());
    }
    let rectangles = shapes.rectangles.merged().into_iter();
    let rectangles =
        rectangles.map(|[left, top, right, bottom]| Figure::rectangle([left, top], [right, bottom]));
    let figures: Vec<Figure> = rectangles
        .chain(shapes.others)
        .map(|figure| scale.figure(&figure.moved(|[x, y]| [x + offset[0], y + offset[1]], 1.0)))
        .collect();
    for part in figures.chunks(SHAPES_OF_ENTITY) {
        builder.add(Thing {
            origin: origin.clone(),
            key: None,
            name: String::new(),
            fallback: origin.layer_name().to_string(),
            class: class.to_string(),
            at: [0.0, 0.0],
            angle: 0.0,
            figures: part.to_vec(),
            one_sided: false,
            settings: settings.to_vec(),
        })?;
    }
    Ok(())
}
