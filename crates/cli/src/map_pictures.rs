//! [`MapPictures`]: what a map's tiles look like, in the form that pages read: the images as data, and where parts of
//! them are seen. Files are read here and nowhere else: a page gets the images that its map names, never a path.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Serialize;
use tombolo::World;
use tombolo::entity::Entity;
use tombolo::physics::{BodyKind, Pose, TileGridRef, Vec2};
use tombolo_maps::{Disk, Files, Picture};

use crate::image_size::{ImageKind, look_at};

/// The greatest size of an image's file, in bytes.
const IMAGE_BYTES_MAX: u64 = 8 << 20;

/// The greatest size of all images of a map, in bytes.
const IMAGES_BYTES_MAX: u64 = 32 << 20;

/// The greatest number of images: a tileset may have one for each tile.
const IMAGES_MAX: usize = 4096;

/// The greatest number of pixels of all images, which a browser unpacks to four bytes each.
const PIXELS_MAX: u64 = 1 << 26;

/// The pictures of a map's tiles.
#[derive(Debug, Default, Serialize)]
pub(crate) struct MapPictures {
    images: Vec<Image>,
    looks: Vec<Look>,
    /// The grids of tiles whose cells are seen.
    grids: Vec<Grid>,
    /// What stays where it is, in the order of drawing: a look, and the place of its upper left corner in the world.
    fixed: Vec<(u32, f32, f32, CellOfGrid)>,
    /// What goes with the body of an entity: the entity's name, a look, and the place of its corner in the body's frame.
    attached: Vec<(String, u32, f32, f32, CellOfGrid)>,
    /// The images that are not among these, and why: a line each.
    #[serde(skip)]
    left_out: Vec<String>,
}

/// The cell whose tile a picture shows: the number of the grid, column, row, and kind of the tile; `None` if it shows no
/// cell's.
type CellOfGrid = Option<(u32, u32, u32, u8)>;

/// A grid of tiles.
#[derive(Debug, Serialize)]
struct Grid {
    /// The name of its entity.
    name: String,
    /// The vector from a cell to the next one of its row, in meters, in the frame of the pictures of its cells.
    next: [f32; 2],
}

/// An image as data.
#[derive(Debug, Serialize)]
struct Image {
    /// Its media type.
    kind: &'static str,
    base64: String,
}

/// A part of an image, as it is stretched, flipped and turned; the same for all tiles of a kind.
#[derive(Debug, Serialize)]
struct Look {
    image: u32,
    /// Left, top, width and height, in pixels.
    part: [f32; 4],
    /// The vectors from the upper left corner to the upper right and the lower left one, in meters.
    right: [f32; 2],
    down: [f32; 2],
    opacity: f32,
}

impl MapPictures {
    /// Reads the images that pictures name. `world` is that of the map, before its first step: pictures in the frame of
    /// an entity without a body, which does not move, are put into the world's, and so are those of cells of a static body.
    ///
    /// What is no file of an image, or too large, is left out with its pictures: [`MapPictures::left_out`]. Costs the
    /// files, and the pictures.
    pub(crate) fn read(pictures: &[Picture], world: &World) -> Self {
        let mut all = Self::default();
        let mut images = Images::default();
        let (mut looks, mut grids) = (BTreeMap::new(), BTreeMap::new());
        for picture in pictures {
            let Some(image) = images.number(&picture.image, &mut all) else {
                continue;
            };
            let (mut picture, mut cell) = (picture.clone(), None);
            if let Some(name) = &picture.entity {
                let entity = world.find(name);
                let frame = entity.filter(|entity| stays(world, *entity, picture.cell));
                let pose = frame.and_then(|entity| world.pose(entity));
                let grid = entity.and_then(|entity| world.tile_grid(entity));
                cell = grid.and_then(|grid| all.cell(&mut grids, &picture, &grid, pose));
                if let Some(pose) = pose {
                    picture.corner = pose.transform_point(Vec2::from(picture.corner)).to_array();
                    picture.right = pose.rotation.rotate(Vec2::from(picture.right)).to_array();
                    picture.down = pose.rotation.rotate(Vec2::from(picture.down)).to_array();
                    picture.entity = None;
                }
            }
            let look = all.look(&mut looks, image, &picture);
            let [x, y] = picture.corner;
            match picture.entity {
                None => all.fixed.push((look, x, y, cell)),
                Some(name) => all.attached.push((name.to_string(), look, x, y, cell)),
            }
        }
        all
    }

