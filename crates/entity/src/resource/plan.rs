//! `Plan`: a resource with all its names looked up. Errors of a resource are found here, before anything is spawned.

use alloc::boxed::Box;
use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::definition::{ComponentDefinition, ResourceDefinition, ResourceError};
use crate::index::{COMPONENTS_MAX, ComponentEntry, IndexError, PrototypeId, PrototypeStamp};
use crate::name::Names;
use crate::path::Path;
use crate::property::PropertyError;
use crate::system::EntitySystem;
use crate::value::Value;

/// The most entities that one spawn of one resource creates, children included. A resource with two children, each with
/// two children, and so on, grows without looking large.
pub(super) const SPAWNED_MAX: usize = 1 << 20;

/// The most children of all resources of a library, each counted for every resource that it is spawned with.
pub(super) const PLANNED_MAX: usize = 1 << 18;

/// The longest chain of inheritance of a resource, and the most levels of children. A plan is computed along the whole
/// chain, for each of its children again.
pub(super) const DEPTH_MAX: usize = 128;

pub(super) type Definitions = BTreeMap<Box<str>, ResourceDefinition>;

/// A component of a plan: its manager and its initial values.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PlannedComponent {
    pub(super) name: Box<str>,
    pub(super) entry: ComponentEntry,
    /// By place in the manager's list of properties, no place twice.
    pub(super) values: Vec<(usize, Value)>,
}

/// Every entity of a spawn, a parent before its children: its resource, and the place of its parent here.
pub(super) type Tree = Vec<(Box<str>, Option<usize>)>;

/// A resource, ready to be spawned.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) components: Vec<PlannedComponent>,
    pub(super) tree: Tree,
    /// Held in the index; the empty one until the plan is in the library.
    pub(super) stamp: PrototypeStamp,
}

/// Makes the plan of a resource. `names` collects every name seen on the way, `left` is the number of children still
/// allowed.
pub(super) fn plan(
    system: &EntitySystem,
    definitions: &Definitions,
    resource: &str,
    names: &mut Names,
    left: &mut usize,
) -> Result<Plan, ResourceError> {
    let mut components: Vec<PlannedComponent> = Vec::new();
    // From the ancestor down, so that the inherited components come first and the nearest values win.
    for definition in lineage(definitions, resource)?.iter().rev() {
        let mut own: Vec<&str> = Vec::new();
        for component in &definition.components {
            if own.contains(&&*component.name) {
                return Err(ResourceError::ComponentTwice {
                    resource: definition.name.clone(),
                    component: component.name.clone(),
                });
            }
            own.push(&component.name);
            add_component(system, &mut components, definition, component, names)?;
            if components.len() > COMPONENTS_MAX {
                return Err(ResourceError::Index {
                    resource: resource.into(),
                    error: IndexError::TooMany,
                });
            }
        }
    }
    Ok(Plan {
        components,
        tree: tree(definitions, resource, left)?,
        stamp: PrototypeStamp {
            id: PrototypeId::EMPTY,
            epoch: 0,
        },
    })
}

/// A resource and its ancestors, the nearest first.
fn lineage<'a>(
    definitions: &'a Definitions,
    resource: &str,
) -> Result<Vec<&'a ResourceDefinition>, ResourceError> {
    let missing = || ResourceError::NoResource {
        resource: resource.into(),
    };
    let mut lineage = Vec::from([definitions.get(resource).ok_or_else(missing)?]);
    while let Some(parent) = &lineage[lineage.len() - 1].inherits {
        let child = lineage[lineage.len() - 1];
        let missing = || ResourceError::NoOther {
            resource: child.name.clone(),
            other: parent.clone(),
        };
        let parent = definitions.get(parent).ok_or_else(missing)?;
        if lineage.len() > definitions.len() {
            return Err(ResourceError::InheritanceCycle {
                resource: resource.into(),
            });
        }
        if lineage.len() > DEPTH_MAX {
            let circle = lineage.iter().any(|known| known.name == parent.name);
            let resource = resource.into();
            return Err(if circle {
                ResourceError::InheritanceCycle { resource }
            } else {
                ResourceError::TooDeep {
                    resource,
                    max: DEPTH_MAX,
                }
            });
        }
        lineage.push(parent);
    }
    Ok(lineage)
}

