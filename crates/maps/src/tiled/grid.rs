//! The positions of a map's cells on the screen, for each of Tiled's orientations.

use super::model::Map;
use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point};

/// The grid of a map's cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    orientation: Orientation,
    /// The width and height of a cell in pixels.
    pub(super) cell: Point,
    /// The map's height in cells.
    rows: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Orientation {
    Orthogonal,
    Isometric,
    /// A point is shifted along each axis by a share of its other coordinate.
    Oblique {
        shear: Point,
    },
    /// Hexagonal, and staggered, which is hexagonal with sides of length zero.
    Hexagonal(Hexagons),
}

/// A grid of hexagons with two sides parallel to an axis; the cells of a staggered map have no such sides.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Hexagons {
    /// Whether columns are shifted, and not rows.
    along_x: bool,
    /// Whether the shifted ones are those with even numbers.
    even: bool,
    /// Whether tiles are rotated by sixths of a turn.
    turns: bool,
    /// The distance from a hexagon's tip to the nearer ends of its sides along the axis, in pixels.
    slant: f64,
    /// The distance from one column, or row, to the next.
    pitch: f64,
}

impl Hexagons {
    /// The hexagons of a map, and the size of their cells. The editor draws in whole pixels: cells have even widths and
    /// heights, and what remains beside a side of odd length is rounded down.
    ///
    /// # Errors
    /// A cell has no size, or a side is longer than the cell.
    fn of(map: &Map, side: u32, turns: bool, origin: &Origin) -> Result<(Self, Point), MapError> {
        let [width, height] = [map.tilewidth, map.tileheight].map(|side| side & !1);
        let along_x = map.staggeraxis == "x";
        let length = if along_x { width } else { height };
        if width == 0 || height == 0 {
            return Err(
                origin.refuse("tilewidth and tileheight must be 2 or more in a map of this orientation")
            );
        }
        let Some(rest) = length.checked_sub(side) else {
            let message = format!("hexsidelength is {side}, and a cell only {length}; give {length} or less");
            return Err(origin.refuse(message));
        };
        let hexagons = Self {
            along_x,
            even: map.staggerindex == "even",
            turns,
            slant: f64::from(rest / 2),
            pitch: f64::from(rest / 2 + side),
        };
        Ok((hexagons, [width, height].map(f64::from)))
    }

    /// The top left corner of the box of a cell.
    fn corner(&self, column: i64, row: i64, [width, height]: Point) -> Point {
        let index = if self.along_x { column } else { row };
        let is_shifted = (index.rem_euclid(2) == 0) == self.even;
        let shift = if is_shifted { 0.5 } else { 0.0 };
        let (x, y) = (column as f64, row as f64);
        if self.along_x {
            [x * self.pitch, (y + shift) * height]
        } else {
            [(x + shift) * width, y * self.pitch]
        }
    }

    /// The outline of a full cell in its box.
    fn outline(&self, [width, height]: Point) -> Vec<Point> {
        let (along, across) = if self.along_x {
            (width, height)
        } else {
            (height, width)
        };
        let middle = across / 2.0;
        let far = along - self.slant;
        let tips = [[0.0, middle], [along, middle]];
        let outline = if self.slant == far {
            vec![tips[0], [far, 0.0], tips[1], [far, across]]
        } else {
            let near = self.slant;
            vec![
                tips[0],
                [near, 0.0],
                [far, 0.0],
                tips[1],
                [far, across],
                [near, across],
            ]
        };
        let place = |[along, across]: Point| {
            if self.along_x {
                [along, across]
            } else {
                [across, along]
            }
        };
        outline.into_iter().map(place).collect()
    }
}

