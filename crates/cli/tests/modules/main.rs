//! The modules of each crate and what they use: printed, and held to the layers of `layers.rs`; and no file is in a circle
//! of files that use one another. `programs.rs`: no file of tests is left out.
//!
//! `cargo test -p tombolo-cli --test modules -- --ignored --nocapture` prints the graph of every crate, ground modules
//! first; `TOMBOLO_CRATE=physics` picks one, `TOMBOLO_TREE=FOLDER` another checkout, such as that of an older commit.
#![allow(missing_docs)]

mod graph;
mod layers;
mod programs;
mod scan;

use graph::{Graph, from_texts, graph_of};
use layers::LAYERS;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// The folders of all crates of the engine.
fn crates() -> Vec<(String, PathBuf)> {
    crates_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."))
}

/// The names of the crates in a folder and where their sources are, sorted.
fn crates_in(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).expect("the crates lie in crates/");
    let mut found: Vec<(String, PathBuf)> = entries
        .map(|entry| entry.expect("it can be read"))
        .map(|entry| {
            (
                entry.file_name().into_string().expect("names are plain"),
                entry.path().join("src"),
            )
        })
        .filter(|(_, source)| source.exists())
        .collect();
    found.sort();
    found
}

/// The graph as lines: each module with what it uses, circles in brackets.
fn print(name: &str, files: &Graph) -> String {
    let modules = files.of_modules();
    let mut text = format!(
        "{name}: {} modules, {} files\n",
        modules.files.len(),
        files.files.len()
    );
    for group in modules.components() {
        let mark = if group.len() > 1 { "[circle] " } else { "" };
        for module in group {
            let uses: Vec<&str> = modules.uses[module]
                .iter()
                .map(|&used| modules.files[used].as_str())
                .collect();
            writeln!(text, "  {mark}{} -> {}", modules.files[module], uses.join(", "))
                .expect("into a string");
        }
    }
    for circle in files.circles() {
        writeln!(text, "  files in a circle: {}", circle.join(", ")).expect("into a string");
    }
    text
}

#[test]
#[ignore = "prints"]
fn print_the_graph_of_modules() {
    let wanted = std::env::var("TOMBOLO_CRATE").ok();
    let crates = std::env::var_os("TOMBOLO_TREE")
        .map_or_else(crates, |tree| crates_in(&Path::new(&tree).join("crates")));
    for (name, source) in crates {
        if wanted.as_ref().is_none_or(|wanted| *wanted == name) {
            println!("{}", print(&name, &graph_of(&source)));
        }
    }
}

#[test]
fn no_file_is_in_a_circle() {
    let mut checked = 0;
    for (name, source) in crates() {
        let graph = graph_of(&source);
        checked += graph.files.len();
        assert!(graph.circles().is_empty(), "{}", print(&name, &graph));
    }
    assert!(checked > 200, "only {checked} files were found");
}

/// What of a crate's modules is not as its layers say, one sentence each.
fn breaches(modules: &Graph, layers: &[&str]) -> Vec<String> {
    let layer_of = |module: &str| {
        let is_in = |layer: &&str| layer.split(' ').any(|name| name == module);
        layers.iter().position(is_in)
    };
    let mut found = Vec::new();
    let listed = layers.iter().flat_map(|layer| layer.split(' '));
    for name in listed.filter(|name| !modules.files.iter().any(|module| module == name)) {
        found.push(format!("{name} is listed and not there"));
    }
    for (module, uses) in modules.files.iter().zip(&modules.uses) {
        let Some(layer) = layer_of(module) else {
            found.push(format!("{module} is not listed"));
            continue;
        };
        for used in uses.iter().map(|&used| &modules.files[used]) {
            if layer_of(used).is_some_and(|below| below <= layer) {
                found.push(format!("{module} must not use {used}"));
            }
        }
    }
    found
}

#[test]
fn modules_use_only_layers_below_their_own() {
    let crates = crates();
    let known: Vec<&str> = crates.iter().map(|(name, _)| name.as_str()).collect();
    let listed: Vec<&str> = LAYERS.iter().map(|(name, _)| *name).collect();
    assert_eq!(known, listed, "every crate has layers");
    for ((name, source), (_, layers)) in crates.iter().zip(LAYERS) {
        assert_eq!(
            breaches(&graph_of(source).of_modules(), layers),
            Vec::<String>::new(),
            "in crate {name}"
        );
    }
}

