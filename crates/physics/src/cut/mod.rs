//! Cutting bodies: a line, a segment or a shatter pattern divides a body's shapes, and groups that are no longer
//! connected become bodies.
//!
//! A cut is *planned* first, without touching the world, and then *applied*, which cannot fail; so a call that gives
//! an error has changed nothing.
//!
//! | file | contents |
//! | --- | --- |
//! | `solid.rs` | what of a body can be cut: concave polygons, and shapes as polygons |
//! | `fragment.rs` | the pieces of solids, cut by a line or into cells |
//! | `shatter.rs` | patterns, and the cells of their sites |
//! | `plan.rs` | which fragments stay together, and what becomes of each group |
//! | `apply.rs` | the world after the cut |
//!
//! The calls, with their full rules, are in `world/cutting.rs`.

mod apply;
mod fragment;
mod plan;
mod shatter;
mod solid;

pub(crate) use fragment::Knife;
pub(crate) use plan::Plan;
pub use shatter::Shatter;
pub(crate) use shatter::in_frame;

use crate::error::non_negative;
use crate::{BodyId, ConcavePolygonId, Filter, PhysicsError, ShapeId, VanishEvent};
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

/// Which pieces of a cut are too small to be bodies like others, and what becomes of them.
///
/// A piece of which nothing is half a millimeter thick vanishes in any case. The greatest piece of a body never does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Debris {
    /// Pieces of this area or less, in square meters, are debris; 0.0001 by default, a square centimeter.
    pub area_max: f32,
    /// What becomes of them.
    pub fate: DebrisFate,
}

/// What becomes of debris.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum DebrisFate {
    /// It is gone, with its mass and momentum; an event says how much.
    #[default]
    Vanish,
    /// It becomes bodies of which [`BodyRef::is_debris`](crate::BodyRef::is_debris) is true, with this filter in place of
    /// their shapes' own.
    Stay(Filter),
}

impl Default for Debris {
    fn default() -> Self {
        Self {
            area_max: 1.0e-4,
            fate: DebrisFate::default(),
        }
    }
}

impl Debris {
    /// A filter for debris that stays: it touches everything but other debris.
    pub const FILTER: Filter = Filter {
        category: 1 << 63,
        mask: !(1 << 63),
        group: 0,
    };

    /// Checks the numbers, as whatever takes this does.
    ///
    /// # Errors
    ///
    /// If the area is negative or not finite.
    pub fn validate(&self) -> Result<(), PhysicsError> {
        non_negative("debris area_max", self.area_max)
    }
}
