//! [`Orthants`]: the number of dimensions as a type, and links to 4 or 8 children.

use super::store::NONE;
use core::fmt::Debug;

/// The number of dimensions as a type: [`Orthants`] is implemented for 2 and 3, so other trees do not compile.
#[derive(Clone, Copy, Debug)]
pub struct Dimension<const D: usize>;

/// Implemented for [`Dimension<2>`] and [`Dimension<3>`] only.
pub trait Orthants {
    /// Links to 4 or 8 children.
    type Children: Copy + Debug + PartialEq + AsRef<[u32]> + AsMut<[u32]> + Send + Sync + 'static;
    /// Links to no children.
    const NO_CHILDREN: Self::Children;
}

impl Orthants for Dimension<2> {
    type Children = [u32; 4];
    const NO_CHILDREN: [u32; 4] = [NONE; 4];
}

impl Orthants for Dimension<3> {
    type Children = [u32; 8];
    const NO_CHILDREN: [u32; 8] = [NONE; 8];
}
