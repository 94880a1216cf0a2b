//! Every public call that changes a world of entities is recorded, or on the list below with the reason why not: what is not
//! recorded is not replayed. For physics: `recorded.rs`.
#![allow(missing_docs)]

mod calls;
mod tree;

use calls::{NotRecorded, look_for_calls, names_in_table};
use std::collections::BTreeSet;

/// Where calls that change a world are.
const FOLDER: &str = "crates/tombolo/src/world";

/// Methods that are not recorded, by file and name, each with the reason.
const NOT_RECORDED: [NotRecorded; 25] = [
    (
        "world/state.rs",
        "register_manager",
        "refused while it is recorded",
    ),
    ("world/state.rs", "manager_was", "refused while it is recorded"),
    (
        "world/callbacks.rs",
        "register_custom_filter",
        "refused while it is recorded",
    ),
    (
        "world/callbacks.rs",
        "register_pre_solve",
        "refused while it is recorded",
    ),
    ("world/state.rs", "watch_changes", "no part of the state"),
    ("world/state.rs", "take_changes", "no part of the state"),
    ("script/traces.rs", "trace_graphs", "no part of the state"),
    ("script/traces.rs", "take_graph_traces", "no part of the state"),
    ("world/text.rs", "set_text", "calls set"),
    ("world/tiles.rs", "set_tile", "calls fill_tiles"),
    ("world/step.rs", "step", "calls step_with"),
    ("script/stages.rs", "clear_printed", "no part of the state"),
    ("world/state.rs", "truncate_faults", "no part of the state"),
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

#[test]
fn every_call_that_changes_a_world_of_entities_is_recorded_or_says_why_not() {
    let found = look_for_calls(&[FOLDER], &NOT_RECORDED, &MARKS);
    assert!(
        found.missing.is_empty(),
        "these calls change a world and are not recorded, so that a replay would not make them:\n  {}\n\
         A call that is a Command is recorded by `self.report_command(|| ..)` as its first line. Another one has a line in the table \
         of crates/tombolo/src/world/recording/calls.rs, with its arguments and how it is made again, and \
         `self.report(|| WorldCall::Name {{ .. }})` as its first line; what it calls that reports itself, it calls within \
         `self.outermost(|world| ..)`. A method that gives out a part of the world to be changed notes that by a \
         `hand_out_` of crates/tombolo/src/world/recording/log.rs. crates/tombolo/tests/world/world_recording.rs then asks for a call of \
         it. A method that only calls others that are recorded, or changes nothing that a step depends on, stands in \
         NOT_RECORDED of crates/cli/tests/recorded_worlds.rs with that reason.",
        found.missing.join("\n  ")
    );
    assert!(
        found.unused.is_empty(),
        "on the list and not there: {:?}",
        found.unused
    );
    assert!(found.recorded > 20, "{} calls were found", found.recorded);
}

#[test]
fn the_table_of_calls_of_worlds_has_each_once() {
    let names = names_in_table("crates/tombolo/src/world/recording/calls.rs");
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert!(names.len() > 12 && distinct.len() == names.len(), "{names:?}");
}
