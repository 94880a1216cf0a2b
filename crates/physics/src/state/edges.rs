//! The edges of the island graph: contacts and joints by turns, so that both have indices of their own.

/// The edge of the island graph that a contact is.
pub(crate) fn contact_edge(index: u32) -> u32 {
    index << 1
}

/// The edge of the island graph that a joint is.
pub(crate) fn joint_edge(index: u32) -> u32 {
    index << 1 | 1
}
