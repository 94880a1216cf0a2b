//! `Library`: named resources, loaded from definitions, and spawning of entities from them.

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::vec::Vec;
use core::cmp::Reverse;

use tombolo_handles::SecondaryMap;

use super::definition::{Override, ResourceDefinition, ResourceError};
use super::plan::{Definitions, Plan, PlannedComponent, SPAWNED_MAX, check_value, set_value};
use crate::entities::{Entity, EntityMark};
use crate::index::{ComponentEntry, EntityIndex};
use crate::name::{ManagerId, NameHash};
use crate::path::Path;
use crate::property::PropertyError;
use crate::system::{Change, EntitySystem};
use crate::value::Value;

/// A set of resources by name, and a record of the resource that each living entity was spawned from.
///
/// A library belongs to the system that it was loaded with: it holds prototypes of its index. Calls with another system
/// give meaningless results, but break nothing.
///
/// ```
/// use tombolo_entity::{Component, Dense, EntitySystem, Library, ResourceDefinition, Schema, Value};
/// # #[derive(Clone, Default)]
/// # struct Fog { density: f32 }
/// # impl Component for Fog {
/// #     fn schema() -> Schema<Self> {
/// #         Schema::new().property("density", |fog: &Fog| fog.density, |fog, density| fog.density = density)
/// #     }
/// # }
/// let mut system = EntitySystem::new();
/// system.register("Fog", Dense::<Fog>::new())?;
/// let mut library = Library::new();
/// let fog = |density| ResourceDefinition::new("fog").component("Mist", "Fog", [("density", Value::F32(density))]);
/// library.load(&mut system, vec![fog(0.2)])?;
/// let spawned = library.spawn(&mut system, "fog", 100, &[])?;
/// assert_eq!(system.get(spawned.roots()[99], "Mist.density")?, Value::F32(0.2));
/// library.load(&mut system, vec![fog(0.3)])?; // the living follow
/// assert_eq!(system.get(spawned.roots()[99], "Mist.density")?, Value::F32(0.3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub(super) definitions: Definitions,
    pub(super) plans: BTreeMap<Box<str>, Plan>,
    // Names of resources by number; the record of an entity stores the number.
    pub(super) numbers: Vec<Box<str>>,
    pub(super) origins: SecondaryMap<EntityMark, Origin>,
    // The properties that placing an entity overrides.
    pub(super) placing: Vec<(ManagerId, NameHash)>,
    // The properties that were overridden at the spawn, for the few entities that have any; of ended ones until
    // `forget_overrides` or the next load.
    pub(super) overridden: BTreeMap<Entity, Overridden>,
}

/// The resource that an entity was spawned from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// The number of the resource's name.
    pub(super) number: u32,
    /// Whether the entity was placed, see [`Library::mark_placed`].
    pub(super) is_placed: bool,
}

/// The properties of an entity that were overridden at its spawn.
pub(super) type Overridden = Vec<OverriddenProperty>;

/// A property that was overridden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OverriddenProperty {
    /// The name of the component.
    pub(super) component: NameHash,
    /// The name of the property.
    pub(super) property: NameHash,
    /// The place of the property in its manager's list, for the state hash.
    pub(super) place: u32,
}

/// The result of a load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Resources that were not there before.
    pub added: usize,
    /// Existing resources, and those that inherit from them, whose plans changed.
    pub changed: usize,
    /// Living entities that were updated.
    pub entities: Vec<Entity>,
    /// The properties of those entities that got new values, in order.
    pub changes: Vec<Change>,
    /// Components and properties of those entities that a manager refused to change.
    pub refused: usize,
}

/// The entities of one spawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spawned {
    count: usize,
    entities: Vec<Entity>,
    parents: Vec<Option<usize>>,
}

/// An entity that a spawn would create, from [`Library::planned`].
#[derive(Clone, Debug)]
pub struct Planned<'a> {
    /// The name of its resource.
    pub resource: &'a str,
    /// The place of its parent in the list of entities that would be created.
    pub parent: Option<usize>,
    components: Cow<'a, [PlannedComponent]>,
}

impl Planned<'_> {
    /// Its components in order, and their initial property values by place.
    pub fn components(&self) -> impl Iterator<Item = (ComponentEntry, &[(usize, Value)])> {
        self.components.iter().map(|part| (part.entry, &*part.values))
    }
}

impl Spawned {
    /// The spawned entities themselves, without their children.
    pub fn roots(&self) -> &[Entity] {
        &self.entities[..self.count]
    }

