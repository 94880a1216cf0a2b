//! [`WatchedFiles`]: the files of the scene that is played, watched for changes by other programs: its own, and of a map those
//! that it is made of.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use tombolo::entity::hash_bytes;
use tombolo::threads::Stopwatch;
use tombolo_maps::{Disk, Files as _};

use crate::output::{Failure, write_file};
use crate::source::Source;

/// The time between two checks of the files while there are pages, in seconds.
pub(super) const LOOK_EVERY_S: f64 = 0.5;

/// A scene's files on disk.
pub(super) struct WatchedFiles {
    /// The scene's own first.
    files: Vec<Watched>,
    looked: Stopwatch,
}

struct Watched {
    path: PathBuf,
    changed: Option<SystemTime>,
    /// The hash of its content when that was read last; `None` if it could not be read.
    content: Option<u64>,
}

impl WatchedFiles {
    /// `None` if the source has no file of its own.
    pub(super) fn of(source: &Source) -> Option<Self> {
        (!source.files.is_empty()).then(|| Self {
            files: source.files.iter().map(|path| Watched::of(path)).collect(),
            looked: Stopwatch::start(),
        })
    }

    /// Watches the files of the scene as it was read again. Those that were watched before are compared with what they were
    /// then, so that no change is missed.
    pub(super) fn follow(&mut self, source: &Source) {
        let mut known = std::mem::take(&mut self.files);
        for path in &source.files {
            let place = known.iter().position(|file| file.path == *path);
            let file = place.map(|place| known.swap_remove(place));
            self.files.push(file.unwrap_or_else(|| Watched::of(path)));
        }
    }

    /// The first file that has another content than at the last check; checks at most once in [`LOOK_EVERY_S`], and reads the
    /// files whose time is another one.
    pub(super) fn changed(&mut self) -> Option<&Path> {
        if self.looked.elapsed_seconds() < LOOK_EVERY_S {
            return None;
        }
        self.looked = Stopwatch::start();
        // Each is checked, so that files that change together are one change.
        let changed: Vec<bool> = self.files.iter_mut().map(Watched::has_changed).collect();
        let first = changed.iter().position(|has_changed| *has_changed)?;
        Some(&self.files[first].path)
    }

    /// Whether the scene's own file has this text, as far as was read.
    pub(super) fn has(&self, text: &str) -> bool {
        self.files[0].content == Some(hash_bytes(text.as_bytes()))
    }

    /// Replaces the text of the scene's own file without reporting it as a change by another program.
    ///
    /// # Errors
    /// It has another text than `known`, or cannot be written.
    pub(super) fn replace(&mut self, known: &str, text: &str) -> Result<(), Failure> {
        let own = &mut self.files[0];
        let path = own.path.display();
        let there = std::fs::read(&own.path).map_err(|error| {
            Failure(format!(
                "{path}: cannot be read: {error}; nothing was written, and Share has the scene with the edits"
            ))
        })?;
        if there != known.as_bytes() {
            return Err(Failure(format!(
                "{path}: somebody else has changed it; nothing was written"
            )));
        }
        write_file(&own.path, text.as_bytes())?;
        own.changed = modified(&own.path);
        own.content = Some(hash_bytes(text.as_bytes()));
        Ok(())
    }
}

impl Watched {
    fn of(path: &Path) -> Self {
        Self {
            path: path.to_path_buf(),
            changed: modified(path),
            content: content(path),
        }
    }

    fn has_changed(&mut self) -> bool {
        let changed = modified(&self.path);
        // A program that rewrites the file may remove it for a moment.
        if changed.is_none() || std::mem::replace(&mut self.changed, changed) == changed {
            return false;
        }
        let content = content(&self.path);
        std::mem::replace(&mut self.content, content) != content
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|data| data.modified()).ok()
}

/// The hash of what a file has; none of a pipe, which would be waited for, and of what is too large for a map.
fn content(path: &Path) -> Option<u64> {
    Disk.read(path).ok().map(|bytes| hash_bytes(&bytes))
}
