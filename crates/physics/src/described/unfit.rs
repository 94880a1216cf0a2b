//! [`Unfit`]: why a value could not be read.

use alloc::format;
use alloc::string::String;

/// Why a recorded value is none of this build's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unfit(pub(crate) String);

impl Unfit {
    pub(crate) fn new(why: String) -> Self {
        Self(why)
    }

    pub(crate) fn cut_off() -> Self {
        Self(String::from("a value is cut off"))
    }

    pub(crate) fn expected(what: &str) -> Self {
        Self(format!("a value is not {what}"))
    }
}
