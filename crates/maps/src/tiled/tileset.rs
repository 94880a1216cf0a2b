//! Tilesets: the tile of a number, its flips, and its figures from the collision editor.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::model::{Object, Place, Tile, TileGrid, Tileset};
use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point, turned};

const FLIPPED_X: u32 = 1 << 31;
const FLIPPED_Y: u32 = 1 << 30;
/// Mirrored at the falling diagonal; in hexagonal maps turned by 60 degrees.
const DIAGONAL: u32 = 1 << 29;
/// In hexagonal maps turned by 120 degrees; nothing in others.
const TURNED_120: u32 = 1 << 28;
const FLAGS: u32 = FLIPPED_X | FLIPPED_Y | DIAGONAL | TURNED_120;

/// A tileset, with its tiles by their numbers.
#[derive(Debug)]
pub(super) struct Set {
    pub(super) tileset: Tileset,
    tiles: BTreeMap<u32, usize>,
    pub(super) origin: Origin,
}

impl Set {
    pub(super) fn new(tileset: Tileset, origin: &Origin) -> Self {
        let tiles = tileset.tiles.iter().enumerate();
        let tiles = tiles.map(|(index, tile)| (tile.id, index)).collect();
        Self {
            tileset,
            tiles,
            origin: origin.clone(),
        }
    }

    /// Whether it has a tile of this number, as far as the file says how many it has. The numbers of a tileset with a
    /// picture for each tile may have gaps: the greatest is that of a listed tile.
    pub(super) fn has(&self, id: u32) -> bool {
        let last = self.tiles.last_key_value().map(|(last, _)| *last);
        self.tileset.tilecount == 0 || id < self.tileset.tilecount || last.is_some_and(|last| id <= last)
    }

    /// The tileset's data about a tile.
    pub(super) fn tile(&self, id: u32) -> Option<&Tile> {
        self.tiles.get(&id).map(|&index| &self.tileset.tiles[index])
    }

    /// The width and height of a tile's picture in pixels: of the part that it shows.
    pub(super) fn size(&self, id: u32) -> Point {
        let tile = self.tile(id);
        let part = tile.and_then(|tile| Some([tile.width?, tile.height?]));
        let picture = || tile.and_then(|tile| Some([tile.imagewidth?, tile.imageheight?]));
        let size = part.filter(|part| !part.contains(&0)).or_else(picture);
        let size = size.unwrap_or([self.tileset.tilewidth, self.tileset.tileheight]);
        size.map(f64::from)
    }

    /// The factors by which a picture is scaled to fill a box, and its offset from the box's corner.
    fn fill(&self, from: Point, to: Point) -> (Point, Point) {
        if self.tileset.fillmode == "preserve-aspect-fit" {
            fit(from, to)
        } else {
            (share(from, to), [0.0, 0.0])
        }
    }

    /// The figures of a tile, in the pixels of its picture.
    ///
    /// # Errors
    /// A figure has too few corners.
    fn figures(&self, id: u32) -> Result<Vec<Figure>, MapError> {
        let objects = self.tile(id).and_then(|tile| tile.objectgroup.as_ref());
        let mut figures = Vec::new();
        for object in objects.map_or(&[][..], |group| &group.objects) {
            let origin = self.origin.object("tile", id);
            let (x, y) = (object.x.unwrap_or_default(), object.y.unwrap_or_default());
            let degrees = object.rotation.unwrap_or_default();
            check_finite(&[x, y, degrees], &origin)?;
            let Some(figure) = figure_of(object, &origin)? else {
                continue;
            };
            let (figure, [x, y]) = match self.isometric(id, &origin)? {
                None => (figure, [x, y]),
                Some(screen) => {
                    let from = screen([x, y]);
                    let about = |[along, down]: Point| {
                        let to = screen([x + along, y + down]);
                        [to[0] - from[0], to[1] - from[1]]
                    };
                    (figure.bent(about), from)
                }
            };
            let place = |point| {
                let [along, down] = turned(point, degrees);
                [x + along, y + down]
            };
            figures.push(figure.moved(place, 1.0));
        }
        Ok(figures)
    }

