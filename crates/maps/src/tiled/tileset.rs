//! Tilesets: the tile of a number, its flips, and its figures from the collision editor.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use super::model::{Object, Place, Tile, TileGrid, Tileset};
use crate::error::{MapError, Origin};
use crate::figure::{Figure, Point, turned};
use crate::files::beside;
use crate::picture::{Look, Sheet, image};

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
    /// The image that shows all tiles, if there is one.
    sheet: Option<Sheet>,
    /// The images of single tiles.
    images: BTreeMap<u32, Arc<Path>>,
    pub(super) origin: Origin,
}

impl Set {
    /// A tileset in a file; images are named from there.
    pub(super) fn new(mut tileset: Tileset, file: &Path, origin: &Origin) -> Self {
        // What has no figure is looked at once, and not wherever its tile is drawn.
        for group in tileset
            .tiles
            .iter_mut()
            .filter_map(|tile| tile.objectgroup.as_mut())
        {
            let has_none = |object: &Object| matches!(figure_of(object, origin), Ok(None));
            group.objects.retain(|object| !has_none(object));
        }
        let tiles = tileset.tiles.iter().enumerate();
        let tiles = tiles.map(|(index, tile)| (tile.id, index)).collect();
        let images = tileset.tiles.iter().filter(|tile| !tile.image.is_empty());
        let images = images.map(|tile| (tile.id, image(beside(file, &tile.image))));
        Self {
            sheet: sheet_of(&tileset, file),
            images: images.collect(),
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

    /// The image with a tile's picture, and the part of it that shows the tile; `None` if there is none.
    fn picture(&self, id: u32) -> Option<(Arc<Path>, [f64; 4])> {
        if let Some(image) = self.images.get(&id) {
            let [x, y] = self
                .tile(id)
                .map_or([0; 2], |tile| [tile.x, tile.y])
                .map(f64::from);
            let [width, height] = self.size(id);
            return Some((image.clone(), [x, y, width, height]));
        }
        let sheet = self.sheet.as_ref()?;
        Some((sheet.image.clone(), sheet.part(id)))
    }

    /// The factors by which a picture is scaled to fill a box.
    fn scale(&self, from: Point, to: Point) -> Point {
        let of = |from: f64, to: f64| if from > 0.0 { to / from } else { 1.0 };
        let [x, y] = [of(from[0], to[0]), of(from[1], to[1])];
        if self.tileset.fillmode == "preserve-aspect-fit" {
            [x.min(y); 2]
        } else {
            [x, y]
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

/// The one image of a tileset. Files of old versions do not say how many columns it has.
fn sheet_of(tileset: &Tileset, file: &Path) -> Option<Sheet> {
    let Tileset {
        tilewidth,
        tileheight,
        imagewidth,
        margin,
        spacing,
        columns,
        ..
    } = *tileset;
    let fitting = || {
        let width = u64::from(imagewidth) + u64::from(spacing);
        let each = u64::from(tilewidth) + u64::from(spacing);
        width
            .saturating_sub(u64::from(margin))
            .checked_div(each)
            .unwrap_or(1) as u32
    };
    (!tileset.image.is_empty()).then(|| Sheet {
        image: image(beside(file, &tileset.image)),
        columns: if columns == 0 { fitting() } else { columns },
        tile: [tilewidth, tileheight].map(f64::from),
        margin: f64::from(margin),
        spacing: f64::from(spacing),
    })
}

/// A tile as it is drawn somewhere.
#[derive(Clone, Debug)]
pub(super) struct TileRef {
    pub(super) set: Arc<Set>,
    pub(super) id: u32,
    pub(super) flips: Flips,
}

/// A tile: its tileset's address, its number, and its flips.
pub(super) type TileKey = (usize, u32, Flips);

impl TileRef {
    /// What tells it from all others of a map.
    pub(super) fn key(&self) -> TileKey {
        (Arc::as_ptr(&self.set) as usize, self.id, self.flips)
    }

    /// The size of its picture, before its flips.
    pub(super) fn size(&self) -> Point {
        self.set.size(self.id)
    }

    /// Its picture as it is drawn in a box of a size, whose lower left corner is the origin.
    ///
    /// # Errors
    /// The offset of its tileset is not finite.
    pub(super) fn drawn(&self, size: Point, hexagonal: bool) -> Result<Drawn<'_>, MapError> {
        let scale = self.set.scale(self.size(), size);
        let Place { x, y } = self.set.tileset.tileoffset;
        let offset = [x * scale[0], y * scale[1]];
        check_finite(&offset, &self.set.origin)?;
        let [width, height] = self.flips.size(size, hexagonal);
        Ok(Drawn {
            tile: self,
            hexagonal,
            scale,
            size: [width, height],
            middle: [width / 2.0 + offset[0], -height / 2.0 + offset[1]],
        })
    }
}

/// A picture that is scaled to fill a box and then flipped and turned, such that the lower left corner of the turned box
/// lies where that of the box does, and at last moved by the offset of its tileset. That is the editor's order: a picture
/// in a box of 32 by 8 that is turned by a quarter is 8 wide and 32 high, and its offset is scaled but not turned.
pub(super) struct Drawn<'a> {
    tile: &'a TileRef,
    hexagonal: bool,
    /// The factors for the picture's own axes.
    scale: Point,
    /// The size of the turned box.
    pub(super) size: Point,
    /// Its center.
    pub(super) middle: Point,
}

impl Drawn<'_> {
    /// Where a point of the picture is.
    fn point(&self, [x, y]: Point) -> Point {
        let flips = self.tile.flips;
        let (picture, scale) = (self.tile.size(), self.scale);
        let scaled = [picture[0] * scale[0], picture[1] * scale[1]];
        let turned = flips.size(scaled, self.hexagonal);
        let [x, y] = flips.point([x * scale[0], y * scale[1]], scaled, self.hexagonal);
        let [right, down] = self.middle;
        [x - turned[0] / 2.0 + right, y - turned[1] / 2.0 + down]
    }

    /// The picture's figures.
    ///
    /// # Errors
    /// A figure has too few corners.
    pub(super) fn figures(&self) -> Result<Vec<Figure>, MapError> {
        let placed = |figure: &Figure| {
            if self.scale[0] == self.scale[1] {
                figure.moved(|point| self.point(point), self.scale[0])
            } else {
                figure.bent(|point| self.point(point))
            }
        };
        let figures = self.tile.set.figures(self.tile.id)?;
        Ok(figures.iter().map(placed).collect())
    }

    /// The picture itself; `None` if the tileset names no image.
    pub(super) fn look(&self, opacity: f64) -> Option<Look> {
        let (image, part) = self.tile.set.picture(self.tile.id)?;
        let [width, height] = self.tile.size();
        Some(Look {
            image,
            part,
            corners: [[0.0, 0.0], [width, 0.0], [0.0, height]].map(|corner| self.point(corner)),
            opacity,
        })
    }
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
    fn only_objects_with_figures_are_kept() {
        let object = |point, width| Object {
            point,
            width: Some(width),
            height: Some(1.0),
            ..Object::default()
        };
        let group = super::super::model::ObjectGroup {
            objects: [(true, 1.0), (false, 0.0), (false, 1.0), (false, -1.0)]
                .map(|(point, width)| object(point, width))
                .into(),
        };
        let tile = Tile {
            objectgroup: Some(group),
            ..Tile::default()
        };
        let tileset = Tileset {
            tiles: vec![tile],
            ..Tileset::default()
        };
        let set = Set::new(tileset, Path::new("a.tsx"), &Origin::file("a.tsx"));
        let kept = set.tile(0).and_then(|tile| tile.objectgroup.as_ref());
        // The last one is wrong, which is for those who draw the tile.
        assert_eq!(kept.map(|group| group.objects.len()), Some(2));
        assert!(set.figures(0).is_err());
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
