//! [`AblationSwitches`]: the means by which persistent islands save work, each of which a bench may take away to see what
//! it is worth.

/// Which means are in use: outside of a bench, all.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AblationSwitches {
    /// An edge outside the spanning tree goes without a thought; else the whole island is searched for it.
    pub filter: bool,
    /// A node that lost its last edge is an island of its own at once.
    pub leave: bool,
    /// Gaps are filled one by one, by search from both sides; else the whole island is searched.
    pub walk: bool,
    /// A whole island is searched where it has many gaps or walks get long.
    pub sweep: bool,
}

impl AblationSwitches {
    /// All of them.
    pub const ALL: Self = Self {
        filter: true,
        leave: true,
        walk: true,
        sweep: true,
    };
}
