//! Which file of a crate uses which, and the circles among them.

use crate::scan::{Facts, Path, Written, scan};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// The source files of a crate and their uses.
pub(crate) struct Graph {
    /// Paths below `src`, in order.
    pub(crate) files: Vec<String>,
    /// For each file those it uses.
    pub(crate) uses: Vec<BTreeSet<usize>>,
}

/// The module that a file below `src` is.
fn module_of(file: &str) -> Path {
    let stem = file.trim_end_matches(".rs");
    let mut segments: Path = stem.split('/').map(str::to_string).collect();
    if matches!(segments.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        segments.pop();
    }
    segments
}

/// The files of a folder and those below, as paths from it.
fn files_below(folder: &std::path::Path, before: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let entry = entry.expect("it can be read");
        let name = entry.file_name().into_string().expect("names are plain");
        if entry.path().is_dir() {
            files_below(&entry.path(), &format!("{before}{name}/"), found);
        } else if name.ends_with(".rs") {
            found.push(format!("{before}{name}"));
        }
    }
}

/// The graph of a crate's files, tests left out.
pub(crate) fn graph_of(source: &std::path::Path) -> Graph {
    let mut files = Vec::new();
    files_below(source, "", &mut files);
    let texts = files.into_iter().map(|file| {
        let text = fs::read_to_string(source.join(&file)).expect("it can be read");
        (file, text)
    });
    from_texts(texts.collect())
}

/// As [`graph_of`], of texts.
pub(crate) fn from_texts(mut texts: Vec<(String, String)>) -> Graph {
    texts.sort();
    let modules: BTreeMap<Path, usize> = texts
        .iter()
        .enumerate()
        .map(|(index, (file, _))| (module_of(file), index))
        .collect();
    let facts: Vec<Facts> = texts
        .iter()
        .map(|(file, text)| scan(text, &module_of(file), &|path| modules.contains_key(path)))
        .collect();
    let crate_facts = CrateFacts {
        modules: &modules,
        facts: &facts,
    };
    let mut uses: Vec<BTreeSet<usize>> = facts
        .iter()
        .map(|facts| {
            let targets = facts.named.iter();
            targets
                .filter_map(|written| crate_facts.target(written))
                .collect()
        })
        .collect();
    let files: Vec<String> = texts.into_iter().map(|(file, _)| file).collect();
    for (index, targets) in uses.iter_mut().enumerate() {
        targets.remove(&index);
    }
    let is_test = |index: usize| {
        let module = module_of(&files[index]);
        (0..module.len()).any(|end| {
            let parent = modules.get(&module[..end]).copied();
            parent.is_some_and(|parent| facts[parent].test_modules.contains(&module[end]))
        })
    };
    let tests: BTreeSet<usize> = (0..files.len()).filter(|&index| is_test(index)).collect();
    for (index, targets) in uses.iter_mut().enumerate() {
        if tests.contains(&index) {
            targets.clear();
        }
        targets.retain(|target| !tests.contains(target));
    }
    Graph { files, uses }
}

struct CrateFacts<'a> {
    modules: &'a BTreeMap<Path, usize>,
    facts: &'a [Facts],
}

