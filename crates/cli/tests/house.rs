//! The rules of the house that a program can check: which crate may know which, where unsafe code may be, and that the
//! paths in the documents exist. How long files may be: `sizes.rs`.
#![allow(missing_docs)]

mod tree;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use tree::{read, root, sources};

/// Each crate of the engine and those of the engine that it may depend on. Arrows go one way.
const ARROWS: [(&str, &[&str]); 14] = [
    ("tombolo-handles", &[]),
    ("tombolo-threads", &[]),
    ("tombolo-locks", &["tombolo-threads"]),
    ("tombolo-geometry", &["tombolo-handles", "tombolo-threads"]),
    (
        "tombolo-physics",
        &["tombolo-handles", "tombolo-threads", "tombolo-geometry"],
    ),
    ("tombolo-scenes", &["tombolo-physics"]),
    (
        "tombolo-environments",
        &["tombolo-threads", "tombolo-physics", "tombolo"],
    ),
    ("tombolo-entity", &["tombolo-handles"]),
    (
        "tombolo",
        &[
            "tombolo-handles",
            "tombolo-threads",
            "tombolo-locks",
            "tombolo-geometry",
            "tombolo-physics",
            "tombolo-entity",
        ],
    ),
    ("tombolo-maps", &["tombolo"]),
    ("tombolo-session", &["tombolo"]),
    (
        "tombolo-cli",
        &["tombolo", "tombolo-maps", "tombolo-scenes", "tombolo-session"],
    ),
    (
        "tombolo-web",
        &["tombolo-threads", "tombolo-physics", "tombolo", "tombolo-session"],
    ),
    ("bevy_tombolo", &["tombolo-threads", "tombolo-physics", "tombolo"]),
];

/// The crates that stay free of procedural macros and heavy dependencies, and all that they may use from outside.
const LEAN: [&str; 5] = [
    "tombolo-handles",
    "tombolo-threads",
    "tombolo-locks",
    "tombolo-geometry",
    "tombolo-physics",
];
const LEAN_DEPENDENCIES: [&str; 12] = [
    "allocator-api2",
    "bytemuck",
    "glam",
    "libm",
    "lock_api",
    "loom",
    "miniz_oxide",
    "mint",
    "rayon",
    "robust",
    "serde",
    "shuttle",
];

/// The folders of all crates of the engine.
fn crates() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = fs::read_dir(root().join("crates"))
        .expect("the crates lie in crates/")
        .map(|entry| entry.expect("it can be read").path())
        .filter(|path| path.join("Cargo.toml").exists())
        .collect();
    folders.sort();
    folders
}

/// All sources of the engine, without tests and examples, as paths from the root.
fn engine_sources() -> Vec<String> {
    let root = root();
    let mut paths: Vec<String> = crates()
        .iter()
        .flat_map(|folder| sources(&folder.join("src")))
        .map(|path| path.strip_prefix(&root).expect("below the root").to_path_buf())
        .map(|path| path.to_str().expect("paths are plain").replace('\\', "/"))
        .collect();
    paths.sort();
    paths
}

/// A manifest's package name and the names of what it depends on, tests left out.
fn manifest(folder: &Path) -> (String, BTreeSet<String>) {
    let text = read(&folder.join("Cargo.toml"));
    let (mut name, mut dependencies, mut section) = (String::new(), BTreeSet::new(), "");
    for line in text.lines() {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']);
            // A dependency may have a table of its own.
            if let Some((_, dependency)) = section.rsplit_once("dependencies.") {
                dependencies.insert(dependency.to_string());
            }
            continue;
        }
        let Some((key, value)) = line.split_once('=').filter(|_| !line.starts_with('#')) else {
            continue;
        };
        let key = key.split('.').next().unwrap_or_default().trim();
        if section == "package" && key == "name" {
            name = value.trim().trim_matches('"').to_string();
        } else if section.ends_with("dependencies") && section != "dev-dependencies" {
            dependencies.insert(key.to_string());
        }
    }
    (name, dependencies)
}

#[test]
fn arrows_between_the_crates_go_one_way() {
    let mut seen = BTreeSet::new();
    for folder in crates() {
        let (name, dependencies) = manifest(&folder);
        let allowed = ARROWS
            .iter()
            .find(|(known, _)| *known == name)
            .unwrap_or_else(|| panic!("crate {name} is not on the map of arrows"))
            .1;
        for dependency in dependencies.iter().filter(|name| name.starts_with("tombolo")) {
            assert!(
                allowed.contains(&dependency.as_str()),
                "{name} must not know {dependency}"
            );
        }
        seen.insert(name);
    }
    assert_eq!(seen.len(), ARROWS.len(), "every crate on the map exists");
}

