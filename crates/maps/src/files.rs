//! [`Files`]: the source of a map and of the files that it names. A caller may implement it for archives or for
//! memory.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use crate::error::{MapError, Origin};
use crate::limits::{BYTES_MAX, FILE_BYTES_MAX, FILES_MAX};

/// Reads the bytes of files: from a folder on disk, an archive, a list in memory.
pub trait Files {
    /// The bytes of a file.
    ///
    /// # Errors
    /// The file does not exist or cannot be read.
    fn read(&self, path: &Path) -> io::Result<Vec<u8>>;
}

/// The files of the machine, none of them larger than [`FILE_BYTES_MAX`]; no folders, pipes and devices.
#[derive(Clone, Copy, Debug, Default)]
pub struct Disk;

impl Files for Disk {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        // Opening a pipe waits for a writer, and reading a terminal for a person.
        if !fs::metadata(path)?.is_file() {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "it is no regular file",
            ));
        }
        let mut bytes = Vec::new();
        File::open(path)?
            .take(FILE_BYTES_MAX + 1)
            .read_to_end(&mut bytes)?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            let message = format!("it has more than {FILE_BYTES_MAX} bytes");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok(bytes)
    }
}

/// Files in memory, by path.
impl Files for BTreeMap<PathBuf, Vec<u8>> {
    fn read(&self, path: &Path) -> io::Result<Vec<u8>> {
        self.get(path)
            .cloned()
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    }
}

/// Reads the files of one map.
pub(crate) struct Reading<'a> {
    files: &'a dyn Files,
    count: Cell<usize>,
    bytes: Cell<u64>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(files: &'a dyn Files) -> Self {
        Self {
            files,
            count: Cell::new(0),
            bytes: Cell::new(0),
        }
    }

    /// The text of a file that the place names.
    ///
    /// # Errors
    /// It cannot be read, is no text, or is too large.
    pub(crate) fn text(&self, path: &Path, named_by: &Origin) -> Result<String, MapError> {
        if self.count.replace(self.count.get() + 1) > FILES_MAX {
            return Err(named_by.refuse(format!("a map may name {FILES_MAX} files at most")));
        }
        let shown = path.display();
        let bytes = self
            .files
            .read(path)
            .map_err(|error| named_by.refuse(format!("{shown} cannot be read: {error}")))?;
        self.bytes.set(self.bytes.get() + bytes.len() as u64);
        if self.bytes.get() > BYTES_MAX {
            let message = format!("the files of a map have {BYTES_MAX} bytes at most; divide it");
            return Err(named_by.refuse(message));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| named_by.refuse(format!("{shown} is not UTF-8 text")))?;
        // Some text editors write a byte order mark first.
        Ok(text.strip_prefix('\u{feff}').map(str::to_string).unwrap_or(text))
    }
}

/// The path of a file that another names, with parent folders resolved where possible.
pub(crate) fn beside(file: &Path, named: &str) -> PathBuf {
    let named = named.replace('\\', "/");
    let mut path = file.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(&named).components() {
        match part {
            Component::ParentDir if matches!(path.components().next_back(), Some(Component::Normal(_))) => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_file_lies_beside_the_one_that_names_it() {
        let map = Path::new("levels/one.tmx");
        assert_eq!(beside(map, "tiles.tsx"), Path::new("levels/tiles.tsx"));
        assert_eq!(beside(map, "../sets/./a.tsx"), Path::new("sets/a.tsx"));
        assert_eq!(beside(map, "../../a.tsx"), Path::new("../a.tsx"));
        assert_eq!(beside(map, "sets\\a.tsx"), Path::new("levels/sets/a.tsx"));
        assert_eq!(beside(Path::new("one.tmx"), "a.tsx"), Path::new("a.tsx"));
    }
}
