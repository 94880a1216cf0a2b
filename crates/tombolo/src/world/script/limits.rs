//! How much a script may do. Each number is part of what a world's future depends on.

/// The limits of scripts. A call that goes over one ends with an error, unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScriptLimits {
    /// Operations of one call: an expression or a statement is one, a ray or a query of a box 50 and one more for each
    /// thing found, a command 10, a path 2,000 and one more for each cell of free space that the search looks at.
    pub operations_per_call: u64,
    /// Operations of all scripts in one step. Once they are used up, the calls that are left in this step are left out.
    pub operations_per_step: u64,
    /// Entities that one call may spawn, children not counted.
    pub spawns_per_call: usize,
    /// Entities that all scripts may spawn in one step; the rest is left out.
    pub spawns_per_step: usize,
    /// What one call may change: properties, pushes, entities.
    pub commands_per_call: usize,
    /// Calls within calls.
    pub call_depth: usize,
    /// Expressions within expressions; half of it in functions.
    pub expression_depth: usize,
    /// Variables at a time.
    pub variables: usize,
    /// Functions of one script.
    pub functions: usize,
    /// Bytes of a script's text.
    pub text_bytes: usize,
    /// Bytes of a text that a script makes, and of all texts in one list or map.
    pub string_bytes: usize,
    /// Elements of a list, those of lists in it counted.
    pub list_length: usize,
    /// Entries of a map, those of maps in it counted.
    pub map_length: usize,
    /// Lines of print that a world keeps, and bytes of one of them.
    pub printed: (usize, usize),
}

/// The limits of scripts.
pub const SCRIPT_LIMITS: ScriptLimits = ScriptLimits {
    operations_per_call: 100_000,
    operations_per_step: 1_000_000,
    spawns_per_call: 64,
    spawns_per_step: 256,
    commands_per_call: 1000,
    call_depth: 24,
    expression_depth: 48,
    variables: 128,
    functions: 128,
    text_bytes: 65_536,
    string_bytes: 16_384,
    list_length: 1000,
    map_length: 500,
    printed: (1000, 200),
};
