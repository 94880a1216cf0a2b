//! Errors of a world's entities, each with the names in it. After an error nothing has changed.

use alloc::boxed::Box;

use tombolo_entity::{Entity, PropertyError, ResourceError, SystemError};
use tombolo_physics::PhysicsError;

use super::scene::SceneError;

/// Why a world refuses a change. It is then as it was.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// An entity, a name or a component.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A property.
    #[error(transparent)]
    Property(#[from] PropertyError),
    /// A resource.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The world's own settings.
    #[error("settings: {0}")]
    Settings(PhysicsError),
    /// A limit of scripts in the world's settings.
    #[error("settings: `{name}` of script_limits is {value}; give {least} to {most}")]
    ScriptLimit {
        /// Which.
        name: &'static str,
        /// What it is.
        value: u32,
        /// What it may be at least.
        least: u32,
        /// What it may be at most.
        most: u32,
    },
    /// A limit of the world in its settings.
    #[error("settings: `{name}` is {value}; give {least} to {most}")]
    Limit {
        /// Which.
        name: &'static str,
        /// What it is.
        value: u32,
        /// What it may be at least.
        least: u32,
        /// What it may be at most.
        most: u32,
    },
    /// The world is full.
    #[error("the world would hold {count} {what}; its settings allow {most} (`{what}_max`)")]
    Full {
        /// Of what: entities, bodies.
        what: &'static str,
        /// How many there would be.
        count: usize,
        /// How many there may be.
        most: u32,
    },
    /// There is no such resource, and this may have been meant.
    #[error("there is no resource `{resource}`; {advice}")]
    NoResource {
        /// The name.
        resource: Box<str>,
        /// The nearest name, or those that there are.
        advice: Box<str>,
    },
    /// No scene of the world has such an asset, and this may have been meant.
    #[error("there is no {kind} `{name}`; {advice}")]
    NoAsset {
        /// What: a material, an outline, a script, a scene.
        kind: &'static str,
        /// The name.
        name: Box<str>,
        /// The nearest name, or those that there are.
        advice: Box<str>,
    },
    /// The text of an asset, or a scene with it.
    #[error(transparent)]
    Asset(#[from] SceneError),
    /// A pose is not finite, or too far away.
    #[error("entity {entity}: {position} and {angle} are no pose")]
    Pose {
        /// The entity's name, or its number if it has none.
        entity: Box<str>,
        /// Where to.
        position: tombolo_geometry::Vec2,
        /// How much turned.
        angle: f32,
    },
    /// Physics refuses what a component asks for.
    #[error("entity {entity}, component `{component}`: {error}")]
    Physics {
        /// The entity's name, or its number if it has none.
        entity: Box<str>,
        /// The component's name.
        component: Box<str>,
        /// Why.
        error: PhysicsError,
    },
    /// Physics refuses a segment cut.
    #[error("the segment cut: {0}")]
    Cut(PhysicsError),
    /// The component does not fit the entity's others, or the value makes no sense for it.
    #[error("entity {entity}, component `{component}`: {why}")]
    Unfit {
        /// The entity's name, or its number if it has none.
        entity: Box<str>,
        /// The component's name.
        component: Box<str>,
        /// Why.
        why: Box<str>,
    },
    /// The entity is dead.
    #[error("{0:?} is not alive")]
    NoEntity(Entity),
    /// No manager has this name.
    #[error("there is no manager `{0}`")]
    NoManager(Box<str>),
    /// Nobody has this name.
    #[error("no entity is called `{0}`")]
    NoName(Box<str>),
    /// Another entity has this name.
    #[error("another entity is called `{0}`")]
    NameTaken(Box<str>),
    /// A text names no property, or has no value.
    #[error("`{text}`: {why}")]
    Text {
        /// What was given.
        text: Box<str>,
        /// What is wrong with it.
        why: Box<str>,
    },
    /// No such action can be set.
    #[error("action {name:?}: {why}")]
    Action {
        /// What it is called.
        name: Box<str>,
        /// Why.
        why: Box<str>,
    },
    /// No such callback can be registered or used.
    #[error("a callback: {why}")]
    Callback {
        /// Why.
        why: Box<str>,
    },
    /// A recording cannot have it.
    #[error("a world that is recorded does not take {0}: give it before the recording begins")]
    NotRecorded(&'static str),
    /// An entity would be its own ancestor.
    #[error("entity {0} cannot be its own ancestor")]
    ParentCycle(Box<str>),
}
