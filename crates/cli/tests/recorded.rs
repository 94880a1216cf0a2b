//! Every public call that changes a world of physics is in the table of recorded calls, or on the list below with the reason why
//! not: what is not recorded is not replayed.
#![allow(missing_docs)]

mod calls;
mod tree;

use calls::{NotRecorded, look_for_calls, names_in_table};
use std::collections::BTreeSet;

/// Where calls that change a world are.
const FOLDERS: [&str; 2] = ["crates/physics/src/world", "crates/physics/src/rewind"];

/// Methods that are not recorded, by file and name, each with the reason.
const NOT_RECORDED: [NotRecorded; 37] = [
    ("world/mod.rs", "step", "calls step_with"),
    (
        "world/cutting.rs",
        "cut_through",
        "calls cut_bodies with what it met",
    ),
    ("world/tile_grids.rs", "set_tile", "calls fill_tiles"),
    ("world/mod.rs", "set_profiling", "how a step computes"),
    ("world/mod.rs", "set_reports_boxes", "what a step reports"),
    (
        "world/callbacks.rs",
        "put_callbacks_aside",
        "a player's, before it plays",
    ),
    (
        "world/callbacks.rs",
        "take_over_callbacks",
        "code is no part of the state",
    ),
    (
        "world/callbacks.rs",
        "supply_custom_filter",
        "code is no part of the state",
    ),
    (
        "world/callbacks.rs",
        "supply_pre_solve",
        "code is no part of the state",
    ),
    ("world/mod.rs", "set_lanes", "how a step computes"),
    ("world/mod.rs", "set_batch_bodies_max", "how a step computes"),
    (
        "world/mod.rs",
        "take_over_geometry_version",
        "no part of the state",
    ),
    ("world/watch.rs", "watch_bodies", "no part of the state"),
    ("world/watch.rs", "take_changed_bodies", "no part of the state"),
    ("world/start_recording.rs", "start_recording", "the switch itself"),
    ("world/recording.rs", "take_recording", "the switch itself"),
    ("world/recording.rs", "end_recording", "the switch itself"),
    ("world/start_recording.rs", "keep_calls", "a switch, too"),
    ("world/recording.rs", "take_kept_calls", "a switch, too"),
    (
        "world/concave_polygons.rs",
        "create_concave_polygon",
        "calls create_rounded_polygon",
    ),
    ("world/fields.rs", "set_field_pose", "calls set_field"),
    ("world/fields.rs", "set_field_enabled", "calls set_field"),
    ("views/mod.rs", "body_mut", "a view; its methods are recorded"),
    ("views/mod.rs", "shape_mut", "a view; its methods are recorded"),
    ("views/mod.rs", "joint_mut", "a view; its methods are recorded"),
    ("views/joint.rs", "set_motor", "calls switch_motor"),
    ("views/joint.rs", "set_limit", "calls switch_limit"),
    ("views/joint.rs", "set_spring", "calls switch_spring"),
    ("views/body_control.rs", "apply_local_force", "calls apply_force"),
    (
        "views/body_control.rs",
        "apply_local_force_at",
        "calls apply_force_at",
    ),
    (
        "views/body_control.rs",
        "apply_local_impulse",
        "calls apply_impulse",
    ),
    (
        "views/body_control.rs",
        "apply_local_impulse_at",
        "calls apply_impulse_at",
    ),
    ("rewind/mod.rs", "end_frames", "marks are no part of the state"),
    ("rewind/ring.rs", "save", "calls frame"),
    ("rewind/ring.rs", "restore", "calls restore_frame"),
    ("rewind/ring.rs", "clear", "changes no world"),
    ("rewind/ring.rs", "ask", "changes a copy, which is not recorded"),
];

/// What a method that is recorded calls.
const MARKS: [&str; 3] = ["log.report(", "log.frame(", "log.restored_frame("];

#[test]
fn every_call_that_changes_a_world_is_recorded_or_says_why_not() {
    let found = look_for_calls(&FOLDERS, &NOT_RECORDED, &MARKS);
    assert!(
        found.missing.is_empty(),
        "these calls change a world of physics and are not recorded, so that a replay would not make them:\n  {}\n\
         A call is recorded by two lines. In the table of crates/physics/src/recording/calls.rs, with its arguments and how it is \
         made again:\n    SetThing {{ body: BodyId, thing: f32 }} => |world| world.body_mut(body).map(|mut body| body.set_thing(thing));\n\
         and as the first line of the method (`self.log` in a world, a shape or a joint, `self.world.log` in a body):\n    \
         self.world.log.report(|| Call::SetThing {{ body: self.id, thing }});\n\
         crates/physics/tests/state/recording.rs then asks for a call of it. An argument of a new type wants a line of `data_struct!` or \
         `data_choice!` in crates/physics/src/recording/definitions.rs; a new field of a definition a word there. \
         A method that only calls others that are recorded, or changes nothing that a step depends on, stands in NOT_RECORDED \
         of crates/cli/tests/recorded.rs with that reason.",
        found.missing.join("\n  ")
    );
    assert!(
        found.unused.is_empty(),
        "on the list and not there: {:?}",
        found.unused
    );
    assert!(found.recorded > 70, "{} calls were found", found.recorded);
}

#[test]
fn the_table_has_each_call_once() {
    let names = names_in_table("crates/physics/src/recording/calls.rs");
    let distinct: BTreeSet<&String> = names.iter().collect();
    assert!(names.len() > 75 && distinct.len() == names.len(), "{names:?}");
}