    /// The cell of a grid that a picture shows, with the grid's number. `pose` is that of the grid's entity, if the picture
    /// is put into the frame of the world.
    fn cell(
        &mut self,
        known: &mut BTreeMap<Arc<str>, u32>,
        picture: &Picture,
        grid: &TileGridRef<'_>,
        pose: Option<Pose>,
    ) -> CellOfGrid {
        let (Some(name), Some([column, row])) = (&picture.entity, picture.cell) else {
            return None;
        };
        let number = *known.entry(name.clone()).or_insert_with(|| {
            let next = Vec2::new(grid.cell_size(), 0.0);
            self.grids.push(Grid {
                name: name.to_string(),
                next: pose.map_or(next, |pose| pose.rotation.rotate(next)).to_array(),
            });
            self.grids.len() as u32 - 1
        });
        Some((number, column, row, grid.kind(column, row)?))
    }

    /// The number of a picture's look.
    fn look(&mut self, known: &mut BTreeMap<Vec<u32>, u32>, image: u32, picture: &Picture) -> u32 {
        let &Picture {
            part,
            right,
            down,
            opacity,
            ..
        } = picture;
        let numbers = part.iter().chain(&right).chain(&down).chain([&opacity]);
        let key = numbers.map(|number| number.to_bits()).chain([image]).collect();
        *known.entry(key).or_insert_with(|| {
            self.looks.push(Look {
                image,
                part,
                right,
                down,
                opacity,
            });
            self.looks.len() as u32 - 1
        })
    }

    /// The images that were left out, and why: a line each.
    pub(crate) fn left_out(&self) -> &[String] {
        &self.left_out
    }

    /// The pictures as JSON.
    ///
    /// # Errors
    /// None is known: it is written to memory.
    pub(crate) fn to_json(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }
}

/// Whether a picture in the frame of an entity stays where it is. Cells of a static body do, although it may be put
/// elsewhere: a level has as many of them as it has tiles, and what moves is sent to the card with each frame.
fn stays(world: &World, entity: Entity, cell: Option<[u32; 2]>) -> bool {
    let body = world.body_of(entity).and_then(|body| world.physics().body(body));
    body.is_none_or(|body| cell.is_some() && body.kind() == BodyKind::Static)
}

/// The images read so far.
#[derive(Default)]
struct Images {
    /// By path; `None` for one that is left out.
    numbers: BTreeMap<PathBuf, Option<u32>>,
    bytes: u64,
    pixels: u64,
}

impl Images {
    /// The number of an image among those of `all`, to which it is added when it is first met.
    fn number(&mut self, path: &Path, all: &mut MapPictures) -> Option<u32> {
        if let Some(known) = self.numbers.get(path) {
            return *known;
        }
        let number = match self.read(path, all.images.len()) {
            Ok(image) => {
                all.images.push(image);
                Some(all.images.len() as u32 - 1)
            }
            Err(why) => {
                let shown = path.display();
                all.left_out
                    .push(format!("{shown}: this image is not shown: {why}"));
                None
            }
        };
        self.numbers.insert(path.to_path_buf(), number);
        number
    }

    fn read(&mut self, path: &Path, count: usize) -> Result<Image, String> {
        if count >= IMAGES_MAX {
            return Err(format!("a page shows {IMAGES_MAX} images at most"));
        }
        let file = fs::metadata(path).map_err(|error| error.to_string())?;
        // A device or a pipe may have no end.
        if !file.is_file() {
            return Err("it is no file".to_string());
        }
        if file.len() > IMAGE_BYTES_MAX || self.bytes + file.len() > IMAGES_BYTES_MAX {
            return Err(format!(
                "a page shows images of {IMAGE_BYTES_MAX} bytes at most, and of {IMAGES_BYTES_MAX} together"
            ));
        }
        let bytes = Disk.read(path).map_err(|error| error.to_string())?;
        let (kind, [width, height]) =
            look_at(&bytes).ok_or_else(|| format!("it is none of {}", ImageKind::names()))?;
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 || self.pixels + pixels > PIXELS_MAX {
            return Err(format!(
                "it has {width} by {height} pixels; a page shows 1 at least, and {PIXELS_MAX} of all images at most"
            ));
        }
        self.bytes += bytes.len() as u64;
        self.pixels += pixels;
        Ok(Image {
            kind: kind.media_type(),
            base64: BASE64_STANDARD.encode(bytes),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_world_of_no_map_has_no_pictures() {
        let none = MapPictures::default().to_json().unwrap();
        assert_eq!(none, tombolo_session::pages::NO_PICTURES);
    }
}