#[test]
fn the_lean_crates_stay_lean() {
    let mut checked = 0;
    for folder in crates() {
        let (name, dependencies) = manifest(&folder);
        if !LEAN.contains(&name.as_str()) {
            continue;
        }
        checked += 1;
        for dependency in dependencies.iter().filter(|name| !name.starts_with("tombolo")) {
            assert!(
                LEAN_DEPENDENCIES.contains(&dependency.as_str()),
                "{name} uses {dependency}, which is not on the short list"
            );
        }
    }
    assert_eq!(checked, LEAN.len());
}

/// Whether a line of code, comments left out, has the word.
fn has_word(line: &str, word: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    code.split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|found| found == word)
}

#[test]
fn unsafe_code_is_where_the_list_says_and_nowhere_else() {
    let root = root();
    let found: BTreeSet<String> = engine_sources()
        .into_iter()
        .filter(|path| {
            read(&root.join(path))
                .lines()
                .any(|line| has_word(line, "unsafe"))
        })
        .collect();
    let document = read(&root.join("DETERMINISM.md"));
    let (_, list) = document
        .split_once("\n## Unsafe\n")
        .expect("the section is there");
    let list = list.split("\n## ").next().unwrap_or_default();
    let listed: BTreeSet<String> = list
        .lines()
        .filter_map(|line| line.strip_prefix("| `"))
        .filter_map(|line| line.split_once('`'))
        .map(|(path, _)| path.to_string())
        .collect();
    let missing: Vec<&String> = found.difference(&listed).collect();
    let stale: Vec<&String> = listed.difference(&found).collect();
    assert!(
        missing.is_empty() && stale.is_empty(),
        "DETERMINISM.md, \"Unsafe\": not listed {missing:?}, listed without need {stale:?}"
    );
}

#[test]
fn every_crate_with_code_denies_unsafe_code_at_its_root() {
    for folder in crates() {
        let source = folder.join("src");
        let file = ["lib.rs", "main.rs"]
            .map(|name| source.join(name))
            .into_iter()
            .find(|path| path.exists())
            .expect("a crate has a root");
        let text = read(&file);
        let has_code = text.lines().any(|line| !line.starts_with("//"));
        assert!(
            !has_code || text.contains("#![deny(unsafe_code)]") || text.contains("#![forbid(unsafe_code)]"),
            "{} does not deny unsafe code",
            file.display()
        );
    }
}

/// The words of a document that look like paths of this repository: in backticks, or the target of a link.
fn paths_in(document: &str) -> Vec<&str> {
    let in_backticks = document.split('`').skip(1).step_by(2);
    let in_links = document
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.split('#').next().unwrap_or_default());
    let folders = ["crates/", "bench/", "docs/", "scenes/", ".ci/", ".github/"];
    in_backticks
        .chain(in_links)
        .filter(|path| folders.iter().any(|folder| path.starts_with(folder)))
        .filter(|path| !path.contains([' ', '*', '<', '{', '…']))
        .collect()
}

/// All documents: those of the repository's root, and all below `docs/`.
fn documents() -> Vec<String> {
    fn papers(folder: &str, deep: bool, found: &mut Vec<String>) {
        for entry in fs::read_dir(root().join(folder)).expect("a folder of documents") {
            let entry = entry.expect("it can be read");
            let name = entry.file_name().into_string().expect("names are plain");
            let is_folder = entry.file_type().expect("it has a type").is_dir();
            if is_folder && deep {
                papers(&format!("{folder}{name}/"), deep, found);
            } else if name.ends_with(".md") {
                found.push(format!("{folder}{name}"));
            }
        }
    }
    let mut found = Vec::new();
    papers("", false, &mut found);
    papers("docs/", true, &mut found);
    found.sort();
    found
}

#[test]
fn paths_in_the_documents_exist() {
    let root = root();
    let mut count = 0;
    for document in documents() {
        let text = read(&root.join(&document));
        for path in paths_in(&text) {
            count += 1;
            assert!(root.join(path).exists(), "{document} names {path}");
        }
    }
    assert!(count > 50, "only {count} paths were found");
}

/// The anchor that a heading of a document gets: its words in lower case, joined by hyphens, without punctuation.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let letters = text
        .chars()
        .filter(|letter| letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_'));
    letters
        .map(|letter| if letter == ' ' { '-' } else { letter })
        .collect()
}

fn has_heading(document: &Path, wanted: &str) -> bool {
    let text = read(document);
    let mut headings = text.lines().filter(|line| line.starts_with('#'));
    headings.any(|line| anchor(line) == wanted)
}

