//! Node layouts: how nodes are stored, and nothing else. Strategies, moving, growing, neighbors and queries are
//! written once over [`Layout`].
//!
//! | file | layouts |
//! | --- | --- |
//! | `store.rs` | [`Layout`], and the list of objects that a node keeps |
//! | `orthants.rs` | links to 4 or 8 children |
//! | `arena.rs` | the common part of all layouts with links: records by number, free places, the root in place 0 |
//! | `links.rs` | the links themselves: [`Standard`], [`StandardApart`], [`Block`], [`Sibling`] |
//! | `linear.rs` | [`Linear`]: a hash table of locational codes |
//! | `full.rs` | [`Full`]: every node in one array, no links |

mod arena;
mod full;
mod linear;
mod links;
mod orthants;
mod store;

pub use arena::{Arena, Linked, Links, ParentLink, Unlinked};
pub use full::{FULL_BYTES_MAX, Full, full_tree_bytes, full_tree_node_count};
pub use linear::Linear;
pub use links::{Block, Sibling, Standard, StandardApart};
pub use orthants::{Dimension, Orthants};
pub(super) use store::{HEIGHT_COUNT, NONE};
pub use store::{Layout, ObjectList};
