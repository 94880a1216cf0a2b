//! [`read_map`]: a map, and the paths of all files that it is made of, which no output may replace.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

use tombolo_maps::{Disk, Files, MapError, MapScene, Options, read};

/// The files of the machine; notes which are read, in their order.
#[derive(Default)]
struct Noted {
    paths: RefCell<Vec<PathBuf>>,
}

impl Files for Noted {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        let bytes = Disk.read(path)?;
        self.paths.borrow_mut().push(path.to_path_buf());
        Ok(bytes)
    }
}

/// Reads a map; returns it with the paths of the files that it is made of: its own first, those that it names, and the
/// images of its pictures.
///
/// # Errors
/// The map or a file that it names is wrong.
pub(crate) fn read_map(path: &Path, options: &Options) -> Result<(MapScene, Vec<PathBuf>), MapError> {
    let files = Noted::default();
    let map = read(path, options, &files)?;
    let mut paths = files.paths.into_inner();
    let images: BTreeSet<&Path> = map.pictures().iter().map(|picture| &*picture.image).collect();
    paths.extend(images.into_iter().map(Path::to_path_buf));
    Ok((map, paths))
}
