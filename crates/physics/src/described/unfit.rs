//! [`Unfit`]: why a value could not be read.

use alloc::format;
use alloc::string::String;

/// Why a recorded value is none of this build's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfit(pub(crate) String);

impl Unfit {
    /// Why, in words.
    pub fn new(why: String) -> Self {
        Self(why)
    }

    /// The bytes end too early.
    pub fn cut_off() -> Self {
        Self(String::from("a value is cut off"))
    }

    /// It is something else.
    pub fn expected(what: &str) -> Self {
        Self(format!("a value is not {what}"))
    }
}
