//! Cutting concave polygons with holes by a line or a segment, exactly.
//!
//! [`ConcavePolygon`] is a concave polygon that was checked once; [`CutLine`] is the line; [`Splitter::split`] gives
//! [`Pieces`] with the provenance of every vertex and edge. [`repair_polygon`] repairs what can be repaired beforehand, and
//! [`decompose`] divides a polygon into the convex parts that physics needs. The method, with figures, is in
//! `docs/splitting.md`.
//!
//! Priorities, in this order: no wrong piece, ever (a typed error instead); the same bits on every machine; speed
//! for polygons of a few vertices; little memory.
//!
//! | file | contents |
//! | --- | --- |
//! | `line.rs` | the line, the exact side of a point, the crossing with an edge |
//! | `offset.rs` | distances from the line, rounded once |
//! | `concave_polygon.rs`, `checks.rs` | the checked polygon; the checks |
//! | `simple.rs` | the direction of loops, points inside, how edges meet |
//! | `repair.rs` | repairs before the check |
//! | `configuration.rs` | the nine configurations of a vertex on the line |
//! | `node.rs` | the points on the line, their exact order |
//! | `chord.rs` | the fast path for lines that enter once and leave once |
//! | `rewire.rs` | the general path: bridges, rings, holes |
//! | `pieces.rs` | the result |
//! | `sound.rs` | checks of pieces where rounding may have broken them |
//! | `splitter.rs` | the split from end to end |
//! | `decompose.rs` | convex parts of at most eight vertices, for physics |
//! | `moments.rs` | area, center and inertia |
//! | `round.rs` | shapes as polygons |
//!
//! Units are meters; the arithmetic is `f64` throughout.

mod checks;
mod chord;
mod concave_polygon;
mod configuration;
mod decompose;
mod error;
mod line;
mod moments;
mod node;
mod offset;
mod pieces;
mod repair;
mod rewire;
mod round;
mod simple;
mod sound;
mod splitter;

pub use concave_polygon::{ConcavePolygon, ConcavePolygonError, VERTEX_COUNT_MAX};
pub use decompose::{ConvexParts, DecomposeError, PART_VERTEX_COUNT_MAX, decompose};
pub use error::SplitError;
pub use line::{COORDINATE_RANGE, CutLine, FEATURE_SIZE_RELATIVE, LineError, Side};
pub use moments::AreaMoments;
pub use pieces::{CutSegment, Dropped, EdgeOrigin, Piece, PieceVertex, Pieces};
pub use repair::{RepairedPolygon, repair_polygon};
pub use round::{ROUND_ERROR_RELATIVE, ROUND_VERTEX_COUNT};
pub use splitter::{Slivers, Splitter};
