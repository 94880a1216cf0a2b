//! Reads a scene file as a whole: its eleven sections in order, the node graphs, the entity resources and the list of
//! placements.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use serde::de::{DeserializeSeed, MapAccess, SeqAccess};
use tombolo_entity::{COMPONENTS_MAX, Names};
use tombolo_physics::PhysicsError;
use tombolo_physics::constants::SUBSTEPS_MAX;

use super::action::{ActionEntries, SceneAction};
use super::assets::{MaterialEntries, OutlineEntries, ScriptEntries};
use super::callbacks::CallbackNames;
use super::component_reader::ComponentSeed;
use super::components::{Item, NamedComponent};
use super::contact_rule::{RuleElements, SceneRule};
use super::graph::NodeGraph;
use super::kinds::Kinds;
use super::library::{Library, Replaced, Resource};
use super::placement::{Placement, PlacementSeed};
use super::reader::{
    CheckFailure, EachEntry, FieldReader, Name, NamedEntries, Over, Properties, Reader, properties,
};
use super::script_language::ScriptLanguage;
use super::segment_cut::SegmentCut;
use super::settings::{ENTITIES_MAX_LIMIT, STEPS_PER_SECOND_MAX, Settings};
use super::values::{EachElement, Elements, NumberRange};
use crate::component::{BODY, COLLIDER, TRANSFORM};
use crate::error::Subject;

/// The greatest number of resources in a line of inheritance, and of levels of children. The components of a resource
/// are computed along the whole line, again for each of its children.
const DEPTH_MAX: usize = 64;
/// The greatest number of entries of one entity.
const ENTRIES_MAX: usize = 4096;
/// The greatest size of what the entities of a scene inherit, and of the components of their children, in bytes. A world
/// keeps each again for whoever has it, so without a limit a small file could allocate all memory.
const INHERITED_BYTES_MAX: usize = 1 << 28;

/// The sections of a file, in their required order.
const SECTIONS: [&str; 11] = [
    "settings",
    "actions",
    "materials",
    "outlines",
    "rules",
    "callbacks",
    "scripts",
    "graphs",
    "entities",
    "place",
    "strokes",
];

/// The state of a file while it is read.
pub(crate) struct Document<'a> {
    pub(crate) reader: &'a Reader<'a>,
    pub(crate) settings: Settings,
    pub(crate) actions: Vec<(String, SceneAction)>,
    pub(crate) library: Library,
    pub(crate) placements: Vec<Placement>,
    pub(crate) rules: Vec<SceneRule>,
    pub(crate) callbacks: CallbackNames,
    pub(crate) segment_cuts: Vec<SegmentCut>,
    /// The number of sections that have been passed.
    sections_passed: usize,
}

impl<'a> Document<'a> {
    pub(crate) fn new(
        reader: &'a Reader<'a>,
        kinds: &Kinds,
        language: Arc<dyn ScriptLanguage>,
        replaced: &Replaced,
    ) -> Self {
        Self {
            reader,
            settings: Settings::default(),
            actions: Vec::new(),
            library: Library {
                materials: BTreeMap::new(),
                outlines: BTreeMap::new(),
                scripts: Vec::new(),
                script_names: BTreeSet::new(),
                graphs: Vec::new(),
                resources: Vec::new(),
                by_name: BTreeMap::new(),
                inherited_bytes: 0,
                kinds: kinds.clone(),
                language,
                replaced: replaced.clone(),
            },
            placements: Vec::new(),
            rules: Vec::new(),
            callbacks: CallbackNames::default(),
            segment_cuts: Vec::new(),
            sections_passed: 0,
        }
    }

    /// Passes to a section. The order of sections ensures that every name is read before it is used.
    fn pass_section<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        field: &FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error> {
        let section = SECTIONS
            .iter()
            .position(|&section| section == name)
            .unwrap_or_default();
        if section < self.sections_passed {
            let later = SECTIONS[self.sections_passed - 1];
            return Err(field.refuse(format!("must stand before {later:?}")));
        }
        self.sections_passed = section + 1;
        Ok(())
    }
}

