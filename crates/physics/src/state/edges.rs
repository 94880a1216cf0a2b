//! The edges of the island graph: contacts have even indices and joints odd ones.

/// The index of a contact's edge in the island graph.
pub(crate) fn contact_edge(index: u32) -> u32 {
    index << 1
}

/// The index of a joint's edge in the island graph.
pub(crate) fn joint_edge(index: u32) -> u32 {
    index << 1 | 1
}
