//! [`Family`]: the interface of a family: one generator of operations, and one function that runs them against an
//! oracle.

use crate::random::Random;
use std::fmt::Debug;

/// A kind of input and its invariants. One file in `families/`, and one line in its registry.
pub(crate) trait Family {
    /// The word for the command line and the corpus file.
    const NAME: &'static str;
    /// The question of the family, in half a line.
    const ABOUT: &'static str;
    /// The number of cases of a run without options: about 10 to 20 s in a release build. 0 for a family that still has
    /// finds: `all` leaves it out, and docs/testing.md lists them.
    const CASES: u64;
    /// The time after which a case counts as hanging, which is a find, in seconds.
    const SECONDS_MAX: u64 = 20;
    /// One step of a case. Any subset of a case's operations must be able to run: the harness shrinks by leaving some
    /// out.
    type Operation: Debug + Clone;

    /// The operations of a case. All random choices are made here, and none in `run`.
    fn generate(random: &mut Random) -> Vec<Self::Operation>;

    /// Runs a case.
    ///
    /// # Errors
    /// The invariant that does not hold. A panic counts as well.
    fn run(operations: &[Self::Operation]) -> Result<(), String>;
}

/// Returns an error with a message from the enclosing function unless the condition holds.
macro_rules! hold {
    ($condition:expr, $($message:tt)+) => {{
        // A comparison with NaN is false and fails, whichever its direction.
        let holds: bool = $condition;
        if !holds {
            return Err(format!($($message)+));
        }
    }};
}
pub(crate) use hold;

/// Returns an error that shows both sides from the enclosing function unless they are equal.
macro_rules! same {
    ($left:expr, $right:expr, $($message:tt)+) => {
        match (&$left, &$right) {
            (left, right) => {
                if *left != *right {
                    return Err(format!("{}: {left:?} is not {right:?}", format_args!($($message)+)));
                }
            }
        }
    };
}
pub(crate) use same;