    /// Where a point of a tile's collision figures is in its picture, in a tileset with an isometric grid: the figures
    /// are drawn in an isometric map of one cell, which is at the bottom of the picture. A grid without a width or a
    /// height has cells as large as the tileset's tiles.
    ///
    /// # Errors
    /// Neither the grid nor the tileset has a size.
    fn isometric(&self, id: u32, origin: &Origin) -> Result<Option<impl Fn(Point) -> Point>, MapError> {
        let TileGrid {
            orientation,
            width,
            height,
        } = &self.tileset.grid;
        if orientation != "isometric" {
            return Ok(None);
        }
        let has_size = *width != 0 && *height != 0;
        let cell = if has_size {
            [*width, *height]
        } else {
            [self.tileset.tilewidth, self.tileset.tileheight]
        };
        if cell.contains(&0) {
            return Err(origin
                .refuse("neither the tileset's grid nor the tileset has a width and a height; give both"));
        }
        let [width, height] = cell.map(f64::from);
        let top = self.size(id)[1] - height;
        Ok(Some(move |[x, y]: Point| {
            let (column, row) = (x / height, y / height);
            [
                (column - row + 1.0) * width / 2.0,
                (column + row) * height / 2.0 + top,
            ]
        }))
    }
}

/// A tile as it is drawn somewhere.
#[derive(Clone, Debug)]
pub(super) struct TileRef {
    pub(super) set: Arc<Set>,
    pub(super) id: u32,
    pub(super) flips: Flips,
}

impl TileRef {
    /// The size of its picture after its flips.
    pub(super) fn size(&self, hexagonal: bool) -> Point {
        self.flips.size(self.set.size(self.id), hexagonal)
    }

    /// The offset from its place at which its tileset has it drawn, in a box of a size.
    ///
    /// # Errors
    /// The offset is not finite.
    pub(super) fn offset(&self, size: Point, hexagonal: bool) -> Result<Point, MapError> {
        let Place { x, y } = self.set.tileset.tileoffset;
        let (scale, _) = self.set.fill(self.size(hexagonal), size);
        let offset = [x * scale[0], y * scale[1]];
        check_finite(&offset, &self.set.origin)?;
        Ok(offset)
    }

    /// Its figures as they are drawn in a box of a size, whose top left corner is the origin.
    ///
    /// # Errors
    /// A figure has too few corners.
    pub(super) fn figures(&self, size: Point, hexagonal: bool) -> Result<Vec<Figure>, MapError> {
        let picture = self.set.size(self.id);
        let (scale, corner) = self.set.fill(self.size(hexagonal), size);
        let place = |point: Point| {
            let [x, y] = self.flips.point(point, picture, hexagonal);
            [corner[0] + x * scale[0], corner[1] + y * scale[1]]
        };
        let placed = |figure: &Figure| {
            if scale[0] == scale[1] {
                figure.moved(place, scale[0])
            } else {
                figure.bent(place)
            }
        };
        Ok(self.set.figures(self.id)?.iter().map(placed).collect())
    }
}

/// The factor by which each side is scaled.
fn share(from: Point, to: Point) -> Point {
    let of = |from: f64, to: f64| if from > 0.0 { to / from } else { 1.0 };
    [of(from[0], to[0]), of(from[1], to[1])]
}

/// The factor by which a picture is scaled to fill a box in one direction, and its offset to the middle.
fn fit(from: Point, to: Point) -> (Point, Point) {
    let [x, y] = share(from, to);
    let scale = x.min(y);
    let rest = |from: f64, to: f64| (to - from * scale) / 2.0;
    ([scale, scale], [rest(from[0], to[0]), rest(from[1], to[1])])
}

/// The number of a tile without its flags, and the flags.
pub(super) fn without_flags(gid: u32) -> (u32, Flips) {
    (gid & !FLAGS, Flips(gid & FLAGS))
}

/// The flips and rotations of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Flips(u32);

impl Flips {
    fn has(self, flag: u32) -> bool {
        self.0 & flag != 0
    }

    /// The size of a flipped picture.
    pub(super) fn size(self, [width, height]: Point, hexagonal: bool) -> Point {
        if self.has(DIAGONAL) && !hexagonal {
            [height, width]
        } else {
            [width, height]
        }
    }

