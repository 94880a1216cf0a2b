//! Scene files: the text of a world, read and checked before anything is built.
//!
//! # The format
//!
//! A scene is a [RON](https://docs.rs/ron) text of up to eleven sections, in this order:
//!
//! ```
//! # let text = r#"
//! (
//!     settings: (gravity: (0, -10), substeps: 4, steps_per_second: 60, sleeping: true),
//!     materials: {
//!         "wood": (density: 0.7, friction: 0.6, restitution: 0.1),
//!     },
//!     entities: {
//!         "ground": {
//!             "body": Body(kind: Static),
//!             "top": Collider(shape: Box(width: 40, height: 2), position: (0, -1)),
//!         },
//!         "crate": {
//!             "body": Body(kind: Dynamic),
//!             "hull": Collider(shape: Box(width: 1, height: 1), material: "wood"),
//!         },
//!         "plank": {
//!             "body": Body(kind: Dynamic),
//!             "board": Collider(shape: Box(width: 1, height: 0.2), material: "wood"),
//!             "hinge": Joint(to: Previous, pivot: (-0.5, 0)),
//!         },
//!     },
//!     place: [
//!         One(name: "ground", entity: "ground"),
//!         One(name: "thrown", entity: "crate", at: (-5, 3), overrides: {"body": (linear_velocity: (8, 2))}),
//!         Row(name: "chain", entity: "plank", at: (-3, 6), count: 7, step: (1, 0)),
//!         Grid(name: "stack", entity: "crate", at: (4, 0.5), columns: 4, rows: 4,
//!              column_step: (1, 0), row_step: (0.5, 1), taper: 1),
//!     ],
//!     strokes: [(step: 120, from: (-6, 4), to: (-1, 7))],
//! )
//! # "#;
//! # let scene = tombolo::Scene::parse("example.ron", text).unwrap();
//! # assert_eq!(scene.instance_count(), 1 + 1 + 7 + 10);
//! ```
//!
//! - **actions** are named inputs of players, with the keys, buttons, sticks and pointer that give them: each is a
//!   [`SceneAction`]. Scripts read them. The section follows the settings.
//! - **scripts** are sources of scripts by name, which components of kind `Script` refer to: `Script(name: "drift")`;
//!   or a component has a source of its own: `Script(text: "fn on_tick(seconds) { … }")`. `docs/scripts.md` describes
//!   them; they are compiled and run if the feature `script` is on.
//! - **graphs** are scripts composed of nodes, which components name as scripts: [`graph`].
//! - **outlines** are named shapes, which the shapes of components refer to: `shape: Named("stone")`. The section
//!   follows the materials. Materials, outlines and scripts are the scene's assets, which
//!   [`World::reload`](crate::World::reload) replaces in a running world.
//! - **entities** are resources: lists of named components. `docs/scene.md` and `tombolo kinds` list the kinds and
//!   their properties; kinds of managers that a game has registered can be used too, see [`Scene::parse_with`].
//!   Shapes are `Circle`, `Capsule`, `Segment`, `Polygon`, `Box`, `Chain` and `GeometryEntry` (concave, with holes).
//!   `Inherits("crate")`, first in an entity, gives it all components of an earlier one; components of the same names
//!   override those. `Child(entity: "lamp", at: (0, 1))` adds another entity as a child; its instance is called
//!   `parent/child`.
//! - **place** puts instances of them into the world: `One`; a `Row` of `count`, each `step` from the one before; or
//!   a `Grid` of `rows` of `columns`, each row `taper` shorter than the one below. Instances are called `name`,
//!   `name[i]` and `name[column,row]`. `overrides` replaces properties of named components; `jitter` and
//!   `angle_jitter` scatter the instances, with the same result on every run.
//! - A **joint** ties the entity's own body, or that of `from`, to that of `to`, at the `pivot` in the entity's own
//!   frame: the other body's anchor follows from the poses of both. `to` is `Entity("name")`; `Previous`, the
//!   instance before in the row, where the first has none and gets no joint; or, in a child, `Parent`. A joint's
//!   angle is the rotation of `from` relative to `to` since they were placed, counter-clockwise positive.
//!
//! - **rules** are contact rules for two materials, by the materials' numbers, or for two categories, by their bits:
//!   each is a [`SceneRule`]. The section follows the materials.
//!
//! - **callbacks** names the callbacks about pairs of shapes that the world uses, whose code a game registers
//!   ([`CallbackNames`]): `callbacks: (custom_filter: "teams", pre_solve: "ice", categories: 32)`. The section
//!   follows the rules.
//!
//! - **strokes** is the section of segment cuts: each cuts the bodies that it crosses at the start of a step, by the
//!   rules of [`World::slice`](crate::World::slice).
//!
//! Every property with a sensible default may be left out. A property that is unknown, or out of range, or of the
//! wrong type, ends the reading with one [`SceneError`] that names file, line, entity, component and property.

