//! [`Edit`]: what an action of a user changes in the file of the scene.

use tombolo::component::{Entry, InScene, KindEntry, NAMES, SceneForm, TRANSFORM};
use tombolo::entity::{Entity, Kind, Value};
use tombolo::{Scene, World};

use crate::action::Action;

/// An edit of an entity with a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Edit {
    pub(crate) name: String,
    pub(crate) change: Change,
}

/// The kinds of edits.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Change {
    /// A property of a component has a new value; `text` is that as it is written in a scene.
    Property {
        component: String,
        property: String,
        text: String,
        value: Value,
    },
    /// Properties of a component that a scene file gives together, in one form, have new values.
    Form {
        component: String,
        form: SceneForm,
        values: Vec<(String, Value)>,
    },
    /// The entity has another position, another angle, or both, in the world.
    Pose {
        at: Option<[f32; 2]>,
        angle: Option<f32>,
    },
    /// The entity was despawned.
    Gone,
    /// The entity was spawned from a resource.
    New {
        resource: String,
        at: [f32; 2],
        angle: f32,
    },
    /// The entity was made as a copy of another one.
    Copy { of: String, at: [f32; 2], angle: f32 },
    /// The name is that of a script, which has another text.
    Script { text: String },
    /// The name is that of a node graph, which has another text.
    Graph { text: String },
    /// A component was added.
    Added { component: String, kind: String },
    /// A component was removed, and whether it may have been the entity's Transform.
    Removed {
        component: String,
        may_be_transform: bool,
    },
    /// An edit that a file cannot express, and why.
    Unsaid(String),
}

impl Edit {
    /// The edit of a file that an applied action amounts to; `None` if there is none. `name` is the entity's name
    /// before the action.
    pub(crate) fn of(action: &Action, name: Option<String>, world: &World) -> Option<Self> {
        // An entity without a name was never in a file.
        let name = name?;
        let change = match action {
            Action::Set { entity, path, .. } => property_change(world, entity.0, path),
            Action::Move { entity, at, angle } => match world.parent(entity.0) {
                None => Change::Pose {
                    at: *at,
                    angle: *angle,
                },
                Some(_) => Change::Unsaid("it is the child of another".to_string()),
            },
            Action::Despawn { .. } => Change::Gone,
            Action::Drop { resource, at, .. } => Change::New {
                resource: resource.clone(),
                at: *at,
                angle: 0.0,
            },
            Action::Duplicate { entity, at, .. } => match world.name_of(entity.0) {
                Some(of) => Change::Copy {
                    of: of.to_string(),
                    at: *at,
                    angle: world.pose(entity.0).map_or(0.0, |pose| pose.rotation.angle()),
                },
                None => Change::Unsaid("it is a copy of one without a name".to_string()),
            },
            Action::Script { text, .. } => Change::Script { text: text.clone() },
            Action::Graph { text, .. } => Change::Graph { text: text.clone() },
            Action::AddComponent { kind, name, .. } => Change::Added {
                component: name.clone(),
                kind: kind.clone(),
            },
            Action::RemoveComponent { entity, name } => Change::Removed {
                component: name.clone(),
                may_be_transform: world
                    .describe(entity.0)
                    .iter()
                    .all(|part| !is_transform(part.manager)),
            },
            _ => return None,
        };
        Some(Self { name, change })
    }

    /// The name of the edited entity, script or graph.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name whose entry in the file it changes, if any.
    pub(crate) fn needs(&self) -> Option<&str> {
        match &self.change {
            Change::New { .. } => None,
            Change::Copy { of, .. } => Some(of),
            _ => Some(&self.name),
        }
    }

    /// Whether edits of a name before it are about something else than those after it, or are copied by it.
    pub(crate) fn divides(&self, name: &str) -> bool {
        let is_of_name = self.name == name;
        match &self.change {
            Change::Gone | Change::New { .. } | Change::Removed { .. } => is_of_name,
            Change::Copy { of, .. } => is_of_name || of == name,
            _ => false,
        }
    }

    /// Whether an entity of the name was made.
    pub(crate) fn is_new(&self) -> bool {
        matches!(self.change, Change::New { .. } | Change::Copy { .. })
    }

    /// Whether it makes an earlier edit unnecessary.
    pub(crate) fn replaces(&self, other: &Self) -> bool {
        self.name == other.name
            && match (&self.change, &other.change) {
                (Change::Script { .. }, Change::Script { .. })
                | (Change::Graph { .. }, Change::Graph { .. }) => true,
                (
                    Change::Pose { at, angle },
                    Change::Pose {
                        at: other_at,
                        angle: other_angle,
                    },
                ) => at.is_some() >= other_at.is_some() && angle.is_some() >= other_angle.is_some(),
                (
                    Change::Property {
                        component, property, ..
                    },
                    Change::Property {
                        component: other_component,
                        property: other_property,
                        ..
                    },
                ) => component == other_component && property == other_property,
                (
                    Change::Form { component, form, .. },
                    Change::Form {
                        component: other_component,
                        form: other_form,
                        ..
                    },
                ) => component == other_component && form == other_form,
                _ => false,
            }
    }

