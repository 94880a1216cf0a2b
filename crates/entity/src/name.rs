//! `NameHash` and `Names`: names and their hashes. No other code of the crate compares strings on a hot path.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use core::fmt;

use serde::{Deserialize, Serialize};

/// The longest name, in bytes of UTF-8. Longer ones are refused when they are registered.
pub const NAME_BYTES_MAX: usize = 255;

/// The 32-bit hash of a name: FNV-1a, as published by Fowler, Noll and Vo.
///
/// The same on every machine, so it may be saved and sent. Two names can have one hash; [`Names`] refuses the second.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct NameHash(u32);

impl NameHash {
    /// The hash of a name. One multiplication a byte; at compile time in a `const`.
    ///
    /// ```
    /// use tombolo_entity::NameHash;
    /// const FOG: NameHash = NameHash::of("Fog");
    /// assert_eq!(FOG, NameHash::from_bits(FOG.to_bits()));
    /// ```
    pub const fn of(name: &str) -> Self {
        let bytes = name.as_bytes();
        let mut hash = 0x811c_9dc5_u32;
        let mut i = 0;
        while i < bytes.len() {
            hash = (hash ^ bytes[i] as u32).wrapping_mul(0x0100_0193);
            i += 1;
        }
        Self(hash)
    }

    /// The hash with these bits: a saved hash, or a number that the caller chose.
    pub const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    /// The hash as a number.
    pub const fn to_bits(self) -> u32 {
        self.0
    }
}

impl fmt::Debug for NameHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NameHash({:#010x})", self.0)
    }
}

/// The number of a manager: its place in the order of registration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ManagerId(pub u16);

/// The number of an entity's instance in one manager. The caller chooses it; for a named component it is the name's
/// hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(pub u32);

impl From<NameHash> for InstanceId {
    fn from(name: NameHash) -> Self {
        Self(name.0)
    }
}

/// The reason why a name is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameError {
    /// The name is empty.
    #[error("a name is empty; give it at least one character")]
    Empty,
    /// The name is longer than [`NAME_BYTES_MAX`].
    #[error("a name has {bytes} bytes; the longest has {NAME_BYTES_MAX}")]
    TooLong {
        /// The name's length in bytes.
        bytes: usize,
    },
    /// The name has a dot, which separates the words of a property's path.
    #[error("the name `{name}` has a dot; dots part component, property and part in a path")]
    Dot {
        /// The name.
        name: Box<str>,
    },
    /// Two names have one hash.
    #[error("the names `{name}` and `{taken_by}` have the same hash {hash:?}; rename one")]
    Collision {
        /// The new name.
        name: Box<str>,
        /// The name that was registered first.
        taken_by: Box<str>,
        /// The hash of both.
        hash: NameHash,
    },
}

/// Every name in use, by its hash.
///
/// Invariant: each string's hash is its key, so one hash stands for one name.
#[derive(Clone, Debug, Default)]
pub struct Names {
    by_hash: BTreeMap<NameHash, Box<str>>,
}

impl Names {
    /// A set without names.
    pub const fn new() -> Self {
        Self {
            by_hash: BTreeMap::new(),
        }
    }

    /// Checks and registers a name; a name that is registered already only gives its hash. O(log names).
    ///
    /// # Errors
    ///
    /// If the name is empty, too long, has a dot, or hashes to the same number as another name. Nothing is changed then.
    pub fn register(&mut self, name: &str) -> Result<NameHash, NameError> {
        let hash = self.check(name)?;
        self.by_hash.entry(hash).or_insert_with(|| name.into());
        Ok(hash)
    }

    /// The result of [`Names::register`], without registering the name.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Names::register`].
    pub fn check(&self, name: &str) -> Result<NameHash, NameError> {
        check_form(name)?;
        let hash = NameHash::of(name);
        match self.by_hash.get(&hash) {
            Some(known) if **known != *name => Err(NameError::Collision {
                name: name.into(),
                taken_by: known.clone(),
                hash,
            }),
            _ => Ok(hash),
        }
    }

    /// The name of a hash, if it was registered.
    pub fn get(&self, hash: NameHash) -> Option<&str> {
        self.by_hash.get(&hash).map(|name| &**name)
    }

    /// The name of a hash for a message: the name, or the number if no name is registered.
    pub(crate) fn show(&self, hash: NameHash) -> Box<str> {
        match self.get(hash) {
            Some(name) => name.into(),
            None => alloc::format!("{:#010x}", hash.to_bits()).into(),
        }
    }

    /// All names in the order of their hashes.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (NameHash, &str)> {
        self.by_hash.iter().map(|(&hash, name)| (hash, &**name))
    }
}

/// The rules for a name that do not depend on other names.
pub(crate) fn check_form(name: &str) -> Result<(), NameError> {
    match name {
        "" => Err(NameError::Empty),
        long if long.len() > NAME_BYTES_MAX => Err(NameError::TooLong { bytes: long.len() }),
        dotted if dotted.contains('.') => Err(NameError::Dot { name: dotted.into() }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_published_function() {
        assert_eq!(NameHash::of("").to_bits(), 0x811c_9dc5);
        assert_eq!(NameHash::of("a").to_bits(), 0xe40c_292c);
        assert_eq!(NameHash::of("foobar").to_bits(), 0xbf9c_f968);
    }

    #[test]
    fn ei_2_two_names_of_one_hash_are_refused_at_registration() {
        let mut names = Names::new();
        let liquid = names.register("liquid").unwrap();
        assert_eq!(liquid, NameHash::of("costarring"), "a known collision of FNV-1a");
        let error = names.register("costarring").unwrap_err();
        assert!(matches!(&error, NameError::Collision { taken_by, .. } if &**taken_by == "liquid"));
        assert_eq!(names.get(liquid), Some("liquid"));
        assert_eq!(names.register("liquid"), Ok(liquid));
        assert_eq!(names.iter().len(), 1);
    }

    #[test]
    fn empty_long_and_dotted_names_are_refused() {
        let mut names = Names::new();
        let long = "x".repeat(NAME_BYTES_MAX + 1);
        assert_eq!(names.register(""), Err(NameError::Empty));
        assert_eq!(names.register(&long), Err(NameError::TooLong { bytes: 256 }));
        assert_eq!(names.register("a.b"), Err(NameError::Dot { name: "a.b".into() }));
        assert!(names.register(&long[1..]).is_ok());
    }
}
