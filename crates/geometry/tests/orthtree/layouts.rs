//! The suite on ten layouts: each kind, and each of its variants somewhere. `tests/every_layout.rs` has all others.

use tombolo_geometry::orthtree::{
    Block, Full, Linear, Linked, Loose, Shared, Sibling, Smallest, Standard, StandardApart, Unlinked,
};

stamp! {
    quad_standard: 2, Standard<2, Linked>;
    quad_apart_unlinked: 2, StandardApart<2, Unlinked>;
    quad_block: 2, Block<2, Linked>;
    quad_sibling_unlinked: 2, Sibling<2, Unlinked>;
    quad_linear_64: 2, Linear<u64, true>;
    quad_linear_32_without_mask: 2, Linear<u32, false>;
    quad_full: 2, Full<2>;
    oct_apart: 3, StandardApart<3, Linked>;
    oct_block_unlinked: 3, Block<3, Unlinked>;
    oct_linear_32: 3, Linear<u32, true>;
}