    /// Every created entity: first the roots, then the first child of each, and so on.
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Each child with its parent, parents before their children, for programs that link their poses.
    pub fn links(&self) -> impl Iterator<Item = (Entity, Entity)> {
        let children = self.parents.iter().enumerate();
        let children = children.filter_map(|(node, parent)| Some((node, (*parent)?)));
        children.flat_map(move |(node, parent)| {
            let at = move |node: usize, i: usize| self.entities[node * self.count + i];
            (0..self.count).map(move |i| (at(node, i), at(parent, i)))
        })
    }
}

impl Library {
    /// A library without resources.
    pub fn new() -> Self {
        Self::default()
    }

    /// The definition of a resource, as loaded.
    pub fn get(&self, resource: &str) -> Option<&ResourceDefinition> {
        self.definitions.get(resource)
    }

    /// The resources in the order of their names.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &ResourceDefinition> {
        self.definitions.values()
    }

    /// The resource that an entity was spawned from.
    pub fn origin(&self, entity: Entity) -> Option<&str> {
        let origin = self.origins.get(entity)?;
        self.numbers.get(origin.number as usize).map(|name| &**name)
    }

    /// Sets the properties of a manager that placing an entity overrides, such as its position: of entities that
    /// [`Library::mark_placed`] names, a load leaves them as they are. Part of the program, like resources: not saved.
    pub fn set_placing(&mut self, manager: ManagerId, properties: &[&str]) {
        let hashes = properties.iter().map(|name| (manager, NameHash::of(name)));
        self.placing = hashes.collect();
    }

    /// Notes that an entity was placed when it was spawned. Saved with the record of its resource; no effect on an entity
    /// without one. O(1).
    pub fn mark_placed(&mut self, entity: Entity) {
        if let Some(origin) = self.origins.get_mut(entity) {
            origin.is_placed = true;
        }
    }

    /// Forgets which properties of an entity were overridden at its spawn, for an entity that ends. Without this call
    /// the record lasts until the next [`Library::load`]. O(log overridden entities).
    pub fn forget_overrides(&mut self, entity: Entity) {
        self.overridden.remove(&entity);
    }

    /// Spawns `count` entities of a resource with their children; `overrides` apply to all of the roots.
    ///
    /// # Errors
    ///
    /// If there is no such resource, an override is wrong, or a manager refuses. Nothing stays half-spawned.
    ///
    /// # Panics
    ///
    /// In the same cases as [`Entities::create`](crate::Entities::create).
    pub fn spawn(
        &mut self,
        system: &mut EntitySystem,
        resource: &str,
        count: usize,
        overrides: &[Override],
    ) -> Result<Spawned, ResourceError> {
        let missing = || ResourceError::NoResource {
            resource: resource.into(),
        };
        let plan = self.plans.get(resource).ok_or_else(missing)?;
        if count.saturating_mul(plan.tree.len()) > SPAWNED_MAX.max(count) {
            let (resource, max) = (resource.into(), SPAWNED_MAX);
            return Err(ResourceError::TooLarge { resource, max });
        }
        let (root_components, overridden) = override_parts(system, resource, plan, overrides)?;
        // The handles that the entities will have: they are created only when no manager refuses.
        let entities = system.entities.next_many(count * plan.tree.len());
        for (node, (name, _)) in plan.tree.iter().enumerate() {
            let batch = &entities[node * count..(node + 1) * count];
            let own = &self.plans[name];
            let components = if node == 0 {
                &root_components
            } else {
                &own.components
            };
            if let Err(error) = create_components(system, name, batch, components, own) {
                self.undo(system, &entities[..node * count], count, plan);
                return Err(error);
            }
        }
        let made = system.entities.create_many(count * plan.tree.len());
        debug_assert!(made == entities, "nothing was created in between");
        let parents: Vec<Option<usize>> = plan.tree.iter().map(|(_, parent)| *parent).collect();
        for (node, (name, _)) in plan.tree.iter().enumerate() {
            let number = number_of(&mut self.numbers, name);
            for &entity in &entities[node * count..(node + 1) * count] {
                let is_placed = false;
                self.origins.insert(entity, Origin { number, is_placed });
            }
        }
        if !overridden.is_empty() {
            let roots = entities[..count].iter();
            self.overridden
                .extend(roots.map(|&root| (root, overridden.clone())));
        }
        Ok(Spawned {
            count,
            entities,
            parents,
        })
    }

    /// The number of entities that a spawn of one entity of a resource creates, children included; 0 if there is no such
    /// resource. O(log n) in the number of resources.
    pub fn planned_count(&self, resource: &str) -> usize {
        self.plans.get(resource).map_or(0, |plan| plan.tree.len())
    }

    /// The entities that a spawn of one entity of a resource would create, each with its place and its parent's;
    /// nothing is changed. For callers with reasons of their own to refuse it.
    ///
    /// # Errors
    ///
    /// In the same cases as [`Library::spawn`], except the managers' own reasons.
    pub fn planned<'a>(
        &'a self,
        system: &EntitySystem,
        resource: &str,
        overrides: &[Override],
    ) -> Result<Vec<Planned<'a>>, ResourceError> {
        let missing = || ResourceError::NoResource {
            resource: resource.into(),
        };
        let plan = self.plans.get(resource).ok_or_else(missing)?;
        let (root, _) = override_parts(system, resource, plan, overrides)?;
        let mut root = Some(root);
        let nodes = plan.tree.iter().map(|(name, parent)| Planned {
            resource: name,
            parent: *parent,
            components: match root.take() {
                Some(components) => Cow::Owned(components),
                None => Cow::Borrowed(&self.plans[name].components),
            },
        });
        Ok(nodes.collect())
    }

    /// Undoes a failed spawn: all that was made for the whole batches of `entities`, the last first.
    fn undo(&self, system: &mut EntitySystem, entities: &[Entity], count: usize, plan: &Plan) {
        let batches = entities.chunks(count.max(1)).zip(&plan.tree).rev();
        for (batch, (name, _)) in batches {
            for &entity in batch.iter().rev() {
                system.index.forget(entity);
            }
            destroy_components(system, batch, &in_order_of_creation(&self.plans[name].components));
        }
    }
}

