//! What the tests of recordings share: which public methods change a world, which of them are recorded, and the names in a
//! table of calls.

use crate::tree::{read, root, sources};

/// A method that is not recorded: the end of its file's path, its name, and the reason.
pub(crate) type NotRecorded = (&'static str, &'static str, &'static str);

/// What was found in some folders.
pub(crate) struct Found {
    /// Methods that are neither recorded nor listed, or both.
    pub(crate) missing: Vec<String>,
    /// What is on the list and not there.
    pub(crate) unused: Vec<NotRecorded>,
    /// How many are recorded.
    pub(crate) recorded: usize,
}

/// Looks through the folders for public methods that take `&mut self`. One with one of the `marks` in its body, written without
/// spaces, is recorded.
pub(crate) fn look_for_calls(folders: &[&str], not_recorded: &[NotRecorded], marks: &[&str]) -> Found {
    let mut found = Found {
        missing: Vec::new(),
        unused: not_recorded.to_vec(),
        recorded: 0,
    };
    for path in folders.iter().flat_map(|folder| sources(&root().join(folder))) {
        let source = read(&path);
        let path = path.display().to_string();
        for (name, body) in changing_methods(&source) {
            // However its lines are broken.
            let body: String = body.split_whitespace().collect();
            let listed = found
                .unused
                .iter()
                .position(|(file, method, _)| path.ends_with(file) && *method == name);
            let is_recorded = marks.iter().any(|mark| body.contains(mark));
            found.recorded += usize::from(is_recorded);
            match (listed, is_recorded) {
                (Some(place), false) => drop(found.unused.remove(place)),
                (None, true) => {}
                (Some(_), true) => found.missing.push(format!(
                    "{path}: {name} is recorded, and on the list of those that are not"
                )),
                (None, false) => found.missing.push(format!("{path}: {name}")),
            }
        }
    }
    found
}

/// A public method that takes `&mut self`: its name, and its body.
fn changing_methods(source: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = source;
    while let Some(at) = rest.find("    pub fn ") {
        rest = &rest[at + "    pub fn ".len()..];
        let name: String = rest
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        let Some(open) = rest.find("{\n") else { break };
        let end = rest.find("\n    }\n").map_or(rest.len(), |end| end + 1);
        if rest[..open].contains("&mut self") {
            found.push((name, rest[open..end.max(open)].to_string()));
        }
    }
    found
}

/// The names in the table of calls in a file, in its order.
pub(crate) fn names_in_table(path: &str) -> Vec<String> {
    let table = read(&root().join(path));
    let calls = table.lines().filter_map(|line| line.strip_prefix("            "));
    let names = calls.filter_map(|line| line.split_once(" {").map(|(name, _)| name));
    names
        .filter(|name| name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric))
        .map(str::to_string)
        .collect()
}