    /// The position of a point of a picture of this size, after the flips.
    pub(super) fn point(self, point: Point, size: Point, hexagonal: bool) -> Point {
        let [mut x, mut y] = point;
        if self.has(DIAGONAL) && !hexagonal {
            (x, y) = (y, x);
        }
        let [width, height] = self.size(size, hexagonal);
        if self.has(FLIPPED_X) {
            x = width - x;
        }
        if self.has(FLIPPED_Y) {
            y = height - y;
        }
        let steps = [(DIAGONAL, 60.0), (TURNED_120, 120.0)];
        let turn: f64 = steps
            .iter()
            .filter(|(flag, _)| self.has(*flag))
            .map(|(_, turn)| turn)
            .sum();
        if hexagonal && turn != 0.0 {
            let middle = [width / 2.0, height / 2.0];
            let [along, down] = turned([x - middle[0], y - middle[1]], turn);
            (x, y) = (middle[0] + along, middle[1] + down);
        }
        [x, y]
    }
}

/// # Errors
/// A number is not finite.
pub(super) fn check_finite(numbers: &[f64], origin: &Origin) -> Result<(), MapError> {
    match numbers.iter().find(|number| !number.is_finite()) {
        Some(number) => Err(origin.refuse(format!("{number} is no finite number"))),
        None => Ok(()),
    }
}

/// The figure of an object, relative to its position and before its rotation; `None` for points, texts, and figures
/// without size.
///
/// # Errors
/// A figure has too few corners, or a number is not finite.
pub(super) fn figure_of(object: &Object, origin: &Origin) -> Result<Option<Figure>, MapError> {
    let size = [
        object.width.unwrap_or_default(),
        object.height.unwrap_or_default(),
    ];
    check_finite(&size, origin)?;
    let points = |list: &[super::model::Place], least: usize| {
        if list.len() < least {
            let message = format!("has {} points; give {least} or more", list.len());
            return Err(origin.refuse(message));
        }
        let points: Vec<Point> = list.iter().map(|place| [place.x, place.y]).collect();
        check_finite(points.as_flattened(), origin).map(|()| points)
    };
    if object.point || object.text.is_some() {
        return Ok(None);
    }
    if let Some(list) = &object.polygon {
        return points(list, 3).map(|points| Some(Figure::Outline(points)));
    }
    if let Some(list) = &object.polyline {
        return points(list, 2).map(|points| Some(Figure::Line(points)));
    }
    if size.iter().any(|side| *side < 0.0) {
        return Err(origin.refuse("its width or height is negative; draw it anew".to_string()));
    }
    if size.contains(&0.0) {
        return Ok(None);
    }
    Ok(Some(if object.ellipse {
        Figure::ellipse([0.0, 0.0], size)
    } else if object.capsule {
        Figure::capsule([0.0, 0.0], size)
    } else {
        Figure::rectangle([0.0, 0.0], size)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The images of the top left corner and the one to its right, for all eight flips of a tile of 16 by 8.
    #[test]
    fn flips_and_turns_are_those_of_the_editor() {
        for (flags, first, second) in [
            (0, [0.0, 0.0], [16.0, 0.0]),
            (FLIPPED_X, [16.0, 0.0], [0.0, 0.0]),
            (FLIPPED_Y, [0.0, 8.0], [16.0, 8.0]),
            (FLIPPED_X | FLIPPED_Y, [16.0, 8.0], [0.0, 8.0]),
            (DIAGONAL, [0.0, 0.0], [0.0, 16.0]),
            // A quarter turn clockwise: the left side becomes the top.
            (DIAGONAL | FLIPPED_X, [8.0, 0.0], [8.0, 16.0]),
            (DIAGONAL | FLIPPED_Y, [0.0, 16.0], [0.0, 0.0]),
            (DIAGONAL | FLIPPED_X | FLIPPED_Y, [8.0, 16.0], [8.0, 0.0]),
        ] {
            let flips = Flips(flags);
            let size = [16.0, 8.0];
            assert_eq!(flips.point([0.0, 0.0], size, false), first, "{flags:#x}");
            assert_eq!(flips.point([16.0, 0.0], size, false), second, "{flags:#x}");
        }
    }

    #[test]
    fn hexagons_turn_by_sixths() {
        let size = [20.0, 20.0];
        let [x, y] = Flips(DIAGONAL).point([20.0, 10.0], size, true);
        assert!(libm::fabs(x - 15.0) < 1e-9 && libm::fabs(y - 18.660_254_037_844_386) < 1e-9);
        let [x, y] = Flips(DIAGONAL | TURNED_120).point([20.0, 10.0], size, true);
        assert!(libm::fabs(x) < 1e-9 && libm::fabs(y - 10.0) < 1e-9);
        assert_eq!(without_flags(0xF000_0007), (7, Flips(FLAGS)));
    }
}