impl Grid {
    /// # Errors
    /// The orientation is unknown, or a cell has no size.
    pub(super) fn of(map: &Map, origin: &Origin) -> Result<Self, MapError> {
        if map.tilewidth == 0 || map.tileheight == 0 {
            return Err(origin.refuse("tilewidth and tileheight must be more than 0"));
        }
        let whole = [map.tilewidth, map.tileheight].map(f64::from);
        let hexagonal = |side: u32, turns: bool| {
            Hexagons::of(map, side, turns, origin)
                .map(|(hexagons, cell)| (Orientation::Hexagonal(hexagons), cell))
        };
        let (orientation, cell) = match map.orientation.as_str() {
            "orthogonal" => (Orientation::Orthogonal, whole),
            "isometric" => (Orientation::Isometric, whole),
            "oblique" => (oblique(map, whole, origin)?, whole),
            "staggered" => hexagonal(0, false)?,
            "hexagonal" => hexagonal(map.hexsidelength, true)?,
            other => {
                let known = "orthogonal, isometric, staggered, hexagonal and oblique maps are read";
                return Err(origin.refuse(format!("orientation {other:?} is not read; {known}")));
            }
        };
        Ok(Self {
            orientation,
            cell,
            rows: f64::from(map.height),
        })
    }

    /// Whether rows and columns are parallel to the axes.
    pub(super) fn is_orthogonal(&self) -> bool {
        self.orientation == Orientation::Orthogonal
    }

    /// Whether tiles are rotated by sixths of a turn.
    pub(super) fn is_hexagonal(&self) -> bool {
        matches!(self.orientation, Orientation::Hexagonal(hexagons) if hexagons.turns)
    }

    /// Whether tile objects are anchored at the middle of their lower edge unless their tileset says otherwise.
    pub(super) fn is_isometric(&self) -> bool {
        self.orientation == Orientation::Isometric
    }

    /// Whether the axes of objects are not parallel to those of the screen.
    pub(super) fn is_skewed(&self) -> bool {
        matches!(
            self.orientation,
            Orientation::Isometric | Orientation::Oblique { .. }
        )
    }

    /// The top left corner of the box of a cell. Pictures lie at the box's lower left corner.
    pub(super) fn corner(&self, column: i64, row: i64) -> Point {
        let [width, height] = self.cell;
        let (x, y) = (column as f64, row as f64);
        match self.orientation {
            Orientation::Orthogonal => [x * width, y * height],
            Orientation::Isometric => {
                let [x, y] = self.isometric([x, y]);
                [x - libm::floor(width / 2.0), y]
            }
            Orientation::Oblique { .. } => {
                let [x, y] = self.screen([x * width, (y + 1.0) * height]);
                [x, y - height]
            }
            Orientation::Hexagonal(hexagons) => hexagons.corner(column, row, self.cell),
        }
    }

    /// A point between cells, in cells, on the screen of an isometric map.
    fn isometric(&self, [x, y]: Point) -> Point {
        let [width, height] = self.cell;
        let origin = libm::floor(self.rows * width / 2.0);
        [(x - y) * width / 2.0 + origin, (x + y) * height / 2.0]
    }

    /// A point of an object on the screen: in isometric maps their axes are skewed, in units of a tile's height, and in
    /// oblique ones in pixels.
    pub(super) fn screen(&self, [x, y]: Point) -> Point {
        match self.orientation {
            Orientation::Isometric => self.isometric([x / self.cell[1], y / self.cell[1]]),
            Orientation::Oblique { shear } => [x + shear[0] * y, y + shear[1] * x],
            _ => [x, y],
        }
    }

    /// The outline of a full cell in its box.
    pub(super) fn outline(&self) -> Figure {
        let [width, height] = self.cell;
        let (x, y) = (width / 2.0, height / 2.0);
        match self.orientation {
            Orientation::Orthogonal => Figure::rectangle([0.0, 0.0], self.cell),
            Orientation::Isometric => Figure::Outline(vec![[x, 0.0], [width, y], [x, height], [0.0, y]]),
            Orientation::Oblique { .. } => {
                let place = |[x, y]: Point| {
                    let [x, y] = self.screen([x, y - height]);
                    [x, y + height]
                };
                Figure::rectangle([0.0, 0.0], self.cell).moved(place, 1.0)
            }
            Orientation::Hexagonal(hexagons) => Figure::Outline(hexagons.outline(self.cell)),
        }
    }
}