/// The children of a resource and of its ancestors, the inherited ones first.
fn children<'a>(definitions: &'a Definitions, resource: &str) -> Result<Vec<&'a str>, ResourceError> {
    let lineage = lineage(definitions, resource)?;
    let all = lineage.iter().rev().flat_map(|definition| &definition.children);
    all.map(|child| {
        let missing = || ResourceError::NoOther {
            resource: resource.into(),
            other: child.clone(),
        };
        definitions.get(child).map(|_| &**child).ok_or_else(missing)
    })
    .collect()
}

/// Every entity of a spawn, breadth first; at most `left`, the rest of what all resources together may have.
fn tree(definitions: &Definitions, resource: &str, left: &mut usize) -> Result<Tree, ResourceError> {
    let mut tree: Tree = Vec::from([(resource.into(), None)]);
    let mut at = 0;
    while at < tree.len() {
        let mut ancestor = tree[at].1;
        let mut depth = 0;
        while let Some(above) = ancestor {
            depth += 1;
            if depth > DEPTH_MAX {
                let (resource, max) = (resource.into(), DEPTH_MAX);
                return Err(ResourceError::TooDeep { resource, max });
            }
            if tree[above].0 == tree[at].0 {
                return Err(ResourceError::ChildCycle {
                    resource: tree[at].0.clone(),
                });
            }
            ancestor = tree[above].1;
        }
        for child in children(definitions, &tree[at].0)? {
            if *left == 0 {
                let (resource, max) = (resource.into(), PLANNED_MAX);
                return Err(ResourceError::TooLarge { resource, max });
            }
            *left -= 1;
            tree.push((child.into(), Some(at)));
        }
        at += 1;
    }
    Ok(tree)
}

/// Adds a component to a plan, or overrides the values of an inherited one.
fn add_component(
    system: &EntitySystem,
    components: &mut Vec<PlannedComponent>,
    definition: &ResourceDefinition,
    component: &ComponentDefinition,
    names: &mut Names,
) -> Result<(), ResourceError> {
    let resource = || definition.name.clone();
    let Some(manager) = system.manager_id(&component.manager) else {
        return Err(ResourceError::NoManager {
            resource: resource(),
            component: component.name.clone(),
            manager: component.manager.clone(),
        });
    };
    let name = names.register(&component.name);
    let name = name.map_err(|error| ResourceError::Name {
        resource: resource(),
        error,
    })?;
    let entry = ComponentEntry { name, manager };
    let place = match components.iter().position(|part| part.entry.name == name) {
        Some(place) if components[place].entry.manager != manager => {
            return Err(ResourceError::OtherManager {
                resource: resource(),
                component: component.name.clone(),
                manager: component.manager.clone(),
                inherited: system.managers_name(components[place].entry.manager),
            });
        }
        Some(place) => place,
        None => {
            components.push(PlannedComponent {
                name: component.name.clone(),
                entry,
                values: Vec::new(),
            });
            components.len() - 1
        }
    };
    for (property, value) in &component.values {
        let path = format!("{}.{property}", component.name);
        let checked = check_value(system, entry, &path, value);
        let (property, value) = checked.map_err(|error| ResourceError::Property {
            resource: resource(),
            error,
        })?;
        set_value(&mut components[place].values, property, value);
    }
    Ok(())
}

/// The place of a property and the value in the property's own form.
pub(super) fn check_value(
    system: &EntitySystem,
    entry: ComponentEntry,
    path: &str,
    value: &Value,
) -> Result<(usize, Value), PropertyError> {
    let parsed = Path::parse(path)?;
    if parsed.part.is_some() {
        return Err(PropertyError::Path { path: path.into() });
    }
    let resolved = system.resolve_entry(PrototypeId::EMPTY, entry, &parsed)?;
    let value = resolved.limits.check(path, value.clone())?;
    Ok((resolved.property, value))
}

/// Sets a value in a list that has each property at most once.
pub(super) fn set_value(values: &mut Vec<(usize, Value)>, property: usize, value: Value) {
    match values.iter_mut().find(|(known, _)| *known == property) {
        Some((_, old)) => *old = value,
        None => values.push((property, value)),
    }
}
