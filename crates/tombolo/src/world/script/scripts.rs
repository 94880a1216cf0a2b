//! [`Scripts`]: the scripts of a world.

use std::collections::BTreeMap;
use std::sync::Arc;

use tombolo_entity::{Entity, InstanceId};
use tombolo_geometry::Pose;

use super::clearances::Clearances;
use super::language::Language;
use super::program::{Program, ScriptError};
use super::turns::Turns;
use crate::component::Script;
use crate::scene::ScriptLimits;

/// The scripts of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripts {
    /// What they are written in, and their limits.
    pub(super) language: Language,
    /// Those with names.
    pub(super) named: BTreeMap<Box<str>, Arc<Program>>,
    /// Those whose text stands in a component, by text. May be forgotten at any time.
    pub(super) texts: BTreeMap<Box<str>, Arc<Program>>,
    /// With so many texts those that are not in use are forgotten.
    pub(super) texts_max: usize,
    /// Scripts of entities that have ended and handle that.
    pub(super) ended: Vec<Ended>,
    /// Who is first in the next stages.
    pub(super) turns: Turns,
    /// For which clearances paths were asked lately.
    pub(super) clearances: Clearances,
    /// What scripts printed. No part of the state.
    pub(super) printed: Vec<Box<str>>,
}

/// A script of an entity that has ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) entity: Entity,
    pub(super) instance: InstanceId,
    /// What the entity is called in messages.
    pub(super) label: Box<str>,
    pub(super) pose: Pose,
    pub(super) script: Script,
}

impl Scripts {
    /// No scripts; those that come are under these limits.
    pub(crate) fn new(limits: ScriptLimits) -> Self {
        Self {
            language: Language::of(limits),
            ..Self::default()
        }
    }

    /// How much scripts may do.
    pub(super) fn limits(&self) -> &ScriptLimits {
        self.language.limits()
    }

    /// The script that a component names or holds; `None` if it has neither.
    pub(super) fn find(&mut self, script: &Script) -> Result<Option<Arc<Program>>, ScriptError> {
        if !script.name.is_empty() {
            let found = self.named.get(&script.name).cloned();
            let missing = || ScriptError::new(None, format!("there is no script {:?}", script.name));
            return found.map(Some).ok_or_else(missing);
        }
        if script.text.is_empty() {
            return Ok(None);
        }
        if let Some(known) = self.texts.get(&script.text) {
            return Ok(Some(known.clone()));
        }
        let program = Program::read(&script.text, &self.language)?;
        self.texts.insert(script.text.clone(), program.clone());
        Ok(Some(program))
    }
}
