//! Cutting bodies: a line, a segment or a shatter pattern divides a body's shapes, and groups that are no longer
//! connected become bodies.
//!
//! A cut is *planned* first, without touching the world, and then *applied*, which cannot fail; so a call that gives
//! an error has changed nothing.
//!
//! | file | contents |
//! | --- | --- |
//! | `solid.rs` | what of a body can be cut: concave polygons, and shapes as polygons |
//! | `core_pieces.rs` | splitting the cores of solids along lines |
//! | `fragment.rs` | the pieces of solids, cut by a line or into cells |
//! | `shatter.rs` | patterns, and the cells of their sites |
//! | `plan.rs` | which fragments stay together, and what becomes of each group |
//! | `apply.rs` | the world after the cut |
//! | `along_welds.rs` | composites that fall apart: cuts along their welds |
//!
//! The calls, with their full rules, are in `world/cutting.rs`.

mod along_welds;
mod apply;
mod core_pieces;
mod fragment;
mod plan;
mod shatter;
mod solid;

pub(crate) use fragment::Knife;
pub(crate) use plan::Plan;
pub use shatter::Shatter;
pub(crate) use shatter::in_frame;

use crate::{BodyId, ConcavePolygonId, ShapeId, VanishEvent};
use alloc::vec::Vec;
use tombolo_geometry::Position;

/// A concave polygon that a cut made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPolygon {
    /// The concave polygon.
    pub concave_polygon: ConcavePolygonId,
    /// What it was cut from: the shape, or the newest part of the concave polygon. It is gone.
    pub from: ShapeId,
}

/// What became of a body that was cut.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The body: it goes on as its greatest piece.
    pub body: BodyId,
    /// The bodies that parted from it, in the order of the lowest corner that each has of the oldest shape; debris that
    /// stays among them.
    pub pieces: Vec<BodyId>,
    /// The pieces that were too small to stay.
    pub vanished: Vec<VanishEvent>,
    /// The concave polygons that are new, on the body or on its pieces.
    pub concave_polygons: Vec<CutPolygon>,
    /// Where a line or segment went through material: from and to, in world coordinates at the time of the cut. Empty
    /// for a pattern.
    pub segments: Vec<[Position; 2]>,
}
