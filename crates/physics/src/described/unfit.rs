//! [`Unfit`]: the reason why a value could not be read.

use alloc::format;
use alloc::string::String;

/// The reason why a recorded value does not fit this build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub(crate) String);

impl Unfit {
    /// An error with this text.
    pub fn new(why: String) -> Self {
        Self(why)
    }

    /// An error for bytes that end too early.
    pub fn cut_off() -> Self {
        Self(String::from("a value is cut off"))
    }

    /// An error for something else than `what`.
    pub fn expected(what: &str) -> Self {
        Self(format!("a value is not {what}"))
    }
}