#[test]
fn breaches_of_layers_are_found() {
    let graph = crate_of(&[
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
        ("a.rs", "use crate::b::B; use crate::c::C;"),
        ("b.rs", "pub struct B;"),
        ("c.rs", "use crate::b::B; pub struct C;"),
        ("d.rs", "use crate::a::A;"),
    ]);
    let found = |layers| breaches(&graph.of_modules(), layers);
    assert_eq!(found(&["(root) d", "a", "c", "b"]), Vec::<String>::new());
    assert_eq!(
        found(&["(root) d", "a c", "b gone"]),
        ["gone is listed and not there", "a must not use c"]
    );
    assert_eq!(
        found(&["(root)", "b", "a", "c"]),
        ["a must not use b", "c must not use b", "d is not listed"]
    );
}

/// A crate of files and their texts.
fn crate_of(files: &[(&str, &str)]) -> Graph {
    let texts = files
        .iter()
        .map(|(file, text)| (file.to_string(), text.to_string()));
    from_texts(texts.collect())
}

fn uses(graph: &Graph, file: &str) -> Vec<String> {
    let place = graph.files.iter().position(|known| known == file);
    let used = &graph.uses[place.expect("it is there")];
    let mut names: Vec<String> = used.iter().map(|&used| graph.files[used].clone()).collect();
    names.sort();
    names
}

#[test]
fn uses_are_found_through_re_exports_parents_and_paths_in_code() {
    let graph = crate_of(&[
        (
            "lib.rs",
            "mod a; mod b; mod c; pub use b::Item; pub use glam::Vec2;",
        ),
        (
            "a.rs",
            "use crate::{Item, Vec2, c::{self, *}}; fn f() { crate::b::inner::g(); }",
        ),
        (
            "b/mod.rs",
            "pub mod inner; pub struct Item; fn f() { inner::g() }",
        ),
        (
            "b/inner.rs",
            "pub(in crate::c) fn g() {} use super::Item as Other;",
        ),
        (
            "c.rs",
            "// use crate::a;\nconst TEXT: &str = \"crate::a::x\"; mod deep { use super::super::b::Item; }",
        ),
    ]);
    assert_eq!(uses(&graph, "a.rs"), ["b/inner.rs", "b/mod.rs", "c.rs"]);
    assert_eq!(uses(&graph, "b/mod.rs"), ["b/inner.rs"]);
    assert_eq!(uses(&graph, "b/inner.rs"), ["b/mod.rs"]);
    assert_eq!(uses(&graph, "c.rs"), ["b/mod.rs"]);
    assert_eq!(graph.circles(), [["b/inner.rs", "b/mod.rs"]]);
    assert_eq!(graph.of_modules().circles(), Vec::<Vec<&str>>::new());
}

#[test]
fn tests_use_what_they_like() {
    let graph = crate_of(&[
        ("lib.rs", "mod a; mod b; #[cfg(test)] mod tests;"),
        (
            "a.rs",
            "#[cfg(all(test, not_loom))] mod tests { use crate::b::X; } fn f<'a>(c: char) { c == '\\''; }",
        ),
        ("b.rs", "use crate::a::f; pub struct X;"),
        ("tests.rs", "use crate::a::f; use crate::b::X;"),
    ]);
    assert_eq!(uses(&graph, "a.rs"), Vec::<String>::new());
    assert_eq!(uses(&graph, "b.rs"), ["a.rs"]);
    assert_eq!(uses(&graph, "tests.rs"), Vec::<String>::new());
    assert!(graph.circles().is_empty());
}

#[test]
fn circles_of_three_modules_are_found_whole() {
    let graph = crate_of(&[
        ("a.rs", "use crate::b::B; pub struct A;"),
        ("b.rs", "use crate::c::C; pub struct B;"),
        ("c.rs", "use crate::a::A; pub struct C;"),
        ("d.rs", "use crate::a::A;"),
        ("lib.rs", "mod a; mod b; mod c; mod d;"),
    ]);
    assert_eq!(graph.circles(), [["a.rs", "b.rs", "c.rs"]]);
    let order: Vec<usize> = graph.components().iter().map(Vec::len).collect();
    assert_eq!((order.len(), order.iter().max()), (3, Some(&3)));
}
