//! What the tests of the repository share: where it lies, and the sources in it.

use std::fs;
use std::path::{Path, PathBuf};

pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies in crates/")
        .to_path_buf()
}

pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// All Rust files below a folder, in order.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut entries: Vec<PathBuf> = entries
        .map(|entry| entry.expect("it can be read").path())
        .collect();
    entries.sort();
    let below = |path: PathBuf| {
        if path.is_dir() {
            sources(&path)
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            vec![path]
        } else {
            Vec::new()
        }
    };
    entries.into_iter().flat_map(below).collect()
}
