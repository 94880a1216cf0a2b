//! The suite of `tests/orthtree` on every layout in every dimension with every strategy. A program of its own, which
//! `cargo test` leaves out, since it takes long to compile and finds little that the other does not: `.ci/run layouts`.

#[path = "orthtree/model.rs"]
mod model;
#[path = "orthtree/neighbor.rs"]
mod neighbor;
#[path = "orthtree/root.rs"]
mod root;
#[path = "orthtree/save.rs"]
mod save;
#[path = "orthtree/suite.rs"]
mod suite;

use suite::stamp;
use tombolo_geometry::orthtree::{
    Block, Full, Linear, Linked, Loose, Shared, Sibling, Smallest, Standard, StandardApart, Unlinked,
};

/// A fourth of the seeds and of the comparisons, since there are many layouts, whose code is not optimized.
const SHARE: u64 = 4;

stamp! {
    quad_standard: 2, Standard<2, Linked>, smallest loose shared;
    quad_apart_unlinked: 2, StandardApart<2, Unlinked>, smallest loose shared;
    quad_block: 2, Block<2, Linked>, smallest loose shared;
    quad_sibling_unlinked: 2, Sibling<2, Unlinked>, smallest loose shared;
    quad_linear_64: 2, Linear<u64, true>, smallest loose shared;
    quad_linear_32_without_mask: 2, Linear<u32, false>, smallest loose shared;
    quad_full: 2, Full<2>, smallest loose shared;
    oct_apart: 3, StandardApart<3, Linked>, smallest loose shared;
    oct_block_unlinked: 3, Block<3, Unlinked>, smallest loose shared;
    oct_linear_32: 3, Linear<u32, true>, smallest loose shared;
    quad_standard_unlinked: 2, Standard<2, Unlinked>, smallest loose shared;
    quad_apart: 2, StandardApart<2, Linked>, smallest loose shared;
    quad_block_unlinked: 2, Block<2, Unlinked>, smallest loose shared;
    quad_sibling: 2, Sibling<2, Linked>, smallest loose shared;
    quad_linear_32: 2, Linear<u32, true>, smallest loose shared;
    quad_linear_64_without_mask: 2, Linear<u64, false>, smallest loose shared;
    oct_standard: 3, Standard<3, Linked>, smallest loose shared;
    oct_standard_unlinked: 3, Standard<3, Unlinked>, smallest loose shared;
    oct_apart_unlinked: 3, StandardApart<3, Unlinked>, smallest loose shared;
    oct_block: 3, Block<3, Linked>, smallest loose shared;
    oct_sibling: 3, Sibling<3, Linked>, smallest loose shared;
    oct_sibling_unlinked: 3, Sibling<3, Unlinked>, smallest loose shared;
    oct_linear_32_without_mask: 3, Linear<u32, false>, smallest loose shared;
    oct_linear_64: 3, Linear<u64, true>, smallest loose shared;
    oct_linear_64_without_mask: 3, Linear<u64, false>, smallest loose shared;
    oct_full: 3, Full<3>, smallest loose shared;
}