impl Properties for Document<'_> {
    fn names(&self) -> &'static [&'static str] {
        &SECTIONS
    }

    fn read<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error> {
        self.pass_section(name, field)?;
        let reader = self.reader;
        match name {
            "settings" => {
                reader.begin(Subject::Settings, reader.line());
                field.over(&mut self.settings)?;
                self.library.language = self.library.language.under(self.settings.script_limits);
            }
            "actions" => {
                let actions = &mut self.actions;
                field.by(NamedEntries {
                    reader,
                    each: ActionEntries { reader, actions },
                })?;
            }
            "rules" => {
                let rules = &mut self.rules;
                field.by(Elements(RuleElements { reader, rules }))?;
            }
            "callbacks" => {
                reader.begin(Subject::Scene, reader.line());
                field.over(&mut self.callbacks)?;
            }
            "strokes" => {
                let segment_cuts = &mut self.segment_cuts;
                field.by(Elements(SegmentCutElements { reader, segment_cuts }))?;
            }
            "place" => {
                let (library, placements) = (&self.library, &mut self.placements);
                field.by(Elements(PlacementElements {
                    reader,
                    library,
                    placements,
                }))?;
            }
            _ => self.library.read_section(name, reader, field)?,
        }
        reader.begin(Subject::Scene, reader.line());
        Ok(())
    }

    fn check(&self) -> Result<(), CheckFailure> {
        if self.placements.is_empty() {
            return Err((
                Some("place"),
                "nothing is placed; a scene needs an instance or more".to_string(),
            ));
        }
        Ok(())
    }
}

impl Library {
    /// Reads one of the sections that placements refer to.
    fn read_section<'de, A: MapAccess<'de>>(
        &mut self,
        name: &str,
        reader: &Reader<'_>,
        field: &mut FieldReader<'_, '_, A>,
    ) -> Result<(), A::Error> {
        let library = self;
        match name {
            "materials" => field.by(NamedEntries {
                reader,
                each: MaterialEntries { reader, library },
            }),
            "outlines" => field.by(NamedEntries {
                reader,
                each: OutlineEntries { reader, library },
            }),
            "scripts" => field.by(NamedEntries {
                reader,
                each: ScriptEntries { reader, library },
            }),
            "graphs" => field.by(NamedEntries {
                reader,
                each: GraphEntries { reader, library },
            }),
            _ => field.by(NamedEntries {
                reader,
                each: ResourceEntries { reader, library },
            }),
        }
    }
}

properties!(Settings {
    "gravity" => gravity = vector(),
    "substeps" => substeps = count(1, SUBSTEPS_MAX),
    "steps_per_second" => steps_per_second = count(1, STEPS_PER_SECOND_MAX),
    "sleeping" => sleeping = plain(),
    "continuous" => continuous = plain(),
    "restitution_threshold" => restitution_threshold = number(NumberRange::NotNegative),
    "hit_threshold" => hit_threshold = number(NumberRange::NotNegative),
    "contact_hertz" => contact_hertz = number(NumberRange::NotNegative),
    "contact_damping_ratio" => contact_damping_ratio = number(NumberRange::NotNegative),
    "push_speed_max" => push_speed_max = number(NumberRange::NotNegative),
    "speed_max" => speed_max = number(NumberRange::NotNegative),
    "debris_area" => debris_area = number(NumberRange::NotNegative),
    "debris_stays" => debris_stays = plain(),
    "seed" => seed = plain(),
    "entities_max" => entities_max = count(1, ENTITIES_MAX_LIMIT),
    "bodies_max" => bodies_max = count(1, ENTITIES_MAX_LIMIT),
    "script_limits" => script_limits = fresh(),
} check Settings::check);

impl Settings {
    /// Checks the numbers whose limits are those of physics.
    fn check(&self) -> Result<(), CheckFailure> {
        self.physics().validate().map_err(|error| {
            let property = match &error {
                PhysicsError::InvalidNumber { what, .. } => Some(*what),
                _ => None,
            };
            (property, format!("{error}"))
        })
    }
}

properties!(SegmentCut {
    "step" => step = step(),
    "from" => from = vector(),
    "to" => to = vector(),
});

struct GraphEntries<'a> {
    reader: &'a Reader<'a>,
    library: &'a mut Library,
}

impl EachEntry for GraphEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin(Subject::Graph(name.text.as_str().into()), name.line);
        let graph: NodeGraph = map.next_value()?;
        let script = graph.script().map_err(|error| reader.refuse(error.to_string()))?;
        self.library
            .add_script(name.text.clone(), script)
            .map_err(|message| reader.refuse(message))?;
        self.library.graphs.push((name.text, graph));
        Ok(())
    }
}

struct ResourceEntries<'a> {
    reader: &'a Reader<'a>,
    library: &'a mut Library,
}

