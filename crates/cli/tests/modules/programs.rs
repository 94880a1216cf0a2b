//! Programs of tests and their modules: each file below a folder `tests` is a program or a module of one. What no module names
//! is not compiled, and nobody would notice that what it tests is not tested. So are the unit tests of a library that says
//! `test = false`, which `unit-tests/` compiles.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Whether a file is the root of a program: `tests/NAME.rs` or `tests/NAME/main.rs`.
fn is_program(path: &str) -> bool {
    let mut segments = path.rsplit('/');
    let (name, folder) = (segments.next(), segments.next());
    folder == Some("tests") || (name == Some("main.rs") && segments.next() == Some("tests"))
}

/// The module in a file of its own that a line declares.
fn declared_module(line: &str) -> Option<&str> {
    let (before, name) = line.strip_suffix(';')?.split_once("mod ")?;
    let is_name = name
        .chars()
        .all(|letter| letter.is_alphanumeric() || letter == '_');
    (is_name && (before.is_empty() || before.starts_with("pub"))).then_some(name)
}

/// A path without `..`.
fn straight(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in path.split('/') {
        if segment == ".." {
            segments.pop();
        } else {
            segments.push(segment);
        }
    }
    segments.join("/")
}

/// Where the modules that a file declares may be.
fn modules_of(file: &str, text: &str) -> Vec<String> {
    let (folder, name) = file.rsplit_once('/').expect("it lies in a folder");
    let below = if is_program(file) || name == "mod.rs" {
        folder
    } else {
        file.trim_end_matches(".rs")
    };
    let (mut found, mut given) = (Vec::new(), None);
    for line in text.lines().map(str::trim) {
        let path = line.strip_prefix("#[path = \"");
        if let Some(path) = path.and_then(|rest| rest.strip_suffix("\"]")) {
            given = Some(straight(&format!("{folder}/{path}")));
        } else if let Some(module) = declared_module(line) {
            match given.take() {
                Some(path) => found.push(path),
                None => found.extend([format!("{below}/{module}.rs"), format!("{below}/{module}/mod.rs")]),
            }
        }
    }
    found
}

/// The files that are in no program, of all below some folders `tests`.
fn left_out(texts: &BTreeMap<String, String>) -> Vec<&str> {
    let paths = || texts.keys().map(String::as_str);
    let mut reached: Vec<&str> = paths().filter(|path| is_program(path)).collect();
    let mut parts = BTreeSet::new();
    while let Some(file) = reached.pop() {
        if parts.insert(file) {
            let modules = modules_of(file, &texts[file]);
            let known = modules.iter().filter_map(|path| texts.get_key_value(path));
            reached.extend(known.map(|(path, _)| path.as_str()));
        }
    }
    paths().filter(|path| !parts.contains(path)).collect()
}

/// Reads all Rust files below a folder, and calls each by its path from the repository.
fn read_all(folder: &Path, name: &str, texts: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("it can be read").path();
        let below = path.file_name().and_then(|name| name.to_str());
        let name = format!("{name}/{}", below.expect("names are plain"));
        if path.is_dir() {
            read_all(&path, &name, texts);
        } else if name.ends_with(".rs") {
            texts.insert(name, fs::read_to_string(&path).expect("it can be read"));
        }
    }
}

#[test]
fn no_file_of_tests_is_left_out_of_the_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut texts = BTreeMap::new();
    for group in ["crates", "bench", "examples", "games"] {
        for entry in fs::read_dir(root.join(group)).expect("it is a folder of crates") {
            let name = entry.expect("it can be read").file_name();
            let name = format!("{group}/{}/tests", name.to_str().expect("names are plain"));
            read_all(&root.join(&name), &name, &mut texts);
        }
    }
    assert!(texts.len() > 200, "only {} files were found", texts.len());
    assert_eq!(left_out(&texts), Vec::<&str>::new());
}

/// Whether a manifest says of its library that `cargo test` leaves its unit tests out.
fn leaves_unit_tests_out(manifest: &str) -> bool {
    let library = manifest
        .split("\n[")
        .find(|section| section.starts_with("lib]\n"));
    library.is_some_and(|lines| lines.lines().any(|line| line == "test = false"))
}

#[test]
fn unit_tests_that_a_crate_leaves_out_are_programs_of_their_own() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let read = |path: &str| fs::read_to_string(root.join(path)).expect("it can be read");
    let programs = read("unit-tests/Cargo.toml");
    let mut left_out = 0;
    for entry in fs::read_dir(root.join("crates")).expect("it is a folder of crates") {
        let name = entry.expect("it can be read").file_name();
        let name = name.to_str().expect("names are plain");
        if leaves_unit_tests_out(&read(&format!("crates/{name}/Cargo.toml"))) {
            let program =
                format!("[[test]]\nname = \"unit_{name}\"\npath = \"../crates/{name}/src/lib.rs\"\n");
            assert!(
                programs.contains(&program),
                "nobody runs the unit tests of {name}"
            );
            left_out += 1;
        }
    }
    assert_eq!(programs.matches("[[test]]").count(), left_out);
    let workspace = read("Cargo.toml");
    let tested = workspace
        .split("\ndefault-members = [")
        .nth(1)
        .and_then(|rest| rest.split(']').next());
    assert!(tested.is_some_and(|list| list.contains("\"unit-tests\"")));
}

#[test]
fn a_library_that_leaves_its_unit_tests_out_says_so_in_its_own_section() {
    assert!(leaves_unit_tests_out(
        "[package]\nname = \"a\"\n\n[lib]\ntest = false\n\n[features]\n"
    ));
    assert!(!leaves_unit_tests_out(
        "[package]\nname = \"a\"\n\n[lib]\nbench = false\n\n[[test]]\nname = \"b\"\ntest = false\n"
    ));
}

#[test]
fn files_that_no_module_names_are_found() {
    let texts = [
        ("a/tests/alone.rs", "mod helpers;\n// mod forgotten;"),
        ("a/tests/helpers/mod.rs", "pub(crate) mod inner;"),
        ("a/tests/helpers/inner.rs", ""),
        ("a/tests/helpers/outer.rs", ""),
        (
            "a/tests/many/main.rs",
            "#[cfg(unix)]\nmod one;\n#[path = \"../shared/mod.rs\"]\nmod shared;",
        ),
        ("a/tests/many/one.rs", "mod deep;"),
        ("a/tests/many/one/deep.rs", ""),
        ("a/tests/many/deep.rs", ""),
        ("a/tests/many/forgotten.rs", "#[test] fn is_true() {}"),
        ("a/tests/shared/mod.rs", ""),
    ];
    let texts = texts.map(|(path, text)| (path.to_string(), text.to_string()));
    assert_eq!(
        left_out(&BTreeMap::from(texts)),
        [
            "a/tests/helpers/outer.rs",
            "a/tests/many/deep.rs",
            "a/tests/many/forgotten.rs"
        ]
    );
}
