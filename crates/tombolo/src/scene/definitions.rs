//! Converts a scene to definitions of entities: each component to values of its manager's properties, each resource
//! to a [`ResourceDefinition`], the overrides of each placement to [`Override`]s.
//! [`World::from_scene`](crate::World::from_scene) uses it.

use alloc::boxed::Box;
use alloc::format;
use alloc::sync::Arc;
use alloc::vec::Vec;

use tombolo_entity::{ComponentDefinition, Override, ResourceDefinition, Value};

use super::components::{Child, Component, NamedComponent};
use super::library::{Library, Resource};
use super::placement::Placement;
use crate::component::register::{Apply, ToPose};
use crate::component::{self, TRANSFORM};

/// A component's properties.
type Values = Vec<(Box<str>, Value)>;

impl Library {
    /// All resources, and one more for each child of a resource: the child's resource with its pose.
    pub(crate) fn definitions(&self) -> Vec<ResourceDefinition> {
        let mut definitions = Vec::new();
        for resource in &self.resources {
            let base = resource.inherits.map(|base| &self.resources[base]);
            let mut definition = ResourceDefinition::new(&resource.name);
            definition.inherits = base.map(|base| (&*base.name).into());
            // Inherited ones come first, in their order there.
            let inherited = base.map_or(&[][..], |base| &base.components);
            for (place, named) in resource.components.iter().enumerate() {
                let of_base = inherited.get(place);
                if of_base.is_some_and(|of_base| Arc::ptr_eq(of_base, named)) {
                    continue;
                }
                let values = differing_values(&named.component, of_base.map(|named| &named.component));
                if of_base.is_none() || !values.is_empty() {
                    definition.components.push(ComponentDefinition {
                        name: (&*named.name).into(),
                        manager: named.component.kind.name().into(),
                        values,
                    });
                }
            }
            for (name, child) in &resource.children {
                let at_place = self.child_definition(resource, name, child);
                definition.children.push(at_place.name.clone());
                definitions.push(at_place);
            }
            definitions.push(definition);
        }
        definitions
    }

    /// A child's resource under the name `parent/child`, at its pose relative to the parent.
    fn child_definition(&self, parent: &Resource, name: &str, child: &Child) -> ResourceDefinition {
        let entity = child.entity.as_ref().map_or("", |entity| entity.text.as_str());
        let resource = self.find(entity).map(|index| &self.resources[index]);
        let is_transform = |named: &&Arc<NamedComponent>| named.component.is(TRANSFORM);
        let transform = resource.and_then(|resource| resource.components.iter().find(is_transform));
        let transform = transform.map_or("transform", |named| named.name.as_str());
        let kind = component::NAMES[usize::from(TRANSFORM.0)];
        let mut definition = ResourceDefinition::new(&format!("{}/{name}", parent.name)).inherits(entity);
        // Only position and angle of the Transform are set.
        let entries = self.kinds.get(kind).map_or(&[][..], |kind| kind.entries());
        let pose = entries.iter().enumerate().filter_map(|(place, entry)| {
            let is_pose = matches!(entry.link.apply, Apply::Pose(ToPose::Teleport));
            let value = self.kinds.schemas.transform.get(&child.frame(), place)?;
            is_pose.then(|| (entry.property().name.clone(), value))
        });
        definition.components.push(ComponentDefinition {
            name: transform.into(),
            manager: kind.into(),
            values: pose.collect(),
        });
        definition
    }

    /// The overrides of a placement: the values that differ from those of its resource.
    pub(crate) fn overrides(&self, placement: &Placement) -> Vec<Override> {
        let own = &self.resources[placement.resource].components;
        let mut overrides = Vec::new();
        for (&place, component) in &placement.overridden {
            let named = &own[place];
            for (property, value) in differing_values(component, Some(&named.component)) {
                overrides.push(Override {
                    path: format!("{}.{property}", named.name).into(),
                    value,
                });
            }
        }
        overrides
    }
}

/// The values of a component that differ from another's of the same kind, or from the defaults.
fn differing_values(component: &Component, other: Option<&Component>) -> Values {
    let entries = component.kind.entries().iter().zip(&component.values).enumerate();
    let differing = entries.filter_map(|(place, (entry, value))| {
        let (property, value) = (entry.property(), value.as_ref()?);
        let differs = match other.and_then(|other| other.values[place].as_ref()) {
            Some(other) => value != other,
            None => entry.link.acts || *value != property.default,
        };
        differs.then(|| (property.name.clone(), value.clone()))
    });
    differing.collect()
}
