//! Errors of entities, managers and components, with the names in them.

use alloc::boxed::Box;

use crate::entities::Entity;
use crate::index::IndexError;
use crate::manager::ManagerError;
use crate::name::{ManagerId, NameError};

/// The reason why the system refuses a change. Nothing is changed then.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The entity is dead.
    #[error("{entity:?} is not alive")]
    NoEntity {
        /// The entity.
        entity: Entity,
    },
    /// The name is not valid.
    #[error(transparent)]
    Name(#[from] NameError),
    /// A manager has, or had, this name.
    #[error("a manager named `{manager}` is registered already")]
    ManagerTaken {
        /// The name.
        manager: Box<str>,
    },
    /// There are 65,535 managers already.
    #[error("there are 65,535 managers, as many as have numbers")]
    TooManyManagers,
    /// No manager has this number.
    #[error("no manager has the number {}", manager.0)]
    NoManager {
        /// The number.
        manager: ManagerId,
    },
    /// The entity already has a component of this name.
    #[error("{entity:?} already has a component `{component}`, held by `{manager}`")]
    NameTaken {
        /// The entity.
        entity: Entity,
        /// The component's name.
        component: Box<str>,
        /// The name of the manager that holds it.
        manager: Box<str>,
    },
    /// The entity has no component of this name.
    #[error("{entity:?} has no component `{component}`; it has: {known}")]
    NoComponent {
        /// The entity.
        entity: Entity,
        /// The component's name.
        component: Box<str>,
        /// The names of its components.
        known: Box<str>,
    },
    /// A limit of the index is reached.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The manager refuses.
    #[error("manager `{manager}`: {error}")]
    Manager {
        /// The manager's name.
        manager: Box<str>,
        /// The manager's reason.
        error: ManagerError,
    },
}
