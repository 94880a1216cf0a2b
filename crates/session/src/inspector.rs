//! The page's views of entities: lists of them, and every property of one with its entry in the register.

use serde::Serialize;
use tombolo::World;
use tombolo::entity::{Entity, Kind, Property, Value};

use crate::action::Key;

/// The greatest number of entities in a list.
const ROWS_MAX: usize = 200;

/// An entity in a list.
#[derive(Debug, Serialize)]
pub(crate) struct ListedEntity {
    pub(crate) entity: Key,
    pub(crate) name: String,
    /// The number of ancestors.
    pub(crate) depth: usize,
}

/// An entity and all its properties.
#[derive(Debug, PartialEq, Serialize)]
pub(crate) struct EntityView {
    #[serde(serialize_with = "key")]
    entity: Entity,
    name: String,
    /// The resource that it was spawned from.
    #[serde(skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    parts: Vec<PartView>,
}

fn key<S: serde::Serializer>(entity: &Entity, serializer: S) -> Result<S::Ok, S::Error> {
    Key(*entity).serialize(serializer)
}

/// A component and its properties.
#[derive(Debug, PartialEq, Serialize)]
struct PartView {
    name: String,
    manager: String,
    properties: Vec<PropertyView>,
}

/// A property with its value and range.
#[derive(Debug, PartialEq, Serialize)]
struct PropertyView {
    name: String,
    kind: String,
    /// The words of a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<Vec<&'static str>>,
    value: String,
    unit: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<(f64, f64)>,
    read_only: bool,
    documentation: &'static str,
}

/// The displayed name of an entity.
pub(crate) fn name_of(world: &World, entity: Entity) -> String {
    let name = world.name_of(entity).map(str::to_string);
    name.unwrap_or_else(|| match world.library().origin(entity) {
        Some(resource) => format!("{resource} {}", entity.index()),
        None => format!("entity {}", entity.index()),
    })
}

/// The entities whose names contain a text, each child after its parent; and their number.
pub(crate) fn list(world: &World, search: &str) -> (Vec<ListedEntity>, usize) {
    let wanted = search.to_lowercase();
    let (mut rows, mut count) = (Vec::new(), 0);
    let mut stack: Vec<(Entity, usize)> = Vec::new();
    for root in world.entities().entities().iter() {
        if world.parent(root).is_some() {
            continue;
        }
        stack.push((root, 0));
        while let Some((entity, depth)) = stack.pop() {
            let children = world.children(entity).iter().rev();
            stack.extend(children.map(|child| (*child, depth + 1)));
            let name = name_of(world, entity);
            if !name.to_lowercase().contains(&wanted) {
                continue;
            }
            count += 1;
            if rows.len() < ROWS_MAX {
                rows.push(ListedEntity {
                    entity: Key(entity),
                    name,
                    depth,
                });
            }
        }
    }
    (rows, count)
}

/// An entity with all its properties; `None` if it is gone.
pub(crate) fn describe(world: &World, entity: Entity) -> Option<EntityView> {
    if !world.entities().entities().is_alive(entity) {
        return None;
    }
    let parts = world.describe(entity).into_iter().map(|view| PartView {
        name: view.name.to_string(),
        manager: view.manager.to_string(),
        properties: view
            .properties
            .iter()
            .map(|(property, value)| property_text(world, property, value))
            .collect(),
    });
    Some(EntityView {
        entity,
        name: name_of(world, entity),
        resource: world.library().origin(entity).map(str::to_string),
        parts: parts.collect(),
    })
}

fn property_text(world: &World, property: &Property, value: &Value) -> PropertyView {
    PropertyView {
        name: property.name.to_string(),
        kind: property.kind.to_string(),
        words: match property.kind {
            Kind::Choice(words) => Some(words.to_vec()),
            _ => None,
        },
        value: world.show_value(property.kind, value),
        unit: property.unit,
        range: property.range,
        read_only: property.read_only || matches!(property.kind, Kind::Blob),
        documentation: property.documentation,
    }
}
