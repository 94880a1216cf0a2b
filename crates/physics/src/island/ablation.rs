//! [`AblationSwitches`]: the techniques by which persistent islands save work, each of which a bench may switch off to
//! measure its worth.

/// The techniques in use: outside of a bench, all.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AblationSwitches {
    /// An edge outside the spanning tree is removed without a search; otherwise the whole island is searched for it.
    pub filter: bool,
    /// A node that lost its last edge becomes an island of its own at once.
    pub leave: bool,
    /// Gaps are filled one by one, by search from both sides; otherwise the whole island is searched.
    pub walk: bool,
    /// A whole island is searched if it has many gaps or walks get long.
    pub sweep: bool,
}

impl AblationSwitches {
    /// All techniques.
    pub const ALL: Self = Self {
        filter: true,
        leave: true,
        walk: true,
        sweep: true,
    };
}
