//! The suite of `tests/orthtree` on the layouts that it leaves out, so that both together have every layout in every
//! dimension. A program of its own, which `cargo test` leaves out, since it takes long to compile and finds little that the
//! other does not: `.ci/run layouts`.

#[path = "orthtree/model.rs"]
mod model;
#[path = "orthtree/neighbor.rs"]
mod neighbor;
#[path = "orthtree/root.rs"]
mod root;
#[path = "orthtree/save.rs"]
mod save;
#[path = "orthtree/suite.rs"]
#[macro_use]
mod suite;

use tombolo_geometry::orthtree::{
    Block, Full, Linear, Linked, Loose, Shared, Sibling, Smallest, Standard, StandardApart, Unlinked,
};

/// A fourth of the seeds and of the comparisons, since there are many layouts, whose code is not optimized.
const SHARE: u64 = 4;

stamp! {
    strategies;
    quad_standard_unlinked: 2, Standard<2, Unlinked>;
    quad_apart: 2, StandardApart<2, Linked>;
    quad_block_unlinked: 2, Block<2, Unlinked>;
    quad_sibling: 2, Sibling<2, Linked>;
    quad_linear_32: 2, Linear<u32, true>;
    quad_linear_64_without_mask: 2, Linear<u64, false>;
    oct_standard: 3, Standard<3, Linked>;
    oct_standard_unlinked: 3, Standard<3, Unlinked>;
    oct_apart_unlinked: 3, StandardApart<3, Unlinked>;
    oct_block: 3, Block<3, Linked>;
    oct_sibling: 3, Sibling<3, Linked>;
    oct_sibling_unlinked: 3, Sibling<3, Unlinked>;
    oct_linear_32_without_mask: 3, Linear<u32, false>;
    oct_linear_64: 3, Linear<u64, true>;
    oct_linear_64_without_mask: 3, Linear<u64, false>;
    oct_full: 3, Full<3>;
}
