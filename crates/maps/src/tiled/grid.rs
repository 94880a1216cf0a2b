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
    /// Hexagonal, and staggered, which is hexagonal with sides of length zero.
    Hexagonal {
        side: f64,
        /// Whether columns are shifted, and not rows.
        along_x: bool,
        /// Whether the shifted ones are those with even numbers.
        even: bool,
        turns: bool,
    },
}

impl Grid {
    /// # Errors
    /// The orientation is unknown, or a cell has no size.
    pub(super) fn of(map: &Map, origin: &Origin) -> Result<Self, MapError> {
        if map.tilewidth == 0 || map.tileheight == 0 {
            return Err(origin.refuse("tilewidth and tileheight must be more than 0"));
        }
        let hexagonal = |side: u32, turns: bool| Orientation::Hexagonal {
            side: f64::from(side),
            along_x: map.staggeraxis == "x",
            even: map.staggerindex == "even",
            turns,
        };
        let orientation = match map.orientation.as_str() {
            "orthogonal" => Orientation::Orthogonal,
            "isometric" => Orientation::Isometric,
            "staggered" => hexagonal(0, false),
            "hexagonal" => hexagonal(map.hexsidelength, true),
            other => {
                let known = "orthogonal, isometric, staggered and hexagonal maps are read";
                return Err(origin.refuse(format!("orientation {other:?} is not read; {known}")));
            }
        };
        Ok(Self {
            orientation,
            cell: [map.tilewidth, map.tileheight].map(f64::from),
            rows: f64::from(map.height),
        })
    }

    /// Whether rows and columns are parallel to the axes.
    pub(super) fn is_orthogonal(&self) -> bool {
        self.orientation == Orientation::Orthogonal
    }

    /// Whether tiles are rotated by sixths of a turn.
    pub(super) fn is_hexagonal(&self) -> bool {
        matches!(self.orientation, Orientation::Hexagonal { turns: true, .. })
    }

    /// Whether tile objects are anchored at the middle of their lower edge unless their tileset says otherwise.
    pub(super) fn is_isometric(&self) -> bool {
        self.orientation == Orientation::Isometric
    }

    /// The top left corner of the box of a cell.
    pub(super) fn corner(&self, column: i64, row: i64) -> Point {
        let [width, height] = self.cell;
        let (x, y) = (column as f64, row as f64);
        match self.orientation {
            Orientation::Orthogonal => [x * width, y * height],
            Orientation::Isometric => {
                let [x, y] = self.isometric([x, y]);
                [x - width / 2.0, y]
            }
            Orientation::Hexagonal {
                side, along_x, even, ..
            } => {
                let index = if along_x { column } else { row };
                let shift = if (index.rem_euclid(2) == 0) == even {
                    0.5
                } else {
                    0.0
                };
                if along_x {
                    [x * (width + side) / 2.0, (y + shift) * height]
                } else {
                    [(x + shift) * width, y * (height + side) / 2.0]
                }
            }
        }
    }

    /// A point between cells, in cells, on the screen of an isometric map.
    fn isometric(&self, [x, y]: Point) -> Point {
        let [width, height] = self.cell;
        [(x - y + self.rows) * width / 2.0, (x + y) * height / 2.0]
    }

    /// A point of an object on the screen: in isometric maps their axes are skewed, in units of a tile's height.
    pub(super) fn screen(&self, [x, y]: Point) -> Point {
        match self.orientation {
            Orientation::Isometric => self.isometric([x / self.cell[1], y / self.cell[1]]),
            _ => [x, y],
        }
    }

    /// The outline of a full cell in its box.
    pub(super) fn outline(&self) -> Figure {
        let [width, height] = self.cell;
        let (x, y) = (width / 2.0, height / 2.0);
        match self.orientation {
            Orientation::Orthogonal => Figure::rectangle([0.0, 0.0], self.cell),
            Orientation::Hexagonal {
                side, along_x: false, ..
            } if side > 0.0 => {
                let (top, bottom) = (y - side / 2.0, y + side / 2.0);
                let right = [[width, top], [width, bottom]];
                let left = [[0.0, bottom], [0.0, top]];
                Figure::Outline(vec![[x, 0.0], right[0], right[1], [x, height], left[0], left[1]])
            }
            Orientation::Hexagonal { side, .. } if side > 0.0 => {
                let (left, right) = (x - side / 2.0, x + side / 2.0);
                let lower = [[right, height], [left, height]];
                Figure::Outline(vec![
                    [left, 0.0],
                    [right, 0.0],
                    [width, y],
                    lower[0],
                    lower[1],
                    [0.0, y],
                ])
            }
            _ => Figure::Outline(vec![[x, 0.0], [width, y], [x, height], [0.0, y]]),
        }
    }
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
}
