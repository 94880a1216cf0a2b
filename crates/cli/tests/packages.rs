//! What each crate must have to be published: what registries ask for in its manifest, its README and licenses beside it,
//! and no source that includes a file from outside its folder.
#![allow(missing_docs)]

mod tree;

use std::fs;
use std::path::{Component, Path, PathBuf};

use tree::{read, root, sources};

/// The folders of the crates that are published, with their manifests.
fn published() -> Vec<(PathBuf, String)> {
    let mut crates: Vec<(PathBuf, String)> = fs::read_dir(root().join("crates"))
        .expect("the crates lie in crates/")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.join("Cargo.toml").exists())
        .map(|path| {
            let manifest = read(&path.join("Cargo.toml"));
            (path, manifest)
        })
        .filter(|(_, manifest)| !manifest.contains("publish = false"))
        .collect();
    crates.sort();
    assert!(crates.len() >= 9, "only {} crates were found", crates.len());
    crates
}

/// The words of a list in a manifest.
fn list<'a>(manifest: &'a str, key: &str) -> Vec<&'a str> {
    let line = manifest
        .lines()
        .find_map(|line| line.strip_prefix(key)?.strip_prefix(" = ["));
    let words = line.map(|line| line.trim_end_matches(']').split(", "));
    words.map_or(Vec::new(), |words| {
        words.map(|word| word.trim_matches('"')).collect()
    })
}

#[test]
fn manifests_say_what_registries_ask_for() {
    for (folder, manifest) in published() {
        let name = folder.display();
        for key in [
            "description = ",
            "readme = \"README.md\"",
            "version.workspace",
            "license.workspace",
            "rust-version.workspace",
        ] {
            assert!(manifest.contains(&format!("\n{key}")), "{name}: no {key}");
        }
        let keywords = list(&manifest, "keywords");
        assert!((1..=5).contains(&keywords.len()), "{name}: {keywords:?}");
        assert!(
            keywords.iter().all(|word| word.len() <= 20),
            "{name}: {keywords:?}"
        );
        let categories = list(&manifest, "categories");
        assert!((1..=5).contains(&categories.len()), "{name}: {categories:?}");
        let is_library = folder.join("src/lib.rs").exists();
        assert_eq!(
            is_library,
            manifest.contains("\n[package.metadata.docs.rs]\n"),
            "{name}: settings of its pages, if it is a library"
        );
    }
}

#[test]
fn readme_and_licenses_lie_in_each_package() {
    for (folder, manifest) in published() {
        let package = manifest.lines().find_map(|line| line.strip_prefix("name = "));
        let package = package.expect("it has a name").trim_matches('"');
        let readme = read(&folder.join("README.md"));
        assert!(
            readme.starts_with(&format!("# {package}\n")),
            "{package}: README.md"
        );
        let included = list(&manifest, "include");
        for file in ["README.md", "LICENSE-*"] {
            assert!(included.contains(&file), "{package} does not include {file}");
        }
        for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let text = read(&folder.join(license));
            assert_eq!(text, read(&root().join(license)), "{package}: {license}");
        }
    }
}

/// npm takes the files that `package.json` lists, maturin those of `license-files`.
#[test]
fn licenses_lie_in_the_packages_of_other_languages() {
    for (folder, manifest, included) in [
        ("packages/js", "package.json", "\"LICENSE-*\""),
        (
            "packages/python",
            "pyproject.toml",
            "\nlicense-files = [\"LICENSE-*\"]\n",
        ),
    ] {
        let folder = root().join(folder);
        let manifest = read(&folder.join(manifest));
        assert!(manifest.contains(included), "{}", folder.display());
        for license in ["LICENSE-MIT", "LICENSE-APACHE"] {
            let text = read(&folder.join(license));
            assert_eq!(text, read(&root().join(license)), "{}", folder.display());
        }
    }
}

/// The features of a manifest.
fn features(manifest: &str) -> Vec<&str> {
    let section = manifest.split("\n[features]\n").nth(1);
    let lines = section
        .into_iter()
        .flat_map(|section| section.lines().take_while(|line| !line.starts_with('[')));
    lines
        .filter(|line| !line.starts_with('#'))
        .filter_map(|line| line.split_once(" = "))
        .map(|(name, _)| name)
        .filter(|name| *name != "default")
        .collect()
}

#[test]
fn readmes_say_what_each_feature_does() {
    let mut count = 0;
    for (folder, manifest) in published() {
        let readme = read(&folder.join("README.md"));
        for feature in features(&manifest) {
            count += 1;
            let by_default = manifest
                .lines()
                .any(|line| line.starts_with("default = ") && line.contains(&format!("\"{feature}\"")));
            let default = if by_default { " (default)" } else { "" };
            let row = format!("\n| `{feature}`{default} | ");
            assert!(
                readme.contains(&row),
                "{}: no row for {feature}",
                folder.display()
            );
        }
    }
    assert!(count > 15, "only {count} features were found");
}

/// The least Rust that the manifests promise is the one that changes are tested with.
#[test]
fn the_least_rust_is_that_of_the_tests() {
    let manifest = read(&root().join("Cargo.toml"));
    let least = manifest
        .lines()
        .find_map(|line| line.strip_prefix("rust-version = "));
    let least = least.expect("the workspace promises one").trim_matches('"');
    let jobs = read(&root().join(".github/workflows/ci.yml"));
    let installs: Vec<&str> = jobs
        .lines()
        .filter(|line| line.contains("toolchain install") && !line.contains("nightly"))
        .collect();
    assert!(!installs.is_empty());
    for line in installs {
        assert!(line.contains(&format!("toolchain install {least} ")), "{line}");
    }
}

/// The files that a source includes, as it names them.
fn includes(source: &str) -> impl Iterator<Item = &str> {
    let calls = ["include_str!(\"", "include_bytes!(\"", "include!(\""];
    calls
        .into_iter()
        .flat_map(|call| source.split(call).skip(1))
        .filter_map(|rest| rest.split('"').next())
}

/// Whether a path from `start`, a folder in `folder`, leads out of it.
fn leads_out(folder: &Path, start: &Path, path: &str) -> bool {
    let below = start.strip_prefix(folder).expect("below the crate");
    let mut depth = below.components().count();
    for component in Path::new(path).components() {
        match component {
            Component::ParentDir if depth == 0 => return true,
            Component::ParentDir => depth -= 1,
            _ => depth += 1,
        }
    }
    false
}

#[test]
fn what_is_published_includes_no_file_from_outside_its_folder() {
    let mut count = 0;
    for (folder, _) in published() {
        let mut files = sources(&folder.join("src"));
        files.extend(sources(&folder.join("examples")));
        // Tests within the sources are compiled from the package too.
        for file in files {
            let text = read(&file);
            for path in includes(&text) {
                count += 1;
                let start = file.parent().expect("it lies in a folder");
                assert!(
                    !leads_out(&folder, start, path),
                    "{} includes {path}",
                    file.display()
                );
            }
        }
    }
    assert!(count > 20, "only {count} included files were found");
}

#[test]
fn examples_of_the_first_page_are_those_that_the_package_tests() {
    let page = read(&root().join("README.md"));
    let tested = read(&root().join("crates/tombolo/README.md"));
    let blocks: Vec<&str> = page
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert_eq!(blocks.len(), 2);
    for block in blocks {
        assert!(
            tested.contains(block),
            "not in crates/tombolo/README.md:\n{block}"
        );
    }
}
