//! The licenses of everything that a published crate brings along allow what the project's own do. Reads the manifests of
//! dependencies for all platforms, which a build for one has not all downloaded: `.ci/run licenses` calls it.
#![allow(missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licenses under which a dependency may come along: all let a user publish under terms of their own.
const ALLOWED: [&str; 10] = [
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages under other licenses, each with the reason why it may come along. `smartstring` comes with `rhai`, that is with
/// the feature `script`: the Mozilla license asks that changes of its own files be published, and nothing of what uses it.
const EXCEPTIONS: [(&str, &str); 1] = [("smartstring", "MPL-2.0+")];

/// Whether an expression of licenses can be met with those that are allowed: `OR` (in old manifests `/`) below `AND`, and
/// parentheses. An exception (`WITH`) only ever allows more.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression
        .replace('/', " OR ")
        .replace('(', " ( ")
        .replace(')', " ) ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let allowed = any_of(&words, &mut at);
    assert_eq!(at, words.len(), "not understood: {expression}");
    allowed
}

/// Terms between `OR`.
fn any_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = all_of(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        allowed |= all_of(words, at);
    }
    allowed
}

/// Terms between `AND`.
fn all_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = term(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        allowed &= term(words, at);
    }
    allowed
}

/// A license, or an expression in parentheses.
fn term(words: &[&str], at: &mut usize) -> bool {
    let Some(&word) = words.get(*at) else {
        return false;
    };
    *at += 1;
    if word == "(" {
        let allowed = any_of(words, at);
        assert_eq!(words.get(*at), Some(&")"), "a parenthesis is open");
        *at += 1;
        return allowed;
    }
    if words.get(*at) == Some(&"WITH") {
        *at += 2;
    }
    ALLOWED.contains(&word)
}

#[test]
fn expressions_of_licenses_are_understood() {
    for allowed in [
        "MIT",
        "MIT OR Apache-2.0",
        "GPL-3.0 OR MIT",
        "Apache-2.0/MIT",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
        "Apache-2.0 WITH LLVM-exception",
    ] {
        assert!(is_allowed(allowed), "{allowed}");
    }
    for refused in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Apache-2.0) AND GPL-3.0",
        "MPL-2.0",
        "",
    ] {
        assert!(!is_allowed(refused), "{refused}");
    }
}

/// The packages of the workspace and all that they use, as cargo knows them.
fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--all-features"])
        .current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))
        .output()
        .expect("cargo built this test");
    assert!(output.status.success(), "{output:?}");
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

fn items<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[test]
#[ignore = "asks the registry for dependencies of other platforms"]
fn dependencies_of_published_crates_have_licenses_that_are_allowed() {
    let metadata = metadata();
    let packages: BTreeMap<&str, &Value> = items(&metadata, "packages")
        .iter()
        .map(|package| (text(package, "id"), package))
        .collect();
    let nodes: BTreeMap<&str, &Value> = items(&metadata["resolve"], "nodes")
        .iter()
        .map(|node| (text(node, "id"), node))
        .collect();
    let members = items(&metadata, "workspace_members")
        .iter()
        .filter_map(Value::as_str);
    // `publish = false` is an empty list of registries.
    let mut open: Vec<&str> = members.filter(|id| packages[id]["publish"].is_null()).collect();
    assert!(open.len() >= 9, "only {} crates are published", open.len());
    let (mut seen, mut exceptions) = (BTreeSet::new(), 0);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let package = packages[id];
        let (name, license) = (text(package, "name"), text(package, "license"));
        let is_exception = EXCEPTIONS.contains(&(name, license));
        exceptions += usize::from(is_exception);
        assert!(
            is_exception || is_allowed(license),
            "{name} has the license {license:?}"
        );
        for dependency in items(nodes[id], "deps") {
            // Tests bring nothing along.
            if items(dependency, "dep_kinds")
                .iter()
                .any(|kind| text(kind, "kind") != "dev")
            {
                open.push(text(dependency, "pkg"));
            }
        }
    }
    assert_eq!(
        exceptions,
        EXCEPTIONS.len(),
        "an exception is listed without need"
    );
    assert!(seen.len() > 50, "only {} packages were found", seen.len());
}
