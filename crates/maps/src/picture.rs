//! [`Picture`]: what a tile looks like and where, for programs that draw a map. A scene does not have them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::figure::{Point, turned};
use crate::limits::PICTURES_MAX;
use crate::scale::Scale;

/// A part of an image, and where it is seen: a parallelogram, since tiles are stretched, flipped and turned.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// The file of the image.
    pub image: Arc<Path>,
    /// Left, top, width and height of the part, in pixels of the image.
    pub part: [f32; 4],
    /// Where the part's upper left corner is, in meters.
    pub corner: [f32; 2],
    /// The vector from there to its upper right corner, in meters.
    pub right: [f32; 2],
    /// The vector from there to its lower left corner, in meters.
    pub down: [f32; 2],
    /// 0 for what cannot be seen to 1 for what cannot be seen through.
    pub opacity: f32,
    /// The entity in whose frame the parallelogram is; `None` for that of the world.
    pub entity: Option<Arc<str>>,
    /// The column and row, from the left and from below, of the cell of the entity's `Tiles` whose tile this is: there is
    /// nothing to see while the cell is empty. `None` for what is not a cell's.
    pub cell: Option<[u32; 2]>,
}

/// A part of an image, and its corners in pixels of the map: the upper left one, the upper right one, the lower left one.
#[derive(Clone, Debug)]
pub(crate) struct Look {
    pub(crate) image: Arc<Path>,
    pub(crate) part: [f64; 4],
    pub(crate) corners: [Point; 3],
    pub(crate) opacity: f64,
}

impl Look {
    /// The look moved by a vector.
    pub(crate) fn moved(&self, [x, y]: Point) -> Self {
        Self {
            corners: self.corners.map(|corner| [corner[0] + x, corner[1] + y]),
            ..self.clone()
        }
    }

    /// The picture in the world; `None` if it cannot be seen.
    pub(crate) fn picture(&self, scale: &Scale) -> Option<Picture> {
        let [corner, right, down] = self.corners.map(|corner| scale.point(corner));
        let from_corner = |[x, y]: Point| [(x - corner[0]) as f32, (y - corner[1]) as f32];
        let is_seen = self.opacity > 0.0 && self.part[2] > 0.0 && self.part[3] > 0.0;
        let is_finite = [corner, right, down]
            .as_flattened()
            .iter()
            .all(|part| part.is_finite());
        (is_seen && is_finite).then(|| Picture {
            image: self.image.clone(),
            part: self.part.map(|part| part as f32),
            corner: corner.map(|part| part as f32),
            right: from_corner(right),
            down: from_corner(down),
            opacity: self.opacity.min(1.0) as f32,
            entity: None,
            cell: None,
        })
    }

    /// The look after a turn about the origin by an angle in degrees, clockwise on the screen.
    pub(crate) fn turned(&self, degrees: f64) -> Self {
        Self {
            corners: self.corners.map(|corner| turned(corner, degrees)),
            ..self.clone()
        }
    }
}

/// A cell of the grid of tiles that a thing is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PlacedCell {
    pub(crate) thing: usize,
    /// The column and row of the component's grid, from the left and from below.
    pub(crate) at: [u32; 2],
}

/// The pictures of a map while it is read, each with the index of the thing in whose frame it is.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pictures(Vec<(Picture, Option<usize>)>);

impl Pictures {
    /// Adds a picture in the frame of a thing, or of the world, as long as there are not too many.
    pub(crate) fn add(&mut self, picture: Option<Picture>, of: Option<usize>) {
        if let Some(picture) = picture
            && self.0.len() < PICTURES_MAX
        {
            self.0.push((picture, of));
        }
    }

    /// Adds the picture of a tile that is in a cell of a grid, or in none.
    pub(crate) fn add_of_tile(&mut self, picture: Option<Picture>, cell: Option<PlacedCell>) {
        let picture = picture.map(|picture| Picture {
            cell: cell.map(|cell| cell.at),
            ..picture
        });
        self.add(picture, cell.map(|cell| cell.thing));
    }

    /// The pictures, with the names of the things.
    pub(crate) fn named(self, names: &[String]) -> Vec<Picture> {
        let named = self.0.into_iter().map(|(picture, of)| Picture {
            entity: of.map(|thing| names[thing].as_str().into()),
            ..picture
        });
        named.collect()
    }
}

/// The image of a tileset, and the grid of tiles in it.
#[derive(Clone, Debug)]
pub(crate) struct Sheet {
    pub(crate) image: Arc<Path>,
    pub(crate) columns: u32,
    pub(crate) tile: Point,
    pub(crate) margin: f64,
    pub(crate) spacing: f64,
}

impl Sheet {
    /// The part of the image that shows a tile.
    pub(crate) fn part(&self, id: u32) -> [f64; 4] {
        let columns = self.columns.max(1);
        let at = [id % columns, id / columns].map(f64::from);
        let place = |axis: usize| self.margin + at[axis] * (self.tile[axis] + self.spacing);
        [place(0), place(1), self.tile[0], self.tile[1]]
    }
}

/// The path of an image, shared by its pictures.
pub(crate) fn image(path: PathBuf) -> Arc<Path> {
    path.into()
}
