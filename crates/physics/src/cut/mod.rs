//! Cutting bodies: a line, a segment or a shatter pattern divides a body's shapes, and groups of fragments that are no
//! longer connected become bodies.
//!
//! A cut is *planned* first, without touching the world, and then *applied*, which cannot fail; so a call that returns
//! an error has changed nothing.
//!
//! | file | contents |
//! | --- | --- |
//! | `solid.rs` | the parts of a body that can be cut: concave polygons, and shapes as polygons |
//! | `core_pieces.rs` | splitting the cores of solids along lines |
//! | `fragment.rs` | the pieces of solids, cut by a line or into cells |
//! | `shatter.rs` | patterns, and the cells of their sites |
//! | `plan.rs` | groups of fragments that stay together, and the fate of each group |
//! | `apply.rs` | applying a plan to the world |
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

/// A concave polygon that a cut created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CutPolygon {
    /// The concave polygon.
    pub concave_polygon: ConcavePolygonId,
    /// The shape that was cut, or the newest part of the concave polygon that was cut. It is destroyed.
    pub from: ShapeId,
}

/// The result of cutting a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// The body: it continues as its greatest piece.
    pub body: BodyId,
    /// The new bodies that separated from it, in the order of the lowest corner that each has of the oldest shape; they
    /// include debris that stays.
    pub pieces: Vec<BodyId>,
    /// The pieces that were too small and vanished.
    pub vanished: Vec<VanishEvent>,
    /// The new concave polygons, on the body or on its pieces.
    pub concave_polygons: Vec<CutPolygon>,
    /// The segments along which a line or segment cut material: start and end, in world coordinates at the time of the
    /// cut. Empty for a pattern.
    pub segments: Vec<[Position; 2]>,
}
