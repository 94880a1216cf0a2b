//! Cutting bodies: a line, a segment or a shatter pattern divides a body's shapes, and groups of fragments that are no
//! longer connected become bodies.
//!
//! A cut is *planned* first, without touching the world, and then *applied*, which cannot fail; so a call that returns
//! an error has changed nothing.
//!
//! | file | contents |
//! | --- | --- |
//! | `result.rs` | the result of a cut |
//! | `solid.rs` | the parts of a body that can be cut: concave polygons, and shapes as polygons |
//! | `core_pieces.rs` | splitting the cores of solids along lines |
//! | `fragment.rs` | the pieces of solids, cut by a line or into cells |
//! | `shatter.rs` | patterns, and the cells of their sites |
//! | `part_tree.rs` | the convex parts of fragments in a tree |
//! | `grouping.rs` | which fragments stay together |
//! | `plan.rs` | groups of fragments, and the fate of each group |
//! | `apply.rs` | applying a plan to the world |
//! | `along_welds.rs` | composites that fall apart: cuts along their welds |
//!
//! The calls, with their full rules, are in `world/cutting.rs`.

mod along_welds;
mod apply;
mod core_pieces;
mod fragment;
mod grouping;
mod part_tree;
mod plan;
mod result;
mod shatter;
mod solid;

pub(crate) use fragment::Knife;
pub(crate) use plan::Plan;
pub use result::{Cut, CutPolygon};
pub use shatter::Shatter;
pub(crate) use shatter::in_frame;