/// The root's components with the overrides applied, and the list of overridden properties.
fn override_parts(
    system: &EntitySystem,
    resource: &str,
    plan: &Plan,
    overrides: &[Override],
) -> Result<(Vec<PlannedComponent>, Overridden), ResourceError> {
    let mut components = plan.components.clone();
    let mut overridden = Vec::new();
    for Override { path, value } in overrides {
        let wrong = |error: PropertyError| ResourceError::Property {
            resource: resource.into(),
            error,
        };
        let parsed = Path::parse(path).map_err(wrong)?;
        let component = parsed.component;
        let Some(part) = components.iter_mut().find(|part| &*part.name == component) else {
            return Err(ResourceError::NoComponent {
                resource: resource.into(),
                component: component.into(),
            });
        };
        let (place, value) = check_value(system, part.entry, path, value).map_err(wrong)?;
        set_value(&mut part.values, place, value);
        overridden.push(OverriddenProperty {
            component: part.entry.name,
            property: NameHash::of(parsed.property),
            place: place as u32,
        });
    }
    Ok((components, overridden))
}

/// The parts in order of creation: those whose managers were registered last first, since a game's own may refuse.
fn in_order_of_creation(components: &[PlannedComponent]) -> Vec<&PlannedComponent> {
    let mut sorted: Vec<&PlannedComponent> = components.iter().collect();
    sorted.sort_by_key(|part| Reverse(part.entry.manager));
    sorted
}

/// Creates the components of one entity of the plan's tree, `batch` times; all of them or none.
fn create_components(
    system: &mut EntitySystem,
    resource: &str,
    batch: &[Entity],
    components: &[PlannedComponent],
    plan: &Plan,
) -> Result<(), ResourceError> {
    let components = in_order_of_creation(components);
    for (place, part) in components.iter().enumerate() {
        let Some(manager) = system.managers.get_mut(part.entry.manager) else {
            continue;
        };
        let made = manager.create_many(batch, part.entry.name.into(), &part.values);
        if let Err(error) = made {
            destroy_components(system, batch, &components[..place]);
            return Err(ResourceError::Manager {
                resource: resource.into(),
                component: part.name.clone(),
                error,
            });
        }
    }
    let placed = system.index.place(batch, plan.stamp);
    placed.map_err(|error| {
        destroy_components(system, batch, &components);
        ResourceError::Index {
            resource: resource.into(),
            error,
        }
    })
}

/// Destroys the components that [`create_components`] made, in the opposite order.
fn destroy_components(system: &mut EntitySystem, batch: &[Entity], components: &[&PlannedComponent]) {
    for part in components.iter().rev() {
        if let Some(manager) = system.managers.get_mut(part.entry.manager) {
            for &entity in batch.iter().rev() {
                manager.destroy(entity, part.entry.name.into());
            }
        }
    }
}

/// The number of a resource's name, added if it is new.
fn number_of(numbers: &mut Vec<Box<str>>, name: &str) -> u32 {
    let place = numbers.iter().position(|known| **known == *name);
    place.unwrap_or_else(|| {
        numbers.push(name.into());
        numbers.len() - 1
    }) as u32
}
