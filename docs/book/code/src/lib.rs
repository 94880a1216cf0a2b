//! The programs of the book, and of the other documents that have some: each is compiled and run by `cargo test -p
//! tombolo-book --doc`. A program stands in its chapter and nowhere else; here is only the list of chapters.
//!
//! Scenes and pictures of the book are tested by `crates/cli/tests/command/book.rs`, which has the command that draws them.
#![deny(unsafe_code)]

/// Makes each document the documentation of a module, so that its programs are tests, and lists the documents.
macro_rules! documents {
    ($($module:ident: $file:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../", $file))]
            mod $module {}
        )*

        /// The documents whose programs are tested, as paths from `docs/`.
        #[cfg(test)]
        const DOCUMENTS: &[&str] = &[$($file),*];
    };
}

documents! {
    assets: "assets.md",
    composites: "composites.md",
    controls: "controls.md",
    entities: "entities.md",
    queries_in_full: "queries.md",
    recording: "recording.md",
    rewind: "rewind.md",
    saves: "saves.md",
    tiles: "tiles.md",
    introduction: "book/src/introduction.md",
    first_world: "book/src/first-world.md",
    bodies: "book/src/bodies.md",
    shapes: "book/src/shapes.md",
    joints: "book/src/joints.md",
    events: "book/src/events.md",
    queries: "book/src/queries.md",
    scenes: "book/src/scenes.md",
    scripts: "book/src/scripts.md",
    top_down: "book/src/top-down.md",
    platform: "book/src/platform.md",
    determinism: "book/src/determinism.md",
    rollback: "book/src/rollback.md",
    server: "book/src/server.md",
    performance: "book/src/performance.md",
    extending: "book/src/extending.md",
    from_box2d: "book/src/from-box2d.md",
    from_rapier: "book/src/from-rapier.md",
    from_avian: "book/src/from-avian.md",
}

#[cfg(test)]
mod tests {
    use super::DOCUMENTS;
    use std::fs;
    use std::path::{Path, PathBuf};

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
}