impl EachEntry for ResourceEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin(Subject::Entity(name.text.as_str().into()), name.line);
        if self.library.find(&name.text).is_some() {
            return Err(reader.refuse("defined twice; keep one"));
        }
        let library = &*self.library;
        let mut inherited_bytes = library.inherited_bytes;
        let mut resource = Resource {
            name: name.text.clone(),
            inherits: None,
            components: Vec::new(),
            children: Vec::new(),
            ancestors: 0,
            levels: 0,
            bytes: 0,
        };
        let each = ComponentEntries {
            reader,
            library,
            resource: &mut resource,
            inherited_bytes: &mut inherited_bytes,
            given: Vec::new(),
        };
        map.next_value_seed(NamedEntries { reader, each })?;
        reader.begin(Subject::Entity(name.text.as_str().into()), name.line);
        check_composition(&resource.components).map_err(|message| reader.refuse(message))?;
        resource.bytes = resource.components.iter().map(|named| named.bytes()).sum();
        self.library.inherited_bytes = inherited_bytes;
        self.library
            .by_name
            .insert(name.text, self.library.resources.len());
        self.library.resources.push(resource);
        Ok(())
    }
}

struct ComponentEntries<'a> {
    reader: &'a Reader<'a>,
    library: &'a Library,
    resource: &'a mut Resource,
    /// The bytes that the entities up to here get from others.
    inherited_bytes: &'a mut usize,
    /// The names of the entity's own components, without inherited ones.
    given: Vec<String>,
}

impl EachEntry for ComponentEntries<'_> {
    fn entry<'de, A: MapAccess<'de>>(&mut self, name: Name, map: &mut A) -> Result<(), A::Error> {
        let reader = self.reader;
        reader.begin_component(Some(&name));
        if self.given.len() == ENTRIES_MAX {
            return Err(reader.refuse(format!(
                "an entity has {ENTRIES_MAX} components and children at most"
            )));
        }
        if self.given.contains(&name.text) {
            return Err(reader.refuse("the entity has a component of that name already"));
        }
        if let Err(error) = Names::new().check(&name.text) {
            // The name may have line breaks; a message has none.
            return Err(reader.refuse(error.to_string().replace('\n', " ")));
        }
        let place = self
            .resource
            .components
            .iter()
            .position(|named| named.name == name.text);
        let entry = map.next_value_seed(ComponentSeed {
            reader,
            library: self.library,
            inherited: place.map(|place| &self.resource.components[place].component),
        })?;
        self.check_entry(&name, &entry, place.is_some())?;
        match entry {
            Item::Component(component) => {
                let named = NamedComponent {
                    name: name.text.clone(),
                    component,
                };
                self.put(place, named)?;
            }
            Item::Inherits(base) => self.inherit(&base)?,
            Item::Child(child) => {
                if let Some(entity) = &child.entity {
                    let below = self.library.find_earlier::<A::Error>(&entity.text, reader)?;
                    let levels = self.library.resources[below].levels + 1;
                    if levels > DEPTH_MAX {
                        let message = format!("children within children are {DEPTH_MAX} deep at most");
                        return Err(reader.refuse(message));
                    }
                    self.resource.levels = self.resource.levels.max(levels);
                    self.count_inherited(below)?;
                }
                self.resource.children.push((name.text.clone(), child));
            }
        }
        self.given.push(name.text);
        reader.begin_component(None);
        Ok(())
    }
}

