//! The list of documents with programs is complete, and none of their programs is left out.

use std::fs;
use std::path::{Path, PathBuf};

use tombolo_book::DOCUMENTS;

/// All documents below `docs/`, with their texts.
fn texts(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    for entry in fs::read_dir(folder).expect("a folder of documents") {
        let path = entry.expect("it can be read").path();
        if path.is_dir() {
            texts(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            let text = fs::read_to_string(&path).expect("a document");
            found.push((path, text));
        }
    }
}

/// A document that is not on the list would show programs that nobody has compiled.
#[test]
fn every_document_with_a_program_is_on_the_list() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    texts(&docs, &mut found);
    let mut with_programs: Vec<String> = found
        .iter()
        .filter(|(_, text)| text.contains("```rust"))
        .map(|(path, _)| path.strip_prefix(&docs).expect("below docs/"))
        .map(|path| path.to_str().expect("names are plain").replace('\\', "/"))
        .collect();
    with_programs.sort();
    let mut listed = DOCUMENTS.to_vec();
    listed.sort_unstable();
    assert_eq!(listed, with_programs);
}

/// `rust,ignore` and the like would hide a program that no longer compiles.
#[test]
fn no_program_is_left_out() {
    for name in DOCUMENTS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        let text = fs::read_to_string(&path).expect("a document");
        for line in text.lines().filter(|line| line.starts_with("```rust")) {
            assert_eq!(line, "```rust", "{name}");
        }
    }
}
