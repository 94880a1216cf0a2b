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
    /// Its content when that was read last; `None` if it could not be read.
    content: Option<Vec<u8>>,
    looked: Stopwatch,
}

impl WatchedFile {
    /// `None` if the source has no file of its own.
    pub(super) fn of(source: &Source) -> Option<Self> {
        let path = source.files.first()?.clone();
        let (changed, content) = (modified(&path), std::fs::read(&path).ok());
        Some(Self {
            path,
            changed,
            content,
            looked: Stopwatch::start(),
        })
    }

    /// Whether the file has another content than at the last check; checks at most once in [`LOOK_EVERY_S`], and reads it
    /// if its time is another one.
    pub(super) fn has_changed(&mut self) -> bool {
        if self.looked.elapsed_seconds() < LOOK_EVERY_S {
            return false;
        }
        self.looked = Stopwatch::start();
        let changed = modified(&self.path);
        // A program that rewrites the file may remove it for a moment.
        if changed.is_none() || std::mem::replace(&mut self.changed, changed) == changed {
            return false;
        }
        let content = std::fs::read(&self.path).ok();
        let is_other = content != self.content;
        self.content = content;
        is_other
    }

    /// Whether the file has this text, as far as was read.
    pub(super) fn has(&self, text: &str) -> bool {
        self.content.as_deref() == Some(text.as_bytes())
    }

    /// Replaces the file's text without reporting it as a change by another program.
    ///
    /// # Errors
    /// It has another text than `known`, or cannot be written.
    pub(super) fn replace(&mut self, known: &str, text: &str) -> Result<(), Failure> {
        let path = self.path.display();
        let there = std::fs::read(&self.path).map_err(|error| {
            Failure(format!(
                "{path}: cannot be read: {error}; nothing was written, and Share has the scene with the edits"
            ))
        })?;
        if there != known.as_bytes() {
            return Err(Failure(format!(
                "{path}: somebody else has changed it; nothing was written"
            )));
        }
        write_file(&self.path, text.as_bytes())?;
        self.changed = modified(&self.path);
        self.content = Some(text.as_bytes().to_vec());
        Ok(())
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}
