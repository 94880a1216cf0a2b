//! [`Replaced`]: a file that is written whole under another name in the same folder, and only then takes its own: a file that was
//! there before is never lost to half of a new one. The command has bytes to write and does that in `crates/cli/src/output.rs`, a
//! program and no library; what writes pictures here takes a path.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// A file that is being written.
#[derive(Debug)]
pub struct Replaced {
    path: PathBuf,
    /// The file to write to; that itself if it is a device or a pipe, which is not replaced.
    written: PathBuf,
}

impl Replaced {
    /// Makes the folder and an empty file in it, so that a path that cannot be written is known before there is anything to
    /// write. Both names end alike: some writers go by that.
    ///
    /// # Errors
    /// The system's reason.
    pub fn create(path: &Path) -> io::Result<Self> {
        let known = match fs::metadata(path) {
            Ok(known) => Some(known),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        if known.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(io::Error::new(io::ErrorKind::IsADirectory, "it is a folder"));
        }
        if known.as_ref().is_some_and(|known| known.permissions().readonly()) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                "it may only be read",
            ));
        }
        if known.as_ref().is_some_and(|known| !known.is_file()) {
            return Ok(Self {
                path: path.to_owned(),
                written: path.to_owned(),
            });
        }
        // A link to a file stays one.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let mut written = path.with_file_name(format!(".{name}-{}.tmp", std::process::id()));
        if let Some(ending) = path.extension() {
            written.set_extension(ending);
        }
        let file = File::create(&written)?;
        let replaced = Self { path, written };
        if let Some(known) = known {
            file.set_permissions(known.permissions())?;
        }
        Ok(replaced)
    }

    /// The file to write to.
    #[must_use]
    pub fn written(&self) -> &Path {
        &self.written
    }

    /// Gives the written file its name.
    ///
    /// # Errors
    /// The system's reason; the file that was there before still is.
    pub fn finish(self) -> io::Result<()> {
        if self.written == self.path {
            return Ok(());
        }
        // A system may write out only what was opened for writing.
        File::options().write(true).open(&self.written)?.sync_all()?;
        fs::rename(&self.written, &self.path)
    }
}

/// What was not finished is removed.
impl Drop for Replaced {
    fn drop(&mut self) {
        if self.written != self.path {
            // After a finish nothing has this name.
            drop(fs::remove_file(&self.written));
        }
    }
}