    /// This edit with what the one that it replaces has beside it: other properties of the same form.
    pub(crate) fn after(&self, replaced: &Self) -> Self {
        let mut joined = self.clone();
        if let (Change::Form { values, .. }, Change::Form { values: before, .. }) =
            (&mut joined.change, &replaced.change)
        {
            let is_new = |name: &String| values.iter().all(|(known, _)| known != name);
            let rest: Vec<_> = before.iter().filter(|(name, _)| is_new(name)).cloned().collect();
            values.splice(0..0, rest);
        }
        joined
    }

    /// Whether what it is written as depends on the Transform that an entity has in the scene.
    pub(crate) fn reads_transform(&self) -> bool {
        self.is_new() || matches!(self.change, Change::Pose { .. })
    }

    /// Whether an entity has a Transform after it, or lacks one, as it did not before.
    pub(crate) fn changes_transform(&self) -> bool {
        match &self.change {
            Change::Added { kind, .. } => is_transform(kind),
            Change::Removed { may_be_transform, .. } => *may_be_transform,
            _ => false,
        }
    }

    /// The properties whose values a scene that has the edit does not have: the form has no words for them as it is, or
    /// the file says them where nothing is read.
    pub(crate) fn unsaid(&self, read: &Scene) -> Vec<String> {
        let is_said = |component: &str, property: &str, value: &Value| {
            let known = read.property(&self.name, component, property);
            // An entity may be gone by a later edit.
            known.is_none_or(|known| known == *value)
        };
        match &self.change {
            Change::Form {
                component, values, ..
            } => {
                let unsaid = values
                    .iter()
                    .filter(|(property, value)| !is_said(component, property, value));
                let unsaid = unsaid.map(|(property, _)| {
                    format!(
                        "{}: `{component}.{property}`: what the file says of `{component}` has no place for it",
                        self.name
                    )
                });
                unsaid.collect()
            }
            Change::Property {
                component,
                property,
                value,
                ..
            } if !is_said(component, property, value) => vec![format!(
                "{}: `{component}.{property}`: the file with it would have another value",
                self.name
            )],
            _ => Vec::new(),
        }
    }

    /// Whether an entity of the file may have another value of an edited property by this later edit.
    pub(crate) fn outdates(&self, other: &Self) -> bool {
        self.name == other.name
            && (self.replaces(other) || matches!(self.change, Change::Added { .. } | Change::Removed { .. }))
    }
}

/// The edit that sets a property to its present value, written as in a scene.
fn property_change(world: &World, entity: Entity, path: &str) -> Change {
    let unsaid = |why: &str| Change::Unsaid(format!("`{path}`: {why}"));
    let Some((component, property)) = path.split_once('.') else {
        return unsaid("this is no property");
    };
    let parts = world.describe(entity);
    let part = parts.iter().find(|part| part.name == component);
    let found = part.and_then(|part| part.properties.iter().find(|(known, _)| *known.name == *property));
    let (Some(part), Some((known, value))) = (part, found) else {
        return unsaid("a part of a property is not written; set the whole");
    };
    if !can_be_written(known.kind) {
        return unsaid("a scene file has no such values");
    }
    let is_transform = is_transform(part.manager);
    if is_transform && world.parent(entity).is_some() {
        return unsaid("it is the child of another");
    }
    let kinds = world.kinds();
    let kind = kinds.iter().find(|kind| kind.name() == part.manager);
    let mut entries = kind.into_iter().flat_map(KindEntry::entries);
    let entry = entries.find(|entry| entry.property().name == known.name);
    if let Some(InScene::Within(form, _) | InScene::WordOf(form)) = entry.map(Entry::in_scene) {
        return Change::Form {
            component: component.to_string(),
            form,
            values: vec![(property.to_string(), value.clone())],
        };
    }
    match (property, value) {
        ("position", Value::Vec2(position)) if is_transform => Change::Pose {
            at: Some(position.to_array()),
            angle: None,
        },
        ("angle", Value::F32(angle)) if is_transform => Change::Pose {
            at: None,
            angle: Some(*angle),
        },
        _ => Change::Property {
            component: component.to_string(),
            property: property.to_string(),
            text: world.show_value(known.kind, value),
            value: value.clone(),
        },
    }
}

fn is_transform(kind: &str) -> bool {
    kind == NAMES[usize::from(TRANSFORM.0)]
}

fn can_be_written(kind: Kind) -> bool {
    match kind {
        Kind::Blob | Kind::Entity => false,
        Kind::List(of) => can_be_written(*of),
        _ => true,
    }
}
