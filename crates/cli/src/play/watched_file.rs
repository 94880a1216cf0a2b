//! [`WatchedFile`]: the file of the scene that is played, which other programs may change.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tombolo::threads::Stopwatch;

use crate::output::{Failure, write_file};
use crate::source::Source;

/// The file is looked at so often, while somebody watches.
pub(super) const LOOK_EVERY_S: f64 = 0.5;

/// A scene's file on disk.
pub(super) struct WatchedFile {
    pub(super) path: PathBuf,
    changed: Option<SystemTime>,
    looked: Stopwatch,
}

impl WatchedFile {
    /// `None` if the source has no file of its own.
    pub(super) fn of(source: &Source) -> Option<Self> {
        let path = source.path.clone()?;
        let changed = modified(&path);
        Some(Self {
            path,
            changed,
            looked: Stopwatch::start(),
        })
    }

    /// Whether it was changed since the last look; not more often than it is worth.
    pub(super) fn has_changed(&mut self) -> bool {
        if self.looked.elapsed_seconds() < LOOK_EVERY_S {
            return false;
        }
        self.looked = Stopwatch::start();
        let changed = modified(&self.path);
        // While it is written anew it may be gone for a moment.
        changed.is_some() && std::mem::replace(&mut self.changed, changed) != changed
    }

    /// Replaces the text that it had, which is no change by another program.
    ///
    /// # Errors
    /// It has another text than `known`, or cannot be written.
    pub(super) fn replace(&mut self, known: &str, text: &str) -> Result<(), Failure> {
        if std::fs::read_to_string(&self.path)? != known {
            let path = self.path.display();
            return Err(Failure(format!(
                "{path}: somebody else has changed it; nothing was written"
            )));
        }
        write_file(&self.path, text.as_bytes())?;
        self.changed = modified(&self.path);
        Ok(())
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}
