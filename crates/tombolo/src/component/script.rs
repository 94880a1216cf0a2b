//! Which script an entity has. What scripts do is not known here.

use alloc::boxed::Box;

use tombolo_entity::{Component, Schema};

/// A script of an entity: its text, or the name of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    /// The name of a script; empty if the text stands here.
    pub file: Box<str>,
    /// The text, if no name is given.
    pub text: Box<str>,
    /// Whether it runs.
    pub enabled: bool,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            file: Box::default(),
            text: Box::default(),
            enabled: true,
        }
    }
}

impl Component for Script {
    fn schema() -> Schema<Self> {
        Schema::new()
            .property("file", |s: &Self| s.file.clone(), |s, file| s.file = file)
            .doc("The name of a script; empty if the text stands here.")
            .property("text", |s: &Self| s.text.clone(), |s, text| s.text = text)
            .doc("The text, if no name is given.")
            .property("enabled", |s: &Self| s.enabled, |s, enabled| s.enabled = enabled)
            .doc("Whether it runs.")
    }
}