#[test]
fn links_of_the_documents_lead_to_a_file_and_a_heading() {
    let root = root();
    let mut count = 0;
    for document in documents() {
        let path = root.join(&document);
        let text = read(&path);
        let folder = path.parent().expect("it lies in a folder");
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        for (target, _) in targets.filter(|(target, _)| !target.contains([' ', ':'])) {
            count += 1;
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() {
                path.clone()
            } else {
                folder.join(file)
            };
            assert!(file.exists(), "{document} has a link to {target}");
            assert!(
                heading.is_empty() || has_heading(&file, heading),
                "{document} has a link to {target}, which has no such heading"
            );
        }
    }
    assert!(count > 30, "only {count} links were found");
}

/// A source may name a heading of a document, as `docs/decisions.md#sleep`.
#[test]
fn headings_that_sources_name_exist() {
    let root = root();
    for source in engine_sources() {
        let text = read(&root.join(&source));
        for (at, _) in text.match_indices(".md#") {
            let file = text[..at]
                .rsplit([' ', '`', '(', '\n'])
                .next()
                .unwrap_or_default();
            let heading: String = text[at + 4..]
                .chars()
                .take_while(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
                .collect();
            let document = root.join(format!("{file}.md"));
            assert!(document.exists(), "{source} names {file}.md");
            assert!(
                has_heading(&document, &heading),
                "{source} names {file}.md#{heading}, which has no such heading"
            );
        }
    }
}

/// Words that documents, comments and identifiers gave up, what the field says instead, and below which folders that
/// holds; everywhere if none is named. Parts of identifiers count, texts in quotes do not: components, properties and
/// sections of scenes keep their names, and so do the words of Rust, CSS and other crates.
const RETIRED_WORDS: [(&[&str], &str, &[&str]); 13] = [
    (&["patch", "patches"], "cached manifold", &[]),
    (&["hinge", "hinges", "hinged"], "revolute joint", &[]),
    (&["tiers"], "ablation switches", &[]),
    (&["vessel", "vessels"], "container", &["crates", "fuzz"]),
    (&["untold", "happenings"], "pending events, entity events", &[]),
    (&["desk"], "script context", &[]),
    (
        &["stroke", "strokes"],
        "segment cut",
        &[
            "docs",
            "crates/geometry",
            "crates/physics",
            "crates/tombolo/src/world",
        ],
    ),
    (
        &["outline", "outlines"],
        "concave polygon, convex core, shape geometry, border",
        &[
            "crates/geometry",
            "crates/physics",
            "crates/tombolo/src/world/physical",
            "crates/tombolo/src/world/cut",
            "fuzz",
        ],
    ),
    (
        &["settle", "settles", "settled", "unsettled"],
        "split_islands, sync_from_physics, rebalance",
        &["crates/geometry/src", "crates/physics/src", "crates/tombolo/src"],
    ),
    (
        &["judge", "judges", "judged"],
        "classify",
        &["crates/physics/src"],
    ),
    (
        &["hang", "fellow", "fellows"],
        "list, part",
        &["crates/physics/src/world", "crates/physics/src/state"],
    ),
    (&["seat", "seats"], "worker slot", &["crates/threads"]),
    (
        &["rooms"],
        "free rectangles",
        &["crates/tombolo/src/world", "crates/physics/src/state"],
    ),
];

/// Pieces of British spellings; the American ones stand everywhere.
const RETIRED_SPELLINGS: [&str; 14] = [
    "colour",
    "centre",
    "centring",
    "neighbour",
    "metre",
    "behaviour",
    "favour",
    "armour",
    "serialis",
    "initialis",
    "recognis",
    "optimise",
    "optimisation",
    "labelled",
];

/// Names that other engines or blessed hashes gave, which have a retired word in them.
const GIVEN_NAMES: [&str; 1] = ["falling_hinges"];

/// A Rust source without its strings.
fn without_strings(source: &str) -> String {
    let letters: Vec<char> = source.chars().collect();
    let (mut kept, mut at) = (String::new(), 0);
    while at < letters.len() {
        let is_quote = letters[at] == '"';
        if !is_quote || (at > 0 && letters[at - 1] == '\'' && letters.get(at + 1) == Some(&'\'')) {
            kept.push(letters[at]);
            at += 1;
            continue;
        }
        // A raw string has an r before the number signs before its quote.
        let signs = letters[..at]
            .iter()
            .rev()
            .take_while(|&&letter| letter == '#')
            .count();
        let is_raw = at > signs && letters[at - signs - 1] == 'r';
        at += 1;
        while at < letters.len() {
            let ends = letters[at] == '"'
                && (!is_raw
                    || letters[at + 1..]
                        .iter()
                        .take_while(|&&letter| letter == '#')
                        .count()
                        >= signs);
            at += if letters[at] == '\\' && !is_raw { 2 } else { 1 };
            if ends {
                break;
            }
        }
    }
    kept
}

/// Complains of the retired words of a text, `Word`, `a_word` and `words` apart.
fn check_words(path: &str, text: &str) {
    let mut text = text.to_string();
    for name in GIVEN_NAMES {
        text = text.replace(name, "").replace(&name.to_uppercase(), "");
    }
    let mut split = String::with_capacity(text.len());
    let mut last = ' ';
    for letter in text.chars() {
        if letter.is_uppercase() && last.is_lowercase() {
            split.push(' ');
        }
        split.extend(letter.to_lowercase());
        last = letter;
    }
    for word in split.split(|letter: char| !letter.is_alphanumeric()) {
        for (words, instead, below) in RETIRED_WORDS {
            let counts = below.is_empty() || below.iter().any(|folder| path.starts_with(folder));
            assert!(
                !counts || !words.contains(&word),
                "{path} says \"{word}\"; the word is: {instead}"
            );
        }
        let british = RETIRED_SPELLINGS.iter().find(|piece| word.contains(*piece));
        assert!(
            british.is_none(),
            "{path} says \"{word}\"; spell it as Americans do"
        );
    }
}

#[test]
fn retired_words_do_not_come_back() {
    let root = root();
    for document in documents() {
        // Names in backticks may be those of scenes.
        let text = read(&root.join(&document));
        let prose: Vec<&str> = text.split('`').step_by(2).collect();
        check_words(&document, &prose.join(" "));
    }
    let mut count = 0;
    for folder in ["crates", "bench", "fuzz"] {
        for path in sources(&root.join(folder)) {
            let name = path.strip_prefix(&root).expect("below the root");
            let name = name.to_str().expect("paths are plain").replace('\\', "/");
            if !name.contains("/target/") {
                count += 1;
                check_words(&name, &format!("{name} {}", without_strings(&read(&path))));
            }
        }
    }
    assert!(count > 300, "only {count} sources were found");
}

#[test]
fn strings_are_no_words_of_a_source() {
    let source = r##"one("two \" three", 'f', '"', r#"four "five" "#) // six "seven" eight"##;
    let kept = without_strings(source);
    let words: Vec<&str> = kept
        .split(|letter: char| !letter.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    assert_eq!(words, ["one", "f", "r", "six", "eight"]);
}

/// Names that several types of a crate have: two ways to compile one thing. The list only ever gets shorter.
const SHARED_NAMES: [(&str, &str); 2] = [("tombolo", "Language"), ("tombolo", "Scripts")];

/// The struct or enum that a line of a source declares, outside of functions.
fn declared_type(line: &str) -> Option<&str> {
    let code = line.trim_start();
    if code.starts_with("//") || line.len() - code.len() > 4 {
        return None;
    }
    let mut words = code.split(|c: char| !c.is_alphanumeric() && c != '_');
    let mut kind = words.find(|word| !["", "pub", "crate", "super", "in", "self", "world"].contains(word));
    kind = kind.filter(|kind| matches!(*kind, "struct" | "enum"));
    kind.and(words.next())
}

#[test]
fn a_type_has_a_name_of_its_own_in_its_crate() {
    let root = root();
    let (mut seen, mut shared) = (BTreeSet::new(), BTreeSet::new());
    for path in engine_sources() {
        let crate_name = path.split('/').nth(1).expect("below crates/").to_string();
        let text = read(&root.join(&path));
        for name in text.lines().filter_map(declared_type) {
            if !seen.insert((crate_name.clone(), name.to_string())) {
                let known = SHARED_NAMES.contains(&(crate_name.as_str(), name));
                assert!(known, "{path}: another type of the crate is called {name}");
                shared.insert((crate_name.clone(), name.to_string()));
            }
        }
    }
    assert!(seen.len() > 500, "only {} types were found", seen.len());
    assert_eq!(
        shared.len(),
        SHARED_NAMES.len(),
        "listed without need: all but {shared:?}"
    );
}

#[test]
fn every_source_file_says_what_lives_in_it() {
    let root = root();
    for path in engine_sources() {
        let text = read(&root.join(&path));
        assert!(
            text.starts_with("//! "),
            "{path} begins without a line of what it is"
        );
    }
}

#[test]
fn no_source_has_a_note_for_later() {
    // Put together here, so that this file does not name them.
    let words = ["TO_DO", "FIX_ME", "to_do!", "un_implemented!"].map(|word| word.replace('_', ""));
    let root = root();
    for path in engine_sources() {
        let text = read(&root.join(&path));
        for word in &words {
            assert!(!text.contains(word.as_str()), "{path} says {word}");
        }
    }
}
