//! Every public call that changes a world of entities is recorded, or on the list below with the reason why not: what is not
//! recorded is not replayed. For physics: `recorded.rs`.
#![allow(missing_docs)]

mod tree;

use std::collections::BTreeSet;
use tree::{read, root, sources};

/// Where calls that change a world are.
const FOLDER: &str = "crates/tombolo/src/world";

/// Methods that are not recorded, by file and name, each with the reason.
const NOT_RECORDED: [(&str, &str, &str); 19] = [
    ("world/mod.rs", "register_manager", "refused while it is recorded"),
    ("world/mod.rs", "watch_changes", "no part of the state"),
    ("world/mod.rs", "take_changes", "no part of the state"),
    ("world/text.rs", "set_text", "calls set"),
    ("world/tiles.rs", "set_tile", "calls fill_tiles"),
    ("world/step.rs", "step", "calls step_with"),
    ("script/mod.rs", "clear_printed", "no part of the state"),
    ("space/path.rs", "find_path", "calls update_space"),
    ("space/path.rs", "free_space", "calls update_space"),
    ("space/interest.rs", "add", "no part of a world"),
    ("space/interest.rs", "remove", "no part of a world"),
    ("space/interest.rs", "set_area", "no part of a world"),
    ("space/interest.rs", "update", "no part of a world"),
    ("world/random.rs", "bits", "recorded where it is handed out"),
    ("world/random.rs", "unit", "recorded where it is handed out"),
    ("world/random.rs", "both_ways", "recorded where it is handed out"),
    ("recording/log.rs", "start_recording", "the switch itself"),
    ("recording/log.rs", "take_recording", "the switch itself"),
    ("recording/log.rs", "end_recording", "the switch itself"),
];

/// What a method that is recorded calls.
const MARKS: [&str; 6] = [
    "self.report(||",
    "self.report_command(||",
    "self.log.report(||",
    "self.log.frame()",
    "log.restored_frame(",
    "self.hand_out_",
];

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

#[test]
fn every_call_that_changes_a_world_of_entities_is_recorded_or_says_why_not() {
    let (mut unused, mut missing) = (NOT_RECORDED.to_vec(), Vec::new());
    let mut recorded = 0;
    for path in sources(&root().join(FOLDER)) {
        let source = read(&path);
        let path = path.display().to_string();
        for (name, body) in changing_methods(&source) {
            // However its lines are broken.
            let body: String = body.split_whitespace().collect();
            let listed = unused
                .iter()
                .position(|(file, method, _)| path.ends_with(file) && *method == name);
            let is_recorded = MARKS.iter().any(|mark| body.contains(mark));
            recorded += usize::from(is_recorded);
            match (listed, is_recorded) {
                (Some(place), false) => drop(unused.remove(place)),
                (None, true) => {}
                (Some(_), true) => missing.push(format!(
                    "{path}: {name} is recorded, and on the list of those that are not"
                )),
                (None, false) => missing.push(format!("{path}: {name}")),
            }
        }
    }
    assert!(
        missing.is_empty(),
        "these calls change a world and are not recorded, so that a replay would not make them:\n  {}\n\
         A call that is a Command is recorded by `self.report_command(|| ..)` as its first line. Another one has a line in the table \
         of crates/tombolo/src/world/recording/calls.rs, with its arguments and how it is made again, and \
         `self.report(|| WorldCall::Name {{ .. }})` as its first line; what it calls that reports itself, it calls within \
         `self.outermost(|world| ..)`. A method that gives out a part of the world to be changed notes that by a \
         `hand_out_` of crates/tombolo/src/world/recording/log.rs. crates/tombolo/tests/world/world_recording.rs then asks for a call of \
         it. A method that only calls others that are recorded, or changes nothing that a step depends on, stands in \
         NOT_RECORDED of crates/cli/tests/recorded_worlds.rs with that reason.",
        missing.join("\n  ")
    );
    assert!(unused.is_empty(), "on the list and not there: {unused:?}");
    assert!(recorded > 20, "{recorded} calls were found");
}

#[test]
fn the_table_of_calls_of_worlds_has_each_once() {
    let table = read(&root().join("crates/tombolo/src/world/recording/calls.rs"));
    let calls = table.lines().filter_map(|line| line.strip_prefix("            "));
    let names = calls.filter_map(|line| line.split_once(" {").map(|(name, _)| name));
    let names: Vec<&str> = names
        .filter(|name| name.starts_with(char::is_uppercase) && name.chars().all(char::is_alphanumeric))
        .collect();
    let distinct: BTreeSet<&str> = names.iter().copied().collect();
    assert!(names.len() > 20 && distinct.len() == names.len(), "{names:?}");
}