impl CrateFacts<'_> {
    /// From the crate's root; none for paths that lead out of the crate.
    fn absolute(&self, written: &Written) -> Option<Path> {
        let (mut base, mut rest) = (written.scope.clone(), written.segments.as_slice());
        match rest.first().map(String::as_str) {
            Some("crate") => {
                base.clear();
                rest = &rest[1..];
            }
            Some("self") => rest = &rest[1..],
            Some("super") => {
                while rest.first().is_some_and(|word| word == "super") {
                    base.pop();
                    rest = &rest[1..];
                }
            }
            Some(child) => {
                let inside = base.iter().cloned().chain([child.to_string()]).collect::<Path>();
                self.modules.get(&inside)?;
            }
            None => return None,
        }
        base.extend(rest.iter().cloned());
        Some(base)
    }

    /// The file that declares what a path names, re-exports followed.
    fn target(&self, written: &Written) -> Option<usize> {
        let path = self.absolute(written)?;
        self.declared_at(&path, &mut BTreeSet::new())
    }

    fn declared_at(&self, path: &[String], seen: &mut BTreeSet<Path>) -> Option<usize> {
        if !seen.insert(path.to_vec()) {
            return None;
        }
        let (file, rest) = (0..=path.len())
            .rev()
            .find_map(|end| Some((*self.modules.get(&path[..end])?, &path[end..])))?;
        let Some(name) = rest.first() else {
            return Some(file);
        };
        let facts = &self.facts[file];
        if facts.declares.contains(name) {
            return Some(file);
        }
        if let Some(import) = facts.imports.get(name) {
            // What comes from another crate is no use of the file that hands it on.
            let mut path = self.absolute(import)?;
            path.extend(rest[1..].iter().cloned());
            return self.declared_at(&path, seen);
        }
        for glob in facts.globs.iter().filter_map(|glob| self.absolute(glob)) {
            let Some(&module) = self.modules.get(&glob) else {
                continue;
            };
            if self.facts[module].declares.contains(name) || self.facts[module].imports.contains_key(name) {
                let path: Path = glob.iter().chain(rest).cloned().collect();
                return self.declared_at(&path, seen);
            }
        }
        let exported = self.facts.iter().position(|facts| facts.exports.contains(name));
        Some(exported.unwrap_or(file))
    }
}

impl Graph {
    /// The graph of the modules right below the root, by name; a root with items of its own is `(root)`.
    pub(crate) fn of_modules(&self) -> Self {
        let top = |file: &String| module_of(file).first().cloned().unwrap_or("(root)".to_string());
        let names: BTreeSet<String> = self.files.iter().map(top).collect();
        let files: Vec<String> = names.into_iter().collect();
        let place = |file: usize| {
            files
                .iter()
                .position(|name| *name == top(&self.files[file]))
                .expect("collected above")
        };
        let mut uses = vec![BTreeSet::new(); files.len()];
        for (file, targets) in self.uses.iter().enumerate() {
            let from = place(file);
            uses[from].extend(
                targets
                    .iter()
                    .map(|&target| place(target))
                    .filter(|&to| to != from),
            );
        }
        Self { files, uses }
    }

    /// Groups of files that reach each other, in an order in which each uses only itself and earlier ones.
    pub(crate) fn components(&self) -> Vec<Vec<usize>> {
        let reach: Vec<BTreeSet<usize>> = (0..self.files.len())
            .map(|file| self.reached_from(file))
            .collect();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for file in 0..self.files.len() {
            let mates =
                |group: &Vec<usize>| reach[file].contains(&group[0]) && reach[group[0]].contains(&file);
            match groups.iter_mut().find(|group| mates(group)) {
                Some(group) => group.push(file),
                None => groups.push(vec![file]),
            }
        }
        // Who reaches less comes first; of two that reach alike neither uses the other.
        groups.sort_by_key(|group| reach[group[0]].len());
        groups
    }

    /// The groups of more than one, by name.
    pub(crate) fn circles(&self) -> Vec<Vec<&str>> {
        let groups = self.components().into_iter().filter(|group| group.len() > 1);
        groups
            .map(|group| group.iter().map(|&file| self.files[file].as_str()).collect())
            .collect()
    }

    /// All that a file uses, directly or through others, and itself.
    fn reached_from(&self, file: usize) -> BTreeSet<usize> {
        let (mut reached, mut open) = (BTreeSet::from([file]), vec![file]);
        while let Some(next) = open.pop() {
            open.extend(
                self.uses[next]
                    .iter()
                    .copied()
                    .filter(|target| reached.insert(*target)),
            );
        }
        reached
    }
}
