//! [`Library`]: the materials, scripts and entity resources that placements refer to. The reader of a document fills
//! it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use super::components::{Child, Component, NamedComponent};
use super::graph::NodeGraph;
use super::kinds::Kinds;
use super::nearest::advice;
use super::reader::Reader;
use super::script_language::ScriptLanguage;
use crate::component::{SCRIPT, ShapeGeometry, script};

/// An entity resource: the components of its instances, inherited ones included.
#[derive(Clone, Debug)]
pub(crate) struct Resource {
    pub(crate) name: String,
    /// The index of the resource that it inherits from, which is an earlier one.
    pub(crate) inherits: Option<usize>,
    /// Those that it inherits first, in their order there; they are shared with the ancestor until they are changed.
    pub(crate) components: Vec<Arc<NamedComponent>>,
    /// Child entities by name, without the inherited ones.
    pub(crate) children: Vec<(String, Child)>,
    /// The number of resources in its line of inheritance.
    pub(super) ancestors: usize,
    /// The number of levels of children below it.
    pub(super) levels: usize,
    /// The approximate size of its components, in bytes.
    pub(super) bytes: usize,
}

/// Replacements of assets of a scene's file, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replaced {
    pub(crate) materials: BTreeMap<String, Replacement<Component>>,
    pub(crate) outlines: BTreeMap<String, Replacement<ShapeGeometry>>,
}

/// An asset that replaces that of the file, and the text that it was read from.
#[derive(Clone, Debug)]
pub(crate) struct Replacement<T> {
    pub(crate) asset: T,
    pub(crate) text: String,
}

/// The named definitions that placements refer to.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    /// The materials: each is a Collider without properties other than those of a material.
    pub(crate) materials: BTreeMap<String, Component>,
    /// The geometries by name.
    pub(crate) outlines: BTreeMap<String, ShapeGeometry>,
    /// The texts of scripts, in the order of the file.
    pub(crate) scripts: Vec<(String, String)>,
    pub(super) script_names: BTreeSet<String>,
    /// The node graphs, whose generated scripts are among the scripts.
    pub(crate) graphs: Vec<(String, NodeGraph)>,
    pub(crate) resources: Vec<Resource>,
    pub(super) by_name: BTreeMap<String, usize>,
    /// The bytes of the components that resources and their children get from other resources.
    pub(super) inherited_bytes: usize,
    /// The kinds of components.
    pub(crate) kinds: Kinds,
    /// The language of the scripts.
    pub(crate) language: Arc<dyn ScriptLanguage>,
    /// Replacements of assets of the file.
    pub(crate) replaced: Replaced,
}

impl Library {
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    /// The resources' names in alphabetic order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.by_name.keys().map(String::as_str)
    }

    /// Adds a script that components can name.
    pub(super) fn add_script(&mut self, name: String, text: String) -> Result<(), String> {
        if self.script_names.contains(&name) {
            return Err("defined twice; keep one".to_string());
        }
        self.language.check(&text)?;
        self.script_names.insert(name.clone());
        self.scripts.push((name, text));
        Ok(())
    }

    /// Refuses a Script with a name that the scene does not have, or with a text that is no script.
    pub(crate) fn check_script<E: serde::de::Error>(
        &self,
        component: &Component,
        reader: &Reader<'_>,
    ) -> Result<(), E> {
        if !component.is(SCRIPT) {
            return Ok(());
        }
        let script = component.build(&self.kinds.schemas.script);
        if let Err(message) = self.language.check(&script.text) {
            return Err(reader.refuse_property(script::TEXT, reader.line(), message));
        }
        if !script.name.is_empty() && !self.script_names.contains(&*script.name) {
            let known = self.scripts.iter().map(|(name, _)| name.as_str());
            let advice = advice(&script.name, known);
            let message = format!("unknown script {:?}; {advice}", script.name);
            return Err(reader.refuse_property(script::NAME, reader.line(), message));
        }
        Ok(())
    }

    /// The index of an earlier resource, or the refusal.
    pub(super) fn find_earlier<E: serde::de::Error>(
        &self,
        name: &str,
        reader: &Reader<'_>,
    ) -> Result<usize, E> {
        self.find(name).ok_or_else(|| {
            let advice = advice(name, self.names());
            reader.refuse(format!("no entity {name:?} stands before this one; {advice}"))
        })
    }
}
