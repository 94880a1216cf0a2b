//! The shapes of a layer's tiles, and the entities that they become.

use crate::builder::{Builder, Thing};
use crate::cells::{CellFrame, Cells};
use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point};
use crate::limits::CORNERS_MAX;
use crate::merge::Rectangles;
use crate::names::short;
use crate::picture::PlacedCell;
use crate::prototypes::DRAWN;
use crate::scale::Scale;
use crate::settings::Setting;

/// The greatest number of shapes of an entity; with more it becomes several entities.
const SHAPES_OF_ENTITY: usize = 512;

/// Merged rectangles, and all other figures.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shapes {
    rectangles: Rectangles,
    others: Vec<Figure>,
    /// The number of corners of the others.
    corners: usize,
    /// The shapes that are cells of a grid, where that may become a component of its own.
    pub(crate) cells: Option<Cells>,
}

/// Whether the tiles of a class with these properties may become `Tiles`: no prototype defines them, and no property
/// is about shapes.
pub(crate) fn may_be_tiles(class: &str, settings: &[Setting]) -> bool {
    class.is_empty() && settings.iter().all(|setting| *setting.component != *DRAWN)
}

impl Shapes {
    /// No shapes yet; with a grid for those that are cells of one.
    pub(crate) fn with_cells(cells: Option<Cells>) -> Self {
        Self {
            cells,
            ..Self::default()
        }
    }

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

/// The cells of a component `Tiles`, with the thing that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCells {
    thing: usize,
    frame: CellFrame,
}

impl PlacedCells {
    /// The cell of the grid that a cell of the map became.
    pub(crate) fn cell(&self, in_map: [i64; 2]) -> PlacedCell {
        PlacedCell {
            thing: self.thing,
            at: self.frame.cell(in_map),
        }
    }
}

/// Adds shapes in pixels as entities of a class with properties. Returns what became of their cells; `None` if they have
/// none, or these became no grid.
///
/// # Errors
/// Those of [`Builder::add`].
pub(crate) fn add_shapes(
    builder: &mut Builder,
    shapes: Shapes,
    scale: &Scale,
    offset: Point,
    origin: &Origin,
    (class, settings): (&str, &[Setting]),
) -> Result<Option<PlacedCells>, MapError> {
    if !builder.takes_shapes(class) {
        return Ok(None);
    }
    let mut shapes = shapes;
    let thing = |figures: Vec<Figure>, tiles: Vec<(String, String)>| Thing {
        origin: origin.clone(),
        key: None,
        name: String::new(),
        fallback: short(origin.layer_name()).to_string(),
        class: class.to_string(),
        at: [0.0, 0.0],
        angle: 0.0,
        figures,
        tiles,
        one_sided: false,
        settings: settings.to_vec(),
    };
    let mut placed = None;
    if let Some(mut cells) = shapes.cells.take().filter(|cells| !cells.is_empty()) {
        match cells.fields(scale, offset) {
            Some((fields, frame)) => {
                builder.add(thing(Vec::new(), fields))?;
                placed = builder.last_thing().map(|thing| PlacedCells { thing, frame });
            }
            None => {
                for figure in cells.figures() {
                    shapes.add(figure, origin)?;
                }
            }
        }
    }
    let rectangles = shapes.rectangles.merged().into_iter();
    let rectangles =
        rectangles.map(|[left, top, right, bottom]| Figure::rectangle([left, top], [right, bottom]));
    let figures: Vec<Figure> = rectangles
        .chain(shapes.others)
        .map(|figure| scale.figure(&figure.moved(|[x, y]| [x + offset[0], y + offset[1]], 1.0)))
        .collect();
    for part in figures.chunks(SHAPES_OF_ENTITY) {
        builder.add(thing(part.to_vec(), Vec::new()))?;
    }
    Ok(placed)
}