impl ComponentEntries<'_> {
    /// Adds a component, or puts it in the place of an inherited one.
    fn put<E: serde::de::Error>(&mut self, place: Option<usize>, named: NamedComponent) -> Result<(), E> {
        let components = &mut self.resource.components;
        match place {
            Some(place) => components[place] = Arc::new(named),
            None if components.len() == COMPONENTS_MAX => {
                let message =
                    format!("an entity has {COMPONENTS_MAX} components at most, with those that it inherits");
                return Err(self.reader.refuse(message));
            }
            None => components.push(Arc::new(named)),
        }
        Ok(())
    }

    /// Counts the components of an earlier entity that this one or its child gets.
    fn count_inherited<E: serde::de::Error>(&mut self, earlier: usize) -> Result<(), E> {
        *self.inherited_bytes += self.library.resources[earlier].bytes;
        if *self.inherited_bytes > INHERITED_BYTES_MAX {
            let message = format!(
                "the entities up to here inherit more than {INHERITED_BYTES_MAX} bytes, children included; \
                 place one entity often instead of inheriting from it often"
            );
            return Err(self.reader.refuse(message));
        }
        Ok(())
    }

    /// Refuses a child whose instance could not be named after it, and a child or component under the name of what is
    /// inherited and is no component of its kind.
    fn check_entry<E: serde::de::Error>(
        &self,
        name: &Name,
        entry: &Item,
        is_inherited: bool,
    ) -> Result<(), E> {
        let is_child = matches!(entry, Item::Child(_));
        let message = if is_child && name.text.contains('/') {
            "a slash parts the names of a parent and its child; give the child a name without"
        } else if self.inherits_child(&name.text) {
            "is a child that the entity inherits; give another name"
        } else if is_child && is_inherited {
            "is a component that the entity inherits; give another name"
        } else {
            return Ok(());
        };
        Err(self.reader.refuse(message))
    }

    /// Whether one of the ancestors has a child of this name.
    fn inherits_child(&self, name: &str) -> bool {
        let ancestor = |index: Option<usize>| index.map(|index| &self.library.resources[index]);
        let first = ancestor(self.resource.inherits);
        let mut ancestors = core::iter::successors(first, |resource| ancestor(resource.inherits));
        ancestors.any(|resource| resource.children.iter().any(|(known, _)| known == name))
    }

    fn inherit<E: serde::de::Error>(&mut self, base: &Name) -> Result<(), E> {
        if !self.given.is_empty() {
            return Err(self.reader.refuse("must stand first in its entity"));
        }
        let base = self.library.find_earlier(&base.text, self.reader)?;
        let Resource {
            ancestors, levels, ..
        } = &self.library.resources[base];
        if *ancestors == DEPTH_MAX {
            let message =
                format!("an entity inherits from {DEPTH_MAX} others at most, one through the other");
            return Err(self.reader.refuse(message));
        }
        (self.resource.ancestors, self.resource.levels) = (ancestors + 1, *levels);
        self.resource.inherits = Some(base);
        self.resource
            .components
            .clone_from(&self.library.resources[base].components);
        self.count_inherited(base)
    }
}

/// Refuses combinations of components that make no entity.
fn check_composition(components: &[Arc<NamedComponent>]) -> Result<(), String> {
    let mut bodies = 0;
    let mut transforms = 0;
    let mut collider = None;
    for named in components {
        let NamedComponent { name, component } = &**named;
        match component.kind.manager() {
            Some(BODY) => bodies += 1,
            Some(TRANSFORM) => transforms += 1,
            Some(COLLIDER) => collider = Some(name),
            _ => {}
        }
    }
    match (bodies, collider) {
        (2.., _) => Err(format!("has {bodies} components of kind Body; keep one")),
        (0, Some(name)) => Err(format!(
            "has the Collider {name:?} but no Body; add a component of kind Body"
        )),
        _ if transforms > 1 => Err(format!("has {transforms} components of kind Transform; keep one")),
        _ => Ok(()),
    }
}

struct SegmentCutElements<'a> {
    reader: &'a Reader<'a>,
    segment_cuts: &'a mut Vec<SegmentCut>,
}

impl EachElement for SegmentCutElements<'_> {
    fn element<'de, A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let reader = self.reader;
        let mut segment_cut = SegmentCut::default();
        let into = &mut segment_cut;
        if list.next_element_seed(Over { reader, into })?.is_none() {
            return Ok(false);
        }
        if segment_cut.from == segment_cut.to {
            return Err(reader.refuse("a segment cut begins where it ends; give two places"));
        }
        self.segment_cuts.push(segment_cut);
        Ok(true)
    }
}

struct PlacementElements<'a> {
    reader: &'a Reader<'a>,
    library: &'a Library,
    placements: &'a mut Vec<Placement>,
}

impl EachElement for PlacementElements<'_> {
    fn element<'de, A: SeqAccess<'de>>(&mut self, list: &mut A) -> Result<bool, A::Error> {
        let Self { reader, library, .. } = *self;
        let number = self.placements.len() + 1;
        let placement = list.next_element_seed(PlacementSeed {
            reader,
            library,
            number,
        })?;
        let found = placement.is_some();
        self.placements.extend(placement);
        Ok(found)
    }
}

/// Reads the whole text into `document`.
///
/// # Errors
///
/// An error of RON; the reader has the refusal of one of our own checks.
pub(crate) fn read_document(document: &mut Document<'_>, source: &str) -> Result<(), ron::de::SpannedError> {
    let mut deserializer = ron::Deserializer::from_str(source)?;
    let reader = document.reader;
    Over {
        reader,
        into: document,
    }
    .deserialize(&mut deserializer)
    .and_then(|()| deserializer.end())
    .map_err(|error| deserializer.span_error(error))
}