mod action;
mod assets;
mod callbacks;
mod component_reader;
mod components;
mod contact_rule;
mod definitions;
mod document;
mod form_writer;
mod geometry;
pub mod graph;
mod kinds;
mod library;
mod nearest;
mod placement;
mod quote;
mod reader;
mod references;
mod reread;
mod rule_fields;
mod script_language;
mod script_limits;
mod segment_cut;
mod settings;
mod value_text;
mod values;

pub use action::{ACTION_NAME_BYTES_MAX, ACTIONS_MAX, GamepadButton, Pointer, SceneAction, Stick};
pub(crate) use assets::{read_material, read_outline};
pub(crate) use callbacks::check_name as check_callback_name;
pub use callbacks::{CALLBACK_NAME_BYTES_MAX, CallbackNames};
pub(crate) use components::Component;
pub use contact_rule::SceneRule;
pub use kinds::Kinds;
pub(crate) use library::{Replaced, Replacement};
pub(crate) use nearest::advice;
pub use nearest::nearest;
pub use placement::{INSTANCES_MAX, SIDE_MAX};
pub(crate) use quote::with_plain_line_ends;
pub use quote::{quoted, unquoted};
pub(crate) use references::ResolvedJoint;
pub use rule_fields::rule_text;
#[cfg(feature = "script")]
pub(crate) use rule_fields::{RULE_FIELDS, RuleField, RulePlace};
pub(crate) use script_language::ScriptLanguage;
pub use script_limits::ScriptLimits;
pub use segment_cut::SegmentCut;
pub use settings::Settings;
pub(crate) use settings::{ENTITIES_MAX_LIMIT, STEPS_PER_SECOND_MAX};
pub(crate) use value_text::{show_list, show_value};

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tombolo_entity::{Override, ResourceDefinition};
use tombolo_geometry::Pose;

use crate::error::{SceneError, Subject};
use document::Document;
use graph::NodeGraph;
use library::Library;
use placement::Placement;
use reader::Reader;
use references::{Populating, Population, components_of, inner_pose};

/// A scene file, read and checked: every name in it exists, every number is in range, every shape can be built.
///
/// Building a world from it ([`World::from_scene`](crate::World::from_scene)) does not change it.
#[derive(Clone, Debug)]
pub struct Scene {
    file: Arc<str>,
    text: Arc<str>,
    settings: Settings,
    actions: Vec<(String, SceneAction)>,
    library: Library,
    placements: Vec<Placement>,
    population: Population,
    rules: Vec<SceneRule>,
    callbacks: CallbackNames,
    segment_cuts: Vec<SegmentCut>,
}

impl Scene {
    /// Reads a scene with a language for its scripts, and with replacements for some of its assets.
    pub(crate) fn read(
        file: &str,
        text: &str,
        kinds: &Kinds,
        language: Arc<dyn ScriptLanguage>,
        replaced: &Replaced,
    ) -> Result<Self, SceneError> {
        // Some text editors write a byte order mark first. Strings of several lines are part of the world's state; the text
        // itself stays as it is.
        let plain = with_plain_line_ends(text.strip_prefix('\u{feff}').unwrap_or(text));
        let reader = Reader::new(file, &plain);
        let mut document = Document::new(&reader, kinds, language, replaced);
        document::read_document(&mut document, &plain).map_err(|error| reader.explain(&error))?;
        let Document {
            settings,
            actions,
            library,
            placements,
            rules,
            callbacks,
            segment_cuts,
            ..
        } = document;
        let population = Populating {
            file,
            library: &library,
            placements: &placements,
        }
        .populate()?;
        Ok(Self {
            file: file.into(),
            text: text.into(),
            settings,
            actions,
            library,
            placements,
            population,
            rules,
            callbacks,
            segment_cuts,
        })
    }

    /// The name of its file, as errors print it, and its text.
    pub(crate) fn source(&self) -> [&Arc<str>; 2] {
        [&self.file, &self.text]
    }

    /// The text of the scene.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The settings of the scene's steps.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The number of entities that the scene places.
    pub fn instance_count(&self) -> usize {
        self.population.instances.len()
    }

    /// The names of the placed entities in the order of the file, with their initial poses.
    pub fn instances(&self) -> impl ExactSizeIterator<Item = (&str, Pose)> {
        self.population
            .instances
            .iter()
            .map(|instance| (instance.name.as_str(), instance.pose))
    }

