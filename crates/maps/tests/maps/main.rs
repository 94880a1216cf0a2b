//! Maps of Tiled and LDtk, right and wrong, and the worlds that come of them.

mod editors;
mod ldtk;
mod limits;
mod support;
mod tiled;
mod tilesets;
mod worlds;
mod wrong;
