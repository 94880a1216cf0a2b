//! The suite on ten layouts: each kind, and each of its variants somewhere. `tests/every_layout.rs` has all others.

use tombolo_geometry::orthtree::{
    Block, Full, Linear, Linked, Loose, Shared, Sibling, Smallest, Standard, StandardApart, Unlinked,
};

/// Makes the tests of each strategy, and of loose trees of other factors, of which a layout knows nothing.
macro_rules! strategies_and_factors {
    ($dimension:literal, $layout:ty) => {
        strategies!($dimension, $layout);
        strategy!(
            very_loose,
            $dimension,
            $layout,
            Loose,
            &Loose { factor: 4.0 }
        );
        strategy!(
            hardly_loose,
            $dimension,
            $layout,
            Loose,
            &Loose { factor: 1.25 }
        );
    };
}

stamp! {
    strategies_and_factors;
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
