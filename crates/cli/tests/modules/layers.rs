//! The layers of each crate, top to bottom.

/// Each crate's layers. A module uses only modules of layers below its own, never one of its own layer or above. The
/// crate's root is `(root)` where it has items of its own or hands on those of its modules.
pub(crate) const LAYERS: &[(&str, &[&str])] = &[
    (
        "cli",
        &[
            "(root)",
            "recordings run",
            "inspect summary verify",
            "golden picture source",
            "arguments replay",
            "field_marks",
            "border interrupt joint_marks kinds output statistics",
        ],
    ),
    (
        "entity",
        &[
            "(root)",
            "resource",
            "dense system",
            "path",
            "manager",
            "index property",
            "bytes",
            "value",
            "entities name",
        ],
    ),
    (
        "environments",
        &[
            "(root)",
            "batch lander",
            "environment rest seeding",
            "bytes",
            "error",
        ],
    ),
    (
        "geometry",
        &[
            "neighbors orthtree",
            "distance split",
            "collide",
            "bvh shape",
            "(root) plain",
            "math",
        ],
    ),
    (
        "handles",
        &[
            "(root) serialize",
            "any secondary_map",
            "handle_map",
            "handle",
            "bit_set error layout owned shim",
        ],
    ),
    (
        "locks",
        &[
            "(root)",
            "lock_api",
            "cohort",
            "mutex",
            "adaptive back_off pause_and_sleep proportional_ticket",
            "anderson clh compact_ticket graunke_thakkar mcs reader_writer",
            "test_and_set test_and_test_and_set ticket",
            "relax",
            "shim",
            "counted raw_lock",
        ],
    ),
    (
        "physics",
        &[
            "(root)",
            "replay",
            "character rewind",
            "world",
            "recording",
            "cut step",
            "objects solver",
            "link",
            "awake",
            "state",
            "events",
            "contact settings",
            "joint rule tile_grid",
            "body concave_polygon field shape",
            "control",
            "broad_phase error island",
            "constants described persistent prefetch profile",
        ],
    ),
    (
        "scenes",
        &[
            "(root)",
            "drums heaps held_out joints machines pyramids rain",
            "scene",
            "motion",
            "ragdolls",
            "builder pusher",
            "target",
        ],
    ),
    (
        "threads",
        &[
            "(root)",
            "parallel",
            "pool stages",
            "deferred per_worker rayon relax",
            "claimed_slice clock executor float_environment padded shim unwind",
        ],
    ),
    (
        "tombolo",
        &[
            "(root) reading",
            "stepper",
            "world",
            "scene",
            "component",
            "error",
        ],
    ),
    (
        "web",
        &[
            "(root)",
            "scenes shapes",
            "bodies events queries",
            "worlds",
            "exchange",
        ],
    ),
];
