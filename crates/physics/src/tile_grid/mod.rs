//! Tile grids on bodies: cells in rows and columns, each empty or of a kind of tile.
//!
//! Cells are stored in chunks of 32 by 32, and a chunk whose cells are all equal stores none of them. The cells of a
//! chunk merge into few shapes (`mesh.rs`), which are shapes of the body like any other and which the grid owns: an
//! edit, or a cut (`cut.rs`), replaces those that change. There are no bumps between them, as covered faces do not collide
//! (`objects/neighbors.rs`). The records are in `records.rs`, their storage in `pool.rs`; `objects/tile_grids.rs`
//! creates the shapes, `world/tile_grids.rs` has the calls.
//!
//! Why: `docs/decisions.md#tiles-merge-into-shapes`.

mod cut;
mod def;
mod mesh;
mod pool;
mod records;

pub(crate) use cut::CellCut;
pub use cut::TileCut;
pub(crate) use def::check_cells;
pub use def::{Tile, TileBlock, TileGridDef, TileShape};
pub(crate) use mesh::merge;
pub(crate) use pool::TileGridPool;
pub(crate) use records::{CHUNK_CELLS, CHUNK_SIDE, NO_SPAN, Span, TileChunk, TileSpan, records_of};
pub use records::{TileGridId, TileGridRecord};
