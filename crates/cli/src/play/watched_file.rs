//! [`WatchedFile`]: the file of the scene that is played, watched for changes by other programs.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tombolo::threads::Stopwatch;

use crate::output::{Failure, write_file};
use crate::source::Source;

/// The time between two checks of the file while there are pages, in seconds.
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

    /// Whether the file was changed since the last check; checks at most once in [`LOOK_EVERY_S`].
    pub(super) fn has_changed(&mut self) -> bool {
        if self.looked.elapsed_seconds() < LOOK_EVERY_S {
            return false;
        }
        self.looked = Stopwatch::start();
        let changed = modified(&self.path);
        // A program that rewrites the file may remove it for a moment.
        changed.is_some() && std::mem::replace(&mut self.changed, changed) != changed
    }

    /// Replaces the file's text without reporting it as a change by another program.
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
