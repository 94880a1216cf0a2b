//! Quadtrees and octrees with moving objects, growing roots and neighbors.
//!
//! [`Orthtree`] holds boxes and points of two or three dimensions and answers spatial queries. Three parameters define
//! one: dimension, layout and strategy; everything else is written once over them.
//!
//! | file | contents |
//! | --- | --- |
//! | `bounds.rs` | [`Bounds`]: a box in space; [`Bounds4`]: four |
//! | `code.rs` | [`Code`]: locational codes, Morton order, pre-order |
//! | `cell.rs` | [`Cell`]: a cell in integers; [`Lattice`]: the mapping to space |
//! | `layout/` | [`Layout`]: six kinds of storage for nodes |
//! | `strategy.rs` | [`Strategy`]: the cells that an object belongs to |
//! | `objects.rs` | ids, records of objects, references to their boxes |
//! | `lists.rs` | the memory of the cells' lists: blocks of four |
//! | `tree.rs` | [`Orthtree`]: its parts, its settings, reading it |
//! | `placing.rs` | inserting and removing objects |
//! | `dividing.rs` | nodes that are divided and collapse |
//! | `batch.rs` | many insertions at once, and order in memory |
//! | `moving.rs` | objects that move, one by one and in batches |
//! | `refilling.rs` | batches that move most objects to other cells |
//! | `grow.rs` | roots that grow and shrink |
//! | `region.rs`, `query.rs`, `walk.rs`, `nearest.rs` | queries |
//! | `neighbor.rs` | neighbors of cells |
//! | `pieces.rs` | objects cut into pieces, each in its own cell |
//! | `polygons/` | [`Polygons`]: polygons that are cut over the cells |
//! | `triangles/` | [`Triangles`]: triangles in space, cut likewise |
//! | `uniform_grid/` | [`UniformGrid`]: cells of one size, without a tree |
//! | `save.rs` | saving, restoring, hashing |
//! | `validate.rs` | every invariant, checked |
//! | `layered.rs` | [`Layered`]: a static and a moving tree as one |
//!
//! # Which to choose
//!
//! [`Linear`] with [`Loose`] for moving objects; `docs/space.md` has the reasons, the figures and the sizes of
//! nodes.
//!
//! # Guarantees
//!
//! The same calls give the same tree and the same results, in the same order, on every machine. Cells are half-open: an
//! object on a plane between two belongs to the upper one, one on the root's upper face is outside. Boxes touch if they
//! share a point. A refused call leaves the tree unchanged.
//!
//! After D. Geier, *Advanced Octrees* (a series of four articles, 2014–2017), whose terms are used.

mod batch;
mod bounds;
mod cell;
mod code;
mod dividing;
mod error;
mod grow;
mod layered;
mod layout;
mod lists;
mod moving;
mod nearest;
mod neighbor;
mod objects;
mod pieces;
mod placing;
mod polygons;
mod query;
mod refilling;
mod region;
mod save;
mod scratch;
mod strategy;
mod tree;
mod triangles;
mod uniform_grid;
mod validate;
mod walk;

pub use bounds::{Bounds, Bounds4};
pub use cell::{Cell, Lattice};
pub use code::{Code, CodeError, CodeWord, visit_all};
pub use error::OrthtreeError;
pub use layered::{Layered, LayeredId};
pub use layout::{
    Arena, Block, Dimension, FULL_BYTES_MAX, Full, Layout, Linear, Linked, Links, ObjectList, Orthants,
    ParentLink, Sibling, Standard, StandardApart, Unlinked, full_tree_bytes, full_tree_node_count,
};
pub use moving::Move;
pub use neighbor::NeighborMode;
pub use objects::ObjectId;
pub use pieces::{PIECE_COUNT_MAX, Split};
pub use polygons::{CellPiece, Polygon, PolygonError, PolygonId, Polygons};
pub use query::{CellView, Hit};
pub use region::{Ball, Convex, HalfSpace, Region, Segment};
pub use save::TreeRestoreError;
pub use strategy::{Loose, Reach, Shared, Smallest, Strategy, depth_bound};
pub use tree::{Orthtree, Settings};
pub use triangles::{Triangle, TriangleError, TriangleId, TrianglePiece, Triangles};
pub use uniform_grid::UniformGrid;
pub use uniform_grid::staying::{GridSpot, Staying};
