//! The programs of the book, and of the other documents that have some: each is compiled and run by `cargo test -p
//! tombolo-book --doc`. A program stands in its chapter and nowhere else; here is only the list of chapters.
//!
//! Scenes and pictures of the book are tested by `crates/cli/tests/command/book.rs`, which has the command that draws them.
#![deny(unsafe_code)]

/// Makes each document the documentation of a module, so that its programs are tests, and lists the documents.
macro_rules! documents {
    ($($module:ident: $file:literal,)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../../", $file))]
            mod $module {}
        )*

        /// The documents whose programs are tested, as paths from `docs/`.
        pub const DOCUMENTS: &[&str] = &[$($file),*];
    };
}

documents! {
    assets: "assets.md",
    composites: "composites.md",
    controls: "controls.md",
    entities: "entities.md",
    queries_in_full: "queries.md",
    recording: "recording.md",
    rewind: "rewind.md",
    saves: "saves.md",
    tiles: "tiles.md",
    introduction: "book/src/introduction.md",
    first_world: "book/src/first-world.md",
    bodies: "book/src/bodies.md",
    shapes: "book/src/shapes.md",
    joints: "book/src/joints.md",
    events: "book/src/events.md",
    queries: "book/src/queries.md",
    scenes: "book/src/scenes.md",
    scripts: "book/src/scripts.md",
    top_down: "book/src/top-down.md",
    platform: "book/src/platform.md",
    determinism: "book/src/determinism.md",
    rollback: "book/src/rollback.md",
    server: "book/src/server.md",
    performance: "book/src/performance.md",
    extending: "book/src/extending.md",
    from_box2d: "book/src/from-box2d.md",
    from_rapier: "book/src/from-rapier.md",
    from_avian: "book/src/from-avian.md",
}
