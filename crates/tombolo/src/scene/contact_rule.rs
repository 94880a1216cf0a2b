//! [`SceneRule`]: what a scene says contacts of two materials are like.

use tombolo_physics::{ANY_MATERIAL, ContactRule};

/// A rule for contacts, from the section `rules`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SceneRule {
    /// The number of one material; [`ANY_MATERIAL`] if the file names none.
    pub first: u32,
    /// The number of the other one, likewise.
    pub second: u32,
    /// What their contacts are like.
    pub rule: ContactRule,
}

impl Default for SceneRule {
    fn default() -> Self {
        Self {
            first: ANY_MATERIAL,
            second: ANY_MATERIAL,
            rule: ContactRule::default(),
        }
    }
}
