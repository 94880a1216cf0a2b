//! What a family is: one generator of operations, and one way to run them against an oracle.

use crate::random::Random;
use std::fmt::Debug;

/// A kind of input and what must hold for it. One file in `families/`, and one line in its registry.
pub(crate) trait Family {
    /// The word for the command line and the corpus file.
    const NAME: &'static str;
    /// What is asked, in half a line.
    const ABOUT: &'static str;
    /// Cases of a run without options: about 10 to 20 s in a release build. 0 of a family that still has finds: `all` leaves
    /// it out, and docs/testing.md says what they are.
    const CASES: u64;
    /// A case that takes longer hangs, and is a find.
    const SECONDS_MAX: u64 = 20;
    /// One step of a case. Whatever subset of a case's operations is left must run: the harness shrinks by leaving out.
    type Operation: Debug + Clone;

    /// The operations of a case. All that is random is decided here, and nothing in `run`.
    fn generate(random: &mut Random) -> Vec<Self::Operation>;

    /// Runs a case.
    ///
    /// # Errors
    /// What does not hold. A panic counts as well.
    fn run(operations: &[Self::Operation]) -> Result<(), String>;
}

/// Returns an error with a message from the enclosing function unless the condition holds.
macro_rules! hold {
    ($condition:expr, $($message:tt)+) => {{
        // Not a number holds nothing, whichever way it is compared.
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