    /// The pose of a placed entity in the frame of its placement: that of its Transform, or the identity. The initial
    /// pose is that of the placement, `at` and `angle`, composed with this one. `None` if nothing of this name is
    /// placed. O(log entities).
    ///
    /// ```
    /// use tombolo::Scene;
    /// let scene = Scene::parse("a.ron", r#"(
    ///     entities: {"sign": {"transform": Transform(position: (1, 0)), "body": Body()}},
    ///     place: [One(name: "exit", entity: "sign", at: (5, 2))],
    /// )"#)?;
    /// let inner = scene.pose_in_placement("exit").expect("it is placed");
    /// assert_eq!(inner.position.to_array(), [1.0, 0.0]);
    /// let (_, initial) = scene.instances().next().expect("it is placed");
    /// assert_eq!(initial.position.to_array(), [6.0, 2.0]);
    /// assert_eq!(scene.initial_pose("exit"), Some(initial));
    /// # Ok::<(), tombolo::SceneError>(())
    /// ```
    pub fn pose_in_placement(&self, name: &str) -> Option<Pose> {
        let &index = self.population.by_name.get(name)?;
        let placement = &self.placements[self.population.instances[index].placement];
        Some(inner_pose(components_of(&self.library, placement), &self.library))
    }

    /// The same of an entity resource: what an entity has that is placed without overrides. `None` if there is no such
    /// resource. O(log resources).
    ///
    /// ```
    /// use tombolo::Scene;
    /// let scene = Scene::parse("a.ron", r#"(
    ///     entities: {"sign": {"transform": Transform(position: (1, 0)), "body": Body()}},
    ///     place: [One(name: "exit", entity: "sign", at: (5, 2))],
    /// )"#)?;
    /// let inner = scene.pose_in_resource("sign").expect("it is a resource");
    /// assert_eq!(inner.position.to_array(), [1.0, 0.0]);
    /// assert!(scene.pose_in_resource("exit").is_none());
    /// # Ok::<(), tombolo::SceneError>(())
    /// ```
    pub fn pose_in_resource(&self, resource: &str) -> Option<Pose> {
        let resource = &self.library.resources[self.library.find(resource)?];
        let components = resource.components.iter();
        let components = components.map(|named| (&*named.name, &named.component));
        Some(inner_pose(components, &self.library))
    }

    /// The initial pose of a placed entity, as in [`Scene::instances`]; `None` if nothing of this name is placed.
    /// O(log entities).
    pub fn initial_pose(&self, name: &str) -> Option<Pose> {
        let &index = self.population.by_name.get(name)?;
        Some(self.population.instances[index].pose)
    }

    /// The scripts that its components name, with their texts.
    pub(crate) fn scripts(&self) -> &[(String, String)] {
        &self.library.scripts
    }

    /// The contact rules, in the order of the file.
    pub fn rules(&self) -> &[SceneRule] {
        &self.rules
    }

    /// The callbacks about pairs of shapes that its world uses.
    pub fn callbacks(&self) -> &CallbackNames {
        &self.callbacks
    }

    /// The actions of players, with their devices, in the order of the file.
    pub fn actions(&self) -> impl ExactSizeIterator<Item = (&str, &SceneAction)> {
        self.actions.iter().map(|(name, action)| (name.as_str(), action))
    }

    /// The node graphs that its components name as scripts, in the order of the file.
    pub fn graphs(&self) -> impl ExactSizeIterator<Item = (&str, &NodeGraph)> {
        self.library
            .graphs
            .iter()
            .map(|(name, graph)| (name.as_str(), graph))
    }

    /// The segment cuts, in the order of the file.
    pub fn segment_cuts(&self) -> &[SegmentCut] {
        &self.segment_cuts
    }

    /// The resources that its entities are instances of.
    pub(crate) fn definitions(&self) -> Vec<ResourceDefinition> {
        self.library.definitions()
    }

    /// The placements in the order of the file: the resource, the overrides, and the number of instances.
    pub(crate) fn placements(&self) -> impl Iterator<Item = (&str, Vec<Override>, usize)> {
        self.placements.iter().map(|placement| {
            let overrides = self.library.overrides(placement);
            let resource = &self.library.resources[placement.resource].name;
            (resource.as_str(), overrides, placement.layout.cells().count())
        })
    }

    /// The joints between placed entities.
    pub(crate) fn resolved_joints(&self) -> &[ResolvedJoint] {
        &self.population.joints
    }

    /// An error about the settings as a whole.
    pub(crate) fn error_in_settings(&self, message: String) -> SceneError {
        SceneError {
            file: (&*self.file).into(),
            line: None,
            subject: Subject::Settings,
            component: None,
            property: None,
            message: message.into(),
        }
    }

    /// An error about the scene as a whole.
    pub(crate) fn error(&self, message: String) -> SceneError {
        SceneError {
            subject: Subject::Scene,
            ..self.error_in_settings(message)
        }
    }

    /// An error about a placed entity, at the line of its placement.
    pub(crate) fn error_at(&self, instance: usize, component: Option<&str>, message: String) -> SceneError {
        let instance = &self.population.instances[instance];
        SceneError {
            file: (&*self.file).into(),
            line: Some(self.placements[instance.placement].line),
            subject: Subject::Entity(instance.name.as_str().into()),
            component: component.map(Into::into),
            property: None,
            message: message.into(),
        }
    }
}