/// The orientation of an oblique map, whose columns and rows are shifted by so many pixels a row and a column.
///
/// # Errors
/// The shifts leave cells no area.
fn oblique(map: &Map, [width, height]: Point, origin: &Origin) -> Result<Orientation, MapError> {
    let shear = [map.skewx / height, map.skewy / width];
    if shear == [0.0, 0.0] {
        return Ok(Orientation::Orthogonal);
    }
    let share = 1.0 - shear[0] * shear[1];
    if !share.is_finite() || share == 0.0 {
        let message = format!(
            "skewx of {} and skewy of {} leave the cells no area; give others",
            map.skewx, map.skewy
        );
        return Err(origin.refuse(message));
    }
    Ok(Orientation::Oblique { shear })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(orientation: &str, hexsidelength: u32) -> Grid {
        let map = Map {
            orientation: orientation.to_string(),
            tilewidth: 20,
            tileheight: 10,
            height: 4,
            hexsidelength,
            ..Map::default()
        };
        Grid::of(&map, &Origin::file("test")).unwrap()
    }

    #[test]
    fn cells_lie_where_the_editor_draws_them() {
        assert_eq!(grid("orthogonal", 0).corner(3, -2), [60.0, -20.0]);
        let isometric = grid("isometric", 0);
        assert_eq!(isometric.corner(0, 0), [30.0, 0.0]);
        assert_eq!(isometric.corner(1, 0), [40.0, 5.0]);
        assert_eq!(isometric.corner(0, 1), [20.0, 5.0]);
        // The corner of a tile is the position of an object at it.
        assert_eq!(isometric.screen([10.0, 0.0]), [50.0, 5.0]);
        let staggered = grid("staggered", 0);
        assert_eq!(staggered.corner(1, 0), [20.0, 0.0]);
        assert_eq!(staggered.corner(1, 1), [30.0, 5.0]);
        assert_eq!(staggered.corner(1, -1), [30.0, -5.0]);
        assert_eq!(grid("hexagonal", 4).corner(0, 2), [0.0, 14.0]);
    }

    /// Numbers of the editor's own drawing: its cells are even, and their rows whole pixels apart.
    #[test]
    fn cells_of_odd_sizes_lie_on_whole_pixels() {
        let map = |orientation: &str, axis: &str| Map {
            orientation: orientation.to_string(),
            tilewidth: 15,
            tileheight: 17,
            height: 3,
            hexsidelength: 5,
            staggeraxis: axis.to_string(),
            ..Map::default()
        };
        let of = |orientation, axis| Grid::of(&map(orientation, axis), &Origin::file("test")).unwrap();
        assert_eq!(of("hexagonal", "y").corner(1, 3), [21.0, 30.0]);
        assert_eq!(of("hexagonal", "x").corner(3, 1), [27.0, 24.0]);
        assert_eq!(of("staggered", "y").corner(1, 1), [21.0, 8.0]);
        assert_eq!(of("isometric", "y").corner(1, 0), [22.5, 8.5]);
    }

    #[test]
    fn cells_of_oblique_maps_are_parallelograms() {
        let map = Map {
            orientation: "oblique".to_string(),
            tilewidth: 20,
            tileheight: 10,
            height: 4,
            skewx: 5.0,
            ..Map::default()
        };
        let grid = Grid::of(&map, &Origin::file("test")).unwrap();
        assert_eq!(grid.screen([20.0, 10.0]), [25.0, 10.0]);
        // The lower left corner of the second cell of the second row.
        assert_eq!(grid.corner(1, 1), [30.0, 10.0]);
        let outline = vec![[-5.0, 0.0], [15.0, 0.0], [20.0, 10.0], [0.0, 10.0]];
        assert_eq!(grid.outline(), Figure::Outline(outline));
        for (skewx, skewy) in [(10.0, 20.0), (f64::NAN, 0.0), (f64::INFINITY, 1.0)] {
            let map = Map {
                skewx,
                skewy,
                ..map.clone()
            };
            Grid::of(&map, &Origin::file("test")).unwrap_err();
        }
    }
}
