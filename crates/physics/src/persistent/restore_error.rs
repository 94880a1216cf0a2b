//! [`RestoreError`]: the reasons why a save is refused.

use alloc::string::String;
use core::fmt;

/// The reason why bytes could not be turned into a world. A world that was to be overwritten is unchanged.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum RestoreError {
    /// The bytes do not begin like a save.
    NotASave,
    /// The save was made by a later version, or by one from before saves were described.
    Version {
        /// The version of the save.
        found: u32,
        /// The latest version that this build reads.
        expected: u32,
    },
    /// The bytes end too early.
    Truncated,
    /// The bytes were changed: the checksum does not match.
    Checksum,
    /// An array does not match the one that is expected in its place.
    Mismatch {
        /// The part of the state.
        group: &'static str,
        /// The array of that part.
        part: &'static str,
        /// The mismatch.
        why: String,
    },
    /// The save holds something that this build does not read.
    Unfit {
        /// A description of it.
        what: String,
    },
}

impl RestoreError {
    /// An error for an array with invalid contents.
    pub(crate) fn mismatch(group: &'static str, part: &'static str, why: &str) -> Self {
        Self::Mismatch {
            group,
            part,
            why: String::from(why),
        }
    }

    /// An error for something in the save that is not known.
    pub(super) fn unfit(what: &str) -> Self {
        Self::Unfit {
            what: String::from(what),
        }
    }
}

impl fmt::Display for RestoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotASave => write!(f, "these bytes are not a saved world"),
            Self::Version { found, expected } => {
                write!(
                    f,
                    "the save has version {found}, this build reads version {expected}"
                )
            }
            Self::Truncated => write!(f, "the save ends too early"),
            Self::Checksum => write!(f, "the save is damaged: its checksum does not fit"),
            Self::Mismatch { group, part, why } => write!(f, "the save's {group} {part}: {why}"),
            Self::Unfit { what } => write!(f, "the save does not fit this build: {what}"),
        }
    }
}

impl core::error::Error for RestoreError {}
