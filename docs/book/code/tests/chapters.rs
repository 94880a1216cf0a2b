//! The list of documents with programs is complete, and none of their programs is left out.

use std::fs;
use std::path::{Path, PathBuf};

use tombolo_book::DOCUMENTS;

/// The documents whose programs another package compiles, with its source that lists them, from the repository's root: Bevy
/// stays out of the engine's workspace.
const ELSEWHERE: &[(&str, &str)] = &[("book/src/bevy.md", "crates/bevy/book/src/lib.rs")];

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
    listed.extend(ELSEWHERE.iter().map(|(document, _)| *document));
    listed.sort_unstable();
    assert_eq!(listed, with_programs);
}

#[test]
fn what_is_compiled_elsewhere_is_listed_there() {
    for (document, source) in ELSEWHERE {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let text = fs::read_to_string(root.join(source)).expect("a source");
        assert!(
            text.contains(&format!("/docs/{document}\")")),
            "{document} in {source}"
        );
    }
}

/// The blocks of code of a document: what is said of each, and its lines.
fn blocks(text: &str) -> Vec<(&str, Vec<&str>)> {
    let mut blocks: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        match line.strip_prefix("```") {
            Some(_) if is_inside => is_inside = false,
            Some(kind) => {
                blocks.push((kind, Vec::new()));
                is_inside = true;
            }
            None if is_inside => blocks.last_mut().expect("it has begun").1.push(line),
            None => {}
        }
    }
    blocks
}

/// Whether a line is one of a program in Rust: it declares something, or is a statement that ends.
fn is_rust(line: &str) -> bool {
    let line = line.trim();
    let declares = ["fn ", "pub ", "let ", "use ", "impl ", "struct ", "#["];
    declares.iter().any(|word| line.starts_with(word)) || line.ends_with(';')
}

/// `rust,ignore` and the like would hide a program that no longer compiles, and so would calling it a text. A text may show
/// the code of another library, which its first line names after `//`, and a value without declarations, as that of a table.
#[test]
fn no_program_is_left_out() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    texts(&docs, &mut found);
    let (mut programs, mut of_others) = (0, 0);
    for (path, text) in &found {
        for (kind, lines) in blocks(text) {
            let name = path.display();
            if kind.starts_with("rust") {
                programs += 1;
                assert_eq!(kind, "rust", "{name}");
            } else if matches!(kind, "" | "text") && lines.iter().any(|line| is_rust(line)) {
                let first = lines[0];
                let peer = ["// rapier2d", "// avian2d"];
                assert!(
                    peer.iter().any(|peer| first.ends_with(peer)),
                    "{name}: a program called a text: {first}"
                );
                of_others += 1;
            }
        }
    }
    assert!(programs > 60, "only {programs} programs were found");
    assert_eq!(of_others, 2);
}
