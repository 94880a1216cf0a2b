//! [`Scripts`]: the scripts of a world, by name and by text, with the state that does not belong to one component.

use std::collections::BTreeMap;
use std::mem;
use std::sync::Arc;

use tombolo_entity::{Dense, Entity, EntitySystem, InstanceId};
use tombolo_geometry::Pose;

use super::clearances::Clearances;
use super::handler::Handler;
use super::language::Language;
use super::program::{Program, ScriptError};
use super::trace::GraphNotes;
use super::turns::Turns;
use crate::component::{SCRIPT, Script};
use crate::scene::ScriptLimits;

/// The scripts of a world.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scripts {
    /// The language and its limits.
    pub(super) language: Language,
    /// Scripts by name.
    pub(super) named: BTreeMap<Box<str>, Arc<Program>>,
    /// Scripts whose text is in a component, by text. A cache: entries may be removed at any time.
    pub(super) texts: BTreeMap<Box<str>, Arc<Program>>,
    /// The number of texts at which those that are not in use are removed.
    pub(super) texts_max: usize,
    /// Scripts of ended entities that handle their end.
    pub(super) ended: Vec<Ended>,
    /// The scripts that are first in the next stages.
    pub(super) turns: Turns,
    /// The clearances of recent path searches.
    pub(super) clearances: Clearances,
    /// The operations of free space that was made at no price in this stage; 0 between stages.
    pub(super) free_space_given: usize,
    /// The clearances for which finding the connected parts of free space was charged in this stage: walls do not move in
    /// it. Empty between stages.
    pub(super) parts_charged: Vec<f32>,
    /// The lines that scripts printed. Not part of the state.
    pub(super) printed: Vec<Box<str>>,
    /// What node graphs did, by their names, if the world traces them. Not part of the state.
    pub(super) traces: Option<BTreeMap<Box<str>, GraphNotes>>,
}

/// What scripts have printed and graphs were traced to do: no part of the state, but of the world that ran them.
pub(crate) struct Output {
    printed: Vec<Box<str>>,
    traces: Option<BTreeMap<Box<str>, GraphNotes>>,
}

/// A script of an entity that has ended.
#[derive(Clone, Debug)]
pub(super) struct Ended {
    pub(super) entity: Entity,
    pub(super) instance: InstanceId,
    /// The name of the entity in messages.
    pub(super) label: Box<str>,
    pub(super) pose: Pose,
    pub(super) script: Script,
}

impl Scripts {
    /// No scripts; those that are added have these limits.
    pub(crate) fn new(limits: ScriptLimits) -> Self {
        Self {
            language: Language::of(limits),
            ..Self::default()
        }
    }

    /// Takes the printed lines and the traces out.
    pub(crate) fn take_output(&mut self) -> Output {
        Output {
            printed: mem::take(&mut self.printed),
            traces: self.traces.take(),
        }
    }

    /// Replaces the printed lines and the traces.
    pub(crate) fn put_output(&mut self, output: Output) {
        (self.printed, self.traces) = (output.printed, output.traces);
    }

    /// The limits of scripts.
    pub(super) fn limits(&self) -> &ScriptLimits {
        self.language.limits()
    }

    /// Whether a script is enabled and has a function for an event; also if it was not parsed yet.
    pub(super) fn may_handle(&self, script: &Script, handler: Handler) -> bool {
        let known = if script.name.is_empty() {
            self.texts.get(&*script.text)
        } else {
            self.named.get(&script.name)
        };
        script.enabled && known.is_none_or(|program| program.handles(handler))
    }

    /// The script that a component names or contains; `None` if it has neither.
    pub(super) fn find(&mut self, script: &Script) -> Result<Option<Arc<Program>>, ScriptError> {
        if !script.name.is_empty() {
            let found = self.named.get(&script.name).cloned();
            let missing = || ScriptError::new(None, format!("there is no script {:?}", script.name));
            return found.map(Some).ok_or_else(missing);
        }
        if script.text.is_empty() {
            return Ok(None);
        }
        if let Some(known) = self.texts.get(&*script.text) {
            return Ok(Some(known.clone()));
        }
        let program = Program::read(&script.text, &self.language)?;
        self.texts.insert(Box::from(&*script.text), program.clone());
        Ok(Some(program))
    }
}

/// The script component of an instance.
pub(super) fn script_in(entities: &EntitySystem, entity: Entity, instance: InstanceId) -> Option<&Script> {
    let scripts = entities.manager::<Dense<Script>>(SCRIPT)?;
    scripts.value(entity, instance)
}
