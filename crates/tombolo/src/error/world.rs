//! Errors of a world's entities, each with the names in it. After an error the world is unchanged.

use alloc::boxed::Box;

use tombolo_entity::{Entity, PropertyError, ResourceError, SystemError};
use tombolo_physics::PhysicsError;

use super::scene::SceneError;

/// The reason why a world refuses a change. The world is then unchanged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum WorldError {
    /// An entity, a name or a component is at fault.
    #[error(transparent)]
    System(#[from] SystemError),
    /// A property is at fault.
    #[error(transparent)]
    Property(#[from] PropertyError),
    /// A resource is at fault.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// The world's own settings are at fault.
    #[error("settings: {0}")]
    Settings(PhysicsError),
    /// A limit of scripts in the world's settings is out of range.
    #[error("settings: `{name}` of script_limits is {value}; give {least} to {most}")]
    ScriptLimit {
        /// The name of the limit.
        name: &'static str,
        /// Its value.
        value: u32,
        /// The least value that is allowed.
        least: u32,
        /// The greatest value that is allowed.
        most: u32,
    },
    /// A limit of the world in its settings is out of range.
    #[error("settings: `{name}` is {value}; give {least} to {most}")]
    Limit {
        /// The name of the limit.
        name: &'static str,
        /// Its value.
        value: u32,
        /// The least value that is allowed.
        least: u32,
        /// The greatest value that is allowed.
        most: u32,
    },
    /// The world is full.
    #[error("the world would hold {count} {what}; its settings allow {most} (`{what}_max`)")]
    Full {
        /// The kind of object: entities, bodies.
        what: &'static str,
        /// The number that there would be.
        count: usize,
        /// The number that is allowed.
        most: u32,
    },
    /// There is no such resource; the advice has the nearest name.
    #[error("there is no resource `{resource}`; {advice}")]
    NoResource {
        /// The name that was given.
        resource: Box<str>,
        /// The nearest name, or the list of known ones.
        advice: Box<str>,
    },
    /// No scene of the world has such an asset; the advice has the nearest name.
    #[error("there is no {kind} `{name}`; {advice}")]
    NoAsset {
        /// The kind: a material, an outline, a script, a scene.
        kind: &'static str,
        /// The name that was given.
        name: Box<str>,
        /// The nearest name, or the list of known ones.
        advice: Box<str>,
    },
    /// The text of an asset is wrong, or a scene is wrong with it.
    #[error(transparent)]
    Asset(#[from] SceneError),
    /// A pose is not finite, or too far away.
    #[error("entity {entity}: {position} and {angle} are no pose")]
    Pose {
        /// The entity's name, or its number if it has none.
        entity: Box<str>,
        /// The position, in meters.
        position: tombolo_geometry::Vec2,
        /// The angle, in radians.
        angle: f32,
    },
    /// Physics refuses a component.
    #[error("entity {entity}, component `{component}`: {error}")]
    Physics {
        /// The entity's name, or its number if it has none.
        entity: Box<str>,
        /// The component's name.
        component: Box<str>,
        /// The error of physics.
        error: PhysicsError,
    },
    /// Physics refuses a segment cut.
    #[error("the segment cut: {0}")]
    Cut(PhysicsError),
    /// The component does not fit the entity's others, or the value is meaningless for it.
    #[error("entity {entity}, component `{component}`: {why}")]
    Unfit {
        /// The entity's name, or its number if it has none.
        entity: Box<str>,
        /// The component's name.
        component: Box<str>,
        /// The reason.
        why: Box<str>,
    },
    /// The entity does not exist.
    #[error("{0:?} is not alive")]
    NoEntity(Entity),
    /// No manager has this name.
    #[error("there is no manager `{0}`")]
    NoManager(Box<str>),
    /// No entity has this name.
    #[error("no entity is called `{0}`")]
    NoName(Box<str>),
    /// Another entity has this name.
    #[error("another entity is called `{0}`")]
    NameTaken(Box<str>),
    /// A text refers to no property, or has no value.
    #[error("`{text}`: {why}")]
    Text {
        /// The text.
        text: Box<str>,
        /// The reason.
        why: Box<str>,
    },
    /// The action cannot be set.
    #[error("action {name:?}: {why}")]
    Action {
        /// The name of the action.
        name: Box<str>,
        /// The reason.
        why: Box<str>,
    },
    /// The callback cannot be registered or used.
    #[error("a callback: {why}")]
    Callback {
        /// The reason.
        why: Box<str>,
    },
    /// The call cannot be recorded.
    #[error("a world that is recorded does not take {0}: give it before the recording begins")]
    NotRecorded(&'static str),
    /// An entity would be its own ancestor.
    #[error("entity {0} cannot be its own ancestor")]
    ParentCycle(Box<str>),
}
