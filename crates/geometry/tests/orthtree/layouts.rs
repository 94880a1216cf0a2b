//! The suite on each kind of layout, and each of its variants somewhere, with one strategy: each strategy is on layouts
//! of several kinds. The program `every_layout` has all strategies of each layout.

use crate::suite::stamp;
use tombolo_geometry::orthtree::{
    Block, Full, Linear, Linked, Loose, Shared, Sibling, Smallest, Standard, StandardApart, Unlinked,
};

stamp! {
    quad_standard: 2, Standard<2, Linked>, smallest;
    quad_apart_unlinked: 2, StandardApart<2, Unlinked>, loose;
    quad_block: 2, Block<2, Linked>, shared;
    quad_sibling_unlinked: 2, Sibling<2, Unlinked>, smallest;
    quad_linear_64: 2, Linear<u64, true>, loose;
    quad_linear_32_without_mask: 2, Linear<u32, false>, shared;
    quad_full: 2, Full<2>, smallest;
    oct_apart: 3, StandardApart<3, Linked>, shared;
    oct_block_unlinked: 3, Block<3, Unlinked>, smallest;
    oct_linear_32: 3, Linear<u32, true>, loose;
}
