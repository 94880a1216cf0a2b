//! The assets of a scene, and the reading of its file again with other assets. Reloading in a world uses it.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use super::Scene;
use super::components::Component;
use super::library::{Library, Replaced};
use super::references::Population;
use crate::component::ShapeGeometry;
use crate::error::SceneError;

impl Scene {
    /// The materials by name, in alphabetic order: each is a Collider without properties other than those of a
    /// material.
    pub(crate) fn materials(&self) -> &BTreeMap<String, Component> {
        &self.library.materials
    }

    /// The outlines by name, in alphabetic order.
    pub(crate) fn outlines(&self) -> &BTreeMap<String, ShapeGeometry> {
        &self.library.outlines
    }

    /// The replacements of the file's own assets.
    pub(crate) fn replaced(&self) -> &Replaced {
        &self.library.replaced
    }

    /// This scene without its placements, to be read again from its text.
    pub(crate) fn unplaced(&self) -> Self {
        Self {
            file: self.file.clone(),
            text: self.text.clone(),
            settings: self.settings,
            actions: self.actions.clone(),
            library: self.library.clone(),
            placements: Vec::new(),
            population: Population::default(),
            rules: self.rules.clone(),
            callbacks: self.callbacks.clone(),
            segment_cuts: self.segment_cuts.clone(),
        }
    }

    /// The same file, read again with replacements for some of its assets.
    pub(crate) fn with(&self, replaced: &Replaced) -> Result<Self, SceneError> {
        let Library { kinds, language, .. } = &self.library;
        Self::read(&self.file, &self.text, kinds, language.clone(), replaced)
    }

    /// Another text for the file, read with the same kinds and the same language.
    pub(crate) fn with_text(&self, text: &str) -> Result<Self, SceneError> {
        let Library { kinds, language, .. } = &self.library;
        Self::read(&self.file, text, kinds, language.clone(), &Replaced::default())
    }
}
