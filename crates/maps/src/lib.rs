//! Maps drawn with [Tiled](https://www.mapeditor.org) (`.tmx`, `.tmj`) and [LDtk](https://ldtk.io) (`.ldtk`) as scenes of
//! Tombolo.
//!
//! [`read`] makes a map into a [`MapScene`]: the text of a scene file, and the origin of each of its lines, so that
//! an error names file, layer and object of the map. `docs/maps.md` of the project describes the conversion of
//! figures, and the properties by which a map sets components.
//!
//! Priorities, in this order: a file that is wrong, cut off or hostile gives an error and nothing else, in bounded
//! memory; static solid ground is few long shapes; the scene is like one that was written by hand.
//!
//! A map is read by `tiled/` or `ldtk/` into things with figures (`builder.rs`, `figure.rs`), rectangles of tiles joined
//! (`merge.rs`); `builder.rs` writes them as entities and placements, over the prototypes of the scene file that the map names
//! (`prototypes.rs`).
#![deny(unsafe_code)]
#![deny(missing_docs)]

mod builder;
mod cells;
mod error;
mod figure;
mod files;
mod json;
mod ldtk;
pub mod limits;
mod merge;
mod names;
mod options;
mod picture;
mod prototypes;
mod scale;
mod scene_text;
mod settings;
mod shapes;
mod tiled;

use std::path::Path;

pub use error::MapError;
pub use files::{Disk, Files};
pub use options::Options;
pub use picture::Picture;
pub use scene_text::MapScene;

use error::Origin;
use files::Reading;

/// Whether a path's extension is that of a map: `tmx`, `tmj` or `ldtk`.
///
/// ```
/// use std::path::Path;
/// assert!(tombolo_maps::is_map(Path::new("levels/one.tmx")));
/// assert!(!tombolo_maps::is_map(Path::new("scene.ron")));
/// ```
pub fn is_map(path: &Path) -> bool {
    Editor::of(path).is_some()
}

/// The editor that writes files with an extension.
#[derive(Clone, Copy)]
enum Editor {
    Tiled,
    Ldtk,
}

impl Editor {
    fn of(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "tmx" | "tmj" => Some(Self::Tiled),
            "ldtk" => Some(Self::Ldtk),
            _ => None,
        }
    }
}

/// Reads a map and the files that it names.
///
/// ```
/// use std::collections::BTreeMap;
/// use std::path::{Path, PathBuf};
///
/// let map = r#"<map width="2" height="1" tilewidth="16" tileheight="16">
///   <objectgroup name="things"><object id="1" name="crate" x="0" y="0" width="32" height="16"/></objectgroup>
/// </map>"#;
/// let files = BTreeMap::from([(PathBuf::from("level.tmx"), map.as_bytes().to_vec())]);
/// let scene = tombolo_maps::read(Path::new("level.tmx"), &Default::default(), &files)?.scene()?;
/// let (name, pose) = scene.instances().next().expect("one object was drawn");
/// assert_eq!((name, pose.position.x, pose.position.y), ("crate", 1.0, -0.5));
/// # Ok::<(), tombolo_maps::MapError>(())
/// ```
///
/// # Errors
/// A file cannot be read or is not of its form, is larger than [`limits`] say, or has no meaning as a scene.
pub fn read(path: &Path, options: &Options, files: &dyn Files) -> Result<MapScene, MapError> {
    let reading = Reading::new(files);
    match Editor::of(path) {
        Some(Editor::Tiled) => tiled::read(path, &reading, options),
        Some(Editor::Ldtk) => ldtk::read(path, &reading, options),
        None => {
            let message = "is no map; give a file that ends in .tmx, .tmj or .ldtk";
            Err(Origin::file(&path.display().to_string()).refuse(message))
        }
    }
}
