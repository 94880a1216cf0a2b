//! `ResourceDefinition`: the content of a resource file, before anything is looked up, and the errors of resources.

use alloc::boxed::Box;
use alloc::vec::Vec;

use crate::index::IndexError;
use crate::manager::ManagerError;
use crate::name::NameError;
use crate::property::PropertyError;
use crate::value::Value;

/// The definition of an entity: named components, and the child entities that are spawned with it.
///
/// ```
/// use tombolo_entity::{ResourceDefinition, Value};
/// let fog = ResourceDefinition::new("fog")
///     .component("Mist", "Fog", [("density", Value::F32(0.2))])
///     .component("Smoke", "Fog", []);
/// let thick = ResourceDefinition::new("thick fog")
///     .inherits("fog")
///     .component("Mist", "Fog", [("density", Value::F32(0.9))]); // overrides; `Smoke` comes along
/// # let _ = (fog, thick);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResourceDefinition {
    /// Its name in its library.
    pub name: Box<str>,
    /// The resource whose components and children it inherits, before its own.
    pub inherits: Option<Box<str>>,
    /// Its components. One with an inherited name must have the same manager; its values override.
    pub components: Vec<ComponentDefinition>,
    /// The resources of the child entities that are spawned with it.
    pub children: Vec<Box<str>>,
}

/// A named component of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ComponentDefinition {
    /// Its name, unique in the resource.
    pub name: Box<str>,
    /// The name of its manager.
    pub manager: Box<str>,
    /// The properties that differ from the manager's defaults.
    pub values: Vec<(Box<str>, Value)>,
}

/// A property with another value in one spawned entity.
#[derive(Clone, Debug, PartialEq)]
pub struct Override {
    /// `component.property`.
    pub path: Box<str>,
    /// The value in place of the resource's.
    pub value: Value,
}

impl ResourceDefinition {
    /// A resource without components.
    pub fn new(name: &str) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// The same definition, inheriting from another resource.
    #[must_use]
    pub fn inherits(mut self, parent: &str) -> Self {
        self.inherits = Some(parent.into());
        self
    }

    /// The same definition, with one more component.
    #[must_use]
    pub fn component<'a>(
        mut self,
        name: &str,
        manager: &str,
        values: impl IntoIterator<Item = (&'a str, Value)>,
    ) -> Self {
        let values = values
            .into_iter()
            .map(|(property, value)| (property.into(), value));
        self.components.push(ComponentDefinition {
            name: name.into(),
            manager: manager.into(),
            values: values.collect(),
        });
        self
    }

    /// The same definition, with one more child.
    #[must_use]
    pub fn child(mut self, resource: &str) -> Self {
        self.children.push(resource.into());
        self
    }
}

/// The reason why a resource, or spawning it, is refused. Nothing is changed then.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The library has no resource of this name.
    #[error("there is no resource `{resource}`")]
    NoResource {
        /// The name.
        resource: Box<str>,
    },
    /// Two definitions of one load have one name.
    #[error("resource `{resource}` is defined twice")]
    Twice {
        /// The name.
        resource: Box<str>,
    },
    /// It inherits from, or has as a child, a resource that does not exist.
    #[error("resource `{resource}` names a resource `{other}`, which is not there")]
    NoOther {
        /// The resource.
        resource: Box<str>,
        /// The one that it names.
        other: Box<str>,
    },
    /// It inherits from itself, directly or through others.
    #[error("resource `{resource}` inherits from itself")]
    InheritanceCycle {
        /// A resource of the cycle.
        resource: Box<str>,
    },
    /// It is among its own children, directly or through others.
    #[error("resource `{resource}` is among its own children")]
    ChildCycle {
        /// A resource of the cycle, or one that leads to it.
        resource: Box<str>,
    },
    /// Its chain of inheritance, or its tree of children, is deeper than any game needs.
    #[error("resource `{resource}` inherits, or has children, more than {max} deep")]
    TooDeep {
        /// The resource.
        resource: Box<str>,
        /// The deepest level allowed.
        max: usize,
    },
    /// It has more entities than one spawn may create.
    #[error("resource `{resource}` makes more than {max} entities at once")]
    TooLarge {
        /// The resource.
        resource: Box<str>,
        /// The largest number allowed.
        max: usize,
    },
    /// Two components of one resource have one name.
    #[error("resource `{resource}` has two components `{component}`")]
    ComponentTwice {
        /// The resource.
        resource: Box<str>,
        /// The component.
        component: Box<str>,
    },
    /// An override names a component that the resource does not have.
    #[error("resource `{resource}` has no component `{component}` to override")]
    NoComponent {
        /// The resource.
        resource: Box<str>,
        /// The component.
        component: Box<str>,
    },
    /// No manager has this name.
    #[error("component `{component}` of resource `{resource}`: there is no manager `{manager}`")]
    NoManager {
        /// The resource.
        resource: Box<str>,
        /// The component.
        component: Box<str>,
        /// The manager's name.
        manager: Box<str>,
    },
    /// A component has another manager than the inherited one of its name.
    #[error(
        "component `{component}` of resource `{resource}` has manager `{manager}`, but inherits from `{inherited}`"
    )]
    OtherManager {
        /// The resource.
        resource: Box<str>,
        /// The component.
        component: Box<str>,
        /// Its manager.
        manager: Box<str>,
        /// The inherited component's manager.
        inherited: Box<str>,
    },
    /// A name is not valid.
    #[error("resource `{resource}`: {error}")]
    Name {
        /// The resource.
        resource: Box<str>,
        /// The reason.
        error: NameError,
    },
    /// A property's name or value is wrong.
    #[error("resource `{resource}`: {error}")]
    Property {
        /// The resource.
        resource: Box<str>,
        /// The reason.
        error: PropertyError,
    },
    /// A limit of the index is reached.
    #[error("resource `{resource}`: {error}")]
    Index {
        /// The resource.
        resource: Box<str>,
        /// The reason.
        error: IndexError,
    },
    /// A manager refuses to create an instance.
    #[error("component `{component}` of resource `{resource}`: {error}")]
    Manager {
        /// The resource.
        resource: Box<str>,
        /// The component.
        component: Box<str>,
        /// The reason.
        error: ManagerError,
    },
}
