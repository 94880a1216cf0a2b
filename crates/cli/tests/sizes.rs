//! How long a source file and a function may be.
#![allow(missing_docs)]

mod tree;

use std::collections::BTreeSet;
use std::fs;

use tree::{read, root, sources};

/// Lines of a source file at most.
const FILE_LINES_MAX: usize = 600;

/// Lines of a function at most, from its signature to its closing brace.
const FUNCTION_LINES_MAX: usize = 70;

/// Functions that are longer, and why each is easier to read as one. The list only ever gets shorter.
const LONG_FUNCTIONS: [(&str, &str, &str); 3] = [
    (
        "crates/geometry/src/split/concave_polygon.rs",
        "fmt",
        "a message for each error",
    ),
    (
        "crates/physics/src/solver/contact_prepare.rs",
        "prepare",
        "a kernel: the order of its operations is its result",
    ),
    (
        "crates/tombolo/src/component/shape_geometry.rs",
        "entries",
        "a list of properties",
    ),
];

/// All sources of the engine, without tests and examples: their paths from the root, and their text.
fn engine_sources() -> Vec<(String, String)> {
    let root = root();
    let mut found = Vec::new();
    for entry in fs::read_dir(root.join("crates")).expect("the crates lie in crates/") {
        found.extend(sources(&entry.expect("it can be read").path().join("src")));
    }
    assert!(found.len() > 300, "only {} sources were found", found.len());
    found
        .into_iter()
        .map(|path| {
            let name = path.strip_prefix(&root).expect("below the root");
            let name = name.to_str().expect("paths are plain").replace('\\', "/");
            (name, read(&path))
        })
        .collect()
}

/// The name of the function whose signature begins in a line.
fn function_of(line: &str) -> Option<&str> {
    let (before, after) = line.trim_start().split_once("fn ")?;
    let words = ["pub", "const", "unsafe", "async", "extern", "\"C\""];
    let is_signature = before
        .split_whitespace()
        .all(|word| words.contains(&word) || word.starts_with("pub("));
    let name = after
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .next()?;
    (is_signature && !name.is_empty()).then_some(name)
}

/// The functions of a source that rustfmt has formatted, and their lines. One without a body ends where its signature does.
fn functions(text: &str) -> Vec<(&str, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let Some(name) = function_of(line) else { continue };
        let indentation = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| {
            let Some(rest) = line.strip_prefix(indentation) else {
                return false;
            };
            rest.starts_with('}') || !rest.starts_with([' ', '{', ')']) && rest.ends_with(['}', ';'])
        };
        let end = lines[index..].iter().position(ends).unwrap_or(0);
        found.push((name, end + 1));
    }
    found
}

#[test]
fn no_source_file_is_longer_than_the_limit() {
    for (path, text) in engine_sources() {
        let lines = text.lines().count();
        assert!(lines <= FILE_LINES_MAX, "{path} has {lines} lines");
    }
}

#[test]
fn functions_are_short_but_for_those_with_a_reason() {
    let mut long = BTreeSet::new();
    let mut count = 0;
    for (path, text) in &engine_sources() {
        for (name, lines) in functions(text) {
            count += 1;
            if lines > FUNCTION_LINES_MAX {
                let listed = LONG_FUNCTIONS
                    .iter()
                    .any(|(file, of, _)| file == path && *of == name);
                assert!(listed, "{path}: {name} has {lines} lines");
                long.insert((path.clone(), name.to_string()));
            }
        }
    }
    assert!(count > 3_000, "only {count} functions were found");
    assert_eq!(
        long.len(),
        LONG_FUNCTIONS.len(),
        "listed without need: all but {long:?}"
    );
}

#[test]
fn lines_of_functions_are_counted() {
    let body = "    let x = 1;\n".repeat(71);
    let text = format!(
        "trait T {{\n    fn declared(&self) -> u32;\n    fn short() {{}}\n}}\n\npub(crate) const fn long(\n    a: u32,\n) {{\n{body}}}\n"
    );
    assert_eq!(functions(&text), [("declared", 1), ("short", 1), ("long", 75)]);
}
