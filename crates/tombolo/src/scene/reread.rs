//! A scene's assets, and reading its file again with others.

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
    /// The materials with their names, in the order of the letters: each a Collider of which nothing but that is given.
    pub(crate) fn materials(&self) -> &BTreeMap<String, Component> {
        &self.library.materials
    }

    /// The outlines with their names, in the order of the letters.
    pub(crate) fn outlines(&self) -> &BTreeMap<String, ShapeGeometry> {
        &self.library.outlines
    }

    /// What stands in place of the file's own assets.
    pub(crate) fn replaced(&self) -> &Replaced {
        &self.library.replaced
    }

    /// This scene without what it places, to be read again from its text.
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

    /// The same file, read again with other assets in place of some of its own.
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
